//! Who can be compared with whom: items that no chain of games joins have no common scale, and
//! items that nobody of the others ever beat have no finite strength. Hides the walks.

/// The component of each item, numbered from 0 by its lowest item: items of two components are
/// joined by no chain of games. An item without a game is a component of its own.
///
/// Games name items below `items`.
pub fn components(items: usize, games: impl IntoIterator<Item = (u32, u32)>) -> Vec<u32> {
    let mut parent: Vec<usize> = (0..items).collect();
    for (first, second) in games {
        let (one, other) = (
            root(&mut parent, first as usize),
            root(&mut parent, second as usize),
        );
        // The lower number stays the root, so that components are numbered in order.
        parent[one.max(other)] = one.min(other);
    }
    let (mut numbers, mut next) = (vec![0; items], 0);
    for item in 0..items {
        let top = root(&mut parent, item);
        if top == item {
            numbers[item] = next;
            next += 1;
        } else {
            numbers[item] = numbers[top];
        }
    }
    numbers
}

fn root(parent: &mut [usize], mut item: usize) -> usize {
    while parent[item] != item {
        // Halving the path keeps later walks short.
        parent[item] = parent[parent[item]];
        item = parent[item];
    }
    item
}

/// Whether each component has finite strengths of maximum likelihood: if and only if in every
/// division of its items into two groups each group has a point against the other (Zermelo, "Die
/// Berechnung der Turnier-Ergebnisse", 1929; Ford, "Solution of a ranking problem from binary
/// comparisons", Am. Math. Monthly 64, 1957), that is if points lead from every item to every
/// other.
///
/// `points` are pairs of an item that got a point, or a part of one, and whom it got it against.
/// `component` is that of each item, by [`components`].
pub fn have_finite_strengths(component: &[u32], points: &[(u32, u32)]) -> Vec<bool> {
    let number = component
        .iter()
        .max()
        .map_or(0, |largest| *largest as usize + 1);
    let mut finite = vec![true; number];
    let beaten = reached(component, points.iter().copied());
    let beaten_by = reached(component, points.iter().map(|(won, lost)| (*lost, *won)));
    for (item, group) in component.iter().enumerate() {
        finite[*group as usize] &= beaten[item] && beaten_by[item];
    }
    finite
}

/// Which items are reached along the arrows from the lowest item of their component.
fn reached(component: &[u32], arrows: impl Iterator<Item = (u32, u32)>) -> Vec<bool> {
    let mut to = vec![Vec::new(); component.len()];
    arrows.for_each(|(from, end)| to[from as usize].push(end as usize));
    let mut seen = vec![false; component.len()];
    let mut started = 0;
    for item in 0..component.len() {
        if component[item] != started {
            continue;
        }
        started += 1;
        let mut open = vec![item];
        seen[item] = true;
        while let Some(item) = open.pop() {
            for next in &to[item] {
                if !std::mem::replace(&mut seen[*next], true) {
                    open.push(*next);
                }
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_of_games_join() {
        let games = [(5, 1), (1, 3), (2, 6), (6, 2)];
        assert_eq!(components(7, games), [0, 1, 2, 1, 3, 1, 2]);
        assert!(components(0, []).is_empty());
    }

    #[test]
    fn a_hundred_thousand_in_a_row_are_no_trouble() {
        let row = (1..100_000_u32).rev().map(|item| (item, item - 1));
        assert!(components(100_000, row).iter().all(|group| *group == 0));
    }

    #[test]
    fn everyone_must_have_a_point_against_the_rest() {
        // 0 → 1 → 2 → 0 is a circle; 3 beats 4 only; 5 has not played.
        let component = [0, 0, 0, 1, 1, 2];
        let points = [(0, 1), (1, 2), (2, 0), (3, 4)];
        assert_eq!(
            have_finite_strengths(&component, &points),
            [true, false, true]
        );
        assert_eq!(
            have_finite_strengths(&component, &points[1..]),
            [false, false, true]
        );
        // A tie is a point for both.
        let tied = [(0, 1), (1, 0), (1, 2), (2, 1), (3, 4), (4, 3)];
        assert_eq!(have_finite_strengths(&component, &tied), [true; 3]);
        assert!(have_finite_strengths(&[], &[]).is_empty());
    }
}
