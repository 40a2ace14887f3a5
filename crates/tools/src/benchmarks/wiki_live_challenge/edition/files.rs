//! The files of an edition, in the benchmark's layout.

use serde_json::Value;

use super::{
    Gold, Head,
    licence::{Licence, Wiki},
    manifest::ArticleEntry,
    question::{RubricPart, question},
};
use crate::benchmarks::{
    fields::{Field, Named},
    wiki_live_challenge::files::{
        JsonFile, MarkdownFile, Parse, RawPage, RawQuery, RawWiki, Task, TaskTable, Tasks,
    },
};

/// File of an edition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditionFile {
    /// Path in the edition's folder.
    pub path: String,
    /// The whole text.
    pub text: String,
}

type Chosen<'a> = (ArticleEntry, &'a Gold);

/// All files but the manifest.
pub fn files(
    head: &Head,
    wiki: &Wiki,
    licence: &Licence,
    chosen: &[Chosen<'_>],
    rubric: &[RubricPart],
) -> Vec<EditionFile> {
    let mut files = Vec::new();
    let mut add = |path: String, text: String| files.push(EditionFile { path, text });
    for (entry, article) in chosen {
        let stem = &entry.stem;
        let raw = JsonFile::from(raw_wiki(article)).write();
        add(format!("wiki_data/raw_wiki/{stem}.json"), raw);
        let text = format!("# {}\n\n{}\n", article.title, article.text);
        let text = MarkdownFile { text }.write();
        add(format!("wiki_data/cleaned_data/article/{stem}.md"), text);
    }
    let number = chosen.len();
    let rows = chosen.iter().map(row).collect();
    let table = TaskTable::new(rows).write();
    add(format!("wiki_data/ga_{number}.csv"), table);
    let tasks: Tasks = chosen
        .iter()
        .map(|of| task(head, wiki, of, rubric))
        .collect();
    let tasks = JsonFile::from(tasks).write();
    add(format!("wiki_data/ga_{number}.json"), tasks);
    add(
        "ATTRIBUTION.md".to_owned(),
        attribution(wiki, licence, chosen),
    );
    files
}

/// Cells of the table. The API knows no page views and no topics: their cells stay empty, because
/// a zero would be a figure.
fn row((entry, article): &Chosen<'_>) -> [String; 11] {
    let digits = |moment: &str| moment.chars().filter(char::is_ascii_digit).collect();
    let day = |moment: &str| moment.split('T').next().unwrap_or_default().to_owned();
    let empty = String::new;
    [
        entry.stem.clone(),
        entry.url.clone(),
        digits(&entry.created),
        article.bytes.map_or_else(empty, |bytes| bytes.to_string()),
        empty(),
        empty(),
        empty(),
        article.external_links.to_string(),
        day(&entry.added),
        empty(),
        empty(),
    ]
}

fn task(
    head: &Head,
    wiki: &Wiki,
    (entry, article): &Chosen<'_>,
    rubric: &[RubricPart],
) -> Field<Box<Task>> {
    let today = head.as_of.split('T').next().unwrap_or_default();
    let question = question(&article.title, today, &wiki.name, &entry.url, rubric);
    let task = Task {
        id: Value::from(entry.place).into(),
        title: entry.stem.clone().into(),
        url: entry.url.clone().into(),
        question: question.into(),
        ..Task::default()
    };
    Box::new(task).into()
}

fn raw_wiki(article: &Gold) -> RawWiki {
    let page = RawPage {
        pageid: article.page_id.into(),
        ns: serde_json::Number::from(0).into(),
        title: article.title.clone().into(),
        extract: article.prose.clone().into(),
        extract_with_tables: article.text.clone().into(),
        ..RawPage::default()
    };
    let sections = article.sections.iter().cloned().map(Field::read).collect();
    let parse = Parse {
        title: article.title.clone().into(),
        pageid: article.page_id.into(),
        redirects: Vec::<Value>::new().into(),
        sections: Field::Read(sections),
        ..Parse::default()
    };
    let pages = Named(vec![(article.page_id.to_string(), page.into())]);
    let query = RawQuery {
        pages: pages.into(),
        ..RawQuery::default()
    };
    RawWiki {
        batchcomplete: Value::from("").into(),
        query: query.into(),
        parse: parse.into(),
        revisions: article.revisions.clone().into(),
        ..RawWiki::default()
    }
}

fn attribution(wiki: &Wiki, licence: &Licence, chosen: &[Chosen<'_>]) -> String {
    let mut text = format!(
        "# Authors and licence\n\nThe articles in `wiki_data` are by the contributors to {} and \
         are passed on under {} {}\n\n",
        wiki.name, licence.name, licence.url
    );
    for (entry, _) in chosen {
        text.push_str(&format!("- {}\n", entry.attribution));
    }
    text
}
