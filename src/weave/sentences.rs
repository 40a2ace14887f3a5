//! The text of a task where the model is too small to write one: a sentence of the talk, whole and
//! in its own words, within well-formed sentences that say what to do with it. The model chooses the
//! search terms, among words of that sentence.

use crate::{
    data::{Difficulty, Inspiration, InspirationType, TaskType},
    text::{
        claim::{has_room, leans, tidy},
        words::{han_count, is_chinese, is_content_word},
    },
};

/// Words of a search term, Han characters of a Chinese one, and how many the model may choose from.
const MOST_TERM_WORDS: usize = 3;
const TERM_HAN: std::ops::RangeInclusive<usize> = 2..=8;
const MOST_TERMS: usize = 40;

/// The sentences of an inspiration that a task can begin with, the best first: its evidence, or its
/// text where no quote is of a bearable length.
pub fn claims(inspiration: &Inspiration) -> Vec<String> {
    let quotes = inspiration.evidence.iter().map(|e| tidy(&e.quote));
    let mut claims: Vec<String> = quotes.filter(|claim| has_room(claim)).collect();
    if claims.is_empty() {
        claims.push(tidy(&inspiration.text));
    }
    // Stable: of equals the first one said comes first.
    claims.sort_by_key(|claim| leans(claim));
    claims.dedup();
    claims
}

/// Runs of words of a claim that could be typed into a search box, each once, in order.
pub fn search_terms(claim: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for run in runs(claim) {
        if is_chinese(run) {
            let is_term = TERM_HAN.contains(&han_count(run));
            add(&mut terms, is_term.then(|| run.to_owned()));
            continue;
        }
        let words: Vec<&str> = run.split(' ').collect();
        for from in 0..words.len() {
            let longest = words.len().min(from + MOST_TERM_WORDS);
            let spans = (from + 1..=longest).map(|to| words[from..to].join(" "));
            for span in spans {
                add(&mut terms, Some(span));
            }
        }
    }
    if terms.is_empty() {
        terms.push(claim.trim_end_matches(['.', '。']).to_owned());
    }
    terms.truncate(MOST_TERMS);
    terms
}

fn add(terms: &mut Vec<String>, term: Option<String>) {
    terms.extend(term.filter(|term| !terms.contains(term)));
}

