//! Cells of heat maps: the better a value, the stronger its colour, with the number on it.

use super::svg;

/// Above this shade a number is drawn in the colour of the ground.
const DARK: f64 = 0.6;

/// The span of values that shades reach over.
pub struct Shades {
    /// The lowest value.
    pub low: f64,
    /// The highest value.
    pub high: f64,
    /// Which of them has the strongest colour.
    pub best_is_high: bool,
    /// Decimals of the numbers.
    pub decimals: usize,
}

impl Shades {
    /// The cell between two corners, the first one upper left, with `mark` behind its number; a dash
    /// where there is no value.
    pub fn cell(&self, from: (f64, f64), to: (f64, f64), value: Option<f64>, mark: &str) -> String {
        let middle = f64::midpoint(from.0, to.0);
        let Some(value) = value.filter(|value| value.is_finite()) else {
            return svg::text("tick middle", middle, from.1 + 16.0, "–");
        };
        let shade = self.shade(value);
        let class = if shade > DARK { "on middle" } else { "middle" };
        let number = svg::number(value, self.decimals);
        svg::shaded(
            "heat",
            shade,
            (from.0 + 1.0, from.1 + 1.0),
            (to.0 - 1.0, to.1 - 1.0),
        ) + &svg::text(class, middle, from.1 + 16.0, &format!("{number}{mark}"))
    }

    /// From .08 for the worst value to 1 for the best; all the same where all are.
    fn shade(&self, value: f64) -> f64 {
        let span = self.high - self.low;
        if span <= 0.0 {
            return 0.4;
        }
        let share = (value - self.low) / span;
        let share = if self.best_is_high {
            share
        } else {
            1.0 - share
        };
        0.08 + 0.92 * share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_the_darkest_whichever_end_that_is() {
        let shades = |best_is_high| Shades {
            low: 10.0,
            high: 90.0,
            best_is_high,
            decimals: 1,
        };
        for (high, value, shade) in [
            (true, 90.0, 1.0),
            (true, 10.0, 0.08),
            (false, 10.0, 1.0),
            (false, 50.0, 0.54),
        ] {
            assert!(
                (shades(high).shade(value) - shade).abs() < 1e-12,
                "{high} {value}"
            );
        }
    }
}
