//! `taskgen arena trees`: trees of pages, taken in, listed, shown and written.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use serde::Serialize;

use super::{refuse_jina, shape, topics};
use crate::{
    arena::{
        crawl::crawl,
        pages::WebPages,
        trees::{
            markdown,
            validation::{TreeRules, figures, refusals},
        },
    },
    benchmarks::dr_arena::{
        files::{JsonFile, TreeNode},
        tree,
    },
    cli::{
        args::{BuildTree, Global, ImportTrees, Trees},
        project::{Project, resolve},
        ui::{
            exit::{self, Usage},
            output::{Printer, Problem, count, listed, on_one_line, table},
            progress,
        },
    },
    context::Notice,
    data::arena::{InfoTree, PageState},
    files,
    store::{Store, TreeHead},
    text::url::canonical,
};

/// Notes on a tree that are shown.
const NOTES: usize = 10;
/// Longest file that is read.
const LONGEST: u64 = 256 << 20;

/// Runs one of the commands.
pub fn trees(global: &Global, command: &Trees, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    match command {
        Trees::Import(args) => import(&project.write(global)?, args, printer),
        Trees::Build(args) => build(global, &project, args, printer),
        Trees::List => {
            let trees = match project.read()? {
                Some(store) => store.trees()?,
                None => Vec::new(),
            };
            printer.show(&trees, list_text)?;
            Ok(exit::DONE)
        }
        Trees::Show { tree } => {
            let found = super::tree(&project.read_or_hint()?, tree)?;
            printer.show(&found, show_text)?;
            Ok(exit::DONE)
        }
        Trees::Export { tree: name, output } => {
            let found = super::tree(&project.read_or_hint()?, name)?;
            let text = JsonFile::from(tree::write(&found)).write();
            if output == Path::new("-") {
                printer.data(&text)?;
            } else {
                files::write_whole(output, text.as_bytes())
                    .context("cannot write the file\nhint: choose another place")?;
                printer.note(&format!("written: `{}`", output.display()));
            }
            Ok(exit::DONE)
        }
    }
}

/// A tree of pages of the web.
fn build(global: &Global, project: &Project, args: &BuildTree, printer: &Printer) -> Result<u8> {
    if let Some(file) = &args.topics {
        return topics::build(global, project, args, file, printer);
    }
    // Both are there, or the arguments were refused.
    let name = args.name.as_deref().unwrap_or_default();
    let typed = args.root.as_deref().unwrap_or_default();
    let root = canonical(typed).ok_or_else(|| {
        Usage(format!(
            "not an address of the web: `{}`\nhint: https://…",
            on_one_line(typed)
        ))
    })?;
    refuse_jina(project)?;
    resolve::stop_on_signals(*printer)?;
    let store = project.write(global)?;
    if let Some(taken) = store.trees()?.iter().find(|tree| tree.name == name) {
        printer.note(&format!(
            "`{}` is there already, from {}: it stays, and what comes out now must be the same",
            on_one_line(&taken.name),
            on_one_line(&taken.source)
        ));
    }
    let web = super::web(global, project, args.allow_private_network, printer)?;
    let now = jiff::Timestamp::now().to_string();
    let pages = WebPages::new(&store, &web, &now);
    let shape = shape(args);
    let notify = progress::notify_in(project.progress(), global.quiet || global.json);
    notify(Notice::Start {
        stage: "pages",
        total: args.pages as u64,
    });
    let seed = project.loaded.config.seed;
    let crawled = resolve::block_on(crawl(&pages, &root, shape, seed, |_| {
        notify(Notice::Advance(1));
    }));
    notify(Notice::End);
    let tree = crawled?;
    if !tree.root().page.is_fetched() {
        return Err(Usage(format!(
            "the root cannot be had: {}\nhint: the pages that were fetched are kept; the same command tries again",
            state_word(&tree.root().page.state)
        ))
        .into());
    }
    let refusals = refusals(&tree, TreeRules::default());
    for refusal in &refusals {
        printer.error(&format!("not a tree that DR-Arena would take: {refusal}"));
    }
    store.save_tree(name, &tree, &root)?;
    let figures = figures(&tree);
    let built = Built {
        name: name.to_owned(),
        id: tree.id().to_string(),
        pages: figures.pages as u64,
        fetched: figures.fetched as u64,
        usable: figures.usable as u64,
        failed: failures(&tree),
        refusals: refusals.iter().map(ToString::to_string).collect(),
    };
    printer.show(&built, built_text)?;
    Ok(exit::DONE)
}

/// A tree that was built.
#[derive(Serialize)]
struct Built {
    name: String,
    id: String,
    pages: u64,
    fetched: u64,
    /// Pages with enough text to be asked about.
    usable: u64,
    /// Pages that could not be had, by cause.
    failed: BTreeMap<String, u64>,
    refusals: Vec<String>,
}

fn state_word(state: &PageState) -> &str {
    match state {
        PageState::Failed(cause) => cause,
        PageState::Fetched => "fetched",
        PageState::Unvisited => "not fetched",
    }
}

fn failures(tree: &InfoTree) -> BTreeMap<String, u64> {
    let mut failed = BTreeMap::new();
    for node in tree.nodes() {
        if let PageState::Failed(cause) = &node.page.state {
            *failed.entry(cause.clone()).or_default() += 1;
        }
    }
    failed
}

