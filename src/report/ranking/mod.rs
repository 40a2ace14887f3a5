//! A finished ranking: its tasks, its audit card, and what a reader must know of them. Hides how an
//! audit becomes checks and warnings in words.

mod check;
mod checks;
mod probes;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde::Serialize;

use super::{
    listing::{self, Listed, Listing},
    ranking_page::{self, Check, FacetCount, RankedRow, RankingPage, Recall},
    words::dollars,
};
use crate::{
    data::{ItemId, Phase, SubjectKind, TaskType, primary_language},
    rank::{
        self,
        audit_card::{AuditCard, audit_card},
        quota::Facet,
        select::{self, Candidate},
    },
    stats::pairwise::bradley_terry::PosteriorSummary,
    store::{Ranking, Store},
};

/// The content of the report.
#[derive(Serialize)]
pub struct Report {
    /// The ranking's question.
    pub ranking: Ranking,
    #[serde(flatten)]
    /// Its audit card.
    pub card: AuditCard,
    /// What the audit found.
    pub checks: Vec<Check>,
    /// Warnings that a reader must know first.
    pub warnings: Vec<String>,
    /// Judgements without a verdict, by cause.
    pub failed_by_cause: BTreeMap<String, u64>,
    /// The counts of the first `top` and of all tasks by discipline, type and so on.
    pub counts: BTreeMap<String, Vec<FacetCount>>,
    /// The tasks, best first, with strength, interval and membership.
    pub rated: Vec<RankedRow>,
}

/// A ranking with its tasks and its card.
pub struct Ranked {
    /// Its question.
    pub ranking: Ranking,
    /// Its audit card.
    pub card: AuditCard,
    /// Its tasks, best first.
    pub tasks: Vec<Listed>,
}

/// The newest ranking, with memberships of the best `top` if that is given; none where nothing is
/// ranked.
pub fn ranked(store: &Store, top: Option<usize>) -> Result<Option<Ranked>> {
    let Some(ranking) = store.last_ranking(SubjectKind::Task)? else {
        return Ok(None);
    };
    let lengths: BTreeMap<ItemId, f64> = store
        .tasks()?
        .iter()
        .map(|task| (ItemId::from(&task.id), task.text.chars().count() as f64))
        .collect();
    let card = audit_card(store, &ranking, &lengths, top)?;
    let Listing { mut tasks, .. } = listing::with_ratings(store, None, Some(card.ratings.clone()))?;
    tasks.retain(|listed| listed.rank.is_some());
    Ok(Some(Ranked {
        ranking,
        card,
        tasks,
    }))
}

impl Ranked {
    fn by_elo(&self) -> bool {
        self.ranking.method == "elo"
    }

    /// Its tasks as candidates of a selection.
    pub fn candidates(&self) -> Vec<Candidate> {
        let numbers: BTreeMap<&str, usize> = self
            .ranking
            .items
            .iter()
            .enumerate()
            .map(|(at, id)| (id.as_str(), at))
            .collect();
        self.tasks
            .iter()
            .filter_map(|listed| {
                let at = *numbers.get(listed.task.id.as_str())?;
                Some(candidate(listed, &self.card.posterior, at))
            })
            .collect()
    }
}

fn candidate(listed: &Listed, posterior: &PosteriorSummary, at: usize) -> Candidate {
    let (low, high) = posterior.interval[at];
    Candidate {
        id: listed.task.id.to_string(),
        text: listed.task.text.clone(),
        facets: facets(listed),
        membership: posterior.membership[at],
        elo: listed.elo,
        strength: posterior.strength[at],
        low,
        high,
    }
}

/// The facets of a task that quotas count.
pub fn facets(listed: &Listed) -> BTreeMap<Facet, String> {
    let known = &listed.task.facets;
    let facets = [
        (Facet::Discipline, known.discipline.as_deref()),
        (Facet::Type, known.task_type.map(TaskType::label)),
        (Facet::Phase, known.phase.map(Phase::label)),
        (
            Facet::Language,
            Some(primary_language(&listed.task.language)),
        ),
        (Facet::Seminar, Some(listed.origin())),
    ];
    facets
        .into_iter()
        .filter_map(|(facet, value)| Some((facet, value?.to_owned())))
        .collect()
}

/// The report of a ranking.
pub fn report(ranked: &Ranked) -> Report {
    let candidates = ranked.candidates();
    let by_elo = ranked.by_elo();
    let rated = ranked.tasks.iter().zip(&candidates).zip(1..);
    Report {
        checks: checks::checks(&ranked.card),
        warnings: warnings(&ranked.card),
        failed_by_cause: ranked.card.ratings.n_failed.clone(),
        counts: counts(&candidates, ranked.card.top),
        rated: rated
            .map(|((listed, candidate), place)| row(place, listed, candidate, by_elo))
            .collect(),
        ranking: ranked.ranking.clone(),
        card: ranked.card.clone(),
    }
}

impl Report {
    /// Names and values: method, judges, seed, cost.
    pub fn facts(&self) -> Vec<(String, String)> {
        facts(&self.ranking, &self.card, self.rated.len())
    }

