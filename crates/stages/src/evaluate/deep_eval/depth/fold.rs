//! From stored comparisons to win rates and points of a report.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Deserialize;

use super::{AGREEMENT, COMPARISON, POINTS, Settings, WIN_RATE, WIN_RATE_OF_MEANS};
use crate::{
    benchmarks::live_research_bench::depth::Decision,
    data::{Cause, Judgement, Open, Score, Task},
    evaluate::evaluator::{Fold, Folded, Record, Reported},
    judging::compare::ShownFirst,
    store::{Evaluation, Store, StoredJudgement},
};

/// How a game ended for a report, by its total minus the other's.
pub fn outcome(difference: f64) -> Decision {
    Decision::of_totals(difference, 0.0)
}

/// A win is 1, a tie ½, a loss 0.
pub fn won(outcome: Decision) -> f64 {
    match outcome {
        Decision::Win => 1.0,
        Decision::Tie => 0.5,
        Decision::Loss => 0.0,
    }
}

/// A decision of a judge about a report and an opponent, in one order.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    /// The agent of the other report.
    pub opponent: String,
    /// Whether the report was shown first.
    pub shown: ShownFirst,
    /// Its total minus the other's.
    pub difference: f64,
}

/// A stored game.
pub fn game(stored: &StoredJudgement<'_>) -> Result<Game> {
    #[derive(Deserialize)]
    struct Payload {
        opponent: String,
        shown: ShownFirst,
    }
    let payload: Payload = stored.payload()?;
    Ok(Game {
        opponent: payload.opponent,
        shown: payload.shown,
        difference: stored.value()?,
    })
}

/// Both orders of a judge about a report and an opponent.
type InBothOrders = [Option<f64>; 2];

/// The id of the other report of a game.
pub fn opponent(game: &Judgement<Game, Cause>) -> &str {
    game.about.split('/').next().unwrap_or_default()
}

/// By the other report with its agent, and judge.
type ByOpponent<'g> = BTreeMap<(&'g str, &'g str, &'g str), InBothOrders>;

/// The games of a report; of one that failed, the other report's agent is looked up.
fn in_both_orders<'g>(
    games: &'g [Judgement<Game, Cause>],
    agents: &'g BTreeMap<String, String>,
) -> ByOpponent<'g> {
    let mut by_opponent = ByOpponent::new();
    for judgement in games {
        let other = opponent(judgement);
        let agent = match &judgement.outcome {
            Ok(game) => Some(&game.opponent),
            Err(_) => agents.get(other),
        };
        let Some(agent) = agent else {
            continue;
        };
        let key = (other, agent.as_str(), judgement.judge.as_str());
        let both = by_opponent.entry(key).or_default();
        if let Ok(game) = &judgement.outcome {
            both[usize::from(game.shown == ShownFirst::Other)] = Some(game.difference);
        }
    }
    by_opponent
}

/// Scores reports by their games.
pub struct DepthFold {
    settings: Settings,
    /// Judges in force; none where nobody was asked.
    panel: usize,
    /// The agents of the reports that are there: a game against another one does not count.
    agents: BTreeMap<String, String>,
}

impl DepthFold {
    pub fn new(store: &Store, evaluation: &Evaluation) -> Result<Self> {
        let in_force = evaluation.in_force(COMPARISON);
        // Without judges there is no game to look an agent up for.
        let reports = if in_force.panel.is_empty() {
            Vec::new()
        } else {
            store.report_heads()?
        };
        Ok(Self {
            agents: reports
                .into_iter()
                .map(|report| (report.id.to_string(), report.agent))
                .collect(),
            // Settings that are not there, or are another version's, are those of all pairs.
            settings: Settings::deserialize(&in_force.settings).unwrap_or_default(),
            panel: in_force.panel.len(),
        })
    }
}

