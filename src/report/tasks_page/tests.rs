//! The page is well-formed, complete and small, plays what it should, and does what it is told by
//! nobody.

use data_encoding::BASE64;
use roxmltree::{Document, Node, ParsingOptions};
use sha2::{Digest as _, Sha256};

use super::*;

const TEXT: &str = "Compare three ways of estimating the pitch of moving gravel on public recordings, and say under which \
                    conditions each of them is to be preferred and why the published comparisons disagree";

/// A page about `n` seminars of a hundred seconds, each with ten inspirations and as many tasks as
/// is said.
fn page(n: usize, tasks: usize, text: &str) -> Page {
    let refusal = |stage: &str, rule: &str, seminar| Refusal {
        stage: stage.into(),
        rule: rule.into(),
        seminar,
        text: text.into(),
    };
    Page {
        title: "Research tasks".into(),
        facts: vec![("Recordings".into(), n.to_string())],
        warnings: vec!["the judge was a built-in model".into()],
        seminars: (0..n).map(|at| seminar(at, tasks, text)).collect(),
        benchmarks: Vec::new(),
        refused: (0..n)
            .flat_map(|at| {
                [
                    refusal("inspire", "duplicate", at),
                    refusal("weave", "short", at),
                    refusal("weave", "long", at),
                ]
            })
            .chain((0..n).map(|at| refusal("weave", "short", at)))
            .collect(),
    }
}

fn seminar(at: usize, tasks: usize, text: &str) -> Seminar {
    let id = |letter: char, number: usize| format!("{letter}_{at:04}{number:012}");
    let strange = text != TEXT;
    let guest = || Guest {
        id: id('i', 0),
        kind: InspirationType::Methodology,
        seminar: text.into(),
    };
    let inspiration = |number: usize| Inspiration {
        id: id('i', number),
        kind: InspirationType::ALL[number % 4],
        traits: ["novelty", "challenge"]
            .map(|name| Trait {
                name: name.into(),
                reason: None,
            })
            .to_vec(),
        review: None,
        text: text.into(),
        superseded: false,
        quotes: vec![quote(number as u64 * 10_000, text)],
    };
    let task = |number: usize| Task {
        id: id('t', number),
        number: at * tasks + number + 1,
        phase: Some(TaskType::ALL[number % 10].phase()),
        family: Some(TaskType::ALL[number % 10]),
        difficulty: Some(if number.is_multiple_of(3) {
            Difficulty::Basic
        } else {
            Difficulty::Advanced
        }),
        language: "en".into(),
        discipline: Some("Hydrology".into()),
        others: BTreeMap::new(),
        text: text.into(),
        inspirations: vec![id('i', number % 10), id('i', (number + 1) % 10)],
        guests: (number == 0).then(guest).into_iter().collect(),
        flags: strange.then(|| text.into()).into_iter().collect(),
        translations: strange
            .then(|| ("zh".into(), text.into()))
            .into_iter()
            .collect(),
        rank: Some(at * tasks + number + 1),
        elo: None,
        membership: Some(0.25),
    };
    Seminar {
        id: id('s', 0),
        title: format!("Seminar {at}"),
        path: format!("rivers/{at}.mp3"),
        language: "en".into(),
        discipline: "Hydrology".into(),
        licence: "CC0".into(),
        duration: Ms(100_000),
        recording: Some(format!("../seminars/rivers/{at}.mp3")),
        inspirations: (0..10).map(inspiration).collect(),
        tasks: (0..tasks).map(task).collect(),
    }
}

fn quote(start: u64, text: &str) -> Quote {
    Quote {
        start: Ms(start),
        end: Ms(start + 4_000),
        text: text.into(),
        speaker: None,
        similarity: None,
    }
}

/// Hands the parsed page to `look`; that it parses means that it is well-formed. The script is no
/// XML and is left out.
fn with_document<T>(html: &str, look: impl Fn(&Document) -> T) -> T {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let html = html.replace(SCRIPT, "");
    look(&Document::parse_with_options(&html, options).expect("well-formed"))
}

