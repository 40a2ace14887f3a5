//! Here is a question about a subject: ask a panel, keep each judgement the moment it is there.
//! Hides the record of judges, what a judge saw (by hash), how a failure is counted and that a
//! judgement on record is not asked for again. Stages say what they ask; the forms that several of
//! them ask in (a rating, a relation, a comparison, an order) are here.

pub mod batch;
pub mod compare;
pub mod hidden;
pub mod order;
pub mod rate;
pub mod relate;

use anyhow::Result;
use serde_json::Value;

use crate::{
    context::{Context, StageReport},
    data::{
        CallId, DecidedBy, Decision, InForce, Instrument, Judge, NewJudgement, Unscored,
        id::sha256_hex, judgement_id,
    },
    llm::{Answer, Answered, Ask},
    store::{Evaluation, Kept},
};

/// A question to one member of a panel about one subject.
pub struct Question<'a, A> {
    /// What is measured.
    pub instrument: Instrument,
    /// Id of what is judged.
    pub subject: &'a str,
    /// What it is judged against: a criterion, a key point, another item; none for nothing.
    pub other: Option<&'a str>,
    /// What is kept beside what the reply says, such as the round: a JSON object.
    pub keep: Value,
    /// What makes another judge of the same model and prompt, such as evidence that it is shown;
    /// empty for nothing.
    pub knowing: &'a str,
    /// The prompt, its values, the member of the panel and the repetition.
    pub ask: Ask<'a, A>,
}

/// A model's reply that holds a judgement, or the part of one that does.
pub trait Verdict {
    /// What it says, in the fields that every judgement has.
    fn decision(&self) -> Decision;
    /// Everything else that is kept, above all `reason`: a JSON object.
    fn payload(&self) -> Value;
}

/// A judgement that is on record now.
#[derive(Debug)]
pub struct Judged<A> {
    /// The reply, or why there is none.
    pub reply: Result<A, Unscored>,
    /// Who decided.
    pub judge: Judge,
    /// The call that it was read from; none where code decided.
    pub call: Option<CallId>,
    /// Whether nothing had to be asked.
    pub cached: bool,
    /// What became of it in the store.
    pub kept: Kept,
}

impl<A> Judged<A> {
    /// The same judgement, its reply in another form.
    pub fn map<B>(self, form: impl FnOnce(A) -> B) -> Judged<B> {
        Judged {
            reply: self.reply.map(form),
            judge: self.judge,
            call: self.call,
            cached: self.cached,
            kept: self.kept,
        }
    }

    /// Counts how it ended; `name` says what failed, for people.
    pub fn count(&self, name: &str, report: &mut StageReport) {
        report.count(self.cached);
        if let Err(unscored) = &self.reply {
            report.fail_unscored(name, unscored);
        }
    }
}

/// Asks one member of a panel and saves the judgement, or why there is none.
///
/// The call is on record before its judgement is: if the process dies in between, the same question
/// finds the reply and pays nothing.
pub async fn judge<A: Answer + Verdict>(
    ctx: &Context,
    question: Question<'_, A>,
) -> Result<Judged<A>> {
    let Question {
        instrument,
        subject,
        other,
        keep,
        knowing,
        ask,
    } = question;
    let about = About {
        instrument,
        subject,
        other,
        sample: ask.sample,
        evidence: seen(ask.vars),
        keep,
    };
    let (answer, mut judge) = self::ask(ctx, ask).await?;
    judge.prompt_hash = prompt_and(judge.prompt_hash, knowing);
    let judgement = judgement(about, answer.value.as_ref(), &judge, &answer.call);
    let kept = ctx.store.save_judgement(&judgement)?;
    Ok(Judged {
        reply: answer.value,
        judge,
        call: Some(answer.call),
        cached: answer.cached,
        kept,
    })
}

/// Asks one member of a panel, and says who answered.
pub async fn ask<A: Answer>(ctx: &Context, ask: Ask<'_, A>) -> Result<(Answered<A>, Judge)> {
    let (role, member, prompt) = (ask.role, ask.member, ask.prompt);
    let answer = ctx.llm.ask(ask).await?;
    let judge = ctx.llm.judge(role, member, prompt, &answer)?;
    Ok((answer, judge))
}

/// The hash of what a judge sees.
pub fn seen(vars: &Value) -> String {
    sha256_hex(vars.to_string().as_bytes())
}

/// What a judgement is about, where a reply may hold several.
pub struct About<'a> {
    /// What is measured.
    pub instrument: Instrument,
    /// Id of what is judged.
    pub subject: &'a str,
    /// What it is judged against; none for nothing.
    pub other: Option<&'a str>,
    /// Repetition of the same question, from 0.
    pub sample: u32,
    /// The hash of what the judge saw.
    pub evidence: String,
    /// What is kept beside what the reply says: a JSON object.
    pub keep: Value,
}

