//! The leaderboard as a folder of pages: one summary, and one page for each task down to the span
//! in the cited page.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::{Context as _, Result};

use super::leaderboard_page::{
    self, Agent, CitationView, CriterionView, Difference, Facet, FacetValue, Failure, Measure,
    Page, PointView, Relation, ReportView, SourcePage, StoredPage, TaskPage, TaskRow, TaskScore,
    Value, Whole,
};
use crate::{
    data::{Mark, Related, Relation as Stored, State, Task},
    evaluate::{
        decided,
        detail::{Detail, Details, PointDetail},
        leaderboard::{
            self, Board, Row,
            measures::{measure_key, measures},
        },
        scorecard::{Counts, Scored},
    },
    files,
    store::Store,
    text::citations,
};

/// Writes the summary to `path` and the tasks' pages into a folder beside it.
pub fn write(
    store: &Store,
    tasks: &[Task],
    scored: &[Scored],
    board: &Board,
    path: &Path,
) -> Result<()> {
    let stem = path.file_stem().map_or_else(
        || "leaderboard".into(),
        |stem| stem.to_string_lossy().into_owned(),
    );
    // As it stands in links.
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '_'
        }
    };
    let folder_name = format!("{}-tasks", stem.chars().map(plain).collect::<String>());
    let folder = path.with_file_name(&folder_name);
    let summary = leaderboard_page::summary(&page(tasks, scored, board, &folder_name))?;
    let back = path
        .file_name()
        .map_or_else(String::new, |name| format!("../{}", name.to_string_lossy()));
    fs_err::create_dir_all(&folder)?;
    let details = Details::new(store)?;
    for task in tasks {
        let of_task = details.of(&task.id)?;
        if of_task.is_empty() {
            continue;
        }
        let page = leaderboard_page::task(&task_page(store, task, &of_task, &back)?)?;
        // Not flushed one by one, which would take most of the time: the summary that leads here
        // comes last.
        fs_err::write(folder.join(format!("{}.html", task.id)), page)?;
    }
    files::write_whole(path, summary.as_bytes())
        .context("cannot write the page\nhint: choose another place")
}

fn page(tasks: &[Task], scored: &[Scored], board: &Board, folder: &str) -> Page {
    let whole = &board.whole;
    let own_only = scored.iter().all(|of| of.independent.is_none())
        && scored.iter().any(|of| of.own.is_some());
    let mut warnings = Vec::new();
    if board.options.failed_as_zero {
        warnings.push("attempts that gave no report count as the worst score".to_owned());
    }
    if own_only {
        warnings.push(
            "only one agent's pages are known: its key points are from pages that it chose itself"
                .to_owned(),
        );
    }
    Page {
        title: format!(
            "{} research agents on {} tasks",
            whole.agents.len(),
            whole.tasks
        ),
        facts: vec![
            ("reports".into(), whole.reports.to_string()),
            ("resamples".into(), board.options.resamples.to_string()),
            ("seed".into(), board.options.seed.to_string()),
        ],
        warnings,
        measures: kinds(),
        wholes: ["own", "independent"].map(shares).to_vec(),
        agents: whole.agents.iter().map(agent).collect(),
        by: facet(board).into_iter().collect(),
        differences: whole.differences.iter().map(difference).collect(),
        tasks: task_rows(tasks, scored, folder),
    }
}

fn shares(set: &str) -> Whole {
    let title = if set == "own" {
        "Key points of the report's own pages"
    } else {
        "Key points of other agents' pages"
    };
    Whole {
        title: title.into(),
        supported: format!("ksr_{set}"),
        conflicting: format!("kcr_{set}"),
        omitted: format!("kor_{set}"),
    }
}

/// What the page draws, the headline first.
fn kinds() -> Vec<Measure> {
    let measure =
        |key: &str, label: &str, unit: &str, meaning: &str, better: bool, most: f64| Measure {
            key: key.into(),
            label: label.into(),
            unit: unit.into(),
            meaning: meaning.into(),
            higher_is_better: better,
            range: (0.0, most),
        };
    vec![
        measure(
            "ace",
            "ACE",
            "",
            "weighted mean of a checklist written for the task, 0 to 10",
            true,
            10.0,
        ),
        measure(
            "ksr_independent",
            "KSR, independent",
            "%",
            "key points of the pages that other agents cite which the report supports",
            true,
            100.0,
        ),
        measure(
            "kcr_independent",
            "KCR, independent",
            "%",
            "of the same points, those it contradicts",
            false,
            100.0,
        ),
        measure(
            "kor_independent",
            "KOR, independent",
            "%",
            "of the same points, those it omits",
            false,
            100.0,
        ),
        measure(
            "ksr_own",
            "KSR, own pages",
            "%",
            "key points of the pages that the report cites itself which it supports (the paper's set)",
            true,
            100.0,
        ),
        measure(
            "kcr_own",
            "KCR, own pages",
            "%",
            "of the same points, those it contradicts",
            false,
            100.0,
        ),
        measure(
            "kor_own",
            "KOR, own pages",
            "%",
            "of the same points, those it omits",
            false,
            100.0,
        ),
    ]
}

