//! The six notations, the clean text, numbers without an address.

use crate::benchmarks::wiki_live_challenge::compat::citations::{
    Format, Notation, Validation, clean, detect_format, parse, validate,
};

fn check(text: &str, notation: Option<Notation>, expect: &[(&str, &str)]) {
    let found = parse(text);
    let entries: Vec<(&str, &str)> = found.entries.iter().map(|e| (e.number, e.url)).collect();
    assert_eq!((found.notation, &*entries), (notation, expect), "{text}");
}

fn list(notation: Notation, lines: &str, expect: &[(&str, &str)]) {
    check(
        &format!("Salt [1].\n## References\n{lines}"),
        Some(notation),
        expect,
    );
}

#[test]
fn one_inline_links_win_over_a_list() {
    check(
        "Salt [[2](https://a.example/x)] and [[1](http://b.example)].\n\
         ## References\n[3] https://c.example",
        Some(Notation::Inline),
        &[("2", "https://a.example/x"), ("1", "http://b.example")],
    );
    check(
        "[[1](note)] [[x](https://a.example)] [1](https://a.example)",
        None,
        &[],
    );
    check(
        "[[[4](https://a.example)]",
        Some(Notation::Inline),
        &[("4", "https://a.example")],
    );
    check(
        "[[5](https://a.example/[[6](https://b.example)",
        Some(Notation::Inline),
        &[("5", "https://a.example/[[6](https://b.example")],
    );
}

#[test]
fn two_numbers_above_an_address_all_get_it() {
    list(
        Notation::TwoLines,
        "[1][2] Salt\n  https://a.example/x \n[3]\nhttps://b.example",
        &[
            ("1", "https://a.example/x"),
            ("2", "https://a.example/x"),
            ("3", "https://b.example"),
        ],
    );
    list(
        Notation::Address,
        "[1] a\n\nhttps://a.example\n[2] https://b.example",
        &[("2", "https://b.example")],
    );
}

/// Addresses that have their number behind them are read as numbers above an address: each gets
/// the next one's, and every second address is lost. The stored articles have it so.
#[test]
fn numbers_behind_addresses_lead_to_the_wrong_one() {
    list(
        Notation::TwoLines,
        "https://a.example[1]\n\x20https://b.example[2]\n\
         \x20https://c.example[3]\nhttps://d.example[4]\n",
        &[("1", "https://b.example[2]"), ("3", "https://d.example[4]")],
    );
}

#[test]
fn three_an_address_follows_its_number() {
    list(
        Notation::Address,
        "[1] https://a.example/x and more\n [2]  http://b.example).\n\
         [3]https://c.example\n[4] see https://d.example",
        &[("1", "https://a.example/x"), ("2", "http://b.example).")],
    );
}

#[test]
fn four_an_address_follows_a_colon() {
    list(
        Notation::Colon,
        "[1] Salt: a history: https://a.example/x\n[2] URL: http://b.example\n\
         [3] Iron, https://c.example",
        &[("1", "https://a.example/x"), ("2", "http://b.example")],
    );
}

#[test]
fn five_an_address_stands_in_parentheses() {
    list(
        Notation::Parentheses,
        "[1] Salt (1851), [https://a.example/x\\_y](https://a.example/x_y)\n\
         \\[2\\] Iron (http://b.example/p q)\n[3] Tin (c.example)",
        &[
            ("1", "https://a.example/x_y"),
            ("2", "http://b.example/p q"),
        ],
    );
}

#[test]
fn six_numbered_links() {
    list(
        Notation::NumberedLink,
        "1. [Salt](https://a.example)\n 22.[Iron](http://b.example/x)\n\
         3) [Tin](https://c.example)\n. [Zinc](https://d.example)",
        &[("1", "https://a.example"), ("22", "http://b.example/x")],
    );
}

#[test]
fn a_number_keeps_its_place_and_gets_its_last_address() {
    list(
        Notation::Address,
        "[2] https://a.example\n[1] https://b.example\n[2] https://c.example",
        &[("2", "https://c.example"), ("1", "https://b.example")],
    );
}

