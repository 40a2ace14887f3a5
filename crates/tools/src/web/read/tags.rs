//! The groups of HTML elements by which a page is parsed (HTML Standard, sections 12 and 13).

/// Begin a line of their own.
pub const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "caption",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "html",
    "legend",
    "li",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
];

/// Go on behind the block that they were left open in.
pub const FORMATTING: &[&str] = &[
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
];

/// Tables and what they are made of.
pub const TABLE_PARTS: &[&str] = &[
    "table", "caption", "tbody", "thead", "tfoot", "tr", "td", "th",
];

/// Keep end tags inside from closing elements outside.
pub const SCOPES: &[&str] = &[
    "table", "td", "th", "caption", "template", "object", "button",
];

/// Have no content and no end tag.
pub const VOID: &[&str] = &[
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input",
    "keygen", "link", "meta", "param", "source", "track", "wbr",
];
