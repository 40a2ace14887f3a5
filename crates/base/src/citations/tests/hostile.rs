//! Reports that were made to break a parser: nothing isolation, and what is looked at grows with the
//! length only.

use proptest::prelude::*;

use super::*;
use crate::text::url::canonical;

/// Parses a short report and checks what holds for any.
fn assert_sound(report: &str) {
    let Citations {
        citations,
        references,
    } = parse(report);
    let length = report.chars().count();
    assert!(citations.is_sorted_by_key(|citation| citation.start));
    assert!(references.is_sorted_by(|a, b| a.end <= b.start));
    for citation in &citations {
        assert!(
            citation.start < citation.end && citation.end <= length,
            "{citation:?}"
        );
        assert_eq!(
            citation.url.as_deref().and_then(canonical),
            citation.url,
            "{citation:?}"
        );
        assert!(
            citation.entry.is_none_or(|entry| entry < references.len()),
            "{citation:?}"
        );
        assert!(
            citation.diagnosis.is_sorted_by(|a, b| a < b),
            "{citation:?}"
        );
        let found = cut(report, citation.start, citation.end);
        assert!(is_mark(&found, citation), "{found} {citation:?}");
    }
    for reference in &references {
        assert!(
            reference.start < reference.end && reference.end <= length,
            "{reference:?}"
        );
        assert!(
            cut(report, reference.start, reference.end).ends_with(&reference.text),
            "{reference:?}"
        );
    }
}

/// Whether what stands at a citation's place is such a mark.
fn is_mark(found: &str, citation: &Citation) -> bool {
    let raw = citation.raw_url.as_deref().unwrap_or_default();
    let label = citation.label.as_deref().unwrap_or_default();
    match citation.style {
        Style::Bare => found == raw,
        Style::Link => {
            found.starts_with('[')
                && found.contains(label)
                && (found.contains(raw) || found.ends_with(']'))
        }
        Style::Numbered => found.contains(|c: char| c.is_numeric()),
        Style::Footnote => found.starts_with("[^") && found.contains(label),
        Style::AuthorYear => {
            found.ends_with([')', '）', ']']) && found.contains(label.split(' ').next().unwrap())
        }
        Style::ReferenceOnly => found.contains(raw),
    }
}

const TRICKY: &[&str] = &[
    "[",
    "]",
    "(",
    ")",
    "（",
    "）",
    "【",
    "】",
    "［",
    "］",
    "†",
    "^",
    "[^1]",
    "[^1]:",
    "[1]",
    "[1]:",
    "[2-4]",
    "【3†L1】",
    "¹",
    "²",
    "⁻",
    "<sup>",
    "</sup>",
    "<",
    ">",
    "1",
    "2",
    ".",
    ",",
    "-",
    "、",
    "，",
    "。",
    ";",
    ":",
    "：",
    "!",
    "![",
    "](",
    "\\",
    "\"",
    "'",
    "`",
    "```",
    "~~~",
    "#",
    "## References",
    "## 参考文献",
    "**来源**",
    "Sources:",
    "\n",
    "\n\n",
    "\r\n",
    " ",
    "\t",
    "    ",
    "- ",
    "1. ",
    "> ",
    "|",
    "---",
    "===",
    "https://",
    "http://a.org/x",
    "https://a.org/x_(y)",
    "www.a.org",
    "doi:10.1000/x",
    "arXiv:2301.00001",
    "arxiv",
    "doi",
    "例子.中国",
    "mailto:a",
    "URL",
    "…",
    "...",
    "Ash",
    "Ash et al.",
    "2020",
    "(Ash, 2020)",
    "（王，2020）",
    "王小明等",
    "(2020a, b)",
    "&",
    "and",
    "a",
    "é",
    "😀",
    "\u{301}",
    "\u{200b}",
    "\u{0}",
    "\u{3000}",
    "Ⅷ",
    "İ",
    "ß",
    "x",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn any_text_is_read(parts in prop::collection::vec(prop::sample::select(TRICKY), 0..40)) {
        assert_sound(&parts.concat());
    }

    #[test]
    fn any_characters_are_read(report in "\\PC{0,60}") {
        assert_sound(&report);
    }
}