impl Fold for DepthFold {
    fn score(&self, record: &Record<'_>, _task: &Task, report: Reported<'_>) -> Result<Folded> {
        let mut folded = Folded::default();
        if self.panel == 0 {
            return Ok(folded);
        }
        let mut games = record
            .judgements
            .read_bare(COMPARISON, report.id.as_str(), game)?;
        games.retain(|game| self.agents.contains_key(opponent(game)));
        for cause in games.iter().filter_map(|game| game.outcome.as_ref().err()) {
            *folded.unscored.entry(cause.word().to_owned()).or_default() += 1;
        }
        let games = in_both_orders(&games, &self.agents);
        if let Some(reference) = self.settings.reference.as_deref() {
            let against = games
                .iter()
                .filter(|((_, agent, _), _)| *agent == reference);
            let against: Vec<InBothOrders> = against.map(|(_, both)| *both).collect();
            let [wins, of_means] = if report.agent == reference {
                [Score::missing("reference"), Score::missing("reference")]
            } else {
                win_rates(&against)
            };
            folded.scores.insert(WIN_RATE, wins);
            folded.scores.insert(WIN_RATE_OF_MEANS, of_means);
        }
        if self.settings.all() {
            let (points, by_judge) = points(&games);
            folded.scores.insert(POINTS, points);
            if self.panel > 1 {
                folded.by_judge.insert(POINTS, by_judge);
            }
        }
        folded.scores.insert(AGREEMENT, agreement(&games));
        Ok(folded)
    }
}

/// Wins over wins and losses, with each order a game, and with the mean of both orders a game.
fn win_rates(against: &[InBothOrders]) -> [Score; 2] {
    if against.is_empty() {
        return [Score::missing("unscored"), Score::missing("unscored")];
    }
    let each = against.iter().flatten().flatten().map(|by| outcome(*by));
    let means = against
        .iter()
        .filter_map(|both| Some(f64::midpoint(both[0]?, both[1]?)));
    let games: usize = against.iter().flatten().filter(|by| by.is_none()).count();
    [
        with_missing(rate(each), games),
        with_missing(rate(means.map(outcome)), one_order_missing(against)),
    ]
}

/// Pairs without a decision in both orders.
fn one_order_missing<'g>(games: impl IntoIterator<Item = &'g InBothOrders>) -> usize {
    let games = games.into_iter();
    games.filter(|both| both.contains(&None)).count()
}

/// A share of games, of which so many are missing: each of them might have been won or lost.
fn with_missing(score: Score, missing: usize) -> Score {
    if missing == 0 {
        return score;
    }
    let missing = missing as f64;
    let (won, all) = match score.outcome {
        Ok(known) => (known.numerator, known.denominator),
        Err(_) => (0.0, 0.0),
    };
    Score {
        open: Open::Between([won, won + missing], all + missing),
        ..score
    }
}

fn rate(games: impl Iterator<Item = Decision>) -> Score {
    let (mut wins, mut losses) = (0.0, 0.0);
    for game in games {
        match game {
            Decision::Win => wins += 1.0,
            Decision::Loss => losses += 1.0,
            Decision::Tie => {}
        }
    }
    if wins + losses > 0.0 {
        Score::ratio(wins, wins + losses)
    } else {
        Score::missing("no decisive game")
    }
}

/// The share of points over opponents, with that by each judge. A judge counts who decided in both
/// orders: one order alone would include its position bias.
fn points(games: &ByOpponent<'_>) -> (Score, BTreeMap<String, f64>) {
    let mut by_judge: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    let (mut points, mut n) = (0.0, 0.0);
    for ((.., judge), both) in games {
        let [Some(first), Some(second)] = both else {
            continue;
        };
        let points_of_both = f64::midpoint(won(outcome(*first)), won(outcome(*second)));
        points += points_of_both;
        n += 1.0;
        let of_judge = by_judge.entry(judge).or_default();
        *of_judge = (of_judge.0 + points_of_both, of_judge.1 + 1.0);
    }
    let score = if n > 0.0 {
        Score::ratio(points, n)
    } else {
        Score::missing("unscored")
    };
    let score = with_missing(score, one_order_missing(games.values()));
    let by_judge = by_judge.into_iter();
    let mean = |(judge, (points, n)): (&str, (f64, f64))| (judge.to_owned(), points / n);
    (score, by_judge.map(mean).collect())
}

