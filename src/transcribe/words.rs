//! When each word begins. At every token whisper.cpp notes which time stamp would be the likeliest
//! there, which costs nothing. Alone such a hint is often wrong; those that agree on an order are
//! mostly right. What lies between them is spread by letters.

use std::ops::Range;

/// Hints below this probability are chance.
const LEAST: f64 = 0.02;
/// What a byte of text takes, in seconds: about a fifteenth for a letter, three times as much for a
/// Han character.
const TYPICAL: f64 = 0.07;
/// What it takes at least.
const FASTEST: f64 = 0.04;
/// Nobody speaks slower than this, with a moment to begin: a phrase that seems to is preceded or
/// followed by noise, since silence is cut out of windows.
const SLOWEST: f64 = 0.2;
const MOMENT: f64 = 1.0;

/// A token of a phrase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token {
    /// Bytes of its text.
    pub bytes: usize,
    /// The likeliest time stamp before it, in seconds, and its probability.
    pub hint: Option<(f64, f64)>,
}

/// A hint that is believed so far: where in the text, when, the weight of the chain that ends in
/// it, and the one before.
struct Link {
    byte: usize,
    at: f64,
    weight: f64,
    before: Option<usize>,
}

/// When each of `tokens` begins, by its byte in the text: in order, within `span` (seconds), which
/// is made narrower where its ends are noise. Tokens that begin inside of a character are left out.
/// Where they do not make up the text, it is when each of its characters begins.
pub fn begin(text: &str, tokens: &[Token], span: &mut Range<f64>) -> Vec<(usize, f64)> {
    let mut byte = 0;
    let mut bytes = Vec::with_capacity(tokens.len());
    for token in tokens {
        bytes.push(byte);
        byte += token.bytes;
    }
    // Bytes that are no text were replaced, or a part was cut out.
    if byte != text.len() {
        let letters: Vec<Token> = text
            .chars()
            .map(|c| Token {
                bytes: c.len_utf8(),
                hint: None,
            })
            .collect();
        return begin(text, &letters, span);
    }
    let mut fixed = believed(tokens, &bytes, span);
    if let (Some(&(first, from)), Some(&(last, to))) = (fixed.first(), fixed.last()) {
        let (before, after) = (first as f64, (byte - last) as f64);
        let (start, end) = (from - TYPICAL * before, to + TYPICAL * after);
        // What is left must hold the text: one hint alone may be wrong.
        if from - span.start > MOMENT + SLOWEST * before
            && span.end - start >= FASTEST * byte as f64
        {
            span.start = start;
        }
        if span.end - to > MOMENT + SLOWEST * after && end - span.start >= FASTEST * byte as f64 {
            span.end = end;
        }
    }
    fixed.insert(0, (0, span.start));
    fixed.push((byte, span.end));
    let mut next = 1;
    let starts = bytes
        .into_iter()
        .filter(|byte| text.is_char_boundary(*byte));
    let place = |byte: usize| {
        while fixed[next].0 < byte {
            next += 1;
        }
        let ((from, start), (to, end)) = (fixed[next - 1], fixed[next]);
        let share = (byte - from) as f64 / (to - from).max(1) as f64;
        (byte, start + (end - start) * share)
    };
    starts.map(place).collect()
}

/// Of all ways to choose hints that go forward in time, the most probable. A hint that stands still
/// says nothing.
fn believed(tokens: &[Token], bytes: &[usize], span: &Range<f64>) -> Vec<(usize, f64)> {
    let mut links: Vec<Link> = Vec::new();
    for (token, &byte) in tokens.iter().zip(bytes) {
        let Some((at, weight)) = token.hint else {
            continue;
        };
        if weight < LEAST || at <= span.start || at > span.end {
            continue;
        }
        let heavier = |a: &usize, b: &usize| links[*a].weight.total_cmp(&links[*b].weight);
        let before = (0..links.len())
            .filter(|&link| links[link].at < at)
            .max_by(heavier);
        let weight = weight + before.map_or(0.0, |link| links[link].weight);
        links.push(Link {
            byte,
            at,
            weight,
            before,
        });
    }
    let mut at = (0..links.len()).max_by(|&a, &b| links[a].weight.total_cmp(&links[b].weight));
    let mut chain = Vec::new();
    while let Some(link) = at.map(|at| &links[at]) {
        chain.push((link.byte, link.at));
        at = link.before;
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(of: &[(&str, f64, f64)]) -> (String, Vec<Token>) {
        let token = |&(text, at, p): &(&str, f64, f64)| Token {
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
        let begin = begin(&text, &tokens, &mut (0.0..4.0));
        let bytes: Vec<usize> = begin.iter().map(|(byte, _)| *byte).collect();
        assert_eq!(bytes, [0, 4, 9, 13, 19, 20]);
        let at: Vec<f64> = begin
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
        let begin = begin(&text, &tokens, &mut span);
        assert!(
            (span.start - 15.92).abs() < 1e-9 && (span.end - 17.02).abs() < 1e-9,
            "{span:?}"
        );
        assert_eq!(begin[0], (0, span.start));
    }

    #[test]
    fn one_hint_does_not_squeeze_a_long_text() {
        let rest = "a".repeat(126);
        let (text, mut parts) = tokens(&[(" The", 0.0, 0.5), (&rest, 8.0, 0.1)]);
        parts[0].hint = None;
        let mut span = 0.0..10.0;
        begin(&text, &parts, &mut span);
        assert_eq!(span, 0.0..10.0);
    }

    #[test]
    fn parts_of_characters_have_no_place_of_their_own() {
        let token = |bytes: usize, at: f64| Token {
            bytes,
            hint: Some((at, 0.5)),
        };
        let parts = [token(3, 0.0), token(1, 0.5), token(2, 0.6), token(3, 1.0)];
        assert_eq!(
            begin("录音很", &parts, &mut (0.0..2.0))
                .iter()
                .map(|(byte, _)| *byte)
                .collect::<Vec<_>>(),
            [0, 3, 6]
        );
        assert_eq!(
            begin("ab录", &parts, &mut (0.0..2.0)),
            [(0, 0.0), (1, 0.4), (2, 0.8)],
            "the text was cut"
        );
        assert_eq!(begin("", &[], &mut (0.0..2.0)), []);
    }
}
