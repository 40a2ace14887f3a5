//! The rules that a task must pass, each checked in code and each with a name that is counted.
//! Source: DeepResearch Arena, the task weaver's hard rules.

use crate::{
    data::{Inspiration, Task},
    text::{
        likeness::jaccard,
        words::{fold, han_count, is_chinese, terms, word_count},
    },
};

use super::words_of;

/// Longest task in words, and in Han characters.
const MOST_WORDS: usize = 100;
const MOST_HAN: usize = 160;
/// Shortest task that can stand on its own.
const LEAST_WORDS: usize = 12;
const LEAST_HAN: usize = 20;
/// Terms that a task shares with its inspiration.
const LEAST_TERMS: usize = 2;
/// Tasks of a seminar above this likeness are the same task.
const ALIKE: f64 = 0.6;

/// The rule that a task breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// More than 100 words or 160 Han characters.
    TooLong,
    /// Too short to be self-contained.
    TooShort,
    /// The text stops in the middle of a sentence.
    Unfinished,
    /// Not the seminar's language.
    WrongLanguage,
    /// It points at the talk, its transcript or its speaker; holds the words.
    PointsAtTheEvent(String),
    /// It leans on a text that the reader does not have; holds the words.
    NotSelfContained(String),
    /// Nothing is handed in.
    NoDeliverable,
    /// It does not speak of its inspiration.
    KeyTermsMissing,
    /// As good as another task of the seminar.
    Duplicate,
    /// Its family has two tasks already.
    FamilyThrice,
}

impl Broken {
    /// The name under which it is counted.
    pub fn name(&self) -> &'static str {
        match self {
            Self::TooLong => "too_long",
            Self::TooShort => "too_short",
            Self::Unfinished => "unfinished",
            Self::WrongLanguage => "wrong_language",
            Self::PointsAtTheEvent(_) => "points_at_the_event",
            Self::NotSelfContained(_) => "not_self_contained",
            Self::NoDeliverable => "no_deliverable",
            Self::KeyTermsMissing => "key_terms_missing",
            Self::Duplicate => "duplicate",
            Self::FamilyThrice => "family_thrice",
        }
    }

    /// The exact reason, for the model's second try, in the language of the task.
    pub fn reason(&self, chinese: bool) -> String {
        match (self, chinese) {
            (Self::TooLong, false) => "It is longer than 100 words.".into(),
            (Self::TooLong, true) => "超过了160个字。".into(),
            (Self::TooShort, false) => "It is too short: name the problem, the method and what to hand in.".into(),
            (Self::TooShort, true) => "太短了：请写出问题、做法和要交的成果。".into(),
            (Self::Unfinished, false) => {
                "It stops in the middle of a sentence. Write less and end with a full stop.".into()
            }
            (Self::Unfinished, true) => "句子没有写完。请写短一些，以句号结束。".into(),
            (Self::WrongLanguage, false) => "It must be written in English.".into(),
            (Self::WrongLanguage, true) => "必须用中文写。".into(),
            (Self::PointsAtTheEvent(words), false) => {
                format!("It says \"{words}\". The reader was not there: never point at a talk or a speaker.")
            }
            (Self::PointsAtTheEvent(words), true) => {
                format!("出现了“{words}”。读者没有听过报告，不要提到报告或报告人。")
            }
            (Self::NotSelfContained(words), false) => {
                format!("It says \"{words}\", but the reader sees nothing else. Say what is meant.")
            }
            (Self::NotSelfContained(words), true) => format!("出现了“{words}”，但读者看不到别的内容。请直接写明。"),
            (Self::NoDeliverable, false) => {
                "It does not say what to hand in, such as a report, a table or a protocol.".into()
            }
            (Self::NoDeliverable, true) => "没有写明要交什么成果，例如报告、表格或方案。".into(),
            (Self::KeyTermsMissing, false) => "It does not use the key words of the idea.".into(),
            (Self::KeyTermsMissing, true) => "没有使用这个想法的关键词。".into(),
            (Self::Duplicate, false) => "It repeats another task. Ask for something else.".into(),
            (Self::Duplicate, true) => "与另一个任务重复。请换一个要求。".into(),
            (Self::FamilyThrice, false) => "There are two tasks of this family already.".into(),
            (Self::FamilyThrice, true) => "这一类任务已经有两个了。".into(),
        }
    }
}

