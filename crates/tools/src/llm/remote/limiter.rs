//! The rate limiter of one model: a state machine for the number of requests in flight that gets
//! the time as an argument, so that tests can simulate it. Hides doubling, cutting, spacing, pauses
//! and the limits in a server's headers.
//!
//! The rule: start at 20, double each clean round until the first 429; then ×0.8 per rate-limited
//! episode, +5 % per clean round, and no growth for 15 seconds after a cut. 5xx never shrinks it.
//! Concurrency alone would swing around a limit of requests per second, so three things are added
//! once a server has refused: launches are spaced by latency over limit (a limit of 4.2 means
//! something), nothing is launched for a moment after a refusal, and the highest limit that a whole
//! round went well at is remembered: a refused step above it goes back to it, and is tried again
//! only later. Of the doubling that was refused, what the server took says what it takes: five cuts
//! and twenty seconds less on the way from 20 to 8.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::headers::{Allowance, Meter};

/// A round after the first refusal takes at least this long: servers count by the second.
const ROUND: Duration = Duration::from_secs(1);
/// No growth for this long after a cut.
const COOL_DOWN: Duration = Duration::from_secs(15);
/// How long the remembered limit is kept before more is tried; each refused trial doubles it.
const PATIENCE: Duration = Duration::from_mins(1);
const MOST_PATIENCE: Duration = Duration::from_mins(10);
/// The longest pause that the server did not ask for.
const LONGEST_OWN_PAUSE: Duration = Duration::from_mins(1);
/// Refusals in a row, each after a pause, from which on a server may be one that serves nobody.
const SEVERAL_REFUSALS: u32 = 6;
/// Answers that a round after the first refusal has at least.
const SMALLEST_ROUND: f64 = 4.0;
/// Below one request at a time only when at least this share of the latest answers were refusals.
const MANY_REFUSALS: f64 = 0.2;
const LEAST: f64 = 0.02;
/// The smallest step down.
const EASE: f64 = 0.02;
/// A step down so soon after another one is twice as large.
const AGAIN: Duration = Duration::from_millis(2500);

/// How a limiter begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Requests in flight at first.
    pub start: usize,
    /// Requests in flight at most.
    pub most: usize,
    /// The first pause after a refusal that does not say how long to wait.
    pub pause: Duration,
    /// The longest pause that is waited for.
    pub longest: Duration,
}

/// A change of a model's limit of requests in flight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RateChange {
    /// When, in milliseconds since the model was set up.
    pub ms: u64,
    /// Requests in flight that are aimed at from then on; below 1 there are pauses in between.
    pub limit: f64,
    /// Why.
    pub why: RateReason,
}

/// Why a limit changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateReason {
    /// The beginning.
    Start,
    /// A clean round, and no refusal so far.
    Doubled,
    /// A rate-limited episode.
    Cut,
    /// A refused step above a limit that had gone well: back to it.
    Back,
    /// A refusal at a limit that had gone well: a little less.
    Eased,
    /// The cool-down is over: as many as had gone well.
    Restored,
    /// A clean round.
    Grown,
}

/// Whether a request may be sent.
#[derive(Debug)]
pub(super) enum Entry {
    /// Now.
    Go(Ticket),
    /// Ask again when one in flight is back.
    WhenOneIsBack,
    /// Ask again at this time.
    At(Duration),
    /// The server wants so long a pause that nobody waits for it.
    TooLong(Duration),
    /// The server has refused everything for so long.
    Refusing(Duration),
}

/// A request in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticket {
    launched: Duration,
    /// Requests in flight with this one.
    among: usize,
}

/// A request's outcome.
#[derive(Clone, Copy, Debug)]
pub(super) enum Seen {
    /// An answer, and the tokens of question and answer.
    Answered(u64),
    /// A 429, with how long the server asks to wait.
    Refused(Option<Duration>),
    /// Anything that says nothing about load: a server's error, a broken connection, a question
    /// that was dropped.
    Neither,
}

/// See the file's head.
#[derive(Debug)]
pub(super) struct Limiter {
    limits: Limits,
    limit: f64,
    in_flight: usize,
    /// Until the first refusal: doubling, and no spacing.
    unrefused: bool,
    /// How many of the requests of the refused doubling were taken, as far as is known: what the
    /// server takes at once.
    burst: Option<f64>,
    /// Mean time to an answer, in seconds.
    latency: f64,
    /// How many of the latest that mean stands for.
    seen_latencies: f64,
    /// Share of refusals among the latest answers.
    refused_share: f64,
    /// Launches are spaced: the next one is not before this.
    next: Duration,
    /// Nothing is launched before this.
    paused: Duration,
    episode: Duration,
    refusals_in_a_row: u32,
    /// When the first request was refused since which none was answered.
    refused_since: Option<Duration>,
    /// The highest limit at which a whole round went well.
    proven: f64,
    /// A refusal came at the proven limit, and no clean round since.
    doubted: bool,
    ease: f64,
    eased: Duration,
    cool: Duration,
    keep: Duration,
    patience: Duration,
    round: Round,
    allowance: Option<Allowed>,
    tokens_each: f64,
    history: Vec<RateChange>,
}

