//! An agent that is a program: the question as JSON on its standard input, the report as Markdown
//! on its standard output, its diagnostics on standard error. Hides the process, its descendants
//! and every way in which they may hang.
//!
//! The program gets a folder, a process group and an environment of its own. Exit code 0 with text
//! is a report, 0 without text is empty, 77 is a refusal, everything else is an error. Its last
//! line on standard error may give its cost: `taskgen-usage: {"input_tokens": 812, "output_tokens":
//! 2040, "cost_usd": 0.03}`, each field optional. Nothing that it writes is ever executed.
//!
//! On descriptor 3 (Unix) it may tell what it does, a JSON object a line, written at once or as it
//! goes: `{"type": "search", "query": "…"}`, `{"type": "visit", "url": "…", "title": "…"}`,
//! `{"type": "note", "text": "…"}`, `{"type": "usage", "input_tokens": 812, "output_tokens": 204}`,
//! each with `seconds` and `failed` where they are known. A line of over 16 kB, or that is none of
//! these, is counted; 1000 steps and 1 MB are kept, and the rest is counted, too.
//!
//! Two variables are set only where there is something to say. `TASKGEN_CONVERSATION` names a file,
//! `conversation.json` in the program's folder, with the earlier questions and its own answers:
//! `[{"question": "…", "answer": "…"}, …]`, oldest first. `TASKGEN_MAX_WORDS` is the most words of
//! the answer.
//!
//! `TASKGEN_AGENT_FOLDER` always names the program's folder (Linux): by it, processes that outlived
//! a killed supervisor are found.

#[cfg(target_os = "linux")]
mod descendants;
#[cfg(unix)]
mod descriptor;
mod group;
#[cfg(target_os = "linux")]
mod killing;
#[cfg(target_os = "linux")]
mod leftovers;
mod result;
mod run;
mod sandbox;
mod shell_words;
mod stderr;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(all(test, unix))]
mod tests;
mod trace;

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Result;
use async_trait::async_trait;
use serde_json::{Map, Value};

use super::{Agent, Attempt, Query};
use crate::{data::State, files};
use result::{Fault, RunResult};
use run::run;
pub use sandbox::{Sandbox, is_supported as has_sandbox};
pub use shell_words::split;
pub use stderr::names_a_secret;
#[cfg(target_os = "linux")]
pub use supervisor::{hide_memory, supervise};

/// Parts of the path of an attempt's folder that the program names: `agents`, the agent, the task
/// and the attempt.
const PARTS_OF_OWN: usize = 4;
/// Names the file with the conversation before the question.
const CONVERSATION: &str = "TASKGEN_CONVERSATION";
/// The file's name in the program's folder.
const CONVERSATION_FILE: &str = "conversation.json";
/// The most words of the answer.
const MAX_WORDS: &str = "TASKGEN_MAX_WORDS";

/// A program that answers questions.
#[derive(Clone, Debug)]
pub struct CommandAgent {
    /// Program and arguments, handed on as they are: no shell reads them. The program is looked up
    /// in `PATH`; a path must be absolute, because the program runs in a folder of its own.
    pub argv: Vec<String>,
    /// `PATH`, `LANG` and the variables that the user named, with their values. The program gets no
    /// others, except for `HOME` and `TMPDIR`, which are in its own folder unless they are named, a
    /// plain `LANG`, and what it is told about the question.
    pub environment: BTreeMap<String, OsString>,
    /// Wall time that it may take.
    pub time_limit: Duration,
    /// The process between us and the agent, which ends all that the agent started, whatever
    /// becomes of us. Without it only the agent's process group is ended.
    pub supervisor: Option<Supervisor>,
    /// Values that are taken out of all that the program says, beside those of its own variables
    /// with the names of secrets: it may have found them elsewhere.
    pub secrets: Vec<String>,
}

/// The process between us and an agent.
#[derive(Clone, Debug)]
pub struct Supervisor {
    /// This program, which has a command `supervise`.
    pub program: PathBuf,
    /// What the agent may read and write; everything that its user may, without it.
    pub sandbox: Option<Sandbox>,
}

