//! A project that an older version wrote: today's program opens it, migrates it, asks no model for
//! what is on record, and says the same of it, field by field, but for what the tables here name.
//! Hides how each output is read.

mod changes;
mod rules;

use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::{Map, Value};

use self::{
    changes::{RULES, SPELLINGS},
    rules::{Rule, differences, read},
};
use crate::support::Project;

/// A command, as one typed it before, and the stored output that it must give.
struct Step {
    args: &'static [&'static str],
    code: i32,
    told: Told,
}

/// Where a command's output is.
#[derive(Clone, Copy)]
enum Told {
    /// Nothing is compared.
    Nothing,
    /// On standard output, stored under this name.
    Printed(&'static str),
    /// In these files of the project, each stored under its own name.
    Written(&'static [&'static str]),
}

const fn prints(args: &'static [&'static str], stored: &'static str) -> Step {
    let told = Told::Printed(stored);
    Step {
        args,
        code: 0,
        told,
    }
}

/// A command that writes comes first: it migrates, and one that only reads does not.
const MIGRATES: Step = prints(
    &["audit", "agreement", "scores.csv", "--json"],
    "audit-agreement-again.json",
);

const STEPS: &[Step] = &[
    MIGRATES,
    prints(&["tasks", "list", "--json"], "tasks-list.json"),
    prints(
        &["tasks", "show", "t_joyonlq2xu5fyvod", "--json"],
        "tasks-show-en.json",
    ),
    prints(
        &["tasks", "show", "t_a2jnsyiwxmgsm7ip", "--json"],
        "tasks-show-zh.json",
    ),
    prints(&["rank", "report", "--json"], "rank-report.json"),
    prints(&["leaderboard", "--json"], "leaderboard.json"),
    prints(
        &["leaderboard", "--by", "language", "--json"],
        "leaderboard-by-language.json",
    ),
    Step {
        args: &["leaderboard", "--csv", "leaderboard.csv"],
        code: 0,
        told: Told::Written(&["leaderboard.csv"]),
    },
    prints(
        &["leaderboard", "--table", "paper"],
        "leaderboard-paper.txt",
    ),
    prints(&["reports", "list", "--json"], "reports-list.json"),
    prints(&["audit", "agreement", "--json"], "audit-agreement.json"),
    Step {
        args: &["tasks", "export"],
        code: 0,
        told: Told::Written(&["tasks/tasks.jsonl", "tasks/tasks.meta.json"]),
    },
    prints(&["calls", "--json"], "calls.json"),
    prints(&["status", "--json"], "status.json"),
    prints(
        &["inspirations", "list", "--json"],
        "inspirations-list.json",
    ),
    prints(&["config", "show", "--json"], "config-show.json"),
    // Nobody answers at the address of the model: only what is on record can be had. The exit code
    // says that some judgements on record have no value.
    Step {
        args: &[
            "rescore",
            "--near",
            "1",
            "--max-unscored",
            "0.5",
            "--replay",
            "--json",
        ],
        code: 1,
        told: Told::Printed("rescore.json"),
    },
    prints(&["leaderboard", "--json"], "leaderboard-rescored.json"),
    Step {
        args: &["evaluate", "--replay", "--max-unscored", "0.5"],
        code: 1,
        told: Told::Nothing,
    },
    prints(&["leaderboard", "--json"], "leaderboard.json"),
];

/// With the newer ranking gone, the one before it counts.
const STEPS_BY_ELO: &[Step] = &[
    MIGRATES,
    prints(&["rank", "report", "--json"], "rank-report-elo.json"),
    prints(&["tasks", "list", "--json"], "tasks-list-elo.json"),
];

