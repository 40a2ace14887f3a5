//! What Slurm says of jobs: lines of `sacct`, or records of `scontrol` where nothing is accounted.
//! Pure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A job by what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepName {
    /// Fetches models.
    Models,
    /// Transcribes shards.
    Shards,
    /// Collects the transcripts and goes on.
    Collect,
}

impl StepName {
    /// In the order of their submission.
    pub const ALL: [Self; 3] = [Self::Models, Self::Shards, Self::Collect];

    /// The name of its job.
    pub fn job(self) -> String {
        format!("taskgen-{}", self.word())
    }

    /// In words, and in names of files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Models => "models",
            Self::Shards => "shards",
            Self::Collect => "collect",
        }
    }
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Ended well.
    Done,
    /// Running, or ending.
    Running,
    /// Waiting for another job, for nodes, or to be started again.
    Waiting,
    /// Ended otherwise.
    Failed,
}

impl Phase {
    /// Of a state as Slurm calls it, such as `CANCELLED by 0`.
    fn from_state(state: &str) -> Self {
        let word = state.split([' ', '+']).next().unwrap_or_default();
        match word {
            "COMPLETED" => Self::Done,
            "RUNNING" | "COMPLETING" | "CONFIGURING" | "SUSPENDED" | "STOPPED" | "SIGNALING"
            | "STAGE_OUT" => Self::Running,
            "PENDING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED" | "RESV_DEL_HOLD"
            | "SPECIAL_EXIT" | "RESIZING" => Self::Waiting,
            _ => Self::Failed,
        }
    }
}

/// A job, or one of an array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JobState {
    /// The number of the job or of the whole array.
    pub id: u64,
    /// Its place in the array.
    pub shard: Option<u32>,
    /// How far it is.
    pub phase: Phase,
    /// The same in Slurm's words.
    pub state: String,
    /// Its exit code, once it has ended.
    pub exit: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Its node, once it had one.
    pub node: Option<String>,
}

/// Where Slurm's word on the jobs comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Accounts {
    /// The accounting database, which forgets nothing.
    Sacct,
    /// The controller, which forgets a job some minutes after its end.
    Scontrol,
}

/// The most places of an array that a line may stand for.
const MOST_PLACES: u32 = 100_000;

/// The fields that [`from_sacct`] reads.
pub const SACCT_FIELDS: &str = "JobID,State,ExitCode,NodeList";

/// The jobs in what `sacct --parsable2 --noheader --allocations` prints. Of a job that was started
/// again the last line counts.
pub fn from_sacct(text: &str) -> Vec<JobState> {
    let mut jobs = Jobs::default();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('|').collect();
        let &[id, state, exit, node, ..] = fields.as_slice() else {
            continue;
        };
        let (id, places) = match id.split_once('_') {
            Some((id, places)) => (id, Some(places)),
            None => (id, None),
        };
        jobs.add(id, places, &Record { state, exit, node });
    }
    jobs.in_order()
}

/// The jobs in what `scontrol show job --oneliner` prints.
pub fn from_scontrol(text: &str) -> Vec<JobState> {
    let mut jobs = Jobs::default();
    for line in text.lines() {
        let field = |name: &str| {
            line.split(' ')
                .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
        };
        let (Some(id), Some(state)) = (field("JobId"), field("JobState")) else {
            continue;
        };
        let places = field("ArrayTaskId");
        let exit = field("ExitCode").unwrap_or_default();
        let node = field("NodeList").unwrap_or_default();
        jobs.add(
            field("ArrayJobId").unwrap_or(id),
            places,
            &Record { state, exit, node },
        );
    }
    jobs.in_order()
}

/// What Slurm says of a job, in its own words.
struct Record<'a> {
    state: &'a str,
    exit: &'a str,
    node: &'a str,
}

#[derive(Default)]
struct Jobs {
    each: BTreeMap<(u64, Option<u32>), JobState>,
    /// Of lines for many places: the accounting keeps such a line for all that were not started,
    /// also while some of them run, which have lines of their own.
    many: BTreeMap<(u64, Option<u32>), JobState>,
}

impl Jobs {
    fn add(&mut self, id: &str, places: Option<&str>, record: &Record<'_>) {
        let Ok(id) = id.parse() else { return };
        let Some(places) = places else {
            self.each.insert((id, None), record.job(id, None));
            return;
        };
        match places.parse() {
            Ok(shard) => {
                self.each
                    .insert((id, Some(shard)), record.job(id, Some(shard)));
            }
            Err(_) => self.many.extend(
                range(places)
                    .into_iter()
                    .map(|shard| ((id, Some(shard)), record.job(id, Some(shard)))),
            ),
        }
    }

    fn in_order(self) -> Vec<JobState> {
        let mut all = self.many;
        all.extend(self.each);
        all.into_values().collect()
    }
}

