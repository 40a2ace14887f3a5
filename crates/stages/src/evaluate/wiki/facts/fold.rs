//! From stored verdicts in both directions to shares of the gold article and of the report.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::{
    BORNE_OUT, CONFLICT, COPIED, COUNTED, COVERED, DENIED, IN_GOLD, IN_REPORT, LEAKED, REPRESENTED,
    Reader,
    gather::{self, Plan},
};
use crate::{
    data::{GoldArticle, Instrument, ReportId, Score, Task, TaskId},
    evaluate::{
        evaluator::{Fold, Folded, Record, Reported},
        stances,
        statements::Figures,
    },
    evidence::support::Stance,
    store::{Evaluation, PanelJudgements, Store, StoredJudgement},
};

/// Scores reports by verdicts on statements.
pub struct FactsFold {
    /// Judges in force; none where nobody was asked.
    panel: usize,
    /// How articles were cut.
    reader: Reader,
    /// Of each gold article: its name, and the ids of its statements.
    gold: BTreeMap<TaskId, (String, Vec<String>)>,
}

impl FactsFold {
    pub fn new(store: &Store, evaluation: &Evaluation) -> Result<Self> {
        let panel = evaluation.in_force(IN_REPORT).panel.len();
        let reader = Reader::in_force(evaluation);
        let articles = match panel {
            0 => BTreeMap::new(),
            _ => store.gold()?,
        };
        let gold = articles.into_iter().map(|(task, article)| {
            let ids = gather::of_gold(&article, reader)
                .into_iter()
                .map(|(id, _)| id);
            (task, (gather::name_of(&article), ids.collect()))
        });
        Ok(Self {
            panel,
            reader,
            gold: gold.collect(),
        })
    }
}

impl Fold for FactsFold {
    fn score(&self, record: &Record<'_>, task: &Task, report: Reported<'_>) -> Result<Folded> {
        let mut folded = Folded::default();
        if self.panel == 0 {
            return Ok(folded);
        }
        let Some((gold, statements)) = self.gold.get(&task.id) else {
            folded
                .scores
                .insert(COVERED, Score::missing("no gold article"));
            return Ok(folded);
        };
        let covered = Counts::of(&record.judgements, IN_REPORT, report.id, statements)?;
        covered.put(&mut folded, self.panel, COVERED, DENIED);
        let mut plans = plans(&record.judgements, report.id)?.into_iter();
        let Some(plan) = plans.find(|plan| plan.gold == *gold) else {
            let by_model = (self.reader == Reader::Model).then_some(REPRESENTED);
            for key in [BORNE_OUT, CONFLICT, LEAKED, COPIED]
                .into_iter()
                .chain(by_model)
            {
                folded.scores.insert(key, Score::missing("unscored"));
            }
            return Ok(folded);
        };
        let mut held = Counts::of(&record.judgements, IN_GOLD, report.id, &plan.statements)?;
        if plan.over_limit > 0 {
            held.unscored
                .insert("over_limit".to_owned(), plan.over_limit);
        }
        if let Some(extracted) = &plan.extracted {
            // A sentence without a reply would have been a statement or more.
            for (cause, n) in &extracted.unread {
                held.unscored.insert(format!("no statements: {cause}"), *n);
            }
            folded.scores.insert(REPRESENTED, represented(extracted));
        }
        held.put(&mut folded, self.panel, BORNE_OUT, CONFLICT);
        let leaked = match (self.reader, plan.all()) {
            // Its sentences have no addresses.
            (Reader::Compat, _) => Score::missing("not looked for"),
            (_, 0) => Score::missing("no statements"),
            (_, all) => Score::ratio(plan.leaked as f64, all as f64),
        };
        folded.scores.insert(LEAKED, leaked);
        folded
            .scores
            .insert(COPIED, Score::number(plan.copied, "a short text"));
        Ok(folded)
    }
}

