//! Files as other programs write them, and as nobody should.

use super::*;
use crate::transcribe::discover::Recording;

fn facts(seconds: f64) -> RecordingFacts {
    RecordingFacts {
        path: "talk.m4a".into(),
        media_sha256: "ab".repeat(32),
        seconds: Some(seconds),
        language: Language::parse("en").unwrap(),
    }
}

fn file(name: &str, content: &str) -> Result<Existing, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    read(&path)
}

/// Times in milliseconds and text of each segment.
fn said(existing: &Existing, seconds: f64) -> Vec<(u64, u64, String)> {
    let transcript = existing.transcript_of(&facts(seconds)).unwrap();
    let segments = transcript.segments.into_iter();
    segments.map(|of| (of.start.0, of.end.0, of.text)).collect()
}

const SRT: &str = "1\r\n00:00:01,000 --> 00:00:03,000\r\n<i>Rivers move gravel</i>\r\nin floods. It\r\n\r\n2\r\n00:00:03,100 --> 00:00:05,000\r\ndrums on the bed.\r\n\r\n3\r\n00:01:00,000 --> 00:01:02,500\r\n{\\an8}Is 3 < 4?\r\n";

#[test]
fn lines_of_subtitles_become_sentences() {
    let existing = file("talk.srt", SRT).unwrap();
    assert_eq!((existing.format, existing.cues.len()), ("srt", 3));
    let said = said(&existing, 90.0);
    let texts: Vec<&str> = said.iter().map(|of| of.2.as_str()).collect();
    assert_eq!(
        texts,
        [
            "Rivers move gravel in floods.",
            "It drums on the bed.",
            "Is 3 < 4?"
        ]
    );
    // The sentence begins where its first word's share of the cue does.
    assert!((2600..3000).contains(&said[1].0), "{said:?}");
    assert_eq!(
        (said[0].0, said[1].1, said[2].0, said[2].1),
        (1000, 5000, 60_000, 62_500)
    );
}

#[test]
fn captions_that_roll_say_each_line_once() {
    let rolling = "WEBVTT\n\nNOTE made by hand\n\n00:01.000 --> 00:03.000 align:start\nRivers move\n\n00:03.000 --> 00:05.000\nRivers move\n<c>gravel</c> &amp; sand\n\n00:05.000 --> 00:07.000\n<00:05.500>gravel &amp; sand\nin floods.\n";
    let existing = file("talk.vtt", rolling).unwrap();
    let texts: Vec<String> = said(&existing, 8.0).into_iter().map(|of| of.2).collect();
    assert_eq!(texts, ["Rivers move gravel & sand in floods."]);
}

#[test]
fn speakers_are_kept_apart() {
    let voices = "WEBVTT\n\n1\n00:01.000 --> 00:03.000\n<v Ana>Is it gravel\n\n00:03.000 --> 00:05.000\n<v.loud Ben>that drums?</v>\n";
    let transcript = file("talk.vtt", voices)
        .unwrap()
        .transcript_of(&facts(8.0))
        .unwrap();
    let speakers: Vec<Option<&str>> = transcript
        .segments
        .iter()
        .map(|of| of.speaker.as_deref())
        .collect();
    assert_eq!(speakers, [Some("Ana"), Some("Ben")]);
}

#[test]
fn whispers_json_keeps_confidence_words_and_language() {
    let whisper = r#"{"text": "…", "language": "english", "segments": [
        {"id": 0, "start": 0.5, "end": 4.5, "text": " Gravel drums. Sand hums.", "avg_logprob": -0.5}]}"#;
    let existing = file("talk.json", whisper).unwrap();
    assert_eq!(existing.format, "whisper");
    assert_eq!(
        Language::parse(existing.language.as_deref().unwrap())
            .unwrap()
            .tag(),
        "en"
    );
    let transcript = existing.transcript_of(&facts(8.0)).unwrap();
    assert_eq!(transcript.segments.len(), 2);
    assert!((transcript.segments[0].confidence - 0.607).abs() < 1e-9);
    assert!(!transcript.has_words());

    let whisperx = r#"{"language": "en", "segments": [{"start": 0.5, "end": 4.5, "text": " Gravel drums. Sand hums.", "speaker": "SPEAKER_01",
        "words": [{"word": "Gravel", "start": 0.5, "end": 1.0, "score": 0.9}, {"word": "drums.", "start": 1.1, "score": 0.7},
                  {"word": "Sand", "start": 3.0, "score": 0.8}, {"word": "hums.", "score": 0.8}]}]}"#;
    let existing = file("talk.json", whisperx).unwrap();
    assert_eq!(existing.format, "whisperx");
    let transcript = existing.transcript_of(&facts(8.0)).unwrap();
    let second = &transcript.segments[1];
    assert_eq!((second.text.as_str(), second.start.0), ("Sand hums.", 3000));
    assert_eq!(second.speaker.as_deref(), Some("SPEAKER_01"));
    assert_eq!(second.words[0].start.0, 3000);
    assert!((second.confidence - 0.8).abs() < 1e-9);
}

