//! Pages and files made to hurt: each is read on a small stack and must come back.

use std::{sync::mpsc, thread, time::Duration};

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use super::*;

/// Reads on a stack of 2 MB. A reader that does not come back fails the test instead of hanging it.
fn comes_back(name: &str, bytes: Vec<u8>, content_type: &'static str) -> Result<Read, ReadError> {
    let (sender, receiver) = mpsc::channel();
    let work = move || {
        let result = read(&bytes, Some(content_type), "https://example.org/a");
        if let Ok(page) = &result {
            let _ = detect_stub(200, page, "https://example.org/a", "https://example.org/b");
        }
        let _ = sender.send(result);
    };
    thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(work)
        .expect("a thread");
    receiver
        .recv_timeout(Duration::from_mins(2))
        .unwrap_or_else(|_| panic!("{name} does not come back"))
}

fn html(name: &str, html: String) -> Read {
    comes_back(name, html.into_bytes(), "text/html").expect(name)
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!(
        "{}/../../tests/data/pages/{name}",
        env!("CARGO_MANIFEST_DIR")
    ))
    .expect(name)
}

#[test]
fn deep_nesting() {
    let page = html(
        "a hundred thousand deep",
        format!("{}x", "<div>".repeat(100_000)),
    );
    assert_eq!((page.text.as_str(), page.truncated), ("x", false));
    assert!(html("ten megabytes of nesting", "<div>".repeat(2_000_000)).truncated);
    for tag in [
        "<b>",
        "<p><b style=display:none>",
        "<table><tr><td>",
        "<ul><li>",
        "<svg><g>",
        "<a href=x>",
        "<sup>",
    ] {
        html(tag, tag.repeat(30_000));
    }
    html(
        "headers around a heading",
        format!("{}<h1>x", "<header>".repeat(100_000)),
    );
}

#[test]
fn end_tags_that_close_nothing() {
    let deep = "<i>".repeat(10_000);
    for tag in ["</b>", "</p>", "</table>", "</div>", "<br/>", "<x/>"] {
        html(tag, format!("<b>{deep}{}", tag.repeat(50_000)));
    }
    html(
        "formatting that is never closed",
        format!("{}{}", "<b class=x>".repeat(5_000), "<p>x".repeat(50_000)),
    );
}

#[test]
fn large_parts() {
    html(
        "an attribute",
        format!(
            "<p class=\"{}\" style=\"{}\">x",
            "a ".repeat(500_000),
            "top:0;".repeat(200_000)
        ),
    );
    let many: Vec<String> = (0..100_000).map(|i| format!("a{i}=1")).collect();
    html("attributes", format!("<p {}>x", many.join(" ")));
    html(
        "entities",
        "&#x10FFFF;&amp;&nosuch;&#99999999999;".repeat(50_000),
    );
    html(
        "a sheet",
        format!(
            "<style>{}</style><p class=a>x",
            ".a{color:red}@media x{".repeat(40_000)
        ),
    );
    let many = "<p class=a>x</p>".repeat(20_000);
    let doubling = |i| format!("--v{i}:var(--v{0}) var(--v{0});", i + 1);
    let doubling = (0..20_000).map(doubling).collect::<Vec<_>>().concat();
    for (name, sheet) in [
        ("a rule for all, and again", "*{top:0}".repeat(100_000)),
        ("selectors in selectors", "x * * *{top:0}".repeat(60_000)),
        (
            "one rule of many selectors and declarations",
            format!("{}p{{{}}}", "p,".repeat(300_000), "top:0;".repeat(50_000)),
        ),
        (
            "blocks that double",
            format!("{}top:0", format!("{}b{{", ".a,".repeat(200)).repeat(9)),
        ),
        (
            "names of what is around",
            format!(".a{{{}{{top:0}}}}", "&".repeat(300_000)),
        ),
        (
            "variables that double",
            format!(":root{{{doubling}}}p{{color:var(--v0)}}"),
        ),
        ("states in states", format!("{}p", ":not(".repeat(100_000))),
    ] {
        let deep = "<div>".repeat(200);
        html(name, format!("<style>{sheet}</style>{deep}{many}"));
    }
    let rules = format!("<style>{}</style>", ".a{display:block}".repeat(20_000));
    html(
        "a sheet for all",
        format!("{rules}{}", "<i class=a>x</i>".repeat(20_000)),
    );
    html(
        "what is never closed",
        format!(
            "<title>{}<script>{}",
            "x".repeat(500_000),
            "<!--".repeat(200_000)
        ),
    );
    html(
        "marks on one letter",
        format!("a{}", "\u{301}".repeat(500_000)),
    );
    let long = html("a long text", "ten words ".repeat(300_000));
    assert_eq!(
        (long.text.chars().count(), long.truncated),
        (clean::LONGEST, true)
    );
}

