//! The rules that a task must pass, each checked in code and each with a name that is counted.
//! Source: DeepResearch Arena, the task weaver's hard rules.

mod copies;
mod deliverable;
#[cfg(test)]
mod planted;
mod pointing;

use serde_json::{Value, json};

use self::copies::ALIKE;
pub use self::copies::Compared;
use super::plan::MOST_OF_A_FAMILY;
use crate::{
    data::{Inspiration, Phase, Task, TaskType},
    similarity::{numbers, shared_tokens},
    text::{
        prompt_injection::gives_orders,
        words::{han_count, is_chinese, terms, word_count},
    },
};

/// What a task is made from.
#[derive(Clone, Copy, Debug)]
pub struct Material<'a> {
    /// The words of its inspirations and their quotes.
    pub words: &'a str,
    /// Full names of those who spoke at the event.
    pub people: &'a [String],
}

/// Longest task in words, and in Han characters.
const MOST_WORDS: usize = 100;
const MOST_HAN: usize = 200;
/// Shortest task that can stand on its own.
const LEAST_WORDS: usize = 12;
const LEAST_HAN: usize = 20;
/// Terms that a task shares with its inspiration.
const LEAST_TERMS: usize = 2;
/// Tasks of one seminar, and of one batch of a pool.
pub const FEWEST: usize = 5;
/// See [`FEWEST`].
pub const MOST: usize = 8;

/// The rule that a task breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// More than 100 words or 200 Han characters; holds how many.
    TooLong(usize),
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
    /// It tells its reader, a model, what to do beside the task.
    GivesOrders,
    /// Nothing is handed in.
    NoDeliverable,
    /// More than one thing is handed in; holds the words of the second.
    TwoDeliverables(String),
    /// Its phase is not that of its family.
    WrongPhase,
    /// It does not speak of its inspiration.
    KeyTermsMissing,
    /// A translation has another number than its original; holds it.
    NumbersDiffer(String),
    /// As good as another task of the seminar.
    Duplicate,
    /// Its family has two tasks already.
    FamilyThrice,
    /// It is an example of the prompt.
    CopiesTheExample,
    /// It hardly speaks of another idea on which it is said to draw; holds the idea.
    IdeaNotUsed(String),
}

impl Broken {
    /// What a prompt says of a draft that breaks it.
    pub fn of_draft(&self, draft: &str, chinese: bool) -> Value {
        json!({ "text": draft, "reason": self.reason(chinese), "words": self.words() })
    }

