//! Glyphs of a page with their places and visibility. Hides the operators of a page's content. Text
//! without ink, in the colour of the paper or outside the page is where instructions to a machine
//! are put: it is marked, and read only on pages that show nothing else, as scans with recognised
//! text do.

use std::{collections::BTreeMap, rc::Rc};

use hayro_syntax::{
    content::{TypedIter, ops::TypedInstruction as Op},
    object::{Array, Dict, Name, Number, Object, Stream},
    page::{Page, Resources, Rotation},
};

use super::font::Font;

/// Operators of a document after which the rest is not read.
const MOST_STEPS: usize = 20_000_000;
/// Unpacked bytes that count as one operator: what is unpacked again and again is read only so
/// often.
const BYTES_A_STEP: usize = 16;
/// Glyphs of a page that are kept.
const MOST_GLYPHS: usize = 200_000;
/// Saved states, and drawings inside drawings, that are followed.
const DEEPEST: usize = 64;
/// Painted areas that are remembered.
const MOST_AREAS: usize = 2_000;

/// A glyph with its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Glyph {
    /// What it means.
    pub text: String,
    /// Where it stands and where the next one would, upwards and to the right, in points.
    pub from: [f64; 2],
    /// See `from`.
    pub to: [f64; 2],
    /// The height of its font in points.
    pub size: f64,
    /// A reader of the page sees it.
    pub visible: bool,
}

/// Reads pages; keeps the fonts between them.
#[derive(Default)]
pub struct Reader {
    fonts: BTreeMap<usize, Rc<Font>>,
    steps: usize,
    /// Glyphs so far, and those that show and whose text is not known.
    glyphs: usize,
    unread: usize,
}

impl Reader {
    /// The glyphs of a page in the order of its content.
    pub fn page(&mut self, page: &Page) -> Vec<Glyph> {
        let area = page.intersected_crop_box();
        let mut canvas = Canvas {
            area: [area.x0, area.y0, area.x1, area.y1],
            ..Canvas::default()
        };
        let state = State {
            matrix: upright(page.rotation()),
            ..State::default()
        };
        canvas.area = placed(state.matrix, canvas.area);
        if let Some(content) = page.page_stream() {
            self.run(content, page.resources(), state, &mut canvas, 0);
        }
        self.glyphs += canvas.glyphs.len();
        self.unread += canvas.unread;
        canvas.glyphs
    }

    /// The share of the glyphs whose text is not known, 0 to 1.
    pub fn unread_share(&self) -> f64 {
        let all = self.glyphs + self.unread;
        self.unread as f64 / all.max(1) as f64
    }

    /// Whether so much has been read that the rest is left.
    pub fn is_exhausted(&self) -> bool {
        self.steps >= MOST_STEPS
    }

    fn run(
        &mut self,
        content: &[u8],
        resources: &Resources,
        start: State,
        canvas: &mut Canvas,
        depth: usize,
    ) {
        // A drawing may be shown again and again: its bytes count each time.
        self.steps += content.len() / BYTES_A_STEP;
        let mut state = start;
        let mut saved: Vec<State> = Vec::new();
        let mut operators = TypedIter::new(content);
        while let Some(op) = operators.next() {
            self.steps += 1;
            if self.is_exhausted() || canvas.glyphs.len() >= MOST_GLYPHS {
                return;
            }
            match op {
                Op::SaveState(_) if saved.len() < DEEPEST => saved.push(state.clone()),
                Op::RestoreState(_) => state = saved.pop().unwrap_or(state),
                Op::XObject(object) => {
                    if let Some(object) = resources.get_x_object(object.0) {
                        self.object(&object, resources, &state, canvas, depth);
                    }
                }
                Op::TextFont(font) => {
                    state.font = resources.get_font(font.0).map(|dict| self.font(&dict));
                    state.size = font.1.as_f64();
                }
                op => step(&mut state, canvas, &op),
            }
        }
    }

