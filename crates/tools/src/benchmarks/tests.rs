//! Files of questions as benchmarks write them, and broken ones.

use jiff::civil::date;

use super::*;
use crate::data::{Difficulty, Phase, TaskType};

fn read_as(extension: &str, text: &str) -> Result<Imported, String> {
    let options = Options {
        benchmark: "outside",
        as_of: date(2026, 11, 3),
        is_static: false,
        language: None,
        licence: "CC0-1.0",
    };
    read(
        text.as_bytes(),
        Format::guess(extension, text.as_bytes()),
        options,
    )
}

fn imported(extension: &str, text: &str) -> Imported {
    read_as(extension, text).expect("it can be read")
}

fn from(task: &Task) -> &FromFile {
    let Origin::Imported(from) = &task.origin else {
        panic!("{task:?}")
    };
    from
}

#[test]
fn queries_of_deep_research_bench() {
    let queries = r#"{"id": 1, "topic": "Finance & Business", "language": "zh", "prompt": "请分析河流。"}
{"id": 2, "topic": "Science", "language": "en", "prompt": "How do rivers\r\nstore gravel?"}"#;
    let imported = imported("jsonl", queries);
    assert_eq!(imported.refused, []);
    assert!(imported.ignored.is_empty() && imported.guessed.is_empty());
    let [first, second] = imported.tasks.as_slice() else {
        panic!("{imported:?}")
    };
    assert_eq!(first.file_id(), Some("1"));
    assert_eq!(first.language, "zh");
    assert_eq!(first.facets.others["topic"], "Finance & Business");
    assert_eq!(second.text, "How do rivers\nstore gravel?");
    assert!(!second.has_slots());
    assert_eq!(second.as_of.as_deref(), Some("2026-11-03"));
}

#[test]
fn rows_of_live_research_bench_are_joined() {
    let table = "qid,question,checklist,question_no_placeholder,checklist_no_placeholder,category\n\
                 a1,\"What changed in {{last_year}}, seen on {{date}}?\",Names {{last_year}},static,static,market analysis\n\
                 b2,And now?,One,And now?,One,\n\
                 a1,\"What changed in {{last_year}}, seen on {{date}}?\",Gives a table,static,static,market analysis\n";
    let imported = imported("csv", table);
    assert_eq!(imported.refused, []);
    assert!(imported.ignored.is_empty(), "{:?}", imported.ignored);
    assert_eq!(imported.repeated, 0);
    let [first, second] = imported.tasks.as_slice() else {
        panic!("{imported:?}")
    };
    assert_eq!(
        first.text,
        "What changed in 2025, seen on November 03, 2026?"
    );
    assert_eq!(from(first).checklist, ["Names 2025", "Gives a table"]);
    assert_eq!(
        from(first).template.as_deref(),
        Some("What changed in {{last_year}}, seen on {{date}}?")
    );
    assert_eq!(first.facets.others["category"], "market analysis");
    assert_eq!(from(second).checklist, ["One"]);
    assert!(second.facets.others.is_empty());
}

#[test]
fn our_own_words_for_facets_are_ours_and_others_stay() {
    let rows = r#"[
        {"id": "x", "task": "Survey it.", "phase": "Synthesize", "task_type": "Literature Survey",
         "difficulty": "basic", "discipline": "hydrology", "facets": {"audience": "experts"}, "rank": 3},
        {"task": "Test it.", "phase": "later", "type": "empirical_test", "difficulty": "hard"}
    ]"#;
    let imported = imported("json", rows);
    let (first, second) = (&imported.tasks[0].facets, &imported.tasks[1].facets);
    assert_eq!(first.phase, Some(Phase::Synthesize));
    assert_eq!(first.task_type, Some(TaskType::LiteratureSurvey));
    assert_eq!(first.difficulty, Some(Difficulty::Basic));
    assert_eq!(first.labels()["discipline"], "hydrology");
    assert_eq!(first.labels()["audience"], "experts");
    assert_eq!(imported.ignored, BTreeMap::from([("rank".to_owned(), 1)]));
    assert_eq!(second.task_type, Some(TaskType::EmpiricalTest));
    // A phase follows from the type; another benchmark's word for it stays beside ours.
    assert_eq!(second.phase, Some(Phase::Evaluate));
    assert_eq!(second.others["phase"], "later");
    assert_eq!(second.labels()["difficulty"], "hard");
}

