//! Files made of what a project knows: articles of agents, and results of which the figures follow
//! from the verdicts that they list. A verdict that is missing is left out, so that no reader takes
//! it for a tie or for no support.

use std::collections::BTreeMap;

use serde_json::{Number, Value};

use super::{
    aggregate::{
        Counting,
        verifiability::verifiability,
        writing::{CATEGORIES, code_of, writing},
    },
    files::{
        Alignment, ArticleFile, ArticlePage, CriterionVerdict, Field, Judged, Named, Pages, RefIdx,
        Statement, UrlOrUrls, VerifiabilityFile, Winner, WritingFile,
    },
};
use crate::data::id::sha256_hex;

/// Page ids are below this number.
const PAGE_IDS: u64 = 100_000_000;

/// A verdict on a criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriterionFact {
    /// The criterion's id, such as `bc_1`.
    pub id: String,
    /// Its number, from 0.
    pub index: u64,
    /// Its text.
    pub text: String,
    /// The better article.
    pub winner: Winner,
    /// The judge's reason.
    pub reason: String,
}

impl WritingFile {
    /// The verdicts of a judge that saw `first` before the other article.
    pub fn of_verdicts(topic: &str, first: Winner, ties: bool, verdicts: &[CriterionFact]) -> Self {
        let mut details = Vec::new();
        for category in CATEGORIES {
            let of = verdicts.iter().filter(|of| category.has(of.index));
            let listed = of.map(|fact| {
                Field::Read(CriterionVerdict {
                    criterion_id: fact.id.clone().into(),
                    criterion_index: fact.index.into(),
                    criterion_text: fact.text.clone().into(),
                    category: category.name.to_owned().into(),
                    winner: fact.winner.into(),
                    winner_code: code_of(fact.winner, first).into(),
                    reason: fact.reason.clone().into(),
                    ..CriterionVerdict::default()
                })
            });
            details.push((category.name.to_owned(), Field::Read(listed.collect())));
        }
        let mut file = Self {
            topic: topic.to_owned().into(),
            mode: "winrate".to_owned().into(),
            allow_tie: ties.into(),
            first_article: first.into(),
            details: Named(details).into(),
            ..Self::default()
        };
        file.aggregate = writing(&file, Counting::Strict).stored().into();
        file
    }
}

/// What one text says of a statement of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// The same.
    Supported,
    /// Otherwise.
    Contradicted,
    /// Nothing.
    Nothing,
}

/// A statement beside the words that decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementFact {
    /// The statement.
    pub text: String,
    /// The verdict; none where there is none.
    pub said: Option<Said>,
    /// The words of the other text that decide; empty where there are none.
    pub quote: String,
    /// The judge's reason.
    pub reason: String,
}

impl Judged {
    fn of(said: Said, reason: &str) -> Self {
        let verdict = match said {
            Said::Supported => "consistent",
            Said::Contradicted => "inconsistent",
            Said::Nothing => "not_support",
        };
        Self {
            verdict: verdict.to_owned().into(),
            reason: reason.to_owned().into(),
            is_supported: (said == Said::Supported).into(),
            is_conflict: (said == Said::Contradicted).into(),
            ..Self::default()
        }
    }
}

impl Alignment {
    fn of(fact: &StatementFact) -> Self {
        let candidates = (!fact.quote.is_empty()).then(|| fact.quote.clone().into());
        let verify = fact.said.map(|said| Judged::of(said, &fact.reason));
        Self {
            candidates: candidates.into_iter().collect::<Vec<_>>().into(),
            verify: verify.into(),
            ..Self::default()
        }
    }
}

impl VerifiabilityFile {
    /// The verdicts of a judge on an agent's statements and on those of Wikipedia's article.
    pub fn of_verdicts(title: &str, agent: &[StatementFact], wiki: &[StatementFact]) -> Self {
        let of_agent = agent.iter().map(|fact| Alignment {
            gen_sentence: fact.text.clone().into(),
            ..Alignment::of(fact)
        });
        let of_wiki = wiki.iter().map(|fact| Alignment {
            gt_sentence: fact.text.clone().into(),
            ..Alignment::of(fact)
        });
        let mut file = Self {
            title: title.to_owned().into(),
            num_gen_sentences: (agent.len() as u64).into(),
            num_gt_sentences: (wiki.len() as u64).into(),
            alignments: of_agent.map(Field::Read).collect::<Vec<_>>().into(),
            coverage_alignments: of_wiki.map(Field::Read).collect::<Vec<_>>().into(),
            ..Self::default()
        };
        verifiability(&file, Counting::Strict).store(&mut file);
        file
    }
}

/// A statement with the addresses that it cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcedFact {
    /// The statement.
    pub text: String,
    /// The addresses.
    pub urls: Vec<String>,
}

impl ArticleFile {
    /// An agent's article: its text without sources, its statements, and what they cite, numbered
    /// in the order of the article.
    pub fn of_report(title: &str, text: &str, statements: &[SourcedFact], source: &str) -> Self {
        let numbers = numbers(statements);
        let mut by_number: Vec<(&str, usize)> = numbers.iter().map(|(url, n)| (*url, *n)).collect();
        by_number.sort_by_key(|(_, n)| *n);
        let urls = by_number
            .into_iter()
            .map(|(url, n)| (n.to_string(), url.to_owned().into()));
        let listed = statements.iter().map(|of| {
            let cited: Vec<String> = of
                .urls
                .iter()
                .map(|url| numbers[url.as_str()].to_string())
                .collect();
            let cited: Vec<&str> = cited.iter().map(String::as_str).collect();
            let urls: Vec<&str> = of.urls.iter().map(String::as_str).collect();
            let cites = !cited.is_empty();
            Field::Read(Statement {
                fact: of.text.clone().into(),
                ref_idx: cites.then(|| RefIdx::new(&cited)).into(),
                url: cites.then(|| UrlOrUrls::new(&urls)).into(),
                ..Statement::default()
            })
        });
        let id = page_id(title);
        let page = ArticlePage {
            pageid: id.into(),
            ns: Number::from(0).into(),
            title: title.to_owned().into(),
            extract: text.to_owned().into(),
            citation_urls: Named(urls.collect()).into(),
            statements: listed.collect::<Vec<_>>().into(),
            source_file: source.to_owned().into(),
            ..ArticlePage::default()
        };
        let pages = Pages {
            pages: Named(vec![(id.to_string(), page.into())]).into(),
            ..Pages::default()
        };
        Self {
            batchcomplete: Value::from("").into(),
            query: pages.into(),
            ..Self::default()
        }
    }
}

/// The addresses of statements, each with its number, from 1 in their order.
fn numbers(statements: &[SourcedFact]) -> BTreeMap<&str, usize> {
    let mut numbers = BTreeMap::new();
    for url in statements.iter().flat_map(|of| &of.urls) {
        let next = numbers.len() + 1;
        numbers.entry(url.as_str()).or_insert(next);
    }
    numbers
}

/// An id that follows from the title. The benchmark has another hash; no reader compares ids.
fn page_id(title: &str) -> u64 {
    let hash = sha256_hex(title.as_bytes());
    u64::from_str_radix(&hash[..8], 16).unwrap_or_default() % PAGE_IDS
}
