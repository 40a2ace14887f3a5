//! Reading JSON: one pass over the bytes, with a limit on depth, and with the path of each value.

use serde_json::{Map, Number, Value};

use super::{Broken, DEEPEST, Layout, Oddity, OddityKind, Parsed, Style, python_float, strings};
use crate::benchmarks::fields::excerpt;

pub(super) const EARLY: &str = "the file ends too early: was its writer stopped? write it again";
const SYNTAX: &str = "mend that line; NaN and Infinity are not JSON: write null";
const DEEP: &str = "no file of the benchmark is nested so deeply; is this the right file?";
/// The most oddities that are told of a file; a file with more of them is no better known by them.
const MOST_ODDITIES: usize = 200;
/// The most spaces a level that are taken for a layout.
const DEEPEST_INDENT: usize = 16;
const MARK: char = '\u{feff}';

/// Reads a text.
pub fn parse(text: &str) -> Result<Parsed, Broken> {
    let body = text.strip_prefix(MARK).unwrap_or(text);
    let mut reader = Reader {
        text: body,
        at: 0,
        line: 1,
        counted: 0,
        path: Vec::new(),
        oddities: Vec::new(),
        layout: None,
        one_line: false,
    };
    reader.space();
    let value = reader.value()?;
    reader.space();
    if reader.at < body.len() {
        return Err(reader.broken("something follows the value", SYNTAX));
    }
    let unseen = if reader.one_line {
        Layout::OneLine
    } else {
        Style::default().layout
    };
    let style = Style {
        layout: reader.layout.unwrap_or(unseen),
        ascii: body.is_ascii() && strings::escapes_more_than_ascii(body),
        last_newline: body.ends_with('\n'),
        mark: body.len() < text.len(),
    };
    Ok(Parsed {
        value,
        style,
        oddities: reader.oddities,
    })
}

/// A step of a path.
enum Step {
    Key(String),
    Index(usize),
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Line of the byte `counted`, so that lines are counted once.
    line: usize,
    counted: usize,
    path: Vec<Step>,
    oddities: Vec<Oddity>,
    /// As the first list or object shows it.
    layout: Option<Layout>,
    /// Whether the first list or object with a value begins on its line.
    one_line: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn line(&mut self) -> usize {
        let at = self.at.min(self.text.len());
        self.line += line_ends(&self.text.as_bytes()[self.counted..at]);
        self.counted = at;
        self.line
    }

    fn path(&self) -> String {
        let mut path = String::new();
        for step in &self.path {
            match step {
                Step::Key(key) if path.is_empty() => path.push_str(&excerpt(key)),
                Step::Key(key) => path.push_str(&format!(".{}", excerpt(key))),
                Step::Index(at) => path.push_str(&format!("[{at}]")),
            }
        }
        path
    }

    fn broken(&mut self, why: &str, hint: &'static str) -> Broken {
        let early = self.at >= self.text.len();
        Broken {
            line: self.line(),
            path: self.path(),
            why: if early {
                "the text ends here".to_owned()
            } else {
                why.to_owned()
            },
            hint: if early { EARLY } else { hint },
        }
    }

    fn odd(&mut self, kind: OddityKind) {
        if self.oddities.len() >= MOST_ODDITIES {
            return;
        }
        let (line, path) = (self.line(), self.path());
        self.oddities.push(Oddity { line, path, kind });
    }

