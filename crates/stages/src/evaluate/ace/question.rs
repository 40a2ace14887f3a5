//! The question to a rater: how well a report meets a criterion. The same for a report as it is and
//! for one with a known answer.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::{Value, json};

use super::criteria::Criterion;
use crate::{
    context::Context,
    data::{Instrument, ReportId, SubjectKind},
    evaluate::Case,
    judging::{
        self, Question,
        rate::{self, Rated},
    },
    llm::Ask,
};

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

/// What each report's statements came to, where raters are to know it.
pub type Evidence = BTreeMap<ReportId, String>;

/// A report, a criterion, a judge and a repetition.
#[derive(Clone)]
pub struct Asked<'a> {
    pub case: Case<'a>,
    pub criterion: &'a Criterion,
    /// The criterion's name, which no other checklist has.
    pub name: String,
    pub member: usize,
    pub sample: u32,
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
    pub prompt: &'static str,
    pub evidence: &'a Evidence,
    /// What raters know beside the prompt.
    pub knowing: &'a str,
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
