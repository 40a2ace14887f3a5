//! Shares of statements that the other article bears out or contradicts, in both directions.

use serde::Serialize;
use serde_json::{Number, Value};

use super::{Cause, Counting, Unscored, mean, pairwise, share, stored_share};
use crate::benchmarks::wiki_live_challenge::files::{
    Alignment, Field, Judged, VerifiabilityFile, VerifiabilitySummary,
};

/// Statements of one article beside those of the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Support {
    /// Borne out.
    pub supported: usize,
    /// Not borne out.
    pub not_supported: usize,
    /// Contradicted.
    pub conflict: usize,
    /// Without a verdict.
    pub unscored: Unscored,
}

impl Support {
    /// Statements with a verdict.
    pub fn scored(&self) -> usize {
        self.supported + self.not_supported + self.conflict
    }

    /// All statements.
    pub fn total(&self) -> usize {
        self.scored() + self.unscored.total()
    }

    /// Share of the borne out among the scored.
    pub fn supported_share(&self) -> Option<f64> {
        share(self.supported, self.scored())
    }

    /// Share of the contradicted among the scored.
    pub fn conflict_share(&self) -> Option<f64> {
        share(self.conflict, self.scored())
    }

    fn count(&mut self, verdict: Result<Verdict, Cause>) {
        match verdict {
            Ok(Verdict::Supported) => self.supported += 1,
            Ok(Verdict::NotSupported) => self.not_supported += 1,
            Ok(Verdict::Conflict) => self.conflict += 1,
            Err(cause) => self.unscored.add(cause, 1),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Supported,
    NotSupported,
    Conflict,
}

/// Figures of an article on verifiability.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerifiabilityFigures {
    /// The candidate's statements beside Wikipedia's.
    pub generated: Support,
    /// Wikipedia's statements beside the candidate's: what it covers.
    pub wiki: Support,
    /// Mean similarity of the candidate's statements to their nearest.
    pub avg_top1_sim: Option<f64>,
    /// Statements with a similarity.
    pub with_similarity: usize,
}

/// Figures of a file.
pub fn verifiability(file: &VerifiabilityFile, counting: Counting) -> VerifiabilityFigures {
    let generated = listed(&file.alignments);
    let wiki = listed(&file.coverage_alignments);
    let similarities = generated
        .iter()
        .filter_map(|field| field.get()?.top_score.get()?.as_f64());
    let similarities: Vec<f64> = similarities.collect();
    VerifiabilityFigures {
        generated: support(generated, file.num_gen_sentences.get(), counting),
        wiki: support(wiki, file.num_gt_sentences.get(), counting),
        avg_top1_sim: pairwise::mean(&similarities),
        with_similarity: similarities.len(),
    }
}

fn listed(field: &Field<Vec<Field<Alignment>>>) -> &[Field<Alignment>] {
    field.get().map(Vec::as_slice).unwrap_or_default()
}

/// Verdicts of a list. Statements that the file counts and does not list have none.
fn support(listed: &[Field<Alignment>], stated: Option<&u64>, counting: Counting) -> Support {
    let mut support = Support::default();
    for field in listed {
        let judged = field.get().and_then(|alignment| alignment.verify.get());
        support.count(match counting {
            Counting::Compat => Ok(judged.map_or(Verdict::NotSupported, compat)),
            Counting::Strict => judged.ok_or(Cause::Missing).and_then(strict),
        });
    }
    let stated = stated.map_or(0, |stated| usize::try_from(*stated).unwrap_or_default());
    let unlisted = stated.saturating_sub(listed.len());
    match counting {
        Counting::Compat => support.not_supported += unlisted,
        Counting::Strict => support.unscored.add(Cause::Missing, unlisted),
    }
    support
}

/// The benchmark's own counting: whatever is neither support nor conflict is no support.
fn compat(judged: &Judged) -> Verdict {
    match judged.verdict.get().map(String::as_str) {
        Some("consistent") => Verdict::Supported,
        Some("inconsistent") => Verdict::Conflict,
        _ => Verdict::NotSupported,
    }
}

/// A verdict, where its word and its flags say the same.
fn strict(judged: &Judged) -> Result<Verdict, Cause> {
    let word = match &judged.verdict {
        Field::Read(word) => word.as_str(),
        Field::Absent | Field::Other(Value::Null) => return Err(Cause::Missing),
        Field::Other(_) => return Err(Cause::UnknownLabel),
    };
    let verdict = match word {
        "consistent" => Verdict::Supported,
        "inconsistent" => Verdict::Conflict,
        "not_support" => Verdict::NotSupported,
        "" => return Err(Cause::Missing),
        _ => return Err(Cause::UnknownLabel),
    };
    let says = |flag: &Field<bool>, of| flag.get().is_none_or(|flag| *flag == (verdict == of));
    let agrees = says(&judged.is_supported, Verdict::Supported)
        && says(&judged.is_conflict, Verdict::Conflict);
    if agrees {
        Ok(verdict)
    } else {
        Err(Cause::Contradictory)
    }
}

impl VerifiabilityFigures {
    /// Sets the figures of a file; its verdicts stay.
    pub fn store(&self, file: &mut VerifiabilityFile) {
        let (generated, wiki) = (&self.generated, &self.wiki);
        let count = |count: usize| Field::Read(count as u64);
        let ratio = |part, of: &Support| Field::from(stored_share(part, of.scored()));
        file.num_gen_sentences = count(generated.total());
        file.num_gt_sentences = count(wiki.total());
        file.gen_supported_by_wiki = count(generated.supported);
        file.gen_supported_by_wiki_ratio = ratio(generated.supported, generated);
        file.gen_not_supported_by_wiki = count(generated.not_supported);
        file.gen_not_supported_by_wiki_ratio = ratio(generated.not_supported, generated);
        file.gen_conflict_with_wiki = count(generated.conflict);
        file.gen_conflict_with_wiki_ratio = ratio(generated.conflict, generated);
        file.wiki_covered_by_gen = count(wiki.supported);
        file.wiki_covered_by_gen_ratio = ratio(wiki.supported, wiki);
        file.wiki_not_covered_by_gen = count(wiki.not_supported);
        file.wiki_not_covered_by_gen_ratio = ratio(wiki.not_supported, wiki);
        file.wiki_conflict_with_gen = count(wiki.conflict);
        file.wiki_conflict_with_gen_ratio = ratio(wiki.conflict, wiki);
        // A file of ours has no similarities, and no mean of none.
        if self.with_similarity > 0 || !file.avg_top1_sim.is_absent() {
            file.avg_top1_sim = Number::from_f64(self.avg_top1_sim.unwrap_or_default()).into();
        }
        generated.unscored.store(&mut file.rest, "gen_unscored");
        wiki.unscored.store(&mut file.rest, "wiki_unscored");
    }
}

/// Means over articles, each with the number of articles that have the value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerifiabilityMeans {
    /// Articles.
    pub articles: usize,
    /// Mean share of supported statements.
    pub gen_supported: (Option<f64>, usize),
    /// Mean share of contradicted statements.
    pub gen_conflict: (Option<f64>, usize),
    /// Mean share of Wikipedia's statements that are covered.
    pub wiki_covered: (Option<f64>, usize),
}

