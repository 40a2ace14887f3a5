//! Visibility of text, by tags, attributes and styles. Hidden text may hold instructions to machine
//! readers, so it must not count as the page's text.

use crate::web::read::css::Declaration;

/// Red, green, blue.
type Colour = [u8; 3];

/// The visibility inside an element; its descendants inherit it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visibility {
    /// Nothing in it is shown, whatever it says itself.
    gone: bool,
    /// `visibility: hidden`, which a descendant may undo.
    invisible: bool,
    /// Letters too small to see, which a descendant may undo.
    tiny: bool,
    /// Letters without colour.
    clear: bool,
    /// The letters' colour, where known.
    ink: Option<Colour>,
    /// The colour behind them, where known. Pages are white until they say otherwise.
    paper: Option<Colour>,
}

impl Default for Visibility {
    fn default() -> Self {
        let paper = Some([255, 255, 255]);
        Self {
            gone: false,
            invisible: false,
            tiny: false,
            clear: false,
            ink: None,
            paper,
        }
    }
}

impl Visibility {
    /// Whether text here can be seen.
    pub fn is_visible(self) -> bool {
        let same = |(ink, paper): (Colour, Colour)| {
            ink.iter().zip(paper).all(|(a, b)| a.abs_diff(b) <= SAME)
        };
        !(self.gone
            || self.invisible
            || self.tiny
            || self.clear
            || self.ink.zip(self.paper).is_some_and(same))
    }

    /// The visibility inside an element with these attributes and declarations.
    pub fn inside(
        self,
        name: &str,
        attributes: &[(&'static str, String)],
        declared: &[Declaration],
    ) -> Self {
        let attribute = |key: &str| {
            attributes
                .iter()
                .find(|(k, _)| *k == key)
                .map(|(_, v)| v.as_str())
        };
        let property = |key: &str| {
            declared
                .iter()
                .rev()
                .find(|(k, _)| k == key)
                .map(|(_, v)| v.as_str())
        };
        // A page that hides itself shows itself again by a script, against flicker or frames.
        let whole_page = name == "html" || name == "body";
        let unseen = NEVER_SHOWN.contains(&name)
            || attribute("hidden").is_some_and(|value| !value.eq_ignore_ascii_case("until-found"))
            || (name == "dialog" && attribute("open").is_none())
            || (!whole_page && is_gone(property));
        let mut inside = Self {
            gone: self.gone || unseen,
            ..self
        };
        if let Some(value) = property("visibility").filter(|_| !whole_page) {
            inside.invisible = value == "hidden" || value == "collapse";
        }
        if let Some(size) = property("font-size").and_then(length) {
            inside.tiny = size <= 1.0;
        }
        inside.take_colours(attribute, property);
        inside
    }

    fn take_colours<'a>(
        &mut self,
        attribute: impl Fn(&str) -> Option<&'a str>,
        property: impl Fn(&str) -> Option<&'a str>,
    ) {
        if let Some(value) = property("color").or_else(|| attribute("color")) {
            let clipped = property("background-clip")
                .or_else(|| property("-webkit-background-clip"))
                == Some("text");
            self.clear = value == "transparent" && !clipped;
            self.ink = colour(value);
        }
        let paper = property("background-color")
            .or_else(|| property("background"))
            .or_else(|| attribute("bgcolor"));
        if let Some(value) =
            paper.filter(|value| !["none", "transparent", "inherit", "initial"].contains(value))
        {
            self.paper = colour(value);
        }
        if property("background-image").is_some_and(|value| value != "none") {
            self.paper = None;
        }
    }
}

/// Whether an element with visibility `own` inside one with visibility `parent` is the one that
/// hides.
pub fn hides_by_itself(own: Visibility, parent: Visibility) -> bool {
    parent.is_visible() && !own.is_visible()
}

fn is_gone<'a>(property: impl Fn(&str) -> Option<&'a str>) -> bool {
    let is = |key: &str, value: &str| property(key) == Some(value);
    let at_most = |key: &str, most: f64| {
        property(key)
            .and_then(length)
            .is_some_and(|length| length <= most)
    };
    let clips = property("overflow")
        .is_some_and(|value| value.starts_with("hidden") || value.starts_with("clip"));
    let moves = ["transform", "transition", "animation", "will-change"]
        .iter()
        .any(|key| property(key).is_some());
    is("display", "none")
        || is("content-visibility", "hidden")
        // Pages that fade in begin transparent, with their movement declared beside it.
        || (property("opacity").and_then(length).is_some_and(|value| value < 0.05) && !moves)
        || ["left", "right", "top", "margin-left", "margin-top", "text-indent"].iter().any(|key| at_most(key, OFF_SCREEN))
        || property("clip").is_some_and(|value| is_clipped(value, "rect("))
        || property("clip-path").is_some_and(|value| value.starts_with("inset(50%") || value.starts_with("inset(100%"))
        || property("transform").is_some_and(|value| value.starts_with("scale(0)"))
        || (clips && ["height", "width", "max-height", "max-width"].iter().any(|key| at_most(key, 1.0)))
}

