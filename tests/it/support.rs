//! What the tests share: a project in an empty folder, a fake model server on loopback, the real
//! program.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{Json, Router, extract::State, routing::post};
use serde_json::{Value, json};
use taskgen::data::{Id, ModelRef, Ms, Segment, SeminarId, Transcript};

/// The sample seminars and the languages that they are in.
pub const SAMPLES: [(&str, &str); 3] = [
    ("logbooks.m4a", "en"),
    ("minnan.opus", "zh-Hans"),
    ("soil.mp3", "en"),
];

/// Copies a sample into the project in `folder`, under another name that keeps its ending.
pub fn put_sample(folder: &Path, sample: &str, stem: &str) -> String {
    let from = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("seminars")
        .join(sample);
    let name = Path::new(stem).with_extension(from.extension().expect("an ending"));
    std::fs::copy(from, folder.join("seminars").join(&name)).expect("a sample");
    name.to_string_lossy().into_owned()
}

/// Runs the program in `folder` and returns its exit code and what it printed, results and messages
/// apart.
pub fn taskgen(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_taskgen"))
        .args(args)
        .current_dir(folder)
        .output()
        .expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Counts the quotes of an exported task, each compared with the stored transcript byte by byte
/// through its offsets, at a time that lies in the recording.
pub fn spans_that_hold(folder: &Path, task: &Value) -> usize {
    let mut spans = 0;
    for inspiration in task["provenance"]["inspirations"]
        .as_array()
        .expect("a list")
    {
        let path = inspiration["seminar"]["path"].as_str().expect("a path");
        let file = std::fs::read_to_string(folder.join(format!("transcripts/{path}.json")))
            .expect("a transcript");
        let transcript: Transcript = serde_json::from_str(&file).expect("a transcript");
        let text: Vec<char> = transcript.text().chars().collect();
        for evidence in inspiration["evidence"].as_array().expect("a list") {
            let at = |key: &str| evidence[key].as_u64().expect("an offset") as usize;
            let span: String = text[at("start_char")..at("end_char")].iter().collect();
            assert_eq!(
                evidence["quote"].as_str().expect("a quote").as_bytes(),
                span.as_bytes()
            );
            let seconds = |key: &str| evidence[key].as_f64().expect("seconds");
            assert!(
                seconds("start_s") < seconds("end_s")
                    && seconds("end_s") <= transcript.duration.seconds()
            );
            spans += 1;
        }
    }
    assert!(spans > 0, "a task without a quote: {task}");
    spans
}

/// A project in a temporary folder.
pub struct Project {
    pub folder: tempfile::TempDir,
    server: String,
}

impl Project {
    /// A project whose roles are answered by the server at `url`.
    pub fn new(url: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let project = Self {
            folder,
            server: url.to_owned(),
        };
        project.ok(&["init", "."]);
        let config = format!(
            "[roles]\ninspire = \"fake/m\"\nreview = \"fake/m\"\nweave = \"fake/m\"\ntranslate = \"fake/m\"\nprobe = \"fake/m\"\njudge = \"fake/m\"\nkeypoints = \"fake/m\"\nchecklist = \"fake/m\"\nrate = \"fake/m\"\ncontinue = \"fake/m\"\n[rank]\nmethod = \"elo\"\nrounds = 4\n[near]\nmodel = \"none\"\n[providers.fake]\nbase_url = \"{url}/v1\"\n"
        );
        std::fs::write(project.path("taskgen.toml"), config).expect("the project is writable");
        project
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A recording that nobody will decode, with a transcript that is already there.
    pub fn add_transcript(&self, name: &str, language: &str, sentences: &[&str]) {
        self.add_recording(name, name.as_bytes(), language, sentences);
    }

    /// A recording with a made-up transcript that is already there.
    pub fn add_recording(&self, name: &str, bytes: &[u8], language: &str, sentences: &[&str]) {
        put_transcript(self.folder.path(), name, bytes, language, sentences, |_| {
            4000
        });
    }

    /// The program in this project.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_taskgen"));
        command
            .args(args)
            .current_dir(self.folder.path())
            .env("NO_COLOR", "1")
            .env_remove("TASKGEN_PROJECT");
        // No test reaches another machine, whatever goes wrong.
        command.env("TASKGEN_OFFLINE", "1");
        command
    }

    pub fn output(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("the program starts")
    }

    /// Runs a command that must succeed and returns its standard output.
    pub fn ok(&self, args: &[&str]) -> String {
        let output = self.output(args);
        assert!(
            output.status.success(),
            "{args:?} of {}: {}",
            self.server,
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Runs a command that must fail with `code` and returns what it said.
    pub fn fails(&self, args: &[&str], code: i32) -> String {
        let output = self.output(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        said
    }

    /// The stages after transcription.
    pub fn stages(&self) {
        for stage in ["inspire", "weave", "rank"] {
            self.ok(&[stage]);
        }
    }

    pub fn export(&self) -> String {
        self.ok(&["tasks", "export", "-o", "-"])
    }

    /// Runs SQL on the project's database, as somebody with an editor would.
    pub fn sql(&self, sql: &str) -> usize {
        let connection =
            rusqlite::Connection::open(self.path("tasks/taskgen.db")).expect("the database opens");
        connection
            .pragma_update(None, "foreign_keys", true)
            .expect("a pragma");
        connection.execute(sql, []).expect("the statement runs")
    }

    /// One number from the project's database.
    pub fn count(&self, sql: &str) -> i64 {
        let connection =
            rusqlite::Connection::open(self.path("tasks/taskgen.db")).expect("the database opens");
        connection
            .query_row(sql, [], |row| row.get(0))
            .expect("a number")
    }
}

/// Puts a recording into the project at `folder`, with a made-up transcript; `ms` is how long a
/// sentence takes.
pub fn put_transcript(
    folder: &Path,
    name: &str,
    bytes: &[u8],
    language: &str,
    sentences: &[&str],
    ms: impl Fn(&str) -> u64,
) {
    std::fs::write(folder.join("seminars").join(name), bytes).expect("writable");
    let mut end = 0;
    let segments: Vec<Segment> = sentences
        .iter()
        .map(|text| {
            let start = end;
            end += ms(text);
            let text = (*text).to_owned();
            Segment {
                start: Ms(start),
                end: Ms(end - 100),
                text,
                confidence: 0.9,
                speaker: None,
                words: Vec::new(),
            }
        })
        .collect();
    let media = taskgen::data::id::sha256_hex(bytes);
    let transcript = Transcript {
        schema_version: 1,
        id: Id::from_stored(String::new()),
        seminar: SeminarId::of(&[&media]),
        path: name.to_owned(),
        media_sha256: media,
        duration: Ms(end),
        language: language.to_owned(),
        model: ModelRef {
            name: "hand".into(),
            sha256: String::new(),
        },
        parameters: Value::Null,
        segments,
    }
    .sealed();
    let json = serde_json::to_string_pretty(&transcript).expect("serialises");
    std::fs::write(
        folder.join("transcripts").join(format!("{name}.json")),
        json,
    )
    .expect("writable");
}

/// A project with the tasks of one talk, and the server that answered.
pub fn woven() -> (Fake, Project) {
    let (fake, url) = Fake::start(Duration::ZERO);
    let project = Project::new(&url);
    project.add_transcript("rivers.wav", "en", TALK);
    project.ok(&["inspire"]);
    project.ok(&["weave"]);
    fake.take();
    (fake, project)
}

/// A talk in English that has every type of inspiration.
pub const TALK: &[&str] = &[
    "Good afternoon, everyone, and welcome to the spring series on rivers.",
    "The open problem is that nobody has a sensor that survives a winter flood in a gravel river.",
    "So we tried a different approach and buried a fibre cable under the gravel bed of the river.",
    "I come from music, and a moving bed of gravel sounds very much like a drum with a loose skin.",
    "My hypothesis is that the pitch of the gravel falls by a third before the river bed begins to move.",
    "If that is right, the cable should warn a village two hours before the flood arrives.",
];

/// A talk in Chinese that has every type of inspiration.
pub const TALK_ZH: &[&str] = &[
    "各位老师同学，下午好，今天我们谈一谈河流的监测问题。",
    "目前最大的困难是，没有一种传感器能够在冬天的洪水里保存下来。",
    "所以我们换了一个思路，把光纤电缆埋在河床的砾石下面来测量振动。",
    "我是做音乐的，砾石的移动听起来很像一面松了的鼓，也许可以借鉴鼓的分析方法。",
    "我的假设是，砾石开始移动之前，声音的音高会下降三分之一。",
];

/// What the fake server saw and how it behaves.
#[derive(Clone, Default)]
pub struct Fake {
    requests: Arc<Mutex<Vec<Value>>>,
    delay: Duration,
    /// While it is set, one question in eight has no usable answer, however often it is asked.
    pub moody: Arc<AtomicBool>,
    /// While it is set, nobody has a usable answer.
    pub mute: Arc<AtomicBool>,
    /// While it is set, the server says that another model answers.
    pub renamed: Arc<AtomicBool>,
    /// While it is set, the role `review` rejects everything, whatever it is asked.
    pub strict: Arc<AtomicBool>,
}

impl Fake {
    /// Starts a server that answers every question of the pipeline, after `delay`. Returns its URL.
    pub fn start(delay: Duration) -> (Self, String) {
        let fake = Self {
            delay,
            ..Self::default()
        };
        let state = fake.clone();
        let (send, receive) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async move {
                let app = Router::new()
                    .route("/v1/chat/completions", post(answer))
                    .with_state(state);
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
                    .await
                    .expect("a free port");
                send.send(listener.local_addr().expect("an address"))
                    .expect("the test waits");
                axum::serve(listener, app).await.expect("serves");
            });
        });
        let address = receive.recv().expect("the server starts");
        (fake, format!("http://{address}"))
    }

    /// How many requests came since the last call of this function.
    pub fn take(&self) -> usize {
        self.taken().len()
    }

    /// Which requests came since the last call of this function or of `take`.
    pub fn taken(&self) -> Vec<Value> {
        std::mem::take(&mut *self.requests.lock().expect("no panic while locked"))
    }

    /// How often each request came.
    pub fn repeats(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for request in self.requests.lock().expect("no panic while locked").iter() {
            *counts.entry(request["messages"].to_string()).or_default() += 1;
        }
        counts
    }
}

async fn answer(State(fake): State<Fake>, Json(request): Json<Value>) -> Json<Value> {
    tokio::time::sleep(fake.delay).await;
    let moody = fake.moody.load(Ordering::SeqCst) && tasks_of(&request).is_multiple_of(8);
    let sulks = moody || fake.mute.load(Ordering::SeqCst);
    let mut content = if sulks {
        json!("I would rather not say.")
    } else {
        reply(&request)
    };
    if fake.strict.load(Ordering::SeqCst) && content.get("fault").is_some() {
        content["fault"] = json!("incoherent");
    }
    if fake.strict.load(Ordering::SeqCst) && content.get("outcome").is_some() {
        content["outcome"] = json!("missing");
    }
    fake.requests
        .lock()
        .expect("no panic while locked")
        .push(request);
    Json(json!({
        "model": if fake.renamed.load(Ordering::SeqCst) { "fake-2" } else { "fake-1" },
        "choices": [{ "message": { "role": "assistant", "content": content.to_string() }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 10 }
    }))
}

/// A number that follows from the ids in the tasks' texts, however the question is put.
fn tasks_of(request: &Value) -> usize {
    let text = request["messages"].to_string();
    let ids = text
        .split("(t_")
        .skip(1)
        .take(2)
        .filter_map(|after| after.split(')').next());
    ids.flat_map(str::bytes).map(usize::from).sum()
}

/// An answer that passes every rule, from the prompt alone.
fn reply(request: &Value) -> Value {
    let schema = &request["response_format"]["json_schema"]["schema"]["properties"];
    let prompt = request["messages"].to_string();
    if schema.get("items").is_some() {
        return ideas(&prompt);
    }
    if schema.get("fault").is_some() {
        return json!({ "note": "It is sound.", "fault": "none", "value": 3 });
    }
    if schema.get("winner").is_some() {
        return verdict(&prompt);
    }
    if schema.get("continuation").is_some() {
        return json!({ "continuation": remembered(&prompt) });
    }
    if schema.get("answer").is_some() {
        return json!({ "answer": "From memory I know the rivers, and no figure." });
    }
    if schema.get("outcome").is_some() {
        return finding(&prompt);
    }
    if ["points", "relationship", "evaluation_criteria", "rating"]
        .iter()
        .any(|name| schema.get(name).is_some())
    {
        return crate::small_web::judge::reply(request);
    }
    if schema.get("order").is_some() {
        return order(&schema["order"], &prompt);
    }
    if prompt.contains("You translate research tasks") {
        return json!({ "task": translated(&prompt) });
    }
    json!({ "task": task(&prompt), "discipline": "earth-environment", "difficulty": if prompt.len().is_multiple_of(2) { "basic" } else { "advanced" } })
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
    let traits = json!([
        { "trait": "challenge", "reason": "Floods destroy what is put there." },
        { "trait": "explorability", "reason": "Other rivers can be tried." },
    ]);
    let item = |kind: usize| json!({ "type": kinds[kind], "quotes": [talk[kind + 1]], "text": texts[kind], "traits": traits });
    json!({ "items": (0..4).map(item).collect::<Vec<_>>() })
}

fn task(prompt: &str) -> String {
    // What is asked for, not what an example says.
    let asked = |start: &str, hand_in: &str, end: &str| {
        let (_, after) = prompt.split_once(start)?;
        let (family, after) = after.split_once(hand_in)?;
        let (deliverable, _) = after.split_once(end)?;
        let family = family.rsplit(['：', ':']).next()?.trim();
        Some((family.to_owned(), deliverable.to_owned()))
    };
    if let Some((family, deliverable)) = asked("写一个研究任务", "，最后交", "。") {
        return format!("围绕砾石河流、光纤电缆、传感器和音高，{family}，最后交{deliverable}。");
    }
    let (family, deliverable) =
        asked("Write one research task", ", and hand in ", ".").unwrap_or_default();
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
fn order(schema: &Value, prompt: &str) -> Value {
    let n = schema["maxItems"].as_u64().expect("a number") as usize;
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