#[async_trait]
impl Agent for CommandAgent {
    async fn answer(&self, query: &Query<'_>) -> Result<Option<Attempt>> {
        let result = run(self, query).await;
        let supervisor = self.supervisor.as_ref();
        let is_sandboxed = supervisor.is_some_and(|supervisor| supervisor.sandbox.is_some());
        Ok(Some(
            attempt_of(result, is_sandboxed).within(query.max_words),
        ))
    }
}

fn attempt_of(result: RunResult, is_sandboxed: bool) -> Attempt {
    let message = if result.state == State::Ok {
        String::new()
    } else {
        explain(&result, is_sandboxed)
    };
    Attempt {
        cost: result.cost,
        trajectory: result.trajectory,
        cause: result
            .fault
            .map_or(result.state.word(), |fault| fault.word()),
        message,
        // Nothing was asked of the agent, so that this is no answer of its own.
        is_transient: result.fault == Some(Fault::NotSupervised),
        ..Attempt::new(result.state, result.text)
    }
}

/// What programs say, in lower case, where the system refuses them something. Python looks for its
/// modules in folders that it can read, and says only that there are none.
const REFUSALS: [&str; 5] = [
    "permission denied",
    "operation not permitted",
    "eacces",
    "eperm",
    "no module named",
];

/// Why there is no report, with the last line of standard error.
fn explain(result: &RunResult, is_sandboxed: bool) -> String {
    let mut message = result
        .message
        .clone()
        .unwrap_or_else(|| format!("no report: {}", result.state.word()));
    if let Some(last) = result.stderr.trim().lines().next_back() {
        message += &format!("\nits last words: {last}");
    }
    let said = format!("{message}\n{}", result.stderr).to_lowercase();
    if is_sandboxed && REFUSALS.iter().any(|refusal| said.contains(refusal)) {
        message += "\nhint: if the sandbox kept it from a file: `readable = [\"PATH\"]` or `writable = [\"PATH\"]` in its section of `taskgen.toml` (--readable, --writable) opens it; then --retry-failed";
    }
    message
}

/// The question as the program reads it. A limit and a history are told apart from it, so that a
/// program that knows neither reads the same JSON as ever.
fn question_json(query: &Query<'_>) -> String {
    let mut question = Map::new();
    question.insert("id".into(), query.id.into());
    question.insert("task".into(), query.text.into());
    question.insert("language".into(), query.language.into());
    question.extend(query.facets.clone());
    Value::Object(question).to_string()
}

/// The variables of the program. Makes the folders that they name and writes the conversation.
fn environment(
    agent: &CommandAgent,
    query: &Query<'_>,
) -> Result<BTreeMap<String, OsString>, io::Error> {
    let home: PathBuf = std::path::absolute(query.folder)?;
    let temporary = home.join("tmp");
    make_own_folders(&home, &temporary)?;
    let own = [
        ("HOME", home.as_os_str()),
        ("TMPDIR", temporary.as_os_str()),
        ("LANG", OsStr::new("C.UTF-8")),
    ];
    let mut all: BTreeMap<String, OsString> = own
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    all.extend(agent.environment.clone());
    // These come last: a user's variable of the same name would tell about another question.
    if !query.history.is_empty() {
        let file = write_conversation(&home, query)?;
        all.insert(CONVERSATION.into(), file.into());
    }
    if let Some(max_words) = query.max_words {
        all.insert(MAX_WORDS.into(), max_words.to_string().into());
    }
    Ok(all)
}

/// Makes the folder of an attempt and the temporary one in it. No part of it that the program names
/// may be a link: what a project from elsewhere links to would be open to the agent.
fn make_own_folders(home: &Path, temporary: &Path) -> io::Result<()> {
    let mut parts: Vec<&Path> = home.ancestors().take(PARTS_OF_OWN).collect();
    parts.reverse();
    parts.push(temporary);
    parts.into_iter().try_for_each(files::create_own_folder)
}

fn write_conversation(folder: &Path, query: &Query<'_>) -> io::Result<PathBuf> {
    let file = folder.join(CONVERSATION_FILE);
    // An earlier attempt may have left a link here, to a file that only we may write.
    files::write_new(&file, &serde_json::to_vec_pretty(query.history)?)?;
    Ok(file)
}
