//! Import layouts for reports of research agents: a file of records or a folder of Markdown,
//! detected by its content. Hides the layouts; an entry that cannot be read is listed with its
//! place, and the rest is taken.

mod folder;
mod matching;
mod records;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read as _,
    path::Path,
};

use anyhow::{Result, bail};
use serde_json::{Map, Value};

use crate::data::{AttemptCost, State};
pub use matching::{Target, match_tasks};

/// How reports lie in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layout {
    /// Records with `task` and `text`: our own.
    Taskgen,
    /// Records with `id` and `article`.
    DeepResearchBench,
    /// Records with `id` and `response`.
    ResearcherBench,
    /// `qid_<id>_report.md`, possibly in a folder for each agent.
    LiveResearchBench,
    /// `answer_<attempt>.md` in a folder for each task, possibly in one for each agent.
    Mind2Web2,
    /// Any Markdown in `md_data`, possibly in a folder for each agent.
    WikiLiveChallenge,
    /// A Markdown file for each task, possibly in a folder for each agent.
    Folder,
}

impl Layout {
    /// The layouts of one file, in the order in which they are looked for.
    pub const RECORDS: [Self; 3] = [
        Self::Taskgen,
        Self::DeepResearchBench,
        Self::ResearcherBench,
    ];
    /// The layouts of a folder; the last one takes any name.
    pub const FOLDERS: [Self; 4] = [
        Self::LiveResearchBench,
        Self::Mind2Web2,
        Self::WikiLiveChallenge,
        Self::Folder,
    ];

    /// What it looks like, for people.
    pub fn shape(self) -> &'static str {
        match self {
            Self::Taskgen => {
                "records {task, agent?, attempt?, text, state?, tokens?, cost_usd?, seconds?}"
            }
            Self::DeepResearchBench => "records {id, prompt, article}",
            Self::ResearcherBench => "records {id, question, response}",
            Self::LiveResearchBench => "[<agent>/]qid_<id>_report.md",
            Self::Mind2Web2 => "[<agent>/]<task>/answer_<attempt>.md",
            Self::WikiLiveChallenge => "[<agent>/]md_data/<name>.md",
            Self::Folder => "[<agent>/]<task>.md",
        }
    }
}

/// A report that comes in.
#[derive(Clone, Debug, PartialEq)]
pub struct Incoming {
    /// File, and line where it holds several reports: for messages.
    pub source: String,
    /// The task's id as the layout writes it.
    pub key: String,
    /// The question's text, where the layout has it.
    pub prompt: Option<String>,
    /// Who answered: as the layout says, or as the caller says where it does not.
    pub agent: Option<String>,
    /// From 1.
    pub attempt: u32,
    /// The report.
    pub text: String,
    /// How the attempt ended. Without a text it is empty unless the layout says more.
    pub state: State,
    /// Tokens, money and time.
    pub spent: AttemptCost,
    /// Fields that the layout does not define, as they were written.
    pub more: Map<String, Value>,
}

impl Incoming {
    /// Whether `reports remove` has written it.
    fn is_removed(&self) -> bool {
        self.more.get(REMOVED) == Some(&Value::Bool(true))
    }
}

/// What could not be taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// File, and line where it holds several reports.
    pub source: String,
    /// What is wrong, with the field.
    pub message: String,
}

/// What was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The layout that was found.
    pub layout: Layout,
    /// The reports, in the order of lines or of file names; one for each key, agent and attempt.
    pub reports: Vec<Incoming>,
    /// What could not be taken.
    pub problems: Vec<Problem>,
    /// Reports that were there again, word for word.
    pub repeated: usize,
    /// Hidden and temporary files that would be reports by their extension.
    pub skipped_hidden: usize,
}

