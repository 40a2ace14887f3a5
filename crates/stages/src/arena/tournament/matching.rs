//! A largest set of pairs of a graph, each vertex in one pair at most (Edmonds, "Paths, trees, and
//! flowers", Canad. J. Math. 17, 1965). Hides blossoms.

use std::collections::VecDeque;

/// The partner of each vertex in a largest matching. Takes a time that grows with the third power
/// of the vertices.
pub(super) fn maximum_matching(
    vertices: usize,
    joined: impl Fn(usize, usize) -> bool,
) -> Vec<Option<usize>> {
    let mut search = Search {
        joined,
        mate: vec![None; vertices],
        parent: vec![None; vertices],
        base: (0..vertices).collect(),
        seen: vec![false; vertices],
    };
    // Most pairs are found at once, and each is one search less.
    search.pair_neighbours();
    for root in 0..vertices {
        if search.mate[root].is_none()
            && let Some(end) = search.find_path(root)
        {
            search.augment(end);
        }
    }
    search.mate
}

/// The number of pairs in a largest matching.
pub(super) fn maximum_pairs(vertices: usize, joined: impl Fn(usize, usize) -> bool) -> usize {
    let mates = maximum_matching(vertices, joined);
    mates.iter().flatten().count() / 2
}

/// The search for a path that ends in two vertices without a partner.
struct Search<F> {
    joined: F,
    mate: Vec<Option<usize>>,
    /// Where the path to a vertex of the second kind comes from.
    parent: Vec<Option<usize>>,
    /// The vertex that a blossom has shrunk to.
    base: Vec<usize>,
    /// Vertices that a path may go on from.
    seen: Vec<bool>,
}

impl<F: Fn(usize, usize) -> bool> Search<F> {
    /// Pairs each vertex with the first free one that it is joined to.
    fn pair_neighbours(&mut self) {
        for one in 0..self.mate.len() {
            if self.mate[one].is_some() {
                continue;
            }
            let free = |other: &usize| self.mate[*other].is_none() && (self.joined)(one, *other);
            if let Some(other) = (one + 1..self.mate.len()).find(free) {
                self.mate[one] = Some(other);
                self.mate[other] = Some(one);
            }
        }
    }

    fn find_path(&mut self, root: usize) -> Option<usize> {
        let vertices = self.mate.len();
        self.parent.fill(None);
        self.seen.fill(false);
        self.base = (0..vertices).collect();
        self.seen[root] = true;
        let mut open = VecDeque::from([root]);
        while let Some(from) = open.pop_front() {
            for to in 0..vertices {
                let inside = self.base[from] == self.base[to] || self.mate[from] == Some(to);
                if inside || from == to || !(self.joined)(from, to) {
                    continue;
                }
                let on_the_tree = self.mate[to].is_some_and(|mate| self.parent[mate].is_some());
                if to == root || on_the_tree {
                    self.shrink(from, to, &mut open);
                } else if self.parent[to].is_none() {
                    self.parent[to] = Some(from);
                    let Some(mate) = self.mate[to] else {
                        return Some(to);
                    };
                    self.seen[mate] = true;
                    open.push_back(mate);
                }
            }
        }
        None
    }

    /// An odd circle: all its vertices become one, from which paths go on.
    fn shrink(&mut self, one: usize, other: usize, open: &mut VecDeque<usize>) {
        let top = self.common_base(one, other);
        let mut blossom = vec![false; self.mate.len()];
        self.mark(one, top, other, &mut blossom);
        self.mark(other, top, one, &mut blossom);
        for vertex in 0..self.mate.len() {
            if blossom[self.base[vertex]] {
                self.base[vertex] = top;
                if !std::mem::replace(&mut self.seen[vertex], true) {
                    open.push_back(vertex);
                }
            }
        }
    }

    fn common_base(&self, one: usize, other: usize) -> usize {
        let mut above = vec![false; self.mate.len()];
        let mut at = self.base[one];
        above[at] = true;
        while let Some(next) = self.up(at) {
            at = next;
            above[at] = true;
        }
        let mut at = self.base[other];
        while !above[at] {
            let Some(next) = self.up(at) else { break };
            at = next;
        }
        at
    }

    /// The base two steps nearer to the root.
    fn up(&self, base: usize) -> Option<usize> {
        Some(self.base[self.parent[self.mate[base]?]?])
    }

    fn mark(&mut self, from: usize, top: usize, below: usize, blossom: &mut [bool]) {
        let (mut at, mut child) = (from, below);
        while self.base[at] != top {
            let Some(mate) = self.mate[at] else { break };
            blossom[self.base[at]] = true;
            blossom[self.base[mate]] = true;
            self.parent[at] = Some(child);
            let Some(next) = self.parent[mate] else { break };
            (child, at) = (mate, next);
        }
    }

    fn augment(&mut self, end: usize) {
        let mut at = Some(end);
        while let Some(vertex) = at {
            let Some(before) = self.parent[vertex] else {
                break;
            };
            at = self.mate[before];
            self.mate[vertex] = Some(before);
            self.mate[before] = Some(vertex);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;

    /// By trying everything: the first vertex stays alone, or is paired with each other one.
    fn most(left: &[usize], joined: &dyn Fn(usize, usize) -> bool) -> usize {
        let Some((first, rest)) = left.split_first() else {
            return 0;
        };
        let mut best = most(rest, joined);
        for (at, other) in rest.iter().enumerate() {
            if joined(*first, *other) {
                let mut others = rest.to_vec();
                others.remove(at);
                best = best.max(1 + most(&others, joined));
            }
        }
        best
    }

    #[test]
    fn as_many_pairs_as_there_can_be() {
        for seed in 0..400 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let vertices = rng.random_range(0..10);
            let share = rng.random_range(0.1..0.7);
            let drawn: Vec<Vec<bool>> = (0..vertices)
                .map(|one| (0..one).map(|_| rng.random_bool(share)).collect())
                .collect();
            let joined =
                |one: usize, other: usize| one != other && drawn[one.max(other)][one.min(other)];
            let mates = maximum_matching(vertices, joined);
            for (vertex, mate) in mates.iter().enumerate() {
                if let Some(mate) = mate {
                    assert!(
                        joined(vertex, *mate) && mates[*mate] == Some(vertex),
                        "{seed}"
                    );
                }
            }
            let all: Vec<usize> = (0..vertices).collect();
            assert_eq!(
                maximum_pairs(vertices, joined),
                most(&all, &joined),
                "{seed}"
            );
        }
    }
}
