//! Canonical URLs: one spelling for each web address, so that two mentions of a page count as one.
//! Hides what browsers ignore, and tracking parameters.

use ::url::Url;

/// Tracking parameters of a query; all that begin with `utm_` count, too.
const TRACKING: &[&str] = &[
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "dclid",
    "fbclid",
    "gbraid",
    "gclid",
    "gclsrc",
    "hsctatracking",
    "igsh",
    "igshid",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "msclkid",
    "oly_anon_id",
    "oly_enc_id",
    "ref_src",
    "ref_url",
    "spm",
    "spm_id_from",
    "srsltid",
    "twclid",
    "vd_source",
    "vero_id",
    "wbraid",
    "yclid",
];

/// The address of a page in its one spelling; `None` for what is no absolute http or https address.
///
/// Host in lower case and in its ASCII form, percent-encoding as browsers send it, no default port,
/// no slash at the end of a path, no tracking parameters, the query sorted by name (equal names
/// keep their order), no fragment but `#!…`.
pub fn canonical(address: &str) -> Option<String> {
    let mut url = web(address)?;
    let fragment = url.fragment().and_then(routing).map(str::to_owned);
    url.set_fragment(fragment.as_deref());
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    let query = url.query().map(sorted).filter(|query| !query.is_empty());
    url.set_query(query.as_deref());
    Some(url.into())
}

/// Whether two addresses lead to one page, http or https, with `www.` or without; addresses that
/// are none do not.
pub fn same_page(a: &str, b: &str) -> bool {
    page(a).is_some_and(|a| page(b) == Some(a))
}

/// The host of a web address, in lower case; `None` for what is no absolute http or https address.
pub fn host(address: &str) -> Option<String> {
    web(address)?.host_str().map(str::to_owned)
}

/// Whether [`canonical`] takes tracking parameters off this address.
pub fn has_tracking(address: &str) -> bool {
    web(address).is_some_and(|url| {
        url.query()
            .is_some_and(|query| query.split('&').any(is_tracking))
    })
}

fn web(address: &str) -> Option<Url> {
    Url::parse(address.trim())
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// The part of a fragment that names a page: old single-page sites route by `#!`, `:~:` only points
/// into the page.
fn routing(fragment: &str) -> Option<&str> {
    let page = fragment.split(":~:").next().unwrap_or_default();
    Some(page).filter(|page| page.starts_with('!'))
}

fn sorted(query: &str) -> String {
    let mut pairs: Vec<&str> = query
        .split('&')
        .filter(|pair| !pair.is_empty() && !is_tracking(pair))
        .collect();
    // A stable sort: the order of equal names may matter to the server.
    pairs.sort_by_key(|pair| name(pair));
    pairs.join("&")
}

fn is_tracking(pair: &str) -> bool {
    let name = name(pair).to_ascii_lowercase();
    name.starts_with("utm_") || TRACKING.binary_search(&name.as_str()).is_ok()
}

fn name(pair: &str) -> &str {
    pair.split('=').next().unwrap_or_default()
}

fn page(address: &str) -> Option<String> {
    let url = canonical(address)?;
    let rest = url.split_once("://")?.1;
    Some(rest.strip_prefix("www.").unwrap_or(rest).to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(address: &str, expect: &str) {
        assert_eq!(canonical(address).as_deref(), Some(expect), "{address}");
    }

    #[test]
    fn what_browsers_ignore_is_gone() {
        check(
            "HTTPS://WWW.Nature.COM/Articles/A1",
            "https://www.nature.com/Articles/A1",
        );
        check("http://a.org:80/x", "http://a.org/x");
        check("https://a.org:443/x", "https://a.org/x");
        check("https://a.org:8443/x", "https://a.org:8443/x");
        check("https://a.org", "https://a.org/");
        check("https://a.org/x/", "https://a.org/x");
        check("https://a.org/x//?", "https://a.org/x");
        check("https://a.org/x/../y/./z", "https://a.org/y/z");
        check("  https://a.org/x\n", "https://a.org/x");
    }

    #[test]
    fn a_fragment_stays_only_where_it_is_the_page() {
        check("https://a.org/x#section-2", "https://a.org/x");
        check("https://a.org/x#:~:text=wind,light", "https://a.org/x");
        check("https://a.org/#!/page/2", "https://a.org/#!/page/2");
        check(
            "https://a.org/#!/page/2:~:text=wind",
            "https://a.org/#!/page/2",
        );
    }

    #[test]
    fn queries_are_sorted_and_do_not_track() {
        check("https://a.org/x?b=2&a=1", "https://a.org/x?a=1&b=2");
        check("https://a.org/x?b=2&a=2&a=1", "https://a.org/x?a=2&a=1&b=2");
        check("https://a.org/x?utm_source=chatgpt.com", "https://a.org/x");
        check(
            "https://a.org/x/?UTM_Medium=y&id=7&gclid=z&fbclid=q&mc_cid=1&ref_src=t",
            "https://a.org/x?id=7",
        );
        check("https://a.org/x?q=a+b&&p", "https://a.org/x?p&q=a+b");
        assert!(has_tracking("https://a.org/x?id=1&utm_source=y"));
        assert!(!has_tracking("https://a.org/x?id=utm_source"));
        assert!(!has_tracking("utm_source=y"));
        assert!(TRACKING.is_sorted());
    }

    #[test]
    fn other_scripts_are_encoded() {
        check(
            "https://zh.wikipedia.org/wiki/声调",
            "https://zh.wikipedia.org/wiki/%E5%A3%B0%E8%B0%83",
        );
        check(
            "https://zh.wikipedia.org/wiki/%E5%A3%B0%E8%B0%83",
            "https://zh.wikipedia.org/wiki/%E5%A3%B0%E8%B0%83",
        );
        check(
            "https://例子.中国/路",
            "https://xn--fsqu00a.xn--fiqs8s/%E8%B7%AF",
        );
        check("https://Bücher.de/a b", "https://xn--bcher-kva.de/a%20b");
        check(
            "https://en.wikipedia.org/wiki/Foo_(bar)",
            "https://en.wikipedia.org/wiki/Foo_(bar)",
        );
    }

    #[test]
    fn only_web_pages_have_one() {
        for address in [
            "",
            "a.org/x",
            "/x",
            "ftp://a.org/x",
            "mailto:a@a.org",
            "data:text/plain,x",
            "https://",
            "http://[1",
        ] {
            assert_eq!(canonical(address), None, "{address}");
        }
    }

    #[test]
    fn pages_are_compared_without_scheme_and_www() {
        assert!(same_page("http://www.a.org/x/", "https://a.org/x#y"));
        assert!(same_page("https://a.org?utm_id=1", "http://a.org/"));
        assert!(!same_page("https://a.org/x", "https://a.org/y"));
        assert!(!same_page("https://m.a.org/x", "https://a.org/x"));
        assert!(!same_page("a.org", "a.org"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn a_second_time_changes_nothing(rest in "[a-z0-9./?&=%#!:~@例é \\[\\]-]{0,40}") {
            if let Some(once) = canonical(&format!("https://{rest}")) {
                let twice = canonical(&once);
                prop_assert_eq!(twice, Some(once));
            }
        }
    }
}