    /// A font, read once: it is told by the place of its dictionary in memory.
    fn font(&mut self, dict: &Dict) -> Rc<Font> {
        let place = dict.data().as_ptr() as usize;
        if let Some(font) = self.fonts.get(&place) {
            return font.clone();
        }
        let font = Rc::new(Font::new(dict));
        self.steps += font.unpacked / BYTES_A_STEP;
        self.fonts.insert(place, font.clone());
        font
    }

    fn object(
        &mut self,
        object: &Stream,
        outer: &Resources,
        state: &State,
        canvas: &mut Canvas,
        depth: usize,
    ) {
        if object
            .dict()
            .get::<Name>("Subtype")
            .is_some_and(|name| name.as_str() == "Image")
        {
            canvas.paint(placed(state.matrix, [0.0, 0.0, 1.0, 1.0]));
            return;
        }
        // Drawings may contain themselves.
        if depth >= DEEPEST / 4 {
            return;
        }
        let own: Vec<f64> = object
            .dict()
            .get::<Array>("Matrix")
            .map(|m| m.iter::<f64>().collect())
            .unwrap_or_default();
        let own = <Matrix>::try_from(own).unwrap_or(IDENTITY);
        let inside = State {
            matrix: multiply(own, state.matrix),
            ..state.clone()
        };
        let resources = object.dict().get::<Dict>("Resources").map(Resources::new);
        if let Ok(content) = object.decoded_data() {
            self.run(
                &content,
                resources.as_ref().unwrap_or(outer),
                inside,
                canvas,
                depth + 1,
            );
        }
    }
}

/// What has been shown of a page.
#[derive(Default)]
struct Canvas {
    glyphs: Vec<Glyph>,
    /// Glyphs that show and whose text is not known.
    unread: usize,
    /// The page: left, bottom, right, top.
    area: [f64; 4],
    /// Where something other than white was painted, so that white text shows.
    painted: Vec<[f64; 4]>,
    /// The box of the path that is being drawn.
    path: Option<[f64; 4]>,
}

impl Canvas {
    fn paint(&mut self, area: [f64; 4]) {
        if self.painted.len() < MOST_AREAS {
            self.painted.push(area);
        }
    }

    fn is_painted(&self, [x, y]: [f64; 2]) -> bool {
        self.painted.iter().any(|[left, bottom, right, top]| {
            (*left..=*right).contains(&x) && (*bottom..=*top).contains(&y)
        })
    }

    fn draw(&mut self, [x, y]: [f64; 2]) {
        let path = self.path.get_or_insert([x, y, x, y]);
        *path = [
            path[0].min(x),
            path[1].min(y),
            path[2].max(x),
            path[3].max(y),
        ];
    }

    fn fill(&mut self, white: bool) {
        if let Some(path) = self.path.take().filter(|_| !white) {
            self.paint(path);
        }
    }
}

#[derive(Clone)]
struct State {
    matrix: Matrix,
    text: Matrix,
    line: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    char_space: f64,
    word_space: f64,
    stretch: f64,
    leading: f64,
    rise: f64,
    mode: i64,
    white: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            matrix: IDENTITY,
            text: IDENTITY,
            line: IDENTITY,
            font: None,
            size: 0.0,
            char_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
            mode: 0,
            white: false,
        }
    }
}

impl State {
    fn next_line(&mut self, x: f64, y: f64) {
        self.line = multiply([1.0, 0.0, 0.0, 1.0, x, y], self.line);
        self.text = self.line;
    }

    /// Moves on by a number of points in text space.
    fn advance(&mut self, x: f64) {
        self.text = multiply([1.0, 0.0, 0.0, 1.0, x, 0.0], self.text);
    }

