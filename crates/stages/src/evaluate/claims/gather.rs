//! What is to be checked: the statements of each report, with the passages of the pages that they
//! cite, or of the other pages on the task.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde_json::json;

use super::{COUNTED, COUNTER, Checked};
use crate::{
    data::{DecidedBy, Decision, Reading, ReportId, Statement, TaskId},
    evaluate::{Case, evaluator::Work},
    evidence::{
        pages::CitedPages,
        reading,
        retrieval::{self, Index, Passage},
        support::Claims,
    },
    judging::{self, DecisionOfCode},
    text::words,
};

/// Passages that are shown for each statement, and of pages so short that all of them are shown.
const EACH: usize = 3;
const ALL: usize = 12;

/// The pages behind what reports cite.
pub struct Library<'a> {
    cited: &'a CitedPages,
    /// The pages that reports on a task cite, by the hash of their bytes.
    on_task: BTreeMap<&'a TaskId, BTreeSet<String>>,
    most_urls: usize,
}

impl<'a> Library<'a> {
    pub fn new(work: &Work<'a>, readings: &[Reading], cited: &'a CitedPages) -> Self {
        let most_urls = work.options.most_urls;
        let mut on_task: BTreeMap<&TaskId, BTreeSet<String>> = BTreeMap::new();
        for (case, reading) in work.cases.iter().zip(readings) {
            let pages = cited.behind(reading.urls.iter().take(most_urls));
            on_task.entry(&case.task.id).or_default().extend(pages);
        }
        Self {
            cited,
            on_task,
            most_urls,
        }
    }

    /// The statements of a report that cite, each with the readable pages that it cites.
    fn statements(
        &self,
        work: &Work<'_>,
        case: &Case<'_>,
    ) -> Result<Vec<(Statement, BTreeSet<String>)>> {
        let known = reading::known(&work.ctx.store, &case.report.id)?;
        let first: BTreeSet<&String> = known.urls.iter().take(self.most_urls).collect();
        let citing = reading::citing(&work.ctx.store, case.report)?;
        let with_pages = citing.into_iter().map(|(statement, urls)| {
            let urls = urls.iter().filter(|url| first.contains(url));
            (statement, self.cited.behind(urls))
        });
        Ok(with_pages.collect())
    }
}

/// The id of a statement within its report: statements are never as long as the report is.
fn id(statement: &Statement) -> String {
    format!("{:07}", statement.start)
}

/// The statements of each report with the passages of the pages that they cite. How many sentences
/// a report has, and how many cite, is put on record.
pub fn of_own_pages(work: &Work<'_>, library: &Library<'_>, most: usize) -> Result<Vec<Claims>> {
    let mut claims = Vec::new();
    for case in work.judged {
        let statements = library.statements(work, case)?;
        count(work, case, &statements)?;
        let mut by_pages: BTreeMap<BTreeSet<String>, Vec<Statement>> = BTreeMap::new();
        for (statement, pages) in statements {
            if !pages.is_empty() {
                by_pages.entry(pages).or_default().push(statement);
            }
        }
        for (pages, statements) in by_pages {
            claims.extend(against(work, &case.report.id, &pages, &statements, most)?);
        }
    }
    Ok(claims)
}

/// Those statements on which their own pages are silent, with the passages of all other pages that
/// reports on the task cite.
pub fn of_other_pages(
    work: &Work<'_>,
    library: &Library<'_>,
    checked: &Checked<'_>,
    most: usize,
) -> Result<Vec<Claims>> {
    let mut claims = Vec::new();
    for case in work.judged {
        let silent = checked.silent(&case.report.id)?;
        let mut by_pages: BTreeMap<BTreeSet<String>, Vec<Statement>> = BTreeMap::new();
        for (statement, own) in library.statements(work, case)? {
            let on_task = &library.on_task[&case.task.id];
            let others: BTreeSet<String> = on_task.difference(&own).cloned().collect();
            if silent.contains(&id(&statement)) && !others.is_empty() {
                by_pages.entry(others).or_default().push(statement);
            }
        }
        for (pages, statements) in by_pages {
            claims.extend(against(work, &case.report.id, &pages, &statements, most)?);
        }
    }
    Ok(claims)
}

/// Statements against the passages of these pages that fit them best, at most so many statements at
/// once: the order is that of the report, so that neighbours share their passages.
fn against(
    work: &Work<'_>,
    report: &ReportId,
    pages: &BTreeSet<String>,
    statements: &[Statement],
    most: usize,
) -> Result<Vec<Claims>> {
    let mut passages: Vec<Passage> = Vec::new();
    for page in pages {
        if let Some(extract) = work.ctx.store.extract(page)? {
            passages.extend(retrieval::passages(page, &extract.text));
        }
    }
    let texts: Vec<&str> = passages.iter().map(|of| of.text.as_str()).collect();
    let index = Index::new(&texts, None);
    let together = |statements: &[Statement]| Claims {
        subject: report.to_string(),
        claims: statements
            .iter()
            .map(|of| (id(of), words::one_line(&of.text)))
            .collect(),
        passages: fitting(&index, &passages, statements),
    };
    Ok(statements.chunks(most).map(together).collect())
}

/// The passages that fit the statements best, in the order of the pages; all of short pages, and
/// the first ones where nothing fits: a report may be in another language than its source.
fn fitting(index: &Index, passages: &[Passage], statements: &[Statement]) -> Vec<Passage> {
    if passages.len() <= ALL {
        return passages.to_vec();
    }
    let mut wanted: BTreeSet<usize> = BTreeSet::new();
    for statement in statements {
        let found = index.best(&statement.text, None, EACH).best;
        if found.is_empty() {
            wanted.extend(0..EACH);
        }
        wanted.extend(found);
    }
    wanted.into_iter().map(|at| passages[at].clone()).collect()
}

fn count(
    work: &Work<'_>,
    case: &Case<'_>,
    statements: &[(Statement, BTreeSet<String>)],
) -> Result<()> {
    let sentences = reading::sentences(&case.report.text).len();
    let readable = statements.iter().filter(|(_, pages)| !pages.is_empty());
    let readable = readable.count();
    let share = statements.len() as f64 / sentences.max(1) as f64;
    judging::decide_by_code(
        work.ctx,
        DecisionOfCode {
            instrument: COUNTED,
            subject: case.report.id.as_str(),
            other: None,
            sample: 0,
            decided_by: DecidedBy::Code(COUNTER),
            saw: &case.report.text,
            decision: Decision {
                value: Some(share),
                label: String::new(),
                confidence: None,
            },
            payload: json!({
                "sentences": sentences, "citing": statements.len(), "readable": readable
            }),
        },
    )?;
    Ok(())
}
