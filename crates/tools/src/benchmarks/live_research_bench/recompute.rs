//! Figures of each model, computed again from what judges listed: issues, items, dimensions. Each
//! says how many reports it rests on and why the others have no score.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{
    Criterion, copies,
    depth::{Counting, Decision, Games, Pair, consistency, count},
    facts::{Cause, Fact, Known, REFERENCE_MODEL, fact},
    files::{Report, ReportsFile},
    rubric::Four,
};

/// Mean score of a model under a criterion.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Mean {
    /// Mean of the scores, none without one.
    pub mean: Option<f64>,
    /// Lowest score.
    pub min: Option<f64>,
    /// Highest score.
    pub max: Option<f64>,
    /// Reports with a score.
    pub scored: usize,
    /// Reports without one, by cause.
    pub unscored: BTreeMap<Cause, usize>,
}

/// Depth of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Depth {
    /// Each order's decision counted apart.
    pub count_both: Games,
    /// Totals of both orders averaged.
    pub mean_total: Games,
    /// Share of pairs on which both orders agree.
    pub consistency: Option<f64>,
    /// Reports compared in both orders.
    pub pairs: usize,
    /// Reports without a pair, by cause.
    pub unscored: BTreeMap<Cause, usize>,
    /// Whether this is the reference's model, which is not compared with itself.
    pub is_reference: bool,
}

impl Depth {
    /// The games under a way of counting.
    pub fn games(&self, counting: Counting) -> Games {
        match counting {
            Counting::CountBoth => self.count_both,
            Counting::MeanTotal => self.mean_total,
        }
    }
}

/// Figures of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Model {
    /// Its name.
    pub name: String,
    /// Its reports, each query once.
    pub reports: usize,
    /// Means of the criteria that were asked.
    pub means: BTreeMap<Criterion, Mean>,
    /// Depth, where it was asked.
    pub depth: Option<Depth>,
}

impl Model {
    /// Overall score: the mean of the four means, none while one of them is missing.
    pub fn overall(&self) -> Option<f64> {
        let mean = |criterion| self.means.get(&criterion)?.mean;
        let four = Four {
            presentation: mean(Criterion::Presentation),
            consistency: mean(Criterion::Consistency),
            coverage: mean(Criterion::Coverage),
            citation: mean(Criterion::Citation),
        };
        four.overall()
    }
}

/// Figures of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Recomputed {
    /// The models in the order of the file.
    pub models: Vec<Model>,
    /// Reports that stand in the file again; each model and query counts once.
    pub repeated: usize,
    /// Entries without a model or a query, which belong to nobody's mean.
    pub unplaced: usize,
}

impl Recomputed {
    /// The figures of a model.
    pub fn model(&self, name: &str) -> Option<&Model> {
        self.models.iter().find(|model| model.name == name)
    }
}

/// The criteria that were asked: those that are known, or else those of any block in the file.
pub fn criteria(file: &ReportsFile, known: &Known) -> BTreeSet<Criterion> {
    if !known.criteria.is_empty() {
        return known.criteria.iter().copied().collect();
    }
    let asked = |criterion: &Criterion| {
        let mut reports = file.reports();
        reports.any(|(_, report)| !report.block(*criterion).is_absent())
    };
    Criterion::ALL.into_iter().filter(asked).collect()
}

/// Names of the models of reference reports: the known one, or else those that blocks name, or else
/// the benchmark's.
pub fn references(file: &ReportsFile, known: &Known) -> BTreeSet<String> {
    if let Some(reference) = &known.reference {
        return BTreeSet::from([reference.clone()]);
    }
    let named = file.reports().filter_map(|(_, report)| {
        let block = report.depth.get()?;
        block.reference_model.get().cloned()
    });
    let mut named: BTreeSet<String> = named.collect();
    if named.is_empty() {
        named.insert(REFERENCE_MODEL.to_owned());
    }
    named
}

/// Computes the figures of a file of graded reports.
pub fn recompute(file: &ReportsFile, known: &Known) -> Recomputed {
    let criteria = criteria(file, known);
    let references = references(file, known);
    let copied = copied(file);
    let (models, repeated, unplaced) = grouped(file);
    let figures = models.into_iter().map(|(name, queries)| {
        let mut model = Model {
            name: name.to_owned(),
            reports: queries.len(),
            ..Model::default()
        };
        for criterion in &criteria {
            let facts = queries
                .iter()
                .map(|places| one_fact(places, *criterion, known, &copied));
            if *criterion == Criterion::Depth {
                model.depth = Some(depth(facts, references.contains(name)));
            } else {
                model.means.insert(*criterion, mean(facts));
            }
        }
        model
    });
    Recomputed {
        models: figures.collect(),
        repeated,
        unplaced,
    }
}

