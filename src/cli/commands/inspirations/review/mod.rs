//! `taskgen inspirations review`: a person judges inspirations one at a time, and each decision is
//! saved as it is made. Blind: no verdict of others, no rank and no recording is shown before the
//! decision, and the order is shuffled.

mod card;
mod summary;

use anyhow::Result;

use crate::{
    cli::{
        args::{self, Global},
        commands::{
            inspirations::found::{self, Found},
            people,
        },
        project::{Project, resolve},
        ui::{
            exit::{self, Usage},
            keyboard::Keyboard,
            output::Printer,
            session::{self, Deck, Pressed},
        },
    },
    data::{Fault, InspirationType, Review, Reviewer, id::drawn_place},
    store::Store,
};

const KEYS: &str = "a accept · 1 no content · 2 incoherent · 3 not in the quotes · 4 wrong type";

/// Runs the command.
pub fn review(global: &Global, args: &args::Review, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let reviewer = people::name(args.people.reviewer.as_deref())?;
    // A project without a database has nothing to review, and gets none by being asked.
    drop(project.read_or_hint()?);
    resolve::stop_on_signals(*printer)?;
    let store = project.decide(global)?;
    let mut found = found::read(&store, &args.select)?;
    if found.is_empty() {
        return Err(Usage("no inspirations yet\nhint: `taskgen inspire`".into()).into());
    }
    shuffle(&mut found, project.loaded.config.seed);
    let open: Vec<&Found> = found
        .iter()
        .filter(|of| {
            let standing = Review::standing(&of.inspiration.reviews);
            people::is_shown(&args.people, &reviewer, &votes(of), standing)
        })
        .collect();
    if open.is_empty() {
        printer.note(&people::nothing_to_review(&args.people, &reviewer));
    }
    let mut deck = Inspirations {
        store: &store,
        reviewer: &reviewer,
        open,
        settles: args.people.disputed,
    };
    session::run(&mut deck, &Keyboard::open()?)?;
    let now = found::read(&store, &args.select)?;
    printer.show(&summary::summarize(&reviewer, &found, &now), summary::text)?;
    store.end_run(&jiff::Timestamp::now().to_string(), exit::DONE)?;
    Ok(exit::DONE)
}

/// An order that follows from the seed and stays the same for the rest when some are decided or new
/// ones come.
fn shuffle(found: &mut [Found], seed: u64) {
    found.sort_by_cached_key(|of| drawn_place(seed, of.inspiration.id.as_str()));
}

/// What people said of an inspiration; the last of each counts.
fn votes(of: &Found) -> people::Votes {
    let reviews = of.inspiration.reviews.iter();
    reviews
        .filter(|review| review.by == Reviewer::Person)
        .map(|review| (review.name.clone(), review.fault.is_none()))
        .collect()
}

/// The inspirations of a session.
struct Inspirations<'a> {
    store: &'a Store,
    reviewer: &'a str,
    open: Vec<&'a Found>,
    /// Whether a decision settles what others disagree on.
    settles: bool,
}

impl Deck for Inspirations<'_> {
    fn len(&self) -> usize {
        self.open.len()
    }

    fn card(&self, at: usize) -> Result<String> {
        let inspiration = &self.open[at].inspiration;
        let Some(transcript) = self.store.transcript(&inspiration.transcript)? else {
            return Ok("(its recording was forgotten meanwhile: s goes on)".to_owned());
        };
        let mut card = card::text(inspiration, &transcript);
        if self.settles {
            card.push_str(&card::said(inspiration));
        }
        Ok(card)
    }

    fn keys(&self) -> &'static str {
        KEYS
    }

    fn help(&self) -> String {
        help()
    }

    fn press(&mut self, at: usize, key: &str) -> Result<Pressed> {
        let fault = match key {
            "a" => None,
            "1" => Some(Fault::NoContent),
            "2" => Some(Fault::Incoherent),
            "3" => Some(Fault::NotInQuotes),
            "4" => Some(Fault::WrongType),
            _ => return Ok(Pressed::Unknown),
        };
        let of = self.open[at];
        let review = Review {
            by: Reviewer::Person,
            name: self.reviewer.to_owned(),
            fault,
            note: String::new(),
            settles: self.settles,
        };
        if !self.store.save_review(&of.inspiration.id, &review)? {
            return Ok(Pressed::Passed(
                "it is gone: nothing was decided".to_owned(),
            ));
        }
        // Not what models said: after `u`, the decision is still blind.
        let what = fault.map_or("accepted", Fault::label);
        Ok(Pressed::Decided(format!("{what}: {}", of.place())))
    }

    fn undo(&mut self, at: usize) -> Result<()> {
        let id = &self.open[at].inspiration.id;
        self.store.withdraw_review(id, self.reviewer)?;
        Ok(())
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
