//! Sources that a provider names beside the text of a reply. A reader of the report sees only the
//! text: sources that it does not cite are listed at its end, so that an evaluator finds them.

use std::collections::BTreeMap;

use crate::{citations, data::Source, text::url};

/// Characters of a title that are shown.
const LONGEST_TITLE: usize = 200;

/// The report with a list of references for the numbers by which it names `sources`, where it has
/// none, and with a list of those that its text does not cite, in their order and each once.
pub fn append_uncited(report: &str, sources: &[Source], language: &str) -> String {
    let report = &with_references(report, sources, language);
    let cited = citations::parse(report);
    let mut known: Vec<String> = cited
        .urls()
        .into_iter()
        .map(|(url, _)| url.to_owned())
        .collect();
    let mut lines = Vec::new();
    for source in sources {
        let Some(address) = url::canonical(&source.url) else {
            continue;
        };
        if known.iter().any(|known| url::same_page(known, &address)) {
            continue;
        }
        lines.push(line(&source.title, &address));
        known.push(address);
    }
    if lines.is_empty() {
        return report.to_owned();
    }
    let heading = if language.starts_with("zh") {
        "参考来源"
    } else {
        "Further sources"
    };
    format!(
        "{}\n\n## {heading}\n\n{}\n",
        report.trim_end(),
        lines.join("\n")
    )
}

/// The report with the sources that its text names by number, as some providers have it: `[3]` is
/// their third result, and the text has no list of references.
fn with_references(report: &str, sources: &[Source], language: &str) -> String {
    let is_named = |source: &Source| {
        let number = source.number?;
        is_mark(report, number).then_some(number)
    };
    let mut named = BTreeMap::new();
    for source in sources {
        let address = url::canonical(&source.url);
        if let (Some(number), Some(address)) = (is_named(source), address) {
            named
                .entry(number)
                .or_insert_with(|| format!("[{number}] {}", entry(&source.title, &address)));
        }
    }
    if named.is_empty() || !citations::parse(report).references.is_empty() {
        return report.to_owned();
    }
    let heading = if language.starts_with("zh") {
        "参考文献"
    } else {
        "References"
    };
    let lines: Vec<String> = named.into_values().collect();
    format!(
        "{}\n\n## {heading}\n\n{}\n",
        report.trim_end(),
        lines.join("\n\n")
    )
}

/// Whether the text cites by a number and has no link of its own under it: `[1](https://…)` and
/// `[[1]](https://…)` lead to a page already, and a bare `[1]` beside them most likely to the same.
fn is_mark(report: &str, number: u64) -> bool {
    let mark = format!("[{number}]");
    let mut is_there = false;
    for (at, _) in report.match_indices(mark.as_str()) {
        let behind = &report[at + mark.len()..];
        if behind.starts_with('(') || behind.starts_with("](") {
            return false;
        }
        is_there = true;
    }
    is_there
}

/// An entry of the list. It has no number, because the text could cite a source by the same number.
fn line(title: &str, address: &str) -> String {
    format!("- {}", entry(title, address))
}

fn entry(title: &str, address: &str) -> String {
    let title: String = title
        .chars()
        .map(without_markup)
        .take(LONGEST_TITLE)
        .collect();
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    if title.is_empty() {
        format!("<{address}>")
    } else {
        format!("{title}: <{address}>")
    }
}

/// A space for a character that Markdown could read as markup: a title is a stranger's text.
fn without_markup(c: char) -> char {
    if c.is_control() || "[]<>`*_".contains(c) {
        ' '
    } else {
        c
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(url: &str, title: &str) -> Source {
        Source {
            url: url.into(),
            title: title.into(),
            number: None,
        }
    }

    #[test]
    fn numbers_that_a_provider_gave_lead_to_their_pages() {
        let numbered = |number, url: &str, title: &str| Source {
            number: Some(number),
            ..source(url, title)
        };
        let sources = [
            numbered(1, "https://drum.test/a", "Drums"),
            numbered(2, "https://silt.test/b", "Silt"),
            numbered(3, "https://river.test/c", "Rivers"),
        ];
        let whole = append_uncited("# 报告\n\n河床如鼓 [1][3]。", &sources, "zh");
        let list = "\n\n## 参考文献\n\n[1] Drums: <https://drum.test/a>\n\n[3] Rivers: <https://river.test/c>";
        let rest = "\n\n## 参考来源\n\n- Silt: <https://silt.test/b>\n";
        assert_eq!(whole, format!("# 报告\n\n河床如鼓 [1][3]。{list}{rest}"));
        let found = citations::parse(&whole);
        let urls: Vec<&str> = found.urls().into_iter().map(|(url, _)| url).collect();
        assert_eq!(urls[..2], ["https://drum.test/a", "https://river.test/c"]);
        let own = "It drums [1].\n\n## References\n\n[1] Mine. https://mine.test/x";
        let kept = append_uncited(own, &sources[..1], "en");
        assert!(
            kept.starts_with(own) && kept.contains("- Drums: <https://drum.test/a>"),
            "{kept}"
        );
    }

    #[test]
    fn links_that_are_named_by_numbers_are_no_marks() {
        let text = "[1](https://mine.test/a) [1] [[2]](https://mine.test/b) [3] [4] (so)";
        assert_eq!(
            [1, 2, 3, 4, 5].map(|number| is_mark(text, number)),
            [false, false, true, true, false]
        );
        let report = "It drums [1](https://mine.test/a).";
        let other = Source {
            number: Some(1),
            ..source("https://drum.test/a", "Drums")
        };
        let rest = "\n\n## Further sources\n\n- Drums: <https://drum.test/a>\n";
        let whole = append_uncited(report, &[other], "en");
        assert_eq!(whole, format!("{report}{rest}"));
    }

    #[test]
    fn what_the_text_does_not_cite_is_listed_once_and_found_again() {
        let report = "# Gravel\n\nIt drums [1].\n\n## References\n\n[1] Drums. https://drum.test/a?utm_source=openai";
        let sources = [
            source("https://drum.test/a", "Drums"),
            source("https://river.test/b_(c)?x=1", "Rivers [2]\nand *beds*"),
            source("http://www.river.test/b_(c)?x=1", "the same"),
            source("javascript:alert(1)", "no page"),
            source("https://silt.test/", ""),
        ];
        let whole = append_uncited(report, &sources, "en");
        let tail = "\n\n## Further sources\n\n- Rivers 2 and beds: <https://river.test/b_(c)?x=1>\n- <https://silt.test/>\n";
        assert!(whole.ends_with(tail), "{whole}");
        let found = citations::parse(&whole);
        let urls: Vec<&str> = found.urls().into_iter().map(|(url, _)| url).collect();
        assert_eq!(
            urls,
            [
                "https://drum.test/a",
                "https://river.test/b_(c)?x=1",
                "https://silt.test/"
            ]
        );
        assert_eq!(found.references.len(), 3, "{found:?}");
        assert_eq!(
            append_uncited(&whole, &sources, "en"),
            whole,
            "nothing is listed twice"
        );
    }

    #[test]
    fn the_heading_is_in_the_language_of_the_report() {
        let whole = append_uncited("# 报告", &[source("https://a.test/x", "甲")], "zh-Hans");
        assert_eq!(whole, "# 报告\n\n## 参考来源\n\n- 甲: <https://a.test/x>\n");
        assert_eq!(append_uncited("# 报告", &[], "zh-Hans"), "# 报告");
    }
}
