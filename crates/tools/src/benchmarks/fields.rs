//! Fields of strangers' files. Each may be absent, or of another kind than the format says; it is
//! kept as it stands and where it stands, so that one broken field loses nothing beside it and
//! writing changes nothing.

use std::fmt::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::{Map, Number, Value};

/// A JSON object, its keys in the order of the file.
pub type Object = Map<String, Value>;

/// A field of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Field<T> {
    /// The file does not have it.
    #[default]
    Absent,
    /// Its value.
    Read(T),
    /// A value of another kind than the format says.
    Other(Value),
}

impl<T> Field<T> {
    /// The value, where there is one of the right kind.
    pub fn get(&self) -> Option<&T> {
        match self {
            Self::Read(value) => Some(value),
            Self::Absent | Self::Other(_) => None,
        }
    }

    /// The field of a value.
    pub fn read(value: Value) -> Self
    where
        T: Shape,
    {
        T::from_json(value).map_or_else(Self::Other, Self::Read)
    }

    /// Whether the file does not have the field.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

impl<T> From<T> for Field<T> {
    fn from(value: T) -> Self {
        Self::Read(value)
    }
}

impl<T> From<Option<T>> for Field<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Self::Read)
    }
}

impl<T: Serialize> Serialize for Field<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent => serializer.serialize_none(),
            Self::Read(value) => value.serialize(serializer),
            Self::Other(value) => value.serialize(serializer),
        }
    }
}

/// A place in a file, such as `reports[3].depth_grading_results.winner_comparison_1`.
#[derive(Clone, Debug, Default)]
pub struct FieldPath(String);

impl FieldPath {
    /// Runs `f` with the path one key longer.
    pub fn key<R>(&mut self, key: &str, f: impl FnOnce(&mut Self) -> R) -> R {
        let length = self.0.len();
        if length > 0 {
            self.0.push('.');
        }
        self.0.push_str(&excerpt(key));
        let result = f(self);
        self.0.truncate(length);
        result
    }

    /// Runs `f` with the path one index longer.
    pub fn index<R>(&mut self, at: usize, f: impl FnOnce(&mut Self) -> R) -> R {
        let length = self.0.len();
        // Writing to a string cannot fail.
        let _ = write!(self.0, "[{at}]");
        let result = f(self);
        self.0.truncate(length);
        result
    }
}

/// A field of another kind than the format says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Path of the field.
    pub path: String,
    /// The kind that the format says.
    pub expected: &'static str,
    /// What stands there.
    pub found: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

/// A kind of value: its name, how it is read, and the faults inside it.
pub trait Shape: Sized {
    /// The kind in words.
    const KIND: &'static str;

    /// The value out of JSON; a value of another kind comes back as it was, so that nothing is
    /// copied and nothing is lost.
    fn from_json(value: Value) -> Result<Self, Value>;

    /// Adds the fields inside that are of another kind.
    fn faults(&self, _path: &mut FieldPath, _faults: &mut Vec<Fault>) {}
}

macro_rules! plain {
    ($($of:ty: $kind:literal, $pattern:pat => $read:expr;)*) => {
        $(impl Shape for $of {
            const KIND: &'static str = $kind;

            fn from_json(value: Value) -> Result<Self, Value> {
                match value {
                    $pattern => $read,
                    other => Err(other),
                }
            }
        })*
    };
}

plain! {
    String: "a text", Value::String(text) => Ok(text);
    Number: "a number", Value::Number(number) => Ok(number);
    bool: "true or false", Value::Bool(truth) => Ok(truth);
    u64: "a whole number", Value::Number(number) => number.as_u64().ok_or(Value::Number(number));
}

impl Shape for Value {
    const KIND: &'static str = "any value";

    fn from_json(value: Value) -> Result<Self, Value> {
        Ok(value)
    }
}

impl Shape for Option<Number> {
    const KIND: &'static str = "a number or null";

    fn from_json(value: Value) -> Result<Self, Value> {
        match value {
            Value::Null => Ok(None),
            other => Number::from_json(other).map(Some),
        }
    }
}

impl<T: Shape> Shape for Field<T> {
    const KIND: &'static str = T::KIND;

    fn from_json(value: Value) -> Result<Self, Value> {
        Ok(Self::read(value))
    }

    fn faults(&self, path: &mut FieldPath, faults: &mut Vec<Fault>) {
        match self {
            // Python writes None as null: nothing was said, which whoever needs it notices.
            Self::Absent | Self::Other(Value::Null) => {}
            Self::Read(value) => value.faults(path, faults),
            Self::Other(value) => faults.push(Fault {
                path: path.0.clone(),
                expected: T::KIND,
                found: described(value),
            }),
        }
    }
}

// Objects with many fields are boxed: an empty one in a file is three bytes, and must not take
// thousands in memory.
impl<T: Shape> Shape for Box<T> {
    const KIND: &'static str = T::KIND;

    fn from_json(value: Value) -> Result<Self, Value> {
        T::from_json(value).map(Box::new)
    }

    fn faults(&self, path: &mut FieldPath, faults: &mut Vec<Fault>) {
        T::faults(self, path, faults);
    }
}

/// Any values: what stands in the list is nobody's fault.
impl Shape for Vec<Value> {
    const KIND: &'static str = "a list";

    fn from_json(value: Value) -> Result<Self, Value> {
        match value {
            Value::Array(items) => Ok(items),
            other => Err(other),
        }
    }
}

impl<T: Shape> Shape for Vec<Field<T>> {
    const KIND: &'static str = "a list";

