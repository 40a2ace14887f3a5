//! Near-copies among thousands of texts, by common shingles (`MinHash`). Hides the sketches and the
//! buckets that avoid comparing every pair.

use super::{groups::Links, jaccard};
use crate::text::words::tokens;

/// Consecutive tokens in a shingle. Words are tokens and so are overlapping pairs of Han
/// characters: a shingle is three words or four Han characters.
const SHINGLE: usize = 3;
/// Values in a sketch.
const PERMUTATIONS: usize = 128;
/// Largest probability that the buckets miss a pair exactly at the threshold.
const MISSED: f64 = 1e-3;

type Sketch = [u64; PERMUTATIONS];

/// The set of a text's shingles as sorted 64-bit hashes. Case, width, punctuation and the Chinese
/// script do not count. A text of one or two tokens is one shingle, a text without any has none.
pub fn shingles(text: &str) -> Vec<u64> {
    let tokens: Vec<u64> = tokens(text).iter().map(|token| hash(token)).collect();
    let size = SHINGLE.min(tokens.len()).max(1);
    let mut set: Vec<u64> = tokens
        .windows(size)
        .map(|few| few.iter().fold(0, |sum, token| mix(sum ^ token)))
        .collect();
    set.sort_unstable();
    set.dedup();
    set
}

/// Groups of texts that are linked by pairs with a Jaccard index of their shingles of `threshold`
/// (above 0; above 1 finds nothing) or more. Groups and members are in ascending order, a text
/// alone is in none.
///
/// Buckets of sketches propose pairs (Broder 1997, "On the resemblance and containment of
/// documents"; banding after Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", section
/// 3.4), the exact index decides. A pair at the threshold is missed once in a thousand times at
/// most, a more alike one less often.
///
/// In a text of n words a changed word costs three shingles: the index falls to (n − 5) / (n + 1).
pub fn near_copies(texts: &[&str], threshold: f64) -> Vec<Vec<usize>> {
    let mut links = Links::new(texts.len());
    // No pair can be more alike than equal, and `rows` has no answer for such a threshold.
    if threshold.is_nan() || threshold > 1.0 {
        return links.groups();
    }
    let sets: Vec<Vec<u64>> = texts.iter().map(|text| shingles(text)).collect();
    // A thousand copies of one text would be half a million pairs in one bucket.
    let distinct = join_equal(&sets, &mut links);
    let family = family();
    let sketches: Vec<(usize, Sketch)> = distinct
        .into_iter()
        .map(|at| (at, sketch(&sets[at], &family)))
        .collect();
    let rows = rows(threshold);
    for band in 0..PERMUTATIONS / rows {
        let part = band * rows..(band + 1) * rows;
        let mut keys: Vec<(&[u64], usize)> = sketches
            .iter()
            .map(|(at, all)| (&all[part.clone()], *at))
            .collect();
        // Equal bands stand together then, which needs no map of hundreds of bytes a key.
        keys.sort_unstable();
        for bucket in keys.chunk_by(|x, y| x.0 == y.0) {
            let members: Vec<usize> = bucket.iter().map(|(_, at)| *at).collect();
            join_alike(&members, &sets, threshold, &mut links);
        }
    }
    links.groups()
}

/// Joins equal sets, so that a thousand copies of one text are not a million pairs; one of each is
/// returned.
fn join_equal(sets: &[Vec<u64>], links: &mut Links) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sets.len()).filter(|at| !sets[*at].is_empty()).collect();
    order.sort_by(|a, b| sets[*a].cmp(&sets[*b]));
    let mut distinct = Vec::new();
    for equal in order.chunk_by(|a, b| sets[*a] == sets[*b]) {
        distinct.push(equal[0]);
        for at in &equal[1..] {
            links.join(equal[0], *at);
        }
    }
    distinct
}

/// Joins what is alike in a bucket. Members of one group are not compared again: that would change
/// nothing.
fn join_alike(bucket: &[usize], sets: &[Vec<u64>], threshold: f64, links: &mut Links) {
    if bucket
        .iter()
        .all(|at| links.first(*at) == links.first(bucket[0]))
    {
        return;
    }
    for (before, a) in bucket.iter().enumerate() {
        for b in &bucket[before + 1..] {
            if links.first(*a) != links.first(*b) && jaccard(&sets[*a], &sets[*b]) >= threshold {
                links.join(*a, *b);
            }
        }
    }
}

