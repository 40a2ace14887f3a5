//! What people's decisions come to, how far people agree, and how far they agree with models. For
//! visitors: reviewers would see what others said.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::Result;
use axum::extract::State;
use jiff::Timestamp;
use minijinja::{context, value::Serde};
use serde::Serialize;

use super::{
    human::{self, AgentRow, OfTasks},
    items,
    queue::Item,
};
use crate::{
    audit::people::{Pair, Votes, agreement},
    data::SubjectKind,
    server::{
        Server, Visitor,
        page::{self, Answer},
    },
    store::Store,
};

/// What visitors see of people's decisions.
#[derive(Serialize)]
pub struct Standings {
    /// Things by what decisions on them come to.
    kinds: Vec<Kind>,
    /// People's ranking of tasks.
    tasks: OfTasks,
    /// Agents by people's duels.
    agents: Vec<AgentRow>,
}

/// A kind of thing that people judge.
#[derive(Serialize)]
struct Kind {
    name: &'static str,
    /// All of the kind.
    n: usize,
    /// Those by standing; empty where decisions come to none.
    standings: BTreeMap<&'static str, usize>,
    /// Agreement of each two people; none where labels are numbers.
    people: Vec<Pair>,
}

impl Kind {
    fn new(name: &'static str, items: &[Item]) -> Self {
        let mut standings = BTreeMap::new();
        for standing in items.iter().filter_map(|of| of.standing) {
            *standings.entry(standing.word()).or_default() += 1;
        }
        let votes = |of: &Item| -> Votes {
            let labels = of.labels.iter();
            labels
                .map(|(name, label)| (name.clone(), *label > 0.5))
                .collect()
        };
        let votes: Vec<Votes> = items.iter().map(votes).collect();
        Self {
            name,
            n: items.len(),
            standings,
            people: agreement(votes.iter()),
        }
    }
}

fn read(server: &Server, store: &Store) -> Result<Standings> {
    let duels = |kind| items::duels(server, store, kind);
    Ok(Standings {
        kinds: vec![
            Kind::new("Inspirations", &items::inspirations(store)?),
            Kind::new("Tasks", &items::tasks(store)?),
            Kind::new("Duels of tasks", &duels(SubjectKind::Task)?),
            Kind::new("Duels of reports", &duels(SubjectKind::Report)?),
        ],
        tasks: human::of_tasks(store, server.options.seed)?,
        agents: human::of_agents(store)?,
    })
}

async fn standings(server: &Arc<Server>) -> Result<(Arc<Standings>, Option<Timestamp>)> {
    let of = Arc::clone(server);
    let ask = move |store: &Store| {
        let draw = || store.at_one_moment(|| read(&of, store));
        of.people.standings.get(&of.facts, draw)
    };
    server.facts.ask(ask).await
}

/// `GET /people`
pub async fn page(State(server): State<Arc<Server>>, Visitor(who): Visitor) -> Answer {
    let (standings, as_of) = standings(&server).await?;
    let frame = server.frame(&who, "/people", "People").of_moment(as_of);
    let values = context! { of => Serde(&*standings) };
    frame.page(include_str!("../templates/people/agreement.html"), values)
}

/// `GET /people.json`
pub async fn json(State(server): State<Arc<Server>>, _: Visitor) -> Answer {
    page::json(&*standings(&server).await?.0)
}
