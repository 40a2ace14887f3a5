//! The limiter in simulated time: servers that allow so many at once or so many a second, and a
//! crowd that always wants more.

use std::{cmp::Reverse, collections::BinaryHeap, collections::VecDeque, time::Duration};

use super::*;

/// What a simulated server allows.
enum Server {
    /// At once.
    AtOnce(usize),
    /// In each second of the clock.
    Fixed(usize),
    /// In any second.
    Sliding(usize),
    /// A bucket of this size that fills at this rate.
    Bucket(f64, f64),
    /// Refuses this share, whatever the load.
    Moody(f64),
}

struct Run {
    server: Server,
    latency: f64,
    /// Latencies differ by up to this share.
    jitter: f64,
    headers: bool,
    limits: Limits,
}

#[derive(Debug)]
struct Outcome {
    limiter: Limiter,
    /// Answers a second, after the first 30.
    rate: f64,
    refused: f64,
}

const LENGTH: f64 = 180.0;
const SETTLED: f64 = 30.0;
/// A refusal comes at once.
const REFUSAL: f64 = 0.005;

impl Default for Run {
    fn default() -> Self {
        let limits = Limits {
            start: 20,
            most: 256,
            pause: Duration::from_millis(500),
            longest: Duration::from_mins(2),
        };
        Self {
            server: Server::AtOnce(25),
            latency: 1.0,
            jitter: 0.0,
            headers: false,
            limits,
        }
    }
}

/// A small generator of numbers from 0 to 1.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The server's own state.
#[derive(Default)]
struct Books {
    busy: usize,
    accepted: VecDeque<f64>,
    spent: f64,
    at: f64,
}

impl Books {
    fn accepts(&mut self, server: &Server, now: f64, draw: f64) -> bool {
        let recent = |books: &mut Self, from: f64| {
            while books.accepted.front().is_some_and(|at| *at <= from) {
                books.accepted.pop_front();
            }
            books.accepted.len()
        };
        let accepts = match *server {
            Server::AtOnce(most) => self.busy < most,
            Server::Fixed(most) => recent(self, now.floor() - 1e-9) < most,
            Server::Sliding(most) => recent(self, now - 1.0) < most,
            Server::Bucket(size, rate) => {
                self.spent = (self.spent - (now - self.at) * rate).max(0.0);
                self.at = now;
                self.spent + 1.0 <= size
            }
            Server::Moody(share) => draw >= share,
        };
        if accepts {
            self.busy += 1;
            self.spent += 1.0;
            self.accepted.push_back(now);
        }
        accepts
    }
}

impl Run {
    fn go(self) -> Outcome {
        let mut limiter = Limiter::new(self.limits);
        let (mut books, mut draws) = (Books::default(), Draws(7));
        // Ends of requests, and times to look again: microseconds, then what it is.
        let mut events: BinaryHeap<Reverse<(u64, u64)>> = BinaryHeap::from([Reverse((0, 0))]);
        let mut open: Vec<Option<(Ticket, bool, Allowance)>> = vec![None];
        let (mut answered, mut refused, mut sent) = (0, 0, 0);
        while let Some(Reverse((micros, id))) = events.pop() {
            let (now, seconds) = (Duration::from_micros(micros), micros as f64 / 1e6);
            if seconds > LENGTH {
                break;
            }
            if let Some((ticket, accepted, allowance)) = open[id as usize].take() {
                if self.headers {
                    limiter.hear(allowance, now);
                }
                limiter.leave(
                    ticket,
                    now,
                    if accepted {
                        Seen::Answered(100)
                    } else {
                        Seen::Refused(None)
                    },
                );
                books.busy -= usize::from(accepted);
                refused += usize::from(!accepted);
                answered += usize::from(accepted && seconds > SETTLED);
            }
            loop {
                match limiter.enter(now) {
                    Entry::Go(ticket) => {
                        sent += 1;
                        let accepted = books.accepts(&self.server, seconds, draws.next());
                        let took = if accepted {
                            self.latency * (1.0 + self.jitter * (draws.next() - 0.5))
                        } else {
                            REFUSAL
                        };
                        let left = 40u64.saturating_sub(books.accepted.len() as u64);
                        let reset = Duration::from_secs_f64(seconds.floor() + 1.0 - seconds);
                        let meter = Meter {
                            left,
                            of: 40,
                            reset,
                        };
                        open.push(Some((
                            ticket,
                            accepted,
                            Allowance {
                                requests: Some(meter),
                                tokens: None,
                            },
                        )));
                        events.push(Reverse((
                            micros + (took * 1e6) as u64,
                            open.len() as u64 - 1,
                        )));
                    }
                    Entry::WhenOneIsBack => break,
                    Entry::At(time) => {
                        // A timer of the runtime is a millisecond late.
                        events.push(Reverse((time.as_micros() as u64 + 1000, 0)));
                        break;
                    }
                    Entry::TooLong(wait) | Entry::Refusing(wait) => panic!("a pause of {wait:?}"),
                }
            }
        }
        let rate = f64::from(answered as u32) / (LENGTH - SETTLED);
        Outcome {
            limiter,
            rate,
            refused: f64::from(refused as u32) / f64::from(sent),
        }
    }
}

fn check(name: &str, possible: f64, run: Run) {
    let outcome = run.go();
    let reached = outcome.rate / possible;
    let history = outcome.limiter.history();
    assert!(
        reached >= 0.9,
        "{name}: {reached} of the possible: {history:#?}"
    );
    assert!(
        outcome.refused < 0.02,
        "{name}: {} refused: {history:#?}",
        outcome.refused
    );
}

