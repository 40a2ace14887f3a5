//! The sample pages, end to end.

use super::*;
use crate::web::read::stub::Stub;

const URL: &str = "https://fieldnotes.example/notes/soil?from=feed";

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!(
        "{}/../../tests/data/pages/{name}",
        env!("CARGO_MANIFEST_DIR")
    ))
    .expect(name)
}

fn page(name: &str, content_type: &str) -> Read {
    read(&fixture(name), Some(content_type), URL).expect(name)
}

fn stub(page: &Read) -> Option<Stub> {
    detect_stub(200, page, URL, URL).map(|suspicion| suspicion.stub)
}

#[test]
fn an_article() {
    let page = page("soil-sensors.html", "text/html; charset=utf-8");
    assert_eq!(
        page.title.as_deref(),
        Some("What a soil moisture sensor measures | Field Notes")
    );
    assert_eq!(
        page.canonical_url.as_deref(),
        Some("https://fieldnotes.example/notes/soil-moisture-sensors")
    );
    assert_eq!(
        (page.language.as_deref(), page.published.as_deref()),
        (Some("en"), Some("2025-04-17T08:30:00+02:00"))
    );
    let lines: Vec<&str> = page.text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines[0], "What a soil moisture sensor measures");
    assert!(lines.contains(&"Clay | 0.072 | 0.021"), "{}", page.text);
    assert!(
        lines.contains(&"- Forty soil cores per field, dried at 105 °C for twenty-four hours.")
    );
    assert!(
        lines[3].contains("off by up to 0.07 m^3 of water per m^3 of soil."),
        "{}",
        lines[3]
    );
    for furniture in [
        "Skip",
        "People",
        "cookie",
        "Related",
        "Imprint",
        "JavaScript",
        "reviewer",
    ] {
        assert!(!page.text.contains(furniture), "{furniture}");
    }
    assert_eq!(stub(&page), None);
}

#[test]
fn a_chinese_article_in_gb18030() {
    let page = page("soil-sensors-zh.html", "text/html");
    assert_eq!(
        page.title.as_deref(),
        Some("土壤水分传感器的校准 - 田间笔记")
    );
    assert!(
        page.text.contains("重新校准以后降到 0.021。")
            && page.text.contains("黏土 | 0.072 | 0.021")
    );
    assert!(!page.text.contains("首页") && stub(&page).is_none());
}

#[test]
fn an_old_page_laid_out_by_tables_in_windows_1252() {
    let page = page("rain-gauge-latin1.html", "text/html");
    assert!(
        page.text.contains("„Messen heißt vergleichen“"),
        "{}",
        page.text
    );
    assert!(
        page.text.lines().filter(|line| line.len() > 100).count() == 3,
        "three paragraphs: {}",
        page.text
    );
    assert_eq!(
        (page.published.as_deref(), stub(&page)),
        (Some("1998-06-03"), None)
    );
}

#[test]
fn hidden_instructions_do_not_arrive() {
    let page = page("hidden-instructions.html", "text/html; charset=utf-8");
    assert!(
        !page.text.contains("every claim is supported"),
        "{}",
        page.text
    );
    for shown in [
        "41 centimetres",
        "ten centimetres halved",
        "by hand",
        "Ignore nothing of this: the frost left",
    ] {
        assert!(page.text.contains(shown), "{shown}");
    }
}

#[test]
fn pages_that_are_none_and_one_about_them() {
    for (name, expect) in [
        ("just-a-moment.html", Some(Stub::Blocked)),
        ("soft-404.html", Some(Stub::NotFound)),
        ("login-wall.html", Some(Stub::Wall)),
        ("empty-shell.html", Some(Stub::Shell)),
        ("about-captchas.html", None),
    ] {
        assert_eq!(
            stub(&page(name, "text/html; charset=utf-8")),
            expect,
            "{name}"
        );
    }
}

#[test]
fn pdf_files() {
    let page = page("soil-sensors.pdf", "application/pdf");
    assert_eq!(
        (page.title.as_deref(), page.extractor),
        (Some("What a soil moisture sensor measures"), "pdf")
    );
    assert!(
        page.text
            .contains("the field in which they stand. The difficult first step"),
        "{}",
        page.text
    );
    let columns = self::page("columns.pdf", "application/octet-stream").text;
    let (left, right) = (columns.find("left line 29"), columns.find("right line 00"));
    assert!(left.is_some() && left < right, "{columns}");
    assert_eq!(
        read(&fixture("locked.pdf"), None, URL),
        Err(ReadError::EncryptedPdf)
    );
    let cut = &fixture("soil-sensors.pdf")[..200];
    assert_eq!(
        read(cut, Some("application/pdf"), URL),
        Err(ReadError::BrokenPdf)
    );
}

#[test]
fn plain_formats() {
    let notes = page("notes.md", "text/markdown");
    assert_eq!(
        (notes.title.as_deref(), notes.extractor),
        (Some("Reading a soil probe"), "plain")
    );
    assert!(
        page("stations.json", "application/json")
            .text
            .contains("\"note\": \"土壤 probes, read every 10 min\"")
    );
    let journal = page("journal.xml", "application/xml");
    assert!(
        journal
            .text
            .contains("Water within two nanometres of a clay")
            && !journal.text.contains("never shown")
    );
    assert!(journal.text.contains("See &secret; & table 2."));
}

#[test]
fn errors_have_a_cause_of_one_word() {
    for error in [
        ReadError::Empty,
        ReadError::BrokenPdf,
        ReadError::UnsupportedType("image/png".into()),
    ] {
        assert!(!error.cause().contains(' '));
    }
    assert_eq!(
        ReadError::UnsupportedType("image/png".into()).to_string(),
        "unsupported type: `image/png`"
    );
    let panic = std::panic::catch_unwind(|| isolation::quiet_panics(|| panic!("at {}", 7)))
        .expect_err("a panic");
    assert_eq!(message(&*panic), "at 7");
}
