//! Presentation: ten questions about the form of a report.
//!
//! **Measures** the share of the ten that a report passes, and each by itself. **Method**
//! LiveResearchBench (arXiv 2510.14240), presentation and organisation, p1 to p10. **Differs from
//! it**: code decides p3 to p6 and p8 to p10, about references, citations, tables and headings,
//! each fault with its place; a model is asked about structure (p1), language (p2) and where
//! citations stand (p7), and for p2 it is shown slips that code found. **Cost** three calls per
//! report and judge, or one per `batch` questions.
//!
//! `[evaluate.settings.presentation] compare = true` asks the model all ten: code's verdicts count,
//! and the summary says how often the model agrees with them.

mod agreement;
mod fold;
mod graded;
mod questions;

use std::time::Instant;

use anyhow::Result;
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

pub use self::graded::items_by;
use super::items::{self, ItemForm};
use crate::{
    context::{Context, StageReport},
    data::{
        Average, DecidedBy, InForce, InTable, Instrument, MeasureDef, Role, Score, Scores,
        SubjectKind, Task, Undecided,
    },
    evaluate::{
        Case, Misconfigured, Options,
        evaluator::{Evaluator, Fold, SHARE, Work},
        numbered::NumberedReport,
        scorecard::ReportScores,
        timed,
    },
    judging::{self, DecisionOfCode, batch::Subject},
    lint::presentation::{self, Item},
    store::{Evaluation, Store},
};

const KEY: &str = "presentation";
const ROLE: &str = "rate";
const PROMPT: &str = "evaluate/presentation";
/// The program that decides; to be raised with what it finds.
const PROGRAM: &str = "presentation/1";
/// Faults of an item that are kept with a decision.
const MOST_FAULTS: usize = 50;

/// What a model says of an item.
pub const ITEM: Instrument = Instrument {
    id: "presentation/item/1",
    family: KEY,
    criterion: "item",
    scale: "passed or failed",
    subject: SubjectKind::Report,
    letter: 'm',
};

/// What code says of an item.
const FORM: Instrument = Instrument {
    id: "presentation/form/1",
    criterion: "form",
    ..ITEM
};

/// The key of the share of reports that pass an item, by its number.
const ITEMS: [&str; 10] = [
    "presentation_p1",
    "presentation_p2",
    "presentation_p3",
    "presentation_p4",
    "presentation_p5",
    "presentation_p6",
    "presentation_p7",
    "presentation_p8",
    "presentation_p9",
    "presentation_p10",
];

const fn item(number: usize, label: &'static str, meaning: &'static str) -> MeasureDef {
    MeasureDef {
        key: ITEMS[number - 1],
        label,
        meaning,
        higher_is_better: Some(true),
        average: Average::PerTask,
        in_table: InTable::Hidden,
        ..SHARE
    }
}

static MEASURES: [MeasureDef; 11] = [
    MeasureDef {
        key: KEY,
        label: "presentation",
        column: "presentation",
        meaning: "share of ten questions about its form that the report passes",
        higher_is_better: Some(true),
        average: Average::PerTask,
        role: Role::Compares,
        in_table: InTable::WithInterval,
        undecided: Undecided::One,
        ..SHARE
    },
    item(
        1,
        "p1: structure",
        "share of the reports with a clear structure that answers the question",
    ),
    item(
        2,
        "p2: language",
        "share of the reports without errors of spelling and grammar",
    ),
    item(
        3,
        "p3: entries are cited",
        "share of the reports whose references are all cited",
    ),
    item(
        4,
        "p4: citations have entries",
        "share of the reports whose citations all have an entry",
    ),
    item(
        5,
        "p5: one list in order",
        "share of the reports with one list of references in one order",
    ),
    item(
        6,
        "p6: one style",
        "share of the reports that cite in one style",
    ),
    item(
        7,
        "p7: citations at ends",
        "share of the reports whose citations stand where a clause ends",
    ),
    item(
        8,
        "p8: whole tables",
        "share of the reports whose tables and figures are complete",
    ),
    item(
        9,
        "p9: valid Markdown",
        "share of the reports with real headings and valid tables",
    ),
    item(
        10,
        "p10: numbers",
        "share of the reports whose references have no gaps and no duplicates",
    ),
];

/// The settings in the configuration.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    /// Whether a model is asked about the items that code decides, too.
    compare: bool,
}

