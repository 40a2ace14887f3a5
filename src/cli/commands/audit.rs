//! `taskgen audit`: whether models know the tasks by heart, and how far the scores agree with
//! people's.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use anyhow::Result;
use serde::Serialize;

use super::{bias, drift, effects, judges, plan, results, stages};
use crate::{
    audit::{
        agreement::{self, Agreement, Item},
        leakage::{self, Alikeness, Leakage},
        people::{self, RaterScore, ReportName},
    },
    cli::{
        args::{Audit, Global},
        commands::{reports::answer, sets},
        project::{Project, resolve},
        ui::{
            exit::{self, Usage},
            output::{Printer, Problem, counted, listed, table},
            progress, summary,
        },
    },
    data::{MeasureDef, PersonScore, ReportHead, ReportId, State},
    evaluate::{self, measures, scorecard::ReportScores},
    store::Store,
};

/// Runs one of the commands.
pub fn audit(global: &Global, command: &Audit, printer: &Printer) -> Result<u8> {
    match command {
        Audit::Leakage { set, max_unscored } => {
            leakage(global, set.as_deref(), *max_unscored, printer)
        }
        Audit::Judges { set } => judges::run(global, set.as_deref(), printer),
        Audit::Effects {
            measure,
            by,
            set,
            html,
        } => effects::run(
            global,
            measure,
            by.as_deref(),
            set.as_deref(),
            html.as_deref(),
            printer,
        ),
        Audit::Bias { measure, set } => bias::run(global, measure, set.as_deref(), printer),
        Audit::Drift => drift::run(global, printer),
        Audit::Plan(args) => plan::run(args, printer),
        Audit::Results { files } => results::run(files, printer),
        Audit::Agreement { files, set } => agreement(global, files, set.as_deref(), printer),
    }
}

fn leakage(global: &Global, set: Option<&str>, max_unscored: f64, printer: &Printer) -> Result<u8> {
    let started = Instant::now();
    resolve::stop_on_signals(*printer)?;
    let project = Project::find(global)?;
    let store = Arc::new(project.write(global)?);
    let (seed, options) = (project.loaded.config.seed, project.loaded.config.leakage);
    printer.note(&format!("seed {seed} (change it with --seed)"));
    let tasks = sets::tasks(&store, set)?;
    let notify = progress::notify_in(project.progress(), global.quiet || global.json);
    let ctx = resolve::context(global, &project, &store, &notify, printer, &["complete"])?;
    let work = resolve::block_on(leakage::run(&ctx, &tasks, options, seed));
    if global.dry_run {
        work?;
        return stages::predicted(&ctx, printer);
    }
    let (mut report, found) = stages::finished(work, &[], &store, &ctx, printer)?;
    report.seconds = started.elapsed().as_secs_f64();
    // The result is the one JSON value; what asking took is in `taskgen calls`.
    let aside = Printer {
        json: false,
        quiet: printer.quiet || printer.json,
    };
    let code = summary::evaluated(
        &project,
        &store,
        (vec![report], Vec::new()),
        &ctx,
        started,
        max_unscored,
        &aside,
    )?;
    printer.show(&found, |found| found.iter().map(of_model).collect())?;
    Ok(code)
}

fn of_model(of: &Leakage) -> String {
    let mut rows = table(&[
        "texts",
        "by heart",
        "composite",
        "string",
        "TF-IDF",
        "overlap",
        "without an answer",
    ]);
    let kinds = [
        ("tasks", &of.tasks),
        ("other tasks' ends (chance)", &of.shuffled),
        ("famous texts", &of.famous),
    ];
    for (kind, of) in kinds {
        let percent = |share: Option<f64>| {
            share.map_or_else(|| "–".to_owned(), |share| format!("{:.1}", share * 100.0))
        };
        let interval = match (of.ci_low, of.ci_high) {
            (Some(low), Some(high)) => format!(" [{:.1}, {:.1}]", low * 100.0, high * 100.0),
            _ => String::new(),
        };
        rows.add_row(vec![
            kind.to_owned(),
            format!("{} of {}", of.leaked, of.n_scored),
            format!("{}{interval}", percent(of.composite)),
            percent(of.string),
            percent(of.tfidf),
            percent(of.overlap),
            counted(&of.n_failed, "0"),
        ]);
    }
    let known = of
        .texts
        .iter()
        .filter(|text| text.leaked && text.text.starts_with("t_"))
        .take(10);
    let known: Vec<String> = known
        .map(|text| format!("{} {:.0} %", text.text, text.composite * 100.0))
        .collect();
    let list = if known.is_empty() {
        String::new()
    } else {
        format!("memorized: {}\n", known.join(", "))
    };
    format!("{}\n{rows}\n{}\n{list}", of.model, meaning(&of.famous))
}

