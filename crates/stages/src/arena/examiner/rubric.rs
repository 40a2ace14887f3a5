//! A rubric that rests on the pages: each item names one of the sources and quotes it word by word.
//! What both answers miss of it says what they lack, beside the judge's own word for it.

use std::collections::BTreeSet;

use crate::{
    data::{
        NodeId, Side,
        arena::{
            AnswerLength, DraftQuestion, DuelVerdict, FailureTag, Met, Question, RubricItem,
            RubricKind,
        },
    },
    text::find,
};

/// Characters of a quote: a single letter stands in every page.
const QUOTE: std::ops::RangeInclusive<usize> = 4..=400;

/// A source of a question, as the examiner was given it.
#[derive(Clone, Copy, Debug)]
pub struct SourcePage<'a> {
    /// The page.
    pub node: &'a NodeId,
    /// Its material.
    pub material: &'a str,
    /// Whether the question asks about it; the others lead to those.
    pub is_target: bool,
}

/// A rule that a proposed question breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RubricFault {
    /// There is no text.
    #[error("the question is empty")]
    NoQuestion,
    /// There is no item of a kind.
    #[error("the rubric has no item of {0}")]
    NoItem(&'static str),
    /// An item names a source that was not shown.
    #[error("item {item}: there is no source {named}")]
    UnknownSource {
        /// The item's number, from 1.
        item: usize,
        /// The source that it names.
        named: u32,
    },
    /// An item says nothing.
    #[error("item {0} is empty")]
    EmptyItem(usize),
    /// The quote is not in its source.
    #[error("item {item}: its quote is not in source {named}")]
    NotQuoted {
        /// The item's number, from 1.
        item: usize,
        /// The source that it names.
        named: u32,
    },
    /// A quote that says nothing, or copies the page.
    #[error("item {0}: its quote must have 4 to 400 characters")]
    QuoteLength(usize),
    /// A target that no item asks for.
    #[error("no item rests on target {0}: the question does not need it")]
    UnusedTarget(usize),
}

/// A proposed question on its sources: every quote is found in its page, and every target is
/// needed. Sources are numbered from 1 in the order in which they were shown, those that lead to
/// the targets first.
pub fn grounded(
    draft: &DraftQuestion,
    sources: &[SourcePage<'_>],
    length: AnswerLength,
) -> Result<Question, Vec<RubricFault>> {
    let mut faults = Vec::new();
    let mut rubric = Vec::new();
    let text = draft.question.trim();
    if text.is_empty() {
        faults.push(RubricFault::NoQuestion);
    }
    for (at, item) in draft.rubric.iter().enumerate() {
        let place = (item.source as usize).checked_sub(1);
        let Some(source) = place.and_then(|place| sources.get(place)) else {
            faults.push(RubricFault::UnknownSource {
                item: at + 1,
                named: item.source,
            });
            continue;
        };
        if item.text.trim().is_empty() {
            faults.push(RubricFault::EmptyItem(at + 1));
        }
        let length = item.quote.trim().chars().count();
        if length > 0 && !QUOTE.contains(&length) {
            faults.push(RubricFault::QuoteLength(at + 1));
            continue;
        }
        let Some(found) = find::find(source.material, &item.quote) else {
            faults.push(RubricFault::NotQuoted {
                item: at + 1,
                named: item.source,
            });
            continue;
        };
        let start = source.material[..found.start].chars().count();
        let quote = &source.material[found];
        rubric.push(RubricItem {
            kind: item.kind,
            text: item.text.trim().to_owned(),
            node: source.node.clone(),
            start,
            end: start + quote.chars().count(),
            quote: quote.to_owned(),
        });
    }
    for kind in [RubricKind::Width, RubricKind::Depth] {
        if !draft.rubric.iter().any(|item| item.kind == kind) {
            faults.push(RubricFault::NoItem(kind.word()));
        }
    }
    let used: BTreeSet<&NodeId> = rubric.iter().map(|item| &item.node).collect();
    let targets = sources.iter().filter(|source| source.is_target);
    let unused = targets.clone().enumerate();
    let unused = unused.filter(|(_, target)| !used.contains(target.node));
    faults.extend(unused.map(|(at, _)| RubricFault::UnusedTarget(at + 1)));
    if !faults.is_empty() {
        return Err(faults);
    }
    let ids = |is_target: bool| {
        let of = sources
            .iter()
            .filter(move |source| source.is_target == is_target);
        of.map(|source| source.node.clone()).collect()
    };
    Ok(Question::new(text, ids(false), ids(true), length, rubric))
}

/// What an answer lacks by the items that it misses: items of depth are DEEP, those of width WIDE.
/// None where an item that would decide is unclear.
pub fn tag_of(verdict: &DuelVerdict, rubric: &[RubricItem], side: Side) -> Option<FailureTag> {
    let missed = |kind: RubricKind| -> Option<bool> {
        let mut unclear = false;
        for mark in &verdict.items {
            let item = (mark.item as usize).checked_sub(1)?;
            if rubric.get(item)?.kind != kind {
                continue;
            }
            match if side == Side::A { mark.a } else { mark.b } {
                Met::Missed => return Some(true),
                Met::Unclear => unclear = true,
                Met::Met => {}
            }
        }
        (!unclear).then_some(false)
    };
    Some(tag(missed(RubricKind::Depth)?, missed(RubricKind::Width)?))
}

fn tag(deep: bool, wide: bool) -> FailureTag {
    match (deep, wide) {
        (true, true) => FailureTag::Both,
        (true, false) => FailureTag::Deep,
        (false, true) => FailureTag::Wide,
        (false, false) => FailureTag::None,
    }
}

/// What the rubric says of a verdict, beside the judge's own word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tags {
    /// From the items that the loser misses, or both answers of a tie miss between them; none where
    /// they do not tell.
    pub derived: Option<FailureTag>,
    /// The judge's own.
    pub judged: FailureTag,
}

