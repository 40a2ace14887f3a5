//! `taskgen rank report`: the audit of a ranking, as text, as JSON, and as a page with plots.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use anyhow::{Context as _, Result};
use serde::Serialize;

use super::{
    checks::{check, good_unless},
    probes,
};
use crate::{
    cli::{
        args::Global,
        commands::calls::dollars,
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, in_brackets, table},
        },
    },
    data::{ItemId, Phase, SubjectKind, TaskType, primary_language},
    files,
    rank::{
        self, SidePreference,
        audit::{Audit, JudgeAudit},
        audit_card::{AuditCard, JudgeSummary, audit_card},
        quota::Facet,
        select::{self, Candidate},
    },
    report::{
        listing::{self, Listed, Listing},
        ranking_page::{self, Check, CheckState, FacetCount, RankedRow, RankingPage, Recall},
    },
    stats::pairwise::{
        better_than_chance::BetterThanChance,
        bradley_terry::PosteriorSummary,
        calibration::Calibration,
        panel_agreement::PanelAgreement,
        position_bias::{PositionBias, RepeatAgreement},
    },
    store::{Ranking, Store},
};

/// The name of the check of repetitions with the sides swapped.
const SWAPPED: &str = "same winner with sides swapped";
/// Why nothing is said of swapped sides.
const BOTH_ORDERS: &str =
    "not measured: each verdict is the mean of both orders, and sides cancel out of it";

/// The content of the report.
#[derive(Serialize)]
struct Report<'a> {
    ranking: &'a Ranking,
    #[serde(flatten)]
    card: &'a AuditCard,
    checks: &'a [Check],
    warnings: &'a [String],
    /// Judgements without a verdict, by cause.
    failed_by_cause: &'a BTreeMap<String, u64>,
    /// The counts of the first `top` and of all tasks by discipline, type and so on.
    counts: &'a BTreeMap<String, Vec<FacetCount>>,
    /// The tasks, best first, with strength, interval and membership.
    rated: &'a [RankedRow],
}

/// A ranking with its tasks and its card.
pub struct Ranked {
    /// Its question.
    pub ranking: Ranking,
    /// Its audit card.
    pub card: AuditCard,
    /// Its tasks, best first.
    pub tasks: Vec<Listed>,
}

/// The newest ranking's question; without one, what to do.
pub fn newest(store: &Store) -> Result<Ranking> {
    store
        .last_ranking(SubjectKind::Task)?
        .ok_or_else(|| Usage("nothing is ranked yet\nhint: `taskgen rank`".into()).into())
}

/// The newest ranking, with memberships of the best `top` if that is given; without one, what to
/// do.
pub fn ranked(store: &Store, top: Option<usize>) -> Result<Ranked> {
    let ranking = newest(store)?;
    let lengths: BTreeMap<ItemId, f64> = store
        .tasks()?
        .iter()
        .map(|task| (ItemId::from(&task.id), task.text.chars().count() as f64))
        .collect();
    let card = audit_card(store, &ranking, &lengths, top)?;
    let Listing { mut tasks, .. } = listing::with_ratings(store, None, Some(card.ratings.clone()))?;
    tasks.retain(|listed| listed.rank.is_some());
    Ok(Ranked {
        ranking,
        card,
        tasks,
    })
}

impl Ranked {
    /// Its tasks as candidates of a selection.
    pub fn candidates(&self) -> Vec<Candidate> {
        let numbers: BTreeMap<&str, usize> = self
            .ranking
            .items
            .iter()
            .enumerate()
            .map(|(at, id)| (id.as_str(), at))
            .collect();
        self.tasks
            .iter()
            .filter_map(|listed| {
                let at = *numbers.get(listed.task.id.as_str())?;
                Some(candidate(listed, &self.card.posterior, at))
            })
            .collect()
    }
}

