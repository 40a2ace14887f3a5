//! Questions and verdicts by models: what they are shown, and what becomes of what they say. Where
//! a role is code, code answers instead ([`by_code`](super::by_code)).

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    DUEL, EXAMINE, Happened, by_code,
    round::Rounds,
    shown::{Shown, checked, shown},
};
use crate::{
    arena::{
        examiner::{length::measured, rubric::Tags},
        matches::replay::Replayed,
    },
    context::Context,
    data::{
        Cause, Side, Unscored,
        arena::{
            DraftQuestion, DuelLabel, DuelVerdict, Failure, FailureTag, ItemMark, MatchEvent, Met,
            Question, RoundOutcome, RubricItem, TieQuality, Wanted,
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

/// Characters of an answer that a judge is shown, for each word that it may have: three times what it
/// may say. Whoever writes on and on pays for it alone.
const SHOWN_A_WORD: usize = 20;

/// Who writes the questions and who judges: each a model with the hash of its prompt, or code.
pub fn by(ctx: &Context) -> Result<[String; 2]> {
    let by = |role: &str, prompt: &str| -> Result<String> {
        let name = ctx.llm.model_name(role, 0)?;
        if ctx.llm.is_code(role, 0)? {
            return Ok(name);
        }
        Ok(format!("{name} {}", &ctx.llm.prompt_hash(prompt)?[..12]))
    };
    Ok([by(EXAMINE, QUESTION)?, by(DUEL, VERDICT)?])
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
        // Where it has no other one, a question that came to no verdict comes again.
        let judged = || -> Vec<Question> {
            let judged = rounds.judged.values();
            judged.map(|(question, _)| question.clone()).collect()
        };
        let found = by_code::question(&pages, *length, &rounds.asked)
            .or_else(|_| by_code::question(&pages, *length, &judged()));
        return Ok(Some(found.map_or_else(
            |reasons| MatchEvent::Failed(Failure::Refused { reasons }).into(),
            |question| MatchEvent::Asked(question).into(),
        )));
    }
    let vars = json!({
        "chain": numbered(&pages, false),
        "targets": numbered(&pages, true),
        "earlier": rounds.asked.iter().map(|of| &of.text).collect::<Vec<_>>(),
        "most": (3 * targets.len()).clamp(8, 20),
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
        // What `check` refuses, in the last turn, too.
        Err(unscored) if unscored.cause == Cause::Inconsistent => {
            MatchEvent::Failed(Failure::Refused {
                reasons: vec![unscored.reason],
            })
        }
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
    /// What it comes to. What the loser lacks follows from the rubric's items; the judge's own word
    /// counts only where these do not tell, and stays on record with the call.
    fn outcome(&self, rubric: &[RubricItem]) -> RoundOutcome {
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
        let mut verdict = DuelVerdict {
            items: self.items.clone(),
            verdict,
            tie_quality: self.tie_quality,
            failure: self.failure,
            reason: self.reason.clone(),
        };
        verdict.failure = Tags::of(&verdict, rubric).deciding();
        RoundOutcome::Judged(verdict)
    }

    fn fits(&self, rubric: &[RubricItem]) -> Result<(), Unscored> {
        let RoundOutcome::Judged(verdict) = self.outcome(rubric) else {
            return Ok(());
        };
        let wrong = |reason: String| Unscored {
            cause: Cause::Inconsistent,
            reason,
        };
        verdict
            .validate(rubric.len())
            .map_err(|fault| wrong(fault.to_string()))?;
        contradiction(&verdict).map_or(Ok(()), |reason| Err(wrong(reason.to_owned())))
    }
}

/// How a verdict contradicts its own marks: a winner who meets less of the rubric and misses more
/// of it, or a good tie of which both miss most.
fn contradiction(verdict: &DuelVerdict) -> Option<&'static str> {
    let count = |side: fn(&ItemMark) -> Met, wanted: Met| {
        let items = verdict.items.iter();
        items.filter(|item| side(item) == wanted).count()
    };
    let of = |side| (count(side, Met::Met), count(side, Met::Missed));
    let (a, b) = (of(|item| item.a), of(|item| item.b));
    let is_worse = |own: (usize, usize), other: (usize, usize)| own.0 < other.0 && own.1 > other.1;
    let winner_is_worse = match verdict.verdict.winner() {
        Some(Side::A) => is_worse(a, b),
        Some(Side::B) => is_worse(b, a),
        None => false,
    };
    if winner_is_worse {
        return Some("the winner meets fewer items of the rubric than the other, and misses more");
    }
    let most = |missed: usize| 2 * missed > verdict.items.len();
    let is_poor = verdict.tie_quality == Some(TieQuality::High) && most(a.1) && most(b.1);
    is_poor.then_some("a HIGH tie in which both answers miss most of the rubric")
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
    let most = SHOWN_A_WORD * question.length.most as usize;
    let answer = |answer: &DuelAnswer| {
        let measured = measured(&answer.text);
        let end = answer.text.char_indices().nth(most).map(|(at, _)| at);
        let text = &answer.text[..end.unwrap_or(answer.text.len())];
        json!({
            "text": text, "cut": end.is_some(),
            "words": measured.words, "references": measured.references
        })
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
        check: &|said: &Said| said.fits(&question.rubric),
        ..Ask::default()
    };
    let answered = ctx.llm.ask::<Said>(ask).await?;
    let outcome = match answered.value {
        Ok(said) => said.outcome(&question.rubric),
        Err(unscored) if unscored.cause == Cause::NotAsked => return Ok(None),
        Err(unscored) => RoundOutcome::Invalid(unscored),
    };
    Ok(Some(Happened {
        event: MatchEvent::Judged(outcome),
        call: Some(answered.call),
    }))
}
