//! A finding: its place and what is wrong there.

use std::fmt;

use serde::Serialize;

use crate::benchmarks::live_research_bench::{Criterion, depth::Decision};

/// Place of a finding; what it does not say concerns all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The evaluated model.
    pub model: Option<String>,
    /// Bare id of the query.
    pub query: Option<String>,
    /// The criterion.
    pub criterion: Option<Criterion>,
    /// The field, inside the block where there is a criterion.
    pub field: Option<String>,
}

impl Place {
    /// A finding here, or at a field of it.
    pub(super) fn finding(&self, field: Option<&str>, kind: Kind) -> Finding {
        let mut place = self.clone();
        if let Some(field) = field {
            place.field = Some(field.to_owned());
        }
        Finding { place, kind }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let criterion = self.criterion.map(Criterion::word);
        let parts = [
            ("model", self.model.as_deref()),
            ("query", self.query.as_deref()),
            ("criterion", criterion),
            ("field", self.field.as_deref()),
        ];
        let mut said = false;
        for (name, part) in parts {
            let Some(part) = part else { continue };
            let comma = if said { ", " } else { "" };
            write!(f, "{comma}{name} `{part}`")?;
            said = true;
        }
        if said {
            Ok(())
        } else {
            f.write_str("the file")
        }
    }
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Where.
    pub place: Place,
    /// What.
    #[serde(flatten)]
    pub kind: Kind,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.kind)
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "finding", rename_all = "snake_case")]
pub enum Kind {
    /// An entry is no report, or names no model or no query.
    NoReport,
    /// A model and a query stand in the file several times.
    RepeatedReport {
        /// How many times.
        times: usize,
    },
    /// The same grade stands with several models.
    CopiedGrade {
        /// The models.
        models: Vec<String>,
    },
    /// A report has no block, and so silently leaves the mean.
    Ungraded,
    /// A block is no object.
    BrokenBlock,
    /// A block holds an error instead of a grade, and is taken for a result when a run goes on.
    GradingFailed {
        /// The error.
        error: String,
    },
    /// A field is of another kind than the format says.
    OtherKind {
        /// What stands there.
        why: String,
    },
    /// The facts of a block are not there: no list of issues, no items, no dimensions.
    FactsMissing,
    /// The stored score is not the rubric's for the listed issues.
    ScoreOffRubric {
        /// The stored score.
        stored: f64,
        /// The rubric's.
        rubric: u8,
        /// Number of listed issues.
        issues: usize,
    },
    /// The stored number of issues is not the length of the list.
    IssuesMiscounted {
        /// The stored number.
        stored: u64,
        /// The length of the list.
        listed: usize,
    },
    /// A pass rate is above 100 %.
    RateAboveAll {
        /// The stored rate.
        stored: f64,
    },
    /// A pass rate is not that of the items.
    RateOffItems {
        /// The stored rate.
        stored: f64,
        /// The items' rate.
        items: f64,
    },
    /// Items of the checklist were not judged, and so count as failed.
    ItemsMissing {
        /// How many.
        missing: u64,
        /// Items of the checklist.
        of: u64,
    },
    /// Judged items are not on the checklist, and so may raise the rate.
    ItemsUnknown {
        /// How many.
        unknown: usize,
        /// The first of their keys.
        keys: Vec<String>,
    },
    /// An item has no score, or another one than 0 and 1.
    ItemUnread,
    /// The length of the query's checklist is not known, so that nothing can be checked.
    ChecklistUnknown,
    /// The stored winner is not that of the totals under the tie rule.
    WinnerOffTotals {
        /// The stored decision for the evaluated model.
        stored: Decision,
        /// The decision of the totals.
        totals: Decision,
    },
    /// A comparison names no winner; the benchmark counts it as a tie.
    WinnerMissing,
    /// The stored winner is not the one that the judge named.
    WinnerOffReply {
        /// The stored decision for the evaluated model.
        stored: Decision,
        /// The judge's.
        reply: Decision,
    },
    /// A stored total is not the sum of the dimensions.
    TotalOffDimensions {
        /// The stored total.
        stored: f64,
        /// The sum.
        sum: f64,
    },
    /// A dimension's score is missing or not from 0 to 5.
    DimensionsUnread,
    /// A comparison was made in one order only.
    OneOrder,
    /// A block is about another model's report.
    OtherModelsGrade {
        /// The model that the block names.
        named: String,
    },
    /// A win rate of zero with no decisive game: there is no rate.
    UndecidedAsZero,
    /// A win rate is not that of its games.
    RateOffGames {
        /// The stored rate.
        stored: f64,
        /// The games'.
        games: f64,
    },
    /// The stored number of games is not the sum of wins, losses and ties.
    GamesMiscounted {
        /// The stored number.
        stored: u64,
        /// The sum.
        games: u64,
    },
    /// An average is one judge's value, and does not say so.
    OneJudgeUnmarked,
    /// An average is not the mean of its judges' means.
    MeanOffJudges {
        /// The stored average.
        stored: f64,
        /// The mean of the judges' means.
        judges: f64,
    },
    /// An average of two judges has the counts of one.
    CountsOfOneJudge {
        /// The stored count.
        stored: u64,
        /// The other judge's.
        other: u64,
    },
    /// A summary's mean is not that of the facts.
    MeanOffFacts {
        /// The stored mean.
        stored: f64,
        /// The mean of the facts; none where nothing has a score.
        facts: Option<f64>,
    },
    /// A summary's count is not that of the reports with a score.
    CountOffFacts {
        /// The stored count.
        stored: u64,
        /// Reports with a score, or games.
        facts: u64,
    },
}

