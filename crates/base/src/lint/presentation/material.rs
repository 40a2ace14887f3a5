//! What the questions look at: lines, citations, and entries of lists of references. Hides which
//! references are entries and which only define the target of a link.

use std::collections::BTreeSet;

use super::{Finding, Rule};
use crate::{
    citations::{self, Citation, Citations, Diagnosis, Reference, Section, Style},
    lint::{
        lines::{Line, line_of, lines},
        tables::{self, Tables},
    },
    text::words::is_han,
};

/// Most characters of an entry that are named in a finding.
const LONGEST_NAME: usize = 40;
/// Characters that an entry's label is within.
const LONGEST_OPENING: usize = 60;
/// Characters of an entry that its authors are within, and characters of a Chinese name.
const LONGEST_HEAD: usize = 300;
const LONGEST_HAN: usize = 4;

/// A report that was read once.
pub(super) struct Material<'a> {
    chars: Vec<char>,
    pub lines: Vec<Line<'a>>,
    pub tables: Tables<'a>,
    found: Citations,
    /// The citations of the text, by their position.
    cited: Vec<usize>,
    /// The entries of lists, by their position in the references.
    pub entries: Vec<Entry>,
    /// The sections of references; subsections count as their section.
    pub sections: Vec<Section>,
}

/// An entry of a list of references.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Its position in the references.
    pub at: usize,
    /// Whether it is a footnote.
    pub footnote: bool,
    /// The section that it stands in.
    pub section: Option<usize>,
}

/// Reads a report and has it looked at.
pub(super) fn read<T>(report: &str, look: impl FnOnce(&Material) -> T) -> T {
    let chars: Vec<char> = report.chars().collect();
    let visible = citations::without_code(report);
    let lines = lines(report, &visible);
    let found = citations::parse(report);
    let sections = citations::sections(report);
    let entries = entries(&chars, &found, &sections);
    let cited = cited(&lines, &found);
    look(&Material {
        chars,
        cited,
        tables: tables::read(&lines),
        lines,
        found,
        entries,
        sections,
    })
}

/// The citations of the text without what is only a mention.
fn cited(lines: &[Line], found: &Citations) -> Vec<usize> {
    let in_text = found.citations.iter().enumerate();
    let in_text: Vec<(usize, &Citation)> = in_text
        .filter(|(_, citation)| citation.style != Style::ReferenceOnly)
        .collect();
    let line = |citation: &Citation| line_of(lines, citation.start);
    let authors = in_text
        .iter()
        .filter(|(_, citation)| citation.style == Style::AuthorYear)
        .count();
    let marked: BTreeSet<usize> = in_text
        .iter()
        .filter(|(_, citation)| citation.style != Style::AuthorYear)
        .map(|(_, citation)| line(citation))
        .collect();
    let mostly_authors = 2 * authors > in_text.len();
    let is_mention = |citation: &Citation| {
        // `(Reed, 2019) [4]` names the source of a mark; `Costs, and Prices (2024)` in a heading
        // names none.
        let heading = lines[line(citation)].body().starts_with('#');
        let beside = !mostly_authors && marked.contains(&line(citation));
        let unknown = citation.diagnosis == [Diagnosis::DanglingNumber];
        citation.style == Style::AuthorYear && unknown && (heading || beside)
    };
    let cited = in_text.into_iter();
    cited
        .filter(|(_, citation)| !is_mention(citation))
        .map(|(at, _)| at)
        .collect()
}

fn entries(chars: &[char], found: &Citations, sections: &[Section]) -> Vec<Entry> {
    let entry = |(at, reference): (usize, &Reference)| {
        let opening = &chars[reference.start..reference.end];
        let opening: String = opening.iter().take(LONGEST_OPENING).collect();
        let section = section_of(sections, reference.start);
        let footnote = opening
            .trim_start_matches(['-', '*', '+', ' '])
            .starts_with("[^");
        // `[label]: https://…` is not shown; it belongs to a link and to no list.
        let numbered = number(reference).is_some();
        let defines = reference.label.is_some() && !numbered && opening.contains("]:");
        (footnote || !defines || section.is_some()).then_some(Entry {
            at,
            footnote,
            section,
        })
    };
    found
        .references
        .iter()
        .enumerate()
        .filter_map(entry)
        .collect()
}

