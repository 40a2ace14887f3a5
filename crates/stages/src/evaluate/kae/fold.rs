//! From stored relations to the scores of a report: the panel's majority on each key point, counted
//! over the two reference sets.

use std::{cmp::Reverse, collections::BTreeMap};

use anyhow::Result;
use serde::Deserialize;

use super::{
    importance,
    measures::{self, Counts, INDEPENDENT, OWN},
    relations::{self, Deciding, STRICT, independent_set, own_set},
    same_claim,
    weighted::{self, WeightedPoint},
};
use crate::{
    data::{Cause, Instrument, Judgement, Task},
    evaluate::evaluator::{Fold, Folded, Record, Reported, about},
    store::Evaluation,
};

/// Scores reports against the key points of one fingerprint.
pub struct KaeFold {
    /// How the key points were found: sets that were found otherwise are stale.
    fingerprint: String,
    /// The form that the judges were asked in.
    instrument: Instrument,
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
            instrument: relations::in_force(evaluation).0,
        }
    }

    fn is_strict(&self) -> bool {
        self.instrument.id == STRICT.id
    }
}

impl Fold for KaeFold {
    fn score(&self, record: &Record<'_>, task: &Task, report: Reported<'_>) -> Result<Folded> {
        let read = if self.is_strict() {
            relations::deciding
        } else {
            relations::bare
        };
        let related = record
            .judgements
            .read_bare(self.instrument, report.id.as_str(), read)?;
        // Of the paper's form there are none.
        let importance = importance::of_task(&record.judgements, &task.id)?;
        let same = same_claim::of_task(&record.judgements, &task.id)?;
        let mut folded = Folded::default();
        // Both sets may hold a point; keyed by it, its failure is counted once.
        let (mut without_verdict, mut unweighed) = (BTreeMap::new(), BTreeMap::new());
        let sets = [
            (OWN, weighted::OWN, own_set(report.id.as_str())),
            (
                INDEPENDENT,
                weighted::INDEPENDENT,
                independent_set(report.agent),
            ),
        ];
        for (keys, weighted_keys, name) in sets {
            let set = relations::set(record.store, &self.fingerprint, &task.id, &name)?;
            let Some(set) = set else {
                folded.scores.extend(if self.fingerprint.is_empty() {
                    measures::scores(keys, None)
                } else {
                    measures::not_asked(keys)
                });
                continue;
            };
            // Compared with points that were found otherwise, its shares would mean something else.
            if set.by != self.fingerprint {
                // Found by another model, prompt or setting: to be evaluated again.
                *folded.unscored.entry("stale".to_owned()).or_default() += 1;
                folded.scores.extend(measures::not_asked(keys));
                continue;
            }
            for (cause, n) in set.failed {
                *folded
                    .unscored
                    .entry(format!("key points {cause}"))
                    .or_default() += n;
            }
            let decided = decided(&related, &set.clusters, &mut without_verdict);
            let counts = count(&decided, set.clusters.len());
            folded.scores.extend(measures::scores(keys, Some(counts)));
            if self.is_strict() {
                let mut weighed: Vec<(&str, WeightedPoint)> = decided
                    .into_iter()
                    .map(|(point, (relation, sentence))| {
                        let weighed = WeightedPoint {
                            relation,
                            sentence,
                            importance: importance.get(point).and_then(|of| of.ok()),
                            is_repeated: false,
                        };
                        (point, weighed)
                    })
                    .collect();
                // Of the points that make one claim, the one that matters most counts.
                weighed.sort_by_key(|(_, point)| Reverse(point.importance));
                let points: Vec<&str> = weighed.iter().map(|(point, _)| *point).collect();
                let repeated = same.repeated(&points);
                let weighed: Vec<WeightedPoint> = weighed
                    .into_iter()
                    .map(|(point, weighed)| WeightedPoint {
                        is_repeated: repeated.contains(point),
                        ..weighed
                    })
                    .collect();
                folded
                    .scores
                    .extend(weighted::scores(weighted_keys, &weighed, counts.unscored));
                for point in &set.clusters {
                    let name = &point.representative;
                    if let Err(cause) = importance.get(name).copied().unwrap_or(Err("missing")) {
                        let cause = format!("importance {cause}");
                        unweighed.insert(name.clone(), cause);
                    }
                }
            }
        }
        for (cause, n) in same.failed {
            folded.unscored.insert(format!("same claim {cause}"), n);
        }
        for cause in without_verdict.into_values().chain(unweighed.into_values()) {
            *folded.unscored.entry(cause).or_default() += 1;
        }
        Ok(folded)
    }
}

/// The points of a set with a verdict; of the others the cause is noted.
fn decided<'p>(
    related: &[Judgement<Deciding, Cause>],
    clusters: &'p [Point],
    without_verdict: &mut BTreeMap<String, String>,
) -> Vec<(&'p str, Deciding)> {
    let mut decided = Vec::new();
    for Point { representative } in clusters {
        let judgements = about(related, representative);
        match decide(judgements.iter().map(|of| of.outcome.map(|(of, _)| of))) {
            Ok(relation) => {
                // That of the first judge who says what the panel says.
                let sentence = judgements.iter().find_map(|of| match of.outcome {
                    Ok((of, sentence)) if of == relation => Some(sentence),
                    _ => None,
                });
                decided.push((representative.as_str(), (relation, sentence.flatten())));
            }
            Err(cause) => {
                without_verdict.insert(representative.clone(), cause);
            }
        }
    }
    decided
}

/// The counts over a set of so many points.
fn count(decided: &[(&str, Deciding)], points: usize) -> Counts {
    let mut counts = Counts {
        unscored: (points - decided.len()) as u64,
        ..Counts::default()
    };
    for (_, (relation, _)) in decided {
        counts.add(*relation);
    }
    counts
}

/// The panel's majority; where no answer has more votes than each other one, nothing is decided.
pub fn decide<T: Copy + PartialEq>(
    outcomes: impl IntoIterator<Item = Result<T, Cause>>,
) -> Result<T, String> {
    let mut votes: Vec<(T, u32)> = Vec::new();
    let mut failed = None;
    for outcome in outcomes {
        match outcome {
            Ok(answer) => match votes.iter_mut().find(|(known, _)| *known == answer) {
                Some((_, n)) => *n += 1,
                None => votes.push((answer, 1)),
            },
            Err(cause) => failed = Some(cause),
        }
    }
    // No verdict is made up: where the best answer is not alone, the panel is split.
    let most = votes.iter().map(|(_, n)| *n).max().unwrap_or(0);
    let mut leading = votes.iter().filter(|(_, n)| *n == most);
    match (most, leading.next(), leading.next()) {
        // The last failure's cause stands for all; a point that nobody was asked about is missing.
        (0, ..) => Err(failed.map_or("missing", Cause::word).to_owned()),
        (_, Some((answer, _)), None) => Ok(*answer),
        _ => Err("split_panel".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Relation;

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
