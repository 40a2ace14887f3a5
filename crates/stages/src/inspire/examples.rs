//! The ideas that a prompt shows as examples. A reason that a model takes from them says nothing
//! about the talk.

use std::collections::BTreeSet;

use serde_json::Value;

use super::question::Found;
use crate::{similarity::shared_tokens, text::words::terms};

/// Reasons above this likeness are one.
const ALIKE: f64 = 0.8;
/// Terms of an example that a reason about its subject has at least.
const LEAST_TERMS: usize = 2;

/// The example ideas of a prompt.
#[derive(Default)]
pub struct Examples {
    ideas: Vec<Example>,
}

struct Example {
    terms: BTreeSet<String>,
    reasons: Vec<String>,
}

impl Examples {
    /// The ideas in the example replies of a prompt.
    pub fn new(replies: Vec<Value>) -> Self {
        let found = replies
            .into_iter()
            .filter_map(|reply| serde_json::from_value::<Found>(reply).ok());
        let ideas = found.flat_map(|found| found.items).map(|idea| {
            let reasons: Vec<String> = idea.traits.into_iter().map(|of| of.reason).collect();
            let words = [reasons.join("\n"), idea.text, idea.quotes.join("\n")].join("\n");
            Example {
                terms: terms(&words),
                reasons,
            }
        });
        Self {
            ideas: ideas.collect(),
        }
    }

    /// Whether a reason is an example's: it repeats one, or it shares no term with its own idea and
    /// at least half of its terms with an example. A reason in general words is neither.
    pub fn explain(&self, reason: &str, idea: &BTreeSet<String>) -> bool {
        let words = terms(reason);
        let is_of_its_idea = !words.is_disjoint(idea);
        self.ideas.iter().any(|example| {
            let shared = words.intersection(&example.terms).count();
            let is_of_the_example = shared >= LEAST_TERMS && shared * 2 >= words.len();
            let mut reasons = example.reasons.iter();
            reasons.any(|other| shared_tokens(other, reason) >= ALIKE)
                || (is_of_the_example && !is_of_its_idea)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn examples() -> Examples {
        Examples::new(vec![json!({ "items": [{
            "text": "Clouds hide the glacier for half of the year.",
            "traits": [{ "trait": "challenge", "reason": "No optical image sees through the clouds." }]
        }]})])
    }

    #[test]
    fn a_reason_of_the_examples_subject_is_seen_and_a_general_one_is_not() {
        let idea = terms("Gravel destroys every sensor in a winter flood.");
        let explains = |reason: &str| examples().explain(reason, &idea);
        assert!(explains("no optical image sees through the clouds"));
        assert!(explains("Clouds hide glaciers."));
        assert!(!explains("Nobody has tried it so far."));
        assert!(!explains("It can be tested with public data."));
        assert!(!explains("Clouds and images of gravel are rare."));
    }
}
