//! Heat maps of a leaderboard: a measure by agent and by value of a facet, at a glance. Hides the
//! layout and the shades.

use super::{
    super::{
        shades::Shades,
        svg::{self, Figure, WIDTH},
    },
    Agent, Facet, FacetValue, LABEL, LEFT, Measure, Page, VALUES, Value,
    scale::{Scale, covered},
};

/// Agents, at most: more do not fit a page.
const AGENTS: usize = 60;
/// Room for the slanted names of values.
const TOP: f64 = 128.0;
const STEP: f64 = 24.0;
/// The widest cell.
const WIDEST: f64 = 62.0;
/// Columns of a value's name.
const VALUE_LABEL: usize = 26;

/// The heat map of a measure by a facet, with all tasks as the last column; none where nothing has
/// a value. Shades reach from the lowest value in it to the highest.
pub fn map(page: &Page, id: &str, facet: &Facet, measure: &Measure) -> Option<Figure> {
    let agents = &page.agents[..page.agents.len().min(AGENTS)];
    let values = &facet.values[..facet.values.len().min(VALUES)];
    let columns: Vec<Column<'_>> = values.iter().map(Column::Of).chain([Column::All]).collect();
    let found = agents.iter().flat_map(|agent| {
        columns
            .iter()
            .filter_map(|column| column.value(agent, measure)?.value)
            .filter(|value| value.is_finite())
            .collect::<Vec<_>>()
    });
    let (low, high) = found.fold(None, |span: Option<(f64, f64)>, value| {
        Some(span.map_or((value, value), |(low, high)| {
            (low.min(value), high.max(value))
        }))
    })?;
    let decimals = Scale::for_measure(page, measure).decimals;
    let shades = Shades {
        low,
        high,
        best_is_high: measure.higher_is_better,
        decimals: decimals.min(1),
    };
    let width = ((WIDTH - LEFT - 70.0) / columns.len() as f64).min(WIDEST);
    let headings = columns.iter().enumerate().map(|(i, column)| {
        let x = LEFT + width * (i as f64 + 0.5);
        svg::slanted(
            "tick",
            x,
            TOP - 8.0,
            &svg::short(column.name(), VALUE_LABEL),
        )
    });
    let rows = agents.iter().enumerate().map(|(i, agent)| {
        let y = TOP + STEP * i as f64;
        let name = svg::text("label", 0.0, y + 16.0, &svg::short(&agent.name, LABEL));
        let cells = columns.iter().enumerate().map(|(j, column)| {
            let x = LEFT + width * j as f64;
            let value = column.value(agent, measure).and_then(|of| of.value);
            shades.cell((x, y), (x + width, y + STEP), value, "")
        });
        name + &cells.collect::<String>()
    });
    let body = headings.chain(rows).collect::<String>();
    let title = format!("{} by agent and {}", measure.label, facet.name);
    let caption = caption(page, facet, measure);
    let svg = svg::image(
        id,
        TOP + STEP * agents.len() as f64 + 8.0,
        &title,
        &caption,
        &body,
    );
    Some(Figure {
        title,
        caption,
        svg,
        columns: ["agent"]
            .into_iter()
            .chain(columns.iter().map(Column::name))
            .map(str::to_owned)
            .collect(),
        rows: agents
            .iter()
            .map(|agent| numbers(agent, &columns, measure, decimals))
            .collect(),
    })
}

fn caption(page: &Page, facet: &Facet, measure: &Measure) -> String {
    let unit = match measure.unit.as_str() {
        "" => String::new(),
        unit => format!(" In {unit}."),
    };
    let mut caption =
        format!("The stronger the colour, the better.{unit} A dash: nothing is scored.");
    if page.agents.len() > AGENTS || facet.values.len() > VALUES {
        caption += &format!(
            " The first {} of {} agents and {} of {} values.",
            page.agents.len().min(AGENTS),
            page.agents.len(),
            facet.values.len().min(VALUES),
            facet.values.len()
        );
    }
    caption
}

fn numbers(
    agent: &Agent,
    columns: &[Column<'_>],
    measure: &Measure,
    decimals: usize,
) -> Vec<String> {
    let cells = columns.iter().map(|column| {
        let value = column.value(agent, measure);
        let number = value.and_then(|value| value.value).unwrap_or(f64::NAN);
        format!("{} · {}", svg::number(number, decimals), covered(value))
    });
    std::iter::once(agent.name.clone()).chain(cells).collect()
}

/// A column of the map.
enum Column<'p> {
    /// A value of the facet.
    Of(&'p FacetValue),
    /// All tasks.
    All,
}

impl<'p> Column<'p> {
    fn name(&self) -> &str {
        match self {
            Self::Of(value) => &value.value,
            Self::All => "all tasks",
        }
    }

    fn value<'a>(&self, agent: &'a Agent, measure: &Measure) -> Option<&'a Value>
    where
        'p: 'a,
    {
        match self {
            Self::Of(value) => value.of(agent, measure),
            Self::All => agent.values.get(&measure.key),
        }
    }
}
