//! Which families of task are asked of which inspiration, and in which order: every phase first,
//! then breadth. The inspiration's type steers the family (DeepResearch Arena, task weaver); no
//! family is used more than twice. A model sees all ideas of the seminar, may join others to the
//! one that leads, and chooses among the families of one phase that suit the leading type; code
//! takes one family and one idea. A pool has a plan for each batch of at most eight, which begins
//! with what the batches before it used least.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    data::{Inspiration, InspirationId, InspirationType, Phase, Task, TaskType},
    text::people::names_people,
};

/// Families that a model may choose from.
const MOST_OFFERED: usize = 3;
/// Tasks of one family.
pub const MOST_OF_A_FAMILY: usize = 2;

/// One question to the model: a task of one of these families from these inspirations.
#[derive(Clone, Debug)]
pub struct Slot<'a> {
    /// The inspirations that the task must rest on, one or two; the first one leads.
    pub sources: Vec<&'a Inspiration>,
    /// All inspirations that the model sees, the sources among them. The task may draw on the
    /// others, too.
    pub shown: Vec<&'a Inspiration>,
    /// The families to choose from, all of one phase; one for code.
    pub families: Vec<TaskType>,
}

impl<'a> Slot<'a> {
    /// Whether the task must rest on an inspiration.
    pub fn is_source(&self, inspiration: &Inspiration) -> bool {
        self.sources
            .iter()
            .any(|source| source.id == inspiration.id)
    }

    /// The others among those that are shown with these numbers, counted from 1.
    pub fn others(&self, numbers: &[usize]) -> Vec<&'a Inspiration> {
        numbers
            .iter()
            .filter_map(|number| self.shown.get(number.checked_sub(1)?).copied())
            .filter(|shown| !self.is_source(shown))
            .collect()
    }
}

/// The questions that are still open for one seminar.
pub struct Plan<'a> {
    inspirations: &'a [Inspiration],
    /// Whether a model writes, which takes in all inspirations and chooses a family.
    by_model: bool,
    /// The families that were offered with each question, and the inspiration that led it.
    asked: BTreeSet<(usize, Vec<TaskType>)>,
    /// How many tasks of earlier batches each inspiration led, by family. Their order is not in it.
    earlier: BTreeMap<InspirationId, BTreeMap<TaskType, usize>>,
}

impl<'a> Plan<'a> {
    /// A plan over the inspirations of one seminar, in their given order; `by_model` where a model
    /// takes in all of them and chooses a family.
    pub fn new(inspirations: &'a [Inspiration], by_model: bool) -> Self {
        Self {
            inspirations,
            by_model,
            asked: BTreeSet::new(),
            earlier: BTreeMap::new(),
        }
    }

    /// The same plan for a batch that follows others: a family that was asked of an inspiration
    /// before comes last, and so does an inspiration that led much.
    pub fn after(mut self, earlier: &[&Task]) -> Self {
        for task in earlier {
            if let (Some(lead), Some(family)) = (task.inspirations().first(), task.facets.task_type)
            {
                let of_lead = self.earlier.entry(lead.clone()).or_default();
                *of_lead.entry(family).or_default() += 1;
            }
        }
        self
    }

