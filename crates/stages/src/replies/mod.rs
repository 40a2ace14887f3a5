//! Replies of models, good and bad ones, that the tests of several stages read.

pub mod good;
pub mod planted;
