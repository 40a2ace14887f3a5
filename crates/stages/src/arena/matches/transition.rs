//! The transitions of a match (DR-Arena's evolving loop, without its traps): a pure function of
//! the state, what was found out, the tree as the match sees it, and random numbers.
//!
//! | verdict | lacks | move | where that cannot be made |
//! |---|---|---|---|
//! | poor tie, below the root | – | up, one page fewer (2 at least), histories cut | – |
//! | poor tie at the root | – | the first: stay, 2 pages; the second: elsewhere | end |
//! | good tie | – | down and one page more | wider, elsewhere, end |
//! | winner | DEEP | down | wider, elsewhere, end |
//! | winner | WIDE | one page more | down, elsewhere, end |
//! | winner | BOTH, NONE | down and one page more | wider, elsewhere, end |
//!
//! *Elsewhere* is a page of the shallowest level where the match has not been; so a match cannot
//! circle at the root, and ends when all such pages were used. A question, an answer or a verdict
//! that failed is no round: it is counted by its cause, the question is asked anew, and after
//! two questions in a row that failed the match goes elsewhere. Each step uses up a round, an
//! expansion or a failure of a limited number, so that every match ends.

use rand::Rng;

use super::{
    place::{below, can_expand, chain, drawn, feeder, missing, pool, starts, targets},
    state::{MatchState, Move, Waiting, draws},
    stop::{StopRule, grade},
};
use crate::{
    arena::trees::Overlay,
    data::{
        MatchId, NodeId,
        arena::{
            AnswerLength, DuelLabel, DuelVerdict, EndCause, Expansion, Failure, FailureTag,
            Purpose, RoundOutcome, TieQuality, Wanted,
        },
    },
};

/// The version of these rules. Whoever changes where a match goes counts it up: matches on record
/// were played by the version that they name, and are told again by no other.
pub const VERSION: u32 = 1;

