//! Tokens of a text: words in scripts with spaces, characters in Han script, and the terms that
//! carry meaning. Folding hides case, width and the Chinese script, so that the same word written
//! twice is one word.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization as _;
use unicode_segmentation::UnicodeSegmentation as _;

pub use super::script::is_han;
use super::script::simplified;

/// How many Han characters.
pub fn han_count(text: &str) -> usize {
    text.chars().filter(|&c| is_han(c)).count()
}

/// How many words outside Han script.
pub fn word_count(text: &str) -> usize {
    text.unicode_words()
        .filter(|word| !word.chars().all(is_han))
        .count()
}

/// How long a text is: words, and each Han character as one.
pub fn length(text: &str) -> usize {
    word_count(text) + han_count(text)
}

/// Whether most of the text is Chinese: more Han characters than other words.
pub fn is_chinese(text: &str) -> bool {
    han_count(text) > word_count(text)
}

/// The words in one line; control characters part words, too.
pub fn one_line(text: &str) -> String {
    let words = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Lower case, compatibility width, simplified script.
pub fn fold(text: &str) -> String {
    let plain: String = text.nfkc().collect::<String>().to_lowercase();
    // Transcripts of one talk may mix traditional and simplified script.
    simplified(&plain).into_owned()
}

/// The tokens of a folded text: words, and for Han script overlapping pairs of characters.
pub fn tokens(text: &str) -> Vec<String> {
    let folded = fold(text);
    let mut tokens = Vec::new();
    let mut run: Vec<char> = Vec::new();
    for word in folded.split_word_bounds() {
        if !word.is_empty() && word.chars().all(is_han) {
            run.extend(word.chars());
            continue;
        }
        end_run(&mut run, &mut tokens);
        if word.chars().any(char::is_alphanumeric) {
            tokens.push(word.to_owned());
        }
    }
    end_run(&mut run, &mut tokens);
    tokens
}

fn end_run(run: &mut Vec<char>, tokens: &mut Vec<String>) {
    match run.as_slice() {
        [] => {}
        [one] => tokens.push(one.to_string()),
        // Overlapping pairs find a word wherever it stands: Han script does not mark where words
        // begin.
        many => tokens.extend(many.windows(2).map(|pair| pair.iter().collect())),
    }
    run.clear();
}

/// The terms that carry meaning: words of four letters or more without the commonest ones, cut to
/// their stem, and pairs of Han characters without function words.
pub fn terms(text: &str) -> BTreeSet<String> {
    tokens(text)
        .into_iter()
        .filter_map(|token| term(&token))
        .collect()
}

fn term(token: &str) -> Option<String> {
    if token.chars().any(is_han) {
        let function = |c: char| HAN_FUNCTION.contains(c);
        return (token.chars().count() == 2 && !token.chars().any(function))
            .then(|| token.to_owned());
    }
    let long = token.chars().count() >= 4 && token.chars().all(char::is_alphabetic);
    (long && COMMON.binary_search(&token).is_err()).then(|| stem(token).to_owned())
}

/// Whether a word of a running text carries meaning: no word of grammar, and no number alone. A Han
/// character counts as a word.
pub fn is_content_word(word: &str) -> bool {
    let folded = fold(word);
    if let Some(one) = folded.chars().next().filter(|c| is_han(*c)) {
        return !HAN_FUNCTION.contains(one);
    }
    folded.chars().count() >= 3
        && folded.chars().any(char::is_alphabetic)
        && COMMON.binary_search(&folded.as_str()).is_err()
        && SHORT.binary_search(&folded.as_str()).is_err()
}

/// The word without its commonest English endings; enough to match a term with its plural or its
/// participle.
fn stem(word: &str) -> &str {
    [
        // The longest ending first.
        "ations", "ation", "ings", "ing", "ers", "ies", "ed", "er", "es", "ly", "s", "y", "e",
    ]
    .iter()
    .find_map(|ending| {
        word.strip_suffix(ending)
            .filter(|rest| rest.chars().count() >= 4)
    })
    .unwrap_or(word)
}

const HAN_FUNCTION: &str = "的了是在我有和就不人都一个上也很到说要去你会着没看好自己这那们它他她与及或于以为对把被让从而但如果因所之其中能可这将";

/// Sorted, for binary search.
const COMMON: &[&str] = &[
    "about", "above", "after", "again", "also", "among", "another", "because", "been", "before",
    "being", "between", "both", "cannot", "could", "does", "doing", "done", "down", "during",
    "each", "even", "every", "first", "from", "give", "have", "having", "here", "however", "into",
    "just", "like", "made", "make", "many", "more", "most", "much", "must", "need", "next",
    "nobody", "only", "other", "over", "same", "should", "since", "some", "still", "such", "take",
    "than", "that", "their", "them", "then", "there", "these", "they", "thing", "this", "those",
    "three", "through", "under", "until", "used", "using", "very", "want", "were", "what", "when",
    "where", "whether", "which", "while", "will", "with", "within", "without", "would", "your",
];

/// Words of grammar of three letters, sorted; [`terms`] takes no word so short.
const SHORT: &[&str] = &[
    "all", "and", "any", "are", "but", "can", "did", "for", "get", "got", "had", "has", "her",
    "him", "his", "how", "its", "let", "lot", "may", "not", "now", "off", "one", "our", "out",
    "own", "per", "say", "see", "she", "the", "too", "try", "two", "use", "was", "way", "who",
    "why", "yes", "yet", "you",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_each_script_its_own_way() {
        assert_eq!(
            (word_count("Two words, 3 tokens"), han_count("Two words")),
            (4, 0)
        );
        assert_eq!(
            (word_count("闽南话 has 声调"), han_count("闽南话 has 声调")),
            (1, 5)
        );
        assert!(is_chinese("方言语音识别 ASR"));
        assert!(!is_chinese("speech recognition 识别"));
    }

    #[test]
    fn folds_case_width_and_script() {
        assert_eq!(fold("ＡBC 語音識別"), "abc 语音识别");
    }

    #[test]
    fn terms_match_their_other_forms() {
        assert_eq!(
            terms("recognition models of captains"),
            terms("Recognition model, captain")
        );
        assert!(terms("声调的错误率").contains("错误"));
        assert!(!terms("there could have been").iter().any(|_| true));
    }

    #[test]
    fn the_common_words_are_sorted() {
        assert!(COMMON.is_sorted());
    }
}
