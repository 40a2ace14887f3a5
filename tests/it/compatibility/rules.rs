//! Rules that turn an output of before into the one expected today, and the comparison of the two.
//! Hides how a pattern finds its places in a JSON value.

use std::fmt::Write as _;

use serde_json::{Map, Value, map::Entry};

/// Differences that are printed of one output.
const MOST_SHOWN: usize = 40;

/// What is different today in the outputs with names that begin with `of`.
pub struct Rule {
    /// The beginning of the names of the stored outputs, such as `leaderboard`.
    pub of: &'static str,
    /// What is different.
    pub change: Change,
}

/// One difference. A pattern is a JSON pointer in which `*` stands for any one key or index or a
/// part of one, and `**` for any number of them, even none.
#[derive(Debug)]
pub enum Change {
    /// The value at the first pattern of before is at the second pattern today. Stars of the second
    /// one stand for what the stars of the first one found, in their order. An object that a move
    /// leaves empty is gone.
    Moved(&'static str, &'static str),
    /// A value of today that was not there before.
    Added(&'static str),
    /// A null of before that is not there today.
    NullDropped(&'static str),
    /// The text at the pattern: before, and today.
    Worded(&'static str, &'static str, &'static str),
    /// The value at the pattern, made into the one of today; and a sentence that says what changed.
    /// Numbers are texts as [`read`] makes them.
    Reshaped(&'static str, fn(Value) -> Value, &'static str),
}

impl Rule {
    /// Applies the rule to the output of before, or, where something was added, to today's. Returns
    /// whether there was anything to change.
    pub fn apply(&self, before: &mut Value, today: &mut Value) -> bool {
        match self.change {
            Change::Moved(from, to) => moved(before, from, to),
            Change::Added(at) => dropped(today, at),
            Change::NullDropped(at) => null_dropped(before, at),
            Change::Worded(at, from, to) => reworded(before, at, from, to),
            Change::Reshaped(at, how, _) => reshaped(before, at, how),
        }
    }

    /// The line of the CHANGELOG; none of what was only added.
    pub fn line(&self) -> Option<String> {
        let of = self.of.replace('-', " ");
        let change = match self.change {
            Change::Added(_) => return None,
            Change::Moved(from, to) => format!("`{}` is `{}`", path(from), path(to)),
            Change::NullDropped(at) => format!("`{}` is left out where it was null", path(at)),
            Change::Worded(at, from, to) => format!("`{from}` in `{}` is `{to}`", path(at)),
            Change::Reshaped(_, _, sentence) => sentence.to_owned(),
        };
        Some(format!("- `{of}`: {change}"))
    }
}

/// A pattern as people read it.
fn path(pattern: &str) -> &str {
    pattern.trim_start_matches("/**").trim_start_matches('/')
}

/// A place in a value.
type Path = Vec<String>;

/// A place that a pattern found, and what its stars stand for there.
struct Match {
    path: Path,
    stars: Vec<Path>,
}

fn moved(value: &mut Value, from: &str, to: &str) -> bool {
    let found = matches(value, from);
    // All are taken before any is put back: two names may change places.
    let taken: Vec<(Path, Value)> = found
        .into_iter()
        .map(|found| {
            (
                filled(to, &found.stars),
                take(value, &found.path).expect("found"),
            )
        })
        .collect();
    let any = !taken.is_empty();
    for (path, part) in taken {
        put(value, &path, part);
    }
    any
}

fn dropped(value: &mut Value, at: &str) -> bool {
    let found = matches(value, at);
    // From the end, so that the indices of a list's other elements stay.
    for found in found.iter().rev() {
        take(value, &found.path);
    }
    !found.is_empty()
}

fn null_dropped(value: &mut Value, at: &str) -> bool {
    let mut found = matches(value, at);
    found.retain(|found| reach(value, &found.path).is_some_and(|part| part.is_null()));
    for found in found.iter().rev() {
        take(value, &found.path);
    }
    !found.is_empty()
}

fn reworded(value: &mut Value, at: &str, from: &str, to: &str) -> bool {
    let mut any = false;
    for found in matches(value, at) {
        let place = reach(value, &found.path).expect("found");
        if place == from {
            *place = to.into();
            any = true;
        }
    }
    any
}

fn reshaped(value: &mut Value, at: &str, how: fn(Value) -> Value) -> bool {
    let found = matches(value, at);
    for found in &found {
        let place = reach(value, &found.path).expect("found");
        *place = how(place.take());
    }
    !found.is_empty()
}

fn matches(value: &Value, pattern: &str) -> Vec<Match> {
    let steps: Vec<String> = pattern.split('/').skip(1).map(unescaped).collect();
    let mut found = Vec::new();
    search(value, &steps, &mut Vec::new(), &mut Vec::new(), &mut found);
    found
}

fn search(
    value: &Value,
    steps: &[String],
    path: &mut Path,
    stars: &mut Vec<Path>,
    found: &mut Vec<Match>,
) {
    let Some((step, rest)) = steps.split_first() else {
        let (path, stars) = (path.clone(), stars.clone());
        return found.push(Match { path, stars });
    };
    if step == "**" {
        return search_below(value, (steps, rest), path, stars, found);
    }
    for (key, part) in parts(value) {
        let Some(star) = starred(step, &key) else {
            continue;
        };
        let bound = stars.len();
        stars.extend(star);
        path.push(key);
        search(part, rest, path, stars, found);
        path.pop();
        stars.truncate(bound);
    }
}

/// What the star of a step stands for where the key is this one, if the step has a star; none
/// where the key is another one.
fn starred(step: &str, key: &str) -> Option<Vec<Path>> {
    let Some((start, end)) = step.split_once('*') else {
        return (step == key).then(Vec::new);
    };
    let star = key.strip_prefix(start)?.strip_suffix(end)?;
    Some(vec![vec![star.to_owned()]])
}

/// Looks for the rest of a pattern here and in everything below.
fn search_below(
    value: &Value,
    (steps, rest): (&[String], &[String]),
    path: &mut Path,
    stars: &mut Vec<Path>,
    found: &mut Vec<Match>,
) {
    let bound = stars.len();
    stars.push(Vec::new());
    search_deeper(value, (steps, rest), path, stars, found, bound);
    stars.pop();
}

fn search_deeper(
    value: &Value,
    (steps, rest): (&[String], &[String]),
    path: &mut Path,
    stars: &mut Vec<Path>,
    found: &mut Vec<Match>,
    bound: usize,
) {
    search(value, rest, path, stars, found);
    for (key, part) in parts(value) {
        path.push(key.clone());
        stars[bound].push(key);
        search_deeper(part, (steps, rest), path, stars, found, bound);
        stars[bound].pop();
        path.pop();
    }
}

fn parts(value: &Value) -> Vec<(String, &Value)> {
    match value {
        Value::Object(map) => map.iter().map(|(key, part)| (key.clone(), part)).collect(),
        Value::Array(list) => (0..).map(|n: usize| n.to_string()).zip(list).collect(),
        _ => Vec::new(),
    }
}

/// The pattern with what the stars stand for in their places.
fn filled(pattern: &str, stars: &[Path]) -> Path {
    let mut stars = stars.iter();
    let mut path = Path::new();
    for step in pattern.split('/').skip(1) {
        match step {
            "*" | "**" => path.extend(stars.next().expect("as many stars").iter().cloned()),
            step if step.contains('*') => {
                let star = stars.next().expect("as many stars").concat();
                path.push(unescaped(&step.replace('*', &star)));
            }
            step => path.push(unescaped(step)),
        }
    }
    assert!(stars.next().is_none(), "a star is left over: {pattern}");
    path
}

fn reach<'a>(value: &'a mut Value, path: &[String]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, key| match value {
        Value::Object(map) => map.get_mut(key),
        Value::Array(list) => list.get_mut(key.parse::<usize>().ok()?),
        _ => None,
    })
}

/// Removes a value, and the objects that this leaves empty.
fn take(value: &mut Value, path: &[String]) -> Option<Value> {
    let (last, above) = path.split_last()?;
    let parent = reach(value, above)?;
    let taken = match parent {
        Value::Object(map) => map.shift_remove(last)?,
        Value::Array(items) => items.remove(last.parse().ok()?),
        _ => return None,
    };
    // An element of a list stays: the others keep their indices.
    let is_empty = parent.as_object().is_some_and(Map::is_empty);
    let is_key = above
        .last()
        .is_some_and(|key| key.parse::<usize>().is_err());
    if is_empty && is_key {
        take(value, above);
    }
    Some(taken)
}

fn put(value: &mut Value, path: &[String], part: Value) {
    let (last, above) = path.split_last().expect("a place");
    let parent = above.iter().fold(value, |value, key| match value {
        Value::Array(items) => &mut items[key.parse::<usize>().expect("an index")],
        Value::Object(map) => map.entry(key).or_insert_with(|| Map::new().into()),
        other => panic!("`{}` lies below {other}", pointer(path)),
    });
    match parent
        .as_object_mut()
        .unwrap_or_else(|| panic!("`{}` is not in an object", pointer(path)))
        .entry(last)
    {
        Entry::Vacant(place) => place.insert(part),
        Entry::Occupied(_) => panic!("`{}` is taken already", pointer(path)),
    };
}

/// Everything in which two values differ: pointer, before, today.
pub fn differences(before: &Value, today: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare(Some(before), Some(today), &mut Vec::new(), &mut found);
    if found.len() > MOST_SHOWN {
        let more = found.split_off(MOST_SHOWN).len();
        found.push(format!("and {more} more"));
    }
    found
}

fn compare(
    before: Option<&Value>,
    today: Option<&Value>,
    path: &mut Path,
    found: &mut Vec<String>,
) {
    if before == today {
        return;
    }
    let (keys, old, new) = match (before, today) {
        (Some(Value::Object(_)), Some(Value::Object(_)))
        | (Some(Value::Array(_)), Some(Value::Array(_))) => {
            let (old, new) = (before.map(parts), today.map(parts));
            let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
            let added = new.iter().filter(|(key, _)| part(&old, key).is_none());
            let keys: Vec<String> = old
                .iter()
                .chain(added)
                .map(|(key, _)| key.clone())
                .collect();
            (keys, old, new)
        }
        _ => {
            let (pointer, before, today) = (pointer(path), shown(before), shown(today));
            return found.push(format!("`{pointer}`: was {before}, is {today}"));
        }
    };
    for key in keys {
        let (before, today) = (part(&old, &key), part(&new, &key));
        path.push(key);
        compare(before, today, path, found);
        path.pop();
    }
}

fn part<'a>(parts: &[(String, &'a Value)], key: &str) -> Option<&'a Value> {
    let found = parts.iter().find(|(known, _)| known == key)?;
    Some(found.1)
}

