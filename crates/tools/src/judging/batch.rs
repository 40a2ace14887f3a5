//! Several judgements out of one reply: what they share (a report, some passages) is read once for
//! all of them. Hides the order of the questions, which follows from the seed, so that only chance
//! puts two of them together; the halves that are asked about where a reply cannot be read; and
//! that what is decided is not asked about again.

use std::{collections::BTreeMap, marker::PhantomData};

use anyhow::Result;
use serde_json::{Value, json};

use super::{About, Verdict};
use crate::{
    context::{Context, StageReport},
    data::{CallId, Cause, Instrument, Judge, NewJudgement, Unscored, id::sha256_hex},
    llm::{Answer, Ask},
    store::PanelJudgements,
};

/// Something that has questions, such as a report with its key points.
pub struct Subject<S> {
    /// Its id, under which the judgements are kept.
    pub id: String,
    /// What is asked about it: an id of its own for each, and what the prompt shows of it.
    pub items: Vec<(String, Value)>,
    /// What the form makes the prompt's other values from.
    pub of: S,
    /// What is kept with each judgement beside what the reply says: a JSON object.
    pub keep: Value,
}

/// A reply about several items.
pub trait Each: Answer {
    /// The verdict on one.
    type One: Verdict;

    /// The numbers of the items that it speaks of, from 1, in its own order.
    fn numbers(&self) -> Vec<usize>;

    /// Its verdicts in the same order.
    fn verdicts(self) -> Vec<Self::One>;
}

/// How items are asked about.
pub struct BatchForm<'a, S, R> {
    /// The name of this work in progress and in the summary.
    pub stage: &'static str,
    /// What is measured.
    pub instrument: Instrument,
    /// Who is asked.
    pub role: &'static str,
    /// The prompt; it gets `items`.
    pub prompt: &'static str,
    /// Most items in a question.
    pub most: usize,
    /// The prompt's other values: a JSON object.
    pub vars: &'a dyn Fn(&S) -> Value,
    /// The schema of a reply about so many items.
    pub schema: &'a dyn Fn(usize) -> Value,
    /// Tokens that the longest such reply takes.
    pub tokens: fn(usize) -> u32,
    /// Whether a reply about a subject fits what was shown; that it names each item once is
    /// checked already.
    pub check: &'a (dyn Fn(&R, &S) -> Result<(), Unscored> + Sync),
    /// The kind of the reply.
    pub reply: PhantomData<R>,
}

/// Tokens that a reply about `n` items takes whose texts have so many characters each: a token for
/// every two of them, and what stands around. Chinese takes more for a character, and says the same
/// in a third of them.
pub fn tokens(n: usize, characters: usize) -> u32 {
    (n * (characters / 2 + 70) + 40) as u32
}

/// Items of a subject for one judge.
struct Batch<'a, S> {
    subject: &'a Subject<S>,
    items: Vec<&'a (String, Value)>,
    member: usize,
}

/// How one item ended.
struct Ended<'a> {
    item: &'a str,
    cached: bool,
    failed: Option<Unscored>,
}

/// Asks each judge about the items of each subject, at most `most` at once, and saves what the
/// replies say of each, or for each why they say nothing.
pub async fn judge<S: Sync, R: Each>(
    ctx: &Context,
    form: &BatchForm<'_, S, R>,
    subjects: &[Subject<S>],
) -> Result<StageReport> {
    let mut report = StageReport::new(form.stage);
    let mut batches = Vec::new();
    let panel = super::panel(ctx, form.role, form.prompt)?;
    for (member, judge) in panel.into_iter().enumerate() {
        let alone = super::by_panel(form.instrument, vec![judge]);
        let judge = ctx.store.panel_judgements(&alone)?;
        for subject in subjects {
            let known = known(ctx, &judge, form.instrument, &subject.id)?;
            let mut open: Vec<&(String, Value)> = Vec::new();
            for item in &subject.items {
                match known.get(&item.0) {
                    Some(None) => report.skipped += 1,
                    Some(Some(cause)) => {
                        let reason = "on record".to_owned();
                        let name = format!("{} and {}", subject.id, item.0);
                        let unscored = Unscored {
                            cause: *cause,
                            reason,
                        };
                        report.fail_unscored(&name, &unscored);
                    }
                    None => open.push(item),
                }
            }
            let order = |(item, _): &&(String, Value)| {
                sha256_hex(format!("{} {} {item}", ctx.seed, subject.id).as_bytes())
            };
            open.sort_by_cached_key(order);
            batches.extend(open.chunks(form.most.max(1)).map(|items| Batch {
                subject,
                items: items.to_vec(),
                member,
            }));
        }
    }
    let work = async |batch| ask(ctx, form, batch).await;
    let at_once = ctx.llm.parallel(form.role);
    for (batch, ended) in ctx.each(form.stage, &batches, at_once, work).await? {
        for one in ended {
            report.count(one.cached);
            if let Some(unscored) = one.failed {
                report.fail_unscored(&format!("{} and {}", batch.subject.id, one.item), &unscored);
            }
        }
    }
    Ok(report)
}

