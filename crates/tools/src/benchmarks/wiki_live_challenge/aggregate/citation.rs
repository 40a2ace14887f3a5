//! Shares of statements that their cited pages bear out: among the judged ones, and among all pairs
//! of a statement and an address, since an article with one good link has judged it alone.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Number, Value};

use super::{Cause, Counting, Unscored, mean, share, stored_share};
use crate::benchmarks::wiki_live_challenge::files::{
    ArticlePage, CitationFile, CitationResult, CitationSummary, Field, Named,
};

/// Verdict on a statement before its pages; the greater one counts among several pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// No page says so.
    NotSupport,
    /// A page says otherwise.
    Conflict,
    /// A page says so.
    Support,
}

/// Verdicts by label.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verdicts {
    /// Borne out.
    pub support: usize,
    /// Not borne out.
    pub not_support: usize,
    /// Contradicted.
    pub conflict: usize,
    /// Judged, but the verdict cannot be read.
    pub unscored: Unscored,
}

impl Verdicts {
    /// Those with a verdict.
    pub fn scored(&self) -> usize {
        self.support + self.not_support + self.conflict
    }

    /// Those that were judged.
    pub fn judged(&self) -> usize {
        self.scored() + self.unscored.total()
    }

    fn count(&mut self, verdict: Result<Verdict, Cause>) {
        match verdict {
            Ok(Verdict::Support) => self.support += 1,
            Ok(Verdict::NotSupport) => self.not_support += 1,
            Ok(Verdict::Conflict) => self.conflict += 1,
            Err(cause) => self.unscored.add(cause, 1),
        }
    }
}

/// Figures of an article on citations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CitationFigures {
    /// Whether it was judged.
    pub completed: bool,
    /// Statements of the article, cited or not.
    pub total_statements: usize,
    /// Statements that were judged, each by its best page.
    pub statements: Verdicts,
    /// Pairs of a statement and a page that were judged.
    pub pairs: Verdicts,
    /// All pairs of a statement and an address that the article has, where it is known.
    pub all_pairs: Option<usize>,
    /// Citations of statements that have no address, where the article is known.
    pub without_url: Option<usize>,
}

impl CitationFigures {
    /// Share of the borne out among the scored statements.
    pub fn support_ratio(&self) -> Option<f64> {
        share(self.statements.support, self.statements.scored())
    }

    /// Share of the contradicted among the scored statements.
    pub fn conflict_ratio(&self) -> Option<f64> {
        share(self.statements.conflict, self.statements.scored())
    }

    /// Share of the borne out among all pairs of a statement and an address.
    pub fn support_of_all_pairs(&self) -> Option<f64> {
        share(self.pairs.support, self.all_pairs?)
    }

    /// Share of the contradicted among all pairs of a statement and an address.
    pub fn conflict_of_all_pairs(&self) -> Option<f64> {
        share(self.pairs.conflict, self.all_pairs?)
    }

    /// Sets the figures of a file; its verdicts stay.
    pub fn store(&self, file: &mut CitationFile) {
        let evaluated = self.statements.scored();
        let count = |count: usize| Field::Read(count as u64);
        file.total_statements = count(self.total_statements);
        file.evaluated_statements = count(evaluated);
        file.skipped_statements = count(self.total_statements.saturating_sub(evaluated));
        file.support = count(self.statements.support);
        file.not_support = count(self.statements.not_support);
        file.conflict = count(self.statements.conflict);
        file.support_ratio = stored_share(self.statements.support, evaluated).into();
        file.conflict_ratio = stored_share(self.statements.conflict, evaluated).into();
        self.statements.unscored.store(&mut file.rest, "unscored");
    }
}

/// Figures of a file; `article` is the one that was judged, for the pairs that were not.
pub fn citation(
    file: &CitationFile,
    article: Option<&ArticlePage>,
    counting: Counting,
) -> CitationFigures {
    let mut statements: BTreeMap<u64, Vec<Result<Verdict, Cause>>> = BTreeMap::new();
    let mut pairs = Verdicts::default();
    let mut unplaced = 0;
    let mut seen: BTreeSet<(u64, String)> = BTreeSet::new();
    for field in file.results.get().into_iter().flatten() {
        let result = field.get();
        let place = result.and_then(|result| Some((result, *result.statement_index.get()?)));
        let Some((result, statement)) = place else {
            unplaced += 1;
            continue;
        };
        let again = !seen.insert((
            statement,
            result.citation_num.get().map(name).unwrap_or_default(),
        ));
        let verdict = match counting {
            Counting::Compat => Ok(compat(result)),
            Counting::Strict if again => Err(Cause::Repeated),
            Counting::Strict => strict(result),
        };
        pairs.count(verdict);
        statements.entry(statement).or_default().push(verdict);
    }
    let mut best = Verdicts::default();
    for verdicts in statements.values() {
        best.count(best_of(verdicts));
    }
    // What cannot be placed is no statement for the benchmark, and a lost one for us.
    if counting == Counting::Strict {
        best.unscored.add(Cause::Missing, unplaced);
        pairs.unscored.add(Cause::Missing, unplaced);
    }
    let stated = file
        .total_statements
        .get()
        .and_then(|total| usize::try_from(*total).ok());
    let listed = article.map(|page| page.statements().count());
    let (all_pairs, without_url) = article.map(count_pairs).unzip();
    CitationFigures {
        completed: file.is_completed(),
        total_statements: stated.or(listed).unwrap_or(statements.len()),
        statements: best,
        pairs,
        all_pairs,
        without_url,
    }
}

