//! `taskgen arena onboard`: an agent that is new meets those whose matches tell most about it.

use std::{collections::BTreeSet, time::Instant};

use anyhow::Result;
use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use serde::Serialize;

use super::{
    board::matches::of_project,
    play::{differ, rules},
    seasons::{Season, chosen},
};
use crate::{
    arena::{
        season::{Schedule, Setup, State},
        tournament::onboarding::{Known, NextStep, Onboarding, OnboardingOptions},
    },
    cli::{
        args::{self, Global},
        ui::{
            exit::{self, Usage},
            output::{Printer, on_one_line},
        },
    },
    stats::{
        normal::Z95,
        pairwise::ratings::{self, MEAN, POINTS_PER_LOGIT, rate},
    },
    store::Store,
};

/// Standard deviation of an agent's strength that nobody has seen, in logits: 261 points.
const UNKNOWN: f64 = 1.5;
/// Matches of a step at most, one in each seat.
const STEP: u32 = 2;
/// Matches, and Elo points of the rating's standard deviation, unless others are asked for.
const MATCHES: u32 = 60;
const PRECISION: f64 = 50.0;

/// Runs the command.
pub fn onboard(global: &Global, args: &args::Onboard, printer: &Printer) -> Result<u8> {
    let started = Instant::now();
    let usual = format!("onboarding of {}", args.agent);
    let name = args.name.as_deref().unwrap_or(&usual);
    let season = Season::open(global, name, printer)?;
    let configured = season.configured();
    let season = season.begin(
        |store, seed| new(store, args, &configured, seed),
        |store, known| differences(store, args, known),
    )?;
    let State::Newcomer(onboarding) = season.play(args.jobs, args.rules.allow_private_network)?
    else {
        let hint = "hint: choose another name";
        return Err(Usage(format!("`{name}` is a tournament\n{hint}")).into());
    };
    let is_partial = onboarding.without_result > 0 || onboarding.matches == 0;
    printer.show(&Newcomer::of(&args.agent, onboarding), text)?;
    printer.note(&format!(
        "{:.1} s; next: `taskgen arena leaderboard`",
        started.elapsed().as_secs_f64()
    ));
    Ok(if is_partial {
        exit::SOME_FAILED
    } else {
        exit::DONE
    })
}

fn new(
    store: &Store,
    args: &args::Onboard,
    configured: &BTreeSet<String>,
    seed: u64,
) -> Result<Setup> {
    let trees = chosen(store, &args.trees)?;
    let board = board(store, args, configured)?;
    let matches = args.matches.unwrap_or(MATCHES);
    let others = board.iter().map(|known| known.agent.clone());
    Ok(Setup {
        agents: [args.agent.clone()].into_iter().chain(others).collect(),
        seed,
        schedule: Schedule::Newcomer {
            board,
            options: OnboardingOptions {
                trees: trees.iter().map(|(name, _)| name.clone()).collect(),
                trees_per_step: (trees.len() as u32).min(STEP).min(matches),
                attempts: 2,
                cost_cap_usd: f64::from(matches),
                target_deviation: deviation(args.precision.unwrap_or(PRECISION)),
                prior_deviation: UNKNOWN,
            },
        },
        trees,
        rules: rules(args.rules)?,
        by: Default::default(),
        makers: Vec::new(),
    })
}

/// Elo points in logits.
fn deviation(points: f64) -> f64 {
    kept(points / POINTS_PER_LOGIT)
}