#[derive(Debug, Default)]
struct Round {
    since: Duration,
    answered: f64,
    /// Whether a request had to wait, so that more would have been used.
    full: bool,
}

/// What the server's headers leave until its count begins again.
#[derive(Debug)]
struct Allowed {
    left: f64,
    of: f64,
    until: Duration,
    length: Duration,
}

impl Limiter {
    pub(super) fn new(limits: Limits) -> Self {
        let start = limits.start.clamp(1, limits.most.max(1)) as f64;
        Self {
            limits,
            limit: start,
            in_flight: 0,
            unrefused: true,
            burst: None,
            latency: 0.0,
            seen_latencies: 0.0,
            refused_share: 0.0,
            next: Duration::ZERO,
            paused: Duration::ZERO,
            episode: Duration::ZERO,
            refusals_in_a_row: 0,
            refused_since: None,
            proven: 0.0,
            doubted: false,
            ease: EASE,
            eased: Duration::ZERO,
            cool: Duration::ZERO,
            keep: Duration::ZERO,
            patience: PATIENCE,
            round: Round::default(),
            allowance: None,
            tokens_each: 1000.0,
            history: vec![RateChange {
                ms: 0,
                limit: start,
                why: RateReason::Start,
            }],
        }
    }

    /// Asks to send a request at `now`.
    pub(super) fn enter(&mut self, now: Duration) -> Entry {
        if self.in_flight as f64 >= self.limit.ceil() {
            self.round.full = true;
            return Entry::WhenOneIsBack;
        }
        let refusing = self.refusing(now);
        if refusing > self.limits.longest {
            return Entry::Refusing(refusing);
        }
        let until = self.paused.max(self.next).max(self.allowed_at(now));
        if until > now {
            self.round.full = true;
            let wait = until.saturating_sub(now);
            return if wait > self.limits.longest {
                Entry::TooLong(wait)
            } else {
                Entry::At(until)
            };
        }
        self.in_flight += 1;
        if !self.unrefused {
            let space = Duration::from_secs_f64(self.latency / self.limit);
            // A few late launches may be made up for, so that coarse timers and uneven answers cost
            // nothing.
            self.next = self
                .next
                .max(now.saturating_sub(space.mul_f64(1.0 + self.limit / 8.0)))
                + space;
        }
        if let Some(allowance) = &mut self.allowance {
            allowance.left -= 1.0;
        }
        Entry::Go(Ticket {
            launched: now,
            among: self.in_flight,
        })
    }

    /// Records a request's outcome, at `now`.
    pub(super) fn leave(&mut self, ticket: Ticket, now: Duration, seen: Seen) {
        self.in_flight = self.in_flight.saturating_sub(1);
        match seen {
            Seen::Answered(tokens) => self.answered(ticket, tokens, now),
            Seen::Refused(wait) => self.refused(ticket, now, wait),
            Seen::Neither => {}
        }
    }

    /// What the headers of an answer say.
    pub(super) fn hear(&mut self, allowance: Allowance, now: Duration) {
        let allowed = |meter: Meter, each: f64| Allowed {
            // The others in flight may not be counted yet.
            left: (meter.left as f64 / each).floor() - self.in_flight.saturating_sub(1) as f64,
            of: (meter.of as f64 / each).floor().max(1.0),
            until: now.saturating_add(meter.reset),
            length: meter.reset.max(ROUND),
        };
        let requests = allowance.requests.map(|meter| allowed(meter, 1.0));
        let tokens = allowance
            .tokens
            .map(|meter| allowed(meter, self.tokens_each.max(1.0)));
        let scarcer = requests
            .into_iter()
            .chain(tokens)
            .min_by(|a, b| a.left.total_cmp(&b.left));
        self.allowance = scarcer.or_else(|| self.allowance.take());
    }

    pub(super) fn history(&self) -> &[RateChange] {
        &self.history
    }

    fn allowed_at(&mut self, now: Duration) -> Duration {
        let Some(allowance) = &mut self.allowance else {
            return Duration::ZERO;
        };
        if now >= allowance.until {
            // The count began again; the next answer says how long it lasts.
            (allowance.left, allowance.until) =
                (allowance.of, now.saturating_add(allowance.length));
        }
        if allowance.left < 1.0 {
            allowance.until
        } else {
            Duration::ZERO
        }
    }

    /// How long the server has refused everything, where that says something.
    fn refusing(&self, now: Duration) -> Duration {
        match self.refused_since {
            Some(since) if self.refusals_in_a_row >= SEVERAL_REFUSALS => now.saturating_sub(since),
            _ => Duration::ZERO,
        }
    }

