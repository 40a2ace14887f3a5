//! A session at the keyboard: one thing at a time is shown and decided, and each decision can be
//! taken back.

use anyhow::Result;

use super::{keyboard::Keyboard, output::message};

/// What is decided, one after the other.
pub trait Deck {
    /// How many there are.
    fn len(&self) -> usize;
    /// What is shown of one before it is decided.
    fn card(&self, at: usize) -> Result<String>;
    /// The keys that decide, on one line.
    fn keys(&self) -> &'static str;
    /// What the keys mean.
    fn help(&self) -> String;
    /// Does what a key means for one.
    fn press(&mut self, at: usize, key: &str) -> Result<Pressed>;
    /// Takes the last decision on one back.
    fn undo(&mut self, at: usize) -> Result<()>;
}

/// What a key did.
pub enum Pressed {
    /// It decided; what is said of it.
    Decided(String),
    /// It changed what is shown, so that it is shown again; what is said of it.
    Changed(String),
    /// It decides nothing, because what is shown is gone; what is said of that. The next one is
    /// shown.
    Passed(String),
    /// Nothing: it means nothing here.
    Unknown,
}

/// The keys of every session.
const KEYS: &str = "s skip · u undo · ? help · q quit";

/// Shows and decides, until the last is decided or the keyboard says `q`.
pub fn run(deck: &mut dyn Deck, keyboard: &Keyboard) -> Result<()> {
    let mut session = Session {
        deck,
        at: 0,
        decided: Vec::new(),
    };
    // The last decision can be taken back, too.
    while session.at < session.deck.len() || !session.decided.is_empty() {
        keyboard.forget()?;
        session.show()?;
        if !session.goes_on(keyboard)? {
            break;
        }
    }
    Ok(())
}

struct Session<'a> {
    deck: &'a mut dyn Deck,
    /// The place of what is shown.
    at: usize,
    /// Places of what was decided, oldest first.
    decided: Vec<usize>,
}

impl Session<'_> {
    fn show(&self) -> Result<()> {
        let all = self.deck.len();
        if self.at >= all {
            message("\nthat was the last one: u undo · q quit");
            return Ok(());
        }
        message(&format!("\n{} of {all}", self.at + 1));
        message(&self.deck.card(self.at)?);
        message(&format!("{} · {KEYS}", self.deck.keys()));
        Ok(())
    }

    /// Reads keys until one of them leads to something else, or to the end.
    fn goes_on(&mut self, keyboard: &Keyboard) -> Result<bool> {
        while let Some(key) = keyboard.press()? {
            let is_shown = self.at < self.deck.len();
            match key.as_str() {
                "q" => return Ok(false),
                "?" => message(&self.deck.help()),
                "u" => match self.decided.pop() {
                    None => message("nothing was decided yet"),
                    Some(last) => {
                        self.deck.undo(last)?;
                        self.at = last;
                        return Ok(true);
                    }
                },
                "s" if is_shown => {
                    self.at += 1;
                    return Ok(true);
                }
                key if is_shown => match self.deck.press(self.at, key)? {
                    Pressed::Decided(what) => {
                        message(&what);
                        self.decided.push(self.at);
                        self.at += 1;
                        return Ok(true);
                    }
                    Pressed::Changed(what) => {
                        message(&what);
                        return Ok(true);
                    }
                    Pressed::Passed(what) => {
                        message(&what);
                        self.at += 1;
                        return Ok(true);
                    }
                    Pressed::Unknown => unknown(key),
                },
                key => unknown(key),
            }
        }
        Ok(false)
    }
}

fn unknown(key: &str) {
    message(&format!("no such key here: `{key}`; ? for help"));
}
