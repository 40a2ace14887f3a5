//! Writing: is a report written as well as the article that people wrote on its subject?
//!
//! **Measures** the share of verdicts that prefer the report over the gold article, by 39 criteria
//! of writing. **Method** Wiki Live Challenge (arXiv 2602.01590), Wiki Writing: the criteria of
//! good articles, one category in a question. **Differs from it**: each category is asked about in
//! both orders, and a criterion counts where both are decided, so that a preference for a side
//! drops out (it is a measure of its own); a verdict that is missing or unreadable is unscored, and
//! no tie; judges see slips of writing that code found in either text. **Cost** six calls per
//! report and judge.
//!
//! `[evaluate.settings.writing] ties = true` lets a judge call a criterion a tie, which is half.

mod ask;
mod fold;
mod graded;

pub use self::graded::writing_by;

use std::time::Instant;

use anyhow::Result;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    criteria::{self, Category},
    no_gold,
};
use crate::{
    context::{Context, StageReport},
    data::{
        Average, GoldArticle, InForce, InTable, Instrument, MeasureDef, Role, Score, Scores,
        SubjectKind, Task, Unit, id::sha256_hex,
    },
    evaluate::{
        Misconfigured, Options,
        evaluator::{Evaluator, Fold, SHARE, Work},
        scorecard::ReportScores,
        timed,
    },
    judging,
    store::{Evaluation, Store},
};

const KEY: &str = "writing";
const ROLE: &str = "rate";
const PROMPT: &str = "evaluate/writing";
/// The program that marks slips; to be raised with what it finds.
const PROGRAM: &str = "article/1";

const WINS: &str = "writing_wins";
const FIRST: &str = "writing_first";
const AGREEMENT: &str = "writing_agreement";
const MARKS: &str = "writing_marks";

/// Which of two articles is better by a criterion; what it is about is the order, the criterion,
/// and [`terms`].
pub const CRITERION: Instrument = Instrument {
    id: "writing/criterion/1",
    family: KEY,
    criterion: "criterion",
    scale: "first, second or tie",
    subject: SubjectKind::Report,
    letter: 'm',
};

/// Slips of writing that code found.
const SLIPS: Instrument = Instrument {
    id: "writing/marks/1",
    criterion: "marks",
    scale: "slips per 1,000 words",
    ..CRITERION
};

/// What a verdict rests on besides the report: another gold article, other criteria, or another
/// rule on ties have verdicts of their own.
fn terms(gold: &GoldArticle, settings: Settings) -> String {
    let version = &criteria::built_in().version;
    let terms = format!(
        "{version}\0{}\0{}\0{}",
        settings.ties, gold.title, gold.text
    );
    sha256_hex(terms.as_bytes())[..12].to_owned()
}

/// The key of the measure of a category.
fn category_key(category: Category) -> &'static str {
    match category {
        Category::WellWritten => "writing_well_written",
        Category::BroadCoverage => "writing_broad_coverage",
        Category::Neutral => "writing_neutral",
    }
}

const PART: MeasureDef = MeasureDef {
    higher_is_better: Some(true),
    average: Average::PerTask,
    in_table: InTable::Hidden,
    ..SHARE
};

static MEASURES: [MeasureDef; 8] = [
    MeasureDef {
        key: KEY,
        label: "writing",
        column: "writing",
        meaning: "share of the verdicts by 39 criteria of writing, in both orders, that prefer the report over the gold article; a tie is half",
        role: Role::Compares,
        in_table: InTable::WithInterval,
        ..PART
    },
    MeasureDef {
        key: WINS,
        label: "writing: wins",
        column: "writing wins",
        meaning: "the same with a tie as no win, as Wiki Live Challenge counts",
        ..PART
    },
    MeasureDef {
        key: "writing_well_written",
        label: "writing: well written",
        column: "well written",
        meaning: "the same by the 21 criteria on prose, lead and words to watch",
        ..PART
    },
    MeasureDef {
        key: "writing_broad_coverage",
        label: "writing: broad coverage",
        column: "broad coverage",
        meaning: "the same by the 8 criteria on coverage and focus",
        ..PART
    },
    MeasureDef {
        key: "writing_neutral",
        label: "writing: neutral",
        column: "neutral",
        meaning: "the same by the 10 criteria on neutrality",
        ..PART
    },
    MeasureDef {
        key: FIRST,
        label: "writing: for the first",
        column: "for the first",
        meaning: "share of the verdicts without ties that prefer the article which is shown first: half where the side does not matter",
        higher_is_better: None,
        ..PART
    },
    MeasureDef {
        key: AGREEMENT,
        label: "writing: agreement of both orders",
        column: "orders agree",
        meaning: "share of the criteria with the same verdict in both orders",
        higher_is_better: None,
        ..PART
    },
    MeasureDef {
        key: MARKS,
        label: "slips of writing",
        column: "slips",
        meaning: "slips per 1,000 words that code finds: praise, hints, clichés, relative times, a divided lead",
        unit: Unit::Count(1),
        most: None,
        higher_is_better: Some(false),
        ..PART
    },
];

