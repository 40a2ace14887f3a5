//! Matching of reports to tasks, also under another program's ids: by id, by the start of an id, by
//! position, by the question's text. Hides the folding of texts; where several tasks fit, none is
//! chosen.

use std::collections::{BTreeMap, btree_map::Entry};

use unicode_normalization::UnicodeNormalization as _;

use super::{Incoming, shown};
use crate::text::words::one_line;

/// The matches, by positions in the two lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// A report and its task.
    pub matched: Vec<(usize, usize)>,
    /// A report without a task, and why.
    pub unmatched: Vec<(usize, String)>,
    /// A report and the tasks that it may be for.
    pub ambiguous: Vec<(usize, Vec<usize>)>,
}

/// A task that reports may be for.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its id in the file that it was imported from.
    pub file_id: Option<&'a str>,
    /// The question.
    pub text: &'a str,
}

/// Finds the task of each report among `tasks`, in the order of their export.
///
/// A key is a whole id, else the id in an imported file, else the start of exactly one id. Where
/// several files have an id, the prompt must say which task it is. Where all keys are numbers from 1 to the
/// number of tasks, a key is a position, unless the report's prompt is not that task's text. Else
/// the prompt must be a task's text: exactly, then but for case, width and white space. A second
/// report for the same task, agent and attempt has no task.
pub fn match_tasks(reports: &[Incoming], tasks: &[Target<'_>]) -> Matches {
    let index = Index::new(reports, tasks);
    let mut taken: BTreeMap<(usize, Option<&str>, u32), &str> = BTreeMap::new();
    let mut matches = Matches::default();
    for (at, report) in reports.iter().enumerate() {
        let fitting = index.fitting(report);
        match fitting.as_slice() {
            [] => matches.unmatched.push((at, why_none(report))),
            [task] => match taken.entry((*task, report.agent.as_deref(), report.attempt)) {
                Entry::Vacant(place) => {
                    place.insert(&report.source);
                    matches.matched.push((at, *task));
                }
                Entry::Occupied(_) if report.is_removed() => matches.matched.push((at, *task)),
                Entry::Occupied(first) => {
                    matches.unmatched.push((
                        at,
                        format!(
                            "its task has the report of {} for this attempt",
                            first.get()
                        ),
                    ));
                }
            },
            _ => matches.ambiguous.push((at, fitting)),
        }
    }
    matches
}

fn why_none(report: &Incoming) -> String {
    let id = format!("no task has the id `{}`", shown(&report.key));
    match &report.prompt {
        Some(prompt) => format!("{id} or the text `{}`", shown(prompt)),
        None => id,
    }
}

/// The tasks by what may name them.
struct Index<'a> {
    by_id: BTreeMap<&'a str, usize>,
    by_file_id: BTreeMap<&'a str, Vec<usize>>,
    by_text: BTreeMap<&'a str, Vec<usize>>,
    by_folded: BTreeMap<String, Vec<usize>>,
    folded: Vec<String>,
    /// Whether the keys are positions.
    numbered: bool,
}

impl<'a> Index<'a> {
    fn new(reports: &[Incoming], tasks: &[Target<'a>]) -> Self {
        let folded: Vec<String> = tasks.iter().map(|task| fold(task.text)).collect();
        let mut by_file_id: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut by_text: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut by_folded: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, task) in tasks.iter().enumerate() {
            by_text.entry(task.text).or_default().push(at);
            if let Some(id) = task.file_id {
                by_file_id.entry(id).or_default().push(at);
            }
            by_folded.entry(folded[at].clone()).or_default().push(at);
        }
        Self {
            by_id: tasks
                .iter()
                .enumerate()
                .map(|(at, task)| (task.id, at))
                .collect(),
            by_file_id,
            by_text,
            by_folded,
            numbered: reports
                .iter()
                .all(|report| position(&report.key, tasks.len()).is_some()),
            folded,
        }
    }

