//! `taskgen arena leaderboard`: ratings of agents by their matches.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::{Context as _, Result};
use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use serde::Serialize;

use crate::{
    arena::{
        matches::stop::MatchResult,
        profile::{
            AnswerBias, FailureProfile, JudgedRound, KindShare, failure_profiles, length_bias,
            reference_bias,
        },
        record::MatchRecord,
    },
    benchmarks::dr_arena::{
        files::{Battles, History, JsonFile},
        seats::{BattleFault, BattleFigures, Fought, Seats, of_battle, of_history},
    },
    cli::{
        args::{self, Global},
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, on_one_line, table},
        },
    },
    data::Side,
    files,
    stats::{
        binomial::Share,
        pairwise::{
            bradley_terry::Game,
            ratings::{
                ONLINE_K, ONLINE_START, Options, Rating, RatingState, Ratings, Seat, online, rate,
            },
        },
    },
};

/// Longest file that is read.
const LONGEST: u64 = 256 << 20;

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
    /// Who wrote the questions and who judged, with the number of matches.
    by: BTreeMap<String, u64>,
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
    /// Questions that it did not answer; they are no rounds.
    unanswered: u64,
    /// Its matches that have ended without a result, and those that are being played.
    without_result: u64,
    /// The rating that matches in their order give, each moving it a little.
    online_elo: f64,
    /// How often it did not win a round, and what it lacked; none without a judged round.
    failures: Option<Failures>,
}

/// Matches as they are rated.
#[derive(Default)]
struct Matches {
    /// The agents by name.
    names: Vec<String>,
    /// Matches with a result, in the order in which they were played.
    games: Vec<Game>,
    without_result: u64,
    judged: Vec<JudgedRound>,
    /// By agent: questions that it did not answer, and its matches without a result.
    lacking: BTreeMap<String, (u64, u64)>,
    /// Who asked and judged, with the number of matches.
    by: BTreeMap<String, u64>,
}

