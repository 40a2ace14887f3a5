//! The statements of a report in Markdown that carry its citations. Hides marks behind a sentence's
//! full stop, and the separation of headings, list items and rows of tables.

use std::{collections::BTreeMap, ops::Range};

use super::{
    lines::{Line, kind},
    marks::{is_link, is_listed, without_marks},
};
use crate::{
    citations::{Citation, Citations},
    data::Statement,
    text::sentences,
};

/// The statements in order, and for each citation the position of the one that carries it. What
/// only a list of references has is carried by none, nor is a mark that stands alone.
pub fn carrying(report: &str, citations: &[Citation]) -> (Vec<Statement>, Vec<Option<usize>>) {
    let chars: Vec<char> = report.chars().collect();
    let plain = without_marks(&chars, citations);
    let mut words: Vec<bool> = plain.iter().map(|c| c.is_alphanumeric()).collect();
    for citation in citations.iter().filter(|citation| is_link(citation)) {
        words[citation.start..citation.end].fill(false);
    }
    let mut spans: BTreeMap<usize, Range<usize>> = BTreeMap::new();
    let mut carriers = vec![None; citations.len()];
    let mut next = 0;
    for block in blocks(&chars) {
        let first = next + citations[next..].partition_point(|c| c.start < block.range.start);
        next = first + citations[first..].partition_point(|c| c.start < block.range.end);
        let inside = first..next;
        if citations[inside.clone()].iter().all(is_listed) {
            continue;
        }
        let mut sentences = block.sentences(&plain);
        // A link alone states nothing.
        sentences.retain(|range| words[range.clone()].iter().any(|is_word| *is_word));
        for at in inside.filter(|at| !is_listed(&citations[*at])) {
            let citation = &citations[at];
            let Some(core) = carrier(&sentences, citation.start, &chars) else {
                continue;
            };
            let span = spans.entry(core.start).or_insert_with(|| core.clone());
            // Marks before the first word or behind the full stop belong to the statement.
            span.start = span.start.min(citation.start);
            span.end = span.end.max(citation.end);
            carriers[at] = Some(core.start);
        }
    }
    let positions: BTreeMap<usize, usize> = spans.keys().copied().zip(0..).collect();
    let carriers = carriers
        .into_iter()
        .map(|core| core.and_then(|core: usize| positions.get(&core).copied()))
        .collect();
    let statements = spans.into_values().map(|span| Statement {
        start: span.start,
        end: span.end,
        text: chars[span].iter().collect(),
    });
    (statements.collect(), carriers)
}

/// What a stretch of a report is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A sentence, a list item or a row of a table.
    Statement,
    /// A heading.
    Heading,
    /// An entry of a list of references, or the line below the head of a table.
    Frame,
}

/// Every sentence, heading, list item, row and reference of a report, in order, whether it cites or
/// not: its text.
pub fn all(report: &str, found: &Citations) -> Vec<(Part, String)> {
    let chars: Vec<char> = report.chars().collect();
    let spans = spans(&chars, found).into_iter();
    spans
        .map(|(part, span)| (part, chars[span].iter().collect()))
        .collect()
}

/// The same as places in the report, marks behind a full stop included, in Unicode scalar values.
pub fn spans(chars: &[char], found: &Citations) -> Vec<(Part, Range<usize>)> {
    let plain = without_marks(chars, &found.citations);
    let mut parts = Vec::new();
    for block in blocks(chars) {
        // An entry begins with its label, which a block leaves out.
        let before = found
            .references
            .partition_point(|of| of.start <= block.range.start);
        let entry = before.checked_sub(1).map(|at| &found.references[at]);
        let is_entry = entry.is_some_and(|entry| block.range.start < entry.end);
        let text = &chars[block.range.clone()];
        let is_line = block.is_row && text.iter().all(|c| "|-: \t".contains(*c));
        let part = if is_entry || is_line {
            Part::Frame
        } else if block.is_heading {
            Part::Heading
        } else {
            Part::Statement
        };
        let mut starts: Vec<usize> = block.sentences(&plain).iter().map(|s| s.start).collect();
        // What stands before the first sentence belongs to it, and an entry is one.
        if is_entry {
            starts.truncate(1);
        }
        match starts.first_mut() {
            Some(first) => *first = block.range.start,
            None => starts.push(block.range.start),
        }
        // Marks behind a full stop belong to the sentence before, so that each reaches to the next.
        starts.push(block.range.end);
        for ends in starts.windows(2) {
            let has_words = plain[ends[0]..ends[1]].iter().any(|c| c.is_alphanumeric());
            let part = if has_words { part } else { Part::Frame };
            parts.push((part, ends[0]..ends[1]));
        }
    }
    parts
}

