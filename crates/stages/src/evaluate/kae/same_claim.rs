//! Key points that make the same claim in other words: a model decides about pairs that share many
//! terms. The paper's figures count each point; the weighted ones beside them count a claim once.
//! Deliberately absent: vectors of meaning, in which opposites are nearer than paraphrases.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    marker::PhantomData,
};

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{limits::ROLE, question::Compared};
use crate::{
    context::{Context, StageReport},
    data::{Cause, Decision, Instrument, KeyPoint, SubjectKind, TaskId},
    judging::{
        Verdict,
        batch::{self, BatchForm, Each, Subject},
    },
    llm::{Answer, object},
    store::PanelJudgements,
    text::{normalize::normalize, words},
};

pub const PROMPT: &str = "evaluate/same-claim";
/// Pairs in one question.
const TOGETHER: usize = 20;
/// Longest reason in characters.
const LONGEST: usize = 160;
/// Points that are compared with a point: the nearest ones.
const NEAREST: usize = 3;
/// The least share of the shorter point's terms that both have.
const SHARED: f64 = 0.35;
/// A term of more points tells nothing about a pair.
const COMMON: usize = 60;
/// What stands between the ids of a pair. No id has it.
const BETWEEN: char = '+';

/// Whether two key points of a task make the same claim.
pub const SAME_CLAIM: Instrument = Instrument {
    id: "kae/same_claim/1",
    family: "kae",
    criterion: "same_claim",
    scale: "same or different",
    subject: SubjectKind::Task,
    letter: 'm',
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Compare {
    pairs: Vec<One>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct One {
    number: usize,
    reason: String,
    same: bool,
}

impl Answer for Compare {}

impl Each for Compare {
    type One = One;

    fn numbers(&self) -> Vec<usize> {
        self.pairs.iter().map(|one| one.number).collect()
    }

    fn verdicts(self) -> Vec<One> {
        self.pairs
    }
}

impl Verdict for One {
    fn decision(&self) -> Decision {
        Decision {
            value: Some(f64::from(u8::from(self.same))),
            label: if self.same { "same" } else { "different" }.to_owned(),
            confidence: None,
        }
    }

    fn payload(&self) -> Value {
        json!({ "reason": self.reason })
    }
}

/// Asks which of the points that reports on a task are compared with make the same claim.
pub async fn compare(ctx: &Context, compared: &[Compared<'_>]) -> Result<StageReport> {
    let mut of_task: BTreeMap<&TaskId, BTreeMap<&str, &KeyPoint>> = BTreeMap::new();
    for (case, points) in compared {
        let known = of_task.entry(&case.task.id).or_default();
        known.extend(points.iter().map(|point| (point.id.as_str(), *point)));
    }
    let subjects: Vec<Subject<()>> = of_task
        .into_iter()
        .map(|(task, points)| Subject {
            id: task.to_string(),
            items: items(&points.into_values().collect::<Vec<_>>()),
            of: (),
            keep: json!({}),
        })
        .collect();
    let form = BatchForm {
        stage: "same claims",
        instrument: SAME_CLAIM,
        role: ROLE,
        prompt: PROMPT,
        most: TOGETHER,
        vars: &|(): &()| json!({}),
        schema: &schema,
        tokens: |n| batch::tokens(n, LONGEST),
        check: &|_: &Compare, ()| Ok(()),
        reply: PhantomData,
    };
    batch::judge(ctx, &form, &subjects).await
}

/// The pairs of points, in the order of their ids, as items of a question.
fn items(points: &[&KeyPoint]) -> Vec<(String, Value)> {
    let texts: Vec<&str> = points.iter().map(|point| point.text.as_str()).collect();
    let pairs = alike(&texts).into_iter();
    pairs
        .map(|(a, b)| {
            let name = format!("{}{BETWEEN}{}", points[a].id, points[b].id);
            (name, json!({ "a": texts[a], "b": texts[b] }))
        })
        .collect()
}

/// The pairs of texts that share many terms: of each text those with at most three others.
fn alike(texts: &[&str]) -> BTreeSet<(usize, usize)> {
    let terms: Vec<BTreeSet<String>> = texts
        .iter()
        .map(|text| words::terms(&normalize(text)))
        .collect();
    let mut having: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, terms) in terms.iter().enumerate() {
        for term in terms {
            having.entry(term).or_default().push(at);
        }
    }
    let mut pairs = BTreeSet::new();
    for (at, own) in terms.iter().enumerate() {
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        let telling = own.iter().map(|term| &having[term.as_str()]);
        for other in telling.filter(|others| others.len() <= COMMON).flatten() {
            *shared.entry(*other).or_default() += 1;
        }
        shared.remove(&at);
        // In thousandths, so that they can be sorted.
        let share = |other: usize, n: usize| n * 1000 / own.len().min(terms[other].len()).max(1);
        let mut nearest: Vec<(Reverse<usize>, usize)> = shared
            .into_iter()
            .map(|(other, n)| (Reverse(share(other, n)), other))
            .filter(|(share, _)| share.0 as f64 >= SHARED * 1000.0)
            .collect();
        nearest.sort_unstable();
        let nearest = nearest.into_iter().take(NEAREST);
        pairs.extend(nearest.map(|(_, other)| (at.min(other), at.max(other))));
    }
    pairs
}

/// What is known of the pairs of a task.
#[derive(Debug, Default)]
pub struct SameClaims {
    /// Those that make the same claim.
    same: Vec<(String, String)>,
    /// Pairs that nothing could be read about, by cause.
    pub failed: BTreeMap<&'static str, u64>,
}

/// The pairs of a task that were asked about.
pub fn of_task(judgements: &PanelJudgements<'_>, task: &TaskId) -> Result<SameClaims> {
    let known =
        judgements.read_bare(
            SAME_CLAIM,
            task.as_str(),
            |stored| Ok(stored.value()? > 0.5),
        )?;
    let mut of_task = SameClaims::default();
    for pair in known {
        match (pair.outcome, pair.about.split_once(BETWEEN)) {
            (Ok(true), Some((a, b))) => of_task.same.push((a.to_owned(), b.to_owned())),
            (Ok(_), _) => {}
            (Err(cause), _) => *of_task.failed.entry(Cause::word(cause)).or_default() += 1,
        }
    }
    Ok(of_task)
}

impl SameClaims {
    /// The points of a set that make a claim which one before them makes, directly or through
    /// others of the set.
    pub fn repeated<'p>(&self, points: &[&'p str]) -> BTreeSet<&'p str> {
        let mut claim: Vec<usize> = (0..points.len()).collect();
        let place = |id: &str| points.iter().position(|point| *point == id);
        let known = self.same.iter();
        for (a, b) in known.filter_map(|(a, b)| Some((place(a)?, place(b)?))) {
            let (into, from) = (claim[a].min(claim[b]), claim[a].max(claim[b]));
            for one in &mut claim {
                if *one == from {
                    *one = into;
                }
            }
        }
        let places = claim.iter().enumerate();
        let repeated = places.filter(|(at, first)| at != *first);
        repeated.map(|(at, _)| points[at]).collect()
    }
}

