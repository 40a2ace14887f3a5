//! The rankings that people's duels come to: of tasks, beside the models' ranking, and of agents.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde::Serialize;

use super::items;
use crate::{
    data::{ItemId, SubjectKind},
    rank,
    stats::{
        correlation::{Correlation, kendall_with_interval},
        mean,
        normal::Z95,
        pairwise::bradley_terry::{self, Game, Model, Preference},
    },
    store::{Judge, Ranking, Recorded, Store},
};

/// Variance of the prior of agents' strengths, in squared logits, as in duels by models: who wins
/// all has a finite strength.
const VARIANCE: f64 = 4.0;

/// People's ranking of tasks.
#[derive(Serialize)]
pub struct OfTasks {
    /// The tasks that people compared, best first.
    pub rows: Vec<TaskRow>,
    /// Verdicts.
    pub verdicts: usize,
    /// Pairs on which both people and models have decided.
    pub both: usize,
    /// Share of them with the same winner.
    pub same_winner: Option<f64>,
    /// Kendall's τ of people's strengths and the models' places.
    pub tau: Option<Correlation>,
}

/// A task that people compared.
#[derive(Serialize)]
pub struct TaskRow {
    /// Its id.
    pub id: String,
    /// Its words.
    pub text: String,
    /// Its language.
    pub language: String,
    /// Its strength in logits by people, with its interval.
    pub strength: Option<f64>,
    /// Lower end of the 95 % interval.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// Its place in the newest ranking.
    pub place: Option<usize>,
    /// Comparisons with it.
    pub games: u32,
}

/// Fits people's verdicts on tasks.
pub fn of_tasks(store: &Store, seed: u64) -> Result<OfTasks> {
    let tasks: BTreeMap<String, _> = store
        .tasks()?
        .into_iter()
        .map(|task| (task.id.to_string(), task))
        .collect();
    let mut said = store.comparisons_of_people(SubjectKind::Task)?;
    let is_there = |id: &ItemId| tasks.contains_key(id.as_str());
    said.retain(|of| is_there(&of.judged.a) && is_there(&of.judged.b));
    let items: BTreeSet<&ItemId> = said
        .iter()
        .flat_map(|of| [&of.judged.a, &of.judged.b])
        .collect();
    let panel: BTreeSet<&Judge> = said.iter().map(|of| &of.judge).collect();
    let mut rows = Vec::new();
    if !said.is_empty() {
        let ranking = Ranking {
            method: "imported".into(),
            parameters: serde_json::json!({}),
            seed,
            item_kind: SubjectKind::Task,
            items: items.into_iter().cloned().collect(),
            panel: panel.into_iter().cloned().collect(),
        };
        let places = items::places(store)?;
        for of in rank::ratings(store, &ranking)?.rated {
            let task = &tasks[of.item.as_str()];
            rows.push(TaskRow {
                text: task.text.clone(),
                language: task.language.clone(),
                strength: of.estimate.map(|of| of.strength),
                low: of.estimate.map(|of| of.low),
                high: of.estimate.map(|of| of.high),
                place: places.get(of.item.as_str()).copied(),
                games: of.games,
                id: of.item.to_string(),
            });
        }
    }
    let strength = |row: &TaskRow| row.strength.unwrap_or(f64::NEG_INFINITY);
    rows.sort_by(|x, y| strength(y).total_cmp(&strength(x)));
    let (both, same_winner) = same_winner(&said, &of_models(store)?);
    Ok(OfTasks {
        tau: tau(&rows),
        rows,
        verdicts: said.len(),
        both,
        same_winner,
    })
}

/// The verdicts of the newest ranking's panel.
fn of_models(store: &Store) -> Result<Vec<Recorded>> {
    let Some(ranking) = store.last_ranking(SubjectKind::Task)? else {
        return Ok(Vec::new());
    };
    let asked: BTreeSet<(String, String)> = ranking
        .panel
        .into_iter()
        .map(|judge| (judge.model_asked, judge.prompt_hash))
        .collect();
    store.comparisons(SubjectKind::Task, |model, prompt| {
        asked.contains(&(model.to_owned(), prompt.to_owned()))
    })
}

