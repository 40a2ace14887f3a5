//! The tree of a match as a plot: a dot for each page, level by level, the pages that were asked
//! about with the numbers of their rounds.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    super::svg::{self, Figure, WIDTH},
    rounds::{Round, title},
};
use crate::{
    arena::{record::MatchRecord, trees::Overlay},
    data::{NodeId, arena::Node},
};

/// Pages that are drawn at most; of larger trees those that were asked about, those that lead
/// there, and those beside them.
const MOST_DRAWN: usize = 400;
const TOP: f64 = 30.0;
const LEVEL: f64 = 64.0;
const MARGIN: f64 = 16.0;
/// Columns of a title in the table.
const TITLE: usize = 80;

/// The plot, with a table of the pages that were asked about.
pub fn figure(view: &Overlay<'_>, record: &MatchRecord, rounds: &[Round]) -> Figure {
    let asked = asked(rounds);
    let ways: BTreeSet<NodeId> = asked.keys().flat_map(|id| view.path(id)).collect();
    let (drawn, all) = drawn(view, &ways);
    let places = places(view, &drawn);
    let added: BTreeSet<&NodeId> = view.added().iter().map(|node| &node.id).collect();
    let (mut lines, mut dots) = (String::new(), String::new());
    for (id, at) in &places {
        let node = view.node(id);
        let above = node.and_then(|node| places.get(node.parent.as_ref()?));
        if let Some(above) = above {
            let class = if ways.contains(*id) { "in" } else { "rule" };
            lines += &svg::line(class, *above, *at);
        }
        let class = match (asked.contains_key(*id), added.contains(id)) {
            (true, _) => "in",
            (false, true) => "conflicting",
            (false, false) => "omitted",
        };
        let radius = if asked.contains_key(*id) { 6.0 } else { 3.0 };
        dots += &svg::dot(class, *at, radius);
        if let Some(numbers) = asked.get(*id) {
            dots += &svg::text("value middle", at.0, at.1 - 9.0, &list(numbers));
        }
    }
    let deepest = places.keys().filter_map(|id| view.depth(id)).max();
    let height = TOP + LEVEL * deepest.unwrap_or(0) as f64 + 50.0;
    let title_of = "Where the match went";
    let mut caption =
        "The root is above. Pages that were asked about have the numbers of their rounds."
            .to_owned();
    if record.expansions > 0 {
        caption += &format!(
            " {} times the match looked for pages beyond its tree and found {}; those that nobody was asked about are red.",
            record.expansions,
            view.added().len()
        );
    }
    if places.len() < all {
        caption += &format!(" {} of {all} pages are drawn.", places.len());
    }
    let rows = asked.iter().map(|(id, numbers)| {
        let level = view.depth(id).map_or(0, |depth| depth + 1);
        vec![
            svg::short(&title(view, id), TITLE),
            level.to_string(),
            list(numbers),
        ]
    });
    Figure {
        svg: svg::image("tree", height, title_of, &caption, &(lines + &dots)),
        title: title_of.to_owned(),
        caption,
        columns: ["page", "level", "rounds"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

/// The rounds of each page that was asked about.
fn asked(rounds: &[Round]) -> BTreeMap<&NodeId, Vec<usize>> {
    let mut asked: BTreeMap<&NodeId, Vec<usize>> = BTreeMap::new();
    for round in rounds {
        for target in &round.targets {
            asked.entry(target).or_default().push(round.number);
        }
    }
    asked
}

fn list(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    numbers.join(", ")
}

/// The pages that are drawn, and how many there are.
fn drawn(view: &Overlay<'_>, ways: &BTreeSet<NodeId>) -> (BTreeSet<NodeId>, usize) {
    let all: BTreeSet<NodeId> = view.nodes().map(|node| node.id.clone()).collect();
    let number = all.len();
    if number <= MOST_DRAWN {
        return (all, number);
    }
    let beside = ways.iter().flat_map(|id| view.children(id));
    let beside: Vec<NodeId> = beside.map(|node| node.id.clone()).collect();
    let mut drawn = ways.clone();
    drawn.insert(view.root().id.clone());
    for id in beside {
        if drawn.len() >= MOST_DRAWN {
            break;
        }
        drawn.insert(id);
    }
    (drawn, number)
}

/// Where each page is drawn: pages without pages below them side by side, the others above the
/// middle of theirs.
fn places<'v>(view: &'v Overlay<'_>, drawn: &BTreeSet<NodeId>) -> BTreeMap<&'v NodeId, (f64, f64)> {
    // From the root downwards, each page before those below it; a tree may be deep.
    let mut order: Vec<&Node> = Vec::new();
    let mut open = vec![view.root()];
    while let Some(node) = open.pop() {
        order.push(node);
        let below: Vec<&Node> = view.children(&node.id).collect();
        let below = below.into_iter().rev();
        open.extend(below.filter(|node| drawn.contains(&node.id)));
    }
    let is_parent: BTreeSet<&NodeId> = order.iter().filter_map(|of| of.parent.as_ref()).collect();
    let ends = order.iter().filter(|node| !is_parent.contains(&node.id));
    let step = (WIDTH - 2.0 * MARGIN) / ends.count().max(1) as f64;
    let mut x: BTreeMap<&NodeId, f64> = BTreeMap::new();
    let mut next = MARGIN + step / 2.0;
    for node in &order {
        if !is_parent.contains(&node.id) {
            x.insert(&node.id, next);
            next += step;
        }
    }
    let mut spans: BTreeMap<&NodeId, (f64, f64)> = BTreeMap::new();
    for node in order.iter().rev() {
        let own = spans
            .get(&node.id)
            .map(|(low, high)| f64::midpoint(*low, *high));
        let at = *x
            .entry(&node.id)
            .or_insert_with(|| own.unwrap_or(WIDTH / 2.0));
        if let Some(parent) = &node.parent {
            let span = spans.entry(parent).or_insert((at, at));
            *span = (span.0.min(at), span.1.max(at));
        }
    }
    let places = order.into_iter().map(|node| {
        let depth = view.depth(&node.id).unwrap_or(0) as f64;
        (&node.id, (x[&node.id], TOP + LEVEL * depth))
    });
    places.collect()
}
