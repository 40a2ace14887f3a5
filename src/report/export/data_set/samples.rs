//! A set with whatever a stranger's file can hold, for tests of the exports.

use serde_json::{Value, json};

use super::Card;
use crate::data::{
    InspirationId, Member, ReportRecord, SeminarId, SetRecord, TaskId, TaskRecord, TranscriptId,
};

/// A licence's name as a stranger may write it.
pub(crate) const ODD_LICENCE: &str = "Ours: \"ask us\" | <b>#1</b>\n---\nlicense: mit";

/// Texts that break what does not escape.
pub(crate) fn odd_texts() -> Vec<String> {
    vec![
        "Survey what is known about \"catalysts\", and cite\nat least ten sources.".to_owned(),
        "综述近五年关于钙钛矿太阳能电池稳定性的研究,并比较\u{201c}封装\u{201d}方法。😀".to_owned(),
        "---\nlicense: mit\n---\n# Not a card".to_owned(),
        "A line\u{2028}and a paragraph\u{2029}and NEL\u{85}, then \u{202e}turned\u{202c}."
            .to_owned(),
        "NUL \0 and ESC \u{1b}[2J and DEL \u{7f}".to_owned(),
        "长 text ".repeat(10_000),
        "2024-05-03".to_owned(),
        "{\"a\": [1, null]}, \\u0041 \\n and \u{feff}".to_owned(),
        "42".to_owned(),
        "null".to_owned(),
        "\r\n\ttabs and returns\r".to_owned(),
        "=1+1, 'quotes', `ticks`, <script>alert(1)</script> &amp; |cells|".to_owned(),
    ]
}

/// Thirteen tasks, one of them withdrawn: of two recordings, across both, and of a file.
pub(crate) fn set() -> SetRecord {
    let mut tasks: Vec<Member> = odd_texts()
        .iter()
        .enumerate()
        .map(|(n, text)| {
            let record = record(n, text);
            Member {
                id: record.id.clone(),
                record: Some(record),
            }
        })
        .collect();
    let gone = Member {
        id: TaskId::from_parts(&["gone"]),
        record: None,
    };
    tasks.insert(4, gone);
    SetRecord {
        name: "Seminars: \"spring\" #1".to_owned(),
        version: 2,
        canary: "taskgen canary 3f1c7a52-0d0e-4a54-8a3e-1c9f5d9a7b11".to_owned(),
        sha256: "ab".repeat(32),
        tasks,
    }
}

/// What is said of the set.
pub(crate) fn card() -> Card {
    Card {
        tool_version: "0.1.0".to_owned(),
        day: "2026-05-04".to_owned(),
        publisher: Some("The \"Seminar\" group: 研讨班".to_owned()),
        licence: None,
        address: Some("https://example.org/sets/spring".to_owned()),
    }
}

/// Reports on the first two tasks, one of them without a text.
pub(crate) fn reports() -> Vec<ReportRecord> {
    let tasks: Vec<TaskId> = set().tasks.into_iter().map(|member| member.id).collect();
    let report = |n: usize, state: &str, scores: Value, unscored: Value| {
        let id = crate::data::ReportId::from_parts(&[&n.to_string()]);
        serde_json::from_value(json!({
            "id": id, "task": tasks[n], "agent": "o3 \"deep\" 研究", "attempt": 1, "state": state,
            "text": "# Report\n\nIt cites [1].", "scores": scores, "unscored": unscored,
        }))
        .expect("a report")
    };
    vec![
        report(
            0,
            "ok",
            json!({ "kae.ksr": 0.25, "ace": 71.5 }),
            json!({ "wiki": "no judge" }),
        ),
        report(1, "timeout", json!({}), json!({})),
    ]
}

