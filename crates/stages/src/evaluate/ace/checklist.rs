//! The checklist of a task: weighted criteria, written once and frozen; by a model, or by several
//! whose checklists become one.

use std::collections::BTreeMap;

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    criteria::{self, Criterion},
    merged::Merged,
    review,
};
use crate::{
    context::{Context, StageReport},
    data::{CallId, Cause, Task, TaskId, TaskType, Unscored},
    evaluate::{Case, Form},
    llm::{Answer, Ask, object},
    store::Store,
};

const PAPER: &str = "evaluate/checklist";
const STRICT: &str = "evaluate/checklist-strict";
const SHORT: &str = "evaluate/checklist-short";
/// The role that writes checklists.
pub const ROLE: &str = "checklist";
/// Weights of the three criteria that a built-in model names by importance, because it cannot make
/// weights add up.
const BY_IMPORTANCE: [f64; 3] = [0.5, 0.3, 0.2];
/// Longest texts in characters.
const TITLE: usize = 120;
const DESCRIPTION: usize = 800;
const DESCRIPTION_STRICT: usize = 500;

/// The checklists by task, with their ids.
pub type Checklists = BTreeMap<TaskId, (String, Vec<Criterion>)>;

/// The frozen checklist of a task, with its id.
pub fn of_task(store: &Store, task: &TaskId) -> Result<Option<(String, Vec<Criterion>)>> {
    store.checklist(task)
}

/// The name of a criterion: its checklist and its place.
pub fn criterion_name(checklist: &str, at: usize) -> String {
    format!("{checklist}/{}", at + 1)
}

/// The checklists by task: each criterion with the name that its ratings have.
pub fn named(store: &Store) -> Result<BTreeMap<TaskId, Vec<(String, Criterion)>>> {
    let checklists: Checklists = store.checklists()?;
    Ok(checklists
        .into_iter()
        .map(|(task, (id, criteria))| (task, with_names(&id, criteria)))
        .collect())
}

/// The checklist of a task: each criterion with the name that its ratings have. Empty where there
/// is none.
pub fn named_of(store: &Store, task: &TaskId) -> Result<Vec<(String, Criterion)>> {
    let found = of_task(store, task)?;
    Ok(found.map_or_else(Vec::new, |(id, criteria)| with_names(&id, criteria)))
}