impl Record<'_> {
    fn job(&self, id: u64, shard: Option<u32>) -> JobState {
        let phase = Phase::from_state(self.state);
        let has_ended = matches!(phase, Phase::Done | Phase::Failed);
        let number = |text: &str| text.parse::<i32>().ok().filter(|_| has_ended);
        let (exit, signal) = self.exit.split_once(':').unwrap_or((self.exit, ""));
        let has_node = !matches!(self.node, "" | "None assigned" | "(null)");
        JobState {
            id,
            shard,
            phase,
            state: self.state.to_owned(),
            exit: number(exit),
            signal: number(signal).filter(|signal| *signal != 0),
            node: has_node.then(|| self.node.to_owned()),
        }
    }
}

/// The places of an array in `[4-6,9]`, `1-200%8` or `2-10:2`.
fn range(text: &str) -> Vec<u32> {
    let inside = text.trim_start_matches('[').trim_end_matches(']');
    let inside = inside.split('%').next().unwrap_or_default();
    let mut places = Vec::new();
    for part in inside.split(',') {
        let (part, step) = part.split_once(':').unwrap_or((part, "1"));
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let numbers = (first.parse::<u32>(), last.parse::<u32>(), step.parse());
        if let (Ok(first), Ok(last), Ok(step @ 1..)) = numbers {
            let last = last.min(first.saturating_add(MOST_PLACES));
            places.extend((first..=last).step_by(step));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    const SACCT: &str = include_str!("../../tests/data/slurm/sacct.txt");
    const SCONTROL: &str = include_str!("../../tests/data/slurm/scontrol.txt");

    fn counts(jobs: &[JobState]) -> BTreeMap<Phase, usize> {
        let mut counts = BTreeMap::new();
        for job in jobs.iter().filter(|job| job.shard.is_some()) {
            *counts.entry(job.phase).or_default() += 1;
        }
        counts
    }

    #[test]
    fn places_come_singly_in_ranges_and_in_steps() {
        assert_eq!(range("[4-6,9]"), [4, 5, 6, 9]);
        assert_eq!(range("1-3%8"), [1, 2, 3]);
        assert_eq!(range("2-10:4,11"), [2, 6, 10, 11]);
        assert_eq!(range("1-5:0,x"), [0; 0]);
    }

    #[test]
    fn both_sources_say_the_same_of_an_array() {
        for (jobs, running) in [(from_sacct(SACCT), 6), (from_scontrol(SCONTROL), 8)] {
            assert_eq!(jobs.len(), 41, "forty of the array, and the one behind it");
            let counts = counts(&jobs);
            assert_eq!((counts[&Phase::Failed], counts[&Phase::Done]), (4, 1));
            // The accounting is a moment behind.
            assert_eq!(counts[&Phase::Running], running);
            assert_eq!(counts[&Phase::Waiting], 35 - running);
            let behind = jobs.iter().find(|job| job.id == 30).expect("it waits");
            assert_eq!(
                (behind.shard, behind.phase, &behind.node),
                (None, Phase::Waiting, &None)
            );
        }
    }

    #[test]
    fn a_failed_job_says_how_it_ended() {
        let jobs = from_sacct(SACCT);
        let of = |shard| {
            jobs.iter()
                .find(|job| job.shard == Some(shard))
                .expect("a job")
        };
        assert_eq!(
            (of(1).exit, of(1).signal, of(1).node.as_deref()),
            (Some(1), None, Some("n1"))
        );
        assert_eq!((of(2).exit, of(2).signal), (Some(0), Some(9)));
        assert_eq!(
            (of(6).state.as_str(), of(6).phase),
            ("CANCELLED by 0", Phase::Failed)
        );
        assert_eq!(
            (of(7).state.as_str(), of(7).phase, of(7).exit),
            ("REQUEUED", Phase::Waiting, None)
        );
        assert_eq!(from_scontrol(SCONTROL)[2].exit, Some(137));
    }

    #[test]
    fn a_job_that_started_again_is_what_it_is_now() {
        let jobs = from_sacct(
            "7_1|REQUEUED|0:0|n1\n7_1|RUNNING|0:0|n2\n7_[2,4-5%2]|PENDING|0:0|None assigned\n",
        );
        let phases: Vec<(Option<u32>, Phase)> =
            jobs.iter().map(|job| (job.shard, job.phase)).collect();
        assert_eq!(phases[0], (Some(1), Phase::Running));
        let waiting = [2, 4, 5].map(|shard| (Some(shard), Phase::Waiting));
        assert_eq!(phases[1..], waiting);
        assert!(from_sacct("sacct: error\n||\n7_[1-\n").is_empty());
        assert!(from_scontrol("slurm_load_jobs error: Invalid job id specified\n").is_empty());
    }
}
