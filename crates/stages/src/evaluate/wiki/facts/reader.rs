//! How texts are cut into statements: by our own reader, or as the benchmark's own code does, for
//! comparing with its published figures.

use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{IN_REPORT, KEY, PROGRAM};
use crate::{
    benchmarks::wiki_live_challenge::compat::text::{
        split_sentences, strip_citations, strip_references,
    },
    evaluate::{Misconfigured, Options},
    evidence::reading::{self, Sourced},
    store::Evaluation,
};

/// The reader of articles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reader {
    /// Sentences, items and rows, each with the addresses that it cites.
    #[default]
    Ours,
    /// The benchmark's sentences, to the letter. They cite nothing: statements that cite the gold
    /// article are not left out, as in its code.
    Compat,
}

/// `[evaluate.settings.facts]`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    #[serde(default)]
    reader: Reader,
}

impl Reader {
    /// The reader in an evaluator's settings.
    pub fn read(settings: &Value) -> Result<Self, String> {
        if settings.is_null() {
            return Ok(Self::Ours);
        }
        let read = Settings::deserialize(settings);
        let read = read.map_err(|why| {
            let hint = "hint: `reader = \"compat\"` or `\"ours\"`";
            format!("evaluate.settings.{KEY}: {why}\n{hint}")
        });
        read.map(|settings| settings.reader)
    }

    /// The reader that the user wants.
    pub fn wanted(options: &Options) -> Result<Self> {
        let settings = options.settings.get(KEY).unwrap_or(&Value::Null);
        Self::read(settings).map_err(|why| Misconfigured(why).into())
    }

    /// The reader of an evaluation.
    pub fn in_force(evaluation: &Evaluation) -> Self {
        Self::read(&evaluation.in_force(IN_REPORT).settings).unwrap_or_default()
    }

    /// What an evaluation notes of it; nothing of the usual one.
    pub fn settings(self) -> Value {
        match self {
            Self::Ours => Value::Null,
            Self::Compat => json!(Settings { reader: self }),
        }
    }

    /// The program that counts statements.
    pub fn program(self) -> String {
        match self {
            Self::Ours => PROGRAM.to_owned(),
            Self::Compat => format!("{PROGRAM} compat"),
        }
    }

    /// The statements of an article.
    pub fn statements(self, article: &str) -> Vec<Sourced> {
        match self {
            Self::Ours => reading::sourced(article),
            Self::Compat => {
                let bare = strip_citations(&strip_references(article));
                let sentences = split_sentences(&bare).into_iter();
                let statement = |text| Sourced {
                    text,
                    urls: Vec::new(),
                    numbers: Vec::new(),
                };
                sentences.map(statement).collect()
            }
        }
    }
}
