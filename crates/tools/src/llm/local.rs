//! The embedded model: a child process, `taskgen-llm`, started at the first question and asked one
//! thing at a time. Hides the process: a crash of the model is one restart and, if it happens
//! again, one typed failure.

use std::{ffi::OsString, path::PathBuf, process::Stdio, time::Duration};

use async_trait::async_trait;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
    sync::Mutex,
};

use super::{
    ChatModel, ChatReply, ChatRequest, Finish, ModelError, Purse,
    protocol::{self, FailureCause, FromChild, Hello, Reply, Request, Turn},
    record::most_tokens,
    weights,
};
use crate::data::{Cause, Usage};

/// A model of a few gigabytes on a slow disk loads within this time.
const LOADING: Duration = Duration::from_mins(5);
/// The longest prompt and reply on a slow, busy machine end within this time.
const ANSWERING: Duration = Duration::from_mins(30);

/// How long the machine is watched before the number of threads is chosen.
const LOOKING: Duration = Duration::from_millis(300);

/// How to start the embedded model.
#[derive(Clone, Debug)]
pub struct LocalOptions {
    /// `local/model`, as configured.
    pub name: String,
    /// The program `taskgen-llm`.
    pub program: PathBuf,
    /// The model file, checked by its hash before.
    pub model: PathBuf,
    /// Its hash.
    pub sha256: String,
    /// Threads that compute, at most; fewer are taken while other programs keep cores busy.
    pub threads: usize,
    /// The variables of the environment that it gets: those that say where graphics cards are.
    pub environment: Vec<(&'static str, OsString)>,
}

/// The embedded model.
pub struct LocalModel {
    options: LocalOptions,
    state: Mutex<State>,
}

/// How a question is put.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// With what is kept of earlier prompts.
    Usual,
    /// Reading the whole prompt again.
    Fresh,
    /// Only counting its tokens.
    Count,
}

#[derive(Default)]
struct State {
    running: Option<Running>,
    started_before: bool,
    last_id: u64,
}

struct Running {
    child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    hello: Hello,
}

impl LocalModel {
    /// Nothing is started yet.
    pub fn new(options: LocalOptions) -> Self {
        Self {
            options,
            state: Mutex::default(),
        }
    }

    /// Starts the child if it does not run, and says who answers.
    pub async fn hello(&self) -> Result<Hello, ModelError> {
        let mut state = self.state.lock().await;
        Ok(state.running(&self.options).await?.hello.clone())
    }

    /// One question, with what it cost. `fresh` reads the whole prompt again; the reply is the
    /// same.
    pub async fn ask(
        &self,
        request: &ChatRequest,
        fresh: bool,
    ) -> Result<(Reply, String), ModelError> {
        self.exchange(request, if fresh { How::Fresh } else { How::Usual })
            .await
    }

    async fn exchange(
        &self,
        request: &ChatRequest,
        how: How,
    ) -> Result<(Reply, String), ModelError> {
        let mut state = self.state.lock().await;
        let mut attempts = 0;
        loop {
            attempts += 1;
            match state.ask(&self.options, request, how).await {
                // The child died: it is started once more for this question.
                Err(error)
                    if error.cause == Cause::LocalEngine
                        && state.running.is_none()
                        && attempts == 1 => {}
                // One more start and no third: a prompt that kills it would do so each time.
                done => return done.map_err(|error| ModelError { attempts, ..error }),
            }
        }
    }
}

#[async_trait]
impl ChatModel for LocalModel {
    fn name(&self) -> &str {
        &self.options.name
    }

    fn base_url(&self) -> Option<&str> {
        None
    }

    fn is_builtin(&self) -> bool {
        true
    }

    fn parallel(&self) -> usize {
        1
    }

    fn weights(&self) -> Option<&str> {
        Some(&self.options.sha256)
    }

    async fn count(&self, request: &ChatRequest) -> Option<u64> {
        self.exchange(request, How::Count)
            .await
            .ok()
            .map(|(reply, _)| reply.input)
    }

