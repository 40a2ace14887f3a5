//! The files that belong to the programs of a command: where they are installed, with their
//! libraries and what interprets them. A guess, which spares users most of the list.

use std::{
    ffi::OsStr,
    io::Read as _,
    path::{Path, PathBuf},
};

use super::super::run::find;

/// Files at the top of an environment that is a program's alone: Python's and Conda's.
const MARKS_OF_ENVIRONMENTS: [&str; 2] = ["pyvenv.cfg", "conda-meta"];
/// Folders beside `bin` that hold parts of programs.
const BESIDE_BIN: [&str; 3] = ["lib", "lib64", "libexec"];
/// Bytes of a script that are read for its first line; the kernel reads as many.
const FIRST_LINE: u64 = 256;

/// Files and folders that the program of a command, its script and the programs of `PATH` need, and
/// those that it names.
pub fn of_command(argv: &[String], path: Option<&OsStr>) -> Vec<PathBuf> {
    let folders = path.into_iter().flat_map(std::env::split_paths);
    let folders = folders.filter(|folder| folder.is_absolute());
    let mut needed: Vec<PathBuf> = folders.flat_map(|folder| with_libraries(&folder)).collect();
    let (program, arguments) = argv.split_first().map_or((None, argv), |(program, rest)| {
        (find(program, path).ok(), rest)
    });
    let named = arguments.iter().map(PathBuf::from);
    let named: Vec<PathBuf> = named.filter(|path| path.is_absolute()).collect();
    for file in program.into_iter().chain(programs_and_script(&named)) {
        needed.extend(interpreter(&file, path).into_iter().flat_map(of_program));
        needed.extend(of_program(file));
    }
    needed.extend(named);
    needed
}

/// The programs among the files that a command names, up to the script that they run: with
/// `timeout 60 /app/bin/python /app/main.py`, what belongs to `python` and to `main.py` is needed.
fn programs_and_script(named: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = named.iter().filter(|path| path.is_file()).peekable();
    let mut found = Vec::new();
    while let Some(program) = files.next_if(|file| find(&file.to_string_lossy(), None).is_ok()) {
        found.push(program.clone());
    }
    found.extend(files.next().cloned());
    found
}

/// The program itself and its installation; where its name is a link, also where that leads: tools
/// that install programs put links into a folder of `PATH`.
fn of_program(file: PathBuf) -> Vec<PathBuf> {
    let mut needed: Vec<PathBuf> = file.parent().map(with_libraries).unwrap_or_default();
    if let Ok(real) = fs_err::canonicalize(&file) {
        needed.extend(real.parent().map(with_libraries).unwrap_or_default());
    }
    needed.push(file);
    needed
}

/// A folder of programs with what belongs to them.
fn with_libraries(folder: &Path) -> Vec<PathBuf> {
    // What chooses among the versions of a language that a user has installed (pyenv, rbenv, asdf …):
    // its small programs look for the versions and the choice beside their folder.
    if folder.ends_with("shims") {
        return folder.parent().map(Path::to_owned).into_iter().collect();
    }
    let above = folder.parent().filter(|_| folder.ends_with("bin"));
    let Some(prefix) = above else {
        return vec![folder.to_owned()];
    };
    let has = |mark: &&str| prefix.join(mark).exists();
    if MARKS_OF_ENVIRONMENTS.iter().any(has) {
        return vec![prefix.to_owned()];
    }
    // Not the whole prefix, which may be `~/.local`.
    let beside = BESIDE_BIN.iter().map(|name| prefix.join(name));
    std::iter::once(folder.to_owned()).chain(beside).collect()
}

/// The program that the first line of a script names.
fn interpreter(script: &Path, path: Option<&OsStr>) -> Option<PathBuf> {
    let mut start = Vec::new();
    let file = fs_err::File::open(script).ok()?;
    file.take(FIRST_LINE).read_to_end(&mut start).ok()?;
    let line = start
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    let mut words = std::str::from_utf8(line).ok()?.split_whitespace();
    let program = words.next()?;
    if !program.ends_with("/env") {
        return Some(program.into());
    }
    let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    find(name, path).ok()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn program(file: &Path, text: &str) {
        fs_err::create_dir_all(file.parent().expect("a folder")).expect("writable");
        fs_err::write(file, text).expect("writable");
        let mode = std::fs::Permissions::from_mode(0o755);
        fs_err::set_permissions(file, mode).expect("ours");
    }

    /// As pipx and uv install: a link in `~/.local/bin` to a script in an environment of its own,
    /// whose interpreter is a link, too.
    #[test]
    fn a_link_leads_to_the_environment_and_to_its_interpreter() {
        let home = tempfile::tempdir().expect("a folder");
        let home = fs_err::canonicalize(home.path()).expect("there");
        let tool = home.join(".local/share/tools/agent");
        let python = home.join("pythons/3.12/bin/python3.12");
        program(&python, "");
        let script = format!("#!{}\n", tool.join("bin/python").display());
        program(&tool.join("bin/agent"), &script);
        fs_err::write(tool.join("pyvenv.cfg"), "").expect("writable");
        symlink(&python, tool.join("bin/python")).expect("writable");
        let bin = home.join(".local/bin");
        fs_err::create_dir_all(&bin).expect("writable");
        symlink(tool.join("bin/agent"), bin.join("agent")).expect("writable");

        let needed = of_command(&["agent".into()], Some(bin.as_os_str()));
        for path in [
            &tool,
            &home.join("pythons/3.12/lib"),
            &home.join(".local/lib"),
        ] {
            assert!(needed.contains(path), "{} of {needed:?}", path.display());
        }
        for path in [&home, &home.join(".local"), &home.join(".local/share")] {
            assert!(!needed.contains(path), "{} of {needed:?}", path.display());
        }
    }

    #[test]
    fn a_program_that_runs_another_opens_that_one_and_its_script() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        program(&at("env/bin/python"), "");
        fs_err::write(at("env/pyvenv.cfg"), "").expect("writable");
        for script in ["bot/main.py", "data/questions.csv"] {
            fs_err::create_dir_all(at(script).parent().expect("a folder")).expect("writable");
            fs_err::write(at(script), "").expect("writable");
        }
        let mut argv = vec!["timeout".to_owned(), "60".to_owned()];
        for file in ["env/bin/python", "bot/main.py", "data/questions.csv"] {
            argv.push(at(file).display().to_string());
        }
        let needed = of_command(&argv, None);
        for path in ["env", "bot", "bot/main.py", "data/questions.csv"] {
            assert!(needed.contains(&at(path)), "{path} of {needed:?}");
        }
        assert!(!needed.contains(&at("data")), "{needed:?}");
    }

    #[test]
    fn the_interpreter_is_what_the_first_line_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let bin = folder.path().join("bin");
        program(&bin.join("node"), "");
        let named = |line: &str| {
            let script = folder.path().join("script");
            fs_err::write(&script, line).expect("writable");
            interpreter(&script, Some(bin.as_os_str()))
        };
        assert_eq!(named("#! /bin/sh -e\nexit"), Some("/bin/sh".into()));
        assert_eq!(named("#!/usr/bin/env node"), Some(bin.join("node")));
        let split = "#!/usr/bin/env -S A=1 node --x\n";
        assert_eq!(named(split), Some(bin.join("node")));
        for none in ["", "#!", "\u{7f}ELF", "#!/usr/bin/env nothing-here\n"] {
            assert_eq!(named(none), None, "{none}");
        }
    }
}
