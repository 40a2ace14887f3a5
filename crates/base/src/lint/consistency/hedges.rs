//! How exactly amounts are given: "about", "at least", "between … and …". Works on tokens.

use super::token::{Hedge, Token, What};

#[rustfmt::skip]
const ABOUT: &[&str] = &[
    "about", "around", "roughly", "approximately", "approx", "some", "nearly", "almost", "circa",
    "ca", "close", "estimated", "averaging", "say", "just", "near",
];
#[rustfmt::skip]
const BOUND: &[&str] = &[
    "over", "than", "least", "most", "under", "below", "above", "minimum", "maximum", "exceed",
    "exceeds", "exceeded", "exceeding", "to-date", "beyond", "max", "min", "many", "much", "within",
    "another", "every", "each", "first", "last", "past", "next", "additional", "only", "up",
    "further", "extra", "remaining", "other", "original", "initial", "top", "until",
];
const HAN_ABOUT: &[&str] = &["约", "大约", "约为", "近", "将近", "接近", "大概"];
#[rustfmt::skip]
const HAN_BOUND: &[&str] = &[
    "超", "超过", "逾", "至少", "最多", "不足", "不到", "高达", "突破", "大于", "小于", "不超过",
    "低于", "高于", "近期", "其中", "每", "前", "第", "达到或超过", "最高", "最低", "另有",
];
/// What stands after an amount.
const HAN_ABOUT_AFTER: &[&str] = &["左右", "上下"];
const HAN_BOUND_AFTER: &[&str] = &["以上", "以下", "多", "余", "起", "以内"];
/// How many words before an amount may hedge it.
const BEFORE: usize = 2;

/// Whether a word says how exactly the amount after it is given.
pub(super) fn hedges(word: &str) -> bool {
    ABOUT.contains(&word) || BOUND.contains(&word)
}

/// Marks what hedges the amounts.
pub(super) fn mark(tokens: &mut [Token]) {
    for at in 0..tokens.len() {
        let Some(amount) = tokens[at].amount() else {
            continue;
        };
        if amount.hedge == Hedge::End {
            continue;
        }
        let hedge = before(&tokens[..at]).or_else(|| after(&tokens[at + 1..]));
        if let Some(hedge) = hedge {
            set(&mut tokens[at], hedge);
        }
        if let Some(end) = range(tokens, at) {
            set(&mut tokens[at], Hedge::End);
            set(&mut tokens[end], Hedge::End);
        }
    }
}

fn set(token: &mut Token, hedge: Hedge) {
    if let What::Amount(amount) = &mut token.what {
        amount.hedge = hedge;
    }
}

fn before(tokens: &[Token]) -> Option<Hedge> {
    let mut near = tokens.iter().rev().take(BEFORE);
    near.find_map(|token| match &token.what {
        What::Word { text, .. } if ABOUT.contains(&text.as_str()) => Some(Hedge::About),
        What::Word { text, .. } if BOUND.contains(&text.as_str()) => Some(Hedge::Bound),
        What::Mark('~' | '≈' | '∼') => Some(Hedge::About),
        What::Mark('>' | '<' | '≥' | '≤' | '±' | '^' | '#') => Some(Hedge::Bound),
        What::Han(text) => {
            ending(text, HAN_BOUND, Hedge::Bound).or_else(|| ending(text, HAN_ABOUT, Hedge::About))
        }
        _ => None,
    })
}

fn ending(text: &str, words: &[&str], hedge: Hedge) -> Option<Hedge> {
    words
        .iter()
        .any(|word| text.ends_with(word))
        .then_some(hedge)
}

fn after(tokens: &[Token]) -> Option<Hedge> {
    let first = tokens.first()?;
    match &first.what {
        What::Mark('+' | '±' | '×' | '^') => Some(Hedge::Bound),
        What::Word { text, .. } if text == "or" => {
            let word = tokens.get(1)?.word()?;
            [
                "more", "less", "fewer", "higher", "lower", "so", "older", "above", "below",
            ]
            .contains(&word)
            .then_some(Hedge::Bound)
        }
        What::Han(text) => {
            let begins = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
            // The measure word may stand between.
            let near: String = text.chars().skip(1).collect();
            let near = |words: &[&str]| words.iter().any(|word| near.starts_with(word));
            if begins(HAN_BOUND_AFTER) || near(HAN_BOUND_AFTER) {
                Some(Hedge::Bound)
            } else {
                (begins(HAN_ABOUT_AFTER) || near(HAN_ABOUT_AFTER)).then_some(Hedge::About)
            }
        }
        _ => None,
    }
}

/// The other end of the range or change that begins with an amount: `3–5`, "from 3 to 5".
fn range(tokens: &[Token], at: usize) -> Option<usize> {
    let amount = |at: usize| tokens.get(at).is_some_and(|token| token.amount().is_some());
    let joins = |token: &Token| match &token.what {
        What::Mark('-' | '–' | '—' | '~' | '～' | '→' | '/' | '±' | '∼' | '−' | ':' | '∶') => {
            true
        }
        What::Word { text, .. } => {
            matches!(text.as_str(), "to" | "or" | "versus" | "vs" | "through")
        }
        What::Han(text) => matches!(text.as_str(), "至" | "到" | "或"),
        _ => false,
    };
    let next = tokens.get(at + 1)?;
    if joins(next) && amount(at + 2) {
        return Some(at + 2);
    }
    let from = at > 0
        && match &tokens[at - 1].what {
            What::Word { text, .. } => matches!(text.as_str(), "between" | "from"),
            What::Han(text) => text.ends_with(['从', '由', '自']),
            _ => false,
        };
    // The noun of the first end may stand between: "from 3 shops in 2020 to 5".
    let reach = at + 1..tokens.len().min(at + 8);
    let other = reach.clone().find(|&place| amount(place));
    from.then_some(other?)
}
