//! `taskgen run` and its four stages: a summary of each stage is shown in the end and decides the
//! exit code.

use std::{collections::BTreeSet, sync::Arc, time::Instant};

use anyhow::Result;

use super::calls::dollars;
use crate::{
    cli::{
        args::{self, Global},
        commands::{models, seminars::transcribe},
        project::{Project, resolve, roles, settings::Config},
        ui::{
            exit::{self, Usage},
            output::{Printer, count, table},
            progress, summary,
        },
    },
    context::{Context, Notify, StageReport},
    data::Transcript,
    embed::{self, Encoder},
    inspire, probe,
    rank::{self, Items, Read},
    store::{SeminarInfo, Store},
    transcribe::{Batch, BatchItem, Discovered, RecordingFolder},
    weave::{self, disciplines::Disciplines},
};

/// `taskgen run`
pub fn run(global: &Global, args: &args::Run, printer: &Printer) -> Result<u8> {
    let started = Instant::now();
    resolve::stop_on_signals(*printer)?;
    let global = &judged_by(global, &args.rank);
    let mut project = Project::find(global)?;
    project.apply_sound(&args.sound);
    project.apply_rank(&args.rank)?;
    let notify = progress::notify_in(project.progress(), global.quiet || global.json);
    let store = Arc::new(project.write(global)?);
    printer.note(&format!(
        "seed {} (change it with --seed)",
        project.loaded.config.seed
    ));
    let found = transcribe::discover(&project, &args.paths)?;
    if global.dry_run {
        return predict_run(global, &project, &store, &found, &notify, printer);
    }
    // Before hours of transcription: is there a model for what follows, and may the texts go there?
    let ctx = resolve::context(
        global,
        &project,
        &store,
        &notify,
        printer,
        &asked(&project.loaded.config, &roles::OF_RUN),
    )?;
    let encoder = encoder(global, &ctx, printer)?;
    let folders = [RecordingFolder {
        found,
        transcripts: project.transcripts(),
    }];
    let take_in = |item: &BatchItem, transcript: &Transcript| {
        transcribe::take_in(&store, item.recording, transcript)
    };
    let batch = Batch {
        forgotten: store.forgotten()?.into_iter().map(|of| of.id).collect(),
        ..transcribe::batch(global, &project.loaded, &notify)?
    };
    let mut transcribed = batch.run(&folders, &take_in)?;
    transcribed.notes.extend(batch.engine.notes());
    let [RecordingFolder { found, .. }] = folders;
    let mut stages = vec![transcribed];
    let disciplines = Disciplines::load(&project.root)?;
    let seminars = chosen(&store, &found)?;
    let work = after_transcription(
        &ctx,
        &project.loaded.config,
        encoder.as_ref(),
        &disciplines,
        &seminars,
        &mut stages,
    );
    let work = resolve::block_on(work);
    finished(work, &stages, &store, &ctx, printer)?;
    summary::end(
        &project,
        &store,
        stages,
        &ctx,
        started,
        args.rank.max_unscored,
        printer,
    )
}

/// The encoder of sentences, by which code finds ideas; none for a model, which reads the whole
/// talk. It is fetched if it is not here, unless nothing may be fetched.
fn encoder(global: &Global, ctx: &Context, printer: &Printer) -> Result<Option<Encoder>> {
    if !ctx.llm.is_code("inspire", 0)? {
        return Ok(None);
    }
    let may_fetch = !(global.offline || global.dry_run || global.replay);
    let file = match models::here(global, embed::MODEL)? {
        None if may_fetch => {
            let notify = progress::notify(global.quiet || global.json);
            Some(models::ensure(global, embed::MODEL, &notify)?)
        }
        here => here,
    };
    let Some(file) = file else {
        printer.note(&format!(
            "`{0}` is not here: ideas are found by the words of sentences alone, which is right less often\nhint: `taskgen models pull {0}` fetches it",
            embed::MODEL
        ));
        return Ok(None);
    };
    Encoder::load(&file.path).map(Some)
}

/// Inspirations, tasks, ranking. What was done stays in `stages` when a later one cannot go on.
async fn after_transcription(
    ctx: &Context,
    config: &Config,
    encoder: Option<&Encoder>,
    disciplines: &Disciplines,
    seminars: &[SeminarInfo],
    stages: &mut Vec<StageReport>,
) -> Result<()> {
    if seminars.is_empty() {
        return Ok(());
    }
    stages.push(inspire::run(ctx, seminars, &config.inspire, encoder).await?);
    woven(ctx, config, disciplines, seminars, stages).await?;
    stages.push(rank::run(ctx, &Items::from_tasks(&ctx.store.tasks()?), &config.rank).await?);
    Ok(())
}

