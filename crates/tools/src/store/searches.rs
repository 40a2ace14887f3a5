//! Answered searches of the web, and the draws of topics from which trees are grown: each is kept
//! the moment it is there.

use std::collections::BTreeMap;

use anyhow::Result;
use rusqlite::{OptionalExtension as _, params};
use serde::{Serialize, de::DeserializeOwned};

use super::{Store, from_json};
use crate::data::arena::InfoTree;

/// A tree that a draw became.
#[derive(Clone, Copy, Debug)]
pub struct DrawnTree<'a> {
    /// Its name, which no other tree has.
    pub name: &'a str,
    /// The tree.
    pub tree: &'a InfoTree,
    /// What it was made from, for people.
    pub source: &'a str,
}

impl Store {
    /// The results of a search that was answered before.
    pub fn search<T: DeserializeOwned>(
        &self,
        provider: &str,
        server: &str,
        query: &str,
    ) -> Result<Option<T>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT results FROM search WHERE provider = ?1 AND server = ?2 AND query = ?3",
            )?;
            let results = statement.query_row([provider, server, query], |row| {
                from_json(0, row.get_ref(0)?.as_str()?)
            });
            Ok(results.optional()?)
        })
    }

    /// Keeps the results of a search, answered at `now` (RFC 3339); the first ones stay.
    pub fn save_search<T: Serialize>(
        &self,
        provider: &str,
        server: &str,
        query: &str,
        results: &T,
        now: &str,
    ) -> Result<()> {
        let (run, results) = (self.run, serde_json::to_string(results)?);
        self.write(|tx| {
            tx.execute(
                "INSERT OR IGNORE INTO search (provider, server, query, results, answered, run)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![provider, server, query, results, now, run],
            )?;
            Ok(())
        })
    }

    /// The draws of a drawing that have ended, by number.
    pub fn topic_draws<T: DeserializeOwned>(&self, drawing: &str) -> Result<BTreeMap<u32, T>> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT number, outcome FROM topic_draw WHERE drawing = ?1")?;
            let rows = statement.query_map([drawing], |row| {
                Ok((row.get(0)?, from_json(1, row.get_ref(1)?.as_str()?)?))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Keeps how a draw ended, with its tree where it became one: both or neither.
    ///
    /// # Errors
    ///
    /// Another tree has the name, or the project has the tree already.
    pub fn save_topic_draw<T: Serialize>(
        &self,
        drawing: &str,
        number: u32,
        outcome: &T,
        grown: Option<DrawnTree<'_>>,
    ) -> Result<()> {
        let (run, outcome) = (self.run, serde_json::to_string(outcome)?);
        let nodes = grown
            .map(|grown| serde_json::to_string(grown.tree))
            .transpose()?;
        self.write(|tx| {
            if let (Some(grown), Some(nodes)) = (grown, &nodes) {
                tx.execute(
                    "INSERT INTO info_tree (id, name, nodes, pages, source, run)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    params![
                        grown.tree.id().as_str(),
                        grown.name,
                        nodes,
                        grown.tree.nodes().len() as u64,
                        grown.source,
                        run
                    ],
                )?;
            }
            tx.execute(
                "INSERT OR REPLACE INTO topic_draw (drawing, number, outcome, tree, run)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
                params![
                    drawing,
                    number,
                    outcome,
                    grown.map(|grown| grown.tree.id().as_str()),
                    run
                ],
            )?;
            Ok(())
        })
    }

    /// The addresses of the roots of all trees.
    pub fn tree_roots(&self) -> Result<Vec<String>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT nodes ->> '$.nodes[0].page.url' FROM info_tree
                 WHERE nodes ->> '$.nodes[0].page.url' IS NOT NULL ORDER BY name",
            )?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}
