//! Results of battles: the history of a tournament, `all_debate_history.jsonl`, and what a
//! dashboard made of it, `battles.json`, `leaderboard.json`, `pairwise.json`,
//! `failure-profiles.json`.

use serde_json::{Number, Value};

use super::{Content, Fault, Field, FieldPath, FileRead, Named, Object, Problem, Shape, Spot};
use crate::{benchmarks::fields::record, text::records};

const LINE_HINT: &str = "the line is left out; a last line that is cut off was being written";
const FIELD_HINT: &str = "the field is kept as it stands and left out of every figure; mend it";

record! {
    /// Line of a history.
    HistoryLine {
        /// The tree and both agents, in the order of the pairing, whoever sat where.
        gamekey: Vec<Field<String>>,
        /// How it went, in the order of the seats.
        result: HistoryResult,
        /// When and in which round it was played.
        meta: Value,
    }
}

record! {
    /// Result of a battle in the order of the seats.
    HistoryResult {
        /// Points of seat A.
        score_a: Number,
        /// Points of seat B.
        score_b: Number,
        /// `Agent A (model)`, `Agent B (model)` or `Tie`.
        winner: String,
        /// Rounds.
        rounds: u64,
    }
}

/// A history: each line that is an object, with its number from 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The lines.
    pub lines: Vec<(usize, HistoryLine)>,
}

impl History {
    /// Reads the lines of a file; broken ones are problems and lose no others.
    pub fn read(file: &str, bytes: &[u8]) -> FileRead<Self> {
        let mut history = Self::default();
        let mut problems = Vec::new();
        let mut problem = |spot, why, hint| {
            problems.push(Problem {
                file: file.to_owned(),
                spot,
                why,
                hint,
            });
        };
        for (line, record) in records::read(bytes) {
            let read = record.and_then(|object| {
                HistoryLine::from_json(object.into()).map_err(|_| "not an object".to_owned())
            });
            let read = match read {
                Ok(read) => read,
                Err(why) => {
                    problem(Spot::Line(line), why, LINE_HINT);
                    continue;
                }
            };
            let mut faults = Vec::new();
            read.faults(&mut FieldPath::default(), &mut faults);
            for fault in faults {
                let spot = Spot::LineField(line, fault.path.clone());
                problem(spot, fault.to_string(), FIELD_HINT);
            }
            history.lines.push((line, read));
        }
        FileRead {
            value: history,
            problems,
        }
    }
}

/// `battles.json`.
pub type Battles = Vec<Field<Battle>>;

impl Content for Battles {
    const NEEDED: &'static [&'static str] = &[];
}

record! {
    /// A battle as the dashboard lists it.
    Battle {
        /// Its name.
        id: String,
        /// Its replay.
        replay_id: String,
        /// The tree.
        tree_id: String,
        /// An agent.
        model_a: String,
        /// The other one.
        model_b: String,
        /// Points of whoever sat in seat A.
        score_a: Number,
        /// Points of whoever sat in seat B.
        score_b: Number,
        /// The winner's name; null for a tie.
        winner: Value,
        /// Rounds.
        rounds: u64,
        /// `onboarding`, or absent.
        kind ("type"): String,
        /// Round of the tournament.
        round: u64,
        /// When it was played.
        timestamp: String,
        /// Which logs it comes from.
        source_group: String,
    }
}

/// `leaderboard.json`.
pub type Leaderboard = Vec<Field<LeaderboardRow>>;

impl Content for Leaderboard {
    const NEEDED: &'static [&'static str] = &[];
}

record! {
    /// Row of the leaderboard.
    LeaderboardRow {
        /// Its place.
        rank: u64,
        /// The agent.
        model: String,
        /// Its rating.
        elo: Number,
        /// Its battles.
        matches: u64,
        /// Battles won.
        wins: u64,
        /// Battles lost.
        losses: u64,
        /// Battles without a winner.
        ties: u64,
    }
}

record! {
    /// `pairwise.json`.
    Pairwise {
        /// The agents.
        models: Vec<Field<String>>,
        /// Share of battles that the agent of a row won against that of a column.
        matrix: Vec<Value>,
        /// Battles of both.
        counts: Vec<Value>,
    }
}

impl Content for Pairwise {
    const NEEDED: &'static [&'static str] = &["models"];
}

record! {
    /// `failure-profiles.json`.
    FailureProfiles {
        /// By agent.
        models: Named<FailureProfile>,
        /// Of all agents.
        population_average: Value,
        /// How much was counted.
        coverage: Value,
    }
}

impl Content for FailureProfiles {
    const NEEDED: &'static [&'static str] = &["models"];
}

record! {
    /// What an agent lacked in the rounds that it did not win.
    FailureProfile {
        /// How often, by tag.
        counts: FailureCounts,
        /// All of them.
        total: u64,
        /// Shares by tag.
        distribution: Value,
    }
}

record! {
    /// Tags of failures, counted.
    FailureCounts {
        /// Which thing it was.
        deep ("DEEP"): u64,
        /// Attributes.
        wide ("WIDE"): u64,
        /// Both.
        both ("BOTH"): u64,
        /// Neither.
        none ("NONE"): u64,
    }
}
