//! What an evaluation of the reports must find, from tables of what was planted: which pages each
//! report cites, and what it says rightly and wrongly. Hides only counting; nothing here looks at a
//! report's or a page's text.

use std::collections::BTreeSet;

use super::{
    agents::AGENTS,
    facts::TASKS,
    judge::{WEIGHTS, rating_for},
    pages::{Kind, facts_of, find},
};

/// Key points that a report supports, contradicts and omits.
pub type Shares = (usize, usize, usize);

/// What must be found for one report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// Against the pages that it cites; none where none of them can be read.
    pub own: Option<Shares>,
    /// Against the pages that the other agents cite for the task.
    pub independent: Option<Shares>,
    /// Weighted mean of the ratings, 0 to 10.
    pub ace: f64,
    /// Distinct addresses that it cites.
    pub references: usize,
    /// Of those, the ones that give no text.
    pub unreadable: usize,
}

/// A report whose expectation has changed.
pub type Changed = (&'static str, &'static str, Expected);

/// What must be found for the report of `agent` on the task with this key.
pub fn expected(agent: &str, task: &str) -> Expected {
    count(planted(agent, task), "")
}

/// The reports for which something else must be found once the page at `path` is gone, in the order
/// of the tables.
pub fn expected_without(path: &str) -> Vec<Changed> {
    changes(|planted| count(planted, path))
}

/// The same once two agents have handed in each other's reports, for every task.
pub fn expected_after_swap(first: &str, second: &str) -> Vec<Changed> {
    let author = |agent: &'static str| match agent {
        _ if agent == first => second.to_owned(),
        _ if agent == second => first.to_owned(),
        _ => agent.to_owned(),
    };
    // Who the others are does not change for a report: its author's name is all that moves.
    changes(|of| expected(&author(of.agent), of.task))
}

fn changes(now: impl Fn(&Planted) -> Expected) -> Vec<Changed> {
    let all = PLANTED
        .iter()
        .map(|planted| (planted.agent, planted.task, now(planted)));
    all.filter(|(agent, task, now)| *now != expected(agent, task))
        .collect()
}

/// What was planted in one report.
struct Planted {
    agent: &'static str,
    task: &'static str,
    /// Paths of the addresses that it cites, without what only tracks or points into a page.
    cites: &'static [&'static str],
    right: &'static [&'static str],
    wrong: &'static [&'static str],
    /// Codes in it that no page has.
    invented: usize,
}

const FAITHFUL: &str = AGENTS[0];
const HALF: &str = AGENTS[1];
const TRICKY: &str = AGENTS[2];
const SOIL: &str = TASKS[0].key;
const HARBOUR: &str = TASKS[1].key;
const TEA: &str = TASKS[2].key;
const OPERA: &str = TASKS[3].key;

