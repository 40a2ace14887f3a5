//! The layout of a benchmark's folder: which files belong to which task and to which agency, and
//! which are not there. It is told paths and opens nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// `wiki_data/ga_100.csv`.
    TaskTable,
    /// `wiki_data/ga_100.json`.
    Tasks,
    /// `wiki_data/raw_wiki/<stem>.json`.
    RawWiki,
    /// `wiki_data/cleaned_data/article/<stem>.md`.
    GoldArticle,
    /// `wiki_data/cleaned_data/statement/<stem>_statements.json`.
    GoldStatements,
    /// `test_data/agencies.json`.
    Agencies,
    /// `test_data/<agency>/md_data/<stem>.md`.
    AgencyMarkdown,
    /// `test_data/<agency>/json_data/<stem>.json`.
    AgencyJson,
    /// `<stem>_writing.json`.
    Writing,
    /// `<stem>_verifiability.json`.
    Verifiability,
    /// `<stem>_citation.json`.
    Citation,
    /// `_summary.json`.
    Summary,
}

impl FileKind {
    /// All kinds.
    pub const ALL: [Self; 12] = [
        Self::TaskTable,
        Self::Tasks,
        Self::RawWiki,
        Self::GoldArticle,
        Self::GoldStatements,
        Self::Agencies,
        Self::AgencyMarkdown,
        Self::AgencyJson,
        Self::Writing,
        Self::Verifiability,
        Self::Citation,
        Self::Summary,
    ];

    /// The kind in words.
    pub fn word(self) -> &'static str {
        match self {
            Self::TaskTable => "table of tasks",
            Self::Tasks => "tasks",
            Self::RawWiki => "raw wiki page",
            Self::GoldArticle => "gold article",
            Self::GoldStatements => "gold statements",
            Self::Agencies => "register of agencies",
            Self::AgencyMarkdown => "agency's Markdown",
            Self::AgencyJson => "agency's JSON",
            Self::Writing => "result on writing",
            Self::Verifiability => "result on verifiability",
            Self::Citation => "result on citations",
            Self::Summary => "summary",
        }
    }
}

/// A path with its kind, agency and stem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known<'a> {
    /// The kind.
    pub kind: FileKind,
    /// Folder of the agency, where it is one's file.
    pub agency: Option<&'a str>,
    /// Stem: the title of the article with underscores; empty where a file is of no article.
    pub stem: &'a str,
}

/// What a path says, relative to the benchmark's folder or to any folder above it; results may lie
/// in any folder.
pub fn known(path: &str) -> Option<Known<'_>> {
    let mut parts = path.rsplit(['/', '\\']);
    let name = parts.next()?;
    let (folder, above) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    let plain = |kind, stem| Known {
        kind,
        agency: None,
        stem,
    };
    let of_agency = |kind, stem| Known {
        kind,
        agency: (!above.is_empty()).then_some(above),
        stem,
    };
    let end = |suffix| name.strip_suffix(suffix).filter(|stem| !stem.is_empty());
    let found = match folder {
        "wiki_data" if is_task_file(name, ".csv") => plain(FileKind::TaskTable, ""),
        "wiki_data" if is_task_file(name, ".json") => plain(FileKind::Tasks, ""),
        "raw_wiki" => plain(FileKind::RawWiki, end(".json")?),
        "article" if above == "cleaned_data" => plain(FileKind::GoldArticle, end(".md")?),
        "statement" if above == "cleaned_data" => {
            plain(FileKind::GoldStatements, end("_statements.json")?)
        }
        "test_data" if name == "agencies.json" => plain(FileKind::Agencies, ""),
        "md_data" => of_agency(FileKind::AgencyMarkdown, end(".md")?),
        "json_data" => of_agency(FileKind::AgencyJson, end(".json")?),
        _ if name == "_summary.json" => plain(FileKind::Summary, ""),
        _ => result(name)?,
    };
    Some(found)
}

fn is_task_file(name: &str, extension: &str) -> bool {
    name.starts_with("ga_") && name.ends_with(extension)
}

fn result(name: &str) -> Option<Known<'_>> {
    let kinds = [
        (FileKind::Writing, "_writing.json"),
        (FileKind::Verifiability, "_verifiability.json"),
        (FileKind::Citation, "_citation.json"),
    ];
    kinds.into_iter().find_map(|(kind, suffix)| {
        let stem = name.strip_suffix(suffix).filter(|stem| !stem.is_empty())?;
        Some(Known {
            kind,
            agency: None,
            stem,
        })
    })
}

/// Files of a gold article by their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoldFiles {
    /// The cleaned article.
    pub article: Option<String>,
    /// Its statements.
    pub statements: Option<String>,
    /// The raw page.
    pub raw: Option<String>,
}

/// Files of an agency's article by their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgencyFiles {
    /// The Markdown.
    pub markdown: Option<String>,
    /// The JSON with statements and cited pages.
    pub json: Option<String>,
}

impl AgencyFiles {
    /// The file that is read as the article: the Markdown before the JSON.
    pub fn article(&self) -> Option<&str> {
        self.markdown.as_deref().or(self.json.as_deref())
    }
}

