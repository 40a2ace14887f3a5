//! Words for a shell and for Slurm's directives. Hides quoting: whatever a folder is called, it
//! stays one word.

/// A text that cannot be handed to a script.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unusable(String);

/// The text as one word of a POSIX shell.
pub fn quoted(text: &str) -> Result<String, Unusable> {
    if text.contains('\0') {
        return Err(Unusable(format!(
            "a zero byte in `{}`",
            text.escape_debug()
        )));
    }
    Ok(format!("'{}'", text.replace('\'', r"'\''")))
}

/// The texts as the words of a bash array.
pub fn array(texts: &[String]) -> Result<String, Unusable> {
    let words: Result<Vec<String>, Unusable> = texts.iter().map(|text| quoted(text)).collect();
    Ok(format!("({})", words?.join(" ")))
}

/// A value of one of Slurm's options, which has no quoting that all versions read alike: letters,
/// digits, and `also`.
pub fn plain(option: &str, value: &str, also: &str) -> Result<String, Unusable> {
    let fits = |c: char| c.is_ascii_alphanumeric() || also.contains(c);
    // A dash in front would be an option of its own.
    if value.is_empty() || value.starts_with('-') || !value.chars().all(fits) {
        return Err(Unusable(format!(
            "not a value of {option}: `{}`\nhint: letters, digits and any of `{also}`",
            value.escape_debug()
        )));
    }
    Ok(value.to_owned())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn every_word_comes_through_a_shell_as_it_is() {
        let words: Vec<String> = [
            "talks",
            "two words",
            "it's",
            "'",
            "a\nb",
            "$(touch owned)",
            "`id`",
            "\\",
            "\"; rm -rf /",
            "#SBATCH --uid=0",
            "",
            "-rf",
            "讲座 \u{1b}[31m",
            "!history",
        ]
        .map(str::to_owned)
        .to_vec();
        let script = format!(
            "a={}; printf '%s\\0' \"${{a[@]}}\"",
            array(&words).expect("words")
        );
        let output = Command::new("bash")
            .args(["-c", &script])
            .output()
            .expect("bash");
        let printed = String::from_utf8(output.stdout).expect("UTF-8");
        assert_eq!(
            printed
                .strip_suffix('\0')
                .expect("words")
                .split('\0')
                .collect::<Vec<_>>(),
            words
        );
        assert!(quoted("a\0b").is_err());
    }

    #[test]
    fn options_of_slurm_are_plain_words() {
        assert_eq!(
            plain("--time", "1-02:30:00", "-:").as_deref(),
            Ok("1-02:30:00")
        );
        for wrong in ["", "-x", "gpu main", "gpu\n#SBATCH --uid=0", "a;b", "ä"] {
            assert!(plain("--partition", wrong, "_.,-").is_err(), "{wrong:?}");
        }
    }
}
