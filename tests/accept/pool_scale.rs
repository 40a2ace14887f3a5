//! A pool of ten thousand: two hundred talks, fifty tasks of each by a fake large model, ranked by
//! twenty thousand judgements of a fake judge. Prints the time, the peak memory and the size of the
//! database after each stage. `TASKGEN_POOL_TALKS` sets another number of talks, and
//! `TASKGEN_POOL_STYLE` another way of weaving (`array`).

use std::{
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{
    pool_model::{Habits, play, talk},
    support::{ModelServer, Project, project::put_transcript},
};

/// Tasks of a talk, and judgements of a task.
const PER_SEMINAR: usize = 50;
const JUDGEMENTS_EACH: usize = 2;
/// Sentences of a talk: two hours of speech have about a thousand.
const SENTENCES: usize = 300;

fn number(variable: &str, usual: usize) -> usize {
    let set = std::env::var(variable).ok();
    set.and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Runs a stage and says what it took; returns its summary.
fn stage(project: &Project, name: &str, seed: &str) -> Value {
    let begun = Instant::now();
    let mut child = project
        .command(&[name, "--json", "--quiet", "--seed", seed])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let printed = std::thread::spawn(move || {
        let mut printed = String::new();
        std::io::Read::read_to_string(&mut stdout, &mut printed).unwrap();
        printed
    });
    let mut peak = 0;
    let status = loop {
        peak = peak.max(peak_of(child.id()).unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    println!(
        "{name}: {:.1} s, peak {} MiB, database {} MiB",
        begun.elapsed().as_secs_f64(),
        peak >> 20,
        size(&project.path("tasks")) >> 20
    );
    let printed = printed.join().unwrap();
    assert!(status.success(), "{name}: {printed}");
    serde_json::from_str(&printed).unwrap()
}

/// Most memory that a process has had until now, in bytes.
fn peak_of(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}

/// Bytes of the database with its log.
fn size(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).unwrap().flatten();
    let of_database = files.filter(|file| {
        let name = file.file_name();
        name.to_string_lossy().starts_with("taskgen.db")
    });
    of_database.map(|file| file.metadata().unwrap().len()).sum()
}

#[test]
fn pool_scale_of_ten_thousand_tasks() {
    let seed = std::env::var("TASKGEN_ACCEPT_SEED").unwrap_or_else(|_| "1".into());
    let style = std::env::var("TASKGEN_POOL_STYLE").unwrap_or_else(|_| "single".into());
    let talks = number("TASKGEN_POOL_TALKS", 200);
    let habits = Habits {
        copies: true,
        slips: true,
        ..Habits::default()
    };
    let model = ModelServer::openai().plays(move |request| play(request, habits));
    let wanted = talks * PER_SEMINAR;
    let calls = wanted * JUDGEMENTS_EACH;
    let project = Project::new(&model.url)
        .config_instead(
            "method = \"elo\"\nrounds = 4",
            &format!("budget_calls = {calls}\ntarget_recall = 1.0"),
        )
        .config(&format!(
            "[weave]\nper_seminar = {PER_SEMINAR}\nstyle = \"{style}\"\n"
        ));
    for number in 0..talks {
        let name = format!("talk{number:03}.wav");
        let sentences = talk(&name, SENTENCES);
        let sentences: Vec<&str> = sentences.iter().map(String::as_str).collect();
        put_transcript(
            project.folder.path(),
            &name,
            name.as_bytes(),
            "en",
            &sentences,
            |_| 6000,
        );
    }
    println!("seed {seed}, style {style}: {talks} talks of {SENTENCES} sentences");
    let begun = Instant::now();
    for name in ["inspire", "weave", "rank"] {
        let summary = stage(&project, name, &seed);
        println!(
            "  {} calls; refused by rule: {}",
            model.take(),
            summary["stages"][0]["rejected"]
        );
    }
    println!("all: {:.1} s", begun.elapsed().as_secs_f64());
    let count = |sql: &str| project.count(sql) as usize;
    let woven = count("SELECT count(*) FROM task WHERE superseded = 0");
    let judged = count("SELECT count(*) FROM judgement WHERE state = 'scored'");
    println!("{woven} tasks, {judged} judgements");
    assert_eq!((woven, judged), (wanted, calls));
    // Again, everything is on record.
    let begun = Instant::now();
    for name in ["inspire", "weave", "rank"] {
        stage(&project, name, &seed);
    }
    println!("all once more: {:.1} s", begun.elapsed().as_secs_f64());
    assert_eq!(model.take(), 0);
}
