//! Averages of two or more judges. Each says what it averages: every judge's mean with its number
//! of reports, and whether a value is one judge's alone. None stays none, and is no zero.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Number;

use super::{
    Criterion,
    depth::{Counting, Games},
    files::{
        AveragedFrom, ByJudge, CriterionFigures, DepthFigures, Field, JudgeGames, Named,
        PointwiseFigures, SummaryFile, SummaryMetadata, figure,
    },
    recompute::Recomputed,
    rubric::Four,
};

/// A judge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct JudgeName {
    /// Provider of the judge.
    pub provider: String,
    /// The judge.
    pub model: String,
    /// File of its results.
    pub file: String,
}

/// Mean of one judge for a model under a criterion; for depth, the win rate.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct JudgeMean {
    /// The mean, none where nothing was scored or decisive.
    pub mean: Option<f64>,
    /// What the mean rests on: scores, or decisive games. None where a file does not say.
    pub n: Option<u64>,
    /// Reports without a score, where that is known.
    pub unscored: Option<u64>,
    /// Lowest score.
    pub min: Option<f64>,
    /// Highest score.
    pub max: Option<f64>,
    /// Games, for depth.
    pub games: Option<Games>,
}

/// All means of a judge.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Judge {
    /// The judge.
    pub name: JudgeName,
    /// Its means by model and criterion.
    pub means: BTreeMap<String, BTreeMap<Criterion, JudgeMean>>,
}

impl Judge {
    /// Means that were recomputed from facts: the way to prefer.
    pub fn from_recomputed(name: JudgeName, recomputed: &Recomputed, counting: Counting) -> Self {
        let mut judge = Self {
            name,
            means: BTreeMap::new(),
        };
        for model in &recomputed.models {
            let means = judge.means.entry(model.name.clone()).or_default();
            for (criterion, mean) in &model.means {
                let judge_mean = JudgeMean {
                    mean: mean.mean,
                    n: Some(mean.scored as u64),
                    unscored: Some(mean.unscored.values().sum::<usize>() as u64),
                    min: mean.min,
                    max: mean.max,
                    games: None,
                };
                means.insert(*criterion, judge_mean);
            }
            if let Some(depth) = model.depth.as_ref().filter(|depth| !depth.is_reference) {
                let unscored = depth.unscored.values().sum::<usize>() as u64;
                let mut judge_mean = of_games(depth.games(counting));
                judge_mean.unscored = Some(unscored);
                means.insert(Criterion::Depth, judge_mean);
            }
        }
        judge
    }

    /// Means as a summary of one judge stores them; a win rate is computed from its games.
    pub fn from_summary(file: &str, summary: &SummaryFile) -> Self {
        let metadata = summary.metadata.get();
        let text = |field: Option<&Field<String>>| field.and_then(Field::get).cloned();
        let mut judge = Self {
            name: JudgeName {
                provider: text(metadata.map(|m| &m.provider)).unwrap_or_default(),
                model: text(metadata.map(|m| &m.model)).unwrap_or_default(),
                file: file.to_owned(),
            },
            means: BTreeMap::new(),
        };
        let models = summary.results_by_model.get();
        for (name, figures) in models.into_iter().flat_map(Named::iter) {
            let means = judge.means.entry(name.to_owned()).or_default();
            for criterion in Criterion::SCORED {
                if let Some(figures) = figures.pointwise(criterion) {
                    means.insert(criterion, of_figures(figures));
                }
            }
            if let Some(games) = figures.depth.get().and_then(|depth| depth.games()) {
                means.insert(Criterion::Depth, of_games(games));
            }
        }
        judge
    }
}

fn of_games(games: Games) -> JudgeMean {
    JudgeMean {
        mean: games.win_rate(),
        n: Some(games.decisive()),
        games: Some(games),
        ..JudgeMean::default()
    }
}

/// A stored mean over no reports is none: the benchmark writes zero there.
fn of_figures(figures: &PointwiseFigures) -> JudgeMean {
    let count = figures.count.get().copied();
    let stored = |field| figure(field).filter(|_| count != Some(0));
    JudgeMean {
        mean: stored(&figures.mean),
        n: count,
        min: stored(&figures.min),
        max: stored(&figures.max),
        ..JudgeMean::default()
    }
}

/// The judges that an average rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Each judge has a value.
    AllJudges,
    /// Some have none; so many have one.
    SomeJudges(usize),
    /// One judge alone, by its place.
    OneJudge(usize),
    /// None: there is no average.
    Nobody,
}

/// Average of a model under a criterion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Average {
    /// Plain mean of the judges' means; where one judge alone has a value, that value.
    pub mean: Option<f64>,
    /// What it rests on.
    pub basis: Basis,
    /// What each judge has, in the order of the judges; none where it did not grade the model.
    pub judges: Vec<Option<JudgeMean>>,
}

/// Averages of all models.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Averages {
    /// The judges.
    pub judges: Vec<JudgeName>,
    /// Averages by model and criterion.
    pub models: BTreeMap<String, BTreeMap<Criterion, Average>>,
}

/// An overall score that may rest on fewer judges than there are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Overall {
    /// Mean of the four averages.
    pub mean: f64,
    /// Whether each of the four rests on all judges.
    pub all_judges: bool,
}

/// Averages judges, each model and criterion apart; every judge weighs the same.
pub fn average(judges: &[Judge]) -> Averages {
    let mut wanted: BTreeMap<&String, BTreeSet<Criterion>> = BTreeMap::new();
    for (model, means) in judges.iter().flat_map(|judge| &judge.means) {
        wanted.entry(model).or_default().extend(means.keys());
    }
    let models = wanted.into_iter().map(|(model, criteria)| {
        let averages = criteria.into_iter().map(|criterion| {
            let means = judges.iter().map(|judge| {
                let mean = judge
                    .means
                    .get(model)
                    .and_then(|means| means.get(&criterion));
                mean.cloned()
            });
            (criterion, one(means.collect()))
        });
        (model.clone(), averages.collect())
    });
    Averages {
        judges: judges.iter().map(|judge| judge.name.clone()).collect(),
        models: models.collect(),
    }
}

