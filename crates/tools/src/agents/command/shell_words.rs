//! A command line as a list of words, split as a shell splits it, and by no shell: nothing is
//! expanded, nothing runs.

use anyhow::{Result, bail};

/// The words of a command line: program and arguments.
///
/// White space separates words; `'…'` holds anything but `'`; in `"…"` a backslash takes the
/// meaning of `"` and `\`; elsewhere it takes that of the next character. Everything else is a
/// character like any other: `$HOME`, `~`, `*`, `|`, `>`, `;`, `&` and `#` reach the program as
/// they are written.
pub fn split(line: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    // A pair of quotes with nothing in it is a word.
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => words.extend(word.take()),
            '\'' | '"' => quoted(c, &mut chars, word.get_or_insert_default())?,
            '\\' => match chars.next() {
                Some(next) => word.get_or_insert_default().push(next),
                None => bail!("a backslash ends the command: `{line}`"),
            },
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    if words.first().is_none_or(String::is_empty) {
        bail!("the command names no program: `{line}`");
    }
    Ok(words)
}

/// Takes what is between two quotes of a kind; the first one is taken already.
fn quoted(quote: char, chars: &mut std::str::Chars, word: &mut String) -> Result<()> {
    while let Some(c) = chars.next() {
        match c {
            c if c == quote => return Ok(()),
            '\\' if quote == '"' => match chars.next() {
                Some(next @ ('"' | '\\')) => word.push(next),
                Some(next) => word.extend(['\\', next]),
                None => break,
            },
            c => word.push(c),
        }
    }
    bail!("a quote is not closed: {quote}{word}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expect: &[&str]) {
        assert_eq!(split(line).expect("a command"), expect, "{line}");
    }

    #[test]
    fn splits_as_a_shell_does() {
        check("agent --model x", &["agent", "--model", "x"]);
        check("  agent\t a \n", &["agent", "a"]);
        check(
            r#"agent 'two words' "and \"these\" \\ too""#,
            &["agent", "two words", r#"and "these" \ too"#],
        );
        check(r"/opt/my\ agent/run a\'b", &["/opt/my agent/run", "a'b"]);
        check("agent --name=\"x y\"'z'", &["agent", "--name=x yz"]);
        check(r#"agent '' "" end"#, &["agent", "", "", "end"]);
        check(r#"agent "C:\tmp" 'a\b'"#, &["agent", r"C:\tmp", r"a\b"]);
        check("智能体 “引号”", &["智能体", "“引号”"]);
    }

    #[test]
    fn expands_nothing() {
        check(
            "agent $HOME ~ *.md | tee > x; $(id) `id` && # y",
            &[
                "agent", "$HOME", "~", "*.md", "|", "tee", ">", "x;", "$(id)", "`id`", "&&", "#",
                "y",
            ],
        );
    }

    #[test]
    fn what_is_not_finished_is_refused() {
        for line in [
            "",
            "   ",
            "''",
            "agent 'x",
            "agent \"x",
            "agent \"x\\",
            "agent x\\",
        ] {
            assert!(split(line).is_err(), "{line}");
        }
    }
}