/// The files of a benchmark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The table of tasks.
    pub task_table: Option<String>,
    /// The tasks.
    pub tasks: Option<String>,
    /// The register of agencies.
    pub register: Option<String>,
    /// Gold articles by stem.
    pub gold: BTreeMap<String, GoldFiles>,
    /// Articles by agency and stem.
    pub agencies: BTreeMap<String, BTreeMap<String, AgencyFiles>>,
    /// Results and summaries.
    pub results: Vec<(FileKind, String)>,
    /// Paths of no known kind.
    pub unknown: Vec<String>,
    /// Paths of files that stand elsewhere, too; the first one counts.
    pub repeated: Vec<String>,
}

/// A file that is not there; without a stem, all files of an agency are not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Missing {
    /// The kind.
    pub kind: FileKind,
    /// Folder of the agency.
    pub agency: Option<String>,
    /// Stem of the article.
    pub stem: Option<String>,
}

impl Layout {
    /// The layout of the paths of one benchmark's folder.
    pub fn of<'a>(paths: impl IntoIterator<Item = &'a str>) -> Self {
        let mut layout = Self::default();
        for path in paths {
            match known(path) {
                Some(known) => layout.add(known, path.to_owned()),
                None => layout.unknown.push(path.to_owned()),
            }
        }
        layout
    }

    fn add(&mut self, known: Known<'_>, path: String) {
        let stem = known.stem.to_owned();
        let slot = match known.kind {
            FileKind::TaskTable => &mut self.task_table,
            FileKind::Tasks => &mut self.tasks,
            FileKind::Agencies => &mut self.register,
            FileKind::GoldArticle => &mut self.gold.entry(stem).or_default().article,
            FileKind::GoldStatements => &mut self.gold.entry(stem).or_default().statements,
            FileKind::RawWiki => &mut self.gold.entry(stem).or_default().raw,
            FileKind::AgencyMarkdown | FileKind::AgencyJson => {
                let agency = known.agency.unwrap_or_default().to_owned();
                let files = self
                    .agencies
                    .entry(agency)
                    .or_default()
                    .entry(stem)
                    .or_default();
                match known.kind {
                    FileKind::AgencyMarkdown => &mut files.markdown,
                    _ => &mut files.json,
                }
            }
            kind => {
                self.results.push((kind, path));
                return;
            }
        };
        if slot.is_some() {
            self.repeated.push(path);
        } else {
            *slot = Some(path);
        }
    }

    /// The files of an agency's article.
    pub fn agency_files(&self, agency: &str, stem: &str) -> Option<&AgencyFiles> {
        self.agencies.get(agency)?.get(stem)
    }

    /// Files that are not there: of the benchmark, of each gold article, and of each agency for
    /// each gold article. `titles` are those of the tasks, `registered` the folders of the
    /// register.
    pub fn missing(&self, titles: &[&str], registered: &[&str]) -> Vec<Missing> {
        let mut missing = Vec::new();
        let mut add = |kind, there: bool, agency: Option<&str>, stem: Option<&str>| {
            if !there {
                missing.push(Missing {
                    kind,
                    agency: agency.map(str::to_owned),
                    stem: stem.map(str::to_owned),
                });
            }
        };
        add(FileKind::TaskTable, self.task_table.is_some(), None, None);
        add(FileKind::Tasks, self.tasks.is_some(), None, None);
        add(FileKind::Agencies, self.register.is_some(), None, None);
        let none = GoldFiles::default();
        let stems = self.stems(titles);
        for stem in &stems {
            let gold = self.gold.get(stem).unwrap_or(&none);
            add(
                FileKind::GoldArticle,
                gold.article.is_some(),
                None,
                Some(stem),
            );
            add(
                FileKind::GoldStatements,
                gold.statements.is_some(),
                None,
                Some(stem),
            );
            add(FileKind::RawWiki, gold.raw.is_some(), None, Some(stem));
        }
        let folders = self.agencies.keys().map(String::as_str);
        let folders: BTreeSet<&str> = folders.chain(registered.iter().copied()).collect();
        for agency in folders {
            let Some(files) = self.agencies.get(agency) else {
                add(FileKind::AgencyMarkdown, false, Some(agency), None);
                continue;
            };
            for stem in stems.iter().chain(files.keys()).collect::<BTreeSet<_>>() {
                let own = files.get(stem);
                let markdown = own.is_some_and(|files| files.markdown.is_some());
                let json = own.is_some_and(|files| files.json.is_some());
                add(FileKind::AgencyMarkdown, markdown, Some(agency), Some(stem));
                add(FileKind::AgencyJson, json, Some(agency), Some(stem));
            }
        }
        missing
    }

    /// Stems of all articles: of gold files, and of titles without any.
    fn stems(&self, titles: &[&str]) -> BTreeSet<String> {
        let mut stems: BTreeSet<String> = self.gold.keys().cloned().collect();
        stems.extend(titles.iter().map(|title| stem_of(title)));
        stems
    }
}

/// Stem of a title: what cannot stand in a file's name is an underscore.
pub fn stem_of(title: &str) -> String {
    title.replace([' ', '/', '\\'], "_")
}
