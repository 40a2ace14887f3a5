//! What passages are found for a question, and what they say of a claim.

mod retrieval;
mod support;
