//! Phrases by which speakers announce an idea of a type, in English and Chinese (the paper's cue
//! families, our words). They only narrow what a small model may choose from; they decide nothing.

use std::{cmp::Reverse, ops::RangeInclusive};

use super::Numbered;
use crate::{
    data::InspirationType,
    text::{claim::stands_alone, words::fold},
};

/// Sentences with cues that a small model is offered at most, those with the most cues.
const MOST: usize = 4;
/// Cues for which an announcement counts, beside those that it is.
const ANNOUNCED: usize = 2;
/// Where none has a cue, it is offered so many at most, the longest: a hundred lines it
/// neither follows nor reads in a bearable time (two hours of talk: a quarter of an hour instead of
/// most of one).
const MOST_WITHOUT: usize = 24;

/// The numbers of the window's sentences that carry cues of `kind` and of no other type more, in
/// order; the longest ones if none does. What may not be evidence is not offered, and what
/// leans on other sentences only where nothing else is there.
pub fn offered(
    numbered: &Numbered,
    window: RangeInclusive<usize>,
    kind: InspirationType,
) -> Vec<usize> {
    let (alone, leaning): (Vec<usize>, Vec<usize>) = window
        .filter(|&number| numbered.may_be_named(number))
        .partition(|&number| stands_alone(&numbered.text(number)));
    let all = if alone.is_empty() { leaning } else { alone };
    let cued: Vec<(usize, usize)> = all
        .iter()
        .filter_map(|&number| Some((most_strength(&numbered.text(number), kind)?, number)))
        .collect();
    if cued.is_empty() {
        return best(
            all.into_iter()
                .map(|number| (numbered.length(number), number))
                .collect(),
            MOST_WITHOUT,
        );
    }
    let strongest = cued.iter().map(|(strength, _)| *strength).max();
    let cued = cued
        .into_iter()
        .filter(|(strength, _)| Some(*strength * 2) >= strongest)
        .collect();
    best(cued, MOST)
}

/// The numbers with the highest marks, `most` of them at most, in order.
fn best(mut marked: Vec<(usize, usize)>, most: usize) -> Vec<usize> {
    marked.sort_by_key(|(mark, number)| (Reverse(*mark), *number));
    let mut numbers: Vec<usize> = marked
        .into_iter()
        .take(most)
        .map(|(_, number)| number)
        .collect();
    numbers.sort_unstable();
    numbers
}

/// How strongly a sentence says that it is of `kind`; none where it has no cue of it, or is more
/// strongly of another type.
fn most_strength(sentence: &str, kind: InspirationType) -> Option<usize> {
    let folded = fold(sentence);
    let own = strength(&folded, kind);
    let mut others = InspirationType::ALL.into_iter();
    (own > 0 && others.all(|other| strength(&folded, other) <= own)).then_some(own)
}

/// How many different cues of `kind` a folded sentence has; one that announces an idea of the type
/// counts as several.
fn strength(folded: &str, kind: InspirationType) -> usize {
    count(folded, cues(kind)) + ANNOUNCED * count(folded, announcements(kind))
}

/// How many of these words, between commas, stand in a text.
fn count(folded: &str, words: &str) -> usize {
    words
        .split(',')
        .filter(|word| folded.contains(word.trim()))
        .count()
}

/// Words that announce an idea of a type.
fn announcements(kind: InspirationType) -> &'static str {
    match kind {
        InspirationType::Limitation => {
            "limitation, bottleneck, open problem, open question, the problem is, the trouble is, \
             the difficulty is, nobody has, no one has, nobody knows, 最大的困难, 局限, 瓶颈, 难点, 问题是, 没有人"
        }
        InspirationType::Methodology => {
            "instead of, we propose, our approach, different approach, our method, we built, we build, \
             换了一个思路, 我们的方法, 我们提出, 我们采用, 我们设计"
        }
        InspirationType::Transdisciplinary => {
            "i come from, my field, another field, other fields, borrow, the same problem, \
             solved this problem, in our discipline, 借鉴, 我是做, 别的领域, 我们这个领域, 跨学科"
        }
        InspirationType::Hypothesis => {
            "hypothesis, hypothesize, hypothesise, i would predict, we would expect, 假设, 假说, 猜想"
        }
    }
}

