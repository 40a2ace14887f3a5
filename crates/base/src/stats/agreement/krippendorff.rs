//! Krippendorff's α: agreement of any number of raters on labels, ranks or numbers, with any
//! ratings missing. Hides what a distance is on each level of measurement.

use super::{Table, beyond_chance, by_chance, within};

/// The level of measurement of the labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// They are the same or not.
    Nominal,
    /// They have an order: the distance is counted in ratings between them.
    Ordinal,
    /// They are numbers with a distance.
    Interval,
}

/// Krippendorff's α ("Computing Krippendorff's Alpha-Reliability", 2011, section D) over the items
/// with at least two ratings; 1 at most. An item counts for as much as it has ratings.
///
/// None if there are no such items or if all their ratings are the same. Takes a time that grows
/// with the square of the number of labels.
pub fn krippendorff(items: &[impl AsRef<[Option<f64>]>], level: Level) -> Option<f64> {
    let mut table = Table::new(items);
    table.items.retain(|item| item.len() > 1);
    let counts = table.counts();
    let ratings: f64 = counts.iter().sum();
    let at = match level {
        Level::Ordinal => middles(&counts),
        _ => table.labels,
    };
    let apart = |a: usize, b: usize| match level {
        Level::Nominal => f64::from(a != b),
        _ => (at[a] - at[b]).powi(2),
    };
    let observed = table
        .items
        .iter()
        .map(|item| item.len() as f64 * within(item, apart))
        .sum::<f64>()
        / ratings;
    // No rating is paired with itself.
    beyond_chance(
        observed,
        by_chance(&counts, &counts, apart) / (ratings * (ratings - 1.0)),
    )
}

/// Where the middle of each label lies when all ratings stand in a row; what lies between two
/// middles is their distance on the ordinal level.
fn middles(counts: &[f64]) -> Vec<f64> {
    let mut before = 0.0;
    let mut middles = Vec::with_capacity(counts.len());
    for count in counts {
        before += count;
        middles.push(before - count / 2.0);
    }
    middles
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Krippendorff (2011), sections C and D: four observers, twelve units, of which the last has
    /// one rating.
    #[test]
    fn the_published_example() {
        let observers = [
            "123321412...",
            "1233224125..",
            ".33323422513",
            "12332441251.",
        ];
        let item = |unit: usize| {
            observers.map(|ratings| {
                ratings
                    .chars()
                    .nth(unit)
                    .and_then(|c| c.to_digit(10))
                    .map(f64::from)
            })
        };
        let items: Vec<_> = (0..12).map(item).collect();
        for (level, alpha) in [
            (Level::Nominal, 0.743),
            (Level::Ordinal, 0.815),
            (Level::Interval, 0.849),
        ] {
            let computed = krippendorff(&items, level).unwrap();
            assert!((computed - alpha).abs() < 0.0005, "{level:?}: {computed}");
        }
    }

    /// Ratings 1 1, 1 2, 4 4: pairs differ in one of three items. In a row the middles are 1.5, 3.5
    /// and 5.
    #[test]
    fn by_hand() {
        let items = [[1.0, 1.0], [1.0, 2.0], [4.0, 4.0]].map(|item| item.map(Some));
        // Of 30 ordered pairs of ratings, 6 are 1–2, 12 are 1–4 and 4 are 2–4.
        let expected = [
            (Level::Nominal, 22.0),
            (Level::Ordinal, 6.0 * 4.0 + 12.0 * 12.25 + 4.0 * 2.25),
        ];
        for ((level, by_chance), observed) in expected.into_iter().zip([1.0 / 3.0, 4.0 / 3.0]) {
            assert!(
                (krippendorff(&items, level).unwrap() - (1.0 - observed * 30.0 / by_chance)).abs()
                    < 1e-12
            );
        }
        let by_chance = 6.0 + 12.0 * 9.0 + 4.0 * 4.0;
        assert!(
            (krippendorff(&items, Level::Interval).unwrap() - (1.0 - 10.0 / by_chance)).abs()
                < 1e-12
        );
    }

    #[test]
    fn intervals_keep_their_alpha_when_stretched() {
        let items: Vec<_> = (0..20u32)
            .map(|i| [i % 7, i % 7 + i % 2, i % 5].map(|x| Some(f64::from(x))))
            .collect();
        let stretched: Vec<_> = items
            .iter()
            .map(|item| item.map(|x| x.map(|x| 3.0 * x - 40.0)))
            .collect();
        let alpha = |items: &[[Option<f64>; 3]]| krippendorff(items, Level::Interval).unwrap();
        assert!((alpha(&items) - alpha(&stretched)).abs() < 1e-12);
        let bent: Vec<_> = items
            .iter()
            .map(|item| item.map(|x| x.map(f64::exp)))
            .collect();
        assert!((alpha(&items) - alpha(&bent)).abs() > 0.01);
        assert_eq!(
            krippendorff(&items, Level::Ordinal),
            krippendorff(&bent, Level::Ordinal)
        );
    }
}
