//! Verdicts of a whole panel on a batch of requests: each one is saved the moment it is there, and
//! failures are counted. Hides who is asked in which order.

use std::collections::BTreeSet;

use anyhow::Result;

use super::{
    Read,
    hidden_pairs::{HiddenPair, HiddenPairs},
    history::History,
    items::Items,
    judge,
    panel::Panel,
    ratings::panel_verdicts,
    request::ComparisonRequest,
    weigh,
};
use crate::{
    context::{self, Context, Notice, StageReport},
    data::{CallId, Comparison, ItemId, ListComparison, Unscored},
    judging::{
        Judged,
        hidden::{self, Hidden},
    },
    store::{Judge, Ranking, Recorded},
};

/// The collector of verdicts, with the judges that gave no usable answer.
pub(super) struct Collector<'a> {
    ctx: &'a Context,
    items: &'a Items,
    read: Read,
    hidden: HiddenPairs,
    unscored: BTreeSet<Judge>,
}

impl<'a> Collector<'a> {
    /// An error for a judge that has failed hidden probes before.
    pub fn new(ctx: &'a Context, items: &'a Items, read: Read) -> Result<Self> {
        Ok(Self {
            ctx,
            items,
            read,
            hidden: HiddenPairs::begin(ctx, items, read)?,
            unscored: BTreeSet::new(),
        })
    }

    /// Adds how the judges did on hidden probes.
    pub fn report_probes(&self, report: &mut StageReport) {
        self.hidden.report(report);
    }

    /// Asks every member of the panel for each pair, and returns the verdicts in the order of the
    /// requests. Pairs with a known answer stand among them.
    pub async fn compare(
        &mut self,
        requests: Vec<ComparisonRequest>,
        report: &mut StageReport,
    ) -> Result<Vec<Recorded>> {
        let (ctx, items, read) = (self.ctx, self.items, self.read);
        let hidden = self.hidden.next(ctx, items, requests.len())?;
        let known = &self.hidden;
        let judged = ask_each(
            ctx,
            requests,
            hidden,
            async |request, member| match read {
                Read::Words => judge::compare(ctx, items, request, member).await,
                Read::Logprobs => weigh::compare(ctx, items, request, member).await,
            },
            async |hidden| known.ask(ctx, items, read, hidden).await,
        )
        .await?;
        Ok(
            self.recorded(judged, " against ", report, |request, outcome, call| {
                let [a, b] = [0, 1].map(|side| request.shown[side].clone());
                Comparison {
                    a,
                    b,
                    sample: request.sample,
                    outcome,
                    call,
                }
            }),
        )
    }

    /// Asks every member of the panel for the order of each list, and returns the verdicts in the
    /// order of the requests.
    pub async fn order(
        &mut self,
        requests: Vec<ComparisonRequest>,
        report: &mut StageReport,
    ) -> Result<Vec<Recorded<ListComparison>>> {
        let (ctx, items) = (self.ctx, self.items);
        let judged = ask_each(
            ctx,
            requests,
            Vec::new(),
            async |request, member| judge::order(ctx, items, request, member).await,
            async |_| Ok(()),
        )
        .await?;
        Ok(
            self.recorded(judged, ", ", report, |request, outcome, call| {
                ListComparison {
                    shown: request.shown,
                    outcome,
                    call,
                }
            }),
        )
    }

    /// Counts judgements, and returns them as they are stored; `between` stands between the names
    /// of what was shown.
    fn recorded<A, T>(
        &mut self,
        judged: Vec<(ComparisonRequest, Judged<A>)>,
        between: &str,
        report: &mut StageReport,
        form: impl Fn(ComparisonRequest, Result<A, Unscored>, Option<CallId>) -> T,
    ) -> Vec<Recorded<T>> {
        let mut recorded = Vec::new();
        for (request, judged) in judged {
            let names: Vec<&str> = request.shown.iter().map(ItemId::as_str).collect();
            judged.count(&names.join(between), report);
            if judged.reply.is_err() {
                // A judge that never decides is still part of the ranking's panel, and of its
                // failures.
                self.unscored.insert(judged.judge.clone());
            }
            recorded.push(Recorded {
                round: request.round,
                judged: form(request, judged.reply, judged.call),
                judge: judged.judge,
                run: judged.kept.run,
                decided_after_retry: judged.kept.decided_after_retry,
            });
        }
        recorded
    }

    /// Saves the ranking's question and its judges, whatever ended the run: the verdicts until then
    /// are a ranking, too. Where nobody answered, nothing is saved. Then checks the judges a last
    /// time.
    pub fn finish(
        &self,
        panel: &mut Panel,
        method: &str,
        parameters: serde_json::Value,
        outcome: Result<()>,
    ) -> Result<()> {
        let (kind, ids) = (self.items.kind, self.items.ids());
        if outcome.is_err() {
            // The batch that failed is in the store only: its verdicts tell who the judges are.
            History::everything(self.ctx, kind, &ids, panel)?;
        }
        let judges = panel.judges(&self.unscored);
        if judges.is_empty() {
            return outcome;
        }
        let ranking = Ranking {
            method: method.into(),
            parameters,
            seed: self.ctx.seed,
            item_kind: kind,
            items: ids,
            panel: judges,
        };
        self.ctx.store.save_ranking(&ranking)?;
        outcome?;
        let stored = panel_verdicts(&self.ctx.store, &ranking)?;
        Ok(panel.final_check(&stored.judges, &stored.pairs)?)
    }
}

/// A request for one member of the panel, or a pair with a known answer.
enum Put {
    Request(ComparisonRequest, usize),
    Hidden(Hidden<HiddenPair>),
}

/// Puts each request to each member of the panel, and what is hidden among them, as many at once as
/// the models allow.
async fn ask_each<A>(
    ctx: &Context,
    mut requests: Vec<ComparisonRequest>,
    hidden: Vec<Hidden<HiddenPair>>,
    ask: impl AsyncFn(&ComparisonRequest, usize) -> Result<Judged<A>>,
    ask_hidden: impl AsyncFn(&Hidden<HiddenPair>) -> Result<()>,
) -> Result<Vec<(ComparisonRequest, Judged<A>)>> {
    let (at_once, members) = (ctx.llm.parallel("judge"), ctx.llm.members("judge"));
    if at_once == 1 {
        // A model that is asked one thing at a time keeps what it has read: pairs with the same
        // first item follow each other.
        requests.sort_unstable();
    }
    let each = requests
        .into_iter()
        .flat_map(|request| (0..members).map(move |member| Put::Request(request.clone(), member)));
    let hidden = hidden.into_iter().map(Put::Hidden).collect();
    let each = hidden::mixed(each.collect(), hidden, ctx.seed);
    let (ask, ask_hidden) = (&ask, &ask_hidden);
    let judged = context::all(each, at_once, |put| async move {
        match put {
            Put::Request(request, member) => {
                let judged = ask(&request, member).await?;
                (ctx.notify)(Notice::Advance(1));
                Ok(Some((request, judged)))
            }
            Put::Hidden(hidden) => {
                ask_hidden(&hidden).await?;
                Ok(None)
            }
        }
    })
    .await?;
    Ok(judged.into_iter().flatten().collect())
}
