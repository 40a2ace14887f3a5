//! Writing JSON byte for byte as Python does.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use super::{Layout, Style};

/// The text of a value.
pub fn write(value: &impl Serialize, style: Style) -> String {
    let mut bytes = Vec::new();
    if style.mark {
        bytes.extend("\u{feff}".as_bytes());
    }
    let python = Python {
        style,
        depth: 0,
        filled: false,
    };
    let mut serializer = Serializer::with_formatter(&mut bytes, python);
    // Keys are texts and a vector takes all: nothing here cannot be written.
    let _ = value.serialize(&mut serializer);
    if style.last_newline {
        bytes.push(b'\n');
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// A fraction as Python writes it: the fewest digits that read as the same number.
pub fn python_float(float: f64) -> String {
    let plain = float == 0.0 || (1e-4..1e16).contains(&float.abs());
    if plain || !float.is_finite() {
        return format!("{float:?}");
    }
    let text = format!("{float:e}");
    match text.split_once('e') {
        Some((digits, power)) => {
            let power: i32 = power.parse().unwrap_or_default();
            let sign = if power < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", power.abs())
        }
        None => text,
    }
}

struct Python {
    style: Style,
    depth: usize,
    /// Whether the list or object that ends next has a value.
    filled: bool,
}

impl Python {
    fn line<W: ?Sized + Write>(&self, writer: &mut W) -> io::Result<()> {
        let Layout::Indented(spaces) = self.style.layout else {
            return Ok(());
        };
        write!(writer, "\n{:1$}", "", spaces * self.depth)
    }

    fn open<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.filled = false;
        writer.write_all(bracket)
    }

    fn close<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.filled {
            self.line(writer)?;
        }
        writer.write_all(bracket)
    }

    fn next<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if !first {
            let spaced = self.style.layout == Layout::OneLine;
            writer.write_all(if spaced { b", " } else { b"," })?;
        }
        self.line(writer)
    }
}

impl Formatter for Python {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        self.next(w, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        self.next(w, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let tight = self.style.layout == Layout::Compact;
        writer.write_all(if tight { b":" } else { b": " })
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(python_float(value).as_bytes())
    }

    fn write_string_fragment<W>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + Write,
    {
        if !self.style.ascii {
            return writer.write_all(fragment.as_bytes());
        }
        let mut units = [0; 2];
        for character in fragment.chars() {
            if matches!(character, ' '..='~') {
                writer.write_all(&[character as u8])?;
                continue;
            }
            for unit in character.encode_utf16(&mut units) {
                write!(writer, "\\u{unit:04x}")?;
            }
        }
        Ok(())
    }
}