    async fn chat(
        &self,
        request: &ChatRequest,
        purse: &Purse<'_>,
    ) -> Result<ChatReply, ModelError> {
        let most = Usage {
            input: most_tokens(request, 0),
            output: request.max_tokens.into(),
            ..Usage::default()
        };
        // It costs no money; tokens may be limited all the same.
        let hold = purse
            .hold(most)
            .await
            .map_err(|spent| ModelError::new(Cause::NotAsked, spent.to_string()))?;
        let (reply, model) = self.ask(request, false).await?;
        let finish = match reply.finish {
            protocol::Finish::Stop => Finish::Stop,
            protocol::Finish::Length => Finish::Length,
        };
        let usage = Usage {
            input: reply.input,
            output: reply.output,
            cached: reply.cached,
            searches: 0,
        };
        hold.counted(usage);
        let text = if request.is_weighed() {
            weights::on_record(&request.offered, reply.weights.as_deref())
        } else {
            reply.text
        };
        Ok(ChatReply {
            model_returned: Some(model),
            usage: Some(usage),
            ..ChatReply::new(text, finish)
        })
    }
}

impl State {
    async fn running(&mut self, options: &LocalOptions) -> Result<&mut Running, ModelError> {
        if self.running.is_none() {
            // A file on a slow disk loads for minutes; one that never says hello must not hold up
            // the run.
            let started = tokio::time::timeout(LOADING, start(options)).await;
            let started =
                started.unwrap_or_else(|_| Err("it did not load its model in time".to_owned()));
            // What never ran is a set-up that cannot work; what ran before died under some prompt.
            let cause = if self.started_before {
                Cause::LocalEngine
            } else {
                Cause::ModelNotFound
            };
            self.running = Some(started.map_err(|why| {
                ModelError::new(
                    cause,
                    format!("the embedded model `{}` cannot start: {why}", options.name),
                )
            })?);
            self.started_before = true;
        }
        self.running
            .as_mut()
            .ok_or_else(|| ModelError::new(Cause::LocalEngine, "the embedded model does not run"))
    }

    async fn ask(
        &mut self,
        options: &LocalOptions,
        request: &ChatRequest,
        how: How,
    ) -> Result<(Reply, String), ModelError> {
        // A new number each time, since the answer to a dropped question may still come.
        self.last_id += 1;
        let id = self.last_id;
        let running = self.running(options).await?;
        let line = line(id, request, how)?;
        match tokio::time::timeout(ANSWERING, running.exchange(id, &line)).await {
            Ok(Ok(answer)) => answer.map(|reply| (reply, running.hello.model.clone())),
            Ok(Err(why)) => {
                let ended = running
                    .child
                    .try_wait()
                    .ok()
                    .flatten()
                    .map(|status| format!(" ({status})"));
                // Dropped, and so killed: after a late answer nothing that it says can be told
                // apart any more.
                self.running = None;
                let message = format!(
                    "the embedded model's process ended: {why}{}",
                    ended.unwrap_or_default()
                );
                Err(ModelError::new(Cause::LocalEngine, message))
            }
            Err(_) => {
                self.running = None;
                Err(ModelError::new(
                    Cause::Timeout,
                    "the embedded model did not answer in time",
                ))
            }
        }
    }
}

impl Running {
    /// The outer error means that the process is lost, the inner one that it could not answer this
    /// question.
    async fn exchange(
        &mut self,
        id: u64,
        line: &[u8],
    ) -> std::io::Result<Result<Reply, ModelError>> {
        self.stdin.write_all(line).await?;
        self.stdin.flush().await?;
        while let Some(line) = self.lines.next_line().await? {
            match serde_json::from_str(&line)? {
                FromChild::Reply(reply) if reply.id == id => return Ok(Ok(reply)),
                // An error without a number is about a line that could not even be read, which was
                // the last one.
                FromChild::Error(failure) if failure.id.is_none_or(|of| of == id) => {
                    return Ok(Err(ModelError::new(cause(failure.cause), failure.message)));
                }
                // The answer to a question whose asker went away.
                _ => {}
            }
        }
        Err(std::io::ErrorKind::UnexpectedEof.into())
    }
}

