//! Who judges, by number. The model that the server says answered is part of a judge: where another
//! one answers under the same name, the verdicts of the one before are not its own. Hides which of
//! several models is the judge.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::{
    NoBetterThanChance,
    audit::{Chance, Limits, Seen, chance, standing_doubt},
    judge::prompt_hashes,
};
use crate::{context::Context, store::Judge};

/// Those who are asked.
pub(super) struct Roster {
    seats: Vec<Seat>,
}

/// A model with a prompt.
struct Seat {
    model: String,
    prompt: String,
    /// Whether the model is only for trying things out.
    trial: bool,
    /// The model that answers; none before an answer.
    answers: Option<String>,
    /// Those that answered before it, which do not come back in this run.
    gone: BTreeSet<String>,
}

impl Roster {
    /// The members of the role `judge`; who puts `lists` in an order is a judge of its own.
    pub fn new(ctx: &Context, lists: bool) -> Result<Self> {
        let members = ctx.llm.members("judge");
        let mut seats = Vec::new();
        for kind in 0..=usize::from(lists) {
            for member in 0..members {
                let (model, prompts) = (
                    ctx.llm.model_name("judge", member)?,
                    prompt_hashes(ctx, member)?,
                );
                let trial = ctx.llm.is_builtin("judge", member)?;
                let prompt = prompts[kind].clone();
                seats.push(Seat {
                    model,
                    prompt,
                    trial,
                    answers: None,
                    gone: BTreeSet::new(),
                });
            }
        }
        Ok(Self { seats })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.seats.len()
    }

    /// Names and prompts, which are part of a ranking's question.
    pub fn asked(&self) -> Vec<(&str, &str)> {
        self.seats
            .iter()
            .map(|seat| (seat.model.as_str(), seat.prompt.as_str()))
            .collect()
    }

    /// Whether nobody but built-in models is asked.
    pub fn is_builtin(&self) -> bool {
        self.seats.iter().all(|seat| seat.trial)
    }

    /// Whether a model with a prompt is among those who are asked, whichever model answered.
    pub fn is_asked(&self, model: &str, prompt: &str) -> bool {
        self.seat(model, prompt).is_some()
    }

    fn seat(&self, model: &str, prompt: &str) -> Option<usize> {
        self.seats
            .iter()
            .position(|seat| seat.model == model && seat.prompt == prompt)
    }

    /// The number of a judge whose verdicts count.
    pub fn number(&self, judge: &Judge) -> Option<usize> {
        let at = self.seat(&judge.model_asked, &judge.prompt_hash)?;
        (self.seats[at].answers.as_ref() == Some(&judge.model_returned)).then_some(at)
    }

