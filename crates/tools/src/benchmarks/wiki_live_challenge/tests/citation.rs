//! Citations: several pages, both denominators, both ways of counting.

use serde_json::{Value, json};

use super::samples::{article, citation, citation_value, read_broken};
use crate::benchmarks::wiki_live_challenge::{
    aggregate::{
        Cause, Counting,
        citation::{CitationFigures, citation as figures, means, summary},
    },
    files::CitationFile,
};

fn both(value: &Value) -> (CitationFigures, CitationFigures) {
    let file: CitationFile = read_broken(value);
    (
        figures(&file, None, Counting::Compat),
        figures(&file, None, Counting::Strict),
    )
}

#[test]
fn support_comes_before_conflict_and_conflict_before_none() {
    let rows = [
        (0, "1", "not_support"),
        (0, "2", "support"),
        (0, "3", "conflict"),
        (1, "1", "conflict"),
        (1, "2", "not_support"),
        (2, "1", "not_support"),
        (5, "1", "support"),
    ];
    let (compat, strict) = both(&citation_value(8, &rows));
    assert_eq!(compat, strict);
    let statements = &compat.statements;
    assert_eq!(
        (
            statements.support,
            statements.conflict,
            statements.not_support
        ),
        (2, 1, 1)
    );
    assert_eq!(compat.support_ratio(), Some(0.5));
    assert_eq!(compat.conflict_ratio(), Some(0.25));
    assert_eq!((compat.pairs.support, compat.pairs.judged()), (2, 7));
    let mut backwards = rows;
    backwards.reverse();
    assert_eq!(both(&citation_value(8, &backwards)).0, compat);
}

#[test]
fn both_denominators() {
    let article = article();
    let page = article.page().unwrap().1;
    let file = citation(4, &[(0, "1", "support"), (1, "1", "conflict")]);
    let figures = figures(&file, Some(page), Counting::Strict);
    // Statement 0 cites one address, statement 1 two, statement 2 a number without any.
    assert_eq!((figures.all_pairs, figures.without_url), (Some(3), Some(1)));
    assert_eq!(figures.support_ratio(), Some(0.5));
    assert_eq!(figures.support_of_all_pairs(), Some(1.0 / 3.0));
    assert_eq!(figures.conflict_of_all_pairs(), Some(1.0 / 3.0));
    assert_eq!(both(&citation_value(4, &[])).0.support_of_all_pairs(), None);
}

#[test]
fn what_cannot_be_read_is_unscored() {
    let changes: [(&str, Value, Cause); 4] = [
        (
            "/results/0/verdict",
            json!("supported"),
            Cause::UnknownLabel,
        ),
        (
            "/results/0/verdict",
            json!(["support"]),
            Cause::UnknownLabel,
        ),
        ("/results/0/verdict", json!(null), Cause::Missing),
        ("/results/0/statement_index", json!("first"), Cause::Missing),
    ];
    for (place, value, cause) in changes {
        let mut file = citation_value(9, &[(0, "1", "support"), (1, "1", "support")]);
        *file.pointer_mut(place).unwrap() = value;
        let (compat, strict) = both(&file);
        assert_eq!(
            strict.statements.unscored.0.get(&cause),
            Some(&1),
            "{place}"
        );
        assert_eq!(strict.support_ratio(), Some(1.0), "{place}");
        assert_eq!(compat.statements.unscored.total(), 0);
        assert_eq!(compat.statements.support, 1);
    }
}

#[test]
fn an_unread_page_leaves_open_all_but_support() {
    let strict = |rows: &[(u64, &str, &str)]| both(&citation_value(9, rows)).1.statements;
    let open = strict(&[
        (0, "1", "?"),
        (0, "2", "not_support"),
        (1, "1", "?"),
        (1, "2", "conflict"),
    ]);
    assert_eq!((open.scored(), open.unscored.total()), (0, 2));
    let borne_out = strict(&[(0, "1", "?"), (0, "2", "support")]);
    assert_eq!((borne_out.support, borne_out.unscored.total()), (1, 0));
}

#[test]
fn a_pair_counts_once() {
    let rows = [(0, "1", "not_support"), (0, " 1", "support")];
    let (compat, strict) = both(&citation_value(9, &rows));
    assert_eq!(compat.statements.support, 1);
    assert_eq!(
        (strict.statements.support, strict.statements.not_support),
        (0, 1)
    );
    assert_eq!(strict.pairs.unscored.0.get(&Cause::Repeated), Some(&1));
}

#[test]
fn stored_figures_have_the_fields_of_the_format() {
    let mut file = citation(
        7,
        &[
            (0, "1", "support"),
            (1, "1", "not_support"),
            (3, "2", "conflict"),
        ],
    );
    figures(&file, None, Counting::Compat).store(&mut file);
    let stored = serde_json::to_value(&file).unwrap();
    for (field, value) in [
        ("total_statements", json!(7)),
        ("evaluated_statements", json!(3)),
        ("skipped_statements", json!(4)),
        ("support", json!(1)),
        ("not_support", json!(1)),
        ("conflict", json!(1)),
        ("support_ratio", json!(1.0 / 3.0)),
        ("conflict_ratio", json!(1.0 / 3.0)),
    ] {
        assert_eq!(stored[field], value, "{field}");
    }
}

#[test]
fn skipped_articles_are_in_no_mean() {
    let skipped: CitationFile = read_broken(&json!({
        "title": "x", "status": "skipped", "reason": "no_citations", "total_statements": 3,
    }));
    let articles = [
        figures(&citation(2, &[(0, "1", "support")]), None, Counting::Strict),
        figures(
            &citation(2, &[(0, "1", "conflict")]),
            None,
            Counting::Strict,
        ),
        figures(&skipped, None, Counting::Strict),
    ];
    let ours = means(&articles);
    assert_eq!((ours.articles, ours.completed), (3, 2));
    assert_eq!(ours.support, (Some(0.5), 2));
    assert_eq!(ours.support_of_all_pairs, (None, 0));
    assert_eq!(
        serde_json::to_value(summary(&articles)).unwrap(),
        json!({"total_articles": 3, "completed_articles": 2, "avg_support_ratio": 0.5,
               "avg_conflict_ratio": 0.5})
    );
}
