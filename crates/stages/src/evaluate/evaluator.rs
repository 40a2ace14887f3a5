//! Evaluators: measures, a way to ask judges about reports, and a fold of their judgements into
//! scores. A new evaluator is a folder with an implementation of [`Evaluator`] and one line in
//! [`super::EVALUATORS`].

use std::collections::BTreeMap;

use anyhow::Result;
use async_trait::async_trait;

use super::{
    Case, Options,
    scorecard::{CriterionScore, ReportScores, Spread},
};
use crate::{
    context::{Context, StageReport},
    data::{
        Average, InForce, InTable, Judgement, MeasureDef, ReportId, Role, Scores, Task, Undecided,
        Unit,
    },
    store::{Evaluation, PanelJudgements, Store},
    web::Pages,
};

/// What shares of a report have in common.
pub(super) const SHARE: MeasureDef = MeasureDef {
    key: "",
    label: "",
    column: "",
    meaning: "",
    unit: Unit::Share,
    most: Some(1.0),
    higher_is_better: Some(false),
    average: Average::Pooled,
    role: Role::Describes,
    in_table: InTable::Plain,
    whole: None,
    undecided: Undecided::Anything,
};

/// A method of evaluating reports.
#[async_trait(?Send)]
pub trait Evaluator: Send + Sync {
    /// Its name in `--metric`, in configuration and in instruments' ids.
    fn key(&self) -> &'static str;

    /// What it says, in one line of help.
    fn about(&self) -> &'static str;

    /// Its measures, in the order in which tables show them.
    fn measures(&self) -> &'static [MeasureDef];

    /// The roles of the models that it asks, or whose judgements it shows to others.
    fn roles(&self, options: &Options) -> &'static [&'static str];

    /// What is wrong with its settings (`[evaluate.KEY]` in the configuration).
    fn check(&self, _settings: &serde_json::Value) -> Result<(), String> {
        Ok(())
    }

    /// The judges in force once all have judged: one entry an instrument.
    fn in_force(&self, ctx: &Context, options: &Options) -> Result<Vec<InForce>>;

    /// What must be on record before it asks, unless the evaluators of this run bring it.
    fn ready(&self, _work: &Work<'_>, _run: &[&'static dyn Evaluator]) -> Result<()> {
        Ok(())
    }

    /// Asks for the judgements that are missing, and saves each at once.
    async fn judge(&self, work: &Work<'_>) -> Result<Vec<StageReport>>;

    /// The fold for all reports, with its data read once.
    fn fold<'a>(
        &self,
        store: &Store,
        tasks: &'a [Task],
        evaluation: &'a Evaluation,
    ) -> Result<Box<dyn Fold + 'a>>;

    /// The mean judgement of a report by each named criterion, on people's scale from 0 to 10: the
    /// values that people's scores by criterion are compared with. Empty where there are no such
    /// criteria.
    fn by_criterion(
        &self,
        _record: &Record<'_>,
        _evaluation: &Evaluation,
        _report: &ReportId,
    ) -> Result<BTreeMap<String, f64>> {
        Ok(BTreeMap::new())
    }

    /// What a judgement of a report on a task is about, in words: an item, a key point, a
    /// criterion. None where the stored name says it, or nothing is known of it.
    fn item_text(&self, _store: &Store, _task: &Task, _about: &str) -> Result<Option<String>> {
        Ok(None)
    }

    /// The scores of a failed report, where failures count as the worst (`--failed-as-zero`), given
    /// the reports on the same task that are ok. No entry leaves the measure without a value.
    fn failed(&self, _others: &[&ReportScores]) -> Scores {
        Scores::default()
    }
}

/// The work of an evaluator.
pub struct Work<'a> {
    /// The shared tools.
    pub ctx: &'a Context,
    /// The reader of web pages.
    pub pages: &'a Pages,
    /// All reports that are ok: those of other agents say what an agent is compared with.
    pub cases: &'a [Case<'a>],
    /// Those to be judged.
    pub judged: &'a [Case<'a>],
    /// The user's settings.
    pub options: &'a Options,
    /// The time that is noted with fetched pages, RFC 3339.
    pub now: &'a str,
}

/// A fold of stored judgements into the scores of one report.
pub trait Fold: Send + Sync {
    /// The scores of a report that is ok.
    fn score(&self, record: &Record<'_>, task: &Task, report: Reported<'_>) -> Result<Folded>;
}

/// The record as one reader sees it.
pub struct Record<'a> {
    /// The project's facts.
    pub store: &'a Store,
    /// The judgements that count.
    pub judgements: PanelJudgements<'a>,
}

/// A report without its text.
#[derive(Clone, Copy)]
pub struct Reported<'a> {
    /// Its id.
    pub id: &'a ReportId,
    /// The agent that wrote it.
    pub agent: &'a str,
}

/// The folded judgements of a report.
#[derive(Debug, Default)]
pub struct Folded {
    /// By measure.
    pub scores: Scores,
    /// Of a panel: each measure by each judge alone.
    pub by_judge: BTreeMap<&'static str, BTreeMap<String, f64>>,
    /// The spread of a judge's repeated judgements, by measure.
    pub repeated: BTreeMap<&'static str, Spread>,
    /// The criteria that a measure is made of.
    pub criteria: BTreeMap<&'static str, Vec<CriterionScore>>,
    /// Judgements without a verdict, by cause.
    pub unscored: BTreeMap<String, u64>,
}

/// The judgements about one point or criterion; `judgements` are sorted by their point or
/// criterion.
pub fn about<'a, T, E>(judgements: &'a [Judgement<T, E>], name: &str) -> &'a [Judgement<T, E>] {
    let from = judgements.partition_point(|judgement| judgement.about.as_str() < name);
    let len = judgements[from..].partition_point(|judgement| judgement.about == name);
    &judgements[from..from + len]
}
