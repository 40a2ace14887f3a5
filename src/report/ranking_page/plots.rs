//! The plots of a ranking, each with the table of its numbers. Hides the choice of tasks that are
//! drawn, and the points that stand for thousands.

use std::collections::BTreeMap;

use super::{
    super::{
        markup::interval,
        svg::{self, Axis, Figure, WIDTH},
    },
    FacetCount, MembershipClass, RankedRow, RankingPage, strength_decimals,
};

/// Points of a curve, at most.
const POINTS: usize = 400;
/// Values of a facet, at most; the rarest of more are shown as one.
const VALUES: usize = 24;
/// Tasks in one piece of the forest plot.
const ROWS_IN_PIECE: usize = 50;
/// Width of the forest plot's labels.
const LABELS: f64 = 330.0;
/// Where curves and bars have their plot.
const LEFT: f64 = 56.0;
const RIGHT: f64 = WIDTH - 12.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 270.0;
const HEIGHT: f64 = BOTTOM + 40.0;

/// All plots with data, in reading order; the forest plot shows the `listed` tasks.
pub fn all(page: &RankingPage, listed: &[RankedRow]) -> Vec<Figure> {
    let mut figures = Vec::new();
    figures.extend(forest_plot(page, listed));
    figures.extend(strengths(page));
    figures.extend(memberships(page));
    figures.extend(
        page.facets
            .iter()
            .enumerate()
            .filter_map(|(i, (name, counts))| shares(i, name, counts)),
    );
    figures.extend(verdicts(&page.rated));
    figures
}

/// One line for each of the tasks, in pieces that fit a printed page and share one axis.
fn forest_plot(page: &RankingPage, listed: &[RankedRow]) -> Option<Figure> {
    let axis = Axis::new(
        listed
            .iter()
            .flat_map(|row| [row.low, row.strength, row.high]),
        LABELS + 14.0,
        RIGHT,
    )?;
    let svg = listed
        .chunks(ROWS_IN_PIECE)
        .map(|rows| forest_plot_piece(page, rows, &axis))
        .collect();
    let title = if listed.len() < page.rated.len() {
        format!(
            "Forest plot: the best {} of {} tasks",
            listed.len(),
            page.rated.len()
        )
    } else {
        "Forest plot".to_owned()
    };
    let mut caption = "Each line is a task: its strength and the 95 % interval.".to_owned();
    if (1..page.rated.len().min(listed.len() + 1)).contains(&page.top) {
        caption += &format!(" The broken rule is the cutoff of the best {}.", page.top);
    }
    Some(Figure {
        title,
        caption,
        svg,
        columns: Vec::new(),
        rows: Vec::new(),
    })
}

/// A piece of the forest plot: for each task its label, and a dot at its strength on its interval.
fn forest_plot_piece(page: &RankingPage, rows: &[RankedRow], axis: &Axis) -> String {
    const STEP: f64 = 17.0;
    let top = 30.0;
    let bottom = top + STEP * rows.len() as f64;
    let (mut labels, mut marks) = (String::new(), String::new());
    for (i, row) in rows.iter().enumerate() {
        let y = top + STEP * (i as f64 + 0.5);
        labels += &svg::text("tick end", 30.0, y + 4.0, &row.place.to_string());
        labels += &svg::text("label", 38.0, y + 4.0, &svg::short(&row.text, 42));
        if let (Some(low), Some(high)) = (axis.at(row.low), axis.at(row.high)) {
            marks += &svg::line(row.standing.word(), (low, y), (high, y));
        }
        if let Some(x) = axis.at(row.strength) {
            marks += &svg::dot(row.standing.word(), (x, y), 3.5);
        }
        if row.place == page.top && page.top < page.rated.len() {
            marks += &svg::line("cutoff", (0.0, y + STEP / 2.0), (RIGHT, y + STEP / 2.0));
        }
    }
    // Labels may be wider than their column: the plot's ground covers what sticks out.
    let ground = svg::area("ground", (LABELS, top), (WIDTH, bottom));
    let rules = axis.below(top, bottom, &format!("strength ({})", page.unit));
    let body = standing_key(LABELS + 14.0) + &labels + &ground + &rules + &marks;
    let (first, last) = (
        rows.first().map_or(0, |row| row.place),
        rows.last().map_or(0, |row| row.place),
    );
    let title = format!("Places {first} to {last}");
    let description = "For each task a dot at its strength on its 95 % interval; the numbers are in the list of tasks.";
    svg::image(
        &format!("forest-{first}"),
        bottom + 40.0,
        &title,
        description,
        &body,
    )
}

