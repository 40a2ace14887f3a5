//! What a grading block proves: the number of listed issues, the judged items, the totals of both
//! orders. Stored scores, counts and winners are no facts; where the facts are missing there is a
//! cause and no number.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Number;

use super::{
    Criterion,
    depth::{Dimensions, Pair, Totals},
    files::{
        Block, ChecklistBlock, Comparison, DepthBlock, DimensionScores, Field, IssueBlock, Order,
        Report, bare_id,
    },
    rubric::issue_score,
};

/// Number of items of presentation.
pub const PRESENTATION_ITEMS: u64 = 10;

/// Model of the reference reports where no file names it.
pub const REFERENCE_MODEL: &str = "open-deep-research";

/// Why a report has no score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// It has no grading block.
    Ungraded,
    /// Its block is no object.
    BrokenBlock,
    /// Its block says that grading failed.
    GradingFailed,
    /// Its block lists no issues, not even none.
    NoIssueList,
    /// Items of the checklist were not judged.
    ItemsMissing,
    /// An item's score is neither 0 nor 1.
    ItemUnread,
    /// The length of the query's checklist is not known.
    ChecklistUnknown,
    /// Only one order was compared.
    OneOrder,
    /// A dimension has no score from 0 to 5.
    DimensionsUnread,
    /// The block is about another model's report.
    OtherModel,
    /// The same block stands with several models, so that nobody can tell whose it is.
    Copied,
    /// The report stands in the file twice, with different grades.
    Conflicting,
}

impl Cause {
    /// The word that is stored and shown.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ungraded => "ungraded",
            Self::BrokenBlock => "broken_block",
            Self::GradingFailed => "grading_failed",
            Self::NoIssueList => "no_issue_list",
            Self::ItemsMissing => "items_missing",
            Self::ItemUnread => "item_unread",
            Self::ChecklistUnknown => "checklist_unknown",
            Self::OneOrder => "one_order",
            Self::DimensionsUnread => "dimensions_unread",
            Self::OtherModel => "other_model",
            Self::Copied => "copied",
            Self::Conflicting => "conflicting",
        }
    }
}

/// What the files do not say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// Number of checklist items by bare id of the query. Without an entry the block's own
    /// `total_checklists` counts.
    pub checklists: BTreeMap<String, u64>,
    /// Criteria that were asked. Empty: those that any report of the file has a block of.
    pub criteria: Vec<Criterion>,
    /// Model of the reference reports. None: the one that the blocks name.
    pub reference: Option<String>,
}

impl Known {
    /// Number of items that a checklist block should judge.
    pub fn items(
        &self,
        criterion: Criterion,
        report: &Report,
        block: &ChecklistBlock,
    ) -> Option<u64> {
        if criterion == Criterion::Presentation {
            return Some(PRESENTATION_ITEMS);
        }
        let query = report.query_id.get().map(super::files::QueryId::bare);
        let listed = query.and_then(|query| {
            let prefixed = || self.checklists.get(&format!("qid_{query}"));
            self.checklists.get(bare_id(&query)).or_else(prefixed)
        });
        let stored = || block.summary.get()?.total_checklists.get();
        listed.or_else(stored).copied().filter(|items| *items > 0)
    }
}

/// The facts of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fact {
    /// Number of listed issues.
    Issues(usize),
    /// Items with 1, of all.
    Passed(u64, u64),
    /// Totals of both orders.
    Pair(Pair),
}

impl Fact {
    /// Score 0–100; a single comparison with the reference has none.
    pub fn score(self) -> Option<f64> {
        match self {
            Self::Issues(issues) => Some(f64::from(issue_score(issues))),
            Self::Passed(passed, of) => Some(100.0 * passed as f64 / of as f64),
            Self::Pair(_) => None,
        }
    }
}

