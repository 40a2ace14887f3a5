//! The doctor: each finding has a healthy twin that has none.

use serde_json::{Value, json};

use super::samples::{article_value, read_broken};
use crate::benchmarks::wiki_live_challenge::{
    doctor::{
        Counts, Finding, Kind, Place, Stub, check_article, check_layout, counts, is_cut, marks,
        stub,
    },
    files::{ArticleFile, MarkdownFile},
    layout::{FileKind, Layout},
};

fn healthy() -> Value {
    let mut value = article_value();
    let page = value.pointer_mut("/query/pages/4711").unwrap();
    page["citation_urls"] = json!({"1": "https://bridges.test/ölten"});
    page["statements"].as_array_mut().unwrap().truncate(1);
    page["citation_contents"]
        .as_object_mut()
        .unwrap()
        .shift_remove("2");
    value
}

fn check(markdown: Option<&str>, value: &Value) -> (Vec<Finding>, Counts) {
    let file: ArticleFile = read_broken(value);
    let markdown = markdown.map(|text| MarkdownFile {
        text: text.to_owned(),
    });
    check_article(
        &Place::article("wren", "Bridge"),
        markdown.as_ref(),
        Some(&file),
    )
}

/// Kinds of findings after a change to the healthy article's page.
fn found(change: impl FnOnce(&mut Value)) -> Vec<&'static str> {
    let mut value = healthy();
    change(value.pointer_mut("/query/pages/4711").unwrap());
    let (findings, _) = check(None, &value);
    findings.iter().map(|finding| finding.kind.word()).collect()
}

#[test]
fn a_healthy_article_has_no_finding() {
    assert_eq!(check(Some("It is long [1]."), &healthy()).0, []);
    assert_eq!(found(|_| ()), [""; 0]);
}

#[test]
fn findings_of_the_sample_with_their_places() {
    let (findings, found) = check(
        Some("Built in 1894 [1]. 绿色 [3]. Long [1, 2]."),
        &article_value(),
    );
    let told: Vec<(&str, Option<&str>)> = findings
        .iter()
        .map(|finding| (finding.kind.word(), finding.place.field.as_deref()))
        .collect();
    assert_eq!(
        told,
        [
            ("fetch_failed", Some("citation_contents.2")),
            ("number_without_url", Some("statements[2]")),
            ("cut_url", Some("citation_urls.2")),
            ("unused_url", Some("citation_urls.4")),
            ("page_not_stored", Some("citation_urls.4")),
            ("mark_without_url", None),
        ]
    );
    let mark = Kind::MarkWithoutUrl {
        number: "3".to_owned(),
        offset: 22,
    };
    assert_eq!(findings[5].kind, mark);
    assert_eq!(
        found,
        Counts {
            articles: 1,
            statements: 4,
            no_ref: 1,
            urls: 3,
            pages: 2,
            fetch_errors: 1,
            words: 9,
            ..Counts::default()
        }
    );
    let text = findings[2].to_string();
    assert!(text.starts_with("agency `wren`, article `Bridge`, field `citation_urls.2`: cut at"));
    assert!(
        findings
            .iter()
            .all(|finding| finding.to_string().contains("\nhint: "))
    );
    assert_eq!(counts(&findings).values().sum::<usize>(), 6);
}

#[test]
fn each_finding_by_its_cause() {
    assert_eq!(
        found(|page| page["extract"] = json!(" …\n")),
        ["empty_article"]
    );
    assert_eq!(
        found(|page| page["statements"][0]["fact"] = json!(" ")),
        ["no_text"]
    );
    let none = found(|page| page["statements"] = json!([]));
    assert_eq!(none, ["no_statements", "unused_url"]);
    let number = found(|page| page["statements"][0]["ref_idx"] = json!(["1", 9]));
    assert_eq!(number, ["number_without_url"]);
    let empty = found(|page| page["citation_urls"]["1"] = json!(" "));
    assert_eq!(empty, ["number_without_url"]);
    let short = found(|page| page["citation_contents"]["1"]["content"] = json!("长".repeat(100)));
    assert_eq!(short, ["short_page"]);
    let enough = found(|page| page["citation_contents"]["1"]["content"] = json!("长".repeat(101)));
    assert_eq!(enough, [""; 0]);
    let older = found(|page| {
        let contents = page
            .as_object_mut()
            .unwrap()
            .shift_remove("citation_contents")
            .unwrap();
        page["url_contents"] = contents;
    });
    assert_eq!(older, [""; 0]);
}

#[test]
fn pages_of_the_envelope() {
    let mut value = healthy();
    let page = value["query"]["pages"]["4711"].clone();
    value["query"]["pages"]["4712"] = page;
    assert_eq!(check(None, &value).0[0].kind, Kind::SeveralPages);
    value["query"]["pages"] = json!({});
    let kinds: Vec<Kind> = check(None, &value)
        .0
        .into_iter()
        .map(|finding| finding.kind)
        .collect();
    assert_eq!(kinds, [Kind::EmptyArticle, Kind::NoPage]);
}

