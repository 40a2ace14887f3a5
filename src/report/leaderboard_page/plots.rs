//! The plots of a leaderboard, each with the table of its numbers: shares of key points as stacked
//! bars, and each measure by facet. Hides the layout, and how many bars fit a page.

use serde::Serialize;

use super::{
    super::svg::{self, Axis, Figure, WIDTH},
    Agent, Facet, LABEL, LEFT, Measure, Page, VALUES, Value, Whole, heat,
    scale::{Scale, covered},
    tables,
};

/// Bars by facet on a page, at most; each has a line in a plot and a cell in a table.
const BARS: usize = 4_000;
/// Where bars end.
const RIGHT: f64 = WIDTH - 118.0;
/// Where the first bar's line is.
const TOP: f64 = 30.0;
/// Height of a line of stacked bars, of a bar by facet, and of a facet's value above its bars.
const STEP: f64 = 24.0;
const LINE: f64 = 17.0;
const HEADING: f64 = 24.0;

/// The plots of one facet, the headline first.
#[derive(Serialize)]
pub struct ByFacet {
    name: String,
    /// Of each measure by agent and value, as many as fit.
    maps: Vec<Figure>,
    figures: Vec<Figure>,
    /// Plots for which the page has no room.
    left_out: usize,
}

/// Stacked bars for every whole that some agent has all three parts of.
pub fn wholes(page: &Page) -> Vec<Figure> {
    page.wholes
        .iter()
        .enumerate()
        .filter_map(|(index, whole)| stacked(page, index, whole))
        .collect()
}

fn stacked(page: &Page, index: usize, whole: &Whole) -> Option<Figure> {
    let keys = [&whole.supported, &whole.conflicting, &whole.omitted];
    let measures: Vec<&Measure> = keys
        .iter()
        .filter_map(|key| page.measures.iter().find(|of| of.key == **key))
        .collect();
    let [supported, _, _] = measures[..] else {
        return None;
    };
    let sums: Vec<f64> = page
        .agents
        .iter()
        .filter_map(|agent| Some(parts(agent, keys)?.iter().sum()))
        .collect();
    let ends = (!sums.is_empty()).then_some([0.0, supported.range.1]);
    let x = Axis::new(ends.into_iter().flatten().chain(sums), LEFT, RIGHT)?;
    let bottom = TOP + STEP * page.agents.len() as f64;
    let bars = page.agents.iter().enumerate().map(|(i, agent)| {
        let efficiency = number(whole.efficiency.get(&agent.name));
        let y = TOP + STEP * i as f64;
        below_complete(page, i, y) + &whole_bar(&x, y, agent, (keys, &efficiency))
    });
    let key = svg::key(LEFT, 16.0, &SHARES.map(|class| (class, class)));
    let body = key + &x.below(TOP, bottom, &named(supported, "share")) + &bars.collect::<String>();
    let (title, caption) = (
        whole.title.clone(),
        "Key points that the reports support, contradict and omit; beside the bars how many reports they rest on, and the efficiency: what is supported over what is contradicted or omitted."
            .to_owned(),
    );
    let svg = svg::image(
        &format!("whole-{index}"),
        bottom + 40.0,
        &title,
        &caption,
        &body,
    );
    let columns = ["agent"]
        .into_iter()
        .chain(SHARES)
        .chain(["efficiency", "reports"])
        .map(str::to_owned)
        .collect();
    let scales: Vec<Scale> = measures
        .iter()
        .map(|measure| Scale::for_measure(page, measure))
        .collect();
    let rows = page.agents.iter().map(|agent| {
        let values = keys.map(|key| agent.values.get(key));
        let shares = values
            .iter()
            .zip(&scales)
            .map(|(value, scale)| interval_of(scale, *value));
        [agent.name.clone()]
            .into_iter()
            .chain(shares)
            .chain([
                interval_of(&plain_scale(), whole.efficiency.get(&agent.name)),
                covered(values[0]),
            ])
            .collect()
    });
    Some(Figure {
        title,
        caption,
        svg,
        columns,
        rows: rows.collect(),
    })
}

