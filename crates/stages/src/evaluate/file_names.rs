//! Names of files and folders in what is exported: the names come from strangers.

use std::collections::{BTreeMap, BTreeSet};

use crate::{data::id::sha256_hex, text::invisible::works_unseen};

/// Bytes of a name; file systems allow 255, and more is added to it.
const LONGEST_NAME: usize = 120;

/// Names of things, made different by numbers where two are the same but for their case.
pub fn distinct<K: Ord + Copy>(names: impl Iterator<Item = (K, String)>) -> BTreeMap<K, String> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut distinct = BTreeMap::new();
    for (of, name) in names {
        let numbered = (2..).map(|n| format!("{name}_{n}"));
        let free = std::iter::once(name.clone())
            .chain(numbered)
            .find(|name| !taken.contains(&name.to_lowercase()))
            .unwrap_or_default();
        taken.insert(free.to_lowercase());
        distinct.insert(of, free);
    }
    distinct
}

/// The folder of each agent.
pub fn folders_of<'a>(agents: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, String> {
    let agents: BTreeSet<&str> = agents.collect();
    distinct(agents.into_iter().map(|agent| (agent, as_name(agent))))
}

/// A name that is one file or folder everywhere; of a long one the beginning, and what tells it
/// from others.
pub fn as_name(text: &str) -> String {
    let plain = |c: char| !(c.is_control() || works_unseen(c) || "/\\:*?\"<>|".contains(c));
    let name: String = text
        .chars()
        .map(|c| if plain(c) { c } else { '_' })
        .collect();
    let name = if name.starts_with('.') {
        format!("_{name}")
    } else {
        name
    };
    if name.len() <= LONGEST_NAME {
        return name;
    }
    let mut end = LONGEST_NAME;
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}_{}", &name[..end], &sha256_hex(name.as_bytes())[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_files_and_differ() {
        let names = distinct(
            [(1, "x"), (2, "X"), (3, "x_2")]
                .map(|(n, name)| (n, name.to_owned()))
                .into_iter(),
        );
        assert_eq!(
            names.into_values().collect::<Vec<_>>(),
            ["x", "X_2", "x_2_2"]
        );
        assert_eq!(as_name("../a/b\u{202e}c"), "_.._a_b_c");
        let long = as_name(&"好".repeat(100));
        assert!(
            long.len() < 140 && long != as_name(&"好".repeat(99)),
            "{long}"
        );
    }
}
