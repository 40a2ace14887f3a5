//! A large model that weaves pools, without a model, and the long talks that it reads: ten ideas
//! among a lot of talking. What it writes follows from the prompt alone. Hides how its tasks are
//! worded so that no two are alike unless a copy is planted.

use serde_json::{Value, json};

use crate::support::{
    answers::drawn,
    llm::{Play, Request},
};

/// Ideas in a talk.
pub const IDEAS: usize = 10;
/// Tasks of a batch.
const BATCH: usize = 8;

/// How the model behaves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Habits {
    /// In each batch but the first it writes a near-copy of a task of an earlier one.
    pub copies: bool,
    /// In each batch it breaks a rule or two.
    pub slips: bool,
    /// It writes what it has for the last batch first.
    pub backwards: bool,
    /// It writes nothing but its first batch, whatever it is asked.
    pub repeats_itself: bool,
}

/// The families by phase: Synthesize, Design, Evaluate.
const FAMILIES: [(&str, &str, &str, &str); 10] = [
    (
        "literature_survey",
        "synthesize",
        "Survey what journals printed",
        "an annotated bibliography",
    ),
    (
        "trend_scan",
        "synthesize",
        "Trace through yearly statistics",
        "a trend report",
    ),
    (
        "requirements_gathering",
        "synthesize",
        "Gather from public complaints",
        "a ranked list of requirements",
    ),
    (
        "hypothesis_generation",
        "design",
        "Derive rival explanations",
        "a list of hypotheses",
    ),
    (
        "method_blueprint",
        "design",
        "Plan stepwise an experiment",
        "an experiment protocol",
    ),
    (
        "prototype_specification",
        "design",
        "Specify a buildable device",
        "a system specification",
    ),
    (
        "metric_design",
        "design",
        "Define one computable measure",
        "a metric definition",
    ),
    (
        "empirical_test",
        "evaluate",
        "Simulate with open datasets",
        "an analysis report",
    ),
    (
        "replicability_review",
        "evaluate",
        "Recheck reported findings",
        "a risk of bias assessment",
    ),
    (
        "comparative_analysis",
        "evaluate",
        "Weigh competing approaches",
        "a comparison table",
    ),
];

const SYLLABLES: [&str; 16] = [
    "ba", "do", "fe", "gu", "ka", "li", "mo", "nu", "pe", "ra", "so", "tu", "va", "wi", "xo", "zu",
];

/// A word that nobody else uses, from a text and a number.
fn word(of: &str, number: usize) -> String {
    let mut drawn = drawn(&format!("{of} {number}"), 7);
    let mut word = String::new();
    for _ in 0..4 {
        word += SYLLABLES[drawn as usize % SYLLABLES.len()];
        drawn /= SYLLABLES.len() as u64;
    }
    word
}

/// A talk with ten ideas, every one with things of its own, in so many sentences.
pub fn talk(name: &str, sentences: usize) -> Vec<String> {
    let every = sentences / IDEAS;
    (0..sentences)
        .map(|n| match (n % every, n / every) {
            (2, idea) if idea < IDEAS => idea_of(name, idea),
            _ => format!(
                "And then we walked on along the {} and talked about the weather of that {} for a while.",
                word(name, 1000 + n),
                ["morning", "evening", "week", "season"][n % 4]
            ),
        })
        .collect()
}

fn idea_of(name: &str, idea: usize) -> String {
    let own: Vec<String> = (0..15).map(|n| word(name, 20 * idea + n)).collect();
    format!(
        "The open question is why the {} sensor drifts in every {} basin once the {} pump has stopped, be it by {}.",
        own[0],
        own[1],
        own[2],
        own[3..].join(" or ")
    )
}

/// What the model does with a request.
pub fn play(request: &Request, habits: Habits) -> Play {
    let prompt = request.body["messages"]
        .as_array()
        .and_then(|messages| messages.last()?["content"].as_str())
        .unwrap_or_default();
    let reply = match request.prompt() {
        "inspire_ideas" => ideas(prompt),
        "inspire_review" => json!({ "note": "It is sound.", "fault": "none", "value": 3 }),
        "weave_task" => one(request, prompt, habits),
        "weave_tasks" => batch(request, prompt, habits),
        "rank_judge" => verdict(prompt),
        name => panic!("the model of pools has no answer to `{name}`"),
    };
    Play::Say(reply.to_string())
}

/// Every fenced text of a prompt, in order.
pub fn fenced(prompt: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = prompt;
    while let Some(at) = rest.find('[') {
        rest = &rest[at + 1..];
        let Some((token, inside)) = rest.split_once('\n') else {
            break;
        };
        if token.len() != 16 || !token.chars().all(|c| c.is_ascii_hexdigit()) {
            continue;
        }
        if let Some((text, after)) = inside.split_once(&format!("\n{token}]")) {
            found.push(text);
            rest = after;
        }
    }
    found
}

