//! Statements of reports and gold articles that contradict each other, each pair side by side, with
//! what differs: a number, a date, a name, a negation. Code says what it can see; that there is a
//! conflict at all is the judges' verdict.

use std::{collections::BTreeMap, ops::Range};

use anyhow::Result;
use serde::Serialize;

use super::{
    IN_GOLD, IN_REPORT, ReportStatements,
    gather::GoldStatements,
    graded::{Verdict, verdict},
};
use crate::{
    data::{GoldArticle, Instrument, ReportHead},
    evaluate::decide,
    evidence::{prose, support::Stance},
    lint::dispute::{self, Difference, Kind},
    store::PanelJudgements,
    text::{find::find, sentences, words},
};

/// Characters of a sentence that are kept; a quote may stand in a table as long as a page.
const LONGEST: usize = 600;

/// Which text the statement is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StatementOf {
    /// A statement of the report that the gold article contradicts.
    Report,
    /// A statement of the gold article that the report contradicts.
    Gold,
}

/// Two sentences that contradict each other.
#[derive(Clone, Debug, Serialize)]
pub struct Conflict {
    /// The agent.
    pub agent: String,
    /// Id of the report.
    pub report: String,
    /// Title of the gold article.
    pub article: String,
    /// Which text was asked about.
    pub statement_of: StatementOf,
    /// What kind of conflict code sees.
    pub kind: Kind,
    /// What the report says.
    pub in_report: String,
    /// What the gold article says.
    pub in_gold: String,
    /// What differs, in the report's sentence and in the gold article's.
    pub differences: Vec<Difference>,
    /// The reason of the first judge that says so.
    pub reason: String,
}

/// The conflicts of a report with its gold article by a panel, in the order of the statements.
pub fn conflicts(
    judgements: &PanelJudgements<'_>,
    own: &ReportStatements<'_>,
    (report, text): (&ReportHead, &str),
    (article, gold): (&GoldArticle, &GoldStatements),
) -> Result<Vec<Conflict>> {
    let mut found = Vec::new();
    for statement_of in [StatementOf::Report, StatementOf::Gold] {
        let instrument = match statement_of {
            StatementOf::Report => IN_GOLD,
            StatementOf::Gold => IN_REPORT,
        };
        let contradicted = contradicted(judgements, instrument, report)?;
        if contradicted.is_empty() {
            continue;
        }
        let (statements, other) = match statement_of {
            StatementOf::Report => {
                let statements = own.of(&report.id, text)?;
                (&gold.of_report(statements), article.text.as_str())
            }
            StatementOf::Gold => (&gold.statements, text),
        };
        let other = prose::without_sources(other);
        let other = Sentences::new(&other);
        for (id, statement) in statements {
            let Some(verdict) = contradicted.get(id) else {
                continue;
            };
            let deciding = other.around(&verdict.quote);
            let statement = words::one_line(statement);
            let [in_report, in_gold] = match statement_of {
                StatementOf::Report => [statement, deciding],
                StatementOf::Gold => [deciding, statement],
            };
            let differences = dispute::differences(&in_report, &in_gold);
            found.push(Conflict {
                agent: report.agent.clone(),
                report: report.id.to_string(),
                article: article.title.clone(),
                statement_of,
                kind: dispute::kind(&differences),
                in_report,
                in_gold,
                differences,
                reason: verdict.reason.clone(),
            });
        }
    }
    Ok(found)
}

/// The statements that the panel calls contradicted, each with the first judge's words.
fn contradicted(
    judgements: &PanelJudgements<'_>,
    instrument: Instrument,
    report: &ReportHead,
) -> Result<BTreeMap<String, Verdict>> {
    let all = judgements.read_bare(instrument, report.id.as_str(), verdict)?;
    let by_statement = all.chunk_by(|a, b| a.about == b.about);
    let found = by_statement.filter_map(|of| {
        let outcomes = of.iter().map(|judgement| match &judgement.outcome {
            Ok(verdict) => Ok(verdict.stance),
            Err(cause) => Err(*cause),
        });
        if decide(outcomes) != Ok(Stance::Contradicts) {
            return None;
        }
        let mut said = of
            .iter()
            .filter_map(|judgement| judgement.outcome.as_ref().ok());
        let first = said.find(|of| of.stance == Stance::Contradicts)?;
        Some((of[0].about.clone(), first.clone()))
    });
    Ok(found.collect())
}

