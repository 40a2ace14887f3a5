//! Keeps a decoder's panic off the terminal: it becomes the file's error, and one line is enough.

use std::{cell::Cell, panic, sync::Once};

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` with the panic message of this thread switched off. The panic itself is the caller's
/// to catch.
pub fn quiet<T>(work: impl FnOnce() -> T) -> T {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.with(Cell::get) {
                usual(info);
            }
        }));
    });
    QUIET.with(|q| q.set(true));
    let result = work();
    QUIET.with(|q| q.set(false));
    result
}
