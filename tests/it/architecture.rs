//! The rules of the house, read off the source: which layer may import which, and what only one
//! place may do. ARCHITECTURE.md explains them; a new edge is a failing test here before it is a
//! habit.

use std::path::{Path, PathBuf};

use crate::source::{Source, follows, read_tree};

/// Each top-level module with what it may import, itself apart. `*` is everything below `cli`.
const LAYERS: &[(&str, &[&str])] = &[
    ("cli", &["*"]),
    (
        "server",
        &[
            "report",
            "transcribe",
            "weave",
            "rank",
            "evaluate",
            "audit",
            "arena",
            "evidence",
            "store",
            "stats",
            "text",
            "data",
        ],
    ),
    ("cluster", &["files"]),
    (
        "report",
        &[
            "inspire",
            "weave",
            "probe",
            "rank",
            "answer",
            "evaluate",
            "audit",
            "arena",
            "transcribe",
            "evidence",
            "similarity",
            "store",
            "files",
            "stats",
            "text",
            "data",
        ],
    ),
    (
        "transcribe",
        &[
            "context",
            "store",
            "models",
            "files",
            "isolation",
            "stats",
            "text",
            "data",
        ],
    ),
    ("inspire", STAGE),
    ("weave", STAGE),
    ("probe", STAGE),
    ("rank", STAGE),
    ("answer", STAGE),
    ("evaluate", STAGE),
    ("audit", STAGE),
    (
        "collect",
        &[
            "mediawiki",
            "benchmarks",
            "context",
            "files",
            "text",
            "data",
        ],
    ),
    (
        "arena",
        &[
            "agents",
            "context",
            "llm",
            "search",
            "web",
            "store",
            "citations",
            "stats",
            "text",
            "data",
        ],
    ),
    (
        "agents",
        &["context", "llm", "files", "citations", "text", "data"],
    ),
    ("benchmarks", &["text", "data"]),
    (
        "evidence",
        &[
            "judging",
            "context",
            "llm",
            "web",
            "embed",
            "store",
            "citations",
            "text",
            "data",
        ],
    ),
    (
        "judging",
        &["context", "llm", "store", "stats", "text", "data"],
    ),
    ("context", &["llm", "store", "data"]),
    ("similarity", &["embed", "text"]),
    ("embed", &["files", "text", "data"]),
    ("llm", &["store", "models", "http", "files", "text", "data"]),
    ("web", &["store", "http", "isolation", "text", "data"]),
    ("mediawiki", &["web", "http", "text", "data"]),
    (
        "search",
        &["evidence", "web", "store", "http", "text", "data"],
    ),
    ("models", &["http", "files", "data"]),
    ("store", &["files", "data"]),
    ("http", &[]),
    ("files", &[]),
    ("isolation", &[]),
    ("data", &[]),
    ("stats", &[]),
    ("lint", &["citations", "text"]),
    ("citations", &["text"]),
    ("text", &[]),
    // Replies that the tests of several stages read.
    ("replies", &[]),
];

/// A stage sees its tools and the nouns: never another stage, never pages or the command line.
const STAGE: &[&str] = &[
    "agents",
    "benchmarks",
    "lint",
    "evidence",
    "similarity",
    "embed",
    "judging",
    "context",
    "llm",
    "web",
    "store",
    "stats",
    "text",
    "data",
    "replies",
];

/// Words that only some places may use, each with the places and the reason.
const ONLY: &[(&[&str], &[&str], &str)] = &[
    (&["println", "!"], &["cli"], "only cli prints"),
    (&["print", "!"], &["cli"], "only cli prints"),
    (&["eprintln", "!"], &["cli"], "only cli prints"),
    (&["eprint", "!"], &["cli"], "only cli prints"),
    (
        &["env", "::", "var"],
        &["cli"],
        "only cli reads the environment",
    ),
    (
        &["env", "::", "var_os"],
        &["cli"],
        "only cli reads the environment",
    ),
    (
        &["env", "::", "vars"],
        &["cli"],
        "only cli reads the environment",
    ),
    (
        &["env", "::", "vars_os"],
        &["cli"],
        "only cli reads the environment",
    ),
    (
        &["env", "::", "home_dir"],
        &["cli"],
        "only cli reads the environment",
    ),
    (
        &["process", "::", "exit"],
        &["cli", "main", "bin"],
        "only cli chooses an exit code",
    ),
    (
        &["ExitCode"],
        &["cli", "main", "bin"],
        "only cli chooses an exit code",
    ),
    (&["rusqlite"], &["store"], "only store contains SQL"),
    (
        &["reqwest"],
        &["http", "llm", "web", "mediawiki", "search", "models"],
        "only llm, web, mediawiki, search and models call out, through http",
    ),
    (&["backon"], &["http"], "there is one retry policy, in http"),
    (
        &["TcpListener"],
        &["server", "web"],
        "nothing listens but the server, and servers in the fetcher's tests",
    ),
    (
        &["TcpStream"],
        &["http", "server"],
        "only llm, web and models call out, through http",
    ),
    (
        &["clap"],
        &["cli", "main", "bin"],
        "only cli parses arguments",
    ),
    (
        &["llama_cpp_2"],
        &["bin"],
        "the library and taskgen-llm each bring a ggml: one binary cannot hold two",
    ),
    (
        &["llguidance"],
        &["bin"],
        "the library and taskgen-llm each bring a ggml: one binary cannot hold two",
    ),
    (
        &["whisper_rs"],
        &["transcribe", "models"],
        "the library and taskgen-llm each bring a ggml",
    ),
    (
        &["taskgen", "::"],
        &["main"],
        "taskgen-llm must not link the library",
    ),
    (&["taskgen_base"], &["lib"], THROUGH_LIB),
    (&["taskgen_tools"], &["lib"], THROUGH_LIB),
    (&["taskgen_stages"], &["lib"], THROUGH_LIB),
];

