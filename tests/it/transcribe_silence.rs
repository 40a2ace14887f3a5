//! Where nobody speaks, nothing is written; and what others say is the same with and without it.

use std::time::Instant;

use anyhow::{Context, Result};
use taskgen::{
    data::Transcript,
    text::{error_rate::word_errors, normalize::normalize},
    transcribe::{ModelChoice, Options, SAMPLE_RATE},
};

use crate::{
    media::{decoder, show, wav},
    sounds,
    transcribe::{Copy, engine, engine_with, reference, repository},
};

/// The samples of `soil.mp3`.
fn talk() -> Result<Vec<i16>> {
    let sound = decoder().decode(&repository("seminars/soil.mp3"), None)?;
    Ok(sound
        .read(&(0..sound.length()))?
        .iter()
        .map(|s| (s * 32_767.0) as i16)
        .collect())
}

/// `TASKGEN_SILENCE` says how many minutes.
#[test]
fn real_nobody_speaks_in_noise_tones_music_and_silence() -> Result<()> {
    let number = |name: &str, otherwise| {
        std::env::var(name)
            .ok()
            .and_then(|n| n.parse().ok())
            .unwrap_or(otherwise)
    };
    let (minutes, seed) = (
        number("TASKGEN_SILENCE", 10),
        number("TASKGEN_ACCEPT_SEED", 1),
    );
    let copy = Copy::with(
        "sounds.wav",
        &wav(1, &sounds::without_speech(minutes as usize, seed)),
    )?;
    let engine = engine();
    for model in ["tiny.en", "base"] {
        let options = Options {
            model: ModelChoice::parse(model),
            language: Some("en".into()),
            ..Options::default()
        };
        let begun = Instant::now();
        let heard = copy.transcribe(&engine, &options);
        let said = heard
            .as_ref()
            .map_or_else(ToString::to_string, |done| done.transcript.text());
        show(&format!(
            "{model}: {minutes} minutes, seed {seed}, {:.0} s: {said}",
            begun.elapsed().as_secs_f64()
        ));
        assert_eq!(
            heard.err().context("a transcript of nothing")?.cause(),
            "no_speech",
            "{model}"
        );
    }
    Ok(())
}

/// How long nobody speaks does not change what the others say.
#[test]
fn real_a_minute_of_silence_changes_no_word() -> Result<()> {
    let samples = talk()?;
    // Between the first two turns.
    let turns = reference("soil")?.turns;
    let pause = (f64::midpoint(turns[0].end, turns[1].start) * SAMPLE_RATE as f64) as usize;
    let longer = [
        &samples[..pause],
        &vec![0; 60 * SAMPLE_RATE],
        &samples[pause..],
    ]
    .concat();
    let engine = engine();
    let options = Options {
        model: ModelChoice::parse("tiny.en"),
        ..Options::default()
    };
    let mut words = Vec::new();
    for samples in [&samples, &longer] {
        let text = Copy::with("soil.wav", &wav(1, samples))?
            .transcribe(&engine, &options)?
            .transcript
            .text();
        words.push(normalize(&text));
    }
    assert!(words[0].split(' ').count() > 100);
    assert_eq!(words[0], words[1]);
    Ok(())
}

/// Nothing is added, and what a worker heard before does not change what it hears then. With a
/// multilingual model and a vocabulary whisper.cpp's own estimate of silence is that of the window
/// before.
#[test]
fn real_noise_before_a_talk_is_not_written_down() -> Result<()> {
    let talk = talk()?;
    // It ends in the pause after the fourth turn.
    let turns = reference("soil")?.turns;
    let end = (f64::midpoint(turns[3].end, turns[4].start) * SAMPLE_RATE as f64) as usize;
    let longer = [&sounds::without_speech(2, 3), &talk[..end]].concat();
    let options = Options {
        model: ModelChoice::parse("base"),
        language: Some("en".into()),
        vocabulary: Some("topsail, lysimeter, Ouédraogo".into()),
        ..Options::default()
    };
    let said = |samples: &[i16], workers| -> Result<Transcript> {
        Ok(Copy::with("soil.wav", &wav(1, samples))?
            .transcribe(&engine_with(workers), &options)?
            .transcript)
    };
    let words = |transcript: &Transcript| normalize(&transcript.text());
    let alone = words(&said(&talk[..end], 1)?);
    assert!(alone.split(' ').count() > 50, "{alone}");
    let (one, four) = (said(&longer, 1)?, said(&longer, 4)?);
    assert_eq!(one.segments, four.segments, "1 and 4 workers");
    let begins = one.segments.first().context("segments")?.start.seconds();
    assert!(begins > 120.0 + turns[0].start - 0.5, "{begins}");
    // The talk's first words are in one window with the last noise.
    let errors = word_errors(&alone, &words(&one));
    show(&format!(
        "after two minutes of noise and music {:.1} % of the words are others: {errors:?}",
        100.0 * errors.rate()
    ));
    assert!(
        errors.rate() <= 0.02 && errors.insertions <= 1,
        "{errors:?}: {}",
        one.text()
    );
    Ok(())
}
