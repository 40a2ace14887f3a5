//! The scale of a measure: one for the whole page, so that all its numbers and plots can be
//! compared. Hides how its ends and decimals follow from the values.

use super::{
    super::{
        markup,
        svg::{self, Axis},
    },
    Measure, Page, Value,
};

/// The range in which a measure is drawn, and its printed decimals.
pub struct Scale {
    /// Decimals that show a three-hundredth part of the scale.
    pub decimals: usize,
    /// Least and greatest value that are drawn; none where there is nothing to draw.
    pub ends: Option<(f64, f64)>,
}

impl Scale {
    /// The possible values of a measure, and all that were found.
    pub fn for_measure(page: &Page, measure: &Measure) -> Self {
        let by_agent = page.agents.iter().map(|agent| &agent.values);
        let by_facet = page
            .by
            .iter()
            .flat_map(|facet| &facet.values)
            .flat_map(|value| value.agents.values());
        let found = by_agent
            .chain(by_facet)
            .filter_map(|values| values.get(&measure.key));
        Self::over(
            found
                .flat_map(Value::ends)
                .chain([measure.range.0, measure.range.1]),
        )
    }

    /// A scale that holds all the values that can be drawn.
    pub fn over(values: impl IntoIterator<Item = f64>) -> Self {
        let axis = Axis::new(values, 0.0, 1.0);
        let decimals = axis
            .as_ref()
            .map_or(2, |axis| svg::decimals((axis.high - axis.low) / 300.0));
        Self {
            decimals,
            ends: axis.map(|axis| (axis.low, axis.high)),
        }
    }

    /// The scale between two coordinates; `None` where there is nothing to draw.
    pub fn axis(&self, from: f64, to: f64) -> Option<Axis> {
        let (low, high) = self.ends?;
        Axis::new([low, high], from, to)
    }

    /// A value, or a dash.
    pub fn number(&self, value: Option<f64>) -> String {
        svg::number(value.unwrap_or(f64::NAN), self.decimals)
    }

    /// An interval, or a dash.
    pub fn interval(&self, low: Option<f64>, high: Option<f64>) -> String {
        markup::interval(
            low.unwrap_or(f64::NAN),
            high.unwrap_or(f64::NAN),
            self.decimals,
        )
    }

    /// `0 to 10`, or nothing.
    pub fn span(&self) -> String {
        let Some((low, high)) = self.ends else {
            return String::new();
        };
        let decimals = if low.fract() == 0.0 && high.fract() == 0.0 {
            0
        } else {
            self.decimals
        };
        format!(
            "{} to {}",
            svg::number(low, decimals),
            svg::number(high, decimals)
        )
    }
}

impl Value {
    /// The values that the axis must cover.
    pub fn ends(&self) -> impl Iterator<Item = f64> {
        [self.low, self.value, self.high].into_iter().flatten()
    }
}

/// `96 of 100`, or a dash where there was nothing to score.
pub fn covered(value: Option<&Value>) -> String {
    value.map_or_else(
        || "–".to_owned(),
        |value| format!("{} of {}", value.n, value.of),
    )
}