/// Strength against place, for all tasks; one is no curve.
fn strengths(page: &RankingPage) -> Option<Figure> {
    let rows = sampled(&page.rated);
    if rows.len() < 2 {
        return None;
    }
    let x = places(&page.rated)?;
    let y = Axis::new(
        rows.iter()
            .flat_map(|row| [row.low, row.strength, row.high]),
        BOTTOM,
        TOP,
    )?;
    let points = |of: fn(&RankedRow) -> f64| -> Vec<(f64, f64)> {
        rows.iter()
            .filter_map(|row| Some((x.at(row.place as f64)?, y.at(of(row))?)))
            .collect()
    };
    let mut band = points(|row| row.low);
    band.extend(points(|row| row.high).into_iter().rev());
    let body = svg::key(LEFT, 16.0, &[("in", "strength"), ("band", "95 % interval")])
        + &svg::joined("polygon", "band", &band)
        + &x.below(TOP, BOTTOM, "place")
        + &y.beside(LEFT, RIGHT, &format!("strength ({})", page.unit))
        + &cutoff(&x, page.top, page.rated.len())
        + &svg::joined("polyline", "in", &points(|row| row.strength));
    let title = "Strength by place".to_owned();
    let caption =
        "Where the curve is steep, places are well told apart; where it is flat, neighbours are alike.".to_owned();
    let svg = svg::image("strengths", HEIGHT, &title, &caption, &body);
    let decimals = strength_decimals(&page.rated);
    let rows = rows.into_iter().map(|row| {
        vec![
            row.place.to_string(),
            svg::number(row.strength, decimals),
            interval(row.low, row.high, decimals),
        ]
    });
    let rows = rows.collect();
    let columns = ["place", "strength", "95 % interval"]
        .map(String::from)
        .into();
    Some(Figure {
        title,
        caption,
        svg,
        columns,
        rows,
    })
}

/// Probability to be among the best k against place, as far down as there is any.
fn memberships(page: &RankingPage) -> Option<Figure> {
    // Below one in a hundred the curve is flat; a tenth more shows that it is.
    let hopeful = page
        .rated
        .iter()
        .rposition(|row| row.membership >= 0.01)
        .map_or(0, |last| last + 1);
    let n_tasks = page.rated.len();
    let shown = &page.rated[..(hopeful + hopeful / 10)
        .max(2 * page.top.min(n_tasks))
        .min(n_tasks)];
    let rows = sampled(shown);
    let x = places(shown)?;
    let y = Axis::new([0.0, 1.0], BOTTOM, TOP)?;
    let marks = rows.iter().filter_map(|row| {
        let at = (x.at(row.place as f64)?, y.at(row.membership)?);
        Some(svg::dot(row.standing.word(), at, 2.5))
    });
    let marks: String = marks.collect();
    if marks.is_empty() {
        return None;
    }
    let body = standing_key(LEFT)
        + &borderline_zone(&x, shown)
        + &x.below(TOP, BOTTOM, "place")
        + &y.beside(
            LEFT,
            RIGHT,
            &format!("probability to be among the best {}", page.top),
        )
        + &cutoff(&x, page.top, n_tasks)
        + &marks;
    let title = format!("Who belongs to the best {}?", page.top);
    let caption =
        "A sharp step means that the cutoff is well known; the shaded places are too close to tell."
            .to_owned();
    let svg = svg::image("memberships", HEIGHT, &title, &caption, &body);
    let rows = rows.into_iter().map(|row| {
        vec![
            row.place.to_string(),
            svg::number(row.membership, 2),
            row.standing.word().to_owned(),
        ]
    });
    let rows = rows.collect();
    let columns = ["place", "probability", "standing"]
        .map(String::from)
        .into();
    Some(Figure {
        title,
        caption,
        svg,
        columns,
        rows,
    })
}

