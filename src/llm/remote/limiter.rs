//! How many requests a server takes at once, found out while asking it. A pure state machine that is told the time; the
//! gate around it makes callers wait.
//!
//! Starts at a given limit and doubles it in each clean round until the first refusal (429). A refusal stops sending for
//! a moment and lowers the limit to what the server still holds, and once per episode of 15 s to 0.8 of that; each clean
//! round adds 5 %, up to 95 % of where the refusals began, and beyond that one more is tried every 30 s. Failures of the
//! server (5xx) never lower it.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

/// Refusals within this time of the first one are one episode.
const EPISODE_S: f64 = 15.0;
/// What an episode leaves of the limit.
const SHRINK: f64 = 0.8;
/// What a clean round makes of it.
const GROWTH: f64 = 1.05;
/// Growth by rounds ends at this share of where refusals began.
const NEAR: f64 = 0.95;
/// Beyond that, one more is tried this often.
const PROBE_S: f64 = 30.0;
/// Refusals that follow each other within this time are one burst.
const BURST_S: f64 = 1.0;
/// After a refusal nothing is sent for so long: a server that counts by the second would refuse that, too.
const PAUSE_S: f64 = 0.25;
/// More are never in flight.
const MOST: f64 = 1024.0;
/// A server's wish to be left alone is heard up to here.
const LONGEST_HOLD_S: f64 = 120.0;

/// A change of the limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RateChange {
    /// Milliseconds since the model was first asked.
    pub at_ms: u64,
    /// Requests at once from now on.
    pub limit: usize,
    /// Why.
    pub why: String,
}

/// What came of a request, as far as the limit is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The server took it, whatever became of it.
    Taken,
    /// 429.
    Refused,
}

/// The state machine. Times are seconds on any clock that does not run backwards.
#[derive(Debug)]
pub struct Limiter {
    limit: f64,
    in_flight: usize,
    /// Before the first refusal the limit doubles.
    doubling: bool,
    /// Requests taken since the limit changed.
    taken: usize,
    /// Whether the limit was reached since then: what nobody asks for need not grow.
    reached: bool,
    /// In flight when refusals last began.
    ceiling: f64,
    episode: Option<f64>,
    refused_last: Option<f64>,
    probed: f64,
    hold_until: f64,
    history: Vec<RateChange>,
}

impl Limiter {
    /// Starts with `limit` at once.
    pub fn new(limit: usize) -> Self {
        let limit = (limit.max(1) as f64).min(MOST);
        Self {
            limit,
            in_flight: 0,
            doubling: true,
            taken: 0,
            reached: false,
            ceiling: MOST,
            episode: None,
            refused_last: None,
            probed: 0.0,
            hold_until: 0.0,
            history: vec![RateChange { at_ms: 0, limit: limit as usize, why: "start".into() }],
        }
    }

    /// Begins a request, if one more may be in flight.
    pub fn enter(&mut self, now: f64) -> bool {
        if now < self.hold_until || self.in_flight >= self.whole() {
            self.reached |= self.in_flight >= self.whole();
            return false;
        }
        self.in_flight += 1;
        self.reached |= self.in_flight >= self.whole();
        true
    }

    /// A request ended.
    pub fn leave(&mut self, now: f64, ended: Ended) {
        match ended {
            Ended::Refused => self.refused(now),
            Ended::Taken => self.taken(now),
        }
        self.in_flight = self.in_flight.saturating_sub(1);
    }

    /// The server says that nothing will be taken for so many seconds.
    pub fn hold(&mut self, now: f64, seconds: f64) {
        let until = now + seconds.clamp(0.0, LONGEST_HOLD_S);
        if until > self.hold_until {
            self.hold_until = until;
            self.note(now, "the server's own limit is used up");
        }
    }

    /// Seconds until a hold ends; 0 without one.
    pub fn held(&self, now: f64) -> f64 {
        (self.hold_until - now).max(0.0)
    }

    /// Every change so far.
    pub fn history(&self) -> &[RateChange] {
        &self.history
    }

    fn whole(&self) -> usize {
        (self.limit as usize).max(1)
    }

    fn refused(&mut self, now: f64) {
        // What the server still holds is what it is known to take.
        let others = self.in_flight.saturating_sub(1).max(1) as f64;
        if self.refused_last.is_none_or(|last| now - last > BURST_S) {
            self.ceiling = self.in_flight as f64;
        }
        self.refused_last = Some(now);
        self.doubling = false;
        self.taken = 0;
        self.probed = now;
        self.hold_until = self.hold_until.max(now + PAUSE_S);
        if self.episode.is_none_or(|began| now - began > EPISODE_S) {
            self.episode = Some(now);
            self.limit = (others * SHRINK).max(1.0);
            self.note(now, "refused");
        } else if others < self.limit {
            self.limit = others;
            self.note(now, "refused again");
        }
    }

    fn taken(&mut self, now: f64) {
        self.taken += 1;
        if self.taken < self.whole() || !self.reached {
            return;
        }
        self.taken = 0;
        self.reached = false;
        if self.doubling {
            self.grow(now, self.limit * 2.0, "clean round");
        } else if self.limit < self.ceiling * NEAR {
            self.grow(now, (self.limit * GROWTH).min(self.ceiling * NEAR), "clean round");
        } else if now - self.probed > PROBE_S {
            self.probed = now;
            self.grow(now, self.limit + 1.0, "one more is tried");
        }
    }

