//! What Whisper says when nobody does: loops, and phrases out of silence.
//! Nothing goes silently: each thing that is dropped or collapsed is counted in [`Diagnostics`].

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::transcribe::{
    language_segmentation::LanguageSpan,
    quality::{DoubtfulSpan, LEAST_LOGPROB},
};

/// What was done to a recording's text besides writing it down.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Diagnostics {
    /// Segments dropped because nobody speaks where they were heard, or because they are a guess to
    /// the model itself.
    pub dropped: usize,
    /// Loops of the recogniser that were cut down to one round.
    pub loops: usize,
    /// Windows that were heard again in other ways, because their text was doubtful.
    pub heard_again: usize,
    /// Of these, the windows about which no doubt was left.
    pub mended: usize,
    /// What stayed doubtful and is kept.
    pub doubtful: Vec<DoubtfulSpan>,
    /// Which language is spoken when, where several were allowed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<LanguageSpan>,
    /// Packets that could not be decoded.
    pub broken_packets: usize,
    /// Whether the file lacks its end mark: it may have been cut off.
    pub unfinished: bool,
}

impl Diagnostics {
    /// Adds what was done to another part of the same recording.
    pub fn add(&mut self, other: Self) {
        self.dropped += other.dropped;
        self.loops += other.loops;
        self.heard_again += other.heard_again;
        self.mended += other.mended;
        self.doubtful.extend(other.doubtful);
        self.languages.extend(other.languages);
        self.broken_packets += other.broken_packets;
        self.unfinished |= other.unfinished;
    }
}

/// A repeated word is speech up to here ("no, no, no"); beyond it is a loop.
const WORD_REPEATS: usize = 6;
/// The same for a phrase.
const PHRASE_REPEATS: usize = 4;
/// Longest phrase that is looked for, in words or Han characters.
const LONGEST_PHRASE: usize = 40;

/// The bytes of the text that are left when each loop is cut down to its first round, and how many
/// loops there were.
pub fn unlooped(text: &str, unspaced: bool) -> (Vec<Range<usize>>, usize) {
    let tokens = tokens(text, unspaced);
    let keys: Vec<String> = tokens.iter().map(|t| key(t)).collect();
    let bytes = |tokens: &[&str]| tokens.iter().map(|token| token.len()).sum::<usize>();
    let mut kept = Vec::new();
    let mut loops = 0;
    let (mut at, mut byte) = (0, 0);
    while at < tokens.len() {
        let (length, rounds) = repeat_at(&keys[at..]);
        kept.push(byte..byte + bytes(&tokens[at..at + length]));
        byte += bytes(&tokens[at..at + length * rounds]);
        at += length * rounds;
        loops += usize::from(rounds > 1);
    }
    (kept, loops)
}

/// The length and number of rounds of the loop that begins here, or one token once.
fn repeat_at(keys: &[String]) -> (usize, usize) {
    for length in 1..=LONGEST_PHRASE.min(keys.len() / 2) {
        let phrase = &keys[..length];
        if phrase.iter().all(String::is_empty) {
            continue;
        }
        let rounds = keys
            .chunks_exact(length)
            .take_while(|chunk| *chunk == phrase)
            .count();
        if rounds
            >= if length == 1 {
                WORD_REPEATS
            } else {
                PHRASE_REPEATS
            }
        {
            return (length, rounds);
        }
    }
    (1, 1)
}

/// Words with the space before them, or characters where words are not set apart.
pub fn tokens(text: &str, unspaced: bool) -> Vec<&str> {
    if unspaced {
        return text
            .char_indices()
            .map(|(i, c)| &text[i..i + c.len_utf8()])
            .collect();
    }
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut in_word = false;
    for (i, c) in text.char_indices() {
        if c.is_whitespace() && in_word {
            tokens.push(&text[start..i]);
            start = i;
        }
        in_word = !c.is_whitespace();
    }
    if start < text.len() {
        tokens.push(&text[start..]);
    }
    tokens
}

