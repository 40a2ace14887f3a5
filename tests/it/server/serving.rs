//! A server that runs: the real program on a project, and a client with a cookie.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    process::{Child, Stdio},
};

use reqwest::{
    Client, Method, RequestBuilder, Response, StatusCode,
    header::{COOKIE, HOST, ORIGIN},
};
use serde_json::Value;

use crate::support::Project;

/// A running server. It is killed when it is dropped.
pub struct Serving {
    child: Child,
    /// Without a slash at its end.
    pub address: String,
    /// Links of the reviewers, in the order in which they were asked for.
    pub links: Vec<String>,
}

impl Serving {
    /// Starts `taskgen serve` on a free port, with more arguments.
    pub fn start(project: &Project, args: &[&str]) -> Self {
        let all = [&["serve", "--port", "0", "--json"], args].concat();
        let mut child = project
            .command(&all)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut text = String::new();
        for line in out.lines() {
            let line = line.expect("UTF-8");
            text += &line;
            if line == "}" {
                break;
            }
        }
        let said = serde_json::from_str(&text);
        let said: Value = said.unwrap_or_else(|e| {
            let mut why = String::new();
            let err = child.stderr.as_mut().expect("a pipe");
            err.read_to_string(&mut why).expect("UTF-8");
            panic!("{e}: {text}{why}")
        });
        let address = said["address"].as_str().expect("an address");
        let links = said["reviewers"].as_object().expect("links").values();
        let links = links.map(|link| link.as_str().expect("a link").to_owned());
        Self {
            child,
            links: links.collect(),
            address: address.trim_end_matches('/').to_owned(),
        }
    }

    /// The host and the port.
    pub fn host(&self) -> &str {
        let host = self.address.strip_prefix("http://").expect("a scheme");
        host.split('/').next().expect("a host")
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it as Ctrl-C does, and returns its exit code with what it said.
    pub fn interrupt(mut self) -> (Option<i32>, String) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
        let said = self.child.stderr.take().expect("a pipe");
        let said = std::io::read_to_string(said).expect("UTF-8");
        (self.child.wait().expect("it ends").code(), said)
    }

    /// Ends it without a warning.
    pub fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// A client without a cookie.
    pub fn visitor(&self) -> Visit {
        Visit::new(self, None)
    }

    /// A client that came in by the link of a reviewer.
    pub async fn reviewer(&self, number: usize) -> Visit {
        let link = &self.links[number];
        let token = link.split_once("token=").expect("a token").1;
        let mut visit = self.visitor();
        let response = visit.get(&format!("/enter?token={token}")).await;
        assert_eq!(response.status(), StatusCode::OK);
        let cookie = response.headers()["set-cookie"].to_str().expect("a cookie");
        assert!(cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
        visit.cookie = cookie.split(';').next().map(str::to_owned);
        visit
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // After a failed assertion it still runs; that it is gone already is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client.
#[derive(Clone)]
pub struct Visit {
    client: Client,
    base: String,
    pub cookie: Option<String>,
}

impl Visit {
    fn new(serving: &Serving, cookie: Option<String>) -> Self {
        let client = client();
        let base = format!("http://{}", serving.host());
        Self {
            client,
            base,
            cookie,
        }
    }

    /// A request as a page of the server itself would send it.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.base));
        match &self.cookie {
            Some(cookie) => request.header(COOKIE, cookie),
            None => request,
        }
    }

    pub async fn get(&self, path: &str) -> Response {
        let request = self.request(Method::GET, path);
        request.send().await.expect("an answer")
    }

    /// A page that must be there.
    pub async fn page(&self, path: &str) -> String {
        let response = self.get(path).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        // Templates escape it in what they fill in.
        let text = response.text().await.expect("UTF-8");
        text.replace("&#x2f;", "/")
    }

    /// A JSON file that must be there.
    pub async fn json(&self, path: &str) -> Value {
        let text = self.page(path).await;
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}: {text}"))
    }

    /// Sends a form as the server's own page does. Returns the status and where it leads.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> (StatusCode, String) {
        let response = self
            .request(Method::POST, path)
            .header(ORIGIN, &self.base)
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form(fields))
            .send()
            .await
            .expect("an answer");
        let to = response.headers().get("location");
        let to = to.and_then(|to| to.to_str().ok()).map(str::to_owned);
        let status = response.status();
        (status, to.unwrap_or(response.text().await.expect("UTF-8")))
    }

    /// The same as another site's page sends it.
    pub fn cross_origin(&self, path: &str, fields: &[(&str, &str)]) -> RequestBuilder {
        self.request(Method::POST, path)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form(fields))
    }

    /// A request under another host's name.
    pub fn as_host(&self, host: &str) -> RequestBuilder {
        self.request(Method::GET, "/").header(HOST, host)
    }
}

/// A client that follows nothing by itself.
pub fn client() -> Client {
    // The program's own client knows how to speak TLS; one of its kind tells reqwest.
    drop(taskgen::http::Http::new(
        taskgen::http::HttpOptions::default(),
    ));
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .build()
        .expect("a client")
}

fn form(fields: &[(&str, &str)]) -> String {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.extend_pairs(fields);
    form.finish()
}

/// The value of the hidden field `name` on a page.
pub fn hidden(page: &str, name: &str) -> String {
    let begins = format!("name=\"{name}\" value=\"");
    let (_, rest) = page.split_once(&begins).expect("the field");
    rest.split('"').next().expect("a value").to_owned()
}

/// The address of the first form on a page that begins with `start`.
pub fn action(page: &str, start: &str) -> String {
    let begins = format!("action=\"{start}");
    let (_, rest) = page.split_once(&begins).expect("the form");
    format!("{start}{}", rest.split('"').next().expect("an address"))
}
