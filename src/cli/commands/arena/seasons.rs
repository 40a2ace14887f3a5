//! What a tournament and the onboarding of an agent have in common: begun once under a name, and
//! gone on with by that name alone.

use std::{collections::BTreeSet, sync::Arc};

use anyhow::Result;

use super::{play::one, seats::Seats};
use crate::{
    arena::{
        pages::WebPages,
        play::by,
        season::{self, Setup, State},
    },
    cli::{
        args::Global,
        commands::stages,
        project::{Project, resolve},
        ui::{exit::Usage, output::Printer},
    },
    data::InfoTreeId,
    store::{Store, TreeHead},
};

/// A name, and where it is looked for.
pub struct Season<'a> {
    global: &'a Global,
    name: &'a str,
    printer: &'a Printer,
    project: Project,
    store: Arc<Store>,
}

/// One that has begun.
pub struct Begun<'a> {
    of: Season<'a>,
    /// What it is.
    pub setup: Setup,
    seats: Seats,
}

impl<'a> Season<'a> {
    /// Opens the project.
    pub fn open(global: &'a Global, name: &'a str, printer: &'a Printer) -> Result<Self> {
        if global.dry_run {
            let hint = "hint: `taskgen arena match --dry-run` estimates one match";
            return Err(Usage(format!(
                "--dry-run cannot know who meets whom before results are there\n{hint}"
            ))
            .into());
        }
        resolve::stop_on_signals(*printer)?;
        let project = Project::find(global)?;
        let store = Arc::new(project.write(global)?);
        Ok(Self {
            global,
            name,
            printer,
            project,
            store,
        })
    }

    /// The agents that `taskgen.toml` names.
    pub fn configured(&self) -> BTreeSet<String> {
        self.project.loaded.config.agents.keys().cloned().collect()
    }

    /// Goes on with what has this name, or begins what `new` makes of the seed. `differences` says
    /// what the flags name otherwise than what has begun: what was played would not fit.
    pub fn begin(
        self,
        new: impl FnOnce(&Store, u64) -> Result<Setup>,
        differences: impl FnOnce(&Store, &Setup) -> Result<Vec<&'static str>>,
    ) -> Result<Begun<'a>> {
        let known: Option<Setup> = self.store.tournament(self.name)?;
        let setup = if let Some(known) = &known {
            known.clone()
        } else {
            let setup = new(&self.store, self.project.loaded.config.seed)?;
            setup
                .to_play(&[])
                .map_err(|error| Usage(error.to_string()))?;
            setup
        };
        let seats = Seats::ready(
            self.global,
            &self.project,
            &self.store,
            &setup.agents,
            self.printer,
        )?;
        let now = Setup {
            by: by(&seats.ctx)?,
            makers: seats.makers.clone(),
            ..setup
        };
        match &known {
            Some(known) => self.check_same(known, &now, differences(&self.store, known)?)?,
            None => self.store.save_tournament(self.name, &now)?,
        }
        Ok(Begun {
            of: self,
            setup: now,
            seats,
        })
    }

    fn check_same(&self, known: &Setup, now: &Setup, mut other: Vec<&'static str>) -> Result<()> {
        if self.global.seed.is_some_and(|seed| seed != known.seed) {
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
            "`{}` was begun with other {}\nhint: the command with its name alone goes on with it; another name begins another one",
            self.name,
            other.join(", ")
        ))
        .into())
    }
}

impl Begun<'_> {
    /// Plays what is to be played, and returns how far it is.
    pub fn play(&self, jobs: usize, allow_private: bool) -> Result<State> {
        let Season {
            global,
            name,
            printer,
            project,
            store,
        } = &self.of;
        let web = super::web(global, project, allow_private, printer)?;
        let now = jiff::Timestamp::now().to_string();
        let pages = WebPages::new(store, &web, &now);
        let seats = &self.seats;
        let work = async {
            season::run(&seats.ctx, name, &self.setup, jobs, async |duel| {
                let tree = super::tree(store, duel.tree.as_str())?;
                one(seats, &pages, &tree, duel, self.setup.rules).await
            })
            .await
        };
        let events = stages::finished(resolve::block_on(work), &[], store, &seats.ctx, printer)?;
        Ok(self.setup.state(&events)?)
    }
}

/// The trees of these names or ids, by name; all of them where none is named.
pub fn chosen(store: &Store, wanted: &[String]) -> Result<Vec<(String, InfoTreeId)>> {
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
