//! `taskgen wiki facts`: which statements of gold articles reports say, by place, and where the two
//! contradict each other.

use std::{collections::BTreeMap, path::Path};

use anyhow::Result;
use serde::Serialize;

use crate::{
    cli::{
        args::Global,
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, counted, on_one_line, table},
        },
    },
    data::TaskId,
    evaluate::{
        wiki_facts::{
            AgentPositions, Conflict, Figures, GoldStatements, Part, Reader, ReportStatements,
            StatementOf, conflicts, extracted, positions, stands_out,
        },
        wiki_files,
    },
    lint::dispute::Kind,
    report::analysis_page::{self, AnalysisPage, Cell, Grid, Pair, Side, forest, grid},
    stats::bootstrap::Estimate,
};

/// Conflicts that are listed; `--json` has all.
const SHOWN: usize = 10;
/// Conflicts on a page.
const ON_PAGE: usize = 500;
/// Characters of a sentence in a list.
const SENTENCE: usize = 200;

/// What is shown.
#[derive(Serialize)]
struct Shown {
    reports: usize,
    /// How articles were cut into statements.
    reader: Reader,
    agents: Vec<AgentPositions>,
    /// By agent how the statements of its reports came about, where a model wrote them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    statements: BTreeMap<String, Figures>,
    /// By agent how many conflicts there are of each kind.
    kinds: BTreeMap<String, BTreeMap<Kind, usize>>,
    conflicts: Vec<Conflict>,
}

/// Runs the command.
pub fn run(
    global: &Global,
    set: Option<&str>,
    html: Option<&Path>,
    printer: &Printer,
) -> Result<u8> {
    let project = Project::find(global)?;
    let store = project.read_or_hint()?;
    let tasks = super::tasks(&store, set)?;
    let heads = store.report_heads()?;
    let gold = store.gold()?;
    let placed = wiki_files::placed(&tasks, &heads, &gold);
    let evaluation = store.last_evaluation()?.unwrap_or_default();
    let judgements = store.panel_judgements(&evaluation)?;
    let seed = project.loaded.config.seed;
    let reader = Reader::in_force(&evaluation);
    let articles: BTreeMap<&TaskId, GoldStatements> = gold
        .iter()
        .map(|(task, article)| (task, GoldStatements::new(article, reader)))
        .collect();
    let reports = placed.iter().map(|of| of.head);
    let agents = positions(&judgements, reports, &articles, seed)?;
    if agents.is_empty() {
        let hint = "`taskgen wiki import FOLDER`, then `taskgen evaluate --metric facts`";
        return Err(Usage(format!("no report has verdicts on facts\nhint: {hint}")).into());
    }
    let own = ReportStatements::new(&evaluation, &judgements);
    let mut found = Vec::new();
    let mut statements: BTreeMap<String, Figures> = BTreeMap::new();
    for of in &placed {
        let text = store.report_text(&of.head.id)?;
        let article = (of.gold, &articles[&of.task.id]);
        found.extend(conflicts(&judgements, &own, (of.head, &text), article)?);
        if let Some(figures) = extracted(&judgements, &of.head.id, of.gold)? {
            let sum = statements.entry(of.head.agent.clone()).or_default();
            sum.absorb(&figures);
        }
    }
    let mut kinds: BTreeMap<String, BTreeMap<Kind, usize>> = BTreeMap::new();
    for conflict in &found {
        let own = kinds.entry(conflict.agent.clone()).or_default();
        *own.entry(conflict.kind).or_default() += 1;
    }
    // First what code can name, kind by kind; of each the order of agents and statements stays.
    found.sort_by_key(|conflict: &Conflict| conflict.kind);
    let shown = Shown {
        reports: placed.len(),
        reader,
        agents,
        statements,
        kinds,
        conflicts: found,
    };
    if let Some(path) = html {
        analysis_page::write(&page(&shown), path)?;
        printer.note(&format!("written: `{}`", path.display()));
    }
    printer.show(&shown, text)?;
    Ok(exit::DONE)
}

fn text(of: &Shown) -> String {
    let parts = of.agents.first().map_or(0, |agent| agent.parts.len());
    let mut head: Vec<String> = ["agent", "facts", "said"].map(str::to_owned).to_vec();
    head.extend((1..=parts).map(|n| n.to_string()));
    head.push("half 2 − 1".to_owned());
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut rows = table(&head);
    for agent in &of.agents {
        let mut row = vec![
            on_one_line(&agent.agent),
            decided(agent),
            percent(agent.covered.map(|of| of.value)),
        ];
        row.extend(agent.parts.iter().map(part));
        row.push(difference(agent.second_half));
        rows.add_row(row);
    }
    let mut out = format!(
        "{rows}\nfacts: statements of gold articles with a verdict; said: the share of all of them (a leaderboard counts each article the same)\n1 to {parts}: shares of the statements of gold articles that a report says, in percent, from their \
         beginning to their end\n* differs from the agent's share of the whole by more than chance (95 %, by \
         resampling articles; one in twenty does so for nothing)\n"
    );
    for agent in of.agents.iter().filter(|agent| !agent.unscored.is_empty()) {
        let causes = counted(&agent.unscored, "none");
        out.push_str(&format!(
            "{} without a verdict: {causes}\n",
            on_one_line(&agent.agent)
        ));
    }
    if of.reader == Reader::Compat {
        out.push_str("statements are cut by the benchmark's own reader\n");
    }
    if of.reader == Reader::Model {
        out.push_str("statements of reports are a model's\n");
    }
    for (agent, figures) in &of.statements {
        out.push_str(&format!("{}: {}\n", on_one_line(agent), figures.told()));
    }
    if of.conflicts.is_empty() {
        out.push_str("no statement is contradicted");
        return out;
    }
    out.push_str(&format!("\n{} contradictions\n", of.conflicts.len()));
    for (agent, kinds) in &of.kinds {
        out.push_str(&format!("{}: {}\n", on_one_line(agent), kinds_told(kinds)));
    }
    for conflict in of.conflicts.iter().take(SHOWN) {
        out.push_str(&listed(conflict));
    }
    if of.conflicts.len() > SHOWN {
        let more = of.conflicts.len() - SHOWN;
        out.push_str(&format!("and {more} more: --html FILE, or --json\n"));
    }
    out
}

