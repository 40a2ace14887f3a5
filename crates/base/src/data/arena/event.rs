//! The events of a match, one a line of JSON. They say all that happened and all that was chosen,
//! so that whoever reads them needs no model, no page and no random numbers to know every score.

use serde::{Deserialize, Serialize};

use super::{AnswerLength, Link, Node, Question, RoundOutcome};
use crate::data::{InfoTreeId, MatchId, NodeId, ReportId, Side, Unscored};

/// Points of both agents.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Score {
    /// Of the agent in seat A.
    pub a: u32,
    /// Of the agent in seat B.
    pub b: u32,
}

impl Score {
    /// Who has more points; none where both have as many.
    pub fn leader(self) -> Option<Side> {
        match self.a.cmp(&self.b) {
            std::cmp::Ordering::Greater => Some(Side::A),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Less => Some(Side::B),
        }
    }

    /// Points between the two.
    pub fn margin(self) -> u32 {
        self.a.abs_diff(self.b)
    }

    /// The points with the seats changed.
    #[must_use]
    pub fn mirrored(self) -> Self {
        Self {
            a: self.b,
            b: self.a,
        }
    }
}

/// What ends a match before its rounds are over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// One leads by so many points.
    Margin(u32),
    /// The verdicts are evidence enough.
    Test(SequentialTest),
}

/// A sequential test of who is better, in thousandths, so that bounds are the same or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequentialTest {
    /// Share of the decisive rounds that the better one wins at least, above one half: closer ones
    /// may be taken for each other more often than the error says.
    pub superiority: u32,
    /// Share of matches at most that name the worse one, below one half.
    pub error: u32,
}

impl Default for SequentialTest {
    /// One error in ten where the better one wins seven decisive rounds of ten.
    fn default() -> Self {
        Self {
            superiority: 700,
            error: 100,
        }
    }
}

/// Bounds of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchRules {
    /// Pages that the first question asks about; the width never falls below it.
    pub start_width: u32,
    /// What ends it before that.
    #[serde(flatten)]
    pub stop: Stop,
    /// Rounds with a verdict at most.
    pub most_rounds: u32,
    /// Expansions of the tree at most.
    pub most_expansions: u32,
    /// Rounds that failed at most, in the whole match.
    pub most_failures: u32,
    /// Failures in a row at one place before another is chosen.
    pub failures_at_place: u32,
    /// Pages that going deeper fetches at most.
    pub depth_pages: u32,
}

impl Default for MatchRules {
    /// The benchmark's figures: width 2, margin 2, 10 rounds, 3 pages a step down; 8 expansions as
    /// its fork has it.
    fn default() -> Self {
        Self {
            start_width: 2,
            stop: Stop::Margin(2),
            most_rounds: 10,
            most_expansions: 8,
            most_failures: 10,
            failures_at_place: 2,
            depth_pages: 3,
        }
    }
}

/// Why the tree is expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// More pages beside the current one.
    Width,
    /// Pages below the current one.
    Depth,
}

/// Why a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndCause {
    /// One leads by the margin.
    Margin,
    /// All rounds were played.
    RoundLimit,
    /// No page is left to ask about.
    TreeExhausted,
    /// Too many rounds failed.
    Failures,
    /// The sequential test knows who is better.
    Evidence,
}

impl EndCause {
    /// The word that is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::Margin => "margin",
            Self::RoundLimit => "round_limit",
            Self::TreeExhausted => "tree_exhausted",
            Self::Failures => "failures",
            Self::Evidence => "evidence",
        }
    }
}

/// What a match needs next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "wants")]
pub enum Wanted {
    /// A question about pages, two answers and a verdict.
    Question {
        /// Rounds with a verdict once this one has its own, from 1.
        round: u32,
        /// The way from the root to the current page.
        path: Vec<NodeId>,
        /// The pages that lead to the targets, two at most; none at the root.
        chain: Vec<NodeId>,
        /// The pages that it asks about, the current one first.
        targets: Vec<NodeId>,
        /// Words of an answer.
        length: AnswerLength,
        /// The earlier rounds that both agents are reminded of.
        history: Vec<u32>,
    },
    /// Pages of the web that the tree does not have yet.
    Expansion {
        /// The page whose links are followed.
        node: NodeId,
        /// What for.
        purpose: Purpose,
        /// Pages at most.
        pages: u32,
    },
    /// Nothing: the match is over.
    End {
        /// Why.
        cause: EndCause,
        /// The points.
        score: Score,
        /// Who won; none of a tie, and where a test had not decided.
        winner: Option<Side>,
    },
}

impl Wanted {
    /// The same with the seats changed.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::End {
                cause,
                score,
                winner,
            } => Self::End {
                cause,
                score: score.mirrored(),
                winner: winner.map(other),
            },
            alike => alike,
        }
    }
}

fn other(side: Side) -> Side {
    match side {
        Side::A => Side::B,
        Side::B => Side::A,
    }
}

/// An expansion of the tree, as it went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expansion {
    /// The page whose links were followed.
    pub node: NodeId,
    /// What for.
    pub purpose: Purpose,
    /// The page's links, where the tree does not say them: which pages come next follows from them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<Link>>,
    /// The new pages, those that could not be fetched included; none where there was nothing.
    pub added: Vec<Node>,
}

