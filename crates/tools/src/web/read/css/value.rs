//! Values of CSS: lengths, angles, colours and functions.

use std::f64::consts::PI;

/// Pixels of a letter where a page says nothing.
pub const FONT: f64 = 16.0;
/// The screen that a page is seen on, in pixels.
pub const SCREEN: (f64, f64) = (1280.0, 720.0);
/// A sum in a `calc()` has so many parts at most.
const MOST_PARTS: usize = 64;

/// Red, green, blue, and how much of what lies behind is covered.
pub type Colour = [u8; 4];

/// A number with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity<'a> {
    /// The number.
    pub number: f64,
    /// In lower case as it stands; empty where there is none.
    pub unit: &'a str,
}

/// A number with its unit: `-9999px`, `.5em`, `1e3pt`, `50%`.
pub fn quantity(value: &str) -> Option<Quantity<'_>> {
    let value = value.trim();
    let bytes = value.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut end = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    end = digits(end);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if bytes
        .get(end)
        .is_some_and(|byte| byte.eq_ignore_ascii_case(&b'e'))
    {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let last = digits(end + 1 + sign);
        if last > end + 1 + sign {
            end = last;
        }
    }
    let number: f64 = value[..end].parse().ok()?;
    let unit = &value[end..];
    let is_unit = unit == "%" || unit.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (number.is_finite() && is_unit).then_some(Quantity { number, unit })
}

/// A length in pixels, of letters of so many; bare numbers, too, and of percentages only none.
pub fn pixels(value: &str, font: f64) -> Option<f64> {
    if let Some(sum) = inside(value, "calc") {
        return sum_of(sum, font);
    }
    let Quantity { number, unit } = quantity(value)?;
    let scale = match unit {
        "" | "px" => 1.0,
        "pt" => 4.0 / 3.0,
        "pc" => 16.0,
        "in" => 96.0,
        "cm" => 96.0 / 2.54,
        "mm" => 9.6 / 2.54,
        "q" => 2.4 / 2.54,
        "em" => font,
        "lh" => font * 1.2,
        "ex" | "ch" => font / 2.0,
        "rem" => FONT,
        "rlh" => FONT * 1.2,
        "vw" | "vi" | "vmax" | "svw" | "lvw" | "dvw" => SCREEN.0 / 100.0,
        "vh" | "vb" | "vmin" | "svh" | "lvh" | "dvh" => SCREEN.1 / 100.0,
        "%" if number == 0.0 => 1.0,
        _ => return None,
    };
    (number * scale).is_finite().then_some(number * scale)
}

/// A sum of products, without brackets in it: `-1 * 9999px`, `0px - 100em`.
fn sum_of(text: &str, font: f64) -> Option<f64> {
    let mut parts = text.split_whitespace().take(MOST_PARTS);
    let (mut sum, mut product) = (0.0, pixels_of_part(parts.next()?, font)?);
    while let Some(operator) = parts.next() {
        let next = pixels_of_part(parts.next()?, font)?;
        match operator {
            "*" => product *= next,
            "/" => product /= next,
            "+" | "-" => {
                sum += product;
                product = if operator == "-" { -next } else { next };
            }
            _ => return None,
        }
    }
    Some(sum + product).filter(|sum| sum.is_finite())
}

fn pixels_of_part(part: &str, font: f64) -> Option<f64> {
    // What stands in brackets in a sum is left out: no length is better than a wrong one.
    (!part.contains('(')).then(|| pixels(part, font)).flatten()
}

/// A share: `.5` or `50%`.
pub fn share(value: &str) -> Option<f64> {
    let Quantity { number, unit } = quantity(value)?;
    match unit {
        "" => Some(number),
        "%" => Some(number / 100.0),
        _ => None,
    }
}

/// A number of percent.
pub fn percent(value: &str) -> Option<f64> {
    quantity(value)
        .filter(|quantity| quantity.unit == "%")
        .map(|quantity| quantity.number)
}

