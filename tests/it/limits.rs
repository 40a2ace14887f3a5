//! The longest reply that a prompt's schema allows fits the tokens that the prompt allows.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{
    deep_eval,
    small_web::world::World,
    support::{ModelServer, Project, TALK, TALK_ZH, llm::Request},
};

/// Characters of a token, at the fewest: English prose has more than four, the marks of JSON fewer.
const CHARACTERS: usize = 3;

/// Prompts from before this test whose longest replies do not fit. They stay as they are, because
/// another schema or limit would have everything asked again that is on record; a reply that is cut
/// is asked for again. The strict form of evaluation has limits that fit.
const AS_THEY_WERE: [&str; 5] = [
    "evaluate_checklist",
    "evaluate_key_points",
    "evaluate_relation",
    "inspire_ideas",
    "probe_attempt",
];

/// Prompts whose schemas leave a text without a limit: their instructions say how long it may be,
/// and a reply that is cut is asked for again.
const WITHOUT_A_LIMIT: [&str; 1] = ["inspire_review"];

/// The most characters that a value of this schema takes; none where there is no limit.
fn longest(schema: &Value) -> Option<usize> {
    let number = |key: &str| Some(schema[key].as_u64()? as usize);
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(|value| value.to_string().len()).max();
    }
    if let Some(forms) = schema["anyOf"].as_array() {
        let each: Option<Vec<usize>> = forms.iter().map(longest).collect();
        return each?.into_iter().max();
    }
    Some(match schema["type"].as_str()? {
        "string" => number("maxLength")? + 2,
        "integer" | "number" => 6,
        "boolean" => 5,
        "null" => 4,
        "array" => number("maxItems")? * (longest(&schema["items"])? + 1) + 2,
        "object" => {
            let properties = schema["properties"].as_object()?.iter();
            let each: Option<Vec<usize>> = properties
                .map(|(key, value)| Some(key.len() + 4 + longest(value)?))
                .collect();
            each?.into_iter().sum::<usize>() + 2
        }
        _ => return None,
    })
}

#[test]
fn the_longest_reply_fits_its_tokens() {
    let paper = World::evaluated();
    let strict = World::new();
    let settings = strict.project.configuration();
    strict
        .project
        .configure(&format!("{settings}\n[evaluate]\nform = \"strict\"\n"));
    strict.answer();
    let all = [
        "evaluate",
        "--allow-private-network",
        "--metric",
        "kae,ace,claims",
    ];
    strict.project.ok(&all);
    let stages = ModelServer::openai().pipeline();
    let project = Project::new(&stages.url)
        .seminar("talk.wav", "en", TALK)
        .seminar("zh.wav", "zh", TALK_ZH)
        .woven();
    project.ok(&["rank"]);
    project.ok(&["probe"]);
    let (deep_eval, _project) = deep_eval::evaluated();
    let servers = [&paper.fake, &strict.fake, &deep_eval, &stages];
    let requests: Vec<Request> = servers.iter().flat_map(|server| server.seen()).collect();
    let mut unlimited: BTreeSet<String> = BTreeSet::new();
    let mut fits: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for request in &requests {
        if request.body["response_format"].is_null() {
            continue;
        }
        let name = request.prompt();
        let most = request.body["max_tokens"]
            .as_u64()
            .or_else(|| request.body["max_completion_tokens"].as_u64())
            .expect("a limit") as usize;
        let Some(longest) = longest(request.schema()) else {
            unlimited.insert(name.to_owned());
            continue;
        };
        let needed = longest.div_ceil(CHARACTERS);
        let known = fits.entry(name.to_owned()).or_insert((needed, most));
        if needed * known.1 > known.0 * most {
            *known = (needed, most);
        }
    }
    println!("tokens needed and allowed: {fits:#?}");
    let too_long: Vec<&str> = fits
        .iter()
        .filter(|(_, (needed, most))| needed > most)
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(too_long, AS_THEY_WERE);
    assert!(unlimited.iter().eq(&WITHOUT_A_LIMIT), "{unlimited:?}");
    assert!(fits.len() > 9, "{fits:?}");
}
