//! `taskgen serve`: the real program, asked as a browser asks it. Scripts and looks are for the long
//! proofs, in a real browser (`tests/accept/server_pages.rs`).

mod browse;
mod guards;
mod people;
pub mod serving;
