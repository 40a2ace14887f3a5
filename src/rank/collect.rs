//! Verdicts of a whole panel on a batch of requests: each one is saved the moment it is there, and
//! failures are counted. Hides who is asked in which order.

use std::collections::BTreeSet;

use anyhow::Result;

use super::{
    history::History,
    items::Items,
    judge::{self, SavedVerdict},
    panel::Panel,
    ratings::panel_verdicts,
    request::ComparisonRequest,
};
use crate::{
    context::{self, Context, Notice, StageReport},
    data::{Comparison, ItemId, ListComparison, Unscored},
    store::{Judge, Ranking, Recorded},
};

/// The items, and the judges whose answers were of no use.
pub(super) struct Collector<'a> {
    ctx: &'a Context,
    items: &'a Items,
    unscored: BTreeSet<Judge>,
}

impl<'a> Collector<'a> {
    pub fn new(ctx: &'a Context, items: &'a Items) -> Self {
        Self {
            ctx,
            items,
            unscored: BTreeSet::new(),
        }
    }

    /// Asks every member of the panel for each pair, and returns the verdicts in the order of the
    /// requests.
    pub async fn compare(
        &mut self,
        requests: Vec<ComparisonRequest>,
        report: &mut StageReport,
    ) -> Result<Vec<Recorded>> {
        let (ctx, items) = (self.ctx, self.items);
        let saved = ask_each(
            ctx,
            requests,
            async |request: &ComparisonRequest, member| {
                judge::compare(ctx, items, request, member).await
            },
        )
        .await?;
        for verdict in &saved {
            let outcome = &verdict.recorded.judged.outcome;
            self.count(verdict, outcome.as_ref().err(), name_of_pair, report);
        }
        Ok(saved.into_iter().map(|saved| saved.recorded).collect())
    }

    /// Asks every member of the panel for the order of each list, and returns the verdicts in the
    /// order of the requests.
    pub async fn order(
        &mut self,
        requests: Vec<ComparisonRequest>,
        report: &mut StageReport,
    ) -> Result<Vec<Recorded<ListComparison>>> {
        let (ctx, items) = (self.ctx, self.items);
        let saved = ask_each(
            ctx,
            requests,
            async |request: &ComparisonRequest, member| {
                judge::order(ctx, items, request, member).await
            },
        )
        .await?;
        for verdict in &saved {
            let outcome = &verdict.recorded.judged.outcome;
            self.count(verdict, outcome.as_ref().err(), name_of_list, report);
        }
        Ok(saved.into_iter().map(|saved| saved.recorded).collect())
    }

    fn count<T>(
        &mut self,
        saved: &SavedVerdict<T>,
        unscored: Option<&Unscored>,
        name: fn(&T) -> String,
        report: &mut StageReport,
    ) {
        report.count(saved.cached);
        if let Some(unscored) = unscored {
            self.unscored.insert(saved.recorded.judge.clone());
            report.fail_unscored(&name(&saved.recorded.judged), unscored);
        }
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

async fn ask_each<T>(
    ctx: &Context,
    mut requests: Vec<ComparisonRequest>,
    ask: impl AsyncFn(&ComparisonRequest, usize) -> Result<SavedVerdict<T>>,
) -> Result<Vec<SavedVerdict<T>>> {
    if ctx.llm.parallel("judge") == 1 {
        // A model that is asked one thing at a time keeps what it has read: pairs with the same
        // first item follow each other.
        requests.sort_unstable();
    }
    let members = ctx.llm.members("judge");
    let each = requests
        .iter()
        .flat_map(|request| (0..members).map(move |member| (request, member)));
    let ask = &ask;
    context::all(
        each,
        ctx.llm.parallel("judge"),
        |(request, member)| async move {
            let saved = ask(request, member).await?;
            (ctx.notify)(Notice::Advance(1));
            Ok(saved)
        },
    )
    .await
}

fn name_of_pair(comparison: &Comparison) -> String {
    format!("{} against {}", comparison.a, comparison.b)
}

fn name_of_list(list: &ListComparison) -> String {
    let ids: Vec<&str> = list.shown.iter().map(ItemId::as_str).collect();
    ids.join(", ")
}
