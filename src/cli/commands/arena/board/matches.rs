//! Matches as they are rated: of a project, or of DR-Arena's files.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::{Context as _, Result};

use crate::{
    arena::{
        matches::stop::MatchResult,
        profile::{JudgedRound, MatchCost},
        record::MatchRecord,
    },
    benchmarks::dr_arena::{
        files::{Battles, History, JsonFile},
        seats::{BattleFault, BattleFigures, Fought, Seats, of_battle, of_history},
    },
    cli::ui::{exit::Usage, output::Printer},
    data::Side,
    stats::pairwise::{GradedGame, bradley_terry::Game},
    store::{DuelHead, Store},
};

/// Longest file that is read.
const LONGEST: u64 = 256 << 20;

/// Matches as they are rated.
#[derive(Default)]
pub struct Matches {
    /// The agents by name.
    pub names: Vec<String>,
    /// Matches with a result, in the order in which they were played.
    pub games: Vec<Game>,
    /// The verdicts of the rounds, match by match.
    pub rounds: Vec<Vec<GradedGame>>,
    /// Matches that have ended without a result, and those that are being played.
    pub without_result: u64,
    /// Matches whose test had not decided.
    pub undecided: u64,
    /// What the answers of each match with a result cost.
    pub costs: Vec<[MatchCost; 2]>,
    /// The judged rounds.
    pub judged: Vec<JudgedRound>,
    /// By agent: questions that it did not answer, and its matches without a result.
    pub lacking: BTreeMap<String, (u64, u64)>,
    /// Who asked and judged, with the number of matches.
    pub by: BTreeMap<String, u64>,
}

impl Matches {
    /// Matches of agents in their seats, each with its result if it has one.
    fn of(matches: Vec<([String; 2], Option<MatchResult>)>, judged: Vec<Vec<JudgedRound>>) -> Self {
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
        let undecided = matches
            .iter()
            .filter(|(_, result)| *result == Some(MatchResult::Undecided));
        let graded = |round: &JudgedRound| GradedGame {
            first: number(&round.first),
            second: number(&round.second),
            grade: round.grade,
        };
        let rounds = judged
            .iter()
            .map(|rounds| rounds.iter().map(graded).collect());
        Self {
            rounds: rounds.collect(),
            undecided: undecided.count() as u64,
            without_result: (matches.len() - games.len()) as u64,
            games,
            names,
            judged: judged.into_iter().flatten().collect(),
            ..Self::default()
        }
    }
}

/// The matches of a project, or of one of its tournaments.
pub fn of_project(store: &Store, tournament: Option<&str>) -> Result<Matches> {
    let (mut matches, mut judged, mut costs) = (Vec::new(), Vec::new(), Vec::new());
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
            if let Some(result) = result {
                costs.push(cost_of(store, &duel, result)?);
            }
            *by.entry(record.by.join(" and ")).or_default() += 1;
            matches.push((duel.agents, result));
            judged.push(record.judged());
        }
    }
    Ok(Matches {
        costs,
        lacking,
        by,
        ..Matches::of(matches, judged)
    })
}

/// Both parts in a match. An answer of unknown cost makes its agent's part unknown.
fn cost_of(store: &Store, duel: &DuelHead, result: MatchResult) -> Result<[MatchCost; 2]> {
    let answers = store.duel_answers(&duel.id)?;
    let part = |side: Side, score: f64| {
        let own = answers.iter().filter(|answer| answer.side == side);
        MatchCost {
            agent: duel.agents[usize::from(side == Side::B)].clone(),
            score,
            cost_usd: own.map(|answer| answer.cost.cost_usd).sum(),
        }
    };
    let first = result.score();
    Ok([part(Side::A, first), part(Side::B, 1.0 - first)])
}

/// The battles of a file; those that say nothing are counted by cause.
pub fn of_file(file: &Path, printer: &Printer) -> Result<Matches> {
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