const PLANTED: [Planted; 12] = [
    Planted {
        agent: FAITHFUL,
        task: SOIL,
        cites: &[
            "/soil/terraces",
            "/soil/clay-plots",
            "/soil/roots.pdf",
            "/soil/notes.txt",
        ],
        right: &[
            "K-14", "K-15", "K-16", "K-21", "K-31", "K-32", "K-41", "K-51",
        ],
        wrong: &[],
        invented: 0,
    },
    Planted {
        agent: HALF,
        task: SOIL,
        cites: &[
            "/soil/terraces-mirror",
            "/soil/mulch",
            "/soil/open-letter",
            "/soil/old-frost",
        ],
        right: &["K-14", "K-51", "K-61"],
        wrong: &["K-15", "K-52", "K-62"],
        invented: 0,
    },
    Planted {
        agent: TRICKY,
        task: SOIL,
        cites: &[
            "/soil/terraces",
            "/soil/clay-plots",
            "/soil/roots.pdf",
            "/soil/notes.txt",
        ],
        right: &[],
        wrong: &[],
        invented: 0,
    },
    Planted {
        agent: FAITHFUL,
        task: HARBOUR,
        cites: &[
            "/harbour/ferries",
            "/harbour/quay-noise",
            "/harbour/batteries.pdf",
            "/harbour/wakes",
        ],
        right: &["H-11", "H-12", "H-21", "H-31", "H-32", "H-51", "H-71"],
        wrong: &[],
        invented: 0,
    },
    Planted {
        agent: HALF,
        task: HARBOUR,
        cites: &[
            "/harbour/wakes",
            "/harbour/berths.txt",
            "/harbour/tides",
            "/harbour/today",
            "/harbour/go",
        ],
        right: &["H-41", "H-51", "H-71"],
        wrong: &["H-42", "H-52", "H-72"],
        invented: 0,
    },
    Planted {
        agent: TRICKY,
        task: HARBOUR,
        cites: &[
            "/harbour/annual-report",
            "/harbour/proceedings/volume-9.pdf",
            "/harbour/press/quiet-ferries",
        ],
        right: &["H-41"],
        wrong: &["H-11"],
        invented: 1,
    },
    Planted {
        agent: FAITHFUL,
        task: TEA,
        cites: &[
            "/tea/pests",
            "/tea/shade",
            "/tea/acid",
            "/tea/diary.txt",
            "/tea/residue",
        ],
        right: &[
            "T-11", "T-12", "T-21", "T-22", "T-31", "T-32", "T-51", "T-61", "T-81",
        ],
        wrong: &[],
        invented: 0,
    },
    Planted {
        agent: HALF,
        task: TEA,
        cites: &[
            "/tea/pests-mirror",
            "/tea/wither",
            "/tea/weeds",
            "/tea/frost",
        ],
        right: &["T-11", "T-41", "T-61"],
        wrong: &["T-12", "T-62", "T-72"],
        invented: 0,
    },
    Planted {
        agent: TRICKY,
        task: TEA,
        cites: &["/tea/weeds", "/tea/members", "/tea/check", "/tea/lost"],
        right: &["T-71"],
        wrong: &["T-62"],
        invented: 0,
    },
    Planted {
        agent: FAITHFUL,
        task: OPERA,
        cites: &[
            "/opera/shellac",
            "/opera/needle",
            "/opera/noise",
            "/opera/pitch",
        ],
        right: &["P-11", "P-12", "P-21", "P-31", "P-32", "P-41", "P-71"],
        wrong: &[],
        invented: 0,
    },
    Planted {
        agent: HALF,
        task: OPERA,
        cites: &[
            "/opera/pitch-mirror",
            "/opera/archive.txt",
            "/opera/scan",
            "/opera/shellac",
            "/opera/singers",
        ],
        right: &["P-11", "P-41", "P-51"],
        wrong: &["P-42", "P-52", "P-72"],
        invented: 0,
    },
    Planted {
        agent: TRICKY,
        task: OPERA,
        cites: &[],
        right: &["P-11"],
        wrong: &["P-31"],
        invented: 0,
    },
];

fn planted(agent: &str, task: &str) -> &'static Planted {
    PLANTED
        .iter()
        .find(|planted| (planted.agent, planted.task) == (agent, task))
        .expect("an agent and a task")
}

fn count(of: &Planted, gone: &str) -> Expected {
    let others = PLANTED
        .iter()
        .filter(|other| other.task == of.task && other.agent != of.agent);
    let codes = of.right.len() + of.wrong.len() + of.invented;
    let ratings = WEIGHTS
        .iter()
        .enumerate()
        .map(|(place, weight)| weight * rating_for(codes, place) as f64);
    Expected {
        own: shares(of, &points(of.cites, gone)),
        independent: shares(
            of,
            &others.flat_map(|other| points(other.cites, gone)).collect(),
        ),
        ace: ratings.sum(),
        references: of.cites.len(),
        unreadable: of
            .cites
            .iter()
            .filter(|path| points(&[path], gone).is_empty())
            .count(),
    }
}

fn shares(of: &Planted, points: &BTreeSet<&str>) -> Option<Shares> {
    let among = |codes: &[&str]| codes.iter().filter(|code| points.contains(*code)).count();
    let (supported, conflicting) = (among(of.right), among(of.wrong));
    (!points.is_empty()).then(|| {
        (
            supported,
            conflicting,
            points.len() - supported - conflicting,
        )
    })
}

/// The codes of the facts on these pages; every page that can be read has some.
fn points(paths: &[&'static str], gone: &str) -> BTreeSet<&'static str> {
    paths.iter().flat_map(|path| on(path, gone)).collect()
}

fn on(path: &str, gone: &str) -> Vec<&'static str> {
    match find(path).filter(|page| page.path != gone) {
        Some(page) => match page.kind {
            Kind::Moved(_, to) => on(to, gone),
            _ => facts_of(page).into_iter().map(|fact| fact.code).collect(),
        },
        None => Vec::new(),
    }
}