/// Most values that a band may have: pairs at the threshold s share none of b bands of r values
/// with (1 − s^r)^b.
fn rows(threshold: f64) -> usize {
    let missed =
        |rows: usize| (1.0 - threshold.powi(rows as i32)).powi((PERMUTATIONS / rows) as i32);
    (2..=PERMUTATIONS)
        .take_while(|rows| missed(*rows) <= MISSED)
        .last()
        .unwrap_or(1)
}

/// Factors and summands of the permutations x → a x + b modulo 2^64, a odd (Dietzfelbinger et al.
/// 1997, "A reliable randomized algorithm for the closest-pair problem"), always the same ones.
fn family() -> [(u64, u64); PERMUTATIONS] {
    std::array::from_fn(|i| (mix(2 * i as u64) | 1, mix(2 * i as u64 + 1)))
}

/// The least value of each permutation: two sets agree in one with the probability of their Jaccard
/// index.
fn sketch(set: &[u64], family: &[(u64, u64); PERMUTATIONS]) -> Sketch {
    let mut least = [u64::MAX; PERMUTATIONS];
    for shingle in set {
        for (least, (a, b)) in least.iter_mut().zip(family) {
            *least = (*least).min(a.wrapping_mul(*shingle).wrapping_add(*b));
        }
    }
    least
}

