//! Templates filled with untrusted texts. Hides the protection: escaping, the choice of addresses
//! that become links, and invisible characters.

use anyhow::{Context as _, Result};
use data_encoding::BASE64;
use minijinja::{Environment, UndefinedBehavior, Value};
use sha2::{Digest as _, Sha256};

use super::svg;
use crate::{data::Ms, text::invisible::works_unseen};

/// What all templates may include: the head of a page, with `title`, the styles of `style.css` and
/// a `policy` if it is not the usual one; the title with the warnings, and the facts, of a `page`;
/// the table of a figure's numbers.
const SHARED: [(&str, &str); 4] = [
    ("head.html", include_str!("markup/head.html")),
    ("opening.html", include_str!("markup/opening.html")),
    ("facts.html", include_str!("markup/facts.html")),
    ("numbers.html", include_str!("markup/numbers.html")),
];

/// The first template filled with the values; the others, by name, are what it may include, as it
/// may the shared ones. A name's ending, such as `.html`, turns on the escaping of all that is
/// filled in.
pub fn fill(templates: &[(&str, &str)], values: Value) -> Result<String> {
    let mut environment = Environment::new();
    // A misspelt name must fail in a test, not print nothing.
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.add_filter("number", |value: Option<f64>, decimals| {
        svg::number(value.unwrap_or(f64::NAN), decimals)
    });
    environment.add_filter("short", |text: &str, width: usize| svg::short(text, width));
    environment.add_filter(
        "interval",
        |low: Option<f64>, high: Option<f64>, decimals| {
            interval(low.unwrap_or(f64::NAN), high.unwrap_or(f64::NAN), decimals)
        },
    );
    environment.add_filter("time", |seconds: f64| Ms::from_seconds(seconds).to_string());
    environment.add_filter("outside", |address: &str| {
        outside(address).map(str::to_owned)
    });
    environment.add_filter("beside", |address: &str| beside(address).map(str::to_owned));
    for (name, text) in templates.iter().chain(&SHARED) {
        environment
            .add_template(name, text)
            .context("a page's template cannot be read")?;
    }
    let first = templates.first().map_or("", |(name, _)| name);
    let filled = environment
        .get_template(first)
        .and_then(|template| template.render(values));
    // Last, over the whole page: whatever way a text came in.
    Ok(visible(&filled.context("the page cannot be filled")?))
}

