//! References, citations, sentences.

use proptest::prelude::*;

use crate::benchmarks::wiki_live_challenge::compat::text::{
    split_sentences, strip_citations, strip_references,
};

fn sentences(text: &str, expect: &[&str]) {
    assert_eq!(split_sentences(text), expect, "{text}");
}

#[test]
fn sections_of_references_go_until_the_next_heading() {
    let text =
        "# Kelp\nIt grows.\n## References\n[1] x\n### Legacy\nIt is eaten.\n# SEE ALSO \nFish";
    assert_eq!(
        strip_references(text),
        "# Kelp\nIt grows.\n### Legacy\nIt is eaten."
    );
    for name in [
        "Reference",
        "External links",
        "Further reading",
        "Bibliography",
        "sources",
    ] {
        let text = format!("Kept.\n###### {name}\nGone.");
        assert_eq!(strip_references(&text), "Kept.", "{name}");
    }
}

#[test]
fn only_a_heading_of_exactly_that_name_counts() {
    for text in [
        "## References and more\nx",
        "## 7. References\nx",
        "## References:\nx",
        "#References\nx",
        "####### References\nx",
        "**References**\nx",
        "References\nx",
        "## 参考资料\nx",
    ] {
        assert_eq!(strip_references(text), text);
    }
}

/// Fault 19: whatever stands below *Notes* is lost.
#[test]
fn a_section_of_notes_is_lost_with_its_facts() {
    let text = "## Notes\nThe tide table was printed in 1851.\n## Use\nSailors read it.";
    assert_eq!(strip_references(text), "## Use\nSailors read it.");
}

#[test]
fn groups_of_numbers_go() {
    let check = |text: &str, expect: &str| assert_eq!(strip_citations(text), expect, "{text}");
    check(
        "Salt[1] and iron[2][3], tin [4, 5] .",
        "Salt and iron, tin  .",
    );
    check("  [ 1 ,2]\n", "");
    check("x[１２]", "x");
    check(
        "[a], [1a], [1-3], [], [1,], [^1]",
        "[a], [1a], [1-3], [], [1,], [^1]",
    );
    check("[[7]](u)", "[](u)");
    check("[①] [½] [二]", "[①] [½] [二]");
    check("\u{1f}x\u{a0}", "x");
}

#[test]
fn a_sentence_ends_before_a_capital_a_digit_or_a_bracket() {
    sentences(
        "It rained! Did it? Yes. 12 mm fell. then it stopped. 土 was wet. Ände too.",
        &[
            "It rained!",
            "Did it?",
            "Yes.",
            "12 mm fell. then it stopped. 土 was wet. Ände too.",
        ],
    );
    sentences("One.Two.\nThree", &["One.Two.", "Three"]);
    sentences("She left. [open", &["She left.", "[open"]);
    sentences("Wait... What", &["Wait...", "What"]);
    sentences("He said \"no.\" Then", &["He said \"no.\" Then"]);
    sentences("  \n", &[]);
    sentences("今天下雨。明天晴。", &["今天下雨。明天晴。"]);
}

#[test]
fn initials_end_nothing() {
    sentences("J. Ortiz met É. Blanc.", &["J. Ortiz met É.", "Blanc."]);
    sentences(
        "The U.S. Army and NATO. It",
        &["The U.S. Army and NATO.", "It"],
    );
    sentences("Vitamin C. It helps", &["Vitamin C. It helps"]);
    sentences("Plan B! It works", &["Plan B! It works"]);
    sentences("x_B. It", &["x_B.", "It"]);
    sentences("aB. It", &["aB.", "It"]);
    sentences("B. It", &["B. It"]);
}

/// Fault 19: a link's words go with its address.
#[test]
fn links_go_with_their_labels() {
    sentences(
        "The [old mill](https://mill.example/a) burned[3] down ![plan](p.png). \
         It was [rebuilt][5].",
        &["The burned down .", "It was ."],
    );
    sentences(
        "A [](u) b ](v) c (https://x.example) d (www.y.example) e (f)",
        &["A b c d e (f)"],
    );
    sentences("A [b\nc](d\ne) f", &["A f"]);
    sentences("A [b (c) [d] e](f) g", &["A e g"]);
    sentences("A [b](c", &["A (c"]);
}

#[test]
fn white_space_is_one_space() {
    sentences("A\u{3000}b\u{1e}\u{a0}\n\tc.\n\n# D", &["A b c. # D"]);
}

fn cases() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(400)
    }
}

proptest! {
    #![proptest_config(cases())]

    /// Without brackets nothing is lost but white space, wherever sentences end.
    #[test]
    fn sentences_hold_every_word(text in "[A-C土ß.!? \\n]{0,60}") {
        let words: Vec<&str> = text.split_whitespace().collect();
        prop_assert_eq!(split_sentences(&text).join(" "), words.join(" "));
    }

    /// A second time nothing is left to take.
    #[test]
    fn references_go_once(text in "(# |## |References|Notes|x|\\n){0,20}") {
        let once = strip_references(&text);
        prop_assert_eq!(strip_references(&once), once);
    }
}
