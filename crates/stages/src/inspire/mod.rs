//! Here is a transcript: what in it could research start from? Each inspiration names the passages
//! that carry it. Hides windows, the questions to the model, the rules that an answer must pass,
//! the second look and the choice of ten. Method: DeepResearch Arena, inspiration agent. Every
//! quote is the transcript's own: what a model quotes is looked up, and where the role is filled by
//! code, that chooses sentences.

mod chosen;
pub mod classifier;
mod examples;
#[cfg(test)]
mod good_replies;
mod ground;
mod merge;
mod numbered;
mod options;
mod passage;
#[cfg(test)]
mod planted;
mod question;
mod readings;
mod review;
mod style;
mod surroundings;
mod windows;

use std::{collections::BTreeSet, ops::RangeInclusive, time::Instant};

use crate::{
    context::{self, Context, Harvest, Notice, StageReport},
    data::{CallId, Fault, InspirationType, Transcript, Unscored, is_read, other_language},
    embed::Encoder,
    store::{Rejection, SeminarInfo},
};
use anyhow::{Context as _, Result};
use examples::Examples;
use ground::{Heard, Refusal};
use merge::Candidate;
use numbered::{Barred, Numbered};
pub use options::Options;
use question::{Idea, Question};
use readings::Readings;
pub use review::When;
pub use style::Style;

/// The code that can fill the role `inspire`.
pub const CODE: &str = "code/sentences";

/// Candidates that are looked at a second time.
const REVIEWED: usize = merge::MOST + merge::MOST / 2;
/// Words of a window where the user does not say: what code chooses a few sentences of, what a
/// built-in model reads with a reply in its context, and what another model reads at once.
const WINDOW_OF_CODE: usize = 2000;
const SMALL_WINDOW: usize = 1200;
const LARGE_WINDOW: usize = 6000;
/// Ideas that a model is asked for in one window, and a built-in one.
const IDEAS: usize = 10;
const SMALL_IDEAS: usize = 3;

/// Extracts inspirations from the current transcripts of `seminars`, and saves those of a seminar
/// together. Where code fills the role, it reads sentences by their words, and with `encoder` by
/// their meaning, too.
pub async fn run(
    ctx: &Context,
    seminars: &[SeminarInfo],
    options: &Options,
    encoder: Option<&Encoder>,
) -> Result<StageReport> {
    let started = Instant::now();
    let mut report = StageReport::new("inspire");
    let finder = if ctx.llm.is_code("inspire", 0)? {
        Finder::Code(encoder)
    } else {
        Finder::Model
    };
    let reviewed = match options.review {
        When::Auto => ctx.llm.members("review") > 0 && !ctx.llm.is_builtin("review", 0)?,
        When::Always => true,
        When::Never => false,
    };
    let style = match finder {
        Finder::Model => options.style,
        Finder::Code(_) => Style::Brief,
    };
    if style != options.style {
        report.notes.push(
            "code chooses sentences as they are: `[inspire] style = \"paper\"` is for models\nhint: `--model-role inspire=PROVIDER/MODEL`".to_owned(),
        );
    }
    let examples = Examples::new(ctx.llm.examples(style.prompt())?);
    let mut talks = Vec::new();
    for seminar in seminars {
        if !is_read(&seminar.language) {
            report.fail(
                &seminar.path,
                "other_language",
                other_language(&seminar.language),
            );
            continue;
        }
        let transcript = ctx
            .store
            .transcript(&seminar.transcript)?
            .context("the transcript is not in the database")?;
        let numbered = Numbered::new(&transcript);
        talks.push(Talk {
            seminar,
            transcript,
            finder,
            style,
            numbered,
            examples: &examples,
        });
    }
    let (usual, most) = match finder {
        Finder::Code(_) => (WINDOW_OF_CODE, 0),
        Finder::Model if ctx.llm.is_builtin("inspire", 0)? => (SMALL_WINDOW, SMALL_IDEAS),
        Finder::Model => (LARGE_WINDOW, IDEAS),
    };
    let or_usual = |wanted, usual| if wanted == 0 { usual } else { wanted };
    let size = or_usual(options.window, usual);
    let most = or_usual(options.per_window, most);
    let windows: Vec<Vec<RangeInclusive<usize>>> = talks
        .iter()
        .map(|talk| windows::windows(&talk.numbered, size))
        .collect();
    let total = windows.iter().map(Vec::len).sum::<usize>() as u64;
    (ctx.notify)(Notice::Start {
        stage: "inspire",
        total,
    });
    let work = talks.iter().zip(&windows);
    // As many talks at once as the model takes questions.
    for of_talk in context::all(work, ctx.llm.parallel("inspire"), |(talk, windows)| {
        extract(ctx, talk, windows, most, reviewed)
    })
    .await?
    {
        report.absorb(of_talk);
    }
    (ctx.notify)(Notice::End);
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// Who finds ideas.
#[derive(Clone, Copy)]
enum Finder<'a> {
    /// A model, which is asked.
    Model,
    /// Code, with the encoder by which it reads what sentences mean, if that is here.
    Code(Option<&'a Encoder>),
}

/// A seminar's text, read.
struct Talk<'a> {
    seminar: &'a SeminarInfo,
    transcript: Transcript,
    numbered: Numbered,
    finder: Finder<'a>,
    style: Style,
    /// The ideas that the prompt shows.
    examples: &'a Examples,
}