fn one(judges: Vec<Option<JudgeMean>>) -> Average {
    let means = judges.iter().enumerate();
    let means: Vec<(usize, f64)> = means
        .filter_map(|(at, judge)| Some((at, judge.as_ref()?.mean?)))
        .collect();
    let sum: f64 = means.iter().map(|(_, mean)| mean).sum();
    Average {
        mean: (!means.is_empty()).then(|| sum / means.len() as f64),
        basis: match means.as_slice() {
            [] => Basis::Nobody,
            [(at, _)] => Basis::OneJudge(*at),
            all if all.len() == judges.len() => Basis::AllJudges,
            some => Basis::SomeJudges(some.len()),
        },
        judges,
    }
}

impl Averages {
    /// Overall score of a model, none while one of the four criteria has no average.
    pub fn overall(&self, model: &str) -> Option<Overall> {
        let averages = self.models.get(model)?;
        let mean = |criterion| averages.get(&criterion)?.mean;
        let four = Four {
            presentation: mean(Criterion::Presentation),
            consistency: mean(Criterion::Consistency),
            coverage: mean(Criterion::Coverage),
            citation: mean(Criterion::Citation),
        };
        let full = |criterion| averages.get(&criterion).map(|a| a.basis) == Some(Basis::AllJudges);
        Some(Overall {
            mean: four.overall()?,
            all_judges: Criterion::SCORED.into_iter().all(full),
        })
    }

    /// The averaged file of two judges, none for another number: the format has no place for a
    /// third. A count that is not both judges' is left out, and stands as `count_a` and `count_b`.
    pub fn to_file(&self) -> Option<SummaryFile> {
        let [a, b] = self.judges.as_slice() else {
            return None;
        };
        let models = self.models.iter().map(|(model, averages)| {
            let figures: CriterionFigures = self.figures(averages);
            (model.clone(), figures.into())
        });
        let averaged_from = AveragedFrom {
            file_a: a.file.clone().into(),
            provider_a: a.provider.clone().into(),
            model_a: a.model.clone().into(),
            file_b: b.file.clone().into(),
            provider_b: b.provider.clone().into(),
            model_b: b.model.clone().into(),
            ..AveragedFrom::default()
        };
        let metadata = SummaryMetadata {
            averaged_from: averaged_from.into(),
            ..SummaryMetadata::default()
        };
        Some(SummaryFile {
            metadata: metadata.into(),
            results_by_model: Named(models.collect()).into(),
            ..SummaryFile::default()
        })
    }

    fn figures(&self, averages: &BTreeMap<Criterion, Average>) -> CriterionFigures {
        let mut figures = CriterionFigures::default();
        for (criterion, average) in averages {
            if *criterion == Criterion::Depth {
                figures.depth = Box::new(self.depth_figures(average)).into();
            } else {
                figures.set_pointwise(*criterion, pointwise_figures(average));
            }
        }
        figures
    }

    fn depth_figures(&self, average: &Average) -> DepthFigures {
        let games = |at: usize| -> Field<JudgeGames> {
            let (Some(name), Some(mean)) = (self.judges.get(at), judge_at(average, at)) else {
                return Field::Absent;
            };
            let games = mean.games;
            Field::Read(JudgeGames {
                provider: name.provider.clone().into(),
                model: name.model.clone().into(),
                win_rate: number(mean.mean).into(),
                wins: games.map(|games| games.wins).into(),
                losses: games.map(|games| games.losses).into(),
                ties: games.map(|games| games.ties).into(),
                decisive_games: games.map(Games::decisive).into(),
                ..JudgeGames::default()
            })
        };
        let by_judge = ByJudge {
            judge_a: games(0),
            judge_b: games(1),
            ..ByJudge::default()
        };
        DepthFigures {
            win_rate: number(average.mean).into(),
            by_judge: by_judge.into(),
            only_judge: only_judge(average),
            ..DepthFigures::default()
        }
    }
}

fn pointwise_figures(average: &Average) -> PointwiseFigures {
    let (a, b) = (judge_at(average, 0), judge_at(average, 1));
    let both = [a, b].into_iter().flatten();
    let min = both.clone().filter_map(|judge| judge.min).reduce(f64::min);
    let max = both.filter_map(|judge| judge.max).reduce(f64::max);
    let counts = (a.and_then(|judge| judge.n), b.and_then(|judge| judge.n));
    PointwiseFigures {
        mean: number(average.mean).into(),
        mean_a: number(a.and_then(|judge| judge.mean)).into(),
        mean_b: number(b.and_then(|judge| judge.mean)).into(),
        count: counts.0.filter(|_| counts.0 == counts.1).into(),
        count_a: counts.0.into(),
        count_b: counts.1.into(),
        min: number(min).into(),
        max: number(max).into(),
        only_judge: only_judge(average),
        ..PointwiseFigures::default()
    }
}

fn judge_at(average: &Average, at: usize) -> Option<&JudgeMean> {
    average.judges.get(at).and_then(Option::as_ref)
}

fn only_judge(average: &Average) -> Field<String> {
    match average.basis {
        Basis::OneJudge(0) => "judge_a".to_owned().into(),
        Basis::OneJudge(_) => "judge_b".to_owned().into(),
        _ => Field::Absent,
    }
}

fn number(figure: Option<f64>) -> Option<Number> {
    figure.and_then(Number::from_f64)
}
