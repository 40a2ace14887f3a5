//! The words of grammar, of negation and of opposites. Hides their lists.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use crate::text::lexicon;

/// Words of grammar: they say nothing of what a sentence is about.
#[rustfmt::skip]
const GRAMMAR: &[&str] = &[
    "a", "an", "the", "of", "in", "on", "at", "to", "for", "with", "by", "from", "as", "into",
    "onto", "over", "under", "about", "around", "through", "during", "between", "among", "against",
    "after", "before", "until", "since", "than", "then", "and", "or", "but", "nor", "so", "yet",
    "if", "when", "while", "where", "which", "who", "whom", "whose", "that", "this", "these",
    "those", "it", "its", "he", "she", "his", "her", "him", "they", "their", "them", "we", "our",
    "you", "your", "i", "my", "is", "was", "are", "were", "be", "been", "being", "am", "has",
    "have", "had", "having", "do", "does", "did", "will", "would", "shall", "should", "can",
    "could", "may", "might", "must", "also", "there", "here", "some", "any", "each", "every",
    "both", "all", "such", "own", "same", "other", "another", "only", "just", "even", "still",
    "up", "out", "off", "down", "however", "although", "though", "because", "per", "via", "like",
    "approximately", "roughly", "nearly", "almost", "total", "several", "many", "much", "very",
    "once", "again", "later", "however", "despite",
];

/// Words that deny.
#[rustfmt::skip]
const NEGATORS: &[&str] = &[
    "not", "no", "never", "none", "nobody", "nothing", "neither", "nor", "nowhere", "cannot",
    "without", "hardly", "scarcely", "lacked", "lacks", "lacking", "lack", "failed", "fails",
    "fail", "failing", "failure", "refused", "refuses", "refusing", "denied", "denies", "denying",
    "unable", "declined", "prevented", "absent", "absence",
];

/// What stands between a negation and what is denied.
#[rustfmt::skip]
const BETWEEN: &[&str] = &[
    "ever", "yet", "longer", "been", "be", "have", "has", "had", "any", "a", "an", "the", "to",
    "in", "of", "actually", "really", "fully", "officially", "further", "that", "it",
];

/// Opposites.
#[rustfmt::skip]
const OPPOSITES: &[(&[&str], &[&str])] = &[
    (&["increase", "rise", "rose", "risen", "raise", "grow", "grew", "grown", "climb", "higher", "up"],
     &["decrease", "fall", "fell", "fallen", "lower", "drop", "decline", "shrink", "shrank", "reduce", "down"]),
    (&["win", "won", "victory", "beat", "defeat"], &["lose", "lost", "loss", "defeat", "defeated"]),
    (&["accept", "approve", "support", "endorse", "adopt", "agree", "allow", "permit"],
     &["reject", "oppose", "refuse", "deny", "forbid", "ban", "prohibit", "veto", "disapprove"]),
    (&["more", "most"], &["less", "least", "fewer", "fewest"]),
    (&["high", "highest"], &["low", "lowest"]),
    (&["large", "largest", "big", "biggest"], &["small", "smallest"]),
    (&["longest", "long"], &["shortest", "short"]),
    (&["best"], &["worst"]),
    (&["first"], &["last", "final"]),
    (&["always"], &["never", "rarely", "seldom"]),
    (&["before"], &["after"]),
    (&["with"], &["without"]),
    (&["succeed", "success", "successful"], &["fail", "failure"]),
    (&["positive", "favourable", "favorable"], &["negative", "unfavourable"]),
    (&["praise", "acclaim"], &["criticise", "criticize", "pan"]),
    (&["open", "opened"], &["close", "closed", "shut"]),
    (&["begin", "began", "start"], &["end", "finish", "cease"]),
    (&["early", "earlier"], &["late", "later"]),
    (&["north", "northern"], &["south", "southern"]),
    (&["east", "eastern"], &["west", "western"]),
    (&["left"], &["right"]),
    (&["male", "men"], &["female", "women"]),
    (&["include"], &["exclude", "omit"]),
    (&["public"], &["private"]),
    (&["alive", "survive"], &["dead", "die", "perish"]),
    (&["majority"], &["minority"]),
    (&["major"], &["minor"]),
    (&["guilty", "convict"], &["innocent", "acquit"]),
    (&["home"], &["away"]),
    (&["above"], &["below"]),
    (&["inside"], &["outside"]),
    (&["join"], &["leave", "quit"]),
    (&["buy", "bought"], &["sell", "sold"]),
    (&["permanent"], &["temporary"]),
    (&["demolish", "destroy"], &["preserve", "survive", "restore"]),
];

/// Words that begin as if denied.
#[rustfmt::skip]
const NOT_DENIED: &[&str] = &[
    "inform", "include", "invest", "increase", "intend", "intended", "improve", "impress",
    "discover", "display", "discount", "under", "unit", "union", "unite", "inside", "instance",
    "impart", "interest", "intense", "indeed", "income", "invent", "image", "import", "universe",
    "involve", "irate", "inland", "discuss", "distill", "dispatch", "discharge", "discourse",
];

const DENYING: &[&str] = &["un", "in", "im", "il", "ir", "dis", "non-", "non"];

