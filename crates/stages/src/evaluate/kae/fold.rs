//! From stored relations to the scores of a report: the panel's majority on each key point, counted
//! over the two reference sets.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Deserialize;

use super::{
    measures::{self, Counts, INDEPENDENT, OWN},
    relations::{self, RELATION, independent_set, own_set},
};
use crate::{
    data::{Cause, Judgement, Relation, Task},
    evaluate::evaluator::{Fold, Folded, Record, Reported, about},
    store::Evaluation,
};

/// Scores reports against the key points of one fingerprint.
pub struct KaeFold {
    /// How the key points were found: sets that were found otherwise are stale.
    fingerprint: String,
}

/// A key point of a set, for a fold that only counts.
#[derive(Deserialize)]
struct Point {
    representative: String,
}

impl KaeFold {
    pub fn new(evaluation: &Evaluation) -> Self {
        Self {
            fingerprint: relations::fingerprint(evaluation),
        }
    }
}

impl Fold for KaeFold {
    fn score(&self, record: &Record<'_>, task: &Task, report: Reported<'_>) -> Result<Folded> {
        let related = record
            .judgements
            .read_bare(RELATION, report.id.as_str(), relations::bare)?;
        let mut folded = Folded::default();
        // A point of both sets is one question, and its failure one failure.
        // Both sets may hold a point; keyed by it, its failure is counted once.
        let mut without_verdict = BTreeMap::new();
        let sets = [
            (OWN, own_set(report.id.as_str())),
            (INDEPENDENT, independent_set(report.agent)),
        ];
        for (keys, name) in sets {
            let set = relations::set(record.store, &self.fingerprint, &task.id, &name)?;
            let Some(set) = set else {
                folded.scores.extend(measures::scores(keys, None));
                continue;
            };
            // Compared with points that were found otherwise, its shares would mean something else.
            if set.by != self.fingerprint {
                // Found by another model, prompt or setting: to be evaluated again.
                *folded.unscored.entry("stale".to_owned()).or_default() += 1;
                folded.scores.extend(measures::scores(keys, None));
                continue;
            }
            for (cause, n) in set.failed {
                *folded
                    .unscored
                    .entry(format!("key points {cause}"))
                    .or_default() += n;
            }
            let counts = count(&related, &set.clusters, &mut without_verdict);
            folded.scores.extend(measures::scores(keys, Some(counts)));
        }
        for cause in without_verdict.into_values() {
            *folded.unscored.entry(cause).or_default() += 1;
        }
        Ok(folded)
    }
}

/// The counts over a set; a point without a verdict is noted with its cause.
fn count(
    related: &[Judgement<Relation, Cause>],
    clusters: &[Point],
    without_verdict: &mut BTreeMap<String, String>,
) -> Counts {
    let mut counts = Counts::default();
    for Point { representative } in clusters {
        let judgements = about(related, representative);
        match decide(judgements.iter().map(|judgement| judgement.outcome)) {
            Ok(relation) => counts.add(relation),
            Err(cause) => {
                counts.unscored += 1;
                // By point, so that one in both sets is counted once.
                without_verdict.insert(representative.clone(), cause);
            }
        }
    }
    counts
}

/// The panel's majority; where no answer has more votes than each other one, nothing is decided.
pub fn decide(
    outcomes: impl IntoIterator<Item = Result<Relation, Cause>>,
) -> Result<Relation, String> {
    let mut votes =
        [Relation::Supports, Relation::Contradicts, Relation::Omits].map(|relation| (relation, 0));
    let mut failed = None;
    for outcome in outcomes {
        let relation = match outcome {
            Ok(relation) => relation,
            Err(cause) => {
                failed = Some(cause);
                continue;
            }
        };
        for (known, n) in &mut votes {
            *n += u32::from(*known == relation);
        }
    }
    // No verdict is made up: where the best answer is not alone, the panel is split.
    let most = votes.iter().map(|(_, n)| *n).max().unwrap_or(0);
    let mut leading = votes.iter().filter(|(_, n)| *n == most);
    match (most, leading.next(), leading.next()) {
        // The last failure's cause stands for all; a point that nobody was asked about is missing.
        (0, ..) => Err(failed.map_or("missing", Cause::word).to_owned()),
        (_, Some((relation, _)), None) => Ok(*relation),
        _ => Err("split_panel".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_decides_by_majority_and_never_by_default() {
        use Relation::{Contradicts, Omits, Supports};
        fn decided(votes: &[Option<Relation>]) -> Result<Relation, String> {
            decide(votes.iter().map(|vote| vote.ok_or(Cause::Timeout)))
        }
        assert_eq!(
            decided(&[Some(Supports), Some(Supports), Some(Omits)]),
            Ok(Supports)
        );
        assert_eq!(decided(&[Some(Contradicts), None]), Ok(Contradicts));
        assert_eq!(
            decided(&[Some(Supports), Some(Omits)]),
            Err("split_panel".to_owned())
        );
        assert_eq!(decided(&[None, None]), Err("timeout".to_owned()));
        assert_eq!(decided(&[]), Err("missing".to_owned()));
    }
}
