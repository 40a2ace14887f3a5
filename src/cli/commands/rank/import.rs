//! `taskgen rank import`: judgements that people or other programs made, as a ranking of their own.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::{Context as _, Result};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::{
    cli::{
        args::Global,
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, count},
        },
    },
    data::{CallId, DecidedBy, ItemId, NewJudgement, SubjectKind, judgement_id},
    rank::import::{self, Line},
    store::{IMPORTED, Judge, Ranking, Recorded, Store, pair_instrument},
    text::words::one_line,
};

/// Judge and pair of a judgement, in the order shown.
type Key = (String, ItemId, ItemId);

/// The import's outcome.
#[derive(Default, Serialize)]
struct Imported {
    judgements: usize,
    /// Lines that an earlier import of the file brought in.
    on_record: usize,
    /// Same judge, same pair, same sides, as when several people share a name.
    repeated: usize,
    clamped: usize,
    failed: Vec<(usize, String)>,
    judges: Vec<String>,
}

/// Earlier imports.
struct Earlier {
    /// File and line of each judgement.
    lines: BTreeSet<(CallId, u32)>,
    /// How often each question was answered.
    samples: BTreeMap<Key, u32>,
}

/// Runs the command; `judge` is who decided where a line does not say so.
pub fn import(global: &Global, file: &Path, judge: &str, printer: &Printer) -> Result<u8> {
    if judge.trim().is_empty() {
        return Err(Usage("the judge needs a name\nhint: --judge NAME".into()).into());
    }
    let hint =
        "hint: JSONL or CSV in UTF-8, with a, b (or model_a, model_b) and winner on each line";
    let text = fs_err::read_to_string(file).map_err(|e| Usage(format!("{e}\n{hint}")))?;
    let (lines, failed) =
        import::read(&text).map_err(|e| Usage(format!("`{}`: {e:#}\n{hint}", file.display())))?;
    let project = Project::find(global)?;
    let store = project.write(global)?;
    let tasks: Vec<ItemId> = store
        .tasks()?
        .iter()
        .map(|task| ItemId::from(&task.id))
        .collect();
    let mut earlier = Earlier::read(&store)?;
    let sources = earlier.sources(&text);
    let mut imported = Imported {
        failed,
        ..Imported::default()
    };
    for line in lines {
        match sides(&tasks, &line) {
            Ok((a, b)) => {
                let who = one_line(line.judge.as_deref().unwrap_or(judge));
                take(
                    &store,
                    &mut earlier,
                    &sources,
                    (who, a, b),
                    line,
                    &mut imported,
                )?;
            }
            Err(problem) => imported.failed.push((line.number, problem)),
        }
    }
    imported.failed.sort();
    let panel = panel(&store, &tasks)?;
    imported.judges = panel
        .iter()
        .map(|judge| judge.model_asked.clone())
        .collect();
    // A file without one usable line makes no ranking, which would become the newest.
    if imported.judgements + imported.on_record > 0 {
        let all = earlier.lines.len();
        let parameters =
            serde_json::json!({ "top": project.loaded.config.rank.top, "imported": all });
        let seed = project.loaded.config.seed;
        store.save_ranking(&Ranking {
            method: "imported".into(),
            parameters,
            seed,
            item_kind: SubjectKind::Task,
            items: tasks,
            panel,
        })?;
    }
    let code = if imported.failed.is_empty() {
        exit::DONE
    } else {
        exit::SOME_FAILED
    };
    printer.show(&imported, |imported| text_of(imported, file))?;
    store.end_run(&jiff::Timestamp::now().to_string(), code)?;
    Ok(code)
}

impl Earlier {
    fn read(store: &Store) -> Result<Self> {
        let mut earlier = Self {
            lines: BTreeSet::new(),
            samples: BTreeMap::new(),
        };
        for Recorded {
            judged,
            judge,
            round,
            ..
        } in imported_comparisons(store)?
        {
            earlier.lines.extend(judged.call.map(|call| (call, round)));
            let next = earlier
                .samples
                .entry((judge.model_returned, judged.a, judged.b))
                .or_default();
            *next = (*next).max(judged.sample + 1);
        }
        Ok(earlier)
    }

    /// The file as a source, and the earlier files that it continues: when a user adds lines to a
    /// file and imports it again, only the new ones count. Other files may say the same, which are
    /// votes of their own.
    fn sources(&self, text: &str) -> Vec<CallId> {
        let known: BTreeSet<&CallId> = self.lines.iter().map(|(source, _)| source).collect();
        let mut sources = sources(text);
        sources.reverse();
        let (whole, starts) = sources.split_at(1.min(sources.len()));
        whole
            .iter()
            .chain(starts.iter().filter(|start| known.contains(start)))
            .cloned()
            .collect()
    }
}

