//! Which links of a page are followed: those with a text that says something, in a passage that
//! says something, to another page that is no form, list or login.

use super::relation::{relation, sentence_around};
use crate::{
    data::arena::Link,
    text::{
        url::{canonical, same_page},
        words::{han_count, is_han, word_count},
    },
};

/// Words of a link's text at most; two Han characters count as a word.
const MOST_WORDS: usize = 8;
/// Letters that a text of one word must exceed.
const SHORT_WORD: usize = 4;
/// Characters around a link's text at least; a Han character counts as two.
const LEAST_AROUND: usize = 20;
/// Characters of an address at most.
const MOST_ADDRESS: usize = 2_000;

/// Texts of links that lead about a site. Folded, sorted.
const NAVIGATION: &[&str] = &[
    "about us",
    "back",
    "back to top",
    "click here",
    "contact",
    "contact us",
    "cookie policy",
    "download",
    "edit",
    "edit source",
    "help",
    "home",
    "home page",
    "jump to content",
    "jump to navigation",
    "learn more",
    "log in",
    "login",
    "main page",
    "menu",
    "more",
    "next",
    "next page",
    "privacy policy",
    "previous",
    "read more",
    "register",
    "see all",
    "share",
    "show more",
    "sign in",
    "sign up",
    "sitemap",
    "skip to content",
    "subscribe",
    "terms of use",
    "view all",
    "view history",
    "上一页",
    "下一页",
    "关于我们",
    "查看更多",
    "注册",
    "登录",
    "编辑",
    "联系我们",
    "返回顶部",
    "阅读更多",
    "隐私政策",
    "首页",
];

/// Parts of addresses that lead to no page to read.
const NO_PAGE: &[&str] = &[
    "/cart",
    "/login",
    "/logout",
    "/register",
    "/search?",
    "/share?",
    "/signin",
    "/signup",
    "action=edit",
    "action=history",
    "category:",
    "file:",
    "help:",
    "mailto:",
    "oldid=",
    "portal:",
    "printable=",
    "redlink=",
    "special:",
    "special%3a",
    "talk:",
    "template:",
    "user:",
    "user_talk:",
    "wikipedia:",
];

/// A link as it was parsed.
#[derive(Clone, Copy, Debug)]
pub struct ParsedLink<'a> {
    /// Where it leads, as an absolute address.
    pub url: &'a str,
    /// Its text.
    pub anchor: &'a str,
    /// The text around it, its own included.
    pub context: &'a str,
}

/// Why a link is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkFault {
    /// It is no address of the web.
    Address,
    /// It leads to the page that it stands on.
    Itself,
    /// It leads to a form, a list, a login or the like.
    NoPage,
    /// Its text leads about the site.
    Navigation,
    /// Its text is a number, a single character or a mark in brackets.
    NoText,
    /// Its text is one short word.
    ShortText,
    /// Its text is a sentence.
    LongText,
    /// Too little stands around it.
    NoContext,
}

impl LinkFault {
    /// The word that is counted.
    pub fn word(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Itself => "itself",
            Self::NoPage => "no_page",
            Self::Navigation => "navigation",
            Self::NoText => "no_text",
            Self::ShortText => "short_text",
            Self::LongText => "long_text",
            Self::NoContext => "no_context",
        }
    }
}

/// The link with its sentence and relation, or why it is not followed.
pub fn followed(link: ParsedLink<'_>, page: &str) -> Result<Link, LinkFault> {
    if link.url.len() > MOST_ADDRESS {
        return Err(LinkFault::Address);
    }
    let url = canonical(link.url).ok_or(LinkFault::Address)?;
    if same_page(&url, page) {
        return Err(LinkFault::Itself);
    }
    let lower = url.to_lowercase();
    let rest = lower.split_once("://").map_or(&*lower, |(_, rest)| rest);
    let path = rest.find('/').map_or("", |at| &rest[at..]);
    if NO_PAGE.iter().any(|part| path.contains(part)) {
        return Err(LinkFault::NoPage);
    }
    let anchor = link.anchor.trim();
    check_text(anchor)?;
    let width = |text: &str| text.trim().chars().count() + han_count(text);
    if width(link.context).saturating_sub(width(anchor)) < LEAST_AROUND {
        return Err(LinkFault::NoContext);
    }
    Ok(Link {
        relation: relation(link.context, anchor),
        context: sentence_around(link.context, anchor).to_owned(),
        anchor: anchor.to_owned(),
        url,
    })
}

