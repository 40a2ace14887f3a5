//! Tasks that join two seminars: what is missing in one, and a way of doing things from the other.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use anyhow::Result;

use super::{
    Loom, Options, by_id,
    disciplines::Disciplines,
    plan::Slot,
    rules::Compared,
    single::{Attempt, attempt},
};
use crate::{
    context::{Context, Notice, StageReport},
    data::{CallId, Inspiration, InspirationType, SeminarId, Task, TaskType, primary_language},
    store::{Rejection, SeminarInfo, Weaving},
    text::words::terms,
};

/// Tasks that one inspiration may be joined in.
const MOST_OF_ONE: usize = 2;
/// Families in which two things meet: those of design and those of evaluation, in turn.
const FAMILIES: [[TaskType; 2]; 2] = [
    [TaskType::MethodBlueprint, TaskType::PrototypeSpecification],
    [TaskType::ComparativeAnalysis, TaskType::EmpiricalTest],
];

/// Weaves at most so many tasks from pairs of inspirations of different seminars, and saves them in
/// place of those that there were.
pub async fn across(
    ctx: &Context,
    seminars: &[SeminarInfo],
    most: usize,
    options: &Options,
    disciplines: &Disciplines,
) -> Result<StageReport> {
    let started = Instant::now();
    let mut report = StageReport::new("weave across");
    if most > 0 && ctx.llm.is_code("weave", 0)? {
        let message = "code cannot join the ideas of two talks, that takes a model; such tasks that were there stay\nhint: `--model-role weave=PROVIDER/MODEL`, or leave out `--across`";
        report.fail("tasks across seminars", "no_model", message);
        return Ok(report);
    }
    (ctx.notify)(Notice::Start {
        stage: "weave across",
        total: most as u64,
    });
    let of = by_id(seminars);
    let inspirations = standing(ctx, seminars)?;
    let own = ctx.store.tasks_of_one()?;
    let mut across = Across::default();
    for (turn, (one, other)) in pairs(&inspirations, &of, most).into_iter().enumerate() {
        let (seminar, guest) = (of[&one.seminar], of[&other.seminar]);
        let people = [seminar.people(), guest.people()].concat();
        let mut loom = Loom::new(seminar, people, options, disciplines);
        loom.others = across.others([&one.seminar, &other.seminar], &own);
        loom.harvest.item = format!("{} × {}", seminar.path, guest.path);
        let slot = Slot {
            sources: vec![one, other],
            shown: vec![one, other],
            families: families(turn),
        };
        if let Attempt::Lost(unscored) = attempt(ctx, &slot, &mut loom).await? {
            report.fail_unscored(&loom.harvest.item, &unscored);
            (ctx.notify)(Notice::End);
            return Ok(report);
        }
        across.take(&one.seminar, loom, &mut report);
        (ctx.notify)(Notice::Advance(1));
    }
    (ctx.notify)(Notice::End);
    across.save(ctx, most, &mut report)?;
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// The inspirations that stand, by id, so that the pairs do not depend on the order of the
/// recordings.
fn standing(ctx: &Context, seminars: &[SeminarInfo]) -> Result<Vec<Inspiration>> {
    let mut inspirations = Vec::new();
    for seminar in seminars {
        inspirations.extend(ctx.store.inspirations_of(seminar)?);
    }
    inspirations.retain(Inspiration::stands);
    inspirations.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(inspirations)
}

/// The tasks across seminars while they are woven.
#[derive(Default)]
struct Across {
    woven: Vec<(Task, Option<CallId>)>,
    rejected: BTreeMap<SeminarId, Vec<Rejection>>,
    /// Whether a model had to be asked.
    asked: bool,
    /// Pairs whose replies could not be read.
    unreadable: u64,
}

impl Across {
    /// Tasks that one of two seminars must not repeat: those across seminars, and their own.
    fn others(&self, two: [&SeminarId; 2], own: &[Task]) -> Vec<Compared> {
        let woven = self.woven.iter().map(|(task, _)| task);
        let of_the_two = own.iter().filter(|task| {
            let seminar = task.seminar();
            seminar.is_some_and(|seminar| two.contains(&seminar))
        });
        woven.chain(of_the_two).map(Compared::new).collect()
    }

    /// Takes what became of a pair; its first seminar counts what is refused.
    fn take(&mut self, seminar: &SeminarId, mut loom: Loom<'_>, report: &mut StageReport) {
        self.asked |= loom.asked;
        if loom.unreadable > 0 && loom.kept.is_empty() {
            let message =
                "its replies could not be read\nhint: `taskgen calls --failed` shows them";
            report.fail(&loom.harvest.item, "unreadable_replies", message);
            self.unreadable += 1;
        }
        loom.harvest.kept = loom.kept.len() as u64;
        loom.report.harvests.push(loom.harvest);
        report.absorb(loom.report);
        let rejected = self.rejected.entry(seminar.clone()).or_default();
        rejected.extend(loom.rejected);
        self.woven.extend(loom.kept);
    }

    /// Saves the tasks in place of those that there were.
    fn save(self, ctx: &Context, most: usize, report: &mut StageReport) -> Result<()> {
        let before = ctx.store.count_tasks(Weaving::Across)?;
        // A failing model must not replace good tasks by fewer.
        if self.unreadable > 0 && self.woven.len() < before {
            let note = "the tasks across seminars that were there stay";
            report.notes.push(note.to_owned());
            return Ok(());
        }
        ctx.store
            .save_tasks(Weaving::Across, &self.woven, &self.rejected)?;
        let woven = self.woven.len();
        if most == 0 && before > 0 {
            report.notes.push(format!(
                "tasks across seminars removed, as 0 are wanted: {before}"
            ));
        }
        if woven < most {
            report.notes.push(format!(
                "{woven} of {most} tasks across seminars: two inspirations of different talks in one language must share words, and \
                 the task must pass the rules"
            ));
        }
        let count = if self.asked {
            &mut report.done
        } else {
            &mut report.skipped
        };
        *count += woven as u64;
        Ok(())
    }
}

/// The families that the pair number `turn` is offered.
fn families(turn: usize) -> Vec<TaskType> {
    let mut families = FAMILIES[turn % 2].to_vec();
    if (turn / 2) % 2 == 1 {
        families.reverse();
    }
    families
}

/// The `most` pairs that have most in common: a gap or a claim of one talk, and a way of doing
/// things of another in the same language. None is used more than twice.
fn pairs<'a>(
    inspirations: &'a [Inspiration],
    of: &BTreeMap<&SeminarId, &SeminarInfo>,
    most: usize,
) -> Vec<(&'a Inspiration, &'a Inspiration)> {
    use InspirationType::{Hypothesis, Limitation, Methodology, Transdisciplinary};
    let words: Vec<BTreeSet<String>> = inspirations.iter().map(|i| terms(&i.words())).collect();
    // Which ways of doing things have a term.
    let mut having = BTreeMap::<&String, Vec<usize>>::new();
    for (b, _) in inspirations
        .iter()
        .enumerate()
        .filter(|(_, i)| matches!(i.kind, Methodology | Transdisciplinary))
    {
        words[b]
            .iter()
            .for_each(|term| having.entry(term).or_default().push(b));
    }
    let language = |i: usize| primary_language(&of[&inspirations[i].seminar].language);
    let mut found = Vec::new();
    for (a, one) in inspirations
        .iter()
        .enumerate()
        .filter(|(_, i)| matches!(i.kind, Limitation | Hypothesis))
    {
        let mut shared = BTreeMap::<usize, usize>::new();
        for b in words[a]
            .iter()
            .filter_map(|term| having.get(term))
            .flatten()
        {
            *shared.entry(*b).or_default() += 1;
        }
        shared
            .retain(|b, _| inspirations[*b].seminar != one.seminar && language(a) == language(*b));
        let mut near: Vec<_> = shared
            .into_iter()
            .map(|(b, n)| (std::cmp::Reverse(n), a, b))
            .collect();
        near.sort_unstable();
        // More than these can never be chosen for it.
        near.truncate(most);
        found.extend(near);
    }
    found.sort_unstable();
    let mut used = BTreeMap::<usize, usize>::new();
    let mut chosen = Vec::new();
    for (_, a, b) in found {
        let free = |i: &usize| used.get(i).copied().unwrap_or(0) < MOST_OF_ONE;
        if chosen.len() < most && free(&a) && free(&b) {
            *used.entry(a).or_default() += 1;
            *used.entry(b).or_default() += 1;
            chosen.push((&inspirations[a], &inspirations[b]));
        }
    }
    chosen
}
