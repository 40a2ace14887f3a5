//! `taskgen inspirations`: what a person decides is saved at once, is decided blind, and is what
//! tasks are woven from.

use std::{
    collections::BTreeSet,
    io::{BufReader, Read as _, Write as _},
    os::fd::{AsFd as _, OwnedFd},
    process::{Child, Stdio},
};

use rustix::{
    fs::{Mode, OFlags},
    process::{Pid, Signal, kill_process},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{LocalModes, tcgetattr},
};
use serde_json::Value;

use crate::support::{ModelServer, Project, TALK, TALK_ZH, llm::Mood};

const RIVERS: &[&str] = &[
    "inspirations",
    "review",
    "--reviewer",
    "ana",
    "--seminar",
    "rivers.wav",
];

fn project() -> (ModelServer, Project) {
    let fake = ModelServer::openai().pipeline();
    let mut talk = TALK.to_vec();
    talk[0] = "Good afternoon, \u{1b}[31meveryone, and welcome to the spring series on rivers.";
    let project = Project::new(&fake.url)
        .seminar("rivers.wav", "en", &talk)
        .seminar("heliu.wav", "zh", TALK_ZH);
    (fake, project)
}

/// Runs a command that reads `keys`, a line each, and returns what it printed: results and
/// messages.
fn typed(project: &Project, args: &[&str], keys: &str) -> (String, String) {
    let mut child = start(project, args, Stdio::piped());
    let lines: String = keys.split(' ').flat_map(|key| [key, "\n"]).collect();
    // A review that has ended reads no more.
    let _ = child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(lines.as_bytes());
    let output = child.wait_with_output().expect("a child");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let (result, said) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(0), "{said}");
    (result, said)
}

