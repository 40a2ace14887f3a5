//! What the reviews of inspirations and of tasks share: the reviewer's name, which of all things a
//! reviewer is shown, and how people agree.

use anyhow::Result;

pub use crate::audit::people::{Pair, Votes, agreement};
use crate::{
    cli::{args::Reviewing, ui::exit::Usage},
    data::Standing,
    text::words::one_line,
};

/// The reviewer's name: the given one, else the user's.
pub fn name(given: Option<&str>) -> Result<String> {
    let name = given
        .map(str::to_owned)
        .or_else(user)
        .unwrap_or_else(|| "somebody".to_owned());
    let name = one_line(&name);
    if name.is_empty() {
        return Err(Usage("a reviewer needs a name\nhint: --reviewer NAME".into()).into());
    }
    Ok(name)
}

fn user() -> Option<String> {
    ["USER", "LOGNAME"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|user| !user.is_empty()))
}

/// Whether a reviewer is shown a thing that people said this of.
pub fn is_shown(args: &Reviewing, reviewer: &str, votes: &Votes, standing: Standing) -> bool {
    if args.disputed {
        return standing == Standing::Disputed;
    }
    let is_judged = votes.contains_key(reviewer);
    let others = votes.len() - usize::from(is_judged);
    (args.again || !is_judged) && (!args.second || others > 0)
}

/// Why a reviewer is shown nothing.
pub fn nothing_to_review(args: &Reviewing, reviewer: &str) -> String {
    if args.disputed {
        "reviewers disagree on none".to_owned()
    } else if args.second {
        format!("there is nothing that another has judged and {reviewer} has not")
    } else {
        format!("{reviewer} has judged all of them\nhint: --again shows them once more")
    }
}

/// A line for each two people.
pub fn agreement_text(pairs: &[Pair]) -> String {
    let mut out = String::new();
    for pair in pairs {
        let [one, other] = &pair.people;
        let agreed = agreed(pair.n, pair.share, pair.kappa);
        out.push_str(&format!("\n{one} and {other}: {agreed}"));
    }
    out
}

/// Share and κ for people.
pub fn agreed(n: usize, share: Option<f64>, kappa: Option<f64>) -> String {
    let share = share.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", share * 100.0));
    let kappa = kappa.map_or_else(|| "–".to_owned(), |kappa| format!("{kappa:.2}"));
    format!("{share} of {n}, Cohen's kappa {kappa}")
}
