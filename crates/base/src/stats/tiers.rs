//! Tiers of a leaderboard: the best agents of two tiers differ significantly. Hides the order of
//! the agents.

use super::paired::Difference;

/// The tier of each agent, 1 for the best; none for an agent without a score.
///
/// In the order of the scores, higher ones first, an agent begins a new tier if it is significantly
/// worse than the best of the tier above: by the adjusted p-value of that pair's difference, below
/// `alpha`. Agents of one tier may differ from each other all the same; a pair without a difference
/// on record is taken as one that does not.
pub fn tiers(scores: &[Option<f64>], differences: &[Difference], alpha: f64) -> Vec<Option<u32>> {
    let score = |agent: usize| scores[agent].unwrap_or(f64::NEG_INFINITY);
    let mut order: Vec<usize> = (0..scores.len())
        .filter(|&agent| scores[agent].is_some_and(f64::is_finite))
        .collect();
    order.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
    let mut tiers = vec![None; scores.len()];
    let (mut tier, mut best) = (0, None);
    for agent in order {
        // Against the best of the tier, not the neighbour: small steps would never end a tier.
        if best.is_none_or(|best| worse(agent, best, differences, alpha)) {
            (tier, best) = (tier + 1, Some(agent));
        }
        tiers[agent] = Some(tier);
    }
    tiers
}

fn worse(agent: usize, best: usize, differences: &[Difference], alpha: f64) -> bool {
    let Some(pair) = differences
        .iter()
        .find(|pair| [(best, agent), (agent, best)].contains(&(pair.first, pair.second)))
    else {
        return false;
    };
    let lead = if pair.first == best {
        pair.value
    } else {
        -pair.value
    };
    lead > 0.0 && pair.adjusted < alpha
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(first: usize, second: usize, value: f64, adjusted: f64) -> Difference {
        Difference {
            first,
            second,
            tasks: 9,
            value,
            interval: None,
            p: 0.001,
            adjusted,
            detectable: None,
        }
    }

    /// Agents 2, 0, 3, 1 in this order: 0 is like 2, 3 is not, and 1 is like 3.
    #[test]
    fn a_tier_begins_with_a_significant_difference() {
        let scores = [
            Some(7.0),
            Some(4.0),
            Some(8.0),
            Some(5.0),
            None,
            Some(f64::NAN),
        ];
        let differences = [
            pair(0, 1, 3.0, 0.001),
            pair(0, 2, -1.0, 0.2),
            pair(0, 3, 2.0, 0.06),
            pair(1, 2, -4.0, 0.001),
            pair(1, 3, -1.0, 0.7),
            pair(2, 3, 3.0, 0.049),
        ];
        assert_eq!(
            tiers(&scores, &differences, 0.05),
            [Some(1), Some(2), Some(1), Some(2), None, None]
        );
        assert_eq!(
            tiers(&scores, &differences, 0.01),
            [Some(1), Some(2), Some(1), Some(1), None, None]
        );
    }

    /// Compared is with the best of the tier, and not with the neighbour.
    #[test]
    fn small_steps_add_up() {
        let scores = [Some(3.0), Some(2.0), Some(1.0)];
        let differences = [
            pair(0, 1, 1.0, 0.3),
            pair(0, 2, 2.0, 0.01),
            pair(1, 2, 1.0, 0.3),
        ];
        assert_eq!(
            tiers(&scores, &differences, 0.05),
            [Some(1), Some(1), Some(2)]
        );
    }

    /// Without shared tasks, and where shared tasks say the opposite of the scores, nobody is
    /// worse.
    #[test]
    fn who_is_not_known_to_be_worse_stays() {
        assert_eq!(
            tiers(&[Some(2.0), Some(1.0)], &[], 0.05),
            [Some(1), Some(1)]
        );
        assert_eq!(
            tiers(&[Some(2.0), Some(1.0)], &[pair(0, 1, -1.0, 0.001)], 0.05),
            [Some(1), Some(1)]
        );
        assert!(tiers(&[], &[], 0.05).is_empty());
    }
}
