//! The rules of form. Each finding names one, so that findings can be counted by cause.

use serde::Serialize;

/// A rule of form, named by the fault that breaks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// An entry of the references that the text does not cite.
    UncitedEntry,
    /// A citation without an entry.
    DanglingCitation,
    /// Citations that point into a list of references, and no such list.
    NoReferences,
    /// A further list of references.
    SecondReferences,
    /// A heading of references with nothing below it.
    EmptyReferences,
    /// An entry that breaks the order of its list.
    UnorderedEntry,
    /// A citation in another style than most of the report.
    MixedStyle,
    /// A table without rows.
    NoRows,
    /// A row with more or fewer cells than the head.
    RaggedRow,
    /// A row without content.
    EmptyRow,
    /// A column without content.
    EmptyColumn,
    /// A cell or figure that was to be filled in later.
    Placeholder,
    /// An image that leads nowhere.
    NoImage,
    /// A line in bold face in place of a heading.
    BoldHeading,
    /// A heading without a blank behind its `#`.
    UnspacedHeading,
    /// More than six `#`.
    TooDeepHeading,
    /// A heading without text.
    EmptyHeading,
    /// A heading more than one level below the one before.
    SkippedLevel,
    /// Rows that no table has: no delimiter row is below the first.
    NoDelimiterRow,
    /// A delimiter row with more or fewer cells than the head.
    WrongDelimiterRow,
    /// A number that the list of references leaves out.
    NumberGap,
    /// A number that an earlier entry has.
    DuplicateNumber,
    /// An address that an earlier entry has.
    DuplicateUrl,
    /// A word that stands twice in a row.
    DoubledWord,
    /// Characters that were read in another encoding.
    BrokenEncoding,
    /// What a model or an editor left behind.
    LeftOver,
    /// A bracket that is opened and not closed on its line.
    UnclosedBracket,
}
