//! Comparison with a reference report on the same task: win rate and relative length.
//!
//! **Measures** the win rate against the reference, ½ being as good, and the length as a multiple
//! of the reference's. **Method** a judge sees both reports without names, in both orders, and
//! names the better one; a panel's members count the same. Words are counted by code. **Differs
//! from** rubric scores relative to a reference (as DeepResearch Bench has them): here a win is a
//! win, however large. **Cost** two calls per report and judge.
//!
//! The reference reports are those of an agent: `[evaluate.settings.reference] agent = "NAME"`.

mod fold;

use std::{collections::BTreeMap, time::Instant};

use anyhow::Result;
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Case, Options, attempts,
    evaluator::{Evaluator, Fold, Work},
    scorecard::ReportScores,
    timed,
};
use crate::{
    context::{Context, StageReport},
    data::{
        AgentReport, Average, DecidedBy, Decision, InForce, InTable, Instrument, MeasureDef, Role,
        Score, Scores, SubjectKind, Task, TaskId, Undecided, Unit,
    },
    evaluate::Misconfigured,
    judging::{
        self, DecisionOfCode, Judged, Question,
        compare::{self, Compared, ShownFirst},
    },
    llm::Ask,
    store::{Evaluation, Store},
    text::words,
};

const KEY: &str = "reference";
const ROLE: &str = "rate";
const PROMPT: &str = "evaluate/comparison";
/// The program that compares lengths; to be raised with what it counts.
const LENGTH_PROGRAM: &str = "length/1";

const WIN_RATE: &str = "win_rate";
const LENGTH_RATIO: &str = "length_ratio";

/// Which of two reports is better; `other` is the reference with the order in which they were
/// shown.
const PREFERENCE: Instrument = Instrument {
    id: "reference/preference/1",
    family: KEY,
    criterion: "preference",
    scale: "A or B, confidence 0.5 to 1",
    subject: SubjectKind::Report,
    letter: 'm',
};

/// Words of a report as a multiple of the reference's.
const LENGTH: Instrument = Instrument {
    id: "reference/length/1",
    family: KEY,
    criterion: "length",
    scale: "ratio of words, from 0",
    subject: SubjectKind::Report,
    letter: 'm',
};

static MEASURES: [MeasureDef; 2] = [
    MeasureDef {
        key: WIN_RATE,
        label: "wins against the reference",
        column: "wins",
        meaning: "share of comparisons with the reference report that a report wins; half means equal",
        unit: Unit::Share,
        most: Some(1.0),
        higher_is_better: Some(true),
        average: Average::PerTask,
        role: Role::Compares,
        in_table: InTable::WithInterval,
        whole: None,
        undecided: Undecided::Anything,
    },
    MeasureDef {
        key: LENGTH_RATIO,
        label: "length beside the reference",
        column: "length",
        meaning: "words of a report as a multiple of the reference's",
        unit: Unit::Ratio,
        most: None,
        higher_is_better: None,
        average: Average::Pooled,
        role: Role::Describes,
        in_table: InTable::Plain,
        whole: None,
        undecided: Undecided::Anything,
    },
];

/// The settings in the configuration.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// The agent with the reference reports.
    agent: String,
}

fn settings(value: &Value) -> Result<Settings, String> {
    Settings::deserialize(value).map_err(|error| format!("evaluate.settings.{KEY}: {error}"))
}

/// The evaluator.
pub struct Reference;

#[async_trait(?Send)]
impl Evaluator for Reference {
    fn key(&self) -> &'static str {
        KEY
    }

    fn about(&self) -> &'static str {
        "comparison with a reference report: the better one, and the relative length"
    }

    fn measures(&self) -> &'static [MeasureDef] {
        &MEASURES
    }

    fn roles(&self, _options: &Options) -> &'static [&'static str] {
        &[ROLE]
    }

    fn check(&self, value: &Value) -> Result<(), String> {
        settings(value).map(drop)
    }

    fn in_force(&self, ctx: &Context, options: &Options) -> Result<Vec<InForce>> {
        let settings = json!({ "agent": reference_agent(options)? });
        Ok(vec![
            InForce {
                instrument: PREFERENCE.id.to_owned(),
                panel: judging::panel(ctx, ROLE, PROMPT)?,
                settings: settings.clone(),
            },
            InForce {
                instrument: LENGTH.id.to_owned(),
                panel: vec![(LENGTH_PROGRAM.to_owned(), String::new())],
                settings,
            },
        ])
    }

    async fn judge(&self, work: &Work<'_>) -> Result<Vec<StageReport>> {
        let started = Instant::now();
        let agent = reference_agent(work.options)?;
        let references = references(work.cases, &agent);
        if references.is_empty() {
            return Err(attempts::no_reference(&agent).into());
        }
        let mut without = 0;
        let mut pairs = Vec::new();
        for case in work.judged {
            match references.get(&case.task.id) {
                // The reference is not compared with itself.
                _ if case.report.agent == agent => {}
                Some(reference) => pairs.push((*case, *reference)),
                None => without += 1,
            }
        }
        for (case, reference) in &pairs {
            compare_lengths(work.ctx, case.report, reference)?;
        }
        let mut report = compare_all(work.ctx, &pairs).await?;
        if without > 0 {
            report.notes.push(format!(
                "reports on tasks without a reference report were not compared: {without}"
            ));
        }
        Ok(vec![timed(report, started)])
    }

    fn fold<'a>(
        &self,
        _store: &Store,
        _tasks: &'a [Task],
        evaluation: &'a Evaluation,
    ) -> Result<Box<dyn Fold + 'a>> {
        Ok(Box::new(fold::ReferenceFold::new(evaluation)))
    }

    /// It loses against the reference.
    fn failed(&self, _others: &[&ReportScores]) -> Scores {
        Scores::from([(WIN_RATE, Score::ratio(0.0, 1.0))])
    }
}