/// A paragraph, a heading, a list item or a row of a table.
struct Block {
    /// Without its bullet, in characters.
    range: Range<usize>,
    is_row: bool,
    is_heading: bool,
}

impl Block {
    /// Its sentences; a row is one.
    fn sentences(&self, plain: &[char]) -> Vec<Range<usize>> {
        if self.is_row {
            return vec![self.range.clone()];
        }
        let text: String = plain[self.range.clone()].iter().collect();
        let start = self.range.start;
        sentences::split(&text)
            .into_iter()
            .map(|sentence| start + sentence.start..start + sentence.end)
            .collect()
    }
}

/// The sentence that a mark at `at` belongs to: the one that it stands in, else the one before,
/// unless what follows the mark goes on in lower case (`[1] shows that …`).
fn carrier<'a>(
    sentences: &'a [Range<usize>],
    at: usize,
    chars: &[char],
) -> Option<&'a Range<usize>> {
    let following = sentences.partition_point(|sentence| sentence.start <= at);
    let Some(before) = following.checked_sub(1).map(|place| &sentences[place]) else {
        return sentences.first();
    };
    let next = sentences.get(following);
    let goes_on = |next: &&Range<usize>| chars[next.start].is_lowercase();
    if at < before.end {
        Some(before)
    } else {
        next.filter(goes_on).or(Some(before))
    }
}

