//! Resolution of marks to entries: where each mark leads, and which entries are cited. Hides when a
//! number in brackets is no citation.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use super::{
    Citation, Citations, Diagnosis, Reference, Style,
    address::{self, Address},
    author_year::{Certainty, Work},
    entries::{Entry, key},
    index::Index,
    marks::{Mark, What},
    places::Places,
    steps,
};

/// Most citations of a report: a mark costs three bytes, its entry may take thousands.
const MOST: usize = 100_000;

/// The entries that marks are looked up in. Places are in bytes until the end.
struct Lists<'a> {
    report: &'a str,
    index: &'a Index,
    references: Vec<Reference>,
    /// The first entry with an address.
    by_url: BTreeMap<String, usize>,
    evidence: Evidence,
}

/// Evidence from all marks on whether one without an entry is a citation.
struct Evidence {
    /// Marks in brackets.
    bracketed: usize,
    /// Whether any number has an entry.
    numbered: bool,
    /// Whether any raised number has one.
    raised: bool,
    /// Whether some authors have one, or cannot be anything but a citation.
    authored: bool,
}

/// The addresses of an entry.
#[derive(Default)]
struct Found {
    first: Address,
    others: Vec<(Range<usize>, Address)>,
}

/// All that a report cites.
pub(super) fn resolve(
    report: &str,
    entries: &[Entry],
    index: &Index,
    marks: Vec<Mark>,
) -> Citations {
    // What stands in a list of references is an address there, and no citation of it.
    let (listed, marks): (Vec<Mark>, Vec<Mark>) = marks
        .into_iter()
        .partition(|mark| around(entries, mark).is_some());
    let found = addresses(report, entries, listed);
    let references = references(report, entries, &found);
    let mut by_url = BTreeMap::new();
    for (at, url) in references
        .iter()
        .enumerate()
        .filter_map(|(at, reference)| Some((at, reference.url.clone()?)))
    {
        // Of two entries with one address the first is the one that readers find.
        by_url.entry(url).or_insert(at);
    }
    let evidence = evidence(index, &marks);
    let mut lists = Lists {
        report,
        index,
        references,
        by_url,
        evidence,
    };
    let mut citations: Vec<Citation> = marks
        .into_iter()
        .flat_map(|mark| lists.citations(mark))
        // Before they are kept, because one mark may lead to a hundred entries.
        .take(MOST)
        .collect();
    let cited: BTreeSet<usize> = citations
        .iter()
        .filter_map(|citation| citation.entry)
        .collect();
    for (at, found) in found.into_iter().enumerate() {
        citations.extend(listed_only(
            &mut lists.references[at],
            at,
            found,
            cited.contains(&at),
        ));
    }
    citations.sort_by_key(|citation| (citation.start, citation.end));
    // Again, behind the sort: what is left out is at the report's end, wherever it came from.
    citations.truncate(MOST);
    // Last of all: places in bytes are cheaper until everybody has looked things up.
    in_characters(
        Citations {
            citations,
            references: lists.references,
        },
        report,
    )
}

/// The entry that a mark stands in.
fn around(entries: &[Entry], mark: &Mark) -> Option<usize> {
    let at = entries
        .partition_point(|entry| entry.range.start <= mark.range.start)
        .checked_sub(1)?;
    (mark.range.start < entries[at].range.end).then_some(at)
}

/// The addresses of each entry, by the marks within the entries.
fn addresses(report: &str, entries: &[Entry], marks: Vec<Mark>) -> Vec<Found> {
    let mut places: Vec<Vec<Range<usize>>> = entries
        .iter()
        .map(|entry| entry.target.iter().cloned().collect())
        .collect();
    for mark in marks {
        if let (Some(entry), What::Link { target, .. } | What::Bare(target)) =
            (around(entries, &mark), mark.what)
        {
            places[entry].push(target);
        }
    }
    places
        .into_iter()
        .map(|places| sorted_out(report, places))
        .collect()
}

/// The first web address is the entry's; a DOI or an arXiv number is where there is none.
fn sorted_out(report: &str, places: Vec<Range<usize>>) -> Found {
    let mut read: Vec<(Range<usize>, Address)> = places
        .into_iter()
        // A link within the report leads to no source.
        .filter(|place| !report[place.clone()].starts_with('#'))
        .map(|place| (place.clone(), address::read(&report[place])))
        .collect();
    // A DOI becomes a web address when it is read, too; here what was written decides.
    let is_web = |(place, address): &(Range<usize>, Address)| {
        let written = report.as_bytes()[place.clone()].to_ascii_lowercase();
        address.url.is_some() && (written.starts_with(b"http") || written.starts_with(b"www."))
    };
    let first = read
        .iter()
        .position(is_web)
        .or_else(|| read.iter().position(|(_, address)| address.url.is_some()));
    if read.is_empty() {
        return Found {
            first: Address {
                diagnosis: vec![Diagnosis::NoUrl],
                ..Address::default()
            },
            others: Vec::new(),
        };
    }
    let (_, first) = read.remove(first.unwrap_or(0));
    // An entry often has its address as a link and once more in plain letters.
    let mut seen = BTreeSet::from([first.url.clone()]);
    let others = read
        .into_iter()
        .filter(is_web)
        .filter(|(_, address)| seen.insert(address.url.clone()))
        .collect();
    Found { first, others }
}