/// The call ids of a file's prefixes, as sources of judgements: one for each line that it could
/// have ended with; the last one is the file itself.
fn sources(text: &str) -> Vec<CallId> {
    let mut hash = Sha256::new();
    let lines = text
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty());
    let mut sources = Vec::new();
    for line in lines {
        hash.update(line);
        hash.update("\n");
        sources.push(CallId::from_stored(format!(
            "file_{}",
            data_encoding::HEXLOWER.encode(&hash.clone().finalize())
        )));
    }
    sources
}

/// Keeps a line's judgement, unless an import of this file has brought it in before.
fn take(
    store: &Store,
    earlier: &mut Earlier,
    sources: &[CallId],
    key: Key,
    line: Line,
    imported: &mut Imported,
) -> Result<()> {
    let number = line.number as u32;
    if sources
        .iter()
        .any(|source| earlier.lines.contains(&(source.clone(), number)))
    {
        imported.on_record += 1;
        return Ok(());
    }
    let sample = earlier.samples.entry(key.clone()).or_default();
    imported.judgements += 1;
    imported.repeated += usize::from(*sample > 0);
    imported.clamped += usize::from(line.clamped);
    let (who, a, b) = key;
    let judge = Judge {
        model_asked: format!("imported/{who}"),
        model_returned: who,
        prompt_hash: IMPORTED.to_owned(),
    };
    let call = sources[0].clone();
    let (instrument, judge) = (pair_instrument(SubjectKind::Task), DecidedBy::Model(&judge));
    store
        .save_judgement(&NewJudgement {
            instrument,
            id: judgement_id(instrument, a.as_str(), b.as_str(), *sample, judge),
            subject: a.as_str(),
            other: Some(b.as_str()),
            judge,
            sample: *sample,
            decision: Ok(line.verdict.decision()),
            payload: serde_json::json!({ "reason": line.verdict.reason, "round": number }),
            call: Some(&call),
            evidence: None,
        })
        .context("cannot keep a judgement")?;
    *sample += 1;
    earlier.lines.insert((call, number));
    Ok(())
}

/// The comparisons that any import brought in.
fn imported_comparisons(store: &Store) -> Result<Vec<Recorded>> {
    store.comparisons(SubjectKind::Task, |_, prompt| prompt == IMPORTED)
}

/// The judges of all imported judgements on these tasks, from whichever file.
fn panel(store: &Store, tasks: &[ItemId]) -> Result<Vec<Judge>> {
    let tasks: BTreeSet<&ItemId> = tasks.iter().collect();
    let mut imported = imported_comparisons(store)?;
    imported.retain(|of| tasks.contains(&of.judged.a) && tasks.contains(&of.judged.b));
    let panel: BTreeSet<Judge> = imported.into_iter().map(|of| of.judge).collect();
    Ok(panel.into_iter().collect())
}

fn sides(tasks: &[ItemId], line: &Line) -> Result<(ItemId, ItemId), String> {
    let (a, b) = (find(tasks, &line.a)?, find(tasks, &line.b)?);
    if a == b {
        Err(format!("both sides are the same: `{a}`"))
    } else {
        Ok((a, b))
    }
}

/// The one task with this id or start of an id.
fn find(tasks: &[ItemId], id: &str) -> Result<ItemId, String> {
    let mut matching = tasks.iter().filter(|task| task.as_str().starts_with(id));
    match (matching.next(), matching.next()) {
        (Some(task), None) => Ok(task.clone()),
        (None, _) => Err(format!("no such task: `{id}`")),
        (Some(_), Some(_)) => Err(format!("several tasks begin with `{id}`")),
    }
}

fn text_of(imported: &Imported, file: &Path) -> String {
    let mut out = String::new();
    for (number, problem) in &imported.failed {
        out.push_str(&format!("{}:{number}: {problem}\n", file.display()));
    }
    out.push_str(&format!(
        "{} imported ({} repeat a question, {} confidences clamped), {} on record already, {} not used; judges: {}",
        count(imported.judgements as u64, "judgement"),
        imported.repeated,
        imported.clamped,
        imported.on_record,
        count(imported.failed.len() as u64, "line"),
        imported.judges.len()
    ));
    if imported.judgements + imported.on_record == 0 {
        out.push_str(
            "\nhint: `a` and `b` are ids of `taskgen tasks list`, and `winner` names one of them",
        );
    } else {
        out.push_str("\nnext: `taskgen tasks list`, `taskgen rank report`");
    }
    out
}
