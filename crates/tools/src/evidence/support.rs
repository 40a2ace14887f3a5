//! Claim verification: whether passages support a claim, contradict it, or are silent. The judge
//! names and quotes the passage that decides, and the quote is looked up in it: an invented quote
//! is no verdict. Claims that are held against the same passages are asked about together.

use std::marker::PhantomData;

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::retrieval::Passage;
use crate::{
    context::{Context, StageReport},
    data::{Cause, Decision, Instrument, Unscored},
    judging::{
        Verdict,
        batch::{self, BatchForm, Each, Subject},
    },
    llm::{Answer, object},
    text::{find::find, words},
};

/// The role that judges.
pub const ROLE: &str = "relate";
/// The prompt.
pub const PROMPT: &str = "evidence/support";
/// Fewest words of a quote; a shorter one is in any passage. A Han character is a word.
const FEWEST_WORDS: usize = 3;
/// Longest reason and longest quote in characters.
const LONGEST_REASON: usize = 200;
const LONGEST_QUOTE: usize = 400;

/// What passages say of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stance {
    /// One says the same.
    Supports,
    /// One says otherwise.
    Contradicts,
    /// None speaks of it.
    Silent,
}

impl Stance {
    /// The word that is stored and that judges use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Supports => "supports",
            Self::Contradicts => "contradicts",
            Self::Silent => "silent",
        }
    }
}

/// A judge's reply about several claims.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Supports {
    /// One verdict for each.
    pub verdicts: Vec<Support>,
}

/// The verdict on a claim.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Support {
    /// The claim's number, from 1.
    pub number: usize,
    /// Why.
    pub reason: String,
    /// What the passages say.
    pub stance: Stance,
    /// Number of the passage that decides, from 1; 0 where none speaks of the claim.
    pub passage: usize,
    /// The words of that passage that decide.
    pub quote: String,
}

impl Support {
    /// An error if the quote is not where the reply says.
    fn check(&self, passages: &[&str]) -> Result<(), Unscored> {
        let quoted = Quoted {
            item: self.number,
            passage: self.passage,
            quote: &self.quote,
        };
        if self.stance == Stance::Silent {
            return quoted.is_nothing();
        }
        quoted.stands_in(passages)
    }
}

/// A quote in a reply about numbered items and numbered passages.
pub(super) struct Quoted<'a> {
    /// The item that it is about.
    pub item: usize,
    /// The passage that has it, from 1; 0 for none.
    pub passage: usize,
    /// The words.
    pub quote: &'a str,
}

impl Quoted<'_> {
    /// An error if something is quoted.
    pub fn is_nothing(&self) -> Result<(), Unscored> {
        if self.passage == 0 && self.quote.trim().is_empty() {
            return Ok(());
        }
        let Self { item, passage, .. } = self;
        Err(Unscored {
            cause: Cause::Inconsistent,
            reason: format!(
                "claim {item}: where no passage decides, give passage 0 and an empty quote, not passage {passage}"
            ),
        })
    }

    /// An error unless the words stand in their passage. White space, case and the form of
    /// quotation marks do not count.
    pub fn stands_in(&self, passages: &[&str]) -> Result<(), Unscored> {
        let Self {
            item,
            passage,
            quote,
        } = *self;
        let shown = passages.len();
        let text = passage.checked_sub(1).and_then(|at| passages.get(at));
        let (cause, reason) = match text {
            None => (
                Cause::UnknownReference,
                format!(
                    "claim {item}: there is no passage {passage}, they are numbered 1 to {shown}"
                ),
            ),
            Some(_) if words::length(quote) < FEWEST_WORDS => (
                Cause::OutOfRange,
                format!("claim {item}: the quote has fewer than {FEWEST_WORDS} words"),
            ),
            Some(text) if find(text, quote).is_none() => (
                Cause::UnknownReference,
                format!(
                    "claim {item}: the quote does not stand in passage {passage}: copy it letter by letter"
                ),
            ),
            Some(_) => return Ok(()),
        };
        Err(Unscored { cause, reason })
    }
}

impl Answer for Supports {}

impl Each for Supports {
    type One = Support;

    fn numbers(&self) -> Vec<usize> {
        self.verdicts.iter().map(|one| one.number).collect()
    }

    fn verdicts(self) -> Vec<Support> {
        self.verdicts
    }
}

impl Verdict for Support {
    fn decision(&self) -> Decision {
        Decision {
            value: None,
            label: self.stance.word().to_owned(),
            confidence: None,
        }
    }

    fn payload(&self) -> Value {
        match self.stance {
            Stance::Silent => json!({ "reason": self.reason }),
            _ => json!({ "reason": self.reason, "passage": self.passage, "quote": self.quote }),
        }
    }
}

/// Claims of a subject that are held against the same passages: an id and the text of each.
pub struct ClaimBatch {
    /// Id of what makes them, such as a report.
    pub subject: String,
    /// The claims.
    pub claims: Vec<(String, String)>,
    /// What they are held against; with none, nothing is asked, for there is nothing to judge by.
    pub passages: Vec<Passage>,
}

