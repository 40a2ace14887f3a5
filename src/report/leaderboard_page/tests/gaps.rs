//! What is missing on a board shows on its page.

use super::{
    TEXT, page,
    scan::{rows, text},
    summary,
};

/// Who is not complete stands apart and has no rank; what could be otherwise says so, in numbers
/// and in the drawing. The efficiency stands beside the bars and in their table.
#[test]
fn what_is_missing_shows() {
    let mut page = page(3, 3, TEXT);
    let last = &mut page.agents[2];
    (last.rank, last.tier, last.is_complete) = (None, None, false);
    last.possible_ranks = Some((1, 3));
    let ace = last.values.get_mut("ace").expect("a value");
    (ace.worst, ace.best) = (Some(2.25), Some(9.5));
    page.agents[0].possible_ranks = Some((1, 2));
    let html = summary(&page).expect("a page");
    let rows = rows(&html);
    let place = |name: &str| rows.iter().position(|row| row[0] == name).expect("a row");
    let apart = place("Not complete: no rank");
    assert!(place("acme/agent-1") < apart && apart + 1 == place("acme/agent-2"));
    assert_eq!(rows[place("acme/agent-0")][2], "1 (1 to 2)");
    assert_eq!(rows[apart + 1][1..3], ["–", "– (1 to 3)"]);
    assert!(
        rows[apart + 1][3].ends_with("could be 2.25 to 9.50"),
        "{:?}",
        rows[apart + 1]
    );
    assert!(!rows[place("acme/agent-1")][3].contains("could be"));
    let lines = html.matches("<line class=\"open\"").count();
    assert_eq!(lines, 1, "in the one cell that is open");
    assert!(
        html.contains("<line class=\"apart\""),
        "in the stacked bars"
    );
    let stacked = rows
        .iter()
        .find(|row| row.len() == 6 && row[0] == "acme/agent-1");
    assert_eq!(stacked.expect("a row of the figure")[4], "2.25");
    assert!(text(&html).contains("99 of 100 · 2.25"));
}