fn named<'a>(document: &'a Document, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    document
        .descendants()
        .filter(move |node| node.has_tag_name(name))
}

fn text_of(node: Node) -> String {
    let words: String = node
        .descendants()
        .filter(Node::is_text)
        .filter_map(|node| node.text())
        .collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn visible_text(html: &str) -> String {
    with_document(html, |document| {
        named(document, "body").map(text_of).collect()
    })
}

#[test]
fn every_quote_has_its_time_in_its_list_in_its_tasks_and_on_its_strip() {
    let html = html(&page(2, 10, TEXT)).expect("a page");
    with_document(&html, |document| {
        let times = |name| {
            named(document, name)
                .filter_map(|node| node.attribute("data-at"))
                .collect::<Vec<_>>()
        };
        // Each inspiration has one quote and two tasks.
        assert_eq!(times("span").len(), 2 * (10 + 20));
        assert_eq!(times("rect").len(), 2 * 10);
        for time in times("span") {
            assert!(times("rect").contains(&time), "{time}");
        }
        let thirty = named(document, "span")
            .find(|span| span.attribute("data-at") == Some("30.0"))
            .expect("a time");
        assert_eq!(thirty.text(), Some("0:30"));
        let sounds: Vec<&str> = named(document, "audio")
            .filter_map(|audio| audio.attribute("src"))
            .collect();
        assert_eq!(
            sounds,
            ["../seminars/rivers/0.mp3", "../seminars/rivers/1.mp3"]
        );
    });
}

/// A page of imported tasks alone: no player, no recordings, and what the file groups them by.
#[test]
fn imported_tasks_stand_in_a_list_of_their_own() {
    let mut woven = page(1, 3, TEXT);
    let tasks = woven.seminars.remove(0).tasks;
    let imported = |mut task: Task| {
        (task.phase, task.family, task.difficulty) = (None, None, None);
        (task.discipline, task.inspirations) = (None, Vec::new());
        task.others = BTreeMap::from([("topic".into(), "<b>Lakes</b>".into())]);
        task
    };
    let page = Page {
        benchmarks: vec![Benchmark {
            name: "query".into(),
            licence: "CC0-1.0".into(),
            tasks: tasks.into_iter().map(imported).collect(),
        }],
        seminars: Vec::new(),
        refused: Vec::new(),
        ..woven
    };
    let html = html(&page).expect("a page");
    with_document(&html, |document| {
        assert_eq!(named(document, "audio").count(), 0);
        let items = named(document, "li").filter(|item| item.has_attribute("data-is"));
        let items: Vec<String> = items.map(text_of).collect();
        assert_eq!(items.len(), 3);
        assert!(
            items[0].contains("topic: <b>Lakes</b> · place 1"),
            "{}",
            items[0]
        );
        let captions: Vec<String> = named(document, "caption").map(text_of).collect();
        assert_eq!(captions, ["Tasks by language", "Tasks by topic"]);
        assert!(named(document, "h2").any(|heading| text_of(heading) == "Imported tasks"));
    });
}

#[test]
fn a_mark_is_where_its_quote_is_in_the_talk() {
    let mut page = page(1, 0, TEXT);
    page.seminars[0].inspirations.truncate(3);
    for (inspiration, start) in page.seminars[0]
        .inspirations
        .iter_mut()
        .zip([0, 50_000, 99_999])
    {
        inspiration.quotes = vec![quote(start, TEXT)];
    }
    with_document(&html(&page).expect("a page"), |document| {
        let marks = named(document, "rect").filter(|rect| rect.attribute("data-at").is_some());
        let number = |rect: &Node, name| {
            rect.attribute(name)
                .and_then(|n| n.parse::<f64>().ok())
                .expect("a number")
        };
        let spans: Vec<(f64, f64)> = marks
            .map(|rect| (number(&rect, "x"), number(&rect, "width")))
            .collect();
        // From 130 to 706; 4 s are a 25th of it, and none is too narrow to be clicked or reaches
        // beyond the end.
        assert_eq!(spans, [(130.0, 23.0), (418.0, 23.0), (701.0, 5.0)]);
    });
}

#[test]
fn every_link_leads_somewhere() {
    let html = html(&page(3, 12, TEXT)).expect("a page");
    with_document(&html, |document| {
        let mut ids: Vec<&str> = document
            .descendants()
            .filter_map(|node| node.attribute("id"))
            .collect();
        let targets: Vec<&str> = named(document, "a")
            .filter_map(|link| link.attribute("href")?.strip_prefix('#'))
            .collect();
        assert_eq!(
            targets.len(),
            3 * (24 + 24 + 4 + 1),
            "tasks to inspirations and back, one to another talk's, and what was refused to its seminar"
        );
        assert!(targets.iter().all(|to| ids.contains(to)));
        assert!(
            ["i_", "t_", "s_"]
                .iter()
                .all(|kind| targets.iter().any(|to| to.starts_with(kind)))
        );
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all, "an id is there twice");
    });
}

