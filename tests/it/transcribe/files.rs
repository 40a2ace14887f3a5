//! Recordings as files: containers, channels, what is damaged, and what is not read again.

use std::{fs::File, time::Duration};

use anyhow::{Context, Result, ensure};
use taskgen::{
    models::ModelFile,
    text::normalize::normalize,
    transcribe::{
        Engine, ModelChoice, Options, TranscriptMeta, TranscriptStatus, meta_path, transcript_path,
        transcript_status,
    },
};

use super::{Copy, engine, pinned, repository};
use crate::media::{decoder, show, wav};

const CONTAINERS: [&str; 11] = [
    "aac", "flac", "m4a", "mkv", "mov", "mp3", "mp4", "ogg", "opus", "wav", "webm",
];

#[test]
fn real_every_container_says_the_same() -> Result<()> {
    let engine = engine();
    let options = Options {
        model: ModelChoice::parse("tiny.en"),
        ..Options::default()
    };
    for extension in CONTAINERS {
        let copy = Copy::of_file(&format!("tests/data/media/speech.{extension}"))?;
        let transcript = copy.transcribe(&engine, &options)?.transcript;
        assert_eq!(
            normalize(&transcript.text()),
            "thank you i want to start with a number",
            "{extension}"
        );
        let seconds = transcript.duration.seconds();
        assert!((3.5..3.8).contains(&seconds), "{extension}: {seconds}");
        let first = transcript.segments[0].start.seconds();
        assert!(first < 0.4, "{extension}: starts at {first}");
    }
    Ok(())
}

#[test]
fn real_an_unchanged_recording_is_not_read_again() -> Result<()> {
    let copy = Copy::of_file("tests/data/media/speech.mp3")?;
    let options = Options {
        model: ModelChoice::parse("tiny.en"),
        ..Options::default()
    };
    let stands = |options: &Options| {
        transcript_status(&copy.transcripts(), &copy.recording, options, &pinned)
    };
    assert_eq!(
        stands(&options)?,
        TranscriptStatus::Needed("no transcript yet")
    );
    let done = copy.transcribe(&engine(), &options)?.transcript;
    assert_eq!(
        stands(&options)?,
        TranscriptStatus::Current(Box::new(done.clone()))
    );

    // Other bytes with the same size and time: only reading would notice, and it does not read.
    let path = &copy.recording.path;
    let original = fs_err::read(path)?;
    let time = fs_err::metadata(path)?.modified()?;
    fs_err::write(path, vec![7; original.len()])?;
    File::options().write(true).open(path)?.set_modified(time)?;
    assert_eq!(
        stands(&options)?,
        TranscriptStatus::Current(Box::new(done.clone()))
    );

    // Touched: hashed, found to be the same, remembered with the new time.
    fs_err::write(path, &original)?;
    let later = time + Duration::from_mins(1);
    File::options()
        .write(true)
        .open(path)?
        .set_modified(later)?;
    assert_eq!(
        stands(&options)?,
        TranscriptStatus::Current(Box::new(done.clone()))
    );
    let meta: TranscriptMeta = serde_json::from_slice(&fs_err::read(meta_path(
        &copy.transcripts(),
        &copy.recording,
    ))?)?;
    assert_eq!(
        meta.modified_ns,
        later.duration_since(std::time::UNIX_EPOCH)?.as_nanos() as i128
    );
    fs_err::remove_file(meta_path(&copy.transcripts(), &copy.recording))?;
    assert_eq!(stands(&options)?, TranscriptStatus::Current(Box::new(done)));

    // Anything that changes the text asks for a new transcript.
    let other = Options {
        vocabulary: Some("topsail".into()),
        ..options.clone()
    };
    assert_eq!(
        stands(&other)?,
        TranscriptStatus::Needed("other parameters")
    );
    let other = Options {
        model: ModelChoice::parse("base"),
        ..options.clone()
    };
    assert_eq!(stands(&other)?, TranscriptStatus::Needed("another model"));
    let other = Options {
        language: Some("de".into()),
        ..options.clone()
    };
    assert_eq!(
        stands(&other)?,
        TranscriptStatus::Needed("another language")
    );
    let other = transcript_status(&copy.transcripts(), &copy.recording, &options, &|_| {
        Some("another hash".into())
    })?;
    assert_eq!(other, TranscriptStatus::Needed("another model"));
    fs_err::write(path, [&original[..], b"more"].concat())?;
    assert_eq!(
        stands(&options)?,
        TranscriptStatus::Needed("the recording changed")
    );
    Ok(())
}

#[test]
fn real_a_model_that_cannot_be_used_is_one_clear_error() -> Result<()> {
    let copy = Copy::of_file("tests/data/media/speech.mp3")?;
    let broken = copy.folder.path().join("broken.bin");
    fs_err::write(&broken, "not weights")?;
    let resolver = move |name: &str| match name {
        "broken" => Ok(ModelFile {
            name: name.into(),
            path: broken.clone(),
            sha256: String::new(),
        }),
        _ => anyhow::bail!("not pulled"),
    };
    let engine = Engine::new(Box::new(resolver), decoder(), 1);
    for name in ["missing", "broken"] {
        let options = Options {
            model: ModelChoice::parse(name),
            language: Some("en".into()),
            ..Options::default()
        };
        let error = copy
            .transcribe(&engine, &options)
            .err()
            .context("an error")?;
        assert_eq!(error.cause(), "model", "{error}");
        assert!(!copy.transcripts().exists(), "nothing is written");
    }
    let options = Options {
        model: ModelChoice::parse("tiny.en"),
        language: Some("zh".into()),
        ..Options::default()
    };
    let error = copy
        .transcribe(&self::engine(), &options)
        .err()
        .context("an error")?;
    assert_eq!(error.cause(), "english_only", "{error}");
    let options = Options {
        language: Some("klingon".into()),
        ..options
    };
    let error = copy
        .transcribe(&self::engine(), &options)
        .err()
        .context("an error")?;
    assert_eq!(error.cause(), "unknown_language", "{error}");
    Ok(())
}

