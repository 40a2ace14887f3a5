//! Tasks that join two seminars: what is missing in one, and a way of doing things from the other.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use anyhow::Result;

use super::{Attempt, Loom, Options, attempt, disciplines::Disciplines, plan::Slot};
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
    let small = ctx.llm.is_builtin("weave", 0)?;
    if small && most > 0 {
        let message = "a built-in model cannot join the ideas of two talks; such tasks that were there stay\nhint: `--model-role weave=PROVIDER/MODEL`, or leave out `--across`";
        report.fail("tasks across seminars", "built_in_model", message);
        return Ok(report);
    }
    (ctx.notify)(Notice::Start {
        stage: "weave across",
        total: most as u64,
    });
    let of: BTreeMap<&SeminarId, &SeminarInfo> = seminars
        .iter()
        .map(|seminar| (&seminar.id, seminar))
        .collect();
    let mut inspirations = Vec::new();
    for seminar in seminars {
        inspirations.extend(
            ctx.store
                .inspirations_of(seminar)?
                .into_iter()
                .filter(Inspiration::stands),
        );
    }
    // By id, so that the pairs do not depend on the order of the recordings.
    inspirations.sort_by(|a, b| a.id.cmp(&b.id));
    let own = ctx.store.tasks_of_one()?;
    let before = ctx.store.count_tasks(Weaving::Across)?;
    let mut woven: Vec<(Task, CallId)> = Vec::new();
    let mut rejected = BTreeMap::<SeminarId, Vec<Rejection>>::new();
    let (mut asked, mut unreadable) = (false, 0);
    for (turn, (one, other)) in pairs(&inspirations, &of, most).into_iter().enumerate() {
        let (seminar, guest) = (of[&one.seminar], of[&other.seminar]);
        let people = [seminar.people(), guest.people()].concat();
        let mut loom = Loom::new(seminar, people, options, disciplines);
        let of_the_two = own.iter().filter(|task| {
            task.seminar()
                .is_some_and(|seminar| *seminar == one.seminar || *seminar == other.seminar)
        });
        loom.others = woven
            .iter()
            .map(|(task, _)| task)
            .chain(of_the_two)
            .cloned()
            .collect();
        loom.harvest.item = format!("{} × {}", seminar.path, guest.path);
        let slot = Slot {
            sources: vec![one, other],
            shown: vec![one, other],
            families: families(turn, small),
        };
        let attempt = attempt(ctx, &slot, &mut loom).await?;
        asked |= loom.asked;
        if let Attempt::Lost(unscored) = attempt {
            report.fail_unscored(&loom.harvest.item, &unscored);
            (ctx.notify)(Notice::End);
            return Ok(report);
        }
        if loom.unreadable > 0 && loom.kept.is_empty() {
            let message =
                "its replies could not be read\nhint: `taskgen calls --failed` shows them";
            report.fail(&loom.harvest.item, "unreadable_replies", message);
            unreadable += 1;
        }
        loom.harvest.kept = loom.kept.len() as u64;
        loom.report.harvests.push(loom.harvest);
        report.absorb(loom.report);
        rejected
            .entry(one.seminar.clone())
            .or_default()
            .extend(loom.rejected);
        woven.extend(loom.kept);
        (ctx.notify)(Notice::Advance(1));
    }
    (ctx.notify)(Notice::End);
    // A failing model must not replace good tasks by fewer.
    if unreadable > 0 && woven.len() < before {
        report
            .notes
            .push("the tasks across seminars that were there stay".to_owned());
        return Ok(report);
    }
    ctx.store.save_tasks(Weaving::Across, &woven, &rejected)?;
    if most == 0 && before > 0 {
        report.notes.push(format!(
            "tasks across seminars removed, as 0 are wanted: {before}"
        ));
    }
    if woven.len() < most {
        report.notes.push(format!(
            "{} of {} tasks across seminars: two inspirations of different talks in one language must share words, and \
             the task must pass the rules",
            woven.len(),
            most
        ));
    }
    *(if asked {
        &mut report.done
    } else {
        &mut report.skipped
    }) += woven.len() as u64;
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// The families of the pair number `turn`: a large model chooses, a small one is asked for each in
/// turn.
fn families(turn: usize, small: bool) -> Vec<TaskType> {
    let [one, other] = FAMILIES[turn % 2];
    let is_second = (turn / 2) % 2 == 1;
    match (small, is_second) {
        (true, false) => vec![one],
        (true, true) => vec![other],
        (false, false) => vec![one, other],
        (false, true) => vec![other, one],
    }
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
