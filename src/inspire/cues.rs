//! Phrases by which speakers announce an idea of a type, in English and Chinese (the paper's cue families, our words).
//! They only narrow what a small model may choose from; they decide nothing.

use std::ops::Range;

use super::Numbered;
use crate::{data::InspirationType, text::words::fold};

/// A small model is offered at least so many sentences, or all of them …
const LEAST: usize = 2;
/// … and at most so many, those with the most cues.
const MOST: usize = 6;

/// The numbers of the window's sentences that carry cues of `kind`, in order; all of them if hardly any does.
pub fn offered(numbered: &Numbered, window: Range<usize>, kind: InspirationType) -> Vec<usize> {
    let all = numbered.numbers(window);
    let mut cued: Vec<(usize, usize)> =
        all.iter().map(|&n| (strength(&numbered.text(n), kind), n)).filter(|(strength, _)| *strength > 0).collect();
    if cued.len() < LEAST {
        return all;
    }
    cued.sort_by_key(|(strength, number)| (std::cmp::Reverse(*strength), *number));
    let mut offered: Vec<usize> = cued.into_iter().take(MOST).map(|(_, number)| number).collect();
    offered.sort_unstable();
    offered
}

/// How many different cues of `kind` a sentence has.
fn strength(sentence: &str, kind: InspirationType) -> usize {
    let folded = fold(sentence);
    cues(kind).iter().filter(|cue| folded.contains(*cue)).count()
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn cues(kind: InspirationType) -> &'static [&'static str] {
    match kind {
        InspirationType::Limitation => &[
            "problem",
            "limitation",
            "bottleneck",
            "nobody",
            "no one",
            "lack",
            "missing",
            "cannot",
            "can't",
            "fails",
            "falls apart",
            "hard to",
            "difficult",
            "unsolved",
            "open question",
            "do not have",
            "don't have",
            "drops to",
            "drops from",
            "error rate",
            "not enough",
            "too small",
            "biased",
            "unknown",
            "困难",
            "局限",
            "缺",
            "没有",
            "问题",
            "瓶颈",
            "不足",
            "难",
        ],
        InspirationType::Methodology => &[
            "we propose",
            "we tried",
            "instead of",
            "approach",
            "method",
            "design",
            "we build",
            "we built",
            "we bury",
            "we use",
            "we detect",
            "we treat",
            "we train",
            "model",
            "framework",
            "technique",
            "we would pair",
            "pipeline",
            "思路",
            "方法",
            "我们不",
            "而是",
            "设计",
            "提出",
            "模型",
            "实验",
            "框架",
            "先输出",
        ],
        InspirationType::Transdisciplinary => &[
            "i come from",
            "from ecology",
            "from seismology",
            "musician",
            "borrow",
            "in my field",
            "looks familiar",
            "very familiar",
            "another field",
            "same problem",
            "like in",
            "have you considered",
            "could be applied",
            "recording studio",
            "we call",
            "they call",
            "discipline",
            "我是做",
            "戏曲",
            "音乐",
            "借鉴",
            "别的领域",
            "跨",
            "也许可以",
            "用到",
        ],
        InspirationType::Hypothesis => &[
            "hypothesis",
            "if that",
            "if we",
            "i think",
            "expect",
            "predict",
            "would mean",
            "correlate",
            "leads to",
            "depends on",
            "because of",
            "the more",
            "we believe",
            "follows",
            "假设",
            "如果",
            "就能",
            "可能",
            "应该",
            "预计",
            "会不会",
            "能不能",
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cues_are_found_in_both_languages() {
        assert!(strength("The open problem is that nobody has a model.", InspirationType::Limitation) >= 2);
        assert!(strength("我的假設是，如果讓說話人自己解釋，模型就能學會。", InspirationType::Hypothesis) >= 2);
        assert_eq!(strength("Good afternoon, everyone.", InspirationType::Hypothesis), 0);
    }
}
