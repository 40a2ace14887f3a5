//! The query of a topic: three to seven words that should find pages with much to say and links to
//! follow.

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::Topic;
use crate::{
    arena::play::EXAMINE,
    context::Context,
    data::{Cause, Unscored},
    llm::{Answer, Ask},
    text::words::{fold, han_count, one_line, word_count},
};

/// The prompt.
pub(super) const PROMPT: &str = "arena/query";
/// Words of a query (DR-Arena).
const LEAST: usize = 3;
const MOST: usize = 7;
/// Characters of a query at most: a word may be long.
const LONGEST: usize = 120;
/// Tokens of a reply.
const TOKENS: u32 = 300;

/// What a model is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Crafted {
    /// The query: three to seven words.
    #[schemars(length(max = 120))]
    query: String,
}

impl Answer for Crafted {
    fn validate(&self) -> Result<(), Unscored> {
        let wrong = |reason: String| Unscored {
            cause: Cause::OutOfRange,
            reason,
        };
        if self.query.chars().count() > LONGEST {
            return Err(wrong(format!("a query of more than {LONGEST} characters")));
        }
        match length(&self.query) {
            LEAST..=MOST => Ok(()),
            words => Err(wrong(format!(
                "a query of {words} words, {LEAST} to {MOST} are asked for"
            ))),
        }
    }
}

/// Words of a query; two Chinese characters count as one.
fn length(query: &str) -> usize {
    word_count(query) + han_count(query).div_ceil(2)
}

/// The query of a topic by the role `examine`: a model's, or its names.
///
/// # Errors
///
/// What must stop the run.
pub(super) async fn query(ctx: &Context, topic: &Topic) -> Result<Result<String, Unscored>> {
    if ctx.llm.is_code(EXAMINE, 0)? {
        return Ok(Ok(by_code(topic)));
    }
    let vars = json!({ "topics": topic.path });
    let ask = Ask {
        role: EXAMINE,
        prompt: PROMPT,
        vars: &vars,
        max_tokens: TOKENS,
        seed: ctx.seed,
        ..Ask::default()
    };
    let answered = ctx.llm.ask::<Crafted>(ask).await?;
    Ok(answered.value.map(|crafted| one_line(&crafted.query)))
}

/// The names of a topic and of what is above it, each word once, up to seven: more than the topic
/// and the one above it only where these are fewer than three words.
pub(super) fn by_code(topic: &Topic) -> String {
    let mut query: Vec<&str> = Vec::new();
    let mut known: Vec<String> = Vec::new();
    for (above, name) in topic.path.iter().rev().enumerate() {
        if above > 1 && query.len() >= LEAST {
            break;
        }
        let words = name.split(|c: char| c.is_whitespace() || "&/,;:()\"".contains(c));
        for word in words.filter(|word| word.chars().any(char::is_alphanumeric)) {
            let folded = fold(word);
            if query.len() < MOST && !known.contains(&folded) {
                known.push(folded);
                query.push(word);
            }
        }
    }
    if query.is_empty() {
        return topic.name().to_owned();
    }
    query.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_by_code_is_the_names_from_below() {
        let query = |path: &[&str]| {
            let path = path.iter().map(|name| (*name).to_owned()).collect();
            by_code(&Topic { path })
        };
        assert_eq!(
            query(&["Arts & Entertainment", "Film & TV", "Film Festivals"]),
            "Film Festivals TV"
        );
        assert_eq!(
            query(&["Science", "Physics", "Optics"]),
            "Optics Physics Science"
        );
        assert_eq!(query(&["Science"]), "Science");
        assert_eq!(query(&["艺术", "古典音乐"]), "古典音乐 艺术");
        assert_eq!(
            query(&["A b c d", "e f g h i j k l"]),
            "e f g h i j k",
            "seven words"
        );
        assert_eq!(query(&["&"]), "&");
    }

    #[test]
    fn a_model_s_query_has_three_to_seven_words() {
        let fits = |query: &str| {
            let query = query.to_owned();
            Crafted { query }.validate().is_ok()
        };
        assert!(fits("history of video rental shops"));
        assert!(fits("古典音乐的历史"));
        for wrong in [
            "",
            "tides",
            "two words",
            "one two three four five six seven eight",
        ] {
            assert!(!fits(wrong), "{wrong}");
        }
        assert!(!fits(&"长".repeat(40)));
        assert!(!fits(&format!("two words {}", "x".repeat(200))));
    }
}
