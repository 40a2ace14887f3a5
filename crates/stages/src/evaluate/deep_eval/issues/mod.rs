//! Two measures that count issues of a report: where it contradicts itself (consistency), and major
//! claims without a source (citation association).
//!
//! **Measures** 100 % where there is no issue, down to 10 % at 18 or more. **Method**
//! LiveResearchBench (arXiv 2510.14240), factual and logical consistency, citation association, and
//! their rubric from counts to scores. **Differs from it**: a judge lists issues and gives no
//! score. Each issue names a line of the report and quotes it, and one whose quote is not there is
//! not counted, and counted as such; the score follows from the number of the others. Judges of
//! consistency are shown what a program found to disagree. **Cost** one call per report and judge.

mod list;

use std::time::Instant;

use anyhow::Result;
use async_trait::async_trait;
use serde_json::Value;

use super::panel;
use crate::{
    benchmarks::live_research_bench::rubric,
    context::{Context, StageReport},
    data::{
        Average, InForce, InTable, Instrument, MeasureDef, Role, Score, Scores, SubjectKind, Task,
        Unit,
    },
    evaluate::{
        Options,
        evaluator::{Evaluator, Fold, Folded, Record, Reported, SHARE, Work},
        scorecard::ReportScores,
        timed,
    },
    judging,
    store::{Evaluation, PanelJudgements, Store, StoredJudgement},
};

const ROLE: &str = "rate";

/// An evaluator that counts issues.
pub struct Protocol {
    key: &'static str,
    /// The key of the number of issues.
    count: &'static str,
    prompt: &'static str,
    instrument: Instrument,
    /// Whether an issue is a pair of places; then a program marks some for the judge.
    is_pair: bool,
    about: &'static str,
    measures: &'static [MeasureDef],
}

/// Does a report contradict itself?
pub static CONSISTENCY: Protocol = Protocol {
    key: "consistency",
    count: "consistency_issues",
    prompt: "evaluate/consistency",
    instrument: Instrument {
        id: "consistency/issues/1",
        family: "consistency",
        criterion: "issues",
        scale: "number of contradictions",
        subject: SubjectKind::Report,
        letter: 'm',
    },
    is_pair: true,
    about: "LiveResearchBench: does the report contradict itself?",
    measures: &CONSISTENCY_MEASURES,
};

/// Do the major claims of a report cite sources?
pub static ASSOCIATION: Protocol = Protocol {
    key: "association",
    count: "association_issues",
    prompt: "evaluate/association",
    instrument: Instrument {
        id: "association/issues/1",
        family: "association",
        criterion: "issues",
        scale: "number of major claims without a source",
        subject: SubjectKind::Report,
        letter: 'm',
    },
    is_pair: false,
    about: "LiveResearchBench: do the report's major claims cite sources?",
    measures: &ASSOCIATION_MEASURES,
};

const SCORE: MeasureDef = MeasureDef {
    higher_is_better: Some(true),
    average: Average::PerTask,
    role: Role::Compares,
    in_table: InTable::WithInterval,
    ..SHARE
};

const COUNT: MeasureDef = MeasureDef {
    unit: Unit::Count(1),
    most: None,
    average: Average::PerTask,
    in_table: InTable::Hidden,
    ..SHARE
};

static CONSISTENCY_MEASURES: [MeasureDef; 2] = [
    MeasureDef {
        key: "consistency",
        label: "consistency",
        column: "consistency",
        meaning: "by the number of places where a report contradicts itself: 0 is 100 %, 18 is 10 %",
        ..SCORE
    },
    MeasureDef {
        key: "consistency_issues",
        label: "contradictions",
        column: "contradictions",
        meaning: "places where a report contradicts itself",
        ..COUNT
    },
];

