//! One table of the leaderboard: agents on the same tasks, in their order, with tiers and
//! differences. Hides the columns that measures are resampled in, all at once and so on the same
//! tasks.

use std::collections::BTreeMap;

use rand::{SeedableRng as _, rngs::ChaCha8Rng};

use super::{
    Alone, Headline, Keypoints, Measure, Options, Pair, Rates, Row, Table,
    cells::{
        self, ACE, COST, Cell, INDEPENDENT, MEAN, MEASURES, OWN, REFERENCES, TOKENS, URL_FAILURES,
        WORDS,
    },
    pairs,
};
use crate::{
    evaluate::scorecard::{Counts, Scored, Spread},
    stats::{
        binomial,
        bootstrap::{self, Ratios},
        paired::Difference,
        tiers,
    },
};

const HEADLINES: [(Headline, usize); 3] = [
    (Headline::Ace, ACE),
    (Headline::KsrIndependent, INDEPENDENT),
    (Headline::KsrOwn, OWN),
];

/// The table of some reports, in the order of their attempts; agents without any of them stand in
/// it all the same.
pub fn table(reports: &[&Scored], agents: &[&str], options: &Options) -> Table {
    let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
    let tasks = cells::tasks(reports, agents, options.failed_as_zero);
    let clusters = pairs::clusters(tasks.len(), &mut rng);
    let part = |found: &Result<_, _>| found.unwrap_or_default();
    let rows = tasks
        .iter()
        .map(|task| task.iter().flatten().map(part).collect());
    let ratios = bootstrap::ratios(&pairs::summed(rows, &clusters), options.resamples, &mut rng);
    let scores = Scores { tasks, ratios };
    let order = scores.order(agents.len());
    let compared = HEADLINES.map(|(headline, measure)| {
        let parts = scores.parts(&order, measure);
        (
            headline,
            pairs::differences(&parts, &clusters, options.resamples, &mut rng),
        )
    });
    let (tiers_by, tiers) = scores.tiers(&order, &compared, options.alpha).unzip();
    let tiers = tiers.unwrap_or_else(|| vec![None; order.len()]);
    let names: Vec<&str> = order.iter().map(|&agent| agents[agent]).collect();
    Table {
        tasks: scores.tasks.len() as u64,
        reports: reports.len() as u64,
        tiers_by,
        agents: order
            .iter()
            .zip(tiers)
            .map(|(&agent, tier)| scores.row(agent, agents[agent], tier, reports))
            .collect(),
        differences: compared
            .iter()
            .flat_map(|(by, found)| named(*by, found, &names, options.alpha))
            .collect(),
    }
}

/// Each agent on each task, and what is made of it.
struct Scores<'a> {
    tasks: Vec<Vec<Cell<'a>>>,
    /// Each agent has `MEASURES` columns.
    ratios: Ratios,
}