/// The settings in the configuration.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    /// Whether a judge may call a criterion a tie.
    ties: bool,
}

fn read(value: &Value) -> Result<Settings, String> {
    Settings::deserialize(value).map_err(|error| format!("evaluate.settings.{KEY}: {error}"))
}

fn settings(options: &Options) -> Result<Settings> {
    let value = options.settings.get(KEY);
    let settings = value.map_or_else(|| Ok(Settings::default()), read);
    settings.map_err(|why| Misconfigured(why).into())
}

/// The evaluator.
pub struct Writing;

#[async_trait(?Send)]
impl Evaluator for Writing {
    fn key(&self) -> &'static str {
        KEY
    }

    fn about(&self) -> &'static str {
        "Wiki Live Challenge: is the report written as well as the gold article?"
    }

    fn measures(&self) -> &'static [MeasureDef] {
        &MEASURES
    }

    fn roles(&self, _options: &Options) -> &'static [&'static str] {
        &[ROLE]
    }

    fn check(&self, value: &Value) -> Result<(), String> {
        read(value).map(drop)
    }

    fn in_force(&self, ctx: &Context, options: &Options) -> Result<Vec<InForce>> {
        Ok(vec![
            InForce {
                instrument: CRITERION.id.to_owned(),
                panel: judging::panel(ctx, ROLE, PROMPT)?,
                settings: json!(settings(options)?),
            },
            InForce {
                instrument: SLIPS.id.to_owned(),
                panel: vec![(PROGRAM.to_owned(), String::new())],
                settings: Value::Null,
            },
        ])
    }

    async fn judge(&self, work: &Work<'_>) -> Result<Vec<StageReport>> {
        let started = Instant::now();
        let gold = work.ctx.store.gold()?;
        let with_gold = work.judged.iter().filter_map(|case| {
            let article = gold.get(&case.task.id)?;
            Some((*case, article))
        });
        let cases: Vec<_> = with_gold.collect();
        if cases.is_empty() {
            return Err(no_gold().into());
        }
        let mut report = ask::compare(work.ctx, settings(work.options)?, &cases).await?;
        let without = work.judged.len() - cases.len();
        if without > 0 {
            report.notes.push(format!(
                "reports on tasks without a gold article: {without}"
            ));
        }
        Ok(vec![timed(report, started)])
    }

    fn fold<'a>(
        &self,
        store: &Store,
        _tasks: &'a [Task],
        evaluation: &'a Evaluation,
    ) -> Result<Box<dyn Fold + 'a>> {
        Ok(Box::new(fold::WritingFold::new(store, evaluation)?))
    }

    fn item_text(&self, _store: &Store, _task: &Task, about: &str) -> Result<Option<String>> {
        let mut parts = about.split('/');
        let (order, criterion) = (parts.next(), parts.next());
        let criterion = criterion.and_then(|id| criteria::built_in().by_id(id));
        Ok(order
            .zip(criterion)
            .map(|(order, criterion)| format!("{} ({order})", criterion.text)))
    }

    /// It loses by each criterion; of its writing nothing is known.
    fn failed(&self, _others: &[&ReportScores]) -> Scores {
        let parts = Category::ALL.map(category_key);
        let lost = parts.into_iter().chain([KEY, WINS]);
        lost.map(|key| (key, Score::ratio(0.0, 1.0))).collect()
    }
}
