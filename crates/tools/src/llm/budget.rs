//! The budget of a command, in money or in tokens. Requests in flight are reserved at their largest
//! possible cost, so that the limit holds even if every reply has its full length.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::prices::Price;
use crate::data::Usage;

/// An amount: micro-dollars and tokens (prompt and reply together).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Micro-dollars.
    pub micro: u64,
    /// Tokens.
    pub tokens: u64,
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} tokens, ${:.4}", self.tokens, self.micro as f64 / 1e6)
    }
}

impl Amount {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            // Usage comes from servers: a sum that wraps around would open the budget again.
            micro: self.micro.saturating_add(other.micro),
            tokens: self.tokens.saturating_add(other.tokens),
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            micro: self.micro.saturating_sub(other.micro),
            tokens: self.tokens.saturating_sub(other.tokens),
        }
    }
}

/// The limits of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Micro-dollars, if money is limited.
    pub micro: Option<u64>,
    /// Tokens, if they are.
    pub tokens: Option<u64>,
}

impl Limits {
    fn allow(self, amount: Amount) -> bool {
        self.micro.is_none_or(|most| amount.micro <= most)
            && self.tokens.is_none_or(|most| amount.tokens <= most)
    }
}

/// The limit is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// What was spent.
    pub spent: Amount,
    /// What the next call could have cost.
    pub next: Amount,
}

impl std::fmt::Display for Spent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the budget is spent: {} so far, and the next request could take {}",
            self.spent, self.next
        )
    }
}

/// Keeps to the limits.
#[derive(Debug, Default)]
pub struct Budget {
    limits: Limits,
    state: Mutex<State>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct State {
    spent: Amount,
    reserved: Amount,
}

/// The most that one call can cost, set aside until it is settled.
#[derive(Debug)]
pub struct Reservation<'a> {
    budget: &'a Budget,
    amount: Amount,
}

impl Budget {
    /// Nothing is spent yet.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Whether money is limited, so that a model of unknown price cannot be asked.
    pub fn limits_money(&self) -> bool {
        self.limits.micro.is_some()
    }

    /// What was spent.
    pub fn spent(&self) -> Amount {
        self.state().spent
    }

    /// Sets `most` aside; waits for calls in flight where it may fit once they are settled.
    pub async fn reserve(&self, most: Amount) -> Result<Reservation<'_>, Spent> {
        loop {
            let freed = self.freed.notified();
            tokio::pin!(freed);
            // Registered before the look, so that what is freed in between is not missed.
            freed.as_mut().enable();
            // No lock is held across the wait: settling takes the same one.
            if let Some(answer) = self.try_reserve(most) {
                return answer;
            }
            freed.await;
        }
    }

    /// `None` while it may still fit later.
    fn try_reserve(&self, most: Amount) -> Option<Result<Reservation<'_>, Spent>> {
        let mut state = self.state();
        if self
            .limits
            .allow(state.spent.plus(state.reserved).plus(most))
        {
            state.reserved = state.reserved.plus(most);
            return Some(Ok(Reservation {
                budget: self,
                amount: most,
            }));
        }
        // Calls in flight may end below their most; only what is spent already is spent for good.
        let never = !self.limits.allow(state.spent.plus(most));
        never.then(|| {
            Err(Spent {
                spent: state.spent,
                next: most,
            })
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reservation<'_> {
    /// The call is over and cost so much.
    pub fn settle(self, cost: Amount) {
        let mut state = self.budget.state();
        // The reservation itself is released by `drop`, which runs here too: cost and release are
        // one lock apart, and in between more is held than needed, never less.
        state.spent = state.spent.plus(cost);
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let mut state = self.budget.state();
        state.reserved = state.reserved.minus(self.amount);
        drop(state);
        // All waiters, not one: the first may need more than was freed and a later one less.
        self.budget.freed.notify_waiters();
    }
}

/// What one question may spend and has spent: every request for it is held at its most before it is
/// sent.
#[derive(Debug, Default)]
pub struct Purse<'a> {
    budget: Option<&'a Budget>,
    price: Option<&'a Price>,
    spending: Mutex<Spending>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Spending {
    counted: Usage,
    uncounted: u32,
    refused: Option<Spent>,
}

impl<'a> Purse<'a> {
    /// Nothing is spent yet.
    pub fn new(budget: &'a Budget, price: Option<&'a Price>) -> Self {
        Self {
            budget: Some(budget),
            price,
            spending: Mutex::default(),
        }
    }

    /// Sets aside the most that a request can take; waits for others where it may fit later. The
    /// error is that it cannot fit any more.
    pub async fn hold(&self, most: Usage) -> Result<Hold<'_>, Spent> {
        let reservation =
            match self.budget {
                Some(budget) => Some(budget.reserve(self.amount(most)).await.inspect_err(
                    |spent| {
                        self.spending().refused = Some(*spent);
                    },
                )?),
                None => None,
            };
        Ok(Hold {
            purse: self,
            most,
            reservation,
        })
    }

    /// Tokens of the requests whose server counted them.
    pub fn counted(&self) -> Usage {
        self.spending().counted
    }

    /// What the requests cost; unknown where the price is, or where one may have been charged that
    /// nobody counted.
    pub fn micro(&self) -> Option<u64> {
        let spending = *self.spending();
        self.price
            // One uncounted request makes the sum a lower bound, and a bound must not be shown as
            // the cost.
            .filter(|_| spending.uncounted == 0)
            .map(|price| price.micro(spending.counted))
    }

    /// Why a request was not sent, if the budget forbade one.
    pub fn refused(&self) -> Option<Spent> {
        self.spending().refused
    }

    fn amount(&self, usage: Usage) -> Amount {
        let micro = self.price.map_or(0, |price| price.micro(usage));
        Amount {
            micro,
            tokens: usage.input.saturating_add(usage.output),
        }
    }

    fn spending(&self) -> MutexGuard<'_, Spending> {
        self.spending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request's most, set aside. Dropped without a word, nothing was charged.
#[derive(Debug)]
pub struct Hold<'a> {
    purse: &'a Purse<'a>,
    most: Usage,
    reservation: Option<Reservation<'a>>,
}

