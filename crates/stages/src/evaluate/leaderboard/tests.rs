//! Boards made by hand, each number worked out by hand.

use rand::{SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};

use super::{
    sample::{Scored, counts, leaderboard, of, report},
    *,
};
use crate::{data::Score, evaluate::kae::measures::Counts};

fn causes(pairs: &[(&str, u64)]) -> BTreeMap<String, u64> {
    pairs
        .iter()
        .map(|(cause, n)| ((*cause).to_owned(), *n))
        .collect()
}

fn quick() -> Options {
    Options {
        resamples: 200,
        ..Options::default()
    }
}

fn near(value: Option<f64>, expected: f64) -> bool {
    value.is_some_and(|value| (value - expected).abs() < 1e-12)
}

fn row<'a>(table: &'a Table, agent: &str) -> &'a Row {
    table.agents.iter().find(|row| row.agent == agent).unwrap()
}

/// Agent a on t1 and twice on t2, b on t1 and failing on t2, c on t3 only.
fn hand_made() -> Vec<Scored> {
    let language = |of: &str| BTreeMap::from([("language".to_owned(), of.to_owned())]);
    let mut scored = vec![
        Scored {
            own: Some(counts(3, 0, 1)),
            independent: Some(counts(1, 1, 2)),
            ace: Some(6.0),
            references: 4,
            url_failures: causes(&[("timeout", 1)]),
            output_tokens: Some(1000),
            cost_micro: Some(50),
            ..report("a", "t1", 1)
        },
        Scored {
            own: Some(counts(1, 1, 0)),
            ace: Some(4.0),
            references: 6,
            url_failures: causes(&[("404", 2), ("timeout", 1)]),
            cost_micro: Some(70),
            ..report("a", "t2", 1)
        },
        Scored {
            own: Some(counts(2, 2, 4)),
            unscored: causes(&[("truncated", 2)]),
            references: 2,
            output_tokens: Some(400),
            ..report("a", "t2", 2)
        },
        Scored {
            own: Some(counts(2, 0, 0)),
            independent: Some(counts(4, 0, 0)),
            ace: Some(8.0),
            output_tokens: Some(600),
            ..report("b", "t1", 1)
        },
        Scored {
            state: "timeout".into(),
            own: Some(counts(90, 0, 0)),
            ace: Some(9.0),
            cost_micro: Some(5),
            ..report("b", "t2", 1)
        },
        Scored {
            own: Some(Counts {
                unscored: 5,
                ..Counts::default()
            }),
            unscored: causes(&[("refused", 5)]),
            ..report("c", "t3", 1)
        },
    ];
    for one in &mut scored {
        one.facets = language(if one.task == "t3" { "zh" } else { "en" });
    }
    scored
}

#[test]
fn pooled_counts_are_sums_over_tasks() {
    let board = leaderboard(&hand_made(), &quick());
    let a = row(&board.whole, "a");
    // t1 is 3/0/1; the attempts at t2 are 1/1/0 and 2/2/4, on average 1.5/1.5/2.
    assert!(
        near(a.value("ksr_own"), 4.5 / 9.0)
            && near(a.value("kcr_own"), 1.5 / 9.0)
            && near(a.value("kor_own"), 3.0 / 9.0)
    );
    assert!(near(a.value("efficiency_own"), 4.5 / 4.5));
    let sums = |key| {
        let counts = of(a, key).counts.as_ref().expect("a pooled share");
        (counts.numerator, counts.denominator)
    };
    assert_eq!(
        ["ksr_own", "kcr_own", "kor_own"].map(sums),
        [(6.0, 14.0), (3.0, 14.0), (5.0, 14.0)]
    );
    // By task: 3/4, and the mean of 1/2 and 1/4.
    let mean = of(a, "ksr_own_mean");
    assert!(near(mean.value, 1.125 / 2.0) && near(a.value("kcr_own_mean"), 0.375 / 2.0));
    assert!(near(a.value("kor_own_mean"), 0.25));
    assert!(near(a.value("efficiency_own_mean"), 1.125 / 0.875));
    // t3 would be 0 or 1.
    assert!(near(mean.worst, 1.125 / 3.0) && near(mean.best, 2.125 / 3.0));
    // Wilson's interval of 6 of 14, with z² = 3.841459: centre 7.920729 / 17.841459.
    let wilson = of(a, "ksr_own")
        .counts
        .as_ref()
        .and_then(|counts| counts.wilson);
    let (low, high) = wilson.unwrap();
    assert!(near(
        Some(f64::midpoint(low, high)),
        (6.0 + 1.920_729_410_347_062) / 17.841_458_820_694_124
    ));
    let b = row(&board.whole, "b");
    assert_eq!(
        (of(b, "ksr_own").value, of(b, "efficiency_own").value),
        (Some(1.0), None)
    );
    assert_eq!(
        (
            of(b, "efficiency_own").n,
            of(b, "efficiency_own_mean").value
        ),
        (1, None)
    );
}