const THROUGH_LIB: &str =
    "only a lib.rs names a crate of ours, all else says `crate::` and the layer";

/// What the pure modules do without: files, an asynchronous runtime, clocks and randomness of their
/// own.
const IMPURE: &[&str] = &[
    "tokio",
    "fs_err",
    "File",
    "SystemTime",
    "Instant",
    "Zoned",
    "Timestamp",
    "thread_rng",
    "ThreadRng",
    "OsRng",
];
const PURE: &[&str] = &["data", "stats", "text", "citations", "lint"];

const MOST_LINES: usize = 630;

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The sources of the program and of the crates below it, each with its path below its `src`.
fn sources() -> Vec<Source> {
    let folders = [
        "src",
        "crates/stages/src",
        "crates/tools/src",
        "crates/base/src",
    ];
    folders
        .iter()
        .flat_map(|folder| {
            let files = read_tree(&root().join(folder));
            assert!(files.len() > 10, "the source was found: {folder}");
            files
        })
        .collect()
}

fn assert_none(violations: &[String]) {
    assert!(violations.is_empty(), "\n{}\n", violations.join("\n"));
}

fn wrong_edges(source: &Source) -> Vec<String> {
    let module = source.module();
    if matches!(module, "lib" | "main" | "bin") {
        return Vec::new();
    }
    let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == module) else {
        return vec![format!(
            "{}: `{module}` has no layer: add it to ARCHITECTURE.md and to this test",
            source.path
        )];
    };
    source
        .imports()
        .into_iter()
        .filter(|to| to != module && !allowed.contains(&to.as_str()) && !allowed.contains(&"*"))
        .map(|to| format!("{}: `{module}` must not import `{to}`", source.path))
        .collect()
}

fn words_out_of_place(source: &Source) -> Vec<String> {
    let words = source.words();
    let named = |pattern: &[&str]| (0..words.len()).any(|at| follows(&words, at, pattern));
    let mut wrong: Vec<String> = ONLY
        .iter()
        .filter(|(pattern, places, _)| !places.contains(&source.module()) && named(pattern))
        .map(|(pattern, _, reason)| format!("{}: `{}`: {reason}", source.path, pattern.concat()))
        .collect();
    if PURE.contains(&source.module()) {
        let impure = IMPURE.iter().filter(|word| named(&[word]));
        wrong.extend(impure.map(|word| {
            format!(
                "{}: `{word}`: data, stats, text, citations and lint are pure",
                source.path
            )
        }));
    }
    wrong
}

#[test]
fn imports_point_down() {
    assert_none(&sources().iter().flat_map(wrong_edges).collect::<Vec<_>>());
}

/// A layer that does not exist allows what nobody has looked at.
#[test]
fn every_layer_exists() {
    let modules: Vec<String> = sources()
        .iter()
        .map(|source| source.module().to_owned())
        .collect();
    for (name, allowed) in LAYERS {
        let named = std::iter::once(name).chain(allowed.iter());
        for layer in named.filter(|layer| **layer != "*") {
            assert!(
                modules.iter().any(|module| module == layer),
                "no module `{layer}`"
            );
        }
    }
}

#[test]
fn some_things_are_done_in_one_place_only() {
    assert_none(
        &sources()
            .iter()
            .flat_map(words_out_of_place)
            .collect::<Vec<_>>(),
    );
}

#[test]
fn planted_violations_are_found() {
    let edges = |path: &str, text: &str| wrong_edges(&Source::new(path, text)).len();
    assert_eq!(
        edges("rank/mod.rs", "use crate::{store::Store, weave::rules};"),
        1,
        "a stage and another stage"
    );
    assert_eq!(
        edges("rank/elo.rs", "use super::super::cli::output;"),
        1,
        "a stage and cli"
    );
    assert_eq!(
        edges("data/task.rs", "fn f() { crate::text::fold(\"\") }"),
        1,
        "the nouns and a tool"
    );
    assert_eq!(
        edges("models/pull.rs", "use crate::store;"),
        1,
        "models and the database"
    );
    assert_eq!(
        edges("unheard_of/mod.rs", ""),
        1,
        "a module without a layer"
    );
    assert_eq!(
        edges(
            "rank/mod.rs",
            "//! crate::cli\nuse crate::{data::Task, stats::elo};"
        ),
        0,
        "what is allowed"
    );

    let words = |path: &str, text: &str| words_out_of_place(&Source::new(path, text)).len();
    assert_eq!(
        words(
            "rank/mod.rs",
            "fn f() { println!(\"\"); std::env::var(\"A\"); std::process::exit(1) }"
        ),
        3
    );
    assert_eq!(
        words(
            "rank/mod.rs",
            "use rusqlite::Connection; use llama_cpp_2::model;"
        ),
        2
    );
    assert_eq!(
        words(
            "bin/taskgen-llm.rs",
            "use llama_cpp_2::model; use taskgen::data;"
        ),
        1
    );
    assert_eq!(words("text/mod.rs", "use std::time::Instant;"), 1);
    assert_eq!(
        words(
            "cli/mod.rs",
            "fn f() { println!(\"{}\", std::env::var(\"A\")) }"
        ),
        0
    );
}

