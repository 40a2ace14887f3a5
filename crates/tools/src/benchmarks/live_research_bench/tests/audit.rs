//! Each finding, planted once in a sample without a fault, is found once and raises no other alarm.

use serde_json::{Value, json};

use super::samples::{self, MODELS, plant, remove};
use crate::benchmarks::live_research_bench::{
    Criterion,
    audit::{Finding, audit, audit_summary, audit_summary_beside, counts},
    facts::Known,
    files::{Incremental, ReportsFile, SummaryFile},
    recompute::recompute,
};

pub(super) fn of_reports(file: &Value) -> Vec<Finding> {
    let read = ReportsFile::read("d.json", file.to_string().as_bytes()).unwrap();
    audit(&read.value, &Known::default())
}

pub(super) fn summary_of(file: &Value) -> SummaryFile {
    SummaryFile::read("s.json", file.to_string().as_bytes())
        .unwrap()
        .value
}

/// One finding of a kind at a place, and no other.
pub(super) fn assert_only(findings: &[Finding], word: &str, message: &str) {
    let shown: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert_eq!(shown, [message]);
    assert_eq!(findings[0].kind.word(), word);
    assert_eq!(counts(findings)[word], 1);
    // The word is the one in JSON, too.
    assert_eq!(serde_json::to_value(&findings[0]).unwrap()["finding"], word);
}

fn plant_in_detailed(pointer: &str, value: Value, word: &str, message: &str) {
    let mut file = samples::detailed();
    plant(&mut file, pointer, value);
    assert_only(&of_reports(&file), word, message);
}

fn remove_from_detailed(pointer: &str, word: &str, message: &str) {
    let mut file = samples::detailed();
    remove(&mut file, pointer);
    assert_only(&of_reports(&file), word, message);
}

#[test]
fn samples_are_without_a_fault() {
    assert_eq!(of_reports(&samples::detailed()), []);
    assert_eq!(of_reports(&samples::reports()), []);
    assert_eq!(audit_summary(&summary_of(&samples::summary())), []);
    assert_eq!(audit_summary(&summary_of(&samples::averaged())), []);
    let recomputed = recompute(&samples::read(&samples::detailed()), &Known::default());
    assert_eq!(
        audit_summary_beside(&summary_of(&samples::summary()), &recomputed),
        []
    );
}

#[test]
fn scores_against_the_rubric() {
    plant_in_detailed(
        "/reports/0/citation_grading_results/score",
        json!(30),
        "score_off_rubric",
        "model `heron/large`, query `river01`, criterion `citation`, field `score`: \
         score 30, where 15 issues score 20",
    );
    plant_in_detailed(
        "/reports/3/consistency_grading_results/total_issues",
        json!(5),
        "issues_miscounted",
        "model `wren`, query `market02`, criterion `consistency`, field `total_issues`: \
         5 issues counted, 2 listed",
    );
    remove_from_detailed(
        "/reports/0/citation_grading_results/specific_issues",
        "facts_missing",
        "model `heron/large`, query `river01`, criterion `citation`, field `specific_issues`: \
         nothing in the block bears the grade out",
    );
}

#[test]
fn checklists_and_their_rates() {
    let place = "model `heron/large`, query `river01`, criterion";
    plant_in_detailed(
        "/reports/0/presentation_grading_results/summary/average_pass_rate",
        json!(110.0),
        "rate_above_all",
        &format!("{place} `presentation`, field `summary.average_pass_rate`: a pass rate of 110 %"),
    );
    plant_in_detailed(
        "/reports/0/coverage_grading_results/summary/percentage_addressed",
        json!(80),
        "rate_off_items",
        &format!(
            "{place} `coverage`, field `summary.percentage_addressed`: \
             a pass rate of 80 %, where the items give 75.0 %"
        ),
    );
    remove_from_detailed(
        "/reports/0/presentation_grading_results/evaluations/p4",
        "items_missing",
        &format!("{place} `presentation`, field `evaluations`: 1 of 10 items not judged"),
    );
    plant_in_detailed(
        "/reports/0/presentation_grading_results/evaluations/p11",
        json!({"score": 1, "justification": "x"}),
        "items_unknown",
        &format!(
            "{place} `presentation`, field `evaluations`: \
             1 judged items not on the checklist, such as `p11`"
        ),
    );
    plant_in_detailed(
        "/reports/0/coverage_grading_results/evaluations/q2/score",
        json!(0.5),
        "item_unread",
        &format!("{place} `coverage`, field `evaluations.q2.score`: a score other than 0 and 1"),
    );
    remove_from_detailed(
        "/reports/0/coverage_grading_results/summary/total_checklists",
        "checklist_unknown",
        &format!("{place} `coverage`: the checklist's length is not known"),
    );
    plant_in_detailed(
        "/reports/0/coverage_grading_results/evaluations/q1/score",
        json!(true),
        "other_kind",
        &format!(
            "{place} `coverage`, field `evaluations.q1.score`: expected a number, found `true`"
        ),
    );
}

