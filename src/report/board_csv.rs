//! Leaderboards as CSV: one line an agent and measure. Hides what a spreadsheet would take for a
//! formula.

use anyhow::Result;

use crate::{
    evaluate::{
        Ratings,
        leaderboard::{Leaderboard, Measure, Row, Table},
    },
    report::words::on_one_line,
};

/// The columns: first those of every leaderboard of this program, then what the number is of, and
/// how far what is missing could move it.
const COLUMNS: [&str; 17] = [
    "rank",
    "name",
    "rating",
    "ci_low",
    "ci_high",
    "n_games",
    "p_top_k",
    "facet",
    "tier",
    "measure",
    "n_total",
    "worst",
    "best",
    "failed_by_rule",
    "complete",
    "rank_best",
    "rank_worst",
];

/// Table with one line an agent and measure, and again for each value of the facet.
pub fn of_board(board: &Leaderboard) -> Result<String> {
    let mut lines = csv::Writer::from_writer(Vec::new());
    lines.write_record(COLUMNS)?;
    let several = board.options.by.len() > 1;
    let groups = board.groups.iter().map(|group| {
        let value = group.value.as_deref().unwrap_or("not known");
        let name = if several {
            format!("{}: {value}", group.facet)
        } else {
            value.to_owned()
        };
        (name, &group.table)
    });
    let families = board.families.iter();
    let families = families.map(|table| ("families".to_owned(), table));
    let whole = std::iter::once(("all".to_owned(), &board.whole));
    for (facet, of) in whole.chain(families).chain(groups) {
        let of: &Table = of;
        for row in &of.agents {
            for (name, measure) in &row.measures {
                lines.write_record(line(&facet, of, row, name, measure))?;
            }
        }
    }
    Ok(String::from_utf8(lines.into_inner()?)?)
}

/// Ranks, tiers and who is complete stand on the line of the measure that they are by: beside
/// another one they would be taken for that one's.
fn line(
    facet: &str,
    table: &Table,
    row: &Row,
    name: &str,
    measure: &Measure,
) -> [String; COLUMNS.len()] {
    let ranks = table.tiers_by == Some(name);
    // Where no measure decides on it, it is about the reports alone.
    let completes = table.complete_by.is_none_or(|key| key == name);
    let (first, last) = row.possible_ranks.filter(|_| ranks).unzip();
    [
        number(row.rank.filter(|_| ranks)),
        plain_cell(&row.agent),
        number(measure.value),
        number(measure.low),
        number(measure.high),
        measure.n.to_string(),
        number(row.p_top_k.filter(|_| ranks)),
        plain_cell(facet),
        number(row.tier.filter(|_| ranks)),
        name.to_owned(),
        measure.of.to_string(),
        number(measure.worst),
        number(measure.best),
        measure.failed_by_rule.to_string(),
        number(completes.then_some(row.is_complete)),
        number(first),
        number(last),
    ]
}

/// The strengths of agents by their games, in the same columns; strengths have no ends, and so no
/// worst and best.
pub fn of_ratings(ratings: &Ratings) -> Result<String> {
    let mut lines = csv::Writer::from_writer(Vec::new());
    lines.write_record(COLUMNS)?;
    for of in &ratings.agents {
        let (low, high) = of.strength.interval.unzip();
        lines.write_record([
            number(of.rank),
            plain_cell(&of.agent),
            of.strength.value.to_string(),
            number(low),
            number(high),
            of.games.to_string(),
            number(of.p_top_k),
            "all".to_owned(),
            String::new(),
            "depth_strength".to_owned(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            of.rank.is_some().to_string(),
            String::new(),
            String::new(),
        ])?;
    }
    Ok(String::from_utf8(lines.into_inner()?)?)
}

fn number(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// What formulas begin with, in the width of either script.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// A stranger's name as a cell that no spreadsheet takes for a formula: one that begins like one
/// gets an apostrophe in front, which spreadsheets do not show. Control characters are blanks.
pub fn plain_cell(text: &str) -> String {
    let text = on_one_line(text);
    if text.trim_start().starts_with(FORMULA) {
        format!("'{text}")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_a_formula() {
        let check = |name, expected| assert_eq!(plain_cell(name), expected);
        check("plain agent", "plain agent");
        check("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0");
        check("+1+1", "'+1+1");
        check("\t=1", "' =1");
        check("＝1+1", "'＝1+1");
        check("\u{202e}=1", "' =1");
        check("a\u{1b}[31m", "a [31m");
    }
}
