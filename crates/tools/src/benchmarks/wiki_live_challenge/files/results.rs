//! Result files of one article: writing, verifiability, citations.

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use super::{Content, Fault, Field, FieldPath, Named, Object, Shape};
use crate::benchmarks::fields::record;

record! {
    /// Result on writing: which article is better on each criterion.
    WritingFile {
        /// Title of the article.
        topic: String,
        /// `winrate`.
        mode: String,
        /// Whether the judge was offered ties.
        allow_tie: bool,
        /// Article that stood first before the judge: `gt` or `gen`. Ours: the benchmark always
        /// puts Wikipedia first.
        first_article: Winner,
        /// Figures by category, and `overall`.
        aggregate: Named<WinCounts>,
        /// Verdicts by category.
        details: Named<Vec<Field<CriterionVerdict>>>,
    }
}

impl Content for WritingFile {
    const NEEDED: &'static [&'static str] = &["details"];
}

record! {
    /// Counts of a category.
    WinCounts {
        /// Criteria on which the candidate is better.
        gen_wins: u64,
        /// Criteria on which Wikipedia is better.
        gt_wins: u64,
        /// Criteria with neither.
        ties: u64,
        /// All criteria.
        total: u64,
        /// Share of the candidate's; ties count below the line.
        gen_win_rate: Number,
    }
}

record! {
    /// Verdict on a criterion.
    CriterionVerdict {
        /// Id, such as `ww_cc_1`.
        criterion_id: String,
        /// Number of the criterion, from 0.
        criterion_index: u64,
        /// The criterion.
        criterion_text: String,
        /// Its category.
        category: String,
        /// The better article.
        winner: Winner,
        /// The judge's answer: 1 and 2 for the article that stood first and second, 0 for neither.
        winner_code: u64,
        /// The judge's reason.
        reason: String,
    }
}

/// The better article, by its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Winner {
    /// The candidate.
    Gen,
    /// Wikipedia's.
    Gt,
    /// Neither.
    Tie,
}

impl Shape for Winner {
    const KIND: &'static str = "`gen`, `gt` or `tie`";

    fn from_json(value: Value) -> Result<Self, Value> {
        match value.as_str() {
            Some("gen") => Ok(Self::Gen),
            Some("gt") => Ok(Self::Gt),
            Some("tie") => Ok(Self::Tie),
            _ => Err(value),
        }
    }
}

record! {
    /// Result on verifiability: statements of each article beside those of the other.
    VerifiabilityFile {
        /// Title of the article.
        title: String,
        /// Statements of the candidate.
        num_gen_sentences: u64,
        /// Statements of Wikipedia's article.
        num_gt_sentences: u64,
        /// Statements of the candidate that Wikipedia's bear out.
        gen_supported_by_wiki: u64,
        /// Their share.
        gen_supported_by_wiki_ratio: Number,
        /// Statements of the candidate of which Wikipedia's say nothing.
        gen_not_supported_by_wiki: u64,
        /// Their share.
        gen_not_supported_by_wiki_ratio: Number,
        /// Statements of the candidate that contradict Wikipedia's.
        gen_conflict_with_wiki: u64,
        /// Their share.
        gen_conflict_with_wiki_ratio: Number,
        /// Statements of Wikipedia's article that the candidate covers.
        wiki_covered_by_gen: u64,
        /// Their share.
        wiki_covered_by_gen_ratio: Number,
        /// Statements of Wikipedia's article that it does not cover.
        wiki_not_covered_by_gen: u64,
        /// Their share.
        wiki_not_covered_by_gen_ratio: Number,
        /// Statements of Wikipedia's article that it contradicts.
        wiki_conflict_with_gen: u64,
        /// Their share.
        wiki_conflict_with_gen_ratio: Number,
        /// Candidates shown for each statement.
        top_k: u64,
        /// Mean similarity of the candidate's statements to their nearest.
        avg_top1_sim: Number,
        /// Statements of the candidate with their verdicts.
        alignments: Vec<Field<Alignment>>,
        /// Statements of Wikipedia's article with their verdicts.
        coverage_alignments: Vec<Field<Alignment>>,
    }
}

impl Content for VerifiabilityFile {
    const NEEDED: &'static [&'static str] = &["alignments", "coverage_alignments"];
}

record! {
    /// Statement beside its nearest ones of the other article.
    Alignment {
        /// The statement, where it is the candidate's.
        gen_sentence: String,
        /// The statement, where it is Wikipedia's.
        gt_sentence: String,
        /// The nearest statements, nearest first.
        candidates: Vec<Field<String>>,
        /// Similarity of the nearest.
        top_score: Number,
        /// What the judge says.
        verify: Judged,
    }
}

record! {
    /// Verdict on a statement.
    Judged {
        /// `consistent`, `inconsistent` or `not_support`.
        verdict: String,
        /// The judge's reason.
        reason: String,
        /// Whether it counts as supported.
        is_supported: bool,
        /// Whether it counts as a conflict.
        is_conflict: bool,
    }
}

record! {
    /// Result on citations: whether cited pages bear statements out.
    CitationFile {
        /// Title of the article.
        title: String,
        /// `completed` or `skipped`.
        status: String,
        /// Why it was skipped: `no_statements`, `no_citations`, `no_valid_citations`.
        reason: String,
        /// Statements of the article.
        total_statements: u64,
        /// Numbers that it cites.
        total_citations: u64,
        /// Those with a usable page.
        valid_citations: u64,
        /// Statements that were judged.
        evaluated_statements: u64,
        /// The others.
        skipped_statements: u64,
        /// Statements that a page bears out.
        support: u64,
        /// Statements that no page bears out.
        not_support: u64,
        /// Statements that a page contradicts.
        conflict: u64,
        /// Share of the supported among the evaluated.
        support_ratio: Number,
        /// Share of the contradicted among the evaluated.
        conflict_ratio: Number,
        /// Verdicts by statement and page.
        results: Vec<Field<CitationResult>>,
    }
}

impl Content for CitationFile {
    const NEEDED: &'static [&'static str] = &["status"];
}

record! {
    /// Verdict on a statement before a page.
    CitationResult {
        /// Place of the statement in the article's list, from 0.
        statement_index: u64,
        /// The statement.
        statement: String,
        /// Number of the citation.
        citation_num: Value,
        /// Address of the page.
        citation_url: Value,
        /// `support`, `not_support` or `conflict`.
        verdict: String,
        /// The judge's reason.
        reason: String,
    }
}

/// Completed results: the others are left out of summaries.
pub const COMPLETED: &str = "completed";

impl CitationFile {
    /// Whether it was judged.
    pub fn is_completed(&self) -> bool {
        self.status.get().is_some_and(|status| status == COMPLETED)
    }
}