fn references(report: &str, entries: &[Entry], found: &[Found]) -> Vec<Reference> {
    let mut numbers: BTreeMap<_, usize> = BTreeMap::new();
    let number = |entry: &Entry| Some((entry.kind, key(entry.label.as_ref()?)));
    entries
        .iter()
        .filter_map(number)
        .for_each(|number| *numbers.entry(number).or_default() += 1);
    let mut seen = BTreeSet::new();
    let mut references = Vec::new();
    for (entry, Found { first, .. }) in entries.iter().zip(found) {
        let twice = number(entry)
            .and_then(|number| numbers.get(&number))
            .is_some_and(|times| *times > 1);
        let again = first.url.as_ref().is_some_and(|url| !seen.insert(url));
        let mut diagnosis = first.diagnosis.clone();
        diagnosis.extend(twice.then_some(Diagnosis::DuplicateNumber));
        diagnosis.extend(again.then_some(Diagnosis::DuplicateUrl));
        diagnosis.sort_unstable();
        references.push(Reference {
            label: entry.label.clone(),
            text: report[entry.text.clone()].to_owned(),
            url: first.url.clone(),
            raw_url: first.raw.clone(),
            start: entry.range.start,
            end: entry.range.end,
            diagnosis,
        });
    }
    references
}

fn evidence(index: &Index, marks: &[Mark]) -> Evidence {
    let known = |number: &u32| index.number(*number).is_some();
    let mut evidence = Evidence {
        bracketed: 0,
        numbered: false,
        raised: false,
        authored: false,
    };
    for mark in marks {
        match &mark.what {
            // No list begins at zero: [0] is an index or an interval.
            What::Numbers { numbers, raised } if !numbers.contains(&0) => {
                let found = numbers.iter().any(known);
                // A number is told from a citation by what most numbers of the report are.
                evidence.bracketed += usize::from(!raised);
                evidence.numbered |= found;
                evidence.raised |= found && *raised;
            }
            What::Works(works) => {
                let sure = |work: &Work| {
                    work.sure == Certainty::High || !index.authors.fitting(work).is_empty()
                };
                evidence.authored |= works.iter().any(sure);
            }
            _ => {}
        }
    }
    evidence
}

