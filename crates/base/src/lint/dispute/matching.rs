//! Of all pairs of places that may be of the same thing, the surest, each place once.

use super::{Difference, Kind, context::Sentence, place};

/// Two items that may be of the same thing.
pub(super) struct Candidate {
    pub first: usize,
    pub second: usize,
    pub strength: f64,
}

pub(super) fn matched(
    kind: Kind,
    first: &Sentence,
    second: &Sentence,
    mut candidates: Vec<Candidate>,
) -> Vec<Difference> {
    candidates.sort_by(|a, b| {
        let sure = b.strength.total_cmp(&a.strength);
        sure.then((a.first, a.second).cmp(&(b.first, b.second)))
    });
    let mut taken = (
        vec![false; first.items.len()],
        vec![false; second.items.len()],
    );
    let mut found = Vec::new();
    for of in candidates {
        if taken.0[of.first] || taken.1[of.second] {
            continue;
        }
        (taken.0[of.first], taken.1[of.second]) = (true, true);
        found.push(Difference {
            kind,
            first: place(&first.items[of.first].range),
            second: place(&second.items[of.second].range),
            strength: of.strength.clamp(0.0, 1.0),
        });
    }
    found
}
