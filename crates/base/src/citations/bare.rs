//! Bare addresses in running text: where they begin and end. Hides the punctuation of two
//! languages, brackets that belong to the sentence, and sentences that go on right behind an address.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::{
    identifiers::{arxiv, begins, doi},
    steps,
};
use crate::text::words::is_han;

/// Brackets in a bare address may nest this deep, or hostile text would take quadratic time.
const DEEPEST: usize = 8;
/// What joins the parts of names that addresses are made of: `Michaelis–Menten`.
const JOINERS: [char; 8] = ['–', '‐', '‑', '−', '·', '・', '\u{200c}', '\u{200d}'];
/// Words that a Chinese sentence goes on with right behind an address.
const GOES_ON: &str =
    "的是和与與及或等上中里裡内內下为為在有也都被把对對从從到说說了所之并並以于於显顯提指可";

/// The address that begins at `at` in running text, without the punctuation after it.
pub(super) fn at(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    let free = || {
        !text[..at].ends_with(|c: char| {
            c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '@')
        })
    };
    // A text that is set without spaces goes on without one behind the address, too.
    let solid = text[..at].ends_with(is_east_asian_letter);
    let length = match rest.as_bytes().first()? {
        b'h' | b'H' => web(rest, solid)?,
        b'w' | b'W' if begins(rest, "www.") && is_domain(host(rest)) && free() => {
            extent(rest, 4, solid)?
        }
        // A DOI is of ASCII.
        b'd' | b'D' if begins(rest, "doi") && free() => extent(rest, doi(window(rest))?, true)?,
        b'a' | b'A' if begins(rest, "arxiv") && free() => arxiv(window(rest))?.end,
        _ => return None,
    };
    Some(at..at + length)
}

/// Enough of a text to see whether it begins with a DOI or an arXiv number.
fn window(text: &str) -> &str {
    &text[..text.floor_char_boundary(60)]
}

/// The name of a host that an address without a scheme begins with; names have 253 characters at
/// most.
fn host(address: &str) -> &str {
    let name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    address[..address.bytes().take(253).take_while(name).count()].trim_end_matches('.')
}

/// Where the first address in a text begins.
pub(super) fn first(text: &str) -> Option<usize> {
    (0..text.len()).find(|&place| {
        steps::add(1);
        text.is_char_boundary(place) && at(text, place).is_some()
    })
}

fn web(rest: &str, solid: bool) -> Option<usize> {
    let start = ["https://", "http://"]
        .iter()
        .find(|scheme| begins(rest, scheme))?
        .len();
    let first = rest[start..]
        .chars()
        .next()
        .filter(|c| c.is_alphanumeric() || *c == '[')?;
    extent(rest, start, solid)
        .filter(|&end| !is_east_asian(first) || rest[start..end].contains('.'))
}

/// The end of the address with its host or number at `start`; `solid` says that the text before it
/// has no spaces.
fn extent(rest: &str, start: usize, solid: bool) -> Option<usize> {
    let foreign = rest[start..].starts_with(is_east_asian);
    let (mut in_host, mut escaped) = (true, false);
    let mut host_end = rest.len();
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut end = rest.len();
    for (at, c) in rest[start..].char_indices().map(|(at, c)| (start + at, c)) {
        steps::add(1);
        let literal = escaped;
        escaped = c == '\\' && !literal;
        if in_host && matches!(c, '/' | '?' | '#') {
            (in_host, host_end) = (false, at);
            // A host in an East Asian script has a dot; without one it is the sentence that goes on.
            if foreign && !rest[start..at].contains('.') {
                return None;
            }
        }
        let belongs = match c {
            _ if literal => c.is_ascii_punctuation(),
            '\\' => true,
            '(' => open.len() < DEEPEST,
            '[' => open.len() < DEEPEST && (at == start || !(in_host || is_mark(&rest[at..]))),
            ')' => open.pop().is_some_and(|(bracket, _)| bracket == '('),
            ']' => open.pop().is_some_and(|(bracket, _)| bracket == '['),
            // Two addresses in a row without a blank: `https://a.org,https://b.org`.
            ',' | ';' => !begins(&rest[at + 1..], "http"),
            _ if JOINERS.contains(&c) => goes_on_within(&rest[at + c.len_utf8()..]),
            _ if in_host && is_east_asian(c) => foreign && c.is_alphanumeric(),
            _ if is_east_asian(c) => {
                let root = at == host_end + 1;
                is_east_asian_letter(c) && continues(rest, at, root, solid)
            }
            '—' => is_within(&rest[at + c.len_utf8()..]),
            _ => is_plain(c),
        };
        if !belongs {
            end = at;
            break;
        }
        if !literal && matches!(c, '(' | '[') {
            open.push((c, at));
        }
    }
    // A bracket that is still open belongs to the sentence, and what follows it, too.
    let end = open.first().map_or(end, |(_, at)| *at);
    Some(trimmed(&rest[..end])).filter(|&end| end > start)
}

