//! What can be seen of pages, way by way.

use crate::web::read::tree::parse;

/// Whether the text "x" of a page is visible.
fn sees(html: &str) -> bool {
    let tree = parse(html);
    tree.nodes
        .iter()
        .any(|node| node.text() == "x" && node.visibility.is_visible())
}

#[test]
fn hidden_by_tag_or_attribute() {
    assert!(sees("<p>x"));
    assert!(sees("<p aria-hidden=true>x"));
    assert!(sees("<p hidden=until-found>x"));
    assert!(sees("<details><summary>s</summary>x</details>"));
    for html in [
        "<p hidden>x",
        "<template>x",
        "<noscript>x</noscript>",
        "<dialog>x",
        "<svg><title>x</title></svg>",
    ] {
        assert!(!sees(html), "{html}");
    }
}

#[test]
fn hidden_by_style() {
    for style in [
        "display:none",
        "DISPLAY : none !important",
        "display:/**/none",
        "visibility:hidden",
        "font-size:0",
        "font-size:.5px",
        "font-size:1%",
        "position:absolute;left:-9999px",
        "text-indent:-100em",
        "margin-left:-2000pt",
        "opacity:0",
        "clip:rect(0 0 0 0)",
        "clip:rect(1px, 1px, 1px, 1px)",
        "clip-path:inset(50%)",
        "height:0;overflow:hidden",
        "color:transparent",
        "color:#fff",
        "color:#FEFEFE",
        "color:rgb(255, 255, 255)",
        "color:black;background:#000000",
        "color:white;background-color:white",
        "display:none ! important",
        r"d\69 splay:none",
        "visibility:collapse",
        "opacity:1%",
        "opacity:0;transition:none;transform:none;will-change:auto",
        "filter:opacity(0)",
        "filter:blur(99px)",
        "font-size:2px",
        "font:0/0 a",
        "font:bold 1px/1 serif",
        "font-size-adjust:0",
        "zoom:.01",
        "letter-spacing:-1em",
        "color:#ffffff00",
        "color:rgba(0, 0, 0, 0)",
        "color:rgb(0 0 0 / 2%)",
        "color:hsl(0, 0%, 100%)",
        "color:snow",
        "color:#eee",
        "background:#000",
        "color:#123456;background:rgb(18 52 86)",
        "color:#fff;background:#fff url(a.png);background:#fff",
        "-webkit-text-fill-color:transparent",
        "-webkit-text-fill-color:#fff",
        "color:transparent;background:#fff;-webkit-background-clip:text",
        "-webkit-text-security:disc",
        "position:fixed;bottom:-9999px",
        "position:absolute;inset:0 auto auto -9999px",
        "position:absolute;inset-inline-start:-9999px",
        "position:absolute;left:-200%",
        "position:absolute;left:9999px",
        "position:absolute;z-index:-1",
        "left:calc(-1 * 9999px)",
        "left:-1e4px",
        "margin:0 0 0 -9999px",
        "margin-inline-start:-9999px",
        "text-indent:9999px",
        "transform:translateX(-9999px)",
        "transform:translate(-200vw, 0)",
        "transform:translate3d(0, -9999px, 0)",
        "transform:translateX(-1000%)",
        "translate:-9999px",
        "transform:scale(0)",
        "transform:scaleX(0)",
        "-webkit-transform:scale(.001)",
        "scale:0",
        "transform:rotateX(90deg)",
        "rotate:y .25turn",
        "transform:matrix(0, 0, 0, 0, 0, 0)",
        "transform:rotateY(180deg);backface-visibility:hidden",
        "clip:rect(0, 1px, 1px, 0)",
        "clip-path:inset(0 100% 0 0)",
        "clip-path:circle(0)",
        "clip-path:ellipse(0 0)",
        "clip-path:polygon(0 0, 0 0, 0 0)",
        "clip-path:polygon(0 0, 100% 100%, 50% 50%)",
        "-webkit-clip-path:rect(0 0 0 0)",
        "mask-image:linear-gradient(transparent, transparent)",
        "-webkit-mask:linear-gradient(#0000, #0000)",
        "mask-size:0",
        "max-height:0;overflow-y:hidden",
        "width:1px;overflow:clip",
        "block-size:0;overflow:auto",
        "line-height:0;overflow:hidden",
    ] {
        assert!(
            !sees(&format!("<div style='{style}'><b>x</b></div>")),
            "{style}"
        );
    }
}

#[test]
fn shown_by_style() {
    for style in [
        "display:block",
        "font-size:12px",
        "font-size:90%",
        "left:-20px",
        "opacity:0;transform:translateY(20px)",
        "opacity:.8",
        "height:0",
        "color:#fff;background:#1a1a1a",
        "color:white;background-image:url(a.png)",
        "color:white;background:linear-gradient(red, blue)",
        "color:transparent;-webkit-background-clip:text",
        "color:black",
        "color:inherit",
        "color:#ccc",
        "color:rgb(0 0 0 / 70%)",
        "color:var(--ink)",
        "font:italic 400 1em/1.5 serif",
        "letter-spacing:-.02em",
        "margin:0 auto -9999px",
        "left:-100%",
        "position:relative;z-index:-1",
        "transform:scale(.9) rotate(90deg)",
        "transform:translateX(-100%)",
        "transform:rotateY(180deg)",
        "clip-path:inset(10%)",
        "clip-path:polygon(0 0, 100% 0, 100% 100%)",
        "mask-image:linear-gradient(#000, transparent)",
        "filter:blur(1px)",
        "opacity:0;transition:opacity 1s",
        "opacity:0;animation:fade .5s forwards",
        "background:url(a.png);color:#fff",
        "width:1px",
        "",
    ] {
        assert!(
            sees(&format!("<div style='{style}'><b>x</b></div>")),
            "{style}"
        );
    }
}

