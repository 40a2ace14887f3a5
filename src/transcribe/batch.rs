//! Several recordings at once, so that one is decoded while another is heard; what comes of them is
//! handed on in order.

use std::{
    collections::BTreeMap,
    sync::{
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
};

use anyhow::Result;

/// Does `work` with each of `items`, so many at once, and hands the results to `done` on this
/// thread, in the order of `items`. After an error of `done` nothing new is begun, what is in hand
/// is finished, and the error is returned.
pub fn in_order<T: Sync, R: Send>(
    items: &[T],
    at_once: usize,
    work: impl Fn(&T) -> R + Sync,
    mut done: impl FnMut(&T, R) -> Result<()>,
) -> Result<()> {
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (say, said) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..at_once.clamp(1, items.len().max(1)) {
            let (say, work, next, stopped) = (say.clone(), &work, &next, &stopped);
            scope.spawn(move || {
                while !stopped.load(Ordering::Relaxed) {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(place) else { break };
                    // The receiver listens until all have ended.
                    say.send((place, work(item))).unwrap_or_default();
                }
            });
        }
        drop(say);
        let mut first = Ok(());
        let (mut early, mut turn) = (BTreeMap::new(), 0);
        for (place, result) in said {
            early.insert(place, result);
            while let Some(result) = early.remove(&turn) {
                if first.is_ok() {
                    first = done(&items[turn], result);
                    stopped.store(first.is_err(), Ordering::Relaxed);
                }
                turn += 1;
            }
        }
        first
    })
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
        in_order(&items, 4, slow, |item, result| {
            seen.push((*item, result));
            Ok(())
        })
        .expect("none fails");
        assert_eq!(seen, items.iter().map(|n| (*n, *n)).collect::<Vec<_>>());
    }

    #[test]
    fn an_error_ends_it_after_what_came_before() {
        let mut seen = Vec::new();
        let ended = in_order(
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
        assert!(in_order(&[0u8; 0], 3, |_| (), |_, ()| Ok(())).is_ok());
    }
}