/// Pairs that both decided, and the share with the same winner; what is even decides nothing.
fn same_winner(people: &[Recorded], models: &[Recorded]) -> (usize, Option<f64>) {
    let (people, models) = (balance(people), balance(models));
    let both = people.iter().filter_map(|(pair, of_people)| {
        let of_models = *models.get(pair)?;
        (*of_people != 0.0 && of_models != 0.0).then_some(f64::from(of_people * of_models > 0.0))
    });
    let both: Vec<f64> = both.collect();
    (both.len(), mean(&both))
}

/// Wins minus losses of the first of each pair.
fn balance(said: &[Recorded]) -> BTreeMap<[&ItemId; 2], f64> {
    let mut balance = BTreeMap::new();
    for Recorded { judged, .. } in said {
        let Ok(verdict) = &judged.outcome else {
            continue;
        };
        let points = 2.0 * verdict.points_a() - 1.0;
        let (a, b) = (&judged.a, &judged.b);
        let (pair, points) = if a < b {
            ([a, b], points)
        } else {
            ([b, a], -points)
        };
        *balance.entry(pair).or_default() += points;
    }
    balance
}

fn tau(rows: &[TaskRow]) -> Option<Correlation> {
    let ranked = rows
        .iter()
        .filter_map(|row| Some((row.strength?, -(row.place? as f64))));
    let (by_people, by_models): (Vec<f64>, Vec<f64>) = ranked.unzip();
    kendall_with_interval(&by_people, &by_models)
}

/// An agent by the duels of its reports.
#[derive(Serialize)]
pub struct AgentRow {
    /// Its name.
    pub agent: String,
    /// Its strength in logits, 0 being the mean of the agents.
    pub strength: f64,
    /// Lower end of a rough 95 % interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Its duels.
    pub games: usize,
    /// Those that it won.
    pub won: usize,
}

/// Fits people's verdicts on reports to the agents that made them, best first.
pub fn of_agents(store: &Store) -> Result<Vec<AgentRow>> {
    let made: BTreeMap<String, String> = store
        .report_heads()?
        .into_iter()
        .map(|of| (of.id.to_string(), of.agent))
        .collect();
    let said = store.comparisons_of_people(SubjectKind::Report)?;
    let mut played = Vec::new();
    for Recorded { judged, judge, .. } in &said {
        let agents = (made.get(judged.a.as_str()), made.get(judged.b.as_str()));
        if let (Ok(verdict), (Some(a), Some(b))) = (&judged.outcome, agents) {
            played.push(([a, b], judge, verdict.points_a()));
        }
    }
    let agents: BTreeSet<&String> = played.iter().flat_map(|(sides, _, _)| *sides).collect();
    let agents: Vec<&String> = agents.into_iter().collect();
    let judges: BTreeSet<&Judge> = played.iter().map(|(_, judge, _)| *judge).collect();
    let judges: Vec<&Judge> = judges.into_iter().collect();
    let number = |agent: &String| agents.binary_search(&agent).unwrap_or_default() as u32;
    let games: Vec<Preference> = played
        .iter()
        .map(|([a, b], judge, score)| {
            Preference::Pair(Game {
                first: number(a),
                second: number(b),
                judge: judges.binary_search(judge).unwrap_or_default() as u32,
                score: *score,
            })
        })
        .collect();
    if games.is_empty() {
        return Ok(Vec::new());
    }
    let model = Model::plain(judges.len(), VARIANCE);
    let fit = bradley_terry::fit(agents.len(), &games, &model, None);
    let centre = mean(&fit.strength).unwrap_or_default();
    let row = |(at, agent): (usize, &&String)| {
        let (strength, half) = (fit.strength[at] - centre, Z95 * fit.variance[at].sqrt());
        let of_it = played.iter().filter(|(sides, _, _)| sides.contains(agent));
        let wins = |([a, _], _, score): &&([&String; 2], &Judge, f64)| {
            if a == agent {
                *score > 0.5
            } else {
                *score < 0.5
            }
        };
        AgentRow {
            agent: (*agent).clone(),
            strength,
            low: strength - half,
            high: strength + half,
            games: of_it.clone().count(),
            won: of_it.filter(wins).count(),
        }
    };
    let mut rows: Vec<AgentRow> = agents.iter().enumerate().map(row).collect();
    rows.sort_by(|x, y| y.strength.total_cmp(&x.strength));
    Ok(rows)
}
