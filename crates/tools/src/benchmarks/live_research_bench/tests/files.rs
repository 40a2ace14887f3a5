//! Files: round trips, ids with and without their prefix, duplicates, broken parts.

use proptest::prelude::*;
use serde_json::{Number, Value, json};

use super::samples::{self, MODELS, QUERIES, plant};
use crate::benchmarks::live_research_bench::{
    Criterion,
    audit::{audit, audit_summary},
    facts::Known,
    files::{
        Attached, Incremental, IssueBlock, QueryId, Report, ReportsFile, Spot, SummaryFile, bare_id,
    },
    recompute::recompute,
};

fn reports_again(value: &Value) -> Value {
    let read = ReportsFile::read("r.json", value.to_string().as_bytes()).unwrap();
    serde_json::from_str(&read.value.write()).unwrap()
}

fn summary_again(value: &Value) -> Value {
    let read = SummaryFile::read("s.json", value.to_string().as_bytes()).unwrap();
    assert_eq!(read.problems, []);
    serde_json::from_str(&read.value.write()).unwrap()
}

#[test]
fn each_file_is_written_as_it_was_read() {
    for file in [samples::reports(), samples::detailed()] {
        samples::read(&file);
        assert_eq!(reports_again(&file), file);
    }
    for file in [samples::summary(), samples::averaged()] {
        assert_eq!(summary_again(&file), file);
    }
}

