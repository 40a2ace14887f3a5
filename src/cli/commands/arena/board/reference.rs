//! Another board on the same agents, out of a file of names and ratings.

use std::{collections::BTreeMap, path::Path};

use anyhow::Result;
use serde::Serialize;

use crate::{
    cli::ui::exit::Usage,
    stats::pairwise::ratings::{BoardAgreement, agreement},
};

/// Longest file that is read.
const LONGEST: u64 = 16 << 20;

/// How far a board agrees with another one.
#[derive(Serialize)]
pub struct Reference {
    /// The file.
    pub file: String,
    /// Over the agents that both have.
    #[serde(flatten)]
    pub agreement: BoardAgreement,
}

/// Compares ratings with those of a CSV file that has the columns `name` and `rating`, such as a
/// board that was written with `--csv`.
pub fn reference(file: &Path, ratings: &[(String, Option<f64>)]) -> Result<Reference> {
    let mut others = read(file)?;
    let (mut own, mut theirs) = (Vec::new(), Vec::new());
    for (agent, rating) in ratings {
        own.push(*rating);
        theirs.push(others.remove(agent));
    }
    for rating in others.into_values() {
        own.push(None);
        theirs.push(Some(rating));
    }
    Ok(Reference {
        file: file.display().to_string(),
        agreement: agreement(&own, &theirs),
    })
}

fn read(file: &Path) -> Result<BTreeMap<String, f64>> {
    let name = file.display();
    let hint = "hint: two columns, `name` and `rating`, named in the first line";
    let refuse = |why: String| Usage(format!("`{name}` is no board: {why}\n{hint}"));
    let known = fs_err::metadata(file).map_err(|error| refuse(error.to_string()))?;
    if !known.is_file() || known.len() > LONGEST {
        return Err(refuse(format!("it is no file of at most {} MB", LONGEST >> 20)).into());
    }
    let bytes = fs_err::read(file)?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(bytes);
    let headers = reader
        .headers()
        .map_err(|error| refuse(error.to_string()))?;
    let column = |wanted: &str| {
        let place = headers
            .iter()
            .position(|of| of.eq_ignore_ascii_case(wanted));
        place.ok_or_else(|| refuse(format!("it has no column `{wanted}`")))
    };
    let (names, ratings) = (column("name")?, column("rating")?);
    let mut board = BTreeMap::new();
    for (at, line) in reader.records().enumerate() {
        let line = line.map_err(|error| refuse(error.to_string()))?;
        let cell = |column: usize| line.get(column).unwrap_or_default().to_owned();
        let (agent, rating) = (cell(names), cell(ratings));
        // An agent without a rating is on no scale.
        if agent.is_empty() || rating.is_empty() {
            continue;
        }
        let number: Option<f64> = rating
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite());
        let number =
            number.ok_or_else(|| refuse(format!("row {}: no number: `{rating}`", at + 1)))?;
        if board.insert(agent.clone(), number).is_some() {
            return Err(refuse(format!("`{agent}` stands in it twice")).into());
        }
    }
    Ok(board)
}