impl Talk<'_> {
    fn heard(&self) -> Heard<'_> {
        Heard {
            transcript: &self.transcript,
            numbered: &self.numbered,
            style: self.style,
            examples: self.examples,
        }
    }
}

/// What one talk has given so far.
struct Basket {
    kept: Vec<Candidate>,
    rejected: Vec<Rejection>,
    report: StageReport,
    harvest: Harvest,
    /// Whether a model had to be asked.
    asked: bool,
    /// Whether an answer is missing that another run may get.
    lost: bool,
    /// Whether a reply could not be read.
    unreadable: bool,
}

impl Basket {
    fn new(path: &str) -> Self {
        Self {
            kept: Vec::new(),
            rejected: Vec::new(),
            report: StageReport::new("inspire"),
            harvest: Harvest {
                item: path.to_owned(),
                ..Harvest::default()
            },
            asked: false,
            lost: false,
            unreadable: false,
        }
    }

    /// Inspirations in it from which tasks may be woven.
    fn standing(&self) -> usize {
        let kept = self.kept.iter();
        kept.filter(|candidate| candidate.inspiration.stands())
            .count()
    }

    fn refuse(&mut self, rule: &str, detail: String, call: Option<&CallId>) {
        self.report.reject(rule);
        *self.harvest.rejected.entry(rule.to_owned()).or_default() += 1;
        self.rejected.push(Rejection {
            rule: rule.to_owned(),
            detail,
            call: call.cloned(),
        });
    }
}

async fn extract(
    ctx: &Context,
    talk: &Talk<'_>,
    windows: &[RangeInclusive<usize>],
    most: usize,
    reviewed: bool,
) -> Result<StageReport> {
    let started = Instant::now();
    let path = &talk.seminar.path;
    (ctx.notify)(Notice::Working(path));
    let mut basket = Basket::new(path);
    let given = match talk.finder {
        Finder::Code(encoder) => chosen_of(ctx, talk, encoder, windows),
        Finder::Model => ask_all(ctx, talk, windows, most)
            .await
            .with_context(|| format!("inspire: `{path}`"))?,
    };
    for given in given {
        take(talk, given, &mut basket);
    }
    if !basket.lost {
        choose(ctx, talk, reviewed, &mut basket)
            .await
            .with_context(|| format!("inspire: `{path}`"))?;
    }
    if basket.lost {
        // What is on record stays in force: the next run asks what is missing, and then has the
        // whole.
        return Ok(basket.report);
    }
    save(ctx, talk, basket, started)
}

/// Saves what the talk gave in place of what was there, unless unreadable replies would make it
/// less.
fn save(
    ctx: &Context,
    talk: &Talk<'_>,
    mut basket: Basket,
    started: Instant,
) -> Result<StageReport> {
    let path = &talk.seminar.path;
    if basket.unreadable && basket.standing() < standing(ctx, talk)? {
        // The failures are listed already; what stands is worth more than what is left.
        basket.report.notes.push(format!(
            "{path}: replies could not be read; the inspirations that were there stay"
        ));
        return Ok(basket.report);
    }
    let Basket {
        kept,
        rejected,
        mut report,
        mut harvest,
        asked,
        ..
    } = basket;
    let kept: Vec<_> = kept
        .into_iter()
        .map(|candidate| (candidate.inspiration, candidate.call))
        .collect();
    let changed = ctx
        .store
        .save_inspirations(&talk.seminar.id, &kept, &rejected)?;
    // What people said of them earlier is in the store.
    let standing = standing(ctx, talk)?;
    harvest.kept = standing as u64;
    harvest.seconds = started.elapsed().as_secs_f64();
    report.harvests.push(harvest);
    if standing == 0 {
        let message = "nothing in the talk passed the rules, or all was rejected\nhint: see `taskgen inspirations list`";
        report.fail(path, "no_inspiration", message);
    }
    report.count(!(asked || changed));
    Ok(report)
}

