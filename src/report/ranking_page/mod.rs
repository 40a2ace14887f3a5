//! A finished ranking as one HTML page: its data, its audit, its plots, and the tasks themselves.
//! The page needs no network and runs no script. Hides the template, and how much of a large
//! ranking it lists.

mod plots;

use std::collections::BTreeMap;

use anyhow::Result;
use minijinja::{context, value::Serde};
use serde::Serialize;

use super::{markup, svg};
use crate::rank::select::MembershipClass;

/// The content of the page. A number that is not finite was not computed: it is shown as a dash and
/// left out of the plots.
#[derive(Clone, Debug, Serialize)]
pub struct RankingPage {
    /// The heading.
    pub title: String,
    /// Names and values: method, judges, seed, verdicts, cost.
    pub facts: Vec<(String, String)>,
    /// Warnings that a reader must know first.
    pub warnings: Vec<String>,
    /// How many tasks are chosen: the k of the best k.
    pub top: usize,
    /// What strengths are measured in, such as `Elo points`.
    pub unit: String,
    /// All tasks, best first.
    pub rated: Vec<RankedRow>,
    /// How many of the chosen belong there.
    pub recall: Option<Recall>,
    /// The audit of the judge.
    pub audit: Vec<Check>,
    /// Values by facet, such as `discipline`, in the order in which they are shown.
    pub facets: BTreeMap<String, Vec<FacetCount>>,
}

/// A task's place.
#[derive(Clone, Debug, Serialize)]
pub struct RankedRow {
    /// From 1, without gaps.
    pub place: usize,
    /// The task's id.
    pub id: String,
    /// What it asks for.
    pub text: String,
    /// Name of the seminar that it comes from.
    pub seminar: String,
    /// Its strength.
    pub strength: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end of its 95 % interval.
    pub high: f64,
    /// Probability to be among the best k, 0 to 1.
    pub membership: f64,
    /// Verdicts on it.
    pub games: u32,
    /// Whether it is above, below or near the cutoff.
    pub standing: MembershipClass,
    /// Its values, such as `Metric Design` and `en`.
    pub facets: Vec<String>,
}

/// One finding about the judge.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// The name of the check.
    pub name: String,
    /// The result, such as `0.52 [0.47, 0.57]`.
    pub value: String,
    /// The number of cases.
    pub n: String,
    /// Whether it speaks for the judge.
    pub state: CheckState,
    /// What it means, in one sentence.
    pub meaning: String,
}

/// Whether a finding speaks for the judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    /// As it should be.
    Good,
    /// To be looked at.
    Doubtful,
    /// The ranking should not be used.
    Bad,
    /// Too few data.
    Unknown,
}

/// Expected share of the true best k among the chosen, 0 to 1.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Recall {
    /// The mean.
    pub expected: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end of its 95 % interval.
    pub high: f64,
}

/// How often a facet has a value.
#[derive(Clone, Debug, Serialize)]
pub struct FacetCount {
    /// The value.
    pub value: String,
    /// Among the chosen tasks.
    pub chosen: u64,
    /// Among all tasks.
    pub all: u64,
}

/// The page as one file.
pub fn html(page: &RankingPage) -> Result<String> {
    let listed = &page.rated[..listed(page.rated.len(), page.top)];
    let values = context! {
        page => Serde(page),
        figures => Serde(plots::all(page, listed)),
        standings => standings(&page.rated),
        decimals => strength_decimals(&page.rated),
        n_listed => listed.len(),
    };
    markup::fill(
        &[
            ("ranking.html", include_str!("ranking.html")),
            ("style.css", include_str!("style.css")),
        ],
        values,
    )
}

/// How many of the best tasks are drawn and listed one by one: all of up to 200, else half as many
/// again as are chosen, within what a page can hold.
fn listed(n_tasks: usize, top: usize) -> usize {
    if n_tasks <= 200 {
        n_tasks
    } else {
        (top.min(n_tasks) * 3 / 2).clamp(50, 300).min(n_tasks)
    }
}

/// The counts of tasks by membership class, in words.
fn standings(rows: &[RankedRow]) -> String {
    let all = [
        MembershipClass::In,
        MembershipClass::Borderline,
        MembershipClass::Out,
    ];
    let counted = all.map(|of| {
        (
            of.word(),
            rows.iter().filter(|row| row.standing == of).count(),
        )
    });
    counted.map(|(word, n)| format!("{n} {word}")).join(", ")
}

/// Decimals that show a three-hundredth part of the spread of strengths.
fn strength_decimals(rows: &[RankedRow]) -> usize {
    svg::Axis::new(rows.iter().map(|row| row.strength), 0.0, 1.0)
        .map_or(2, |axis| svg::decimals((axis.high - axis.low) / 300.0))
}

#[cfg(test)]
mod tests;
