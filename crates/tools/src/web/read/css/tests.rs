//! What sheets and styles declare for an element.

use super::*;

/// An element in others, the outermost first.
#[derive(Clone, Copy)]
struct Place<'a>(&'a [(&'a str, &'a [(&'a str, &'a str)])]);

impl Element for Place<'_> {
    fn name(&self) -> &str {
        self.0.last().map_or("", |(name, _)| name)
    }

    fn attribute(&self, name: &str) -> Option<&str> {
        let (_, attributes) = self.0.last()?;
        attributes
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| *value)
    }

    fn parent(&self) -> Option<Self> {
        let (_, above) = self.0.split_last()?;
        Some(Self(above))
    }

    fn previous(&self) -> Option<Self> {
        None
    }
}

fn declared(css: &str, name: &str, attributes: &[(&str, &str)]) -> String {
    let mut sheet = Sheet::default();
    sheet.add(css);
    let path = [("main", &[("class", "page")][..]), (name, attributes)];
    let declared = sheet.declared(Place(&path));
    let shown: Vec<String> = declared.iter().map(|(p, v)| format!("{p}:{v}")).collect();
    shown.join(";")
}

fn check(css: &str, name: &str, attributes: &[(&str, &str)], expect: &str) {
    assert_eq!(declared(css, name, attributes), expect, "{css}");
}

#[test]
fn rules_reach_tags_classes_and_ids() {
    check("p{display:none}", "p", &[], "display:none");
    check("p{display:none}", "div", &[], "");
    check(
        ".a, .b { COLOR: #FFF !important; border: 0 }",
        "i",
        &[("class", "x b")],
        "color:#fff",
    );
    check(
        "#x{top:-99em} i.y{left:0}",
        "i",
        &[("class", "y"), ("id", "x")],
        "left:0;top:-99em",
    );
    check(
        ".a{display:none}",
        "p",
        &[("class", "a"), ("style", "display:block")],
        "display:none;display:block",
    );
}

#[test]
fn the_strongest_is_last() {
    check(
        ".a{display:none!important}",
        "p",
        &[("class", "a"), ("style", "display:block")],
        "display:block;display:none",
    );
    check(
        "main .a{top:1px} .a{top:2px} p{top:3px} *{top:4px}",
        "p",
        &[("class", "a")],
        "top:4px;top:3px;top:2px;top:1px",
    );
    check("p{top:1px}p{top:2px}", "p", &[], "top:1px;top:2px");
    check("p{top:1px;left:0;top:2px}", "p", &[], "left:0;top:2px");
}

#[test]
fn selectors_of_all_kinds() {
    for selector in [
        "p.a.b",
        "main p",
        "main > p",
        "body p",
        "html > main > .a",
        "#x.a",
        "[data-k]",
        "p[data-k='v']",
        "[data-k^=v]",
        "[data-k~=\"v\" i]",
        ":is(p, div)",
        "main :where(.a)",
        "p:not(.c)",
        "p:not(:hover)",
        "p:first-child",
        "*",
        r".\61",
        r".a\:b",
        "nothing, .a",
        "P",
    ] {
        let css = format!("{selector}{{top:0}}");
        let attributes = [("class", "a b a:b"), ("id", "x"), ("data-k", "v")];
        check(&css, "p", &attributes, "top:0");
    }
    for selector in [
        "p.c",
        "div p",
        "p > p",
        ".a:hover",
        "p::before",
        "p:last-child",
        "[data-j]",
        "p:not(.a)",
        "main",
        "a:link",
        ".c p",
        "p +",
        "",
    ] {
        let css = format!("{selector}{{top:0}}");
        check(&css, "p", &[("class", "a"), ("data-k", "v")], "");
    }
}

#[test]
fn blocks_in_blocks() {
    for css in [
        "@media screen { p { top:0 } }",
        "@media (min-width:1px){@supports (display:grid){p{top:0}}}",
        "@layer a { p { top:0 } }",
        "main { & p { top:0 } }",
        "main { color:red; p { top:0 } }",
        "@media screen { p { top:0",
        "<!-- p{top:0} -->",
        "@import 'x'; /* p{ */ p{top:0} @media x { p{",
        "q{background:url(data:a;b{)} p{top:0}",
        "} p{top:0}",
        "@charset 'utf-8'; p{top:0}",
    ] {
        let found = declared(css, "p", &[]);
        assert!(found.ends_with("top:0"), "{css}: {found}");
    }
    check(
        "@media print { p { display:none } } p{opacity:0}",
        "p",
        &[],
        "opacity:0",
    );
    check("/* never closed p{display:none}", "p", &[], "");
    check("q&gt; p{display:none}", "p", &[], "");
}

#[test]
fn shorthands_variables_and_escapes() {
    for (style, expect) in [
        ("font:0/0 a", "font-size:0"),
        ("font:italic 400 .5px/1 serif", "font-size:.5px"),
        ("font:bold 1em serif;font-size:0", "font-size:0"),
        (
            "inset:0 auto auto -9999px",
            "top:0;right:auto;bottom:auto;left:-9999px",
        ),
        ("margin:1px 2px", "margin-top:1px;margin-left:2px"),
        (
            "background:#fff url(a;b.png)",
            "background-color:#fff;background-image:#fff url(a;b.png)",
        ),
        (
            "background:none",
            "background-color:transparent;background-image:none",
        ),
        (r"d\69splay : none ! important", "display:none"),
        ("-webkit-transform:scale(0)", "transform:scale(0)"),
        ("display:var(--no,none)", "display:none"),
        ("--x:none;display:var(--x)", "--x:none;display:none"),
        ("overflow-y:hidden", "overflow:hidden"),
    ] {
        let found = declared("", "p", &[("style", style)]);
        let found = found.replace("margin-right:2px;margin-bottom:1px;", "");
        assert_eq!(found, expect, "{style}");
    }
    check(
        ":root{--ink:#fff} p{color:var(--ink)}",
        "p",
        &[],
        "color:#fff",
    );
}

#[test]
fn a_page_of_too_many_tests_is_known() {
    let mut sheet = Sheet::default();
    sheet.add(&"* * *{top:0}".repeat(100));
    let names: Vec<(&str, &[(&str, &str)])> = vec![("p", &[]); 200];
    sheet.declared(Place(&names));
    assert!(!sheet.is_spent());
    sheet.add(&"x * * *{top:0}".repeat(1000));
    sheet.declared(Place(&names));
    assert!(sheet.is_spent());
}
