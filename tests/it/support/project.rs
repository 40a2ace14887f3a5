//! A project in a folder of its own: talks that are transcribed already, a configuration, and the
//! real program. Hides where files lie and how a command is run without a network.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;
use taskgen::data::{Id, ModelRef, Ms, Segment, SeminarId, Transcript};

/// The roles that the fake model plays.
const ROLES: [&str; 10] = [
    "inspire",
    "review",
    "weave",
    "translate",
    "probe",
    "judge",
    "keypoints",
    "checklist",
    "rate",
    "complete",
];

/// What differs from run to run, or with every word of a prompt, and what a snapshot has in its
/// place. The rules of a table are as long as its cells are wide, and cells hold times.
const MASKS: [(&str, &str); 12] = [
    (r"logs/[0-9TZ:.\-]+[\w.\-]*\.log", "logs/[log]"),
    (r"\b([a-z])_[a-z2-7]{16}\b", "${1}_[id]"),
    (r"\b[0-9a-f]{12,64}\b", "[hash]"),
    (r"\b127\.0\.0\.1:\d{2,5}\b", "[address]"),
    (r"\bprocess \d+", "process [n]"),
    (r"\b\d+(\.\d+)? (ms|s)\b", "[time]"),
    (r"until here: .*", "until here: [usage]"),
    (r"could take \d+ tokens", "could take [n] tokens"),
    (r"\bElo \d+\.\d", "Elo [n]"),
    (r"[+-]\d+\.\d+ \[[+-][^\]]*\]", "[strength]"),
    (r"[─═]{3,}", "───"),
    (r"(?m) +$", ""),
];

/// A project in a temporary folder.
pub struct Project {
    pub folder: tempfile::TempDir,
    server: String,
}

impl Project {
    /// An empty project whose roles are answered by the server at `url`. Set it up with the
    /// functions that return it.
    pub fn new(url: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let project = Self {
            folder,
            server: url.to_owned(),
        };
        project.ok(&["init", "."]);
        let roles = ROLES.map(|role| format!("{role} = \"fake/m\"\n")).concat();
        project.configure(&format!(
            "[roles]\n{roles}[rank]\nmethod = \"elo\"\nrounds = 4\n[judge]\nprobes = 0\n[similarity]\nmodel = \"none\"\n[providers.fake]\nbase_url = \"{url}\"\n"
        ));
        project
    }

    /// With a recording that nobody will decode, and the transcript of it.
    pub fn seminar(self, name: &str, language: &str, sentences: &[&str]) -> Self {
        self.add_transcript(name, language, sentences);
        self
    }

    /// With a talk in English and one in Chinese.
    pub fn two_talks(self) -> Self {
        self.seminar("rivers.wav", "en", TALK)
            .seminar("heliu.wav", "zh", TALK_ZH)
    }

    /// With more sections in its configuration.
    pub fn config(self, sections: &str) -> Self {
        self.configure(&(self.configuration() + sections));
        self
    }

    /// With `to` in its configuration where `from` stood.
    pub fn config_instead(self, from: &str, to: &str) -> Self {
        self.reconfigure(from, to);
        self
    }

    /// With the inspirations and the tasks of its seminars.
    pub fn woven(self) -> Self {
        self.ok(&["inspire"]);
        self.ok(&["weave"]);
        self
    }

    pub fn configuration(&self) -> String {
        std::fs::read_to_string(self.path("taskgen.toml")).expect("a configuration")
    }

    /// Replaces the whole configuration.
    pub fn configure(&self, config: &str) {
        std::fs::write(self.path("taskgen.toml"), config).expect("the project is writable");
    }

    /// Replaces a part of the configuration, which must be there.
    pub fn reconfigure(&self, from: &str, to: &str) {
        let config = self.configuration();
        assert!(config.contains(from), "no `{from}` in: {config}");
        self.configure(&config.replace(from, to));
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
            // One key for all, so that projects of the same talks have the same prompts.
            .env("TASKGEN_FENCE_KEY", "taskgen")
            // No settings of the one who runs the tests.
            .env("XDG_CONFIG_HOME", self.folder.path().join("no-settings"))
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

    /// Runs a command with `--json`, which must succeed, and returns what it printed.
    pub fn json(&self, args: &[&str]) -> Value {
        let printed = self.ok(&[args, &["--json"]].concat());
        serde_json::from_str(&printed)
            .unwrap_or_else(|e| panic!("{args:?} is not one JSON value: {e}: {printed}"))
    }

    /// Runs a command that must fail with `code` and returns what it said.
    pub fn fails(&self, args: &[&str], code: i32) -> String {
        let output = self.output(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        said
    }

    /// A command and what it says, as a snapshot keeps them.
    pub fn told(&self, args: &[&str]) -> String {
        let words = args.join(" ");
        let command = format!("$ taskgen {words}\n");
        self.masked(&command) + &self.shown(&self.output(args))
    }

    /// What each of several commands says, one after the other.
    pub fn told_each<'a>(&self, commands: impl IntoIterator<Item = &'a [&'a str]>) -> String {
        let told = commands.into_iter().map(|args| self.told(args));
        told.collect::<Vec<_>>().join("\n")
    }

    /// Exit code, results and messages, without what differs from run to run: places, ids, times.
    pub fn shown(&self, output: &Output) -> String {
        let code = output.status.code();
        let mut shown = format!(
            "exit {}\n",
            code.map_or("by a signal".into(), |n| n.to_string())
        );
        for (name, bytes) in [("out", &output.stdout), ("err", &output.stderr)] {
            let text = String::from_utf8_lossy(bytes);
            if !text.trim().is_empty() {
                shown += &format!("--- {name}\n{}\n", self.masked(text.trim_end()));
            }
        }
        shown
    }

    fn masked(&self, text: &str) -> String {
        let folder = self.folder.path().to_string_lossy();
        let text = text
            .replace(&*folder, "[project]")
            .replace(env!("CARGO_BIN_EXE_taskgen"), "[taskgen]")
            .replace(&self.server, "[server]");
        MASKS.iter().fold(text, |text, (pattern, mask)| {
            let pattern = regex::Regex::new(pattern).expect("a pattern");
            pattern.replace_all(&text, *mask).into_owned()
        })
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

    /// The project's database.
    pub fn database(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.path("tasks/taskgen.db")).expect("the database opens")
    }

    /// Runs SQL on the project's database, as a user with an editor would.
    pub fn sql(&self, sql: &str) -> usize {
        let connection = self.database();
        connection
            .pragma_update(None, "foreign_keys", true)
            .expect("a pragma");
        connection.execute(sql, []).expect("the statement runs")
    }

    /// One text from the project's database.
    pub fn text(&self, sql: &str) -> String {
        self.database()
            .query_row(sql, [], |row| row.get(0))
            .expect("a text")
    }

    /// One number from the project's database.
    pub fn count(&self, sql: &str) -> i64 {
        self.database()
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
        seminar: SeminarId::from_parts(&[&media]),
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
