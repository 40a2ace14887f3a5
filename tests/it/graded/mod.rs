//! Research tasks with pages of our own, and reports that are worse by stated faults from level to
//! level. Each page says three things; of each there is a sentence that states it rightly, one that
//! states a part, one that claims too much and one that says otherwise (`tests/data/graded`).

pub mod judge;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, LazyLock, Mutex},
};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, Uri},
    response::Html,
};
use serde::Deserialize;
use serde_json::json;

use crate::support::{ModelServer, Project, llm::Play, web};

/// A task with its pages.
#[derive(Deserialize)]
pub struct Task {
    #[serde(skip)]
    pub key: &'static str,
    pub question: String,
    pub padding: Vec<String>,
    pub pages: Vec<Page>,
    pub points: Vec<Point>,
}

#[derive(Deserialize)]
pub struct Page {
    pub name: String,
    pub title: String,
    pub publisher: String,
    pub date: String,
    pub text: String,
}

/// Something that a page says, and sentences of reports about it.
#[derive(Deserialize)]
pub struct Point {
    pub page: String,
    pub importance: u8,
    pub claim: String,
    pub quote: String,
    pub right: String,
    pub partly: String,
    pub overclaimed: String,
    pub contradicted: String,
}

const FILES: [(&str, &str); 6] = [
    ("adobe", include_str!("../../data/graded/adobe-walls.toml")),
    (
        "cables",
        include_str!("../../data/graded/bridge-cables.toml"),
    ),
    (
        "gardens",
        include_str!("../../data/graded/school-gardens.toml"),
    ),
    ("marsh", include_str!("../../data/graded/tidal-marsh.toml")),
    (
        "nurses",
        include_str!("../../data/graded/night-shift-nurses.toml"),
    ),
    (
        "rice",
        include_str!("../../data/graded/zh-rice-paddies.toml"),
    ),
];

pub static TASKS: LazyLock<Vec<Task>> = LazyLock::new(|| {
    let read = |(key, text): &(&'static str, &str)| Task {
        key,
        ..toml::from_str(text).unwrap_or_else(|error| panic!("{key}: {error}"))
    };
    FILES.iter().map(read).collect()
});

/// The plans of the levels, the best first: what a report does with each point (`R`ight, `P`artly,
/// o`V`erclaimed, `C`ontradicted, `M`iscited, which is right under another page's number,
/// `O`mitted), and how many sentences of padding it has.
pub const LEVELS: [(&str, usize); 5] = [
    ("RRRRRRRRRRRR", 0),
    ("RRRRRRRRRPOO", 0),
    ("RRRRRRPPVMOO", 2),
    ("RRRRPPVVCMOO", 4),
    ("RRPVVCCCMOOO", 8),
];

/// How a report cites.
#[derive(Clone, Copy, Debug)]
pub enum Layout {
    /// With numbers before the full stop, and a list of references.
    Numbered,
    /// With a link in brackets behind the full stop.
    LinkBehind,
    /// With a line of its own below each sentence.
    LineBelow,
}

/// A sentence of a report with the position of the page that it cites, if it cites one.
pub type Sentence = (String, Option<usize>);

impl Task {
    fn page(&self, name: &str) -> usize {
        let found = self.pages.iter().position(|page| page.name == name);
        found.unwrap_or_else(|| panic!("{}: no page {name}", self.key))
    }

    /// The sentences of a report by a plan. Its letters go to the points in an order that takes one
    /// of each page in turn, so that each page has its share of faults.
    pub fn sentences(&self, plan: &str, padding: usize) -> Vec<Sentence> {
        let turn = |at: usize| (at * 5 + self.key.len()) % self.points.len();
        let mut sentences: BTreeMap<usize, Sentence> = BTreeMap::new();
        for (at, letter) in plan.chars().enumerate() {
            let point = &self.points[turn(at)];
            let page = self.page(&point.page);
            let sentence = match letter {
                'R' => (&point.right, page),
                'P' => (&point.partly, page),
                'V' => (&point.overclaimed, page),
                'C' => (&point.contradicted, page),
                'M' => (&point.right, (page + 1) % self.pages.len()),
                _ => continue,
            };
            sentences.insert(turn(at), (sentence.0.clone(), Some(sentence.1)));
        }
        let mut sentences: Vec<Sentence> = sentences.into_values().collect();
        let padding = self.padding.iter().take(padding).enumerate();
        sentences.extend(padding.map(|(at, text)| (text.clone(), Some(at % self.pages.len()))));
        sentences
    }

    /// A report in Markdown of these sentences, some to a section, which cite pages at `web`.
    pub fn report(&self, sentences: &[Sentence], layout: Layout, web: &str) -> String {
        let marked = |(text, page): &Sentence| {
            let Some(page) = *page else {
                return text.clone();
            };
            let Page { title, name, .. } = &self.pages[page];
            let url = format!("{web}/{}/{name}", self.key);
            let stop = text.chars().last().expect("a sentence");
            match layout {
                Layout::Numbered => {
                    format!("{} [{}]{stop}", text.trim_end_matches(stop), page + 1)
                }
                Layout::LinkBehind => format!("{text} ([{title}]({url}))"),
                Layout::LineBelow => format!("{text}\nSource: {url}\n\n"),
            }
        };
        let sections = sentences.chunks(5).zip(1..).map(|(some, n)| {
            let some: Vec<String> = some.iter().map(marked).collect();
            format!("## {n}\n\n{}\n", some.join(" "))
        });
        let sections: Vec<String> = sections.collect();
        let references = self.pages.iter().zip(1..).map(|(page, n)| {
            let (title, key, name) = (&page.title, self.key, &page.name);
            format!("{n}. {title}. {web}/{key}/{name}")
        });
        let references: Vec<String> = references.collect();
        let (sections, references) = (sections.join("\n"), references.join("\n"));
        match layout {
            Layout::Numbered => format!("{sections}\n## References\n\n{references}\n"),
            Layout::LinkBehind | Layout::LineBelow => sections,
        }
    }
}