/// Fault 17: what is written in another notation is lost.
#[test]
fn a_mixed_list_loses_entries() {
    let lines = "[1] Salt: https://a.example\n[2] https://b.example\n3. [Tin](https://c.example)";
    list(Notation::Address, lines, &[("2", "https://b.example")]);
}

#[test]
fn without_a_list_nothing_is_read() {
    check("[1] https://a.example", None, &[]);
    check("[1] https://a.example\n## Sources\n[1] a book", None, &[]);
    check("", None, &[]);
}

/// Fault 16: a closing parenthesis ends an address.
#[test]
fn addresses_are_cut_at_parentheses() {
    check(
        "Salt [[1](https://a.example/S_(salt)_x)].",
        Some(Notation::Inline),
        &[("1", "https://a.example/S_(salt")],
    );
    list(
        Notation::Address,
        "[1] https://a.example/S_(salt)\n[2] https://a.example/S_(salt)_x",
        &[
            ("1", "https://a.example/S_(salt"),
            ("2", "https://a.example/S_(salt)_x"),
        ],
    );
    list(
        Notation::Colon,
        "[1] S: https://a.example/(s))",
        &[("1", "https://a.example/(s")],
    );
    list(
        Notation::Parentheses,
        "[1] S (https://a.example/S_\\(s\\))",
        &[("1", "https://a.example/S_\\(s\\")],
    );
    list(
        Notation::NumberedLink,
        "1. [S](https://a.example/S_(s))",
        &[("1", "https://a.example/S_(s")],
    );
    list(
        Notation::TwoLines,
        "[1]\nhttps://a.example/S_(s)",
        &[("1", "https://a.example/S_(s)")],
    );
}

#[test]
fn the_clean_text_has_no_marks() {
    let text = "\n# Salt\n\n\n\nIt[1] is   white [12] .\n\t[1, 2] [x]\n## References\n[1] a";
    assert_eq!(clean(text), "# Salt\n\nIt is white .\n\t[1, 2] [x]");
    assert_eq!(clean("Salt[1] [2]  \n \n \nIron"), "Salt \n \n \nIron");
    assert_eq!(
        clean("a [[1](https://a.example)]"),
        "a [(https://a.example)]"
    );
}

/// Fault 15: what follows a line that ends with the word is no text of the article any more.
#[test]
fn the_clean_text_ends_at_a_bare_word() {
    let text = "Salt is old.\nThe guild kept its sources\nand sold salt.";
    assert_eq!(clean(text), "Salt is old.\nThe guild kept its");
}

#[test]
fn numbers_are_valid_missing_or_unused() {
    let text = "b[3] a[1][7] c[1].\n## References\n[1] https://a.example\n\
        [2] https://b.example\n[3] https://c.example\n[4] https://d.example";
    let owned = |numbers: &[&str]| numbers.iter().map(|&n| n.to_owned()).collect();
    let expect = Validation {
        valid: owned(&["3", "1"]),
        missing: owned(&["7"]),
        unused: owned(&["2", "4"]),
    };
    assert_eq!(validate(text), expect);
    let none = validate("a[2] b[1]");
    assert_eq!((none.valid.len(), none.missing), (0, owned(&["2", "1"])));
}

#[test]
fn a_format_is_told_by_its_references() {
    for (lines, expect) in [
        (
            "[1] S \\- W, accessed May 1, 2025, [https://a.example](https://a.example)",
            Format::Gemini,
        ),
        ("[1] https://a.example", Format::Doubao),
        ("[1] S: https://a.example", Format::Langchain),
        ("1. [S](https://a.example)", Format::Standard),
        ("[1]\nhttps://a.example", Format::Standard),
        ("[1] S", Format::Unknown),
    ] {
        assert_eq!(
            detect_format(&format!("## References\n{lines}")),
            expect,
            "{lines}"
        );
    }
    assert_eq!(Format::Gemini.word(), "gemini");
}
