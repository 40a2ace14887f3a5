//! The agents of a match, ready to be asked, and the tools that they and the examiner share.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use anyhow::{Context as _, Result};

use crate::{
    agents::Agent,
    answer,
    arena::play::{DUEL, EXAMINE},
    cli::{
        args::Global,
        commands::reports::answer::say_what_it_gets,
        project::{Project, agents, resolve, roles::Role, settings::AgentConfig},
        ui::{exit::Usage, output::Printer, progress},
    },
    context::Context,
    store::Store,
};

/// The prompt by which a model answers in a match.
const PROMPT: &str = "arena/answer";

/// Agents by name.
pub struct Seats {
    /// The tools.
    pub ctx: Context,
    agents: BTreeMap<String, Box<dyn Agent>>,
    /// Where agents that are programs run.
    pub folder: PathBuf,
    /// A hash of each agent's program or model, in the order of the names.
    pub makers: Vec<String>,
}

impl Seats {
    /// The agents of these names, as `taskgen.toml` has them.
    pub fn ready(
        global: &Global,
        project: &Project,
        store: &Arc<Store>,
        names: &[String],
        printer: &Printer,
    ) -> Result<Self> {
        let settings: Vec<(&String, AgentConfig)> = names
            .iter()
            .map(|name| Ok((name, agents::named(project, name)?)))
            .collect::<Result<_>>()?;
        for (name, settings) in &settings {
            if let Some(command) = &settings.command {
                check_program(global, name)?;
                if let Some(note) = agents::without_sandbox(name, settings) {
                    printer.note(&note);
                }
                say_what_it_gets(name, command, &settings.env, printer);
            }
        }
        let config = &project.loaded.config.roles;
        let mut roles = vec![(EXAMINE, config.get(EXAMINE)), (DUEL, config.get(DUEL))];
        let members: Vec<_> = settings
            .iter()
            .filter_map(|(_, settings)| agents::member(settings))
            .collect();
        if !members.is_empty() {
            roles.push((answer::ROLE, Role(members)));
        }
        let notify = progress::notify_in(project.progress(), global.quiet || global.json);
        let ctx = resolve::context_of(global, project, store, &notify, printer, &roles)?;
        let mut ready = BTreeMap::new();
        let mut member = 0;
        for (name, settings) in &settings {
            let agent = (name.as_str(), settings);
            let agent = agents::asked_with(PROMPT, member, &ctx, global, project, agent)?;
            member += usize::from(settings.model.is_some());
            ready.insert((*name).clone(), agent);
        }
        let makers = settings
            .iter()
            .map(|(_, settings)| agents::maker_of(global, project, settings))
            .collect::<Result<_>>()?;
        let folder = std::path::absolute(project.agents().join("arena"));
        Ok(Self {
            ctx,
            agents: ready,
            makers,
            folder: folder.context("the project's folder is gone")?,
        })
    }

    /// The two agents of a match.
    pub fn both(&self, names: &[String; 2]) -> Result<[&dyn Agent; 2]> {
        let agent = |name: &String| -> Result<&dyn Agent> {
            let agent = self.agents.get(name).map(Box::as_ref);
            agent.context("an agent of the match is not at hand")
        };
        Ok([agent(&names[0])?, agent(&names[1])?])
    }
}

/// Refuses flags that have no meaning for a program, because its actions cannot be foreseen.
fn check_program(global: &Global, name: &str) -> Result<()> {
    let flag = match (global.dry_run, global.replay) {
        (true, _) => "--dry-run",
        (_, true) => "--replay",
        _ => return Ok(()),
    };
    Err(Usage(format!(
        "{flag} runs no program, and the agent `{name}` is one\nhint: `taskgen arena replay` shows matches that were played"
    ))
    .into())
}

/// Refuses an agent against itself.
pub fn check_different(names: &[String]) -> Result<()> {
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort();
    let twice = sorted.windows(2).find_map(|pair| match pair {
        [one, other] if one == other => Some(one),
        _ => None,
    });
    if let Some(twice) = twice {
        return Err(Usage(format!(
            "an agent cannot meet itself: `{twice}`\nhint: name two agents of `taskgen.toml`"
        ))
        .into());
    }
    Ok(())
}