    /// The best open question, given the tasks that were kept; `None` when all were asked. The
    /// phase with the fewest tasks comes first, then a family that suits the type, then the least
    /// used source.
    pub fn next(&mut self, kept: &[&Task], wanted: usize) -> Option<Slot<'a>> {
        // Four questions for each wanted task are enough; a model that fails them all will fail the
        // rest.
        if self.asked.len() >= wanted * 4 {
            return None;
        }
        let in_phase = |phase: Phase| {
            kept.iter()
                .filter(|task| task.facets.phase == Some(phase))
                .count()
        };
        let of_source = |i: &Inspiration| {
            kept.iter()
                .filter(|task| task.inspirations().contains(&i.id))
                .count()
        };
        let open = self
            .inspirations
            .iter()
            .enumerate()
            .flat_map(|(index, inspiration)| {
                TaskType::ALL
                    .iter()
                    .map(move |kind| (index, inspiration, *kind))
            });
        let best = open
            .filter(|(index, inspiration, kind)| {
                self.is_open(inspiration, *kind, kept)
                    && !self
                        .asked
                        .contains(&(*index, self.offer(inspiration, *kind, kept)))
            })
            .min_by_key(|(index, inspiration, kind)| {
                let asked_of_source = self.asked.iter().filter(|(i, _)| i == index).count();
                let (asked_before, led_before) = self.before(inspiration, *kind);
                let wanted = if self.by_model {
                    (
                        of_type(*kind, kept),
                        fit(inspiration.kind, *kind) + 2 * of_source(inspiration) + led_before,
                    )
                } else {
                    (of_source(inspiration), ready(inspiration.kind, *kind))
                };
                (
                    in_phase(kind.phase()),
                    asked_before,
                    wanted,
                    asked_of_source,
                    *index,
                    *kind,
                )
            });
        let (index, inspiration, task_type) = best?;
        let families = self.offer(inspiration, task_type, kept);
        self.asked.insert((index, families.clone()));
        Some(Slot {
            sources: vec![inspiration],
            shown: self.shown(inspiration),
            families,
        })
    }

    /// How many tasks of earlier batches an inspiration led in this family, and in all.
    fn before(&self, inspiration: &Inspiration, family: TaskType) -> (usize, usize) {
        let Some(of_lead) = self.earlier.get(&inspiration.id) else {
            return (0, 0);
        };
        let in_family = of_lead.get(&family).copied().unwrap_or(0);
        (in_family, of_lead.values().sum())
    }

    /// Whether a task of the family may still be written from the inspiration.
    fn is_open(&self, inspiration: &Inspiration, family: TaskType, kept: &[&Task]) -> bool {
        let is_written = kept.iter().any(|task| {
            task.facets.task_type == Some(family)
                && task.inspirations().first() == Some(&inspiration.id)
        });
        of_type(family, kept) < MOST_OF_A_FAMILY
            && !is_written
            && suits(family, inspiration.kind)
            && (self.by_model || has_need(family, inspiration))
    }

    /// The family that leads, and for a model the others of its phase that are open, the
    /// fitting ones first.
    pub(super) fn offer(
        &self,
        inspiration: &Inspiration,
        lead: TaskType,
        kept: &[&Task],
    ) -> Vec<TaskType> {
        if !self.by_model {
            return vec![lead];
        }
        let mut others: Vec<TaskType> = TaskType::ALL
            .into_iter()
            .filter(|family| *family != lead && family.phase() == lead.phase())
            .filter(|family| self.is_open(inspiration, *family, kept))
            .collect();
        others.sort_by_key(|family| (fit(inspiration.kind, *family), *family));
        let mut families: Vec<TaskType> = std::iter::once(lead).chain(others).collect();
        families.truncate(MOST_OFFERED);
        families
    }

    /// What a model sees; code takes one idea.
    fn shown(&self, lead: &'a Inspiration) -> Vec<&'a Inspiration> {
        if self.by_model {
            self.inspirations.iter().collect()
        } else {
            vec![lead]
        }
    }
}

/// How many tasks of a family are kept.
fn of_type(family: TaskType, kept: &[&Task]) -> usize {
    kept.iter()
        .filter(|task| task.facets.task_type == Some(family))
        .count()
}

/// How far a family is from what an inspiration's type calls for; 0 is its own.
fn fit(kind: InspirationType, family: TaskType) -> usize {
    use TaskType as T;
    let own: &[T] = match kind {
        InspirationType::Limitation => &[
            T::LiteratureSurvey,
            T::RequirementsGathering,
            T::MethodBlueprint,
            T::ReplicabilityReview,
        ],
        InspirationType::Methodology => &[
            T::MethodBlueprint,
            T::PrototypeSpecification,
            T::MetricDesign,
            T::ComparativeAnalysis,
        ],
        InspirationType::Transdisciplinary => &[
            T::LiteratureSurvey,
            T::ComparativeAnalysis,
            T::PrototypeSpecification,
            T::TrendScan,
        ],
        InspirationType::Hypothesis => &[
            T::HypothesisGeneration,
            T::EmpiricalTest,
            T::ReplicabilityReview,
            T::MetricDesign,
        ],
    };
    own.iter().position(|f| *f == family).unwrap_or(own.len())
}

