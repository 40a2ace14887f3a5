//! Statements of a report that a model writes out of its sentences: each says one thing and is
//! complete in itself, with pronouns resolved, and names the sentences that it rests on.
//!
//! **Method** Wiki Live Challenge (arXiv 2602.01590) has a model take each article apart in one
//! call. **Differs from it**: a report is asked about in chunks of whole sentences, of a bounded
//! number of tokens; the model names sentences by their numbers, so that places and citations
//! follow by code and no address is written by a model; a statement that names no sentence of its
//! chunk, is empty, or has a number or an address that was not shown is refused and counted; and
//! where a reply is cut off or cannot be read, its halves are asked about, and sentences that have
//! no reply in the end are counted by cause. **Cost** one call a chunk.

mod ask;
mod check;
mod cut;
mod record;

use std::{collections::BTreeMap, ops::Range};

use anyhow::Result;
use serde::{Deserialize, Serialize};

pub use self::{ask::extract, cut::Bounds, record::on_record};
use crate::{context::Context, evidence::reading::Sourced};

/// The role of the model.
pub const ROLE: &str = "extract";
/// The prompt, and that of a small model.
const USUAL: &str = "evaluate/statements";
const SHORT: &str = "evaluate/statements-short";

/// The prompt of the role's model.
pub fn prompt(ctx: &Context) -> Result<&'static str> {
    let is_small = ctx.llm.is_builtin(ROLE, 0)?;
    Ok(if is_small { SHORT } else { USUAL })
}

/// The chunks that the role's model reads at once: a small model loses itself in long ones.
pub fn bounds(ctx: &Context) -> Result<Bounds> {
    Ok(if ctx.llm.is_builtin(ROLE, 0)? {
        Bounds::SMALL
    } else {
        Bounds::USUAL
    })
}

/// The statements of a report, and how they came about.
#[derive(Debug, Default)]
pub struct Extraction {
    /// In the order of the report, each text once.
    pub statements: Vec<Extracted>,
    /// How many of what.
    pub figures: Figures,
    /// Whether a dry run only counted what it would ask.
    pub is_predicted: bool,
}

/// A statement with its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extracted {
    /// The sentences of the report that it rests on, as ranges of Unicode scalar values.
    pub spans: Vec<Range<usize>>,
    /// Its text, and what those sentences cite.
    pub sourced: Sourced,
}

/// Counts of an extraction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// Statements, each text once.
    pub statements: u64,
    /// Statements whose text came before.
    pub repeated: u64,
    /// Statements that were refused, by rule.
    pub refused: BTreeMap<String, u64>,
    /// Sentences, items and rows of the report.
    pub sentences: u64,
    /// Those that a statement rests on.
    pub represented: u64,
    /// Those in chunks without a reply, by cause.
    pub unread: BTreeMap<String, u64>,
    /// Chunks, halves of those that were asked about in halves counted each.
    pub chunks: u64,
    /// Those without a reply.
    pub chunks_without_reply: u64,
}

impl Figures {
    /// Sentences in chunks with a reply.
    pub fn read(&self) -> u64 {
        let unread: u64 = self.unread.values().sum();
        self.sentences.saturating_sub(unread)
    }

    /// Adds those of another report.
    pub fn absorb(&mut self, other: &Self) {
        self.statements += other.statements;
        self.repeated += other.repeated;
        self.sentences += other.sentences;
        self.represented += other.represented;
        self.chunks += other.chunks;
        self.chunks_without_reply += other.chunks_without_reply;
        add(&mut self.refused, &other.refused);
        add(&mut self.unread, &other.unread);
    }

    /// The figures in a sentence for people.
    pub fn told(&self) -> String {
        let read = self.read();
        let share = match read {
            0 => String::new(),
            read => format!(" ({:.1} %)", 100.0 * self.represented as f64 / read as f64),
        };
        let mut told = format!(
            "{} statements rest on {} of {read} sentences{share}",
            self.statements, self.represented
        );
        if !self.unread.is_empty() {
            told.push_str(&format!(
                "; without a reply: {} of {} chunks, with {} sentences ({})",
                self.chunks_without_reply,
                self.chunks,
                self.unread.values().sum::<u64>(),
                by_word(&self.unread)
            ));
        }
        if !self.refused.is_empty() {
            told.push_str(&format!("; refused: {}", by_word(&self.refused)));
        }
        told
    }
}

fn add(sums: &mut BTreeMap<String, u64>, more: &BTreeMap<String, u64>) {
    for (word, n) in more {
        *sums.entry(word.clone()).or_default() += n;
    }
}

fn by_word(counts: &BTreeMap<String, u64>) -> String {
    let words: Vec<String> = counts
        .iter()
        .map(|(word, n)| format!("{word} {n}"))
        .collect();
    words.join(", ")
}
