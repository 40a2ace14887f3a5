//! Audit of a grading block: its stored figures against its own facts.

use serde_json::Number;

use super::{
    differ,
    finding::{Finding, Kind, Place},
};
use crate::benchmarks::live_research_bench::{
    Criterion,
    depth::Totals,
    facts::{self, item_met, item_number},
    files::{
        ChecklistBlock, ChecklistSummary, Comparison, DepthBlock, DimensionScores, Field,
        FieldPath, IssueBlock, Order, Shape, excerpt,
    },
    rubric::issue_score,
};

/// Keys that a finding names.
const MOST_KEYS: usize = 3;

/// Fields of another kind than the format says.
fn other_kinds(block: &impl Shape, place: &Place, findings: &mut Vec<Finding>) {
    let mut faults = Vec::new();
    block.faults(&mut FieldPath::default(), &mut faults);
    for fault in faults {
        let why = fault.to_string();
        findings.push(place.finding(Some(&fault.path), Kind::OtherKind { why }));
    }
}

fn value(field: &Field<Number>) -> Option<f64> {
    field.get()?.as_f64()
}

/// A field that is there and of another kind is its own finding already.
fn is_other<T>(field: &Field<T>) -> bool {
    matches!(field, Field::Other(value) if !value.is_null())
}

/// Issues: their number and the rubric's score.
pub fn issues(block: &IssueBlock, place: &Place, findings: &mut Vec<Finding>) {
    other_kinds(block, place, findings);
    let Some(listed) = block.specific_issues.get().map(Vec::len) else {
        if !is_other(&block.specific_issues) {
            findings.push(place.finding(Some("specific_issues"), Kind::FactsMissing));
        }
        return;
    };
    if let Some(stored) = block
        .total_issues
        .get()
        .copied()
        .filter(|n| *n != listed as u64)
    {
        let kind = Kind::IssuesMiscounted { stored, listed };
        findings.push(place.finding(Some("total_issues"), kind));
    }
    let rubric = issue_score(listed);
    if let Some(stored) = value(&block.score).filter(|s| differ(*s, f64::from(rubric))) {
        let kind = Kind::ScoreOffRubric {
            stored,
            rubric,
            issues: listed,
        };
        findings.push(place.finding(Some("score"), kind));
    }
}

/// A checklist of `of` items: its keys, its scores, its rate.
pub fn checklist(
    block: &ChecklistBlock,
    criterion: Criterion,
    of: Option<u64>,
    place: &Place,
    findings: &mut Vec<Finding>,
) {
    other_kinds(block, place, findings);
    let Some(items) = block.evaluations.get() else {
        if !is_other(&block.evaluations) {
            findings.push(place.finding(Some("evaluations"), Kind::FactsMissing));
        }
        return;
    };
    let Some(of) = of else {
        findings.push(place.finding(None, Kind::ChecklistUnknown));
        return;
    };
    let before = findings.len();
    let (mut judged, mut met, mut unread) = (0, 0, false);
    let mut unknown = Vec::new();
    for (key, item) in &items.0 {
        if item_number(key, criterion, of).is_none() {
            unknown.push(key);
            continue;
        }
        judged += 1;
        let score = item.get().map(|item| &item.score);
        if let Some(yes) = score.and_then(item_met) {
            met += u64::from(yes);
            continue;
        }
        unread = true;
        if !is_other(item) && !score.is_some_and(is_other) {
            let field = format!("evaluations.{key}.score");
            findings.push(place.finding(Some(&field), Kind::ItemUnread));
        }
    }
    if judged < of {
        let missing = of - judged;
        let kind = Kind::ItemsMissing { missing, of };
        findings.push(place.finding(Some("evaluations"), kind));
    }
    if !unknown.is_empty() {
        let kind = Kind::ItemsUnknown {
            unknown: unknown.len(),
            keys: unknown
                .iter()
                .take(MOST_KEYS)
                .map(|key| excerpt(key))
                .collect(),
        };
        findings.push(place.finding(Some("evaluations"), kind));
    }
    // A rate that is off because an item is has been found out by then.
    let items = (findings.len() == before && !unread).then(|| 100.0 * met as f64 / of as f64);
    rate(block.summary.get(), criterion, items, place, findings);
}

