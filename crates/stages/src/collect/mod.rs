//! The stage in which an edition of Wiki Live Challenge is collected: good articles that came into
//! being in a window of time are found, frozen and made into the benchmark's files. How a wiki is
//! asked is in `mediawiki`, what an edition is in `benchmarks`; here is what is missing, and what
//! is kept.
//!
//! Each page is kept in the folder the moment it is there, also one that is left out, so that a
//! second run asks for none of them again. The edition is written when all pages are there, its
//! manifest last; one that is written is never changed.

mod folder;

use std::{path::PathBuf, time::Instant};

use anyhow::{Result, bail};

use crate::{
    benchmarks::wiki_live_challenge::edition::{
        Edition, Gold, Head, LeftOut, Manifest, RubricPart, Wiki, edition,
    },
    context::{Notice, Notify, StageReport},
    mediawiki::{
        Client, FrozenPage, Member, PageOutcome, Reason, Site, Window, reading, reference_addresses,
    },
};
use folder::{Folder, Listed, Plan};

/// Category of good articles of the English Wikipedia.
pub const CATEGORY: &str = "Category:Good articles";
/// The most articles of an edition, as in the benchmark.
pub const MOST: usize = 100;
const STAGE: &str = "collect";
/// Pages in a row that a wiki may fail to give.
const MOST_IN_A_ROW: usize = 5;

/// Which edition is collected, and where.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder of the edition.
    pub folder: PathBuf,
    /// Name of the edition; its window otherwise.
    pub name: Option<String>,
    /// Category of good articles.
    pub category: String,
    /// When articles came into being, and when they are frozen.
    pub window: Window,
    /// Whether the moment of freezing was asked for. Otherwise it is that of the first run.
    pub is_as_of_given: bool,
    /// The most articles.
    pub most: usize,
}

/// What was collected.
#[derive(Clone, Debug)]
pub struct Collected {
    /// What was done.
    pub report: StageReport,
    /// The edition.
    pub manifest: Manifest,
}

/// Collects an edition, or goes on where an earlier run stopped.
pub async fn run(
    client: &Client,
    options: &Options,
    rubric: &[RubricPart],
    notify: &Notify,
) -> Result<Collected> {
    let started = Instant::now();
    let mut report = StageReport::new(STAGE);
    let folder = Folder::open(options, client.api())?;
    let plan = &folder.plan;
    let listed = match folder.listed()? {
        Some(listed) => listed,
        None => list(client, &folder).await?,
    };
    if listed.first_page_id == 0 {
        let note = "the wiki has no log of new pages: each page of the category was asked about";
        report.notes.push(note.to_owned());
    }
    let (candidates, older): (Vec<&Member>, Vec<&Member>) = listed
        .members
        .iter()
        .partition(|member| member.page_id >= listed.first_page_id);
    notify(Notice::Start {
        stage: STAGE,
        total: candidates.len() as u64,
    });
    let fetched = fetch(client, &folder, &candidates, notify, &mut report).await;
    notify(Notice::End);
    fetched?;
    report.notes.extend(client.warnings());

    let (gold, left_out) = outcomes(&folder, &candidates)?;
    let older = older.len() as u64;
    let head = head(plan);
    let edition = edition(
        &head,
        &wiki(client, &listed.site),
        &gold,
        left_out,
        older,
        rubric,
    );
    report.rejected.clone_from(&edition.manifest.left_out);
    let changed = write(&folder, &edition)?;
    if changed > 0 {
        let note = format!("files of the edition that somebody changed, and that stay: {changed}");
        report.notes.push(note);
    }
    report.seconds = started.elapsed().as_secs_f64();
    let manifest = edition.manifest;
    Ok(Collected { report, manifest })
}

/// Asks for the list of pages that may be of the edition, and keeps it.
async fn list(client: &Client, folder: &Folder) -> Result<Listed> {
    let plan = &folder.plan;
    let listed = Listed {
        site: client.site().await?,
        first_page_id: client.first_page_id(&plan.window).await?,
        members: client.members(&plan.category, &plan.window).await?,
    };
    folder.keep_list(&listed)?;
    Ok(listed)
}

