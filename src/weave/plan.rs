//! Which family of task is asked of which inspiration, and in which order: every phase first, then
//! breadth. The inspiration's type steers the family (DeepResearch Arena, task weaver); no family
//! is used more than twice.

use std::collections::BTreeSet;

use crate::{
    data::{Inspiration, InspirationType, Phase, Task, TaskType},
    text::words::terms,
};

/// One question to the model: a task of this family from these inspirations.
#[derive(Clone, Debug)]
pub struct Slot<'a> {
    /// The sources, one or two; the first one leads.
    pub sources: Vec<&'a Inspiration>,
    /// The family.
    pub task_type: TaskType,
}

/// The questions that are still open for one seminar.
pub struct Plan<'a> {
    inspirations: &'a [Inspiration],
    /// Whether a task may join two inspirations.
    joined: bool,
    asked: BTreeSet<(usize, TaskType)>,
}

impl<'a> Plan<'a> {
    /// A plan over the inspirations of one seminar, in their given order; `joined` where the model
    /// can take in two.
    pub fn new(inspirations: &'a [Inspiration], joined: bool) -> Self {
        Self {
            inspirations,
            joined,
            asked: BTreeSet::new(),
        }
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
        let of_type = |kind: TaskType| {
            kept.iter()
                .filter(|task| task.facets.task_type == Some(kind))
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
            .filter(|(index, _, kind)| of_type(*kind) < 2 && !self.asked.contains(&(*index, *kind)))
            .min_by_key(|(index, inspiration, kind)| {
                let asked_of_source = self.asked.iter().filter(|(i, _)| i == index).count();
                (
                    in_phase(kind.phase()),
                    of_type(*kind),
                    fit(inspiration.kind, *kind) + 2 * of_source(inspiration),
                    asked_of_source,
                    *index,
                    *kind,
                )
            });
        let (index, inspiration, task_type) = best?;
        self.asked.insert((index, task_type));
        let sources = std::iter::once(inspiration)
            .chain(self.companion(index, task_type))
            .collect();
        Some(Slot { sources, task_type })
    }

    /// What joins a gap or a claim in a task of design: the way of doing things that has most words
    /// in common with it.
    fn companion(&self, index: usize, family: TaskType) -> Option<&'a Inspiration> {
        use InspirationType::{Hypothesis, Limitation, Methodology, Transdisciplinary};
        let lead = &self.inspirations[index];
        if !self.joined
            || family.phase() != Phase::Design
            || !matches!(lead.kind, Limitation | Hypothesis)
        {
            return None;
        }
        let words = terms(&lead.words());
        let shared = |other: &Inspiration| terms(&other.words()).intersection(&words).count();
        let ways = self
            .inspirations
            .iter()
            .filter(|other| matches!(other.kind, Methodology | Transdisciplinary));
        let near = ways
            .map(|other| (shared(other), other))
            .filter(|(shared, _)| *shared > 0);
        // Ties by id, so that the same inspirations make the same plan.
        near.max_by_key(|(shared, other)| (*shared, std::cmp::Reverse(&other.id)))
            .map(|(_, other)| other)
    }
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

/// What a family asks for, in the language of the task.
pub fn describe(kind: TaskType, chinese: bool) -> &'static str {
    use TaskType as T;
    match (kind, chinese) {
        (T::LiteratureSurvey, false) => "find and compare the published work on the problem",
        (T::TrendScan, false) => "show how the field has developed and where it is going",
        (T::RequirementsGathering, false) => "find out what the people concerned need",
        (T::HypothesisGeneration, false) => {
            "state hypotheses that could be tested, with their predictions"
        }
        (T::MethodBlueprint, false) => "plan a method or an experiment step by step",
        (T::PrototypeSpecification, false) => "specify a system that could be built",
        (T::MetricDesign, false) => "define a measure of success and how to compute it",
        (T::EmpiricalTest, false) => "test the claim with public data or a simulation",
        (T::ReplicabilityReview, false) => {
            "check whether the result would hold again, and which biases it may have"
        }
        (T::ComparativeAnalysis, false) => "compare several approaches by the same criteria",
        (T::LiteratureSurvey, true) => "查找并比较关于这个问题的已有研究",
        (T::TrendScan, true) => "说明这个领域的发展过程和今后的方向",
        (T::RequirementsGathering, true) => "弄清楚相关人群的需求",
        (T::HypothesisGeneration, true) => "提出可以检验的假设及其预测",
        (T::MethodBlueprint, true) => "一步一步地规划一个方法或实验",
        (T::PrototypeSpecification, true) => "写出一个可以实现的系统的规格",
        (T::MetricDesign, true) => "定义一个评价指标和它的计算方法",
        (T::EmpiricalTest, true) => "用公开数据或模拟来检验这个说法",
        (T::ReplicabilityReview, true) => "检查这个结果能否重复，以及可能有哪些偏差",
        (T::ComparativeAnalysis, true) => "用同样的标准比较几种方法",
    }
}

