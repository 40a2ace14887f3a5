//! Hidden probes: questions with known answers, mixed among those to a judge, so that a judge is
//! tested while it judges. Hides how many there are, where they stand, and the test that says after
//! each answer whether the judge has failed. A probe is a judgement under an instrument of its own,
//! so that it is part of no score, rating or tie; which text has a known answer is a stage's to
//! say.

mod watch;

use std::collections::BTreeSet;

use anyhow::Result;
use serde_json::{Value, json};

pub use self::watch::{FailedProbes, ProbeResult, Watch, results_of};
use super::{Judged, Verdict};
use crate::{
    context::{Context, StageReport},
    data::{Expected, id::sha256_hex},
};

/// A probe for one member of a panel.
#[derive(Clone, Debug)]
pub struct Hidden<P> {
    /// The question.
    pub of: P,
    /// The member of the panel, from 0.
    pub member: usize,
    /// Its place among the probes of this run, from 0.
    pub number: usize,
}

/// How many probes stand among so many questions: at least the share, so that a run with one
/// question has one.
pub fn due(share: f64, questions: u64) -> usize {
    (share * questions as f64 - 1e-9).ceil().max(0.0) as usize
}

/// The members of a role that probes test, each with its model and the hash of its prompt; none
/// where there are no probes. Code is asked nothing, and the verdicts of a built-in model are no
/// results in any case.
pub fn tested(
    ctx: &Context,
    role: &str,
    prompt_hash: impl Fn(usize) -> Result<String>,
) -> Result<Vec<(usize, String, String)>> {
    let mut members = Vec::new();
    if ctx.probing.share <= 0.0 {
        return Ok(members);
    }
    for member in 0..ctx.llm.members(role) {
        if !ctx.llm.is_code(role, member)? && !ctx.llm.is_builtin(role, member)? {
            members.push((
                member,
                ctx.llm.model_name(role, member)?,
                prompt_hash(member)?,
            ));
        }
    }
    Ok(members)
}

/// A number that looks drawn, from a seed and a name.
pub fn drawn(seed: u64, name: &str) -> u64 {
    let hash = sha256_hex(format!("{seed} hidden {name}").as_bytes());
    u64::from_str_radix(&hash[..15], 16).unwrap_or_default()
}

/// What is kept with a probe beside what the judge says.
pub fn kept(way: &str, expected: &Expected) -> Value {
    json!({ "probe": { "way": way, "expected": expected } })
}

/// Puts probes among questions: each in a stretch of its own, at a place in it that the seed
/// decides.
pub fn mixed<T>(questions: Vec<T>, probes: Vec<T>, seed: u64) -> Vec<T> {
    let (n, stretches) = (questions.len(), probes.len());
    let mut places: Vec<usize> = (0..stretches)
        .map(|at| {
            let (from, to) = (n * at / stretches, n * (at + 1) / stretches);
            let length = (to - from).max(1) as u64;
            from + (drawn(seed, &at.to_string()) % length) as usize
        })
        .collect();
    places.reverse();
    let mut probes = probes.into_iter();
    let mut all = Vec::with_capacity(n + stretches);
    for (at, question) in questions.into_iter().enumerate() {
        while places.last() == Some(&at) {
            places.pop();
            all.extend(probes.next());
        }
        all.push(question);
    }
    all.extend(probes);
    all
}

/// Whether a judge's reply to a probe is right; none where there is no verdict.
pub fn is_right<A: Verdict>(expected: &Expected, judged: &Judged<A>) -> Option<bool> {
    let reply = judged.reply.as_ref().ok()?;
    Some(expected.is_met(&reply.decision()))
}

/// The probes of a stage.
pub struct Probes<P> {
    /// The questions with known answers, each for one member.
    pub all: Vec<Hidden<P>>,
    /// The test of each member.
    pub watch: Watch,
}

impl<P: Clone> Probes<P> {
    /// The first of `offered`, so many as are due among `questions` to each member, for each member
    /// that is tested. What is offered is made only as far as it is needed.
    pub fn among(
        questions: u64,
        ctx: &Context,
        watch: Watch,
        offered: impl Iterator<Item = P>,
    ) -> Self {
        let members: BTreeSet<usize> = watch.members().collect();
        let due = if members.is_empty() {
            0
        } else {
            due(ctx.probing.share, questions)
        };
        let numbered = offered.take(due).enumerate();
        let all = numbered.flat_map(|(number, of)| {
            members.iter().map(move |member| Hidden {
                of: of.clone(),
                member: *member,
                number,
            })
        });
        Self {
            all: all.collect(),
            watch,
        }
    }
}

/// A question or a probe.
enum Put<'a, Q, P> {
    Question(&'a Q),
    Probe(&'a Hidden<P>),
}

impl<Q, P> Clone for Put<'_, Q, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q, P> Copy for Put<'_, Q, P> {}

/// How a question, or a probe, ended.
enum Ended<A> {
    Question(Judged<A>),
    Probe,
}

/// Puts every question with probes among them, as [`super::judge_each`] does without. Probes are
/// not counted as work that was done; a judge that fails them ends the stage, and what is in flight
/// is saved.
pub async fn judge_each<Q, P, A>(
    ctx: &Context,
    (stage, role): (&'static str, &str),
    questions: &[Q],
    probes: &Probes<P>,
    judge_one: impl AsyncFn(&Q) -> Result<Judged<A>>,
    probe_one: impl AsyncFn(&Hidden<P>) -> Result<Option<bool>>,
    name: impl Fn(&Q) -> String,
) -> Result<StageReport> {
    let mut report = StageReport::new(stage);
    let all = mixed(
        questions.iter().map(Put::Question).collect(),
        probes.all.iter().map(Put::Probe).collect(),
        ctx.seed,
    );
    let work = async |put: Put<'_, Q, P>| match put {
        Put::Question(question) => Ok(Ended::Question(judge_one(question).await?)),
        Put::Probe(probe) => {
            let right = probe_one(probe).await?;
            probes.watch.note(probe.member, probe.number, right)?;
            Ok(Ended::Probe)
        }
    };
    let ended = ctx.each(stage, all, ctx.llm.parallel(role), work).await?;
    for (put, ended) in ended {
        if let (Put::Question(question), Ended::Question(judged)) = (put, ended) {
            judged.count(&name(question), &mut report);
        }
    }
    probes.watch.report(&mut report);
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_with_one_question_has_a_probe_and_none_where_they_are_off() {
        assert_eq!(
            [(0.02, 1), (0.02, 50), (0.02, 51), (0.5, 3), (0.02, 0)].map(|(a, n)| due(a, n)),
            [1, 1, 2, 2, 0]
        );
        assert_eq!(due(0.0, 1000), 0);
    }

    #[test]
    fn probes_stand_all_over_the_run() {
        let questions: Vec<i32> = (0..100).collect();
        let all = mixed(questions.clone(), (1000..1010).collect(), 1);
        assert_eq!(all.len(), 110);
        let plain: Vec<i32> = all.iter().copied().filter(|n| *n < 1000).collect();
        assert_eq!(plain, questions);
        for (at, tens) in all.chunks(11).enumerate() {
            let probes = tens.iter().filter(|n| **n >= 1000).count();
            assert!(probes <= 2, "{at}: {tens:?}");
        }
        assert_eq!(mixed(questions.clone(), Vec::new(), 1), questions);
        assert_eq!(mixed(Vec::new(), vec![1], 1), [1]);
        assert_ne!(
            mixed(questions.clone(), vec![-1], 1),
            mixed(questions, vec![-1], 3)
        );
    }
}
