//! Files in Parquet as records. Hides the columns, their compression, and that a broken file may
//! bring the reader down.

use std::panic::catch_unwind;

use ::parquet::file::{reader::FileReader as _, serialized_reader::SerializedFileReader};
use bytes::Bytes;
use serde_json::{Map, Value};

/// How such a file begins.
pub const MAGIC: &[u8] = b"PAR1";
/// The most rows that are read.
const MOST_ROWS: usize = 1_000_000;
/// The most bytes of all texts.
const MOST_BYTES: usize = 200_000_000;

type Object = Map<String, Value>;

/// The rows in order, or why one cannot be read; the error says why the whole file cannot.
pub fn read(bytes: &[u8]) -> Result<Vec<Result<Object, String>>, String> {
    let bytes = Bytes::copy_from_slice(bytes);
    // The crate checks what it reads, but not for every way in which a file may lie.
    catch_unwind(move || rows(bytes)).unwrap_or_else(|_| Err("it is broken".to_owned()))
}

fn rows(bytes: Bytes) -> Result<Vec<Result<Object, String>>, String> {
    let reader = SerializedFileReader::new(bytes).map_err(|error| error.to_string())?;
    let rows = reader
        .get_row_iter(None)
        .map_err(|error| error.to_string())?;
    let object = |row: parquet::errors::Result<parquet::record::Row>| match row
        .map_err(|error| error.to_string())?
        .to_json_value()
    {
        Value::Object(object) => Ok(object),
        _ => Err("a row without names".to_owned()),
    };
    let (mut objects, mut size) = (Vec::new(), 0);
    let all = reader.metadata().file_metadata().num_rows().max(0) as usize;
    if all > MOST_ROWS {
        return Err(format!("it has {all} rows, over {MOST_ROWS}"));
    }
    for row in rows.take(MOST_ROWS) {
        let object = object(row);
        let texts = object.iter().flat_map(Map::values);
        size += texts.filter_map(Value::as_str).map(str::len).sum::<usize>();
        // One text in a dictionary may stand in a million rows.
        if size > MOST_BYTES {
            return Err(format!("its texts take over {} MB", MOST_BYTES / 1_000_000));
        }
        let is_broken = object.is_err();
        objects.push(object);
        // Behind a row that cannot be read the reader stays where it is.
        if is_broken {
            break;
        }
    }
    if objects.len() < all {
        let lost = all - objects.len();
        objects.push(Err(format!("{lost} rows behind it were not read")));
    }
    Ok(objects)
}
