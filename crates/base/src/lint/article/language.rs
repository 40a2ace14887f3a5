//! Whether a text is English. Hides the words by which it is told.

use crate::text::words::{han_count, word_count};

/// Words of grammar that English has in every other sentence.
const ENGLISH: &[&str] = &[
    "a", "and", "are", "as", "at", "be", "by", "for", "from", "had", "has", "he", "her", "his",
    "in", "is", "it", "its", "not", "of", "on", "that", "the", "they", "this", "to", "was", "were",
    "which", "who", "with",
];

/// Words of grammar of languages that share some of those.
const OTHER: &[&str] = &[
    "av", "che", "dans", "das", "de", "del", "della", "den", "der", "des", "det", "di", "die",
    "een", "ein", "eine", "el", "est", "et", "het", "il", "ist", "la", "le", "les", "los", "met",
    "mit", "nicht", "och", "og", "para", "pour", "que", "som", "sur", "til", "und", "une", "van",
    "von", "zu",
];

/// Least share of English words of grammar, in a hundred words.
const LEAST: usize = 12;

/// Whether a text is English: by its words of grammar, which a list of names does not have.
pub(super) fn is_english(text: &str) -> bool {
    let words = word_count(text);
    if words == 0 || han_count(text) * 3 > words {
        return false;
    }
    let (mut english, mut other) = (0, 0);
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '\'') {
        let word = word.to_lowercase();
        english += usize::from(ENGLISH.binary_search(&word.as_str()).is_ok());
        other += usize::from(OTHER.binary_search(&word.as_str()).is_ok());
    }
    english * 100 >= words * LEAST && english >= other * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_is_told_from_its_neighbours() {
        assert!(ENGLISH.is_sorted() && OTHER.is_sorted());
        for english in [
            "The lock was built in 1911 by the harbour board.",
            "Ortiz de la Vega was born in Las Palmas, and he died there.",
        ] {
            assert!(is_english(english), "{english}");
        }
        for other in [
            "Die Schleuse wurde 1911 in der Stadt von dem Hafenamt gebaut, was nicht teuer war.",
            "De sluis was in 1911 van de stad, en het water is er diep.",
            "L'écluse de la ville est dans le port.",
            "La esclusa de la ciudad fue construida en 1911 a orillas del río.",
            "船闸建于1911年，位于 the harbour of Orrin 的北边。",
            "",
            "1911 1912",
        ] {
            assert!(!is_english(other), "{other}");
        }
    }
}
