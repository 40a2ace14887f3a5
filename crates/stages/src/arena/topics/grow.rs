//! Draws after draws, until there are enough trees. Each draw that has ended is on record, so that
//! a run that was stopped goes on with the one that it was at.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde::Serialize;

use super::{
    Draw, DrawOutcome, Taxonomy, Topic,
    choice::{Choice, candidates, choice},
    drawing::drawing,
    query::query,
};
use crate::{
    arena::{
        crawl::{Shape, crawl},
        pages::PageSource,
        trees::{
            duplicates,
            validation::{TreeRules, refusals},
        },
    },
    context::{Context, Notice},
    data::{
        Unscored,
        arena::{InfoTree, PageState},
    },
    search::{SearchError, Searcher},
    store::DrawnTree,
};

/// Draws for each wanted tree, and failures in a row that end a run (DR-Arena, tree construction).
const DRAWS_A_TREE: u32 = 3;
const FAILURES_IN_A_ROW: u32 = 3;
/// Causes of pages that only this run lacked: a tree without them is another tree than the one that
/// a run with a network makes.
const LACKED: [&str; 4] = ["host_given_up", "not_read", "not_stored", "offline"];

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub struct GrowOptions {
    /// Trees.
    pub count: u32,
    /// Their shape.
    pub shape: Shape,
    /// Draws that ended without a tree are made again.
    pub retry_failed: bool,
}

impl GrowOptions {
    /// Draws at most.
    pub fn most_draws(&self) -> u32 {
        DRAWS_A_TREE.saturating_mul(self.count)
    }
}

/// The tools of a run.
pub struct Grower<'a> {
    /// Models and the database.
    pub ctx: &'a Context,
    /// The search.
    pub searcher: &'a Searcher,
    /// Where pages come from.
    pub pages: &'a dyn PageSource,
    /// The moment of this run (RFC 3339).
    pub now: &'a str,
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "cause")]
pub enum Ended {
    /// There are as many trees as were wanted.
    Enough,
    /// Three draws a tree were made.
    DrawsUsedUp,
    /// The search or the model failed in three draws in a row.
    FailuresInARow {
        /// The last of them.
        last: String,
    },
    /// No search can succeed before the user changes something.
    SearchStopped {
        /// One word.
        why: String,
        /// The same, for people.
        message: String,
    },
}

impl Ended {
    fn stopped(error: &SearchError) -> Self {
        Self::SearchStopped {
            why: error.cause().to_owned(),
            message: error.to_string(),
        }
    }
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Grown {
    /// Draws that have ended or failed, by number, those of earlier runs included.
    pub draws: BTreeMap<u32, Draw>,
    /// Trees, those of earlier runs included.
    pub trees: u32,
    /// Why it ended.
    pub ended: Ended,
}

impl Grown {
    /// How draws ended, by word.
    pub fn outcomes(&self) -> BTreeMap<&'static str, u64> {
        let mut outcomes = BTreeMap::new();
        for draw in self.draws.values() {
            *outcomes.entry(draw.outcome.word()).or_default() += 1;
        }
        outcomes
    }
}

