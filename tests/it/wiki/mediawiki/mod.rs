//! Collecting an edition from a wiki on loopback: which pages are articles of the window, what is
//! frozen of them, and how a wiki that is busy or broken is dealt with.

mod command;
mod going_on;
mod server;

use std::{
    collections::BTreeMap,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use taskgen::{
    benchmarks::wiki_live_challenge::edition::{Manifest, RubricPart},
    collect::{self, Collected, Options},
    mediawiki::{ApiError, Client, ClientOptions, Window},
};

use server::{Fault, MediaWiki, WikiPage};

const GOOD: &str = "{{good article}}\n";

/// A good article of March, with so many references and sections.
fn article(id: u64, title: &str, references: u64, sections: u64) -> WikiPage {
    let references = (0..references)
        .map(|n| format!("Claim {n}.<ref>https://source{n}.example/{id} </ref>\n"))
        .collect::<Vec<_>>()
        .concat();
    let sections = (0..sections)
        .map(|n| format!("== Part {n} ==\nPart {n} of {title}.\n"))
        .collect::<Vec<_>>()
        .concat();
    let text = format!("{GOOD}{title} is a lighthouse.\n{references}{sections}");
    page(
        id,
        title,
        &[
            ("2026-03-10T08:00:00Z", "A stub."),
            ("2026-04-02T00:00:00Z", &text),
        ],
    )
}

fn page(id: u64, title: &str, revisions: &[(&str, &str)]) -> WikiPage {
    let revisions = revisions.iter();
    WikiPage {
        id,
        title: title.to_owned(),
        revisions: revisions
            .map(|(at, text)| ((*at).to_owned(), (*text).to_owned()))
            .collect(),
        added: format!("2026-04-03T00:00:{:02}Z", id % 60),
        is_redirect: false,
        is_disambiguation: false,
        is_deleted: false,
    }
}

/// Five good articles: 50001 has most references, 50005 the fewest.
fn five() -> Vec<WikiPage> {
    (1..=5)
        .map(|n| article(50_000 + n, &format!("Skerry {n}"), 7 - n, 2))
        .collect()
}

fn client_options(wiki: &MediaWiki) -> ClientOptions {
    let mut options = ClientOptions::new(&wiki.api(), "keeper@lantern.example");
    options.pause = Duration::ZERO;
    options.retries.attempts = 4;
    options.retries.pause = Duration::from_millis(1);
    options.retries.longest = Duration::from_secs(2);
    options.timeout = Duration::from_secs(20);
    options
}

fn client(wiki: &MediaWiki) -> Client {
    Client::new(client_options(wiki)).expect("a client")
}

fn window(as_of: &str) -> Window {
    let day = |text: &str| text.parse().expect("a day");
    let as_of = as_of.parse().expect("a moment");
    let now = jiff::Timestamp::now();
    Window::new(day("2026-03-01"), day("2026-04-01"), as_of, now).expect("a window")
}

fn options(folder: &Path) -> Options {
    Options {
        folder: folder.to_owned(),
        name: None,
        category: collect::CATEGORY.to_owned(),
        window: window("2026-04-10T00:00:00Z"),
        is_as_of_given: true,
        most: collect::MOST,
    }
}

fn run_with(client: &Client, options: &Options) -> anyhow::Result<Collected> {
    let rubric = [RubricPart {
        name: "Prose".to_owned(),
        criteria: vec!["The lead stands alone.".to_owned()],
    }];
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let notify: taskgen::context::Notify = Arc::new(|_| ());
    runtime.block_on(collect::run(client, options, &rubric, &notify))
}

fn run(wiki: &MediaWiki, folder: &Path) -> anyhow::Result<Collected> {
    run_with(&client(wiki), &options(folder))
}

fn titles(manifest: &Manifest) -> Vec<&str> {
    let articles = manifest.articles.iter();
    articles.map(|article| article.title.as_str()).collect()
}

/// All files of an edition by their paths, without what was kept for going on.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path
                .strip_prefix(folder)
                .expect("below")
                .to_str()
                .expect("UTF-8")
                .to_owned();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(name, std::fs::read(&path).expect("a file"));
            }
        }
    }
    found.retain(|name, _| !name.starts_with("collected"));
    found
}

fn api_error(error: &anyhow::Error) -> &ApiError {
    error
        .downcast_ref()
        .unwrap_or_else(|| panic!("no error of the API: {error:?}"))
}