fn is_share(key: &str) -> bool {
    key != "ace"
}

fn values(row: &Row) -> BTreeMap<String, Value> {
    let value = |(key, of): (&str, &leaderboard::Measure)| {
        let scale = if is_share(key) { 100.0 } else { 1.0 };
        let scaled = |number: Option<f64>| number.map(|number| number * scale);
        let value = Value {
            value: scaled(of.value),
            low: scaled(of.low),
            high: scaled(of.high),
            n: of.n,
            of: of.of,
            failed: of.missing.clone(),
        };
        (key.to_owned(), value)
    };
    let drawn: BTreeSet<String> = kinds().into_iter().map(|kind| kind.key).collect();
    measures(row)
        .into_iter()
        .filter(|(key, _)| drawn.contains(*key))
        .map(value)
        .collect()
}

fn agent(row: &Row) -> Agent {
    Agent {
        name: row.agent.clone(),
        tier: row.tier,
        values: values(row),
        tokens: row.output_tokens.value,
        references: row.references.value,
        cost: row.cost_micro.value.map(|micro| micro / 1e6),
        words: row.words.value,
        states: row.states.clone(),
        urls: row
            .references
            .value
            .map_or(0, |mean| (mean * row.references.n as f64).round() as u64),
        url_failures: row.url_failures.clone(),
    }
}

fn facet(board: &Board) -> Option<Facet> {
    let name = board.options.by.clone()?;
    let value = |group: &leaderboard::Group| FacetValue {
        value: group
            .value
            .clone()
            .unwrap_or_else(|| "not known".to_owned()),
        agents: group
            .table
            .agents
            .iter()
            .map(|row| (row.agent.clone(), values(row)))
            .collect(),
    };
    Some(Facet {
        name,
        values: board.groups.iter().map(value).collect(),
    })
}

fn difference(pair: &leaderboard::Pair) -> Difference {
    let key = measure_key(pair.measure);
    let scale = if is_share(key) { 100.0 } else { 1.0 };
    let scaled = |number: Option<f64>| number.map(|number| number * scale);
    Difference {
        measure: key.to_owned(),
        first: pair.first.clone(),
        second: pair.second.clone(),
        value: Some(pair.value * scale),
        low: scaled(pair.low),
        high: scaled(pair.high),
        adjusted: Some(pair.adjusted),
        n: pair.tasks,
        detectable: scaled(pair.detectable),
    }
}

fn task_rows(tasks: &[Task], scored: &[Scored], folder: &str) -> Vec<TaskRow> {
    let mut by_task: BTreeMap<&str, Vec<&Scored>> = BTreeMap::new();
    for of in scored {
        by_task.entry(&of.task).or_default().push(of);
    }
    let row = |task: &Task| {
        let of_task = by_task.get(task.id.as_str()).map_or(&[][..], Vec::as_slice);
        let facets = of_task
            .first()
            .map_or_else(Vec::new, |of| of.facets.clone().into_iter().collect());
        TaskRow {
            id: task.id.to_string(),
            text: task.task.clone(),
            facets,
            href: if of_task.is_empty() {
                String::new()
            } else {
                format!("{folder}/{}.html", task.id)
            },
            agents: task_scores(of_task),
        }
    };
    tasks.iter().map(row).collect()
}

/// By agent; of several attempts the mean of those that have a value, and the state of the best.
fn task_scores(of_task: &[&Scored]) -> BTreeMap<String, TaskScore> {
    let mut attempts: BTreeMap<&str, Vec<TaskScore>> = BTreeMap::new();
    for of in of_task {
        attempts.entry(&of.agent).or_default().push(task_score(of));
    }
    let mean = |attempts: Vec<TaskScore>| {
        let state = attempts
            .iter()
            .find(|one| one.state == "ok")
            .or(attempts.first());
        let state = state.map_or_else(String::new, |one| one.state.clone());
        let mut sums: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for (key, value) in attempts.into_iter().flat_map(|one| one.values) {
            sums.entry(key).or_default().extend(value);
        }
        let mean =
            |of: Vec<f64>| (!of.is_empty()).then(|| of.iter().sum::<f64>() / of.len() as f64);
        TaskScore {
            state,
            values: sums.into_iter().map(|(key, of)| (key, mean(of))).collect(),
        }
    };
    attempts
        .into_iter()
        .map(|(agent, attempts)| (agent.to_owned(), mean(attempts)))
        .collect()
}

