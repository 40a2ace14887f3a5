//! Good replies of a task weaver go through unharmed, and the prompt's examples obey the rules of
//! form.

use serde_json::Value;

use super::{
    ask::{self, Question, Woven},
    plan::{self, Plan, Slot},
    rules::{self, Broken, Material},
};
use crate::{
    data::{
        Evidence, Facets, FromSeminar, Inspiration, InspirationId, InspirationType, Ms, Origin,
        SeminarId, Task, TaskId, TranscriptId,
    },
    llm::{Prompts, parse},
    replies::good::{self, Talk, outside},
    text::words::is_chinese,
};

/// The example replies of the prompt.
fn examples() -> Vec<Value> {
    let prompts = Prompts::new(None, "key");
    prompts.examples("weave/task").expect("it is built in")
}

fn inspirations(talk: &Talk) -> Vec<Inspiration> {
    let items = talk.inspire["items"].as_array().expect("a list");
    items
        .iter()
        .map(|item| {
            let word = item["type"].as_str().expect("a word");
            let text = item["text"].as_str().expect("a text").to_owned();
            let quotes = item["quotes"].as_array().expect("a list");
            Inspiration {
                id: InspirationId::from_parts(&[&text]),
                seminar: SeminarId::from_parts(&["s"]),
                transcript: TranscriptId::from_parts(&["t"]),
                kind: InspirationType::ALL
                    .into_iter()
                    .find(|kind| kind.is(word))
                    .expect("a type"),
                traits: vec![],
                text,
                evidence: quotes.iter().map(evidence).collect(),
                reviews: vec![],
            }
        })
        .collect()
}

fn evidence(quote: &Value) -> Evidence {
    Evidence {
        segment: 0,
        start_char: 0,
        end_char: 0,
        start: Ms(0),
        end: Ms(0),
        quote: quote.as_str().expect("words").to_owned(),
        speaker: None,
        wording: None,
        similarity: 1.0,
    }
}

fn task(woven: Woven, sources: &[&Inspiration], language: &str) -> Task {
    let family = woven.task_type.expect("a family");
    Task {
        id: TaskId::from_parts(&[&woven.task]),
        text: woven.task,
        language: language.to_owned(),
        as_of: None,
        edited: None,
        facets: Facets::of_family(family, woven.difficulty, "other".into()),
        origin: Origin::Seminar(FromSeminar {
            seminar: SeminarId::from_parts(&["s"]),
            inspirations: sources.iter().map(|source| source.id.clone()).collect(),
            translation_of: None,
        }),
    }
}

#[test]
fn no_good_task_is_refused() {
    let shown = ask::examples(examples());
    for (name, talk) in good::all() {
        let inspirations = inspirations(&talk);
        let mut kept: Vec<Task> = Vec::new();
        for given in &talk.weave {
            let lead = &inspirations[given.idea - 1];
            let family = serde_json::from_value(given.reply["task_type"].clone());
            let family = family.unwrap_or_else(|e| panic!("{name}: {e}"));
            let offered = Plan::new(&inspirations, true).offer(lead, family, &[]);
            let suits = plan::suits(family, lead.kind);
            assert!(suits, "{name}: {family:?} is not offered");
            let slot = Slot {
                sources: vec![lead],
                shown: inspirations.iter().collect(),
                families: offered,
            };
            let question = Question {
                slot: &slot,
                language: &talk.language,
                disciplines: None,
                earlier: &[],
                written: &[],
                broken: None,
            };
            assert_eq!(outside(&question.schema(), &given.reply), None, "{name}");
            let woven: Woven = parse(&given.reply.to_string(), &question.schema(), &|woven| {
                question.check(woven)
            })
            .unwrap_or_else(|e| panic!("{name}: {e}"));
            let drawn_on = slot.others(&woven.also);
            let sources = [slot.sources.as_slice(), drawn_on.as_slice()].concat();
            let task = task(woven, &sources, &talk.language);
            let words: Vec<String> = sources.iter().map(|source| source.words()).collect();
            let material = Material {
                words: &words.join("\n"),
                people: &talk.speakers,
            };
            let others: Vec<&Task> = kept.iter().collect();
            let passed = rules::check_beside(&task, material, &others)
                .and_then(|()| rules::draws_on(&task, &drawn_on))
                .and_then(|()| rules::not_an_example(&task, &shown));
            assert_eq!(passed, Ok(()), "{name}: {}", task.text);
            kept.push(task);
        }
        let kept: Vec<&Task> = kept.iter().collect();
        assert_eq!(rules::missing_phases(&kept), [], "{name}");
    }
}

#[test]
fn each_example_obeys_the_rules_of_form_and_is_refused_as_a_reply() {
    let shown = ask::examples(examples());
    assert_eq!(shown.len(), 20, "one of each type in each language");
    let talks = good::all();
    for example in examples() {
        let woven: Woven = serde_json::from_value(example).expect("a reply");
        let language = if is_chinese(&woven.task) { "zh" } else { "en" };
        let task = task(woven, &[], language);
        let material = Material {
            words: &task.text,
            people: &[],
        };
        assert_eq!(rules::check(&task, material), Ok(()), "{}", task.text);
        assert_eq!(
            rules::not_an_example(&task, &shown),
            Err(Broken::CopiesTheExample)
        );
        // About an idea of another subject its words are missing, too.
        let (_, of_language) = talks
            .iter()
            .find(|(_, talk)| talk.language == language)
            .expect("a talk in each language");
        let material = Material {
            words: &inspirations(of_language)[0].words(),
            people: &[],
        };
        assert_eq!(
            rules::check(&task, material),
            Err(Broken::KeyTermsMissing),
            "{}",
            task.text
        );
    }
}
