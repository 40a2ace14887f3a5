//! Here are texts: which of them are near-copies? By their words (shingles that they share) and by
//! their meaning (vectors that lie near). Hides the sketches and buckets that spare comparing
//! everything with everything, and what speaks against a likeness.

mod agreement;
mod copies;
mod groups;
mod meaning;
mod shingles;

use std::collections::BTreeSet;

pub use self::{
    agreement::{agree, numbers},
    copies::{Copies, Likeness, Link},
    groups::joined,
    meaning::{Encoding, Meaning, SAME},
    shingles::{near_copies, shingles},
};
use crate::text::words::tokens;

/// Jaccard index of two sets, 0 to 1: the size of the intersection over that of the union. Both are
/// given in ascending order, nothing twice. Two empty sets have nothing in common: 0.
pub fn jaccard<T: Ord>(a: impl IntoIterator<Item = T>, b: impl IntoIterator<Item = T>) -> f64 {
    let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
    let (mut common, mut union) = (0_usize, 0_usize);
    while let (Some(first), Some(second)) = (a.peek(), b.peek()) {
        let order = first.cmp(second);
        if order.is_le() {
            a.next();
        }
        if order.is_ge() {
            b.next();
        }
        common += usize::from(order.is_eq());
        union += 1;
    }
    union += a.count() + b.count();
    if union == 0 {
        return 0.0;
    }
    common as f64 / union as f64
}

/// Jaccard index of the tokens of two texts, in whatever order they stand there.
pub fn shared_tokens(a: &str, b: &str) -> f64 {
    let [a, b] = [a, b].map(|text| tokens(text).into_iter().collect::<BTreeSet<String>>());
    jaccard(&a, &b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_a_share_of_what_any_has() {
        assert!((jaccard([1, 2, 3], [2, 3, 4]) - 0.5).abs() < 1e-12);
        assert!((jaccard([1, 5], [1, 5]) - 1.0).abs() < 1e-12);
        assert!(jaccard([1, 2], []) < 1e-12);
        assert!(jaccard::<u8>([], []) < 1e-12);
    }

    #[test]
    fn tokens_are_shared_in_any_order() {
        assert!((shared_tokens("a b c", "d c b") - 0.5).abs() < 1e-12);
        assert!((shared_tokens("Same words", "words,  SAME!") - 1.0).abs() < 1e-12);
        assert!(shared_tokens("语音识别", "曲谱标注") < 1e-12);
    }
}
