//! Visibility of text, by tags, attributes and styles. Hidden text may hold instructions to machine
//! readers, so it must not count as the page's text. What is left: a page that fades in by a script
//! begins transparent, and is seen.

use super::css::{
    Attribute, Declaration,
    value::{Colour, FONT, calls, colour, degrees, inside, over, percent, pixels, share, words},
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
struct Said<'a> {
    attributes: &'a Attributes,
    declared: &'a [Declaration],
}

impl<'a> Said<'a> {
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
        let said = Said {
            attributes,
            declared,
        };
        // A page that hides itself shows itself again by a script, against flicker or frames.
        let is_whole_page = name == "html" || name == "body";
        let mut inside = self;
        inside.take_font(said);
        inside.gone |= is_never_shown(name, said) || (!is_whole_page && is_gone(said, inside.font));
        if let Some(value) = said.property("visibility").filter(|_| !is_whole_page) {
            inside.invisible = value == "hidden" || value == "collapse";
        }
        if let Some(opacity) = said.property("opacity").and_then(share)
            && !is_whole_page
            && !moves(said)
        {
            inside.opacity *= opacity.clamp(0.0, 1.0);
        }
        inside.take_paper(name, said);
        inside.take_ink(name, said);
        inside
    }

    fn take_font(&mut self, said: Said<'_>) {
        if let Some(value) = said.property("font-size") {
            let of_parent = percent(value).map(|percent| percent / 100.0 * self.font);
            self.font = of_parent.or_else(|| pixels(value, self.font)).unwrap_or(
                if KEPT.contains(&value) {
                    self.font
                } else {
                    FONT
                },
            );
        }
        if said.property("font-size-adjust").and_then(share) == Some(0.0) {
            self.font = 0.0;
        }
        if let Some(value) = said
            .property("letter-spacing")
            .filter(|value| *value != "inherit")
        {
            let spacing = pixels(value, self.font).unwrap_or(0.0);
            self.squeezed = spacing <= -self.font * CLOSEST;
        }
    }

    fn take_paper(&mut self, name: &str, said: Said<'_>) {
        if said.is("background-clip", "text") {
            return;
        }
        let value = said
            .property("background-color")
            .or_else(|| said.attribute("bgcolor"))
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
        let has_picture = said
            .property("background-image")
            .is_some_and(|value| value != "none");
        if has_picture || (name == "body" && said.attribute("background").is_some()) {
            self.paper = None;
        }
    }

    fn take_ink(&mut self, name: &str, said: Said<'_>) {
        // Links have a colour of their own.
        if name == "a" && said.attribute("href").is_some() && !self.is_filled {
            self.ink = None;
        }
        if let Some(value) = said.property("text-fill-color") {
            self.is_filled = value != "currentcolor" && value != "initial";
            if self.is_filled && !KEPT.contains(&value) {
                self.ink = colour(value);
            }
        }
        let by_attribute = || {
            let key = if name == "body" { "text" } else { "color" };
            said.attribute(key)
        };
        let value = said.property("color").or_else(by_attribute);
        if let Some(value) = value.filter(|value| !self.is_filled && !KEPT.contains(value)) {
            self.ink = if value == "initial" {
                Some(BLACK)
            } else {
                colour(value)
            };
        }
        // The letters are cut out of what lies behind them.
        if said.is("background-clip", "text") && self.ink.is_some_and(|ink| ink[3] < 255) {
            let is_plain = said
                .property("background-image")
                .is_none_or(|value| value == "none");
            let plain = said.property("background-color").and_then(colour);
            self.ink = plain.filter(|_| is_plain);
        }
    }
}

/// Whether an element with visibility `own` inside one with visibility `parent` is the one that
/// hides.
pub fn hides_by_itself(own: Visibility, parent: Visibility) -> bool {
    parent.is_visible() && !own.is_visible()
}

fn is_never_shown(name: &str, said: Said<'_>) -> bool {
    let is_shown_by_style = || {
        said.property("display")
            .is_some_and(|value| value != "none")
    };
    NEVER_SHOWN.contains(&name)
        || said
            .attribute("hidden")
            .is_some_and(|value| !value.eq_ignore_ascii_case("until-found"))
        || (name == "dialog" && said.attribute("open").is_none())
        || (said.attribute("popover").is_some() && !is_shown_by_style())
}

