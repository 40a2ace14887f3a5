//! The reading of a report: its words, statements and citations. A report is parsed once per
//! version of the reader, and the reading is stored.

use std::{
    num::NonZero,
    ops::{Range, RangeInclusive},
    thread,
};

use anyhow::{Result, anyhow};

use super::{
    prose::Sources,
    statements::{self, Part},
};
use crate::{
    citations::{self, Diagnosis, Style},
    data::{AgentReport, Citation, ReadReport, Reading, ReportId, Statement},
    store::Store,
    text::words,
};

/// Reports that are read between two transactions.
const AT_A_TIME: usize = 100;

/// Version of the reader, to be raised with every change of its results: readings of an earlier one
/// are made again.
const VERSION: u32 = 4;

/// The versions that count words and list URLs as today's does: the first two cut URLs at letters
/// of other scripts.
const SAME_WORDS_AND_URLS: RangeInclusive<u32> = 3..=VERSION;

/// Reads a report's text.
fn read_text(text: &str) -> ReadReport {
    let found = citations::parse(text);
    let (statements, carriers) = statements::carrying(text, &found.citations);
    let reading = reading_of(text, &found);
    let citations = found.citations.into_iter().zip(carriers);
    ReadReport {
        reading,
        statements,
        citations: citations
            .map(|(citation, statement)| Citation {
                label: citation.label,
                url: citation.url,
                start: citation.start,
                end: citation.end,
                statement,
                diagnosis: words_of(&citation.diagnosis),
            })
            .collect(),
    }
}

/// The words and URLs of a report, without its statements.
fn reading_of(text: &str, found: &citations::Citations) -> Reading {
    let urls = found.urls().into_iter();
    Reading {
        version: VERSION,
        words: words::length(text) as u64,
        urls: urls.map(|(url, _)| url.to_owned()).collect(),
    }
}

fn words_of(diagnosis: &[Diagnosis]) -> Vec<String> {
    diagnosis
        .iter()
        .map(|fault| fault.word().to_owned())
        .collect()
}

/// The words and URLs of a report: from the record, where it was evaluated before.
pub fn known(store: &Store, report: &ReportId) -> Result<Reading> {
    if let Some(reading) = store.reading(report, SAME_WORDS_AND_URLS)? {
        return Ok(reading);
    }
    // Statements take longer than all else, and a leaderboard of reports that were never evaluated
    // asks for none.
    let text = store.report_text(report)?;
    Ok(reading_of(&text, &citations::parse(&text)))
}

/// What a report cites and where: from the record, where it was evaluated before.
pub fn known_citations(store: &Store, report: &AgentReport) -> Result<Vec<Citation>> {
    match store.reading(&report.id, VERSION..=VERSION)? {
        // A report without citations has been read, too; its empty list is an answer.
        Some(_) => store.citations(&report.id, VERSION),
        None => Ok(read_text(&report.text).citations),
    }
}

/// The whole text of a report in lines: its sentences, headings, items, rows and references.
pub fn lines(report: &str) -> Vec<String> {
    let parts = statements::all(report, &citations::parse(report)).into_iter();
    let lines = parts.map(|(_, text)| words::one_line(&text));
    lines.filter(|line| !line.is_empty()).collect()
}

/// How many sentences, items and rows a report has, without headings and references.
pub fn count_statements(report: &str) -> usize {
    let parts = statements::all(report, &citations::parse(report)).into_iter();
    parts.filter(|(part, _)| *part == Part::Statement).count()
}

/// A sentence, item or row of a report with the addresses that it cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sourced {
    /// Its text on one line, without marks of citations.
    pub text: String,
    /// The addresses, canonical, in order.
    pub urls: Vec<String>,
    /// The number under which each of them is cited, where it has one.
    pub numbers: Vec<Option<String>>,
}

/// A sentence, item, row or heading of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Whether it is a heading.
    pub is_heading: bool,
    /// Its place in the report, marks behind a full stop included, in Unicode scalar values.
    pub span: Range<usize>,
    /// Its text, and what it cites.
    pub sourced: Sourced,
}

/// All sentences, items, rows and headings of a report in order, whether they cite or not, each
/// with what it cites: marks in it or behind its full stop. References are left out.
pub fn pieces(report: &str) -> Vec<Piece> {
    let found = citations::parse(report);
    let cuts = Sources::of(report, &found);
    let chars: Vec<char> = report.chars().collect();
    let mut pieces = Vec::new();
    for (part, span) in statements::spans(&chars, &found) {
        let text = words::one_line(&cuts.cut_out(&chars, span.clone()));
        if part == Part::Frame || text.is_empty() {
            continue;
        }
        let first = found
            .citations
            .partition_point(|citation| citation.start < span.start);
        let own = found.citations[first..].iter();
        let own = own.take_while(|citation| citation.start < span.end);
        let cited = own.filter_map(|citation| Some((citation.url.clone()?, number(citation))));
        let (urls, numbers) = cited.unzip();
        pieces.push(Piece {
            is_heading: part == Part::Heading,
            span,
            sourced: Sourced {
                text,
                urls,
                numbers,
            },
        });
    }
    pieces
}

/// The same without headings and places.
pub fn sourced(report: &str) -> Vec<Sourced> {
    let pieces = pieces(report).into_iter();
    let statements = pieces.filter(|piece| !piece.is_heading);
    statements.map(|piece| piece.sourced).collect()
}

/// The numbers under which a report cites addresses, as it has them, each with its address.
pub fn numbered_sources(report: &str) -> Vec<(String, String)> {
    let found = citations::parse(report);
    let sources = found.citations.iter();
    let sources = sources.filter_map(|citation| Some((number(citation)?, citation.url.clone()?)));
    sources.collect()
}

