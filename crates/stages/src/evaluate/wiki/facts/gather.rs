//! The statements of gold articles and reports, each with the passages of the other text that fit
//! it.

use std::collections::BTreeSet;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{COUNTED, Reader};
use crate::{
    benchmarks::wiki_live_challenge::leak::{Nearness, Original, WikiPage, nearest},
    data::{GoldArticle, id::sha256_hex},
    evaluate::{Case, evaluator::Work, planned, statements::Figures},
    evidence::{passages::Passages, prose, reading::Sourced, support::ClaimBatch},
};

/// Statements of a text that are held against the other one, the first ones.
const MOST: usize = 600;

/// The statements of a report that are held against its gold article, as code counts them.
#[derive(Debug, Serialize, Deserialize)]
pub struct Plan {
    /// Ids of those that are asked about.
    pub statements: Vec<String>,
    /// Those that cite the gold article.
    pub leaked: u64,
    /// Those beyond the first 600.
    pub over_limit: u64,
    /// Share of the passages of eight words that stand in the gold article; none of a short text.
    pub copied: Option<f64>,
    /// The gold article, by its text.
    pub gold: String,
    /// Of statements that a model wrote: how they came about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extracted: Option<Figures>,
}

impl Plan {
    /// All statements.
    pub fn all(&self) -> u64 {
        self.statements.len() as u64 + self.leaked + self.over_limit
    }
}

/// What names a gold article in the ids of what is held against it.
pub fn name_of(gold: &GoldArticle) -> String {
    sha256_hex(gold.text.as_bytes())[..16].to_owned()
}

fn id(parts: &[&str]) -> String {
    sha256_hex(json!(parts).to_string().as_bytes())[..16].to_owned()
}

/// The statements of a gold article with their ids, each once: those that the benchmark lists, else
/// its sentences.
pub fn of_gold(gold: &GoldArticle, reader: Reader) -> Vec<(String, String)> {
    let mut texts = gold.statements.clone();
    if texts.is_empty() {
        texts = reader
            .statements(&gold.text)
            .into_iter()
            .map(|of| of.text)
            .collect();
    }
    let mut known = BTreeSet::new();
    let statements = texts.into_iter().map(|text| (id(&[&text]), text));
    statements
        .filter(|(id, _)| known.insert(id.clone()))
        .take(MOST)
        .collect()
}

/// The statements of a gold article, and what tells a report's own from copied ones.
pub struct GoldStatements {
    name: String,
    /// Its statements with their ids.
    pub statements: Vec<(String, String)>,
    /// The page that it is from.
    page: Option<WikiPage>,
}

impl GoldStatements {
    /// Reads an article.
    pub fn new(article: &GoldArticle, reader: Reader) -> Self {
        Self {
            name: name_of(article),
            statements: of_gold(article, reader),
            page: article.url.as_deref().and_then(WikiPage::at),
        }
    }

    /// Of the statements of a report those that are held against the article, with their ids.
    pub fn of_report(&self, statements: Vec<Sourced>) -> Vec<(String, String)> {
        self.planned(statements, None).0
    }

    /// The same with what is put on record; `copied` is the share of passages that stand in the
    /// article.
    fn planned(
        &self,
        statements: Vec<Sourced>,
        copied: Option<f64>,
    ) -> (Vec<(String, String)>, Plan) {
        let mut plan = Plan {
            statements: Vec::new(),
            leaked: 0,
            over_limit: 0,
            copied,
            gold: self.name.clone(),
            extracted: None,
        };
        let mut known = BTreeSet::new();
        let mut held = Vec::new();
        for sourced in statements {
            if self.is_cited_by(&sourced.urls) {
                plan.leaked += 1;
                continue;
            }
            let id = id(&[&sourced.text, &self.name]);
            if !known.insert(id.clone()) {
                continue;
            }
            if held.len() >= MOST {
                plan.over_limit += 1;
            } else {
                plan.statements.push(id.clone());
                held.push((id, sourced.text));
            }
        }
        (held, plan)
    }

    fn is_cited_by(&self, urls: &[String]) -> bool {
        let urls = urls.iter().map(String::as_str);
        let page = self.page.as_ref();
        page.is_some_and(|page| nearest(urls, page) >= Nearness::CutTarget)
    }
}

/// A gold article, read once for all reports on its task.
pub struct Gold {
    of: GoldStatements,
    passages: Passages,
    original: Original,
}

impl Gold {
    /// Reads an article.
    pub fn new(article: &GoldArticle, reader: Reader) -> Self {
        let of = GoldStatements::new(article, reader);
        Self {
            passages: Passages::of_text(&of.name, &prose::without_sources(&article.text)),
            original: Original::of(&article.text),
            of,
        }
    }
}

/// Questions of both directions.
#[derive(Default)]
pub struct Batches {
    /// Statements of gold articles beside passages of reports.
    pub of_gold: Vec<ClaimBatch>,
    /// Statements of reports beside passages of gold articles.
    pub of_reports: Vec<ClaimBatch>,
}

impl Batches {
    /// Adds the questions of a report, and puts on record which statements of it there are.
    pub fn add(
        &mut self,
        work: &Work<'_>,
        case: &Case<'_>,
        gold: &Gold,
        own: OwnStatements<'_>,
    ) -> Result<()> {
        let at_once = work.options.at_once();
        let report = case.report.id.as_str();
        let prose_of_report = prose::without_sources(&case.report.text);
        let passages = Passages::of_text(report, &prose_of_report);
        self.of_gold
            .extend(passages.batches(report, &gold.of.statements, at_once));

        let copied = gold.original.copying(&prose_of_report).share();
        let (statements, mut plan) = gold.of.planned(own.statements, copied);
        plan.extracted = own.extracted;
        self.of_reports
            .extend(gold.passages.batches(report, &statements, at_once));
        let share = plan.leaked as f64 / plan.all().max(1) as f64;
        planned::save(work, case, COUNTED, own.program, share, &plan)
    }
}

/// The statements of a report.
pub struct OwnStatements<'a> {
    /// With what they cite.
    pub statements: Vec<Sourced>,
    /// Of those that a model wrote: how they came about.
    pub extracted: Option<Figures>,
    /// The program that counts them.
    pub program: &'a str,
}