#[test]
fn only_good_articles_of_the_window_are_in_the_edition() {
    let first = ("2026-03-01T00:00:00Z", "A stub.");
    let good = ("2026-03-20T00:00:00Z", "{{good article}}\nA lighthouse.");
    let mut pages = vec![
        page(
            1_200,
            "Ancient beacon",
            &[("2019-01-01T00:00:00Z", "x"), good],
        ),
        page(50_000, "First moment", &[first, good]),
        page(
            50_001,
            "Last moment",
            &[("2026-03-31T23:59:59Z", "{{good article}}\nA light.")],
        ),
        page(
            50_002,
            "Too late",
            &[("2026-04-01T00:00:00Z", "{{good article}}\nA light.")],
        ),
        page(50_003, "Imported", &[("2026-02-28T23:59:59Z", "x"), good]),
        page(50_004, "Moved away", &[first, good]),
        page(50_005, "Two lights", &[first, good]),
        page(50_006, "Torn down", &[first, good]),
        page(50_007, "List of skerries", &[first, good]),
        page(
            50_008,
            "Redirect then",
            &[
                first,
                ("2026-03-05T00:00:00Z", "#REDIRECT [[A]]"),
                ("2026-04-11T00:00:00Z", GOOD),
            ],
        ),
        page(
            50_009,
            "Promoted later",
            &[
                first,
                ("2026-04-11T00:00:00Z", "{{good article}}\nGood now."),
            ],
        ),
        page(
            50_010,
            "Boxes alone",
            &[first, ("2026-03-06T00:00:00Z", GOOD)],
        ),
    ];
    pages[5].is_redirect = true;
    pages[6].is_disambiguation = true;
    pages[7].is_deleted = true;
    // It was put into the category before the window, and is no article of it whatever it says.
    pages[0].added = "2026-03-25T00:00:00Z".to_owned();
    pages.push(WikiPage {
        added: "2026-02-01T00:00:00Z".to_owned(),
        ..page(60_000, "In the category before", &[first, good])
    });
    let wiki = MediaWiki::start(pages);
    let folder = tempfile::tempdir().expect("a folder");
    let collected = run(&wiki, folder.path()).expect("an edition");
    let mut found = titles(&collected.manifest);
    found.sort_unstable();
    assert_eq!(found, ["First moment", "Last moment"]);
    let left_out = collected.manifest.left_out.iter();
    let left_out: Vec<(&str, u64)> = left_out.map(|(why, n)| (why.as_str(), *n)).collect();
    assert_eq!(
        left_out,
        [
            ("after_window", 1),
            ("before_window", 2),
            ("deleted", 1),
            ("disambiguation", 1),
            ("list", 1),
            ("no_prose", 1),
            ("not_in_category", 1),
            ("redirect", 2),
        ]
    );
    assert_eq!(collected.report.rejected, collected.manifest.left_out);
    let asked = wiki.take_asked();
    for never in ["pageids=1200", "pageids=50007", "pageids=60000"] {
        assert!(!asked.iter().any(|query| query.contains(never)), "{never}");
    }
    // The wiki, the log, the members; one request for each that its first revision refuses, two and
    // three for the others.
    assert_eq!(asked.len(), 3 + 5 + 2 + 2 * 3 + 2 * 3, "{asked:#?}");
}

