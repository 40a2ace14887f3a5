//! The published files of DR-Arena counted again: `TASKGEN_ARENA=DIR` names a folder with any of
//! `battle-replays/*.json`, `battles.json`, `verdicts.json`, `all_debate_history.jsonl` and
//! `tree_NNNN.json`, at whatever depth. They have no licence, so that none of them is here; without
//! the folder the test says so and is skipped.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use taskgen::benchmarks::dr_arena::{
    files::{Battles, History, JsonFile, Replay, TreeNode, Verdicts},
    recount::{Kind, ReplayFigures, Stop, label},
    seats::{BattleFigures, of_battle, of_history},
    tree,
};

/// Replays of the whole published set; only that has figures to be compared with.
const PUBLISHED: usize = 1_078;

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs_err::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn published_files_are_counted_again() {
    let mut out = std::io::stderr().lock();
    let Some(folder) = std::env::var_os("TASKGEN_ARENA").map(PathBuf::from) else {
        writeln!(
            out,
            "skipped: TASKGEN_ARENA names no folder of DR-Arena's files"
        )
        .unwrap();
        return;
    };
    let mut replays = ReplayFigures::default();
    let (mut listed, mut played) = (BattleFigures::default(), BattleFigures::default());
    let (mut logs, mut rounds, mut unknown) = (0, 0, 0);
    for path in files(&folder) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_json = path.extension().is_some_and(|end| end == "json");
        let shown = path.display().to_string();
        let bytes = fs_err::read(&path).unwrap();
        let above = path.parent().and_then(Path::file_name).unwrap_or_default();
        if above == "battle-replays" && is_json {
            match JsonFile::<Replay>::read(&shown, &bytes) {
                Ok(read) => replays.add(&read.value.content),
                Err(problem) => writeln!(out, "{problem}").unwrap(),
            }
        } else if name == "battles.json" {
            let read = JsonFile::<Battles>::read(&shown, &bytes).unwrap();
            let battles = read.value.content;
            let battles = battles.iter().filter_map(|battle| battle.get());
            for battle in battles {
                listed.add(&of_battle(battle));
            }
        } else if name == "all_debate_history.jsonl" {
            let lines = History::read(&shown, &bytes).value.lines;
            for (_, line) in &lines {
                played.add(&of_history(line));
            }
        } else if name == "verdicts.json" {
            let read = JsonFile::<Verdicts>::read(&shown, &bytes).unwrap();
            for log in read.value.content.iter().filter_map(|log| log.get()) {
                logs += 1;
                for round in log.rounds.get().into_iter().flatten() {
                    let verdict = round.get().and_then(|round| round.verdict.get());
                    rounds += 1;
                    unknown += usize::from(verdict.and_then(|verdict| label(verdict)).is_none());
                }
            }
        } else if name.starts_with("tree_") && is_json {
            match JsonFile::<TreeNode>::read(&shown, &bytes).map(|r| tree::read(&r.value.content)) {
                Ok(Ok(read)) => {
                    let (pages, left) =
                        (read.tree.nodes().len(), read.findings.len() + read.untold);
                    writeln!(out, "{name}: {pages} pages, {left} findings").unwrap();
                }
                Ok(Err(fault)) => writeln!(out, "{name}: {fault}").unwrap(),
                Err(problem) => writeln!(out, "{problem}").unwrap(),
            }
        }
    }
    print(&mut out, &replays);
    writeln!(out, "battles: {listed:?}\nhistory: {played:?}").unwrap();
    writeln!(
        out,
        "verdicts: {logs} logs, {rounds} rounds, {unknown} of them unknown"
    )
    .unwrap();
    if replays.replays == PUBLISHED {
        compare(&replays, &listed);
    }
}

fn print(out: &mut impl std::io::Write, figures: &ReplayFigures) {
    writeln!(
        out,
        "replays: {}, rounds: {}",
        figures.replays, figures.rounds
    )
    .unwrap();
    writeln!(out, "verdicts: {:?}", figures.verdicts).unwrap();
    writeln!(out, "ties: {:?}, tags: {:?}", figures.ties, figures.tags).unwrap();
    writeln!(
        out,
        "ends: {:?}, lengths: {:?}",
        figures.stops, figures.lengths
    )
    .unwrap();
    let (moves, allowed) = (figures.all_moves(), figures.allowed);
    writeln!(out, "moves: {moves}, {allowed} allowed").unwrap();
    for ((signal, step), count) in &figures.moves {
        writeln!(out, "  {signal} ({}, {}): {count}", step.levels, step.pages).unwrap();
    }
    writeln!(out, "bounds of the judge: {:?}", figures.limits).unwrap();
    writeln!(
        out,
        "instructions, and those that differ: {:?}",
        figures.instructions
    )
    .unwrap();
    for finding in &figures.findings {
        let (replay, round) = (&finding.replay, finding.round);
        writeln!(out, "  {replay}, round {round}: {:?}", finding.kind).unwrap();
    }
}

/// What is known of the whole set.
fn compare(figures: &ReplayFigures, listed: &BattleFigures) {
    assert_eq!(figures.rounds, 3_119);
    assert!(figures.allowed as f64 >= 0.99 * figures.all_moves() as f64);
    assert_eq!((figures.all_moves(), figures.allowed), (2_041, 2_027));
    assert_eq!(figures.stops[&Stop::Margin], 1_050);
    assert_eq!(figures.stops[&Stop::RoundLimit], 28);
    assert_eq!(figures.count(|kind| matches!(kind, Kind::Points { .. })), 0);
    assert_eq!(figures.limits, (3_119, 3_119));
    assert_eq!(figures.instructions, (3_119, 431));
    if listed.battles > 0 {
        assert_eq!(listed.trapped, 46);
    }
}
