//! Parallel work on a list with results in order: one recording is decoded while another is
//! recognised, and the results are still handed on one after the other.

use std::{
    collections::BTreeMap,
    sync::{
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{self, Receiver},
    },
};

use anyhow::Result;

/// Does `work` on each of `items`, `at_once` of them at a time, and passes the results to `done` on
/// this thread, in the order of `items`. After an error of `done` nothing new is started, work in
/// progress is finished, and the error is returned.
pub fn for_each_in_order<T: Sync, R: Send>(
    items: &[T],
    at_once: usize,
    work: impl Fn(&T) -> R + Sync,
    done: impl FnMut(&T, R) -> Result<()>,
) -> Result<()> {
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..at_once.clamp(1, items.len().max(1)) {
            let (sender, work, next, stopped) = (sender.clone(), &work, &next, &stopped);
            scope.spawn(move || {
                while !stopped.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    // The receiver lives until all threads have ended, so that this cannot fail.
                    sender.send((index, work(item))).unwrap_or_default();
                }
            });
        }
        // The receiver ends when the last sender is gone, and this one sends nothing.
        drop(sender);
        hand_on_in_order(items, receiver, &stopped, done)
    })
}

/// Keeps results that come early until it is their turn.
fn hand_on_in_order<T, R>(
    items: &[T],
    receiver: Receiver<(usize, R)>,
    stopped: &AtomicBool,
    mut done: impl FnMut(&T, R) -> Result<()>,
) -> Result<()> {
    let mut first_error = Ok(());
    let (mut early, mut turn) = (BTreeMap::new(), 0);
    for (index, result) in receiver {
        early.insert(index, result);
        // After an error the results still come in, so that the workers can finish; they are
        // dropped.
        while let Some(result) = early.remove(&turn) {
            if first_error.is_ok() {
                first_error = done(&items[turn], result);
                stopped.store(first_error.is_err(), Ordering::Relaxed);
            }
            turn += 1;
        }
    }
    first_error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_however_long_each_takes() {
        let items: Vec<u64> = (0..20).collect();
        let mut seen = Vec::new();
        let slow = |n: &u64| {
            // Every third takes longer than its neighbours.
            (0..if n.is_multiple_of(3) { 300_000 } else { 10 })
                .fold(*n, |sum, i| std::hint::black_box(sum ^ i ^ i))
        };
        for_each_in_order(&items, 4, slow, |item, result| {
            seen.push((*item, result));
            Ok(())
        })
        .expect("none fails");
        assert_eq!(seen, items.iter().map(|n| (*n, *n)).collect::<Vec<_>>());
    }

    #[test]
    fn an_error_ends_it_after_what_came_before() {
        let mut seen = Vec::new();
        let ended = for_each_in_order(
            &[1, 2, 3, 4],
            1,
            |n| *n,
            |_, n| {
                seen.push(n);
                anyhow::ensure!(n < 2, "two");
                Ok(())
            },
        );
        assert_eq!(
            (ended.expect_err("it fails").to_string().as_str(), seen),
            ("two", vec![1, 2])
        );
        assert!(for_each_in_order(&[0u8; 0], 3, |_| (), |_, ()| Ok(())).is_ok());
    }
}
