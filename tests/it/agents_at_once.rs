//! Several agents answer one project at the same time, beside the one command that writes, and are
//! killed: nothing is lost, and nothing that was kept is asked again. Two of them are real
//! programs, the third is a model behind the fake server.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use crate::support::{ModelServer, Project, llm::Play, woven};

const ATTEMPTS: i64 = 4;
const KILLS: u32 = 20;
/// The agents and their flags.
const AGENTS: [&str; 3] = ["ann", "ben", "lab"];

/// A task with the number of the attempt at it.
type Attempt = (String, u32);

/// A project with six tasks, two programs that note each start of theirs, and a model.
fn project() -> (ModelServer, Project) {
    let (_, project) = woven();
    let server = ModelServer::openai()
        .delay(Duration::from_millis(30))
        .plays(|_| Play::Say("# Rivers\n\nGravel drums.".into()));
    let provider = format!("[providers.lab]\nbase_url = \"{}\"\n", server.url);
    let program = |name: &str| {
        let log = project.path(&format!("{name}.log"));
        format!(
            "[agents.{name}]\ncommand = '''sh -c \"pwd >> {}; sleep .02; echo report of {name}: $(cat)\"'''\nattempts = {ATTEMPTS}\nsandbox = \"off\"\n",
            log.display()
        )
    };
    let model = format!("[agents.lab]\nmodel = \"lab/m\"\nattempts = {ATTEMPTS}\njobs = 2\n");
    let config = provider + &program("ann") + &program("ben") + &model;
    (server, project.config(&config))
}

