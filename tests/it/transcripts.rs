//! `taskgen transcripts import`: subtitles and Whisper's files in place of hearing a talk. The
//! recordings are real; the talk is the fake model's.

use serde_json::json;

use crate::support::{ModelServer, Project, TALK, put_sample};

/// A project whose recordings are samples of 192 and 95 seconds under other names.
fn project() -> (ModelServer, Project) {
    let fake = ModelServer::openai().pipeline();
    let project = Project::new(&fake.url);
    put_sample(&project.path(""), "soil.mp3", "rivers");
    put_sample(&project.path(""), "minnan.opus", "heliu");
    (fake, project)
}

/// The talk as subtitles: each sentence is broken over two cues.
fn subtitles() -> String {
    let mut srt = String::new();
    for (n, sentence) in TALK.iter().enumerate() {
        let words: Vec<&str> = sentence.split(' ').collect();
        for (part, words) in words.chunks(words.len().div_ceil(2)).enumerate() {
            let start = n * 8 + part * 4;
            let time = |s: usize| format!("00:{:02}:{:02},000", s / 60, s % 60);
            let cue = format!(
                "{} --> {}\n{}\n\n",
                time(start),
                time(start + 4),
                words.join(" ")
            );
            srt.push_str(&cue);
        }
    }
    srt
}

#[test]
fn subtitles_become_tasks_without_hearing_the_talk() {
    let (_fake, project) = project();
    std::fs::create_dir(project.path("old")).unwrap();
    std::fs::write(project.path("old/rivers.en.srt"), subtitles()).unwrap();
    let said = project.json(&["transcripts", "import", "old"]);
    let taken = &said["imported"][0];
    assert_eq!(
        (&taken["recording"], &taken["format"], &taken["language"]),
        (&json!("rivers.mp3"), &json!("srt"), &json!("en"))
    );
    let text = std::fs::read_to_string(project.path("transcripts/rivers.mp3.json")).unwrap();
    let transcript: serde_json::Value = serde_json::from_str(&text).unwrap();
    let sentences: Vec<&str> = transcript["segments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|segment| segment["text"].as_str().unwrap())
        .collect();
    assert_eq!(
        sentences, TALK,
        "the sentences as they were before they were cut"
    );

    let plan = project.ok(&["transcribe", "--plan"]);
    let row = |name: &str| {
        plan.lines()
            .find(|line| line.contains(name))
            .unwrap()
            .to_owned()
    };
    assert!(row("rivers.mp3").contains("done"), "{plan}");
    assert!(row("heliu.opus").contains("no transcript yet"), "{plan}");
    // Another model or parameter does not undo what somebody brought.
    let again = project.ok(&["transcribe", "--plan", "--model", "base", "--words"]);
    assert!(
        again
            .lines()
            .any(|line| line.contains("rivers.mp3") && line.contains("done"))
    );

    project.ok(&["inspire"]);
    project.ok(&["weave"]);
    let exported = project.export();
    let tasks: Vec<serde_json::Value> = exported
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(tasks.len() >= 5, "{exported}");
    for task in &tasks {
        crate::support::spans_that_hold(&project.path(""), task);
        assert_eq!(
            task["provenance"]["transcript"]["asr_model"]["name"],
            "imported"
        );
    }
    // The same file again is the same transcript, byte by byte.
    project.ok(&["transcripts", "import", "old", "--force"]);
    assert_eq!(
        std::fs::read_to_string(project.path("transcripts/rivers.mp3.json")).unwrap(),
        text
    );
}

#[test]
fn each_file_that_is_not_taken_says_why() {
    let (_fake, project) = project();
    let old = project.path("old");
    std::fs::create_dir(&old).unwrap();
    let write = |name: &str, text: &str| std::fs::write(old.join(name), text).unwrap();
    let cue = |time: &str| format!("1\n00:00:01,000 --> {time}\nGravel drums.\n");
    write("rain.srt", &cue("00:00:02,000"));
    write("rivers.en.srt", &cue("00:09:00,000"));
    write("heliu.srt", &cue("00:00:02,000"));
    write("heliu.opus.json", "{}");
    write(
        "heliu.zh.vtt",
        "WEBVTT\n\n00:01.000 --> 00:03.000\n砾石会响。\n",
    );
    write("notes.txt", "not looked at");
    insta::assert_snapshot!(project.told_each([
        &["transcripts", "import", "old"][..],
        &["transcripts", "import", "old/heliu.zh.vtt"],
        &["transcripts", "import", "nowhere"],
        &["transcripts", "import", "old/heliu.srt", "--language", "klingon"],
    ]), @"
    $ taskgen transcripts import old
    exit 1
    --- out
    heliu.opus: 1 sentence in zh-Hans, 1:35, from `old/heliu.zh.vtt` (vtt)
    not taken: `old/heliu.opus.json`: it has neither `segments` nor `transcription`, as Whisper's files have
    not taken: `old/heliu.srt`: nothing says its language
    hint: --language TAG, or `talk.en.srt` as its name
    not taken: `old/rain.srt`: there is no recording of its name in `seminars/`
    not taken: `old/rivers.en.srt`: it goes to 9:00, but `rivers.mp3` ends at 3:12: is it another recording's?
    1 transcript imported, 0 there already, 4 not taken
    next: `taskgen run`

    $ taskgen transcripts import old/heliu.zh.vtt
    exit 0
    --- out
    0 transcripts imported, 1 there already, 0 not taken
    hint: --force replaces transcripts that are there

    $ taskgen transcripts import nowhere
    exit 2
    --- err
    error: `nowhere`: No such file or directory (os error 2)
    hint: name files or folders

    $ taskgen transcripts import old/heliu.srt --language klingon
    exit 2
    --- err
    error: unknown language: `klingon`
    hint: such as en or zh
    ");
    project.ok(&[
        "transcripts",
        "import",
        "old/heliu.srt",
        "--language",
        "zh",
        "--force",
    ]);
}