/// The blocks of a text in order.
fn blocks(chars: &[char]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    let mut start = 0;
    for line in chars.split_inclusive(|c| *c == '\n') {
        let end = start + line.len();
        let (kind, skipped) = kind(line);
        match kind {
            Line::Empty => open = false,
            Line::Text if open => {
                if let Some(block) = blocks.last_mut() {
                    block.range.end = end;
                }
            }
            Line::Text | Line::Item | Line::Heading | Line::Row => {
                blocks.push(Block {
                    range: start + skipped..end,
                    is_row: kind == Line::Row,
                    is_heading: kind == Line::Heading,
                });
                // A heading and a row end with their line; text and items go on in the next one.
                open = matches!(kind, Line::Text | Line::Item);
            }
        }
        start = end;
    }
    for block in &mut blocks {
        let text = &chars[block.range.clone()];
        let last = text.iter().rposition(|c| !c.is_whitespace());
        block.range.end = block.range.start + last.map_or(0, |last| last + 1);
    }
    blocks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::citations;

    /// `statement ← label, label` for each statement.
    fn told(report: &str) -> Vec<String> {
        let citations = citations::parse(report).citations;
        let (statements, carriers) = carrying(report, &citations);
        let labels = |place: usize| -> Vec<&str> {
            let of_it = carriers.iter().zip(&citations);
            of_it
                .filter(|(carrier, _)| **carrier == Some(place))
                .filter_map(|(_, citation)| citation.label.as_deref())
                .collect()
        };
        let line = |(place, statement): (usize, &Statement)| {
            format!("{} ← {}", statement.text, labels(place).join(", "))
        };
        statements.iter().enumerate().map(line).collect()
    }

    /// The same with a list of two references.
    fn check(text: &str, expect: &[&str]) {
        let list = "## References\n\n1. Ash, A. (2019). Winds. https://a.org/1\n\
                    2. Birch, B. (2021). Sails. https://b.org/2\n";
        assert_eq!(told(&format!("{text}\n\n{list}")), expect, "{text}");
    }

    #[test]
    fn a_mark_belongs_to_its_sentence() {
        check(
            "Ice grows [1]. Heat helps. Salt does not [2].",
            &["Ice grows [1]. ← 1", "Salt does not [2]. ← 2"],
        );
        check(
            "Ice grows.[1] Heat helps.[1][2] It ends.",
            &["Ice grows.[1] ← 1", "Heat helps.[1][2] ← 1, 2"],
        );
        check(
            "Ice grows. [1] shows that heat helps. So it is.",
            &["[1] shows that heat helps. ← 1"],
        );
        check(
            "河流移动。[1]热量有帮助。盐没有【2】。",
            &["河流移动。[1] ← 1", "盐没有【2】。 ← 2"],
        );
        check(
            "Winds turn, as Ash (2019) says. Sails do not (Birch, 2021). So it is.",
            &[
                "Winds turn, as Ash (2019) says. ← Ash 2019",
                "Sails do not (Birch, 2021). ← Birch 2021",
            ],
        );
    }

    #[test]
    fn nothing_of_a_report_is_hidden() {
        let report = "# Ice\n\nIce grows.[1] Heat helps, as\nwe know. [1]\n\n- an item\n| River | 23 |\n|---|---|\n\n\
                      [1] shows more.\n\n## References\n\n1. Ash, A. (2019). Winds. https://a.org/1\n";
        let found = all(report, &citations::parse(report));
        let of = |wanted: Part| -> Vec<&str> {
            let parts = found.iter().filter(|(part, _)| *part == wanted);
            parts.map(|(_, text)| text.trim()).collect()
        };
        let statements = [
            "Ice grows.[1]",
            "Heat helps, as\nwe know. [1]",
            "an item",
            "| River | 23 |",
            "[1] shows more.",
        ];
        assert_eq!(of(Part::Statement), statements);
        let shown: String = found.iter().map(|(_, text)| text.as_str()).collect();
        for word in ["Ice", "References", "Ash, A.", "https://a.org/1"] {
            assert!(shown.contains(word), "{word}");
        }
        let only_references = "# Found\n\n[1] The dam lowers it. https://a.org/1\n[2] Gauges drift. https://b.org/2\n";
        let found = all(only_references, &citations::parse(only_references));
        let shown: String = found.into_iter().map(|(_, text)| text).collect();
        assert!(shown.contains("The dam lowers it") && shown.contains("Gauges drift"));
    }

    /// Where a link only says where a sentence comes from, it is no sentence of its own.
    #[test]
    fn a_source_behind_a_sentence_is_a_mark() {
        let (a, b) = ("https://a.org/x?y=1", "https://b.org/z.html");
        for (text, expect) in [
            (
                format!("Ice grows. [Source]({a})"),
                vec![format!("Ice grows. [Source]({a})")],
            ),
            (format!("Ice grows. {a}"), vec![format!("Ice grows. {a}")]),
            (
                format!("Ice grows. (Source: {a})"),
                vec![format!("Ice grows. (Source: {a}")],
            ),
            (
                format!("Ice grows.\nSource: {a}"),
                vec![format!("Ice grows.\nSource: {a}")],
            ),
            (
                format!("1. Ice grows. {a}\n2. Heat helps. {b}"),
                vec![format!("Ice grows. {a}"), format!("Heat helps. {b}")],
            ),
            (
                format!("Ice grows. ([a.org]({a})) Heat helps. ([b.org]({b}))"),
                vec![
                    format!("Ice grows. ([a.org]({a})"),
                    format!("Heat helps. ([b.org]({b})"),
                ],
            ),
            (
                format!("Ice grows ([a.org]({a})). Heat helps."),
                vec![format!("Ice grows ([a.org]({a})).")],
            ),
            (
                format!("Ice grows. [One]({a}), [two]({b})\n\nNothing."),
                vec![format!("Ice grows. [One]({a}), [two]({b})")],
            ),
        ] {
            let citations = citations::parse(&text).citations;
            let (statements, carriers) = carrying(&text, &citations);
            let found: Vec<&str> = statements.iter().map(|of| of.text.as_str()).collect();
            assert_eq!(found, expect, "{text}");
            assert!(carriers.iter().all(Option::is_some), "{text}");
        }
    }

    #[test]
    fn a_mark_before_the_stop_ends_the_sentence() {
        check(
            "They missed by some 7 m [1]. Rain was recorded [2].",
            &[
                "They missed by some 7 m [1]. ← 1",
                "Rain was recorded [2]. ← 2",
            ],
        );
    }

    #[test]
    fn a_link_is_part_of_its_sentence() {
        check(
            "One. [A survey? Yes. No.](https://c.org/?a=1) says so. Two.",
            &["[A survey? Yes. No.](https://c.org/?a=1) says so. ← A survey? Yes. No."],
        );
        assert_eq!(
            told("One. See https://c.org/?a=1&b for more. Two."),
            ["See https://c.org/?a=1&b for more. ← "]
        );
    }

    #[test]
    fn blocks_are_apart() {
        check(
            "# Ice [1]\nIce grows\nover lines [2] and\nends\n\n- an item [1]\n  goes on\n- another\n3. third. It is [2]\n\n\
             | River | 23 mm. Much [1] |\n|---|---|\n| Sea | 4 [2] |\n> quoted [1]\n***\n[1]",
            &[
                "Ice [1] ← 1",
                "Ice grows\nover lines [2] and\nends ← 2",
                "an item [1]\n  goes on ← 1",
                "It is [2] ← 2",
                "| River | 23 mm. Much [1] | ← 1",
                "| Sea | 4 [2] | ← 2",
                "quoted [1] ← 1",
            ],
        );
    }

    #[test]
    fn what_is_only_listed_is_carried_by_nothing() {
        check("Nothing is cited.", &[]);
        assert_eq!(told(""), Vec::<String>::new());
    }

    const TRICKY: &[&str] = &[
        "[1]",
        "[2]",
        "[^a]",
        "[^a]: https://c.org",
        "¹",
        "【1】",
        "(Ash, 2019)",
        "Ash et al. (2019)",
        "[a. b](https://c.org/?x=1)",
        "[a\nb](https://d.org)",
        "https://e.org/x.",
        "![i](https://f.org)",
        "Ice grows",
        "热量有帮助",
        "。",
        ".",
        "! ",
        "?",
        ". ",
        "a",
        "B",
        " ",
        "\n",
        "\r\n",
        "\n\n",
        "- ",
        "* ",
        "1. ",
        "2、",
        "# ",
        "> ",
        "| ",
        "---\n",
        "```\n",
        "`",
        "\"",
        "”",
        "😀",
        "e\u{301}",
        "\n\n## References\n\n1. Ash (2019) https://a.org\n",
        "\n\n[2] Birch https://b.org\n",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

        #[test]
        fn a_statement_is_the_text_at_its_span(
            parts in prop::collection::vec(prop::sample::select(TRICKY), 0..40)
        ) {
            let report = parts.concat();
            let citations = citations::parse(&report).citations;
            let (statements, carriers) = carrying(&report, &citations);
            prop_assert_eq!(carriers.len(), citations.len());
            for Statement { start, end, text } in &statements {
                let cut: String = report.chars().skip(*start).take(end - start).collect();
                prop_assert_eq!(&cut, text);
                prop_assert!(start < end);
                prop_assert!(!text.starts_with(char::is_whitespace));
                prop_assert!(!text.ends_with(char::is_whitespace));
            }
            prop_assert!(statements.is_sorted_by(|a, b| a.start < b.start));
            let mut carrying = vec![false; statements.len()];
            for (citation, carrier) in citations.iter().zip(&carriers) {
                prop_assert!(!is_listed(citation) || carrier.is_none());
                if let Some(place) = carrier {
                    let statement = &statements[*place];
                    prop_assert!(statement.start <= citation.start && citation.end <= statement.end);
                    carrying[*place] = true;
                }
            }
            prop_assert!(carrying.into_iter().all(|carries| carries));
        }
    }
}
