//! Relations of a report to key points: does it support, contradict or omit them? The key points of
//! its own pages and the independent ones are merged, frozen, and each judged once per report.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;

use super::{
    dedup::{Cluster, Point, unify},
    hidden,
    key_points::{self, Found, OfPage},
    question::{self, Compared, ROLE},
};
use crate::{
    context::{Context, StageReport},
    data::{
        InForce, Instrument, KeyPoint, KeyPointId, Relation, RelationJudgement, ReportId,
        SubjectKind, TaskId,
    },
    evaluate::{Case, evaluator::Work, library::Library},
    judging::{self, Judged, Question, hidden::judge_each, relate::Related},
    store::{Evaluation, PanelJudgements, Store, StoredJudgement},
};

/// How a report relates to a key point.
pub const RELATION: Instrument = Instrument {
    id: "kae/relation/1",
    family: "kae",
    criterion: "relation",
    scale: "supports, omits or contradicts",
    subject: SubjectKind::Report,
    letter: 'm',
};

/// The same under stricter rules ([`super::strict`]).
pub const STRICT: Instrument = Instrument {
    id: "kae/relation/2",
    scale: "supports, partly, omits or contradicts",
    ..RELATION
};

/// The form that an evaluation asked in, with its judges and settings.
pub fn in_force(evaluation: &Evaluation) -> (Instrument, InForce) {
    let strict = evaluation.in_force(STRICT);
    if strict.panel.is_empty() {
        return (RELATION, evaluation.in_force(RELATION));
    }
    (STRICT, strict)
}

/// The name of the set of a report's own pages.
pub fn own_set(report: &str) -> String {
    format!("own/{report}")
}

/// The name of the set of the pages that other agents cite, for an agent.
pub fn independent_set(agent: &str) -> String {
    format!("independent/{agent}")
}

/// How the key points of an evaluation were found; empty where it has none.
pub fn fingerprint(evaluation: &Evaluation) -> String {
    let (_, in_force) = in_force(evaluation);
    in_force.settings["key_points"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
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

/// The set that reports on a task are compared with, by its name; `C` holds the wanted fields of
/// its points.
pub fn set<C: DeserializeOwned>(
    store: &Store,
    fingerprint: &str,
    task: &TaskId,
    name: &str,
) -> Result<Option<Frozen<C>>> {
    store.frozen(task, name, |set: &Frozen<C>| set.by == fingerprint)
}

/// The relations of a report to key points with the judges' reasons, in the order of the points.
pub fn relations(
    judgements: &PanelJudgements<'_>,
    report: &ReportId,
) -> Result<Vec<crate::data::Judgement<RelationJudgement>>> {
    // Only one of the two is in force.
    let mut related = judgements.read(RELATION, report.as_str(), relation)?;
    related.extend(judgements.read(STRICT, report.as_str(), relation)?);
    Ok(related)
}

/// A relation with the number of the sentence that decides, where one is named.
pub type Deciding = (Relation, Option<usize>);

/// A stored relation without its reasons.
pub fn bare(stored: &StoredJudgement<'_>) -> Result<Deciding> {
    Ok((stored.label()?, None))
}

/// The same with the sentence that decides.
pub fn deciding(stored: &StoredJudgement<'_>) -> Result<Deciding> {
    #[derive(Deserialize)]
    struct Payload {
        sentence: Option<usize>,
    }
    let payload: Payload = stored.payload()?;
    Ok((stored.label()?, payload.sentence))
}

fn relation(stored: &StoredJudgement<'_>) -> Result<RelationJudgement> {
    #[derive(Deserialize)]
    struct Payload {
        reason: String,
        key_aspects: Vec<String>,
        sentence: Option<usize>,
    }
    let payload: Payload = stored.payload()?;
    Ok(RelationJudgement {
        relation: stored.label()?,
        confidence: stored.confidence()?,
        reasoning: payload.reason,
        key_aspects: payload.key_aspects,
        sentence: payload.sentence,
    })
}

/// A report and a key point, for one judge.
struct Asked<'a> {
    case: Case<'a>,
    point: &'a KeyPoint,
    member: usize,
}

/// Freezes the sets of each report, and returns the points of both.
pub fn compared<'a>(
    work: &Work<'a>,
    library: &Library<'_>,
    found: &'a Found<'_>,
) -> Result<Vec<Compared<'a>>> {
    let pages = found.values().flat_map(BTreeMap::values);
    let known: BTreeMap<&KeyPointId, &KeyPoint> = pages
        .flat_map(|page| &page.points)
        .map(|point| (&point.id, point))
        .collect();
    let fingerprint = key_points::fingerprint(work.ctx, work.options)?;
    let of_case = |case: &Case<'a>| {
        let points = freeze(work, *case, library, found, &fingerprint)?;
        let points = points.iter().filter_map(|id| known.get(id).copied());
        Ok((*case, points.collect()))
    };
    work.judged.iter().map(of_case).collect()
}

