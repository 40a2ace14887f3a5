//! Language detection for a question, used only where neither its file nor the user states the
//! language.

use whatlang::{Detector, Lang, Script};

/// The languages that are told apart. A question in another one is taken for the most similar one,
/// which is why guesses are counted and shown.
const LANGUAGES: [(Lang, &str); 21] = [
    (Lang::Eng, "en"),
    (Lang::Cmn, "zh"),
    (Lang::Deu, "de"),
    (Lang::Fra, "fr"),
    (Lang::Spa, "es"),
    (Lang::Por, "pt"),
    (Lang::Ita, "it"),
    (Lang::Nld, "nl"),
    (Lang::Rus, "ru"),
    (Lang::Ukr, "uk"),
    (Lang::Pol, "pl"),
    (Lang::Ces, "cs"),
    (Lang::Tur, "tr"),
    (Lang::Swe, "sv"),
    (Lang::Jpn, "ja"),
    (Lang::Kor, "ko"),
    (Lang::Ara, "ar"),
    (Lang::Heb, "he"),
    (Lang::Hin, "hi"),
    (Lang::Vie, "vi"),
    (Lang::Tha, "th"),
];

/// The primary language tag that fits a text best. A text without letters, and one of Latin letters
/// that is too short to tell, count as English.
pub fn guess(text: &str) -> &'static str {
    let known = LANGUAGES.map(|(language, _)| language).to_vec();
    let Some(found) = Detector::with_allowlist(known).detect(text) else {
        return "en";
    };
    if found.script() == Script::Latin && !found.is_reliable() {
        return "en";
    }
    LANGUAGES
        .into_iter()
        .find(|(language, _)| *language == found.lang())
        .map_or("en", |(_, tag)| tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_told_apart() {
        let check = |text, tag| assert_eq!(guess(text), tag, "{text}");
        check(
            "How do braided rivers store gravel between two floods?",
            "en",
        );
        check(
            "Wie lagern verzweigte Flüsse zwischen zwei Hochwassern Kies ab?",
            "de",
        );
        check("辫状河在两次洪水之间如何储存砾石？", "zh");
        check(
            "Comment les rivières en tresses stockent-elles le gravier ?",
            "fr",
        );
        check("1 + 1", "en");
        check("Which?", "en");
    }
}