    /// The page with plots, and with the list of the tasks.
    pub fn html(&self) -> Result<String> {
        ranking_page::html(&RankingPage {
            title: format!("{} ranked research tasks", self.rated.len()),
            facts: self.facts(),
            warnings: self.warnings.clone(),
            top: self.card.top,
            unit: if self.ranking.method == "elo" {
                "Elo points"
            } else {
                "logits"
            }
            .into(),
            recall: Some(Recall {
                expected: self.card.expected_recall,
                low: f64::NAN,
                high: f64::NAN,
            }),
            audit: self.checks.clone(),
            facets: self.counts.clone(),
            rated: self.rated.clone(),
        })
    }
}

fn facts(ranking: &Ranking, card: &AuditCard, tasks: usize) -> Vec<(String, String)> {
    let spent = card.spent;
    let unpriced = if spent.unpriced > 0 {
        format!(" and {} of unknown price", spent.unpriced)
    } else {
        String::new()
    };
    let fact = |name: &str, value: String| (name.to_owned(), value);
    vec![
        fact(
            "method",
            format!("{} {}", ranking.method, ranking.parameters),
        ),
        fact(
            "judges",
            card.judges
                .iter()
                .map(|judge| judge.name.as_str())
                .collect::<Vec<_>>()
                .join(", "),
        ),
        fact("seed", ranking.seed.to_string()),
        fact("tasks", tasks.to_string()),
        fact(
            "verdicts",
            format!("{} of {}", card.n_scored, card.n_scored + card.n_failed),
        ),
        fact(
            "expected recall",
            format!("{:.2} of the truly best {}", card.expected_recall, card.top),
        ),
        fact(
            "strengths",
            format!(
                "standard deviation {:.2} logits; lapse rate {:.0} % (share of random verdicts)",
                card.deviation,
                card.lapse_rate * 100.0
            ),
        ),
        fact(
            "spent",
            format!(
                "{} calls, {} prompt and {} reply tokens, {}{unpriced}",
                spent.calls,
                spent.input,
                spent.output,
                dollars(spent.cost_micro)
            ),
        ),
    ]
}

/// Warnings that a reader must know first.
pub fn warnings(card: &AuditCard) -> Vec<String> {
    let mut warnings = Vec::new();
    if card.n_scored == 0 {
        warnings.push("nothing was judged: this order means nothing".into());
    }
    let models: BTreeSet<&str> = card
        .judges
        .iter()
        .map(|judge| judge.model.as_str())
        .collect();
    warnings.extend(models.into_iter().filter_map(rank::caveat));
    for of in &card.audit.judges {
        let name = card
            .judges
            .get(of.judge as usize)
            .map_or("?", |judge| judge.name.as_str());
        let test = of.better_than_chance;
        if test.is_some_and(|test| test.no_better()) {
            warnings.push(format!(
                "the judge {name} is no better than chance: this order means nothing"
            ));
        // Not shown is not the same as refuted: with few verdicts the test has no power.
        } else if test.is_none_or(|test| !test.significant) {
            warnings.push(format!(
                "the judge {name} is not shown to be better than chance yet: more verdicts are needed"
            ));
        }
        let judge = card.judges.get(of.judge as usize);
        warnings.extend(judge.and_then(probes::warning));
        if of.position_bias.is_some_and(|bias| bias.flagged) {
            warnings.push(format!(
                "the judge {name} prefers a side; the fit allows for it, and it costs precision"
            ));
        }
    }
    warnings
}

fn row(place: usize, listed: &Listed, candidate: &Candidate, by_elo: bool) -> RankedRow {
    let (strength, low, high) = match listed.elo {
        Some(elo) if by_elo => (elo, f64::NAN, f64::NAN),
        _ => (candidate.strength, candidate.low, candidate.high),
    };
    RankedRow {
        place,
        id: candidate.id.clone(),
        text: candidate.text.clone(),
        seminar: listed
            .source
            .as_ref()
            .map_or_else(|| listed.origin().to_owned(), |source| source.title.clone()),
        strength,
        low,
        high,
        membership: candidate.membership,
        games: listed.games.unwrap_or(0),
        standing: select::classify(candidate.membership),
        facets: [Facet::Phase, Facet::Type, Facet::Language]
            .iter()
            .filter_map(|f| candidate.facets.get(f).cloned())
            .collect(),
    }
}

/// The counts of the first `top` and of all tasks by facet.
fn counts(candidates: &[Candidate], top: usize) -> BTreeMap<String, Vec<FacetCount>> {
    let mut of: BTreeMap<String, BTreeMap<String, (u64, u64)>> = BTreeMap::new();
    for (at, candidate) in candidates.iter().enumerate() {
        for (facet, value) in &candidate.facets {
            let count = of
                .entry(facet.name().to_owned())
                .or_default()
                .entry(value.clone())
                .or_default();
            count.0 += u64::from(at < top);
            count.1 += 1;
        }
    }
    of.into_iter()
        .map(|(facet, values)| {
            let counts =
                values
                    .into_iter()
                    .map(|(value, (chosen, all))| FacetCount { value, chosen, all });
            (facet, counts.collect())
        })
        .collect()
}