/// What is looked at again from each place, unless a bound says how far.
const REPEATED: &[&str] = &[
    "]",
    "[[]",
    "[]](",
    "[a](",
    "[a](b",
    "[](<",
    "[](u \"",
    "[](u (",
    "[](u “",
    "[]（",
    "[]（u x",
    "【",
    "【1†a",
    "^1†",
    "^1,",
    "[1,",
    "¹",
    "`",
    "``a`",
    "```a\n",
    "~~~\n```a\n",
    "![",
    "![a][",
    "[^a",
    "[^1]",
    "<http",
    "<img ",
    "<sup>1",
    "https://a(",
    "https://a[",
    "https://中",
    "www.a,",
    "www.a(",
    "doi:10.1000/(",
    "arxiv",
    "(Ash, 2020",
    "(Ash, 2020)",
    "Ash (2020)(",
    "王（2020）",
    "\n[1]: ",
    "\n[a]: x",
    "\n[^1]: ",
    "\n## Sources",
    "\n**来源**\n- 2020",
    "\nSources:\n- a",
    "\n1. ",
    "\n ",
    "\\",
    "[\\",
    "&",
    "##\n",
    "- ",
    "> ",
    "| 1 ",
    "a ",
    "(",
    "[",
    "[^a-z] ",
    "[ ",
    "[1,  ",
    "https://a[1",
    "[](\\",
    "\"(2020)",
    "王",
    "Ash",
    "[a](https://a.org \"",
    "![a](",
    "[a b][c d] ",
];

/// What parsing looks at, by [`steps`]. Half as much again would be a scan that grows with the
/// report; a scan of everything from everywhere takes four times as much.
fn assert_linear(report: impl Fn(usize) -> String) {
    let taken = |length: usize| steps::taken_by(|| parse(&report(length))).1;
    let (once, twice) = (taken(25_000), taken(50_000));
    assert!(once > 0, "the parser counts");
    assert!(
        twice <= once * 5 / 2 + 1_000,
        "{once} steps, and {twice} of twice the length: {:?}",
        report(60)
    );
}

#[test]
fn a_report_of_twice_the_length_takes_twice_the_steps() {
    for part in REPEATED {
        let repeated = |length: usize| part.repeat(length / part.len());
        assert_linear(repeated);
        let list = ")]\n\n## References\n\n1. Ash (2020) https://a.org\n";
        assert_linear(|length| repeated(length) + list);
        // As many entries as marks.
        let entry = "[a1]: https://a.org/x\n[2] Ash (2020) https://b.org\n";
        assert_linear(|length| {
            repeated(length / 2) + "\n\n" + &entry.repeat(length / 2 / entry.len())
        });
        let numbered = |at: usize| format!("[s{at}]: https://a.org/{at}\n");
        assert_linear(|length| {
            let entries: String = (0..length / 50).map(numbered).collect();
            repeated(length / 2) + "\n\n" + &entries
        });
    }
}

/// The measure tells a parser that looks at everything from everywhere.
#[test]
#[should_panic(expected = "steps, and")]
fn a_square_is_not_linear() {
    assert_linear(|length| {
        (0..length).for_each(steps::add);
        "[".repeat(length)
    });
}

#[test]
fn two_megabytes_of_one_thing_cite_nothing() {
    for part in ["[", "("] {
        assert_eq!(parse(&part.repeat(2_000_000)), Citations::default());
    }
}

#[test]
fn many_links_are_all_told_and_more_are_not() {
    let link = |at: usize| format!("[a{at}](https://a.org/{at}) ");
    let links: String = (0..100_000).map(link).collect();
    let found = parse(&links);
    assert_eq!(
        (found.citations.len(), found.urls().len()),
        (100_000, 100_000)
    );
    let marks = format!(
        "{}\n\n## Sources\n\n1. https://a.org/x",
        "[1]".repeat(150_000)
    );
    let found = parse(&marks);
    assert_eq!(
        (found.citations.len(), found.urls()),
        (100_000, vec![("https://a.org/x", 100_000)])
    );
}

#[test]
fn many_entries_of_one_author_are_looked_up_at_once() {
    let entries = "Ash, A. (2020). Winds.\n\n".repeat(20_000);
    let found = parse(&format!(
        "{}\n\n## References\n\n{entries}",
        "(Ash, 2020) ".repeat(20_000)
    ));
    assert_eq!(found.references.len(), 20_000);
    assert_eq!(
        told(&found.citations[0]),
        "author_year Ash 2020 ambiguous_author_year"
    );
}