/// A number as it is kept, in millionths: its text must give the same number again to the last bit.
fn kept(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

/// The rated agents that the newcomer may meet: those of `taskgen.toml`, or those named. Every
/// match counts as much as every other: what one costs is bounded by `--budget-usd`, as everywhere.
fn board(store: &Store, args: &args::Onboard, configured: &BTreeSet<String>) -> Result<Vec<Known>> {
    let matches = of_project(store, None)?;
    // Intervals come from the curvature: nothing is drawn.
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let options = ratings::Options::default();
    let rated = rate(matches.names.len(), &matches.games, &options, &mut rng);
    let (mut board, mut components) = (Vec::new(), BTreeSet::new());
    for (agent, rating) in matches.names.into_iter().zip(rated.agents) {
        let is_asked_for = if args.against.is_empty() {
            configured.contains(&agent)
        } else {
            args.against.contains(&agent)
        };
        let (Some(elo), Some((low, high))) = (rating.elo, rating.interval) else {
            continue;
        };
        if agent == args.agent || !is_asked_for {
            continue;
        }
        components.insert(rating.component);
        board.push(Known {
            agent,
            strength: kept((elo - MEAN) / POINTS_PER_LOGIT),
            deviation: kept((high - low) / 2.0 / Z95 / POINTS_PER_LOGIT),
            cost_usd: 1.0,
        });
    }
    let missing = args.against.iter();
    let missing = missing.filter(|name| !board.iter().any(|known| known.agent == **name));
    let missing: Vec<&str> = missing.map(String::as_str).collect();
    if board.is_empty() || !missing.is_empty() {
        let hint = "hint: `taskgen arena tournament NAME --agents a,b,c` rates agents";
        let what = if missing.is_empty() {
            "no agent has a rating yet".to_owned()
        } else {
            format!("without a rating: `{}`", missing.join("`, `"))
        };
        return Err(Usage(format!("{what}\n{hint}")).into());
    }
    if components.len() > 1 {
        let hint = "hint: --against agents that a chain of matches joins, or let them meet first";
        let what = format!(
            "the agents are {} groups without a match between them, whose ratings cannot be compared",
            components.len()
        );
        return Err(Usage(format!("{what}\n{hint}")).into());
    }
    Ok(board)
}

/// What the flags name otherwise than what has begun.
fn differences(store: &Store, args: &args::Onboard, known: &Setup) -> Result<Vec<&'static str>> {
    let Schedule::Newcomer { options, .. } = &known.schedule else {
        return Ok(vec!["ways of pairing"]);
    };
    let mut other = Vec::new();
    if known.agents.first() != Some(&args.agent) {
        other.push("agents");
    }
    let against: BTreeSet<&String> = args.against.iter().collect();
    if !against.is_empty() && against != known.agents.iter().skip(1).collect() {
        other.push("opponents");
    }
    if !args.trees.is_empty() && chosen(store, &args.trees)? != known.trees {
        other.push("trees");
    }
    // Both went the same way, so that what was asked for alike is alike to the last bit.
    let others_than = |given: Option<f64>, known: f64| {
        given.is_some_and(|given| given.to_bits() != known.to_bits())
    };
    if others_than(args.matches.map(f64::from), options.cost_cap_usd)
        || others_than(args.precision.map(deviation), options.target_deviation)
    {
        other.push("bounds");
    }
    if differ(args.rules, &known.rules) {
        other.push("bounds of a match");
    }
    Ok(other)
}

/// What is known of the new agent.
#[derive(Serialize)]
struct Newcomer {
    agent: String,
    /// On the scale of the board's ratings; none without a match with a result.
    elo: Option<f64>,
    /// The 95 % interval.
    interval: Option<(f64, f64)>,
    matches: u32,
    without_result: u32,
    steps: u32,
    /// Whether the rating is as precise as was asked for.
    precise: bool,
}

impl Newcomer {
    fn of(agent: &str, known: Onboarding) -> Self {
        let at = |z: f64| MEAN + (known.strength + z * known.deviation) * POINTS_PER_LOGIT;
        let is_rated = known.matches > 0;
        Self {
            agent: agent.to_owned(),
            elo: is_rated.then(|| at(0.0)),
            interval: is_rated.then(|| (at(-Z95), at(Z95))),
            matches: known.matches,
            without_result: known.without_result,
            steps: known.steps,
            precise: is_rated && known.next == NextStep::PreciseEnough,
        }
    }
}

fn text(of: &Newcomer) -> String {
    let rating = match (of.elo, of.interval) {
        (Some(elo), Some((low, high))) => format!("{elo:.0} Elo [{low:.0}, {high:.0}]"),
        _ => "no rating".to_owned(),
    };
    let end = if of.precise {
        "as precise as was asked for"
    } else {
        "less precise than was asked for: as many matches as --matches allows"
    };
    format!(
        "{}: {rating}; {} matches with a result, {} without\n{end}",
        on_one_line(&of.agent),
        of.matches,
        of.without_result
    )
}
