//! The choice of a root among the results of a search.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Topic, address::unfit};
use crate::{
    arena::{play::EXAMINE, trees::duplicates},
    context::Context,
    data::{Cause, Unscored},
    llm::{Answer, Ask},
    search::SearchResult,
    text::{url::canonical, words::one_line},
};

/// The prompt.
pub(super) const PROMPT: &str = "arena/root";
/// Tokens of a reply.
const TOKENS: u32 = 600;

/// A result that may become a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate<'a> {
    /// Its address in the one spelling of addresses.
    pub url: String,
    pub result: &'a SearchResult,
}

/// The results whose pages are no roots yet, each page once; `known` are the roots' keys.
pub(super) fn candidates<'a>(
    results: &'a [SearchResult],
    known: &BTreeSet<String>,
) -> Vec<Candidate<'a>> {
    let mut seen = known.clone();
    let canonical = |result: &'a SearchResult| {
        let url = canonical(&result.url)?;
        Some(Candidate { url, result })
    };
    let candidates = results.iter().filter_map(canonical);
    candidates
        .filter(|candidate| seen.insert(duplicates::key(&candidate.url)))
        .collect()
}

/// A root and why it was chosen, or why there is none.
pub(super) enum Choice {
    Root { url: String, why: String },
    None(String),
    Unscored(Unscored),
}

/// What a model is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Selected {
    /// The reason.
    #[schemars(length(max = 300))]
    reason: String,
    /// The number of the best result; null if none will do.
    choice: Option<u32>,
}

impl Answer for Selected {}

/// The choice by the role `examine`: a model's, or the first that nothing is known against.
///
/// # Errors
///
/// What must stop the run.
pub(super) async fn choice(
    ctx: &Context,
    topic: &Topic,
    query: &str,
    candidates: &[Candidate<'_>],
) -> Result<Choice> {
    if ctx.llm.is_code(EXAMINE, 0)? {
        return Ok(by_code(candidates));
    }
    let shown: Vec<Value> = candidates
        .iter()
        .zip(1..)
        .map(|(candidate, number)| {
            let result = candidate.result;
            json!({
                "number": number, "title": result.title, "address": candidate.url,
                "snippet": result.snippet
            })
        })
        .collect();
    let most = candidates.len() as u32;
    let vars = json!({ "topics": topic.path, "query": query, "results": shown });
    let ask = Ask {
        role: EXAMINE,
        prompt: PROMPT,
        vars: &vars,
        max_tokens: TOKENS,
        seed: ctx.seed,
        check: &|selected: &Selected| match selected.choice {
            // Only what was shown may be chosen.
            Some(number) if number == 0 || number > most => Err(Unscored {
                cause: Cause::UnknownReference,
                reason: format!("no result has the number {number}"),
            }),
            _ => Ok(()),
        },
        ..Ask::default()
    };
    let selected = match ctx.llm.ask::<Selected>(ask).await?.value {
        Ok(selected) => selected,
        Err(unscored) => return Ok(Choice::Unscored(unscored)),
    };
    let why = one_line(&selected.reason);
    let place = selected.choice.and_then(|number| number.checked_sub(1));
    Ok(
        match place.and_then(|place| candidates.get(place as usize)) {
            Some(candidate) => Choice::Root {
                url: candidate.url.clone(),
                why,
            },
            None => Choice::None(why),
        },
    )
}

fn by_code(candidates: &[Candidate<'_>]) -> Choice {
    let mut against: BTreeMap<&str, u32> = BTreeMap::new();
    for candidate in candidates {
        let Some(why) = unfit(&candidate.url) else {
            return Choice::Root {
                url: candidate.url.clone(),
                why: "the first result that its address says nothing against".to_owned(),
            };
        };
        *against.entry(why).or_default() += 1;
    }
    let against: Vec<String> = against
        .into_iter()
        .map(|(why, n)| format!("{why} {n}"))
        .collect();
    Choice::None(format!("their addresses: {}", against.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(urls: &[&str]) -> Vec<SearchResult> {
        let result = |url: &&str| SearchResult {
            url: (*url).to_owned(),
            title: String::new(),
            snippet: String::new(),
        };
        urls.iter().map(result).collect()
    }

    #[test]
    fn a_page_that_is_a_root_is_no_candidate_however_it_is_spelled() {
        let results = results(&[
            "https://www.a.example/index.html",
            "https://b.example/x?utm_source=y",
            "http://b.example/x/",
            "https://c.example/#top",
        ]);
        let known = BTreeSet::from([duplicates::key("https://a.example/")]);
        let urls: Vec<String> = candidates(&results, &known)
            .into_iter()
            .map(|candidate| candidate.url)
            .collect();
        assert_eq!(urls, ["https://b.example/x", "https://c.example/"]);
    }

    #[test]
    fn code_takes_the_first_that_nothing_is_known_against() {
        let choose = |urls: &[&str]| by_code(&candidates(&results(urls), &BTreeSet::new()));
        let found = choose(&[
            "https://www.youtube.com/watch?v=1",
            "https://a.example/tides",
        ]);
        assert!(matches!(found, Choice::Root { url, .. } if url == "https://a.example/tides"));
        let none = choose(&[
            "https://www.youtube.com/watch?v=1",
            "https://a.example/x.pdf",
        ]);
        assert!(
            matches!(none, Choice::None(reason) if reason == "their addresses: PDF 1, video 1")
        );
    }
}
