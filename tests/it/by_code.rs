//! A project as it is set up: code finds ideas and writes tasks, and no model is asked.

use crate::support::{ModelServer, Project, TALK, TALK_ZH};

/// Ideas and tasks by code; the server answers everything else.
fn project() -> (ModelServer, Project) {
    let fake = ModelServer::openai().pipeline();
    let project = Project::new(&fake.url)
        .two_talks()
        .config("[inspire]\nreview = \"never\"\n");
    for role in ["inspire", "weave"] {
        project.reconfigure(
            &format!("{role} = \"fake/m\""),
            &format!("{role} = \"code/sentences\""),
        );
    }
    (fake, project)
}

#[test]
fn tasks_are_made_without_a_question_and_the_second_run_makes_none() {
    let (fake, project) = project();
    assert_eq!(
        project.ok(&["inspire", "--dry-run", "--offline"]).trim(),
        "no model would be asked"
    );
    for stage in ["inspire", "weave"] {
        let counts = |key: &str| {
            let summary = project.json(&[stage, "--offline"]);
            let stages = summary["stages"].as_array().expect("stages");
            stages[0][key].as_u64().expect("a number")
        };
        assert_eq!(counts("done"), 2, "{stage}");
        assert_eq!(counts("skipped"), 2, "{stage}");
    }
    assert_eq!(fake.take(), 0);
    let tasks = project.export();
    assert!(tasks.lines().count() >= 10, "{tasks}");
    for line in tasks.lines() {
        let task: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let text = task["task"].as_str().expect("a text");
        let (_, behind) = text.rsplit_once('“').expect("a quotation");
        let (quote, _) = behind.split_once('”').expect("its end");
        let said = |talk: &[&str]| {
            let folded = |text: &str| text.to_lowercase();
            // Words that say nothing may be gone from its start, and another sentence may follow.
            let begin: String = quote.chars().take(15).collect();
            talk.iter()
                .any(|line| folded(line).contains(&folded(&begin)))
        };
        assert!(said(TALK) || said(TALK_ZH), "{text}");
    }
}

#[test]
fn what_takes_a_model_is_refused_by_name() {
    let (_fake, project) = project();
    project.ok(&["inspire", "--offline"]);
    project.ok(&["weave", "--offline"]);
    let told = project.told(&["weave", "--across", "2", "--language", "zh"]);
    assert!(
        told.contains("code cannot join the ideas of two talks"),
        "{told}"
    );
    assert!(
        told.contains("code writes tasks in the language of the talk only"),
        "{told}"
    );
}

#[test]
fn a_transcript_without_its_recording_is_named() {
    let (_fake, project) = project();
    std::fs::remove_file(project.path("seminars/heliu.wav")).expect("it is there");
    std::fs::write(project.path("transcripts/rivers.wav.meta.json"), "{}").expect("writable");
    let told = project.told(&["inspire", "--offline"]);
    assert!(
        told.contains(
            "`transcripts/heliu.wav.json` is not read: there is no recording `heliu.wav`"
        ),
        "{told}"
    );
    assert!(!told.contains("meta.json"), "{told}");
    // Once it was read, the recording may go.
    std::fs::remove_file(project.path("seminars/rivers.wav")).expect("it is there");
    let told = project.told(&["inspire", "--offline"]);
    assert!(!told.contains("rivers.wav.json"), "{told}");
}