fn section_of(sections: &[Section], place: usize) -> Option<usize> {
    let at = sections
        .partition_point(|section| section.start <= place)
        .checked_sub(1)?;
    (place < sections[at].end).then_some(at)
}

/// The number of an entry, if its label is one.
pub(super) fn number(reference: &Reference) -> Option<u32> {
    reference.label.as_ref()?.parse().ok()
}

/// An entry as a finding names it: `[3]`, or its first words.
pub(super) fn name(reference: &Reference) -> String {
    if let Some(label) = &reference.label {
        return format!("[{label}]");
    }
    let mut name: String = reference.text.chars().take(LONGEST_NAME).collect();
    if name.len() < reference.text.len() {
        name.push('…');
    }
    format!("“{name}”")
}

impl Material<'_> {
    /// A finding at a place of the report.
    pub(super) fn finding(
        &self,
        rule: Rule,
        (start, end): (usize, usize),
        what: impl Into<String>,
    ) -> Finding {
        Finding {
            rule,
            start,
            end,
            line: line_of(&self.lines, start) + 1,
            what: what.into(),
        }
    }

    /// The reference of an entry.
    pub(super) fn reference(&self, entry: &Entry) -> &Reference {
        &self.found.references[entry.at]
    }

    /// The citations of the text in order.
    pub(super) fn cited(&self) -> impl Iterator<Item = &Citation> {
        self.cited.iter().map(|at| &self.found.citations[*at])
    }

    /// The first character of a place.
    pub(super) fn first_char(&self, place: usize) -> Option<char> {
        self.chars.get(place).copied()
    }

    /// The references that a citation of several possible works may mean.
    pub(super) fn ambiguously_cited(&self) -> BTreeSet<usize> {
        let labels: BTreeSet<(String, String)> = self
            .cited()
            .filter(|citation| citation.diagnosis == [Diagnosis::AmbiguousAuthorYear])
            .filter_map(|citation| author_and_year(citation.label.as_ref()?))
            .collect();
        let references = self.found.references.iter().enumerate();
        references
            .filter(|(_, reference)| {
                let heads = || heads(&reference.text);
                !labels.is_empty() && heads().any(|head| labels.contains(&head))
            })
            .map(|(at, _)| at)
            .collect()
    }
}

/// `Smith et al. 2020a` as `Smith` and `2020`.
fn author_and_year(label: &str) -> Option<(String, String)> {
    let (authors, year) = label.rsplit_once(' ')?;
    let is_name = |c: char| c.is_alphabetic() || matches!(c, '\'' | '’' | '-');
    let author = authors.split(|c: char| !is_name(c)).next()?;
    let author = author.trim_end_matches('等');
    Some((author.to_owned(), year.chars().take(4).collect()))
}

/// Each word at the beginning of an entry with each year there, as a citation may name it.
fn heads(text: &str) -> impl Iterator<Item = (String, String)> {
    let head: String = text.chars().take(LONGEST_HEAD).collect();
    let years: BTreeSet<String> = head
        .split(|c: char| !c.is_ascii_digit())
        .filter(|figures| figures.len() == 4)
        .map(str::to_owned)
        .collect();
    let is_name = |c: char| c.is_alphabetic() || matches!(c, '\'' | '’' | '-');
    let names: BTreeSet<String> = head
        .split(|c: char| !is_name(c))
        .filter(|word| !word.is_empty())
        .flat_map(forms)
        .collect();
    names.into_iter().flat_map(move |name| {
        let years = years.clone().into_iter();
        years
            .map(move |year| (name.clone(), year))
            .collect::<Vec<_>>()
    })
}

/// A word, and of a Chinese name the surname, too.
fn forms(word: &str) -> Vec<String> {
    let mut forms = vec![word.to_owned()];
    if word.starts_with(is_han) {
        forms.extend((1..LONGEST_HAN).map(|length| word.chars().take(length).collect()));
    }
    forms
}
