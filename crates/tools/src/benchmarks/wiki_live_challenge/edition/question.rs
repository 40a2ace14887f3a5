//! The question of a task: write the article of a title, by which criteria and by which rules.

/// A part of the rubric: a category with its criteria.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RubricPart {
    /// Name of the category.
    pub name: String,
    /// Its criteria, each a sentence or two.
    pub criteria: Vec<String>,
}

/// The question about an article; `today` is a day such as `2026-03-01`, and `url` the address that
/// is forbidden.
pub fn question(topic: &str, today: &str, wiki: &str, url: &str, rubric: &[RubricPart]) -> String {
    let mut text = format!(
        "Write an encyclopedia article on “{topic}”. Research the topic yourself and write the \
         whole article without asking back. Today is {today}.\n\n\
         The article will be compared with another one on the same topic by these criteria:\n"
    );
    let mut number = 0;
    for part in rubric {
        text.push_str(&format!("\n{}\n", part.name));
        for criterion in &part.criteria {
            number += 1;
            text.push_str(&format!("{number}. {}\n", one_line(criterion)));
        }
    }
    text.push_str(&format!(
        "\nRules:\n\
         - {wiki} in any language, its mirrors and copies of its text are no sources. Leave them out \
         of every search (for instance with -site:wikipedia.org), do not open them, do not cite them.\n\
         - In particular, this page must not be read or cited: {url}\n\
         - Every statement that could be doubted carries the number of its source in square \
         brackets, such as [1] or [2][3].\n\
         - The article ends with a section “References”: one line for each number, with the title \
         of the source and its full address, such as: [1] Title. https://example.org/page\n\
         - The reply is the article in Markdown and nothing else: no preface, no remarks.\n"
    ));
    text
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}
