//! The integration tests: the real program, in real folders, against loopback.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![allow(missing_docs, reason = "tests document themselves by their names")]

mod llm;
mod pipeline;
mod support;
