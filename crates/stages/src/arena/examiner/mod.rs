//! What code checks for the examiner: that a question does not name what it asks about, that its
//! rubric rests on the pages word by word, how long answers are, and what the rubric says of a
//! verdict.

pub mod leak;
pub mod length;
pub mod rubric;
