//! Measures as data: name, scale, averaging over tasks, and display of a number about a report.
//! Evaluators export tables of them; leaderboards, pages, CSV files, rescoring and agreement read
//! those tables and know no evaluator.

use std::borrow::Cow;

use serde::Serialize;

/// One measure of reports.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureDef {
    /// Its key in JSON, CSV and pages, such as `ksr_own`; unique among all measures.
    pub key: &'static str,
    /// Its name for people, such as `KSR own`.
    pub label: &'static str,
    /// Its name in a wide table beside its neighbours, such as `KCR`.
    pub column: &'static str,
    /// Its meaning, in one clause.
    pub meaning: &'static str,
    /// How a value is printed.
    pub unit: Unit,
    /// The largest possible value; the least is 0. None where there is no limit.
    pub most: Option<f64>,
    /// Whether more is better; none where neither is.
    pub higher_is_better: Option<bool>,
    /// How values of tasks become one value of an agent.
    pub average: Average,
    /// Its role on a leaderboard.
    pub role: Role,
    /// How the leaderboard in a terminal shows it.
    pub in_table: InTable,
    /// The whole that it is a part of, beside other measures, and which part.
    pub whole: Option<(&'static str, ShareOf)>,
    /// What a judgement without a verdict leaves open of a report's value.
    pub undecided: Undecided,
}

/// What one judgement without a verdict leaves open of the value of a report that has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// One more unit of the denominator, reached or not: it is in neither of the two sums.
    OneMore,
    /// One unit of the denominator, reached or not, or one more: another judge of the panel may
    /// have decided it.
    One,
    /// Anything on the scale: its weight is not known.
    Anything,
}

/// Which part of a whole a measure is: its three shares add up to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareOf {
    /// What is supported.
    Supported,
    /// What is contradicted.
    Contradicted,
    /// What is omitted.
    Omitted,
    /// What is supported over the other two together.
    Efficiency,
}

/// How a value is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Points, with two decimals.
    Points,
    /// A share from 0 to 1, printed in percent.
    Share,
    /// A quotient, with two decimals.
    Ratio,
    /// A count, with this many decimals of its mean.
    Count(usize),
    /// Micro-dollars, printed in dollars.
    MicroDollars,
}

impl Unit {
    /// The factor from a stored value to a printed one.
    pub fn scale(self) -> f64 {
        match self {
            Self::Share => 100.0,
            Self::MicroDollars => 1e-6,
            _ => 1.0,
        }
    }

    /// The unit sign after a printed value.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Share => "%",
            Self::MicroDollars => "$",
            _ => "",
        }
    }

    /// Decimals of a printed value.
    pub fn decimals(self) -> usize {
        match self {
            Self::Points | Self::Ratio => 2,
            Self::Share => 0,
            Self::Count(decimals) => decimals,
            Self::MicroDollars => 4,
        }
    }
}

/// How values of tasks become one value of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Average {
    /// Micro: the numerators of all tasks over their denominators.
    Pooled,
    /// Macro: each task counts the same.
    PerTask,
}

/// The role of a measure on a leaderboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It orders agents and makes tiers; of several, the first with a value of any agent.
    Ranks,
    /// Agents are compared on it pair by pair.
    Compares,
    /// It is shown.
    Describes,
}

impl Role {
    /// Whether agents are compared on the measure pair by pair.
    pub fn compares(self) -> bool {
        self != Self::Describes
    }
}

/// How the leaderboard in a terminal shows a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InTable {
    /// With its interval.
    WithInterval,
    /// The value alone.
    Plain,
    /// Only in JSON, CSV and pages.
    Hidden,
}

/// The score of a report by one measure: a fraction, or the cause of its absence in one word.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Score {
    /// The value as numerator and denominator, or the cause.
    #[serde(flatten, serialize_with = "fraction_or_cause")]
    pub outcome: Result<Fraction, Cow<'static, str>>,
    /// Judgements without a verdict that the value leaves out.
    pub unscored: u64,
    /// What missing judgements leave open of the value, where `unscored` does not say it. It shows
    /// as the worst and the best value of an agent.
    #[serde(skip)]
    pub open: Open,
}

/// What missing judgements leave open of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Open {
    /// No more than the number of judgements without a verdict says.
    #[default]
    AsCounted,
    /// The value is a fraction of this denominator, and the numerator could be anything from the
    /// first to the second number.
    Between([f64; 2], f64),
}

/// Numerator and denominator: sums over tasks stay fractions, as pooled shares need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Fraction {
    /// The numerator.
    pub numerator: f64,
    /// The denominator, above 0.
    pub denominator: f64,
}

/// The scores of a report by the keys of their measures, each key once. They are two dozen at most,
/// and a leaderboard holds those of a hundred thousand reports: a list takes less room and time
/// than a tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores(Vec<(&'static str, Score)>);

