//! The long proofs, one module per capability, with the real models: `make accept`.
//! Each prints the seed that it drew from, what it drew, and how long it took.

#[allow(dead_code, reason = "the long proofs use a part of what the tests share")]
#[path = "../it/support.rs"]
mod support;

mod killed;
