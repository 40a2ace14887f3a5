//! `taskgen tasks review`: a person accepts, rejects, pins or edits tasks one at a time, and each
//! decision is saved as it is made. Blind: no decision of others, no rank and no recording is
//! shown.

mod card;
mod summary;

use std::collections::BTreeMap;

use anyhow::Result;

use super::edit;
use crate::{
    cli::{
        args::{Global, Reviewing, TaskReview},
        commands::{people, rank::report},
        project::{Project, resolve},
        ui::{
            exit::{self, Usage},
            keyboard::Keyboard,
            output::Printer,
            session::{self, Deck, Pressed},
        },
    },
    data::{
        Curated, Standing, SubjectKind, Task, TaskDecision, TaskFault, TaskId, id::drawn_place,
    },
    rank::select::{MembershipClass, classify},
    report::listing::{self, Listed},
    store::{NotCurrent, Store},
};

const KEYS: &str = "a accept · p pin · e edit · 1 no research · 2 unclear · 3 cannot be judged · 4 untrue · 5 impossible · 6 double · 7 unfit";

/// The decisions on each task, oldest first.
type Decisions = BTreeMap<TaskId, Vec<TaskDecision>>;

/// Runs the command.
pub fn run(global: &Global, args: &TaskReview, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let reviewer = people::name(args.people.reviewer.as_deref())?;
    drop(project.read_or_hint()?);
    resolve::stop_on_signals(*printer)?;
    let store = project.decide(global)?;
    let mut listed = listing::read(&store)?.tasks;
    if listed.is_empty() {
        return Err(Usage(super::NO_TASKS.into()).into());
    }
    in_order(&store, &mut listed, args.top, project.loaded.config.seed)?;
    let decisions = store.task_decisions()?;
    let is_shown = |of: &Listed| {
        let (votes, standing) = on(&decisions, &of.task.id);
        people::is_shown(&args.people, &reviewer, &votes, standing)
    };
    let open: Vec<Listed> = listed.into_iter().filter(is_shown).collect();
    if open.is_empty() {
        printer.note(&people::nothing_to_review(&args.people, &reviewer));
    }
    let mut deck = Tasks {
        store: &store,
        reviewer: &reviewer,
        said: said(&args.people, &decisions),
        own: own(&decisions, &reviewer),
        open,
        settles: args.people.disputed,
    };
    session::run(&mut deck, &Keyboard::open()?)?;
    let summary = summary::summarize(&reviewer, &store.tasks()?, &store.task_decisions()?);
    printer.show(&summary, summary::text)?;
    store.end_run(&jiff::Timestamp::now().to_string(), exit::DONE)?;
    Ok(exit::DONE)
}

/// What people said of a task, and what that comes to.
fn on(decisions: &Decisions, task: &TaskId) -> (people::Votes, Standing) {
    let of_task = decisions.get(task).map_or(&[][..], Vec::as_slice);
    let votes = of_task.iter().map(|of| (of.by.clone(), of.vote().accepts));
    (votes.collect(), TaskDecision::standing(of_task))
}

/// The decisions of one reviewer.
fn own(decisions: &Decisions, reviewer: &str) -> BTreeMap<TaskId, TaskDecision> {
    let all = decisions.values().flatten();
    all.filter(|decision| decision.by == reviewer)
        .map(|decision| (decision.task.clone(), decision.clone()))
        .collect()
}

/// What was said of the tasks, for who settles it.
fn said(people: &Reviewing, decisions: &Decisions) -> Decisions {
    if people.disputed {
        decisions.clone()
    } else {
        Decisions::new()
    }
}

/// Puts those first of which it is not sure whether they are among the best; each group is in an
/// order that follows from the seed.
fn in_order(store: &Store, listed: &mut [Listed], top: usize, seed: u64) -> Result<()> {
    let mut borderline = Vec::new();
    if store.last_ranking(SubjectKind::Task)?.is_some() {
        let candidates = report::ranked(store, Some(top))?.candidates().into_iter();
        let unsure = candidates.filter(|of| classify(of.membership) == MembershipClass::Borderline);
        borderline.extend(unsure.map(|of| of.id));
        borderline.sort_unstable();
    }
    listed.sort_by_cached_key(|of| {
        let id = of.task.id.as_str();
        let is_unsure = borderline
            .binary_search_by(|unsure| unsure.as_str().cmp(id))
            .is_ok();
        (!is_unsure, drawn_place(seed, id))
    });
    Ok(())
}

