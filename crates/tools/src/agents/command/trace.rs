//! The trace of a program: what it did on its way to the report, as JSON lines on descriptor 3.
//! Hides the limits, and that a program may write anything there, as much as it likes, or nothing.

use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::{result::TooLong, stderr::StderrLog};
use crate::data::{Step, StepKind, Teller, Trajectory, trajectory::MOST_STEPS};

/// A longer line is no step.
const LONGEST_LINE: usize = 1 << 14;
/// No step takes longer than thirty years, or more tokens.
const MOST_SECONDS: f64 = 1e9;
const MOST_TOKENS: u64 = 1_000_000_000_000;

/// The trace as it comes in.
pub struct Trace {
    /// Steps as they were told. They are cut only when the secrets are out: a part of one that a
    /// cut leaves does not look like a secret any more.
    steps: Vec<Step>,
    /// What is counted of the rest.
    trajectory: Trajectory,
    line: Vec<u8>,
    /// Whether the line is too long already.
    is_long: bool,
}

/// A line. Fields that are not known here are passed over.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: Kind,
    query: Option<String>,
    url: Option<String>,
    title: Option<String>,
    text: Option<String>,
    seconds: Option<f64>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    #[serde(default)]
    failed: bool,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Search,
    Visit,
    Note,
    Usage,
}

impl Trace {
    /// Nothing yet.
    pub fn new() -> Self {
        Self {
            steps: Vec::new(),
            trajectory: Trajectory::new(Teller::Program),
            line: Vec::new(),
            is_long: false,
        }
    }

    /// Reads to the end, so that the program never waits for us. It is never too long: the error's
    /// type is that of the streams that are read beside it.
    pub async fn read(&mut self, pipe: Option<impl AsyncRead + Unpin>) -> Result<(), TooLong> {
        let Some(mut pipe) = pipe else { return Ok(()) };
        let mut bytes = Vec::with_capacity(1 << 14);
        while pipe.read_buf(&mut bytes).await.unwrap_or_default() > 0 {
            self.take(&bytes);
            bytes.clear();
        }
        Ok(())
    }

    fn take(&mut self, bytes: &[u8]) {
        let mut parts = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(part) = parts.next() {
            if self.line.len() + part.len() > LONGEST_LINE {
                self.is_long = true;
                self.line.clear();
            } else if !self.is_long {
                self.line.extend_from_slice(part);
            }
            if parts.peek().is_some() {
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let is_long = std::mem::take(&mut self.is_long);
        if !is_long && line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        match step(&line).filter(|_| !is_long) {
            Some(step) if self.steps.len() < MOST_STEPS => self.steps.push(step),
            Some(_) => self.trajectory.left_out += 1,
            None => self.trajectory.unreadable += 1,
        }
    }

    /// What was read, without the values of secrets; none where nothing was written.
    pub fn finish(mut self, log: &StderrLog<'_>) -> Option<Trajectory> {
        // The last line may have no end.
        self.end_line();
        for mut step in self.steps {
            for text in step.texts_mut() {
                *text = log.redacted(text);
            }
            self.trajectory.push(step);
        }
        Some(self.trajectory).filter(|trajectory| !trajectory.is_empty())
    }
}

/// The step of a line, if it is one.
fn step(line: &[u8]) -> Option<Step> {
    let line: Line = serde_json::from_slice(line).ok()?;
    let step = match line.kind {
        Kind::Search => Step::search(vec![line.query?]),
        Kind::Visit => Step::visit(&line.url?, line.title.as_deref()),
        Kind::Note => Step::note(&line.text?),
        Kind::Usage => {
            line.input_tokens.or(line.output_tokens)?;
            Step::new(StepKind::Usage)
        }
    };
    let tokens = [line.input_tokens, line.output_tokens];
    let is_plausible = line
        .seconds
        .is_none_or(|s| (0.0..=MOST_SECONDS).contains(&s))
        && tokens.iter().flatten().all(|count| *count <= MOST_TOKENS);
    is_plausible.then_some(Step {
        seconds: line.seconds,
        input_tokens: line.input_tokens,
        output_tokens: line.output_tokens,
        failed: line.failed,
        ..step
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::trajectory::LONGEST_TEXT;

    fn traced(pieces: &[&[u8]]) -> Option<Trajectory> {
        let mut trace = Trace::new();
        for piece in pieces {
            trace.take(piece);
        }
        trace.finish(&StderrLog::new(&["a-secret-value".to_owned()]))
    }

    #[test]
    fn lines_are_steps_wherever_they_are_cut() {
        let lines = concat!(
            "{\"type\":\"search\",\"query\":\"河床 gravel a-secret-value\",\"seconds\":1.5}\n",
            "\n",
            "{\"type\":\"visit\",\"url\":\"https://a.test/\",\"title\":\"A\",\"extra\":1}\n",
            "{\"type\":\"usage\",\"input_tokens\":7}"
        );
        let whole = traced(&[lines.as_bytes()]).expect("steps");
        for at in 0..lines.len() {
            let (a, b) = lines.as_bytes().split_at(at);
            assert_eq!(traced(&[a, b]), Some(whole.clone()), "{at}");
        }
        assert_eq!(whole.steps[0].queries, ["河床 gravel …"]);
        assert_eq!((whole.steps.len(), whole.unreadable), (3, 0));
    }

    #[test]
    fn a_cut_leaves_no_part_of_a_secret() {
        let before = "x".repeat(LONGEST_TEXT - 4);
        let line = format!("{{\"type\":\"note\",\"text\":\"{before}a-secret-value\"}}");
        let found = traced(&[line.as_bytes()]).expect("a note");
        let expect = format!("{before}…");
        assert_eq!(found.steps[0].text.as_deref(), Some(expect.as_str()));
    }

    #[test]
    fn what_is_no_step_is_counted() {
        let garbage: &[&[u8]] = &[
            b"no JSON\n\xff\xfe\n[]\n{}\n",
            b"{\"type\":\"search\"}\n{\"type\":\"dance\"}\n",
            b"{\"type\":\"note\",\"text\":\"x\",\"seconds\":-1}\n",
            b"{\"type\":\"usage\"}\n{\"type\":\"note\",\"text\":7}\n",
        ];
        let found = traced(garbage).expect("counted");
        assert_eq!((found.steps.len(), found.unreadable), (0, 9));
        let long = vec![b'x'; 3 * LONGEST_LINE];
        let found = traced(&[&long, b"\n{\"type\":\"note\",\"text\":\"x\"}\n"]).expect("a note");
        assert_eq!((found.steps.len(), found.unreadable), (1, 1));
        assert_eq!(traced(&[]), None);
        assert_eq!(traced(&[b"\n \n"]), None);
    }
}
