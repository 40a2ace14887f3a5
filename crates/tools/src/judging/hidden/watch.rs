//! The test of a panel by hidden probes, answer by answer. Hides in which order answers come: each
//! member's are tested in the order in which they were asked, so that the number of threads decides
//! nothing.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use anyhow::Result;
use serde::Serialize;

use crate::{
    context::{Context, StageReport},
    data::{HiddenAnswer, Instrument, Judge},
    stats::sequential::{Bounds, Sequential},
};

/// The error for a judge that fails its hidden probes: the run stops.
#[derive(Debug, thiserror::Error)]
#[error(
    "the judge `{judge}` failed its hidden probes: {right} of {n} right, where a good judge has {good:.0} %\nhint: look at `taskgen calls --role {role}`, or use another judge or prompt; what was judged is kept, and --accept-judge goes on with this judge"
)]
pub struct FailedProbes {
    judge: String,
    role: &'static str,
    n: u64,
    right: u64,
    good: f64,
}

/// How a judge did on its probes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProbeResult {
    /// `provider/model`.
    pub judge: String,
    /// The test of its answers.
    #[serde(flatten)]
    pub test: Sequential,
    /// Probes without a verdict, which the test leaves out.
    pub unscored: u64,
}

/// The results of each judge on record that `counts`, in the order of their names.
pub fn results_of(
    answers: &[HiddenAnswer],
    counts: impl Fn(&Judge) -> bool,
) -> BTreeMap<&Judge, ProbeResult> {
    let mut results: BTreeMap<&Judge, ProbeResult> = BTreeMap::new();
    for answer in answers.iter().filter(|answer| counts(&answer.judge)) {
        let result = results
            .entry(&answer.judge)
            .or_insert_with(|| ProbeResult::new(&answer.judge.model_asked));
        result.add(answer.right);
    }
    results
}

impl ProbeResult {
    fn new(judge: &str) -> Self {
        Self {
            judge: judge.to_owned(),
            test: Sequential::default(),
            unscored: 0,
        }
    }

    fn add(&mut self, right: Option<bool>) {
        match right {
            Some(right) => self.test.add(right, &Bounds::default()),
            None => self.unscored += 1,
        }
    }

    /// A sentence for the summary; `accepted` says whether a judge that has failed may go on.
    pub fn note(&self, accepted: bool) -> String {
        let Sequential { n, right, .. } = self.test;
        let mut note = format!("hidden probes: `{}` had {right} of {n} right", self.judge);
        if self.unscored > 0 {
            note.push_str(&format!(", {} more without a verdict", self.unscored));
        }
        if self.test.has_failed() && accepted {
            note.push_str(": it has failed, and went on because of --accept-judge");
        }
        note
    }
}

/// A member's answers of this run.
struct Member {
    result: ProbeResult,
    /// The next probe in the order in which they were asked.
    next: usize,
    /// Answers that came before it.
    early: BTreeMap<usize, Option<bool>>,
}

/// The test of each member of a panel.
pub struct Watch {
    role: &'static str,
    accept: bool,
    members: Mutex<BTreeMap<usize, Member>>,
}

impl Watch {
    /// The test of these members, given as (member, model asked, hash of the prompt). An error for
    /// one whose answers on record have failed already, as long as the same model answers.
    pub fn begin(
        ctx: &Context,
        instrument: Instrument,
        role: &'static str,
        tested: impl IntoIterator<Item = (usize, String, String)>,
    ) -> Result<Self> {
        let accept = ctx.probing.accept;
        let answers = if ctx.probing.share > 0.0 {
            ctx.store.hidden_answers(instrument)?
        } else {
            Vec::new()
        };
        let mut members = BTreeMap::new();
        for (member, model, prompt) in tested {
            let is_own = |judge: &Judge| judge.model_asked == model && judge.prompt_hash == prompt;
            // Another model under the same name is another judge: the newest one counts.
            let newest = answers.iter().rfind(|answer| is_own(&answer.judge));
            let own = newest.map(|newest| &newest.judge);
            let known = results_of(&answers, |judge| Some(judge) == own);
            if let Some(result) = known.into_values().next() {
                check(role, &result, accept)?;
            }
            let fresh = Member {
                result: ProbeResult::new(&model),
                next: 0,
                early: BTreeMap::new(),
            };
            members.insert(member, fresh);
        }
        Ok(Self {
            role,
            accept,
            members: Mutex::new(members),
        })
    }

    /// The members that are tested.
    pub fn members(&self) -> impl Iterator<Item = usize> {
        let members: Vec<usize> = self.lock().keys().copied().collect();
        members.into_iter()
    }

    /// Takes in an answer; an error where the judge has failed by it, unless that is accepted.
    pub fn note(&self, member: usize, number: usize, right: Option<bool>) -> Result<()> {
        let mut members = self.lock();
        let Some(member) = members.get_mut(&member) else {
            return Ok(());
        };
        member.early.insert(number, right);
        while let Some(right) = member.early.remove(&member.next) {
            member.result.add(right);
            member.next += 1;
        }
        Ok(check(self.role, &member.result, self.accept)?)
    }

    /// Adds the results to a stage's report.
    pub fn report(&self, report: &mut StageReport) {
        let members = self.lock();
        let asked = members
            .values()
            .filter(|member| member.result.test.n + member.result.unscored > 0);
        let notes = asked.map(|member| member.result.note(self.accept));
        report.notes.extend(notes);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<usize, Member>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn check(role: &'static str, result: &ProbeResult, accept: bool) -> Result<(), FailedProbes> {
    if accept || !result.test.has_failed() {
        return Ok(());
    }
    Err(FailedProbes {
        judge: result.judge.clone(),
        role,
        n: result.test.n,
        right: result.test.right,
        good: Bounds::default().good * 100.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(accept: bool) -> Watch {
        let member = Member {
            result: ProbeResult::new("p/m"),
            next: 0,
            early: BTreeMap::new(),
        };
        Watch {
            role: "judge",
            accept,
            members: Mutex::new(BTreeMap::from([(0, member)])),
        }
    }

    /// Answers are tested in the order of the questions, however they come, and failures to answer
    /// are left out.
    #[test]
    fn a_judge_fails_after_the_same_probe_in_whatever_order_answers_come() {
        let answers = [
            Some(true),
            Some(false),
            None,
            Some(false),
            Some(false),
            Some(false),
        ];
        let mut messages = Vec::new();
        for order in [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [2, 0, 3, 1, 5, 4]] {
            let watch = watch(false);
            let noted = order.map(|number| watch.note(0, number, answers[number]));
            let failed = noted.into_iter().find_map(Result::err).expect("it fails");
            messages.push(failed.to_string());
        }
        assert!(messages[0].contains("1 of 5 right"), "{messages:?}");
        assert!(
            messages.iter().all(|other| *other == messages[0]),
            "{messages:?}"
        );
    }

    #[test]
    fn an_accepted_judge_goes_on_and_is_named() {
        let watch = watch(true);
        for number in 0..9 {
            watch.note(0, number, Some(false)).expect("accepted");
        }
        watch.note(7, 0, Some(false)).expect("nobody's");
        let mut report = StageReport::new("rank");
        watch.report(&mut report);
        assert!(
            report.notes[0].contains("--accept-judge"),
            "{:?}",
            report.notes
        );
    }
}