#[test]
fn every_number_says_what_it_rests_on() {
    let board = leaderboard(&hand_made(), &quick());
    let (a, b, c) = (
        row(&board.whole, "a"),
        row(&board.whole, "b"),
        row(&board.whole, "c"),
    );
    assert_eq!((board.whole.tasks, board.whole.reports), (3, 6));
    assert_eq!(
        (a.reports, a.without_report, &a.states),
        (3, 1, &causes(&[("ok", 3)]))
    );
    assert_eq!(
        (b.reports, b.without_report, &b.states),
        (2, 1, &causes(&[("ok", 1), ("timeout", 1)]))
    );
    let rests = |measure: &Measure| (measure.n, measure.of, measure.missing.clone());
    assert_eq!(rests(of(a, "ace")), (2, 3, causes(&[("no report", 1)])));
    assert_eq!(
        rests(of(a, "ksr_independent")),
        (1, 3, causes(&[("no key points", 1), ("no report", 1)]))
    );
    assert_eq!(
        rests(of(a, "cost_micro")),
        (2, 3, causes(&[("no report", 1)]))
    );
    assert_eq!(
        rests(of(b, "ksr_own")),
        (1, 3, causes(&[("no report", 1), ("timeout", 1)]))
    );
    assert_eq!(
        rests(of(b, "url_failure_share")),
        (
            0,
            3,
            causes(&[("no references", 1), ("no report", 1), ("timeout", 1)])
        )
    );
    assert_eq!(
        rests(of(c, "kor_own_mean")),
        (0, 3, causes(&[("no report", 2), ("unscored", 1)]))
    );
    assert_eq!(
        rests(of(c, "kor_independent_mean")),
        (0, 3, causes(&[("no key points", 1), ("no report", 2)]))
    );
    assert_eq!(
        rests(of(c, "output_tokens")),
        (0, 3, causes(&[("no report", 2), ("not known", 1)]))
    );
    assert_eq!(
        (of(c, "ace").value, of(c, "ace").worst, of(c, "ace").best),
        (None, Some(0.0), Some(10.0))
    );
    assert_eq!(
        (a.unscored.clone(), c.unscored.clone()),
        (causes(&[("truncated", 2)]), causes(&[("refused", 5)]))
    );
}

#[test]
fn means_are_over_tasks() {
    let board = leaderboard(&hand_made(), &quick());
    let (a, b) = (row(&board.whole, "a"), row(&board.whole, "b"));
    // The second attempt at t2 has no score, so that its mean is 2 to 7.
    assert!(
        near(of(a, "ace").value, 5.0)
            && near(of(a, "ace").worst, 8.0 / 3.0)
            && near(of(a, "ace").best, 23.0 / 3.0)
    );
    assert!(
        near(of(a, "output_tokens").value, 700.0)
            && near(of(a, "references").value, 4.0)
            && near(of(a, "cost_micro").value, 60.0)
    );
    // 1 of 4, and on average 1.5 of 4.
    assert!(near(of(a, "url_failure_share").value, 2.5 / 8.0) && near(of(a, "words").value, 100.0));
    assert_eq!(a.url_failures, causes(&[("404", 2), ("timeout", 2)]));
    // What failed has cost money, and nothing else of it counts.
    assert_eq!(
        (
            a.spent_micro,
            b.spent_micro,
            of(b, "cost_micro").value,
            of(b, "ace").value
        ),
        (120, 5, None, Some(8.0))
    );
}

#[test]
fn failed_reports_may_be_zeros() {
    let board = leaderboard(
        &hand_made(),
        &Options {
            failed_as_zero: true,
            ..quick()
        },
    );
    let b = row(&board.whole, "b");
    assert!(near(of(b, "ace").value, 4.0) && of(b, "ace").n == 2);
    // t1 is 2/0/0; the reports on t2 have 2 and 8 points, so that it omits 5.
    assert!(near(of(b, "ksr_own").value, 2.0 / 7.0) && near(of(b, "kor_own").value, 5.0 / 7.0));
    assert!(near(of(b, "ksr_own_mean").value, 0.5));
    // Nobody has independent points on t2.
    assert_eq!(
        of(b, "ksr_independent").missing,
        causes(&[("no report", 1), ("timeout", 1)])
    );
    assert!(board.options.failed_as_zero);
    assert_eq!(
        row(&board.whole, "a"),
        row(&leaderboard(&hand_made(), &quick()).whole, "a")
    );
}

