//! The rounds of a match so far, and the answers of the open one.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use serde_json::Map;

use super::Players;
use crate::{
    agents::{Agent, Attempt, Query},
    arena::{examiner::length::measured, matches::replay::Replayed},
    context::together,
    data::{
        Cause, Exchange, ReportId, Side, State, Unscored,
        arena::{AnswerFacts, Failure, MatchEvent, Question, RoundOutcome, Wanted},
    },
    store::{DuelAnswer, DuelHead},
    text::words::is_han,
};

/// What the events say of the rounds.
#[derive(Clone, Debug, Default)]
pub struct Rounds {
    /// All questions so far, those that came to no verdict included.
    pub asked: Vec<Question>,
    /// Attempts at a question that agents were asked, from 1 for the first.
    pub attempts: u32,
    /// Attempts at having a question written, the failed ones included.
    pub tries: u32,
    /// The question that waits for answers or a verdict.
    pub open: Option<Question>,
    /// Who answered it.
    pub answered: Vec<Side>,
    /// By number of the round: the question, and which attempt it was.
    pub judged: BTreeMap<u32, (Question, u32)>,
}

impl Rounds {
    /// The rounds of these events.
    pub fn of(events: &[MatchEvent]) -> Self {
        let mut rounds = Self::default();
        for event in events {
            match event {
                MatchEvent::Asked(question) => {
                    rounds.asked.push(question.clone());
                    rounds.attempts += 1;
                    rounds.tries += 1;
                    rounds.open = Some(question.clone());
                    rounds.answered.clear();
                }
                MatchEvent::Answered { side, .. } => rounds.answered.push(*side),
                MatchEvent::Judged(outcome) => {
                    if let (RoundOutcome::Judged(_), Some(question)) = (outcome, &rounds.open) {
                        let number = rounds.judged.len() as u32 + 1;
                        let round = (question.clone(), rounds.attempts);
                        rounds.judged.insert(number, round);
                    }
                    rounds.open = None;
                    rounds.answered.clear();
                }
                MatchEvent::Failed(_) => {
                    rounds.tries += u32::from(rounds.open.is_none());
                    rounds.open = None;
                    rounds.answered.clear();
                }
                _ => {}
            }
        }
        rounds
    }
}

/// The answers of both seats to an attempt, as far as they are there.
pub fn both(answers: &[DuelAnswer], attempt: u32) -> [Option<&DuelAnswer>; 2] {
    [Side::A, Side::B].map(|side| {
        let mut answers = answers.iter();
        answers.find(|answer| answer.attempt == attempt && answer.side == side)
    })
}

/// Has both agents answer, both at once; what is on record is not asked for again. None where a
/// dry run only estimated it.
pub async fn answers(
    players: &Players<'_>,
    duel: &DuelHead,
    told: &Replayed<'_>,
    rounds: &Rounds,
    question: &Question,
) -> Result<Option<[DuelAnswer; 2]>> {
    let known = players.ctx.store.duel_answers(&duel.id)?;
    let history = |side: Side| -> Vec<Exchange> {
        let Wanted::Question { history, .. } = &told.wanted else {
            return Vec::new();
        };
        let rounds = history.iter().filter_map(|round| rounds.judged.get(round));
        let told = rounds.filter_map(|(question, attempt)| {
            let mut of = known.iter();
            let answer = of.find(|of| of.attempt == *attempt && of.side == side)?;
            Some(Exchange {
                question: question.text.clone(),
                answer: answer.text.clone(),
            })
        });
        told.collect()
    };
    let (of_a, of_b) = (history(Side::A), history(Side::B));
    let seat = |side: Side, at: usize, history| {
        let there = both(&known, rounds.attempts)[at].cloned();
        answer(
            players,
            duel,
            (side, at),
            (rounds.attempts, question, history),
            there,
        )
    };
    let (a, b) = together(seat(Side::A, 0, &of_a), seat(Side::B, 1, &of_b)).await;
    Ok(a?.zip(b?).map(|(a, b)| [a, b]))
}

async fn answer(
    players: &Players<'_>,
    duel: &DuelHead,
    (side, at): (Side, usize),
    (attempt, question, history): (u32, &Question, &[Exchange]),
    known: Option<DuelAnswer>,
) -> Result<Option<DuelAnswer>> {
    if known.is_some() {
        return Ok(known);
    }
    let folder = players
        .folder
        .join(duel.id.as_str())
        .join(format!("{attempt}-{}", side.word()));
    fs_err::create_dir_all(&folder)?;
    let agent: &dyn Agent = players.agents[at];
    let query = Query {
        id: question.id.as_str(),
        text: &question.text,
        language: language(&question.text),
        facets: &Map::new(),
        history,
        max_words: Some(question.length.most),
        attempt,
        folder: &folder,
    };
    let Some(attempted) = agent.answer(&query).await? else {
        return Ok(None);
    };
    if attempted.state != State::Ok && attempted.is_transient {
        // It may answer later: nobody's round, and nothing to keep.
        let message = attempted.message.lines().next().unwrap_or_default();
        bail!(
            "`{}` does not answer now: {message}\nhint: the same command goes on with the match",
            duel.agents[at]
        );
    }
    let answer = kept(duel, side, attempt, attempted);
    players.ctx.store.save_duel_answer(&duel.id, &answer)?;
    Ok(Some(answer))
}

fn kept(duel: &DuelHead, side: Side, attempt: u32, of: Attempt) -> DuelAnswer {
    let number = attempt.to_string();
    let id = [duel.id.as_str(), side.word(), &number, &of.text];
    DuelAnswer {
        id: ReportId::from_parts(&id),
        attempt,
        side,
        // An answer without a word is none, whatever its agent says of it.
        state: if of.state == State::Ok && of.text.trim().is_empty() {
            State::Empty
        } else {
            of.state
        },
        text: of.text,
        // Its hint is for another command.
        why: of.message.lines().next().unwrap_or_default().to_owned(),
        cost: of.cost,
    }
}

/// What the round comes to once both were asked: the first answer, or the failure. Nobody's
/// failure is judged as an answer.
pub fn first_of(answers: &[DuelAnswer; 2]) -> MatchEvent {
    let [a, b] = answers;
    match (without(a), without(b)) {
        (None, None) => answered(a),
        (Some(a), Some(b)) => MatchEvent::Failed(Failure::Answers { a, b }),
        (Some(why), None) => failed(Side::A, why),
        (None, Some(why)) => failed(Side::B, why),
    }
}

fn failed(side: Side, why: Unscored) -> MatchEvent {
    MatchEvent::Failed(Failure::Answer { side, why })
}

/// Why there is no answer; none where there is one.
fn without(answer: &DuelAnswer) -> Option<Unscored> {
    let cause = match answer.state {
        State::Ok => return None,
        State::Refused => Cause::Refused,
        State::Empty => Cause::Empty,
        State::Timeout => Cause::Timeout,
        State::Error => Cause::AgentFailed,
    };
    Some(Unscored {
        cause,
        reason: answer.why.clone(),
    })
}

/// An answer as an event.
pub fn answered(answer: &DuelAnswer) -> MatchEvent {
    let measured = measured(&answer.text);
    MatchEvent::Answered {
        side: answer.side,
        answer: AnswerFacts {
            report: answer.id.clone(),
            words: measured.words,
            references: measured.references,
        },
    }
}

/// The language of a question: Chinese where most of its letters are Han.
pub fn language(text: &str) -> &'static str {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let han = text.chars().filter(|c| is_han(*c)).count();
    if 2 * han > letters { "zh" } else { "en" }
}
