//! The rounds of a match as a page shows them.

use serde::Serialize;

use super::Told;
use crate::{
    arena::{
        examiner::rubric::Tags,
        matches::stop::{Tally, grade},
        record::{RoundEnd, RoundRecord},
        trees::Overlay,
    },
    data::{
        NodeId, Side, State,
        arena::{
            AnswerFacts, DuelLabel, DuelVerdict, Failure, FailureTag, Met, Question, RoundOutcome,
            RubricKind, TieQuality,
        },
    },
    store::DuelAnswer,
};

/// A round, judged or failed.
#[derive(Serialize)]
pub struct Round {
    /// Its number, failed ones counted.
    pub number: usize,
    /// How it ended, in a few words.
    pub heading: String,
    /// Whether it came to a verdict.
    pub judged: bool,
    /// Level and number of pages.
    pub place: String,
    /// The question; none where there was none.
    pub asked: Option<Asked>,
    /// What both said, A first; empty where nobody was asked.
    pub said: Vec<ShownAnswer>,
    /// What the loser lacks, and by whose word.
    pub lacks: String,
    /// The judge's reason, or why the round failed.
    pub reason: String,
    /// The pages that it asks about, for the plot.
    #[serde(skip)]
    pub targets: Vec<NodeId>,
}

/// A question with its sources.
#[derive(Serialize)]
pub struct Asked {
    text: String,
    words: String,
    pages: Vec<Source>,
    items: Vec<Item>,
}

/// A page of a question.
#[derive(Serialize)]
struct Source {
    title: String,
    url: String,
    part: &'static str,
}

/// An item of the rubric with its marks.
#[derive(Serialize)]
struct Item {
    kind: &'static str,
    text: String,
    page: String,
    quote: String,
    marks: Vec<Mark>,
}

/// A mark in words, with the style that shows it.
#[derive(Serialize)]
struct Mark {
    word: &'static str,
    style: &'static str,
}

/// What an agent said.
#[derive(Serialize)]
pub struct ShownAnswer {
    note: String,
    text: String,
}

/// All rounds, in their order.
pub fn rounds(told: &Told<'_>) -> Vec<Round> {
    let mut tally = Tally::default();
    let mut attempt = 0;
    let rounds = told.record.rounds.iter().enumerate();
    rounds
        .map(|(at, round)| {
            attempt += u32::from(round.question.is_some());
            let both = round.question.as_ref().map(|_| attempt);
            shown(told, at + 1, round, both, &mut tally)
        })
        .collect()
}

fn shown(
    told: &Told<'_>,
    number: usize,
    round: &RoundRecord,
    attempt: Option<u32>,
    tally: &mut Tally,
) -> Round {
    let verdict = match &round.end {
        Some(RoundEnd::Judged(RoundOutcome::Judged(verdict))) => Some(verdict),
        _ => None,
    };
    let agents = &told.duel.agents;
    let heading = match verdict {
        Some(verdict) => {
            tally.add(Some(grade(verdict.verdict)));
            let (a, b) = tally.points();
            format!("{}, {a} : {b}", winner(verdict, agents))
        }
        None => "no verdict".to_owned(),
    };
    let question = round.question.as_ref();
    let said = |side| {
        let answer = told.answers.iter();
        let mut answer = answer.filter(|of| Some(of.attempt) == attempt && of.side == side);
        let measured = round.answers.as_ref().map(|[a, b]| match side {
            Side::A => a,
            Side::B => b,
        });
        shown_answer(answer.next(), measured)
    };
    Round {
        number,
        heading,
        judged: verdict.is_some(),
        place: place(round),
        asked: question.map(|question| asked(told.view, question, verdict)),
        said: attempt.map_or_else(Vec::new, |_| [Side::A, Side::B].map(said).into()),
        lacks: verdict.zip(question).map_or_else(String::new, lacks),
        reason: reason(round, agents),
        targets: question.map_or_else(Vec::new, |question| question.targets.clone()),
    }
}

fn place(round: &RoundRecord) -> String {
    let pages = if round.width == 1 { "page" } else { "pages" };
    format!("level {}, {} {pages}", round.depth, round.width)
}

