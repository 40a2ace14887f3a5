//! Items and judges by number: stored verdicts as data for the fit, and as verdicts for the audit.

use std::collections::BTreeMap;

use crate::{
    data::{Comparison, ItemId, ListComparison},
    stats::pairwise::{
        PairVerdict,
        bradley_terry::{Preference, RankedList},
    },
    store::{IMPORTED, Judge, Recorded},
};

/// The numbers; `F` gives a judge's, if its verdicts count.
pub(super) struct Index<'a, F: Fn(&Judge) -> Option<usize>> {
    items: BTreeMap<&'a ItemId, u32>,
    judge: F,
}

impl<'a, F: Fn(&Judge) -> Option<usize>> Index<'a, F> {
    pub fn new(ids: &'a [ItemId], judge: F) -> Self {
        Self {
            items: ids.iter().zip(0..).collect(),
            judge,
        }
    }

    /// Whether both items of a comparison are known.
    pub fn knows_both(&self, comparison: &Comparison) -> bool {
        self.items.contains_key(&comparison.a) && self.items.contains_key(&comparison.b)
    }

    /// Whether at least two items of a list are known: their order still says something.
    pub fn knows_two(&self, list: &ListComparison) -> bool {
        list.shown
            .iter()
            .filter(|id| self.items.contains_key(id))
            .count()
            > 1
    }

    /// A verdict on two items as data for the fit: the winner has won, whatever the stated
    /// confidence. Whether confidences mean anything is a question for the audit.
    pub fn pair_preference(&self, recorded: &Recorded) -> Option<Preference> {
        let verdict = self.pair_verdict(recorded)?;
        // A model that is asked the same again says the same, which is no second vote; two people
        // who say the same are two votes.
        let counts = verdict.sample == 0 || recorded.judge.prompt_hash == IMPORTED;
        counts.then(|| verdict.preference())
    }

    /// A verdict on two items as the audit sees it.
    pub fn pair_verdict(&self, recorded: &Recorded) -> Option<PairVerdict> {
        let comparison = &recorded.judged;
        let verdict = comparison.outcome.as_ref().ok()?;
        Some(PairVerdict {
            first: *self.items.get(&comparison.a)?,
            second: *self.items.get(&comparison.b)?,
            judge: (self.judge)(&recorded.judge)? as u32,
            sample: comparison.sample,
            score: verdict.points_a(),
            confidence: Some(verdict.confidence),
        })
    }

    /// An order of several items as data for the fit.
    pub fn list_preference(&self, recorded: &Recorded<ListComparison>) -> Option<Preference> {
        let (shown, places, judge) = self.list(recorded)?;
        Some(Preference::List(RankedList {
            shown,
            places,
            judge,
        }))
    }

    /// An order of several items as the audit sees it: first against second, third against fourth
    /// and so on. These pairs share no item; the others would repeat what they say.
    pub fn list_verdicts(&self, recorded: &Recorded<ListComparison>) -> Vec<PairVerdict> {
        let Some((items, places, judge)) = self.list(recorded) else {
            return Vec::new();
        };
        items
            .chunks_exact(2)
            .zip(places.chunks_exact(2))
            .map(|(items, places)| PairVerdict {
                first: items[0],
                second: items[1],
                judge,
                sample: 0,
                score: f64::from(u8::from(places[0] < places[1])),
                confidence: None,
            })
            .collect()
    }

    /// The known items of a list, their places and the judge. An item that is gone leaves the
    /// others in the same order.
    fn list(&self, recorded: &Recorded<ListComparison>) -> Option<(Vec<u32>, Vec<usize>, u32)> {
        let ListComparison { shown, outcome, .. } = &recorded.judged;
        let ordered = outcome.as_ref().ok()?;
        let (items, places) = shown
            .iter()
            .zip(&ordered.places)
            .filter_map(|(id, place)| Some((*self.items.get(id)?, *place)))
            .unzip();
        Some((items, places, (self.judge)(&recorded.judge)? as u32))
    }
}
