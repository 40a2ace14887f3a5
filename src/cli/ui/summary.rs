//! The summary of a command, shown at its end: done, skipped, failed by cause, refused by rule,
//! tokens and time.

use std::{collections::BTreeMap, time::Instant};

use anyhow::Result;
use serde::Serialize;

use super::{
    exit,
    output::{Printer, count, counted, seconds, table},
    run_head::{self, RoleModels, ScoreLine},
};
use crate::{
    answer::ROLE,
    cli::project::Project,
    context::{Context, Harvest, StageReport},
    report::listing,
    store::{RunHead, Store},
};

/// The version of the layout; 2 since `models` has what was returned beside what was requested.
const SCHEMA_VERSION: u32 = 2;

/// The summary of a command.
#[derive(Serialize)]
pub struct Summary {
    schema_version: u32,
    /// Absent where no project is written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunHead>,
    /// Absent where nothing is drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    /// By role; absent where no language model is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    models: Option<BTreeMap<String, RoleModels>>,
    /// The stages in order.
    pub stages: Vec<StageReport>,
    usage: Option<Calls>,
    tasks: Option<usize>,
    /// Of reports, by agent and measure; absent of commands that score none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scores: Vec<ScoreLine>,
    seconds: f64,
}

/// Calls to models.
#[derive(Serialize)]
struct Calls {
    calls: u64,
    /// Calls with an answer on record.
    cached: u64,
    input: u64,
    output: u64,
    /// Prompt tokens that the provider had read before.
    cache_read: u64,
    /// Prompt tokens that the provider wrote to its cache: null, because they are not told apart
    /// from those that it read anew, and are in `input`.
    cache_write: Option<u64>,
    /// As far as prices are known.
    cost_usd: f64,
    /// Calls to models of unknown price.
    unpriced: u64,
}

impl Calls {
    fn from_context(ctx: &Context) -> Self {
        let counts = ctx.llm.counts();
        Self {
            calls: counts.made,
            cached: counts.cached,
            input: counts.usage.input,
            output: counts.usage.output,
            cache_read: counts.usage.cached,
            cache_write: None,
            cost_usd: counts.cost_micro as f64 / 1e6,
            unpriced: counts.unpriced,
        }
    }

    /// Whether there was any call.
    fn any(&self) -> bool {
        self.calls + self.cached > 0
    }

    fn text(&self) -> String {
        let mut text = format!(
            "{}, {} more from the record; {} prompt tokens ({} cached), {} reply tokens",
            count(self.calls, "model call"),
            self.cached,
            self.input,
            self.cache_read,
            self.output
        );
        if self.cost_usd > 0.0 {
            text.push_str(&format!(", ${:.4}", self.cost_usd));
        }
        if self.unpriced > 0 {
            text.push_str(&format!(
                ", and {} of unknown price (`prices.toml` can name it)",
                count(self.unpriced, "call")
            ));
        }
        text
    }
}

impl Summary {
    /// Of transcription alone, which asks no language model.
    pub fn of_transcription(report: StageReport, started: Instant) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            run: None,
            seed: None,
            models: None,
            stages: vec![report],
            usage: None,
            tasks: None,
            scores: Vec::new(),
            seconds: started.elapsed().as_secs_f64(),
        }
    }

    fn new(
        project: &Project,
        store: &Store,
        ctx: &Context,
        stages: Vec<StageReport>,
        started: Instant,
    ) -> Result<Self> {
        let config = &project.loaded.config;
        let mut models = serde_json::to_value(&config.roles)?;
        // The one that answers is no role of the configuration: it is the agent's.
        if let Ok(model) = ctx.llm.model_name(ROLE, 0) {
            models[ROLE] = model.into();
        }
        let requested = models.as_object().cloned().unwrap_or_default();
        Ok(Self {
            schema_version: SCHEMA_VERSION,
            run: store.run_head()?,
            seed: Some(config.seed),
            models: Some(run_head::models(requested, &ctx.llm.counts())),
            stages,
            usage: Some(Calls::from_context(ctx)),
            tasks: None,
            scores: Vec::new(),
            seconds: started.elapsed().as_secs_f64(),
        })
    }

    /// Shows it, failures first, and returns the exit code.
    pub fn show(&self, printer: &Printer) -> Result<u8> {
        if printer.json {
            printer.show(self, |_| String::new())?;
        } else {
            show_failures(&self.stages, printer);
            printer.note(&self.text());
        }
        let failed = self.stages.iter().any(|stage| !stage.failed.is_empty());
        Ok(if failed {
            exit::SOME_FAILED
        } else {
            exit::DONE
        })
    }

    fn text(&self) -> String {
        let mut rows = table(&[
            "stage",
            "done",
            "skipped",
            "failed",
            "refused by rule",
            "time",
        ]);
        for stage in &self.stages {
            let mut causes = BTreeMap::<String, u64>::new();
            for failure in &stage.failed {
                *causes.entry(failure.cause.clone()).or_default() += 1;
            }
            rows.add_row(vec![
                stage.stage.to_owned(),
                stage.done.to_string(),
                stage.skipped.to_string(),
                counted(&causes, "0"),
                counted(&stage.rejected, "–"),
                seconds(stage.seconds),
            ]);
        }
        let mut out =
            harvests(&self.stages).map_or_else(String::new, |harvests| format!("{harvests}\n"));
        out.push_str(&rows.to_string());
        for note in self.stages.iter().flat_map(|stage| &stage.notes) {
            out.push_str(&format!("\n{note}"));
        }
        if let Some(usage) = self.usage.as_ref().filter(|usage| usage.any()) {
            out.push_str(&format!("\n{}", usage.text()));
        }
        let tasks = self
            .tasks
            .map_or_else(String::new, |n| count(n as u64, "task") + ", ");
        out.push_str(&format!("\n{tasks}{} in all", seconds(self.seconds)));
        out
    }
}