/// The items of a subject that a judge is not asked about again: it has decided, or, with the
/// cause, gave no reply that could be read. As everywhere, `--retry-failed` asks once more.
fn known(
    ctx: &Context,
    judge: &PanelJudgements<'_>,
    instrument: Instrument,
    subject: &str,
) -> Result<BTreeMap<String, Option<Cause>>> {
    let known = judge.read_bare(instrument, subject, |_| Ok(()))?;
    let stays = |cause: &Cause| is_unreadable(*cause) && !ctx.llm.retries_failed();
    let known = known.into_iter().filter_map(|of| match of.outcome {
        Ok(()) => Some((of.about, None)),
        Err(cause) => stays(&cause).then_some((of.about, Some(cause))),
    });
    Ok(known.collect())
}

/// An answer about some items, with its judge.
struct BatchAnswer<'a, V> {
    items: Vec<&'a (String, Value)>,
    seen: String,
    call: CallId,
    cached: bool,
    judge: Judge,
    verdicts: Vec<Result<V, Unscored>>,
}

/// Asks about a batch, and about its halves where the reply cannot be read. All judgements of a
/// batch are saved together: what a killed run left open is batches of the same items, whose
/// replies are on record.
async fn ask<'a, S: Sync, R: Each>(
    ctx: &Context,
    form: &BatchForm<'_, S, R>,
    batch: &Batch<'a, S>,
) -> Result<Vec<Ended<'a>>> {
    let subject = batch.subject;
    let (mut answers, mut open) = (Vec::new(), vec![batch.items.clone()]);
    while let Some(items) = open.pop() {
        let n = items.len();
        let mut vars = (form.vars)(&subject.of);
        vars["items"] = items.iter().map(|(_, shown)| shown.clone()).collect();
        let question = Ask::<R> {
            role: form.role,
            member: batch.member,
            prompt: form.prompt,
            vars: &vars,
            schema: Some((form.schema)(n)),
            max_tokens: (form.tokens)(n),
            check: &|reply| {
                each_once(reply.numbers(), n)?;
                (form.check)(reply, &subject.of)
            },
            ..Ask::default()
        };
        let (answer, judge) = super::ask(ctx, question).await?;
        match answer.value {
            Err(unscored) if n > 1 && is_unreadable(unscored.cause) => {
                let (first, second) = items.split_at(n / 2);
                open.extend([second.to_vec(), first.to_vec()]);
            }
            value => answers.push(BatchAnswer {
                verdicts: match value {
                    Ok(reply) => in_order(reply).into_iter().map(Ok).collect(),
                    Err(unscored) => (0..n).map(|_| Err(unscored.clone())).collect(),
                },
                seen: super::seen(&vars),
                items,
                call: answer.call,
                cached: answer.cached,
                judge,
            }),
        }
    }
    save(ctx, form.instrument, subject, answers)
}

/// An error unless a reply speaks of each of `n` items once.
fn each_once(mut numbers: Vec<usize>, n: usize) -> Result<(), Unscored> {
    numbers.sort_unstable();
    if numbers.iter().copied().eq(1..=n) {
        return Ok(());
    }
    Err(Unscored {
        cause: Cause::UnknownReference,
        reason: format!("it must name each of 1 to {n} once: {numbers:?}"),
    })
}

/// The verdicts in the order of the items.
fn in_order<R: Each>(reply: R) -> Vec<R::One> {
    let numbers = reply.numbers();
    let mut verdicts: Vec<(usize, R::One)> = numbers.into_iter().zip(reply.verdicts()).collect();
    verdicts.sort_by_key(|(number, _)| *number);
    verdicts.into_iter().map(|(_, verdict)| verdict).collect()
}

/// Whether the reply is at fault, and not the way to the model.
fn is_unreadable(cause: Cause) -> bool {
    !cause.is_transient()
}

/// Saves what answers say of each item, or for each why they say nothing.
fn save<'a, S, V: Verdict>(
    ctx: &Context,
    instrument: Instrument,
    subject: &Subject<S>,
    answers: Vec<BatchAnswer<'a, V>>,
) -> Result<Vec<Ended<'a>>> {
    let judgements: Vec<NewJudgement<'_>> = answers
        .iter()
        .flat_map(|answer| answer.judgements(instrument, subject))
        .collect();
    ctx.store.save_judgements(&judgements)?;
    drop(judgements);
    let ended = answers.into_iter().flat_map(|answer| {
        let cached = answer.cached;
        let items = answer.items.into_iter().zip(answer.verdicts);
        items.map(move |((item, _), verdict)| Ended {
            item,
            cached,
            failed: verdict.err(),
        })
    });
    Ok(ended.collect())
}

impl<V: Verdict> BatchAnswer<'_, V> {
    fn judgements<'s, S>(
        &'s self,
        instrument: Instrument,
        subject: &'s Subject<S>,
    ) -> impl Iterator<Item = NewJudgement<'s>> {
        let verdicts = self.items.iter().zip(&self.verdicts).enumerate();
        verdicts.map(move |(place, ((item, _), verdict))| {
            let mut keep = subject.keep.clone();
            // Where it stood among the others may matter.
            keep["place"] = json!(place + 1);
            keep["of"] = json!(self.items.len());
            let about = About {
                instrument,
                subject: &subject.id,
                other: Some(item),
                sample: 0,
                evidence: self.seen.clone(),
                keep,
            };
            super::judgement(about, verdict.as_ref(), &self.judge, &self.call)
        })
    }
}