impl Hold<'_> {
    /// The server counted.
    pub fn counted(self, usage: Usage) {
        self.purse.spending().counted += usage;
        self.settle(usage);
    }

    /// It may be charged, and nobody counted: it is taken to have cost the most that it could.
    pub fn uncounted(self) {
        self.purse.spending().uncounted += 1;
        let most = self.most;
        self.settle(most);
    }

    /// The reply is still being made, and will be counted by the run that it comes to: until then
    /// this run's budget takes it to cost the most that it could.
    pub fn postponed(self) {
        let most = self.most;
        self.settle(most);
    }

    fn settle(self, usage: Usage) {
        let amount = self.purse.amount(usage);
        if let Some(reservation) = self.reservation {
            reservation.settle(amount);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(tokens: u64) -> Amount {
        Amount { micro: 0, tokens }
    }

    #[tokio::test]
    async fn what_is_in_flight_counts_at_its_most() {
        let budget = Budget::new(Limits {
            tokens: Some(100),
            micro: None,
        });
        let first = budget.reserve(tokens(60)).await.expect("it fits");
        // 60 more do not fit beside it, but may once it is settled: not an answer yet.
        assert!(budget.try_reserve(tokens(60)).is_none());
        first.settle(tokens(30));
        let second = budget.reserve(tokens(60)).await.expect("30 + 60 fit");
        drop(second);
        assert_eq!(budget.spent(), tokens(30));
        let refused = budget
            .reserve(tokens(71))
            .await
            .expect_err("30 + 71 never fit");
        assert_eq!(
            refused,
            Spent {
                spent: tokens(30),
                next: tokens(71)
            }
        );
    }

    #[tokio::test]
    async fn who_waits_is_woken() {
        let budget = std::sync::Arc::new(Budget::new(Limits {
            micro: Some(10),
            tokens: None,
        }));
        let first = budget
            .reserve(Amount {
                micro: 10,
                tokens: 0,
            })
            .await
            .expect("it fits");
        let waiting = {
            let budget = std::sync::Arc::clone(&budget);
            tokio::spawn(async move {
                budget
                    .reserve(Amount {
                        micro: 5,
                        tokens: 0,
                    })
                    .await
                    .is_ok()
            })
        };
        tokio::task::yield_now().await;
        first.settle(Amount {
            micro: 4,
            tokens: 0,
        });
        assert!(waiting.await.expect("no panic"));
    }
}
