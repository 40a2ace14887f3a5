//! Stubs are told from pages, and articles about stubs are pages.

use super::*;
use crate::web::read::read;

const URL: &str = "https://example.org/soil/sensors";

/// What a page of this HTML is taken for when all went straight.
fn stub(html: &str) -> Option<Stub> {
    let read = read(html.as_bytes(), Some("text/html"), URL).expect("a page");
    detect_stub(200, &read, URL, URL).map(|suspicion| suspicion.stub)
}

fn check(title: &str, body: &str, expect: Option<Stub>) {
    assert_eq!(
        stub(&format!(
            "<html><head><title>{title}</title></head><body>{body}</body></html>"
        )),
        expect,
        "{title}: {body}"
    );
}

fn real(words: usize) -> String {
    let sentence = "Soil sensors were read out every hour and compared with samples that had been dried and weighed. ";
    format!("<p>{}</p>", sentence.repeat(words.div_ceil(17)))
}

#[test]
fn tests_for_robots() {
    check(
        "Just a moment...",
        "<h2>Checking if the site connection is secure</h2><script>window._cf_chl_opt={}</script>",
        Some(Stub::Blocked),
    );
    check(
        "Just a moment...",
        "<noscript>Enable JavaScript and cookies to continue</noscript><script src=/cdn-cgi/challenge-platform/x></script>",
        Some(Stub::Blocked),
    );
    check(
        "Access Denied",
        "<h1>Access Denied</h1>You don't have permission to access this on this server.<p>Reference #18.2",
        Some(Stub::Blocked),
    );
    check(
        "403 Forbidden",
        "<center><h1>403 Forbidden</h1></center><hr><center>nginx</center>",
        Some(Stub::Blocked),
    );
    check(
        "example.org",
        "<p>Sorry, you have been blocked</p><p>Why have I been blocked?</p>",
        Some(Stub::Blocked),
    );
    check(
        "",
        "<p>Our systems have detected unusual traffic from your computer network. Please show you’re not a robot.",
        Some(Stub::Blocked),
    );
    check(
        "安全驗證",
        "<p>您的訪問過於頻繁，請完成驗證後繼續</p>",
        Some(Stub::Blocked),
    );
    check(
        "",
        "<p>当前环境异常，完成验证后即可继续访问。</p>",
        Some(Stub::Blocked),
    );
}

#[test]
fn pages_that_are_not_there() {
    check(
        "Page not found | Soil Society",
        "<h1>Page not found</h1><p>Sorry, we couldn't find it.</p>",
        Some(Stub::NotFound),
    );
    check(
        "404 Not Found",
        "<h1>Not Found</h1><p>The requested URL was not found on this server.</p>",
        Some(Stub::NotFound),
    );
    check(
        "Soil Society",
        "<h1>Oops!</h1><p>The page you are looking for does not exist.</p>",
        Some(Stub::NotFound),
    );
    check(
        "出错了 - 土壤学会",
        "<p>抱歉，您访问的页面不存在。</p><a href=/>返回首页</a>",
        Some(Stub::NotFound),
    );
    check(
        "",
        "<p>該內容已被發佈者刪除，找不到頁面</p>",
        Some(Stub::NotFound),
    );
}

#[test]
fn walls_consent_and_shells() {
    check(
        "Log in | Journal",
        "<form>Please log in <input name=u><input type=password></form><a href=x>Forgot password?</a>",
        Some(Stub::Wall),
    );
    check(
        "A study of soil",
        &format!(
            "{}<p>Subscribe to continue reading. Already a subscriber? Log in",
            real(30)
        ),
        Some(Stub::Wall),
    );
    check(
        "土壤 - 期刊",
        "<p>本文为会员专享内容，请登录后查看全文。</p>",
        Some(Stub::Wall),
    );
    check(
        "Before you continue",
        "<p>Before you continue to the site: we use cookies.</p><p>Reject all</p><p>Accept all</p>",
        Some(Stub::Consent),
    );
    check(
        "App",
        "<div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript><script src=a.js></script>",
        Some(Stub::Shell),
    );
    check(
        "App",
        "<p>This site requires JavaScript. Please enable JavaScript in your browser.",
        Some(Stub::Shell),
    );
    check("", "<script src=a.js></script>", Some(Stub::Shell));
}

