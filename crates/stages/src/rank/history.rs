//! The verdicts that a run knows: those from before its question was first asked, and its own.
//! Verdicts stored in between are asked for in their turn and found in the store then, so that an
//! interrupted run chooses the same pairs as an undisturbed one.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::{index::Index, panel::Panel};
use crate::{
    context::Context,
    data::{Comparison, ItemId, ListComparison, SubjectKind},
    stats::pairwise::{PairVerdict, bradley_terry::Preference},
    store::{Judge, Recorded},
};

/// Verdicts in the order in which they were asked for; within a batch by what was shown.
pub(super) struct History {
    begun: i64,
    pairs: Vec<Recorded>,
    lists: Vec<Recorded<ListComparison>>,
}

impl History {
    /// The verdicts from before `question` was first asked. The panel learns from them which models
    /// answered last.
    pub fn begin(
        ctx: &Context,
        kind: SubjectKind,
        ids: &[ItemId],
        panel: &mut Panel,
        question: &str,
    ) -> Result<Self> {
        let begun = ctx.store.begin_ranking(question)?;
        Self::before(ctx, kind, ids, panel, begun)
    }

    /// Everything that is stored, also of a batch that an error ended.
    pub fn everything(
        ctx: &Context,
        kind: SubjectKind,
        ids: &[ItemId],
        panel: &mut Panel,
    ) -> Result<Self> {
        Self::before(ctx, kind, ids, panel, i64::MAX)
    }

    fn before(
        ctx: &Context,
        kind: SubjectKind,
        ids: &[ItemId],
        panel: &mut Panel,
        begun: i64,
    ) -> Result<Self> {
        let index = Index::new(ids, |_: &Judge| None);
        let mut pairs = ctx
            .store
            .comparisons(kind, |model, prompt| panel.is_asked(model, prompt))?;
        let mut lists = ctx
            .store
            .list_comparisons(kind, |model, prompt| panel.is_asked(model, prompt))?;
        pairs.retain(|of| {
            // Later runs' verdicts are asked for in their turn, so that an interrupted run makes
            // the same choices.
            of.run < begun && of.judged.outcome.is_ok() && index.knows_both(&of.judged)
        });
        lists.retain(|of| {
            of.run < begun && of.judged.outcome.is_ok() && index.knows_two(&of.judged)
        });
        panel.fill(newest_last(&pairs).into_iter().chain(newest_last(&lists)));
        Ok(Self {
            begun,
            pairs,
            lists,
        })
    }

    /// Takes in the verdicts of one batch and returns those that count; none where another model
    /// answered than before, which is another judge.
    pub fn add(
        &mut self,
        ids: &[ItemId],
        panel: &mut Panel,
        mut pairs: Vec<Recorded>,
        mut lists: Vec<Recorded<ListComparison>>,
    ) -> Option<Vec<Preference>> {
        pairs.retain(|of| of.judged.outcome.is_ok());
        self.drop_known(&mut pairs);
        lists.retain(|of| of.judged.outcome.is_ok());
        // Requests of a batch end in any order: sorted, the way on does not depend on it.
        pairs.sort_by_cached_key(|of| (shown_pair(&of.judged), of.judge.clone()));
        lists.sort_by_cached_key(|of| (of.judged.shown.clone(), of.judge.clone()));
        let changed = panel.notice(
            pairs
                .iter()
                .filter(|of| self.is_new(of))
                .map(|of| &of.judge)
                .chain(
                    lists
                        .iter()
                        .filter(|of| self.is_new(of))
                        .map(|of| &of.judge),
                ),
        );
        let verdicts = (!changed).then(|| self.counted(ids, panel, &pairs, &lists));
        self.pairs.extend(pairs);
        self.lists.extend(lists);
        verdicts
    }

    /// Drops the verdicts that are among those from before: a pair that some members had decided is
    /// put to all, and what is known counts once.
    fn drop_known(&self, new: &mut Vec<Recorded>) {
        if new.iter().all(|of| of.run >= self.begun) {
            return;
        }
        let question = |of: &Recorded| (shown_pair(&of.judged), of.judge.clone());
        let known: BTreeSet<_> = self.pairs.iter().map(question).collect();
        new.retain(|of| of.run >= self.begun || !known.contains(&question(of)));
    }

