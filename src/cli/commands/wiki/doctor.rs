//! `taskgen wiki doctor`: what is wrong in a folder of Wiki Live Challenge: files that are missing
//! or broken, citations that lead nowhere, pages that are no evidence, articles that cite or copy
//! the page that they are compared with, text that the benchmark's own reader loses, and stored
//! figures that do not follow from their verdicts.

use std::{collections::BTreeMap, path::Path};

use anyhow::Result;
use serde::Serialize;

use super::{
    bench::Bench,
    readers::Readers,
    results::{self, CheckedResult},
};
use crate::{
    benchmarks::wiki_live_challenge::{
        doctor::{self, Counts, Finding, Place},
        files::{ArticleFile, ArticlePage, round_trip},
        layout::known,
        leak::{Leakage, Original, WikiPage, nearest},
    },
    cli::ui::{
        exit,
        output::{Printer, Problem, counted, first_of, listed, on_one_line, table},
    },
};

/// Findings that are listed; `--json` has all.
const SHOWN: usize = 20;

/// What was found.
#[derive(Serialize)]
struct Checked {
    agencies: BTreeMap<String, OfAgency>,
    findings: Vec<Finding>,
    results: Vec<CheckedResult>,
    round_trip: RoundTrips,
    problems: Vec<Problem>,
}

/// An agency's articles.
#[derive(Default, Serialize)]
struct OfAgency {
    counts: Counts,
    /// Statements of articles with a known address, and those that cite it, or Wikipedia at all.
    held_against: usize,
    cites_target: usize,
    cites_wikipedia: usize,
    /// Share of the passages of eight words that stand in the gold articles, mean and largest of
    /// the articles.
    copied: Option<f64>,
    most_copied: Option<f64>,
    /// What the benchmark's own reader and ours make of the articles.
    readers: Readers,
    #[serde(skip)]
    shares: Vec<f64>,
}

/// Files read and written again.
#[derive(Default, Serialize)]
struct RoundTrips {
    files: usize,
    /// With the same bytes.
    equal: usize,
    differences: Vec<String>,
}

/// Runs the command.
pub fn run(folder: &Path, printer: &Printer) -> Result<u8> {
    let mut bench = Bench::open(folder)?;
    let tasks = bench.tasks()?;
    let register = bench.register()?;
    let registered: Vec<String> = register
        .iter()
        .flat_map(|register| register.folders().map(str::to_owned))
        .collect();
    let registered: Vec<&str> = registered.iter().map(String::as_str).collect();
    let titles: Vec<&str> = tasks.iter().map(|task| task.stem.as_str()).collect();
    let mut findings = doctor::check_layout(&bench.layout, &titles, &registered);
    let targets: BTreeMap<&str, WikiPage> = tasks
        .iter()
        .filter_map(|task| Some((task.stem.as_str(), WikiPage::at(&task.url)?)))
        .collect();
    let mut agencies = BTreeMap::new();
    let mut originals: BTreeMap<String, Option<Original>> = BTreeMap::new();
    for (agency, files) in bench.layout.agencies.clone() {
        let mut of_agency = OfAgency::default();
        for (stem, files) in files {
            let markdown = bench.markdown(files.markdown.as_deref())?;
            let json: Option<ArticleFile> = bench.json(files.json.as_deref())?;
            let place = Place::article(&agency, &stem);
            let (found, counts) = doctor::check_article(&place, markdown.as_ref(), json.as_ref());
            findings.extend(found);
            of_agency.counts.join(&counts);
            let page = json
                .as_ref()
                .and_then(ArticleFile::page)
                .map(|(_, page)| page);
            if let (Some(page), Some(target)) = (page, targets.get(stem.as_str())) {
                of_agency.leaks(page, target);
            }
            let article = markdown.as_ref().map(|file| file.article(&stem).text);
            if let Some(text) = article {
                if !originals.contains_key(&stem) {
                    let gold = bench.gold(&stem)?.map(|(text, _)| Original::of(&text));
                    originals.insert(stem.clone(), gold);
                }
                of_agency.text(&text, originals.get(&stem).and_then(Option::as_ref));
            }
        }
        of_agency.sum_up();
        agencies.insert(agency, of_agency);
    }
    let results = results::check(&mut bench)?;
    let round_trip = round_trips(&bench)?;
    let checked = Checked {
        agencies,
        findings,
        results,
        round_trip,
        problems: std::mem::take(&mut bench.problems),
    };
    printer.show(&checked, text)?;
    let is_clean = checked.findings.is_empty()
        && checked.problems.is_empty()
        && checked.results.iter().all(|result| result.follows);
    Ok(if is_clean {
        exit::DONE
    } else {
        exit::SOME_FAILED
    })
}