    /// The name under which it is counted.
    pub fn name(&self) -> &'static str {
        match self {
            Self::TooLong(_) => "too_long",
            Self::TooShort => "too_short",
            Self::Unfinished => "unfinished",
            Self::WrongLanguage => "wrong_language",
            Self::PointsAtTheEvent(_) => "points_at_the_event",
            Self::NotSelfContained(_) => "not_self_contained",
            Self::GivesOrders => "gives_orders",
            Self::NoDeliverable => "no_deliverable",
            Self::TwoDeliverables(_) => "two_deliverables",
            Self::WrongPhase => "wrong_phase",
            Self::KeyTermsMissing => "key_terms_missing",
            Self::NumbersDiffer(_) => "numbers_differ",
            Self::Duplicate => "duplicate",
            Self::FamilyThrice => "family_thrice",
            Self::CopiesTheExample => "copies_the_example",
            Self::IdeaNotUsed(_) => "idea_not_used",
        }
    }

    /// The words that break it, where there are some.
    pub fn words(&self) -> Option<&str> {
        match self {
            Self::PointsAtTheEvent(words)
            | Self::NotSelfContained(words)
            | Self::TwoDeliverables(words)
            | Self::NumbersDiffer(words)
            | Self::IdeaNotUsed(words) => Some(words),
            _ => None,
        }
    }

    /// The exact reason, for the writer's second try, in the language of the task.
    pub fn reason(&self, chinese: bool) -> String {
        match (self, chinese) {
            (Self::TooLong(words), false) => {
                format!("It has {words} words, and at most {MOST_WORDS} are allowed.")
            }
            (Self::TooLong(han), true) => format!("它有{han}个字，最多{MOST_HAN}个字。"),
            (Self::TooShort, false) => "It is too short: name the problem, the method and what to hand in.".into(),
            (Self::TooShort, true) => "太短了：请写出问题、做法和要交的成果。".into(),
            (Self::Unfinished, false) => {
                "It stops in the middle of a sentence. Write less and end with a full stop.".into()
            }
            (Self::Unfinished, true) => "句子没有写完。请写短一些，以句号结束。".into(),
            (Self::WrongLanguage, false) => "It must be written in English.".into(),
            (Self::WrongLanguage, true) => "必须用中文写。".into(),
            (Self::PointsAtTheEvent(_), false) => {
                "It points at a talk or its people, by these words. The reader was not there.".into()
            }
            (Self::PointsAtTheEvent(_), true) => "下面的字词指向报告或报告人，而读者没有听过报告。".into(),
            (Self::NotSelfContained(_), false) => {
                "It leans on another text by these words, but the reader sees nothing else. Say what is meant.".into()
            }
            (Self::NotSelfContained(_), true) => "下面的字词指向别的内容，但读者看不到。请直接写明。".into(),
            (Self::GivesOrders, false) => "It gives orders to a model. Write a research task.".into(),
            (Self::GivesOrders, true) => "它在向模型下指令。请写研究任务。".into(),
            (Self::TwoDeliverables(_), false) => {
                "These words ask for a second thing. Ask for one deliverable only.".into()
            }
            (Self::TwoDeliverables(_), true) => "下面的字词要求第二件成果。只能要求一件成果。".into(),
            (Self::WrongPhase, false) => "Its phase is not the one of its type.".into(),
            (Self::WrongPhase, true) => "它的阶段与类型不符。".into(),
            (Self::NoDeliverable, false) => {
                "It does not say what to hand in, such as a report, a table or a protocol.".into()
            }
            (Self::NoDeliverable, true) => "没有写明要交什么成果，例如报告、表格或方案。".into(),
            (Self::KeyTermsMissing, false) => "It does not use the key words of the idea.".into(),
            (Self::KeyTermsMissing, true) => "没有使用这个想法的关键词。".into(),
            (Self::NumbersDiffer(_), false) => "This number is not in both texts.".into(),
            (Self::NumbersDiffer(_), true) => "这个数字不是两边都有。".into(),
            (Self::Duplicate, false) => "It repeats another task. Ask for something else.".into(),
            (Self::Duplicate, true) => "与另一个任务重复。请换一个要求。".into(),
            (Self::FamilyThrice, false) => "There are two tasks of this family already.".into(),
            (Self::FamilyThrice, true) => "这一类任务已经有两个了。".into(),
            (Self::CopiesTheExample, false) => "It repeats an example. Write about the idea.".into(),
            (Self::CopiesTheExample, true) => "它重复了例子。请根据想法来写。".into(),
            (Self::IdeaNotUsed(_), false) => {
                "It names this idea as one that it draws on, and hardly uses its key words.".into()
            }
            (Self::IdeaNotUsed(_), true) => "它说用到了下面这个想法，却几乎没有使用其中的关键词。".into(),
        }
    }
}

/// Checks a task by itself, against what it is made from.
pub fn check(task: &Task, material: Material<'_>) -> Result<(), Broken> {
    of_its_form(task)?;
    of_its_words(&task.text, material)
}

/// Whether there is room for a task's family beside the tasks of its seminar, or of its batch.
pub fn room_for_its_family(task: &Task, kept: &[&Task]) -> Result<(), Broken> {
    let of_the_family = kept
        .iter()
        .filter(|other| other.facets.task_type == task.facets.task_type);
    if of_the_family.count() >= MOST_OF_A_FAMILY {
        return Err(Broken::FamilyThrice);
    }
    Ok(())
}

/// Whether a task says nothing that one of `others` says.
pub fn new_beside<'a>(
    task: &Compared,
    others: impl IntoIterator<Item = &'a Compared>,
) -> Result<(), Broken> {
    if others.into_iter().any(|other| task.is_copy_of(other)) {
        return Err(Broken::Duplicate);
    }
    Ok(())
}

