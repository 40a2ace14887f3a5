//! The program's own sentences of a task: what to do with a claim of the talk, what to hand in, and
//! how to tell a good answer.

use crate::data::{InspirationType, TaskType};

/// What stands before a claim of a type.
pub fn opening(kind: InspirationType, chinese: bool) -> &'static str {
    use InspirationType::{Hypothesis, Limitation, Methodology, Transdisciplinary};
    match (kind, chinese) {
        (Limitation, false) => "this problem was met",
        (Methodology, false) => "this way of working is in use",
        (Transdisciplinary, false) => "this link to another field was proposed",
        (Hypothesis, false) => "this claim was made and not yet tested",
        (Limitation, true) => "遇到了这样一个难题",
        (Methodology, true) => "有人采用这样一种做法",
        (Transdisciplinary, true) => "有人提出这样一种跨领域的联系",
        (Hypothesis, true) => "有人提出一个有待检验的说法",
    }
}

/// What is asked for in a task of a family, of a claim of a type.
pub fn body(family: TaskType, kind: InspirationType, chinese: bool) -> String {
    if chinese {
        format!("{}{}", work_zh(family, kind), result_zh(family))
    } else {
        format!("{} {}", work(family, kind), result(family))
    }
}

fn work(family: TaskType, kind: InspirationType) -> &'static str {
    use InspirationType::{Hypothesis, Limitation, Methodology, Transdisciplinary};
    use TaskType as T;
    match (family, kind) {
        (T::LiteratureSurvey, Limitation) => {
            "Find at least ten studies that bear on this problem, its causes and its remedies."
        }
        (T::LiteratureSurvey, Methodology) => {
            "Find at least ten studies that worked in this or a similar way, and collect its \
             errors and limits."
        }
        (T::LiteratureSurvey, Transdisciplinary) => {
            "Find at least ten studies, in either field, that made such a link, and collect what \
             carried over and what did not."
        }
        (T::LiteratureSurvey, Hypothesis) => {
            "Find at least ten studies that bear on this claim, and collect what speaks for it \
             and against it."
        }
        (T::TrendScan, Limitation) => {
            "From papers, patents and announcements, trace ten years of work on this problem."
        }
        (T::TrendScan, Methodology) => {
            "From papers, patents and announcements, trace how this way of working has changed \
             over ten years."
        }
        (T::TrendScan, Transdisciplinary) => {
            "From papers, patents and announcements, trace ten years of traffic between the two \
             fields on this."
        }
        (T::TrendScan, Hypothesis) => {
            "From papers, patents and announcements, trace ten years of work on this claim."
        }
        (T::RequirementsGathering, Methodology) => {
            "From guidelines, forums and published interviews, work out what those whom this way \
             of working is for need of it."
        }
        (T::RequirementsGathering, _) => {
            "From guidelines, forums and published interviews, work out what the people whom this \
             problem touches need."
        }
        (T::HypothesisGeneration, Limitation) => {
            "From published work, derive at least three rival explanations of it."
        }
        (T::HypothesisGeneration, Transdisciplinary) => {
            "From published work of both fields, derive at least three hypotheses about what it \
             would explain."
        }
        (T::HypothesisGeneration, _) => {
            "From published work, derive at least three explanations that rival this claim."
        }
        (T::MethodBlueprint, Limitation) => {
            "Check what has been tried; then plan a study with public data or a simulation that \
             would narrow the problem down."
        }
        (T::MethodBlueprint, Methodology) => {
            "Check what has been tried; then plan a study with public data or a simulation of how \
             far this way of working can be trusted."
        }
        (T::MethodBlueprint, Transdisciplinary) => {
            "Check what has been tried; then plan a study with public data or a simulation of \
             what this link brings."
        }
        (T::MethodBlueprint, Hypothesis) => {
            "Check what has been tried; then plan a study with public data or a simulation that \
             tests this claim."
        }
        (T::PrototypeSpecification, Methodology) => {
            "Check which tools exist; then specify one with which others could work in this way."
        }
        (T::PrototypeSpecification, Transdisciplinary) => {
            "Check which tools exist; then specify one that puts this link to use."
        }
        (T::PrototypeSpecification, _) => {
            "Check which tools exist; then specify one that would ease this problem."
        }
        (T::MetricDesign, Methodology) => {
            "Check which measures are in use; then define one, from public data, of how well this \
             way of working does."
        }
        (T::MetricDesign, Hypothesis) => {
            "Check which measures are in use; then define one, from public data, of how strong \
             the claimed effect is."
        }
        (T::MetricDesign, _) => {
            "Check which measures are in use; then define one, from public data, of how severe \
             this problem is."
        }
        (T::EmpiricalTest, Limitation) => {
            "Check what is known of its size; then estimate with public data or a simulation how \
             large this problem is."
        }
        (T::EmpiricalTest, Methodology) => {
            "Check whether this way of working has been tested against another; then do so with \
             public data or a simulation."
        }
        (T::EmpiricalTest, Transdisciplinary) => {
            "Check whether this has been tried; then test with public data or a simulation \
             whether the link holds."
        }
        (T::EmpiricalTest, Hypothesis) => {
            "Check whether this claim has been tested; then test it with public data or a \
             simulation."
        }
        (T::ReplicabilityReview, Methodology) => {
            "Find published results that were obtained in this or a similar way, and check \
             whether each was repeated and with which biases."
        }
        (T::ReplicabilityReview, _) => {
            "Find published results for and against this claim, and check whether each was \
             repeated and with which biases."
        }
        (T::ComparativeAnalysis, Limitation) => {
            "Compare at least three published ways of dealing with this problem by effort, data \
             needed and known failures."
        }
        (T::ComparativeAnalysis, Methodology) => {
            "Compare this way of working with at least two published ones for the same purpose by \
             effort, data needed and known failures."
        }
        (T::ComparativeAnalysis, Transdisciplinary) => {
            "Compare at least three published ways of putting such a link to use by effort, data \
             needed and known failures."
        }
        (T::ComparativeAnalysis, Hypothesis) => {
            "Compare at least three published ways of testing such a claim by effort, data needed \
             and known failures."
        }
    }
}

