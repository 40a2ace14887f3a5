//! A made-up set with the reports of two agents, in all layouts of others' tools: Chinese texts,
//! HTML, `</script>`, line breaks, a measure without a score, a refused report, a withdrawn task.

use std::{collections::BTreeMap, path::Path};

use serde_json::json;
use taskgen::{
    data::{
        AgentReport, AttemptCost, FromFile, Member, ReportRecord, SetRecord, State, TaskId,
        TaskRecord,
        record::{Provenance, TASK_SCHEMA},
    },
    report::export::{
        ExportFile, deepresearch_bench,
        inspect::{self, LogOptions},
        scoring::{Agents, argilla, label_studio},
    },
};

/// Criteria whose names test what names may be.
pub const CRITERIA: [&str; 4] = ["z/0", "depth", "来源 & \"quotes\" <b>", "costs $task_text"];

const TEXTS: [(&str, &str, &str); 7] = [
    (
        "51",
        "en",
        "Survey how braided rivers store gravel between two floods.\n\n1. Name sources.\n2. Say what is disputed.",
    ),
    (
        "2",
        "zh",
        "综述辫状河在两次洪水之间如何储存砾石，并说明尚有争议之处。",
    ),
    (
        "3",
        "zh-Hans",
        "比较三种测量“推移质”的方法；给出各自的误差。",
    ),
    (
        "007",
        "en",
        "Is <b>this</b> & that \"</script><script>alert(1)</script>\" a safe question? \\ {{ x }} {% y %}",
    ),
    (
        "",
        "en",
        "Design a test of the claim that beavers lower flood peaks.",
    ),
    (
        "",
        "de",
        "Prüfe, ob Ölfilme auf Flüssen die Verdunstung senken.\r\nNenne Quellen.",
    ),
    (
        "90",
        "en",
        "Withdrawn: what a speaker no longer wants asked.",
    ),
];

fn task(id: &str, language: &str, text: &str) -> TaskRecord {
    let file_id = (!id.is_empty()).then(|| id.to_owned());
    TaskRecord {
        id: TaskId::from_parts(&["imported", id, language, text]),
        schema_version: TASK_SCHEMA,
        phase: Some("Synthesize".into()),
        task_type: Some("Literature Survey".into()),
        difficulty: None,
        text: text.to_owned(),
        inspiration_ids: Vec::new(),
        language: language.to_owned(),
        translation_of: None,
        discipline: Some("Earth sciences".into()),
        categories: None,
        rank: None,
        elo: None,
        elo_games: None,
        estimate: None,
        probes: Vec::new(),
        decisions: Vec::new(),
        as_of: Some("2026-11-03".into()),
        facets: (!id.is_empty())
            .then(|| BTreeMap::from([("topic".into(), "河流 & rivers".into())])),
        edited: None,
        provenance: Provenance::Imported {
            imported: FromFile {
                benchmark: "made up".into(),
                file_id,
                template: None,
                checklist: if id == "2" {
                    vec!["至少三个来源".into()]
                } else {
                    Vec::new()
                },
                licence: "CC0-1.0".into(),
            },
        },
    }
}

/// The set: six tasks and a withdrawn one.
pub fn set() -> SetRecord {
    let members = TEXTS.iter().map(|(id, language, text)| {
        let record = task(id, language, text);
        Member {
            id: record.id.clone(),
            record: Some(record).filter(|_| *id != "90"),
        }
    });
    SetRecord {
        name: "河流 rivers \"</script>".into(),
        version: 2,
        canary: "canary 0123456789abcdef: do not train on this".into(),
        sha256: "ab".repeat(32),
        tasks: members.collect(),
    }
}

