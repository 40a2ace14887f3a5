//! Axes, marks and numbers of the page's plots, as SVG text with the page's own styles. Hides
//! scales, round ticks and escaping; a value that cannot be drawn never gets a coordinate.

use minijinja::HtmlEscape;
use serde::Serialize;

use crate::text::words::one_line;

/// Width of every plot in its own units.
pub const WIDTH: f64 = 720.0;

/// A linear scale from values to a plot's units, with ticks at round numbers.
pub struct Axis {
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
    from: f64,
    to: f64,
    step: f64,
}

impl Axis {
    /// Lays the span of `values` between the coordinates `from` and `to`; `None` where no value can
    /// be drawn.
    pub fn new(values: impl IntoIterator<Item = f64>, from: f64, to: f64) -> Option<Self> {
        let drawn = values.into_iter().filter(|value| drawable(*value));
        let (mut low, mut high) = drawn.fold(None, |span: Option<(f64, f64)>, value| {
            Some(span.map_or((value, value), |(low, high)| {
                (low.min(value), high.max(value))
            }))
        })?;
        if high - low < 1e-9 {
            (low, high) = (low - 0.5, high + 0.5);
        }
        let step = round_step((high - low) / ((to - from).abs() / 45.0).clamp(2.0, 10.0));
        Some(Self {
            low,
            high,
            from,
            to,
            step,
        })
    }

    /// The same axis for counts, with whole ticks.
    pub fn whole(self) -> Self {
        Self {
            step: self.step.max(1.0),
            ..self
        }
    }

    /// The coordinate of `value`; `None` where it cannot be drawn.
    pub fn at(&self, value: f64) -> Option<f64> {
        drawable(value).then(|| {
            self.from
                + (value.clamp(self.low, self.high) - self.low) / (self.high - self.low)
                    * (self.to - self.from)
        })
    }

    /// Coordinates and labels of the ticks.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let first = (self.low / self.step - 1e-9).ceil();
        let n = ((self.high / self.step + 1e-9).floor() - first).clamp(0.0, 20.0) as u32;
        let values = (0..=n).map(|i| (first + f64::from(i)) * self.step);
        values
            .filter_map(|value| Some((self.at(value)?, number(value, decimals(self.step)))))
            .collect()
    }

    /// The axis below a plot, with rules up to `top`.
    pub fn below(&self, top: f64, bottom: f64, name: &str) -> String {
        let mut out = String::new();
        for (x, label) in self.ticks() {
            out += &line("rule", (x, top), (x, bottom));
            out += &text("tick middle", x, bottom + 16.0, &label);
        }
        out + &text("tick end", self.from.max(self.to), bottom + 34.0, name)
    }

    /// The axis beside a plot, with rules up to `right`; its name stands above it.
    pub fn beside(&self, left: f64, right: f64, name: &str) -> String {
        let mut out = text("tick", 0.0, self.to.min(self.from) - 20.0, name);
        for (y, label) in self.ticks() {
            out += &line("rule", (left, y), (right, y));
            out += &text("tick end", left - 6.0, y + 4.0, &label);
        }
        out
    }
}

/// Whether a value can have a place in a plot.
fn drawable(value: f64) -> bool {
    value.is_finite() && value.abs() < 1e12
}

/// The least of 1, 2, 5, 10, 20, … (and their tenths) that is not below `rough`.
pub fn round_step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|factor| rough <= factor * power * (1.0 + 1e-9));
    factor.unwrap_or(10.0) * power
}

/// Decimals that tell values apart which differ by `step`.
pub fn decimals(step: f64) -> usize {
    if drawable(step) && step > 0.0 {
        (-(step.log10() + 1e-9).floor()).clamp(0.0, 6.0) as usize
    } else {
        0
    }
}

/// A number for people: with a true minus sign, never a negative zero, a dash where there is none.
pub fn number(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let digits = format!("{:.decimals$}", value.abs());
    let zero = digits.chars().all(|c| matches!(c, '0' | '.'));
    if value < 0.0 && !zero {
        format!("−{digits}")
    } else {
        digits
    }
}

/// `text` on one line, cut to `width` columns, in which a letter from Hangul Jamo upwards takes
/// two.
pub fn short(text: &str, width: usize) -> String {
    let one_line = one_line(text);
    let mut used = 0;
    let cut = one_line.char_indices().find(|(_, c)| {
        used += if *c >= '\u{1100}' { 2 } else { 1 };
        used > width
    });
    cut.map_or_else(
        || one_line.clone(),
        |(at, _)| format!("{}…", one_line[..at].trim_end()),
    )
}

/// A plot and its numbers.
#[derive(Serialize)]
pub struct Figure {
    /// The title.
    pub title: String,
    /// The caption, in a sentence or two.
    pub caption: String,
    /// Safe markup.
    pub svg: String,
    /// The columns of the table of numbers.
    pub columns: Vec<String>,
    /// The plot's numbers; none where the page lists them anyway.
    pub rows: Vec<Vec<String>>,
}