fn text_of(lines: &[Value]) -> String {
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

#[test]
fn lines_are_written_as_they_were_read() {
    let lines = [
        samples::line("wren", "qid_river01", "citation", samples::issues(1, 3, 80)),
        samples::line("wren", "market02", "depth", samples::depth(2, "wren")),
    ];
    let read = Incremental::read(
        "incremental/citation_results.jsonl",
        text_of(&lines).as_bytes(),
    );
    assert_eq!(read.problems, []);
    let again: Vec<Value> = read
        .value
        .write()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(again, lines);
}

/// Files of ours are written from typed values.
#[test]
fn typed_values_have_the_names_of_the_format() {
    let block = IssueBlock {
        provider: "local".to_owned().into(),
        specific_issues: vec![json!("两处矛盾")].into(),
        total_issues: 1.into(),
        score: Number::from(90).into(),
        ..IssueBlock::default()
    };
    let report = Report {
        model_name: "wren".to_owned().into(),
        query_id: QueryId::new("river01").into(),
        consistency: Box::new(block).into(),
        ..Report::default()
    };
    let file = ReportsFile {
        reports: vec![Box::new(report).into()].into(),
        ..ReportsFile::default()
    };
    let written: Value = serde_json::from_str(&file.write()).unwrap();
    let block = json!({
        "provider": "local", "specific_issues": ["两处矛盾"], "total_issues": 1, "score": 90,
    });
    let report = json!({
        "model_name": "wren", "query_id": "river01", "consistency_grading_results": block,
    });
    assert_eq!(written, json!({"reports": [report]}));
    assert_eq!(samples::read(&written), file);
}

#[test]
fn unknown_fields_stay_at_every_depth() {
    let mut file = samples::detailed();
    for pointer in [
        "/new",
        "/metadata/new",
        "/reports/0/new",
        "/reports/0/citation_grading_results/new",
        "/reports/0/coverage_grading_results/summary/new",
        "/reports/0/coverage_grading_results/evaluations/q1/new",
        "/reports/0/depth_grading_results/raw_comparison_1/scores/A/new",
    ] {
        plant(&mut file, pointer, json!({"深": [1, 2.50, null]}));
    }
    samples::read(&file);
    assert_eq!(reports_again(&file), file);
}

#[test]
fn numbers_stay_whole_or_fractions() {
    let mut file = samples::detailed();
    plant(
        &mut file,
        "/reports/0/citation_grading_results/score",
        json!(20.0),
    );
    plant(
        &mut file,
        "/reports/1/presentation_grading_results/summary/average_pass_rate",
        json!(80),
    );
    let text = reports_again(&file).to_string();
    assert_eq!(text, reports_again(&file).to_string());
    assert_eq!(reports_again(&file), file);
    assert!(reports_again(&file)["reports"][0]["citation_grading_results"]["score"].is_f64());
}

#[test]
fn reports_are_found_with_the_prefix_and_without() {
    let file = samples::read(&samples::reports());
    for id in ["river01", "qid_river01", "market02", "qid_market02"] {
        let report = file.find("wren", id).expect(id);
        assert_eq!(report.query_id.get().unwrap().bare(), bare_id(id));
    }
    assert!(file.find("wren", "river").is_none());
    assert!(file.find("heron", "river01").is_none());
}

#[test]
fn ids_may_be_numbers() {
    let mut file = samples::reports();
    plant(&mut file, "/reports/0/query_id", json!(7));
    assert!(samples::read(&file).find(MODELS[0], "qid_7").is_some());
    assert_eq!(reports_again(&file), file);
}

#[test]
fn duplicates_go_and_are_counted() {
    let mut file = samples::detailed();
    let reports = file["reports"].as_array_mut().unwrap();
    let mut same = reports[0].clone();
    same["query_id"] = json!("river01");
    let mut other = reports[3].clone();
    other["citation_grading_results"] = samples::issues(9, 0, 100);
    reports.extend([same, other]);
    let mut file = samples::read(&file);
    let removed = file.remove_duplicates();
    let same: Vec<bool> = removed.iter().map(|removed| removed.same).collect();
    assert_eq!(same, [true, false]);
    assert_eq!(removed[0].report.query_id.get().unwrap().bare(), "river01");
    assert_eq!(serde_json::to_value(&file).unwrap(), samples::detailed());
    assert_eq!(file.remove_duplicates(), []);
}

#[test]
fn a_broken_block_loses_no_other() {
    let mut file = samples::detailed();
    plant(
        &mut file,
        "/reports/1/citation_grading_results",
        json!("overloaded"),
    );
    plant(
        &mut file,
        "/reports/2/presentation_grading_results/evaluations/p3/score",
        json!("yes"),
    );
    plant(&mut file, "/reports/3", json!(["not", "a", "report"]));
    let read = ReportsFile::read("d.json", file.to_string().as_bytes()).unwrap();
    let problems: Vec<String> = read
        .problems
        .iter()
        .map(|problem| format!("{}: {}", problem.spot, problem.why))
        .collect();
    assert_eq!(
        problems,
        [
            "`reports[1].citation_grading_results`: expected an object, \
             found the text `overloaded`",
            "`reports[2].presentation_grading_results.evaluations.p3.score`: \
             expected a number, found the text `yes`",
            "`reports[3]`: expected an object, found a list of 3",
        ]
    );
    let message = read.problems[2].to_string();
    assert!(
        message.starts_with("d.json: `reports[3]`: expected"),
        "{message}"
    );
    assert!(message.contains("\nhint: "), "{message}");
    assert_eq!(serde_json::to_value(&read.value).unwrap(), file);
    let report = read.value.find(MODELS[0], QUERIES[1]).unwrap();
    assert!(report.coverage.get().is_some() && report.citation.get().is_none());
}

#[test]
fn what_cannot_be_read_says_where_and_what_to_do() {
    let error = |text: &str| ReportsFile::read("d.json", text.as_bytes()).unwrap_err();
    let cut = error("{\n\"reports\": [\n{\"model_name\": \"a");
    assert_eq!(cut.spot, Spot::Line(3));
    assert!(cut.hint.contains("ends too early"), "{cut}");
    let nan = error("{\"reports\": [],\n\"mean\": NaN}");
    assert_eq!(nan.spot, Spot::Line(2));
    assert!(nan.hint.contains("NaN"), "{nan}");
    let other = error("{\"results_by_model\": {}}");
    assert_eq!(other.spot, Spot::Field("reports".to_owned()));
    assert!(
        error("{\"reports\": 3}")
            .to_string()
            .starts_with("d.json: `reports`: not a list\nhint: ")
    );
    assert!(error("[]").why.contains("not a JSON object"));
    let deep = format!(
        "{{\"reports\": {}{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert!(error(&deep).why.contains("recursion"), "{}", error(&deep));
}

#[test]
fn a_broken_line_loses_no_other() {
    let good = samples::line("wren", "market02", "citation", samples::issues(1, 3, 80));
    let odd = samples::line("wren", "river01", "citation", json!([1]));
    let text = format!("{good}\n\n{{\"query_id\": \"x\", \"mo\n{odd}\n[1]\n");
    let read = Incremental::read("citation_results.jsonl", text.as_bytes());
    let numbers: Vec<usize> = read.value.lines.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [1, 4]);
    let spots: Vec<String> = read.problems.iter().map(|p| p.spot.to_string()).collect();
    assert_eq!(
        spots,
        ["line 3", "line 4, `citation_grading_results`", "line 5"]
    );
}

#[test]
fn names_of_incremental_files() {
    let of = Criterion::of_incremental;
    assert_eq!(
        of("x/incremental/depth_results.jsonl"),
        Some(Criterion::Depth)
    );
    assert_eq!(of("citation_results.jsonl"), Some(Criterion::Citation));
    assert_eq!(of("citation_results.json"), None);
    for criterion in Criterion::ALL {
        assert_eq!(of(&format!("{criterion}_results.jsonl")), Some(criterion));
        assert_eq!(
            criterion.block_name(),
            format!("{criterion}_grading_results")
        );
    }
}

fn incremental(lines: &[Value]) -> Incremental {
    Incremental::read("citation_results.jsonl", text_of(lines).as_bytes()).value
}

/// A run that goes on after a stop: one model's grade is there, the other's is not.
#[test]
fn a_grade_never_reaches_another_model() {
    let done = incremental(&[samples::line(
        MODELS[0],
        "river01",
        "citation",
        samples::issues(1, 3, 80),
    )]);
    let mut file = samples::read(&samples::reports());
    let attached = done.attach(Criterion::Citation, &mut file);
    let expected = Attached {
        attached: 1,
        ungraded: 3,
        ..Attached::default()
    };
    assert_eq!(attached, expected);
    assert!(
        file.find(MODELS[0], "river01")
            .unwrap()
            .citation
            .get()
            .is_some()
    );
    assert!(
        file.find(MODELS[1], "river01")
            .unwrap()
            .citation
            .is_absent()
    );
}

#[test]
fn the_last_usable_line_counts() {
    let citation = |query, block| samples::line("wren", query, "citation", block);
    let failed = json!({"error": "timeout", "graded_at": "2026-02-04"});
    let done = incremental(&[
        citation("river01", samples::issues(1, 3, 80)),
        citation("qid_river01", samples::issues(2, 1, 90)),
        citation("river01", failed.clone()),
        citation("market02", failed),
        citation("market02", samples::issues(3, 0, 100)),
        citation("elsewhere", samples::issues(4, 0, 100)),
    ]);
    let mut file = samples::read(&samples::reports());
    let attached = done.attach(Criterion::Citation, &mut file);
    assert_eq!(attached.attached, 2);
    assert_eq!(attached.superseded, [1, 3, 4]);
    assert_eq!(attached.unmatched, [6]);
    let issues = |query| {
        let report = file.find("wren", query).unwrap();
        report.citation.get().unwrap().total_issues.get().copied()
    };
    assert_eq!(issues("river01"), Some(1));
    assert_eq!(issues("market02"), Some(0));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e6..1e6).prop_map(Value::from),
        "[a-z河流]{0,5}".prop_map(Value::from),
        Just(json!("tie")),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let key = prop_oneof![
            Just("score".to_owned()),
            Just("p1".to_owned()),
            "[a-z]{0,3}"
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..3)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// The pointers of all values inside a value.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(k, v)| (k.clone(), v)).collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(n, v)| (n.to_string(), v))
            .collect(),
        _ => Vec::new(),
    };
    for (name, child) in children {
        let pointer = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        pointers(child, &pointer, found);
        found.push(pointer);
    }
}

