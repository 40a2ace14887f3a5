//! `taskgen serve`: the project in a browser.

use std::{
    collections::BTreeMap,
    io::ErrorKind,
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::{
    cli::{
        args::{Global, Serve},
        commands::{evaluate::board_weights, people},
        project::{Project, resolve},
        ui::{
            exit::{self, Usage},
            output::Printer,
        },
    },
    server::{Listening, Options},
};

/// What is being made when the server ends has so long.
const ENDS_WITHIN: Duration = Duration::from_secs(2);

/// Addresses of the server.
#[derive(Serialize)]
struct Serving {
    address: String,
    /// Links of reviewers by name.
    reviewers: BTreeMap<String, String>,
}

/// Runs the command until somebody stops it.
pub fn serve(global: &Global, args: &Serve, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let decisions = project.decide_beside(global)?;
    if args.new_links {
        decisions.forget_link_key()?;
    }
    let options = options(&project, args)?;
    if args.host.is_unspecified() && args.url.is_none() && !args.reviewers.is_empty() {
        printer.note("links name an address that only this machine has\nhint: --url http://NAME:PORT, as others reach it");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let end = resolve::signal()?;
        let listening = Listening::start(options, decisions)
            .await
            .map_err(|error| explained(args, error))?;
        let serving = Serving {
            address: listening.address.clone(),
            reviewers: listening.reviewers.iter().cloned().collect(),
        };
        printer.show(&serving, text)?;
        printer.note("Ctrl-C ends it");
        if args.open {
            open(&serving.address, printer);
        }
        listening
            .answer(async {
                end.await;
            })
            .await
    });
    // A page that is still being made is not waited for.
    runtime.shutdown_timeout(ENDS_WITHIN);
    served?;
    printer.note("stopped: every decision is saved");
    Ok(exit::DONE)
}

fn options(project: &Project, args: &Serve) -> Result<Options> {
    let names = args.reviewers.iter();
    let reviewers = names
        .map(|name| people::name(Some(name)))
        .collect::<Result<_>>()?;
    if let Some(url) = &args.url
        && !(matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && matches!(url.path(), "" | "/")
            && url.query().is_none()
            && url.username().is_empty())
    {
        let hint = "such as --url https://lab.example";
        return Err(Usage(format!("not an address of a server: `{url}`\nhint: {hint}")).into());
    }
    Ok(Options {
        host: args.host,
        port: args.port,
        url: args.url.clone(),
        reviewers,
        seminars: project.seminars(),
        transcripts: project.transcripts(),
        database: project.database(),
        progress: project.progress(),
        seed: project.loaded.config.seed,
        families: project.loaded.config.families.clone(),
        weights: board_weights::factors(&[], &project.loaded.config.evaluate.weights),
    })
}

fn explained(args: &Serve, error: anyhow::Error) -> anyhow::Error {
    let Some(kind) = error
        .downcast_ref::<std::io::Error>()
        .map(std::io::Error::kind)
    else {
        return error;
    };
    let (host, port) = (args.host, args.port);
    let hint = match kind {
        ErrorKind::AddrInUse => "--port N, or --port 0 for any that is free",
        ErrorKind::AddrNotAvailable => "--host is an address of this machine, or 0.0.0.0 for all",
        ErrorKind::PermissionDenied => "ports below 1024 are for root: --port N",
        _ => return error,
    };
    Usage(format!(
        "cannot listen on {host}, port {port}: {error}\nhint: {hint}"
    ))
    .into()
}

fn text(serving: &Serving) -> String {
    let mut out = format!("open {}", serving.address);
    for (name, link) in &serving.reviewers {
        out.push_str(&format!("\nreviewer {name}: {link}"));
    }
    out
}

/// Has the desktop open an address.
fn open(address: &str, printer: &Printer) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command.arg(address).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    if let Err(error) = command.spawn().context("no browser was found") {
        printer.note(&format!("{error:#}: open the address yourself"));
    }
}