fn line(id: u64, request: &ChatRequest, how: How) -> Result<Vec<u8>, ModelError> {
    let messages = request
        .messages
        .iter()
        .map(|m| Turn {
            role: m.role.clone(),
            content: m.content.clone(),
        })
        .collect();
    let request = Request {
        id,
        messages,
        // Without a schema the grammar is off, and the reply is free text.
        schema: Some(request.schema.clone()).filter(|_| request.has_schema()),
        max_tokens: request.max_tokens,
        temperature: request.temperature,
        seed: request.seed,
        fresh: how == How::Fresh,
        count: how == How::Count,
        offered: request.offered.clone(),
    };
    let mut line = serde_json::to_vec(&request).map_err(|error| {
        ModelError::new(
            Cause::LocalEngine,
            format!("a question that is not JSON: {error}"),
        )
    })?;
    line.push(b'\n');
    Ok(line)
}

fn cause(cause: FailureCause) -> Cause {
    match cause {
        FailureCause::ContextTooLong => Cause::ContextTooLong,
        FailureCause::NotOneToken => Cause::Unweighed,
        FailureCause::BadRequest | FailureCause::BadSchema | FailureCause::Engine => {
            Cause::LocalEngine
        }
    }
}

async fn start(options: &LocalOptions) -> Result<Running, String> {
    let mut child = Command::new(&options.program)
        // It needs none of the keys, and an agent can look into it.
        .env_clear()
        .envs(
            options
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .arg("--model")
        .arg(&options.model)
        .args(["--threads", &threads(options.threads).await.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("`{}`: {error}", options.program.display()))?;
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err("it has no standard streams".to_owned());
    };
    let mut lines = BufReader::new(stdout).lines();
    // It ended before hello: what it wrote to standard error is the reason, and the only one.
    let Ok(Some(line)) = lines.next_line().await else {
        let mut said = String::new();
        let _ = stderr.take(10_000).read_to_string(&mut said).await;
        let said = said.trim().trim_start_matches("error: ");
        return Err(if said.is_empty() {
            "it ended without a word".to_owned()
        } else {
            said.to_owned()
        });
    };
    let Ok(FromChild::Hello(hello)) = serde_json::from_str(&line) else {
        return Err(format!("it said something else than hello: `{line}`"));
    };
    // Only now: until hello, standard error was needed for the reason.
    tokio::spawn(drain(stderr));
    Ok(Running {
        child,
        stdin,
        lines,
        hello,
    })
}

/// As many threads as there are idle cores, at most `most`, at least one. llama.cpp's threads wait
/// for each other after each operation: two of them beside another busy program are ten times
/// slower than one. The reply is the same.
async fn threads(most: usize) -> usize {
    let before = cpu_times();
    tokio::time::sleep(LOOKING).await;
    let (Some((idle_0, all_0)), Some((idle_1, all_1))) = (before, cpu_times()) else {
        return most.max(1);
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let idle = (idle_1 - idle_0) / (all_1 - all_0).max(1.0) * cores as f64;
    // The sum of the counters moves in steps of 10 ms, so that a quiet core may look a little busy.
    ((idle + 0.4) as usize).clamp(1, most.max(1))
}

/// Idle and whole time of all cores since the start of the machine, where the kernel tells.
fn cpu_times() -> Option<(f64, f64)> {
    let stat = fs_err::read_to_string("/proc/stat").ok()?;
    let times: Vec<f64> = stat
        .lines()
        .next()?
        .split_whitespace()
        .skip(1)
        .take(8)
        .flat_map(str::parse)
        .collect();
    Some((times.get(3)? + times.get(4)?, times.iter().sum()))
}

/// Keeps the child from blocking on a full pipe.
async fn drain(stderr: tokio::process::ChildStderr) {
    let mut lines = BufReader::new(stderr).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        tracing::debug!(target: "taskgen_llm", "{line}");
    }
}
