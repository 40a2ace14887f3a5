//! From stored verdicts by criterion to the share that a report wins.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Deserialize;

use super::{
    AGREEMENT, CRITERION, FIRST, KEY, MARKS, SLIPS, Settings, WINS, ask::Order, category_key, terms,
};
use crate::{
    benchmarks::wiki_live_challenge::files::Winner,
    data::{Cause, Judgement, Score, Task, TaskId},
    evaluate::{
        evaluator::{Fold, Folded, Record, Reported},
        wiki::criteria::{self, Category},
    },
    store::{Evaluation, Store, StoredJudgement},
};

/// How a stored verdict is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preferred {
    First,
    Second,
    Tie,
}

impl Preferred {
    /// The winner in the words of the benchmark's files.
    pub fn winner(self, order: Order) -> Winner {
        match self {
            Self::Tie => Winner::Tie,
            _ if self.for_report(order) > 0.5 => Winner::Gen,
            _ => Winner::Gt,
        }
    }

    /// 1 where the report is preferred, ½ for a tie, 0 where the gold article is.
    fn for_report(self, order: Order) -> f64 {
        match (self, order) {
            (Self::Tie, _) => 0.5,
            (Self::First, Order::ReportFirst) | (Self::Second, Order::GoldFirst) => 1.0,
            _ => 0.0,
        }
    }
}

/// Scores reports by verdicts in both orders.
pub struct WritingFold {
    /// Judges in force; none where nobody was asked.
    panel: usize,
    /// What verdicts rest on, for each task with a gold article.
    terms: BTreeMap<TaskId, String>,
}

impl WritingFold {
    pub fn new(store: &Store, evaluation: &Evaluation) -> Result<Self> {
        let in_force = evaluation.in_force(CRITERION);
        let settings = Settings::deserialize(&in_force.settings).unwrap_or_default();
        let gold = store.gold()?.into_iter();
        Ok(Self {
            panel: in_force.panel.len(),
            terms: gold
                .map(|(task, gold)| (task, terms(&gold, settings)))
                .collect(),
        })
    }
}

impl Fold for WritingFold {
    fn score(&self, record: &Record<'_>, task: &Task, report: Reported<'_>) -> Result<Folded> {
        let mut folded = Folded::default();
        if self.panel == 0 {
            return Ok(folded);
        }
        let Some(terms) = self.terms.get(&task.id) else {
            folded.scores.insert(KEY, Score::missing("no gold article"));
            return Ok(folded);
        };
        let preferred = |stored: &StoredJudgement<'_>| stored.label::<Preferred>();
        let said = record
            .judgements
            .read_bare(CRITERION, report.id.as_str(), preferred)?;
        let verdicts = Verdicts::of(&said, terms);
        folded.unscored = verdicts.unscored(self.panel);
        let unscored = folded.unscored.values().sum();
        let all: Vec<Both> = verdicts.decided().collect();
        folded.scores.insert(
            KEY,
            Score {
                unscored,
                ..share(all.iter().map(Both::won))
            },
        );
        folded
            .scores
            .insert(WINS, share(all.iter().map(Both::wins)));
        for category in Category::ALL {
            let of = all.iter().filter(|both| both.category == category);
            folded
                .scores
                .insert(category_key(category), share(of.map(Both::won)));
        }
        folded.scores.insert(FIRST, for_the_first(&all));
        let same = all.iter().map(|both| f64::from(u8::from(both.agree())));
        folded.scores.insert(AGREEMENT, share(same));
        if self.panel > 1 {
            folded.by_judge.insert(KEY, by_judge(&all));
        }
        let slips = |stored: &StoredJudgement<'_>| stored.value();
        let slips = record
            .judgements
            .read_bare(SLIPS, report.id.as_str(), slips)?;
        let rate = slips.into_iter().find_map(|of| of.outcome.ok());
        folded.scores.insert(MARKS, Score::number(rate, "no prose"));
        Ok(folded)
    }
}

fn share(values: impl Iterator<Item = f64>) -> Score {
    let (sum, n) = values.fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
    if n > 0.0 {
        Score::ratio(sum, n)
    } else {
        Score::missing("unscored")
    }
}

/// The share of verdicts without ties for the article that was shown first.
fn for_the_first(all: &[Both<'_>]) -> Score {
    let verdicts = all.iter().flat_map(|both| both.orders);
    let decisive = verdicts.filter(|verdict| *verdict != Preferred::Tie);
    let first = decisive.map(|verdict| f64::from(u8::from(verdict == Preferred::First)));
    share(first)
}

fn by_judge(all: &[Both<'_>]) -> BTreeMap<String, f64> {
    let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for both in all {
        let (sum, n) = sums.entry(both.judge).or_default();
        *sum += both.won();
        *n += 1.0;
    }
    let means = sums.into_iter();
    means
        .map(|(judge, (sum, n))| (judge.to_owned(), sum / n))
        .collect()
}

/// A judge's verdicts by a criterion in both orders.
#[derive(Clone, Copy)]
struct Both<'a> {
    judge: &'a str,
    category: Category,
    /// With the report first, and with the gold article first.
    orders: [Preferred; 2],
}

impl Both<'_> {
    fn in_orders(&self) -> [f64; 2] {
        let [report_first, gold_first] = self.orders;
        [
            report_first.for_report(Order::ReportFirst),
            gold_first.for_report(Order::GoldFirst),
        ]
    }

    fn won(&self) -> f64 {
        let [first, second] = self.in_orders();
        f64::midpoint(first, second)
    }

    /// The same with a tie as no win.
    fn wins(&self) -> f64 {
        let [first, second] = self.in_orders().map(f64::floor);
        f64::midpoint(first, second)
    }

    fn agree(&self) -> bool {
        let [first, second] = self.in_orders();
        (first - second).abs() < f64::EPSILON
    }
}