/// Places of the reports in the file whose block stands with another model, too.
type CopiedPlaces = BTreeSet<(usize, Criterion)>;

fn copied(file: &ReportsFile) -> CopiedPlaces {
    let groups = copies::find(file).into_iter();
    let places = groups.flat_map(|group| {
        let reports = group.reports.into_iter();
        reports.map(move |at| (at, group.criterion))
    });
    places.collect()
}

/// Entries of one model about one query, each with its place in the file.
type Entries<'a> = Vec<(usize, &'a Report)>;

/// The models in the order of the file, each with its queries; entries beyond the first of a model
/// and query; entries without a model or a query.
fn grouped(file: &ReportsFile) -> (Vec<(&str, Vec<Entries<'_>>)>, usize, usize) {
    let mut models: Vec<(&str, Vec<Entries<'_>>)> = Vec::new();
    let mut model_at: BTreeMap<&str, usize> = BTreeMap::new();
    let mut query_at: BTreeMap<(usize, String), usize> = BTreeMap::new();
    let listed = file.reports.get().map_or(0, Vec::len);
    let (mut repeated, mut placed) = (0, 0);
    for (at, report) in file.reports() {
        let Some((name, query)) = report.key() else {
            continue;
        };
        placed += 1;
        let model = *model_at.entry(name).or_insert_with(|| {
            models.push((name, Vec::new()));
            models.len() - 1
        });
        let queries = &mut models[model].1;
        let new = queries.len();
        let place = *query_at.entry((model, query)).or_insert(new);
        if place == new {
            queries.push(Vec::new());
        } else {
            repeated += 1;
        }
        queries[place].push((at, report));
    }
    (models, repeated, listed - placed)
}

/// The one fact of all entries about a query: an entry without a block says nothing beside one with
/// a block, and two that differ leave it open.
fn one_fact(
    entries: &Entries<'_>,
    criterion: Criterion,
    known: &Known,
    copied: &CopiedPlaces,
) -> Result<Fact, Cause> {
    let mut found = Err(Cause::Ungraded);
    for (at, report) in entries {
        match (own_fact(*at, report, criterion, known, copied), &found) {
            (Err(Cause::Ungraded), _) | (Err(_), Ok(_)) => {}
            (Ok(fact), Ok(earlier)) if fact != *earlier => return Err(Cause::Conflicting),
            (fact, _) => found = fact,
        }
    }
    found
}

fn own_fact(
    at: usize,
    report: &Report,
    criterion: Criterion,
    known: &Known,
    copied: &CopiedPlaces,
) -> Result<Fact, Cause> {
    let fact = fact(report, criterion, known)?;
    // A depth block may name the model that it is about; then it is that one's.
    let names_its_model = criterion == Criterion::Depth
        && report
            .depth
            .get()
            .is_some_and(|block| block.evaluated_model.get().is_some());
    if copied.contains(&(at, criterion)) && !names_its_model {
        return Err(Cause::Copied);
    }
    Ok(fact)
}

fn mean(facts: impl Iterator<Item = Result<Fact, Cause>>) -> Mean {
    let mut mean = Mean::default();
    let mut sum = 0.0;
    for fact in facts {
        match fact.map(Fact::score) {
            Ok(Some(score)) => {
                sum += score;
                mean.scored += 1;
                mean.min = Some(mean.min.map_or(score, |min: f64| min.min(score)));
                mean.max = Some(mean.max.map_or(score, |max: f64| max.max(score)));
            }
            // A comparison under a criterion with scores does not occur: blocks are typed.
            Ok(None) => {}
            Err(cause) => *mean.unscored.entry(cause).or_default() += 1,
        }
    }
    mean.mean = (mean.scored > 0).then(|| sum / mean.scored as f64);
    mean
}

fn depth(facts: impl Iterator<Item = Result<Fact, Cause>>, is_reference: bool) -> Depth {
    let mut depth = Depth {
        is_reference,
        ..Depth::default()
    };
    let mut pairs: Vec<Pair> = Vec::new();
    for fact in facts {
        match fact {
            Ok(Fact::Pair(pair)) => pairs.push(pair),
            Ok(_) => {}
            // The reference is not compared with itself: nothing is missing.
            Err(Cause::Ungraded) if is_reference => {}
            Err(cause) => *depth.unscored.entry(cause).or_default() += 1,
        }
    }
    let decisions: Vec<[Decision; 2]> = pairs.iter().map(|pair| pair.decisions()).collect();
    depth.count_both = count(&pairs, Counting::CountBoth);
    depth.mean_total = count(&pairs, Counting::MeanTotal);
    depth.consistency = consistency(&decisions);
    depth.pairs = pairs.len();
    depth
}
