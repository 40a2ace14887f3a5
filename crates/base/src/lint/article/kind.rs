//! The kinds of faults, each with the criterion of Wiki Live Challenge that it is a sign against.

use serde::{Deserialize, Serialize};

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Praise on the article's own authority.
    Puffery,
    /// A name for people or ideas that carries a verdict.
    ContentiousLabel,
    /// An opinion or a finding of nobody in particular.
    Unattributed,
    /// A word that casts doubt without a doubter.
    Doubt,
    /// A remark from the side.
    Editorializing,
    /// A verb of saying that judges the speaker or the statement.
    LoadedSaid,
    /// A softening word.
    Euphemism,
    /// A saying or a worn-out image.
    Cliche,
    /// A time that depends on the day of writing.
    RelativeTime,
    /// A place, an event or a frequency that is not named.
    VaguePlace,
    /// The formula of obituaries.
    SurvivedBy,
    /// No running text before the first section, or one that is divided.
    DividedLead,
    /// A lead without a citation in an article that has some.
    UnsourcedLead,
    /// A figure or a date of the lead that the rest does not have.
    OnlyInLead,
    /// A lead that is too long for a summary.
    LongLead,
    /// A title that joins alternative names.
    CombinedTitle,
    /// A section without a citation in an article that has some.
    UncitedSection,
}

impl Kind {
    /// All kinds in order.
    pub const ALL: [Self; 17] = [
        Self::Puffery,
        Self::ContentiousLabel,
        Self::Unattributed,
        Self::Doubt,
        Self::Editorializing,
        Self::LoadedSaid,
        Self::Euphemism,
        Self::Cliche,
        Self::RelativeTime,
        Self::VaguePlace,
        Self::SurvivedBy,
        Self::DividedLead,
        Self::UnsourcedLead,
        Self::OnlyInLead,
        Self::LongLead,
        Self::CombinedTitle,
        Self::UncitedSection,
    ];

    /// The id of the criterion that a finding is a sign against; no criterion is about citations
    /// of sections.
    pub fn criterion(self) -> Option<&'static str> {
        Some(match self {
            Self::Puffery => "ww_wtw_1",
            Self::ContentiousLabel => "ww_wtw_2",
            Self::Unattributed => "ww_wtw_3",
            Self::Doubt => "ww_wtw_4",
            Self::Editorializing => "ww_wtw_5",
            Self::LoadedSaid => "ww_wtw_6",
            Self::Euphemism => "ww_wtw_7",
            Self::Cliche => "ww_wtw_8",
            Self::RelativeTime => "ww_wtw_9",
            Self::VaguePlace => "ww_wtw_10",
            Self::SurvivedBy => "ww_wtw_11",
            Self::DividedLead => "ww_ls_1",
            Self::UnsourcedLead => "ww_ls_6",
            Self::OnlyInLead => "ww_ls_7",
            Self::LongLead => "ww_ls_2",
            Self::CombinedTitle => "n_10",
            Self::UncitedSection => return None,
        })
    }

    /// Whether word lists find it; they are English, all else is of any language.
    pub fn is_of_words(self) -> bool {
        self <= Self::SurvivedBy
    }

    /// The fault in one clause, without its words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Puffery => "praise that nobody is named for",
            Self::ContentiousLabel => "a label that carries a verdict",
            Self::Unattributed => "an opinion or finding of nobody in particular",
            Self::Doubt => "doubt without a doubter",
            Self::Editorializing => "a remark of the writer's own",
            Self::LoadedSaid => "a verb of saying that judges",
            Self::Euphemism => "a softening expression",
            Self::Cliche => "a saying or worn-out image",
            Self::RelativeTime => "a time that depends on the day of writing",
            Self::VaguePlace => "a place, event or frequency that is not named",
            Self::SurvivedBy => "the formula of obituaries",
            Self::DividedLead => "no undivided lead before the first section",
            Self::UnsourcedLead => "the lead cites nothing, the rest does",
            Self::OnlyInLead => "a figure or date that only the lead has",
            Self::LongLead => "a lead that is too long for a summary",
            Self::CombinedTitle => "a title that joins alternative names",
            Self::UncitedSection => "a section that cites nothing",
        }
    }
}
