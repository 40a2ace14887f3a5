//! Ids: a letter and the base32 of a content hash, so that a rerun finds its own work.
//! Hides the hashing scheme; any unique prefix of an id names it on the command line.

use std::{borrow::Cow, fmt, marker::PhantomData};

use data_encoding::BASE32_NOPAD;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// Version of the id scheme; it is hashed first, so that a new scheme can never produce an old id.
const SCHEME: &str = "taskgen-id-1";

/// The kind of an id: its first letter.
pub trait Kind {
    /// First letter of the id's text.
    const LETTER: char;
}

/// A content-addressed name such as `t_k5fz…`: the kind's letter, `_`, 16 characters of base32.
pub struct Id<K>(String, PhantomData<fn() -> K>);

impl<K: Kind> Id<K> {
    /// The id of the content given as `parts`.
    pub fn from_parts(parts: &[&str]) -> Self {
        Self(text(K::LETTER, parts), PhantomData)
    }

    /// Takes an id as it was stored.
    pub fn from_stored(text: String) -> Self {
        Self(text, PhantomData)
    }

    /// The id's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<K> Clone for Id<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}
impl<K> PartialEq for Id<K> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl<K> Eq for Id<K> {}
impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<K> Ord for Id<K> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}
impl<K> std::hash::Hash for Id<K> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}
impl<K> fmt::Debug for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl<K> fmt::Display for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl<K> Serialize for Id<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}
impl<K: Kind> JsonSchema for Id<K> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Id_{}", K::LETTER).into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": format!("^{}_[a-z2-7]{{16}}$", K::LETTER) })
    }
}

impl<'de, K> Deserialize<'de> for Id<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self(text, PhantomData))
    }
}

/// The id of anything that can be ranked, such as a task or a report. It says nothing about the
/// kind: all items of a ranking are of one kind, which the ranking names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct ItemId(String);

impl ItemId {
    /// Takes an id as it was stored.
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The id's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<K> From<&Id<K>> for ItemId {
    fn from(id: &Id<K>) -> Self {
        Self(id.0.clone())
    }
}

impl fmt::Debug for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $alias:ident = $marker:ident $letter:literal;)*) => {$(
        /// Marker of the id kind.
        pub enum $marker {}
        impl Kind for $marker {
            const LETTER: char = $letter;
        }
        $(#[$doc])*
        pub type $alias = Id<$marker>;
    )*};
}

kinds! {
    /// A recording, by the hash of its bytes.
    SeminarId = SeminarKind 's';
    /// A transcript, by recording, model, parameters and text.
    TranscriptId = TranscriptKind 'r';
    /// An inspiration, by transcript, type and evidence.
    InspirationId = InspirationKind 'i';
    /// A task, by its inspirations and text.
    TaskId = TaskKind 't';
    /// A report, by task, agent, attempt, state and text.
    ReportId = ReportKind 'd';
    /// A statement, by document, reader and place.
    StatementId = StatementKind 'n';
    /// A key point, by task, page and text.
    KeyPointId = KeyPointKind 'k';
    /// A model call, by everything that can change its reply.
    CallId = CallKind 'c';
    /// A tree of web pages, by all that it says.
    InfoTreeId = InfoTreeKind 'e';
    /// A page at its place in a tree, by the addresses on the way to it.
    NodeId = NodeKind 'p';
    /// A question of a match, by text, pages and bounds.
    QuestionId = QuestionKind 'u';
    /// A match, by tree, agents and attempt.
    MatchId = MatchKind 'x';
}

/// The text of an id. Parts are length-prefixed, so that `["ab", "c"]` and `["a", "bc"]` differ.
pub fn text(letter: char, parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in std::iter::once(&SCHEME).chain(parts) {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    format!(
        "{letter}_{}",
        BASE32_NOPAD.encode(&hash.finalize()[..10]).to_lowercase()
    )
}

/// A place in a random order that follows from the seed alone and stays when other items come or
/// go.
pub fn drawn_place(seed: u64, id: &str) -> String {
    sha256_hex(format!("{seed} {id}").as_bytes())
}

/// SHA-256 of `bytes` as lower-case hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_kept_apart() {
        assert_ne!(
            TaskId::from_parts(&["ab", "c"]),
            TaskId::from_parts(&["a", "bc"])
        );
        assert_eq!(TaskId::from_parts(&["ab"]).as_str().len(), 18);
        assert!(TaskId::from_parts(&["ab"]).as_str().starts_with("t_"));
    }
}
