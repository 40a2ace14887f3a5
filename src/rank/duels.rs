//! The judge's side of sequential halving: batches of duels, or of lists first, until the budget is
//! spent or enough is known, then a few duels asked again for the audit. A second run replays the
//! batches from the record.

use anyhow::Result;
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};

use super::{
    Method, Options, Pair,
    ask::{Panel, Question, parameters},
    halving::{self, Halving, Settings, edge_of},
    record::Record,
    roster::Roster,
};
use crate::{
    context::{Context, Notice, StageReport},
    data::{Task, TaskId},
    stats::bradley_terry::Answer,
};

/// Fewer questions than this asked again say nothing; small rankings spend a larger share.
const FEWEST_AGAIN: u64 = 10;

pub(super) async fn run(
    ctx: &Context,
    tasks: &[Task],
    options: &Options,
    report: &mut StageReport,
) -> Result<()> {
    let mut panel = Panel::new(ctx, tasks);
    let mut roster = Roster::new(ctx, options.method == Method::Listwise)?;
    let outcome = play(ctx, &mut panel, &mut roster, options, report).await;
    let method = if options.method == Method::Listwise {
        "listwise"
    } else {
        "halving"
    };
    panel.end(
        &mut roster,
        method,
        parameters(options, tasks.len()),
        outcome,
    )
}

/// Questions, each of which every member of the panel is asked.
struct Budget {
    all: u64,
    /// Those that are asked a second time.
    again: u64,
    /// Members of the panel.
    members: u64,
}

async fn play(
    ctx: &Context,
    panel: &mut Panel<'_>,
    roster: &mut Roster,
    options: &Options,
    report: &mut StageReport,
) -> Result<()> {
    let ids = panel.ids();
    let question = serde_json::json!([
        ids,
        roster.asked(),
        parameters(options, ids.len()),
        ctx.seed
    ])
    .to_string();
    let mut record = Record::begin(ctx, &ids, roster, &question)?;
    if record.count(roster) > 0 {
        report.notes.push(format!(
            "{} verdicts were known from earlier rankings",
            record.count(roster)
        ));
    }
    roster.look(&record.seen(&ids, roster))?;
    let budget = budget(
        ctx,
        options,
        ids.len(),
        &record.verdicts(&ids, roster),
        report,
    );
    (ctx.notify)(Notice::Start {
        stage: "rank",
        total: budget.all * budget.members,
    });
    let mut settings = Settings {
        top: edge_of(ids.len(), options.top),
        calls: (budget.all - budget.again) as usize,
        judges: roster.len(),
        target_recall: (options.target_recall < 1.0).then_some(options.target_recall),
        group: options.group(),
        seed: ctx.seed,
    };
    let mut halving = halving_of(&ids, &record, roster, settings);
    let mut duels: Vec<Pair> = Vec::new();
    let mut spent = 0;
    for round in 1.. {
        let groups = halving.next_groups();
        if groups.is_empty() {
            break;
        }
        spent += groups.len() as u64;
        let (two, several) = questions(&ids, groups, round);
        let before = duels.len();
        duels.extend(two.iter().map(|q| Pair {
            a: q.shown[0].clone(),
            b: q.shown[1].clone(),
        }));
        let (compared, ordered) = (
            panel.compare(two, report).await?,
            panel.order(several, report).await?,
        );
        if let Some(verdicts) = record.take(&ids, roster, compared, ordered) {
            halving.take(verdicts);
        } else {
            // Another judge: what is left of the budget begins again, with its own verdicts.
            duels.drain(..before);
            settings.calls = (budget.all - budget.again).saturating_sub(spent) as usize;
            halving = halving_of(&ids, &record, roster, settings);
        }
        roster.look(&record.seen(&ids, roster))?;
    }
    let audit = asked_again(&duels, budget.again as usize, ctx.seed);
    let asked = spent + audit.len() as u64;
    panel.compare(audit, report).await?;
    report.notes.extend(roster.of_others(record.judges()));
    if asked < budget.all && ids.len() > 1 {
        let why = match () {
            () if halving.is_reached() => format!(
                "were enough to expect a recall of {}",
                options.target_recall
            ),
            () if spent < budget.all - budget.again => {
                "were asked: the tasks have all met each other".to_owned()
            }
            () => "were asked: there are no more duels to ask again".to_owned(),
        };
        let [asked, all] = [asked, budget.all].map(|questions| questions * budget.members);
        report
            .notes
            .push(format!("{asked} of at most {all} judgements {why}"));
    }
    Ok(())
}

/// The way on from what is known; pairs that anybody judged would come from the record.
fn halving_of(ids: &[TaskId], record: &Record, roster: &Roster, settings: Settings) -> Halving {
    let mut halving = Halving::new(ids.len(), &record.verdicts(ids, roster), settings);
    halving.avoid(&record.pairs(ids));
    halving
}

/// The groups as questions: duels, and lists.
fn questions(ids: &[TaskId], groups: Vec<Vec<u32>>, round: u32) -> (Vec<Question>, Vec<Question>) {
    let shown = |group: Vec<u32>| {
        group
            .into_iter()
            .map(|item| ids[item as usize].clone())
            .collect()
    };
    let questions = groups.into_iter().map(|group| Question {
        shown: shown(group),
        sample: 0,
        round,
    });
    questions.partition(|question| question.shown.len() == 2)
}

/// Everybody once comes first; what is left may be asked a second time.
fn budget(
    ctx: &Context,
    options: &Options,
    items: usize,
    known: &[Answer],
    report: &mut StageReport,
) -> Budget {
    let members = ctx.llm.members("judge").max(1) as u64;
    let all = options.calls(items) / members;
    let cover = halving::unseen(items, known).div_ceil(options.group()) as u64;
    if items > 1 && all < cover {
        let (has, needed) = (options.calls(items), cover * members);
        report.notes.push(format!(
            "{has} judgements cannot show each of {items} tasks once: that takes {needed}"
        ));
    }
    Budget {
        all,
        again: again(options, all).min(all.saturating_sub(cover)),
        members,
    }
}

/// How many questions are asked a second time.
fn again(options: &Options, calls: u64) -> u64 {
    let share = (options.audit * calls as f64).ceil() as u64;
    if options.audit > 0.0 {
        share.max(FEWEST_AGAIN.min(calls / 4))
    } else {
        0
    }
}

/// Some of the questions again, half with the sides exchanged and half as they were.
fn asked_again(pairs: &[Pair], wanted: usize, seed: u64) -> Vec<Question> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x000a_0d17);
    let mut chosen: Vec<&Pair> = pairs.iter().collect();
    chosen.shuffle(&mut rng);
    let first_exchanged = u32::from(rng.random::<bool>());
    let questions = chosen
        .into_iter()
        .take(wanted)
        .zip(first_exchanged..)
        .map(|(pair, n)| {
            if n % 2 == 0 {
                Question {
                    shown: vec![pair.b.clone(), pair.a.clone()],
                    sample: 0,
                    round: u32::MAX,
                }
            } else {
                Question {
                    shown: vec![pair.a.clone(), pair.b.clone()],
                    sample: 1,
                    round: u32::MAX,
                }
            }
        });
    questions.collect()
}