    /// The one task of a report, or several that it may be for, or none.
    fn fitting(&self, report: &Incoming) -> Vec<usize> {
        // Some systems decompose the letters of file names (macOS).
        let key: String = report.key.nfc().collect();
        if let Some(task) = self.by_id.get(key.as_str()) {
            return vec![*task];
        }
        if let Some(tasks) = self.by_file_id.get(key.as_str()) {
            return self.told_apart(tasks, report);
        }
        let begun = self
            .by_id
            .range(key.as_str()..)
            .take_while(|(id, _)| id.starts_with(&key));
        let begun: Vec<usize> = begun.map(|(_, task)| *task).collect();
        // Several tasks with this beginning: the question's text may still decide.
        if begun.len() == 1 {
            return begun;
        }
        let prompt = report.prompt.as_deref();
        let at = if self.numbered {
            position(&key, self.folded.len())
        } else {
            None
        };
        if let Some(at) = at
            // A position is no proof: where the report names its question, it must be this one.
            && prompt.is_none_or(|prompt| fold(prompt) == self.folded[at])
        {
            return vec![at];
        }
        let asked = prompt.and_then(|prompt| {
            self.by_text
                .get(prompt)
                .or_else(|| self.by_folded.get(&fold(prompt)))
        });
        asked.cloned().unwrap_or(begun)
    }

    /// Of tasks with the same id in different files, the ones that the report's prompt asks; all of
    /// them where it asks none.
    fn told_apart(&self, tasks: &[usize], report: &Incoming) -> Vec<usize> {
        let Some(prompt) = &report.prompt else {
            return tasks.to_vec();
        };
        let folded = fold(prompt);
        let asked: Vec<usize> = tasks
            .iter()
            .copied()
            .filter(|task| self.folded[*task] == folded)
            .collect();
        if asked.is_empty() {
            tasks.to_vec()
        } else {
            asked
        }
    }
}

/// The position, from 0, that a key names among `n` tasks, from 1.
fn position(key: &str, n: usize) -> Option<usize> {
    let digits = key.bytes().all(|byte| byte.is_ascii_digit());
    key.parse()
        .ok()
        .filter(|at: &usize| digits && (1..=n).contains(at))
        .map(|at| at - 1)
}

