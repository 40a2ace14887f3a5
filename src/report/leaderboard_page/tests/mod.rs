//! The pages are well-formed, complete, small, and do what they are told by nobody.

mod evidence;
mod gaps;
mod hostile;
mod scan;

use super::*;
use scan::{attribute, rows, tags, text};

const TEXT: &str = "Compare three ways of estimating the uncertainty of spin-squeezed clocks on public data, and say under \
                    which noise each of them is to be preferred and why the published comparisons disagree";

/// Bytes of a page.
const MOST: usize = 5_000_000;

/// A page about agents and tasks, with made-up numbers that look like real ones and hardly ever
/// repeat.
fn page(agents: usize, tasks: usize, text: &str) -> Page {
    let names: Vec<String> = (0..agents).map(|i| format!("acme/agent-{i}")).collect();
    let measure = |key: &str, label: &str, unit: &str, range| Measure {
        key: key.into(),
        label: label.into(),
        unit: unit.into(),
        meaning: format!("{label} says how good a report is."),
        higher_is_better: !key.ends_with("kcr") && !key.ends_with("kor"),
        range,
    };
    let mut measures = vec![
        measure("ace", "ACE", "", (0.0, 10.0)),
        measure("efficiency", "Efficiency", "", (0.0, f64::NAN)),
    ];
    let mut wholes = Vec::new();
    for set in ["own", "independent"] {
        for share in ["ksr", "kcr", "kor"] {
            measures.push(measure(
                &format!("{set}_{share}"),
                &format!("{} {set}", share.to_uppercase()),
                "%",
                (0.0, 100.0),
            ));
        }
        let [supported, conflicting, omitted] =
            ["ksr", "kcr", "kor"].map(|share| format!("{set}_{share}"));
        wholes.push(Whole {
            title: format!("Key points, {set} pages"),
            supported,
            conflicting,
            omitted,
            efficiency: names
                .iter()
                .enumerate()
                .map(|(i, name)| (name.clone(), efficiency(i)))
                .collect(),
        });
    }
    let facet = |name: &str, n: usize| Facet {
        name: name.into(),
        values: (0..n)
            .map(|i| FacetValue {
                value: format!("{name} {i}"),
                agents: names
                    .iter()
                    .enumerate()
                    .map(|(j, name)| (name.clone(), values(31 * i + 7 * j + n, 10)))
                    .collect(),
            })
            .collect(),
    };
    let pairs = (0..agents).flat_map(|i| (i + 1..agents).map(move |j| (i, j)));
    let difference = |(i, j): (usize, usize)| Difference {
        measure: "ace".into(),
        first: names[i].clone(),
        second: names[j].clone(),
        value: Some(0.37 * (j - i) as f64),
        low: Some(0.37 * (j - i) as f64 - 0.61),
        high: Some(0.37 * (j - i) as f64 + 0.61),
        adjusted: Some(0.411 / (j - i).pow(3) as f64),
        n: 91 + i as u64,
        detectable: Some(0.83),
    };
    let row = |i: usize| TaskRow {
        id: format!("t_{:08x}", i * 2_654_435 % 0xffff_ffff),
        text: text.into(),
        facets: vec![
            ("type".into(), format!("type {}", i % 10)),
            ("language".into(), "en".into()),
        ],
        href: format!("tasks/t_{i}.html"),
        agents: names
            .iter()
            .enumerate()
            .map(|(j, name)| (name.clone(), score(i, j)))
            .collect(),
    };
    Page {
        title: "Leaderboard of research agents".into(),
        facts: vec![
            ("Judges".into(), "acme/judge-large".into()),
            ("Cost".into(), "$12.40".into()),
        ],
        warnings: vec!["the judge is a built-in model".into()],
        agents: names
            .iter()
            .enumerate()
            .map(|(i, name)| agent(i, name))
            .collect(),
        families: (0..agents.min(3))
            .map(|i| agent(i, &format!("family {i}")))
            .collect(),
        by: vec![
            facet("type", 10),
            facet("language", 2),
            facet("discipline", 12),
            facet("phase", 4),
        ],
        differences: pairs.map(difference).collect(),
        tasks: (0..tasks).map(row).collect(),
        measures,
        wholes,
    }
}