impl Grower<'_> {
    /// Draws until there are enough trees, or as long as may be.
    ///
    /// # Errors
    ///
    /// What must stop the run: a budget, a model that cannot be asked, the database.
    pub async fn grow(&self, taxonomy: &Taxonomy, options: GrowOptions) -> Result<Grown> {
        let drawing = drawing(self.ctx, self.searcher, taxonomy, options.shape)?;
        let mut draws = self.ended(&drawing, options)?;
        let mut trees = count_trees(&draws);
        (self.ctx.notify)(Notice::Start {
            stage: "trees",
            total: u64::from(options.count),
        });
        (self.ctx.notify)(Notice::Advance(u64::from(trees.min(options.count))));
        // Read once: looking for them takes as long as there are trees.
        let roots = self.ctx.store.tree_roots()?;
        let mut known: BTreeSet<String> = roots.iter().map(|root| duplicates::key(root)).collect();
        let mut in_a_row = 0;
        let mut ended = Ended::DrawsUsedUp;
        for number in 1..=options.most_draws() {
            if trees >= options.count {
                break;
            }
            // One that failed before says nothing of the search and the model of today.
            if draws.contains_key(&number) {
                continue;
            }
            let topic = taxonomy.draw(self.ctx.seed, number);
            (self.ctx.notify)(Notice::Working(topic.name()));
            let at = (drawing.as_str(), number);
            let draw = match self.draw(at, &topic, options.shape, &known).await? {
                Ok(draw) => draw,
                Err(error) => {
                    ended = Ended::stopped(&error);
                    break;
                }
            };
            let outcome = draw.outcome.clone();
            if outcome.is_tree() {
                trees += 1;
                known.extend(draw.root.as_deref().map(duplicates::key));
                (self.ctx.notify)(Notice::Advance(1));
            }
            draws.insert(number, draw);
            in_a_row = if outcome.is_failure() {
                in_a_row + 1
            } else {
                0
            };
            if in_a_row >= FAILURES_IN_A_ROW {
                ended = Ended::FailuresInARow {
                    last: outcome.reason(),
                };
                break;
            }
        }
        if trees >= options.count {
            ended = Ended::Enough;
        }
        (self.ctx.notify)(Notice::End);
        Ok(Grown {
            draws,
            trees,
            ended,
        })
    }

    /// The draws that have ended before.
    pub(super) fn ended(&self, drawing: &str, options: GrowOptions) -> Result<BTreeMap<u32, Draw>> {
        let mut draws: BTreeMap<u32, Draw> = self.ctx.store.topic_draws(drawing)?;
        if options.retry_failed {
            draws.retain(|_, draw| draw.outcome.is_tree());
        }
        Ok(draws)
    }

    /// One draw, kept if it has ended. The inner error is a search that cannot succeed.
    async fn draw(
        &self,
        (drawing, number): (&str, u32),
        topic: &Topic,
        shape: Shape,
        known: &BTreeSet<String>,
    ) -> Result<Result<Draw, SearchError>> {
        let mut draw = Draw {
            topic: topic.path.clone(),
            query: None,
            root: None,
            why: None,
            outcome: DrawOutcome::NoResults,
        };
        if let Err(error) = self.find_root(topic, known, &mut draw).await? {
            return Ok(Err(error));
        }
        let tree = match draw.root.clone() {
            Some(root) => self.tree(&root, shape, &mut draw).await?,
            None => None,
        };
        let source = source(&draw);
        if let Some(tree) = &tree {
            draw.outcome = DrawOutcome::Tree {
                name: self.free_name(topic, number)?,
                pages: tree.nodes().len() as u64,
            };
        }
        let grown = match (&draw.outcome, &tree) {
            (DrawOutcome::Tree { name, .. }, Some(tree)) => Some(DrawnTree {
                name,
                tree,
                source: &source,
            }),
            _ => None,
        };
        if draw.outcome.is_kept() {
            let store = &self.ctx.store;
            store.save_topic_draw(drawing, number, &draw, grown)?;
        }
        Ok(Ok(draw))
    }

    /// Query, search and choice; `draw` says how far it came.
    async fn find_root(
        &self,
        topic: &Topic,
        known: &BTreeSet<String>,
        draw: &mut Draw,
    ) -> Result<Result<(), SearchError>> {
        let query = match query(self.ctx, topic).await? {
            Ok(query) => query,
            Err(Unscored { cause, reason }) => {
                draw.outcome = DrawOutcome::NoQuery { cause, reason };
                return Ok(Ok(()));
            }
        };
        draw.query = Some(query.clone());
        let store = &self.ctx.store;
        let found = match self.searcher.search(store, &query, self.now).await? {
            Ok(found) => found,
            Err(error) if error.is_final() => return Ok(Err(error)),
            Err(error) => {
                draw.outcome = DrawOutcome::NoAnswer {
                    cause: error.cause().to_owned(),
                    reason: first_line(&error.to_string()),
                };
                return Ok(Ok(()));
            }
        };
        if found.results.is_empty() {
            draw.outcome = DrawOutcome::NoResults;
            return Ok(Ok(()));
        }
        let candidates = candidates(&found.results, known);
        if candidates.is_empty() {
            draw.outcome = DrawOutcome::Known;
            return Ok(Ok(()));
        }
        match choice(self.ctx, topic, &query, &candidates).await? {
            Choice::Root { url, why } => (draw.root, draw.why) = (Some(url), Some(why)),
            Choice::None(reason) => draw.outcome = DrawOutcome::NoneChosen { reason },
            Choice::Unscored(Unscored { cause, reason }) => {
                draw.outcome = DrawOutcome::NoChoice { cause, reason };
            }
        }
        Ok(Ok(()))
    }

    /// The tree of a root, if it is a valid one.
    async fn tree(&self, root: &str, shape: Shape, draw: &mut Draw) -> Result<Option<InfoTree>> {
        let before = self.pages.lacking();
        let tree = crawl(self.pages, root, shape, self.ctx.seed, |_| {}).await?;
        let passing = self.pages.lacking() > before;
        if let PageState::Failed(cause) = &tree.root().page.state {
            draw.outcome = DrawOutcome::RootFailed {
                passing,
                cause: cause.clone(),
            };
            return Ok(None);
        }
        let refusals = refusals(&tree, TreeRules::default());
        let mut reasons: Vec<String> = refusals.iter().map(ToString::to_string).collect();
        let states = tree.nodes().iter().map(|node| &node.page.state);
        let lacked = states.filter(
            |state| matches!(state, PageState::Failed(cause) if LACKED.contains(&cause.as_str())),
        );
        let lacked = lacked.count();
        if lacked > 0 {
            reasons.push(format!(
                "{lacked} of its pages could not be had in this run"
            ));
        }
        if reasons.is_empty() {
            return Ok(Some(tree));
        }
        draw.outcome = DrawOutcome::Invalid { reasons, passing };
        Ok(None)
    }

    /// A name of topic and number that no tree has.
    fn free_name(&self, topic: &Topic, number: u32) -> Result<String> {
        let trees = self.ctx.store.trees()?;
        let taken: BTreeSet<&str> = trees.iter().map(|tree| tree.name.as_str()).collect();
        let usual = format!("{}-{number}", topic.slug());
        let others = (2..).map(|other: u64| format!("{usual}-{other}"));
        let mut names = std::iter::once(usual.clone()).chain(others);
        let free = names.find(|name| !taken.contains(name.as_str()));
        Ok(free.unwrap_or(usual))
    }
}

pub(super) fn count_trees(draws: &BTreeMap<u32, Draw>) -> u32 {
    let trees = draws.values().filter(|draw| draw.outcome.is_tree());
    trees.count() as u32
}

/// What a tree was made from, for people: topic, query, address and why.
fn source(draw: &Draw) -> String {
    let of = |text: &Option<String>| text.clone().unwrap_or_default();
    format!(
        "topic {}; query `{}`; root {}: {}",
        draw.topic.join(" > "),
        of(&draw.query),
        of(&draw.root),
        of(&draw.why)
    )
}

/// An error without its hint.
fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
