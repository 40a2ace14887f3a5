//! One page: whether it is an article of the window, and its revision at the moment of freezing.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    client::Client,
    error::ApiError,
    queries::Member,
    window::{Window, moment},
};
use crate::web::wiki::{Tables, article};

/// Beginnings of titles of lists, in lower case.
const LISTS: &[&str] = &["list of ", "lists of "];
/// Ends of titles of lists.
const LIST_ENDS: &[&str] = &["列表"];

/// Why a page is no article of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It is older than the window.
    BeforeWindow,
    /// It came into being after the window.
    AfterWindow,
    /// It was deleted.
    Deleted,
    /// It is a redirect, or was one when it was frozen.
    Redirect,
    /// It tells articles of one name apart.
    Disambiguation,
    /// It is a list.
    List,
    /// It was not in the category when it was frozen.
    NotInCategory,
    /// Its text is hidden.
    HiddenText,
    /// The wiki cannot give it, or it is larger than the limit.
    Unreadable,
    /// Nothing is left of it but boxes and tables.
    NoProse,
}

impl Reason {
    /// One word for counting.
    pub fn word(self) -> &'static str {
        match self {
            Self::BeforeWindow => "before_window",
            Self::AfterWindow => "after_window",
            Self::Deleted => "deleted",
            Self::Redirect => "redirect",
            Self::Disambiguation => "disambiguation",
            Self::List => "list",
            Self::NotInCategory => "not_in_category",
            Self::HiddenText => "hidden_text",
            Self::Unreadable => "unreadable",
            Self::NoProse => "no_prose",
        }
    }
}

/// An article as it was at the moment of freezing, and as the wiki renders that revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrozenPage {
    /// Id of the page.
    pub page_id: u64,
    /// Its title on the day of the request.
    pub title: String,
    /// When its first revision was saved.
    pub created: String,
    /// When it was put into the category, or sorted anew in it.
    pub added: String,
    /// Id of the frozen revision.
    pub revision: u64,
    /// When that was saved.
    pub revised: String,
    /// Bytes of the wikitext, as the wiki counts them.
    pub bytes: Option<u64>,
    /// Distinct addresses that the rendered page links to on other sites.
    pub external_links: Vec<String>,
    /// Its sections, as the wiki lists them.
    pub sections: Vec<Value>,
    /// The wikitext.
    pub wikitext: String,
    /// The rendered page.
    pub html: String,
}

impl FrozenPage {
    /// Text of the article with its tables of data, in Markdown without its title.
    pub fn text(&self) -> String {
        article(&self.html, Tables::Kept)
    }

    /// The text without tables.
    pub fn prose(&self) -> String {
        article(&self.html, Tables::LeftOut)
    }

    /// The revision in the form of the API's reply.
    pub fn reply(&self) -> Value {
        let main = json!({
            "contentmodel": "wikitext",
            "contentformat": "text/x-wiki",
            "content": self.wikitext,
        });
        let revision = json!({
            "revid": self.revision,
            "timestamp": self.revised,
            "slots": { "main": main },
        });
        let page = json!({
            "pageid": self.page_id,
            "ns": 0,
            "title": self.title,
            "revisions": [revision],
        });
        json!({ "batchcomplete": true, "query": { "pages": [page] } })
    }
}

/// What a page turned out to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageOutcome {
    /// An article of the window.
    Frozen(Box<FrozenPage>),
    /// None.
    LeftOut(Reason),
}

impl Client {
    /// Freezes a member of a category, or says why it is left out. At most three requests, and
    /// none after the first reason.
    pub async fn freeze(
        &self,
        member: &Member,
        category: &str,
        window: &Window,
    ) -> Result<PageOutcome, ApiError> {
        if is_list(&member.title) {
            return Ok(PageOutcome::LeftOut(Reason::List));
        }
        match self.frozen(member, category, window).await {
            Ok(Ok(page)) => Ok(PageOutcome::Frozen(Box::new(page))),
            Ok(Err(reason)) => Ok(PageOutcome::LeftOut(reason)),
            Err(error) if error.is_of_page() => Ok(PageOutcome::LeftOut(Reason::Unreadable)),
            Err(error) => Err(error),
        }
    }

    async fn frozen(
        &self,
        member: &Member,
        category: &str,
        window: &Window,
    ) -> Result<Result<FrozenPage, Reason>, ApiError> {
        let id = member.page_id.to_string();
        let page = self.first_revision(&id).await?;
        let created = match created(&page, window)? {
            Ok(created) => created,
            Err(reason) => return Ok(Err(reason)),
        };
        let title = page["title"].as_str().unwrap_or(&member.title).to_owned();
        // The page may have moved since the list was read.
        if is_list(&title) {
            return Ok(Err(Reason::List));
        }
        let page = self.revision_at(&id, &window.as_of).await?;
        let (revision, wikitext) = match revision(&page)? {
            Ok(found) => found,
            Err(reason) => return Ok(Err(reason)),
        };
        let revision_id = revision["revid"].as_u64();
        let revision_id = revision_id.ok_or(ApiError::Shape("id of a revision"))?;
        let revised =
            moment(&revision["timestamp"]).ok_or(ApiError::Shape("time of a revision"))?;
        let mut parsed = self.rendered(&revision_id.to_string()).await?;
        if parsed["revid"].as_u64() != Some(revision_id) {
            return Err(ApiError::Shape(
                "rendered page of the revision that was asked for",
            ));
        }
        if !is_in(&parsed, category) {
            return Ok(Err(Reason::NotInCategory));
        }
        let Value::String(html) = parsed["text"].take() else {
            return Err(ApiError::Shape("text of the rendered page"));
        };
        let links = parsed["externallinks"].as_array().into_iter().flatten();
        let mut external_links: Vec<String> =
            links.filter_map(Value::as_str).map(str::to_owned).collect();
        external_links.sort();
        external_links.dedup();
        let sections = parsed["sections"].as_array().cloned().unwrap_or_default();
        let frozen = FrozenPage {
            page_id: member.page_id,
            title,
            created,
            added: member.added.clone(),
            revision: revision_id,
            revised,
            bytes: revision["size"].as_u64(),
            external_links,
            sections,
            wikitext,
            html,
        };
        let has_prose = !frozen.prose().is_empty();
        Ok(if has_prose {
            Ok(frozen)
        } else {
            Err(Reason::NoProse)
        })
    }
}

