//! In by a link, out by a button: a cookie is set, or taken away.

use std::sync::Arc;

use anyhow::Error;
use axum::{
    Form,
    extract::{Query, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::IntoResponse as _,
};
use minijinja::context;
use serde::Deserialize;

use crate::server::{
    Server,
    access::{Who, cookie},
    page::{Answer, Failure, on_to},
};

/// How long a link's cookie is kept: a round of reviews takes some weeks.
const DAYS: u32 = 90;

/// What a link carries.
#[derive(Deserialize)]
pub struct Link {
    token: String,
}

/// `GET /enter?token=…`: sets the cookie. The page that follows is opened by this one: a browser
/// that came from another site would not send the cookie along at once.
pub async fn enter(State(server): State<Arc<Server>>, Query(link): Query<Link>) -> Answer {
    let Some(who) = server.key.who(&link.token) else {
        return Err(Failure::new(
            StatusCode::UNAUTHORIZED,
            "This link is not, or no longer, good here",
            "A new link is printed by `taskgen serve --reviewer NAME`.",
        ));
    };
    let (frame, to) = match &who {
        Who::Visitor => (server.frame(&who, "", "Welcome"), "/"),
        Who::Reviewer(name) => (
            server.frame(&who, "", format!("Welcome, {name}")),
            "/review",
        ),
    };
    let mut response = frame.page(
        include_str!("../templates/enter.html"),
        context! { to => to },
    )?;
    let set = format!(
        "{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}",
        server.cookie,
        link.token,
        u64::from(DAYS) * 24 * 60 * 60,
        if server.is_behind_tls() {
            "; Secure"
        } else {
            ""
        }
    );
    let set = HeaderValue::try_from(set).map_err(Error::new)?;
    response.headers_mut().insert(header::SET_COOKIE, set);
    Ok(response)
}

/// A form that only says who sends it.
#[derive(Deserialize)]
pub struct Leave {
    guard: String,
}

/// `POST /leave`: takes the cookie away.
pub async fn leave(
    State(server): State<Arc<Server>>,
    headers: HeaderMap,
    Form(form): Form<Leave>,
) -> Answer {
    let token = cookie(&headers, &server.cookie);
    if let Some(Who::Reviewer(name)) = token.and_then(|token| server.key.who(token))
        && !server.key.is_guard(&name, &form.guard)
    {
        return Err(Failure::bad(
            "This form is not ours",
            "Nothing was changed.",
        ));
    }
    let mut response = on_to("/").into_response();
    let gone = format!(
        "{}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
        server.cookie
    );
    let gone = HeaderValue::try_from(gone).map_err(Error::new)?;
    response.headers_mut().insert(header::SET_COOKIE, gone);
    Ok(response)
}