/// Asks each judge about each point alone; points with a known relation stand among them.
pub async fn relate(ctx: &Context, compared: &[Compared<'_>]) -> Result<StageReport> {
    let members = ctx.llm.members(ROLE);
    let questions: Vec<Asked<'_>> = compared
        .iter()
        .flat_map(|(case, points)| points.iter().map(move |point| (*case, *point)))
        .flat_map(|(case, point)| {
            (0..members).map(move |member| Asked {
                case,
                point,
                member,
            })
        })
        .collect();
    let to_each = questions.len() / members.max(1);
    let probes = hidden::probes(ctx, compared, to_each as u64)?;
    judge_each(
        ctx,
        ("relations", ROLE),
        &questions,
        &probes,
        async |asked| ask(ctx, asked).await,
        async |probe| hidden::ask(ctx, probe).await,
        |asked| format!("{} and {}", asked.case.report.id, asked.point.id),
    )
    .await
}

/// Freezes the two sets that a report is compared with, and returns the points of both.
fn freeze(
    work: &Work<'_>,
    case: Case<'_>,
    library: &Library<'_>,
    found: &Found<'_>,
    fingerprint: &str,
) -> Result<BTreeSet<KeyPointId>> {
    let (task, report) = (&case.task.id, case.report);
    // What only the scored agent cites is not among the independent pages: no agent chooses what it
    // is compared with.
    let sets = [
        (
            own_set(report.id.as_str()),
            library.cited(task, |other| other.id == report.id),
        ),
        (
            independent_set(&report.agent),
            library.cited(task, |other| other.agent != report.agent),
        ),
    ];
    let mut points = BTreeSet::new();
    for (name, pages) in sets {
        let set = merged(
            found.get(task),
            &pages,
            work.options.similarity,
            fingerprint,
        );
        work.ctx.store.freeze(task, &name, &set)?;
        let representatives = set
            .clusters
            .into_iter()
            .map(|cluster| cluster.representative);
        points.extend(representatives.map(KeyPointId::from_stored));
    }
    Ok(points)
}

/// The set of these pages, of those that were read for a task.
fn merged(
    read: Option<&BTreeMap<String, OfPage>>,
    pages: &BTreeSet<&str>,
    near: f64,
    fingerprint: &str,
) -> Frozen {
    let (mut points, mut failed) = (Vec::new(), BTreeMap::new());
    for page in pages.iter().filter_map(|page| read?.get(*page)) {
        points.extend(page.points.iter().map(|p| Point {
            id: p.id.to_string(),
            text: p.text.clone(),
            verified: p.verified,
        }));
        for cause in &page.failed {
            *failed.entry((*cause).to_owned()).or_default() += 1;
        }
    }
    Frozen {
        by: fingerprint.to_owned(),
        clusters: unify(&points, near),
        failed,
    }
}

async fn ask(ctx: &Context, asked: &Asked<'_>) -> Result<Judged<Related>> {
    let Asked {
        case,
        point,
        member,
    } = asked;
    let vars = question::vars(case.task, &case.report.text, point);
    let question = Question {
        instrument: RELATION,
        subject: case.report.id.as_str(),
        other: Some(point.id.as_str()),
        keep: json!({}),
        knowing: "",
        ask: question::ask(*member, &vars),
    };
    judging::judge(ctx, question).await
}