impl OfAgency {
    fn leaks(&mut self, page: &ArticlePage, target: &WikiPage) {
        let mut leakage = Leakage::default();
        for (_, statement) in page.statements() {
            let urls = statement.url.get().map(|urls| urls.urls());
            leakage.add(nearest(urls.unwrap_or_default(), target));
        }
        self.held_against += leakage.statements;
        self.cites_target += leakage.target + leakage.cut_target;
        self.cites_wikipedia += leakage.wikipedia;
    }

    fn text(&mut self, text: &str, gold: Option<&Original>) {
        self.readers.add(text);
        self.shares
            .extend(gold.and_then(|gold| gold.copying(text).share()));
    }

    fn sum_up(&mut self) {
        let n = self.shares.len();
        self.copied = (n > 0).then(|| self.shares.iter().sum::<f64>() / n as f64);
        self.most_copied = self.shares.iter().copied().reduce(f64::max);
    }

    fn share_of_statements(&self, n: usize) -> String {
        match self.held_against {
            0 => "–".to_owned(),
            all => format!("{:.1}", 100.0 * n as f64 / all as f64),
        }
    }
}

fn round_trips(bench: &Bench) -> Result<RoundTrips> {
    let mut trips = RoundTrips::default();
    for path in &bench.paths {
        let Some(known) = known(path) else { continue };
        // One that cannot be read is among the problems.
        let Ok(trip) = round_trip(known.kind, path, &bench.bytes(path)?) else {
            continue;
        };
        trips.files += 1;
        trips.equal += usize::from(trip.differences.is_empty());
        let differences = trip.differences.iter();
        trips
            .differences
            .extend(differences.map(|of| format!("{path}: {of}")));
    }
    Ok(trips)
}

fn text(of: &Checked) -> String {
    let mut out = listed(&of.problems);
    out.push_str(&format!("{}\n", agencies(of)));
    for result in &of.results {
        out.push_str(&format!("{}\n", on_one_line(&result.sentence())));
    }
    let trip = &of.round_trip;
    out.push_str(&format!(
        "read and written again: {} of {} files have the same bytes\n",
        trip.equal, trip.files
    ));
    out.push_str(&first_of(&trip.differences, SHOWN));
    let kinds = doctor::counts(&of.findings);
    out.push_str(&format!("findings: {}\n", counted(&kinds, "none")));
    out.push_str(&first_of(&of.findings, SHOWN));
    out.push_str("target: the statement cites the article that it is compared with; copied: share of passages of eight words that stand in it\nsentences to cut addresses: by the benchmark's own reader, and beside it by ours");
    out
}

/// What the agencies have, what is copied, and what either reader makes of it.
fn agencies(of: &Checked) -> String {
    let mut counts = table(&[
        "agency",
        "articles",
        "statements",
        "no ref",
        "URLs",
        "pages",
        "not fetched",
        "stubs",
    ]);
    let mut shares = table(&[
        "agency",
        "target %",
        "Wikipedia %",
        "copied %",
        "most copied %",
    ]);
    let mut readers = table(&[
        "agency",
        "sentences",
        "by ours",
        "addresses",
        "by ours",
        "text lost %",
        "by ours",
        "cut addresses",
        "by ours",
    ]);
    let percent = |share: Option<f64>| {
        share.map_or_else(|| "–".to_owned(), |share| format!("{:.1}", share * 100.0))
    };
    for (agency, of) in &of.agencies {
        let Counts {
            articles,
            statements,
            no_ref,
            urls,
            pages,
            fetch_errors,
            stubs,
            ..
        } = of.counts;
        let numbers = [
            articles,
            statements,
            no_ref,
            urls,
            pages,
            fetch_errors,
            stubs,
        ];
        let mut cells = vec![on_one_line(agency)];
        cells.extend(numbers.map(|n| n.to_string()));
        counts.add_row(cells);
        shares.add_row([
            on_one_line(agency),
            of.share_of_statements(of.cites_target),
            of.share_of_statements(of.cites_wikipedia),
            percent(of.copied),
            percent(of.most_copied),
        ]);
        let Readers {
            characters,
            compat,
            ours,
        } = of.readers;
        let lost = |n: usize| (characters > 0).then(|| n as f64 / characters as f64);
        readers.add_row([
            on_one_line(agency),
            compat.sentences.to_string(),
            ours.sentences.to_string(),
            compat.urls.to_string(),
            ours.urls.to_string(),
            percent(lost(compat.lost)),
            percent(lost(ours.lost)),
            compat.cut_urls.to_string(),
            ours.cut_urls.to_string(),
        ]);
    }
    format!("{counts}\n{shares}\n{readers}")
}
