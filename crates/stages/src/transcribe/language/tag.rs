//! A language that Whisper knows: its code, the models that know it, and its script. Chinese is the
//! one language with two scripts; a prompt in the wanted script steers Whisper, and a conversion
//! table settles the rest.

use crate::{text::script::simplified, transcribe::error::TranscribeError};

/// Whisper's prompt for simplified characters: "The following are sentences in Mandarin, with
/// simplified Chinese and punctuation."
const SIMPLIFIED: &str = "以下是普通话的句子，使用简体中文和标点符号。";
/// The same for traditional characters.
const TRADITIONAL: &str = "以下是國語的句子，使用繁體中文和標點符號。";

/// Fewest characters in a row, shared with the prompt, that make a text an echo of it.
const MIN_ECHO: usize = 8;

/// A language that Whisper knows, with its script where there are two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Language {
    tag: String,
    code: &'static str,
}

impl Language {
    /// Reads a tag such as `en`, `zh`, `zh-Hant`, `pt-BR`.
    pub fn parse(tag: &str) -> Result<Self, TranscribeError> {
        let lower = tag.trim().to_lowercase().replace('_', "-");
        let Some(code) = primary_subtag(&lower).and_then(whisper_code_of) else {
            return Err(TranscribeError::UnknownLanguage {
                language: tag.into(),
            });
        };
        // Regions that write traditional characters; Singapore and the mainland write simplified
        // ones.
        let is_traditional = ["-hant", "-tw", "-hk", "-mo"]
            .iter()
            .any(|part| lower.contains(part));
        let tag = match (code, is_traditional) {
            ("zh", false) => "zh-Hans".to_owned(),
            ("zh", true) => "zh-Hant".to_owned(),
            _ => code.to_owned(),
        };
        Ok(Self { tag, code })
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

    /// BCP 47 tag, as transcripts state it.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// Whisper's own code.
    pub fn whisper_code(&self) -> &'static str {
        self.code
    }

    /// Whisper's number of the language, by which it lists probabilities.
    pub fn whisper_id(&self) -> usize {
        let mut ids = 0..=whisper_rs::get_lang_max_id();
        ids.find(|&id| whisper_rs::get_lang_str(id) == Some(self.code))
            .unwrap_or(0) as usize
    }

    /// Whether a model for English alone is enough.
    pub fn is_english(&self) -> bool {
        self.code == "en"
    }

    /// Whether the language is written without spaces between words.
    pub fn is_unspaced(&self) -> bool {
        matches!(self.code, "zh" | "ja" | "yue" | "th" | "lo" | "my" | "km")
    }

    /// The prompt before each window: one that sets the script, then the vocabulary to expect.
    pub fn initial_prompt(&self, vocabulary: Option<&str>) -> Option<String> {
        // A zero byte would end the string on whisper.cpp's side.
        let vocabulary = vocabulary
            .map(|words| words.replace('\0', " ").trim().to_owned())
            .filter(|words| !words.is_empty());
        match (self.script_prompt(), vocabulary) {
            (None, None) => None,
            (script, words) => Some(format!(
                "{}{}",
                script.unwrap_or_default(),
                words.unwrap_or_default()
            )),
        }
    }

    /// The part of the prompt that sets the script.
    fn script_prompt(&self) -> Option<&'static str> {
        match self.tag.as_str() {
            "zh-Hans" => Some(SIMPLIFIED),
            "zh-Hant" => Some(TRADITIONAL),
            _ => None,
        }
    }

    /// Whether `text` is mostly the prompt for the script: Whisper sometimes repeats it where there
    /// is only noise.
    pub fn echoes_prompt(&self, text: &str) -> bool {
        let Some(prompt) = self.script_prompt() else {
            return false;
        };
        let letters = simplified_letters(text);
        let shared = longest_common_substring(&letters, &simplified_letters(prompt));
        shared >= MIN_ECHO && shared * 3 > letters.len() * 2
    }

    /// The text as the language is written: in one script, with full-width punctuation after Han
    /// characters.
    pub fn to_script(&self, text: &str) -> String {
        match self.tag.as_str() {
            "zh-Hans" => full_width(&simplified(text)),
            "zh-Hant" => full_width(text),
            _ => text.to_owned(),
        }
    }
}

/// The language part of a tag in small letters: `pt` of `pt-br`.
fn primary_subtag(tag: &str) -> Option<&str> {
    let code = tag.split('-').next()?;
    if !code.chars().all(|c| c.is_ascii_alphabetic()) {
        return None;
    }
    // Mandarin's own code, which Whisper does not know.
    Some(if code == "cmn" { "zh" } else { code })
}

/// Whisper's code for a code or an English name. (Asking whisper.cpp itself prints to the
/// terminal.)
fn whisper_code_of(name: &str) -> Option<&'static str> {
    let mut ids = 0..=whisper_rs::get_lang_max_id();
    let id = ids.find(|&id| {
        whisper_rs::get_lang_str(id) == Some(name)
            || whisper_rs::get_lang_str_full(id) == Some(name)
    });
    id.and_then(whisper_rs::get_lang_str)
}

/// The letters of a text, in simplified characters, so that both scripts compare equal.
fn simplified_letters(text: &str) -> Vec<char> {
    simplified(text)
        .chars()
        .filter(|c| c.is_alphanumeric())
        .collect()
}

/// The length of the longest substring that both have.
fn longest_common_substring(a: &[char], b: &[char]) -> usize {
    let mut longest = 0;
    // Lengths of the common substrings that end at the current character of `a` and at each of `b`.
    let mut ending = vec![0; b.len() + 1];
    for left in a {
        // Backwards, so that each entry is still that of the previous character of `a` when read.
        for (at, right) in b.iter().enumerate().rev() {
            ending[at + 1] = if left == right { ending[at] + 1 } else { 0 };
            longest = longest.max(ending[at + 1]);
        }
    }
    longest
}

/// The text with full-width punctuation after Han characters, where Whisper mixes `,` and `，`.
fn full_width(text: &str) -> String {
    let mut after_han = false;
    text.chars()
        .map(|c| {
            let widened = if after_han { wide(c) } else { c };
            after_han = ('\u{4e00}'..='\u{9fff}').contains(&c);
            widened
        })
        .collect()
}

fn wide(c: char) -> char {
    match c {
        ',' => '，',
        '?' => '？',
        '!' => '！',
        ';' => '；',
        ':' => '：',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_is_written_in_one_script() {
        let simplified = Language::parse("zh").expect("known");
        assert_eq!(
            simplified.to_script("錄音,但是3,000小時?"),
            "录音，但是3,000小时？"
        );
        let traditional = Language::parse("zh-Hant").expect("known");
        assert_eq!(traditional.to_script("錄音"), "錄音");
    }

    #[test]
    fn the_hint_for_the_script_is_told_from_speech() {
        let echoes =
            |tag: &str, text: &str| Language::parse(tag).expect("known").echoes_prompt(text);
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