fn read(value: &Value) -> Result<Settings, String> {
    Settings::deserialize(value).map_err(|error| format!("evaluate.settings.{KEY}: {error}"))
}

fn settings(options: &Options) -> Result<Settings> {
    let value = options.settings.get(KEY);
    let settings = value.map_or_else(|| Ok(Settings::default()), read);
    settings.map_err(|why| Misconfigured(why).into())
}

/// The evaluator.
pub struct Presentation;

#[async_trait(?Send)]
impl Evaluator for Presentation {
    fn key(&self) -> &'static str {
        KEY
    }

    fn about(&self) -> &'static str {
        "LiveResearchBench: ten questions about the report's form, seven of them decided by code"
    }

    fn measures(&self) -> &'static [MeasureDef] {
        &MEASURES
    }

    fn roles(&self, _options: &Options) -> &'static [&'static str] {
        &[ROLE]
    }

    fn check(&self, value: &Value) -> Result<(), String> {
        read(value).map(drop)
    }

    fn in_force(&self, ctx: &Context, _options: &Options) -> Result<Vec<InForce>> {
        let in_force = |instrument: Instrument, panel| InForce {
            instrument: instrument.id.to_owned(),
            panel,
            settings: Value::Null,
        };
        Ok(vec![
            in_force(ITEM, judging::panel(ctx, ROLE, PROMPT)?),
            in_force(FORM, vec![(PROGRAM.to_owned(), String::new())]),
        ])
    }

    async fn judge(&self, work: &Work<'_>) -> Result<Vec<StageReport>> {
        let started = Instant::now();
        let settings = settings(work.options)?;
        decide_by_code(work.ctx, work.judged)?;
        let subjects: Vec<Subject<NumberedReport<'_>>> = work
            .judged
            .iter()
            .map(|case| Subject {
                id: case.report.id.to_string(),
                items: questions::for_a_model(&case.report.text, settings.compare),
                of: NumberedReport::in_markdown(*case),
                keep: json!({}),
            })
            .collect();
        let form = ItemForm {
            stage: KEY,
            instrument: ITEM,
            role: ROLE,
            prompt: PROMPT,
            must_show: false,
        };
        let most = work.options.items_at_once();
        let mut report = items::judge(work.ctx, &form, most, &subjects).await?;
        if settings.compare {
            report.notes.extend(agreement::with_code(self, work)?);
        }
        Ok(vec![timed(report, started)])
    }

    fn fold<'a>(
        &self,
        _store: &Store,
        _tasks: &'a [Task],
        evaluation: &'a Evaluation,
    ) -> Result<Box<dyn Fold + 'a>> {
        Ok(Box::new(fold::PresentationFold::new(evaluation)))
    }

    fn item_text(&self, _store: &Store, _task: &Task, about: &str) -> Result<Option<String>> {
        Ok(questions::question(about).map(str::to_owned))
    }

    /// No report has no form.
    fn failed(&self, _others: &[&ReportScores]) -> Scores {
        let all = ITEMS.into_iter().chain([KEY]);
        all.map(|key| (key, Score::ratio(0.0, 1.0))).collect()
    }
}

/// Decides the items that code can decide, and keeps each with its faults. What this program has
/// decided of a report stays, because another text is another report.
fn decide_by_code(ctx: &Context, cases: &[Case<'_>]) -> Result<()> {
    let program = vec![(PROGRAM.to_owned(), String::new())];
    let evaluation = judging::by_panel(FORM, program);
    let known = ctx.store.panel_judgements(&evaluation)?;
    for case in cases {
        let report = case.report.id.as_str();
        if items::verdicts(&known, FORM, report)?.len() < Item::ALL.len() {
            decide(ctx, report, &case.report.text)?;
        }
    }
    Ok(())
}

fn decide(ctx: &Context, report: &str, text: &str) -> Result<()> {
    for (item, outcome) in presentation::check(text).items {
        let faults = outcome.findings();
        let shown = &faults[..faults.len().min(MOST_FAULTS)];
        judging::decide_by_code(
            ctx,
            DecisionOfCode {
                instrument: FORM,
                subject: report,
                other: Some(item.key()),
                sample: 0,
                decided_by: DecidedBy::Code(PROGRAM),
                saw: text,
                decision: items::decision(outcome.passes()),
                payload: json!({ "faults": shown, "number": faults.len() }),
            },
        )?;
    }
    Ok(())
}
