//! The integration tests: the real program, in real folders, against loopback; and the rules of the house.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![allow(missing_docs, reason = "tests document themselves by their names")]

mod architecture;
mod pipeline;
mod source;
mod support;
