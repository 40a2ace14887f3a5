//! Parallel work on a list with results in order: one recording is decoded while another is
//! recognised, the longest are begun first, and the results are still handed on one after the other.

use std::{
    collections::BTreeMap,
    sync::{
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{self, Receiver},
    },
};

use anyhow::Result;

/// Does `work` on each of `items`, `at_once` of them at a time, begun in the order `begin` (places
/// in `items`, each once), and passes the results to `done` on this thread, in the order of
/// `items`. After an error of `done`, or a result that `ends` the work, nothing new is started, work
/// in progress is finished, and the error is returned.
pub fn for_each_in_order<T: Sync, R: Send>(
    items: &[T],
    begin: &[usize],
    at_once: usize,
    work: impl Fn(&T) -> R + Sync,
    ends: impl Fn(&R) -> bool + Sync,
    done: impl FnMut(&T, R) -> Result<()>,
) -> Result<()> {
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..at_once.clamp(1, items.len().max(1)) {
            let (sender, work, ends) = (sender.clone(), &work, &ends);
            let (next, stopped) = (&next, &stopped);
            scope.spawn(move || {
                while !stopped.load(Ordering::Relaxed) {
                    let turn = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&index) = begin.get(turn) else { break };
                    let result = work(&items[index]);
                    if ends(&result) {
                        stopped.store(true, Ordering::Relaxed);
                    }
                    // The receiver lives until all threads have ended, so that this cannot fail.
                    sender.send((index, result)).unwrap_or_default();
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
                if first_error.is_err() {
                    stopped.store(true, Ordering::Relaxed);
                }
            }
            turn += 1;
        }
    }
    // Where the work was ended, the turn of some never comes: those before them were not begun.
    for (index, result) in early {
        first_error = first_error.and_then(|()| done(&items[index], result));
    }
    first_error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_however_long_each_takes() {
        let items: Vec<u64> = (0..20).collect();
        let backwards: Vec<usize> = (0..20).rev().collect();
        let mut seen = Vec::new();
        let slow = |n: &u64| {
            // Every third takes longer than its neighbours.
            (0..if n.is_multiple_of(3) { 300_000 } else { 10 })
                .fold(*n, |sum, i| std::hint::black_box(sum ^ i ^ i))
        };
        let keep = |item: &u64, result| {
            seen.push((*item, result));
            Ok(())
        };
        for_each_in_order(&items, &backwards, 4, slow, |_| false, keep).expect("none fails");
        assert_eq!(seen, items.iter().map(|n| (*n, *n)).collect::<Vec<_>>());
    }

    #[test]
    fn an_error_ends_it_after_what_came_before() {
        let mut seen = Vec::new();
        let ended = for_each_in_order(
            &[1, 2, 3, 4],
            &[0, 1, 2, 3],
            1,
            |n| *n,
            |_| false,
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
        assert!(for_each_in_order(&[0u8; 0], &[], 3, |_| (), |()| false, |_, ()| Ok(())).is_ok());
    }

    #[test]
    fn a_result_ends_it_before_its_turn() {
        let worked = AtomicUsize::new(0);
        let work = |n: &usize| {
            worked.fetch_add(1, Ordering::Relaxed);
            *n
        };
        let ended = for_each_in_order(
            &(0..1000).collect::<Vec<usize>>(),
            &(0..1000).rev().collect::<Vec<usize>>(),
            1,
            work,
            |n| *n == 998,
            |_, n| {
                anyhow::ensure!(n != 998, "the model is missing");
                Ok(())
            },
        );
        assert_eq!(
            ended.expect_err("it ends").to_string(),
            "the model is missing"
        );
        assert!(worked.into_inner() < 1000);
    }
}