/// Paths at which there is nothing for now.
type Hidden = Arc<Mutex<BTreeSet<String>>>;

async fn answer(State(hidden): State<Hidden>, uri: Uri) -> (StatusCode, Html<String>) {
    if hidden.lock().expect("a lock").contains(uri.path()) {
        return (StatusCode::NOT_FOUND, Html("nothing".to_owned()));
    }
    (StatusCode::OK, page(&uri))
}

fn page(uri: &Uri) -> Html<String> {
    let mut path = uri.path().split('/').skip(1);
    let (key, name) = (path.next().unwrap_or(""), path.next().unwrap_or(""));
    let task = TASKS.iter().find(|task| task.key == key);
    let page = task.and_then(|task| task.pages.iter().find(|page| page.name == name));
    // Where there is no page there are no rules for robots, either.
    let Some(page) = page else {
        return Html(String::new());
    };
    let paragraphs = page.text.trim().replace("\n\n", "</p>\n<p>");
    let Page {
        title,
        publisher,
        date,
        ..
    } = page;
    Html(format!(
        "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>{title}</title></head><body><main>\
         <h1>{title}</h1><p>{publisher}, {date}</p><p>{paragraphs}</p></main></body></html>"
    ))
}

/// A server whose model is the judge that knows the sentences.
pub fn obedient() -> ModelServer {
    ModelServer::openai()
        .plays(|request| Play::Say(judge::reply(request.prompt(), &request.body).to_string()))
}

/// A project with the six tasks, and reports of agents on them.
pub struct Graded {
    pub project: Project,
    pub fake: ModelServer,
    pub web: String,
    hidden: Hidden,
}

impl Graded {
    /// With the levels as agents, `level-1` the best, judged by a server.
    pub fn new(fake: ModelServer, config: &str) -> Self {
        let hidden = Hidden::default();
        let web = web::serve(
            Router::new()
                .fallback(answer)
                .with_state(Arc::clone(&hidden)),
        );
        let project = Project::new(&fake.url).config(&format!(
            "[web]\npause_ms = 0\nper_host = 8\n[evaluate]\n{config}\n"
        ));
        let rows: Vec<String> = TASKS
            .iter()
            .map(|task| {
                let language = if task.key == "rice" { "zh" } else { "en" };
                json!({ "id": task.key, "language": language, "prompt": task.question }).to_string()
            })
            .collect();
        let file = project.path("graded.jsonl");
        std::fs::write(&file, rows.join("\n")).expect("writable");
        project.ok(&["tasks", "import", file.to_str().expect("a path")]);
        Self {
            project,
            fake,
            web,
            hidden,
        }
    }

    /// From now on there is nothing at these paths, and there is something at all others.
    pub fn hide(&self, paths: &[&str]) {
        let paths = paths.iter().map(|path| (*path).to_owned());
        *self.hidden.lock().expect("a lock") = paths.collect();
    }

    /// Takes in reports: agent, task's key, sentences.
    pub fn import(&self, reports: &[(String, &Task, Vec<Sentence>)]) {
        self.import_in(Layout::Numbered, reports);
    }

    /// The same, citing in this way.
    pub fn import_in(&self, layout: Layout, reports: &[(String, &Task, Vec<Sentence>)]) {
        let rows: Vec<String> = reports
            .iter()
            .map(|(agent, task, sentences)| {
                let text = task.report(sentences, layout, &self.web);
                json!({ "task": task.key, "agent": agent, "text": text }).to_string()
            })
            .collect();
        let file = self.project.path("reports-to-import.jsonl");
        std::fs::write(&file, rows.join("\n")).expect("writable");
        let file = file.to_str().expect("a path");
        self.project.ok(&["reports", "import", file]);
    }

    /// Takes in the levels.
    pub fn with_levels(self) -> Self {
        let mut reports = Vec::new();
        for task in TASKS.iter() {
            for ((plan, padding), level) in LEVELS.iter().zip(1..) {
                let sentences = task.sentences(plan, *padding);
                reports.push((format!("level-{level}"), task, sentences));
            }
        }
        self.import(&reports);
        self
    }

    /// The value of a measure of each report, by agent and task's key.
    pub fn measured(&self, measure: &str) -> BTreeMap<(String, &'static str), Option<f64>> {
        let tasks = self.project.json(&["tasks", "list"]);
        let key_of = |id: &serde_json::Value| {
            let rows = tasks.as_array().expect("a list");
            let row = rows.iter().find(|row| row["id"] == *id).expect("a task");
            let key = row["file_id"].as_str().expect("imported").to_owned();
            TASKS
                .iter()
                .find(|task| task.key == key)
                .expect("a task")
                .key
        };
        let reports = self.project.json(&["reports", "list"]);
        let reports = reports.as_array().expect("a list").iter();
        let measured = reports.map(|row| {
            let agent = row["agent"].as_str().expect("a name").to_owned();
            let value = row["scores"]["measures"][measure]["value"].as_f64();
            ((agent, key_of(&row["task"])), value)
        });
        measured.collect()
    }
}
