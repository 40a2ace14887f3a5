//! Agreement of people with each other, and of a judge with people. Pure numbers over the scores of
//! both.
//!
//! **Measures** the coefficients of DeepResearch Arena's human alignment (arXiv 2509.01396: ρ, r
//! and τ against the mean of the annotators), and what it leaves out: agreement between the
//! annotators, intervals, and the baseline of a rater who always gives the same score. **Differs
//! from the paper**: ρ by mid-ranks and τ-b, which allow ties; τ-a stands beside them.

use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use serde::Serialize;

use super::people::BEST;
use crate::stats::{
    agreement::{Level, Weights, cohen, constant, fleiss, gwet, krippendorff, percent},
    bootstrap::{self, RESAMPLES},
    correlation::{kendall, kendall_a, pearson, spearman},
};

/// The scores of one report or criterion by people and by a judge.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The task that it belongs to: tasks are resampled as a whole.
    pub task: String,
    /// The people's scores, 0 to 10, in the same order for each item.
    pub people: Vec<Option<f64>>,
    /// The judge's number, whatever its scale.
    pub judge: Option<f64>,
}

/// A coefficient with its 95 % interval.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Coefficient {
    /// Its name.
    pub name: &'static str,
    /// None where it is not defined.
    pub value: Option<f64>,
    /// Lower end, by resampling tasks.
    pub ci_low: Option<f64>,
    /// Upper end.
    pub ci_high: Option<f64>,
}

/// The agreement of people with each other, or of a judge with people.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// Whose agreement it is, and on what.
    pub what: String,
    /// Items that it rests on.
    pub n: u64,
    /// Items scored by people without a score of the judge, or by fewer than two people.
    pub without: u64,
    /// The coefficients.
    pub coefficients: Vec<Coefficient>,
}

impl Item {
    /// Mean of the people's scores.
    fn mean(&self) -> Option<f64> {
        let given: Vec<f64> = self.people.iter().flatten().copied().collect();
        (!given.is_empty()).then(|| given.iter().sum::<f64>() / given.len() as f64)
    }
}

/// The scores of one item, one place for each person.
type Ratings = Vec<Option<f64>>;

/// Agreement between people. `seed` draws the resamples.
pub fn between(what: &str, items: &[Item], seed: u64) -> Agreement {
    let scored = items
        .iter()
        .filter(|item| item.people.iter().any(Option::is_some))
        .count();
    let both: Vec<&Item> = items
        .iter()
        .filter(|item| item.people.iter().flatten().count() > 1)
        .collect();
    // Who scored nothing of this is nobody here.
    let raters = both.iter().map(|item| item.people.len()).max().unwrap_or(0);
    let here: Vec<usize> = (0..raters)
        .filter(|at| {
            both.iter()
                .any(|item| item.people.get(*at).copied().flatten().is_some())
        })
        .collect();
    let ratings = |item: &Item| -> Ratings {
        here.iter()
            .map(|at| item.people.get(*at).copied().flatten())
            .collect()
    };
    let clusters = by_task(both.iter().map(|item| (item.task.as_str(), ratings(item))));
    let of = |name, of: &dyn Fn(&[&Ratings]) -> Option<f64>| coefficient(name, &clusters, seed, of);
    let scale = scale(&both);
    let mut coefficients = vec![
        of("same score", &|items| percent(items)),
        of("… of one who always says the commonest", &|items| {
            constant(items)
        }),
        of("Krippendorff α, nominal", &|items| {
            krippendorff(items, Level::Nominal)
        }),
        of("Krippendorff α, ordinal", &|items| {
            krippendorff(items, Level::Ordinal)
        }),
        of("Krippendorff α, interval", &|items| {
            krippendorff(items, Level::Interval)
        }),
        of("Fleiss κ", &|items| fleiss(items)),
        of("Gwet AC1", &|items| gwet(items, Weights::Identity, &scale)),
        of("Gwet AC2, quadratic", &|items| {
            gwet(items, Weights::Quadratic, &scale)
        }),
    ];
    if here.len() == 2 {
        coefficients.push(of("Cohen κ", &|items| {
            cohen(items, [0, 1], Weights::Identity)
        }));
        coefficients.push(of("Cohen κ, linear", &|items| {
            cohen(items, [0, 1], Weights::Linear)
        }));
        coefficients.push(of("Cohen κ, quadratic", &|items| {
            cohen(items, [0, 1], Weights::Quadratic)
        }));
    }
    Agreement {
        what: what.to_owned(),
        n: both.len() as u64,
        without: (scored - both.len()) as u64,
        coefficients,
    }
}