fn winner(verdict: &DuelVerdict, agents: &[String; 2]) -> String {
    let (agent, much) = match (verdict.verdict, verdict.tie_quality) {
        (DuelLabel::Tie, Some(TieQuality::High)) => return "a tie of good answers".to_owned(),
        (DuelLabel::Tie, _) => return "a tie of poor answers".to_owned(),
        (DuelLabel::AMuchBetter, _) => (&agents[0], "much "),
        (DuelLabel::ABetter, _) => (&agents[0], ""),
        (DuelLabel::BBetter, _) => (&agents[1], ""),
        (DuelLabel::BMuchBetter, _) => (&agents[1], "much "),
    };
    format!("{agent} is {much}better")
}

fn asked(view: &Overlay<'_>, question: &Question, verdict: Option<&DuelVerdict>) -> Asked {
    let source = |part| {
        move |id: &NodeId| Source {
            title: title(view, id),
            url: address(view, id),
            part,
        }
    };
    let chain = question.chain.iter().map(source("leads there"));
    let pages = chain.chain(question.targets.iter().map(source("is asked about")));
    let items = question.rubric.iter().enumerate().map(|(at, item)| {
        let marks = verdict.and_then(|verdict| {
            let mut marks = verdict.items.iter();
            marks.find(|mark| mark.item as usize == at + 1)
        });
        Item {
            kind: match item.kind {
                RubricKind::Width => "what of it",
                RubricKind::Depth => "which it is",
            },
            text: item.text.clone(),
            page: title(view, &item.node),
            quote: item.quote.clone(),
            marks: marks.map_or_else(Vec::new, |mark| vec![marked(mark.a), marked(mark.b)]),
        }
    });
    Asked {
        text: question.text.clone(),
        words: format!("{} to {}", question.length.least, question.length.most),
        items: items.collect(),
        pages: pages.collect(),
    }
}

fn address(view: &Overlay<'_>, id: &NodeId) -> String {
    let node = view.node(id);
    node.map_or_else(String::new, |node| node.page.url.clone())
}

/// The title of a page, or its address.
pub fn title(view: &Overlay<'_>, id: &NodeId) -> String {
    let title = view.node(id).and_then(|node| node.page.title.clone());
    title.unwrap_or_else(|| address(view, id))
}

fn marked(met: Met) -> Mark {
    let (word, style) = match met {
        Met::Met => ("met", "good"),
        Met::Missed => ("missed", "bad"),
        Met::Unclear => ("unclear", "doubtful"),
    };
    Mark { word, style }
}

fn shown_answer(answer: Option<&DuelAnswer>, measured: Option<&AnswerFacts>) -> ShownAnswer {
    let Some(answer) = answer else {
        return ShownAnswer {
            note: "not asked".to_owned(),
            text: String::new(),
        };
    };
    let mut note = match measured {
        Some(of) => format!("{} words, {} references", of.words, of.references),
        None => String::new(),
    };
    if answer.state != State::Ok {
        note = format!("no answer ({}): {}", answer.state.word(), answer.why);
    }
    ShownAnswer {
        note,
        text: answer.text.clone(),
    }
}

fn lacks((verdict, question): (&DuelVerdict, &Question)) -> String {
    let who = match verdict.verdict.winner() {
        Some(_) => "The loser",
        None => "Both",
    };
    let tags = Tags::of(verdict, &question.rubric);
    let what = match tags.deciding() {
        FailureTag::Deep => "missed which thing was asked about (DEEP)",
        FailureTag::Wide => "missed what was asked of it (WIDE)",
        FailureTag::Both => "missed which thing was asked about, and what of it (BOTH)",
        FailureTag::None => "missed no item (NONE)",
    };
    let by = match tags.derived {
        Some(_) => "by the marks",
        None => "by the judge's word",
    };
    format!("{who} {what}, {by}.")
}

fn reason(round: &RoundRecord, agents: &[String; 2]) -> String {
    match &round.end {
        None => "It is being played.".to_owned(),
        Some(RoundEnd::Judged(RoundOutcome::Judged(verdict))) => verdict.reason.clone(),
        Some(RoundEnd::Judged(RoundOutcome::Abstained { reason })) => {
            format!("The judge cannot tell: {reason}")
        }
        Some(RoundEnd::Judged(RoundOutcome::Invalid(why))) => {
            format!("There is no verdict: {}", why.reason)
        }
        Some(RoundEnd::Failed(failure)) => match failure {
            Failure::Question(why) => format!("There is no question: {}", why.reason),
            Failure::Refused { reasons } => {
                format!("The question was refused: {}", reasons.join("; "))
            }
            Failure::Answer { side, .. } => {
                format!("{} did not answer", agents[usize::from(*side == Side::B)])
            }
            Failure::Answers { .. } => "Neither answered".to_owned(),
        },
    }
}
