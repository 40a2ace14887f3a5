//! The length of an answer, counted by code: its body without marks of citations and without the
//! list of references, which is counted apart.

use crate::{
    citations::{self, Style},
    data::arena::AnswerLength,
    text::words,
};

/// Words of an entry of the list of references; what an entry has beyond is body, so that nobody
/// hides an answer among the references.
const LONGEST_ENTRY: usize = 60;

/// The length of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Words of the body; a Han character is a word.
    pub words: u32,
    /// Words of the references.
    pub reference_words: u32,
    /// Entries of the lists of references, in whatever notation.
    pub references: u32,
}

/// How an answer's length compares with its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// There is no body.
    Empty,
    /// Fewer words than the least.
    Short,
    /// Within the bounds.
    Within,
    /// More words than the most.
    Long,
}

impl Measured {
    /// The length within bounds that were told to the agents and are told to the judge.
    pub fn fit(&self, bounds: AnswerLength) -> Fit {
        match self.words {
            0 => Fit::Empty,
            words if words < bounds.least => Fit::Short,
            words if words > bounds.most => Fit::Long,
            _ => Fit::Within,
        }
    }
}

/// Counts an answer in Markdown.
pub fn measured(answer: &str) -> Measured {
    let found = citations::parse(answer);
    let chars: Vec<char> = answer.chars().collect();
    let part = |start: usize, end: usize| -> String {
        let end = end.min(chars.len());
        chars[start.min(end)..end].iter().collect()
    };
    // What is no part of the body, with what stands in its place.
    let mut gone: Vec<(usize, usize, String)> = Vec::new();
    let mut reference_words = 0;
    let mut hidden = 0;
    for entry in &found.references {
        let length = words::length(&part(entry.start, entry.end));
        reference_words += length.min(LONGEST_ENTRY);
        hidden += length.saturating_sub(LONGEST_ENTRY);
        gone.push((entry.start, entry.end, String::new()));
    }
    for section in citations::sections(answer) {
        let heading = chars[section.start.min(chars.len())..]
            .iter()
            .position(|c| *c == '\n');
        let end = heading.map_or(section.end, |length| section.start + length);
        gone.push((section.start, end.min(section.end), String::new()));
    }
    for mark in &found.citations {
        match mark.style {
            Style::Link => {
                let label = mark.label.clone().unwrap_or_default();
                gone.push((mark.start, mark.end, label));
            }
            Style::Numbered | Style::Footnote | Style::Bare => {
                gone.push((mark.start, mark.end, String::new()));
            }
            Style::AuthorYear | Style::ReferenceOnly => {}
        }
    }
    gone.sort();
    let mut body = String::with_capacity(answer.len());
    let mut at = 0;
    for (start, end, instead) in gone {
        if start < at {
            // Part of what is gone already, such as another citation of the same mark.
            at = at.max(end);
            continue;
        }
        body.push_str(&part(at, start));
        body.push(' ');
        body.push_str(&instead);
        body.push(' ');
        at = end;
    }
    body.push_str(&part(at, chars.len()));
    Measured {
        words: (words::length(&body) + hidden) as u32,
        reference_words: reference_words as u32,
        references: found.references.len() as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(answer: &str, words: u32, references: u32) -> Measured {
        let measured = measured(answer);
        let counts = (measured.words, measured.references);
        assert_eq!(counts, (words, references), "{answer}: {measured:?}");
        measured
    }

    #[test]
    fn marks_and_lists_are_no_part_of_the_body() {
        let list = "## References\n[1] Smith, A long title of a page. https://a.test/x\n\
                    [2] Jones, Another one. https://b.test/y\n";
        check(
            &format!("The mill was built in 1851 [1][2].\n\n{list}"),
            6,
            2,
        );
        check("The mill was built in 1851.", 6, 0);
        check(
            "The mill was built in 1851 [1].\n\n## Sources\n- [1] Smith. https://a.test/x\n",
            6,
            1,
        );
        check("It was [built](https://a.test/x) in 1851.", 5, 0);
        check(
            "磨坊建于一八五一年[1]。\n\n## 参考文献\n[1] 王. https://a.test/x\n",
            9,
            1,
        );
        check("", 0, 0);
    }

    #[test]
    fn an_answer_among_the_references_is_counted() {
        let prose = "word ".repeat(200);
        let below = measured(&format!("Short.\n\n## References\n\n{prose}\n"));
        assert!(below.words >= 200, "{below:?}");
        let entry = measured(&format!(
            "Short [1].\n\n## References\n[1] {prose} https://a.test/x\n"
        ));
        assert!((100..=220).contains(&entry.words), "{entry:?}");
    }

    #[test]
    fn the_bounds_are_those_of_agents_and_judge() {
        let bounds = AnswerLength::at(2, 2);
        let fit = |words: usize| {
            let answer = format!(
                "{}\n\n## References\n[1] A. https://a.test/\n",
                "word ".repeat(words)
            );
            measured(&answer).fit(bounds)
        };
        assert_eq!(fit(199), Fit::Short);
        assert_eq!(fit(200), Fit::Within);
        assert_eq!(fit(300), Fit::Within);
        assert_eq!(fit(301), Fit::Long);
        assert_eq!(
            measured("## References\n[1] A. https://a.test/\n").fit(bounds),
            Fit::Empty
        );
    }

    #[test]
    fn long_answers_take_linear_time() {
        let part = "Word [1] and [2](https://a.test/x). ";
        let counted = |times: usize| measured(&part.repeat(times)).words;
        assert_eq!(counted(20_000), 20_000 / 2_000 * counted(2_000));
    }
}
