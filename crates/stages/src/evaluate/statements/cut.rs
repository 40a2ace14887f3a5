//! A report cut into chunks of numbered sentences, never within a sentence, and what is shown of a
//! chunk.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{
    data::id::sha256_hex,
    evidence::reading::{self, Sourced},
    llm::tokens_of,
};

/// Sentences before a chunk that are shown for understanding it.
const BEFORE: usize = 2;
/// Characters of each of these; a row of a table may be as long as a page.
const LONGEST_BEFORE: usize = 300;

/// How large a chunk may be. A single sentence may be larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Tokens, by a rule of thumb.
    pub tokens: usize,
    /// Sentences.
    pub sentences: usize,
}

impl Bounds {
    /// For models behind servers.
    pub const USUAL: Self = Self {
        tokens: 1_200,
        sentences: 30,
    };
    /// For a small model.
    pub const SMALL: Self = Self {
        tokens: 240,
        sentences: 6,
    };
}

/// A sentence with its place.
pub struct Sentence {
    /// Its place in the report, in Unicode scalar values.
    pub span: Range<usize>,
    /// Its text on one line without marks, and what it cites.
    pub sourced: Sourced,
}

/// A report in sentences.
pub struct Sentences {
    all: Vec<Sentence>,
    /// Headings, each with the index of the sentence that follows it.
    headings: Vec<(usize, String)>,
}

/// What is shown of a chunk.
pub struct Shown {
    /// Title, heading and sentences before it, a line each; none where it begins the report.
    pub before: Option<String>,
    /// Its sentences, each with its number from 1, and the headings between them.
    pub lines: String,
}

impl Shown {
    /// The name of the chunk: with other words around it, it is another question.
    pub fn id(&self) -> String {
        let before = self.before.as_deref().unwrap_or_default();
        sha256_hex(format!("{before}\n\n{}", self.lines).as_bytes())[..16].to_owned()
    }
}

impl Sentences {
    /// Reads a report.
    pub fn read(report: &str) -> Self {
        let (mut all, mut headings) = (Vec::new(), Vec::new());
        for piece in reading::pieces(report) {
            if piece.is_heading {
                headings.push((all.len(), piece.sourced.text));
            } else {
                all.push(Sentence {
                    span: piece.span,
                    sourced: piece.sourced,
                });
            }
        }
        Self { all, headings }
    }

    /// The sentences, items and rows in order.
    pub fn all(&self) -> &[Sentence] {
        &self.all
    }

    /// The report in chunks: as many sentences as the bounds allow, at least one. One that is half
    /// full ends before a heading.
    pub fn chunks(&self, bounds: Bounds) -> Vec<Range<usize>> {
        let mut chunks = Vec::new();
        let (mut start, mut tokens) = (0, 0);
        for (at, sentence) in self.all.iter().enumerate() {
            let own = tokens_of(&sentence.sourced.text);
            let is_full = tokens + own > bounds.tokens || at - start >= bounds.sentences;
            let is_half_full = 2 * tokens >= bounds.tokens || 2 * (at - start) >= bounds.sentences;
            if at > start && (is_full || is_half_full && self.begins_section(at)) {
                chunks.push(start..at);
                (start, tokens) = (at, 0);
            }
            tokens += own;
        }
        if start < self.all.len() {
            chunks.push(start..self.all.len());
        }
        chunks
    }

    fn begins_section(&self, sentence: usize) -> bool {
        !self.above(sentence).is_empty()
    }

    /// The headings between a sentence and the one before.
    fn above(&self, sentence: usize) -> &[(usize, String)] {
        let from = self.headings.partition_point(|(at, _)| *at < sentence);
        let len = self.headings[from..].partition_point(|(at, _)| *at == sentence);
        &self.headings[from..from + len]
    }

    /// What is shown of a chunk.
    pub fn shown(&self, chunk: &Range<usize>) -> Shown {
        let mut lines = Vec::new();
        for (number, at) in (1..).zip(chunk.clone()) {
            let headings = self.above(at).iter();
            lines.extend(headings.map(|(_, heading)| format!("# {heading}")));
            lines.push(format!("{number} {}", self.all[at].sourced.text));
        }
        let before = self.before(chunk.start);
        Shown {
            before: (!before.is_empty()).then(|| before.join("\n")),
            lines: lines.join("\n"),
        }
    }

    /// The texts of a chunk, its headings among them, without numbers of lines.
    pub fn texts(&self, chunk: &Range<usize>) -> impl Iterator<Item = &str> {
        chunk.clone().flat_map(|at| {
            let headings = self.above(at).iter().map(|(_, heading)| heading.as_str());
            headings.chain([self.all[at].sourced.text.as_str()])
        })
    }

