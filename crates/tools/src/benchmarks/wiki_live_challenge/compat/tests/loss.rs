//! What is lost.

use crate::benchmarks::wiki_live_challenge::compat::{
    citations::clean,
    loss::{cut_urls, lost_text},
};

fn lost(text: &str) -> Option<String> {
    let lost = lost_text(text)?;
    let chars: Vec<char> = text.chars().collect();
    assert_eq!(lost.of, chars.len());
    Some(chars[lost.range].iter().collect())
}

#[test]
fn text_behind_a_word_of_the_text_is_lost() {
    let text = "盐很老。\nThe guild kept its sources\nand sold salt.\n[1] is no list.";
    let rest = "sources\nand sold salt.\n[1] is no list.";
    assert_eq!(lost(text).as_deref(), Some(rest));
    assert_eq!(clean(text), "盐很老。\nThe guild kept its");
    let share = lost_text(text).map(|lost| lost.share()).unwrap();
    let expect = rest.len() as f64 / text.chars().count() as f64;
    assert!((share - expect).abs() < 1e-12, "{share}");
}

#[test]
fn text_is_lost_up_to_a_list_that_the_benchmark_does_not_see() {
    let text = "# Salt\nOld.\n### Historical sources\nMonks wrote.\n\
        ## 9. References\n1. https://a.example";
    assert_eq!(lost(text).as_deref(), Some("sources\nMonks wrote."));
    let text = "Its cultural references\nare many.\n__Sources__\n[1] a";
    assert_eq!(lost(text).as_deref(), Some("references\nare many."));
}

#[test]
fn a_list_loses_nothing() {
    for list in [
        "## References\n[1] a",
        "## References\nThese were read in May.\n\n[1] a",
        "##### Sources\n* a book",
        "**Citations:**\nhttps://a.example",
        "Sources:\n\n1. a book",
        "参考资料\n[1] 书",
    ] {
        assert_eq!(lost(&format!("Salt.\n{list}")), None, "{list}");
    }
    assert_eq!(lost("Salt."), None);
}

#[test]
fn a_heading_without_entries_is_text() {
    let text = "Salt.\n## Sources\nMonks dug it.";
    assert_eq!(lost(text).as_deref(), Some("## Sources\nMonks dug it."));
    let text = "Salt.\nSources:\nMonks dug it.\n- a";
    assert_eq!(lost(text).as_deref(), Some("Sources:\nMonks dug it.\n- a"));
}

fn cuts(text: &str) -> Vec<(String, Option<String>)> {
    let text = format!("Salt.\n## References\n{text}");
    let cuts = cut_urls(&text).into_iter();
    cuts.map(|cut| (cut.read.to_owned(), cut.whole())).collect()
}

fn cut(text: &str, read: &str, whole: Option<&str>) {
    let expect = (read.to_owned(), whole.map(str::to_owned));
    assert_eq!(cuts(text), [expect], "{text}");
}

#[test]
fn what_the_text_holds_behind_the_cut_is_told() {
    cut(
        "[1] S ([x](https://a.example/S_\\(salt\\)_y\\_z))",
        "https://a.example/S_\\(salt\\",
        Some("https://a.example/S_(salt)_y_z"),
    );
    cut(
        "[1] https://a.example/S_(salt) b",
        "https://a.example/S_(salt",
        Some("https://a.example/S_(salt)"),
    );
    cut(
        "[1] S: https://a.example/((s)t))",
        "https://a.example/((s)t",
        Some("https://a.example/((s)t)"),
    );
    cut(
        "1. [S](https://a.example/(s)/t) u (v)",
        "https://a.example/(s",
        Some("https://a.example/(s)/t"),
    );
    cut(
        "[1] S (https://a.example/s\\)t)",
        "https://a.example/s\\",
        Some("https://a.example/s)t"),
    );
    let inline = "盐[[1](https://a.example/S_(s))] [[2](https://b.example)]";
    let found = cut_urls(inline);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].number, "1");
    assert_eq!(found[0].held, Some("https://a.example/S_(s)"));
}

#[test]
fn an_address_that_the_text_cuts_has_no_more() {
    cut(
        "[1] https://a.example/S_\\(salt\\",
        "https://a.example/S_\\(salt\\",
        None,
    );
    cut(
        "[1] S (https://a.example/(s) b",
        "https://a.example/(s",
        None,
    );
}

#[test]
fn whole_addresses_are_not_told() {
    assert_eq!(
        cuts("[1] S (https://a.example/x)\n[2] S (https://a.example/y\\_z)"),
        []
    );
    assert_eq!(
        cuts("[1] https://a.example/(s)_t\n[2] https://b.example)."),
        []
    );
    assert_eq!(cuts("[1]\nhttps://a.example/S_(s)"), []);
}