fn task_score(of: &Scored) -> TaskScore {
    let mut values = BTreeMap::from([("ace".to_owned(), of.ace)]);
    for (set, counts) in [("own", of.own), ("independent", of.independent)] {
        let share =
            |rate: fn(Counts) -> Option<f64>| counts.and_then(|counts| Some(rate(counts)? * 100.0));
        values.insert(format!("ksr_{set}"), share(Counts::ksr));
        values.insert(format!("kcr_{set}"), share(Counts::kcr));
        values.insert(format!("kor_{set}"), share(Counts::kor));
    }
    TaskScore {
        state: of.state.clone(),
        values,
    }
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
    let used: BTreeSet<&String> = details
        .iter()
        .flat_map(|detail| &detail.points)
        .flat_map(|p| &p.pages)
        .collect();
    for content in used {
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
    let facet = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    Ok(TaskPage {
        id: task.id.to_string(),
        text: task.task.clone(),
        facets: vec![
            facet("phase", task.phase.label()),
            facet("type", task.task_type.label()),
            facet("difficulty", task.difficulty.label()),
            facet("language", &task.language),
        ],
        back: back.to_owned(),
        reports: reports
            .into_iter()
            .map(|(of, citations)| report_view(of, citations, &urls, &titles))
            .collect(),
        pages,
    })
}

/// The citations of a report with what became of each URL; which URL gave which page is noted in
/// `urls`.
fn cited(
    store: &Store,
    detail: &Detail,
    urls: &mut BTreeMap<String, String>,
) -> Result<Vec<CitationView>> {
    let mut views = Vec::new();
    for citation in citations::parse(&detail.report.text).citations {
        let url = citation.url.clone().unwrap_or_default();
        let visit = if url.is_empty() {
            None
        } else {
            store.visit(&url)?
        };
        if let Some(content) = visit.as_ref().and_then(|visit| visit.content.clone()) {
            urls.entry(content).or_insert_with(|| url.clone());
        }
        let status = match visit {
            None => String::new(),
            Some(visit) => visit.cause.unwrap_or_else(|| "read".to_owned()),
        };
        let words: Vec<String> = citation
            .diagnosis
            .iter()
            .filter_map(|diagnosis| {
                Some(
                    serde_json::to_value(diagnosis)
                        .ok()?
                        .as_str()?
                        .replace('_', " "),
                )
            })
            .collect();
        views.push(CitationView {
            label: citation.label.unwrap_or_default(),
            url,
            diagnosis: words.join(", "),
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
    for (criterion, marks) in &detail.criteria {
        for mark in marks {
            let (rating, justification) = match &mark.outcome {
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
                judge: mark.model.clone(),
            });
        }
    }
    for point in &detail.points {
        for unscored in point
            .marks
            .iter()
            .filter_map(|mark| mark.outcome.as_ref().err())
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
        Stored::Omits => "omits",
        Stored::Contradicts => "contradicts",
    }
}

fn point_view(
    of: &PointDetail,
    urls: &BTreeMap<String, String>,
    titles: &BTreeMap<String, String>,
) -> PointView {
    let said: Vec<(&str, &Related)> = of
        .marks
        .iter()
        .filter_map(|mark| Some((mark.model.as_str(), mark.outcome.as_ref().ok()?)))
        .collect();
    let bare = |mark: &Mark<Related>| match &mark.outcome {
        Ok(related) => Ok(related.relation),
        Err(unscored) => Err(unscored.cause),
    };
    let relation = match decided(of.marks.iter().map(bare)) {
        Ok(Stored::Supports) => Relation::Supports,
        Ok(Stored::Omits) => Relation::Omits,
        Ok(Stored::Contradicts) => Relation::Contradicts,
        Err(_) => Relation::Unscored,
    };
    let reasons: Vec<String> = said
        .iter()
        .map(|(model, related)| {
            format!("{model}: {}. {}", word(related.relation), related.reasoning)
        })
        .collect();
    let source = |content: &String| SourcePage {
        url: urls.get(content).cloned().unwrap_or_default(),
        title: titles.get(content).cloned().unwrap_or_default(),
        verified: of.point.verified,
    };
    PointView {
        text: of.point.text.clone(),
        relation,
        confidence: if let [(_, only)] = said.as_slice() {
            Some(only.confidence)
        } else {
            None
        },
        reasoning: if let [(_, only)] = said.as_slice() {
            only.reasoning.clone()
        } else {
            reasons.join("\n")
        },
        spans: of.point.spans.clone(),
        pages: of.pages.iter().map(source).collect(),
        in_own: of.own,
        in_independent: of.independent,
    }
}
