//! `taskgen arena match`, and how a match is played for all who play one.

use std::sync::Arc;

use anyhow::Result;

use super::{
    replay,
    seats::{Seats, check_different},
};
use crate::{
    arena::{
        matches::stop::Sprt,
        pages::{PageSource, WebPages},
        play::{Players, by, play},
        record::MatchRecord,
    },
    cli::{
        args::{self, Global},
        commands::stages,
        project::{Project, resolve},
        ui::{
            exit::{self, Usage},
            output::Printer,
        },
    },
    data::{
        MatchId,
        arena::{InfoTree, MatchRules, SequentialTest, Stop},
    },
    store::{DuelHead, Store},
};

/// Runs the command.
pub fn duel(global: &Global, args: &args::Duel, printer: &Printer) -> Result<u8> {
    check_different(&args.agents)?;
    resolve::stop_on_signals(*printer)?;
    let project = Project::find(global)?;
    let store = Arc::new(project.write(global)?);
    let tree = super::tree(&store, &args.tree)?;
    let seats = Seats::ready(global, &project, &store, &args.agents, printer)?;
    let seed = project.loaded.config.seed;
    let agents = [args.agents[0].clone(), args.agents[1].clone()];
    let rules = rules(args.rules)?;
    let parts = match_parts(&agents, &tree, rules, seed, &seats)?;
    let duel = DuelHead {
        id: current(&store, &parts, global.retry_failed)?,
        tree: tree.id().clone(),
        agents,
        round: None,
    };
    let web = super::web(global, &project, args.rules.allow_private_network, printer)?;
    let now = jiff::Timestamp::now().to_string();
    let pages = WebPages::new(&store, &web, &now);
    let work = one(&seats, &pages, &tree, &duel, rules);
    stages::finished(resolve::block_on(work), &[], &store, &seats.ctx, printer)?;
    if global.dry_run {
        return stages::predicted(&seats.ctx, printer);
    }
    let shown = replay::show(&store, &duel, None, printer)?;
    Ok(match shown.record.result() {
        Some(Ok(_)) => exit::DONE,
        _ => exit::SOME_FAILED,
    })
}

/// The id of the match that is played: the last one that was begun. With `anew` one that came to no
/// result is left behind, and the next one is begun.
fn current(store: &Store, parts: &[String], anew: bool) -> Result<MatchId> {
    let id = |attempt: u32| {
        let attempt = (attempt > 0).then(|| attempt.to_string());
        let parts: Vec<&str> = parts.iter().chain(&attempt).map(String::as_str).collect();
        MatchId::from_parts(&parts)
    };
    let mut attempt = 0;
    loop {
        let record = MatchRecord::of(&store.duel_events(&id(attempt))?);
        let failed = matches!(record.result(), Some(Err(_)));
        let begun = store.duel(id(attempt + 1).as_str())?.is_some();
        if !(failed && (begun || anew)) {
            return Ok(id(attempt));
        }
        attempt += 1;
    }
}

/// Another seed, other bounds, another agent behind a name, examiner or judge make another match.
fn match_parts(
    agents: &[String; 2],
    tree: &InfoTree,
    rules: MatchRules,
    seed: u64,
    seats: &Seats,
) -> Result<Vec<String>> {
    let rules = serde_json::to_string(&rules)?;
    let mut parts = agents.to_vec();
    parts.extend([tree.id().to_string(), rules, seed.to_string()]);
    parts.extend(by(&seats.ctx)?);
    parts.extend(seats.makers.iter().cloned());
    Ok(parts)
}

/// The bounds that the flags name.
pub fn rules(of: args::Rules) -> Result<MatchRules> {
    let usual = MatchRules::default();
    let (stop, most_rounds) = match of.stop.unwrap_or_default() {
        args::StopBy::Margin if of.error.or(of.superiority).is_some() => {
            let hint = "hint: add --stop sprt, or leave out --error and --superiority";
            return Err(Usage(format!("a lead in points has no bound on errors\n{hint}")).into());
        }
        args::StopBy::Sprt if of.margin.is_some() => {
            let hint = "hint: leave out --margin, or --stop sprt";
            return Err(Usage(format!("a sequential test has no margin\n{hint}")).into());
        }
        args::StopBy::Margin => (
            of.margin.map_or(usual.stop, Stop::Margin),
            usual.most_rounds,
        ),
        args::StopBy::Sprt => {
            let usual = SequentialTest::default();
            let test = SequentialTest {
                superiority: of.superiority.unwrap_or(usual.superiority),
                error: of.error.unwrap_or(usual.error),
            };
            (Stop::Test(test), Sprt::default().most_rounds)
        }
    };
    Ok(MatchRules {
        stop,
        most_rounds: of.rounds.unwrap_or(most_rounds),
        ..usual
    })
}

/// Whether a flag names another bound than a match is played with.
pub fn differ(of: args::Rules, known: &MatchRules) -> bool {
    let is = |given: Option<u32>, known: u32| given.is_none_or(|given| given == known);
    let same = is(of.rounds, known.most_rounds)
        && match known.stop {
            Stop::Margin(lead) => {
                of.stop.is_none_or(|stop| stop == args::StopBy::Margin)
                    && is(of.margin, lead)
                    && of.error.or(of.superiority).is_none()
            }
            Stop::Test(test) => {
                of.stop.is_none_or(|stop| stop == args::StopBy::Sprt)
                    && of.margin.is_none()
                    && is(of.error, test.error)
                    && is(of.superiority, test.superiority)
            }
        };
    !same
}

/// Plays a match; and what its answers cost in dollars, none if that is not known of all.
pub async fn one(
    seats: &Seats,
    pages: &dyn PageSource,
    tree: &InfoTree,
    duel: &DuelHead,
    rules: MatchRules,
) -> Result<(MatchRecord, Option<f64>)> {
    let players = Players {
        ctx: &seats.ctx,
        agents: seats.both(&duel.agents)?,
        pages,
        folder: &seats.folder,
    };
    let events = play(&players, tree, duel, rules).await?.unwrap_or_default();
    let answers = seats.ctx.store.duel_answers(&duel.id)?;
    let cost = answers.iter().map(|answer| answer.cost.cost_usd).sum();
    Ok((MatchRecord::of(&events), cost))
}
