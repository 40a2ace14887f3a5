//! Rows as a Parquet file, without compression: what a set says can be found in the bytes. Hides
//! how nested values become levels.

use std::sync::Arc;

use ::parquet::{
    basic::Compression,
    column::writer::ColumnWriter,
    data_type::ByteArray,
    errors::ParquetError,
    file::{
        properties::WriterProperties,
        writer::{SerializedColumnWriter, SerializedFileWriter},
    },
    schema::{parser::parse_message_type, types::TypePtr},
};
use anyhow::{Context as _, Result, bail};
use jiff::civil::Date;
use serde_json::Value;

use super::columns::{self, Column, Kind};

/// Rows of a group: readers take a group at a time.
const ROWS_OF_GROUP: usize = 1000;
/// The day that days are counted from.
const EPOCH: Date = jiff::civil::date(1970, 1, 1);

/// The file.
pub(super) fn file(columns: &[Column], rows: &[Value]) -> Result<Vec<u8>> {
    let schema = schema(columns)?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_created_by("taskgen".to_owned())
        .build();
    let leaves = leaves(columns);
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    for rows in rows.chunks(ROWS_OF_GROUP) {
        let mut group = file.next_row_group()?;
        let mut of_columns = leaves.iter();
        while let Some(mut column) = group.next_column()? {
            let leaf = of_columns.next().context("a column too many")?;
            write(&mut column, leaf, rows)?;
            column.close()?;
        }
        group.close()?;
    }
    Ok(file.into_inner()?)
}

fn schema(columns: &[Column]) -> Result<TypePtr> {
    let mut message = String::from("message tasks {\n");
    for column in columns {
        declare(&column.name, &column.kind, &mut message);
    }
    message.push('}');
    let schema = parse_message_type(&message).context("the schema of the Parquet file")?;
    Ok(Arc::new(schema))
}

/// Appends the declaration of a column, which may be empty.
fn declare(name: &str, kind: &Kind, message: &mut String) {
    let plain = match kind {
        Kind::Text | Kind::Json => format!("optional binary {name} (STRING);\n"),
        Kind::Day => format!("optional int32 {name} (DATE);\n"),
        Kind::Integer => format!("optional int64 {name};\n"),
        Kind::Number => format!("optional double {name};\n"),
        Kind::Flag => format!("optional boolean {name};\n"),
        Kind::Fields(columns) => {
            message.push_str(&format!("optional group {name} {{\n"));
            for column in columns {
                declare(&column.name, &column.kind, message);
            }
            "}\n".to_owned()
        }
        Kind::List(kind) => {
            message.push_str(&format!(
                "optional group {name} (LIST) {{\nrepeated group list {{\n"
            ));
            declare("element", kind, message);
            "}\n}\n".to_owned()
        }
    };
    message.push_str(&plain);
}

/// A column that holds values, and the way to it.
struct Leaf<'a> {
    steps: Vec<Step<'a>>,
    kind: &'a Kind,
}

/// A step on the way from a row to its values.
#[derive(Clone)]
enum Step<'a> {
    /// To a field by its name.
    Field(&'a str),
    /// To each item of a list.
    Items,
}

/// The columns that hold values, in the schema's order.
fn leaves(columns: &[Column]) -> Vec<Leaf<'_>> {
    let mut leaves = Vec::new();
    for column in columns {
        find_leaves(&[Step::Field(&column.name)], &column.kind, &mut leaves);
    }
    leaves
}

fn find_leaves<'a>(steps: &[Step<'a>], kind: &'a Kind, leaves: &mut Vec<Leaf<'a>>) {
    let and = |step| [steps, &[step]].concat();
    match kind {
        Kind::Fields(columns) => {
            for column in columns {
                find_leaves(&and(Step::Field(&column.name)), &column.kind, leaves);
            }
        }
        Kind::List(kind) => find_leaves(&and(Step::Items), kind, leaves),
        kind => leaves.push(Leaf {
            steps: steps.to_vec(),
            kind,
        }),
    }
}

/// The values of a column with their levels: how much of the way is there, and which list goes on.
#[derive(Default)]
struct Levels<'a> {
    values: Vec<&'a Value>,
    definition: Vec<i16>,
    repetition: Vec<i16>,
}

impl<'a> Levels<'a> {
    fn of(leaf: &Leaf<'_>, rows: &'a [Value]) -> Self {
        let mut levels = Self::default();
        for row in rows {
            levels.walk(row, &leaf.steps, Place::default());
        }
        levels
    }

    fn walk(&mut self, value: &'a Value, steps: &[Step<'_>], place: Place) {
        let Some((step, rest)) = steps.split_first() else {
            self.values.push(value);
            return self.push(place);
        };
        match (step, value) {
            (Step::Field(name), value) => match value.get(name) {
                None | Some(Value::Null) => self.push(place),
                Some(field) => self.walk(field, rest, place.there()),
            },
            (Step::Items, Value::Array(items)) if !items.is_empty() => {
                let inside = place.inside();
                let mut repetition = place.repetition;
                for item in items {
                    let place = Place {
                        repetition,
                        ..inside
                    };
                    match item {
                        Value::Null => self.push(place),
                        item => self.walk(item, rest, place.there()),
                    }
                    repetition = inside.lists;
                }
            }
            (Step::Items, _) => self.push(place),
        }
    }

    fn push(&mut self, place: Place) {
        self.definition.push(place.definition);
        self.repetition.push(place.repetition);
    }
}

/// A place on the way to a value.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Steps that were there, lists counted twice: a list, and an item of it.
    definition: i16,
    /// The list that goes on: 0 is a new row.
    repetition: i16,
    /// Lists that were entered.
    lists: i16,
}

impl Place {
    fn there(self) -> Self {
        Self {
            definition: self.definition + 1,
            ..self
        }
    }

    fn inside(self) -> Self {
        Self {
            lists: self.lists + 1,
            ..self.there()
        }
    }
}

fn write(column: &mut SerializedColumnWriter<'_>, leaf: &Leaf<'_>, rows: &[Value]) -> Result<()> {
    let levels = Levels::of(leaf, rows);
    let (definition, repetition) = (&levels.definition[..], &levels.repetition[..]);
    let values = levels.values.iter().copied();
    macro_rules! write_as {
        ($writer:expr, $read:expr) => {{
            let values = values.map($read).collect::<Option<Vec<_>>>();
            let values = values.context("a value of another kind than its column")?;
            $writer.write_batch(&values, Some(definition), Some(repetition))
        }};
    }
    let written: Result<usize, ParquetError> = match (column.untyped(), leaf.kind) {
        (ColumnWriter::ByteArrayColumnWriter(writer), _) => {
            write_as!(writer, |value| value.as_str().map(ByteArray::from))
        }
        (ColumnWriter::Int32ColumnWriter(writer), Kind::Day) => write_as!(writer, days),
        (ColumnWriter::Int64ColumnWriter(writer), _) => write_as!(writer, Value::as_i64),
        (ColumnWriter::DoubleColumnWriter(writer), _) => write_as!(writer, Value::as_f64),
        (ColumnWriter::BoolColumnWriter(writer), _) => write_as!(writer, Value::as_bool),
        _ => bail!("a column of an unknown kind"),
    };
    written.context("a column of the Parquet file")?;
    Ok(())
}

/// Days since 1970.
fn days(value: &Value) -> Option<i32> {
    let day = columns::day(value.as_str()?).ok()?;
    Some(day.since(EPOCH).ok()?.get_days())
}
