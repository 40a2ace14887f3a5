//! Does a report support, contradict or omit what the pages say? Its own pages' key points and the
//! independent ones are merged, frozen, and each judged once per report.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::reading::Library;
use crate::{
    context::{Context, StageReport},
    data::{Cause, KeyPoint, KeyPointId, Related, Relation, TaskId, Unscored},
    evaluate::{
        Case, Options,
        kae::{
            dedup::{Cluster, Point, unify},
            key_points::{self, Found, OfPage},
        },
    },
    llm::{Answer, Ask, object},
    store::{Evaluation, Store},
};

pub const PROMPT: &str = "evaluate/relation";
const ROLE: &str = "judge";
/// Longest reasons in characters, and most aspects.
const LONGEST: usize = 800;
const ASPECTS: usize = 6;

/// The set of a report's own pages.
pub fn own_set(report: &str) -> String {
    format!("own/{report}")
}

/// The set of the pages that other agents cite, for an agent.
pub fn independent_set(agent: &str) -> String {
    format!("independent/{agent}")
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    reasoning: String,
    key_aspects: Vec<String>,
    relationship: Relation,
    confidence: f64,
}

impl Answer for Reply {
    fn validate(&self) -> Result<(), Unscored> {
        if (0.0..=1.0).contains(&self.confidence) {
            return Ok(());
        }
        let reason = format!("a confidence of {} is not between 0 and 1", self.confidence);
        Err(Unscored {
            cause: Cause::OutOfRange,
            reason,
        })
    }
}

/// A reference set.
#[derive(Debug, Serialize, Deserialize)]
pub struct Frozen<C = Cluster> {
    /// How its points were found.
    pub by: String,
    /// The points, each once.
    pub clusters: Vec<C>,
    /// Parts of pages that gave no points, by cause.
    pub failed: BTreeMap<String, u64>,
}

/// The set that an evaluation compares reports on a task with, by its name; of its points what `C`
/// takes.
pub fn set<C: DeserializeOwned>(
    store: &Store,
    evaluation: &Evaluation,
    task: &TaskId,
    name: &str,
) -> Result<Option<Frozen<C>>> {
    store.frozen(task, name, |set: &Frozen<C>| set.by == evaluation.points)
}

/// A report and a key point, for one judge.
struct Question<'a> {
    case: Case<'a>,
    point: &'a KeyPoint,
    member: usize,
}

/// Freezes the sets and asks for what is missing.
pub async fn relate(
    ctx: &Context,
    judged: &[Case<'_>],
    library: &Library<'_>,
    found: &Found<'_>,
    options: &Options,
) -> Result<StageReport> {
    let mut report = StageReport::new("relations");
    let pages = found.values().flat_map(BTreeMap::values);
    let known: BTreeMap<&KeyPointId, &KeyPoint> = pages
        .flat_map(|page| &page.points)
        .map(|point| (&point.id, point))
        .collect();
    let by = key_points::instrument(ctx, options)?;
    let mut questions = Vec::new();
    for case in judged {
        let (task, report) = (&case.task.id, case.report);
        // What only the scored agent cites is not among the independent pages: nobody chooses what
        // it is compared with.
        let sets = [
            (
                own_set(report.id.as_str()),
                library.cited(task, |of| of.id == report.id),
            ),
            (
                independent_set(&report.agent),
                library.cited(task, |of| of.agent != report.agent),
            ),
        ];
        let mut asked = BTreeSet::new();
        for (name, pages) in sets {
            let set = frozen(found.get(task), &pages, options.near, &by);
            ctx.store.freeze(task, &name, &set)?;
            asked.extend(
                set.clusters
                    .into_iter()
                    .map(|cluster| KeyPointId::from_stored(cluster.representative)),
            );
        }
        for point in asked.iter().filter_map(|id| known.get(id)) {
            questions.extend((0..ctx.llm.members(ROLE)).map(|member| Question {
                case: *case,
                point,
                member,
            }));
        }
    }
    let ask = async |question| ask(ctx, question).await;
    for (question, (unscored, cached)) in ctx
        .each(report.stage, &questions, ctx.llm.parallel(ROLE), ask)
        .await?
    {
        report.count(cached);
        if let Some(unscored) = unscored {
            report.fail_unscored(
                &format!("{} and {}", question.case.report.id, question.point.id),
                &unscored,
            );
        }
    }
    Ok(report)
}

/// The set of these pages, of those that were read for a task.
fn frozen(
    read: Option<&BTreeMap<String, OfPage>>,
    pages: &BTreeSet<&str>,
    near: f64,
    by: &str,
) -> Frozen {
    let (mut points, mut failed) = (Vec::new(), BTreeMap::new());
    for page in pages.iter().filter_map(|page| read?.get(*page)) {
        let point = |p: &KeyPoint| Point {
            id: p.id.to_string(),
            text: p.text.clone(),
            verified: p.verified,
        };
        points.extend(page.points.iter().map(point));
        for cause in &page.failed {
            *failed.entry((*cause).to_owned()).or_default() += 1;
        }
    }
    Frozen {
        by: by.to_owned(),
        clusters: unify(&points, near),
        failed,
    }
}

async fn ask(ctx: &Context, question: &Question<'_>) -> Result<(Option<Unscored>, bool)> {
    let Question {
        case,
        point,
        member,
    } = question;
    let vars = json!({ "task": case.task.task, "report": case.report.text, "point": point.text });
    let answer = ctx
        .llm
        .ask::<Reply>(Ask {
            role: ROLE,
            member: *member,
            prompt: PROMPT,
            vars: &vars,
            schema: Some(schema()),
            max_tokens: 600,
            ..Ask::default()
        })
        .await?;
    let judge = ctx
        .llm
        .judge(ROLE, *member, PROMPT, answer.model_returned)?;
    let related = answer.value.map(|reply| Related {
        relation: reply.relationship,
        confidence: reply.confidence,
        reasoning: reply.reasoning,
        key_aspects: reply.key_aspects,
    });
    ctx.store
        .save_relation(&case.report.id, &point.id, &related, &judge, &answer.call)?;
    Ok((related.err(), answer.cached))
}

fn schema() -> Value {
    let text = json!({ "type": "string", "maxLength": LONGEST });
    let tenths: Vec<f64> = (0..=10).map(|n| f64::from(n) / 10.0).collect();
    object(&json!({
        "reasoning": text,
        "key_aspects": { "type": "array", "items": text, "maxItems": ASPECTS },
        "relationship": { "type": "string", "enum": ["SUPPORTS", "OMITS", "CONTRADICTS"] },
        "confidence": { "type": "number", "enum": tenths }
    }))
}
