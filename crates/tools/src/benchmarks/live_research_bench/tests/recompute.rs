//! Figures from facts: nothing copied, nothing dropped, nothing that is zero for want of a score.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::samples::{self, MODELS, REFERENCE, plant, remove};
use crate::benchmarks::live_research_bench::{
    Criterion,
    depth::Games,
    facts::{Cause, Known},
    files::ReportsFile,
    recompute::{Mean, Recomputed, recompute},
};

fn figures(file: &Value) -> Recomputed {
    let read = ReportsFile::read("d.json", file.to_string().as_bytes()).unwrap();
    recompute(&read.value, &Known::default())
}

fn mean(figures: &Recomputed, model: &str, criterion: Criterion) -> Mean {
    figures.model(model).unwrap().means[&criterion].clone()
}

fn unscored(causes: &[(Cause, usize)]) -> BTreeMap<Cause, usize> {
    causes.iter().copied().collect()
}

#[test]
fn figures_of_the_sample() {
    let figures = figures(&samples::detailed());
    let names: Vec<&str> = figures
        .models
        .iter()
        .map(|model| model.name.as_str())
        .collect();
    assert_eq!(names, [MODELS[0], MODELS[1], REFERENCE]);
    for model in &figures.models {
        assert_eq!(model.reports, 2);
        let means: Vec<Option<f64>> = model.means.values().map(|mean| mean.mean).collect();
        assert_eq!(means, [Some(80.0), Some(75.0), Some(90.0), Some(20.0)]);
        assert_eq!(model.overall(), Some(66.25));
    }
    let depth = figures.models[0].depth.clone().unwrap();
    let games = Games {
        wins: 2,
        losses: 0,
        ties: 2,
    };
    assert_eq!(depth.count_both, games);
    assert_eq!(depth.count_both.win_rate(), Some(100.0));
    // Averaged totals are 17.5 and 15.
    assert_eq!(depth.mean_total.wins, 2);
    assert_eq!(depth.consistency, Some(0.0));
    let reference = figures.model(REFERENCE).unwrap().depth.clone().unwrap();
    assert!(reference.is_reference && reference.unscored.is_empty());
    assert_eq!(reference.count_both.win_rate(), None);
}

#[test]
fn stored_numbers_are_not_believed() {
    let mut file = samples::detailed();
    plant(
        &mut file,
        "/reports/0/citation_grading_results/score",
        json!(100),
    );
    plant(
        &mut file,
        "/reports/0/citation_grading_results/total_issues",
        json!(0),
    );
    plant(
        &mut file,
        "/reports/0/presentation_grading_results/summary/average_pass_rate",
        json!(100),
    );
    plant(
        &mut file,
        "/reports/0/depth_grading_results/winner_comparison_2",
        json!("evaluated_model"),
    );
    plant(
        &mut file,
        "/reports/0/depth_grading_results/raw_comparison_1/scores/A/total",
        json!(1),
    );
    assert_eq!(figures(&file), figures(&samples::detailed()));
}

#[test]
fn in_the_second_order_the_evaluated_report_is_b() {
    let wins_and_losses = |side: &str| {
        let mut file = samples::detailed();
        let scores = "/reports/0/depth_grading_results/raw_comparison_2/scores";
        plant(&mut file, &format!("{scores}/{side}/density"), json!(5));
        let games = figures(&file).models[0].depth.clone().unwrap().count_both;
        (games.wins, games.losses, games.ties)
    };
    assert_eq!(wins_and_losses("B"), (3, 0, 1));
    assert_eq!(wins_and_losses("A"), (2, 1, 1));
}

/// A restart that copied one model's grade to another: nobody can tell whose it is.
#[test]
fn a_copied_grade_is_nobodys() {
    let mut file = samples::detailed();
    let copy = file["reports"][1]["citation_grading_results"].clone();
    file["reports"][3]["citation_grading_results"] = copy;
    let figures = figures(&file);
    for model in MODELS {
        let mean = mean(&figures, model, Criterion::Citation);
        assert_eq!((mean.mean, mean.scored), (Some(20.0), 1));
        assert_eq!(mean.unscored, unscored(&[(Cause::Copied, 1)]));
    }
    assert_eq!(mean(&figures, REFERENCE, Criterion::Citation).scored, 2);
}

/// A depth block names its model, so that a copy leaves the right one alone.
#[test]
fn a_copied_comparison_is_its_models() {
    let mut file = samples::detailed();
    let copy = file["reports"][1]["depth_grading_results"].clone();
    file["reports"][3]["depth_grading_results"] = copy;
    let figures = figures(&file);
    let depth = |model| figures.model(model).unwrap().depth.clone().unwrap();
    assert_eq!((depth(MODELS[0]).pairs, depth(MODELS[1]).pairs), (2, 1));
    assert_eq!(depth(MODELS[0]).unscored, unscored(&[]));
    assert_eq!(
        depth(MODELS[1]).unscored,
        unscored(&[(Cause::OtherModel, 1)])
    );
}

