//! Stored results: do their figures follow from their verdicts, and what is without one?

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

use super::bench::Bench;
use crate::{
    benchmarks::wiki_live_challenge::{
        aggregate::{Counting, citation, verifiability, writing},
        files::{CitationFile, Content, JsonFile, VerifiabilityFile, WritingFile},
        layout::FileKind,
    },
    cli::ui::output::counted,
};

/// A result file.
#[derive(Serialize)]
pub struct CheckedResult {
    /// Its path.
    file: String,
    /// What it is.
    kind: &'static str,
    /// Whether its figures, computed again as the benchmark does or without what has no verdict, are
    /// the stored ones.
    pub follows: bool,
    /// Verdicts.
    verdicts: usize,
    /// The figures by its verdicts, invalid and missing ones left out.
    figures: BTreeMap<&'static str, Option<f64>>,
    /// Verdicts that are missing or invalid, by cause.
    unscored: BTreeMap<&'static str, usize>,
}

impl CheckedResult {
    /// The result in a line.
    pub fn sentence(&self) -> String {
        let figures: Vec<String> = self
            .figures
            .iter()
            .map(|(name, value)| match value {
                Some(value) => format!("{name} {value:.4}"),
                None => format!("{name} –"),
            })
            .collect();
        let stored = if self.follows {
            "the stored figures follow"
        } else {
            "the stored figures do NOT follow"
        };
        format!(
            "{}: {}, {} verdicts, {stored}; {}; unscored: {}",
            self.file,
            self.kind,
            self.verdicts,
            figures.join(", "),
            counted(&self.unscored, "none")
        )
    }
}

/// Checks the result files of a folder; those that cannot be read are among its problems.
pub fn check(bench: &mut Bench) -> Result<Vec<CheckedResult>> {
    let mut checked = Vec::new();
    for (kind, path) in bench.layout.results.clone() {
        let result = match kind {
            FileKind::Writing => of_writing(bench, &path)?,
            FileKind::Verifiability => of_verifiability(bench, &path)?,
            FileKind::Citation => of_citation(bench, &path)?,
            _ => None,
        };
        checked.extend(result.map(|result| CheckedResult {
            file: path,
            kind: kind.word(),
            ..result
        }));
    }
    Ok(checked)
}

/// Whether a file with figures computed again, counted in either way, is the file as it stands.
fn follows<T: Content + Clone>(
    bench: &Bench,
    path: &str,
    compute: impl Fn(&mut T, Counting),
) -> Result<bool> {
    let bytes = bench.bytes(path)?;
    let Ok(read) = JsonFile::<T>::read(path, &bytes) else {
        return Ok(false);
    };
    let stored = read.value.write();
    let again = |counting| {
        let mut file = read.value.clone();
        compute(&mut file.content, counting);
        file.write() == stored
    };
    Ok(again(Counting::Compat) || again(Counting::Strict))
}

fn result(verdicts: usize, follows: bool) -> CheckedResult {
    CheckedResult {
        file: String::new(),
        kind: "",
        follows,
        verdicts,
        figures: BTreeMap::new(),
        unscored: BTreeMap::new(),
    }
}

fn of_writing(bench: &mut Bench, path: &str) -> Result<Option<CheckedResult>> {
    let Some(file) = bench.json::<WritingFile>(Some(path))? else {
        return Ok(None);
    };
    let follows = follows(bench, path, |file: &mut WritingFile, counting| {
        file.aggregate = writing::writing(file, counting).stored().into();
    })?;
    let ours = writing::writing(&file, Counting::Strict).overall;
    Ok(Some(CheckedResult {
        figures: BTreeMap::from([("win rate", ours.rate())]),
        unscored: by_cause(&ours.unscored),
        ..result(ours.scored(), follows)
    }))
}

fn of_verifiability(bench: &mut Bench, path: &str) -> Result<Option<CheckedResult>> {
    let Some(file) = bench.json::<VerifiabilityFile>(Some(path))? else {
        return Ok(None);
    };
    let follows = follows(bench, path, |file: &mut VerifiabilityFile, counting| {
        verifiability::verifiability(file, counting).store(file);
    })?;
    let ours = verifiability::verifiability(&file, Counting::Strict);
    let mut unscored = by_cause(&ours.generated.unscored);
    for (cause, n) in by_cause(&ours.wiki.unscored) {
        *unscored.entry(cause).or_default() += n;
    }
    Ok(Some(CheckedResult {
        figures: BTreeMap::from([
            ("Cov.Wiki", ours.wiki.supported_share()),
            ("Wiki Conf", ours.generated.conflict_share()),
            ("supported", ours.generated.supported_share()),
        ]),
        unscored,
        ..result(ours.generated.scored() + ours.wiki.scored(), follows)
    }))
}

fn of_citation(bench: &mut Bench, path: &str) -> Result<Option<CheckedResult>> {
    let Some(file) = bench.json::<CitationFile>(Some(path))? else {
        return Ok(None);
    };
    let follows = follows(bench, path, |file: &mut CitationFile, counting| {
        citation::citation(file, None, counting).store(file);
    })?;
    let ours = citation::citation(&file, None, Counting::Strict);
    Ok(Some(CheckedResult {
        figures: BTreeMap::from([
            ("Ref.Acc of evaluated", ours.support_ratio()),
            ("Ref.Acc of all pairs", ours.support_of_all_pairs()),
            ("Ref.Conf of evaluated", ours.conflict_ratio()),
        ]),
        unscored: by_cause(&ours.pairs.unscored),
        ..result(ours.pairs.judged(), follows)
    }))
}

fn by_cause(
    unscored: &crate::benchmarks::wiki_live_challenge::aggregate::Unscored,
) -> BTreeMap<&'static str, usize> {
    let counts = unscored.0.iter();
    counts.map(|(cause, n)| (cause.word(), *n)).collect()
}