/// A text in sentences, cut once for all quotes of it.
struct Sentences<'a> {
    text: &'a str,
    chars: Vec<char>,
    spans: Vec<Range<usize>>,
}

impl<'a> Sentences<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            chars: text.chars().collect(),
            spans: sentences::split(text),
        }
    }

    /// The sentences that a quote stands in; the quote itself where it stands nowhere.
    fn around(&self, quote: &str) -> String {
        let whole = find(self.text, quote).map(|place| {
            let before = |end: usize| self.text[..end].chars().count();
            self.touched(&(before(place.start)..before(place.end)))
        });
        let sentence = whole.unwrap_or_else(|| quote.to_owned());
        words::one_line(&sentence).chars().take(LONGEST).collect()
    }

    /// The sentences that a place touches, within its lines: a heading above is no part of them.
    fn touched(&self, quoted: &Range<usize>) -> String {
        let chars = &self.chars;
        let is_touched = |of: &&Range<usize>| of.start < quoted.end && quoted.start < of.end;
        let mut touched = self.spans.iter().filter(is_touched);
        let first = touched.next().unwrap_or(quoted);
        let end = touched.next_back().map_or(first.end, |last| last.end);
        // Lines that are only wrapped belong together.
        let ends_block = |at: usize| chars[at] == '\n' && starts_block(&chars[at + 1..]);
        let is_heading_above = |at: usize| {
            let above = chars[..at]
                .iter()
                .rposition(|c| *c == '\n')
                .map_or(0, |at| at + 1);
            chars[at] == '\n' && chars[above] == '#'
        };
        let line = (0..quoted.start)
            .rev()
            .find(|at| ends_block(*at) || is_heading_above(*at))
            .map_or(0, |at| at + 1);
        let line_end = (quoted.end..chars.len()).find(|at| ends_block(*at));
        let line_end = line_end.unwrap_or(chars.len());
        chars[first.start.max(line)..end.min(line_end)]
            .iter()
            .collect()
    }
}

/// Whether a line begins something of its own: a heading, an item, a row, a paragraph.
fn starts_block(line: &[char]) -> bool {
    let digits = line.iter().take_while(|c| c.is_ascii_digit()).count();
    match line.first() {
        None | Some('\n' | '#' | '|' | '-' | '*' | '+' | '>') => true,
        Some(_) => digits > 0 && matches!(line.get(digits), Some('.' | ')')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_shown_with_its_sentence() {
        let sentence_of = |text: &str, quote: &str| Sentences::new(text).around(quote);
        let text =
            "# Esk\n\nThe bridge was built in 1890. It has 12 arches, of which 3 are dry. 它很长。";
        assert_eq!(
            sentence_of(text, "has 12 arches"),
            "It has 12 arches, of which 3 are dry."
        );
        assert_eq!(
            sentence_of(text, "in 1890. It has"),
            "The bridge was built in 1890. It has 12 arches, of which 3 are dry."
        );
        assert_eq!(sentence_of(text, "它很长"), "它很长。");
        let headed = "Crossing\n## Pillars\nPillar 3 is dry.\n- Pillar 4 is wet.";
        assert_eq!(sentence_of(headed, "3 is dry"), "Pillar 3 is dry.");
        assert_eq!(sentence_of(headed, "4 is wet"), "- Pillar 4 is wet.");
        assert_eq!(
            sentence_of("It was not\nbuilt in 1890. It stands.", "built in 1890"),
            "It was not built in 1890."
        );
        assert_eq!(sentence_of(text, "nowhere  at all"), "nowhere at all");
        assert_eq!(sentence_of(&"x".repeat(5000), &"x".repeat(900)).len(), 600);
    }
}
