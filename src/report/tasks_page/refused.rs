//! Refusals of the stages, by stage and rule. Hides how many of them a page lists.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{super::svg, Page};

/// Refusals of one rule that are listed, at most.
const LISTED: usize = 500;
/// Columns of a text, at most: endless replies are cut.
const WIDTH: usize = 600;

/// A refusal by a stage.
#[derive(Clone, Debug, Serialize)]
pub struct Refusal {
    /// The stage, such as `weave`.
    pub stage: String,
    /// The rule that it broke.
    pub rule: String,
    /// Place of its seminar among the page's.
    pub seminar: usize,
    /// The refused text.
    pub text: String,
}

/// How often a stage's rule was broken.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rule<'a> {
    /// The stage.
    pub stage: &'a str,
    /// Its rule.
    pub rule: &'a str,
    /// How often.
    pub n: usize,
}

/// How often each rule was broken, by stage in the order in which the stages come, then the most
/// frequent first.
pub fn by_rule(refused: &[Refusal]) -> Vec<Rule<'_>> {
    grouped(refused)
        .into_iter()
        .map(|(stage, rule, of)| Rule {
            stage,
            rule,
            n: of.len(),
        })
        .collect()
}

fn grouped(refused: &[Refusal]) -> Vec<(&str, &str, Vec<&Refusal>)> {
    let mut stages: Vec<&str> = Vec::new();
    let mut rules: BTreeMap<(usize, &str), Vec<&Refusal>> = BTreeMap::new();
    for refusal in refused {
        let stage = stages
            .iter()
            .position(|stage| *stage == refusal.stage)
            .unwrap_or_else(|| {
                stages.push(&refusal.stage);
                stages.len() - 1
            });
        rules
            .entry((stage, &refusal.rule))
            .or_default()
            .push(refusal);
    }
    let mut grouped: Vec<_> = rules.into_iter().collect();
    grouped.sort_by_key(|((stage, _), of)| (*stage, std::cmp::Reverse(of.len())));
    grouped
        .into_iter()
        .map(|((stage, rule), of)| (stages[stage], rule, of))
        .collect()
}

/// A rule with what it refused.
#[derive(Serialize)]
pub struct Listed<'a> {
    stage: &'a str,
    rule: &'a str,
    n: usize,
    items: Vec<Item>,
}

/// One of them.
#[derive(Serialize)]
struct Item {
    text: String,
    seminar: usize,
}

/// By rule, as much as the page lists.
pub fn listed(page: &Page) -> Vec<Listed<'_>> {
    let mut all = Vec::new();
    for (stage, rule, of) in grouped(&page.refused) {
        let known = of
            .iter()
            .filter(|refusal| refusal.seminar < page.seminars.len());
        all.push(Listed {
            stage,
            rule,
            n: of.len(),
            items: known.take(LISTED).map(|refusal| item(refusal)).collect(),
        });
    }
    all
}

fn item(refusal: &Refusal) -> Item {
    Item {
        text: svg::short(&refusal.text, WIDTH),
        seminar: refusal.seminar,
    }
}
