//! `taskgen leaderboard`: agents by measure, with intervals and tiers. Folds the stored judgements;
//! asks no model.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::{Context as _, Result};

use super::{
    board_gaps::{APART, gaps},
    board_weights,
    labels::{label_and_scale, signed},
};
use crate::{
    cli::{
        args::{self, Global},
        commands::{calls::dollars, reports::answer, sets},
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, counted, table},
        },
    },
    data::{InTable, MeasureDef, ReportHead, Unit},
    evaluate::{
        self, Drawn, Ratings,
        leaderboard::{
            Leaderboard, Measure, Options, Parted, Row, Table, leaderboard as fold,
            live_research_bench, paper, weights,
        },
        measures,
        scorecard::ReportScores,
    },
    files,
    report::{
        board_csv,
        leaderboard::{self, with_facets},
    },
    stats::bootstrap::Estimate,
    store::Store,
};

/// Runs the command.
pub fn leaderboard(global: &Global, args: &args::Leaderboard, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let store = project.read_or_hint()?;
    let (set, tasks) = sets::chosen(&store, args.set.as_deref())?;
    let reports = answer::report_heads(&store)?;
    answer::check_on_tasks(&reports, &tasks, printer)?;
    for failed in evaluate::failed_judges(&store)? {
        printer.error(&failed.note(true));
    }
    let scored = evaluate::scored(&store, &tasks, &reports)?;
    let factors = board_weights::factors(&args.weights, &project.loaded.config.evaluate.weights);
    if args.weights.is_empty() {
        board_weights::note_unknown(&factors, &scored, printer);
    } else {
        board_weights::check(&factors, &scored)?;
    }
    let scored = weights::reweighted(scored, &factors);
    if !factors.is_empty()
        && let Some(measure) = weights::without_weight(&scored)
    {
        return Err(Usage(format!(
            "all criteria of `{measure}` weigh 0\nhint: leave one with a factor above 0"
        ))
        .into());
    }
    if args.resamples == 0 {
        return Err(
            Usage("--resamples must be at least 1: `0`\nhint: 1000 are usual".into()).into(),
        );
    }
    // The paper's table is English beside Chinese.
    let by = match args.table.as_deref() {
        Some("paper") => vec!["language".to_owned()],
        _ => once_each(&args.by),
    };
    if let (Some(table @ ("live-research-bench" | "depth")), false) =
        (args.table.as_deref(), args.by.is_empty())
    {
        return Err(Usage(format!(
            "--by does not go with --table {table}\nhint: without --table it shows each measure by the facet"
        ))
        .into());
    }
    for facet in &by {
        check_facet(facet, &scored)?;
    }
    let families = project.loaded.config.families.clone();
    note_strangers(&families, &scored, printer);
    let options = Options {
        by,
        families,
        resamples: args.resamples,
        seed: project.loaded.config.seed,
        failed_as_zero: args.failed_as_zero,
        weights: factors,
        top: args.top,
        set: set.map_or_else(BTreeMap::new, |_| with_facets(&tasks)),
        ..Options::default()
    };
    let mut board = fold(&scored, &options);
    if args.sensitivity {
        let draws = board_weights::WEIGHTINGS;
        let found = weights::sensitivity(&scored, &board.whole, draws, options.seed);
        board.sensitivity = Some(found.ok_or_else(board_weights::nothing_to_weigh)?);
    }
    let strengths = match args.table.as_deref() {
        Some("depth") => Some(depth(&store, &reports, &options)?),
        _ => None,
    };
    match args.table.as_deref() {
        Some("depth") => printer.show(&strengths, |of| {
            of.as_ref().map_or_else(String::new, depth_text)
        })?,
        Some("live-research-bench") => printer.show(&board, live_research_bench_text)?,
        Some(_) => printer.show(&board, papers)?,
        None => printer.show(&board, text)?,
    }
    if let Some(path) = &args.csv {
        let lines = match &strengths {
            Some(ratings) => board_csv::of_ratings(ratings)?,
            None => board_csv::of_board(&board)?,
        };
        write(path, lines.as_bytes(), printer)?;
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

/// The facets without blanks around them, each once.
fn once_each(facets: &[String]) -> Vec<String> {
    let mut known = BTreeSet::new();
    let trimmed = facets.iter().map(|facet| facet.trim().to_owned());
    trimmed
        .filter(|facet| known.insert(facet.clone()))
        .collect()
}

/// Refuses a facet that no task has.
pub fn check_facet(facet: &str, scored: &[ReportScores]) -> Result<()> {
    let known: BTreeSet<&str> = scored
        .iter()
        .flat_map(|report| report.facets.keys())
        .map(String::as_str)
        .collect();
    if known.contains(facet) {
        return Ok(());
    }
    let known: Vec<&str> = known.into_iter().collect();
    let hint = known.join(", ");
    Err(Usage(format!("no task has the facet `{facet}`\nhint: {hint}")).into())
}

/// Agents of `[families]` that have no report here: a name that is spelled otherwise would make a
/// family smaller without a word.
fn note_strangers(
    families: &BTreeMap<String, Vec<String>>,
    scored: &[ReportScores],
    printer: &Printer,
) {
    let known: BTreeSet<&str> = scored.iter().map(|report| report.agent.as_str()).collect();
    for (family, agents) in families {
        let strangers = agents
            .iter()
            .filter(|agent| !known.contains(agent.as_str()));
        let strangers: Vec<&str> = strangers.map(String::as_str).collect();
        if !strangers.is_empty() {
            printer.note(&format!(
                "agents of the family `{family}` without a report: {}",
                strangers.join(", ")
            ));
        }
    }
}

fn write(path: &Path, bytes: &[u8], printer: &Printer) -> Result<()> {
    files::write_whole(path, bytes).context("cannot write the file\nhint: choose another place")?;
    printer.note(&format!("written: `{}`", path.display()));
    Ok(())
}

fn text(board: &Leaderboard) -> String {
    let mut out = rows("agent", &board.whole);
    if let Some(families) = &board.families {
        out.push_str(&format!(
            "\nfamilies of agents\n{}",
            rows("family", families)
        ));
    }
    for group in &board.groups {
        out.push_str(&format!(
            "\n{}: {}\n{}",
            group.facet,
            group.value.as_deref().unwrap_or("not known"),
            rows("agent", &group.table)
        ));
    }
    out.push_str(&differences(&board.whole));
    out.push_str(&gaps(&board.whole));
    out.push_str(&board_weights::text(board));
    out.push_str(&judges(&board.whole));
    out.push_str(&failures(&board.whole));
    if board.options.failed_as_zero {
        out.push_str("attempts that gave no report count as the worst score (--failed-as-zero)\n");
    }
    out.push_str("intervals: 95 %, by resampling tasks");
    for measure in shown_measures(&board.whole) {
        // A name such as `KSR own` says little to readers who do not know the paper.
        if measure.role.compares() {
            out.push_str(&format!("; {}: {}", measure.label, measure.meaning));
        }
    }
    out
}

/// `first` names what the rows are.
fn rows(first: &str, of: &Table) -> String {
    let shown = shown_measures(of);
    let mut header = vec!["tier", first];
    header.extend(shown.iter().map(|measure| measure.column));
    header.push("tasks");
    let mut rows = table(&header);
    let apart = of.agents.iter().position(|row| !row.is_complete);
    for (at, row) in of.agents.iter().enumerate() {
        if apart == Some(at) {
            rows.add_row(["", APART]);
        }
        let mut cells = vec![
            row.tier
                .map_or_else(|| "–".to_owned(), |tier| tier.to_string()),
            row.agent.clone(),
        ];
        cells.extend(shown.iter().map(|measure| cell(measure, row)));
        cells.push(format!("{} of {}", of.tasks - row.without_report, of.tasks));
        rows.add_row(cells);
    }
    format!("{rows}\n")
}

/// The measures with a column in the terminal: those with a value of any agent, so that an
/// evaluator that was not run takes no room.
fn shown_measures(of: &Table) -> Vec<&'static MeasureDef> {
    measures()
        .filter(|measure| measure.in_table != InTable::Hidden)
        .filter(|measure| of.agents.iter().any(|row| row.value(measure.key).is_some()))
        .collect()
}

fn cell(measure: &MeasureDef, row: &Row) -> String {
    let Some(found) = row.measure(measure.key) else {
        return "–".to_owned();
    };
    match (measure.unit, measure.in_table) {
        (Unit::MicroDollars, _) => found
            .value
            .map_or_else(|| "–".to_owned(), |micro| dollars(micro.round() as u64)),
        (_, InTable::WithInterval) => with_interval(measure, found),
        _ => measure.print(found.value),
    }
}

/// `value [low, high]`, and of how many tasks where it is not all.
fn with_interval(measure: &MeasureDef, found: &Measure) -> String {
    let mut cell = measure.print(found.value);
    if found.value.is_none() {
        return cell;
    }
    if found.low.is_some() && found.high.is_some() {
        let (low, high) = (measure.print(found.low), measure.print(found.high));
        cell.push_str(&format!(" [{low}, {high}]"));
    }
    if found.n < found.of {
        cell.push_str(&format!(" {} of {}", found.n, found.of));
    }
    cell
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
        let (label, scale) = label_and_scale(pair.measure);
        rows.add_row(vec![
            label.to_owned(),
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

/// Scores by each judge of a panel alone, and the spread of repeated judgements.
fn judges(of: &Table) -> String {
    let mut out = String::new();
    for row in &of.agents {
        for (key, judges) in &row.by_judge {
            let (label, scale) = label_and_scale(key);
            let alone: Vec<String> = judges
                .iter()
                .map(|(judge, alone)| {
                    format!(
                        "{judge} {:.2} (of {} tasks)",
                        alone.value * scale,
                        alone.tasks
                    )
                })
                .collect();
            if !alone.is_empty() {
                let alone = alone.join("; ");
                out.push_str(&format!(
                    "{}: {label} by each judge alone: {alone}\n",
                    row.agent
                ));
            }
        }
        for (key, deviation) in &row.repeated {
            let (label, scale) = label_and_scale(key);
            out.push_str(&format!(
                "{}: {label} judged again by the same judge: standard deviation {:.2}\n",
                row.agent,
                deviation * scale
            ));
        }
    }
    out
}

/// Missing scores by cause.
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

/// The strengths of agents by their games of depth.
fn depth(store: &Store, reports: &[ReportHead], options: &Options) -> Result<Ratings> {
    let drawn = Drawn {
        resamples: options.resamples,
        seed: options.seed,
        top: options.top,
    };
    let ratings = evaluate::depth_ratings(store, reports, drawn)?;
    ratings.ok_or_else(|| {
        Usage("no games of depth\nhint: `taskgen evaluate --metric depth`".into()).into()
    })
}

fn depth_text(ratings: &Ratings) -> String {
    let mut rows = table(&["agent", "strength", "won", "tied", "lost", "tasks"]);
    let apart = ratings.agents.iter().position(|of| of.rank.is_none());
    for (at, of) in ratings.agents.iter().enumerate() {
        if apart == Some(at) {
            rows.add_row([APART]);
        }
        let Estimate { value, interval } = of.strength;
        let (low, high) = interval.unzip();
        let [won, tied, lost] = of.outcomes.map(|n| n.to_string());
        rows.add_row([
            of.agent.clone(),
            signed(value, low, high, 1.0),
            won,
            tied,
            lost,
            format!("{} of {}", of.tasks, ratings.tasks),
        ]);
    }
    let first = ratings.first_wins.map_or_else(String::new, |share| {
        format!(
            "; of the decisive games {:.0} % go to the report that is shown first",
            share * 100.0
        )
    });
    format!(
        "{rows}\nBradley–Terry over {} tasks, in logits around the mean of the agents; a tie is half a win{first}\nstrengths have no ends, and so no worst and best: who lacks games on a task has no rank\nintervals: 95 %, by resampling tasks",
        ratings.tasks
    )
}

fn live_research_bench_text(board: &Leaderboard) -> String {
    let rows = parted(
        &live_research_bench::COLUMNS,
        live_research_bench::table(&board.whole),
    );
    let gaps = gaps(&board.whole) + &board_weights::text(board);
    let judges = judges(&board.whole);
    let families = families_text(board);
    format!(
        "{rows}\n{families}{gaps}{judges}{}percent; the average is of all four, and – where one is missing; in braces its worst and best, whatever is missing",
        failures(&board.whole)
    )
}

/// The families in the same columns; nothing where none are named.
fn families_text(board: &Leaderboard) -> String {
    let Some(families) = &board.families else {
        return String::new();
    };
    let mut columns = live_research_bench::COLUMNS;
    columns[0] = "family";
    format!(
        "{}\n",
        parted(&columns, live_research_bench::table(families))
    )
}

/// The complete agents, and below a line the others.
fn parted(columns: &[&str], rows: Parted) -> String {
    let mut lines = table(columns);
    lines.add_rows(rows.complete);
    if !rows.incomplete.is_empty() {
        lines.add_row([APART]);
    }
    lines.add_rows(rows.incomplete);
    lines.to_string()
}

fn papers(board: &Leaderboard) -> String {
    let rows = parted(&paper::COLUMNS, paper::table3(board).unwrap_or_default());
    let gaps = gaps(&board.whole) + &board_weights::text(board);
    format!(
        "{rows}\n{gaps}English | Chinese; shares in percent, of the key points of the pages that a report cites itself"
    )
}
