//! A made-up benchmark of Wiki Live Challenge: articles that say how good they are by each
//! criterion, `ww_cc_1 is 4`, so that a judge which reads only its prompt knows who wins.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use serde_json::json;

/// The tasks, by the names of their files.
pub const TASKS: [&str; 4] = ["Alder_Bridge", "Birch_Mill", "Cedar_Ferry", "Dogwood_Lock"];

/// The agencies, and by how many criteria of 39 each is better than the gold article of each task.
pub const AGENCIES: [(&str, [usize; 4]); 3] = [
    ("strong", [39, 30, 31, 20]),
    ("middle", [21, 12, 0, 8]),
    ("weak", [0, 0, 3, 1]),
];

/// The share of the criteria that an agency wins, over the tasks whose wins are given.
pub fn mean_wins(wins: &[usize]) -> f64 {
    wins.iter().sum::<usize>() as f64 / 39.0 / wins.len() as f64
}

/// How good the gold article is by each criterion.
const GOLD: usize = 4;

/// The ids of the criteria with their texts, in order.
pub fn criteria() -> Vec<(String, String)> {
    let text = include_str!("../../../crates/stages/src/evaluate/wiki/criteria.toml");
    let list: toml::Value = toml::from_str(text).expect("TOML");
    let all = list["criterion"].as_array().expect("criteria");
    let word = |of: &toml::Value, key: &str| of[key].as_str().expect("a text").to_owned();
    all.iter()
        .map(|of| (word(of, "id"), word(of, "text")))
        .collect()
}

/// Pillars that each gold article measures.
pub const PILLARS: usize = 10;

/// How many pillars an agency measures as the gold article does, and how many otherwise; and
/// whether a sentence of it cites the gold article.
pub fn pillars(agency: &str) -> (usize, usize, bool) {
    match agency {
        "strong" => (8, 0, false),
        "middle" => (5, 1, true),
        _ => (2, 2, false),
    }
}

/// The statement on a pillar.
pub fn pillar(title: &str, n: usize, feet: usize) -> String {
    format!("Pillar {n} of {title} measures {feet} feet.")
}

/// An article with its quality by each criterion.
fn article(
    title: &str,
    mark: &str,
    pillars: &[String],
    quality: impl Fn(usize) -> usize,
) -> String {
    let mut text = format!("# {title}\n\n{title} crosses the river Esk {mark}.\n\n");
    write!(
        text,
        "## Pillars\n\n{}\n\n## Quality\n\n",
        pillars.join(" ")
    )
    .expect("a text");
    for (at, (id, _)) in criteria().iter().enumerate() {
        writeln!(text, "- By {id} is {}.", quality(at)).expect("a text");
    }
    text
}

/// The gold article.
fn gold(title: &str) -> String {
    let pillars: Vec<String> = (1..=PILLARS).map(|n| pillar(title, n, 10 * n)).collect();
    article(title, "here", &pillars, |_| GOLD)
}

/// An agency's article that is better by the first so many criteria, and worse by the others.
fn answer(agency: &str, stem: &str, wins: usize) -> String {
    let title = stem.replace('_', " ");
    let (right, wrong, leaks) = pillars(agency);
    let mut said: Vec<String> = (1..=right).map(|n| pillar(&title, n, 10 * n)).collect();
    said.extend((right + 1..=right + wrong).map(|n| pillar(&title, n, 10 * n + 7)));
    if leaks {
        said.push("It has a toll house [2].".to_owned());
    }
    let quality = |at| if at < wins { GOLD + 1 } else { GOLD - 1 };
    let text = article(&title, "[1]", &said, quality);
    format!(
        "{text}\n## References\n\n[1] https://example.org/{stem}\n[2] https://en.m.wikipedia.org/wiki/{stem}#History\n"
    )
}

/// How many of the first so many criteria are in each category.
pub fn by_category(wins: usize) -> BTreeMap<&'static str, f64> {
    BTreeMap::from([
        ("writing_well_written", wins.min(21) as f64 / 21.0),
        (
            "writing_broad_coverage",
            wins.saturating_sub(21).min(8) as f64 / 8.0,
        ),
        ("writing_neutral", wins.saturating_sub(29) as f64 / 10.0),
    ])
}

/// Writes the benchmark's files into a folder.
pub fn write(folder: &Path) {
    let put = |path: &str, text: &str| {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        std::fs::write(path, text).expect("writable");
    };
    let mut tasks = Vec::new();
    let mut table = "title,url,created_ts,bytes,views_total,effective_start,days_effective,external_links,ga_date,ga_topic_keyword,category\n".to_owned();
    for (n, stem) in TASKS.into_iter().enumerate() {
        let url = format!("https://en.wikipedia.org/wiki/{stem}");
        let title = stem.replace('_', " ");
        tasks.push(json!({
            "id": n + 1, "title": stem, "url": url,
            "question": format!("Write the article of an encyclopedia on {title}, with sources."),
        }));
        let category = if n < 2 { "Engineering" } else { "History" };
        writeln!(
            table,
            "{stem},{url},1740787200,9000,{n}00,2025-03-01,200,12,2025-06-01,Transport,{category}"
        )
        .expect("a text");
        put(
            &format!("wiki_data/cleaned_data/article/{stem}.md"),
            &gold(&title),
        );
        let statements = (1..=PILLARS).map(|n| json!({ "statement": pillar(&title, n, 10 * n) }));
        let statements: Vec<_> = statements.collect();
        put(
            &format!("wiki_data/cleaned_data/statement/{stem}_statements.json"),
            &serde_json::to_string_pretty(&statements).expect("JSON"),
        );
    }
    put("wiki_data/ga_100.csv", &table);
    put(
        "wiki_data/ga_100.json",
        &serde_json::to_string_pretty(&tasks).expect("JSON"),
    );
    let entry = |enabled: bool| json!({ "name": "x", "description": "", "has_citations": true, "enabled": enabled });
    let mut register: BTreeMap<&str, _> = AGENCIES
        .iter()
        .map(|(name, _)| (*name, entry(true)))
        .collect();
    register.insert("asleep", entry(false));
    let register = json!({ "description": "made up", "version": "1.0", "agencies": register });
    put("test_data/agencies.json", &register.to_string());
    for (agency, wins) in AGENCIES {
        for (stem, wins) in TASKS.into_iter().zip(wins) {
            let path = format!("test_data/{agency}/md_data/{stem}.md");
            put(&path, &answer(agency, stem, wins));
        }
    }
    put(
        "test_data/asleep/md_data/Alder_Bridge.md",
        "# Alder Bridge\n\nNobody reads this.\n",
    );
}