#[test]
fn bytes_that_are_no_text() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let noise: Vec<u8> = (0..200_000).map(|_| rng.random()).collect();
    assert_eq!(
        comes_back("noise", noise.clone(), "application/pdf"),
        Err(ReadError::BrokenPdf)
    );
    assert_eq!(
        comes_back("noise", noise.clone(), "text/html"),
        Err(ReadError::NotText)
    );
    let named = [b"%PDF-1.7\n".as_slice(), &noise].concat();
    assert_eq!(
        comes_back("noise with a name", named, "application/pdf"),
        Err(ReadError::BrokenPdf)
    );
    let broken = b"<p>caf\xe9 \xff\xfe \xc3\x28 \xed\xa0\x80</p>".repeat(10_000);
    assert!(comes_back("broken letters", broken, "text/html; charset=utf-8").is_ok());
}

#[test]
fn other_formats() {
    for (name, text, content_type) in [
        ("deep JSON", "[".repeat(1_000_000), "application/json"),
        ("deep XML", "<a>".repeat(1_000_000), "text/xml"),
        (
            "half-open XML",
            "<![CDATA[<!--<?&".repeat(100_000),
            "text/xml",
        ),
        (
            "brackets in a document type",
            format!("<!DOCTYPE a {}", "[".repeat(1_000_000)),
            "text/xml",
        ),
    ] {
        let _ = comes_back(name, text.into_bytes(), content_type);
    }
}

#[test]
fn documents_that_nest() {
    let page = "/Type /Page /MediaBox [0 0 9 9] /Contents 4 0 R";
    let frame = format!(
        "%PDF-1.7\n1 0 obj <</Pages 2 0 R>> endobj 2 0 obj <</Kids [3 0 R]>> endobj 3 0 obj <<{page}>> endobj "
    );
    for part in [
        "[", "<</A ", "(", "<", "[<</A [", "q ", "BT ", "/A BMC ", "BI ",
    ] {
        let deep = part.repeat(30_000);
        let content = format!(
            "{frame}4 0 obj <</Length {}>> stream\n{deep}\nendstream endobj trailer <</Root 1 0 R>>",
            deep.len()
        );
        let _ = comes_back("deep content", content.into_bytes(), "application/pdf");
        let _ = comes_back(
            "a deep object",
            format!("{frame}4 0 obj {deep}").into_bytes(),
            "application/pdf",
        );
        let _ = comes_back(
            "a deep trailer",
            format!("%PDF-1.7\ntrailer <</Root {deep}").into_bytes(),
            "application/pdf",
        );
    }
    let many = format!(
        "{frame}{}",
        "4 0 obj <</Kids [2 0 R 2 0 R]>> endobj ".repeat(10_000)
    );
    let _ = comes_back(
        "a tree with loops",
        many.replace("[3 0 R]", "[4 0 R 2 0 R 3 0 R]").into_bytes(),
        "application/pdf",
    );
}

/// A file with some bytes changed, cut out or doubled.
fn mutated(bytes: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..rng.random_range(1..6) {
        let at = rng.random_range(0..bytes.len());
        let end = (at + rng.random_range(1..100)).min(bytes.len());
        match rng.random_range(0..4) {
            0 => bytes[at] = rng.random(),
            1 => bytes[at] ^= 1 << rng.random_range(0..8),
            2 if bytes.len() > 200 => drop(bytes.drain(at..end)),
            _ => {
                let piece = bytes[at..end].to_vec();
                let to = rng.random_range(0..bytes.len());
                bytes.splice(to..to, piece);
            }
        }
    }
    bytes
}

/// How many of 300 damaged copies of a few files are still read. None may panic.
fn read_when_damaged(names: &[&str], content_type: &'static str, seed: u64) -> usize {
    let files: Vec<Vec<u8>> = names.iter().map(|name| fixture(name)).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut damaged = |i: usize| mutated(&files[i % files.len()], &mut rng);
    let read = (0..300)
        .map(|i| (i, damaged(i)))
        .map(|(i, bytes)| comes_back(&format!("number {i}"), bytes, content_type));
    let results: Vec<_> = read.collect();
    assert!(
        !results
            .iter()
            .any(|result| matches!(result, Err(ReadError::Panicked(_))))
    );
    results.iter().filter(|result| result.is_ok()).count()
}

#[test]
fn damaged_html() {
    let pages = [
        "soil-sensors.html",
        "hidden-instructions.html",
        "soil-sensors-zh.html",
        "rain-gauge-latin1.html",
    ];
    assert!(read_when_damaged(&pages, "text/html", 2) > 290);
}

#[test]
fn damaged_pdf() {
    let files = ["soil-sensors.pdf", "columns.pdf", "recorded-by-hand.pdf"];
    assert!(read_when_damaged(&files, "application/pdf", 3) > 100);
}
