//! Groups of things that are linked, directly or through others.

use std::collections::BTreeMap;

/// The groups of `items` things when groups that share a member are one; members that are not below
/// `items` are ignored.
pub fn joined(groups: &[Vec<usize>], items: usize) -> Vec<Vec<usize>> {
    let mut links = Links::new(items);
    for group in groups {
        let known: Vec<usize> = group.iter().copied().filter(|at| *at < items).collect();
        for pair in known.windows(2) {
            links.join(pair[0], pair[1]);
        }
    }
    links.groups()
}

/// A disjoint-set forest: each item points at a smaller one of its group, the smallest at itself.
pub struct Links(Vec<usize>);

impl Links {
    /// Items without links.
    pub fn new(items: usize) -> Self {
        Self((0..items).collect())
    }

    /// The first of an item's group.
    pub fn first(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    /// Makes two items' groups one.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b)] = a.min(b);
    }

    /// The groups of more than one.
    pub fn groups(mut self) -> Vec<Vec<usize>> {
        let mut by_first: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for at in 0..self.0.len() {
            by_first.entry(self.first(at)).or_default().push(at);
        }
        by_first
            .into_values()
            .filter(|group| group.len() > 1)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_share_a_member_are_one() {
        assert_eq!(
            joined(&[vec![4, 1], vec![2, 3], vec![3, 1], vec![0, 9]], 5),
            [vec![1, 2, 3, 4]]
        );
        assert!(joined(&[vec![]], 0).is_empty());
    }
}