    fn answered(&mut self, ticket: Ticket, tokens: u64, now: Duration) {
        self.refused_since = None;
        self.tokens_each += (tokens as f64 - self.tokens_each) / 8.0;
        let took = now.saturating_sub(ticket.launched).as_secs_f64();
        self.seen_latencies = (self.seen_latencies + 1.0).min(64.0);
        self.latency += (took - self.latency) / self.seen_latencies;
        self.refused_share -= self.refused_share / 16.0;
        if ticket.launched > self.episode {
            self.refusals_in_a_row = 0;
        }
        if ticket.launched < self.round.since {
            return;
        }
        self.round.answered += 1.0;
        let lasted = now.saturating_sub(self.round.since);
        let (enough, long_enough) = if self.unrefused {
            (self.limit, true)
        } else {
            (self.limit.ceil().max(SMALLEST_ROUND), lasted >= ROUND)
        };
        if self.round.answered >= enough && long_enough {
            self.went_well(now, lasted);
        }
    }

    fn went_well(&mut self, now: Duration, lasted: Duration) {
        let full = std::mem::replace(
            &mut self.round,
            Round {
                since: now,
                ..Round::default()
            },
        )
        .full;
        self.doubted = false;
        if !full {
            return;
        }
        if lasted >= ROUND {
            self.proven = self.proven.max(self.limit);
        }
        if self.unrefused {
            self.set(now, self.limit * 2.0, RateReason::Doubled);
        } else if now >= self.cool && self.limit < self.proven {
            self.keep = now + self.patience;
            self.set(now, self.proven, RateReason::Restored);
        } else if now >= self.cool.max(self.keep) {
            self.ease = 0.0;
            self.set(now, self.limit * 1.05, RateReason::Grown);
        }
    }

    fn refused(&mut self, ticket: Ticket, now: Duration, wait: Option<Duration>) {
        self.refused_share += (1.0 - self.refused_share) / 16.0;
        self.refused_since.get_or_insert(now);
        if !self.unrefused && ticket.launched <= self.episode {
            // Launched before the last refusal was known: the same episode.
            self.pause_until(now.saturating_add(wait.unwrap_or_default()));
            if let Some(burst) = &mut self.burst {
                *burst -= 1.0;
                let limit = burst.min(self.limit);
                self.set(now, self.at_least(limit), RateReason::Cut);
            }
            return;
        }
        self.refusals_in_a_row += 1;
        let own = self.limits.pause
            * 2u32.saturating_pow(self.refusals_in_a_row.saturating_sub(1).min(16));
        let own = own.min(LONGEST_OWN_PAUSE);
        let wait = wait.map_or(own, |wait| {
            if self.refusals_in_a_row > 1 {
                wait.max(own)
            } else {
                wait
            }
        });
        self.pause_until(now.saturating_add(wait));
        self.episode = now;
        self.round = Round {
            since: now,
            ..Round::default()
        };
        let doubling = std::mem::replace(&mut self.unrefused, false);
        let limit = if doubling {
            self.limit.min(ticket.among as f64)
        } else {
            self.limit
        };
        self.burst = doubling.then_some(self.limit - 1.0);
        // A refused doubling says little about the room in between: that is found by growing.
        if !doubling && limit > self.proven && self.proven >= 0.8 * limit {
            self.keep = now + self.patience;
            self.patience = (self.patience * 2).min(MOST_PATIENCE);
            self.set(now, self.proven, RateReason::Back);
        } else if limit <= self.proven && !self.doubted {
            self.doubted = true;
            // Rarely: a little less. Again and again: it was never true.
            let again = now.saturating_sub(self.eased) < AGAIN;
            self.ease = if again {
                (2.0 * self.ease).clamp(EASE, 0.2)
            } else {
                EASE
            };
            self.eased = now;
            self.proven = self.at_least((1.0 - self.ease) * limit);
            self.set(now, self.proven, RateReason::Eased);
        } else {
            if limit <= self.proven {
                (self.proven, self.patience) = (0.0, PATIENCE);
            }
            self.cool = now + COOL_DOWN;
            self.set(now, self.at_least(0.8 * limit), RateReason::Cut);
        }
    }

    fn at_least(&self, limit: f64) -> f64 {
        limit.max(if self.limit < 1.0 || self.refused_share > MANY_REFUSALS {
            LEAST
        } else {
            1.0
        })
    }

    fn pause_until(&mut self, time: Duration) {
        self.paused = self.paused.max(time);
        self.next = self.next.max(self.paused);
    }

    fn set(&mut self, now: Duration, limit: f64, why: RateReason) {
        let limit = limit.min(self.limits.most.max(1) as f64);
        if limit.to_bits() != self.limit.to_bits() {
            self.limit = limit;
            self.history.push(RateChange {
                ms: now.as_millis() as u64,
                limit,
                why,
            });
        }
    }
}

#[cfg(test)]
#[path = "limiter_tests.rs"]
mod tests;
