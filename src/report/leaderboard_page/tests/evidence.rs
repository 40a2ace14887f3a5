//! A task's page shows each report beside its evidence, and every link leads somewhere.

use super::*;

/// A task that two agents answered, with one key point of each relation.
pub fn task_page(words: &str) -> TaskPage {
    let spans = vec![
        "clocks drift\nby 3 ns".to_owned(),
        "nowhere to be found".to_owned(),
    ];
    let source = |url: &str, verified| SourcePage {
        url: url.into(),
        title: words.into(),
        verified,
    };
    let point = |relation, confidence| PointView {
        text: format!("Clocks drift. {words}"),
        relation,
        confidence,
        reasoning: words.into(),
        spans: spans.clone(),
        pages: vec![
            source("https://a.org/1", true),
            source("https://b.org/not-stored", false),
        ],
        in_own: relation != Relation::Omits,
        in_independent: true,
    };
    let criterion = |rating| CriterionView {
        title: words.into(),
        weight: 0.45,
        description: words.into(),
        rating,
        justification: words.into(),
        judge: words.into(),
    };
    let citation = |url: &str| CitationView {
        label: words.into(),
        url: url.into(),
        diagnosis: words.into(),
        status: "dead".into(),
    };
    let report = |agent: &str| ReportView {
        agent: agent.into(),
        state: "ok".into(),
        text: format!("# Report\n\n{words}"),
        ace: vec![criterion(Some(7.0)), criterion(None)],
        points: vec![
            point(Relation::Supports, Some(0.85)),
            point(Relation::Contradicts, Some(0.65)),
            point(Relation::Omits, None),
            point(Relation::Unscored, None),
        ],
        citations: vec![citation("https://a.org/1"), citation("javascript:alert(1)")],
        failures: vec![Failure {
            what: words.into(),
            cause: "truncated".into(),
        }],
    };
    let stored = |url: &str, text: String| StoredPage {
        url: url.into(),
        title: words.into(),
        text,
    };
    TaskPage {
        id: "t_1".into(),
        text: words.into(),
        facets: vec![("type".into(), words.into())],
        back: "../leaderboard.html".into(),
        reports: vec![report("one"), report("two")],
        pages: vec![
            stored("https://c.org/2", words.into()),
            stored(
                "https://a.org/1",
                format!("{words} All clocks drift by 3 ns. {words}"),
            ),
        ],
    }
}

#[test]
fn a_key_point_leads_to_the_words_that_it_rests_on() {
    let html = task(&task_page("plain words")).expect("a page");
    let (ids, links) = (attribute(&html, "id"), attribute(&html, "href"));
    let inside: Vec<&str> = links
        .iter()
        .filter_map(|link| link.strip_prefix('#'))
        .collect();
    assert!(
        inside.iter().all(|to| ids.iter().any(|id| id == to)),
        "{inside:?} in {ids:?}"
    );
    // The span, and the page that it is on, of each of four points in two reports.
    assert_eq!(
        inside.iter().filter(|to| **to == "page-1-0").count(),
        2 * 4 * 2
    );
    assert!(html.contains("<mark id=\"page-1-0\">clocks drift by 3 ns</mark>"));
    assert_eq!(
        text(&html).matches("not in the stored text below").count(),
        2 * 4
    );
}

#[test]
fn a_report_stands_beside_its_findings() {
    let html = task(&task_page("plain words")).expect("a page");
    let shown = text(&html);
    for expect in [
        "# Report\n\nplain words",
        "7.0",
        "–  of 10",
        "weight 0.45",
        "✗ contradicted",
        "confidence 0.85",
        "truncated",
    ] {
        assert!(shown.contains(expect), "{expect}");
    }
    let rows = rows(&html);
    assert!(
        rows.contains(
            &["own pages", "1", "1", "0", "0", "1"]
                .map(str::to_owned)
                .to_vec()
        )
    );
    assert!(
        rows.contains(
            &["other agents' pages", "1", "1", "0", "1", "1"]
                .map(str::to_owned)
                .to_vec()
        )
    );
    assert!(
        rows.contains(
            &["plain words", "https://a.org/1", "dead", "plain words"]
                .map(str::to_owned)
                .to_vec()
        )
    );
}

#[test]
fn both_pages_lead_to_each_other() {
    let there = summary(&page(1, 2, TEXT)).expect("a page");
    assert_eq!(
        attribute(&there, "href"),
        ["tasks/t_0.html", "tasks/t_1.html"]
    );
    let mut page = task_page("plain words");
    assert_eq!(
        attribute(&task(&page).expect("a page"), "href")[0],
        "../leaderboard.html"
    );
    page.back = "javascript:alert(1)".into();
    assert!(!attribute(&task(&page).expect("a page"), "href").contains(&page.back));
}

#[test]
fn long_pages_are_cut_around_their_marks() {
    let mut page = task_page("plain words");
    page.pages[1].text = format!(
        "{}clocks drift by 3 ns{}",
        "研".repeat(300_000),
        "究".repeat(300_000)
    );
    let html = task(&page).expect("a page");
    assert!(html.len() < 100_000, "{} bytes", html.len());
    assert!(text(&html).contains("[… 290010 characters …]"));
    assert!(html.contains("<mark id=\"page-1-0\">clocks drift by 3 ns</mark>"));
}

#[test]
fn a_task_without_anything_has_a_page() {
    let html = task(&TaskPage::default()).expect("a page");
    assert!(text(&html).contains("No agent has answered it."));
    let silent = ReportView {
        agent: "one".into(),
        state: "timeout".into(),
        ..ReportView::default()
    };
    let html = task(&TaskPage {
        reports: vec![silent],
        ..TaskPage::default()
    })
    .expect("a page");
    assert!(text(&html).contains("timeout") && !html.contains("<table"));
}
