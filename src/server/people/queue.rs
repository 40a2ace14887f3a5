//! Which card is next, and how far a reviewer is. Hides the order, each person's own, which follows
//! from the seed and stays when things come and go.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};
use url::form_urlencoded::Serializer;

use super::form::Mode;
use crate::data::{ItemId, PersonScore, Standing, TaskDecision, Verdict, id::drawn_place};

/// Each thing is judged by so many people.
const PEOPLE: usize = 2;

/// A thing that people judge.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Its id in addresses.
    pub id: String,
    /// What people said of it, as labels.
    pub labels: BTreeMap<String, f64>,
    /// What that comes to, where it comes to something.
    pub standing: Option<Standing>,
    /// Items of a lower block come first, for all people; those of the last possible one are not
    /// asked for any more.
    pub block: usize,
}

impl Item {
    /// Whether `reviewer` is shown it in `mode`.
    fn is_open(&self, reviewer: &str, mode: Mode) -> bool {
        let is_judged = self.labels.contains_key(reviewer);
        match mode {
            Mode::Open => !is_judged && self.labels.len() < PEOPLE && self.block != usize::MAX,
            Mode::Again => is_judged,
            Mode::Disputed => self.standing == Some(Standing::Disputed),
        }
    }
}

/// What an address of a page of cards says.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Asked {
    /// The card before.
    pub after: Option<String>,
    /// One card that is wanted, whatever the queue.
    pub show: Option<String>,
    /// What was decided just now.
    pub done: Option<String>,
    /// What else is said above the card.
    pub notice: Option<Notice>,
    /// Set to show what was decided once more.
    pub again: Option<String>,
    /// Set to show what reviewers disagree on.
    pub disputed: Option<String>,
}

impl Asked {
    /// Which cards are wanted.
    pub fn mode(&self) -> Mode {
        match (&self.again, &self.disputed) {
            (_, Some(_)) => Mode::Disputed,
            (Some(_), None) => Mode::Again,
            (None, None) => Mode::Open,
        }
    }

    /// The card after which the next one stands.
    fn after(&self) -> Option<&str> {
        self.after.as_deref().or(self.done.as_deref())
    }
}

/// What a page says beside what was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    /// It was forgotten, or set aside.
    Gone,
    /// Its words were changed by another.
    Changed,
    /// The reviewer changed its words.
    Edited,
    /// The last decision was taken back.
    Undone,
    /// There was no last decision.
    Nothing,
    /// Others settled it.
    Settled,
}

impl Notice {
    /// For people.
    pub fn text(self) -> &'static str {
        match self {
            Self::Gone => "It is not there any more, or not current: nothing was decided.",
            Self::Changed => {
                "Its words were changed meanwhile: nothing was decided, and this is the new text."
            }
            Self::Edited => {
                "Your words are kept: this is the task now, and it waits for a decision."
            }
            Self::Undone => "Your decision was taken back: here it is again.",
            Self::Settled => "It is settled already: nothing was decided.",
            Self::Nothing => "There is no decision of yours to take back here.",
        }
    }
}

/// The card that is shown, and how far the reviewer is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Place {
    /// The card; none where none is open.
    pub id: Option<String>,
    /// Address of the next one, which is skipped to.
    pub skip: String,
    /// Address of the page of cards.
    pub path: &'static str,
    /// Which cards are shown.
    pub mode: &'static str,
    #[serde(flatten)]
    progress: Progress,
}

/// How far a reviewer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Judged by the reviewer.
    pub done: usize,
    /// Still open for the reviewer.
    pub left: usize,
    /// Judged by one person so far.
    pub waiting: usize,
    /// Those that reviewers disagree on; none where that is not settled.
    pub disputed: Option<usize>,
}

/// How far `reviewer` is with these items.
pub fn progress(items: &[Item], reviewer: &str) -> Progress {
    let count = |is: &dyn Fn(&Item) -> bool| items.iter().filter(|of| is(of)).count();
    let settled = items.iter().any(|of| of.standing.is_some()) || items.is_empty();
    Progress {
        done: count(&|of| of.labels.contains_key(reviewer)),
        left: count(&|of| of.is_open(reviewer, Mode::Open)),
        waiting: count(&|of| of.labels.len() == 1),
        disputed: settled.then(|| count(&|of| of.standing == Some(Standing::Disputed))),
    }
}

/// The card that `asked` leads to among the pages at `path`.
pub fn place(
    items: &[Item],
    reviewer: &str,
    seed: u64,
    asked: &Asked,
    path: &'static str,
) -> Place {
    let mode = asked.mode();
    let key = |of: &Item| {
        (
            of.block,
            drawn_place(seed, &format!("{reviewer} {}", of.id)),
        )
    };
    let mut order: Vec<&Item> = items.iter().collect();
    order.sort_by_cached_key(|of| key(of));
    let from = asked
        .after()
        .and_then(|id| order.iter().position(|of| of.id == id));
    // Behind the last one comes the first: what was skipped comes again.
    order.rotate_left(from.map_or(0, |at| at + 1));
    let open = order.iter().find(|of| of.is_open(reviewer, mode));
    // Of a dispute the card shows what others said: nothing else may be asked for there.
    let may_show = |of: &Item| mode != Mode::Disputed || of.is_open(reviewer, mode);
    let shown = asked
        .show
        .as_ref()
        .filter(|id| items.iter().any(|of| of.id == **id && may_show(of)));
    let id = shown.or(open.map(|of| &of.id)).cloned();
    let after = id.as_deref().unwrap_or_default();
    Place {
        skip: address(path, mode, &[("after", after)]),
        path,
        mode: mode.word(),
        progress: progress(items, reviewer),
        id,
    }
}