/// What was found out.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// The match begins.
    Begin,
    /// The tree was expanded; the pages are in the view.
    Expanded(&'a Expansion),
    /// The judge was asked.
    Judged(&'a RoundOutcome),
    /// The round failed before it could be judged.
    Failed(&'a Failure),
}

/// An input that the match does not wait for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a match that waits for {waits_for} was given {given}")]
pub struct Unexpected {
    /// What it waits for.
    pub waits_for: &'static str,
    /// What it was given.
    pub given: &'static str,
}

/// [`step`] with the random numbers of the match's id.
pub fn advance(
    id: &MatchId,
    state: MatchState,
    input: Input<'_>,
    view: &Overlay<'_>,
) -> Result<(MatchState, Wanted), Unexpected> {
    let mut rng = draws(id, state.steps);
    step(state, input, view, &mut rng)
}

/// The next state, and what is needed next.
pub fn step(
    mut state: MatchState,
    input: Input<'_>,
    view: &Overlay<'_>,
    rng: &mut impl Rng,
) -> Result<(MatchState, Wanted), Unexpected> {
    let waiting = std::mem::replace(&mut state.waiting, Waiting::Nothing);
    state.steps += 1;
    let wanted = match (waiting, input) {
        (Waiting::Start, Input::Begin) => begin(&mut state, view, rng),
        (
            Waiting::Expansion {
                node,
                purpose,
                usable,
                then,
            },
            Input::Expanded(expansion),
        ) if expansion.node == node && expansion.purpose == purpose => {
            state.expansions += 1;
            if view.usable_children(&node).count() <= usable {
                state.exhausted.insert(node);
            }
            if then.is_empty() {
                begin(&mut state, view, rng)
            } else {
                follow(&mut state, view, rng, &then)
            }
        }
        (Waiting::Round, Input::Judged(outcome)) => judged(&mut state, view, rng, outcome),
        (Waiting::Round, Input::Failed(failure)) => failed(&mut state, view, rng, failure),
        (waiting, input) => {
            return Err(Unexpected {
                waits_for: waiting.word(),
                given: input.word(),
            });
        }
    };
    Ok((state, wanted))
}

fn begin(state: &mut MatchState, view: &Overlay<'_>, rng: &mut impl Rng) -> Wanted {
    let start = drawn(starts(view), rng);
    let root = view.root().id.clone();
    // A tree with nothing to ask about below the root may still be asked about its root.
    let path = start.map_or_else(|| vec![root.clone()], |start| view.path(&start));
    go_to(state, path);
    if !pool(state, view).is_empty() {
        return ask(state, view, rng);
    }
    if can_expand(state, view, &root) {
        let pages = state.rules.start_width;
        return expand(state, view, root, Purpose::Width, pages, Vec::new());
    }
    end(state, EndCause::TreeExhausted)
}

/// Begins at a page as if the match had begun there.
fn go_to(state: &mut MatchState, path: Vec<NodeId>) {
    state.width = state.rules.start_width;
    state.history.clear();
    state.snapshots = vec![0; path.len().saturating_sub(1)];
    state.poor_ties_at_root = 0;
    state.failures_here = 0;
    state.visited.extend(path.last().cloned());
    state.path = path;
}

/// The question at this place, or the pages that it needs first.
fn ask(state: &mut MatchState, view: &Overlay<'_>, rng: &mut impl Rng) -> Wanted {
    if let Some((node, purpose, pages)) = missing(state, view) {
        return expand(state, view, node, purpose, pages, vec![Move::Stay]);
    }
    let targets = targets(state, pool(state, view), rng);
    state.asked = targets.len() as u32;
    state.waiting = Waiting::Round;
    Wanted::Question {
        round: state.rounds + 1,
        path: state.path.clone(),
        chain: chain(state, view),
        length: AnswerLength::at(state.asked, state.level()),
        targets,
        history: state.history.clone(),
    }
}

fn expand(
    state: &mut MatchState,
    view: &Overlay<'_>,
    node: NodeId,
    purpose: Purpose,
    pages: u32,
    then: Vec<Move>,
) -> Wanted {
    state.waiting = Waiting::Expansion {
        node: node.clone(),
        purpose,
        usable: view.usable_children(&node).count(),
        then,
    };
    Wanted::Expansion {
        node,
        purpose,
        pages,
    }
}

fn end(state: &mut MatchState, cause: EndCause) -> Wanted {
    state.waiting = Waiting::Nothing;
    Wanted::End {
        cause,
        score: state.score(),
        winner: StopRule::of(&state.rules).result(&state.tally).winner(),
    }
}

fn judged(
    state: &mut MatchState,
    view: &Overlay<'_>,
    rng: &mut impl Rng,
    outcome: &RoundOutcome,
) -> Wanted {
    match outcome {
        RoundOutcome::Judged(verdict) => decided(state, view, rng, verdict),
        RoundOutcome::Abstained { .. } => {
            state.failures.abstained += 1;
            again(state, view, rng, false)
        }
        RoundOutcome::Invalid(_) => {
            state.failures.invalid += 1;
            again(state, view, rng, false)
        }
    }
}

fn failed(
    state: &mut MatchState,
    view: &Overlay<'_>,
    rng: &mut impl Rng,
    failure: &Failure,
) -> Wanted {
    let counts = &mut state.failures;
    let count = match failure {
        Failure::Question(_) => &mut counts.question,
        Failure::Refused { .. } => &mut counts.refused,
        Failure::Answer {
            side: crate::data::Side::A,
            ..
        } => &mut counts.answer_a,
        Failure::Answer { .. } => &mut counts.answer_b,
        Failure::Answers { .. } => &mut counts.both_answers,
    };
    *count += 1;
    let of_place = matches!(failure, Failure::Question(_) | Failure::Refused { .. });
    again(state, view, rng, of_place)
}

/// After a failure: the question anew, elsewhere where this place does not yield one.
fn again(state: &mut MatchState, view: &Overlay<'_>, rng: &mut impl Rng, of_place: bool) -> Wanted {
    if state.failures.total() >= state.rules.most_failures {
        return end(state, EndCause::Failures);
    }
    state.failures_here += u32::from(of_place);
    if state.failures_here < state.rules.failures_at_place {
        return ask(state, view, rng);
    }
    state.failures_here = 0;
    follow(state, view, rng, &[Move::Elsewhere, Move::Stay])
}

fn decided(
    state: &mut MatchState,
    view: &Overlay<'_>,
    rng: &mut impl Rng,
    verdict: &DuelVerdict,
) -> Wanted {
    state.rounds += 1;
    state.failures_here = 0;
    state.history.push(state.rounds);
    state.tally.add(Some(grade(verdict.verdict)));
    if let Some(ending) = StopRule::of(&state.rules).ending(&state.tally) {
        return end(state, ending.cause.into());
    }
    match (verdict.verdict, verdict.tie_quality, verdict.failure) {
        (DuelLabel::Tie, Some(TieQuality::High), _) => follow(state, view, rng, BOTH_WAYS),
        (DuelLabel::Tie, _, _) => poor_tie(state, view, rng),
        (_, _, FailureTag::Deep) => follow(state, view, rng, DOWN),
        (_, _, FailureTag::Wide) => follow(state, view, rng, ACROSS),
        (_, _, FailureTag::Both | FailureTag::None) => follow(state, view, rng, BOTH_WAYS),
    }
}

const DOWN: &[Move] = &[Move::Deeper, Move::Wider, Move::Elsewhere];
const ACROSS: &[Move] = &[Move::Wider, Move::Deeper, Move::Elsewhere];
const BOTH_WAYS: &[Move] = &[Move::DeeperAndWider, Move::Wider, Move::Elsewhere];

fn poor_tie(state: &mut MatchState, view: &Overlay<'_>, rng: &mut impl Rng) -> Wanted {
    let least = state.rules.start_width;
    if state.is_at_root() {
        state.width = least;
        state.poor_ties_at_root += 1;
        let first = state.poor_ties_at_root == 1;
        let moves = if first { Move::Stay } else { Move::Elsewhere };
        return follow(state, view, rng, &[moves]);
    }
    state.width = state.width.saturating_sub(1).max(least);
    loop {
        state.path.pop();
        let length = state.snapshots.pop().unwrap_or_default();
        state.history.truncate(length);
        // A page without anything to ask about is passed by on the way up.
        let current = state.path.last().and_then(|id| view.node(id));
        let usable = current.is_some_and(|node| view.material(node).is_some());
        if usable || state.path.len() <= 1 {
            break;
        }
    }
    state.visited.extend(state.path.last().cloned());
    if pool(state, view).is_empty() {
        return follow(state, view, rng, &[Move::Elsewhere]);
    }
    ask(state, view, rng)
}

/// How a move went.
enum Moved {
    /// The match is where it should be.
    There,
    /// Pages are needed first.
    Needs(NodeId, Purpose, u32),
    /// It cannot be made.
    Stuck,
}

/// Makes the first move that can be made; the match ends where none can.
fn follow(
    state: &mut MatchState,
    view: &Overlay<'_>,
    rng: &mut impl Rng,
    moves: &[Move],
) -> Wanted {
    for (at, next) in moves.iter().enumerate() {
        match make(state, view, rng, *next) {
            Moved::There => return ask(state, view, rng),
            Moved::Needs(node, purpose, pages) => {
                return expand(state, view, node, purpose, pages, moves[at..].to_vec());
            }
            Moved::Stuck => {}
        }
    }
    end(state, EndCause::TreeExhausted)
}

fn make(state: &mut MatchState, view: &Overlay<'_>, rng: &mut impl Rng, next: Move) -> Moved {
    match next {
        Move::Stay => Moved::There,
        Move::Wider => wider(state, view),
        Move::Deeper => deeper(state, view, rng, 0),
        Move::DeeperAndWider => deeper(state, view, rng, 1),
        Move::Elsewhere => elsewhere(state, view, rng),
    }
}

fn wider(state: &mut MatchState, view: &Overlay<'_>) -> Moved {
    let have = pool(state, view).len() as u32;
    if have > state.asked {
        state.width += 1;
        return Moved::There;
    }
    match feeder(state) {
        Some(feeder) if can_expand(state, view, feeder) => {
            let pages = (state.width + 1).saturating_sub(have).max(1);
            Moved::Needs(feeder.clone(), Purpose::Width, pages)
        }
        _ => Moved::Stuck,
    }
}

fn deeper(state: &mut MatchState, view: &Overlay<'_>, rng: &mut impl Rng, wider: u32) -> Moved {
    let (new, old) = below(state, view);
    let current = state.path.last().cloned();
    let expandable = current.filter(|current| can_expand(state, view, current));
    if let (true, Some(current)) = (new.is_empty(), expandable) {
        return Moved::Needs(current, Purpose::Depth, state.rules.depth_pages);
    }
    let Some(child) = drawn(if new.is_empty() { old } else { new }, rng) else {
        return Moved::Stuck;
    };
    state.snapshots.push(state.history.len());
    state.visited.insert(child.clone());
    state.path.push(child);
    state.width += wider;
    Moved::There
}

fn elsewhere(state: &mut MatchState, view: &Overlay<'_>, rng: &mut impl Rng) -> Moved {
    let mut unused = starts(view);
    unused.retain(|id| !state.visited.contains(id));
    match drawn(unused, rng) {
        Some(start) => {
            go_to(state, view.path(&start));
            Moved::There
        }
        None => Moved::Stuck,
    }
}

impl Waiting {
    fn word(&self) -> &'static str {
        match self {
            Self::Start => "its beginning",
            Self::Round => "a round",
            Self::Expansion { .. } => "an expansion of one page",
            Self::Nothing => "nothing more",
        }
    }
}

impl Input<'_> {
    fn word(self) -> &'static str {
        match self {
            Self::Begin => "a beginning",
            Self::Expanded(_) => "an expansion",
            Self::Judged(_) => "a verdict",
            Self::Failed(_) => "a failure",
        }
    }
}