fn efficiency(agent: usize) -> Value {
    Value {
        value: Some(1.75 + 0.5 * agent as f64),
        n: 99,
        of: 100,
        ..Value::default()
    }
}

fn agent(i: usize, name: &str) -> Agent {
    Agent {
        name: name.into(),
        rank: Some(1 + i as u32),
        possible_ranks: Some((1 + i as u32, 1 + i as u32)),
        is_complete: true,
        tier: Some(1 + i as u32 / 3),
        values: values(i, 100),
        tokens: Some(1213.0 + 311.0 * i as f64),
        references: Some(4.24 + 0.37 * i as f64),
        cost: Some(0.0123 + 0.217 * i as f64),
        words: Some(873.0 + 97.0 * i as f64),
        states: [("ok".to_owned(), 96), ("refused".to_owned(), 4)].into(),
        urls: 417 + i as u64,
        url_failures: [
            ("not found".to_owned(), 17 + i as u64),
            ("robots".to_owned(), 5),
        ]
        .into(),
    }
}

fn values(seed: usize, of: u64) -> BTreeMap<String, Value> {
    let wave = |k: usize| ((seed * 13 + k * 29 + of as usize) as f64 * 0.7).sin();
    let value = |value: f64, half: f64, n: u64| Value {
        value: Some(value),
        low: Some(value - half),
        high: Some(value + half),
        worst: None,
        best: None,
        n,
        of,
        failed: if n < of {
            [("truncated".to_owned(), of - n)].into()
        } else {
            BTreeMap::new()
        },
    };
    let mut values = BTreeMap::new();
    values.insert(
        "ace".to_owned(),
        value(5.5 + 2.5 * wave(0), 0.4, of.saturating_sub(seed as u64 % 4)),
    );
    values.insert("efficiency".to_owned(), value(2.0 + wave(1), 0.3, of));
    for (i, set) in ["own", "independent"].into_iter().enumerate() {
        let (supported, conflicting) = (55.0 + 20.0 * wave(2 + i), 10.0 + 5.0 * wave(4 + i));
        for (share, part) in [
            ("ksr", supported),
            ("kcr", conflicting),
            ("kor", 100.0 - supported - conflicting),
        ] {
            values.insert(format!("{set}_{share}"), value(part, 3.3, of - 1));
        }
    }
    values
}

fn score(task: usize, agent: usize) -> TaskScore {
    let values = values(task + 17 * agent, 1)
        .into_iter()
        .map(|(key, value)| (key, value.value))
        .collect();
    TaskScore {
        state: "ok".into(),
        values,
    }
}

#[test]
fn every_agent_and_every_number_is_there() {
    let page = page(5, 7, TEXT);
    let html = summary(&page).expect("a page");
    let shown = text(&html).split_whitespace().collect::<Vec<_>>().join(" ");
    let by_facet = page
        .by
        .iter()
        .flat_map(|facet| &facet.values)
        .flat_map(|value| value.agents.values());
    for values in page
        .agents
        .iter()
        .map(|agent| &agent.values)
        .chain(by_facet)
    {
        for (key, value) in values {
            let decimals = if ["ace", "efficiency"].contains(&key.as_str()) {
                2
            } else {
                1
            };
            let [at, low, high] = [value.value, value.low, value.high]
                .map(|x| format!("{:.decimals$}", x.expect("known")).replace('-', "−"));
            assert!(
                shown.contains(&format!("[{low}, {high}]")) && shown.contains(&at),
                "{key} {at} [{low}, {high}]"
            );
            assert!(shown.contains(&format!("{} of {}", value.n, value.of)));
            // By facet, only how many are missing is said.
            let mut causes = value.failed.iter().filter(|_| value.of == 100);
            assert!(
                causes.all(|(cause, n)| shown.contains(&format!("{cause} {n}"))),
                "{:?}",
                value.failed
            );
        }
    }
    for agent in &page.agents {
        assert!(shown.matches(&agent.name).count() > 10, "{}", agent.name);
        let numbers = [agent.tokens, agent.words].map(|x| format!("{:.0}", x.expect("known")));
        assert!(
            numbers
                .iter()
                .chain([&format!("{:.2}", agent.references.expect("known"))])
                .all(|n| shown.contains(n))
        );
    }
    for task in &page.tasks {
        assert!(shown.contains(&task.id) && shown.contains(&task.text));
        assert!(
            task.agents.values().all(|score| shown.contains(&format!("{:.2}", score.values["ace"].expect("known"))))
        );
    }
}

