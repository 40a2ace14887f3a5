//! `taskgen arena tournament`.

use std::time::Instant;

use anyhow::Result;
use serde::Serialize;

use super::{
    play::{differ, rules},
    seasons::{Season, chosen},
    seats::check_different,
};
use crate::{
    arena::{
        season::{Schedule, Setup, State},
        tournament::{self, Plan},
    },
    cli::{
        args::{self, Global},
        ui::{
            exit::{self, Usage},
            output::{Printer, count, on_one_line, table},
        },
    },
    store::Store,
};

/// Runs the command.
pub fn tournament(global: &Global, args: &args::Tournament, printer: &Printer) -> Result<u8> {
    let started = Instant::now();
    let season = Season::open(global, &args.name, printer)?;
    let season = season.begin(
        |store, seed| new(store, args, seed),
        |store, known| differences(store, args, known),
    )?;
    let allow_private = args.rules.allow_private_network;
    let State::Swiss(plan) = season.play(args.jobs, allow_private)? else {
        return Err(Usage(format!(
            "`{}` is no tournament\nhint: choose another name",
            args.name
        ))
        .into());
    };
    let without: u32 = plan.standings.iter().map(|row| row.without_result).sum();
    printer.show(&Standings::of(&args.name, plan), text)?;
    printer.note(&format!(
        "{:.1} s; next: `taskgen arena leaderboard --tournament {}`",
        started.elapsed().as_secs_f64(),
        args.name
    ));
    Ok(if without > 0 {
        exit::SOME_FAILED
    } else {
        exit::DONE
    })
}

/// A new tournament.
fn new(store: &Store, args: &args::Tournament, seed: u64) -> Result<Setup> {
    if args.agents.len() < 2 {
        return Err(Usage("a tournament needs two agents\nhint: --agents a,b,c".into()).into());
    }
    check_different(&args.agents)?;
    let trees = chosen(store, &args.trees)?;
    let rounds = args
        .swiss_rounds
        .unwrap_or_else(|| tournament::recommended_rounds(args.agents.len() as u32));
    Ok(Setup {
        seed,
        schedule: Schedule::Swiss(tournament::Options {
            rounds,
            trees: trees.iter().map(|(name, _)| name.clone()).collect(),
            trees_per_pairing: trees.len() as u32,
            attempts: 2,
        }),
        trees,
        rules: rules(args.rules)?,
        agents: args.agents.clone(),
        by: Default::default(),
        makers: Vec::new(),
    })
}

/// What the flags name otherwise than the tournament that has begun.
fn differences(store: &Store, args: &args::Tournament, known: &Setup) -> Result<Vec<&'static str>> {
    let mut other = Vec::new();
    if !args.agents.is_empty() && sorted(&args.agents) != sorted(&known.agents) {
        other.push("agents");
    }
    if !args.trees.is_empty() && chosen(store, &args.trees)? != known.trees {
        other.push("trees");
    }
    match &known.schedule {
        Schedule::Swiss(options) => {
            if args
                .swiss_rounds
                .is_some_and(|rounds| rounds != options.rounds)
            {
                other.push("rounds");
            }
        }
        Schedule::Newcomer { .. } => other.push("ways of pairing"),
    }
    if differ(args.rules, &known.rules) {
        other.push("bounds of a match");
    }
    Ok(other)
}

fn sorted(names: &[String]) -> Vec<&String> {
    let mut names: Vec<&String> = names.iter().collect();
    names.sort();
    names
}

/// A tournament in the end.
#[derive(Serialize)]
struct Standings {
    tournament: String,
    #[serde(flatten)]
    plan: Plan,
}

impl Standings {
    fn of(name: &str, plan: Plan) -> Self {
        Self {
            tournament: name.to_owned(),
            plan,
        }
    }
}

fn text(of: &Standings) -> String {
    let mut rows = table(&[
        "agent",
        "points",
        "matches",
        "won",
        "lost",
        "tied",
        "no result",
        "byes",
    ]);
    for row in &of.plan.standings {
        rows.add_row([
            on_one_line(&row.agent),
            format!("{}", f64::from(row.half_points) / 2.0),
            row.matches.to_string(),
            row.wins.to_string(),
            row.losses.to_string(),
            row.ties.to_string(),
            row.without_result.to_string(),
            row.byes.to_string(),
        ]);
    }
    let rounds = count(of.plan.rounds.len() as u64, "round");
    let mut failures: std::collections::BTreeMap<&str, u32> = std::collections::BTreeMap::new();
    for (cause, n) in of.plan.standings.iter().flat_map(|row| &row.failures) {
        // Each failed attempt is counted with both agents.
        *failures.entry(cause).or_default() += n;
    }
    let failures: Vec<String> = failures
        .into_iter()
        .map(|(cause, n)| format!("{cause} {}", n / 2))
        .collect();
    let failures = if failures.is_empty() {
        String::new()
    } else {
        format!("; attempts without a result: {}", failures.join(", "))
    };
    format!(
        "{rows}\n{rounds}, {}{failures}",
        if of.plan.finished {
            "finished"
        } else {
            "not finished"
        }
    )
}