#[test]
fn without_a_recording_there_are_times_only() {
    let mut page = page(1, 2, TEXT);
    page.seminars[0].recording = None;
    let html = html(&page).expect("a page");
    with_document(&html, |document| {
        assert_eq!(named(document, "audio").count(), 0);
        assert!(
            document
                .descendants()
                .all(|node| node.attribute("data-at").is_none())
        );
    });
    let text = visible_text(&html);
    assert!(
        text.contains("The recording is not here: times only.") && text.contains("0:30"),
        "{text}"
    );
}

#[test]
fn what_is_counted_is_what_is_shown() {
    let mut page = page(2, 12, TEXT);
    page.seminars[1]
        .tasks
        .iter_mut()
        .take(5)
        .for_each(|task| task.language = "zh".into());
    page.seminars[1].inspirations[0].quotes[0].start = Ms(1_000_000);
    let all = distributions(&page);
    let of = |name: &str| {
        let found = all
            .iter()
            .find(|of| of.name == name)
            .expect("it is counted");
        found
            .counts
            .iter()
            .map(|count| (count.value.as_str(), count.n))
            .collect::<Vec<_>>()
    };
    assert_eq!(of("tasks by language"), [("en", 19), ("zh", 5)]);
    assert_eq!(of("tasks by discipline"), [("Hydrology", 24)]);
    assert_eq!(of("tasks by difficulty"), [("Basic", 8), ("Advanced", 16)]);
    let kinds = [
        ("Limitation", 6),
        ("Methodology", 6),
        ("Transdisciplinary", 4),
        ("Hypothesis", 4),
    ];
    assert_eq!(of("inspirations by type"), kinds);
    // Quotes begin at 0, 10, … 90 of 100 s; one of them, by mistake, after the end.
    let quarters = [
        ("first", 3 + 2),
        ("second", 2 + 2),
        ("third", 3 + 3),
        ("fourth", 2 + 3),
    ];
    assert_eq!(of("quotes by quarter of the talk"), quarters);
    let families = of("tasks by phase and family");
    assert_eq!(families.len(), 10);
    assert_eq!(
        families[..3],
        [
            ("Literature Survey", 4),
            ("Trend / Market Scan", 4),
            ("Requirements Gathering / Needs Analysis", 2)
        ]
    );
    let html = html(&page).expect("a page");
    with_document(&html, |document| {
        let rows: Vec<String> = named(document, "tr").map(text_of).collect();
        for row in ["zh5", "Advanced16", "Limitation6", "fourth5"] {
            assert!(rows.iter().any(|shown| shown == row), "{row}: {rows:?}");
        }
    });
}

