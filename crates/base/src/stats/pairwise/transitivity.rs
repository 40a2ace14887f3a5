//! Intransitivity of verdicts: whether cyclic triples (a beats b, b beats c, c beats a) are more
//! frequent than those of a noisy but consistent judge. Hides the search for triangles in the sparse
//! graph of pairs, and the variance of their number.

use std::collections::BTreeMap;

use rand::{Rng, RngExt as _};
use serde::Serialize;

use super::Predicted;

/// Share of cyclic triples among the triples of items that have a decided and predicted verdict on
/// all three pairs (Kendall and Babington Smith, "On the method of paired comparisons", Biometrika
/// 31, 1940, count them for complete designs).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Intransitivity {
    /// Such triples.
    pub n: u64,
    /// Triples in the sample: all, or a uniform sample of them.
    pub sampled: u64,
    /// Share of these that is cyclic, 0 to 1: about 0.25 for a judge at chance, less for a
    /// better one.
    pub share: f64,
    /// The share expected if verdicts fell independently with the predicted probabilities.
    pub expected: f64,
    /// `share` minus `expected`: above 0 there are more contradictions than one scale of quality
    /// with noise explains.
    pub excess: f64,
    /// Standard error of the excess under the predicted probabilities. Exact: two triples share at
    /// most one pair, and such ones covary as their chances to be cyclic depend on that pair.
    pub standard_error: f64,
}

/// The verdict on a pair, seen from the item with the lower rank.
struct Edge {
    won: bool,
    p: f64,
}

/// For each node its neighbours of higher rank, with the number of the edge.
type Forward = Vec<Vec<(usize, usize)>>;

/// Counts cyclic triples, in a sample of `most` where there are more. Of each pair the first decided
/// verdict counts, whichever judge gave it.
pub fn intransitivity(
    verdicts: &[Predicted],
    most: usize,
    rng: &mut impl Rng,
) -> Option<Intransitivity> {
    let (edges, forward) = graph(verdicts);
    let (n, triples) = triangles(&forward, most, rng);
    let (mut cyclic, mut expected, mut variance) = (0.0, 0.0, 0.0);
    // For each pair: what its verdict does to the chances of the triples that share it, summed, and
    // summed in squares.
    let mut shared = vec![(0.0, 0.0); edges.len()];
    for triple in &triples {
        let [uv, vw, uw] = triple.map(|edge| &edges[edge]);
        cyclic += f64::from(u8::from(uv.won == vw.won && uw.won != uv.won));
        let p = uv.p * vw.p * (1.0 - uw.p) + (1.0 - uv.p) * (1.0 - vw.p) * uw.p;
        expected += p;
        variance += p * (1.0 - p);
        for (edge, effect) in triple
            .iter()
            .zip([vw.p - uw.p, uv.p - uw.p, 1.0 - uv.p - vw.p])
        {
            shared[*edge].0 += effect;
            shared[*edge].1 += effect * effect;
        }
    }
    for (edge, (sum, squares)) in edges.iter().zip(shared) {
        variance += edge.p * (1.0 - edge.p) * (sum * sum - squares);
    }
    let count = triples.len() as f64;
    (!triples.is_empty()).then(|| Intransitivity {
        n,
        sampled: triples.len() as u64,
        share: cyclic / count,
        expected: expected / count,
        excess: (cyclic - expected) / count,
        standard_error: variance.max(0.0).sqrt() / count,
    })
}

/// Items ranked by their degree: if each looks only at neighbours of higher rank, no list is long
/// in a sparse graph (Chiba and Nishizeki 1985).
fn graph(verdicts: &[Predicted]) -> (Vec<Edge>, Forward) {
    let pairs = first_verdicts(verdicts);
    let mut degree: BTreeMap<u32, usize> = BTreeMap::new();
    for item in pairs.keys().flat_map(|pair| [pair.0, pair.1]) {
        *degree.entry(item).or_default() += 1;
    }
    let mut order: Vec<(usize, u32)> = degree
        .into_iter()
        .map(|(item, degree)| (degree, item))
        .collect();
    order.sort_unstable();
    let rank: BTreeMap<u32, usize> = order
        .iter()
        .enumerate()
        .map(|(rank, (_, item))| (*item, rank))
        .collect();
    let mut forward: Forward = vec![Vec::new(); order.len()];
    let mut edges = Vec::with_capacity(pairs.len());
    for ((a, b), (won, p)) in pairs {
        let (u, v) = (rank[&a], rank[&b]);
        forward[u.min(v)].push((u.max(v), edges.len()));
        edges.push(if u < v {
            Edge { won, p }
        } else {
            Edge {
                won: !won,
                p: 1.0 - p,
            }
        });
    }
    (edges, forward)
}