fn record(n: usize, text: &str) -> TaskRecord {
    let is_imported = n == 8 || n == 9;
    let mut record = json!({
        "id": TaskId::from_parts(&[&n.to_string()]),
        "schema_version": 1,
        "phase": "Synthesize",
        "task_type": "Literature Survey",
        "difficulty": if n.is_multiple_of(3) { json!(null) } else { json!("Basic") },
        "task": text,
        "inspiration_ids": [],
        "language": if n == 1 { "zh-Hans" } else { "en" },
        "translation_of": (n == 1).then(|| TaskId::from_parts(&["0"])),
        "discipline": "other",
        "categories": (n > 0).then(|| json!({
            "wiki_live_challenge": "化学", "live_research_bench": null,
        })),
        "rank": n + 1,
        "elo": (n > 2).then_some(1200.0 - n as f64),
        "elo_games": (n > 2).then_some(8),
        "estimate": (n < 3).then(|| json!({
            "strength": 1.5, "low": 1.0, "high": 2.0, "p_top": 0.125, "games": null,
        })),
        "probes": probes(n),
        "provenance": if is_imported { imported(n) } else { talk(n) },
    });
    if is_imported {
        record["as_of"] = json!("2026-01-31");
        record["facets"] = json!({ "topic": "2024-01-01", "a \"b\"": "字\n" });
    } else {
        record["inspiration_ids"] = json!([inspiration_id(n), inspiration_id(n + 100)]);
    }
    if n == 2 {
        let before = TaskId::from_parts(&["before"]);
        record["edited"] = json!({ "task": before, "by": "Ada \"the editor\"" });
    }
    serde_json::from_value(record).expect("a task")
}

fn probes(n: usize) -> Value {
    let finding = json!({
        "probe": "closed_book", "outcome": "needs_research", "note": "It lacks \"data\".\n",
        "by": "local/model",
    });
    json!(vec![finding; n % 3])
}

fn imported(n: usize) -> Value {
    json!({ "imported": {
        "benchmark": "other: bench", "file_id": format!("2024-01-{n:02}"),
        "checklist": ["one", "二"], "licence": ODD_LICENCE,
    } })
}

fn inspiration_id(n: usize) -> InspirationId {
    InspirationId::from_parts(&[&n.to_string()])
}

/// A task of the first recording or of the second; the fifth rests on both.
fn talk(n: usize) -> Value {
    let first = n % 2;
    let second = if n == 5 { 1 - first } else { first };
    // Recordings may be named by their day; a reader may take such titles for dates.
    let title = ["2024-05-03", "2024-05-10"][first];
    let licence = licence(first);
    json!({
        "seminar": {
            "id": seminar_id(first), "path": path(first), "title": title, "licence": licence,
            "media_sha256": format!("{first}").repeat(64), "duration_s": 3600.5,
        },
        "transcript": {
            "id": transcript_id(first),
            "asr_model": { "name": "tiny.en", "sha256": "c".repeat(64) },
        },
        "inspirations": [inspiration(n, first), inspiration(n + 100, second)],
    })
}

fn path(recording: usize) -> String {
    format!("spring/talk \"{recording}\".m4a")
}

fn licence(recording: usize) -> &'static str {
    ["CC BY 4.0", "unknown"][recording]
}

fn seminar_id(recording: usize) -> SeminarId {
    SeminarId::from_parts(&[&recording.to_string()])
}

fn transcript_id(recording: usize) -> TranscriptId {
    TranscriptId::from_parts(&[&recording.to_string()])
}

fn inspiration(n: usize, recording: usize) -> Value {
    json!({
        "id": inspiration_id(n),
        "seminar": {
            "id": seminar_id(recording), "path": path(recording), "licence": licence(recording),
        },
        "type": "Limitation",
        "traits": [
            { "trait": "challenge", "reason": "hard" },
            { "trait": "explorability", "reason": "" },
        ],
        "text": "没有人知道\0为什么。",
        "evidence": [{
            "segment_id": format!("{}/{n}", transcript_id(recording)),
            "start_s": n as f64 + 0.25, "end_s": n as f64 + 4.0,
            "start_char": n * 10, "end_char": n * 10 + 9,
            "quote": "nobody \"knows\" why\u{2028}", "speaker": null, "similarity": 0.973,
        }],
        "reviews": [{ "by": "person", "name": "Ada", "fault": null, "note": "" }],
    })
}