fn name(value: &Value) -> String {
    match value {
        Value::String(name) => name.trim().to_owned(),
        other => other.to_string(),
    }
}

/// The verdict on a statement by its pages: one page that bears it out is enough. An unread verdict
/// could have been any, so only support stands beside it.
fn best_of(verdicts: &[Result<Verdict, Cause>]) -> Result<Verdict, Cause> {
    let repeated = |verdict: &&Result<Verdict, Cause>| **verdict != Err(Cause::Repeated);
    let mut best: Option<Verdict> = None;
    let mut unread: Option<Cause> = None;
    for verdict in verdicts.iter().filter(repeated) {
        match verdict {
            Ok(verdict) => best = best.max(Some(*verdict)),
            Err(cause) => unread = unread.or(Some(*cause)),
        }
    }
    match (best, unread) {
        (Some(Verdict::Support), _) => Ok(Verdict::Support),
        (_, Some(cause)) => Err(cause),
        (Some(verdict), None) => Ok(verdict),
        (None, None) => Err(Cause::Missing),
    }
}

/// Pairs of a statement and an address, and citations without one. An address that a statement
/// cites by two numbers is one pair for each.
fn count_pairs(page: &ArticlePage) -> (usize, usize) {
    let urls = page.citation_urls.get().into_iter().flat_map(Named::iter);
    let known: BTreeSet<&str> = urls
        .filter(|(_, url)| !url.trim().is_empty())
        .map(|(number, _)| number)
        .collect();
    let mut with = 0;
    let mut without = 0;
    for (_, statement) in page.statements() {
        let numbers = statement.numbers();
        let there = numbers
            .iter()
            .filter(|number| known.contains(number.as_str()))
            .count();
        with += there;
        without += numbers.len() - there;
    }
    (with, without)
}

/// The benchmark's own counting: whatever is neither support nor conflict is no support.
fn compat(result: &CitationResult) -> Verdict {
    match result.verdict.get().map(String::as_str) {
        Some("support") => Verdict::Support,
        Some("conflict") => Verdict::Conflict,
        _ => Verdict::NotSupport,
    }
}

fn strict(result: &CitationResult) -> Result<Verdict, Cause> {
    match &result.verdict {
        Field::Read(word) => match word.as_str() {
            "support" => Ok(Verdict::Support),
            "conflict" => Ok(Verdict::Conflict),
            "not_support" => Ok(Verdict::NotSupport),
            "" => Err(Cause::Missing),
            _ => Err(Cause::UnknownLabel),
        },
        Field::Absent | Field::Other(Value::Null) => Err(Cause::Missing),
        Field::Other(_) => Err(Cause::UnknownLabel),
    }
}

/// Means over completed articles, each with the number of articles that have the value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CitationMeans {
    /// Articles.
    pub articles: usize,
    /// Those that were judged.
    pub completed: usize,
    /// Mean share of the borne out among the judged statements.
    pub support: (Option<f64>, usize),
    /// Mean share of the contradicted among the judged statements.
    pub conflict: (Option<f64>, usize),
    /// Mean share of the borne out among all pairs of a statement and an address.
    pub support_of_all_pairs: (Option<f64>, usize),
    /// Mean share of the contradicted among all pairs of a statement and an address.
    pub conflict_of_all_pairs: (Option<f64>, usize),
}

/// The means over completed articles.
pub fn means(articles: &[CitationFigures]) -> CitationMeans {
    let completed = || articles.iter().filter(|figures| figures.completed);
    let over = |of: fn(&CitationFigures) -> Option<f64>| mean(completed().map(of));
    CitationMeans {
        articles: articles.len(),
        completed: completed().count(),
        support: over(CitationFigures::support_ratio),
        conflict: over(CitationFigures::conflict_ratio),
        support_of_all_pairs: over(CitationFigures::support_of_all_pairs),
        conflict_of_all_pairs: over(CitationFigures::conflict_of_all_pairs),
    }
}

/// The summary as files have it: a completed article without judged statements counts as 0.
pub fn summary(articles: &[CitationFigures]) -> CitationSummary {
    let completed = || articles.iter().filter(|figures| figures.completed);
    let over = |of: fn(&CitationFigures) -> Option<f64>| {
        let (mean, _) = mean(completed().map(|figures| Some(of(figures).unwrap_or_default())));
        Field::from(Number::from_f64(mean.unwrap_or_default()))
    };
    CitationSummary {
        total_articles: (articles.len() as u64).into(),
        completed_articles: (completed().count() as u64).into(),
        avg_support_ratio: over(CitationFigures::support_ratio),
        avg_conflict_ratio: over(CitationFigures::conflict_ratio),
        ..CitationSummary::default()
    }
}
