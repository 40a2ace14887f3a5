//! Questions about a report with two answers: an item passes or it does not, and a line of the
//! report shows it. Several may be asked about at once; a reply that does not name each item once
//! is asked for again in halves.

use std::{collections::BTreeMap, marker::PhantomData};

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    context::{Context, StageReport},
    data::{Cause, Decision, Instrument, Judgement, Unscored},
    evaluate::{evaluator::about, numbered::NumberedReport},
    judging::{
        Verdict,
        batch::{self, BatchForm, Each, Subject},
    },
    llm::{Answer, object},
    store::{PanelJudgements, StoredJudgement},
};

/// Longest reason in characters.
const LONGEST: usize = 320;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Decided {
    items: Vec<One>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct One {
    number: usize,
    reason: String,
    /// Of the line that shows it; 0 for none.
    line: usize,
    passes: bool,
}

impl Answer for Decided {}

impl Each for Decided {
    type One = One;

    fn numbers(&self) -> Vec<usize> {
        self.items.iter().map(|one| one.number).collect()
    }

    fn verdicts(self) -> Vec<One> {
        self.items
    }
}

impl Verdict for One {
    fn decision(&self) -> Decision {
        decision(self.passes)
    }

    fn payload(&self) -> Value {
        json!({ "reason": self.reason, "line": self.line })
    }
}

/// A decision about an item, a judge's or a program's.
pub fn decision(passes: bool) -> Decision {
    Decision {
        value: Some(f64::from(u8::from(passes))),
        label: if passes { "passed" } else { "failed" }.to_owned(),
        confidence: None,
    }
}

/// How items are asked about.
pub struct ItemForm {
    /// The name of this work in progress and in the summary.
    pub stage: &'static str,
    /// What is measured.
    pub instrument: Instrument,
    /// Who is asked.
    pub role: &'static str,
    /// The prompt; it gets `task`, `report` and `items`.
    pub prompt: &'static str,
    /// Whether an item can only pass by a line that shows it.
    pub must_show: bool,
}

/// Asks each judge about the items of each report, at most so many at once.
pub async fn judge(
    ctx: &Context,
    form: &ItemForm,
    most: usize,
    subjects: &[Subject<NumberedReport<'_>>],
) -> Result<StageReport> {
    let must_show = form.must_show;
    let form = BatchForm {
        stage: form.stage,
        instrument: form.instrument,
        role: form.role,
        prompt: form.prompt,
        most,
        vars: &NumberedReport::vars,
        schema: &schema,
        tokens: |n| batch::tokens(n, LONGEST),
        check: &|reply: &Decided, report: &NumberedReport<'_>| {
            let lines = report.lines().len();
            reply
                .items
                .iter()
                .try_for_each(|one| check(one, lines, must_show))
        },
        reply: PhantomData,
    };
    batch::judge(ctx, &form, subjects).await
}

fn check(one: &One, lines: usize, must_show: bool) -> Result<(), Unscored> {
    let (number, line) = (one.number, one.line);
    if line > lines {
        return Err(Unscored {
            cause: Cause::UnknownReference,
            reason: format!(
                "item {number}: there is no line {line}, they are numbered 1 to {lines}"
            ),
        });
    }
    if must_show && one.passes && line == 0 {
        return Err(Unscored {
            cause: Cause::Inconsistent,
            reason: format!("item {number} passes, and no line shows it: name its number"),
        });
    }
    Ok(())
}

/// The schema of a reply about `n` items.
fn schema(n: usize) -> Value {
    let numbers: Vec<usize> = (1..=n).collect();
    let one = object(&json!({
        "number": { "type": "integer", "enum": numbers },
        "reason": { "type": "string", "maxLength": LONGEST },
        "line": { "type": "integer" },
        "passes": { "type": "boolean" }
    }));
    object(&json!({
        "items": { "type": "array", "items": one, "minItems": n, "maxItems": n }
    }))
}

/// The stored verdicts on the items of a report.
pub fn verdicts(
    judgements: &PanelJudgements<'_>,
    instrument: Instrument,
    report: &str,
) -> Result<Vec<Judgement<f64, Cause>>> {
    let value = |stored: &StoredJudgement<'_>| stored.value();
    judgements.read_bare(instrument, report, value)
}

/// A number and the reason for it.
pub type Reason = (f64, String);

/// A stored number with its reason.
pub fn reasoned(stored: &StoredJudgement<'_>) -> Result<Reason> {
    Ok((stored.value()?, stored.reason()?))
}

/// How many of the expected items pass.
#[derive(Debug, Default, PartialEq)]
pub struct Passed {
    /// The sum over items of the share of judges who say that it passes.
    pub passed: f64,
    /// Items with a verdict.
    pub decided: u64,
    /// Verdicts that are missing, by cause; of a panel also on items that others decided.
    pub unscored: BTreeMap<String, u64>,
    /// By item: the share of judges, or why there is none.
    pub items: BTreeMap<String, Result<f64, String>>,
    /// The items that pass by each judge who decided all of them.
    pub by_judge: BTreeMap<String, f64>,
}

/// Counts over the expected items; verdicts on other items, such as those of an earlier checklist,
/// do not count. The panel has so many judges.
pub fn passed(verdicts: &[Judgement<f64, Cause>], expected: &[String], size: usize) -> Passed {
    let mut of = Passed::default();
    let mut by_judge: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for item in expected {
        let panel = super::panel::mean_of(size, about(verdicts, item));
        for (cause, n) in &panel.unscored {
            *of.unscored.entry(cause.clone()).or_default() += n;
        }
        let outcome = panel.mean.ok_or_else(|| {
            let cause = panel.unscored.into_keys().next();
            cause.unwrap_or_else(|| "missing".to_owned())
        });
        if let Ok(share) = outcome {
            of.passed += share;
            of.decided += 1;
        }
        of.items.insert(item.clone(), outcome);
        for verdict in about(verdicts, item) {
            let all = by_judge.entry(&verdict.judge).or_default();
            all.extend(verdict.outcome.ok());
        }
    }
    let complete = by_judge
        .into_iter()
        .filter(|(_, all)| all.len() == expected.len());
    of.by_judge = complete
        .map(|(judge, all)| (judge.to_owned(), all.iter().sum()))
        .collect();
    of
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(item: &str, judge: &str, outcome: Result<f64, Cause>) -> Judgement<f64, Cause> {
        Judgement {
            about: item.to_owned(),
            sample: 0,
            judge: judge.to_owned(),
            outcome,
        }
    }

    #[test]
    fn only_expected_items_count_and_a_missing_one_is_not_failed() {
        let verdicts = [
            verdict("a", "m", Ok(1.0)),
            verdict("a", "n", Ok(0.0)),
            verdict("b", "m", Ok(1.0)),
            verdict("b", "n", Err(Cause::Timeout)),
            verdict("old", "m", Ok(1.0)),
            verdict("old", "n", Ok(1.0)),
        ];
        let expected = ["a", "b", "c"].map(str::to_owned);
        let of = passed(&verdicts, &expected, 2);
        assert_eq!((of.passed, of.decided), (1.5, 2));
        let unscored = [("missing".to_owned(), 2), ("timeout".to_owned(), 1)];
        assert_eq!(of.unscored, BTreeMap::from(unscored));
        assert!(of.by_judge.is_empty(), "nobody decided all three");
        let of = passed(&verdicts, &expected[..2], 2);
        assert_eq!(of.by_judge, BTreeMap::from([("m".to_owned(), 2.0)]));
    }

    #[test]
    fn what_passes_is_shown_by_a_line() {
        let one = |line, passes| One {
            number: 1,
            reason: String::new(),
            line,
            passes,
        };
        let cause = |line, passes, must| check(&one(line, passes), 9, must).err().map(|e| e.cause);
        assert_eq!(cause(9, true, true), None);
        assert_eq!(cause(0, false, true), None);
        assert_eq!(cause(0, true, false), None);
        assert_eq!(cause(0, true, true), Some(Cause::Inconsistent));
        assert_eq!(cause(10, false, false), Some(Cause::UnknownReference));
    }
}