/// Degrees, from 0 to 360.
pub fn degrees(value: &str) -> Option<f64> {
    let Quantity { number, unit } = quantity(value)?;
    let degrees = match unit {
        "deg" => number,
        "turn" => number * 360.0,
        "grad" => number * 0.9,
        "rad" => number * 180.0 / PI,
        "" if number == 0.0 => 0.0,
        _ => return None,
    };
    Some(degrees.rem_euclid(360.0))
}

/// A colour by its digits, its name or a function.
pub fn colour(value: &str) -> Option<Colour> {
    let value = value.trim();
    match value {
        "canvas" | "field" | "window" => Some([255, 255, 255, 255]),
        "canvastext" | "fieldtext" | "windowtext" => Some([0, 0, 0, 255]),
        _ => csscolorparser::parse(value)
            .ok()
            .map(|colour| colour.to_rgba8()),
    }
}

/// A colour as it looks before another one.
pub fn over(above: Colour, below: Colour) -> Colour {
    let share = f64::from(above[3]) / 255.0;
    let mix = |at: usize| {
        let mixed = f64::from(above[at]) * share + f64::from(below[at]) * (1.0 - share);
        mixed.round() as u8
    };
    [mix(0), mix(1), mix(2), 255]
}

/// What stands in the brackets of a value that is one call of a function.
pub fn inside<'a>(value: &'a str, function: &str) -> Option<&'a str> {
    let inner = value.trim().strip_prefix(function)?.strip_prefix('(')?;
    inner.strip_suffix(')')
}

/// The functions that a value calls, each with its arguments.
pub fn calls(value: &str) -> Vec<(&str, Vec<&str>)> {
    let mut found = Vec::new();
    for part in super::split_outside(value, ' ') {
        if let Some((name, rest)) = part.trim().split_once('(') {
            let arguments = rest.strip_suffix(')').unwrap_or(rest);
            found.push((name, words(arguments)));
        }
    }
    found
}

/// The parts of a value, between blanks, commas or slashes.
pub fn words(value: &str) -> Vec<&str> {
    super::split_outside(value, ',')
        .into_iter()
        .flat_map(|part| super::split_outside(part, ' '))
        .flat_map(|part| super::split_outside(part, '/'))
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_in_pixels() {
        for (value, expect) in [
            ("-9999px", Some(-9999.0)),
            ("-1e3px", Some(-1000.0)),
            (".5em", Some(5.0)),
            ("2em", Some(20.0)),
            ("1in", Some(96.0)),
            ("-100vw", Some(-1280.0)),
            ("0%", Some(0.0)),
            ("calc(-1 * 9999px)", Some(-9999.0)),
            ("calc(0px - 100em)", Some(-1000.0)),
            ("calc(100% - 9999px)", None),
            ("50%", None),
            ("auto", None),
            ("1px 2px", None),
        ] {
            assert_eq!(pixels(value, 10.0), expect, "{value}");
        }
        assert_eq!(
            (degrees(".25turn"), degrees("-90deg")),
            (Some(90.0), Some(270.0))
        );
    }

    #[test]
    fn colours_have_many_ways() {
        for white in [
            "#fff",
            "white",
            "hsl(0, 0%, 100%)",
            "hsl(0deg 0% 100% / 1)",
            "rgb(100% 100% 100%)",
            "hwb(0 100% 0%)",
            "canvas",
        ] {
            assert_eq!(colour(white), Some([255, 255, 255, 255]), "{white}");
        }
        assert_eq!(colour("#0000"), Some([0, 0, 0, 0]));
        assert_eq!(colour("url(x)"), None);
        assert_eq!(
            over([0, 0, 0, 51], [255, 255, 255, 255]),
            [204, 204, 204, 255]
        );
    }

    #[test]
    fn functions_have_arguments() {
        assert_eq!(
            calls("scale(0, 1) translate(calc(1px + 2px) 3px) none"),
            [
                ("scale", vec!["0", "1"]),
                ("translate", vec!["calc(1px + 2px)", "3px"])
            ]
        );
    }
}
