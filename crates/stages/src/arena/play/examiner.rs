//! Questions and verdicts by models: what they are shown, and what becomes of what they say. Where
//! a role is code, code answers instead ([`by_code`](super::by_code)).

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{DUEL, EXAMINE, Happened, by_code, round::Rounds};
use crate::{
    arena::{
        examiner::{
            leak::{Hidden, Leak, leaks},
            length::measured,
            rubric::{SourcePage, grounded},
        },
        matches::replay::Replayed,
        trees::Overlay,
    },
    context::Context,
    data::{
        Cause, NodeId, Unscored,
        arena::{
            AnswerLength, DraftQuestion, DuelLabel, DuelVerdict, Failure, FailureTag, ItemMark,
            MatchEvent, Node, Question, RoundOutcome, TieQuality, Wanted,
        },
    },
    llm::{Answer, Ask},
    store::DuelAnswer,
};

const QUESTION: &str = "arena/question";
const VERDICT: &str = "arena/verdict";
/// Characters of a page that are shown: the pages of one question fill a prompt of some pages.
const SHOWN: usize = 6000;
/// The same to a built-in model, whose context is small.
const SHOWN_TO_BUILTIN: usize = 1200;
/// Tokens of a question with its rubric, and of a verdict.
const QUESTION_TOKENS: u32 = 3000;
const VERDICT_TOKENS: u32 = 2000;

/// A page of a question as it is shown.
pub struct Shown<'v> {
    /// The page.
    pub node: &'v Node,
    /// As much of its text as is shown.
    pub material: &'v str,
    /// Whether it is asked about.
    pub is_target: bool,
}

impl<'v> Shown<'v> {
    fn source(&self) -> SourcePage<'_> {
        SourcePage {
            node: &self.node.id,
            material: self.material,
            is_target: self.is_target,
        }
    }

    /// The title, where there is one.
    pub fn title(&self) -> Option<&'v str> {
        self.node.page.title.as_deref()
    }
}

/// The pages that a question leads through and those that it asks about, in this order.
fn shown<'v>(
    view: &'v Overlay<'_>,
    chain: &[NodeId],
    targets: &[NodeId],
    most: usize,
) -> Vec<Shown<'v>> {
    let pages = chain.iter().map(|id| (id, false));
    let pages = pages.chain(targets.iter().map(|id| (id, true)));
    let shown = pages.filter_map(|(id, is_target)| {
        let node = view.node(id)?;
        let material = view.material(node).unwrap_or_default();
        let end = material.char_indices().nth(most);
        Some(Shown {
            node,
            material: &material[..end.map_or(material.len(), |(at, _)| at)],
            is_target,
        })
    });
    shown.collect()
}