#[test]
fn the_board_says_what_was_measured() {
    let html = summary(&page(4, 3, TEXT)).expect("a page");
    let starts: Vec<&str> = html
        .split("<tr class=\"begins-tier\">")
        .skip(1)
        .map(|row| &row[..60])
        .collect();
    assert!(
        starts.len() == 1 && starts[0].contains("agent-3"),
        "tiers of three: {starts:?}"
    );
    let rows = rows(&html);
    let first = rows
        .iter()
        .find(|row| row[0] == "acme/agent-0")
        .expect("a row");
    assert_eq!(first[1], "1");
    assert_eq!(first[2], "1");
    assert_eq!(first[3], "7.43 [7.03, 7.83] 100 of 100");
    assert_eq!(first[11..], ["873", "1213", "4.24", "0.0123"]);
    let heading = &rows[0];
    assert_eq!(heading[3], "ACE higher is better drawn from 3.77 to 7.83");
    assert_eq!(
        heading[6],
        "KCR own (%) lower is better drawn from 5.5 to 16.0"
    );
    assert!(
        rows.contains(
            &["acme/agent-1", "ACE", "99 of 100", "truncated 1"]
                .map(str::to_owned)
                .to_vec()
        )
    );
    let urls = [
        "acme/agent-1",
        "ok 96 · refused 4",
        "418",
        "not found 18 · robots 5",
    ]
    .map(str::to_owned);
    assert!(rows.contains(&urls.to_vec()));
}

#[test]
fn a_difference_names_the_better_agent() {
    let mut page = page(3, 1, TEXT);
    let find = |page: &Page, at: usize| {
        let rows = rows(&summary(page).expect("a page"));
        let row = rows
            .into_iter()
            .filter(|row| row.len() == 8 && row[0] == page.measures[0].label)
            .nth(at);
        row.expect("a pair")[3..].to_vec()
    };
    assert_eq!(
        find(&page, 0),
        [
            "0.37 [−0.24, 0.98]",
            "0.411",
            "91",
            "0.83",
            "not told apart"
        ]
    );
    page.differences[1].adjusted = Some(0.000_04);
    assert_eq!(
        find(&page, 1),
        [
            "0.74 [0.13, 1.35]",
            "< 0.001",
            "91",
            "0.83",
            "acme/agent-0 is better"
        ]
    );
    page.measures[0].higher_is_better = false;
    assert_eq!(find(&page, 1)[4], "acme/agent-2 is better");
    page.differences[1].value = Some(-0.74);
    assert_eq!(find(&page, 1)[4], "acme/agent-0 is better");
    (page.differences[2].value, page.differences[2].adjusted) = (None, Some(f64::NAN));
    assert_eq!(find(&page, 2)[1..], ["–", "92", "0.83", "–"]);
}

