//! Facts: does a report say what the gold article says, and does it contradict it?
//!
//! **Measures** the share of the gold article's statements that the report bears out (`Cov.Wiki`),
//! and of the report's statements the shares that the gold article bears out and contradicts (`Wiki
//! Conf`). **Method** Wiki Live Challenge (arXiv 2602.01590), Wiki Fact, coverage and conflict.
//! **Differs from it**: statements that are held against the same passages are asked about
//! together; the judge quotes the words that decide, which are looked up; a verdict that is missing
//! is unscored and not unsupported; statements of a report that cite the gold article are left out
//! and counted, as the paper says and its code does not; and passages that stand in the gold
//! article word for word are counted, because copies need no citation. **Cost** one call for
//! `batch` statements of the gold article, and one for `batch` of the report's.

mod conflicts;
mod fold;
mod gather;
mod graded;
mod positions;
mod reader;

pub use self::{
    conflicts::{Conflict, StatementOf, conflicts},
    gather::GoldStatements,
    graded::facts_by,
    positions::{AgentPositions, Part, positions, stands_out},
    reader::Reader,
};

use std::{collections::BTreeMap, time::Instant};

use anyhow::Result;
use async_trait::async_trait;
use serde_json::Value;

use super::no_gold;
use crate::{
    context::{Context, StageReport},
    data::{
        Average, InForce, InTable, Instrument, MeasureDef, Role, Score, Scores, SubjectKind, Task,
        TaskId,
    },
    evaluate::{
        Options,
        evaluator::{Evaluator, Fold, SHARE, Work},
        scorecard::ReportScores,
        timed,
    },
    evidence::support,
    judging,
    store::{Evaluation, Store},
};

const KEY: &str = "facts";
/// The program that counts a report's statements; to be raised with what it finds.
const PROGRAM: &str = "facts/1";

const COVERED: &str = "facts_covered";
const DENIED: &str = "facts_denied";
const BORNE_OUT: &str = "facts_borne_out";
const CONFLICT: &str = "facts_conflict";
const LEAKED: &str = "facts_leaked";
const COPIED: &str = "facts_copied";

/// What the report says of a statement of the gold article.
pub const IN_REPORT: Instrument = Instrument {
    id: "facts/in-report/1",
    family: KEY,
    criterion: "in-report",
    scale: "supports, contradicts or silent",
    subject: SubjectKind::Report,
    letter: 'm',
};

/// What the gold article says of a statement of the report.
pub const IN_GOLD: Instrument = Instrument {
    id: "facts/in-gold/1",
    criterion: "in-gold",
    ..IN_REPORT
};

/// The statements of a report that are held against the gold article ([`gather::Plan`]).
const COUNTED: Instrument = Instrument {
    id: "facts/counted/1",
    criterion: "counted",
    scale: "share of statements that cite the gold article",
    ..IN_REPORT
};

const PART: MeasureDef = MeasureDef {
    average: Average::PerTask,
    in_table: InTable::Hidden,
    ..SHARE
};

static MEASURES: [MeasureDef; 6] = [
    MeasureDef {
        key: COVERED,
        label: "facts covered",
        column: "facts",
        meaning: "share of the gold article's statements that the report says, too",
        higher_is_better: Some(true),
        role: Role::Compares,
        in_table: InTable::WithInterval,
        ..PART
    },
    MeasureDef {
        key: CONFLICT,
        label: "facts in conflict",
        column: "conflict",
        meaning: "share of the report's statements that the gold article contradicts",
        role: Role::Compares,
        in_table: InTable::WithInterval,
        ..PART
    },
    MeasureDef {
        key: DENIED,
        label: "facts denied",
        column: "denied",
        meaning: "share of the gold article's statements that the report contradicts",
        ..PART
    },
    MeasureDef {
        key: BORNE_OUT,
        label: "facts borne out",
        column: "borne out",
        meaning: "share of the report's statements that the gold article says, too",
        higher_is_better: Some(true),
        ..PART
    },
    MeasureDef {
        key: LEAKED,
        label: "statements from the gold article",
        column: "leaked",
        meaning: "share of the report's statements that cite the gold article; they are in no other share",
        ..PART
    },
    MeasureDef {
        key: COPIED,
        label: "words of the gold article",
        column: "copied",
        meaning: "share of the report's passages of eight words that stand in the gold article",
        ..PART
    },
];