/// A clip that leaves nothing: `rect(0 0 0 0)` and `rect(1px, 1px, 1px, 1px)`.
fn is_clipped(value: &str, function: &str) -> bool {
    let Some(inner) = value
        .strip_prefix(function)
        .and_then(|rest| rest.split(')').next())
    else {
        return false;
    };
    let mut sides = inner.split([',', ' ']).filter(|side| !side.is_empty());
    sides.all(|side| length(side).is_some_and(|length| length.abs() <= 1.0))
}

/// A length in pixels of a 16-pixel font; bare numbers and percentages of it as well.
fn length(value: &str) -> Option<f64> {
    let value = value.trim();
    let unit_at = value
        .find(|c: char| c.is_alphabetic() || c == '%')
        .unwrap_or(value.len());
    let number: f64 = value[..unit_at].trim().parse().ok()?;
    let scale = match &value[unit_at..] {
        "" | "px" => 1.0,
        "pt" => 4.0 / 3.0,
        "em" | "rem" | "ch" | "ex" | "vw" | "vh" => 16.0,
        "%" => 0.16,
        _ => return None,
    };
    (number * scale).is_finite().then_some(number * scale)
}

/// A colour by hex digits, `rgb()` or one of the names that text is hidden with.
fn colour(value: &str) -> Option<Colour> {
    let value = value.trim().to_ascii_lowercase();
    if let Some(hex) = value.strip_prefix('#') {
        return hex_colour(hex);
    }
    if let Some(inner) = value
        .strip_prefix("rgb(")
        .or_else(|| value.strip_prefix("rgba("))
    {
        let mut parts = inner
            .split([',', ' ', '/', ')'])
            .filter(|part| !part.is_empty());
        let mut part = || parts.next()?.parse::<f64>().ok().map(|part| part as u8);
        return Some([part()?, part()?, part()?]);
    }
    NAMED
        .iter()
        .find(|(name, _)| *name == value)
        .map(|(_, colour)| *colour)
}

fn hex_colour(hex: &str) -> Option<Colour> {
    let digits: Vec<u8> = hex
        .chars()
        .map(|c| c.to_digit(16).map(|d| d as u8))
        .collect::<Option<_>>()?;
    match digits.as_slice() {
        [r, g, b] | [r, g, b, _] => Some([r * 17, g * 17, b * 17]),
        pairs @ ([_, _, _, _, _, _] | [_, _, _, _, _, _, _, _]) => {
            Some([0, 2, 4].map(|at| pairs[at] * 16 + pairs[at + 1]))
        }
        _ => None,
    }
}

/// The largest difference per channel of colours that cannot be told apart.
const SAME: u8 = 12;
/// Pixels to the left or above from which on nothing is on the screen.
const OFF_SCREEN: f64 = -400.0;

