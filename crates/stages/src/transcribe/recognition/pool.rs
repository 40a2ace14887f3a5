//! The worker pool: one thread for each worker and one queue for the windows of all recordings, so
//! that no worker waits for the end of one recording while another has windows ready.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread::JoinHandle,
};

use super::worker::WorkerState;
use crate::transcribe::error::TranscribeError;

/// A task for the next free worker.
type Task = Box<dyn FnOnce(&mut WorkerState) + Send>;

/// The place of new tasks in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// Before all waiting tasks: other tasks can only be planned when these are done.
    High,
    /// After all waiting tasks.
    Low,
}

/// The workers and the queue of their tasks.
pub struct WorkerPool {
    queue: Arc<Queue>,
    workers: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    /// Signals new tasks, and that the queue was closed.
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    tasks: VecDeque<Task>,
    closed: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next task; `None` once the queue is closed and empty.
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
                .changed
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn add(&self, priority: Priority, tasks: Vec<Task>) {
        let mut waiting = self.lock();
        match priority {
            Priority::Low => waiting.tasks.extend(tasks),
            Priority::High => {
                for task in tasks.into_iter().rev() {
                    waiting.tasks.push_front(task);
                }
            }
        }
        self.changed.notify_all();
    }
}

impl WorkerPool {
    /// A pool of `workers`, at least one.
    pub fn new(workers: usize) -> Self {
        let queue = Arc::new(Queue::default());
        let workers = (0..workers.max(1))
            .map(|_| {
                let queue = Arc::clone(&queue);
                std::thread::spawn(move || work_until_closed(&queue))
            })
            .collect();
        Self { queue, workers }
    }

    /// The number of workers.
    pub fn size(&self) -> usize {
        self.workers.len()
    }

    /// Does `work` on each of `items` and passes each result to `done` on this thread, in any
    /// order, with the item's index. After an error nothing new is started, work in progress is
    /// finished and passed on, and the first error is returned.
    pub fn for_each<T: Send + 'static, R: Send + 'static>(
        &self,
        priority: Priority,
        items: Vec<T>,
        work: impl Fn(&mut WorkerState, &T) -> Result<R, TranscribeError> + Send + Sync + 'static,
        mut done: impl FnMut(usize, R) -> Result<(), TranscribeError>,
    ) -> Result<(), TranscribeError> {
        let (sender, receiver) = mpsc::channel();
        let (work, stopped) = (Arc::new(work), Arc::new(AtomicBool::new(false)));
        let tasks = items.into_iter().enumerate().map(|(index, item)| -> Task {
            let (work, stopped, sender) = (Arc::clone(&work), Arc::clone(&stopped), sender.clone());
            Box::new(move |worker| {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let result = catch_panic(worker, |worker| work(worker, &item));
                if result.is_err() {
                    stopped.store(true, Ordering::Relaxed);
                }
                // The receiver lives until all tasks are done, so that this cannot fail.
                sender.send((index, result)).unwrap_or_default();
            })
        });
        self.queue.add(priority, tasks.collect());
        // The receiver ends when the last task has dropped its sender.
        drop(sender);
        let mut first_error = Ok(());
        for (index, result) in receiver {
            if let Err(error) = result.and_then(|result| done(index, result)) {
                stopped.store(true, Ordering::Relaxed);
                first_error = first_error.and(Err(error));
            }
        }
        first_error
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.queue.lock().closed = true;
        self.queue.changed.notify_all();
        for worker in self.workers.drain(..) {
            // Panics of its tasks were caught.
            worker.join().unwrap_or_default();
        }
    }
}

fn work_until_closed(queue: &Queue) {
    let mut worker = WorkerState::default();
    while let Some(task) = queue.next() {
        task(&mut worker);
    }
}

/// Turns a panic of a task into an error. The worker goes on with a new state: a panic may have
/// left the old one half changed.
fn catch_panic<R>(
    worker: &mut WorkerState,
    work: impl FnOnce(&mut WorkerState) -> Result<R, TranscribeError>,
) -> Result<R, TranscribeError> {
    catch_unwind(AssertUnwindSafe(|| work(worker))).unwrap_or_else(|_| {
        *worker = WorkerState::default();
        Err(TranscribeError::Recognition {
            what: "a worker stopped".into(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(
        pool: &WorkerPool,
        items: Vec<usize>,
        bad: usize,
    ) -> (Result<(), TranscribeError>, usize) {
        let mut sum = 0;
        let fail = |what: &str| Err(TranscribeError::Recognition { what: what.into() });
        let work =
            move |_: &mut WorkerState, &n: &usize| if n == bad { fail("bad") } else { Ok(n) };
        let result = pool.for_each(Priority::Low, items, work, |place, n| {
            sum += n * 1000 + place;
            Ok(())
        });
        (result, sum)
    }

    #[test]
    fn each_result_comes_once_with_its_place() {
        for workers in [1, 3] {
            let pool = WorkerPool::new(workers);
            let (result, total) = sum(&pool, vec![5, 6, 7], 99);
            assert!(result.is_ok());
            assert_eq!(total, 18_003);
            assert!(sum(&pool, vec![], 99).0.is_ok());
        }
    }

    #[test]
    fn an_error_stops_the_rest_and_the_workers_go_on() {
        let pool = WorkerPool::new(1);
        let (result, total) = sum(&pool, vec![5, 1, 7], 1);
        assert_eq!(
            result.expect_err("bad").to_string(),
            "speech recognition failed (bad)"
        );
        assert_eq!(
            total, 5000,
            "what came before the error is handed over, nothing after it is begun"
        );
        let panics = crate::isolation::quiet_panics(|| {
            pool.for_each(
                Priority::High,
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
