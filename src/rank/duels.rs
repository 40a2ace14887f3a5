//! The judge's side of sequential halving: batches of duels, or of lists first, until the budget is spent or enough is
//! known, then a few duels asked again for the audit. A second run replays the batches from the record.

use anyhow::Result;
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};

use super::{
    Method, NoBetterThanChance, Options, Pair,
    ask::{Panel, Question, asked, is_asked, parameters},
    audit::{Limits, Seen, chance},
    halving::{Halving, Settings, edge_of},
    index::Index,
    judge::Judged,
};
use crate::{
    context::{Context, Notice, StageReport},
    data::Task,
    stats::bradley_terry::Game,
    store::{Judge, Recorded},
};

/// Fewer questions than this asked again say nothing; small rankings spend a larger share.
const FEWEST_AGAIN: u64 = 10;

pub(super) async fn run(ctx: &Context, tasks: &[Task], options: &Options, report: &mut StageReport) -> Result<()> {
    let mut panel = Panel::new(ctx, tasks);
    let outcome = play(ctx, &mut panel, options, report).await;
    // What was judged until a budget or an error ended it is a ranking, too.
    let method = if options.method == Method::Listwise { "listwise" } else { "halving" };
    panel.note(method, parameters(options, tasks.len()))?;
    outcome
}

async fn play(ctx: &Context, panel: &mut Panel<'_>, options: &Options, report: &mut StageReport) -> Result<()> {
    let ids = panel.ids();
    let judges = asked(ctx, options.method == Method::Listwise)?;
    let members = ctx.llm.members("judge").max(1);
    let calls = options.calls(ids.len()) / members as u64;
    let again = again(options, calls);
    let number = |judge: &Judge| judges.iter().position(|(m, p)| *m == judge.model_asked && *p == judge.prompt_hash);
    let index = Index::new(&ids, number);
    let question = serde_json::json!([ids, judges, parameters(options, ids.len()), ctx.seed]);
    let begun = ctx.store.begin_ranking(&question.to_string())?;
    let Before { n: n_known, games: known, mut seen } = before(ctx, &judges, &index, begun)?;
    let settings = Settings {
        top: edge_of(ids.len(), options.top),
        calls: (calls - again) as usize,
        judges: judges.len(),
        target_recall: (options.target_recall < 1.0).then_some(options.target_recall),
        group: options.group(),
        seed: ctx.seed,
    };
    (ctx.notify)(Notice::Start { stage: "rank", total: calls * members as u64 });
    if n_known > 0 {
        report.notes.push(format!("{n_known} verdicts were known from earlier rankings"));
    }
    let mut halving = Halving::new(ids.len(), &known, settings);
    let mut duels: Vec<Pair> = Vec::new();
    let mut spent = 0;
    let mut doubts = vec![None; judges.len()];
    for round in 1.. {
        let groups = halving.next_groups();
        if groups.is_empty() {
            break;
        }
        spent += groups.len() as u64;
        let shown = |group: Vec<u32>| group.into_iter().map(|item| ids[item as usize].clone()).collect();
        let questions = groups.into_iter().map(|group| Question { shown: shown(group), sample: 0, round });
        let (two, several): (Vec<_>, Vec<_>) = questions.partition(|question| question.shown.len() == 2);
        duels.extend(two.iter().map(|q| Pair { a: q.shown[0].clone(), b: q.shown[1].clone() }));
        let compared = recorded(panel.compare(two, report).await?, round);
        let ordered = recorded(panel.order(several, report).await?, round);
        // A verdict that came after a failure counts in the end, and not for the choice of what is asked: that was made
        // without it.
        let in_time = compared.iter().filter(|of| !of.late).filter_map(|of| index.game(of));
        let listed = ordered.iter().filter(|of| !of.late).flat_map(|of| index.list_games(of));
        halving.take(&in_time.chain(listed).collect::<Vec<_>>());
        seen.extend(compared.iter().filter_map(|of| index.seen(of)));
        seen.extend(ordered.iter().flat_map(|of| index.list_seen(of)));
        stop_at_chance(ctx, &judges, &seen, &mut doubts)?;
    }
    let audit = asked_again(&duels, again as usize, ctx.seed);
    spent += audit.len() as u64;
    panel.compare(audit, report).await?;
    if spent < calls {
        let (spent, calls) = (spent * members as u64, calls * members as u64);
        let why = if n_known == 0 && spent == 0 { "were asked" } else { "were enough, or all that there are" };
        report.notes.push(format!("{spent} of at most {calls} judgements {why}"));
    }
    Ok(())
}