fn fold(text: &str) -> String {
    one_line(&text.nfkc().collect::<String>().to_lowercase())
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::data::{AttemptCost, State};

    const TASKS: [(&str, &str); 4] = [
        ("t_abc1", "Survey the logbooks"),
        ("t_abd2", "Design a test of tones"),
        ("t_xyz3", "综述方言语音识别"),
        ("t_xyz4", "design  a TEST of Tones"),
    ];

    fn targets() -> Vec<Target<'static>> {
        let target = |(id, text)| Target {
            id,
            file_id: None,
            text,
        };
        TASKS.into_iter().map(target).collect()
    }

    /// An id of an imported file is no position, and in two files it is told apart by the prompt.
    #[test]
    fn an_id_in_a_file_names_its_task() {
        let target = |id, file_id, text| Target {
            id,
            file_id: Some(file_id),
            text,
        };
        let tasks = [
            target("t_a", "2", "How deep?"),
            target("t_b", "1", "How wide?"),
            target("t_c", "1", "How long?"),
        ];
        let reports = [
            report("2", None),
            report("1", Some("How  LONG?")),
            report("1", None),
        ];
        let matches = match_tasks(&reports, &tasks);
        assert_eq!(matches.matched, [(0, 0), (1, 2)]);
        assert_eq!(matches.ambiguous, [(2, vec![1, 2])]);
    }

    fn report(key: &str, prompt: Option<&str>) -> Incoming {
        Incoming {
            source: format!("r.jsonl:{key}"),
            key: key.to_owned(),
            prompt: prompt.map(str::to_owned),
            agent: None,
            attempt: 1,
            text: "x".to_owned(),
            state: State::Ok,
            spent: AttemptCost::default(),
            more: Map::new(),
        }
    }

    fn check(reports: &[(&str, Option<&str>)], expect: &[(usize, usize)]) -> Matches {
        let reports: Vec<Incoming> = reports
            .iter()
            .map(|(key, prompt)| report(key, *prompt))
            .collect();
        let matches = match_tasks(&reports, &targets());
        assert_eq!(matches.matched, expect);
        assert_eq!(
            matches.matched.len() + matches.unmatched.len() + matches.ambiguous.len(),
            reports.len()
        );
        matches
    }

    #[test]
    fn by_id_and_by_the_start_of_one() {
        check(
            &[
                ("t_abd2", None),
                ("t_abc", None),
                ("t_xyz4", Some("Survey the logbooks")),
            ],
            &[(0, 1), (1, 0), (2, 3)],
        );
        let several = check(&[("t_ab", None), ("t_q", None)], &[]);
        assert_eq!(several.ambiguous, [(0, vec![0, 1])]);
        assert_eq!(
            several.unmatched,
            [(1, "no task has the id `t_q`".to_owned())]
        );
        check(&[("t_ab", Some("Survey the logbooks"))], &[(0, 0)]);
    }

    #[test]
    fn by_position_where_all_keys_are_positions() {
        check(&[("4", None), ("1", None)], &[(0, 3), (1, 0)]);
        assert_eq!(
            check(&[("0", None), ("1", None)], &[]).unmatched.len(),
            2,
            "counted from 0"
        );
        assert_eq!(
            check(&[("5", None), ("1", None)], &[]).unmatched.len(),
            2,
            "of a larger set"
        );
        assert_eq!(
            check(&[("t_abc", None), ("1", None)], &[(0, 0)])
                .unmatched
                .len(),
            1,
            "mixed"
        );
        assert_eq!(check(&[("+1", None)], &[]).unmatched.len(), 1);
    }

    #[test]
    fn a_position_with_another_question_is_another_sets() {
        check(
            &[("1", Some("survey the  logbooks")), ("3", None)],
            &[(0, 0), (1, 2)],
        );
        check(&[("1", Some("综述方言语音识别"))], &[(0, 2)]);
        let foreign = check(&[("1", Some("Who was Zola?"))], &[]);
        assert_eq!(
            foreign.unmatched,
            [(
                0,
                "no task has the id `1` or the text `Who was Zola?`".to_owned()
            )]
        );
    }

    #[test]
    fn by_the_questions_text() {
        check(
            &[
                ("q1", Some("Design a test of tones")),
                ("q2", Some("SURVEY the\nlogbooks ")),
            ],
            &[(0, 1), (1, 0)],
        );
        let folded = check(&[("q1", Some("design a test of tones"))], &[]);
        assert_eq!(folded.ambiguous, [(0, vec![1, 3])]);
        check(&[("q1", Some(""))], &[]);
    }

    #[test]
    fn a_task_has_one_report_for_an_attempt() {
        let twice = check(&[("t_abc", None), ("t_abc1", None)], &[(0, 0)]);
        assert_eq!(
            twice.unmatched,
            [(
                1,
                "its task has the report of r.jsonl:t_abc for this attempt".to_owned()
            )]
        );
        let second = Incoming {
            attempt: 2,
            ..report("t_abc1", None)
        };
        let other = Incoming {
            agent: Some("x".into()),
            ..report("t_abc1", None)
        };
        assert_eq!(
            match_tasks(&[report("t_abc1", None), second, other], &targets())
                .matched
                .len(),
            3
        );
    }

    #[test]
    fn nothing_is_matched_with_nothing() {
        assert_eq!(match_tasks(&[], &targets()), Matches::default());
        assert_eq!(
            match_tasks(&[report("1", Some("x"))], &[]).unmatched.len(),
            1
        );
    }
}
