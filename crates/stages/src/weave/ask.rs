//! What a model is asked for one task, and the shape of its answer.

use std::collections::BTreeSet;

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{plan::Slot, rules::Broken};
use crate::{
    context::Context,
    data::{Cause, Difficulty, Inspiration, TaskType, Unscored},
    llm::{Answer, Answered, Ask, object},
};

/// Ideas that a task draws on beside those that it must rest on.
const MOST_ALSO: usize = 2;

/// The model's reply.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Woven {
    /// Numbers of the other ideas that the task draws on, where several were shown.
    #[serde(default)]
    pub also: Vec<usize>,
    /// The family of the task, where several were offered.
    #[serde(default)]
    pub task_type: Option<TaskType>,
    /// What the researcher is asked to do, with the deliverable.
    pub task: String,
    /// Basic: public data are enough, and the work takes at most three hours. Advanced: all else,
    /// that is new data, tools or reasoning, or more time.
    pub difficulty: Difficulty,
    /// The discipline, where it was asked for.
    #[serde(default)]
    pub discipline: Option<String>,
}

impl Answer for Woven {}

/// The prompt that a model is asked with.
pub const PROMPT: &str = "weave/task";

/// How a task is asked for.
pub struct Question<'a> {
    /// What it is made from and its family.
    pub slot: &'a Slot<'a>,
    /// BCP 47 tag of the language of the task.
    pub language: &'a str,
    /// The disciplines to choose from, where nobody has said which it is.
    pub disciplines: Option<&'a [&'a str]>,
    /// The texts of the tasks of earlier batches, whatever they were written from.
    pub earlier: &'a [&'a str],
    /// The texts of tasks of this batch that were written from the same inspirations.
    pub written: &'a [&'a str],
    /// What was wrong with the last one.
    pub broken: Option<&'a (Broken, String)>,
}

impl Question<'_> {
    /// Asks.
    pub async fn ask(&self, ctx: &Context) -> Result<Answered<Woven>> {
        let (vars, schema) = (self.vars(), self.schema());
        let ask = Ask::<Woven> {
            role: "weave",
            prompt: PROMPT,
            vars: &vars,
            schema: Some(schema),
            max_tokens: 600,
            check: &|woven| self.check(woven),
            ..Ask::default()
        };
        Ok(ctx.llm.ask(ask).await?)
    }

    /// Whether the family and the other ideas are among those that were offered.
    pub(super) fn check(&self, woven: &Woven) -> Result<(), Unscored> {
        match woven.task_type {
            Some(family) if self.slot.families.contains(&family) => {}
            Some(family) => {
                return Err(unknown(format!("`{}` was not offered", family.label())));
            }
            None => {
                return Err(unknown(
                    "it does not say which type of task it is".to_owned(),
                ));
            }
        }
        let others = self.others();
        if let Some(number) = woven.also.iter().find(|number| !others.contains(number)) {
            return Err(unknown(format!("idea {number} is not one of the others")));
        }
        let distinct: BTreeSet<&usize> = woven.also.iter().collect();
        if distinct.len() < woven.also.len() || woven.also.len() > MOST_ALSO {
            return Err(unknown(format!(
                "at most {MOST_ALSO} other ideas may be named, each once: {:?}",
                woven.also
            )));
        }
        Ok(())
    }

    /// The numbers of the ideas that are shown and that the task need not rest on.
    fn others(&self) -> Vec<usize> {
        let shown = self.slot.shown.iter().zip(1..);
        shown
            .filter(|(shown, _)| !self.slot.is_source(shown))
            .map(|(_, number)| number)
            .collect()
    }

    fn chinese(&self) -> bool {
        self.language.starts_with("zh")
    }

    fn vars(&self) -> Value {
        let chinese = self.chinese();
        json!({
            "language": self.language,
            "ideas": self.ideas(),
            "types": self.slot.families,
            "earlier": self.earlier,
            "written": self.written,
            "disciplines": self.disciplines,
            "broken": self.broken.map(|(rule, draft)| rule.of_draft(draft, chinese)),
        })
    }

    /// The ideas that are shown, numbered from 1; `leads` are those that the task must rest on,
    /// with what was said.
    fn ideas(&self) -> Vec<Value> {
        let shown = self.slot.shown.iter().zip(1..);
        shown
            .map(|(inspiration, number)| {
                idea(number, inspiration, self.slot.is_source(inspiration))
            })
            .collect()
    }

    pub(super) fn schema(&self) -> Value {
        let (least, most) = if self.chinese() {
            (40, 300)
        } else {
            (120, 1000)
        };
        // The choices come first, so that a model chooses before it writes.
        let mut properties = json!({
            "also": also(&self.others()),
            "task_type": { "type": "string", "enum": self.slot.families },
            "task": { "type": "string", "minLength": least, "maxLength": most },
            "difficulty": { "type": "string", "enum": ["basic", "advanced"] },
        });
        if let Some(disciplines) = self.disciplines {
            properties["discipline"] = json!({ "type": "string", "enum": disciplines });
        }
        object(&properties)
    }
}

/// The tasks in the example replies of a prompt.
pub fn examples(replies: Vec<Value>) -> Vec<String> {
    let woven = replies
        .into_iter()
        .filter_map(|reply| serde_json::from_value::<Woven>(reply).ok());
    woven.map(|woven| woven.task).collect()
}

