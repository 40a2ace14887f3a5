//! What the events of a match say in the end: the rounds with their verdicts, and who won. Computed
//! on every read; nothing of it is stored.

use super::{
    matches::stop::{MatchResult, StopRule, Tally, grade},
    profile::{FailureKind, JudgedRound},
};
use crate::{
    arena::examiner::rubric::Tags,
    data::{
        Side,
        arena::{
            AnswerFacts, DuelVerdict, EndCause, Failure, FailureTag, MatchEvent, MatchRules,
            Question, RoundOutcome, Score, Wanted,
        },
    },
    stats::pairwise::Grade,
};

/// A round of a match, judged or failed.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundRecord {
    /// The question, where there was one.
    pub question: Option<Question>,
    /// The answers, A first, where they were judged.
    pub answers: Option<[AnswerFacts; 2]>,
    /// How it ended; none while it is being played.
    pub end: Option<RoundEnd>,
    /// The level of the page that it is about, where the root is 1.
    pub depth: u32,
    /// Pages that it asks about.
    pub width: u32,
}

/// How a round ended.
#[derive(Clone, Debug, PartialEq)]
pub enum RoundEnd {
    /// The judge was asked.
    Judged(RoundOutcome),
    /// It came to no verdict.
    Failed(Failure),
}

/// A match as its events tell it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchRecord {
    /// The agents in their seats.
    pub agents: [String; 2],
    /// Who wrote the questions and who judged.
    pub by: [String; 2],
    /// Its bounds; none before it has begun.
    pub rules: Option<MatchRules>,
    /// All rounds in their order.
    pub rounds: Vec<RoundRecord>,
    /// Expansions of the tree.
    pub expansions: u32,
    /// Why it ended, the points, and the winner's seat; none while it is being played.
    pub end: Option<(EndCause, Score, Option<Side>)>,
}

impl MatchRecord {
    /// The record of these events.
    pub fn of(events: &[MatchEvent]) -> Self {
        let mut record = Self::default();
        let (mut open, mut place) = (None, (0, 0));
        let mut answers = Vec::new();
        for event in events {
            match event {
                MatchEvent::Started {
                    agents, by, rules, ..
                } => {
                    (record.agents, record.by) = (agents.clone(), by.clone());
                    record.rules = Some(*rules);
                }
                MatchEvent::Expanded(_) => record.expansions += 1,
                MatchEvent::Asked(question) => {
                    open = Some(question.clone());
                    answers.clear();
                }
                MatchEvent::Answered { answer, .. } => answers.push(answer.clone()),
                MatchEvent::Judged(outcome) => {
                    let both = std::mem::take(&mut answers).try_into().ok();
                    record.close(place, open.take(), both, RoundEnd::Judged(outcome.clone()));
                }
                MatchEvent::Failed(failure) => {
                    record.close(place, open.take(), None, RoundEnd::Failed(failure.clone()));
                }
                MatchEvent::Wanted(Wanted::End {
                    cause,
                    score,
                    winner,
                }) => record.end = Some((*cause, *score, *winner)),
                MatchEvent::Wanted(Wanted::Question { path, targets, .. }) => {
                    place = (path.len() as u32, targets.len() as u32);
                }
                MatchEvent::Wanted(Wanted::Expansion { .. }) => {}
            }
        }
        // Counted again: what a match says of its own end is not believed.
        let tally = record.tally();
        let counted = record.rule().result(&tally).winner();
        if let Some((_, said, winner)) = &mut record.end {
            let (a, b) = tally.points();
            (*said, *winner) = (Score { a, b }, counted);
        }
        if let Some(question) = open {
            record.rounds.push(RoundRecord {
                question: Some(question),
                answers: None,
                end: None,
                depth: place.0,
                width: place.1,
            });
        }
        record
    }

    fn close(
        &mut self,
        (depth, width): (u32, u32),
        question: Option<Question>,
        answers: Option<[AnswerFacts; 2]>,
        end: RoundEnd,
    ) {
        self.rounds.push(RoundRecord {
            question,
            answers,
            end: Some(end),
            depth,
            width,
        });
    }

    /// What ends it.
    fn rule(&self) -> StopRule {
        self.rules.as_ref().map(StopRule::of).unwrap_or_default()
    }

    fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for grade in self.grades() {
            tally.add(Some(grade));
        }
        tally
    }

    /// Questions that an agent did not answer, by seat.
    pub fn unanswered(&self) -> [u64; 2] {
        let mut unanswered = [0; 2];
        for round in &self.rounds {
            match &round.end {
                Some(RoundEnd::Failed(Failure::Answers { .. })) => {
                    unanswered = unanswered.map(|n| n + 1);
                }
                Some(RoundEnd::Failed(Failure::Answer { side, .. })) => {
                    unanswered[usize::from(*side == Side::B)] += 1;
                }
                _ => {}
            }
        }
        unanswered
    }

    /// The verdicts in their order.
    pub fn grades(&self) -> Vec<Grade> {
        self.verdicts()
            .map(|(_, verdict)| grade(verdict.verdict))
            .collect()
    }

    fn verdicts(&self) -> impl Iterator<Item = (&RoundRecord, &DuelVerdict)> {
        self.rounds.iter().filter_map(|round| match &round.end {
            Some(RoundEnd::Judged(RoundOutcome::Judged(verdict))) => Some((round, verdict)),
            _ => None,
        })
    }

    /// The result; the cause in one word where a match that has ended has none. A match without a
    /// single verdict says nothing of the two, and neither does one that ended because answers or
    /// verdicts failed; one whose examiner knew no further question has the points of its rounds.
    pub fn result(&self) -> Option<Result<MatchResult, &'static str>> {
        let (cause, ..) = self.end?;
        let failed = cause == EndCause::Failures && !self.only_questions_failed();
        if failed || self.verdicts().next().is_none() {
            return Some(Err(cause.word()));
        }
        Some(Ok(self.rule().result(&self.tally())))
    }

    fn only_questions_failed(&self) -> bool {
        self.rounds.iter().all(|round| {
            matches!(
                round.end,
                Some(
                    RoundEnd::Judged(RoundOutcome::Judged(_))
                        | RoundEnd::Failed(Failure::Question(_) | Failure::Refused { .. })
                )
            )
        })
    }

    /// The judged rounds, for profiles. What the loser lacks follows from the rubric's items, else
    /// it is the judge's word.
    pub fn judged(&self) -> Vec<JudgedRound> {
        let rounds = self.verdicts().map(|(round, verdict)| {
            let rubric = round.question.as_ref().map_or(&[][..], |of| &of.rubric);
            let answers = round.answers.as_ref();
            let both = |of: fn(&AnswerFacts) -> u32| {
                answers.map(|[a, b]| (u64::from(of(a)), u64::from(of(b))))
            };
            JudgedRound {
                first: self.agents[0].clone(),
                second: self.agents[1].clone(),
                grade: grade(verdict.verdict),
                kind: Some(kind(Tags::of(verdict, rubric).deciding())),
                words: both(|answer| answer.words),
                references: both(|answer| answer.references),
            }
        });
        rounds.collect()
    }
}

fn kind(tag: FailureTag) -> FailureKind {
    match tag {
        FailureTag::Deep => FailureKind::Deep,
        FailureTag::Wide => FailureKind::Wide,
        FailureTag::Both => FailureKind::Both,
        FailureTag::None => FailureKind::None,
    }
}
