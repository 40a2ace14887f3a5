//! Pages without their content, by length and beginning. A long text may quote what such pages say,
//! so only a short one is judged, and only by what comes first in it.

use serde::Serialize;

/// Kind of a page without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stub {
    /// The server refuses programs.
    Blocked,
    /// The page does not exist, or an error stands in its place.
    NotFound,
    /// Hardly anything but links.
    LinksOnly,
}

impl Stub {
    /// The kind in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Blocked => "a test for robots or a refusal",
            Self::NotFound => "an error in its place",
            Self::LinksOnly => "hardly anything but links",
        }
    }
}

/// Characters that a stub has fewer of.
const LONGEST: usize = 1_500;
/// Characters of readable text at the beginning in which phrases are looked for.
const HEAD: usize = 300;
/// Characters of readable text outside links that a page of content has more of.
const LEAST_PROSE: usize = 100;

/// Characters of the longest first line that is taken for a title.
const LONGEST_TITLE: usize = 200;

/// What stands in place of a page, if it is a stub.
pub fn stub(title: &str, content: &str) -> Option<Stub> {
    if content.chars().nth(LONGEST).is_some() {
        return None;
    }
    let readable = readable(content);
    let head = folded(&readable.text, HEAD);
    let title = folded(title, HEAD);
    let said = SAID
        .iter()
        .find(|(_, phrase)| head.contains(phrase) || title.contains(phrase));
    let begun = BEGUN
        .iter()
        .find(|(_, phrase)| head.starts_with(phrase) || title.starts_with(phrase));
    if let Some((stub, _)) = said.or(begun) {
        return Some(*stub);
    }
    (readable.outside_links < LEAST_PROSE).then_some(Stub::LinksOnly)
}

/// What a reader sees of Markdown: no addresses, no images.
struct Readable {
    text: String,
    /// Letters and digits outside of labels of links and of the title.
    outside_links: usize,
}

fn readable(content: &str) -> Readable {
    let mut text = String::new();
    let mut outside_links = 0;
    let lines: Vec<&str> = content
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    for (at, line) in lines.iter().enumerate() {
        let from = text.len();
        let outside = readable_line(line, &mut text);
        // A first line alone is all that there is; a short one above others is a title.
        let is_title = at == 0 && lines.len() > 1 && text[from..].chars().count() <= LONGEST_TITLE;
        outside_links += if is_title { 0 } else { outside };
        text.push(' ');
    }
    Readable {
        text,
        outside_links,
    }
}

/// Adds what is readable of a line, and counts letters and digits outside of labels of links.
fn readable_line(line: &str, text: &mut String) -> usize {
    let mut outside_links = 0;
    let mut depth = 0_usize;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '[' => depth += 1,
            ']' => {
                depth = depth.saturating_sub(1);
                if characters.next_if_eq(&'(').is_some() {
                    characters.by_ref().find(|c| *c == ')');
                }
            }
            _ => {
                outside_links += usize::from(depth == 0 && character.is_alphanumeric());
                text.push(character);
            }
        }
    }
    outside_links
}

/// The beginning in lower case, with plain quotes, single spaces, and without marks of Markdown.
fn folded(text: &str, most: usize) -> String {
    let words = text
        .split_whitespace()
        .map(|word| word.trim_matches(['#', '*', '=', '!', '-']));
    let mut folded = String::new();
    let mut count = 0;
    for word in words.filter(|word| !word.is_empty()) {
        if !folded.is_empty() {
            folded.push(' ');
        }
        for character in word.chars().flat_map(char::to_lowercase) {
            folded.push(if matches!(character, '’' | '‘') {
                '\''
            } else {
                character
            });
            count += 1;
        }
        if count >= most {
            break;
        }
    }
    folded
}

/// What such pages say to their reader, anywhere in the beginning.
const SAID: &[(Stub, &str)] = &[
    (Stub::Blocked, "you've been blocked"),
    (Stub::Blocked, "you have been blocked"),
    (Stub::Blocked, "verify you are human"),
    (Stub::Blocked, "verify that you are human"),
    (Stub::Blocked, "verify you are not a"),
    (Stub::Blocked, "are you a robot"),
    (Stub::Blocked, "you are not a robot"),
    (Stub::Blocked, "you're not a robot"),
    (Stub::Blocked, "checking your browser"),
    (Stub::Blocked, "security of your connection"),
    (Stub::Blocked, "a required part of this site"),
    (Stub::Blocked, "you don't have permission to access"),
    (Stub::Blocked, "you do not have permission to access"),
    (Stub::Blocked, "unusual traffic from your"),
    (Stub::Blocked, "unusual activity from your"),
    (Stub::Blocked, "pardon our interruption"),
    (Stub::Blocked, "enable javascript and cookies"),
    (Stub::Blocked, "please enable javascript"),
    (Stub::Blocked, "you need to enable javascript"),
    (Stub::Blocked, "人机验证"),
    (Stub::Blocked, "安全验证"),
    (Stub::Blocked, "访问过于频繁"),
    (Stub::Blocked, "访问被拒绝"),
    (Stub::NotFound, "this page was not found"),
    (Stub::NotFound, "page you are looking for"),
    (Stub::NotFound, "page you were looking for"),
    (Stub::NotFound, "page you're looking for"),
    (Stub::NotFound, "page you requested"),
    (Stub::NotFound, "page could not be found"),
    (Stub::NotFound, "page cannot be found"),
    (Stub::NotFound, "page can't be found"),
    (Stub::NotFound, "page isn't working"),
    (Stub::NotFound, "site can't be reached"),
    (Stub::NotFound, "this page isn't available"),
    (Stub::NotFound, "this content isn't available"),
    (Stub::NotFound, "object key does not exist"),
    (Stub::NotFound, "requested url was not found"),
    (Stub::NotFound, "contact the site owner"),
    (Stub::NotFound, "页面不存在"),
    (Stub::NotFound, "网页不存在"),
    (Stub::NotFound, "找不到页面"),
    (Stub::NotFound, "页面未找到"),
];

/// What such pages begin with; further on it would say little.
const BEGUN: &[(Stub, &str)] = &[
    (Stub::Blocked, "just a moment"),
    (Stub::Blocked, "one moment, please"),
    (Stub::Blocked, "attention required"),
    (Stub::Blocked, "access denied"),
    (Stub::Blocked, "access to this page has been denied"),
    (Stub::Blocked, "403 forbidden"),
    (Stub::Blocked, "error 403"),
    (Stub::Blocked, "forbidden"),
    (Stub::Blocked, "too many requests"),
    (Stub::Blocked, "robot check"),
    (Stub::Blocked, "请稍候"),
    (Stub::NotFound, "404 not found"),
    (Stub::NotFound, "404 error"),
    (Stub::NotFound, "404 - "),
    (Stub::NotFound, "404 page"),
    (Stub::NotFound, "error 404"),
    (Stub::NotFound, "page not found"),
    (Stub::NotFound, "not found"),
    (Stub::NotFound, "<error>"),
    (Stub::NotFound, "internal server error"),
    (Stub::NotFound, "service unavailable"),
    (Stub::NotFound, "bad gateway"),
    (Stub::NotFound, "502 bad gateway"),
    (Stub::NotFound, "503 service"),
    (Stub::NotFound, "500 internal"),
];
