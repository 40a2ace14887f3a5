//! Subtitles: `SubRip` (`.srt`) and `WebVTT` (`.vtt`). Both are cues behind lines such as
//! `00:00:01,000 --> 00:00:04,500`; the rest (numbers, notes, styles) is passed over.

use super::Cue;

const ARROW: &str = "-->";
/// Most lines of a cue that are said again in the next.
const MOST_REPEATED: usize = 8;
/// Most bytes of a tag.
const LONGEST_TAG: usize = 200;

/// The cues of a file. An error names the line that cannot be read.
pub fn read(text: &str) -> Result<Vec<Cue>, String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut cues = Vec::new();
    let mut before: Vec<String> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some((start, rest)) = line.split_once(ARROW) else {
            continue;
        };
        // Behind the end, `WebVTT` has settings for the place on the screen.
        let end = rest.split_whitespace().next().unwrap_or_default();
        let (Some(start), Some(end)) = (seconds(start.trim()), seconds(end)) else {
            return Err(format!(
                "line {}: no times can be read: `{line}`",
                index + 1
            ));
        };
        let (speaker, said) = said(&lines[index + 1..]);
        let new = without_repeated(&said, &before);
        cues.push(Cue {
            start,
            end,
            text: new.join(" "),
            speaker,
            ..Cue::default()
        });
        before = said;
    }
    if cues.is_empty() {
        return Err("there is no cue in it: no line with `-->`".to_owned());
    }
    Ok(cues)
}

/// `1:02:03,500`, `02:03.500` or `3.5` in seconds.
fn seconds(time: &str) -> Option<f64> {
    let time = time.replace(',', ".");
    let parts: Vec<&str> = time.split(':').collect();
    if parts.len() > 3
        || parts
            .iter()
            .any(|part| !part.starts_with(|c: char| c.is_ascii_digit()))
    {
        return None;
    }
    parts.iter().try_fold(0.0, |all, part| {
        let value: f64 = part.parse().ok()?;
        Some(all * 60.0 + value)
    })
}

/// The lines of a cue without their marks, and who speaks.
fn said(lines: &[&str]) -> (Option<String>, Vec<String>) {
    // A cue without an empty line behind it ends at the number of the next one.
    let ends_cue = |(index, line): (usize, &&str)| {
        let next_has_times = lines
            .get(index + 1)
            .is_some_and(|next| next.contains(ARROW));
        let is_number = line.bytes().all(|byte| byte.is_ascii_digit());
        line.is_empty() || line.contains(ARROW) || is_number && next_has_times
    };
    let length = lines.iter().enumerate().position(ends_cue);
    let mut speaker = None;
    let texts = lines[..length.unwrap_or(lines.len())].iter().map(|line| {
        let (voice, text) = without_tags(line);
        speaker = speaker.take().or(voice);
        text
    });
    let said: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
    (speaker, said)
}

/// A line without its tags (`<i>`, `<00:00:02.000>`, `{\an8}`), and the speaker of a `<v NAME>`.
fn without_tags(line: &str) -> (Option<String>, String) {
    let mut text = String::new();
    let mut speaker = None;
    let mut rest = line;
    while let Some(at) = rest.find(['<', '{']) {
        let close = if rest[at..].starts_with('<') {
            b'>'
        } else {
            b'}'
        };
        let near = rest.as_bytes()[at..].iter().take(LONGEST_TAG);
        let length = near.copied().position(|byte| byte == close);
        let Some(length) = length.filter(|_| is_tag(&rest[at..])) else {
            text.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            continue;
        };
        let tag = &rest[at + 1..at + length];
        if let Some(name) = tag.strip_prefix("v ").or_else(|| {
            tag.strip_prefix("v.")
                .and_then(|of| of.split_once(' '))
                .map(|of| of.1)
        }) {
            speaker = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
        }
        text.push_str(&rest[..at]);
        rest = &rest[at + length + 1..];
    }
    text.push_str(rest);
    (
        speaker,
        unescaped(&text)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
    )
}

/// Whether a bracket begins a tag: "a < b" does not.
fn is_tag(from: &str) -> bool {
    let mut chars = from.chars();
    match (chars.next(), chars.next()) {
        (Some('<'), Some(c)) => c == '/' || c.is_ascii_alphanumeric(),
        (Some('{'), Some(c)) => c == '\\',
        _ => false,
    }
}

/// The few references that `WebVTT` knows.
fn unescaped(text: &str) -> String {
    [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&nbsp;", " "),
        ("&lrm;", ""),
        ("&rlm;", ""),
        ("&amp;", "&"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (name, mark)| {
        text.replace(name, mark)
    })
}

/// The lines that are new: captions that roll say each line twice, last in one cue and first in the
/// next.
fn without_repeated(said: &[String], before: &[String]) -> Vec<String> {
    let most = said.len().min(before.len()).min(MOST_REPEATED);
    let repeated = (1..=most)
        .rev()
        .find(|&n| said[..n] == before[before.len() - n..]);
    said[repeated.unwrap_or(0)..].to_vec()
}
