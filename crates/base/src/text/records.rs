//! Files of records: one JSON object a line, or one JSON list. Hides how a broken record is left
//! out without losing the ones after it.

use serde_json::{Map, Value};

/// The most bytes that a record may have.
const MOST_IN_RECORD: usize = 50_000_000;

type Object = Map<String, Value>;

/// The records of a file, each with its line, from 1; a broken one is an error. Blank lines are
/// none; a byte order mark is left out.
pub fn read(bytes: &[u8]) -> Vec<(usize, Result<Object, String>)> {
    split(bytes)
        .into_iter()
        .map(|(line, record)| (line, object(record)))
        .collect()
}

/// The bytes of each record.
fn split(bytes: &[u8]) -> Vec<(usize, &[u8])> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii_start().starts_with(b"[") {
        return items(bytes);
    }
    let lines = bytes.split(|byte| *byte == b'\n').enumerate();
    lines
        .map(|(at, line)| (at + 1, line.trim_ascii()))
        .filter(|(_, line)| !line.is_empty())
        .collect()
}

/// The items of a JSON list, told by brackets, commas and quotes alone, so that one that is broken
/// inside is one problem. What follows the list is an item, too: it is none, and a problem. A list
/// without an end ends with an empty one.
fn items(bytes: &[u8]) -> Vec<(usize, &[u8])> {
    let open = bytes
        .iter()
        .position(|byte| *byte == b'[')
        .map_or(0, |at| at + 1);
    let (mut depth, mut quoted, mut escaped, mut closed, mut start) =
        (0_usize, false, false, false, open);
    let mut items = Vec::new();
    for (at, byte) in bytes.iter().enumerate().skip(open) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth > 0 => depth -= 1,
            b']' | b',' if depth == 0 => {
                items.push((start, at));
                start = at + 1;
                closed |= *byte == b']';
            }
            _ => {}
        }
    }
    items.push((start, bytes.len()));
    let mut items = numbered(bytes, &items);
    if !closed {
        items.push((1 + breaks(bytes), b""));
    }
    items
}

/// The items that are not blank, each with the line on which it begins.
fn numbered<'a>(bytes: &'a [u8], items: &[(usize, usize)]) -> Vec<(usize, &'a [u8])> {
    let (mut line, mut counted) = (1, 0);
    let mut numbered = Vec::new();
    for (start, end) in items {
        let item = bytes[*start..*end].trim_ascii_start();
        let begin = end - item.len();
        line += breaks(&bytes[counted..begin]);
        counted = begin;
        if !item.is_empty() {
            numbered.push((line, item));
        }
    }
    numbered
}

fn breaks(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').count() - 1
}

fn object(record: &[u8]) -> Result<Object, String> {
    if record.is_empty() {
        return Err("where the list should end".to_owned());
    }
    if record.len() > MOST_IN_RECORD {
        return Err(format!("over {} MB", MOST_IN_RECORD / 1_000_000));
    }
    let text = str::from_utf8(record)
        .map_err(|e| format!("not UTF-8 from byte {}", e.valid_up_to() + 1))?;
    serde_json::from_str(text).map_err(|e| {
        let why = e.to_string();
        let why = why.split(" at line ").next().unwrap_or_default();
        format!("not a JSON object: {why} (column {})", e.column())
    })
}