/// All rules at once, for a task beside those that were kept.
#[cfg(test)]
pub(super) fn check_beside(
    task: &Task,
    material: Material<'_>,
    kept: &[&Task],
) -> Result<(), Broken> {
    let compared: Vec<Compared> = kept.iter().map(|kept| Compared::new(kept)).collect();
    check(task, material)?;
    room_for_its_family(task, kept)?;
    new_beside(&Compared::new(task), &compared)
}

/// Whether a task speaks of each of the other ideas that it is said to draw on: it shares as many
/// terms with it as with the idea that leads.
pub fn draws_on(task: &Task, others: &[&Inspiration]) -> Result<(), Broken> {
    let unused = others
        .iter()
        .find(|other| !has_key_terms(&task.text, &other.words()));
    match unused {
        Some(other) => Err(Broken::IdeaNotUsed(other.text.clone())),
        None => Ok(()),
    }
}

/// Whether a task is one of its own: not one of the tasks that the prompt shows.
pub fn not_an_example(task: &Task, examples: &[String]) -> Result<(), Broken> {
    let mut examples = examples.iter();
    if examples.any(|example| shared_tokens(example, &task.text) >= ALIKE) {
        return Err(Broken::CopiesTheExample);
    }
    Ok(())
}

/// Checks what says `original` in another language: its own form, no pointing, and the numbers of
/// the original.
pub fn translation(task: &Task, original: &Task, material: Material<'_>) -> Result<(), Broken> {
    of_its_form(task)?;
    not_pointing(&task.text, material.people)?;
    if !deliverable::is_named(&task.text) {
        return Err(Broken::NoDeliverable);
    }
    match numbers(&original.text)
        .symmetric_difference(&numbers(&task.text))
        .next()
    {
        Some(number) => Err(Broken::NumbersDiffer(number.clone())),
        None => Ok(()),
    }
}

/// The phases that a seminar's tasks leave out.
pub fn missing_phases(kept: &[&Task]) -> Vec<Phase> {
    Phase::ALL
        .into_iter()
        .filter(|phase| !kept.iter().any(|task| task.facets.phase == Some(*phase)))
        .collect()
}

/// Length, language, an end, and a phase that fits.
fn of_its_form(task: &Task) -> Result<(), Broken> {
    let text = task.text.as_str();
    let (words, han) = (word_count(text), han_count(text));
    // As writers count: "third-octave" is one word.
    let written = text.split_whitespace().count().min(words);
    if written > MOST_WORDS || han > MOST_HAN {
        return Err(Broken::TooLong(written.max(han)));
    }
    if is_chinese(text) != task.language.starts_with("zh") {
        return Err(Broken::WrongLanguage);
    }
    if words < LEAST_WORDS && han < LEAST_HAN {
        return Err(Broken::TooShort);
    }
    if !text
        .trim_end()
        .ends_with(['.', '!', '?', '。', '！', '？', '”', '"', ')', '）'])
    {
        return Err(Broken::Unfinished);
    }
    if task.facets.phase != task.facets.task_type.map(TaskType::phase) {
        return Err(Broken::WrongPhase);
    }
    Ok(())
}

/// What it must say, and what it must not.
pub(super) fn of_its_words(text: &str, material: Material<'_>) -> Result<(), Broken> {
    not_pointing(text, material.people)?;
    if !deliverable::is_named(text) {
        return Err(Broken::NoDeliverable);
    }
    if let Some(words) = deliverable::second(text) {
        return Err(Broken::TwoDeliverables(words));
    }
    if !has_key_terms(text, material.words) {
        return Err(Broken::KeyTermsMissing);
    }
    Ok(())
}

/// Whether a text has terms of the words that it is made from. Words of one language are not found in
/// another; there the question itself must see to it.
fn has_key_terms(text: &str, words: &str) -> bool {
    is_chinese(text) != is_chinese(words)
        || terms(text).intersection(&terms(words)).count() >= LEAST_TERMS
}