/// The letters and figures of a word, small.
pub fn key(token: &str) -> String {
    token
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Evidence about a segment.
pub struct Evidence<'a> {
    /// Its text.
    pub text: &'a str,
    /// Seconds of it in which the voice detector hears speech.
    pub voiced: f64,
    /// Its length in seconds.
    pub seconds: f64,
    /// The model's confidence in the words.
    pub confidence: f64,
    /// Mean log-probability of the words' tokens.
    pub logprob: f64,
    /// The model's estimate that nobody speaks.
    pub no_speech: f64,
}

/// Letters a second below which a phrase that lasts is no speech: music and tones that the detector
/// takes for a voice.
const SPARSE: f64 = 1.5;
/// The same for stock phrases and for one word over and over, which people say quickly.
const SLOW: f64 = 5.5;
/// Mean log-probability below which words are no more than a guess. What is made up out of noise
/// has about -2; words under noise twice as strong as the voice mostly have more than -1.3.
const GUESS: f64 = -1.5;
/// Whisper's own threshold (Radford et al. 2022, section 4.5): unlikely words are none where
/// silence is likelier than this.
const SILENT: f64 = 0.6;
/// A Han character says as much as so many letters.
const HAN: f64 = 3.0;

/// Whether the words were made up. Without a voice it takes the model's doubt or a phrase that
/// Whisper is known to say to silence. Where the detector hears a voice, it takes words that are
/// far too few for it, or that the model itself would hardly have said.
pub fn is_made_up(evidence: &Evidence) -> bool {
    let unvoiced = evidence.voiced < 0.2 && evidence.voiced < 0.25 * evidence.seconds;
    let doubtful = evidence.no_speech > 0.5 || evidence.confidence < 0.5;
    unvoiced && (doubtful || is_stock_phrase(evidence.text))
        || is_guess(evidence)
        || is_sound_label(evidence.text)
        || is_too_little(evidence)
}

/// Whether the model itself would hardly have said the words, or finds them unlikely and believes
/// in silence.
pub fn is_guess(evidence: &Evidence) -> bool {
    evidence.logprob < GUESS || evidence.logprob < LEAST_LOGPROB && evidence.no_speech > SILENT
}

fn is_too_little(evidence: &Evidence) -> bool {
    let weight = |c: char| {
        if ('\u{3040}'..='\u{9fff}').contains(&c) {
            HAN
        } else {
            1.0
        }
    };
    let letters: f64 = evidence
        .text
        .chars()
        .filter(|c| c.is_alphanumeric())
        .map(weight)
        .sum();
    let rate = letters / evidence.voiced.max(0.1);
    let empty = is_stock_phrase(evidence.text) || is_one_word(evidence.text);
    evidence.voiced >= 2.0 && rate < SPARSE || evidence.voiced >= 1.0 && rate < SLOW && empty
}

/// `beep beep beep`: what machines say.
fn is_one_word(text: &str) -> bool {
    let words: Vec<String> = text.split_whitespace().map(key).collect();
    words.len() >= 3 && words.iter().all(|word| *word == words[0])
}

/// `Wheeeee`, `A-A-A-A-A`: tones, spelt out: two thirds of the word or more, and five letters at
/// least, are one letter.
fn is_drawn_out(word: &str) -> bool {
    let letters: Vec<char> = key(word).chars().collect();
    let most = letters
        .chunk_by(|a, b| a == b)
        .filter(|run| run[0].is_ascii_alphabetic())
        .map(<[char]>::len)
        .max();
    most.is_some_and(|run| run >= 5 && run * 3 >= letters.len() * 2)
}