/// The same for sentences that stand ready: of a phase, the family whose sentences fit any idea of
/// the type comes first.
fn ready(kind: InspirationType, family: TaskType) -> usize {
    use TaskType as T;
    let own: &[T] = match kind {
        InspirationType::Limitation => &[
            T::LiteratureSurvey,
            T::MethodBlueprint,
            T::ComparativeAnalysis,
            T::RequirementsGathering,
            T::HypothesisGeneration,
            T::EmpiricalTest,
        ],
        InspirationType::Methodology => &[
            T::ComparativeAnalysis,
            T::MethodBlueprint,
            T::LiteratureSurvey,
            T::ReplicabilityReview,
            T::PrototypeSpecification,
            T::MetricDesign,
        ],
        InspirationType::Transdisciplinary => &[
            T::LiteratureSurvey,
            T::MethodBlueprint,
            T::ComparativeAnalysis,
            T::EmpiricalTest,
            T::PrototypeSpecification,
        ],
        InspirationType::Hypothesis => &[
            T::HypothesisGeneration,
            T::EmpiricalTest,
            T::LiteratureSurvey,
            T::ReplicabilityReview,
            T::MethodBlueprint,
        ],
    };
    own.iter().position(|f| *f == family).unwrap_or(own.len())
}

/// Whether a family asks for what the idea has: needs are those of people.
fn has_need(family: TaskType, inspiration: &Inspiration) -> bool {
    family != TaskType::RequirementsGathering || names_people(&inspiration.text)
}

/// Which types of inspiration a family suits, so that at least two of each phase suit each type. A
/// family is never offered for another type: a gap has no result that could hold again, and a
/// hypothesis has no requirements.
const SUITS: [(TaskType, &[InspirationType]); 10] = {
    use InspirationType::{Hypothesis, Limitation, Methodology, Transdisciplinary};
    use TaskType as T;
    [
        (T::LiteratureSurvey, &InspirationType::ALL),
        (T::TrendScan, &InspirationType::ALL),
        (T::RequirementsGathering, &[Limitation, Methodology]),
        (
            T::HypothesisGeneration,
            &[Limitation, Transdisciplinary, Hypothesis],
        ),
        (T::MethodBlueprint, &InspirationType::ALL),
        (
            T::PrototypeSpecification,
            &[Limitation, Methodology, Transdisciplinary],
        ),
        (T::MetricDesign, &[Limitation, Methodology, Hypothesis]),
        (T::EmpiricalTest, &InspirationType::ALL),
        (T::ReplicabilityReview, &[Methodology, Hypothesis]),
        (T::ComparativeAnalysis, &InspirationType::ALL),
    ]
};