/// How a text names the pages that are asked about, which it must not.
pub fn leaks_of(text: &str, pages: &[Shown<'_>]) -> Vec<Leak> {
    let hidden: Vec<Hidden<'_>> = pages
        .iter()
        .filter(|page| page.is_target)
        .map(|page| Hidden {
            node: &page.node.id,
            title: page.title(),
            url: &page.node.page.url,
            names: &[],
        })
        .collect();
    let known: Vec<&str> = pages
        .iter()
        .filter(|page| !page.is_target)
        .filter_map(Shown::title)
        .collect();
    leaks(text, &hidden, &known)
}

/// A question of a model on its sources, or why it is none.
pub fn checked(
    draft: &DraftQuestion,
    pages: &[Shown<'_>],
    length: AnswerLength,
    asked: &[String],
) -> Result<Question, Vec<String>> {
    let sources: Vec<SourcePage<'_>> = pages.iter().map(Shown::source).collect();
    let mut faults = Vec::new();
    for leak in leaks_of(&draft.question, pages) {
        faults.push(format!(
            "the question names what it asks about, by {}: `{}`",
            leak.kind.word(),
            leak.found
        ));
    }
    if asked
        .iter()
        .any(|earlier| earlier.trim() == draft.question.trim())
    {
        faults.push("the question was asked before".to_owned());
    }
    match grounded(draft, &sources, length) {
        Ok(question) if faults.is_empty() => Ok(question),
        Ok(_) => Err(faults),
        Err(found) => {
            faults.extend(found.iter().map(ToString::to_string));
            Err(faults)
        }
    }
}

/// The next question of a match. None in a dry run.
pub async fn question(
    ctx: &Context,
    told: &Replayed<'_>,
    rounds: &Rounds,
) -> Result<Option<Happened>> {
    let Wanted::Question {
        chain,
        targets,
        length,
        ..
    } = &told.wanted
    else {
        return Ok(None);
    };
    let most = if ctx.llm.is_builtin(EXAMINE, 0)? {
        SHOWN_TO_BUILTIN
    } else {
        SHOWN
    };
    let pages = shown(&told.view, chain, targets, most);
    if ctx.llm.is_code(EXAMINE, 0)? {
        let found = by_code::question(&pages, *length, &rounds.asked);
        return Ok(Some(found.map_or_else(
            |reasons| MatchEvent::Failed(Failure::Refused { reasons }).into(),
            |question| MatchEvent::Asked(question).into(),
        )));
    }
    let vars = json!({
        "chain": numbered(&pages, false),
        "targets": numbered(&pages, true),
        "earlier": rounds.asked,
    });
    let ask = Ask {
        role: EXAMINE,
        prompt: QUESTION,
        vars: &vars,
        max_tokens: QUESTION_TOKENS,
        temperature: 0.7,
        seed: ctx.seed,
        sample: rounds.tries,
        check: &|drafted: &Drafted| {
            let checked = checked(&drafted.0, &pages, *length, &rounds.asked);
            checked.map(drop).map_err(|faults| Unscored {
                cause: Cause::Inconsistent,
                reason: faults.join("; "),
            })
        },
        ..Ask::default()
    };
    let answered = ctx.llm.ask::<Drafted>(ask).await?;
    let event = match answered.value {
        Ok(drafted) => match checked(&drafted.0, &pages, *length, &rounds.asked) {
            Ok(question) => MatchEvent::Asked(question),
            Err(reasons) => MatchEvent::Failed(Failure::Refused { reasons }),
        },
        Err(unscored) if unscored.cause == Cause::NotAsked => return Ok(None),
        Err(unscored) => MatchEvent::Failed(Failure::Question(unscored)),
    };
    Ok(Some(Happened {
        event,
        call: Some(answered.call),
    }))
}

/// The pages as the prompt shows them: neither titles nor addresses of targets help a question.
fn numbered(pages: &[Shown<'_>], targets: bool) -> Vec<Value> {
    let numbered = pages.iter().zip(1..);
    let of = numbered.filter(|(page, _)| page.is_target == targets);
    of.map(|(page, number)| {
        let context = page.node.edge.as_ref().map(|edge| edge.context.trim());
        json!({
            "number": number,
            "text": page.material,
            "relation": context.filter(|context| !context.is_empty()),
        })
    })
    .collect()
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
struct Drafted(DraftQuestion);

impl Answer for Drafted {}

/// What a judge says: a verdict, or that it cannot tell.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Said {
    /// Each item of the rubric, marked before the verdict.
    #[schemars(length(max = 20))]
    items: Vec<ItemMark>,
    /// The reason.
    #[schemars(length(max = 600))]
    reason: String,
    /// Which answer is better.
    verdict: Label,
    /// The quality of a tie; null for all else.
    tie_quality: Option<TieQuality>,
    /// What the loser lacks, or both answers of a tie.
    failure: FailureTag,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Label {
    AMuchBetter,
    ABetter,
    Tie,
    BBetter,
    BMuchBetter,
    CannotTell,
}

impl Answer for Said {}

impl Said {
    fn outcome(&self) -> RoundOutcome {
        let verdict = match self.verdict {
            Label::AMuchBetter => DuelLabel::AMuchBetter,
            Label::ABetter => DuelLabel::ABetter,
            Label::Tie => DuelLabel::Tie,
            Label::BBetter => DuelLabel::BBetter,
            Label::BMuchBetter => DuelLabel::BMuchBetter,
            Label::CannotTell => {
                return RoundOutcome::Abstained {
                    reason: self.reason.clone(),
                };
            }
        };
        RoundOutcome::Judged(DuelVerdict {
            items: self.items.clone(),
            verdict,
            tie_quality: self.tie_quality,
            failure: self.failure,
            reason: self.reason.clone(),
        })
    }

    fn fits(&self, items: usize) -> Result<(), Unscored> {
        let RoundOutcome::Judged(verdict) = self.outcome() else {
            return Ok(());
        };
        verdict.validate(items).map_err(|fault| Unscored {
            cause: Cause::Inconsistent,
            reason: fault.to_string(),
        })
    }
}

/// The verdict on both answers. None in a dry run.
pub async fn verdict(
    ctx: &Context,
    question: &Question,
    (a, b): (&DuelAnswer, &DuelAnswer),
) -> Result<Option<Happened>> {
    if ctx.llm.is_code(DUEL, 0)? {
        let verdict = by_code::verdict(question, &a.text, &b.text);
        return Ok(Some(
            MatchEvent::Judged(RoundOutcome::Judged(verdict)).into(),
        ));
    }
    let answer = |answer: &DuelAnswer| {
        let measured = measured(&answer.text);
        json!({ "text": answer.text, "words": measured.words, "references": measured.references })
    };
    let rubric = question.rubric.iter();
    let rubric: Vec<Value> = rubric
        .map(|item| json!({ "kind": item.kind.word(), "text": item.text }))
        .collect();
    let vars = json!({
        "question": question.text,
        "least": question.length.least,
        "most": question.length.most,
        "rubric": rubric,
        "a": answer(a),
        "b": answer(b),
    });
    let ask = Ask {
        role: DUEL,
        prompt: VERDICT,
        vars: &vars,
        max_tokens: VERDICT_TOKENS,
        seed: ctx.seed,
        check: &|said: &Said| said.fits(question.rubric.len()),
        ..Ask::default()
    };
    let answered = ctx.llm.ask::<Said>(ask).await?;
    let outcome = match answered.value {
        Ok(said) => said.outcome(),
        Err(unscored) if unscored.cause == Cause::NotAsked => return Ok(None),
        Err(unscored) => RoundOutcome::Invalid(unscored),
    };
    Ok(Some(Happened {
        event: MatchEvent::Judged(outcome),
        call: Some(answered.call),
    }))
}
