//! A promise of tasks before they are published: a hash that says nothing about them, and what
//! later shows that they are the ones.
//!
//! Each line of a set has a leaf, the SHA-256 of `NONCE LINE`; the nonce, 64 hexadecimal digits,
//! keeps anybody from guessing a line. The commitment is the SHA-256 of a first line `taskgen
//! commitment 1`, a second line `NAME@VERSION`, and the leaves, each on a line with its end. Who
//! knows all leaves can check one task without the others.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use crate::{
    data::id::sha256_hex,
    store::{FrozenSet, leaf, nonce_at},
};

/// What is published before the tasks are.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Commitment {
    /// The set as `name@version`.
    pub set: String,
    /// Its lines: tasks and their translations.
    pub lines: usize,
    /// The hash, 64 hexadecimal digits.
    pub commitment: String,
}

/// What is published with the tasks, or with some of them.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Revealed {
    /// The set as `name@version`.
    pub set: String,
    /// The leaves of all lines, in order.
    pub leaves: Vec<String>,
    /// The lines that are revealed.
    pub revealed: Vec<RevealedLine>,
}

/// A line, and what it takes to find its leaf.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RevealedLine {
    /// Its place among the leaves, from 0.
    pub place: usize,
    /// Its nonce.
    pub nonce: String,
    /// The task's line as it was frozen.
    pub line: String,
}

/// What a check found.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// The set as `name@version`.
    pub set: String,
    /// Lines that were committed to.
    pub lines: usize,
    /// Lines that were revealed and are those of the commitment.
    pub kept: usize,
    /// Places of lines that are not.
    pub broken: Vec<usize>,
    /// Whether the leaves are those of the commitment.
    pub leaves_kept: bool,
    /// What is not of the form that a commitment has; such a file shows nothing.
    pub malformed: Option<&'static str>,
}

impl Checked {
    /// Whether all that was revealed is what was committed to.
    pub fn holds(&self) -> bool {
        self.malformed.is_none() && self.leaves_kept && self.broken.is_empty() && self.kept > 0
    }
}

/// The commitment to a set. Withdrawn lines have their leaves still.
pub fn commitment(set: &FrozenSet) -> Result<Commitment> {
    let leaves = leaves(set)?;
    Ok(Commitment {
        set: set.label(),
        lines: leaves.len(),
        commitment: hash_of(&set.label(), &leaves),
    })
}

/// The lines of a set that `is_wanted` names, with all leaves.
pub fn reveal(set: &FrozenSet, is_wanted: impl Fn(&str) -> bool) -> Result<Revealed> {
    let nonce = set.nonce.as_deref().context("the set is not frozen")?;
    let mut revealed = Vec::new();
    for (place, member) in set.members.iter().enumerate() {
        if let Some(line) = &member.line
            && is_wanted(member.task.as_str())
        {
            revealed.push(RevealedLine {
                place,
                nonce: nonce_at(nonce, place),
                line: line.clone(),
            });
        }
    }
    Ok(Revealed {
        set: set.label(),
        leaves: leaves(set)?,
        revealed,
    })
}

/// Whether what was revealed is what `commitment` promised.
pub fn check(revealed: &Revealed, commitment: &str) -> Checked {
    let is_kept = |of: &RevealedLine| {
        let wanted = revealed.leaves.get(of.place);
        wanted.is_some_and(|wanted| *wanted == leaf(&of.nonce, &of.line))
    };
    let (kept, broken): (Vec<_>, Vec<_>) = revealed.revealed.iter().partition(|of| is_kept(of));
    Checked {
        set: revealed.set.clone(),
        lines: revealed.leaves.len(),
        kept: kept.len(),
        broken: broken.into_iter().map(|of| of.place).collect(),
        leaves_kept: hash_of(&revealed.set, &revealed.leaves)
            == commitment.trim().to_ascii_lowercase(),
        malformed: malformed(revealed),
    }
}

/// What is not of the form of a commitment. Without it, a boundary between two parts could be
/// moved: another line would have the same leaf, or other leaves the same commitment.
fn malformed(revealed: &Revealed) -> Option<&'static str> {
    let is_hash = |text: &String| {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        text.len() == 64 && text.bytes().all(is_digit)
    };
    let places: BTreeSet<usize> = revealed.revealed.iter().map(|of| of.place).collect();
    if revealed.set.contains(char::is_control) {
        Some("the set's name is not one line")
    } else if !revealed.leaves.iter().all(is_hash) {
        Some("a leaf is not 64 hexadecimal digits")
    } else if !revealed.revealed.iter().all(|of| is_hash(&of.nonce)) {
        Some("a nonce is not 64 hexadecimal digits")
    } else if places.len() < revealed.revealed.len() {
        Some("a place is revealed twice")
    } else {
        None
    }
}

