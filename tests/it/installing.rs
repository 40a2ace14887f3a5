//! What `make install` puts beside the program: completions and man pages that know every command
//! and every flag, and nothing that `make uninstall` leaves behind.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::support::taskgen;

/// A command by its words, and the long flags that its help names.
struct Helped {
    words: Vec<String>,
    flags: BTreeSet<String>,
}

/// Every command, as the help of the one above it lists them.
fn commands(words: Vec<String>) -> Vec<Helped> {
    let arguments: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
    let (code, help, _) = taskgen(Path::new("."), &arguments);
    assert_eq!(code, Some(0), "{arguments:?}");
    let below = listed(&help);
    let mut all = vec![Helped {
        words: words.clone(),
        flags: flags(&help),
    }];
    for name in below {
        all.extend(commands([words.clone(), vec![name]].concat()));
    }
    all
}

/// The names under `Commands:`; `help` is none of ours.
fn listed(help: &str) -> Vec<String> {
    let Some((_, after)) = help.split_once("\nCommands:\n") else {
        return Vec::new();
    };
    let lines = after.lines().take_while(|line| !line.is_empty());
    // The text of a command that goes on in the next line stands further to the right.
    lines
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// The flags that begin a line.
fn flags(help: &str) -> BTreeSet<String> {
    let mut flags = BTreeSet::new();
    for line in help.lines().map(str::trim_start) {
        let flag = line
            .split_whitespace()
            .take(2)
            .find(|word| word.starts_with("--"))
            .filter(|_| line.starts_with('-'));
        flags.extend(flag.map(|flag| flag.trim_end_matches(['.', ',']).to_owned()));
    }
    flags
}

#[test]
fn every_command_has_a_man_page_that_names_its_flags() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, printed, said) = taskgen(folder.path(), &["man", "--output", "pages"]);
    assert_eq!(code, Some(0), "{said}");
    let all = commands(Vec::new());
    assert!(all.len() > 40, "{} commands", all.len());
    assert_eq!(printed.lines().count(), all.len(), "{printed}");
    for command in all {
        let name = [vec!["taskgen".to_owned()], command.words]
            .concat()
            .join("-");
        let page = std::fs::read_to_string(folder.path().join(format!("pages/{name}.1")))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let page = page.replace('\\', "");
        for flag in command.flags {
            assert!(page.contains(&flag), "{name}.1 lacks {flag}");
        }
    }
    let (_, main, _) = taskgen(folder.path(), &["man"]);
    let written = std::fs::read_to_string(folder.path().join("pages/taskgen.1")).expect("a page");
    assert_eq!(main.trim_end(), written.trim_end());
}

#[test]
fn every_shell_completes_every_command_and_flag() {
    let all = commands(Vec::new());
    for shell in ["bash", "zsh", "fish"] {
        let (code, script, said) = taskgen(Path::new("."), &["completions", shell]);
        assert_eq!(code, Some(0), "{said}");
        for command in &all {
            let name = command.words.last().map_or("taskgen", String::as_str);
            assert!(script.contains(name), "{shell}: {name}");
            // What is written for fish knows two levels of commands.
            if shell == "fish" && command.words.len() > 2 {
                continue;
            }
            for flag in &command.flags {
                // fish says `-l json` for --json.
                let known = match shell {
                    "fish" => format!("-l {}", flag.trim_start_matches('-')),
                    _ => flag.clone(),
                };
                assert!(
                    script.contains(&known),
                    "{shell}: {:?} {flag}",
                    command.words
                );
            }
        }
    }
    let (code, _, said) = taskgen(Path::new("."), &["completions", "tcsh"]);
    assert!(code == Some(2) && said.contains("bash"), "{said}");
}

/// Runs the script that `make install` runs, with binaries that are already built.
fn script(args: &[&str], prefix: &Path, path: &str) -> Output {
    let built = prefix.with_file_name("built");
    if !built.is_dir() {
        std::fs::create_dir_all(&built).expect("writable");
        for program in ["taskgen", "taskgen-llm"] {
            // The script only copies the program of the language model.
            std::fs::copy(env!("CARGO_BIN_EXE_taskgen"), built.join(program)).expect("a copy");
        }
    }
    Command::new("scripts/install.sh")
        .args(args)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("PREFIX", prefix)
        .env("TASKGEN_INSTALL_FROM", built)
        .env("SHELL", "/bin/bash")
        .env("PATH", path)
        .output()
        .expect("the script runs")
}

/// Every file under a folder, from there.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder").flatten() {
            if entry.path().is_dir() {
                open.push(entry.path());
            } else {
                let from_here = entry.path().strip_prefix(folder).map(Path::to_owned);
                found.push(from_here.expect("a path below"));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn what_is_installed_is_what_uninstalling_removes() {
    let home = tempfile::tempdir().expect("a folder");
    let prefix = home.path().join("prefix");
    let strangers = prefix.join("share/man/man1/other.1");
    std::fs::create_dir_all(strangers.parent().expect("a folder")).expect("writable");
    std::fs::write(&strangers, "of another program").expect("writable");
    let usual = std::env::var("PATH").expect("a PATH");

    let done = script(&["install"], &prefix, &usual);
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    let line = format!(
        "{0}/bin is not on the PATH yet; add it: echo 'export PATH=\"{0}/bin:$PATH\"' >> ~/.bashrc",
        prefix.display()
    );
    assert_eq!(said.trim_end(), line);
    let mut installed = files(&prefix);
    installed.retain(|file| {
        !file.starts_with("share/man") || file.ends_with("man1/taskgen-rank-simulate.1")
    });
    let names: Vec<String> = installed
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    insta::assert_snapshot!(names.join("\n"), @r"
    bin/taskgen
    bin/taskgen-llm
    share/bash-completion/completions/taskgen
    share/fish/vendor_completions.d/taskgen.fish
    share/man/man1/taskgen-rank-simulate.1
    share/taskgen/installed
    share/zsh/site-functions/_taskgen
    ");
    let before = files(&prefix);

    // Once more, with the programs on the PATH, and with a page of an older version.
    let record = prefix.join("share/taskgen/installed");
    let old = prefix.join("share/man/man1/taskgen-gone.1");
    let recorded = std::fs::read_to_string(&record).expect("a record");
    std::fs::write(&record, recorded + "share/man/man1/taskgen-gone.1\n").expect("writable");
    std::fs::write(&old, "of an older version").expect("writable");
    let done = script(
        &["install"],
        &prefix,
        &format!("{}/bin:{usual}", prefix.display()),
    );
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
    assert_eq!(files(&prefix), before);

    let done = script(&["uninstall"], &prefix, &usual);
    assert!(done.status.success());
    assert_eq!(files(&prefix), [Path::new("share/man/man1/other.1")]);
    assert!(!prefix.join("share/zsh").exists() && !prefix.join("share/taskgen").exists());
    let again = script(&["uninstall"], &prefix, &usual);
    assert_eq!(again.status.code(), Some(2));
}
