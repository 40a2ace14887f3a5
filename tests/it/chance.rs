//! What judges say must decide: once their labels are dealt out anew among the reports, or drawn by
//! the judges themselves, no agent and no task is better than another, through the whole program.

use rand::{SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};
use rusqlite::{Connection, params};

use serde_json::Value;

use crate::{
    small_web::world::World,
    support::{ModelServer, Project},
};

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
    let (mean, error) = mean(&dealt);
    (judged, mean, error)
}

/// The mean with its standard error.
fn mean(numbers: &[f64]) -> (f64, f64) {
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
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

/// Judges that draw all labels, and judges that draw one in three: how many, and whether they have
/// sense.
const JUDGES: [(&str, u64, bool); 2] = [("chance", 20, false), ("noisy", 6, true)];

/// Whether numbers of several judges are within four standard errors of what chance gives.
fn assert_sense(has_sense: bool, what: &str, by_chance: f64, numbers: &[f64]) {
    let (mean, error) = mean(numbers);
    let is_above = mean - by_chance > 4.0 * error;
    let is_at = (mean - by_chance).abs() < 4.0 * error;
    assert!(
        if has_sense { is_above } else { is_at },
        "{what}: {mean} ± {error}, and {by_chance} by chance"
    );
}

/// Nothing is dealt afterwards here: the program asks judges that draw.
#[test]
fn judges_that_draw_tell_no_agent_from_another() {
    const MEASURES: [&str; 3] = ["ksr_independent", "ace", "win_rate"];
    let world = World::new();
    world.answer();
    let config = world.project.configuration();
    world.project.configure(&format!(
        "{config}[evaluate.settings.reference]\nagent = \"half\"\n"
    ));
    for (judge, seeds, has_sense) in JUDGES {
        let mut leads = MEASURES.map(|_| Vec::new());
        for seed in 0..seeds {
            let roles = ["relate", "rate"].map(|role| format!("{role}=fake/{judge}-{seed}"));
            let evaluate =
                "evaluate --allow-private-network --metric kae,ace,reference --model-role";
            let mut args: Vec<&str> = evaluate.split(' ').collect();
            args.extend([&roles[0], "--model-role", &roles[1]]);
            world.project.ok(&args);
            for (leads, measure) in leads.iter_mut().zip(MEASURES) {
                leads.push(lead(&world, measure, ["faithful", "tricky"]));
            }
        }
        for (leads, measure) in leads.iter().zip(MEASURES) {
            assert_sense(has_sense, &format!("{judge} {measure}"), 0.0, leads);
        }
    }
}

/// Kendall's tau between the order of a ranking and that of the tasks' worth.
fn tau(ranked: &[String]) -> f64 {
    let pairs = (0..ranked.len()).flat_map(|at| ranked[at + 1..].iter().map(move |b| (at, b)));
    let signs: Vec<f64> = pairs
        .map(|(at, b)| if ranked[at] > *b { 1.0 } else { -1.0 })
        .collect();
    mean(&signs).0
}

/// Share of verdicts that a fit to the others foresees.
fn foreseen(judge: &Value) -> f64 {
    let levels = judge["calibration"]["levels"].as_array().expect("levels");
    let sum = |of: fn(&Value) -> f64| levels.iter().map(of).sum::<f64>();
    let n = |level: &Value| level["n"].as_f64().expect("a count");
    sum(|level| level["agreement"].as_f64().expect("a share") * level["n"].as_f64().expect("n"))
        / sum(n)
}

/// Which pairs are asked depends on the verdicts before, so that labels cannot be dealt afterwards.
#[test]
fn judges_that_draw_rank_nothing_and_their_audit_says_so() {
    let fake = ModelServer::openai().pipeline();
    let project = Project::new(&fake.url).config_instead("method = \"elo\"\nrounds = 4\n", "");
    let questions: Vec<String> = (10..30)
        .map(|worth| format!("How does gravel move in rivers of kind (t_{worth})?"))
        .collect();
    std::fs::write(project.path("questions.txt"), questions.join("\n")).expect("writable");
    project.ok(&["tasks", "import", "questions.txt"]);
    for (judge, seeds, has_sense) in JUDGES {
        let (mut taus, mut shares, mut told_apart) = (Vec::new(), Vec::new(), 0);
        for seed in 0..seeds {
            let judge = format!("fake/{judge}-{seed}");
            let code = project.output(&["rank", "--judge", &judge, "--budget-calls", "150"]);
            assert!([Some(0), Some(6)].contains(&code.status.code()), "{code:?}");
            let listed = project.json(&["tasks", "list"]);
            let rows = listed.as_array().expect("a list").iter();
            let texts: Vec<String> = rows.map(|row| row["task"].to_string()).collect();
            taus.push(tau(&texts));
            let audit = &project.json(&["rank", "report"])["audit"]["judges"][0];
            shares.push(foreseen(audit));
            told_apart += u64::from(audit["better_than_chance"]["significant"] == true);
        }
        assert_sense(has_sense, &format!("{judge} tau"), 0.0, &taus);
        assert_sense(has_sense, &format!("{judge} foreseen"), 0.5, &shares);
        let most = if has_sense {
            told_apart * 2 > seeds
        } else {
            told_apart == 0
        };
        assert!(most, "{told_apart} {judge} judges are told from chance");
    }
}
