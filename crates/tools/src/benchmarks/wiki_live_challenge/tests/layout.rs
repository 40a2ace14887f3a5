//! Layouts: kinds of paths, stems, what is missing.

use crate::benchmarks::wiki_live_challenge::layout::{FileKind, Layout, Missing, known, stem_of};

const GOLD: &str = "wiki_data/cleaned_data/article/A_(b).md";
const PATHS: [&str; 9] = [
    "wiki_data/ga_100.csv",
    "wiki_data/ga_100.json",
    "wiki_data/raw_wiki/A_(b).json",
    GOLD,
    "wiki_data/cleaned_data/statement/A_(b)_statements.json",
    "test_data/agencies.json",
    "test_data/wren/md_data/A_(b).md",
    "test_data/wren/json_data/A_(b).json",
    "results/x/A_(b)_citation.json",
];

#[test]
fn each_path_has_its_kind_agency_and_stem() {
    let kinds: Vec<FileKind> = PATHS.iter().map(|path| known(path).unwrap().kind).collect();
    assert_eq!(
        kinds,
        [
            FileKind::TaskTable,
            FileKind::Tasks,
            FileKind::RawWiki,
            FileKind::GoldArticle,
            FileKind::GoldStatements,
            FileKind::Agencies,
            FileKind::AgencyMarkdown,
            FileKind::AgencyJson,
            FileKind::Citation,
        ]
    );
    for path in PATHS {
        let from_above = format!("data/2025/{path}");
        assert_eq!(known(path), known(&from_above).as_ref().copied(), "{path}");
    }
    let agency = known(PATHS[6]).unwrap();
    assert_eq!((agency.agency, agency.stem), (Some("wren"), "A_(b)"));
    assert_eq!(known(PATHS[4]).unwrap().stem, "A_(b)");
    assert_eq!(known("r/_summary.json").unwrap().kind, FileKind::Summary);
    assert_eq!(known("r/桥_writing.json").unwrap().stem, "桥");
    for nothing in [
        "",
        "README.md",
        "wiki_data/notes.txt",
        "x/_writing.json",
        "md_data/a.txt",
    ] {
        assert_eq!(known(nothing), None, "{nothing}");
    }
}

#[test]
fn a_whole_benchmark_misses_nothing() {
    let layout = Layout::of(PATHS);
    assert_eq!(layout.missing(&["A (b)"], &["wren"]), []);
    assert_eq!(layout.unknown, Vec::<String>::new());
    assert_eq!(layout.results.len(), 1);
}

#[test]
fn whatever_is_taken_away_is_missing_by_name() {
    for (at, path) in PATHS.iter().enumerate().take(8) {
        let left = PATHS.iter().enumerate().filter(|(other, _)| *other != at);
        let layout = Layout::of(left.map(|(_, path)| *path));
        let missing = layout.missing(&["A_(b)"], &["wren"]);
        let named: Vec<FileKind> = missing.iter().map(|missing| missing.kind).collect();
        assert_eq!(named, [known(path).unwrap().kind], "{path}");
    }
}

#[test]
fn agencies_and_articles_without_any_file() {
    let layout = Layout::of(PATHS);
    let missing = layout.missing(&["A (b)", "Other/thing"], &["wren", "lark"]);
    let of = |kind, agency: Option<&str>, stem: Option<&str>| Missing {
        kind,
        agency: agency.map(str::to_owned),
        stem: stem.map(str::to_owned),
    };
    let other = Some("Other_thing");
    assert_eq!(
        missing,
        [
            of(FileKind::GoldArticle, None, other),
            of(FileKind::GoldStatements, None, other),
            of(FileKind::RawWiki, None, other),
            of(FileKind::AgencyMarkdown, Some("lark"), None),
            of(FileKind::AgencyMarkdown, Some("wren"), other),
            of(FileKind::AgencyJson, Some("wren"), other),
        ]
    );
}

#[test]
fn markdown_comes_before_json() {
    let layout = Layout::of(PATHS);
    assert_eq!(
        layout.agency_files("wren", "A_(b)").unwrap().article(),
        Some(PATHS[6])
    );
    let layout = Layout::of([PATHS[7]]);
    assert_eq!(
        layout.agency_files("wren", "A_(b)").unwrap().article(),
        Some(PATHS[7])
    );
    assert_eq!(layout.agency_files("lark", "A_(b)"), None);
}

#[test]
fn stems_of_titles() {
    assert_eq!(stem_of("Fall River/New Line"), "Fall_River_New_Line");
}