    fn grow(&mut self, now: f64, limit: f64, why: &str) {
        let before = self.whole();
        self.limit = limit.min(MOST);
        if self.whole() != before {
            self.note(now, why);
        }
    }

    fn note(&mut self, now: f64, why: &str) {
        let change = RateChange { at_ms: (now * 10.0) as u64 * 100, limit: self.whole(), why: why.to_owned() };
        // A burst of refusals is one change.
        if let Some(last) = self.history.last_mut().filter(|last| last.why == change.why && last.at_ms == change.at_ms)
        {
            *last = change;
        } else {
            self.history.push(change);
        }
    }
}

/// Lets as many callers through as the limiter allows.
#[derive(Debug)]
pub struct Gate {
    limiter: Mutex<Limiter>,
    freed: Notify,
    started: Instant,
}

impl Gate {
    /// A gate that starts with `limit` at once.
    pub fn new(limit: usize) -> Self {
        Self { limiter: Mutex::new(Limiter::new(limit)), freed: Notify::new(), started: Instant::now() }
    }

    /// Waits for a place; what is returned must be told how the request ended.
    pub async fn enter(&self) -> Pass<'_> {
        loop {
            let freed = self.freed.notified();
            tokio::pin!(freed);
            // Registered before the look, so that a place that comes free in between is not missed.
            freed.as_mut().enable();
            let held = {
                let mut limiter = self.limiter();
                if limiter.enter(self.now()) {
                    return Pass { gate: self, ended: Ended::Taken };
                }
                limiter.held(self.now())
            };
            if held > 0.0 {
                tokio::time::sleep(Duration::from_secs_f64(held)).await;
            } else {
                freed.await;
            }
        }
    }

    /// The server says that nothing will be taken for so long.
    pub fn hold(&self, pause: Duration) {
        self.limiter().hold(self.now(), pause.as_secs_f64());
    }

    /// Every change of the limit.
    pub fn history(&self) -> Vec<RateChange> {
        self.limiter().history().to_vec()
    }

    fn now(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    fn limiter(&self) -> MutexGuard<'_, Limiter> {
        self.limiter.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to have one request in flight.
#[derive(Debug)]
pub struct Pass<'a> {
    gate: &'a Gate,
    /// How the request ended; a caller that went away counts as taken.
    pub ended: Ended,
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        self.gate.limiter().leave(self.gate.now(), self.ended);
        // A limit that grew may let more than one through.
        self.gate.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a simulated server and its client come to.
    struct Outcome {
        /// Taken a second, after the first 30 s.
        rate: f64,
        /// Share of requests that were refused, from the start.
        refused: f64,
    }

    /// A client with endless work for 180 s, in steps of 10 ms. A refusal comes back at once, and its caller waits for
    /// half a second. `admit` says whether the server takes a request that comes now, given those that it holds.
    fn simulate(latency: f64, mut admit: impl FnMut(f64, usize) -> bool) -> Outcome {
        let mut limiter = Limiter::new(20);
        let mut held: Vec<f64> = Vec::new();
        let (mut taken, mut refused, mut late) = (0, 0, 0);
        for step in 0..18_000 {
            let now = f64::from(step) * 0.01;
            let done = held.iter().filter(|end| **end <= now).count();
            held.retain(|end| *end > now);
            for _ in 0..done {
                limiter.leave(now, Ended::Taken);
            }
            taken += done;
            late += if now > 30.0 { done } else { 0 };
            let mut turned_away = 0;
            while limiter.enter(now) {
                if admit(now, held.len()) {
                    held.push(now + latency);
                } else {
                    turned_away += 1;
                }
            }
            for _ in 0..turned_away {
                limiter.leave(now, Ended::Refused);
            }
            refused += turned_away;
        }
        Outcome { rate: late as f64 / 150.0, refused: f64::from(refused) / (taken as f64 + f64::from(refused)) }
    }

    #[test]
    fn a_server_that_holds_25_at_once_is_kept_busy() {
        let outcome = simulate(1.0, |_, held| held < 25);
        assert!(outcome.rate >= 0.9 * 25.0, "{}", outcome.rate);
        assert!(outcome.refused < 0.02, "{}", outcome.refused);
    }

    #[test]
    fn a_server_that_takes_40_a_second_is_kept_busy() {
        let mut window = (0.0, 0);
        let outcome = simulate(0.1, |now, _| {
            if now - window.0 >= 1.0 {
                window = (now, 0);
            }
            window.1 += 1;
            window.1 <= 40
        });
        assert!(outcome.rate >= 0.9 * 40.0, "{}", outcome.rate);
        assert!(outcome.refused < 0.02, "{}", outcome.refused);
    }

    #[test]
    fn an_idle_limit_does_not_grow_and_a_failing_server_does_not_shrink_it() {
        let mut limiter = Limiter::new(20);
        for step in 0..200 {
            assert!(limiter.enter(f64::from(step)));
            limiter.leave(f64::from(step), Ended::Taken);
        }
        assert_eq!(limiter.history().len(), 1);
        limiter.hold(200.0, 3.0);
        assert!(!limiter.enter(202.0) && limiter.enter(203.5));
    }
}