/// Reads the reports of a file or a folder. `agent` is their agent where the layout has none so;
/// where it does, only the reports of that agent are taken.
pub fn read(path: &Path, agent: Option<&str>) -> Result<Read> {
    let mut agents = Agents {
        wanted: agent,
        seen: BTreeSet::new(),
    };
    let found = match fs_err::metadata(path) {
        Ok(is) if is.is_dir() => folder::read(path, &mut agents),
        Ok(_) => records::read(path, &mut agents),
        Err(e) => Err(e.into()),
    };
    match found {
        Ok(read) if read.reports.is_empty() && agents.lack_the_wanted() => bail!(
            "`{}` holds nothing of the agent `{}`\nhint: it holds reports of `{}`",
            path.display(),
            agent.unwrap_or_default(),
            agents.seen.into_iter().collect::<Vec<_>>().join("`, `")
        ),
        Ok(mut read) => {
            take_once(&mut read);
            Ok(read)
        }
        Err(e) => bail!("{e:#}\nhint: {}", hint()),
    }
}

fn hint() -> String {
    let (records, folders) = (shapes(&Layout::RECORDS), shapes(&Layout::FOLDERS));
    format!("needed are JSONL or a JSON list of {records}, or a folder with {folders}")
}

fn shapes(layouts: &[Layout]) -> String {
    let shapes: Vec<&str> = layouts.iter().map(|layout| layout.shape()).collect();
    shapes.join(", or ")
}

/// The wanted agent, and the agents that occur.
struct Agents<'a> {
    wanted: Option<&'a str>,
    seen: BTreeSet<String>,
}

impl Agents<'_> {
    /// Whether a report that the layout gives to `found` is to be taken.
    fn want(&mut self, found: Option<&str>) -> bool {
        let Some(found) = found else { return true };
        self.seen.insert(found.to_owned());
        self.wanted.is_none_or(|wanted| wanted == found)
    }

    /// Whose report it is.
    fn name(&self, found: Option<&str>) -> Option<String> {
        found.or(self.wanted).map(str::to_owned)
    }

    fn lack_the_wanted(&self) -> bool {
        self.wanted
            .is_some_and(|wanted| !self.seen.is_empty() && !self.seen.contains(wanted))
    }
}

/// The field with which `reports remove` marks what it writes: a later line of an attempt is a later
/// report.
pub const REMOVED: &str = "removed";

/// Leaves one of several equal reports; of several different ones for the same attempt, which is
/// the true one cannot be known, and none is taken, unless we wrote them ourselves and in order.
fn take_once(read: &mut Read) {
    let mut places: BTreeMap<(String, Option<String>, u32), Vec<usize>> = BTreeMap::new();
    for (at, report) in read.reports.iter().enumerate() {
        places
            .entry((report.key.clone(), report.agent.clone(), report.attempt))
            .or_default()
            .push(at);
    }
    let mut taken: Vec<bool> = vec![false; read.reports.len()];
    for group in places.into_values() {
        if group.iter().all(|at| read.reports[*at].is_removed()) {
            for at in group {
                taken[at] = true;
            }
            continue;
        }
        let first = &read.reports[group[0]];
        let other = group
            .iter()
            .map(|at| &read.reports[*at])
            .find(|r| (&r.text, r.state) != (&first.text, first.state));
        if let Some(other) = other {
            let message = format!(
                "`{}`, attempt {}, is another report than in {}: neither is taken",
                shown(&first.key),
                first.attempt,
                first.source
            );
            read.problems.push(Problem {
                source: other.source.clone(),
                message,
            });
        } else {
            taken[group[0]] = true;
            read.repeated += group.len() - 1;
        }
    }
    let mut taken = taken.into_iter();
    read.reports.retain(|_| taken.next().unwrap_or_default());
}

/// The bytes of a file, or that there are more than `most`.
fn bytes_of(path: &Path, most: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs_err::File::open(path)?
        .take(most as u64 + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() > most {
        bail!("over {} MB", most / 1_000_000);
    }
    Ok(bytes)
}

/// A value of a stranger's file on one line of a message.
fn shown(text: &str) -> String {
    let line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(80)
        .collect();
    if line.chars().count() < text.chars().count() {
        line + "…"
    } else {
        line
    }
}