/// Fetches the pages that are not kept yet, one after the other.
async fn fetch(
    client: &Client,
    folder: &Folder,
    candidates: &[&Member],
    notify: &Notify,
    report: &mut StageReport,
) -> Result<()> {
    let plan = &folder.plan;
    let mut in_a_row = 0;
    for member in candidates {
        let is_kept = folder.page(member.page_id)?.is_some();
        if !is_kept {
            notify(Notice::Working(&member.title));
            let frozen = client.freeze(member, &plan.category, &plan.window).await;
            match frozen {
                Ok(outcome) => folder.keep_page(member.page_id, &outcome)?,
                // Others may still be had; a wiki of another kind gives none.
                Err(error) if error.may_be_of_page() && in_a_row < MOST_IN_A_ROW => {
                    in_a_row += 1;
                    let name = format!("page {}, {}", member.page_id, member.title);
                    report.fail(&name, error.cause(), error.to_string());
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
        }
        in_a_row = 0;
        report.count(is_kept);
        notify(Notice::Advance(1));
    }
    let Some(first) = report.failed.first() else {
        return Ok(());
    };
    let why = first.message.lines().next().unwrap_or_default();
    bail!(
        "pages that the wiki does not give: {}, such as {}: {why}\nhint: run the same command later; what was fetched is kept",
        report.failed.len(),
        first.item
    )
}

/// The kept pages as articles, and those that are none.
fn outcomes(folder: &Folder, candidates: &[&Member]) -> Result<(Vec<Gold>, Vec<LeftOut>)> {
    let (mut gold, mut left_out) = (Vec::new(), Vec::new());
    for member in candidates {
        match folder.page(member.page_id)? {
            Some(PageOutcome::Frozen(page)) => gold.push(article(*page)),
            Some(PageOutcome::LeftOut(reason)) => left_out.push(without(member, reason)),
            None => bail!(
                "page {} was kept and cannot be read any more\nhint: run the same command again",
                member.page_id
            ),
        }
    }
    Ok((gold, left_out))
}

fn without(member: &Member, reason: Reason) -> LeftOut {
    LeftOut::new(member.page_id, &member.title, reason.word())
}

fn article(page: FrozenPage) -> Gold {
    Gold {
        references: reference_addresses(&page.wikitext).len() as u64,
        external_links: page.external_links.len() as u64,
        text: page.text(),
        prose: page.prose(),
        revisions: page.reply(),
        title: page.title,
        page_id: page.page_id,
        created: page.created,
        added: page.added,
        revision: page.revision,
        revised: page.revised,
        bytes: page.bytes,
        sections: page.sections,
    }
}

fn head(plan: &Plan) -> Head {
    Head {
        name: plan.name.clone(),
        since: plan.window.since.clone(),
        until: plan.window.until.clone(),
        as_of: plan.window.as_of.clone(),
        category: plan.category.clone(),
        reading: reading(),
        most: plan.most,
    }
}

fn wiki(client: &Client, site: &Site) -> Wiki {
    let site = site.clone();
    Wiki {
        api: client.api().to_owned(),
        name: site.name,
        server: site.server,
        script: site.script,
        article_path: site.article_path,
        licence: site.licence,
        licence_url: site.licence_url,
    }
}

/// Writes the edition, its manifest last; one without articles is none.
fn write(folder: &Folder, edition: &Edition) -> Result<usize> {
    if edition.manifest.articles.is_empty() {
        let counts = edition.manifest.left_out.iter();
        let counts: Vec<String> = counts.map(|(why, n)| format!("{why} {n}")).collect();
        bail!(
            "no article of this window is a good one; left out: {}\nhint: another window, or another --category",
            if counts.is_empty() {
                "none".to_owned()
            } else {
                counts.join(", ")
            }
        );
    }
    folder.write_edition(edition)
}
