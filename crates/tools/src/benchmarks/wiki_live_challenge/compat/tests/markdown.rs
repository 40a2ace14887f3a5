//! Tidying.

use crate::benchmarks::wiki_live_challenge::compat::markdown::tidy;

fn check(text: &str, expect: &str) {
    assert_eq!(tidy(text).text, expect, "{text}");
}

#[test]
fn headings_get_hashes() {
    check("== Use ==\nx\n ====Trade====", "## Use\nx\n#### Trade");
    check(
        "= A =\n===== B =====\n== C ===\n====",
        "= A =\n===== B =====\n== C ===\n====",
    );
}

#[test]
fn a_first_line_that_repeats_the_title_goes() {
    check("Salt\n\n# Salt\nx", "# Salt\nx");
    check("# Salt\n# Salt\nx", "# Salt\nx");
    check("Iron\n# Salt", "Iron\n# Salt");
    check("Salt\n## Salt", "Salt\n## Salt");
    check("Salt", "Salt");
}

#[test]
fn references_get_brackets() {
    check(
        "1. salt\n## References\n1. x\n[2]y\n3.z\n4) w",
        "1. salt\n## References\n[1] x\n[2] y\n3.z\n4) w",
    );
}

#[test]
fn white_space_shrinks() {
    check("\n a  \n\n\n\nb\t\n", "a\n\nb");
    check("", "");
}

/// Fault 18: the second reference to an address goes, and its number leads nowhere.
#[test]
fn a_second_reference_to_an_address_is_deleted() {
    let text = "Salt [1], iron [3].\n## Sources\n[1] S: https://a.example/x\n\
        [2] T: https://b.example\n[3] U (https://a.example/x)\nhttps://b.example";
    let tidied = tidy(text);
    assert_eq!(
        tidied.text,
        "Salt [1], iron [3].\n## Sources\n[1] S: https://a.example/x\n[2] T: https://b.example"
    );
    assert_eq!(tidied.orphaned, ["3"]);
    let twice = tidy("https://a.example\nhttps://a.example");
    assert_eq!(twice.text, "https://a.example\nhttps://a.example");
}
