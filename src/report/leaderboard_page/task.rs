//! One task's page: each agent's report beside its evaluation, and the stored text of the pages
//! behind its key points. Hides the links from key points to their spans.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use minijinja::{context, value::Serde};
use serde::Serialize;

use super::{
    super::markup,
    passages::{self, Marked, Piece},
};

/// Characters of a stored page that are shown, at most.
const SHOWN: usize = 20_000;

/// The content of the page. A number that is absent or not finite is shown as a dash.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TaskPage {
    /// The task's id.
    pub id: String,
    /// What it asks for.
    pub text: String,
    /// Names and values, such as `type` and `Metric Design`.
    pub facets: Vec<(String, String)>,
    /// The leaderboard, relative to this page; letters, digits and `-._~/#%` only, else it is not
    /// linked.
    pub back: String,
    /// The agents' reports.
    pub reports: Vec<ReportView>,
    /// The pages that key points come from, each with a URL of its own.
    pub pages: Vec<StoredPage>,
}

/// A report and its evaluation.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ReportView {
    /// Who wrote it.
    pub agent: String,
    /// How it ended, such as `ok` and `refused`.
    pub state: String,
    /// Markdown, shown as it is.
    pub text: String,
    /// The checklist with its ratings; a criterion that several judges rated is there once for
    /// each.
    pub ace: Vec<CriterionView>,
    /// The key points that it was compared with.
    pub points: Vec<PointView>,
    /// What it cites.
    pub citations: Vec<CitationView>,
    /// Missing judgements and pages.
    pub failures: Vec<Failure>,
}

/// A criterion of the checklist and its rating.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CriterionView {
    /// Its title.
    pub title: String,
    /// Its share of the score, 0 to 1.
    pub weight: f64,
    /// What is asked for.
    pub description: String,
    /// 0 to 10; none where none could be had.
    pub rating: Option<f64>,
    /// The judge's reasons.
    pub justification: String,
    /// Who rated.
    pub judge: String,
}

/// A key point and its relation to the report.
#[derive(Clone, Debug, Serialize)]
pub struct PointView {
    /// The key point.
    pub text: String,
    /// What the report says of it.
    pub relation: Relation,
    /// The judge's, 0 to 1.
    pub confidence: Option<f64>,
    /// The judge's reasons.
    pub reasoning: String,
    /// The words of its pages that it rests on.
    pub spans: Vec<String>,
    /// Where it comes from.
    pub pages: Vec<SourcePage>,
    /// Whether it belongs to the set of the report's own pages.
    pub in_own: bool,
    /// Whether it belongs to the set of the other agents' pages.
    pub in_independent: bool,
}

/// The relation of a report to a key point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// It says so.
    Supports,
    /// It says a part of it and leaves its main claim open.
    Partly,
    /// It says nothing of it.
    Omits,
    /// It says otherwise.
    Contradicts,
    /// There is no verdict.
    Unscored,
}

/// A page that a key point comes from.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SourcePage {
    /// Its address.
    pub url: String,
    /// Its title; may be empty.
    pub title: String,
    /// Whether the key point's spans were found in it word for word.
    pub verified: bool,
}

/// Something that a report cites.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CitationView {
    /// How the report refers to it, such as `[3]`.
    pub label: String,
    /// Its address.
    pub url: String,
    /// What is odd about the citation; may be empty.
    pub diagnosis: String,
    /// The outcome of fetching it, such as `ok` and `not found`.
    pub status: String,
}

/// A missing judgement or page.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Failure {
    /// What is missing, such as `rating of "Data accuracy"`.
    pub what: String,
    /// Why it is missing, such as `truncated`.
    pub cause: String,
}

/// A page as it was stored.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StoredPage {
    /// Its address.
    pub url: String,
    /// Its title; may be empty.
    pub title: String,
    /// Its text.
    pub text: String,
}

/// The task's page as one file.
pub fn task(page: &TaskPage) -> Result<String> {
    let marked = marked(page);
    let pieces: Vec<&[Piece]> = marked
        .iter()
        .map(|(_, marked)| marked.pieces.as_slice())
        .collect();
    let links: Vec<Vec<Links>> = page
        .reports
        .iter()
        .map(|report| {
            report
                .points
                .iter()
                .map(|point| links(point, &marked))
                .collect()
        })
        .collect();
    let sets: Vec<Vec<Set>> = page.reports.iter().map(sets).collect();
    let values = context! { page => Serde(page), pieces => Serde(pieces), links => Serde(links), sets => Serde(sets) };
    let templates = [
        ("task.html", include_str!("task.html")),
        ("style.css", include_str!("style.css")),
    ];
    markup::fill(&templates, values)
}

/// Each stored page's address and its text, with the spans of all key points that come from it.
fn marked(page: &TaskPage) -> Vec<(&str, Marked)> {
    let mut spans = BTreeMap::<&str, BTreeSet<&str>>::new();
    for point in page.reports.iter().flat_map(|report| &report.points) {
        for source in &point.pages {
            spans
                .entry(&source.url)
                .or_default()
                .extend(point.spans.iter().map(String::as_str));
        }
    }
    let stored = page.pages.iter().map(|stored| {
        let spans = spans
            .get(stored.url.as_str())
            .into_iter()
            .flatten()
            .copied();
        (
            stored.url.as_str(),
            passages::marked(&stored.text, spans, SHOWN),
        )
    });
    stored.collect()
}

/// Where the parts of a key point lead to on this page.
#[derive(Serialize)]
struct Links {
    /// For each span its mark.
    spans: Vec<Option<String>>,
    /// For each page the first mark of the key point on it, else the page.
    pages: Vec<Option<String>>,
}

fn links(point: &PointView, marked: &[(&str, Marked)]) -> Links {
    let index = |source: &SourcePage| marked.iter().position(|(url, _)| *url == source.url);
    let pages: Vec<Option<usize>> = point.pages.iter().map(index).collect();
    let mark = |page: usize, span: &String| {
        Some(format!("page-{page}-{}", marked[page].1.marks.get(span)?))
    };
    let of_span = |span: &String| pages.iter().flatten().find_map(|page| mark(*page, span));
    let of_page = |page: usize| point.spans.iter().find_map(|span| mark(page, span));
    Links {
        spans: point.spans.iter().map(of_span).collect(),
        pages: pages
            .iter()
            .map(|page| page.map(|page| of_page(page).unwrap_or(format!("page-{page}"))))
            .collect(),
    }
}

/// The counts of a set's key points by relation.
#[derive(Serialize)]
struct Set {
    name: &'static str,
    supports: usize,
    contradicts: usize,
    partly: usize,
    omits: usize,
    unscored: usize,
}

/// The sets that have key points.
fn sets(report: &ReportView) -> Vec<Set> {
    let mut sets = vec![
        set(&report.points, "own pages", |point| point.in_own),
        set(&report.points, "other agents' pages", |point| {
            point.in_independent
        }),
    ];
    sets.retain(|set| set.supports + set.contradicts + set.partly + set.omits + set.unscored > 0);
    sets
}

fn set(points: &[PointView], name: &'static str, belongs: fn(&PointView) -> bool) -> Set {
    let n = |relation| {
        points
            .iter()
            .filter(|point| belongs(point) && point.relation == relation)
            .count()
    };
    Set {
        name,
        supports: n(Relation::Supports),
        contradicts: n(Relation::Contradicts),
        partly: n(Relation::Partly),
        omits: n(Relation::Omits),
        unscored: n(Relation::Unscored),
    }
}
