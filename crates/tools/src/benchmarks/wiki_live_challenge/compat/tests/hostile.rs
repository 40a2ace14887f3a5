//! Texts that are shaped to take long, and texts of every shape: time grows with the length.

use proptest::prelude::*;

use crate::benchmarks::wiki_live_challenge::compat::{
    citations::{clean, detect_format, parse, validate},
    loss::{cut_urls, lost_text},
    markdown::tidy,
    text::split_sentences,
};

/// What begins and is never ended, or ends everywhere.
const SHAPES: [&str; 18] = [
    "[",
    "[1",
    "[1, ",
    "![a](",
    "[a](",
    "](",
    "(http",
    "J. A",
    "[[1](http://a(b)]",
    "[[1](http://a((",
    "[1]",
    "[1] : : http:",
    "[1] (http",
    "[1]\n",
    "https://a[1]\n",
    "1. [a](https://(",
    "# References\n",
    "sources\n",
];

fn read_all(text: &str) -> usize {
    let lengths = [
        split_sentences(text).len(),
        parse(text).entries.len(),
        clean(text).len(),
        validate(text).missing.len(),
        usize::from(detect_format(text).word().is_empty()),
        cut_urls(text).len(),
        lost_text(text).map_or(0, |lost| lost.range.len()),
        tidy(text).text.len(),
    ];
    lengths.iter().sum()
}

/// A megabyte of each shape is read in a moment; in quadratic time it would take hours, and the
/// test would be stopped.
#[test]
fn a_long_text_of_any_shape_is_read() {
    let bytes = 500_000;
    for shape in SHAPES {
        let numbered = |n: usize| shape.replace('1', &n.to_string());
        let lines: Vec<String> = (0..bytes / shape.len()).map(numbered).collect();
        let lines = lines.concat();
        let text = format!("{lines}\n## References\n{lines}\n{}", "x".repeat(bytes));
        assert!(read_all(&text) <= 30 * text.len(), "{shape}");
    }
}

/// Many numbers share one long address, and none of them holds a copy of it.
#[test]
fn many_numbers_above_a_long_address() {
    let numbers: Vec<String> = (0..50_000).map(|n| format!("[{n}]")).collect();
    let numbers = numbers.concat();
    let text = format!(
        "## References\n{numbers}\nhttps://a.example/({}",
        "x".repeat(500_000)
    );
    assert_eq!(parse(&text).entries.len(), 50_000);
    assert_eq!(cut_urls(&text).len(), 50_000);
}

/// Pieces that notations are made of.
const PIECES: &str = "(\\[|\\]|\\(|\\)|[12]|http://|https://a|\\\\|\\n| |#|\\*\\*|References|\
    sources|参考资料|盐|é|:|\\.|=|A|b){0,40}";

fn cases() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(600)
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn places_lie_in_the_text(text in PIECES) {
        read_all(&text);
        if let Some(lost) = lost_text(&text) {
            prop_assert!(lost.range.end <= lost.of && !lost.range.is_empty());
        }
        for entry in parse(&text).entries {
            prop_assert_eq!(&text[entry.start..entry.start + entry.url.len()], entry.url);
        }
        for cut in cut_urls(&text) {
            prop_assert!(cut.held.is_none_or(|held| held.starts_with(cut.read)));
        }
    }
}
