//! What a ranking must not depend on, through the whole program: on which side an item was shown,
//! and, once the winners' labels are shuffled, on the strengths that were planted.

use std::{collections::BTreeMap, fmt::Write as _};

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};
use serde_json::Value;

use super::{project, tell_apart, weave};
use crate::support::{Project, TALK};

/// Imported votes; each pair of tasks meets about twice.
const VOTES: usize = 800;

/// A project with known strengths and votes that follow them, with some preference for the side
/// shown first: the first wins with probability σ(θ₁ − θ₂ + 0.4).
fn planted() -> (Project, BTreeMap<String, f64>) {
    let (fake, project) = project(30);
    for n in 0..3 {
        project.add_transcript(&format!("talk{n}.wav"), "en", TALK);
    }
    weave(&fake, &project);
    tell_apart(&project);
    let mut rng = ChaCha8Rng::seed_from_u64(22);
    let listed = project.json(&["tasks", "list"]);
    let strengths: BTreeMap<String, f64> = listed
        .as_array()
        .expect("a list")
        .iter()
        .map(|task| task["id"].as_str().expect("an id").to_owned())
        .map(|id| (id, rng.random_range(-2.5..2.5)))
        .collect();
    let ids: Vec<&String> = strengths.keys().collect();
    let mut votes = "model_a,model_b,winner,judge\n".to_owned();
    for _ in 0..VOTES {
        let a = rng.random_range(0..ids.len());
        let b = (a + rng.random_range(1..ids.len())) % ids.len();
        let logit = strengths[ids[a]] - strengths[ids[b]] + 0.4;
        let a_wins = rng.random_bool(1.0 / (1.0 + f64::exp(-logit)));
        let winner = if a_wins { "model_a" } else { "model_b" };
        writeln!(votes, "{},{},{winner},Ada", ids[a], ids[b]).expect("a string takes it");
    }
    std::fs::write(project.path("votes.csv"), votes).expect("writable");
    project.ok(&["rank", "import", "votes.csv"]);
    (project, strengths)
}

/// Swaps the two sides of every stored verdict on a pair, and the winner's letter, too: A shown
/// first wins where B shown second did.
fn swap_sides(project: &Project) {
    project.sql(
        "UPDATE judgement SET subject = other, other = subject, value = 1 - value,
            label = CASE label WHEN 'A' THEN 'B' WHEN 'B' THEN 'A' END,
            payload = CASE WHEN json_extract(payload, '$.scores') IS NULL THEN payload ELSE
                json_set(payload, '$.scores', json_array(
                    json_extract(payload, '$.scores[1]'), json_extract(payload, '$.scores[0]'))) END
         WHERE instrument = 'rankeval/overall/1'",
    );
}

/// Deals the winners' letters out anew among the verdicts.
fn shuffle_labels(project: &Project, seed: u64) {
    let mut connection = rusqlite::Connection::open(project.path("tasks/taskgen.db")).unwrap();
    let write = connection.transaction().unwrap();
    let (ids, mut labels): (Vec<String>, Vec<String>) = {
        let mut statement = write
            .prepare("SELECT id, label FROM judgement WHERE instrument = 'rankeval/overall/1' ORDER BY id")
            .unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.unwrap().map(Result::unwrap).unzip()
    };
    labels.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    for (id, label) in ids.iter().zip(&labels) {
        let value = f64::from(u8::from(label == "A"));
        let new = rusqlite::params![label, value, id];
        write
            .execute(
                "UPDATE judgement SET label = ?1, value = ?2 WHERE id = ?3",
                new,
            )
            .unwrap();
    }
    write.commit().unwrap();
}

fn report(project: &Project) -> Value {
    project.json(&["rank", "report"])
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("a number: {value}"))
}

fn assert_close(before: &Value, after: &Value, tolerance: f64, name: &str) {
    let (before, after) = (number(before), number(after));
    assert!(
        (before - after).abs() <= tolerance,
        "{name}: {before}, and {after} with the sides swapped"
    );
}

fn rated_by_id(report: &Value) -> BTreeMap<&str, &Value> {
    let rated = report["rated"].as_array().expect("a list");
    rated
        .iter()
        .map(|row| (row["id"].as_str().expect("an id"), row))
        .collect()
}

