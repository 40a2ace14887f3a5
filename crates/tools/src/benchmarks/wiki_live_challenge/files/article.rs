//! Articles of agencies as JSON: text, statements, and the pages that they cite, in the envelope of
//! Wikipedia's interface.

use std::collections::BTreeSet;

use serde::{Serialize, Serializer};
use serde_json::{Number, Value};

use super::{Content, Fault, Field, FieldPath, Named, Object, Shape};
use crate::benchmarks::fields::record;

record! {
    /// Article of an agency.
    ArticleFile {
        /// Whether the article is whole; the benchmark writes an empty text.
        batchcomplete: Value,
        /// The page.
        query: Pages,
    }
}

impl Content for ArticleFile {
    const NEEDED: &'static [&'static str] = &["query"];
}

record! {
    /// Pages by their ids; a file has one.
    Pages {
        /// The pages.
        pages: Named<ArticlePage>,
    }
}

record! {
    /// Page: an article with all that is known of it.
    ArticlePage {
        /// Id.
        pageid: u64,
        /// Namespace, 0.
        ns: Number,
        /// Title.
        title: String,
        /// Markdown of the article; few files have it.
        markdown: String,
        /// Text with tables.
        extract_with_tables: String,
        /// Text with marks of citations.
        extract_with_citations: String,
        /// Text without marks of citations and without references.
        extract: String,
        /// Cited addresses by number.
        citation_urls: Named<String>,
        /// The statements.
        statements: Vec<Field<Statement>>,
        /// Cited pages by number.
        citation_contents: Named<PageContent>,
        /// Cited pages under their older name.
        url_contents: Named<PageContent>,
        /// Markdown file that it was made of.
        source_file: String,
    }
}

record! {
    /// Statement of an article: a fact with its citations, or a text without any.
    Statement {
        /// What is stated, where the article cites.
        fact: String,
        /// What is stated, where it does not.
        statement: String,
        /// Numbers of its citations.
        ref_idx: RefIdx,
        /// Their addresses.
        url: UrlOrUrls,
    }
}

record! {
    /// Page that an article cites, as it was fetched.
    PageContent {
        /// Its address.
        url: String,
        /// Its title.
        title: String,
        /// Its text.
        content: String,
        /// Its description.
        description: String,
        /// When it was published.
        publish_time: String,
        /// What fetched it.
        fetched_by: String,
        /// Why it could not be fetched.
        error: String,
    }
}

/// Numbers of a statement's citations as they stand: a text, a number, or a list of them.
#[derive(Clone, Debug, PartialEq)]
pub struct RefIdx(Value);

impl RefIdx {
    /// Numbers as the benchmark writes them: one as a text, several as a list.
    pub fn new(numbers: &[&str]) -> Self {
        match numbers {
            [number] => Self((*number).into()),
            numbers => Self(numbers.iter().map(|number| Value::from(*number)).collect()),
        }
    }

    /// The numbers, each once, in their order; an empty one and 0 are none.
    pub fn numbers(&self) -> Vec<String> {
        let listed = match &self.0 {
            Value::Array(items) => items.iter().filter_map(number).collect(),
            one => number(one).into_iter().collect(),
        };
        once(listed)
    }
}

fn once(listed: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut numbers = listed;
    numbers.retain(|number| seen.insert(number.clone()));
    numbers
}

fn number(value: &Value) -> Option<String> {
    let number = match value {
        Value::String(number) => number.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!number.is_empty() && number != "0").then_some(number)
}

impl Serialize for RefIdx {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl Shape for RefIdx {
    const KIND: &'static str = "a number of a citation, or a list of them";

