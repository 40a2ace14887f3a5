//! A match told from its events: every choice is made again and every score counted again, and
//! what is recorded must be what comes out.

use super::{
    state::MatchState,
    transition::{Input, Unexpected, VERSION, advance},
};
use crate::{
    arena::trees::{Overlay, OverlayFault},
    data::{
        MatchId, Side,
        arena::{InfoTree, MatchEvent, Wanted},
    },
};

/// A match as its events tell it.
#[derive(Clone, Debug)]
pub struct Replayed<'t> {
    /// Its id.
    pub id: MatchId,
    /// The agents in their seats, A first.
    pub agents: [String; 2],
    /// Its state after the last event.
    pub state: MatchState,
    /// The tree with what the match added.
    pub view: Overlay<'t>,
    /// What is needed next.
    pub wanted: Wanted,
}

/// Why events tell no match.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayFault {
    /// They do not begin with the beginning.
    #[error("the events do not begin with the start of a match")]
    NoStart,
    /// Another match begins among them.
    #[error("event {0}: a second match begins")]
    SecondStart(usize),
    /// They are about another tree.
    #[error("the match was played on the tree `{played}`, this is `{given}`")]
    OtherTree {
        /// The tree of the events.
        played: String,
        /// The tree that was given.
        given: String,
    },
    /// Other rules were in force.
    #[error("the match was played by version {0} of the rules, this program has {VERSION}")]
    OtherVersion(u32),
    /// An event comes out of turn.
    #[error("event {0}: {1}")]
    OutOfTurn(usize, Unexpected),
    /// An answer or a question that nothing asked for.
    #[error("event {0}: nothing asked for it")]
    NotAsked(usize),
    /// What is recorded as needed is not what was needed.
    #[error("event {0}: what was needed next is recorded otherwise than it comes out")]
    Differs(usize),
    /// The question is not about the pages that were chosen, or its answers have other bounds.
    #[error("event {0}: the question is about other pages or bounds than were chosen")]
    OtherQuestion(usize),
    /// A page cannot be added.
    #[error("event {0}: {1}")]
    Overlay(usize, OverlayFault),
}

/// Events of JSON lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventLines {
    /// The events.
    pub events: Vec<MatchEvent>,
    /// Whether the last line was left out because its writer was stopped within it.
    pub cut: bool,
}

/// Reads events, one a line. The error names the first line, from 1, that is none, and why; a last
/// line without an end is left out.
pub fn read_events(text: &str) -> Result<EventLines, (usize, String)> {
    let mut read = EventLines::default();
    for (at, line) in text.split_inclusive('\n').enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str(line) {
            Ok(event) => read.events.push(event),
            Err(_) if !line.ends_with('\n') => read.cut = true,
            Err(error) => return Err((at + 1, error.to_string())),
        }
    }
    Ok(read)
}

/// Tells a match again from its first events, all or fewer.
pub fn replay<'t>(events: &[MatchEvent], tree: &'t InfoTree) -> Result<Replayed<'t>, ReplayFault> {
    let Some(MatchEvent::Started {
        match_id,
        tree: played,
        agents,
        rules,
        version,
        ..
    }) = events.first()
    else {
        return Err(ReplayFault::NoStart);
    };
    if played != tree.id() {
        return Err(ReplayFault::OtherTree {
            played: played.to_string(),
            given: tree.id().to_string(),
        });
    }
    if *version != VERSION {
        return Err(ReplayFault::OtherVersion(*version));
    }
    let view = Overlay::new(tree);
    let (state, wanted) = advance(match_id, MatchState::new(*rules), Input::Begin, &view)
        .map_err(|fault| ReplayFault::OutOfTurn(1, fault))?;
    let mut told = Replayed {
        id: match_id.clone(),
        agents: agents.clone(),
        state,
        view,
        wanted,
    };
    let mut round = Round::default();
    for (at, event) in events.iter().enumerate().skip(1) {
        told.take(event, at + 1, &mut round)?;
    }
    Ok(told)
}

/// What there is of the current round.
#[derive(Default)]
struct Round {
    asked: bool,
    answered: [bool; 2],
}

impl Replayed<'_> {
    fn take(
        &mut self,
        event: &MatchEvent,
        number: usize,
        round: &mut Round,
    ) -> Result<(), ReplayFault> {
        match event {
            MatchEvent::Started { .. } => Err(ReplayFault::SecondStart(number)),
            MatchEvent::Wanted(wanted) if *wanted == self.wanted => Ok(()),
            MatchEvent::Wanted(_) => Err(ReplayFault::Differs(number)),
            MatchEvent::Asked(asked) => {
                let Wanted::Question {
                    chain,
                    targets,
                    length,
                    ..
                } = &self.wanted
                else {
                    return Err(ReplayFault::NotAsked(number));
                };
                if (chain, targets, length) != (&asked.chain, &asked.targets, &asked.length) {
                    return Err(ReplayFault::OtherQuestion(number));
                }
                round.asked = true;
                Ok(())
            }
            MatchEvent::Answered { side, .. } => {
                let seat = usize::from(*side == Side::B);
                let twice = std::mem::replace(&mut round.answered[seat], true);
                if twice || !round.asked {
                    return Err(ReplayFault::NotAsked(number));
                }
                Ok(())
            }
            MatchEvent::Judged(outcome) => {
                if std::mem::take(round).answered != [true, true] {
                    return Err(ReplayFault::NotAsked(number));
                }
                self.advance(Input::Judged(outcome), number)
            }
            MatchEvent::Failed(failure) => {
                *round = Round::default();
                self.advance(Input::Failed(failure), number)
            }
            MatchEvent::Expanded(expansion) => {
                if let Some(links) = &expansion.links {
                    self.view.learn_links(&expansion.node, links.clone());
                }
                for node in &expansion.added {
                    let added = self.view.add(node.clone());
                    added.map_err(|fault| ReplayFault::Overlay(number, fault))?;
                }
                self.advance(Input::Expanded(expansion), number)
            }
        }
    }

    fn advance(&mut self, input: Input<'_>, number: usize) -> Result<(), ReplayFault> {
        let state = self.state.clone();
        let (state, wanted) = advance(&self.id, state, input, &self.view)
            .map_err(|fault| ReplayFault::OutOfTurn(number, fault))?;
        (self.state, self.wanted) = (state, wanted);
        Ok(())
    }
}
