//! Leakage: whether a model knows the tasks by heart. It gets the first half of each and continues
//! it; the continuation is compared with the true second half.
//!
//! **Measures** verbatim memory, and nothing else. **Method**: `DeepResearch` Arena (arXiv
//! 2509.01396), section on data leakage: temperature 0.1, 500 tokens, and the composite of
//! [`memorization`](crate::text::memorization). **Differs from the paper**: it has no controls, so
//! that "no leaks" could mean anything. Here famous texts show whether a model that knows a text
//! would be seen at all, and each continuation is compared with another task's end, too: what
//! chance gives. Unless the settings say otherwise, a reply is a JSON object, and what a model says
//! beyond the length of the true end is left out. **Cost**: a call for each model and text.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use rand::{SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    context::{Context, StageReport},
    data::{Task, Unscored, primary_language},
    llm::{Answer, Ask, Text as Reply, object},
    stats::bootstrap::{self, Estimate, RESAMPLES},
    text::memorization::{Alike, Vocabulary, cut},
};

const ROLE: &str = "complete";
const PROMPT: &str = "audit/continue";
const PLAIN_PROMPT: &str = "audit/continue-plain";
/// The paper's temperature.
const TEMPERATURE: f64 = 0.1;
const TOKENS: u32 = 500;
/// Letters of a continuation.
const LONGEST: usize = 2000;
const FAMOUS: &str = include_str!("famous.toml");

/// How a model is asked to go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prompt {
    /// It replies with a JSON object
    #[default]
    Json,
    /// It just goes on, as in the paper
    Plain,
}

/// What of a continuation is compared with the true end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compare {
    /// As many characters as the true end has
    #[default]
    Cut,
    /// All of it, as in the paper
    Whole,
}

impl Compare {
    /// What of a continuation is compared. A model that goes on further than the true end is not
    /// counted as less similar, unless the whole is wanted.
    fn of<'a>(self, continuation: &'a str, rest: &str) -> &'a str {
        if self == Self::Whole {
            return continuation;
        }
        let end = continuation.char_indices().nth(rest.chars().count());
        end.map_or(continuation, |(at, _)| &continuation[..at])
    }
}

/// Settings of the probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// How a model is asked to go on.
    pub prompt: Prompt,
    /// What of a continuation is compared.
    pub compare: Compare,
}

/// The leakage of one model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Leakage {
    /// `provider/model`.
    pub model: String,
    /// The tasks.
    pub tasks: Alikeness,
    /// The chance level: the ends of other tasks of the same language instead of the true ones.
    pub shuffled: Alikeness,
    /// The positive control: famous texts, which a model should know by heart.
    pub famous: Alikeness,
    /// Every text that has a composite, tasks first, the most alike first.
    pub texts: Vec<Probed>,
}

/// Similarity of continuations and true ends, as means over texts.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Alikeness {
    /// Texts.
    pub n_total: u64,
    /// Those with a composite.
    pub n_scored: u64,
    /// Why the others have none.
    pub n_failed: BTreeMap<String, u64>,
    /// Texts that count as known by heart: a composite above 0.7.
    pub leaked: u64,
    /// 0.4 string + 0.4 TF-IDF + 0.2 overlap, 0 to 1.
    pub composite: Option<f64>,
    /// Lower end of its 95 % interval, by resampling texts.
    pub ci_low: Option<f64>,
    /// Upper end.
    pub ci_high: Option<f64>,
    /// Longest common subsequence.
    pub string: Option<f64>,
    /// Cosine of TF-IDF vectors.
    pub tfidf: Option<f64>,
    /// Share of the true end's words.
    pub overlap: Option<f64>,
}

/// A text and its continuation by a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Probed {
    /// A task's id, or the name of a famous text.
    pub text: String,
    /// What the model was shown.
    pub beginning: String,
    /// How it goes on.
    pub rest: String,
    /// How the model went on.
    pub continuation: String,
    /// How alike the two are.
    pub composite: f64,
    /// Whether the text counts as known by heart.
    pub leaked: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Continued {
    /// How the text goes on.
    continuation: String,
}

impl Answer for Continued {}

/// A text in two parts.
#[derive(Clone, Debug)]
struct Text {
    name: String,
    language: String,
    is_task: bool,
    /// None where there is no place to cut.
    parts: Option<(String, String)>,
    whole: String,
}

#[derive(Deserialize)]
struct Famous {
    text: Vec<FamousText>,
}

#[derive(Deserialize)]
struct FamousText {
    name: String,
    language: String,
    text: String,
}

