//! A look at a graphics card in a process of its own: a driver that fails ends the process that asks
//! it, and the cards that work must go on.

use std::{
    io::{self, Read as _, Write},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use super::devices::{self, Device, Memory};

/// How long a driver may take to start.
const PATIENCE: Duration = Duration::from_mins(2);
/// Between two looks at the process.
const PAUSE: Duration = Duration::from_millis(20);

/// Starts to use a card, as whisper.cpp would, and writes its memory to `out`; nothing where it
/// cannot be used. This is the body of the process that [`memory`] starts.
pub fn serve(card: i32, out: &mut impl Write) -> io::Result<()> {
    let device = Device {
        card: Some(card),
        ..Device::cpu()
    };
    if devices::can_start(&device) {
        serde_json::to_writer(&mut *out, &devices::memory(&device))?;
    }
    out.flush()
}

/// The memory of a device, or why it cannot be used. `program` is this program: a process of it
/// starts to use a card.
pub fn memory(program: &Path, device: &Device) -> Result<Memory, String> {
    let Some(card) = device.card else {
        return Ok(devices::memory(device));
    };
    let child = Command::new(program)
        .args(["check-device", "--card"])
        .arg(card.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let unusable = |why: String| format!("cannot be used ({why})");
    let mut child = child.map_err(|error| unusable(error.to_string()))?;
    let status = wait(&mut child).map_err(|error| unusable(error.to_string()))?;
    let Some(status) = status else {
        let seconds = PATIENCE.as_secs();
        return Err(unusable(format!("its driver did not start in {seconds} s")));
    };
    let mut told = String::new();
    if let Some(mut out) = child.stdout.take() {
        // What cannot be read is no memory.
        out.read_to_string(&mut told).unwrap_or_default();
    }
    serde_json::from_str(&told).map_err(|_| unusable(format!("its driver ended with {status}")))
}

/// The end of the process; none, and the process is killed, where it takes too long.
fn wait(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// What is said of a card when its process does this.
    fn said_of(does: &str) -> Result<Memory, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("program");
        std::fs::write(&program, format!("#!/bin/sh\n{does}\n")).expect("written");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&program, mode).expect("a program");
        memory(&program, &devices::cards(1)[0])
    }

    #[test]
    fn a_driver_that_ends_its_process_is_said_and_survived() {
        let memory =
            said_of("[ \"$*\" = 'check-device --card 0' ] && echo '{\"free\":5,\"total\":9}'");
        assert_eq!(memory, Ok(Memory { free: 5, total: 9 }));
        for (does, why) in [
            ("kill -SEGV $$", "signal: 11"),
            ("exit 3", "exit status: 3"),
            ("echo CUDA error", "exit status: 0"),
        ] {
            let said = said_of(does).expect_err(does);
            assert!(
                said.starts_with("cannot be used (its driver ended with") && said.contains(why),
                "{said}"
            );
        }
        let none = memory_of_no_program();
        assert!(none.starts_with("cannot be used ("), "{none}");
    }

    fn memory_of_no_program() -> String {
        memory(Path::new("/no/such/program"), &devices::cards(1)[0]).expect_err("no program")
    }

    #[test]
    fn a_card_that_is_not_there_has_no_memory() {
        let mut out = Vec::new();
        serve(99, &mut out).expect("written");
        assert_eq!(out, b"");
    }
}
