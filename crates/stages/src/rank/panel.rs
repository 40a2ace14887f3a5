//! The judges of a ranking, by number. The model that the server says answered is part of a judge:
//! where another one answers under the same name, the earlier verdicts are another judge's. Hides
//! which of several models is the judge.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::{Method, Options, Read, audit::Thresholds, items::JudgePrompts, signals, weigh};
use crate::{
    context::Context,
    stats::pairwise::{
        PairVerdict,
        better_than_chance::{BetterThanChance, better_than_chance, no_better_twice},
    },
    store::Judge,
};

/// The error for a judge that is no better than chance: the ranking stops.
#[derive(Debug, thiserror::Error)]
#[error(
    "the judge `{judge}` is no better than chance after {n} verdicts (z = {z:.1}, {expected:.1} is usual)\nhint: look at `taskgen calls --role judge`, use another judge or prompt; the verdicts are kept"
)]
pub struct NoBetterThanChance {
    judge: String,
    n: u64,
    z: f64,
    expected: f64,
}

/// What readers of a ranking must know of a judge whose verdicts are no results.
pub fn caveat(judge: &str) -> Option<String> {
    let what = match judge.split_once('/')?.0 {
        "local" => "is a built-in model",
        "code" => "is code, which sees how a task is worded and not what it is worth",
        _ => return None,
    };
    Some(format!(
        "the judge {judge} {what}: good for trying things out, not for results"
    ))
}

/// The panel of judges.
pub(super) struct Panel {
    members: Vec<Member>,
    /// Number of models in the role, each of which judges pairs.
    models: usize,
}

/// A model with a prompt.
struct Member {
    model: String,
    prompt: String,
    /// Whether the model is built in, which is only for trying things out.
    built_in: bool,
    /// The model that answers; none before an answer.
    answers: Option<String>,
    /// The models that answered before it, which do not come back in this run.
    replaced: BTreeSet<String>,
}

/// The prompts of one member of the role `judge`: for two items, and for several.
pub(super) fn prompts_of_member(
    ctx: &Context,
    prompts: &JudgePrompts,
    member: usize,
) -> Result<[&'static str; 2]> {
    Ok(if ctx.llm.is_builtin("judge", member)? {
        [prompts.pair_short, prompts.list_short]
    } else {
        [prompts.pair, prompts.list]
    })
}

impl Panel {
    /// The members of the role `judge`. Where lists are asked for, each is there twice: as the
    /// judge of pairs, and as the judge of lists, which has another prompt and is a judge of its
    /// own.
    pub fn new(ctx: &Context, prompts: &JudgePrompts, options: &Options) -> Result<Self> {
        let lists = options.method == Method::Listwise;
        let mut members = Vec::new();
        for kind in 0..=usize::from(lists) {
            for member in 0..ctx.llm.members("judge") {
                let prompt = if ctx.llm.is_code("judge", member)? {
                    signals::hash()
                } else if options.read == Read::Logprobs {
                    weigh::hash(ctx, prompts)?
                } else {
                    let prompts = prompts_of_member(ctx, prompts, member)?;
                    ctx.llm.prompt_hash(prompts[kind])?
                };
                members.push(Member {
                    model: ctx.llm.model_name("judge", member)?,
                    prompt,
                    built_in: ctx.llm.is_builtin("judge", member)?,
                    answers: None,
                    replaced: BTreeSet::new(),
                });
            }
        }
        Ok(Self {
            members,
            models: ctx.llm.members("judge"),
        })
    }

    /// Number of judges.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Number of judges of pairs; with lists, each is another judge there.
    pub fn models(&self) -> usize {
        self.models
    }

    /// Names and hashes of prompts, which are part of a ranking's question.
    pub fn asked(&self) -> Vec<(&str, &str)> {
        self.members
            .iter()
            .map(|member| (member.model.as_str(), member.prompt.as_str()))
            .collect()
    }

    /// Whether all members are built-in models.
    pub fn is_built_in(&self) -> bool {
        self.members.iter().all(|member| member.built_in)
    }

    /// Whether a model with a prompt is a member, whichever model answered.
    pub fn is_asked(&self, model: &str, prompt: &str) -> bool {
        self.position(model, prompt).is_some()
    }

    fn position(&self, model: &str, prompt: &str) -> Option<usize> {
        self.members
            .iter()
            .position(|member| member.model == model && member.prompt == prompt)
    }

    pub fn position_of(&self, judge: &Judge) -> Option<usize> {
        self.position(&judge.model_asked, &judge.prompt_hash)
    }

    /// The number of a judge in force.
    pub fn number(&self, judge: &Judge) -> Option<usize> {
        let at = self.position_of(judge)?;
        (self.members[at].answers.as_ref() == Some(&judge.model_returned)).then_some(at)
    }

