//! The words of grammar and of reports that decide what a statement is about. Hides their lists.

use std::{collections::HashMap, sync::LazyLock};

use crate::text::words::is_han;

/// What a word does in a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// It says nothing of the subject: "the", "was", "reached".
    Neutral,
    /// It stands for something said before.
    Pronoun,
    /// It joins clauses.
    Joint,
    /// It joins a clause that says when or if the one before it holds.
    Condition,
    /// The event of a date, by its usual word.
    Event(&'static str),
    /// It names something only together with what was said before: "the study".
    Pointing,
}

#[rustfmt::skip]
const NEUTRAL: &[&str] = &[
    "a", "an", "the", "of", "in", "on", "at", "to", "for", "with", "is", "was", "are", "were", "be",
    "been", "being", "has", "have", "had", "having", "reached", "reach", "reaches", "reaching",
    "stood", "stand", "stands", "amounted", "amounts", "amount", "totalled", "totaled", "totals",
    "worth", "about", "around", "roughly", "approximately", "approx", "some", "nearly", "almost",
    "circa", "ca", "close", "also", "there", "now", "already", "from", "then", "as", "thus",
    "however", "overall", "equal", "equals", "equalled", "value", "valued", "just", "did", "does",
    "do", "by",
];
#[rustfmt::skip]
const PRONOUNS: &[&str] = &[
    "it", "its", "it's", "they", "their", "them", "he", "she", "his", "her", "this", "these",
    "those", "such", "both", "each", "others", "another", "one", "other", "former", "latter",
    "respectively", "same", "itself", "themselves", "i", "we", "our", "you", "your", "my", "either",
];
#[rustfmt::skip]
const JOINTS: &[&str] = &[
    "and", "but", "while", "whereas", "although", "though", "because", "which", "who", "whom",
    "whose", "since", "so", "yet", "or", "nor", "plus",
];
#[rustfmt::skip]
const CONDITIONS: &[&str] = &[
    "if", "when", "where", "unless", "until", "after", "before", "that", "whenever", "wherever",
];
/// Segments that begin with these limit the one before them.
#[rustfmt::skip]
const LIMITS: &[&str] = &[
    "in", "at", "for", "among", "excluding", "including", "under", "on", "according", "as", "per",
    "without", "during", "compared", "assuming", "depending", "not", "based", "across", "within",
    "using", "only", "relative", "measured", "versus", "vs", "against", "except", "outside", "by",
    "from", "over", "between", "to", "even", "especially", "particularly", "mostly", "i.e", "e.g",
];
#[rustfmt::skip]
const EVENTS: &[(&str, &[&str])] = &[
    ("found", &["founded", "established", "founding", "foundation-date", "co-founded"]),
    ("incorporate", &["incorporated", "incorporation"]),
    ("launch", &["launched", "launch", "launches", "launching"]),
    ("release", &["released", "release", "releases"]),
    ("open", &["opened", "opening", "inaugurated"]),
    ("close", &["closed", "closing"]),
    ("complete", &["completed", "completion"]),
    ("sign", &["signed", "signing"]),
    ("adopt", &["adopted", "adoption"]),
    ("enact", &["enacted", "passed", "ratified"]),
    ("force", &["force", "effect", "effective"]),
    ("apply", &["applies", "apply", "applicable"]),
    ("acquire", &["acquired", "bought", "purchased"]),
    ("approve", &["approved", "approval"]),
    ("publish", &["published", "publication"]),
    ("born", &["born"]),
    ("die", &["died"]),
    ("start", &["began", "started", "commenced", "begins", "starts"]),
    ("end", &["ended", "expired", "expires", "ends"]),
    ("announce", &["announced", "unveiled"]),
    ("introduce", &["introduced"]),
    ("deadline", &["deadline", "due"]),
    ("build", &["built"]),
    ("discover", &["discovered"]),
    ("invent", &["invented"]),
    ("merge", &["merged"]),
    ("elect", &["elected"]),
    ("appoint", &["appointed"]),
    ("list", &["listed"]),
    ("file", &["filed"]),
    ("award", &["awarded"]),
];
#[rustfmt::skip]
const POINTING: &[&str] = &[
    "study", "trial", "company", "firm", "model", "product", "survey", "app", "programme",
    "program", "project", "plan", "phase", "city", "country", "region", "group", "option", "tool",
    "system", "paper", "report", "author", "authors", "team", "site", "device", "version", "bill",
    "act", "law", "rule", "method", "dataset", "sample", "platform", "service", "fund", "scenario",
    "case", "example", "state", "brand", "car", "vehicle", "school", "university", "hospital",
    "participant", "respondent", "patient", "user", "article", "step", "section", "variant",
];
/// Of these only one can be said of one subject, whatever the year.
const ONCE: &[&str] = &[
    "enrolled",
    "enroled",
    "randomised",
    "randomized",
    "recruited",
];
/// Words whose things have numbers as names.
#[rustfmt::skip]
const NUMBERED: &[&str] = &[
    "version", "section", "table", "figure", "fig", "chapter", "article", "step", "level",
    "phase", "page", "room", "port", "grade", "type", "tier", "scope", "wave", "annex", "part",
    "no", "number", "item", "rule", "season", "episode", "stage", "category", "class",
    "generation", "gen", "option",
];
const SMALL: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

