//! Flags that have no meaning together, and simulations on made-up tasks.

use serde_json::Value;

use super::project;

#[test]
fn flags_of_one_method_are_refused_for_the_other() {
    let (_, project) = project(30);
    let told = project.told_each([
        &["rank", "--rounds", "3", "--budget-calls", "9"][..],
        &["rank", "--method", "halving", "--rounds", "3"],
    ]);
    insta::assert_snapshot!(told, @"
    $ taskgen rank --rounds 3 --budget-calls 9
    exit 2
    --- err
    error: --budget-calls does not apply to --method elo
    hint: --rounds says how many judgements, --elo-k how much each counts

    $ taskgen rank --method halving --rounds 3
    exit 2
    --- err
    error: --rounds needs --method elo
    hint: add --method elo, or leave out --rounds
    ");
    let config = project.configuration();
    project.configure(&config.replace("budget_calls = 30", "rounds = 2"));
    insta::assert_snapshot!(project.told(&["rank", "--top", "5"]), @"
    $ taskgen rank --top 5
    exit 2
    --- err
    error: --top does not apply to --method elo
    hint: --rounds says how many judgements, --elo-k how much each counts
    ");
}

#[test]
fn what_has_no_meaning_is_refused_before_any_work() {
    let (_, project) = project(30);
    let told = project.told_each([
        &[
            "rank",
            "simulate",
            "--method",
            "listwise",
            "--list-size",
            "0",
        ][..],
        &["rank", "simulate", "--list-size", "8"],
        &[
            "rank",
            "simulate",
            "--method",
            "elo",
            "--target-recall",
            "0.9",
        ],
        &["rank", "simulate", "-n", "1000000"],
        &["rank", "--method", "elo", "--rounds", "100000"],
        &["--dry-run", "rank", "report"],
        &["--dry-run", "rank", "simulate", "-n", "30", "--top", "3"],
        &["--dry-run", "rank", "import", "taskgen.toml"],
        &["rank", "--method", "elo"],
    ]);
    insta::assert_snapshot!(told, @"
    $ taskgen rank simulate --method listwise --list-size 0
    exit 2
    --- err
    error: rank.list_size must be between 3 and 12: `0`

    $ taskgen rank simulate --list-size 8
    exit 2
    --- err
    error: --list-size needs --method listwise
    hint: add --method listwise, or leave it out

    $ taskgen rank simulate --method elo --target-recall 0.9
    exit 2
    --- err
    error: --target-recall does not apply to --method elo
    hint: --method halving stops at a recall

    $ taskgen rank simulate -n 1000000
    exit 2
    --- err
    error: -n must be at most 100000: `1000000`
    hint: each task takes 1.6 kB for its draws

    $ taskgen rank --method elo --rounds 100000
    exit 2
    --- err
    error: rank.rounds must be at most 1000: `100000`
    hint: `taskgen rank --help`

    $ taskgen --dry-run rank report
    exit 2
    --- err
    error: --dry-run is for commands that ask a model
    hint: run, inspire, weave, probe, rank, answer, evaluate, rescore, audit leakage, arena match, arena trees build --topics

    $ taskgen --dry-run rank simulate -n 30 --top 3
    exit 2
    --- err
    error: --dry-run is for commands that ask a model
    hint: run, inspire, weave, probe, rank, answer, evaluate, rescore, audit leakage, arena match, arena trees build --topics

    $ taskgen --dry-run rank import taskgen.toml
    exit 2
    --- err
    error: --dry-run is for commands that ask a model
    hint: run, inspire, weave, probe, rank, answer, evaluate, rescore, audit leakage, arena match, arena trees build --topics

    $ taskgen rank --method elo
    exit 2
    --- err
    seed 1 (change it with --seed)
    until here: [usage]
    error: no tasks yet
    hint: `taskgen weave`, or `taskgen tasks import FILE`
    log: `[project]/tasks/logs/[log]`
    ");
    let said = project.ok(&[
        "rank",
        "simulate",
        "-n",
        "30",
        "--top",
        "3",
        "--budget-calls",
        "60",
        "--seeds",
        "1",
    ]);
    assert!(said.contains("tau") && said.contains("intervals"), "{said}");
    insta::assert_snapshot!(project.told(&["rank", "simulate", "--world", "bt2"]), @"
    $ taskgen rank simulate --world bt2
    exit 2
    --- err
    error: there is no --world any more
    hint: `taskgen rank simulate --scenario bt2`
    ");
    insta::assert_snapshot!(project.told(&["rank", "report"]), @"
    $ taskgen rank report
    exit 2
    --- err
    error: nothing is ranked yet
    hint: `taskgen rank`
    ");
}

/// Simulated scenarios need no project; the same seed gives the same numbers.
#[test]
fn simulations_repeat_themselves() {
    let (_, project) = project(30);
    let run = |seed: &str, method: &str| {
        let args = [
            "rank",
            "simulate",
            "-n",
            "300",
            "--top",
            "20",
            "--budget-calls",
            "1200",
            "--seeds",
            "2",
            "--seed",
            seed,
        ];
        let mut value = project.json(&[&args[..], &["--method", method]].concat());
        for trial in value.as_array_mut().expect("trials") {
            trial["seconds"] = Value::Null;
        }
        value
    };
    assert_eq!(run("4", "halving"), run("4", "halving"));
    assert_ne!(run("4", "halving"), run("5", "halving"));
    let recall = |value: &Value| {
        value
            .as_array()
            .expect("trials")
            .iter()
            .map(|t| t["recall"].as_f64().expect("a share"))
            .sum::<f64>()
            / 2.0
    };
    let (ours, elo) = (recall(&run("4", "halving")), recall(&run("4", "elo")));
    assert!(ours > elo, "{ours} against {elo}");
}