/// `[Music]`, `(applause)`, `♪`: descriptions, not words.
fn is_sound_label(text: &str) -> bool {
    let text = text.trim();
    let enclosed = [
        ('[', ']'),
        ('(', ')'),
        ('（', '）'),
        ('【', '】'),
        ('*', '*'),
        ('♪', '♪'),
    ];
    text.chars().all(|c| !c.is_alphanumeric())
        || text.split_whitespace().all(is_drawn_out)
        || enclosed.iter().any(|&(open, close)| {
            text.len() > 1
                && text.starts_with(open)
                && text.ends_with(close)
                && text.matches(open).count() <= 2
        })
}

fn is_stock_phrase(text: &str) -> bool {
    const PHRASES: [&str; 12] = [
        "you",
        "thankyou",
        "thanksforwatching",
        "thankyouforwatching",
        "pleasesubscribe",
        "bye",
        "subtitlesbytheamaraorgcommunity",
        "谢谢",
        "谢谢观看",
        "謝謝觀看",
        "请不吝点赞订阅转发打赏支持明镜与点点栏目",
        "字幕由amaraorg社区提供",
    ];
    PHRASES.contains(&key(text).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_cut_and_emphasis_is_not() {
        let check = |text: &str, unspaced, expect: &str, loops| {
            let (kept, found) = unlooped(text, unspaced);
            let kept: String = kept.into_iter().map(|bytes| &text[bytes]).collect();
            assert_eq!((kept.as_str(), found), (expect, loops), "{text}");
        };
        check(
            "No, no, no, it is six six six.",
            false,
            "No, no, no, it is six six six.",
            0,
        );
        check(
            "And so I think, I think, I think, I think, I think.",
            false,
            "And so I think,",
            1,
        );
        check(
            "well well well well well well well done",
            false,
            "well done",
            1,
        );
        check("我们我们我们我们都知道", true, "我们都知道", 1);
        check("哈哈哈，好", true, "哈哈哈，好", 0);
        check("", true, "", 0);
    }

    #[test]
    fn what_was_made_up_is_told_from_speech() {
        let made_up = |text, voiced, confidence, no_speech| {
            let logprob = f64::ln(confidence);
            is_made_up(&Evidence {
                text,
                voiced,
                seconds: 3.0,
                confidence,
                logprob,
                no_speech,
            })
        };
        assert!(made_up("Thank you.", 0.0, 0.9, 0.1));
        assert!(!made_up("Thank you.", 1.2, 0.9, 0.1));
        assert!(!made_up("The wind was light.", 0.0, 0.9, 0.1));
        assert!(made_up("The wind was light.", 0.0, 0.3, 0.1));
        assert!(made_up("[BLANK_AUDIO]", 2.0, 0.9, 0.1));
        assert!(
            made_up("you", 1.0, 0.9, 0.1),
            "far too little for a second of voice"
        );
        assert!(made_up("beep beep beep beep beep", 6.0, 0.9, 0.1));
        assert!(!made_up("No, no, no, no.", 1.2, 0.9, 0.1));
        assert!(!made_up("谢谢大家", 1.0, 0.9, 0.1));
        assert!(made_up("Oh.", 2.5, 0.9, 0.1));
        assert!(made_up("Wooooo! A-A-A-A-A", 1.0, 0.9, 0.1));
        assert!(!made_up("www.wwf.org", 1.0, 0.9, 0.1));
        assert!(!made_up("故宫是国家AAAAA级旅游景区。", 3.0, 0.9, 0.1));
        assert!(!made_up("It is 10000 feet, sooooo high.", 3.0, 0.9, 0.1));
        assert!(
            made_up("I'm not sure if I can do it.", 3.0, 0.15, 0.2),
            "a guess, though a voice is heard"
        );
        assert!(!made_up("I'm not sure if I can do it.", 3.0, 0.3, 0.5));
        assert!(
            made_up("I'm not sure if I can do it.", 3.0, 0.3, 0.7),
            "unlikely, and the model believes in silence"
        );
        assert!(!made_up("I'm not sure if I can do it.", 3.0, 0.5, 0.9));
        assert!(!made_up("(as we said) it is (nearly) done", 2.0, 0.9, 0.1));
    }
}