/// The longest runs of words that carry meaning.
fn runs(claim: &str) -> Vec<&str> {
    let mut runs = Vec::new();
    let parts = claim.split(|c: char| !c.is_alphanumeric() && !matches!(c, ' ' | '-'));
    for part in parts {
        if is_chinese(part) {
            runs.extend(part.split(|c: char| !is_content_word(c.encode_utf8(&mut [0; 4]))));
            continue;
        }
        let mut run: Option<(usize, usize)> = None;
        for word in part.split(' ').filter(|word| !word.is_empty()) {
            let at = word.as_ptr() as usize - part.as_ptr() as usize;
            if is_content_word(word) {
                run = Some((run.map_or(at, |(start, _)| start), at + word.len()));
            } else if let Some((start, end)) = run.take() {
                runs.push(&part[start..end]);
            }
        }
        runs.extend(run.map(|(start, end)| &part[start..end]));
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// The text of a task of a family: a claim of an idea of this type, and what to do with it.
pub fn text(family: TaskType, kind: InspirationType, claim: &str, terms: &[String]) -> String {
    let quoted: Vec<String> = terms.iter().map(|term| format!("“{term}”")).collect();
    if is_chinese(claim) {
        let phrases = phrases_zh(kind);
        let body = body_zh(family, &phrases, &quoted.join("和"));
        return format!("{}“{claim}”{body}", phrases.opening);
    }
    let terms = match quoted.as_slice() {
        [one] => format!("the search term {one}"),
        many => format!("the search terms {}", many.join(" and ")),
    };
    let phrases = phrases(kind);
    let body = body(family, &phrases, &terms);
    format!("{}“{claim}” {body}", phrases.opening)
}

/// How difficult a task of a family is as [`text`] words it: reading and sorting is basic.
pub fn difficulty(family: TaskType) -> Difficulty {
    match family {
        TaskType::LiteratureSurvey
        | TaskType::TrendScan
        | TaskType::RequirementsGathering
        | TaskType::ComparativeAnalysis => Difficulty::Basic,
        _ => Difficulty::Advanced,
    }
}

/// What stands before a claim of a type, what it is called, how a tool serves it, what is measured of
/// it, and what is compared.
struct Phrases {
    opening: &'static str,
    noun: &'static str,
    tool: &'static str,
    measured: &'static str,
    compared: &'static str,
}

fn phrases(kind: InspirationType) -> Phrases {
    match kind {
        InspirationType::Limitation => Phrases {
            opening: "A problem met in practice: ",
            noun: "problem",
            tool: "eases the problem",
            measured: "how severe the problem is",
            compared: "at least three ways of dealing with the problem",
        },
        InspirationType::Methodology => Phrases {
            opening: "A way of working that is said to help: ",
            noun: "method",
            tool: "carries out the method",
            measured: "how well the method works",
            compared: "the method with at least two others for the same purpose",
        },
        InspirationType::Transdisciplinary => Phrases {
            opening: "A link between two fields that was proposed: ",
            noun: "link",
            tool: "puts the link to use",
            measured: "how much the link brings",
            compared: "at least three ways of putting the link to use",
        },
        InspirationType::Hypothesis => Phrases {
            opening: "A claim that is still to be tested: ",
            noun: "claim",
            tool: "puts the claim to the test",
            measured: "how strong the claimed effect is",
            compared: "at least three ways of testing the claim",
        },
    }
}

fn phrases_zh(kind: InspirationType) -> Phrases {
    match kind {
        InspirationType::Limitation => Phrases {
            opening: "实践中遇到的一个难题：",
            noun: "难题",
            tool: "减轻这个难题",
            measured: "这个难题有多严重",
            compared: "三种应对这个难题的办法",
        },
        InspirationType::Methodology => Phrases {
            opening: "据说有效的一种做法：",
            noun: "做法",
            tool: "实现这种做法",
            measured: "这种做法效果如何",
            compared: "这种做法和另外两种目的相同的做法",
        },
        InspirationType::Transdisciplinary => Phrases {
            opening: "有人把两个领域联系起来：",
            noun: "联系",
            tool: "利用这种联系",
            measured: "这种联系带来多大好处",
            compared: "三种利用这种联系的办法",
        },
        InspirationType::Hypothesis => Phrases {
            opening: "一个还没有检验的说法：",
            noun: "说法",
            tool: "检验这个说法",
            measured: "这个说法所说的影响有多大",
            compared: "三种检验这个说法的办法",
        },
    }
}

fn body(family: TaskType, phrases: &Phrases, terms: &str) -> String {
    let Phrases {
        noun,
        tool,
        measured,
        compared,
        ..
    } = phrases;
    match family {
        TaskType::LiteratureSurvey => format!(
            "In databases of papers, starting from {terms}, find at least ten studies that bear \
             on the {noun}, with method and result. Hand in an evidence table with one row for \
             each study. A good answer says whether the {noun} is confirmed, where studies \
             disagree, and what none of them has looked at."
        ),
        TaskType::TrendScan => format!(
            "From papers, patents and public announcements, starting from {terms}, trace how \
             work on the {noun} has developed over ten years. Hand in a dated timeline with a \
             source for each entry. A good answer keeps announcements apart from what is in \
             use, gives a reason for each turn, and says what the sources leave out."
        ),
        TaskType::RequirementsGathering => format!(
            "From guidelines, forums, reviews and published interviews, starting from {terms}, \
             work out what the people affected by the {noun} need. Hand in a ranked list of \
             requirements with their sources. A good answer says who needs what and why, where \
             needs collide, and which of them a single source names."
        ),
        TaskType::HypothesisGeneration => format!(
            "From published work, starting from {terms}, derive at least three rival \
             explanations of it. Hand in a list of hypotheses, each with a prediction that the \
             others do not share. A good answer says which public data could refute each of \
             them, and which ones published results rule out already."
        ),
        TaskType::MethodBlueprint => format!(
            "Check first, with {terms}, what has been tried; then plan an experiment on the \
             {noun} that a small group could run with public data. Hand in an experiment \
             protocol with conditions, measures, sample size and analysis. A good answer gives \
             a reason for each choice and states in advance which result would settle the \
             question."
        ),
        TaskType::PrototypeSpecification => format!(
            "Check first, with {terms}, which tools exist; then specify one that {tool}. Hand \
             in a system specification with inputs, outputs, failure cases and acceptance \
             tests. A good answer says why each part is better than an alternative, and which \
             of the tests could fail."
        ),
        TaskType::MetricDesign => format!(
            "Check first, with {terms}, which measures are in use; then define one of \
             {measured}, computed from public data. Hand in a metric definition with a worked \
             example. A good answer says what counts and what does not, how two people come to \
             the same value, and where the new measure and an old one disagree."
        ),
        TaskType::EmpiricalTest => format!(
            "Check first, with {terms}, whether the {noun} has been tested; then test it with \
             public data or, where there are none, a simulation. Hand in an analysis report \
             with its code. A good answer states in advance what would refute it, compares with \
             a plain baseline, and says how far the result depends on its assumptions."
        ),
        TaskType::ReplicabilityReview => format!(
            "Find published results for and against the {noun}, starting from {terms}, and \
             check whether each was repeated, on how many cases, and with which biases. Hand in \
             a risk-of-bias table with one row for each study. A good answer keeps repetitions \
             apart from new studies, and says which conclusions survive without any single one."
        ),
        TaskType::ComparativeAnalysis => format!(
            "From papers and technical documents, starting from {terms}, compare {compared} by \
             effort, data needed, accuracy and known failures. Hand in a comparison table with \
             a source for each cell. A good answer says for which case each of them is best, \
             and where the evidence is thin."
        ),
    }
}

fn body_zh(family: TaskType, phrases: &Phrases, terms: &str) -> String {
    let Phrases {
        noun,
        tool,
        measured,
        compared,
        ..
    } = phrases;
    match family {
        TaskType::LiteratureSurvey => format!(
            "以{terms}为检索词，从论文数据库查找至少十项与这个{noun}有关的研究，弄清各自研究了什么、怎样研究、结果如何。交一份证据表，每项研究一行。好的答案要说明这个{noun}是否得到证实、哪些结果互相矛盾、还有什么没人研究。"
        ),
        TaskType::TrendScan => format!(
            "以{terms}为检索词，从论文、专利、标准和公告追溯近十年来围绕这个{noun}的工作怎样发展。交一份注明出处的年表。好的答案要把宣布过的与实际使用的分开，说明每次转折的原因和资料的遗漏。"
        ),
        TaskType::RequirementsGathering => format!(
            "以{terms}为检索词，从指南、论坛、评论和公开的访谈，弄清受这个{noun}影响的人需要什么。交一份按重要性排序、注明出处的需求清单。好的答案要说明谁需要什么、为什么，并指出需求在哪里冲突。"
        ),
        TaskType::HypothesisGeneration => format!(
            "以{terms}为检索词，从已发表的研究推出至少三种互相竞争的解释。交一份假设清单，每个假设都有一条与其他假设不同的预测。好的答案要说明哪些公开数据可以推翻每个假设，哪些已被现有结果排除。"
        ),
        TaskType::MethodBlueprint => format!(
            "先以{terms}检索前人做过什么，再设计一个小团队用公开数据或简单条件就能完成的实验来研究这个{noun}。交一份实验方案，写明分组、测量、样本量和分析方法。好的答案要说明每个选择的理由，并事先写明什么结果可以回答问题。"
        ),
        TaskType::PrototypeSpecification => format!(
            "先以{terms}检索已有的工具，再规定一个能{tool}的系统。交一份系统规格说明，写明输入、输出、失效情形和验收测试。好的答案要说明每个部件为什么优于别的选择，以及哪项测试可能通不过。"
        ),
        TaskType::MetricDesign => format!(
            "先以{terms}检索现用的指标，再定义一个指标来衡量{measured}，使两个人用同样的公开数据得出同样的数值。交一份带算例的指标定义。好的答案要写明什么算、什么不算，并举出新旧指标结论不同的例子。"
        ),
        TaskType::EmpiricalTest => format!(
            "先以{terms}检索这个{noun}是否有人检验过，再用公开数据来检验，没有数据时用模拟。交一份带代码的分析报告。好的答案要事先写明什么结果会推翻它，与简单的基准相比较，并说明结论在多大程度上取决于所作的假设。"
        ),
        TaskType::ReplicabilityReview => format!(
            "以{terms}为检索词，查找支持或反对这个{noun}的已发表结果，逐项检查是否有人重复过、样本多大、可能有哪些偏差。交一份逐项研究的偏差风险表。好的答案要把重复研究与新研究分开，并说明去掉任何一项以后哪些结论仍然成立。"
        ),
        TaskType::ComparativeAnalysis => format!(
            "以{terms}为检索词，从论文和技术文档，按工作量、所需数据、准确度和已知缺陷比较{compared}。交一份每格注明出处的比较表。好的答案要说明哪种情况适合哪一种，以及哪里证据不足。"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        text::words::word_count,
        weave::{
            plan::suits,
            rules::{Material, of_its_words},
        },
    };

    const CLAIM: &str = "The trouble is that nobody recorded the salinity below thirty metres, so we simply can't say where the fresh water ends.";
    const CLAIM_ZH: &str =
        "麻烦的是，三十米以下的盐度从来没有人记录过，所以我们说不清淡水到哪里为止。";

    #[test]
    fn every_task_of_every_type_keeps_the_rules() {
        for (family, kind) in TaskType::ALL
            .into_iter()
            .flat_map(|family| InspirationType::ALL.map(|kind| (family, kind)))
            .filter(|(family, kind)| suits(*family, *kind))
        {
            for claim in [CLAIM, CLAIM_ZH] {
                let terms = &search_terms(claim)[..2];
                let text = text(family, kind, claim, terms);
                let material = Material {
                    words: claim,
                    people: &[],
                };
                let broken = of_its_words(&text, material).err();
                assert!(broken.is_none(), "{text}: {broken:?}");
                let of_length = if is_chinese(claim) {
                    han_count(&text) <= 200
                } else {
                    word_count(&text) <= 100
                };
                assert!(of_length, "{text}");
            }
        }
    }

    #[test]
    fn search_terms_are_runs_of_words_that_mean_something() {
        let terms = search_terms(CLAIM);
        for term in [
            "salinity",
            "thirty metres",
            "fresh water ends",
            "fresh water",
        ] {
            assert!(terms.iter().any(|found| found == term), "{term}: {terms:?}");
        }
        assert!(
            !terms
                .iter()
                .any(|term| term.contains("the") && term.contains(' ')),
            "{terms:?}"
        );
        let terms = search_terms(CLAIM_ZH);
        assert!(terms.iter().any(|term| term.contains("盐度")), "{terms:?}");
    }
}