#[test]
fn what_a_descendant_may_undo() {
    assert!(sees(
        "<div style='visibility:hidden'><p style='visibility:visible'>x</p></div>"
    ));
    assert!(sees(
        "<div style='font-size:0'><p style='font-size:1rem'>x</p></div>"
    ));
    assert!(sees(
        "<div style='color:#fff'><p style='background:navy;background:#008'>x</p></div>"
    ));
    assert!(!sees(
        "<div style='display:none'><p style='display:block'>x</p></div>"
    ));
}

#[test]
fn what_adds_up_from_element_to_element() {
    for html in [
        "<div style='opacity:.2'><p style='opacity:.2'>x",
        "<div style='font-size:.3em'><p style='font-size:.3em'>x",
        "<div style='-webkit-text-fill-color:#fff'><p style='color:#000'>x",
        "<div style='color:#fff'><p style='color:inherit'>x",
        "<body text=white>x",
        "<body bgcolor=black>x",
        "<p popover>x",
    ] {
        assert!(!sees(html), "{html}");
    }
    for html in [
        "<div style='color:#fff'><a href=y>x</a></div>",
        "<body bgcolor=black link=yellow><a href=y>x</a>",
        "<link rel=stylesheet href=y><body bgcolor=black>x",
        "<style>@import 'y'</style><body bgcolor=black>x",
        "<p popover style='display:block'>x",
        "<div style='font-size:10%'><p style='font-size:1rem'>x",
    ] {
        assert!(sees(html), "{html}");
    }
}

/// A class that hides, by what a sheet may say of it.
#[test]
fn hidden_by_a_class_however_it_is_written() {
    let many = "a ".repeat(100);
    for (sheet, body) in [
        (".h.g{display:none}", "<p class='g h'>x"),
        ("p#i.h{display:none}", "<p id=i class=h>x"),
        (".o .h{display:none}", "<div class=o><i><p class=h>x"),
        (".o>p{display:none}", "<div class=o><p>x"),
        ("h1+p{display:none}", "<h1>a</h1><p>x"),
        ("h1~p{display:none}", "<h1>a</h1><b>b</b><p>x"),
        ("[data-h]{display:none}", "<p data-h>x"),
        ("p:not(.s){display:none}", "<p>x"),
        (":is(.h){display:none}", "<p class=h>x"),
        ("*{display:none}", "<p>x"),
        ("body p{display:none}", "<p>x"),
        ("@media screen{.h{display:none}}", "<p class=h>x"),
        ("@supports(display:grid){.h{display:none}}", "<p class=h>x"),
        (".o{.h{display:none}}", "<div class=o><p class=h>x"),
        (
            ".h{display:none!important}",
            "<p class=h style='display:block'>x",
        ),
        (r".\68{display:none}", "<p class=h>x"),
        (":root{--h:none}.h{display:var(--h)}", "<p class=h>x"),
        (".h{display:none", "<p class=h>x"),
        ("<!-- .h{display:none} -->", "<p class=h>x"),
        (".h{display:none}", &format!("<p class='{many} h'>x")),
        (
            ".h{display:none}",
            &format!("<p class=h style='{}'>x", "top:0;".repeat(1000)),
        ),
    ] {
        assert!(!sees(&format!("<style>{sheet}</style>{body}")), "{sheet}");
        // A sheet that comes last is for what was before it, too.
        assert!(
            !sees(&format!("{body}</p><style>{sheet}</style>")),
            "{sheet}"
        );
    }
    for (sheet, body) in [
        (".o .h{display:none}", "<p class=h>x"),
        (".o .h{display:none}", "<div class=o></div><p class=h>x"),
        ("h1+p{display:none}", "<h1>a</h1><b>b</b><p>x"),
        ("@media print{.h{display:none}}", "<p class=h>x"),
        ("@media (max-width:600px){.h{display:none}}", "<p class=h>x"),
        (".h:hover{display:none}", "<p class=h>x"),
        (".h::after{display:none}", "<p class=h>x"),
    ] {
        assert!(sees(&format!("<style>{sheet}</style>{body}")), "{sheet}");
    }
    assert!(sees("<style media=print>p{display:none}</style><p>x"));
    assert!(sees(
        "<template><style>p{display:none}</style></template><p>x"
    ));
    assert!(sees(
        "<noscript><style>p{display:none}</style></noscript><p>x"
    ));
    assert!(sees(
        "<script>'<style>p{display:none}</style>'</script><p>x"
    ));
}

#[test]
fn hidden_by_the_page_s_own_sheet() {
    assert!(!sees("<style>.h{display:none}</style><p class='a h'>x"));
    assert!(sees(
        "<style>.h{display:none}</style><p class='h' style='display:block'>x"
    ));
    assert!(sees(
        "<style>body{display:none;visibility:hidden}</style><body><p>x"
    ));
    assert!(sees(
        "<style>body{background:#111}</style><body><p style='color:#fff'>x"
    ));
    assert!(!sees("<body bgcolor=#000000><font color=black>x"));
}
