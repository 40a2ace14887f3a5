//! Ratings of each report by each criterion of its task's checklist, one at a time.

use std::collections::BTreeSet;

use anyhow::Result;

use super::{
    checklist::{Checklists, criterion_name},
    hidden,
    question::{Asked, Evidence, RATING, ROLE, Rater},
};
use crate::{
    context::{Context, StageReport},
    data::{Judgement, Rating, ReportId},
    evaluate::{
        Form, Misconfigured, Options, claims,
        evaluator::{Evaluator as _, Work},
    },
    judging::{self, Judged, hidden::judge_each, rate::Rated},
    store::PanelJudgements,
};

const PAPER: &str = "evaluate/rating";
const STRICT: &str = "evaluate/rating-strict";
const WITH_EVIDENCE: &str = "evaluate/rating-with-evidence";
/// The prompt that raters are asked with.
pub fn prompt(options: &Options) -> &'static str {
    match (options.form, options.knows_evidence()) {
        (Form::Paper, _) => PAPER,
        (Form::Strict, false) => STRICT,
        (Form::Strict, true) => WITH_EVIDENCE,
    }
}

/// What raters know beside the prompt: by which judges the statements were checked.
pub fn knowing(ctx: &Context, options: &Options) -> Result<String> {
    if !options.knows_evidence() {
        return Ok(String::new());
    }
    let judges = claims::Claims.in_force(ctx, options)?;
    Ok(serde_json::to_string(&judges)?)
}

/// How the statements of each report stand up; an error where that is not known.
pub fn evidence(work: &Work<'_>) -> Result<Evidence> {
    let mut all = Evidence::new();
    if !work.options.knows_evidence() {
        return Ok(all);
    }
    let checked = claims::Checked::new(work.ctx, work.options)?;
    for case in work.judged {
        let told = checked.told(&case.report.id)?.ok_or_else(|| {
            let report = &case.report.id;
            Misconfigured(format!(
                "raters are to know how the statements of reports stand up, and those of {report} \
                 were not all checked by these judges\nhint: `taskgen evaluate --metric claims`, \
                 then this again"
            ))
        })?;
        all.insert(case.report.id.clone(), told);
    }
    Ok(all)
}

/// Rates each report by each criterion of its task; ratings with a known answer stand among them.
pub async fn rate(work: &Work<'_>, checklists: &Checklists) -> Result<StageReport> {
    let ctx = work.ctx;
    let evidence = evidence(work)?;
    let knowing = knowing(ctx, work.options)?;
    let mut questions = Vec::new();
    let mut without = BTreeSet::new();
    for case in work.judged {
        let Some((id, criteria)) = checklists.get(&case.task.id) else {
            without.insert(&case.task.id);
            continue;
        };
        for (at, criterion) in criteria.iter().enumerate() {
            let name = criterion_name(id, at);
            for member in 0..ctx.llm.members(ROLE) {
                questions.extend((0..work.options.repeats).map(|sample| Asked {
                    case: *case,
                    criterion,
                    name: name.clone(),
                    member,
                    sample,
                }));
            }
        }
    }
    let rater = Rater {
        prompt: prompt(work.options),
        evidence: &evidence,
        knowing: &knowing,
    };
    let probes = hidden::probes(ctx, &rater, &questions)?;
    let mut report = judge_each(
        ctx,
        ("ratings", ROLE),
        &questions,
        &probes,
        async |asked| ask(ctx, &rater, asked).await,
        async |probe| hidden::ask(ctx, &rater, probe).await,
        Asked::title,
    )
    .await?;
    if !without.is_empty() {
        report.notes.push(format!(
            "{} without a checklist: reports on them were not rated",
            tasks(without.len())
        ));
    }
    Ok(report)
}

fn tasks(n: usize) -> String {
    if n == 1 {
        "1 task is".to_owned()
    } else {
        format!("{n} tasks are")
    }
}

async fn ask(ctx: &Context, rater: &Rater<'_>, asked: &Asked<'_>) -> Result<Judged<Rated>> {
    let vars = rater.vars(asked, asked.text());
    judging::judge(ctx, rater.question(asked, asked.member, &vars)).await
}

/// The ratings of a report with the judges' justifications, in the order of the criteria's names.
pub fn ratings(
    judgements: &PanelJudgements<'_>,
    report: &ReportId,
    repeats: u32,
) -> Result<Vec<Judgement<Rating>>> {
    let ratings = judgements.read(RATING, report.as_str(), |stored| {
        Ok(Rating {
            rating: stored.value()? as u8,
            justification: stored.reason()?,
        })
    })?;
    Ok(first_samples(ratings, repeats))
}

/// The judgements of the first so many repetitions; 0 keeps all.
pub fn first_samples<T, E>(
    mut judgements: Vec<Judgement<T, E>>,
    repeats: u32,
) -> Vec<Judgement<T, E>> {
    judgements.retain(|judgement| repeats == 0 || judgement.sample < repeats);
    judgements
}