#[test]
fn a_server_that_allows_25_at_once() {
    check("25 at once", 25.0, Run::default());
    // A whole second of 20 goes well and the doubling is refused at 25: no reason to stay at 20.
    check(
        "24 at once",
        24.0,
        Run {
            server: Server::AtOnce(24),
            ..Run::default()
        },
    );
    check(
        "25 at once, uneven",
        25.0,
        Run {
            jitter: 0.5,
            ..Run::default()
        },
    );
    check(
        "25 at once, very uneven",
        25.0,
        Run {
            jitter: 1.5,
            ..Run::default()
        },
    );
    let limits = Limits {
        start: 4,
        ..Run::default().limits
    };
    check(
        "3 at once",
        3.0,
        Run {
            server: Server::AtOnce(3),
            limits,
            ..Run::default()
        },
    );
    check(
        "200 at once",
        200.0,
        Run {
            server: Server::AtOnce(200),
            ..Run::default()
        },
    );
}

/// Twelve of the first twenty are refused, in whatever order: eight is what there is, and no cut
/// after another has to find it.
#[test]
fn what_was_taken_of_a_refused_doubling_is_the_limit() {
    let mut limiter = Limiter::new(Run::default().limits);
    let mut go = || match limiter.enter(Duration::ZERO) {
        Entry::Go(ticket) => ticket,
        other => panic!("{other:?}"),
    };
    let tickets: Vec<Ticket> = (0..20).map(|_| go()).collect();
    for (n, ticket) in tickets.iter().rev().take(12).enumerate() {
        limiter.leave(
            *ticket,
            Duration::from_millis(5 + n as u64),
            Seen::Refused(None),
        );
    }
    assert!(
        (limiter.limit - 8.0).abs() < 1e-9,
        "{:#?}",
        limiter.history()
    );
    check(
        "8 at once",
        8.0 / 0.02,
        Run {
            server: Server::AtOnce(8),
            latency: 0.02,
            ..Run::default()
        },
    );
}

#[test]
fn a_server_that_allows_40_a_second() {
    let run = |server| Run {
        server,
        latency: 0.1,
        ..Run::default()
    };
    check("40 in each second", 40.0, run(Server::Fixed(40)));
    check("40 in any second", 40.0, run(Server::Sliding(40)));
    check("a bucket of 40", 40.0, run(Server::Bucket(40.0, 40.0)));
    check("a bucket of 8", 40.0, run(Server::Bucket(8.0, 40.0)));
    check(
        "40 a second, uneven",
        40.0,
        Run {
            jitter: 0.5,
            ..run(Server::Sliding(40))
        },
    );
    check(
        "with headers",
        40.0,
        Run {
            headers: true,
            ..run(Server::Fixed(40))
        },
    );
}

#[test]
fn a_server_that_allows_less_than_one_at_a_time() {
    let limits = Limits {
        start: 4,
        ..Run::default().limits
    };
    let outcome = Run {
        server: Server::Bucket(10.0, 2.0),
        latency: 0.1,
        limits,
        ..Run::default()
    }
    .go();
    assert!(outcome.rate > 1.8 && outcome.refused < 0.1, "{outcome:?}");
}

#[test]
fn a_server_without_limits_is_used_up_to_ours() {
    let outcome = Run {
        server: Server::AtOnce(1000),
        ..Run::default()
    }
    .go();
    assert!(
        outcome.refused == 0.0 && outcome.rate > 250.0,
        "{outcome:?}"
    );
    assert_eq!(outcome.limiter.history().len(), 5, "20, 40, 80, 160, 256");
}

#[test]
fn refusals_that_have_nothing_to_do_with_load_leave_one_at_a_time() {
    let outcome = Run {
        server: Server::Moody(0.06),
        latency: 0.1,
        ..Run::default()
    }
    .go();
    assert!(outcome.rate > 4.0, "{outcome:?}");
}

#[test]
fn nobody_waits_for_an_hour() {
    let mut limiter = Limiter::new(Run::default().limits);
    let Entry::Go(ticket) = limiter.enter(Duration::ZERO) else {
        panic!("the first one goes")
    };
    let now = Duration::from_millis(1);
    limiter.leave(ticket, now, Seen::Refused(Some(Duration::from_hours(1))));
    assert!(matches!(limiter.enter(now), Entry::TooLong(_)));
    // Nor for ever.
    limiter.leave(ticket, now, Seen::Refused(Some(Duration::MAX)));
    assert!(matches!(limiter.enter(now), Entry::TooLong(_)));
}

#[test]
fn a_server_that_refuses_everything_is_not_waited_for_longer_than_for_a_pause() {
    let mut limiter = Limiter::new(Run::default().limits);
    let (mut now, mut sent) = (Duration::ZERO, 0);
    let given_up = loop {
        match limiter.enter(now) {
            Entry::Go(ticket) => {
                sent += 1;
                now += Duration::from_millis(5);
                limiter.leave(ticket, now, Seen::Refused(None));
            }
            Entry::At(time) => now = time,
            Entry::Refusing(time) => break time,
            Entry::TooLong(wait) => panic!("a pause of {wait:?}"),
            Entry::WhenOneIsBack => panic!("none is in flight"),
        }
    };
    assert!((120..185).contains(&given_up.as_secs()), "{given_up:?}");
    assert!((6..12).contains(&sent), "{sent}");
}

#[test]
fn a_servers_error_changes_nothing() {
    let mut limiter = Limiter::new(Run::default().limits);
    for ms in 0..1000 {
        let now = Duration::from_millis(ms);
        let Entry::Go(ticket) = limiter.enter(now) else {
            panic!("it goes")
        };
        limiter.leave(ticket, now, Seen::Neither);
    }
    assert_eq!(limiter.history().len(), 1);
}