#[test]
fn what_was_refused_is_counted_by_stage_and_rule() {
    let mut page = page(3, 1, TEXT);
    let rule = |stage, rule, n| Rule { stage, rule, n };
    let expect = [
        rule("inspire", "duplicate", 3),
        rule("weave", "short", 6),
        rule("weave", "long", 3),
    ];
    assert_eq!(by_rule(&page.refused), expect);
    let shown = visible_text(&html(&page).expect("a page"));
    assert!(
        shown.contains("weave: short 6") && shown.contains("inspire, duplicate, Seminar 2"),
        "{shown}"
    );
    let first = page.refused[0].clone();
    page.refused.extend((0..2_000).map(|_| first.clone()));
    assert!(visible_text(&html(&page).expect("a page")).contains("The first 500 of 2003."));
}

#[test]
fn reasons_reviews_speakers_and_likenesses_are_shown_where_there_are_any() {
    let mut page = page(1, 1, TEXT);
    let without = visible_text(&html(&page).expect("a page"));
    assert!(
        without.contains("novelty, challenge")
            && !without.contains("Review:")
            && !without.contains("likeness")
    );
    let inspiration = &mut page.seminars[0].inspirations[0];
    inspiration.traits[1].reason = Some("nobody has a sensor".into());
    inspiration.review = Some("kept: well founded".into());
    inspiration.superseded = true;
    inspiration.quotes[0].speaker = Some("Speaker 2".into());
    inspiration.quotes[0].similarity = Some(0.975);
    let with = visible_text(&html(&page).expect("a page"));
    let expect = [
        "challenge: nobody has a sensor",
        "Review: kept: well founded",
        "Speaker 2 likeness 0.97",
        "novelty · of an earlier version",
    ];
    for expect in expect {
        assert!(with.contains(expect), "{expect}: {with}");
    }
}

const HOSTILE: &str = "</title></style></script><script>alert('1')</script> & \"onload=x \"><img src=x onerror=y> --> ]]> \
                       {{ page }} {% raw %} \u{202E}gnp\u{2069}\u{0}\u{7}";
const SHOWN: &str = "</title></style></script><script>alert('1')</script> & \"onload=x \"><img src=x onerror=y> --> ]]> \
                     {{ page }} {% raw %} \u{FFFD}gnp";

fn hostile_page() -> Page {
    let hostile = || HOSTILE.to_owned();
    let mut page = page(2, 10, HOSTILE);
    (page.title, page.facts, page.warnings) =
        (hostile(), vec![(hostile(), hostile())], vec![hostile()]);
    for refusal in &mut page.refused {
        (refusal.stage, refusal.rule) = (hostile(), hostile());
    }
    let seminar = &mut page.seminars[0];
    for field in [
        &mut seminar.id,
        &mut seminar.title,
        &mut seminar.path,
        &mut seminar.language,
        &mut seminar.discipline,
    ] {
        *field = hostile();
    }
    (seminar.licence, seminar.recording) = (hostile(), Some(format!("../seminars/{HOSTILE}")));
    for inspiration in &mut seminar.inspirations {
        (inspiration.id, inspiration.review) = (hostile(), Some(hostile()));
        inspiration.traits = vec![
            Trait {
                name: hostile(),
                reason: Some(hostile()),
            },
            Trait {
                name: hostile(),
                reason: None,
            },
        ];
        inspiration.quotes[0].speaker = Some(hostile());
    }
    for task in &mut seminar.tasks {
        (task.id, task.language, task.discipline) = (hostile(), hostile(), Some(hostile()));
        task.inspirations = vec![hostile()];
    }
    page.seminars[1].recording = Some("javascript:alert(1)".into());
    page
}

/// All that a page may consist of, the script apart.
const TAGS: &str = " html head meta title style body main section div h1 h2 h3 h4 p dl dt dd ol ul li a bdi span strong small q \
                    blockquote details summary table caption tbody tr th td label select option optgroup input button audio script \
                    svg desc text line rect ";

