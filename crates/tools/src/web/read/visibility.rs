//! Visibility of text, by tags, attributes and styles. Hidden text may hold instructions to machine
//! readers, so it must not count as the page's text. What is left: a page that fades in by a script
//! begins transparent, and is seen.

mod geometry;
#[cfg(test)]
mod tests;

use geometry::{is_cut_off, is_masked, is_moved_away, is_off_screen};

use super::css::{
    Attribute, Declaration,
    value::{Colour, FONT, colour, over, percent, pixels, share, words},
};

/// The visibility inside an element; its descendants inherit it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visibility {
    /// Nothing in it is shown, whatever it says itself.
    gone: bool,
    /// `visibility: hidden`, which a descendant may undo.
    invisible: bool,
    /// Letters so close that they cover each other, which a descendant may undo.
    squeezed: bool,
    /// Pixels of a letter.
    font: f64,
    /// How much of what lies behind all this covers.
    opacity: f64,
    /// The letters' colour, where known.
    ink: Option<Colour>,
    /// Whether the letters' colour is that of their filling, which `color` does not change.
    is_filled: bool,
    /// The colour behind them, where known. Pages are white until they say otherwise.
    paper: Option<Colour>,
}

impl Default for Visibility {
    fn default() -> Self {
        Self {
            gone: false,
            invisible: false,
            squeezed: false,
            font: FONT,
            opacity: 1.0,
            ink: None,
            is_filled: false,
            paper: Some(WHITE),
        }
    }
}

const BLACK: Colour = [0, 0, 0, 255];
const WHITE: Colour = [255, 255, 255, 255];

/// The attributes of an element.
type Attributes = [Attribute];

/// What an element says of itself.
#[derive(Clone, Copy)]
struct ElementStyle<'a> {
    attributes: &'a Attributes,
    declared: &'a [Declaration],
}

impl<'a> ElementStyle<'a> {
    fn attribute(self, key: &str) -> Option<&'a str> {
        let mut attributes = self.attributes.iter();
        let (_, value) = attributes.find(|(name, _)| name == key)?;
        Some(value)
    }

    fn property(self, key: &str) -> Option<&'a str> {
        let mut declared = self.declared.iter().rev();
        let (_, value) = declared.find(|(name, _)| name == key)?;
        Some(value)
    }

    fn is(self, key: &str, value: &str) -> bool {
        self.property(key) == Some(value)
    }

    fn pixels(self, key: &str, font: f64) -> Option<f64> {
        pixels(self.property(key)?, font)
    }
}

impl Visibility {
    /// The visibility at the top of a page. Its letters are black where no sheet in another file may
    /// say otherwise.
    pub fn of_page(has_other_sheets: bool) -> Self {
        let ink = (!has_other_sheets).then_some(BLACK);
        Self {
            ink,
            ..Self::default()
        }
    }

    /// Whether text here can be seen.
    pub fn is_visible(self) -> bool {
        let hidden = self.gone
            || self.invisible
            || self.squeezed
            || self.font < SMALLEST
            || self.opacity < FAINTEST;
        !hidden && self.has_contrast()
    }

    fn has_contrast(self) -> bool {
        let Some(ink) = self.ink else { return true };
        if f64::from(ink[3]) / 255.0 * self.opacity < FAINTEST {
            return false;
        }
        let Some(paper) = self.paper else { return true };
        let ink = over(ink, paper);
        (0..3).any(|at| ink[at].abs_diff(paper[at]) > SAME)
    }

    /// The visibility inside an element with these attributes and declarations.
    pub fn inside(self, name: &str, attributes: &Attributes, declared: &[Declaration]) -> Self {
        let style = ElementStyle {
            attributes,
            declared,
        };
        // A page that hides itself shows itself again by a script, against flicker or frames.
        let is_whole_page = name == "html" || name == "body";
        let mut inside = self;
        inside.take_font(style);
        inside.gone |=
            is_never_shown(name, style) || (!is_whole_page && is_gone(style, inside.font));
        if let Some(value) = style.property("visibility").filter(|_| !is_whole_page) {
            inside.invisible = value == "hidden" || value == "collapse";
        }
        if let Some(opacity) = style.property("opacity").and_then(share)
            && !is_whole_page
            && !moves(style)
        {
            inside.opacity *= opacity.clamp(0.0, 1.0);
        }
        inside.take_paper(name, style);
        inside.take_ink(name, style);
        inside
    }

    fn take_font(&mut self, style: ElementStyle<'_>) {
        if let Some(value) = style.property("font-size") {
            let of_parent = percent(value).map(|percent| percent / 100.0 * self.font);
            self.font = of_parent.or_else(|| pixels(value, self.font)).unwrap_or(
                if KEPT.contains(&value) {
                    self.font
                } else {
                    FONT
                },
            );
        }
        if style.property("font-size-adjust").and_then(share) == Some(0.0) {
            self.font = 0.0;
        }
        if let Some(value) = style
            .property("letter-spacing")
            .filter(|value| *value != "inherit")
        {
            let spacing = pixels(value, self.font).unwrap_or(0.0);
            self.squeezed = spacing <= -self.font * CLOSEST;
        }
    }

