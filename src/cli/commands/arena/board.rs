//! `taskgen arena leaderboard`: ratings of agents by their matches.

use std::{collections::BTreeSet, path::Path};

use anyhow::{Context as _, Result};
use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use serde::Serialize;

use crate::{
    arena::{
        profile::{AnswerBias, FailureProfile, failure_profiles, length_bias, reference_bias},
        record::MatchRecord,
    },
    cli::{
        args::{self, Global},
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, on_one_line, table},
        },
    },
    files,
    stats::pairwise::{
        bradley_terry::Game,
        ratings::{Options, Rating, RatingState, Ratings, Seat, online, rate},
    },
    store::Store,
};

/// Elo points of an agent before its first match, and the factor of a match, of the online variant.
const START: f64 = 1000.0;
const K: f64 = 4.0;

/// The board.
#[derive(Serialize)]
struct Board {
    /// The tournament, where only its matches count.
    #[serde(skip_serializing_if = "Option::is_none")]
    tournament: Option<String>,
    /// Matches with a result.
    matches: u64,
    /// Matches that have ended without one, and those that are being played.
    without_result: u64,
    /// Groups of agents that no chain of matches joins.
    components: u32,
    /// What the first seat is worth.
    seat: Option<Seat>,
    agents: Vec<Row>,
    /// Do longer answers win?
    length_bias: AnswerBias,
    /// Do answers with more references win?
    reference_bias: AnswerBias,
}

#[derive(Serialize)]
struct Row {
    agent: String,
    #[serde(flatten)]
    rating: Rating,
    /// The rating that matches in their order give, each moving it a little.
    online_elo: f64,
    #[serde(flatten)]
    failures: Option<FailureProfile>,
}

/// Runs the command.
pub fn leaderboard(global: &Global, args: &args::ArenaBoard, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let store = project.read_or_hint()?;
    let board = board(
        &store,
        args.tournament.as_deref(),
        project.loaded.config.seed,
    )?;
    printer.show(&board, text)?;
    if let Some(path) = &args.csv {
        write_csv(path, &board)?;
        printer.note(&format!("written: `{}`", path.display()));
    }
    Ok(exit::DONE)
}

fn board(store: &Store, tournament: Option<&str>, seed: u64) -> Result<Board> {
    let mut records = Vec::new();
    for duel in store.duels()? {
        let of = duel.round.as_ref().map(|(name, _)| name.as_str());
        if tournament.is_none() || of == tournament {
            records.push(MatchRecord::of(&store.duel_events(&duel.id)?));
        }
    }
    if records.is_empty() {
        let hint = "hint: `taskgen arena match --tree NAME A B`, or `taskgen arena tournament NAME --agents a,b,c`";
        return Err(Usage(format!("no matches yet\n{hint}")).into());
    }
    let names: BTreeSet<&str> = records
        .iter()
        .flat_map(|record| &record.agents)
        .map(String::as_str)
        .collect();
    let names: Vec<&str> = names.into_iter().collect();
    let number = |name: &str| names.binary_search(&name).unwrap_or_default() as u32;
    let games: Vec<Game> = records
        .iter()
        .filter_map(|record| {
            Some(Game {
                first: number(&record.agents[0]),
                second: number(&record.agents[1]),
                judge: 0,
                score: record.result()?.ok()?.score(),
            })
        })
        .collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let Ratings {
        agents,
        components,
        seat,
        ..
    } = rate(names.len(), &games, &Options::default(), &mut rng);
    let online = online(names.len(), &games, START, K);
    let judged: Vec<_> = records.iter().flat_map(MatchRecord::judged).collect();
    let mut profiles = failure_profiles(&judged);
    let mut rows: Vec<Row> = names
        .iter()
        .zip(agents)
        .zip(online)
        .map(|((name, rating), online_elo)| {
            let at = profiles.iter().position(|of| of.agent == *name);
            Row {
                agent: (*name).to_owned(),
                rating,
                online_elo,
                failures: at.map(|at| profiles.swap_remove(at)),
            }
        })
        .collect();
    rows.sort_by(|a, b| {
        let elo = |row: &Row| row.rating.elo.unwrap_or(f64::NEG_INFINITY);
        elo(b).total_cmp(&elo(a)).then(a.agent.cmp(&b.agent))
    });
    Ok(Board {
        tournament: tournament.map(str::to_owned),
        matches: games.len() as u64,
        without_result: (records.len() - games.len()) as u64,
        components,
        seat,
        agents: rows,
        length_bias: length_bias(&judged),
        reference_bias: reference_bias(&judged),
    })
}

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

fn text(board: &Board) -> String {
    let mut rows = table(&[
        "agent",
        "tier",
        "Elo",
        "matches",
        "won",
        "lost",
        "tied",
        "rounds not won",
        "of them deep, wide",
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
                of.kinds[..2]
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
            "; the first seat is worth {:+.0}{interval} Elo",
            seat.elo
        ));
    }
    if board.components > 1 {
        out.push_str(&format!(
            "\nthe agents are {} groups without a match between them: their ratings cannot be compared",
            board.components
        ));
    }
    out.push_str("\n[low, high] is the 95 % interval; the mean of all is 1000");
    out
}

fn write_csv(path: &Path, board: &Board) -> Result<()> {
    let mut lines = csv::Writer::from_writer(Vec::new());
    lines.write_record([
        "rank", "name", "rating", "ci_low", "ci_high", "n_games", "tier",
    ])?;
    for (at, row) in board.agents.iter().enumerate() {
        let number = |of: Option<f64>| of.map_or_else(String::new, |of| format!("{of:.2}"));
        let (low, high) = row.rating.interval.unzip();
        lines.write_record([
            (at + 1).to_string(),
            row.agent.clone(),
            number(row.rating.elo),
            number(low),
            number(high),
            row.rating.games.to_string(),
            row.rating
                .tier
                .map_or_else(String::new, |tier| tier.to_string()),
        ])?;
    }
    let bytes = lines.into_inner().map_err(|error| error.into_error())?;
    files::write_whole(path, &bytes).context("cannot write the file\nhint: choose another place")
}
