//! A wiki on loopback that answers as MediaWiki's action API does, with made-up pages, and fails
//! where it is told to. It knows nothing of who asks: it serves what its parameters say.

use std::{
    collections::BTreeMap,
    io::Write as _,
    sync::{Arc, Mutex, MutexGuard},
};

use axum::{
    Router,
    body::Body,
    extract::{Query, State},
    http::{HeaderMap, Response, StatusCode},
};
use serde_json::{Map, Value, json};

use crate::support::web;

/// A page with its history.
#[derive(Clone, Debug)]
pub struct WikiPage {
    pub id: u64,
    pub title: String,
    /// Time and wikitext of each revision; its id is the page's times 100, plus its place.
    pub revisions: Vec<(String, String)>,
    /// When it was put into the category.
    pub added: String,
    pub is_redirect: bool,
    pub is_disambiguation: bool,
    pub is_deleted: bool,
}

/// How a request fails.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The databases lag; the pause that is asked for in seconds.
    MaxLag(u32),
    /// A status with a page in HTML.
    Status(u16),
    /// A page in HTML with status 200.
    Html,
    /// JSON that breaks off.
    Broken,
    /// So many bytes of JSON.
    Huge(usize),
    /// A redirect to an address.
    Moved(String),
    /// An error of the API.
    Refused(&'static str),
}

#[derive(Default)]
pub struct World {
    pub pages: Vec<WikiPage>,
    /// Members a reply.
    pub at_once: usize,
    /// Each continuation has the same token.
    pub repeats_token: bool,
    /// The reply before the last has no member and goes on.
    pub has_empty_reply: bool,
    /// The new list of sections alone.
    pub has_tocdata: bool,
    pub has_no_log: bool,
    /// Requests with this text fail so, so often.
    pub faults: Vec<(&'static str, Fault, usize)>,
    /// From this request on, counted from 0, the server is down.
    pub down_from: Option<usize>,
    /// The queries so far.
    pub asked: Vec<String>,
    /// The headers of the last request.
    pub headers: BTreeMap<String, String>,
}

/// A running wiki. It ends with the process.
pub struct MediaWiki {
    /// Address of its server.
    pub url: String,
    world: Arc<Mutex<World>>,
}

impl MediaWiki {
    pub fn start(pages: Vec<WikiPage>) -> Self {
        let world = World {
            pages,
            at_once: 500,
            ..World::default()
        };
        let world = Arc::new(Mutex::new(world));
        let app = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&world));
        let url = web::serve(app);
        Self { url, world }
    }

    pub fn api(&self) -> String {
        format!("{}/w/api.php", self.url)
    }

    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().expect("no panic while locked")
    }

    /// The queries since the last time, by what they ask for.
    pub fn take_asked(&self) -> Vec<String> {
        std::mem::take(&mut self.world().asked)
    }
}

type Asked = BTreeMap<String, String>;

async fn answer(
    State(world): State<Arc<Mutex<World>>>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Response<Body> {
    let mut world = world.lock().expect("no panic while locked");
    let line: Vec<String> = asked.iter().map(|(k, v)| format!("{k}={v}")).collect();
    let line = line.join("&");
    let number = world.asked.len();
    world.asked.push(line.clone());
    world.headers = headers
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or("").to_owned()))
        .collect();
    if world.down_from.is_some_and(|from| number >= from) {
        return failed(&Fault::Status(503));
    }
    let due = world.faults.iter_mut();
    let mut due = due.filter(|(text, _, times)| *times > 0 && line.contains(text));
    if let Some((_, fault, times)) = due.next() {
        *times -= 1;
        return failed(&fault.clone());
    }
    let is_new = asked.get("formatversion").is_some_and(|v| v == "2");
    assert!(is_new && asked.contains_key("maxlag"), "{line}");
    packed(&reply(&world, &asked))
}

fn failed(fault: &Fault) -> Response<Body> {
    let html = "<!DOCTYPE html><html><title>Error</title><p>Our servers have a problem.";
    let response = Response::builder();
    let done = match fault {
        Fault::MaxLag(seconds) => {
            let error =
                json!({"error": {"code": "maxlag", "info": "Waiting for db7: 9 seconds lagged"}});
            response
                .header("retry-after", seconds.to_string())
                .body(error.to_string().into())
        }
        Fault::Status(status) => response.status(*status).body(html.into()),
        Fault::Html => response.body(html.into()),
        Fault::Broken => response.body("{\"query\": {".into()),
        Fault::Huge(bytes) => {
            response.body(format!("{{\"a\": \"{}\"}}", "x".repeat(*bytes)).into())
        }
        Fault::Moved(to) => response
            .status(StatusCode::FOUND)
            .header("location", to)
            .body(Body::empty()),
        Fault::Refused(code) => {
            let error = json!({"error": {"code": code, "info": "No."}});
            response.body(error.to_string().into())
        }
    };
    done.expect("a response")
}