/// A facet's values: their shares of the chosen tasks and of all.
fn shares(index: usize, name: &str, counts: &[FacetCount]) -> Option<Figure> {
    const STEP: f64 = 30.0;
    const BARS: f64 = 232.0;
    let counts = folded(counts);
    let n_chosen = counts.iter().map(|count| count.chosen).sum::<u64>();
    let n_all = counts.iter().map(|count| count.all).sum::<u64>();
    let percent = |part: u64, whole: u64| part as f64 / whole.max(1) as f64 * 100.0;
    let shares: Vec<(f64, f64)> = counts
        .iter()
        .map(|count| (percent(count.chosen, n_chosen), percent(count.all, n_all)))
        .collect();
    let ends = shares
        .iter()
        .flat_map(|&(chosen, all)| [chosen, all])
        .chain((!counts.is_empty()).then_some(0.0));
    let x = Axis::new(ends, BARS, RIGHT)?;
    let top = 30.0;
    let bottom = top + STEP * counts.len() as f64;
    let mut labels = String::new();
    let mut bars = String::new();
    let mut rows = Vec::new();
    for (i, (count, &(chosen, all))) in counts.iter().zip(&shares).enumerate() {
        let y = top + STEP * i as f64;
        labels += &svg::text("label", 0.0, y + 19.0, &svg::short(&count.value, 34));
        bars += &svg::area("in", (BARS, y + 5.0), (x.at(chosen)?, y + 14.0));
        bars += &svg::area("all", (BARS, y + 15.0), (x.at(all)?, y + 24.0));
        rows.push(vec![
            count.value.clone(),
            count.chosen.to_string(),
            svg::number(chosen, 1),
            count.all.to_string(),
            svg::number(all, 1),
        ]);
    }
    let ground = svg::area("ground", (BARS - 8.0, top), (WIDTH, bottom));
    let key = svg::key(
        BARS,
        16.0,
        &[("in", "of the chosen tasks"), ("all", "of all tasks")],
    );
    let body = key + &labels + &ground + &x.below(top, bottom, "share (%)") + &bars;
    let title = format!("Chosen and all, by {name}");
    let caption =
        "Where the upper bar is longer, the value is more frequent among the chosen tasks than among all.".to_owned();
    let svg = svg::image(
        &format!("facet-{index}"),
        bottom + 40.0,
        &title,
        &caption,
        &body,
    );
    let columns = ["value", "chosen", "% of chosen", "all", "% of all"]
        .map(String::from)
        .into();
    Some(Figure {
        title,
        caption,
        svg,
        columns,
        rows,
    })
}

fn verdict_range(bin: u64, width: u64) -> String {
    if width == 1 {
        bin.to_string()
    } else {
        format!("{}–{}", bin * width, (bin + 1) * width - 1)
    }
}

