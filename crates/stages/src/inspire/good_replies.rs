//! Good replies of an inspiration agent and a reviewer go through unharmed.

use serde_json::Value;

use super::{
    IDEAS, Numbered, Style,
    examples::Examples,
    ground::{self, Heard},
    merge::{self, Candidate},
    question::{self, Found},
    review::Opinion,
    surroundings,
    testing::transcript,
};
use crate::{
    data::{InspirationType, Transcript},
    llm::{Prompts, object, parse},
    replies::good::{self, Talk, outside},
};

fn examples(prompt: &str) -> Vec<Value> {
    let prompts = Prompts::new(None, "key");
    prompts.examples(prompt).expect("it is built in")
}

fn transcribed(talk: &Talk) -> Transcript {
    let lines: Vec<&str> = talk.lines.iter().map(String::as_str).collect();
    let mut transcript = transcript(&lines);
    transcript.language.clone_from(&talk.language);
    transcript
}

#[test]
fn no_good_idea_is_refused() {
    let examples = Examples::new(examples("inspire/ideas"));
    for (name, talk) in good::all() {
        let transcript = transcribed(&talk);
        let numbered = Numbered::new(&transcript);
        let heard = Heard {
            transcript: &transcript,
            numbered: &numbered,
            style: Style::Brief,
            examples: &examples,
        };
        let whole = 1..=numbered.count();
        let question = question::about(&talk.language, &numbered, whole, IDEAS, Style::Brief);
        assert_eq!(outside(&question.schema(), &talk.inspire), None, "{name}");
        let found: Found = parse(&talk.inspire.to_string(), &question.schema(), &|found| {
            question.check(found)
        })
        .unwrap_or_else(|e| panic!("{name}: {e}"));
        let count = found.items.len();
        let mut kept = Vec::new();
        for idea in found.items {
            let inspiration = ground::inspiration(heard, None, idea)
                .unwrap_or_else(|refusal| panic!("{name}: {refusal:?}"));
            let candidate = Candidate {
                inspiration,
                call: None,
                mark: None,
                certainty: 0,
            };
            merge::add(heard, &mut kept, candidate)
                .unwrap_or_else(|text| panic!("{name}: a duplicate: {text}"));
        }
        assert_eq!((kept.len(), talk.review.len()), (count, count), "{name}");
    }
}

#[test]
fn no_good_review_is_refused_and_each_lets_its_idea_stand() {
    let schema = object(&serde_json::json!({
        "note": { "type": "string" },
        "fault": { "type": "string" },
        "value": { "type": "integer", "minimum": 1, "maximum": 5 },
    }));
    for (name, talk) in good::all() {
        for reply in &talk.review {
            assert_eq!(outside(&schema, reply), None, "{name}");
            let opinion: Opinion = parse(&reply.to_string(), &schema, &|_| Ok(()))
                .unwrap_or_else(|e| panic!("{name}: {e}: {reply}"));
            assert!(opinion.fault.fault().is_none(), "{name}: {reply}");
        }
    }
}

#[test]
fn a_reviewer_sees_more_than_the_quotes_and_the_schema_says_one_to_five() {
    let (name, talk) = good::all().swap_remove(0);
    let transcript = transcribed(&talk);
    let numbered = Numbered::new(&transcript);
    let quote = numbered.evidence(4, 4);
    let around = surroundings::around(&numbered, std::slice::from_ref(&quote));
    assert!(around.contains(&quote.quote), "{name}: {around}");
    assert!(around.contains(&numbered.text(7)), "{name}: {around}");
    assert!(!around.contains(&numbered.text(8)), "{name}: {around}");
    let schema = serde_json::to_value(schemars::schema_for!(Opinion)).expect("a schema");
    let value = &schema["properties"]["value"];
    assert_eq!(
        (&value["minimum"], &value["maximum"]),
        (&1.into(), &5.into())
    );
}

#[test]
fn an_examples_own_text_and_reasons_are_refused() {
    // A talk on another subject, in which the words of the example's quotes were not said.
    let replies = examples("inspire/ideas");
    assert_eq!(replies.len(), 2, "one in each language");
    let examples = Examples::new(replies.clone());
    for (reply, language) in replies.into_iter().zip(["zh", "en"]) {
        let (name, talk) = good::all()
            .into_iter()
            .find(|(_, talk)| talk.language == language)
            .expect("a talk in each language");
        let transcript = transcribed(&talk);
        let numbered = Numbered::new(&transcript);
        let heard = Heard {
            transcript: &transcript,
            numbered: &numbered,
            style: Style::Brief,
            examples: &examples,
        };
        let good: Found = serde_json::from_value(talk.inspire).expect("ideas");
        let found: Found = serde_json::from_value(reply).expect("an example");
        for example in found.items {
            // Its words under quotes of the talk …
            let mut copied = good.items[0].clone();
            copied.text.clone_from(&example.text);
            let refused = ground::inspiration(heard, None, copied).expect_err("copied");
            assert_eq!(refused.0, "not_in_the_quotes", "{name}: {refused:?}");
            // … and its reasons under an idea of the talk, whatever its type.
            let kind = example.kind.clone();
            let mut copied = good.items[0].clone();
            copied.traits.clone_from(&example.traits);
            copied.kind = kind.or(Some("limitation".to_owned()));
            let refused = ground::inspiration(heard, None, copied).expect_err("copied");
            assert_eq!(refused.0, "reason_not_of_this_idea", "{name}: {refused:?}");
        }
    }
}

#[test]
fn the_examples_have_all_types_and_the_traits_of_each() {
    for reply in examples("inspire/ideas") {
        let found: Found = serde_json::from_value(reply).expect("an example");
        let mut kinds = std::collections::BTreeSet::new();
        for idea in found.items {
            let word = idea.kind.expect("a type");
            let kind = InspirationType::ALL.into_iter().find(|kind| kind.is(&word));
            let kind = kind.expect("one of the four");
            kinds.insert(kind);
            let shown: Vec<&str> = idea.traits.iter().map(|of| of.which.as_str()).collect();
            for required in kind.required_traits() {
                assert!(shown.contains(&required.word()), "{word}: {shown:?}");
            }
        }
        assert_eq!(kinds.len(), 4, "{kinds:?}");
    }
}
