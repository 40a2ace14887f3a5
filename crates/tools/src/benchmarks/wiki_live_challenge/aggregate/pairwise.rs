//! The mean as NumPy takes it, so that a stored mean comes out to its last digit. Floating-point
//! sums depend on their order; NumPy adds in eight strands, and long arrays by halves.

/// Numbers up to which an array is summed at once.
const BLOCK: usize = 128;
const STRANDS: usize = 8;

/// The mean; none of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| sum(values) / values.len() as f64)
}

fn sum(values: &[f64]) -> f64 {
    if values.len() > BLOCK {
        let half = values.len() / 2;
        let (left, right) = values.split_at(half - half % STRANDS);
        return sum(left) + sum(right);
    }
    let mut rounds = values.chunks_exact(STRANDS);
    let Some(first) = rounds.next() else {
        return values.iter().sum();
    };
    let mut strands = [0.0; STRANDS];
    strands.copy_from_slice(first);
    for round in rounds.by_ref() {
        for (strand, value) in strands.iter_mut().zip(round) {
            *strand += value;
        }
    }
    let pairs = strands.chunks_exact(2).map(|pair| pair[0] + pair[1]);
    let pairs: Vec<f64> = pairs.collect();
    let together = (pairs[0] + pairs[1]) + (pairs[2] + pairs[3]);
    rounds
        .remainder()
        .iter()
        .fold(together, |sum, value| sum + value)
}
