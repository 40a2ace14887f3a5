//! The command line: one command is one function in one file. The only layer that prints, reads the
//! environment and chooses an exit code; every command returns a value that is shown as text or as
//! JSON.

mod args;
mod commands;
mod project;
mod ui;

use std::process::ExitCode;

use clap::{FromArgMatches as _, error::ErrorKind};

use args::{Args, Command, InsteadOfRanking};
use commands::{
    arena, audit, calls, cluster, completions, config, doctor, evaluate, export, init,
    inspirations, man, models, prompts, rank, report, reports, seminars, serve, stages, status,
    tasks, wiki,
};
use project::providers::Variables;
use ui::{exit, log, output::Printer};

/// Parses the command line, runs the command and returns its exit code.
pub fn main() -> ExitCode {
    // The environment holds keys, and agents run under the same user.
    #[cfg(target_os = "linux")]
    let is_hidden = crate::agents::command::hide_memory();
    let args = match parse() {
        Ok(args) => args,
        Err(code) => return code,
    };
    let printer = Printer {
        json: args.global.json,
        quiet: args.global.quiet,
    };
    log::start(args.global.verbose);
    #[cfg(target_os = "linux")]
    if let Err(error) = is_hidden {
        tracing::warn!("other programs of this user can read the environment: {error}");
    }
    let code = match dispatch(args, &printer) {
        Ok(code) => code,
        Err(error) => {
            tracing::info!("ended by: {error:#}");
            printer.error(&exit::message(&error));
            if let Some(file) = log::file() {
                printer.note(&format!("log: `{}`", file.display()));
            }
            exit::code(&error)
        }
    };
    ExitCode::from(code)
}

/// The parsed command line; help and wrong usage end the program.
fn parse() -> Result<Args, ExitCode> {
    let matched = args::command().try_get_matches();
    matched
        .and_then(|matches| Args::from_arg_matches(&matches))
        .map_err(|error| {
            if error.kind() == ErrorKind::MissingSubcommand {
                // The error would list commands that are not for users.
                ui::output::message(&args::command().render_help().to_string());
                return ExitCode::from(exit::USAGE);
            }
            if error.use_stderr() {
                // What was typed may be a stranger's file name that a shell filled in.
                ui::output::message(error.render().to_string().trim_end());
                return ExitCode::from(exit::USAGE);
            }
            error.exit()
        })
}

fn dispatch(args: Args, printer: &Printer) -> anyhow::Result<u8> {
    let global = args.global;
    // A file that is named is read, whether or not a key is needed.
    Variables::read(&global.env_file)?;
    if global.dry_run && !args.command.asks() {
        return Err(exit::Usage(
            "--dry-run is for commands that ask a model\nhint: run, inspire, weave, probe, rank, answer, evaluate, rescore, audit leakage, arena match, arena trees build --topics".into(),
        )
        .into());
    }
    match args.command {
        Command::Init { folder } => init::init(&global, folder, printer),
        Command::Run(run) => stages::run(&global, &run, printer),
        Command::Transcribe(transcribe) => {
            seminars::transcribe::transcribe(&global, &transcribe, printer)
        }
        Command::Cluster(command) => cluster::cluster(&global, &command, printer),
        Command::Transcripts(command) => seminars::existing::run(&global, &command, printer),
        Command::Inspire(select) => stages::inspire(&global, &select, printer),
        Command::Weave(select) => stages::weave(&global, &select, printer),
        Command::Probe(select) => stages::probe(&global, &select, printer),
        Command::Rank(rank) => match &rank.instead {
            None => stages::rank(&global, &rank.rank, printer),
            Some(InsteadOfRanking::Simulate(trial)) => {
                rank::simulate::simulate(&global, trial, printer)
            }
            Some(InsteadOfRanking::Import { file, judge }) => {
                rank::import::import(&global, file, judge, printer)
            }
            Some(InsteadOfRanking::Report { html }) => {
                rank::report::report(&global, html.clone(), printer)
            }
        },
        Command::Answer(args) => reports::answer::answer(&global, &args, printer),
        Command::Reports(command) => reports::list::reports(&global, &command, printer),
        Command::Evaluate(args) => evaluate::judge::run(&global, &args, printer),
        Command::Rescore(args) => evaluate::rescore::rescore(&global, &args, printer),
        Command::Leaderboard(args) => evaluate::leaderboard::leaderboard(&global, &args, printer),
        Command::Audit(command) => audit::audit(&global, &command, printer),
        Command::Export(command) => export::run(&global, &command, printer),
        Command::Wiki(command) => wiki::wiki(&global, &command, printer),
        Command::Arena(command) => arena::arena(&global, &command, printer),
        Command::Report(command) => report::report(&global, command, printer),
        Command::Serve(args) => serve::serve(&global, &args, printer),
        Command::Seminars(command) => seminars::seminars(&global, &command, printer),
        Command::Inspirations(command) => inspirations::inspirations(&global, &command, printer),
        Command::Tasks(command) => tasks::listing::tasks(&global, command, printer),
        Command::Models(command) => models::models(&global, command, printer),
        Command::Prompts(command) => prompts::prompts(&global, &command, printer),
        Command::Calls(args) => calls::calls(&global, &args, printer),
        Command::Decode(decode) => seminars::transcribe::decode(&decode),
        Command::CheckDevice(device) => seminars::transcribe::check_device(&device),
        Command::ReadPage => evaluate::judge::read_page(),
        Command::Supervise(args) => reports::answer::supervise(&args),
        Command::Completions { shell } => completions::completions(shell, printer),
        Command::Man { output } => man::man(output.as_deref(), printer),
        Command::Doctor(args) => doctor::doctor(&global, &args, printer),
        Command::Status => status::status(&global, printer),
        Command::Config(command) => config::show(&global, &command, printer),
    }
}
