//! How alike two texts are, as sets of tokens.

use std::collections::BTreeSet;

use super::words::tokens;

/// Jaccard index of the token sets, 0 to 1; two empty texts are alike.
pub fn jaccard(a: &str, b: &str) -> f64 {
    let a: BTreeSet<String> = tokens(a).into_iter().collect();
    let b: BTreeSet<String> = tokens(b).into_iter().collect();
    let union = a.union(&b).count();
    if union == 0 {
        1.0
    } else {
        a.intersection(&b).count() as f64 / union as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_share_of_tokens() {
        assert!((jaccard("a b c", "b c d") - 0.5).abs() < 1e-12);
        assert!((jaccard("Same words", "same  WORDS!") - 1.0).abs() < 1e-12);
        assert!(jaccard("语音识别", "曲谱标注") < 1e-12);
    }
}
