//! A made-up benchmark of Wiki Live Challenge: articles that say how good they are by each criterion,
//! `ww_cc_1 is 4`, so that a judge which reads only its prompt knows who wins.

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

/// An article with its quality by each criterion.
pub fn article(title: &str, mark: &str, quality: impl Fn(usize) -> usize) -> String {
    let mut text = format!("# {title}\n\n{title} crosses the river Esk {mark}.\n\n## Quality\n\n");
    for (at, (id, _)) in criteria().iter().enumerate() {
        writeln!(text, "- By {id} is {}.", quality(at)).expect("a text");
    }
    text
}

/// An agency's article that is better by the first so many criteria, and worse by the others.
pub fn answer(title: &str, wins: usize) -> String {
    let text = article(
        title,
        "[1]",
        |at| if at < wins { GOLD + 1 } else { GOLD - 1 },
    );
    format!("{text}\n## References\n\n[1] https://example.org/{title}\n")
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
            &article(&title, "here", |_| GOLD),
        );
        let statements = json!([{ "statement": format!("{title} crosses the river Esk.") }]);
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
            let title = stem.replace('_', " ");
            put(
                &format!("test_data/{agency}/md_data/{stem}.md"),
                &answer(&title, wins),
            );
        }
    }
    put(
        "test_data/asleep/md_data/Alder_Bridge.md",
        "# Alder Bridge\n\nNobody reads this.\n",
    );
}
