//! Collecting that was stopped goes on and asks for nothing twice; an edition stays what it is, and
//! two of them can be compared.

use std::path::Path;

use taskgen::{benchmarks::wiki_live_challenge::edition::difference, collect::Options};

use super::{
    GOOD, api_error, article, client, files, five, options, run, run_with,
    server::{Fault, MediaWiki},
    window,
};

fn kept_pages(folder: &Path) -> Vec<String> {
    let pages = std::fs::read_dir(folder.join("collected/pages"));
    let pages = pages.into_iter().flatten();
    let names = pages.map(|entry| {
        entry
            .expect("an entry")
            .file_name()
            .into_string()
            .expect("UTF-8")
    });
    names.map(|name| name.replace(".json", "")).collect()
}

#[test]
fn a_run_that_stopped_goes_on_and_asks_for_nothing_twice() {
    let wiki = MediaWiki::start(five());
    let whole = tempfile::tempdir().expect("a folder");
    run(&wiki, whole.path()).expect("an edition");
    let requests = wiki.take_asked().len();
    assert_eq!(requests, 3 + 5 * 3);
    for stop in 1..requests {
        let folder = tempfile::tempdir().expect("a folder");
        wiki.world().down_from = Some(stop);
        let error = run(&wiki, folder.path()).expect_err("the server is down");
        assert_eq!(api_error(&error).cause(), "busy", "{error}");
        assert!(
            files(folder.path()).is_empty(),
            "nothing of an edition is written"
        );
        let kept = kept_pages(folder.path());
        assert_eq!(kept.len(), stop.saturating_sub(3) / 3);
        wiki.world().down_from = None;
        wiki.take_asked();
        let collected = run(&wiki, folder.path()).expect("an edition");
        let asked = wiki.take_asked();
        for id in &kept {
            let again = |query: &&String| {
                query.contains(&format!("pageids={id}")) || query.contains(&format!("oldid={id}"))
            };
            assert!(
                asked.iter().find(again).is_none(),
                "{id} was kept after {stop} requests"
            );
        }
        let lists = if stop < 3 { 3 } else { 0 };
        assert_eq!(
            asked.len(),
            lists + (5 - kept.len()) * 3,
            "after {stop} requests"
        );
        assert_eq!(collected.report.skipped, kept.len() as u64);
        assert_eq!(
            files(folder.path()),
            files(whole.path()),
            "after {stop} requests"
        );
    }
}

#[test]
fn an_edition_stays_what_it_is() {
    let wiki = MediaWiki::start(five());
    let folder = tempfile::tempdir().expect("a folder");
    let first = run(&wiki, folder.path()).expect("an edition");
    let before = files(folder.path());
    wiki.take_asked();
    // The wiki goes on; the edition does not.
    wiki.world().pages.clear();
    let later = Options {
        window: window("2026-06-01T00:00:00Z"),
        is_as_of_given: false,
        ..options(folder.path())
    };
    let second = run_with(&client(&wiki), &later).expect("the same edition");
    assert_eq!(
        second.manifest, first.manifest,
        "the first run's moment counts"
    );
    assert!(wiki.take_asked().is_empty() && second.report.done == 0);
    assert_eq!(files(folder.path()), before);

    let other = Options {
        is_as_of_given: true,
        ..later
    };
    let error = run_with(&client(&wiki), &other).expect_err("another moment");
    let message = error.to_string();
    assert!(
        message.contains("frozen at `2026-04-10T00:00:00Z`") && message.contains("\nhint: "),
        "{message}"
    );

    let changed = std::fs::read_to_string(folder.path().join("manifest.json")).expect("a manifest");
    let changed = changed.replace("Lantern", "Lamp");
    std::fs::write(folder.path().join("manifest.json"), &changed).expect("written");
    let error = run(&wiki, folder.path()).expect_err("another edition");
    assert!(error.to_string().contains("never changed"), "{error}");
}

#[test]
fn two_editions_differ_by_what_happened_between_them() {
    let wiki = MediaWiki::start(five());
    let folder = tempfile::tempdir().expect("a folder");
    let first = run(&wiki, folder.path()).expect("an edition");
    {
        let pages = &mut wiki.world().pages;
        pages[1].revisions.push((
            "2026-05-01T00:00:00Z".to_owned(),
            format!("{GOOD}Rewritten."),
        ));
        pages[2].is_deleted = true;
        pages.push(article(50_009, "Skerry 9", 1, 1));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let later = Options {
        window: window("2026-06-01T00:00:00Z"),
        ..options(folder.path())
    };
    let second = run_with(&client(&wiki), &later).expect("an edition");
    let found = difference(&first.manifest, &second.manifest);
    assert_eq!(
        (found.new, found.gone),
        (vec!["Skerry 9".to_owned()], vec!["Skerry 3".to_owned()])
    );
    let changed: Vec<(&str, u64, u64)> = found
        .changed
        .iter()
        .map(|of| (of.title.as_str(), of.from, of.to))
        .collect();
    assert_eq!(changed, [("Skerry 2", 5_000_201, 5_000_202)]);
    assert_eq!(found.unchanged, ["Skerry 1", "Skerry 4", "Skerry 5"]);
}

#[test]
fn a_kept_page_that_was_damaged_is_named() {
    let wiki = MediaWiki::start(five());
    let folder = tempfile::tempdir().expect("a folder");
    wiki.world().down_from = Some(7);
    run(&wiki, folder.path()).expect_err("the server is down");
    wiki.world().down_from = None;
    let path = folder.path().join("collected/pages/50001.json");
    std::fs::write(&path, "{").expect("written");
    let error = format!("{:#}", run(&wiki, folder.path()).expect_err("damaged"));
    assert!(
        error.contains("50001.json") && error.contains("hint: "),
        "{error}"
    );
    std::fs::remove_file(path).expect("removed");
    let collected = run(&wiki, folder.path()).expect("an edition");
    assert_eq!(collected.manifest.articles.len(), 5);
}

/// A page that the wiki does not give is named; the others are fetched, and no edition is written
/// without it.
#[test]
fn one_page_that_cannot_be_had_lets_the_others_be_fetched() {
    let wiki = MediaWiki::start(five());
    let folder = tempfile::tempdir().expect("a folder");
    let fault = Fault::Refused("internal_api_error_Exception");
    wiki.world().faults.push(("pageids=50003", fault, 99));
    let error = run(&wiki, folder.path()).expect_err("a page is missing");
    let told = error.to_string();
    assert!(
        told.contains("page 50003, Skerry 3") && told.contains("hint"),
        "{told}"
    );
    assert_eq!(kept_pages(folder.path()).len(), 4);
    assert!(
        files(folder.path()).is_empty(),
        "nothing of an edition is written"
    );
    wiki.world().faults.clear();
    wiki.take_asked();
    run(&wiki, folder.path()).expect("an edition");
    assert_eq!(wiki.take_asked().len(), 3, "nothing but the missing page");
}
