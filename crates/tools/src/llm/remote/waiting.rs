//! A line for the user where a server makes a run wait: for how long, and why. Hides how seldom: the
//! questions in flight wait together.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Shortest wait that is reported.
const WORTH_A_WORD: Duration = Duration::from_secs(5);
/// The time between two lines of a model.
const BETWEEN_LINES: Duration = Duration::from_secs(30);

/// Takes a line for the user.
pub type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// The reporter of a model's waits.
#[derive(Default)]
pub(super) struct Waiting {
    say: Option<Say>,
    last: Mutex<Option<Instant>>,
}

impl Waiting {
    pub(super) fn new(say: Option<Say>) -> Self {
        Self {
            say,
            last: Mutex::default(),
        }
    }

    /// Tells of a wait, unless it is short or one was told of a moment ago.
    pub(super) fn tell(&self, model: &str, wait: Duration, why: &str) {
        let Some(say) = &self.say else { return };
        if wait < WORTH_A_WORD {
            return;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| last.elapsed() < BETWEEN_LINES) {
            return;
        }
        *last = Some(Instant::now());
        say(&format!(
            "waiting {} s for {model}: {why}",
            wait.as_secs_f64().ceil()
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_wait_is_told_once_in_a_while() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&lines);
        let say: Say = Arc::new(move |line| heard.lock().unwrap().push(line.to_owned()));
        let waiting = Waiting::new(Some(say));
        waiting.tell("a/b", Duration::from_secs(4), "short");
        waiting.tell("a/b", Duration::from_millis(31_200), "it said 429");
        waiting.tell("a/b", Duration::from_mins(1), "it said 429 again");
        assert_eq!(
            *lines.lock().unwrap(),
            ["waiting 32 s for a/b: it said 429"]
        );
    }
}
