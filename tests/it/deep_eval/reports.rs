//! Reports about gauge stations, whole and with one thing changed, and the pages that they cite.

use axum::{Router, http::StatusCode, response::Html, routing::get};
use serde_json::json;

use crate::support::{Project, web};

pub const SIX: [&str; 6] = ["K-01", "K-02", "K-03", "K-04", "K-05", "K-06"];

pub fn value_of(station: &str) -> usize {
    10 * (1 + SIX
        .iter()
        .position(|name| *name == station)
        .expect("a station"))
}

/// Each page has two stations.
fn page_of(station: &str) -> usize {
    SIX.iter()
        .position(|name| *name == station)
        .expect("a station")
        / 2
}

pub fn serve() -> String {
    let page = |at: usize| {
        let sentences: Vec<String> = SIX[2 * at..2 * at + 2]
            .iter()
            .map(|name| {
                let value = value_of(name);
                format!("<p>Station {name} reads {value} millimetres in winter, say the rangers who dig it out of the snow every second week.</p>")
            })
            .collect();
        let sentences = sentences.join("");
        Html(format!(
            "<html><head><title>Stations {at}</title></head><body><h1>Stations {at}</h1>{sentences}\
             <p>The stations of this valley were built by hand, and are looked after by two people who walk there on skis.</p></body></html>"
        ))
    };
    web::serve(
        Router::new()
            .route("/p1", get(async move || page(0)))
            .route("/p2", get(async move || page(1)))
            .route("/p3", get(async move || page(2)))
            .route("/gone", get(async || (StatusCode::NOT_FOUND, "nothing"))),
    )
}

/// A report by its parts, which tests change.
#[derive(Clone)]
pub struct Report {
    pub sections: Vec<(&'static str, Vec<String>)>,
    pub references: Vec<String>,
}

impl Report {
    pub fn new(web: &str, stations: &[&str]) -> Self {
        let sentence = |name: &&str| {
            let (value, mark) = (value_of(name), page_of(name) + 1);
            format!("Station {name} reads {value} millimetres in winter [{mark}].")
        };
        let answer = stations.iter().take(2).map(sentence).collect();
        let readings = stations.iter().map(sentence).collect();
        let limits = vec!["Whether summers differ is not known from these pages.".to_owned()];
        let used = stations.iter().map(|name| page_of(name)).max().unwrap_or(0);
        Self {
            sections: vec![
                ("Answer", answer),
                ("Readings", readings),
                ("Limits", limits),
            ],
            references: (1..=used + 1)
                .map(|n| format!("{n}. Stations {n}. {web}/p{n}"))
                .collect(),
        }
    }

    pub fn text(&self) -> String {
        let sections = self
            .sections
            .iter()
            .map(|(heading, sentences)| format!("## {heading}\n\n{}\n", sentences.join("\n\n")));
        let sections: Vec<String> = sections.collect();
        let mut text = format!("# Winter readings\n\n{}", sections.join("\n"));
        if !self.references.is_empty() {
            text.push_str(&format!(
                "\n## References\n\n{}\n",
                self.references.join("\n")
            ));
        }
        text
    }

    /// The report with every sentence changed.
    pub fn each(mut self, change: impl Fn(&str) -> String) -> Self {
        for (_, sentences) in &mut self.sections {
            for sentence in sentences {
                *sentence = change(sentence);
            }
        }
        self
    }
}

/// A whole report, and copies with one thing changed each, by name.
pub fn changed(web: &str) -> Vec<(&'static str, Report)> {
    let base = Report::new(web, &SIX);
    let mut shuffled = base.clone();
    shuffled.sections.swap(0, 2);
    let flipped = base.clone();
    let mut flipped_once = flipped.sections.clone();
    flipped_once[0].1[0] = flipped_once[0].1[0].replace("reads 10 ", "reads 19 ");
    let flipped = Report {
        sections: flipped_once,
        ..flipped
    };
    let mut uncited = base.clone().each(|sentence| match sentence.find(" [") {
        Some(at) => format!("{}.", &sentence[..at]),
        None => sentence.to_owned(),
    });
    uncited.references.clear();
    let mut dead = base.clone();
    dead.references[1] = dead.references[1].replace("/p2", "/gone");
    let mut exchanged = base.clone();
    exchanged.references.swap(0, 1);
    exchanged.references[0] = exchanged.references[0].replacen('2', "1", 1);
    exchanged.references[1] = exchanged.references[1].replacen('1', "2", 1);
    let short = Report::new(web, &SIX[..2]);
    let mut slips = base.clone();
    "Whether the the summers differ is not known.".clone_into(&mut slips.sections[2].1[0]);
    vec![
        ("base", base),
        ("shuffled", shuffled),
        ("flipped", flipped),
        ("uncited", uncited),
        ("dead", dead),
        ("exchanged", exchanged),
        ("short", short),
        ("slips", slips),
    ]
}

/// A project with one task, whose checklist asks for five stations.
pub fn project(model_server: &str) -> Project {
    let project = Project::new(model_server).config("[web]\npause_ms = 0\nper_host = 8\n");
    let rows: Vec<String> = SIX[..5]
        .iter()
        .map(|name| {
            json!({
                "qid": "gauges", "question": "What do the gauges of the valley read in winter?",
                "checklist": format!("Gives the reading of station {name}."), "language": "en",
                "domain": "Science & Technology",
            })
            .to_string()
        })
        .collect();
    let file = project.path("gauges.jsonl");
    std::fs::write(&file, rows.join("\n")).expect("writable");
    project.ok(&["tasks", "import", file.to_str().expect("a path")]);
    project
}

/// Imports a report of each agent.
pub fn import(project: &Project, reports: &[(&str, String)]) {
    for (agent, text) in reports {
        let folder = project.path(&format!("reports/{agent}"));
        std::fs::create_dir_all(&folder).expect("writable");
        std::fs::write(folder.join("qid_gauges_report.md"), text).expect("writable");
    }
    let folder = project.path("reports");
    project.ok(&["reports", "import", folder.to_str().expect("a path")]);
}
