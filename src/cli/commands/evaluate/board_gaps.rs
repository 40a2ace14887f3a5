//! What is missing on a leaderboard in a terminal: who is not complete, and how far what is missing
//! could move each number and each rank.

use crate::{
    data::{InTable, MeasureDef},
    evaluate::{
        leaderboard::{Row, Table},
        measure, measures,
    },
};

/// The line in a table between the complete agents and the others; short, so that no column grows.
pub const APART: &str = "no rank:";

/// A line for each agent whose numbers or rank could be others; nothing where all is complete.
pub fn gaps(of: &Table) -> String {
    let lines: Vec<String> = of.agents.iter().filter_map(|row| line(of, row)).collect();
    if lines.is_empty() {
        return String::new();
    }
    let mut out = lines.join("\n");
    out.push_str(
        "\nfrom worst to best: what is missing at the ends of the scale; an agent's failed reports \
         count by each measure's own rule, as with --failed-as-zero\n",
    );
    let unbounded = unbounded(of);
    if !unbounded.is_empty() {
        let unbounded = unbounded.join(", ");
        out.push_str(&format!(
            "no worst and best, as no value is the largest: {unbounded}\n"
        ));
    }
    out
}

fn line(of: &Table, row: &Row) -> Option<String> {
    let open = shown().filter_map(|measure| range(measure, row));
    let mut parts: Vec<String> = open.collect();
    parts.extend(rank(of, row));
    if parts.is_empty() {
        if row.is_complete {
            return None;
        }
        parts.push("no value".to_owned());
    }
    let state = if row.is_complete {
        ""
    } else {
        ", not complete"
    };
    Some(format!("{}{state}: {}", row.agent, parts.join("; ")))
}

/// The measures that agents are ordered by or compared on.
fn shown() -> impl Iterator<Item = &'static MeasureDef> {
    measures().filter(|measure| measure.role.compares() && measure.in_table != InTable::Hidden)
}

fn range(measure: &MeasureDef, row: &Row) -> Option<String> {
    let found = row.measure(measure.key)?;
    // Of nobody's answer nothing is open: it is a measure that was not used.
    if !found.is_open() && found.is_complete() || found.n + found.failed_by_rule == 0 {
        return None;
    }
    let (worst, best) = (measure.print(found.worst), measure.print(found.best));
    let failed = match found.failed_by_rule {
        0 => String::new(),
        failed => format!(", {failed} failed"),
    };
    let (label, n, all) = (measure.label, found.n, found.of);
    Some(format!(
        "{label} from {worst} to {best} ({n} of {all}{failed})"
    ))
}

fn rank(of: &Table, row: &Row) -> Option<String> {
    let (best, worst) = row.possible_ranks?;
    let label = measure(of.tiers_by?)?.label;
    (best != worst || row.rank.is_none()).then(|| format!("rank by {label} from {best} to {worst}"))
}

fn unbounded(of: &Table) -> Vec<&'static str> {
    let shown = measures().filter(|measure| measure.in_table != InTable::Hidden);
    shown
        .filter(|measure| !measure.is_bounded())
        .filter(|measure| of.agents.iter().any(|row| row.value(measure.key).is_some()))
        .map(|measure| measure.label)
        .collect()
}
