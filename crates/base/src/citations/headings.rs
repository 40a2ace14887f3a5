//! Headings, and those of lists of references, in English and Chinese. Hides numbering, emphasis
//! and the many names of such a list.

use crate::text::words::is_han;

/// The levels of headings without Markdown's marks.
pub(super) const BOLD: usize = 7;
const PLAIN: usize = 8;
/// A longer line is a sentence.
const MOST_CHARS: usize = 60;

/// A line that opens a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    /// 1 to 6 as in Markdown, [`BOLD`] for a line in bold face, one more for a plain line.
    pub level: usize,
    /// Whether what follows are references.
    pub references: bool,
}

/// One of these must be in the name.
const NAMES: &[&str] = &[
    "references",
    "reference",
    "sources",
    "source",
    "bibliography",
    "cited",
    "citations",
    "citation",
    "reading",
    "readings",
    "endnotes",
    "footnotes",
    "links",
    "literature",
    "urls",
];
/// These may be around it.
const AROUND: &[&str] = &[
    "a",
    "academic",
    "additional",
    "all",
    "and",
    "complete",
    "consulted",
    "external",
    "for",
    "full",
    "further",
    "key",
    "list",
    "main",
    "materials",
    "more",
    "notes",
    "of",
    "online",
    "other",
    "primary",
    "recommended",
    "related",
    "secondary",
    "selected",
    "suggested",
    "the",
    "used",
    "useful",
    "web",
    "works",
];
/// The same for Chinese, longer ones first.
const HAN_NAMES: &[&str] = &[
    "参考文献",
    "参考资料",
    "参考来源",
    "参考链接",
    "参考书目",
    "参考网站",
    "引用文献",
    "引用来源",
    "引用资料",
    "引用链接",
    "资料来源",
    "信息来源",
    "数据来源",
    "文献来源",
    "来源链接",
    "相关链接",
    "延伸阅读",
    "扩展阅读",
    "參考文獻",
    "參考資料",
    "引用文獻",
    "資料來源",
    "延伸閱讀",
    "引文",
    "引用",
    "来源",
    "來源",
    "参考",
    "參考",
    "文献",
    "链接",
    "出处",
    "脚注",
    "尾注",
];
const HAN_AROUND: &[&str] = &[
    "以及", "主要", "列表", "目录", "清单", "部分", "附录", "本文", "相关", "网络", "全部", "与",
    "和", "及", "的", "附", "第", "章", "节",
];

/// The heading that a line is.
pub(super) fn heading(line: &str) -> Option<Heading> {
    let line = line.trim_matches([' ', '\t', '\r', '>', '\u{3000}']);
    let marks = line.bytes().take_while(|&byte| byte == b'#').count();
    let title = &line[marks..];
    let level = match marks {
        1..=6 if !title.starts_with('!') => marks,
        0 if is_bold(line) => BOLD,
        0 => PLAIN,
        _ => return None,
    };
    let references = title.chars().nth(MOST_CHARS).is_none() && names_references(title);
    (level < PLAIN || references).then_some(Heading { level, references })
}

fn is_bold(line: &str) -> bool {
    let line = line.trim_end_matches([':', '：', ' ']);
    ["**", "__"].iter().any(|mark| {
        let inner = line
            .strip_prefix(mark)
            .and_then(|rest| rest.strip_suffix(mark));
        inner.is_some_and(|inner| {
            !inner.is_empty() && !inner.contains(mark) && !inner.contains("http")
        })
    })
}

/// Whether a title has nothing but the names of a list of references, their company and a number.
fn names_references(title: &str) -> bool {
    let mut named = false;
    let known = runs(title).into_iter().all(|run| match run.chars().next() {
        Some(c) if is_han(c) => is_known_han(&run, &mut named),
        _ => {
            named |= NAMES.contains(&run.as_str());
            NAMES.contains(&run.as_str()) || AROUND.contains(&run.as_str()) || is_roman(&run)
        }
    });
    known && named
}

/// The runs of letters of one script in lower case.
fn runs(title: &str) -> Vec<String> {
    let mut runs: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in title.chars() {
        if c.is_alphabetic() {
            match runs.last_mut() {
                Some(run) if before.is_alphabetic() && is_han(before) == is_han(c) => {
                    run.extend(c.to_lowercase());
                }
                _ => runs.push(c.to_lowercase().collect()),
            }
        }
        before = c;
    }
    runs
}

fn is_known_han(run: &str, named: &mut bool) -> bool {
    let mut rest = run.trim_start_matches(|c| "一二三四五六七八九十".contains(c));
    while !rest.is_empty() {
        if let Some(after) = HAN_NAMES.iter().find_map(|name| rest.strip_prefix(name)) {
            *named = true;
            rest = after;
        } else if let Some(after) = HAN_AROUND.iter().find_map(|name| rest.strip_prefix(name)) {
            rest = after;
        } else {
            return false;
        }
    }
    true
}

fn is_roman(run: &str) -> bool {
    run.chars().all(|c| matches!(c, 'i' | 'v' | 'x'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_announced_in_many_words() {
        let check = |line: &str, level: usize| {
            assert_eq!(
                heading(line),
                Some(Heading {
                    level,
                    references: true
                }),
                "{line}"
            );
        };
        for title in [
            "References",
            "Sources",
            "Bibliography",
            "Works Cited",
            "Citations",
            "Further reading",
            "References and notes",
            "List of References",
            "External links",
            "7. References",
            "VII. Sources:",
            "**References**",
            "📚 Sources",
            "参考文献",
            "参考资料",
            "引用",
            "来源",
            "资料来源",
            "参考链接",
            "七、参考文献",
            "参考文献（References）",
            "主要参考文献与资料来源：",
            "附录：参考资料列表",
            "參考文獻",
        ] {
            check(&format!("## {title}"), 2);
        }
        check("#参考文献", 1);
        check("###### Sources ######", 6);
        check("> ## Sources", 2);
        check("**References:**", BOLD);
        check("**参考文献**：", BOLD);
        check("__Sources__", BOLD);
        check("参考资料：", PLAIN);
        check("Sources:", PLAIN);
    }

    #[test]
    fn other_titles_are_of_other_sections() {
        let check = |line: &str, expect: Option<usize>| {
            let expect = expect.map(|level| Heading {
                level,
                references: false,
            });
            assert_eq!(heading(line), expect, "{line}");
        };
        check("# Data sources of energy", Some(1));
        check("## Literature review", Some(2));
        check("### 文献综述", Some(3));
        check("### 来源与方法", Some(3));
        check("## Notes", Some(2));
        check("## ", Some(2));
        check("**Method**", Some(BOLD));
        for line in [
            "The sources are many.",
            "####### Sources",
            "",
            "来源是什么",
            "**a** and **b**",
            "7.",
            "**https://a.org**",
        ] {
            check(line, None);
        }
    }
}
