//! Here is a fact: keep it; what do you know? One SQLite file, `tasks/taskgen.db`, the only place
//! with SQL. Hides the schema, the migrations and the lock. One command writes, and beside it what
//! people decide; each write is one short transaction.

mod arena;
mod background;
mod calls;
mod comparisons;
mod evidence;
mod forget;
mod gold;
mod hidden;
mod inspirations;
mod judgements;
mod levels;
mod links;
mod lock;
mod overview;
mod pages;
mod people;
mod probes;
mod rankings;
mod reports;
mod runs;
mod seal;
mod searches;
mod seminars;
mod sets;
mod tasks;
mod trajectories;

use std::{
    ops::Deref,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard},
    time::Duration,
};

use anyhow::{Context as _, Result};
use rusqlite::{Connection, Params, Row, TransactionBehavior, config::DbConfig};
use serde::de::value::StrDeserializer;

use crate::files;
use seal::Altered;

pub use crate::data::Judge;
pub use arena::{DuelAnswer, DuelHead, TreeHead};
pub use calls::{CallFailures, CallFilter, CallHead, CallTotals, Experience, NewestCalls};
pub use comparisons::{PERSON, Recorded, list_instrument, pair_instrument};
pub use forget::{
    ByWords, ForgetCounts, Forgetting, Forgotten, FormerPath, KnownSeminar, SetChange,
};
pub use inspirations::{Rejection, STAGES};
pub use judgements::{
    Evaluation, IMPORTED, JudgementCost, Kept, PanelJudgements, PanelQuestion, PanelVerdict,
    StoredJudgement,
};
pub use levels::OrderedVerdict;
pub use lock::{Locked, NoLocks, WriteLock};
pub use overview::FactCounts;
pub use pages::Extract;
pub use rankings::Ranking;
pub use runs::{RunHead, RunInfo};
pub use searches::DrawnTree;
pub use seminars::{SeminarInfo, UNKNOWN_LICENCE};
pub use sets::{FrozenMember, FrozenSet, Line, SetInfo, leaf, nonce_at};
pub use tasks::{NotCurrent, Weaving};

/// Endings of the files that SQLite keeps beside a database: changes that are not in it yet, what
/// its readers share, and what undoes a change.
const WAL: &str = "-wal";
const SHARED_MEMORY: &str = "-shm";
const JOURNAL: &str = "-journal";

/// All migrations in order. One that has landed is never edited.
const MIGRATIONS: &[&str] = &[
    include_str!("schema/0001_init.sql"),
    include_str!("schema/0002_secret.sql"),
    include_str!("schema/0003_published.sql"),
    include_str!("schema/0004_sets.sql"),
    include_str!("schema/0005_trajectory.sql"),
    include_str!("schema/0006_arena.sql"),
    include_str!("schema/0007_search.sql"),
];

/// The project's database.
pub struct Store {
    connection: Mutex<Connection>,
    path: PathBuf,
    run: i64,
    /// Released by the kernel when the process ends, however it ends. Readers hold none.
    _lock: Option<WriteLock>,
}

impl Store {
    /// The number of this run; 0 where nothing is written.
    pub fn run(&self) -> i64 {
        self.run
    }

    /// A copy in memory to try things on: what is written to it is gone in the end. Empty where
    /// there is no database.
    pub fn scratch(path: &Path, info: &RunInfo) -> Result<Self> {
        let mut copy = Connection::open_in_memory()?;
        // One from before an update is brought up to date in the copy alone.
        if let Some((original, _)) = open_to_read(path)? {
            rusqlite::backup::Backup::new(&original, &mut copy)?.run_to_completion(
                1000,
                Duration::ZERO,
                None,
            )?;
        }
        settle(&copy, WRITER_WAITS)?;
        copy.pragma_update(None, "foreign_keys", true)?;
        migrate(&mut copy, path, Aside::Nothing)?;
        let mut store = Self {
            connection: Mutex::new(copy),
            path: path.to_owned(),
            run: 0,
            _lock: None,
        };
        store.run = store.begin_run(info)?;
        Ok(store)
    }

    /// Opens the database for reading; `None` when there is none yet.
    pub fn open_read_only(path: &Path) -> Result<Option<Self>> {
        let Some((connection, version)) = open_to_read(path)? else {
            return Ok(None);
        };
        if version != MIGRATIONS.len() {
            return Err(other_version(path, version));
        }
        Ok(Some(Self {
            connection: Mutex::new(connection),
            path: path.to_owned(),
            run: 0,
            _lock: None,
        }))
    }