    fn take_paper(&mut self, name: &str, style: ElementStyle<'_>) {
        if style.is("background-clip", "text") {
            return;
        }
        let value = style
            .property("background-color")
            .or_else(|| style.attribute("bgcolor"))
            .filter(|value| {
                !["none", "transparent", "inherit", "initial", "unset"].contains(value)
            });
        if let Some(value) = value {
            let paper = colour(value);
            self.paper = match (paper, self.paper) {
                (Some(paper), _) if paper[3] == 255 => Some(paper),
                (Some(paper), Some(below)) => Some(over(paper, below)),
                _ => None,
            };
        }
        let has_picture = style
            .property("background-image")
            .is_some_and(|value| value != "none");
        if has_picture || (name == "body" && style.attribute("background").is_some()) {
            self.paper = None;
        }
    }

    fn take_ink(&mut self, name: &str, style: ElementStyle<'_>) {
        // Links have a colour of their own.
        if name == "a" && style.attribute("href").is_some() && !self.is_filled {
            self.ink = None;
        }
        if let Some(value) = style.property("text-fill-color") {
            self.is_filled = value != "currentcolor" && value != "initial";
            if self.is_filled && !KEPT.contains(&value) {
                self.ink = colour(value);
            }
        }
        let by_attribute = || {
            let key = if name == "body" { "text" } else { "color" };
            style.attribute(key)
        };
        let value = style.property("color").or_else(by_attribute);
        if let Some(value) = value.filter(|value| !self.is_filled && !KEPT.contains(value)) {
            self.ink = if value == "initial" {
                Some(BLACK)
            } else {
                colour(value)
            };
        }
        // The letters are cut out of what lies behind them.
        if style.is("background-clip", "text") && self.ink.is_some_and(|ink| ink[3] < 255) {
            let is_plain = style
                .property("background-image")
                .is_none_or(|value| value == "none");
            let plain = style.property("background-color").and_then(colour);
            self.ink = plain.filter(|_| is_plain);
        }
    }
}

/// Whether an element with visibility `own` inside one with visibility `parent` is the one that
/// hides.
pub fn hides_by_itself(own: Visibility, parent: Visibility) -> bool {
    parent.is_visible() && !own.is_visible()
}

fn is_never_shown(name: &str, style: ElementStyle<'_>) -> bool {
    let is_shown_by_style = || {
        style
            .property("display")
            .is_some_and(|value| value != "none")
    };
    NEVER_SHOWN.contains(&name)
        || style
            .attribute("hidden")
            .is_some_and(|value| !value.eq_ignore_ascii_case("until-found"))
        || (name == "dialog" && style.attribute("open").is_none())
        || (style.attribute("popover").is_some() && !is_shown_by_style())
}

fn is_gone(style: ElementStyle<'_>, font: f64) -> bool {
    style.is("display", "none")
        || style.is("content-visibility", "hidden")
        || style
            .property("text-security")
            .is_some_and(|value| value != "none")
        || style
            .property("zoom")
            .and_then(share)
            .is_some_and(|zoom| zoom < SMALLEST / FONT)
        || is_off_screen(style, font)
        || is_cut_off(style, font)
        || is_masked(style)
        || is_moved_away(style, font)
}

/// Pages that fade in begin transparent, with their movement declared beside it.
fn moves(style: ElementStyle<'_>) -> bool {
    let declares = |key: &str, nothing: &str| {
        style
            .property(key)
            .is_some_and(|value| value != nothing && value != "none" && !value.is_empty())
    };
    declares("transform", "initial")
        || declares("will-change", "auto")
        || ["transition", "animation"].iter().any(|key| {
            let value = style.property(key).unwrap_or_default();
            words(value).iter().any(|word| {
                let time = word.trim_end_matches(['m', 's']);
                time.len() < word.len() && time.parse::<f64>().is_ok_and(|time| time > 0.0)
            })
        })
}

/// The largest difference per channel of colours that cannot be told apart.
const SAME: u8 = 24;
/// Pixels of the smallest letters that can be read.
const SMALLEST: f64 = 4.0;
/// The share that the faintest thing covers of what lies behind it.
const FAINTEST: f64 = 0.08;
/// Letters that are moved into each other by so much of their size cannot be read.
const CLOSEST: f64 = 0.4;
/// Values that leave what is inherited.
const KEPT: [&str; 5] = ["inherit", "unset", "currentcolor", "revert", "revert-layer"];

/// Elements with text that is not part of the page's text. `noscript` is for readers without
/// scripts.
const NEVER_SHOWN: &[&str] = &[
    "applet", "area", "audio", "canvas", "datalist", "embed", "iframe", "input", "map", "meter",
    "noembed", "noframes", "noscript", "object", "progress", "script", "select", "style", "svg",
    "template", "textarea", "title", "video", "xmp",
];
