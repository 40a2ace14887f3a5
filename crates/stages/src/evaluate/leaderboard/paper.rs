//! The leaderboard in the layout of the paper that the measures come from: English and Chinese side
//! by side. Hides the rounding, which is the paper's too, so that rows can be held against its
//! Table 3.

use super::{Group, Leaderboard, Parted};

/// The columns of Table 3 of DeepResearch Arena (arXiv 2509.01396): shares of the report's own key
/// points in percent, checklist score, thousands of output tokens, references.
pub const COLUMNS: [&str; 7] = ["system", "KSR", "KCR", "KOR", "ACE", "tokens k", "refs"];

/// One row an agent, in the leaderboard's order, cells as `EN | ZH` and – where there is nothing.
/// None unless the leaderboard is by `language`.
pub fn table3(board: &Leaderboard) -> Option<Parted> {
    let languages = ["en", "zh"].map(|language| group(board, language));
    if board.options.by != ["language"] {
        return None;
    }
    let mut rows = Parted::default();
    for row in &board.whole.agents {
        rows.push(row.is_complete, cells(&row.agent, languages));
    }
    Some(rows)
}

fn group<'a>(board: &'a Leaderboard, language: &str) -> Option<&'a Group> {
    board
        .groups
        .iter()
        .find(|group| group.value.as_deref() == Some(language))
}

/// The measures behind the columns, each with its scale and decimals in the paper.
const MEASURES: [(&str, f64, usize); 6] = [
    ("ksr_own", 100.0, 1),
    ("kcr_own", 100.0, 1),
    ("kor_own", 100.0, 1),
    ("ace", 1.0, 2),
    ("output_tokens", 1e-3, 2),
    ("references", 1.0, 2),
];

fn cells(agent: &str, languages: [Option<&Group>; 2]) -> Vec<String> {
    let rows = languages.map(|group| group?.table.agents.iter().find(|row| row.agent == agent));
    let mut cells = vec![agent.to_owned()];
    for (key, scale, decimals) in MEASURES {
        let values = rows.map(|row| {
            row.and_then(|row| row.value(key)).map_or_else(
                || "–".to_owned(),
                |value| format!("{:.decimals$}", value * scale),
            )
        });
        cells.push(values.join(" | "));
    }
    cells
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::evaluate::leaderboard::{
        Options,
        sample::{SYSTEMS, Scored, counts, leaderboard},
    };

    fn report(agent: &str, language: &str, own: [u64; 3]) -> Scored {
        Scored {
            report: format!("{agent} {language}"),
            task: language.into(),
            agent: agent.into(),
            attempt: 1,
            state: "ok".into(),
            facets: BTreeMap::from([("language".into(), language.into())]),
            own: Some(counts(own[0], own[1], own[2])),
            ace: Some(4.026),
            references: 30,
            output_tokens: Some(5_594),
            ..Scored::default()
        }
    }

    fn by_language() -> Options {
        Options {
            by: vec!["language".into()],
            resamples: 10,
            ..Options::default()
        }
    }

    #[test]
    fn counts_give_the_published_table() {
        let both = |(name, [en, zh], ..): (&str, [[u64; 3]; 2], _, _)| {
            [report(name, "en", en), report(name, "zh", zh)]
        };
        let scored: Vec<Scored> = SYSTEMS.into_iter().flat_map(both).collect();
        let board = leaderboard(&scored, &by_language());
        let rows = table3(&board).unwrap();
        assert!(rows.incomplete.is_empty());
        let rows = rows.complete;
        assert_eq!(rows.len(), SYSTEMS.len());
        for (name, _, printed, pooled) in SYSTEMS {
            let efficiency = board
                .whole
                .agents
                .iter()
                .find(|row| row.agent == name)
                .unwrap()
                .value("efficiency_own");
            assert!(
                (efficiency.unwrap() - pooled[3]).abs() <= 0.01,
                "{name}: {efficiency:?}"
            );
            let row = rows.iter().find(|row| row[0] == name).unwrap();
            for (at, cell) in row[1..4].iter().enumerate() {
                assert_eq!(
                    *cell,
                    format!("{:.1} | {:.1}", printed[0][at], printed[1][at]),
                    "{name}"
                );
            }
            assert_eq!(row[4..], ["4.03 | 4.03", "5.59 | 5.59", "30.00 | 30.00"]);
        }
    }

    #[test]
    fn what_is_not_there_is_a_dash() {
        let scored = [report("a", "en", [1, 0, 1])];
        let rows = table3(&leaderboard(&scored, &by_language())).unwrap();
        assert_eq!(rows.complete[0][..3], ["a", "50.0 | –", "0.0 | –"]);
        assert_eq!(table3(&leaderboard(&scored, &Options::default())), None);
        assert_eq!(
            table3(&leaderboard(&[], &by_language())),
            Some(Parted::default())
        );
    }
}
