//! Tags, attributes and text of a page, taken apart as a browser does: what would work on a
//! reader's machine is found.

/// A part of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A tag that opens, with its attributes.
    Open(String, Vec<(String, String)>),
    /// A tag that closes.
    Close(String),
    /// What is read.
    Text(String),
}

/// A page in parts. Every tag that opens must be closed in order, as the ones that stand alone are
/// by themselves.
pub fn scan(html: &str) -> Vec<Part> {
    let (mut parts, mut open, mut rest) = (Vec::new(), Vec::<String>::new(), html);
    while !rest.is_empty() {
        let raw = open.last().is_some_and(|name| {
            ["style", "title"].contains(&name.as_str()) && !open.contains(&"svg".into())
        });
        let next = if raw { rest.find("</") } else { tag_at(rest) };
        let (text, after) = rest.split_at(next.unwrap_or(rest.len()));
        parts.extend((!text.is_empty()).then(|| Part::Text(decoded(text))));
        rest = after;
        if let Some(closing) = rest.strip_prefix("</") {
            let (name, after) = closing.split_once('>').expect("a closing tag ends");
            assert_eq!(open.pop().as_deref(), Some(name), "closed out of order");
            parts.push(Part::Close(name.to_owned()));
            rest = after;
        } else if rest.starts_with("<!") {
            rest = rest.split_once('>').expect("a declaration ends").1;
        } else if let Some(opening) = rest.strip_prefix('<') {
            let (name, attributes, alone, after) = tag(opening);
            if !alone {
                open.push(name.clone());
            }
            parts.push(Part::Open(name, attributes));
            rest = after;
        }
    }
    assert_eq!(open, Vec::<String>::new(), "left open");
    parts
}

/// Where the next tag or declaration begins.
fn tag_at(text: &str) -> Option<usize> {
    let begins = |at: &usize| {
        text[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!')
    };
    text.match_indices('<').map(|(at, _)| at).find(begins)
}

/// Name and attributes of a tag, whether it is closed in itself, and what follows.
fn tag(text: &str) -> (String, Vec<(String, String)>, bool, &str) {
    let (name, mut rest) = text.split_at(
        text.find(|c: char| c.is_whitespace() || "/>".contains(c))
            .expect("a tag ends"),
    );
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix("/>") {
            return (name.to_owned(), attributes, true, after);
        }
        if let Some(after) = rest.strip_prefix('>') {
            return (name.to_owned(), attributes, false, after);
        }
        let (key, after) = rest.split_at(
            rest.find(|c: char| c.is_whitespace() || "=>".contains(c))
                .expect("a tag ends"),
        );
        let quoted = after
            .strip_prefix("=\"")
            .map(|value| value.split_once('"').expect("a value ends"));
        let (value, after) = quoted.unwrap_or(("", after));
        attributes.push((key.to_owned(), decoded(value)));
        rest = after;
    }
}

fn decoded(text: &str) -> String {
    let plain = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#x2f;", "/"),
        ("&amp;", "&"),
    ];
    plain
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// All tags that open, with their attributes.
pub fn tags(html: &str) -> Vec<(String, Vec<(String, String)>)> {
    let opens = scan(html).into_iter().filter_map(|part| match part {
        Part::Open(name, attributes) => Some((name, attributes)),
        _ => None,
    });
    opens.collect()
}

/// The values of an attribute, wherever it stands.
pub fn attribute(html: &str, name: &str) -> Vec<String> {
    let all = tags(html)
        .into_iter()
        .flat_map(|(_, attributes)| attributes);
    all.filter(|(key, _)| key == name)
        .map(|(_, value)| value)
        .collect()
}

/// What is read, styles apart; a space stands for each tag.
pub fn text(html: &str) -> String {
    let body = html
        .split_once("</style>")
        .map_or(html, |(_, body)| body)
        .replace("</head>", "")
        .replace("</html>", "");
    let texts = scan(&body).into_iter().map(|part| {
        if let Part::Text(text) = part {
            text
        } else {
            " ".into()
        }
    });
    texts.collect()
}

/// The rows of all tables, cell by cell, white space squeezed.
pub fn rows(html: &str) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut cell: Option<String> = None;
    for part in scan(html) {
        match part {
            Part::Open(name, _) if name == "tr" => rows.push(Vec::new()),
            Part::Open(name, _) if name == "td" || name == "th" => cell = Some(String::new()),
            Part::Close(name) if name == "td" || name == "th" => {
                let words = cell.take().expect("a cell was open");
                let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
                rows.last_mut().expect("a cell is in a row").push(words);
            }
            Part::Text(text) => cell.iter_mut().for_each(|cell| *cell += &text),
            _ => cell.iter_mut().for_each(|cell| cell.push(' ')),
        }
    }
    rows
}

#[test]
fn a_page_is_taken_apart() {
    let html = "<!DOCTYPE html><p class=\"a &quot;b\" open>1 < 2 &amp;lt; <br/>x</p>";
    let open = |name: &str, attributes: &[(&str, &str)]| {
        Part::Open(
            name.into(),
            attributes
                .iter()
                .map(|(k, v)| ((*k).into(), (*v).into()))
                .collect(),
        )
    };
    let expect = [
        open("p", &[("class", "a \"b"), ("open", "")]),
        Part::Text("1 < 2 &lt; ".into()),
        open("br", &[]),
        Part::Text("x".into()),
        Part::Close("p".into()),
    ];
    assert_eq!(scan(html), expect);
    assert!(std::panic::catch_unwind(|| scan("<p><b></p></b>")).is_err());
    assert!(std::panic::catch_unwind(|| scan("<p>")).is_err());
}
