//! The long proofs, one module per capability: `make accept`.
//! Each prints the seed that it drew from, what it drew, and how long it took.
#![allow(clippy::unwrap_used, reason = "proofs stop where they cannot go on")]
#![allow(clippy::print_stdout, reason = "proofs say what they found")]

mod browser;
#[allow(
    dead_code,
    reason = "the long proofs use a part of what the tests share"
)]
#[path = "../it/deep_eval/reports.rs"]
mod changed_reports;
mod deep_eval_local;
mod devices;
mod evaluation_local;
mod evaluation_pages;
mod evaluation_scale;
#[path = "../it/faults.rs"]
mod faults;
mod hostile_documents;
mod hostile_kills;
mod killed;
mod large_models;
mod long_talks;
mod many_shards;
#[allow(dead_code, reason = "each of those who share this uses a part")]
#[path = "../it/planted.rs"]
mod planted;
#[allow(
    dead_code,
    reason = "the long proofs use a part of what the tests share"
)]
#[path = "../it/pool/model.rs"]
mod pool_model;
mod pool_scale;
mod server_hostile;
mod server_pages;
mod server_scale;
#[allow(
    dead_code,
    reason = "the long proofs use a part of what the tests share"
)]
#[path = "../it/server/serving.rs"]
mod serving;
#[allow(dead_code, reason = "what the tests share answers as its judges do")]
#[path = "../it/small_web/mod.rs"]
mod small_web;
#[allow(
    dead_code,
    reason = "the long proofs use a part of what the tests share"
)]
#[path = "../it/support/mod.rs"]
mod support;
mod tasks_page;
mod weighing;
mod wiki_judge;
