//! The timeline of a talk's quotes, with a lane for each type of inspiration. Hides the scale of
//! time and the least width of a mark.

use minijinja::HtmlEscape;

use super::{
    super::svg::{self, Axis, WIDTH},
    Quote, Seminar,
};
use crate::data::{InspirationType, Ms};

/// Where lanes begin and end.
const LEFT: f64 = 130.0;
const RIGHT: f64 = WIDTH - 14.0;
/// Where the first lane is, and the height of one.
const TOP: f64 = 6.0;
const LANE: f64 = 18.0;
/// The narrowest mark.
const NARROWEST: f64 = 5.0;
/// Distances between two times on the scale, in seconds.
const STEPS: [u64; 12] = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];
/// Times on the scale, at most, besides 0.
const TIMES: u64 = 6;

/// The strip, `number` unique on the page; `None` where there is nothing to place.
pub fn strip(number: usize, seminar: &Seminar) -> Option<String> {
    let lanes: Vec<InspirationType> = InspirationType::ALL
        .into_iter()
        .filter(|kind| {
            seminar
                .inspirations
                .iter()
                .any(|of| of.kind == *kind && !of.quotes.is_empty())
        })
        .collect();
    if lanes.is_empty() || seminar.duration.0 == 0 {
        return None;
    }
    let x = Axis::new([0.0, seminar.duration.seconds()], LEFT, RIGHT)?;
    let bottom = TOP + LANE * lanes.len() as f64;
    let mut body = scale(&x, seminar.duration, bottom + 15.0);
    for (lane, kind) in lanes.iter().enumerate() {
        let y = TOP + LANE * lane as f64;
        body += &svg::text("label", 0.0, y + 13.0, kind.label());
        body += &svg::line("rule lane", (LEFT, y + LANE / 2.0), (RIGHT, y + LANE / 2.0));
        let quotes = seminar
            .inspirations
            .iter()
            .filter(|of| of.kind == *kind)
            .flat_map(|of| &of.quotes);
        body.extend(
            quotes.filter_map(|quote| mark(&x, y, kind.word(), quote, seminar.recording.is_some())),
        );
    }
    // The script moves it.
    body += &svg::line("head", (LEFT, TOP), (LEFT, bottom));
    let description =
        "Each quote of the list below at its time in the talk, by type of inspiration.";
    Some(svg::image(
        &format!("strip-{number}"),
        bottom + 22.0,
        "Where the quotes are",
        description,
        &body,
    ))
}

/// A time at every step.
fn scale(x: &Axis, duration: Ms, y: f64) -> String {
    let seconds = duration.0 / 1000;
    let step = STEPS
        .into_iter()
        .find(|step| seconds / step <= TIMES)
        .unwrap_or(seconds / TIMES);
    let times = (0..=TIMES)
        .map(|n| n * step)
        .take_while(|time| *time <= seconds);
    let labels = times.filter_map(|time| {
        let label = Ms(time * 1000).to_string();
        Some(svg::text("tick middle", x.at(time as f64)?, y, &label))
    });
    labels.collect()
}

/// A quote, which can be clicked if there is something to play.
fn mark(x: &Axis, y: f64, kind: &str, quote: &Quote, plays: bool) -> Option<String> {
    let from = x.at(quote.start.seconds())?.min(RIGHT - NARROWEST);
    let width = (x.at(quote.end.seconds())? - from).max(NARROWEST);
    let at = if plays {
        format!(" data-at=\"{:?}\"", quote.start.seconds())
    } else {
        String::new()
    };
    let title = format!("{} {}", quote.start, svg::short(&quote.text, 40));
    Some(format!(
        "<rect class=\"mark {kind}\" x=\"{from:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\"{at}><title>{}</title></rect>\n",
        y + 2.0,
        LANE - 4.0,
        HtmlEscape(&title)
    ))
}
