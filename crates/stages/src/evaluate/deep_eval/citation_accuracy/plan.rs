//! What is to be checked of a report: each statement with each page that it cites, and what code
//! knows of those without a page.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::{PLANNED, gone::Gone};
use crate::{
    evaluate::{Case, Options, evaluator::Work, planned},
    evidence::{
        pages::CitedPages,
        passages::{Passages, Statements},
        reading,
        support::ClaimBatch,
    },
};

/// Citations of a report that are checked, the first ones: one with thousands must not cost
/// thousands of questions.
const MOST: usize = 300;

/// The citations of a report, as code counts them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Plan {
    /// Those to be judged, by the ids of statement and page.
    pub citations: Vec<String>,
    /// Those without a page, by why.
    pub gone: BTreeMap<Gone, u64>,
    /// Those whose page could not be read for another reason, by cause.
    pub unread: BTreeMap<String, u64>,
    /// Those beyond the first 300.
    pub over_limit: u64,
}

impl Plan {
    /// All of them.
    pub fn total(&self) -> u64 {
        let gone: u64 = self.gone.values().sum();
        let unread: u64 = self.unread.values().sum();
        self.citations.len() as u64 + gone + unread + self.over_limit
    }
}

/// The program that plans.
pub fn planner(options: &Options) -> String {
    planned::program("citations/1", options)
}

/// Plans each report, and returns its statements in batches that cite the same page.
pub fn batches(work: &Work<'_>, cited: &CitedPages, most: usize) -> Result<Vec<ClaimBatch>> {
    let mut batches = Vec::new();
    for case in work.judged {
        for (page, statements) in plan(work, cited, case)? {
            let pages = BTreeSet::from([page.as_str()]);
            let passages = Passages::of(&work.ctx.store, &pages)?;
            batches.extend(passages.batches(case.report.id.as_str(), &statements, most));
        }
    }
    Ok(batches)
}

/// Saves the plan of a report, and returns the statements to be judged by the page that they cite.
fn plan(
    work: &Work<'_>,
    cited: &CitedPages,
    case: &Case<'_>,
) -> Result<BTreeMap<String, Statements>> {
    let store = &work.ctx.store;
    let known = reading::known(store, &case.report.id)?;
    let first: BTreeSet<&String> = known.urls.iter().take(work.options.most_urls).collect();
    let mut plan = Plan::default();
    let mut by_page: BTreeMap<String, Statements> = BTreeMap::new();
    for (statement, citations) in reading::with_citations(store, case.report)? {
        let shown = planned::shown(&statement);
        let (mut urls, mut faulty) = (BTreeSet::new(), 0);
        for citation in &citations {
            match &citation.url {
                Some(url) => _ = urls.insert(url),
                None => faulty += u64::from(Gone::of_faults(&citation.diagnosis).is_some()),
            }
        }
        if faulty > 0 {
            *plan.gone.entry(Gone::NeverExisted).or_default() += faulty;
        }
        let mut pages = BTreeSet::new();
        for url in urls {
            if !first.contains(url) {
                plan.over_limit += 1;
                continue;
            }
            let page = cited.behind([url]).pop_first();
            let Some(page) = page else {
                let visit = store.visit(url)?;
                if let Some(gone) = visit.as_ref().and_then(Gone::of) {
                    *plan.gone.entry(gone).or_default() += 1;
                } else {
                    let why = visit.and_then(|visit| visit.cause);
                    let why = why.unwrap_or_else(|| "not_fetched".to_owned());
                    *plan.unread.entry(why).or_default() += 1;
                }
                continue;
            };
            // Two addresses of one page are one source.
            if !pages.insert(page.clone()) {
                continue;
            }
            if plan.citations.len() >= MOST {
                plan.over_limit += 1;
                continue;
            }
            let id = planned::id(&statement, &page);
            // A sentence that stands twice is asked about once, and counts twice.
            if !plan.citations.contains(&id) {
                let statements = by_page.entry(page).or_default();
                statements.push((id.clone(), shown.clone()));
            }
            plan.citations.push(id);
        }
    }
    let total = plan.total() as f64;
    planned::save(work, case, PLANNED, &planner(work.options), total, &plan)?;
    Ok(by_page)
}