/// The address of a page of cards.
pub fn address(path: &str, mode: Mode, says: &[(&str, &str)]) -> String {
    let mut said = Serializer::new(String::new());
    match mode {
        Mode::Open => {}
        mode => drop(said.append_pair(mode.word(), "1")),
    }
    said.extend_pairs(says);
    match said.finish() {
        none if none.is_empty() => path.to_owned(),
        said => format!("{path}?{said}"),
    }
}

/// What a reviewer had said before the last decision, so that an undo brings it back.
#[derive(Clone, Debug)]
pub enum Before {
    /// Nothing: it was the first decision.
    Nothing,
    /// Of a pair, as it was shown.
    Verdict([ItemId; 2], Verdict),
    /// Of a task.
    Task(TaskDecision),
    /// Of a report.
    Scores(Vec<PersonScore>),
}

/// What the last decisions took the place of, by reviewer and id. Only those can be taken back: a
/// form that is sent twice, or after the server was started again, takes nothing back.
#[derive(Default)]
pub struct Earlier(Mutex<BTreeMap<(String, String), Before>>);

/// Decisions that are remembered; more than people make between a decision and its undo.
const REMEMBERED: usize = 1000;

impl Earlier {
    /// Remembers what `reviewer` had said of `id` before.
    pub fn set(&self, reviewer: &str, id: &str, before: Before) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (reviewer.to_owned(), id.to_owned());
        if all.len() >= REMEMBERED {
            all.clear();
        }
        all.insert(key, before);
    }

    /// What `reviewer` had said of `id` before; it is forgotten then.
    pub fn take(&self, reviewer: &str, id: &str) -> Option<Before> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(&(reviewer.to_owned(), id.to_owned()))
    }
}

/// Pairs of items that people compare, the same for all people: so many as each of the items plays
/// eight times, or all there are.
pub fn drawn_pairs(ids: &BTreeSet<String>, seed: u64) -> Vec<[String; 2]> {
    first_drawn(each_two(ids), seed, 4 * ids.len())
}

/// Each two of these.
pub fn each_two(ids: &BTreeSet<String>) -> impl Iterator<Item = [&String; 2]> {
    let others = |(at, one)| ids.iter().skip(at + 1).map(move |other| [one, other]);
    ids.iter().enumerate().flat_map(others)
}

/// The first pairs in the order that the seed draws. No more are held than are wanted: of ten
/// thousand tasks there are hundreds of thousands.
pub fn first_drawn<'a>(
    pairs: impl Iterator<Item = [&'a String; 2]>,
    seed: u64,
    most: usize,
) -> Vec<[String; 2]> {
    let mut first = BTreeMap::new();
    for [a, b] in pairs {
        first.insert(drawn_place(seed, &format!("{a} {b}")), [a, b]);
        if first.len() > most {
            first.pop_last();
        }
    }
    let first = first.into_values();
    first.map(|[a, b]| [a.clone(), b.clone()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: &str, labels: &[(&str, f64)]) -> Item {
        Item {
            id: id.into(),
            labels: labels
                .iter()
                .map(|(name, of)| ((*name).into(), *of))
                .collect(),
            standing: Some(Standing::Open),
            block: 0,
        }
    }

    #[test]
    fn each_thing_comes_to_two_people_and_what_is_skipped_comes_again() {
        let items = [
            item("a", &[("ana", 1.0)]),
            item("b", &[("ben", 1.0), ("eva", 0.0)]),
            item("c", &[("ben", 1.0)]),
            item("d", &[]),
        ];
        let at = |asked: &Asked| place(&items, "ana", 7, asked, "/x").id.expect("a card");
        let first = at(&Asked::default());
        let after = |id: &str| Asked {
            after: Some(id.into()),
            ..Asked::default()
        };
        let second = at(&after(&first));
        assert_eq!(
            BTreeSet::from([&*first, &*second]),
            BTreeSet::from(["c", "d"])
        );
        assert_eq!(at(&after(&second)), first);
        let of = progress(&items, "ana");
        assert_eq!((of.done, of.left, of.waiting), (1, 2, 2));
    }

    #[test]
    fn pairs_are_drawn_by_the_seed_and_stay_when_items_come() {
        let ids = |n: usize| {
            (0..n)
                .map(|at| format!("t_{at:02}"))
                .collect::<BTreeSet<_>>()
        };
        assert_eq!(drawn_pairs(&ids(50), 7).len(), 200);
        assert_eq!(drawn_pairs(&ids(5), 7).len(), 10);
        let (few, many) = (drawn_pairs(&ids(5), 7), drawn_pairs(&ids(6), 7));
        assert_eq!(many.len(), 15);
        let stay: Vec<_> = many.iter().filter(|pair| few.contains(pair)).collect();
        assert!(few.iter().eq(stay), "in the same order");
    }
}