/// Words of a kind of statement in general, and of no field in particular.
fn cues(kind: InspirationType) -> &'static str {
    match kind {
        InspirationType::Limitation => {
            "problem, limitation, bottleneck, challenge, nobody, no one, lack, missing, cannot, can't, fail, hard to, \
             difficult, unsolved, open question, gap, unknown, unclear, not enough, do not have, don't have, error, bias, \
             too small, too few, too slow, 困难, 局限, 缺, 没有, 问题, 瓶颈, 不足, 难, 挑战, 尚未, 空白, 不清楚"
        }
        InspirationType::Methodology => {
            "propose, approach, method, design, we use, we build, we built, we tried, we train, we develop, instead of, \
             model, framework, technique, algorithm, procedure, pipeline, protocol, experiment, \
             思路, 方法, 设计, 提出, 模型, 实验, 框架, 算法, 流程, 技术, 采用, 而是"
        }
        InspirationType::Transdisciplinary => {
            "discipline, my field, another field, other fields, i come from, borrow, analog, same problem, similar, \
             familiar, apply, applied to, like in, bridge, combine, inspired by, we call, they call, \
             跨, 领域, 专业, 学科, 借鉴, 结合, 类似, 同样的, 应用, 用到, 用在, 启发"
        }
        InspirationType::Hypothesis => {
            "hypothes, if we, if that, if this, i think, we think, expect, predict, would mean, correlat, leads to, \
             depends on, because of, cause, effect, the more, believe, follows, likely, \
             假设, 假说, 如果, 就能, 可能, 应该, 预计, 导致, 影响, 取决, 相关, 因为, 会不会, 能不能"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspire::testing::transcript;

    #[test]
    fn cues_are_found_in_both_languages() {
        assert!(
            strength(
                &fold("The open problem is that nobody has a model."),
                InspirationType::Limitation
            ) >= 2
        );
        assert!(
            strength(
                &fold("我的假設是，如果讓說話人自己解釋，模型就能學會。"),
                InspirationType::Hypothesis
            ) >= 2
        );
        assert_eq!(
            strength(
                &fold("Good afternoon, everyone."),
                InspirationType::Hypothesis
            ),
            0
        );
    }

    #[test]
    fn a_line_is_offered_for_the_type_that_it_has_most_cues_of() {
        let talk = [
            "My hypothesis is that the gap depends on what captains expect.",
            "The problem is that nobody has enough labels, so there is a gap.",
            "The bottleneck is that we cannot read faded ink.",
        ];
        let numbered = Numbered::new(&transcript(&talk));
        let offered = offered(&numbered, 1..=3, InspirationType::Limitation);
        assert_eq!(offered, [2, 3]);
    }

    #[test]
    fn a_line_that_leans_on_another_is_offered_only_where_no_other_is() {
        let leaning = "That is a problem that nobody has solved so far.";
        let alone = "Clouds hide the glacier for half of the year.";
        let numbered = Numbered::new(&transcript(&[leaning, alone]));
        assert_eq!(offered(&numbered, 1..=2, InspirationType::Limitation), [2]);
        let numbered = Numbered::new(&transcript(&[leaning, leaning]));
        assert_eq!(
            offered(&numbered, 1..=2, InspirationType::Limitation),
            [1, 2]
        );
    }

    #[test]
    fn without_cues_the_longest_sentences_are_offered_in_order() {
        let short = "We stood on the old bridge and looked around.";
        let long = "Gravel rolls along the river bed in every single winter flood.";
        let mut talk = vec![short; 3 * MOST_WITHOUT];
        for at in [70, 5, 33] {
            talk[at - 1] = long;
        }
        let numbered = Numbered::new(&transcript(&talk));
        let offered = offered(&numbered, 1..=talk.len(), InspirationType::Hypothesis);
        assert_eq!(offered.len(), MOST_WITHOUT);
        assert!([5, 33, 70].iter().all(|number| offered.contains(number)) && offered.is_sorted());
    }
}
