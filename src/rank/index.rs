//! Tasks and judges by number: what is on record, as games for the fit and as verdicts for the
//! audit.

use std::collections::BTreeMap;

use super::audit::Seen;
use crate::{
    data::{Comparison, Lineup, TaskId},
    stats::bradley_terry::{Answer, Game, List},
    store::{IMPORTED, Judge, Recorded},
};

/// The numbers; `F` gives a judge's, if its verdicts count.
pub(super) struct Index<'a, F: Fn(&Judge) -> Option<usize>> {
    tasks: BTreeMap<&'a TaskId, u32>,
    judge: F,
}

impl<'a, F: Fn(&Judge) -> Option<usize>> Index<'a, F> {
    pub fn new(ids: &'a [TaskId], judge: F) -> Self {
        Self {
            tasks: ids.iter().zip(0..).collect(),
            judge,
        }
    }

    /// Whether both tasks are among them.
    pub fn knows(&self, comparison: &Comparison) -> bool {
        self.tasks.contains_key(&comparison.a) && self.tasks.contains_key(&comparison.b)
    }

    /// Whether at least two of its tasks are among them: then it says something.
    pub fn knows_two(&self, lineup: &Lineup) -> bool {
        lineup
            .shown
            .iter()
            .filter(|id| self.tasks.contains_key(id))
            .count()
            > 1
    }

    /// A verdict on two of the tasks, as the fit sees it: the winner has won, however sure the
    /// judge said it was. Whether that can be taken at its word is the audit's question.
    pub fn duel(&self, recorded: &Recorded) -> Option<Answer> {
        // A model that is asked the same again says the same; of people, each one counts.
        let counts = |seen: &Seen| seen.sample == 0 || recorded.judge.prompt_hash == IMPORTED;
        self.seen(recorded).filter(counts).map(|seen| seen.duel())
    }

    /// A verdict on two of the tasks, as the audit sees it.
    pub fn seen(&self, recorded: &Recorded) -> Option<Seen> {
        let comparison = &recorded.told;
        let verdict = comparison.outcome.as_ref().ok()?;
        Some(Seen {
            first: *self.tasks.get(&comparison.a)?,
            second: *self.tasks.get(&comparison.b)?,
            judge: (self.judge)(&recorded.judge)? as u32,
            sample: comparison.sample,
            score: verdict.outcome(),
            confidence: Some(verdict.confidence),
        })
    }

    /// An order of several of the tasks. Tasks that are gone have left the others in the same
    /// order.
    pub fn order(&self, recorded: &Recorded<Lineup>) -> Option<Answer> {
        let (shown, places, judge) = self.list(recorded)?;
        Some(Answer::List(List {
            shown,
            places,
            judge,
        }))
    }

    /// The same as the audit sees it: first with second, third with fourth and so on, which are
    /// verdicts of their own.
    pub fn list_seen(&self, recorded: &Recorded<Lineup>) -> Vec<Seen> {
        let Some((items, places, judge)) = self.list(recorded) else {
            return Vec::new();
        };
        let seen = |(items, places): (&[u32], &[usize])| Seen {
            first: items[0],
            second: items[1],
            judge,
            sample: 0,
            score: f64::from(u8::from(places[0] < places[1])),
            confidence: None,
        };
        items
            .chunks_exact(2)
            .zip(places.chunks_exact(2))
            .map(seen)
            .collect()
    }

    fn list(&self, recorded: &Recorded<Lineup>) -> Option<(Vec<u32>, Vec<usize>, u32)> {
        let Lineup { shown, outcome, .. } = &recorded.told;
        let ordered = outcome.as_ref().ok()?;
        let known = shown
            .iter()
            .zip(&ordered.places)
            .filter_map(|(id, place)| Some((*self.tasks.get(id)?, *place)));
        let (items, places): (Vec<u32>, Vec<usize>) = known.unzip();
        Some((items, places, (self.judge)(&recorded.judge)? as u32))
    }
}

impl Seen {
    /// As the fit sees it.
    pub(super) fn duel(&self) -> Answer {
        Answer::Duel(Game {
            first: self.first,
            second: self.second,
            judge: self.judge,
            score: self.score,
        })
    }
}
