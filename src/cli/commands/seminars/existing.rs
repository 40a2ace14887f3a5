//! `taskgen transcripts import`: transcripts that exist already become those of recordings.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use anyhow::Result;
use serde::Serialize;

use super::transcribe::discover;
use crate::{
    cli::{
        args::{Global, ImportTranscripts, Transcripts},
        project::{Project, this_program},
        ui::{
            exit::{self, Usage},
            output::{Printer, count, seconds},
        },
    },
    data::SeminarId,
    transcribe::{
        self, Decoder, Language, Recording, Sidecar,
        existing::{self, Match, RecordingFacts},
    },
};

/// What became of the files.
#[derive(Default, Serialize)]
struct Imported {
    imported: Vec<Taken>,
    /// Files whose recordings have a transcript.
    there_already: Vec<PathBuf>,
    problems: Vec<Problem>,
}

#[derive(Serialize)]
struct Taken {
    file: PathBuf,
    recording: String,
    format: &'static str,
    language: String,
    segments: usize,
    seconds: f64,
}

#[derive(Serialize)]
struct Problem {
    file: PathBuf,
    what: String,
}

/// Runs the command.
pub fn run(global: &Global, command: &Transcripts, printer: &Printer) -> Result<u8> {
    let Transcripts::Import(args) = command;
    let project = Project::find(global)?;
    let language = args.language.as_deref().map(Language::parse).transpose();
    let import = Import {
        recordings: discover(&project, &[])?.recordings,
        transcripts: project.transcripts(),
        language: language.map_err(|e| Usage(format!("{e}\nhint: such as en or zh")))?,
        force: args.force,
        forgotten: project.forgotten()?,
        decoder: Decoder {
            program: this_program()?,
        },
    };
    // Alone: a shard beside it may be hearing one of these recordings.
    let _lock = project.lock_alone(global)?;
    let mut imported = Imported::default();
    import.all(&files(args)?, &mut imported);
    printer.show(&imported, text)?;
    if imported.problems.is_empty() {
        Ok(exit::DONE)
    } else {
        Ok(exit::SOME_FAILED)
    }
}

/// The files, each with its path under the folder that was named.
fn files(args: &ImportTranscripts) -> Result<Vec<(PathBuf, PathBuf)>> {
    let mut files = Vec::new();
    for path in &args.paths {
        let found = existing::find(path).map_err(|e| {
            Usage(format!(
                "`{}`: {e}\nhint: name files or folders",
                path.display()
            ))
        })?;
        if found.is_empty() {
            return Err(Usage(format!(
                "no .srt, .vtt or .json file in `{}`",
                path.display()
            ))
            .into());
        }
        files.extend(found.into_iter().map(|file| {
            let inside = file.strip_prefix(path).unwrap_or(Path::new(""));
            let name = if inside.as_os_str().is_empty() {
                PathBuf::from(file.file_name().unwrap_or_default())
            } else {
                inside.to_owned()
            };
            (file, name)
        }));
    }
    Ok(files)
}

struct Import {
    recordings: Vec<Recording>,
    transcripts: PathBuf,
    language: Option<Language>,
    force: bool,
    forgotten: BTreeSet<SeminarId>,
    decoder: Decoder,
}

impl Import {
    fn all(&self, files: &[(PathBuf, PathBuf)], imported: &mut Imported) {
        // Two files of one recording: which is meant?
        let mut taken: BTreeMap<&str, &Path> = BTreeMap::new();
        for (file, name) in files {
            let problem = |what: String| Problem {
                file: file.clone(),
                what,
            };
            let (recording, language) = match self.recording(name) {
                Ok(found) => found,
                Err(what) => {
                    imported.problems.push(problem(what));
                    continue;
                }
            };
            if let Some(first) = taken.get(recording.name.as_str()) {
                let what = format!(
                    "`{}` has the transcript of `{}` already",
                    recording.name,
                    first.display()
                );
                imported.problems.push(problem(what));
                continue;
            }
            let is_there = transcribe::transcript_path(&self.transcripts, recording).exists();
            if is_there && !self.force {
                imported.there_already.push(file.clone());
                continue;
            }
            match self.one(file, recording, language) {
                Ok(of) => {
                    taken.insert(&recording.name, file);
                    imported.imported.push(of);
                }
                Err(what) => imported.problems.push(problem(what)),
            }
        }
    }

    fn recording(&self, name: &Path) -> Result<(&Recording, Option<Language>), String> {
        match existing::recording_of(name, &self.recordings) {
            Match::One(recording, language) => Ok((recording, language)),
            Match::None => Err("there is no recording of its name in `seminars/`".to_owned()),
            Match::Several(names) => Err(format!(
                "several recordings have its name: {}\nhint: name it as the whole recording, such as `{}.srt`",
                names.join(", "),
                names[0]
            )),
        }
    }

    /// Makes the transcript of one recording. The language is what the flag says, then the file,
    /// its name, and the recording's side file.
    fn one(
        &self,
        file: &Path,
        recording: &Recording,
        named: Option<Language>,
    ) -> Result<Taken, String> {
        let read = existing::read(file)?;
        let media_sha256 = transcribe::recording_sha256(&self.transcripts, recording)
            .map_err(|e| e.to_string())?;
        let seminar = SeminarId::from_parts(&[&media_sha256]);
        if self.forgotten.contains(&seminar) {
            return Err(transcribe::forgotten_note(&recording.name, &seminar));
        }
        let sidecar = Sidecar::read(recording).map_err(|e| format!("{e:#}"))?;
        // A name that nobody knows says nothing.
        let parsed = |tag: &str| Language::parse(tag).ok();
        let said = read.language.as_deref().and_then(parsed);
        let beside = sidecar.language().and_then(parsed);
        let language = self.language.clone().or(said).or(named).or(beside);
        let facts = RecordingFacts {
            path: recording.name.clone(),
            media_sha256,
            seconds: self
                .decoder
                .stated_seconds(&recording.path)
                .map_err(|e| e.to_string())?,
            language: language.ok_or(
                "nothing says its language\nhint: --language TAG, or `talk.en.srt` as its name",
            )?,
        };
        let transcript = read.transcript_of(&facts)?;
        transcribe::save_existing(&self.transcripts, recording, &transcript)
            .map_err(|e| e.to_string())?;
        Ok(Taken {
            file: file.to_owned(),
            recording: recording.name.clone(),
            format: read.format,
            language: transcript.language,
            segments: transcript.segments.len(),
            seconds: transcript.duration.seconds(),
        })
    }
}

fn text(imported: &Imported) -> String {
    let mut lines: Vec<String> = imported
        .imported
        .iter()
        .map(|of| {
            format!(
                "{}: {} in {}, {}, from `{}` ({})",
                of.recording,
                count(of.segments as u64, "sentence"),
                of.language,
                seconds(of.seconds),
                of.file.display(),
                of.format
            )
        })
        .collect();
    let problems = imported.problems.iter();
    lines.extend(problems.map(|of| format!("not taken: `{}`: {}", of.file.display(), of.what)));
    lines.push(format!(
        "{} imported, {} there already, {} not taken",
        count(imported.imported.len() as u64, "transcript"),
        imported.there_already.len(),
        imported.problems.len()
    ));
    if !imported.there_already.is_empty() {
        lines.push("hint: --force replaces transcripts that are there".to_owned());
    }
    if !imported.imported.is_empty() {
        lines.push("next: `taskgen run`".to_owned());
    }
    lines.join("\n")
}
