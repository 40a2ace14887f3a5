//! Windows of a long talk that a model can read: cut where the topic or the speaker changes, with a
//! little overlap, so that an idea at a cut is whole in one of them.

use std::ops::RangeInclusive;

use super::Numbered;
use crate::text::topics;

/// A window is at least this share of the largest one.
const LEAST_SHARE: f64 = 0.5;
/// Sentences of the window before that are shown again.
const OVERLAP: usize = 2;
/// Weight of a change of speaker beside a depth of 0 to 2 …
const SPEAKER: f64 = 1.0;
/// … and of a long pause, this many milliseconds or more.
const PAUSE: f64 = 0.3;
const LONG_PAUSE: u64 = 1500;

/// The numbers of the sentences of each window: all sentences in order, each window of about `size`
/// words or Han characters at most.
pub fn windows(numbered: &Numbered, size: usize) -> Vec<RangeInclusive<usize>> {
    let count = numbered.count();
    let texts: Vec<String> = (1..=count).map(|number| numbered.text(number)).collect();
    let depths = topics::depths(&texts);
    let turn = |number: usize| {
        let (speaker, pause) = numbered.turn_after(number);
        depths[number - 1]
            + if speaker { SPEAKER } else { 0.0 }
            + if pause.0 >= LONG_PAUSE { PAUSE } else { 0.0 }
    };
    let mut windows = Vec::new();
    let mut first = 1;
    while first <= count {
        let last = last_of(numbered, first, size, &turn);
        windows.push(
            first
                .saturating_sub(if first == 1 { 0 } else { OVERLAP })
                .max(1)..=last,
        );
        first = last + 1;
    }
    windows
}

/// Where a window that begins with `first` ends: at the best turn in its second half, or with the
/// talk.
fn last_of(numbered: &Numbered, first: usize, size: usize, turn: &impl Fn(usize) -> f64) -> usize {
    let mut words = 0;
    let mut best: Option<(usize, f64)> = None;
    for number in first..=numbered.count() {
        words += numbered.length(number);
        if words > size && number > first {
            return best.map_or(number - 1, |(at, _)| at);
        }
        if words as f64 >= size as f64 * LEAST_SHARE && number < numbered.count() {
            let here = turn(number);
            if best.is_none_or(|(_, most)| here >= most) {
                best = Some((number, here));
            }
        }
    }
    numbered.count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspire::testing::transcript;

    fn windows_of(sentences: &[&str], size: usize) -> Vec<RangeInclusive<usize>> {
        windows(&Numbered::new(&transcript(sentences)), size)
    }

    #[test]
    fn a_short_talk_is_one_window() {
        assert_eq!(
            windows_of(&["Gravel moves in every river bed."; 4], 1000),
            [1..=4]
        );
        assert!(windows_of(&[], 1000).is_empty());
    }

    #[test]
    fn a_window_ends_where_the_topic_does_and_the_next_one_overlaps() {
        let river = "Gravel sings in the river bed.";
        let violin = "Old varnish changes every violin sound.";
        let talk = [[river; 10], [violin; 10]].concat();
        assert_eq!(windows_of(&talk, 90), [1..=10, 9..=20]);
    }

    #[test]
    fn no_window_is_larger_than_asked_and_nothing_is_left_out() {
        let talk = ["One sentence of seven words stands here."; 50];
        let windows = windows_of(&talk, 70);
        assert_eq!(
            (windows[0].start(), windows[windows.len() - 1].end()),
            (&1, &50)
        );
        for pair in windows.windows(2) {
            assert_eq!(*pair[1].start(), pair[0].end() + 1 - OVERLAP);
        }
        assert!(
            windows
                .iter()
                .all(|window| window.clone().count() <= 10 + OVERLAP)
        );
    }

    #[test]
    fn a_sentence_longer_than_a_window_is_one() {
        let long = "word ".repeat(50) + "end.";
        assert_eq!(windows_of(&[&long, &long], 10), [1..=1, 1..=2]);
    }
}
