//! The leaderboard in the layout of LiveResearchBench's main table (arXiv 2510.14240):
//! presentation, consistency, coverage, citation association, and their mean. Hides the rounding,
//! which is the table's too.

use super::{Parted, Row, Table, places};
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
/// on fewer than all tasks names how many. Agents with a gap in one of the four stand apart.
pub fn table(board: &Table) -> Parted {
    let mut agents: Vec<&Row> = board.agents.iter().collect();
    agents.sort_by(|a, b| {
        let [a_mean, b_mean] = [a, b].map(|row| {
            let sure = if is_complete(row) {
                average(row)
            } else {
                // A high average of few tasks leads nobody.
                average_bounds(row).map(|(worst, _)| worst)
            };
            sure.unwrap_or(f64::NEG_INFINITY)
        });
        b_mean.total_cmp(&a_mean).then(a.agent.cmp(&b.agent))
    });
    let mut rows = Parted::default();
    for row in agents {
        rows.push(is_complete(row), cells(row));
    }
    rows
}

/// Whether it is complete by each of the four.
fn is_complete(row: &Row) -> bool {
    MEASURES.iter().all(|key| places::is_complete_by(row, key))
}

/// What the average could at worst and at best be; none where one of the four is not known.
pub fn average_bounds(row: &Row) -> Option<(f64, f64)> {
    let mut sums = (0.0, 0.0);
    for key in MEASURES {
        let measure = row.measure(key)?;
        sums = (sums.0 + measure.worst?, sums.1 + measure.best?);
    }
    let n = MEASURES.len() as f64;
    Some((sums.0 / n, sums.1 / n))
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
    let mut mean = average(row).map_or_else(|| "–".to_owned(), percent);
    match average_bounds(row) {
        Some((worst, best)) if worst < best => {
            mean.push_str(&format!(" {{{}, {}}}", percent(worst), percent(best)));
        }
        _ => {}
    }
    cells.push(mean);
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
        // One of two presentations is missing: with 0 or 1 for it the average is 9 points lower, or
        // 3.55 points higher.
        let mean = "73.1 {64.1, 76.6}";
        let first = ["gpt-5", "71.6 (1 of 2)", "68.3", "83.4", "69.0", mean];
        assert!(rows.complete.is_empty());
        assert_eq!(rows.incomplete[1], first);
        let second = ["gap", "90.0", "–", "100.0", "100.0", "– {72.5, 97.5}"];
        assert_eq!(rows.incomplete[0], second);
        let whole = ["b", "a"].map(|task| report("whole", task, [Some(0.2); 4]));
        let rows = table(&leaderboard(&[scored.to_vec(), whole.to_vec()].concat(), &options).whole);
        assert_eq!(rows.complete.len(), 1);
        assert_eq!(
            rows.complete[0],
            ["whole", "20.0", "20.0", "20.0", "20.0", "20.0"]
        );
        assert_eq!(rows.incomplete.len(), 2);
    }
}
