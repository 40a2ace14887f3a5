//! The sandbox as rules of the kernel.

use std::{
    io,
    path::{Path, PathBuf},
};

use landlock::{
    ABI, Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope, path_beneath_rules,
};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};

use super::Sandbox;

/// The interface whose rights are asked for; an older kernel leaves out what it does not know.
const NEWEST: ABI = ABI::V9;
/// Without these the kernel has no sandbox.
const OLDEST: ABI = ABI::V1;

/// Devices without any state. Terminals are not among them: who has the user's can type into it.
const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];
/// Beginnings of the names of graphics cards in `/dev`, on which agents run models of their own.
const GRAPHICS: [&str; 3] = ["nvidia", "dri", "kfd"];
/// Shared memory, in which locks between the processes of one program lie.
const SHARED_MEMORY: [&str; 1] = ["/dev/shm"];
/// What answers for the names of hosts, and what `/etc/resolv.conf` links to.
const RESOLVERS: [&str; 5] = [
    "/etc/resolv.conf",
    "/run/systemd/resolve",
    "/run/NetworkManager",
    "/run/resolvconf",
    "/run/nscd",
];

/// Whether the kernel has what is needed.
pub fn is_supported() -> bool {
    ruleset().is_ok()
}

/// Keeps this thread, and all that it starts from now on, to the working folder and to what the
/// sandbox opens. Other processes cannot be read, and on a kernel that knows how, not be signalled.
/// Nothing that it starts gets rights that this thread has not, and root has no more than others.
///
/// # Errors
/// The kernel does not take the rules.
pub fn enforce(sandbox: &Sandbox) -> io::Result<()> {
    restrict(sandbox).map_err(io::Error::other)?;
    // Root may otherwise read the environment of any process, whatever Landlock says: newer kernels
    // ask for `CAP_PERFMON` alone.
    let none = CapabilitySet::empty();
    let capabilities = CapabilitySets {
        effective: none,
        permitted: none,
        inheritable: none,
    };
    Ok(set_capabilities(None, capabilities)?)
}

fn restrict(sandbox: &Sandbox) -> Result<(), RulesetError> {
    let read = AccessFs::from_read(NEWEST);
    let write = AccessFs::from_all(NEWEST) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    ruleset()?
        .add_rules(path_beneath_rules(&sandbox.readable, read))?
        .add_rules(path_beneath_rules(RESOLVERS, read | AccessFs::ResolveUnix))?
        .add_rules(path_beneath_rules(&sandbox.writable, write))?
        .add_rules(path_beneath_rules(DEVICES, write))?
        .add_rules(path_beneath_rules(graphics_cards(), write))?
        .add_rules(path_beneath_rules(SHARED_MEMORY, write))?
        .add_rules(path_beneath_rules([Path::new(".")], write))?
        .restrict_self()?;
    Ok(())
}

fn graphics_cards() -> Vec<PathBuf> {
    let devices = fs_err::read_dir("/dev").into_iter().flatten().flatten();
    let cards = devices.filter(|device| {
        let name = device.file_name();
        let mut beginnings = GRAPHICS.iter();
        beginnings.any(|beginning| name.as_encoded_bytes().starts_with(beginning.as_bytes()))
    });
    cards.map(|device| device.path()).collect()
}

/// Nothing is allowed yet.
fn ruleset() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(OLDEST))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()
}
