//! A taxonomy of topics: DR-Arena's tree of `{name, id, children}`. Hides hostile files: whatever
//! is wrong with one is one message, and no depth, length or character of it harms.

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use serde_json::Value;

use crate::{data::id::sha256_hex, text::words::one_line};

/// Longest file, in bytes; the published one has some 100 kB.
pub const LARGEST_FILE: u64 = 16 << 20;
/// Levels at most; the published taxonomy has five.
const DEEPEST: usize = 20;
/// Topics at most; the published taxonomy has 1427.
const MOST: usize = 200_000;
/// Longest name, in characters.
const LONGEST_NAME: usize = 200;
/// Characters of a topic that the name of its tree begins with.
const SLUG: usize = 40;

/// Why a file is no taxonomy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TaxonomyFault {
    /// Not JSON, or nested too deeply for it.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// A topic that is none.
    #[error("below `{place}`: {what}")]
    Topic {
        /// The names that lead to it.
        place: String,
        /// What is wrong.
        what: &'static str,
    },
    /// Too many levels.
    #[error("more than {DEEPEST} levels of topics")]
    TooDeep,
    /// Too many topics.
    #[error("more than {MOST} topics")]
    TooMany,
    /// No topic at all.
    #[error("no topics")]
    Empty,
}

/// A topic, by the names that lead to it from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// Names; the last one is the topic's own.
    pub path: Vec<String>,
}

impl Topic {
    /// Its own name.
    pub fn name(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    /// Its name as the beginning of a tree's name: letters and digits, joined by `-`.
    pub fn slug(&self) -> String {
        let lower = self.name().to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let slug: String = words.join("-").chars().take(SLUG).collect();
        match slug.trim_end_matches('-') {
            "" => "topic".to_owned(),
            slug => slug.to_owned(),
        }
    }
}

/// Topics in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taxonomy {
    /// Each with the place of the one above it.
    topics: Vec<(Option<usize>, String)>,
    /// The places of those without topics below them.
    leaves: Vec<usize>,
    hash: String,
}

/// A topic that is still to be read: where it stands, and how deep.
struct Open<'a> {
    value: &'a Value,
    above: Option<usize>,
    level: usize,
}

impl Taxonomy {
    /// The taxonomy in a file: one object, whose own name is that of the whole, or a list of top
    /// categories.
    pub fn read(bytes: &[u8]) -> Result<Self, TaxonomyFault> {
        let value: Value = serde_json::from_slice(bytes)
            .map_err(|error| TaxonomyFault::NotJson(error.to_string()))?;
        let tops = match &value {
            Value::Array(tops) => tops.as_slice(),
            // The whole is no topic, unless it is all that there is.
            Value::Object(_) => match below(&value, "the top")? {
                [] => std::slice::from_ref(&value),
                tops => tops,
            },
            _ => return Err(TaxonomyFault::Empty),
        };
        let mut topics: Vec<(Option<usize>, String)> = Vec::new();
        let mut leaves = Vec::new();
        let mut open: Vec<Open<'_>> = opened(tops, None, 1);
        while let Some(next) = open.pop() {
            if next.level > DEEPEST {
                return Err(TaxonomyFault::TooDeep);
            }
            if topics.len() >= MOST {
                return Err(TaxonomyFault::TooMany);
            }
            let above = next.above.map_or("the top", |above| &topics[above].1);
            let name = name(next.value, above)?;
            let children = below(next.value, &name)?;
            let place = topics.len();
            topics.push((next.above, name));
            if children.is_empty() {
                leaves.push(place);
            }
            open.extend(opened(children, Some(place), next.level + 1));
        }
        if leaves.is_empty() {
            return Err(TaxonomyFault::Empty);
        }
        let listed = serde_json::to_string(&topics).unwrap_or_default();
        Ok(Self {
            topics,
            leaves,
            hash: sha256_hex(listed.as_bytes()),
        })
    }

    /// A hash of all topics and their places: another order of fields or another layout of the file
    /// changes nothing.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// How many topics have none below them.
    pub fn leaves(&self) -> usize {
        self.leaves.len()
    }

    /// The topic of a draw: each leaf is as likely, and the seed and the number decide.
    pub fn draw(&self, seed: u64, number: u32) -> Topic {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.rotate_left(32) ^ u64::from(number));
        let mut place = Some(self.leaves[rng.random_range(0..self.leaves.len())]);
        let mut path = Vec::new();
        while let Some((above, name)) = place.map(|place| &self.topics[place]) {
            path.push(name.clone());
            place = *above;
        }
        path.reverse();
        Topic { path }
    }
}

/// The topics of a list, the first one last, so that it is taken first.
fn opened(list: &[Value], above: Option<usize>, level: usize) -> Vec<Open<'_>> {
    let open = list.iter().rev().map(|value| Open {
        value,
        above,
        level,
    });
    open.collect()
}