/// Whether a bracket after an address is a citation mark and none of its own.
fn is_mark(text: &str) -> bool {
    let inner = text[1..].trim_start_matches('^');
    let after = inner.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ',' | '-'));
    steps::add(text.len() - after.len());
    inner.len() < text.len() - 1
        || (after.len() < inner.len() && after.starts_with(']') && !after.starts_with("]="))
}

fn is_plain(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || "-._~:/?#@!$&'*+=%".contains(c);
    }
    c == '…' || c.is_alphabetic() || is_combining_mark(c)
}

/// Whether an East Asian letter at `at` belongs to the address before it. Behind a slash and its
/// like it does, and behind another one that did. Elsewhere it may be the sentence that goes on:
/// where the text has no spaces, or with a word that sentences go on with.
fn continues(rest: &str, at: usize, root: bool, solid: bool) -> bool {
    let before = rest[..at].chars().next_back();
    let joined = before.is_some_and(|c| !c.is_alphanumeric() || is_east_asian(c));
    let c = rest[at..].chars().next().unwrap_or_default();
    (joined && !root) || (!solid && is_han(c) && !GOES_ON.contains(c))
}

/// Whether what follows a dash or a point between words is the next word of a name.
fn goes_on_within(after: &str) -> bool {
    after.starts_with(|c: char| c.is_alphanumeric() || c == '_') && !begins(after, "http")
}

/// Whether what follows a long dash, which mostly parts sentences, is more of the address.
fn is_within(after: &str) -> bool {
    let near = window(after);
    let token = &near[..near.find(char::is_whitespace).unwrap_or(near.len())];
    steps::add(near.len());
    goes_on_within(after) && token.contains(['_', '/', '%'])
}

fn is_east_asian_letter(c: char) -> bool {
    is_east_asian(c) && c.is_alphanumeric()
}

/// Scripts that are written without spaces, so that prose begins right after an address.
fn is_east_asian(c: char) -> bool {
    is_han(c)
        || matches!(c, '\u{3040}'..='\u{31ff}' | '\u{ac00}'..='\u{d7af}' | '\u{ff00}'..='\u{ffef}' | '々' | '〇')
}

/// The length without the punctuation of the sentence around it; three dots are no punctuation but
/// a cut.
fn trimmed(address: &str) -> usize {
    let mut kept = address;
    while kept.ends_with(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '\\'])
        && !kept.ends_with("...")
    {
        steps::add(1);
        kept = &kept[..kept.len() - 1];
    }
    kept.len()
}

