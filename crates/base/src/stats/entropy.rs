//! Shannon entropy: how evenly things are spread over groups.

/// Shannon's entropy of the groups' shares, in nats; exp of it is the number of groups of one size
/// that would be as diverse (Hill 1973). 0 of nothing.
pub fn entropy(sizes: &[usize]) -> f64 {
    let all = sizes.iter().sum::<usize>() as f64;
    let shares = sizes
        .iter()
        .filter(|size| **size > 0)
        .map(|size| *size as f64 / all);
    // Of one group it is 0 and not its negative.
    shares
        .map(|share| share * share.recip().ln())
        .sum::<f64>()
        .max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_groups_count_in_full() {
        assert!((entropy(&[3, 3, 3, 3]).exp() - 4.0).abs() < 1e-12);
        assert!((entropy(&[1, 3]) - (0.25 * 4f64.ln() + 0.75 * (4f64 / 3.0).ln())).abs() < 1e-12);
        assert!(
            entropy(&[7]).abs() < 1e-12
                && entropy(&[]).abs() < 1e-12
                && entropy(&[5, 0]).abs() < 1e-12
        );
    }
}
