//! A question whose sources agents cannot see, with a rubric that is tied to them word by word.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::AnswerLength;
use crate::data::{NodeId, QuestionId};

/// What an item of a rubric asks for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum RubricKind {
    /// An attribute of what is asked about.
    Width,
    /// Which thing is asked about, and the reasoning that leads to it.
    Depth,
}

impl RubricKind {
    /// The word that is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::Width => "width",
            Self::Depth => "depth",
        }
    }
}

/// Item of a rubric, with the passage that it rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RubricItem {
    /// What it asks for.
    pub kind: RubricKind,
    /// What an answer must say to meet it.
    pub text: String,
    /// The page that says so.
    pub node: NodeId,
    /// Where in the page's material the passage begins, in Unicode scalar values.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The passage, character by character.
    pub quote: String,
}

/// A question of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Hash of the text and the pages.
    pub id: QuestionId,
    /// What both agents are asked.
    pub text: String,
    /// The pages that lead to the targets, from the top.
    pub chain: Vec<NodeId>,
    /// The pages that it asks about.
    pub targets: Vec<NodeId>,
    /// Words of an answer.
    pub length: AnswerLength,
    /// What answers are judged by; never empty.
    pub rubric: Vec<RubricItem>,
}

impl Question {
    /// A question with the id of its content.
    pub fn new(
        text: &str,
        chain: Vec<NodeId>,
        targets: Vec<NodeId>,
        length: AnswerLength,
        rubric: Vec<RubricItem>,
    ) -> Self {
        let pages = chain.iter().chain(&targets).map(NodeId::as_str);
        let bounds = [chain.len().to_string(), length.most.to_string()];
        let parts: Vec<&str> = [text]
            .into_iter()
            .chain(bounds.iter().map(String::as_str))
            .chain(pages)
            .collect();
        Self {
            id: QuestionId::from_parts(&parts),
            text: text.to_owned(),
            chain,
            targets,
            length,
            rubric,
        }
    }

    /// The items of a kind.
    pub fn items(&self, kind: RubricKind) -> impl Iterator<Item = &RubricItem> {
        self.rubric.iter().filter(move |item| item.kind == kind)
    }
}

/// A question as a model proposes it. How long answers may be is no part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DraftQuestion {
    /// The question.
    #[schemars(length(min = 1, max = 2000))]
    pub question: String,
    /// What an answer is judged by.
    #[schemars(length(min = 2, max = 20))]
    pub rubric: Vec<DraftItem>,
    /// Why all sources are needed to answer it.
    #[schemars(length(max = 2000))]
    pub rationale: String,
}

/// Item of a proposed rubric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DraftItem {
    /// `width` for an attribute of a target, `depth` for what the target is.
    pub kind: RubricKind,
    /// What an answer must say.
    #[schemars(length(min = 1, max = 500))]
    pub text: String,
    /// The number of the source that says so, from 1.
    pub source: u32,
    /// The words of that source, character by character.
    #[schemars(length(min = 1, max = 1000))]
    pub quote: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_tells_chain_and_targets_apart() {
        let node = |name: &str| NodeId::from_parts(&[name]);
        let ask = |chain: &[&str], targets: &[&str]| {
            let of = |names: &[&str]| names.iter().map(|name| node(name)).collect();
            Question::new("q", of(chain), of(targets), AnswerLength::at(2, 1), vec![]).id
        };
        assert_eq!(ask(&["a"], &["b"]), ask(&["a"], &["b"]));
        assert_ne!(ask(&["a", "b"], &["c"]), ask(&["a"], &["b", "c"]));
    }
}
