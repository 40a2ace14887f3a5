//! `taskgen rescore`: the reports once more, by other judges, prompts or thresholds, on stored
//! pages; and how far the scores moved.

use anyhow::Result;
use serde::Serialize;

use super::leaderboard::signed;
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
    evaluate::{
        self,
        leaderboard::{Headline, Options, measures::measure_name},
        rescore::{Change, changes},
    },
    store::Evaluation,
};

/// What was judged in which way, and what came of it.
#[derive(Serialize)]
struct Rescored {
    before: Way,
    after: Way,
    changes: Vec<Change>,
}

/// A way of judging.
#[derive(Serialize)]
struct Way {
    /// Model, hash of the prompt and settings that find key points.
    points: String,
    /// Who says how reports relate to key points.
    relation: Vec<String>,
    /// Who rates.
    rating: Vec<String>,
    /// How often each criterion is rated; 0 where all ratings count.
    repeats: u32,
}

/// Runs the command.
pub fn rescore(global: &Global, args: &args::Rescore, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let mut options = project.loaded.config.evaluate.clone();
    options.near = args.near.unwrap_or(options.near);
    options.repeats = args.repeats.unwrap_or(options.repeats);
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
        metric: args.metric.clone(),
        agent: Vec::new(),
        set: args.set.clone(),
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
        let hint = "hint: --model-role judge=PROVIDER/MODEL, --model-role rate=…, --near, --repeats, or an edited prompt";
        return Err(Usage(format!(
            "nothing differs from the evaluation before\n{hint}"
        ))
        .into());
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
    printer.note("the leaderboard goes by the new scores; `taskgen evaluate` as before brings the old ones back, and asks nothing");
    Ok(code)
}

fn way(of: Evaluation) -> Way {
    let models =
        |judges: Vec<(String, String)>| judges.into_iter().map(|(model, _)| model).collect();
    Way {
        points: of.points,
        relation: models(of.relation),
        rating: models(of.rating),
        repeats: of.repeats,
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
        let (scale, digits) = if change.measure == Headline::Ace {
            (1.0, 2)
        } else {
            (100.0, 0)
        };
        let number = |value: Option<f64>| {
            value.map_or_else(|| "–".to_owned(), |v| format!("{:.digits$}", v * scale))
        };
        let signed = |difference| signed(difference, change.low, change.high, scale);
        let difference = change.difference.map_or_else(|| "–".to_owned(), signed);
        rows.add_row(vec![
            measure_name(change.measure).to_owned(),
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
    let who = |way: &Way| {
        format!(
            "relations by {}, ratings by {}",
            list(&way.relation),
            list(&way.rating)
        )
    };
    format!(
        "{rows}\nbefore: {}\nafter:  {}",
        who(&rescored.before),
        who(&rescored.after)
    )
}

fn list(models: &[String]) -> String {
    if models.is_empty() {
        "nobody".to_owned()
    } else {
        models.join(", ")
    }
}