fn check_text(anchor: &str) -> Result<(), LinkFault> {
    let characters = anchor.chars().count();
    let in_brackets = anchor.starts_with('[') && anchor.ends_with(']');
    if characters < 2 || in_brackets || !anchor.chars().any(char::is_alphabetic) {
        return Err(LinkFault::NoText);
    }
    if NAVIGATION.contains(&&*anchor.to_lowercase()) {
        return Err(LinkFault::Navigation);
    }
    let (words, han) = (word_count(anchor), han_count(anchor));
    if words <= 1 && characters <= SHORT_WORD && !anchor.chars().any(is_han) {
        return Err(LinkFault::ShortText);
    }
    if words + han.div_ceil(2) > MOST_WORDS {
        return Err(LinkFault::LongText);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "https://a.test/wiki/Coffee";
    const AROUND: &str = "The drink came from the port of Mocha in Yemen to Venice.";

    fn check(url: &str, anchor: &str, context: &str, expect: Option<LinkFault>) {
        let link = ParsedLink {
            url,
            anchor,
            context,
        };
        assert_eq!(followed(link, PAGE).err(), expect, "{url} {anchor}");
    }

    #[test]
    fn links_that_say_something_are_followed() {
        let link = ParsedLink {
            url: "https://A.test/wiki/Mocha?utm_source=x#History",
            anchor: " port of Mocha ",
            context: "It is old. The drink came from the region of the port of Mocha. So it is.",
        };
        let followed = followed(link, PAGE).unwrap();
        assert_eq!(followed.url, "https://a.test/wiki/Mocha");
        assert_eq!(followed.anchor, "port of Mocha");
        assert_eq!(
            followed.context,
            "The drink came from the region of the port of Mocha."
        );
        assert_eq!(followed.relation, crate::data::arena::Relation::Origin);
        check(
            "https://a.test/x",
            "也门",
            "咖啡起源于也门，后来传到威尼斯。",
            None,
        );
    }

    #[test]
    fn the_others_are_not_and_say_why() {
        let other = "https://a.test/wiki/Mocha";
        for (url, anchor, context, fault) in [
            ("ftp://a.test/", "port of Mocha", AROUND, LinkFault::Address),
            (
                "javascript:alert(1)",
                "port of Mocha",
                AROUND,
                LinkFault::Address,
            ),
            (
                &*format!("{PAGE}#Trade"),
                "port of Mocha",
                AROUND,
                LinkFault::Itself,
            ),
            (
                "https://a.test/wiki/Special:Search",
                "port of Mocha",
                AROUND,
                LinkFault::NoPage,
            ),
            (
                "https://a.test/w?title=X&action=edit",
                "port of Mocha",
                AROUND,
                LinkFault::NoPage,
            ),
            (
                "https://a.test/login?next=x",
                "port of Mocha",
                AROUND,
                LinkFault::NoPage,
            ),
            (other, "Read more", AROUND, LinkFault::Navigation),
            (
                other,
                "首页",
                "首页首页首页首页首页首页首页首页首页首页",
                LinkFault::Navigation,
            ),
            (other, "1723", AROUND, LinkFault::NoText),
            (other, "M", AROUND, LinkFault::NoText),
            (other, "[note 1]", AROUND, LinkFault::NoText),
            (other, "port", AROUND, LinkFault::ShortText),
            (
                other,
                "it came from the port of Mocha in far Yemen",
                AROUND,
                LinkFault::LongText,
            ),
            (
                other,
                "port of Mocha",
                "the port of Mocha in Yemen",
                LinkFault::NoContext,
            ),
        ] {
            check(url, anchor, context, Some(fault));
        }
        check(
            &format!("https://a.test/{}", "x".repeat(3_000)),
            "port of Mocha",
            AROUND,
            Some(LinkFault::Address),
        );
    }

    #[test]
    fn a_host_is_no_path() {
        check("https://login.test/mocha", "port of Mocha", AROUND, None);
        check("https://talk.test/user", "port of Mocha", AROUND, None);
    }
}
