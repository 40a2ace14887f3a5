//! Every prompt can be filled with what its call gives, in both languages, and every prompt file
//! has a call.

use serde_json::{Value, json};
use taskgen::{data::TaskType, llm::Prompts};

use crate::{architecture::root, source::read_tree};

/// What the call of a prompt gives it.
fn sample(name: &str, language: &str) -> Value {
    let text = "A moving bed of gravel sounds like a drum.";
    match name {
        "inspire/ideas" | "inspire/idea-short" => {
            json!({ "language": language, "lines": [{ "number": 3, "text": text }], "kind": "hypothesis", "most": 2 })
        }
        "inspire/review" => {
            json!({ "kind": "hypothesis", "text": text, "quotes": [text], "around": text })
        }
        "weave/task" | "weave/task-short" => json!({
            "language": language, "ideas": [{ "text": text, "quotes": [text] }], "types": TaskType::ALL,
            "opening": "Test", "written": [text], "disciplines": ["health"],
            "broken": { "text": text, "reason": "too short", "words": null }
        }),
        "weave/translation" => {
            json!({ "language": language, "task": text, "broken": { "text": text, "reason": "too short", "words": null } })
        }
        "probe/attempt" | "probe/deliverable" => json!({ "task": text }),
        "audit/continue" => json!({ "beginning": text }),
        "answer/report" => {
            let max_words = (language == "en").then_some(300);
            json!({ "task": text, "language": language, "search": language == "en", "max_words": max_words })
        }
        "probe/closed-book" => json!({ "task": text, "answer": text }),
        "rank/judge" | "rank/judge-short" => {
            let task = json!({ "text": text, "difficulty": "Basic" });
            json!({ "a": task, "b": task })
        }
        "evaluate/key-points" => {
            json!({ "task": text, "title": "Gravel", "part": 1, "parts": 2, "page": text, "most": 8 })
        }
        "evaluate/key-points-short" => {
            json!({ "task": text, "lines": [{ "number": 1, "text": text }], "most": 1 })
        }
        "evaluate/comparison" => json!({ "task": text, "a": text, "b": text }),
        "evaluate/relation" => json!({ "task": text, "report": text, "point": text }),
        "evaluate/checklist" | "evaluate/checklist-short" => {
            json!({ "task": text, "family": "Literature Survey", "difficulty": "Basic", "focus": "sources" })
        }
        "evidence/support" => json!({ "claim": text, "passages": [text, text] }),
        "evaluate/rating" => json!({
            "task": text, "family": "Literature Survey", "difficulty": "Basic", "report": text, "criterion": text
        }),
        "rank/list" | "rank/list-short" => {
            let task = json!({ "text": text, "difficulty": "Basic" });
            json!({ "tasks": [task, task, task] })
        }
        other => panic!("say here what `{other}` is filled with"),
    }
}

#[test]
fn every_prompt_can_be_filled_and_fences_what_strangers_said() {
    let prompts = Prompts::new(None, "key");
    for name in Prompts::names() {
        for language in ["en", "zh-Hans"] {
            let filled = prompts.render(
                &name,
                &sample(&name, language),
                &json!({ "type": "object" }),
            );
            let filled = filled.unwrap_or_else(|e| panic!("{name}: {e:#}"));
            let user = &filled.messages.last().expect("a user's message").content;
            let (before, rest) = user.split_once("A moving bed").expect("the text is in it");
            let token = before
                .rsplit('[')
                .next()
                .and_then(|fence| fence.lines().next())
                .expect("a fence");
            assert!(
                token.len() == 16 && rest.contains(&format!("\n{token}]")),
                "{name} in {language}: {user}"
            );
        }
    }
}

#[test]
fn every_prompt_has_a_call() {
    let source: String = read_tree(&root().join("src"))
        .into_iter()
        .map(|file| file.text)
        .collect();
    for name in Prompts::names() {
        assert!(
            source.contains(&format!("\"{name}\"")),
            "no call uses `prompts/{name}.md`"
        );
    }
}
