//! Articles of strangers: places are places whatever they hold, and twice as long a text takes
//! twice as much.

use proptest::prelude::*;

use super::*;
use crate::text::steps;

const PARTS: &[&str] = &[
    "The legendary town is in the north. ",
    "currently ",
    "some critics said ",
    "is widely regarded as ",
    "as of 2024 ",
    "12 May ",
    "4,210",
    "1.5 million ",
    "“",
    "”",
    "\"",
    "'",
    "’",
    "*",
    "**",
    "_",
    "\n",
    "\n\n",
    "# ",
    "## Plot\n",
    "## See also\n",
    "# A / B\n",
    "- ",
    "> ",
    "| a |",
    "|---|\n",
    "[1]",
    "[x](https://a.org)",
    "(Reed, 2019)",
    "## References\n",
    "[1] A. https://a.org\n",
    "`",
    "```\n",
    "城",
    "万",
    "é",
    "\u{301}",
    "😀",
    "\r\n",
    "\u{a0}",
    ". ",
    "-",
    "99999999999999999999999999999",
    "1.",
];

proptest! {
    #[test]
    fn findings_are_places(parts in prop::collection::vec(prop::sample::select(PARTS), 0..60)) {
        let article = parts.concat();
        let chars: Vec<char> = article.chars().collect();
        let found = check(&article);
        for finding in found.findings() {
            prop_assert!(finding.start < finding.end, "{finding:?}");
            let words: String = chars[finding.start..finding.end].iter().take(200).collect();
            prop_assert_eq!(&words, &finding.words);
            let breaks = chars[..finding.start].iter().filter(|c| **c == '\n').count();
            prop_assert_eq!(finding.line, breaks + 1);
        }
        for (_, outcome) in &found.kinds {
            let findings = outcome.findings().unwrap_or_default();
            prop_assert!(findings.is_sorted_by_key(|finding| finding.start));
        }
    }
}

#[test]
fn hostile_articles_take_linear_time() {
    let shapes = [
        "legendary ",
        "upcoming is ",
        "one of the most ",
        "the the the ",
        "is widely regarded as by ",
        "“",
        "*!",
        "'a",
        "12 May ",
        "1,",
        "# a\n",
        "## Plot\n### a\nthe town is in it\n",
        "- a\n",
        "[1] ",
        "城",
        "|",
        "as of ",
        "according to ",
    ];
    for shape in shapes {
        let article = |length: usize| {
            let start = "# T\n\nThe town is in the north of the county.\n\n";
            format!("{start}{}", shape.repeat(length / shape.len()))
        };
        let taken = |length: usize| steps::taken_by(|| check(&article(length))).1;
        let (once, twice) = (taken(40_000), taken(80_000));
        assert!(twice <= once * 5 / 2 + 1_000, "{shape}: {once} and {twice}");
    }
}
