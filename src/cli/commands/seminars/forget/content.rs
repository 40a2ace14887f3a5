//! What a file holds, read piece by piece.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    io::Read as _,
    path::{Path, PathBuf},
};

use crate::{data::SeminarId, text::traces::Traces};

/// Bytes that are read at once, and those that the next piece has again: a run of words does not
/// take as many.
const PIECE: usize = 1 << 20;
const AGAIN: usize = 1 << 16;

/// How files begin whose content is packed.
const PACKED: [&[u8]; 7] = [
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"\x28\xb5\x2f\xfd",
    b"7z\xbc\xaf",
    b"BZh",
    b"\xfd7zXZ",
    b"%PDF",
];

/// What is looked for.
pub struct Wanted<'a> {
    /// The words of the talk.
    pub traces: &'a Traces,
    /// Its recordings.
    pub ids: &'a BTreeSet<SeminarId>,
    /// Their paths under the seminars folder.
    pub paths: &'a [String],
    /// Those of all talks.
    pub all_paths: &'a [String],
    /// What they are called in commands.
    pub names: &'a [String],
    /// Files and folders that stay, whatever they hold.
    pub keep: &'a [PathBuf],
}

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Words of the talk.
    Words,
    /// The id, and no words.
    Id,
    /// The name, and no words; looked for in logs alone.
    Name,
    /// Vectors of texts.
    Vectors,
    /// What cannot be looked into.
    Packed,
    /// None of it.
    Nothing,
}

/// Looks for words, ids and, in logs, names in a file.
pub fn holds(wanted: &Wanted<'_>, path: &Path, is_log: bool) -> std::io::Result<Holds> {
    let mut file = fs_err::File::open(path)?;
    let mut search = wanted.traces.search();
    let (mut piece, mut is_first, mut units) = (Vec::new(), true, None);
    let (mut has_id, mut has_name) = (false, false);
    loop {
        let read = file.by_ref().take(PIECE as u64).read_to_end(&mut piece)?;
        if std::mem::take(&mut is_first) {
            if piece.starts_with(b"taskgen-vectors") {
                return Ok(Holds::Vectors);
            }
            if PACKED.iter().any(|magic| piece.starts_with(magic)) {
                return Ok(Holds::Packed);
            }
            units = Units::of(&piece);
        }
        let text = match units {
            Some(units) => Cow::Owned(units.text(&piece)),
            None => String::from_utf8_lossy(&piece),
        };
        search.read(&text);
        if search.found() {
            return Ok(Holds::Words);
        }
        has_id |= wanted.ids.iter().any(|id| text.contains(id.as_str()));
        has_name |= is_log && wanted.names.iter().any(|name| text.contains(name));
        if read < PIECE {
            break;
        }
        piece.drain(..piece.len().saturating_sub(AGAIN));
    }
    Ok(match (has_name, has_id) {
        (true, _) => Holds::Name,
        (false, true) => Holds::Id,
        (false, false) => Holds::Nothing,
    })
}

/// How a text is written that begins with a mark of two bytes: in units of two.
#[derive(Clone, Copy)]
enum Units {
    Little,
    Big,
}

impl Units {
    fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xff, 0xfe, ..] => Some(Self::Little),
            [0xfe, 0xff, ..] => Some(Self::Big),
            _ => None,
        }
    }

    fn text(self, bytes: &[u8]) -> String {
        let units = bytes.as_chunks().0.iter().map(|unit| match self {
            Self::Little => u16::from_le_bytes(*unit),
            Self::Big => u16::from_be_bytes(*unit),
        });
        let characters = char::decode_utf16(units);
        characters
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    }
}
