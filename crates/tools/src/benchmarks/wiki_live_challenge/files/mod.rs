//! Wiki Live Challenge's files, typed: tasks, gold articles, agencies with their articles, results.
//! Reading and writing again gives the same bytes, or [`Difference`]s that say why not; unknown
//! fields and fields of another kind are kept, and the latter are reported.

mod agencies;
mod article;
mod markdown;
mod raw_wiki;
mod results;
mod round_trip;
mod summaries;
mod table;
mod tasks;

pub use self::{
    agencies::{AgenciesFile, Agency},
    article::{
        Article, ArticleFile, ArticlePage, PageContent, Pages, RefIdx, Statement, UrlOrUrls,
        urls_of,
    },
    markdown::MarkdownFile,
    raw_wiki::{Parse, RawPage, RawQuery, RawWiki, Section},
    results::{
        Alignment, CitationFile, CitationResult, CriterionVerdict, Judged, VerifiabilityFile,
        WinCounts, Winner, WritingFile,
    },
    round_trip::{Cause, Difference, RoundTrip, round_trip},
    summaries::{CitationSummary, Summary, VerifiabilitySummary, WritingSummary},
    table::{COLUMNS, TaskRow, TaskTable},
    tasks::{GoldStatement, GoldStatements, Task, Tasks},
};
use crate::benchmarks::json::file::{not_json, problem, utf8};
pub use crate::benchmarks::{
    fields::{Fault, Field, FieldOrder, FieldPath, Named, Object, Shape},
    json::{self, Content, JsonFile},
    problem::{FileRead, Problem, Spot},
};
