//! The times of words. For every token whisper.cpp also notes the time stamp that would be most
//! likely in its place, which costs nothing. One such hint alone is often wrong; hints that agree on
//! an order are mostly right. The tokens between them are spread by their letters.

use std::ops::Range;

/// Least probability of a hint; below it hints are chance.
const MIN_HINT_PROB: f64 = 0.02;
/// Typical time of a byte of text in seconds: about a fifteenth for a letter, three times as much
/// for a Han character.
const TYPICAL_PER_BYTE: f64 = 0.07;
/// Least time of a byte of text in seconds.
const MIN_PER_BYTE: f64 = 0.04;
/// Most time of a byte of text in seconds. Since silence is cut out of windows, a phrase that seems
/// slower has noise before or behind it.
const MAX_PER_BYTE: f64 = 0.2;
/// Time to begin or end a phrase, in seconds, beside that of its bytes.
const ALLOWANCE: f64 = 1.0;

/// A token of a phrase with its hint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedToken {
    /// Bytes of its text.
    pub bytes: usize,
    /// The most likely time stamp before it, in seconds, and its probability.
    pub hint: Option<(f64, f64)>,
}

/// The start of each token by its byte in the text: in order, within `span` (seconds), which is
/// narrowed where its ends are noise. Tokens that begin inside a character are left out. If the
/// tokens do not make up the text, the starts are those of its characters.
pub fn token_starts(text: &str, tokens: &[TimedToken], span: &mut Range<f64>) -> Vec<(usize, f64)> {
    let (bytes, length) = byte_offsets(tokens);
    // Invalid bytes were replaced in the text, or a part was cut out of it.
    if length != text.len() {
        return token_starts(text, &characters(text), span);
    }
    let mut anchors = most_probable_chain(tokens, &bytes, span);
    cut_noise(&anchors, length, span);
    anchors.insert(0, (0, span.start));
    anchors.push((length, span.end));
    let mut next = 1;
    let mut starts = Vec::with_capacity(bytes.len());
    for byte in bytes {
        if !text.is_char_boundary(byte) {
            continue;
        }
        while anchors[next].0 < byte {
            next += 1;
        }
        starts.push((byte, interpolated(anchors[next - 1], anchors[next], byte)));
    }
    starts
}

/// The byte where each token begins, and the length of all.
fn byte_offsets(tokens: &[TimedToken]) -> (Vec<usize>, usize) {
    let mut length = 0;
    let mut bytes = Vec::with_capacity(tokens.len());
    for token in tokens {
        bytes.push(length);
        length += token.bytes;
    }
    (bytes, length)
}

/// The characters of a text as tokens without hints.
fn characters(text: &str) -> Vec<TimedToken> {
    text.chars()
        .map(|c| TimedToken {
            bytes: c.len_utf8(),
            hint: None,
        })
        .collect()
}

/// The time of a byte between two anchors, by its share of the bytes between them.
fn interpolated((from, start): (usize, f64), (to, end): (usize, f64), byte: usize) -> f64 {
    let share = (byte - from) as f64 / (to - from).max(1) as f64;
    start + (end - start) * share
}

/// Narrows `span` where nobody would take so long to the first anchor or from the last.
fn cut_noise(anchors: &[(usize, f64)], length: usize, span: &mut Range<f64>) {
    let (Some(&(first, first_time)), Some(&(last, last_time))) = (anchors.first(), anchors.last())
    else {
        return;
    };
    let (before, behind) = (first as f64, (length - last) as f64);
    let start = first_time - TYPICAL_PER_BYTE * before;
    let end = last_time + TYPICAL_PER_BYTE * behind;
    // The rest must still hold the text: one hint alone may be wrong.
    let needed = MIN_PER_BYTE * length as f64;
    if first_time - span.start > ALLOWANCE + MAX_PER_BYTE * before && span.end - start >= needed {
        span.start = start;
    }
    if span.end - last_time > ALLOWANCE + MAX_PER_BYTE * behind && end - span.start >= needed {
        span.end = end;
    }
}

/// A hint that is believed so far.
struct Link {
    /// Its place in the text.
    byte: usize,
    time: f64,
    /// The summed probability of the chain that ends in it.
    weight: f64,
    /// The link before it in that chain.
    previous: Option<usize>,
}