fn built_text(built: &Built) -> String {
    let failed: Vec<String> = built
        .failed
        .iter()
        .map(|(cause, n)| format!("{cause} {n}"))
        .collect();
    let failed = if failed.is_empty() {
        "none".to_owned()
    } else {
        failed.join(", ")
    };
    format!(
        "{}: {}, {} fetched, {} to ask about; failed: {failed}\nnext: `taskgen arena match A B --tree {}`",
        on_one_line(&built.name),
        count(built.pages, "page"),
        built.fetched,
        built.usable,
        on_one_line(&built.name),
    )
}

#[derive(Default, Serialize)]
struct Imported {
    trees: Vec<Taken>,
    problems: Vec<Problem>,
}

#[derive(Serialize)]
struct Taken {
    name: String,
    id: String,
    pages: u64,
    /// What a reader should know of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

fn import(store: &Store, args: &ImportTrees, printer: &Printer) -> Result<u8> {
    let mut imported = Imported::default();
    for path in &args.paths {
        for file in files_of(path, &mut imported.problems) {
            match taken(store, &file, &args.base_url) {
                Ok(taken) => imported.trees.push(taken),
                Err(error) => imported.problems.push(Problem {
                    place: file.display().to_string(),
                    problem: format!("{error:#}"),
                }),
            }
        }
    }
    printer.show(&imported, import_text)?;
    Ok(if imported.problems.is_empty() {
        exit::DONE
    } else {
        exit::SOME_FAILED
    })
}

/// The file, or those of a folder that may be trees, by name.
fn files_of(path: &Path, problems: &mut Vec<Problem>) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let entries = match fs_err::read_dir(path) {
        Ok(entries) => entries,
        Err(error) => {
            problems.push(Problem {
                place: path.display().to_string(),
                problem: error.to_string(),
            });
            return Vec::new();
        }
    };
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| is_document(file) || is_tree(file))
        .collect();
    found.sort();
    found
}

fn has_ending(file: &Path, ending: &str) -> bool {
    file.extension()
        .is_some_and(|of| of.eq_ignore_ascii_case(ending))
}

fn is_document(file: &Path) -> bool {
    has_ending(file, "md")
}

/// Of a folder of DR-Arena: the trees, and not what lies beside them.
fn is_tree(file: &Path) -> bool {
    let stem = file
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    has_ending(file, "json")
        && !stem.is_some_and(|stem| ["summary", "metadata", "trends"].contains(&&*stem))
}

fn taken(store: &Store, file: &Path, base_url: &str) -> Result<Taken> {
    let stem = file
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    let name = stem.context("a file without a name")?;
    let length = fs_err::metadata(file)?.len();
    anyhow::ensure!(length <= LONGEST, "longer than {} MB", LONGEST >> 20);
    let bytes = fs_err::read(file)?;
    let (tree, notes) = if is_document(file) {
        let text = String::from_utf8_lossy(&bytes);
        let tree = markdown::tree(&text, &format!("{base_url}{name}"))?;
        (tree, Vec::new())
    } else if let Ok(tree) = serde_json::from_slice::<InfoTree>(&bytes) {
        (tree, Vec::new())
    } else {
        of_dr_arena(&name, &bytes)?
    };
    store.save_tree(&name, &tree, &on_one_line(&file.display().to_string()))?;
    Ok(Taken {
        name,
        id: tree.id().to_string(),
        pages: tree.nodes().len() as u64,
        notes,
    })
}

/// A tree of DR-Arena's file, with what it cannot hold of the file.
fn of_dr_arena(name: &str, bytes: &[u8]) -> Result<(InfoTree, Vec<String>)> {
    let file = JsonFile::<TreeNode>::read(name, bytes)?;
    let read = tree::read(&file.value.content)?;
    let mut notes: Vec<String> = file.problems.iter().map(ToString::to_string).collect();
    notes.extend(read.findings.iter().map(ToString::to_string));
    let more = (notes.len().saturating_sub(NOTES) + read.untold) as u64;
    notes.truncate(NOTES);
    if more > 0 {
        notes.push(format!("and {more} more"));
    }
    Ok((read.tree, notes))
}

fn import_text(imported: &Imported) -> String {
    let mut out = String::new();
    for tree in &imported.trees {
        out.push_str(&format!(
            "{}: {}\n",
            on_one_line(&tree.name),
            count(tree.pages, "page")
        ));
        for note in &tree.notes {
            out.push_str(&format!("  {}\n", on_one_line(note)));
        }
    }
    out.push_str(&listed(&imported.problems));
    out
}

fn list_text(trees: &Vec<TreeHead>) -> String {
    if trees.is_empty() {
        return "no trees yet\nhint: `taskgen arena trees import FILE`".to_owned();
    }
    let mut rows = table(&["tree", "pages", "from", "id"]);
    for tree in trees {
        rows.add_row([
            on_one_line(&tree.name),
            tree.pages.to_string(),
            on_one_line(&tree.source),
            tree.id.to_string(),
        ]);
    }
    rows.to_string()
}

fn show_text(tree: &InfoTree) -> String {
    let mut out = String::new();
    for node in tree.nodes() {
        let depth = tree.depth(&node.id).unwrap_or(0);
        let title = node.page.title.as_deref().unwrap_or(&node.page.url);
        let material = node.page.material().map_or(0, |text| text.chars().count());
        out.push_str(&format!(
            "{}{} ({})\n",
            "  ".repeat(depth),
            on_one_line(title),
            count(material as u64, "character")
        ));
    }
    out
}