fn start(project: &Project, agent: &str) -> Child {
    project
        .command(&["answer", "--agent", agent])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// The attempts of an agent that are kept.
fn kept(project: &Project, agent: &str) -> BTreeSet<Attempt> {
    let database = project.database();
    let sql = "SELECT task, attempt FROM document JOIN agent ON agent.id = agent WHERE name = ?1";
    let mut statement = database.prepare(sql).expect("a statement");
    let rows = statement.query_map([agent], |row| Ok((row.get(0)?, row.get(1)?)));
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

/// Every start of a program, by the folder that it ran in.
fn starts(project: &Project, agent: &str) -> Vec<Attempt> {
    let log = std::fs::read_to_string(project.path(&format!("{agent}.log"))).unwrap_or_default();
    let attempt = |line: &str| {
        let folder = Path::new(line);
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        let task = name(folder.parent().unwrap());
        (task, name(folder).parse().expect("a number"))
    };
    log.lines().map(attempt).collect()
}

/// Waits until `reports` are kept or all have ended, and kills what still runs; how many did.
fn kill_at(project: &Project, mut running: Vec<Child>, reports: i64) -> usize {
    let database = project.database();
    database.busy_timeout(Duration::from_secs(30)).unwrap();
    let deadline = Instant::now() + Duration::from_mins(2);
    while Instant::now() < deadline {
        let sql = "SELECT count(*) FROM document";
        let count: i64 = database.query_row(sql, [], |row| row.get(0)).unwrap();
        let mut ended = running
            .iter_mut()
            .map(|child| child.try_wait().unwrap().is_some());
        if count >= reports || ended.all(|ended| ended) {
            break;
        }
    }
    let mut killed = 0;
    for child in &mut running {
        killed += usize::from(child.try_wait().unwrap().is_none());
        child.kill().ok();
        child.wait().expect("a child");
    }
    killed
}

#[test]
fn three_agents_killed_at_twenty_moments_lose_nothing_and_ask_nothing_twice() {
    let (server, project) = project();
    let tasks = project.count("SELECT count(*) FROM task WHERE superseded = 0");
    let all = tasks * ATTEMPTS * 3;
    // How many starts there had been at each kill, and what was kept by then.
    let mut before: BTreeMap<&str, Vec<(usize, BTreeSet<Attempt>)>> = BTreeMap::new();
    let mut running_at = Vec::new();
    for kill in 1..=KILLS {
        let running = AGENTS.map(|agent| start(&project, agent)).into();
        let killed = kill_at(
            &project,
            running,
            all * i64::from(kill) / i64::from(KILLS + 1),
        );
        running_at.push(killed);
        for agent in ["ann", "ben"] {
            let now = (starts(&project, agent).len(), kept(&project, agent));
            before.entry(agent).or_default().push(now);
        }
    }
    // One may be ready before the others.
    let at_least = |n: usize| running_at.iter().filter(|killed| **killed >= n).count();
    assert!(
        at_least(2) >= 8 && at_least(3) >= 3,
        "running at the kills: {running_at:?}"
    );
    let last = AGENTS.map(|agent| start(&project, agent));
    for mut child in last {
        assert!(child.wait().expect("a child").success());
    }
    for agent in AGENTS {
        assert_eq!(
            kept(&project, agent).len() as i64,
            tasks * ATTEMPTS,
            "{agent}"
        );
    }
    for (agent, kills) in before {
        let starts = starts(&project, agent);
        for (seen, kept) in kills {
            let again = starts[seen..].iter().find(|start| kept.contains(*start));
            assert_eq!(again, None, "{agent} answered again what was kept");
        }
        assert!(
            starts.len() as i64 <= tasks * ATTEMPTS + i64::from(KILLS),
            "{agent}"
        );
    }
    // What was in flight at a kill may be asked again: two requests each time.
    let asked = server.take() as i64;
    let most = tasks * ATTEMPTS + 2 * i64::from(KILLS);
    assert!(
        asked >= tasks * ATTEMPTS && asked <= most,
        "asked {asked} times"
    );
    let sql = "SELECT count(*) FROM call WHERE role = 'answer' AND reply IS NOT NULL";
    assert_eq!(project.count(sql), tasks * ATTEMPTS);
    let sound = "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'";
    assert_eq!(project.count(sound), 1);
}

/// Waits until the lock file `name` says who holds it.
fn wait_for_holder(project: &Project, name: &str) {
    let deadline = Instant::now() + Duration::from_mins(1);
    let is_empty = || {
        std::fs::read_to_string(project.path(name))
            .unwrap_or_default()
            .is_empty()
    };
    while is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The lock of an agent, whose name has a part that follows from its whole.
fn lock_of(project: &Project, agent: &str) -> String {
    let folder = std::fs::read_dir(project.path("tasks/agents")).expect("a folder");
    let mut names = folder.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let is_of = |name: &String| {
        name.starts_with(&format!("{agent}-"))
            && Path::new(name).extension() == Some("lock".as_ref())
    };
    format!("tasks/agents/{}", names.find(is_of).expect("a lock"))
}

#[test]
fn an_agent_answers_beside_the_one_that_writes_but_not_beside_itself_or_what_takes_out() {
    let (_, project) = woven();
    let slow = "sh -c 'cat; sleep 1'";
    let project = project.config(&format!(
        "[agents.slow]\ncommand = \"{slow}\"\n[agents.quick]\ncommand = \"cat\"\n"
    ));
    let mut first = start(&project, "slow");
    let deadline = Instant::now() + Duration::from_mins(1);
    while project.count("SELECT count(*) FROM document") == 0 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    wait_for_holder(&project, &lock_of(&project, "slow"));
    insta::assert_snapshot!(project.told_each([
        &["answer", "--agent", "slow"][..],
        &["seminars", "forget", "rivers.wav", "--yes"],
        &["reports", "remove", "--agent", "slow"],
    ]), @"
    $ taskgen answer --agent slow
    exit 2
    --- err
    --offline does not hold for the agent: it is another program
    error: another taskgen is writing to this project: process [n], `[taskgen] answer --agent slow`
    hint: wait for it to end, or pass --wait

    $ taskgen seminars forget rivers.wav --yes
    exit 2
    --- err
    error: another taskgen is writing to this project: an agent that answers, or a shard of a transcription
    hint: wait for it to end, or pass --wait

    $ taskgen reports remove --agent slow
    exit 2
    --- err
    error: another taskgen is writing to this project: an agent that answers, or a shard of a transcription
    hint: wait for it to end, or pass --wait
    ");
    // Others go on: another agent, and the command that ranks.
    project.ok(&["answer", "--agent", "quick"]);
    project.ok(&["rank"]);
    assert!(
        first.try_wait().unwrap().is_none(),
        "it ended too early to tell"
    );
    assert!(first.wait().unwrap().success());
    project.ok(&["reports", "remove", "--agent", "quick"]);
}

#[test]
fn an_agent_is_refused_while_something_is_taken_out() {
    let (_, project) = woven();
    let project = project.config("[agents.quick]\ncommand = \"cat\"\n");
    project.ok(&["answer", "--agent", "quick"]);
    let held = std::fs::File::open(project.path("tasks/beside.lock")).expect("a lock");
    held.lock().expect("the lock");
    let said = project.fails(&["answer", "--agent", "quick"], 2);
    assert!(
        said.contains("a command that takes something out"),
        "{said}"
    );
    held.unlock().expect("unlocked");
    project.ok(&["answer", "--agent", "quick"]);
}

#[test]
fn the_same_model_under_two_names_waits_for_itself() {
    let (_, project) = woven();
    let server = ModelServer::openai()
        .delay(Duration::from_millis(300))
        .plays(|_| Play::Say("# Rivers\n\nGravel drums.".into()));
    let project = project.config(&format!(
        "[providers.lab]\nbase_url = \"{}\"\n[agents.one]\nmodel = \"lab/m\"\njobs = 1\n[agents.two]\nmodel = \"lab/m\"\n",
        server.url
    ));
    let mut first = start(&project, "one");
    while server.seen().is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let said = project.fails(&["answer", "--agent", "two"], 2);
    assert!(said.contains("answer --agent one"), "{said}");
    project.ok(&["answer", "--agent", "two", "--wait"]);
    assert!(first.wait().unwrap().success());
    let tasks = project.count("SELECT count(*) FROM task WHERE superseded = 0");
    assert_eq!(server.take() as i64, tasks, "each question was asked once");
    assert_eq!(project.count("SELECT count(*) FROM document"), 2 * tasks);
}

#[test]
fn reports_are_made_again_and_a_stopped_making_goes_on() {
    let (_, project) = woven();
    let count = project.path("count.log");
    let script = format!("sh -c \"pwd >> {}; sleep .05; date +%N\"", count.display());
    let project = project.config(&format!(
        "[agents.clock]\ncommand = '''{script}'''\nsandbox = \"off\"\n"
    ));
    let lines = || {
        std::fs::read_to_string(&count)
            .unwrap_or_default()
            .lines()
            .count() as i64
    };
    let tasks = project.count("SELECT count(*) FROM task WHERE superseded = 0");
    project.ok(&["answer", "--agent", "clock", "--limit", "2"]);
    assert_eq!(lines(), 2);
    project.ok(&["answer", "--agent", "clock"]);
    assert_eq!(lines(), tasks);
    let again = ["answer", "--agent", "clock", "--fresh"];
    let child = project.command(&again).stderr(Stdio::null()).spawn();
    let killed = kill_at(&project, vec![child.expect("it starts")], tasks + 2);
    assert_eq!(killed, 1, "it was killed while it ran");
    let made = project.count("SELECT count(*) FROM document") - tasks;
    assert!(made >= 2 && made < tasks, "{made}");
    let started = lines();
    project.ok(&again);
    assert_eq!(
        lines() - started,
        tasks - made,
        "those that were made again stay"
    );
    assert_eq!(project.count("SELECT count(*) FROM document"), 2 * tasks);
    project.ok(&["answer", "--agent", "clock"]);
    assert_eq!(lines() - started, tasks - made, "nothing is missing");
    project.ok(&again);
    assert_eq!(project.count("SELECT count(*) FROM document"), 3 * tasks);
    let said = project.fails(&["answer", "--agent", "clock", "--resample", "1"], 2);
    assert!(said.contains("--fresh runs the program again"), "{said}");
}

#[test]
fn a_model_draws_another_sample_once() {
    let (_, project) = woven();
    let server = ModelServer::openai().plays(|_| Play::Say("# Rivers\n\nGravel drums.".into()));
    let project = project.config(&format!(
        "[providers.lab]\nbase_url = \"{}\"\n[agents.lab]\nmodel = \"lab/m\"\n",
        server.url
    ));
    let answer = |flags: &[&str]| {
        project.ok(&[&["answer", "--agent", "lab"], flags].concat());
        server.take() as i64
    };
    let tasks = project.count("SELECT count(*) FROM task WHERE superseded = 0");
    assert_eq!(answer(&[]), tasks);
    assert_eq!(answer(&["--resample", "1"]), tasks);
    assert_eq!(
        answer(&["--resample", "1"]),
        0,
        "the same sample is on record"
    );
    assert_eq!(answer(&["--fresh"]), 0, "the first answers are on record");
    assert_eq!(answer(&["--resample", "2", "--limit", "1"]), 1);
}