/// How often both orders have the same outcome.
fn agreement(games: &ByOpponent<'_>) -> Score {
    let both = games.values().filter_map(|both| Some((both[0]?, both[1]?)));
    let same: Vec<bool> = both
        .map(|(first, second)| outcome(first) == outcome(second))
        .collect();
    let score = if same.is_empty() {
        Score::missing("unscored")
    } else {
        let agree = same.iter().filter(|same| **same).count();
        Score::ratio(agree as f64, same.len() as f64)
    };
    with_missing(score, one_order_missing(games.values()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value(score: &Score) -> Option<f64> {
        score.value()
    }

    /// LiveResearchBench counts a win and a tie as one win, no loss and one tie: 100 %.
    #[test]
    fn each_order_is_a_game_and_ties_are_none() {
        let [each, means] = win_rates(&[[Some(5.0), Some(1.0)]]);
        assert_eq!((value(&each), value(&means)), (Some(1.0), Some(1.0)));
        let [each, means] = win_rates(&[[Some(6.0), Some(-4.0)]]);
        assert_eq!(
            (value(&each), means.outcome),
            (Some(0.5), Err("no decisive game".into()))
        );
        let [each, _] = win_rates(&[[Some(1.0), Some(-1.0)], [Some(0.0), None]]);
        assert_eq!(each.outcome, Err("no decisive game".into()));
        let [each, means] = win_rates(&[[None, Some(2.0)]]);
        assert_eq!(
            (value(&each), means.outcome),
            (Some(1.0), Err("no decisive game".into()))
        );
    }

    /// One win, one loss, and two games without a decision: 1 to 3 of 4 could have been won.
    #[test]
    fn failed_games_leave_the_share_open() {
        let [each, means] = win_rates(&[[Some(5.0), None], [Some(-5.0), None]]);
        assert_eq!(
            (value(&each), each.open),
            (Some(0.5), Open::Between([1.0, 3.0], 4.0))
        );
        assert_eq!(means.open, Open::Between([0.0, 2.0], 2.0));
        let [whole, _] = win_rates(&[[Some(5.0), Some(5.0)]]);
        assert_eq!(whole.open, Open::AsCounted);
    }

    proptest! {
        /// If the reports change sides, and the judge says the same of each, nothing changes; and
        /// what one wins the other loses.
        #[test]
        fn sides_do_not_matter(first in -25_i32..=25, second in -25_i32..=25) {
            let (first, second) = (f64::from(first), f64::from(second));
            let of = |a: f64, b: f64| {
                let game = |shown, difference| Judgement {
                    about: String::new(),
                    sample: 0,
                    judge: "m".to_owned(),
                    outcome: Ok(Game { opponent: "other".to_owned(), shown, difference }),
                };
                let games = [game(ShownFirst::Subject, a), game(ShownFirst::Other, b)];
                let agents = BTreeMap::new();
                let both = in_both_orders(&games, &agents);
                let rates = win_rates(&both.values().copied().collect::<Vec<_>>());
                let values = rates.map(|rate| rate.value());
                (values, points(&both).0.value().unwrap(), agreement(&both).value())
            };
            let (rates, own, agree) = of(first, second);
            prop_assert_eq!(of(second, first), (rates, own, agree));
            let (lost, others, _) = of(-first, -second);
            prop_assert!((own + others - 1.0).abs() < 1e-12);
            for (rate, lost) in rates.into_iter().zip(lost) {
                prop_assert_eq!(rate, lost.map(|lost| 1.0 - lost));
            }
        }
    }
}
