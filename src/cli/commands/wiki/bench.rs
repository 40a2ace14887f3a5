//! A benchmark's folder on the disk: its layout, and its files as they are asked for.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::{
    benchmarks::wiki_live_challenge::{
        files::{
            AgenciesFile, ArticleFile, Content, Field, GoldStatements, JsonFile, MarkdownFile,
            TaskTable, Tasks,
        },
        layout::Layout,
    },
    cli::{
        commands::folder::{self, files_below},
        ui::{exit::Usage, output::Problem},
    },
};

/// The attribute of a gold article with the number of its task in the benchmark.
pub const NUMBER: &str = "id";

/// A folder with the files of the benchmark.
pub struct Bench {
    root: PathBuf,
    /// Which files belong to what.
    pub layout: Layout,
    /// All files, relative to the folder.
    pub paths: Vec<String>,
    /// What could not be read so far.
    pub problems: Vec<Problem>,
}

/// A task of the benchmark.
pub struct BenchTask {
    /// Its number in the benchmark, as it stands.
    pub number: String,
    /// The title with underscores, by which its files are called.
    pub stem: String,
    /// The title.
    pub title: String,
    /// Address of the gold article.
    pub url: String,
    /// What an agent is asked.
    pub question: String,
}

impl Bench {
    /// Looks at a folder that holds `wiki_data` and `test_data`, or results.
    pub fn open(folder: &Path) -> Result<Self> {
        if !folder.is_dir() {
            let folder = folder.display();
            bail!(Usage(format!(
                "`{folder}` is no folder\nhint: the folder of a benchmark, with `wiki_data` in it"
            )));
        }
        let files = files_below(folder)?;
        let paths: Vec<String> = files
            .iter()
            .filter_map(|path| Some(path.strip_prefix(folder).ok()?.to_str()?.to_owned()))
            .collect();
        let layout = Layout::of(paths.iter().map(String::as_str));
        if layout.tasks.is_none() && layout.gold.is_empty() && layout.results.is_empty() {
            let folder = folder.display();
            bail!(Usage(format!(
                "`{folder}` has no files of Wiki Live Challenge\nhint: `wiki_data/ga_….json`, \
                 `wiki_data/cleaned_data/article/….md`, `test_data/AGENCY/md_data/….md`"
            )));
        }
        let repeated = layout.repeated.iter().map(|path| Problem {
            place: path.clone(),
            problem:
                "stands in the folder twice, and the first one counts; name the folder of one \
                      benchmark"
                    .to_owned(),
        });
        let problems = repeated.collect();
        Ok(Self {
            root: folder.to_owned(),
            layout,
            paths,
            problems,
        })
    }

    /// The bytes of a file.
    pub fn bytes(&self, path: &str) -> Result<Vec<u8>> {
        Ok(fs_err::read(self.root.join(path))?)
    }

    /// A JSON file; none where there is none or it cannot be read, which is a problem then.
    pub fn json<T: Content>(&mut self, path: Option<&str>) -> Result<Option<T>> {
        let Some(path) = path else { return Ok(None) };
        match JsonFile::<T>::read(path, &self.bytes(path)?) {
            Ok(read) => {
                self.problems
                    .extend(read.problems.iter().map(folder::problem));
                Ok(Some(read.value.content))
            }
            Err(why) => {
                self.problems.push(folder::problem(&why));
                Ok(None)
            }
        }
    }

    /// A Markdown file; none as above.
    pub fn markdown(&mut self, path: Option<&str>) -> Result<Option<MarkdownFile>> {
        let Some(path) = path else { return Ok(None) };
        match MarkdownFile::read(path, &self.bytes(path)?) {
            Ok(file) => Ok(Some(file)),
            Err(why) => {
                self.problems.push(folder::problem(&why));
                Ok(None)
            }
        }
    }

    /// The tasks in the order of their file.
    pub fn tasks(&mut self) -> Result<Vec<BenchTask>> {
        let path = self.layout.tasks.clone();
        let tasks: Option<Tasks> = self.json(path.as_deref())?;
        let read = tasks.unwrap_or_default();
        let tasks = read.iter().filter_map(Field::get).filter_map(|task| {
            let title = task.title.get()?;
            let number = task.id.get().map(ToString::to_string);
            Some(BenchTask {
                number: number.unwrap_or_default(),
                stem: crate::benchmarks::wiki_live_challenge::layout::stem_of(title),
                title: title.replace('_', " "),
                url: task.url.get().cloned().unwrap_or_default(),
                question: task.question.get().cloned().unwrap_or_default(),
            })
        });
        Ok(tasks.collect())
    }

    /// The table of tasks.
    pub fn table(&mut self) -> Result<Option<TaskTable>> {
        let Some(path) = self.layout.task_table.clone() else {
            return Ok(None);
        };
        match TaskTable::read(&path, &self.bytes(&path)?) {
            Ok(read) => {
                self.problems
                    .extend(read.problems.iter().map(folder::problem));
                Ok(Some(read.value))
            }
            Err(why) => {
                self.problems.push(folder::problem(&why));
                Ok(None)
            }
        }
    }

    /// The register of agencies.
    pub fn register(&mut self) -> Result<Option<AgenciesFile>> {
        let path = self.layout.register.clone();
        self.json(path.as_deref())
    }

    /// The text of a gold article, and its statements.
    pub fn gold(&mut self, stem: &str) -> Result<Option<(String, Vec<String>)>> {
        let files = self.layout.gold.get(stem).cloned().unwrap_or_default();
        let Some(article) = self.markdown(files.article.as_deref())? else {
            return Ok(None);
        };
        let statements: Option<GoldStatements> = self.json(files.statements.as_deref())?;
        let statements = statements.unwrap_or_default();
        let texts = statements
            .iter()
            .filter_map(|of| of.get()?.text().map(str::to_owned));
        Ok(Some((article.article(stem).text, texts.collect())))
    }

    /// The text of an agency's article: its Markdown, else its JSON.
    pub fn report(&mut self, agency: &str, stem: &str) -> Result<Option<String>> {
        let files = self.layout.agency_files(agency, stem).cloned();
        let files = files.unwrap_or_default();
        if let Some(file) = self.markdown(files.markdown.as_deref())? {
            return Ok(Some(file.article(stem).text));
        }
        let file: Option<ArticleFile> = self.json(files.json.as_deref())?;
        Ok(file.and_then(|file| Some(file.article(stem)?.text)))
    }
}
