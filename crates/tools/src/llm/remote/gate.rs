//! The limiter shared by many tasks: each waits here in line to send its request, and leaves with
//! the answer. Hides the clock, the queue, and that a question may be dropped while it is in
//! flight.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::{Mutex as Queue, Notify};

use super::{
    headers::Allowance,
    limiter::{Entry, Limiter, Limits, RateChange, Seen, Ticket},
};

pub(super) struct Gate {
    limiter: Mutex<Limiter>,
    /// Only the first in line looks at the limiter.
    line: Queue<()>,
    back: Notify,
    began: Instant,
}

/// The right to have one request in flight. Dropped without a word, it says nothing about the
/// server's limits.
pub(super) struct Pass<'a> {
    gate: &'a Gate,
    ticket: Ticket,
    seen: Seen,
}

/// Why nobody waits for a server.
#[derive(Clone, Copy, Debug)]
pub(super) enum Closed {
    /// It asks for so long a pause.
    WantsPause(Duration),
    /// It has refused everything for so long.
    Refuses(Duration),
}

impl Gate {
    pub(super) fn new(limits: Limits) -> Self {
        let (limiter, line, back) = (
            Mutex::new(Limiter::new(limits)),
            Queue::new(()),
            Notify::new(),
        );
        Self {
            limiter,
            line,
            back,
            began: Instant::now(),
        }
    }

    /// Waits for the right to send a request, unless the server serves nobody. `tell` hears of each
    /// wait.
    pub(super) async fn enter(&self, tell: impl Fn(Duration)) -> Result<Pass<'_>, Closed> {
        let _first = self.line.lock().await;
        loop {
            let entry = self.limiter().enter(self.began.elapsed());
            match entry {
                Entry::Go(ticket) => {
                    return Ok(Pass {
                        gate: self,
                        ticket,
                        seen: Seen::Neither,
                    });
                }
                Entry::WhenOneIsBack => self.back.notified().await,
                Entry::At(time) => {
                    let wait = time.saturating_sub(self.began.elapsed());
                    tell(wait);
                    // A request that comes back may bring news.
                    let _ = tokio::time::timeout(wait, self.back.notified()).await;
                }
                Entry::TooLong(wait) => return Err(Closed::WantsPause(wait)),
                Entry::Refusing(time) => return Err(Closed::Refuses(time)),
            }
        }
    }

    pub(super) fn history(&self) -> Vec<RateChange> {
        self.limiter().history().to_vec()
    }

    fn limiter(&self) -> MutexGuard<'_, Limiter> {
        self.limiter.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pass<'_> {
    /// What the headers of the answer say.
    pub(super) fn hear(&self, allowance: Allowance) {
        self.gate
            .limiter()
            .hear(allowance, self.gate.began.elapsed());
    }

    /// How the request ended.
    pub(super) fn saw(&mut self, seen: Seen) {
        self.seen = seen;
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let now = self.gate.began.elapsed();
        self.gate.limiter().leave(self.ticket, now, self.seen);
        self.gate.back.notify_one();
    }
}
