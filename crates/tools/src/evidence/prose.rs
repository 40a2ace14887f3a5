//! A report as it reads without its sources: Markdown as it is, without marks of citations, lists
//! of references, and addresses.

use std::ops::Range;

use super::marks::is_listed;
use crate::citations::{self, Citation, Citations, Style};

/// The places of a report that name its sources, in order, each with what stands there without it.
pub struct Sources<'a>(Vec<(Range<usize>, Option<&'a str>)>);

impl<'a> Sources<'a> {
    /// The places of a report that was parsed.
    pub fn of(report: &str, found: &'a Citations) -> Self {
        let sections = citations::sections(report).into_iter();
        let sections = sections.map(|section| section.start..section.end);
        let entries = found.references.iter().map(|entry| entry.start..entry.end);
        let whole = sections.chain(entries).map(|range| (range, None));
        let marks = found
            .citations
            .iter()
            .filter(|citation| !is_listed(citation));
        let mut cuts: Vec<_> = whole.chain(marks.filter_map(cut)).collect();
        // The first of two that overlap is the whole of both, or stands before.
        cuts.sort_by_key(|(range, _)| (range.start, usize::MAX - range.end));
        Self(cuts)
    }

    /// A part of the report without them. A link keeps its text; an author named in a sentence stays.
    pub fn cut_out(&self, chars: &[char], part: Range<usize>) -> String {
        let first = self
            .0
            .partition_point(|(range, _)| range.start < part.start);
        let mut text = String::with_capacity(part.len());
        let mut at = part.start;
        for (range, instead) in &self.0[first..] {
            if range.start >= part.end {
                break;
            }
            if range.start >= at {
                text.extend(&chars[at..range.start]);
                match instead {
                    Some(label) => text.push_str(label),
                    None => trim_blanks(&mut text),
                }
            }
            // Marks of one place, such as `[1, 3]`, share it.
            at = at.max(range.end);
        }
        text.extend(chars.get(at..part.end).into_iter().flatten());
        text
    }
}

/// The report without its sources.
pub fn without_sources(report: &str) -> String {
    let found = citations::parse(report);
    let chars: Vec<char> = report.chars().collect();
    Sources::of(report, &found).cut_out(&chars, 0..chars.len())
}

/// The place of a mark, and what stands there without it.
fn cut(citation: &Citation) -> Option<(Range<usize>, Option<&str>)> {
    let place = citation.start..citation.end;
    match citation.style {
        Style::Numbered | Style::Footnote | Style::Bare => Some((place, None)),
        Style::Link => Some((place, citation.label.as_deref())),
        Style::AuthorYear | Style::ReferenceOnly => None,
    }
}

/// A mark takes the blanks before it along: they would stand before a full stop.
fn trim_blanks(text: &mut String) {
    let kept = text.trim_end_matches([' ', '\t', '\u{a0}']).len();
    text.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_go_and_the_rest_stays() {
        let report = "# Gauges\n\nIce blocks them [1, 2]. See [the *station*](https://a.org/x) and \
                      Smith (2020).[^3]\n\n## Limits\n\nNone known 【1】。\n\n## References\n\n\
                      [1] A. https://a.org/1\n[2] B. https://b.org/2\n\n[^3]: C https://c.org\n";
        let prose = without_sources(report);
        let expected = "# Gauges\n\nIce blocks them. See the *station* and Smith (2020).\n\n\
                        ## Limits\n\nNone known。";
        assert_eq!(prose.trim_end(), expected);
        for plain in ["", "河流很长。\n", "No source at all, in 2 lines\nhere."] {
            assert_eq!(without_sources(plain), plain);
        }
    }

    /// A sentence alone does not say what its marks lead to; the report does.
    #[test]
    fn a_part_is_cut_by_what_the_whole_cites() {
        let report = "Ice [1] blocks them [2].\n\n## References\n\n[1] https://a.org/1\n[2] https://a.org/2\n";
        let found = citations::parse(report);
        let chars: Vec<char> = report.chars().collect();
        let sources = Sources::of(report, &found);
        assert_eq!(sources.cut_out(&chars, 0..24), "Ice blocks them.");
        assert_eq!(sources.cut_out(&chars, 8..24), "blocks them.");
    }

    #[test]
    fn sections_behind_the_references_stay() {
        let report = "Text [1].\n\n## References\n\n[1] https://a.org/1\n\n## Appendix\n\nMore.\n";
        let prose = without_sources(report);
        assert!(
            prose.contains("More.") && !prose.contains("a.org"),
            "{prose}"
        );
    }
}
