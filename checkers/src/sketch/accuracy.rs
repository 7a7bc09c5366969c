//! How near a sketch is to the ideal one that a person makes (Kasikci, section 6.2.3).

/// Relevance accuracy in per cent: the share of the statements of either sketch that both have.
pub fn relevance_accuracy<T: Eq>(sketch: &[T], ideal: &[T]) -> f64 {
    let common = common(sketch, ideal).len();
    let all = sketch.len() + ideal.len() - common;
    if all == 0 { 100.0 } else { 100.0 * common as f64 / all as f64 }
}

/// Ordering accuracy in per cent: the share of pairs of common statements with the same order in both (one
/// minus the normalised Kendall tau distance). All, if there is no pair.
pub fn ordering_accuracy<T: Eq>(sketch: &[T], ideal: &[T]) -> f64 {
    let common = common(sketch, ideal);
    let mut pairs = 0;
    let mut alike = 0;
    for (number, (first, ideal_first)) in common.iter().enumerate() {
        for (second, ideal_second) in &common[number + 1..] {
            pairs += 1;
            alike += u32::from((first < second) == (ideal_first < ideal_second));
        }
    }
    if pairs == 0 { 100.0 } else { 100.0 * f64::from(alike) / f64::from(pairs) }
}

/// The positions of common statements in both. Each statement is there once.
fn common<T: Eq>(sketch: &[T], ideal: &[T]) -> Vec<(usize, usize)> {
    let at = |statement: &T| ideal.iter().position(|other| other == statement);
    sketch.iter().enumerate().filter_map(|(here, statement)| Some((here, at(statement)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excess_and_missing_statements_are_irrelevant() {
        assert_eq!(relevance_accuracy(&["a", "b", "c"], &["a", "b", "c"]), 100.0);
        assert_eq!(relevance_accuracy(&["x", "a", "b"], &["a", "b"]), 100.0 * 2.0 / 3.0);
        assert_eq!(relevance_accuracy(&["a"], &["a", "b"]), 50.0);
        assert_eq!(relevance_accuracy::<&str>(&[], &[]), 100.0);
    }

    #[test]
    fn pairs_in_another_order_count() {
        // The thesis's example: of three pairs, (B, C) disagrees.
        let accuracy = ordering_accuracy(&["a", "b", "c"], &["a", "c", "b"]);
        assert!((accuracy - 100.0 * 2.0 / 3.0).abs() < 1e-9);
        assert_eq!(ordering_accuracy(&["x", "a", "b"], &["a", "y", "b"]), 100.0);
        assert_eq!(ordering_accuracy(&["a"], &["a"]), 100.0);
    }
}