fn fault(place: &str, what: &'static str) -> TaxonomyFault {
    TaxonomyFault::Topic {
        place: place.to_owned(),
        what,
    }
}

fn name(topic: &Value, above: &str) -> Result<String, TaxonomyFault> {
    let name = topic.get("name").and_then(Value::as_str);
    let name = one_line(name.ok_or_else(|| fault(above, "a topic without a `name`"))?);
    match name.chars().count() {
        0 => Err(fault(above, "a topic with an empty `name`")),
        1..=LONGEST_NAME => Ok(name),
        _ => Err(fault(
            above,
            "a topic with a name of more than 200 characters",
        )),
    }
}

fn below<'a>(topic: &'a Value, place: &str) -> Result<&'a [Value], TaxonomyFault> {
    match topic.get("children") {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(children)) => Ok(children),
        Some(_) => Err(fault(place, "`children` is no list")),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Result<Taxonomy, TaxonomyFault> {
        Taxonomy::read(value.to_string().as_bytes())
    }

    #[test]
    fn leaves_are_drawn_alike_and_by_seed_and_number() {
        let tree = json!({ "name": "All categories", "id": 0, "children": [
            { "name": "Arts", "id": 3, "children": [
                { "name": "Film\n&  Video", "id": 4, "children": [] },
                { "name": "音乐", "id": "5" }
            ] },
            { "name": "Science", "id": 6, "children": null }
        ] });
        let taxonomy = read(&tree).expect("a taxonomy");
        assert_eq!(taxonomy.leaves(), 3);
        let mut drawn: BTreeMap<Vec<String>, u32> = BTreeMap::new();
        for number in 1..=3000 {
            *drawn.entry(taxonomy.draw(7, number).path).or_default() += 1;
        }
        let paths: Vec<Vec<&str>> = drawn
            .keys()
            .map(|path| path.iter().map(String::as_str).collect())
            .collect();
        assert_eq!(
            paths,
            [
                vec!["Arts", "Film & Video"],
                vec!["Arts", "音乐"],
                vec!["Science"]
            ]
        );
        // 1000 each in the mean, with a deviation of 26.
        assert!(drawn.values().all(|n| (870..1130).contains(n)), "{drawn:?}");
        let other = (1..=3000).filter(|n| taxonomy.draw(8, *n) == taxonomy.draw(7, *n));
        assert!((800..1200).contains(&other.count()));
        // A list of top categories is the same, and so is another layout of the file.
        assert_eq!(read(&tree["children"]).expect("a taxonomy"), taxonomy);
    }

    #[test]
    fn what_is_no_taxonomy_is_one_message() {
        let check = |value: Value, expect: &str| {
            let said = read(&value).expect_err("no taxonomy").to_string();
            assert_eq!(said, expect);
        };
        check(json!(7), "no topics");
        check(json!([]), "no topics");
        check(
            json!({ "id": 1 }),
            "below `the top`: a topic without a `name`",
        );
        check(
            json!({ "name": "A", "children": 7 }),
            "below `the top`: `children` is no list",
        );
        check(
            json!([{ "name": "A", "children": [{ "name": "B", "children": {} }] }]),
            "below `B`: `children` is no list",
        );
        check(
            json!([{ "name": "A", "children": [7] }]),
            "below `A`: a topic without a `name`",
        );
        check(
            json!([{ "name": " \u{7} " }]),
            "below `the top`: a topic with an empty `name`",
        );
        check(
            json!([{ "name": "x".repeat(201) }]),
            "below `the top`: a topic with a name of more than 200 characters",
        );
        let nested = |levels: usize| {
            let open = r#"{"name":"a","children":["#.repeat(levels);
            format!("{open}{}", "]}".repeat(levels))
        };
        let deep = Taxonomy::read(nested(25).as_bytes());
        assert_eq!(deep, Err(TaxonomyFault::TooDeep));
        for text in [
            nested(100_000),
            "[".repeat(100_000),
            "{".to_owned(),
            String::new(),
        ] {
            let read = Taxonomy::read(text.as_bytes());
            assert!(matches!(read, Err(TaxonomyFault::NotJson(_))), "{read:?}");
        }
    }

    #[test]
    fn a_tree_s_name_begins_with_letters_of_its_topic() {
        let slug = |name: &str| {
            let path = vec!["Arts".to_owned(), name.to_owned()];
            Topic { path }.slug()
        };
        assert_eq!(slug("Film & TV / Video"), "film-tv-video");
        assert_eq!(slug("古典音乐"), "古典音乐");
        assert_eq!(slug("../../etc"), "etc");
        assert_eq!(slug("…"), "topic");
        assert_eq!(slug(&"x".repeat(99)).len(), SLUG);
    }
}