/// One judgement that a reply holds, or why there is none.
pub fn judgement<'a, A: Verdict>(
    about: About<'a>,
    verdict: Result<&A, &'a Unscored>,
    judge: &'a Judge,
    call: &'a CallId,
) -> NewJudgement<'a> {
    let (subject, other) = (about.subject, about.other.unwrap_or_default());
    let judge = DecidedBy::Model(judge);
    NewJudgement {
        instrument: about.instrument,
        id: judgement_id(about.instrument, subject, other, about.sample, judge),
        subject,
        other: about.other,
        judge,
        sample: about.sample,
        decision: verdict.map(Verdict::decision),
        payload: payload(verdict, about.keep),
        call: Some(call),
        evidence: Some(about.evidence),
    }
}

/// Saves why a judgement could not even be asked for, such as a failed step before it.
pub fn keep_failure(
    ctx: &Context,
    instrument: Instrument,
    subject: &str,
    judge: &Judge,
    unscored: &Unscored,
    call: &CallId,
) -> Result<Kept> {
    let judge = DecidedBy::Model(judge);
    ctx.store.save_judgement(&NewJudgement {
        instrument,
        id: judgement_id(instrument, subject, "", 0, judge),
        subject,
        other: None,
        judge,
        sample: 0,
        decision: Err(unscored),
        payload: serde_json::json!({ "reason": unscored.reason }),
        call: Some(call),
        evidence: None,
    })
}

/// A decision of a program.
pub struct DecisionOfCode<'a> {
    /// What is measured.
    pub instrument: Instrument,
    /// Id of what is judged.
    pub subject: &'a str,
    /// What it is judged against; none for nothing.
    pub other: Option<&'a str>,
    /// Repetition of the same question, from 0.
    pub sample: u32,
    /// The program alone, or as a member of a panel.
    pub decided_by: DecidedBy<'a>,
    /// What it decided from.
    pub saw: &'a str,
    /// The decision in the fields that every judgement has.
    pub decision: Decision,
    /// Everything else that is kept: a JSON object.
    pub payload: Value,
}

/// Saves what a program decides.
pub fn decide_by_code(ctx: &Context, by: DecisionOfCode<'_>) -> Result<Kept> {
    let (subject, other) = (by.subject, by.other.unwrap_or_default());
    ctx.store.save_judgement(&NewJudgement {
        instrument: by.instrument,
        id: judgement_id(by.instrument, subject, other, by.sample, by.decided_by),
        subject,
        other: by.other,
        judge: by.decided_by,
        sample: by.sample,
        decision: Ok(by.decision),
        payload: by.payload,
        call: None,
        evidence: Some(sha256_hex(by.saw.as_bytes())),
    })
}

/// Puts every question, as many at once as the role's models allow, and counts how each ended.
/// `name` says what failed, for people.
pub async fn judge_each<Q, A>(
    ctx: &Context,
    stage: &'static str,
    role: &str,
    questions: &[Q],
    judge_one: impl AsyncFn(&Q) -> Result<Judged<A>>,
    name: impl Fn(&Q) -> String,
) -> Result<StageReport> {
    let mut report = StageReport::new(stage);
    let work = async |question| judge_one(question).await;
    let judged = ctx
        .each(stage, questions, ctx.llm.parallel(role), work)
        .await?;
    for (question, judged) in judged {
        judged.count(&name(question), &mut report);
    }
    Ok(report)
}

/// An evaluation in which this panel's judgements with one instrument are all that count.
pub fn by_panel(instrument: Instrument, panel: Vec<(String, String)>) -> Evaluation {
    Evaluation {
        instruments: vec![InForce {
            instrument: instrument.id.to_owned(),
            panel,
            settings: Value::Null,
        }],
    }
}

/// Stands for the prompt's hash of a judge that knows more than the prompt says.
pub fn prompt_and(prompt_hash: String, knowing: &str) -> String {
    if knowing.is_empty() {
        return prompt_hash;
    }
    sha256_hex(format!("{prompt_hash} {knowing}").as_bytes())
}

/// The members of a role's panel as judgements name them: model asked, hash of the prompt.
pub fn panel(ctx: &Context, role: &'static str, prompt: &str) -> Result<Vec<(String, String)>> {
    (0..ctx.llm.members(role))
        .map(|member| {
            Ok((
                ctx.llm.model_name(role, member)?,
                ctx.llm.prompt_hash(prompt)?,
            ))
        })
        .collect()
}

fn payload<A: Verdict>(reply: Result<&A, &Unscored>, keep: Value) -> Value {
    let mut payload = match reply {
        Ok(reply) => reply.payload(),
        Err(unscored) => serde_json::json!({ "reason": unscored.reason }),
    };
    if let (Value::Object(payload), Value::Object(keep)) = (&mut payload, keep) {
        payload.extend(keep);
    }
    payload
}
