//! Audit of summaries and averages: win rates against games, averages against their judges, and
//! both against the files that they were made of.

use std::collections::BTreeMap;

use super::{
    differ,
    finding::{Finding, Kind, Place},
};
use crate::benchmarks::live_research_bench::{
    Criterion,
    depth::{Counting, Games},
    files::{
        CriterionFigures, DepthFigures, Field, JudgeGames, Named, PointwiseFigures, SummaryFile,
        figure,
    },
    recompute::{Depth, Mean, Model, Recomputed},
};

/// Audits a summary of one judge, or an averaged file, by itself.
pub fn audit_summary(file: &SummaryFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    let averaged = file.averaged_from().is_some();
    for (place, figures) in models(file).chain(overall(file)) {
        if averaged {
            for criterion in Criterion::SCORED {
                if let Some(figures) = figures.pointwise(criterion) {
                    averaged_scores(figures, &place.under(criterion), &mut findings);
                }
            }
        }
        if let Some(depth) = figures.depth.get() {
            let place = place.under(Criterion::Depth);
            if averaged {
                averaged_depth(depth, &place, &mut findings);
            } else {
                one_judge(depth, &place, &mut findings);
            }
        }
    }
    findings
}

impl Place {
    fn under(&self, criterion: Criterion) -> Self {
        Self {
            criterion: Some(criterion),
            ..self.clone()
        }
    }
}

fn models(file: &SummaryFile) -> impl Iterator<Item = (Place, &CriterionFigures)> {
    let models = file
        .results_by_model
        .get()
        .into_iter()
        .flat_map(Named::iter);
    models.map(|(name, figures)| {
        let place = Place {
            model: Some(name.to_owned()),
            ..Place::default()
        };
        (place, figures)
    })
}

fn overall(file: &SummaryFile) -> impl Iterator<Item = (Place, &CriterionFigures)> {
    let place = Place {
        field: Some("overall_results".to_owned()),
        ..Place::default()
    };
    file.overall_results
        .get()
        .map(|figures| (place, figures))
        .into_iter()
}

/// A stored rate against its games.
fn rate(
    games: Option<Games>,
    stored: &Field<Option<serde_json::Number>>,
    place: &Place,
    findings: &mut Vec<Finding>,
) {
    let (Some(games), Some(stored)) = (games, figure(stored)) else {
        return;
    };
    let kind = match games.win_rate() {
        // Whatever stands there, there is no rate; the benchmark writes 0.
        None => Kind::UndecidedAsZero,
        Some(games) if differ(stored, games) => Kind::RateOffGames { stored, games },
        Some(_) => return,
    };
    findings.push(place.finding(None, kind));
}

fn one_judge(depth: &DepthFigures, place: &Place, findings: &mut Vec<Finding>) {
    let games = depth.games();
    rate(games, &depth.win_rate, place, findings);
    let Some(games) = games else { return };
    let sums = [
        ("total", &depth.total, games.total()),
        ("decisive_games", &depth.decisive_games, games.decisive()),
    ];
    for (name, stored, games) in sums {
        if let Some(stored) = stored.get().copied().filter(|stored| *stored != games) {
            let kind = Kind::GamesMiscounted { stored, games };
            findings.push(place.finding(Some(name), kind));
        }
    }
}

/// What is off in an average of two means, each of which may be missing.
fn average(
    mean: Option<f64>,
    judges: [Option<f64>; 2],
    only_judge: &Field<String>,
) -> Option<Kind> {
    let stored = mean?;
    let judges = match judges {
        [Some(a), Some(b)] => f64::midpoint(a, b),
        [Some(_) | None, None] | [None, Some(_)] if only_judge.is_absent() => {
            return Some(Kind::OneJudgeUnmarked);
        }
        [Some(one), None] | [None, Some(one)] => one,
        [None, None] => return None,
    };
    differ(stored, judges).then_some(Kind::MeanOffJudges { stored, judges })
}

fn averaged_scores(figures: &PointwiseFigures, place: &Place, findings: &mut Vec<Finding>) {
    let judges = [figure(&figures.mean_a), figure(&figures.mean_b)];
    if let Some(kind) = average(figure(&figures.mean), judges, &figures.only_judge) {
        findings.push(place.finding(None, kind));
    }
}

fn averaged_depth(depth: &DepthFigures, place: &Place, findings: &mut Vec<Finding>) {
    let by_judge = depth.by_judge.get();
    let judges = [
        (
            "by_judge.judge_a",
            by_judge.and_then(|both| both.judge_a.get()),
        ),
        (
            "by_judge.judge_b",
            by_judge.and_then(|both| both.judge_b.get()),
        ),
    ];
    let before = findings.len();
    for (name, judge) in judges {
        let Some(judge) = judge else { continue };
        let place = Place {
            field: Some(name.to_owned()),
            ..place.clone()
        };
        rate(judge.games(), &judge.win_rate, &place, findings);
    }
    let [(_, a), (_, b)] = judges;
    // An average is off where a rate in it is: one finding for one cause.
    if findings.len() == before {
        let rates = [a, b].map(|judge| judge.and_then(|judge| figure(&judge.win_rate)));
        let kind = average(figure(&depth.win_rate), rates, &depth.only_judge);
        findings.extend(kind.map(|kind| place.finding(None, kind)));
    }
    let (Some(a), Some(b)) = (a, b) else { return };
    if let Some(kind) = games_of_one(depth, a, b) {
        findings.push(place.finding(None, kind));
    }
}