fn schema(n: usize) -> Value {
    let numbers: Vec<usize> = (1..=n).collect();
    let one = object(&json!({
        "number": { "type": "integer", "enum": numbers },
        "reason": { "type": "string", "maxLength": LONGEST },
        "same": { "type": "boolean" }
    }));
    object(&json!({
        "pairs": { "type": "array", "items": one, "minItems": n, "maxItems": n }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::kae::dedup::labelled::PAIRS;

    #[test]
    fn what_says_the_same_is_asked_about() {
        let texts: Vec<&str> = PAIRS.iter().flat_map(|(_, a, b)| [*a, *b]).collect();
        let asked = alike(&texts);
        let is_asked = |at: usize| {
            let (a, b) = (texts[2 * at], texts[2 * at + 1]);
            // Some texts are in two pairs.
            asked
                .iter()
                .any(|(x, y)| (texts[*x], texts[*y]) == (a, b) || (texts[*x], texts[*y]) == (b, a))
        };
        let same = (0..PAIRS.len()).filter(|at| PAIRS[*at].0);
        let missed: Vec<&str> = same
            .filter(|at| !is_asked(*at))
            .map(|at| texts[2 * at])
            .collect();
        assert!(missed.is_empty(), "{missed:#?}");
        assert!(asked.len() <= 3 * texts.len() / 2, "{}", asked.len());
    }

    #[test]
    fn a_claim_is_counted_once_through_chains_within_a_set() {
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let known = SameClaims {
            same: vec![
                pair("b", "c"),
                pair("a", "b"),
                pair("d", "x"),
                pair("x", "e"),
            ],
            failed: BTreeMap::new(),
        };
        assert_eq!(known.repeated(&["a", "b", "c"]), BTreeSet::from(["b", "c"]));
        assert_eq!(known.repeated(&["c", "a", "b"]), BTreeSet::from(["a", "b"]));
        // `d` and `e` make one claim only where `x` is there, too: nobody compared them.
        assert_eq!(known.repeated(&["d", "e"]), BTreeSet::new());
        assert_eq!(known.repeated(&["d", "e", "x"]), BTreeSet::from(["e", "x"]));
    }
}
