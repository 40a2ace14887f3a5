//! Summaries of a folder of results, `_summary.json`. Their names do not say of what; their fields
//! do.

use serde_json::{Number, Value};

use super::{
    Content, Fault, Field, FieldPath, FileRead, JsonFile, Object, Problem, Shape, Spot, json,
    not_json, problem, utf8,
};
use crate::benchmarks::fields::record;

record! {
    /// Summary on writing, over all criteria of all articles.
    WritingSummary {
        /// Articles.
        total_articles: u64,
        /// Criteria on which the candidate is better.
        total_gen_wins: u64,
        /// Criteria on which Wikipedia is better.
        total_gt_wins: u64,
        /// Criteria with neither.
        total_ties: u64,
        /// Share of the candidate's.
        gen_win_rate: Number,
    }
}

record! {
    /// Summary on verifiability: means over articles.
    VerifiabilitySummary {
        /// Articles.
        total_articles: u64,
        /// Mean share of supported statements.
        avg_gen_supported_by_wiki: Number,
        /// Mean share of contradicted statements.
        avg_gen_conflict_with_wiki: Number,
        /// Mean share of Wikipedia's statements that are covered.
        avg_wiki_covered_by_gen: Number,
    }
}

record! {
    /// Summary on citations: means over completed articles.
    CitationSummary {
        /// Articles.
        total_articles: u64,
        /// Those that were judged.
        completed_articles: u64,
        /// Mean share of supported statements.
        avg_support_ratio: Number,
        /// Mean share of contradicted statements.
        avg_conflict_ratio: Number,
    }
}

impl Content for WritingSummary {
    const NEEDED: &'static [&'static str] = &["total_gen_wins"];
}

impl Content for VerifiabilitySummary {
    const NEEDED: &'static [&'static str] = &["avg_wiki_covered_by_gen"];
}

impl Content for CitationSummary {
    const NEEDED: &'static [&'static str] = &["avg_support_ratio"];
}

/// A summary of one of the three kinds.
#[derive(Clone, Debug, PartialEq)]
pub enum Summary {
    /// On writing.
    Writing(JsonFile<WritingSummary>),
    /// On verifiability.
    Verifiability(JsonFile<VerifiabilitySummary>),
    /// On citations.
    Citation(JsonFile<CitationSummary>),
}

impl Summary {
    /// Reads a file; `name` is for messages.
    pub fn read(name: &str, bytes: &[u8]) -> Result<FileRead<Self>, Problem> {
        let parsed = json::parse(utf8(name, bytes)?).map_err(|broken| not_json(name, broken))?;
        let has = |needed: &[&str]| needed.iter().all(|field| parsed.value.get(field).is_some());
        if has(WritingSummary::NEEDED) {
            let read = JsonFile::read(name, bytes)?;
            return Ok(of(read, Self::Writing));
        }
        if has(VerifiabilitySummary::NEEDED) {
            let read = JsonFile::read(name, bytes)?;
            return Ok(of(read, Self::Verifiability));
        }
        if has(CitationSummary::NEEDED) {
            let read = JsonFile::read(name, bytes)?;
            return Ok(of(read, Self::Citation));
        }
        let why = "the fields of no summary".to_owned();
        let hint = "is this the right file? a summary is on writing, verifiability or citations";
        Err(problem(name, Spot::Line(1), why, hint))
    }

    /// Text of the file.
    pub fn write(&self) -> String {
        match self {
            Self::Writing(file) => file.write(),
            Self::Verifiability(file) => file.write(),
            Self::Citation(file) => file.write(),
        }
    }
}

fn of<T>(read: FileRead<T>, kind: fn(T) -> Summary) -> FileRead<Summary> {
    FileRead {
        value: kind(read.value),
        problems: read.problems,
    }
}