/// Statements with a verdict, of how many.
fn decided(of: &AgentPositions) -> String {
    let without: u64 = of.unscored.values().sum();
    match without {
        0 => of.decided.to_string(),
        n => format!("{}/{}", of.decided, of.decided + n),
    }
}

fn listed(of: &Conflict) -> String {
    let short = |text: &str| -> String {
        let short: String = text.chars().take(SENTENCE).collect();
        on_one_line(&short)
    };
    format!(
        "\n{}: {}, {}\n  report: {}\n  gold:   {}\n",
        word(of.kind),
        on_one_line(&of.agent),
        on_one_line(&of.article),
        short(&of.in_report),
        short(&of.in_gold)
    )
}

fn kinds_told(kinds: &BTreeMap<Kind, usize>) -> String {
    let kinds: BTreeMap<&str, usize> = kinds.iter().map(|(kind, n)| (word(*kind), *n)).collect();
    counted(&kinds, "none")
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Number => "number",
        Kind::Date => "date",
        Kind::Entity => "name",
        Kind::Polarity => "negation",
        Kind::Other => "other",
    }
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.1}", 100.0 * share))
}

fn part(of: &Part) -> String {
    let mark = if of.stands_out() { "*" } else { "" };
    format!("{}{mark}", percent(of.share()))
}

fn difference(of: Option<Estimate>) -> String {
    let Some(found) = of else {
        return "–".to_owned();
    };
    let mark = if stands_out(of) { "*" } else { "" };
    format!("{:+.1}{mark}", 100.0 * found.value)
}

fn page(of: &Shown) -> AnalysisPage {
    let parts = of.agents.first().map_or(0, |agent| agent.parts.len());
    let map = Grid {
        id: "parts",
        title: "Facts by place in the gold article".to_owned(),
        caption: format!(
            "Share of the statements of gold articles that the reports say, in percent; articles are cut into {parts} \
             parts of equally many statements. * differs from the agent's share of the whole by more than chance \
             (95 %, by resampling articles); one cell in twenty does so for nothing."
        ),
        best_is_high: true,
        columns: (1..=parts).map(|n| n.to_string()).collect(),
        rows: of
            .agents
            .iter()
            .map(|agent| {
                let cells = agent.parts.iter().map(|of| Cell {
                    share: of.share(),
                    stands_out: of.stands_out(),
                });
                (agent.agent.clone(), cells.collect())
            })
            .collect(),
    };
    let halves: Vec<(String, Option<Estimate>)> = of
        .agents
        .iter()
        .map(|agent| (agent.agent.clone(), agent.second_half))
        .collect();
    let halves = forest(
        "halves",
        "The second half beside the first",
        "Share of the statements in the second half of gold articles minus that in the first, with 95 % intervals.",
        "difference of shares",
        &halves,
    );
    let facts = of
        .kinds
        .iter()
        .map(|(agent, kinds)| (format!("Contradictions of {agent}"), kinds_told(kinds)));
    let statements = of.statements.iter();
    let statements =
        statements.map(|(agent, figures)| (format!("Statements of {agent}"), figures.told()));
    let warnings = of.agents.iter().filter(|agent| !agent.unscored.is_empty());
    let warnings = warnings.map(|agent| {
        let causes = counted(&agent.unscored, "none");
        format!(
            "{}: {} statements have a verdict; without: {causes}",
            agent.agent,
            decided(agent)
        )
    });
    let first = ("Reports".to_owned(), of.reports.to_string());
    AnalysisPage {
        title: "Facts beside gold articles".to_owned(),
        facts: std::iter::once(first)
            .chain(statements)
            .chain(facts)
            .collect(),
        figures: std::iter::once(grid(&map)).chain(halves).collect(),
        pairs: of.conflicts.iter().take(ON_PAGE).map(pair).collect(),
        warnings: warnings.collect(),
        left_out: of.conflicts.len().saturating_sub(ON_PAGE),
    }
}

fn pair(of: &Conflict) -> Pair {
    let in_report = of.differences.iter().map(|of| of.first.start..of.first.end);
    let in_gold = of
        .differences
        .iter()
        .map(|of| of.second.start..of.second.end);
    let asked = match of.statement_of {
        StatementOf::Report => "asked of the report's statement",
        StatementOf::Gold => "asked of the gold article's statement",
    };
    Pair {
        kind: word(of.kind).to_owned(),
        place: format!("{}, {} ({asked})", of.agent, of.article),
        sides: [
            Side::new("The report", &of.in_report, &in_report.collect::<Vec<_>>()),
            Side::new(
                "The gold article",
                &of.in_gold,
                &in_gold.collect::<Vec<_>>(),
            ),
        ],
        reason: of.reason.clone(),
    }
}