    /// Another connection for reading, for another thread: a shared one would have them wait for
    /// each other. None where the database is in memory only.
    pub fn reader(&self) -> Result<Option<Self>> {
        let on_disk = self
            .connection()
            .path()
            .is_some_and(|path| !path.is_empty());
        if on_disk {
            Self::open_read_only(&self.path)
        } else {
            Ok(None)
        }
    }

    /// Whether the database is there and of this program's version.
    pub fn is_up_to_date(path: &Path) -> Result<bool> {
        // Who asks is going to write.
        refuse_links(path)?;
        let version = open_to_read(path)?.map(|(_, version)| version);
        Ok(version == Some(MIGRATIONS.len()))
    }

    /// Makes or migrates the database under a lock that leaves nobody else writing.
    pub fn bring_up_to_date(path: &Path, _: &WriteLock) -> Result<()> {
        let mut connection = open_to_write(path)?;
        migrate(&mut connection, path, Aside::Copy)
    }

    /// Opens the database for writing under `lock`, creating and migrating it, and starts a run.
    pub fn open(path: &Path, lock: WriteLock, run: &RunInfo) -> Result<Self> {
        let mut connection = open_to_write(path)?;
        migrate(&mut connection, path, Aside::Copy)?;
        let mut store = Self {
            connection: Mutex::new(connection),
            path: path.to_owned(),
            run: 0,
            _lock: Some(lock),
        };
        store.run = store.begin_run(run)?;
        Ok(store)
    }

    /// Opens the database beside a command that holds the lock, for what people decide: short
    /// transactions, which the two wait for. None where the database is of another version, or none
    /// is there: who brings it up to date needs the lock.
    pub fn open_beside(path: &Path, run: &RunInfo) -> Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        let connection = open_to_write(path)?;
        let version = user_version(&connection).with_context(|| cannot_open(path))?;
        if version != MIGRATIONS.len() {
            return Ok(None);
        }
        let mut store = Self {
            connection: Mutex::new(connection),
            path: path.to_owned(),
            run: 0,
            _lock: None,
        };
        store.run = store.begin_run(run)?;
        Ok(Some(store))
    }

    /// The key of the fences around strangers' texts: the project's own, drawn when its database
    /// was made.
    pub fn fence_key(&self) -> Result<String> {
        let sql = "SELECT value FROM secret WHERE name = 'fence'";
        self.read(|connection| Ok(connection.query_row(sql, [], |row| row.get(0))?))
    }

    /// How many recordings were forgotten, finished or not.
    pub fn count_forgotten(&self) -> Result<u64> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT count(*) FROM forgotten")?;
            Ok(statement.query_row([], |row| row.get(0))?)
        })
    }

    /// A number that changes when another connection has written.
    pub fn data_version(&self) -> Result<i64> {
        self.read(|connection| {
            Ok(connection.query_row("PRAGMA data_version", [], |row| row.get(0))?)
        })
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // A panic while the lock was held rolled its transaction back, so the connection is still
        // good.
        self.connection
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Reads, and says of an error which database it is of and what to do.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        work(&self.connection()).map_err(|error| match error.downcast::<rusqlite::Error>() {
            Ok(error) => explain_reading(&self.path, error),
            Err(other) if other.is::<Altered>() => other.context(cannot_read(&self.path, CHANGED)),
            Err(other) => other,
        })
    }

    /// One short transaction.
    fn write<T>(&self, work: impl FnOnce(&Tx<'_>) -> rusqlite::Result<T>) -> Result<T> {
        let mut connection = self.connection();
        // A transaction that first reads and then writes fails at once where another process wrote
        // in between; one that begins by writing waits.
        let transaction = Tx(connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|e| explain(&self.path, e))?);
        let value = work(&transaction).map_err(|e| explain(&self.path, e))?;
        transaction.0.commit().map_err(|e| explain(&self.path, e))?;
        Ok(value)
    }

    /// Has all that `work` reads be of one moment, though others write meanwhile; also faster for
    /// many small questions. It must write nothing.
    pub fn at_one_moment<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.execute("BEGIN")?;
        let value = work();
        // After an error of the disk nothing may be open any more: the first error is the one to
        // show.
        let ended = self.execute("COMMIT");
        let value = value?;
        ended.map(|()| value)
    }

    fn execute(&self, sql: &str) -> Result<()> {
        self.connection()
            .execute_batch(sql)
            .map_err(|e| explain(&self.path, e))
    }
}

