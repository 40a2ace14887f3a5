//! The page of a task: each agent's report with its judgements, down to the span in the cited page.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::{
    data::{Judgement, Relation as Stored, RelationJudgement, State, Task},
    evaluate::{
        decide,
        detail::{Detail, Details, PointDetail},
    },
    evidence::reading,
    report::leaderboard_page::{
        self, CitationView, CriterionView, Failure, PointView, Relation, SourcePage, StoredPage,
        TaskPage,
    },
    store::Store,
};

pub use crate::report::leaderboard_page::ReportView;

/// The page of a task, with the address `back` of the leaderboard relative to it; none where no
/// agent has answered it.
pub fn html(
    store: &Store,
    task: &Task,
    details: &Details<'_>,
    back: &str,
) -> Result<Option<String>> {
    let of_task = details.on_task(&task.id)?;
    if of_task.is_empty() {
        return Ok(None);
    }
    let page = task_page(store, task, &of_task, back)?;
    leaderboard_page::task(&page).map(Some)
}

/// A report with what it cites and how it was judged, without the texts of the pages.
pub fn view(store: &Store, detail: &Detail) -> Result<ReportView> {
    let mut urls = BTreeMap::new();
    let citations = cited(store, detail, &mut urls)?;
    let mut titles = BTreeMap::new();
    for content in used(std::slice::from_ref(detail)) {
        let extract = store.extract(content)?;
        let title = extract.and_then(|extract| extract.title);
        titles.insert(content.clone(), title.unwrap_or_default());
        // Of another agent's pages.
        if !urls.contains_key(content) {
            let url = store.address_of(content)?;
            urls.insert(content.clone(), url.unwrap_or_default());
        }
    }
    Ok(report_view(detail, citations, &urls, &titles))
}

/// The pages that key points come from, by the hash of their bytes.
fn used(details: &[Detail]) -> BTreeSet<&String> {
    let points = details.iter().flat_map(|detail| &detail.points);
    points.flat_map(|point| &point.pages).collect()
}

fn task_page(store: &Store, task: &Task, details: &[Detail], back: &str) -> Result<TaskPage> {
    let mut urls: BTreeMap<String, String> = BTreeMap::new();
    let mut reports = Vec::new();
    for detail in details {
        let citations = cited(store, detail, &mut urls)?;
        reports.push((detail, citations));
    }
    let mut pages = Vec::new();
    let mut titles: BTreeMap<String, String> = BTreeMap::new();
    for content in used(details) {
        let Some(extract) = store.extract(content)? else {
            continue;
        };
        let title = extract.title.unwrap_or_default();
        titles.insert(content.clone(), title.clone());
        let url = urls.get(content).cloned().unwrap_or_default();
        pages.push(StoredPage {
            url,
            title,
            text: extract.text,
        });
    }
    let mut facets: Vec<(String, String)> = task.facets.labels().into_iter().collect();
    facets.push(("language".to_owned(), task.language.clone()));
    Ok(TaskPage {
        id: task.id.to_string(),
        text: task.text.clone(),
        facets,
        back: back.to_owned(),
        reports: reports
            .into_iter()
            .map(|(of, citations)| report_view(of, citations, &urls, &titles))
            .collect(),
        pages,
    })
}

/// The citations of a report with the state of each URL; the page behind each URL is noted in
/// `urls`.
fn cited(
    store: &Store,
    detail: &Detail,
    urls: &mut BTreeMap<String, String>,
) -> Result<Vec<CitationView>> {
    let mut views = Vec::new();
    for citation in reading::known_citations(store, &detail.report)? {
        let url = citation.url.clone().unwrap_or_default();
        let visit = if url.is_empty() {
            None
        } else {
            store.visit(&url)?
        };
        if let Some(content) = visit.as_ref().and_then(|visit| visit.content.clone()) {
            // The first URL stands for a page that several lead to.
            urls.entry(content).or_insert_with(|| url.clone());
        }
        let status = match visit {
            None => String::new(),
            Some(visit) => visit.cause.unwrap_or_else(|| "read".to_owned()),
        };
        views.push(CitationView {
            label: citation.label.unwrap_or_default(),
            url,
            diagnosis: citation.diagnosis.join(", ").replace('_', " "),
            status,
        });
    }
    Ok(views)
}