fn is_gone(said: Said<'_>, font: f64) -> bool {
    said.is("display", "none")
        || said.is("content-visibility", "hidden")
        || said
            .property("text-security")
            .is_some_and(|value| value != "none")
        || said
            .property("zoom")
            .and_then(share)
            .is_some_and(|zoom| zoom < SMALLEST / FONT)
        || is_off_screen(said, font)
        || is_cut_off(said, font)
        || is_masked(said)
        || is_moved_away(said, font)
}

/// Pages that fade in begin transparent, with their movement declared beside it.
fn moves(said: Said<'_>) -> bool {
    let declares = |key: &str, nothing: &str| {
        said.property(key)
            .is_some_and(|value| value != nothing && value != "none" && !value.is_empty())
    };
    declares("transform", "initial")
        || declares("will-change", "auto")
        || ["transition", "animation"].iter().any(|key| {
            let value = said.property(key).unwrap_or_default();
            words(value).iter().any(|word| {
                let time = word.trim_end_matches(['m', 's']);
                time.len() < word.len() && time.parse::<f64>().is_ok_and(|time| time > 0.0)
            })
        })
}

fn is_off_screen(said: Said<'_>, font: f64) -> bool {
    let at_most = |key: &&str| said.pixels(key, font).is_some_and(|at| at <= OFF_SCREEN);
    let at_least = |key: &&str| said.pixels(key, font).is_some_and(|at| at >= FAR);
    let is_placed = said.is("position", "absolute") || said.is("position", "fixed");
    let is_beside = |key: &&str| {
        said.property(key)
            .and_then(percent)
            .is_some_and(|percent| percent <= -100.0)
    };
    let is_behind = || {
        said.property("z-index")
            .and_then(share)
            .is_some_and(|layer| layer < 0.0)
    };
    SIDES.iter().any(at_most)
        || WAYS_RIGHT.iter().any(at_least)
        || (is_placed && (["left", "right"].iter().any(is_beside) || is_behind()))
}

fn is_cut_off(said: Said<'_>, font: f64) -> bool {
    let clips = said.property("overflow").is_some_and(|value| {
        let mut ways = value.split(' ');
        ways.any(|way| ["hidden", "clip", "auto", "scroll"].contains(&way))
    });
    let is_flat = |key: &&str| said.pixels(key, font).is_some_and(|length| length <= 1.0);
    (clips && EXTENTS.iter().any(is_flat))
        || said
            .property("clip")
            .and_then(|value| inside(value, "rect"))
            .is_some_and(|sides| is_flat_box(&words(sides), font))
        || said
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
fn is_masked(said: Said<'_>) -> bool {
    let is_empty_mask = said.property("mask-image").is_some_and(|value| {
        calls(value).iter().any(|(_, arguments)| {
            let mut colours = arguments.iter().filter_map(|word| colour(word)).peekable();
            colours.peek().is_some()
                && colours.all(|colour| f64::from(colour[3]) / 255.0 < FAINTEST)
        })
    });
    let has_no_size = said.property("mask-size").is_some_and(|value| {
        words(value)
            .iter()
            .any(|word| pixels(word, FONT) == Some(0.0))
    });
    let is_filtered_away = calls(said.property("filter").unwrap_or_default())
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
fn is_moved_away(said: Said<'_>, font: f64) -> bool {
    let transform = calls(said.property("transform").unwrap_or_default());
    let shows_back = transform.iter().any(|(function, arguments)| {
        ["rotatex", "rotatey"].contains(function)
            && arguments.first().and_then(|angle| degrees(angle)) == Some(180.0)
    });
    transform
        .iter()
        .any(|(function, arguments)| moves_away(function, arguments, font))
        || said
            .property("scale")
            .is_some_and(|value| moves_away("scale", &words(value), font))
        || said
            .property("translate")
            .is_some_and(|value| moves_away("translate", &words(value), font))
        || said.property("rotate").is_some_and(|value| {
            let words = words(value);
            let is_around = ["x", "y"].iter().any(|axis| words.contains(axis));
            is_around && words.iter().any(|word| is_edge(word))
        })
        || (shows_back && said.is("backface-visibility", "hidden"))
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
            let numbers: Vec<f64> = numbers().collect();
            let [a, b, c, d, x, y] = numbers.as_slice() else {
                return false;
            };
            let area = (a * d - b * c).abs();
            area < (SMALLEST / FONT).powi(2) || [x, y].iter().any(|at| **at <= OFF_SCREEN)
        }
        _ => false,
    }
}

