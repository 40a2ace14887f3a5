//! Rules of robots.txt, after RFC 9309: the groups of our name or else those of everybody, the
//! longest rule that matches, and `allow` where two are equally long. Text in, verdict out;
//! fetching is elsewhere.

/// The rules of one site for us. Without any, everything is allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Robots(Vec<Rule>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    allows: bool,
    /// Between these, anything may stand.
    pieces: Vec<String>,
    /// Whether the path must end with the last piece.
    to_the_end: bool,
    /// Its octets as written, by which rules outdo each other.
    length: usize,
}

impl Robots {
    /// The rules of `text` for the product `agent`.
    pub fn parse(text: &[u8], agent: &str) -> Self {
        let text = String::from_utf8_lossy(text);
        let (mut ours, mut everybodys) = (None, Vec::new());
        let (mut named, mut starred, mut in_names) = (false, false, false);
        for (key, value) in text
            .trim_start_matches('\u{feff}')
            .split(['\n', '\r'])
            .filter_map(record)
        {
            match key.as_str() {
                "user-agent" => {
                    (named, starred) = (in_names && named, in_names && starred);
                    in_names = true;
                    named |= product(value).eq_ignore_ascii_case(agent);
                    starred |= value.starts_with('*');
                    if named {
                        ours.get_or_insert_with(Vec::new);
                    }
                }
                "allow" | "disallow" => {
                    in_names = false;
                    // An empty rule forbids nothing.
                    let rule = (!value.is_empty()).then(|| Rule::new(key == "allow", value));
                    ours.iter_mut()
                        .filter(|_| named)
                        .for_each(|ours| ours.extend(rule.clone()));
                    everybodys.extend(rule.filter(|_| starred));
                }
                _ => {}
            }
        }
        Self(ours.unwrap_or(everybodys))
    }

    /// Whether a path, with its query, may be asked for.
    pub fn allow(&self, path: &str) -> bool {
        let path = canonical(path, "*$");
        let matching = self.0.iter().filter(|rule| rule.matches(&path));
        matching
            .max_by_key(|rule| (rule.length, rule.allows))
            .is_none_or(|rule| rule.allows)
    }
}

impl Rule {
    fn new(allows: bool, pattern: &str) -> Self {
        let bare = pattern.strip_suffix('$');
        let pattern = canonical(bare.unwrap_or(pattern), "$");
        Self {
            allows,
            pieces: pattern.split('*').map(str::to_owned).collect(),
            to_the_end: bare.is_some(),
            length: pattern.len() + usize::from(bare.is_some()),
        }
    }

    fn matches(&self, path: &str) -> bool {
        let Some((first, others)) = self.pieces.split_first() else {
            return false;
        };
        let Some(mut rest) = path.strip_prefix(first.as_str()) else {
            return false;
        };
        let Some((last, between)) = others.split_last() else {
            return !self.to_the_end || rest.is_empty();
        };
        // Taking each piece as early as possible leaves the most room for the others.
        for piece in between {
            let Some((_, after)) = rest.split_once(piece.as_str()) else {
                return false;
            };
            rest = after;
        }
        if self.to_the_end {
            rest.ends_with(last.as_str())
        } else {
            rest.contains(last.as_str())
        }
    }
}

/// `key: value` without its comment; the key in lower case.
fn record(line: &str) -> Option<(String, &str)> {
    let (line, _) = line.split_once('#').unwrap_or((line, ""));
    let (key, value) = line.split_once(':')?;
    Some((key.trim().to_ascii_lowercase(), value.trim()))
}

/// The product of `product/1.0 (and more)`.
fn product(name: &str) -> &str {
    name.split(|c: char| !c.is_ascii_alphabetic() && c != '-' && c != '_')
        .next()
        .unwrap_or_default()
}