/// The tasks of a session.
struct Tasks<'a> {
    store: &'a Store,
    reviewer: &'a str,
    /// What others said, where that is shown.
    said: Decisions,
    /// The reviewer's decisions from before this session, which an undo brings back.
    own: BTreeMap<TaskId, TaskDecision>,
    open: Vec<Listed>,
    /// Whether a decision settles what others disagree on.
    settles: bool,
}

impl Tasks<'_> {
    fn task(&self, at: usize) -> &Task {
        &self.open[at].task
    }

    fn decide(&mut self, at: usize, verdict: Curated, fault: Option<TaskFault>) -> Result<Pressed> {
        let task = self.task(at).id.clone();
        let decision = TaskDecision {
            task,
            by: self.reviewer.to_owned(),
            verdict,
            fault,
            note: String::new(),
            settles: self.settles,
        };
        if let Err(why) = self.store.save_task_decision(&decision)? {
            return self.not_current(at, why);
        }
        let what = format!("{}: {}", decision.label(), decision.task);
        Ok(Pressed::Decided(what))
    }

    /// Nothing was decided: shows the words that somebody gave the task meanwhile, or goes on.
    fn not_current(&mut self, at: usize, why: NotCurrent) -> Result<Pressed> {
        if let NotCurrent::ChangedInto(id) = &why
            && let Some(task) = self.store.task(id)?
        {
            self.open[at].task = task;
            return Ok(Pressed::Changed(
                "somebody changed its words meanwhile: nothing was decided, and this is the new text".to_owned(),
            ));
        }
        Ok(Pressed::Passed(
            "it is no current task any more: nothing was decided".to_owned(),
        ))
    }

    fn edit(&mut self, at: usize) -> Pressed {
        let task = self.task(at);
        let changed = edit::in_editor(&task.text)
            .and_then(|text| edit::changed(self.store, task, &text, self.reviewer, false));
        match changed {
            Ok((task, _)) => {
                let what = format!("changed: it is {} now, and waits for a decision", task.id);
                self.open[at].task = task;
                Pressed::Changed(what)
            }
            // The session goes on.
            Err(why) => Pressed::Changed(format!("{why:#}")),
        }
    }
}

impl Deck for Tasks<'_> {
    fn len(&self) -> usize {
        self.open.len()
    }

    fn card(&self, at: usize) -> Result<String> {
        let of_task = self.said.get(&self.task(at).id);
        card::text(
            self.store,
            &self.open[at],
            of_task.map_or(&[], Vec::as_slice),
        )
    }

    fn keys(&self) -> &'static str {
        KEYS
    }

    fn help(&self) -> String {
        help()
    }

    fn press(&mut self, at: usize, key: &str) -> Result<Pressed> {
        match key {
            "a" => self.decide(at, Curated::Accepted, None),
            "p" => self.decide(at, Curated::Pinned, None),
            "e" => Ok(self.edit(at)),
            key => match fault(key) {
                Some(fault) => self.decide(at, Curated::Rejected, Some(fault)),
                None => Ok(Pressed::Unknown),
            },
        }
    }

    fn undo(&mut self, at: usize) -> Result<()> {
        match self.own.get(&self.task(at).id) {
            // What is not current any more has no decision to come back.
            Some(before) => self.store.save_task_decision(before).map(|_| ()),
            None => self
                .store
                .withdraw_task_decision(&self.task(at).id, self.reviewer),
        }
    }
}

/// The fault that a key names.
fn fault(key: &str) -> Option<TaskFault> {
    let number: usize = key.parse().ok()?;
    TaskFault::ALL.get(number.checked_sub(1)?).copied()
}

fn help() -> String {
    "\
a  accept: it may be chosen
p  pin: it must be chosen, whatever its rank
e  edit: change its words in your editor; the rules of `weave` are checked, and the new text is shown
1  no research: one can answer it from memory, or by one look-up
2  unclear: one cannot tell what is asked, or it leans on what the reader does not have
3  cannot be judged: nobody could say whether what is handed in is right or whole
4  untrue: it rests on something that is false, or that the quotes do not say
5  impossible: it cannot be done with what is public
6  double: another task asks the same
7  unfit: private, harmful or offensive
s  skip: it comes again next time
u  undo the last decision
q  quit: all decisions are saved, and the same command goes on"
        .to_owned()
}
