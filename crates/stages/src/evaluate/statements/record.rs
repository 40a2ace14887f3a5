//! What is on record of a report's chunks: the statements that were kept and refused, or why there
//! is no reply. A chunk that was asked about in halves has them in its place.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    Bounds, Extracted, Extraction,
    check::{Known, Refusal, Written},
    cut::{Sentences, halves},
};
use crate::{
    data::{Cause, Decision, Instrument, ReportId, id::sha256_hex},
    evidence::reading::Sourced,
    judging::Verdict,
    store::{PanelJudgements, StoredJudgement},
};

/// The statements of a reply, checked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checked {
    /// Those that are kept; sentences are numbered from 1 within the chunk.
    statements: Vec<Written>,
    /// Those that are not.
    refused: Vec<Refused>,
}

/// A statement that is not kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Refused {
    rule: Refusal,
    #[serde(flatten)]
    written: Written,
}

impl Checked {
    /// Sorts the statements of a reply.
    pub fn new(written: Vec<Written>, known: &Known) -> Self {
        let (mut statements, mut refused) = (Vec::new(), Vec::new());
        for written in written {
            match known.check(&written) {
                Ok(statement) => statements.push(statement),
                Err(rule) => refused.push(Refused { rule, written }),
            }
        }
        Self {
            statements,
            refused,
        }
    }
}

impl Verdict for Checked {
    fn decision(&self) -> Decision {
        let whole = json!(self).to_string();
        Decision {
            // Other statements are another decision; their number is no level of anything.
            label: sha256_hex(whole.as_bytes())[..16].to_owned(),
            ..Decision::default()
        }
    }

    fn payload(&self) -> Value {
        json!(self)
    }
}

/// By chunk what was said of it, or why nothing was.
pub struct Record(BTreeMap<String, Result<Checked, Cause>>);

impl Record {
    /// Of a report, by the model in force.
    pub fn of(
        judgements: &PanelJudgements<'_>,
        instrument: Instrument,
        report: &ReportId,
    ) -> Result<Self> {
        let checked = |stored: &StoredJudgement<'_>| stored.payload::<Checked>();
        let all = judgements.read_bare(instrument, report.as_str(), checked)?;
        let outcomes = all.into_iter().map(|of| (of.about, of.outcome));
        Ok(Self(outcomes.collect()))
    }

    /// What was said of a chunk.
    pub fn get(&self, report: &Sentences, chunk: &Range<usize>) -> Option<&Result<Checked, Cause>> {
        self.0.get(&report.shown(chunk).id())
    }

    /// Whether anything is on record of a part of a chunk.
    fn has_parts(&self, report: &Sentences, chunk: &Range<usize>) -> bool {
        let is_known =
            |half: &Range<usize>| self.get(report, half).is_some() || self.has_parts(report, half);
        chunk.len() > 1 && halves(chunk).iter().any(is_known)
    }

    /// Whether a chunk, or each of its parts, has a reply.
    pub fn is_read(&self, report: &Sentences, chunk: &Range<usize>) -> bool {
        match self.get(report, chunk) {
            Some(Ok(_)) => true,
            _ if chunk.len() > 1 => halves(chunk).iter().all(|half| self.is_read(report, half)),
            _ => false,
        }
    }
}

/// The statements of a report that are on record.
pub fn on_record(
    judgements: &PanelJudgements<'_>,
    instrument: Instrument,
    bounds: Bounds,
    (report, text): (&ReportId, &str),
) -> Result<Extraction> {
    let record = Record::of(judgements, instrument, report)?;
    Ok(collected(&Sentences::read(text), bounds, &record))
}

/// The statements of all chunks, in order.
pub fn collected(report: &Sentences, bounds: Bounds, record: &Record) -> Extraction {
    let mut collecting = Collecting {
        report,
        record,
        found: Extraction::default(),
        texts: BTreeMap::new(),
        represented: BTreeSet::new(),
    };
    collecting.found.figures.sentences = report.all().len() as u64;
    for chunk in report.chunks(bounds) {
        collecting.add(&chunk);
    }
    collecting.found.figures.represented = collecting.represented.len() as u64;
    collecting.found
}