/// The means over articles.
pub fn means(articles: &[VerifiabilityFigures]) -> VerifiabilityMeans {
    let over = |of: fn(&VerifiabilityFigures) -> Option<f64>| mean(articles.iter().map(of));
    VerifiabilityMeans {
        articles: articles.len(),
        gen_supported: over(|figures| figures.generated.supported_share()),
        gen_conflict: over(|figures| figures.generated.conflict_share()),
        wiki_covered: over(|figures| figures.wiki.supported_share()),
    }
}

/// The summary as files have it: an article without statements counts as 0.
pub fn summary(articles: &[VerifiabilityFigures]) -> VerifiabilitySummary {
    let over = |of: fn(&VerifiabilityFigures) -> Option<f64>| {
        let (mean, _) = mean(
            articles
                .iter()
                .map(|figures| Some(of(figures).unwrap_or_default())),
        );
        Field::from(Number::from_f64(mean.unwrap_or_default()))
    };
    VerifiabilitySummary {
        total_articles: (articles.len() as u64).into(),
        avg_gen_supported_by_wiki: over(|figures| figures.generated.supported_share()),
        avg_gen_conflict_with_wiki: over(|figures| figures.generated.conflict_share()),
        avg_wiki_covered_by_gen: over(|figures| figures.wiki.supported_share()),
        ..VerifiabilitySummary::default()
    }
}
