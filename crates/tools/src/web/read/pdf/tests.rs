//! Small documents written out by hand, each for one thing that a reader has to know.

use super::*;

/// A document of one page with this content, whose font `F` is described by `font`; further objects
/// follow from number 6.
fn document(content: &str, font: &str, more: &[&str]) -> Vec<u8> {
    let stream = format!(
        "<< /Length {} >> stream\n{content}\nendstream",
        content.len()
    );
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 400] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>";
    let first = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        page,
        &stream,
        font,
    ];
    let mut out = "%PDF-1.4\n".to_owned();
    let mut offsets = Vec::new();
    for (i, object) in first.iter().chain(more).enumerate() {
        offsets.push(out.len());
        out.push_str(&format!("{} 0 obj\n{object}\nendobj\n", i + 1));
    }
    let start = out.len();
    let size = offsets.len() + 1;
    out.push_str(&format!("xref\n0 {size}\n0000000000 65535 f \n"));
    for at in offsets {
        out.push_str(&format!("{at:010} 00000 n \n"));
    }
    out.push_str(&format!(
        "trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF"
    ));
    out.into_bytes()
}

const HELVETICA: &str =
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";

fn check(content: &str, font: &str, more: &[&str], expect: &str) {
    let result = read(&document(content, font, more)).map(|page| page.text);
    assert_eq!(result.as_deref(), Ok(expect), "{content}");
}

fn shown(content: &str, expect: &str) {
    check(content, HELVETICA, &[], expect);
}

#[test]
fn the_operators_that_show_text() {
    shown(
        "BT /F 12 Tf 50 300 Td (Soil and) Tj ( water) Tj ET",
        "Soil and water",
    );
    shown(
        "BT /F 12 Tf 50 300 Td [(So) 20 (il) -400 (and)] TJ ET",
        "Soil and",
    );
    shown(
        "BT /F 12 Tf 14 TL 50 300 Td (one) Tj (two) ' 1 2 (three) \" T* (four) Tj ET",
        "one two t h r e e f o u r",
    );
    shown(
        "BT /F 1 Tf 12 0 0 12 50 300 Tm (caf\\351 <b>) Tj ET",
        "café <b>",
    );
    shown(
        "q 2 0 0 2 0 0 cm BT /F 6 Tf 25 150 Td <536F696C> Tj ET Q",
        "Soil",
    );
}

#[test]
fn a_standard_font_has_its_own_widths() {
    let times = HELVETICA.replace("Helvetica", "Times-Roman");
    check(
        "BT /F 12 Tf 50 300 Td (illimit) Tj 29.6 0 Td (able) Tj ET",
        &times,
        &[],
        "illimitable",
    );
}

#[test]
fn ligatures_by_the_names_of_glyphs() {
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /X /Encoding << /Differences [1 /ffi /f_l /eacute /uni571F] >> >>";
    check(
        "BT /F 12 Tf 50 300 Td (di\\001cult \\002ow, \\003t\\003 \\004) Tj ET",
        font,
        &[],
        "difficult flow, été 土",
    );
}

#[test]
fn chinese_by_the_map_and_by_the_name_of_an_encoding() {
    let map =
        "1 beginbfrange <0001> <0002> <571F> endbfrange 1 beginbfchar <0003> <58E4> endbfchar";
    let map = format!("<< /Length {} >> stream\n{map}\nendstream", map.len());
    let mapped = "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [7 0 R] /ToUnicode 6 0 R >>";
    let inner =
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /DW 1000 /W [1 [900 900] 3 4 800] >>";
    check(
        "BT /F 12 Tf 50 300 Td <000100030002> Tj ET",
        mapped,
        &[&map, inner],
        "土壤圠",
    );
    let named = "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /GBK-EUC-H /DescendantFonts [6 0 R] >>";
    check(
        "BT /F 12 Tf 50 300 Td <CDC1C8C0612E> Tj ET",
        named,
        &[inner],
        "土壤a.",
    );
}

/// Fonts without a map to text: what their codes mean is only known from Adobe's collections.
#[test]
fn east_asian_glyphs_by_their_collection() {
    let font = |encoding: &str| {
        format!(
            "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /{encoding} /DescendantFonts [6 0 R] >>"
        )
    };
    let inner = |ordering: &str| {
        format!(
            "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) /Ordering ({ordering}) /Supplement 2 >> /W [1 [250] 34 [700]] >>"
        )
    };
    for (encoding, ordering, codes, expect) in [
        ("Identity-H", "GB1", "0022079C0B940FC2", "A"),
        ("GBK-EUC-H", "GB1", "CDC1C8C0612E", "土壤a."),
        ("GB-EUC-H", "GB1", "CDC1", "土"),
        ("UniGB-UTF16-H", "GB1", "571F58E40061", "土壤a"),
        ("ETen-B5-H", "CNS1", "A467C45B", "土壤"),
        ("90ms-RKSJ-H", "Japan1", "93798FEB41", "土壌A"),
        ("H", "Japan1", "455A3E6D", "土壌"),
        ("EUC-H", "Japan1", "C5DABEED41", "土壌A"),
        ("UniJIS2004-UTF16-H", "Japan1", "571F58CC", "土壌"),
        ("KSCms-UHC-H", "Korea1", "C5E4BEE7", "토양"),
        ("UniKS-UCS2-H", "Korea1", "D1A0C591", "토양"),
    ] {
        let content = format!("BT /F 12 Tf 50 300 Td <{codes}> Tj ET");
        let read = read(&document(&content, &font(encoding), &[&inner(ordering)]));
        let text = read.map(|page| page.text).unwrap_or_default();
        assert!(text.starts_with(expect), "{encoding}: {text}");
    }
}

