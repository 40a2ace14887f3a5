//! Key points: what the cited pages say about the task, with verbatim spans that are looked up in
//! the page.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::limits::{FEWEST_WORDS, LONGEST, ROLE};
use crate::{
    context::{Context, StageReport},
    data::{Cause, KeyPoint, KeyPointId, Task, TaskId, Unscored},
    evaluate::{Form, Options, kae::key_points_extractive, library::Library},
    llm::{Answer, Answered, Ask, object},
    store::Store,
    text::{find::find, sentences, url, words},
};

const PAPER: &str = "evaluate/key-points";
const STRICT: &str = "evaluate/key-points-strict";
/// Characters that a model behind a server reads at once, and a small one.
const PART: usize = 16_000;
const SMALL_PART: usize = 2_500;
/// Most spans of a key point.
const SPANS: usize = 3;
/// Longest point and longest span in the strict form, so that the longest reply fits its tokens.
const LONGEST_STRICT: usize = 400;

/// The key points of the pages cited for a task, by page.
pub type Found<'a> = BTreeMap<&'a TaskId, BTreeMap<String, OfPage>>;

/// The key points of a page.
#[derive(Default)]
pub struct OfPage {
    /// Its key points.
    pub points: Vec<KeyPoint>,
    /// Why parts of it gave none.
    pub failed: Vec<&'static str>,
}

/// The hash of all that decides which key points are found: sets of different fingerprints are not
/// compared.
pub fn fingerprint(ctx: &Context, options: &Options) -> Result<String> {
    let Options {
        points,
        part,
        parts,
        similarity,
        ..
    } = options;
    let prompt = if ctx.llm.is_builtin(ROLE, 0)? {
        key_points_extractive::PROMPT
    } else {
        prompt(options)
    };
    let (model, prompt) = (ctx.llm.model_name(ROLE, 0)?, ctx.llm.prompt_hash(prompt)?);
    // The number of URLs is not in it: it decides which pages are read, not what is found in one.
    Ok(json!([model, prompt, points, part, parts, similarity]).to_string())
}

fn prompt(options: &Options) -> &'static str {
    match options.form {
        Form::Paper => PAPER,
        Form::Strict => STRICT,
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Points {
    points: Vec<Point>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Point {
    point_number: u32,
    point_content: String,
    spans: Vec<String>,
}

impl Answer for Points {
    fn validate(&self) -> Result<(), Unscored> {
        let fail = |cause, reason: String| Err(Unscored { cause, reason });
        for point in &self.points {
            let number = point.point_number;
            if point.point_content.trim().is_empty()
                || point.point_content.chars().count() > LONGEST
            {
                return fail(
                    Cause::OutOfRange,
                    format!("point {number} is empty or longer than {LONGEST} characters"),
                );
            }
            if point.spans.is_empty() {
                return fail(
                    Cause::Inconsistent,
                    format!("point {number} names no place of the page"),
                );
            }
        }
        Ok(())
    }
}

/// A part of a page, for a task. Its text is read when its turn comes.
struct Part<'t> {
    task: &'t Task,
    /// Hash of the page's bytes.
    content: String,
    number: usize,
    parts: usize,
}

/// The text of a part, and what is known of its page.
struct PartText {
    title: Option<String>,
    /// The host that it came from.
    site: String,
    /// When it says that it was published.
    published: Option<String>,
    text: String,
}

/// Asks for the key points of every cited page.
pub async fn find_in<'a>(
    ctx: &Context,
    library: &Library<'a>,
    options: &Options,
) -> Result<(Found<'a>, StageReport)> {
    let mut report = StageReport::new("key points");
    let size = match options.part {
        0 if ctx.llm.is_builtin(ROLE, 0)? => SMALL_PART,
        0 => PART,
        size => size,
    };
    let (parts, cut) = all_parts(&ctx.store, library, size, options.parts)?;
    if cut > 0 {
        report.notes.push(format!(
            "{cut} pages are longer than {} parts: the rest was not read",
            options.parts
        ));
    }
    let mut found = Found::new();
    let ask = async |part| ask(ctx, part, size, options).await;
    for (part, (points, cached)) in ctx
        .each(report.stage, &parts, ctx.llm.parallel(ROLE), ask)
        .await?
    {
        report.count(cached);
        let of_page = found
            .entry(&part.task.id)
            .or_default()
            // By the page's bytes: two URLs of one page are one source.
            .entry(part.content.clone())
            .or_default();
        match points {
            Ok(points) => {
                // Counted, not kept: a point without a quote in the page may be invented.
                for _ in points.iter().filter(|point| !point.verified) {
                    report.reject("not_in_the_page");
                }
                of_page
                    .points
                    .extend(points.into_iter().filter(|point| point.verified));
            }
            Err(unscored) => {
                let item = format!(
                    "part {} of page {} for {}",
                    part.number,
                    &part.content[..12],
                    part.task.id
                );
                report.fail_unscored(&item, &unscored);
                // Kept with the page: a set that lacks points says so.
                of_page.failed.push(unscored.cause.word());
            }
        }
    }
    Ok((found, report))
}

