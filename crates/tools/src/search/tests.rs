//! Replies of providers as they document them, and replies of servers that mean no good. Hides
//! nothing: a table a provider.

use serde_json::json;

use super::{
    SearchProvider::{self, Brave, Google, Local, Serpapi, Tavily},
    SearchResult,
    local::Local as LocalFile,
    remote::{parsed, results},
};

fn page(url: &str, title: &str, snippet: &str) -> SearchResult {
    SearchResult {
        url: url.to_owned(),
        title: title.to_owned(),
        snippet: snippet.to_owned(),
    }
}

#[test]
fn each_provider_s_reply_is_read() {
    let check = |provider: SearchProvider, reply: serde_json::Value, expect: &[SearchResult]| {
        let read = results(provider, &reply);
        assert_eq!(read.as_deref(), Ok(expect), "{provider:?}: {reply}");
    };
    let expect = [page("https://a.example/tides", "Tides", "Water rises.")];
    check(
        Serpapi,
        json!({
            "search_metadata": { "status": "Success" },
            "organic_results": [{
                "position": 1, "title": "Tides", "link": "https://a.example/tides",
                "displayed_link": "a.example", "snippet": "Water\n rises."
            }]
        }),
        &expect,
    );
    check(
        Brave,
        json!({
            "type": "search", "query": { "original": "tides" },
            "web": { "type": "search", "results": [{
                "type": "search_result", "title": "Tides", "url": "https://a.example/tides",
                "description": "Water rises.", "family_friendly": true
            }] }
        }),
        &expect,
    );
    check(
        Tavily,
        json!({
            "query": "tides", "answer": null, "response_time": 0.9,
            "results": [{
                "title": "Tides", "url": "https://a.example/tides", "content": "Water rises.",
                "score": 0.93, "raw_content": null
            }]
        }),
        &expect,
    );
    check(
        Google,
        json!({
            "kind": "customsearch#search", "searchInformation": { "totalResults": "1" },
            "items": [{
                "kind": "customsearch#result", "title": "Tides", "link": "https://a.example/tides",
                "snippet": "Water rises."
            }]
        }),
        &expect,
    );
    // Nothing was found, in each provider's way of saying so.
    let nothing = "Google hasn't returned any results for this query.";
    check(
        Serpapi,
        json!({ "search_metadata": { "status": "Success" }, "error": nothing }),
        &[],
    );
    check(
        Serpapi,
        json!({ "search_information": { "organic_results_state": "Fully empty" } }),
        &[],
    );
    check(Brave, json!({ "type": "search", "query": {} }), &[]);
    check(Tavily, json!({ "results": [] }), &[]);
    check(Google, json!({ "kind": "customsearch#search" }), &[]);
}

#[test]
fn what_is_no_reply_is_not_read() {
    for provider in [Serpapi, Brave, Tavily, Google] {
        for body in [
            "",
            "<html>busy</html>",
            "null",
            "[]",
            "7",
            "{}",
            r#"{"organic_results":7,"web":{"results":7},"results":7,"items":7}"#,
            r#"{"organic_results":[{"link":7}],"web":{"results":[{"url":null}]},"results":[[]],"items":[{}]}"#,
            r#"{"organic_results":[{"link":"javascript:alert(1)"}],"web":{"results":[{"url":"file:///etc/passwd"}]},"results":[{"url":"tides"}],"items":[{"link":""}]}"#,
        ] {
            let read = parsed(body).and_then(|value| results(provider, &value));
            assert!(read.is_err(), "{provider:?}: {body}");
        }
    }
    assert!(parsed(&"[".repeat(100_000)).is_err());
    let said = results(
        Serpapi,
        &json!({ "error": "We couldn't get valid\nresults." }),
    );
    assert_eq!(
        said,
        Err("it says `We couldn't get valid results.`".to_owned())
    );
}

#[test]
fn results_are_few_short_and_on_one_line() {
    let mut list = vec![json!({ "url": format!("https://a.example/{}", "x".repeat(9_000)) })];
    list.push(json!({ "url": " https://a.example/1 ", "title": "A\u{7}\nB", "content": 7 }));
    list.extend((2..40).map(|n| {
        json!({ "url": format!("https://a.example/{n}"), "title": "长".repeat(9_000), "content": "  ".repeat(9_000) + "x" })
    }));
    let reply = json!({ "results": list });
    let read = results(Tavily, &reply).expect("results");
    assert_eq!(read.len(), super::RESULTS);
    assert_eq!(read[0], page("https://a.example/1", "A B", ""));
    assert_eq!(read[1].title.chars().count(), 300);
    assert_eq!(read[1].snippet, "x");
}

#[test]
fn a_file_is_searched_by_words_in_either_script() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pages.jsonl");
    let lines = [
        json!({ "url": "https://a.example/tides", "title": "Tides", "snippet": "Water rises twice a day." }),
        json!({ "url": "https://a.example/mills", "title": "Mills", "snippet": "Wind grinds corn." }),
        json!({ "url": "https://a.example/chaoxi", "title": "潮汐", "snippet": "海水每天涨落两次。" }),
    ];
    let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
    std::fs::write(&file, format!("{}\n\n", text.join("\n"))).expect("writable");
    let local = LocalFile::open(&file).expect("a file");
    let found = |query: &str| -> Vec<String> {
        let results = local.search(query).into_iter();
        results.map(|page| page.url).collect()
    };
    assert_eq!(found("the wind mills"), ["https://a.example/mills"]);
    assert_eq!(found("潮汐的原因"), ["https://a.example/chaoxi"]);
    assert_eq!(found("nothing of it"), Vec::<String>::new());
    std::fs::write(&file, format!("{}\n{{\"url\": \"x\"}}\n", text[0])).expect("writable");
    let said = LocalFile::open(&file).err().expect("no page").to_string();
    assert!(said.contains("line 2: not a page"), "{said}");
    assert!(LocalFile::open(folder.path()).is_err());
    assert_eq!(Local.word(), "local");
}