/// Stored verdicts by judge, criterion and order.
struct Verdicts<'a> {
    by: BTreeMap<(&'a str, &'a str), [Option<Preferred>; 2]>,
    failed: BTreeMap<String, u64>,
}

impl<'a> Verdicts<'a> {
    /// Those that rest on other terms, or are on criteria that are not in the list, do not count.
    fn of(said: &'a [Judgement<Preferred, Cause>], terms: &str) -> Self {
        let mut verdicts = Self {
            by: BTreeMap::new(),
            failed: BTreeMap::new(),
        };
        for judgement in said {
            let mut parts = judgement.about.split('/');
            let (Some(order), Some(criterion)) = (parts.next(), parts.next()) else {
                continue;
            };
            if parts.next() != Some(terms) {
                continue;
            }
            let Some(place) = Order::BOTH.iter().position(|known| known.word() == order) else {
                continue;
            };
            if criteria::built_in().by_id(criterion).is_none() {
                continue;
            }
            let orders = verdicts
                .by
                .entry((&judgement.judge, criterion))
                .or_default();
            match &judgement.outcome {
                Ok(preferred) => orders[place] = Some(*preferred),
                Err(cause) => *verdicts.failed.entry(cause.word().to_owned()).or_default() += 1,
            }
        }
        verdicts
    }

    /// Missing verdicts by cause, of a panel of so many.
    fn unscored(&self, panel: usize) -> BTreeMap<String, u64> {
        let mut unscored = self.failed.clone();
        let decided = self.by.values().flatten().flatten().count() as u64;
        let failed: u64 = unscored.values().sum();
        let all = (2 * panel * criteria::built_in().criteria.len()) as u64;
        let missing = all.saturating_sub(decided + failed);
        if missing > 0 {
            unscored.insert("missing".to_owned(), missing);
        }
        unscored
    }

    fn decided(&self) -> impl Iterator<Item = Both<'a>> {
        self.by.iter().filter_map(|((judge, criterion), orders)| {
            let [Some(report_first), Some(gold_first)] = *orders else {
                return None;
            };
            Some(Both {
                judge,
                category: criteria::built_in().by_id(criterion)?.category,
                orders: [report_first, gold_first],
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(about: &str, outcome: Result<Preferred, Cause>) -> Judgement<Preferred, Cause> {
        Judgement {
            about: about.to_owned(),
            sample: 0,
            judge: "m".to_owned(),
            outcome,
        }
    }

    /// A judge that always prefers the first side gives half, and is found out.
    #[test]
    fn a_preference_for_a_side_drops_out() {
        let all: Vec<_> = criteria::built_in()
            .criteria
            .iter()
            .flat_map(|of| Order::BOTH.map(|order| order.about(&of.id, "now")))
            .map(|about| said(&about, Ok(Preferred::First)))
            .collect();
        let verdicts = Verdicts::of(&all, "now");
        let both: Vec<Both<'_>> = verdicts.decided().collect();
        assert_eq!(both.len(), 39);
        let value = |score: Score| score.value().expect("a value");
        assert!((value(share(both.iter().map(Both::won))) - 0.5).abs() < 1e-12);
        assert!((value(for_the_first(&both)) - 1.0).abs() < 1e-12);
        assert!(both.iter().all(|both| !both.agree()));
        assert!(verdicts.unscored(1).is_empty());
    }

    #[test]
    fn one_order_alone_counts_for_nothing_and_a_failure_is_no_tie() {
        let all = [
            said("report-first/bc_1/now", Ok(Preferred::First)),
            said("gold-first/bc_1/now", Ok(Preferred::Second)),
            said("report-first/bc_2/now", Ok(Preferred::First)),
            said("gold-first/bc_2/now", Err(Cause::Timeout)),
            said("gold-first/bc_99/now", Ok(Preferred::First)),
            said("report-first/n_1/now", Ok(Preferred::Tie)),
            said("gold-first/n_1/now", Ok(Preferred::First)),
            said("report-first/bc_3/earlier", Ok(Preferred::First)),
            said("gold-first/bc_3/earlier", Ok(Preferred::First)),
        ];
        let verdicts = Verdicts::of(&all, "now");
        let won: Vec<f64> = verdicts.decided().map(|both| both.won()).collect();
        assert_eq!(won, [1.0, 0.25], "bc_1 is won, n_1 a tie and a loss");
        let wins: Vec<f64> = verdicts.decided().map(|both| both.wins()).collect();
        assert_eq!(wins, [1.0, 0.0]);
        let unscored = verdicts.unscored(1);
        assert_eq!(
            unscored,
            BTreeMap::from([("missing".to_owned(), 72), ("timeout".to_owned(), 1)])
        );
    }
}