/// The meaning of a result without leaks: none, if the model does not even continue famous texts.
fn meaning(famous: &Alikeness) -> String {
    match (famous.leaked, famous.n_scored) {
        (_, 0) => "no famous text was continued: a leak could not be detected".to_owned(),
        (0, n) => {
            format!(
                "⚠ it continues none of {n} famous texts correctly: that it knows no task means nothing"
            )
        }
        (seen, n) => {
            format!(
                "it continues {seen} of {n} famous texts correctly: a task that it knows as well would be detected"
            )
        }
    }
}

/// The agreement of people and judges.
#[derive(Serialize)]
struct Agreed {
    /// Scores of the files that are new or other ones.
    taken: usize,
    /// Those that were known.
    known: usize,
    /// Entries that could not be taken.
    problems: Vec<Problem>,
    /// What is no score in the files.
    left: Left,
    raters: usize,
    scores: usize,
    reports: usize,
    /// Scores of reports that are not on these tasks.
    elsewhere: usize,
    agreement: Vec<Agreement>,
}

/// What is in files of scores and is no score.
#[derive(Default, Serialize)]
struct Left {
    /// Answers that were saved and not submitted.
    drafts: u64,
    /// Answers that people discarded, or skipped.
    discarded: u64,
    /// Answers of which the file does not say whether they were submitted.
    unstated: u64,
    /// Remarks in words.
    remarks: u64,
}

fn agreement(
    global: &Global,
    files: &[PathBuf],
    set: Option<&str>,
    printer: &Printer,
) -> Result<u8> {
    let project = Project::find(global)?;
    let seed = project.loaded.config.seed;
    // Who only looks needs no lock.
    let store = if files.is_empty() {
        project.read_or_hint()?
    } else {
        project.write(global)?
    };
    let tasks = sets::tasks(&store, set)?;
    let reports = answer::report_heads(&store)?;
    let (mut problems, mut left) = (Vec::new(), Left::default());
    let mut given = BTreeMap::new();
    let named: BTreeSet<String> = evaluate::checklists(&store)?
        .into_values()
        .flatten()
        .map(|(name, _)| name)
        .collect();
    for file in files {
        let read = people::read(file).map_err(|e| Usage(format!("{e:#}")))?;
        left.drafts += read.drafts;
        left.discarded += read.discarded;
        left.unstated += read.unstated;
        left.remarks += read.remarks;
        resolve_scores(file, read, (&reports, &named), &mut given, &mut problems);
    }
    let given: Vec<PersonScore> = given.into_values().collect();
    let (read, taken) = (
        given.len(),
        if given.is_empty() {
            0
        } else {
            store.save_scores(&given)?
        },
    );
    let all = store.scores()?;
    if all.is_empty() && problems.is_empty() && left.unstated == 0 {
        let hint =
            "hint: `taskgen report scoring` makes a page for people; pass the files that it saves";
        return Err(Usage(format!("there are no scores of people yet\n{hint}")).into());
    }
    let scored = evaluate::scored(&store, &tasks, &reports)?;
    let by_report: BTreeMap<&str, &ReportScores> = scored
        .iter()
        .map(|one| (one.report.as_str(), one))
        .collect();
    let (here, elsewhere): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|score| by_report.contains_key(score.report.as_str()));
    let distinct =
        |of: fn(&PersonScore) -> &str| here.iter().map(of).collect::<BTreeSet<_>>().len();
    let agreed = Agreed {
        taken,
        known: read - taken,
        raters: distinct(|score| &score.rater),
        scores: here.len(),
        reports: distinct(|score| score.report.as_str()),
        elsewhere: elsewhere.len(),
        agreement: compared(&store, &here, &by_report, seed)?,
        problems,
        left,
    };
    printer.show(&agreed, text)?;
    let code = if agreed.problems.is_empty() {
        exit::DONE
    } else {
        exit::SOME_FAILED
    };
    if !files.is_empty() {
        store.end_run(&jiff::Timestamp::now().to_string(), code)?;
    }
    Ok(code)
}

