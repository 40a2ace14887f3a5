//! Faults of words: which list belongs to which kind, and where its words are no fault.

use std::sync::LazyLock;

use super::{
    Finding, Kind, Outcome, Reason,
    language::is_english,
    page::{Page, Role},
    pattern::{Match, Patterns},
    sentence::{Sentence, sentences},
};

const CLASSES: &str = include_str!("lists/classes.txt");
const LISTS: [(Kind, &str); 11] = [
    (Kind::Puffery, include_str!("lists/puffery.txt")),
    (Kind::ContentiousLabel, include_str!("lists/label.txt")),
    (Kind::Unattributed, include_str!("lists/unattributed.txt")),
    (Kind::Doubt, include_str!("lists/doubt.txt")),
    (Kind::Editorializing, include_str!("lists/editorial.txt")),
    (Kind::LoadedSaid, include_str!("lists/said.txt")),
    (Kind::Euphemism, include_str!("lists/euphemism.txt")),
    (Kind::Cliche, include_str!("lists/cliche.txt")),
    (Kind::RelativeTime, include_str!("lists/time.txt")),
    (Kind::VaguePlace, include_str!("lists/vague.txt")),
    (Kind::SurvivedBy, include_str!("lists/survived.txt")),
];

#[expect(
    clippy::unwrap_used,
    reason = "the lists are part of the program, and a test reads them"
)]
static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::read(CLASSES, &LISTS).unwrap());

/// The faults of words of an article.
pub(super) struct Phrases {
    english: bool,
    findings: Vec<Finding>,
}

impl Phrases {
    /// The answer for one kind; its findings are given once.
    pub(super) fn take(&mut self, kind: Kind) -> Outcome {
        if !self.english {
            return Outcome::NotChecked(Reason::NotEnglish);
        }
        let of_kind = |finding: &mut Finding| finding.kind == kind;
        Outcome::Checked(self.findings.extract_if(.., of_kind).collect())
    }
}

/// Looks for the words of all lists.
pub(super) fn check(page: &Page) -> Phrases {
    let text: Vec<String> = page
        .blocks
        .iter()
        .map(|block| page.text(block.range.clone()))
        .collect();
    let english = is_english(&text.join("\n"));
    let mut findings = Vec::new();
    for block in page.blocks.iter().filter(|_| english) {
        let role = page.sections[block.section].role;
        for sentence in sentences(page, block) {
            let allows = |found: &Match| is_fault(&sentence, role, found);
            let found = PATTERNS.matches(&sentence, allows);
            findings.extend(found.iter().map(|found| finding(page, &sentence, found)));
        }
    }
    Phrases { english, findings }
}

fn finding(page: &Page, sentence: &Sentence, found: &Match) -> Finding {
    let start = sentence.words[found.first].range.start;
    Finding {
        kind: found.kind,
        start,
        end: sentence.words[found.last].range.end,
        line: page.line(start),
        words: String::new(),
        what: found.kind.meaning().to_owned(),
    }
}

/// Whether words are a fault in their sentence and section.
fn is_fault(sentence: &Sentence, role: Role, found: &Match) -> bool {
    let attributed = sentence
        .attributed_from
        .is_some_and(|from| from < found.first);
    // In a story, people say and think what they like, and now is when it happens.
    let told = role == Role::Story;
    match found.kind {
        Kind::Puffery | Kind::Unattributed | Kind::Editorializing => !attributed,
        Kind::ContentiousLabel | Kind::Doubt => !attributed && !told,
        Kind::RelativeTime => !sentence.dated && !told,
        Kind::LoadedSaid | Kind::VaguePlace => !told,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_can_be_read() {
        Patterns::read(CLASSES, &LISTS).unwrap();
    }
}