/// A transaction that has each statement prepared once for the whole connection: judgements come in
/// by the hundred a second.
struct Tx<'a>(rusqlite::Transaction<'a>);

impl Deref for Tx<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.0
    }
}

impl Tx<'_> {
    fn execute(&self, sql: &str, values: impl Params) -> rusqlite::Result<usize> {
        self.0.prepare_cached(sql)?.execute(values)
    }

    fn query_row<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        self.0.prepare_cached(sql)?.query_row(values, read)
    }
}

/// Statements that stay prepared: more than there are.
const STATEMENTS: usize = 128;

/// How long a locked database is waited for.
const READER_WAITS: Duration = Duration::from_secs(5);
const WRITER_WAITS: Duration = Duration::from_secs(30);

/// Settings of every connection.
fn settle(connection: &Connection, patience: Duration) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Otherwise a statement is planned anew whenever it is handed other values, which took a third
    // of a leaderboard.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.busy_timeout(patience)
}

/// Readers may go through a link; what is written stays in the project.
fn refuse_links(path: &Path) -> Result<()> {
    files::refuse_link(path)?;
    for ending in [WAL, SHARED_MEMORY, JOURNAL] {
        files::refuse_link(&beside(path, ending))?;
    }
    Ok(())
}

/// A connection that writes.
fn open_to_write(path: &Path) -> Result<Connection> {
    refuse_links(path)?;
    let connection = Connection::open(path).with_context(|| cannot_open(path))?;
    settle(&connection, WRITER_WAITS)?;
    connection
        .pragma_update(None, "journal_mode", "WAL")
        .with_context(|| cannot_open(path))?;
    connection
        .pragma_update(None, "synchronous", "NORMAL")
        .map_err(|e| explain(path, e))?;
    connection
        .pragma_update(None, "foreign_keys", true)
        .map_err(|e| explain(path, e))?;
    Ok(connection)
}

/// A database of any version for reading; none where there is no file.
fn open_to_read(path: &Path) -> Result<Option<(Connection, usize)>> {
    if !path.exists() {
        return Ok(None);
    }
    let flags =
        rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = match open_shared(path, flags) {
        Err(error) if cannot_be_shared(&error) => open_unchanging(path, flags).ok_or(error),
        opened => opened,
    };
    opened.map(Some).with_context(|| cannot_open(path))
}

fn cannot_be_shared(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::ReadOnly | rusqlite::ErrorCode::CannotOpen)
    )
}

/// A database for reading, with its version.
fn open_shared(path: &Path, flags: rusqlite::OpenFlags) -> rusqlite::Result<(Connection, usize)> {
    let connection = Connection::open_with_flags(path, flags)?;
    settle(&connection, READER_WAITS)?;
    let version = user_version(&connection)?;
    Ok((connection, version))
}

/// A file that SQLite keeps beside a database.
fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// A database on a medium that cannot be written, where SQLite cannot make the files that readers
/// share. Only where none waits beside it with changes: they would be overlooked.
fn open_unchanging(path: &Path, flags: rusqlite::OpenFlags) -> Option<(Connection, usize)> {
    // SQLite keeps them beside the file itself, not beside a link to it.
    let path = std::fs::canonicalize(path).ok()?;
    let waits = |file: PathBuf| std::fs::metadata(file).is_ok_and(|file| file.len() > 0);
    if [WAL, JOURNAL]
        .map(|ending| beside(&path, ending))
        .into_iter()
        .any(waits)
    {
        return None;
    }
    let mut address = url::Url::from_file_path(&path).ok()?;
    address.set_query(Some("immutable=1"));
    let flags = flags | rusqlite::OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(address.as_str(), flags).ok()?;
    settle(&connection, READER_WAITS).ok()?;
    let version = user_version(&connection).ok()?;
    Some((connection, version))
}