#[test]
fn plots_and_tables_can_be_read_aloud() {
    let html = summary(&page(3, 5, TEXT)).expect("a page");
    let tags = tags(&html);
    let is = |i: usize, name: &str| tags.get(i).is_some_and(|(tag, _)| tag == name);
    for (i, (name, attributes)) in tags.iter().enumerate() {
        let has = |key: &str, value: &str| attributes.iter().any(|(k, v)| k == key && v == value);
        match name.as_str() {
            "svg" if has("class", "mini") => assert!(has("aria-hidden", "true")),
            "svg" => assert!(has("role", "img") && is(i + 1, "title") && is(i + 2, "desc")),
            "table" => assert!(is(i + 1, "caption")),
            "th" => assert!(has("scope", "col") || has("scope", "row")),
            _ => {}
        }
    }
    // Two wholes, and eight measures by four facets, each as bars and as a map; three agents and
    // three families by eight measures, and three pairs.
    let minis = attribute(&html, "class")
        .iter()
        .filter(|class| *class == "mini")
        .count();
    assert_eq!(
        (attribute(&html, "aria-labelledby").len(), minis),
        (2 + 2 * 8 * 4, 2 * 3 * 8 + 3)
    );
    let ids = attribute(&html, "id");
    assert_eq!(
        ids.iter().collect::<std::collections::BTreeSet<_>>().len(),
        ids.len(),
        "an id is there twice"
    );
}

#[test]
fn bars_are_as_long_as_their_numbers() {
    let mut page = page(2, 0, TEXT);
    page.by.clear();
    for (key, part) in [("own_ksr", 50.0), ("own_kcr", 10.0), ("own_kor", 40.0)] {
        page.agents[0].values.get_mut(key).expect("a value").value = Some(part);
    }
    page.agents[1]
        .values
        .get_mut("own_kcr")
        .expect("a value")
        .value = None;
    page.wholes.truncate(1);
    let html = summary(&page).expect("a page");
    let number = |attributes: &[(String, String)], name: &str| {
        attributes
            .iter()
            .find(|(key, _)| key == name)
            .and_then(|(_, value)| value.parse::<f64>().ok())
    };
    let tags = tags(&html);
    let bars = tags
        .iter()
        .filter(|(name, _)| name == "rect")
        .map(|(_, of)| (number(of, "x"), number(of, "width")));
    // The second agent lacks a part, so that its bar would mislead: there is none.
    let expect =
        [(212.0, 195.0), (407.0, 39.0), (446.0, 156.0)].map(|(x, width)| (Some(x), Some(width)));
    assert_eq!(bars.collect::<Vec<_>>(), expect);
}

#[test]
fn what_is_missing_is_a_dash_and_never_a_zero() {
    let mut page = page(2, 3, TEXT);
    for value in page.agents[0].values.values_mut() {
        *value = Value {
            of: 100,
            failed: [("timeout".to_owned(), 100)].into(),
            ..Value::default()
        };
    }
    page.agents[0] = Agent {
        name: "nobody".into(),
        values: page.agents[0].values.clone(),
        ..Agent::default()
    };
    page.agents[1].values.clear();
    (page.agents[1].cost, page.agents[1].tokens) = (Some(f64::NAN), Some(f64::INFINITY));
    for facet in page.by.iter_mut().flat_map(|facet| &mut facet.values) {
        facet.agents.clear();
    }
    page.tasks[0].agents.clear();
    page.tasks[1].agents.insert(
        "nobody".into(),
        TaskScore {
            state: "refused".into(),
            ..TaskScore::default()
        },
    );
    let html = summary(&page).expect("a page");
    let rows = rows(&html);
    let row = |name: &str| {
        rows.iter()
            .find(|row| row[0] == name && row.len() == 15)
            .expect("a row")
    };
    let nothing = ["–", "–", "– – 0 of 100", "– – 0 of 100"];
    assert_eq!(row("nobody")[1..5], nothing);
    assert_eq!(row("nobody")[11..], ["–", "–", "–", "–"]);
    assert_eq!(row("acme/agent-1")[3..5], ["– – –", "– – –"]);
    assert_eq!(row("acme/agent-1")[12..], ["–", "4.61", "–"]);
    let task = |state: &str, n: usize| {
        rows.iter()
            .filter(|row| row.len() == 3 && row[1] == state)
            .nth(n)
            .is_some()
    };
    assert!(
        task("–", 0) && task("– refused", 0) && !task("– refused", 8),
        "one for each measure"
    );
    assert!(
        rows.iter()
            .any(|row| row[0] == "nobody" && row[1] == "ACE" && row[3] == "timeout 100")
    );
    assert!(
        !text(&html).contains("By"),
        "a facet without values has no plot"
    );
    assert!(
        !attribute(&html, "class")
            .iter()
            .any(|class| class == "supported" || class == "bar")
    );
}