fn start(project: &Project, args: &[&str], stdin: Stdio) -> Child {
    let mut command = project.command(args);
    command
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

fn json(project: &Project, args: &[&str]) -> Vec<Value> {
    let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    serde_json::from_str(&project.ok(&args)).expect("a list")
}

/// Ids of the inspirations of a talk that stand, or that do not.
fn ids(project: &Project, path: &str, stands: bool) -> BTreeSet<String> {
    let found = json(project, &["inspirations", "list", "--seminar", path]);
    let ids = found
        .iter()
        .filter(|of| of["stands"] == stands)
        .map(|of| of["id"].as_str().expect("an id").to_owned());
    ids.collect()
}

/// The inspirations that the tasks of a talk rest on.
fn woven_from(project: &Project, path: &str) -> BTreeSet<String> {
    let tasks = json(project, &["tasks", "list"]);
    let of_talk = tasks.iter().filter(|task| task["source"]["path"] == path);
    let sources = of_talk.flat_map(|task| task["inspirations"].as_array().expect("a list"));
    sources
        .map(|id| id.as_str().expect("an id").to_owned())
        .collect()
}

fn decided(project: &Project) -> i64 {
    project.count("SELECT count(*) FROM inspiration WHERE review LIKE '%person%'")
}

#[test]
fn tasks_are_woven_from_what_stands() {
    let (_, project) = project();
    project.ok(&["inspire"]);
    project.ok(&["weave"]);
    assert_eq!(woven_from(&project, "rivers.wav").len(), 4);
    let others = woven_from(&project, "heliu.wav");

    let (result, _) = typed(&project, RIVERS, "1 4 a a");
    insta::assert_snapshot!(result, @"
    ana: 2 accepted, 2 rejected (no_content 1, wrong_type 1), 0 left
    agreement with fake/m: 50 % of 4, Cohen's kappa 0.00
    2 changed between accepted and rejected
    hint: `taskgen weave` makes the tasks again
    ");
    let standing = ids(&project, "rivers.wav", true);
    assert_eq!(standing.len(), 2);
    project.ok(&["weave"]);
    assert_eq!(woven_from(&project, "rivers.wav"), standing);
    assert_eq!(woven_from(&project, "heliu.wav"), others);
    let rejected = json(&project, &["inspirations", "list", "--rejected"]);
    let faults: BTreeSet<_> = rejected
        .iter()
        .map(|of| of["reviews"][1]["fault"].as_str().expect("a word"))
        .collect();
    assert_eq!(faults, BTreeSet::from(["no_content", "wrong_type"]));
    insta::assert_snapshot!(project.told(&["inspirations", "list"]), @"
    $ taskgen inspirations list
    exit 0
    --- out
    ───
     id, type, traits           inspiration                     seminar, time, quote           reviews
    ───
     i_[id]         冬天的洪水会破坏砾石河流里的    heliu.wav 0:04                 model fake/m: accepted
     Limitation                 传感器。                        “目前最大的困难是，没有一种
     explorability, challenge                                   传感器能够在冬天的洪水里保存
                                                                下来。”
    ───
     i_[id]         埋在河床砾石下面的光纤电缆可    heliu.wav 0:08                 model fake/m: accepted
     Methodology                以测量振动。                    “所以我们换了一个思路，把光
     novelty, explorability                                     纤电缆埋在河床的砾石下面来测
                                                                量振动。”
    ───
     i_[id]         鼓的分析方法可以用来分析砾石    heliu.wav 0:12                 model fake/m: accepted
     Transdisciplinary          的移动。                        “我是做音乐的，砾石的移动听
     novelty, explorability                                     起来很像一面松了的鼓，也许可
                                                                以借鉴鼓的分析方法。”
    ───
     i_[id]         砾石移动之前声音的音高会下降    heliu.wav 0:16                 model fake/m: accepted
     Hypothesis                 。                              “我的假设是，砾石开始移动之
     explorability,                                             前，声音的音高会下降三分之一
     verifiability                                              。”
    ───
     i_[id]         A gravel river destroys every   rivers.wav 0:04                model fake/m: accepted
     Limitation                 sensor in a winter flood.       “The open problem is that      person ana: rejected, no
     explorability, challenge                                   nobody has a sensor that       content
                                                                survives a winter flood in a
                                                                gravel river.”
    ───
     i_[id]         A fibre cable under the         rivers.wav 0:08                model fake/m: accepted
     Methodology                gravel bed measures the         “So we tried a different       person ana: accepted
     novelty, explorability     river.                          approach and buried a fibre
                                                                cable under the gravel bed
                                                                of the river.”
    ───
     i_[id]         The analysis of drums could     rivers.wav 0:12                model fake/m: accepted
     Transdisciplinary          be applied to moving gravel.    “I come from music, and a      person ana: accepted
     novelty, explorability                                     moving bed of gravel sounds
                                                                very much like a drum with a
                                                                loose skin.”
    ───
     i_[id]         The pitch of gravel falls       rivers.wav 0:16                model fake/m: accepted
     Hypothesis                 before the river bed moves.     “My hypothesis is that the     person ana: rejected, wrong
     explorability,                                             pitch of the gravel falls by   type
     verifiability                                              a third before the river bed
                                                                begins to move.”
    ───
    --- err
    8 inspirations, 2 of them rejected
    next: `taskgen inspirations review` to judge them, `taskgen weave` for tasks
    ");
}

#[test]
fn a_talk_that_is_rejected_as_a_whole_has_no_tasks() {
    let (_, project) = project();
    project.ok(&["inspire"]);
    project.ok(&["weave"]);
    // What joins two talks falls with either, before anything is woven.
    project.sql(
        "UPDATE task SET payload = json_set(payload, '$.kind', 'across') WHERE id = (SELECT min(id) FROM task
         WHERE seminar = (SELECT seminar FROM seminar_path WHERE path = 'rivers.wav'))",
    );
    let before = json(&project, &["tasks", "list"]).len();
    typed(&project, RIVERS, "1 1 1 1");
    assert_eq!(json(&project, &["tasks", "list"]).len(), before - 1);
    insta::assert_snapshot!(project.told(&["weave"]), @"
    $ taskgen weave
    exit 1
    --- err
    seed 1 (change it with --seed)
    rivers.wav: all 4 inspirations are rejected
    hint: `taskgen inspirations list` says by whom, `taskgen inspirations review --again` decides anew
    ───
     from               asked   readable   found   sound   kept   refused by rule       tokens   time
    ───
     weave: heliu.wav   8       8          8       6       6      key_terms_missing 2   880      [time]
    ───
    ───
     stage   done   skipped   failed           refused by rule       time
    ───
     weave   0      1         all_rejected 1   key_terms_missing 2   [time]
    ───
    0 model calls, 8 more from the record; 0 prompt tokens (0 cached), 0 reply tokens
    6 tasks, [time] in all
    ");
    assert_eq!(woven_from(&project, "rivers.wav").len(), 0);
    typed(&project, &[RIVERS, &["--again"]].concat(), "a a a a");
    project.ok(&["weave"]);
    assert_eq!(woven_from(&project, "rivers.wav").len(), 4);
}

#[test]
fn what_a_person_accepts_is_used_though_every_model_rejected_it() {
    let (fake, project) = project();
    fake.set_mood(Mood::Strict);
    let config = project.configuration();
    let inspire = &["inspire", "--seminar", "rivers.wav"];
    insta::assert_snapshot!(project.told(inspire), @"
    $ taskgen inspire --seminar rivers.wav
    exit 1
    --- err
    seed 1 (change it with --seed)
    rivers.wav: nothing in the talk passed the rules, or all was rejected
    hint: see `taskgen inspirations list`
    ───
     from                  asked   readable   found   sound   kept   refused by rule       tokens   time
    ───
     inspire: rivers.wav   5       5          4       4       0      review_incoherent 4   550      [time]
    ───
    ───
     stage     done   skipped   failed             refused by rule       time
    ───
     inspire   1      0         no_inspiration 1   review_incoherent 4   [time]
    ───
    5 model calls, 0 more from the record; 500 prompt tokens (0 cached), 50 reply tokens, and 5 calls of unknown price (`prices.toml` can name it)
    0 tasks, [time] in all
    ");
    typed(&project, RIVERS, "a s a a u 2");
    let standing = ids(&project, "rivers.wav", true);
    assert_eq!((standing.len(), decided(&project)), (2, 3));
    project.ok(inspire);
    // Models that are asked anew do not overrule it either.
    project.configure(&config.replace("review = \"fake/m\"", "review = \"fake/other\""));
    project.ok(inspire);
    assert_eq!(ids(&project, "rivers.wav", true), standing);
    project.ok(&["weave", "--seminar", "rivers.wav"]);
    assert_eq!(woven_from(&project, "rivers.wav"), standing);
}

#[test]
fn a_reviewer_is_blind_and_goes_on_where_it_stopped() {
    let (_, project) = project();
    insta::assert_snapshot!(project.told(RIVERS), @"
    $ taskgen inspirations review --reviewer ana --seminar rivers.wav
    exit 2
    --- err
    error: nothing here yet: `[project]`
    hint: put recordings into `[project]/seminars` and `taskgen run`, or `taskgen tasks import FILE`
    ");
    project.ok(&["inspire"]);
    let all: &[&str] = &["inspirations", "review", "--reviewer", "ana"];
    let (result, said) = typed(&project, all, "? x u q");
    insta::assert_snapshot!(result, @"ana: 0 accepted, 0 rejected, 8 left");
    for hidden in [".wav", "fake/m", "\u{1b}", "explorability"] {
        assert!(!said.contains(hidden), "{hidden}: {said}");
    }
    assert!(
        said.contains("no such key here: `x`") && said.contains("nothing was decided yet"),
        "{said}"
    );
    let card = |said: &str| said.split("a accept").next().expect("a card").to_owned();
    assert_eq!(
        card(&said),
        card(&typed(&project, all, "q").1),
        "the same seed"
    );
    let seeds = ["1", "2", "3", "4"]
        .map(|seed| card(&typed(&project, &[all, &["--seed", seed]].concat(), "q").1));
    assert!(
        seeds.iter().collect::<BTreeSet<_>>().len() > 1,
        "other seeds"
    );

    let (result, said) = typed(&project, RIVERS, "a 3 u a s");
    insta::assert_snapshot!(result, @"
    ana: 2 accepted, 0 rejected, 2 left
    agreement with fake/m: 100 % of 2, Cohen's kappa –
    ");
    assert!(said.contains("accepted: rivers.wav 0:"), "{said}");
    let (result, said) = typed(&project, RIVERS, "a a u 2");
    assert!(
        said.contains("1 of 2") && said.contains("that was the last one"),
        "{said}"
    );
    insta::assert_snapshot!(result, @"
    ana: 3 accepted, 1 rejected (incoherent 1), 0 left
    agreement with fake/m: 75 % of 4, Cohen's kappa 0.00
    1 changed between accepted and rejected
    hint: `taskgen weave` makes the tasks again
    ");
    let (_, said) = typed(&project, RIVERS, "q");
    insta::assert_snapshot!(said, @"
    ana has judged all of them
    hint: --again shows them once more
    ");
    assert!(
        typed(&project, &[RIVERS, &["--again"]].concat(), "q")
            .1
            .contains("1 of 4")
    );
    let ben: Vec<&str> = RIVERS
        .iter()
        .map(|word| if *word == "ana" { "ben" } else { word })
        .collect();
    assert!(typed(&project, &ben, "q").1.contains("1 of 4"));
    insta::assert_snapshot!(project.told(&["inspirations", "review", "--reviewer", " "]), @"
    $ taskgen inspirations review --reviewer
    exit 2
    --- err
    error: a reviewer needs a name
    hint: --reviewer NAME
    ");
}

#[test]
fn a_quote_stands_between_its_neighbours() {
    let (_, project) = project();
    project.ok(&["inspire"]);
    let (_, said) = typed(&project, &[RIVERS, &["--again"]].concat(), "s s s s");
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for middle in 1..5 {
        let card = format!(
            "{} [{}] {}",
            TALK[middle - 1],
            TALK[middle],
            TALK[middle + 1]
        );
        assert!(said.replace("[31m", "").contains(&card), "{card}: {said}");
    }
}

#[test]
fn what_was_decided_before_a_kill_is_kept() {
    let (_, project) = project();
    project.ok(&["inspire"]);
    let mut child = start(&project, RIVERS, Stdio::piped());
    let mut said = BufReader::new(child.stderr.take().expect("a pipe"));
    child
        .stdin
        .as_mut()
        .expect("a pipe")
        .write_all(b"a\n2\n")
        .expect("it reads");
    read_until(&mut said, "3 of 4");
    child.kill().expect("SIGKILL");
    child.wait().expect("a child");
    assert_eq!(decided(&project), 2);
    insta::assert_snapshot!(typed(&project, RIVERS, "a a").0, @"
    ana: 3 accepted, 1 rejected (incoherent 1), 0 left
    agreement with fake/m: 75 % of 4, Cohen's kappa 0.00
    ");
}

#[test]
fn a_terminal_gives_each_key_at_once_and_is_given_back() {
    let (_, project) = project();
    project.ok(&["inspire"]);
    let (mut keyboard, terminal) = terminal();
    let modes = || {
        tcgetattr(&terminal).expect("modes").local_modes & (LocalModes::ICANON | LocalModes::ECHO)
    };
    let before = modes();
    let begin = || {
        let stdin = Stdio::from(terminal.as_fd().try_clone_to_owned().expect("a terminal"));
        let mut child = start(&project, RIVERS, stdin);
        let said = BufReader::new(child.stderr.take().expect("a pipe"));
        (child, said)
    };

    let (mut child, mut said) = begin();
    read_until(&mut said, "q quit");
    // Up is ESC [ A; two keys in one go are none.
    for (keys, answer) in [
        ("\x1b[A", "no such key here: `[A`"),
        ("aa", "no such key here: `aa`"),
        ("a", "2 of 4"),
    ] {
        keyboard
            .write_all(keys.as_bytes())
            .expect("the terminal takes keys");
        read_until(&mut said, answer);
    }
    read_until(&mut said, "q quit");
    assert_eq!(decided(&project), 1);
    keyboard.write_all(b"q").expect("the terminal takes keys");
    assert!(child.wait().expect("a child").success());
    assert_eq!(modes(), before);

    let (mut child, mut said) = begin();
    read_until(&mut said, "q quit");
    kill_process(Pid::from_child(&child), Signal::TERM).expect("SIGTERM");
    assert_eq!(child.wait().expect("a child").code(), Some(75));
    let mut rest = String::new();
    said.read_to_string(&mut rest).expect("UTF-8");
    assert!(
        rest.contains("everything that was finished is saved"),
        "{rest}"
    );
    assert_eq!((modes(), decided(&project)), (before, 1));
}

/// Both ends of a new terminal: the keyboard and what a program sees.
fn terminal() -> (std::fs::File, OwnedFd) {
    let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&keyboard).expect("ours");
    unlockpt(&keyboard).expect("ready");
    let name = ptsname(&keyboard, Vec::new()).expect("a name");
    let terminal =
        rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("a terminal");
    (keyboard.into(), terminal)
}

fn read_until(said: &mut impl std::io::BufRead, end: &str) {
    let mut line = String::new();
    while !line.contains(end) {
        line.clear();
        assert!(
            said.read_line(&mut line).expect("UTF-8") > 0,
            "it ended before `{end}`"
        );
    }
}
