//! Files made of what a project knows: articles of agents, and results of which the figures follow
//! from the verdicts that they list. A verdict that is missing is left out, so that no reader takes
//! it for a tie or for no support.

use std::collections::{BTreeMap, BTreeSet};

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

/// The verdict on a statement beside another text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The text says the same.
    Supported,
    /// It says otherwise.
    Contradicted,
    /// It says nothing of it.
    NotSupported,
}

/// A statement beside the words that decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementFact {
    /// The statement.
    pub text: String,
    /// The verdict; none where there is none.
    pub verdict: Option<Verdict>,
    /// The words of the other text that decide; empty where there are none.
    pub quote: String,
    /// The judge's reason.
    pub reason: String,
}

impl Judged {
    fn new(verdict: Verdict, reason: &str) -> Self {
        let word = match verdict {
            Verdict::Supported => "consistent",
            Verdict::Contradicted => "inconsistent",
            Verdict::NotSupported => "not_support",
        };
        Self {
            verdict: word.to_owned().into(),
            reason: reason.to_owned().into(),
            is_supported: (verdict == Verdict::Supported).into(),
            is_conflict: (verdict == Verdict::Contradicted).into(),
            ..Self::default()
        }
    }
}

impl Alignment {
    fn new(fact: &StatementFact) -> Self {
        let candidates = (!fact.quote.is_empty()).then(|| fact.quote.clone().into());
        let verify = fact
            .verdict
            .map(|verdict| Judged::new(verdict, &fact.reason));
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
            ..Alignment::new(fact)
        });
        let of_wiki = wiki.iter().map(|fact| Alignment {
            gt_sentence: fact.text.clone().into(),
            ..Alignment::new(fact)
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

/// Addresses with the numbers under which an article cites them.
pub type Numbers = Vec<(String, String)>;

/// A statement with the addresses that it cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcedFact {
    /// The statement.
    pub text: String,
    /// The addresses.
    pub urls: Vec<String>,
    /// The number under which each of them is cited, where it has one.
    pub numbers: Vec<Option<String>>,
}

impl ArticleFile {
    /// An agent's article: its text without sources, its statements, and what they cite. `own` are
    /// the article's own numbers and addresses; what has none there gets a number beyond them.
    pub fn of_report(
        title: &str,
        text: &str,
        statements: &[SourcedFact],
        own: &Numbers,
        source: &str,
    ) -> Self {
        let all = numbered(statements, own);
        let mut number_of: BTreeMap<&str, &str> = BTreeMap::new();
        let mut address_of: BTreeMap<&str, &str> = BTreeMap::new();
        for (number, url) in &all {
            number_of.entry(url).or_insert(number);
            address_of.insert(number, url);
        }
        let listed = statements.iter().map(|of| {
            let cited = of.urls.iter().zip(&of.numbers);
            let numbers: Vec<&str> = cited
                .map(|(url, own)| {
                    // Two numbers may lead to one address.
                    let own = own.as_deref().filter(|own| {
                        address_of
                            .get(own)
                            .is_some_and(|known| *known == url.as_str())
                    });
                    own.unwrap_or(number_of[url.as_str()])
                })
                .collect();
            let urls: Vec<&str> = of.urls.iter().map(String::as_str).collect();
            let has_sources = !urls.is_empty();
            Field::Read(Statement {
                fact: of.text.clone().into(),
                ref_idx: has_sources.then(|| RefIdx::new(&numbers)).into(),
                url: has_sources.then(|| UrlOrUrls::new(&urls)).into(),
                ..Statement::default()
            })
        });
        let id = page_id(title);
        let urls = all
            .iter()
            .map(|(number, url)| (number.clone(), url.clone().into()));
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

/// The article's own numbers, each once, and numbers for the other addresses of its statements.
fn numbered(statements: &[SourcedFact], own: &Numbers) -> Numbers {
    let mut all: Numbers = Vec::new();
    let mut next = 1_u64;
    let mut numbers: BTreeSet<&str> = BTreeSet::new();
    for (number, url) in own {
        if numbers.insert(number) {
            all.push((number.clone(), url.clone()));
            next = next.max(number.parse::<u64>().map_or(0, |n| n.saturating_add(1)));
        }
    }
    let mut known: BTreeSet<String> = all.iter().map(|(_, url)| url.clone()).collect();
    for url in statements.iter().flat_map(|of| &of.urls) {
        if known.insert(url.clone()) {
            all.push((next.to_string(), url.clone()));
            next = next.saturating_add(1);
        }
    }
    all
}

/// An id that follows from the title. The benchmark has another hash; no reader compares ids.
fn page_id(title: &str) -> u64 {
    let hash = sha256_hex(title.as_bytes());
    u64::from_str_radix(&hash[..8], 16).unwrap_or_default() % PAGE_IDS
}
