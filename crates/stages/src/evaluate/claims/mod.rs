//! Claim precision: do the pages that a statement cites bear it out?
//!
//! **Measures** of the statements of a report that cite a readable page: the share that such a page
//! supports, the share that it contradicts, the share that only another page supports (a wrong
//! source), and the share on which all are silent; the first two also of all statements that cite,
//! so that one readable page among dead ones makes no good report; and the share of a report's
//! sentences that cite at all. **Method** the citation precision of Gao et al. (ALCE, arXiv
//! 2305.14627, section 3) with three answers instead of two, and with the words of the page that
//! decide, which are looked up. **Differs from** it: a statement counts as supported where any of
//! its pages supports it, and no citation is judged alone. **Cost** one call for `batch` statements
//! of a report that cite the same pages, and one for `batch` of those on which their pages are
//! silent.

mod fold;
mod gather;
mod plan;

use std::time::Instant;

use anyhow::Result;
use async_trait::async_trait;

pub use fold::Checked;

use super::{
    Options,
    evaluator::{Evaluator, Fold, SHARE, Work},
    library::{self, Library},
    planned,
    scorecard::{ReportScores, mean_denominator},
    timed,
};
use crate::{
    context::{Context, StageReport},
    data::{
        InForce, InTable, Instrument, MeasureDef, Role, Score, Scores, SubjectKind, Task, Undecided,
    },
    evidence::support,
    judging,
    store::{Evaluation, Store},
};

/// What the pages that a statement cites say of it; `other` is its id with these pages.
const CITED: Instrument = Instrument {
    id: "claims/cited/1",
    family: KEY,
    criterion: "cited",
    scale: "supports, contradicts or silent",
    subject: SubjectKind::Report,
    letter: 'm',
};

/// What all pages on the task say of a statement on which its own are silent.
const ELSEWHERE: Instrument = Instrument {
    id: "claims/elsewhere/1",
    criterion: "elsewhere",
    ..CITED
};

/// The statements of a report that are to be checked ([`plan::Plan`]).
const COUNTED: Instrument = Instrument {
    id: "claims/counted/1",
    criterion: "counted",
    scale: "share of sentences that cite",
    ..CITED
};

const SUPPORTED: &str = "claims_supported";
const CONTRADICTED: &str = "claims_contradicted";
const WRONG_SOURCE: &str = "claims_wrong_source";
const SILENT: &str = "claims_silent";
const SUPPORTED_OF_ALL: &str = "claims_supported_of_all";
const CONTRADICTED_OF_ALL: &str = "claims_contradicted_of_all";
const CITING: &str = "sentences_citing";

/// A statement without a verdict would have been one more.
const STATEMENTS: MeasureDef = MeasureDef {
    undecided: Undecided::OneMore,
    ..SHARE
};

static MEASURES: [MeasureDef; 7] = [
    MeasureDef {
        key: SUPPORTED,
        label: "claim precision",
        column: "claims borne out",
        meaning: "share of the statements with a readable source that such a source supports",
        higher_is_better: Some(true),
        role: Role::Compares,
        in_table: InTable::WithInterval,
        ..STATEMENTS
    },
    MeasureDef {
        key: CONTRADICTED,
        label: "claims contradicted",
        column: "contradicted",
        meaning: "share of the same statements that their source, else another page, contradicts",
        in_table: InTable::Hidden,
        ..STATEMENTS
    },
    MeasureDef {
        key: WRONG_SOURCE,
        label: "claims under a wrong source",
        column: "wrong source",
        meaning: "share of the same statements that another page supports and their own does not",
        in_table: InTable::Hidden,
        ..STATEMENTS
    },
    MeasureDef {
        key: SILENT,
        label: "claims without support",
        column: "silent",
        meaning: "share of the same statements that no page speaks of",
        in_table: InTable::Hidden,
        ..STATEMENTS
    },
    MeasureDef {
        key: SUPPORTED_OF_ALL,
        label: "claims borne out, of all",
        column: "borne out of all",
        meaning: "share of all statements with a source, unreadable or not, that a source supports",
        higher_is_better: Some(true),
        in_table: InTable::Hidden,
        ..STATEMENTS
    },
    MeasureDef {
        key: CONTRADICTED_OF_ALL,
        label: "claims contradicted, of all",
        column: "contradicted of all",
        meaning: "share of all statements with a source, unreadable or not, that are contradicted",
        in_table: InTable::Hidden,
        ..STATEMENTS
    },
    MeasureDef {
        key: CITING,
        label: "sentences that cite",
        column: "citing",
        meaning: "share of a report's sentences, items and rows that cite a page",
        higher_is_better: None,
        in_table: InTable::Hidden,
        ..STATEMENTS
    },
];

/// Its name.
pub const KEY: &str = "claims";

/// The evaluator.
pub struct Claims;

#[async_trait(?Send)]
impl Evaluator for Claims {
    fn key(&self) -> &'static str {
        KEY
    }

    fn about(&self) -> &'static str {
        "claim precision: do the pages that a statement cites bear it out?"
    }

    fn measures(&self) -> &'static [MeasureDef] {
        &MEASURES
    }

    fn roles(&self, _options: &Options) -> &'static [&'static str] {
        &[support::ROLE]
    }

    fn in_force(&self, ctx: &Context, options: &Options) -> Result<Vec<InForce>> {
        let settings = planned::settings(options);
        let judged = |instrument: Instrument, panel| InForce {
            instrument: instrument.id.to_owned(),
            panel,
            settings: settings.clone(),
        };
        let panel = judging::panel(ctx, support::ROLE, support::PROMPT)?;
        let counter = vec![(plan::counter(options), String::new())];
        Ok(vec![
            judged(CITED, panel.clone()),
            judged(ELSEWHERE, panel),
            judged(COUNTED, counter),
        ])
    }

    async fn judge(&self, work: &Work<'_>) -> Result<Vec<StageReport>> {
        let (sources, pages) = library::fetch(work).await?;
        let library = Library::new(work, &sources);

        let started = Instant::now();
        let at_once = work.options.at_once();
        let plans = gather::plans(work, &sources.pages, &library)?;
        let claims = gather::of_own_pages(work, &plans, at_once)?;
        let (ctx, stage) = (work.ctx, "claims");
        let checked = support::support(ctx, stage, CITED, at_once, claims).await?;
        let checked = timed(checked, started);

        let started = Instant::now();
        let so_far = Checked::new(work.ctx, work.options)?;
        let claims = gather::of_other_pages(work, &library, &plans, &so_far, at_once)?;
        let stage = "claims elsewhere";
        let elsewhere = support::support(ctx, stage, ELSEWHERE, at_once, claims).await?;
        Ok(vec![pages, checked, timed(elsewhere, started)])
    }

    fn fold<'a>(
        &self,
        _store: &Store,
        _tasks: &'a [Task],
        evaluation: &'a Evaluation,
    ) -> Result<Box<dyn Fold + 'a>> {
        Ok(Box::new(fold::ClaimsFold::new(evaluation)))
    }

    /// A failed report has as many statements as the task's other reports on average, all without
    /// support.
    fn failed(&self, others: &[&ReportScores]) -> Scores {
        let Some(size) = mean_denominator(others, SUPPORTED) else {
            return Scores::default();
        };
        let share = |key, of| (key, Score::ratio(of, size));
        Scores::from([
            share(SUPPORTED, 0.0),
            share(CONTRADICTED, 0.0),
            share(WRONG_SOURCE, 0.0),
            share(SILENT, size),
            share(SUPPORTED_OF_ALL, 0.0),
            share(CONTRADICTED_OF_ALL, 0.0),
        ])
    }
}
