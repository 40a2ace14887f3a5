//! Symmetric equations that may have more than one solution, as those of least squares have. Hides
//! the sweep operator (Goodnight, "A tutorial on the SWEEP operator", Am. Stat. 33, 1979).

/// A pivot below this share of its first size counts as zero.
const SINGULAR: f64 = 1e-9;

/// A generalised inverse of a symmetric matrix without negative eigenvalues.
#[derive(Clone, Debug)]
pub(super) struct Inverse {
    rows: Vec<Vec<f64>>,
    /// Rank of the matrix.
    pub rank: usize,
}

impl Inverse {
    /// Takes a time that grows with the third power of the size.
    pub(super) fn of(mut rows: Vec<Vec<f64>>) -> Self {
        let n = rows.len();
        let sizes: Vec<f64> = (0..n).map(|at| rows[at][at]).collect();
        let mut swept = vec![false; n];
        for at in 0..n {
            if rows[at][at] > SINGULAR * sizes[at] {
                sweep(&mut rows, at);
                swept[at] = true;
            }
        }
        // What was not swept is taken as known to be 0.
        for (row, own) in rows.iter_mut().zip(&swept) {
            for (value, other) in row.iter_mut().zip(&swept) {
                *value = if *own && *other { *value } else { 0.0 };
            }
        }
        let rank = swept.iter().filter(|of| **of).count();
        Self { rows, rank }
    }

    /// A solution of the equations for one right side.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        self.rows.iter().map(|row| product(row, right)).collect()
    }

    /// The square of a vector, measured by the inverse.
    pub(super) fn square(&self, of: &[f64]) -> f64 {
        product(&self.solve(of), of)
    }
}

fn sweep(rows: &mut [Vec<f64>], at: usize) {
    let pivot = rows[at][at];
    rows[at].iter_mut().for_each(|value| *value /= pivot);
    let swept = rows[at].clone();
    for (_, row) in rows
        .iter_mut()
        .enumerate()
        .filter(|(other, _)| *other != at)
    {
        let factor = row[at];
        for (place, (value, by)) in row.iter_mut().zip(&swept).enumerate() {
            *value = if place == at {
                -factor / pivot
            } else {
                *value - factor * by
            };
        }
    }
    rows[at][at] = 1.0 / pivot;
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_solves_the_equations() {
        let rows = vec![
            vec![4.0, 2.0, 0.5],
            vec![2.0, 5.0, 1.0],
            vec![0.5, 1.0, 3.0],
        ];
        let inverse = Inverse::of(rows.clone());
        let solution = inverse.solve(&[1.0, -2.0, 3.0]);
        for (row, expected) in rows.iter().zip([1.0, -2.0, 3.0]) {
            assert!((product(row, &solution) - expected).abs() < 1e-12);
        }
        assert_eq!(inverse.rank, 3);
    }

    /// Rows that sum to 0, as those of agents compared within tasks.
    #[test]
    fn what_cannot_be_told_is_left_out() {
        let rows = vec![
            vec![2.0, -1.0, -1.0],
            vec![-1.0, 2.0, -1.0],
            vec![-1.0, -1.0, 2.0],
        ];
        let inverse = Inverse::of(rows.clone());
        let right = [3.0, 0.0, -3.0];
        let solution = inverse.solve(&right);
        for (row, expected) in rows.iter().zip(right) {
            assert!(
                (product(row, &solution) - expected).abs() < 1e-12,
                "{solution:?}"
            );
        }
        assert_eq!(inverse.rank, 2);
        assert!((inverse.square(&right) - 6.0).abs() < 1e-12);
        assert_eq!(Inverse::of(vec![vec![0.0; 2]; 2]).rank, 0);
        assert_eq!(Inverse::of(vec![]).rank, 0);
    }
}
