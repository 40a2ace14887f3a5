//! A language with the time in which it is spoken.

use serde::{Deserialize, Serialize};

use crate::data::Ms;

/// A stretch of a talk in one language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LanguageSpan {
    /// Where it begins.
    pub start: Ms,
    /// Where it ends.
    pub end: Ms,
    /// BCP 47 tag.
    pub language: String,
}