/// Games of an average that are one judge's, while the other judge has others.
fn games_of_one(depth: &DepthFigures, a: &JudgeGames, b: &JudgeGames) -> Option<Kind> {
    let stored = depth.games()?;
    let (a, b) = (a.games()?, b.games()?);
    let other = match stored {
        _ if a == b => return None,
        stored if stored == a => b,
        stored if stored == b => a,
        _ => return None,
    };
    Some(Kind::CountsOfOneJudge {
        stored: stored.total(),
        other: other.total(),
    })
}

/// Audits an averaged file beside the two summaries that it was made of: counts that are one
/// judge's alone. Counts of games stand in the averaged file itself ([`audit_summary`]).
pub fn audit_average_beside(
    averaged: &SummaryFile,
    a: &SummaryFile,
    b: &SummaryFile,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let [a, b] = [a, b].map(by_name);
    for (place, figures) in models(averaged) {
        let Some(model) = place.model.as_deref() else {
            continue;
        };
        for criterion in Criterion::SCORED {
            let stored = count(Some(figures), criterion);
            let counts = [&a, &b].map(|models| count(models.get(model).copied(), criterion));
            let (Some(stored), [Some(a), Some(b)]) = (stored, counts) else {
                continue;
            };
            let other = if stored == a { b } else { a };
            if a != b && (stored == a || stored == b) {
                let kind = Kind::CountsOfOneJudge { stored, other };
                findings.push(place.under(criterion).finding(Some("count"), kind));
            }
        }
    }
    findings
}

/// The figures of each model of a file.
fn by_name(file: &SummaryFile) -> BTreeMap<&str, &CriterionFigures> {
    let models = file.results_by_model.get();
    models.into_iter().flat_map(Named::iter).collect()
}

fn count(figures: Option<&CriterionFigures>, criterion: Criterion) -> Option<u64> {
    figures?.pointwise(criterion)?.count.get().copied()
}

/// Audits a summary of one judge beside the figures of its detailed file, recomputed from facts.
pub fn audit_summary_beside(file: &SummaryFile, recomputed: &Recomputed) -> Vec<Finding> {
    let mut findings = Vec::new();
    let named = recomputed.models.iter();
    let facts: BTreeMap<&str, &Model> = named.map(|model| (model.name.as_str(), model)).collect();
    for (place, figures) in models(file) {
        let Some(model) = place.model.as_deref().and_then(|name| facts.get(name)) else {
            continue;
        };
        for (criterion, mean) in &model.means {
            if let Some(figures) = figures.pointwise(*criterion) {
                scores_off_facts(figures, mean, &place.under(*criterion), &mut findings);
            }
        }
        if let (Some(figures), Some(depth)) = (figures.depth.get(), &model.depth) {
            let place = place.under(Criterion::Depth);
            depth_off_facts(figures, depth, &place, &mut findings);
        }
    }
    findings
}

fn scores_off_facts(
    figures: &PointwiseFigures,
    mean: &Mean,
    place: &Place,
    findings: &mut Vec<Finding>,
) {
    let stored = figure(&figures.mean);
    let off = |stored: &f64| mean.mean.is_none_or(|facts| differ(*stored, facts));
    if let Some(stored) = stored.filter(off) {
        let facts = mean.mean;
        findings.push(place.finding(Some("mean"), Kind::MeanOffFacts { stored, facts }));
    }
    let facts = mean.scored as u64;
    if let Some(stored) = figures
        .count
        .get()
        .copied()
        .filter(|stored| *stored != facts)
    {
        findings.push(place.finding(Some("count"), Kind::CountOffFacts { stored, facts }));
    }
}

/// Stored games may be counted in either way.
fn depth_off_facts(
    figures: &DepthFigures,
    depth: &Depth,
    place: &Place,
    findings: &mut Vec<Finding>,
) {
    let Some(stored) = figures.games() else {
        return;
    };
    let both = depth.games(Counting::CountBoth);
    if stored == both || stored == depth.games(Counting::MeanTotal) {
        return;
    }
    let kind = match (stored.total(), both.total()) {
        (stored, facts) if stored != facts => Kind::CountOffFacts { stored, facts },
        _ => Kind::MeanOffFacts {
            stored: figure(&figures.win_rate)
                .or(stored.win_rate())
                .unwrap_or_default(),
            facts: both.win_rate(),
        },
    };
    findings.push(place.finding(None, kind));
}
