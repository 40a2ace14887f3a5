//! The shapes of exports for tools of others; `make interop` opens them with those tools.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    ExportFile, deepresearch_bench,
    inspect::{self, LogOptions},
    scoring::{Agents, Sheet, argilla, label_studio},
};
use crate::data::{
    FromFile, Member, ReportId, ReportRecord, SetRecord, State, TaskId, TaskRecord,
    record::{Provenance, TASK_SCHEMA},
};

const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\n\u{202e}砾石\u{2069}";

fn task(id: &str, file_id: Option<&str>) -> TaskRecord {
    TaskRecord {
        id: TaskId::from_stored(id.to_owned()),
        schema_version: TASK_SCHEMA,
        phase: Some("Design".into()),
        task_type: None,
        difficulty: None,
        text: format!("问题 {id}"),
        inspiration_ids: Vec::new(),
        language: "zh".into(),
        translation_of: None,
        discipline: Some("Earth sciences".into()),
        categories: None,
        rank: None,
        elo: None,
        elo_games: None,
        estimate: None,
        probes: Vec::new(),
        decisions: Vec::new(),
        as_of: None,
        facets: None,
        edited: None,
        provenance: Provenance::Imported {
            imported: FromFile {
                benchmark: "made up".into(),
                file_id: file_id.map(str::to_owned),
                template: None,
                checklist: Vec::new(),
                licence: "CC0-1.0".into(),
            },
        },
    }
}

/// Tasks by id and file id; one more is withdrawn.
fn set(tasks: &[(&str, Option<&str>)]) -> SetRecord {
    let members = tasks.iter().map(|(id, file_id)| task(id, *file_id));
    let mut tasks: Vec<Member> = members
        .map(|record| Member {
            id: record.id.clone(),
            record: Some(record),
        })
        .collect();
    tasks.push(Member {
        id: TaskId::from_stored("t_gone".into()),
        record: None,
    });
    SetRecord {
        name: "rivers".into(),
        version: 3,
        canary: "canary".into(),
        sha256: String::new(),
        tasks,
    }
}

fn report(id: &str, task: &str, agent: &str, state: State, text: &str) -> ReportRecord {
    ReportRecord {
        id: ReportId::from_stored(id.to_owned()),
        task: TaskId::from_stored(task.to_owned()),
        agent: agent.to_owned(),
        attempt: 1,
        state,
        text: text.to_owned(),
        scores: BTreeMap::new(),
        unscored: BTreeMap::new(),
        trajectory: None,
    }
}

fn text_of<'a>(files: &'a [ExportFile], path: &str) -> &'a str {
    let file = files.iter().find(|file| file.path.ends_with(path));
    str::from_utf8(&file.expect(path).bytes).expect("UTF-8")
}

fn rows(text: &str) -> Vec<Value> {
    let rows = text.lines().map(serde_json::from_str);
    rows.collect::<Result<_, _>>().expect("JSON")
}

#[test]
fn only_reports_of_the_set_with_a_text_are_scored_and_none_is_lost_unseen() {
    let set = set(&[("t_1", None)]);
    let reports = [
        report("d_9", "t_1", "a", State::Ok, "text"),
        report("d_1", "t_1", "b", State::Ok, "text"),
        report("d_2", "t_1", "a", State::Refused, "no"),
        report("d_3", "t_1", "a", State::Ok, " \n"),
        report("d_4", "t_gone", "a", State::Ok, "text"),
    ];
    let sheet = Sheet::new(&set, &reports);
    let ids: Vec<&str> = sheet
        .rows
        .iter()
        .map(|row| row.report.id.as_str())
        .collect();
    // In the order of ids, whatever that of agents was.
    assert_eq!(ids, ["d_1", "d_9"]);
    assert_eq!((sheet.without_text, sheet.without_task), (2, 1));
}

#[test]
fn ids_are_the_files_own_and_else_numbers_that_no_file_has() {
    let set = set(&[
        ("t_1", None),
        ("t_2", Some("1")),
        ("t_3", Some("007")),
        ("t_4", Some("1")),
    ]);
    let reports = [
        report("d_1", "t_2", "../a/b", State::Ok, HOSTILE),
        report("d_2", "t_1", "../a/b", State::Ok, "first"),
        report("d_3", "t_1", "a", State::Error, ""),
    ];
    let files = deepresearch_bench::files(&set, &reports).expect("files");
    let queries = rows(text_of(&files, "query.jsonl"));
    let ids: Vec<&Value> = queries.iter().map(|row| &row["id"]).collect();
    assert_eq!(ids, [&json!(2), &json!(1), &json!("007"), &json!(3)]);
    assert_eq!(queries[0]["topic"], "Earth sciences");
    // The agent without a report has no file; the other's name stays within the folder.
    assert_eq!(files.len(), 2);
    let path = files[1].path.to_str().expect("a path");
    assert!(
        !path.contains("..") && path.starts_with("data/test_data/raw_data/"),
        "{path}"
    );
    let articles = rows(text_of(&files, path));
    assert_eq!(articles[0]["article"], "first");
    assert_eq!(
        (&articles[1]["article"], &articles[1]["id"]),
        (&json!(HOSTILE), &json!(1))
    );
}

