//! The page is well-formed, complete, small, and does what it is told by nobody.

use roxmltree::{Document, Node, ParsingOptions};

use super::*;

/// A page about `n` tasks of which the best `top` are chosen, with made-up numbers that look like
/// real ones.
fn page(n: usize, top: usize, text: &str) -> RankingPage {
    let rated: Vec<RankedRow> = (1..=n).map(|place| row(place, n, top, text)).collect();
    let count = |value: &str, chosen, all| FacetCount {
        value: value.into(),
        chosen,
        all,
    };
    let check = |name: &str, value: &str, state| Check {
        name: name.into(),
        value: value.into(),
        n: "812".into(),
        state,
        meaning: "A fair judge prefers neither side; this one does not, as far as can be told."
            .into(),
    };
    RankingPage {
        title: "Ranking of research tasks".into(),
        facts: [
            ("Method", "Bradley-Terry"),
            ("Judges", "acme/judge-large, acme/judge-small"),
            ("Cost", "$12.40"),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .to_vec(),
        warnings: vec!["the judge is a built-in model".into()],
        top,
        unit: "log-odds".into(),
        rated,
        recall: Some(Recall {
            expected: 0.914,
            low: 0.87,
            high: 0.95,
        }),
        audit: vec![
            check(
                "First side preferred",
                "0.52 [0.47, 0.57]",
                CheckState::Good,
            ),
            check(
                "Same winner in both orders",
                "0.81 [0.75, 0.86]",
                CheckState::Doubtful,
            ),
            check(
                "Longer tasks preferred",
                "0.61 [0.52, 0.69]",
                CheckState::Bad,
            ),
            check("Cycles beyond chance", "–", CheckState::Unknown),
        ],
        facets: BTreeMap::from([
            (
                "language".into(),
                vec![count("en", 61, 340), count("zh", 39, 160)],
            ),
            (
                "phase".into(),
                vec![
                    count("Synthesize", 25, 150),
                    count("Design", 48, 200),
                    count("Evaluate", 27, 150),
                ],
            ),
        ]),
    }
}

fn row(place: usize, n: usize, top: usize, text: &str) -> RankedRow {
    let share = (place as f64 - 0.5) / n as f64;
    let strength = ((1.0 - share) / share).ln();
    let near = (top as f64 - place as f64) / (top as f64 * 0.12 + 0.1);
    let membership = 1.0 / (1.0 + (-near).exp());
    let half = 0.9 - 0.4 * (-near * near / 20.0).exp() + 0.1 * (place as f64 * 1.7).sin();
    RankedRow {
        place,
        id: format!("t_{:08x}", place * 2_654_435 % 0xffff_ffff),
        text: text.into(),
        seminar: "Quantum sensing, spring 2031".into(),
        strength,
        low: strength - half,
        high: strength + half,
        membership,
        games: 8 + (30.0 * (-near * near / 20.0).exp()) as u32 + (place % 3) as u32,
        standing: match membership {
            p if p > 0.75 => MembershipClass::In,
            p if p < 0.25 => MembershipClass::Out,
            _ => MembershipClass::Borderline,
        },
        facets: vec!["Design".into(), "en".into()],
    }
}

const TEXT: &str = "Compare three ways of estimating the uncertainty of spin-squeezed clocks on public data, and say under \
                    which noise each of them is to be preferred and why the published comparisons disagree";

/// Hands the parsed page to `look`; that it parses means that it is well-formed.
fn with_document<T>(html: &str, look: impl Fn(&Document) -> T) -> T {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    look(&Document::parse_with_options(html, options).expect("well-formed"))
}

fn named<'a>(document: &'a Document, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    document
        .descendants()
        .filter(move |node| node.has_tag_name(name))
}

fn visible_text(html: &str) -> String {
    with_document(html, |document| {
        let styled = |node: &Node| node.ancestors().any(|above| above.has_tag_name("style"));
        document
            .descendants()
            .filter(|node| node.is_text() && !styled(node))
            .filter_map(|node| node.text())
            .collect()
    })
}

#[test]
fn all_plots_are_there_and_are_named_and_described() {
    let html = html(&page(500, 100, TEXT)).expect("a page");
    with_document(&html, |document| {
        let ids: Vec<&str> = named(document, "svg")
            .filter_map(|svg| svg.attribute("aria-labelledby"))
            .collect();
        let expect = [
            "forest-1",
            "forest-51",
            "forest-101",
            "strengths",
            "memberships",
            "facet-0",
            "facet-1",
            "verdicts",
        ];
        assert_eq!(ids, expect.map(|name| format!("{name}-title {name}-desc")));
        for svg in named(document, "svg") {
            assert_eq!(svg.attribute("role"), Some("img"));
            let children: Vec<&str> = svg
                .children()
                .filter(Node::is_element)
                .map(|n| n.tag_name().name())
                .collect();
            assert_eq!(children[..2], ["title", "desc"]);
            assert!(children.len() > 5, "an empty plot");
        }
        // The five plots besides the forest plot have a table each; the findings and the tasks have
        // theirs.
        assert_eq!(named(document, "table").count(), 7);
    });
}