/// Packed, as a client asks that behaves.
fn packed(reply: &Value) -> Response<Body> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer
        .write_all(reply.to_string().as_bytes())
        .expect("packs");
    Response::builder()
        .header("content-type", "application/json")
        .header("content-encoding", "gzip")
        .body(packer.finish().expect("packs").into())
        .expect("a response")
}

fn reply(world: &World, asked: &Asked) -> Value {
    let get = |key: &str| asked.get(key).map_or("", String::as_str);
    match (get("action"), get("list"), get("meta"), get("prop")) {
        ("query", "", "siteinfo", _) => site(),
        ("query", "logevents", _, _) => log(world, asked),
        ("query", "categorymembers", _, _) => members(world, asked),
        ("query", "", "", prop) if prop.contains("revisions") => revisions(world, asked),
        ("parse", _, _, prop) => parse(world, get("oldid"), prop),
        _ => json!({"error": {"code": "badvalue", "info": "Unrecognized"}}),
    }
}

fn site() -> Value {
    json!({"batchcomplete": true, "query": {
        "general": {"sitename": "Lantern Wiki", "server": "https://lantern.example",
                    "script": "/w/index.php", "articlepath": "/wiki/$1"},
        "rightsinfo": {"url": "https://creativecommons.org/licenses/by-sa/4.0/deed.en",
                       "text": "Creative Commons Attribution-Share Alike 4.0"},
    }})
}

fn log(world: &World, asked: &Asked) -> Value {
    let created = |page: &WikiPage| page.revisions[0].0.clone();
    let range = asked["lestart"].clone()..=asked["leend"].clone();
    let mut new: Vec<&WikiPage> = world
        .pages
        .iter()
        .filter(|page| range.contains(&created(page)))
        .collect();
    new.sort_by_key(|page| created(page));
    assert_eq!(asked["ledir"], "newer");
    let most: usize = asked["lelimit"].parse().expect("a number");
    let events = new.iter().take(most).filter(|_| !world.has_no_log);
    let events: Vec<Value> = events
        .map(|page| {
            let now = if page.is_deleted { 0 } else { page.id };
            json!({"logid": page.id + 7, "ns": 0, "title": page.title, "pageid": now,
                   "logpage": page.id, "timestamp": created(page)})
        })
        .collect();
    json!({"batchcomplete": true, "continue": {"lecontinue": "x|1", "continue": "-||"},
           "query": {"logevents": events}})
}

fn members(world: &World, asked: &Asked) -> Value {
    let get = |key: &str| asked.get(key).cloned().unwrap_or_default();
    let is_by_time = get("cmsort") == "timestamp" && get("cmdir") == "newer";
    let mut all: Vec<&WikiPage> = world
        .pages
        .iter()
        .filter(|_| get("cmtitle") == "Category:Good articles" && get("cmnamespace") == "0")
        .filter(|page| !is_by_time || page.added >= get("cmstart"))
        .collect();
    all.sort_by_key(|page| page.added.clone());
    let from: usize = get("cmcontinue")
        .strip_prefix("page|")
        .map_or(0, |n| n.parse().expect("a number"));
    let is_empty = world.has_empty_reply && from == world.at_once && get("continue") != "empty";
    let to = if is_empty {
        from
    } else {
        (from + world.at_once).min(all.len())
    };
    let list: Vec<Value> = all[from.min(to)..to]
        .iter()
        .map(|page| json!({"pageid": page.id, "ns": 0, "title": page.title, "timestamp": page.added}))
        .collect();
    let mut reply = json!({"query": {"categorymembers": list}});
    if world.repeats_token {
        reply["continue"] = json!({"cmcontinue": "page|0", "continue": "-||"});
    } else if is_empty {
        reply["continue"] = json!({"cmcontinue": format!("page|{to}"), "continue": "empty"});
    } else if to < all.len() {
        reply["continue"] = json!({"cmcontinue": format!("page|{to}"), "continue": "-||"});
    }
    reply["warnings"] = json!({"categorymembers": {"warnings": "This list is slow today."}});
    reply
}

