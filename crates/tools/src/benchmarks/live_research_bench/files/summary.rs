//! Summaries: `summary_<time>.json` of one judge, and the averaged file of two, which is the same
//! format with more fields.

use serde_json::{Number, Value};

use super::{
    FileRead, Problem,
    field::{Fault, Field, FieldPath, Named, Object, Shape, record},
    read_object,
    reports::Metadata,
    write_object,
};
use crate::benchmarks::live_research_bench::{Criterion, depth::Games};

record! {
    /// File of a summary or of an average.
    SummaryFile {
        /// What was graded, by whom, and when.
        metadata: SummaryMetadata,
        /// Figures of each model.
        results_by_model: Named<CriterionFigures>,
        /// Figures of all models together.
        overall_results: CriterionFigures,
    }
}

record! {
    /// Metadata of a summary.
    SummaryMetadata {
        /// Provider of the judge.
        provider: String,
        /// The judge.
        model: String,
        /// When it was graded.
        graded_at: String,
        /// Number of reports.
        total_reports: u64,
        /// Names of the criteria.
        criteria_evaluated: Vec<Value>,
        /// Metadata of the file of reports.
        input_metadata: Metadata,
        /// The two summaries of an average; only an averaged file has it.
        averaged_from: AveragedFrom,
    }
}

record! {
    /// The two summaries that were averaged.
    AveragedFrom {
        /// File of the first.
        file_a: String,
        /// Provider of the first judge.
        provider_a: String,
        /// The first judge.
        model_a: String,
        /// File of the second.
        file_b: String,
        /// Provider of the second judge.
        provider_b: String,
        /// The second judge.
        model_b: String,
    }
}

record! {
    /// Figures by criterion.
    CriterionFigures {
        /// Of presentation.
        presentation: Box<PointwiseFigures>,
        /// Of coverage.
        coverage: Box<PointwiseFigures>,
        /// Of consistency.
        consistency: Box<PointwiseFigures>,
        /// Of citation association.
        citation: Box<PointwiseFigures>,
        /// Of depth.
        depth: Box<DepthFigures>,
    }
}

impl CriterionFigures {
    /// Figures of a criterion with scores; depth has none.
    pub fn pointwise(&self, criterion: Criterion) -> Option<&PointwiseFigures> {
        match criterion {
            Criterion::Presentation => self.presentation.get().map(Box::as_ref),
            Criterion::Coverage => self.coverage.get().map(Box::as_ref),
            Criterion::Consistency => self.consistency.get().map(Box::as_ref),
            Criterion::Citation => self.citation.get().map(Box::as_ref),
            Criterion::Depth => None,
        }
    }

    /// Sets the figures of a criterion with scores.
    pub fn set_pointwise(&mut self, criterion: Criterion, figures: PointwiseFigures) {
        match criterion {
            Criterion::Presentation => self.presentation = Box::new(figures).into(),
            Criterion::Coverage => self.coverage = Box::new(figures).into(),
            Criterion::Consistency => self.consistency = Box::new(figures).into(),
            Criterion::Citation => self.citation = Box::new(figures).into(),
            Criterion::Depth => {}
        }
    }
}

record! {
    /// Figures of a criterion with scores.
    PointwiseFigures {
        /// Mean score; the mean of two judges' means in an averaged file.
        mean: Option<Number>,
        /// Mean by the first judge.
        mean_a: Option<Number>,
        /// Mean by the second judge.
        mean_b: Option<Number>,
        /// Number of scores.
        count: u64,
        /// Number of scores by the first judge. Ours: the benchmark keeps one count for both.
        count_a: u64,
        /// Number of scores by the second judge. Ours.
        count_b: u64,
        /// Lowest score.
        min: Option<Number>,
        /// Highest score.
        max: Option<Number>,
        /// `judge_a` or `judge_b` where the mean is one judge's alone. Ours: the benchmark does not
        /// tell.
        only_judge: String,
    }
}

record! {
    /// Figures of depth.
    DepthFigures {
        /// Decisions for the evaluated model.
        wins: u64,
        /// Decisions for the reference.
        losses: u64,
        /// Decisions for neither.
        ties: u64,
        /// All decisions.
        total: u64,
        /// Decisions that are no tie.
        decisive_games: u64,
        /// Percentage of wins among the decisive; the mean of two rates in an averaged file.
        win_rate: Option<Number>,
        /// The reference.
        reference_model: String,
        /// Games of each judge; only an averaged file has it.
        by_judge: ByJudge,
        /// `judge_a` or `judge_b` where the rate is one judge's alone. Ours.
        only_judge: String,
    }
}

record! {
    /// Games of two judges.
    ByJudge {
        /// Of the first.
        judge_a: JudgeGames,
        /// Of the second.
        judge_b: JudgeGames,
    }
}

record! {
    /// Games of a judge.
    JudgeGames {
        /// Provider of the judge.
        provider: String,
        /// The judge.
        model: String,
        /// Percentage of wins among the decisive.
        win_rate: Option<Number>,
        /// Decisions for the evaluated model.
        wins: u64,
        /// Decisions for the reference.
        losses: u64,
        /// Decisions for neither.
        ties: u64,
        /// Decisions that are no tie.
        decisive_games: u64,
    }
}

fn games(wins: &Field<u64>, losses: &Field<u64>, ties: &Field<u64>) -> Option<Games> {
    Some(Games {
        wins: *wins.get()?,
        losses: *losses.get()?,
        ties: *ties.get()?,
    })
}

impl DepthFigures {
    /// The games, where all three counts are there.
    pub fn games(&self) -> Option<Games> {
        games(&self.wins, &self.losses, &self.ties)
    }
}

impl JudgeGames {
    /// The games, where all three counts are there.
    pub fn games(&self) -> Option<Games> {
        games(&self.wins, &self.losses, &self.ties)
    }
}

impl SummaryFile {
    /// Reads a file.
    pub fn read(file: &str, bytes: &[u8]) -> Result<FileRead<Self>, Problem> {
        read_object(file, bytes, &["results_by_model"])
    }

    /// Text of the file.
    pub fn write(&self) -> String {
        write_object(self)
    }

    /// The summaries that an averaged file is made of, none for one judge's summary.
    pub fn averaged_from(&self) -> Option<&AveragedFrom> {
        self.metadata.get()?.averaged_from.get()
    }
}

/// A number of a file as a figure.
pub fn figure(field: &Field<Option<Number>>) -> Option<f64> {
    field.get()?.as_ref()?.as_f64()
}
