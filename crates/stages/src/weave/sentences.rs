//! The text of a task where the model is too small to write one: a sentence of the talk, whole and
//! in its own words, within well-formed sentences that say what to do with it. The model chooses the
//! search terms, among words of that sentence and of the talk's subject.

use super::subject::Subject;
use crate::{
    data::{Difficulty, Inspiration, InspirationType, TaskType},
    text::{
        claim::{has_room, leans, tidy},
        key_terms::{is_heard, terms_of},
        words::{fold, han_count, is_chinese, word_count},
    },
};

/// Search terms of a sentence that the model may choose from.
const MOST_TERMS: usize = 6;
/// Longest task with its subject, in words and in Han characters; a longer one does without.
const MOST_WORDS: usize = 100;
const MOST_HAN: usize = 200;

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

/// What could be typed into a search box for a claim of this talk: terms of the claim, and terms of
/// the subject that share no word with them. Misheard words are none.
pub fn search_terms(claim: &str, subject: &Subject, talk: &str) -> (Vec<String>, Vec<String>) {
    let mut own = terms_of(claim);
    let talk = fold(talk);
    own.retain(|term| is_heard(term, &talk));
    own.truncate(MOST_TERMS);
    let mut others = subject.terms.clone();
    others.retain(|term| !own.iter().any(|of| overlap(of, term)));
    if own.is_empty() {
        own.clone_from(&subject.terms);
    }
    if own.is_empty() {
        own.push(claim.trim_end_matches(['.', '。']).to_owned());
    }
    if others.is_empty() {
        others.clone_from(&own);
    }
    (own, others)
}

fn overlap(a: &str, b: &str) -> bool {
    a.contains(b) || b.contains(a)
}

/// The text of a task of a family: a claim of an idea of this type, and what to do with it.
pub fn text(
    family: TaskType,
    kind: InspirationType,
    claim: &str,
    terms: &[String],
    subject: &Subject,
) -> String {
    let whole = worded(family, kind, claim, terms, subject.name.as_deref());
    if word_count(&whole) <= MOST_WORDS && han_count(&whole) <= MOST_HAN {
        return whole;
    }
    worded(family, kind, claim, terms, None)
}

