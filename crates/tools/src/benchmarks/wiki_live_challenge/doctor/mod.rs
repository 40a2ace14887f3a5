//! What is wrong in a benchmark's files: findings with their place and what to do, and the counts
//! of an agency. Judges no content; a page is a stub by its length and its beginning alone.

mod finding;
mod marks;
mod stub;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub use finding::{Finding, Kind, Place};
pub use marks::marks;
pub use stub::{Stub, stub};

use super::{
    files::{ArticleFile, ArticlePage, MarkdownFile, Named, PageContent},
    layout::Layout,
};

/// Characters that a page must exceed to be evidence for the benchmark.
pub const LEAST_PAGE: usize = 100;

/// Counts of an agency or of an article.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Articles with JSON.
    pub articles: usize,
    /// Statements.
    pub statements: usize,
    /// Statements without a citation.
    pub no_ref: usize,
    /// Cited addresses.
    pub urls: usize,
    /// Stored pages.
    pub pages: usize,
    /// Stored pages that could not be fetched.
    pub fetch_errors: usize,
    /// Pages of a bot test or an error that are stored as evidence.
    pub stubs: usize,
    /// Pages of hardly anything but links that are stored as evidence.
    pub links_only: usize,
    /// Statements with no other stored page than such of a bot test or an error.
    pub only_stubs: usize,
    /// Words of the articles, parted by white space.
    pub words: usize,
}

impl Counts {
    /// Counts those of another article, too.
    pub fn join(&mut self, other: &Self) {
        self.articles += other.articles;
        self.statements += other.statements;
        self.no_ref += other.no_ref;
        self.urls += other.urls;
        self.pages += other.pages;
        self.fetch_errors += other.fetch_errors;
        self.stubs += other.stubs;
        self.links_only += other.links_only;
        self.only_stubs += other.only_stubs;
        self.words += other.words;
    }
}

/// Findings by kind.
pub fn counts(findings: &[Finding]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for finding in findings {
        *counts.entry(finding.kind.word()).or_default() += 1;
    }
    counts
}

/// Findings on files that are not there and on agencies that are not registered.
pub fn check_layout(layout: &Layout, titles: &[&str], registered: &[&str]) -> Vec<Finding> {
    let missing = layout.missing(titles, registered).into_iter();
    let mut findings: Vec<Finding> = missing
        .map(|missing| {
            let kind = match (&missing.agency, &missing.stem) {
                (Some(_), None) => Kind::NoArticles,
                _ => Kind::MissingFile { file: missing.kind },
            };
            let place = Place {
                agency: missing.agency,
                stem: missing.stem,
                field: None,
            };
            place.finding(kind)
        })
        .collect();
    let folders = layout.agencies.keys();
    for folder in folders.filter(|folder| !registered.contains(&folder.as_str())) {
        findings.push(Place::agency(folder).finding(Kind::NotRegistered));
    }
    findings
}

/// Findings on an article of an agency, and its counts.
pub fn check_article(
    place: &Place,
    markdown: Option<&MarkdownFile>,
    json: Option<&ArticleFile>,
) -> (Vec<Finding>, Counts) {
    let mut findings = Vec::new();
    let stem = place.stem.as_deref().unwrap_or_default();
    let article = markdown.map(|file| file.article(stem));
    let article = article.or_else(|| json?.article(stem));
    let text = article.map(|article| article.text).unwrap_or_default();
    if !text.contains(char::is_alphanumeric) {
        findings.push(place.finding(Kind::EmptyArticle));
    }
    let mut counts = Counts {
        words: text.split_whitespace().count(),
        ..Counts::default()
    };
    let Some(json) = json else {
        return (findings, counts);
    };
    let pages = json.query.get().and_then(|query| query.pages.get());
    if pages.is_some_and(|pages| pages.0.len() > 1) {
        findings.push(place.field("query.pages").finding(Kind::SeveralPages));
    }
    let Some((_, page)) = json.page() else {
        findings.push(place.field("query.pages").finding(Kind::NoPage));
        return (findings, counts);
    };
    let mut check = Check {
        place,
        page,
        findings,
        stubs: BTreeSet::new(),
    };
    check.pages(&mut counts);
    check.statements(&mut counts);
    check.addresses(&mut counts);
    check.marks(&text);
    counts.articles = 1;
    (check.findings, counts)
}

/// One article that is checked.
struct Check<'a> {
    place: &'a Place,
    page: &'a ArticlePage,
    findings: Vec<Finding>,
    /// Numbers with a page of a bot test or an error.
    stubs: BTreeSet<&'a str>,
}

