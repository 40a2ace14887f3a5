//! The planted pairs of tasks as a judge of log-probabilities sees them. Hides how a model's answer
//! is read.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Value, json};
use taskgen::llm::{ChatModel, ChatRequest, Prompts, Purse};

/// A good task and a worse twin.
#[derive(Deserialize)]
pub struct Pair {
    pub id: String,
    pub kind: String,
    good: String,
    bad: String,
}

/// All pairs.
pub fn pairs() -> Vec<Pair> {
    include_str!("../data/judging/pairs.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a pair"))
        .collect()
}

/// The pairs to work on.
pub fn tuning_pairs() -> Vec<Pair> {
    #[derive(Deserialize)]
    struct Split {
        tune: BTreeSet<String>,
    }
    let split: Split =
        serde_json::from_str(include_str!("../data/judging/split.json")).expect("a split");
    let mut pairs = pairs();
    pairs.retain(|pair| split.tune.contains(&pair.id));
    pairs
}

impl Pair {
    /// The questions of a verdict: the good task first, and second.
    pub fn questions(&self) -> [ChatRequest; 2] {
        let prompts = Prompts::new(None, "taskgen");
        [(&self.good, &self.bad), (&self.bad, &self.good)].map(|(first, second)| {
            let task = |text: &str| json!({ "text": text, "difficulty": "Advanced" });
            let vars = json!({ "a": task(first), "b": task(second) });
            let prompt = prompts.render("rank/weigh", &vars, &Value::Null);
            ChatRequest {
                messages: prompt.expect("a prompt").messages,
                schema: Value::Null,
                schema_name: String::new(),
                max_tokens: 1,
                temperature: 0.0,
                seed: 0,
                search: false,
                offered: vec!["1".into(), "2".into()],
            }
        })
    }

    /// The log-probabilities of both answers, in both orders.
    pub async fn weights(&self, model: &dyn ChatModel) -> [[f64; 2]; 2] {
        let [first, second] = self.questions();
        [weights(model, &first).await, weights(model, &second).await]
    }
}

/// How much the good task is preferred, on the mean of both orders.
pub fn preference([first, second]: &[[f64; 2]; 2]) -> f64 {
    ((first[0] - first[1]) - (second[0] - second[1])) / 2.0
}

/// The log-probabilities of `1` and `2`.
pub async fn weights(model: &dyn ChatModel, request: &ChatRequest) -> [f64; 2] {
    let reply = model
        .chat(request, &Purse::default())
        .await
        .expect("a reply");
    let found: Value = serde_json::from_str(&reply.text).expect("JSON");
    ["1", "2"].map(|answer| {
        let weight = found[answer].as_f64();
        weight.unwrap_or_else(|| panic!("no log-probability of {answer}: {}", reply.text))
    })
}