/// Rater, report and criterion of a score.
type Key = (String, Option<String>, String);

/// Adds the scores of a file, with their reports resolved. `named` are the criteria that there are.
fn resolve_scores(
    file: &Path,
    read: people::Read,
    (reports, named): (&[ReportHead], &BTreeSet<String>),
    given: &mut BTreeMap<Key, PersonScore>,
    problems: &mut Vec<Problem>,
) {
    let mut problem = |place: &str, problem: String| {
        problems.push(Problem {
            place: format!("{}, {place}", file.display()),
            problem,
        });
    };
    for (place, why) in read.problems {
        problem(&place, why);
    }
    for rated in read.scores {
        let report = match find_report(&rated, reports) {
            Ok(report) => report,
            Err(why) => {
                problem(&rated.place, why);
                continue;
            }
        };
        if let Some(unknown) = rated
            .criterion
            .as_ref()
            .filter(|name| !named.contains(*name))
        {
            problem(
                &rated.place,
                format!("no checklist has the criterion `{unknown}`"),
            );
            continue;
        }
        let key = (
            report.to_string(),
            rated.criterion.clone(),
            rated.rater.clone(),
        );
        let score = PersonScore {
            report,
            criterion: rated.criterion,
            rater: rated.rater,
            value: rated.value,
        };
        if let Some(earlier) = given
            .insert(key, score)
            .filter(|earlier| (earlier.value - rated.value).abs() > 0.0)
        {
            problem(
                &rated.place,
                format!(
                    "the same was scored {} before: the later score counts",
                    earlier.value
                ),
            );
        }
    }
}

fn find_report(score: &RaterScore, reports: &[ReportHead]) -> Result<ReportId, String> {
    let mut found = reports
        .iter()
        .filter(|report| report.state == State::Ok)
        .filter(|report| is_named_by(report, &score.report));
    match (found.next(), found.next()) {
        (Some(report), None) => Ok(report.id.clone()),
        (None, _) => Err("no such report".to_owned()),
        (Some(_), Some(_)) => Err("several reports fit".to_owned()),
    }
}

fn is_named_by(report: &ReportHead, name: &ReportName) -> bool {
    match name {
        ReportName::Report(id) => report.id.as_str().starts_with(id.as_str()),
        ReportName::Attempt {
            task,
            agent,
            attempt,
        } => {
            report.task.as_str().starts_with(task.as_str())
                && report.agent == *agent
                && report.attempt == *attempt
        }
    }
}

/// The scores of one item (a report, and a criterion or the whole), a place for each rater.
type Things<'a> = BTreeMap<(&'a str, Option<&'a str>), Vec<Option<f64>>>;

/// People with each other, and the measures with people.
fn compared(
    store: &Store,
    given: &[PersonScore],
    scored: &BTreeMap<&str, &ReportScores>,
    seed: u64,
) -> Result<Vec<Agreement>> {
    let things = by_thing(given);
    let rated = evaluate::ratings_by_criterion(store, given.iter().map(|score| &score.report))?;
    let by_criterion = items(&things, scored, false, |report, criterion| {
        let key = (report.to_owned(), criterion?.to_owned());
        rated.get(&key).copied()
    });
    let whole = items(&things, scored, true, |_, _| None);
    let mut found = vec![
        agreement::between("people with each other, whole reports", &whole, seed),
        agreement::between("people with each other, by criterion", &by_criterion, seed),
    ];
    let is_known = |measure: &&MeasureDef| {
        let mut reports = scored.values();
        reports.any(|report| report.score(measure.key).is_some())
    };
    for measure in measures()
        .filter(|measure| measure.role.compares())
        .filter(is_known)
    {
        let items = items(&things, scored, true, |report, _| {
            scored.get(report)?.value(measure.key)
        });
        let what = format!("{} with people", measure.label);
        // People score from 0 to 10: only on the same scale does a distance mean something.
        let same_scale = measure.most == Some(people::BEST);
        found.push(agreement::aligned(&what, &items, same_scale, seed));
    }
    let what = "ratings by criterion with people";
    found.push(agreement::aligned(what, &by_criterion, true, seed));
    found.retain(|agreement| agreement.n + agreement.without > 0);
    Ok(found)
}

