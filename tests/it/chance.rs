//! What judges say must decide: once their labels are dealt out anew among the reports, no agent is
//! better than another, through the whole program.

use rand::{SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};
use rusqlite::{Connection, params};

use crate::small_web::world::World;

/// Deals of the labels.
const DEALS: u64 = 40;

/// A judgement's label and value.
type Said = (Option<String>, Option<f64>);

fn said(database: &Connection, instrument: &str) -> Vec<(String, Said)> {
    let sql = "SELECT id, label, value FROM judgement WHERE instrument = ?1 AND state = 'scored' ORDER BY id";
    let mut statement = database.prepare(sql).expect("a statement");
    let rows = statement.query_map([instrument], |row| {
        Ok((row.get(0)?, (row.get(1)?, row.get(2)?)))
    });
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

/// Gives each judgement what another one said.
fn deal(database: &mut Connection, all: &[(String, Said)], seed: u64) {
    let mut shuffled: Vec<&Said> = all.iter().map(|(_, said)| said).collect();
    shuffled.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let write = database.transaction().expect("a transaction");
    for ((id, _), (label, value)) in all.iter().zip(shuffled) {
        let sql = "UPDATE judgement SET label = ?2, value = ?3 WHERE id = ?1";
        write
            .execute(sql, params![id, label, value])
            .expect("it is there");
    }
    write.commit().expect("a commit");
}

/// By how much the first agent is ahead of the second one.
fn lead(world: &World, measure: &str, [first, second]: [&str; 2]) -> f64 {
    let board = world.project.json(&["leaderboard", "--resamples", "1"]);
    let of = |agent: &str| {
        let rows = board["agents"].as_array().expect("agents");
        let row = rows
            .iter()
            .find(|row| row["agent"] == agent)
            .expect("a row");
        row["measures"][measure]["value"].as_f64().expect("a value")
    };
    of(first) - of(second)
}

/// The lead as it was judged, and the mean lead of many deals with its standard error.
fn leads(instrument: &str, measure: &str, agents: [&str; 2]) -> (f64, f64, f64) {
    let world = World::evaluated();
    let mut database = world.project.database();
    let all = said(&database, instrument);
    assert!(all.len() > 20, "{} judgements", all.len());
    let judged = lead(&world, measure, agents);
    let dealt: Vec<f64> = (0..DEALS)
        .map(|seed| {
            deal(&mut database, &all, seed);
            lead(&world, measure, agents)
        })
        .collect();
    let n = DEALS as f64;
    let mean = dealt.iter().sum::<f64>() / n;
    let variance = dealt.iter().map(|lead| (lead - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (judged, mean, (variance / n).sqrt())
}

fn check(instrument: &str, measure: &str, agents: [&str; 2]) {
    let (judged, mean, error) = leads(instrument, measure, agents);
    assert!(mean.abs() < 4.0 * error, "{measure}: {mean} ± {error}");
    // The same measure tells the agents apart where the labels are the judge's.
    assert!(
        judged > 4.0 * error,
        "{measure}: {judged}, and ± {error} by chance"
    );
}

#[test]
fn shuffled_ratings_score_at_chance() {
    check("ace/rating/1", "ace", ["faithful", "half"]);
}

#[test]
fn shuffled_relations_score_at_chance() {
    check("kae/relation/1", "ksr_independent", ["faithful", "half"]);
}
