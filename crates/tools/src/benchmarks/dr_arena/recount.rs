//! A replay counted again: points from the verdicts, why it ended, the moves between its rounds,
//! and the bounds of its answers.

use std::collections::BTreeMap;

use super::{
    files::{Replay, ReplayRound},
    moves::{Place, Signal, Step, allowed},
    seats::whole_points,
};
use crate::{
    benchmarks::fields::excerpt,
    data::arena::{AnswerLength, DuelLabel, FailureTag, Score, TieQuality},
};

/// Points between both at which a battle ends.
const MARGIN: u32 = 2;
/// Rounds at most.
const MOST_ROUNDS: u64 = 10;
/// Findings of all replays that are told one by one; the others are counted.
const MOST_FINDINGS: usize = 1_000;

/// Why a battle ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stop {
    /// One led by the margin.
    Margin,
    /// All rounds were played.
    RoundLimit,
    /// Neither: the log ends, or a verdict is missing.
    Unclear,
}

/// Something that a replay says and that does not follow from its verdicts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A verdict that is none of the five.
    Verdict(String),
    /// A tag that is none of the four.
    Tag(String),
    /// A quality of a tie that is neither of both.
    TieQuality(String),
    /// A field without which the round says nothing.
    Missing(&'static str),
    /// The points after the round are others.
    Points {
        /// As the file has them.
        stored: Score,
        /// As they are.
        counted: Score,
    },
    /// The loop went where it may not.
    Move {
        /// What the verdict said.
        signal: Signal,
        /// Where the question was.
        from: Place,
        /// Where the next one was.
        to: Place,
    },
    /// The judge was told another bound than the formula has.
    Limit {
        /// As the file has it.
        stored: u64,
        /// As it is.
        most: u32,
    },
    /// The battle went on although one led by the margin.
    WentOn,
}

/// A finding with its replay and round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Name of the replay.
    pub replay: String,
    /// Number of the round.
    pub round: u64,
    /// What it is.
    pub kind: Kind,
}

/// Figures of many replays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayFigures {
    /// Replays.
    pub replays: usize,
    /// Rounds.
    pub rounds: usize,
    /// Verdicts by label.
    pub verdicts: BTreeMap<DuelLabel, usize>,
    /// Ties by quality; none for those without.
    pub ties: BTreeMap<Option<TieQuality>, usize>,
    /// Tags.
    pub tags: BTreeMap<FailureTag, usize>,
    /// Replays by the number of their last round.
    pub lengths: BTreeMap<u64, usize>,
    /// Ends by cause.
    pub stops: BTreeMap<Stop, usize>,
    /// Moves between two rounds.
    pub moves: BTreeMap<(Signal, Step), usize>,
    /// Moves that the loop may make.
    pub allowed: usize,
    /// Rounds with a bound for the judge, and those in which it is the formula's.
    pub limits: (usize, usize),
    /// Rounds with an instruction for the agents, and those in which it is not the formula's.
    pub instructions: (usize, usize),
    /// What does not follow, the first ones.
    pub findings: Vec<Finding>,
    /// Findings beyond those.
    pub untold: usize,
}

impl ReplayFigures {
    /// Moves between two rounds.
    pub fn all_moves(&self) -> usize {
        self.moves.values().sum()
    }

    /// Findings of a kind.
    pub fn count(&self, is_kind: impl Fn(&Kind) -> bool) -> usize {
        let findings = self.findings.iter();
        findings.filter(|finding| is_kind(&finding.kind)).count()
    }

    /// Counts a replay.
    pub fn add(&mut self, replay: &Replay) {
        let id = replay.id.get().map_or("", String::as_str);
        let rounds: Vec<&ReplayRound> = replay
            .rounds
            .get()
            .into_iter()
            .flatten()
            .filter_map(|round| round.get().map(|round| &**round))
            .collect();
        self.replays += 1;
        self.rounds += rounds.len();
        let last = rounds.last().and_then(|round| round.round.get()).copied();
        *self.lengths.entry(last.unwrap_or_default()).or_default() += 1;
        let mut score = Some(Score::default());
        for (at, round) in rounds.iter().enumerate() {
            let number = round.round.get().copied().unwrap_or_default();
            let mut told = Told {
                figures: self,
                replay: id,
                round: number,
            };
            let verdict = told.verdict(round);
            score = score
                .zip(verdict.map(|(label, _)| label))
                .map(|(score, label)| add(score, label));
            told.points(round, score);
            told.limits(round);
            let next = rounds.get(at + 1);
            if next.is_some() && score.is_some_and(|score| score.margin() >= MARGIN) {
                told.finding(Kind::WentOn);
            }
            if let (Some((_, signal)), Some(next)) = (verdict, next) {
                told.moved(signal, place(round), place(next));
            }
        }
        let stop = match (score, last) {
            (Some(score), _) if score.margin() >= MARGIN => Stop::Margin,
            (Some(_), Some(last)) if last >= MOST_ROUNDS => Stop::RoundLimit,
            _ => Stop::Unclear,
        };
        *self.stops.entry(stop).or_default() += 1;
    }
}

fn add(score: Score, label: DuelLabel) -> Score {
    let points = label.points();
    match label.winner() {
        Some(crate::data::Side::A) => Score {
            a: score.a + points,
            ..score
        },
        Some(crate::data::Side::B) => Score {
            b: score.b + points,
            ..score
        },
        None => score,
    }
}