    fn from_json(value: Value) -> Result<Self, Value> {
        let one = |value: &Value| value.is_string() || value.is_number();
        let right = match &value {
            Value::Array(items) => items.iter().all(one),
            value => one(value),
        };
        if right { Ok(Self(value)) } else { Err(value) }
    }
}

/// Addresses of a statement as they stand: one, or a list with null for those that are unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct UrlOrUrls(Value);

impl UrlOrUrls {
    /// Addresses as the benchmark writes them.
    pub fn new(urls: &[&str]) -> Self {
        match urls {
            [url] => Self((*url).into()),
            urls => Self(urls.iter().map(|url| Value::from(*url)).collect()),
        }
    }

    /// The addresses.
    pub fn urls(&self) -> Vec<&str> {
        urls_of(&self.0)
    }
}

/// The texts of a value that is one or a list of them.
pub fn urls_of(value: &Value) -> Vec<&str> {
    let listed = match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect::<Vec<_>>(),
    };
    listed
        .into_iter()
        .filter(|url| !url.trim().is_empty())
        .collect()
}

impl Serialize for UrlOrUrls {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl Shape for UrlOrUrls {
    const KIND: &'static str = "an address, or a list of them";

    fn from_json(value: Value) -> Result<Self, Value> {
        let right = match &value {
            Value::Array(items) => items.iter().all(|item| item.is_string() || item.is_null()),
            value => value.is_string(),
        };
        if right { Ok(Self(value)) } else { Err(value) }
    }
}

impl Statement {
    /// The text: `fact`, else `statement`.
    pub fn text(&self) -> Option<&str> {
        first_text([&self.fact, &self.statement])
    }

    /// Numbers of its citations.
    pub fn numbers(&self) -> Vec<String> {
        self.ref_idx.get().map(RefIdx::numbers).unwrap_or_default()
    }
}

impl PageContent {
    /// Why it could not be fetched.
    pub fn failure(&self) -> Option<&str> {
        self.error
            .get()
            .map(String::as_str)
            .filter(|error| !error.is_empty())
    }
}

impl ArticlePage {
    /// The text: Markdown before the text with tables, that before the one with citations, and the
    /// plain one last.
    pub fn text(&self) -> Option<&str> {
        first_text([
            &self.markdown,
            &self.extract_with_tables,
            &self.extract_with_citations,
            &self.extract,
        ])
    }

    /// The statements that can be read, each with its place.
    pub fn statements(&self) -> impl Iterator<Item = (usize, &Statement)> {
        let listed = self.statements.get().into_iter().flatten().enumerate();
        listed.filter_map(|(at, statement)| Some((at, statement.get()?)))
    }

    /// Texts of the statements, each with its place; a bare text is a statement, too.
    pub fn statement_texts(&self) -> impl Iterator<Item = (usize, &str)> {
        let listed = self.statements.get().into_iter().flatten().enumerate();
        listed.filter_map(|(at, field)| match field {
            Field::Read(statement) => Some((at, statement.text()?)),
            Field::Other(value) => Some((at, value.as_str()?)),
            Field::Absent => None,
        })
    }

    /// The cited pages by number, under the newer name or the older one.
    pub fn contents(&self) -> Option<&Named<PageContent>> {
        self.citation_contents
            .get()
            .or_else(|| self.url_contents.get())
    }
}

/// The first field with a text that is not empty.
pub fn first_text<const N: usize>(fields: [&Field<String>; N]) -> Option<&str> {
    let texts = fields.into_iter().filter_map(|field| field.get());
    texts
        .map(String::as_str)
        .find(|text| !text.trim().is_empty())
}

impl ArticleFile {
    /// The first page with its id.
    pub fn page(&self) -> Option<(&str, &ArticlePage)> {
        self.query.get()?.pages.get()?.iter().next()
    }

    /// The article; `stem` is its title where the file has none.
    pub fn article(&self, stem: &str) -> Option<Article> {
        let (_, page) = self.page()?;
        let title = first_text([&page.title]).unwrap_or(stem);
        Some(Article {
            title: title.to_owned(),
            text: page.text()?.to_owned(),
        })
    }
}

/// An article as it is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Article {
    /// Title.
    pub title: String,
    /// Text.
    pub text: String,
}
