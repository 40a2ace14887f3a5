//! The judge's side of sequential halving: batches of duels until the budget is spent or enough is known, then a few
//! questions asked again for the audit. A second run replays the batches from the record.

use std::collections::BTreeMap;

use anyhow::Result;
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};

use super::{
    NoBetterThanChance, Options, Pair,
    ask::{Panel, Question, asked, is_asked, parameters},
    audit::{Limits, Seen, chance},
    fold::game,
    halving::{Halving, Settings, edge_of},
    judge::Judged,
};
use crate::{
    context::{Context, Notice, StageReport},
    data::{Comparison, Task, TaskId},
    stats::bradley_terry::Game,
    store::{IMPORTED, Recorded},
};

/// Fewer questions than this asked again say nothing; small rankings spend a larger share.
const FEWEST_AGAIN: u64 = 10;

pub(super) async fn run(ctx: &Context, tasks: &[Task], options: &Options, report: &mut StageReport) -> Result<()> {
    let mut panel = Panel::new(ctx, tasks);
    let outcome = play(ctx, &mut panel, options, report).await;
    // What was judged until a budget or an error ended it is a ranking, too.
    panel.note("halving", parameters(options, tasks.len()))?;
    outcome
}

async fn play(ctx: &Context, panel: &mut Panel<'_>, options: &Options, report: &mut StageReport) -> Result<()> {
    let ids = panel.ids();
    let judges = asked(ctx)?;
    let calls = options.calls(ids.len()) / judges.len().max(1) as u64;
    let again = again(options, calls);
    let index = Index::new(&ids, &judges);
    let question = serde_json::json!([ids, judges, parameters(options, ids.len()), ctx.seed]);
    let begun = ctx.store.begin_ranking(&question.to_string())?;
    // What is on record from before this question was first asked is known. What came later is asked for in its turn, and
    // found on record then: an interrupted run goes the same way as an undisturbed one.
    let mut before = ctx.store.recorded(|model, prompt| is_asked(&judges, model, prompt))?;
    before.retain(|recorded| recorded.run < begun);
    let known: Vec<Game> = before.iter().filter_map(|recorded| index.game(recorded)).collect();
    let mut seen: Vec<Seen> = before.iter().filter_map(|recorded| index.seen(recorded)).collect();
    let settings = Settings {
        top: edge_of(ids.len(), options.top),
        calls: (calls - again) as usize,
        judges: judges.len(),
        target_recall: (options.target_recall < 1.0).then_some(options.target_recall),
        seed: ctx.seed,
    };
    (ctx.notify)(Notice::Start { stage: "rank", total: calls * judges.len() as u64 });
    if !known.is_empty() {
        report.notes.push(format!("{} verdicts were known from earlier rankings", known.len()));
    }
    let mut halving = Halving::new(ids.len(), &known, settings);
    let mut questions: Vec<Pair> = Vec::new();
    let mut doubts = vec![None; judges.len()];
    for round in 1.. {
        let pairs = halving.next_pairs();
        if pairs.is_empty() {
            break;
        }
        let pair = |&(a, b): &(u32, u32)| Pair { a: ids[a as usize].clone(), b: ids[b as usize].clone() };
        let pairs: Vec<Pair> = pairs.iter().map(pair).collect();
        let batch = pairs.iter().map(|pair| Question { pair: pair.clone(), sample: 0, round }).collect();
        let batch: Vec<Recorded> = panel.ask(batch, report).await?.into_iter().map(|j| j.recorded(round)).collect();
        // A verdict that came after a failure counts in the end, and not for the choice of pairs: that was made without it.
        let in_time = batch.iter().filter(|recorded| !recorded.late);
        halving.take(&in_time.filter_map(|recorded| index.game(recorded)).collect::<Vec<_>>());
        seen.extend(batch.iter().filter_map(|recorded| index.seen(recorded)));
        stop_at_chance(ctx, &judges, &seen, &mut doubts)?;
        questions.extend(pairs);
    }
    let audit = asked_again(&questions, again as usize, ctx.seed);
    let spent = (questions.len() + audit.len()) as u64;
    panel.ask(audit, report).await?;
    if spent < calls {
        let (spent, calls) = (spent * judges.len() as u64, calls * judges.len() as u64);
        let why = if known.len() + questions.len() > 0 { "were enough, or all that there are" } else { "were asked" };
        report.notes.push(format!("{spent} of at most {calls} judgements {why}"));
    }
    Ok(())
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
    let turned = |pair: &Pair| Pair { a: pair.b.clone(), b: pair.a.clone() };
    let first_exchanged = u32::from(rng.random::<bool>());
    let questions = chosen.into_iter().take(wanted).zip(first_exchanged..).map(|(pair, n)| {
        if n % 2 == 0 {
            Question { pair: turned(pair), sample: 0, round: u32::MAX }
        } else {
            Question { pair: pair.clone(), sample: 1, round: u32::MAX }
        }
    });
    questions.collect()
}

