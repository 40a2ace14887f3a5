//! The order of articles: by references and by structure.

/// What an article is ranked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// Distinct addresses that its references cite.
    pub references: u64,
    /// Number of its sections.
    pub sections: u64,
    /// Deepest level of a section in the table of contents, from 1; 0 without sections.
    pub deepest: u64,
    /// Id of the page; the older page comes first among equals.
    pub page_id: u64,
}

/// An article in its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// Which one of the list.
    pub index: usize,
    /// Its mean rank, from 1; the smaller the better.
    pub mean_rank: f64,
}

/// The articles in order, the best first, by their mean rank:
///
/// `(2 · rank(references) + rank(sections) + rank(deepest)) / 4`
///
/// Ranks count from 1 for the largest value, and equal values share the mean of their ranks. So
/// references count one half and structure the other, whatever the scales are. The benchmark's
/// paper names the two criteria and no formula; this one is ours.
pub fn ranked(measures: &[Measure]) -> Vec<Ranked> {
    let references = double_ranks(measures, |measure| measure.references);
    let sections = double_ranks(measures, |measure| measure.sections);
    let deepest = double_ranks(measures, |measure| measure.deepest);
    // Eight times the mean rank: whole numbers compare exactly.
    let score = |at: usize| 2 * references[at] + sections[at] + deepest[at];
    let mut order: Vec<usize> = (0..measures.len()).collect();
    order.sort_by_key(|at| (score(*at), measures[*at].page_id, *at));
    let places = order.into_iter().map(|index| Ranked {
        index,
        mean_rank: score(index) as f64 / 8.0,
    });
    places.collect()
}

/// Twice the rank of each value, the largest first: a mean of two ranks is a whole number, then.
fn double_ranks(measures: &[Measure], of: impl Fn(&Measure) -> u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..measures.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(of(&measures[*at])));
    let mut ranks = vec![0; measures.len()];
    let mut before = 0;
    for equal in order.chunk_by(|a, b| of(&measures[*a]) == of(&measures[*b])) {
        for at in equal {
            ranks[*at] = (before + 1) + (before + equal.len());
        }
        before += equal.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(measures: &[(u64, u64, u64)], expect: &[(usize, f64)]) {
        let measures: Vec<Measure> = measures
            .iter()
            .zip(1..)
            .map(|((references, sections, deepest), page_id)| Measure {
                references: *references,
                sections: *sections,
                deepest: *deepest,
                page_id,
            })
            .collect();
        let found: Vec<(usize, f64)> = ranked(&measures)
            .iter()
            .map(|place| (place.index, place.mean_rank))
            .collect();
        assert_eq!(found, expect, "{measures:?}");
    }

    #[test]
    fn references_count_one_half() {
        // The first has most references, the second the best structure.
        check(
            &[(90, 5, 1), (80, 9, 3), (10, 7, 2)],
            &[(1, 1.5), (0, 2.0), (2, 2.5)],
        );
    }

    #[test]
    fn equal_values_share_their_ranks_and_the_older_page_is_first() {
        check(&[(5, 2, 1), (5, 2, 1)], &[(0, 1.5), (1, 1.5)]);
        check(
            &[(1, 1, 1), (2, 1, 1), (2, 1, 1)],
            &[(1, 1.75), (2, 1.75), (0, 2.5)],
        );
        check(&[], &[]);
    }
}