#[test]
fn what_is_not_a_number_is_never_printed() {
    let mut page = page(3, 4, TEXT);
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -0.0];
    for (i, value) in page
        .agents
        .iter_mut()
        .flat_map(|agent| agent.values.values_mut())
        .enumerate()
    {
        (value.value, value.low, value.high) = (
            Some(odd[i % 5]),
            Some(odd[(i + 1) % 5]),
            Some(odd[(i + 2) % 5]),
        );
    }
    for (i, measure) in page.measures.iter_mut().enumerate() {
        measure.range = (odd[i % 5], odd[(i + 3) % 5]);
    }
    for (i, pair) in page.differences.iter_mut().enumerate() {
        (pair.value, pair.low, pair.high) = (Some(odd[i]), Some(odd[i + 1]), None);
        (pair.adjusted, pair.detectable) = (Some(odd[i]), Some(odd[i]));
    }
    let html = summary(&page).expect("a page");
    let lower = html.to_lowercase();
    for printed in ["nan", ">inf", "\"inf", " inf", "-inf", "−inf"] {
        assert!(!lower.contains(printed), "{printed}");
    }
    for (name, attributes) in tags(&html) {
        for (key, value) in attributes {
            if [
                "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "width", "height",
            ]
            .contains(&key.as_str())
            {
                assert!(
                    value.parse::<f64>().is_ok_and(|n| (0.0..1e5).contains(&n)),
                    "{name} {key}={value}"
                );
            }
        }
    }
}

#[test]
fn empty_and_tiny_boards_have_a_page() {
    let html = summary(&Page::default()).expect("a page");
    assert!(
        text(&html).contains("No agent has been evaluated.")
            && text(&html).contains("There are no tasks.")
    );
    assert!(!html.contains("<svg") && !html.contains("<table"));
    let without = Page {
        measures: Vec::new(),
        ..page(2, 2, TEXT)
    };
    assert!(
        rows(&summary(&without).expect("a page"))
            .iter()
            .any(|row| row[0] == "acme/agent-1")
    );
    let one = summary(&page(1, 1, TEXT)).expect("a page");
    assert!(!text(&one).contains("Who is better") && text(&one).contains("acme/agent-0"));
}

#[test]
fn pages_stay_small() {
    for (agents, tasks) in [(8, 100), (8, 500), (1, 3)] {
        let html = summary(&page(agents, tasks, TEXT)).expect("a page");
        assert!(
            html.len() < MOST,
            "{agents} agents, {tasks} tasks: {} bytes",
            html.len()
        );
    }
    // Each quotation mark is written with six characters.
    let mut page = page(40, 600, &"\"".repeat(5_000));
    page.by = vec![Facet {
        name: "discipline".into(),
        values: vec![page.by[0].values[0].clone(); 500],
    }];
    let html = summary(&page).expect("a page");
    assert!(html.len() < MOST, "{} bytes", html.len());
    let shown = text(&html);
    assert!(
        shown.contains("The first 600 of 780 pairs.") && shown.contains("The first 156 of 600.")
    );
    assert!(
        shown.contains("The first 24 of 500 values.")
            && shown.contains("4 more plots do not fit this page.")
    );
}

#[test]
fn a_large_board_lists_its_first_five_hundred_tasks() {
    let html = summary(&page(8, 10_000, TEXT)).expect("a page");
    assert!(html.len() < MOST, "{} bytes", html.len());
    assert!(text(&html).contains("The first 500 of 10000."));
    let links = attribute(&html, "href");
    assert_eq!(
        (links.len(), links[499].as_str()),
        (500, "tasks/t_499.html")
    );
}

#[test]
fn the_same_board_gives_the_same_page() {
    let page = page(3, 30, TEXT);
    assert_eq!(
        summary(&page).expect("a page"),
        summary(&page).expect("a page")
    );
}
