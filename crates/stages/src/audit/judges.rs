//! Agreement of the judges of a panel, question by question, and the questions that they dispute
//! most: those are for people to decide.
//!
//! **Measures** for each instrument the share of questions with one verdict and Krippendorff's α,
//! nominal for words, interval for numbers. Intervals resample tasks. **Leaves out** questions that
//! fewer than two judges decided, and counts them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde::Serialize;

use super::agreement::{Coefficient, by_task, coefficient};
use crate::{
    data::{ReportHead, TaskId},
    stats::agreement::{Level, krippendorff, percent},
    store::{Evaluation, PanelQuestion, PanelVerdict, Store},
};

/// Agreement on the questions of an instrument.
#[derive(Debug, Serialize)]
pub struct PanelAgreement {
    /// The instrument.
    pub instrument: String,
    /// The judges.
    pub judges: Vec<String>,
    /// Questions that two judges or more decided.
    pub n: u64,
    /// Questions that fewer decided.
    pub without: u64,
    /// The coefficients.
    pub coefficients: Vec<Coefficient>,
}

/// A question with different verdicts.
#[derive(Debug, Serialize)]
pub struct Disputed {
    /// The instrument.
    pub instrument: String,
    /// Id of the report.
    pub report: String,
    /// The agent that wrote it.
    pub agent: String,
    /// Id of its task.
    pub task: String,
    /// Item, criterion, key point or other report that the question is about; empty where it is the
    /// report as a whole.
    pub about: String,
    /// The same in words, where more is known than the name.
    pub item: Option<String>,
    /// How far apart the verdicts are, 0 to 1: for numbers the range of the verdicts as a share of
    /// the range that all verdicts have, for words the share of pairs of judges who differ.
    pub distance: f64,
    /// The judges' verdicts.
    pub verdicts: Vec<JudgeVerdict>,
}

/// A judge's verdict in words.
#[derive(Debug, Serialize)]
pub struct JudgeVerdict {
    /// The judge.
    pub judge: String,
    /// The word or the number.
    pub verdict: String,
    /// The judge's reason; empty where none was given.
    pub reason: String,
}

/// Agreement by instrument, and all disputed questions, the widest apart first.
#[derive(Debug, Serialize)]
pub struct Judges {
    /// By instrument, in the order of the evaluation.
    pub agreement: Vec<PanelAgreement>,
    /// The queue.
    pub disputed: Vec<Disputed>,
}

/// Words for what a judgement is about, by instrument, task and stored name.
pub type ItemText<'a> = &'a dyn Fn(&str, &TaskId, &str) -> Result<Option<String>>;

/// Compares the judges of every panel of two or more. `reports` are those that count; `seed` draws
/// the resamples.
pub fn compare(
    store: &Store,
    evaluation: &Evaluation,
    reports: &[ReportHead],
    item_text: ItemText<'_>,
    seed: u64,
) -> Result<Judges> {
    let reports: BTreeMap<&str, &ReportHead> = reports
        .iter()
        .map(|report| (report.id.as_str(), report))
        .collect();
    let judgements = store.panel_judgements(evaluation)?;
    let mut agreement = Vec::new();
    let mut disputed = Vec::new();
    for in_force in &evaluation.instruments {
        if in_force.panel.len() < 2 {
            continue;
        }
        let mut questions = judgements.questions(&in_force.instrument)?;
        questions.retain(|question| reports.contains_key(question.subject.as_str()));
        remove_mirrored(&mut questions);
        let judges: BTreeSet<&str> = in_force
            .panel
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let judges: Vec<&str> = judges.into_iter().collect();
        agreement.push(agreement_on(
            &in_force.instrument,
            &judges,
            &questions,
            &reports,
            seed,
        ));
        disputed.extend(disputes(&in_force.instrument, &questions, &reports));
    }
    disputed.sort_by(|a, b| {
        b.distance.total_cmp(&a.distance).then_with(|| {
            (&a.instrument, &a.report, &a.about).cmp(&(&b.instrument, &b.report, &b.about))
        })
    });
    for of in &mut disputed {
        let task = reports.get(of.report.as_str()).map(|report| &report.task);
        if let Some(task) = task {
            of.item = item_text(&of.instrument, task, &of.about)?;
        }
    }
    Ok(Judges {
        agreement,
        disputed,
    })
}

/// A comparison of two reports is kept under both: one of them is enough.
fn remove_mirrored(questions: &mut Vec<PanelQuestion>) {
    let other = |question: &PanelQuestion| {
        let other = question.about.split('/').next().unwrap_or_default();
        other.to_owned()
    };
    let pairs: BTreeSet<(String, String)> = questions
        .iter()
        .map(|of| (of.subject.clone(), other(of)))
        .collect();
    questions.retain(|question| {
        let other = other(question);
        question.subject <= other || !pairs.contains(&(other, question.subject.clone()))
    });
}

/// A statistic of questions, each a row with the number of each judge.
type Statistic<'a> = &'a dyn Fn(&[&Vec<Option<f64>>]) -> Option<f64>;