impl Text {
    fn new(name: &str, language: &str, whole: &str, is_task: bool) -> Self {
        let parts = cut(whole).map(|(beginning, rest)| (beginning.to_owned(), rest.to_owned()));
        let language = primary_language(language).to_owned();
        Self {
            name: name.to_owned(),
            language,
            is_task,
            parts,
            whole: whole.to_owned(),
        }
    }

    /// What a model is shown.
    fn beginning(&self) -> &str {
        self.parts.as_ref().map_or("", |(beginning, _)| beginning)
    }
}

/// Has every model of the role `complete` continue the first half of each task and of famous texts
/// in the tasks' languages. `seed` deals the ends for the comparison with chance.
pub async fn run(
    ctx: &Context,
    tasks: &[Task],
    options: Options,
    seed: u64,
) -> Result<(StageReport, Vec<Leakage>)> {
    let mut report = StageReport::new("leakage");
    let texts = texts(tasks)?;
    let mut questions: Vec<(usize, usize)> = Vec::new();
    for member in 0..ctx.llm.members(ROLE) {
        let open = texts
            .iter()
            .enumerate()
            .filter(|(_, text)| text.parts.is_some());
        questions.extend(open.map(|(at, _)| (member, at)));
    }
    let ask = async |(member, at): (usize, usize)| match options.prompt {
        Prompt::Json => go_on(ctx, member, &texts[at]).await,
        Prompt::Plain => just_go_on(ctx, member, &texts[at]).await,
    };
    let mut answers = vec![BTreeMap::new(); ctx.llm.members(ROLE)];
    for ((member, at), (answer, cached)) in ctx
        .each(report.stage, questions, ctx.llm.parallel(ROLE), ask)
        .await?
    {
        report.count(cached);
        if let Err(unscored) = &answer {
            report.fail_unscored(&texts[at].name, unscored);
        }
        answers[member].insert(at, answer);
    }
    let mut leakages = Vec::new();
    for (member, answers) in answers.iter().enumerate() {
        let model = ctx.llm.model_name(ROLE, member)?;
        leakages.push(compare_model(model, &texts, answers, options.compare, seed));
    }
    Ok((report, leakages))
}

/// The tasks, and the famous texts of their languages.
fn texts(tasks: &[Task]) -> Result<Vec<Text>> {
    let mut texts: Vec<Text> = tasks
        .iter()
        .map(|task| Text::new(task.id.as_str(), &task.language, &task.text, true))
        .collect();
    let languages: BTreeSet<String> = texts.iter().map(|text| text.language.clone()).collect();
    let famous: Famous = toml::from_str(FAMOUS).context("the famous texts cannot be read")?;
    let known = famous
        .text
        .iter()
        .map(|of| Text::new(&of.name, &of.language, &of.text, false));
    texts.extend(known.filter(|text| languages.contains(&text.language)));
    Ok(texts)
}

/// A continuation, or why there is none, and whether it was on record.
type Continuation = (Result<String, Unscored>, bool);

async fn go_on(ctx: &Context, member: usize, text: &Text) -> Result<Continuation> {
    let beginning = text.beginning();
    let answer = ctx
        .llm
        .ask::<Continued>(Ask {
            role: ROLE,
            member,
            prompt: PROMPT,
            vars: &json!({ "beginning": beginning }),
            schema: Some(object(
                &json!({ "continuation": { "type": "string", "maxLength": LONGEST } }),
            )),
            max_tokens: TOKENS,
            temperature: TEMPERATURE,
            ..Ask::default()
        })
        .await?;
    Ok((answer.value.map(|reply| reply.continuation), answer.cached))
}

/// The same without a form around the reply.
async fn just_go_on(ctx: &Context, member: usize, text: &Text) -> Result<Continuation> {
    let answer = ctx
        .llm
        .write(Ask::<Reply> {
            role: ROLE,
            member,
            prompt: PLAIN_PROMPT,
            vars: &json!({ "beginning": text.beginning() }),
            max_tokens: TOKENS,
            temperature: TEMPERATURE,
            ..Ask::default()
        })
        .await?;
    Ok((answer.value.map(|reply| reply.text), answer.cached))
}

