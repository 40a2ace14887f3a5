//! Reports of a project and their verdicts as Wiki Live Challenge's files: the first report of each
//! agent on each task with a gold article.

use std::collections::BTreeMap;

use anyhow::Result;

use super::{
    facts::{self, GoldStatements, ReportStatements},
    writing,
};
use crate::{
    benchmarks::wiki_live_challenge::{
        files::{ArticleFile, VerifiabilityFile, WritingFile},
        layout::stem_of,
        made::SourcedFact,
    },
    data::{GoldArticle, ReportHead, Task, TaskId},
    evaluate::{
        attempts,
        file_names::{as_name, distinct, folders_of},
    },
    evidence::{prose, reading},
    store::{Evaluation, PanelJudgements, Store},
};

/// Characters of titles that stand in the benchmark's names of files, too.
const PUNCTUATION: [char; 6] = [':', '*', '?', '"', '<', '>'];

/// A report in the layout of the benchmark.
pub struct Placed<'a> {
    /// The report.
    pub head: &'a ReportHead,
    /// Its task.
    pub task: &'a Task,
    /// The gold article of the task.
    pub gold: &'a GoldArticle,
    /// Folder of the agent.
    pub folder: String,
    /// What the article's files are called.
    pub stem: String,
}

/// What the files of each gold article are called: its title with underscores, as the benchmark has
/// it, unless that would be no file.
pub fn stems(gold: &BTreeMap<TaskId, GoldArticle>) -> BTreeMap<&TaskId, String> {
    distinct(gold.iter().map(|(task, of)| {
        let stem = stem_of(&of.title);
        let is_file = as_name(&stem.replace(PUNCTUATION, "_")) == stem.replace(PUNCTUATION, "_");
        (task, if is_file { stem } else { as_name(&stem) })
    }))
}

/// The reports by agent and task.
pub fn placed<'a>(
    tasks: &'a [Task],
    heads: &'a [ReportHead],
    gold: &'a BTreeMap<TaskId, GoldArticle>,
) -> Vec<Placed<'a>> {
    let stems = stems(gold);
    let mut firsts = attempts::first_on(tasks, heads);
    firsts.retain(|(head, _)| gold.contains_key(&head.task));
    let folders = folders_of(firsts.iter().map(|(head, _)| head.agent.as_str()));
    let placed = firsts.into_iter().map(|(head, task)| Placed {
        head,
        task,
        gold: &gold[&head.task],
        folder: folders[head.agent.as_str()].clone(),
        stem: stems[&head.task].clone(),
    });
    placed.collect()
}

/// A report as the benchmark has articles in JSON: text, statements (those of the model, where one
/// wrote them), and the addresses that they cite. Pages are left out: they belong to their owners.
pub fn article(of: &Placed<'_>, text: &str, own: &ReportStatements<'_>) -> Result<ArticleFile> {
    let by_model = own.by_model(&of.head.id, text)?;
    let statements = by_model
        .unwrap_or_else(|| reading::sourced(text))
        .into_iter();
    let statements: Vec<SourcedFact> = statements
        .map(|of| SourcedFact {
            text: of.text,
            urls: of.urls,
            numbers: of.numbers,
        })
        .collect();
    let plain = prose::without_sources(text);
    let source = format!("{}.md", of.stem);
    let numbered = reading::numbered_sources(text);
    let title = &of.gold.title;
    Ok(ArticleFile::of_report(
        title,
        &plain,
        &statements,
        &numbered,
        &source,
    ))
}

/// The verdicts of a judge.
pub struct JudgeResults {
    /// `provider/model`.
    pub judge: String,
    /// Those on each report, by its place among the reports.
    pub articles: Vec<(usize, ArticleResults)>,
}

/// The verdicts of a judge on a report.
#[derive(Default)]
pub struct ArticleResults {
    /// By criteria, with the report first and with the gold article first.
    pub writing: [Option<WritingFile>; 2],
    /// On statements.
    pub facts: Option<VerifiabilityFile>,
}

impl ArticleResults {
    fn is_empty(&self) -> bool {
        self.facts.is_none() && self.writing.iter().all(Option::is_none)
    }
}

/// The verdicts of each judge in force that said anything of these reports, by its name.
pub fn judges(store: &Store, placed: &[Placed<'_>]) -> Result<Vec<JudgeResults>> {
    let evaluation = store.last_evaluation()?.unwrap_or_default();
    let judgements = store.panel_judgements(&evaluation)?;
    let mut judges: BTreeMap<String, Vec<(usize, ArticleResults)>> = BTreeMap::new();
    let reader = facts::Reader::in_force(&evaluation);
    let names = evaluation.judges([writing::CRITERION, facts::IN_REPORT, facts::IN_GOLD]);
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let own = ReportStatements::new(&evaluation, &judgements);
    // Read once for all agents.
    let mut gold: BTreeMap<&TaskId, GoldStatements> = BTreeMap::new();
    for (place, of) in placed.iter().enumerate() {
        let article = gold
            .entry(&of.task.id)
            .or_insert_with(|| GoldStatements::new(of.gold, reader));
        let text = store.report_text(&of.head.id)?;
        for name in &names {
            let texts = (text.as_str(), &own, &*article);
            let results = results(&judgements, &evaluation, of, texts, name)?;
            if !results.is_empty() {
                let all = judges.entry(name.clone()).or_default();
                all.push((place, results));
            }
        }
    }
    let judges = judges.into_iter();
    Ok(judges
        .map(|(judge, articles)| JudgeResults { judge, articles })
        .collect())
}

fn results(
    judgements: &PanelJudgements<'_>,
    evaluation: &Evaluation,
    of: &Placed<'_>,
    (text, own, gold): (&str, &ReportStatements<'_>, &GoldStatements),
    judge: &str,
) -> Result<ArticleResults> {
    let (report, title) = (&of.head.id, of.gold.title.as_str());
    Ok(ArticleResults {
        writing: writing::writing_by(judgements, evaluation, report, of.gold, judge)?,
        facts: facts::facts_by(judgements, own, (report, text), gold, title, judge)?,
    })
}
