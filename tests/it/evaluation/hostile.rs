//! Pages that are made to take all memory or all time: each costs a process of its own, which is
//! stopped, and a cause.

use std::{
    io::{Read as _, Write as _},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use axum::{Router, http::header::CONTENT_TYPE, routing::get};
use serde_json::{Value, json};

use crate::{
    small_web::{
        serving::{deflated, pdf},
        world::{EVALUATE, World},
    },
    support::web::serve,
};

/// Most memory of the process that reads a page: what it may hold, and the program itself, whose
/// pages all its processes share.
const MOST_MEMORY: u64 = (512 + 64) << 20;
/// A run of 128 equal bytes, as `RunLength` writes it.
const RUN: [u8; 2] = [129, b' '];

/// A run of 6 GB in 100 MB, packed by what comes after.
fn runs() -> Vec<u8> {
    RUN.repeat(50_000_000)
}

fn hexadecimal(bytes: &[u8]) -> Vec<u8> {
    bytes
        .iter()
        .flat_map(|byte| format!("{byte:02x}").into_bytes())
        .collect()
}

/// One byte, again and again, as LZW writes it: codes that each stand for one byte more than the
/// last, until the table is full.
fn lzw(tables: usize) -> Vec<u8> {
    let mut bits = Vec::new();
    let mut put =
        |code: u32, width: u32| bits.extend((0..width).rev().map(|at| code >> at & 1 == 1));
    for table in 0..tables {
        put(256, if table == 0 { 9 } else { 12 });
        put(0, 9);
        for code in 258..4094_u32 {
            // A code of n bits is written while the table, the next entry with it, fits in n bits.
            put(code, 32 - (code + 1).leading_zeros());
        }
    }
    bits.chunks(8)
        .map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | u8::from(*bit)))
        .collect()
}

fn bombs() -> [(&'static str, &'static str, Vec<u8>); 6] {
    let runs = deflated(&runs());
    let nested = "<div>".repeat(2_000_000);
    let tables = format!("<table>{}", "<tr><td>".repeat(1_000_000));
    let zeros = deflated(&vec![0; 300_000_000]);
    [
        ("zeros", "application/pdf", pdf("/FlateDecode", &zeros)),
        (
            "runs",
            "application/pdf",
            pdf("/FlateDecode /RunLengthDecode", &runs),
        ),
        (
            "runs in hexadecimal",
            "application/pdf",
            pdf(
                "/ASCIIHexDecode /FlateDecode /RunLengthDecode",
                &hexadecimal(&runs),
            ),
        ),
        (
            "LZW in deflate",
            "application/pdf",
            pdf("/FlateDecode /LZWDecode", &deflated(&lzw(100))),
        ),
        ("nested", "text/html", nested.into_bytes()),
        ("tables", "text/html", tables.into_bytes()),
    ]
}

/// Most memory that a process has had until now, in bytes.
fn peak(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}

/// What the process that reads a page says of it, and the most memory that it took.
fn read(content_type: &str, bytes: Vec<u8>) -> (Option<Value>, u64) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_taskgen"))
        .arg("read-page")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let question = json!({
        "status": 200, "asked": "http://a.org/", "last": "http://a.org/", "content_type": content_type,
    });
    let mut stdin = child.stdin.take().expect("a pipe");
    let sent = thread::spawn(move || {
        // One that is stopped reads no further.
        let _ = stdin.write_all(format!("{question}\n").as_bytes());
        let _ = stdin.write_all(&bytes);
    });
    let mut stdout = child.stdout.take().expect("a pipe");
    let reply = thread::spawn(move || {
        let mut reply = Vec::new();
        stdout.read_to_end(&mut reply).expect("it ends");
        let reply = reply.strip_prefix(b"ready\n").expect("its limits hold");
        serde_json::from_slice(reply).ok()
    });
    let mut most = 0;
    while child.try_wait().expect("a child").is_none() {
        most = most.max(peak(child.id()).unwrap_or(0));
        thread::sleep(std::time::Duration::from_millis(2));
    }
    sent.join().expect("no panic");
    (reply.join().expect("no panic"), most)
}

#[test]
fn no_page_takes_much_memory() {
    for (name, content_type, bytes) in bombs() {
        let (size, begun) = (bytes.len(), std::time::Instant::now());
        let (said, most) = read(content_type, bytes);
        println!(
            "{name}: {size} bytes, {} MB, {:.1} s, {}",
            most >> 20,
            begun.elapsed().as_secs_f64(),
            said.as_ref()
                .map_or("stopped".into(), |said| said["cause"].to_string())
        );
        assert!(most < MOST_MEMORY, "{name}: {most}");
    }
}

/// The page is on record before it is read, and what came of it counts with a cause; it is neither
/// fetched nor read again.
#[test]
fn a_page_that_is_stopped_is_a_cause_and_not_the_end_of_the_run() {
    let bomb = pdf("/FlateDecode /RunLengthDecode", &deflated(&runs()));
    assert!(bomb.len() < 500_000, "{} bytes", bomb.len());
    let served = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&served);
    let bomb = move || {
        counted.fetch_add(1, Ordering::Relaxed);
        let bomb = bomb.clone();
        async move { ([(CONTENT_TYPE, "application/pdf")], bomb) }
    };
    let url = serve(Router::new().route("/bomb.pdf", get(bomb)));
    let world = World::new();
    let report = json!({
        "task": world.tasks["soil"], "agent": "linker", "text": format!("It is [so]({url}/bomb.pdf)."),
    });
    let file = world.project.path("linker.jsonl");
    std::fs::write(&file, report.to_string()).expect("writable");
    world
        .project
        .ok(&["reports", "import", file.to_str().expect("a path")]);
    world.project.ok(&EVALUATE);
    let causes = |world: &World| {
        world.project.json(&["reports", "list"])[0]["scores"]["url_failures"].clone()
    };
    assert_eq!(causes(&world), json!({ "stopped": 1 }));
    world.project.ok(&EVALUATE);
    assert_eq!(served.load(Ordering::Relaxed), 1);
    // As a run leaves it that is killed while it reads.
    world.project.sql(
        "UPDATE page_visit SET payload = json_set(payload, '$.decision',
            json_object('by', NULL, 'cause', 'not_read', 'message', NULL)) WHERE content IS NOT NULL",
    );
    assert_eq!(causes(&world), json!({ "not_read": 1 }));
    world.project.ok(&EVALUATE);
    assert_eq!(causes(&world), json!({ "stopped": 1 }));
    assert_eq!(served.load(Ordering::Relaxed), 1);
}
