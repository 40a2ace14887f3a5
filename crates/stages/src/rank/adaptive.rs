//! Ranking by adaptively chosen pairs (sequential halving), or by lists first: batches until the
//! budget is spent or enough is known, then a few pairs asked again for the audit. A second run
//! reads the same batches from the store.

use std::collections::BTreeSet;

use anyhow::Result;
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};

use super::{
    Method, Options, Pair, Read, collect::Collector, history::History, items::Items, panel::Panel,
    request::ComparisonRequest,
};
use crate::{
    context::{Context, Notice, StageReport},
    data::ItemId,
    stats::pairwise::{
        bradley_terry::Preference,
        halving::{self, Halving, Settings, effective_top},
    },
};

/// Fewest repetitions that are informative; small rankings spend a larger share on them.
const FEWEST_REPEATS: u64 = 10;

pub(super) async fn run(
    ctx: &Context,
    items: &Items,
    options: &Options,
    report: &mut StageReport,
) -> Result<()> {
    let mut collector = Collector::new(ctx, items, options.read)?;
    let mut panel = Panel::new(ctx, &items.prompts, options)?;
    let outcome = ask_all(ctx, items, &mut collector, &mut panel, options, report).await;
    collector.report_probes(report);
    let method = match options.method {
        Method::Listwise => "listwise",
        Method::Halving | Method::Elo => "halving",
    };
    let parameters = options.parameters(items.len());
    collector.finish(&mut panel, method, parameters, outcome)
}

/// Numbers of questions; every member of the panel is asked each of them.
struct Budget {
    all: u64,
    /// Questions that are asked a second time.
    repeats: u64,
    /// Members of the panel.
    members: u64,
}

impl Budget {
    /// Questions that are asked for the first time.
    fn first_time(&self) -> u64 {
        self.all - self.repeats
    }
}

async fn ask_all(
    ctx: &Context,
    items: &Items,
    collector: &mut Collector<'_>,
    panel: &mut Panel,
    options: &Options,
    report: &mut StageReport,
) -> Result<()> {
    let ids = items.ids();
    let question = question(ctx, &ids, panel, options);
    let mut history = History::begin(ctx, items.kind, &ids, panel, &question)?;
    let known = history.len(panel);
    if known > 0 {
        report
            .notes
            .push(format!("{known} verdicts were known from earlier rankings"));
    }
    panel.check(&history.pair_verdicts(&ids, panel))?;
    let preferences = history.preferences(&ids, panel);
    let budget = budget(ctx, items, options, &preferences, report);
    (ctx.notify)(Notice::Start {
        stage: "rank",
        total: budget.all * budget.members,
    });
    let mut settings = Settings {
        top: effective_top(ids.len(), options.top),
        calls: budget.first_time() as usize,
        judges: panel.len(),
        target_recall: (options.target_recall < 1.0).then_some(options.target_recall),
        group: options.group(),
        seed: ctx.seed,
    };
    let mut halving = halving_from(&ids, &history, panel, settings);
    let shown = history.shown_pairs(&ids);
    let mut pairs: Vec<Pair> = Vec::new();
    let mut spent = 0;
    for round in 1.. {
        let groups = halving.next_batch();
        if groups.is_empty() {
            break;
        }
        spent += groups.len() as u64;
        let (two, several) = requests(&ids, groups, round, &shown);
        let before = pairs.len();
        pairs.extend(two.iter().map(pair_of));
        let compared = collector.compare(two, report).await?;
        let ordered = collector.order(several, report).await?;
        if let Some(verdicts) = history.add(&ids, panel, compared, ordered) {
            halving.add_verdicts(verdicts);
        } else {
            // Another model answers now: that is another judge. What is left of the budget begins
            // anew with its own verdicts, and only pairs of this batch can be asked again: the
            // earlier ones it has never seen.
            pairs.drain(..before);
            settings.calls = budget.first_time().saturating_sub(spent) as usize;
            halving = halving_from(&ids, &history, panel, settings);
        }
        panel.check(&history.pair_verdicts(&ids, panel))?;
    }
    // A verdict that holds both orders is the same with the sides swapped: that tells nothing.
    let swaps = options.read == Read::Words;
    let repeats = repeated_requests(&pairs, budget.repeats as usize, ctx.seed, swaps);
    let asked = spent + repeats.len() as u64;
    collector.compare(repeats, report).await?;
    report
        .notes
        .extend(panel.notes_on_other_models(history.judges()));
    if asked < budget.all && ids.len() > 1 {
        let why = why_ended_early(halving.target_reached(), spent, &budget, options);
        let [asked, all] = [asked, budget.all].map(|questions| questions * budget.members);
        report
            .notes
            .push(format!("{asked} of at most {all} judgements {why}"));
    }
    Ok(())
}