    /// Reads stored verdicts, the newest last: where no answer of a member is known yet, the model
    /// that answered last is the judge.
    pub fn fill<'j>(&mut self, stored: impl Iterator<Item = &'j Judge>) {
        let open: Vec<bool> = self
            .members
            .iter()
            .map(|member| member.answers.is_none())
            .collect();
        for judge in stored {
            if let Some(at) = self.position_of(judge).filter(|at| open[*at]) {
                self.members[at].answers = Some(judge.model_returned.clone());
            }
        }
    }

    /// Reads verdicts of this run; returns whether another model answers now than before.
    pub fn notice<'j>(&mut self, judges: impl Iterator<Item = &'j Judge>) -> bool {
        let mut changed = false;
        for judge in judges {
            let Some(at) = self.position_of(judge) else {
                continue;
            };
            let member = &mut self.members[at];
            let returned = &judge.model_returned;
            // A server that goes back and forth between two models is not followed back: else the
            // ranking would begin anew again and again.
            if member.answers.as_ref() == Some(returned) || member.replaced.contains(returned) {
                continue;
            }
            let before = member.answers.replace(returned.clone());
            changed |= before.is_some();
            member.replaced.extend(before);
        }
        changed
    }

    /// The judges of a ranking. A member without a usable answer is represented by the judges among
    /// `unscored`.
    pub fn judges(&self, unscored: &BTreeSet<Judge>) -> Vec<Judge> {
        let judges: BTreeSet<Judge> = self
            .members
            .iter()
            .flat_map(|member| member.judges(unscored))
            .collect();
        judges.into_iter().collect()
    }

    /// Notes on verdicts that do not count, because another model gave them under the same name.
    pub fn notes_on_other_models<'j>(
        &self,
        judges: impl Iterator<Item = &'j Judge>,
    ) -> Vec<String> {
        let mut others: BTreeMap<(usize, &str), u64> = BTreeMap::new();
        for judge in judges.filter(|judge| self.number(judge).is_none()) {
            if let Some(at) = self.position_of(judge) {
                *others.entry((at, &judge.model_returned)).or_default() += 1;
            }
        }
        others
            .into_iter()
            .map(|((at, other), n)| self.members[at].note_on(other, n))
            .collect()
    }

    /// Ends the run where a configured judge was no better than chance twice. A built-in model may
    /// go on: the report has a red line then.
    pub fn check(&self, verdicts: &[PairVerdict]) -> Result<(), NoBetterThanChance> {
        for (at, member) in self.members.iter().enumerate() {
            if !member.built_in {
                let own = verdicts_of(verdicts, at);
                member.refuse(no_better_twice(&own, chance_alpha()))?;
            }
        }
        Ok(())
    }

    /// The last check, on all stored verdicts: the same as that of the audit card.
    pub fn final_check(
        &self,
        judges: &[Judge],
        verdicts: &[PairVerdict],
    ) -> Result<(), NoBetterThanChance> {
        for (number, judge) in judges.iter().enumerate() {
            let Some(member) = self.number(judge).map(|at| &self.members[at]) else {
                continue;
            };
            if !member.built_in {
                let own = verdicts_of(verdicts, number);
                let test = better_than_chance(&own, chance_alpha());
                member.refuse(test.filter(BetterThanChance::no_better))?;
            }
        }
        Ok(())
    }
}

impl Member {
    fn judges(&self, unscored: &BTreeSet<Judge>) -> Vec<Judge> {
        if let Some(returned) = &self.answers {
            return vec![Judge {
                model_asked: self.model.clone(),
                model_returned: returned.clone(),
                prompt_hash: self.prompt.clone(),
            }];
        }
        unscored
            .iter()
            .filter(|judge| judge.model_asked == self.model && judge.prompt_hash == self.prompt)
            .cloned()
            .collect()
    }

    fn note_on(&self, other: &str, n: u64) -> String {
        let (model, now) = (&self.model, self.answers.as_deref().unwrap_or_default());
        format!(
            "`{model}` answers as `{now}`: {n} verdicts of `{other}` are another judge's and do not count here"
        )
    }

    fn refuse(&self, failed: Option<BetterThanChance>) -> Result<(), NoBetterThanChance> {
        let Some(test) = failed else { return Ok(()) };
        Err(NoBetterThanChance {
            judge: self.model.clone(),
            n: test.n,
            z: test.z.unwrap_or(0.0),
            expected: test.expected_z,
        })
    }
}

fn chance_alpha() -> f64 {
    Thresholds::default().chance_alpha
}

fn verdicts_of(verdicts: &[PairVerdict], number: usize) -> Vec<PairVerdict> {
    verdicts
        .iter()
        .filter(|verdict| verdict.judge as usize == number)
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(returned: &str) -> Judge {
        Judge {
            model_asked: "p/m".into(),
            model_returned: returned.into(),
            prompt_hash: "h".into(),
        }
    }

    fn panel() -> Panel {
        Panel {
            members: vec![Member {
                model: "p/m".into(),
                prompt: "h".into(),
                built_in: false,
                answers: None,
                replaced: BTreeSet::new(),
            }],
            models: 1,
        }
    }

    #[test]
    fn the_model_that_answers_now_is_the_judge() {
        let mut panel = panel();
        assert_eq!(panel.number(&judge("one")), None);
        panel.fill([judge("two"), judge("one")].iter());
        assert_eq!(
            (panel.number(&judge("one")), panel.number(&judge("two"))),
            (Some(0), None)
        );
        panel.fill([judge("two")].iter());
        assert!(!panel.notice([judge("one")].iter()));
        assert!(panel.notice([judge("one"), judge("two")].iter()));
        assert!(
            !panel.notice([judge("one"), judge("two")].iter()),
            "no way back"
        );
        assert_eq!(panel.judges(&BTreeSet::new()), [judge("two")]);
        let notes = panel.notes_on_other_models([judge("one"), judge("two"), judge("one")].iter());
        assert_eq!(notes.len(), 1);
        assert!(notes[0].contains("2 verdicts of `one`"), "{notes:?}");
    }

    #[test]
    fn a_member_that_never_answered_is_named_by_its_failures() {
        let unscored = BTreeSet::from([judge("unknown")]);
        assert_eq!(panel().judges(&unscored), [judge("unknown")]);
        assert!(panel().judges(&BTreeSet::new()).is_empty());
    }
}
