//! The scoring page: one HTML page on which a person scores reports with the keyboard, one at a
//! time, in random order, without the names of their agents. The browser keeps the scores until
//! they are saved as a file. The page loads nothing and runs one script of its own.

use anyhow::Result;
use minijinja::{Value, context, value::Serde};
use serde::Serialize;

use super::markup;
use crate::data::id::sha256_hex;

/// The content of the page.
#[derive(Clone, Debug, Serialize)]
pub struct Page {
    /// The heading.
    pub title: String,
    /// Warnings that a reader must know first.
    pub warnings: Vec<String>,
    /// The hash of the reports in their order: the browser keeps the scores under it.
    pub sheet: String,
    /// In the order in which they are shown.
    pub reports: Vec<Report>,
}

/// A report.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Its id.
    pub id: String,
    /// What it answers.
    pub task: String,
    /// Its text.
    pub text: String,
    /// The criteria that are scored beside the whole.
    pub criteria: Vec<Criterion>,
}

/// A criterion of a checklist.
#[derive(Clone, Debug, Serialize)]
pub struct Criterion {
    /// Under which its scores are kept.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What it asks.
    pub description: String,
}

impl Page {
    /// A page of these reports.
    pub fn new(reports: Vec<Report>) -> Self {
        let names = reports.iter().flat_map(|report| {
            [report.id.as_str()].into_iter().chain(
                report
                    .criteria
                    .iter()
                    .map(|criterion| criterion.name.as_str()),
            )
        });
        let sheet = sha256_hex(names.collect::<Vec<_>>().join(" ").as_bytes())[..16].to_owned();
        Self {
            title: "Score the reports".to_owned(),
            warnings: Vec::new(),
            sheet,
            reports,
        }
    }
}

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The page as one file.
pub fn html(page: &Page) -> Result<String> {
    let values = context! {
        page => Serde(page),
        policy => markup::policy(STYLE, SCRIPT, ""),
        script => Value::from_safe_string(SCRIPT.to_owned()),
    };
    markup::fill(
        &[
            ("scoring.html", include_str!("scoring.html")),
            ("style.css", STYLE),
        ],
        values,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_strangers_wrote_is_text_and_the_sheet_is_named_by_what_is_on_it() {
        let report = |id: &str| Report {
            id: id.into(),
            task: "<b>Survey</b>".into(),
            text: "</pre><script>alert(1)</script>".into(),
            criteria: vec![Criterion {
                name: "z/0".into(),
                title: "\"Depth\"".into(),
                description: "a & b".into(),
            }],
        };
        let page = Page::new(vec![report("d_1"), report("d_2")]);
        let html = html(&page).expect("a page");
        assert!(
            html.contains("&lt;b&gt;Survey")
                && !html.contains("<script>alert")
                && html.contains("a &amp; b")
        );
        assert_eq!(html.matches("<script>").count(), 1);
        assert_eq!(html.matches("data-criterion=\"z&#x2f;0\"").count(), 2);
        assert_eq!(
            page.sheet,
            Page::new(vec![report("d_1"), report("d_2")]).sheet
        );
        assert_ne!(
            page.sheet,
            Page::new(vec![report("d_2"), report("d_1")]).sheet
        );
    }
}