/// Whether a host without a scheme is one: `a.org`.
pub(super) fn is_domain(host: &str) -> bool {
    let top = host
        .rsplit_once('.')
        .map_or("", |(name, top)| if name.is_empty() { "" } else { top });
    top.len() >= 2 && top.bytes().all(|byte| byte.is_ascii_alphabetic()) && !host.starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_end_before_the_sentence_does() {
        let check = |text: &str, address: &str| {
            let found = first(text)
                .and_then(|place| at(text, place))
                .map_or("", |range| &text[range]);
            assert_eq!(found, address, "{text}");
        };
        check("See https://a.org/x.", "https://a.org/x");
        check("(https://a.org/x_(y)), so", "https://a.org/x_(y)");
        check("(https://a.org/x)?!", "https://a.org/x");
        check("https://a.org/x(see", "https://a.org/x");
        check("https://a.org/x[1]", "https://a.org/x");
        check("https://a.org/x[^n]", "https://a.org/x");
        check(
            "https://a.org/x?a[0]=1&b[]=2 y",
            "https://a.org/x?a[0]=1&b[]=2",
        );
        check("[https://a.org/x]", "https://a.org/x");
        check("**https://a.org/x**", "https://a.org/x");
        check("\"https://a.org/x\"", "https://a.org/x");
        check("<https://a.org/x>", "https://a.org/x");
        check("https://a.org/x，然后", "https://a.org/x");
        check("见https://a.org/x的研究", "https://a.org/x");
        check("（https://a.org/x）。", "https://a.org/x");
        check("《https://a.org/x》", "https://a.org/x");
        check(
            "https://ru.wikipedia.org/wiki/Москва.",
            "https://ru.wikipedia.org/wiki/Москва",
        );
        check("https://例子.中国/x的研究", "https://例子.中国/x");
        check("https://a.org/x,https://b.org", "https://a.org/x");
        check("https://a.org/—it says", "https://a.org/");
        check("https://a.org/x—a/b testing", "https://a.org/x—a/b");
        check("https://a.org/1–9, https://b.org", "https://a.org/1–9");
        check("https://a.org/x–https://b.org", "https://a.org/x");
        check("https://a.org/x...", "https://a.org/x...");
        check("https://a.org/x… and", "https://a.org/x…");
        check(r"https://a.org/x\_y\n", r"https://a.org/x\_y");
        check("| https://a.org/x | y |", "https://a.org/x");
        check("https://[::1]:80/x.", "https://[::1]:80/x");
        check("www.a.org/x.", "www.a.org/x");
        check("doi: 10.1000/xyz.", "doi: 10.1000/xyz");
        check("(arXiv:2301.00001)", "arXiv:2301.00001");
        for none in [
            "https://",
            "https://.",
            "http://(",
            "https://中文文本",
            "awww.a.org",
            "www.a",
            "doi:10.1/x",
            "arXiv:x",
        ] {
            check(none, "");
        }
    }

    /// The address is all before the first blank or `。`.
    #[test]
    fn addresses_keep_the_letters_of_other_scripts() {
        for address in [
            "https://zh.wikipedia.org/wiki/土壤水分",
            "https://zh.wikipedia.org/wiki/C语言",
            "https://zh.wikipedia.org/wiki/列奥纳多·达·芬奇",
            "https://zh.wikipedia.org/wiki/水星_(行星)",
            "https://baike.baidu.com/item/DNA复制/123",
            "https://a.cn/search?q=土壤&page=2",
            "https://ja.wikipedia.org/wiki/東京の歴史",
            "https://ja.wikipedia.org/wiki/レオナルド・ダ・ヴィンチ",
            "https://ko.wikipedia.org/wiki/토양",
            "https://en.wikipedia.org/wiki/Michaelis–Menten_kinetics",
            "https://hi.wikipedia.org/wiki/हिन्दी",
            "https://a.cn/2024年/报告.pdf",
        ] {
            for text in [
                format!("See {address} there"),
                format!("来源：{address}。"),
                format!("（{address}）"),
            ] {
                let found = first(&text).and_then(|place| at(&text, place));
                assert_eq!(found.map(|range| &text[range]), Some(address), "{text}");
            }
        }
    }

    #[test]
    fn addresses_end_before_a_sentence_that_goes_on() {
        for text in [
            "https://a.cn/x的研究",
            "https://a.cn/x是主页",
            "见https://a.cn/x很好",
            "https://a.cn/x를 참조",
            "https://a.cn/xを参照",
        ] {
            let found = first(text).and_then(|place| at(text, place));
            assert_eq!(
                found.map(|range| &text[range]),
                Some("https://a.cn/x"),
                "{text}"
            );
        }
        assert_eq!(at("https://a.cn/的主页", 0), Some(0.."https://a.cn/".len()));
    }
}