/// Asks the role's panel for the stance of the passages on each claim, at most `most` claims at
/// once, and saves each judgement or why there is none. `stage` names the work for people.
pub async fn support(
    ctx: &Context,
    stage: &'static str,
    instrument: Instrument,
    most: usize,
    claims: Vec<ClaimBatch>,
) -> Result<StageReport> {
    let form = PassageForm::<Supports> {
        prompt: PROMPT,
        schema,
        tokens: |n| batch::tokens(n, LONGEST_REASON + LONGEST_QUOTE),
        check: |reply, passages| {
            reply
                .verdicts
                .iter()
                .try_for_each(|one| one.check(passages))
        },
    };
    form.judge(ctx, stage, instrument, most, claims).await
}

/// How claims are asked about beside passages.
pub(super) struct PassageForm<R> {
    /// It gets `passages` and `items`.
    pub prompt: &'static str,
    /// The schema of a reply about so many claims.
    pub schema: fn(usize) -> Value,
    /// Tokens that the longest such reply takes.
    pub tokens: fn(usize) -> u32,
    /// Whether a reply fits the passages.
    pub check: fn(&R, &[&str]) -> Result<(), Unscored>,
}

impl<R: Each> PassageForm<R> {
    /// Asks about the claims of each batch. With no passages nothing is asked.
    pub async fn judge(
        self,
        ctx: &Context,
        stage: &'static str,
        instrument: Instrument,
        most: usize,
        claims: Vec<ClaimBatch>,
    ) -> Result<StageReport> {
        let subjects: Vec<Subject<Vec<Passage>>> = claims
            .into_iter()
            .filter(|of| !of.passages.is_empty())
            .map(ClaimBatch::into_subject)
            .collect();
        let form = BatchForm {
            stage,
            instrument,
            role: ROLE,
            prompt: self.prompt,
            most,
            vars: &|passages: &Vec<Passage>| json!({ "passages": texts(passages) }),
            schema: &self.schema,
            tokens: self.tokens,
            check: &|reply: &R, passages: &Vec<Passage>| (self.check)(reply, &texts(passages)),
            reply: PhantomData,
        };
        batch::judge(ctx, &form, &subjects).await
    }
}

fn texts(passages: &[Passage]) -> Vec<&str> {
    passages.iter().map(|of| of.text.as_str()).collect()
}

impl ClaimBatch {
    /// The claims as items of a question, with which page each passage is of, so that a verdict
    /// leads to the page that decides.
    fn into_subject(self) -> Subject<Vec<Passage>> {
        let items = self.claims.into_iter();
        let pages: Vec<&str> = self.passages.iter().map(|of| of.source.as_str()).collect();
        Subject {
            keep: json!({ "pages": pages }),
            items: items.map(|(id, text)| (id, json!(text))).collect(),
            id: self.subject,
            of: self.passages,
        }
    }
}

/// The schema of a reply about `n` claims.
fn schema(n: usize) -> Value {
    let numbers: Vec<usize> = (1..=n).collect();
    let one = object(&json!({
        "number": { "type": "integer", "enum": numbers },
        "reason": { "type": "string", "maxLength": LONGEST_REASON },
        "stance": { "type": "string", "enum": ["supports", "contradicts", "silent"] },
        "passage": { "type": "integer" },
        "quote": { "type": "string", "maxLength": LONGEST_QUOTE }
    }));
    object(&json!({
        "verdicts": { "type": "array", "items": one, "minItems": n, "maxItems": n }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSAGES: [&str; 2] = [
        "Roots keep the soil together.",
        "The gauge drifts by  four millimetres a year。河流每年移动。",
    ];

    fn cause(stance: Stance, passage: usize, quote: &str) -> Option<Cause> {
        let reply = Support {
            number: 1,
            reason: String::new(),
            stance,
            passage,
            quote: quote.to_owned(),
        };
        reply.check(&PASSAGES).err().map(|unscored| unscored.cause)
    }

    #[test]
    fn a_quote_stands_in_the_passage_that_decides() {
        let supports = |passage, quote| cause(Stance::Supports, passage, quote);
        assert_eq!(supports(2, "the gauge drifts by four millimetres"), None);
        assert_eq!(supports(2, "河流每年移动"), None);
        let unknown = Some(Cause::UnknownReference);
        assert_eq!(supports(1, "The gauge drifts by four"), unknown);
        assert_eq!(supports(2, "The gauge drifts by five"), unknown);
        assert_eq!(supports(0, "The gauge drifts by four"), unknown);
        assert_eq!(supports(3, "The gauge drifts by four"), unknown);
        assert_eq!(supports(2, "The gauge"), Some(Cause::OutOfRange));
        assert_eq!(supports(2, ""), Some(Cause::OutOfRange));
        assert_eq!(cause(Stance::Contradicts, 1, "not in it at all"), unknown);
        assert_eq!(cause(Stance::Silent, 0, ""), None);
    }
}
