//! `taskgen evaluate`: asks for missing judgements, and shows the scores.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Result;

use crate::{
    cli::{
        args::{self, Global},
        commands::{reports::answer, sets, stages},
        project::{Project, providers::Variables, resolve, settings::Reader, this_program},
        ui::{
            exit::{self, NoModel, Usage},
            output::Printer,
            progress,
            run_head::{self, ScoreLine},
            summary,
        },
    },
    context::StageReport,
    data::{AgentReport, Task},
    evaluate::{self, Evaluator, Subject, leaderboard},
    report::leaderboard::with_facets,
    store::Store,
    web::{self, FetchOptions, JinaOptions, Pages, PagesOptions},
};

/// Runs the command.
pub fn run(global: &Global, args: &args::Evaluate, printer: &Printer) -> Result<u8> {
    let mut project = Project::find(global)?;
    project.loaded.config.judge.accept = args.accept_judge;
    let options = project.loaded.config.evaluate.clone();
    let judged = judge(
        global,
        project,
        args,
        &options,
        Seen {
            stored_only: false,
            summary: *printer,
        },
        printer,
    )?;
    if !global.dry_run && judged.code != exit::UNSCORED {
        printer.note("next: `taskgen leaderboard`");
    }
    Ok(judged.code)
}

/// The pages and the printer of a run.
pub struct Seen {
    /// Only pages that are stored; nothing is fetched.
    pub stored_only: bool,
    /// How the summary is printed.
    pub summary: Printer,
}

/// The outcome of judging.
pub struct Judged {
    /// The exit code.
    pub code: u8,
    /// The store with the judgements.
    pub store: Arc<Store>,
    /// The tasks.
    pub tasks: Vec<Task>,
    /// All reports.
    pub reports: Vec<AgentReport>,
}

/// Asks for the judgements that are missing. A dry run shows what it would ask instead.
pub fn judge(
    global: &Global,
    project: Project,
    args: &args::Evaluate,
    options: &evaluate::Options,
    seen: Seen,
    printer: &Printer,
) -> Result<Judged> {
    let started = Instant::now();
    let global = &stages::drawn_again(global, args.again);
    resolve::stop_on_signals(*printer)?;
    let store = Arc::new(project.write(global)?);
    printer.note(&format!(
        "seed {} (change it with --seed)",
        project.loaded.config.seed
    ));
    let (set, mut tasks) = sets::chosen(&store, args.set.as_deref())?;
    stages::keep_first(&mut tasks, args.limit, |task| &task.id);
    let reports = answer::reports(&store)?;
    check_agents(&args.agent, &reports)?;
    answer::check_on_tasks(&reports, &tasks, printer)?;
    if args.allow_private_network {
        printer.error("--allow-private-network: pages may be fetched from private addresses, whatever a report says");
    }
    let notify = progress::notify_in(project.progress(), global.quiet || global.json);
    let evaluators: Vec<&'static dyn Evaluator> = args
        .metric
        .iter()
        .filter_map(|key| evaluate::evaluator(key))
        .collect();
    let roles: Vec<&'static str> = evaluators
        .iter()
        .flat_map(|evaluator| evaluator.roles(options).iter().copied())
        .collect();
    let ctx = resolve::context(global, &project, &store, &notify, printer, &roles)?;
    let pages = Pages::new(pages_options(
        global,
        &project,
        args.allow_private_network,
        seen.stored_only,
        printer,
    )?)?;
    let now = jiff::Timestamp::now().to_string();
    let subject = Subject {
        tasks: &tasks,
        reports: &reports,
        agents: &args.agent,
        evaluators: &evaluators,
    };
    let work = evaluate::run(&ctx, &pages, subject, options, &now);
    let code = if global.dry_run {
        note_missing_pages(&resolve::block_on(work)?, printer);
        stages::predicted(&ctx, printer)?
    } else {
        let stages = stages::finished(resolve::block_on(work), &[], &store, &ctx, printer)?;
        let scores = if seen.summary.json {
            scores(&project, &store, (&tasks, set.is_some()), &reports)?
        } else {
            Vec::new()
        };
        summary::evaluated(
            &project,
            &store,
            (stages, scores),
            &ctx,
            started,
            args.max_unscored,
            &seen.summary,
        )?
    };
    Ok(Judged {
        code,
        store,
        tasks,
        reports,
    })
}

