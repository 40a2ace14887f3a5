//! Who meets whom in a round of a Swiss tournament: neighbours in the ranking that have not met.
//! Hides the search for pairings that leave nobody without an opponent.

use super::matching::maximum_pairs;

/// The pairings of a round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairings {
    /// Pairs of agents, the better ranked one of each first, in the order of the better ones.
    pub pairs: Vec<(usize, usize)>,
    /// The agent without an opponent, where their number is odd.
    pub bye: Option<usize>,
}

/// Pairs the agents of a ranking, the best first.
///
/// From the top, each meets the next one below that it has not met (`meetings` counts how often two
/// have), as long as the others can still be paired without a rematch. There are never more
/// rematches than there must be, and those that must be are between agents that met least often.
/// Where the number is odd, the lowest of those with the fewest `byes` has the bye, unless another
/// of them would save a rematch.
pub fn pair(
    ranking: &[usize],
    meetings: impl Fn(usize, usize) -> u32,
    byes: impl Fn(usize) -> u32,
) -> Pairings {
    let mut playing = ranking.to_vec();
    let bye = (ranking.len() % 2 == 1)
        .then(|| choose_bye(ranking, &meetings, &byes))
        .flatten();
    playing.retain(|agent| Some(*agent) != bye);
    let place = |agent: &usize| ranking.iter().position(|other| other == agent);
    let mut pairs = Vec::new();
    let mut left = playing;
    let mut level = 0;
    while left.len() > 1 {
        let paired = pair_at(&left, |one, other| meetings(one, other) <= level);
        left.retain(|agent| !paired.iter().any(|pair| [pair.0, pair.1].contains(agent)));
        pairs.extend(paired);
        // Rematches only once nobody can be paired without, and then the rarest ones.
        level = next_level(&left, &meetings, level);
    }
    pairs.sort_by_key(|pair| place(&pair.0));
    Pairings { pairs, bye }
}

/// The fewest meetings above a level that two of these have had.
fn next_level(left: &[usize], meetings: impl Fn(usize, usize) -> u32, level: u32) -> u32 {
    let pairs = left
        .iter()
        .enumerate()
        .flat_map(|(at, one)| left[at + 1..].iter().map(move |other| (*one, *other)));
    pairs
        .map(|(one, other)| meetings(one, other))
        .filter(|number| *number > level)
        .min()
        .unwrap_or(level.saturating_add(1))
}

fn choose_bye(
    ranking: &[usize],
    meetings: impl Fn(usize, usize) -> u32,
    byes: impl Fn(usize) -> u32,
) -> Option<usize> {
    let fewest = ranking.iter().map(|agent| byes(*agent)).min()?;
    let mut best: Option<(usize, usize)> = None;
    for agent in ranking.iter().rev().filter(|agent| byes(**agent) == fewest) {
        let others: Vec<usize> = ranking.iter().copied().filter(|of| of != agent).collect();
        let fresh = pairs_among(&others, |one, other| meetings(one, other) == 0);
        if fresh * 2 == others.len() {
            return Some(*agent);
        }
        if best.is_none_or(|(most, _)| fresh > most) {
            best = Some((fresh, *agent));
        }
    }
    best.map(|(_, agent)| agent)
}

/// As many pairs as there can be, each agent with the nearest possible one below.
fn pair_at(ranking: &[usize], may_meet: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let mut left = ranking.to_vec();
    let mut wanted = pairs_among(&left, &may_meet);
    let mut pairs = Vec::new();
    let mut at = 0;
    while wanted > 0 && at < left.len() {
        let top = left[at];
        let opponent = left[at + 1..].iter().copied().find(|below| {
            let others: Vec<usize> = left
                .iter()
                .copied()
                .filter(|agent| ![top, *below].contains(agent))
                .collect();
            may_meet(top, *below) && pairs_among(&others, &may_meet) + 1 == wanted
        });
        match opponent {
            Some(below) => {
                pairs.push((top, below));
                wanted -= 1;
                left.retain(|agent| ![top, below].contains(agent));
            }
            // Nobody is left for it: it waits for the rematches.
            None => at += 1,
        }
    }
    pairs
}

fn pairs_among(agents: &[usize], may_meet: impl Fn(usize, usize) -> bool) -> usize {
    maximum_pairs(agents.len(), |one, other| {
        may_meet(agents[one], agents[other])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired(ranking: &[usize], met: &[(usize, usize, u32)], byes: &[u32]) -> Pairings {
        let meetings = |one: usize, other: usize| {
            let pair =
                |of: &&(usize, usize, u32)| [(one, other), (other, one)].contains(&(of.0, of.1));
            met.iter().find(pair).map_or(0, |of| of.2)
        };
        pair(ranking, meetings, |agent| {
            byes.get(agent).copied().unwrap_or(0)
        })
    }

    #[test]
    fn neighbours_meet_once() {
        let found = paired(&[2, 0, 3, 1], &[], &[]);
        assert_eq!((found.pairs, found.bye), (vec![(2, 0), (3, 1)], None));
        assert_eq!(
            paired(&[2, 0, 3, 1], &[(0, 2, 1)], &[]).pairs,
            [(2, 3), (0, 1)]
        );
        assert_eq!(paired(&[], &[], &[]), Pairings::default());
    }

    /// Greedily, 0 would meet 1, and 2 and 3 had to meet again.
    #[test]
    fn a_rematch_that_can_be_avoided_is_avoided() {
        let found = paired(&[0, 1, 2, 3], &[(2, 3, 1)], &[]);
        assert_eq!(found.pairs, [(0, 2), (1, 3)]);
    }

    /// 0 has met everybody: it meets the one again that it met least often, and the rest are fresh.
    #[test]
    fn a_rematch_that_must_be_is_the_rarest() {
        let met = [(0, 1, 2), (0, 2, 1), (0, 3, 2)];
        let found = paired(&[0, 1, 2, 3], &met, &[]);
        assert_eq!(found.pairs.len(), 2);
        assert!(
            found.pairs.contains(&(1, 3)) || found.pairs.contains(&(1, 2)),
            "{found:?}"
        );
        let all = [
            (0, 1, 1),
            (0, 2, 1),
            (0, 3, 1),
            (1, 2, 1),
            (1, 3, 1),
            (2, 3, 1),
        ];
        assert_eq!(paired(&[3, 2, 1, 0], &all, &[]).pairs, [(3, 2), (1, 0)]);
    }

    #[test]
    fn the_lowest_with_the_fewest_byes_sits_out() {
        assert_eq!(paired(&[0, 1, 2], &[], &[0, 0, 0]).bye, Some(2));
        assert_eq!(paired(&[0, 1, 2], &[], &[0, 0, 1]).bye, Some(1));
        assert_eq!(paired(&[0, 1, 2], &[], &[1, 1, 1]).bye, Some(2));
        // Without 2, 0 and 1 would have to meet again.
        assert_eq!(paired(&[0, 1, 2], &[(0, 1, 1)], &[0, 0, 0]).bye, Some(1));
        assert_eq!(paired(&[7], &[], &[]).bye, Some(7));
    }
}