/// A choice among the numbers of other ideas, or none.
fn also(others: &[usize]) -> Value {
    let mut number = json!({ "type": "integer" });
    if !others.is_empty() {
        number["enum"] = json!(others);
    }
    json!({ "type": "array", "maxItems": MOST_ALSO.min(others.len()), "items": number })
}

pub(super) fn unknown(reason: String) -> Unscored {
    Unscored {
        cause: Cause::UnknownReference,
        reason,
    }
}

fn idea(number: usize, inspiration: &Inspiration, leads: bool) -> Value {
    let quotes: Vec<String> = inspiration
        .evidence
        .iter()
        .map(|e| e.quote.replace('\n', " "))
        .collect();
    json!({
        "number": number,
        "kind": inspiration.kind.word(),
        "text": inspiration.text,
        "quotes": quotes,
        "leads": leads,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        data::{Evidence, InspirationId, InspirationType, Ms, SeminarId, TranscriptId},
        llm::Prompts,
        weave::plan::Plan,
    };

    fn evidence(quote: &str) -> Evidence {
        Evidence {
            segment: 0,
            start_char: 0,
            end_char: 0,
            start: Ms(0),
            end: Ms(0),
            quote: quote.to_owned(),
            speaker: None,
            wording: None,
            similarity: 1.0,
        }
    }

    fn inspiration(name: &str) -> Inspiration {
        Inspiration {
            id: InspirationId::from_parts(&[name]),
            seminar: SeminarId::from_parts(&["s"]),
            transcript: TranscriptId::from_parts(&["t"]),
            kind: InspirationType::Limitation,
            traits: vec![],
            text: name.to_owned(),
            evidence: vec![],
            reviews: vec![],
        }
    }

    fn question<'a>(slot: &'a Slot<'a>) -> Question<'a> {
        Question {
            slot,
            language: "en",
            disciplines: None,
            earlier: &[],
            written: &[],
            broken: None,
        }
    }

    #[test]
    fn a_model_may_draw_on_two_of_the_other_ideas() {
        let inspirations = ["one", "two", "three", "four"].map(inspiration);
        let slot = Plan::new(&inspirations, true).next(&[], 6).expect("a slot");
        let question = question(&slot);
        let also = &question.schema()["properties"]["also"];
        assert_eq!(
            (&also["items"]["enum"], &also["maxItems"]),
            (&json!([2, 3, 4]), &json!(2))
        );
        let check = |also: &[usize]| {
            let woven = Woven {
                also: also.to_vec(),
                task_type: Some(slot.families[0]),
                task: String::new(),
                difficulty: Difficulty::Basic,
                discipline: None,
            };
            question.check(&woven).map_err(|unscored| unscored.reason)
        };
        assert_eq!((check(&[]), check(&[4, 2])), (Ok(()), Ok(())));
        for wrong in [&[1][..], &[5], &[0], &[2, 2], &[2, 3, 4]] {
            assert!(check(wrong).is_err(), "{wrong:?}");
        }
        let others: Vec<&str> = slot.others(&[4, 2]).iter().map(|i| &*i.text).collect();
        assert_eq!(others, ["four", "two"]);
    }

    #[test]
    fn where_one_idea_is_shown_there_are_no_others() {
        let inspirations = [inspiration("one")];
        let slot = Plan::new(&inspirations, true).next(&[], 6).expect("a slot");
        let also = &question(&slot).schema()["properties"]["also"];
        assert_eq!(
            (&also["maxItems"], also["items"].get("enum")),
            (&json!(0), None)
        );
    }

    /// The user's message of the built-in prompt.
    fn asked(question: &Question<'_>) -> String {
        let prompts = Prompts::new(None, "key");
        let filled = prompts.render("weave/task", &question.vars(), &question.schema());
        let mut messages = filled.expect("it can be filled").messages;
        messages.pop().expect("a user's message").content
    }

    #[test]
    fn a_model_reads_all_ideas_and_what_was_said_about_the_one_that_leads() {
        let mut inspirations = ["Idea one", "Idea two", "Idea three"].map(inspiration);
        for inspiration in &mut inspirations {
            let quote = format!("{} in the words of the talk", inspiration.text);
            inspiration.evidence = vec![evidence(&quote)];
        }
        let slot = Plan::new(&inspirations, true).next(&[], 6).expect("a slot");
        let asked_for = asked(&question(&slot));
        for (number, inspiration) in (1..).zip(&inspirations) {
            let line = format!("{number} limitation: {}\n", inspiration.text);
            assert!(asked_for.contains(&line), "{asked_for}");
            let is_quoted = asked_for.contains(&inspiration.evidence[0].quote);
            assert_eq!(is_quoted, number == 1, "{asked_for}");
        }
        assert!(asked_for.contains("Write one research task in English from idea 1.\n"));
        assert!(asked_for.contains("at most two, or [] if none."));
        let both = Slot {
            sources: vec![&inspirations[0], &inspirations[1]],
            shown: vec![&inspirations[0], &inspirations[1]],
            ..slot
        };
        let in_english = asked(&question(&both));
        assert!(in_english.contains("from ideas 1 and 2, joining them.\n"));
        assert!(in_english.contains("there are no other ideas: []"));
        let in_chinese = asked(&Question {
            language: "zh",
            ..question(&both)
        });
        assert!(
            in_chinese.contains("请根据想法1和想法2，把它们结合起来，用中文写一个研究任务。\n")
        );
    }
}
