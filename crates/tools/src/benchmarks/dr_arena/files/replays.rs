//! Replays, `battle-replays/<id>.json`, and the verdicts of all logs, `verdicts.json`.

use serde_json::{Number, Value};

use super::{Content, Fault, Field, FieldPath, Object, Shape};
use crate::benchmarks::fields::record;

record! {
    /// Replay of a battle, in the order of the seats.
    Replay {
        /// Its name.
        id: String,
        /// Which logs it comes from.
        source_group: String,
        /// The log.
        source_log: String,
        /// The tree.
        tree_id: String,
        /// Title of its root.
        tree_title: String,
        /// Its topic.
        tree_topic: String,
        /// The leaf of the taxonomy.
        tree_subtopic: String,
        /// When it was crawled.
        tree_crawled_at: String,
        /// Address of its root.
        tree_url: String,
        /// The agent in seat A.
        model_a: String,
        /// The agent in seat B.
        model_b: String,
        /// The winner's name; null for a tie.
        winner: Value,
        /// Points of seat A.
        final_score_a: Number,
        /// Points of seat B.
        final_score_b: Number,
        /// Rounds.
        total_rounds: u64,
        /// `onboarding`, or absent.
        kind ("type"): String,
        /// Round of the tournament.
        tournament_round: u64,
        /// Pairing of the round.
        pairing_index: u64,
        /// Whether one led by the margin.
        mercy_rule: bool,
        /// The topic that the examiner was told.
        overall_topic: String,
        /// All questions.
        questions: Vec<Field<String>>,
        /// All rounds in short.
        round_states: Vec<Field<RoundState>>,
        /// The last verdict.
        final_verdict: String,
        /// The last tag.
        final_failure_type: String,
        /// Tokens as the benchmark guesses them.
        total_tokens: Number,
        /// Cost as the benchmark guesses it.
        estimated_cost: Number,
        /// All rounds.
        rounds: Vec<Field<Box<ReplayRound>>>,
        /// Its name among the battles.
        summary_id: String,
    }
}

impl Content for Replay {
    const NEEDED: &'static [&'static str] = &["rounds"];
}

record! {
    /// A round in short.
    RoundState {
        /// Its number.
        round: u64,
        /// Level of the page, 1 for the root.
        depth: u64,
        /// Pages that it was to ask about.
        width: u64,
        /// The verdict.
        verdict: String,
        /// What the loser lacked.
        failure_type: String,
        /// Points of seat A after it.
        score_a: Number,
        /// Points of seat B after it.
        score_b: Number,
        /// What the loop did then.
        evolution_kind: String,
    }
}

record! {
    /// A round.
    ReplayRound {
        /// Its number.
        round: u64,
        /// Level of the page, 1 for the root.
        depth: u64,
        /// Pages that it was to ask about.
        width: u64,
        /// Titles from the root to the page.
        logic_chain: Vec<Field<String>>,
        /// The question.
        question: String,
        /// What the agents were told of length.
        word_limit_instruction: String,
        /// Attributes that an answer must have.
        checklist_width: Vec<Value>,
        /// What an answer must be about.
        checklist_depth: Vec<Value>,
        /// Why it was asked.
        rationale: String,
        /// Titles of the pages that it asks about.
        source_nodes: Vec<Value>,
        /// The beginning of what the examiner saw.
        meta_context_snippet: String,
        /// What the judge was told of length.
        judge_max_limit: u64,
        /// Answer of seat A.
        answer_a: String,
        /// Answer of seat B.
        answer_b: String,
        /// Seconds of A.
        duration_a_seconds: Number,
        /// Seconds of B.
        duration_b_seconds: Number,
        /// The verdict.
        verdict: String,
        /// Quality of a tie.
        tie_quality: String,
        /// What the loser lacked.
        failure_type: String,
        /// The judge's reason.
        judge_reasoning: String,
        /// Points of seat A after it.
        score_a: Number,
        /// Points of seat B after it.
        score_b: Number,
        /// What the loop did then.
        evolution: Evolution,
    }
}

record! {
    /// A step of the loop.
    Evolution {
        /// In words.
        summary: String,
        /// `mercy_rule`, `backtrack`, `pressure_test`, `increase_width` or `drill_down`.
        kind: String,
        /// Lines of the log.
        lines: Vec<Value>,
    }
}

/// `verdicts.json`.
pub type Verdicts = Vec<Field<VerdictLog>>;

impl Content for Verdicts {
    const NEEDED: &'static [&'static str] = &[];
}

record! {
    /// Verdicts of a log.
    VerdictLog {
        /// The battle.
        battle_id: String,
        /// Which logs it comes from.
        source_group: String,
        /// The tree.
        tree_id: String,
        /// The agent in seat A.
        model_a: String,
        /// The agent in seat B.
        model_b: String,
        /// The rounds.
        rounds: Vec<Field<VerdictRound>>,
    }
}

record! {
    /// Verdict of a round of a log.
    VerdictRound {
        /// Its number.
        round: u64,
        /// The verdict.
        verdict: String,
        /// Quality of a tie.
        tie_quality: String,
        /// What the loser lacked.
        failure_type: String,
        /// Points of seat A after it.
        score_a: Number,
        /// Points of seat B after it.
        score_b: Number,
    }
}
