//! What reports cite, and the pages behind it, each fetched once for all of them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::{
    citations,
    context::{Context, StageReport},
    data::{AgentReport, Reading, ReportId, Task, TaskId},
    evaluate::Case,
    store::Store,
    text::words,
    web::{Page, Pages},
};

/// Reports that are read between two transactions.
const AT_A_TIME: usize = 100;
/// Pages in flight at once; each host takes fewer.
const AT_ONCE: usize = 16;

/// What was read, and for whom.
pub struct Library<'a> {
    /// The pages by the hash of their bytes.
    pub pages: BTreeMap<String, Page>,
    /// The reports on each task, and the pages that each cites.
    cited: BTreeMap<&'a TaskId, Vec<(Case<'a>, BTreeSet<String>)>>,
}

impl<'a> Library<'a> {
    /// The tasks.
    pub fn tasks(&self) -> impl Iterator<Item = &'a Task> {
        self.cited
            .values()
            .filter_map(|cases| Some(cases.first()?.0.task))
    }

    /// The readable pages that some of the reports on a task cite.
    pub fn cited(&self, task: &TaskId, by: impl Fn(&AgentReport) -> bool) -> BTreeSet<&str> {
        let reports = self
            .cited
            .get(task)
            .into_iter()
            .flatten()
            .filter(|(case, _)| by(case.report));
        reports
            .flat_map(|(_, pages)| pages)
            .map(String::as_str)
            .collect()
    }
}

/// To be raised with every change of what is read out of a text: what is on record of an earlier
/// one is read anew.
const VERSION: u32 = 1;

/// Reads a report's text, which takes longer than all else that a leaderboard does.
fn read_text(text: &str) -> Reading {
    let urls = citations::parse(text)
        .urls()
        .into_iter()
        .map(|(url, _)| url.to_owned())
        .collect();
    Reading {
        version: VERSION,
        words: words::length(text) as u64,
        urls,
    }
}

/// What a report says and cites: from the record, where it was evaluated before.
pub fn known(store: &Store, report: &ReportId) -> Result<Reading> {
    match store.reading(report, VERSION)? {
        Some(reading) => Ok(reading),
        None => Ok(read_text(&store.report_text(report)?)),
    }
}

/// What each of the reports says and cites. What is new is put on record, some at a time: who is
/// killed goes on from there.
pub fn read(store: &Store, cases: &[Case<'_>]) -> Result<Vec<Reading>> {
    let mut readings = Vec::new();
    for some in cases.chunks(AT_A_TIME) {
        let mut new = Vec::new();
        for Case { report, .. } in some {
            let reading = if let Some(reading) = store.reading(&report.id, VERSION)? {
                reading
            } else {
                let reading = read_text(&report.text);
                new.push((&report.id, reading.clone()));
                reading
            };
            readings.push(reading);
        }
        if !new.is_empty() {
            store.save_readings(&new)?;
        }
    }
    Ok(readings)
}

/// Fetches the pages that are not stored yet; each case has its reading.
pub async fn fetch<'a>(
    ctx: &Context,
    pages: &Pages,
    cases: &[Case<'a>],
    readings: &[Reading],
    now: &str,
) -> Result<(Library<'a>, StageReport)> {
    let mut report = StageReport::new("pages");
    let wanted: BTreeSet<&String> = readings.iter().flat_map(|reading| &reading.urls).collect();
    let mut library = Library {
        pages: BTreeMap::new(),
        cited: BTreeMap::new(),
    };
    // The page behind each URL that gave one.
    let mut behind: BTreeMap<&String, String> = BTreeMap::new();
    let get = async |url: &String| pages.get(&ctx.store, url, now).await;
    for (url, got) in ctx.each(report.stage, wanted, AT_ONCE, get).await? {
        report.count(got.stored);
        match got.page {
            Ok(page) => {
                behind.insert(url, page.content.clone());
                library.pages.insert(page.content.clone(), page);
            }
            // A page that cannot be had is the report's affair: it is counted with its score, and
            // no failure of the run.
            Err(missing) => report.reject(&missing.cause),
        }
    }
    for (case, reading) in cases.iter().zip(readings) {
        let pages = reading
            .urls
            .iter()
            .filter_map(|url| behind.get(url).cloned())
            .collect();
        library
            .cited
            .entry(&case.task.id)
            .or_default()
            .push((*case, pages));
    }
    Ok((library, report))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever changes what is found here raises the version, or reports of before keep what they
    /// had.
    #[test]
    fn what_is_read_belongs_to_its_version() {
        let text = "Gauges drift [1], as [a survey](https://a.org/x?utm_source=y) says (Smith, 2020); 河流^2.\n\n\
                    ## References\n\n[1] Lee. https://b.org/1\nSmith, A. (2020). Rivers. https://c.org/2\n\
                    - https://d.org/(3)\n";
        let urls = [
            "https://b.org/1",
            "https://a.org/x",
            "https://c.org/2",
            "https://d.org/(3)",
        ];
        let expected = Reading {
            version: 1,
            words: 33,
            urls: urls.map(str::to_owned).to_vec(),
        };
        assert_eq!(read_text(text), expected);
    }
}