/// The tasks of `seminars`, and those across all seminars and in other languages where they are
/// wanted.
async fn woven(
    ctx: &Context,
    config: &Config,
    disciplines: &Disciplines,
    seminars: &[SeminarInfo],
    stages: &mut Vec<StageReport>,
) -> Result<()> {
    let options = &config.weave;
    stages.push(weave::run(ctx, seminars, options, disciplines).await?);
    // All seminars, not only these: joined and translated tasks replace each other as a whole.
    let all = ctx.store.seminars()?;
    if let Some(most) = options.across {
        stages.push(weave::across(ctx, &all, most, options, disciplines).await?);
    }
    if !options.translate.is_empty() {
        stages.push(weave::translate(ctx, &all, &options.translate).await?);
    }
    Ok(())
}

/// Estimates what `run` would ask about the present transcripts.
fn predict_run(
    global: &Global,
    project: &Project,
    store: &Arc<Store>,
    found: &Discovered,
    notify: &Notify,
    printer: &Printer,
) -> Result<u8> {
    for note in transcribe::take_in_saved(project, store)?.notes {
        printer.note(&note);
    }
    let seminars = chosen(store, found)?;
    if seminars.len() < found.recordings.len() {
        let missing = found.recordings.len() - seminars.len();
        printer.note(&format!(
            "not transcribed yet, and their cost not included: {}",
            count(missing as u64, "recording")
        ));
    }
    let ctx = resolve::context(
        global,
        project,
        store,
        notify,
        printer,
        &asked(&project.loaded.config, &roles::OF_RUN),
    )?;
    let disciplines = Disciplines::load(&project.root)?;
    let encoder = encoder(global, &ctx, printer)?;
    resolve::block_on(after_transcription(
        &ctx,
        &project.loaded.config,
        encoder.as_ref(),
        &disciplines,
        &seminars,
        &mut Vec::new(),
    ))?;
    predicted(&ctx, printer)
}

/// Shows what a dry run would have asked.
pub fn predicted(ctx: &Context, printer: &Printer) -> Result<u8> {
    printer.show(&ctx.llm.prediction(), |prediction| {
        if prediction.calls.is_empty() {
            return "no model would be asked".to_owned();
        }
        let mut rows = table(&[
            "role: model",
            "calls",
            "prompt tokens",
            "reply tokens",
            "cost",
        ]);
        for (who, of) in &prediction.calls {
            let most = if of.at_most { "at most " } else { "" };
            rows.add_row(vec![
                who.clone(),
                of.calls.to_string(),
                of.usage.input.to_string(),
                format!("{most}{}", of.usage.output),
                of.cost_micro.map_or_else(
                    || "unknown".to_owned(),
                    |micro| format!("{most}{}", dollars(micro)),
                ),
            ]);
        }
        let mut out = format!("{rows}\n");
        for message in &prediction.first {
            out.push_str(&format!(
                "\n── the first prompt, {} ──\n{}\n",
                message.role, message.content
            ));
        }
        out.push_str(
            "\nrepairs, and stages that need the answers of these calls, are not included",
        );
        out
    })?;
    Ok(exit::DONE)
}

/// `taskgen inspire`
pub fn inspire(global: &Global, args: &args::Inspire, printer: &Printer) -> Result<u8> {
    let global = &drawn_again(global, args.again);
    one_stage(
        global,
        printer,
        &["inspire", "review"],
        1.0,
        async |ctx, project, stages| {
            let seminars = chosen_by_name(&ctx.store, &args.select)?;
            let encoder = encoder(global, ctx, printer)?;
            let options = &project.loaded.config.inspire;
            stages.push(inspire::run(ctx, &seminars, options, encoder.as_ref()).await?);
            Ok(())
        },
        |_| Ok(()),
    )
}

/// `taskgen weave`
pub fn weave(global: &Global, args: &args::Weave, printer: &Printer) -> Result<u8> {
    let global = &drawn_again(global, args.again);
    one_stage(
        global,
        printer,
        &["weave", "translate"],
        1.0,
        async |ctx, project, stages| {
            let seminars = chosen_by_name(&ctx.store, &args.select)?;
            let disciplines = Disciplines::load(&project.root)?;
            woven(ctx, &project.loaded.config, &disciplines, &seminars, stages).await
        },
        |project| {
            project.apply_weave(args)?;
            only_chosen(args, &mut project.loaded.config.weave, printer)
        },
    )
}

