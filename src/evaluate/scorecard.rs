//! What an evaluation found for one report, and for agents over many: the nouns of a leaderboard.

use std::{collections::BTreeMap, iter::Sum, ops::Add};

use serde::{Deserialize, Serialize};

/// Key points of a reference set by what the report says of them (KAE). A point without a verdict
/// is in none of the three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Supported by the report.
    pub supported: u64,
    /// Contradicted by it.
    pub conflicting: u64,
    /// Not mentioned.
    pub omitted: u64,
    /// No verdict could be had.
    pub unscored: u64,
}

/// One report with its scores. What could not be scored is `None` or counted by cause, never 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    /// Id of the report.
    pub report: String,
    /// Id of the task that it answers.
    pub task: String,
    /// The agent's name.
    pub agent: String,
    /// 1 for the first answer of the agent to the task.
    pub attempt: u32,
    /// ok, refused, empty, timeout, error.
    pub state: String,
    /// Facets of the task: `phase`, `type`, `discipline`, `language`.
    pub facets: BTreeMap<String, String>,
    /// Against the key points of the pages that the report itself cites (the paper's set); none
    /// where there are none.
    pub own: Option<Counts>,
    /// Against those of the other agents' pages for the task; none where there are none.
    pub independent: Option<Counts>,
    /// Weighted mean of the checklist's ratings, 0 to 10; none unless every criterion has a rating.
    pub ace: Option<f64>,
    /// What ACE were by each judge of a panel alone; a judge who did not rate every criterion is
    /// not in it.
    #[serde(default)]
    pub ace_by: BTreeMap<String, f64>,
    /// How far ratings that one judge gave the same criterion again lie apart; none where each was
    /// asked once.
    #[serde(default)]
    pub repeated: Option<Spread>,
    /// Judgements without a verdict, by cause.
    pub unscored: BTreeMap<String, u64>,
    /// Distinct URLs that the report cites.
    pub references: u64,
    /// Of those, the ones that gave no text, by cause.
    pub url_failures: BTreeMap<String, u64>,
    /// Tokens that the agent wrote, where known.
    pub output_tokens: Option<u64>,
    /// Micro-dollars that the agent cost, where known.
    pub cost_micro: Option<u64>,
    /// Words of the report (a Han character is a word).
    pub words: u64,
}

/// Squared deviations of ratings from the mean of their group, to be added up over groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Their sum, in squared points.
    pub squares: f64,
    /// Ratings less groups.
    pub freedom: u64,
}

impl Spread {
    /// Of one group; none of fewer than two.
    pub fn of(group: &[f64]) -> Option<Self> {
        let freedom = (group.len() as u64)
            .checked_sub(1)
            .filter(|freedom| *freedom > 0)?;
        let mean = group.iter().sum::<f64>() / group.len() as f64;
        Some(Self {
            squares: group.iter().map(|value| (value - mean).powi(2)).sum(),
            freedom,
        })
    }

    /// The standard deviation within groups, pooled, in points; none without groups.
    pub fn deviation(self) -> Option<f64> {
        (self.freedom > 0).then(|| (self.squares / self.freedom as f64).sqrt())
    }
}

impl Add for Spread {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            squares: self.squares + other.squares,
            freedom: self.freedom + other.freedom,
        }
    }
}

impl Sum for Spread {
    fn sum<I: Iterator<Item = Self>>(spreads: I) -> Self {
        spreads.fold(Self::default(), Add::add)
    }
}

impl Counts {
    /// Points with a verdict.
    pub fn total(self) -> u64 {
        self.supported + self.conflicting + self.omitted
    }

    /// The share that is supported (KSR), 0 to 1. None without a verdict. (DeepResearch Arena,
    /// arXiv 2509.01396, section on keypoint-aligned evaluation, as the shares below.)
    pub fn ksr(self) -> Option<f64> {
        self.share(self.supported)
    }

    /// The share that is contradicted (KCR), 0 to 1.
    pub fn kcr(self) -> Option<f64> {
        self.share(self.conflicting)
    }

    /// The share that is not mentioned (KOR), 0 to 1.
    pub fn kor(self) -> Option<f64> {
        self.share(self.omitted)
    }

    fn share(self, part: u64) -> Option<f64> {
        (self.total() > 0).then(|| part as f64 / self.total() as f64)
    }
}

impl Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            supported: self.supported + other.supported,
            conflicting: self.conflicting + other.conflicting,
            omitted: self.omitted + other.omitted,
            unscored: self.unscored + other.unscored,
        }
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Add::add)
    }
}

/// Counts that give Table 3 and Fig. 4 of arXiv 2509.01396, the smallest that do; for tests.
#[cfg(test)]
pub mod published {
    use super::Counts;