/// Share of the sentences that the statements of a model rest on.
fn represented(of: &Figures) -> Score {
    let score = match (of.read(), of.sentences) {
        (0, 0) => Score::missing("no sentences"),
        (0, _) => Score::missing("unscored"),
        (read, _) => Score::ratio(of.represented as f64, read as f64),
    };
    Score {
        unscored: of.unread.values().sum(),
        ..score
    }
}

/// The statements of a report as they were counted; one for each gold article that it was held
/// against.
fn plans(judgements: &PanelJudgements<'_>, report: &ReportId) -> Result<Vec<Plan>> {
    let plan = |stored: &StoredJudgement<'_>| stored.payload::<Plan>();
    let plans = judgements.read_bare(COUNTED, report.as_str(), plan)?;
    Ok(plans.into_iter().filter_map(|of| of.outcome.ok()).collect())
}

/// How a model's statements of a report came about; none where they are sentences.
pub fn extracted(
    judgements: &PanelJudgements<'_>,
    report: &ReportId,
    gold: &GoldArticle,
) -> Result<Option<Figures>> {
    let name = gather::name_of(gold);
    let mut plans = plans(judgements, report)?.into_iter();
    Ok(plans
        .find(|plan| plan.gold == name)
        .and_then(|plan| plan.extracted))
}

/// Statements by what the other text says of them.
#[derive(Default)]
struct Counts {
    supported: u64,
    contradicted: u64,
    silent: u64,
    /// Those without a verdict, by cause.
    unscored: BTreeMap<String, u64>,
    /// By judge: how many it calls supported, contradicted and silent.
    by_judge: BTreeMap<String, [u64; 3]>,
}

impl Counts {
    fn of(
        judgements: &PanelJudgements<'_>,
        instrument: Instrument,
        report: &ReportId,
        statements: &[String],
    ) -> Result<Self> {
        let all = stances::by_judge(judgements, instrument, report.as_str())?;
        let verdicts = stances::of_panel(&all);
        let mut counts = Self::default();
        let asked: BTreeSet<&str> = statements.iter().map(String::as_str).collect();
        for judgement in all.iter().filter(|of| asked.contains(of.about.as_str())) {
            if let Ok(stance) = judgement.outcome {
                let own = counts.by_judge.entry(judgement.judge.clone()).or_default();
                own[stance as usize] += 1;
            }
        }
        for statement in statements {
            match verdicts.get(statement) {
                Some(Ok(Stance::Supports)) => counts.supported += 1,
                Some(Ok(Stance::Contradicts)) => counts.contradicted += 1,
                Some(Ok(Stance::Silent)) => counts.silent += 1,
                Some(Err(cause)) => *counts.unscored.entry(cause.clone()).or_default() += 1,
                None => *counts.unscored.entry("missing".to_owned()).or_default() += 1,
            }
        }
        Ok(counts)
    }

    fn put(
        self,
        folded: &mut Folded,
        panel: usize,
        supported: &'static str,
        contradicted: &'static str,
    ) {
        let decided = self.supported + self.contradicted + self.silent;
        let unscored = self.unscored.values().sum();
        let share = |n: u64| match decided {
            0 if unscored == 0 => Score::missing("no statements"),
            0 => Score::missing("unscored"),
            _ => Score::ratio(n as f64, decided as f64),
        };
        for (key, n) in [
            (supported, self.supported),
            (contradicted, self.contradicted),
        ] {
            let score = share(n);
            folded.scores.insert(key, Score { unscored, ..score });
        }
        if panel > 1 {
            for (key, at) in [(supported, 0), (contradicted, 1)] {
                let shares = self.by_judge.iter().map(|(judge, counts)| {
                    let decided: u64 = counts.iter().sum();
                    (judge.clone(), counts[at] as f64 / decided as f64)
                });
                folded.by_judge.insert(key, shares.collect());
            }
        }
        for (cause, n) in self.unscored {
            *folded.unscored.entry(cause).or_default() += n;
        }
    }
}
