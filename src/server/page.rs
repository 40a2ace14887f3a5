//! The frame of every page: title, menu, style; and what a browser may do with it. Hides the
//! headers of answers, and what is shown where there is no page.

use anyhow::{Error, Result};
use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};
use minijinja::{
    Value, context,
    value::{Serde, merge_maps},
};
use serde::Serialize;

use super::access::Who;
use crate::report::{board_csv::plain_cell, markup};

/// What a page of this server may load and send to: this server. It runs no script but its own
/// files, and stands in no frame.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; media-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The answer to a request: a page, a file, or why there is none.
pub type Answer = Result<Response, Failure>;

/// Where a page stands, and who reads it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Frame {
    /// Its heading.
    pub title: String,
    /// The address of its entry in the menu.
    pub here: &'static str,
    /// The reviewer's name; none of a visitor.
    pub reviewer: Option<String>,
    /// What forms carry.
    pub guard: String,
    /// The moment that its numbers are of, where facts have changed since.
    pub as_of: Option<String>,
    /// Addresses and names of what belongs to a page of the report layer, such as its data.
    pub links: Vec<(String, String)>,
    /// What a reader of such a page must know first.
    pub notes: Vec<String>,
    /// The address of the page's data.
    pub data: Option<String>,
    /// Entries of the menu: address and name.
    menu: &'static [(&'static str, &'static str)],
}

/// What visitors read.
const BROWSE: &[(&str, &str)] = &[
    ("/", "Overview"),
    ("/seminars", "Seminars"),
    ("/inspirations", "Inspirations"),
    ("/tasks", "Tasks"),
    ("/ranking", "Ranking"),
    ("/reports", "Reports"),
    ("/leaderboard", "Leaderboard"),
    ("/matches", "Matches"),
    ("/people", "People"),
    ("/calls", "Calls"),
];

/// What reviewers do. They see nothing else, so that what others said stays unknown to them.
const REVIEW: &[(&str, &str)] = &[
    ("/review", "Overview"),
    ("/review/inspirations", "Inspirations"),
    ("/review/tasks", "Tasks"),
    ("/review/reports", "Reports"),
    ("/review/duels/tasks", "Duels of tasks"),
    ("/review/duels/reports", "Duels of reports"),
];

impl Frame {
    /// The frame of a page under `here` in the menu.
    pub fn new(who: &Who, guard: String, here: &'static str, title: impl Into<String>) -> Self {
        let (menu, reviewer) = match who {
            Who::Visitor => (BROWSE, None),
            Who::Reviewer(name) => (REVIEW, Some(name.clone())),
        };
        Self {
            title: title.into(),
            here,
            reviewer,
            guard,
            as_of: None,
            data: None,
            links: Vec::new(),
            notes: Vec::new(),
            menu,
        }
    }

    /// The same, of numbers that were so at a moment.
    #[must_use]
    pub fn of_moment(mut self, moment: Option<jiff::Timestamp>) -> Self {
        self.as_of = moment.map(|moment| moment.strftime("%H:%M:%S UTC").to_string());
        self
    }

    /// A page: a template that extends `frame.html`, filled with `values`.
    pub fn page(&self, template: &str, values: Value) -> Answer {
        Ok(html(StatusCode::OK, self.filled(template, values)?))
    }

    fn filled(&self, template: &str, values: Value) -> Result<String> {
        let values = merge_maps([context! { frame => Serde(self) }, values]);
        let templates = [
            ("page.html", template),
            ("frame.html", include_str!("templates/frame.html")),
            ("menu.html", include_str!("templates/menu.html")),
            ("parts.html", include_str!("templates/parts.html")),
            ("card.html", include_str!("templates/people/card.html")),
        ];
        markup::fill(&templates, values)
    }

    /// A page of the report layer, with the menu above it. It keeps its own style and script, which
    /// its own policy names.
    pub fn around(&self, page: &str) -> Answer {
        let templates = [
            ("around.html", include_str!("templates/around.html")),
            ("menu.html", include_str!("templates/menu.html")),
        ];
        let menu = markup::fill(&templates, context! { frame => Serde(self) })?;
        let served = markup::served(page, MENU_STYLE, &menu)?;
        let mut response = html(StatusCode::OK, served.page);
        let policy = HeaderValue::try_from(served.policy).map_err(Error::new)?;
        response
            .headers_mut()
            .insert(header::CONTENT_SECURITY_POLICY, policy);
        Ok(response)
    }
}

/// Where the menu's style is.
const MENU_STYLE: &str = "/assets/menu.css";

fn html(status: StatusCode, page: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
    ];
    (status, headers, page).into_response()
}

/// A value as a JSON file.
pub fn json<T: Serialize>(value: &T) -> Answer {
    let text = serde_json::to_string_pretty(value).map_err(Error::new)?;
    Ok(file("application/json", text))
}

/// A text that was made before, of a kind such as `application/json`.
pub fn file(kind: &'static str, text: String) -> Response {
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

/// Rows as a CSV file under a name.
pub fn csv(name: &str, columns: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Answer {
    let mut lines = csv::Writer::from_writer(Vec::new());
    lines.write_record(columns).map_err(Error::new)?;
    for row in rows {
        let row = row.iter().map(|cell| plain_cell(cell));
        lines.write_record(row).map_err(Error::new)?;
    }
    let text = lines.into_inner().map_err(|e| Error::new(e.into_error()))?;
    let text = String::from_utf8(text).map_err(Error::new)?;
    Ok(table(name, text))
}

/// A CSV file that was made before.
pub fn table(name: &str, text: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}.csv\""),
        ),
    ];
    (headers, text).into_response()
}

/// The last part of an address: an id, and whether its data is wanted in place of its page, as in
/// `ID.json`.
pub fn named(last: &str) -> (&str, bool) {
    match last.strip_suffix(".json") {
        Some(id) => (id, true),
        None => (last, false),
    }
}

/// On to another page, after a form.
pub fn on_to(address: &str) -> Response {
    Redirect::to(address).into_response()
}

/// Why there is no page.
#[derive(Debug)]
pub struct Failure {
    status: StatusCode,
    what: String,
    hint: String,
}

impl Failure {
    /// A failure with a status, what is wrong, and what to do.
    pub fn new(status: StatusCode, what: impl Into<String>, hint: impl Into<String>) -> Self {
        let (what, hint) = (what.into(), hint.into());
        Self { status, what, hint }
    }

    /// There is no such thing.
    pub fn none(what: &str) -> Self {
        let hint = "The list shows those that there are; what was changed or forgotten is gone.";
        Self::new(StatusCode::NOT_FOUND, what, hint)
    }

    /// What was sent cannot be used.
    pub fn bad(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, what, hint)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        tracing::error!("{error:#}");
        let said = format!("{error:#}");
        let (what, hint) = said.split_once("\nhint: ").unwrap_or((&said, ""));
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, what, hint)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let frame = Frame {
            title: self.status.canonical_reason().unwrap_or("No page").into(),
            ..Frame::default()
        };
        let values = context! { what => self.what, hint => self.hint };
        match frame.filled(include_str!("templates/failure.html"), values) {
            Ok(page) => html(self.status, page),
            Err(_) => (self.status, Body::empty()).into_response(),
        }
    }
}
