//! 10,000 PDFs and HTML pages made to do harm (chains of filters, bombs, deep trees, loops, then
//! damage at random), each read by a process of its own as `evaluate` reads pages: every process
//! ends with one decision or at a limit that names the cause, and none takes 512 MB (Linux). `TASKGEN_DOCUMENTS` sets another number.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{Read, Write as _},
    mem::MaybeUninit,
    process::{Child, Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Instant,
};

use flate2::{Compression, write::ZlibEncoder};
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::IndexedRandom as _};
use serde_json::{Value, json};

const PAGES: u64 = 10_000;
const SEED: u64 = 23;
/// Most memory of a process that reads a page, in KiB.
const MOST_KIB: i64 = 512 << 10;
/// Bytes that a bomb becomes: harmless, large, and more than a process may have.
const BOMBS: [usize; 3] = [1 << 20, 64 << 20, 512 << 20];

/// How a process ended that read a page.
struct End {
    /// The decision's cause, `text` where it found one, or how the process died.
    word: String,
    kib: i64,
}

#[test]
fn hostile_documents_all_end_with_a_decision() {
    let pages: u64 = std::env::var("TASKGEN_DOCUMENTS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(PAGES);
    let begun = Instant::now();
    let next = AtomicU64::new(0);
    let ends: Mutex<Vec<(u64, End)>> = Mutex::default();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= pages {
                        return;
                    }
                    let (kind, bytes) = page(number);
                    let end = read(kind, &bytes);
                    ends.lock().unwrap().push((number, end));
                }
            });
        }
    });
    let ends = ends.into_inner().unwrap();
    let mut words: BTreeMap<&str, u64> = BTreeMap::new();
    for (_, end) in &ends {
        *words.entry(&end.word).or_default() += 1;
    }
    let most = ends.iter().map(|(_, end)| end.kib).max().unwrap_or(0);
    println!(
        "seed {SEED}, {} pages in {:.0?}, at most {} MiB each: {words:?}",
        ends.len(),
        begun.elapsed(),
        most >> 10
    );
    let died: Vec<_> = ends
        .iter()
        .filter(|(_, end)| end.word.starts_with("died"))
        .map(|(number, end)| format!("{number}: {}", end.word))
        .collect();
    assert!(died.is_empty(), "{died:#?}");
    assert!(most < MOST_KIB, "{most} KiB");
    let share = |chosen: fn(&str) -> bool| {
        let counts = words.iter().filter(|(word, _)| chosen(word));
        counts.map(|(_, n)| *n).sum::<u64>() as f64 / pages as f64
    };
    // The harm is in some of them; a reader that gives up on all would be none.
    assert!(share(|word| word == "text") > 0.3);
    assert!(share(|word| word.starts_with("stopped")) < 0.1);
}

/// The page of a number: its media type and its bytes.
fn page(number: u64) -> (&'static str, Vec<u8>) {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED ^ (number << 8));
    let (kind, bytes) = match number % 10 {
        0..5 => ("application/pdf", pdf(&mut rng)),
        5..8 => ("text/html", html(&mut rng).into_bytes()),
        8 => ("application/pdf", sample("columns.pdf")),
        _ => ("text/html", sample("soil-sensors.html")),
    };
    // One in four of those made here stays whole: damage would take the harm out of it.
    let whole = number % 10 < 8 && rng.random_bool(0.25);
    (
        kind,
        if whole {
            bytes
        } else {
            damaged(bytes, &mut rng)
        },
    )
}

fn sample(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/pages/");
    std::fs::read(format!("{folder}{name}")).expect("a file")
}