#[test]
fn a_large_ranking_shows_its_best() {
    let html = html(&page(500, 100, TEXT)).expect("a page");
    with_document(&html, |document| {
        let of = |name: &str, class: &str| {
            let svgs = named(document, "svg").filter(|svg| {
                svg.attribute("aria-labelledby")
                    .is_some_and(|ids| ids.starts_with(name))
            });
            svgs.flat_map(|svg| svg.descendants())
                .filter(|node| node.attribute("class") == Some(class))
                .count()
        };
        assert_eq!(of("forest", "label"), 150);
        assert_eq!(of("forest", "cutoff"), 1);
        assert_eq!(of("memberships", "zone"), 1);
        assert_eq!(of("memberships", "cutoff"), 1);
        assert_eq!(of("facet-1", "label"), 3);
    });
    assert!(visible_text(&html).contains("the best 150 of 500 tasks"));
    assert!(visible_text(&html).contains("the cutoff of the best 100."));
    assert!(visible_text(&html).contains("91 %\n[87, 95] are expected"));
}

#[test]
fn the_numbers_stand_beside_their_plots() {
    let page = page(500, 100, TEXT);
    let html = html(&page).expect("a page");
    let rows = with_document(&html, |document| {
        let text = |node: Node| {
            node.descendants()
                .filter(Node::is_text)
                .filter_map(|n| n.text())
                .collect::<String>()
        };
        let cells = |row: Node| {
            row.children()
                .filter(Node::is_element)
                .map(text)
                .collect::<Vec<_>>()
        };
        named(document, "tr").map(cells).collect::<Vec<_>>()
    });
    assert!(
        rows.iter()
            .any(|row| *row == ["Design", "48", "48.0", "200", "40.0"])
    );
    assert!(
        rows.iter().any(|row| *row == ["100", "0.50", "borderline"]),
        "the cutoff"
    );
    assert!(
        rows.iter().any(|row| row.len() == 3 && row[0] == "500"),
        "the last point of the curve"
    );
    let header = rows
        .iter()
        .position(|row| *row == ["verdicts", "tasks"])
        .expect("the table of verdicts");
    let bins = rows[header + 1..].iter().take_while(|row| row.len() == 2);
    assert_eq!(
        bins.map(|row| row[1].parse::<u64>().expect("a number"))
            .sum::<u64>(),
        500
    );
    let of = |standing| {
        page.rated
            .iter()
            .filter(|row| row.standing == standing)
            .count()
    };
    let standings = format!(
        "500: {} in, {} borderline, ",
        of(MembershipClass::In),
        of(MembershipClass::Borderline)
    );
    assert!(visible_text(&html).contains(&standings));
}

#[test]
fn strangers_texts_stay_texts() {
    let hostile = "</title><script>alert('1')</script> & \"<img src=x onerror=y>\" {{ top }} \u{202E}gnp\u{2069}\u{0}\u{7}";
    let mut page = page(3, 1, hostile);
    page.title = hostile.into();
    page.facts = vec![(hostile.into(), hostile.into())];
    page.warnings = vec![hostile.into()];
    page.unit = hostile.into();
    page.audit[0].name = hostile.into();
    page.audit[0].value = hostile.into();
    page.audit[0].n = hostile.into();
    page.audit[0].meaning = hostile.into();
    page.facets = BTreeMap::from([(
        hostile.into(),
        vec![FacetCount {
            value: hostile.into(),
            chosen: 1,
            all: 3,
        }],
    )]);
    for row in &mut page.rated {
        (row.id, row.seminar, row.facets) = (hostile.into(), hostile.into(), vec![hostile.into()]);
    }
    let html = html(&page).expect("a page");
    with_document(&html, |document| {
        for node in document.descendants().filter(Node::is_element) {
            assert!(
                !["script", "img"].contains(&node.tag_name().name()),
                "{node:?}"
            );
            assert!(
                node.attributes()
                    .all(|attribute| !attribute.name().starts_with("on")),
                "{node:?}"
            );
        }
    });
    assert!(!html.contains(['\u{202E}', '\u{2069}', '\u{0}', '\u{7}']));
    let shown = visible_text(&html);
    assert!(shown.contains(
        "</title><script>alert('1')</script> & \"<img src=x onerror=y>\" {{ top }} \u{FFFD}gnp"
    ));
}