impl Scores<'_> {
    fn value(&self, agent: usize, measure: usize) -> Option<f64> {
        self.ratios
            .estimate(agent * MEASURES + measure)
            .map(|found| found.value)
    }

    /// Best agents first; they are given by name, and so stay where nothing else decides.
    fn order(&self, agents: usize) -> Vec<usize> {
        let key = |agent: usize| {
            [ACE, INDEPENDENT].map(|measure| self.value(agent, measure).unwrap_or(-1.0))
        };
        let mut order: Vec<usize> = (0..agents).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (key(a), key(b));
            b[0].total_cmp(&a[0]).then(b[1].total_cmp(&a[1]))
        });
        order
    }

    /// Tasks × agents in that order.
    fn parts(&self, order: &[usize], measure: usize) -> Vec<Vec<Option<cells::Part>>> {
        let of = |task: &Vec<Cell>| {
            order
                .iter()
                .map(|&agent| task[agent][measure].ok())
                .collect()
        };
        self.tasks.iter().map(of).collect()
    }

    fn tiers(
        &self,
        order: &[usize],
        compared: &[(Headline, Vec<Difference>)],
        alpha: f64,
    ) -> Option<(Headline, Vec<Option<u32>>)> {
        let scores = |measure| {
            order
                .iter()
                .map(|&agent| self.value(agent, measure))
                .collect::<Vec<_>>()
        };
        let (&(headline, measure), (_, found)) = HEADLINES
            .iter()
            .zip(compared)
            .take(2)
            .find(|((_, measure), _)| scores(*measure).iter().any(Option::is_some))?;
        Some((headline, tiers::tiers(&scores(measure), found, alpha)))
    }

    fn row(&self, agent: usize, name: &str, tier: Option<u32>, reports: &[&Scored]) -> Row {
        let all: Vec<&Scored> = reports
            .iter()
            .copied()
            .filter(|one| one.agent == name)
            .collect();
        let ok: Vec<&Scored> = all.iter().copied().filter(|one| cells::ok(one)).collect();
        let known = |found: &&Vec<Cell>| found[agent][WORDS] == Err(cells::NO_REPORT);
        Row {
            agent: name.to_owned(),
            tier,
            reports: all.len() as u64,
            without_report: self.tasks.iter().filter(known).count() as u64,
            states: summed(all.iter().map(|one| (&one.state, 1))),
            ace: self.mean(agent, ACE, 10.0),
            ace_by: alone(&ok),
            repeated: ok
                .iter()
                .filter_map(|one| one.repeated)
                .sum::<Spread>()
                .deviation(),
            independent: self.keypoints(
                agent,
                INDEPENDENT,
                ok.iter().filter_map(|one| one.independent).sum(),
            ),
            own: self.keypoints(agent, OWN, ok.iter().filter_map(|one| one.own).sum()),
            output_tokens: self.measure(agent, TOKENS),
            references: self.measure(agent, REFERENCES),
            words: self.measure(agent, WORDS),
            cost_micro: self.measure(agent, COST),
            spent_micro: all.iter().filter_map(|one| one.cost_micro).sum(),
            unscored: summed(
                all.iter()
                    .flat_map(|one| one.unscored.iter().map(|(cause, n)| (cause, *n))),
            ),
            url_failures: summed(
                ok.iter()
                    .flat_map(|one| one.url_failures.iter().map(|(cause, n)| (cause, *n))),
            ),
            url_failure_share: self.measure(agent, URL_FAILURES),
        }
    }

    fn keypoints(&self, agent: usize, first: usize, counts: Counts) -> Keypoints {
        let wilson = binomial::wilson(counts.supported as f64, counts.total());
        let pooled = |at: usize| self.measure(agent, first + at);
        let mean = |at: usize| self.mean(agent, first + MEAN + at, 1.0);
        Keypoints {
            counts,
            ksr_wilson: wilson.map(|share| (share.low, share.high)),
            pooled: Rates {
                ksr: pooled(0),
                kcr: pooled(1),
                kor: pooled(2),
                efficiency: pooled(3),
            },
            mean: Rates {
                ksr: mean(0),
                kcr: mean(1),
                kor: mean(2),
                efficiency: pooled(MEAN + 3),
            },
        }
    }

    fn measure(&self, agent: usize, measure: usize) -> Measure {
        let found = self.ratios.estimate(agent * MEASURES + measure);
        let interval = found.and_then(|found| found.interval);
        let mut missing = BTreeMap::new();
        for cause in self
            .tasks
            .iter()
            .filter_map(|task| task[agent][measure].err())
        {
            *missing.entry(cause.to_owned()).or_default() += 1;
        }
        let of = self.tasks.len() as u64;
        Measure {
            value: found.map(|found| found.value),
            low: interval.map(|ends| ends.0),
            high: interval.map(|ends| ends.1),
            worst: None,
            best: None,
            n: of - missing.values().sum::<u64>(),
            of,
            missing,
        }
    }

    /// A mean over tasks on a scale from 0 to `most`, with its bounds.
    fn mean(&self, agent: usize, measure: usize, most: f64) -> Measure {
        let found = self.measure(agent, measure);
        let sum = found.value.unwrap_or(0.0) * found.n as f64;
        let with = |each: f64| {
            (found.of > 0).then(|| (sum + each * (found.of - found.n) as f64) / found.of as f64)
        };
        Measure {
            worst: with(0.0),
            best: with(most),
            ..found
        }
    }
}

/// What each judge of a panel says of these reports: as of ACE itself, attempts are averaged within
/// their task.
fn alone(reports: &[&Scored]) -> BTreeMap<String, Alone> {
    let mut said: BTreeMap<&String, BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
    for one in reports {
        for (judge, ace) in &one.ace_by {
            said.entry(judge)
                .or_default()
                .entry(&one.task)
                .or_default()
                .push(*ace);
        }
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let of = |tasks: BTreeMap<&str, Vec<f64>>| {
        let means: Vec<f64> = tasks.values().map(|attempts| mean(attempts)).collect();
        Alone {
            ace: mean(&means),
            tasks: means.len() as u64,
        }
    };
    said.into_iter()
        .map(|(judge, tasks)| (judge.clone(), of(tasks)))
        .collect()
}

fn summed<'a>(counts: impl Iterator<Item = (&'a String, u64)>) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    counts.for_each(|(cause, n)| *sums.entry(cause.clone()).or_default() += n);
    sums
}

fn named(measure: Headline, found: &[Difference], names: &[&str], alpha: f64) -> Vec<Pair> {
    let pair = |pair: &Difference| Pair {
        measure,
        first: names[pair.first].to_owned(),
        second: names[pair.second].to_owned(),
        tasks: pair.tasks,
        value: pair.value,
        low: pair.interval.map(|ends| ends.0),
        high: pair.interval.map(|ends| ends.1),
        p: pair.p,
        adjusted: pair.adjusted,
        detectable: pair.detectable,
        significant: pair.adjusted < alpha,
    };
    found.iter().map(pair).collect()
}