/// Agreement of a judge with the mean of the people. Where `same_scale`, the judge's numbers are 0
/// to 10, too, and how far apart the two are can be said.
pub fn aligned(what: &str, items: &[Item], same_scale: bool, seed: u64) -> Agreement {
    let scored: Vec<(&Item, f64)> = items
        .iter()
        .filter_map(|item| Some((item, item.mean()?)))
        .collect();
    let both: Vec<Pair<'_>> = scored
        .iter()
        .filter_map(|(item, people)| {
            Some(Pair {
                task: &item.task,
                people: *people,
                judge: item.judge?,
            })
        })
        .collect();
    let clusters = by_task(both.iter().map(|pair| (pair.task, *pair)));
    let of =
        |name, of: &dyn Fn(&[&Pair<'_>]) -> Option<f64>| coefficient(name, &clusters, seed, of);
    let mut coefficients = vec![
        of("Spearman ρ, mid-ranks", &|pairs| {
            on_sides(pairs, |x, y| Some(spearman(x, y)?.value))
        }),
        of("Pearson r", &|pairs| {
            on_sides(pairs, |x, y| Some(pearson(x, y)?.value))
        }),
        of("Kendall τ-b", &|pairs| on_sides(pairs, kendall)),
        of("Kendall τ-a", &|pairs| on_sides(pairs, kendall_a)),
        same_better(&clusters, seed),
    ];
    if same_scale {
        coefficients.push(of("mean distance", &|pairs| {
            distance(pairs, |pair| pair.judge)
        }));
        coefficients.push(of(
            "… of one who always says the people's median",
            &|pairs| {
                let middle = median(pairs.iter().map(|pair| pair.people).collect())?;
                distance(pairs, |_| middle)
            },
        ));
    }
    Agreement {
        what: what.to_owned(),
        n: both.len() as u64,
        without: (scored.len() - both.len()) as u64,
        coefficients,
    }
}

#[derive(Clone, Copy)]
struct Pair<'a> {
    task: &'a str,
    people: f64,
    judge: f64,
}

/// A coefficient of the judge's numbers and the people's.
fn on_sides(pairs: &[&Pair<'_>], of: impl Fn(&[f64], &[f64]) -> Option<f64>) -> Option<f64> {
    let (judge, people): (Vec<f64>, Vec<f64>) =
        pairs.iter().map(|pair| (pair.judge, pair.people)).unzip();
    of(&judge, &people)
}

/// A coefficient with its interval, by resampling the clusters.
pub(super) fn coefficient<T>(
    name: &'static str,
    clusters: &[Vec<T>],
    seed: u64,
    of: &dyn Fn(&[&T]) -> Option<f64>,
) -> Coefficient {
    let found = bootstrap::statistic(
        clusters,
        RESAMPLES,
        &mut ChaCha8Rng::seed_from_u64(seed),
        of,
    );
    let interval = found.and_then(|found| found.interval);
    Coefficient {
        name,
        value: found.map(|found| found.value),
        ci_low: interval.map(|(low, _)| low),
        ci_high: interval.map(|(_, high)| high),
    }
}

/// Items by task, since tasks are resampled as a whole.
pub(super) fn by_task<'a, T>(items: impl Iterator<Item = (&'a str, T)>) -> Vec<Vec<T>> {
    let mut by = std::collections::BTreeMap::<&str, Vec<T>>::new();
    for (task, item) in items {
        by.entry(task).or_default().push(item);
    }
    by.into_values().collect()
}

/// The whole numbers from 0 to 10, and any other scores.
fn scale(items: &[&Item]) -> Vec<f64> {
    let said = items
        .iter()
        .flat_map(|item| item.people.iter().flatten().copied());
    let mut scale: Vec<f64> = (0..=BEST as u32).map(f64::from).chain(said).collect();
    scale.sort_by(f64::total_cmp);
    scale.dedup();
    scale
}

