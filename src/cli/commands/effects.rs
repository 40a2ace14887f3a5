//! `taskgen audit effects`: what the scores of a measure depend on.

use std::{collections::BTreeMap, path::Path};

use anyhow::Result;
use serde::Serialize;

use super::{evaluate::leaderboard::check_facet, reports::answer, sets};
use crate::{
    audit::effects::{self, AgentEffects, Effects, TaskScores},
    cli::{
        args::Global,
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, on_one_line, table},
        },
    },
    data::{GoldArticle, MeasureDef, Task, TaskId},
    evaluate::{self, measure, scorecard::ReportScores},
    report::analysis_page::{self, AnalysisPage, forest},
    stats::bootstrap::Estimate,
    store::Store,
    text::words,
};

/// The facet of tasks that is taken where nobody names one.
const CATEGORY: &str = "category";
/// The category of all tasks where tasks have none.
const ALL: &str = "all tasks";
/// Below this a p-value speaks of more than chance.
const ALPHA: f64 = 0.05;
/// Columns of a benchmark's table in numbers, and what they are called.
const NUMBERS: [(&str, &str); 3] = [
    ("bytes", "bytes of the page"),
    ("views_total", "page views"),
    ("external_links", "links of the page"),
];

/// What is shown.
#[derive(Serialize)]
struct Shown {
    measure: &'static str,
    label: &'static str,
    /// The facet that categories are of; none where all tasks are in one.
    by: Option<String>,
    #[serde(flatten)]
    effects: Effects,
}

/// Runs the command.
pub fn run(
    global: &Global,
    key: &str,
    by: Option<&str>,
    set: Option<&str>,
    html: Option<&Path>,
    printer: &Printer,
) -> Result<u8> {
    let project = Project::find(global)?;
    let store = project.read_or_hint()?;
    let tasks = sets::tasks(&store, set)?;
    let reports = answer::report_heads(&store)?;
    answer::check_on_tasks(&reports, &tasks, printer)?;
    let scored = evaluate::scored(&store, &tasks, &reports)?;
    let measure = known(key, &scored)?;
    let by = facet(by, &scored)?;
    let of_tasks = of_tasks(&store, &tasks, &scored, key, by.as_deref())?;
    let seed = project.loaded.config.seed;
    let shown = Shown {
        measure: measure.key,
        label: measure.label,
        by,
        effects: effects::effects(&of_tasks, seed),
    };
    if let Some(path) = html {
        analysis_page::write(&page(&shown, measure), path)?;
        printer.note(&format!("written: `{}`", path.display()));
    }
    printer.show(&shown, text)?;
    Ok(exit::DONE)
}

/// The measure of this key, if a report has a value by it.
pub fn known(key: &str, scored: &[ReportScores]) -> Result<&'static MeasureDef> {
    let with_value = |of: &MeasureDef| scored.iter().any(|report| report.value(of.key).is_some());
    let found = measure(key);
    match found {
        Some(found) if with_value(found) => Ok(found),
        _ => {
            let keys: Vec<&str> = evaluate::measures()
                .filter(|of| of.role.compares() && with_value(of))
                .map(|of| of.key)
                .collect();
            let hint = if keys.is_empty() {
                "`taskgen evaluate` gives scores".to_owned()
            } else {
                keys.join(", ")
            };
            Err(Usage(format!("no report has a value by `{key}`\nhint: {hint}")).into())
        }
    }
}

/// The facet that is asked for, or `category` where tasks have it.
fn facet(by: Option<&str>, scored: &[ReportScores]) -> Result<Option<String>> {
    if let Some(by) = by {
        check_facet(by, scored)?;
        return Ok(Some(by.to_owned()));
    }
    let has = scored
        .iter()
        .any(|report| report.facets.contains_key(CATEGORY));
    Ok(has.then(|| CATEGORY.to_owned()))
}

