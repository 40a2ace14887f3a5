//! Topic segmentation: gaps between sentences at which the words change (`TextTiling`, Hearst 1997,
//! Computational Linguistics 23(1), block comparison and depth scores). Hides vectors and their
//! comparison.

use std::collections::BTreeMap;

use super::words::terms;

/// Sentences on either side of a gap that are compared.
const BLOCK: usize = 6;

/// For each gap between neighbouring sentences, the depth score of the similarity there: 0 to 2,
/// the sum of its falls from the next peak on either side. `depths[i]` is the gap before sentence
/// `i + 1`.
pub fn depths(sentences: &[String]) -> Vec<f64> {
    let counted: Vec<Counts> = sentences
        .iter()
        .map(|text| terms(text).into_iter().map(|term| (term, 1.0)).collect())
        .collect();
    let similarity: Vec<f64> = (1..sentences.len())
        .map(|gap| {
            cosine(
                &sum(&counted[gap.saturating_sub(BLOCK)..gap]),
                &sum(&counted[gap..(gap + BLOCK).min(counted.len())]),
            )
        })
        .collect();
    (0..similarity.len())
        .map(|gap| {
            rise_to_peak(&similarity[..=gap], true) + rise_to_peak(&similarity[gap..], false)
        })
        .collect()
}

type Counts = BTreeMap<String, f64>;

fn sum(block: &[Counts]) -> Counts {
    let mut total = Counts::new();
    for (term, n) in block.iter().flatten() {
        *total.entry(term.clone()).or_default() += n;
    }
    total
}

fn cosine(a: &Counts, b: &Counts) -> f64 {
    let dot: f64 = a
        .iter()
        .filter_map(|(term, n)| b.get(term).map(|m| n * m))
        .sum();
    let norm = |counts: &Counts| counts.values().map(|n| n * n).sum::<f64>().sqrt();
    let norms = norm(a) * norm(b);
    // A block without terms is like no other.
    if norms == 0.0 { 0.0 } else { dot / norms }
}

/// The rise of the similarity from a valley to the first peak, to the left or to the right.
fn rise_to_peak(values: &[f64], to_the_left: bool) -> f64 {
    let ordered: Vec<f64> = if to_the_left {
        values.iter().rev().copied().collect()
    } else {
        values.to_vec()
    };
    let Some(&valley) = ordered.first() else {
        return 0.0;
    };
    let mut peak = valley;
    for value in ordered {
        if value < peak {
            break;
        }
        peak = value;
    }
    peak - valley
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_gap_is_where_the_topic_changes() {
        let river = [
            "Gravel moves in the river bed.",
            "Floods carry gravel down the river.",
            "The river bed sings when gravel moves.",
            "Sensors under the gravel hear floods.",
        ];
        let music = [
            "Violins need varnish from resin.",
            "The resin of the varnish ages slowly.",
            "Old violins lose their varnish.",
            "Resin and varnish change how violins sound.",
        ];
        let sentences: Vec<String> = river
            .iter()
            .chain(&music)
            .map(|s| (*s).to_owned())
            .collect();
        let depths = depths(&sentences);
        let deepest = (0..depths.len()).max_by(|a, b| depths[*a].total_cmp(&depths[*b]));
        assert_eq!(deepest, Some(3));
        assert!(depths.iter().all(|depth| (0.0..=2.0).contains(depth)));
    }

    #[test]
    fn few_sentences_have_few_gaps() {
        assert!(depths(&[]).is_empty());
        assert!(depths(&["One.".to_owned()]).is_empty());
        assert_eq!(depths(&["One.".to_owned(), "Two.".to_owned()]), [0.0]);
    }
}