    /// System, counts in English and Chinese, their printed KSR, KCR and KOR in percent; pooled
    /// shares and efficiency.
    pub type System = (&'static str, [[u64; 3]; 2], [[f64; 3]; 2], [f64; 4]);

    /// All eight.
    pub const SYSTEMS: [System; 8] = [
        (
            "gpt-4o-search-preview",
            [[28, 5, 23], [34, 2, 4]],
            [[50.0, 8.9, 41.1], [85.0, 5.0, 10.0]],
            [64.6, 7.3, 28.1, 1.825],
        ),
        (
            "gpt-4o-mini-search-preview",
            [[37, 4, 6], [10, 3, 5]],
            [[78.7, 8.5, 12.8], [55.6, 16.7, 27.8]],
            [72.3, 10.8, 16.9, 2.61],
        ),
        (
            "gpt-4.1-mini",
            [[80, 14, 34], [13, 1, 3]],
            [[62.5, 10.9, 26.6], [76.5, 5.9, 17.6]],
            [64.1, 10.3, 25.5, 1.791],
        ),
        (
            "gpt-4.1",
            [[28, 1, 7], [20, 2, 11]],
            [[77.8, 2.8, 19.4], [60.6, 6.1, 33.3]],
            [69.6, 4.3, 26.1, 2.289],
        ),
        (
            "o4-mini-deep-research",
            [[450, 25, 108], [25, 6, 2]],
            [[77.2, 4.3, 18.5], [75.8, 18.2, 6.1]],
            [77.1, 5.0, 17.9, 3.367],
        ),
        (
            "gemini-2.5-pro-search",
            [[41, 9, 13], [19, 3, 3]],
            [[65.1, 14.3, 20.6], [76.0, 12.0, 12.0]],
            [68.2, 13.6, 18.2, 2.145],
        ),
        (
            "gemini-2.5-flash-search",
            [[70, 3, 16], [20, 4, 1]],
            [[78.7, 3.4, 18.0], [80.0, 16.0, 4.0]],
            [78.9, 6.1, 14.9, 3.757],
        ),
        (
            "grok-4-search",
            [[100, 9, 11], [29, 8, 21]],
            [[83.3, 7.5, 9.2], [50.0, 13.8, 36.2]],
            [72.5, 9.6, 18.0, 2.627],
        ),
    ];

    /// From supported, conflicting and omitted ones.
    pub fn counts([supported, conflicting, omitted]: [u64; 3]) -> Counts {
        Counts {
            supported,
            conflicting,
            omitted,
            unscored: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        published::{SYSTEMS, counts},
        *,
    };

    fn shares(counts: Counts) -> [f64; 3] {
        [counts.ksr(), counts.kcr(), counts.kor()].map(|share| 100.0 * share.unwrap())
    }

    fn assert_printed(name: &str, counts: Counts, printed: &[f64]) {
        for (share, printed) in shares(counts).iter().zip(printed) {
            // One of the printed digits, and what a number in binary may be off.
            assert!(
                (share - printed).abs() <= 0.05 + 1e-9,
                "{name}: {share} and not {printed}"
            );
        }
        assert!((shares(counts).iter().sum::<f64>() - 100.0).abs() < 1e-9);
    }

    #[test]
    fn counts_give_the_published_shares() {
        for (name, languages, printed, pooled) in SYSTEMS {
            for (language, printed) in languages.into_iter().zip(&printed) {
                assert_printed(name, counts(language), printed);
            }
            let sum: Counts = languages.into_iter().map(counts).sum();
            assert_printed(name, sum, &pooled[..3]);
        }
    }

    #[test]
    fn what_has_no_verdict_is_in_no_share() {
        let counts = Counts {
            supported: 1,
            conflicting: 1,
            omitted: 2,
            unscored: 96,
        };
        assert_eq!((counts.total(), counts.ksr()), (4, Some(0.25)));
        assert_eq!(
            counts + counts,
            Counts {
                supported: 2,
                conflicting: 2,
                omitted: 4,
                unscored: 192
            }
        );
    }

    /// (1² + 1² + 0) / 2 of [4, 6, 5], and (.5² + .5²) / 1 of [7, 8].
    #[test]
    fn spreads_are_pooled_over_groups() {
        let groups: [&[f64]; 3] = [&[4.0, 6.0, 5.0], &[7.0, 8.0], &[9.0]];
        let spread: Spread = groups.into_iter().filter_map(Spread::of).sum();
        assert_eq!(spread.freedom, 3);
        assert!(
            spread
                .deviation()
                .is_some_and(|sd| (sd - (2.5_f64 / 3.0).sqrt()).abs() < 1e-12)
        );
        assert_eq!(Spread::default().deviation(), None);
    }

    #[test]
    fn nothing_has_no_share() {
        let none = Counts {
            unscored: 3,
            ..Counts::default()
        };
        assert_eq!((none.ksr(), none.kcr(), none.kor()), (None, None, None));
        assert_eq!([].into_iter().sum::<Counts>(), Counts::default());
    }
}