    fn before(&self, start: usize) -> Vec<String> {
        let known = self.headings.partition_point(|(at, _)| *at < start);
        let earlier = &self.headings[..known];
        let title = earlier.first();
        // Below a heading of its own, the one of the section before says nothing.
        let section = earlier
            .last()
            .filter(|_| known > 1 && !self.begins_section(start));
        let headings = [title, section].into_iter().flatten();
        let headings = headings.map(|(_, heading)| format!("# {heading}"));
        let sentences = self.all[start.saturating_sub(BEFORE)..start].iter();
        let sentences = sentences.map(|of| of.sourced.text.clone());
        headings
            .chain(sentences)
            .map(|line| line.chars().take(LONGEST_BEFORE).collect())
            .collect()
    }
}

/// The halves of a chunk of two sentences or more.
pub fn halves(chunk: &Range<usize>) -> [Range<usize>; 2] {
    let middle = chunk.start + chunk.len() / 2;
    [chunk.start..middle, middle..chunk.end]
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "# Esk Bridge\n\nIt was built in 1890 [1]. It has 12 arches.[2]\n\n\
        ## Pillars\n\n- Pillar 1 is dry.\n- Pillar 2 is wet.\n\n## 历史\n\n桥建于1890年【1】。它很长。\n\n\
        ## References\n\n[1] A. https://a.org/1\n[2] B. https://b.org/2\n";

    fn bounds(sentences: usize) -> Bounds {
        Bounds {
            tokens: 1_000,
            sentences,
        }
    }

    #[test]
    fn chunks_are_whole_sentences_and_together_the_report() {
        let report = Sentences::read(REPORT);
        let texts: Vec<&str> = report
            .all()
            .iter()
            .map(|of| of.sourced.text.as_str())
            .collect();
        let expected = [
            "It was built in 1890.",
            "It has 12 arches.",
            "Pillar 1 is dry.",
            "Pillar 2 is wet.",
            "桥建于1890年。",
            "它很长。",
        ];
        assert_eq!(texts, expected);
        for sentences in 1..8 {
            let chunks = report.chunks(bounds(sentences));
            assert!(chunks.iter().all(|of| (1..=sentences).contains(&of.len())));
            let all: Vec<usize> = chunks.into_iter().flatten().collect();
            assert_eq!(all, (0..6).collect::<Vec<_>>());
        }
        // Half full, a chunk ends before a heading.
        assert_eq!(report.chunks(bounds(4)), [0..2, 2..4, 4..6]);
        let chars: Vec<char> = REPORT.chars().collect();
        let place = |at: usize| -> String { chars[report.all()[at].span.clone()].iter().collect() };
        assert_eq!(place(1), "It has 12 arches.[2]");
        assert_eq!(place(4), "桥建于1890年【1】。");
        assert!(Sentences::read("").chunks(bounds(3)).is_empty());
        assert!(
            Sentences::read("# Only a title\n")
                .chunks(bounds(3))
                .is_empty()
        );
    }

    #[test]
    fn tokens_bound_a_chunk_and_one_long_sentence_stands_alone() {
        let long = "word ".repeat(500);
        let report = Sentences::read(&format!(
            "One is short. Next {long}end. Three is short. Four."
        ));
        let bounds = Bounds {
            tokens: 60,
            sentences: 30,
        };
        assert_eq!(report.chunks(bounds), [0..1, 1..2, 2..4]);
    }

    #[test]
    fn what_stands_before_is_shown_apart() {
        let report = Sentences::read(REPORT);
        let first = report.shown(&(0..2));
        assert_eq!(first.before, None);
        assert_eq!(
            first.lines,
            "# Esk Bridge\n1 It was built in 1890.\n2 It has 12 arches."
        );
        let second = report.shown(&(2..4));
        assert_eq!(
            second.before.as_deref(),
            Some("# Esk Bridge\nIt was built in 1890.\nIt has 12 arches.")
        );
        assert_eq!(
            second.lines,
            "# Pillars\n1 Pillar 1 is dry.\n2 Pillar 2 is wet."
        );
        let half = report.shown(&(3..4));
        assert_eq!(
            half.before.as_deref(),
            Some("# Esk Bridge\n# Pillars\nIt has 12 arches.\nPillar 1 is dry.")
        );
        assert_ne!(second.id(), half.id());
        assert_eq!(halves(&(2..5)), [2..3, 3..5]);
    }
}
