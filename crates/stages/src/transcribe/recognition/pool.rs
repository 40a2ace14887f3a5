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

use super::{
    devices::Device,
    placement::{Next, Placement, Trouble},
    worker::WorkerState,
};
use crate::transcribe::error::TranscribeError;

/// A task for the next free worker.
trait Task: Send {
    /// Does it, and hands on the result; or leaves it, where its list was stopped. After an error it
    /// can be done again.
    fn run(&mut self, worker: &mut WorkerState) -> Result<Ran, TranscribeError>;
    /// Hands on the error as its result.
    fn fail(&mut self, error: TranscribeError);
}

/// What became of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ran {
    Done,
    /// The device did nothing.
    Left,
}

/// A task in the queue, with the devices on which it failed.
struct Queued {
    task: Box<dyn Task>,
    tried: Vec<usize>,
}

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

struct Queue {
    waiting: Mutex<Waiting>,
    /// Signals new tasks, workers that may begin, and that the queue was closed.
    changed: Condvar,
}

struct Waiting {
    tasks: VecDeque<Queued>,
    placement: Placement,
    closed: bool,
}

/// What a worker does next.
enum Turn {
    Task(Queued),
    /// It gives back its memory.
    Rest,
    End,
}

impl Waiting {
    /// The next task for this worker. One that failed on its device is left to the others, as long
    /// as there are any.
    fn take(&mut self, worker: usize) -> Option<Queued> {
        let device = self.placement.device(worker);
        let suits = |queued: &Queued| {
            !queued.tried.contains(&device) || !self.placement.is_left_but(&queued.tried)
        };
        let place = self.tasks.iter().position(suits)?;
        self.tasks.remove(place)
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the worker's next turn.
    fn next(&self, worker: usize, is_empty: bool) -> Turn {
        let mut waiting = self.lock();
        loop {
            // Where no device is left, every worker can tell a task so.
            if waiting.placement.may_work(worker) || waiting.placement.lost().is_some() {
                if let Some(task) = waiting.take(worker) {
                    return Turn::Task(task);
                }
            } else if waiting.placement.is_shut(worker) && !is_empty {
                return Turn::Rest;
            }
            if waiting.closed && waiting.tasks.is_empty() {
                return Turn::End;
            }
            waiting = self
                .changed
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn add(&self, priority: Priority, tasks: Vec<Queued>) {
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

    /// Has the worker do the task. After an error that another worker may not have, the task goes
    /// back to the front of the queue.
    fn work(&self, worker: &mut WorkerState, mut queued: Queued) {
        if let Some(what) = self.lock().placement.lost() {
            queued.task.fail(TranscribeError::NoDevice { what });
            return;
        }
        let result = catch_panic(worker, |worker| queued.task.run(worker));
        let mut waiting = self.lock();
        if let Some(room) = worker.measured() {
            waiting.placement.measured(worker.device, room);
        }
        let error = match result {
            Ok(ran) => {
                if ran == Ran::Done {
                    waiting.placement.succeeded(worker.number);
                }
                self.changed.notify_all();
                return;
            }
            Err(error) => error,
        };
        let trouble = trouble(&error);
        let next = waiting
            .placement
            .failed(worker.number, &trouble, &queued.tried);
        if matches!(trouble, Trouble::Failed(_)) {
            queued.tried.push(worker.device);
        }
        if next == Next::Again {
            tracing::warn!(%error, worker = worker.number, "a window is decoded again");
            waiting.tasks.push_front(queued);
        } else {
            let lost = waiting.placement.lost();
            drop(waiting);
            let error = lost.map_or(error, |what| TranscribeError::NoDevice { what });
            queued.task.fail(error);
        }
        self.changed.notify_all();
    }
}

/// What an error says of the device.
fn trouble(error: &TranscribeError) -> Trouble {
    match error {
        TranscribeError::OutOfMemory { .. } => Trouble::OutOfMemory,
        TranscribeError::Device { what, .. } => Trouble::Unusable(what.clone()),
        TranscribeError::Recognition { what } => Trouble::Failed(what.clone()),
        _ => Trouble::Elsewhere,
    }
}

impl WorkerPool {
    /// A pool with a worker for each of `seats`, on the device that it names by its number; at
    /// least one.
    pub fn new(devices: Arc<[Device]>, seats: &[usize]) -> Self {
        let seats = if seats.is_empty() { &[0] } else { seats };
        let queue = Arc::new(Queue {
            waiting: Mutex::new(Waiting {
                tasks: VecDeque::new(),
                placement: Placement::new(&devices, seats),
                closed: false,
            }),
            changed: Condvar::new(),
        });
        let workers = (0..seats.len())
            .map(|number| {
                let queue = Arc::clone(&queue);
                let worker = WorkerState::new(number, seats[number], Arc::clone(&devices));
                std::thread::spawn(move || work_until_closed(worker, &queue))
            })
            .collect();
        Self { queue, workers }
    }

    /// The number of workers.
    pub fn size(&self) -> usize {
        self.workers.len()
    }

    /// The number of workers that have room on their devices, as far as that is known.
    pub fn working(&self) -> usize {
        self.queue.lock().placement.working()
    }

    /// What a user should know of the devices: which has fewer workers than planned, or none, and
    /// why.
    pub fn notes(&self) -> Vec<String> {
        self.queue.lock().placement.notes()
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
        let tasks = items.into_iter().enumerate().map(|(index, item)| Queued {
            task: Box::new(ItemTask {
                index,
                item,
                work: Arc::clone(&work),
                stopped: Arc::clone(&stopped),
                sender: sender.clone(),
            }),
            tried: Vec::new(),
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

/// A result with its item's index.
type Indexed<R> = (usize, Result<R, TranscribeError>);

/// The work on one item of a list.
struct ItemTask<T, R, F> {
    index: usize,
    item: T,
    work: Arc<F>,
    stopped: Arc<AtomicBool>,
    sender: mpsc::Sender<Indexed<R>>,
}

impl<T, R, F> Task for ItemTask<T, R, F>
where
    T: Send,
    R: Send,
    F: Fn(&mut WorkerState, &T) -> Result<R, TranscribeError> + Send + Sync,
{
    fn run(&mut self, worker: &mut WorkerState) -> Result<Ran, TranscribeError> {
        if self.stopped.load(Ordering::Relaxed) {
            return Ok(Ran::Left);
        }
        let result = (self.work)(worker, &self.item)?;
        // The receiver lives until all tasks are done, so that this cannot fail.
        self.sender
            .send((self.index, Ok(result)))
            .unwrap_or_default();
        Ok(Ran::Done)
    }

    fn fail(&mut self, error: TranscribeError) {
        self.stopped.store(true, Ordering::Relaxed);
        self.sender
            .send((self.index, Err(error)))
            .unwrap_or_default();
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

fn work_until_closed(mut worker: WorkerState, queue: &Queue) {
    loop {
        match queue.next(worker.number, worker.is_empty()) {
            Turn::Task(task) => queue.work(&mut worker, task),
            Turn::Rest => worker.clear(),
            Turn::End => return,
        }
    }
}

/// Turns a panic of a task into an error. The worker goes on with a new state: a panic may have
/// left the old one half changed.
fn catch_panic<R>(
    worker: &mut WorkerState,
    work: impl FnOnce(&mut WorkerState) -> Result<R, TranscribeError>,
) -> Result<R, TranscribeError> {
    catch_unwind(AssertUnwindSafe(|| work(worker))).unwrap_or_else(|_| {
        worker.clear();
        Err(TranscribeError::Recognition {
            what: "a worker stopped".into(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcribe::devices;

    /// A pool on the processor.
    fn on_cpu(workers: usize) -> WorkerPool {
        WorkerPool::new(Arc::new([Device::cpu()]), &vec![0; workers])
    }

    /// A pool with two workers on each of so many cards.
    fn on_cards(cards: usize) -> WorkerPool {
        let devices = devices::cards(cards);
        let seats: Vec<usize> = (0..2 * cards).map(|worker| worker % cards).collect();
        let pool = WorkerPool::new(devices.into(), &seats);
        for device in 0..cards {
            pool.queue.lock().placement.measured(device, 2);
        }
        pool
    }

    /// Has the pool double numbers, where `fault` says what happens on a device to a number.
    fn doubled(
        pool: &WorkerPool,
        numbers: usize,
        fault: impl Fn(usize, usize) -> Option<TranscribeError> + Send + Sync + 'static,
    ) -> (Result<(), TranscribeError>, Vec<usize>) {
        let mut results = Vec::new();
        let work = move |worker: &mut WorkerState, n: &usize| {
            // So that every worker has its turn.
            std::thread::sleep(std::time::Duration::from_millis(2));
            fault(worker.device, *n).map_or(Ok(2 * n), Err)
        };
        let result = pool.for_each(Priority::Low, (0..numbers).collect(), work, |_, n| {
            results.push(n);
            Ok(())
        });
        results.sort_unstable();
        (result, results)
    }

    fn out_of_memory() -> TranscribeError {
        TranscribeError::OutOfMemory {
            device: "cuda:1".into(),
        }
    }

    fn recognition() -> TranscribeError {
        TranscribeError::Recognition {
            what: "planted".into(),
        }
    }

    fn all(numbers: usize) -> Vec<usize> {
        (0..numbers).map(|n| 2 * n).collect()
    }

    #[test]
    fn a_card_that_fails_is_left_and_the_others_do_its_windows() {
        let pool = on_cards(2);
        let (result, results) = doubled(&pool, 40, |device, _| (device == 1).then(recognition));
        assert!(result.is_ok(), "{result:?}");
        assert_eq!(results, all(40), "each once");
        let notes = pool.notes();
        assert!(
            notes.len() == 1 && notes[0].starts_with("cuda:1: 3 failures in a row"),
            "{notes:?}"
        );
        assert!(doubled(&pool, 3, |_, _| None).0.is_ok());
    }

    #[test]
    fn without_memory_there_are_fewer_states_and_every_window_is_done() {
        let pool = on_cards(2);
        let once = AtomicBool::new(true);
        let (result, results) = doubled(&pool, 40, move |device, _| {
            (device == 1 && once.swap(false, Ordering::Relaxed)).then(out_of_memory)
        });
        assert!(result.is_ok(), "{result:?}");
        assert_eq!(results, all(40));
        assert_eq!(
            pool.notes(),
            ["cuda:1: out of memory; 1 states instead of 2"]
        );
    }

    #[test]
    fn where_no_device_is_left_one_error_says_so_and_nobody_waits() {
        let pool = on_cards(2);
        let load = |device: usize, _| {
            Some(TranscribeError::Device {
                device: format!("cuda:{device}"),
                what: "cannot be loaded".into(),
            })
        };
        let (result, results) = doubled(&pool, 9, load);
        let said = result.expect_err("no device").to_string();
        assert!(
            said.contains("cuda:0: cannot be loaded") && said.contains("cuda:1: cannot"),
            "{said}"
        );
        assert!(results.is_empty());
        let (again, _) = doubled(&pool, 2, |_, _| None);
        assert!(matches!(again, Err(TranscribeError::NoDevice { .. })));
    }

    #[test]
    fn recordings_that_each_fail_at_once_do_not_hide_a_broken_card() {
        let pool = on_cards(1);
        let ends: Vec<String> = (0..3)
            .map(|_| {
                let (result, _) = doubled(&pool, 5, |_, _| Some(recognition()));
                result.expect_err("planted").to_string()
            })
            .collect();
        assert!(ends[2].contains("no device is left"), "{ends:?}");
        assert!(pool.notes()[0].contains("it was left"));
    }

    #[test]
    fn a_window_that_fails_on_every_card_fails_alone() {
        let pool = on_cards(2);
        let (result, results) = doubled(&pool, 1, |_, _| Some(recognition()));
        assert_eq!(
            result.expect_err("planted").to_string(),
            "speech recognition failed (planted)"
        );
        assert!(results.is_empty());
        assert_eq!(pool.notes(), [""; 0], "both cards go on");
        assert_eq!(doubled(&pool, 8, |_, _| None).1, all(8));
    }

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
            let pool = on_cpu(workers);
            let (result, total) = sum(&pool, vec![5, 6, 7], 99);
            assert!(result.is_ok());
            assert_eq!(total, 18_003);
            assert!(sum(&pool, vec![], 99).0.is_ok());
        }
    }

    #[test]
    fn an_error_stops_the_rest_and_the_workers_go_on() {
        let pool = on_cpu(1);
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
