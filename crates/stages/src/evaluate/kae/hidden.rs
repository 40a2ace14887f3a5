//! Key points with a known relation to a report: to what is left of it once every sentence that
//! shares a term or a number with the point is taken out, which has nothing of the point; and to
//! the same with the point word for word among its sentences. So a judge that answers the same each
//! time is wrong about half of them. Hides what is taken out, and where the point goes.

use std::collections::BTreeSet;

use anyhow::Result;
use serde_json::{Value, json};

use super::question::{self, Compared, PROMPT, ROLE};
use crate::{
    context::{Context, StageReport},
    data::{AgentReport, Expected, HIDDEN_RELATION, Judge, KeyPoint, Relation, Task},
    evaluate::Case,
    judging::{
        self, Question,
        hidden::{self, Hidden, Probes, Watch},
        relate,
    },
    text::{
        sentences,
        words::{terms, tokens},
    },
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

/// The members that are tested, with this prompt.
fn tested(ctx: &Context, prompt: &str) -> Result<Vec<(usize, String, String)>> {
    hidden::tested(ctx, ROLE, |_| Ok(ctx.llm.prompt_hash(prompt)?))
}

/// Points with a known relation, in the order in which the seed draws them. Each is made when it is
/// wanted.
fn offered<'a>(
    ctx: &Context,
    compared: &[Compared<'a>],
) -> impl Iterator<Item = HiddenRelation<'a>> + use<'a> {
    let mut all: Vec<(Case<'a>, &'a KeyPoint, bool)> = Vec::new();
    for (case, points) in compared {
        let both = |point| [true, false].map(|stated| (*case, point, stated));
        all.extend(points.iter().copied().flat_map(both));
    }
    let seed = ctx.seed;
    all.sort_by_cached_key(|(case, point, stated)| {
        hidden::drawn(seed, &format!("{} {} {stated}", case.report.id, point.id))
    });
    all.into_iter().filter_map(move |(case, point, stated)| {
        let place = hidden::drawn(seed, point.id.as_str());
        let report = version(&case.report.text, &point.text, stated.then_some(place))?;
        Some(HiddenRelation {
            case,
            point,
            stated,
            report,
        })
    })
}

/// The points with a known relation among so many questions to each judge; an error for a judge
/// that has failed such questions before.
pub fn probes<'a>(
    ctx: &Context,
    compared: &[Compared<'a>],
    questions: u64,
) -> Result<Probes<HiddenRelation<'a>>> {
    let watch = Watch::begin(ctx, HIDDEN_RELATION, ROLE, tested(ctx, PROMPT)?)?;
    Ok(Probes::among(questions, ctx, watch, offered(ctx, compared)))
}

/// The test of judges that are asked about several points in one question: each probe is a question
/// of its own, and probes stand between stretches of the reports.
pub struct Stretches<'a> {
    prompt: &'static str,
    probes: Vec<HiddenRelation<'a>>,
}

/// A version of a report that is asked about, with what is kept of the answer.
pub struct Version<'a> {
    /// The task.
    pub task: &'a Task,
    /// The report with another text.
    pub report: AgentReport,
    /// The point's name and text.
    pub item: (String, Value),
    /// What is kept.
    pub keep: Value,
}

impl<'a> Stretches<'a> {
    /// The probes that are due among the points of all reports; an error for a judge that has
    /// failed before.
    pub fn begin(ctx: &Context, prompt: &'static str, compared: &[Compared<'a>]) -> Result<Self> {
        let mut stretches = Self {
            prompt,
            probes: Vec::new(),
        };
        stretches.check(ctx)?;
        if !tested(ctx, prompt)?.is_empty() {
            let points: usize = compared.iter().map(|(_, points)| points.len()).sum();
            let due = hidden::due(ctx.probing.share, points as u64);
            stretches.probes.extend(offered(ctx, compared).take(due));
        }
        Ok(stretches)
    }

    /// An error for a judge that has failed by now.
    pub fn check(&self, ctx: &Context) -> Result<()> {
        Watch::begin(ctx, HIDDEN_RELATION, ROLE, tested(ctx, self.prompt)?).map(drop)
    }

    /// Whether there are no probes.
    pub fn is_empty(&self) -> bool {
        self.probes.is_empty()
    }

    /// The probes of one of so many stretches.
    pub fn of(&self, stretch: usize, stretches: usize) -> Vec<Version<'a>> {
        let n = self.probes.len();
        let (from, to) = (n * stretch / stretches, n * (stretch + 1) / stretches);
        self.probes[from..to]
            .iter()
            .map(HiddenRelation::as_version)
            .collect()
    }

    /// Adds how the judges did to a stage's report.
    pub fn report(&self, ctx: &Context, report: &mut StageReport) -> Result<()> {
        let answers = ctx.store.hidden_answers(HIDDEN_RELATION)?;
        let tested = tested(ctx, self.prompt)?;
        let is_tested = |judge: &Judge| {
            let mut all = tested.iter();
            all.any(|(_, model, prompt)| {
                judge.model_asked == *model && judge.prompt_hash == *prompt
            })
        };
        let results = hidden::results_of(&answers, is_tested).into_values();
        report
            .notes
            .extend(results.map(|of| of.note(ctx.probing.accept)));
        Ok(())
    }
}

impl<'a> HiddenRelation<'a> {
    /// The word for how it was made, and the known answer.
    fn known(&self) -> (&'static str, Expected) {
        let (way, relation) = if self.stated {
            ("stated", Relation::Supports)
        } else {
            ("absent", Relation::Omits)
        };
        (way, Expected::Label(relation.word().to_owned()))
    }

    fn as_version(&self) -> Version<'a> {
        let (way, expected) = self.known();
        let (case, point) = (self.case, self.point);
        Version {
            task: case.task,
            report: AgentReport {
                text: self.report.clone(),
                ..case.report.clone()
            },
            item: (format!("{}/{way}", point.id), json!(point.text)),
            keep: hidden::kept(way, &expected),
        }
    }
}

/// Asks about a point, and says whether the answer is right.
pub async fn ask(ctx: &Context, hidden: &Hidden<HiddenRelation<'_>>) -> Result<Option<bool>> {
    let (way, expected) = hidden.of.known();
    let HiddenRelation {
        case,
        point,
        report,
        ..
    } = &hidden.of;
    let vars = question::vars(case.task, report, point);
    let question = Question {
        instrument: HIDDEN_RELATION,
        subject: case.report.id.as_str(),
        other: Some(&format!("{}/{way}", point.id)),
        keep: hidden::kept(way, &expected),
        knowing: "",
        ask: question::ask(hidden.member, &vars),
    };
    let judged = judging::judge::<relate::Related>(ctx, question).await?;
    Ok(hidden::is_right(&expected, &judged))
}

/// What a sentence is about: its terms, and its numbers.
fn subjects(text: &str) -> BTreeSet<String> {
    let mut about = terms(text);
    let tokens = tokens(text).into_iter();
    about.extend(tokens.filter(|token| token.chars().any(char::is_numeric)));
    about
}

/// The report without the sentences that share a term or a number with the point; with a `place`,
/// the point among those that are left. None where too little is left, or the point says too
/// little.
fn version(report: &str, point: &str, place: Option<u64>) -> Option<String> {
    let about = subjects(point);
    if about.len() < TERMS {
        return None;
    }
    let characters: Vec<char> = report.chars().collect();
    let mut left: Vec<String> = sentences::split(report)
        .into_iter()
        .map(|range| characters[range].iter().collect::<String>())
        .filter(|sentence| subjects(sentence).is_disjoint(&about))
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