#[test]
fn statements_before_stubs_alone_are_counted() {
    let blocked = format!(
        "Just a moment... {}",
        "Please wait for the test to end. ".repeat(5)
    );
    let mut value = healthy();
    let page = value.pointer_mut("/query/pages/4711").unwrap();
    page["citation_contents"]["1"]["content"] = json!(blocked);
    let (findings, counted) = check(None, &value);
    assert_eq!((counted.stubs, counted.only_stubs), (1, 1));
    assert!(matches!(
        findings[0].kind,
        Kind::StubPage {
            stub: Stub::Blocked,
            ..
        }
    ));
    let page = value.pointer_mut("/query/pages/4711").unwrap();
    page["citation_urls"]["2"] = json!("https://b.test");
    page["statements"][0]["ref_idx"] = json!(["1", "2"]);
    page["citation_contents"]["2"] = json!({"content": "The bridge is long and green. ".repeat(9)});
    assert_eq!(check(None, &value).1.only_stubs, 0, "another page is there");
}

const FILL: &str = "The company that built it went bankrupt in 1901, and the town took the bridge \
                    over, which it has kept in repair since then at its own cost. ";

#[test]
fn stubs_and_pages_that_only_look_so() {
    let is = |title: &str, content: &str| stub(title, content);
    let blocked = "# Sorry\n\nYou’ve been **blocked** by our guard. Write to us, please.";
    assert_eq!(is("", &blocked.replace("**", "")), Some(Stub::Blocked));
    let gone = format!("We are sorry. The page you're looking for has left. {FILL}");
    assert_eq!(is("", &gone), Some(Stub::NotFound));
    assert_eq!(
        is("404 Not Found – Town", &FILL.repeat(2)),
        Some(Stub::NotFound)
    );
    assert_eq!(
        is("", &format!("# Access denied\n\n{FILL}")),
        Some(Stub::Blocked)
    );
    assert_eq!(
        is("", &format!("人机验证：{}", "请拖动。".repeat(40))),
        Some(Stub::Blocked)
    );
    // Long pages, and short ones that speak of such things further on.
    assert_eq!(is("", &(gone.clone() + &FILL.repeat(12))), None);
    assert_eq!(is("", &format!("{}{gone}", FILL.repeat(4))), None);
    let film = format!("The film “Access Denied” had its first night in Ölten. {FILL}");
    assert_eq!(is("Access to the river", &film), None);
    assert_eq!(is("Room 404", &FILL.repeat(3)), None);
    // Hardly anything but links, and a page with links.
    let links = format!(
        "Bridges\n=======\n{}",
        "[home](https://bridges.test/a)\n".repeat(12)
    );
    assert_eq!(is("", &links), Some(Stub::LinksOnly));
    assert_eq!(is("", &format!("{links}{FILL}")), None);
    assert_eq!(is("", FILL), None, "one line alone is no title");
    let long_line = format!("{}\n[home](https://a.test)", FILL.repeat(2));
    assert_eq!(is("", &long_line), None, "a long first line is no title");
}

#[test]
fn addresses_that_were_cut() {
    for url in [
        "https://w.test/Lux_(film",
        "https://w.test/(a)(b",
        "https://w.test/a)(b",
    ] {
        assert!(is_cut(url), "{url}");
    }
    for url in [
        "https://w.test/Lux_(film)",
        "https://w.test/a)",
        "https://w.test/",
        "",
    ] {
        assert!(!is_cut(url), "{url}");
    }
}

#[test]
fn marks_of_citations() {
    let found = |text: &str| -> Vec<(usize, String)> { marks(text) };
    let numbers = |text: &str| -> Vec<String> { found(text).into_iter().map(|(_, n)| n).collect() };
    assert_eq!(
        numbers("a [1] b\\[2\\] c [3, 4][5] d [[6](u)]"),
        ["1", "2", "3", "4", "5", "6"]
    );
    let none: [&str; 0] = [];
    for text in ["[1994]", "[a1]", "[]", "[1,]", "[1", "1]", "[ ]", "[-1]"] {
        assert_eq!(numbers(text), none, "{text}");
    }
    assert_eq!(found("桥[7]"), [(1, "7".to_owned())]);
    assert_eq!(found("[x [8]"), [(3, "8".to_owned())]);
}

#[test]
fn layouts() {
    let paths = [
        "wiki_data/ga_1.csv",
        "wiki_data/ga_1.json",
        "wiki_data/raw_wiki/A.json",
        "wiki_data/cleaned_data/article/A.md",
        "wiki_data/cleaned_data/statement/A_statements.json",
        "test_data/agencies.json",
        "test_data/wren/md_data/A.md",
    ];
    let findings = check_layout(&Layout::of(paths), &["A"], &["lark"]);
    let kinds: Vec<(Option<&str>, &Kind)> = findings
        .iter()
        .map(|f| (f.place.agency.as_deref(), &f.kind))
        .collect();
    let json = Kind::MissingFile {
        file: FileKind::AgencyJson,
    };
    assert_eq!(
        kinds,
        [
            (Some("lark"), &Kind::NoArticles),
            (Some("wren"), &json),
            (Some("wren"), &Kind::NotRegistered),
        ]
    );
    assert_eq!(findings[1].place.stem.as_deref(), Some("A"));
}