/// A PDF of one page whose content, fonts or tree of pages is hostile.
fn pdf(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let content = match rng.random_range(0..4) {
        0 => vec![b' '; *BOMBS[..2].choose(rng).unwrap()],
        1 => b"BT /F1 9 Tf (word) Tj ET ".repeat(rng.random_range(1..20_000)),
        2 => ["[", "(", "q ", "BT ", "<</A "]
            .choose(rng)
            .unwrap()
            .repeat(30_000)
            .into_bytes(),
        _ => b"BT /F1 12 Tf 72 700 Td (Soil moisture of three valleys) Tj ET".to_vec(),
    };
    let (names, stream) = filtered(content, rng);
    let depth = rng.random_range(1..4_000);
    let mut file = b"%PDF-1.7\n1 0 obj <</Type /Catalog /Pages 10 0 R>> endobj\n".to_vec();
    let mut add = |text: String| file.extend(text.into_bytes());
    if rng.random_bool(0.3) {
        // A tree of pages as deep as a stack, or one that bites its own tail.
        for level in 10..10 + depth {
            let kid = if rng.random_bool(0.001) {
                10
            } else {
                level + 1
            };
            add(format!(
                "{level} 0 obj <</Type /Pages /Count 1 /Kids [{kid} 0 R]>> endobj\n"
            ));
        }
        add(format!("{} 0 obj {PAGE} endobj\n", 10 + depth));
    } else {
        add(format!(
            "10 0 obj <</Type /Pages /Count 1 /Kids [{}]>> endobj\n",
            "3 0 R ".repeat(rng.random_range(1..200))
        ));
        add(format!("3 0 obj {PAGE} endobj\n"));
    }
    add("5 0 obj <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>> endobj\n".to_owned());
    add(format!(
        "4 0 obj <</Length {} /Filter [{names}]>> stream\n",
        stream.len()
    ));
    file.extend(stream);
    file.extend(b"\nendstream endobj\ntrailer <</Root 1 0 R>>\n%%EOF");
    file
}

const PAGE: &str = "<</Type /Page /MediaBox [0 0 612 792] /Contents [4 0 R 4 0 R] /Resources <</Font <</F1 5 0 R>>>>>>";

/// Bytes behind one to four filters of PDF, and the names of those in the order of undoing them.
fn filtered(mut bytes: Vec<u8>, rng: &mut ChaCha8Rng) -> (String, Vec<u8>) {
    let mut names: Vec<&str> = Vec::new();
    for _ in 0..rng.random_range(1..5) {
        let (name, encoded) = match rng.random_range(0..5) {
            0 | 1 => ("/FlateDecode", deflated(&bytes)),
            2 => ("/RunLengthDecode", run_lengths(&bytes)),
            3 if bytes.len() < 1 << 20 => ("/ASCIIHexDecode", hexadecimal(&bytes)),
            // What comes out of this one is garbage: a bomb that grows by itself.
            _ => ("/LZWDecode", bytes.clone()),
        };
        names.insert(0, name);
        bytes = encoded;
    }
    if rng.random_bool(0.2) {
        // Zeros without end, made as they are written.
        let size = *BOMBS.choose(rng).unwrap();
        names.insert(0, "/FlateDecode");
        bytes = zeros(size);
    }
    (names.join(" "), bytes)
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

fn zeros(size: usize) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let block = vec![0; 1 << 20];
    for _ in 0..size >> 20 {
        encoder.write_all(&block).expect("memory takes it");
    }
    encoder.finish().expect("memory takes it")
}

/// Runs of equal bytes, at most 128 long, each as two bytes.
fn run_lengths(bytes: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::new();
    for run in bytes.chunk_by(|a, b| a == b) {
        for piece in run.chunks(128) {
            match piece.len() {
                1 => encoded.extend([0, piece[0]]),
                length => encoded.extend([(257 - length) as u8, piece[0]]),
            }
        }
    }
    encoded.push(128);
    encoded
}

fn hexadecimal(bytes: &[u8]) -> Vec<u8> {
    let mut text = String::with_capacity(2 * bytes.len() + 1);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text.push('>');
    text.into_bytes()
}