struct Collecting<'a> {
    report: &'a Sentences,
    record: &'a Record,
    found: Extraction,
    /// Which statement has a text.
    texts: BTreeMap<String, usize>,
    represented: BTreeSet<usize>,
}

impl Collecting<'_> {
    fn add(&mut self, chunk: &Range<usize>) {
        let cause = match self.record.get(self.report, chunk) {
            Some(Ok(checked)) => return self.add_statements(chunk, checked),
            // What failed as a whole may have been read in halves since.
            _ if self.record.has_parts(self.report, chunk) => {
                return halves(chunk).iter().for_each(|half| self.add(half));
            }
            Some(Err(cause)) => cause.word(),
            None => "missing",
        };
        let figures = &mut self.found.figures;
        figures.chunks += 1;
        figures.chunks_without_reply += 1;
        *figures.unread.entry(cause.to_owned()).or_default() += chunk.len() as u64;
    }

    fn add_statements(&mut self, chunk: &Range<usize>, checked: &Checked) {
        let figures = &mut self.found.figures;
        figures.chunks += 1;
        for refused in &checked.refused {
            let rule = refused.rule.word().to_owned();
            *figures.refused.entry(rule).or_default() += 1;
        }
        for written in &checked.statements {
            let places = written.sentences.iter();
            let places: Vec<usize> = places
                .filter_map(|number| Some(chunk.start + usize::try_from(*number).ok()? - 1))
                .filter(|at| chunk.contains(at))
                .collect();
            self.represented.extend(&places);
            let statement = extracted(self.report, &written.text, &places);
            if let Some(at) = self.texts.get(&written.text) {
                figures.repeated += 1;
                self.found.statements[*at].absorb(statement);
            } else {
                figures.statements += 1;
                let at = self.found.statements.len();
                self.texts.insert(written.text.clone(), at);
                self.found.statements.push(statement);
            }
        }
    }
}

impl Extracted {
    /// Adds the places and citations of the same statement further on.
    fn absorb(&mut self, other: Self) {
        for span in other.spans {
            if !self.spans.contains(&span) {
                self.spans.push(span);
            }
        }
        let cited = other.sourced.urls.into_iter().zip(other.sourced.numbers);
        for (url, number) in cited {
            if !self.sourced.urls.contains(&url) {
                self.sourced.urls.push(url);
                self.sourced.numbers.push(number);
            }
        }
    }
}

