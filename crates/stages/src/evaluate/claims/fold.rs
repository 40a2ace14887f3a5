//! From stored verdicts on statements to shares of a report.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::{
    CITED, CITING, CONTRADICTED, CONTRADICTED_OF_ALL, COUNTED, Claims, ELSEWHERE, SILENT,
    SUPPORTED, SUPPORTED_OF_ALL, WRONG_SOURCE, plan::Plan,
};
use crate::{
    context::Context,
    data::{ReportId, Score, Scores, Task},
    evaluate::{
        Options,
        evaluator::{Evaluator as _, Fold, Folded, Record, Reported},
        stances,
    },
    evidence::support::Stance,
    store::{Evaluation, PanelJudgements, StoredJudgement},
};

/// Scores reports by the verdicts on their statements.
pub struct ClaimsFold {
    is_in_force: bool,
}

impl ClaimsFold {
    pub fn new(evaluation: &Evaluation) -> Self {
        Self {
            is_in_force: !evaluation.in_force(CITED).panel.is_empty(),
        }
    }
}

/// The verdicts by the judges of a run, whether or not they are in force yet.
pub struct Checked<'a> {
    judgements: PanelJudgements<'a>,
}

impl<'a> Checked<'a> {
    pub fn new(ctx: &'a Context, options: &Options) -> Result<Self> {
        let instruments = Claims.in_force(ctx, options)?;
        Ok(Self {
            judgements: ctx.store.panel_judgements(&Evaluation { instruments })?,
        })
    }

    /// The statements of a report on which the pages that they cite are silent.
    pub fn silent(&self, report: &ReportId) -> Result<BTreeSet<String>> {
        let stances = stances::panel(&self.judgements, CITED, report.as_str())?.into_iter();
        let silent = stances.filter(|(_, stance)| *stance == Ok(Stance::Silent));
        Ok(silent.map(|(statement, _)| statement).collect())
    }

    /// How the statements of a report stand up, in a sentence for raters; none where these judges
    /// were not asked about all of them.
    pub fn told(&self, report: &ReportId) -> Result<Option<String>> {
        let found = found(&self.judgements, report)?;
        let whole = found.filter(|found| !found.unscored.contains_key(MISSING));
        Ok(whole.map(|found| found.sentence()))
    }
}

impl Fold for ClaimsFold {
    fn score(&self, record: &Record<'_>, _task: &Task, report: Reported<'_>) -> Result<Folded> {
        let mut folded = Folded::default();
        // Where nobody asked, the measures do not exist.
        if !self.is_in_force {
            return Ok(folded);
        }
        if let Some(found) = found(&record.judgements, report.id)? {
            folded.scores = found.scores();
            folded.unscored = found.unscored;
        } else {
            let all = [
                SUPPORTED,
                CONTRADICTED,
                WRONG_SOURCE,
                SILENT,
                SUPPORTED_OF_ALL,
                CONTRADICTED_OF_ALL,
                CITING,
            ];
            folded.scores = Scores::from(all.map(|key| (key, Score::missing("unscored"))));
        }
        Ok(folded)
    }
}

/// The cause of a verdict that nobody was asked for.
const MISSING: &str = "missing";

/// What became of the statements of a report.
struct Found {
    plan: Plan,
    supported: u64,
    contradicted: u64,
    /// Supported by a page that they do not cite, and by none that they cite.
    wrong_source: u64,
    silent: u64,
    /// Those in none of the four, by cause.
    unscored: BTreeMap<String, u64>,
}

fn plan(stored: &StoredJudgement<'_>) -> Result<Plan> {
    stored.payload()
}

fn found(judgements: &PanelJudgements<'_>, report: &ReportId) -> Result<Option<Found>> {
    let plans = judgements.read_bare(COUNTED, report.as_str(), plan)?;
    let Some(plan) = plans.into_iter().find_map(|of| of.outcome.ok()) else {
        return Ok(None);
    };
    let cited = stances::panel(judgements, CITED, report.as_str())?;
    let elsewhere = stances::panel(judgements, ELSEWHERE, report.as_str())?;
    let missing = || Err(MISSING.to_owned());
    let mut found = Found {
        supported: 0,
        contradicted: 0,
        wrong_source: 0,
        silent: 0,
        unscored: BTreeMap::new(),
        plan,
    };
    // What the plan does not name was asked about other words or other pages.
    for claim in &found.plan.claims {
        let own = cited.get(&claim.cited).cloned().unwrap_or_else(missing);
        let other = match (&own, &claim.elsewhere) {
            (Ok(Stance::Silent), Some(id)) => elsewhere.get(id).cloned().unwrap_or_else(missing),
            _ => Ok(Stance::Silent),
        };
        match (own, other) {
            (Ok(Stance::Supports), _) => found.supported += 1,
            (Ok(Stance::Contradicts), _) | (_, Ok(Stance::Contradicts)) => found.contradicted += 1,
            (Ok(Stance::Silent), Ok(Stance::Supports)) => found.wrong_source += 1,
            (Ok(Stance::Silent), Ok(Stance::Silent)) => found.silent += 1,
            (Err(cause), _) | (_, Err(cause)) => *found.unscored.entry(cause).or_default() += 1,
        }
    }
    for (cause, n) in [
        ("page not read", found.plan.unread),
        ("over_limit", found.plan.over_limit),
    ] {
        if n > 0 {
            found.unscored.insert(cause.to_owned(), n);
        }
    }
    Ok(Some(found))
}

impl Found {
    /// The statements with a verdict.
    fn decided(&self) -> u64 {
        self.supported + self.contradicted + self.wrong_source + self.silent
    }

    /// The shares; a statement whose pages could not be read, or that nobody could judge, is in
    /// none.
    fn scores(&self) -> Scores {
        let unscored: u64 = self.unscored.values().sum();
        let of = |size: u64, unscored| {
            move |key, n: u64| {
                let score = match (size, self.plan.citing()) {
                    (0, 0) => Score::missing("no citing statement"),
                    (0, _) => Score::missing("unscored"),
                    (size, _) => Score::ratio(n as f64, size as f64),
                };
                (key, Score { unscored, ..score })
            }
        };
        let share = of(self.decided(), unscored);
        // A page that nobody can read supports nothing.
        let unread = self.plan.unread;
        let of_all = of(self.decided() + unread, unscored.saturating_sub(unread));
        let citing = match self.plan.sentences {
            0 => Score::missing("no sentences"),
            sentences => Score::ratio(self.plan.citing() as f64, sentences as f64),
        };
        Scores::from([
            share(SUPPORTED, self.supported),
            share(CONTRADICTED, self.contradicted),
            share(WRONG_SOURCE, self.wrong_source),
            share(SILENT, self.silent),
            of_all(SUPPORTED_OF_ALL, self.supported),
            of_all(CONTRADICTED_OF_ALL, self.contradicted),
            (CITING, citing),
        ])
    }

    fn sentence(&self) -> String {
        format!(
            "of {} sentences {} cite a source, and {} of these could be checked: {} are borne out \
             by their source, {} are contradicted, {} stand only on another page, {} on none.",
            self.plan.sentences,
            self.plan.citing(),
            self.decided(),
            self.supported,
            self.contradicted,
            self.wrong_source,
            self.silent
        )
    }
}
