//! A match as one HTML page: where it went in its tree, and round by round the pages, the question
//! with its rubric, both answers and the verdict. The page needs no network and runs no script.

mod rounds;
mod tree;

use anyhow::Result;
use minijinja::{context, value::Serde};
use serde::Serialize;

use super::{markup, svg::Figure};
use crate::{
    arena::{matches::replay::replay, record::MatchRecord, trees::Overlay},
    data::{
        Side,
        arena::{EndCause, InfoTree, MatchEvent, Stop},
    },
    store::{DuelAnswer, DuelHead, Store},
};
use rounds::Round;

/// What a page tells.
struct Told<'a> {
    /// The match.
    duel: &'a DuelHead,
    /// The name of its tree.
    tree: &'a str,
    /// The tree with what the match added.
    view: &'a Overlay<'a>,
    /// What its events come to.
    record: &'a MatchRecord,
    /// What was answered.
    answers: &'a [DuelAnswer],
    /// What a reader must know first.
    warnings: Vec<String>,
}

/// The content of the page.
#[derive(Serialize)]
struct Page {
    title: String,
    facts: Vec<(&'static str, String)>,
    warnings: Vec<String>,
    figure: Figure,
    agents: [String; 2],
    rounds: Vec<Round>,
}

/// The page of a match, which is told again from its events.
pub fn html(
    store: &Store,
    duel: &DuelHead,
    tree: &InfoTree,
    events: &[MatchEvent],
) -> Result<String> {
    let (view, warnings) = match replay(events, tree) {
        Ok(told) => (told.view, Vec::new()),
        Err(fault) => {
            let warning = format!("The events do not follow from each other: {fault}");
            (Overlay::new(tree), vec![warning])
        }
    };
    let mut trees = store.trees()?.into_iter();
    let name = trees.find(|of| of.id == duel.tree).map(|of| of.name);
    filled(Told {
        duel,
        tree: name.as_deref().unwrap_or(duel.tree.as_str()),
        view: &view,
        record: &MatchRecord::of(events),
        answers: &store.duel_answers(&duel.id)?,
        warnings,
    })
}

fn filled(told: Told<'_>) -> Result<String> {
    let page = page(told);
    let values = context! { page => Serde(&page) };
    markup::fill(
        &[
            ("match.html", include_str!("match.html")),
            ("style.css", include_str!("../leaderboard_page/style.css")),
        ],
        values,
    )
}

fn page(told: Told<'_>) -> Page {
    let [a, b] = &told.duel.agents;
    let rounds = rounds::rounds(&told);
    Page {
        title: format!("{a} against {b}"),
        facts: facts(&told),
        figure: tree::figure(told.view, told.record, &rounds),
        agents: told.duel.agents.clone(),
        warnings: told.warnings,
        rounds,
    }
}

/// Why a match ended, in words.
pub fn why(cause: EndCause) -> &'static str {
    match cause {
        EndCause::Margin => "one leads",
        EndCause::RoundLimit => "all rounds are played",
        EndCause::TreeExhausted => "no page is left to ask about",
        EndCause::Failures => "too many rounds failed",
        EndCause::Evidence => "the verdicts are evidence enough",
    }
}

fn facts(told: &Told<'_>) -> Vec<(&'static str, String)> {
    let record = told.record;
    let ended = match record.end {
        None => "not finished".to_owned(),
        Some((cause, score, winner)) => {
            let who = match winner {
                Some(Side::A) => format!("{} wins", told.duel.agents[0]),
                Some(Side::B) => format!("{} wins", told.duel.agents[1]),
                None => "nobody wins".to_owned(),
            };
            format!("{who}, {} : {}: {}", score.a, score.b, why(cause))
        }
    };
    let mut facts = vec![
        ("Result", ended),
        ("Tree", told.tree.to_owned()),
        ("Asked by", record.by[0].clone()),
        ("Judged by", record.by[1].clone()),
    ];
    if let Some(rules) = record.rules {
        let stop = match rules.stop {
            Stop::Margin(lead) => format!("a lead of {lead}"),
            Stop::Test(test) => format!(
                "a sequential test: at most {} % errors where the better one wins {} % of the decisive rounds",
                f64::from(test.error) / 10.0,
                f64::from(test.superiority) / 10.0
            ),
        };
        facts.push((
            "Ends by",
            format!("{stop}, or {} rounds", rules.most_rounds),
        ));
    }
    if let Some((name, round)) = &told.duel.round {
        facts.push(("Tournament", format!("{name}, round {round}")));
    }
    facts.push(("Match", told.duel.id.to_string()));
    facts
}
