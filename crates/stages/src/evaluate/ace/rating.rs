//! Ratings of each report by each criterion of its task's checklist, one at a time.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde_json::{Value, json};

use super::{
    checklist::{Checklists, criterion_name},
    criteria::Criterion,
    hidden,
};
use crate::{
    context::{Context, StageReport},
    data::{Instrument, Judgement, Rating, ReportId, SubjectKind},
    evaluate::{
        Case, Form, Misconfigured, Options, claims,
        evaluator::{Evaluator as _, Work},
    },
    judging::{
        self, Judged, Question,
        hidden::judge_each,
        rate::{self, Rated},
    },
    llm::Ask,
    store::PanelJudgements,
};

const PAPER: &str = "evaluate/rating";
const STRICT: &str = "evaluate/rating-strict";
const WITH_EVIDENCE: &str = "evaluate/rating-with-evidence";
pub const ROLE: &str = "rate";

/// The rating of a report by a criterion.
pub const RATING: Instrument = Instrument {
    id: "ace/rating/1",
    family: "ace",
    criterion: "rating",
    scale: "whole number, 0 to 10",
    subject: SubjectKind::Report,
    letter: 'm',
};

/// The prompt that raters are asked with.
pub fn prompt(options: &Options) -> &'static str {
    match (options.form, options.knows_evidence()) {
        (Form::Paper, _) => PAPER,
        (Form::Strict, false) => STRICT,
        (Form::Strict, true) => WITH_EVIDENCE,
    }
}

/// What each report's statements came to, where raters are to know it.
pub type Evidence = BTreeMap<ReportId, String>;

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

/// A report, a criterion, a judge and a repetition.
#[derive(Clone)]
pub struct Asked<'a> {
    case: Case<'a>,
    criterion: &'a Criterion,
    name: String,
    member: usize,
    sample: u32,
}

impl Asked<'_> {
    /// Whether it is the first question about its report and criterion.
    pub fn is_first(&self) -> bool {
        self.member == 0 && self.sample == 0
    }

    /// The report and the criterion.
    pub fn title(&self) -> String {
        format!("{} by {}", self.case.report.id, self.name)
    }

    /// The report's text.
    pub fn text(&self) -> &str {
        &self.case.report.text
    }
}

/// How raters are asked.
pub struct Rater<'a> {
    prompt: &'static str,
    evidence: &'a Evidence,
    knowing: &'a str,
}

impl Rater<'_> {
    /// What stands for the hash of the prompt.
    pub fn hash(&self, ctx: &Context) -> Result<String> {
        Ok(judging::prompt_and(
            ctx.llm.prompt_hash(self.prompt)?,
            self.knowing,
        ))
    }

    /// The prompt's values, with this text as the report's.
    pub fn vars(&self, asked: &Asked<'_>, report: &str) -> Value {
        let Asked {
            case, criterion, ..
        } = asked;
        let mut vars = json!({
            "task": case.task.text,
            "family": case.task.facets.family_label(),
            "difficulty": case.task.facets.difficulty_label(),
            "discipline": case.task.facets.known_discipline(),
            "report": report,
            "criterion": format!("{}\n{}", criterion.title, criterion.description),
        });
        if let Some(told) = self.evidence.get(&case.report.id) {
            vars["evidence"] = json!(told);
        }
        vars
    }

    /// The question to a member.
    pub fn question<'q>(
        &'q self,
        asked: &'q Asked<'_>,
        member: usize,
        vars: &'q Value,
    ) -> Question<'q, Rated> {
        Question {
            instrument: RATING,
            subject: asked.case.report.id.as_str(),
            other: Some(&asked.name),
            keep: json!({}),
            knowing: self.knowing,
            ask: Ask {
                role: ROLE,
                member,
                sample: asked.sample,
                prompt: self.prompt,
                vars,
                schema: Some(rate::schema()),
                max_tokens: 400,
                ..Ask::default()
            },
        }
    }
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