/// The comparison of one model. `answers` are by place in `texts`.
fn compare_model(
    model: String,
    texts: &[Text],
    answers: &BTreeMap<usize, Result<String, Unscored>>,
    compare: Compare,
    seed: u64,
) -> Leakage {
    let (words, tasks, mut probed) = compare_kind(texts, answers, compare, true);
    let (_, famous, famous_probed) = compare_kind(texts, answers, compare, false);
    probed.extend(famous_probed);
    let mut shuffled = Sum::default();
    // The tasks' own vocabulary, so that chance is measured on the same scale.
    for (continuation, rest) in shuffled_ends(texts, answers, seed) {
        shuffled
            .alike
            .extend(words.compare(compare.of(continuation, rest), rest));
    }
    Leakage {
        model,
        tasks: tasks.means(seed),
        shuffled: shuffled.means(seed),
        famous: famous.means(seed),
        texts: probed,
    }
}

/// The vocabulary of one kind of text, tasks or famous ones, and the similarity of each
/// continuation to the true end; the most similar come first.
fn compare_kind(
    texts: &[Text],
    answers: &BTreeMap<usize, Result<String, Unscored>>,
    compare: Compare,
    is_task: bool,
) -> (Vocabulary, Sum, Vec<Probed>) {
    let of_kind: Vec<(usize, &Text)> = texts
        .iter()
        .enumerate()
        .filter(|(_, text)| text.is_task == is_task)
        .collect();
    // Each kind has its own words: a word that no text of a set has counts for nothing in it.
    let words = Vocabulary::new(of_kind.iter().map(|(_, text)| text.whole.as_str()));
    let mut sum = Sum::default();
    let mut probed = Vec::new();
    for (at, text) in of_kind {
        let (Some((beginning, rest)), Some(answer)) = (&text.parts, answers.get(&at)) else {
            sum.fail("no place to cut");
            continue;
        };
        let continuation = match answer {
            Ok(continuation) => continuation,
            Err(unscored) => {
                sum.fail(unscored.cause.word());
                continue;
            }
        };
        let Some(alike) = words.compare(compare.of(continuation, rest), rest) else {
            // A rest without a word is one that nobody can go on with.
            sum.fail("no place to cut");
            continue;
        };
        sum.add(alike);
        probed.push(Probed {
            text: text.name.clone(),
            beginning: beginning.clone(),
            rest: rest.clone(),
            continuation: continuation.clone(),
            composite: alike.composite(),
            leaked: alike.leaked(),
        });
    }
    probed.sort_by(|a, b| {
        b.composite
            .total_cmp(&a.composite)
            .then_with(|| a.text.cmp(&b.text))
    });
    (words, sum, probed)
}

