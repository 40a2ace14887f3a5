//! A board as a table and as CSV.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context as _, Result};

use super::{Board, Rated, reference::Reference};
use crate::{
    cli::ui::output::{on_one_line, table},
    files,
    stats::{
        correlation::Correlation,
        pairwise::ratings::{Rating, RatingState},
    },
};

fn elo(rating: &Rating) -> String {
    match (rating.elo, rating.interval) {
        (Some(elo), Some((low, high))) => format!("{elo:.0} [{low:.0}, {high:.0}]"),
        (Some(elo), None) => format!("{elo:.0}"),
        (None, _) => match rating.state {
            RatingState::Unplayed => "no match".to_owned(),
            _ => "–".to_owned(),
        },
    }
}

/// The board for people.
pub fn text(board: &Board) -> String {
    let (points, games) = match board.rated {
        Rated::Matches => ("Elo", "matches"),
        Rated::Rounds => ("points by rounds", "rounds"),
    };
    let mut rows = table(&[
        "agent",
        "tier",
        points,
        games,
        "won",
        "lost",
        "tied",
        "no answer",
        "rounds not won",
        "deep, wide, both, neither",
    ]);
    for row in &board.agents {
        let Rating {
            games,
            wins,
            losses,
            ties,
            tier,
            ..
        } = row.rating;
        let (failed, kinds) = match &row.failures {
            Some(of) => (
                format!("{} of {}", of.lost + of.tied, of.rounds),
                of.kinds
                    .iter()
                    .map(|kind| kind.rounds.to_string())
                    .collect::<Vec<_>>()
                    .join(", "),
            ),
            None => ("–".to_owned(), "–".to_owned()),
        };
        rows.add_row([
            on_one_line(&row.agent),
            tier.map_or_else(|| "–".to_owned(), |tier| tier.to_string()),
            elo(&row.rating),
            games.to_string(),
            wins.to_string(),
            losses.to_string(),
            ties.to_string(),
            row.unanswered.to_string(),
            failed,
            kinds,
        ]);
    }
    let mut out = format!(
        "{rows}\n{} matches with a result, {} without",
        board.matches, board.without_result
    );
    if let Some(seat) = &board.seat {
        let interval = seat
            .interval
            .map_or_else(String::new, |(low, high)| format!(" [{low:.0}, {high:.0}]"));
        out.push_str(&format!(
            "; the first seat is worth {:+.0}{interval} {points}",
            seat.elo
        ));
    }
    if board.undecided > 0 {
        out.push_str(&format!(
            "; {} undecided, half a win for each",
            board.undecided
        ));
    }
    if board.components > 1 {
        out.push_str(&format!(
            "\nthe agents are {} groups without a match between them: their ratings cannot be compared",
            board.components
        ));
    }
    if board.by.len() > 1 {
        out.push_str("\nmatches by different examiners or judges are rated together:");
        for (by, n) in &board.by {
            out.push_str(&format!("\n  {n} by {}", on_one_line(by)));
        }
    }
    for (what, bias) in [
        ("longer answers", &board.length_bias),
        ("answers with more references", &board.reference_bias),
    ] {
        if let Some(share) = bias.share {
            let [value, low, high] = [share.value, share.low, share.high].map(|of| 100.0 * of);
            out.push_str(&format!(
                "\n{what} win {value:.0} % [{low:.0}, {high:.0}] of {} decisive rounds",
                bias.n
            ));
        }
    }
    out.push_str(&money(board));
    if let Some(of) = &board.reference {
        out.push_str(&reference(of));
    }
    out.push_str("\n[low, high] is the 95 % interval; the mean of all is 1000");
    if board.rated == Rated::Rounds {
        out.push_str("; 400 points by rounds are odds of ten to one of the better verdict");
    }
    out
}

/// Points for a dollar, where anything was paid.
fn money(board: &Board) -> String {
    let paid = board.agents.iter().filter_map(|row| {
        let money = row.money.as_ref()?;
        let points = money.points_per_usd?;
        let interval = points
            .interval
            .map_or_else(String::new, |(low, high)| format!(" [{low:.2}, {high:.2}]"));
        Some(format!(
            "{} {:.2}{interval} for ${:.2}",
            on_one_line(&row.agent),
            points.value,
            money.cost_usd
        ))
    });
    let paid: Vec<String> = paid.collect();
    if paid.is_empty() {
        return String::new();
    }
    format!("\nmatches won a dollar: {}", paid.join(", "))
}

fn reference(of: &Reference) -> String {
    let agreement = &of.agreement;
    let coefficient = |name: &str, of: Option<Correlation>| {
        let Some(of) = of else {
            return format!("{name} –");
        };
        let interval = of.interval;
        let interval =
            interval.map_or_else(String::new, |(low, high)| format!(" [{low:.3}, {high:.3}]"));
        format!("{name} {:.3}{interval}", of.value)
    };
    format!(
        "\nbeside `{}`: {} agents on both, {} on one alone; {}, {}, {}",
        on_one_line(&of.file),
        agreement.agents,
        agreement.missing,
        coefficient("Spearman's ρ", agreement.spearman),
        coefficient("Pearson's r", agreement.pearson),
        coefficient("Kendall's τ", agreement.kendall)
    )
}

/// Writes the board's table.
pub fn write_csv(path: &Path, board: &Board) -> Result<()> {
    let mut lines = csv::Writer::from_writer(Vec::new());
    lines.write_record([
        "rank",
        "name",
        "rating",
        "ci_low",
        "ci_high",
        "n_games",
        "tier",
        "group",
        "unanswered",
    ])?;
    let mut ranks: BTreeMap<u32, u32> = BTreeMap::new();
    for row in &board.agents {
        // Ranks are of agents that can be compared; without a rating there is none.
        let rank = row.rating.elo.map(|_| {
            let rank = ranks.entry(row.rating.component).or_default();
            *rank += 1;
            *rank
        });
        let number = |of: Option<f64>| of.map_or_else(String::new, |of| format!("{of:.2}"));
        let whole = |of: Option<u32>| of.map_or_else(String::new, |of| of.to_string());
        let (low, high) = row.rating.interval.unzip();
        lines.write_record([
            whole(rank),
            row.agent.clone(),
            number(row.rating.elo),
            number(low),
            number(high),
            row.rating.games.to_string(),
            whole(row.rating.tier),
            row.rating.component.to_string(),
            row.unanswered.to_string(),
        ])?;
    }
    let bytes = lines
        .into_inner()
        .map_err(csv::IntoInnerError::into_error)?;
    files::write_whole(path, &bytes).context("cannot write the file\nhint: choose another place")
}