/// How many tasks were judged how often.
fn verdicts(rows: &[RankedRow]) -> Option<Figure> {
    let games = || rows.iter().map(|row| u64::from(row.games));
    let width = svg::round_step((games().max()? - games().min()?) as f64 / 30.0).max(1.0) as u64;
    let mut bins = BTreeMap::<u64, u64>::new();
    for n in games() {
        *bins.entry(n / width).or_default() += 1;
    }
    let ends = |bin: &u64| [*bin, bin + 1].map(|n| (n * width) as f64 - 0.5);
    let x = Axis::new(bins.keys().flat_map(ends), LEFT, RIGHT)?.whole();
    let y = Axis::new(bins.values().map(|n| *n as f64).chain([0.0]), BOTTOM, TOP)?.whole();
    let mut bars = String::new();
    for (bin, n) in &bins {
        let [left, right] = ends(bin);
        bars += &svg::area(
            "in",
            (x.at(left)? + 0.5, y.at(*n as f64)?),
            (x.at(right)? - 0.5, BOTTOM),
        );
    }
    let body = x.below(TOP, BOTTOM, "verdicts on a task") + &y.beside(LEFT, RIGHT, "tasks") + &bars;
    let title = "Verdicts by task".to_owned();
    let caption = "Number of tasks by number of judgements.".to_owned();
    let svg = svg::image("verdicts", HEIGHT, &title, &caption, &body);
    let rows = bins
        .iter()
        .map(|(bin, n)| vec![verdict_range(*bin, width), n.to_string()])
        .collect();
    let columns = ["verdicts", "tasks"].map(String::from).into();
    Some(Figure {
        title,
        caption,
        svg,
        columns,
        rows,
    })
}

/// The axis of places.
fn places(rows: &[RankedRow]) -> Option<Axis> {
    Some(Axis::new(rows.iter().map(|row| row.place as f64), LEFT, RIGHT)?.whole())
}

/// At most `POINTS` of the rows, evenly spread, the first and the last among them.
fn sampled(rows: &[RankedRow]) -> Vec<&RankedRow> {
    let n = rows.len().min(POINTS);
    (0..n)
        .map(|i| &rows[i * (rows.len() - 1) / (n - 1).max(1)])
        .collect()
}

/// The cutoff of the best k, as an upright rule with its name.
fn cutoff(x: &Axis, top: usize, n_tasks: usize) -> String {
    if top == 0 || top >= n_tasks {
        return String::new();
    }
    x.at(top as f64 + 0.5).map_or_else(String::new, |at| {
        let name = svg::text(
            "tick middle",
            at.clamp(LEFT + 30.0, RIGHT - 30.0),
            TOP - 4.0,
            &format!("best {top}"),
        );
        svg::line("cutoff", (at, TOP), (at, BOTTOM)) + &name
    })
}

/// The places from the first to the last borderline task, shaded.
fn borderline_zone(x: &Axis, rows: &[RankedRow]) -> String {
    let mut places = rows
        .iter()
        .filter(|row| row.standing == MembershipClass::Borderline)
        .map(|row| row.place as f64);
    let zone = places
        .next()
        .map(|first| (first, places.next_back().unwrap_or(first)));
    let span = zone.and_then(|(first, last)| Some((x.at(first - 0.5)?, x.at(last + 0.5)?)));
    span.map_or_else(String::new, |(left, right)| {
        svg::area("zone", (left, TOP), (right, BOTTOM))
    })
}

fn standing_key(x: f64) -> String {
    svg::key(
        x,
        16.0,
        &[("in", "in"), ("borderline", "borderline"), ("out", "out")],
    )
}

/// The counts as they are, or the most frequent ones of many and the sum of the others.
fn folded(counts: &[FacetCount]) -> Vec<FacetCount> {
    if counts.len() <= VALUES {
        return counts.to_vec();
    }
    let mut sorted = counts.to_vec();
    sorted.sort_by(|x, y| y.all.cmp(&x.all).then_with(|| x.value.cmp(&y.value)));
    let rest = sorted.split_off(VALUES - 1);
    let (chosen, all) = rest.iter().fold((0, 0), |sum, count| {
        (sum.0 + count.chosen, sum.1 + count.all)
    });
    sorted.push(FacetCount {
        value: format!("{} others", rest.len()),
        chosen,
        all,
    });
    sorted
}
