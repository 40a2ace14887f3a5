//! Averages of judges: what each rests on, and files of them.

use serde_json::{Value, json};

use super::samples::{self, MODELS, REFERENCE, plant, remove};
use crate::benchmarks::live_research_bench::{
    Criterion,
    audit::{audit_average_beside, audit_summary},
    averages::{Averages, Basis, Judge, JudgeName, average},
    depth::Counting,
    facts::Known,
    files::SummaryFile,
    recompute::recompute,
};

fn judge(provider: &str, file: &Value) -> Judge {
    let name = JudgeName {
        provider: provider.to_owned(),
        model: "judge".to_owned(),
        file: format!("{provider}.json"),
    };
    let recomputed = recompute(&samples::read(file), &Known::default());
    Judge::from_recomputed(name, &recomputed, Counting::CountBoth)
}

fn summary(file: &Value) -> SummaryFile {
    SummaryFile::read("s.json", file.to_string().as_bytes())
        .unwrap()
        .value
}

fn two(b: &Value) -> Averages {
    average(&[judge("gemini", &samples::detailed()), judge("openai", b)])
}

#[test]
fn two_judges_each_with_its_number() {
    let mut b = samples::detailed();
    plant(
        &mut b,
        "/reports/0/citation_grading_results",
        samples::issues(1, 0, 100),
    );
    remove(&mut b, "/reports/1/citation_grading_results");
    let averages = two(&b);
    let average = &averages.models[MODELS[0]][&Criterion::Citation];
    assert_eq!(
        (average.mean, average.basis),
        (Some(60.0), Basis::AllJudges)
    );
    let judges: Vec<_> = average
        .judges
        .iter()
        .map(|judge| {
            judge
                .as_ref()
                .map(|judge| (judge.mean, judge.n, judge.unscored))
        })
        .collect();
    assert_eq!(
        judges,
        [
            Some((Some(20.0), Some(2), Some(0))),
            Some((Some(100.0), Some(1), Some(1)))
        ]
    );
    // The other model on the same queries keeps its own.
    let other = &averages.models[MODELS[1]][&Criterion::Citation];
    assert_eq!(other.mean, Some(20.0));
    let overall = averages.overall(MODELS[0]).unwrap();
    assert_eq!((overall.mean, overall.all_judges), (76.25, true));
}

#[test]
fn one_judges_value_is_marked_and_none_stays_none() {
    let mut b = samples::detailed();
    for report in 0..2 {
        remove(
            &mut b,
            &format!("/reports/{report}/citation_grading_results"),
        );
        remove(&mut b, &format!("/reports/{report}/depth_grading_results"));
    }
    let averages = two(&b);
    let citation = &averages.models[MODELS[0]][&Criterion::Citation];
    assert_eq!(
        (citation.mean, citation.basis),
        (Some(20.0), Basis::OneJudge(0))
    );
    let overall = averages.overall(MODELS[0]).unwrap();
    assert!(!overall.all_judges);
    let depth = &averages.models[MODELS[0]][&Criterion::Depth];
    assert_eq!((depth.mean, depth.basis), (Some(100.0), Basis::OneJudge(0)));

    let neither = average(&[judge("gemini", &b), judge("openai", &b)]);
    let citation = &neither.models[MODELS[0]][&Criterion::Citation];
    assert_eq!((citation.mean, citation.basis), (None, Basis::Nobody));
    assert_eq!(neither.overall(MODELS[0]), None);
    assert!(!neither.models[REFERENCE].contains_key(&Criterion::Depth));
}

#[test]
fn three_judges_of_which_two_graded() {
    let full = samples::detailed();
    let mut without = samples::detailed();
    for report in [2, 3] {
        remove(
            &mut without,
            &format!("/reports/{report}/coverage_grading_results"),
        );
    }
    let averages = average(&[judge("a", &without), judge("b", &full), judge("c", &full)]);
    let coverage = &averages.models["wren"][&Criterion::Coverage];
    assert_eq!(
        (coverage.mean, coverage.basis),
        (Some(75.0), Basis::SomeJudges(2))
    );
    assert!(averages.to_file().is_none());
}

/// An undecided judge does not drag the average down.
#[test]
fn a_stored_zero_of_nothing_is_none() {
    let mut b = samples::summary();
    let undecided = json!({
        "wins": 0, "losses": 0, "ties": 4, "total": 4, "decisive_games": 0, "win_rate": 0,
    });
    plant(&mut b, "/results_by_model/wren/depth", undecided);
    plant(
        &mut b,
        "/results_by_model/wren/citation",
        json!({"mean": 0, "count": 0, "min": 0, "max": 0}),
    );
    let judges = [samples::summary(), b].map(|file| Judge::from_summary("s.json", &summary(&file)));
    assert_eq!(judges[0].name.provider, "gemini");
    let averages = average(&judges);
    let depth = &averages.models["wren"][&Criterion::Depth];
    assert_eq!((depth.mean, depth.basis), (Some(100.0), Basis::OneJudge(0)));
    let citation = &averages.models["wren"][&Criterion::Citation];
    assert_eq!(
        (citation.mean, citation.basis),
        (Some(20.0), Basis::OneJudge(0))
    );
}

#[test]
fn an_averaged_file_of_ours_is_without_a_fault() {
    let mut b = samples::detailed();
    plant(
        &mut b,
        "/reports/0/citation_grading_results",
        samples::issues(1, 0, 100),
    );
    remove(&mut b, "/reports/1/citation_grading_results");
    for report in [2, 3] {
        remove(
            &mut b,
            &format!("/reports/{report}/coverage_grading_results"),
        );
        remove(&mut b, &format!("/reports/{report}/depth_grading_results"));
    }
    let file = two(&b).to_file().unwrap();
    let again = SummaryFile::read("averaged.json", file.write().as_bytes()).unwrap();
    assert_eq!(again.problems, []);
    assert_eq!(again.value, file);
    assert_eq!(audit_summary(&file), []);
    let a = summary(&samples::summary());
    assert_eq!(audit_average_beside(&file, &a, &a), []);

    let value = serde_json::to_value(&file).unwrap();
    assert_eq!(value["metadata"]["averaged_from"]["provider_b"], "openai");
    let model = &value["results_by_model"][MODELS[0]];
    assert_eq!(
        model["citation"],
        json!({
            "mean": 60.0, "mean_a": 20.0, "mean_b": 100.0, "count_a": 2, "count_b": 1,
            "min": 20.0, "max": 100.0,
        })
    );
    let other = &value["results_by_model"]["wren"];
    assert_eq!(other["coverage"]["only_judge"], "judge_a");
    assert_eq!(other["coverage"]["mean_b"], Value::Null);
    assert_eq!(other["depth"]["only_judge"], "judge_a");
    assert_eq!(other["depth"]["by_judge"]["judge_a"]["wins"], 2);
}
