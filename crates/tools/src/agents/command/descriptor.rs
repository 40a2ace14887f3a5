//! Descriptor 3 of a program, on which it may tell what it does. Hides the pipe, and how a child
//! gets a descriptor that it did not ask for.

use std::{
    fs::File,
    io,
    mem::ManuallyDrop,
    os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd},
};

use tokio::{net::unix::pipe, process::Command};

/// The number of the descriptor; the standard three come before it.
const TRACE: i32 = 3;

/// The reading end, and what keeps low numbers taken until the child is started.
pub struct Traced {
    pub reader: pipe::Receiver,
    _held: Vec<File>,
}

/// Gives the command the writing end of a pipe as descriptor 3.
///
/// # Errors
/// The system has no more descriptors.
pub fn trace(command: &mut Command) -> io::Result<Traced> {
    // What the library opens to start the child must not have this number, which the child would
    // close under it.
    let held = taken()?;
    let (reader, writer) = io::pipe()?;
    let reader = pipe::Receiver::from_owned_fd(OwnedFd::from(reader))?;
    hand_over(command, writer.into());
    Ok(Traced {
        reader,
        _held: held,
    })
}

/// Files that take all free numbers up to the descriptor's own.
fn taken() -> io::Result<Vec<File>> {
    let mut held = Vec::new();
    loop {
        let file = File::open("/dev/null")?;
        let is_above = file.as_raw_fd() > TRACE;
        held.push(file);
        if is_above {
            return Ok(held);
        }
    }
}

/// Has the child begin with `writer` as descriptor 3. It is closed here once the command is
/// dropped.
#[expect(
    unsafe_code,
    reason = "only between fork and exec can a child be given a descriptor by its number"
)]
fn hand_over(command: &mut Command, writer: OwnedFd) {
    let become_descriptor = move || {
        // SAFETY: in the child, nothing else uses this number: what has it is the parent's, and is
        // closed by the system call. It is not closed again when this value goes.
        let mut trace = ManuallyDrop::new(unsafe { OwnedFd::from_raw_fd(TRACE) });
        // The writing end has a higher number, because all up to this one are taken.
        rustix::io::dup2(&writer, &mut trace)?;
        Ok(())
    };
    // SAFETY: between fork and exec only one system call is made, and nothing is allocated.
    unsafe {
        command.pre_exec(become_descriptor);
    }
}