fn candidate(listed: &Listed, posterior: &PosteriorSummary, at: usize) -> Candidate {
    let (low, high) = posterior.interval[at];
    Candidate {
        id: listed.task.id.to_string(),
        text: listed.task.text.clone(),
        facets: facets(listed),
        membership: posterior.membership[at],
        elo: listed.elo,
        strength: posterior.strength[at],
        low,
        high,
    }
}

/// The facets of a task that quotas count.
pub fn facets(listed: &Listed) -> BTreeMap<Facet, String> {
    let known = &listed.task.facets;
    let facets = [
        (Facet::Discipline, known.discipline.as_deref()),
        (Facet::Type, known.task_type.map(TaskType::label)),
        (Facet::Phase, known.phase.map(Phase::label)),
        (
            Facet::Language,
            Some(primary_language(&listed.task.language)),
        ),
        (Facet::Seminar, Some(listed.origin())),
    ];
    facets
        .into_iter()
        .filter_map(|(facet, value)| Some((facet, value?.to_owned())))
        .collect()
}

/// Runs the command.
pub fn report(global: &Global, html: Option<PathBuf>, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let ranked = ranked(&project.read_or_hint()?, None)?;
    let (checks, warnings) = (checks(&ranked.card), warnings(&ranked.card));
    let page = page(&ranked, checks.clone(), warnings.clone());
    let report = Report {
        ranking: &ranked.ranking,
        card: &ranked.card,
        checks: &checks,
        warnings: &warnings,
        failed_by_cause: &ranked.card.ratings.n_failed,
        counts: &page.facets,
        rated: &page.rated,
    };
    printer.show(&report, |report| text(report, ranked.tasks.len()))?;
    if let Some(path) = html {
        let page = ranking_page::html(&page)?;
        files::write_whole(&path, page.as_bytes())
            .context("cannot write the page\nhint: choose another place")?;
        printer.note(&format!("written: `{}`", path.display()));
    }
    Ok(exit::DONE)
}

fn text(report: &Report<'_>, tasks: usize) -> String {
    let mut rows = table(&["check", "value", "of", "", "what it means"]);
    for check in report.checks {
        let state = match check.state {
            CheckState::Good => "good",
            CheckState::Doubtful => "doubtful",
            CheckState::Bad => "BAD",
            CheckState::Unknown => "–",
        };
        rows.add_row(vec![
            &check.name,
            &check.value,
            &check.n,
            state,
            &check.meaning,
        ]);
    }
    let mut out = format!("{rows}\n");
    for (name, value) in facts(report.ranking, report.card, tasks) {
        out.push_str(&format!("{name}: {value}\n"));
    }
    report
        .warnings
        .iter()
        .for_each(|warning| out.push_str(&format!("WARNING: {warning}\n")));
    out
}

fn facts(ranking: &Ranking, card: &AuditCard, tasks: usize) -> Vec<(String, String)> {
    let spent = card.spent;
    let unpriced = if spent.unpriced > 0 {
        format!(" and {} of unknown price", spent.unpriced)
    } else {
        String::new()
    };
    let fact = |name: &str, value: String| (name.to_owned(), value);
    vec![
        fact(
            "method",
            format!("{} {}", ranking.method, ranking.parameters),
        ),
        fact(
            "judges",
            card.judges
                .iter()
                .map(|judge| judge.name.as_str())
                .collect::<Vec<_>>()
                .join(", "),
        ),
        fact("seed", ranking.seed.to_string()),
        fact("tasks", tasks.to_string()),
        fact(
            "verdicts",
            format!("{} of {}", card.n_scored, card.n_scored + card.n_failed),
        ),
        fact(
            "expected recall",
            format!("{:.2} of the truly best {}", card.expected_recall, card.top),
        ),
        fact(
            "strengths",
            format!(
                "standard deviation {:.2} logits; lapse rate {:.0} % (share of random verdicts)",
                card.deviation,
                card.lapse_rate * 100.0
            ),
        ),
        fact(
            "spent",
            format!(
                "{} calls, {} prompt and {} reply tokens, {}{unpriced}",
                spent.calls,
                spent.input,
                spent.output,
                dollars(spent.cost_micro)
            ),
        ),
    ]
}

