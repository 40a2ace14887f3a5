//! A count of the characters that the readers of reports look at, for the tests that they take
//! linear time. Outside tests nothing is counted.

#[cfg(test)]
use std::cell::Cell;

#[cfg(test)]
thread_local! {
    static TAKEN: Cell<u64> = const { Cell::new(0) };
}

/// Notes that so many characters or entries were looked at, from a place that others may look from,
/// too: wherever the number has no constant bound.
#[inline]
#[cfg_attr(not(test), expect(unused_variables, reason = "counted in tests only"))]
pub(crate) fn add(looked_at: usize) {
    #[cfg(test)]
    TAKEN.with(|taken| taken.set(taken.get() + looked_at as u64));
}

/// What `work` takes on this thread.
#[cfg(test)]
pub(crate) fn taken_by<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = TAKEN.with(Cell::get);
    let done = work();
    (done, TAKEN.with(Cell::get) - before)
}
