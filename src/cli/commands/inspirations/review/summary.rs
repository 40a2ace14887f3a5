//! The summary of a review: decisions so far, agreement with models, and changes.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::{
    cli::{
        commands::{
            inspirations::found::Found,
            people::{self, Pair},
        },
        ui::output::in_brackets,
    },
    data::{Fault, Inspiration, Review, Reviewer, Standing},
    stats::agreement::{Weights, cohen, percent},
};

/// The end of a session.
#[derive(Serialize)]
pub struct Summary {
    reviewer: String,
    accepted: u64,
    /// Rejected ones by fault.
    rejected: BTreeMap<String, u64>,
    /// Those that this reviewer has not judged.
    left: usize,
    /// Inspirations accepted now and not before, or the other way round.
    changed: usize,
    /// With each model that judged the same.
    agreement: BTreeMap<String, Agreement>,
    /// Of each two people who judged the same.
    people: Vec<Pair>,
    /// Inspirations on which people disagree.
    disputed: usize,
}

/// How two agree on whether to accept.
#[derive(Serialize)]
struct Agreement {
    /// Inspirations that both have judged.
    n: usize,
    /// Share with the same verdict.
    share: Option<f64>,
    /// Cohen's κ; none where both always say the same.
    kappa: Option<f64>,
}

/// The summary of `reviewer`; `before` and `now` are the same inspirations.
pub fn summarize(reviewer: &str, before: &[Found], now: &[Found]) -> Summary {
    let stood: BTreeSet<_> = before
        .iter()
        .filter(|of| of.stands)
        .map(|of| &of.inspiration.id)
        .collect();
    let changed = now
        .iter()
        .filter(|of| of.stands != stood.contains(&of.inspiration.id))
        .count();
    let judged: Vec<(Option<Fault>, &Inspiration)> = now
        .iter()
        .filter_map(|of| {
            Some((
                last(&of.inspiration, |review| review.is_of_person(reviewer))?.fault,
                &of.inspiration,
            ))
        })
        .collect();
    let mut rejected = BTreeMap::new();
    for fault in judged.iter().filter_map(|(fault, _)| *fault) {
        *rejected.entry(fault.word().to_owned()).or_default() += 1;
    }
    Summary {
        reviewer: reviewer.to_owned(),
        accepted: judged.iter().filter(|(fault, _)| fault.is_none()).count() as u64,
        rejected,
        left: now.len() - judged.len(),
        changed,
        agreement: agreement(&judged),
        people: people::agreement(now.iter().map(super::votes).collect::<Vec<_>>().iter()),
        disputed: now.iter().filter(|of| is_disputed(of)).count(),
    }
}

fn is_disputed(of: &Found) -> bool {
    Review::standing(&of.inspiration.reviews) == Standing::Disputed
}

/// The last review of an inspiration by a reviewer.
fn last(inspiration: &Inspiration, by: impl Fn(&Review) -> bool) -> Option<&Review> {
    inspiration.reviews.iter().rev().find(|review| by(review))
}

fn agreement(judged: &[(Option<Fault>, &Inspiration)]) -> BTreeMap<String, Agreement> {
    let reviews = judged
        .iter()
        .flat_map(|(_, inspiration)| &inspiration.reviews);
    let models: BTreeSet<&str> = reviews
        .filter(|review| review.by == Reviewer::Model)
        .map(|review| review.name.as_str())
        .collect();
    models
        .into_iter()
        .map(|model| (model.to_owned(), agreement_with(model, judged)))
        .collect()
}

fn agreement_with(model: &str, judged: &[(Option<Fault>, &Inspiration)]) -> Agreement {
    let label = |fault: Option<Fault>| Some(f64::from(fault.is_none()));
    let mut both = Vec::new();
    for (fault, inspiration) in judged {
        let by_model = |review: &Review| review.by == Reviewer::Model && review.name == model;
        if let Some(theirs) = last(inspiration, by_model) {
            both.push([label(*fault), label(theirs.fault)]);
        }
    }
    Agreement {
        n: both.len(),
        share: percent(&both),
        kappa: cohen(&both, [0, 1], Weights::Identity),
    }
}

/// The summary for people.
pub fn text(of: &Summary) -> String {
    let rejected: u64 = of.rejected.values().sum();
    let faults = in_brackets(&of.rejected);
    let mut out = format!(
        "{}: {} accepted, {rejected} rejected{faults}, {} left",
        of.reviewer, of.accepted, of.left
    );
    for (model, Agreement { n, share, kappa }) in &of.agreement {
        let agreed = people::agreed(*n, *share, *kappa);
        out.push_str(&format!("\nagreement with {model}: {agreed}"));
    }
    out.push_str(&people::agreement_text(&of.people));
    if of.disputed > 0 {
        out.push_str(&format!(
            "\n{} disputed: no tasks are woven from them\nhint: `taskgen inspirations review --disputed` settles them",
            of.disputed
        ));
    }
    if of.changed > 0 {
        out.push_str(&format!(
            "\n{} changed between accepted and rejected\nhint: `taskgen weave` makes the tasks again",
            of.changed
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Id, InspirationType};

    fn found(id: &str, reviews: &[(Reviewer, &str, Option<Fault>)]) -> Found {
        let review = |(by, name, fault): &(Reviewer, &str, Option<Fault>)| Review {
            by: *by,
            name: (*name).to_owned(),
            fault: *fault,
            note: String::new(),
            settles: false,
        };
        let inspiration = Inspiration {
            id: Id::from_parts(&[id]),
            seminar: Id::from_parts(&["s"]),
            transcript: Id::from_parts(&["t"]),
            kind: InspirationType::Hypothesis,
            traits: vec![],
            text: String::new(),
            evidence: vec![],
            reviews: reviews.iter().map(review).collect(),
        };
        let stands = inspiration.stands();
        Found {
            inspiration,
            path: "a.mp3".to_owned(),
            stands,
        }
    }

    #[test]
    fn what_was_said_last_counts_and_is_compared_with_each_model() {
        use Reviewer::{Model, Person};
        let bad = Some(Fault::Incoherent);
        let before = [
            found("a", &[(Model, "m", None)]),
            found("b", &[(Model, "m", None)]),
            found("c", &[]),
        ];
        let now = [
            found(
                "a",
                &[
                    (Model, "m", None),
                    (Person, "ana", bad),
                    (Person, "ana", None),
                ],
            ),
            found("b", &[(Model, "m", None), (Person, "ana", bad)]),
            found("c", &[(Person, "ben", bad)]),
        ];
        let summary = summarize("ana", &before, &now);
        assert_eq!((summary.accepted, summary.left, summary.changed), (1, 1, 2));
        assert_eq!(
            text(&summary),
            "ana: 1 accepted, 1 rejected (incoherent 1), 1 left\n\
             agreement with m: 50 % of 2, Cohen's kappa 0.00\n\
             2 changed between accepted and rejected\nhint: `taskgen weave` makes the tasks again"
        );
    }
}
