//! Distributions of tasks, inspirations and quotes over their facets. Hides which values get a bar
//! of their own.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{super::svg, Page, Seminar};
use crate::data::{Difficulty, InspirationType, TaskType};

/// Values of a distribution that are drawn, at most; the rest is one bar.
const BARS: usize = 16;

/// Facets of benchmarks that are drawn, at most.
const OTHERS: usize = 6;

/// The counts of each value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Distribution {
    /// What is counted, such as `tasks by language`.
    pub name: String,
    /// Fixed values in their own order, others by number.
    pub counts: Vec<Count>,
}

/// How often a value occurs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Count {
    /// The group that it belongs to, such as the phase of a family.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<&'static str>,
    /// The value.
    pub value: String,
    /// How often.
    pub n: usize,
}

/// All distributions.
pub fn distributions(page: &Page) -> Vec<Distribution> {
    let tasks = || page.tasks();
    let inspirations = || {
        page.seminars
            .iter()
            .flat_map(|seminar| &seminar.inspirations)
    };
    let count = |group, value: &str, n| Count {
        group,
        value: value.to_owned(),
        n,
    };
    let families = TaskType::ALL.map(|family| {
        count(
            Some(family.phase().label()),
            family.label(),
            tasks().filter(|task| task.family == Some(family)).count(),
        )
    });
    let difficulties = [Difficulty::Basic, Difficulty::Advanced].map(|of| {
        count(
            None,
            of.label(),
            tasks().filter(|task| task.difficulty == Some(of)).count(),
        )
    });
    let kinds = InspirationType::ALL.map(|kind| {
        count(
            None,
            kind.label(),
            inspirations().filter(|of| of.kind == kind).count(),
        )
    });
    let quarters = ["first", "second", "third", "fourth"]
        .iter()
        .zip(quarters(&page.seminars));
    let of = |name: &str, counts| Distribution {
        name: name.to_owned(),
        counts,
    };
    let mut distributions = vec![
        of("tasks by phase and family", families.into()),
        of("tasks by difficulty", difficulties.into()),
        of(
            "tasks by language",
            by_number(tasks().map(|task| task.language.as_str())),
        ),
        of(
            "tasks by discipline",
            by_number(tasks().filter_map(|task| task.discipline.as_deref())),
        ),
        of("inspirations by type", kinds.into()),
        of(
            "quotes by quarter of the talk",
            quarters.map(|(name, n)| count(None, name, n)).collect(),
        ),
    ];
    let names: BTreeSet<&String> = tasks().flat_map(|task| task.others.keys()).collect();
    for name in names.into_iter().take(OTHERS) {
        let values = tasks().filter_map(|task| task.others.get(name));
        distributions.push(of(
            &format!("tasks by {name}"),
            by_number(values.map(String::as_str)),
        ));
    }
    distributions
}

/// The counts of quotes by the quarter of the talk in which they begin.
fn quarters(seminars: &[Seminar]) -> [usize; 4] {
    let mut quarters = [0; 4];
    for seminar in seminars {
        for quote in seminar.inspirations.iter().flat_map(|of| &of.quotes) {
            let quarter = (quote.start.0 * 4)
                .checked_div(seminar.duration.0)
                .unwrap_or(0);
            quarters[quarter.min(3) as usize] += 1;
        }
    }
    quarters
}

/// The most frequent first, equally frequent ones by name.
fn by_number<'a>(values: impl Iterator<Item = &'a str>) -> Vec<Count> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    values.for_each(|value| *numbers.entry(value).or_default() += 1);
    let mut counts: Vec<Count> = numbers
        .into_iter()
        .map(|(value, n)| Count {
            group: None,
            value: value.to_owned(),
            n,
        })
        .collect();
    counts.sort_by_key(|count| std::cmp::Reverse(count.n));
    counts
}

/// A distribution as bars.
#[derive(Serialize)]
pub struct Drawn {
    name: String,
    n: usize,
    rows: Vec<Row>,
}

/// A bar.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    count: Count,
    /// Safe markup.
    bar: String,
}

/// All distributions as bars.
pub fn drawn(page: &Page) -> Vec<Drawn> {
    distributions(page).into_iter().map(bars).collect()
}

fn bars(of: Distribution) -> Drawn {
    let n = of.counts.iter().map(|count| count.n).sum();
    let counts = shortened(of.counts);
    let most = counts.iter().map(|count| count.n).max().unwrap_or(0);
    let rows = counts.into_iter().map(|count| Row {
        bar: bar(count.n, most),
        count,
    });
    Drawn {
        name: of.name,
        n,
        rows: rows.collect(),
    }
}

fn shortened(mut counts: Vec<Count>) -> Vec<Count> {
    if counts.len() > BARS {
        let rest = counts.split_off(BARS - 1);
        let n = rest.iter().map(|count| count.n).sum();
        counts.push(Count {
            group: None,
            value: format!("{} others", rest.len()),
            n,
        });
    }
    counts
}

/// A bar as long as the share of the longest one; the number beside it is what is read aloud.
fn bar(n: usize, most: usize) -> String {
    let length = if most == 0 {
        0.0
    } else {
        100.0 * n as f64 / most as f64
    };
    let area = svg::area("bar", (0.0, 1.0), (length, 9.0));
    format!(
        "<svg class=\"mini\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">{}</svg>",
        area.trim_end()
    )
}