impl Tags {
    /// Both tags of a verdict.
    pub fn of(verdict: &DuelVerdict, rubric: &[RubricItem]) -> Self {
        let by = |side| tag_of(verdict, rubric, side);
        let derived = match verdict.verdict.winner() {
            Some(Side::A) => by(Side::B),
            Some(Side::B) => by(Side::A),
            None => by(Side::A).zip(by(Side::B)).map(|(a, b)| union(a, b)),
        };
        Self {
            derived,
            judged: verdict.failure,
        }
    }

    /// Whether both are the same; none where the rubric does not tell.
    pub fn agree(self) -> Option<bool> {
        self.derived.map(|derived| derived == self.judged)
    }

    /// The tag that decides where the match goes: the derived one, or the judge's where the rubric
    /// does not tell.
    pub fn deciding(self) -> FailureTag {
        self.derived.unwrap_or(self.judged)
    }
}

fn union(a: FailureTag, b: FailureTag) -> FailureTag {
    let has = |tag| {
        let deep = matches!(tag, FailureTag::Deep | FailureTag::Both);
        (deep, matches!(tag, FailureTag::Wide | FailureTag::Both))
    };
    let ((deep, wide), (other_deep, other_wide)) = (has(a), has(b));
    tag(deep || other_deep, wide || other_wide)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::arena::{DraftItem, DuelLabel, ItemMark, TieQuality};

    const CHAIN: &str = "The mill stands in a valley of weavers.";
    const TARGET: &str = "It was built in 1851. It burnt “twice”, in 1870 and 1902.";

    fn draft(items: &[(RubricKind, u32, &str)]) -> DraftQuestion {
        let items = items.iter().map(|(kind, source, quote)| DraftItem {
            kind: *kind,
            text: "says so".to_owned(),
            source: *source,
            quote: (*quote).to_owned(),
        });
        DraftQuestion {
            question: "When did it burn?".to_owned(),
            rubric: items.collect(),
            rationale: String::new(),
        }
    }

    fn grounded_on(draft: &DraftQuestion) -> Result<Question, Vec<RubricFault>> {
        let (chain, target) = (NodeId::from_parts(&["c"]), NodeId::from_parts(&["t"]));
        let sources = [
            SourcePage {
                node: &chain,
                material: CHAIN,
                is_target: false,
            },
            SourcePage {
                node: &target,
                material: TARGET,
                is_target: true,
            },
        ];
        grounded(draft, &sources, AnswerLength::at(2, 2))
    }

    #[test]
    fn each_item_is_a_passage_of_its_page() {
        let question = grounded_on(&draft(&[
            (RubricKind::Depth, 1, "valley of weavers"),
            (RubricKind::Width, 2, "it burnt \"twice\""),
        ]))
        .unwrap();
        let item = question.items(RubricKind::Width).next().unwrap();
        let chars: Vec<char> = TARGET.chars().collect();
        let span: String = chars[item.start..item.end].iter().collect();
        assert_eq!(
            (&*span, &*item.quote),
            ("It burnt “twice”", "It burnt “twice”")
        );
        assert_eq!((question.chain.len(), question.targets.len()), (1, 1));
    }

    #[test]
    fn what_does_not_rest_on_the_pages_is_refused() {
        let faults = |items: &[(RubricKind, u32, &str)]| grounded_on(&draft(items)).unwrap_err();
        use RubricKind::{Depth, Width};
        assert_eq!(
            faults(&[(Depth, 1, "valley"), (Width, 2, "built in 1852")]),
            [
                RubricFault::NotQuoted { item: 2, named: 2 },
                RubricFault::UnusedTarget(1)
            ]
        );
        assert_eq!(
            faults(&[(Depth, 2, "1851"), (Width, 3, "1851"), (Width, 0, "1851")]),
            [
                RubricFault::UnknownSource { item: 2, named: 3 },
                RubricFault::UnknownSource { item: 3, named: 0 }
            ]
        );
        assert_eq!(
            faults(&[]),
            [
                RubricFault::NoItem("width"),
                RubricFault::NoItem("depth"),
                RubricFault::UnusedTarget(1)
            ]
        );
        assert_eq!(
            faults(&[(Depth, 2, "1851")]),
            [RubricFault::NoItem("width")]
        );
        let empty = faults(&[(Depth, 2, ""), (Width, 2, "1851")]);
        assert_eq!(empty, [RubricFault::NotQuoted { item: 1, named: 2 }]);
    }

    fn rubric() -> Vec<RubricItem> {
        [RubricKind::Depth, RubricKind::Width, RubricKind::Width]
            .into_iter()
            .map(|kind| RubricItem {
                kind,
                text: String::new(),
                node: NodeId::from_parts(&["t"]),
                start: 0,
                end: 0,
                quote: String::new(),
            })
            .collect()
    }

    fn tags(label: DuelLabel, a: [Met; 3], b: [Met; 3]) -> Tags {
        let marks = a.into_iter().zip(b).enumerate();
        let verdict = DuelVerdict {
            items: marks
                .map(|(at, (a, b))| ItemMark {
                    item: at as u32 + 1,
                    a,
                    b,
                })
                .collect(),
            verdict: label,
            tie_quality: (label == DuelLabel::Tie).then_some(TieQuality::Low),
            failure: FailureTag::Deep,
            reason: String::new(),
        };
        let tags = Tags::of(&verdict, &rubric());
        assert_eq!(Tags::of(&verdict.mirrored(), &rubric()), tags);
        tags
    }

    #[test]
    fn the_tag_follows_from_the_items_that_the_loser_misses() {
        use Met::{Met as Y, Missed as N, Unclear as U};
        let check = |label, a, b, expect| {
            assert_eq!(tags(label, a, b).derived, expect, "{label:?} {a:?} {b:?}");
        };
        let all = [Y, Y, Y];
        check(DuelLabel::ABetter, all, [N, Y, Y], Some(FailureTag::Deep));
        check(
            DuelLabel::BMuchBetter,
            [Y, N, Y],
            all,
            Some(FailureTag::Wide),
        );
        check(DuelLabel::ABetter, all, [N, Y, N], Some(FailureTag::Both));
        check(DuelLabel::ABetter, [N, N, N], all, Some(FailureTag::None));
        check(DuelLabel::Tie, [N, Y, Y], [Y, N, Y], Some(FailureTag::Both));
        check(DuelLabel::Tie, all, all, Some(FailureTag::None));
        check(DuelLabel::ABetter, all, [U, N, Y], None);
        check(DuelLabel::ABetter, all, [Y, N, U], Some(FailureTag::Wide));
        let told = tags(DuelLabel::ABetter, all, [Y, N, Y]);
        assert_eq!(
            (told.agree(), told.deciding()),
            (Some(false), FailureTag::Wide)
        );
        let untold = tags(DuelLabel::ABetter, all, [U, Y, Y]);
        assert_eq!(
            (untold.agree(), untold.deciding()),
            (None, FailureTag::Deep)
        );
    }
}