impl Kind {
    /// The word of the kind, by which findings are counted.
    pub fn word(&self) -> &'static str {
        match self {
            Self::NoReport => "no_report",
            Self::RepeatedReport { .. } => "repeated_report",
            Self::CopiedGrade { .. } => "copied_grade",
            Self::Ungraded => "ungraded",
            Self::BrokenBlock => "broken_block",
            Self::GradingFailed { .. } => "grading_failed",
            Self::OtherKind { .. } => "other_kind",
            Self::FactsMissing => "facts_missing",
            Self::ScoreOffRubric { .. } => "score_off_rubric",
            Self::IssuesMiscounted { .. } => "issues_miscounted",
            Self::RateAboveAll { .. } => "rate_above_all",
            Self::RateOffItems { .. } => "rate_off_items",
            Self::ItemsMissing { .. } => "items_missing",
            Self::ItemsUnknown { .. } => "items_unknown",
            Self::ItemUnread => "item_unread",
            Self::ChecklistUnknown => "checklist_unknown",
            Self::WinnerOffTotals { .. } => "winner_off_totals",
            Self::WinnerMissing => "winner_missing",
            Self::WinnerOffReply { .. } => "winner_off_reply",
            Self::TotalOffDimensions { .. } => "total_off_dimensions",
            Self::DimensionsUnread => "dimensions_unread",
            Self::OneOrder => "one_order",
            Self::OtherModelsGrade { .. } => "other_models_grade",
            Self::UndecidedAsZero => "undecided_as_zero",
            Self::RateOffGames { .. } => "rate_off_games",
            Self::GamesMiscounted { .. } => "games_miscounted",
            Self::OneJudgeUnmarked => "one_judge_unmarked",
            Self::MeanOffJudges { .. } => "mean_off_judges",
            Self::CountsOfOneJudge { .. } => "counts_of_one_judge",
            Self::MeanOffFacts { .. } => "mean_off_facts",
            Self::CountOffFacts { .. } => "count_off_facts",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoReport => f.write_str("no report with a model and a query"),
            Self::RepeatedReport { times } => write!(f, "stands in the file {times} times"),
            Self::CopiedGrade { models } => {
                write!(f, "the same grade stands with {} models: `", models.len())?;
                write!(f, "{}`", models.join("`, `"))
            }
            Self::Ungraded => f.write_str("not graded"),
            Self::BrokenBlock => f.write_str("the grading block is no object"),
            Self::GradingFailed { error } => write!(f, "grading failed: `{error}`"),
            Self::OtherKind { why } => f.write_str(why),
            Self::FactsMissing => f.write_str("nothing in the block bears the grade out"),
            Self::ScoreOffRubric {
                stored,
                rubric,
                issues,
            } => {
                let issues = counted(*issues, "issue");
                write!(f, "score {stored}, where {issues} score {rubric}")
            }
            Self::IssuesMiscounted { stored, listed } => {
                let stored = counted(*stored as usize, "issue");
                write!(f, "{stored} counted, {listed} listed")
            }
            Self::RateAboveAll { stored } => write!(f, "a pass rate of {stored} %"),
            Self::RateOffItems { stored, items } => {
                write!(
                    f,
                    "a pass rate of {stored} %, where the items give {items:.1} %"
                )
            }
            Self::ItemsMissing { missing, of } => write!(f, "{missing} of {of} items not judged"),
            Self::ItemsUnknown { unknown, keys } => {
                write!(f, "{unknown} judged items not on the checklist, such as `")?;
                write!(f, "{}`", keys.join("`, `"))
            }
            Self::ItemUnread => f.write_str("a score other than 0 and 1"),
            Self::ChecklistUnknown => f.write_str("the checklist's length is not known"),
            Self::WinnerOffTotals { stored, totals } => {
                write!(
                    f,
                    "a {} where the totals give a {}",
                    stored.word(),
                    totals.word()
                )
            }
            Self::WinnerMissing => f.write_str("no winner"),
            Self::WinnerOffReply { stored, reply } => {
                write!(
                    f,
                    "a {} where the judge said {}",
                    stored.word(),
                    reply.word()
                )
            }
            Self::TotalOffDimensions { stored, sum } => {
                write!(f, "a total of {stored}, where the dimensions sum to {sum}")
            }
            Self::DimensionsUnread => f.write_str("a dimension without a score from 0 to 5"),
            Self::OneOrder => f.write_str("compared in one order only"),
            Self::OtherModelsGrade { named } => write!(f, "the grade is about `{named}`"),
            Self::UndecidedAsZero => f.write_str("a win rate of 0 with no decisive game"),
            Self::RateOffGames { stored, games } => {
                write!(
                    f,
                    "a win rate of {stored} %, where the games give {games:.1} %"
                )
            }
            Self::GamesMiscounted { stored, games } => {
                write!(f, "{stored} games counted, where the parts sum to {games}")
            }
            Self::OneJudgeUnmarked => f.write_str("one judge's value stands as an average"),
            Self::MeanOffJudges { stored, judges } => {
                write!(
                    f,
                    "an average of {stored}, where the judges give {judges:.2}"
                )
            }
            Self::CountsOfOneJudge { stored, other } => {
                write!(
                    f,
                    "a count of {stored}, which is one judge's; the other has {other}"
                )
            }
            Self::MeanOffFacts { stored, facts } => match facts {
                Some(facts) => write!(f, "a mean of {stored}, where the facts give {facts:.2}"),
                None => write!(f, "a mean of {stored}, where nothing has a score"),
            },
            Self::CountOffFacts { stored, facts } => {
                write!(f, "a count of {stored}, where the facts give {facts}")
            }
        }
    }
}

/// `1 issue`, `2 issues`.
fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
