//! The integration tests: the real program, in real folders, against loopback. One module for each part.
#![allow(missing_docs, reason = "tests document themselves by their names")]

mod llm;
mod pipeline;
mod support;
mod transcribe;