#[test]
fn keys_that_only_look_like_items() {
    for key in [
        "p01",
        "p+1",
        "p0",
        "P1",
        "1",
        "p",
        "q1",
        "p99999999999999999999",
    ] {
        let mut file = samples::detailed();
        let pointer = format!("/reports/0/presentation_grading_results/evaluations/{key}");
        plant(&mut file, &pointer, json!({"score": 1}));
        let findings = of_reports(&file);
        assert_eq!(
            counts(&findings).into_iter().collect::<Vec<_>>(),
            [("items_unknown", 1)],
            "{key}"
        );
    }
}

#[test]
fn the_known_checklist_goes_before_the_stored_length() {
    let file = samples::read(&samples::detailed());
    let known = Known {
        checklists: [("market02".to_owned(), 5), ("qid_river01".to_owned(), 4)].into(),
        ..Known::default()
    };
    let findings = audit(&file, &known);
    assert_eq!(
        counts(&findings).into_iter().collect::<Vec<_>>(),
        [("items_missing", 3)]
    );
}

#[test]
fn a_huge_checklist_takes_no_time() {
    let mut file = samples::detailed();
    let pointer = "/reports/0/coverage_grading_results/summary/total_checklists";
    plant(&mut file, pointer, json!(u64::MAX));
    assert_eq!(
        counts(&of_reports(&file)).into_iter().collect::<Vec<_>>(),
        [("items_missing", 1)]
    );
}

#[test]
fn a_grade_that_stands_with_two_models() {
    for criterion in Criterion::ALL {
        let name = criterion.block_name();
        let mut file = samples::detailed();
        let copy = file["reports"][1][name].clone();
        file["reports"][3][name] = copy;
        assert_only(
            &of_reports(&file),
            "copied_grade",
            &format!(
                "query `market02`, criterion `{criterion}`: \
                 the same grade stands with 2 models: `heron/large`, `wren`"
            ),
        );
    }
}

#[test]
fn a_copied_grade_among_results_as_they_come_in() {
    let lines = MODELS.map(|model| {
        let line = samples::line(model, "market02", "citation", samples::issues(7, 3, 80));
        line.to_string()
    });
    let read = Incremental::read("citation_results.jsonl", lines.join("\n").as_bytes());
    let findings = audit(&read.value.into_reports(), &Known::default());
    assert_eq!(
        counts(&findings).into_iter().collect::<Vec<_>>(),
        [("copied_grade", 1)]
    );
}

#[test]
fn equal_grades_that_are_no_copies() {
    // At another moment, at none, about another query, or with too few words.
    let mut file = samples::detailed();
    file["reports"][3]["citation_grading_results"] =
        file["reports"][1]["citation_grading_results"].clone();
    plant(
        &mut file,
        "/reports/3/citation_grading_results/graded_at",
        json!("2026-03-01T00:00:00"),
    );
    file["reports"][2]["consistency_grading_results"] =
        file["reports"][1]["consistency_grading_results"].clone();
    for report in [1, 3] {
        let mut timeless = samples::coverage(7);
        timeless["graded_at"] = json!(null);
        file["reports"][report]["coverage_grading_results"] = timeless;
    }
    for report in [0, 2, 4] {
        let mut short = samples::issues(1, 0, 100);
        short["justification"] = json!("Nothing found.");
        file["reports"][report]["citation_grading_results"] = short;
    }
    assert_eq!(of_reports(&file), []);
}

