//! Here are the files of Wiki Live Challenge (arXiv 2602.01590), in which agents write articles
//! that are compared with good articles of Wikipedia: what do they say, do their figures follow
//! from their verdicts, and what is wrong in them? Knows the benchmark's folders, reads and writes
//! its files byte for byte, computes figures again from what the judges said, finds what a run
//! would stumble over, reads texts as the benchmark's own code does ([`compat`]), and finds
//! articles that cite or copy the page that they are compared with ([`leak`]). Gets bytes and
//! names; opens nothing.
//!
//! A verdict that is not there or cannot be read is unscored with a cause. The benchmark's own
//! rule, by which it is a tie or no support, is kept beside ours, so that stored figures can be
//! checked.

pub mod aggregate;
pub mod compat;
pub mod doctor;
pub mod edition;
pub mod files;
pub mod layout;
pub mod leak;
pub mod made;
#[cfg(test)]
mod tests;
