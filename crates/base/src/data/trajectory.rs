//! The trajectory of a report: what its agent searched for and opened on the way, as far as the
//! agent's provider or the program itself tells. All of it is a stranger's text, within limits.

use serde::{Deserialize, Serialize};

use super::Source;

/// Steps that are kept of a trajectory; the others are counted.
pub const MOST_STEPS: usize = 1000;
/// Bytes of text that are kept of a trajectory; steps beyond are counted.
pub const MOST_BYTES: usize = 1 << 20;
/// Characters that are kept of each text of a step.
pub const LONGEST_TEXT: usize = 2000;
/// Results that are kept of a search, and queries.
pub const MOST_FOUND: usize = 20;

/// Who tells what an agent did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Teller {
    /// The model's provider, with the reply.
    Provider,
    /// The agent's program, on descriptor 3.
    Program,
}

impl Teller {
    /// The word that is stored and shown.
    pub fn word(self) -> &'static str {
        match self {
            Self::Provider => "provider",
            Self::Program => "program",
        }
    }
}

/// The kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// A search of the web.
    Search,
    /// A page that was opened.
    Visit,
    /// A search within a page.
    Find,
    /// Anything else that is worth a word.
    Note,
    /// Tokens so far, or of a step.
    Usage,
}

impl StepKind {
    /// The word that is stored and shown.
    pub fn word(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Visit => "visit",
            Self::Find => "find",
            Self::Note => "note",
            Self::Usage => "usage",
        }
    }
}

/// A step of an agent; what is not told of it is left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// What was done.
    #[serde(rename = "type")]
    pub kind: StepKind,
    /// What was searched for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<String>,
    /// The page's address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The page's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Pages that the search found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<Source>,
    /// How long it took, finite and not negative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Prompt tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Reply tokens, thoughts included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Reply tokens that were thoughts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
    /// Whether it came to nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

impl Step {
    /// A step of which nothing else is told.
    pub fn new(kind: StepKind) -> Self {
        Self {
            kind,
            queries: Vec::new(),
            url: None,
            title: None,
            text: None,
            found: Vec::new(),
            seconds: None,
            input_tokens: None,
            output_tokens: None,
            reasoning_tokens: None,
            failed: false,
        }
    }

    /// A search.
    pub fn search(queries: Vec<String>) -> Self {
        Self {
            queries,
            ..Self::new(StepKind::Search)
        }
    }

    /// An opened page.
    pub fn visit(url: &str, title: Option<&str>) -> Self {
        Self {
            url: Some(url.to_owned()),
            title: title.filter(|title| !title.is_empty()).map(str::to_owned),
            ..Self::new(StepKind::Visit)
        }
    }

    /// A note.
    pub fn note(text: &str) -> Self {
        Self {
            text: Some(text.to_owned()),
            ..Self::new(StepKind::Note)
        }
    }

    /// The step within the limits of texts and lists.
    fn within_limits(mut self) -> Self {
        self.queries.truncate(MOST_FOUND);
        self.found.truncate(MOST_FOUND);
        for text in self.texts_mut() {
            if let Some((end, _)) = text.char_indices().nth(LONGEST_TEXT) {
                text.truncate(end);
            }
        }
        self
    }

    /// Its texts: queries, addresses, titles, the note.
    pub fn texts_mut(&mut self) -> Vec<&mut String> {
        let own = [&mut self.url, &mut self.title, &mut self.text];
        let pages = self.found.iter_mut();
        let pages = pages.flat_map(|page| [&mut page.url, &mut page.title]);
        let own = own.into_iter().flatten();
        self.queries.iter_mut().chain(own).chain(pages).collect()
    }

    fn bytes(&self) -> usize {
        let own = [&self.url, &self.title, &self.text];
        let own = own.into_iter().flatten().map(String::len);
        let pages = self.found.iter();
        let pages = pages.map(|page| page.url.len() + page.title.len());
        let queries = self.queries.iter().map(String::len);
        queries.chain(own).chain(pages).sum()
    }
}

