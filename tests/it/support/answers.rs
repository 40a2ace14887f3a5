//! The pipeline's model, without a model: an answer to each prompt that passes every rule and
//! follows from the prompt alone. Hides how an answer is worded.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use super::{
    llm::{Mood, Play, Request},
    project::{TALK, TALK_ZH},
};

/// The ids in the texts of tasks, without their letter.
fn ids(prompt: &str) -> impl Iterator<Item = &str> {
    let after = prompt.split("(t_").skip(1);
    after.filter_map(|after| after.split(')').next())
}

/// A number that follows from the ids in the tasks' texts, however the question is put.
fn tasks_of(request: &Value) -> usize {
    let text = request["messages"].to_string();
    let ids = ids(&text).take(2);
    ids.flat_map(str::bytes).map(usize::from).sum()
}

/// What the pipeline's model does with a request while it is in this mood.
pub fn play(request: &Request, mood: Mood) -> Play {
    let moody = mood == Mood::Moody && tasks_of(&request.body).is_multiple_of(8);
    let mut content = if moody || mood == Mood::Mute {
        json!("I would rather not say.")
    } else {
        reply(request)
    };
    if mood == Mood::Strict {
        reject(&mut content);
    }
    let model = match mood {
        Mood::Renamed => "fake-2",
        _ => "fake-1",
    };
    // Every call takes as many tokens, so that a test can say how many calls a budget pays for.
    let completion = json!({
        "model": model,
        "choices": [{ "message": { "role": "assistant", "content": content.to_string() }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 10 }
    });
    Play::Raw(completion.to_string())
}

/// Turns a review's or a probe's answer into the worst one.
fn reject(content: &mut Value) {
    for (key, worst) in [("fault", "incoherent"), ("outcome", "missing")] {
        if content.get(key).is_some() {
            content[key] = json!(worst);
        }
    }
}

/// A number that looks drawn, from a text and a seed (FNV-1a).
pub fn drawn(text: &str, seed: u64) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9), mix);
    (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40
}

/// An answer that passes every rule, from the prompt alone. A judge called `chance-SEED` draws its
/// labels, whatever it reads; `noisy-SEED` draws one in three, and has sense in the others (of two
/// tasks the one with the larger id in its text is better).
fn reply(request: &Request) -> Value {
    let prompt = request.body["messages"].to_string();
    let model = request.body["model"].as_str().unwrap_or_default();
    let mut content = sensible(request, &prompt, model);
    if let Some((kind @ ("chance" | "noisy"), seed)) = model.split_once('-') {
        let drawn = drawn(&same_each_run(&prompt), seed.parse().expect("a seed"));
        if kind == "chance" || drawn.is_multiple_of(3) {
            draw_label(&mut content, drawn as usize / 3);
        }
    }
    content
}

/// A prompt without what chance puts into it: tokens of fences, which follow from a project's
/// secret, and ports of loopback. A test of chance must not depend on any but its own.
fn same_each_run(prompt: &str) -> String {
    static CHANCE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"[0-9a-f]{16,}|127\.0\.0\.1:\d+").expect("a pattern"));
    CHANCE.replace_all(prompt, "").into_owned()
}

/// Puts what was drawn in the place of a judge's label.
fn draw_label(content: &mut Value, drawn: usize) {
    if content.get("scores_a").is_some() {
        *content = decided(drawn);
    } else if content.get("winner").is_some() {
        content["winner"] = json!(["A", "B"][drawn % 2]);
        content["confidence"] = json!(0.9);
    } else if content.get("rating").is_some() {
        content["rating"] = json!(drawn % 11);
    } else if content.get("relationship").is_some() {
        content["relationship"] = json!(["SUPPORTS", "OMITS", "CONTRADICTS"][drawn % 3]);
    }
}

fn sensible(request: &Request, prompt: &str, model: &str) -> Value {
    match request.prompt() {
        "inspire_ideas" => ideas(prompt),
        "inspire_review" => json!({ "note": "It is sound.", "fault": "none", "value": 3 }),
        "weave_task" => {
            let offered = &request.schema()["properties"]["task_type"]["enum"];
            let chosen = offered[0].as_str().expect("a type is offered");
            json!({
                "also": also(request.schema(), chosen), "task_type": chosen, "task": task(prompt, chosen), "discipline": "earth-environment",
                "difficulty": if prompt.len().is_multiple_of(2) { "basic" } else { "advanced" }
            })
        }
        "weave_translation" => json!({ "task": translated(prompt) }),
        "probe_attempt" => json!({ "answer": "From memory I know the rivers, and no figure." }),
        "probe_closed_book" | "probe_deliverable" => finding(prompt),
        "audit_continue" => json!({ "continuation": remembered(prompt) }),
        "rank_judge" if model.starts_with("noisy") => {
            let worth: Vec<&str> = ids(prompt).collect();
            decided(usize::from(worth[1] > worth[0]))
        }
        "rank_judge" => verdict(prompt),
        "rank_list" => order(&request.body, prompt),
        name if name.starts_with("evaluate_") || name == "evidence_support" => {
            crate::small_web::judge::reply(name, &request.body)
        }
        name => panic!("the fake model has no answer to the prompt `{name}`"),
    }
}

