//! What an address alone says against a page as the root of a tree. Lists of names, no look at the
//! page: where code chooses, an obvious shop must not cost a crawl.

use crate::text::url::host;

/// Names of shops, as a part of a host's name.
const SHOPS: [&str; 20] = [
    "aliexpress",
    "alibaba",
    "amazon",
    "bestbuy",
    "ebay",
    "etsy",
    "flipkart",
    "homedepot",
    "ikea",
    "jd",
    "lazada",
    "mercadolibre",
    "rakuten",
    "shopee",
    "shopify",
    "taobao",
    "temu",
    "tmall",
    "walmart",
    "wayfair",
];
/// Names of social networks.
const SOCIAL: [&str; 18] = [
    "bsky",
    "discord",
    "facebook",
    "instagram",
    "linkedin",
    "mastodon",
    "pinterest",
    "quora",
    "reddit",
    "snapchat",
    "t.me",
    "threads",
    "tumblr",
    "twitter",
    "vk",
    "weibo",
    "x.com",
    "xiaohongshu",
];
/// Names of sites of videos.
const VIDEO: [&str; 12] = [
    "bilibili",
    "dailymotion",
    "douyin",
    "hulu",
    "iqiyi",
    "netflix",
    "tiktok",
    "twitch",
    "vimeo",
    "youku",
    "youtu.be",
    "youtube",
];
/// Names of newspapers, stations and agencies.
const NEWS: [&str; 28] = [
    "aljazeera",
    "apnews",
    "bbc",
    "bloomberg",
    "cbsnews",
    "cnbc",
    "cnn",
    "dw",
    "forbes",
    "foxnews",
    "huffpost",
    "lemonde",
    "nbcnews",
    "news",
    "nytimes",
    "people.com.cn",
    "reuters",
    "sina",
    "sohu",
    "spiegel",
    "theguardian",
    "thepaper",
    "time.com",
    "usatoday",
    "washingtonpost",
    "wsj",
    "xinhuanet",
    "yahoo",
];
/// Parts of a path that lead into a shop, a login or a video.
const OF_SHOPS: [&str; 8] = [
    "cart", "checkout", "dp", "product", "products", "shop", "shopping", "store",
];
const OF_LOGINS: [&str; 9] = [
    "account", "auth", "login", "register", "sign-in", "sign-up", "signin", "signup", "sso",
];
const OF_VIDEOS: [&str; 3] = ["video", "videos", "watch"];
/// Endings of files that are no page with links.
const FILES: [&str; 14] = [
    "avi", "doc", "docx", "epub", "gif", "jpeg", "jpg", "mov", "mp3", "mp4", "png", "ppt", "pptx",
    "zip",
];

/// Why an address is no root; none where nothing is known against it.
pub(super) fn unfit(address: &str) -> Option<&'static str> {
    let Some(host) = host(address) else {
        return Some("no address");
    };
    let path = path(address).to_lowercase();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let leads = |words: &[&str]| parts.iter().any(|part| words.contains(part));
    let front = host.split('.').next().unwrap_or_default();
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    if ending == "pdf" {
        return Some("PDF");
    }
    if FILES.contains(&ending) {
        return Some("file");
    }
    if leads(&OF_LOGINS) || ["accounts", "login", "signin"].contains(&front) {
        return Some("login");
    }
    if is_of(&host, &SHOPS) || leads(&OF_SHOPS) || ["shop", "store"].contains(&front) {
        return Some("shop");
    }
    if is_of(&host, &SOCIAL) {
        return Some("social network");
    }
    if is_of(&host, &VIDEO) || leads(&OF_VIDEOS) {
        return Some("video");
    }
    // A section is a front page, too; an article has a longer path, or a date or a number in it.
    let marked = |c: char| c.is_ascii_digit() || c == '-';
    let is_front = parts.len() < 2 && !unescaped(&path).contains(marked);
    (is_front && is_of(&host, &NEWS)).then_some("news front page")
}

/// The path of an address, without query and fragment.
fn path(address: &str) -> &str {
    let rest = address.split_once("://").map_or("", |(_, rest)| rest);
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    rest.find('/').map_or("", |at| &rest[at..])
}

/// A path without percent-encoded characters, whose codes have digits.
fn unescaped(path: &str) -> String {
    let mut parts = path.split('%');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| {
        plain + part.get(2..).unwrap_or_default()
    })
}

/// Whether a host is one of those named: by a whole part of its name, or, where the name has a dot,
/// by its end.
fn is_of(host: &str, names: &[&str]) -> bool {
    names.iter().any(|name| {
        if name.contains('.') {
            let rest = host.strip_suffix(name);
            return rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        }
        host.split('.').any(|part| part == *name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_tell_what_is_no_root() {
        let check = |address: &str, expect: Option<&str>| {
            assert_eq!(unfit(address), expect, "{address}");
        };
        for fine in [
            "https://en.wikipedia.org/wiki/Video_rental_shop",
            "https://en.wikipedia.org/wiki/Amazon_River",
            "https://www.britannica.com/science/tide",
            "https://www.bbc.co.uk/history/ancient-rome",
            "https://www.nytimes.com/2024/05/06/science/tides.html",
            "https://ocean.example.edu/tides/",
            "https://max.com/",
            "https://www.xx.com/tides",
            "https://zh.wikipedia.org/wiki/潮汐",
        ] {
            check(fine, None);
        }
        check("https://www.amazon.co.uk/dp/B0", Some("shop"));
        check("https://a.example/products/lamp", Some("shop"));
        check("https://shop.a.example/", Some("shop"));
        check("https://old.reddit.com/r/tides", Some("social network"));
        check("https://x.com/tides", Some("social network"));
        check("https://m.youtube.com/watch?v=1", Some("video"));
        check("https://youtu.be/1", Some("video"));
        check("https://edition.cnn.com/", Some("news front page"));
        check("https://www.bbc.com/news", Some("news front page"));
        check("https://news.a.example/world", Some("news front page"));
        let encoded = "https://news.sina.com.cn/%E6%96%B0%E9%97%BB";
        check(encoded, Some("news front page"));
        check("https://news.sina.com.cn/新闻", Some("news front page"));
        check("https://news.sina.com.cn/%E6%96%B0-2024%", None);
        check("https://a.example/Login?next=/", Some("login"));
        check("https://accounts.a.example/", Some("login"));
        check("https://a.example/Tides.PDF?x=1#page=2", Some("PDF"));
        check("https://a.example/tides.zip", Some("file"));
        check("tides", Some("no address"));
    }
}
