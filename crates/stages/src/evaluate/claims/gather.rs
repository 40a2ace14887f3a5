//! The statements of reports in batches, with the passages that they are held against.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::{
    Checked,
    plan::{self, Planned},
};
use crate::{
    data::{ReportId, TaskId},
    evaluate::{evaluator::Work, library::Library, planned},
    evidence::{
        pages::CitedPages,
        passages::{Passages, Statements},
        support::ClaimBatch,
    },
};

/// The planned statements of each report.
pub type Plans<'a> = Vec<(&'a ReportId, &'a TaskId, Vec<Planned>)>;

/// Plans each report.
pub fn plans<'a>(work: &Work<'a>, cited: &CitedPages, library: &Library<'_>) -> Result<Plans<'a>> {
    let mut plans = Vec::new();
    for case in work.judged {
        let (report, task) = (&case.report.id, &case.task.id);
        let all = library.cited(task, |_| true);
        plans.push((report, task, plan::plan(work, cited, &all, case)?));
    }
    Ok(plans)
}

/// The statements with the passages of the pages that they cite.
pub fn of_own_pages(work: &Work<'_>, plans: &Plans<'_>, most: usize) -> Result<Vec<ClaimBatch>> {
    let mut batches = Vec::new();
    for (report, _, planned) in plans {
        let mut by_pages: BTreeMap<&BTreeSet<String>, Statements> = BTreeMap::new();
        for one in planned {
            let item = (one.claim.cited.clone(), planned::shown(&one.statement));
            by_pages.entry(&one.pages).or_default().push(item);
        }
        for (pages, statements) in by_pages {
            let pages = pages.iter().map(String::as_str).collect();
            let passages = Passages::of(&work.ctx.store, &pages)?;
            batches.extend(passages.batches(report.as_str(), &statements, most));
        }
    }
    Ok(batches)
}

/// Those statements on which their own pages are silent, with the passages of all pages that
/// reports on the task cite.
pub fn of_other_pages(
    work: &Work<'_>,
    library: &Library<'_>,
    plans: &Plans<'_>,
    checked: &Checked<'_>,
    most: usize,
) -> Result<Vec<ClaimBatch>> {
    let mut open: BTreeMap<&TaskId, Vec<(&ReportId, Statements)>> = BTreeMap::new();
    for (report, task, planned) in plans {
        let silent = checked.silent(report)?;
        let of_it = planned
            .iter()
            .filter(|one| silent.contains(&one.claim.cited));
        let statements: Statements = of_it
            .filter_map(|one| Some((one.claim.elsewhere.clone()?, planned::shown(&one.statement))))
            .collect();
        if !statements.is_empty() {
            open.entry(task).or_default().push((report, statements));
        }
    }
    let mut batches = Vec::new();
    for (task, reports) in open {
        let passages = Passages::of(&work.ctx.store, &library.cited(task, |_| true))?;
        for (report, statements) in reports {
            batches.extend(passages.batches(report.as_str(), &statements, most));
        }
    }
    Ok(batches)
}
