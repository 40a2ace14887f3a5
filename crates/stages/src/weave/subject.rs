//! What a talk is about, for a task whose claim is one sentence of it: its title, where somebody
//! gave it one that says something, or else its key terms.

use std::path::Path;

use crate::{
    store::SeminarInfo,
    text::{
        key_terms::{key_terms, terms_of_title},
        words::{is_chinese, length, one_line},
    },
};

/// Longest title that is quoted, in words or Han characters.
const MOST_OF_TITLE: usize = 12;
const MOST_HAN_OF_TITLE: usize = 24;
/// Key terms that name a subject, and that are offered as search terms.
const NAMING: usize = 2;
const OFFERED: usize = 4;

/// The subject of a talk.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subject {
    /// As a part of a sentence: a title in quotation marks, or terms; none where nothing is known.
    pub name: Option<String>,
    /// Terms that name it.
    pub terms: Vec<String>,
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
        let terms = terms_of_title(title);
        if terms.is_empty() || is_chinese(title) != chinese {
            return None;
        }
        let title = one_line(title).replace(['"', '“', '”'], "'");
        let most = if chinese {
            MOST_HAN_OF_TITLE
        } else {
            MOST_OF_TITLE
        };
        let quoted = format!("“{}”", title.trim_end_matches(['.', '。']));
        let name = if length(&title) <= most {
            quoted
        } else {
            listed(&terms[..terms.len().min(NAMING)], chinese)
        };
        Some(Self {
            name: Some(name),
            terms,
        })
    }

    fn of_terms(talk: &str) -> Self {
        let terms = key_terms(talk, OFFERED);
        let naming = &terms[..terms.len().min(NAMING)];
        let name = (!naming.is_empty()).then(|| listed(naming, is_chinese(talk)));
        Self { name, terms }
    }
}

fn listed(terms: &[String], chinese: bool) -> String {
    terms.join(if chinese { "和" } else { " and " })
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
        let subject = Subject::new(&seminar("a.m4a", "How gravel beds move under ice"), TALK);
        assert_eq!(
            subject.name.as_deref(),
            Some("“How gravel beds move under ice”")
        );
        assert!(
            subject.terms.contains(&"gravel beds move".to_owned())
                || subject.terms.contains(&"gravel beds".to_owned())
        );
    }

    #[test]
    fn key_terms_do_where_the_title_says_nothing() {
        for title in ["a", "Lecture 3", "冰下的砾石怎样移动"] {
            let subject = Subject::new(&seminar("a.m4a", title), TALK);
            assert_eq!(subject.name.as_deref(), Some("gravel and fjord"), "{title}");
        }
        let nothing = Subject::new(&seminar("a.m4a", "a"), "Thank you.");
        assert_eq!(nothing, Subject::default());
    }
}