#[test]
fn agents_are_in_order() {
    let with = |agent: &str, ace: Option<f64>, supported| Scored {
        ace,
        independent: Some(counts(supported, 0, 4)),
        ..report(agent, "t", 1)
    };
    let names = |scored: &[Scored]| {
        let board = leaderboard(scored, &quick());
        (
            board
                .whole
                .agents
                .iter()
                .map(|row| row.agent.clone())
                .collect::<String>(),
            board.whole.tiers_by,
        )
    };
    let scored = [
        with("d", None, 9),
        with("a", Some(2.0), 1),
        with("b", Some(3.0), 1),
        with("c", Some(2.0), 2),
    ];
    assert_eq!(names(&scored), ("bcad".into(), Some("ace")));
    let scored = [with("b", None, 1), with("c", None, 3), with("a", None, 1)];
    assert_eq!(names(&scored), ("cab".into(), Some("ksr_independent")));
    assert_eq!(
        names(&[report("b", "t", 1), report("a", "t", 1)]),
        ("ab".into(), None)
    );
}

/// Ten tasks; b's ACE is 1 to 10 below c's. Pooled KSR is 30/60 for a, and 30/100 for b, which
/// shares nine tasks.
fn three_agents() -> Vec<Scored> {
    let mut scored = Vec::new();
    for i in 0..10_u32 {
        let task = format!("s{i}");
        scored.push(Scored {
            independent: Some(counts(3, 1, 2)),
            ..report("a", &task, 1)
        });
        scored.push(Scored {
            independent: Some(counts(3, 0, 7)),
            ace: Some(0.0),
            ..report("b", &task, 1)
        });
        scored.push(Scored {
            ace: Some(f64::from(i + 1)),
            ..report("c", &task, 1)
        });
    }
    scored[0].independent = None;
    scored
}

#[test]
fn agents_are_compared_on_shared_tasks() {
    let table = leaderboard(&three_agents(), &quick()).whole;
    let [ace, ksr] = &table.differences[..] else {
        panic!("{:?}", table.differences)
    };
    assert_eq!(
        (ace.measure, &*ace.first, &*ace.second, ace.tasks),
        ("ace", "c", "b", 10)
    );
    // All of ten differences are positive: 2 of 1,024 flips. Their deviation is √(82.5 / 9).
    assert!(
        near(Some(ace.value), 5.5)
            && near(Some(ace.p), 2.0 / 1024.0)
            && near(Some(ace.adjusted), ace.p)
    );
    assert!(
        near(
            ace.detectable,
            2.801_585_218_112_969 * (82.5_f64 / 90.0).sqrt()
        ) && ace.significant
    );
    assert!(ace.low.unwrap() < 5.5 && ace.high.unwrap() > 5.5);
    // 27/54 and 27/90 on nine tasks, the same on each: no deviation, no interval, 2 of 512 flips.
    assert_eq!(
        (ksr.measure, &*ksr.first, &*ksr.second, ksr.tasks),
        ("ksr_independent", "b", "a", 9)
    );
    assert!(near(Some(ksr.value), -0.2) && near(Some(ksr.p), 2.0 / 512.0));
    assert_eq!((ksr.low, ksr.high), (None, None));
    // a has no ACE and no tier.
    let tiers: Vec<_> = table
        .agents
        .iter()
        .map(|row| (&*row.agent, row.tier))
        .collect();
    assert_eq!(tiers, [("c", Some(1)), ("b", Some(2)), ("a", None)]);
    let strict = leaderboard(
        &three_agents(),
        &Options {
            alpha: 0.001,
            ..quick()
        },
    )
    .whole;
    assert!(!strict.differences[0].significant && strict.agents[1].tier == Some(1));
}

/// Three agents, three pairs: p-values of 2/1024 all are three times as large.
#[test]
fn pairs_are_corrected() {
    let of = |(agent, add): (&str, f64)| {
        (0..10_u32)
            .map(move |i| Scored {
                ace: Some(f64::from(i % 4) + add),
                ..report(agent, &format!("t{i}"), 1)
            })
            .collect()
    };
    let scored: Vec<Vec<Scored>> = [("a", 0.0), ("b", 2.0), ("c", 4.0)]
        .into_iter()
        .map(of)
        .collect();
    let table = leaderboard(&scored.concat(), &quick()).whole;
    for (pair, (first, second, value)) in
        table
            .differences
            .iter()
            .zip([("c", "b", 2.0), ("c", "a", 4.0), ("b", "a", 2.0)])
    {
        assert_eq!(
            (&*pair.first, &*pair.second, pair.detectable, pair.low),
            (first, second, None, None)
        );
        assert!(near(Some(pair.value), value) && near(Some(pair.p), 2.0 / 1024.0));
    }
    assert!(
        table
            .differences
            .iter()
            .all(|pair| near(Some(pair.adjusted), 6.0 / 1024.0) && pair.significant)
    );
    let strict = leaderboard(
        &scored.concat(),
        &Options {
            alpha: 0.003,
            ..quick()
        },
    )
    .whole;
    assert!(
        strict.differences.iter().all(|pair| !pair.significant) && strict.agents[2].tier == Some(1)
    );
}

