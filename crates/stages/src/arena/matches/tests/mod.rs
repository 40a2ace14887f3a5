//! The loop of a match: every verdict at every kind of place, failures, seats, and what follows
//! from events.

mod game;
mod loops;
mod properties;
mod table;
