//! The JSON Schemas of what is exported. They come from the types, so that they cannot say
//! anything else than the files.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;

use super::{
    ExportFile,
    commitment::{Commitment, Revealed},
    set_lines::SetMeta,
};
use crate::data::{
    TaskRecord, Transcript,
    record::{SetLine, TaskLine},
};

/// The schemas by their names: a line of `tasks.jsonl`, a line of a set's export and what stands
/// beside it, a commitment, revealed tasks, a transcript.
pub fn all() -> Vec<(&'static str, Value)> {
    vec![
        ("task", of::<TaskRecord>()),
        ("set-line", of::<SetLine>()),
        ("set-meta", of::<SetMeta>()),
        ("commitment", of::<Commitment>()),
        ("revealed", of::<Revealed>()),
        ("transcript", of::<Transcript>()),
    ]
}

/// A file for each schema.
pub fn files() -> Vec<ExportFile> {
    let schemas = all().into_iter();
    let file = |(name, schema)| ExportFile::text(format!("{name}.json"), format!("{schema:#}\n"));
    schemas.map(file).collect()
}

/// The schema of a task in a set, for the columns.
pub fn task_line() -> Value {
    of::<TaskLine>()
}

/// The schema of a type as it is written: what is always there is required.
fn of<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_title_and_says_what_its_fields_are() {
        for (name, schema) in all() {
            assert!(schema["title"].is_string(), "{name} has no title");
        }
        let fields = task_line()["properties"].clone();
        for (name, field) in fields.as_object().expect("fields") {
            assert!(
                field["description"].is_string(),
                "{name} has no description"
            );
        }
    }
}