/// Inspirations of the talk from which tasks may be woven.
fn standing(ctx: &Context, talk: &Talk<'_>) -> Result<usize> {
    Ok(ctx
        .store
        .inspirations_of(talk.seminar)?
        .iter()
        .filter(|inspiration| inspiration.stands())
        .count())
}

/// What a part of a talk gave.
#[derive(Default)]
struct Given {
    sound: Vec<Candidate>,
    refused: Vec<(Refusal, Option<CallId>)>,
    harvest: Harvest,
    asked: bool,
    failed: Option<(String, Unscored)>,
}

impl Given {
    /// Takes an idea, if it passes the rules.
    fn take(
        &mut self,
        talk: &Talk<'_>,
        kind: Option<InspirationType>,
        idea: Idea,
        call: Option<&CallId>,
        certainty: u8,
    ) {
        self.harvest.found += 1;
        let call = call.cloned();
        match ground::inspiration(talk.heard(), kind, idea) {
            Ok(inspiration) => self.sound.push(Candidate {
                inspiration,
                call,
                mark: None,
                certainty,
            }),
            Err(refusal) => self.refused.push((refusal, call)),
        }
    }
}

/// What code chooses of each part of a talk.
fn chosen_of(
    ctx: &Context,
    talk: &Talk<'_>,
    encoder: Option<&Encoder>,
    windows: &[RangeInclusive<usize>],
) -> Vec<Given> {
    let readings = Readings::new(encoder, &talk.numbered);
    let of = |window| {
        let mut given = Given::default();
        for choice in chosen::choices(&talk.numbered, &readings, window) {
            let idea = choice.idea(&talk.numbered);
            given.take(talk, Some(choice.kind), idea, None, choice.percent());
        }
        (ctx.notify)(Notice::Advance(1));
        given
    };
    windows.iter().map(of).collect()
}

/// Asks a model about all parts of a talk.
async fn ask_all(
    ctx: &Context,
    talk: &Talk<'_>,
    windows: &[RangeInclusive<usize>],
    most: usize,
) -> Result<Vec<Given>> {
    let language = &talk.transcript.language;
    let ask = async |window: &RangeInclusive<usize>| {
        let question = question::about(language, &talk.numbered, window.clone(), most, talk.style);
        let given = ask(ctx, talk, &question).await;
        (ctx.notify)(Notice::Advance(1));
        given
    };
    context::all(windows, ctx.llm.parallel("inspire"), ask).await
}

/// Asks, and lets what comes pass the rules.
async fn ask(ctx: &Context, talk: &Talk<'_>, question: &Question<'_>) -> Result<Given> {
    let mut given = Given::default();
    let answer = question.ask(ctx).await?;
    given.asked = !answer.cached;
    given.harvest.count(answer.usage, answer.value.is_ok());
    match answer.value {
        Ok(found) => {
            for idea in found.items {
                given.take(talk, None, idea, Some(&answer.call), 0);
            }
        }
        Err(unscored) => given.failed = Some((question.name(), unscored)),
    }
    Ok(given)
}

/// Puts what a question gave into the basket; what is there already is merged.
fn take(talk: &Talk<'_>, given: Given, basket: &mut Basket) {
    let Given {
        sound,
        refused,
        harvest,
        asked,
        failed,
    } = given;
    basket.asked |= asked;
    basket.harvest.absorb(&harvest);
    basket.harvest.sound += sound.len() as u64;
    if let Some((question, unscored)) = failed {
        basket.lost |= unscored.cause.is_transient();
        basket.unreadable |= !unscored.cause.is_transient();
        basket
            .report
            .fail_unscored(&format!("{} ({question})", talk.seminar.path), &unscored);
    }
    for ((rule, detail), call) in refused {
        basket.refuse(rule, detail, call.as_ref());
    }
    for candidate in sound {
        let call = candidate.call.clone();
        if let Err(text) = merge::add(talk.heard(), &mut basket.kept, candidate) {
            basket.refuse("duplicate", text, call.as_ref());
        }
    }
}

/// The ten that are kept. What a reviewer rejects is kept beside them as rejected: a person may
/// think otherwise.
async fn choose(ctx: &Context, talk: &Talk<'_>, reviewed: bool, basket: &mut Basket) -> Result<()> {
    let duration = talk.transcript.duration;
    let mut others = std::mem::take(&mut basket.kept);
    let (mut standing, mut rejected) = (Vec::new(), Vec::new());
    // More are looked at until ten stand or none is left.
    while standing.len() < merge::MOST && !others.is_empty() {
        let (mut promising, left) = merge::choose(others, REVIEWED, duration);
        others = left;
        if reviewed {
            review_all(ctx, talk, &mut promising, basket).await?;
        }
        let (good, bad): (Vec<_>, Vec<_>) = promising
            .into_iter()
            .partition(|found| found.inspiration.stands());
        standing.extend(good);
        rejected.extend(bad);
    }
    let (mut kept, left) = merge::choose(standing, merge::MOST, duration);
    for candidate in others.into_iter().chain(left) {
        basket.refuse(
            "more_than_ten",
            candidate.inspiration.text.clone(),
            candidate.call.as_ref(),
        );
    }
    for candidate in rejected {
        let fault = candidate
            .inspiration
            .reviews
            .iter()
            .find_map(|review| review.fault);
        let rule = format!("review_{}", fault.map_or("rejected", Fault::word));
        basket.refuse(
            &rule,
            candidate.inspiration.text.clone(),
            candidate.call.as_ref(),
        );
        kept.push(candidate);
    }
    basket.kept = kept;
    Ok(())
}

