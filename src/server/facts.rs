//! Here is a question to the database: ask it without anybody waiting. Hides the connections that
//! read, and what is kept of long answers until the facts change.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use jiff::Timestamp;
use tokio::sync::Semaphore;

use crate::store::Store;

/// Questions at once: the machine may be busy with a command beside us.
const READERS: usize = 4;
/// A conclusion is drawn anew this often at most, in times of what drawing it takes: beside a
/// command that stores facts by the hundred a second, it would be drawn without end.
const REST: u32 = 10;

/// The database for reading.
pub struct Facts {
    path: PathBuf,
    idle: Mutex<Vec<Store>>,
    places: Semaphore,
    watch: Mutex<Watch>,
}

/// One connection that tells whether others have written.
struct Watch {
    store: Store,
    last: i64,
    version: u64,
}

impl Facts {
    /// Opens the database at `path`, which must be there.
    pub fn open(path: PathBuf) -> Result<Arc<Self>> {
        let store = open(&path)?;
        let last = store.data_version()?;
        Ok(Arc::new(Self {
            path,
            idle: Mutex::new(Vec::new()),
            places: Semaphore::new(READERS),
            watch: Mutex::new(Watch {
                store,
                last,
                version: 1,
            }),
        }))
    }

    /// The answer of `work`, which reads and may take long, from a thread of its own.
    pub async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Store) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let place = self.places.acquire().await;
        let facts = Arc::clone(self);
        let asked = tokio::task::spawn_blocking(move || {
            let idle = lock(&facts.idle).pop();
            let store = idle.map_or_else(|| open(&facts.path), Ok)?;
            let answer = work(&store);
            // After an error it may be in any state.
            if answer.is_ok() {
                lock(&facts.idle).push(store);
            }
            answer
        });
        let answer = asked.await.context("a page could not be made");
        drop(place);
        answer?
    }

    /// A number that grows when facts have come or gone.
    pub fn version(&self) -> Result<u64> {
        let mut watch = lock(&self.watch);
        let now = watch.store.data_version()?;
        if now != watch.last {
            watch.last = now;
            watch.version += 1;
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

/// A conclusion that takes long, kept until the facts change.
pub struct Kept<T>(Mutex<Option<Drawn<T>>>);

struct Drawn<T> {
    conclusion: Arc<T>,
    version: u64,
    at: Instant,
    took: Duration,
    time: Timestamp,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> Kept<T> {
    /// The conclusion, and the moment that it is of where facts have changed since. Who asks while
    /// another has it drawn, waits for that.
    pub fn get(
        &self,
        facts: &Facts,
        draw: impl FnOnce() -> Result<T>,
    ) -> Result<(Arc<T>, Option<Timestamp>)> {
        let mut kept = lock(&self.0);
        // Before it is drawn: what comes meanwhile has it drawn again.
        let version = facts.version()?;
        if let Some(drawn) = &*kept {
            if drawn.version == version {
                return Ok((Arc::clone(&drawn.conclusion), None));
            }
            if drawn.at.elapsed() < drawn.took * REST {
                return Ok((Arc::clone(&drawn.conclusion), Some(drawn.time)));
            }
        }
        // Not both at a time: they are large.
        *kept = None;
        let (begun, time) = (Instant::now(), Timestamp::now());
        let conclusion = Arc::new(draw()?);
        *kept = Some(Drawn {
            conclusion: Arc::clone(&conclusion),
            version,
            at: Instant::now(),
            took: begun.elapsed(),
            time,
        });
        Ok((conclusion, None))
    }
}