    fn show(&mut self, bytes: &[u8], canvas: &mut Canvas) {
        let Some(font) = self.font.clone() else {
            return;
        };
        for char in font.chars(bytes) {
            let glyph_to_page = multiply(
                [
                    self.size * self.stretch,
                    0.0,
                    0.0,
                    self.size,
                    0.0,
                    self.rise,
                ],
                multiply(self.text, self.matrix),
            );
            let (from, to) = (
                apply(glyph_to_page, [0.0, 0.0]),
                apply(glyph_to_page, [char.width, 0.0]),
            );
            let size = glyph_to_page[2].hypot(glyph_to_page[3]);
            let finite = from.iter().chain(&to).all(|v| v.is_finite()) && size.is_finite();
            let visible = self.is_visible(from, size, canvas);
            canvas.unread += usize::from(visible && char.text.is_none());
            if let Some(text) = char
                .text
                .filter(|_| finite && canvas.glyphs.len() < MOST_GLYPHS)
            {
                canvas.glyphs.push(Glyph {
                    text,
                    from,
                    to,
                    size,
                    visible,
                });
            }
            let space = self.char_space + if char.is_space { self.word_space } else { 0.0 };
            self.advance((char.width * self.size + space) * self.stretch);
        }
    }

    fn is_visible(&self, [x, y]: [f64; 2], size: f64, canvas: &Canvas) -> bool {
        let [left, bottom, right, top] = canvas.area;
        let on_page = x > left - 1.0 && x < right + 1.0 && y > bottom - 1.0 && y < top + 1.0;
        let inked = !matches!(self.mode, 3 | 7)
            && (!self.white || self.mode == 1 || canvas.is_painted([x, y]));
        on_page && inked && size > 1.0
    }

    fn show_all(&mut self, items: &Array, canvas: &mut Canvas) {
        for item in items.iter::<Object>() {
            match item {
                Object::Number(back) => {
                    self.advance(-back.as_f64() / 1_000.0 * self.size * self.stretch);
                }
                Object::String(bytes) => self.show(bytes.as_bytes(), canvas),
                _ => {}
            }
        }
    }
}

/// Carries out one operator (ISO 32000-1, annex A).
fn step(state: &mut State, canvas: &mut Canvas, op: &Op) {
    let at = |x: Number, y: Number| apply(state.matrix, [x.as_f64(), y.as_f64()]);
    match op {
        Op::Transform(t) => {
            state.matrix = multiply(
                [t.0, t.1, t.2, t.3, t.4, t.5].map(|n| n.as_f64()),
                state.matrix,
            );
        }
        Op::BeginText(_) => (state.text, state.line) = (IDENTITY, IDENTITY),
        Op::SetTextMatrix(t) => {
            state.line = [t.0, t.1, t.2, t.3, t.4, t.5].map(|n| n.as_f64());
            state.text = state.line;
        }
        Op::NextLine(t) => state.next_line(t.0.as_f64(), t.1.as_f64()),
        Op::NextLineAndSetLeading(t) => {
            state.leading = -t.1.as_f64();
            state.next_line(t.0.as_f64(), t.1.as_f64());
        }
        Op::NextLineUsingLeading(_) => state.next_line(0.0, -state.leading),
        Op::TextLeading(t) => state.leading = t.0.as_f64(),
        Op::CharacterSpacing(t) => state.char_space = t.0.as_f64(),
        Op::WordSpacing(t) => state.word_space = t.0.as_f64(),
        Op::HorizontalScaling(t) => state.stretch = t.0.as_f64() / 100.0,
        Op::TextRise(t) => state.rise = t.0.as_f64(),
        Op::TextRenderingMode(t) => state.mode = t.0.as_i64(),
        Op::ShowText(t) => state.show(t.0.as_bytes(), canvas),
        Op::ShowTexts(t) => state.show_all(t.0, canvas),
        Op::NextLineAndShowText(t) => {
            state.next_line(0.0, -state.leading);
            state.show(t.0.as_bytes(), canvas);
        }
        Op::ShowTextWithParameters(t) => {
            (state.word_space, state.char_space) = (t.0.as_f64(), t.1.as_f64());
            state.next_line(0.0, -state.leading);
            state.show(t.2.as_bytes(), canvas);
        }
        Op::NonStrokeColorDeviceGray(t) => state.white = is_white(&[t.0]),
        Op::NonStrokeColorDeviceRgb(t) => state.white = is_white(&[t.0, t.1, t.2]),
        Op::NonStrokeColorCmyk(t) => {
            state.white = [t.0, t.1, t.2, t.3].iter().all(|n| n.as_f64() < 0.02);
        }
        Op::NonStrokeColor(t) => state.white = matches!(t.0.len(), 1 | 3) && is_white(&t.0),
        // A pattern or an unknown colour may be anything: rather read than lost.
        Op::NonStrokeColorNamed(_) | Op::ColorSpaceNonStroke(_) => state.white = false,
        Op::RectPath(t) => {
            let (x, y) = (t.0.as_f64() + t.2.as_f64(), t.1.as_f64() + t.3.as_f64());
            let corners = [at(t.0, t.1), apply(state.matrix, [x, y])];
            for corner in corners {
                canvas.draw(corner);
            }
        }
        Op::MoveTo(t) => canvas.draw(at(t.0, t.1)),
        Op::LineTo(t) => canvas.draw(at(t.0, t.1)),
        Op::CubicTo(t) => canvas.draw(at(t.4, t.5)),
        Op::FillPathNonZero(_) | Op::FillPathNonZeroCompatibility(_) | Op::FillPathEvenOdd(_) => {
            canvas.fill(state.white);
        }
        Op::FillAndStrokeNonZero(_)
        | Op::FillAndStrokeEvenOdd(_)
        | Op::CloseFillAndStrokeNonZero(_)
        | Op::CloseFillAndStrokeEvenOdd(_) => canvas.fill(state.white),
        Op::StrokePath(_) | Op::CloseAndStrokePath(_) | Op::EndPath(_) => canvas.path = None,
        // Its extent is not worked out: white text anywhere may now stand on a colour.
        Op::Shading(_) => canvas.paint(canvas.area),
        Op::InlineImage(_) => canvas.paint(placed(state.matrix, [0.0, 0.0, 1.0, 1.0])),
        _ => {}
    }
}