    fn value(&mut self) -> Result<Value, Broken> {
        match self.peek() {
            Some(b'{') => self.object(),
            Some(b'[') => self.list(),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Result<Value, Broken> {
        let words = [
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("null", Value::Null),
        ];
        let rest = &self.text.as_bytes()[self.at..];
        for (word, value) in words {
            if rest.starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
            if !rest.is_empty() && word.as_bytes().starts_with(rest) {
                self.at = self.text.len();
            }
        }
        Err(self.broken("expected a value", SYNTAX))
    }

    /// Goes into a list or an object. Its first one shows how the file is laid out.
    fn open(&mut self) -> Result<(), Broken> {
        if self.path.len() >= DEEPEST {
            let why = format!("lists and objects more than {DEEPEST} deep");
            return Err(self.broken(&why, DEEP));
        }
        self.at += 1;
        let from = self.at;
        self.space();
        if self.layout.is_none() {
            match self.text[from..self.at].rsplit_once('\n') {
                Some((_, spaces)) if spaces.len() <= DEEPEST_INDENT => {
                    self.layout = Some(Layout::Indented(spaces.len()));
                }
                Some(_) => {}
                None => self.one_line |= !matches!(self.peek(), Some(b']' | b'}')),
            }
        }
        Ok(())
    }

    /// After a comma or a colon: a space there tells apart the two layouts of one line.
    fn part(&mut self) {
        self.at += 1;
        let spaced = self.peek() == Some(b' ');
        let layout = if spaced {
            Layout::OneLine
        } else {
            Layout::Compact
        };
        self.layout.get_or_insert(layout);
        self.space();
    }

    fn list(&mut self) -> Result<Value, Broken> {
        self.open()?;
        let mut items = Vec::new();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::Array(items));
        }
        loop {
            self.path.push(Step::Index(items.len()));
            items.push(self.value()?);
            self.path.pop();
            self.space();
            match self.peek() {
                Some(b',') => self.part(),
                Some(b']') => break,
                _ => return Err(self.broken("expected `,` or `]`", SYNTAX)),
            }
        }
        self.at += 1;
        Ok(Value::Array(items))
    }

    fn object(&mut self) -> Result<Value, Broken> {
        self.open()?;
        let mut fields = Map::new();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Object(fields));
        }
        loop {
            self.field(&mut fields)?;
            self.space();
            match self.peek() {
                Some(b',') => self.part(),
                Some(b'}') => break,
                _ => return Err(self.broken("expected `,` or `}`", SYNTAX)),
            }
        }
        self.at += 1;
        Ok(Value::Object(fields))
    }

    fn field(&mut self, fields: &mut Map<String, Value>) -> Result<(), Broken> {
        if self.peek() != Some(b'"') {
            return Err(self.broken("expected a key in quotes", SYNTAX));
        }
        let key = self.string()?;
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.broken("expected `:`", SYNTAX));
        }
        self.path.push(Step::Key(key.clone()));
        if fields.contains_key(&key) {
            self.odd(OddityKind::RepeatedKey);
        }
        self.part();
        let value = self.value()?;
        self.path.pop();
        fields.insert(key, value);
        Ok(())
    }

    fn string(&mut self) -> Result<String, Broken> {
        match strings::read(self.text, self.at) {
            Ok((string, end)) => {
                self.at = end;
                Ok(string)
            }
            Err((at, why)) => {
                self.at = at;
                Err(self.broken(why, "mend that text"))
            }
        }
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - from
    }

    fn number(&mut self) -> Result<Value, Broken> {
        let from = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let zero = self.peek() == Some(b'0');
        let digits = self.digits();
        let mut whole = true;
        let mut right = digits == 1 || (digits > 1 && !zero);
        if self.peek() == Some(b'.') {
            self.at += 1;
            whole = false;
            right &= self.digits() > 0;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            whole = false;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            right &= self.digits() > 0;
        }
        if !right {
            return Err(self.broken("not a number", SYNTAX));
        }
        let written = &self.text[from..self.at];
        let Some(number) = nearest(written, whole) else {
            return Err(self.broken("a number too large", SYNTAX));
        };
        let again = as_written(&number);
        if again != written {
            let written = excerpt(written);
            self.odd(OddityKind::Number { written, again });
        }
        Ok(Value::Number(number))
    }
}

/// How many lines end in a text.
pub(in super::super) fn line_ends(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').count() - 1
}

fn nearest(written: &str, whole: bool) -> Option<Number> {
    let integer = || {
        let positive = written.parse::<u64>().map(Number::from);
        positive
            .or_else(|_| written.parse::<i64>().map(Number::from))
            .ok()
    };
    let float = || written.parse::<f64>().ok().and_then(Number::from_f64);
    if whole {
        integer().or_else(float)
    } else {
        float()
    }
}

fn as_written(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() => python_float(float),
        _ => number.to_string(),
    }
}
