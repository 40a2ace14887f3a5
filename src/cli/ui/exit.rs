//! Exit codes and messages of errors: lower case, no full stop, then a hint.

use crate::{
    cluster::SlurmError,
    evaluate::Misconfigured,
    judging::hidden::FailedProbes,
    llm::AskError,
    models::ModelFileError,
    rank::NoBetterThanChance,
    search::SearchError,
    store::{Locked, NoLocks},
    transcribe::TranscribeError,
    web::KeyRefused,
};

/// Done.
pub const DONE: u8 = 0;
/// Done, but some items failed, or the command could not do its job.
pub const SOME_FAILED: u8 = 1;
/// Usage, configuration, lock.
pub const USAGE: u8 = 2;
/// A model, a key or a provider is missing.
pub const NO_MODEL: u8 = 3;
/// More judgements are unscored than allowed.
pub const UNSCORED: u8 = 4;
/// The budget is spent; state is saved.
pub const BUDGET: u8 = 5;
/// A judge is no better than chance, or failed its hidden probes; state is saved.
pub const CHANCE: u8 = 6;
/// The machine failed: its disk is full, or no device is left to transcribe on; state is saved.
pub const MACHINE: u8 = 74;
/// Asked to stop; state is saved.
pub const STOPPED: u8 = 75;
/// Interrupted; state is saved.
pub const INTERRUPTED: u8 = 130;

/// A mistake of the user's: exit 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// A model, a key or a program is missing: exit 3.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoModel(pub String);

/// The exit code for an error that ended a command.
pub fn code(error: &anyhow::Error) -> u8 {
    for cause in error.chain() {
        if cause.is::<Usage>()
            || cause.is::<Locked>()
            || cause.is::<NoLocks>()
            || cause.is::<Misconfigured>()
        {
            return USAGE;
        }
        if cause.is::<ModelFileError>() || cause.is::<NoModel>() || cause.is::<KeyRefused>() {
            return NO_MODEL;
        }
        if let Some(SlurmError::Missing(..)) = cause.downcast_ref::<SlurmError>() {
            return NO_MODEL;
        }
        if matches!(
            cause.downcast_ref::<SearchError>(),
            Some(SearchError::NoKey { .. })
        ) {
            return NO_MODEL;
        }
        if let Some(ask) = cause.downcast_ref::<AskError>() {
            return match ask {
                AskError::Model { .. } | AskError::NoModel(_) | AskError::ManyModels { .. } => {
                    NO_MODEL
                }
                AskError::Budget(_) => BUDGET,
                AskError::NotOnRecord { .. } | AskError::Unpriced(_) => USAGE,
                AskError::Prompt(_) | AskError::Store(_) => SOME_FAILED,
            };
        }
        if cause.is::<NoBetterThanChance>() || cause.is::<FailedProbes>() {
            return CHANCE;
        }
        if let Some(transcribe) = cause.downcast_ref::<TranscribeError>() {
            return if transcribe.is_about_the_model() {
                NO_MODEL
            } else if transcribe.is_fatal() {
                MACHINE
            } else {
                SOME_FAILED
            };
        }
    }
    SOME_FAILED
}

/// The message of an error: each cause once, hints last, each on a line of its own.
pub fn message(error: &anyhow::Error) -> String {
    let (mut causes, mut hints): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for cause in error.chain() {
        for line in cause.to_string().lines() {
            let (list, line) = match line.strip_prefix("hint: ") {
                Some(hint) => (&mut hints, hint.trim()),
                None => (&mut causes, line.trim()),
            };
            // Wrapped errors repeat each other's text.
            if !line.is_empty() && !list.iter().any(|other| other.contains(line)) {
                list.push(line.to_owned());
            }
        }
    }
    if hints.is_empty() {
        hints.extend(of_the_disk(error).map(str::to_owned));
    }
    let mut text = format!("error: {}", causes.join(": "));
    for hint in hints {
        text.push_str("\nhint: ");
        text.push_str(&hint);
    }
    text
}

/// The hint for a disk that is full or not writable.
fn of_the_disk(error: &anyhow::Error) -> Option<&'static str> {
    use std::io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    match error
        .chain()
        .find_map(|cause| cause.downcast_ref::<std::io::Error>())?
        .kind()
    {
        StorageFull | QuotaExceeded => {
            Some("free some space and run the same command again: nothing that was saved is lost")
        }
        ReadOnlyFilesystem | PermissionDenied => Some("the project's folder must be writable"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_come_last_and_nothing_twice() {
        let error = anyhow::anyhow!("no space: `x`\nhint: free some")
            .context("cannot write: `x`")
            .context("run");
        assert_eq!(
            message(&error),
            "error: run: cannot write: `x`: no space: `x`\nhint: free some"
        );
        assert_eq!(code(&error), SOME_FAILED);
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        assert!(
            message(&anyhow::Error::new(full).context("cannot write"))
                .contains("hint: free some space")
        );
        assert_eq!(
            code(&anyhow::Error::new(Usage("bad".into())).context("outer")),
            USAGE
        );
    }
}
