//! Who is let in, and what a stranger's program cannot do: other names, other sites, no token,
//! paths, large and slow requests.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

use reqwest::{Method, StatusCode, header::ORIGIN};

use super::serving::{Serving, client};
use crate::support::woven;

#[tokio::test(flavor = "multi_thread")]
async fn other_names_and_other_sites_are_refused() {
    let (_model, project) = woven();
    let serving = Serving::start(&project, &["--reviewer", "ana"]);
    let visitor = serving.visitor();
    // DNS rebinding: the address is ours, the name is not.
    for host in [
        "evil.example",
        "evil.example:8417",
        "127.0.0.1:1",
        "169.254.169.254",
    ] {
        let answer = visitor.as_host(host).send().await.expect("an answer");
        assert_eq!(answer.status(), StatusCode::MISDIRECTED_REQUEST, "{host}");
        let said = answer.text().await.expect("UTF-8");
        assert!(!said.contains("/seminars"), "{said}");
    }
    // A form of another site, with the reviewer's cookie, as a browser without SameSite sends it.
    let ana = serving.reviewer(0).await;
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        let form = ana
            .cross_origin("/leave", &[("guard", "x")])
            .header(ORIGIN, origin);
        let answer = form.send().await.expect("an answer");
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{origin}");
    }
    let form = ana
        .cross_origin("/leave", &[("guard", "x")])
        .header("sec-fetch-site", "cross-site");
    assert_eq!(
        form.send().await.expect("an answer").status(),
        StatusCode::FORBIDDEN
    );
    let page = visitor.get("/").await;
    let policy = page.headers()["content-security-policy"]
        .to_str()
        .expect("a policy");
    for part in [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("cache-control", "no-store"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(page.headers()[name], value, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_host_opens_with_a_link_only_and_new_links_void_the_old() {
    let (_model, project) = woven();
    let args = [
        "--host",
        "0.0.0.0",
        "--url",
        "http://lab.example:9000",
        "--reviewer",
        "ana",
    ];
    let serving = Serving::start(&project, &args);
    assert!(
        serving
            .address
            .starts_with("http://lab.example:9000/enter?token=v.")
    );
    let token = serving
        .address
        .split_once("token=")
        .expect("a token")
        .1
        .to_owned();
    let port = open_port(serving.pid());
    let client = client();
    let ask = |path: &str, cookie: String| {
        let request = client.get(format!("http://127.0.0.1:{port}{path}"));
        request.header("cookie", cookie).send()
    };
    let status = |answer: Result<reqwest::Response, _>| answer.expect("an answer").status();
    let name = format!("taskgen-{port}");
    for path in ["/", "/tasks", "/tasks.json", "/events", "/seminars"] {
        assert_eq!(
            status(ask(path, String::new()).await),
            StatusCode::UNAUTHORIZED,
            "{path}"
        );
        let forged = format!("{name}=v..{}", "A".repeat(43));
        assert_eq!(
            status(ask(path, forged).await),
            StatusCode::UNAUTHORIZED,
            "{path}"
        );
    }
    let known = format!("{name}={token}");
    assert_eq!(
        status(ask("/tasks.json", known.clone()).await),
        StatusCode::OK
    );
    assert_eq!(
        status(ask("/enter?token=v..xx", String::new()).await),
        StatusCode::UNAUTHORIZED
    );
    drop(serving);
    // A link stays good when the server is started again, until all are made void.
    let again = Serving::start(&project, &["--url", "http://lab.example:9000"]);
    assert!(again.address.ends_with(&token));
    drop(again);
    let void = Serving::start(
        &project,
        &["--url", "http://lab.example:9000", "--new-links"],
    );
    assert!(!void.address.ends_with(&token));
}

/// The port that a process listens on: its links name another host.
fn open_port(pid: u32) -> u16 {
    let sockets = std::fs::read_dir(format!("/proc/{pid}/fd")).expect("a process");
    let inodes: Vec<String> = sockets
        .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
        .filter_map(|link| {
            let link = link.to_string_lossy().into_owned();
            Some(
                link.strip_prefix("socket:[")?
                    .trim_end_matches(']')
                    .to_owned(),
            )
        })
        .collect();
    let table = std::fs::read_to_string(format!("/proc/{pid}/net/tcp")).expect("a table");
    let line = table.lines().find(|line| {
        let cells: Vec<&str> = line.split_whitespace().collect();
        cells.get(3) == Some(&"0A")
            && cells
                .get(9)
                .is_some_and(|inode| inodes.iter().any(|of| of == inode))
    });
    let line = line.expect("it listens");
    let local = line.split_whitespace().nth(1).expect("an address");
    u16::from_str_radix(local.rsplit(':').next().expect("a port"), 16).expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn no_address_names_a_file() {
    let (_model, project) = woven();
    std::fs::write(project.path("secret.txt"), "the secret").expect("writable");
    let serving = Serving::start(&project, &[]);
    for path in [
        "/../secret.txt",
        "/assets/../../secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/assets/%2e%2e/%2e%2e/secret.txt",
        "/seminars/..%2f..%2fsecret.txt/sound",
        "/seminars/..%2Fsecret.txt",
        "/assets/style.css%00",
        "//secret.txt",
    ] {
        // As it stands: a client would tidy the path.
        let said = raw(
            &serving,
            format!(
                "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
                serving.host()
            )
            .as_bytes(),
        );
        assert!(
            said.starts_with("HTTP/1.1 404") || said.starts_with("HTTP/1.1 400"),
            "{path}: {said}"
        );
        assert!(!said.contains("the secret"), "{path}");
    }
    // A hostile database: the path of a recording leads out of the folder.
    project.sql("UPDATE seminar_path SET path = '../secret.txt' WHERE path = (SELECT min(path) FROM seminar_path)");
    let visitor = serving.visitor();
    let seminars = visitor.json("/seminars.json").await;
    let rows = seminars.as_array().expect("seminars");
    let led_out = rows
        .iter()
        .find(|of| of["path"] == "../secret.txt")
        .expect("the row");
    let answer = visitor
        .get(&format!(
            "/seminars/{}/sound",
            led_out["id"].as_str().expect("an id")
        ))
        .await;
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    assert!(!answer.text().await.expect("UTF-8").contains("the secret"));
}

/// Sends bytes and returns all that comes back.
fn raw(serving: &Serving, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(serving.host()).expect("it listens");
    stream.write_all(bytes).expect("it reads");
    let mut said = Vec::new();
    stream.read_to_end(&mut said).expect("it answers");
    String::from_utf8_lossy(&said).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn large_and_slow_requests_end_and_others_go_on() {
    let (_model, project) = woven();
    let serving = Serving::start(&project, &["--reviewer", "ana"]);
    let ana = serving.reviewer(0).await;
    let note = "x".repeat(300 * 1024);
    let (status, _) = ana.post("/leave", &[("guard", &note)]).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    let long = format!(
        "GET / HTTP/1.1\r\nHost: {}\r\nX: {}\r\n\r\n",
        serving.host(),
        "y".repeat(600 * 1024)
    );
    let mut stream = TcpStream::connect(serving.host()).expect("it listens");
    // It hangs up in the middle.
    let _ = stream.write_all(long.as_bytes());
    let mut said = String::new();
    let _ = stream.read_to_string(&mut said);
    assert!(
        said.is_empty() || said.starts_with("HTTP/1.1 431") || said.starts_with("HTTP/1.1 400"),
        "{said}"
    );
    // A hundred that never finish asking, and one that asks.
    let slow: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = TcpStream::connect(serving.host()).expect("it listens");
            stream
                .write_all(b"GET / HTTP/1.1\r\nHost: ")
                .expect("it reads");
            stream
        })
        .collect();
    let begun = Instant::now();
    assert_eq!(
        serving.visitor().get("/tasks").await.status(),
        StatusCode::OK
    );
    println!("answered beside 100 slow ones after {:?}", begun.elapsed());
    let mut first = slow.into_iter().next().expect("a stream");
    first
        .set_read_timeout(Some(Duration::from_mins(1)))
        .expect("a timeout");
    let mut said = String::new();
    first
        .read_to_string(&mut said)
        .expect("it is ended by the server");
    println!("a slow one was ended after {:?}", begun.elapsed());
    let method = serving
        .visitor()
        .request(Method::DELETE, "/tasks")
        .header(ORIGIN, format!("http://{}", serving.host()));
    assert_eq!(
        method.send().await.expect("an answer").status(),
        StatusCode::METHOD_NOT_ALLOWED
    );
}
