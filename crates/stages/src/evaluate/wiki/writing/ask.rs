//! The question which of two articles is better by the criteria of a category, in both orders.

use std::{collections::BTreeMap, marker::PhantomData};

use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{CRITERION, PROGRAM, PROMPT, ROLE, SLIPS, Settings, terms};
use crate::{
    context::{Context, StageReport},
    data::{Cause, DecidedBy, Decision, GoldArticle, TaskId, Unscored},
    evaluate::{
        Case,
        wiki::criteria::{self, Category, CategoryText},
    },
    evidence::prose,
    judging::{
        self, DecisionOfCode, Verdict,
        batch::{self, BatchForm, Each, Subject},
    },
    lint::article::{self, Article, Finding, Kind},
    llm::{Answer, object},
};

/// Longest reason in characters.
const LONGEST: usize = 200;
/// Slips of an article that a judge is shown.
const MOST_SHOWN: usize = 15;
/// Slips that are kept.
const MOST_KEPT: usize = 100;

/// Which article a judge saw first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    ReportFirst,
    GoldFirst,
}

impl Order {
    pub const BOTH: [Self; 2] = [Self::ReportFirst, Self::GoldFirst];

    /// The word in what a judgement is about.
    pub fn word(self) -> &'static str {
        match self {
            Self::ReportFirst => "report-first",
            Self::GoldFirst => "gold-first",
        }
    }

    /// What a judgement by a criterion is about: verdicts that rest on other terms are others.
    pub fn about(self, criterion: &str, terms: &str) -> String {
        format!("{}/{criterion}/{terms}", self.word())
    }

    fn arrange<T>(self, report: T, gold: T) -> [T; 2] {
        match self {
            Self::ReportFirst => [report, gold],
            Self::GoldFirst => [gold, report],
        }
    }
}

/// The better of two articles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Winner {
    /// The one that was shown first.
    #[serde(rename = "A")]
    First,
    /// The other one.
    #[serde(rename = "B")]
    Second,
    /// Neither.
    #[serde(rename = "tie")]
    Tie,
}