#[test]
fn whisper_cpps_json_has_milliseconds() {
    let cpp = r#"{"result": {"language": "zh"}, "transcription": [
        {"timestamps": {"from": "00:00:00,000", "to": "00:00:02,000"}, "offsets": {"from": 0, "to": 2000}, "text": "砾石会响。沙子也响。",
         "tokens": [{"text": "[_BEG_]", "p": 0.1}, {"text": "砾石", "p": 0.8}, {"text": "会响", "p": 0.6}]}]}"#;
    let existing = file("talk.json", cpp).unwrap();
    assert_eq!(
        (existing.format, existing.language.as_deref()),
        ("whisper.cpp", Some("zh"))
    );
    let facts = RecordingFacts {
        language: Language::parse("zh").unwrap(),
        ..facts(3.0)
    };
    let segments = existing.transcript_of(&facts).unwrap().segments;
    assert_eq!(segments.len(), 2);
    assert_eq!((segments[1].start.0, segments[1].end.0), (1000, 2000));
    assert!((segments[0].confidence - 0.7).abs() < 1e-9);
}

#[test]
fn what_cannot_be_read_is_said() {
    for (name, content, why) in [
        ("a.srt", "hello", "no line with `-->`"),
        (
            "a.srt",
            "1\n00:00:xx --> 00:00:02,000\nhm\n",
            "line 2: no times",
        ),
        (
            "a.srt",
            "1\n00:00:05,000 --> 00:00:02,000\nBackwards.\n",
            "from 5 to 2 seconds",
        ),
        (
            "a.vtt",
            "WEBVTT\n\n00:01.000 --> 00:02.000\n…\n",
            "nothing is said",
        ),
        ("a.json", "{", "not JSON"),
        ("a.json", "[]", "neither `segments`"),
        (
            "a.json",
            r#"{"segments": [{"text": "Hm"}]}"#,
            "no times: `Hm`",
        ),
        (
            "a.json",
            r#"{"segments": [{"start": 1, "end": 2}]}"#,
            "missing field `text`",
        ),
        (
            "a.json",
            r#"{"media_sha256": "", "segments": []}"#,
            "copy it into",
        ),
    ] {
        let error = file(name, content).unwrap_err();
        assert!(error.contains(why), "{content}: {error}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.srt");
    std::fs::write(&path, b"1\n00:00:01,000 --> 00:00:02,000\nCaf\xe9\n").unwrap();
    assert!(read(&path).unwrap_err().contains("iconv"));
    let wide: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(SRT.encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    std::fs::write(&path, wide).unwrap();
    assert_eq!(read(&path).unwrap().cues.len(), 3);
    let other = file("talk.srt", SRT)
        .unwrap()
        .transcript_of(&facts(30.0))
        .unwrap_err();
    assert!(other.contains("another recording's?"), "{other}");
}

proptest::proptest! {
    #[test]
    fn no_file_makes_it_panic(text in "(\\PC|\n|-->|00:0[0-9],[0-9]| |[<>{}]){0,80}") {
        for name in ["a.srt", "a.json"] {
            if let Ok(existing) = file(name, &text) {
                let _ = existing.transcript_of(&facts(1e5));
            }
        }
    }

    /// Whatever the times and words, a transcript is in order and keeps each letter.
    #[test]
    fn every_letter_is_kept(cues in proptest::collection::vec((0u32..500, 0u32..100, "[a-z]{1,6}[.?,]?( [a-z]{1,6}[.?,]?){0,5}"), 1..12)) {
        let mut srt = String::new();
        for (start, length, text) in &cues {
            let time = |ds: u32| format!("00:00:{:02},{}00", ds / 10, ds % 10);
            srt.push_str(&format!("{} --> {}\n{text}\n\n", time(*start), time(start + length)));
        }
        let existing = file("a.srt", &srt).unwrap();
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
        let before: usize = existing.cues.iter().map(|cue| letters(&cue.text)).sum();
        let transcript = existing.transcript_of(&facts(80.0)).unwrap();
        let after: usize = transcript.segments.iter().map(|of| letters(&of.text)).sum();
        proptest::prop_assert_eq!(before, after);
        for pair in transcript.segments.windows(2) {
            proptest::prop_assert!(pair[0].end <= pair[1].start);
        }
    }
}

#[test]
fn a_file_belongs_to_the_recording_of_its_name() {
    let recordings = [
        "a/talk.m4a",
        "b/talk.mp3",
        "dr.marsh.mp3",
        "soil.mp3",
        "soil.wav",
    ]
    .map(|name| Recording {
        name: name.into(),
        path: name.into(),
    });
    let of = |name: &str| match recording_of(Path::new(name), &recordings) {
        Match::One(recording, language) => {
            let tag = language
                .map(|of| format!(" {}", of.tag()))
                .unwrap_or_default();
            format!("{}{tag}", recording.name)
        }
        Match::None => "none".into(),
        Match::Several(names) => names.join(" or "),
    };
    assert_eq!(of("a/talk.srt"), "a/talk.m4a");
    assert_eq!(of("talk.srt"), "a/talk.m4a or b/talk.mp3");
    assert_eq!(of("talk.mp3.json"), "b/talk.mp3");
    assert_eq!(of("dr.marsh.vtt"), "dr.marsh.mp3");
    assert_eq!(of("dr.marsh.zh-TW.vtt"), "dr.marsh.mp3 zh-Hant");
    assert_eq!(of("elsewhere/soil.wav.srt"), "soil.wav");
    assert_eq!(of("soil.srt"), "soil.mp3 or soil.wav");
    assert_eq!(of("rain.srt"), "none");
}
