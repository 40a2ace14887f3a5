//! A request to a judge: two items to compare, or a list of more to put in an order.

use crate::data::ItemId;

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
