//! A whole evaluation without a network: planted reports of three agents about a small web on
//! loopback, a judge that sees only its prompt, and scores that must be what was planted.

mod batches;
mod claims;
mod gaps;
mod graded;
mod hostile;
mod missing;
mod pages;
mod statements;

use crate::{
    faults::{self, Words},
    pipeline::kill_when,
    small_web::{
        agents,
        expected::{expected, expected_after_swap, expected_without},
        facts::TASKS,
        judge,
        world::{EVALUATE, World},
    },
    support::{ModelServer, llm::Attempts},
};
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use taskgen::llm::Provider;

#[test]
fn planted_scores_come_out_and_nothing_is_asked_twice() {
    let world = World::new();
    world.answer();
    assert_eq!(world.fake.take(), 0, "the agents are programs");
    world.project.ok(&EVALUATE);
    world.check(&[]);
    assert!(
        world.fake.repeats().values().all(|n| *n == 1),
        "a question came twice"
    );
    assert!(
        world.web.hits().values().all(|n| *n == 1),
        "a page was fetched twice: {:?}",
        world.web.hits()
    );
    let board = world.project.ok(&["leaderboard", "--json"]);
    let asked = world.fake.take();
    assert!(asked > 100, "{asked}");
    world.project.ok(&EVALUATE);
    world.answer();
    assert_eq!(world.fake.take(), 0);
    assert!(world.web.hits().values().all(|n| *n == 1));
    assert_eq!(world.project.ok(&["leaderboard", "--json"]), board);
    let board: Value = serde_json::from_str(&board).expect("JSON");
    let faithful = &board["agents"][0];
    assert_eq!(
        (&faithful["agent"], &faithful["measures"]["ace"]["of"]),
        (&json!("faithful"), &json!(4))
    );
    // Sums over the four tasks, from the planted rows.
    let sums = TASKS
        .iter()
        .filter_map(|task| expected("faithful", task.key).own)
        .fold((0, 0), |sum, own| {
            (sum.0 + own.0, sum.1 + own.0 + own.1 + own.2)
        });
    let ksr = faithful["measures"]["ksr_own"]["value"]
        .as_f64()
        .expect("a share");
    assert!((ksr - sums.0 as f64 / sums.1 as f64).abs() < 1e-12);
    insta::assert_snapshot!(world.project.told(&["leaderboard", "--table", "paper"]), @"
    $ taskgen leaderboard --table paper
    exit 0
    --- out
    ───
     system     KSR           KCR           KOR            ACE           tokens k   refs
    ───
     faithful   76.5 | 77.8   0.0 | 0.0     23.5 | 22.2    6.60 | 7.10   – | –      4.00 | 4.50
    ───
     half       31.6 | 33.3   31.6 | 33.3   36.8 | 33.3    5.10 | 5.10   – | –      4.50 | 4.50
    ───
     tricky     0.0 | 0.0     0.0 | 50.0    100.0 | 50.0   1.05 | 1.20   – | –      3.50 | 2.00
    ───
    English | Chinese; shares in percent, of the key points of the pages that a report cites itself
    ");
    let table = world.project.path("board.csv");
    world.project.ok(&[
        "leaderboard",
        "--by",
        "language",
        "--csv",
        table.to_str().expect("UTF-8"),
    ]);
    let table = std::fs::read_to_string(table).expect("written");
    assert!(
        table.starts_with("rank,name,rating,ci_low,ci_high,n_games,p_top_k,facet,tier,measure,")
            && table.contains("\n1,faithful,")
            && table.contains(",zh,")
    );
}

#[test]
fn another_judge_is_another_way_of_scoring_and_the_old_one_stays() {
    let world = World::evaluated();
    world.fake.take();
    let fetched = world.web.hits();
    insta::assert_snapshot!(world.project.told(&["rescore"]), @"
    $ taskgen rescore
    exit 2
    --- err
    seed 1 (change it with --seed)
    ───
     stage        done   skipped   failed   refused by rule                         time
    ───
     pages        0      39        0        blocked 1, http_status 4, not_found 1   [time]
    ───
     key points   0      33        0        –                                       [time]
    ───
     relations    0      198       0        –                                       [time]
    ───
     checklists   0      4         0        –                                       [time]
    ───
     ratings      0      48        0        –                                       [time]
    ───
    0 model calls, 279 more from the record; 0 prompt tokens (0 cached), 0 reply tokens
    [time] in all
    error: nothing differs from the last evaluation
    hint: --model-role relate=PROVIDER/MODEL, --model-role rate=…, --form, --similarity, --repeats, --resample, or an edited prompt
    log: `[project]/tasks/logs/[log]`
    ");
    assert_eq!(world.fake.take(), 0);
    let json =
        |args: &[&str]| -> Value { serde_json::from_str(&world.project.ok(args)).expect("JSON") };
    let other = ["rescore", "--model-role", "rate=fake/n", "--json"];
    let found = json(&other);
    let asked = world.fake.take();
    assert!(
        asked > 0 && world.web.hits() == fetched,
        "judges are asked, pages are not"
    );
    assert_eq!(
        (
            &found["before"]["instruments"][0]["models"],
            &found["after"]["instruments"][0]["models"]
        ),
        (&json!(["fake/m"]), &json!(["fake/n"]))
    );
    let changes = found["changes"].as_array().expect("a list");
    assert_eq!(changes.len(), 9, "three agents, three measures");
    assert!(
        changes.iter().all(|change| change["difference"] == 0.0),
        "the fake judges alike under each name"
    );
    assert_eq!(
        (
            json(&other)["changes"].as_array().map(Vec::len),
            world.fake.take()
        ),
        (Some(9), 0)
    );

    // A threshold that merges nothing: more key points, and the sets of before are still there to
    // compare with.
    let found = json(&["rescore", "--similarity", "1", "--metric", "kae", "--json"]);
    let own = found["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|change| change["measure"] == "ksr_own");
    assert!(
        own.clone()
            .all(|change| change["before"].is_f64() && change["after"].is_f64()),
        "{found}"
    );
    world.project.ok(&EVALUATE);
    world.fake.take();
    world.check(&[]);
}

#[test]
fn a_lost_page_and_swapped_reports_move_what_they_must_and_nothing_else() {
    let lost = World::new();
    lost.web.remove("/soil/terraces");
    lost.answer();
    lost.project.ok(&EVALUATE);
    lost.check(&expected_without("/soil/terraces"));
    let swapped = World::new();
    for (agent, task, text) in agents::reports(&swapped.web.url) {
        let author = match agent {
            "faithful" => "half",
            "half" => "faithful",
            other => other,
        };
        let folder = swapped.project.path("handed-in").join(author);
        std::fs::create_dir_all(&folder).expect("writable");
        std::fs::write(folder.join(format!("{}.md", swapped.tasks[task])), text).expect("writable");
    }
    let folder = swapped.project.path("handed-in");
    let import = ["reports", "import", folder.to_str().expect("UTF-8")];
    insta::assert_snapshot!(swapped.project.told(&import), @"
    $ taskgen reports import [project]/handed-in
    exit 0
    --- out
    12 reports imported, 0 known already, 0 repeated, 0 not used; layout: [<agent>/]<task>.md
    of faithful 4, half 4, tricky 4
    next: `taskgen evaluate`
    ");
    swapped.project.ok(&EVALUATE);
    swapped.check(&expected_after_swap("faithful", "half"));
}

/// What a server could say instead of `good`: another verdict, no number, something that nobody
/// asked for.
fn words(good: &Value) -> Words {
    let with = |key: &str, value: Value| {
        let mut other = good.clone();
        other[key] = value;
        other.to_string()
    };
    let (key, other, unknown) = match good {
        good if good.get("rating").is_some() => {
            ("rating", json!(u8::from(good["rating"] == 0)), json!(99))
        }
        good if good.get("relationship").is_some() => (
            "relationship",
            json!(if good["relationship"] == "OMITS" {
                "SUPPORTS"
            } else {
                "OMITS"
            }),
            json!("MAYBE"),
        ),
        good if good.get("points").is_some() => ("points", json!([]), json!("none")),
        _ => ("evaluation_criteria", json!([]), json!("none")),
    };
    Words {
        good: good.to_string(),
        other: with(key, other),
        not_a_number: good.to_string().replacen(':', ": NaN, \"x\":", 1),
        unknown: with(key, unknown),
    }
}

/// One attempt in six meets a fault of the eleven; in the end every score is what was planted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_fails_in_eleven_ways_changes_no_score() {
    let world = World::new();
    world.answer();
    let (attempts, met) = (Attempts::default(), Arc::new(AtomicUsize::new(0)));
    let faults = Arc::clone(&met);
    let server = ModelServer::openai().plays(move |request| {
        let (item, attempt) = attempts.of(&request.body);
        let fault =
            faults::passing(item, attempt).filter(|_| faults::draw(&[item, 9, attempt]) < 0.5);
        faults.fetch_add(usize::from(fault.is_some()), Ordering::SeqCst);
        faults::play(
            Provider::OpenAi,
            fault,
            words(&judge::reply(request.prompt(), &request.body)),
        )
    });
    world.project.reconfigure(&world.fake.url, &server.url);
    // What six turns did not get is counted, and another run gets it.
    let mut runs = 0;
    loop {
        runs += 1;
        let output = world
            .project
            .output(&[&EVALUATE[..], &["--retry-failed"]].concat());
        if output.status.success() {
            break;
        }
        assert!(runs < 5, "{}", String::from_utf8_lossy(&output.stderr));
    }
    println!(
        "{} faults in {} requests, {runs} runs",
        met.load(Ordering::SeqCst),
        server.seen().len()
    );
    assert!(met.load(Ordering::SeqCst) > 20);
    world.check(&[]);
    assert!(
        world.web.hits().values().all(|n| *n == 1),
        "a page was fetched twice"
    );
}

/// `TASKGEN_KILLS=50` is the proof; a few kills show that it works.
#[test]
fn killed_at_random_moments_an_evaluation_ends_as_if_undisturbed() {
    let kills: usize = std::env::var("TASKGEN_KILLS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(3);
    let world = World::with_delay(Duration::from_millis(10));
    world.answer();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut killed = 0;
    for n in 0..kills {
        let part = 240 / kills as i64;
        let moment = (n as i64 * part + rng.random_range(0..part.max(1))).max(1);
        killed += usize::from(kill_when(
            &world.project,
            &EVALUATE,
            "SELECT count(*) FROM call",
            moment,
        ));
    }
    let counted = || {
        (
            world.fake.repeats().values().sum::<usize>(),
            world.project.count("SELECT count(*) FROM call"),
        )
    };
    let (asked, committed) = counted();
    world.project.ok(&EVALUATE);
    assert!(
        killed * 10 >= kills * 9,
        "{killed} of {kills} found it running"
    );
    world.check(&[]);
    let (asked_in_all, committed_in_all) = counted();
    assert_eq!(
        (asked_in_all - asked) as i64,
        committed_in_all - committed,
        "just what was missing is asked"
    );
    let fetched: usize = world.web.hits().values().map(|n| n - 1).sum();
    assert!(fetched <= 16 * killed, "{fetched} pages were fetched twice");
}

/// More reports than one core takes by itself: each has its own score all the same. And a reading
/// that another version left behind is not asked for what it does not have.
#[test]
fn many_reports_keep_their_scores_whoever_reads_them() {
    let world = World::new();
    world.answer();
    world
        .project
        .ok(&[&EVALUATE[..], &["--metric", "ace"]].concat());
    let board = || world.project.ok(&["leaderboard", "--json"]);
    let before = board();
    world
        .project
        .sql("UPDATE document SET payload = json_set(payload, '$.reading', json('{\"version\":0,\"links\":[]}'))");
    assert_eq!(board(), before);
    let numbers =
        "WITH RECURSIVE copy(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < 250)";
    world.project.sql(&format!(
        "{numbers} INSERT INTO document (id, kind, task, agent, attempt, state, text, payload, run)
         SELECT id || n, kind, task, agent, n + 1, state, text, payload, run FROM copy, document"
    ));
    world.project.sql(&format!(
        "{numbers} INSERT INTO judgement (id, instrument, subject, other, judge, sample, state, value, label, payload, run)
         SELECT id || n, instrument, subject || n, other, judge, sample, state, value, label, payload, run
         FROM copy, judgement WHERE instrument LIKE 'ace/%'"
    ));
    world.project.sql(
        "UPDATE judgement SET value = (SELECT rowid % 11 FROM document WHERE document.id = subject)
         WHERE instrument LIKE 'ace/%'",
    );
    let database = world.project.database();
    let mut expected = database
        .prepare("SELECT id, rowid % 11 FROM document")
        .expect("SQL");
    let rows = expected
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("rows");
    let expected: BTreeMap<String, f64> = rows.collect::<Result<_, _>>().expect("rows");
    let listed: Value =
        serde_json::from_str(&world.project.ok(&["reports", "list", "--json"])).expect("JSON");
    let listed = listed.as_array().expect("a list");
    assert_eq!((listed.len(), expected.len()), (3012, 3012));
    for report in listed {
        let (ace, id) = (
            report["scores"]["measures"]["ace"]["value"]
                .as_f64()
                .expect("a score"),
            report["report"].as_str().expect("an id"),
        );
        assert!((ace - expected[id]).abs() < 1e-9, "{report}");
    }
}

/// Of a panel each rater alone, and how far one who is asked again says something else: one of two
/// adds a point the second time, which is half a point of its mean, and a standard deviation of √½
/// in half of the groups.
#[test]
fn raters_are_told_apart_and_so_are_repetitions() {
    let world = World::new();
    world.answer();
    let config = world.project.configuration();
    let panel = config.replace("rate = \"fake/m\"", "rate = [\"fake/m\", \"fake/n\"]");
    assert!(panel != config, "{config}");
    world
        .project
        .configure(&format!("{panel}[evaluate]\nrepeats = 2\n"));
    world
        .project
        .ok(&[&EVALUATE[..], &["--metric", "ace"]].concat());
    let board = || -> Value {
        serde_json::from_str(&world.project.ok(&["leaderboard", "--json"])).expect("JSON")
    };
    let row = |board: &Value| board["agents"].as_array().expect("rows")[0].clone();
    let before = row(&board());
    // Who rated everything is not left out because another one failed.
    let fail =
        "UPDATE judgement SET state = 'unscored', cause = 'timeout' WHERE instrument LIKE 'ace/%'
        AND judge IN (SELECT id FROM judge WHERE model_asked = 'fake/n')";
    let mend = fail
        .replace("'unscored'", "'scored'")
        .replace("'timeout'", "NULL");
    world.project.sql(fail);
    let alone = row(&board());
    assert_eq!(
        (
            &alone["by_judge"]["ace"]["fake/m"],
            &alone["by_judge"]["ace"]["fake/n"]
        ),
        (&before["by_judge"]["ace"]["fake/m"], &Value::Null)
    );
    world.project.sql(&mend);
    assert_eq!(row(&board()), before);
    assert_eq!(
        (
            &before["by_judge"]["ace"]["fake/m"],
            &before["repeated"]["ace"]
        ),
        (&before["by_judge"]["ace"]["fake/n"], &0.0.into())
    );
    world.project.sql(
        "UPDATE judgement SET value = value + 1 WHERE instrument LIKE 'ace/%' AND sample = 1
         AND judge IN (SELECT id FROM judge WHERE model_asked = 'fake/n')",
    );
    let after = row(&board());
    let of = |row: &Value, rater: &str| {
        row["by_judge"]["ace"][rater]["value"]
            .as_f64()
            .expect("a score")
    };
    let by = of(&after, "fake/n") - of(&before, "fake/n");
    let (ace, all) = (
        after["measures"]["ace"]["value"].as_f64(),
        f64::midpoint(of(&after, "fake/n"), of(&after, "fake/m")),
    );
    let repeated = after["repeated"]["ace"].as_f64().expect("a deviation");
    assert!(
        (by - 0.5).abs() < 1e-9 && (repeated - 0.5).abs() < 1e-9,
        "{after}"
    );
    assert!(ace.is_some_and(|ace| (ace - all).abs() < 1e-9), "{after}");
    insta::assert_snapshot!(world.project.told(&["leaderboard"]), @"
    $ taskgen leaderboard
    exit 0
    --- out
    ───
     tier   agent      ACE                 references   tasks
    ───
     1      faithful   7.10 [6.35, 8.35]   4.2          4 of 4
    ───
     1      half       5.35                4.5          4 of 4
    ───
     1      tricky     1.38 [0.25, 2.35]   2.8          4 of 4
    ───

    ───
     measure   difference                                 p (Holm)   smallest detectable   tasks
    ───
     ACE       faithful − half     [strength]   0.375      1.34                  4
    ───
     ACE       faithful − tricky   [strength]   0.375      2.13                  4
    ───
     ACE       half − tricky       [strength]   0.375      1.21                  4
    ───
    faithful: ACE by each judge alone: fake/m 6.85 (of 4 tasks); fake/n 7.35 (of 4 tasks)
    faithful: ACE judged again by the same judge: standard deviation 0.50
    half: ACE by each judge alone: fake/m 5.10 (of 4 tasks); fake/n 5.60 (of 4 tasks)
    half: ACE judged again by the same judge: standard deviation 0.50
    tricky: ACE by each judge alone: fake/m 1.12 (of 4 tasks); fake/n 1.62 (of 4 tasks)
    tricky: ACE judged again by the same judge: standard deviation 0.50
    faithful: cited pages that could not be read: not_fetched 17
    half: cited pages that could not be read: not_fetched 18
    tricky: cited pages that could not be read: not_fetched 11
    intervals: 95 %, by resampling tasks; ACE: weighted mean of a checklist written for the task, 0 to 10
    ");
}

/// A panel decides by most voices, on the page as on the board; other key points than the judged
/// ones are stale.
#[test]
fn a_page_leads_from_the_score_to_the_span_and_other_points_are_stale() {
    let world = World::new();
    world.answer();
    world.project.ok(&EVALUATE);
    let page = world.project.path("board of agents.html");
    world.project.ok(&[
        "leaderboard",
        "--by",
        "type",
        "--html",
        page.to_str().expect("UTF-8"),
    ]);
    let summary = std::fs::read_to_string(&page).expect("written");
    let task = format!("board_of_agents-tasks/{}.html", world.tasks["soil"]);
    assert!(summary.replace("&#x2f;", "/").contains(&task) && !summary.contains("<script"));
    let task = std::fs::read_to_string(world.project.path(&task))
        .expect("written")
        .replace("&#x2f;", "/");
    assert!(
        task.contains("<mark id=") && task.contains("faithful") && task.contains("/soil/roots.pdf")
    );
    // Half of the agents is judged with other key points: the others' scores are not comparable any
    // more.
    let config = world.project.configuration();
    world
        .project
        .configure(&format!("{config}[evaluate]\npoints = 7\n"));
    world
        .project
        .ok(&[&EVALUATE[..], &["--agent", "half", "--metric", "kae"]].concat());
    let board: Value =
        serde_json::from_str(&world.project.ok(&["leaderboard", "--json"])).expect("JSON");
    let row = |name: &str| {
        board["agents"]
            .as_array()
            .and_then(|rows| rows.iter().find(|row| row["agent"] == name))
    };
    assert_eq!(row("faithful").expect("a row")["unscored"]["stale"], 8);
    assert_eq!(
        row("half").expect("a row")["unscored"]["stale"],
        Value::Null
    );
}

/// A text that an earlier version of the reader made is made again from the stored bytes: nothing
/// is fetched, and what is found in the same text is on record.
#[test]
fn texts_of_an_earlier_reader_are_made_again() {
    let world = World::new();
    world.answer();
    world.project.ok(&EVALUATE);
    let board = world.project.ok(&["leaderboard", "--json"]);
    let (fetched, _) = (world.web.hits(), world.fake.take());
    let texts = "SELECT count(*) FROM extract WHERE version != '0' AND text != 'old'";
    let before = world.project.count(texts);
    world
        .project
        .sql("UPDATE extract SET version = '0', text = 'old'");
    assert_eq!(world.project.count(texts), 0);
    world.project.ok(&EVALUATE);
    assert_eq!((world.web.hits(), world.fake.take()), (fetched, 0));
    // What is not the page itself (a wall, a test for robots) is not asked for again.
    let again = world.project.count(texts);
    assert!(0 < again && again <= before, "{again} of {before}");
    assert_eq!(world.project.ok(&["leaderboard", "--json"]), board);
}
