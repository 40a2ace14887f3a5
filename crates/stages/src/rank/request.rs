//! A request to a judge: two items to compare, or a list of more to put in an order.

use serde_json::{Value, json};

use super::items::Items;
use crate::{
    data::{Instrument, ItemId},
    store::pair_instrument,
};

/// The items that a judge is shown, in this order. The fields' order is that of requests: those
/// with the same first item follow each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ComparisonRequest {
    pub shown: Vec<ItemId>,
    /// 0, or more where the same question is asked again.
    pub sample: u32,
    /// Number of the batch or round: it keeps the order in which verdicts were asked for.
    pub round: u32,
}

/// A pair as it is put to a judge, and what its judgement is kept under.
pub(super) struct Asked<'a> {
    pub instrument: Instrument,
    /// What is judged, and what it is judged against.
    pub subject: &'a str,
    pub other: &'a str,
    /// What the judge sees: `a` and `b`.
    pub vars: &'a Value,
    /// 0, or more where the same question is asked again.
    pub sample: u32,
    /// What is kept beside the reply: a JSON object.
    pub keep: Value,
}

/// A pair of the ranking as a question.
pub(super) fn asked<'a>(
    items: &Items,
    request: &'a ComparisonRequest,
    vars: &'a Value,
) -> Asked<'a> {
    Asked {
        instrument: pair_instrument(items.kind),
        subject: request.shown[0].as_str(),
        other: request.shown[1].as_str(),
        vars,
        sample: request.sample,
        keep: json!({ "round": request.round }),
    }
}
