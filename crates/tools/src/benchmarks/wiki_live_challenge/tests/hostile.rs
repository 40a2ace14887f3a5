//! Hostile files: each is a typed problem or a whole reading, soon, and never a crash.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::samples::{article_value, read_broken, text};
use crate::benchmarks::wiki_live_challenge::{
    aggregate::{Counting, citation::citation, verifiability::verifiability, writing::writing},
    doctor::{Place, check_article, marks, stub},
    files::{
        ArticleFile, CitationFile, JsonFile, MarkdownFile, Spot, TaskTable, VerifiabilityFile,
        WritingFile, round_trip,
    },
    layout::{FileKind, known},
};

const MILLION: usize = 1_000_000;

fn problem(kind: FileKind, bytes: &[u8]) -> String {
    round_trip(kind, "f.json", bytes).unwrap_err().to_string()
}

#[test]
fn every_truncation_of_an_article_is_a_problem_with_its_line() {
    let file = text(&article_value());
    let lines = file.lines().count();
    for end in (0..file.len()).filter(|end| file.is_char_boundary(*end)) {
        let cut = &file.as_bytes()[..end];
        let problem = JsonFile::<ArticleFile>::read("f", cut).unwrap_err();
        let line = match problem.spot {
            Spot::Line(line) | Spot::LineField(line, _) => line,
            Spot::Field(path) => panic!("{path}"),
        };
        assert!((1..=lines).contains(&line));
        assert!(
            problem.hint.contains("ends too early"),
            "{end}: {}",
            problem.why
        );
    }
}

#[test]
fn deep_nesting_is_refused_at_once() {
    for open in ["[", "{\"a\":", "[{\"a\":"] {
        let deep = open.repeat(MILLION);
        assert!(problem(FileKind::AgencyJson, deep.as_bytes()).contains("deep"));
    }
}

#[test]
fn wrong_kinds_of_whole_files() {
    for value in [
        json!(1),
        json!("x"),
        json!(null),
        json!([]),
        json!({}),
        json!([[1]]),
    ] {
        let bytes = value.to_string();
        for kind in FileKind::ALL {
            // A list of something may be a list of statements; whatever is read is written again.
            match round_trip(kind, "f", bytes.as_bytes()) {
                Ok(trip) => assert_eq!(trip.differences, [], "{} {value}", kind.word()),
                Err(problem) => assert!(problem.to_string().contains("\nhint: ")),
            }
        }
    }
}

#[test]
fn a_long_string_is_read_and_written_again() {
    let mut value = article_value();
    value["query"]["pages"]["4711"]["extract"] = json!("桥[1] (".repeat(MILLION));
    let file = text(&value);
    let trip = round_trip(FileKind::AgencyJson, "f", file.as_bytes()).unwrap();
    assert_eq!((trip.differences.len(), trip.problems.len()), (0, 0));
}

#[test]
fn a_million_repeated_keys_are_told_shortly() {
    let key = "k".repeat(40);
    let fields = format!("\"{key}\": 1,\n").repeat(MILLION / 10);
    let file = format!("{{\"agencies\": {{{fields}\"last\": 2}}}}");
    let trip = round_trip(FileKind::Agencies, "f", file.as_bytes()).unwrap();
    assert!(
        (1..=500).contains(&trip.problems.len()),
        "{}",
        trip.problems.len()
    );
}

#[test]
fn a_million_wrong_kinds_are_told_shortly() {
    let file = format!("[{}1]", "1,".repeat(MILLION));
    let trip = round_trip(FileKind::GoldStatements, "f", file.as_bytes()).unwrap();
    assert_eq!(trip.problems.len(), 1_001);
    assert!(
        trip.problems[1_000].why.starts_with("999001 more"),
        "{}",
        trip.problems[1_000]
    );
}

#[test]
fn a_wide_indent_does_not_multiply() {
    let file = format!("[\n{}{}1]", " ".repeat(MILLION), "1,\n".repeat(1_000));
    let trip = round_trip(FileKind::GoldStatements, "f", file.as_bytes()).unwrap();
    assert_eq!(trip.differences.len(), 1);
}

