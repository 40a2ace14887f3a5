//! `taskgen arena replay` and `taskgen arena list`: what happened in matches.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::{
    arena::{
        matches::{
            replay::replay as told_again,
            stop::{Tally, grade},
        },
        record::{MatchRecord, RoundEnd, RoundRecord},
    },
    cli::{
        args::{self, Global},
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, count, on_one_line, table},
        },
    },
    data::{
        Side,
        arena::{Failure, MatchEvent, RoundOutcome, Score, TieQuality},
    },
    files,
    report::match_page,
    store::{DuelAnswer, DuelHead, Store},
};

/// Characters of an answer that the terminal shows.
const SHOWN: usize = 400;

/// Runs the command.
pub fn replay(global: &Global, args: &args::Replay, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let store = project.read_or_hint()?;
    let duel = named(&store, &args.duel)?;
    let shown = show(&store, &duel, args.html.as_deref(), printer)?;
    Ok(if shown.follows {
        exit::DONE
    } else {
        exit::SOME_FAILED
    })
}

/// The match whose id is `given`, or the only one whose id begins with it.
fn named(store: &Store, given: &str) -> Result<DuelHead> {
    let hint = "hint: `taskgen arena list`";
    let all = store.duels()?;
    let mut begin = all
        .into_iter()
        .filter(|duel| duel.id.as_str().starts_with(given));
    let first = begin.next();
    let first = first.ok_or_else(|| Usage(format!("no such match: `{given}`\n{hint}")))?;
    let others = begin.count();
    if others > 0 && first.id.as_str() != given {
        let what = format!(
            "{} matches have an id that begins with `{given}`",
            others + 1
        );
        return Err(Usage(format!("{what}\n{hint}")).into());
    }
    Ok(first)
}

/// A match as it is shown.
#[derive(Serialize)]
pub struct Shown {
    #[serde(flatten)]
    duel: DuelHead,
    /// Whether every choice and every score follows from the events again.
    follows: bool,
    events: Vec<MatchEvent>,
    answers: Vec<DuelAnswer>,
    /// What the events come to.
    #[serde(skip)]
    pub record: MatchRecord,
}

/// Shows a match and returns what was shown, after telling it again from its events; `page` is where
/// it is also written as a page.
pub fn show(
    store: &Store,
    duel: &DuelHead,
    page: Option<&Path>,
    printer: &Printer,
) -> Result<Shown> {
    let events = store.duel_events(&duel.id)?;
    let tree = super::tree(store, duel.tree.as_str())?;
    let told = told_again(&events, &tree);
    if let Err(fault) = &told {
        printer.error(&format!(
            "the events do not follow from each other: {fault}"
        ));
    }
    let shown = Shown {
        duel: duel.clone(),
        follows: told.is_ok(),
        answers: store.duel_answers(&duel.id)?,
        record: MatchRecord::of(&events),
        events,
    };
    printer.show(&shown, text)?;
    if let Some(path) = page {
        let html = match_page::html(store, duel, &tree, &shown.events)?;
        files::write_whole(path, html.as_bytes())
            .context("cannot write the page\nhint: choose another place")?;
        printer.note(&format!("written: `{}`", path.display()));
    }
    Ok(shown)
}

fn text(of: &Shown) -> String {
    let [a, b] = &of.duel.agents;
    let mut out = format!(
        "match {}: {} (A) against {} (B)\n",
        of.duel.id,
        on_one_line(a),
        on_one_line(b)
    );
    let mut tally = Tally::default();
    let mut attempt = 0;
    for (at, round) in of.record.rounds.iter().enumerate() {
        attempt += u32::from(round.question.is_some());
        out.push_str(&round_text(at + 1, round, attempt, &of.answers, &mut tally));
    }
    out.push_str(&ending(&of.record, &of.duel));
    out
}