/// The evaluator.
pub struct Facts;

#[async_trait(?Send)]
impl Evaluator for Facts {
    fn key(&self) -> &'static str {
        KEY
    }

    fn about(&self) -> &'static str {
        "Wiki Live Challenge: does the report say what the gold article says?"
    }

    fn measures(&self) -> &'static [MeasureDef] {
        &MEASURES
    }

    fn roles(&self, _options: &Options) -> &'static [&'static str] {
        &[support::ROLE]
    }

    fn check(&self, value: &Value) -> Result<(), String> {
        Reader::read(value).map(drop)
    }

    fn in_force(&self, ctx: &Context, options: &Options) -> Result<Vec<InForce>> {
        let panel = judging::panel(ctx, support::ROLE, support::PROMPT)?;
        let reader = Reader::wanted(options)?;
        let in_force = |instrument: Instrument, panel| InForce {
            instrument: instrument.id.to_owned(),
            panel,
            settings: reader.settings(),
        };
        Ok(vec![
            in_force(IN_REPORT, panel.clone()),
            in_force(IN_GOLD, panel),
            in_force(COUNTED, vec![(reader.program(), String::new())]),
        ])
    }

    async fn judge(&self, work: &Work<'_>) -> Result<Vec<StageReport>> {
        let started = Instant::now();
        let gold = work.ctx.store.gold()?;
        let mut batches = gather::Batches::default();
        let at_once = work.options.at_once();
        let reader = Reader::wanted(work.options)?;
        let mut read: BTreeMap<&TaskId, gather::Gold> = BTreeMap::new();
        let mut without = 0_usize;
        for case in work.judged {
            let Some(article) = gold.get(&case.task.id) else {
                without += 1;
                continue;
            };
            let article = read
                .entry(&case.task.id)
                .or_insert_with(|| gather::Gold::new(article, reader));
            batches.add(work, case, article, at_once)?;
        }
        if without == work.judged.len() {
            return Err(no_gold().into());
        }
        let ctx = work.ctx;
        let covered = support::support(ctx, "facts covered", IN_REPORT, at_once, batches.of_gold);
        let mut covered = timed(covered.await?, started);
        if without > 0 {
            let note = format!("reports on tasks without a gold article: {without}");
            covered.notes.push(note);
        }
        if reader == Reader::Compat {
            let note = "statements are cut by the benchmark's own reader (`reader = \"compat\"`)";
            covered.notes.push(note.to_owned());
        }
        let started = Instant::now();
        let held = support::support(
            ctx,
            "facts in conflict",
            IN_GOLD,
            at_once,
            batches.of_reports,
        );
        Ok(vec![covered, timed(held.await?, started)])
    }

    fn fold<'a>(
        &self,
        store: &Store,
        _tasks: &'a [Task],
        evaluation: &'a Evaluation,
    ) -> Result<Box<dyn Fold + 'a>> {
        Ok(Box::new(fold::FactsFold::new(store, evaluation)?))
    }

    fn item_text(&self, store: &Store, task: &Task, about: &str) -> Result<Option<String>> {
        let Some(article) = store.gold_of(&task.id)? else {
            return Ok(None);
        };
        // The benchmark lists statements; where it does not, those of either reader may be meant.
        let readers = [Reader::Ours, Reader::Compat].into_iter();
        let mut statements = readers.flat_map(|reader| gather::of_gold(&article, reader));
        Ok(statements.find(|(id, _)| id == about).map(|(_, text)| text))
    }

    /// It says nothing of the gold article.
    fn failed(&self, _others: &[&ReportScores]) -> Scores {
        Scores::from([(COVERED, Score::ratio(0.0, 1.0))])
    }
}
