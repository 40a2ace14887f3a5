//! The passages of pages that statements are held against: for each statement those that fit it
//! best by words, together for statements that are asked about together.

use std::collections::BTreeSet;

use anyhow::Result;

use super::{
    retrieval::{self, Index, Passage},
    support::ClaimBatch,
};
use crate::store::Store;

/// Passages that are shown for each statement, and of pages so short that all of them are shown.
const EACH: usize = 3;
const ALL: usize = 12;

/// Statements by their ids.
pub type Statements = Vec<(String, String)>;

/// Passages of pages with their index.
pub struct Passages {
    all: Vec<Passage>,
    index: Index,
}

impl Passages {
    /// The passages of these pages, in their order.
    pub fn of(store: &Store, pages: &BTreeSet<&str>) -> Result<Self> {
        let mut all: Vec<Passage> = Vec::new();
        for page in pages {
            if let Some(extract) = store.extract(page)? {
                all.extend(retrieval::passages(page, &extract.text));
            }
        }
        Ok(Self::new(all))
    }

    /// The passages of one text, under the name of its source.
    pub fn of_text(source: &str, text: &str) -> Self {
        Self::new(retrieval::passages(source, text))
    }

    fn new(all: Vec<Passage>) -> Self {
        let texts: Vec<&str> = all.iter().map(|of| of.text.as_str()).collect();
        let index = Index::new(&texts, None);
        Self { all, index }
    }

    /// The passages that fit the statements best, in the order of the pages; all of short pages,
    /// and the first ones where nothing fits: a report may be in another language than its source.
    pub fn fitting(&self, statements: &[(String, String)]) -> Vec<Passage> {
        if self.all.len() <= ALL {
            return self.all.clone();
        }
        let mut wanted: BTreeSet<usize> = BTreeSet::new();
        for (_, text) in statements {
            let found = self.index.best(text, None, EACH).best;
            if found.is_empty() {
                wanted.extend(0..EACH);
            }
            wanted.extend(found);
        }
        wanted.into_iter().map(|at| self.all[at].clone()).collect()
    }

    /// Statements with what fits them, at most so many at once: the order is that of the report, so
    /// that neighbours share their passages.
    pub fn batches(
        &self,
        subject: &str,
        statements: &[(String, String)],
        most: usize,
    ) -> Vec<ClaimBatch> {
        let together = |statements: &[(String, String)]| ClaimBatch {
            subject: subject.to_owned(),
            claims: statements.to_vec(),
            passages: self.fitting(statements),
        };
        statements.chunks(most).map(together).collect()
    }
}