#[test]
fn nothing_is_loaded_and_nothing_runs() {
    let html = html(&page(20, 5, TEXT)).expect("a page");
    let policy =
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
    assert!(html.contains(&format!("content=\"{policy}\"")));
    for outside in [
        "http:",
        "https:",
        "url(",
        "@import",
        "src=",
        "<script",
        "<link",
        "javascript:",
    ] {
        assert!(!html.contains(outside), "{outside}");
    }
    with_document(&html, |document| {
        assert!(
            named(document, "a")
                .all(|link| link.attribute("href").is_some_and(|to| to.starts_with('#')))
        );
    });
}

#[test]
fn what_was_not_computed_is_not_drawn() {
    let mut page = page(30, 10, TEXT);
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX];
    for (row, value) in page.rated.iter_mut().skip(3).zip(odd) {
        (row.strength, row.low, row.high, row.membership) = (value, value, -value, value);
    }
    page.rated[9].games = u32::MAX;
    page.recall = Some(Recall {
        expected: f64::NAN,
        low: f64::NAN,
        high: 1.0,
    });
    let some = html(&page).expect("a page");
    for row in &mut page.rated {
        (row.strength, row.low, row.high, row.membership) =
            (f64::NAN, f64::NAN, f64::NAN, f64::NAN);
    }
    let none = html(&page).expect("a page");
    for html in [&some, &none] {
        let lower = html.to_lowercase();
        assert!(
            !lower.contains("nan")
                && !lower.contains(">inf")
                && !lower.contains("\"inf")
                && !lower.contains("-inf")
        );
    }
    with_document(&some, |document| {
        let forest_plot = named(document, "svg").next().expect("the forest plot");
        assert_eq!(
            forest_plot
                .descendants()
                .filter(|node| node.has_tag_name("circle"))
                .count(),
            3 + 26
        );
        for node in document.descendants() {
            for name in [
                "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "width", "height",
            ] {
                let number = node.attribute(name).map(str::parse::<f64>);
                assert!(
                    number.is_none_or(|number| number.is_ok_and(|n| (0.0..1e5).contains(&n))),
                    "{node:?}"
                );
            }
        }
    });
    with_document(&none, |document| {
        assert_eq!(
            named(document, "svg").count(),
            3,
            "facets and verdicts are left"
        );
    });
}

#[test]
fn empty_and_tiny_rankings_have_a_page() {
    let mut nothing = page(0, 0, TEXT);
    nothing.facets = BTreeMap::from([("phase".into(), Vec::new())]);
    (
        nothing.facts,
        nothing.warnings,
        nothing.audit,
        nothing.recall,
    ) = (vec![], vec![], vec![], None);
    let empty = html(&nothing).expect("a page");
    assert!(visible_text(&empty).contains("No task has been ranked."));
    with_document(&empty, |document| {
        assert_eq!(named(document, "svg").count(), 0);
    });
    // One task has no curve, and nobody belongs to the best 0.
    for (n, top, plots) in [
        (1, 1, 5),
        (1, 0, 4),
        (2, 1, 6),
        (3, 10, 6),
        (3, usize::MAX, 6),
    ] {
        let html = html(&page(n, top, TEXT)).expect("a page");
        with_document(&html, |document| {
            assert_eq!(named(document, "svg").count(), plots);
        });
        assert!(!html.to_lowercase().contains("nan"));
    }
}

#[test]
fn ten_thousand_tasks_fit() {
    for top in [0, 100, 9_000] {
        let html = html(&page(10_000, top, &TEXT.repeat(4))).expect("a page");
        assert!(html.len() < 1_500_000, "{} bytes", html.len());
    }
    // Each quotation mark is written with six characters.
    let mut page = page(10_000, 1_000, &"\"".repeat(5_000));
    let many = |i: u64| FacetCount {
        value: format!("seminar {i}"),
        chosen: i % 3,
        all: i,
    };
    page.facets = BTreeMap::from([("seminar".into(), (1..=1_000).map(many).collect())]);
    let html = html(&page).expect("a page");
    assert!(html.len() < 1_500_000, "{} bytes", html.len());
    assert!(visible_text(&html).contains("977 others"));
}

#[test]
fn the_same_ranking_gives_the_same_page() {
    let page = page(300, 40, TEXT);
    assert_eq!(html(&page).expect("a page"), html(&page).expect("a page"));
}