/// Ratios have two decimals.
fn plain_scale() -> Scale {
    Scale {
        decimals: 2,
        ends: None,
    }
}

fn number(value: Option<&Value>) -> String {
    plain_scale().number(value.and_then(|value| value.value))
}

/// A rule above the first agent that is not complete.
fn below_complete(page: &Page, at: usize, y: f64) -> String {
    let is_first = at > 0 && !page.agents[at].is_complete && page.agents[at - 1].is_complete;
    if is_first {
        svg::line("apart", (0.0, y), (WIDTH, y))
    } else {
        String::new()
    }
}

/// An agent's name, its three parts if it has them all, how many reports they rest on, and its
/// efficiency.
fn whole_bar(x: &Axis, y: f64, agent: &Agent, (keys, efficiency): ([&String; 3], &str)) -> String {
    let name = svg::text("label", 0.0, y + 16.0, &svg::short(&agent.name, LABEL));
    let bars = parts(agent, keys).and_then(|parts| segments(x, y, parts));
    let bars = bars.unwrap_or_else(|| svg::text("tick", LEFT + 4.0, y + 16.0, "–"));
    name + &bars
        + &svg::text(
            "tick",
            RIGHT + 8.0,
            y + 16.0,
            &format!("{} · {efficiency}", covered(agent.values.get(keys[0]))),
        )
}

/// The parts of a whole, which are also their classes in the page's styles.
const SHARES: [&str; 3] = ["supported", "conflicting", "omitted"];

/// An agent's shares, if it has all three.
fn parts(agent: &Agent, keys: [&String; 3]) -> Option<[f64; 3]> {
    let [a, b, c] = keys.map(|key| {
        let value = agent.values.get(key)?.value;
        value.filter(|value| value.is_finite())
    });
    Some([a?, b?, c?])
}

fn segments(x: &Axis, y: f64, parts: [f64; 3]) -> Option<String> {
    let (mut bars, mut sum) = (String::new(), 0.0);
    for (class, part) in SHARES.into_iter().zip(parts) {
        bars += &svg::area(class, (x.at(sum)?, y + 3.0), (x.at(sum + part)?, y + 21.0));
        sum += part;
    }
    Some(bars)
}

/// Plots of every measure by every facet, as many as fit.
pub fn facets(page: &Page) -> Vec<ByFacet> {
    let mut room = BARS;
    let mut by_facet = Vec::new();
    for (i, facet) in page.by.iter().enumerate() {
        let (mut maps, mut figures, mut left_out) = (Vec::new(), Vec::new(), 0);
        for (j, measure) in page
            .measures
            .iter()
            .enumerate()
            .filter(|(_, measure)| has_values(page, facet, measure))
        {
            let bars = page.agents.len() * facet.values.len().min(VALUES);
            // A plot that does not fit is left out and counted; a smaller one after it may fit.
            match room.checked_sub(bars) {
                Some(rest) => {
                    room = rest;
                    maps.extend(heat::map(page, &format!("heat-{i}-{j}"), facet, measure));
                    figures.extend(grouped(page, &format!("facet-{i}-{j}"), facet, measure));
                }
                None => left_out += 1,
            }
        }
        if !figures.is_empty() || left_out > 0 {
            by_facet.push(ByFacet {
                name: facet.name.clone(),
                maps,
                figures,
                left_out,
            });
        }
    }
    by_facet
}

fn has_values(page: &Page, facet: &Facet, measure: &Measure) -> bool {
    let values = facet
        .values
        .iter()
        .flat_map(|value| page.agents.iter().map(|agent| value.of(agent, measure)));
    values
        .flatten()
        .any(|value| value.value.is_some_and(f64::is_finite))
}