#[test]
fn a_revision_at_the_moment_is_frozen_with_its_text_and_references() {
    let text = "{{good article}}\nThe bell rings.<ref>https://a.example/x </ref><ref>https://a.example/x#y </ref>\n\
                == Tower ==\nIt is tall.<ref>https://b.example/ </ref>\n=== Lamp ===\nIt is bright.\n== References ==\n";
    let moment = "2026-04-10T00:00:00Z";
    let wiki = MediaWiki::start(vec![page(
        50_000,
        "Skerry bell (lighthouse)",
        &[
            ("2026-03-02T00:00:00Z", "x"),
            (moment, text),
            ("2026-04-10T00:00:01Z", "{{good article}}\nVandalised."),
        ],
    )]);
    let folder = tempfile::tempdir().expect("a folder");
    let collected = run(&wiki, folder.path()).expect("an edition");
    let [entry] = &collected.manifest.articles[..] else {
        panic!("one article")
    };
    assert_eq!(
        (entry.revision, entry.revised.as_str()),
        (5_000_001, moment)
    );
    assert_eq!(
        (entry.references, entry.sections, entry.deepest_section),
        (2, 3, 2)
    );
    assert_eq!(
        entry.permanent_link,
        "https://lantern.example/w/index.php?oldid=5000001"
    );
    let files = files(folder.path());
    let text_of = |path: &str| String::from_utf8(files[path].clone()).expect("UTF-8");
    assert_eq!(
        text_of("wiki_data/cleaned_data/article/Skerry_bell_(lighthouse).md"),
        "# Skerry bell (lighthouse)\n\nThe bell rings.\n\n## Tower\nIt is tall.\n\n### Lamp\nIt is bright.\n"
    );
    let raw = text_of("wiki_data/raw_wiki/Skerry_bell_(lighthouse).json");
    assert!(
        raw.contains("{{good article}}") && raw.contains("\"line\": \"Lamp\""),
        "{raw}"
    );
    let table = text_of("wiki_data/ga_1.csv");
    let row = table.lines().nth(1).expect("a row");
    assert_eq!(
        row,
        format!(
            "Skerry_bell_(lighthouse),https://lantern.example/wiki/Skerry_bell_(lighthouse),20260302000000,{},,,,3,2026-04-03,,",
            text.len()
        )
    );
    let tasks = text_of("wiki_data/ga_1.json");
    assert!(tasks.contains("Today is 2026-04-10") && tasks.contains("The lead stands alone."));
    assert!(text_of("ATTRIBUTION.md").contains("CC BY-SA 4.0"));
    let manifest = Manifest::read("manifest.json", &files["manifest.json"]).expect("a manifest");
    assert_eq!(manifest, collected.manifest);
}

#[test]
fn articles_are_ranked_and_cut() {
    let wiki = MediaWiki::start(five());
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options {
        most: 2,
        ..options(folder.path())
    };
    let collected = run_with(&client(&wiki), &options).expect("an edition");
    assert_eq!(titles(&collected.manifest), ["Skerry 1", "Skerry 2"]);
    assert_eq!(collected.manifest.left_out["below_most"], 3);
    assert!(files(folder.path()).contains_key("wiki_data/ga_2.csv"));
}

#[test]
fn lists_in_several_replies_are_read_to_their_end() {
    let wiki = MediaWiki::start(five());
    wiki.world().at_once = 2;
    wiki.world().has_empty_reply = true;
    let folder = tempfile::tempdir().expect("a folder");
    let collected = run(&wiki, folder.path()).expect("an edition");
    assert_eq!(collected.manifest.articles.len(), 5);
    let asked = wiki.take_asked();
    let lists = asked
        .iter()
        .filter(|query| query.contains("list=categorymembers"));
    assert_eq!(lists.count(), 4, "two, none, two and one");
    assert_eq!(
        collected.report.notes,
        ["categorymembers: This list is slow today."]
    );
}

#[test]
fn a_list_that_repeats_its_token_is_given_up() {
    let wiki = MediaWiki::start(five());
    wiki.world().repeats_token = true;
    let folder = tempfile::tempdir().expect("a folder");
    let error = run(&wiki, folder.path()).expect_err("no end");
    assert!(matches!(api_error(&error), ApiError::Endless(_)), "{error}");
    assert_eq!(
        wiki.take_asked().len(),
        4,
        "the token is known when it comes again"
    );
}