const NAMED: &[(&str, Colour)] = &[
    ("black", [0, 0, 0]),
    ("gray", [128, 128, 128]),
    ("grey", [128, 128, 128]),
    ("ivory", [255, 255, 240]),
    ("silver", [192, 192, 192]),
    ("snow", [255, 250, 250]),
    ("white", [255, 255, 255]),
    ("whitesmoke", [245, 245, 245]),
];

/// Elements with text that is not part of the page's text. `noscript` is for readers without
/// scripts.
const NEVER_SHOWN: &[&str] = &[
    "applet", "area", "audio", "canvas", "datalist", "embed", "iframe", "input", "map", "meter",
    "noembed", "noframes", "noscript", "object", "progress", "script", "select", "style", "svg",
    "template", "textarea", "title", "video", "xmp",
];

#[cfg(test)]
mod tests {
    use super::super::tree::parse;

    /// Whether the text "x" of a page is visible.
    fn sees(html: &str) -> bool {
        let tree = parse(html);
        tree.nodes
            .iter()
            .any(|node| node.text() == "x" && node.visibility.is_visible())
    }

    #[test]
    fn hidden_by_tag_or_attribute() {
        assert!(sees("<p>x"));
        assert!(sees("<p aria-hidden=true>x"));
        assert!(sees("<p hidden=until-found>x"));
        assert!(sees("<details><summary>s</summary>x</details>"));
        for html in [
            "<p hidden>x",
            "<template>x",
            "<noscript>x</noscript>",
            "<dialog>x",
            "<svg><title>x</title></svg>",
        ] {
            assert!(!sees(html), "{html}");
        }
    }

    #[test]
    fn hidden_by_style() {
        for style in [
            "display:none",
            "DISPLAY : none !important",
            "display:/**/none",
            "visibility:hidden",
            "font-size:0",
            "font-size:.5px",
            "font-size:1%",
            "position:absolute;left:-9999px",
            "text-indent:-100em",
            "margin-left:-2000pt",
            "opacity:0",
            "clip:rect(0 0 0 0)",
            "clip:rect(1px, 1px, 1px, 1px)",
            "clip-path:inset(50%)",
            "height:0;overflow:hidden",
            "color:transparent",
            "color:#fff",
            "color:#FEFEFE",
            "color:rgb(255, 255, 255)",
            "color:black;background:#000000",
            "color:white;background-color:white",
        ] {
            assert!(
                !sees(&format!("<div style='{style}'><b>x</b></div>")),
                "{style}"
            );
        }
    }

    #[test]
    fn shown_by_style() {
        for style in [
            "display:block",
            "font-size:12px",
            "font-size:90%",
            "left:-20px",
            "opacity:0;transform:translateY(20px)",
            "opacity:.8",
            "height:0",
            "color:#fff;background:#1a1a1a",
            "color:white;background-image:url(a.png)",
            "color:white;background:linear-gradient(red, blue)",
            "color:transparent;-webkit-background-clip:text",
            "color:black",
            "",
        ] {
            assert!(
                sees(&format!("<div style='{style}'><b>x</b></div>")),
                "{style}"
            );
        }
    }

    #[test]
    fn what_a_descendant_may_undo() {
        assert!(sees(
            "<div style='visibility:hidden'><p style='visibility:visible'>x</p></div>"
        ));
        assert!(sees(
            "<div style='font-size:0'><p style='font-size:1rem'>x</p></div>"
        ));
        assert!(sees(
            "<div style='color:#fff'><p style='background:navy;background:#008'>x</p></div>"
        ));
        assert!(!sees(
            "<div style='display:none'><p style='display:block'>x</p></div>"
        ));
    }

    #[test]
    fn hidden_by_the_page_s_own_sheet() {
        assert!(!sees("<style>.h{display:none}</style><p class='a h'>x"));
        assert!(sees(
            "<style>.h{display:none}</style><p class='h' style='display:block'>x"
        ));
        assert!(sees(
            "<style>body{display:none;visibility:hidden}</style><body><p>x"
        ));
        assert!(sees(
            "<style>body{background:#111}</style><body><p style='color:#fff'>x"
        ));
        assert!(!sees("<body bgcolor=#000000><font color=black>x"));
    }
}
