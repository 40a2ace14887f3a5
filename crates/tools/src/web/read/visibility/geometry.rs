//! Ways to hide an element that leave it there: off the screen, cut off, masked, moved.

use super::{ElementStyle, FAINTEST, SMALLEST};
use crate::web::read::css::value::{
    FONT, calls, colour, degrees, inside, percent, pixels, share, words,
};

pub(super) fn is_off_screen(style: ElementStyle<'_>, font: f64) -> bool {
    let at_most = |key: &&str| style.pixels(key, font).is_some_and(|at| at <= OFF_SCREEN);
    let at_least = |key: &&str| style.pixels(key, font).is_some_and(|at| at >= FAR);
    let is_placed = style.is("position", "absolute") || style.is("position", "fixed");
    let is_beside = |key: &&str| {
        style
            .property(key)
            .and_then(percent)
            .is_some_and(|percent| percent <= -100.0)
    };
    let is_behind = || {
        style
            .property("z-index")
            .and_then(share)
            .is_some_and(|layer| layer < 0.0)
    };
    SIDES.iter().any(at_most)
        || WAYS_RIGHT.iter().any(at_least)
        || (is_placed && (["left", "right"].iter().any(is_beside) || is_behind()))
}

pub(super) fn is_cut_off(style: ElementStyle<'_>, font: f64) -> bool {
    let clips = style.property("overflow").is_some_and(|value| {
        let mut ways = value.split(' ');
        ways.any(|way| ["hidden", "clip", "auto", "scroll"].contains(&way))
    });
    let is_flat = |key: &&str| style.pixels(key, font).is_some_and(|length| length <= 1.0);
    (clips && EXTENTS.iter().any(is_flat))
        || style
            .property("clip")
            .and_then(|value| inside(value, "rect"))
            .is_some_and(|sides| is_flat_box(&words(sides), font))
        || style
            .property("clip-path")
            .is_some_and(|value| is_clipped(value, font))
}

/// Whether nothing lies between the sides of a box, given from the top clockwise.
fn is_flat_box(sides: &[&str], font: f64) -> bool {
    let sides: Vec<Option<f64>> = sides.iter().map(|side| pixels(side, font)).collect();
    let [top, right, bottom, left] = sides.as_slice() else {
        return false;
    };
    let is_flat = |from: Option<f64>, to: Option<f64>| {
        from.zip(to).is_some_and(|(from, to)| to - from <= 1.0)
    };
    is_flat(*top, *bottom) || is_flat(*left, *right) || right.is_some_and(|at| at <= OFF_SCREEN)
}

/// Whether a path leaves nothing of what it clips.
fn is_clipped(value: &str, font: f64) -> bool {
    let calls = calls(value);
    let Some((function, arguments)) = calls.first() else {
        return false;
    };
    let is_nothing = |word: &&str| {
        pixels(word, font).is_some_and(|length| length <= 1.0)
            || percent(word).is_some_and(|percent| percent < 1.0)
    };
    match *function {
        "inset" => is_inset_away(arguments, font),
        "circle" => arguments.first().is_some_and(is_nothing),
        "ellipse" => arguments.iter().take(2).any(is_nothing),
        "polygon" => is_flat_polygon(arguments, font),
        "rect" => is_flat_box(arguments, font),
        "xywh" => arguments.iter().skip(2).take(2).any(is_nothing),
        _ => false,
    }
}

fn is_inset_away(arguments: &[&str], font: f64) -> bool {
    let sides: Vec<&str> = arguments
        .iter()
        .copied()
        .take_while(|word| *word != "round")
        .collect();
    let Some(top) = sides.first() else {
        return false;
    };
    let right = sides.get(1).unwrap_or(top);
    let bottom = sides.get(2).unwrap_or(top);
    let left = sides.get(3).unwrap_or(right);
    let together = |one: &str, other: &str| {
        let percents = percent(one).unwrap_or(0.0) + percent(other).unwrap_or(0.0);
        let lengths = pixels(one, font).unwrap_or(0.0) + pixels(other, font).unwrap_or(0.0);
        percents >= 99.0 || lengths >= FAR
    };
    together(top, bottom) || together(left, right)
}

/// Whether the corners of a polygon lie on one line.
fn is_flat_polygon(arguments: &[&str], font: f64) -> bool {
    let numbers: Vec<f64> = arguments
        .iter()
        .filter_map(|word| percent(word).or_else(|| pixels(word, font)))
        .collect();
    let corners: Vec<(f64, f64)> = numbers
        .chunks_exact(2)
        .map(|pair| (pair[0], pair[1]))
        .collect();
    let next = corners.iter().cycle().skip(1);
    let doubled: f64 = corners
        .iter()
        .zip(next)
        .map(|((x, y), (next_x, next_y))| x * next_y - next_x * y)
        .sum();
    !corners.is_empty() && doubled.abs() < 2.0
}

