//! Citation accuracy: is there a page behind each citation, is it about the statement, and does it
//! bear the statement out?
//!
//! **Measures** errors per report: E1, no page is behind the address (split into dead, moved,
//! behind a payment, blocked, and never there); E2, the page is about something else; E3, the page
//! does not support the statement; their sum; and the share of the checked citations that are
//! supported. **Method** LiveResearchBench (arXiv 2510.14240), citation accuracy, whose code is not
//! published: a tree of three questions for each statement and address. **Differs from it**:
//! whether there is a page is decided by code from the visit on record; a page that could not be
//! read for a reason that may pass (a timeout, an error of its server) is no error but unscored;
//! support is quoted, and the quote is looked up. **Cost** one call for `batch` statements of a
//! report that cite the same page.

mod fold;
mod gone;
mod plan;

use std::time::Instant;

use anyhow::Result;
use async_trait::async_trait;

use crate::{
    context::{Context, StageReport},
    data::{
        Average, InForce, InTable, Instrument, MeasureDef, Role, Score, Scores, SubjectKind, Task,
        Unit,
    },
    evaluate::{
        Options,
        evaluator::{Evaluator, Fold, SHARE, Work},
        library, planned,
        scorecard::ReportScores,
        timed,
    },
    evidence::citation,
    judging,
    store::{Evaluation, Store},
};

const KEY: &str = "citation-accuracy";

const ACCURACY: &str = "citation_accuracy";
const ERRORS: &str = "citation_errors";
const E1: &str = "citation_e1";
const E2: &str = "citation_e2";
const E3: &str = "citation_e3";

/// What becomes of a statement's citation of a page; `other` is the id of the two.
const CITATION: Instrument = Instrument {
    id: "citation-accuracy/citation/1",
    family: KEY,
    criterion: "citation",
    scale: "supported, unsupported or irrelevant",
    subject: SubjectKind::Report,
    letter: 'm',
};

/// The citations of a report that are to be checked ([`plan::Plan`]).
const PLANNED: Instrument = Instrument {
    id: "citation-accuracy/planned/1",
    criterion: "planned",
    scale: "number of citations",
    ..CITATION
};

/// Errors of a kind per report.
const COUNT: MeasureDef = MeasureDef {
    unit: Unit::Count(1),
    most: None,
    higher_is_better: Some(false),
    average: Average::PerTask,
    in_table: InTable::Plain,
    ..SHARE
};

const HIDDEN: MeasureDef = MeasureDef {
    in_table: InTable::Hidden,
    ..COUNT
};

static MEASURES: [MeasureDef; 10] = [
    MeasureDef {
        key: ACCURACY,
        label: "citation accuracy",
        column: "citations right",
        meaning: "share of the checked citations with a page that bears the statement out",
        higher_is_better: Some(true),
        role: Role::Compares,
        in_table: InTable::WithInterval,
        ..SHARE
    },
    MeasureDef {
        key: ERRORS,
        label: "citation errors",
        column: "errors",
        meaning: "citations of a report that lead nowhere, elsewhere, or to a page that does not say so",
        ..COUNT
    },
    MeasureDef {
        key: E1,
        label: "E1: no page",
        column: "E1",
        meaning: "citations of a report without a page that a reader could open",
        ..COUNT
    },
    MeasureDef {
        key: E2,
        label: "E2: another subject",
        column: "E2",
        meaning: "citations of a page about something else",
        ..COUNT
    },
    MeasureDef {
        key: E3,
        label: "E3: not supported",
        column: "E3",
        meaning: "citations of a page on the subject that does not say so",
        ..COUNT
    },
    MeasureDef {
        key: gone::Gone::Dead.key(),
        label: "E1: dead",
        meaning: "citations of a page that its server no longer has",
        ..HIDDEN
    },
    MeasureDef {
        key: gone::Gone::Moved.key(),
        label: "E1: moved",
        meaning: "citations of an address that leads to another page of its site",
        ..HIDDEN
    },
    MeasureDef {
        key: gone::Gone::Paywalled.key(),
        label: "E1: paywalled",
        meaning: "citations of a page behind a login or a payment",
        ..HIDDEN
    },
    MeasureDef {
        key: gone::Gone::Blocked.key(),
        label: "E1: blocked",
        meaning: "citations of a page that its server shows to no program",
        ..HIDDEN
    },
    MeasureDef {
        key: gone::Gone::NeverExisted.key(),
        label: "E1: never there",
        meaning: "citations of what is no address of the web, or of a host that does not exist",
        ..HIDDEN
    },
];

/// The evaluator.
pub struct CitationAccuracy;

#[async_trait(?Send)]
impl Evaluator for CitationAccuracy {
    fn key(&self) -> &'static str {
        KEY
    }

    fn about(&self) -> &'static str {
        "LiveResearchBench: is there a page behind each citation, and does it say so?"
    }

    fn measures(&self) -> &'static [MeasureDef] {
        &MEASURES
    }

    fn roles(&self, _options: &Options) -> &'static [&'static str] {
        &[citation::ROLE]
    }

    fn in_force(&self, ctx: &Context, options: &Options) -> Result<Vec<InForce>> {
        let settings = planned::settings(options);
        let in_force = |instrument: Instrument, panel| InForce {
            instrument: instrument.id.to_owned(),
            panel,
            settings: settings.clone(),
        };
        let planner = vec![(plan::planner(options), String::new())];
        Ok(vec![
            in_force(
                CITATION,
                judging::panel(ctx, citation::ROLE, citation::PROMPT)?,
            ),
            in_force(PLANNED, planner),
        ])
    }

    async fn judge(&self, work: &Work<'_>) -> Result<Vec<StageReport>> {
        let (sources, pages) = library::fetch(work).await?;
        let started = Instant::now();
        let at_once = work.options.at_once();
        let claims = plan::batches(work, &sources.pages, at_once)?;
        let ctx = work.ctx;
        let checked = citation::check(ctx, "citations", CITATION, at_once, claims).await?;
        Ok(vec![pages, timed(checked, started)])
    }

    fn fold<'a>(
        &self,
        _store: &Store,
        _tasks: &'a [Task],
        evaluation: &'a Evaluation,
    ) -> Result<Box<dyn Fold + 'a>> {
        Ok(Box::new(fold::AccuracyFold::new(evaluation)))
    }

    /// Nothing is borne out; of errors there is no number.
    fn failed(&self, _others: &[&ReportScores]) -> Scores {
        Scores::from([(ACCURACY, Score::ratio(0.0, 1.0))])
    }
}