/// Judgements from before a question was first asked.
struct Before {
    n: usize,
    games: Vec<Game>,
    seen: Vec<Seen>,
}

/// What is on record from before this question was first asked is known. What came later is asked for in its turn, and
/// found on record then: an interrupted run goes the same way as an undisturbed one.
fn before<F: Fn(&Judge) -> Option<usize>>(
    ctx: &Context,
    judges: &[(String, String)],
    index: &Index<'_, F>,
    begun: i64,
) -> Result<Before> {
    let mut compared = ctx.store.recorded(|model, prompt| is_asked(judges, model, prompt))?;
    let mut ordered = ctx.store.lineups(|model, prompt| is_asked(judges, model, prompt))?;
    compared.retain(|of| of.run < begun && index.seen(of).is_some());
    ordered.retain(|of| of.run < begun && !index.list_games(of).is_empty());
    let games =
        compared.iter().filter_map(|of| index.game(of)).chain(ordered.iter().flat_map(|of| index.list_games(of)));
    let seen = compared.iter().filter_map(|of| index.seen(of)).chain(ordered.iter().flat_map(|of| index.list_seen(of)));
    Ok(Before { n: compared.len() + ordered.len(), games: games.collect(), seen: seen.collect() })
}

fn recorded<T>(judged: Vec<Judged<T>>, round: u32) -> Vec<Recorded<T>> {
    let recorded = |of: Judged<T>| Recorded { told: of.told, judge: of.judge, run: 0, round, late: of.late };
    judged.into_iter().map(recorded).collect()
}

/// How many questions are asked a second time.
fn again(options: &Options, calls: u64) -> u64 {
    let share = (options.audit * calls as f64).ceil() as u64;
    if options.audit > 0.0 { share.max(FEWEST_AGAIN.min(calls / 4)) } else { 0 }
}

/// Some of the questions again, half with the sides exchanged and half as they were.
fn asked_again(pairs: &[Pair], wanted: usize, seed: u64) -> Vec<Question> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x000a_0d17);
    let mut chosen: Vec<&Pair> = pairs.iter().collect();
    chosen.shuffle(&mut rng);
    let first_exchanged = u32::from(rng.random::<bool>());
    let questions = chosen.into_iter().take(wanted).zip(first_exchanged..).map(|(pair, n)| {
        if n % 2 == 0 {
            Question { shown: vec![pair.b.clone(), pair.a.clone()], sample: 0, round: u32::MAX }
        } else {
            Question { shown: vec![pair.a.clone(), pair.b.clone()], sample: 1, round: u32::MAX }
        }
    });
    questions.collect()
}

/// Ends the run where a judge that somebody chose cannot be told from chance; the trial model may go on, with a red line.
/// One look may mislead, and many looks mislead more often: only a doubt that stands after twice as many verdicts counts.
fn stop_at_chance(ctx: &Context, judges: &[(String, String)], seen: &[Seen], doubts: &mut [Option<u64>]) -> Result<()> {
    for (at, (model, _)) in judges.iter().enumerate() {
        if ctx.llm.is_trial("judge", at % ctx.llm.members("judge"))? {
            continue;
        }
        let of_judge: Vec<Seen> = seen.iter().filter(|seen| seen.judge as usize == at).copied().collect();
        let found = chance(&of_judge, Limits::default().chance_alpha).filter(super::audit::Chance::no_better);
        let Some(found) = found else {
            doubts[at] = None;
            continue;
        };
        if found.n >= 2 * *doubts[at].get_or_insert(found.n) {
            let (z, expected) = (found.z.unwrap_or(0.0), found.expected_z);
            return Err(NoBetterThanChance { judge: model.clone(), n: found.n, z, expected }.into());
        }
    }
    Ok(())
}
