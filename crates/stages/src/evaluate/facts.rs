//! Measures of a report without a judge: its words, its references, its cost.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::{
    data::{AgentReport, Average, InTable, MeasureDef, Role, Score, Scores, Undecided, Unit},
    evidence::reading,
    store::Store,
};

const NOT_KNOWN: &str = "not known";

/// What all of them have in common.
const FACT: MeasureDef = MeasureDef {
    key: "",
    label: "",
    column: "",
    meaning: "",
    unit: Unit::Count(0),
    most: None,
    higher_is_better: None,
    average: Average::PerTask,
    role: Role::Describes,
    in_table: InTable::Plain,
    whole: None,
    undecided: Undecided::Anything,
};

/// The measures.
pub static MEASURES: [MeasureDef; 5] = [
    MeasureDef {
        key: "references",
        label: "references",
        column: "references",
        meaning: "distinct URLs that a report cites",
        unit: Unit::Count(1),
        ..FACT
    },
    MeasureDef {
        key: "output_tokens",
        label: "output tokens",
        column: "tokens",
        meaning: "tokens that the agent wrote, where known",
        ..FACT
    },
    MeasureDef {
        key: "words",
        label: "words",
        column: "words",
        meaning: "words of a report; a Han character is a word",
        in_table: InTable::Hidden,
        ..FACT
    },
    MeasureDef {
        key: "cost_micro",
        label: "cost",
        column: "cost",
        meaning: "micro-dollars that a report cost, where known",
        unit: Unit::MicroDollars,
        ..FACT
    },
    MeasureDef {
        key: "url_failure_share",
        label: "URL failures",
        column: "URL failures",
        meaning: "share of the cited URLs that gave no text",
        unit: Unit::Share,
        most: Some(1.0),
        higher_is_better: Some(false),
        average: Average::Pooled,
        in_table: InTable::Hidden,
        ..FACT
    },
];

/// What is known of a report.
pub struct Facts {
    /// By measure.
    pub scores: Scores,
    /// Cited URLs that gave no text, by cause.
    pub url_failures: BTreeMap<String, u64>,
}

/// The facts of a report. `failures` tells of each visited URL why it gave no text, or none where
/// it gave some; of a report, the first `most_urls` were to be visited.
pub fn of_report<T>(
    store: &Store,
    report: &AgentReport<T>,
    failures: &BTreeMap<String, Option<String>>,
    most_urls: usize,
) -> Result<Facts> {
    let reading = reading::known(store, &report.id)?;
    let mut url_failures = BTreeMap::new();
    for (at, url) in reading.urls.iter().enumerate() {
        // In the order of the report, as they were fetched: the first ones were to be visited.
        let unvisited = if at < most_urls {
            "not_fetched"
        } else {
            "over_limit"
        };
        let cause = failures.get(url).map_or(Some(unvisited), Option::as_deref);
        if let Some(cause) = cause {
            *url_failures.entry(cause.to_owned()).or_default() += 1;
        }
    }
    let references = reading.urls.len() as f64;
    let failed = url_failures.values().sum::<u64>() as f64;
    let mut urls = reading.urls.iter();
    // A report that cites nothing has no failures to boast of, and where no evaluator has asked for
    // pages there are none either.
    let url_failure_share = if reading.urls.is_empty() {
        Score::missing("no references")
    } else if !urls.any(|url| failures.contains_key(url)) {
        Score::missing("not looked for")
    } else {
        Score::ratio(failed, references)
    };
    // Some servers tell only the sum; it is an upper bound and better than none.
    let tokens = report.spent.output_tokens.or(report.spent.tokens);
    let count = |n: u64| n as f64;
    let scores = Scores::from([
        ("references", Score::ratio(references, 1.0)),
        ("output_tokens", Score::number(tokens.map(count), NOT_KNOWN)),
        ("words", Score::ratio(count(reading.words), 1.0)),
        (
            "cost_micro",
            Score::number(cost_micro(report).map(count), NOT_KNOWN),
        ),
        ("url_failure_share", url_failure_share),
    ]);
    Ok(Facts {
        scores,
        url_failures,
    })
}

/// The cost of a report in micro-dollars, where known.
pub fn cost_micro<T>(report: &AgentReport<T>) -> Option<u64> {
    // Bounded at intake (`AttemptCost::implausible`), so that the cast loses nothing.
    report.spent.cost_usd.map(|usd| (usd * 1e6).round() as u64)
}