fn result(family: TaskType) -> &'static str {
    match family {
        TaskType::LiteratureSurvey => {
            "Hand in an evidence table, a row for each study. A good answer says where studies \
             disagree, and what none has looked at."
        }
        TaskType::TrendScan => {
            "Hand in a dated timeline with sources. A good answer keeps announcements apart from \
             what is in use and gives a reason for each turn."
        }
        TaskType::RequirementsGathering => {
            "Hand in a ranked list of requirements with sources. A good answer says who needs \
             what and why, and where needs collide."
        }
        TaskType::HypothesisGeneration => {
            "Hand in a list of hypotheses, each with a prediction of its own. A good answer says \
             which public data could refute each, and which are ruled out already."
        }
        TaskType::MethodBlueprint => {
            "Hand in a study protocol. A good answer gives conditions, measures and analysis with \
             their reasons, and says which result would settle the question."
        }
        TaskType::PrototypeSpecification => {
            "Hand in a system specification with inputs, outputs, failure cases and acceptance \
             tests. A good answer says why each part beats an alternative."
        }
        TaskType::MetricDesign => {
            "Hand in a metric definition with a worked example. A good answer says what counts, \
             and where new and old measures disagree."
        }
        TaskType::EmpiricalTest => {
            "Hand in an analysis report with its code. A good answer states in advance what would \
             refute it, and compares with a plain baseline."
        }
        TaskType::ReplicabilityReview => {
            "Hand in a risk-of-bias table, a row for each study. A good answer says which \
             conclusions survive without any one study."
        }
        TaskType::ComparativeAnalysis => {
            "Hand in a comparison table with sources. A good answer says for which case each is \
             best, and where evidence is thin."
        }
    }
}

