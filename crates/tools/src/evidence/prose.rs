//! A report as it reads without its sources: Markdown as it is, without marks of citations, lists
//! of references, and addresses.

use std::ops::Range;

use super::marks::is_listed;
use crate::citations::{self, Citation, Style};

/// The report without its sources. A link keeps its text; an author named in a sentence stays.
pub fn without_sources(report: &str) -> String {
    let found = citations::parse(report);
    let sections = citations::sections(report);
    let entries = found.references.iter().map(|entry| entry.start..entry.end);
    let mut cuts: Vec<(Range<usize>, Option<&str>)> = sections
        .iter()
        .map(|section| section.start..section.end)
        .chain(entries)
        .map(|range| (range, None))
        .collect();
    let marks = found
        .citations
        .iter()
        .filter(|citation| !is_listed(citation));
    cuts.extend(marks.filter_map(cut));
    // The first of two that overlap is the whole of both, or stands before.
    cuts.sort_by_key(|(range, _)| (range.start, usize::MAX - range.end));
    let mut text = String::with_capacity(report.len());
    let chars: Vec<char> = report.chars().collect();
    let mut at = 0;
    for (range, instead) in cuts {
        if range.start < at {
            // Marks of one place, such as `[1, 3]`, share it.
            at = at.max(range.end);
            continue;
        }
        text.extend(&chars[at..range.start]);
        match instead {
            Some(label) => text.push_str(label),
            None => trim_blanks(&mut text),
        }
        at = range.end;
    }
    text.extend(chars.get(at..).into_iter().flatten());
    text
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