#[test]
fn a_facet_gives_a_table_for_each_value() {
    let board = leaderboard(
        &hand_made(),
        &Options {
            by: vec!["language".into()],
            ..quick()
        },
    );
    assert_eq!(board.whole, leaderboard(&hand_made(), &quick()).whole);
    let values: Vec<_> = board
        .groups
        .iter()
        .map(|group| (group.value.as_deref(), group.table.tasks))
        .collect();
    assert_eq!(values, [(Some("en"), 2), (Some("zh"), 1)]);
    // Agents without a report in a group are in it.
    let a = row(&board.groups[1].table, "a");
    assert_eq!(
        (
            a.without_report,
            a.reports,
            of(a, "ace").of,
            of(a, "ace").value
        ),
        (1, 0, 1, None)
    );
    let none = leaderboard(
        &hand_made(),
        &Options {
            by: vec!["phase".into()],
            ..quick()
        },
    );
    assert_eq!(
        (none.groups.len(), none.groups[0].value.as_deref()),
        (1, None)
    );
    assert_eq!(none.groups[0].table, none.whole);
}

#[test]
fn the_order_changes_nothing() {
    let mut scored = hand_made();
    scored.extend(three_agents());
    let options = Options {
        by: vec!["language".into()],
        ..quick()
    };
    let board = leaderboard(&scored, &options);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..5 {
        scored.shuffle(&mut rng);
        assert_eq!(leaderboard(&scored, &options), board);
    }
    assert_ne!(
        leaderboard(&scored, &Options { seed: 1, ..options })
            .whole
            .agents,
        board.whole.agents
    );
}

#[test]
fn odd_input_is_no_trouble() {
    let empty = leaderboard(
        &[],
        &Options {
            by: vec!["phase".into()],
            ..quick()
        },
    );
    assert_eq!(
        (
            empty.whole.tasks,
            empty.whole.agents.len(),
            empty.groups.len()
        ),
        (0, 0, 0)
    );
    let one = leaderboard(
        &[Scored {
            ace: Some(f64::NAN),
            ..report("a", "t", 1)
        }],
        &quick(),
    );
    assert_eq!(
        (one.whole.agents[0].value("ace"), one.whole.agents[0].tier),
        (None, None)
    );
    assert_eq!(
        of(&one.whole.agents[0], "ace").missing,
        causes(&[("unscored", 1)])
    );
    let one = leaderboard(
        &[Scored {
            ace: Some(3.0),
            ..report("a", "t", 1)
        }],
        &quick(),
    );
    let ace = of(&one.whole.agents[0], "ace");
    assert_eq!(
        (ace.value, ace.low, ace.high, one.whole.agents[0].tier),
        (Some(3.0), None, None, Some(1))
    );
}

#[test]
fn all_of_it_can_be_written() {
    let board = leaderboard(
        &hand_made(),
        &Options {
            by: vec!["language".into()],
            ..quick()
        },
    );
    let json = serde_json::to_value(&board).unwrap();
    assert_eq!(
        (
            &json["tasks"],
            &json["tiers_by"],
            &json["agents"][0]["agent"]
        ),
        (&3.into(), &"ace".into(), &"b".into())
    );
    let ace = &json["groups"][0]["agents"][1]["measures"]["ace"];
    assert_eq!(
        (&ace["value"], &ace["n"], &ace["of"]),
        (&5.0.into(), &2.into(), &2.into())
    );
}

/// A mean over tasks counts each task, and each attempt at it, the same, whatever its score rests
/// on; a pooled share does not.
#[test]
fn a_mean_over_tasks_weighs_no_task_by_its_size() {
    let scored = [
        report("a", "t1", 1),
        report("a", "t2", 1),
        report("a", "t2", 2),
    ];
    let mut rows = super::sample::rows(&scored);
    for (row, (of, all)) in rows.iter_mut().zip([(1.0, 1.0), (0.0, 9.0), (3.0, 3.0)]) {
        for key in ["coverage", "claims_supported"] {
            row.scores.insert(key, Score::ratio(of, all));
        }
    }
    let board = super::leaderboard(&rows, &quick());
    let a = row(&board.whole, "a");
    // The mean of 1 and of the mean of 0 and 1.
    assert!(
        near(of(a, "coverage").value, 0.75),
        "{:?}",
        of(a, "coverage")
    );
    // 1 and 1.5 of 1 and 6: attempts are averaged within their task.
    assert!(near(of(a, "claims_supported").value, 2.5 / 7.0));
}