/// The ranking's question as text: a run with the same text goes on where an earlier one stopped.
fn question(ctx: &Context, ids: &[ItemId], panel: &Panel, options: &Options) -> String {
    let parameters = options.parameters(ids.len());
    serde_json::json!([ids, panel.asked(), parameters, ctx.seed]).to_string()
}

/// The choice of pairs, from what is known. Pairs that are closed are left out: asked again, their
/// answers would come from the store and say nothing new.
fn halving_from(ids: &[ItemId], history: &History, panel: &Panel, settings: Settings) -> Halving {
    let mut halving = Halving::new(ids.len(), &history.preferences(ids, panel), settings);
    halving.exclude_pairs(&history.closed_pairs(ids, panel));
    halving
}

/// The groups of a batch as requests: pairs, and lists. A pair that some members of the panel have
/// compared, as `shown`, is shown to the others in the same order: the first ones are not asked
/// again.
fn requests(
    ids: &[ItemId],
    groups: Vec<Vec<u32>>,
    round: u32,
    shown: &BTreeSet<(u32, u32)>,
) -> (Vec<ComparisonRequest>, Vec<ComparisonRequest>) {
    groups
        .into_iter()
        .map(|mut group| {
            if let &[a, b] = group.as_slice()
                && shown.contains(&(b, a))
            {
                group.swap(0, 1);
            }
            group
        })
        .map(|group| ComparisonRequest {
            shown: group
                .into_iter()
                .map(|item| ids[item as usize].clone())
                .collect(),
            sample: 0,
            round,
        })
        .partition(|request| request.shown.len() == 2)
}

fn pair_of(request: &ComparisonRequest) -> Pair {
    Pair {
        a: request.shown[0].clone(),
        b: request.shown[1].clone(),
    }
}

/// Showing every item once comes first; what is left of the budget may ask something a second time.
fn budget(
    ctx: &Context,
    items: &Items,
    options: &Options,
    known: &[Preference],
    report: &mut StageReport,
) -> Budget {
    let n = items.len();
    let members = ctx.llm.members("judge").max(1) as u64;
    let all = options.calls(n) / members;
    let cover = halving::count_unseen(n, known).div_ceil(options.group()) as u64;
    if n > 1 && all < cover {
        let (has, needed) = (options.calls(n), cover * members);
        report.notes.push(format!(
            "{has} judgements cannot show each of {n} {}s once: that takes {needed}",
            items.kind.word()
        ));
    }
    Budget {
        all,
        repeats: repeats(options, all).min(all.saturating_sub(cover)),
        members,
    }
}

/// Number of questions that are asked a second time.
fn repeats(options: &Options, calls: u64) -> u64 {
    if options.audit <= 0.0 {
        return 0;
    }
    let share = (options.audit * calls as f64).ceil() as u64;
    share.max(FEWEST_REPEATS.min(calls / 4))
}

/// Some of the pairs again: half with the sides swapped, which shows position bias, and half (all
/// where nothing `swaps`) as they were, which shows how far the judge repeats itself.
fn repeated_requests(
    pairs: &[Pair],
    wanted: usize,
    seed: u64,
    swaps: bool,
) -> Vec<ComparisonRequest> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x000a_0d17);
    let mut chosen: Vec<&Pair> = pairs.iter().collect();
    chosen.shuffle(&mut rng);
    let swapped_first = u32::from(rng.random::<bool>());
    chosen
        .into_iter()
        .take(wanted)
        .zip(swapped_first..)
        .map(|(pair, n)| repeated_request(pair, swaps && n % 2 == 0))
        .collect()
}

fn repeated_request(pair: &Pair, swapped: bool) -> ComparisonRequest {
    let (first, second) = if swapped {
        (&pair.b, &pair.a)
    } else {
        (&pair.a, &pair.b)
    };
    ComparisonRequest {
        shown: vec![first.clone(), second.clone()],
        // Swapped sides make another prompt; the same prompt needs a number of its own.
        sample: u32::from(!swapped),
        round: u32::MAX,
    }
}

fn why_ended_early(target_reached: bool, spent: u64, budget: &Budget, options: &Options) -> String {
    if target_reached {
        return format!(
            "were enough to expect a recall of {}",
            options.target_recall
        );
    }
    if spent < budget.first_time() {
        return "were asked: all pairs have been compared".to_owned();
    }
    "were asked: there are no more pairs to ask again".to_owned()
}
