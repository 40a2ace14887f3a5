//! `taskgen inspirations review`: a person judges inspirations one at a time, and each decision is
//! saved as it is made. Blind: no verdict of others, no rank and no recording is shown before the
//! decision, and the order is shuffled.

mod card;
pub mod keys;
mod summary;

use anyhow::{Context as _, Result};

use crate::{
    cli::{
        args::{self, Global},
        commands::inspirations::found::{self, Found},
        project::{Project, resolve},
        ui::{
            exit::{self, Usage},
            output::{Printer, message},
        },
    },
    data::{Fault, InspirationType, Review, Reviewer, id::drawn_place},
    store::Store,
    text::words::one_line,
};
use keys::Keyboard;

const KEYS: &str = "a accept · 1 no content · 2 incoherent · 3 not in the quotes · 4 wrong type · s skip · u undo · ? help · q quit";

/// Runs the command.
pub fn review(global: &Global, args: &args::Review, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let reviewer = reviewer(args.reviewer.as_deref())?;
    // A project without a database has nothing to review, and gets none by being asked.
    drop(project.read_or_hint()?);
    resolve::stop_on_signals(*printer)?;
    let store = project.write(global)?;
    let mut found = found::read(&store, &args.select)?;
    if found.is_empty() {
        return Err(Usage("no inspirations yet\nhint: `taskgen inspire`".into()).into());
    }
    shuffle(&mut found, project.loaded.config.seed);
    let open: Vec<&Found> = found
        .iter()
        .filter(|of| args.again || !is_judged(of, &reviewer))
        .collect();
    if open.is_empty() {
        printer.note(&format!(
            "{reviewer} has judged all of them\nhint: --again shows them once more"
        ));
    }
    Session {
        store: &store,
        reviewer: &reviewer,
        open,
        at: 0,
        decided: Vec::new(),
    }
    .run(&Keyboard::open()?)?;
    let now = found::read(&store, &args.select)?;
    printer.show(&summary::summarize(&reviewer, &found, &now), summary::text)?;
    store.end_run(&jiff::Timestamp::now().to_string(), exit::DONE)?;
    Ok(exit::DONE)
}

fn user() -> Option<String> {
    ["USER", "LOGNAME"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|user| !user.is_empty()))
}

/// The reviewer's name: the given one, else the user's.
fn reviewer(given: Option<&str>) -> Result<String> {
    let name = given
        .map(str::to_owned)
        .or_else(user)
        .unwrap_or_else(|| "somebody".to_owned());
    let name = one_line(&name);
    if name.is_empty() {
        return Err(Usage("a reviewer needs a name\nhint: --reviewer NAME".into()).into());
    }
    Ok(name)
}

/// An order that follows from the seed and stays the same for the rest when some are decided or new
/// ones come.
fn shuffle(found: &mut [Found], seed: u64) {
    found.sort_by_cached_key(|of| drawn_place(seed, of.inspiration.id.as_str()));
}

fn is_judged(of: &Found, reviewer: &str) -> bool {
    of.inspiration
        .reviews
        .iter()
        .any(|review| review.is_of_person(reviewer))
}

/// What a key means.
enum Answer {
    Judge(Option<Fault>),
    Skip,
    Undo,
    Help,
    Quit,
}

impl Answer {
    fn from_key(key: &str) -> Option<Self> {
        Some(match key {
            "a" => Self::Judge(None),
            "1" | "2" | "3" | "4" => {
                Self::Judge(Fault::ALL.get(key.parse::<usize>().ok()? - 1).copied())
            }
            "s" => Self::Skip,
            "u" => Self::Undo,
            "?" => Self::Help,
            "q" => Self::Quit,
            _ => return None,
        })
    }
}

struct Session<'a> {
    store: &'a Store,
    reviewer: &'a str,
    open: Vec<&'a Found>,
    /// The place in `open` of the one that is shown.
    at: usize,
    /// Places of those that were decided, oldest first.
    decided: Vec<usize>,
}

impl Session<'_> {
    fn run(&mut self, keyboard: &Keyboard) -> Result<()> {
        // The last decision can be taken back, too.
        while self.at < self.open.len() || !self.decided.is_empty() {
            keyboard.forget()?;
            self.show()?;
            if !self.goes_on(keyboard)? {
                break;
            }
        }
        Ok(())
    }

    fn show(&self) -> Result<()> {
        let Some(of) = self.open.get(self.at) else {
            message("\nthat was the last one: u undo · q quit");
            return Ok(());
        };
        let transcript = self
            .store
            .transcript(&of.inspiration.transcript)?
            .context("the transcript is gone")?;
        message(&format!("\n{} of {}", self.at + 1, self.open.len()));
        message(&card::text(&of.inspiration, &transcript));
        message(KEYS);
        Ok(())
    }

    /// Reads keys until one of them leads to another inspiration, or to the end.
    fn goes_on(&mut self, keyboard: &Keyboard) -> Result<bool> {
        while let Some(key) = keyboard.press()? {
            let shown = self.open.get(self.at).copied();
            match (Answer::from_key(&key), shown) {
                (Some(Answer::Judge(fault)), Some(of)) => return self.judge(of, fault),
                (Some(Answer::Skip), Some(_)) => {
                    self.at += 1;
                    return Ok(true);
                }
                (Some(Answer::Undo), _) if self.decided.is_empty() => {
                    message("nothing was decided yet");
                }
                (Some(Answer::Undo), _) => return self.undo(),
                (Some(Answer::Help), _) => message(&help()),
                (Some(Answer::Quit), _) => return Ok(false),
                _ => message(&format!("no such key here: `{key}`; ? for help")),
            }
        }
        Ok(false)
    }

    fn judge(&mut self, of: &Found, fault: Option<Fault>) -> Result<bool> {
        let name = self.reviewer.to_owned();
        let review = Review {
            by: Reviewer::Person,
            name,
            fault,
            note: String::new(),
        };
        self.store.save_review(&of.inspiration.id, &review)?;
        // Not what models said: after `u`, the decision is still blind.
        message(&format!(
            "{}: {}",
            fault.map_or("accepted", Fault::label),
            of.place()
        ));
        self.decided.push(self.at);
        self.at += 1;
        Ok(true)
    }

    fn undo(&mut self) -> Result<bool> {
        if let Some(last) = self.decided.pop() {
            self.store
                .withdraw_review(&self.open[last].inspiration.id, self.reviewer)?;
            self.at = last;
        }
        Ok(true)
    }
}

fn help() -> String {
    let mut help = "\
a  accept: research could start from it, and the quotes (in brackets) say it
1  no content: a greeting, an anecdote, organisation
2  incoherent, or a fragment
3  not in the quotes: they do not say it
4  wrong type: it is of another type than it claims
s  skip: it comes again next time
u  undo the last decision
q  quit: all decisions are saved, and the same command goes on
the types:"
        .to_owned();
    for kind in InspirationType::ALL {
        help.push_str(&format!("\n   {}: {}", kind.label(), meaning(kind)));
    }
    help
}

fn meaning(kind: InspirationType) -> &'static str {
    match kind {
        InspirationType::Limitation => "something unsolved, missing or in the way",
        InspirationType::Methodology => "a new way of doing something",
        InspirationType::Transdisciplinary => "an idea carried from one field to another",
        InspirationType::Hypothesis => "a claim that could be tested",
    }
}
