//! Lists of references: under which names, in which forms, and what is wrong with their entries.

use super::*;

/// What the mark [1] leads to under a heading and an entry.
fn check_entry(heading: &str, entry: &str, expect: &str) {
    let report = format!("Hard [1].\n\n{heading}\n\n{entry}\n");
    let found = parse(&report);
    assert_eq!(
        found.citations.first().map(told).as_deref(),
        Some(expect),
        "\n{report}\n"
    );
    assert_eq!(found.citations.len(), 1, "\n{report}\n");
}

#[test]
fn lists_have_many_names() {
    for heading in [
        "# References",
        "###### Sources",
        "## Bibliography",
        "## Works Cited",
        "### Citations:",
        "## Further reading",
        "**References**",
        "**Sources:**",
        "Sources:",
        "References\n==========",
        "## 7. References",
        "# 参考文献",
        "## 参考资料",
        "### 引用",
        "**来源**",
        "## 资料来源：",
        "## 八、参考链接",
        "参考文献：",
        "## 参考文献（References）",
    ] {
        check_entry(
            heading,
            "1. Winds. https://a.org/x",
            "numbered 1 #0 https://a.org/x",
        );
    }
}

#[test]
fn entries_have_many_forms() {
    let expect = "numbered 1 #0 https://a.org/x";
    for entry in [
        "[1] Winds. https://a.org/x",
        "(1) Winds. https://a.org/x",
        "1) Winds: https://a.org/x",
        "1、风。https://a.org/x。",
        "【1】风，https://a.org/x",
        "［1］风。网址：https://a.org/x",
        "- [1] Winds. <https://a.org/x>",
        "- Winds. https://a.org/x",
        "Winds. https://a.org/x",
        "¹ Winds. https://a.org/x",
        "1. [Winds](https://a.org/x)",
        "[1](https://a.org/x) Winds",
        "[1]: https://a.org/x",
        "**[1]** *Winds*. https://a.org/x.",
        "1. Winds.\nhttps://a.org/x",
        "1. Winds.\n   https://a.org/x",
        "1. Winds.\n\n   https://a.org/x",
        "1. Winds.\n   - URL: https://a.org/x",
        "[1] Winds.\nAvailable at: https://a.org/x",
        "| # | Title | URL |\n|---|---|---|\n| 1 | Winds | https://a.org/x |",
        "[^1]: Winds. https://a.org/x",
        "> [1] Winds. https://a.org/x",
        "1. ![i](https://i.org/favicon.ico) [Winds](https://a.org/x)",
        "1. Winds. doi:10.1000/x. https://a.org/x",
        "* 1. Winds https://a.org/x/",
    ] {
        check_entry("## References", entry, expect);
    }
    check_entry(
        "## References",
        "1. Winds. doi:10.1000/xyz.",
        "numbered 1 #0 https://doi.org/10.1000/xyz",
    );
    check_entry(
        "## References",
        "1. Winds. arXiv:2301.00001 [cs.CL]",
        "numbered 1 #0 https://arxiv.org/abs/2301.00001",
    );
    check_entry(
        "## References",
        "1. Winds. arXiv preprint arXiv:2301.00001.",
        "numbered 1 #0 https://arxiv.org/abs/2301.00001",
    );
    check_entry("---", "[1] Winds. https://a.org/x", expect);
}

#[test]
fn entries_say_what_is_wrong_with_them() {
    check_entry(
        "## References",
        "1. Said at dinner.",
        "numbered 1 #0 no_url",
    );
    check_entry(
        "## References",
        "1. Winds. https://a.org/...",
        "numbered 1 #0 truncated_url",
    );
    check_entry(
        "## References",
        "1. [Winds](URL)",
        "numbered 1 #0 placeholder_url",
    );
    check_entry(
        "## References",
        "1. Winds. https://a.org/x?gclid=1",
        "numbered 1 #0 https://a.org/x tracking_removed",
    );
    check(
        "Hard [1].\n\n## Sources\n\n1. A https://a.org/x\n1. B https://b.org/y",
        &[
            "numbered 1 #0 https://a.org/x duplicate_number",
            "reference_only 1 #1 https://b.org/y uncited_entry duplicate_number",
        ],
    );
    check(
        "Hard [1], [2].\n\n## Sources\n\n1. A https://a.org/x\n2. B https://a.org/x/",
        &[
            "numbered 1 #0 https://a.org/x",
            "numbered 2 #1 https://a.org/x duplicate_url",
        ],
    );
}

#[test]
fn what_is_only_listed_is_told_too() {
    check(
        "Hard.\n\n## 参考资料\n\n[1] 风 https://a.org/x",
        &["reference_only 1 #0 https://a.org/x uncited_entry"],
    );
    check(
        "[Hard](https://a.org/x).\n\n## Sources\n\n- Winds https://a.org/x",
        &["link Hard #0 https://a.org/x"],
    );
    check(
        "Hard [1].\n\n## Sources\n\n1. Winds https://a.org/x, also https://b.org/y and https://a.org/x",
        &[
            "numbered 1 #0 https://a.org/x",
            "reference_only 1 #0 https://b.org/y",
        ],
    );
    let entry = parse("Hard.\n\n## Sources\n\n1. Winds")
        .references
        .remove(0);
    assert_eq!(entry.diagnosis, [Diagnosis::UncitedEntry, Diagnosis::NoUrl]);
}

#[test]
fn lists_without_numbers_count_as_they_stand() {
    check(
        "Hard [2].\n\n## Sources\n\n- A https://a.org/x\n- B https://b.org/y",
        &[
            "numbered 2 #1 https://b.org/y",
            "reference_only #0 https://a.org/x uncited_entry",
        ],
    );
    check(
        "Hard [S2].\n\n## Sources\n\n[S2] A https://a.org/x",
        &["numbered S2 #0 https://a.org/x"],
    );
}

#[test]
fn sections_end_where_others_begin() {
    check(
        "Hard [1].\n\n## References\n\n1. A https://a.org/x\n\n## Appendix\n\n1. Step one, see https://b.org/y",
        &["numbered 1 #0 https://a.org/x", "bare https://b.org/y"],
    );
    check(
        "Hard [1].\n\n**Sources**\n\n1. A https://a.org/x\n\nMore in [B](https://b.org/y).\n\n2. C",
        &["numbered 1 #0 https://a.org/x", "link B https://b.org/y"],
    );
}

#[test]
fn addresses_are_counted_in_the_order_of_the_text() {
    let found = parse(
        "[b](https://b.org/y) [1] [b](https://b.org/y/)\n\n## Sources\n\n1. A https://a.org/x\n2. C https://c.org/z",
    );
    assert_eq!(
        found.urls(),
        [
            ("https://b.org/y", 2),
            ("https://a.org/x", 1),
            ("https://c.org/z", 0)
        ]
    );
}

#[test]
fn sections_are_told_with_their_places_and_levels() {
    let report = "甲[1]\n```\n## Sources\n```\n## 参考文献\n### Sources\n1. T\n# End\n**Links**\n";
    let found: Vec<(String, usize)> = sections(report)
        .iter()
        .map(|section| (cut(report, section.start, section.end), section.level))
        .collect();
    let expect = [
        ("## 参考文献\n", 2),
        ("### Sources\n1. T\n", 3),
        ("**Links**\n", 7),
    ];
    assert_eq!(found, expect.map(|(text, level)| (text.to_owned(), level)));
}