fn rate(
    summary: Option<&ChecklistSummary>,
    criterion: Criterion,
    items: Option<f64>,
    place: &Place,
    findings: &mut Vec<Finding>,
) {
    let Some(summary) = summary else { return };
    let (name, stored) = match criterion {
        Criterion::Presentation => ("summary.average_pass_rate", &summary.average_pass_rate),
        _ => (
            "summary.percentage_addressed",
            &summary.percentage_addressed,
        ),
    };
    let Some(stored) = value(stored) else { return };
    let kind = match items {
        _ if stored > 100.0 => Kind::RateAboveAll { stored },
        Some(items) if differ(stored, items) => Kind::RateOffItems { stored, items },
        _ => return,
    };
    findings.push(place.finding(Some(name), kind));
}

/// Depth: both comparisons. `model` is the report's, none where a copied grade has been found out.
pub fn depth(
    block: &DepthBlock,
    model: Option<&String>,
    place: &Place,
    findings: &mut Vec<Finding>,
) {
    other_kinds(block, place, findings);
    let named = block.evaluated_model.get();
    if let (Some(named), Some(model)) = (named, model)
        && named != model
    {
        let kind = Kind::OtherModelsGrade {
            named: named.clone(),
        };
        findings.push(place.finding(Some("evaluated_model"), kind));
    }
    let there = Order::ALL.map(|order| {
        let (winner, reply) = block.comparison(order);
        winner.get().is_some() || reply.get().is_some()
    });
    match there {
        [false, false] => {
            findings.push(place.finding(None, Kind::FactsMissing));
            return;
        }
        [true, true] => {}
        _ => findings.push(place.finding(None, Kind::OneOrder)),
    }
    for (order, _) in Order::ALL
        .into_iter()
        .zip(there)
        .filter(|(_, there)| *there)
    {
        comparison(block, order, place, findings);
    }
}

fn comparison(block: &DepthBlock, order: Order, place: &Place, findings: &mut Vec<Finding>) {
    let (winner, reply) = block.comparison(order);
    let stored_name = format!("winner_comparison_{}", order.number());
    let reply_name = format!("raw_comparison_{}", order.number());
    let mut totals = None;
    match reply.get() {
        None if is_other(reply) => {}
        None => findings.push(place.finding(Some(&reply_name), Kind::FactsMissing)),
        Some(reply) => {
            totals = facts::totals(reply, order);
            scores(reply, &reply_name, totals.is_none(), place, findings);
        }
    }
    let said = reply.get().map(|reply| &reply.winner);
    let missing = match (winner, said) {
        (Field::Read(_), Some(said)) if said.get().is_none() && !is_other(said) => {
            Some(format!("{reply_name}.winner"))
        }
        (winner, _) if winner.get().is_none() && !is_other(winner) => Some(stored_name.clone()),
        _ => None,
    };
    if let Some(field) = missing {
        findings.push(place.finding(Some(&field), Kind::WinnerMissing));
        return;
    }
    let Some(stored) = winner.get().map(|winner| winner.decision()) else {
        return;
    };
    let of_totals = totals.map(Totals::decision);
    let said = said.and_then(Field::get).map(|side| order.decision(*side));
    let kind = match (of_totals, said) {
        (Some(totals), _) if totals != stored => Kind::WinnerOffTotals { stored, totals },
        (_, Some(reply)) if reply != stored => Kind::WinnerOffReply { stored, reply },
        _ => return,
    };
    findings.push(place.finding(Some(&stored_name), kind));
}

/// The dimensions and totals of both reports.
fn scores(
    reply: &Comparison,
    name: &str,
    unread: bool,
    place: &Place,
    findings: &mut Vec<Finding>,
) {
    let name = format!("{name}.scores");
    let mut faults = Vec::new();
    reply.scores.faults(&mut FieldPath::default(), &mut faults);
    // A score of another kind is its own finding already.
    if unread && faults.is_empty() {
        findings.push(place.finding(Some(&name), Kind::DimensionsUnread));
    }
    let Some(scores) = reply.scores.get() else {
        return;
    };
    for (side, scores) in [("A", &scores.a), ("B", &scores.b)] {
        if let Some(kind) = scores.get().and_then(total_off) {
            let field = format!("{name}.{side}.total");
            findings.push(place.finding(Some(&field), kind));
        }
    }
}

fn total_off(scores: &DimensionScores) -> Option<Kind> {
    let stored = value(&scores.total)?;
    let sum = facts::dimensions(scores)?.total();
    differ(stored, sum).then_some(Kind::TotalOffDimensions { stored, sum })
}