/// One way to write a path (RFC 9309, section 2.2.2): what need not be encoded is not; what is not
/// ASCII, and the characters of `literal`, are.
fn canonical(path: &str, literal: &str) -> String {
    let bytes = path.as_bytes();
    let (mut text, mut at) = (String::with_capacity(bytes.len()), 0);
    while let Some(&byte) = bytes.get(at) {
        let encoded = bytes
            .get(at..at + 3)
            .filter(|_| byte == b'%')
            .and_then(octet);
        at += if encoded.is_some() { 3 } else { 1 };
        match encoded {
            Some(octet) if octet.is_ascii_alphanumeric() || b"-._~".contains(&octet) => {
                text.push(char::from(octet));
            }
            Some(octet) => text.push_str(&format!("%{octet:02X}")),
            None if byte.is_ascii() && !literal.as_bytes().contains(&byte) => {
                text.push(char::from(byte));
            }
            None => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// The octet of `%XX`.
fn octet(encoded: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    Some((digit(encoded[1])? * 16 + digit(encoded[2])?) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(robots: &str, path: &str) -> bool {
        Robots::parse(robots.as_bytes(), "taskgen").allow(path)
    }

    #[test]
    fn patterns() {
        let forbids = |pattern: &str, path: &str| {
            !allows(&format!("user-agent: *\ndisallow: {pattern}"), path)
        };
        for (pattern, path) in [
            ("/", "/"),
            ("/fish", "/fish.html?x"),
            ("/fish*", "/fishheads"),
            ("/*.php", "/a/b.php5"),
            ("/*.php$", "/a.php.php"),
            ("*", "/x"),
            ("/a*b*c$", "/abcabc"),
            ("/?s=", "/?s=1"),
            ("/$", "/"),
            ("/a**b", "/ab"),
            ("/x*x$", "/xx"),
            ("/caf%c3%a9", "/café"),
            ("/café", "/caf%C3%A9"),
            ("/%7Euser", "/~user"),
            ("/a%2Fb", "/a%2fb"),
            ("/file-with-a-%2A.html", "/file-with-a-*.html"),
            ("/a$b", "/a$b/c"),
            ("/a%24", "/a$"),
        ] {
            assert!(forbids(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("/fish", "/Fish"),
            ("/fish/", "/fish"),
            ("/*.php$", "/a.php?x"),
            ("/$", "/a"),
            ("fish", "/fish"),
            ("/x*x$", "/x"),
            ("/a%2Fb", "/a/b"),
            ("/file-%2A", "/file-x"),
            ("/a*b*c$", "/acb"),
            ("", "/"),
            ("/%", "/"),
            ("/%zz", "/z"),
        ] {
            assert!(!forbids(pattern, path), "{pattern} {path}");
        }
    }

    /// The examples of RFC 9309, section 5, and of its rule for equally long matches.
    #[test]
    fn the_longest_rule_decides() {
        let longest =
            "User-Agent: *\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif";
        assert!(
            !allows(longest, "/example/page/disallowed.gif") && allows(longest, "/example/page/")
        );
        assert!(allows("user-agent: *\ndisallow: /a\nallow: /a", "/a"));
        assert!(!allows("user-agent: *\nallow: /\ndisallow: /a", "/a"));
    }

    #[test]
    fn groups() {
        let two = "User-agent: *\nDisallow: /\n\nUser-agent: TaskGen/2.0\nUser-agent: other\nDisallow: /private\n";
        assert!(allows(two, "/public") && !allows(two, "/private"));
        let merged = "user-agent: taskgen\ndisallow: /a\nuser-agent: x\ndisallow: /b\nuser-agent: taskgen\ndisallow: /c";
        assert!(!allows(merged, "/a") && allows(merged, "/b") && !allows(merged, "/c"));
        assert!(
            allows(
                "user-agent: *\ndisallow: /\nuser-agent: taskgen\ndisallow:",
                "/"
            ),
            "an empty rule, and ours"
        );
        assert!(
            allows("user-agent: *\ndisallow: /\nuser-agent: taskgen", "/"),
            "no rule, and ours"
        );
        assert!(
            allows("user-agent: taskgenerator\ndisallow: /", "/"),
            "another product"
        );
        assert!(
            !allows(
                "user-agent: *\nsitemap: /s\ncrawl-delay: 9\ndisallow: /",
                "/"
            ),
            "records between"
        );
    }

    #[test]
    fn untidy_files() {
        assert!(!allows(
            "\u{feff}USER-AGENT : * # all\r\rDisAllow:/a # b\r\n",
            "/a"
        ));
        assert!(allows("disallow: /", "/"), "a rule for nobody");
        assert!(allows("<html>not: found</html>", "/") && allows("", "/"));
        assert!(Robots::parse(b"user-agent: *\ndisallow: /\xff", "taskgen").allow("/a"));
    }
}
