//! The schedule of random rounds: disjoint pairs in each round, on random sides, from the seed
//! alone. The paper leaves open which of an odd number sits out; here it is the last of the shuffled
//! order.

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};

use crate::data::ItemId;

/// Two items in the order in which the judge sees them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// Shown first.
    pub a: ItemId,
    /// Shown second.
    pub b: ItemId,
}

/// The pairs of each round. The same ids (in any order), rounds and seed give the same pairs, and
/// the first rounds of a longer schedule are those of a shorter one.
pub fn schedule(items: &[ItemId], rounds: u32, seed: u64) -> Vec<Vec<Pair>> {
    let mut sorted = items.to_vec();
    sorted.sort_unstable();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..rounds).map(|_| round(&sorted, &mut rng)).collect()
}

fn round(items: &[ItemId], rng: &mut ChaCha8Rng) -> Vec<Pair> {
    let mut order = items.to_vec();
    order.shuffle(rng);
    order
        .chunks_exact(2)
        .map(|two| {
            let (first, second) = if rng.random::<bool>() { (0, 1) } else { (1, 0) };
            Pair {
                a: two[first].clone(),
                b: two[second].clone(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(n: usize) -> Vec<ItemId> {
        (0..n)
            .map(|i| ItemId::from_stored(format!("t_{i}")))
            .collect()
    }

    #[test]
    fn pairs_are_disjoint_and_every_item_plays() {
        for round in schedule(&ids(18), 20, 7) {
            let mut seen: Vec<_> = round.iter().flat_map(|pair| [&pair.a, &pair.b]).collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), 18);
        }
        assert!(schedule(&ids(5), 3, 7).iter().all(|round| round.len() == 2));
        assert!(schedule(&ids(1), 3, 7).iter().all(Vec::is_empty));
    }

    #[test]
    fn depends_on_the_seed_and_not_on_the_order_given() {
        let mut reversed = ids(8);
        reversed.reverse();
        assert_eq!(schedule(&ids(8), 4, 1), schedule(&reversed, 4, 1));
        assert_ne!(schedule(&ids(8), 4, 1), schedule(&ids(8), 4, 2));
        assert_eq!(schedule(&ids(8), 4, 1)[..2], schedule(&ids(8), 2, 1)[..]);
    }
}