fn work_zh(family: TaskType, kind: InspirationType) -> &'static str {
    use InspirationType::{Hypothesis, Limitation, Methodology, Transdisciplinary};
    use TaskType as T;
    match (family, kind) {
        (T::LiteratureSurvey, Limitation) => {
            "查找至少十项与这个难题有关的研究，整理它的原因和对策。"
        }
        (T::LiteratureSurvey, Methodology) => {
            "查找至少十项采用这种或类似做法的研究，整理它们报告的误差和局限。"
        }
        (T::LiteratureSurvey, Transdisciplinary) => {
            "在两个领域里查找至少十项建立过这种或类似联系的研究，整理哪些能搬过来、哪些不能。"
        }
        (T::LiteratureSurvey, Hypothesis) => {
            "查找至少十项与这个说法有关的研究，整理支持和反对它的证据。"
        }
        (T::TrendScan, Limitation) => "从论文、专利和公告追溯近十年来围绕这个难题的工作。",
        (T::TrendScan, Methodology) => "从论文、专利和公告追溯这种做法近十年来怎样变化。",
        (T::TrendScan, Transdisciplinary) => {
            "从论文、专利和公告追溯两个领域近十年来在这方面的往来。"
        }
        (T::TrendScan, Hypothesis) => "从论文、专利和公告追溯近十年来围绕这个说法的工作。",
        (T::RequirementsGathering, Methodology) => {
            "从指南、论坛和公开的访谈，弄清采用这种做法的人和它所服务的人各有什么需要。"
        }
        (T::RequirementsGathering, _) => {
            "从指南、论坛和公开的访谈，弄清受这个难题影响的人需要什么。"
        }
        (T::HypothesisGeneration, Limitation) => {
            "从已发表的研究推出至少三种互相竞争的解释，说明这个难题从何而来。"
        }
        (T::HypothesisGeneration, Transdisciplinary) => {
            "从两个领域已发表的研究推出至少三个假设，说明这种联系在这里能解释什么。"
        }
        (T::HypothesisGeneration, _) => "从已发表的研究推出至少三种与这个说法竞争的解释。",
        (T::MethodBlueprint, Limitation) => {
            "先查明前人试过什么，再用公开数据或模拟规划一项研究，来解决或缩小这个难题。"
        }
        (T::MethodBlueprint, Methodology) => {
            "先查明前人试过什么，再用公开数据或模拟规划一项研究，弄清这种做法在多大程度上可信。"
        }
        (T::MethodBlueprint, Transdisciplinary) => {
            "先查明前人试过什么，再用公开数据或模拟规划一项研究，弄清这种联系能带来什么。"
        }
        (T::MethodBlueprint, Hypothesis) => {
            "先查明前人试过什么，再用公开数据或模拟规划一项研究来检验这个说法。"
        }
        (T::PrototypeSpecification, Methodology) => {
            "先查明已有哪些工具，再规定一个能让别人照这种做法去做的系统。"
        }
        (T::PrototypeSpecification, Transdisciplinary) => {
            "先查明已有哪些工具，再规定一个利用这种联系的系统。"
        }
        (T::PrototypeSpecification, _) => "先查明已有哪些工具，再规定一个能减轻这个难题的系统。",
        (T::MetricDesign, Methodology) => {
            "先查明现用的指标，再用公开数据定义一个指标，衡量这种做法效果如何。"
        }
        (T::MetricDesign, Hypothesis) => {
            "先查明现用的指标，再用公开数据定义一个指标，衡量这个说法所说的影响有多大。"
        }
        (T::MetricDesign, _) => {
            "先查明现用的指标，再用公开数据定义一个指标，衡量这个难题有多严重。"
        }
        (T::EmpiricalTest, Limitation) => {
            "先查明已知的情况，再用公开数据或模拟估计这个难题有多大。"
        }
        (T::EmpiricalTest, Methodology) => {
            "先查明这种做法是否与别的做法比较过，再用公开数据或模拟来比较。"
        }
        (T::EmpiricalTest, Transdisciplinary) => {
            "先查明是否有人试过，再用公开数据或模拟检验这种联系是否成立。"
        }
        (T::EmpiricalTest, Hypothesis) => {
            "先查明这个说法是否有人检验过，再用公开数据或模拟来检验。"
        }
        (T::ReplicabilityReview, Methodology) => {
            "查找用这种或类似做法得到的已发表结果，检查每项是否有人重复过、可能有哪些偏差。"
        }
        (T::ReplicabilityReview, _) => {
            "查找支持或反对这个说法的已发表结果，检查每项是否有人重复过、可能有哪些偏差。"
        }
        (T::ComparativeAnalysis, Limitation) => {
            "从已发表的材料，按工作量、所需数据和已知缺陷比较至少三种应对这个难题的办法。"
        }
        (T::ComparativeAnalysis, Methodology) => {
            "从已发表的材料，按工作量、所需数据和已知缺陷比较这种做法和至少两种目的相同的做法。"
        }
        (T::ComparativeAnalysis, Transdisciplinary) => {
            "从已发表的材料，按工作量、所需数据和已知缺陷比较至少三种利用这种联系的办法。"
        }
        (T::ComparativeAnalysis, Hypothesis) => {
            "从已发表的材料，按工作量、所需数据和已知缺陷比较至少三种检验这个说法的办法。"
        }
    }
}

fn result_zh(family: TaskType) -> &'static str {
    match family {
        TaskType::LiteratureSurvey => {
            "交一份证据表，每项研究一行。好的答案要说明哪些结果互相矛盾、为什么，以及还有什么没人研究。"
        }
        TaskType::TrendScan => {
            "交一份注明出处的年表。好的答案要把宣布过的与实际使用的分开，说明每次转折的原因。"
        }
        TaskType::RequirementsGathering => {
            "交一份按重要性排序、注明出处的需求清单。好的答案要说明谁需要什么、为什么，需求在哪里冲突。"
        }
        TaskType::HypothesisGeneration => {
            "交一份假设清单，每个假设各有一条独特的预测。好的答案要说明哪些公开数据可以推翻每个假设，哪些已被排除。"
        }
        TaskType::MethodBlueprint => {
            "交一份研究方案，写明分组、测量和分析方法。好的答案要说明理由，并事先写明什么结果可以回答问题。"
        }
        TaskType::PrototypeSpecification => {
            "交一份系统规格说明，写明输入、输出、失效情形和验收测试。好的答案要说明每个部件为什么优于别的选择。"
        }
        TaskType::MetricDesign => {
            "交一份带算例的指标定义。好的答案要写明什么算、什么不算，并举出新旧指标结论不同的例子。"
        }
        TaskType::EmpiricalTest => {
            "交一份带代码的分析报告。好的答案要事先写明什么结果会推翻它，并与简单的基准相比较。"
        }
        TaskType::ReplicabilityReview => {
            "交一份逐项研究的偏差风险表。好的答案要说明去掉任何一项以后哪些结论仍然成立。"
        }
        TaskType::ComparativeAnalysis => {
            "交一份每格注明出处的比较表。好的答案要说明哪种情况适合哪一种，以及哪里证据不足。"
        }
    }
}
