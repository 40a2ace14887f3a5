//! The language of a recording: which code Whisper wants, which model knows it, and how it is
//! written. Chinese is the one language with two scripts; a prompt in the wanted script steers
//! Whisper, and a table settles the rest.

use super::error::TranscribeError;

const SIMPLIFIED: &str = "以下是普通话的句子，使用简体中文和标点符号。";
const TRADITIONAL: &str = "以下是國語的句子，使用繁體中文和標點符號。";

/// So many characters of such a hint in a row, and nearly nothing else, are an echo.
const ECHO: usize = 8;

/// A language that Whisper knows, with the script where that is a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Language {
    tag: String,
    code: &'static str,
}

impl Language {
    /// Reads a tag such as `en`, `zh`, `zh-Hant`, `pt-BR`.
    pub fn parse(tag: &str) -> Result<Self, TranscribeError> {
        let unknown = || TranscribeError::UnknownLanguage {
            language: tag.into(),
        };
        let lower = tag.trim().to_lowercase().replace('_', "-");
        let code = lower
            .split('-')
            .next()
            .filter(|c| c.chars().all(|c| c.is_ascii_alphabetic()))
            .ok_or_else(unknown)?;
        let code = if code == "cmn" { "zh" } else { code };
        let code = known(code).ok_or_else(unknown)?;
        let traditional = ["-hant", "-tw", "-hk", "-mo"]
            .iter()
            .any(|part| lower.contains(part));
        let tag = match (code, traditional) {
            ("zh", false) => "zh-Hans".to_owned(),
            ("zh", true) => "zh-Hant".to_owned(),
            _ => code.to_owned(),
        };
        Ok(Self { tag, code })
    }

    /// BCP 47 tag, as transcripts state it.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// Whisper's own code.
    pub fn whisper_code(&self) -> &'static str {
        self.code
    }

    /// Whisper's number of the language, by which its probabilities are listed.
    pub fn number(&self) -> usize {
        let mut ids = 0..=whisper_rs::get_lang_max_id();
        ids.find(|&id| whisper_rs::get_lang_str(id) == Some(self.code))
            .unwrap_or(0) as usize
    }

    /// Reads tags with commas between them: the languages that a talk may be in.
    pub fn parse_all(tags: &str) -> Result<Vec<Self>, TranscribeError> {
        let mut all: Vec<Self> = Vec::new();
        for tag in tags.split(',') {
            let language = Self::parse(tag)?;
            if !all.contains(&language) {
                all.push(language);
            }
        }
        Ok(all)
    }

    /// Whether the weights for English alone will do.
    pub fn is_english(&self) -> bool {
        self.code == "en"
    }

    /// Whether words are not set apart by spaces.
    pub fn is_unspaced(&self) -> bool {
        matches!(self.code, "zh" | "ja" | "yue" | "th" | "lo" | "my" | "km")
    }

    /// What Whisper is told before each window: the script, then the words that it should expect.
    pub fn prompt(&self, vocabulary: Option<&str>) -> Option<String> {
        let script = self.script();
        // A zero byte would end the string on whisper.cpp's side.
        let words = vocabulary
            .map(|v| v.replace('\0', " "))
            .filter(|v| !v.trim().is_empty());
        match (script, words) {
            (Some(script), Some(words)) => Some(format!("{script}{}", words.trim())),
            (Some(script), None) => Some(script.into()),
            (None, Some(words)) => Some(words.trim().into()),
            (None, None) => None,
        }
    }

    /// Whisper's hint for the script.
    fn script(&self) -> Option<&'static str> {
        match self.tag.as_str() {
            "zh-Hans" => Some(SIMPLIFIED),
            "zh-Hant" => Some(TRADITIONAL),
            _ => None,
        }
    }

    /// Whether `text` is mostly Whisper's hint for the script, as it is sometimes said to noise.
    pub fn echoes(&self, text: &str) -> bool {
        let Some(hint) = self.script() else {
            return false;
        };
        let letters = |text: &str| -> Vec<char> {
            fast2s::convert(text)
                .chars()
                .filter(|c| c.is_alphanumeric())
                .collect()
        };
        let said = letters(text);
        let common = longest_common_run(&said, &letters(hint));
        common >= ECHO && common * 3 > said.len() * 2
    }

    /// The text as the language is written: one script, and full-width punctuation between Han
    /// characters.
    pub fn in_script(&self, text: &str) -> String {
        match self.tag.as_str() {
            "zh-Hans" => full_width(&fast2s::convert(text)),
            "zh-Hant" => full_width(text),
            _ => text.to_owned(),
        }
    }
}

