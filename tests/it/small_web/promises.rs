//! What the small web promises: pages as described, each as often as it is asked for, and facts
//! that stay apart unless they are the same.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use super::{
    SmallWeb,
    facts::FACTS,
    judge,
    pages::{self, HIDDEN_CODE, Kind, PAGES, facts_of},
    serving::mirrored,
    wire::get,
};

#[test]
fn pages_are_served_as_described() {
    let web = SmallWeb::start();
    let mut with_facts = 0;
    for page in PAGES {
        let answer = get(&web.url, page.path);
        let status = match page.kind {
            Kind::Moved(status, to) => {
                assert_eq!(answer.header("location"), Some(to), "{}", page.path);
                status
            }
            Kind::Stub(status, _) => status,
            _ => 200,
        };
        assert_eq!(answer.status, status, "{}", page.path);
        let facts = facts_of(page);
        assert_eq!(
            facts.is_empty(),
            matches!(page.kind, Kind::Moved(..) | Kind::Stub(..)),
            "{}",
            page.path
        );
        with_facts += usize::from(!facts.is_empty());
        let text = if facts.is_empty() {
            String::new()
        } else {
            answer.text()
        };
        let is_mirror = !facts.is_empty() && facts[0].path != page.path;
        for fact in facts {
            let sentence = if is_mirror {
                mirrored(fact.sentence)
            } else {
                fact.sentence.to_owned()
            };
            assert!(
                text.lines().any(|line| line == sentence),
                "{}: {sentence}\n{text}",
                page.path
            );
        }
        assert!(!text.contains(HIDDEN_CODE));
    }
    assert!(with_facts >= 32, "{with_facts}");
    let once: BTreeMap<String, usize> =
        PAGES.iter().map(|page| (page.path.to_owned(), 1)).collect();
    assert_eq!(web.hits(), once);
}

#[test]
fn encodings_differ_in_their_bytes() {
    let web = SmallWeb::start();
    let charsets: BTreeSet<&str> = PAGES
        .iter()
        .filter_map(|page| match page.kind {
            Kind::Html(html) => Some(html.charset),
            _ => None,
        })
        .collect();
    assert_eq!(
        charsets,
        BTreeSet::from(["gb18030", "utf-8", "windows-1252"])
    );
    assert!(
        get(&web.url, "/soil/clay-plots")
            .source()
            .contains("d’Orée")
    );
    assert!(
        get(&web.url, "/harbour/quay-noise")
            .source()
            .contains("Malmö")
    );
    assert!(get(&web.url, "/tea/frost").source().contains("倒春寒"));
}

#[test]
fn orders_stand_on_two_pages() {
    let web = SmallWeb::start();
    let letter = get(&web.url, "/soil/open-letter");
    assert!(letter.text().contains(judge::ORDERS[0]));
    let weeds = get(&web.url, "/tea/weeds");
    assert!(weeds.source().contains(judge::ORDERS[1]) && weeds.source().contains(HIDDEN_CODE));
    assert!(!weeds.text().contains(judge::ORDERS[1]));
}

#[test]
fn pages_vanish_and_requests_are_counted() {
    let web = SmallWeb::start();
    for path in [
        "/tea/pests?utm_source=x",
        "/tea/pests",
        "/robots.txt",
        "/nowhere",
    ] {
        get(&web.url, path);
    }
    assert_eq!(
        web.hits(),
        BTreeMap::from([("/nowhere".to_owned(), 1), ("/tea/pests".to_owned(), 2)])
    );
    web.remove("/tea/pests");
    assert_eq!(
        (
            get(&web.url, "/tea/pests").status,
            get(&web.url, "/tea/pests-mirror").status
        ),
        (404, 200)
    );
    assert_eq!(
        (
            get(&web.url, "/nowhere").status,
            get(&web.url, "/robots.txt").status
        ),
        (404, 200)
    );
    assert_eq!(get(&SmallWeb::start().url, "/tea/pests").status, 200);
}

#[test]
fn a_slow_page_takes_its_time() {
    let web = SmallWeb::start();
    let started = Instant::now();
    assert_eq!(get(&web.url, "/harbour/tides").status, 200);
    assert!(started.elapsed().as_millis() >= 1_500);
}

#[test]
fn facts_are_sentences_with_one_value() {
    let codes: BTreeSet<&str> = FACTS.iter().map(|fact| fact.code).collect();
    assert_eq!(codes.len(), FACTS.len());
    for fact in FACTS {
        let words = fact.sentence.split(' ').count();
        let han = fact.sentence.chars().filter(|c| is_han(*c)).count();
        assert!(words >= 12 || han >= 24, "{}", fact.sentence);
        let (before, after) = fact.sentence.split_once(fact.code).expect("the code");
        assert!(
            !before.contains(|c: char| c.is_ascii_digit()),
            "{}",
            fact.sentence
        );
        assert_eq!(numbers(after), [fact.value], "{}", fact.sentence);
        assert!(matches!(
            pages::find(fact.path).expect("a page").kind,
            Kind::Html(_) | Kind::Text(_) | Kind::Pdf { .. }
        ));
    }
    assert!(!codes.contains(HIDDEN_CODE) && !codes.contains("H-99"));
}

#[test]
fn only_mirrors_are_alike() {
    let all: Vec<BTreeSet<Vec<String>>> =
        FACTS.iter().map(|fact| shingles(fact.sentence)).collect();
    let mut most: f64 = 0.0;
    for (at, a) in all.iter().enumerate() {
        most = all[..at].iter().map(|b| jaccard(a, b)).fold(most, f64::max);
        let copy = mirrored(FACTS[at].sentence);
        assert!(jaccard(a, &shingles(&copy)) > 0.99, "{copy}");
        assert!(
            copy != FACTS[at].sentence && numbers(&copy) == numbers(FACTS[at].sentence),
            "{copy}"
        );
    }
    assert!(most < 0.2, "{most}");
}

fn is_han(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

/// The numbers in a text, in their order.
pub fn numbers(text: &str) -> Vec<&str> {
    let pieces = text
        .split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .map(|piece| piece.trim_matches('.'));
    pieces.filter(|piece| !piece.is_empty()).collect()
}

fn shingles(text: &str) -> BTreeSet<Vec<String>> {
    let spaced: String = text
        .chars()
        .map(|c| {
            if is_han(c) {
                format!(" {c} ")
            } else {
                c.to_string()
            }
        })
        .collect();
    let tokens: Vec<String> = spaced
        .split(|c: char| !c.is_alphanumeric())
        .filter(|token| !token.is_empty())
        .map(str::to_lowercase)
        .collect();
    tokens.windows(3).map(<[String]>::to_vec).collect()
}

fn jaccard(a: &BTreeSet<Vec<String>>, b: &BTreeSet<Vec<String>>) -> f64 {
    a.intersection(b).count() as f64 / a.union(b).count() as f64
}