fn with_names(checklist: &str, criteria: Vec<Criterion>) -> Vec<(String, Criterion)> {
    criteria
        .into_iter()
        .enumerate()
        .map(|(at, criterion)| (criterion_name(checklist, at), criterion))
        .collect()
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Written {
    evaluation_criteria: Vec<Criterion>,
}

impl Written {
    fn criteria(&self) -> Vec<Criterion> {
        self.evaluation_criteria
            .iter()
            .map(|of| trimmed(&of.title, of.weight, &of.description))
            .collect()
    }
}

impl Answer for Written {
    fn validate(&self) -> Result<(), Unscored> {
        sound(&self.criteria())
    }
}

/// What a built-in model writes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Short {
    criteria: Vec<ShortCriterion>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShortCriterion {
    title: String,
    description: String,
}

impl Short {
    fn criteria(&self) -> Vec<Criterion> {
        let weighed = self.criteria.iter().zip(BY_IMPORTANCE);
        weighed
            .map(|(of, weight)| trimmed(&of.title, weight, &of.description))
            .collect()
    }
}

impl Answer for Short {
    fn validate(&self) -> Result<(), Unscored> {
        if self.criteria.len() != BY_IMPORTANCE.len() {
            let reason = format!(
                "{} criteria instead of {}",
                self.criteria.len(),
                BY_IMPORTANCE.len()
            );
            return Err(Unscored {
                cause: Cause::WrongShape,
                reason,
            });
        }
        sound(&self.criteria())
    }
}

fn trimmed(title: &str, weight: f64, description: &str) -> Criterion {
    Criterion {
        title: title.trim().to_owned(),
        weight,
        description: description.trim().to_owned(),
    }
}

/// An error if a list of criteria cannot be used for ratings.
fn sound(criteria: &[Criterion]) -> Result<(), Unscored> {
    criteria::check(criteria)
        .map(drop)
        .map_err(|invalid| Unscored {
            cause: Cause::Inconsistent,
            reason: invalid.to_string(),
        })
}

/// Has a checklist written for each task that has none.
pub async fn write(
    ctx: &Context,
    cases: &[Case<'_>],
    form: Form,
) -> Result<(Checklists, StageReport)> {
    let mut report = StageReport::new("checklists");
    // Frozen ones stay: all reports on a task are rated by the same criteria.
    let frozen: Checklists = ctx.store.checklists()?;
    let tasks: BTreeMap<&TaskId, &Task> = cases
        .iter()
        .map(|case| (&case.task.id, case.task))
        .collect();
    let missing: Vec<&Task> = tasks
        .values()
        .copied()
        .filter(|task| !frozen.contains_key(&task.id))
        .collect();
    report.skipped = (tasks.len() - missing.len()) as u64;
    let write = async |task| write_one(ctx, task, form).await;
    let mut merged = Vec::new();
    for (task, written) in ctx
        .each(report.stage, missing, ctx.llm.parallel(ROLE), write)
        .await?
    {
        report.done += 1;
        match written {
            Ok(of_several) => merged.extend(of_several),
            Err(unscored) => report.fail_unscored(task.id.as_str(), &unscored),
        }
    }
    report.notes.extend(told(&merged, ctx.llm.members(ROLE)));
    // Read back from the store: a checklist of an earlier run counts the same.
    Ok((ctx.store.checklists()?, report))
}

/// Writes and freezes the checklist of a task. Returns what became of the proposals where several
/// models made them, or why there is no checklist: if one of the models has none, or no verdict on
/// the others', it is not made of the rest.
async fn write_one(
    ctx: &Context,
    task: &Task,
    form: Form,
) -> Result<Result<Option<Merged>, Unscored>> {
    let (first, call) = draft(ctx, task, form, 0).await?;
    let mut drafts = vec![first];
    // All are asked, whatever the others say: what is on record is not asked for again.
    for member in 1..ctx.llm.members(ROLE) {
        drafts.push(draft(ctx, task, form, member).await?.0);
    }
    let mut drafts = match drafts.into_iter().collect::<Result<Vec<_>, _>>() {
        Ok(drafts) => drafts,
        Err(unscored) => return Ok(Err(unscored)),
    };
    let merged = if drafts.len() > 1 {
        match review::merge(ctx, ROLE, task, std::mem::take(&mut drafts)).await? {
            Ok(merged) => Some(merged),
            Err(unscored) => return Ok(Err(unscored)),
        }
    } else {
        None
    };
    let criteria = match &merged {
        Some(merged) => &merged.criteria,
        None => &drafts[0],
    };
    ctx.store.save_checklist(&task.id, criteria, &call)?;
    Ok(Ok(merged))
}

/// What became of the proposals of several writers, in a line; none where one model writes alone.
fn told(merged: &[Merged], writers: usize) -> Option<String> {
    let n = merged.len();
    if n == 0 {
        return None;
    }
    let sum = |of: fn(&Merged) -> u64| merged.iter().map(of).sum::<u64>();
    let shared = merged.iter().map(|of| of.shared).sum::<f64>() / n as f64;
    let mut faults: BTreeMap<&str, u64> = BTreeMap::new();
    for (fault, n) in merged.iter().flat_map(|of| &of.faults) {
        *faults.entry(fault).or_default() += n;
    }
    let faults: Vec<String> = faults
        .iter()
        .map(|(word, n)| format!("{word} {n}"))
        .collect();
    let faults = if faults.is_empty() {
        "none".to_owned()
    } else {
        faults.join(", ")
    };
    Some(format!(
        "by {writers} models, who agree on {:.0} % of the weight: {} criteria; refused: {faults}; beyond the six heaviest: {}",
        shared * 100.0,
        sum(|of| of.criteria.len() as u64),
        sum(|of| of.beyond),
    ))
}

/// What one of the models writes.
async fn draft(
    ctx: &Context,
    task: &Task,
    form: Form,
    member: usize,
) -> Result<(Result<Vec<Criterion>, Unscored>, CallId)> {
    let mut vars = json!({
        "task": task.text,
        "family": task.facets.family_label(),
        "difficulty": task.facets.difficulty_label(),
        "focus": focus(task.facets.task_type),
        "discipline": task.facets.known_discipline(),
    });
    let (prompt, longest) = match form {
        Form::Paper => (PAPER, DESCRIPTION),
        Form::Strict => {
            vars["day"] = json!(task.as_of);
            (STRICT, DESCRIPTION_STRICT)
        }
    };
    if ctx.llm.is_builtin(ROLE, member)? {
        let question = question((SHORT, member), &vars, short_schema(), 400);
        let answer = ctx.llm.ask::<Short>(question).await?;
        Ok((answer.value.map(|short| short.criteria()), answer.call))
    } else {
        let question = question((prompt, member), &vars, checklist_schema(longest), 1500);
        let answer = ctx.llm.ask::<Written>(question).await?;
        Ok((answer.value.map(|written| written.criteria()), answer.call))
    }
}

fn question<'a, T>(
    (prompt, member): (&'a str, usize),
    vars: &'a Value,
    schema: Value,
    most: u32,
) -> Ask<'a, T> {
    Ask {
        role: ROLE,
        member,
        prompt,
        vars,
        schema: Some(schema),
        max_tokens: most,
        ..Ask::default()
    }
}

/// The focus that the paper gives a checklist, by type of task; where none is known, the most
/// common one.
fn focus(task_type: Option<TaskType>) -> &'static str {
    use TaskType as T;
    let Some(task_type) = task_type else {
        return "complete coverage of what is asked and the quality of sources";
    };
    match task_type {
        T::LiteratureSurvey => "comprehensiveness and the quality of sources",
        T::TrendScan => "accurate data and insight into trends",
        T::RequirementsGathering => "coverage of the stakeholders and validated needs",
        T::HypothesisGeneration => "testability and theoretical grounding",
        T::MethodBlueprint => "rigour and feasibility",
        T::PrototypeSpecification => "technical accuracy and completeness",
        T::MetricDesign => "validity and applicability",
        T::EmpiricalTest => "statistical rigour and interpretation",
        T::ReplicabilityReview => "clear methods and the detection of bias",
        T::ComparativeAnalysis => "fairness and depth",
    }
}

fn checklist_schema(longest: usize) -> Value {
    let weights: Vec<f64> = (1..=16).map(|n| f64::from(n) / 20.0).collect();
    let criterion = object(&json!({
        "title": { "type": "string", "maxLength": TITLE },
        "weight": { "type": "number", "enum": weights },
        "description": { "type": "string", "maxLength": longest }
    }));
    object(
        &json!({ "evaluation_criteria": { "type": "array", "items": criterion, "minItems": 3, "maxItems": 6 } }),
    )
}

fn short_schema() -> Value {
    let text = |most: usize| json!({ "type": "string", "maxLength": most });
    let criterion =
        object(&json!({ "title": text(TITLE / 2), "description": text(DESCRIPTION / 4) }));
    let n = BY_IMPORTANCE.len();
    object(
        &json!({ "criteria": { "type": "array", "items": criterion, "minItems": n, "maxItems": n } }),
    )
}