impl Scores {
    /// Gives back the room for scores that did not come: a leaderboard holds a hundred thousand
    /// such lists.
    pub fn shrink(&mut self) {
        self.0.shrink_to_fit();
    }

    /// The score by a measure.
    pub fn get(&self, key: &str) -> Option<&Score> {
        let (_, score) = self.0.iter().find(|(known, _)| *known == key)?;
        Some(score)
    }

    /// All of them, with the keys of their measures.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Score)> {
        self.0.iter().map(|(key, score)| (*key, score))
    }

    /// Adds a score; it takes the place of an earlier one by the same measure.
    pub fn insert(&mut self, key: &'static str, score: Score) {
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = score,
            None => self.0.push((key, score)),
        }
    }
}

impl Extend<(&'static str, Score)> for Scores {
    fn extend<I: IntoIterator<Item = (&'static str, Score)>>(&mut self, scores: I) {
        for (key, score) in scores {
            self.insert(key, score);
        }
    }
}

impl FromIterator<(&'static str, Score)> for Scores {
    fn from_iter<I: IntoIterator<Item = (&'static str, Score)>>(scores: I) -> Self {
        let scores = scores.into_iter();
        let mut all = Self(Vec::with_capacity(scores.size_hint().0));
        all.extend(scores);
        all
    }
}

impl<const N: usize> From<[(&'static str, Score); N]> for Scores {
    fn from(scores: [(&'static str, Score); N]) -> Self {
        scores.into_iter().collect()
    }
}

impl IntoIterator for Scores {
    type Item = (&'static str, Score);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Serialize for Scores {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, score)| (key, score)))
    }
}

impl Fraction {
    /// A fraction.
    pub fn new(numerator: f64, denominator: f64) -> Self {
        Self {
            numerator,
            denominator,
        }
    }

    /// The quotient.
    pub fn value(self) -> f64 {
        self.numerator / self.denominator
    }
}

impl MeasureDef {
    /// A stored value as people read it, without its sign: `–` where there is none.
    pub fn print(&self, value: Option<f64>) -> String {
        let (scale, decimals) = (self.unit.scale(), self.unit.decimals());
        value.map_or_else(
            || "–".to_owned(),
            |value| format!("{:.decimals$}", value * scale),
        )
    }

    /// Whether values have a least and a largest possible one, so that what is missing can be
    /// bounded.
    pub fn is_bounded(&self) -> bool {
        self.most.is_some()
    }

    /// Whether a page draws it: a scale with two ends and a better one.
    pub fn is_drawn(&self) -> bool {
        self.most.is_some() && self.higher_is_better.is_some() && self.in_table != InTable::Hidden
    }
}

impl Score {
    /// A fraction that leaves nothing out.
    pub fn ratio(numerator: f64, denominator: f64) -> Self {
        Self {
            outcome: Ok(Fraction::new(numerator, denominator)),
            unscored: 0,
            open: Open::AsCounted,
        }
    }

    /// A plain number; none is not a zero but `cause`.
    pub fn number(value: Option<f64>, cause: &'static str) -> Self {
        match value.filter(|value| value.is_finite()) {
            Some(value) => Self::ratio(value, 1.0),
            None => Self::missing(cause),
        }
    }

    /// No value.
    pub fn missing(cause: impl Into<Cow<'static, str>>) -> Self {
        Self {
            outcome: Err(cause.into()),
            unscored: 0,
            open: Open::AsCounted,
        }
    }

    /// The value, if there is one.
    pub fn value(&self) -> Option<f64> {
        self.outcome.as_ref().ok().map(|fraction| fraction.value())
    }
}

fn fraction_or_cause<S: serde::Serializer>(
    outcome: &Result<Fraction, Cow<'static, str>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    use serde::ser::SerializeMap as _;
    let mut map = serializer.serialize_map(None)?;
    match outcome {
        Ok(fraction) => {
            map.serialize_entry("value", &fraction.value())?;
            map.serialize_entry("numerator", &fraction.numerator)?;
            map.serialize_entry("denominator", &fraction.denominator)?;
        }
        Err(cause) => map.serialize_entry("cause", cause)?,
    }
    map.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_a_fraction_or_a_cause() {
        let json = |score: &Score| serde_json::to_string(score).expect("it serialises");
        assert_eq!(
            json(&Score::ratio(3.0, 4.0)),
            r#"{"value":0.75,"numerator":3.0,"denominator":4.0,"unscored":0}"#
        );
        assert_eq!(
            json(&Score::number(None, "not known")),
            r#"{"cause":"not known","unscored":0}"#
        );
        assert_eq!(Score::number(Some(f64::NAN), "unscored").value(), None);
    }
}