/// A whole plot, `name` unique on the page, that is read aloud as its title and description.
pub fn image(name: &str, height: f64, title: &str, description: &str, body: &str) -> String {
    let (title, description) = (HtmlEscape(title), HtmlEscape(description));
    format!(
        "<svg role=\"img\" aria-labelledby=\"{name}-title {name}-desc\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\">\
         <title id=\"{name}-title\">{title}</title><desc id=\"{name}-desc\">{description}</desc>\n{body}</svg>"
    )
}

/// Text at a point, escaped.
pub fn text(class: &str, x: f64, y: f64, text: &str) -> String {
    format!(
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>\n",
        HtmlEscape(text)
    )
}

/// A straight line.
pub fn line(class: &str, from: (f64, f64), to: (f64, f64)) -> String {
    let ((x1, y1), (x2, y2)) = (from, to);
    format!(
        "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>\n"
    )
}

/// A dot.
pub fn dot(class: &str, (x, y): (f64, f64), radius: f64) -> String {
    format!("<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>\n")
}

/// A box between two corners, the first one upper left.
pub fn area(class: &str, from: (f64, f64), to: (f64, f64)) -> String {
    let (width, height) = ((to.0 - from.0).max(0.0), (to.1 - from.1).max(0.0));
    format!(
        "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>\n",
        from.0, from.1
    )
}

/// The same, the more opaque the larger the shade, 0 to 1.
pub fn shaded(class: &str, shade: f64, from: (f64, f64), to: (f64, f64)) -> String {
    let opacity = format!(" fill-opacity=\"{:.2}\"/>", shade.clamp(0.0, 1.0));
    area(class, from, to).replace("/>", &opacity)
}

/// Text that begins at a point and rises to the right, escaped.
pub fn slanted(class: &str, x: f64, y: f64, text: &str) -> String {
    format!(
        "<text class=\"{class}\" transform=\"translate({x:.1} {y:.1}) rotate(-38)\">{}</text>\n",
        HtmlEscape(text)
    )
}

/// Points joined to an open line (`polyline`) or a closed shape (`polygon`).
pub fn joined(shape: &str, class: &str, points: &[(f64, f64)]) -> String {
    let points: Vec<String> = points
        .iter()
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    format!(
        "<{shape} class=\"{class}\" points=\"{}\"/>\n",
        points.join(" ")
    )
}

/// Coloured dots with their meanings, in a row that begins at `x`.
pub fn key(mut x: f64, y: f64, meanings: &[(&str, &str)]) -> String {
    let mut out = String::new();
    for (class, meaning) in meanings {
        out += &dot(class, (x + 4.0, y - 4.0), 4.0);
        out += &text("tick", x + 13.0, y, meaning);
        x += 34.0 + 6.5 * meaning.chars().count() as f64;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, length: f64) -> Vec<String> {
        let axis = Axis::new([low, high], 0.0, length).expect("finite");
        axis.ticks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_and_within() {
        assert_eq!(labels(-2.3, 3.1, 360.0), ["−2", "−1", "0", "1", "2", "3"]);
        assert_eq!(labels(0.0, 1.0, 210.0), ["0.0", "0.5", "1.0"]);
        assert_eq!(labels(1168.0, 1232.0, 180.0), ["1180", "1200", "1220"]);
        assert_eq!(
            labels(0.0, 0.3, 360.0),
            ["0.00", "0.05", "0.10", "0.15", "0.20", "0.25", "0.30"]
        );
        assert_eq!(labels(7.0, 7.0, 120.0), ["6.5", "7.0", "7.5"]);
    }

    #[test]
    fn steps_are_one_two_or_five() {
        for (rough, step) in [
            (0.1, 0.1),
            (0.11, 0.2),
            (3.0, 5.0),
            (5.0, 5.0),
            (7.0, 10.0),
            (120.0, 200.0),
        ] {
            assert!(
                (round_step(rough) - step).abs() < 1e-9,
                "{rough} gave {}",
                round_step(rough)
            );
        }
    }

    #[test]
    fn values_land_where_they_belong() {
        let axis =
            Axis::new([10.0, f64::NAN, 20.0, f64::INFINITY], 300.0, 100.0).expect("two are finite");
        assert_eq!(
            [10.0, 15.0, 20.0, 25.0].map(|value| axis.at(value)),
            [300.0, 200.0, 100.0, 100.0].map(Some)
        );
        assert_eq!(axis.at(f64::NAN), None);
        assert!(Axis::new([f64::NAN, f64::MAX, f64::NEG_INFINITY], 0.0, 1.0).is_none());
    }

    #[test]
    fn numbers_for_people() {
        let cases = [
            (1.005, 1, "1.0"),
            (-0.04, 1, "0.0"),
            (-1.25, 2, "−1.25"),
            (f64::NAN, 2, "–"),
            (1200.0, 0, "1200"),
        ];
        for (value, decimals, expect) in cases {
            assert_eq!(number(value, decimals), expect);
        }
        assert_eq!(
            [0.001, 0.05, 0.1, 1.0, 50.0, 0.0, f64::NAN].map(decimals),
            [3, 2, 1, 0, 0, 0, 0]
        );
    }

    #[test]
    fn long_texts_are_cut_at_a_letter() {
        assert_eq!(short("one\n two", 7), "one two");
        assert_eq!(short("one two", 4), "one…");
        assert_eq!(short("研究课题", 5), "研究…");
        assert_eq!(short("", 5), "");
    }
}