#[rustfmt::skip]
const GENERAL_HEADINGS: &[&str] = &[
    "a", "abstract", "an", "analysis", "and", "answer", "appendix", "assessment", "at",
    "background", "brief", "case", "cases", "comparison", "conclusion", "conclusions", "context",
    "data", "detail", "detailed", "details", "discussion", "evidence", "executive", "facts",
    "finding", "findings", "for", "from", "glance", "history", "highlights", "in", "insights",
    "introduction", "is", "key", "limitations", "main", "method", "methodology", "methods",
    "notes", "of", "on", "outlook", "overview", "point", "points", "practice", "process",
    "profile", "quick", "recommendation", "recommendations", "result", "results", "risks",
    "scope", "short", "summary", "table", "takeaways", "the", "timeline", "tl", "dr", "to",
    "versus", "what", "why", "companies", "products", "numbers", "final", "implications",
    "bottom", "line", "up", "front", "direct", "core", "section",
];
#[rustfmt::skip]
const GENERAL_HAN: &[&str] = &[
    "摘要", "概要", "概述", "概况", "概览", "要点", "结论", "总结", "引言", "背景", "现状", "分析",
    "讨论", "方法", "结果", "发现", "建议", "展望", "对比", "历程", "风险", "前言", "综述", "小结",
];
/// Han words that say nothing of the subject, the longer first.
#[rustfmt::skip]
const NEUTRAL_HAN: &[&str] = &[
    "达到了", "达到", "大约", "约为", "约有", "左右", "共有", "共计", "总计", "合计", "据统计",
    "据测算", "截至", "已经", "目前", "大概", "接近", "分别", "为", "是", "达", "约", "近", "有",
    "的", "了", "在", "于", "共", "已", "也", "则", "自", "起", "其", "年", "底", "末", "等",
];
const POINTING_HAN: &[&str] = &[
    "公司",
    "企业",
    "项目",
    "研究",
    "该",
    "本",
    "其",
    "此",
    "这",
    "两者",
    "前者",
    "后者",
    "分别",
    "均",
    "同比",
    "环比",
    "对照",
    "实验组",
];
#[rustfmt::skip]
const EVENTS_HAN: &[&str] = &[
    "成立", "创立", "创办", "创建", "施行", "实施", "生效", "开通", "发布", "上市", "通过", "启用",
    "投产", "开业", "竣工", "出生", "逝世", "签署", "颁布", "收购", "上线", "截止", "建成", "通车",
];

static CLASSES: LazyLock<HashMap<&'static str, Class>> = LazyLock::new(|| {
    let mut classes = HashMap::new();
    let lists = [
        (POINTING, Class::Pointing),
        (NEUTRAL, Class::Neutral),
        (PRONOUNS, Class::Pronoun),
        (JOINTS, Class::Joint),
        (CONDITIONS, Class::Condition),
    ];
    for (words, class) in lists {
        classes.extend(words.iter().map(|word| (*word, class)));
    }
    for (name, words) in EVENTS {
        classes.extend(words.iter().map(|word| (*word, Class::Event(name))));
    }
    classes
});

/// What a word in lower case does.
pub(super) fn class(word: &str) -> Option<Class> {
    CLASSES.get(word).copied()
}

pub(super) fn limits(word: &str) -> bool {
    LIMITS.contains(&word)
}

pub(super) fn happens_once(word: &str) -> bool {
    ONCE.contains(&word)
}

/// Whether a number after a word names its thing: "version 2".
pub(super) fn is_numbered(word: &str) -> bool {
    NUMBERED.contains(&word)
}

/// The value of a small number in words.
pub(super) fn small_number(word: &str) -> Option<f64> {
    let at = SMALL.iter().position(|small| *small == word)?;
    Some(at as f64)
}

/// The word without the ending of its plural.
pub(super) fn stem(word: &str) -> String {
    if let Some(Class::Event(name)) = class(word) {
        return name.to_owned();
    }
    if let Some(rest) = word.strip_suffix("ies").filter(|rest| rest.len() > 2) {
        return format!("{rest}y");
    }
    let keeps = ["ss", "us", "is", "as"]
        .iter()
        .any(|end| word.ends_with(end));
    let plain = word
        .strip_suffix('s')
        .filter(|rest| rest.len() > 2 && !keeps);
    plain.unwrap_or(word).to_owned()
}

/// Whether a heading says nothing of what its section is about.
pub(super) fn is_general_heading(text: &str) -> bool {
    if text.chars().any(is_han) {
        return GENERAL_HAN.iter().any(|word| text.contains(word));
    }
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphabetic());
    lower.contains("summary")
        || words.all(|word| word.len() < 2 || GENERAL_HEADINGS.contains(&word))
}

/// Han characters without the words that say nothing.
pub(super) fn plain_han(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let neutral = NEUTRAL_HAN.iter().find(|word| rest.starts_with(**word));
        if let Some(word) = neutral {
            rest = &rest[word.len()..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

pub(super) fn points_han(text: &str) -> bool {
    POINTING_HAN.iter().any(|word| text.starts_with(word))
}

pub(super) fn event_han(text: &str) -> bool {
    EVENTS_HAN.iter().any(|word| text.contains(word))
}