/// What a page may load and run: the style and the script that are part of it, and what `more`
/// allows.
pub fn policy(style: &str, script: &str, more: &str) -> String {
    let hash = |text: &str| BASE64.encode(&Sha256::digest(text.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; {more}base-uri 'none'; form-action 'none'",
        // A template's last line break is not filled in.
        hash(style.trim_end_matches('\n')),
        hash(script)
    )
}

/// A page of this layer as a server sends it.
pub struct Served {
    /// The page with the menu above it, without a policy of its own.
    pub page: String,
    /// The value of the header `Content-Security-Policy`.
    pub policy: String,
}

/// The page with a menu, which is markup, and the menu's style sheet at the address `style`. What
/// it may load and run is as before, and its policy goes into a header, which says more than a page
/// can: it stands in no frame.
pub fn served(page: &str, style: &str, menu: &str) -> Result<Served> {
    const BEGINS: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"";
    const ENDS: &str = "\"/>\n";
    // The head is ours up to the title, and the rest is escaped: the first of each is meant.
    let parts = page.split_once(BEGINS).and_then(|(before, rest)| {
        let (policy, rest) = rest.split_once(ENDS)?;
        let (head, rest) = rest.split_once("</head>")?;
        let (between, body) = rest.split_once("<body>")?;
        Some((before, policy, head, between, body))
    });
    let (before, policy, head, between, body) =
        parts.context("a page without a policy, a head or a body")?;
    let policy = unescaped(policy)
        .replace("style-src ", "style-src 'self' ")
        .replace("form-action 'none'", "form-action 'self'");
    Ok(Served {
        page: format!(
            "{before}{head}<link rel=\"stylesheet\" href=\"{style}\"/>\n</head>{between}<body>\n{menu}<div id=\"content\"></div>{body}"
        ),
        policy: format!("{policy}; frame-ancestors 'none'"),
    })
}

/// What the template has escaped in a policy of ours.
fn unescaped(policy: &str) -> String {
    policy
        .replace("&#x27;", "'")
        .replace("&#x2f;", "/")
        .replace("&#39;", "'")
}

/// `[low, high]`, or a dash.
pub fn interval(low: f64, high: f64, decimals: usize) -> String {
    if low.is_finite() && high.is_finite() {
        format!(
            "[{}, {}]",
            svg::number(low, decimals),
            svg::number(high, decimals)
        )
    } else {
        "–".to_owned()
    }
}

/// The address of a page on the web, if it may become a link: nothing but http and https.
pub(crate) fn outside(address: &str) -> Option<&str> {
    let broken = |c: char| c.is_whitespace() || c.is_control() || c == '\\';
    let is_web = has_scheme(address, "http://") || has_scheme(address, "https://");
    (is_web && !address.contains(broken)).then_some(address)
}

fn has_scheme(address: &str, scheme: &str) -> bool {
    address
        .get(..scheme.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
}

/// The address of a file of ours, relative to the page's own folder. It can leave neither the
/// page's host nor its scheme.
fn beside(address: &str) -> Option<&str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/#%".contains(c);
    (!address.is_empty() && !address.starts_with('/') && address.chars().all(plain))
        .then_some(address)
}

/// Shows characters that would work unseen, and those that no HTML may contain.
fn visible(page: &str) -> String {
    let hidden = |c: char| works_unseen(c) || matches!(c, '\u{FFFE}' | '\u{FFFF}');
    page.chars()
        .map(|c| {
            if hidden(c) {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_web_is_linked() {
        for good in [
            "http://a.org",
            "https://a.org/b?c=d&e=\"f\"#g",
            "HTTPS://A.ORG",
            "https://例子.org/研究",
        ] {
            assert_eq!(outside(good), Some(good));
        }
        let bad = [
            "",
            "javascript:alert(1)",
            " https://a.org",
            "java\nscript:x",
            "https://a.org\\b",
            "data:text/html,x",
        ];
        for bad in bad.into_iter().chain([
            "//a.org",
            "ftp://a.org",
            "https:/a.org",
            "http",
            "httpé://a",
            "https://a\u{0}",
        ]) {
            assert_eq!(outside(bad), None, "{bad}");
        }
    }

    #[test]
    fn our_files_are_linked_by_plain_relative_names() {
        for good in [
            "tasks/t_01ab.html",
            "../leaderboard.html",
            "t.html#report-1",
        ] {
            assert_eq!(beside(good), Some(good));
        }
        for bad in [
            "",
            "/etc/passwd",
            "//a.org",
            "javascript:x",
            "a b.html",
            "a\"b",
            "..\\b",
            "a?b",
        ] {
            assert_eq!(beside(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_template_escapes_and_refuses_what_it_was_not_given() {
        let page = |text: &str| {
            fill(
                &[("page.html", text), ("part.html", "{{ x }}")],
                minijinja::context! { x => "<\u{202E}>" },
            )
        };
        assert_eq!(
            page("{{ x }}{% include 'part.html' %}").expect("a page"),
            "&lt;\u{FFFD}&gt;&lt;\u{FFFD}&gt;"
        );
        assert!(page("{{ y }}").is_err());
        assert!(fill(&[], minijinja::context! {}).is_err());
    }

    #[test]
    fn a_served_page_keeps_what_it_may_do_and_gets_a_menu() {
        let page = |policy: Option<String>| {
            let text = "{% set title = 'x</head><body>' %}{% include 'head.html' %}<body><p>{{ y }}</p></body>";
            let values = if let Some(policy) = policy {
                minijinja::context! { policy, y => "<body>" }
            } else {
                minijinja::context! { y => "<body>" }
            };
            let page = fill(&[("page.html", text), ("style.css", "p {}")], values).expect("a page");
            served(&page, "/menu.css", "<nav>m</nav>").expect("served")
        };
        let Served {
            page: html,
            policy: said,
        } = page(Some(policy("p {}", "x()", "")));
        assert!(!html.contains("Content-Security-Policy"), "{html}");
        assert!(html.contains("<body>\n<nav>m</nav>") && html.contains("/menu.css\"/>\n</head>"));
        assert!(
            html.contains("<title>x&lt;&#x2f;head&gt;&lt;body&gt;</title>"),
            "{html}"
        );
        let hash = policy("p {}", "x()", "");
        let script = hash.split("script-src ").nth(1).expect("a hash");
        let script = script.split(';').next().expect("a hash");
        assert!(said.contains(&format!("script-src {script};")), "{said}");
        assert!(
            said.contains("style-src 'self' 'sha256-") && said.ends_with("frame-ancestors 'none'")
        );
        assert!(
            page(None)
                .policy
                .starts_with("default-src 'none'; style-src 'self' 'unsafe-inline'")
        );
        assert!(served("<p>", "/menu.css", "").is_err());
    }

    #[test]
    fn what_is_not_known_is_a_dash() {
        let values = minijinja::context! { none => None::<f64>, nan => f64::NAN, one => 1.0 };
        let text = "{{ none|number(1) }} {{ nan|number(1) }} {{ one|number(1) }} {{ none|interval(one, 1) }} {{ one|interval(one, 0) }}";
        assert_eq!(
            fill(&[("page.html", text)], values).expect("a page"),
            "– – 1.0 – [1, 1]"
        );
    }
}
