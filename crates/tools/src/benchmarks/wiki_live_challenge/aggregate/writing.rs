//! Win rates on writing, by category and over all criteria. Knows which article stood first, so
//! that exchanging the articles changes no figure.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::{Cause, Counting, Unscored, share, stored_share};
use crate::benchmarks::wiki_live_challenge::files::{
    CriterionVerdict, Field, Named, WinCounts, Winner, WritingFile, WritingSummary,
};

/// Category of the benchmark's rubric with its criteria.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Category {
    /// Name in files.
    pub name: &'static str,
    /// Number of its first criterion.
    pub first: u64,
    /// How many criteria it has.
    pub criteria: usize,
}

/// The three categories, in the order of the rubric.
pub const CATEGORIES: [Category; 3] = [
    Category {
        name: "Well-written",
        first: 0,
        criteria: 21,
    },
    Category {
        name: "Broad in its coverage",
        first: 21,
        criteria: 8,
    },
    Category {
        name: "Neutral",
        first: 29,
        criteria: 10,
    },
];

/// Name of the figures over all categories.
pub const OVERALL: &str = "overall";

impl Category {
    /// Whether a criterion is one of the category.
    pub fn has(&self, criterion: u64) -> bool {
        (self.first..self.first + self.criteria as u64).contains(&criterion)
    }
}

/// Wins of a category or of several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Wins {
    /// Criteria on which the candidate is better.
    pub gen_wins: usize,
    /// Criteria on which Wikipedia is better.
    pub gt_wins: usize,
    /// Criteria with neither.
    pub ties: usize,
    /// Criteria without a verdict.
    pub unscored: Unscored,
}

impl Wins {
    /// Criteria with a verdict.
    pub fn scored(&self) -> usize {
        self.gen_wins + self.gt_wins + self.ties
    }

    /// All criteria.
    pub fn total(&self) -> usize {
        self.scored() + self.unscored.total()
    }

    /// Share of the candidate's wins among the scored; ties count below the line.
    pub fn rate(&self) -> Option<f64> {
        share(self.gen_wins, self.scored())
    }

    /// Counts those of another part, too.
    pub fn join(&mut self, other: &Self) {
        self.gen_wins += other.gen_wins;
        self.gt_wins += other.gt_wins;
        self.ties += other.ties;
        self.unscored.join(&other.unscored);
    }

    fn count(&mut self, verdict: Result<Winner, Cause>) {
        match verdict {
            Ok(Winner::Gen) => self.gen_wins += 1,
            Ok(Winner::Gt) => self.gt_wins += 1,
            Ok(Winner::Tie) => self.ties += 1,
            Err(cause) => self.unscored.add(cause, 1),
        }
    }

    /// The counts as files have them. Unscored criteria are told by cause in a field of ours and
    /// are no part of the rate.
    pub fn stored(&self) -> WinCounts {
        let mut counts = WinCounts {
            gen_wins: (self.gen_wins as u64).into(),
            gt_wins: (self.gt_wins as u64).into(),
            ties: (self.ties as u64).into(),
            total: (self.total() as u64).into(),
            gen_win_rate: stored_share(self.gen_wins, self.scored()).into(),
            ..WinCounts::default()
        };
        self.unscored.store(&mut counts.rest, "unscored");
        counts
    }
}

/// Figures of an article on writing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WritingFigures {
    /// By category, in the order of the file, missing categories last.
    pub categories: Vec<(String, Wins)>,
    /// Over all criteria.
    pub overall: Wins,
}

impl WritingFigures {
    /// The block `aggregate` of a file.
    pub fn stored(&self) -> Named<WinCounts> {
        let categories = self.categories.iter();
        let named = categories.map(|(name, wins)| (name.clone(), wins.stored().into()));
        let overall = (OVERALL.to_owned(), self.overall.stored().into());
        Named(named.chain([overall]).collect())
    }
}

/// Figures of a file.
///
/// Strictly, each criterion of the three categories counts once: one that the file does not have is
/// unscored, and so is a tie where none was offered.
pub fn writing(file: &WritingFile, counting: Counting) -> WritingFigures {
    let mut categories: Vec<(String, Wins)> = Vec::new();
    let details = file.details.get().into_iter().flat_map(|named| &named.0);
    for (name, verdicts) in details {
        let listed = verdicts.get().map(Vec::as_slice).unwrap_or_default();
        let wins = match counting {
            Counting::Compat => compat(file, listed),
            Counting::Strict => strict(file, name, listed),
        };
        categories.push((name.clone(), wins));
    }
    if counting == Counting::Strict {
        for category in CATEGORIES {
            if !categories.iter().any(|(name, _)| name == category.name) {
                let mut wins = Wins::default();
                wins.unscored.add(Cause::Missing, category.criteria);
                categories.push((category.name.to_owned(), wins));
            }
        }
    }
    let mut overall = Wins::default();
    for (_, wins) in &categories {
        overall.join(wins);
    }
    WritingFigures {
        categories,
        overall,
    }
}