/// Each continuation of a task with the end of another task of the same language.
fn shuffled_ends<'a>(
    texts: &'a [Text],
    answers: &'a BTreeMap<usize, Result<String, Unscored>>,
    seed: u64,
) -> Vec<(&'a str, &'a str)> {
    let mut by_language: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for (at, text) in texts.iter().enumerate().filter(|(_, text)| text.is_task) {
        if let (Some((_, rest)), Some(Ok(continuation))) = (&text.parts, answers.get(&at)) {
            by_language
                .entry(&text.language)
                .or_default()
                .push((continuation, rest));
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pairs = Vec::new();
    for mut of in by_language.into_values().filter(|of| of.len() > 1) {
        of.shuffle(&mut rng);
        // Each with the next one's end: none with its own.
        pairs.extend((0..of.len()).map(|at| (of[at].0, of[(at + 1) % of.len()].1)));
    }
    pairs
}

/// Texts of a kind, as they are compared.
#[derive(Default)]
struct Sum {
    alike: Vec<Alike>,
    failed: BTreeMap<String, u64>,
}

impl Sum {
    fn add(&mut self, alike: Alike) {
        self.alike.push(alike);
    }

    fn fail(&mut self, cause: &str) {
        *self.failed.entry(cause.to_owned()).or_default() += 1;
    }

    fn means(self, seed: u64) -> Alikeness {
        let n = self.alike.len();
        let mean = |of: fn(&Alike) -> f64| {
            (n > 0).then(|| self.alike.iter().map(of).sum::<f64>() / n as f64)
        };
        let each: Vec<Vec<f64>> = self
            .alike
            .iter()
            .map(|alike| vec![alike.composite()])
            .collect();
        let average =
            |items: &[&f64]| Some(items.iter().copied().sum::<f64>() / items.len() as f64);
        let found: Option<Estimate> = bootstrap::statistic(
            &each,
            RESAMPLES,
            &mut ChaCha8Rng::seed_from_u64(seed),
            average,
        );
        let interval = found.and_then(|found| found.interval);
        Alikeness {
            n_total: n as u64 + self.failed.values().sum::<u64>(),
            n_scored: n as u64,
            leaked: self.alike.iter().filter(|alike| alike.leaked()).count() as u64,
            composite: mean(Alike::composite),
            ci_low: interval.map(|(low, _)| low),
            ci_high: interval.map(|(_, high)| high),
            string: mean(|alike| alike.string),
            tfidf: mean(|alike| alike.tfidf),
            overlap: mean(|alike| alike.overlap),
            n_failed: self.failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Cause;

    const TASKS: [&str; 3] = [
        "Survey how river gravel sings in floods, and write a table of the microphones that were used.",
        "Design a test of old violin varnish, then list the instruments on which it could be tried.",
        "综述闽南话语音识别的数据，设计一个比较不同标注方法的实验。",
    ];

    fn texts() -> Vec<Text> {
        let language = |text: &str| if text.is_ascii() { "en" } else { "zh-Hans" };
        let mut texts: Vec<Text> = TASKS
            .iter()
            .enumerate()
            .map(|(at, text)| Text::new(&format!("t{at}"), language(text), text, true))
            .collect();
        texts.push(Text::new("short", "en", "x", true));
        texts.push(Text::new(
            "famous",
            "en",
            "The best of times, the worst of times.",
            false,
        ));
        texts
    }

    fn by_heart(texts: &[Text]) -> BTreeMap<usize, Result<String, Unscored>> {
        let parts = texts
            .iter()
            .enumerate()
            .filter_map(|(at, text)| Some((at, text.parts.clone()?)));
        parts.map(|(at, (_, rest))| (at, Ok(rest))).collect()
    }

    #[test]
    fn who_knows_everything_by_heart_leaks_everything_and_chance_nothing() {
        let texts = texts();
        let found = compare_model("a/b".into(), &texts, &by_heart(&texts), Compare::Cut, 7);
        assert_eq!(
            (
                found.tasks.n_total,
                found.tasks.n_scored,
                found.tasks.leaked
            ),
            (4, 3, 3)
        );
        assert_eq!(
            found.tasks.n_failed,
            BTreeMap::from([("no place to cut".to_owned(), 1)])
        );
        assert_eq!(
            (found.famous.leaked, found.famous.composite),
            (1, Some(1.0))
        );
        // The two English tasks are compared with each other; the Chinese one has nobody.
        assert_eq!((found.shuffled.n_scored, found.shuffled.leaked), (2, 0));
        assert!(found.shuffled.composite < found.tasks.composite);
        assert_eq!(found.texts.len(), 4);
        assert_eq!(
            found.texts.last().map(|of| of.text.as_str()),
            Some("famous")
        );
    }

    #[test]
    fn who_goes_on_beyond_the_end_knows_it_all_the_same() {
        let texts = texts();
        let mut answers = by_heart(&texts);
        for answer in answers.values_mut().flatten() {
            answer.push_str(
                &" And then a lot more is said, of other things and in other words.".repeat(9),
            );
        }
        let found = compare_model("a/b".into(), &texts, &answers, Compare::Cut, 7);
        assert_eq!((found.tasks.leaked, found.famous.leaked), (3, 1));
        // As in the paper, what it says beyond the end speaks against it.
        let whole = compare_model("a/b".into(), &texts, &answers, Compare::Whole, 7);
        assert_eq!((whole.tasks.n_scored, whole.tasks.leaked), (3, 0));
        assert!(whole.tasks.composite < found.tasks.composite);
    }

    #[test]
    fn what_a_model_did_not_say_is_counted_and_no_zero() {
        let texts = texts();
        let mut answers = by_heart(&texts);
        answers.insert(
            0,
            Err(Unscored {
                cause: Cause::Timeout,
                reason: String::new(),
            }),
        );
        answers.insert(1, Ok("nothing of the kind".into()));
        let found = compare_model("a/b".into(), &texts, &answers, Compare::Cut, 7);
        assert_eq!((found.tasks.n_scored, found.tasks.leaked), (2, 1));
        assert_eq!(found.tasks.n_failed.get("timeout"), Some(&1));
        assert!(
            found
                .tasks
                .composite
                .is_some_and(|mean| mean > 0.5 && mean < 1.0)
        );
    }

    #[test]
    fn the_famous_texts_can_all_be_cut_and_are_only_those_of_the_languages() {
        let famous: Famous = toml::from_str(FAMOUS).expect("TOML");
        assert!(famous.text.len() >= 10);
        assert!(famous.text.iter().all(|of| {
            Text::new(&of.name, &of.language, &of.text, false)
                .parts
                .is_some()
        }));
        assert!(super::texts(&[]).expect("none").is_empty());
    }
}
