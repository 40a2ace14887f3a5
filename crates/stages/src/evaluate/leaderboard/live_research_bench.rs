//! The leaderboard in the layout of LiveResearchBench's main table (arXiv 2510.14240):
//! presentation, consistency, coverage, citation association, and their mean. Hides the rounding,
//! which is the table's too.

use super::{Row, Table};
use crate::benchmarks::live_research_bench::rubric::Four;

/// The columns, in percent.
pub const COLUMNS: [&str; 6] = [
    "system",
    "presentation",
    "consistency",
    "coverage",
    "association",
    "average",
];

/// The measures that the average is of, each weighing the same.
pub const MEASURES: [&str; 4] = ["presentation", "consistency", "coverage", "association"];

/// One row an agent, highest average first, and without one last; – where there is nothing. A value
/// on fewer than all tasks names how many.
pub fn table(board: &Table) -> Vec<Vec<String>> {
    let mut rows: Vec<&Row> = board.agents.iter().collect();
    rows.sort_by(|a, b| {
        let [a_mean, b_mean] = [a, b].map(|row| average(row).unwrap_or(f64::NEG_INFINITY));
        b_mean.total_cmp(&a_mean).then(a.agent.cmp(&b.agent))
    });
    rows.into_iter().map(cells).collect()
}

/// The mean of the four; none where one of them has no value, because a mean of three is another
/// measure.
pub fn average(row: &Row) -> Option<f64> {
    let [presentation, consistency, coverage, citation] = MEASURES.map(|key| row.value(key));
    let four = Four {
        presentation,
        consistency,
        coverage,
        citation,
    };
    four.overall()
}

fn cells(row: &Row) -> Vec<String> {
    let percent = |value: f64| format!("{:.1}", value * 100.0);
    let of = |key: &&str| {
        let Some(measure) = row.measure(key) else {
            return "–".to_owned();
        };
        match measure.value {
            None => "–".to_owned(),
            Some(value) if measure.n < measure.of => {
                format!("{} ({} of {})", percent(value), measure.n, measure.of)
            }
            Some(value) => percent(value),
        }
    };
    let mut cells = vec![row.agent.clone()];
    cells.extend(MEASURES.iter().map(of));
    cells.push(average(row).map_or_else(|| "–".to_owned(), percent));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        data::Score,
        evaluate::{
            leaderboard::{Options, leaderboard},
            scorecard::ReportScores,
        },
    };

    fn report(agent: &str, task: &str, values: [Option<f64>; 4]) -> ReportScores {
        let scores = MEASURES.into_iter().zip(values);
        ReportScores {
            report: format!("{agent} {task}"),
            task: task.to_owned(),
            agent: agent.to_owned(),
            attempt: 1,
            state: "ok".to_owned(),
            scores: scores
                .map(|(key, value)| (key, Score::number(value, "unscored")))
                .collect(),
            ..ReportScores::default()
        }
    }

    /// A row of the published table, and one with a gap: it has no average.
    #[test]
    fn rows_are_the_published_ones_and_a_gap_is_no_zero() {
        let published = [0.716, 0.683, 0.834, 0.690].map(Some);
        let gap = [Some(0.9), None, Some(1.0), Some(1.0)];
        let scored = [
            report("gap", "a", gap),
            report("gap", "b", gap),
            report("gpt-5", "a", published),
            report("gpt-5", "b", [None, Some(0.683), Some(0.834), Some(0.69)]),
        ];
        let options = Options {
            resamples: 10,
            ..Options::default()
        };
        let rows = table(&leaderboard(&scored, &options).whole);
        let first = ["gpt-5", "71.6 (1 of 2)", "68.3", "83.4", "69.0", "73.1"];
        assert_eq!(rows[0], first);
        assert_eq!(rows[1], ["gap", "90.0", "–", "100.0", "100.0", "–"]);
    }
}
