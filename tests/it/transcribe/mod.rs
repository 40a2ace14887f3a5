//! Transcription with the real weights on the sample seminars, and what broken files come to. The
//! weights' folder is named by `TASKGEN_MODELS`; without it these tests fail rather than pass
//! unseen.

mod files;

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use taskgen::{
    data::Transcript,
    models::ModelFile,
    text::{
        error_rate::{character_errors, word_errors},
        normalize::characters,
    },
    transcribe::{
        Engine, ModelChoice, Options, Recording, SAMPLE_RATE, SpeechActivity, TranscribeError,
        Transcribed, TranscriptStatus, journal_path, transcribe_file, transcript_path,
        transcript_status,
    },
};

use crate::media::{decoder, show};

/// What is said in a sample, and when, in seconds.
#[derive(Deserialize)]
pub struct Reference {
    pub turns: Vec<Turn>,
}

#[derive(Deserialize)]
pub struct Turn {
    pub start: f64,
    pub end: f64,
    pub text: String,
}

fn weights() -> PathBuf {
    let folder = std::env::var_os("TASKGEN_MODELS").map(PathBuf::from);
    let folder =
        folder.expect("set TASKGEN_MODELS to a folder with ggml-tiny.en.bin and ggml-base.bin (`taskgen models pull`)");
    for name in ["ggml-tiny.en.bin", "ggml-base.bin"] {
        assert!(
            folder.join(name).is_file(),
            "TASKGEN_MODELS has no `{name}`: `{}`",
            folder.display()
        );
    }
    folder
}

pub fn engine() -> Engine {
    engine_with(2)
}

pub fn engine_with(workers: usize) -> Engine {
    let folder = weights();
    let resolver = move |name: &str| {
        let path = folder.join(format!("ggml-{name}.bin"));
        Ok(ModelFile {
            name: name.into(),
            path,
            sha256: format!("hash of {name}"),
        })
    };
    Engine::new(Box::new(resolver), decoder(), workers)
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the shape that `standing` asks for"
)]
fn pinned(name: &str) -> Option<String> {
    Some(format!("hash of {name}"))
}

pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A renamed copy in an empty folder: neither the name nor a file beside it can tell anything.
pub struct Copy {
    folder: tempfile::TempDir,
    recording: Recording,
}

impl Copy {
    fn of_file(path: &str) -> Result<Self> {
        let source = repository(path);
        let extension = source
            .extension()
            .and_then(|e| e.to_str())
            .unwrap_or_default();
        Self::with(&format!("copy.{extension}"), &fs_err::read(&source)?)
    }

    pub fn with(name: &str, bytes: &[u8]) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join(name);
        fs_err::write(&path, bytes)?;
        Ok(Self {
            folder,
            recording: Recording {
                name: name.into(),
                path,
            },
        })
    }

    fn transcripts(&self) -> PathBuf {
        self.folder.path().join("transcripts")
    }

    pub fn transcribe(
        &self,
        engine: &Engine,
        options: &Options,
    ) -> Result<Transcribed, TranscribeError> {
        transcribe_file(
            engine,
            &self.recording,
            &self.transcripts(),
            options,
            &|_| {},
        )
    }
}

/// The reference of a sample by its stem.
pub fn reference(name: &str) -> Result<Reference> {
    let files = ["seminars", "tests/data/seminars"]
        .map(|folder| repository(&format!("{folder}/{name}.reference.json")));
    let file = files
        .into_iter()
        .find(|file| file.is_file())
        .with_context(|| format!("{name} has no reference"))?;
    let text = fs_err::read_to_string(file)?;
    Ok(serde_json::from_str(&text)?)
}