fn is_white(parts: &[Number]) -> bool {
    !parts.is_empty() && parts.iter().all(|part| part.as_f64() > 0.97)
}

/// The matrix `[a b c d e f]` of PDF: x' = ax + cy + e, y' = bx + dy + f.
type Matrix = [f64; 6];

const IDENTITY: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// First `a`, then `b`.
fn multiply(a: Matrix, b: Matrix) -> Matrix {
    [
        a[0] * b[0] + a[1] * b[2],
        a[0] * b[1] + a[1] * b[3],
        a[2] * b[0] + a[3] * b[2],
        a[2] * b[1] + a[3] * b[3],
        a[4] * b[0] + a[5] * b[2] + b[4],
        a[4] * b[1] + a[5] * b[3] + b[5],
    ]
}

fn apply(m: Matrix, [x, y]: [f64; 2]) -> [f64; 2] {
    [m[0] * x + m[2] * y + m[4], m[1] * x + m[3] * y + m[5]]
}

/// The box around a box after a matrix.
fn placed(m: Matrix, [left, bottom, right, top]: [f64; 4]) -> [f64; 4] {
    let corners =
        [[left, bottom], [right, bottom], [left, top], [right, top]].map(|corner| apply(m, corner));
    let least = |axis: usize| {
        corners
            .iter()
            .map(|c| c[axis])
            .fold(f64::INFINITY, f64::min)
    };
    let most = |axis: usize| {
        corners
            .iter()
            .map(|c| c[axis])
            .fold(f64::NEG_INFINITY, f64::max)
    };
    [least(0), least(1), most(0), most(1)]
}

/// Turns a page as its viewer does.
fn upright(rotation: Rotation) -> Matrix {
    match rotation {
        Rotation::None => IDENTITY,
        Rotation::Horizontal => [0.0, -1.0, 1.0, 0.0, 0.0, 0.0],
        Rotation::Flipped => [-1.0, 0.0, 0.0, -1.0, 0.0, 0.0],
        Rotation::FlippedHorizontal => [0.0, 1.0, -1.0, 0.0, 0.0, 0.0],
    }
}
