//! An analysis as one HTML page: what it is of, its plots with their numbers, and pairs of
//! sentences that contradict each other. The page needs no network and runs no script.

mod plots;

use std::path::Path;

use anyhow::{Context as _, Result};
use minijinja::{context, value::Serde};
use serde::Serialize;

pub use plots::{Cell, Grid, forest, grid};

use super::{markup, svg::Figure};
use crate::files;

/// The content of the page.
#[derive(Default, Serialize)]
pub struct AnalysisPage {
    /// The heading.
    pub title: String,
    /// Names and values: measure, tasks, judge.
    pub facts: Vec<(String, String)>,
    /// Warnings that a reader must know first.
    pub warnings: Vec<String>,
    /// The plots in reading order.
    pub figures: Vec<Figure>,
    /// Sentences that contradict each other.
    pub pairs: Vec<Pair>,
    /// Pairs for which the page has no room.
    pub left_out: usize,
}

/// Two sentences that contradict each other.
#[derive(Serialize)]
pub struct Pair {
    /// What kind of contradiction it is.
    pub kind: String,
    /// Where they stand: agent and article.
    pub place: String,
    /// The two sentences, each cut where marked words begin and end.
    pub sides: [Side; 2],
    /// The judge's reason.
    pub reason: String,
}

/// A sentence of a pair.
#[derive(Serialize)]
pub struct Side {
    /// Who says so.
    pub name: String,
    /// Its parts in order, with whether each is marked.
    pub parts: Vec<(String, bool)>,
}

impl Side {
    /// A sentence with these spans marked, in Unicode scalar values; spans that overlap or leave
    /// the sentence are left out.
    pub fn new(name: &str, sentence: &str, marks: &[std::ops::Range<usize>]) -> Self {
        let chars: Vec<char> = sentence.chars().collect();
        let mut marks: Vec<_> = marks.to_vec();
        marks.sort_by_key(|mark| (mark.start, mark.end));
        let (mut parts, mut at) = (Vec::new(), 0);
        let part = |from: usize, to: usize| chars[from..to].iter().collect::<String>();
        for mark in marks {
            if mark.start < at || mark.end > chars.len() || mark.is_empty() {
                continue;
            }
            if mark.start > at {
                parts.push((part(at, mark.start), false));
            }
            parts.push((part(mark.start, mark.end), true));
            at = mark.end;
        }
        if at < chars.len() {
            parts.push((part(at, chars.len()), false));
        }
        Self {
            name: name.to_owned(),
            parts,
        }
    }
}

/// Writes the page.
pub fn write(page: &AnalysisPage, path: &Path) -> Result<()> {
    let html = html(page)?;
    files::write_whole(path, html.as_bytes())
        .context("cannot write the page\nhint: choose another place")
}

fn html(page: &AnalysisPage) -> Result<String> {
    let values = context! { page => Serde(page) };
    markup::fill(
        &[
            ("analysis.html", include_str!("analysis.html")),
            ("style.css", include_str!("../leaderboard_page/style.css")),
        ],
        values,
    )
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    #[test]
    fn marks_cut_a_sentence_and_strange_ones_are_left_out() {
        let parts = |marks: &[(usize, usize)]| {
            let marks: Vec<_> = marks.iter().map(|(from, to)| *from..*to).collect();
            Side::new("x", "河 is 7 m.", &marks).parts
        };
        let text = |text: &str, marked| (text.to_owned(), marked);
        assert_eq!(
            parts(&[(5, 6)]),
            [text("河 is ", false), text("7", true), text(" m.", false)]
        );
        let strange = [(5, 6), (5, 7), (90, 91), (3, 3)];
        assert_eq!(parts(&strange).len(), 3);
        assert_eq!(parts(&[]), [text("河 is 7 m.", false)]);
        assert!(Side::new("x", "", &[]).parts.is_empty());
    }

    #[test]
    fn what_strangers_wrote_is_text() {
        let page = AnalysisPage {
            title: "<script>".to_owned(),
            figures: vec![grid(&Grid {
                id: "map",
                title: "<b>".to_owned(),
                caption: "x".to_owned(),
                best_is_high: true,
                columns: vec!["<i>".to_owned()],
                rows: vec![("<u>".to_owned(), vec![Cell::of(Some(0.5))])],
            })],
            pairs: vec![Pair {
                kind: "number".to_owned(),
                place: "<a>".to_owned(),
                sides: ["<p>", "<q>"]
                    .map(|text| Side::new("a", text, &[Range { start: 0, end: 2 }])),
                reason: "<em>".to_owned(),
            }],
            ..AnalysisPage::default()
        };
        let html = html(&page).expect("a page");
        for tag in [
            "<script>", "<b>", "<i>", "<u>", "<a>", "<p><", "<q>", "<em>",
        ] {
            assert!(!html.contains(tag), "{tag}");
        }
        assert!(
            html.contains("&lt;em&gt;") && html.contains("<mark>&lt;p</mark>"),
            "{html}"
        );
    }
}