/// The most probable chain of hints whose times increase, as pairs of byte and time. Hints that do
/// not increase contradict each other.
fn most_probable_chain(
    tokens: &[TimedToken],
    bytes: &[usize],
    span: &Range<f64>,
) -> Vec<(usize, f64)> {
    let mut links: Vec<Link> = Vec::new();
    for (token, &byte) in tokens.iter().zip(bytes) {
        let Some((time, probability)) = token.hint else {
            continue;
        };
        if probability < MIN_HINT_PROB || time <= span.start || time > span.end {
            continue;
        }
        // Strictly increasing: two words cannot begin at the same time.
        let earlier = (0..links.len()).filter(|&link| links[link].time < time);
        let previous = heaviest(&links, earlier);
        links.push(Link {
            byte,
            time,
            weight: probability + previous.map_or(0.0, |link| links[link].weight),
            previous,
        });
    }
    let mut next = heaviest(&links, 0..links.len());
    let mut chain = Vec::new();
    while let Some(link) = next.map(|link| &links[link]) {
        chain.push((link.byte, link.time));
        next = link.previous;
    }
    chain.reverse();
    chain
}

fn heaviest(links: &[Link], among: impl Iterator<Item = usize>) -> Option<usize> {
    among.max_by(|&a, &b| links[a].weight.total_cmp(&links[b].weight))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(of: &[(&str, f64, f64)]) -> (String, Vec<TimedToken>) {
        let token = |&(text, at, p): &(&str, f64, f64)| TimedToken {
            bytes: text.len(),
            hint: Some((at, p)),
        };
        (
            of.iter().map(|(text, ..)| *text).collect(),
            of.iter().map(token).collect(),
        )
    }

    #[test]
    fn hints_that_agree_are_believed_and_letters_fill_the_rest() {
        let (text, tokens) = tokens(&[
            (" The", 0.0, 0.5),
            (" wind", 0.6, 0.1),
            (" was", 27.0, 0.1),
            (" light", 0.3, 0.03),
            (".", 2.6, 0.3),
            (" Rain", 3.0, 0.4),
        ]);
        let token_starts = token_starts(&text, &tokens, &mut (0.0..4.0));
        let bytes: Vec<usize> = token_starts.iter().map(|(byte, _)| *byte).collect();
        assert_eq!(bytes, [0, 4, 9, 13, 19, 20]);
        let at: Vec<f64> = token_starts
            .iter()
            .map(|(_, at)| (at * 100.0).round() / 100.0)
            .collect();
        assert_eq!(
            at,
            [0.0, 0.6, 1.27, 1.8, 2.6, 3.0],
            "27 s is outside, and 0.3 s goes back"
        );
    }

    #[test]
    fn noise_before_and_behind_is_no_part_of_the_words() {
        let (text, tokens) = tokens(&[
            (" The", 0.0, 0.5),
            (" second", 16.2, 0.1),
            (" child", 16.6, 0.1),
        ]);
        let mut span = 0.0..25.0;
        let token_starts = token_starts(&text, &tokens, &mut span);
        assert!(
            (span.start - 15.92).abs() < 1e-9 && (span.end - 17.02).abs() < 1e-9,
            "{span:?}"
        );
        assert_eq!(token_starts[0], (0, span.start));
    }

    #[test]
    fn one_hint_does_not_squeeze_a_long_text() {
        let rest = "a".repeat(126);
        let (text, mut parts) = tokens(&[(" The", 0.0, 0.5), (&rest, 8.0, 0.1)]);
        parts[0].hint = None;
        let mut span = 0.0..10.0;
        token_starts(&text, &parts, &mut span);
        assert_eq!(span, 0.0..10.0);
    }

    #[test]
    fn parts_of_characters_have_no_place_of_their_own() {
        let token = |bytes: usize, at: f64| TimedToken {
            bytes,
            hint: Some((at, 0.5)),
        };
        let parts = [token(3, 0.0), token(1, 0.5), token(2, 0.6), token(3, 1.0)];
        assert_eq!(
            token_starts("录音很", &parts, &mut (0.0..2.0))
                .iter()
                .map(|(byte, _)| *byte)
                .collect::<Vec<_>>(),
            [0, 3, 6]
        );
        assert_eq!(
            token_starts("ab录", &parts, &mut (0.0..2.0)),
            [(0, 0.0), (1, 0.4), (2, 0.8)],
            "the text was cut"
        );
        assert_eq!(token_starts("", &[], &mut (0.0..2.0)), []);
    }
}