/// What denies in Chinese, the longer first.
#[rustfmt::skip]
pub(super) const HAN_NEGATORS: &[&str] = &[
    "没有", "从未", "并未", "并非", "不再", "未能", "拒绝", "禁止", "缺乏", "没", "未", "不", "无", "非",
];
/// Words with such characters that deny nothing.
#[rustfmt::skip]
pub(super) const HAN_NOT_DENYING: &[&str] = &[
    "不仅", "不但", "不过", "不同", "不少", "不断", "不久", "不锈", "不论", "不管", "不只", "无论",
    "无数", "无线", "非常", "非洲", "除非", "非凡", "未来", "差不多", "不已", "不得不", "无锡",
];
/// Chinese opposites.
#[rustfmt::skip]
pub(super) const HAN_OPPOSITES: &[(&str, &str)] = &[
    ("增加", "减少"), ("增长", "下降"), ("上升", "下降"), ("提高", "降低"), ("支持", "反对"),
    ("成功", "失败"), ("同意", "拒绝"), ("接受", "拒绝"), ("允许", "禁止"), ("最大", "最小"),
    ("最高", "最低"), ("最早", "最晚"), ("有效", "无效"), ("合法", "非法"), ("公开", "秘密"),
    ("获胜", "落败"), ("击败", "负于"), ("赢", "输"), ("通过", "否决"), ("开放", "关闭"),
    ("正面", "负面"), ("多于", "少于"), ("高于", "低于"), ("早于", "晚于"), ("首次", "末次"),
    ("生还", "遇难"), ("保留", "拆除"), ("有罪", "无罪"),
];

static GRAMMATICAL: LazyLock<HashSet<&str>> = LazyLock::new(|| GRAMMAR.iter().copied().collect());
static DENIALS: LazyLock<HashSet<&str>> = LazyLock::new(|| NEGATORS.iter().copied().collect());
/// For each stem the rows and sides that it is on.
static SIDES: LazyLock<HashMap<String, Vec<(usize, bool)>>> = LazyLock::new(|| {
    let mut sides: HashMap<String, Vec<(usize, bool)>> = HashMap::new();
    for (row, (one, other)) in OPPOSITES.iter().enumerate() {
        for (words, side) in [(one, false), (other, true)] {
            for word in *words {
                sides.entry(stem(word)).or_default().push((row, side));
            }
        }
    }
    sides
});

pub(super) fn is_grammar(word: &str) -> bool {
    GRAMMATICAL.contains(word)
}

pub(super) fn denies(word: &str) -> bool {
    DENIALS.contains(word) || word.ends_with("n't") || word.ends_with("n’t")
}

pub(super) fn stands_between(word: &str) -> bool {
    BETWEEN.contains(&word)
}

/// Whether two words in lower case are opposites: by the list, or by the first part of one.
pub(super) fn are_opposites(one: &str, other: &str) -> bool {
    let sides = |word: &str| {
        SIDES
            .get(&stem(word))
            .map(Vec::as_slice)
            .unwrap_or_default()
    };
    let listed = sides(one).iter().any(|(row, side)| {
        let across = |of: &(usize, bool)| of.0 == *row && of.1 != *side;
        sides(other).iter().any(across)
    });
    listed || denied_form(one, other) || denied_form(other, one)
}

/// "Unlike" and "like".
fn denied_form(long: &str, short: &str) -> bool {
    let denied = |first: &&&str| {
        long.strip_prefix(**first)
            .is_some_and(|rest| stem(rest) == stem(short))
    };
    short.len() >= 4
        && !NOT_DENIED.iter().any(|word| long.starts_with(word))
        && DENYING.iter().find(denied).is_some()
}

/// Whether a word is the denied form of another: "unbroken".
pub(super) fn denied_word(word: &str) -> bool {
    let rest = word.strip_prefix("un").filter(|rest| rest.len() >= 4);
    rest.is_some_and(lexicon::is_word) && !NOT_DENIED.contains(&word)
}

/// A word in lower case without its commonest endings, the same for its forms.
pub(super) fn stem(word: &str) -> String {
    let long = |rest: &&str| rest.chars().count() >= 3;
    if let Some(rest) = word
        .strip_suffix("ies")
        .or_else(|| word.strip_suffix("ied"))
        .filter(long)
    {
        return format!("{rest}y");
    }
    let keeps = word.ends_with("ss") || word.ends_with("us") || word.ends_with("is");
    let endings: &[&str] = if keeps {
        &["ing", "ed"]
    } else {
        &["ing", "ed", "es", "s", "e"]
    };
    let cut = endings
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(long));
    let rest = cut.unwrap_or(word);
    // "Planned", but not "called": both have one letter twice, and so has "call".
    let mut last = rest.chars().rev();
    let doubled = cut.is_some()
        && last
            .next()
            .zip(last.next())
            .is_some_and(|(a, b)| a == b && !"lsz".contains(a));
    let end = rest.len() - usize::from(doubled && rest.is_ascii());
    rest[..end].to_owned()
}

/// A Han character that says something of what a sentence is about.
pub(super) fn says(c: char) -> bool {
    !"的了是在有和就都一上也到于以为对被把让从而但如果因之其与及或该此这那个共于已曾并将中"
        .contains(c)
}
