//! Tasks and the inspirations that they rest on.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{
    Rejection, Store, Tx, from_word,
    inspirations::{save_rejections, stands},
    runs::add_event,
    to_word,
};
use crate::data::{
    CallId, InspirationId, SeminarId, Task, TaskId, id::sha256_hex, primary_language,
};

impl Store {
    /// Keeps a named set of tasks, which is the newest then, and returns its version: a new one,
    /// unless its newest has the same members.
    pub fn save_task_set(&self, name: &str, tasks: &[TaskId]) -> Result<u32> {
        let run = self.run;
        let mut members: Vec<&str> = tasks.iter().map(TaskId::as_str).collect();
        members.sort_unstable();
        let hash = sha256_hex(members.join("\n").as_bytes());
        self.write(|tx| {
            let newest: Option<(u32, String)> = tx
                .query_row(
                    "SELECT version, id FROM task_set WHERE name = ?1 ORDER BY version DESC LIMIT 1",
                    [name],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            let version = newest.as_ref().map_or(1, |(version, _)| version + 1);
            let id = |version: u32| format!("s_{name}_{version}_{}", &hash[..16]);
            if let Some((version, newest)) = newest
                && newest == id(version)
            {
                tx.execute("UPDATE task_set SET run = ?2 WHERE id = ?1", params![newest, run])?;
                return Ok(version);
            }
            tx.execute(
                "INSERT INTO task_set (id, name, version, run) VALUES (?1, ?2, ?3, ?4)",
                params![id(version), name, version, run],
            )?;
            for task in &members {
                tx.execute("INSERT INTO task_set_member (task_set, task) VALUES (?1, ?2)", [&id(version), *task])?;
            }
            Ok(version)
        })
    }

    /// The members of a set's newest version; of the newest set of all, if no name is given. None
    /// where there is none.
    pub fn task_set(&self, name: Option<&str>) -> Result<Option<BTreeSet<TaskId>>> {
        let connection = self.connection();
        let newest: Option<String> = connection
            .query_row(
                "SELECT id FROM task_set WHERE ?1 IS NULL OR name = ?1 ORDER BY run DESC, version DESC LIMIT 1",
                [name],
                |row| row.get(0),
            )
            .optional()?;
        let Some(id) = newest else { return Ok(None) };
        let mut statement =
            connection.prepare_cached("SELECT task FROM task_set_member WHERE task_set = ?1")?;
        let rows = statement.query_map([id], |row| Ok(TaskId::from_stored(row.get(0)?)))?;
        Ok(Some(rows.collect::<rusqlite::Result<_>>()?))
    }

    /// Makes `woven` the current tasks of its kind. Earlier ones that are not among them stay,
    /// superseded. What was refused is kept with the seminar that it came from.
    pub fn save_tasks(
        &self,
        kind: Weaving<'_>,
        woven: &[(Task, CallId)],
        rejected: &BTreeMap<SeminarId, Vec<Rejection>>,
    ) -> Result<()> {
        let (run, stream) = (self.run, self.stream());
        self.write(|tx| {
            let before = kind.current(tx)?;
            let mut supersede =
                tx.prepare_cached("UPDATE task SET superseded = 1 WHERE id = ?1")?;
            for id in &before {
                supersede.execute([id])?;
            }
            for (task, call) in woven {
                upsert(tx, kind, task, call, run)?;
                if !before.contains(task.id.as_str()) {
                    add_event(tx, &stream, "task", task.id.as_str())?;
                }
            }
            if !matches!(kind, Weaving::Seminar(_)) {
                tx.execute("DELETE FROM rejection WHERE stage = ?1", [kind.stage()])?;
            }
            for (seminar, rejected) in rejected {
                save_rejections(tx, kind.stage(), seminar, rejected, run)?;
            }
            Ok(())
        })
    }

    /// How many current tasks of a kind there are.
    pub fn count_tasks(&self, kind: Weaving<'_>) -> Result<usize> {
        Ok(kind.current(&self.connection())?.len())
    }

    /// The current tasks by id, without translations. What was woven across seminars falls with any
    /// of its inspirations; that of one seminar is woven anew with it.
    pub fn tasks(&self) -> Result<Vec<Task>> {
        let mut tasks = self.tasks_of_one()?;
        let across = self.read_tasks("json_extract(payload, '$.kind') = 'across'")?;
        let connection = self.connection();
        for task in across {
            let fallen = task
                .inspirations
                .iter()
                .map(|id| stands(&connection, id).map(|stands| !stands));
            if !fallen
                .collect::<rusqlite::Result<Vec<bool>>>()?
                .contains(&true)
            {
                tasks.push(task);
            }
        }
        tasks.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(tasks)
    }

    /// The current tasks that were woven from one seminar each, by id.
    pub fn tasks_of_one(&self) -> Result<Vec<Task>> {
        self.read_tasks("json_extract(payload, '$.kind') IS NULL")
    }

    /// The current translations of current tasks, by id.
    pub fn translations(&self) -> Result<Vec<Task>> {
        let originals: BTreeSet<TaskId> = self.tasks()?.into_iter().map(|task| task.id).collect();
        let mut translations =
            self.read_tasks("json_extract(payload, '$.kind') = 'translation'")?;
        translations.retain(|task| {
            task.translation_of
                .as_ref()
                .is_some_and(|id| originals.contains(id))
        });
        Ok(translations)
    }

    fn read_tasks(&self, condition: &str) -> Result<Vec<Task>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(&format!(
            "SELECT id, seminar, phase, type, difficulty, language, coalesce(discipline, 'other'), text,
                    json_extract(payload, '$.translation_of') FROM task
             WHERE superseded = 0 AND origin = 'seminar' AND {condition}
             AND EXISTS (SELECT 1 FROM seminar_path p WHERE p.seminar = task.seminar) ORDER BY id"
        ))?;
        let rows = statement.query_map([], read_task)?;
        let mut tasks: Vec<Task> = rows.collect::<rusqlite::Result<_>>()?;
        let mut sources = connection
            .prepare_cached("SELECT inspiration FROM task_source WHERE task = ?1 ORDER BY seq")?;
        for task in &mut tasks {
            let rows = sources.query_map([task.id.as_str()], |row| {
                Ok(InspirationId::from_stored(row.get::<_, String>(0)?))
            })?;
            task.inspirations = rows.collect::<rusqlite::Result<_>>()?;
        }
        Ok(tasks)
    }
}

