//! The language of a recording by a vote of its first windows.

/// The votes of windows on the language of a recording.
#[derive(Default)]
pub struct LanguageVote {
    /// Summed probabilities, by Whisper's number of the language.
    totals: Vec<f64>,
    windows: usize,
}

impl LanguageVote {
    /// Most windows that vote.
    pub const MAX_WINDOWS: usize = 3;
    /// Mean probability at which no further window is needed.
    const CERTAIN: f64 = 0.8;

    /// Adds a window's probabilities, by Whisper's number of the language.
    pub fn add(&mut self, language_probs: &[f32]) {
        self.totals.resize(language_probs.len(), 0.0);
        for (total, probability) in self.totals.iter_mut().zip(language_probs) {
            *total += f64::from(*probability);
        }
        self.windows += 1;
    }

    /// Whether the vote is decided.
    pub fn is_certain(&self) -> bool {
        self.totals
            .get(self.best())
            .is_some_and(|total| *total > Self::CERTAIN * self.windows as f64)
    }

    /// Whisper's code of the most likely language.
    pub fn winner(&self) -> &'static str {
        whisper_rs::get_lang_str(self.best() as i32).unwrap_or("en")
    }

    fn best(&self) -> usize {
        // `max_by` takes the last of equals: reversed, that is the first.
        (0..self.totals.len())
            .rev()
            .max_by(|&a, &b| self.totals[a].total_cmp(&self.totals[b]))
            .unwrap_or(0)
    }
}
