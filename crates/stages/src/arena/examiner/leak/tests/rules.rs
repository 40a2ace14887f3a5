//! The rules of the test of leaks, one by one.

use crate::{
    arena::examiner::leak::{Hidden, LeakKind, leaks},
    data::NodeId,
};

fn found(title: &str, url: &str, known: &[&str], question: &str) -> Option<LeakKind> {
    let node = NodeId::from_parts(&["hidden"]);
    let hidden = Hidden {
        node: &node,
        title: Some(title),
        url,
        names: &[],
    };
    let leaks = leaks(question, &[hidden], known);
    assert!(
        leaks
            .iter()
            .all(|leak| leak.node == node && !leak.found.is_empty())
    );
    leaks.first().map(|leak| leak.kind)
}

#[test]
fn each_kind_is_told() {
    let check = |title, url, question, expect| {
        assert_eq!(
            found(title, url, &[], question),
            expect,
            "{title}: {question}"
        );
    };
    let blank = "https://a.test/";
    check(
        "Video rental shop",
        blank,
        "What is a video-rental shop?",
        Some(LeakKind::Name),
    );
    check(
        "The art of making fine glass",
        blank,
        "On making fine glass",
        Some(LeakKind::Part),
    );
    check(
        "Wooden toy makers",
        blank,
        "Makers of a wooden toy",
        Some(LeakKind::Reordered),
    );
    check(
        "About Montaigne",
        blank,
        "When did Montaigne write?",
        Some(LeakKind::Word),
    );
    check(
        "Untitled",
        "https://a.test/wooden-toy-makers",
        "Wooden toy makers",
        Some(LeakKind::Address),
    );
    check(
        "Untitled",
        "https://www.zyxo.test/",
        "What does zyxo dot test say?",
        Some(LeakKind::Host),
    );
    check(
        "Untitled",
        "https://www.zyxomat.test/",
        "What does Zyxomat say?",
        Some(LeakKind::Host),
    );
    check(
        "Wooden toy makers",
        blank,
        "Which makers sold dolls of clay?",
        None,
    );
}

#[test]
fn a_name_within_a_word_or_of_another_kind_is_no_leak() {
    assert_eq!(
        found("Ants", "https://a.test/", &[], "How heavy are elephants?"),
        None
    );
    assert_eq!(
        found("Go", "https://a.test/", &[], "Where did the ships go?"),
        None
    );
    assert_eq!(
        found("Go", "https://a.test/", &[], "Who wrote Go?"),
        Some(LeakKind::Name)
    );
    assert_eq!(
        found("Home", "https://a.test/", &[], "Where was his home?"),
        None
    );
    assert_eq!(
        found("X - News", "https://a.test/", &[], "Which news came first?"),
        None
    );
}

#[test]
fn what_the_question_leads_through_may_be_said() {
    let title = "Victory Road - GameFAQs";
    let (url, question) = (
        "https://gamefaqs.test/",
        "Which GameFAQs boards are the oldest?",
    );
    assert!(found(title, url, &[], question).is_some());
    assert_eq!(
        found(title, "https://a.test/", &["GameFAQs - Cheats"], question),
        None
    );
    let whole = "What is new in Victory Road?";
    let known = &["GameFAQs: Victory Road and others"];
    assert_eq!(
        found(title, url, known, whole),
        Some(LeakKind::Name),
        "a target's own name"
    );
}

#[test]
fn names_that_the_caller_knows_count() {
    let node = NodeId::from_parts(&["hidden"]);
    let hidden = Hidden {
        node: &node,
        title: None,
        url: "https://a.test/",
        names: &["Big Yellow"],
    };
    let leaks = leaks("When was Big Yellow founded?", &[hidden], &[]);
    assert_eq!(leaks[0].kind, LeakKind::Name);
}

#[test]
fn hostile_texts_take_linear_time_and_never_panic() {
    let node = NodeId::from_parts(&["hidden"]);
    for text in [
        "a", "-", "%", "%e", "xn--", "字", "\u{200b}", "\u{301}", "a b ", "(", "😀", "ﷺ",
    ] {
        let long = text.repeat(50_000);
        let hidden = Hidden {
            node: &node,
            title: Some(&long),
            url: &format!("https://a.test/{long}"),
            names: &[&long, ""],
        };
        leaks(&long, &[hidden], &[&long]);
        leaks("", &[hidden], &[]);
    }
}
