//! Style sheets and scripts of the pages.

use axum::{
    extract::Path,
    http::header,
    response::{IntoResponse as _, Response},
};

use super::page::Failure;

const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// A file by its name.
pub async fn asset(Path(name): Path<String>) -> Result<Response, Failure> {
    let (kind, text) = match name.as_str() {
        "menu.css" => (CSS, include_str!("assets/menu.css")),
        "style.css" => (CSS, include_str!("assets/style.css")),
        "player.js" => (SCRIPT, include_str!("assets/player.js")),
        "live.js" => (SCRIPT, include_str!("assets/live.js")),
        "keys.js" => (SCRIPT, include_str!("assets/keys.js")),
        _ => return Err(Failure::none("There is no such file")),
    };
    // Asked for again with each page: a newer program has newer ones under the same names.
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    Ok((headers, text).into_response())
}
