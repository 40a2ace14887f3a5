//! `taskgen leaderboard`: which agent is better, at what, and how sure that is. Folds what was
//! judged; asks nobody.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context as _, Result};

use crate::{
    cli::{
        args::{self, Global},
        commands::{calls::dollars, reports::answer},
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, counted, table},
        },
    },
    evaluate::{
        self,
        leaderboard::{
            Alone, Board, Headline, Measure, Options, Row, Table, leaderboard as fold,
            measures::{measure_name, measures},
            paper,
        },
    },
    files,
    report::leaderboard,
};

/// Runs the command.
pub fn leaderboard(global: &Global, args: &args::Leaderboard, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let store = project.read_or_hint()?;
    let tasks = answer::of_set(&store, args.set.as_deref())?;
    let reports = answer::report_heads(&store)?;
    answer::on_tasks(&reports, &tasks, printer)?;
    let scored = evaluate::scored(&store, &tasks, &reports)?;
    if args.resamples == 0 {
        return Err(
            Usage("--resamples must be at least 1: `0`\nhint: 1000 are usual".into()).into(),
        );
    }
    let by = if args.table.is_some() {
        Some("language".to_owned())
    } else {
        args.by.clone()
    };
    let options = Options {
        by,
        resamples: args.resamples,
        seed: project.loaded.config.seed,
        failed_as_zero: args.failed_as_zero,
        ..Options::default()
    };
    let board = fold(&scored, &options);
    printer.show(&board, |board| {
        if args.table.is_some() {
            papers(board)
        } else {
            text(board)
        }
    })?;
    if let Some(path) = &args.csv {
        write(path, csv(&board)?.as_bytes(), printer)?;
    }
    if let Some(path) = &args.html {
        leaderboard::write(&store, &tasks, &scored, &board, path)?;
        printer.note(&format!(
            "written: `{}`, and a page for each task beside it",
            path.display()
        ));
    }
    Ok(exit::DONE)
}

fn write(path: &Path, bytes: &[u8], printer: &Printer) -> Result<()> {
    files::write_whole(path, bytes).context("cannot write the file\nhint: choose another place")?;
    printer.note(&format!("written: `{}`", path.display()));
    Ok(())
}

fn text(board: &Board) -> String {
    let mut out = rows(&board.whole);
    for group in &board.groups {
        let facet = board.options.by.as_deref().unwrap_or_default();
        out.push_str(&format!(
            "\n{facet}: {}\n{}",
            group.value.as_deref().unwrap_or("not known"),
            rows(&group.table)
        ));
    }
    out.push_str(&differences(&board.whole));
    out.push_str(&raters(&board.whole));
    out.push_str(&failures(&board.whole));
    if board.options.failed_as_zero {
        out.push_str("attempts that gave no report count as the worst score (--failed-as-zero)\n");
    }
    out.push_str("intervals: 95 %, by resampling tasks; own: key points of the pages that a report cites itself (the paper's), independent: of the pages that other agents cite");
    out
}

fn rows(of: &Table) -> String {
    let mut rows = table(&[
        "tier",
        "agent",
        "ACE",
        "KSR independent",
        "KCR",
        "KOR",
        "KSR own",
        "KCR",
        "KOR",
        "references",
        "tokens",
        "cost",
        "tasks",
    ]);
    for row in &of.agents {
        let (independent, own) = (&row.independent.pooled, &row.own.pooled);
        rows.add_row(vec![
            row.tier
                .map_or_else(|| "–".to_owned(), |tier| tier.to_string()),
            row.agent.clone(),
            with_interval(&row.ace, 1.0, 2),
            with_interval(&independent.ksr, 100.0, 0),
            plain(&independent.kcr, 100.0, 0),
            plain(&independent.kor, 100.0, 0),
            with_interval(&own.ksr, 100.0, 0),
            plain(&own.kcr, 100.0, 0),
            plain(&own.kor, 100.0, 0),
            plain(&row.references, 1.0, 1),
            plain(&row.output_tokens, 1.0, 0),
            plain_cost(row),
            format!("{} of {}", of.tasks - row.without_report, of.tasks),
        ]);
    }
    format!("{rows}\n")
}

/// `value [low, high]`, and of how many tasks where it is not all.
fn with_interval(measure: &Measure, scale: f64, digits: usize) -> String {
    let Some(value) = measure.value else {
        return "–".to_owned();
    };
    let mut cell = format!("{:.digits$}", value * scale);
    if let (Some(low), Some(high)) = (measure.low, measure.high) {
        cell.push_str(&format!(
            " [{:.digits$}, {:.digits$}]",
            low * scale,
            high * scale
        ));
    }
    if measure.n < measure.of {
        cell.push_str(&format!(" {} of {}", measure.n, measure.of));
    }
    cell
}

