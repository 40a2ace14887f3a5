//! The integration tests: the real program, in real folders, against loopback. One module for each part, and one for the
//! rules of the house.
#![allow(missing_docs, reason = "tests document themselves by their names")]

mod architecture;
mod llm;
mod pipeline;
mod source;
mod support;
mod transcribe;
