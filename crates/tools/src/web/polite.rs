//! Politeness towards hosts: few requests in flight, a pause between their starts, and the pauses
//! that hosts ask for. Hides the queues.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep_until},
};

/// The limits for each host.
pub struct Polite {
    at_once: usize,
    pause: Duration,
    hosts: Mutex<HashMap<String, Host>>,
}

#[derive(Clone)]
struct Host {
    seats: Arc<Semaphore>,
    /// The earliest start of the next request.
    next: Instant,
}

/// The right to one request; it ends when this is dropped.
pub struct Turn(#[expect(dead_code, reason = "held, not read")] Option<OwnedSemaphorePermit>);

impl Polite {
    /// `at_once` requests (at least one) in flight per host, and `pause` between their starts.
    pub fn new(at_once: usize, pause: Duration) -> Self {
        Self {
            at_once: at_once.max(1),
            pause,
            hosts: Mutex::default(),
        }
    }

    /// Waits until `host` may be asked.
    pub async fn turn(&self, host: &str) -> Turn {
        let seats = self.with(host, |host| Arc::clone(&host.seats));
        // First the seat, then the time: who waits for a seat must not use up starts of others.
        let seat = seats.acquire_owned().await.ok();
        let now = Instant::now();
        let start = self.with(host, |host| {
            let start = host.next.max(now);
            // Taken before the wait, so that two who come at once do not start at once.
            host.next = start + self.pause;
            start
        });
        // A sleep takes a millisecond, even one that is over already.
        if start > now {
            sleep_until(start).await;
        }
        Turn(seat)
    }

    /// Lets `host` alone for a while.
    pub fn hold(&self, host: &str, wait: Duration) {
        self.with(host, |host| {
            // Never earlier than before: a short wish must not undo a longer one.
            host.next = host.next.max(Instant::now() + wait);
        });
    }

    fn with<T>(&self, name: &str, work: impl FnOnce(&mut Host) -> T) -> T {
        let mut hosts: MutexGuard<'_, _> =
            self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Host {
            seats: Arc::new(Semaphore::new(self.at_once)),
            next: Instant::now(),
        };
        work(hosts.entry(name.to_owned()).or_insert_with(new))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt as _, future::join_all};

    use super::*;

    #[tokio::test]
    async fn so_many_at_once_and_no_more() {
        let polite = Polite::new(2, Duration::ZERO);
        let first = polite.turn("a").await;
        let _second = polite.turn("a").await;
        assert!(polite.turn("a").now_or_never().is_none());
        assert!(
            polite.turn("b").now_or_never().is_some(),
            "another host has its own seats"
        );
        drop(first);
        assert!(polite.turn("a").now_or_never().is_some());
    }

    #[tokio::test]
    async fn starts_keep_their_distance() {
        let pause = Duration::from_millis(20);
        let polite = Polite::new(9, pause);
        let start = Instant::now();
        join_all((0..4).map(|_| polite.turn("a"))).await;
        assert!(start.elapsed() >= pause * 3);
    }

    #[tokio::test]
    async fn a_host_that_asks_for_silence_gets_it() {
        let polite = Polite::new(2, Duration::ZERO);
        polite.hold("a", Duration::from_mins(1));
        assert!(polite.turn("a").now_or_never().is_none());
        assert!(polite.turn("b").now_or_never().is_some());
    }
}