/// Leaves out joining and translation where only some seminars are woven, and refuses their flags:
/// both take the tasks of all seminars.
fn only_chosen(args: &args::Weave, options: &mut weave::Options, printer: &Printer) -> Result<()> {
    if !args.select.leaves_out() || (options.across.is_none() && options.translate.is_empty()) {
        return Ok(());
    }
    if args.across.is_some() || args.translate.is_some() {
        let hint = "hint: `taskgen weave --seminar ID` first, and then the other without --seminar and --limit";
        return Err(Usage(format!(
            "--across and --translate work on all seminars, not with --seminar or --limit\n{hint}"
        ))
        .into());
    }
    printer.note(
        "tasks across seminars and translations are left for `taskgen weave` without --seminar and --limit",
    );
    (options.across, options.translate) = (None, Vec::new());
    Ok(())
}

/// `taskgen probe`
pub fn probe(global: &Global, args: &args::Select, printer: &Printer) -> Result<u8> {
    one_stage(
        global,
        printer,
        &["probe", "review"],
        1.0,
        async |ctx, _, stages| {
            let mut tasks = ctx.store.tasks()?;
            // Imported tasks are of no seminar: they are probed unless seminars are named.
            if !args.seminar.is_empty() {
                let chosen: BTreeSet<_> = chosen_by_name(&ctx.store, args)?
                    .into_iter()
                    .map(|seminar| seminar.id)
                    .collect();
                tasks.retain(|task| task.seminar().is_some_and(|id| chosen.contains(id)));
            }
            if tasks.is_empty() {
                return Err(Usage(
                    "no tasks yet\nhint: `taskgen weave`, or `taskgen tasks import FILE`".into(),
                )
                .into());
            }
            keep_first(&mut tasks, args.limit, |task| &task.id);
            stages.push(probe::run(ctx, &tasks).await?);
            Ok(())
        },
        |_| Ok(()),
    )
}

/// `taskgen rank`
pub fn rank(global: &Global, args: &args::Rank, printer: &Printer) -> Result<u8> {
    one_stage(
        &drawn_again(&judged_by(global, args), args.again),
        printer,
        &["judge"],
        args.max_unscored,
        async |ctx, project, stages| {
            let mut tasks = ctx.store.tasks()?;
            if tasks.is_empty() {
                return Err(Usage(
                    "no tasks yet\nhint: `taskgen weave`, or `taskgen tasks import FILE`".into(),
                )
                .into());
            }
            keep_first(&mut tasks, args.limit, |task| &task.id);
            if args.again.resample.is_some() {
                can_draw_again(ctx, &project.loaded.config.rank)?;
            }
            let items = Items::from_tasks(&tasks);
            stages.push(rank::run(ctx, &items, &project.loaded.config.rank).await?);
            Ok(())
        },
        |project| project.apply_rank(args),
    )
}

/// An error unless a judge of a ranking could say something else if it were asked again.
fn can_draw_again(ctx: &Context, options: &rank::Options) -> Result<()> {
    let mut is_code = (0..ctx.llm.members("judge")).map(|member| ctx.llm.is_code("judge", member));
    let only_code = is_code.try_fold(true, |all, one| Ok::<_, anyhow::Error>(all && one?))?;
    if only_code || options.read == Read::Logprobs {
        let hint = "hint: --judge PROVIDER/MODEL, with --read words";
        return Err(Usage(format!(
            "--resample is for models that write their verdicts\n{hint}"
        ))
        .into());
    }
    Ok(())
}

/// The flags of every command, with the judge that `--judge` names.
fn judged_by(global: &Global, rank: &args::Rank) -> Global {
    let mut global = global.clone();
    global
        .model_role
        .extend(rank.judge.as_ref().map(|judge| format!("judge={judge}")));
    global
}

fn no_transcripts() -> anyhow::Error {
    Usage(
        "no transcripts yet\nhint: `taskgen transcribe`, or `taskgen run` for all stages; for questions that come from elsewhere, `taskgen tasks import FILE`".into(),
    )
    .into()
}

