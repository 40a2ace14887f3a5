//! Versions of a text that are plainly worse than it: cut to a fragment, or with its words in no
//! order. Hides what is a word; lines, marks and length stay as they are where words are shuffled.

use rand::{Rng, seq::SliceRandom as _};
use unicode_segmentation::UnicodeSegmentation as _;

/// Fewest words of a text that can be spoiled; a Han character is a word.
const FEWEST: usize = 8;
/// Most words of a fragment.
const FRAGMENT: usize = 6;

/// The first words of a text, which break off in the middle of a sentence. None of a text with
/// fewer than eight words.
pub fn cut(text: &str) -> Option<String> {
    let n = text.split_word_bounds().filter(is_word).count();
    if n < FEWEST {
        return None;
    }
    let keep = (n / 8).clamp(2, FRAGMENT);
    let (mut words, mut end) = (0, 0);
    for (at, part) in text.split_word_bound_indices() {
        words += usize::from(is_word(&part));
        end = at + part.len();
        if words == keep {
            break;
        }
    }
    Some(text[..end].trim().to_owned())
}

/// The text with its words in another order, and everything between them where it was. None of a
/// text with fewer than eight words, or of one that is the same in any order.
pub fn scrambled(text: &str, rng: &mut impl Rng) -> Option<String> {
    let parts: Vec<&str> = text.split_word_bounds().collect();
    let mut words: Vec<&str> = parts.iter().copied().filter(is_word).collect();
    if words.len() < FEWEST {
        return None;
    }
    words.shuffle(rng);
    let mut words = words.into_iter();
    let shuffled: String = parts
        .iter()
        .map(|part| {
            if is_word(part) {
                words.next().unwrap_or(part)
            } else {
                part
            }
        })
        .collect();
    (shuffled != text).then_some(shuffled)
}

fn is_word(part: &&str) -> bool {
    part.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;

    const TASK: &str =
        "Compare the sensors that survive a winter flood, and write a table of ten of them.";

    #[test]
    fn a_fragment_breaks_off() {
        assert_eq!(cut(TASK).as_deref(), Some("Compare the"));
        assert_eq!(cut("Compare the sensors."), None);
        let chinese = "请比较能够在冬天的洪水里保存下来的传感器，并写一份表格。";
        assert_eq!(cut(chinese).as_deref(), Some("请比较"));
    }

    #[test]
    fn scrambled_words_are_the_same_words() {
        let rng = || ChaCha8Rng::seed_from_u64(1);
        let found = scrambled(TASK, &mut rng()).unwrap();
        assert_ne!(found, TASK);
        assert_eq!(found.len(), TASK.len());
        let sorted = |text: &str| {
            let mut words: Vec<String> = text.unicode_words().map(str::to_owned).collect();
            words.sort();
            words
        };
        assert_eq!(sorted(&found), sorted(TASK));
        assert_eq!(scrambled(TASK, &mut rng()).as_deref(), Some(&*found));
        assert_eq!(scrambled("go go go go go go go go go", &mut rng()), None);
        assert_eq!(scrambled("", &mut rng()), None);
    }
}