/// Warnings that a reader must know first.
pub fn warnings(card: &AuditCard) -> Vec<String> {
    let mut warnings = Vec::new();
    if card.n_scored == 0 {
        warnings.push("nothing was judged: this order means nothing".into());
    }
    let models: BTreeSet<&str> = card
        .judges
        .iter()
        .map(|judge| judge.model.as_str())
        .collect();
    warnings.extend(models.into_iter().filter_map(rank::caveat));
    for of in &card.audit.judges {
        let name = card
            .judges
            .get(of.judge as usize)
            .map_or("?", |judge| judge.name.as_str());
        let test = of.better_than_chance;
        if test.is_some_and(|test| test.no_better()) {
            warnings.push(format!(
                "the judge {name} is no better than chance: this order means nothing"
            ));
        // Not shown is not the same as refuted: with few verdicts the test has no power.
        } else if test.is_none_or(|test| !test.significant) {
            warnings.push(format!(
                "the judge {name} is not shown to be better than chance yet: more verdicts are needed"
            ));
        }
        let judge = card.judges.get(of.judge as usize);
        warnings.extend(judge.and_then(probes::warning));
        if of.position_bias.is_some_and(|bias| bias.flagged) {
            warnings.push(format!(
                "the judge {name} prefers a side; the fit allows for it, and it costs precision"
            ));
        }
    }
    warnings
}

fn checks(card: &AuditCard) -> Vec<Check> {
    let audit = &card.audit;
    let mut checks = Vec::new();
    for of in &audit.judges {
        let judge = card.judges.get(of.judge as usize);
        let suffix = match judge {
            _ if audit.judges.len() < 2 => String::new(),
            Some(judge) => format!(", {}", judge.name),
            None => ", ?".to_owned(),
        };
        let sides = judge.and_then(|judge| judge.side_preference);
        checks.extend(checks_of_judge(of, sides).into_iter().map(|check| Check {
            name: format!("{}{suffix}", check.name),
            ..check
        }));
    }
    if card.judges.len() > 1 {
        checks.extend(card.judges.iter().map(discrimination));
    }
    checks.extend(card.judges.iter().filter_map(probes::check_of));
    checks.extend(panel_agreement(audit.panel));
    checks.push(intransitivity(audit));
    checks.push(strength_and_length(audit));
    checks.extend(coverage(audit));
    checks.push(verdicts(card));
    checks
}

fn checks_of_judge(audit: &JudgeAudit, sides: Option<SidePreference>) -> Vec<Check> {
    let mut checks = Vec::new();
    checks.extend(audit.better_than_chance.map(better_than_chance));
    if let Some(sides) = sides {
        checks.push(side_preference(sides));
        checks.push(check(SWAPPED, BOTH_ORDERS));
    } else {
        checks.extend(audit.position_bias.map(position_bias));
        checks.push(repeat_agreement(
            SWAPPED,
            "0.50 is chance",
            audit.position_consistency,
        ));
    }
    checks.push(repeat_agreement(
        "same winner asked again",
        "1.00 for a judge that repeats itself",
        audit.repetition,
    ));
    checks.extend(audit.calibration.as_ref().map(confidence));
    checks
}

fn better_than_chance(test: BetterThanChance) -> Check {
    let z = test.z.map_or_else(|| "–".to_owned(), |z| format!("{z:.1}"));
    Check {
        value: format!("z = {z}, usual {:.1}", test.expected_z),
        n: format!("{} pairs", test.n),
        state: match (test.significant, test.has_power) {
            (true, _) => CheckState::Good,
            (false, true) => CheckState::Bad,
            (false, false) => CheckState::Unknown,
        },
        ..check(
            "better than chance",
            "whether earlier verdicts predict later ones; 0 is chance",
        )
    }
}