/// An HTML page that nests, repeats or selects without measure.
fn html(rng: &mut ChaCha8Rng) -> String {
    let many = rng.random_range(1_000..60_000);
    let tag = *["div", "b", "table", "p", "a", "svg", "select", "li"]
        .choose(rng)
        .unwrap();
    let text = "<p>The sensors of three valleys were read every hour for a year.</p>".repeat(30);
    match rng.random_range(0..6) {
        0 => format!("<{tag}>").repeat(many) + &text,
        1 => format!("{text}{}", format!("</{tag}>").repeat(many)),
        2 => format!("<{tag} {}>{text}", "a=1 ".repeat(many)),
        3 => format!("<{tag} title=\"{}\">{text}", "x".repeat(many * 50)),
        4 => {
            let selectors = ".a .b .c > .d ~ .e, ".repeat(many / 10);
            let nested = "<div class=\"a b c d e\">".repeat(many / 20);
            format!("<style>{selectors}.z{{display:none}}</style>{nested}{text}")
        }
        _ => format!("{text}<!--{}{text}", "-->&#x202e;&nbsp;<!--".repeat(many)),
    }
}

/// A file with some bytes changed, cut out or doubled.
fn damaged(mut bytes: Vec<u8>, rng: &mut ChaCha8Rng) -> Vec<u8> {
    for _ in 0..rng.random_range(1..8) {
        let at = rng.random_range(0..bytes.len());
        let end = (at + rng.random_range(1..200)).min(bytes.len());
        match rng.random_range(0..4) {
            0 => bytes[at] = rng.random(),
            1 => bytes[at] ^= 1 << rng.random_range(0..8),
            2 if bytes.len() > 400 => drop(bytes.drain(at..end)),
            _ => {
                let piece = bytes[at..end].to_vec();
                let to = rng.random_range(0..bytes.len());
                bytes.splice(to..to, piece);
            }
        }
    }
    bytes
}

/// Reads a page as `evaluate` does: in a process of its own.
fn read(kind: &str, bytes: &[u8]) -> End {
    #[expect(clippy::zombie_processes, reason = "`wait` below waits for it")]
    let mut child = Command::new(env!("CARGO_BIN_EXE_taskgen"))
        .arg("read-page")
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("taskgen starts");
    let address = "https://a.org/x";
    let question =
        json!({ "status": 200, "asked": address, "last": address, "content_type": kind });
    let mut input = child.stdin.take().expect("a pipe");
    // A process that has died takes nothing more; how it died is told below.
    let _ = writeln!(input, "{question}").and_then(|()| input.write_all(bytes));
    drop(input);
    let said = all_of(child.stdout.take());
    let last_words = all_of(child.stderr.take());
    let (status, kib) = wait(&child);
    let decision: Option<Value> = said
        .strip_prefix("ready\n")
        .and_then(|decision| serde_json::from_str(decision).ok());
    let word = match decision {
        Some(decision) if status == 0 => decision["cause"].as_str().unwrap_or("text").to_owned(),
        _ if last_words.contains("memory allocation") => {
            "stopped at the limit of memory".to_owned()
        }
        _ if status == libc::SIGXCPU => "stopped at the limit of time".to_owned(),
        _ => format!("died with wait status {status:#x}: {last_words}"),
    };
    End { word, kib }
}

fn all_of(pipe: Option<impl Read>) -> String {
    let mut said = String::new();
    let _ = pipe.expect("a pipe").read_to_string(&mut said);
    said
}

/// Waits for the end of a process: its status, and the most memory that it had, in KiB.
#[expect(
    unsafe_code,
    reason = "the standard library does not tell the memory of a child"
)]
fn wait(child: &Child) -> (i32, i64) {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: both pointers are to memory of ours, and zeros are a valid `rusage`.
    let usage = unsafe {
        libc::wait4(child.id() as i32, &raw mut status, 0, usage.as_mut_ptr());
        usage.assume_init()
    };
    (status, usage.ru_maxrss)
}