fn reference_agent(options: &Options) -> Result<String> {
    let Some(value) = options.settings.get(KEY) else {
        return Err(Misconfigured(format!(
            "the evaluator `{KEY}` has no reference agent\nhint: `[evaluate.settings.{KEY}]` with `agent = \"NAME\"` in taskgen.toml names the agent whose reports the others are compared with"
        ))
        .into());
    };
    settings(value)
        .map(|settings| settings.agent)
        .map_err(|why| Misconfigured(why).into())
}

/// The first attempt of the reference agent at each task.
fn references<'a>(cases: &[Case<'a>], agent: &str) -> BTreeMap<&'a TaskId, &'a AgentReport> {
    let firsts = attempts::first(cases.iter().map(|case| case.report)).into_iter();
    let of_agent = firsts.filter(|((_, name), _)| *name == agent);
    of_agent.map(|((task, _), report)| (task, report)).collect()
}

fn compare_lengths(ctx: &Context, report: &AgentReport, reference: &AgentReport) -> Result<()> {
    let [own, others] = [report, reference].map(|report| words::length(&report.text));
    // A reference without words would divide by zero.
    let ratio = own as f64 / others.max(1) as f64;
    let decision = DecisionOfCode {
        instrument: LENGTH,
        subject: report.id.as_str(),
        other: None,
        sample: 0,
        decided_by: DecidedBy::Code(LENGTH_PROGRAM),
        // The evidence's hash: the same texts are not compared again.
        saw: &format!("{}\n{}", report.text, reference.text),
        decision: Decision {
            value: Some(ratio),
            ..Decision::default()
        },
        payload: json!({ "words": own, "reference_words": others, "reference": reference.id }),
    };
    judging::decide_by_code(ctx, decision).map(drop)
}

/// A report beside its reference, for one judge and in one order.
struct Asked<'a> {
    case: Case<'a>,
    reference: &'a AgentReport,
    /// The reference and the order, as the judgement names them.
    other: String,
    member: usize,
    order: ShownFirst,
}

async fn compare_all(ctx: &Context, pairs: &[(Case<'_>, &AgentReport)]) -> Result<StageReport> {
    let mut questions = Vec::new();
    for (case, reference) in pairs {
        for member in 0..ctx.llm.members(ROLE) {
            questions.extend(ShownFirst::BOTH.map(|order| Asked {
                case: *case,
                reference,
                other: format!("{}/{}", reference.id, order.word()),
                member,
                order,
            }));
        }
    }
    judging::judge_each(
        ctx,
        "comparisons",
        ROLE,
        &questions,
        async |asked| ask(ctx, asked).await,
        |asked| format!("{} and {}", asked.case.report.id, asked.other),
    )
    .await
}

async fn ask(ctx: &Context, asked: &Asked<'_>) -> Result<Judged<Compared>> {
    let texts = (&asked.case.report.text, &asked.reference.text);
    let [a, b] = asked.order.arrange(texts.0, texts.1);
    let vars = json!({ "task": asked.case.task.text, "a": a, "b": b });
    let question = Question {
        instrument: PREFERENCE,
        subject: asked.case.report.id.as_str(),
        other: Some(&asked.other),
        keep: json!({}),
        knowing: "",
        ask: Ask {
            role: ROLE,
            member: asked.member,
            prompt: PROMPT,
            vars: &vars,
            schema: Some(compare::schema()),
            max_tokens: 400,
            ..Ask::default()
        },
    };
    judging::judge(ctx, question).await
}
