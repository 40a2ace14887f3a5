//! How texts are cut into statements: by our own reader, by a model, or as the benchmark's own code
//! does, for comparing with its published figures.

use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{EXTRACTED, IN_REPORT, KEY, PROGRAM};
use crate::{
    benchmarks::wiki_live_challenge::compat::text::{
        split_sentences, strip_citations, strip_references,
    },
    context::Context,
    data::ReportId,
    evaluate::{
        Misconfigured, Options,
        statements::{self, Bounds, Extraction},
    },
    evidence::reading::{self, Sourced},
    store::{Evaluation, PanelJudgements},
};

/// The reader of articles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reader {
    /// Sentences, items and rows, each with the addresses that it cites.
    #[default]
    Ours,
    /// The benchmark's sentences, to the letter. They cite nothing: statements that cite the gold
    /// article are not left out, as in its code.
    Compat,
    /// Of reports the statements that a model writes out of our sentences, with the addresses that
    /// these cite; of gold articles as ours.
    Model,
}

/// How sentences are cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Cut {
    #[default]
    Ours,
    Compat,
}

/// What the statements of a report are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StatementsAre {
    #[default]
    Sentences,
    Model,
}

/// `[evaluate.settings.facts]`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    #[serde(default)]
    reader: Cut,
    #[serde(default)]
    statements: StatementsAre,
}

impl Reader {
    /// The reader in an evaluator's settings.
    pub fn read(settings: &Value) -> Result<Self, String> {
        if settings.is_null() {
            return Ok(Self::Ours);
        }
        let read = Settings::deserialize(settings);
        let read = read.map_err(|why| {
            let hint = "hint: `reader = \"compat\"` or `\"ours\"`, `statements = \"model\"` or \
                        `\"sentences\"`";
            format!("evaluate.settings.{KEY}: {why}\n{hint}")
        });
        match read? {
            Settings {
                reader: Cut::Compat,
                statements: StatementsAre::Model,
            } => Err(format!(
                "evaluate.settings.{KEY}: `statements = \"model\"` takes our own sentences, and \
                 `reader = \"compat\"` the benchmark's\nhint: leave out one of the two"
            )),
            Settings {
                reader: Cut::Compat,
                ..
            } => Ok(Self::Compat),
            Settings {
                statements: StatementsAre::Model,
                ..
            } => Ok(Self::Model),
            _ => Ok(Self::Ours),
        }
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
            Self::Compat => json!({ "reader": "compat" }),
            Self::Model => json!({ "statements": "model" }),
        }
    }

    /// The program that counts statements. Of a model's it is another one for each model and prompt.
    pub fn program(self, ctx: &Context) -> Result<String> {
        Ok(match self {
            Self::Ours => PROGRAM.to_owned(),
            Self::Compat => format!("{PROGRAM} compat"),
            Self::Model => {
                let model = ctx.llm.model_name(statements::ROLE, 0)?;
                let prompt = ctx.llm.prompt_hash(statements::prompt(ctx)?)?;
                format!("{PROGRAM} of {model} {}", &prompt[..16])
            }
        })
    }

    /// The statements of an article by code: where a model writes those of reports, the sentences
    /// that it writes them out of.
    pub fn statements(self, article: &str) -> Vec<Sourced> {
        match self {
            Self::Ours | Self::Model => reading::sourced(article),
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

/// The statements of reports as an evaluation has them.
pub struct ReportStatements<'a> {
    reader: Reader,
    /// What the model was shown at once.
    bounds: Bounds,
    judgements: &'a PanelJudgements<'a>,
}

impl<'a> ReportStatements<'a> {
    /// Those of an evaluation and its judgements.
    pub fn new(evaluation: &Evaluation, judgements: &'a PanelJudgements<'a>) -> Self {
        let settings = evaluation.in_force(EXTRACTED).settings;
        Self {
            reader: Reader::in_force(evaluation),
            bounds: Bounds::deserialize(settings).unwrap_or(Bounds::USUAL),
            judgements,
        }
    }

    /// The statements of a report with its text.
    pub fn of(&self, report: &ReportId, text: &str) -> Result<Vec<Sourced>> {
        Ok(match self.reader {
            Reader::Ours | Reader::Compat => self.reader.statements(text),
            Reader::Model => sourced(self.extraction(report, text)?),
        })
    }

    /// Those that a model wrote; none where the statements are sentences, or nothing was asked of
    /// the report.
    pub fn by_model(&self, report: &ReportId, text: &str) -> Result<Option<Vec<Sourced>>> {
        if self.reader != Reader::Model {
            return Ok(None);
        }
        let found = self.extraction(report, text)?;
        let was_asked = found.figures.unread.get("missing") != Some(&found.figures.sentences);
        Ok(was_asked.then(|| sourced(found)))
    }

    fn extraction(&self, report: &ReportId, text: &str) -> Result<Extraction> {
        statements::on_record(self.judgements, EXTRACTED, self.bounds, (report, text))
    }
}

/// The statements of an extraction without their places.
pub fn sourced(of: Extraction) -> Vec<Sourced> {
    of.statements.into_iter().map(|of| of.sourced).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_name_one_reader() {
        let read = |settings: Value| Reader::read(&settings);
        assert_eq!(read(Value::Null), Ok(Reader::Ours));
        assert_eq!(read(json!({})), Ok(Reader::Ours));
        let usual = json!({ "reader": "ours", "statements": "sentences" });
        assert_eq!(read(usual), Ok(Reader::Ours));
        for reader in [Reader::Ours, Reader::Compat, Reader::Model] {
            assert_eq!(read(reader.settings()), Ok(reader));
        }
        for wrong in [
            json!({ "reader": "compat", "statements": "model" }),
            json!({ "reader": "model" }),
            json!({ "statements": "compat" }),
            json!({ "statement": "model" }),
        ] {
            let said = read(wrong).expect_err("refused");
            assert!(said.starts_with("evaluate.settings.facts: "), "{said}");
            assert!(said.contains("\nhint: "), "{said}");
        }
    }
}