/// Whether a family suits a type of inspiration.
pub(super) fn suits(family: TaskType, kind: InspirationType) -> bool {
    SUITS
        .iter()
        .any(|(of, kinds)| *of == family && kinds.contains(&kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{
        Difficulty, Facets, FromSeminar, InspirationId, Origin, SeminarId, TaskId, TranscriptId,
    };

    fn inspirations() -> Vec<Inspiration> {
        InspirationType::ALL
            .iter()
            .map(|kind| Inspiration {
                id: InspirationId::from_parts(&[kind.word()]),
                seminar: SeminarId::from_parts(&["s"]),
                transcript: TranscriptId::from_parts(&["t"]),
                kind: *kind,
                traits: vec![],
                text: String::new(),
                evidence: vec![],
                reviews: vec![],
            })
            .collect()
    }

    /// The tasks of a plan for code.
    fn take(inspirations: &[Inspiration], wanted: usize) -> Vec<Task> {
        take_chosen(inspirations, wanted, false, |slot| slot.families[0])
    }

    fn take_chosen(
        inspirations: &[Inspiration],
        wanted: usize,
        by_model: bool,
        choose: impl Fn(&Slot<'_>) -> TaskType,
    ) -> Vec<Task> {
        let mut plan = Plan::new(inspirations, by_model);
        let mut kept: Vec<Task> = Vec::new();
        while kept.len() < wanted {
            let slot = plan
                .next(&kept.iter().collect::<Vec<_>>(), wanted)
                .expect("a slot is left");
            kept.push(Task {
                id: TaskId::from_parts(&[&kept.len().to_string()]),
                text: String::new(),
                language: "en".into(),
                as_of: None,
                edited: None,
                facets: Facets::of_family(choose(&slot), Difficulty::Basic, "other".into()),
                origin: Origin::Seminar(FromSeminar {
                    seminar: SeminarId::from_parts(&["s"]),
                    inspirations: vec![slot.sources[0].id.clone()],
                    translation_of: None,
                }),
            });
        }
        kept
    }

    #[test]
    fn covers_phases_families_and_sources() {
        let inspirations = inspirations();
        let tasks = take(&inspirations, 6);
        for phase in Phase::ALL {
            assert_eq!(
                tasks
                    .iter()
                    .filter(|t| t.facets.phase == Some(phase))
                    .count(),
                2,
                "{phase:?}"
            );
        }
        let sources: BTreeSet<_> = tasks.iter().flat_map(Task::inspirations).collect();
        assert_eq!(sources.len(), 4);
    }

    #[test]
    fn a_model_chooses_among_families_of_one_phase_that_suit_the_idea() {
        let inspirations = inspirations();
        let last = |slot: &Slot<'_>| {
            let lead = slot.sources[0].kind;
            let phase = slot.families[0].phase();
            let offered = &slot.families;
            assert!(
                offered
                    .iter()
                    .all(|of| of.phase() == phase && suits(*of, lead)),
                "{lead:?}: {offered:?}"
            );
            *offered.last().expect("one is offered")
        };
        let tasks = take_chosen(&inspirations, 8, true, last);
        for phase in Phase::ALL {
            let of = |task: &&Task| task.facets.phase == Some(phase);
            assert!(tasks.iter().filter(of).count() >= 2, "{phase:?}");
        }
        let kept: Vec<&Task> = tasks.iter().collect();
        assert!(
            TaskType::ALL
                .into_iter()
                .all(|family| of_type(family, &kept) <= MOST_OF_A_FAMILY)
        );
    }

    #[test]
    fn two_or_three_families_are_offered_of_each_phase_whatever_the_idea() {
        for inspiration in inspirations() {
            let plan = Plan::new(std::slice::from_ref(&inspiration), true);
            for family in TaskType::ALL
                .into_iter()
                .filter(|family| suits(*family, inspiration.kind))
            {
                let offered = plan.offer(&inspiration, family, &[]);
                assert!(
                    (2..=3).contains(&offered.len()) && offered[0] == family,
                    "{:?}: {offered:?}",
                    inspiration.kind
                );
            }
        }
    }

    #[test]
    fn whatever_a_large_model_chooses_one_idea_is_enough_for_five_tasks() {
        for inspiration in inspirations() {
            let ideas = std::slice::from_ref(&inspiration);
            let first = take_chosen(ideas, 5, true, |slot| slot.families[0]);
            let last = take_chosen(ideas, 5, true, |slot| {
                slot.families[slot.families.len() - 1]
            });
            assert_eq!((first.len(), last.len()), (5, 5));
        }
    }

    #[test]
    fn a_model_sees_all_ideas_and_code_the_one_that_leads() {
        let inspirations = inspirations();
        let shown = |by_model| {
            let slot = Plan::new(&inspirations, by_model)
                .next(&[], 6)
                .expect("a slot");
            let ids = |of: &[&Inspiration]| of.iter().map(|i| i.id.clone()).collect::<Vec<_>>();
            (ids(&slot.sources), ids(&slot.shown))
        };
        let all: Vec<_> = inspirations.iter().map(|i| i.id.clone()).collect();
        assert_eq!(shown(true), (all[..1].to_vec(), all.clone()));
        assert_eq!(shown(false), (all[..1].to_vec(), all[..1].to_vec()));
    }

    #[test]
    fn even_one_inspiration_reaches_eight_tasks_with_no_family_thrice() {
        let tasks = take(&inspirations()[..1], 8);
        for kind in TaskType::ALL {
            assert!(
                tasks
                    .iter()
                    .filter(|t| t.facets.task_type == Some(kind))
                    .count()
                    <= 2
            );
        }
    }

    #[test]
    fn a_hopeless_model_is_not_asked_for_ever() {
        let inspirations = inspirations();
        let mut plan = Plan::new(&inspirations, false);
        assert_eq!(std::iter::from_fn(|| plan.next(&[], 6)).count(), 24);
    }
}