#[test]
fn a_busy_wiki_is_asked_again() {
    let wiki = MediaWiki::start(five());
    wiki.world().faults = vec![
        ("meta=siteinfo", Fault::MaxLag(0), 1),
        ("list=logevents", Fault::Status(429), 2),
        ("list=categorymembers", Fault::Status(503), 1),
        ("pageids=50003", Fault::Refused("ratelimited"), 1),
        (
            "action=parse",
            Fault::Refused("internal_api_error_DBQueryError"),
            1,
        ),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let collected = run(&wiki, folder.path()).expect("an edition");
    assert_eq!(collected.manifest.articles.len(), 5);
    assert_eq!(
        wiki.take_asked().len(),
        3 + 5 * 3 + 6,
        "each failure costs one request"
    );
}

#[test]
fn a_wiki_that_stays_busy_is_left_alone() {
    for (fault, times) in [
        (Fault::MaxLag(0), 4),
        (Fault::Status(429), 4),
        (Fault::MaxLag(3_600), 1),
    ] {
        let wiki = MediaWiki::start(five());
        wiki.world().faults = vec![("meta=siteinfo", fault, usize::MAX)];
        let folder = tempfile::tempdir().expect("a folder");
        let error = run(&wiki, folder.path()).expect_err("busy");
        assert!(
            matches!(api_error(&error), ApiError::Busy { .. }),
            "{error}"
        );
        assert!(error.to_string().contains("\nhint: "), "{error}");
        assert_eq!(wiki.take_asked().len(), times, "{error}");
    }
}

#[test]
fn what_is_no_reply_is_an_error_with_a_hint() {
    let far = MediaWiki::start(Vec::new());
    let cases = [
        (Fault::Html, "not_json"),
        (Fault::Broken, "not_json"),
        (Fault::Status(404), "status"),
        (Fault::Status(500), "busy"),
        (Fault::Refused("readapidenied"), "refused"),
        (Fault::Huge(300_000), "too_large"),
        (Fault::Moved(far.api()), "redirect"),
    ];
    for (fault, cause) in cases {
        let wiki = MediaWiki::start(five());
        wiki.world().faults = vec![("list=logevents", fault.clone(), usize::MAX)];
        let folder = tempfile::tempdir().expect("a folder");
        let mut client = client_options(&wiki);
        client.max_bytes = 100_000;
        let client = Client::new(client).expect("a client");
        let error = run_with(&client, &options(folder.path())).expect_err("no reply");
        assert_eq!(api_error(&error).cause(), cause, "{fault:?}: {error}");
        assert!(error.to_string().contains("\nhint: "), "{error}");
        assert!(
            files(folder.path()).is_empty(),
            "nothing of an edition is written"
        );
    }
    assert!(far.take_asked().is_empty(), "no other host is asked");
}

#[test]
fn a_page_that_cannot_be_had_is_left_out_alone() {
    let wiki = MediaWiki::start(five());
    wiki.world().faults = vec![
        ("oldid=5000201", Fault::Huge(300_000), 1),
        ("oldid=5000401", Fault::Refused("nosuchrevid"), 1),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = client_options(&wiki);
    client.max_bytes = 100_000;
    let client = Client::new(client).expect("a client");
    let collected = run_with(&client, &options(folder.path())).expect("an edition");
    assert_eq!(
        titles(&collected.manifest),
        ["Skerry 1", "Skerry 3", "Skerry 5"]
    );
    assert_eq!(collected.manifest.left_out["unreadable"], 2);
}

#[test]
fn a_window_without_a_good_article_is_an_error() {
    let wiki = MediaWiki::start(vec![page(
        50_000,
        "Stub",
        &[("2026-03-02T00:00:00Z", "A stub.")],
    )]);
    let folder = tempfile::tempdir().expect("a folder");
    let error = run(&wiki, folder.path())
        .expect_err("no article")
        .to_string();
    assert!(
        error.contains("not_in_category 1") && error.contains("\nhint: "),
        "{error}"
    );
    assert!(files(folder.path()).is_empty());
}

#[test]
fn a_wiki_without_a_log_or_with_the_new_list_of_sections_is_read_too() {
    let wiki = MediaWiki::start(five());
    wiki.world().has_no_log = true;
    wiki.world().has_tocdata = true;
    let folder = tempfile::tempdir().expect("a folder");
    let collected = run(&wiki, folder.path()).expect("an edition");
    let entry = &collected.manifest.articles[0];
    assert_eq!((entry.sections, entry.deepest_section), (2, 1));
    assert!(
        collected
            .report
            .notes
            .iter()
            .any(|note| note.contains("no log"))
    );
    let raw = std::fs::read_to_string(folder.path().join("wiki_data/raw_wiki/Skerry_1.json"))
        .expect("a page");
    assert!(
        raw.contains("\"toclevel\": 1") && raw.contains("\"level\": \"2\""),
        "{raw}"
    );
}

#[test]
fn requests_say_whose_they_are_and_keep_their_distance() {
    let wiki = MediaWiki::start(five());
    let folder = tempfile::tempdir().expect("a folder");
    let mut options_with_pause = client_options(&wiki);
    options_with_pause.pause = Duration::from_millis(15);
    let client = Client::new(options_with_pause).expect("a client");
    let started = Instant::now();
    run_with(&client, &options(folder.path())).expect("an edition");
    let requests = u32::try_from(client.requests()).expect("few");
    assert!(started.elapsed() >= Duration::from_millis(15) * (requests - 1));
    let headers = wiki.world().headers.clone();
    let agent = &headers["user-agent"];
    assert!(
        agent.starts_with("taskgen/") && agent.ends_with(" (keeper@lantern.example)"),
        "{agent}"
    );
    assert_eq!(headers["accept-encoding"], "gzip");
    assert!(
        wiki.take_asked()
            .iter()
            .all(|query| query.contains("maxlag=5"))
    );
}
