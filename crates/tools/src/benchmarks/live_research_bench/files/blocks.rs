//! Grading blocks: the judgement of one report on one criterion, as the benchmark's files hold it.

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use super::field::{Fault, Field, FieldPath, Named, Object, Shape, record};
use crate::benchmarks::live_research_bench::depth::Decision;

record! {
    /// Block of a criterion with a checklist: presentation, coverage.
    ChecklistBlock {
        /// Provider of the judge.
        provider: String,
        /// The judge.
        model: String,
        /// When it was graded.
        graded_at: String,
        /// Why it was not graded; the other fields are empty then.
        error: String,
        /// Items by key: `p1` to `p10`, or `q1` and on.
        evaluations: Named<Item>,
        /// Figures that the grader derived.
        summary: ChecklistSummary,
    }
}

record! {
    /// Judgement of an item of a checklist.
    Item {
        /// 1 where the report meets it, 0 where not.
        score: Number,
        /// The judge's reason.
        justification: String,
    }
}

record! {
    /// Figures of a checklist block, under the names of presentation or of coverage.
    ChecklistSummary {
        /// Items of presentation.
        total_criteria: u64,
        /// Items of the query's checklist.
        total_checklists: u64,
        /// Sum of the scores.
        total_score: Number,
        /// Items with 1 (presentation).
        passed_count: Number,
        /// The others (presentation).
        failed_count: Number,
        /// Percentage of items with 1 (presentation).
        average_pass_rate: Number,
        /// Items with 1 (coverage).
        addressed_count: Number,
        /// The others (coverage).
        not_addressed_count: Number,
        /// Percentage of items with 1 (coverage).
        percentage_addressed: Number,
    }
}

record! {
    /// Block of a criterion that counts issues: consistency, citation.
    IssueBlock {
        /// Provider of the judge.
        provider: String,
        /// The judge.
        model: String,
        /// When it was graded.
        graded_at: String,
        /// Why it was not graded.
        error: String,
        /// The issues, each a quotation or a place.
        specific_issues: Vec<Value>,
        /// Their number, by the judge.
        total_issues: u64,
        /// The score, by the judge.
        score: Number,
        /// The judge's reason.
        justification: String,
    }
}

record! {
    /// Block of depth: two comparisons with the reference, in both orders.
    DepthBlock {
        /// Provider of the judge.
        provider: String,
        /// The judge.
        model: String,
        /// When it was graded.
        graded_at: String,
        /// Why it was not graded.
        error: String,
        /// Winner where the evaluated report stood first.
        winner_comparison_1: Winner,
        /// Winner where the reference stood first.
        winner_comparison_2: Winner,
        /// The judge's reasons.
        justification: Value,
        /// Whether both orders were asked.
        position_swap_used: bool,
        /// The first reply: A is the evaluated report.
        raw_comparison_1: Comparison,
        /// The second reply: A is the reference.
        raw_comparison_2: Comparison,
        /// `vs_reference`.
        comparison_type: String,
        /// Model of the reference report.
        reference_model: String,
        /// Model of the report that is graded.
        evaluated_model: String,
    }
}

record! {
    /// A judge's reply on two reports.
    Comparison {
        /// The deeper report.
        winner: Side,
        /// Scores of both.
        scores: SideScores,
        /// The judge's reason.
        justification: String,
        /// Flaws of both.
        major_flaws: SideFlaws,
    }
}

record! {
    /// Scores of two reports.
    SideScores {
        /// Of the report that stood first.
        a ("A"): DimensionScores,
        /// Of the report that stood second.
        b ("B"): DimensionScores,
    }
}

record! {
    /// Flaws of two reports.
    SideFlaws {
        /// Of the report that stood first.
        a ("A"): Vec<Value>,
        /// Of the report that stood second.
        b ("B"): Vec<Value>,
    }
}

record! {
    /// Scores of a report on the five dimensions, 0–5 each.
    DimensionScores {
        /// How finely the reasoning is broken down.
        granularity: Number,
        /// Implications and trade-offs.
        insight: Number,
        /// Assumptions questioned, alternatives weighed.
        critique: Number,
        /// How evidence serves the argument.
        evidence: Number,
        /// Analysis against filler.
        density: Number,
        /// Their sum, by the judge.
        total: Number,
    }
}

/// Winner of a comparison by role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Winner {
    /// The report that is graded.
    EvaluatedModel,
    /// The reference report.
    ReferenceModel,
    /// Neither.
    Tie,
}

impl Winner {
    /// The decision for the evaluated model.
    pub fn decision(self) -> Decision {
        match self {
            Self::EvaluatedModel => Decision::Win,
            Self::ReferenceModel => Decision::Loss,
            Self::Tie => Decision::Tie,
        }
    }
}

impl From<Decision> for Winner {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Win => Self::EvaluatedModel,
            Decision::Loss => Self::ReferenceModel,
            Decision::Tie => Self::Tie,
        }
    }
}

impl Shape for Winner {
    const KIND: &'static str = "`evaluated_model`, `reference_model` or `tie`";

    fn from_json(value: Value) -> Result<Self, Value> {
        Self::deserialize(&value).map_err(|_| value)
    }
}

/// Winner of a comparison by seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// The report that stood first.
    A,
    /// The report that stood second.
    B,
    /// Neither.
    #[serde(rename = "tie")]
    Tie,
}

impl Shape for Side {
    const KIND: &'static str = "`A`, `B` or `tie`";

    fn from_json(value: Value) -> Result<Self, Value> {
        Self::deserialize(&value).map_err(|_| value)
    }
}

/// The order of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// The evaluated report stood first: comparison 1.
    EvaluatedFirst,
    /// The reference stood first: comparison 2.
    ReferenceFirst,
}

impl Order {
    /// Both orders.
    pub const ALL: [Self; 2] = [Self::EvaluatedFirst, Self::ReferenceFirst];

    /// The number in the names of fields, 1 or 2.
    pub fn number(self) -> u8 {
        match self {
            Self::EvaluatedFirst => 1,
            Self::ReferenceFirst => 2,
        }
    }

    /// The decision of a seat's win for the evaluated model.
    pub fn decision(self, winner: Side) -> Decision {
        match (self, winner) {
            (_, Side::Tie) => Decision::Tie,
            (Self::EvaluatedFirst, Side::A) | (Self::ReferenceFirst, Side::B) => Decision::Win,
            _ => Decision::Loss,
        }
    }
}

impl DepthBlock {
    /// The stored winner and the reply of an order.
    pub fn comparison(&self, order: Order) -> (&Field<Winner>, &Field<Comparison>) {
        match order {
            Order::EvaluatedFirst => (&self.winner_comparison_1, &self.raw_comparison_1),
            Order::ReferenceFirst => (&self.winner_comparison_2, &self.raw_comparison_2),
        }
    }
}
