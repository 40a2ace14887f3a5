//! A batch of questions to the whole panel: each verdict is saved the moment it is there, and what came of them is
//! counted. Hides who is asked in which order.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::{
    Method, Options,
    judge::{self, Judged},
};
use crate::{
    context::{self, Context, Notice, StageReport},
    data::{Comparison, Lineup, Task, TaskId, Unscored},
    store::{Judge, Ranking},
};

/// What is to be shown: two tasks, or a list of more.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Question {
    pub shown: Vec<TaskId>,
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

    /// Asks every member which of two is better, for each two, and returns what came of it in that order.
    pub async fn compare(
        &mut self,
        questions: Vec<Question>,
        report: &mut StageReport,
    ) -> Result<Vec<Judged<Comparison>>> {
        let (ctx, tasks) = (self.ctx, &self.tasks);
        let ask = async |question: &Question, member| judge::compare(ctx, tasks, question, member).await;
        let all = each(ctx, questions, ask).await?;
        for of in &all {
            let item = || format!("{} against {}", of.told.a, of.told.b);
            count(&mut self.judges, of, of.told.outcome.as_ref().err(), item, report);
        }
        Ok(all)
    }

    /// Asks every member for the order of each list, and returns what came of it in that order.
    pub async fn order(&mut self, questions: Vec<Question>, report: &mut StageReport) -> Result<Vec<Judged<Lineup>>> {
        let (ctx, tasks) = (self.ctx, &self.tasks);
        let ask = async |question: &Question, member| judge::order(ctx, tasks, question, member).await;
        let all = each(ctx, questions, ask).await?;
        for of in &all {
            let item = || of.told.shown.iter().map(TaskId::as_str).collect::<Vec<_>>().join(", ");
            count(&mut self.judges, of, of.told.outcome.as_ref().err(), item, report);
        }
        Ok(all)
    }

    /// Notes the question that this panel was asked, and whoever has judged these tasks for it; where nobody has, nothing.
    pub fn note(&self, method: &str, parameters: serde_json::Value) -> Result<()> {
        let members = asked(self.ctx, method == "listwise")?;
        let known = |task: &TaskId| self.tasks.contains_key(task);
        let mut judges = self.judges.clone();
        for of in self.ctx.store.recorded(|model, prompt| is_asked(&members, model, prompt))? {
            if known(&of.told.a) && known(&of.told.b) {
                judges.insert(of.judge);
            }
        }
        for of in self.ctx.store.lineups(|model, prompt| is_asked(&members, model, prompt))? {
            if of.told.shown.iter().filter(|id| known(id)).count() > 1 {
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

async fn each<T>(
    ctx: &Context,
    mut questions: Vec<Question>,
    ask: impl AsyncFn(&Question, usize) -> Result<Judged<T>>,
) -> Result<Vec<Judged<T>>> {
    if ctx.llm.parallel("judge") == 1 {
        // A model that is asked one thing at a time keeps what it has read: pairs with the same first task follow each
        // other.
        questions.sort_unstable();
    }
    let members = ctx.llm.members("judge");
    let each = questions.iter().flat_map(|question| (0..members).map(move |member| (question, member)));
    let ask = &ask;
    context::all(each, ctx.llm.parallel("judge"), |(question, member)| async move {
        let judged = ask(question, member).await?;
        (ctx.notify)(Notice::Advance(1));
        Ok(judged)
    })
    .await
}

fn count<T>(
    judges: &mut BTreeSet<Judge>,
    of: &Judged<T>,
    unscored: Option<&Unscored>,
    item: impl Fn() -> String,
    report: &mut StageReport,
) {
    judges.insert(of.judge.clone());
    report.count(of.cached);
    if let Some(unscored) = unscored {
        report.fail_unscored(&item(), unscored);
    }
}

/// The names and prompts of those who will be asked: the verdicts of another model or prompt are another judge's, and so
/// are the orders in which a model puts lists, where `lists` are asked for.
pub(super) fn asked(ctx: &Context, lists: bool) -> Result<Vec<(String, String)>> {
    let mut duels = Vec::new();
    let mut orders = Vec::new();
    for member in 0..ctx.llm.members("judge") {
        let (name, [two, several]) = (ctx.llm.model_name("judge", member)?, judge::prompt_hashes(ctx, member)?);
        duels.push((name.clone(), two));
        orders.push((name, several));
    }
    if lists {
        duels.extend(orders);
    }
    Ok(duels)
}

/// Whether a model with a prompt is among those who are asked.
pub(super) fn is_asked(members: &[(String, String)], model: &str, prompt: &str) -> bool {
    members.iter().any(|(m, p)| m == model && p == prompt)
}

/// What makes a ranking by duels the question that it is.
pub(super) fn parameters(options: &Options, tasks: usize) -> serde_json::Value {
    let mut parameters = serde_json::json!({
        "top": options.top,
        "budget_calls": options.calls(tasks),
        "target_recall": options.target_recall,
        "audit": options.audit,
    });
    if options.method == Method::Listwise {
        parameters["list_size"] = options.list_size.into();
    }
    parameters
}
