//! Planted judges: one that likes its own family, one that likes long reports, one that likes many
//! references, and fair ones; each 200 times, through the functions that the command uses.

use rand::{SeedableRng as _, rngs::ChaCha8Rng};

use super::*;
use crate::stats::normal;

const RUNS: u64 = 200;
const AGENTS: [&str; 5] = ["gpt-5", "claude-4", "gemini-3", "qwen-max", "grok-4"];
const JUDGES: [&str; 2] = ["openai/gpt-5", "anthropic/claude-4"];

/// What is planted, in points of a scale of 10.
#[derive(Clone, Copy, Default)]
struct Planted {
    /// For a report of the judge's own family.
    own: f64,
    /// For a doubling of the words.
    words: f64,
    /// For a doubling of the references.
    references: f64,
}

/// Forty tasks, each answered by five agents and scored by two judges: agents differ by 0.7, tasks
/// by 1, a report by 0.7, a judge's score by 0.7 points. The better agents write more; the lengths
/// of one agent's reports vary by two thirds of a doubling, references by half of one.
fn scored(planted: Planted, seed: u64) -> Vec<ScoredReport> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let agents = AGENTS.map(|_| normal::draw(&mut rng));
    let mut reports = Vec::new();
    for task in 0..40 {
        let of_task = normal::draw(&mut rng);
        for (agent, name) in AGENTS.iter().enumerate() {
            let words = 10.0 + 0.5 * agents[agent] + 0.67 * normal::draw(&mut rng);
            let references = 4.0 + 0.3 * (words - 10.0) + 0.5 * normal::draw(&mut rng);
            let quality = 5.0
                + of_task
                + 0.7 * agents[agent]
                + 0.7 * normal::draw(&mut rng)
                + planted.words * (words - 10.0)
                + planted.references * (references - 4.0);
            let by_judge: BTreeMap<String, f64> = JUDGES
                .iter()
                .enumerate()
                .map(|(judge, called)| {
                    let own = if judge == agent { planted.own } else { 0.0 };
                    // The second judge is strict.
                    let strict = 0.5 * judge as f64;
                    let score = quality + own - strict + 0.7 * normal::draw(&mut rng);
                    ((*called).to_owned(), score)
                })
                .collect();
            reports.push(ScoredReport {
                task: format!("t{task}"),
                agent: (*name).to_owned(),
                score: by_judge.values().sum::<f64>() / 2.0,
                by_judge,
                words: Some(words.exp2().round()),
                references: Some((references.exp2() - 1.0).round().max(0.0)),
            });
        }
    }
    reports
}

/// In how many of the runs own family, length, references, and any of them are found.
fn found(planted: Planted) -> [u64; 4] {
    let mut counts = [0; 4];
    for seed in 0..RUNS {
        let of = bias(&scored(planted, seed), &BTreeMap::new(), seed);
        let each = [of.self_preference, of.words, of.references];
        let each = each.map(|of| of.expect("it can be told").found);
        let any = each.contains(&true);
        for (count, is_found) in counts.iter_mut().zip(each.into_iter().chain([any])) {
            *count += u64::from(is_found);
        }
    }
    counts
}

#[test]
fn planted_biases_are_found_and_fair_judges_are_not_flagged() {
    let none = Planted::default();
    let fair = found(none);
    let own = found(Planted { own: 0.6, ..none });
    let long = found(Planted { words: 0.6, ..none });
    let many = found(Planted {
        references: 0.8,
        ..none
    });
    println!(
        "of {RUNS} audits of 40 tasks, 5 agents, 2 judges, found [own family, words, references, \
         any]: fair {fair:?}; own family +0.6 {own:?}; +0.6 a doubling of words {long:?}; +0.8 a \
         doubling of references {many:?}"
    );
    assert!(fair[3] <= RUNS / 20, "{fair:?}");
    assert!(own[0] >= RUNS * 95 / 100, "{own:?}");
    assert!(long[1] >= RUNS * 95 / 100, "{long:?}");
    assert!(many[2] >= RUNS * 95 / 100, "{many:?}");
    // What is planted in one place is not found in another.
    assert!(
        long[0] + own[1] + own[2] <= 3 * RUNS / 20,
        "{long:?} {own:?}"
    );
}

/// Adjusted scores stand beside the raw ones, and take off what length alone gave.
#[test]
fn adjusted_scores_stand_beside_the_raw_ones() {
    let planted = Planted {
        words: 1.0,
        ..Planted::default()
    };
    let reports = scored(planted, 7);
    let of = bias(&reports, &BTreeMap::new(), 7);
    assert_eq!((of.reports, of.without_facts, of.agents.len()), (200, 0, 5));
    let spread = |value: &dyn Fn(&AgentScores) -> f64| {
        let values: Vec<f64> = of.agents.iter().map(value).collect();
        let largest = values.iter().copied().fold(f64::MIN, f64::max);
        largest - values.iter().copied().fold(f64::MAX, f64::min)
    };
    let raw = spread(&|of| of.raw);
    let adjusted = spread(&|of| of.adjusted.expect("adjusted"));
    assert!(adjusted < raw, "{adjusted} {raw}");
    let own: Vec<f64> = reports
        .iter()
        .filter(|report| report.agent == "claude-4")
        .map(|report| report.score)
        .collect();
    let shown = of.agents.iter().find(|of| of.agent == "claude-4");
    let shown = shown.expect("the agent").raw;
    assert!((shown - own.iter().sum::<f64>() / 40.0).abs() < 1e-9);
}

#[test]
fn what_cannot_be_told_says_why_and_missing_facts_are_counted() {
    let mut reports = scored(Planted::default(), 3);
    for report in &mut reports {
        report.by_judge.retain(|judge, _| judge == JUDGES[0]);
    }
    reports[0].words = None;
    let of = bias(&reports, &BTreeMap::new(), 3);
    assert!(
        of.self_preference.is_none() && of.no_self_preference.is_some(),
        "{of:?}"
    );
    assert_eq!(of.without_facts, 1);
    // A mean of fewer reports does not stand beside the raw one.
    let first = of
        .agents
        .iter()
        .find(|agent| agent.agent == reports[0].agent);
    assert_eq!(first.and_then(|agent| agent.adjusted), None);
    let strangers: Vec<ScoredReport> = scored(Planted::default(), 3)
        .into_iter()
        .map(|report| ScoredReport {
            by_judge: report
                .by_judge
                .into_iter()
                .map(|(judge, score)| (format!("x{}", judge.len()), score))
                .collect(),
            ..report
        })
        .collect();
    let of = bias(&strangers, &BTreeMap::new(), 3);
    assert_eq!(
        of.no_self_preference.as_deref(),
        Some("no judge's name tells its family")
    );
    let nothing = bias(&[], &BTreeMap::new(), 3);
    assert_eq!((nothing.reports, nothing.agents.len()), (0, 0));
}