impl<'a> Check<'a> {
    fn find(&mut self, field: &str, kind: Kind) {
        self.findings.push(self.place.field(field).finding(kind));
    }

    /// Addresses by number, where they are not empty.
    fn urls(&self) -> BTreeMap<&'a str, &'a str> {
        let urls = self.page.citation_urls.get().into_iter();
        let urls = urls.flat_map(Named::iter);
        urls.map(|(number, url)| (number, url.trim()))
            .filter(|(_, url)| !url.is_empty())
            .collect()
    }

    fn pages(&mut self, counts: &mut Counts) {
        let contents = self.page.contents();
        for (number, page) in contents.into_iter().flat_map(Named::iter) {
            counts.pages += 1;
            let Some(kind) = of_page(page) else { continue };
            match &kind {
                Kind::FetchFailed { .. } => counts.fetch_errors += 1,
                Kind::StubPage {
                    stub: Stub::LinksOnly,
                    ..
                } => counts.links_only += 1,
                Kind::StubPage { .. } => {
                    counts.stubs += 1;
                    self.stubs.insert(number);
                }
                _ => {}
            }
            self.find(&format!("citation_contents.{number}"), kind);
        }
    }

    fn statements(&mut self, counts: &mut Counts) {
        let urls = self.urls();
        let stored = self.page.contents();
        let stored: BTreeSet<&str> = stored
            .into_iter()
            .flat_map(|pages| pages.iter().map(|(number, _)| number))
            .collect();
        let mut orphans: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for (at, statement) in self.page.statements() {
            counts.statements += 1;
            if statement.text().is_none() {
                self.find(&format!("statements[{at}]"), Kind::NoText);
            }
            let numbers = statement.numbers();
            counts.no_ref += usize::from(numbers.is_empty());
            let of_pages = || {
                numbers
                    .iter()
                    .filter(|number| stored.contains(number.as_str()))
            };
            if of_pages().count() > 0 && of_pages().all(|n| self.stubs.contains(n.as_str())) {
                counts.only_stubs += 1;
            }
            for number in numbers
                .iter()
                .filter(|number| !urls.contains_key(number.as_str()))
            {
                orphans.entry(number.clone()).or_insert((at, 0)).1 += 1;
            }
        }
        if counts.statements == 0 {
            self.find("statements", Kind::NoStatements);
        }
        for (number, (first, statements)) in orphans {
            self.find(
                &format!("statements[{first}]"),
                Kind::NumberWithoutUrl { number, statements },
            );
        }
    }

    fn addresses(&mut self, counts: &mut Counts) {
        let stored = self.page.contents();
        let cited = self
            .page
            .statements()
            .flat_map(|(_, statement)| statement.numbers());
        let cited: BTreeSet<String> = cited.collect();
        let kept: BTreeSet<&str> = stored
            .into_iter()
            .flat_map(|pages| pages.iter().map(|(number, _)| number))
            .collect();
        for (number, url) in self.urls() {
            counts.urls += 1;
            let field = format!("citation_urls.{number}");
            let url = || url.to_owned();
            if is_cut(&url()) {
                self.find(&field, Kind::CutUrl { url: url() });
            }
            if !cited.contains(number) {
                self.find(&field, Kind::UnusedUrl { url: url() });
            }
            if !kept.contains(number) {
                self.find(&field, Kind::PageNotStored { url: url() });
            }
        }
    }

    /// Marks in the text with a number that has no address.
    fn marks(&mut self, text: &str) {
        let urls = self.urls();
        let mut told: BTreeSet<String> = BTreeSet::new();
        for (offset, number) in marks(text) {
            if !urls.contains_key(number.as_str()) && told.insert(number.clone()) {
                self.findings
                    .push(self.place.finding(Kind::MarkWithoutUrl { number, offset }));
            }
        }
    }
}

fn of_page(page: &PageContent) -> Option<Kind> {
    if let Some(error) = page.failure() {
        let error = crate::benchmarks::fields::excerpt(error);
        return Some(Kind::FetchFailed { error });
    }
    let content = page.content.get().map(String::as_str).unwrap_or_default();
    if content.chars().nth(LEAST_PAGE).is_none() {
        let characters = content.chars().count();
        return Some(Kind::ShortPage { characters });
    }
    let title = page.title.get().map(String::as_str).unwrap_or_default();
    let stub = stub(title, content)?;
    let characters = content.chars().count();
    Some(Kind::StubPage { stub, characters })
}

/// Whether an address was cut at a parenthesis: one stays open.
pub fn is_cut(url: &str) -> bool {
    let mut open = 0_usize;
    for character in url.chars() {
        match character {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    open > 0
}