/// FNV-1a, 64 bits (RFC 9923): short, and the same on every machine.
fn hash(token: &str) -> u64 {
    token.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// One step of `SplitMix64` (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number
/// generators"), with the constants of Stafford's mixing function 13.
fn mix(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use rand::{Rng, RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

    use super::{super::groups::joined, *};

    fn likeness(a: &str, b: &str) -> f64 {
        jaccard(&shingles(a), &shingles(b))
    }

    fn words(rng: &mut impl Rng, vocabulary: usize) -> Vec<String> {
        let length = rng.random_range(25..80);
        (0..length)
            .map(|_| format!("w{}", rng.random_range(0..vocabulary)))
            .collect()
    }

    /// Unrelated texts, then a copy of each tenth with one word changed.
    fn planted(texts: usize, rng: &mut impl Rng) -> Vec<String> {
        let mut all: Vec<Vec<String>> = (0..texts).map(|_| words(rng, 3000)).collect();
        for at in (0..texts).step_by(10) {
            let mut copy = all[at].clone();
            let changed = rng.random_range(0..copy.len());
            copy[changed] = "changed".into();
            all.push(copy);
        }
        all.iter().map(|words| words.join(" ")).collect()
    }

    fn refs(texts: &[String]) -> Vec<&str> {
        texts.iter().map(String::as_str).collect()
    }

    #[test]
    fn shingles_are_three_words_or_four_characters() {
        assert_eq!(shingles("one two three four").len(), 2);
        assert_eq!(shingles("方言语音识别").len(), 3);
        assert_eq!(shingles("One, two THREE!"), shingles("one two three"));
        assert_eq!(shingles("語音識別"), shingles("语音识别"));
        assert_ne!(shingles("one two three"), shingles("three two one"));
        assert_eq!(
            (
                shingles("word").len(),
                shingles("two words").len(),
                shingles("…").len()
            ),
            (1, 1, 0)
        );
    }

    #[test]
    fn likeness_is_a_share_of_shingles() {
        assert!((likeness("a b c d", "b c d e") - 1.0 / 3.0).abs() < 1e-12);
        assert!((likeness("方言语音识别", "方言语音标注") - 1.0 / 5.0).abs() < 1e-12);
        assert!((likeness("Same words here", "same words here.") - 1.0).abs() < 1e-12);
        assert!(likeness("", "") < 1e-12);
        let thirty: Vec<String> = (0..30).map(|i| format!("w{i}")).collect();
        let changed = thirty.join(" ").replace("w15", "new");
        assert!((likeness(&thirty.join(" "), &changed) - 25.0 / 31.0).abs() < 1e-12);
    }

    /// The values of `SplitMix64` from the state 0, and of FNV-1a, as their authors publish them.
    #[test]
    fn hashes_are_the_published_ones() {
        assert_eq!(
            (mix(0), mix(0x9e37_79b9_7f4a_7c15)),
            (0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4)
        );
        assert_eq!(
            (hash(""), hash("a")),
            (0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c)
        );
    }

    /// Sets that share 60 of 90 agree in two thirds of 128 values: over 200 pairs the mean's
    /// standard error is .003 and a single estimate's deviation .042.
    #[test]
    fn sketches_estimate_the_index() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let family = family();
        let estimates: Vec<f64> = (0..200)
            .map(|_| {
                let all: Vec<u64> = (0..90).map(|_| rng.random()).collect();
                let (a, b) = (sketch(&all[..75], &family), sketch(&all[15..], &family));
                a.iter().zip(&b).filter(|(x, y)| x == y).count() as f64 / PERMUTATIONS as f64
            })
            .collect();
        let mean = estimates.iter().sum::<f64>() / 200.0;
        let deviation = (estimates.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 199.0).sqrt();
        assert!((mean - 2.0 / 3.0).abs() < 0.012, "{mean}");
        assert!((deviation - 0.042).abs() < 0.01, "{deviation}");
    }

    #[test]
    fn bands_are_as_long_as_misses_allow() {
        assert_eq!((rows(0.3), rows(0.7), rows(1.0)), (1, 4, PERMUTATIONS));
        assert!((1.0 - 0.7f64.powi(4)).powi(32) < MISSED);
    }

    #[test]
    fn planted_copies_are_found_and_nothing_else() {
        let texts = planted(2000, &mut ChaCha8Rng::seed_from_u64(2));
        let expect: Vec<Vec<usize>> = (0..200).map(|copy| vec![10 * copy, 2000 + copy]).collect();
        assert_eq!(near_copies(&refs(&texts), 0.7), expect);
    }

    /// Texts that are half alike and more: what every pair compared would link, sorted into buckets
    /// or not.
    #[test]
    fn buckets_find_what_all_pairs_would() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let template = words(&mut rng, 3000);
        let texts: Vec<String> = (0..150)
            .map(|_| {
                let mut text = template.clone();
                for _ in 0..rng.random_range(0..8) {
                    let at = rng.random_range(0..text.len());
                    text[at] = format!("w{}", rng.random_range(0..3000));
                }
                text.join(" ")
            })
            .collect();
        for threshold in [0.5, 0.7, 0.9] {
            let alike = |(a, b): &(usize, usize)| likeness(&texts[*a], &texts[*b]) >= threshold;
            let pairs = (0..150)
                .flat_map(|a| (0..a).map(move |b| (a, b)))
                .filter(alike);
            let pairs: Vec<Vec<usize>> = pairs.map(|(a, b)| vec![a, b]).collect();
            assert_eq!(
                near_copies(&refs(&texts), threshold),
                joined(&pairs, 150),
                "{threshold}"
            );
        }
    }

    #[test]
    fn chinese_copies_are_found() {
        let texts = [
            "请比较三种方言语音识别模型在闽南话录音上的错误率，并说明声调标注对结果的影响，提交一份完整的报告。",
            "請比較三種方言語音識別模型在閩南話錄音上的錯誤率，並說明聲調標註對結果的影響，提交一份完整的報告。",
            "请比较四种方言语音识别模型在闽南话录音上的错误率，并说明声调标注对结果的影响，提交一份完整的报告。",
            "设计一个面向县级档案馆的家谱数字化流程，说明扫描、校对与开放获取的步骤，并估计所需的人力和费用。",
        ];
        assert_eq!(near_copies(&texts, 0.7), [vec![0, 1, 2]]);
    }

    #[test]
    fn odd_texts_are_no_trouble() {
        assert!(near_copies(&[], 0.7).is_empty());
        assert!(near_copies(&["", "…", "", "word"], 0.7).is_empty());
        assert_eq!(
            near_copies(&["word", "two words", "Word!", "two, words"], 0.7),
            [vec![0, 2], vec![1, 3]]
        );
        assert_eq!(
            near_copies(&vec!["the same text again and again"; 3000], 1.0),
            [(0..3000).collect::<Vec<_>>()]
        );
        assert!(near_copies(&["word", "word"], 1.1).is_empty());
        assert!(near_copies(&["word", "word"], f64::NAN).is_empty());
    }
}