    /// Whether this ranking asked for a verdict and got it the first time.
    fn is_new<T>(&self, of: &Recorded<T>) -> bool {
        of.run >= self.begun && !of.decided_after_retry
    }

    /// Number of judgements that count.
    pub fn len(&self, panel: &Panel) -> usize {
        self.judges()
            .filter(|judge| panel.number(judge).is_some())
            .count()
    }

    /// The judge of each verdict.
    pub fn judges(&self) -> impl Iterator<Item = &Judge> {
        self.pairs
            .iter()
            .map(|of| &of.judge)
            .chain(self.lists.iter().map(|of| &of.judge))
    }

    /// The verdicts that count for the choice of the next pairs.
    pub fn preferences(&self, ids: &[ItemId], panel: &Panel) -> Vec<Preference> {
        self.counted(ids, panel, &self.pairs, &self.lists)
    }

    fn counted(
        &self,
        ids: &[ItemId],
        panel: &Panel,
        pairs: &[Recorded],
        lists: &[Recorded<ListComparison>],
    ) -> Vec<Preference> {
        let index = Index::new(ids, |judge: &Judge| panel.number(judge));
        let from_pairs = pairs
            .iter()
            .filter(|of| self.counts(of))
            .filter_map(|of| index.pair_preference(of));
        let from_lists = lists
            .iter()
            .filter(|of| self.counts(of))
            .filter_map(|of| index.list_preference(of));
        from_pairs.chain(from_lists).collect()
    }

    /// Whether a verdict counts for the choice of pairs. One that came only after a failure does
    /// not: the pairs after it were chosen without it, and a second run has to choose the same.
    fn counts<T>(&self, of: &Recorded<T>) -> bool {
        of.run < self.begun || !of.decided_after_retry
    }

    /// The verdicts as the checks of a judge see them.
    pub fn pair_verdicts(&self, ids: &[ItemId], panel: &Panel) -> Vec<PairVerdict> {
        let index = Index::new(ids, |judge: &Judge| panel.number(judge));
        let from_pairs = self.pairs.iter().filter_map(|of| index.pair_verdict(of));
        let from_lists = self.lists.iter().flat_map(|of| index.list_verdicts(of));
        from_pairs.chain(from_lists).collect()
    }

    /// The pairs that some judge has compared, as they were shown.
    pub fn shown_pairs(&self, ids: &[ItemId]) -> BTreeSet<(u32, u32)> {
        let index = Index::new(ids, |_: &Judge| Some(0));
        let verdicts = self.pairs.iter().filter_map(|of| index.pair_verdict(of));
        verdicts
            .map(|verdict| (verdict.first, verdict.second))
            .collect()
    }

    /// The pairs that are closed to this ranking: those that it has asked about itself, and those
    /// on which every member of the panel has decided, whichever model answered for it. What only
    /// some have compared before may be asked again: the others have not said anything yet.
    pub fn closed_pairs(&self, ids: &[ItemId], panel: &Panel) -> Vec<(u32, u32)> {
        let index = Index::new(ids, |judge: &Judge| panel.position_of(judge));
        let mut decided: BTreeMap<(u32, u32), BTreeSet<u32>> = BTreeMap::new();
        let mut closed = BTreeSet::new();
        for of in &self.pairs {
            let Some(verdict) = index.pair_verdict(of) else {
                continue;
            };
            let (a, b) = (verdict.first, verdict.second);
            let pair = (a.min(b), a.max(b));
            decided.entry(pair).or_default().insert(verdict.judge);
            if of.run >= self.begun {
                closed.insert(pair);
            }
        }
        decided.retain(|_, by| by.len() >= panel.models());
        closed.extend(decided.into_keys());
        closed.into_iter().collect()
    }
}

fn shown_pair(comparison: &Comparison) -> (ItemId, ItemId, u32) {
    (
        comparison.a.clone(),
        comparison.b.clone(),
        comparison.sample,
    )
}

/// The judges in the order of the runs that stored their verdicts.
fn newest_last<T>(known: &[Recorded<T>]) -> Vec<&Judge> {
    let mut known: Vec<&Recorded<T>> = known.iter().collect();
    known.sort_by_key(|of| of.run);
    known.into_iter().map(|of| &of.judge).collect()
}
