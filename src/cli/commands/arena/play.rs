//! `taskgen arena match` and `taskgen arena tournament`.

use std::{sync::Arc, time::Instant};

use anyhow::Result;
use serde::Serialize;

use super::{
    replay,
    seats::{Seats, check_different},
};
use crate::{
    arena::{
        pages::{PageSource, WebPages},
        play::{Players, by, play},
        record::MatchRecord,
        season::{self, Setup},
        tournament::{self, Plan},
    },
    cli::{
        args::{self, Global},
        commands::stages,
        project::{Project, resolve},
        ui::{
            exit::{self, Usage},
            output::{Printer, count, on_one_line, table},
        },
    },
    data::{
        InfoTreeId, MatchId,
        arena::{InfoTree, MatchRules},
    },
    store::{DuelHead, Store, TreeHead},
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
    let rules = rules(args.rules);
    let duel = DuelHead {
        id: match_id(&agents, &tree, rules, seed, &seats)?,
        tree: tree.id().clone(),
        agents,
        round: None,
    };
    let web = super::web(global, &project, args.rules.allow_private_network, printer)?;
    let now = jiff::Timestamp::now().to_string();
    let pages = WebPages {
        store: &store,
        pages: &web,
        now: &now,
    };
    let work = one(&seats, &pages, &tree, &duel, rules);
    stages::finished(resolve::block_on(work), &[], &store, &seats.ctx, printer)?;
    if global.dry_run {
        return stages::predicted(&seats.ctx, printer);
    }
    let shown = replay::show(&store, &duel, printer)?;
    Ok(match shown.record.result() {
        Some(Ok(_)) => exit::DONE,
        _ => exit::SOME_FAILED,
    })
}

/// Another seed, other bounds, another agent behind a name, examiner or judge make another match.
fn match_id(
    agents: &[String; 2],
    tree: &InfoTree,
    rules: MatchRules,
    seed: u64,
    seats: &Seats,
) -> Result<MatchId> {
    let rules = serde_json::to_string(&rules)?;
    let seed = seed.to_string();
    let by = by(&seats.ctx)?;
    let mut parts: Vec<&str> = vec![&agents[0], &agents[1], tree.id().as_str(), &rules, &seed];
    parts.extend(by.iter().chain(&seats.makers).map(String::as_str));
    Ok(MatchId::from_parts(&parts))
}

fn rules(of: args::Rules) -> MatchRules {
    MatchRules {
        margin: Some(of.margin),
        most_rounds: of.rounds,
        ..MatchRules::default()
    }
}

