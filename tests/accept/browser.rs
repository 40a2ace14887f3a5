//! A headless Chromium that does what a person does with a page: opens it, clicks, types, listens;
//! and a record of every request, of the page and of the browser itself. Hides its debugging
//! protocol (Chrome `DevTools` Protocol, over a pipe). `CHROMIUM` names the program;
//! scripts/browser.sh finds or installs one.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// What a page does takes less than this.
const PATIENCE: Duration = Duration::from_mins(1);

/// Nothing but this machine can be reached, no sound is heard, nothing is fetched for the browser
/// itself. Its sandbox needs rights that not everybody has; the pages are our own.
const FLAGS: [&str; 10] = [
    "--headless",
    "--remote-debugging-pipe",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--no-sandbox",
    "--no-zygote",
    "--disable-gpu",
    "--mute-audio",
];

/// A browser with one page.
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: Option<String>,
    sent: u64,
    /// Of the page, in order.
    requests: Vec<String>,
    /// What the page said went wrong, its policy's refusals included.
    complaints: Vec<String>,
    home: tempfile::TempDir,
}

impl Browser {
    /// Starts a browser in a home of its own.
    pub fn start() -> Self {
        let program = std::env::var_os("CHROMIUM")
            .expect("CHROMIUM names a browser: `make accept` finds or installs one");
        let home = tempfile::tempdir().expect("a folder");
        // The protocol's pipes are 3 and 4; a shell puts them there.
        let mut child = Command::new("sh")
            .args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 0</dev/null 1>&2"#])
            .arg(program)
            .args(FLAGS)
            .arg(format!(
                "--user-data-dir={}",
                home.path().join("profile").display()
            ))
            .arg(format!(
                "--log-net-log={}",
                home.path().join("requests.json").display()
            ))
            .env("HOME", home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(home.path().join("messages")).expect("writable"))
            .spawn()
            .expect("the browser starts");
        let to = child.stdin.take().expect("a pipe");
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        let (send, from) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while out.read_until(0, &mut message).is_ok_and(|n| n > 0) {
                message.pop();
                let Ok(value) = serde_json::from_slice(&message) else {
                    break;
                };
                if send.send(value).is_err() {
                    break;
                }
                message.clear();
            }
        });
        let (session, requests, complaints) = (None, Vec::new(), Vec::new());
        let mut browser = Self {
            child,
            to,
            from,
            session,
            sent: 0,
            requests,
            complaints,
            home,
        };
        let target = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attached = browser.call(
            "Target.attachToTarget",
            &json!({ "targetId": target["targetId"], "flatten": true }),
        );
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Network", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        browser.size(1200, 900);
        browser
    }

    /// Sets the window's size in pixels.
    pub fn size(&mut self, width: u32, height: u32) {
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// Turns scripts of pages on or off; counts for pages opened after it.
    pub fn scripts(&mut self, on: bool) {
        self.call(
            "Emulation.setScriptExecutionDisabled",
            &json!({ "value": !on }),
        );
    }

    /// Opens a file and waits until it is loaded. Returns how long that took.
    pub fn open(&mut self, file: &Path) -> Duration {
        let begun = Instant::now();
        let url = url::Url::from_file_path(file).expect("an absolute path");
        let opened = self.call("Page.navigate", &json!({ "url": url.as_str() }));
        assert!(
            opened.get("errorText").is_none(),
            "{}: {opened}",
            file.display()
        );
        self.until("document.readyState === 'complete' && location.protocol === 'file:'");
        begun.elapsed()
    }

    /// Opens an address and waits until it is loaded. Returns how long that took.
    pub fn visit(&mut self, url: &str) -> Duration {
        let begun = Instant::now();
        // Of two pages in a row with the same address, the second is waited for.
        self.ask("window.beforeVisit = true; 0");
        let opened = self.call("Page.navigate", &json!({ "url": url }));
        assert!(opened.get("errorText").is_none(), "{url}: {opened}");
        self.until("document.readyState === 'complete' && !window.beforeVisit");
        begun.elapsed()
    }

    /// Has pages believe that the reader wants a `light` or a `dark` one.
    pub fn scheme(&mut self, scheme: &str) {
        let wanted = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.call("Emulation.setEmulatedMedia", &wanted);
    }

    /// Keeps what is to be seen as a picture.
    pub fn picture(&mut self, file: &Path) {
        let taken = self.call("Page.captureScreenshot", &json!({ "format": "png" }));
        let taken = taken["data"].as_str().expect("a picture");
        let bytes = data_encoding::BASE64.decode(taken.as_bytes());
        std::fs::write(file, bytes.expect("Base64")).expect("writable");
    }

    /// The value of a JavaScript expression on the page; a promise is waited for.
    pub fn ask(&mut self, expression: &str) -> Value {
        let asked =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", &asked);
        assert!(
            answer.get("exceptionDetails").is_none(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub fn until(&mut self, expression: &str) {
        let begun = Instant::now();
        while self.ask(expression) != Value::Bool(true) {
            assert!(
                begun.elapsed() < PATIENCE,
                "never true: {expression}; {}",
                self.said()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Moves the mouse to the middle of the first element that fits, scrolled into view, and
    /// clicks. Whatever lies there is hit, as with a person.
    pub fn click(&mut self, selector: &str) {
        let place = self.ask(&format!(
            "(() => {{ const it = document.querySelector({}); it.scrollIntoView({{ block: 'center' }});
             const r = it.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()",
            json!(selector)
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", &event);
        }
    }

    /// Presses and releases a key by its name, such as `Enter`, and the text that it types.
    pub fn press(&mut self, key: &str, text: &str) {
        let code = match key {
            " " => ("Space", 32),
            "Enter" => ("Enter", 13),
            "Tab" => ("Tab", 9),
            _ => ("", 0),
        };
        let mut event = json!({ "type": "keyDown", "key": key, "code": code.0, "windowsVirtualKeyCode": code.1 });
        if !text.is_empty() {
            event["text"] = json!(text);
        }
        self.call("Input.dispatchKeyEvent", &event);
        event["type"] = json!("keyUp");
        self.call("Input.dispatchKeyEvent", &event);
    }

    /// Types into what has the focus.
    pub fn type_text(&mut self, text: &str) {
        self.call("Input.insertText", &json!({ "text": text }));
    }

    /// Lets pages save files into a folder.
    pub fn saves_into(&mut self, folder: &Path) {
        let behaviour = json!({ "behavior": "allow", "downloadPath": folder });
        self.call("Browser.setDownloadBehavior", &behaviour);
    }

    /// What went wrong on the page so far.
    pub fn complaints(&self) -> &[String] {
        &self.complaints
    }

    /// Ends the browser and returns what it asked for: all addresses of the page, and all that left
    /// it for a network, whoever wanted them.
    pub fn close(mut self) -> Requests {
        self.call("Browser.close", &json!({}));
        let ended = self.child.wait().expect("it ends");
        assert!(ended.success(), "{ended}: {}", self.said());
        let log = std::fs::read_to_string(self.home.path().join("requests.json"))
            .expect("a log of requests");
        Requests {
            page: std::mem::take(&mut self.requests),
            network: network(&log),
        }
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.sent += 1;
        let mut message = json!({ "id": self.sent, "method": method, "params": params });
        if let Some(session) = self
            .session
            .as_deref()
            .filter(|_| !method.starts_with("Browser."))
        {
            message["sessionId"] = json!(session);
        }
        let sent = self.to.write_all(format!("{message}\0").as_bytes());
        sent.unwrap_or_else(|e| panic!("{method}: {e}; {}", self.said()));
        loop {
            let said = self.from.recv_timeout(PATIENCE);
            let said = said.unwrap_or_else(|e| panic!("{method}: {e}; {}", self.said()));
            if said["id"] == self.sent {
                assert!(said.get("error").is_none(), "{method}: {said}");
                return said["result"].clone();
            }
            self.hear(&said);
        }
    }

    fn hear(&mut self, event: &Value) {
        let of = &event["params"];
        match event["method"].as_str() {
            Some("Network.requestWillBeSent") => {
                self.requests
                    .push(of["request"]["url"].as_str().unwrap_or_default().to_owned());
            }
            Some("Runtime.exceptionThrown") => {
                self.complaints.push(of["exceptionDetails"].to_string());
            }
            Some("Log.entryAdded") => self.complaints.push(of["entry"]["text"].to_string()),
            _ => {}
        }
    }

    /// The end of what the browser wrote.
    fn said(&self) -> String {
        let said = std::fs::read(self.home.path().join("messages")).unwrap_or_default();
        String::from_utf8_lossy(&said[said.len().saturating_sub(2000)..]).into_owned()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // After a failed assertion it still runs; that it is gone already is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What was asked for.
#[derive(Debug)]
pub struct Requests {
    /// Addresses that the page asked for, data of its own included.
    pub page: Vec<String>,
    /// Addresses that went to the network, of the page or of the browser.
    pub network: Vec<String>,
}

impl Requests {
    /// Those that would leave this machine.
    pub fn outside(&self) -> Vec<&String> {
        let inside = |url: &&String| {
            ["file:", "data:", "blob:", "about:", "http://127.0.0.1:"]
                .iter()
                .any(|start| url.starts_with(start))
        };
        self.page
            .iter()
            .chain(&self.network)
            .filter(|url| !inside(url))
            .collect()
    }
}

/// The addresses in a log as `--log-net-log` writes it.
fn network(log: &str) -> Vec<String> {
    let log: Value = serde_json::from_str(log).expect("JSON");
    let kinds: BTreeMap<&str, &Value> = log["constants"]["logEventTypes"]
        .as_object()
        .expect("kinds")
        .iter()
        .map(|(name, n)| (name.as_str(), n))
        .collect();
    let events = log["events"].as_array().expect("events").iter();
    let started =
        events.filter(|event| Some(&&event["type"]) == kinds.get("URL_REQUEST_START_JOB"));
    started
        .filter_map(|event| Some(event["params"]["url"].as_str()?.to_owned()))
        .collect()
}

/// The record would show a request that leaves the machine: of three, it shows three.
#[test]
fn a_page_that_calls_out_is_seen() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("leak.html");
    let page = "<!DOCTYPE html><img src='http://leak.invalid/a.png'><img src='http://127.0.0.1:9/b.png'><p>x</p>
                <script>fetch('https://leak.invalid/c').catch(() => (document.title = 'refused'))</script>";
    std::fs::write(&file, page).expect("writable");
    let mut browser = Browser::start();
    browser.open(&file);
    browser.until("document.title === 'refused'");
    let requests = browser.close();
    let outside = ["http://leak.invalid/a.png", "https://leak.invalid/c"];
    for list in [&requests.page, &requests.network] {
        assert!(
            outside
                .iter()
                .all(|url| list.iter().any(|seen| seen == url)),
            "{requests:?}"
        );
        assert!(
            list.iter().any(|seen| seen == "http://127.0.0.1:9/b.png"),
            "{requests:?}"
        );
    }
    assert_eq!(
        requests.outside().len(),
        4,
        "twice each, and loopback is inside"
    );
}
