//! Elo ratings, updated game by game, as RankEval uses them (DeepResearch Arena, section on
//! RankEval; Elo, "The Rating of Chessplayers", 1978).

/// Every item's rating before its first game.
pub const START: f64 = 1200.0;

/// The expected score of the first of two ratings: 1 / (1 + `10^((r_b` − `r_a`) / 400)).
pub fn expected(rating_a: f64, rating_b: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf((rating_b - rating_a) / 400.0))
}

/// Points that the first item gains and the second loses by a game with `score_a` in 0 to 1: K (s −
/// e).
pub fn gain(rating_a: f64, rating_b: f64, score_a: f64, k: f64) -> f64 {
    k * (score_a - expected(rating_a, rating_b))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First-game vectors of the paper's setting: K 32, both at 1200.
    #[test]
    fn first_games_of_the_paper() {
        for (confidence, gained) in [(1.0, 16.0), (0.8, 9.6), (0.55, 1.6), (0.5, 0.0)] {
            assert!((gain(START, START, confidence, 32.0) - gained).abs() < 1e-9);
            assert!((gain(START, START, 1.0 - confidence, 32.0) + gained).abs() < 1e-9);
        }
    }

    /// After two rounds with K 32 every rating lies in [1168, 1232].
    #[test]
    fn two_rounds_stay_within_their_bounds() {
        let up = START + gain(START, START, 1.0, 32.0);
        let top = up + gain(up, up, 1.0, 32.0);
        assert!(top <= 1232.0 && top > 1231.0);
        let down = START - gain(START, START, 1.0, 32.0);
        assert!(down + gain(down, down, 0.0, 32.0) >= 1168.0);
    }

    /// Swapped sides and letters move the same two ratings by the same points.
    #[test]
    fn swapped_sides_change_no_rating() {
        for (a, b, score) in [
            (1200.0, 1200.0, 0.8),
            (1310.0, 1187.5, 0.3),
            (900.0, 1500.0, 1.0),
        ] {
            let swapped = -gain(b, a, 1.0 - score, 32.0);
            assert!((gain(a, b, score, 32.0) - swapped).abs() < 1e-9);
        }
    }

    #[test]
    fn four_hundred_points_are_ten_to_one() {
        assert!((expected(1600.0, 1200.0) - 10.0 / 11.0).abs() < 1e-12);
    }
}