/// Of the pairs of one task on which neither side has a tie, the share that both put in the same
/// order. A task is one thing when tasks are resampled.
fn same_better(tasks: &[Vec<Pair<'_>>], seed: u64) -> Coefficient {
    let counts: Vec<Vec<(u64, u64)>> = tasks.iter().map(|pairs| vec![same_order(pairs)]).collect();
    coefficient(
        "same better one of two reports on a task (a coin: 0.5)",
        &counts,
        seed,
        &|counts: &[&(u64, u64)]| {
            let (same, all) = counts
                .iter()
                .fold((0, 0), |sum, of| (sum.0 + of.0, sum.1 + of.1));
            (all > 0).then(|| same as f64 / all as f64)
        },
    )
}

/// Pairs in the same order, and all that can be ordered.
fn same_order(pairs: &[Pair<'_>]) -> (u64, u64) {
    let (mut same, mut all) = (0_u64, 0_u64);
    for (at, first) in pairs.iter().enumerate() {
        for second in &pairs[at + 1..] {
            let (judge, people) = (first.judge - second.judge, first.people - second.people);
            if judge != 0.0 && people != 0.0 {
                all += 1;
                same += u64::from((judge > 0.0) == (people > 0.0));
            }
        }
    }
    (same, all)
}

fn distance(pairs: &[&Pair<'_>], guess: impl Fn(&Pair<'_>) -> f64) -> Option<f64> {
    let sum: f64 = pairs
        .iter()
        .map(|pair| (guess(pair) - pair.people).abs())
        .sum();
    (!pairs.is_empty()).then(|| sum / pairs.len() as f64)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (low, high) = (
        values.get(values.len().checked_sub(1)? / 2)?,
        values.get(values.len() / 2)?,
    );
    Some((low + high) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(task: usize, people: &[f64], judge: f64) -> Item {
        Item {
            task: format!("t{task}"),
            people: people.iter().map(|x| Some(*x)).collect(),
            judge: Some(judge),
        }
    }

    fn value(of: &Agreement, name: &str) -> Option<f64> {
        of.coefficients
            .iter()
            .find(|one| one.name.starts_with(name))
            .expect("a coefficient")
            .value
    }

    #[test]
    fn a_judge_who_says_what_people_say_agrees_in_every_way() {
        let items: Vec<Item> = (0..12)
            .map(|n| item(n / 3, &[(n % 7) as f64, (n % 7) as f64], (n % 7) as f64))
            .collect();
        let found = aligned("x", &items, true, 1);
        for name in ["Spearman", "Pearson", "Kendall τ-b", "same better"] {
            assert!(
                (value(&found, name).expect("a value") - 1.0).abs() < 1e-12,
                "{name}"
            );
        }
        assert_eq!(value(&found, "mean distance"), Some(0.0));
        assert!(value(&found, "… of one").expect("a value") > 1.0);
        let people = between("x", &items, 1);
        for name in [
            "same score",
            "Krippendorff α, interval",
            "Cohen κ, quadratic",
            "Gwet AC2",
        ] {
            assert!(
                (value(&people, name).expect("a value") - 1.0).abs() < 1e-12,
                "{name}"
            );
        }
    }

    #[test]
    fn the_numbers_are_those_of_a_hand_made_table() {
        // People's means 2, 4, 6, 9; the judge 1, 5, 4, 8: one of six pairs is the other way round.
        let items = [
            item(0, &[1.0, 3.0], 1.0),
            item(0, &[4.0, 4.0], 5.0),
            item(1, &[5.0, 7.0], 4.0),
            item(1, &[9.0, 9.0], 8.0),
        ];
        let found = aligned("x", &items, true, 1);
        assert!(
            (value(&found, "Spearman").expect("ρ") - 0.8).abs() < 1e-12,
            "1 − 6·2 / (4·15)"
        );
        assert!((value(&found, "Kendall τ-a").expect("τ") - 4.0 / 6.0).abs() < 1e-12);
        assert_eq!(
            value(&found, "same better"),
            Some(1.0),
            "within tasks both pairs agree"
        );
        assert_eq!(value(&found, "mean distance"), Some(1.25));
        assert_eq!(
            value(&found, "… of one"),
            Some((3.0 + 1.0 + 1.0 + 4.0) / 4.0)
        );
        let people = between("x", &items, 1);
        assert_eq!(value(&people, "same score"), Some(0.5));
    }

    #[test]
    fn what_nobody_can_compare_is_counted() {
        let mut items = vec![item(0, &[1.0, 2.0], 3.0), item(1, &[4.0, 4.0], 5.0)];
        items[0].judge = None;
        items[1].people[1] = None;
        let found = aligned("x", &items, true, 1);
        assert_eq!((found.n, found.without), (1, 1));
        assert_eq!(value(&found, "Spearman"), None, "one point has no order");
        let people = between("x", &items, 1);
        assert_eq!((people.n, people.without), (1, 1));
        assert_eq!(
            (between("x", &[], 1).n, aligned("x", &[], false, 1).n),
            (0, 0)
        );
    }
}
