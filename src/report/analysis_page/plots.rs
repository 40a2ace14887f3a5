//! Two plots that any analysis can have: numbers on their intervals, and a grid of shaded cells.

use super::super::{
    shades::Shades,
    svg::{self, Axis, Figure, WIDTH},
};
use crate::stats::bootstrap::Estimate;

/// Where dots and cells begin; names stand to the left.
const LEFT: f64 = 200.0;
const RIGHT: f64 = WIDTH - 20.0;
/// Where the first line is, and the height of a line.
const TOP: f64 = 20.0;
const STEP: f64 = 24.0;
/// Columns of a name.
const LABEL: usize = 30;
/// Rows that a plot has, at most.
const ROWS: usize = 60;

/// Numbers on their intervals, a line each, with a rule at 0; none where no number can be drawn. A
/// row without a number has a dash.
/// `axis` names what is measured.
pub fn forest(
    id: &str,
    title: &str,
    caption: &str,
    axis: &str,
    rows: &[(String, Option<Estimate>)],
) -> Option<Figure> {
    let all = rows;
    let rows = &rows[..rows.len().min(ROWS)];
    let values = all.iter().filter_map(|(_, of)| *of).flat_map(|of| {
        let (low, high) = of.interval.unzip();
        [Some(of.value), low, high].into_iter().flatten()
    });
    let values: Vec<f64> = values.collect();
    if values.is_empty() {
        return None;
    }
    let x = Axis::new(values.into_iter().chain([0.0]), LEFT, RIGHT)?;
    let bottom = TOP + STEP * rows.len() as f64;
    let marks = rows.iter().enumerate().map(|(i, (name, of))| {
        let y = TOP + STEP * (i as f64 + 0.5);
        let mut marks = svg::text("label", 0.0, y + 4.0, &svg::short(name, LABEL));
        let interval = of.and_then(|of| of.interval);
        let ends = interval.and_then(|(low, high)| Some((x.at(low)?, x.at(high)?)));
        if let Some((low, high)) = ends {
            marks += &svg::line("in", (low, y), (high, y));
        }
        match of.and_then(|of| x.at(of.value)) {
            Some(at) => marks += &svg::dot("in", (at, y), 4.0),
            None => marks += &svg::text("tick", LEFT + 4.0, y + 4.0, "–"),
        }
        marks
    });
    let marks: String = marks.collect();
    let zero = x.at(0.0);
    let zero = zero.map_or_else(String::new, |at| svg::line("zero", (at, TOP), (at, bottom)));
    let body = x.below(TOP, bottom, axis) + &zero + &marks;
    let cell = |value: Option<f64>| svg::number(value.unwrap_or(f64::NAN), 3);
    Some(Figure {
        title: title.to_owned(),
        caption: captioned(caption, all.len()),
        svg: svg::image(id, bottom + 40.0, title, caption, &body),
        columns: ["", axis, "lower end", "upper end"]
            .map(str::to_owned)
            .to_vec(),
        rows: all
            .iter()
            .map(|(name, of)| {
                let (low, high) = of.and_then(|of| of.interval).unzip();
                let value = of.map(|of| of.value);
                vec![name.clone(), cell(value), cell(low), cell(high)]
            })
            .collect(),
    })
}

/// A caption that says where rows have no room.
fn captioned(caption: &str, rows: usize) -> String {
    if rows <= ROWS {
        return caption.to_owned();
    }
    format!("{caption} The first {ROWS} of {rows} are drawn; the numbers have all.")
}

/// A cell of a grid.
#[derive(Clone, Copy)]
pub struct Cell {
    /// A share; none where nothing is known.
    pub share: Option<f64>,
    /// Whether a star stands behind it.
    pub stands_out: bool,
}

impl Cell {
    /// A cell without a star.
    pub fn of(share: Option<f64>) -> Self {
        Self {
            share,
            stands_out: false,
        }
    }
}

/// A grid of shares.
pub struct Grid<'a> {
    /// Unique on the page.
    pub id: &'a str,
    /// The title.
    pub title: String,
    /// The caption.
    pub caption: String,
    /// Whether the highest share has the strongest colour.
    pub best_is_high: bool,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Names of the rows, with their cells.
    pub rows: Vec<(String, Vec<Cell>)>,
}

/// The grid with its shares in percent; shades reach from the lowest to the highest.
pub fn grid(of: &Grid<'_>) -> Figure {
    let rows = &of.rows[..of.rows.len().min(ROWS)];
    let shares = rows.iter().flat_map(|(_, cells)| cells);
    let shares: Vec<f64> = shares.filter_map(|cell| cell.share).collect();
    let colours = Shades {
        low: 100.0 * shares.iter().copied().fold(f64::INFINITY, f64::min),
        high: 100.0 * shares.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        best_is_high: of.best_is_high,
        decimals: 0,
    };
    let width = (RIGHT - LEFT) / of.columns.len().max(1) as f64;
    let headings = of.columns.iter().enumerate().map(|(j, name)| {
        let x = LEFT + width * (j as f64 + 0.5);
        svg::text("tick middle", x, TOP - 6.0, &svg::short(name, 10))
    });
    let lines = rows.iter().enumerate().map(|(i, (name, cells))| {
        let y = TOP + STEP * i as f64;
        let label = svg::text("label", 0.0, y + 16.0, &svg::short(name, LABEL));
        let cells = cells.iter().enumerate().map(|(j, cell)| {
            let x = LEFT + width * j as f64;
            let mark = if cell.stands_out { "*" } else { "" };
            let value = cell.share.map(|share| 100.0 * share);
            colours.cell((x, y), (x + width, y + STEP), value, mark)
        });
        label + &cells.collect::<String>()
    });
    let body: String = headings.chain(lines).collect();
    let height = TOP + STEP * rows.len() as f64 + 8.0;
    let first = std::iter::once(String::new());
    Figure {
        title: of.title.clone(),
        caption: captioned(&of.caption, of.rows.len()),
        svg: svg::image(of.id, height, &of.title, &of.caption, &body),
        columns: first.chain(of.columns.iter().cloned()).collect(),
        rows: of
            .rows
            .iter()
            .map(|(name, cells)| {
                let cells = cells.iter().map(|cell| {
                    let share = cell.share.map_or(f64::NAN, |share| 100.0 * share);
                    let mark = if cell.stands_out { "*" } else { "" };
                    format!("{}{mark}", svg::number(share, 1))
                });
                std::iter::once(name.clone()).chain(cells).collect()
            })
            .collect(),
    }
}
