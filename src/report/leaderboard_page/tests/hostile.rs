//! Texts of strangers stay texts: nothing runs, nothing is loaded, nothing is hidden.

use super::{evidence::task_page, *};

const HOSTILE: &str = "</title></style><script>alert('1')</script> & \"onload=x \"><img src=x onerror=y> --> ]]> {{ page }} \
                       {% raw %} &lt;b&gt; \u{202E}gnp\u{2069}\u{0}\u{7}";
const SHOWN: &str = "</title></style><script>alert('1')</script> & \"onload=x \"><img src=x onerror=y> --> ]]> {{ page }} \
                     {% raw %} &lt;b&gt; \u{FFFD}gnp";

/// All that a page may consist of.
const TAGS: &str = " html head meta title style body main nav section h1 h2 h3 p dl dt dd ul ol li a bdi span strong small div figure \
                    figcaption details summary table caption thead tbody tr th td mark svg desc text line circle rect ";
const ATTRIBUTES: &str = " lang charset http-equiv content name id class href rel role aria-label aria-labelledby aria-hidden tabindex \
                          dir scope open viewBox x y x1 y1 x2 y2 cx cy r width height transform fill-opacity ";

fn hostile_board() -> Page {
    let mut page = page(2, 3, HOSTILE);
    let hostile = || HOSTILE.to_owned();
    page.title = hostile();
    page.facts = vec![(hostile(), hostile())];
    page.warnings = vec![hostile()];
    for measure in &mut page.measures {
        (measure.label, measure.unit, measure.meaning) = (hostile(), hostile(), hostile());
    }
    page.wholes[0].title = hostile();
    let rename = |name: &mut String| {
        *name = if *name == "acme/agent-0" {
            hostile()
        } else {
            name.clone()
        }
    };
    for agent in &mut page.agents {
        rename(&mut agent.name);
        agent.states = [(hostile(), 1)].into();
        agent.url_failures = [(hostile(), 1)].into();
        agent
            .values
            .values_mut()
            .for_each(|value| value.failed = [(hostile(), 1)].into());
    }
    for pair in &mut page.differences {
        rename(&mut pair.first);
        pair.adjusted = Some(0.01);
    }
    for facet in &mut page.by {
        facet.name = hostile();
        facet
            .values
            .iter_mut()
            .for_each(|value| value.value = hostile());
    }
    for task in &mut page.tasks {
        (task.id, task.facets, task.href) = (
            hostile(),
            vec![(hostile(), hostile())],
            "javascript:alert(1)".into(),
        );
        task.agents
            .values_mut()
            .for_each(|score| score.state = hostile());
    }
    page
}

fn hostile_task() -> TaskPage {
    let mut page = task_page(HOSTILE);
    let hostile = || HOSTILE.to_owned();
    (page.id, page.facets, page.back) = (
        hostile(),
        vec![(hostile(), hostile())],
        format!("../{HOSTILE}"),
    );
    for report in &mut page.reports {
        (report.agent, report.state) = (hostile(), hostile());
        report.failures[0].cause = hostile();
        report.citations[0].url = format!("https://a.org/{HOSTILE}");
        report.citations[0].status = hostile();
        report.citations[0].label = hostile();
        report.points[0].spans = vec![hostile()];
        report.points[1].pages[1].url = "https://a.org/\"onload=\"x".into();
    }
    page
}

fn harmless(html: &str) {
    for (name, attributes) in tags(html) {
        assert!(TAGS.contains(&format!(" {name} ")), "{name} {attributes:?}");
        for (key, value) in &attributes {
            assert!(
                ATTRIBUTES.contains(&format!(" {key} ")),
                "{name} {key}={value}"
            );
        }
        let of = |key: &str| {
            attributes
                .iter()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value.as_str())
        };
        let to = of("href").unwrap_or("#");
        let outside = to.starts_with("http://") || to.starts_with("https://");
        assert!(
            outside == (of("rel") == Some("noreferrer noopener")),
            "{to}"
        );
        assert!(outside || !to.contains(':'), "{to}");
    }
    assert!(!html.contains(['\u{202E}', '\u{2069}', '\u{0}', '\u{7}']));
}

#[test]
fn strangers_texts_stay_texts() {
    for html in [
        summary(&hostile_board()).expect("a page"),
        task(&hostile_task()).expect("a page"),
    ] {
        harmless(&html);
        assert!(
            text(&html).matches(SHOWN).count() > 10,
            "{} times",
            text(&html).matches(SHOWN).count()
        );
    }
}

#[test]
fn only_the_web_is_linked() {
    let links = attribute(&task(&hostile_task()).expect("a page"), "href");
    let outside: Vec<&String> = links.iter().filter(|link| !link.starts_with('#')).collect();
    assert!(
        outside
            .iter()
            .any(|link| *link == "https://a.org/\"onload=\"x")
    );
    assert!(
        outside.iter().all(|link| link.starts_with("https://")),
        "{outside:?}"
    );
}

#[test]
fn nothing_is_loaded_and_nothing_runs() {
    for html in [
        summary(&page(3, 5, TEXT)).expect("a page"),
        task(&task_page("plain")).expect("a page"),
    ] {
        harmless(&html);
        assert!(
            attribute(&html, "content")
                .iter()
                .any(|policy| policy.starts_with("default-src 'none'; style-src 'unsafe-inline'"))
        );
        for outside in ["url(", "@import", "src=", "<script", "<link", "expression("] {
            assert!(!html.contains(outside), "{outside}");
        }
    }
}

#[test]
fn names_of_all_scripts_are_whole() {
    let names = [
        "研究助手-甲",
        "агент",
        "Ünïcode agent 🧪",
        "وكيل",
        "a\u{301}gent",
        "𝔣𝔯𝔞𝔨𝔱𝔲𝔯",
    ];
    let mut page = page(6, 2, "研究课题");
    for (agent, name) in page.agents.iter_mut().zip(names) {
        agent.name = name.into();
    }
    let shown = text(&summary(&page).expect("a page"));
    for name in names {
        assert!(shown.contains(name), "{name}");
    }
}