#[test]
fn plain_lines_are_tasks_that_know_no_order() {
    let (ab, ba) = (
        imported(
            "txt",
            "\u{feff}How deep is the lake?\n\n  Wie tief ist der See, und seit wann wird seine Tiefe regelmäßig gemessen?  \nHow deep is the lake?\n",
        ),
        imported(
            "",
            "Wie tief ist der See, und seit wann wird seine Tiefe regelmäßig gemessen?\nHow deep is the lake?\n",
        ),
    );
    assert_eq!(ab.repeated, 1);
    assert_eq!(
        ab.guessed,
        BTreeMap::from([("en".into(), 1), ("de".into(), 1)])
    );
    let ids = |of: &Imported| {
        of.tasks
            .iter()
            .map(|task| task.id.clone())
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(ids(&ab), ids(&ba));
    assert_eq!(ab.tasks[0].file_id(), None);
}

#[test]
fn a_bad_row_is_named_and_the_others_are_taken() {
    let long = "a".repeat(MOST_CHARACTERS + 1);
    let rows = [
        r#"{"id": 1, "question": "Fine?"}"#.to_owned(),
        "{not json".to_owned(),
        r#"{"id": 2}"#.to_owned(),
        r#"{"id": 3, "question": 7}"#.to_owned(),
        r#"{"id": 4, "question": "  "}"#.to_owned(),
        r#"{"id": 1, "question": "Another?"}"#.to_owned(),
        r#"{"id": 5, "question": "Hidden \u202e?"}"#.to_owned(),
        r#"{"id": 6, "question": "Which?", "language": "english please"}"#.to_owned(),
        format!(r#"{{"id": 7, "question": "{long}"}}"#),
        r#"{"id": [8], "question": "Which?"}"#.to_owned(),
        r#"{"id": 9, "question": "Last?", "checklist": ["", "b"]}"#.to_owned(),
        r#"{"id": 10, "question": "Last?", "checklist": ["a", "b"]}"#.to_owned(),
    ];
    let imported = imported("jsonl", &rows.join("\n"));
    assert_eq!(imported.tasks.len(), 2);
    let refused: Vec<String> = imported
        .refused
        .iter()
        .map(|(line, why)| format!("{line}: {why}"))
        .collect();
    insta::assert_snapshot!(refused.join("\n"), @r"
    2: not a JSON object: key must be a string (column 2)
    3: no question: none of the fields `task`, `question`, `prompt`, `query`, `text`
    4: its question is not a text
    5: its question is empty
    6: the id `1` is another question's, too
    7: its question has invisible characters
    8: not a language tag: `english please`, such as `en` or `zh-Hans`
    9: its question has 20001 characters, over 20000
    10: its id is neither a text nor a number
    11: its checklist's item is empty
    ");
}

#[test]
fn what_is_no_file_of_questions_says_so() {
    assert_eq!(
        read_as("csv", "name,age\na,1\n"),
        Err("no column of questions among `name`, `age`\nhint: name it `question`".to_owned())
    );
    let options = Options {
        benchmark: "b",
        as_of: date(2026, 1, 1),
        is_static: false,
        language: None,
        licence: "unknown",
    };
    assert_eq!(
        read(b"a\xffb", Format::Lines, options),
        Err("not UTF-8 from byte 2".to_owned())
    );
    assert_eq!(imported("jsonl", "").tasks, []);
}

#[test]
fn slots_that_nobody_fills_are_named_and_stay() {
    let imported = imported("txt", "What about {{next_year}} and {{current_year}}?");
    assert_eq!(
        imported.unknown_slots,
        BTreeSet::from(["{{next_year}}".to_owned()])
    );
    assert_eq!(imported.tasks[0].text, "What about {{next_year}} and 2026?");
    assert!(imported.tasks[0].has_slots());
}

/// Made with pyarrow 26.0.1, compressed with snappy: three rows of two questions of ours, in the
/// layout of LiveResearchBench.
const PARQUET: &[u8] = include_bytes!("../../../../tests/data/benchmarks/rows.parquet");

fn of_parquet(bytes: &[u8], is_static: bool) -> Result<Imported, String> {
    let options = Options {
        benchmark: "outside",
        as_of: date(2026, 11, 3),
        is_static,
        language: Some("en"),
        licence: "CC0-1.0",
    };
    read(bytes, Format::guess("parquet", bytes), options)
}

#[test]
fn rows_of_parquet_are_joined_and_filled_by_us_or_by_the_benchmark() {
    let texts = |imported: &Imported| {
        let of = |task: &Task| (task.text.clone(), from(task).checklist.clone());
        imported.tasks.iter().map(of).collect::<Vec<_>>()
    };
    let now = of_parquet(PARQUET, false).expect("it can be read");
    let [(text, checklist), _] = &texts(&now)[..] else {
        panic!("{now:?}")
    };
    assert_eq!(text, "What changed in 2025?");
    assert_eq!(checklist, &["Names 2025", "Gives a table"]);
    let fixed = of_parquet(PARQUET, true).expect("it can be read");
    let [(text, checklist), _] = &texts(&fixed)[..] else {
        panic!("{fixed:?}")
    };
    assert_eq!(text, "What changed in 2024?");
    assert_eq!(checklist, &["Names 2024", "Gives a table"]);
    assert!(fixed.ignored.is_empty(), "{:?}", fixed.ignored);
}

/// A file that was cut or changed is refused, or read as far as it goes; it never brings us down.
#[test]
fn a_broken_file_of_parquet_is_no_trouble() {
    assert!(of_parquet(b"PAR1", false).is_err());
    let mut read = 0;
    for at in 4..PARQUET.len() {
        let mut changed = PARQUET.to_vec();
        changed[at] ^= 0x55;
        read += usize::from(of_parquet(&changed, false).is_ok());
        assert!(of_parquet(&PARQUET[..at], false).is_err(), "cut at {at}");
    }
    assert!(read < PARQUET.len(), "{read} changed files were read");
}
