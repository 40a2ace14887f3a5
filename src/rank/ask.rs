//! A batch of questions to the whole panel: each verdict is saved the moment it is there, and what
//! came of them is counted. Hides who is asked in which order.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::{
    Method, Options,
    fold::on_record,
    judge::{self, Judged},
    record::Record,
    roster::Roster,
};
use crate::{
    context::{self, Context, Notice, StageReport},
    data::{Lineup, Task, TaskId, Unscored},
    store::{Judge, Ranking, Recorded},
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

/// The tasks, and whose answers were of no use.
pub(super) struct Panel<'a> {
    ctx: &'a Context,
    tasks: BTreeMap<&'a TaskId, &'a Task>,
    unscored: BTreeSet<Judge>,
}

impl<'a> Panel<'a> {
    pub fn new(ctx: &'a Context, tasks: &'a [Task]) -> Self {
        let tasks = tasks.iter().map(|task| (&task.id, task)).collect();
        Self {
            ctx,
            tasks,
            unscored: BTreeSet::new(),
        }
    }

    /// The ids, sorted.
    pub fn ids(&self) -> Vec<TaskId> {
        self.tasks.keys().map(|id| (*id).clone()).collect()
    }

    /// Asks every member which of two is better, for each two, and returns what came of it in that
    /// order.
    pub async fn compare(
        &mut self,
        questions: Vec<Question>,
        report: &mut StageReport,
    ) -> Result<Vec<Recorded>> {
        let (ctx, tasks) = (self.ctx, &self.tasks);
        let ask =
            async |question: &Question, member| judge::compare(ctx, tasks, question, member).await;
        let all = each(ctx, questions, ask).await?;
        for of in &all {
            let told = &of.recorded.told;
            let item = || format!("{} against {}", told.a, told.b);
            count(
                &mut self.unscored,
                of,
                told.outcome.as_ref().err(),
                item,
                report,
            );
        }
        Ok(all.into_iter().map(|of| of.recorded).collect())
    }

    /// Asks every member for the order of each list, and returns what came of it in that order.
    pub async fn order(
        &mut self,
        questions: Vec<Question>,
        report: &mut StageReport,
    ) -> Result<Vec<Recorded<Lineup>>> {
        let (ctx, tasks) = (self.ctx, &self.tasks);
        let ask =
            async |question: &Question, member| judge::order(ctx, tasks, question, member).await;
        let all = each(ctx, questions, ask).await?;
        for of in &all {
            let told = &of.recorded.told;
            let item = || {
                told.shown
                    .iter()
                    .map(TaskId::as_str)
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            count(
                &mut self.unscored,
                of,
                told.outcome.as_ref().err(),
                item,
                report,
            );
        }
        Ok(all.into_iter().map(|of| of.recorded).collect())
    }

    /// Notes the question that was asked, and who answered it, whatever ended the run: what was
    /// judged until then is a ranking, too. Where nobody answered, nothing is noted. Then looks at
    /// the judges a last time.
    pub fn end(
        &self,
        roster: &mut Roster,
        method: &str,
        parameters: serde_json::Value,
        outcome: Result<()>,
    ) -> Result<()> {
        if outcome.is_err() {
            Record::of_all(self.ctx, &self.ids(), roster)?;
        }
        let panel = roster.panel(&self.unscored);
        if panel.is_empty() {
            return outcome;
        }
        let seed = self.ctx.seed;
        let ranking = Ranking {
            method: method.into(),
            parameters,
            seed,
            items: self.ids(),
            panel,
        };
        self.ctx.store.save_ranking(&ranking)?;
        outcome?;
        let record = on_record(&self.ctx.store, &ranking)?;
        Ok(roster.last_look(&record.judges, &record.seen)?)
    }
}

async fn each<T>(
    ctx: &Context,
    mut questions: Vec<Question>,
    ask: impl AsyncFn(&Question, usize) -> Result<Judged<T>>,
) -> Result<Vec<Judged<T>>> {
    if ctx.llm.parallel("judge") == 1 {
        // A model that is asked one thing at a time keeps what it has read: pairs with the same
        // first task follow each other.
        questions.sort_unstable();
    }
    let members = ctx.llm.members("judge");
    let each = questions
        .iter()
        .flat_map(|question| (0..members).map(move |member| (question, member)));
    let ask = &ask;
    context::all(
        each,
        ctx.llm.parallel("judge"),
        |(question, member)| async move {
            let judged = ask(question, member).await?;
            (ctx.notify)(Notice::Advance(1));
            Ok(judged)
        },
    )
    .await
}

fn count<T>(
    unscored_of: &mut BTreeSet<Judge>,
    of: &Judged<T>,
    unscored: Option<&Unscored>,
    item: impl Fn() -> String,
    report: &mut StageReport,
) {
    report.count(of.cached);
    if let Some(unscored) = unscored {
        unscored_of.insert(of.recorded.judge.clone());
        report.fail_unscored(&item(), unscored);
    }
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