/// The mean scores of agents on each task, and what is known of the task.
fn of_tasks(
    store: &Store,
    tasks: &[Task],
    scored: &[ReportScores],
    key: &str,
    by: Option<&str>,
) -> Result<Vec<TaskScores>> {
    let gold = store.gold()?;
    let mut values: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    let mut facets: BTreeMap<&str, &ReportScores> = BTreeMap::new();
    for report in scored {
        facets.entry(&report.task).or_insert(report);
        if let Some(value) = report.value(key) {
            let all = values.entry((&report.task, &report.agent)).or_default();
            all.push(value);
        }
    }
    let of_task = |task: &Task| {
        let id = task.id.as_str();
        let category = match by {
            None => Some(ALL.to_owned()),
            Some(by) => facets.get(id).and_then(|of| of.facets.get(by).cloned()),
        };
        let own = values
            .range((id, "")..)
            .take_while(|((of, _), _)| *of == id);
        let means = own.map(|((_, agent), all)| {
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            ((*agent).to_owned(), mean)
        });
        TaskScores {
            task: id.to_owned(),
            category,
            scores: means.collect(),
            attributes: attributes(task, &gold),
        }
    };
    Ok(tasks.iter().map(of_task).collect())
}

/// What is known of a task in numbers.
fn attributes(task: &Task, gold: &BTreeMap<TaskId, GoldArticle>) -> BTreeMap<String, f64> {
    let mut numbers = BTreeMap::from([(
        "words of the task".to_owned(),
        words::length(&task.text) as f64,
    )]);
    let Some(article) = gold.get(&task.id) else {
        return numbers;
    };
    let number = |column: &str| article.attributes.get(column)?.trim().parse::<f64>().ok();
    for (column, name) in NUMBERS {
        if let Some(value) = number(column) {
            numbers.insert(name.to_owned(), value);
        }
    }
    if let (Some(views), Some(days)) = (number("views_total"), number("days_effective"))
        && days > 0.0
    {
        numbers.insert("page views a day".to_owned(), views / days);
    }
    let words = words::length(&article.text) as f64;
    numbers.insert("words of the gold article".to_owned(), words);
    if !article.statements.is_empty() {
        let statements = article.statements.len() as f64;
        numbers.insert("statements of the gold article".to_owned(), statements);
    }
    numbers
}

fn text(of: &Shown) -> String {
    let effects = &of.effects;
    let mut out = format!("{} on {} tasks\n", of.label, effects.tasks);
    if effects.without_category > 0 {
        out.push_str(&format!(
            "{} of them have no {} and are left out of what it explains\n",
            effects.without_category,
            of.by.as_deref().unwrap_or(CATEGORY)
        ));
    }
    out.push_str(&variance(of));
    let mut rows = table(&[
        "agent",
        "tasks",
        "above the mean",
        "F",
        "p",
        "corrected p",
        "highest in",
    ]);
    for agent in &effects.agents {
        rows.add_row(agent_row(agent));
    }
    out.push_str(&format!("\n{rows}\n"));
    out.push_str(
        "F: do an agent's deviations from the other agents differ between categories? p by \
         shuffling, corrected for the number of agents\n",
    );
    if of.by.is_some() {
        let mut rows = table(&[of.by.as_deref().unwrap_or(CATEGORY), "tasks", "mean"]);
        for category in &effects.categories {
            rows.add_row(vec![
                on_one_line(&category.category),
                category.tasks.to_string(),
                format!("{:.3}", category.mean),
            ]);
        }
        out.push_str(&format!("\n{rows}\n"));
    }
    let mut rows = table(&[
        "of the task",
        "tasks",
        "Spearman's ρ",
        "Kendall's τ-b",
        "p",
        "corrected p",
    ]);
    for row in &effects.attributes {
        rows.add_row(vec![
            on_one_line(&row.attribute),
            row.tasks.to_string(),
            with_interval(row.spearman, 2),
            with_interval(row.kendall, 2),
            p_value(row.p),
            p_value(row.adjusted),
        ]);
    }
    out.push_str(&format!("\n{rows}\n"));
    out.push_str("above 0: the more of it, the higher the scores (beside each agent's own mean); intervals by resampling tasks");
    out
}

fn variance(of: &Shown) -> String {
    let Some(found) = &of.effects.variance else {
        let why = of.effects.no_variance.as_deref().unwrap_or("no scores");
        return format!("where the variance comes from cannot be told: {why}\n");
    };
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let mut parts = vec![format!("agents {}", percent(found.agent.share))];
    if let (Some(category), Some(by)) = (&found.category, &of.by) {
        parts.push(format!("{by} {}", percent(category.share)));
    }
    if let Some(task) = &found.task {
        parts.push(format!("tasks {}", percent(task.share)));
    }
    parts.push(format!("the rest {}", percent(found.rest.share)));
    format!(
        "where the variance of {} scores comes from: {}\n",
        found.scores,
        parts.join(", ")
    )
}

