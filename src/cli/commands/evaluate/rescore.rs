//! `taskgen rescore`: the reports scored again by other judges, prompts or thresholds, on stored
//! pages, and the change of the scores.

use anyhow::Result;
use serde::Serialize;

use super::labels::{label_and_scale, signed};
use crate::{
    cli::{
        args::{self, Global},
        commands::evaluate::judge::{Judged, Seen, judge},
        project::Project,
        ui::{
            exit::Usage,
            output::{Printer, table},
        },
    },
    data::InForce,
    evaluate::{
        self,
        leaderboard::Options,
        measure,
        rescore::{Change, changes},
    },
    store::Evaluation,
};

/// A way of judging, and its scores.
#[derive(Serialize)]
struct Rescored {
    before: Way,
    after: Way,
    changes: Vec<Change>,
}

/// A way of judging.
#[derive(Serialize)]
struct Way {
    /// The instruments with their panels and settings.
    instruments: Vec<WayOfInstrument>,
}

/// The models and settings of an instrument.
#[derive(Serialize)]
struct WayOfInstrument {
    /// Its id.
    instrument: String,
    /// The models.
    models: Vec<String>,
    /// The evaluator's settings.
    settings: serde_json::Value,
}

/// Runs the command.
pub fn rescore(global: &Global, args: &args::Rescore, printer: &Printer) -> Result<u8> {
    let mut project = Project::find(global)?;
    // It counts again what is on record, and tests nobody.
    project.loaded.config.judge.probes = 0.0;
    let mut options = project.loaded.config.evaluate.clone();
    options.similarity = args.similarity.unwrap_or(options.similarity);
    options.repeats = args.repeats.unwrap_or(options.repeats);
    options.form = args.form.unwrap_or(options.form);
    options.check().map_err(Usage)?;
    if project.read_or_hint()?.last_evaluation()?.is_none() {
        return Err(
            Usage("nothing has been evaluated yet\nhint: `taskgen evaluate`".into()).into(),
        );
    }
    let resampled = Options {
        seed: project.loaded.config.seed,
        ..Options::default()
    };
    let as_before = args::Evaluate {
        accept_judge: false,
        metric: args.metric.clone(),
        agent: Vec::new(),
        set: args.set.clone(),
        limit: None,
        again: args.again,
        allow_private_network: false,
        max_unscored: args.max_unscored,
    };
    // The result is the one JSON value; what asking took is in `taskgen calls`.
    let summary = Printer {
        json: false,
        quiet: printer.quiet || printer.json,
    };
    let seen = Seen {
        stored_only: true,
        summary,
    };
    let Judged {
        code,
        store,
        tasks,
        reports,
    } = judge(global, project, &as_before, &options, seen, printer)?;
    if global.dry_run {
        return Ok(code);
    }
    let mut ways = store.evaluations()?;
    let (Some(after), Some(before)) = (ways.pop(), ways.pop()) else {
        let hint = "hint: --model-role relate=PROVIDER/MODEL, --model-role rate=…, --form, --similarity, --repeats, --resample, or an edited prompt";
        return Err(Usage(format!("nothing differs from the last evaluation\n{hint}")).into());
    };
    let scored = |way: &Evaluation| evaluate::scored_as(&store, &tasks, &reports, way);
    let changes = changes(&scored(&before)?, &scored(&after)?, &resampled);
    printer.show(
        &Rescored {
            before: way(before),
            after: way(after),
            changes,
        },
        text,
    )?;
    printer.note("the leaderboard uses the new scores; `taskgen evaluate` with the old settings restores the old ones and asks no model");
    Ok(code)
}

fn way(evaluation: Evaluation) -> Way {
    Way {
        instruments: evaluation
            .instruments
            .into_iter()
            .map(way_of_instrument)
            .collect(),
    }
}

fn way_of_instrument(entry: InForce) -> WayOfInstrument {
    WayOfInstrument {
        instrument: entry.instrument,
        models: entry.panel.into_iter().map(|(model, _)| model).collect(),
        settings: entry.settings,
    }
}

fn text(rescored: &Rescored) -> String {
    let mut rows = table(&[
        "measure",
        "agent",
        "before",
        "after",
        "difference",
        "p (Holm)",
        "tasks",
    ]);
    for change in &rescored.changes {
        let (label, scale) = label_and_scale(change.measure);
        let number = |value: Option<f64>| match measure(change.measure) {
            Some(measure) => measure.print(value),
            None => "–".to_owned(),
        };
        let signed = |difference| signed(difference, change.low, change.high, scale);
        let difference = change.difference.map_or_else(|| "–".to_owned(), signed);
        rows.add_row(vec![
            label.to_owned(),
            change.agent.clone(),
            number(change.before),
            number(change.after),
            difference,
            change
                .adjusted
                .map_or_else(|| "–".to_owned(), |p| format!("{p:.3}")),
            change.tasks.to_string(),
        ]);
    }
    format!(
        "{rows}\nbefore: {}\nafter:  {}",
        judges(&rescored.before),
        judges(&rescored.after)
    )
}

fn judges(way: &Way) -> String {
    let by_instrument: Vec<String> = way
        .instruments
        .iter()
        .map(|entry| format!("{} by {}", entry.instrument, list(&entry.models)))
        .collect();
    by_instrument.join(", ")
}

fn list(models: &[String]) -> String {
    if models.is_empty() {
        "nobody".to_owned()
    } else {
        models.join(" and ")
    }
}