fn report_view(
    detail: &Detail,
    citations: Vec<CitationView>,
    urls: &BTreeMap<String, String>,
    titles: &BTreeMap<String, String>,
) -> ReportView {
    let mut failures = Vec::new();
    let mut ace = Vec::new();
    for (criterion, judgements) in &detail.criteria {
        for judgement in judgements {
            let (rating, justification) = match &judgement.outcome {
                Ok(rating) => (Some(f64::from(rating.rating)), rating.justification.clone()),
                Err(unscored) => {
                    failures.push(Failure {
                        what: criterion.title.clone(),
                        cause: unscored.to_string(),
                    });
                    (None, String::new())
                }
            };
            ace.push(CriterionView {
                title: criterion.title.clone(),
                weight: criterion.weight,
                description: criterion.description.clone(),
                rating,
                justification,
                judge: judgement.judge.clone(),
            });
        }
    }
    for point in &detail.points {
        for unscored in point
            .judgements
            .iter()
            .filter_map(|judgement| judgement.outcome.as_ref().err())
        {
            failures.push(Failure {
                what: point.point.text.clone(),
                cause: unscored.to_string(),
            });
        }
    }
    let state = detail.report.state;
    if state != State::Ok {
        failures.push(Failure {
            what: "the report".into(),
            cause: state.word().into(),
        });
    }
    ReportView {
        agent: match detail.report.attempt {
            1 => detail.report.agent.clone(),
            attempt => format!("{} (attempt {attempt})", detail.report.agent),
        },
        state: state.word().into(),
        text: detail.report.text.clone(),
        ace,
        points: detail
            .points
            .iter()
            .map(|point| point_view(point, urls, titles))
            .collect(),
        citations,
        failures,
    }
}

fn word(relation: Stored) -> &'static str {
    match relation {
        Stored::Supports => "supports",
        Stored::Partly => "says in part",
        Stored::Omits => "omits",
        Stored::Contradicts => "contradicts",
    }
}

fn point_view(
    of: &PointDetail,
    urls: &BTreeMap<String, String>,
    titles: &BTreeMap<String, String>,
) -> PointView {
    let decided: Vec<(&str, &RelationJudgement)> = of
        .judgements
        .iter()
        .filter_map(|judgement| Some((judgement.judge.as_str(), judgement.outcome.as_ref().ok()?)))
        .collect();
    let bare = |judgement: &Judgement<RelationJudgement>| match &judgement.outcome {
        Ok(related) => Ok(related.relation),
        Err(unscored) => Err(unscored.cause),
    };
    let relation = match decide(of.judgements.iter().map(bare)) {
        Ok(Stored::Supports) => Relation::Supports,
        Ok(Stored::Partly) => Relation::Partly,
        Ok(Stored::Omits) => Relation::Omits,
        Ok(Stored::Contradicts) => Relation::Contradicts,
        Err(_) => Relation::Unscored,
    };
    let reasons: Vec<String> = decided
        .iter()
        .map(|(model, related)| {
            format!("{model}: {}. {}", word(related.relation), related.reasoning)
        })
        .collect();
    let pages = of.pages.iter().map(|content| SourcePage {
        url: urls.get(content).cloned().unwrap_or_default(),
        title: titles.get(content).cloned().unwrap_or_default(),
        verified: of.point.verified,
    });
    PointView {
        text: of.point.text.clone(),
        relation,
        confidence: if let [(_, only)] = decided.as_slice() {
            Some(only.confidence)
        } else {
            None
        },
        reasoning: if let [(_, only)] = decided.as_slice() {
            only.reasoning.clone()
        } else {
            reasons.join("\n")
        },
        spans: of.point.spans.clone(),
        pages: pages.collect(),
        in_own: of.own,
        in_independent: of.independent,
    }
}