fn one_stage(
    global: &Global,
    printer: &Printer,
    roles: &[&'static str],
    max_unscored: f64,
    work: impl AsyncFnOnce(&Context, &Project, &mut Vec<StageReport>) -> Result<()>,
    adapt: impl FnOnce(&mut Project) -> Result<()>,
) -> Result<u8> {
    let started = Instant::now();
    resolve::stop_on_signals(*printer)?;
    let mut project = Project::find(global)?;
    adapt(&mut project)?;
    let notify = progress::notify_in(project.progress(), global.quiet || global.json);
    let store = Arc::new(project.write(global)?);
    printer.note(&format!(
        "seed {} (change it with --seed)",
        project.loaded.config.seed
    ));
    // Transcripts may have been edited by hand, or made on another machine, since the last run.
    let taken_in = transcribe::take_in_saved(&project, &store)?;
    for note in &taken_in.notes {
        printer.note(note);
    }
    let mut stages = Vec::new();
    if !taken_in.failed.is_empty() {
        stages.push(taken_in);
    }
    if store.seminars()?.is_empty() && store.imported_tasks()?.is_empty() {
        summary::show_failures(&stages, printer);
        return Err(no_transcripts());
    }
    let ctx = resolve::context(
        global,
        &project,
        &store,
        &notify,
        printer,
        &asked(&project.loaded.config, roles),
    )?;
    let worked = resolve::block_on(work(&ctx, &project, &mut stages));
    if global.dry_run {
        worked?;
        return predicted(&ctx, printer);
    }
    finished(worked, &stages, &store, &ctx, printer)?;
    summary::end(
        &project,
        &store,
        stages,
        &ctx,
        started,
        max_unscored,
        printer,
    )
}

/// The roles that will be asked: `translate` only if translations are wanted, and `review` only if
/// there is a second look, so that no model is fetched that nobody asks.
pub fn asked(config: &Config, roles: &[&'static str]) -> Vec<&'static str> {
    let is_asked = |role: &&str| match *role {
        "translate" => !config.weave.translate.is_empty(),
        "review" => !roles.contains(&"inspire") || has_second_look(config),
        _ => true,
    };
    roles.iter().copied().filter(is_asked).collect()
}

/// Whether the role `review` looks at inspirations.
fn has_second_look(config: &Config) -> bool {
    match config.inspire.review {
        inspire::When::Never => false,
        inspire::When::Always => true,
        inspire::When::Auto => {
            let reviewers = config.roles.get("review").0;
            reviewers
                .iter()
                .any(|member| !member.model.starts_with("local/"))
        }
    }
}

/// The seminars that the flags name; all without any.
pub fn chosen_by_name(store: &Store, args: &args::Select) -> Result<Vec<SeminarInfo>> {
    let seminars = store.seminars()?;
    // A project of imported tasks alone has nothing to read or to weave from.
    if seminars.is_empty() {
        return Err(no_transcripts());
    }
    let mut chosen = inspire::select(seminars, &args.seminar)
        .map_err(|e| anyhow::Error::from(Usage(format!("{e:#}"))))?;
    keep_first(&mut chosen, args.limit, |seminar| &seminar.id);
    Ok(chosen)
}

/// Leaves the `limit` items with the lowest ids, in the order that they have.
pub fn keep_first<T, K: Ord + Clone>(
    items: &mut Vec<T>,
    limit: Option<usize>,
    id: impl Fn(&T) -> &K,
) {
    let Some(limit) = limit.filter(|limit| *limit < items.len()) else {
        return;
    };
    let mut ids: Vec<K> = items.iter().map(|item| id(item).clone()).collect();
    ids.sort_unstable();
    let end = &ids[limit];
    items.retain(|item| id(item) < end);
}

/// The flags of every command, with the sample that `--resample` names.
pub fn drawn_again(global: &Global, again: args::Again) -> Global {
    Global {
        resample: again.resample.unwrap_or(0),
        ..global.clone()
    }
}

/// The seminars of the recordings that were named.
fn chosen(store: &Store, found: &Discovered) -> Result<Vec<SeminarInfo>> {
    let mut named = BTreeSet::new();
    for recording in &found.recordings {
        named.extend(store.seminar_at(&recording.name)?);
    }
    Ok(store
        .seminars()?
        .into_iter()
        .filter(|seminar| named.contains(&seminar.id))
        .collect())
}

/// The result of the work; before an error ends the command, the finished part is shown.
pub fn finished<T>(
    work: Result<T>,
    before: &[StageReport],
    store: &Store,
    ctx: &Context,
    printer: &Printer,
) -> Result<T> {
    if let Err(error) = &work {
        summary::stopped(store, before, ctx, error, printer)?;
    }
    work
}