fn round_text(
    number: usize,
    round: &RoundRecord,
    attempt: u32,
    answers: &[DuelAnswer],
    tally: &mut Tally,
) -> String {
    let mut out = format!(
        "\n{number}. level {}, {}\n",
        round.depth,
        count(u64::from(round.width), "page")
    );
    if let Some(question) = &round.question {
        out.push_str(&format!("   {}\n", on_one_line(&question.text)));
        for side in [Side::A, Side::B] {
            let mut answers = answers.iter();
            let answer = answers.find(|of| of.attempt == attempt && of.side == side);
            let said = answer.map_or_else(|| "–".to_owned(), |of| short(&of.text));
            out.push_str(&format!("   {}: {said}\n", side.word()));
        }
    }
    let ended = match &round.end {
        Some(RoundEnd::Judged(RoundOutcome::Judged(verdict))) => {
            tally.add(Some(grade(verdict.verdict)));
            let (points_a, points_b) = tally.points();
            let quality = match verdict.tie_quality {
                Some(TieQuality::High) => ", both good",
                Some(TieQuality::Low) => ", both poor",
                None => "",
            };
            format!(
                "{}{quality}, {}; {} : {}; {}",
                verdict.verdict.word(),
                verdict.failure.word(),
                points_a,
                points_b,
                on_one_line(&verdict.reason)
            )
        }
        Some(RoundEnd::Judged(RoundOutcome::Abstained { reason })) => {
            format!("the judge cannot tell: {}", on_one_line(reason))
        }
        Some(RoundEnd::Judged(RoundOutcome::Invalid(why))) => {
            format!("no verdict: {}", on_one_line(&why.reason))
        }
        Some(RoundEnd::Failed(failure)) => failed(failure),
        None => "being played".to_owned(),
    };
    out.push_str(&format!("   {ended}\n"));
    out
}

fn short(text: &str) -> String {
    let line = on_one_line(text);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} …", &line[..end]),
        None => line,
    }
}

fn failed(failure: &Failure) -> String {
    match failure {
        Failure::Question(why) => format!("no question: {}", on_one_line(&why.reason)),
        Failure::Refused { reasons } => {
            format!("question refused: {}", on_one_line(&reasons.join("; ")))
        }
        Failure::Answer { side, why } => {
            format!(
                "{} has no answer: {}",
                side.word(),
                on_one_line(&why.reason)
            )
        }
        Failure::Answers { a, b } => format!(
            "no answers: A {}; B {}",
            on_one_line(&a.reason),
            on_one_line(&b.reason)
        ),
    }
}

fn ending(record: &MatchRecord, duel: &DuelHead) -> String {
    let Some((cause, score, winner)) = record.end else {
        return "\nnot finished\n".to_owned();
    };
    let who = match winner {
        Some(Side::A) => format!("{} wins", on_one_line(&duel.agents[0])),
        Some(Side::B) => format!("{} wins", on_one_line(&duel.agents[1])),
        None => "nobody wins".to_owned(),
    };
    format!("\n{} : {}, {who} ({})\n", score.a, score.b, cause.word())
}

/// A match of the list.
#[derive(Serialize)]
struct Listed {
    #[serde(flatten)]
    duel: DuelHead,
    rounds: u64,
    failed_rounds: u64,
    score: Option<Score>,
    cause: Option<&'static str>,
}

/// Runs the command.
pub fn list(global: &Global, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let store = project.read_or_hint()?;
    let mut listed = Vec::new();
    for duel in store.duels()? {
        let record = MatchRecord::of(&store.duel_events(&duel.id)?);
        let rounds = record.grades().len() as u64;
        listed.push(Listed {
            duel,
            rounds,
            failed_rounds: record.rounds.len() as u64 - rounds,
            score: record.end.map(|(_, score, _)| score),
            cause: record.end.map(|(cause, ..)| cause.word()),
        });
    }
    printer.show(&listed, list_text)?;
    Ok(exit::DONE)
}

fn list_text(listed: &Vec<Listed>) -> String {
    if listed.is_empty() {
        return "no matches yet\nhint: `taskgen arena match --tree NAME A B`".to_owned();
    }
    let mut rows = table(&["match", "A", "B", "points", "rounds", "failed", "ended by"]);
    for of in listed {
        rows.add_row([
            of.duel.id.to_string(),
            on_one_line(&of.duel.agents[0]),
            on_one_line(&of.duel.agents[1]),
            of.score.map_or_else(
                || "–".to_owned(),
                |score| format!("{} : {}", score.a, score.b),
            ),
            of.rounds.to_string(),
            of.failed_rounds.to_string(),
            of.cause.unwrap_or("not finished").to_owned(),
        ]);
    }
    rows.to_string()
}
