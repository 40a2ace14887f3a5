//! Integration tests, one module for each command or tool.

mod transcribe;
