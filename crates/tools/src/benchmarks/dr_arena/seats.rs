//! Who won a battle. A line of the history names both agents in the order of the pairing and gives
//! the points in the order of the seats, which were changed in half of the battles: the sign of the
//! points names the loser then. Read is the winner's name, and the points are put beside the right
//! names.

use serde_json::{Number, Value};

use super::files::{Battle, HistoryLine};
use crate::data::{Side, arena::Score};

/// Points of an agent at most; a battle of ten rounds has twenty.
const MOST_POINTS: f64 = 1_000.0;

/// Whether agents sat in the order in which they are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seats {
    /// They did.
    AsNamed,
    /// The points stand in the other order: the trap.
    Changed,
    /// A tie does not tell, and needs not.
    Untold,
}

/// A battle with its points beside the right names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fought {
    /// The tree.
    pub tree: String,
    /// The agents as the file names them.
    pub agents: [String; 2],
    /// The winner among them; none of a tie.
    pub winner: Option<Side>,
    /// Their points.
    pub score: Score,
    /// Rounds, where they are known.
    pub rounds: Option<u64>,
    /// Whether they sat as they are named.
    pub seats: Seats,
}

/// Why a battle says nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum BattleFault {
    /// A field is not there or of another kind.
    #[error("no `{0}`")]
    Missing(&'static str),
    /// Points that no battle gives.
    #[error("`{0}` is no number of points")]
    Points(&'static str),
    /// The winner is none of both agents.
    #[error("the winner is neither of both agents nor a tie")]
    Winner,
    /// There is a winner, and both have as many points.
    #[error("one is said to have won with as many points as the other")]
    WonEven,
    /// There is none, and the points differ.
    #[error("it is said to be a tie, and the points differ")]
    TiedUneven,
    /// The winner's seat has fewer points.
    #[error("the seat that is said to have won has fewer points")]
    SeatLost,
    /// Both agents have one name.
    #[error("both agents have one name")]
    OneAgent,
}

/// The battle of a line of the history.
pub fn of_history(line: &HistoryLine) -> Result<Fought, BattleFault> {
    let key = line.gamekey.get().ok_or(BattleFault::Missing("gamekey"))?;
    let [tree, a, b] = key.as_slice() else {
        return Err(BattleFault::Missing("gamekey"));
    };
    let text = |field: &super::files::Field<String>| {
        field.get().cloned().ok_or(BattleFault::Missing("gamekey"))
    };
    let (tree, agents) = (text(tree)?, [text(a)?, text(b)?]);
    let result = line.result.get().ok_or(BattleFault::Missing("result"))?;
    let seated = Score {
        a: points(result.score_a.get(), "score_a")?,
        b: points(result.score_b.get(), "score_b")?,
    };
    let winner = result.winner.get().ok_or(BattleFault::Missing("winner"))?;
    let rounds = result.rounds.get().copied();
    if winner == "Tie" {
        return fought(tree, agents, None, seated, rounds);
    }
    let (seat, name) = seat_of(winner).ok_or(BattleFault::Winner)?;
    let fought = fought(tree, agents, Some(name), seated, rounds)?;
    // The file says the seat, too: it must be the one with more points.
    if seated.leader() != Some(seat) {
        return Err(BattleFault::SeatLost);
    }
    Ok(fought)
}

/// The battle of the dashboard's list.
pub fn of_battle(battle: &Battle) -> Result<Fought, BattleFault> {
    let text = |field: &super::files::Field<String>, name| {
        field.get().cloned().ok_or(BattleFault::Missing(name))
    };
    let agents = [
        text(&battle.model_a, "model_a")?,
        text(&battle.model_b, "model_b")?,
    ];
    let seated = Score {
        a: points(battle.score_a.get(), "score_a")?,
        b: points(battle.score_b.get(), "score_b")?,
    };
    let winner = match battle.winner.get() {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) => Some(name.as_str()),
        Some(_) => return Err(BattleFault::Winner),
    };
    let tree = text(&battle.tree_id, "tree_id")?;
    fought(tree, agents, winner, seated, battle.rounds.get().copied())
}

fn fought(
    tree: String,
    agents: [String; 2],
    winner: Option<&str>,
    seated: Score,
    rounds: Option<u64>,
) -> Result<Fought, BattleFault> {
    let [a, b] = &agents;
    if a == b {
        return Err(BattleFault::OneAgent);
    }
    let winner = match winner {
        None => None,
        Some(name) if name == a => Some(Side::A),
        Some(name) if name == b => Some(Side::B),
        Some(_) => return Err(BattleFault::Winner),
    };
    let (score, seats) = match (winner, seated.leader()) {
        (None, None) => (seated, Seats::Untold),
        (None, Some(_)) => return Err(BattleFault::TiedUneven),
        (Some(_), None) => return Err(BattleFault::WonEven),
        (Some(winner), Some(leader)) if winner == leader => (seated, Seats::AsNamed),
        (Some(_), Some(_)) => (seated.mirrored(), Seats::Changed),
    };
    Ok(Fought {
        tree,
        agents,
        winner,
        score,
        rounds,
        seats,
    })
}

fn points(number: Option<&Number>, name: &'static str) -> Result<u32, BattleFault> {
    let number = number.ok_or(BattleFault::Missing(name))?;
    whole_points(number).ok_or(BattleFault::Points(name))
}

/// A number of points: whole, and not more than any battle gives.
pub fn whole_points(number: &Number) -> Option<u32> {
    let points = number.as_f64()?;
    let is_count = (0.0..=MOST_POINTS).contains(&points) && points.fract() == 0.0;
    is_count.then_some(points as u32)
}

/// The seat and the name in `Agent A (name)`.
fn seat_of(winner: &str) -> Option<(Side, &str)> {
    let rest = winner.strip_suffix(')')?;
    let named = |side, front| Some((side, rest.strip_prefix(front)?));
    named(Side::A, "Agent A (").or_else(|| named(Side::B, "Agent B ("))
}

/// Figures of many battles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BattleFigures {
    /// Battles that say who won, or that nobody did.
    pub battles: usize,
    /// Battles without a winner.
    pub ties: usize,
    /// Battles whose points name the loser.
    pub trapped: usize,
    /// Battles that say nothing, by cause.
    pub faults: std::collections::BTreeMap<BattleFault, usize>,
}

impl BattleFigures {
    /// Counts a battle.
    pub fn add(&mut self, battle: &Result<Fought, BattleFault>) {
        match battle {
            Ok(fought) => {
                self.battles += 1;
                self.ties += usize::from(fought.winner.is_none());
                self.trapped += usize::from(fought.seats == Seats::Changed);
            }
            Err(fault) => *self.faults.entry(fault.clone()).or_default() += 1,
        }
    }
}