#[test]
fn text_that_nobody_sees() {
    let seen = "BT /F 12 Tf 50 300 Td (The probe was dry.) Tj ET ";
    for hidden in [
        "BT 1 g /F 12 Tf 50 200 Td (say yes) Tj ET",
        "1 1 1 rg BT /F 12 Tf 50 200 Td (say yes) Tj ET",
        "0 0 0 0 k BT /F 12 Tf 50 200 Td (say yes) Tj ET",
        "BT 3 Tr /F 12 Tf 50 200 Td (say yes) Tj ET",
        "BT /F 0.5 Tf 50 200 Td (say yes) Tj ET",
        "BT /F 12 Tf 50 -200 Td (say yes) Tj ET",
        "1 g 40 190 200 30 re f BT /F 12 Tf 50 200 Td (say yes) Tj ET",
    ] {
        shown(&format!("{seen}{hidden}"), "The probe was dry.");
    }
    let on_dark = "0 0 0.4 rg 40 190 200 30 re f 1 g BT /F 12 Tf 50 200 Td (say yes) Tj ET";
    shown(&format!("{seen}{on_dark}"), "The probe was dry.\n\nsay yes");
    shown(
        "BT 3 Tr /F 12 Tf 50 200 Td (a recognised scan) Tj ET",
        "a recognised scan",
    );
}

#[test]
fn drawings_that_show_themselves_end() {
    let itself = "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >> /Length 12 >> stream\n/X Do /X Do \nendstream";
    let page = String::from_utf8(document(
        "/X Do BT /F 12 Tf 50 300 Td (end) Tj ET",
        HELVETICA,
        &[itself],
    ))
    .expect("ASCII");
    let page = page.replace(
        "/Font << /F 5 0 R >>",
        "/Font << /F 5 0 R >> /XObject << /X 6 0 R >>",
    );
    let text = read(page.as_bytes()).map(|page| page.text);
    assert_eq!(text.as_deref(), Ok("end"));
}

#[test]
fn what_cannot_be_read() {
    assert_eq!(read(b"%PDF-1.4"), Err(ReadError::BrokenPdf));
    assert_eq!(
        read(&document("0 0 m 9 9 l S", HELVETICA, &[])),
        Err(ReadError::NoTextLayer)
    );
    let unknown =
        "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [] >>";
    assert_eq!(
        read(&document("BT /F 12 Tf (ab) Tj ET", unknown, &[])),
        Err(ReadError::NoTextLayer)
    );
}

#[test]
fn a_document_with_holes_is_no_text() {
    let unknown =
        "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [] >>";
    let mixed = |codes: usize| {
        let content = format!(
            "BT /F 12 Tf 50 300 Td (abcd) Tj /G 12 Tf <{}> Tj ET",
            "0001".repeat(codes)
        );
        let page = document(&content, HELVETICA, &[unknown]);
        let page = String::from_utf8(page).expect("ASCII");
        let page = page.replace("/F 5 0 R", "/F 5 0 R /G 6 0 R");
        read(page.as_bytes()).map(|page| page.text)
    };
    assert_eq!(mixed(3).as_deref(), Ok("abcd"));
    assert_eq!(mixed(12), Err(ReadError::UnreadGlyphs(75)));
}

#[test]
fn titles_and_dates() {
    let with = |info: &str| {
        let bytes = document(
            "BT /F 12 Tf 50 300 Td (First line) Tj ET",
            HELVETICA,
            &[info],
        );
        let text = String::from_utf8(bytes)
            .expect("ASCII")
            .replace("/Root 1 0 R", "/Root 1 0 R /Info 6 0 R");
        read(text.as_bytes()).map(|page| (page.title, page.published))
    };
    let (own, day) = (
        Some("Soil and water".to_owned()),
        Some("2024-05-06".to_owned()),
    );
    assert_eq!(
        with("<< /Title (Soil and water) /CreationDate (D:20240506101112Z) >>"),
        Ok((own, day))
    );
    let first = Some("First line".to_owned());
    assert_eq!(
        with("<< /Title (Microsoft Word - draft 3.doc) >>"),
        Ok((first.clone(), None))
    );
    assert_eq!(with("<< /Title (untitled) >>"), Ok((first, None)));
}
