//! Scores of LiveResearchBench that are formulas: the score of a number of issues, and the overall
//! score of a model.

/// The issue rubric: the score of a report with at most so many issues. What has more than the last
/// row allows scores [`LOWEST_SCORE`].
///
/// | issues | 0 | 1–2 | 3–4 | 5–6 | 7–8 | 9–10 | 11–12 | 13–14 | 15–17 | 18 and more |
/// |---|---|---|---|---|---|---|---|---|---|---|
/// | score | 100 | 90 | 80 | 70 | 60 | 50 | 40 | 30 | 20 | 10 |
///
/// The step from 15 to 17 is three wide, the others are two wide.
pub const ISSUE_RUBRIC: [(usize, u8); 9] = [
    (0, 100),
    (2, 90),
    (4, 80),
    (6, 70),
    (8, 60),
    (10, 50),
    (12, 40),
    (14, 30),
    (17, 20),
];

/// The score beyond the table: no number of issues scores zero.
pub const LOWEST_SCORE: u8 = 10;

/// Score of a report with `issues` contradictions or uncited claims.
pub fn issue_score(issues: usize) -> u8 {
    ISSUE_RUBRIC
        .iter()
        .find(|(most, _)| issues <= *most)
        .map_or(LOWEST_SCORE, |(_, score)| *score)
}

/// The four criteria that the overall score is the mean of; depth stands apart.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Four {
    /// Presentation and organisation, 0–100.
    pub presentation: Option<f64>,
    /// Factual and logical consistency, 10–100.
    pub consistency: Option<f64>,
    /// Coverage and comprehensiveness, 0–100.
    pub coverage: Option<f64>,
    /// Citation association, 10–100.
    pub citation: Option<f64>,
}

impl Four {
    /// Overall score: the plain mean of the four, none while one of them is missing.
    pub fn overall(self) -> Option<f64> {
        let sum = self.presentation? + self.consistency? + self.coverage? + self.citation?;
        Some(sum / 4.0)
    }
}