static ASSOCIATION_MEASURES: [MeasureDef; 2] = [
    MeasureDef {
        key: "association",
        label: "citation association",
        column: "association",
        meaning: "by the number of major claims without a source: 0 is 100 %, 18 is 10 %",
        ..SCORE
    },
    MeasureDef {
        key: "association_issues",
        label: "claims without a source",
        column: "without source",
        meaning: "major claims without a source",
        ..COUNT
    },
];

#[async_trait(?Send)]
impl Evaluator for Protocol {
    fn key(&self) -> &'static str {
        self.key
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn measures(&self) -> &'static [MeasureDef] {
        self.measures
    }

    fn roles(&self, _options: &Options) -> &'static [&'static str] {
        &[ROLE]
    }

    fn in_force(&self, ctx: &Context, _options: &Options) -> Result<Vec<InForce>> {
        Ok(vec![InForce {
            instrument: self.instrument.id.to_owned(),
            panel: judging::panel(ctx, ROLE, self.prompt)?,
            settings: Value::Null,
        }])
    }

    async fn judge(&self, work: &Work<'_>) -> Result<Vec<StageReport>> {
        let started = Instant::now();
        let report = list::issues(work, self).await?;
        Ok(vec![timed(report, started)])
    }

    fn fold<'a>(
        &self,
        _store: &Store,
        _tasks: &'a [Task],
        evaluation: &'a Evaluation,
    ) -> Result<Box<dyn Fold + 'a>> {
        Ok(Box::new(IssuesFold {
            key: self.key,
            count: self.count,
            instrument: self.instrument,
            panel: evaluation.in_force(self.instrument).panel.len(),
        }))
    }

    /// The lowest score of the rubric; of issues there is no number.
    fn failed(&self, _others: &[&ReportScores]) -> Scores {
        Scores::from([(self.key, Score::ratio(score(usize::MAX), 1.0))])
    }
}

impl Protocol {
    /// The instrument of the list of issues.
    pub fn instrument(&self) -> Instrument {
        self.instrument
    }

    /// The issues that a judge found in a report, each a sentence with its line; none where it gave
    /// no list.
    pub fn issues_by(
        &self,
        judgements: &PanelJudgements<'_>,
        report: &str,
        judge: &str,
    ) -> Result<Option<Vec<String>>> {
        let sentences = |stored: &StoredJudgement<'_>| list::sentences(stored);
        let lists = judgements.said_by(self.instrument, report, judge, sentences)?;
        Ok(lists.into_values().next())
    }
}

fn number(stored: &StoredJudgement<'_>) -> Result<f64> {
    stored.value()
}

/// The score of a report with so many issues, 0.1 to 1.
fn score(issues: usize) -> f64 {
    f64::from(rubric::issue_score(issues)) / 100.0
}

/// Scores reports by the number of issues that judges found.
struct IssuesFold {
    key: &'static str,
    count: &'static str,
    instrument: Instrument,
    /// Judges in force; none where nobody was asked.
    panel: usize,
}

impl Fold for IssuesFold {
    fn score(&self, record: &Record<'_>, _task: &Task, report: Reported<'_>) -> Result<Folded> {
        let mut folded = Folded::default();
        if self.panel == 0 {
            return Ok(folded);
        }
        let Self {
            key,
            count,
            instrument,
            ..
        } = *self;
        let mut found = record
            .judgements
            .read_bare(instrument, report.id.as_str(), number)?;
        let issues = panel::mean(&found);
        for judgement in &mut found {
            judgement.outcome = judgement.outcome.map(|n| score(n as usize));
        }
        // The mean of the judges' scores, as published, not the score of their mean.
        let scores = panel::mean_of(self.panel, &found);
        folded.scores.insert(
            key,
            Score {
                unscored: scores.unscored.values().sum(),
                ..Score::number(scores.mean, "unscored")
            },
        );
        folded
            .scores
            .insert(count, Score::number(issues.mean, "unscored"));
        folded.unscored = scores.unscored;
        if self.panel > 1 {
            folded.by_judge.insert(key, scores.by_judge);
        }
        Ok(folded)
    }
}