/// The scores of the leaderboard as it is now; all tasks of a set count.
fn scores(
    project: &Project,
    store: &Store,
    (tasks, is_set): (&[Task], bool),
    reports: &[AgentReport],
) -> Result<Vec<ScoreLine>> {
    let scored = evaluate::scored(store, tasks, reports)?;
    let options = leaderboard::Options {
        seed: project.loaded.config.seed,
        set: if is_set {
            with_facets(tasks)
        } else {
            BTreeMap::new()
        },
        ..leaderboard::Options::default()
    };
    let board = leaderboard::leaderboard(&scored, &options);
    Ok(run_head::scores(&board))
}

/// Refuses agents without a report: a name with a slip would score nothing, and say so nowhere.
fn check_agents(agents: &[String], reports: &[AgentReport]) -> Result<()> {
    let nobody = agents
        .iter()
        .find(|name| reports.iter().all(|report| report.agent != **name));
    let Some(nobody) = nobody else {
        return Ok(());
    };
    Err(Usage(format!(
        "no reports of this agent: `{nobody}`\nhint: `taskgen reports list`"
    ))
    .into())
}

/// Says of a dry run what its estimate leaves out: what is on a page is known once it is fetched.
fn note_missing_pages(stages: &[StageReport], printer: &Printer) {
    let missing: u64 = stages
        .iter()
        .filter_map(|stage| stage.rejected.get("not_stored"))
        .sum();
    if missing > 0 {
        printer.note(&format!(
            "{missing} pages were not fetched yet: their cost is not included"
        ));
    }
}

/// `taskgen read-page`: the process that reads one page for its parent.
pub fn read_page() -> Result<u8> {
    web::serve_reading(&mut std::io::stdin().lock(), &mut std::io::stdout().lock())?;
    Ok(exit::DONE)
}

/// How pages are got, by the project's settings and the flags of every command.
pub fn pages_options(
    global: &Global,
    project: &Project,
    allow_private: bool,
    stored_only: bool,
    printer: &Printer,
) -> Result<PagesOptions> {
    let web = &project.loaded.config.web;
    // Without another machine, only this one could be asked, and that only where private addresses
    // may; Jina never.
    let offline = global.offline && !(allow_private && web.reader == Reader::Own);
    let stored_only = stored_only || global.replay || global.dry_run || offline;
    let jina = match web.reader {
        Reader::Jina if !stored_only => Some(jina(global, &web.jina_url, printer)?),
        _ => None,
    };
    Ok(PagesOptions {
        program: this_program()?,
        jina,
        fetch: FetchOptions {
            allow_private,
            respect_robots: web.robots,
            offline: global.offline,
            timeout: Duration::from_secs(web.timeout),
            per_host: web.per_host,
            pause: Duration::from_millis(web.pause_ms),
            ..FetchOptions::default()
        },
        stored_only,
        retry_failed: global.retry_failed,
    })
}

/// Jina Reader with the user's key; a note says what it learns.
fn jina(global: &Global, base_url: &str, printer: &Printer) -> Result<JinaOptions> {
    const KEY: &str = "JINA_API_KEY";
    let key = Variables::read(&global.env_file)?.get(KEY).ok_or_else(|| {
        let hint = "hint: set it, or leave out `reader = \"jina\"` in [web]";
        NoModel(format!(
            "no key for Jina Reader: the variable `{KEY}` is not set\n{hint}"
        ))
    })?;
    // Said even to who wants quiet: a project from elsewhere may name any host.
    printer.error(&format!(
        "pages are read by {base_url}, which learns what the reports cite, with the key in `{KEY}`"
    ));
    Ok(JinaOptions {
        base_url: base_url.to_owned(),
        key,
    })
}
