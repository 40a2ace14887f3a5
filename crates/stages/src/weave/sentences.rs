//! The text of a task that code writes: a sentence of the talk, in its own words, within sentences
//! of the program that say what to do with it.

use super::{
    subject::Subject,
    wording::{body, opening},
};
use crate::{
    data::{Difficulty, Inspiration, InspirationType, TaskType},
    text::{
        claim::{has_room, leans, shortened, shorter, tidy},
        words::{han_count, is_chinese, length, word_count},
    },
};

/// Longest task with its subject, in words and in Han characters; a longer one does without.
const MOST_WORDS: usize = 100;
const MOST_HAN: usize = 200;
/// Words or Han characters of a name that says much of a subject.
const TELLING: usize = 5;
const TELLING_HAN: usize = 8;

/// The sentences of an inspiration that a task can begin with, the best first: its evidence, or its
/// text where no quote is of a bearable length.
pub fn claims(inspiration: &Inspiration) -> Vec<String> {
    let quotes = inspiration
        .evidence
        .iter()
        .map(|e| shortened(&tidy(&e.quote)));
    let mut claims: Vec<String> = quotes.filter(|claim| has_room(claim)).collect();
    if claims.is_empty() {
        claims.push(tidy(&inspiration.text));
    }
    // Stable: of equals the first one said comes first.
    claims.sort_by_key(|claim| leans(claim));
    claims.dedup();
    claims
}

/// The text of a task of a family: a claim of an idea of this type, and what to do with it. Where a
/// telling name of the subject and the whole claim do not fit together, the claim is shortened.
pub fn text(family: TaskType, kind: InspirationType, claim: &str, subject: &Subject) -> String {
    let shorter = shorter(claim);
    let names = || subject.names.iter();
    let telling = || names().filter(|name| is_telling(name));
    let mut ways = telling()
        .map(|name| (claim, name))
        .chain(telling().map(|name| (shorter.as_str(), name)))
        .chain(names().map(|name| (claim, name)))
        .map(|(claim, name)| worded(family, kind, claim, Some(name)));
    let fitting = ways.find(|text| word_count(text) <= MOST_WORDS && han_count(text) <= MOST_HAN);
    fitting.unwrap_or_else(|| worded(family, kind, claim, None))
}

/// Whether a name of a subject says much.
fn is_telling(name: &str) -> bool {
    let least = if is_chinese(name) {
        TELLING_HAN
    } else {
        TELLING
    };
    length(name) >= least
}

fn worded(family: TaskType, kind: InspirationType, claim: &str, subject: Option<&str>) -> String {
    let chinese = is_chinese(claim);
    let (opening, body) = (opening(kind, chinese), body(family, kind, chinese));
    match (chinese, subject) {
        (true, Some(subject)) => format!("在{subject}的研究中，{opening}：“{claim}”{body}"),
        (true, None) => format!("{opening}：“{claim}”{body}"),
        (false, Some(subject)) => format!("In work on {subject}, {opening}: “{claim}” {body}"),
        (false, None) => format!("{}: “{claim}” {body}", capital(opening)),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next();
    first
        .into_iter()
        .flat_map(char::to_uppercase)
        .chain(chars)
        .collect()
}

/// How difficult a task of a family is as [`text`] words it: reading and sorting is basic.
pub fn difficulty(family: TaskType) -> Difficulty {
    match family {
        TaskType::LiteratureSurvey
        | TaskType::TrendScan
        | TaskType::RequirementsGathering
        | TaskType::ComparativeAnalysis => Difficulty::Basic,
        _ => Difficulty::Advanced,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        text::words::word_count,
        weave::{
            plan::suits,
            rules::{Material, of_its_words},
        },
    };

    const CLAIM: &str = "The trouble is that nobody recorded the salinity below thirty metres, so we simply can't say where the fresh water ends.";
    const CLAIM_ZH: &str =
        "麻烦的是，三十米以下的盐度从来没有人记录过，所以我们说不清淡水到哪里为止。";

    /// A subject with a title as long as one may be.
    fn subject(claim: &str) -> Subject {
        let name = if is_chinese(claim) {
            "“沿海平原地下咸淡水界面的长期观测与模拟”"
        } else {
            "“Where the fresh water ends: mapping coastal aquifers from old boreholes”"
        };
        Subject {
            names: vec![name.to_owned()],
        }
    }

    #[test]
    fn every_task_of_every_type_keeps_the_rules() {
        for (family, kind) in TaskType::ALL
            .into_iter()
            .flat_map(|family| InspirationType::ALL.map(|kind| (family, kind)))
            .filter(|(family, kind)| suits(*family, *kind))
        {
            for claim in [CLAIM, CLAIM_ZH] {
                let subject = subject(claim);
                let text = text(family, kind, claim, &subject);
                let material = Material {
                    words: claim,
                    people: &[],
                };
                let broken = of_its_words(&text, material).err();
                assert!(broken.is_none(), "{text}: {broken:?}");
                let of_length = if is_chinese(claim) {
                    han_count(&text) <= 200
                } else {
                    word_count(&text) <= 100
                };
                assert!(of_length, "{text}");
                let subject = &subject.names[0];
                assert!(text.contains(subject), "no room for the subject: {text}");
            }
        }
    }
}
