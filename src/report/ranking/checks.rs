//! The findings of an audit card.

use super::{
    check::{check, good_unless},
    probes,
};
use crate::{
    rank::{
        SidePreference,
        audit::{Audit, JudgeAudit},
        audit_card::{AuditCard, JudgeSummary},
    },
    report::{
        ranking_page::{Check, CheckState},
        words::in_brackets,
    },
    stats::pairwise::{
        better_than_chance::BetterThanChance,
        calibration::Calibration,
        panel_agreement::PanelAgreement,
        position_bias::{PositionBias, RepeatAgreement},
    },
};

/// The name of the check of repetitions with the sides swapped.
const SWAPPED: &str = "same winner with sides swapped";
/// Why nothing is said of swapped sides.
const BOTH_ORDERS: &str =
    "not measured: each verdict is the mean of both orders, and sides cancel out of it";

/// All findings.
pub(super) fn checks(card: &AuditCard) -> Vec<Check> {
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
