//! A batch of questions to the whole panel: each verdict is saved the moment it is there, and what came of them is
//! counted. Hides who is asked in which order.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::{
    Options, Pair,
    judge::{self, Judged},
};
use crate::{
    context::{self, Context, Notice, StageReport},
    data::{Task, TaskId},
    store::{Judge, Ranking},
};

/// One pair to be shown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Question {
    pub pair: Pair,
    /// 0, or more where the same question is asked again.
    pub sample: u32,
    /// The batch or round, which tells in which order verdicts were asked for.
    pub round: u32,
}

/// The tasks, and who has judged them so far.
pub(super) struct Panel<'a> {
    ctx: &'a Context,
    tasks: BTreeMap<&'a TaskId, &'a Task>,
    judges: BTreeSet<Judge>,
}

impl<'a> Panel<'a> {
    pub fn new(ctx: &'a Context, tasks: &'a [Task]) -> Self {
        let tasks = tasks.iter().map(|task| (&task.id, task)).collect();
        Self { ctx, tasks, judges: BTreeSet::new() }
    }

    /// The ids, sorted.
    pub fn ids(&self) -> Vec<TaskId> {
        self.tasks.keys().map(|id| (*id).clone()).collect()
    }

    /// Asks every member every question, and returns what came of it in that order.
    pub async fn ask(&mut self, mut questions: Vec<Question>, report: &mut StageReport) -> Result<Vec<Judged>> {
        let ctx = self.ctx;
        if ctx.llm.parallel("judge") == 1 {
            // A model that is asked one thing at a time keeps what it has read: pairs with the same first task follow
            // each other.
            questions.sort_unstable();
        }
        let members = ctx.llm.members("judge");
        let each = questions.iter().flat_map(|question| (0..members).map(move |member| (question, member)));
        let tasks = &self.tasks;
        let all = context::all(each, ctx.llm.parallel("judge"), |(question, member)| async move {
            let judged = judge::compare(ctx, tasks, question, member).await?;
            (ctx.notify)(Notice::Advance(1));
            Ok(judged)
        })
        .await?;
        for judged in &all {
            self.judges.insert(judged.judge.clone());
            if judged.cached {
                report.skipped += 1;
            } else {
                report.done += 1;
            }
            if let Err(unscored) = &judged.comparison.outcome {
                let item = format!("{} against {}", judged.comparison.a, judged.comparison.b);
                report.fail_unscored(&item, unscored);
            }
        }
        Ok(all)
    }

    /// Notes the question that this panel was asked, and whoever has judged these tasks for it; where nobody has, nothing.
    pub fn note(&self, method: &str, parameters: serde_json::Value) -> Result<()> {
        let members = asked(self.ctx)?;
        let known = |task: &TaskId| self.tasks.contains_key(task);
        let mut judges = self.judges.clone();
        for of in self.ctx.store.recorded(|model, prompt| is_asked(&members, model, prompt))? {
            if known(&of.comparison.a) && known(&of.comparison.b) {
                judges.insert(of.judge);
            }
        }
        let panel: Vec<Judge> = judges.into_iter().collect();
        if panel.is_empty() {
            return Ok(());
        }
        let seed = self.ctx.seed;
        self.ctx.store.save_ranking(&Ranking { method: method.into(), parameters, seed, items: self.ids(), panel })
    }
}

/// The names and prompts of those who will be asked: the verdicts of another model or prompt are another judge's.
pub(super) fn asked(ctx: &Context) -> Result<Vec<(String, String)>> {
    let member = |member| Ok((ctx.llm.model_name("judge", member)?, judge::prompt_hash(ctx, member)?));
    (0..ctx.llm.members("judge")).map(member).collect()
}

/// Whether a model with a prompt is among those who are asked.
pub(super) fn is_asked(members: &[(String, String)], model: &str, prompt: &str) -> bool {
    members.iter().any(|(m, p)| m == model && p == prompt)
}

/// What makes a ranking by duels the question that it is.
pub(super) fn parameters(options: &Options, tasks: usize) -> serde_json::Value {
    serde_json::json!({
        "top": options.top,
        "budget_calls": options.calls(tasks),
        "target_recall": options.target_recall,
        "audit": options.audit,
    })
}