/// What an agent did on its way to a report, in the order in which it is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trajectory {
    /// Who tells it.
    pub told_by: Teller,
    /// The steps within the limits.
    pub steps: Vec<Step>,
    /// Steps beyond the limits, which are not kept.
    #[serde(default)]
    pub left_out: u64,
    /// Lines of a program that are no step.
    #[serde(default)]
    pub unreadable: u64,
    /// Bytes of the steps' texts.
    #[serde(skip)]
    bytes: usize,
}

/// How much an agent did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrajectoryCounts {
    /// Queries that were searched for; a search without a known query is one.
    pub searches: u64,
    /// Pages that were opened, each as often as it was.
    pub visits: u64,
    /// Steps that are kept.
    pub steps: u64,
    /// Steps beyond the limits.
    pub left_out: u64,
    /// Lines of a program that are no step.
    pub unreadable: u64,
}

impl Trajectory {
    /// No step yet.
    pub fn new(told_by: Teller) -> Self {
        Self {
            told_by,
            steps: Vec::new(),
            left_out: 0,
            unreadable: 0,
            bytes: 0,
        }
    }

    /// Adds a step, cut to the limits, or counts it where there is no more room.
    pub fn push(&mut self, step: Step) {
        let step = step.within_limits();
        let bytes = step.bytes();
        if self.steps.len() >= MOST_STEPS || self.bytes + bytes > MOST_BYTES {
            self.left_out += 1;
            return;
        }
        self.bytes += bytes;
        self.steps.push(step);
    }

    /// The trajectory that a provider tells; none where it tells no step.
    pub fn of_provider(steps: impl IntoIterator<Item = Step>) -> Option<Self> {
        let mut trajectory = Self::new(Teller::Provider);
        steps.into_iter().for_each(|step| trajectory.push(step));
        (!trajectory.steps.is_empty()).then_some(trajectory)
    }

    /// The same from another place, where it had no limits.
    #[must_use]
    pub fn within_limits(self) -> Self {
        let mut kept = Self {
            left_out: self.left_out,
            unreadable: self.unreadable,
            ..Self::new(self.told_by)
        };
        self.steps.into_iter().for_each(|step| kept.push(step));
        kept
    }

    /// Whether nothing was told, not even a line that cannot be read.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.left_out == 0 && self.unreadable == 0
    }

    /// How much was done.
    pub fn counts(&self) -> TrajectoryCounts {
        let of = |kind: StepKind| self.steps.iter().filter(move |step| step.kind == kind);
        TrajectoryCounts {
            searches: of(StepKind::Search)
                .map(|step| step.queries.len().max(1) as u64)
                .sum(),
            visits: of(StepKind::Visit).count() as u64,
            steps: self.steps.len() as u64,
            left_out: self.left_out,
            unreadable: self.unreadable,
        }
    }

    /// All its texts.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        self.steps.iter_mut().flat_map(Step::texts_mut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_the_limits_is_cut_or_counted() {
        let mut trajectory = Trajectory::new(Teller::Program);
        trajectory.push(Step::note(&"河".repeat(LONGEST_TEXT + 1)));
        let kept = trajectory.steps[0].text.as_deref().expect("a note");
        assert_eq!(kept.chars().count(), LONGEST_TEXT);
        for _ in 0..MOST_STEPS {
            trajectory.push(Step::search(vec!["a".into(), "b".into()]));
        }
        let counts = trajectory.counts();
        assert_eq!((counts.steps, counts.left_out), (MOST_STEPS as u64, 1));
        assert_eq!(counts.searches, 2 * (MOST_STEPS as u64 - 1));
        let mut heavy = Trajectory::new(Teller::Program);
        for _ in 0..600 {
            heavy.push(Step::note(&"x".repeat(LONGEST_TEXT)));
        }
        assert_eq!(heavy.steps.len(), MOST_BYTES / LONGEST_TEXT);
        assert!(heavy.left_out > 0);
    }

    #[test]
    fn what_is_not_told_is_not_written() {
        let step = Step::visit("https://a.test/", Some(""));
        let json = serde_json::to_string(&step).expect("JSON");
        assert_eq!(json, r#"{"type":"visit","url":"https://a.test/"}"#);
        assert_eq!(Trajectory::of_provider([]), None);
    }
}