/// The lines of the fenced text behind a heading; none where there is no such heading.
fn behind<'a>(prompt: &'a str, heading: &str) -> Vec<&'a str> {
    let text = prompt
        .split_once(heading)
        .and_then(|(_, after)| fenced(after).into_iter().next());
    text.map_or_else(Vec::new, |text| text.lines().collect())
}

/// Tasks of earlier batches that the prompt shows.
pub fn earlier(prompt: &str) -> Vec<&str> {
    behind(prompt, "Tasks that these ideas have given so far")
}

fn ideas(prompt: &str) -> Value {
    let kinds = [
        ("limitation", "challenge"),
        ("methodology", "novelty"),
        ("transdisciplinary", "novelty"),
        ("hypothesis", "verifiability"),
    ];
    let lines = fenced(prompt)[0].lines().map(|line| {
        let (_, text) = line.split_once(' ').expect("a numbered line");
        text
    });
    let items = lines
        .filter(|line| line.starts_with("The open question"))
        .enumerate()
        .map(|(n, quote)| {
            let (kind, required) = kinds[n % kinds.len()];
            let things = quote.strip_prefix("The open question is why ").expect("a frame");
            json!({
                "type": kind, "quotes": [quote],
                "text": format!("Nobody has found out so far why {things}"),
                "traits": [
                    { "trait": required, "reason": format!("It hangs on the basin of number {n}.") },
                    { "trait": "explorability", "reason": format!("Sensor {n} can be moved to other basins.") },
                ]
            })
        });
    json!({ "items": items.take(IDEAS).collect::<Vec<_>>() })
}

/// The ideas of a prompt of the weaver, in their order, without number and kind.
fn shown_ideas(prompt: &str) -> Vec<&str> {
    let lines = fenced(prompt)[0].lines();
    lines
        .filter_map(|line| Some(line.split_once(": ")?.1))
        .collect()
}

/// The things of an idea: a sensor, a basin and a pump.
fn things(idea: &str) -> String {
    let words: Vec<&str> = idea.split_whitespace().collect();
    let before = |thing: &str| {
        let at = words.iter().position(|word| *word == thing);
        at.map_or("", |at| words[at - 1])
    };
    format!(
        "{} sensor, {} basin and {} pump",
        before("sensor"),
        before("basin"),
        before("pump")
    )
}

/// A task of a family about ideas; `draw` tells its words from those of the same family and ideas.
fn task(family: usize, ideas: &[&str], draw: usize) -> String {
    let (_, _, action, deliverable) = FAMILIES[family];
    let about: Vec<String> = ideas.iter().map(|idea| things(idea)).collect();
    let seed = format!("{family} {}", about.join(" "));
    let own: Vec<String> = (0..24).map(|n| word(&seed, 100 * draw + n)).collect();
    format!(
        "{action} on the {}: from the {} registers carefully collect {}, then hand in {deliverable}. A good answer separates {}.",
        about.join(" and the "),
        own[0],
        own[1..14].join(", "),
        own[14..].join(" from ")
    )
}

/// The same task in nearly the same words.
fn near_copy(task: &str) -> String {
    task.replace("carefully", "patiently")
}

/// The number of the batch that follows so many tasks: batches have seven or eight.
fn batch_after(tasks: usize, habits: Habits, batches: usize) -> usize {
    if habits.repeats_itself {
        return 0;
    }
    let at = tasks.div_ceil(BATCH);
    if habits.backwards {
        (batches - 1).saturating_sub(at)
    } else {
        at
    }
}

fn one(request: &Request, prompt: &str, habits: Habits) -> Value {
    let offered = request.schema()["properties"]["task_type"]["enum"]
        .as_array()
        .expect("types are offered");
    let family = offered[0].as_str().expect("a type");
    let index = FAMILIES
        .iter()
        .position(|(word, ..)| *word == family)
        .expect("a family");
    let lead: usize = prompt
        .split_once("research task in English from idea ")
        .and_then(|(_, after)| {
            after
                .split(|c: char| !c.is_ascii_digit())
                .next()?
                .parse()
                .ok()
        })
        .expect("an idea leads");
    let idea = shown_ideas(prompt)[lead - 1];
    let is_second_try = prompt.contains("This draft was refused");
    let earlier = earlier(prompt);
    let mut text = task(index, &[idea], usize::from(is_second_try));
    let luck = drawn(&format!("{idea} {family}"), 3) % 8;
    if habits.slips && !is_second_try && luck == 0 {
        text = slipped(&text, earlier.len());
    }
    // A copy of a task about the same things, which the rule for key terms lets pass.
    let own = things(idea);
    let original = earlier.iter().find(|task| task.contains(&own));
    if let (true, false, 1 | 2, Some(original)) = (habits.copies, is_second_try, luck, original) {
        text = near_copy(original);
    }
    json!({ "also": [], "task_type": family, "task": text, "difficulty": "basic", "discipline": "engineering" })
}