#[test]
fn texts_of_brackets() {
    for hostile in ["[", "[1,", "](", "[1][", "\\[", "(", "【1", "[[[1]]]("] {
        let long = hostile.repeat(MILLION);
        let found = marks(&long).len();
        assert!(found <= MILLION, "{found}");
        assert_eq!(stub(&long, &long), None);
        let short: String = long.chars().take(1_400).collect();
        let _: Option<_> = stub(&short, &short);
        let title = MarkdownFile { text: long }.article("stem").title;
        assert_eq!(title, "stem");
    }
}

#[test]
fn many_statements_of_many_numbers() {
    let statements: Vec<Value> = (0..20_000)
        .map(|at| json!({"fact": "x", "ref_idx": [at.to_string(), "1", "1"]}))
        .collect();
    let mut value = article_value();
    let urls = (1..=20_000).map(|at| (at.to_string(), json!("https://a.test/")));
    value["query"]["pages"]["4711"]["citation_urls"] = Value::Object(urls.collect());
    value["query"]["pages"]["4711"]["statements"] = statements.into();
    let file: ArticleFile = read_broken(&value);
    let (findings, counts) = check_article(&Place::article("a", "b"), None, Some(&file));
    assert_eq!(counts.statements, 20_000);
    assert!(findings.len() > 19_000, "{}", findings.len());
    let page = file.page().unwrap().1;
    let none: CitationFile = read_broken(&json!({"status": "completed"}));
    let figures = citation(&none, Some(page), Counting::Strict);
    assert_eq!(figures.all_pairs, Some(2 * 20_000 - 2));
}

#[test]
fn counts_beyond_all_bounds() {
    let huge = u64::MAX;
    let file: VerifiabilityFile = read_broken(&json!({
        "num_gen_sentences": huge, "num_gt_sentences": huge,
        "alignments": [], "coverage_alignments": "none",
    }));
    for counting in [Counting::Compat, Counting::Strict] {
        let figures = verifiability(&file, counting);
        assert_eq!(figures.avg_top1_sim, None);
        let mut stored = file.clone();
        figures.store(&mut stored);
    }
    let file: CitationFile = read_broken(&json!({
        "status": "completed", "total_statements": huge,
        "results": [{"statement_index": huge, "verdict": "support"}],
    }));
    let figures = citation(&file, None, Counting::Strict);
    assert_eq!(figures.statements.support, 1);
    let file: WritingFile = read_broken(&json!({"details": {"Neutral": [
        {"criterion_index": huge, "winner": "gen", "winner_code": huge},
    ]}}));
    assert_eq!(writing(&file, Counting::Strict).overall.total(), 39);
}

fn rows() -> impl Strategy<Value = Vec<Vec<String>>> {
    let cells = prop::collection::vec("[a,\"\n\r 桥]{0,4}", 1..4);
    prop::collection::vec(cells, 1..5)
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for kind in FileKind::ALL {
            if let Err(problem) = round_trip(kind, "f", &bytes) {
                prop_assert!(!problem.why.is_empty() && !problem.hint.is_empty());
            }
        }
    }

    #[test]
    fn any_table_comes_back(rows in rows()) {
        let mut table = TaskTable {
            columns: vec!["title".to_owned(), "x".to_owned()],
            ..TaskTable::default()
        };
        table.rows = rows.into_iter().map(|cells| (0, cells)).collect();
        let again = TaskTable::read("f", table.write().as_bytes()).unwrap().value;
        let cells = |table: &TaskTable| -> Vec<Vec<String>> {
            table.rows.iter().map(|(_, cells)| cells.clone()).collect()
        };
        prop_assert_eq!(cells(&again), cells(&table));
    }

    #[test]
    fn any_path_is_known_or_not(path in "[a-z_./\\\\桥]{0,30}") {
        if let Some(known) = known(&path) {
            prop_assert!(path.contains(known.stem));
        }
    }
}
