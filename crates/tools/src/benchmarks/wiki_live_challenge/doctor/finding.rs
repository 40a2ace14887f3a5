//! A finding: its place, what is wrong there, and what to do.

use std::fmt;

use serde::Serialize;

use super::stub::Stub;
use crate::benchmarks::wiki_live_challenge::layout::FileKind;

/// Place of a finding; what it does not say concerns all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Folder of the agency.
    pub agency: Option<String>,
    /// Stem of the article.
    pub stem: Option<String>,
    /// Field in the article's page.
    pub field: Option<String>,
}

impl Place {
    /// An agency.
    pub fn agency(agency: &str) -> Self {
        Self {
            agency: Some(agency.to_owned()),
            ..Self::default()
        }
    }

    /// An article of an agency.
    pub fn article(agency: &str, stem: &str) -> Self {
        Self {
            stem: Some(stem.to_owned()),
            ..Self::agency(agency)
        }
    }

    pub(super) fn field(&self, field: &str) -> Self {
        Self {
            field: Some(field.to_owned()),
            ..self.clone()
        }
    }

    pub(super) fn finding(&self, kind: Kind) -> Finding {
        let place = self.clone();
        Finding { place, kind }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            ("agency", &self.agency),
            ("article", &self.stem),
            ("field", &self.field),
        ];
        let said = parts
            .iter()
            .filter_map(|(name, part)| Some((name, part.as_ref()?)));
        let said: Vec<String> = said
            .map(|(name, part)| format!("{name} `{part}`"))
            .collect();
        if said.is_empty() {
            return f.write_str("the benchmark");
        }
        f.write_str(&said.join(", "))
    }
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Where.
    pub place: Place,
    /// What.
    #[serde(flatten)]
    pub kind: Kind,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {}\nhint: {}",
            self.place,
            self.kind,
            self.kind.hint()
        )
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "finding", rename_all = "snake_case")]
pub enum Kind {
    /// A file is not there.
    MissingFile {
        /// Its kind.
        file: FileKind,
    },
    /// An agency of the register has no files.
    NoArticles,
    /// An agency's folder is not in the register.
    NotRegistered,
    /// An article has no text.
    EmptyArticle,
    /// The JSON has no page.
    NoPage,
    /// The JSON has several pages; the first is read.
    SeveralPages,
    /// The JSON has no statements.
    NoStatements,
    /// A statement has no text.
    NoText,
    /// An address was cut at a parenthesis.
    CutUrl {
        /// The address as it stands.
        url: String,
    },
    /// Statements cite a number that has no address.
    NumberWithoutUrl {
        /// The number.
        number: String,
        /// How many statements cite it.
        statements: usize,
    },
    /// The text has a mark of a number that has no address.
    MarkWithoutUrl {
        /// The number.
        number: String,
        /// The first mark, in characters.
        offset: usize,
    },
    /// No statement cites an address.
    UnusedUrl {
        /// The address.
        url: String,
    },
    /// The page of an address is not stored.
    PageNotStored {
        /// The address.
        url: String,
    },
    /// A page could not be fetched.
    FetchFailed {
        /// Why.
        error: String,
    },
    /// A page is too short to be evidence.
    ShortPage {
        /// Its characters.
        characters: usize,
    },
    /// A page without its content is stored as evidence.
    StubPage {
        /// What it is instead.
        stub: Stub,
        /// Its characters.
        characters: usize,
    },
}

impl Kind {
    /// One word for counts.
    pub fn word(&self) -> &'static str {
        match self {
            Self::MissingFile { .. } => "missing_file",
            Self::NoArticles => "no_articles",
            Self::NotRegistered => "not_registered",
            Self::EmptyArticle => "empty_article",
            Self::NoPage => "no_page",
            Self::SeveralPages => "several_pages",
            Self::NoStatements => "no_statements",
            Self::NoText => "no_text",
            Self::CutUrl { .. } => "cut_url",
            Self::NumberWithoutUrl { .. } => "number_without_url",
            Self::MarkWithoutUrl { .. } => "mark_without_url",
            Self::UnusedUrl { .. } => "unused_url",
            Self::PageNotStored { .. } => "page_not_stored",
            Self::FetchFailed { .. } => "fetch_failed",
            Self::ShortPage { .. } => "short_page",
            Self::StubPage { .. } => "stub_page",
        }
    }

    /// What to do.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::MissingFile {
                file: FileKind::AgencyJson,
            } => "extract the statements of the Markdown and fetch its pages",
            Self::MissingFile { .. } => "put it there, or leave the article out and say so",
            Self::NoArticles => "leave the agency out, or disable it in the register",
            Self::NotRegistered => "register it, or remove the folder",
            Self::EmptyArticle => "it would lose every comparison; have it written again",
            Self::NoPage | Self::NoText => "extract the statements again",
            Self::SeveralPages => "keep one page a file; the others are never read",
            Self::NoStatements => {
                "extract the statements again; without any, all figures are empty"
            }
            Self::CutUrl { .. } => {
                "take the whole address from the article and fetch the page again"
            }
            Self::NumberWithoutUrl { .. } | Self::MarkWithoutUrl { .. } => {
                "look for the number in the article's references; unmended, nothing can support it"
            }
            Self::UnusedUrl { .. } => "harmless; its page needs no judge",
            Self::PageNotStored { .. } => "fetch the page; until then its statements are skipped",
            Self::FetchFailed { .. } | Self::ShortPage { .. } => {
                "fetch the page again, perhaps from an archive; its statements are skipped"
            }
            Self::StubPage { .. } => {
                "fetch the page again; judged as it is, it makes true statements look unsupported"
            }
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingFile { file } => write!(f, "no {}", file.word()),
            Self::NoArticles => f.write_str("the agency has no articles"),
            Self::NotRegistered => f.write_str("the folder is not in the register of agencies"),
            Self::EmptyArticle => f.write_str("the article has no text"),
            Self::NoPage => f.write_str("the file has no page"),
            Self::SeveralPages => f.write_str("the file has several pages"),
            Self::NoStatements => f.write_str("no statements"),
            Self::NoText => f.write_str("the statement has no text"),
            Self::CutUrl { url } => write!(f, "cut at a parenthesis: `{url}`"),
            Self::NumberWithoutUrl { number, statements } => {
                write!(
                    f,
                    "no address for `[{number}]`, which {statements} statements cite"
                )
            }
            Self::MarkWithoutUrl { number, offset } => {
                write!(f, "no address for `[{number}]` at character {offset}")
            }
            Self::UnusedUrl { url } => write!(f, "cited by no statement: `{url}`"),
            Self::PageNotStored { url } => write!(f, "the page is not stored: `{url}`"),
            Self::FetchFailed { error } => write!(f, "the page was not fetched: `{error}`"),
            Self::ShortPage { characters } => write!(f, "the page has {characters} characters"),
            Self::StubPage { stub, characters } => {
                write!(
                    f,
                    "not the page but {}, {characters} characters",
                    stub.words()
                )
            }
        }
    }
}