fn leaves(set: &FrozenSet) -> Result<Vec<String>> {
    let leaves = set.members.iter().map(|member| member.leaf.clone());
    leaves
        .collect::<Option<_>>()
        .context("the set is not frozen")
}

fn hash_of(label: &str, leaves: &[String]) -> String {
    sha256_hex(format!("taskgen commitment 1\n{label}\n{}\n", leaves.join("\n")).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{data::TaskId, store::FrozenMember};

    fn set(lines: &[&str]) -> FrozenSet {
        let member = |(place, line): (usize, &&str)| FrozenMember {
            task: TaskId::from_stored(format!("t_{place}")),
            line: Some((*line).to_owned()),
            leaf: Some(leaf(&nonce_at("secret", place), line)),
            withdrawn: false,
        };
        FrozenSet {
            name: "mine".to_owned(),
            version: 1,
            canary: String::new(),
            sha256: Some(String::new()),
            frozen_at: None,
            nonce: Some("secret".to_owned()),
            members: lines.iter().enumerate().map(member).collect(),
        }
    }

    #[test]
    fn what_was_promised_is_told_from_what_was_not() {
        let frozen = set(&["{\"a\":1}", "{\"a\":2}", "{\"a\":3}"]);
        let promised = commitment(&frozen).expect("a commitment").commitment;
        let check = |revealed: &Revealed| super::check(revealed, &promised);
        let all = reveal(&frozen, |_| true).expect("lines");
        assert!(check(&all).holds() && check(&all).kept == 3);
        let one = reveal(&frozen, |id| id == "t_1").expect("lines");
        assert!(check(&one).holds() && check(&one).kept == 1);

        let mut other = reveal(&frozen, |_| true).expect("lines");
        other.revealed[1].line = "{\"a\":20}".to_owned();
        assert_eq!(check(&other).broken, [1]);
        // Who changes the leaf as well changes the commitment.
        other.leaves[1] = leaf(&other.revealed[1].nonce, &other.revealed[1].line);
        assert!(check(&other).broken.is_empty() && !check(&other).leaves_kept);
        let mut exchanged = reveal(&frozen, |_| true).expect("lines");
        exchanged.revealed[0].place = 2;
        assert_eq!(check(&exchanged).broken, [2]);
        exchanged.revealed[0].place = 9;
        assert_eq!(check(&exchanged).broken, [9]);
        let nothing = reveal(&frozen, |_| false).expect("lines");
        assert!(!check(&nothing).holds(), "nothing shows nothing");
    }

    /// The same hash from other parts: a boundary is moved, so that a line that nobody promised has
    /// the leaf, or the leaves are fewer.
    #[test]
    fn a_moved_boundary_is_found() {
        let frozen = set(&["{\"a b\":1}", "{\"a\":2}"]);
        let promised = commitment(&frozen).expect("a commitment").commitment;
        let forged = |change: &dyn Fn(&mut Revealed)| {
            let mut revealed = reveal(&frozen, |_| true).expect("lines");
            change(&mut revealed);
            super::check(&revealed, &promised)
        };
        let moved = forged(&|of| {
            let line = &mut of.revealed[0];
            line.nonce = format!("{} {{\"a", line.nonce);
            line.line = "b\":1}".to_owned();
        });
        assert!(moved.broken.is_empty() && moved.leaves_kept && !moved.holds());
        let joined = forged(&|of| {
            of.leaves = vec![of.leaves.join("\n")];
            of.revealed.clear();
        });
        assert!(joined.leaves_kept && !joined.holds());
        let named = forged(&|of| {
            of.set = format!("{}\n{}", of.set, of.leaves.remove(0));
            of.revealed.remove(0);
            of.revealed[0].place = 0;
        });
        assert!(named.leaves_kept && named.broken.is_empty() && !named.holds());
        let twice = forged(&|of| {
            of.revealed[1] = RevealedLine {
                place: 0,
                nonce: of.revealed[0].nonce.clone(),
                line: of.revealed[0].line.clone(),
            };
        });
        assert!(!twice.holds());
    }

    #[test]
    fn a_withdrawn_line_keeps_its_leaf() {
        let mut frozen = set(&["{\"a\":1}", "{\"a\":2}"]);
        let promised = commitment(&frozen).expect("a commitment");
        frozen.members[0].line = None;
        assert_eq!(commitment(&frozen).expect("a commitment"), promised);
        let rest = reveal(&frozen, |_| true).expect("lines");
        assert!(check(&rest, &promised.commitment).holds() && rest.revealed.len() == 1);
    }
}