/// At most so many parts of every cited page for every task, and of how many pages that is not the
/// whole.
fn all_parts<'t>(
    store: &Store,
    library: &Library<'t>,
    size: usize,
    most: usize,
) -> Result<(Vec<Part<'t>>, usize)> {
    let (mut parts, mut cut) = (Vec::new(), 0);
    for task in library.tasks() {
        for content in library.cited(&task.id, |_| true) {
            let Some(extract) = store.extract(content)? else {
                continue;
            };
            let n = in_parts(&extract.text, size).len();
            cut += usize::from(n > most);
            let n = n.min(most);
            parts.extend((1..=n).map(|number| Part {
                task,
                content: content.to_owned(),
                number,
                parts: n,
            }));
        }
    }
    Ok((parts, cut))
}

fn text_of(store: &Store, part: &Part<'_>, size: usize) -> Result<PartText> {
    let extract = store
        .extract(&part.content)?
        .context("the text of a page is gone")?;
    let text = in_parts(&extract.text, size)
        .get(part.number - 1)
        .context("a page is shorter than it was")?
        .to_string();
    let address = store.address_of(&part.content)?;
    let host = address.as_deref().and_then(url::host);
    Ok(PartText {
        title: extract.title,
        site: host.unwrap_or_default(),
        published: extract.published,
        text,
    })
}

async fn ask(
    ctx: &Context,
    part: &Part<'_>,
    size: usize,
    options: &Options,
) -> Result<(Result<Vec<KeyPoint>, Unscored>, bool)> {
    let read = text_of(&ctx.store, part, size)?;
    let answer = if ctx.llm.is_builtin(ROLE, 0)? {
        // A chosen sentence is its own quote, and so verified.
        let own = |text: &str| new_point(part, words::one_line(text), vec![text.to_owned()], true);
        let chosen =
            key_points_extractive::choose(ctx, part.task, &read.text, options.points).await?;
        let Some(chosen) = chosen else {
            return Ok((Ok(Vec::new()), true));
        };
        chosen.map(|texts| texts.into_iter().map(own).collect::<Vec<_>>())
    } else {
        note(ctx, part, &read, options).await?
    };
    if let Ok(points) = &answer.value {
        ctx.store.save_key_points(points, &answer.call)?;
    }
    Ok((answer.value, answer.cached))
}

async fn note(
    ctx: &Context,
    part: &Part<'_>,
    read: &PartText,
    options: &Options,
) -> Result<Answered<Vec<KeyPoint>>> {
    let mut vars = json!({
        "task": part.task.text,
        "title": read.title,
        "part": part.number,
        "parts": part.parts,
        "page": read.text,
        "most": options.points,
    });
    let most = options.points;
    let (longest, max_tokens) = match options.form {
        Form::Paper => (LONGEST, 3000),
        // A token for every two characters, and what stands around them.
        Form::Strict => {
            vars["site"] = json!(read.site);
            vars["published"] = json!(read.published);
            let point = (1 + SPANS) * LONGEST_STRICT / 2 + 60;
            (LONGEST_STRICT, (most * point + 40) as u32)
        }
    };
    let ask = Ask {
        role: ROLE,
        prompt: prompt(options),
        vars: &vars,
        schema: Some(schema(most, longest)),
        check: &|reply: &Points| check(reply, most),
        max_tokens,
        ..Ask::default()
    };
    let answer = ctx.llm.ask::<Points>(ask).await?;
    Ok(answer.map(|reply| {
        reply
            .points
            .into_iter()
            .map(|point| key_point(part, &read.text, point))
            .collect()
    }))
}