/// Ends the run where a judge that somebody chose cannot be told from chance; the trial model may go on, with a red line.
/// One look may mislead, and many looks mislead more often: only a doubt that stands after twice as many verdicts counts.
fn stop_at_chance(ctx: &Context, judges: &[(String, String)], seen: &[Seen], doubts: &mut [Option<u64>]) -> Result<()> {
    for (member, (model, _)) in judges.iter().enumerate() {
        if ctx.llm.is_trial("judge", member)? {
            continue;
        }
        let of_member: Vec<Seen> = seen.iter().filter(|seen| seen.judge as usize == member).copied().collect();
        let found = chance(&of_member, Limits::default().chance_alpha).filter(super::audit::Chance::no_better);
        let Some(found) = found else {
            doubts[member] = None;
            continue;
        };
        if found.n >= 2 * *doubts[member].get_or_insert(found.n) {
            let (z, expected) = (found.z.unwrap_or(0.0), found.expected_z);
            return Err(NoBetterThanChance { judge: model.clone(), n: found.n, z, expected }.into());
        }
    }
    Ok(())
}

/// Tasks and judges by number.
pub(super) struct Index<'a> {
    tasks: BTreeMap<&'a TaskId, u32>,
    judges: BTreeMap<&'a str, u32>,
}

impl<'a> Index<'a> {
    pub fn new(ids: &'a [TaskId], judges: &'a [(String, String)]) -> Self {
        Self {
            tasks: ids.iter().zip(0..).collect(),
            judges: judges.iter().map(|(model, _)| model.as_str()).zip(0..).collect(),
        }
    }

    /// Whether both tasks are among them.
    pub fn knows(&self, comparison: &Comparison) -> bool {
        self.tasks.contains_key(&comparison.a) && self.tasks.contains_key(&comparison.b)
    }

    /// A verdict on two of the tasks, as a game.
    pub fn game(&self, recorded: &Recorded) -> Option<Game> {
        // A model that is asked the same again says the same; of people, each one counts.
        let counts = |seen: &Seen| seen.sample == 0 || recorded.judge.prompt_hash == IMPORTED;
        let seen = self.seen(recorded).filter(counts)?;
        Some(game(&seen))
    }

    /// A verdict on two of the tasks, as the audit sees it.
    pub fn seen(&self, recorded: &Recorded) -> Option<Seen> {
        let comparison = &recorded.comparison;
        let verdict = comparison.outcome.as_ref().ok()?;
        Some(Seen {
            first: *self.tasks.get(&comparison.a)?,
            second: *self.tasks.get(&comparison.b)?,
            judge: *self.judges.get(recorded.judge.model_asked.as_str())?,
            sample: comparison.sample,
            score: verdict.outcome(),
            confidence: verdict.confidence,
        })
    }
}

impl Judged {
    fn recorded(self, round: u32) -> Recorded {
        Recorded { comparison: self.comparison, judge: self.judge, run: 0, round, late: self.late }
    }
}
