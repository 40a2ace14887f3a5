//! How far recognised text can be believed: repetitions are cut, invented text is told from speech,
//! and what stays doubtful is noted.

pub mod diagnostics;
pub mod hallucination;
pub mod issues;
pub mod repetition;
pub mod token_logprobs;
