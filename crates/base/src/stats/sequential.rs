//! A test of a judge's answers to questions with known answers, one answer after the other: it may
//! be looked at after each of them, for as long as a run lasts. Hides the sum over the moments at
//! which the judge may have gone wrong.
//!
//! Each answer multiplies a likelihood ratio: of a judge that guesses against one that is just good
//! enough (Wald, "Sequential tests of statistical hypotheses", Ann. Math. Stat. 16, 1945, section
//! 3). Under a judge that is good enough or better the ratio shrinks on average, so that it ever
//! reaches 1 / α with probability α at most, however often one looks (Ville, "Étude critique de la
//! notion de collectif", 1939; Robbins, Ann. Math. Stat. 41, 1970). Ratios that begin at each later
//! answer are averaged with weights 1 / ((k + 1)(k + 2)), which sum to 1: so a judge that fails
//! only after a thousand right answers is found as well, and the bound stays.

use serde::Serialize;

/// What counts as good, what as failed, and how often a good judge may be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bounds {
    /// Share of right answers from which on a judge is good, 0 to 1.
    pub good: f64,
    /// Share of right answers of a judge that guesses, below `good`.
    pub guessing: f64,
    /// Largest probability that a good judge is ever stopped.
    pub alpha: f64,
}

impl Default for Bounds {
    /// A judge that is right nine times in ten is stopped in at most one of a hundred runs, however
    /// long. One that guesses is stopped after some 11 answers, one that is always wrong after 4.
    fn default() -> Self {
        Self {
            good: 0.9,
            guessing: 0.5,
            alpha: 0.01,
        }
    }
}

/// The test so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Sequential {
    /// Answers.
    pub n: u64,
    /// Right ones.
    pub right: u64,
    /// Logarithm of the largest average of likelihood ratios so far; 0 says nothing.
    pub evidence: f64,
    /// The number of answers after which the judge had failed; none while it has not.
    pub failed_after: Option<u64>,
    /// Ratios that have begun, weighted and summed.
    #[serde(skip)]
    begun: f64,
}

impl Sequential {
    /// The test of answers in the order in which they came.
    pub fn of(answers: impl IntoIterator<Item = bool>, bounds: &Bounds) -> Self {
        let mut test = Self::default();
        for right in answers {
            test.add(right, bounds);
        }
        test
    }

    /// Takes one more answer. What was found once stays found.
    pub fn add(&mut self, right: bool, bounds: &Bounds) {
        let ratio = if right {
            bounds.guessing / bounds.good
        } else {
            (1.0 - bounds.guessing) / (1.0 - bounds.good)
        };
        let before = self.n as f64;
        let begins = 1.0 / ((before + 1.0) * (before + 2.0));
        // Once failed, a ratio may grow beyond what a number holds; nothing depends on it then.
        self.begun = ((self.begun + begins) * ratio).min(f64::MAX);
        self.n += 1;
        self.right += u64::from(right);
        let not_begun = 1.0 / (self.n as f64 + 1.0);
        self.evidence = self.evidence.max((self.begun + not_begun).ln());
        if self.failed_after.is_none() && self.evidence >= -bounds.alpha.ln() {
            self.failed_after = Some(self.n);
        }
    }

    /// Whether the judge has failed.
    pub fn has_failed(&self) -> bool {
        self.failed_after.is_some()
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;

    const RUNS: u64 = 200;

    /// How many of the runs a judge is stopped in, and after how many answers on average.
    fn stopped(answers: usize, right: impl Fn(usize) -> f64) -> (u64, f64) {
        let (mut stopped, mut after) = (0, 0);
        for run in 0..RUNS {
            let mut rng = ChaCha8Rng::seed_from_u64(run);
            let drawn = (0..answers).map(|n| rng.random::<f64>() < right(n));
            if let Some(n) = Sequential::of(drawn, &Bounds::default()).failed_after {
                stopped += 1;
                after += n;
            }
        }
        (stopped, after as f64 / stopped.max(1) as f64)
    }

    /// By hand: after one wrong answer 1/2 · 5 + 1/2 is 3.
    #[test]
    fn the_first_answers_by_hand() {
        let one = Sequential::of([false], &Bounds::default());
        assert!((one.evidence - 3.0_f64.ln()).abs() < 1e-12, "{one:?}");
        // (1/2 · 5 + 1/6) · 5 / 9 + 1/3 is 1.8: the largest stays.
        let two = Sequential::of([false, true], &Bounds::default());
        assert!((two.evidence - 3.0_f64.ln()).abs() < 1e-12, "{two:?}");
        let wrong = Sequential::of([false; 9], &Bounds::default());
        assert_eq!(wrong.failed_after, Some(4));
        let nothing = Sequential::of([], &Bounds::default());
        assert!(!nothing.has_failed() && nothing.evidence.abs() < 1e-12);
    }

    #[test]
    fn good_judges_go_on_and_others_are_stopped() {
        let shares = [
            ("right 97 % of 400", stopped(400, |_| 0.97)),
            ("right 90 % of 400", stopped(400, |_| 0.9)),
            ("guesses", stopped(100, |_| 0.5)),
            ("right 20 %", stopped(100, |_| 0.2)),
            (
                "guesses after 300 good answers",
                stopped(400, |n| if n < 300 { 0.97 } else { 0.5 }),
            ),
        ];
        let told = format!("of {RUNS} runs, stopped and after: {shares:?}");
        let [excellent, good, guesses, wrong, later] = shares.map(|(_, found)| found);
        assert!(excellent.0 == 0 && good.0 <= RUNS / 20, "{told}");
        for (found, _) in [guesses, wrong, later] {
            assert!(found >= RUNS * 95 / 100, "{told}");
        }
        assert!(guesses.1 < 20.0 && wrong.1 < 7.0, "{told}");
    }

    #[test]
    fn a_hundred_thousand_answers_are_no_trouble() {
        let good = Sequential::of((0..100_000).map(|n| n % 20 > 0), &Bounds::default());
        assert!(!good.has_failed() && good.evidence.is_finite());
        let bad = Sequential::of([false; 5000], &Bounds::default());
        assert!(bad.has_failed() && bad.evidence.is_finite());
    }
}