/// Checks a task against its inspiration and the tasks of the seminar that were kept before it.
pub fn check(task: &Task, inspiration: &Inspiration, kept: &[&Task]) -> Result<(), Broken> {
    let text = task.task.as_str();
    let (words, han) = (word_count(text), han_count(text));
    if words > MOST_WORDS || han > MOST_HAN {
        return Err(Broken::TooLong);
    }
    if is_chinese(text) != task.language.starts_with("zh") {
        return Err(Broken::WrongLanguage);
    }
    if words < LEAST_WORDS && han < LEAST_HAN {
        return Err(Broken::TooShort);
    }
    if !text.trim_end().ends_with(['.', '!', '?', '。', '！', '？', '”', '"', ')', '）']) {
        return Err(Broken::Unfinished);
    }
    let folded = format!(" {} ", fold(text).split_whitespace().collect::<Vec<_>>().join(" "));
    if let Some(words) = first_of(&folded, EVENT) {
        return Err(Broken::PointsAtTheEvent(words));
    }
    if let Some(words) = first_of(&folded, ELSEWHERE) {
        return Err(Broken::NotSelfContained(words));
    }
    if !DELIVERABLES.iter().any(|word| folded.contains(word)) {
        return Err(Broken::NoDeliverable);
    }
    if terms(text).intersection(&terms(&words_of(inspiration))).count() < LEAST_TERMS {
        return Err(Broken::KeyTermsMissing);
    }
    if kept.iter().filter(|other| other.task_type == task.task_type).count() >= 2 {
        return Err(Broken::FamilyThrice);
    }
    if kept.iter().any(|other| jaccard(&other.task, text) >= ALIKE) {
        return Err(Broken::Duplicate);
    }
    Ok(())
}

fn first_of(folded: &str, phrases: &[&str]) -> Option<String> {
    phrases.iter().find(|phrase| folded.contains(**phrase)).map(|phrase| phrase.trim().to_owned())
}

/// Pointing at the event, its record or its people. The bare nouns stay allowed as a subject of research.
const EVENT: &[&str] = &[
    "the seminar",
    "this seminar",
    "the talk ",
    "the talk.",
    "the talk,",
    "this talk",
    "the lecture",
    "this lecture",
    "the transcript",
    "this transcript",
    "the presentation",
    "this presentation",
    "the speaker said",
    "the speaker's",
    "the speakers said",
    "the speaker ",
    "the speaker,",
    "the presenter",
    "the lecturer",
    "the inspiration",
    "this inspiration",
    "as mentioned by",
    "according to the professor",
    "the audience asked",
    "the quote",
    "this sentence",
    "the sentence ",
    "讲座中",
    "本讲座",
    "这次讲座",
    "该讲座",
    "报告人",
    "主讲人",
    "演讲者",
    "研讨会中",
    "这次研讨会",
    "本次研讨会",
    "转录文本",
    "逐字稿",
    "这段话",
    "这句话",
    "引文",
    "老师说",
    "老师提到",
    "主持人",
    "灵感",
];

/// Leaning on a text that the reader of the task does not have.
const ELSEWHERE: &[&str] = &[
    "as mentioned",
    "mentioned above",
    "described above",
    "the above",
    "as discussed",
    "the idea above",
    "given idea",
    "the following text",
    "the provided",
    "上述",
    "如上",
    "上文",
    "以上",
    "前面提到",
    "所提到的",
];

