//! Here is a question to the database: ask it without anybody waiting. Hides the connections that
//! read, and what is kept of long answers until the facts change.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use jiff::Timestamp;
use tokio::sync::Semaphore;

use crate::store::Store;

/// Questions at once: the machine may be busy with a command beside us.
const READERS: usize = 8;
/// A conclusion is drawn anew this often at most, in times of what drawing it takes: beside a
/// command that stores facts by the hundred a second, it would be drawn without end.
const REST: u32 = 10;
/// Drawing that takes longer has needed much memory, too.
const LONG: Duration = Duration::from_secs(1);

/// The database for reading.
pub struct Facts {
    path: PathBuf,
    idle: Mutex<Vec<Store>>,
    places: Arc<Semaphore>,
    watch: Mutex<Watch>,
}

/// One connection that tells whether others have written.
struct Watch {
    store: Store,
    last: i64,
    /// Recordings that were forgotten.
    forgotten: u64,
    version: Version,
}

/// How often facts have come or gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version {
    changes: u64,
    /// How often speakers withdrew consent: what was drawn before shows what must not be shown.
    withdrawals: u64,
}

impl Facts {
    /// Opens the database at `path`, which must be there.
    pub fn open(path: PathBuf) -> Result<Arc<Self>> {
        let store = open(&path)?;
        let (last, forgotten) = (store.data_version()?, store.count_forgotten()?);
        Ok(Arc::new(Self {
            path,
            idle: Mutex::new(Vec::new()),
            places: Arc::new(Semaphore::new(READERS)),
            watch: Mutex::new(Watch {
                store,
                last,
                forgotten,
                version: Version::default(),
            }),
        }))
    }

    /// The answer of `work`, which reads and may take long, from a thread of its own.
    pub async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Store) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let place = Arc::clone(&self.places).acquire_owned().await?;
        let facts = Arc::clone(self);
        let asked = tokio::task::spawn_blocking(move || {
            // Held until the work ends: who asked may be gone before.
            let _place = place;
            let idle = lock(&facts.idle).pop();
            let store = idle.map_or_else(|| open(&facts.path), Ok)?;
            let answer = work(&store);
            // After an error it may be in any state.
            if answer.is_ok() {
                lock(&facts.idle).push(store);
            }
            answer
        });
        asked.await.context("a page could not be made")?
    }

    /// Another one when facts have come or gone.
    pub fn version(&self) -> Result<Version> {
        let mut watch = lock(&self.watch);
        let now = watch.store.data_version()?;
        if now != watch.last {
            watch.last = now;
            watch.version.changes += 1;
            let forgotten = watch.store.count_forgotten()?;
            watch.version.withdrawals += u64::from(forgotten != watch.forgotten);
            watch.forgotten = forgotten;
        }
        Ok(watch.version)
    }
}

fn open(path: &std::path::Path) -> Result<Store> {
    Store::open_read_only(path)?.context("the database is gone")
}

/// What a panic left behind is as good as before: each change is one assignment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives what was freed back to the system. A leaderboard of a million judgements is some hundreds
/// of megabytes in small pieces, which the C library keeps for later.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the call has no safe wrapper")]
fn give_memory_back() {
    // SAFETY: it takes no pointer, and may be called at any time from any thread.
    unsafe { libc::malloc_trim(0) };
}

/// Other C libraries give it back by themselves, or cannot.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn give_memory_back() {}

/// A conclusion that takes long, kept until the facts change.
pub struct Kept<T> {
    last: Mutex<Option<Drawn<T>>>,
    /// Held while it is drawn.
    drawing: Mutex<()>,
}

struct Drawn<T> {
    conclusion: Arc<T>,
    version: Version,
    at: Instant,
    took: Duration,
    time: Timestamp,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self {
            last: Mutex::new(None),
            drawing: Mutex::new(()),
        }
    }
}

impl<T> Kept<T> {
    /// The conclusion, and the moment that it is of where facts have changed since. While one request
    /// has it drawn, others get the old one; where there is none, they wait.
    pub fn get(
        &self,
        facts: &Facts,
        draw: impl FnOnce() -> Result<T>,
    ) -> Result<(Arc<T>, Option<Timestamp>)> {
        // Before it is drawn: what comes meanwhile has it drawn again.
        let version = facts.version()?;
        let old = |drawn: &Drawn<T>| {
            let time = (drawn.version != version).then_some(drawn.time);
            (Arc::clone(&drawn.conclusion), time)
        };
        let may_show = |drawn: &&Drawn<T>| drawn.version.withdrawals == version.withdrawals;
        if let Some(drawn) = lock(&self.last).as_ref().filter(may_show)
            && (drawn.version == version || drawn.at.elapsed() < drawn.took * REST)
        {
            return Ok(old(drawn));
        }
        let drawing = match self.drawing.try_lock() {
            Ok(drawing) => drawing,
            // What was drawn when it failed is gone; nothing else is.
            Err(TryLockError::Poisoned(drawing)) => drawing.into_inner(),
            // Another has it drawn: the old one will do, and only where there is none one waits.
            Err(TryLockError::WouldBlock) => {
                if let Some(drawn) = lock(&self.last).as_ref().filter(may_show) {
                    return Ok(old(drawn));
                }
                drop(lock(&self.drawing));
                return self.get(facts, draw);
            }
        };
        let (begun, time) = (Instant::now(), Timestamp::now());
        let conclusion = Arc::new(draw()?);
        *lock(&self.last) = Some(Drawn {
            conclusion: Arc::clone(&conclusion),
            version,
            at: Instant::now(),
            took: begun.elapsed(),
            time,
        });
        drop(drawing);
        if begun.elapsed() > LONG {
            give_memory_back();
        }
        Ok((conclusion, None))
    }
}