fn agreement_on(
    instrument: &str,
    judges: &[&str],
    questions: &[PanelQuestion],
    reports: &BTreeMap<&str, &ReportHead>,
    seed: u64,
) -> PanelAgreement {
    let decided: Vec<&PanelQuestion> = questions
        .iter()
        .filter(|question| question.verdicts.len() > 1)
        .collect();
    let words = words(questions);
    let items = decided.iter().filter_map(|question| {
        let report = reports.get(question.subject.as_str())?;
        let mut row = vec![None; judges.len()];
        for verdict in &question.verdicts {
            let at = judges.binary_search(&verdict.judge.as_str()).ok()?;
            row[at] = number(verdict, &words);
        }
        Some((report.task.as_str(), row))
    });
    let clusters = by_task(items);
    let of = |name, of: Statistic<'_>| coefficient(name, &clusters, seed, of);
    let mut coefficients = vec![of("same verdict", &|items| percent(items))];
    if words.is_empty() {
        coefficients.push(of("Krippendorff α, interval", &|items| {
            krippendorff(items, Level::Interval)
        }));
    } else {
        coefficients.push(of("Krippendorff α, nominal", &|items| {
            krippendorff(items, Level::Nominal)
        }));
    }
    PanelAgreement {
        instrument: instrument.to_owned(),
        judges: judges.iter().map(|&judge| judge.to_owned()).collect(),
        n: decided.len() as u64,
        without: (questions.len() - decided.len()) as u64,
        coefficients,
    }
}

/// The words of an instrument's scale that were used; none of a scale of numbers.
fn words(questions: &[PanelQuestion]) -> Vec<&str> {
    let verdicts = questions.iter().flat_map(|question| &question.verdicts);
    let words: BTreeSet<&str> = verdicts
        .filter_map(|verdict| verdict.label.as_deref())
        .collect();
    words.into_iter().collect()
}

/// A verdict as a number: of a word its place among the words.
fn number(verdict: &PanelVerdict, words: &[&str]) -> Option<f64> {
    match &verdict.label {
        Some(label) => words
            .binary_search(&label.as_str())
            .ok()
            .map(|at| at as f64),
        None => verdict.value,
    }
}

fn disputes<'q>(
    instrument: &'q str,
    questions: &'q [PanelQuestion],
    reports: &'q BTreeMap<&str, &ReportHead>,
) -> impl Iterator<Item = Disputed> + 'q {
    let verdicts = questions.iter().flat_map(|question| &question.verdicts);
    let whole = range(verdicts.filter_map(|verdict| verdict.value));
    questions.iter().filter_map(move |question| {
        let distance = distance(&question.verdicts, whole);
        let report = reports.get(question.subject.as_str())?;
        (distance > 0.0).then(|| Disputed {
            instrument: instrument.to_owned(),
            report: question.subject.clone(),
            agent: report.agent.clone(),
            task: report.task.to_string(),
            about: question.about.clone(),
            item: None,
            distance,
            verdicts: question.verdicts.iter().map(in_words).collect(),
        })
    })
}

fn in_words(verdict: &PanelVerdict) -> JudgeVerdict {
    let number = || verdict.value.map(|value| value.to_string());
    JudgeVerdict {
        judge: verdict.judge.clone(),
        verdict: verdict.label.clone().or_else(number).unwrap_or_default(),
        reason: verdict.reason.clone(),
    }
}

fn range(values: impl Iterator<Item = f64>) -> f64 {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    (high - low).max(0.0)
}

/// 0 to 1; `whole` is the range of all verdicts of the instrument.
fn distance(verdicts: &[PanelVerdict], whole: f64) -> f64 {
    let labels: Vec<&str> = verdicts
        .iter()
        .filter_map(|verdict| verdict.label.as_deref())
        .collect();
    if labels.is_empty() {
        let own = range(verdicts.iter().filter_map(|verdict| verdict.value));
        return if whole > 0.0 { own / whole } else { 0.0 };
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for label in &labels {
        *counts.entry(label).or_default() += 1;
    }
    let pairs = |n: usize| n * n.saturating_sub(1) / 2;
    let all = pairs(labels.len());
    let same: usize = counts.into_values().map(pairs).sum();
    if all == 0 {
        0.0
    } else {
        (all - same) as f64 / all as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(judge: &str, value: Option<f64>, label: Option<&str>) -> PanelVerdict {
        PanelVerdict {
            judge: judge.to_owned(),
            value,
            label: label.map(str::to_owned),
            reason: String::new(),
        }
    }

    #[test]
    fn distances_are_shares_of_the_scale_and_of_pairs() {
        let numbers = [Some(3.0), Some(5.0), Some(4.0)].map(|n| verdict("m", n, None));
        assert!((distance(&numbers, 8.0) - 0.25).abs() < 1e-12);
        assert!(
            distance(&numbers, 0.0).abs() < 1e-12,
            "no range, no dispute"
        );
        let words = ["passed", "failed", "passed"].map(|word| verdict("m", Some(1.0), Some(word)));
        assert!((distance(&words, 1.0) - 2.0 / 3.0).abs() < 1e-12);
        assert!(
            distance(&words[..1], 1.0).abs() < 1e-12,
            "one judge disputes nothing"
        );
    }

    #[test]
    fn words_are_compared_as_words_and_numbers_as_numbers() {
        let word = verdict("m", Some(1.0), Some("passed"));
        assert_eq!(number(&word, &["failed", "passed"]), Some(1.0));
        assert_eq!(number(&verdict("m", Some(7.5), None), &[]), Some(7.5));
    }
}