impl Matches {
    /// Matches of agents in their seats, each with its result if it has one.
    fn of(matches: Vec<([String; 2], Option<MatchResult>)>, judged: Vec<JudgedRound>) -> Self {
        let names: BTreeSet<&String> = matches.iter().flat_map(|(agents, _)| agents).collect();
        let names: Vec<String> = names.into_iter().cloned().collect();
        let number = |name: &String| names.binary_search(name).unwrap_or_default() as u32;
        let games = matches.iter().filter_map(|(agents, result)| {
            Some(Game {
                first: number(&agents[0]),
                second: number(&agents[1]),
                judge: 0,
                score: (*result)?.score(),
            })
        });
        let games: Vec<Game> = games.collect();
        Self {
            without_result: (matches.len() - games.len()) as u64,
            games,
            names,
            judged,
            ..Self::default()
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
    let matches = match &args.from {
        Some(file) => of_file(file, printer)?,
        None => of_project(global, args.tournament.as_deref())?,
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
    let board = board(matches, args.tournament.clone(), &options);
    printer.show(&board, text)?;
    if let Some(path) = &args.csv {
        write_csv(path, &board)?;
        printer.note(&format!("written: `{}`", path.display()));
    }
    Ok(exit::DONE)
}

fn of_project(global: &Global, tournament: Option<&str>) -> Result<Matches> {
    let store = Project::find(global)?.read_or_hint()?;
    let (mut matches, mut judged) = (Vec::new(), Vec::new());
    let mut lacking: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut by: BTreeMap<String, u64> = BTreeMap::new();
    for duel in store.duels()? {
        let of = duel.round.as_ref().map(|(name, _)| name.as_str());
        if tournament.is_none() || of == tournament {
            let record = MatchRecord::of(&store.duel_events(&duel.id)?);
            let result = record.result().and_then(Result::ok);
            for (agent, unanswered) in duel.agents.iter().zip(record.unanswered()) {
                let of = lacking.entry(agent.clone()).or_default();
                of.0 += unanswered;
                of.1 += u64::from(result.is_none());
            }
            *by.entry(record.by.join(" and ")).or_default() += 1;
            matches.push((duel.agents, result));
            judged.extend(record.judged());
        }
    }
    Ok(Matches {
        lacking,
        by,
        ..Matches::of(matches, judged)
    })
}

/// The battles of a file; those that say nothing are counted by cause.
fn of_file(file: &Path, printer: &Printer) -> Result<Matches> {
    let name = file.display().to_string();
    let length = fs_err::metadata(file)
        .context("hint: name a file of DR-Arena's")?
        .len();
    if length > LONGEST {
        return Err(Usage(format!(
            "`{name}` is longer than {} MB\nhint: is it the right file?",
            LONGEST >> 20
        ))
        .into());
    }
    let bytes = fs_err::read(file)?;
    let battles: Vec<Result<Fought, BattleFault>> =
        if file.extension().is_some_and(|ending| ending == "jsonl") {
            let read = History::read(&name, &bytes);
            for problem in read.problems {
                printer.error(&problem.to_string());
            }
            let lines = read.value.lines.iter();
            lines.map(|(_, line)| of_history(line)).collect()
        } else {
            let read = JsonFile::<Battles>::read(&name, &bytes)?;
            for problem in read.problems {
                printer.error(&problem.to_string());
            }
            let battles = read.value.content;
            let battles = battles.iter().map(|battle| battle.get());
            battles
                .map(|battle| battle.map_or(Err(BattleFault::Missing("battle")), of_battle))
                .collect()
        };
    let mut figures = BattleFigures::default();
    for battle in &battles {
        figures.add(battle);
    }
    for (fault, n) in &figures.faults {
        printer.error(&format!("{n} battles say nothing: {fault}"));
    }
    printer.note(&format!(
        "{} battles, {} ties; in {} the points name the loser, because they stand in the order of the seats: the winner's name counts",
        figures.battles, figures.ties, figures.trapped
    ));
    let matches = battles.into_iter().filter_map(Result::ok).map(|battle| {
        let result = match battle.winner {
            Some(Side::A) => MatchResult::First,
            Some(Side::B) => MatchResult::Second,
            None => MatchResult::Tie,
        };
        // Where the file names both in another order than they sat in, the seats are put right.
        if battle.seats == Seats::Changed {
            let [first, second] = battle.agents;
            ([second, first], Some(result.swapped()))
        } else {
            (battle.agents, Some(result))
        }
    });
    Ok(Matches::of(matches.collect(), Vec::new()))
}

fn board(matches: Matches, tournament: Option<String>, options: &Options) -> Board {
    let Matches {
        names,
        games,
        without_result,
        judged,
        mut lacking,
        by,
    } = matches;
    // Intervals come from the curvature: nothing is drawn.
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let Ratings {
        agents,
        components,
        seat,
        ..
    } = rate(names.len(), &games, options, &mut rng);
    let online = online(names.len(), &games, ONLINE_START, ONLINE_K);
    let mut profiles = failure_profiles(&judged);
    let mut rows: Vec<Row> = names
        .into_iter()
        .zip(agents)
        .zip(online)
        .map(|((agent, rating), online_elo)| {
            let at = profiles.iter().position(|of| of.agent == agent);
            let (unanswered, without_result) = lacking.remove(&agent).unwrap_or_default();
            Row {
                unanswered,
                without_result,
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
        tournament,
        matches: games.len() as u64,
        without_result,
        components,
        seat,
        agents: rows,
        by,
        length_bias: length_bias(&judged),
        reference_bias: reference_bias(&judged),
    }
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
    if board.by.len() > 1 {
        out.push_str("\nmatches by different examiners or judges are rated together:");
        for (by, n) in &board.by {
            out.push_str(&format!("\n  {n} by {}", on_one_line(by)));
        }
    }
    out.push_str("\n[low, high] is the 95 % interval; the mean of all is 1000");
    out
}

fn write_csv(path: &Path, board: &Board) -> Result<()> {
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
