//! How much a key point matters for its task, from 0 (trivial) to 3 (an answer stands or falls with
//! it): a second look at all points of a task together. The paper's figures count each point the
//! same; the weighted ones beside them count it so often.

use std::{collections::BTreeMap, marker::PhantomData};

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{limits::ROLE, question::Compared};
use crate::{
    context::{Context, StageReport},
    data::{Cause, Decision, Instrument, KeyPoint, SubjectKind, Task, TaskId, Unscored},
    judging::{
        Verdict,
        batch::{self, BatchForm, Each, Subject},
    },
    llm::{Answer, object},
    store::PanelJudgements,
};

pub const PROMPT: &str = "evaluate/importance";
/// Points in one question: weighing needs the others beside it.
const TOGETHER: usize = 20;
/// The largest importance.
const MOST: u8 = 3;
/// Longest reason in characters.
const LONGEST: usize = 160;

/// How much a key point of a task matters.
pub const IMPORTANCE: Instrument = Instrument {
    id: "kae/importance/1",
    family: "kae",
    criterion: "importance",
    scale: "0 to 3",
    subject: SubjectKind::Task,
    letter: 'm',
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Weighed {
    points: Vec<One>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct One {
    number: usize,
    reason: String,
    importance: u8,
}

impl Answer for Weighed {
    fn validate(&self) -> Result<(), Unscored> {
        match self.points.iter().find(|one| one.importance > MOST) {
            None => Ok(()),
            Some(one) => Err(Unscored {
                cause: Cause::OutOfRange,
                reason: format!("{} is no importance from 0 to {MOST}", one.importance),
            }),
        }
    }
}

impl Each for Weighed {
    type One = One;

    fn numbers(&self) -> Vec<usize> {
        self.points.iter().map(|one| one.number).collect()
    }

    fn verdicts(self) -> Vec<One> {
        self.points
    }
}

impl Verdict for One {
    fn decision(&self) -> Decision {
        Decision {
            value: Some(f64::from(self.importance)),
            label: self.importance.to_string(),
            confidence: None,
        }
    }

    fn payload(&self) -> Value {
        json!({ "reason": self.reason })
    }
}

/// Asks how much each point matters that a report is compared with. One model decides for all
/// reports, so that they are weighed alike.
pub async fn weigh(ctx: &Context, compared: &[Compared<'_>]) -> Result<StageReport> {
    let mut of_task: BTreeMap<&TaskId, (&Task, BTreeMap<&str, &KeyPoint>)> = BTreeMap::new();
    for (case, points) in compared {
        let (_, known) = of_task
            .entry(&case.task.id)
            .or_insert_with(|| (case.task, BTreeMap::new()));
        known.extend(points.iter().map(|point| (point.id.as_str(), *point)));
    }
    let subjects: Vec<Subject<&Task>> = of_task
        .into_values()
        .map(|(task, points)| Subject {
            id: task.id.to_string(),
            items: points
                .into_iter()
                .map(|(id, point)| (id.to_owned(), json!(point.text)))
                .collect(),
            of: task,
            keep: json!({}),
        })
        .collect();
    let form = BatchForm {
        stage: "importance",
        instrument: IMPORTANCE,
        role: ROLE,
        prompt: PROMPT,
        most: TOGETHER,
        vars: &|task: &&Task| json!({ "task": task.text }),
        schema: &schema,
        tokens: |n| batch::tokens(n, LONGEST),
        check: &|_: &Weighed, _| Ok(()),
        reply: PhantomData,
    };
    batch::judge(ctx, &form, &subjects).await
}

/// The importance of the points of a task that were asked about, or why there is none.
pub fn of_task(
    judgements: &PanelJudgements<'_>,
    task: &TaskId,
) -> Result<BTreeMap<String, Result<u8, &'static str>>> {
    let known =
        judgements.read_bare(
            IMPORTANCE,
            task.as_str(),
            |stored| Ok(stored.value()? as u8),
        )?;
    let known = known.into_iter();
    Ok(known
        .map(|of| (of.about, of.outcome.map_err(Cause::word)))
        .collect())
}

fn schema(n: usize) -> Value {
    let numbers: Vec<usize> = (1..=n).collect();
    let one = object(&json!({
        "number": { "type": "integer", "enum": numbers },
        "reason": { "type": "string", "maxLength": LONGEST },
        "importance": { "type": "integer", "enum": [0, 1, 2, 3] }
    }));
    object(&json!({
        "points": { "type": "array", "items": one, "minItems": n, "maxItems": n }
    }))
}