fn place(round: &ReplayRound) -> Option<Place> {
    let number = |field: Option<&u64>| i64::try_from(*field?).ok();
    Some(Place {
        level: number(round.depth.get())?,
        width: number(round.width.get())?,
    })
}

/// One round on its way into the figures.
struct Told<'a> {
    figures: &'a mut ReplayFigures,
    replay: &'a str,
    round: u64,
}

impl Told<'_> {
    fn finding(&mut self, kind: Kind) {
        if self.figures.findings.len() >= MOST_FINDINGS {
            self.figures.untold += 1;
            return;
        }
        self.figures.findings.push(Finding {
            replay: excerpt(self.replay),
            round: self.round,
            kind,
        });
    }

    /// The verdict and what the loop makes of it; none where it is none of the five.
    fn verdict(&mut self, round: &ReplayRound) -> Option<(DuelLabel, Signal)> {
        let Some(written) = round.verdict.get() else {
            self.finding(Kind::Missing("verdict"));
            return None;
        };
        let Some(label) = label(written) else {
            self.finding(Kind::Verdict(excerpt(written)));
            return None;
        };
        *self.figures.verdicts.entry(label).or_default() += 1;
        let written = round.failure_type.get().map_or("", String::as_str);
        let tag = tag(written);
        match tag {
            Some(tag) => *self.figures.tags.entry(tag).or_default() += 1,
            None => self.finding(Kind::Tag(excerpt(written))),
        }
        let tie = if label == DuelLabel::Tie {
            let written = round.tie_quality.get().map_or("", String::as_str);
            let quality = quality(written);
            *self.figures.ties.entry(quality).or_default() += 1;
            if quality.is_none() {
                self.finding(Kind::TieQuality(excerpt(written)));
            }
            quality
        } else {
            None
        };
        // A tie's tag moves nothing, so that a tie without one has its signal.
        let tag = tag.or((label == DuelLabel::Tie).then_some(FailureTag::None))?;
        Some((label, Signal::of(label, tie, tag)))
    }

    fn points(&mut self, round: &ReplayRound, counted: Option<Score>) {
        let points = |field: Option<&serde_json::Number>| field.and_then(whole_points);
        let stored = points(round.score_a.get()).zip(points(round.score_b.get()));
        let stored = stored.map(|(a, b)| Score { a, b });
        match (stored, counted) {
            (None, _) => self.finding(Kind::Missing("score")),
            (Some(stored), Some(counted)) if stored != counted => {
                self.finding(Kind::Points { stored, counted });
            }
            _ => {}
        }
    }

    fn limits(&mut self, round: &ReplayRound) {
        let bounds = place(round).and_then(|place| {
            let level = u32::try_from(place.level).ok()?;
            Some(AnswerLength::at(u32::try_from(place.width).ok()?, level))
        });
        let Some(bounds) = bounds else {
            return;
        };
        if let Some(stored) = round.judge_max_limit.get().copied() {
            self.figures.limits.0 += 1;
            if stored == u64::from(bounds.most) {
                self.figures.limits.1 += 1;
            } else {
                let most = bounds.most;
                self.finding(Kind::Limit { stored, most });
            }
        }
        if let Some(instruction) = round.word_limit_instruction.get() {
            let differs = bounds_in(instruction) != Some((bounds.least, bounds.most));
            self.figures.instructions.0 += 1;
            self.figures.instructions.1 += usize::from(differs);
        }
    }

    fn moved(&mut self, signal: Signal, from: Option<Place>, to: Option<Place>) {
        let Some((from, to)) = from.zip(to) else {
            self.finding(Kind::Missing("depth"));
            return;
        };
        let step = Step::between(from, to);
        *self.figures.moves.entry((signal, step)).or_default() += 1;
        if allowed(from, signal).contains(&step) {
            self.figures.allowed += 1;
        } else {
            self.finding(Kind::Move { signal, from, to });
        }
    }
}

/// The label of a written verdict; none for any other text.
pub fn label(written: &str) -> Option<DuelLabel> {
    let bare = written.trim().trim_matches(['[', ']']);
    if bare.eq_ignore_ascii_case("tie") {
        return Some(DuelLabel::Tie);
    }
    DuelLabel::ALL
        .into_iter()
        .find(|label| label.word() == bare)
}

fn tag(written: &str) -> Option<FailureTag> {
    let bare = written.trim();
    let known = FailureTag::ALL.into_iter().find(|tag| tag.word() == bare);
    // The words of the paper's second version.
    known.or(match bare {
        "DEPTH" => Some(FailureTag::Deep),
        "WIDTH" => Some(FailureTag::Wide),
        _ => None,
    })
}

fn quality(written: &str) -> Option<TieQuality> {
    match written.trim() {
        "LOW" => Some(TieQuality::Low),
        "HIGH" => Some(TieQuality::High),
        _ => None,
    }
}

/// The two numbers of an instruction such as `Answer length: 200-300 words.`; none where there are
/// not two.
fn bounds_in(instruction: &str) -> Option<(u32, u32)> {
    let numbers = instruction.split(|c: char| !c.is_ascii_digit());
    let mut numbers = numbers.filter(|number| !number.is_empty());
    let (least, most) = (numbers.next()?, numbers.next()?);
    let bounds = (least.parse().ok()?, most.parse().ok()?);
    numbers.next().is_none().then_some(bounds)
}