#[test]
fn strangers_texts_stay_texts() {
    let html = html(&hostile_page()).expect("a page");
    assert_eq!(html.matches("<script").count(), 1);
    assert!(
        html.contains(&format!("<script>{SCRIPT}</script>"))
            && html.contains(&format!("<style>{}</style>", STYLE.trim_end()))
    );
    assert!(!html.contains(['\u{202E}', '\u{2069}', '\u{0}', '\u{7}']));
    with_document(&html, |document| {
        for node in document.descendants().filter(Node::is_element) {
            assert!(
                TAGS.contains(&format!(" {} ", node.tag_name().name())),
                "{node:?}"
            );
            assert!(
                node.attributes()
                    .all(|of| !of.name().starts_with("on") && of.name() != "style"),
                "{node:?}"
            );
        }
        assert!(
            named(document, "a")
                .all(|link| link.attribute("href").is_some_and(|to| to.starts_with('#')))
        );
        assert_eq!(
            named(document, "audio").count(),
            0,
            "an address that is not plain is not taken"
        );
    });
    let shown = visible_text(&html).matches(SHOWN).count();
    assert!(shown > 30, "{shown} times");
}

/// What runs is the page's own style and script, by hash; what is loaded is the recordings.
#[test]
fn the_policy_names_what_the_page_has() {
    let html = html(&page(1, 1, TEXT)).expect("a page");
    let between = |from: &str, to: &str| {
        let (_, after) = html.split_once(from).expect("it begins");
        after.split_once(to).expect("it ends").0.to_owned()
    };
    let hash = |text: &str| {
        format!(
            "'sha256-{}'",
            BASE64.encode(&Sha256::digest(text.as_bytes()))
        )
    };
    let (style, script) = (
        hash(&between("<style>", "</style>")),
        hash(&between("<script>", "</script>")),
    );
    with_document(&html, |document| {
        let policy = named(document, "meta")
            .find(|meta| meta.attribute("http-equiv") == Some("Content-Security-Policy"));
        let expect = format!(
            "default-src 'none'; style-src {style}; script-src {script}; media-src 'self' file:; base-uri 'none'; form-action 'none'"
        );
        assert_eq!(
            policy.and_then(|policy| policy.attribute("content")),
            Some(expect.as_str())
        );
    });
    for outside in [
        "http:",
        "https:",
        "url(",
        "@import",
        "<link",
        "javascript:",
        "fetch(",
        "innerHTML",
        "eval(",
    ] {
        assert!(!html.contains(outside), "{outside}");
    }
}

#[test]
fn empty_and_tiny_projects_have_a_page() {
    let shown = visible_text(&html(&Page::default()).expect("a page"));
    assert!(
        shown.contains("No seminar has a transcript yet."),
        "{shown}"
    );
    let mut bare = page(1, 0, TEXT);
    (bare.seminars[0].inspirations, bare.seminars[0].duration) = (Vec::new(), Ms(0));
    let html = html(&bare).expect("a page");
    with_document(&html, |document| {
        assert_eq!(named(document, "svg").count(), 0);
        assert_eq!(named(document, "table").count(), 0);
    });
    let mut still = page(1, 3, TEXT);
    still.seminars[0].duration = Ms(0);
    assert!(
        !super::html(&still)
            .expect("a page")
            .to_lowercase()
            .contains("nan")
    );
}

/// As in DeepResearch Arena: some 200 seminars and 10,000 tasks.
#[test]
fn ten_thousand_tasks_fit() {
    let large = html(&page(200, 50, TEXT)).expect("a page");
    let small = html(&page(3, 6, TEXT)).expect("a page");
    assert!(large.len() < 9_000_000, "{} bytes", large.len());
    assert!(
        !large.contains("open=\"\"") && small.contains("open=\"\""),
        "many are folded, a few are not"
    );
    assert_eq!(
        large,
        html(&page(200, 50, TEXT)).expect("a page"),
        "the same project gives the same page"
    );
}