/// The outcomes of the questions, an item a row; of many items the sums.
fn harvests(stages: &[StageReport]) -> Option<String> {
    const MOST_ROWS: usize = 12;
    let mut rows = table(&[
        "from",
        "asked",
        "readable",
        "found",
        "sound",
        "kept",
        "refused by rule",
        "tokens",
        "time",
    ]);
    let all = stages.iter().flat_map(|stage| {
        stage
            .harvests
            .iter()
            .map(move |harvest| (stage.stage, harvest))
    });
    let mut sums = BTreeMap::<&str, Harvest>::new();
    let mut shown = Vec::new();
    for (stage, harvest) in all {
        sums.entry(stage).or_default().absorb(harvest);
        shown.push((format!("{stage}: {}", harvest.item), harvest));
    }
    if shown.is_empty() {
        return None;
    }
    // Two hundred recordings would push everything else off the screen.
    if shown.len() > MOST_ROWS {
        shown = sums
            .iter()
            .map(|(stage, sum)| (format!("{stage}: all"), sum))
            .collect();
    }
    for (from, of) in shown {
        let mut row = vec![from];
        row.extend([of.asked, of.parsed, of.found, of.sound, of.kept].map(|n| n.to_string()));
        row.extend([
            counted(&of.rejected, "–"),
            of.tokens.to_string(),
            seconds(of.seconds),
        ]);
        rows.add_row(row);
    }
    Some(rows.to_string())
}

/// Shows each failed item with its message.
pub fn show_failures(stages: &[StageReport], printer: &Printer) {
    for failure in stages.iter().flat_map(|stage| &stage.failed) {
        printer.error(&format!("{}: {}", failure.item, failure.message));
    }
}

/// Ends a command that wrote to the project: shows what its stages did, and notes the run's exit
/// code, which it returns.
pub fn end(
    project: &Project,
    store: &Store,
    stages: Vec<StageReport>,
    ctx: &Context,
    started: Instant,
    max_unscored: f64,
    printer: &Printer,
) -> Result<u8> {
    let listing = listing::read(store)?;
    let n_tasks = Some(listing.tasks.len());
    let summary = Summary {
        tasks: n_tasks,
        ..Summary::new(project, store, ctx, stages, started)?
    };
    let mut code = summary.show(printer)?;
    if let Some(ratings) = &listing.ratings {
        let missing = ratings.n_total - ratings.n_scored;
        if ratings.n_total > 0 && missing as f64 / ratings.n_total as f64 > max_unscored {
            printer.error(&format!(
                "error: {missing} of {} comparisons have no verdict, more than --max-unscored {max_unscored} allows\nhint: run again with --retry-failed, or use another judge",
                ratings.n_total
            ));
            code = exit::UNSCORED;
        }
    }
    end_run(store, ctx, code)?;
    if summary.stages.len() > 1 && !listing.tasks.is_empty() && !printer.json {
        printer.note("next: `taskgen tasks list`, `taskgen tasks show ID`, `taskgen tasks export`");
    }
    Ok(code)
}

/// Ends a command on reports: shows what its stages did, and the scores that they led to. More
/// judgements without a value than allowed is exit 4.
pub fn evaluated(
    project: &Project,
    store: &Store,
    (stages, scores): (Vec<StageReport>, Vec<ScoreLine>),
    ctx: &Context,
    started: Instant,
    max_unscored: f64,
    printer: &Printer,
) -> Result<u8> {
    let summary = Summary {
        scores,
        ..Summary::new(project, store, ctx, stages, started)?
    };
    let mut code = summary.show(printer)?;
    // Each stage for itself: many good answers to one kind of question excuse no bad ones to
    // another.
    for stage in &summary.stages {
        let (failed, all) = (stage.failed.len(), stage.done + stage.skipped);
        if all > 0 && failed as f64 / all as f64 > max_unscored {
            printer.error(&format!(
                "error: {}: {failed} of {all} judgements have no verdict, more than --max-unscored {max_unscored} allows\nhint: run again with --retry-failed, or use another model",
                stage.stage
            ));
            code = exit::UNSCORED;
        }
    }
    end_run(store, ctx, code)?;
    Ok(code)
}

/// Ends a command with an error: saves its exit code and shows its work so far; the caller shows
/// the error.
pub fn stopped(
    store: &Store,
    stages: &[StageReport],
    ctx: &Context,
    error: &anyhow::Error,
    printer: &Printer,
) -> Result<()> {
    show_failures(stages, printer);
    if !printer.json {
        printer.note(&format!("until here: {}", Calls::from_context(ctx).text()));
    }
    end_run(store, ctx, exit::code(error))
}

fn end_run(store: &Store, ctx: &Context, code: u8) -> Result<()> {
    for (model, rates) in ctx.llm.rates() {
        let changes: Vec<(String, String)> = rates
            .iter()
            .map(|change| {
                Ok((
                    format!("{:?}", change.why).to_lowercase(),
                    serde_json::to_string(change)?,
                ))
            })
            .collect::<Result<_>>()?;
        store.save_rates(&model, &changes)?;
    }
    store.end_run(&jiff::Timestamp::now().to_string(), code)
}
