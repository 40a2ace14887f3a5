//! The tables of the leaderboard: agents by measure, paired differences, and missing scores. Hides
//! the small drawings in their cells and the wording of differences.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    super::svg::{self, Axis},
    Agent, Difference, Measure, Page, Value,
    scale::{Scale, covered},
};

/// Width of a drawing in a cell.
const WIDTH: f64 = 110.0;
/// Middle of its height.
const MIDDLE: f64 = 7.0;
/// Radius of its dot.
const RADIUS: f64 = 2.5;
/// Adjusted p-values below it tell agents apart; goes with intervals of 95 %.
const SIGNIFICANT: f64 = 0.05;
/// Pairs, at most.
const PAIRS: usize = 600;

/// Agents by measure.
#[derive(Serialize)]
pub struct MainTable {
    columns: Vec<Column>,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Column {
    label: String,
    unit: String,
    higher_is_better: bool,
    /// What the drawings reach from and to.
    span: String,
}

#[derive(Serialize)]
struct Row {
    name: String,
    tier: Option<u32>,
    /// Its rank, and which it could have.
    rank: String,
    /// Whether it is the first of its tier, and not of the table.
    begins_tier: bool,
    /// Whether it is the first without a rank because it is not complete.
    begins_incomplete: bool,
    cells: Vec<Cell>,
    words: String,
    tokens: String,
    references: String,
    cost: String,
}

#[derive(Serialize)]
struct Cell {
    value: String,
    interval: String,
    covered: String,
    /// What it could be, whatever is missing; empty where it could be nothing else.
    open: String,
    /// Whether every report has a score.
    complete: bool,
    /// Safe markup.
    drawn: String,
}

/// The main table.
pub fn main_table(page: &Page) -> MainTable {
    let scales: Vec<Scale> = page
        .measures
        .iter()
        .map(|measure| close(page, measure))
        .collect();
    let columns = page
        .measures
        .iter()
        .zip(&scales)
        .map(|(measure, scale)| column(measure, scale))
        .collect();
    // Each row beside the one above it, to see where a tier begins.
    let above = [None].into_iter().chain(page.agents.iter().map(Some));
    let rows = page.agents.iter().zip(above).map(|(agent, above)| Row {
        begins_tier: above.is_some_and(|above| above.tier != agent.tier),
        begins_incomplete: !agent.is_complete && above.is_none_or(|above| above.is_complete),
        cells: page
            .measures
            .iter()
            .zip(&scales)
            .map(|(measure, scale)| cell(agent, measure, scale))
            .collect(),
        ..row(agent)
    });
    MainTable {
        columns,
        rows: rows.collect(),
    }
}

/// The scale of the values that occur: on that of all possible values, neighbours would be drawn as
/// one.
fn close(page: &Page, measure: &Measure) -> Scale {
    let found = page
        .agents
        .iter()
        .filter_map(|agent| agent.values.get(&measure.key));
    Scale {
        decimals: Scale::for_measure(page, measure).decimals,
        ..Scale::over(found.flat_map(Value::ends))
    }
}

fn column(measure: &Measure, scale: &Scale) -> Column {
    let (label, unit) = (measure.label.clone(), measure.unit.clone());
    Column {
        label,
        unit,
        higher_is_better: measure.higher_is_better,
        span: scale.span(),
    }
}

fn row(agent: &Agent) -> Row {
    let number = |value: Option<f64>, decimals| svg::number(value.unwrap_or(f64::NAN), decimals);
    Row {
        name: agent.name.clone(),
        tier: agent.tier,
        rank: rank(agent),
        begins_tier: false,
        begins_incomplete: false,
        cells: Vec::new(),
        words: number(agent.words, 0),
        tokens: number(agent.tokens, 0),
        references: number(agent.references, 2),
        // Three digits that count, and cents at least.
        cost: number(
            agent.cost,
            svg::decimals(agent.cost.unwrap_or(0.0) / 100.0).max(2),
        ),
    }
}

/// `2`, or `2 (1 to 3)` where what is missing could move it.
fn rank(agent: &Agent) -> String {
    let own = agent
        .rank
        .map_or_else(|| "–".to_owned(), |rank| rank.to_string());
    match agent.possible_ranks {
        Some((best, worst)) if agent.rank.is_none() || best != worst => {
            format!("{own} ({best} to {worst})")
        }
        _ => own,
    }
}

fn cell(agent: &Agent, measure: &Measure, scale: &Scale) -> Cell {
    let value = agent.values.get(&measure.key);
    let known = value.cloned().unwrap_or_default();
    Cell {
        value: scale.number(known.value),
        interval: scale.interval(known.low, known.high),
        covered: covered(value),
        open: open(scale, &known),
        complete: value.is_some_and(|value| value.n == value.of),
        drawn: scale
            .axis(4.0, WIDTH - 4.0)
            .map_or_else(String::new, |axis| drawn(&axis, &known, "")),
    }
}

/// `could be 2.1 to 9.4`, or nothing.
pub fn open(scale: &Scale, value: &Value) -> String {
    let ends = value.open().map(|(low, high)| {
        let [low, high] = [low, high].map(|end| scale.number(Some(end)));
        format!("could be {low} to {high}")
    });
    ends.unwrap_or_default()
}

/// A dot on its interval, and behind it what it could be. It repeats the numbers beside it, so that
/// there is nothing in it to read aloud.
fn drawn(axis: &Axis, value: &Value, behind: &str) -> String {
    let at = |value: Option<f64>| axis.at(value?);
    let whisker = at(value.low).zip(at(value.high));
    let whisker = whisker.map(|(low, high)| svg::line("in", (low, MIDDLE), (high, MIDDLE)));
    let Some(dot) = at(value.value).map(|x| svg::dot("in", (x, MIDDLE), RADIUS)) else {
        return String::new();
    };
    let rule = svg::line("rule", (0.0, MIDDLE), (WIDTH, MIDDLE));
    // The scale is that of the values, so that neighbours can be told apart: what goes beyond it is
    // cut there, and stands beside the drawing as numbers.
    let within = |end: f64| axis.at(end.clamp(axis.low, axis.high));
    let open = value
        .open()
        .and_then(|(low, high)| within(low).zip(within(high)));
    let open = open.map(|(low, high)| svg::line("open", (low, MIDDLE), (high, MIDDLE)));
    let rule = rule + &open.unwrap_or_default();
    let marks = whisker.unwrap_or_default() + &dot;
    format!(
        "<svg class=\"mini\" aria-hidden=\"true\" viewBox=\"0 0 {WIDTH} 14\">{rule}{behind}{marks}</svg>"
    )
}

/// Paired differences, as many as fit.
#[derive(Serialize)]
pub struct Differences {
    rows: Vec<Compared>,
    n: usize,
}

#[derive(Serialize)]
struct Compared {
    measure: String,
    first: String,
    second: String,
    value: String,
    interval: String,
    drawn: String,
    p: String,
    n: u64,
    detectable: String,
    /// The better agent, if they can be told apart.
    better: Option<String>,
    known: bool,
}

/// The table of pairs, in the order given.
pub fn differences(page: &Page) -> Differences {
    let scales: BTreeMap<&str, Scale> = page
        .measures
        .iter()
        .map(|of| (of.key.as_str(), mirrored(page, of)))
        .collect();
    let n = page
        .differences
        .iter()
        .filter(|pair| scales.contains_key(pair.measure.as_str()))
        .count();
    let rows = page.differences.iter().filter_map(|pair| {
        let key = pair.measure.as_str();
        let measure = page.measures.iter().find(|measure| measure.key == key)?;
        Some(compared(pair, measure, scales.get(key)?))
    });
    Differences {
        rows: rows.take(PAIRS).collect(),
        n,
    }
}

/// The scale of a measure's differences, with 0 in its middle and the decimals of the measure.
fn mirrored(page: &Page, measure: &Measure) -> Scale {
    let pairs = page
        .differences
        .iter()
        .filter(|pair| pair.measure == measure.key);
    let values = pairs
        .flat_map(|pair| [pair.low, pair.value, pair.high])
        .flatten();
    Scale {
        decimals: Scale::for_measure(page, measure).decimals,
        ..Scale::over(values.flat_map(|value| [value, -value]))
    }
}

fn compared(pair: &Difference, measure: &Measure, scale: &Scale) -> Compared {
    let value = Value {
        value: pair.value,
        low: pair.low,
        high: pair.high,
        ..Value::default()
    };
    let drawn = scale.axis(4.0, WIDTH - 4.0).map(|axis| {
        let zero = axis.at(0.0).map(|x| svg::line("zero", (x, 0.0), (x, 14.0)));
        drawn(&axis, &value, &zero.unwrap_or_default())
    });
    Compared {
        measure: measure.label.clone(),
        first: pair.first.clone(),
        second: pair.second.clone(),
        value: scale.number(pair.value),
        interval: scale.interval(pair.low, pair.high),
        drawn: drawn.unwrap_or_default(),
        p: p_value(pair.adjusted),
        n: pair.n,
        detectable: scale.number(pair.detectable),
        better: better(pair, measure),
        known: pair
            .value
            .zip(pair.adjusted)
            .is_some_and(|(value, p)| value.is_finite() && p.is_finite()),
    }
}

fn better(pair: &Difference, measure: &Measure) -> Option<String> {
    let value = pair
        .value
        .filter(|value| value.is_finite() && *value != 0.0)?;
    let first = (value > 0.0) == measure.higher_is_better;
    let better = if first { &pair.first } else { &pair.second };
    pair.adjusted
        .is_some_and(|p| p < SIGNIFICANT)
        .then(|| better.clone())
}

fn p_value(p: Option<f64>) -> String {
    match p {
        Some(p) if p < 0.001 => "< 0.001".to_owned(),
        p => svg::number(p.unwrap_or(f64::NAN), 3),
    }
}

/// A value that does not rest on all reports, or with a failed attempt.
#[derive(Serialize)]
pub struct Unscored {
    agent: String,
    measure: String,
    covered: String,
    failed: BTreeMap<String, u64>,
}

/// Missing scores, by agent and measure.
pub fn unscored(page: &Page) -> Vec<Unscored> {
    let mut unscored = Vec::new();
    for agent in &page.agents {
        for measure in &page.measures {
            let Some(value) = agent.values.get(&measure.key) else {
                continue;
            };
            if value.n >= value.of && value.failed.is_empty() {
                continue;
            }
            unscored.push(Unscored {
                agent: agent.name.clone(),
                measure: measure.label.clone(),
                covered: covered(Some(value)),
                failed: value.failed.clone(),
            });
        }
    }
    unscored
}
