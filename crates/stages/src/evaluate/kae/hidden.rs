//! Key points with a known relation to a report: to what is left of it once every sentence that
//! shares a term with the point is taken out, which has nothing of the point; and to the same with
//! the point word for word among its sentences. So a judge that answers the same each time is wrong
//! about half of them. Hides what is taken out, and where the point goes.

use anyhow::Result;
use serde_json::json;

use super::relations::{Compared, PROMPT, ROLE};
use crate::{
    context::Context,
    data::{Expected, HIDDEN_RELATION, KeyPoint, Relation},
    evaluate::Case,
    judging::{
        self, Question,
        hidden::{self, Hidden, Probes, Watch},
        relate,
    },
    llm::Ask,
    text::{sentences, words::terms},
};

/// Fewest terms of a point that tells what it is about.
const TERMS: usize = 3;
/// Fewest sentences that are left of a report.
const LEFT: usize = 2;

/// A point and a version of a report with a known relation.
#[derive(Clone)]
pub struct HiddenRelation<'a> {
    case: Case<'a>,
    point: &'a KeyPoint,
    stated: bool,
    report: String,
}

/// The points with a known relation among so many questions to each judge; an error for a judge
/// that has failed such questions before.
pub fn probes<'a>(
    ctx: &Context,
    compared: &[Compared<'a>],
    questions: u64,
) -> Result<Probes<HiddenRelation<'a>>> {
    let mut tested = Vec::new();
    let mut offered = Vec::new();
    if ctx.probing.share > 0.0 {
        for member in hidden::tested(ctx, ROLE)? {
            let model = ctx.llm.model_name(ROLE, member)?;
            tested.push((member, model, ctx.llm.prompt_hash(PROMPT)?));
        }
        for (case, points) in compared {
            let both = |point| [true, false].map(|stated| (*case, point, stated));
            offered.extend(points.iter().copied().flat_map(both));
        }
        offered.sort_by_cached_key(|(case, point, stated)| {
            hidden::drawn(
                ctx.seed,
                &format!("{} {} {stated}", case.report.id, point.id),
            )
        });
    }
    let watch = Watch::begin(ctx, HIDDEN_RELATION, ROLE, tested)?;
    let seed = ctx.seed;
    let made = offered
        .into_iter()
        .filter_map(move |(case, point, stated)| {
            let place = hidden::drawn(seed, point.id.as_str());
            let report = version(&case.report.text, &point.text, stated.then_some(place))?;
            Some(HiddenRelation {
                case,
                point,
                stated,
                report,
            })
        });
    Ok(Probes::among(questions, ctx, watch, made))
}

/// Asks about a point, and says whether the answer is right.
pub async fn ask(ctx: &Context, hidden: &Hidden<HiddenRelation<'_>>) -> Result<Option<bool>> {
    let HiddenRelation {
        case,
        point,
        stated,
        report,
    } = &hidden.of;
    let (way, relation) = if *stated {
        ("stated", Relation::Supports)
    } else {
        ("absent", Relation::Omits)
    };
    let expected = Expected::Label(relation.word().to_owned());
    let vars = json!({ "task": case.task.text, "report": report, "point": point.text });
    let question = Question {
        instrument: HIDDEN_RELATION,
        subject: case.report.id.as_str(),
        other: Some(&format!("{}/{way}", point.id)),
        keep: hidden::kept(way, &expected),
        knowing: "",
        ask: Ask {
            role: ROLE,
            member: hidden.member,
            prompt: PROMPT,
            vars: &vars,
            schema: Some(relate::schema()),
            max_tokens: 600,
            ..Ask::default()
        },
    };
    let judged = judging::judge::<relate::Related>(ctx, question).await?;
    Ok(hidden::is_right(&expected, &judged))
}

/// The report without the sentences that share a term with the point; with a `place`, the point
/// among those that are left. None where too little is left, or the point says too little.
fn version(report: &str, point: &str, place: Option<u64>) -> Option<String> {
    let about = terms(point);
    if about.len() < TERMS {
        return None;
    }
    let characters: Vec<char> = report.chars().collect();
    let mut left: Vec<String> = sentences::split(report)
        .into_iter()
        .map(|range| characters[range].iter().collect::<String>())
        .filter(|sentence| terms(sentence).is_disjoint(&about))
        .collect();
    if left.len() < LEFT {
        return None;
    }
    if let Some(place) = place {
        // Behind the first one, which may be a heading.
        let at = 1 + (place % left.len() as u64) as usize;
        left.insert(at, point.to_owned());
    }
    Some(left.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "# Rivers in winter\n\nFloods move gravel beds every year. A fibre cable \
        survives under the gravel. Villages are warned by radio. Costs are not known.";

    #[test]
    fn what_shares_a_term_is_gone_and_the_point_is_there_word_for_word() {
        let point = "A fibre cable survives a winter flood under gravel.";
        let absent = version(REPORT, point, None).expect("a version");
        assert_eq!(
            absent,
            "Villages are warned by radio.\nCosts are not known."
        );
        let stated = version(REPORT, point, Some(5)).expect("a version");
        assert!(
            stated.contains(point) && stated.starts_with("Villages"),
            "{stated}"
        );
    }

    #[test]
    fn too_little_makes_no_probe() {
        assert_eq!(version(REPORT, "It is so.", None), None);
        assert_eq!(
            version("Gravel moves.", "Gravel beds move every winter.", None),
            None
        );
        assert_eq!(version("", "Gravel beds move every winter.", None), None);
    }

    #[test]
    fn chinese_is_cut_by_pairs_of_characters() {
        let report =
            "河流的监测非常困难。光纤电缆埋在砾石下面。村庄通过广播得到警告。费用还不清楚。";
        let point = "光纤电缆可以在砾石下面保存下来。";
        let found = version(report, point, None).expect("a version");
        assert!(!found.contains("光纤") && found.contains("村庄"), "{found}");
    }
}
