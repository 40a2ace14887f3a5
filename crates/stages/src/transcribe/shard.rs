//! One of several machines that share a folder: which recordings are its own. The content decides,
//! so that no machine needs to know of another, and a new recording moves none of the others.

use std::{fmt, str::FromStr};

/// Part `index` of `of`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u64,
    of: u64,
}

impl Shard {
    /// Whether the recording with this SHA-256, hexadecimal, is this machine's.
    pub fn holds(self, sha256: &str) -> bool {
        // Fifteen digits always fit; what is no hash at all goes to the first.
        let number = sha256
            .get(..15)
            .and_then(|digits| u64::from_str_radix(digits, 16).ok())
            .unwrap_or(0);
        number % self.of == self.index - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text
            .split_once('/')
            .and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((index, of)) if (1..=of).contains(&index) => Ok(Self { index, of }),
            Some((0, _)) => Err("shards count from 1\nhint: in a Slurm array, `--array=1-N` and `--shard $SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT`".into()),
            Some((index, of)) => Err(format!(
                "there is no part {index} of {of}\nhint: the first number is at most the second"
            )),
            None => Err("a shard is written i/n, such as 2/3: the second of three".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_recording_is_in_one_shard_of_any_number() {
        let hashes: Vec<String> = (0..500)
            .map(|n| crate::data::id::sha256_hex(format!("{n}").as_bytes()))
            .collect();
        for of in [1, 2, 3, 7, 16] {
            let shards: Vec<Shard> = (1..=of)
                .map(|i| format!("{i}/{of}").parse().expect("a shard"))
                .collect();
            for hash in &hashes {
                assert_eq!(shards.iter().filter(|shard| shard.holds(hash)).count(), 1);
            }
            let first = hashes.iter().filter(|hash| shards[0].holds(hash)).count();
            assert!(
                first * of > 300 && first * of < 800,
                "{first} of 500 in the first of {of}"
            );
        }
    }

    #[test]
    fn only_a_part_of_a_whole_is_a_shard() {
        for wrong in ["", "1", "0/3", "4/3", "1/0", "-1/2", "a/b", "1/2/3"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
        assert!("0/3".parse::<Shard>().expect_err("zero").contains("Slurm"));
        assert_eq!("2/3".parse::<Shard>().expect("a shard").to_string(), "2/3");
    }
}