fn not_pointing(text: &str, people: &[String]) -> Result<(), Broken> {
    if let Some(words) = pointing::pointing(text, people) {
        return Err(Broken::PointsAtTheEvent(words));
    }
    if let Some(words) = pointing::leaning(text) {
        return Err(Broken::NotSelfContained(words));
    }
    if gives_orders(text) {
        return Err(Broken::GivesOrders);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{
        Difficulty, Facets, FromSeminar, InspirationId, InspirationType, Origin, SeminarId, TaskId,
        TranscriptId,
    };

    fn material(language: &str) -> Material<'static> {
        let chinese = language.starts_with("zh");
        let english = "No handwriting recognition model knows the vocabulary of sailors.";
        Material {
            words: if chinese {
                "没有模型认识水手的手写词汇。"
            } else {
                english
            },
            people: &[],
        }
    }

    fn task(language: &str, text: &str) -> Task {
        Task {
            id: TaskId::from_parts(&[text]),
            text: text.into(),
            language: language.into(),
            as_of: None,
            edited: None,
            facets: Facets::of_family(
                TaskType::LiteratureSurvey,
                Difficulty::Basic,
                "other".into(),
            ),
            origin: Origin::Seminar(FromSeminar {
                seminar: SeminarId::from_parts(&["s"]),
                inspirations: vec![],
                translation_of: None,
            }),
        }
    }

    const GOOD: &str = "Survey how handwriting recognition models have been adapted to the vocabulary of sailors and other trades since 2015, and hand in an annotated table of twenty papers with their error rates.";
    const GOOD_ZH: &str = "调查手写识别模型如何适应水手等行业的专业词汇，比较至少十篇论文的错误率，交一份带注释的文献表。";

    fn check(language: &str, text: &str, expect: Option<&str>) {
        let found = super::check(&task(language, text), material(language)).err();
        assert_eq!(
            found.as_ref().map(Broken::name),
            expect,
            "{text}: {found:?}"
        );
    }

    #[test]
    fn good_tasks_pass() {
        check("en", GOOD, None);
        check("zh", GOOD_ZH, None);
    }

    #[test]
    fn each_rule_catches_its_own() {
        check(
            "en",
            &format!("{GOOD} {}", "More words about it. ".repeat(25)),
            Some("too_long"),
        );
        check(
            "en",
            "Survey handwriting recognition models in a table.",
            Some("too_short"),
        );
        check("en", GOOD.trim_end_matches('.'), Some("unfinished"));
        check("en", GOOD_ZH, Some("wrong_language"));
        check("zh", GOOD, Some("wrong_language"));
        check(
            "en",
            &GOOD.replace("and other trades", "as the speaker said"),
            Some("points_at_the_event"),
        );
        check(
            "zh",
            &GOOD_ZH.replace("水手等行业", "报告人提到的水手"),
            Some("points_at_the_event"),
        );
        check(
            "en",
            &GOOD.replace("and other trades", "as mentioned"),
            Some("not_self_contained"),
        );
        check(
            "zh",
            &GOOD_ZH.replace("水手等行业", "上述水手"),
            Some("not_self_contained"),
        );
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
        let (good, other) = (
            task("en", GOOD),
            task("en", "Another text that shares nothing."),
        );
        let [of_good, of_other] = [&good, &other].map(Compared::new);
        assert_eq!(new_beside(&of_good, [&of_other]), Ok(()));
        assert_eq!(
            new_beside(&of_good, [&of_other, &of_good]),
            Err(Broken::Duplicate)
        );
        assert_eq!(room_for_its_family(&good, &[&other]), Ok(()));
        assert_eq!(
            room_for_its_family(&good, &[&other, &other]),
            Err(Broken::FamilyThrice)
        );
    }

    #[test]
    fn a_task_speaks_of_each_idea_that_it_draws_on() {
        let idea = |text: &str| Inspiration {
            id: InspirationId::from_parts(&[text]),
            seminar: SeminarId::from_parts(&["s"]),
            transcript: TranscriptId::from_parts(&["t"]),
            kind: InspirationType::Methodology,
            traits: vec![],
            text: text.to_owned(),
            evidence: vec![],
            reviews: vec![],
        };
        let used = idea("Sailors have a vocabulary of their own.");
        let unused = idea("Tulip bulbs were priced by weight.");
        let good = task("en", GOOD);
        assert_eq!(draws_on(&good, &[]), Ok(()));
        assert_eq!(draws_on(&good, &[&used]), Ok(()));
        assert_eq!(
            draws_on(&good, &[&used, &unused]),
            Err(Broken::IdeaNotUsed(unused.text.clone()))
        );
    }
}