fn plain(measure: &Measure, scale: f64, digits: usize) -> String {
    measure.value.map_or_else(
        || "–".to_owned(),
        |value| format!("{:.digits$}", value * scale),
    )
}

fn plain_cost(row: &Row) -> String {
    row.cost_micro
        .value
        .map_or_else(|| "–".to_owned(), |micro| dollars(micro.round() as u64))
}

/// `+value [+low, +high]`.
pub fn signed(value: f64, low: Option<f64>, high: Option<f64>, scale: f64) -> String {
    let interval = match (low, high) {
        (Some(low), Some(high)) => format!(" [{:+.2}, {:+.2}]", low * scale, high * scale),
        _ => String::new(),
    };
    format!("{:+.2}{interval}", value * scale)
}

fn differences(of: &Table) -> String {
    if of.differences.is_empty() {
        return String::new();
    }
    let mut rows = table(&[
        "measure",
        "difference",
        "",
        "p (Holm)",
        "smallest detectable",
        "tasks",
    ]);
    for pair in &of.differences {
        let scale = if pair.measure == Headline::Ace {
            1.0
        } else {
            100.0
        };
        rows.add_row(vec![
            measure_name(pair.measure).to_owned(),
            format!("{} − {}", pair.first, pair.second),
            signed(pair.value, pair.low, pair.high, scale),
            format!(
                "{:.3}{}",
                pair.adjusted,
                if pair.significant { " *" } else { "" }
            ),
            pair.detectable.map_or_else(
                || "–".to_owned(),
                |detectable| format!("{:.2}", detectable * scale),
            ),
            pair.tasks.to_string(),
        ]);
    }
    format!("\n{rows}\n")
}

/// Of a panel, each rater alone; and how far apart the ratings of one who is asked again are.
fn raters(of: &Table) -> String {
    let mut out = String::new();
    for row in &of.agents {
        let alone = |(judge, of): (&String, &Alone)| {
            format!("{judge} {:.2} (of {} tasks)", of.ace, of.tasks)
        };
        let by: Vec<String> = row.ace_by.iter().map(alone).collect();
        if !by.is_empty() {
            out.push_str(&format!(
                "{}: ACE by each rater alone: {}\n",
                row.agent,
                by.join("; ")
            ));
        }
        if let Some(deviation) = row.repeated {
            out.push_str(&format!(
                "{}: ratings of one rater who is asked again: standard deviation {deviation:.2} of 10 points\n",
                row.agent
            ));
        }
    }
    out
}

/// What has no score, and why.
fn failures(of: &Table) -> String {
    let mut out = String::new();
    let mut say = |agent: &str, what: &str, causes: &BTreeMap<String, u64>| {
        if !causes.is_empty() {
            out.push_str(&format!("{agent}: {what}: {}\n", counted(causes, "")));
        }
    };
    for row in &of.agents {
        let states: BTreeMap<String, u64> = row
            .states
            .iter()
            .filter(|(state, _)| *state != "ok")
            .map(|(s, n)| (s.clone(), *n))
            .collect();
        say(&row.agent, "no report", &states);
        say(&row.agent, "judgements without a value", &row.unscored);
        say(
            &row.agent,
            "cited pages that could not be read",
            &row.url_failures,
        );
    }
    out
}

fn papers(board: &Board) -> String {
    let mut rows = table(&paper::COLUMNS);
    for row in paper::table3(board).unwrap_or_default() {
        rows.add_row(row.to_vec());
    }
    format!(
        "{rows}\nEnglish | Chinese; shares in percent, of the key points of the pages that a report cites itself"
    )
}

/// One line an agent, and again for each value of the facet.
fn csv(board: &Board) -> Result<String> {
    let mut lines = csv::Writer::from_writer(Vec::new());
    lines.write_record([
        "facet", "rank", "name", "tier", "measure", "value", "ci_low", "ci_high", "n_scored",
        "n_total",
    ])?;
    let groups = board
        .groups
        .iter()
        .map(|group| (group.value.as_deref().unwrap_or("not known"), &group.table));
    for (facet, of) in std::iter::once(("all", &board.whole)).chain(groups) {
        for (rank, row) in of.agents.iter().enumerate() {
            for (name, measure) in measures(row) {
                let number =
                    |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
                lines.write_record([
                    facet,
                    &(rank + 1).to_string(),
                    &row.agent,
                    &row.tier.map_or_else(String::new, |tier| tier.to_string()),
                    name,
                    &number(measure.value),
                    &number(measure.low),
                    &number(measure.high),
                    &measure.n.to_string(),
                    &measure.of.to_string(),
                ])?;
            }
        }
    }
    Ok(String::from_utf8(lines.into_inner()?)?)
}