proptest! {
    /// Whatever stands at whatever place: what can be read is written as it was, and auditing and
    /// computing it again does not panic.
    #[test]
    fn any_value_anywhere_is_kept(at in any::<prop::sample::Index>(), value in any_json()) {
        let mut file = samples::detailed();
        let mut places = Vec::new();
        pointers(&file, "", &mut places);
        let place = &places[at.index(places.len())];
        *file.pointer_mut(place).unwrap() = value.clone();
        // The JSON parser reads some fractions a last bit off: what it read is what is kept.
        let file: Value = serde_json::from_str(&file.to_string()).unwrap();
        if let Ok(read) = ReportsFile::read("d.json", file.to_string().as_bytes()) {
            prop_assert_eq!(serde_json::to_value(&read.value).unwrap(), file);
            let findings = audit(&read.value, &Known::default());
            // A value at one place puts no more in doubt than the grades around it.
            prop_assert!(findings.len() <= 12, "{findings:?}");
            let figures = recompute(&read.value, &Known::default());
            prop_assert!(figures.models.len() <= 4);
        } else {
            prop_assert!(place == "/reports" && !value.is_array(), "{place}");
        }

        let mut file = samples::averaged();
        let mut places = Vec::new();
        pointers(&file, "", &mut places);
        let place = &places[at.index(places.len())];
        *file.pointer_mut(place).unwrap() = value;
        let file: Value = serde_json::from_str(&file.to_string()).unwrap();
        let read = SummaryFile::read("a.json", file.to_string().as_bytes()).unwrap();
        prop_assert_eq!(serde_json::to_value(&read.value).unwrap(), file);
        prop_assert!(audit_summary(&read.value).len() <= 4);
    }
}
