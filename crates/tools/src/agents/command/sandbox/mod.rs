//! What an agent's program may read and write: its own folder, the system, its own installation and
//! what the user opens to it. The kernel's Landlock refuses all other files to the program and to
//! everything that it starts. The network stays open: research needs the web.

#[cfg(target_os = "linux")]
mod enforce;
mod installation;

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

#[cfg(target_os = "linux")]
pub(super) use enforce::enforce;

/// Folders of the system that every program may read.
const SYSTEM: [&str; 17] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/snap",
    "/proc",
    "/sys",
    "/run/current-system",
    "/var/cache/fontconfig",
    "/var/lib/ca-certificates",
];

/// The files that are open to a program, beside its own folder and a few devices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sandbox {
    /// Files and folders that may be read and executed.
    pub readable: Vec<PathBuf>,
    /// Files and folders that may be written, too.
    pub writable: Vec<PathBuf>,
}

impl Sandbox {
    /// What a command needs: the system, the folders of `PATH`, the installations of its programs,
    /// and the files that it names. Nothing of this opens a `closed` file, or a folder that is or
    /// holds a `closed` folder.
    pub fn of_command(argv: &[String], path: Option<&OsStr>, closed: &[PathBuf]) -> Self {
        let closed: Vec<PathBuf> = closed.iter().map(|path| real(path)).collect();
        let folders: Vec<PathBuf> = closed
            .iter()
            .filter(|path| path.is_dir())
            .cloned()
            .collect();
        let mut readable: Vec<PathBuf> = SYSTEM
            .iter()
            .flat_map(|folder| around(&real(Path::new(folder)), &closed))
            .collect();
        let of_programs = installation::of_command(argv, path).into_iter();
        readable.extend(
            of_programs
                .map(|path| real(&path))
                .filter(|path| path.exists() && !holds_any(path, &folders))
                // A file with keys beside a script closes itself and not the script's folder.
                .flat_map(|path| around(&path, &closed)),
        );
        let mut sandbox = Self::default();
        sandbox.open_to_read(readable);
        sandbox
    }

    /// Opens more files and folders to be read.
    pub fn open_to_read(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        self.readable.extend(paths);
        self.readable.sort();
        // A folder stands before what lies in it.
        self.readable
            .dedup_by(|inner, outer| inner.starts_with(outer));
    }
}

/// Whether the kernel can keep a program in a sandbox.
pub fn is_supported() -> bool {
    #[cfg(target_os = "linux")]
    return enforce::is_supported();
    #[cfg(not(target_os = "linux"))]
    false
}

/// The folder; or, where it holds something closed, what else lies in it.
fn around(folder: &Path, closed: &[PathBuf]) -> Vec<PathBuf> {
    if closed.iter().any(|path| path == folder) || !folder.exists() {
        return Vec::new();
    }
    if !holds_any(folder, closed) {
        return vec![folder.to_owned()];
    }
    let entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
    entries
        // A link may lead to what is closed, or out of the folder.
        .filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()))
        .flat_map(|entry| around(&entry.path(), closed))
        .collect()
}

fn holds_any(folder: &Path, closed: &[PathBuf]) -> bool {
    closed.iter().any(|path| path.starts_with(folder))
}

/// Where a path leads: rules of the kernel are for files, whatever links lead to them.
fn real(path: &Path) -> PathBuf {
    fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for file in files {
            let file = root.path().join(file);
            fs_err::create_dir_all(file.parent().expect("a folder")).expect("writable");
            fs_err::write(file, "").expect("writable");
        }
        root
    }

    #[test]
    fn a_folder_with_something_closed_is_opened_around_it() {
        let root = tree(&["app/tasks/db", "app/agent.py", "lib/x", "keys.env"]);
        let at = |name: &str| real(root.path()).join(name);
        std::os::unix::fs::symlink(at("app"), at("current")).expect("writable");
        let mut open = around(&real(root.path()), &[at("app"), at("keys.env")]);
        open.sort();
        assert_eq!(open, [at("lib")]);
        let mut open = around(&real(root.path()), &[at("app/tasks")]);
        open.sort();
        assert_eq!(open, [at("app/agent.py"), at("keys.env"), at("lib")]);
    }

    #[test]
    fn what_lies_in_an_open_folder_is_not_named_again() {
        let mut sandbox = Sandbox::default();
        sandbox.open_to_read(["/a/b", "/a", "/a/b/c", "/ab"].map(PathBuf::from));
        assert_eq!(sandbox.readable, ["/a", "/ab"].map(PathBuf::from));
    }

    /// The script in the project's folder is open, and the folder is not; that of a script in a
    /// folder of its own is.
    #[test]
    fn a_script_opens_its_folder_unless_that_holds_the_project() {
        let root = tree(&[
            "agent.py",
            "tasks/taskgen.db",
            "mine/agent.py",
            "mine/more.py",
            "beside/agent.py",
            "beside/.env",
        ]);
        let at = |name: &str| real(root.path()).join(name);
        let opened = |word: &str| {
            let argv = ["/bin/sh".to_owned(), at(word).display().to_string()];
            let closed = [root.path().to_owned(), at("tasks"), at("beside/.env")];
            let sandbox = Sandbox::of_command(&argv, None, &closed);
            let here = real(root.path());
            let of_project = sandbox.readable.into_iter();
            of_project
                .filter(|path| path.starts_with(&here) || here.starts_with(path))
                .collect::<Vec<_>>()
        };
        assert_eq!(opened("agent.py"), [at("agent.py")]);
        assert_eq!(opened("mine/agent.py"), [at("mine")]);
        assert_eq!(opened("mine"), [at("mine")]);
        assert_eq!(opened("beside/agent.py"), [at("beside/agent.py")]);
        assert_eq!(opened("tasks"), [] as [PathBuf; 0]);
        assert_eq!(opened("."), [] as [PathBuf; 0]);
    }
}
