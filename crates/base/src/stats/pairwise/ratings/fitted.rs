//! A fit of strengths with its curvature, whichever model it came from.

use super::Options;
use crate::stats::pairwise::bradley_terry::{self, Fit, Game, Model, Preference};

/// Largest slope of the log likelihood that is left: far below a thousandth of a point.
const SLOPE: f64 = 1e-9;

/// A variance that holds nothing back: maximum likelihood.
const NO_PRIOR: f64 = 1e12;

/// The precision that holds a seat term at 0.
const HELD: f64 = 1e12;

/// Strengths, the seat term and their information matrix.
#[derive(Clone, Debug)]
pub(super) struct Fitted {
    /// In logits, one an agent.
    pub strength: Vec<f64>,
    /// What the first seat is worth, in logits.
    pub seat: f64,
    /// Thresholds, where verdicts are graded: logarithms of the first and of the step to the
    /// second.
    pub steps: Option<[f64; 2]>,
    /// Information about strengths, the seat term, then the thresholds.
    pub information: Vec<Vec<f64>>,
}

/// The prior's precision of a strength.
pub(super) fn precision(options: &Options) -> f64 {
    1.0 / options.prior_variance.unwrap_or(NO_PRIOR)
}

/// The prior's precision of the seat term.
pub(super) fn seat_precision(options: &Options) -> f64 {
    if options.seat { 1.0 } else { HELD }
}

/// Adds the information of a game, `information` in its logit, to a matrix: the logit is the
/// first's strength minus the second's, plus the seat term.
pub(super) fn add(
    matrix: &mut [Vec<f64>],
    (first, second, seat): (usize, usize, usize),
    information: f64,
) {
    let direction = [(first, 1.0), (second, -1.0), (seat, 1.0)];
    for (row, by) in direction {
        for (column, and) in direction {
            matrix[row][column] += by * and * information;
        }
    }
}

/// The Bradley–Terry fit of some matches.
pub(super) fn bradley_terry(
    agents: usize,
    games: &[Game],
    options: &Options,
    start: Option<&Fitted>,
) -> Fitted {
    let model = Model {
        intercepts: options.seat,
        ..Model::plain(1, options.prior_variance.unwrap_or(NO_PRIOR))
    };
    let verdicts: Vec<Preference> = games
        .iter()
        .map(|game| Preference::Pair(Game { judge: 0, ..*game }))
        .collect();
    let start = start.map(|start| Fit {
        strength: start.strength.clone(),
        intercept: vec![start.seat],
        variance: Vec::new(),
        slope: 0.0,
    });
    let fit = bradley_terry::fit_to(SLOPE, agents, &verdicts, &model, start.as_ref());
    let mut information = vec![vec![0.0; agents + 1]; agents + 1];
    for game in games {
        let at = (game.first as usize, game.second as usize, agents);
        let logit = fit.strength[at.0] - fit.strength[at.1] + fit.intercept[0];
        let p = model.probability(0, logit);
        add(&mut information, at, p * (1.0 - p));
    }
    for (agent, row) in information.iter_mut().take(agents).enumerate() {
        row[agent] += precision(options);
    }
    information[agents][agents] += seat_precision(options);
    Fitted {
        seat: fit.intercept[0],
        strength: fit.strength,
        steps: None,
        information,
    }
}