#[test]
fn each_cause_is_counted_and_none_is_a_zero() {
    let checks = [
        ("citation_grading_results", Value::Null, Cause::Ungraded),
        ("citation_grading_results", json!([]), Cause::BrokenBlock),
        (
            "citation_grading_results",
            json!({"score": 90, "total_issues": 2}),
            Cause::NoIssueList,
        ),
        (
            "coverage_grading_results",
            json!({"error": "none", "evaluations": {}}),
            Cause::GradingFailed,
        ),
        (
            "coverage_grading_results",
            json!({"evaluations": {}, "summary": {}}),
            Cause::ChecklistUnknown,
        ),
        (
            "presentation_grading_results",
            json!({"evaluations": {}}),
            Cause::ItemsMissing,
        ),
        (
            "depth_grading_results",
            json!({"winner_comparison_1": "tie"}),
            Cause::DimensionsUnread,
        ),
    ];
    for (name, block, cause) in checks {
        let mut file = samples::detailed();
        plant(&mut file, &format!("/reports/0/{name}"), block);
        let figures = figures(&file);
        let model = figures.model(MODELS[0]).unwrap();
        let counted = match name {
            "depth_grading_results" => model.depth.clone().unwrap().unscored,
            _ => model
                .means
                .values()
                .flat_map(|mean| mean.unscored.clone())
                .collect(),
        };
        assert_eq!(counted, unscored(&[(cause, 1)]), "{name}");
        assert!(
            model
                .means
                .values()
                .all(|mean| mean.mean.is_some_and(|mean| mean > 0.0))
        );
    }
}

#[test]
fn items_and_orders_that_are_not_whole() {
    let mut file = samples::detailed();
    plant(
        &mut file,
        "/reports/0/presentation_grading_results/evaluations/p1/score",
        json!("1"),
    );
    remove(
        &mut file,
        "/reports/1/presentation_grading_results/evaluations/p1",
    );
    remove(
        &mut file,
        "/reports/0/depth_grading_results/raw_comparison_2",
    );
    plant(
        &mut file,
        "/reports/1/depth_grading_results/raw_comparison_1/scores/A/critique",
        json!(-1),
    );
    let figures = figures(&file);
    let presentation = mean(&figures, MODELS[0], Criterion::Presentation);
    assert_eq!(presentation.mean, None);
    assert_eq!(
        presentation.unscored,
        unscored(&[(Cause::ItemUnread, 1), (Cause::ItemsMissing, 1)])
    );
    let model = figures.model(MODELS[0]).unwrap();
    assert_eq!(model.overall(), None);
    let depth = model.depth.clone().unwrap();
    assert_eq!(depth.pairs, 0);
    assert_eq!(depth.consistency, None);
    assert_eq!(
        depth.unscored,
        unscored(&[(Cause::OneOrder, 1), (Cause::DimensionsUnread, 1)])
    );
}

/// An extra item raises the benchmark's rate; it is on no checklist.
#[test]
fn an_item_that_is_not_on_the_checklist_changes_nothing() {
    let mut file = samples::detailed();
    for n in 11..30 {
        let pointer = format!("/reports/0/presentation_grading_results/evaluations/p{n}");
        plant(
            &mut file,
            &pointer,
            json!({"score": 1, "justification": "x"}),
        );
    }
    let figures = figures(&file);
    assert_eq!(
        mean(&figures, MODELS[0], Criterion::Presentation).mean,
        Some(80.0)
    );
}

#[test]
fn a_report_counts_once() {
    let with = |block: Value| {
        let mut file = samples::detailed();
        let mut again = file["reports"][0].clone();
        again["query_id"] = json!("river01");
        again["citation_grading_results"] = block;
        file["reports"].as_array_mut().unwrap().push(again);
        let figures = figures(&file);
        assert_eq!(figures.repeated, 1);
        assert_eq!(figures.model(MODELS[0]).unwrap().reports, 2);
        mean(&figures, MODELS[0], Criterion::Citation)
    };
    // The same grade, no grade, another grade.
    assert_eq!(with(samples::issues(1, 15, 20)).scored, 2);
    assert_eq!(with(Value::Null).scored, 2);
    let conflicting = with(samples::issues(1, 0, 100));
    assert_eq!(conflicting.unscored, unscored(&[(Cause::Conflicting, 1)]));
    assert_eq!((conflicting.mean, conflicting.scored), (Some(20.0), 1));
}

#[test]
fn entries_of_nobody_are_counted() {
    let mut file = samples::detailed();
    plant(&mut file, "/reports/0", json!(null));
    remove(&mut file, "/reports/1/query_id");
    let figures = figures(&file);
    assert_eq!(figures.unplaced, 2);
    assert!(figures.model(MODELS[0]).is_none());
}

#[test]
fn known_checklists_and_criteria() {
    let file = samples::read(&samples::detailed());
    let known = Known {
        checklists: [("river01".to_owned(), 5)].into(),
        criteria: vec![Criterion::Coverage],
        reference: None,
    };
    let figures = recompute(&file, &known);
    let model = figures.model("wren").unwrap();
    assert_eq!(
        model.means.keys().copied().collect::<Vec<_>>(),
        [Criterion::Coverage]
    );
    assert_eq!(model.depth, None);
    let coverage = &model.means[&Criterion::Coverage];
    assert_eq!(coverage.unscored, unscored(&[(Cause::ItemsMissing, 1)]));
    assert_eq!(coverage.mean, Some(75.0));
}
