//! `taskgen arena`: duels of agents on trees of pages (DR-Arena).

mod board;
mod onboard;
mod play;
mod replay;
mod seasons;
mod seats;
mod topics;
mod tournament;
mod trees;

use anyhow::Result;

use crate::{
    arena::crawl::Shape,
    cli::{
        args::{Arena, BuildTree, Global},
        commands::evaluate::judge::pages_options,
        project::{Project, settings::Reader},
        ui::{exit::Usage, output::Printer},
    },
    data::arena::InfoTree,
    store::Store,
    web::Pages,
};

/// Runs one of the commands.
pub fn arena(global: &Global, command: &Arena, printer: &Printer) -> Result<u8> {
    match command {
        Arena::Trees(command) => trees::trees(global, command, printer),
        Arena::Match(args) => play::duel(global, args, printer),
        Arena::Tournament(args) => tournament::tournament(global, args, printer),
        Arena::Onboard(args) => onboard::onboard(global, args, printer),
        Arena::Leaderboard(args) => board::leaderboard(global, args, printer),
        Arena::Replay(args) => replay::replay(global, args, printer),
        Arena::List => replay::list(global, printer),
    }
}

/// Where pages come from that a tree does not have.
fn web(
    global: &Global,
    project: &Project,
    allow_private: bool,
    printer: &Printer,
) -> Result<Pages> {
    if allow_private {
        printer.error("--allow-private-network: pages may be fetched from private addresses, whatever a page links to");
    }
    Pages::new(pages_options(
        global,
        project,
        allow_private,
        false,
        printer,
    )?)
}

/// The tree of a name or id.
fn tree(store: &Store, name: &str) -> Result<InfoTree> {
    store.tree(name)?.ok_or_else(|| {
        Usage(format!(
            "no such tree: `{name}`\nhint: `taskgen arena trees list`, or `taskgen arena trees import FILE`"
        ))
        .into()
    })
}

/// The shape that the flags give a tree.
fn shape(args: &BuildTree) -> Shape {
    Shape {
        depth: args.depth,
        width: args.width,
        pages: args.pages,
    }
}

/// Trees need links.
fn refuse_jina(project: &Project) -> Result<()> {
    if matches!(project.loaded.config.web.reader, Reader::Jina) {
        let hint = "hint: `reader = \"own\"` in [web]";
        return Err(Usage(format!("Jina Reader gives no links of a page\n{hint}")).into());
    }
    Ok(())
}
