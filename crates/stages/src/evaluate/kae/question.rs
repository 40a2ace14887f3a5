//! The question to a judge of relations about one key point and one report: the report as it is, or
//! one with a known answer.

use serde_json::{Value, json};

use crate::{
    data::{KeyPoint, Task},
    evaluate::Case,
    judging::relate::{self, Related},
    llm::Ask,
};

pub const PROMPT: &str = "evaluate/relation";
pub const ROLE: &str = "relate";

/// A report with the key points that it is compared with.
pub type Compared<'a> = (Case<'a>, Vec<&'a KeyPoint>);

/// The prompt's values.
pub fn vars(task: &Task, report: &str, point: &KeyPoint) -> Value {
    json!({ "task": task.text, "report": report, "point": point.text })
}

/// The question to a member of the panel.
pub fn ask(member: usize, vars: &Value) -> Ask<'_, Related> {
    Ask {
        role: ROLE,
        member,
        prompt: PROMPT,
        vars,
        schema: Some(relate::schema()),
        max_tokens: 600,
        ..Ask::default()
    }
}