fn pointer(path: &[String]) -> String {
    path.iter().fold(String::new(), |mut pointer, key| {
        let escaped = key.replace('~', "~0").replace('/', "~1");
        write!(pointer, "/{escaped}").expect("into a string");
        pointer
    })
}

fn unescaped(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

fn shown(value: Option<&Value>) -> String {
    let text = match value {
        None => "not there".to_owned(),
        Some(Value::String(text)) if text.starts_with('#') => text[1..].to_owned(),
        Some(value) => value.to_string(),
    };
    if text.chars().count() <= 200 {
        return text;
    }
    text.chars().take(200).chain(" …".chars()).collect()
}

/// Reads JSON with each number as a text, `#` and its digits as they are written: numbers must be
/// the same to the last digit, and reading one as a floating-point number may lose that digit. A
/// whole number is the same with and without `.0`.
pub fn read(json: &str) -> serde_json::Result<Value> {
    serde_json::from_str(&numbers_as_texts(json))
}

fn numbers_as_texts(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut rest = json.char_indices().peekable();
    while let Some((start, c)) = rest.next() {
        match c {
            '"' => {
                let mut end = start + 1;
                while let Some((at, c)) = rest.next() {
                    end = at + c.len_utf8();
                    match c {
                        '\\' => drop(rest.next()),
                        '"' => break,
                        _ => {}
                    }
                }
                out.push_str(&json[start..end]);
            }
            '-' | '0'..='9' => {
                let mut end = start + 1;
                while let Some((at, _)) = rest.next_if(|(_, c)| "+-.eE0123456789".contains(*c)) {
                    end = at + 1;
                }
                let number = json[start..end].trim_end_matches(".0");
                write!(out, "\"#{number}\"").expect("into a string");
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rule(change: Change) -> Rule {
        Rule { of: "", change }
    }

    fn after(change: Change, mut before: Value) -> Value {
        assert!(rule(change).apply(&mut before, &mut Value::Null));
        before
    }

    #[test]
    fn values_move_to_where_the_stars_say() {
        let before = json!({ "rows": [
            { "agent": "a", "own": { "pooled": { "ksr": 1, "kcr": 2 } } },
            { "agent": "b", "own": { "pooled": { "ksr": 3 } } },
        ] });
        let moved = Change::Moved("/rows/*/own/pooled/*", "/rows/*/measures/*");
        assert_eq!(
            after(moved, before),
            json!({ "rows": [
                { "agent": "a", "measures": { "ksr": 1, "kcr": 2 } },
                { "agent": "b", "measures": { "ksr": 3 } },
            ] })
        );
        let within = Change::Moved("/own/*", "/*_own");
        let before = json!({ "own": { "ksr": 1 }, "other": 2 });
        assert_eq!(after(within, before), json!({ "other": 2, "ksr_own": 1 }));
        let deep = Change::Moved("/**/near", "/**/similarity");
        let before = json!({ "near": 1, "a": { "b": [{ "near": 2 }] } });
        let today = json!({ "similarity": 1, "a": { "b": [{ "similarity": 2 }] } });
        assert_eq!(after(deep, before), today);
    }

    #[test]
    fn what_is_new_gone_or_worded_otherwise_is_let_pass_there_only() {
        let mut today = json!({ "a": [{ "id": 1, "new": 2 }, { "id": 3, "new": 4 }], "new": 5 });
        let added = rule(Change::Added("/a/*/new"));
        assert!(added.apply(&mut Value::Null, &mut today));
        assert_eq!(today, json!({ "a": [{ "id": 1 }, { "id": 3 }], "new": 5 }));
        assert!(!added.apply(&mut Value::Null, &mut today), "used once");
        assert_eq!(
            after(Change::NullDropped("/*"), json!({ "a": null, "b": 3 })),
            json!({ "b": 3 })
        );
        assert_eq!(
            after(
                Change::Worded("/*", "judge", "relate"),
                json!(["judge", "rate"])
            ),
            json!(["relate", "rate"])
        );
        assert_eq!(
            after(
                Change::Reshaped("/a", |a| json!([a]), ""),
                json!({ "a": 1 })
            ),
            json!({ "a": [1] })
        );
    }

    #[test]
    fn differences_are_found_to_the_last_digit() {
        let before = read(r#"{"a": [0.1, "x 1\" 2"], "b/c": 1, "d": null}"#).expect("JSON");
        let today = read(r#"{"d": null, "a": [0.10000000000000001, "x 1\" 2", 3], "b/c": 1.5}"#);
        assert_eq!(
            differences(&before, &today.expect("JSON")),
            [
                "`/a/0`: was 0.1, is 0.10000000000000001",
                "`/a/2`: was not there, is 3",
                "`/b~1c`: was 1, is 1.5",
            ]
        );
        assert_eq!(read("[1.0, 10.0]").ok(), read("[1, 10]").ok());
    }
}