/// What a task of the family hands in, in the language of the task.
pub fn deliverable(kind: TaskType, chinese: bool) -> &'static str {
    use TaskType as T;
    match (kind, chinese) {
        (T::LiteratureSurvey, false) => "an annotated literature table",
        (T::TrendScan, false) => "a trend report with a timeline",
        (T::RequirementsGathering, false) => "a ranked list of requirements",
        (T::HypothesisGeneration, false) => "a list of three testable hypotheses",
        (T::MethodBlueprint, false) => "an experiment protocol",
        (T::PrototypeSpecification, false) => "a system specification",
        (T::MetricDesign, false) => "a metric definition with a worked example",
        (T::EmpiricalTest, false) => "an analysis report with the code and the data",
        (T::ReplicabilityReview, false) => "a review checklist with the risks of bias",
        (T::ComparativeAnalysis, false) => "a comparison table",
        (T::LiteratureSurvey, true) => "一份带注释的文献表",
        (T::TrendScan, true) => "一份带时间线的趋势报告",
        (T::RequirementsGathering, true) => "一份按重要性排序的需求清单",
        (T::HypothesisGeneration, true) => "一份包含三个可检验假设的清单",
        (T::MethodBlueprint, true) => "一份实验方案",
        (T::PrototypeSpecification, true) => "一份系统规格说明",
        (T::MetricDesign, true) => "一份带算例的指标定义",
        (T::EmpiricalTest, true) => "一份带代码和数据的分析报告",
        (T::ReplicabilityReview, true) => "一份列出偏差风险的检查表",
        (T::ComparativeAnalysis, true) => "一份比较表",
    }
}

/// How a task of the family begins, and how it goes on: the frame that a small model fills in.
pub fn frame(kind: TaskType, chinese: bool) -> (&'static str, &'static str) {
    use TaskType as T;
    match (kind, chinese) {
        (T::LiteratureSurvey, false) => ("Survey the published work on", "Compare"),
        (T::TrendScan, false) => ("Trace the development of", "Show"),
        (T::RequirementsGathering, false) => ("Find out what people need who work with", "Rank"),
        (T::HypothesisGeneration, false) => ("Formulate testable hypotheses about", "Derive"),
        (T::MethodBlueprint, false) => ("Plan an experiment on", "Describe"),
        (T::PrototypeSpecification, false) => ("Specify a prototype system for", "Define"),
        (T::MetricDesign, false) => ("Define a metric for", "Explain"),
        (T::EmpiricalTest, false) => ("Test with public data or a simulation whether", "Measure"),
        (T::ReplicabilityReview, false) => ("Review how well results would replicate on", "Check"),
        (T::ComparativeAnalysis, false) => ("Compare three approaches to", "Judge"),
        (T::LiteratureSurvey, true) => ("调查已有研究如何处理", "比较"),
        (T::TrendScan, true) => ("梳理近十年来", "说明"),
        (T::RequirementsGathering, true) => ("弄清相关人群需要怎样的", "列出"),
        (T::HypothesisGeneration, true) => ("提出可以检验的假设来解释", "推导"),
        (T::MethodBlueprint, true) => ("设计一个实验来研究", "写明"),
        (T::PrototypeSpecification, true) => ("规划一个原型系统来处理", "定义"),
        (T::MetricDesign, true) => ("定义一个指标来衡量", "解释"),
        (T::EmpiricalTest, true) => ("用公开数据或模拟来检验", "测量"),
        (T::ReplicabilityReview, true) => ("检查能否重复得到", "检查"),
        (T::ComparativeAnalysis, true) => ("比较三种方法来处理", "评价"),
    }
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

    fn take(inspirations: &[Inspiration], wanted: usize) -> Vec<Task> {
        let mut plan = Plan::new(inspirations, false);
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
                facets: Facets::of_family(slot.task_type, Difficulty::Basic, "other".into()),
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
    fn a_task_of_design_joins_a_gap_with_a_way_that_shares_its_words() {
        let mut inspirations = inspirations();
        inspirations[0].text = "Gravel destroys every sensor in a flood.".into();
        inspirations[1].text = "A fibre cable listens to the gravel.".into();
        inspirations[2].text = "Drum makers know how skins sound.".into();
        let companion = |joined, family| {
            let plan = Plan::new(&inspirations, joined);
            plan.companion(0, family).map(|found| found.kind)
        };
        assert_eq!(
            companion(true, TaskType::MethodBlueprint),
            Some(InspirationType::Methodology)
        );
        assert_eq!(companion(true, TaskType::LiteratureSurvey), None);
        assert_eq!(companion(false, TaskType::MethodBlueprint), None);
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