fn worded(
    family: TaskType,
    kind: InspirationType,
    claim: &str,
    terms: &[String],
    subject: Option<&str>,
) -> String {
    let quoted: Vec<String> = terms.iter().map(|term| format!("“{term}”")).collect();
    if is_chinese(claim) {
        let phrases = phrases_zh(kind);
        let body = body_zh(family, &phrases, &quoted.join("和"));
        let subject = subject.map_or_else(String::new, |of| format!("在{of}的研究中，"));
        return format!("{subject}{}：“{claim}”{body}", phrases.opening);
    }
    let terms = match quoted.as_slice() {
        [one] => format!("the search term {one}"),
        many => format!("the search terms {}", many.join(" and ")),
    };
    let phrases = phrases(kind);
    let body = body(family, &phrases, &terms);
    let opening = match subject {
        Some(subject) => format!("In work on {subject}, {}", phrases.opening),
        None => capital(phrases.opening),
    };
    format!("{opening}: “{claim}” {body}")
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next();
    first
        .into_iter()
        .flat_map(char::to_uppercase)
        .chain(chars)
        .collect()
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

/// What stands before a claim of a type, what it is called, how a tool serves it, what is measured
/// of it, and what is compared.
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
            opening: "this problem was met",
            noun: "problem",
            tool: "eases the problem",
            measured: "how severe the problem is",
            compared: "at least three ways of dealing with the problem",
        },
        InspirationType::Methodology => Phrases {
            opening: "this way of working is in use",
            noun: "method",
            tool: "carries out the method",
            measured: "how well the method works",
            compared: "the method with at least two others for the same purpose",
        },
        InspirationType::Transdisciplinary => Phrases {
            opening: "this link to another field was proposed",
            noun: "link",
            tool: "puts the link to use",
            measured: "how much the link brings",
            compared: "at least three ways of putting the link to use",
        },
        InspirationType::Hypothesis => Phrases {
            opening: "this claim was made and not yet tested",
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
            opening: "遇到了这样一个难题",
            noun: "难题",
            tool: "减轻这个难题",
            measured: "这个难题有多严重",
            compared: "三种应对这个难题的办法",
        },
        InspirationType::Methodology => Phrases {
            opening: "有人采用这样一种做法",
            noun: "做法",
            tool: "实现这种做法",
            measured: "这种做法效果如何",
            compared: "这种做法和另外两种目的相同的做法",
        },
        InspirationType::Transdisciplinary => Phrases {
            opening: "有人提出这样一种跨领域的联系",
            noun: "联系",
            tool: "利用这种联系",
            measured: "这种联系带来多大好处",
            compared: "三种利用这种联系的办法",
        },
        InspirationType::Hypothesis => Phrases {
            opening: "有人提出一个有待检验的说法",
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
            "Starting from {terms}, find at least ten studies that bear on the {noun}. Hand in an \
             evidence table with one row for each study. A good answer says whether the {noun} is \
             confirmed, where studies disagree, and what none has looked at."
        ),
        TaskType::TrendScan => format!(
            "From papers, patents and announcements, starting from {terms}, trace ten years of \
             work on the {noun}. Hand in a dated timeline with sources. A good answer keeps \
             announcements apart from what is in use and gives a reason for each turn."
        ),
        TaskType::RequirementsGathering => format!(
            "From guidelines, forums and published interviews, starting from {terms}, work out what \
             people affected by the {noun} need. Hand in a ranked list of requirements with \
             sources. A good answer says who needs what and why, and where needs collide."
        ),
        TaskType::HypothesisGeneration => format!(
            "From published work, starting from {terms}, derive at least three rival explanations. \
             Hand in a list of hypotheses, each with a prediction of its own. A good answer says \
             which public data could refute each of them, and which are ruled out already."
        ),
        TaskType::MethodBlueprint => format!(
            "Check with {terms} what has been tried; then plan an experiment on the {noun} with \
             public data. Hand in an experiment protocol with conditions, measures and analysis. A \
             good answer gives reasons and states in advance which result would settle the question."
        ),
        TaskType::PrototypeSpecification => format!(
            "Check with {terms} which tools exist; then specify one that {tool}. Hand in a system \
             specification with inputs, outputs, failure cases and acceptance tests. A good answer \
             says why each part beats an alternative, and which test could fail."
        ),
        TaskType::MetricDesign => format!(
            "Check with {terms} which measures are in use; then define one of {measured}, from \
             public data. Hand in a metric definition with a worked example. A good answer says \
             what counts and where the new measure and an old one disagree."
        ),
        TaskType::EmpiricalTest => format!(
            "Check with {terms} whether the {noun} has been tested; then test it with public data \
             or a simulation. Hand in an analysis report with its code. A good answer states in \
             advance what would refute it, and compares with a plain baseline."
        ),
        TaskType::ReplicabilityReview => format!(
            "Starting from {terms}, find published results for and against the {noun}, and check \
             whether each was repeated and with which biases. Hand in a risk-of-bias table with one \
             row for each study. A good answer says which conclusions survive without any one study."
        ),
        TaskType::ComparativeAnalysis => format!(
            "From papers and technical documents, starting from {terms}, compare {compared} by \
             effort, data needed and known failures. Hand in a comparison table with sources. A \
             good answer says for which case each is best, and where the evidence is thin."
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
            "以{terms}为检索词，查找至少十项与这个{noun}有关的研究。交一份证据表，每项研究一行。好的答案要说明这个{noun}是否得到证实、哪些结果互相矛盾、还有什么没人研究。"
        ),
        TaskType::TrendScan => format!(
            "以{terms}为检索词，从论文、专利和公告追溯近十年来围绕这个{noun}的工作。交一份注明出处的年表。好的答案要把宣布过的与实际使用的分开，说明每次转折的原因。"
        ),
        TaskType::RequirementsGathering => format!(
            "以{terms}为检索词，从指南、论坛和公开的访谈，弄清受这个{noun}影响的人需要什么。交一份按重要性排序、注明出处的需求清单。好的答案要说明谁需要什么、为什么，需求在哪里冲突。"
        ),
        TaskType::HypothesisGeneration => format!(
            "以{terms}为检索词，从已发表的研究推出至少三种互相竞争的解释。交一份假设清单，每个假设各有一条独特的预测。好的答案要说明哪些公开数据可以推翻每个假设，哪些已被排除。"
        ),
        TaskType::MethodBlueprint => format!(
            "先以{terms}检索前人做过什么，再设计一个用公开数据就能完成的实验来研究这个{noun}。交一份实验方案，写明分组、测量和分析方法。好的答案要说明理由，并事先写明什么结果可以回答问题。"
        ),
        TaskType::PrototypeSpecification => format!(
            "先以{terms}检索已有的工具，再规定一个能{tool}的系统。交一份系统规格说明，写明输入、输出、失效情形和验收测试。好的答案要说明每个部件为什么优于别的选择。"
        ),
        TaskType::MetricDesign => format!(
            "先以{terms}检索现用的指标，再用公开数据定义一个指标来衡量{measured}。交一份带算例的指标定义。好的答案要写明什么算、什么不算，并举出新旧指标结论不同的例子。"
        ),
        TaskType::EmpiricalTest => format!(
            "先以{terms}检索这个{noun}是否有人检验过，再用公开数据或模拟来检验。交一份带代码的分析报告。好的答案要事先写明什么结果会推翻它，并与简单的基准相比较。"
        ),
        TaskType::ReplicabilityReview => format!(
            "以{terms}为检索词，查找支持或反对这个{noun}的已发表结果，检查是否有人重复过、可能有哪些偏差。交一份逐项研究的偏差风险表。好的答案要说明去掉任何一项以后哪些结论仍然成立。"
        ),
        TaskType::ComparativeAnalysis => format!(
            "以{terms}为检索词，按工作量、所需数据和已知缺陷比较{compared}。交一份每格注明出处的比较表。好的答案要说明哪种情况适合哪一种，以及哪里证据不足。"
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

    /// A subject with a title as long as one may be.
    fn subject(claim: &str) -> Subject {
        let (name, terms) = if is_chinese(claim) {
            (
                "“沿海平原地下咸淡水界面的长期观测与模拟”",
                ["地下水", "咸淡水界面"],
            )
        } else {
            (
                "“Where the fresh water ends: mapping coastal aquifers from old boreholes”",
                ["coastal aquifers", "boreholes"],
            )
        };
        Subject {
            name: Some(name.to_owned()),
            terms: terms.map(str::to_owned).to_vec(),
        }
    }

    #[test]
    fn every_task_of_every_type_keeps_the_rules() {
        for (family, kind) in TaskType::ALL
            .into_iter()
            .flat_map(|family| InspirationType::ALL.map(|kind| (family, kind)))
            .filter(|(family, kind)| suits(*family, *kind))
        {
            for claim in [CLAIM, CLAIM_ZH] {
                let subject = subject(claim);
                let (own, others) = search_terms(claim, &subject, claim);
                let terms = [own[0].clone(), others[0].clone()];
                let text = text(family, kind, claim, &terms, &subject);
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
                let subject = subject.name.expect("a name");
                assert!(text.contains(&subject), "no room for the subject: {text}");
            }
        }
    }

    #[test]
    fn search_terms_are_of_the_sentence_and_of_the_subject() {
        let (own, others) = search_terms(CLAIM, &subject(CLAIM), CLAIM);
        assert!(own.contains(&"salinity".to_owned()), "{own:?}");
        assert_eq!(others, ["coastal aquifers", "boreholes"]);
        let (own, others) = search_terms(CLAIM_ZH, &subject(CLAIM_ZH), CLAIM_ZH);
        assert!(own.iter().any(|term| term.contains("盐度")), "{own:?}");
        assert_eq!(others, ["地下水"]);
    }

    #[test]
    fn misheard_words_are_no_search_terms() {
        let claim = "敏南话没有统一的输写规范，也没有声调的标准。";
        let (own, _) = search_terms(claim, &Subject::default(), claim);
        assert!(
            own.iter()
                .all(|term| !term.contains('敏') && !term.contains('输')),
            "{own:?}"
        );
        let claim = "The salinty of the fresh water was never logged.";
        let (own, _) = search_terms(claim, &Subject::default(), claim);
        assert_eq!(own, ["fresh water"]);
    }
}
