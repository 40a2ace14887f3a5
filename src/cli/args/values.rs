//! Parsers of option values.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use jiff::civil::Date;

use crate::evaluate::EVALUATORS;

/// A number from 0 to 1.
pub fn share(text: &str) -> Result<f64, String> {
    number(text, |n| (0.0..=1.0).contains(&n), "not between 0 and 1")
}

/// A number above 0.
pub fn above_zero(text: &str) -> Result<f64, String> {
    number(text, |n| n > 0.0, "must be above 0")
}

/// A number that is 0 or more.
pub fn not_negative(text: &str) -> Result<f64, String> {
    number(text, |n| n >= 0.0, "must not be negative")
}

/// `NAME=FACTOR`: a name and how many times as much it counts.
pub fn factor(text: &str) -> Result<(String, f64), String> {
    // A title may hold the sign, a number does not.
    let (name, number) = text
        .rsplit_once('=')
        .ok_or_else(|| "it is written as NAME=FACTOR".to_owned())?;
    let name = name.trim();
    if name.is_empty() {
        return Err("the name is empty".to_owned());
    }
    let factor = self::number(
        number.trim(),
        |n| (0.0..=1000.0).contains(&n),
        "a factor is a number from 0 to 1000",
    )?;
    Ok((name.to_owned(), factor))
}

/// A finite number that fits, else what is wrong with it.
fn number(text: &str, fits: fn(f64) -> bool, wrong: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if number.is_finite() && fits(number) {
        Ok(number)
    } else {
        Err(wrong.to_owned())
    }
}

/// A word of an enumeration, by the name that it is stored under.
pub fn one_of<T: serde::de::DeserializeOwned + Clone + Send + Sync + 'static>(
    names: &'static [&'static str],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names)
        .try_map(|name| serde_json::from_value(serde_json::Value::String(name)))
}

/// The evaluators that there are, each with what it says.
pub fn evaluators() -> PossibleValuesParser {
    PossibleValuesParser::new(
        EVALUATORS
            .iter()
            .map(|evaluator| PossibleValue::new(evaluator.key()).help(evaluator.about())),
    )
}

/// A day of the calendar.
pub fn day(text: &str) -> Result<Date, String> {
    text.parse()
        .map_err(|_| "a day is written like 2026-11-03".to_owned())
}

/// An option under its old name, which is refused with the new one.
#[derive(Clone, Debug)]
pub struct Renamed;

/// Refuses `--near`.
pub fn renamed_to_similarity(_: &str) -> Result<Renamed, String> {
    Err("there is no --near any more; use --similarity".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_from_0_to_1000() {
        let known = |factor: f64| Ok::<_, String>(("depth = a".to_owned(), factor));
        assert_eq!(factor("depth = a = 0"), known(0.0));
        assert_eq!(factor("depth = a=1000"), known(1000.0));
        for wrong in ["-1", "1000.5", "1e308", "inf", "nan"] {
            let told = factor(&format!("depth={wrong}"));
            assert_eq!(
                told,
                Err("a factor is a number from 0 to 1000".to_owned()),
                "{wrong}"
            );
        }
    }
}