fn position_bias(bias: PositionBias) -> Check {
    Check {
        value: format!(
            "{:.2} [{:.2}, {:.2}], p = {:.3}",
            bias.share.value, bias.share.low, bias.share.high, bias.p
        ),
        n: format!("{} verdicts", bias.n),
        state: good_unless(bias.flagged, CheckState::Bad),
        ..check(
            "position bias",
            "share won by the side shown first; sides are drawn at random, so that a fair judge has 0.50",
        )
    }
}

fn side_preference(sides: SidePreference) -> Check {
    Check {
        value: format!("{:+.2} before the mean", sides.mean),
        n: format!("{} verdicts", sides.n),
        ..check(
            "position bias",
            "log-odds of the side shown first within one order; they cancel out of each verdict by construction",
        )
    }
}

fn repeat_agreement(name: &str, meaning: &str, agreement: Option<RepeatAgreement>) -> Check {
    let Some(agreement) = agreement else {
        return check(name, "nothing was asked twice");
    };
    let Some(share) = agreement.share else {
        return check(name, "every repeated question had a tie");
    };
    Check {
        value: format!("{:.2} [{:.2}, {:.2}]", share.value, share.low, share.high),
        n: format!("{} pairs", agreement.n),
        state: good_unless(share.low <= 0.5, CheckState::Doubtful),
        ..check(name, meaning)
    }
}

fn confidence(calibration: &Calibration) -> Check {
    Check {
        value: format!(
            "error {:.2} (by chance {:.2}), Brier {:.2}",
            calibration.ece, calibration.ece_by_chance, calibration.brier
        ),
        n: format!("{} verdicts", calibration.n),
        state: good_unless(
            calibration.ece > 0.1 + calibration.ece_by_chance,
            CheckState::Doubtful,
        ),
        ..check(
            "confidence",
            "stated confidence against agreement with a ranking that has not seen the pair",
        )
    }
}

fn discrimination(judge: &JudgeSummary) -> Check {
    Check {
        value: format!(
            "{:.2}, position bias {:+.2}",
            judge.discrimination, judge.position_bias
        ),
        ..check(
            &format!("discrimination, {}", judge.name),
            "how steeply the verdicts follow the strengths, relative to the first judge; position bias in logits for the side shown first",
        )
    }
}

fn panel_agreement(panel: Option<PanelAgreement>) -> Option<Check> {
    let agreement = panel?;
    let share = agreement.share?;
    let alpha = agreement
        .alpha
        .map_or_else(String::new, |alpha| format!(", alpha {alpha:.2}"));
    Some(Check {
        value: format!("{share:.2}{alpha}"),
        n: format!("{} questions", agreement.n),
        state: good_unless(share <= 0.5, CheckState::Doubtful),
        ..check(
            "judges agree",
            "same winner on the same question; Krippendorff's alpha is 0 at chance",
        )
    })
}

fn intransitivity(audit: &Audit) -> Check {
    let Some(found) = &audit.intransitivity else {
        return check(
            "intransitivity",
            "no three tasks were all compared with each other",
        );
    };
    Check {
        value: format!(
            "{:.3}, {:+.3} ± {:.3} beyond noise",
            found.share,
            found.excess,
            1.96 * found.standard_error
        ),
        n: format!("{} triples", found.n),
        state: good_unless(
            // Three standard errors: the check runs on every ranking, and must seldom be wrong.
            found.excess > 3.0 * found.standard_error,
            CheckState::Doubtful,
        ),
        ..check(
            "intransitivity",
            "a beats b, b beats c, c beats a: above 0 there is more than one idea of quality",
        )
    }
}

fn strength_and_length(audit: &Audit) -> Check {
    let Some(length) = &audit.length else {
        return check("strength and length", "too few tasks");
    };
    Check {
        value: length.interval.map_or_else(
            || format!("{:+.2}", length.value),
            |(low, high)| format!("{:+.2} [{low:+.2}, {high:+.2}]", length.value),
        ),
        n: format!("{} tasks", length.n),
        state: good_unless(length.value.abs() > 0.5, CheckState::Doubtful),
        ..check(
            "strength and length",
            "rank correlation: near ±1 the judge may only measure length",
        )
    }
}

