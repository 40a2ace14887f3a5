//! Hallucinations: text that Whisper writes where nobody speaks, such as stock phrases in silence,
//! names of sounds, and guesses out of noise.

use super::{issues::MIN_MEAN_LOGPROB, repetition::key};

/// Letters per second of speech below which a phrase is no speech: music and tones that the
/// detector takes for a voice.
const MIN_LETTER_RATE: f64 = 1.5;
/// The same for stock phrases and for one word over and over, which people say quickly.
const MIN_FORMULAIC_RATE: f64 = 5.5;
/// Mean log-probability below which words are no more than a guess. Text invented out of noise has
/// about -2; words under noise twice as strong as the voice mostly have more than -1.3.
const GUESS_LOGPROB: f64 = -1.5;
/// Whisper's own threshold (Radford et al. 2022, section 4.5): a probability of silence above which
/// unlikely words are invented.
const MAX_NO_SPEECH_PROB: f64 = 0.6;
/// Letters that say as much as one Han character.
const HAN_LETTERS: f64 = 3.0;

/// Evidence for and against a phrase.
pub struct PhraseEvidence<'a> {
    /// The text.
    pub text: &'a str,
    /// Seconds in which the voice detector finds speech.
    pub voiced: f64,
    /// Length in seconds.
    pub seconds: f64,
    /// Mean probability of the tokens.
    pub confidence: f64,
    /// Mean log-probability of the tokens.
    pub mean_logprob: f64,
    /// The model's estimate of the probability that nobody speaks.
    pub no_speech_prob: f64,
}

/// Whether a phrase was invented. Where the detector finds no voice, the model's own doubt is
/// enough, or a phrase that Whisper is known to write in silence. Where it finds a voice, the words
/// must be far too few for it, or unlikely to the model itself.
pub fn is_hallucination(evidence: &PhraseEvidence) -> bool {
    let unvoiced = evidence.voiced < 0.2 && evidence.voiced < 0.25 * evidence.seconds;
    let doubtful = evidence.no_speech_prob > 0.5 || evidence.confidence < 0.5;
    unvoiced && (doubtful || is_stock_phrase(evidence.text))
        || is_guess(evidence)
        || is_sound_label(evidence.text)
        || is_too_short_for_its_speech(evidence)
}

/// Whether the words are a guess to the model itself: very unlikely, or unlikely where it also
/// believes that nobody speaks.
pub fn is_guess(evidence: &PhraseEvidence) -> bool {
    evidence.mean_logprob < GUESS_LOGPROB
        || evidence.mean_logprob < MIN_MEAN_LOGPROB && evidence.no_speech_prob > MAX_NO_SPEECH_PROB
}

fn is_too_short_for_its_speech(evidence: &PhraseEvidence) -> bool {
    let letters: f64 = evidence
        .text
        .chars()
        .filter(|c| c.is_alphanumeric())
        .map(weight)
        .sum();
    let rate = letters / evidence.voiced.max(0.1);
    let formulaic = is_stock_phrase(evidence.text) || is_one_repeated_word(evidence.text);
    evidence.voiced >= 2.0 && rate < MIN_LETTER_RATE
        || evidence.voiced >= 1.0 && rate < MIN_FORMULAIC_RATE && formulaic
}

fn weight(letter: char) -> f64 {
    if ('\u{3040}'..='\u{9fff}').contains(&letter) {
        HAN_LETTERS
    } else {
        1.0
    }
}

/// `beep beep beep`: the sounds of machines.
fn is_one_repeated_word(text: &str) -> bool {
    let words: Vec<String> = text.split_whitespace().map(key).collect();
    words.len() >= 3 && words.iter().all(|word| *word == words[0])
}

/// `Wheeeee`, `A-A-A-A-A`: tones, spelt out. At least five letters and two thirds of the word are
/// the same letter.
fn is_spelt_tone(word: &str) -> bool {
    let letters: Vec<char> = key(word).chars().collect();
    let longest = letters
        .chunk_by(|a, b| a == b)
        .filter(|run| run[0].is_ascii_alphabetic())
        .map(<[char]>::len)
        .max();
    longest.is_some_and(|run| run >= 5 && run * 3 >= letters.len() * 2)
}

/// `[Music]`, `(applause)`, `♪`: descriptions, not words.
fn is_sound_label(text: &str) -> bool {
    const BRACKETS: [(char, char); 6] = [
        ('[', ']'),
        ('(', ')'),
        ('（', '）'),
        ('【', '】'),
        ('*', '*'),
        ('♪', '♪'),
    ];
    let text = text.trim();
    text.chars().all(|c| !c.is_alphanumeric())
        || text.split_whitespace().all(is_spelt_tone)
        || BRACKETS.iter().any(|brackets| is_enclosed(text, *brackets))
}

/// Whether a text is one bracket. More than two opening marks, as in `(as we said) it is (nearly)
/// done (now)`, are several.
fn is_enclosed(text: &str, (open, close): (char, char)) -> bool {
    text.len() > 1
        && text.starts_with(open)
        && text.ends_with(close)
        && text.matches(open).count() <= 2
}

/// Phrases that Whisper is known to write in silence, as [`key`] gives them.
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
    fn what_was_made_up_is_told_from_speech() {
        let invented = |text, voiced, confidence, no_speech_prob| {
            let mean_logprob = f64::ln(confidence);
            is_hallucination(&PhraseEvidence {
                text,
                voiced,
                seconds: 3.0,
                confidence,
                mean_logprob,
                no_speech_prob,
            })
        };
        assert!(invented("Thank you.", 0.0, 0.9, 0.1));
        assert!(!invented("Thank you.", 1.2, 0.9, 0.1));
        assert!(!invented("The wind was light.", 0.0, 0.9, 0.1));
        assert!(invented("The wind was light.", 0.0, 0.3, 0.1));
        assert!(invented("[BLANK_AUDIO]", 2.0, 0.9, 0.1));
        assert!(
            invented("you", 1.0, 0.9, 0.1),
            "far too little for a second of voice"
        );
        assert!(invented("beep beep beep beep beep", 6.0, 0.9, 0.1));
        assert!(!invented("No, no, no, no.", 1.2, 0.9, 0.1));
        assert!(!invented("谢谢大家", 1.0, 0.9, 0.1));
        assert!(invented("Oh.", 2.5, 0.9, 0.1));
        assert!(invented("Wooooo! A-A-A-A-A", 1.0, 0.9, 0.1));
        assert!(!invented("www.wwf.org", 1.0, 0.9, 0.1));
        assert!(!invented("故宫是国家AAAAA级旅游景区。", 3.0, 0.9, 0.1));
        assert!(!invented("It is 10000 feet, sooooo high.", 3.0, 0.9, 0.1));
        assert!(
            invented("I'm not sure if I can do it.", 3.0, 0.15, 0.2),
            "a guess, though a voice is heard"
        );
        assert!(!invented("I'm not sure if I can do it.", 3.0, 0.3, 0.5));
        assert!(
            invented("I'm not sure if I can do it.", 3.0, 0.3, 0.7),
            "unlikely, and the model believes in silence"
        );
        assert!(!invented("I'm not sure if I can do it.", 3.0, 0.5, 0.9));
        assert!(!invented("(as we said) it is (nearly) done", 2.0, 0.9, 0.1));
    }
}