impl Winner {
    fn word(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Second => "second",
            Self::Tie => "tie",
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    items: Vec<One>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct One {
    number: usize,
    reason: String,
    winner: Winner,
}

impl Answer for Reply {}

impl Each for Reply {
    type One = One;

    fn numbers(&self) -> Vec<usize> {
        self.items.iter().map(|one| one.number).collect()
    }

    fn verdicts(self) -> Vec<One> {
        self.items
    }
}

impl Verdict for One {
    fn decision(&self) -> Decision {
        Decision {
            label: self.winner.word().to_owned(),
            ..Decision::default()
        }
    }

    fn payload(&self) -> Value {
        json!({ "reason": self.reason })
    }
}

/// Two articles in an order, with a category of criteria.
struct Shown<'a> {
    title: &'a str,
    category: &'a CategoryText,
    articles: [&'a str; 2],
    /// What code found in each; empty for categories that it does not help with.
    slips: [&'a str; 2],
}

impl Shown<'_> {
    fn vars(&self) -> Value {
        let [a, b] = self.articles;
        let [slips_a, slips_b] = self.slips;
        json!({
            "title": self.title, "category": self.category, "a": a, "b": b,
            "slips_a": slips_a, "slips_b": slips_b,
        })
    }
}

/// An article as it is shown, and the slips in it.
struct Text {
    text: String,
    slips: String,
}

impl Text {
    fn new(article: &str, found: &Article) -> Self {
        Self {
            text: prose::without_sources(article),
            slips: listed(found),
        }
    }
}

/// A gold article as it is shown, and what verdicts rest on.
struct Gold<'a> {
    title: &'a str,
    shown: Text,
    terms: String,
}

/// Asks each judge about each report, category and order; keeps the slips that code found.
pub async fn compare(
    ctx: &Context,
    settings: Settings,
    cases: &[(Case<'_>, &GoldArticle)],
) -> Result<StageReport> {
    let mut gold: BTreeMap<&TaskId, Gold<'_>> = BTreeMap::new();
    let mut reports = Vec::new();
    for (case, article) in cases {
        gold.entry(&case.task.id).or_insert_with(|| Gold {
            title: &article.title,
            shown: Text::new(&article.text, &article::check(&article.text)),
            terms: terms(article, settings),
        });
        let found = article::check(&case.report.text);
        keep_slips(ctx, case, &found)?;
        reports.push(Text::new(&case.report.text, &found));
    }
    let mut subjects = Vec::new();
    for ((case, _), report) in cases.iter().zip(&reports) {
        for order in Order::BOTH {
            for category in &criteria::built_in().categories {
                subjects.push(subject(case, report, &gold[&case.task.id], order, category));
            }
        }
    }
    let schema = |n: usize| schema(n, settings.ties);
    let form = BatchForm {
        stage: super::KEY,
        instrument: CRITERION,
        role: ROLE,
        prompt: PROMPT,
        most: usize::MAX,
        vars: &|shown: &Shown<'_>| {
            let mut vars = shown.vars();
            vars["ties"] = json!(settings.ties);
            vars
        },
        schema: &schema,
        tokens: |n| batch::tokens(n, LONGEST),
        check: &|reply: &Reply, _: &Shown<'_>| check(reply, settings),
        reply: PhantomData,
    };
    batch::judge(ctx, &form, &subjects).await
}

fn check(reply: &Reply, settings: Settings) -> Result<(), Unscored> {
    let ties = reply.items.iter().filter(|one| one.winner == Winner::Tie);
    match ties.count() {
        n if n > 0 && !settings.ties => Err(Unscored {
            cause: Cause::OutOfRange,
            reason: format!("{n} ties: name the better one, by however little"),
        }),
        _ => Ok(()),
    }
}

fn subject<'a>(
    case: &Case<'a>,
    report: &'a Text,
    gold: &'a Gold<'a>,
    order: Order,
    category: &'a CategoryText,
) -> Subject<Shown<'a>> {
    let of_category = criteria::built_in().of(category.id);
    let items = of_category.map(|criterion| {
        let about = order.about(&criterion.id, &gold.terms);
        (about, json!(criterion.text))
    });
    // Words to watch are what the marks are of.
    let slips = if category.id == Category::WellWritten {
        order.arrange(report.slips.as_str(), gold.shown.slips.as_str())
    } else {
        ["", ""]
    };
    Subject {
        id: case.report.id.to_string(),
        items: items.collect(),
        of: Shown {
            title: gold.title,
            category,
            articles: order.arrange(report.text.as_str(), gold.shown.text.as_str()),
            slips,
        },
        keep: json!({}),
    }
}

/// Slips that do not rest on citations: marks are taken off both articles, and many gold articles
/// had none.
fn slips(found: &Article) -> Vec<&Finding> {
    let mut findings = found.findings();
    findings.retain(|finding| !matches!(finding.kind, Kind::UnsourcedLead | Kind::UncitedSection));
    findings
}

/// The slips of an article, a line each.
fn listed(found: &Article) -> String {
    let lines: Vec<String> = slips(found)
        .iter()
        .take(MOST_SHOWN)
        .map(|finding| format!("“{}”: {}", finding.words, finding.what))
        .collect();
    lines.join("\n")
}

/// Keeps how many slips code found in a report, with the first ones; an article in which it looked
/// for none has no number.
fn keep_slips(ctx: &Context, case: &Case<'_>, found: &Article) -> Result<()> {
    let findings = slips(found);
    let shown = &findings[..findings.len().min(MOST_KEPT)];
    if found.words == 0 {
        return Ok(());
    }
    judging::decide_by_code(
        ctx,
        DecisionOfCode {
            instrument: SLIPS,
            subject: case.report.id.as_str(),
            other: None,
            sample: 0,
            decided_by: DecidedBy::Code(PROGRAM),
            saw: &case.report.text,
            decision: Decision {
                value: Some(findings.len() as f64 * 1000.0 / found.words as f64),
                ..Decision::default()
            },
            payload: json!({ "slips": shown, "number": findings.len() }),
        },
    )?;
    Ok(())
}

fn schema(n: usize, ties: bool) -> Value {
    let numbers: Vec<usize> = (1..=n).collect();
    let winners: &[&str] = if ties {
        &["A", "B", "tie"]
    } else {
        &["A", "B"]
    };
    let one = object(&json!({
        "number": { "type": "integer", "enum": numbers },
        "reason": { "type": "string", "maxLength": LONGEST },
        "winner": { "type": "string", "enum": winners }
    }));
    object(&json!({
        "items": { "type": "array", "items": one, "minItems": n, "maxItems": n }
    }))
}
