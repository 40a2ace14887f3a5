//! The workers: one thread each and one queue for the windows of all recordings, so that nobody
//! waits for the end of one recording while the next has windows ready.

use std::{
    collections::{BTreeMap, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread::JoinHandle,
};

use super::{
    error::TranscribeError,
    whisper::{Ear, Model},
};

/// A piece of work for whoever is free.
type Task = Box<dyn FnOnce(&mut WorkerState) + Send>;

/// When a piece of work is begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Before everything that waits: others can begin only when this is done.
    Next,
    /// After everything that waits.
    Last,
}

/// The workers and what waits for them.
pub struct Pool {
    queue: Arc<Queue>,
    workers: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    came: Condvar,
}

#[derive(Default)]
struct Waiting {
    tasks: VecDeque<Task>,
    closed: bool,
}

/// A worker's states, one for each model that it has heard with.
#[derive(Default)]
pub struct WorkerState(BTreeMap<String, Ear>);

impl WorkerState {
    /// The state for `model`.
    pub fn of(&mut self, model: &Arc<Model>) -> &mut Ear {
        self.0
            .entry(model.file.sha256.clone())
            .or_insert_with(|| Ear::new(model))
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next task, when one comes; nothing once the queue is closed.
    fn next(&self) -> Option<Task> {
        let mut waiting = self.lock();
        loop {
            if let Some(task) = waiting.tasks.pop_front() {
                return Some(task);
            }
            if waiting.closed {
                return None;
            }
            waiting = self
                .came
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Pool {
    /// So many workers, at least one.
    pub fn new(workers: usize) -> Self {
        let queue = Arc::new(Queue::default());
        let worker = |_| {
            let queue = Arc::clone(&queue);
            std::thread::spawn(move || {
                let mut ears = WorkerState::default();
                while let Some(task) = queue.next() {
                    task(&mut ears);
                }
            })
        };
        Self {
            workers: (0..workers.max(1)).map(worker).collect(),
            queue,
        }
    }

    /// Workers.
    pub fn size(&self) -> usize {
        self.workers.len()
    }

    /// Does `work` with each of `items` and hands each result to `done` on this thread, in any
    /// order, with the item's place. After an error nothing new is begun, what is in hand is
    /// finished and handed over, and the first error is returned.
    pub fn each<T: Send + 'static, R: Send + 'static>(
        &self,
        turn: Turn,
        items: Vec<T>,
        work: impl Fn(&mut WorkerState, &T) -> Result<R, TranscribeError> + Send + Sync + 'static,
        mut done: impl FnMut(usize, R) -> Result<(), TranscribeError>,
    ) -> Result<(), TranscribeError> {
        let (say, said) = mpsc::channel();
        let (work, stopped) = (Arc::new(work), Arc::new(AtomicBool::new(false)));
        let tasks = items.into_iter().enumerate().map(|(place, item)| -> Task {
            let (work, stopped, say) = (Arc::clone(&work), Arc::clone(&stopped), say.clone());
            Box::new(move |ears| {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let result = caught(ears, |ears| work(ears, &item));
                if result.is_err() {
                    stopped.store(true, Ordering::Relaxed);
                }
                // The receiver hears all of them: sending cannot fail.
                say.send((place, result)).unwrap_or_default();
            })
        });
        self.add(turn, tasks.collect());
        drop(say);
        let mut first = Ok(());
        for (place, result) in said {
            if let Err(error) = result.and_then(|result| done(place, result)) {
                stopped.store(true, Ordering::Relaxed);
                first = first.and(Err(error));
            }
        }
        first
    }

    fn add(&self, turn: Turn, tasks: Vec<Task>) {
        let mut waiting = self.queue.lock();
        match turn {
            Turn::Last => waiting.tasks.extend(tasks),
            Turn::Next => tasks
                .into_iter()
                .rev()
                .for_each(|task| waiting.tasks.push_front(task)),
        }
        self.queue.came.notify_all();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.queue.lock().closed = true;
        self.queue.came.notify_all();
        for worker in self.workers.drain(..) {
            // It catches what its tasks panic with.
            worker.join().unwrap_or_default();
        }
    }
}

/// A worker outlives what its task panics with, but not with the same states.
fn caught<R>(
    ears: &mut WorkerState,
    work: impl FnOnce(&mut WorkerState) -> Result<R, TranscribeError>,
) -> Result<R, TranscribeError> {
    catch_unwind(AssertUnwindSafe(|| work(ears))).unwrap_or_else(|_| {
        *ears = WorkerState::default();
        Err(TranscribeError::Recognition {
            what: "a worker stopped".into(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(pool: &Pool, items: Vec<usize>, bad: usize) -> (Result<(), TranscribeError>, usize) {
        let mut sum = 0;
        let fail = |what: &str| Err(TranscribeError::Recognition { what: what.into() });
        let work =
            move |_: &mut WorkerState, &n: &usize| if n == bad { fail("bad") } else { Ok(n) };
        let result = pool.each(Turn::Last, items, work, |place, n| {
            sum += n * 1000 + place;
            Ok(())
        });
        (result, sum)
    }

    #[test]
    fn each_result_comes_once_with_its_place() {
        for workers in [1, 3] {
            let pool = Pool::new(workers);
            let (result, total) = sum(&pool, vec![5, 6, 7], 99);
            assert!(result.is_ok());
            assert_eq!(total, 18_003);
            assert!(sum(&pool, vec![], 99).0.is_ok());
        }
    }

    #[test]
    fn an_error_stops_the_rest_and_the_workers_go_on() {
        let pool = Pool::new(1);
        let (result, total) = sum(&pool, vec![5, 1, 7], 1);
        assert_eq!(
            result.expect_err("bad").to_string(),
            "speech recognition failed (bad)"
        );
        assert_eq!(
            total, 5000,
            "what came before the error is handed over, nothing after it is begun"
        );
        let panics = crate::panics::quiet(|| {
            pool.each(
                Turn::Next,
                vec![()],
                |_, ()| -> Result<(), _> { panic!("planted") },
                |_, ()| Ok(()),
            )
        });
        assert!(
            panics
                .expect_err("a panic")
                .to_string()
                .contains("a worker stopped")
        );
        assert!(sum(&pool, vec![1, 2], 99).0.is_ok());
    }
}