/// When a page came into being, if it is one of the window.
fn created(page: &Value, window: &Window) -> Result<Result<String, Reason>, ApiError> {
    let is = |key: &str| page[key].as_bool().unwrap_or(false);
    let reason = if is("missing") || is("invalid") {
        Some(Reason::Deleted)
    } else if is("redirect") {
        Some(Reason::Redirect)
    } else if page["pageprops"].get("disambiguation").is_some() {
        Some(Reason::Disambiguation)
    } else {
        None
    };
    if let Some(reason) = reason {
        return Ok(Err(reason));
    }
    let created = moment(&page["revisions"][0]["timestamp"]);
    let created = created.ok_or(ApiError::Shape("time of a first revision"))?;
    Ok(if window.holds(&created) {
        Ok(created)
    } else if created < window.since {
        Err(Reason::BeforeWindow)
    } else {
        Err(Reason::AfterWindow)
    })
}

/// The revision of a page and its wikitext.
fn revision(page: &Value) -> Result<Result<(&Value, String), Reason>, ApiError> {
    if page["missing"].as_bool().unwrap_or(false) {
        // It was deleted between two requests.
        return Ok(Err(Reason::Deleted));
    }
    let revision = &page["revisions"][0];
    let main = &revision["slots"]["main"];
    if main["texthidden"].as_bool().unwrap_or(false) {
        return Ok(Err(Reason::HiddenText));
    }
    if main["textmissing"].as_bool().unwrap_or(false) {
        // The wiki has lost it, and will not find it again.
        return Ok(Err(Reason::Unreadable));
    }
    let wikitext = main["content"].as_str();
    let wikitext = wikitext.ok_or(ApiError::Shape("wikitext of a revision"))?;
    let start = wikitext.trim_start().get(..9).unwrap_or_default();
    if start.eq_ignore_ascii_case("#redirect") || wikitext.trim_start().starts_with("#重定向") {
        return Ok(Err(Reason::Redirect));
    }
    Ok(Ok((revision, wikitext.to_owned())))
}

fn is_list(title: &str) -> bool {
    let title = title.to_lowercase();
    LISTS.iter().any(|start| title.starts_with(start))
        || LIST_ENDS.iter().any(|end| title.ends_with(end))
}

/// Whether a rendered page is in a category, which may be named with its namespace.
fn is_in(parsed: &Value, category: &str) -> bool {
    // The first letter of a title has no case.
    let plain = |title: &str| {
        let title = title.replace('_', " ");
        let mut rest = title.trim().chars();
        let first = rest.next().into_iter().flat_map(char::to_uppercase);
        first.collect::<String>() + rest.as_str()
    };
    let bare = category.split_once(':').map_or(category, |(_, name)| name);
    let categories = parsed["categories"].as_array().into_iter().flatten();
    let mut names = categories.filter_map(|found| found["category"].as_str());
    names.any(|name| plain(name) == plain(bare))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_known_by_their_titles() {
        for (title, expect) in [
            ("List of weirs", true),
            ("Lists of weirs in Ruritania", true),
            ("隼堰列表", true),
            ("Listening post", false),
            ("The List of Adrian", false),
        ] {
            assert_eq!(is_list(title), expect, "{title}");
        }
    }

    #[test]
    fn a_category_is_found_with_underscores() {
        let parsed = json!({"categories": [{"category": "Good_articles"}, {"category": "Weirs"}]});
        assert!(is_in(&parsed, "Category:Good articles") && is_in(&parsed, "weirs"));
        assert!(is_in(&parsed, "Category:good articles"));
        assert!(!is_in(&parsed, "Category:Good") && !is_in(&json!({}), "Weirs"));
    }

    #[test]
    fn a_frozen_text_that_was_a_redirect_is_none() {
        let page =
            |content: &str| json!({"revisions": [{"slots": {"main": {"content": content}}}]});
        assert_eq!(
            revision(&page("#REDIRECT [[A]]")),
            Ok(Err(Reason::Redirect))
        );
        assert_eq!(revision(&page("#重定向 [[A]]")), Ok(Err(Reason::Redirect)));
        assert!(matches!(revision(&page("隼隼隼隼")), Ok(Ok(_))));
        let lost = json!({"revisions": [{"slots": {"main": {"textmissing": true}}}]});
        assert_eq!(revision(&lost), Ok(Err(Reason::Unreadable)));
        let hidden = json!({"revisions": [{"slots": {"main": {"texthidden": true}}}]});
        assert_eq!(revision(&hidden), Ok(Err(Reason::HiddenText)));
        assert!(matches!(revision(&json!({})), Err(ApiError::Shape(_))));
    }
}