/// It knows two famous texts by heart, and makes something up for all others.
fn remembered(prompt: &str) -> String {
    let famous = [
        (
            "it was the age of wisdom",
            ", it was the epoch of belief, it was the epoch of incredulity, it was the season of Light, it was the \
             season of Darkness, it was the spring of hope, it was the winter of despair.",
        ),
        ("学而时习之", "，不亦乐乎？人不知而不愠，不亦君子乎？"),
    ];
    let known = famous
        .iter()
        .find(|(beginning, _)| prompt.contains(beginning))
        .map(|(_, rest)| (*rest).to_owned());
    known.unwrap_or_else(|| "Nobody can say what comes here.".to_owned())
}

/// What needs a hypothesis is known by heart, and nobody could judge an annotated table.
fn finding(prompt: &str) -> Value {
    let outcome = match (
        prompt.contains("handed in from memory"),
        prompt.contains("hypothes"),
        prompt.contains("annotated"),
    ) {
        (true, true, _) => "known",
        (true, false, _) => "needs_research",
        (false, _, true) => "vague",
        (false, _, false) => "judgeable",
    };
    json!({ "note": "It is plain to see.", "outcome": outcome })
}

/// One idea of each type, with the words of the talk.
fn ideas(prompt: &str) -> Value {
    let english = [
        "A gravel river destroys every sensor in a winter flood.",
        "A fibre cable under the gravel bed measures the river.",
        "The analysis of drums could be applied to moving gravel.",
        "The pitch of gravel falls before the river bed moves.",
    ];
    let chinese = [
        "冬天的洪水会破坏砾石河流里的传感器。",
        "埋在河床砾石下面的光纤电缆可以测量振动。",
        "鼓的分析方法可以用来分析砾石的移动。",
        "砾石移动之前声音的音高会下降。",
    ];
    let (texts, talk) = if prompt.contains("值得研究的想法") {
        (chinese, TALK_ZH)
    } else {
        (english, TALK)
    };
    let kinds = [
        "limitation",
        "methodology",
        "transdisciplinary",
        "hypothesis",
    ];
    let required = ["challenge", "novelty", "novelty", "verifiability"];
    let item = |kind: usize| {
        let traits = json!([
            { "trait": required[kind], "reason": "Floods destroy what is put there." },
            { "trait": "explorability", "reason": "Other rivers can be tried." },
        ]);
        json!({ "type": kinds[kind], "quotes": [talk[kind + 1]], "text": texts[kind], "traits": traits })
    };
    json!({ "items": (0..4).map(item).collect::<Vec<_>>() })
}

/// What a task of each type asks for and what it hands in, in English and in Chinese.
const TASKS: [(&str, [&str; 2], [&str; 2]); 10] = [
    (
        "literature_survey",
        [
            "find and compare the published work on the problem",
            "an annotated literature table",
        ],
        ["查找并比较关于这个问题的已有研究", "一份带注释的文献表"],
    ),
    (
        "trend_scan",
        [
            "show how the field has developed and where it is going",
            "a trend report with a timeline",
        ],
        [
            "说明这个领域的发展过程和今后的方向",
            "一份带时间线的趋势报告",
        ],
    ),
    (
        "requirements_gathering",
        [
            "find out what the people concerned need",
            "a ranked list of requirements",
        ],
        ["弄清楚相关人群的需求", "一份按重要性排序的需求清单"],
    ),
    (
        "hypothesis_generation",
        [
            "state hypotheses that could be tested, with their predictions",
            "a list of three testable hypotheses",
        ],
        ["提出可以检验的假设及其预测", "一份包含三个可检验假设的清单"],
    ),
    (
        "method_blueprint",
        [
            "plan a method or an experiment step by step",
            "an experiment protocol",
        ],
        ["一步一步地规划一个方法或实验", "一份实验方案"],
    ),
    (
        "prototype_specification",
        [
            "specify a system that could be built",
            "a system specification",
        ],
        ["写出一个可以实现的系统的规格", "一份系统规格说明"],
    ),
    (
        "metric_design",
        [
            "define a measure of success and how to compute it",
            "a metric definition with a worked example",
        ],
        ["定义一个评价指标和它的计算方法", "一份带算例的指标定义"],
    ),
    (
        "empirical_test",
        [
            "test the claim with public data or a simulation",
            "an analysis report with the code and the data",
        ],
        [
            "用公开数据或模拟来检验这个说法",
            "一份带代码和数据的分析报告",
        ],
    ),
    (
        "replicability_review",
        [
            "check whether the result would hold again, and which biases it may have",
            "a review checklist with the risks of bias",
        ],
        [
            "检查这个结果能否重复，以及可能有哪些偏差",
            "一份列出偏差风险的检查表",
        ],
    ),
    (
        "comparative_analysis",
        [
            "compare several approaches by the same criteria",
            "a comparison table",
        ],
        ["用同样的标准比较几种方法", "一份比较表"],
    ),
];

