//! What is to be checked of a report: its statements that cite, each known by its words and by the
//! pages that it is held against. Where a page joins or goes, the statement is another question,
//! and a verdict on the old one counts no more.

use std::collections::BTreeSet;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::COUNTED;
use crate::{
    data::Statement,
    evaluate::{Case, Options, evaluator::Work, planned},
    evidence::{pages::CitedPages, reading},
};

/// Statements of a report that are checked, the first ones: one with thousands must not cost
/// thousands of questions.
const MOST: usize = 200;

/// The statements of a report, as code counts them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// Its sentences, items and rows.
    pub sentences: u64,
    /// Those that cite a page none of which could be read.
    pub unread: u64,
    /// Those beyond the first 200.
    pub over_limit: u64,
    /// The others that cite.
    pub claims: Vec<Claim>,
}

/// A statement that is checked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Claim {
    /// Its id with the pages that it cites.
    pub cited: String,
    /// Its id with all pages on the task; none where it cites them all.
    pub elsewhere: Option<String>,
}

impl Plan {
    /// The statements that cite.
    pub fn citing(&self) -> u64 {
        self.claims.len() as u64 + self.unread + self.over_limit
    }
}

/// The program that counts.
pub fn counter(options: &Options) -> String {
    planned::program("statements/1", options)
}

/// A statement with its ids and the readable pages that it cites.
pub struct Planned {
    pub statement: Statement,
    pub pages: BTreeSet<String>,
    pub claim: Claim,
}

/// The statements of a report that are checked, and the whole count, which is put on record. `all`
/// are the readable pages that reports on its task cite.
pub fn plan(
    work: &Work<'_>,
    cited: &CitedPages,
    all: &BTreeSet<&str>,
    case: &Case<'_>,
) -> Result<Vec<Planned>> {
    let known = reading::known(&work.ctx.store, &case.report.id)?;
    let first: BTreeSet<&String> = known.urls.iter().take(work.options.most_urls).collect();
    let mut plan = Plan {
        sentences: reading::count_statements(&case.report.text) as u64,
        unread: 0,
        over_limit: 0,
        claims: Vec::new(),
    };
    let mut statements = Vec::new();
    for (statement, urls) in reading::citing(&work.ctx.store, case.report)? {
        let urls = urls.iter().filter(|url| first.contains(url));
        let pages = cited.behind(urls);
        if pages.is_empty() {
            plan.unread += 1;
        } else if statements.len() >= MOST {
            plan.over_limit += 1;
        } else {
            let own = pages.iter().map(String::as_str).collect();
            let claim = Claim {
                cited: planned::id(&statement, &own),
                elsewhere: (*all != own).then(|| planned::id(&statement, all)),
            };
            plan.claims.push(claim.clone());
            statements.push(Planned {
                statement,
                pages,
                claim,
            });
        }
    }
    let share = plan.citing() as f64 / plan.sentences.max(1) as f64;
    planned::save(work, case, COUNTED, &counter(work.options), share, &plan)?;
    Ok(statements)
}