/// Counts and tests are the same; the position bias mirrors. Strengths are drawn: between two runs
/// of a chain they differ by a part of their intervals (the fit itself is compared exactly in
/// `stats::pairwise::bradley_terry`), and so do the ends of the intervals, most where a task won
/// everything.
fn assert_mirrored(before: &Value, after: &Value) {
    for key in ["n_scored", "n_failed", "failed_by_cause", "top"] {
        assert_eq!(before[key], after[key], "{key}");
    }
    let (audit, mirrored) = (&before["audit"], &after["audit"]);
    for key in ["coverage", "ignored", "panel"] {
        assert_eq!(audit[key], mirrored[key], "{key}");
    }
    for key in ["n", "sampled", "share"] {
        let name = format!("intransitivity {key}");
        assert_eq!(
            audit["intransitivity"][key], mirrored["intransitivity"][key],
            "{name}"
        );
    }
    let (judge, swapped) = (&audit["judges"][0], &mirrored["judges"][0]);
    for key in ["position_consistency", "repetition"] {
        assert_eq!(judge[key], swapped[key], "{key}");
    }
    for key in ["n", "z", "p", "expected_z"] {
        let (x, y) = (
            &judge["better_than_chance"][key],
            &swapped["better_than_chance"][key],
        );
        assert_close(x, y, 1e-9, key);
    }
    let (bias, turned) = (&judge["position_bias"], &swapped["position_bias"]);
    assert_eq!(bias["n"], turned["n"]);
    assert_close(&bias["p"], &turned["p"], 1e-9, "p of the position bias");
    let share = number(&bias["share"]["value"]) + number(&turned["share"]["value"]);
    assert!((share - 1.0).abs() < 1e-9, "{share}");
    let logits = number(&before["judges"][0]["position_bias"])
        + number(&after["judges"][0]["position_bias"]);
    assert!(logits.abs() < 0.2, "{logits}");
    assert_close(
        &before["expected_recall"],
        &after["expected_recall"],
        0.1,
        "expected recall",
    );
    let other = rated_by_id(after);
    for (id, row) in rated_by_id(before) {
        let width = |row: &Value| number(&row["high"]) - number(&row["low"]);
        let interval = width(row).max(width(other[id]));
        assert_close(
            &row["strength"],
            &other[id]["strength"],
            interval / 3.0,
            "strength",
        );
        for key in ["low", "high"] {
            assert_close(&row[key], &other[id][key], interval / 2.0, key);
        }
        assert_close(
            &row["membership"],
            &other[id]["membership"],
            0.25,
            "membership",
        );
        assert_eq!(row["games"], other[id]["games"]);
    }
}

#[test]
fn swapped_sides_and_letters_change_no_aggregate() {
    let (project, _) = planted();
    let before = report(&project);
    swap_sides(&project);
    let after = report(&project);
    assert_mirrored(&before, &after);
    assert!(
        before["audit"]["judges"][0]["position_bias"]["share"]["value"].as_f64() > Some(0.52),
        "there was a bias to mirror"
    );
    swap_sides(&project);
    assert_eq!(report(&project), before, "swapped twice is not swapped");
}

/// The same with verdicts of a model: scores, repetitions and swapped pairs are among them.
#[test]
fn swapped_sides_change_no_aggregate_of_a_models_verdicts() {
    let (fake, project) = project(60);
    weave(&fake, &project);
    tell_apart(&project);
    project.ok(&["rank"]);
    let before = report(&project);
    swap_sides(&project);
    assert_mirrored(&before, &report(&project));
}

/// Share of the pairs of tasks that the ranking orders as the planted strengths do.
fn agreement(report: &Value, strengths: &BTreeMap<String, f64>) -> f64 {
    let rated = rated_by_id(report);
    let (mut same, mut all) = (0_usize, 0_usize);
    for (x, planted_x) in strengths {
        for (y, planted_y) in
            strengths.range::<String, _>((std::ops::Bound::Excluded(x), std::ops::Bound::Unbounded))
        {
            let found =
                number(&rated[x.as_str()]["strength"]) > number(&rated[y.as_str()]["strength"]);
            same += usize::from(found == (planted_x > planted_y));
            all += 1;
        }
    }
    same as f64 / all as f64
}

/// Without any relation, the share of pairs ordered alike has the variance (2 n + 5) / (18 n (n −
/// 1)), a quarter of that of Kendall's τ (Kendall 1938); the interval is four standard errors of
/// the mean over the seeds.
#[test]
fn shuffled_labels_score_at_chance() {
    let (project, strengths) = planted();
    let sound = report(&project);
    let found = agreement(&sound, &strengths);
    assert!(found > 0.85, "the planted strengths are found: {found}");
    assert_eq!(
        sound["audit"]["judges"][0]["better_than_chance"]["significant"],
        true
    );
    let seeds = 1..=6_u64;
    let mut sum = 0.0;
    for seed in seeds.clone() {
        shuffle_labels(&project, seed);
        let shuffled = report(&project);
        let test = &shuffled["audit"]["judges"][0]["better_than_chance"];
        assert_eq!(test["significant"], false, "seed {seed}: {test}");
        sum += agreement(&shuffled, &strengths);
    }
    let (n, repeats) = (strengths.len() as f64, seeds.count() as f64);
    let error = ((2.0 * n + 5.0) / (18.0 * n * (n - 1.0)) / repeats).sqrt();
    let mean = sum / repeats;
    assert!(
        (mean - 0.5).abs() < 4.0 * error,
        "{mean} is not 0.5 ± {:.3}",
        4.0 * error
    );
}
