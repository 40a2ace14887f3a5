//! The embedded language model as a child process of `taskgen`: JSON lines in, JSON lines out,
//! llama.cpp between. It must not use the library: whisper.cpp and llama.cpp each bring a ggml, and
//! one binary cannot hold two.

#[path = "taskgen_llm/devices.rs"]
mod devices;
#[path = "taskgen_llm/engine.rs"]
mod engine;
#[path = "taskgen_llm/grammar.rs"]
mod grammar;
#[path = "../../crates/tools/src/llm/protocol.rs"]
mod protocol;
#[path = "taskgen_llm/slots.rs"]
mod slots;
#[path = "taskgen_llm/template.rs"]
mod template;
#[path = "taskgen_llm/weigh.rs"]
mod weigh;

use std::{
    io::{BufRead as _, Write as _},
    num::NonZero,
    path::PathBuf,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::Duration,
};

use anyhow::{Context as _, Result};
use clap::Parser;
use engine::Engine;
use protocol::{Failure, FailureCause, FromChild, Request};

/// A request is a few prompts long at most; more is garbage.
const LONGEST_LINE: usize = 64 << 20;
/// When stdin ends, a computation in progress has this long to notice.
const PATIENCE: Duration = Duration::from_secs(5);

/// The embedded language model of `taskgen`, which starts it; not meant to be run by hand.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// The model file (GGUF).
    #[arg(long)]
    model: PathBuf,
    /// Threads that compute; by default as many as there are cores.
    #[arg(long)]
    threads: Option<u32>,
    /// Devices, separated by commas: cpu, cuda:0, vulkan:1 …; auto for the graphics cards, with as
    /// many layers as have room, or the processor where there is none.
    #[arg(
        long,
        value_name = "LIST",
        env = "TASKGEN_LLM_DEVICE",
        default_value = "auto"
    )]
    device: String,
    /// Tokens that a prompt and its reply may take together.
    #[arg(long, default_value_t = 4096)]
    context: u32,
    /// Prompt prefixes that are kept, so that alternating prompts do not evict each other.
    #[arg(long, default_value_t = 4)]
    slots: u32,
    /// Show llama.cpp's log on stderr.
    #[arg(long)]
    verbose: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match serve(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn serve(args: &Args) -> Result<()> {
    let stop = Arc::new(AtomicBool::new(false));
    let lines = read_lines(stop.clone());
    let threads = args
        .threads
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, NonZero::get) as u32)
        .max(1);
    let tokens = u64::from(args.context) * u64::from(args.slots.max(1));
    let model = engine::load(&args.model, &args.device, tokens, args.verbose)?;
    let mut engine = Engine::new(
        &model,
        threads,
        args.context,
        args.slots.max(1),
        stop.clone(),
    )?;
    say(&FromChild::Hello(engine.hello()))?;
    for line in lines {
        let answer = answer(&mut engine, &line);
        if stop.load(Ordering::Relaxed) {
            break;
        }
        say(&answer)?;
    }
    Ok(())
}

fn answer(engine: &mut Engine<'_>, line: &[u8]) -> FromChild {
    let request: Request = match serde_json::from_slice(line) {
        Ok(request) => request,
        Err(error) => {
            let message = format!("not a request: {error}");
            return FromChild::Error(Failure {
                id: id_of(line),
                cause: FailureCause::BadRequest,
                message,
            });
        }
    };
    match engine.answer(&request) {
        Ok(reply) => FromChild::Reply(reply),
        Err((cause, message)) => FromChild::Error(Failure {
            id: Some(request.id),
            cause,
            message,
        }),
    }
}

/// The id of a line that is JSON but no request, so that the parent can match the failure.
fn id_of(line: &[u8]) -> Option<u64> {
    serde_json::from_slice::<serde_json::Value>(line)
        .ok()?
        .get("id")?
        .as_u64()
}

fn say(what: &FromChild) -> Result<()> {
    let mut line = serde_json::to_vec(what)?;
    line.push(b'\n');
    let mut out = std::io::stdout().lock();
    out.write_all(&line)
        .and_then(|()| out.flush())
        .context("the parent does not listen any more")
}

/// Reads stdin in a thread of its own. Its end means that the parent is gone, however it died:
/// whatever is being computed is dropped at the next chunk of the prompt or token of the reply.
fn read_lines(stop: Arc<AtomicBool>) -> mpsc::Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        loop {
            let mut line = Vec::new();
            let mut limited = std::io::Read::take(&mut input, LONGEST_LINE as u64);
            match limited.read_until(b'\n', &mut line) {
                Ok(read) if read > 0 && read < LONGEST_LINE => {}
                _ => break,
            }
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            if send.send(line).is_err() {
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
        drop(send);
        std::thread::sleep(PATIENCE);
        std::process::exit(0);
    });
    receive
}
