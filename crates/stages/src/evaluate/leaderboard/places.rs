//! Who is complete, and which ranks agents have and could have. Hides ties, and what counts as
//! complete.

use super::{Measure, Row};
use crate::{data::MeasureDef, evaluate::measure};

/// Rows of a layout: complete agents, best first, and the others, which stand apart and have no
/// rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parted {
    /// The complete ones.
    pub complete: Vec<Vec<String>>,
    /// The others.
    pub incomplete: Vec<Vec<String>>,
}

impl Parted {
    /// Adds a row behind the others of its part.
    pub fn push(&mut self, is_complete: bool, row: Vec<String>) {
        if is_complete {
            self.complete.push(row);
        } else {
            self.incomplete.push(row);
        }
    }
}

/// The share of the scale that unscored judgements may leave open of a complete agent's value.
const OPEN: f64 = 0.1;

/// The row with whether its agent is complete by a measure; by its reports where there is none.
pub fn completed(row: Row, by: Option<&MeasureDef>) -> Row {
    let is_complete = match by {
        None => row.without_report == 0 && row.states.keys().all(|state| state == "ok"),
        Some(measure) => row
            .measure(measure.key)
            .is_some_and(|found| is_complete(found, measure)),
    };
    Row { is_complete, ..row }
}

/// Whether an agent is complete by a measure: each task has its value, and unscored judgements
/// leave at most a tenth of the scale open.
fn is_complete(found: &Measure, measure: &MeasureDef) -> bool {
    let most = measure.most.unwrap_or(f64::INFINITY);
    let open = found.bounds().map_or(0.0, |(low, high)| high - low);
    found.is_complete() && open <= OPEN * most
}

/// The same of an agent's row, by the key of the measure.
pub fn is_complete_by(row: &Row, key: &str) -> bool {
    let (found, measure) = (row.measure(key), measure(key));
    found
        .zip(measure)
        .is_some_and(|(found, measure)| is_complete(found, measure))
}

/// Ranks the complete agents by a measure of which more is better, and says which ranks each agent
/// could have. Values that are equal share a rank, so that no name decides on one.
pub fn rank(rows: &mut [Row], measure: &MeasureDef) {
    let values: Vec<Option<f64>> = rows
        .iter()
        .map(|row| row.value(measure.key).filter(|_| row.is_complete))
        .collect();
    let ends: Vec<Option<(f64, f64)>> = rows.iter().map(|row| ends(row, measure)).collect();
    for (at, row) in rows.iter_mut().enumerate() {
        let others = || {
            let others = ends.iter().enumerate().filter(move |(of, _)| *of != at);
            others.filter_map(|(_, ends)| *ends)
        };
        row.rank = values[at].map(|own| below(values.iter().flatten(), |other| **other > own));
        row.possible_ranks = ends[at].map(|(low, high)| {
            let best = below(others(), |other| other.0 > high);
            (best, below(others(), |other| other.1 > low))
        });
    }
}

/// The least and the largest possible value of an agent.
fn ends(row: &Row, measure: &MeasureDef) -> Option<(f64, f64)> {
    let found = row.measure(measure.key)?;
    match found.value {
        // Its bounds are the same sum, added up in another order.
        Some(value) if row.is_complete && !found.is_open() => Some((value, value)),
        _ => found.bounds(),
    }
}

/// The rank below so many.
fn below<T>(others: impl Iterator<Item = T>, is_above: impl Fn(&T) -> bool) -> u32 {
    1 + others.filter(is_above).count() as u32
}
