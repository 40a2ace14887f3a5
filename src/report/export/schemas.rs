//! The JSON Schemas of what is exported. They come from the types, so that they cannot say
//! anything else than the files.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;

use crate::data::{
    ReportRecord, TaskRecord,
    record::{SetLine, TaskLine},
};

/// The schemas by the name of their file: a line of `tasks.jsonl`, a line of a set, a report.
pub fn all() -> Vec<(&'static str, Value)> {
    vec![
        ("task", of::<TaskRecord>()),
        ("set-line", of::<SetLine>()),
        ("report", of::<ReportRecord>()),
    ]
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
        let titles: Vec<(&str, Value)> = all()
            .into_iter()
            .map(|(name, schema)| (name, schema["title"].clone()))
            .collect();
        let expected = [
            ("task", "TaskRecord"),
            ("set-line", "SetLine"),
            ("report", "ReportRecord"),
        ];
        assert_eq!(titles, expected.map(|(name, title)| (name, title.into())));
        let fields = task_line()["properties"].clone();
        for (name, field) in fields.as_object().expect("fields") {
            assert!(
                field["description"].is_string(),
                "{name} has no description"
            );
        }
    }
}
