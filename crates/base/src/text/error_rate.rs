//! Word and character error rates of a transcript against its reference, after one normalisation.

use super::normalize::{characters, words};

/// The edits that turn the reference into the hypothesis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Errors {
    /// Units replaced by others.
    pub substitutions: usize,
    /// Units of the reference that are missing.
    pub deletions: usize,
    /// Units that the reference does not have.
    pub insertions: usize,
    /// Units of the reference.
    pub reference: usize,
}

impl Errors {
    /// Number of edits.
    pub fn edits(&self) -> usize {
        self.substitutions + self.deletions + self.insertions
    }

    /// Edits for each unit of the reference; an empty reference has rate 0 if the hypothesis is
    /// empty too, else 1.
    pub fn rate(&self) -> f64 {
        match self.reference {
            0 => f64::from(u8::from(self.edits() > 0)),
            units => self.edits() as f64 / units as f64,
        }
    }
}

/// Word errors, both texts normalised.
pub fn word_errors(reference: &str, hypothesis: &str) -> Errors {
    errors(&words(reference), &words(hypothesis))
}

/// Character errors, both texts normalised, spaces not counted.
pub fn character_errors(reference: &str, hypothesis: &str) -> Errors {
    errors(&characters(reference), &characters(hypothesis))
}

/// Levenshtein distance by kind of edit. Among equally short ways, substitutions are preferred.
pub fn errors<T: PartialEq>(reference: &[T], hypothesis: &[T]) -> Errors {
    let insert = |e: Errors| Errors {
        insertions: e.insertions + 1,
        ..e
    };
    let delete = |e: Errors| Errors {
        deletions: e.deletions + 1,
        ..e
    };
    let replace = |e: Errors| Errors {
        substitutions: e.substitutions + 1,
        ..e
    };
    let mut row: Vec<Errors> = (0..=hypothesis.len())
        .map(|insertions| Errors {
            insertions,
            ..Errors::default()
        })
        .collect();
    for unit in reference {
        let mut diagonal = row[0];
        row[0] = delete(row[0]);
        for (j, other) in hypothesis.iter().enumerate() {
            let straight = if unit == other {
                diagonal
            } else {
                replace(diagonal)
            };
            diagonal = row[j + 1];
            let ways = [straight, delete(row[j + 1]), insert(row[j])];
            row[j + 1] = ways
                .into_iter()
                .min_by_key(Errors::edits)
                .unwrap_or_default();
        }
    }
    Errors {
        reference: reference.len(),
        ..row.last().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted_by_kind() {
        let check = |reference: &str, hypothesis: &str, s, d, i| {
            let found = word_errors(reference, hypothesis);
            assert_eq!(
                (found.substitutions, found.deletions, found.insertions),
                (s, d, i),
                "{reference} / {hypothesis}"
            );
        };
        check("the wind was light", "the wind was light", 0, 0, 0);
        check("the wind was light", "the win was light", 1, 0, 0);
        check("the wind was light", "wind was very light", 0, 1, 1);
        check("", "a b", 0, 0, 2);
        check("a b", "", 0, 2, 0);
    }

    #[test]
    fn rates_are_per_reference_unit() {
        assert!((word_errors("one two three four", "one two four").rate() - 0.25).abs() < 1e-12);
        assert!((character_errors("录音标注", "錄音标主。").rate() - 0.25).abs() < 1e-12);
        assert!(word_errors("", "").rate().abs() < 1e-12);
        assert!((word_errors("", "x").rate() - 1.0).abs() < 1e-12);
    }
}
