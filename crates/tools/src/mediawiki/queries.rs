//! The questions that a wiki is asked, and the fields of its replies.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    client::Client,
    error::{ApiError, quoted},
    window::{Window, moment},
};

/// Ids below the first one of a window that are looked at all the same: ids are given out before a
/// page is saved, so that pages saved in one moment may be out of order.
const MARGIN: u64 = 1_000;

/// A wiki as it describes itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// Its name.
    pub name: String,
    /// Address of its server, with the scheme.
    pub server: String,
    /// Path of `index.php`.
    pub script: String,
    /// Path of an article, with `$1` for its title.
    pub article_path: String,
    /// Its licence in its own words; empty where it states none.
    pub licence: String,
    /// Address of the licence.
    pub licence_url: String,
}

/// A page of a category.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Id of the page.
    pub page_id: u64,
    /// Its title.
    pub title: String,
    /// When it was put into the category, or sorted anew in it.
    pub added: String,
}

impl Client {
    /// The wiki's description of itself.
    pub async fn site(&self) -> Result<Site, ApiError> {
        let asked = [
            ("action", "query"),
            ("meta", "siteinfo"),
            ("siprop", "general|rightsinfo"),
        ];
        let reply = self.ask(&asked).await?;
        let query = reply.fields.get("query").unwrap_or(&Value::Null);
        let general = |key: &str| {
            query["general"][key]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        let rights = |key: &str| quoted(query["rightsinfo"][key].as_str().unwrap_or_default());
        let server = general("server");
        // Servers with both schemes name none.
        let server = match server.strip_prefix("//") {
            Some(host) => format!("https://{host}"),
            None => server,
        };
        let site = Site {
            name: quoted(&general("sitename")),
            server,
            script: general("script"),
            article_path: general("articlepath"),
            licence: rights("text"),
            licence_url: rights("url"),
        };
        if !crate::http::is_web(&site.server) || !site.article_path.contains("$1") {
            return Err(ApiError::Shape("description of the wiki with its address"));
        }
        Ok(site)
    }

    /// An id below which no page of the window lies; 0 where the wiki has no log of new pages.
    /// Ids grow with time, so that all older pages are known without being asked about.
    pub async fn first_page_id(&self, window: &Window) -> Result<u64, ApiError> {
        let asked = [
            ("action", "query"),
            ("list", "logevents"),
            ("letype", "create"),
            ("leprop", "ids|timestamp"),
            ("ledir", "newer"),
            ("lestart", &window.since),
            ("leend", &window.until),
            // More than one, because an entry may be hidden.
            ("lelimit", "10"),
        ];
        let reply = self.ask(&asked).await?;
        let ids = reply.list("logevents").iter().filter_map(|event| {
            // A page that was deleted keeps its id here alone.
            let id = event["logpage"].as_u64().or(event["pageid"].as_u64());
            id.filter(|id| *id > 0)
        });
        Ok(ids.min().unwrap_or_default().saturating_sub(MARGIN))
    }

    /// The articles of a category that were put into it in the window or later, with other pages
    /// that were only sorted anew. There is no upper end, because sorting anew moves a page's time
    /// forward; whether it was in the category when it was frozen, its revision says.
    pub async fn members(&self, category: &str, window: &Window) -> Result<Vec<Member>, ApiError> {
        let asked = [
            ("action", "query"),
            ("list", "categorymembers"),
            ("cmtitle", category),
            ("cmnamespace", "0"),
            ("cmprop", "ids|title|timestamp"),
            ("cmsort", "timestamp"),
            ("cmdir", "newer"),
            ("cmstart", &window.since),
            ("cmlimit", "max"),
        ];
        let entries = self.list("categorymembers", &asked).await?;
        let members = entries.iter().map(|entry| {
            Some(Member {
                page_id: entry["pageid"].as_u64()?,
                title: entry["title"].as_str()?.to_owned(),
                added: moment(&entry["timestamp"])?,
            })
        });
        let members: Option<Vec<Member>> = members.collect();
        let mut members = members.ok_or(ApiError::Shape("id, title and time of a member"))?;
        // A page that moves while the list is read may stand in it twice.
        members.sort_by_key(|member| member.page_id);
        members.dedup_by_key(|member| member.page_id);
        Ok(members)
    }

    /// The page with its first revision.
    pub(super) async fn first_revision(&self, page_id: &str) -> Result<Value, ApiError> {
        let asked = [
            ("action", "query"),
            ("prop", "info|pageprops|revisions"),
            ("pageids", page_id),
            ("ppprop", "disambiguation"),
            ("rvprop", "ids|timestamp"),
            ("rvdir", "newer"),
            ("rvlimit", "1"),
        ];
        self.page_of(&asked).await
    }

    /// The page with its last revision at a moment or before it.
    pub(super) async fn revision_at(&self, page_id: &str, moment: &str) -> Result<Value, ApiError> {
        let asked = [
            ("action", "query"),
            ("prop", "revisions"),
            ("pageids", page_id),
            ("rvprop", "ids|timestamp|size|content"),
            ("rvslots", "main"),
            ("rvstart", moment),
            ("rvdir", "older"),
            ("rvlimit", "1"),
        ];
        self.page_of(&asked).await
    }

    async fn page_of(&self, asked: &[(&str, &str)]) -> Result<Value, ApiError> {
        let reply = self.ask(asked).await?;
        let page = reply.list("pages").first();
        page.cloned().ok_or(ApiError::Shape("page"))
    }

    /// What the wiki makes of a revision.
    pub(super) async fn rendered(&self, revision: &str) -> Result<Value, ApiError> {
        let parsed = self
            .parsed(revision, "text|sections|externallinks|categories|revid")
            .await?;
        if parsed["sections"].is_array() {
            return Ok(parsed);
        }
        // Where MediaWiki has given up the old list of sections, it has a new one.
        let mut parsed = parsed;
        let contents = self.parsed(revision, "tocdata").await?;
        let sections = contents["tocdata"]["sections"].as_array();
        let sections = sections.ok_or(ApiError::Shape("list of sections"))?;
        parsed["sections"] = sections.iter().map(old_section).collect();
        Ok(parsed)
    }

    async fn parsed(&self, revision: &str, prop: &str) -> Result<Value, ApiError> {
        let asked = [
            ("action", "parse"),
            ("oldid", revision),
            ("prop", prop),
            ("disableeditsection", "1"),
            ("disablelimitreport", "1"),
            ("disabletoc", "1"),
        ];
        let mut reply = self.ask(&asked).await?;
        let parsed = reply.fields.remove("parse");
        let parsed = parsed.filter(Value::is_object);
        parsed.ok_or(ApiError::Shape("rendered page"))
    }
}

/// A section of the new list with the names of the old one; absent fields have their defaults.
fn old_section(section: &Value) -> Value {
    let text = |key: &str| section[key].as_str().unwrap_or_default();
    let anchor = text("anchor");
    let level = section["hLevel"].as_u64().unwrap_or_default();
    serde_json::json!({
        "toclevel": section["tocLevel"].as_u64().unwrap_or_default(),
        "level": level.to_string(),
        "line": text("line"),
        "number": text("number"),
        "index": text("index"),
        "fromtitle": section["fromTitle"],
        "anchor": anchor,
        "linkAnchor": section["linkAnchor"].as_str().unwrap_or(anchor),
    })
}