fn whole(reference: &Reference) -> String {
    reference
        .turns
        .iter()
        .map(|t| t.text.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Share of a turn's characters that the transcript has, in order, within the turn's time and 2
/// seconds around it. A segment that reaches beyond that time counts with the part of its text that
/// falls inside.
fn share_in_time(turn: &Turn, transcript: &Transcript) -> f64 {
    let (from, to) = (turn.start - 2.0, turn.end + 2.0);
    let mut heard = Vec::new();
    for segment in &transcript.segments {
        let (start, length) = (
            segment.start.seconds(),
            (segment.end.seconds() - segment.start.seconds()).max(0.001),
        );
        let text = characters(&segment.text);
        let inside = |i: usize| {
            (from..=to).contains(&(start + length * (i as f64 + 0.5) / text.len() as f64))
        };
        heard.extend(
            text.iter()
                .enumerate()
                .filter(|(i, _)| inside(*i))
                .map(|(_, c)| *c),
        );
    }
    let wanted = characters(&turn.text);
    common(&wanted, &heard) as f64 / wanted.len().max(1) as f64
}

/// Length of the longest common subsequence.
fn common(a: &[char], b: &[char]) -> usize {
    let mut row = vec![0usize; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if x == y {
                diagonal + 1
            } else {
                above.max(row[j])
            };
            diagonal = above;
        }
    }
    row[b.len()]
}

fn check_order(transcript: &Transcript) -> Result<()> {
    let mut end = taskgen::data::Ms(0);
    for segment in &transcript.segments {
        ensure!(
            segment.start >= end && segment.end >= segment.start,
            "out of order: {segment:?}"
        );
        ensure!(
            segment.end <= transcript.duration,
            "after the end: {segment:?}"
        );
        ensure!(!segment.text.trim().is_empty() && segment.text == segment.text.trim());
        ensure!((0.0..=1.0).contains(&segment.confidence));
        end = segment.end;
    }
    Ok(())
}

fn check_turns(name: &str, transcript: &Transcript) -> Result<()> {
    for turn in &reference(name)?.turns {
        let share = share_in_time(turn, transcript);
        show(&format!(
            "{name} {:6.1} s: {:.0} % in time",
            turn.start,
            share * 100.0
        ));
        ensure!(
            share >= 0.6,
            "turn at {} s is lost ({share:.2}): {}",
            turn.start,
            turn.text
        );
    }
    Ok(())
}

fn sample(path: &str) -> Result<Transcript> {
    let copy = Copy::of_file(path)?;
    let begun = Instant::now();
    let done = copy.transcribe(&engine(), &Options::default())?;
    let (took, length) = (
        begun.elapsed().as_secs_f64(),
        done.transcript.duration.seconds(),
    );
    show(&format!(
        "{path}: {took:.1} s for {length:.1} s, {:.1} x real time, {:?}",
        length / took,
        done.diagnostics
    ));
    check_order(&done.transcript)?;
    Ok(done.transcript)
}

#[test]
fn real_english_samples_have_few_word_errors() -> Result<()> {
    // The last one is in no other test's eyes: nothing was tried out on it.
    for path in [
        "seminars/logbooks.m4a",
        "seminars/soil.mp3",
        "tests/data/seminars/markets.webm",
    ] {
        let name = Path::new(path)
            .file_stem()
            .and_then(|stem| stem.to_str())
            .context("a name")?;
        let transcript = sample(path)?;
        assert_eq!(
            (transcript.language.as_str(), transcript.model.name.as_str()),
            ("en", "tiny.en")
        );
        let errors = word_errors(&whole(&reference(name)?), &transcript.text());
        show(&format!(
            "{name}: word error rate {:.2} % {errors:?}",
            errors.rate() * 100.0
        ));
        assert!(errors.rate() <= 0.10, "{name}: {errors:?}");
        check_turns(name, &transcript)?;
    }
    Ok(())
}

#[test]
fn real_mandarin_sample_loses_no_turn() -> Result<()> {
    let transcript = sample("seminars/minnan.opus")?;
    assert_eq!(
        (transcript.language.as_str(), transcript.model.name.as_str()),
        ("zh-Hans", "base")
    );
    let errors = character_errors(&whole(&reference("minnan")?), &transcript.text());
    show(&format!(
        "minnan: character error rate {:.2} % {errors:?}",
        errors.rate() * 100.0
    ));
    assert!(errors.rate() <= 0.15, "{errors:?}");
    check_turns("minnan", &transcript)
}

#[test]
fn real_the_number_of_workers_changes_nothing() -> Result<()> {
    let copy = Copy::of_file("seminars/soil.mp3")?;
    let mut texts = Vec::new();
    for workers in [1, 2, 4] {
        copy.transcribe(
            &engine_with(workers),
            &Options {
                language: Some("en".into()),
                ..Options::default()
            },
        )?;
        texts.push(fs_err::read(transcript_path(
            &copy.transcripts(),
            &copy.recording,
        ))?);
        assert!(
            !journal_path(&copy.transcripts(), &copy.recording).exists(),
            "something is left over"
        );
    }
    assert!(
        texts[0] == texts[1] && texts[1] == texts[2],
        "1, 2 and 4 workers wrote different bytes"
    );
    Ok(())
}

#[test]
fn the_voice_detector_hears_every_turn() -> Result<()> {
    for (file, name) in [
        ("logbooks.m4a", "logbooks"),
        ("soil.mp3", "soil"),
        ("minnan.opus", "minnan"),
    ] {
        let sound = decoder().decode(&repository("seminars").join(file), None)?;
        let spans = SpeechActivity::detect(&sound)?.spans();
        let kept: usize = spans.iter().map(|s| s.range.len()).sum();
        let (mut inside, mut total) = (0, 0);
        for turn in &reference(name)?.turns {
            let range = (turn.start * SAMPLE_RATE as f64) as usize
                ..(turn.end * SAMPLE_RATE as f64) as usize;
            let heard = |s: &taskgen::transcribe::SpeechSpan| {
                s.range
                    .end
                    .min(range.end)
                    .saturating_sub(s.range.start.max(range.start))
            };
            inside += spans.iter().map(heard).sum::<usize>();
            total += range.len();
        }
        let recall = inside as f64 / total as f64;
        show(&format!(
            "{name}: {:.1} % of the turns' time is kept, {:.1} % of the recording",
            recall * 100.0,
            kept as f64 * 100.0 / sound.length() as f64
        ));
        assert!(recall >= 0.93, "{name}: {recall}");
    }
    Ok(())
}

#[test]
fn real_words_have_their_times_when_asked_for() -> Result<()> {
    let copy = Copy::of_file("tests/data/media/speech.mp3")?;
    let plain = Options {
        model: ModelChoice::parse("tiny.en"),
        ..Options::default()
    };
    let timed = Options {
        words: true,
        ..plain.clone()
    };
    let stands = |options: &Options| {
        transcript_status(&copy.transcripts(), &copy.recording, options, &pinned)
    };
    let before = copy.transcribe(&engine(), &plain)?.transcript;
    assert!(!before.has_words());
    assert_eq!(
        stands(&timed)?,
        TranscriptStatus::Needed("without the times of its words")
    );
    let transcript = copy.transcribe(&engine(), &timed)?.transcript;
    assert_eq!(transcript.id, before.id, "what was made of the text stays");
    assert_eq!(
        stands(&timed)?,
        TranscriptStatus::Current(Box::new(transcript.clone()))
    );
    assert_eq!(
        stands(&plain)?,
        TranscriptStatus::Current(Box::new(transcript.clone())),
        "words do no harm"
    );
    for segment in &transcript.segments {
        let words: Vec<&str> = segment
            .words
            .iter()
            .map(|word| word.text.as_str())
            .collect();
        assert_eq!(words.join(" "), segment.text);
        let mut last = segment.start;
        for word in &segment.words {
            show(&format!(
                "{} to {} ms: {}",
                word.start.0, word.end.0, word.text
            ));
            assert!(
                last <= word.start && word.start <= word.end && word.end <= segment.end,
                "{word:?}"
            );
            last = word.end;
        }
        // Nine words of a third of a second each: times that were only spread would stand in equal
        // steps as well, but a recogniser that knows nothing would put them all at one end.
        let longest = segment
            .words
            .iter()
            .map(|word| word.end.0 - word.start.0)
            .max();
        assert!(longest.is_some_and(|longest| longest < 1000), "{longest:?}");
    }
    Ok(())
}