/// A draft with a fault: too long, at the event, or unfinished.
fn slipped(text: &str, which: usize) -> String {
    match which % 3 {
        0 => format!("{text} {}.", "So much more is to be said of it".repeat(9)),
        1 => format!("As the speaker said in this talk: {text}"),
        _ => text.trim_end_matches('.').to_owned(),
    }
}

fn batch(request: &Request, prompt: &str, habits: Habits) -> Value {
    let wanted = request.schema()["properties"]["tasks"]["maxItems"]
        .as_u64()
        .expect("a number");
    let ideas = shown_ideas(prompt);
    let earlier = earlier(prompt);
    let refused = prompt.contains("These drafts were refused");
    let number = batch_after(earlier.len(), habits, 6);
    let draw = usize::from(refused && !habits.repeats_itself);
    let mut tasks: Vec<Value> = (0..BATCH)
        .map(|place| item(&ideas, number, place, draw))
        .collect();
    if refused {
        // What stands in the place of the refused ones, of families that there is room for.
        let full = prompt
            .split_once("Types of which this set has two already:")
            .map_or("", |(_, after)| after.lines().next().unwrap_or_default());
        let written = behind(prompt, "Tasks of this set that are done");
        let is_done = |task: &Value| {
            let action = action_of(task);
            let done = |text: &&str| text.starts_with(action);
            full.contains(task["task_type"].as_str().unwrap_or_default())
                || written.iter().any(done)
        };
        tasks.retain(|task| habits.repeats_itself || !is_done(task));
    } else if habits.slips {
        let text = tasks[7]["task"].as_str().expect("a text").to_owned();
        tasks[7]["task"] = json!(slipped(&text, number));
        if number % 3 == 1 {
            tasks[6]["phase"] = json!("synthesize");
        }
    }
    if habits.copies && !refused && number != 0 {
        // The fifth task of every batch is the first batch's, in nearly the same words.
        tasks[5] = item(&ideas, 0, 5, 0);
        let text = tasks[5]["task"].as_str().expect("a text").to_owned();
        tasks[5]["task"] = json!(text.replace("carefully", &word("copy", number)));
    }
    tasks.truncate(wanted as usize);
    json!({ "tasks": tasks })
}

fn action_of(task: &Value) -> &'static str {
    let of = |family: &&(&str, &str, &'static str, &str)| task["task_type"] == family.0;
    FAMILIES.iter().find(of).expect("a family").2
}

/// A task of a batch: the families change from batch to batch, each at most once, and with them the
/// ideas.
fn item(ideas: &[&str], batch: usize, place: usize, draw: usize) -> Value {
    let family = match place {
        0 | 3 => (batch + place / 3) % 3,
        1 => 3 + batch % 4,
        4 => 3 + (batch + 1) % 4,
        6 => 3 + (batch + 2) % 4,
        7 => 3 + (batch + 3) % 4,
        _ => 7 + (batch + place / 5) % 3,
    };
    let lead = (place + 3 * batch) % ideas.len();
    // What stands in the place of a refused draft rests on other ideas.
    let guest = (lead + 1 + (batch + 4 * draw) % (ideas.len() - 1)) % ideas.len();
    let (task_type, phase, ..) = FAMILIES[family];
    json!({
        "ideas": [lead + 1, guest + 1], "phase": phase, "task_type": task_type,
        "difficulty": "advanced", "discipline": "engineering",
        "task": task(family, &[ideas[lead], ideas[guest]], draw)
    })
}

/// Of two tasks the one whose text draws the larger number is better.
fn verdict(prompt: &str) -> Value {
    let texts = fenced(prompt);
    let worth: Vec<u64> = texts.iter().map(|text| drawn(text, 11)).collect();
    let (a, b, winner) = if worth[0] >= worth[1] {
        (4, 3, "A")
    } else {
        (3, 4, "B")
    };
    let scores = |n: usize| json!({ "clarity": n, "actionability": n, "novelty": n, "depth_fit": n, "consistency": n });
    json!({
        "scores_a": scores(a), "scores_b": scores(b), "reason": "clearer", "winner": winner, "confidence": 0.8
    })
}