/// Windows that vote on the language of a recording.
#[derive(Default)]
pub struct Ballot {
    totals: Vec<f64>,
    windows: usize,
}

impl Ballot {
    /// Most windows that are asked.
    pub const MOST: usize = 3;
    /// Mean probability at which no further window is asked.
    const SURE: f64 = 0.8;

    /// Adds a window's probabilities, by Whisper's number of the language.
    pub fn add(&mut self, language_probs: &[f32]) {
        self.totals.resize(language_probs.len(), 0.0);
        for (total, probability) in self.totals.iter_mut().zip(language_probs) {
            *total += f64::from(*probability);
        }
        self.windows += 1;
    }

    fn best(&self) -> usize {
        // The first of equals.
        (0..self.totals.len())
            .rev()
            .max_by(|&a, &b| self.totals[a].total_cmp(&self.totals[b]))
            .unwrap_or(0)
    }

    /// Whether little doubt is left.
    pub fn is_sure(&self) -> bool {
        self.totals
            .get(self.best())
            .is_some_and(|total| *total > Self::SURE * self.windows as f64)
    }

    /// Whisper's code of the likeliest language.
    pub fn winner(&self) -> &'static str {
        whisper_rs::get_lang_str(self.best() as i32).unwrap_or("en")
    }
}

/// Whisper's code for a code or an English name. (Asking whisper.cpp itself prints to the
/// terminal.)
fn known(name: &str) -> Option<&'static str> {
    let mut ids = 0..=whisper_rs::get_lang_max_id();
    let id = ids.find(|&id| {
        whisper_rs::get_lang_str(id) == Some(name)
            || whisper_rs::get_lang_str_full(id) == Some(name)
    });
    id.and_then(whisper_rs::get_lang_str)
}

/// The length of the longest run that both have.
fn longest_common_run(a: &[char], b: &[char]) -> usize {
    let mut longest = 0;
    // Of the runs that end at the last of `a` and at each of `b`.
    let mut ending = vec![0; b.len() + 1];
    for one in a {
        for (at, other) in b.iter().enumerate().rev() {
            ending[at + 1] = if one == other { ending[at] + 1 } else { 0 };
            longest = longest.max(ending[at + 1]);
        }
    }
    longest
}

/// Whisper mixes `,` and `，`; after a Han character the wide form is meant.
fn full_width(text: &str) -> String {
    let mut after_han = false;
    let widened = text.chars().map(|c| {
        let wide = match c {
            ',' => '，',
            '?' => '？',
            '!' => '！',
            ';' => '；',
            ':' => '：',
            other => other,
        };
        let out = if after_han { wide } else { c };
        after_han = ('\u{4e00}'..='\u{9fff}').contains(&c);
        out
    });
    widened.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_is_written_in_one_script() {
        let simplified = Language::parse("zh").expect("known");
        assert_eq!(
            simplified.in_script("錄音,但是3,000小時?"),
            "录音，但是3,000小时？"
        );
        let traditional = Language::parse("zh-Hant").expect("known");
        assert_eq!(traditional.in_script("錄音"), "錄音");
    }

    #[test]
    fn the_hint_for_the_script_is_told_from_speech() {
        let echoes = |tag: &str, text: &str| Language::parse(tag).expect("known").echoes(text);
        assert!(echoes(
            "zh",
            "这次的符号是普通话的句子，使用简体中文和标点符号。"
        ));
        assert!(echoes("zh", "使用簡體中文和標點符號"));
        assert!(echoes("zh-TW", "以下是国语的句子。"));
        assert!(!echoes(
            "zh",
            "我们用普通话的句子来测试，看看孩子们能不能听懂老师在课堂上说的内容。"
        ));
        for said in [
            "以下是普通话水平测试",
            "这份材料使用简体中文",
            "请使用简体中文",
            "下面是普通话的句子。",
        ] {
            assert!(!echoes("zh", said), "{said}");
        }
        assert!(
            !echoes("zh", "标点符号") && !echoes("zh", "") && !echoes("en", "以下是普通话的句子")
        );
    }

    #[test]
    fn tags_are_read_as_people_write_them() {
        let tag = |t: &str| Language::parse(t).map(|l| l.tag().to_owned()).ok();
        assert_eq!(tag("EN").as_deref(), Some("en"));
        assert_eq!(tag("zh_TW").as_deref(), Some("zh-Hant"));
        assert_eq!(tag("zh").as_deref(), Some("zh-Hans"));
        assert_eq!(tag("pt-BR").as_deref(), Some("pt"));
        assert_eq!(tag("english").as_deref(), Some("en"));
        assert_eq!(tag("xx"), None);
        assert_eq!(tag(""), None);
    }
}