/// Something that can be handed in.
const DELIVERABLES: &[&str] = &[
    "report",
    "list of",
    "review checklist",
    "literature review",
    "study plan",
    "position paper",
    "source code",
    "table",
    "protocol",
    "specification",
    "checklist",
    "bibliography",
    "dataset",
    "data set",
    "timeline",
    "prototype",
    "blueprint",
    "definition",
    "matrix",
    "catalogue",
    "catalog",
    "roadmap",
    "memo",
    "notebook",
    "guideline",
    "proposal",
    "summary",
    "diagram",
    "benchmark",
    "questionnaire",
    "报告",
    "表",
    "清单",
    "方案",
    "说明",
    "综述",
    "数据集",
    "时间线",
    "原型",
    "计划",
    "分析",
    "定义",
    "目录",
    "路线图",
    "代码",
    "指南",
    "提案",
    "总结",
    "图",
    "问卷",
    "指标",
    "规格",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Difficulty, InspirationId, InspirationType, SeminarId, TaskId, TaskType, TranscriptId};

    fn inspiration() -> Inspiration {
        Inspiration {
            id: InspirationId::of(&["i"]),
            seminar: SeminarId::of(&["s"]),
            transcript: TranscriptId::of(&["t"]),
            kind: InspirationType::Limitation,
            traits: vec![],
            text: "No handwriting recognition model knows the vocabulary of sailors. 没有模型认识水手的手写词汇。"
                .into(),
            evidence: vec![],
        }
    }

    fn task(language: &str, text: &str) -> Task {
        Task {
            id: TaskId::of(&[text]),
            seminar: SeminarId::of(&["s"]),
            phase: TaskType::LiteratureSurvey.phase(),
            task_type: TaskType::LiteratureSurvey,
            difficulty: Difficulty::Basic,
            language: language.into(),
            discipline: "other".into(),
            task: text.into(),
            inspirations: vec![],
        }
    }

    const GOOD: &str = "Survey how handwriting recognition models have been adapted to the vocabulary of sailors and other trades since 2015, and hand in an annotated table of twenty papers with their error rates.";
    const GOOD_ZH: &str =
        "调查手写识别模型如何适应水手等行业的专业词汇，比较至少十篇论文的错误率，交一份带注释的文献表。";

    fn check(language: &str, text: &str, expect: Option<&str>) {
        let found = super::check(&task(language, text), &inspiration(), &[]).err();
        assert_eq!(found.as_ref().map(Broken::name), expect, "{text}: {found:?}");
    }

    #[test]
    fn good_tasks_pass() {
        check("en", GOOD, None);
        check("zh", GOOD_ZH, None);
    }

    #[test]
    fn each_rule_catches_its_own() {
        check("en", &format!("{GOOD} {}", "More words about it. ".repeat(25)), Some("too_long"));
        check("en", "Survey handwriting recognition models in a table.", Some("too_short"));
        check("en", GOOD.trim_end_matches('.'), Some("unfinished"));
        check("en", GOOD_ZH, Some("wrong_language"));
        check("zh", GOOD, Some("wrong_language"));
        check("en", &GOOD.replace("and other trades", "as the speaker said"), Some("points_at_the_event"));
        check("zh", &GOOD_ZH.replace("水手等行业", "报告人的水手"), Some("points_at_the_event"));
        check("en", &GOOD.replace("and other trades", "as mentioned"), Some("not_self_contained"));
        check("zh", &GOOD_ZH.replace("水手等行业", "上述水手"), Some("not_self_contained"));
        check(
            "en",
            &GOOD.replace(
                "and hand in an annotated table of twenty papers with their error rates",
                "and think about it for a while",
            ),
            Some("no_deliverable"),
        );
        check(
            "en",
            "Write a report on the economics of tulip bulbs in the seventeenth century, with prices for every year that is known.",
            Some("key_terms_missing"),
        );
    }

    #[test]
    fn alike_and_thrice_are_seen_among_the_others() {
        let (good, other) = (task("en", GOOD), task("en", "Another text that shares nothing."));
        assert_eq!(super::check(&good, &inspiration(), &[&good]), Err(Broken::Duplicate));
        assert_eq!(super::check(&good, &inspiration(), &[&other, &other]), Err(Broken::FamilyThrice));
    }
}