/// A statement with the places and citations of its sentences.
fn extracted(report: &Sentences, text: &str, places: &[usize]) -> Extracted {
    let (mut urls, mut numbers) = (Vec::new(), Vec::new());
    let sentences = places.iter().map(|at| &report.all()[*at]);
    for sentence in sentences.clone() {
        let cited = sentence.sourced.urls.iter().zip(&sentence.sourced.numbers);
        for (url, number) in cited {
            if !urls.contains(url) {
                urls.push(url.clone());
                numbers.push(number.clone());
            }
        }
    }
    Extracted {
        spans: sentences.map(|of| of.span.clone()).collect(),
        sourced: Sourced {
            text: text.to_owned(),
            urls,
            numbers,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "# Esk Bridge\n\nIt was built in 1890 [1][2]. It has 12 arches.[2] It is long.\n\n\
        ## References\n\n[1] A. https://a.org/1\n[2] B. https://b.org/2\n";

    fn bounds() -> Bounds {
        Bounds {
            tokens: 1_000,
            sentences: 30,
        }
    }

    fn written(sentences: &[i64], text: &str) -> Written {
        Written {
            sentences: sentences.to_vec(),
            text: text.to_owned(),
        }
    }

    /// What a model says of a chunk.
    type Said = (Range<usize>, Result<Vec<Written>, Cause>);

    fn recorded(report: &Sentences, chunks: &[Said]) -> Record {
        let chunks = chunks.iter().map(|(chunk, said)| {
            let known = Known::new(chunk.len(), report.texts(chunk));
            let checked = said.clone().map(|written| Checked::new(written, &known));
            (report.shown(chunk).id(), checked)
        });
        Record(chunks.collect())
    }

    #[test]
    fn a_statement_that_comes_again_keeps_what_is_cited_there() {
        let report = Sentences::read(
            "It opened in 1890. It is long.\n\nIt opened in 1890 [1].\n\n## References\n\n[1] A. https://a.org/1\n",
        );
        let said = |number| Ok(vec![written(&[number], "The bridge opened in 1890.")]);
        let record = recorded(&report, &[(0..2, said(1)), (2..3, said(1))]);
        let bounds = Bounds {
            sentences: 2,
            ..bounds()
        };
        let found = collected(&report, bounds, &record);
        let [only] = &found.statements[..] else {
            panic!("{found:?}")
        };
        assert_eq!((found.figures.repeated, only.spans.len()), (1, 2));
        assert_eq!(only.sourced.urls, ["https://a.org/1"]);
    }

    #[test]
    fn a_statement_has_the_places_and_citations_of_its_sentences() {
        let report = Sentences::read(REPORT);
        let said = vec![
            written(&[1, 2], "Esk Bridge of 1890 has 12 arches."),
            written(&[2], "Esk Bridge has 12 arches."),
            written(&[2], "Esk Bridge has 12 arches."),
            written(&[2], "Esk Bridge has 13 arches."),
            written(&[7], "Esk Bridge is fine."),
        ];
        let record = recorded(&report, &[(0..3, Ok(said))]);
        let found = collected(&report, bounds(), &record);
        let [first, second] = &found.statements[..] else {
            panic!("{found:?}")
        };
        let chars: Vec<char> = REPORT.chars().collect();
        let cut = |of: &Range<usize>| -> String { chars[of.clone()].iter().collect() };
        let spans: Vec<String> = first.spans.iter().map(cut).collect();
        assert_eq!(
            spans.iter().map(|of| of.trim()).collect::<Vec<_>>(),
            ["It was built in 1890 [1][2].", "It has 12 arches.[2]"]
        );
        assert_eq!(first.sourced.urls, ["https://a.org/1", "https://b.org/2"]);
        assert_eq!(second.sourced.urls, ["https://b.org/2"]);
        assert_eq!(second.sourced.numbers, [Some("2".to_owned())]);
        let figures = &found.figures;
        assert_eq!(
            (figures.statements, figures.repeated, figures.represented),
            (2, 1, 2)
        );
        let refused = [("no_sentence", 1), ("unknown_number", 1)];
        assert_eq!(
            figures.refused,
            refused.map(|(rule, n)| (rule.to_owned(), n)).into()
        );
        assert_eq!(figures.read(), 3);
        assert_eq!(
            figures.told(),
            "2 statements rest on 2 of 3 sentences (66.7 %); refused: no_sentence 1, unknown_number 1"
        );
    }

    #[test]
    fn what_has_no_reply_is_counted_by_cause() {
        let report = Sentences::read(REPORT);
        let one = || Ok(vec![written(&[1], "Esk Bridge is old.")]);
        // The whole failed, its first half was read, of the second nothing is known but a part.
        let record = recorded(
            &report,
            &[
                (0..3, Err(Cause::Timeout)),
                (0..1, one()),
                (2..3, Err(Cause::Truncated)),
            ],
        );
        let found = collected(&report, bounds(), &record);
        let unread = [("missing", 1), ("truncated", 1)];
        assert_eq!(
            found.figures.unread,
            unread.map(|(cause, n)| (cause.to_owned(), n)).into()
        );
        let figures = &found.figures;
        assert_eq!(
            (figures.chunks, figures.chunks_without_reply, figures.read()),
            (3, 2, 1)
        );
        assert!(!record.is_read(&report, &(0..3)) && record.is_read(&report, &(0..1)));
        let nothing = collected(&report, bounds(), &recorded(&report, &[]));
        assert_eq!(nothing.figures.unread["missing"], 3);
        assert_eq!(nothing.figures.read(), 0);
        assert!(
            nothing
                .figures
                .told()
                .starts_with("0 statements rest on 0 of 0 sentences; ")
        );
    }
}
