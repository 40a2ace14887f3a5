//! Pages as bytes: HTML in four encodings, plain text, PDF by hand, redirects and refusals. Hides
//! what lies between a fact and a reader: tags, line breaks, compression, other spellings.

use std::io::Write as _;

use axum::{
    body::Body,
    http::{Response, header},
};
use encoding_rs::Encoding;

use super::{
    facts::TASKS,
    pages::{Html, Kind, Page, facts_of},
};

/// The answer of a page that is there.
pub fn served(page: &Page) -> Response<Body> {
    match &page.kind {
        Kind::Html(html) => answer(
            200,
            html.header,
            encoded(&html_of(page, html), html.charset),
        ),
        Kind::Text(content_type) => {
            let charset = content_type.split("charset=").nth(1).unwrap_or("utf-8");
            answer(200, content_type, encoded(&text_of(page), charset))
        }
        Kind::Pdf { packed } => answer(200, "application/pdf", pdf_of(page, *packed)),
        Kind::Moved(status, to) => {
            let moved = Response::builder()
                .status(*status)
                .header(header::LOCATION, *to);
            moved.body(Body::empty()).expect("a redirect")
        }
        Kind::Stub(status, body) => answer(
            *status,
            "text/html; charset=utf-8",
            body.as_bytes().to_vec(),
        ),
    }
}

/// What every path answers that is not there.
pub fn not_found() -> Response<Body> {
    answer(
        404,
        "text/html; charset=utf-8",
        b"<!DOCTYPE html><title>404</title><body><h1>Not found</h1></body>".to_vec(),
    )
}

/// Everything may be read.
pub fn robots() -> Response<Body> {
    answer(200, "text/plain", b"User-agent: *\nDisallow:\n".to_vec())
}

/// A sentence as a mirror spells it: no copy is exact.
pub fn mirrored(sentence: &str) -> String {
    sentence
        .to_uppercase()
        .replace(", ", " – ")
        .replace('，', ", ")
        .replace('。', "！")
}

fn answer(status: u16, content_type: &str, body: Vec<u8>) -> Response<Body> {
    let answer = Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, content_type);
    answer.body(Body::from(body)).expect("an answer")
}

fn encoded(text: &str, charset: &str) -> Vec<u8> {
    let encoding = Encoding::for_label(charset.as_bytes()).expect("a known encoding");
    let (bytes, _, replaced) = encoding.encode(text);
    assert!(!replaced, "{charset} cannot say: {text}");
    bytes.into_owned()
}

fn is_chinese(page: &Page) -> bool {
    TASKS
        .iter()
        .any(|task| task.language == "zh" && page.path[1..].starts_with(task.key))
}

fn introduction(page: &Page) -> &'static str {
    if is_chinese(page) {
        "以下内容来自现场记录，每年核对一次；数字保持原样，没有经过四舍五入。"
    } else {
        "These are notes from the site, checked once a year; the figures are left as they were read."
    }
}

fn sentences(page: &Page) -> impl Iterator<Item = String> {
    let is_mirror = matches!(
        page.kind,
        Kind::Html(Html {
            mirror_of: Some(_),
            ..
        })
    );
    facts_of(page).into_iter().map(move |fact| {
        let sentence = if is_mirror {
            mirrored(fact.sentence)
        } else {
            fact.sentence.to_owned()
        };
        assert!(
            sentence.contains(fact.code),
            "a mirror without its code: {sentence}"
        );
        sentence
    })
}

/// Menus around the text, the code of each fact in bold face, and line breaks where a browser shows
/// spaces.
fn html_of(page: &Page, html: &Html) -> String {
    let (language, home, owner) = if is_chinese(page) {
        ("zh-CN", "首页", "版权所有")
    } else {
        ("en", "Home", "Imprint")
    };
    let codes = facts_of(page);
    let marked = |at: usize, sentence: String| {
        let bold = format!("<b>{}</b>", codes[at].code);
        format!(
            "<p>{}</p>\n",
            sentence
                .replacen(codes[at].code, &bold, 1)
                .replace("</b> ", "</b>\n")
        )
    };
    let facts: String = sentences(page)
        .enumerate()
        .map(|(at, sentence)| marked(at, sentence))
        .collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"{language}\"><head>{}<title>{}</title></head>\n<body><nav><a href=\"/\">{home}</a></nav>\n<main><article><h1>{}</h1>\n<p>{}</p>\n{facts}{}</article></main>\n<footer><a href=\"/imprint\">{owner}</a></footer></body></html>\n",
        html.meta,
        page.title,
        page.title,
        introduction(page),
        html.after
    )
}

/// A line for each paragraph, and an empty one between them.
fn text_of(page: &Page) -> String {
    let paragraphs = [page.title.to_owned(), introduction(page).to_owned()]
        .into_iter()
        .chain(sentences(page));
    paragraphs.collect::<Vec<_>>().join("\n\n") + "\n"
}

/// One sheet of A4 in Helvetica.
fn pdf_of(page: &Page, packed: bool) -> Vec<u8> {
    let content = content(page);
    if packed {
        pdf("/FlateDecode", &deflated(&content))
    } else {
        pdf("", &content)
    }
}

/// A PDF whose only sheet has this content, which is packed by these filters.
pub fn pdf(filters: &str, content: &[u8]) -> Vec<u8> {
    let filter = format!("/Filter [{filters}] ");
    let head = format!("<< {filter}/Length {} >>\nstream\n", content.len());
    let objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>"
            .to_vec(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_vec(),
        [head.as_bytes(), content, b"\nendstream"].concat(),
    ];
    let mut pdf = b"%PDF-1.4\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in (1..).zip(&objects) {
        table += &format!("{:010} 00000 n \n", pdf.len());
        pdf.extend(
            [
                format!("{number} 0 obj\n").as_bytes(),
                object,
                b"\nendobj\n",
            ]
            .concat(),
        );
    }
    let start = pdf.len();
    let trailer = format!(
        "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n",
        objects.len() + 1
    );
    pdf.extend([table, trailer].concat().bytes());
    pdf
}

/// Paragraphs in lines of 60 characters at most; none is broken within a word.
fn content(page: &Page) -> Vec<u8> {
    let mut out = String::from("BT /F1 11 Tf 14 TL 60 780 Td\n");
    for paragraph in [page.title.to_owned(), introduction(page).to_owned()]
        .into_iter()
        .chain(sentences(page))
    {
        assert!(
            paragraph.is_ascii() && !paragraph.contains(['(', ')', '\\']),
            "not for this PDF: {paragraph}"
        );
        for line in lines(&paragraph, 60) {
            out += &format!("({line}) Tj T*\n");
        }
        out += "T*\n";
    }
    (out + "ET").into_bytes()
}

fn lines(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines
            .last_mut()
            .filter(|line| line.len() + word.len() < most)
        {
            Some(line) => *line += &format!(" {word}"),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

pub fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}