fn check(reply: &Points, most: usize) -> Result<(), Unscored> {
    let n = reply.points.len();
    if n <= most {
        return Ok(());
    }
    Err(Unscored {
        cause: Cause::OutOfRange,
        reason: format!("{n} points where at most {most} were asked for"),
    })
}

/// The point, with the page's own wording of its spans.
fn key_point(part: &Part<'_>, text: &str, point: Point) -> KeyPoint {
    // A word or two are on any page.
    let tells = |span: &&String| words::length(span) >= FEWEST_WORDS;
    let own = |span: &String| find(text, span).map(|place| text[place].to_owned());
    let spans: Vec<String> = point
        .spans
        .iter()
        .take(SPANS)
        .filter(tells)
        .filter_map(own)
        .collect();
    let verified = !spans.is_empty();
    let spans = if verified { spans } else { point.spans };
    new_point(part, point.point_content.trim().to_owned(), spans, verified)
}

fn new_point(part: &Part<'_>, text: String, spans: Vec<String>, verified: bool) -> KeyPoint {
    KeyPoint {
        id: KeyPointId::from_parts(&[part.task.id.as_str(), &part.content, &text]),
        task: part.task.id.clone(),
        source: part.content.clone(),
        text,
        spans,
        verified,
    }
}

/// The text in parts of at most `size` characters, cut between lines, else sentences, else words,
/// where there are any.
fn in_parts(text: &str, size: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((end, _)) = rest.char_indices().nth(size) {
        let cut = place_to_cut(&rest[..end]).unwrap_or(end);
        let (part, after) = rest.split_at(cut);
        parts.push(part);
        rest = after;
    }
    if !rest.trim().is_empty() {
        parts.push(rest);
    }
    parts
}

/// Behind the last line, sentence or word that ends in the text's second half.
fn place_to_cut(text: &str) -> Option<usize> {
    let late = |at: &usize| *at > text.len() / 2;
    let line = || text.rfind('\n').map(|at| at + 1).filter(late);
    let sentence = || {
        text.char_indices()
            .nth(sentences::split(text).last()?.start)
            .map(|(at, _)| at)
            .filter(late)
    };
    let word = || text.rfind(char::is_whitespace).filter(late);
    line().or_else(sentence).or_else(word)
}

fn schema(most: usize, longest: usize) -> Value {
    let text = json!({ "type": "string", "maxLength": longest });
    let point = object(&json!({
        "point_number": { "type": "integer" },
        "point_content": text,
        "spans": { "type": "array", "items": text, "minItems": 1, "maxItems": SPANS }
    }));
    object(&json!({ "points": { "type": "array", "items": point, "maxItems": most } }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_whole_text_and_end_between_lines() {
        let text = "first line\nsecond line\nthird line";
        assert_eq!(
            in_parts(text, 15),
            ["first line\n", "second line\n", "third line"]
        );
        assert_eq!(
            in_parts("It is cold. Ice grows. Heat helps.", 25),
            ["It is cold. Ice grows. ", "Heat helps."]
        );
        assert_eq!(
            in_parts("one two three four", 15),
            ["one two three", " four"]
        );
        assert_eq!(
            in_parts("河流每年移动很多沙石", 4),
            ["河流每年", "移动很多", "沙石"]
        );
        assert_eq!(in_parts("", 5), Vec::<&str>::new());
        assert_eq!(in_parts("short", 5), ["short"]);
    }
}