/// Has each of the candidates looked at a second time.
async fn review_all(
    ctx: &Context,
    talk: &Talk<'_>,
    candidates: &mut [Candidate],
    basket: &mut Basket,
) -> Result<()> {
    let at_once = ctx.llm.parallel("review");
    for opinion in context::all(candidates, at_once, |candidate| {
        review::review(ctx, &talk.numbered, candidate)
    })
    .await?
    {
        basket.asked |= !opinion.cached;
        basket.harvest.count(opinion.usage, opinion.value.is_ok());
        if let Err(unscored) = opinion.value {
            basket.lost |= unscored.cause.is_transient();
            basket
                .report
                .fail_unscored(&format!("{} (review)", talk.seminar.path), &unscored);
        }
    }
    Ok(())
}

/// The seminars that are asked for by path, id or the unambiguous start of one; all when `names` is
/// empty.
pub fn select(seminars: Vec<SeminarInfo>, names: &[String]) -> Result<Vec<SeminarInfo>> {
    if names.is_empty() {
        return Ok(seminars);
    }
    let mut chosen = BTreeSet::new();
    for name in names {
        let path = name.strip_prefix("seminars/").unwrap_or(name);
        let exact = seminars
            .iter()
            .filter(|s| s.path == path || s.id.as_str() == name)
            .map(|s| &s.id);
        let mut found: Vec<_> = exact.collect();
        if found.is_empty() && !name.is_empty() {
            found = seminars
                .iter()
                .filter(|s| s.id.as_str().starts_with(name.as_str()))
                .map(|s| &s.id)
                .collect();
        }
        anyhow::ensure!(
            !found.is_empty(),
            "no such seminar: `{name}`\nhint: {}",
            near(&seminars, path)
        );
        anyhow::ensure!(
            found.len() == 1,
            "{} seminars begin with `{name}`\nhint: more of the id, or the path",
            found.len()
        );
        chosen.insert(found[0].clone());
    }
    Ok(seminars
        .into_iter()
        .filter(|seminar| chosen.contains(&seminar.id))
        .collect())
}

/// The paths that a mistyped one may mean, or where to look.
fn near(seminars: &[SeminarInfo], name: &str) -> String {
    let near: Vec<String> = seminars
        .iter()
        .filter(|s| !name.is_empty() && s.path.contains(name))
        .map(|s| format!("`{}`", s.path))
        .collect();
    if near.is_empty() {
        "`taskgen status` lists them".to_owned()
    } else {
        format!("did you mean {}?", near.join(" or "))
    }
}

#[cfg(test)]
mod testing {
    //! A transcript out of sentences.

    use crate::data::{ModelRef, Ms, Segment, SeminarId, Transcript, TranscriptId};

    /// Four seconds each.
    pub fn transcript<'a>(sentences: &[&'a str]) -> Transcript {
        let at = |(index, text): (usize, &&'a str)| {
            (index as u64 * 4000, index as u64 * 4000 + 3900, *text)
        };
        timed(&sentences.iter().enumerate().map(at).collect::<Vec<_>>())
    }

    /// From and to these milliseconds.
    pub fn timed(sentences: &[(u64, u64, &str)]) -> Transcript {
        let segment = |&(start, end, text): &(u64, u64, &str)| Segment {
            start: Ms(start),
            end: Ms(end),
            text: text.to_owned(),
            confidence: 0.9,
            speaker: None,
            words: Vec::new(),
        };
        Transcript {
            schema_version: 1,
            id: TranscriptId::from_parts(&["x"]),
            seminar: SeminarId::from_parts(&["x"]),
            path: "x.wav".into(),
            media_sha256: String::new(),
            duration: Ms(sentences.last().map_or(0, |(_, end, _)| *end)),
            language: "en".into(),
            model: ModelRef {
                name: "tiny.en".into(),
                sha256: String::new(),
            },
            parameters: serde_json::Value::Null,
            segments: sentences.iter().map(segment).collect(),
        }
    }
}
