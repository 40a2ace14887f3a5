//! The verdicts that a run knows: those from before its question was first asked, and its own. What
//! came between is asked for in its turn and found on record then, so that an interrupted run goes
//! the same way as an undisturbed one.

use anyhow::Result;

use super::{audit::Seen, index::Index, roster::Roster};
use crate::{
    context::Context,
    data::{Comparison, Lineup, TaskId},
    stats::bradley_terry::Answer,
    store::{Judge, Recorded},
};

/// Verdicts in the order in which they were asked for; within a batch by what was shown.
pub(super) struct Record {
    begun: i64,
    compared: Vec<Recorded>,
    ordered: Vec<Recorded<Lineup>>,
}

impl Record {
    /// What is known of these tasks from before `question` was first asked; who answered last is in
    /// the roster then.
    pub fn begin(
        ctx: &Context,
        ids: &[TaskId],
        roster: &mut Roster,
        question: &str,
    ) -> Result<Self> {
        Self::before(ctx, ids, roster, ctx.store.begin_ranking(question)?)
    }

    /// Everything that is on record, also of a batch that an error ended.
    pub fn of_all(ctx: &Context, ids: &[TaskId], roster: &mut Roster) -> Result<Self> {
        Self::before(ctx, ids, roster, i64::MAX)
    }

    fn before(ctx: &Context, ids: &[TaskId], roster: &mut Roster, begun: i64) -> Result<Self> {
        let index = Index::new(ids, |_: &Judge| None);
        let mut compared = ctx
            .store
            .recorded(|model, prompt| roster.is_asked(model, prompt))?;
        let mut ordered = ctx
            .store
            .lineups(|model, prompt| roster.is_asked(model, prompt))?;
        compared.retain(|of| of.run < begun && of.told.outcome.is_ok() && index.knows(&of.told));
        ordered.retain(|of| of.run < begun && of.told.outcome.is_ok() && index.knows_two(&of.told));
        roster.fill(
            newest_last(&compared)
                .into_iter()
                .chain(newest_last(&ordered)),
        );
        Ok(Self {
            begun,
            compared,
            ordered,
        })
    }

    /// Takes in what was asked for together, and returns what counts of it; nothing where another
    /// model answered than before, which is another judge.
    pub fn take(
        &mut self,
        ids: &[TaskId],
        roster: &mut Roster,
        mut compared: Vec<Recorded>,
        mut ordered: Vec<Recorded<Lineup>>,
    ) -> Option<Vec<Answer>> {
        let key = |of: &Comparison| (of.a.clone(), of.b.clone(), of.sample);
        compared.retain(|of| of.told.outcome.is_ok());
        ordered.retain(|of| of.told.outcome.is_ok());
        compared.sort_by_cached_key(|of| (key(&of.told), of.judge.clone()));
        ordered.sort_by_cached_key(|of| (of.told.shown.clone(), of.judge.clone()));
        let is_new = |run: i64, late: bool| run >= self.begun && !late;
        let duels = compared
            .iter()
            .filter(|of| is_new(of.run, of.late))
            .map(|of| &of.judge);
        let lists = ordered
            .iter()
            .filter(|of| is_new(of.run, of.late))
            .map(|of| &of.judge);
        let changed = roster.notice(duels.chain(lists));
        let verdicts = (!changed).then(|| self.verdicts_of(ids, roster, &compared, &ordered));
        self.compared.extend(compared);
        self.ordered.extend(ordered);
        verdicts
    }

    /// How many judgements count.
    pub fn count(&self, roster: &Roster) -> usize {
        self.judges()
            .filter(|judge| roster.number(judge).is_some())
            .count()
    }

    /// Whose verdicts they are, one by one.
    pub fn judges(&self) -> impl Iterator<Item = &Judge> {
        self.compared
            .iter()
            .map(|of| &of.judge)
            .chain(self.ordered.iter().map(|of| &of.judge))
    }

    /// What counts for the choice of what is asked.
    pub fn verdicts(&self, ids: &[TaskId], roster: &Roster) -> Vec<Answer> {
        self.verdicts_of(ids, roster, &self.compared, &self.ordered)
    }

    /// A verdict that came after a failure does not count: the choice was made without it.
    fn verdicts_of(
        &self,
        ids: &[TaskId],
        roster: &Roster,
        compared: &[Recorded],
        ordered: &[Recorded<Lineup>],
    ) -> Vec<Answer> {
        let index = Index::new(ids, |judge: &Judge| roster.number(judge));
        let counts = |run: i64, late: bool| run < self.begun || !late;
        let duels = compared
            .iter()
            .filter(|of| counts(of.run, of.late))
            .filter_map(|of| index.duel(of));
        let lists = ordered
            .iter()
            .filter(|of| counts(of.run, of.late))
            .filter_map(|of| index.order(of));
        duels.chain(lists).collect()
    }

    /// What the audit sees.
    pub fn seen(&self, ids: &[TaskId], roster: &Roster) -> Vec<Seen> {
        let index = Index::new(ids, |judge: &Judge| roster.number(judge));
        let duels = self.compared.iter().filter_map(|of| index.seen(of));
        duels
            .chain(self.ordered.iter().flat_map(|of| index.list_seen(of)))
            .collect()
    }

    /// The pairs that were compared, whoever decided: asked again, they would come from the record.
    pub fn pairs(&self, ids: &[TaskId]) -> Vec<(u32, u32)> {
        let index = Index::new(ids, |_: &Judge| Some(0));
        self.compared
            .iter()
            .filter_map(|of| index.seen(of))
            .map(|seen| (seen.first, seen.second))
            .collect()
    }
}

/// The judges in the order of the runs that stored their verdicts.
fn newest_last<T>(known: &[Recorded<T>]) -> Vec<&Judge> {
    let mut known: Vec<&Recorded<T>> = known.iter().collect();
    known.sort_by_key(|of| of.run);
    known.into_iter().map(|of| &of.judge).collect()
}