/// Reports of two agents: one that answers all, one that fails in every way; and one for the
/// withdrawn task.
pub fn reports(set: &SetRecord) -> Vec<ReportRecord> {
    let texts = [
        "# Gravel\n\nBars hold it [1].\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[1] https://example.org/a?b=1&c=2\n",
        "<h1 onload=\"alert(1)\">砾石</h1>\n</script><script>alert('x')</script>\n<img src=x onerror=alert(1)>\n]]> & &amp; {{ report_text }}",
        "砾石储存于心滩。\u{202e}反向\u{2069}\u{2028}行\u{85}尾 $task_text\n\tTab \"引号\" \\n 'x'",
        "https://example.org/only-an-address",
        "😀 A report of one line",
        "{\"json\": [1, 2, null, NaN]}\nGRADE: C\nLABEL: strong",
    ];
    let states = [
        State::Ok,
        State::Refused,
        State::Ok,
        State::Timeout,
        State::Ok,
        State::Error,
    ];
    let mut reports = Vec::new();
    for (at, member) in set.tasks.iter().enumerate() {
        let good = texts[at % texts.len()];
        reports.push(record(&member.id, "河流/agent <b>", 1, State::Ok, good, at));
        let state = states[at % states.len()];
        let text = match state {
            State::Ok => texts[(at + 3) % texts.len()],
            State::Refused => "I cannot help with that.",
            _ => "",
        };
        reports.push(record(&member.id, "plain-agent", 1, state, text, at + 10));
        if at < 2 {
            reports.push(record(
                &member.id,
                "plain-agent",
                2,
                State::Ok,
                texts[at + 1],
                at + 20,
            ));
        }
    }
    reports
}

fn record(
    task: &TaskId,
    agent: &str,
    attempt: u32,
    state: State,
    text: &str,
    at: usize,
) -> ReportRecord {
    let report = AgentReport::new(task, agent, attempt, state, text, AttemptCost::default());
    let mut scores = BTreeMap::new();
    let mut unscored = BTreeMap::from([(
        "never.scored".to_owned(),
        "the judge's reply cannot be read: `好`".to_owned(),
    )]);
    if state == State::Ok {
        scores.insert("reference.coverage".to_owned(), at as f64 / 7.0);
        if at.is_multiple_of(3) {
            unscored.insert("ace.score".to_owned(), "timeout </script>".to_owned());
        } else {
            scores.insert("ace.score".to_owned(), 0.0);
        }
    } else {
        for name in ["reference.coverage", "ace.score"] {
            unscored.insert(name.to_owned(), format!("no report: {}", state.word()));
        }
    }
    ReportRecord {
        id: report.id,
        task: task.clone(),
        agent: agent.to_owned(),
        attempt,
        state,
        text: text.to_owned(),
        scores,
        unscored,
        trajectory: None,
    }
}

/// Writes all exports and `expected.jsonl` into a folder.
pub fn write(folder: &Path) -> anyhow::Result<()> {
    let set = set();
    let reports = reports(&set);
    let criteria = CRITERIA.map(str::to_owned);
    let judged = "2026-11-03T12:34:56Z".parse()?;
    save(folder, "inspect", inspect::task_package(&set)?)?;
    for agent in ["河流/agent <b>", "plain-agent"] {
        let log = inspect::eval_log(&set, &reports, LogOptions { agent, judged })?;
        save(folder, "inspect/logs", vec![log])?;
    }
    save(
        folder,
        "deepresearch_bench",
        deepresearch_bench::files(&set, &reports)?,
    )?;
    for (name, agents) in [("hidden", Agents::Hidden), ("named", Agents::Named)] {
        let of = argilla::files(&set, &reports, &criteria, agents)?;
        save(folder, &format!("argilla-{name}"), of)?;
        let of = label_studio::files(&set, &reports, &criteria, agents)?;
        save(folder, &format!("label_studio-{name}"), of)?;
    }
    let mut lines = vec![json!({
        "set": { "label": set.label(), "canary": set.canary, "criteria": criteria, "members": set.tasks.len() },
    })];
    for task in set.records() {
        lines.push(json!({ "task": task }));
    }
    for report in &reports {
        lines.push(json!({ "report": report }));
    }
    let lines: Vec<String> = lines.iter().map(serde_json::Value::to_string).collect();
    std::fs::write(folder.join("expected.jsonl"), lines.join("\n") + "\n")?;
    Ok(())
}

/// Writes files into a folder of the folder.
pub fn save(folder: &Path, name: &str, files: Vec<ExportFile>) -> anyhow::Result<()> {
    for file in files {
        let path = folder.join(name).join(file.path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, file.bytes)?;
    }
    Ok(())
}