    /// Verdicts on record, the newest last: of those of whom no answer is known, whoever answered
    /// last is the judge.
    pub fn fill<'j>(&mut self, on_record: impl Iterator<Item = &'j Judge>) {
        let open: Vec<bool> = self
            .seats
            .iter()
            .map(|seat| seat.answers.is_none())
            .collect();
        for judge in on_record {
            if let Some(at) = self
                .seat(&judge.model_asked, &judge.prompt_hash)
                .filter(|at| open[*at])
            {
                self.seats[at].answers = Some(judge.model_returned.clone());
            }
        }
    }

    /// Verdicts of this run; returns whether another model answers now than before. A server that
    /// answers as one model and then as another is not followed back and forth.
    pub fn notice<'j>(&mut self, judges: impl Iterator<Item = &'j Judge>) -> bool {
        let mut changed = false;
        for judge in judges {
            let Some(at) = self.seat(&judge.model_asked, &judge.prompt_hash) else {
                continue;
            };
            let seat = &mut self.seats[at];
            let returned = &judge.model_returned;
            if seat.answers.as_ref() == Some(returned) || seat.gone.contains(returned) {
                continue;
            }
            let before = seat.answers.replace(returned.clone());
            changed |= before.is_some();
            seat.gone.extend(before);
        }
        changed
    }

    /// The judges of a ranking; of those whose answers were of no use, whoever is among `unscored`.
    pub fn panel(&self, unscored: &BTreeSet<Judge>) -> Vec<Judge> {
        let judges = |seat: &Seat| {
            let judge = |returned: &String| Judge {
                model_asked: seat.model.clone(),
                model_returned: returned.clone(),
                prompt_hash: seat.prompt.clone(),
            };
            let of_seat = |judge: &&Judge| {
                judge.model_asked == seat.model && judge.prompt_hash == seat.prompt
            };
            match &seat.answers {
                Some(returned) => vec![judge(returned)],
                None => unscored.iter().filter(of_seat).cloned().collect(),
            }
        };
        let panel: BTreeSet<Judge> = self.seats.iter().flat_map(judges).collect();
        panel.into_iter().collect()
    }

    /// What is said of verdicts that do not count, because another model gave them under the same
    /// name.
    pub fn of_others<'j>(&self, judges: impl Iterator<Item = &'j Judge>) -> Vec<String> {
        let mut others: BTreeMap<(usize, &str), u64> = BTreeMap::new();
        for judge in judges.filter(|judge| self.number(judge).is_none()) {
            if let Some(at) = self.seat(&judge.model_asked, &judge.prompt_hash) {
                *others.entry((at, &judge.model_returned)).or_default() += 1;
            }
        }
        let said = |((at, other), n): ((usize, &str), u64)| {
            let Seat { model, answers, .. } = &self.seats[at];
            let now = answers.as_deref().unwrap_or_default();
            format!(
                "`{model}` answers as `{now}`: {n} verdicts of `{other}` are another judge's and do not count here"
            )
        };
        others.into_iter().map(said).collect()
    }

    /// Ends the run where a doubt about a judge that somebody chose stands; a built-in model may go
    /// on, with a red line.
    pub fn look(&self, seen: &[Seen]) -> Result<(), NoBetterThanChance> {
        for (at, seat) in self
            .seats
            .iter()
            .enumerate()
            .filter(|(_, seat)| !seat.trial)
        {
            seat.doubt(&of_judge(seen, at), standing_doubt)?;
        }
        Ok(())
    }

    /// The last look at what is on record, which is that of the card.
    pub fn last_look(&self, judges: &[Judge], seen: &[Seen]) -> Result<(), NoBetterThanChance> {
        for (number, judge) in judges.iter().enumerate() {
            let seat = self.number(judge).map(|at| &self.seats[at]);
            if let Some(seat) = seat.filter(|seat| !seat.trial) {
                let doubt = |seen: &[Seen], alpha| chance(seen, alpha).filter(Chance::no_better);
                seat.doubt(&of_judge(seen, number), doubt)?;
            }
        }
        Ok(())
    }
}

impl Seat {
    fn doubt(
        &self,
        seen: &[Seen],
        look: fn(&[Seen], f64) -> Option<Chance>,
    ) -> Result<(), NoBetterThanChance> {
        match look(seen, Limits::default().chance_alpha) {
            None => Ok(()),
            Some(Chance {
                n,
                z,
                expected_z: expected,
                ..
            }) => Err(NoBetterThanChance {
                judge: self.model.clone(),
                n,
                z: z.unwrap_or(0.0),
                expected,
            }),
        }
    }
}

fn of_judge(seen: &[Seen], number: usize) -> Vec<Seen> {
    seen.iter()
        .filter(|seen| seen.judge as usize == number)
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

    fn roster() -> Roster {
        let (model, prompt) = ("p/m".to_owned(), "h".to_owned());
        Roster {
            seats: vec![Seat {
                model,
                prompt,
                trial: false,
                answers: None,
                gone: BTreeSet::new(),
            }],
        }
    }

    #[test]
    fn whoever_answers_now_is_the_judge() {
        let mut roster = roster();
        assert_eq!(roster.number(&judge("one")), None);
        roster.fill([judge("two"), judge("one")].iter());
        assert_eq!(
            (roster.number(&judge("one")), roster.number(&judge("two"))),
            (Some(0), None)
        );
        roster.fill([judge("two")].iter());
        assert!(!roster.notice([judge("one")].iter()));
        assert!(roster.notice([judge("one"), judge("two")].iter()));
        assert!(
            !roster.notice([judge("one"), judge("two")].iter()),
            "no way back"
        );
        assert_eq!(roster.panel(&BTreeSet::new()), [judge("two")]);
        let said = roster.of_others([judge("one"), judge("two"), judge("one")].iter());
        assert_eq!(said.len(), 1);
        assert!(said[0].contains("2 verdicts of `one`"), "{said:?}");
    }

    #[test]
    fn who_never_answered_is_named_by_failures() {
        let unscored = BTreeSet::from([judge("unknown")]);
        assert_eq!(roster().panel(&unscored), [judge("unknown")]);
        assert!(roster().panel(&BTreeSet::new()).is_empty());
    }
}