    fn from_json(value: Value) -> Result<Self, Value> {
        match value {
            Value::Array(items) => Ok(items.into_iter().map(Field::read).collect()),
            other => Err(other),
        }
    }

    fn faults(&self, path: &mut FieldPath, faults: &mut Vec<Fault>) {
        for (at, item) in self.iter().enumerate() {
            path.index(at, |path| item.faults(path, faults));
        }
    }
}

/// A value in few words, for messages.
fn described(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => format!("`{truth}`"),
        Value::Number(number) => format!("the number `{number}`"),
        Value::String(text) => format!("the text `{}`", excerpt(text)),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(fields) => format!("an object of {} fields", fields.len()),
    }
}

/// The first characters of a stranger's text, on one line.
pub fn excerpt(text: &str) -> String {
    const MOST: usize = 60;
    let mut short: String = text
        .chars()
        .take(MOST)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(MOST).is_some() {
        short.push('…');
    }
    short
}

/// An object whose keys are names of the file's own (items, models), in the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Named<T>(pub Vec<(String, Field<T>)>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Named<T> {
    /// The entry of a name, where it is of the right kind.
    pub fn get(&self, name: &str) -> Option<&T> {
        let entry = self.0.iter().find(|(key, _)| key == name);
        entry.and_then(|(_, field)| field.get())
    }

    /// The entries of the right kind.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        let entries = self.0.iter();
        entries.filter_map(|(name, field)| Some((name.as_str(), field.get()?)))
    }
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, field)| (name, field)))
    }
}

impl<T: Shape> Shape for Named<T> {
    const KIND: &'static str = "an object";

    fn from_json(value: Value) -> Result<Self, Value> {
        let Value::Object(object) = value else {
            return Err(value);
        };
        let entries = object.into_iter();
        Ok(Self(
            entries
                .map(|(name, value)| (name, Field::read(value)))
                .collect(),
        ))
    }

    fn faults(&self, path: &mut FieldPath, faults: &mut Vec<Fault>) {
        for (name, field) in &self.0 {
            path.key(name, |path| field.faults(path, faults));
        }
    }
}

/// The order of an object's fields in its file. It is no part of the object's value: objects with
/// the same fields are equal.
#[derive(Clone, Debug, Default)]
pub struct FieldOrder(Vec<u8>);

/// A field that the format does not know.
const UNKNOWN: u8 = u8::MAX;

impl PartialEq for FieldOrder {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl FieldOrder {
    /// Adds a field: its place among those of the format, none for an unknown one.
    pub fn push(&mut self, place: Option<usize>) {
        let place = place.and_then(|place| u8::try_from(place).ok());
        self.0.push(place.unwrap_or(UNKNOWN));
    }

    /// The order to write in: as it was read, then the other fields of the format, then as many
    /// unknown ones as there may be.
    pub fn places(&self, known: usize, unknown: usize) -> impl Iterator<Item = Option<usize>> {
        let read = self.0.iter().map(|place| match *place {
            UNKNOWN => None,
            place => Some(usize::from(place)),
        });
        let others = (0..known).filter(|place| {
            let read = self.0.iter();
            !read.copied().any(|read| usize::from(read) == *place)
        });
        let added = std::iter::repeat_n(None, unknown);
        read.chain(others.map(Some)).chain(added)
    }
}

/// Declares an object of the format: each field is a [`Field`], unknown ones are kept in `rest`,
/// and the order of both in `order`. A name in brackets is the field's name in the file.
macro_rules! record {
    (
        $(#[$about:meta])*
        $record:ident { $( $(#[$doc:meta])* $field:ident $(($name:literal))? : $of:ty, )* }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $record {
            $(
                $(#[$doc])*
                pub $field: Field<$of>,
            )*
            /// Fields that the format does not know.
            pub rest: Object,
            /// Order of the fields in the file.
            pub order: $crate::benchmarks::fields::FieldOrder,
        }

        impl $record {
            /// Names of the fields in files.
            const NAMES: &'static [&'static str] = &[$([$($name,)? stringify!($field)][0],)*];
        }

        impl serde::Serialize for $record {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;
                let mut map = serializer.serialize_map(None)?;
                let mut rest = self.rest.iter();
                for place in self.order.places(Self::NAMES.len(), self.rest.len()) {
                    let Some(place) = place else {
                        if let Some((name, value)) = rest.next() {
                            map.serialize_entry(name, value)?;
                        }
                        continue;
                    };
                    let mut names = Self::NAMES.iter().enumerate();
                    $(
                        if let Some((at, name)) = names.next()
                            && at == place
                            && !self.$field.is_absent()
                        {
                            map.serialize_entry(name, &self.$field)?;
                        }
                    )*
                }
                map.end()
            }
        }

        impl Shape for $record {
            const KIND: &'static str = "an object";

            fn from_json(value: Value) -> Result<Self, Value> {
                let Value::Object(object) = value else {
                    return Err(value);
                };
                let mut record = Self::default();
                for (name, value) in object {
                    let place = Self::NAMES.iter().position(|known| *known == name);
                    record.order.push(place);
                    $(
                        if name == [$($name,)? stringify!($field)][0] {
                            record.$field = Field::read(value);
                            continue;
                        }
                    )*
                    record.rest.insert(name, value);
                }
                Ok(record)
            }

            fn faults(&self, path: &mut FieldPath, faults: &mut Vec<Fault>) {
                $(
                    let name = [$($name,)? stringify!($field)][0];
                    path.key(name, |path| self.$field.faults(path, faults));
                )*
            }
        }
    };
}
pub(super) use record;