impl Lists<'_> {
    /// The citations of a mark; none where the mark is something else.
    fn citations(&self, Mark { range, what }: Mark) -> Vec<Citation> {
        match what {
            What::Link { text, target } => vec![self.link(range, text, &self.report[target])],
            What::Bare(target) => vec![self.at_address(
                range,
                Style::Bare,
                None,
                address::read(&self.report[target]),
            )],
            What::Label { text, entry, style } => {
                vec![self.at_entry(&range, style, link_text(&self.report[text]), Some(entry))]
            }
            What::Numbers { numbers, raised } => self.numbers(&range, &numbers, raised),
            What::Footnote(label) => self.footnote(&range, label).into_iter().collect(),
            What::Works(works) => works
                .iter()
                .filter_map(|work| self.work(&range, work))
                .collect(),
            What::Image => Vec::new(),
        }
    }

    fn link(&self, range: Range<usize>, text: Range<usize>, target: &str) -> Citation {
        let label = link_text(&self.report[text]);
        let mut citation = self.at_address(range, Style::Link, label, address::read(target));
        let number = citation.label.as_ref().and_then(|label| label.parse().ok());
        // `[1](https://…)` names an entry by its number as well as an address.
        citation.entry = citation.entry.or_else(|| self.index.number(number?));
        citation
    }

    fn at_address(
        &self,
        range: Range<usize>,
        style: Style,
        label: Option<String>,
        address: Address,
    ) -> Citation {
        let Address {
            raw,
            url,
            diagnosis,
        } = address;
        let entry = url.as_ref().and_then(|url| self.by_url.get(url)).copied();
        Citation {
            label,
            url,
            raw_url: raw,
            start: range.start,
            end: range.end,
            style,
            entry,
            diagnosis,
        }
    }

    fn at_entry(
        &self,
        range: &Range<usize>,
        style: Style,
        label: Option<String>,
        entry: Option<usize>,
    ) -> Citation {
        let reference = entry.map(|entry| &self.references[entry]);
        Citation {
            label,
            url: reference.and_then(|reference| reference.url.clone()),
            raw_url: reference.and_then(|reference| reference.raw_url.clone()),
            start: range.start,
            end: range.end,
            style,
            entry,
            diagnosis: reference.map_or(vec![Diagnosis::DanglingNumber], |reference| {
                reference.diagnosis.clone()
            }),
        }
    }

    /// A mark with a zero that is no entry is an interval or an index. One without any entry is a
    /// citation only among others.
    fn numbers(&self, range: &Range<usize>, numbers: &[u32], raised: bool) -> Vec<Citation> {
        let Evidence {
            bracketed,
            numbered,
            raised: raised_before,
            ..
        } = self.evidence;
        let among_others = if raised {
            raised_before
        } else {
            // One number in brackets without any list may be anything; two are a habit of citing.
            numbered || bracketed > 1
        };
        if numbers.contains(&0) && self.index.number(0).is_none() {
            return Vec::new();
        }
        let entries = numbers
            .iter()
            .map(|&number| (number, self.index.number(number)));
        entries
            .filter(|(_, entry)| entry.is_some() || among_others)
            .map(|(number, entry)| {
                self.at_entry(range, Style::Numbered, Some(number.to_string()), entry)
            })
            .collect()
    }

    /// `[^a-z]` is a pattern unless there are footnotes.
    fn footnote(&self, range: &Range<usize>, label: String) -> Option<Citation> {
        let entry = self.index.footnote(&label);
        let number = label.bytes().all(|byte| byte.is_ascii_digit());
        let is_mark = entry.is_some() || number || self.index.has_footnotes();
        is_mark.then(|| self.at_entry(range, Style::Footnote, Some(label), entry))
    }

    fn work(&self, range: &Range<usize>, work: &Work) -> Option<Citation> {
        let fitting = self.index.authors.fitting(work);
        let likely = work.sure == Certainty::High
            || (work.sure == Certainty::Middle && self.evidence.authored);
        if fitting.is_empty() && !likely {
            return None;
        }
        let label = Some(format!("{} {}", work.authors, work.year));
        let one = fitting.first().copied().filter(|_| fitting.len() == 1);
        let mut citation = self.at_entry(range, Style::AuthorYear, label, one);
        if fitting.len() > 1 {
            citation.diagnosis = vec![Diagnosis::AmbiguousAuthorYear];
        }
        Some(citation)
    }
}

/// The text of a link without the brackets or the image around it.
fn link_text(text: &str) -> Option<String> {
    steps::add(text.len());
    let text = text.trim();
    let text = text
        .strip_prefix("![")
        .and_then(|image| image.split(']').next())
        .unwrap_or(text);
    let open = text
        .strip_prefix('\\')
        .unwrap_or(text)
        .strip_prefix(['[', '【']);
    let inner = open
        .and_then(|text| text.strip_suffix([']', '】']))
        .map(|text| text.strip_suffix('\\').unwrap_or(text));
    Some(inner.unwrap_or(text).trim().to_owned()).filter(|text| !text.is_empty())
}

/// Citations from the list alone: the entry if nothing cites it, and its further addresses.
fn listed_only(
    reference: &mut Reference,
    entry: usize,
    found: Found,
    cited: bool,
) -> Vec<Citation> {
    let Reference {
        label, start, end, ..
    } = reference.clone();
    let mut all = Vec::new();
    if !cited {
        reference.diagnosis.push(Diagnosis::UncitedEntry);
        reference.diagnosis.sort_unstable();
        all.push((
            start..end,
            Address {
                diagnosis: reference.diagnosis.clone(),
                ..found.first
            },
        ));
    }
    all.extend(found.others);
    all.into_iter()
        .map(
            |(
                range,
                Address {
                    raw,
                    url,
                    diagnosis,
                },
            )| Citation {
                label: label.clone(),
                url,
                raw_url: raw,
                start: range.start,
                end: range.end,
                style: Style::ReferenceOnly,
                entry: Some(entry),
                diagnosis,
            },
        )
        .collect()
}

fn in_characters(mut found: Citations, report: &str) -> Citations {
    let places = Places::new(report);
    for citation in &mut found.citations {
        (citation.start, citation.end) = (
            places.character(citation.start),
            places.character(citation.end),
        );
    }
    for reference in &mut found.references {
        (reference.start, reference.end) = (
            places.character(reference.start),
            places.character(reference.end),
        );
    }
    found
}
