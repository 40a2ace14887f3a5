//! Limits of key points, for both ways of finding them.

/// The role that finds them.
pub const ROLE: &str = "keypoints";
/// Longest key point in characters.
pub const LONGEST: usize = 1000;
/// Shorter spans, in words, prove nothing; a Han character is a word.
pub const FEWEST_WORDS: usize = 4;
