//! `taskgen audit plan`: how many items, and how many people, a study of agreement needs.

use anyhow::Result;
use serde::Serialize;

use crate::{
    cli::{
        args::Plan,
        ui::{
            exit::{self, Usage},
            output::{Printer, table},
        },
    },
    stats::sample_size::{self, deviation_with},
};

/// A question with its answer.
#[derive(Serialize)]
struct Planned {
    /// What is to be found out.
    what: String,
    /// What is judged: items, tasks or pairs of reports.
    unit: &'static str,
    /// So many of them.
    n: u64,
    /// People who judge each.
    people: u64,
    /// Judgements in all.
    judgements: u64,
    /// The formula's source.
    source: &'static str,
}

/// Runs the command. It needs no project.
pub fn run(args: &Plan, printer: &Printer) -> Result<u8> {
    let planned = plan(args)?;
    if planned.is_empty() {
        return Err(Usage(
            "nothing to plan for: name what you expect, with --share, --kappa, --reliability, \
             --difference or --preference\nhint: `taskgen audit plan --kappa 0.6 --width 0.2`"
                .to_owned(),
        )
        .into());
    }
    printer.show(&planned, |planned| text(planned))?;
    Ok(exit::DONE)
}

/// Refuses what no study can have.
fn check(args: &Plan) -> Result<(), Usage> {
    if args.width >= 1.0 {
        return Err(Usage(
            "an interval is narrower than all that is possible\nhint: --width below 1".to_owned(),
        ));
    }
    if !(0.5..1.0).contains(&args.power) {
        return Err(Usage(
            "a study should find at least half of what is there, and none finds all\nhint: --power from 0.5 to below 1".to_owned(),
        ));
    }
    Ok(())
}

fn plan(args: &Plan) -> Result<Vec<Planned>> {
    check(args)?;
    let width = args.width;
    let mut planned = Vec::new();
    if let Some(share) = args.share {
        let n = sample_size::for_share(share, width);
        let what = format!("a share of agreement near {share}, ± {}", width / 2.0);
        planned.push(row(what, "items", n, args.people, "Wilson 1927")?);
    }
    if let Some(kappa) = args.kappa {
        let n = sample_size::for_kappa(kappa, args.prevalence, width);
        let what = format!(
            "Cohen's κ near {kappa}, ± {}, of two people and two answers, one of them right for {} of the items",
            width / 2.0,
            args.prevalence
        );
        let source = "Bloch and Kraemer 1989; Donner and Eliasziw 1992";
        planned.push(row(what, "items", n, 2, source)?);
    }
    if let Some(reliability) = args.reliability.filter(|_| args.difference.is_none()) {
        let n = sample_size::for_reliability(reliability, args.people, width);
        let what = format!(
            "the reliability of one person's scores near {reliability}, ± {}",
            width / 2.0
        );
        planned.push(row(what, "items", n, args.people, "Bonett 2002")?);
    }
    if let (Some(difference), Some(deviation)) = (args.difference, args.deviation) {
        // Where nobody says how noisy people are, the deviation is that of the scores as they are.
        let of_mean = deviation_with(deviation, args.reliability.unwrap_or(1.0), args.people);
        let n = of_mean.and_then(|of| sample_size::for_difference(difference, of, args.power));
        let what = format!(
            "two agents that differ by {difference}, found in {:.0} % of studies",
            args.power * 100.0
        );
        let source = "Guenther 1981; Spearman and Brown 1910";
        planned.push(row(what, "tasks", n, args.people, source)?);
    }
    if let Some(preferred) = args.preference {
        let n = sample_size::for_preference(preferred, args.power);
        let what = format!(
            "an agent that is preferred in {preferred} of the pairs, found in {:.0} % of studies",
            args.power * 100.0
        );
        planned.push(row(what, "pairs of reports", n, 1, "Noether 1987")?);
    }
    Ok(planned)
}

fn row(
    what: String,
    unit: &'static str,
    n: Option<u64>,
    people: u64,
    source: &'static str,
) -> Result<Planned> {
    let n = n.ok_or_else(|| {
        Usage(format!(
            "no number of {unit} does that: {what}\nhint: an expected value of 1, or a preference of \
             0.5, leaves nothing to find; one person tells no reliability"
        ))
    })?;
    Ok(Planned {
        what,
        unit,
        n,
        people,
        judgements: n.saturating_mul(people),
        source,
    })
}

fn text(planned: &[Planned]) -> String {
    let mut rows = table(&["to find out", "needs", "people", "judgements", "formula"]);
    for of in planned {
        rows.add_row(vec![
            of.what.clone(),
            format!("{} {}", of.n, of.unit),
            of.people.to_string(),
            of.judgements.to_string(),
            of.source.to_owned(),
        ]);
    }
    format!(
        "{rows}\nintervals of 95 %, two-sided tests at .05; two agents have two reports on each task, \
         which the same people score"
    )
}
