//! Hostile files: each is a typed finding or a whole reading, soon, and never a crash.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::json;

use super::made::{node, replay};
use crate::{
    benchmarks::dr_arena::{
        files::{Battles, Category, Content, History, JsonFile, Replay, TreeNode},
        recount::ReplayFigures,
        seats::{of_battle, of_history},
        tree::{self, NoTree, TreeFinding},
    },
    data::arena::{DEEPEST_TREE, MOST_NODES},
};

fn refused<T: Content + std::fmt::Debug>(text: &str) -> String {
    JsonFile::<T>::read("f.json", text.as_bytes())
        .unwrap_err()
        .to_string()
}

#[test]
fn a_tree_without_end_is_refused() {
    let deep = "{\"url\": \"https://a.test/\", \"children\": [".repeat(100_000);
    assert!(refused::<TreeNode>(&deep).contains("deep"));
    assert!(refused::<Category>(&"{\"children\":[".repeat(100_000)).contains("deep"));
    assert!(refused::<TreeNode>("{\"url\": NaN}").contains("NaN"));
    assert!(refused::<TreeNode>("{}").contains("no field `url`"));
    assert!(refused::<Replay>("[]").contains("no field `rounds`"));
}

#[test]
fn as_deep_as_a_file_may_be_a_tree_is_read_and_written() {
    let mut value = node("https://a.test/leaf", 60, &[]);
    for depth in (0..60).rev() {
        value = node(&format!("https://a.test/{depth}"), depth, &[value]);
    }
    let text = value.to_string();
    let file = JsonFile::<TreeNode>::read("f", text.as_bytes())
        .unwrap()
        .value
        .content;
    let told = tree::read(&file).unwrap();
    assert_eq!(told.tree.nodes().len(), DEEPEST_TREE);
    assert!(matches!(told.findings[..], [TreeFinding::TooDeep(_)]));
    let again = tree::write(&told.tree);
    assert_eq!(tree::read(&again).unwrap().tree.id(), told.tree.id());
}

/// A page with very many links and pages below it, all the same or all different.
#[test]
fn wide_trees_take_linear_time() {
    let wide = |count: usize, url: &dyn Fn(usize) -> String| {
        let mut text = String::from("{\"url\": \"https://a.test/\", \"crawled\": true, ");
        for field in ["link_contexts", "children"] {
            let _ = write!(text, "\"{field}\": [");
            for at in 0..count {
                let comma = if at == 0 { "" } else { "," };
                let _ = write!(text, "{comma}{{\"url\": \"{}\"}}", url(at));
            }
            text.push_str(if field == "children" { "]" } else { "]," });
        }
        text.push('}');
        JsonFile::<TreeNode>::read("f", text.as_bytes())
            .unwrap()
            .value
            .content
    };
    let same = tree::read(&wide(50_000, &|_| "https://a.test/x".into())).unwrap();
    assert_eq!(same.tree.nodes().len(), 2);
    assert_eq!(same.findings.len() + same.untold, 49_999);
    let other = tree::read(&wide(50_000, &|at| format!("https://a.test/{at}"))).unwrap();
    assert_eq!(other.tree.nodes().len(), 50_001);
    let many = wide(MOST_NODES + 1, &|at| format!("https://a.test/{at}"));
    assert_eq!(tree::read(&many), Err(NoTree::TooMany));
}

#[test]
fn figures_of_strangers_overflow_nothing() {
    let mut value = replay(
        &[
            (u64::MAX, u64::MAX, "A_BETTER", "N/A", "DEEP"),
            (i64::MAX as u64, i64::MAX as u64, "Tie", "LOW", "BOTH"),
            (1, i64::MAX as u64, "Tie", "LOW", "BOTH"),
            (0, 0, "Tie", "LOW", "BOTH"),
        ][3..],
    );
    let mut rounds = value["rounds"].as_array().unwrap().clone();
    for (level, width) in [
        (json!(u64::MAX), json!(u64::MAX)),
        (json!(i64::MAX), json!(i64::MAX)),
        (json!(1), json!(i64::MAX)),
        (json!(-5), json!(1e300)),
        (json!("2"), json!(null)),
    ] {
        let mut round = rounds[0].clone();
        round["depth"] = level;
        round["width"] = width;
        round["round"] = json!(u64::MAX);
        rounds.push(round);
    }
    value["rounds"] = json!(rounds);
    let text = value.to_string();
    let read = JsonFile::<Replay>::read("f", text.as_bytes()).unwrap();
    assert!(!read.problems.is_empty());
    let mut figures = ReplayFigures::default();
    figures.add(&read.value.content);
    assert!(!figures.findings.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn no_bytes_crash_a_reader(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = JsonFile::<TreeNode>::read("f", &bytes).map(|read| tree::read(&read.value.content));
        for (_, line) in History::read("f", &bytes).value.lines {
            let _ = of_history(&line);
        }
    }

    #[test]
    fn no_broken_field_crashes_a_reader(at in 0_usize..4_000, with in "[\"\\[\\]{}:,0-9a-z.-]{0,3}") {
        let whole = replay(&[(2, 2, "A_BETTER", "N/A", "WIDE"), (2, 3, "Tie", "LOW", "BOTH")]);
        let battles = json!([{"model_a": "a", "model_b": "b", "tree_id": "t", "score_a": 1.0,
            "score_b": 0.0, "winner": "a"}]);
        for text in [whole.to_string(), battles.to_string(), node("https://a.test/", 0, &[]).to_string()] {
            let mut broken = text.clone();
            let at = broken.floor_char_boundary(at % text.len());
            let end = broken.ceil_char_boundary((at + 2).min(text.len()));
            broken.replace_range(at..end, &with);
            let bytes = broken.as_bytes();
            if let Ok(read) = JsonFile::<Replay>::read("f", bytes) {
                ReplayFigures::default().add(&read.value.content);
            }
            if let Ok(read) = JsonFile::<Battles>::read("f", bytes) {
                for battle in read.value.content.iter().filter_map(|battle| battle.get()) {
                    let _ = of_battle(battle);
                }
            }
            let _ = JsonFile::<TreeNode>::read("f", bytes).map(|read| tree::read(&read.value.content));
        }
    }
}