/// One measure by one facet: for each value a bar of each agent, with its interval.
fn grouped(page: &Page, id: &str, facet: &Facet, measure: &Measure) -> Option<Figure> {
    let scale = Scale::for_measure(page, measure);
    let x = scale.axis(LEFT, RIGHT)?;
    let shown = &facet.values[..facet.values.len().min(VALUES)];
    let height = HEADING + LINE * page.agents.len() as f64;
    let bottom = TOP + height * shown.len() as f64;
    let groups = shown.iter().enumerate().map(|(i, value)| {
        let y = TOP + height * i as f64;
        let bars = page.agents.iter().enumerate().map(|(j, agent)| {
            let y = y + HEADING + LINE * j as f64;
            let name = svg::text("label", 10.0, y + 12.0, &svg::short(&agent.name, LABEL - 2));
            name + &bar(&x, y, &scale, value.of(agent, measure))
        });
        svg::text("value", 0.0, y + 18.0, &svg::short(&value.value, 100))
            + &bars.collect::<String>()
    });
    let body = x.below(TOP, bottom, &named(measure, &measure.label)) + &groups.collect::<String>();
    let title = format!("{} by {}", measure.label, facet.name);
    let mut caption =
        "Bars with their 95 % intervals, and dotted what they could be, whatever is missing; beside them how many reports they rest on.".to_owned();
    if shown.len() < facet.values.len() {
        caption += &format!(
            " The first {} of {} values.",
            shown.len(),
            facet.values.len()
        );
    }
    let svg = svg::image(id, bottom + 40.0, &title, &caption, &body);
    let columns = [facet.name.clone()]
        .into_iter()
        .chain(page.agents.iter().map(|agent| agent.name.clone()))
        .collect();
    let rows = shown.iter().map(|value| {
        let cells = page.agents.iter().map(|agent| value.of(agent, measure));
        let cells = cells.map(|value| {
            let open = value.map_or_else(String::new, |value| tables::open(&scale, value));
            let open = if open.is_empty() {
                open
            } else {
                format!(" · {open}")
            };
            format!("{} · {}{open}", interval_of(&scale, value), covered(value))
        });
        [value.value.clone()].into_iter().chain(cells).collect()
    });
    Some(Figure {
        title,
        caption,
        svg,
        columns,
        rows: rows.collect(),
    })
}

/// A bar from 0, its interval, and its numbers; a dash where there is nothing.
fn bar(x: &Axis, y: f64, scale: &Scale, value: Option<&Value>) -> String {
    let end = |end: Option<f64>| x.at(end?);
    let numbers = format!(
        "{} · {}",
        scale.number(value.and_then(|value| value.value)),
        covered(value)
    );
    let numbers = svg::text("tick", RIGHT + 8.0, y + 12.0, &numbers);
    let Some((value, to)) = value.and_then(|value| Some((value, end(value.value)?))) else {
        return numbers;
    };
    let zero = x.at(0.0).unwrap_or(LEFT);
    let bar = svg::area("bar", (zero.min(to), y + 3.0), (zero.max(to), y + 14.0));
    let whisker = end(value.low).zip(end(value.high));
    let whisker = whisker.map(|(low, high)| svg::line("whisker", (low, y + 8.5), (high, y + 8.5)));
    let open = value
        .open()
        .and_then(|(low, high)| x.at(low).zip(x.at(high)));
    let open = open.map(|(low, high)| svg::line("open", (low, y + 12.5), (high, y + 12.5)));
    bar + &whisker.unwrap_or_default() + &open.unwrap_or_default() + &numbers
}

fn interval_of(scale: &Scale, value: Option<&Value>) -> String {
    let known = value.cloned().unwrap_or_default();
    match scale.interval(known.low, known.high) {
        interval if interval == "–" => scale.number(known.value),
        interval => format!("{} {interval}", scale.number(known.value)),
    }
}

/// `share (%)`, or the name alone where there is no unit.
fn named(measure: &Measure, name: &str) -> String {
    if measure.unit.is_empty() {
        name.to_owned()
    } else {
        format!("{name} ({})", measure.unit)
    }
}
