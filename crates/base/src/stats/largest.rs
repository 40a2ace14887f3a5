//! The largest of many numbers.

/// The indices of the largest `top` of the values, in no order; of equal ones the first.
pub fn largest(values: &[f64], top: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    if top > 0 && top < values.len() {
        order.select_nth_unstable_by(top - 1, |&a, &b| {
            values[b].total_cmp(&values[a]).then(a.cmp(&b))
        });
    }
    order.truncate(top);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equal_ones_the_first() {
        let mut found = largest(&[1.0, 3.0, 2.0, 3.0, 2.0], 3);
        found.sort_unstable();
        assert_eq!(found, [1, 2, 3]);
        assert_eq!(largest(&[1.0], 5), [0]);
        assert!(largest(&[1.0], 0).is_empty());
    }
}