fn by_thing(scores: &[PersonScore]) -> Things<'_> {
    let raters: BTreeSet<&str> = scores.iter().map(|score| score.rater.as_str()).collect();
    let raters: Vec<&str> = raters.into_iter().collect();
    let mut things = Things::new();
    for score in scores {
        let thing = (score.report.as_str(), score.criterion.as_deref());
        let given = things
            .entry(thing)
            .or_insert_with(|| vec![None; raters.len()]);
        if let Ok(at) = raters.binary_search(&score.rater.as_str()) {
            given[at] = Some(score.value);
        }
    }
    things
}

/// The items that people scored, whole reports or criteria, each with the judge's score.
fn items(
    things: &Things<'_>,
    scored: &BTreeMap<&str, &ReportScores>,
    whole: bool,
    judge: impl Fn(&str, Option<&str>) -> Option<f64>,
) -> Vec<Item> {
    things
        .iter()
        .filter(|((_, criterion), _)| criterion.is_none() == whole)
        .map(|(&(report, criterion), people)| Item {
            task: scored
                .get(report)
                .map_or_else(String::new, |scores| scores.task.clone()),
            people: people.clone(),
            judge: judge(report, criterion),
        })
        .collect()
}

/// A line for what is no score; nothing where there is none.
fn left_text(left: &Left) -> String {
    let Left {
        drafts,
        discarded,
        unstated,
        remarks,
    } = left;
    if drafts + discarded + unstated + remarks == 0 {
        return String::new();
    }
    let mut out = format!(
        "no scores: {drafts} drafts, {discarded} discarded or skipped, {unstated} of unknown state, {remarks} remarks\n"
    );
    if *unstated > 0 {
        out.push_str("hint: Argilla's `records(with_responses=True).to_list(flatten=True)`, written as JSON, says which were submitted\n");
    }
    out
}

fn text(agreed: &Agreed) -> String {
    let mut out = listed(&agreed.problems);
    if agreed.taken + agreed.known + agreed.problems.len() > 0 {
        let (taken, known, lost) = (agreed.taken, agreed.known, agreed.problems.len());
        out.push_str(&format!(
            "{taken} scores imported, {known} known already, {lost} not used\n"
        ));
    }
    out.push_str(&left_text(&agreed.left));
    out.push_str(&format!(
        "{} scores of {} reports by {} people{}\n",
        agreed.scores,
        agreed.reports,
        agreed.raters,
        if agreed.elsewhere > 0 {
            format!("; {} more of reports on other tasks", agreed.elsewhere)
        } else {
            String::new()
        }
    ));
    for of in &agreed.agreement {
        let mut rows = table(&[of.what.as_str(), "", "95 %"]);
        let number = |value: Option<f64>| {
            value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"))
        };
        for one in &of.coefficients {
            let interval = match (one.ci_low, one.ci_high) {
                (Some(low), Some(high)) => format!("[{low:.3}, {high:.3}]"),
                _ => "–".to_owned(),
            };
            rows.add_row(vec![one.name.to_owned(), number(one.value), interval]);
        }
        let without = if of.without > 0 {
            format!(", {} cannot be compared", of.without)
        } else {
            String::new()
        };
        out.push_str(&format!("\n{rows}\non {}{without}\n", of.n));
    }
    out.push_str(
        "\nintervals: by resampling tasks; – where it is not defined, or the tasks are too few",
    );
    out
}