fn turned(fields: &Value) -> Value {
    let fields = fields.as_object().unwrap().iter().rev();
    Value::Object(
        fields
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    )
}

#[test]
fn a_copy_is_found_whatever_the_order_of_its_fields() {
    let mut file = samples::detailed();
    let mut copy = turned(&file["reports"][1]["presentation_grading_results"]);
    copy["evaluations"] = turned(&copy["evaluations"]);
    file["reports"][3]["presentation_grading_results"] = copy;
    assert_eq!(
        counts(&of_reports(&file)).into_iter().collect::<Vec<_>>(),
        [("copied_grade", 1)]
    );
}

#[test]
fn nulls_raise_no_alarm() {
    let mut file = samples::detailed();
    for field in ["provider", "error", "justification"] {
        let pointer = format!("/reports/0/citation_grading_results/{field}");
        plant(&mut file, &pointer, json!(null));
    }
    samples::read(&file);
    assert_eq!(of_reports(&file), []);
}

#[test]
fn in_the_second_order_the_evaluated_report_is_b() {
    let mut file = samples::detailed();
    let depth = "/reports/0/depth_grading_results";
    plant(
        &mut file,
        &format!("{depth}/winner_comparison_2"),
        json!("evaluated_model"),
    );
    plant(
        &mut file,
        &format!("{depth}/raw_comparison_2/winner"),
        json!("B"),
    );
    plant(
        &mut file,
        &format!("{depth}/raw_comparison_2/scores/B/density"),
        json!(5),
    );
    plant(
        &mut file,
        &format!("{depth}/raw_comparison_2/scores/B/total"),
        json!(17),
    );
    assert_eq!(of_reports(&file), []);
}

#[test]
fn reports_without_a_grade() {
    let place = "model `wren`, query `river01`, criterion `coverage`";
    remove_from_detailed(
        "/reports/2/coverage_grading_results",
        "ungraded",
        &format!("{place}: not graded"),
    );
    plant_in_detailed(
        "/reports/2/coverage_grading_results",
        json!("overloaded"),
        "broken_block",
        &format!("{place}: the grading block is no object"),
    );
    plant_in_detailed(
        "/reports/2/coverage_grading_results",
        json!({"error": "no checklist", "evaluations": {}, "summary": {}}),
        "grading_failed",
        &format!("{place}: grading failed: `no checklist`"),
    );
    // A criterion that was asked, and that no report has.
    let known = Known {
        criteria: vec![Criterion::Citation],
        ..Known::default()
    };
    let findings = audit(&samples::read(&samples::reports()), &known);
    assert_eq!(counts(&findings)["ungraded"], 4);
}

#[test]
fn entries_that_are_no_reports_or_stand_twice() {
    plant_in_detailed(
        "/reports/5",
        json!(null),
        "no_report",
        "field `reports[5]`: no report with a model and a query",
    );
    remove_from_detailed(
        "/reports/2/model_name",
        "no_report",
        "query `river01`, field `reports[2]`: no report with a model and a query",
    );
    let mut file = samples::detailed();
    let mut again = file["reports"][0].clone();
    again["query_id"] = json!("river01");
    file["reports"].as_array_mut().unwrap().push(again);
    assert_only(
        &of_reports(&file),
        "repeated_report",
        "model `heron/large`, query `river01`: stands in the file 2 times",
    );
}

