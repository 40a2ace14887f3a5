//! What a talk is about, for a task whose claim is one sentence of it: its title, where somebody
//! gave it one that says something, or else its key terms.

use std::{cmp::Reverse, ops::RangeInclusive, path::Path};

use crate::{
    store::SeminarInfo,
    text::{
        key_terms::{key_terms, key_terms_in, terms_of_title},
        words::{is_chinese, length, one_line},
    },
};

/// Longest and shortest part of a title that is quoted, in words or Han characters.
const OF_TITLE: RangeInclusive<usize> = 2..=16;
const HAN_OF_TITLE: RangeInclusive<usize> = 4..=28;
/// What parts of a title stand between.
const BETWEEN_PARTS: [&str; 8] = [": ", "：", ":", " – ", " — ", "——", "? ", "？"];
/// Words or Han characters from which a title says something even without a term.
const SAYS_SOMETHING: usize = 4;
const SAYS_SOMETHING_HAN: usize = 8;
/// Key terms that name a subject.
const NAMING: usize = 2;

/// The subject of a talk.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subject {
    /// Names, as a part of a sentence, the longest first: a title in quotation marks, a part of it,
    /// terms. A task takes the first that it has room for.
    pub names: Vec<String>,
}

impl Subject {
    /// The subject of a seminar with this text.
    pub fn new(seminar: &SeminarInfo, talk: &str) -> Self {
        // Without a side file the title is the name of the file.
        let stem = Path::new(&seminar.path).file_stem();
        let given = stem.is_none_or(|stem| stem.to_string_lossy() != seminar.title);
        let titled = given.then(|| Self::titled(&seminar.title, talk)).flatten();
        titled.unwrap_or_else(|| Self::of_terms(talk))
    }

    fn titled(title: &str, talk: &str) -> Option<Self> {
        let chinese = is_chinese(talk);
        let least = if chinese {
            SAYS_SOMETHING_HAN
        } else {
            SAYS_SOMETHING
        };
        let says_nothing = terms_of_title(title).is_empty() && length(title) < least;
        if says_nothing || is_chinese(title) != chinese {
            return None;
        }
        let title = one_line(title).replace(['"', '“', '”'], "'");
        let title = title.trim_end_matches(['.', '。']);
        let lengths = if chinese { HAN_OF_TITLE } else { OF_TITLE };
        let parts = std::iter::once(title).chain(parts(title));
        let quotable = parts.filter(|part| lengths.contains(&length(part)));
        let mut names: Vec<String> = quotable.map(|part| format!("“{part}”")).collect();
        names.extend(listed(&terms_of(title, talk), chinese));
        names.sort_by_key(|name| Reverse(length(name)));
        Some(Self { names })
    }

    fn of_terms(talk: &str) -> Self {
        let names = listed(&key_terms(talk, NAMING), is_chinese(talk));
        Self {
            names: names.into_iter().collect(),
        }
    }
}

/// The terms that name a subject with this title. What the talk itself repeats is a better one than
/// what stands in a play on words.
fn terms_of(title: &str, talk: &str) -> Vec<String> {
    let mut terms = key_terms_in(title, &format!("{title}. {talk}"), NAMING);
    if terms.is_empty() {
        terms = terms_of_title(title);
        terms.truncate(NAMING);
    }
    if terms.is_empty() {
        terms = key_terms(talk, NAMING);
    }
    terms
}

/// What stands before and behind a colon or a dash, if there is one.
fn parts(title: &str) -> Vec<&str> {
    let split = BETWEEN_PARTS.iter().find_map(|mark| title.split_once(mark));
    split.map_or_else(Vec::new, |(before, behind)| {
        vec![before.trim(), behind.trim()]
    })
}

/// Terms as a part of a sentence; none without any.
fn listed(terms: &[String], chinese: bool) -> Option<String> {
    (!terms.is_empty()).then(|| terms.join(if chinese { "和" } else { " and " }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Ms, SeminarId, TranscriptId};

    const TALK: &str = "Gravel moves under the ice. The gravel of the fjord is what floods leave. \
        Nobody has measured the gravel of the fjord in the winter.";

    fn seminar(path: &str, title: &str) -> SeminarInfo {
        SeminarInfo {
            id: SeminarId::from_parts(&["s"]),
            path: path.to_owned(),
            title: title.to_owned(),
            language: "en".to_owned(),
            discipline: None,
            licence: String::new(),
            details: serde_json::Value::Null,
            duration: Ms(0),
            transcript: TranscriptId::from_parts(&["t"]),
        }
    }

    #[test]
    fn a_title_that_somebody_gave_names_the_subject() {
        let names = |title: &str| Subject::new(&seminar("a.m4a", title), TALK).names;
        assert_eq!(
            names("How gravel beds move under ice"),
            ["“How gravel beds move under ice”", "gravel and ice"]
        );
        let long = "Cold feet: what fourteen winters on the cold and windy shore of a fjord taught us about gravel, ice and patience";
        assert_eq!(names(long), ["gravel and fjord", "“Cold feet”"]);
    }

    #[test]
    fn a_title_without_a_term_says_something_if_it_is_long_enough() {
        let talk = "缸里的水要养。师父说缸会睡着，师父天天看缸。";
        let subject = Subject::new(
            &seminar("a.m4a", "缸为什么会睡着:一个染匠的十四年缸账"),
            talk,
        );
        assert_eq!(subject.names[0], "“缸为什么会睡着:一个染匠的十四年缸账”");
        assert_eq!(subject.names[1], "“一个染匠的十四年缸账”");
        let asked = Subject::new(
            &seminar("a.m4a", "How Tight Is It? Gravel of a fjord"),
            TALK,
        );
        assert!(
            asked.names.contains(&"“Gravel of a fjord”".to_owned()),
            "{:?}",
            asked.names
        );
    }

    #[test]
    fn terms_of_a_title_are_those_that_the_talk_repeats() {
        let terms = terms_of("Cold feet: gravel of a fjord", TALK);
        assert_eq!(terms, ["gravel", "fjord"]);
    }

    #[test]
    fn key_terms_do_where_the_title_says_nothing() {
        for title in ["a", "Lecture 3", "冰下的砾石怎样移动"] {
            let subject = Subject::new(&seminar("a.m4a", title), TALK);
            assert_eq!(subject.names, ["gravel and fjord"], "{title}");
        }
        let nothing = Subject::new(&seminar("a.m4a", "a"), "Thank you.");
        assert_eq!(nothing, Subject::default());
    }
}