/// Whether an angle turns the edge to who looks.
fn is_edge(angle: &str) -> bool {
    degrees(angle).is_some_and(|degrees| (degrees % 180.0 - 90.0).abs() < 1.0)
}

/// The largest difference per channel of colours that cannot be told apart.
const SAME: u8 = 24;
/// Pixels of the smallest letters that can be read.
const SMALLEST: f64 = 4.0;
/// The share that the faintest thing covers of what lies behind it.
const FAINTEST: f64 = 0.08;
/// Letters that are moved into each other by so much of their size cannot be read.
const CLOSEST: f64 = 0.4;
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
/// Values that leave what is inherited.
const KEPT: [&str; 5] = ["inherit", "unset", "currentcolor", "revert", "revert-layer"];

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
            "display:none ! important",
            r"d\69 splay:none",
            "visibility:collapse",
            "opacity:1%",
            "opacity:0;transition:none;transform:none;will-change:auto",
            "filter:opacity(0)",
            "filter:blur(99px)",
            "font-size:2px",
            "font:0/0 a",
            "font:bold 1px/1 serif",
            "font-size-adjust:0",
            "zoom:.01",
            "letter-spacing:-1em",
            "color:#ffffff00",
            "color:rgba(0, 0, 0, 0)",
            "color:rgb(0 0 0 / 2%)",
            "color:hsl(0, 0%, 100%)",
            "color:snow",
            "color:#eee",
            "background:#000",
            "color:#123456;background:rgb(18 52 86)",
            "color:#fff;background:#fff url(a.png);background:#fff",
            "-webkit-text-fill-color:transparent",
            "-webkit-text-fill-color:#fff",
            "color:transparent;background:#fff;-webkit-background-clip:text",
            "-webkit-text-security:disc",
            "position:fixed;bottom:-9999px",
            "position:absolute;inset:0 auto auto -9999px",
            "position:absolute;inset-inline-start:-9999px",
            "position:absolute;left:-200%",
            "position:absolute;left:9999px",
            "position:absolute;z-index:-1",
            "left:calc(-1 * 9999px)",
            "left:-1e4px",
            "margin:0 0 0 -9999px",
            "margin-inline-start:-9999px",
            "text-indent:9999px",
            "transform:translateX(-9999px)",
            "transform:translate(-200vw, 0)",
            "transform:translate3d(0, -9999px, 0)",
            "transform:translateX(-1000%)",
            "translate:-9999px",
            "transform:scale(0)",
            "transform:scaleX(0)",
            "-webkit-transform:scale(.001)",
            "scale:0",
            "transform:rotateX(90deg)",
            "rotate:y .25turn",
            "transform:matrix(0, 0, 0, 0, 0, 0)",
            "transform:rotateY(180deg);backface-visibility:hidden",
            "clip:rect(0, 1px, 1px, 0)",
            "clip-path:inset(0 100% 0 0)",
            "clip-path:circle(0)",
            "clip-path:ellipse(0 0)",
            "clip-path:polygon(0 0, 0 0, 0 0)",
            "clip-path:polygon(0 0, 100% 100%, 50% 50%)",
            "-webkit-clip-path:rect(0 0 0 0)",
            "mask-image:linear-gradient(transparent, transparent)",
            "-webkit-mask:linear-gradient(#0000, #0000)",
            "mask-size:0",
            "max-height:0;overflow-y:hidden",
            "width:1px;overflow:clip",
            "block-size:0;overflow:auto",
            "line-height:0;overflow:hidden",
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
            "color:inherit",
            "color:#ccc",
            "color:rgb(0 0 0 / 70%)",
            "color:var(--ink)",
            "font:italic 400 1em/1.5 serif",
            "letter-spacing:-.02em",
            "margin:0 auto -9999px",
            "left:-100%",
            "position:relative;z-index:-1",
            "transform:scale(.9) rotate(90deg)",
            "transform:translateX(-100%)",
            "transform:rotateY(180deg)",
            "clip-path:inset(10%)",
            "clip-path:polygon(0 0, 100% 0, 100% 100%)",
            "mask-image:linear-gradient(#000, transparent)",
            "filter:blur(1px)",
            "opacity:0;transition:opacity 1s",
            "opacity:0;animation:fade .5s forwards",
            "background:url(a.png);color:#fff",
            "width:1px",
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
    fn what_adds_up_from_element_to_element() {
        for html in [
            "<div style='opacity:.2'><p style='opacity:.2'>x",
            "<div style='font-size:.3em'><p style='font-size:.3em'>x",
            "<div style='-webkit-text-fill-color:#fff'><p style='color:#000'>x",
            "<div style='color:#fff'><p style='color:inherit'>x",
            "<body text=white>x",
            "<body bgcolor=black>x",
            "<p popover>x",
        ] {
            assert!(!sees(html), "{html}");
        }
        for html in [
            "<div style='color:#fff'><a href=y>x</a></div>",
            "<body bgcolor=black link=yellow><a href=y>x</a>",
            "<link rel=stylesheet href=y><body bgcolor=black>x",
            "<style>@import 'y'</style><body bgcolor=black>x",
            "<p popover style='display:block'>x",
            "<div style='font-size:10%'><p style='font-size:1rem'>x",
        ] {
            assert!(sees(html), "{html}");
        }
    }

    /// A class that hides, by what a sheet may say of it.
    #[test]
    fn hidden_by_a_class_however_it_is_written() {
        let many = "a ".repeat(100);
        for (sheet, body) in [
            (".h.g{display:none}", "<p class='g h'>x"),
            ("p#i.h{display:none}", "<p id=i class=h>x"),
            (".o .h{display:none}", "<div class=o><i><p class=h>x"),
            (".o>p{display:none}", "<div class=o><p>x"),
            ("h1+p{display:none}", "<h1>a</h1><p>x"),
            ("h1~p{display:none}", "<h1>a</h1><b>b</b><p>x"),
            ("[data-h]{display:none}", "<p data-h>x"),
            ("p:not(.s){display:none}", "<p>x"),
            (":is(.h){display:none}", "<p class=h>x"),
            ("*{display:none}", "<p>x"),
            ("body p{display:none}", "<p>x"),
            ("@media screen{.h{display:none}}", "<p class=h>x"),
            ("@supports(display:grid){.h{display:none}}", "<p class=h>x"),
            (".o{.h{display:none}}", "<div class=o><p class=h>x"),
            (
                ".h{display:none!important}",
                "<p class=h style='display:block'>x",
            ),
            (r".\68{display:none}", "<p class=h>x"),
            (":root{--h:none}.h{display:var(--h)}", "<p class=h>x"),
            (".h{display:none", "<p class=h>x"),
            ("<!-- .h{display:none} -->", "<p class=h>x"),
            (".h{display:none}", &format!("<p class='{many} h'>x")),
            (
                ".h{display:none}",
                &format!("<p class=h style='{}'>x", "top:0;".repeat(1000)),
            ),
        ] {
            assert!(!sees(&format!("<style>{sheet}</style>{body}")), "{sheet}");
            // A sheet that comes last is for what was before it, too.
            assert!(
                !sees(&format!("{body}</p><style>{sheet}</style>")),
                "{sheet}"
            );
        }
        for (sheet, body) in [
            (".o .h{display:none}", "<p class=h>x"),
            (".o .h{display:none}", "<div class=o></div><p class=h>x"),
            ("h1+p{display:none}", "<h1>a</h1><b>b</b><p>x"),
            ("@media print{.h{display:none}}", "<p class=h>x"),
            ("@media (max-width:600px){.h{display:none}}", "<p class=h>x"),
            (".h:hover{display:none}", "<p class=h>x"),
            (".h::after{display:none}", "<p class=h>x"),
        ] {
            assert!(sees(&format!("<style>{sheet}</style>{body}")), "{sheet}");
        }
        assert!(sees("<style media=print>p{display:none}</style><p>x"));
        assert!(sees(
            "<template><style>p{display:none}</style></template><p>x"
        ));
        assert!(sees(
            "<noscript><style>p{display:none}</style></noscript><p>x"
        ));
        assert!(sees(
            "<script>'<style>p{display:none}</style>'</script><p>x"
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
