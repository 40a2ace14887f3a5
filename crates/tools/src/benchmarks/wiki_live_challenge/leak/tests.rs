//! Leaks: spellings of addresses, and copied passages.

use proptest::prelude::*;

use super::*;

fn page(edition: &str, title: &str) -> WikiPage {
    WikiPage {
        edition: edition.to_owned(),
        title: title.to_owned(),
    }
}

#[test]
fn spellings_of_one_page_are_one() {
    let target = page("en", "Lux – a (song)");
    for address in [
        "https://en.wikipedia.org/wiki/Lux_–_a_(song)",
        "http://www.en.wikipedia.org/wiki/Lux_%E2%80%93_a_%28song%29",
        "en.m.wikipedia.org/wiki/Lux_–_a_(song)#Charts",
        "//EN.wikipedia.org:443/wiki/lux__–_a_(song)?oldid=3",
        "https://en.wikipedia.org./wiki/Lux_–_a_\\(song\\)",
        "https://en.wikipedia.org/w/index.php?title=Lux+–_a_(song)&action=history",
        " https://en.wikipedia.org/wiki/Lux%20–%20a%20(song)[5] ",
    ] {
        assert_eq!(WikiPage::at(address).as_ref(), Some(&target), "{address}");
        assert_eq!(nearness(address, &target), Nearness::Target);
    }
}

#[test]
fn composed_and_decomposed_letters_are_one() {
    let composed = WikiPage::at("https://fr.wikipedia.org/wiki/Caf\u{e9}");
    assert_eq!(composed, Some(page("fr", "Caf\u{e9}")));
    let decomposed = WikiPage::at("https://fr.wikipedia.org/wiki/Cafe\u{301}");
    assert_eq!(decomposed, composed);
}

#[test]
fn other_pages_of_wikipedia_are_told_apart() {
    let target = page("en", "Lux");
    for (address, expect) in [
        (
            "https://en.wikipedia.org/wiki/Lux_(unit)",
            page("en", "Lux (unit)"),
        ),
        ("https://de.wikipedia.org/wiki/Lux", page("de", "Lux")),
        (
            "https://en.wikipedia.org/wiki/Draft:Lux",
            page("en", "Draft:Lux"),
        ),
        (
            "https://en.wikipedia.org/wiki/Lux/Old",
            page("en", "Lux/Old"),
        ),
        ("https://zh.wikipedia.org/zh-tw/%E7%9B%90", page("zh", "盐")),
        ("https://www.wikipedia.org", page("", "")),
        ("https://m.wikipedia.org/wiki/Lux", page("", "Lux")),
        ("https://en.wikipedia.org/wiki/%", page("en", "%")),
    ] {
        assert_eq!(WikiPage::at(address), Some(expect), "{address}");
        assert_eq!(nearness(address, &target), Nearness::Wikipedia, "{address}");
    }
}

#[test]
fn other_sites_are_elsewhere() {
    for address in [
        "https://wikipedia.org.example/wiki/Lux",
        "https://notwikipedia.org/wiki/Lux",
        "https://en.wikinews.org/wiki/Lux",
        "https://a.example/?u=https://en.wikipedia.org/wiki/Lux",
        "",
        "not an address",
        "https://",
    ] {
        assert_eq!(WikiPage::at(address), None, "{address}");
        let found = nearness(address, &page("en", "Lux"));
        assert_eq!(found, Nearness::Elsewhere);
    }
    let long = format!("https://en.wikipedia.org/wiki/{}", "x".repeat(MOST_BYTES));
    assert_eq!(WikiPage::at(&long), None);
}

#[test]
fn a_lost_parenthesis_is_put_back() {
    let target = page("en", "Lux (song)");
    let check = |address: &str, expect| assert_eq!(nearness(address, &target), expect, "{address}");
    check(
        "https://en.wikipedia.org/wiki/Lux_\\(song\\",
        Nearness::CutTarget,
    );
    check(
        "https://en.wikipedia.org/wiki/Lux_(song",
        Nearness::CutTarget,
    );
    check(
        "https://de.wikipedia.org/wiki/Lux_(song",
        Nearness::Wikipedia,
    );
    check(
        "https://en.wikipedia.org/wiki/Lux_song",
        Nearness::Wikipedia,
    );
    check("https://en.wikipedia.org/wiki/Lux", Nearness::Wikipedia);
    assert_eq!(
        nearness("https://en.wikipedia.org/wiki/Lux", &page("en", "Lux)")),
        Nearness::Wikipedia
    );
}

#[test]
fn statements_count_by_their_nearest_address() {
    let target = page("en", "Lux (song)");
    let own = "https://en.wikipedia.org/wiki/Lux_(song)";
    let cut = "https://en.wikipedia.org/wiki/Lux_(song";
    let other = "https://fr.wikipedia.org/wiki/Lux";
    let statements: [&[&str]; 5] = [
        &["https://a.example", own, cut],
        &[other, cut],
        &[other],
        &["https://a.example"],
        &[],
    ];
    let mut leakage = Leakage::default();
    for addresses in statements {
        leakage.add(nearest(addresses.iter().copied(), &target));
    }
    let expect = Leakage {
        statements: 5,
        target: 1,
        cut_target: 1,
        wikipedia: 3,
    };
    assert_eq!(leakage, expect);
    assert_eq!(leakage.share(leakage.wikipedia), Some(0.6));
    assert_eq!(Leakage::default().share(0), None);
}

#[test]
fn copied_passages_are_counted() {
    let original =
        Original::of("The old mill at the weir burned down in 1851, and nobody rebuilt it.");
    let check = |text: &str, passages, copied| {
        let expect = Copying { passages, copied };
        assert_eq!(original.copying(text), expect, "{text}");
    };
    // Nine words in a row are two passages, whatever their case and punctuation.
    check("THE OLD MILL — at the weir: burned down in", 2, 2);
    check("Once the old mill at the weir burned down again", 3, 1);
    check("The old mill at the bridge burned down in 1851", 3, 0);
    check("nobody rebuilt it", 0, 0);
    check("", 0, 0);
    let twice = "the old mill at the weir burned down the old mill at the weir burned down";
    check(twice, 9, 2);
    assert_eq!(original.copying("nobody rebuilt it").share(), None);
    assert_eq!(original.copying(twice).share(), Some(2.0 / 9.0));
}

#[test]
fn in_chinese_each_character_is_a_word() {
    let original = Original::of("老磨坊在河堰旁边，一八五一年烧毁了。");
    let copying = original.copying("村里的老磨坊在河堰旁邊，很舊。");
    assert_eq!((copying.passages, copying.copied), (6, 1));
}

#[test]
fn an_unknown_word_is_in_no_passage() {
    let original = Original::of("one two three four five six seven");
    assert_eq!(original.copying("a b c d e f g h").copied, 0);
    assert_eq!(Original::of("").copying("a b c d e f g h").copied, 0);
}

fn cases() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(300)
    }
}

proptest! {
    #![proptest_config(cases())]

    /// Passages are found wherever a search through all of the original finds them.
    #[test]
    fn passages_are_those_of_a_plain_search(
        original in prop::collection::vec("[abAB]", 0..40),
        text in prop::collection::vec("[ab]", 0..30),
    ) {
        let lower: Vec<String> = original.iter().map(|word| word.to_lowercase()).collect();
        let found = |passage: &&[String]| lower.windows(GRAM).any(|other| other == *passage);
        let expect = Copying {
            passages: text.windows(GRAM).count(),
            copied: text.windows(GRAM).filter(found).count(),
        };
        prop_assert_eq!(Original::of(&original.join(", ")).copying(&text.join(" ")), expect);
    }
}