/// For each pair, lower number first: whether the lower one won, and its predicted probability.
fn first_verdicts(verdicts: &[Predicted]) -> BTreeMap<(u32, u32), (bool, f64)> {
    let mut pairs = BTreeMap::new();
    for (seen, predicted) in verdicts.iter().filter(|(seen, _)| seen.sample == 0) {
        let (Some(won), Some(p)) = (seen.first_won(), *predicted) else {
            continue;
        };
        let of_lower = if seen.first < seen.second {
            (won, p)
        } else {
            (!won, 1.0 - p)
        };
        pairs.entry(seen.pair()).or_insert(of_lower);
    }
    pairs
}

/// The number of triangles, and at most `most` of them, each as likely as any other (Vitter 1985,
/// algorithm R): the edges from lowest to middle, middle to highest and lowest to highest rank.
fn triangles(forward: &Forward, most: usize, rng: &mut impl Rng) -> (u64, Vec<[usize; 3]>) {
    let (mut n, mut kept) = (0_u64, Vec::new());
    let mut from_u = vec![None; forward.len()];
    for neighbours in forward {
        for &(w, uw) in neighbours {
            from_u[w] = Some(uw);
        }
        for &(v, uv) in neighbours {
            for &(w, vw) in &forward[v] {
                let Some(uw) = from_u[w] else { continue };
                n += 1;
                if kept.len() < most {
                    kept.push([uv, vw, uw]);
                } else if let Some(place) = kept.get_mut(rng.random_range(0..n) as usize) {
                    *place = [uv, vw, uw];
                }
            }
        }
        for &(w, _) in neighbours {
            // Cleared by the list, not as a whole: the array is as long as all items.
            from_u[w] = None;
        }
    }
    (n, kept)
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng as _, rngs::ChaCha8Rng};

    use super::{
        super::{PairVerdict, verdict},
        *,
    };

    fn found(verdicts: &[Predicted], most: usize) -> Option<Intransitivity> {
        intransitivity(verdicts, most, &mut ChaCha8Rng::seed_from_u64(1))
    }

    #[test]
    fn one_triple_by_hand() {
        let [ab, bc, ca] = [verdict(0, 1, 1.0), verdict(1, 2, 1.0), verdict(2, 0, 1.0)];
        let circle = [(ab, Some(0.6)), (bc, Some(0.7)), (ca, Some(0.2))];
        let card = found(&circle, 9).unwrap();
        // .6 × .7 × .2 + .4 × .3 × .8
        assert_eq!((card.n, card.sampled, card.share), (1, 1, 1.0));
        assert!((card.expected - 0.18).abs() < 1e-12 && (card.excess - 0.82).abs() < 1e-12);
        assert!((card.standard_error - (0.18_f64 * 0.82).sqrt()).abs() < 1e-12);
        let line = [
            (ab, Some(0.6)),
            (bc, Some(0.7)),
            (PairVerdict { score: 0.0, ..ca }, Some(0.2)),
        ];
        assert_eq!(found(&line, 9).map(|card| card.share), Some(0.0));
    }

    #[test]
    fn the_first_decided_verdict_of_a_pair_counts() {
        let verdicts = [
            verdict(0, 1, 0.5),
            verdict(1, 0, 0.0),
            verdict(0, 1, 0.0),
            verdict(1, 2, 1.0),
            verdict(2, 0, 1.0),
        ];
        let predicted = verdicts.map(|seen| (seen, Some(0.5)));
        assert_eq!(
            found(&predicted, 9).map(|card| (card.n, card.share)),
            Some((1, 1.0))
        );
        assert_eq!(found(&predicted[..4], 9), None);
        assert_eq!(found(&verdicts.map(|seen| (seen, None)), 9), None);
    }

    /// Verdicts on about half of all pairs, that fall as `p` predicts.
    fn drawn(items: u32, p: impl Fn(u32, u32) -> f64, rng: &mut ChaCha8Rng) -> Vec<Predicted> {
        let pairs = (0..items)
            .flat_map(|a| (0..a).map(move |b| (a, b)))
            .filter(|&(a, b)| drawn_pair(a, b));
        pairs
            .map(|(a, b)| {
                (
                    verdict(a, b, f64::from(u8::from(rng.random_bool(p(a, b))))),
                    Some(p(a, b)),
                )
            })
            .collect()
    }

    fn drawn_pair(a: u32, b: u32) -> bool {
        (a * b + a + b) % 7 > 2
    }

    fn logistic(a: u32, b: u32) -> f64 {
        1.0 / (1.0 + ((f64::from(b) - f64::from(a)) / 3.0).exp())
    }

    /// All 64 ways in which the verdicts on the pairs of four items can fall, with their
    /// probabilities.
    #[test]
    fn expectation_and_error_are_those_of_all_possible_verdicts() {
        let pairs = [
            (0, 1, 0.9),
            (2, 0, 0.3),
            (0, 3, 0.6),
            (1, 2, 0.55),
            (3, 1, 0.2),
            (2, 3, 0.75),
        ];
        let (mut mean, mut square) = (0.0, 0.0);
        for ways in 0..64_u32 {
            let won = |i: usize| ways >> i & 1 == 1;
            let verdicts = std::array::from_fn::<Predicted, 6, _>(|i| {
                (
                    verdict(pairs[i].0, pairs[i].1, f64::from(u8::from(won(i)))),
                    Some(pairs[i].2),
                )
            });
            let chance: f64 = (0..6)
                .map(|i| if won(i) { pairs[i].2 } else { 1.0 - pairs[i].2 })
                .product();
            let card = found(&verdicts, 9).unwrap();
            mean += chance * card.share;
            square += chance * card.share * card.share;
            if ways == 63 {
                let error = (square - mean * mean).sqrt();
                assert!(
                    (card.expected - mean).abs() < 1e-12,
                    "{} and not {mean}",
                    card.expected
                );
                assert!(
                    (card.standard_error - error).abs() < 1e-12,
                    "{} and not {error}",
                    card.standard_error
                );
            }
        }
    }

    #[test]
    fn a_judge_with_circular_taste_has_an_excess() {
        let circular = |a: u32, b: u32| if (a + 30 - b) % 30 < 15 { 0.9 } else { 0.1 };
        let mut verdicts = drawn(30, circular, &mut ChaCha8Rng::seed_from_u64(4));
        for (seen, p) in &mut verdicts {
            *p = Some(logistic(seen.first, seen.second));
        }
        let card = found(&verdicts, 100_000).unwrap();
        assert!(card.excess > 5.0 * card.standard_error, "{card:?}");
    }

    #[test]
    fn a_sample_of_many_triples_stands_for_all() {
        // Triples are found in some order of their items: none of them may count for more.
        let p = |a: u32, b: u32| {
            if a % 7 + b % 7 < 6 {
                0.5
            } else {
                logistic(a, b)
            }
        };
        let verdicts = drawn(100, p, &mut ChaCha8Rng::seed_from_u64(5));
        let (all, some) = (
            found(&verdicts, usize::MAX).unwrap(),
            found(&verdicts, 10_000).unwrap(),
        );
        assert_eq!((all.sampled, some.n, some.sampled), (all.n, all.n, 10_000));
        assert!(
            all.n > 40_000 && (all.expected - some.expected).abs() < 0.005,
            "{all:?} {some:?}"
        );
    }

    #[test]
    fn triangles_are_those_of_a_plain_search() {
        let verdicts = drawn(20, logistic, &mut ChaCha8Rng::seed_from_u64(6));
        let all = (0..20).flat_map(|a| (0..a).flat_map(move |b| (0..b).map(move |c| (a, b, c))));
        let plain = all
            .filter(|&(a, b, c)| drawn_pair(a, b) && drawn_pair(a, c) && drawn_pair(b, c))
            .count();
        assert_eq!(found(&verdicts, usize::MAX).unwrap().n, plain as u64);
    }
}
