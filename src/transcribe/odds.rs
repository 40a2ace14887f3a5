//! How likely the model finds what is new in a phrase. What it has written once it writes again with great confidence, be
//! it made up: such words are no evidence.

use std::{collections::HashSet, ops::Range};

use super::{
    guard::{key, tokens},
    whisper::Phrase,
};

/// A phrase of which less is new is not judged by that alone.
const OF_ITS_OWN: f64 = 0.5;

/// Mean log-probability of what is new in each of a window's `phrases`; where little is, of all that was new up to its end.
pub fn of_what_is_new(phrases: &[Phrase], unspaced: bool) -> Vec<f64> {
    let (mut sum, mut many) = (0.0, 0);
    let judged = phrases.iter().zip(old_words(phrases, unspaced)).map(|(phrase, old)| {
        let is_new = |byte: &usize| !old.iter().any(|word| word.contains(byte));
        let new: Vec<f64> = phrase.odds.iter().filter(|(byte, _)| is_new(byte)).map(|(_, odds)| *odds).collect();
        let new_sum = new.iter().sum::<f64>();
        sum += new_sum;
        many += new.len();
        match new.len() {
            some if some > 0 && some as f64 >= OF_ITS_OWN * phrase.odds.len() as f64 => new_sum / some as f64,
            _ if many > 0 => sum / f64::from(many as u32),
            _ => phrase.logprob(),
        }
    });
    judged.collect()
}

/// Where in each phrase words are that were said before with the same neighbour.
fn old_words(phrases: &[Phrase], unspaced: bool) -> Vec<Vec<Range<usize>>> {
    let mut old = vec![Vec::new(); phrases.len()];
    let mut pairs = HashSet::new();
    let mut last: Option<(usize, Range<usize>, String)> = None;
    for (place, phrase) in phrases.iter().enumerate() {
        let mut byte = 0;
        for token in tokens(&phrase.text, unspaced) {
            let word = byte..byte + token.len();
            byte = word.end;
            let key = key(token);
            if key.is_empty() {
                continue;
            }
            if let Some((before, neighbour, left)) = last.take()
                && !pairs.insert((left, key.clone()))
            {
                old[before].push(neighbour);
                old[place].push(word.clone());
            }
            last = Some((place, word, key));
        }
    }
    old
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each word is a token.
    fn phrase(text: &str, odds: &[f64]) -> Phrase {
        let starts = std::iter::once(0).chain(text.match_indices(' ').skip(1).map(|(byte, _)| byte));
        let odds: Vec<(usize, f64)> = starts.zip(odds.iter().copied()).collect();
        Phrase { start: 0.0, end: 3.0, text: text.into(), marks: Vec::new(), odds, no_speech: 0.0 }
    }

    fn rounded(phrases: &[Phrase]) -> Vec<i32> {
        of_what_is_new(phrases, false).iter().map(|odds| (odds * 10.0).round() as i32).collect()
    }

    #[test]
    fn what_is_said_again_is_as_likely_as_the_first_time() {
        let made_up = phrase(" I am not sure.", &[-2.0, -2.4, -2.0, -2.4]);
        let copied = phrase(" But I am not sure!", &[-0.1; 5]);
        let other = phrase(" It rained here.", &[-0.1; 3]);
        assert_eq!(rounded(&[made_up.clone(), copied]), [-22, -18], "one new word is no evidence");
        assert_eq!(rounded(&[made_up, other]), [-22, -1]);
        let sure = phrase(
            " I can do it, but I am sure I can do it.",
            &[-3.0, -2.0, -1.0, -1.0, -2.0, -2.0, -3.0, -1.0, -0.1, -0.1, -0.1, -0.1],
        );
        assert_eq!(rounded(&[sure]), [-19]);
        let again = phrase(" Yes, yes, yes.", &[-0.5, -0.1, -0.1]);
        assert_eq!(rounded(&[again]), [-5]);
        assert_eq!(rounded(&[phrase("", &[])]), [0]);
    }
}
