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
    fold::extracted,
    gather::GoldStatements,
    graded::facts_by,
    positions::{AgentPositions, Part, positions, stands_out},
    reader::{Reader, ReportStatements},
};
pub use crate::evaluate::statements::Figures;

use std::{collections::BTreeMap, time::Instant};

use anyhow::Result;
use async_trait::async_trait;
use serde_json::{Value, json};

use super::no_gold;
use crate::{
    context::{Context, StageReport},
    data::{
        Average, InForce, InTable, Instrument, MeasureDef, Role, Score, Scores, SubjectKind, Task,
        TaskId,
    },
    evaluate::{
        Case, Options,
        evaluator::{Evaluator, Fold, SHARE, Work},
        scorecard::ReportScores,
        statements, timed,
    },
    evidence::{reading::Sourced, support},
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
const REPRESENTED: &str = "facts_represented";

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

/// The statements that a model wrote out of a chunk of a report.
const EXTRACTED: Instrument = Instrument {
    id: "facts/extracted/1",
    criterion: "extracted",
    scale: "statements",
    ..IN_REPORT
};

const PART: MeasureDef = MeasureDef {
    average: Average::PerTask,
    in_table: InTable::Hidden,
    ..SHARE
};

static MEASURES: [MeasureDef; 7] = [
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
    MeasureDef {
        key: REPRESENTED,
        label: "sentences in statements",
        column: "represented",
        meaning: "share of the report's sentences that the statements of a model rest on",
        higher_is_better: None,
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

    fn roles(&self, options: &Options) -> &'static [&'static str] {
        match Reader::wanted(options) {
            Ok(Reader::Model) => &[statements::ROLE, support::ROLE],
            _ => &[support::ROLE],
        }
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
        let mut all = vec![
            in_force(IN_REPORT, panel.clone()),
            in_force(IN_GOLD, panel),
            in_force(COUNTED, vec![(reader.program(ctx)?, String::new())]),
        ];
        if reader == Reader::Model {
            all.push(InForce {
                instrument: EXTRACTED.id.to_owned(),
                panel: judging::panel(ctx, statements::ROLE, statements::prompt(ctx)?)?,
                settings: json!(statements::bounds(ctx)?),
            });
        }
        Ok(all)
    }

    async fn judge(&self, work: &Work<'_>) -> Result<Vec<StageReport>> {
        let started = Instant::now();
        let articles = work.ctx.store.gold()?;
        let has_gold = |case: &&Case<'_>| articles.contains_key(&case.task.id);
        let cases: Vec<&Case<'_>> = work.judged.iter().filter(has_gold).collect();
        if cases.is_empty() {
            return Err(no_gold().into());
        }
        let reader = Reader::wanted(work.options)?;
        let (own, mut stages) = own_statements(work, reader, &cases).await?;
        let program = reader.program(work.ctx)?;
        let mut batches = gather::Batches::default();
        let mut read: BTreeMap<&TaskId, gather::Gold> = BTreeMap::new();
        for (case, (statements, extracted)) in cases.iter().zip(own) {
            let id = &case.task.id;
            let article = read
                .entry(id)
                .or_insert_with(|| gather::Gold::new(&articles[id], reader));
            let own = gather::OwnStatements {
                statements,
                extracted,
                program: &program,
            };
            batches.add(work, case, article, own)?;
        }
        stages.extend(held(work, batches, started).await?);
        let without = work.judged.len() - cases.len();
        if without > 0 {
            let note = format!("reports on tasks without a gold article: {without}");
            stages[0].notes.push(note);
        }
        if reader == Reader::Compat {
            let note = "statements are cut by the benchmark's own reader (`reader = \"compat\"`)";
            stages[0].notes.push(note.to_owned());
        }
        Ok(stages)
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

/// The statements of each report, and of those that a model wrote how they came about.
type Own = Vec<(Vec<Sourced>, Option<Figures>)>;

/// Cuts the reports into statements, or has a model do so.
async fn own_statements(
    work: &Work<'_>,
    reader: Reader,
    cases: &[&Case<'_>],
) -> Result<(Own, Vec<StageReport>)> {
    if reader != Reader::Model {
        let own = cases.iter();
        let own = own.map(|case| (reader.statements(&case.report.text), None));
        return Ok((own.collect(), Vec::new()));
    }
    let started = Instant::now();
    let reports: Vec<_> = cases
        .iter()
        .map(|case| (&case.report.id, case.report.text.as_str()))
        .collect();
    let bounds = statements::bounds(work.ctx)?;
    let (found, mut report) = statements::extract(work.ctx, EXTRACTED, bounds, &reports).await?;
    let mut sum = Figures::default();
    let own = found.into_iter().zip(cases).map(|(extraction, case)| {
        sum.absorb(&extraction.figures);
        if extraction.is_predicted {
            // A dry run takes what is not written yet for as many statements as sentences.
            return (reader.statements(&case.report.text), None);
        }
        let figures = extraction.figures.clone();
        (reader::sourced(extraction), Some(figures))
    });
    let own: Own = own.collect();
    report.rejected.clone_from(&sum.refused);
    report.notes.push(sum.told());
    Ok((own, vec![timed(report, started)]))
}

/// Asks what each of the two texts says of the other's statements.
async fn held(
    work: &Work<'_>,
    batches: gather::Batches,
    started: Instant,
) -> Result<[StageReport; 2]> {
    let (ctx, at_once) = (work.ctx, work.options.at_once());
    let stage = "facts covered";
    let covered = support::support(ctx, stage, IN_REPORT, at_once, batches.of_gold).await?;
    let covered = timed(covered, started);
    let started = Instant::now();
    let stage = "facts in conflict";
    let held = support::support(ctx, stage, IN_GOLD, at_once, batches.of_reports).await?;
    Ok([covered, timed(held, started)])
}
