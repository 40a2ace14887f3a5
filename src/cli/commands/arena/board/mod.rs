//! `taskgen arena leaderboard`: ratings of agents by their matches.

pub mod matches;
mod reference;
mod shown;

use std::collections::BTreeMap;

use anyhow::Result;
use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use serde::Serialize;

use crate::{
    arena::profile::{
        AnswerBias, FailureProfile, KindShare, ValueForMoney, failure_profiles, length_bias,
        reference_bias, value_for_money,
    },
    cli::{
        args::{self, Global},
        project::Project,
        ui::{
            exit::{self, Usage},
            output::Printer,
        },
    },
    stats::{
        binomial::Share,
        bootstrap::Estimate,
        pairwise::ratings::{
            ONLINE_K, ONLINE_START, Options, Rating, Ratings, Seat, Thresholds, online, rate,
            rate_rounds,
        },
    },
};
use matches::{Matches, of_file, of_project};
use reference::{Reference, reference};

/// Resamples of matches behind an interval of points for a dollar.
const RESAMPLES: usize = 1_000;

/// The board.
#[derive(Serialize)]
struct Board {
    /// The tournament, where only its matches count.
    #[serde(skip_serializing_if = "Option::is_none")]
    tournament: Option<String>,
    /// What was rated: the results of matches, or the verdicts of their rounds.
    rated: Rated,
    /// Matches with a result.
    matches: u64,
    /// Matches that have ended without one, and those that are being played.
    without_result: u64,
    /// Matches whose test had not decided when their rounds were over: half a win for each.
    undecided: u64,
    /// Groups of agents that no chain of matches joins.
    components: u32,
    /// What the first seat is worth.
    seat: Option<Seat>,
    /// Where rounds were rated, how far a lead must go for a verdict, in logits.
    #[serde(skip_serializing_if = "Option::is_none")]
    thresholds: Option<Thresholds>,
    agents: Vec<Row>,
    /// Who wrote the questions and who judged, with the number of matches.
    by: BTreeMap<String, u64>,
    /// Do longer answers win?
    length_bias: AnswerBias,
    /// Do answers with more references win?
    reference_bias: AnswerBias,
    /// How far it agrees with another board.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<Reference>,
}

/// What is rated.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Rated {
    /// The results of matches.
    #[default]
    Matches,
    /// The verdicts of their rounds, graded.
    Rounds,
}

#[derive(Serialize)]
struct Row {
    agent: String,
    #[serde(flatten)]
    rating: Rating,
    /// Questions that it did not answer; they are no rounds.
    unanswered: u64,
    /// Its matches that have ended without a result, and those that are being played.
    without_result: u64,
    /// The rating that matches in their order give, each moving it a little.
    online_elo: f64,
    /// What its matches with a result have cost, in dollars, and its points for a dollar; none of a
    /// file's battles.
    money: Option<Money>,
    /// How often it did not win a round, and what it lacked; none without a judged round.
    failures: Option<Failures>,
}

/// An agent's costs without its name, which the row has.
#[derive(Serialize)]
struct Money {
    /// Matches whose cost is known.
    matches: u64,
    /// Matches whose cost is not known; they do not count here.
    unknown: u64,
    cost_usd: f64,
    points_per_usd: Option<Estimate>,
}

impl From<ValueForMoney> for Money {
    fn from(of: ValueForMoney) -> Self {
        Self {
            matches: of.matches,
            unknown: of.unknown,
            cost_usd: of.cost_usd,
            points_per_usd: of.points_per_usd,
        }
    }
}

/// A profile without the agent's name, which the row has.
#[derive(Serialize)]
struct Failures {
    rounds: u64,
    lost: u64,
    tied: u64,
    share: Option<Share>,
    kinds: Vec<KindShare>,
    untagged: u64,
}

impl From<FailureProfile> for Failures {
    fn from(of: FailureProfile) -> Self {
        Self {
            rounds: of.rounds,
            lost: of.lost,
            tied: of.tied,
            share: of.failures,
            kinds: of.kinds,
            untagged: of.untagged,
        }
    }
}

/// Runs the command.
pub fn leaderboard(global: &Global, args: &args::ArenaBoard, printer: &Printer) -> Result<u8> {
    let matches = if let Some(file) = &args.from {
        of_file(file, printer)?
    } else {
        let store = Project::find(global)?.read_or_hint()?;
        of_project(&store, args.tournament.as_deref())?
    };
    if matches.names.is_empty() {
        let hint = "hint: `taskgen arena match --tree NAME A B`, or `taskgen arena tournament NAME --agents a,b,c`";
        return Err(Usage(format!("no matches yet\n{hint}")).into());
    }
    let options = if args.published {
        Options::published()
    } else {
        Options::default()
    };
    let rated = if args.graded {
        Rated::Rounds
    } else {
        Rated::Matches
    };
    let mut board = board(matches, rated, &options);
    board.tournament.clone_from(&args.tournament);
    if let Some(file) = &args.reference {
        if board.components > 1 {
            let hint = "hint: --tournament NAME has the agents of one tournament";
            let what = format!(
                "the agents are {} groups without a match between them: they are on no common scale that another board could be held against",
                board.components
            );
            return Err(Usage(format!("{what}\n{hint}")).into());
        }
        let ratings = board.agents.iter();
        let ratings: Vec<_> = ratings
            .map(|row| (row.agent.clone(), row.rating.elo))
            .collect();
        board.reference = Some(reference(file, &ratings)?);
    }
    printer.show(&board, shown::text)?;
    if let Some(path) = &args.csv {
        shown::write_csv(path, &board)?;
        printer.note(&format!("written: `{}`", path.display()));
    }
    Ok(exit::DONE)
}

fn board(matches: Matches, rated: Rated, options: &Options) -> Board {
    let Matches {
        names,
        games,
        rounds,
        without_result,
        undecided,
        costs,
        judged,
        mut lacking,
        by,
    } = matches;
    // Intervals of ratings come from the curvature; those of money are drawn.
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let Ratings {
        agents,
        components,
        seat,
        thresholds,
        ..
    } = match rated {
        Rated::Matches => rate(names.len(), &games, options, &mut rng),
        Rated::Rounds => rate_rounds(names.len(), &rounds, options, &mut rng),
    };
    let online = online(names.len(), &games, ONLINE_START, ONLINE_K);
    let mut profiles = failure_profiles(&judged);
    let mut money = value_for_money(&costs, RESAMPLES, &mut rng);
    let mut rows: Vec<Row> = names
        .into_iter()
        .zip(agents)
        .zip(online)
        .map(|((agent, rating), online_elo)| {
            let at = profiles.iter().position(|of| of.agent == agent);
            let paid = money.iter().position(|of| of.agent == agent);
            let (unanswered, without_result) = lacking.remove(&agent).unwrap_or_default();
            Row {
                unanswered,
                without_result,
                money: paid.map(|at| money.swap_remove(at).into()),
                failures: at.map(|at| profiles.swap_remove(at).into()),
                agent,
                rating,
                online_elo,
            }
        })
        .collect();
    rows.sort_by(|a, b| {
        // In millionths, so that rounding does not decide between equals.
        let elo = |row: &Row| row.rating.elo.map(|elo| (elo * 1e6).round() as i64);
        elo(b).cmp(&elo(a)).then(a.agent.cmp(&b.agent))
    });
    Board {
        tournament: None,
        rated,
        thresholds,
        reference: None,
        matches: games.len() as u64,
        without_result,
        undecided,
        components,
        seat,
        agents: rows,
        by,
        length_bias: length_bias(&judged),
        reference_bias: reference_bias(&judged),
    }
}
