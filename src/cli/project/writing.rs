//! Who writes to a project at a time. One command writes what stages conclude; beside it, agents
//! answer and shards transcribe, whose facts nobody else writes; and what takes facts out, or
//! brings the database up to date, is alone.

use std::{path::PathBuf, time::Duration};

use anyhow::{Context as _, Result};

use super::Project;
use crate::{
    cli::{args::Global, ui::log},
    data::id::sha256_hex,
    files,
    store::{Locked, RunInfo, Store, WriteLock},
};

/// What the names of locks of models begin with.
pub const OF_MODEL: &str = "model-";
/// Who may be beside the one command that writes, for those who must wait for them.
const BESIDE: &str = "an agent that answers, or a shard of a transcription";
/// Looks at whether another command has brought the database up to date, which takes a moment.
const LOOKS: u32 = 20;
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// Who is alone, for those who must wait for it.
const ALONE: &str = "a command that takes something out, or brings the database up to date";

impl Project {
    /// The database for the one command that writes, with a new run in it; for a dry run a
    /// temporary copy.
    pub fn write(&self, global: &Global) -> Result<Store> {
        self.open_under(global, || self.lock(global))
    }

    /// The same for a command that takes something out: no agent answers meanwhile.
    pub fn write_alone(&self, global: &Global) -> Result<Store> {
        self.open_under(global, || self.lock_alone(global))
    }

    /// The same for an agent, which answers beside the one command that writes, and beside other
    /// agents. `names` are what only one of them may be: its name, and its model if its calls would
    /// be asked twice otherwise.
    pub fn write_as_agent(&self, global: &Global, names: &[String]) -> Result<Store> {
        self.open_under(global, || self.lock_agent(global, names))
    }

    fn open_under(&self, global: &Global, lock: impl Fn() -> Result<WriteLock>) -> Result<Store> {
        let info = self.run_info()?;
        if global.dry_run {
            // No lock: a dry run may look while another run writes.
            return Store::scratch(&self.database(), &info);
        }
        self.bring_up_to_date(global)?;
        let store = Store::open(&self.database(), lock()?, &info)?;
        log::to_file_in(&self.tasks().join("logs"))?;
        tracing::info!(
            seed = info.seed,
            version = env!("CARGO_PKG_VERSION"),
            "{}",
            info.command
        );
        Ok(store)
    }

    /// Makes or migrates the database, which only one command may do.
    fn bring_up_to_date(&self, global: &Global) -> Result<()> {
        for _ in 0..LOOKS {
            if Store::is_up_to_date(&self.database())? {
                return Ok(());
            }
            match self.lock_alone(global) {
                Ok(lock) => return Store::bring_up_to_date(&self.database(), &lock),
                // Agents that are started together find it outdated together: one of them does it.
                Err(error) if error.is::<Locked>() => std::thread::sleep(LOOK_AGAIN),
                Err(error) => return Err(error),
            }
        }
        Store::bring_up_to_date(&self.database(), &self.lock_alone(global)?)
    }

    /// The database for what people decide. The lock is not held: several people decide at once,
    /// and beside a running command.
    pub fn decide(&self, global: &Global) -> Result<Store> {
        let beside = Store::open_beside(&self.database(), &self.run_info()?)?;
        beside.map_or_else(|| self.write(global), Ok)
    }

    /// The same for hours: it never holds a lock.
    pub fn decide_beside(&self, global: &Global) -> Result<Store> {
        self.bring_up_to_date(global)?;
        let beside = Store::open_beside(&self.database(), &self.run_info()?)?;
        beside.context("the database was brought up to date, and is not any more")
    }

    fn run_info(&self) -> Result<RunInfo> {
        let config = serde_json::to_string(&self.loaded.config)?;
        Ok(RunInfo {
            command: typed(),
            config_hash: sha256_hex(config.as_bytes()),
            seed: self.loaded.config.seed,
            started: jiff::Timestamp::now().to_string(),
        })
    }

    /// The right to be the one command that writes, held until it is dropped or the process ends.
    pub fn lock(&self, global: &Global) -> Result<WriteLock> {
        WriteLock::take(&self.lock_file("taskgen")?, &holder(), global.wait)
    }

    /// The right to write beside that command, as others may.
    pub fn lock_beside(&self, global: &Global) -> Result<WriteLock> {
        WriteLock::share(&self.lock_file("beside")?, ALONE, global.wait)
    }

    /// The right to write while nobody else does.
    pub fn lock_alone(&self, global: &Global) -> Result<WriteLock> {
        let one = self.lock(global)?;
        let path = self.lock_file("beside")?;
        Ok(one.with(WriteLock::exclude(&path, BESIDE, global.wait)?))
    }

    fn lock_agent(&self, global: &Global, names: &[String]) -> Result<WriteLock> {
        let mut lock = self.lock_beside(global)?;
        for name in names {
            files::create_own_folder(&self.agents())?;
            let own = self.agents().join(format!("{name}.lock"));
            // Two names with one model are refused, too, and nobody could tell why.
            let holder = match name.strip_prefix(OF_MODEL) {
                Some(_) => format!("{}, which asks the same model", holder()),
                None => holder(),
            };
            lock = lock.with(WriteLock::take(&own, &holder, global.wait)?);
        }
        Ok(lock)
    }

    fn lock_file(&self, name: &str) -> Result<PathBuf> {
        fs_err::create_dir_all(self.tasks())
            .context("cannot write to the project\nhint: its folder must be writable")?;
        Ok(self.tasks().join(name).with_extension("lock"))
    }

    /// Where agents that are programs run.
    pub fn agents(&self) -> PathBuf {
        self.tasks().join("agents")
    }
}

fn holder() -> String {
    format!("process {}, `{}`", std::process::id(), typed())
}

/// The command line as it was typed.
fn typed() -> String {
    std::env::args_os()
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}