fn cause_of(name: &str, bytes: &[u8]) -> Result<&'static str> {
    let copy = Copy::with(name, bytes)?;
    let error = decoder()
        .decode(&copy.recording.path, None)
        .err()
        .with_context(|| format!("{name} was decoded"))?;
    let line = error.to_string();
    ensure!(
        !line.contains('\n') && !line.ends_with('.') && !error.hint().is_empty(),
        "{line}"
    );
    show(&format!("{line}\n  hint: {}", error.hint()));
    Ok(error.cause())
}

#[test]
fn bad_files_are_one_clear_error_each() -> Result<()> {
    let media = |name: &str| fs_err::read(repository("tests/data/media").join(name));
    let cut = |bytes: Vec<u8>, percent: usize| bytes[..bytes.len() * percent / 100].to_vec();
    assert_eq!(
        cause_of("text.mp3", b"Minutes of the meeting, as text.\n")?,
        "not_a_recording"
    );
    assert_eq!(
        cause_of("text.m4a", "会议记录：文字。\n".repeat(900).as_bytes())?,
        "not_a_recording"
    );
    assert_eq!(cause_of("nothing.mp3", b"")?, "empty");
    assert_eq!(cause_of("zeros.mp3", &[0; 9000])?, "not_a_recording");
    assert_eq!(cause_of("empty.wav", &wav(1, &[]))?, "too_short");
    assert_eq!(cause_of("blink.wav", &wav(1, &[100; 160]))?, "too_short");
    assert_eq!(
        cause_of("picture.mp4", &media("picture.mp4")?)?,
        "no_audio_track"
    );
    // The sample keeps its index at the end, so that a part of it has none; the small one has it at
    // the start.
    assert_eq!(
        cause_of(
            "cut.m4a",
            &cut(fs_err::read(repository("seminars/logbooks.m4a"))?, 60)
        )?,
        "damaged"
    );
    for percent in [30, 60, 90] {
        let cause = cause_of("cut-start.m4a", &cut(media("speech.m4a")?, percent))?;
        assert!(
            matches!(cause, "damaged" | "truncated"),
            "{percent}: {cause}"
        );
    }
    assert_eq!(
        cause_of(
            "cut.mp3",
            &cut(fs_err::read(repository("seminars/soil.mp3"))?, 60)
        )?,
        "truncated"
    );
    assert_eq!(
        cause_of("cut.wav", &cut(media("speech.wav")?, 60))?,
        "truncated"
    );
    assert_eq!(
        cause_of("cut.flac", &cut(media("speech.flac")?, 60))?,
        "truncated"
    );
    Ok(())
}

#[test]
fn one_channel_of_a_recording_can_be_heard_alone() -> Result<()> {
    let stereo: Vec<i16> = (0..16_000)
        .flat_map(|i| [if i % 40 < 20 { 8000 } else { -8000 }, 0])
        .collect();
    let copy = Copy::with("stereo.wav", &wav(2, &stereo))?;
    let loudest = |channel| -> Result<f32> {
        let sound = decoder().decode(&copy.recording.path, channel)?;
        Ok(sound
            .read(&(0..sound.length()))?
            .iter()
            .fold(0.0, |most: f32, s| most.max(s.abs())))
    };
    let (both, left, right) = (loudest(None)?, loudest(Some(1))?, loudest(Some(2))?);
    assert!(
        right < 0.001 && (left - 2.0 * both).abs() < 0.01 && left > 0.2,
        "{both} {left} {right}"
    );
    let said = decoder()
        .decode(&copy.recording.path, Some(3))
        .err()
        .context("there are two")?
        .to_string();
    assert!(said.contains("no channel 3: the recording has 2"), "{said}");
    Ok(())
}

#[test]
fn a_transcript_that_was_edited_into_something_else_is_not_overwritten() -> Result<()> {
    let copy = Copy::with("talk.wav", &wav(1, &vec![100; 16_000]))?;
    let path = transcript_path(&copy.transcripts(), &copy.recording);
    fs_err::create_dir_all(copy.transcripts())?;
    fs_err::write(&path, "{ \"segments\": [")?;
    let standing = transcript_status(
        &copy.transcripts(),
        &copy.recording,
        &Options::default(),
        &pinned,
    );
    assert_eq!(
        standing.err().context("it cannot be read")?.cause(),
        "unreadable_transcript"
    );
    Ok(())
}

#[test]
fn an_ogg_file_without_its_end_mark_is_noted() -> Result<()> {
    let whole = fs_err::read(repository("seminars/minnan.opus"))?;
    let copy = Copy::with("cut.opus", &whole[..whole.len() / 2])?;
    assert!(decoder().decode(&copy.recording.path, None)?.unfinished);
    assert!(
        !decoder()
            .decode(&repository("seminars/minnan.opus"), None)?
            .unfinished
    );
    Ok(())
}