/// Plays a match; and what its answers cost in dollars, none if that is not known of all.
async fn one(
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

/// Runs the command.
pub fn tournament(global: &Global, args: &args::Tournament, printer: &Printer) -> Result<u8> {
    let started = Instant::now();
    if global.dry_run {
        let hint = "hint: `taskgen arena match --dry-run` estimates one match";
        return Err(Usage(format!(
            "--dry-run cannot know who meets whom in a tournament\n{hint}"
        ))
        .into());
    }
    resolve::stop_on_signals(*printer)?;
    let project = Project::find(global)?;
    let store = Arc::new(project.write(global)?);
    let known = known(&store, &args.name)?;
    let agents = match &known {
        Some(known) => known.agents.clone(),
        None => entered(args)?,
    };
    let seats = Seats::ready(global, &project, &store, &agents, printer)?;
    let setup = Setup {
        by: by(&seats.ctx)?,
        makers: seats.makers.clone(),
        ..match &known {
            Some(known) => known.clone(),
            None => new(&store, args, agents, project.loaded.config.seed)?,
        }
    };
    match &known {
        Some(known) => check_same(&store, global, args, (known, &setup))?,
        None => store.save_tournament(&args.name, &setup)?,
    }
    let web = super::web(global, &project, args.rules.allow_private_network, printer)?;
    let now = jiff::Timestamp::now().to_string();
    let pages = WebPages {
        store: &store,
        pages: &web,
        now: &now,
    };
    let work = async {
        season::run(&seats.ctx, &args.name, &setup, args.jobs, async |duel| {
            let tree = super::tree(&store, duel.tree.as_str())?;
            one(&seats, &pages, &tree, duel, setup.rules).await
        })
        .await
    };
    let plan = stages::finished(resolve::block_on(work), &[], &store, &seats.ctx, printer)?;
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

/// The tournament of this name, if it has begun.
fn known(store: &Store, name: &str) -> Result<Option<Setup>> {
    let known = store.tournaments::<Setup>()?.into_iter();
    Ok(known
        .into_iter()
        .find(|(of, _)| of == name)
        .map(|(_, setup)| setup))
}

/// The agents of a new tournament.
fn entered(args: &args::Tournament) -> Result<Vec<String>> {
    if args.agents.len() < 2 {
        return Err(Usage("a tournament needs two agents\nhint: --agents a,b,c".into()).into());
    }
    check_different(&args.agents)?;
    Ok(args.agents.clone())
}

/// A new tournament.
fn new(store: &Store, args: &args::Tournament, agents: Vec<String>, seed: u64) -> Result<Setup> {
    let trees = chosen(store, &args.trees)?;
    let rounds = args
        .swiss_rounds
        .unwrap_or_else(|| tournament::recommended_rounds(agents.len() as u32));
    let setup = Setup {
        seed,
        options: tournament::Options {
            rounds,
            trees: trees.iter().map(|(name, _)| name.clone()).collect(),
            trees_per_pairing: trees.len() as u32,
            attempts: 2,
        },
        trees,
        rules: rules(args.rules),
        agents,
        by: Default::default(),
        makers: Vec::new(),
    };
    setup
        .plan(&[])
        .map_err(|error| Usage(format!("{error:#}")))?;
    Ok(setup)
}

/// Refuses to go on with a tournament as another one: what was played would not fit.
fn check_same(
    store: &Store,
    global: &Global,
    args: &args::Tournament,
    (known, now): (&Setup, &Setup),
) -> Result<()> {
    let mut other = Vec::new();
    if !args.agents.is_empty() && sorted(&args.agents) != sorted(&known.agents) {
        other.push("agents");
    }
    if !args.trees.is_empty() && chosen(store, &args.trees)? != known.trees {
        other.push("trees");
    }
    if args
        .swiss_rounds
        .is_some_and(|rounds| rounds != known.options.rounds)
    {
        other.push("rounds");
    }
    let usual = rules(args::Rules::default());
    if rules(args.rules) != usual && rules(args.rules) != known.rules {
        other.push("bounds of a match");
    }
    if global.seed.is_some_and(|seed| seed != known.seed) {
        other.push("a seed");
    }
    if now.by != known.by {
        other.push("an examiner or a judge");
    }
    if now.makers != known.makers {
        other.push("programs or models behind its agents");
    }
    if other.is_empty() {
        return Ok(());
    }
    Err(Usage(format!(
        "the tournament `{}` was begun with other {}\nhint: the command with its name alone goes on with it; another name begins another one",
        args.name,
        other.join(", ")
    ))
    .into())
}

fn sorted(names: &[String]) -> Vec<&String> {
    let mut names: Vec<&String> = names.iter().collect();
    names.sort();
    names
}

/// The trees of these names or ids, by name; all of them where none is named.
fn chosen(store: &Store, wanted: &[String]) -> Result<Vec<(String, InfoTreeId)>> {
    let all = store.trees()?;
    if all.is_empty() {
        let hint = "hint: `taskgen arena trees import FILE`";
        return Err(Usage(format!("there are no trees yet\n{hint}")).into());
    }
    let is = |tree: &TreeHead, of: &String| tree.name == *of || tree.id.as_str() == of;
    for of in wanted {
        if !all.iter().any(|tree| is(tree, of)) {
            super::tree(store, of)?;
        }
    }
    let trees = all
        .into_iter()
        .filter(|tree| wanted.is_empty() || wanted.iter().any(|of| is(tree, of)));
    Ok(trees.map(|tree| (tree.name, tree.id)).collect())
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
