//! The issue rubric at every boundary, and the overall score.

use crate::benchmarks::live_research_bench::rubric::{Four, issue_score};

#[test]
fn every_boundary_of_the_rubric() {
    let expected = [
        100, 90, 90, 80, 80, 70, 70, 60, 60, 50, 50, 40, 40, 30, 30, 20, 20, 20, 10, 10, 10,
    ];
    let scores: Vec<u8> = (0..=20).map(issue_score).collect();
    assert_eq!(scores, expected);
    assert_eq!(issue_score(14), 30);
    assert_eq!(issue_score(15), 20);
    assert_eq!(issue_score(17), 20);
    assert_eq!(issue_score(18), 10);
    assert_eq!(issue_score(usize::MAX), 10);
}

#[test]
fn more_issues_never_score_higher() {
    assert!((0..100).all(|issues| issue_score(issues + 1) <= issue_score(issues)));
}

#[test]
fn an_overall_score_needs_all_four() {
    let four = Four {
        presentation: Some(80.0),
        consistency: Some(70.0),
        coverage: Some(60.0),
        citation: Some(50.0),
    };
    assert_eq!(four.overall(), Some(65.0));
    let three = Four {
        citation: None,
        ..four
    };
    assert_eq!(three.overall(), None);
}
