//! Forms of reviewers. Hides their guard: what is read here was sent by a page of ours, for the
//! reviewer who is named.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Form,
    extract::{FromRequest, Request},
    http::StatusCode,
};
use serde::{Deserialize, de::value::MapDeserializer};

use crate::server::{Server, access::Who, no_reviewer, page::Failure};

/// Most characters of a note.
const NOTE: usize = 2000;

/// A form, and the reviewer who sent it.
pub struct Signed<T> {
    /// The reviewer's name.
    pub name: String,
    /// What the form says.
    pub form: T,
}

impl<T: for<'de> Deserialize<'de>> FromRequest<Arc<Server>> for Signed<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, server: &Arc<Server>) -> Result<Self, Failure> {
        let Some(Who::Reviewer(name)) = request.extensions().get::<Who>().cloned() else {
            return Err(no_reviewer());
        };
        let read = Form::<BTreeMap<String, String>>::from_request(request, server).await;
        let Form(fields) = read.map_err(|error| unreadable(&error.to_string()))?;
        let guard = fields.get("guard").map_or("", String::as_str);
        if !server.key.is_guard(&name, guard) {
            return Err(Failure::new(
                StatusCode::FORBIDDEN,
                "This form is not ours",
                "Nothing was changed. Open the page again, and decide there.",
            ));
        }
        let form = T::deserialize(MapDeserializer::new(fields.into_iter()))
            .map_err(|error: serde::de::value::Error| unreadable(&error.to_string()))?;
        Ok(Self { name, form })
    }
}

fn unreadable(error: &str) -> Failure {
    Failure::bad(
        "This form cannot be read",
        format!("Nothing was changed: {error}"),
    )
}

/// A note as it is kept.
pub fn note(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    text.trim().chars().take(NOTE).collect()
}

/// Which cards a page shows, as a form carries it on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// What is open.
    #[default]
    Open,
    /// What the reviewer has decided, once more.
    Again,
    /// What reviewers disagree on.
    Disputed,
}

impl Mode {
    /// As an address says it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Again => "again",
            Self::Disputed => "disputed",
        }
    }
}
