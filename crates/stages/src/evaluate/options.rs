//! The settings of an evaluation: `[evaluate]` in the configuration.

use std::{collections::BTreeMap, ops::RangeInclusive};

use serde::{Deserialize, Serialize};

use super::{evaluator, kae::dedup};

/// Pages of a report that are fetched, unless the configuration says otherwise. Reports of
/// commercial agents cite 20 to 80.
pub const MOST_URLS: usize = 100;

/// Questions that are asked at once, unless the configuration says otherwise.
const AT_ONCE: usize = 8;

/// How judges are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// As the paper has it.
    #[default]
    Paper,
    /// Under rules that leave less open, in batches, with weights beside the paper's figures.
    Strict,
}

/// How to evaluate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Key points asked for per part of a page.
    pub points: usize,
    /// Characters of a page that a model reads at once; 0 lets the model's size decide.
    pub part: usize,
    /// Parts of a page that are read; the rest is left out, and said.
    pub parts: usize,
    /// Pages of a report that are fetched, the first ones that it cites; the rest is counted. A
    /// report with a thousand addresses must not cost thousands of calls.
    pub most_urls: usize,
    /// Key points are one where they are at least so alike (Jaccard index).
    pub similarity: f64,
    /// How judges are asked.
    pub form: Form,
    /// Key points, claims, or items of a checklist that a judge is asked about at once; 0 for 8,
    /// and for one item. The paper's form asks about key points one by one.
    pub batch: usize,
    /// Whether raters are told how a report's statements stand up against the pages that they cite;
    /// in the strict form.
    pub rate_with_evidence: bool,
    /// How often each criterion is rated.
    pub repeats: u32,
    /// How many times as much a criterion weighs on leaderboards, by its name.
    pub weights: BTreeMap<String, f64>,
    /// Settings of evaluators, by their names.
    pub settings: BTreeMap<String, serde_json::Value>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            points: 8,
            part: 0,
            parts: 6,
            most_urls: MOST_URLS,
            similarity: dedup::THRESHOLD,
            form: Form::default(),
            batch: 0,
            rate_with_evidence: false,
            repeats: 1,
            weights: BTreeMap::new(),
            settings: BTreeMap::new(),
        }
    }
}

impl Options {
    /// Key points or claims in one question, where several are asked about at once.
    pub fn at_once(&self) -> usize {
        match self.batch {
            0 => AT_ONCE,
            batch => batch,
        }
    }

    /// Items of a checklist in one question: alone, unless the user says otherwise, so that no item
    /// colours the next.
    pub fn items_at_once(&self) -> usize {
        self.batch.max(1)
    }

    /// Whether raters are told how statements stand up; the paper's are not.
    pub fn knows_evidence(&self) -> bool {
        self.form == Form::Strict && self.rate_with_evidence
    }

    /// What is wrong with the values.
    pub fn check(&self) -> Result<(), String> {
        in_range("points", self.points as u64, 1..=30)?;
        in_range("part", self.part as u64, 0..=1_000_000)?;
        in_range("parts", self.parts as u64, 1..=1000)?;
        in_range("most_urls", self.most_urls as u64, 1..=10_000)?;
        in_range("batch", self.batch as u64, 0..=20)?;
        in_range("repeats", self.repeats.into(), 1..=20)?;
        if !(self.similarity > 0.0 && self.similarity <= 1.0) {
            return Err(format!(
                "evaluate.similarity must be above 0 and at most 1: `{}`",
                self.similarity
            ));
        }
        for (name, factor) in &self.weights {
            if !(0.0..=1000.0).contains(factor) {
                return Err(format!(
                    "evaluate.weights: the factor of `{name}` must be a number from 0 to 1000: `{factor}`"
                ));
            }
        }
        for (key, settings) in &self.settings {
            let evaluator = evaluator(key)
                .ok_or_else(|| format!("evaluate.settings: there is no evaluator `{key}`"))?;
            evaluator.check(settings)?;
        }
        Ok(())
    }
}

fn in_range(name: &str, value: u64, range: RangeInclusive<u64>) -> Result<(), String> {
    if range.contains(&value) {
        return Ok(());
    }
    let (low, high) = (range.start(), range.end());
    Err(format!(
        "evaluate.{name} must be between {low} and {high}: `{value}`"
    ))
}