/// The benchmark's own counting: whatever is no win is a tie.
fn compat(file: &WritingFile, listed: &[Field<CriterionVerdict>]) -> Wins {
    let mut wins = Wins::default();
    for verdict in listed {
        let winner = verdict.get().and_then(|verdict| {
            let coded = || of_code(*verdict.winner_code.get()?, first(file));
            verdict.winner.get().copied().or_else(coded)
        });
        wins.count(Ok(winner.unwrap_or(Winner::Tie)));
    }
    wins
}

fn strict(file: &WritingFile, name: &str, listed: &[Field<CriterionVerdict>]) -> Wins {
    let category = CATEGORIES.iter().find(|category| category.name == name);
    let mut wins = Wins::default();
    let mut judged: BTreeSet<u64> = BTreeSet::new();
    let mut unplaced = 0;
    for field in listed {
        let Some(verdict) = field.get() else {
            unplaced += 1;
            continue;
        };
        let known = |at: &u64| category.is_none_or(|category| category.has(*at));
        let Some(criterion) = verdict.criterion_index.get().copied().filter(known) else {
            unplaced += 1;
            continue;
        };
        if judged.insert(criterion) {
            wins.count(read(file, verdict));
        } else if category.is_none() {
            wins.unscored.add(Cause::Repeated, 1);
        }
    }
    // A criterion of a known category counts once, whatever stands beside it.
    let missing = category.map_or(unplaced, |category| category.criteria - judged.len());
    wins.unscored.add(Cause::Missing, missing);
    wins
}

/// A verdict, where its word and its code say the same.
fn read(file: &WritingFile, verdict: &CriterionVerdict) -> Result<Winner, Cause> {
    let word = match &verdict.winner {
        Field::Read(winner) => Some(*winner),
        Field::Absent | Field::Other(Value::Null) => None,
        Field::Other(_) => return Err(Cause::UnknownLabel),
    };
    let coded = match &verdict.winner_code {
        Field::Read(code) => Some(of_code(*code, first(file)).ok_or(Cause::UnknownLabel)?),
        Field::Absent | Field::Other(Value::Null) => None,
        Field::Other(_) => return Err(Cause::UnknownLabel),
    };
    let winner = match (word, coded) {
        (Some(word), Some(coded)) if word != coded => return Err(Cause::Contradictory),
        (Some(winner), _) | (None, Some(winner)) => winner,
        (None, None) => return Err(Cause::Missing),
    };
    let offered = file.allow_tie.get().copied().unwrap_or_default();
    if winner == Winner::Tie && !offered {
        return Err(Cause::TieNotOffered);
    }
    Ok(winner)
}

/// The article that stood first: Wikipedia's, where a file does not say.
pub fn first(file: &WritingFile) -> Winner {
    match file.first_article.get() {
        Some(Winner::Gen) => Winner::Gen,
        _ => Winner::Gt,
    }
}

/// The winner of a judge's answer, where `first` stood first.
pub fn of_code(code: u64, first: Winner) -> Option<Winner> {
    match (code, first) {
        (0, _) => Some(Winner::Tie),
        (1, Winner::Gen) | (2, Winner::Gt) => Some(Winner::Gen),
        (1, Winner::Gt) | (2, Winner::Gen) => Some(Winner::Gt),
        _ => None,
    }
}

/// The judge's answer for a winner, where `first` stood first.
pub fn code_of(winner: Winner, first: Winner) -> u64 {
    match winner {
        Winner::Tie => 0,
        winner if winner == first => 1,
        _ => 2,
    }
}

/// The same verdicts with the articles exchanged: what the file would be, had the other article
/// stood first and had the judge seen the same in both.
pub fn seats_swapped(file: &WritingFile) -> WritingFile {
    let mut swapped = file.clone();
    let other = match first(file) {
        Winner::Gen => Winner::Gt,
        _ => Winner::Gen,
    };
    swapped.first_article = other.into();
    let Field::Read(details) = &mut swapped.details else {
        return swapped;
    };
    for (_, verdicts) in &mut details.0 {
        let Field::Read(listed) = verdicts else {
            continue;
        };
        for field in listed {
            let Field::Read(verdict) = field else {
                continue;
            };
            if let Field::Read(code @ (1 | 2)) = &mut verdict.winner_code {
                *code = 3 - *code;
            }
        }
    }
    swapped
}

/// The summary of several articles, over all their criteria.
pub fn summary<'a>(
    articles: impl IntoIterator<Item = &'a WritingFigures>,
) -> (Wins, WritingSummary) {
    let mut wins = Wins::default();
    let mut count = 0_u64;
    for article in articles {
        wins.join(&article.overall);
        count += 1;
    }
    let stored = WritingSummary {
        total_articles: count.into(),
        total_gen_wins: (wins.gen_wins as u64).into(),
        total_gt_wins: (wins.gt_wins as u64).into(),
        total_ties: (wins.ties as u64).into(),
        gen_win_rate: stored_share(wins.gen_wins, wins.scored()).into(),
        ..WritingSummary::default()
    };
    (wins, stored)
}