/// The fact of a report under a criterion, or why there is none.
pub fn fact(report: &Report, criterion: Criterion, known: &Known) -> Result<Fact, Cause> {
    let block = report.block(criterion);
    if block.error().is_some() {
        return Err(Cause::GradingFailed);
    }
    match block {
        Block::Absent => Err(Cause::Ungraded),
        Block::Broken(_) => Err(Cause::BrokenBlock),
        Block::Issues(block) => issues(block).map(Fact::Issues),
        Block::Checklist(block) => {
            let of = known.items(criterion, report, block);
            let of = of.ok_or(Cause::ChecklistUnknown)?;
            passed(block, criterion, of).map(|passed| Fact::Passed(passed, of))
        }
        Block::Depth(block) => {
            let evaluated = block.evaluated_model.get();
            if evaluated.is_some_and(|model| report.model_name.get() != Some(model)) {
                return Err(Cause::OtherModel);
            }
            pair(block).map(Fact::Pair)
        }
    }
}

/// Whether a report's block scores as it stands.
pub fn usable(report: &Report, criterion: Criterion) -> bool {
    fact(report, criterion, &Known::default()).is_ok()
}

fn issues(block: &IssueBlock) -> Result<usize, Cause> {
    block
        .specific_issues
        .get()
        .map(Vec::len)
        .ok_or(Cause::NoIssueList)
}

/// Place of a key among the items of a checklist, from 1: `p3` is 3 for presentation. None for a
/// key that is not of the checklist's `of` items.
pub fn item_number(key: &str, criterion: Criterion, of: u64) -> Option<u64> {
    let letter = match criterion {
        Criterion::Presentation => "p",
        _ => "q",
    };
    let digits = key.strip_prefix(letter)?;
    let number: u64 = digits.parse().ok()?;
    // `p03` and `p+3` parse, too, but are other keys.
    ((1..=of).contains(&number) && digits == number.to_string()).then_some(number)
}

/// The judgement of an item: whether the report meets it, none for a score but 0 and 1.
pub fn item_met(score: &Field<Number>) -> Option<bool> {
    match score.get()?.as_f64()? {
        0.0 => Some(false),
        1.0 => Some(true),
        _ => None,
    }
}

fn passed(block: &ChecklistBlock, criterion: Criterion, of: u64) -> Result<u64, Cause> {
    let (mut judged, mut passed) = (0, 0);
    let items = block.evaluations.get().ok_or(Cause::ItemsMissing)?;
    for (key, item) in &items.0 {
        if item_number(key, criterion, of).is_none() {
            continue;
        }
        judged += 1;
        let met = item.get().and_then(|item| item_met(&item.score));
        passed += u64::from(met.ok_or(Cause::ItemUnread)?);
    }
    // Keys of an object are different, so that as many keys as items are all of them.
    if judged == of {
        Ok(passed)
    } else {
        Err(Cause::ItemsMissing)
    }
}

fn pair(block: &DepthBlock) -> Result<Pair, Cause> {
    let totals = |order| {
        let (_, comparison) = block.comparison(order);
        let comparison = comparison.get().ok_or(Cause::OneOrder)?;
        totals(comparison, order).ok_or(Cause::DimensionsUnread)
    };
    let first = totals(Order::EvaluatedFirst);
    let second = totals(Order::ReferenceFirst);
    if first == Err(Cause::OneOrder) && second == Err(Cause::OneOrder) {
        return Err(Cause::DimensionsUnread);
    }
    Ok(Pair {
        first: first?,
        second: second?,
    })
}

/// Totals of a comparison, recomputed from the dimensions.
pub fn totals(comparison: &Comparison, order: Order) -> Option<Totals> {
    let scores = comparison.scores.get()?;
    let a = dimensions(scores.a.get()?)?.total();
    let b = dimensions(scores.b.get()?)?.total();
    let (evaluated, reference) = match order {
        Order::EvaluatedFirst => (a, b),
        Order::ReferenceFirst => (b, a),
    };
    Some(Totals {
        evaluated,
        reference,
    })
}

/// The five scores of a report, none unless each lies in its range.
pub fn dimensions(scores: &DimensionScores) -> Option<Dimensions> {
    let number = |field: &Field<Number>| field.get()?.as_f64();
    let dimensions = Dimensions {
        granularity: number(&scores.granularity)?,
        insight: number(&scores.insight)?,
        critique: number(&scores.critique)?,
        evidence: number(&scores.evidence)?,
        density: number(&scores.density)?,
    };
    dimensions.in_range().then_some(dimensions)
}
