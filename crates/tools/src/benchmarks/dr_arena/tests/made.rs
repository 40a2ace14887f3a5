//! Files in the benchmark's layout.

use serde_json::{Value, json};

use crate::benchmarks::dr_arena::files::{Content, JsonFile};

/// A file as Python writes it, and what is read of it without a problem.
pub fn read<T: Content + PartialEq + std::fmt::Debug>(value: &Value) -> T {
    let text = serde_json::to_string_pretty(value).unwrap();
    let read = JsonFile::<T>::read("made.json", text.as_bytes()).unwrap();
    assert_eq!(read.problems, []);
    assert_eq!(read.value.write(), text, "written as it was read");
    read.value.content
}

/// A page of a tree file.
pub fn node(url: &str, depth: u64, children: &[Value]) -> Value {
    let links = children.iter().map(|child| {
        json!({
            "url": child["url"],
            "anchor_text": "a link",
            "surrounding_text": "text before a link and text behind it",
            "relationship": "history/timeline",
        })
    });
    json!({
        "url": url,
        "domain": "a.test",
        "title": format!("Page {url}"),
        "description": null,
        "content": "A text that says enough to ask about it.",
        "crawled": true,
        "depth": depth,
        "error": null,
        "relationship_cluster": if depth == 0 { Value::Null } else { json!("related topics") },
        "link_contexts": links.collect::<Vec<_>>(),
        "children": children,
    })
}

/// A replay of rounds `(level, width, verdict, quality, tag)` with the points that follow.
pub fn replay(rounds: &[(u64, u64, &str, &str, &str)]) -> Value {
    let (mut a, mut b) = (0.0, 0.0);
    let rounds: Vec<Value> = rounds
        .iter()
        .enumerate()
        .map(|(at, (level, width, verdict, quality, tag))| {
            let points = if verdict.contains("MUCH") { 2.0 } else { 1.0 };
            match verdict.chars().next() {
                Some('A') => a += points,
                Some('B') => b += points,
                _ => {}
            }
            let least = (100 + 30 * width + 20 * level).min(300);
            let most = (least + 100).min(400);
            json!({
                "round": at + 1,
                "depth": level,
                "width": width,
                "logic_chain": ["Root"],
                "question": "Which?",
                "word_limit_instruction": format!("Answer length: {least}-{most} words."),
                "checklist_width": ["one"],
                "checklist_depth": ["two"],
                "rationale": "both",
                "source_nodes": ["Page", null],
                "meta_context_snippet": "",
                "judge_max_limit": most,
                "answer_a": "It.\n\n## References\n[1] A. https://a.test/",
                "answer_b": "That.",
                "duration_a_seconds": 31.6,
                "duration_b_seconds": null,
                "verdict": verdict,
                "tie_quality": quality,
                "failure_type": tag,
                "judge_reasoning": "so",
                "score_a": a,
                "score_b": b,
                "evolution": {"summary": "x", "kind": "increase_width", "lines": []},
            })
        })
        .collect();
    json!({
        "id": "R1_one_two_tree_0001",
        "source_group": "onboarding_battles",
        "tree_id": "tree_0001",
        "model_a": "one",
        "model_b": "two",
        "winner": null,
        "final_score_a": a,
        "final_score_b": b,
        "total_rounds": rounds.len(),
        "mercy_rule": true,
        "rounds": rounds,
    })
}
