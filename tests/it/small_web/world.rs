//! The small web with a project whose only tasks are about it, its agents, and the model that
//! judges them.

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};

use super::{
    SmallWeb, agents,
    expected::{Expected, expected},
    facts::{TASKS, Task},
};
use crate::support::{ModelServer, Project};

/// Scores every report; the small web is on loopback.
pub const EVALUATE: [&str; 2] = ["evaluate", "--allow-private-network"];

/// The questions as a file of a benchmark; their ids by their keys.
fn import(project: &Project) -> BTreeMap<&'static str, String> {
    let row = |task: &Task| json!({ "id": task.key, "language": task.language, "topic": task.key, "task_type": "literature_survey", "prompt": task.text });
    let rows: Vec<String> = TASKS.iter().map(|task| row(task).to_string()).collect();
    let file = project.path("small-web.jsonl");
    std::fs::write(&file, rows.join("\n")).expect("writable");
    project.ok(&["tasks", "import", file.to_str().expect("a path")]);
    let listed = project.json(&["tasks", "list"]);
    let id_of = |task: &Task| {
        let rows = listed.as_array().expect("a list");
        let row = rows.iter().find(|row| row["file_id"] == task.key);
        row.and_then(|row| row["id"].as_str())
            .expect("it is listed")
            .to_owned()
    };
    TASKS.iter().map(|task| (task.key, id_of(task))).collect()
}

/// A small web, a project whose only tasks are about it, and the model behind a server.
pub struct World {
    pub web: SmallWeb,
    pub fake: ModelServer,
    pub project: Project,
    /// The ids of the tasks by their keys.
    pub tasks: BTreeMap<&'static str, String>,
}

impl World {
    pub fn new() -> Self {
        Self::with_delay(Duration::ZERO)
    }

    pub fn with_delay(delay: Duration) -> Self {
        let web = SmallWeb::start();
        let fake = ModelServer::openai().delay(delay).pipeline();
        let project = Project::new(&fake.url);
        let tasks = import(&project);
        let mut config = "[web]\npause_ms = 0\nper_host = 8\n".to_owned();
        // In a folder of their own: in the project's their sandboxes would not open it.
        let folder = project.path("agents");
        agents::prepare(&folder, &web.url);
        for agent in agents::AGENTS {
            let command = agents::command(agent, &folder);
            config.push_str(&format!("[agents.{agent}]\ncommand = {}\n", json!(command)));
        }
        let project = project.config(&config);
        fake.take();
        Self {
            web,
            fake,
            project,
            tasks,
        }
    }

    /// One whose agents have answered and whose reports are scored.
    pub fn evaluated() -> Self {
        let world = Self::new();
        world.answer();
        world.project.ok(&EVALUATE);
        world
    }

    /// Agent, task's id and planted ACE of every report.
    pub fn planted(&self) -> Vec<(String, String, f64)> {
        let of = |agent: &str, key: &str| {
            (
                agent.to_owned(),
                self.tasks[key].clone(),
                expected(agent, key).ace,
            )
        };
        agents::AGENTS
            .iter()
            .flat_map(|agent| TASKS.iter().map(move |task| (*agent, task.key)))
            .map(|(a, t)| of(a, t))
            .collect()
    }

    pub fn answer(&self) {
        for agent in agents::AGENTS {
            self.project.ok(&["answer", "--agent", agent]);
        }
    }

    /// What was found for each report, by agent and task.
    pub fn found(&self) -> BTreeMap<(String, &'static str), Expected> {
        let listed = self.project.json(&["reports", "list"]);
        let rows = listed.as_array().expect("a list").iter().map(|row| {
            let key = self
                .tasks
                .iter()
                .find(|(_, id)| row["task"] == **id)
                .map(|(key, _)| *key)
                .expect("a task");
            let scores = &row["scores"]["measures"];
            let counts = |set: &str| {
                let part = |share: &str| {
                    let score = &scores[format!("{share}_{set}")];
                    assert_eq!(score["unscored"], 0);
                    Some(score["numerator"].as_f64()? as usize)
                };
                Some((part("ksr")?, part("kcr")?, part("kor")?))
            };
            let failures = row["scores"]["url_failures"].as_object().expect("by cause");
            let found = Expected {
                own: counts("own"),
                independent: counts("independent"),
                ace: scores["ace"]["value"].as_f64().expect("a score"),
                references: scores["references"]["value"].as_f64().expect("a number") as usize,
                unreadable: failures.values().filter_map(Value::as_u64).sum::<u64>() as usize,
            };
            (
                (row["agent"].as_str().expect("a name").to_owned(), key),
                found,
            )
        });
        rows.collect()
    }

    pub fn check(&self, changed: &[(&str, &str, Expected)]) {
        let found = self.found();
        assert_eq!(found.len(), 12);
        for ((agent, task), found) in found {
            let planted = changed
                .iter()
                .find(|(a, t, _)| *a == agent && *t == task)
                .map(|(.., expected)| *expected);
            let planted = planted.unwrap_or_else(|| expected(&agent, task));
            let ace = (found.ace - planted.ace).abs() < 1e-9;
            assert!(
                ace && Expected {
                    ace: planted.ace,
                    ..found
                } == planted,
                "{agent}, {task}: {found:?}, not {planted:?}"
            );
        }
    }
}
