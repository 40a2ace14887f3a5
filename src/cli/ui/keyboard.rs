//! One key at a time from a terminal, one line at a time from anything else. Hides the terminal's
//! modes, and that an arrow key is several characters: one of them could be taken for a decision.

use std::{
    io::{BufRead as _, IsTerminal as _, stdin},
    sync::{Mutex, OnceLock, PoisonError},
};

use anyhow::Result;
use rustix::{
    io::{read, retry_on_intr},
    termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr},
};

/// What a terminal sends for Ctrl-D.
const END_OF_INPUT: u8 = 4;

/// The terminal's modes from before the first key was asked for.
static BEFORE: OnceLock<Termios> = OnceLock::new();

/// Whether the terminal was given back, which it is once: a signal may end the program at any
/// moment, and nothing changes the modes after that.
static GIVEN_BACK: Mutex<bool> = Mutex::new(false);

/// The source of answers.
pub enum Keyboard {
    /// A terminal, with the modes in which it gives each key at once and shows none.
    Terminal(Box<Termios>),
    /// Something else.
    Lines,
}

impl Keyboard {
    /// The keyboard on standard input: a terminal or lines.
    pub fn open() -> Result<Self> {
        if !stdin().is_terminal() {
            return Ok(Self::Lines);
        }
        let before = tcgetattr(stdin())?;
        let mut modes = BEFORE.get_or_init(|| before).clone();
        modes.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        Ok(Self::Terminal(Box::new(modes)))
    }

    /// Drops the keys typed so far: they are no answer to the next question.
    pub fn forget(&self) -> Result<()> {
        if let Self::Terminal(modes) = self {
            set(OptionalActions::Flush, modes)?;
        }
        Ok(())
    }

    /// The next key, or the next line that is not empty; none at the end of the input.
    pub fn press(&self) -> Result<Option<String>> {
        loop {
            let pressed = match self {
                Self::Terminal(modes) => {
                    // The program in front meanwhile may have left other modes.
                    set(OptionalActions::Now, modes)?;
                    key()?
                }
                Self::Lines => line()?,
            };
            let Some(bytes) = pressed else {
                return Ok(None);
            };
            let text = String::from_utf8_lossy(&bytes).trim().to_owned();
            if !text.is_empty() {
                return Ok(Some(text));
            }
        }
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        restore();
    }
}

fn set(when: OptionalActions, modes: &Termios) -> Result<()> {
    let given_back = GIVEN_BACK.lock().unwrap_or_else(PoisonError::into_inner);
    if !*given_back {
        tcsetattr(stdin(), when, modes)?;
    }
    Ok(())
}

/// Lends the terminal to another program as it was; the next key that is asked for takes it back.
pub fn lend() -> Result<()> {
    match BEFORE.get() {
        Some(before) => set(OptionalActions::Now, before),
        None => Ok(()),
    }
}

/// Gives the terminal back as it was, if keys were asked for.
pub fn restore() {
    let mut given_back = GIVEN_BACK.lock().unwrap_or_else(PoisonError::into_inner);
    *given_back = true;
    if let Some(before) = BEFORE.get() {
        // There may be no terminal any more.
        let _ = tcsetattr(stdin(), OptionalActions::Now, before);
    }
}

/// What the terminal sends at once: a key, however many bytes that is.
fn key() -> Result<Option<Vec<u8>>> {
    let mut bytes = [0; 64];
    let n = retry_on_intr(|| read(stdin(), &mut bytes))?;
    Ok(if matches!(bytes[..n], [] | [END_OF_INPUT, ..]) {
        None
    } else {
        Some(bytes[..n].to_vec())
    })
}

fn line() -> Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let n = stdin().lock().read_until(b'\n', &mut bytes)?;
    Ok((n > 0).then_some(bytes))
}