#[test]
fn winners_and_totals() {
    let place = "model `heron/large`, query `river01`, criterion `depth`";
    let raw = "/reports/0/depth_grading_results/raw_comparison_1";
    let mut file = samples::detailed();
    plant(
        &mut file,
        "/reports/0/depth_grading_results/winner_comparison_1",
        json!("tie"),
    );
    plant(&mut file, &format!("{raw}/winner"), json!("tie"));
    assert_only(
        &of_reports(&file),
        "winner_off_totals",
        &format!("{place}, field `winner_comparison_1`: a tie where the totals give a win"),
    );
    // The second order: A is the reference, so that A's win is a loss.
    let mut file = samples::detailed();
    plant(
        &mut file,
        "/reports/0/depth_grading_results/winner_comparison_2",
        json!("reference_model"),
    );
    plant(
        &mut file,
        "/reports/0/depth_grading_results/raw_comparison_2/winner",
        json!("A"),
    );
    assert_only(
        &of_reports(&file),
        "winner_off_totals",
        &format!("{place}, field `winner_comparison_2`: a loss where the totals give a tie"),
    );
    plant_in_detailed(
        &format!("{raw}/winner"),
        json!("B"),
        "winner_off_reply",
        &format!("{place}, field `winner_comparison_1`: a win where the judge said loss"),
    );
    remove_from_detailed(
        &format!("{raw}/winner"),
        "winner_missing",
        &format!("{place}, field `raw_comparison_1.winner`: no winner"),
    );
    remove_from_detailed(
        "/reports/0/depth_grading_results/winner_comparison_2",
        "winner_missing",
        &format!("{place}, field `winner_comparison_2`: no winner"),
    );
    plant_in_detailed(
        &format!("{raw}/scores/A/total"),
        json!(21),
        "total_off_dimensions",
        &format!(
            "{place}, field `raw_comparison_1.scores.A.total`: \
             a total of 21, where the dimensions sum to 20"
        ),
    );
    plant_in_detailed(
        &format!("{raw}/scores/B/density"),
        json!(6),
        "dimensions_unread",
        &format!(
            "{place}, field `raw_comparison_1.scores`: a dimension without a score from 0 to 5"
        ),
    );
}

#[test]
fn a_dimension_of_another_kind_is_one_finding() {
    plant_in_detailed(
        "/reports/0/depth_grading_results/raw_comparison_1/scores/B/density",
        json!("3"),
        "other_kind",
        "model `heron/large`, query `river01`, criterion `depth`, \
         field `raw_comparison_1.scores.B.density`: expected a number, found the text `3`",
    );
}

/// A missing winner that the benchmark made a tie of is one finding, not two.
#[test]
fn a_missing_winner_that_became_a_tie() {
    let mut file = samples::detailed();
    remove(
        &mut file,
        "/reports/0/depth_grading_results/raw_comparison_1/winner",
    );
    plant(
        &mut file,
        "/reports/0/depth_grading_results/winner_comparison_1",
        json!("tie"),
    );
    assert_eq!(
        counts(&of_reports(&file)).into_iter().collect::<Vec<_>>(),
        [("winner_missing", 1)]
    );
}

#[test]
fn depth_of_another_model_or_of_one_order() {
    let place = "model `heron/large`, query `river01`, criterion `depth`";
    plant_in_detailed(
        "/reports/0/depth_grading_results/evaluated_model",
        json!("wren"),
        "other_models_grade",
        &format!("{place}, field `evaluated_model`: the grade is about `wren`"),
    );
    let mut file = samples::detailed();
    remove(
        &mut file,
        "/reports/0/depth_grading_results/raw_comparison_2",
    );
    remove(
        &mut file,
        "/reports/0/depth_grading_results/winner_comparison_2",
    );
    assert_only(
        &of_reports(&file),
        "one_order",
        &format!("{place}: compared in one order only"),
    );
    remove_from_detailed(
        "/reports/0/depth_grading_results/raw_comparison_2",
        "facts_missing",
        &format!("{place}, field `raw_comparison_2`: nothing in the block bears the grade out"),
    );
}

/// The whole file at once: counts by kind.
#[test]
fn several_faults_are_counted_apart() {
    let mut file = samples::detailed();
    for report in 0..4 {
        let pointer = format!("/reports/{report}/citation_grading_results/score");
        plant(&mut file, &pointer, json!(100));
    }
    remove(&mut file, "/reports/4/consistency_grading_results");
    let counts = counts(&of_reports(&file));
    assert_eq!(
        counts.into_iter().collect::<Vec<_>>(),
        [("score_off_rubric", 4), ("ungraded", 1)]
    );
    assert_eq!(MODELS.len(), 2);
}