/// A round that came to no verdict. It is no round of the match, and nobody's loss.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "failed")]
pub enum Failure {
    /// There is no question.
    Question(Unscored),
    /// The question broke rules that code checks, such as that of leaks.
    Refused {
        /// Each broken rule, for people.
        reasons: Vec<String>,
    },
    /// One agent has no answer.
    Answer {
        /// Which.
        side: Side,
        /// Why.
        why: Unscored,
    },
    /// Neither agent has an answer.
    Answers {
        /// Why A has none.
        a: Unscored,
        /// Why B has none.
        b: Unscored,
    },
}

impl Failure {
    /// The failure with the seats changed.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        match self {
            Self::Answer { side, why } => Self::Answer {
                side: other(*side),
                why: why.clone(),
            },
            Self::Answers { a, b } => Self::Answers {
                a: b.clone(),
                b: a.clone(),
            },
            alike => alike.clone(),
        }
    }
}

/// What is kept of an answer beside its report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerFacts {
    /// The report.
    pub report: ReportId,
    /// Words of the body, counted by code.
    pub words: u32,
    /// References in its lists.
    pub references: u32,
}

/// An event of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum MatchEvent {
    /// The match began.
    Started {
        /// What its random numbers follow from.
        match_id: MatchId,
        /// The tree.
        tree: InfoTreeId,
        /// The agents in their seats, A first.
        agents: [String; 2],
        /// Who writes the questions and who judges, each a model with its prompt, or code.
        #[serde(default)]
        by: [String; 2],
        /// Its bounds.
        rules: MatchRules,
        /// The version of the program's own rules: of where a match goes after a verdict.
        #[serde(default = "first_version")]
        version: u32,
    },
    /// What is needed next.
    Wanted(Wanted),
    /// The tree was expanded.
    Expanded(Expansion),
    /// The question is there.
    Asked(Question),
    /// An agent answered.
    Answered {
        /// Which.
        side: Side,
        /// Its answer.
        answer: AnswerFacts,
    },
    /// The judge was asked.
    Judged(RoundOutcome),
    /// The round failed before it could be judged.
    Failed(Failure),
}

fn first_version() -> u32 {
    1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{
        Cause,
        arena::{DuelLabel, DuelVerdict, FailureTag, ItemMark, Met, TieQuality},
    };

    #[test]
    fn events_are_one_line_each_and_come_back() {
        let why = |reason: &str| Unscored {
            cause: Cause::Timeout,
            reason: reason.to_owned(),
        };
        let node = NodeId::from_parts(&["a"]);
        let events = [
            MatchEvent::Started {
                match_id: MatchId::from_parts(&["m"]),
                tree: InfoTreeId::from_parts(&["t"]),
                agents: ["one".into(), "二\n".into()],
                by: ["code/a".into(), "b/c 12ab".into()],
                rules: MatchRules::default(),
                version: 7,
            },
            MatchEvent::Wanted(Wanted::Expansion {
                node: node.clone(),
                purpose: Purpose::Depth,
                pages: 3,
            }),
            MatchEvent::Expanded(Expansion {
                node,
                purpose: Purpose::Depth,
                links: Some(Vec::new()),
                added: Vec::new(),
            }),
            MatchEvent::Failed(Failure::Answers {
                a: why("slow"),
                b: why("slower"),
            }),
            MatchEvent::Failed(Failure::Question(why("none"))),
            MatchEvent::Judged(RoundOutcome::Invalid(why("cut"))),
            MatchEvent::Judged(RoundOutcome::Judged(DuelVerdict {
                items: vec![ItemMark {
                    item: 1,
                    a: Met::Met,
                    b: Met::Unclear,
                }],
                verdict: DuelLabel::Tie,
                tie_quality: Some(TieQuality::High),
                failure: FailureTag::None,
                reason: "both".into(),
            })),
            MatchEvent::Judged(RoundOutcome::Abstained {
                reason: "unsure".into(),
            }),
            MatchEvent::Wanted(Wanted::End {
                cause: EndCause::Margin,
                score: Score { a: 2, b: 5 },
                winner: Some(Side::B),
            }),
        ];
        for event in events {
            let line = serde_json::to_string(&event).unwrap();
            assert!(!line.contains('\n'), "{line}");
            let read: MatchEvent = serde_json::from_str(&line).unwrap();
            assert_eq!(read, event, "{line}");
        }
    }

    #[test]
    fn seats_mirror() {
        let end = Wanted::End {
            cause: EndCause::Margin,
            score: Score { a: 2, b: 5 },
            winner: Some(Side::B),
        };
        let Wanted::End { score, winner, .. } = end.clone().mirrored() else {
            panic!("an end stays one");
        };
        assert_eq!((score, winner), (Score { a: 5, b: 2 }, Some(Side::A)));
        assert_eq!((score.leader(), score.margin()), (Some(Side::A), 3));
        assert_eq!(end.clone().mirrored().mirrored(), end);
    }
}
