//! How far ratings agree with another board on the same agents.

use serde::Serialize;

use crate::stats::correlation::{Correlation, kendall_with_interval, pearson, spearman};

/// Correlations with a reference board, over the agents that both have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BoardAgreement {
    /// Agents that have a rating on both.
    pub agents: u64,
    /// Agents that have a rating on one only.
    pub missing: u64,
    /// Pearson's r.
    pub pearson: Option<Correlation>,
    /// Spearman's ρ.
    pub spearman: Option<Correlation>,
    /// Kendall's τ-b.
    pub kendall: Option<Correlation>,
}

/// Compares two boards, agent by agent.
pub fn agreement(board: &[Option<f64>], reference: &[Option<f64>]) -> BoardAgreement {
    let rating = |of: &[Option<f64>], agent: usize| {
        let rating = of.get(agent).copied().flatten();
        rating.filter(|rating| rating.is_finite())
    };
    let (mut x, mut y, mut missing) = (Vec::new(), Vec::new(), 0);
    for agent in 0..board.len().max(reference.len()) {
        match (rating(board, agent), rating(reference, agent)) {
            (Some(own), Some(other)) => {
                x.push(own);
                y.push(other);
            }
            (None, None) => {}
            _ => missing += 1,
        }
    }
    BoardAgreement {
        agents: x.len() as u64,
        missing,
        pearson: pearson(&x, &y),
        spearman: spearman(&x, &y),
        kendall: kendall_with_interval(&x, &y),
    }
}