#[test]
fn articles_about_such_pages_are_articles() {
    let about_captchas = "A CAPTCHA asks the visitor to verify you are human; the box says I'm not a robot, and Cloudflare \
        writes “Checking your browser” or “Enable JavaScript and cookies to continue” above its Ray ID. ";
    check(
        "CAPTCHA - Encyclopedia",
        &format!("{}{}", about_captchas, real(600)),
        None,
    );
    check(
        "Access denied: how censorship works",
        &format!("<p>Access denied.{}", real(350)),
        None,
    );
    check(
        "HTTP 404 - Glossary",
        &format!(
            "<p>The 404 Not Found status says that the page could not be found.{}",
            real(100)
        ),
        None,
    );
    check(
        "人机验证的历史",
        &format!(
            "<p>人机验证要求用户拖动滑块。{}",
            "土壤水分传感器需要校准。".repeat(120)
        ),
        None,
    );
    check(
        "Paywalls",
        &format!(
            "<p>“Subscribe to continue reading”, newspapers say.{}",
            real(620)
        ),
        None,
    );
}

#[test]
fn real_pages_with_an_odd_word_are_pages() {
    check(
        "Soil",
        "<p>The probe is no longer available; its successor is the M2.</p>",
        None,
    );
    check(
        "Soil",
        &format!("{}<p>Log in | Create an account", real(60)),
        None,
    );
    check("Notice", "<p>The seminar is on Tuesday at four.</p>", None);
    check(
        "Soil",
        &format!(
            "<script></script><noscript>Enable JavaScript for the map</noscript>{}",
            real(20)
        ),
        None,
    );
    check(
        "A scoring error",
        &format!("<p>An error was found.{}", real(60)),
        None,
    );
}

#[test]
fn where_the_server_sends_the_reader() {
    let page = read(real(400).as_bytes(), Some("text/html"), URL).expect("a page");
    let stub =
        |url: &str, last: &str| detect_stub(200, &page, url, last).map(|suspicion| suspicion.stub);
    assert_eq!(stub(URL, "https://www.example.org/"), Some(Stub::NotFound));
    assert_eq!(
        stub(URL, "https://example.org/zh-cn/"),
        Some(Stub::NotFound)
    );
    assert_eq!(
        stub("https://example.org/?p=12", "https://example.org/"),
        Some(Stub::NotFound)
    );
    assert_eq!(
        stub("https://t.example/x1", "https://example.org/"),
        None,
        "short addresses lead to first pages"
    );
    assert_eq!(
        stub("http://example.org/", "https://www.example.org/en/"),
        None
    );
    assert_eq!(stub(URL, "https://example.org/soil/sensors-2"), None);
    assert_eq!(stub(URL, "not an address"), None);
    let short = read(
        b"<form><input type=password></form>Welcome",
        Some("text/html"),
        URL,
    )
    .expect("a page");
    let last = "https://id.example.org/login?next=%2Fsoil";
    assert_eq!(
        detect_stub(200, &short, URL, last).map(|s| s.stub),
        Some(Stub::Wall)
    );
}

#[test]
fn the_status_is_believed_and_the_cues_are_named() {
    let page = read(real(400).as_bytes(), Some("text/html"), URL).expect("a page");
    let stub = |status| detect_stub(status, &page, URL, URL).map(|suspicion| suspicion.stub);
    assert_eq!(
        (stub(404), stub(410), stub(401)),
        (Some(Stub::NotFound), Some(Stub::NotFound), Some(Stub::Wall))
    );
    assert_eq!(
        (stub(403), stub(429), stub(200)),
        (Some(Stub::Blocked), Some(Stub::Blocked), None)
    );
    let short = read(
        b"<title>Just a moment...</title>Verifying you are human",
        Some("text/html"),
        URL,
    )
    .expect("a page");
    let suspicion = detect_stub(503, &short, URL, URL).expect("a stub");
    let named: Vec<String> = suspicion
        .cues
        .iter()
        .map(|c| format!("{} {} {}", c.place, c.seen, c.weight))
        .collect();
    assert_eq!(
        named,
        [
            "status 503 2",
            "title `just a moment` 0.7",
            "text `verifying you are human` 0.8",
            "length 4 words 0.4"
        ]
    );
    assert!((suspicion.score - 3.9).abs() < 1e-9);
}
