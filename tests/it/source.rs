//! A Rust file as the words that count: identifiers and punctuation, without comments, strings and
//! characters. Enough to find paths such as `crate::store`, deliberately not a parser.

use std::{iter::Peekable, path::Path, str::Chars};

/// One file: its path below `src`, with forward slashes, and its text.
pub struct Source {
    pub path: String,
    pub text: String,
}

impl Source {
    pub fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    /// The top-level module that the file belongs to: `store` for `store/tasks.rs` and for
    /// `store.rs`.
    pub fn module(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }

    pub fn words(&self) -> Vec<String> {
        words(&self.text)
    }

    /// The top-level modules that the file names, through `crate::…` or through `super::…` where
    /// that leaves its own.
    pub fn imports(&self) -> Vec<String> {
        let words = self.words();
        let mut depth = Depth::of_file(&self.path);
        let mut found = Vec::new();
        for (at, word) in words.iter().enumerate() {
            depth.step(&words, at);
            let start = match word.as_str() {
                "crate" if follows(&words, at + 1, &["::"]) => Some(at + 2),
                "super" if at == 0 || words[at - 1] != "::" => {
                    depth.out_of_the_crate_root(&words, at)
                }
                _ => None,
            };
            if let Some(start) = start {
                found.extend(first_segments(&words, start));
            }
        }
        found
    }
}