/// Which tasks are woven together, and so replace each other.
#[derive(Clone, Copy, Debug)]
pub enum Weaving<'a> {
    /// Those of one seminar.
    Seminar(&'a SeminarId),
    /// Those that join several seminars.
    Across,
    /// Those that say another task in one of these languages.
    Translation(&'a [String]),
}

impl Weaving<'_> {
    /// The stage under which refusals are kept.
    pub fn stage(self) -> &'static str {
        match self {
            Self::Seminar(_) => "weave",
            Self::Across => "weave across",
            Self::Translation(_) => "translate",
        }
    }

    /// The word in a task's payload; none for those of one seminar.
    fn word(self) -> Option<&'static str> {
        match self {
            Self::Seminar(_) => None,
            Self::Across => Some("across"),
            Self::Translation(_) => Some("translation"),
        }
    }

    /// Ids of the current tasks of this kind.
    fn current(self, connection: &Connection) -> rusqlite::Result<BTreeSet<String>> {
        let seminar = if let Self::Seminar(id) = self {
            Some(id.as_str())
        } else {
            None
        };
        let mut statement = connection.prepare_cached(
            "SELECT id, language FROM task WHERE superseded = 0 AND (?1 IS NULL OR seminar = ?1)
             AND json_extract(payload, '$.kind') IS ?2",
        )?;
        let rows = statement.query_map(params![seminar, self.word()], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        let replaced = |language: &String| match self {
            Self::Translation(languages) => languages
                .iter()
                .any(|other| primary_language(other) == primary_language(language)),
            _ => true,
        };
        let found: Vec<(String, String)> = rows.collect::<rusqlite::Result<_>>()?;
        Ok(found
            .into_iter()
            .filter(|(_, language)| replaced(language))
            .map(|(id, _)| id)
            .collect())
    }
}

fn upsert(
    tx: &Tx<'_>,
    kind: Weaving<'_>,
    task: &Task,
    call: &CallId,
    run: i64,
) -> rusqlite::Result<()> {
    let mut payload = serde_json::Map::new();
    if let Some(word) = kind.word() {
        payload.insert("kind".to_owned(), word.into());
    }
    if let Some(original) = &task.translation_of {
        payload.insert("translation_of".to_owned(), original.as_str().into());
    }
    tx.execute(
        "INSERT INTO task (id, seminar, phase, type, difficulty, discipline, language, text, call, run, payload)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
         ON CONFLICT (id) DO UPDATE SET superseded = 0, difficulty = ?5, discipline = ?6, language = ?7, call = ?9,
            payload = ?11",
        params![
            task.id.as_str(),
            task.seminar.as_str(),
            to_word(&task.phase),
            to_word(&task.task_type),
            to_word(&task.difficulty),
            task.discipline,
            task.language,
            task.task,
            call.as_str(),
            run,
            serde_json::Value::from(payload).to_string()
        ],
    )?;
    tx.execute(
        "DELETE FROM task_source WHERE task = ?1",
        [task.id.as_str()],
    )?;
    for (seq, inspiration) in task.inspirations.iter().enumerate() {
        tx.execute(
            "INSERT INTO task_source (task, seq, inspiration) VALUES (?1, ?2, ?3)",
            params![task.id.as_str(), seq as i64, inspiration.as_str()],
        )?;
    }
    Ok(())
}

fn read_task(row: &Row<'_>) -> rusqlite::Result<Task> {
    Ok(Task {
        id: TaskId::from_stored(row.get(0)?),
        seminar: SeminarId::from_stored(row.get(1)?),
        phase: from_word(2, &row.get::<_, String>(2)?)?,
        task_type: from_word(3, &row.get::<_, String>(3)?)?,
        difficulty: from_word(4, &row.get::<_, String>(4)?)?,
        language: row.get(5)?,
        discipline: row.get(6)?,
        task: row.get(7)?,
        inspirations: Vec::new(),
        translation_of: row.get::<_, Option<String>>(8)?.map(TaskId::from_stored),
    })
}