fn agent_row(of: &AgentEffects) -> Vec<String> {
    let highest = of.by_category.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let stands_out = of.adjusted_p.is_some_and(|p| p < ALPHA);
    let highest = highest.filter(|_| stands_out);
    vec![
        on_one_line(&of.agent),
        of.tasks.to_string(),
        with_interval(of.effect, 3),
        f_of(of),
        p_value(of.anova.map(|of| of.shuffled_p)),
        p_value(of.adjusted_p),
        highest.map_or_else(
            || "–".to_owned(),
            |(category, by)| format!("{} ({by:+.3})", on_one_line(category)),
        ),
    ]
}

/// The same as a page with plots.
fn page(of: &Shown, measure: &MeasureDef) -> AnalysisPage {
    let effects = &of.effects;
    let mut facts = vec![
        (
            "Measure".to_owned(),
            format!("{}: {}", measure.label, measure.meaning),
        ),
        ("Tasks".to_owned(), effects.tasks.to_string()),
        ("Variance".to_owned(), variance(of).trim_end().to_owned()),
    ];
    for agent in effects.agents.iter().filter(|agent| agent.anova.is_some()) {
        facts.push((
            format!(
                "{} by {}",
                agent.agent,
                of.by.as_deref().unwrap_or(CATEGORY)
            ),
            format!(
                "F {}, p {}, corrected {}",
                f_of(agent),
                p_value(agent.anova.map(|of| of.shuffled_p)),
                p_value(agent.adjusted_p)
            ),
        ));
    }
    let agents: Vec<(String, Option<Estimate>)> = effects
        .agents
        .iter()
        .map(|of| (of.agent.clone(), of.effect))
        .collect();
    let attributes: Vec<(String, Option<Estimate>)> = effects
        .attributes
        .iter()
        .map(|of| (of.attribute.clone(), of.spearman))
        .collect();
    let categories: Vec<(String, Option<Estimate>)> = effects
        .categories
        .iter()
        .map(|of| {
            let mean = Estimate {
                value: of.mean,
                interval: None,
            };
            (of.category.clone(), Some(mean))
        })
        .collect();
    let figures = [
        forest(
            "agents",
            "Agents beside each other",
            "How far each agent is above the mean of all on the same tasks, with 95 % intervals by \
             resampling tasks.",
            measure.label,
            &agents,
        ),
        forest(
            "categories",
            "Tasks by category",
            "The mean over agents of their means over the tasks of each category.",
            measure.label,
            &categories,
        ),
        forest(
            "attributes",
            "What goes with high and low scores",
            "Spearman's rank correlation of the scores of a task, beside each agent's own mean, with what \
             is known of it; below 0, more of it goes with lower scores.",
            "Spearman's ρ",
            &attributes,
        ),
    ];
    AnalysisPage {
        title: format!("What {} depends on", measure.label),
        facts,
        figures: figures.into_iter().flatten().collect(),
        ..AnalysisPage::default()
    }
}

fn f_of(of: &AgentEffects) -> String {
    of.anova.map_or_else(
        || "–".to_owned(),
        |of| format!("{:.2} ({}, {})", of.f, of.between, of.within),
    )
}

/// An estimate with its interval.
pub fn with_interval(of: Option<Estimate>, decimals: usize) -> String {
    match of {
        None => "–".to_owned(),
        Some(Estimate {
            value,
            interval: Some((low, high)),
        }) => format!("{value:+.decimals$} [{low:+.decimals$}, {high:+.decimals$}]"),
        Some(Estimate { value, .. }) => format!("{value:+.decimals$}"),
    }
}

/// A p-value as people write it.
pub fn p_value(p: Option<f64>) -> String {
    match p {
        None => "–".to_owned(),
        Some(p) if p < 0.001 => "< .001".to_owned(),
        Some(p) => format!("{p:.3}"),
    }
}
