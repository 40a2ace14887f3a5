//! What a report says and cites. A report is parsed once per version of the reader, and what was
//! read is on record.

use anyhow::Result;

use crate::{
    citations,
    data::{AgentReport, Reading, ReportId},
    store::Store,
    text::words,
};

/// Reports that are read between two transactions.
const AT_A_TIME: usize = 100;

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
pub fn read(store: &Store, reports: &[&AgentReport]) -> Result<Vec<Reading>> {
    let mut readings = Vec::new();
    for some in reports.chunks(AT_A_TIME) {
        let mut new = Vec::new();
        for report in some {
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