#[test]
fn names_of_agents_that_look_the_same_as_files_are_told_apart() {
    let set = set(&[("t_1", None)]);
    let mut reports: Vec<ReportRecord> = ["a b", "a/b", "a_b", ".", "代理"]
        .iter()
        .enumerate()
        .map(|(at, agent)| report(&format!("d_{at}"), "t_1", agent, State::Ok, "x"))
        .collect();
    reports.push(ReportRecord {
        attempt: 2,
        ..reports[2].clone()
    });
    let files = deepresearch_bench::files(&set, &reports).expect("files");
    let paths: std::collections::BTreeSet<_> = files.iter().map(|file| &file.path).collect();
    assert_eq!(paths.len(), 1 + reports.len());
    assert!(files.iter().all(|file| file.path.components().count() <= 4));
}

fn log(reports: &[ReportRecord]) -> String {
    let options = LogOptions {
        agent: "a",
        judged: "2026-11-03T12:34:56Z".parse().expect("a time"),
    };
    let set = set(&[("t_1", None), ("t_2", None)]);
    let file = inspect::eval_log(&set, reports, options).expect("a log");
    assert!(
        file.path
            .to_str()
            .expect("a path")
            .starts_with("2026-11-03T12-34-56+00-00_taskset-rivers-v3_")
    );
    String::from_utf8(file.bytes).expect("UTF-8")
}