/// Whether a mask or a filter leaves nothing to see.
pub(super) fn is_masked(style: ElementStyle<'_>) -> bool {
    let is_empty_mask = style.property("mask-image").is_some_and(|value| {
        calls(value).iter().any(|(_, arguments)| {
            let mut colours = arguments.iter().filter_map(|word| colour(word)).peekable();
            colours.peek().is_some()
                && colours.all(|colour| f64::from(colour[3]) / 255.0 < FAINTEST)
        })
    });
    let has_no_size = style.property("mask-size").is_some_and(|value| {
        words(value)
            .iter()
            .any(|word| pixels(word, FONT) == Some(0.0))
    });
    let is_filtered_away = calls(style.property("filter").unwrap_or_default())
        .iter()
        .any(|(function, arguments)| {
            let argument = arguments.first().copied().unwrap_or_default();
            match *function {
                "opacity" => share(argument).is_some_and(|share| share < FAINTEST),
                "blur" => pixels(argument, FONT).is_some_and(|radius| radius >= FONT),
                _ => false,
            }
        });
    is_empty_mask || has_no_size || is_filtered_away
}

/// Whether an element is shrunk to nothing, turned to its edge or moved off the screen.
pub(super) fn is_moved_away(style: ElementStyle<'_>, font: f64) -> bool {
    let transform = calls(style.property("transform").unwrap_or_default());
    let shows_back = transform.iter().any(|(function, arguments)| {
        ["rotatex", "rotatey"].contains(function)
            && arguments.first().and_then(|angle| degrees(angle)) == Some(180.0)
    });
    transform
        .iter()
        .any(|(function, arguments)| moves_away(function, arguments, font))
        || style
            .property("scale")
            .is_some_and(|value| moves_away("scale", &words(value), font))
        || style
            .property("translate")
            .is_some_and(|value| moves_away("translate", &words(value), font))
        || style.property("rotate").is_some_and(|value| {
            let words = words(value);
            let is_around = ["x", "y"].iter().any(|axis| words.contains(axis));
            is_around && words.iter().any(|word| is_edge(word))
        })
        || (shows_back && style.is("backface-visibility", "hidden"))
}

fn moves_away(function: &str, arguments: &[&str], font: f64) -> bool {
    let numbers = || arguments.iter().filter_map(|word| share(word));
    match function {
        "scale" | "scalex" | "scaley" | "scale3d" => {
            numbers().take(2).any(|scale| scale.abs() < SMALLEST / FONT)
        }
        "translate" | "translatex" | "translatey" | "translate3d" => {
            let is_away = |word: &&str| {
                pixels(word, font).is_some_and(|at| at <= OFF_SCREEN || at >= FAR)
                    || percent(word).is_some_and(|percent| percent.abs() >= MOST_PERCENT)
            };
            arguments.iter().take(2).any(is_away)
        }
        "rotatex" | "rotatey" => arguments.first().is_some_and(|angle| is_edge(angle)),
        "matrix" => {
            let of: Vec<f64> = numbers().collect();
            // Two columns, and then the movement.
            of.len() == 6
                && ((of[0] * of[3] - of[1] * of[2]).abs() < (SMALLEST / FONT).powi(2)
                    || of[4..].iter().any(|at| *at <= OFF_SCREEN))
        }
        _ => false,
    }
}

/// Whether an angle turns the edge to who looks.
fn is_edge(angle: &str) -> bool {
    degrees(angle).is_some_and(|degrees| (degrees % 180.0 - 90.0).abs() < 1.0)
}

/// Pixels to the left or above from which on nothing is on the screen.
const OFF_SCREEN: f64 = -400.0;
/// Pixels to the right from which on nobody looks.
const FAR: f64 = 3000.0;
/// Percent of itself by which nothing is moved that is to be seen.
const MOST_PERCENT: f64 = 500.0;
/// What moves an element to the left or up.
const SIDES: [&str; 7] = [
    "left",
    "right",
    "top",
    "bottom",
    "margin-left",
    "margin-top",
    "text-indent",
];
/// What moves it to the right.
const WAYS_RIGHT: [&str; 4] = ["left", "right", "margin-left", "text-indent"];
/// What makes a box so flat that nothing fits.
const EXTENTS: [&str; 5] = ["height", "width", "max-height", "max-width", "line-height"];