fn task(prompt: &str, chosen: &str) -> String {
    let (_, english, chinese) = TASKS
        .iter()
        .find(|(word, _, _)| *word == chosen)
        .expect("a type of task");
    if prompt.contains("写一个研究任务") {
        let [family, deliverable] = chinese;
        return format!("围绕砾石河流、光纤电缆、传感器和音高，{family}，最后交{deliverable}。");
    }
    let [family, deliverable] = english;
    // Told that it is alike, it says something else.
    let is_refused = prompt.contains("This draft was refused");
    if is_refused && family.contains("compar") {
        return format!(
            "Choose three villages below gravel rivers, ask boat owners which pitch a drum, a fibre cable and a sensor gave before each flood, and hand in {deliverable}."
        );
    }
    if is_refused {
        return format!(
            "Describe step by step how a museum would build a drum whose pitch follows a sensor on a fibre cable in gravel rivers, and hand in {deliverable}."
        );
    }
    format!(
        "For gravel rivers with a sensor, a fibre cable, a drum and pitch, {family}; hand in {deliverable}."
    )
}

/// What is designed draws on another idea, where there is one.
fn also(schema: &Value, chosen: &str) -> Vec<Value> {
    let is_design = matches!(chosen, "method_blueprint" | "prototype_specification");
    let others = schema["properties"]["also"]["items"]["enum"].as_array();
    let mut others = others.filter(|_| is_design).into_iter().flatten();
    others.next().cloned().into_iter().collect()
}

/// Another text for each task, with its numbers.
fn translated(prompt: &str) -> String {
    let mark: usize = prompt
        .bytes()
        .enumerate()
        .map(|(i, b)| (i % 251 + 1) * b as usize)
        .sum();
    let sign = |n: usize| char::from_u32(0x4e00 + (n % 5000) as u32).unwrap_or('石');
    let signs: String = [mark, mark / 7, mark / 49].map(sign).iter().collect();
    if prompt.contains("simplified Chinese") {
        format!("研究砾石河流中{signs}的传感器和光纤电缆，比较它们的音高，最后提交一份报告。")
    } else {
        format!(
            "Study the sensors of gravel rivers in case {} and compare their pitch, then hand in a short report.",
            mark % 9
        )
    }
}

/// The order follows from the prompt alone.
fn order(request: &Value, prompt: &str) -> Value {
    let schema = &request["response_format"]["json_schema"]["schema"];
    let n = schema["properties"]["order"]["maxItems"]
        .as_u64()
        .expect("a number") as usize;
    let sum: usize = prompt
        .bytes()
        .enumerate()
        .map(|(i, b)| i % 7 * b as usize)
        .sum();
    let order: Vec<usize> = (0..n).map(|at| (at + sum) % n + 1).collect();
    json!({ "reason": "clearer", "order": order })
}

/// The verdict follows from the two texts alone, whatever the order in which questions come.
fn verdict(prompt: &str) -> Value {
    let sum: usize = prompt
        .bytes()
        .enumerate()
        .map(|(i, b)| i % 7 * b as usize)
        .sum();
    decided(sum)
}

/// A verdict for each number: even ones are for A.
fn decided(sum: usize) -> Value {
    let (a, b) = if sum.is_multiple_of(2) {
        (4, 3)
    } else {
        (3, 4)
    };
    let scores = |n: usize| json!({ "clarity": n, "actionability": n, "novelty": n, "depth_fit": n, "consistency": n });
    let confidence = [0.6, 0.7, 0.8, 0.9][sum / 2 % 4];
    json!({
        "scores_a": scores(a), "scores_b": scores(b), "reason": "clearer",
        "winner": if a > b { "A" } else { "B" }, "confidence": confidence
    })
}