#[test]
fn every_file_says_what_it_is() {
    let silent = sources()
        .into_iter()
        .filter(|s| s.path != "main.rs" && !s.text.starts_with("//! "));
    assert_none(
        &silent
            .map(|s| format!("{}: does not open with `//!`", s.path))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn no_file_is_long() {
    let mut all = sources();
    all.extend(read_tree(&root().join("tests")));
    let long = all.iter().filter(|s| s.text.lines().count() > MOST_LINES);
    assert_none(
        &long
            .map(|s| format!("{}: over {MOST_LINES} lines", s.path))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn every_prompt_is_used() {
    let source: String = sources().iter().map(|s| s.text.as_str()).collect();
    let prompts = files_below(&root().join("prompts"));
    let unused = prompts
        .iter()
        .filter(|name| *name != "README.md")
        .filter(|name| {
            let stem = name.strip_suffix(".md").unwrap_or(name);
            !source.contains(&format!("\"{stem}\"")) && !source.contains(&format!("\"{name}\""))
        });
    assert_none(
        &unused
            .map(|name| format!("prompts/{name}: no source names it"))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn the_readme_lists_every_command() {
    let help = std::process::Command::new(env!("CARGO_BIN_EXE_taskgen"))
        .arg("--help")
        .output()
        .expect("taskgen runs");
    let commands = commands_of(&String::from_utf8_lossy(&help.stdout));
    assert!(!commands.is_empty(), "`taskgen --help` lists commands");
    let readme = fs_err::read_to_string(root().join("README.md")).expect("there is a README");
    let missing = commands
        .iter()
        .filter(|name| !readme.contains(&format!("`taskgen {name}")));
    assert_none(
        &missing
            .map(|name| format!("README.md: does not list `taskgen {name}`"))
            .collect::<Vec<_>>(),
    );
}

/// Paths below `src` of the files that need a Unix system, without their tests.
fn files_of_unix() -> Vec<String> {
    let needs: [&[&str]; 4] = [
        &["rustix"],
        &["landlock"],
        &["os", "::", "unix"],
        &["signal", "::", "unix"],
    ];
    let is_needed = |source: &Source| {
        let tests = ["#[cfg(test)]", "#[cfg(all(test"].map(|mark| source.text.find(mark));
        let end = tests.into_iter().flatten().min();
        let code = &source.text[..end.unwrap_or(source.text.len())];
        let words = Source::new(&source.path, code).words();
        let named = |pattern: &&[&str]| (0..words.len()).any(|at| follows(&words, at, pattern));
        needs.iter().any(named)
    };
    let files = sources().into_iter().filter(is_needed);
    files
        .map(|source| source.path)
        .filter(|path| !path.ends_with("tests.rs"))
        .collect()
}

#[test]
fn what_needs_unix_is_on_its_page() {
    let page = fs_err::read_to_string(root().join("docs/platforms.md")).expect("there is a page");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let mut listed: Vec<&str> = rows
        .filter_map(|row| row.split('`').next()?.split("src/").nth(1))
        .collect();
    listed.sort_unstable();
    let mut found = files_of_unix();
    found.sort();
    assert_eq!(
        listed, found,
        "docs/platforms.md lists every file that needs Unix"
    );
}

#[test]
fn commands_are_read_from_the_help() {
    let help = "Does it\n\nUsage: taskgen [OPTIONS] <COMMAND>\n\nCommands:\n  run     All stages\n  tasks   List,\n          show\n  \
                help    Print this\n\nOptions:\n  -q, --quiet\n";
    assert_eq!(commands_of(help), ["run", "tasks"]);
}

/// The names in the section `Commands:` of clap's help.
fn commands_of(help: &str) -> Vec<String> {
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.trim().is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help")
        .map(str::to_owned)
        .collect()
}

/// The files below a folder, relative to it; none where there is no folder.
fn files_below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        let Ok(entries) = fs_err::read_dir(&next) else {
            continue;
        };
        for entry in entries {
            let path = entry.expect("the entry is readable").path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(
                    path.strip_prefix(folder)
                        .expect("below the folder")
                        .to_string_lossy()
                        .replace('\\', "/"),
                );
            }
        }
    }
    found.sort();
    found
}