#[test]
fn a_project_of_an_older_version_gives_the_same() {
    let mut comparison = Comparison::default();
    comparison.run(&project(), STEPS);
    let by_elo = project();
    by_elo.sql("DELETE FROM ranking WHERE method = 'halving'");
    comparison.run(&by_elo, STEPS_BY_ELO);
    let idle = (RULES.iter().zip(&comparison.used)).filter(|(_, used)| !**used);
    for (rule, _) in idle {
        let (of, change) = (rule.of, &rule.change);
        comparison
            .wrong
            .push(format!("of {of}, a rule changes nothing: {change:?}"));
    }
    let wrong = &comparison.wrong;
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn what_is_called_otherwise_is_in_the_changelog() {
    let changelog = Path::new(env!("CARGO_MANIFEST_DIR")).join("CHANGELOG.md");
    let changelog = std::fs::read_to_string(changelog).expect("a changelog");
    // Lines are broken anywhere.
    let changelog = changelog.split_whitespace().collect::<Vec<_>>().join(" ");
    let typed = SPELLINGS
        .iter()
        .map(|(before, today)| format!("- `{before}` is `{today}`"));
    let missing: Vec<String> = typed
        .chain(RULES.iter().filter_map(Rule::line))
        .filter(|line| !changelog.contains(line.as_str()))
        .collect();
    assert!(
        missing.is_empty(),
        "not in CHANGELOG.md:\n{}",
        missing.join("\n")
    );
}

/// What is wrong so far, and which rules there was a use for.
struct Comparison {
    wrong: Vec<String>,
    used: Vec<bool>,
}

impl Default for Comparison {
    fn default() -> Self {
        Self {
            wrong: Vec::new(),
            used: vec![false; RULES.len()],
        }
    }
}

impl Comparison {
    fn run(&mut self, project: &Project, steps: &[Step]) {
        for step in steps {
            let args: Vec<&str> = step.args.iter().map(|arg| spelled(arg)).collect();
            let output = project.output(&args);
            if output.status.code() != Some(step.code) {
                let said = String::from_utf8_lossy(&output.stderr);
                let code = output.status;
                self.wrong.push(format!("{args:?}: {code}: {said}"));
                continue;
            }
            match step.told {
                Told::Nothing => {}
                Told::Printed(stored) => {
                    let printed = String::from_utf8(output.stdout).expect("UTF-8");
                    self.compare(project, stored, &printed);
                }
                Told::Written(files) => {
                    for file in files {
                        let written = std::fs::read_to_string(project.path(file));
                        let stored = file.rsplit('/').next().expect("a name");
                        self.compare(project, stored, &written.expect("written"));
                    }
                }
            }
        }
    }

    fn compare(&mut self, project: &Project, stored: &str, today: &str) {
        let before = std::fs::read_to_string(fixture().join("outputs").join(stored));
        let mut before = value(stored, &before.expect("stored"));
        let folder = project.folder.path().to_string_lossy();
        let mut today = value(stored, &today.replace(&*folder, "PROJECT"));
        for (rule, used) in RULES.iter().zip(&mut self.used) {
            if stored.starts_with(rule.of) {
                *used |= rule.apply(&mut before, &mut today);
            }
        }
        let found = differences(&before, &today).into_iter();
        self.wrong
            .extend(found.map(|one| format!("{stored} {one}")));
    }
}

fn spelled(arg: &str) -> &str {
    let other = SPELLINGS.iter().find(|(before, _)| *before == arg);
    other.map_or(arg, |(_, today)| *today)
}

/// A line of the configuration: a heading, or a key with its value.
fn respelled(line: &str) -> String {
    let Some((key, value)) = line.split_once(" = ") else {
        return spelled(line).to_owned();
    };
    format!("{} = {value}", spelled(key))
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/project-d769f59")
}

/// A copy of the stored project, with what is spelled otherwise today in its configuration.
fn project() -> Project {
    // Nothing listens there.
    let project = Project::new("http://127.0.0.1:9");
    let config = std::fs::read_to_string(fixture().join("taskgen.toml")).expect("stored");
    let lines: Vec<String> = config.lines().map(respelled).collect();
    project.configure(&lines.join("\n"));
    let transcripts = std::fs::read_dir(fixture().join("transcripts")).expect("stored");
    for file in transcripts {
        let file = file.expect("a file");
        let copy = project.path("transcripts").join(file.file_name());
        std::fs::copy(file.path(), copy).expect("copied");
    }
    std::fs::copy(fixture().join("scores.csv"), project.path("scores.csv")).expect("copied");
    // Raters are told the discipline today: another prompt asks anew, so that replies on record
    // need theirs.
    let prompt = "prompts/evaluate/rating.md";
    std::fs::create_dir_all(project.path("prompts/evaluate")).expect("created");
    std::fs::copy(fixture().join(prompt), project.path(prompt)).expect("copied");
    let packed = std::fs::File::open(fixture().join("taskgen.db.gz")).expect("stored");
    let mut database = std::fs::File::create(project.path("tasks/taskgen.db")).expect("created");
    std::io::copy(&mut GzDecoder::new(packed), &mut database).expect("unpacked");
    project
}

/// An output as a JSON value, by the ending of its name. What is found by a key is an object, so
/// that another row is one difference and not one in each row behind it.
fn value(name: &str, text: &str) -> Value {
    match name.rsplit('.').next() {
        Some("csv") => return rows(text),
        Some("jsonl") => return text.lines().map(|line| json(name, line)).collect(),
        Some("txt") => return text.lines().map(Value::from).collect(),
        _ => {}
    }
    let mut value = json(name, text);
    match name {
        "audit-agreement.json" | "audit-agreement-again.json" => {
            value["agreement"] = keyed(&value["agreement"], "what");
            value
        }
        "config-show.json" => keyed(&value, "key"),
        "tasks.meta.json" => without(value, "created"),
        _ => value,
    }
}

fn json(name: &str, text: &str) -> Value {
    read(text).unwrap_or_else(|e| panic!("{name} is not JSON: {e}: {text}"))
}

fn keyed(list: &Value, by: &str) -> Value {
    let list = list.as_array().expect("a list").iter();
    let pairs = list.map(|of| {
        let key = of[by].as_str().expect("a key").to_owned();
        (key, without(of.clone(), by))
    });
    Value::Object(pairs.collect())
}

fn without(mut value: Value, key: &str) -> Value {
    value.as_object_mut().expect("an object").remove(key);
    value
}

/// The rows of a table of measures, by facet, name and measure.
fn rows(csv: &str) -> Value {
    let mut lines = csv.lines();
    let columns: Vec<&str> = lines.next().expect("a heading").split(',').collect();
    let mut rows = Value::Object(Map::new());
    for line in lines {
        let cells = columns.iter().zip(line.split(','));
        let row: Map<String, Value> = cells
            .map(|(column, cell)| ((*column).to_owned(), cell.into()))
            .collect();
        let place = ["facet", "name", "measure"]
            .iter()
            .fold(&mut rows, |rows, column| {
                &mut rows[row[*column].as_str().expect("a cell")]
            });
        assert!(place.is_null(), "twice: {line}");
        *place = row.into();
    }
    rows
}