fn revisions(world: &World, asked: &Asked) -> Value {
    let id: u64 = asked["pageids"].parse().expect("one id");
    let found = world
        .pages
        .iter()
        .find(|page| page.id == id && !page.is_deleted);
    let Some(page) = found else {
        return json!({"query": {"pages": [{"pageid": id, "missing": true}]}});
    };
    let mut of: Vec<(usize, &(String, String))> = page.revisions.iter().enumerate().collect();
    if asked["rvdir"] == "older" {
        of.reverse();
        if let Some(start) = asked.get("rvstart") {
            of.retain(|(_, (at, _))| at <= start);
        }
    }
    let mut reply = json!({"pageid": id, "ns": 0, "title": page.title});
    let fields = reply.as_object_mut().expect("an object");
    if let Some((at, (time, text))) = of.first() {
        let mut revision =
            json!({"revid": id * 100 + *at as u64, "parentid": 0, "timestamp": time});
        if asked["rvprop"].contains("size") {
            revision["size"] = text.len().into();
        }
        if asked["rvprop"].contains("content") {
            let main = json!({"contentmodel": "wikitext", "contentformat": "text/x-wiki", "content": text});
            revision["slots"] = json!({"main": main});
        }
        fields.insert("revisions".to_owned(), json!([revision]));
    }
    add_flags(page, &asked["prop"], fields);
    // There are more revisions than were asked for.
    json!({"continue": {"rvcontinue": "20260101|1", "continue": "||"}, "query": {"pages": [reply]}})
}

fn add_flags(page: &WikiPage, prop: &str, fields: &mut Map<String, Value>) {
    if prop.contains("info") && page.is_redirect {
        fields.insert("redirect".to_owned(), true.into());
    }
    if prop.contains("pageprops") && page.is_disambiguation {
        fields.insert("pageprops".to_owned(), json!({"disambiguation": ""}));
    }
}

fn parse(world: &World, oldid: &str, prop: &str) -> Value {
    let revision: u64 = oldid.parse().expect("an id");
    let page = world.pages.iter().find(|page| page.id == revision / 100);
    let Some(page) = page else {
        return json!({"error": {"code": "nosuchrevid", "info": "There is no revision."}});
    };
    let text = &page.revisions[(revision % 100) as usize].1;
    let (html, sections) = rendered(text);
    let mut parsed = json!({"title": page.title, "pageid": page.id, "revid": revision});
    if prop.contains("text") {
        parsed["text"] = html.into();
    }
    if prop.contains("sections") && !world.has_tocdata {
        parsed["sections"] = sections.iter().map(old_section).collect();
    }
    if prop.contains("tocdata") && world.has_tocdata {
        parsed["tocdata"] = json!({"sections": sections, "extensionData": []});
    }
    if prop.contains("externallinks") {
        let links = text.split_whitespace().filter(|word| word.contains("://"));
        parsed["externallinks"] = links.map(|word| word.trim_end_matches("</ref>")).collect();
    }
    if prop.contains("categories") && text.contains("{{good article}}") {
        parsed["categories"] =
            json!([{"sortkey": "", "category": "Good_articles", "hidden": true}]);
    }
    json!({ "parse": parsed })
}

fn old_section(section: &Value) -> Value {
    json!({"toclevel": section["tocLevel"], "level": section["hLevel"].to_string(),
           "line": section["line"], "number": section["number"], "index": section["index"],
           "fromtitle": section["fromTitle"], "byteoffset": 0, "anchor": section["anchor"],
           "linkAnchor": section["anchor"]})
}

/// The page in HTML and its sections, of a wikitext with a paragraph or a heading a line.
fn rendered(text: &str) -> (String, Vec<Value>) {
    let (mut html, mut sections) = ("<div class=\"mw-parser-output\">".to_owned(), Vec::new());
    for line in text.lines().filter(|line| !line.starts_with("{{")) {
        let level = line.len() - line.trim_start_matches('=').len();
        let name = line.trim_matches('=').trim();
        if level >= 2 {
            html.push_str(&format!(
                "<div class=\"mw-heading mw-heading{level}\"><h{level}>{name}</h{level}></div>"
            ));
            let number = sections.len() + 1;
            sections.push(json!({"tocLevel": level - 1, "hLevel": level, "line": name,
                "number": number.to_string(), "index": number.to_string(), "fromTitle": "x", "anchor": name}));
        } else {
            let line = line
                .replace("<ref>", "<sup class=\"reference\">")
                .replace("</ref>", "</sup>");
            html.push_str(&format!("<p>{line}\n</p>"));
        }
    }
    html.push_str("</div>");
    (html, sections)
}