/// All Rust files below `folder`, sorted by path.
pub fn read_tree(folder: &Path) -> Vec<Source> {
    let mut sources = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs_err::read_dir(&next).expect("the folder is readable") {
            let path = entry.expect("the entry is readable").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let below = path
                    .strip_prefix(folder)
                    .expect("below the folder")
                    .to_string_lossy()
                    .replace('\\', "/");
                sources.push(Source::new(
                    &below,
                    &fs_err::read_to_string(&path).expect("a file of text"),
                ));
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

/// Whether `expected` stands at position `at`.
pub fn follows(words: &[String], at: usize, expected: &[&str]) -> bool {
    words.len() >= at + expected.len()
        && words[at..]
            .iter()
            .zip(expected)
            .all(|(have, want)| have == want)
}

/// `store::tasks` gives `store`; `{store::{a, b}, data}` gives `store` and `data`.
fn first_segments(words: &[String], start: usize) -> Vec<String> {
    if !follows(words, start, &["{"]) {
        return words
            .get(start)
            .filter(|w| is_name(w))
            .cloned()
            .into_iter()
            .collect();
    }
    let mut depth = 0;
    let mut found = Vec::new();
    for at in start..words.len() {
        match words[at].as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            name if depth == 1 && is_name(name) && matches!(words[at - 1].as_str(), "{" | ",") => {
                found.push(name.to_owned());
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    found
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && !matches!(word, "self" | "super" | "crate" | "as")
}

/// How many modules lie above a place in a file: those of its path and the inline ones that are
/// open.
struct Depth {
    file: usize,
    braces: usize,
    inline: Vec<usize>,
}

impl Depth {
    fn of_file(path: &str) -> Self {
        let stem = path.strip_suffix(".rs").unwrap_or(path);
        let file = stem
            .split('/')
            .filter(|part| !matches!(*part, "mod" | "lib" | "main"))
            .count();
        Self {
            file,
            braces: 0,
            inline: Vec::new(),
        }
    }

    fn step(&mut self, words: &[String], at: usize) {
        match words[at].as_str() {
            "{" => {
                self.braces += 1;
                if at >= 2 && words[at - 2] == "mod" {
                    self.inline.push(self.braces);
                }
            }
            "}" => {
                if self.inline.last() == Some(&self.braces) {
                    self.inline.pop();
                }
                self.braces = self.braces.saturating_sub(1);
            }
            _ => {}
        }
    }

    /// Where the path goes on, if the chain of `super::` at `at` reaches the crate's root.
    fn out_of_the_crate_root(&self, words: &[String], at: usize) -> Option<usize> {
        let mut next = at;
        let mut levels = 0;
        while follows(words, next, &["super", "::"]) {
            next += 2;
            levels += 1;
        }
        (levels > 0 && levels >= self.file + self.inline.len()).then_some(next)
    }
}

fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(&c) = rest.peek() {
        if c.is_alphabetic() || c == '_' {
            let name = take_while(&mut rest, |c| c.is_alphanumeric() || c == '_');
            match (name.as_str(), rest.peek()) {
                ("b" | "c", Some('"')) => skip_string(&mut rest),
                ("b", Some('\'')) => skip_character(&mut rest),
                ("r" | "br" | "cr", Some('"' | '#')) => skip_raw_string(&mut rest),
                _ => found.push(name),
            }
            continue;
        }
        match c {
            '"' => skip_string(&mut rest),
            '\'' => skip_character(&mut rest),
            '/' => skip_comment(&mut rest, &mut found),
            ':' => {
                let colons = take_while(&mut rest, |c| c == ':');
                found.push(colons);
            }
            c => {
                rest.next();
                if !c.is_whitespace() {
                    found.push(c.to_string());
                }
            }
        }
    }
    found
}

fn take_while(rest: &mut Peekable<Chars>, keep: impl Fn(char) -> bool) -> String {
    std::iter::from_fn(|| rest.next_if(|&c| keep(c))).collect()
}

fn skip_comment(rest: &mut Peekable<Chars>, found: &mut Vec<String>) {
    rest.next();
    match rest.peek() {
        Some('/') => {
            take_while(rest, |c| c != '\n');
        }
        Some('*') => skip_block_comment(rest),
        _ => found.push("/".to_owned()),
    }
}

fn skip_block_comment(rest: &mut Peekable<Chars>) {
    let mut depth = 1;
    rest.next();
    while depth > 0 {
        match (rest.next(), rest.peek()) {
            (Some('*'), Some('/')) => {
                rest.next();
                depth -= 1;
            }
            (Some('/'), Some('*')) => {
                rest.next();
                depth += 1;
            }
            (None, _) => return,
            _ => {}
        }
    }
}

fn skip_string(rest: &mut Peekable<Chars>) {
    rest.next();
    while let Some(c) = rest.next() {
        match c {
            '\\' => {
                rest.next();
            }
            '"' => return,
            _ => {}
        }
    }
}

/// `r#name` is a raw identifier and no string; it is skipped as the name that it is.
fn skip_raw_string(rest: &mut Peekable<Chars>) {
    let hashes = take_while(rest, |c| c == '#').len();
    if rest.next_if_eq(&'"').is_none() {
        return;
    }
    while let Some(c) = rest.next() {
        if c == '"' && (0..hashes).all(|_| rest.next_if_eq(&'#').is_some()) {
            return;
        }
    }
}

/// `'a'` is a character, `'a` a lifetime.
fn skip_character(rest: &mut Peekable<Chars>) {
    rest.next();
    match rest.next() {
        Some('\\') => {
            rest.next();
            take_while(rest, |c| c != '\'');
            rest.next();
        }
        Some(_) => {
            rest.next_if_eq(&'\'');
        }
        None => {}
    }
}

#[test]
fn comments_strings_and_characters_are_no_words() {
    let text = r##"
        // crate::cli
        /* crate::cli /* nested */ crate::cli */
        let a = "crate::cli \" crate::cli"; let b = r#"crate::cli " "#; let c = '"'; let d: &'static str = b"x";
        let e = b'\''; let f = '\u{1F600}'; a / b; r#type
    "##;
    let words = words(text).join(" ");
    assert!(!words.contains("cli"), "{words}");
    assert!(words.ends_with("let f = ; a / b ; type"), "{words}");
}

#[test]
fn imports_are_found_in_every_form() {
    let check = |path: &str, text: &str, expected: &[&str]| {
        assert_eq!(
            Source::new(path, text).imports(),
            expected,
            "{path}: {text}"
        );
    };
    check("rank/mod.rs", "use crate::store::Store;", &["store"]);
    check(
        "rank/mod.rs",
        "use crate::{data::{Task, Id}, store, llm::ask as a};",
        &["data", "store", "llm"],
    );
    check("rank/mod.rs", "fn f() { crate::text::fold(1) }", &["text"]);
    check("rank/mod.rs", "pub(crate) fn f() {}", &[]);
    check(
        "rank/elo.rs",
        "use super::pairs; use super::super::weave;",
        &["weave"],
    );
    check("rank/elo.rs", "use super::{super::weave::x, y};", &[]);
    check("rank.rs", "use super::weave;", &["weave"]);
    check(
        "rank.rs",
        "mod tests { use super::pairs; } use super::weave;",
        &["weave"],
    );
    check(
        "rank/elo.rs",
        "mod tests { use super::super::super::cli; }",
        &["cli"],
    );
}