/// The number of a citation. A link's text is one where the link leads to a list of references; of
/// others it may be a year.
fn number(citation: &citations::Citation) -> Option<String> {
    let may_have = match citation.style {
        Style::Numbered | Style::Footnote | Style::ReferenceOnly => true,
        Style::Link => citation.entry.is_some(),
        Style::AuthorYear | Style::Bare => false,
    };
    let label = citation.label.as_ref().filter(|_| may_have)?;
    let is_number = !label.is_empty() && label.chars().all(|c| c.is_ascii_digit());
    is_number.then(|| label.clone())
}

/// The statements of a report that cite, each with its citations in order: from the record, where
/// it was evaluated before.
pub fn with_citations(
    store: &Store,
    report: &AgentReport,
) -> Result<Vec<(Statement, Vec<Citation>)>> {
    let (statements, citations) = if store.reading(&report.id, VERSION..=VERSION)?.is_some() {
        let id = &report.id;
        (
            store.statements(id, VERSION)?,
            store.citations(id, VERSION)?,
        )
    } else {
        let read = read_text(&report.text);
        (read.statements, read.citations)
    };
    let mut citing: Vec<(Statement, Vec<Citation>)> =
        statements.into_iter().map(|of| (of, Vec::new())).collect();
    for citation in citations {
        let of = citation.statement.and_then(|place| citing.get_mut(place));
        if let Some((_, citations)) = of {
            citations.push(citation);
        }
    }
    Ok(citing)
}

/// The same with the URLs alone. A mark that leads nowhere cites nothing.
pub fn citing(store: &Store, report: &AgentReport) -> Result<Vec<(Statement, Vec<String>)>> {
    let urls = |citations: Vec<Citation>| citations.into_iter().filter_map(|of| of.url).collect();
    let citing = with_citations(store, report)?.into_iter();
    let citing = citing.map(|(statement, citations)| (statement, urls(citations)));
    Ok(citing
        .filter(|(_, urls): &(_, Vec<String>)| !urls.is_empty())
        .collect())
}

/// What each of the reports says and cites. What is new is put on record, some at a time: who is
/// killed goes on from there.
pub fn read(store: &Store, reports: &[&AgentReport]) -> Result<Vec<Reading>> {
    let mut readings = Vec::new();
    for some in reports.chunks(AT_A_TIME) {
        let known = some
            .iter()
            .map(|report| store.reading(&report.id, VERSION..=VERSION))
            .collect::<Result<Vec<_>>>()?;
        let unread: Vec<&AgentReport> = some
            .iter()
            .zip(&known)
            .filter(|(_, known)| known.is_none())
            .map(|(report, _)| *report)
            .collect();
        let new = read_texts(&unread)?;
        // No transaction for nothing: most evaluations read no new report.
        if !new.is_empty() {
            store.save_readings(&new)?;
        }
        let mut new = new.into_iter().map(|(_, read)| read.reading);
        readings.extend(
            known
                .into_iter()
                .filter_map(|known| known.or_else(|| new.next())),
        );
    }
    Ok(readings)
}

fn read_in_turn<'a>(reports: &[&'a AgentReport]) -> Vec<(&'a ReportId, ReadReport)> {
    reports
        .iter()
        .map(|report| (&report.id, read_text(&report.text)))
        .collect()
}

/// Reads several texts, on as many threads as the machine has processors, so that reading and
/// storing together take no longer than reading alone did.
fn read_texts<'a>(reports: &[&'a AgentReport]) -> Result<Vec<(&'a ReportId, ReadReport)>> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let parts: Vec<_> = reports
            // Shares in order, joined in order: the result does not depend on the threads.
            .chunks(reports.len().div_ceil(threads).max(1))
            .map(|some| scope.spawn(move || read_in_turn(some)))
            .collect();
        let mut all = Vec::with_capacity(reports.len());
        for part in parts {
            all.extend(
                part.join()
                    .map_err(|_| anyhow!("a report could not be read"))?,
            );
        }
        Ok(all)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Gauges drift [1], as [a survey](https://a.org/x?utm_source=y) says (Smith, 2020); 河流^2.\n\n\
        ## References\n\n[1] Lee. https://b.org/1\nSmith, A. (2020). Rivers. https://c.org/2\n\
        - https://d.org/(3)\n";

    /// A change to what is found here raises the version, or reports of before keep what they
    /// had.
    #[test]
    fn what_is_read_belongs_to_its_version() {
        let urls = [
            "https://b.org/1",
            "https://a.org/x",
            "https://c.org/2",
            "https://d.org/(3)",
        ];
        let expected = Reading {
            version: 4,
            words: 33,
            urls: urls.map(str::to_owned).to_vec(),
        };
        let read = read_text(TEXT);
        assert_eq!(read.reading, expected);
        let statement = "Gauges drift [1], as [a survey](https://a.org/x?utm_source=y) says (Smith, 2020); 河流^2.";
        let statements: Vec<&str> = read.statements.iter().map(|s| s.text.as_str()).collect();
        assert_eq!(statements, [statement]);
        let told = |citation: &Citation| {
            let cut: String = TEXT
                .chars()
                .skip(citation.start)
                .take(citation.end - citation.start)
                .collect();
            format!(
                "{cut} {} {} {}",
                citation.label.as_deref().unwrap_or("-"),
                citation.statement.is_some(),
                citation.diagnosis.join(",")
            )
        };
        let citations: Vec<String> = read.citations.iter().map(told).collect();
        let expected = [
            "[1] 1 true ",
            "[a survey](https://a.org/x?utm_source=y) a survey true tracking_removed",
            "(Smith, 2020) Smith 2020 true ",
            "https://c.org/2 1 false ",
            "- https://d.org/(3) - false uncited_entry",
        ];
        assert_eq!(citations, expected);
    }
}
