//! Free-text questions: the answer is a text in the model's own words, with the sources that its
//! provider names. It has no schema, and so nothing to repair.

use serde_json::Value;

use super::{Answered, Ask, AskError, Llm, parse::without_thinking};
use crate::{
    data::{Call, Cause, Source, Unscored},
    llm::repair::reply_of,
};

/// A text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Without the model's thinking and without white space around it.
    pub text: String,
    /// In the provider's order; a page may be named more than once.
    pub sources: Vec<Source>,
}

impl Llm {
    /// Asks for a text, unless it is on record. [`Ask::schema`] has no meaning here.
    pub async fn write(&self, ask: Ask<'_, Text>) -> Result<Answered<Text>, AskError> {
        self.put(&ask, Value::Null, &|call| {
            let text = read(call)?;
            (ask.check)(&text)?;
            Ok(text)
        })
        .await
    }
}

fn read(call: &Call) -> Result<Text, Unscored> {
    let text = without_thinking(reply_of(call)?);
    if text.is_empty() {
        return Err(Unscored {
            cause: Cause::Empty,
            reason: "the reply holds no text".into(),
        });
    }
    Ok(Text {
        text: text.to_owned(),
        sources: call.sources.clone(),
    })
}