fn coverage(audit: &Audit) -> Option<Check> {
    let coverage = audit.coverage.as_ref()?;
    Some(Check {
        value: format!(
            "{:.1} %; {} to {} games, {:.1} on average",
            coverage.judged * 100.0,
            coverage.min,
            coverage.max,
            coverage.mean
        ),
        n: format!("{} tasks", coverage.n),
        state: good_unless(coverage.judged < 1.0, CheckState::Bad),
        ..check("coverage", "tasks that were judged at least once")
    })
}

fn verdicts(card: &AuditCard) -> Check {
    let all = card.n_scored + card.n_failed;
    let failed = in_brackets(&card.ratings.n_failed);
    Check {
        value: format!(
            "{} without{failed}, {} ignored",
            card.n_failed, card.audit.ignored
        ),
        n: format!("{all} judgements"),
        state: good_unless(all == 0 || card.n_failed * 10 > all, CheckState::Bad),
        ..check(
            "verdicts",
            "a judgement without a verdict changes no strength",
        )
    }
}

fn page(ranked: &Ranked, audit: Vec<Check>, warnings: Vec<String>) -> RankingPage {
    let by_elo = ranked.ranking.method == "elo";
    let candidates = ranked.candidates();
    let rows: Vec<RankedRow> = ranked
        .tasks
        .iter()
        .zip(&candidates)
        .enumerate()
        .map(|(at, (listed, candidate))| row(at + 1, listed, candidate, by_elo))
        .collect();
    RankingPage {
        title: format!("{} ranked research tasks", rows.len()),
        facts: facts(&ranked.ranking, &ranked.card, rows.len()),
        warnings,
        top: ranked.card.top,
        unit: if by_elo { "Elo points" } else { "logits" }.into(),
        recall: Some(Recall {
            expected: ranked.card.expected_recall,
            low: f64::NAN,
            high: f64::NAN,
        }),
        audit,
        facets: counts(&candidates, ranked.card.top),
        rated: rows,
    }
}

fn row(place: usize, listed: &Listed, candidate: &Candidate, by_elo: bool) -> RankedRow {
    let (strength, low, high) = match listed.elo {
        Some(elo) if by_elo => (elo, f64::NAN, f64::NAN),
        _ => (candidate.strength, candidate.low, candidate.high),
    };
    RankedRow {
        place,
        id: candidate.id.clone(),
        text: candidate.text.clone(),
        seminar: listed
            .source
            .as_ref()
            .map_or_else(|| listed.origin().to_owned(), |source| source.title.clone()),
        strength,
        low,
        high,
        membership: candidate.membership,
        games: listed.games.unwrap_or(0),
        standing: select::classify(candidate.membership),
        facets: [Facet::Phase, Facet::Type, Facet::Language]
            .iter()
            .filter_map(|f| candidate.facets.get(f).cloned())
            .collect(),
    }
}

/// The counts of the first `top` and of all tasks by facet.
fn counts(candidates: &[Candidate], top: usize) -> BTreeMap<String, Vec<FacetCount>> {
    let mut of: BTreeMap<String, BTreeMap<String, (u64, u64)>> = BTreeMap::new();
    for (at, candidate) in candidates.iter().enumerate() {
        for (facet, value) in &candidate.facets {
            let count = of
                .entry(facet.name().to_owned())
                .or_default()
                .entry(value.clone())
                .or_default();
            count.0 += u64::from(at < top);
            count.1 += 1;
        }
    }
    of.into_iter()
        .map(|(facet, values)| {
            let counts =
                values
                    .into_iter()
                    .map(|(value, (chosen, all))| FacetCount { value, chosen, all });
            (facet, counts.collect())
        })
        .collect()
}