#[test]
fn a_log_has_nan_for_what_was_not_scored_and_no_mean_of_nothing() {
    let mut good = report("d_1", "t_1", "a", State::Ok, "null \"value\":null");
    good.scores = BTreeMap::from([("kae".to_owned(), 0.0), ("odd".to_owned(), f64::NAN)]);
    good.unscored = BTreeMap::from([("ace".to_owned(), "cause".to_owned())]);
    let mut second = report("d_2", "t_2", "a", State::Timeout, "");
    second.unscored = BTreeMap::from([("kae".to_owned(), "timeout".to_owned())]);
    let log = log(&[good, second, report("d_3", "t_1", "b", State::Ok, "x")]);
    // The text keeps its word; only values are NaN.
    assert!(log.contains("null \\\"value\\\":null") && !log.contains("\"value\":null,"));
    assert_eq!(log.matches("\"value\":NaN").count(), 3);
    let read: Value = serde_json::from_str(&log.replace(":NaN", ":\"NaN\"")).expect("JSON");
    let results = read["results"]["scores"].as_array().expect("a list");
    let of = |name: &str| {
        results
            .iter()
            .find(|of| of["name"] == name)
            .expect("a measure")
    };
    assert_eq!(of("kae")["metrics"]["mean"]["value"], 0.0);
    assert_eq!(
        (&of("kae")["scored_samples"], &of("kae")["unscored_samples"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(
        of("ace")["metrics"],
        json!({ "n": { "name": "n", "value": 0, "params": {} } })
    );
    assert_eq!(read["results"]["completed_samples"], 1);
    assert_eq!(read["samples"][0]["scores"]["ace"]["explanation"], "cause");
    assert_eq!(read["eval"]["viewer"]["trust_content"], false);
}

#[test]
fn a_mean_is_over_tasks_and_not_over_attempts() {
    let scored = |id: &str, task: &str, attempt, score| {
        let mut report = report(id, task, "a", State::Ok, "x");
        report.attempt = attempt;
        report.scores = BTreeMap::from([("kae".to_owned(), score)]);
        report
    };
    let reports = [
        scored("d_1", "t_1", 1, 0.0),
        scored("d_2", "t_1", 2, 0.5),
        scored("d_3", "t_2", 1, 1.0),
    ];
    let first = log(&reports);
    let read: Value = serde_json::from_str(&first).expect("JSON");
    let result = &read["results"]["scores"][0];
    assert_eq!(result["metrics"]["mean"]["value"], 0.625);
    assert_eq!(
        (&result["scored_samples"], &read["eval"]["config"]["epochs"]),
        (&json!(2), &json!(2))
    );
    // The same reports in another order are the same log; another score is another one.
    let [a, b, c] = reports.clone();
    assert_eq!(log(&[c, b, a]), first);
    assert_ne!(
        log(&[scored("d_1", "t_1", 1, 0.1)]),
        log(&[scored("d_1", "t_1", 1, 0.2)])
    );
}

#[test]
fn a_log_of_nobody_is_an_error() {
    let options = LogOptions {
        agent: "nobody",
        judged: jiff::Timestamp::UNIX_EPOCH,
    };
    assert!(inspect::eval_log(&set(&[("t_1", None)]), &[], options).is_err());
}

#[test]
fn no_word_of_a_set_becomes_code() {
    let mut set = set(&[("t_1", None)]);
    set.name = "河 \"\"\"\nimport os #".into();
    let files = inspect::task_package(&set).expect("a package");
    for file in &files {
        let path = file.path.to_str().expect("a path");
        assert!(path.starts_with("taskset_import_os_"), "{path}");
        let is_data = path.ends_with("set.json") || path.ends_with("samples.jsonl");
        let text = str::from_utf8(&file.bytes).expect("UTF-8");
        assert!(
            is_data || !text.contains('河') && !text.contains("@NAME"),
            "{path}"
        );
    }
    let samples = rows(text_of(&files, "samples.jsonl"));
    assert_eq!(samples.len(), 1);
    assert_eq!(samples[0]["metadata"]["canary"], "canary");
    assert_eq!(
        samples[0]["metadata"]["facets"],
        json!({ "phase": "Design", "discipline": "Earth sciences" })
    );
    set.name = "河 \"\"\"\nimport os !".into();
    let other = inspect::task_package(&set).expect("a package");
    assert_ne!(other[0].path, files[0].path);
}

#[test]
fn nothing_names_an_agent_where_they_are_hidden() {
    let set = set(&[("t_1", None)]);
    let reports = [report("d_1", "t_1", "agent smith", State::Ok, HOSTILE)];
    let criteria = ["z/0".to_owned(), "来源".to_owned()];
    for (agents, named) in [(Agents::Hidden, false), (Agents::Named, true)] {
        let both = [
            argilla::files(&set, &reports, &criteria, agents),
            label_studio::files(&set, &reports, &criteria, agents),
        ];
        for files in both {
            let files = files.expect("files");
            let has = |word: &str| {
                files
                    .iter()
                    .any(|file| String::from_utf8_lossy(&file.bytes).contains(word))
            };
            assert_eq!(has("agent smith"), named);
            assert!(has("d_1") && has("</script>") && !has("\u{202e}") && has("\\u202e"));
        }
    }
}

#[test]
fn reports_are_never_markup() {
    let set = set(&[("t_1", None)]);
    let criteria = ["a <b> & \"c\" $report_text".to_owned()];
    let files = label_studio::files(&set, &[], &criteria, Agents::Hidden).expect("files");
    let config = text_of(&files, "config.xml");
    assert!(config.contains("name=\"a &lt;b&gt; &amp; &quot;c&quot; $report_text\""));
    assert!(config.contains("value=\"a &lt;b&gt; &amp; &quot;c&quot; ＄report_text, 0 to 10\""));
    assert!(
        !config.contains("HyperText")
            && config.matches("$report_text\" valueType=\"text\"").count() == 1
    );
    let files = argilla::files(&set, &[], &criteria, Agents::Hidden).expect("files");
    let settings: Value = serde_json::from_str(text_of(&files, "settings.json")).expect("JSON");
    for field in settings["fields"].as_array().expect("a list") {
        assert_eq!(
            field["settings"],
            json!({ "type": "text", "use_markdown": false })
        );
    }
}

#[test]
fn criteria_that_cannot_be_told_apart_are_refused() {
    let set = set(&[]);
    let long = "长".repeat(60);
    for (criteria, where_) in [
        (vec!["a", "a"], "both"),
        (vec![" "], "both"),
        (vec!["a\nb"], "both"),
        (vec!["score"], "label studio"),
        (vec!["rating"], "label studio"),
        (vec![long.as_str()], "argilla"),
    ] {
        let criteria: Vec<String> = criteria.into_iter().map(str::to_owned).collect();
        let argilla = argilla::files(&set, &[], &criteria, Agents::Hidden).is_err();
        let studio = label_studio::files(&set, &[], &criteria, Agents::Hidden).is_err();
        assert_eq!(
            (argilla, studio),
            (where_ != "label studio", where_ != "argilla"),
            "{criteria:?}"
        );
    }
}
