//! The pages of a question as they are shown, and what makes a draft on them a question.

use std::collections::BTreeSet;

use crate::{
    arena::{
        examiner::{
            leak::{Hidden, Leak, leaks},
            rubric::{SourcePage, grounded},
        },
        trees::Overlay,
    },
    data::{
        NodeId,
        arena::{AnswerLength, DraftQuestion, Node, Question, RubricItem},
    },
};

/// A page of a question as it is shown.
pub struct Shown<'v> {
    /// The page.
    pub node: &'v Node,
    /// As much of its text as is shown.
    pub material: &'v str,
    /// Whether it is asked about.
    pub is_target: bool,
}

impl<'v> Shown<'v> {
    fn source(&self) -> SourcePage<'_> {
        SourcePage {
            node: &self.node.id,
            material: self.material,
            is_target: self.is_target,
        }
    }

    /// The title, where there is one.
    pub fn title(&self) -> Option<&'v str> {
        self.node.page.title.as_deref()
    }
}

/// The pages that a question leads through and those that it asks about, in this order.
pub fn shown<'v>(
    view: &'v Overlay<'_>,
    chain: &[NodeId],
    targets: &[NodeId],
    most: usize,
) -> Vec<Shown<'v>> {
    let pages = chain.iter().map(|id| (id, false));
    let pages = pages.chain(targets.iter().map(|id| (id, true)));
    let shown = pages.filter_map(|(id, is_target)| {
        let node = view.node(id)?;
        let material = view.material(node).unwrap_or_default();
        let end = material.char_indices().nth(most);
        Some(Shown {
            node,
            material: &material[..end.map_or(material.len(), |(at, _)| at)],
            is_target,
        })
    });
    shown.collect()
}

/// How a text names the pages that are asked about, which it must not.
pub fn leaks_of(text: &str, pages: &[Shown<'_>]) -> Vec<Leak> {
    let hidden: Vec<Hidden<'_>> = pages
        .iter()
        .filter(|page| page.is_target)
        .map(|page| Hidden {
            node: &page.node.id,
            title: page.title(),
            url: &page.node.page.url,
            names: &[],
        })
        .collect();
    let known: Vec<&str> = pages
        .iter()
        .filter(|page| !page.is_target)
        .filter_map(Shown::title)
        .collect();
    leaks(text, &hidden, &known)
}

/// A question of a model on its sources, or why it is none.
pub fn checked(
    draft: &DraftQuestion,
    pages: &[Shown<'_>],
    length: AnswerLength,
    asked: &[Question],
) -> Result<Question, Vec<String>> {
    let sources: Vec<SourcePage<'_>> = pages.iter().map(Shown::source).collect();
    let mut faults = Vec::new();
    for leak in leaks_of(&draft.question, pages) {
        faults.push(format!(
            "the question names what it asks about, by {}: `{}`",
            leak.kind.word(),
            leak.found
        ));
    }
    match grounded(draft, &sources, length) {
        Ok(question) if is_asked(&question, asked) => {
            faults.push("the question was asked before".to_owned());
            Err(faults)
        }
        Ok(question) if faults.is_empty() => Ok(question),
        Ok(_) => Err(faults),
        Err(found) => {
            faults.extend(found.iter().map(ToString::to_string));
            Err(faults)
        }
    }
}

/// Whether a question was asked before: in the same words, or by a rubric that rests on the same
/// passages.
fn is_asked(question: &Question, asked: &[Question]) -> bool {
    let passages = |of: &Question| -> BTreeSet<(NodeId, usize, usize)> {
        let passage = |item: &RubricItem| (item.node.clone(), item.start, item.end);
        of.rubric.iter().map(passage).collect()
    };
    let own = passages(question);
    asked
        .iter()
        .any(|earlier| earlier.text.trim() == question.text.trim() || passages(earlier) == own)
}
