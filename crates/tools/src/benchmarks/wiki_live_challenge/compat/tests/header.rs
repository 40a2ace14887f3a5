//! Where the references begin.

use crate::benchmarks::wiki_live_challenge::compat::header::{Form, find};

fn check(text: &str, expect: Option<(Form, &str, &str)>) {
    let found = find(text).map(|header| {
        let before = &text[..header.start];
        (header.form, before, &text[header.end..])
    });
    assert_eq!(found, expect, "{text}");
}

#[test]
fn a_heading_stands_alone_on_its_line() {
    for heading in [
        "# References",
        "####Sources:",
        "##  CITATIONS ： ",
        "## 参考资料",
    ] {
        let text = format!("Salt.\n{heading}\n[1] x");
        check(&text, Some((Form::Heading, "Salt.\n", "[1] x")));
    }
    check("## References and notes\nx", None);
    check("## References", Some((Form::Heading, "", "")));
}

#[test]
fn bold_and_bare_words_come_after_headings() {
    for bold in [
        "**References**",
        "**Sources:**",
        "**参考资料**：",
        "**citations** :",
    ] {
        let text = format!("Salt.\n{bold}\nx");
        check(&text, Some((Form::Bold, "Salt.\n", "x")));
    }
    check(
        "Sources:\n**Sources**\na\n## Sources\nx",
        Some((Form::Heading, "Sources:\n**Sources**\na\n", "x")),
    );
    check(
        "a\nSources:\n**Sources**\nx",
        Some((Form::Bold, "a\nSources:\n", "x")),
    );
}

/// Fault 15: any line that ends with the word will do.
#[test]
fn a_bare_word_counts_at_the_end_of_any_line() {
    check(
        "Salt.\nThe guild kept its sources\nand sold them.",
        Some((Form::Bare, "Salt.\nThe guild kept its ", "and sold them.")),
    );
    check(
        "a\n##### References \nx",
        Some((Form::Bare, "a\n##### ", "x")),
    );
    check("更多参考资料：\nx", Some((Form::Bare, "更多", "x")));
    check("The sources dried up.\nx", None);
    check("Water resources\nx", None);
    check("Sources (3)\nx", None);
    check("", None);
}
