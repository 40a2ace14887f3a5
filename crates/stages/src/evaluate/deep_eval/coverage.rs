//! Coverage: does a report deliver what the checklist of its task asks for?
//!
//! **Measures** the share of the checklist's items that a report delivers in full. **Method**
//! LiveResearchBench (arXiv 2510.14240), coverage and comprehensiveness: an item is delivered or
//! not. **Differs from it**: an item is asked about alone, or with few others (`[evaluate] batch`),
//! and not all in one reply; what is delivered is shown by a line of the report; an item without a
//! verdict is left out and counted, and none counts twice. **Cost** one call per report, judge and
//! item, or per `batch` items.

use std::{collections::BTreeSet, time::Instant};

use anyhow::Result;
use async_trait::async_trait;
use serde_json::{Value, json};

use super::items::{self, ItemForm};
use crate::{
    benchmarks::live_research_bench::files::ItemFact,
    context::{Context, StageReport},
    data::{
        Average, InForce, InTable, Instrument, MeasureDef, Origin, Role, Score, Scores,
        SubjectKind, Task, Undecided, id::sha256_hex,
    },
    evaluate::{
        Options,
        evaluator::{Evaluator, Fold, Folded, Record, Reported, SHARE, Work},
        numbered::NumberedReport,
        scorecard::ReportScores,
        timed,
    },
    judging::{self, batch::Subject},
    store::{Evaluation, PanelJudgements, Store},
};

const KEY: &str = "coverage";
const ROLE: &str = "rate";
const PROMPT: &str = "evaluate/coverage";

/// Whether a report delivers an item of its task's checklist.
pub const ITEM: Instrument = Instrument {
    id: "coverage/item/1",
    family: KEY,
    criterion: "item",
    scale: "passed or failed",
    subject: SubjectKind::Report,
    letter: 'm',
};

static MEASURES: [MeasureDef; 1] = [MeasureDef {
    key: KEY,
    label: "coverage",
    column: "coverage",
    meaning: "share of the items of the task's checklist that the report delivers in full",
    higher_is_better: Some(true),
    average: Average::PerTask,
    role: Role::Compares,
    in_table: InTable::WithInterval,
    undecided: Undecided::One,
    ..SHARE
}];

/// The evaluator.
pub struct Coverage;

#[async_trait(?Send)]
impl Evaluator for Coverage {
    fn key(&self) -> &'static str {
        KEY
    }

    fn about(&self) -> &'static str {
        "LiveResearchBench: does the report deliver what the task's checklist asks for?"
    }

    fn measures(&self) -> &'static [MeasureDef] {
        &MEASURES
    }

    fn roles(&self, _options: &Options) -> &'static [&'static str] {
        &[ROLE]
    }

    fn in_force(&self, ctx: &Context, _options: &Options) -> Result<Vec<InForce>> {
        Ok(vec![InForce {
            instrument: ITEM.id.to_owned(),
            panel: judging::panel(ctx, ROLE, PROMPT)?,
            settings: Value::Null,
        }])
    }

    async fn judge(&self, work: &Work<'_>) -> Result<Vec<StageReport>> {
        let started = Instant::now();
        let mut subjects = Vec::new();
        let mut without = BTreeSet::new();
        for case in work.judged {
            let items = checklist(case.task);
            if items.is_empty() {
                without.insert(&case.task.id);
                continue;
            }
            subjects.push(Subject {
                id: case.report.id.to_string(),
                items: items
                    .into_iter()
                    .map(|(id, text)| (id, json!(text)))
                    .collect(),
                of: NumberedReport::in_markdown(*case),
                keep: json!({}),
            });
        }
        let form = ItemForm {
            stage: KEY,
            instrument: ITEM,
            role: ROLE,
            prompt: PROMPT,
            must_show: true,
        };
        let most = work.options.items_at_once();
        let mut report = items::judge(work.ctx, &form, most, &subjects).await?;
        if !without.is_empty() {
            report.notes.push(format!(
                "tasks without a checklist: {}; `taskgen tasks import` takes one from a field \
                 `checklist`",
                without.len()
            ));
        }
        Ok(vec![timed(report, started)])
    }

    fn fold<'a>(
        &self,
        _store: &Store,
        _tasks: &'a [Task],
        evaluation: &'a Evaluation,
    ) -> Result<Box<dyn Fold + 'a>> {
        let panel = evaluation.in_force(ITEM).panel.len();
        Ok(Box::new(CoverageFold { panel }))
    }

    fn item_text(&self, _store: &Store, task: &Task, about: &str) -> Result<Option<String>> {
        let mut items = checklist(task).into_iter();
        let item = items.find(|(id, _)| id == about);
        Ok(item.map(|(_, text)| text.to_owned()))
    }

    fn failed(&self, _others: &[&ReportScores]) -> Scores {
        Scores::from([(KEY, Score::ratio(0.0, 1.0))])
    }
}

/// The items of a task's checklist, each once, with an id that follows from the text: another
/// checklist has other items, and what was said of the old ones does not count for it.
fn checklist(task: &Task) -> Vec<(String, &str)> {
    let Origin::Imported(from) = &task.origin else {
        return Vec::new();
    };
    let mut known = BTreeSet::new();
    let items = from.checklist.iter();
    items
        .map(|text| (sha256_hex(text.as_bytes())[..16].to_owned(), text.as_str()))
        .filter(|(id, _)| known.insert(id.clone()))
        .collect()
}

/// What a judge says of the items of the checklist of a report's task, and how many there are.
pub fn items_by(
    judgements: &PanelJudgements<'_>,
    task: &Task,
    report: &str,
    judge: &str,
) -> Result<(Vec<ItemFact>, u64)> {
    let mut said = judgements.said_by(ITEM, report, judge, items::reasoned)?;
    let checklist = checklist(task);
    let of = checklist.len() as u64;
    let items = (1..).zip(checklist).filter_map(|(number, (id, _))| {
        let (value, reason) = said.remove(&id)?;
        Some(ItemFact {
            number,
            passes: value > 0.5,
            reason,
        })
    });
    Ok((items.collect(), of))
}

struct CoverageFold {
    /// Judges in force; none where nobody was asked.
    panel: usize,
}

impl Fold for CoverageFold {
    fn score(&self, record: &Record<'_>, task: &Task, report: Reported<'_>) -> Result<Folded> {
        let mut folded = Folded::default();
        if self.panel == 0 {
            return Ok(folded);
        }
        let expected: Vec<String> = checklist(task).into_iter().map(|(id, _)| id).collect();
        if expected.is_empty() {
            folded.scores.insert(KEY, Score::missing("no checklist"));
            return Ok(folded);
        }
        let verdicts = items::verdicts(&record.judgements, ITEM, report.id.as_str())?;
        let of = items::passed(&verdicts, &expected, self.panel);
        let unscored = of.unscored.values().sum();
        let score = match of.decided {
            0 => Score::missing("unscored"),
            decided => Score::ratio(of.passed, decided as f64),
        };
        folded.scores.insert(KEY, Score { unscored, ..score });
        folded.unscored = of.unscored;
        if self.panel > 1 {
            let share =
                |(judge, passed): (&String, &f64)| (judge.clone(), passed / expected.len() as f64);
            folded
                .by_judge
                .insert(KEY, of.by_judge.iter().map(share).collect());
        }
        Ok(folded)
    }
}