/// What the user can do about an error of the database.
fn explain(path: &Path, error: rusqlite::Error) -> anyhow::Error {
    let hint = match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DiskFull) => {
            "free some space and run the same command again: nothing that was saved is lost"
        }
        Some(rusqlite::ErrorCode::ReadOnly | rusqlite::ErrorCode::CannotOpen) => {
            "the project's folder `tasks` must be writable"
        }
        Some(rusqlite::ErrorCode::SystemIoFailure) => {
            "the disk refused a write (full or failing?): run the same command again when it is well, nothing that was saved is lost"
        }
        Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase) => {
            "restore the file from a copy, or move it away to start anew"
        }
        _ => return anyhow::Error::new(error).context(format!("database: `{}`", path.display())),
    };
    anyhow::Error::new(error).context(format!(
        "cannot write the database: `{}`\nhint: {hint}",
        path.display()
    ))
}

/// What the user can do where the database cannot be read.
fn explain_reading(path: &Path, error: rusqlite::Error) -> anyhow::Error {
    let hint = match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
            "another program holds it: run the same command again"
        }
        Some(rusqlite::ErrorCode::SystemIoFailure) => {
            "the disk refused to read (failing?): run the same command again when it is well"
        }
        // What was read makes no sense: another program wrote it, or bytes have changed.
        _ => CHANGED,
    };
    anyhow::Error::new(error).context(cannot_read(path, hint))
}

/// The hint where what was read cannot be what was stored.
const CHANGED: &str = "another program or a failing disk changed it: restore the file from a copy, take a report out with `taskgen reports remove ID`, or move the file away to start again";

fn cannot_read(path: &Path, hint: &str) -> String {
    format!(
        "cannot read the database: `{}`\nhint: {hint}",
        path.display()
    )
}

fn cannot_open(path: &Path) -> String {
    format!(
        "cannot open the database: `{}`\nhint: the file must be a taskgen database, and its folder must be writable where an earlier run left changes beside it",
        path.display()
    )
}

fn other_version(path: &Path, version: usize) -> anyhow::Error {
    let (which, hint) = if version > MIGRATIONS.len() {
        (
            "newer than this program",
            "update taskgen, or use another --project",
        )
    } else {
        (
            "older than this program",
            "any writing command, such as `taskgen run`, copies it aside and brings it up to date",
        )
    };
    anyhow::anyhow!(
        "the database is {which}: `{}` has schema {version}, this program knows {}\nhint: {hint}",
        path.display(),
        MIGRATIONS.len()
    )
}

fn user_version(connection: &Connection) -> rusqlite::Result<usize> {
    connection
        .query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))
        .map(|v| v.max(0) as usize)
}

/// What is put aside before a database is brought up to date.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aside {
    /// A copy beside it.
    Copy,
    /// Nothing: it is a copy itself.
    Nothing,
}

/// Brings an older database up to date; refuses a newer one by name.
fn migrate(connection: &mut Connection, path: &Path, aside: Aside) -> Result<()> {
    let version = user_version(connection).with_context(|| cannot_open(path))?;
    if version > MIGRATIONS.len() {
        return Err(other_version(path, version));
    }
    if version == MIGRATIONS.len() {
        return Ok(());
    }
    if version > 0 && aside == Aside::Copy {
        let copy = path.with_extension(format!("schema-{version}.db"));
        files::refuse_link(&copy)?;
        connection
            .execute("VACUUM INTO ?1", [copy.to_string_lossy()])
            .context("cannot copy the old database aside")?;
    }
    for (index, sql) in MIGRATIONS.iter().enumerate().skip(version) {
        apply(connection, index, sql).map_err(|e| explain(path, e))?;
    }
    Ok(())
}

fn apply(connection: &mut Connection, index: usize, sql: &str) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(sql)?;
    transaction.pragma_update(None, "user_version", index as i64 + 1)?;
    transaction.commit()
}

/// A value that was stored as JSON text; what cannot be read is the row's error.
fn from_json<T: serde::de::DeserializeOwned>(column: usize, text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text).map_err(|e| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(e))
    })
}

/// A unit enum's stored word, through its serde name.
fn from_word<T: serde::de::DeserializeOwned>(column: usize, word: &str) -> rusqlite::Result<T> {
    T::deserialize(StrDeserializer::<serde::de::value::Error>::new(word)).map_err(|e| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(e))
    })
}

/// The word under which a unit enum is stored.
fn to_word<T: serde::Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        other => unreachable!("not a unit enum: {other:?}"),
    }
}
