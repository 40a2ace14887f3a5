//! A sentence of a talk that is quoted on its own, as the claim that a task begins with.

use super::{
    sentences,
    words::{is_chinese, is_han, length, one_line},
};

/// Length of a claim, in words and Han characters: a shorter one says too little, and a longer one
/// leaves no room for a task.
const LEAST: usize = 8;
const MOST: usize = 26;
const MOST_HAN: usize = 70;

/// Words that a spoken sentence begins with and that say nothing …
const OPENERS: [&str; 10] = [
    "and",
    "but",
    "所以",
    "那么",
    "然后",
    "但是",
    "不过",
    "而且",
    "其实",
    "就是说",
];
/// … and such as do so before a comma: "right now" says something.
const OPENERS_BEFORE_COMMA: [&str; 12] = [
    "well", "okay", "ok", "now", "right", "yes", "yeah", "then", "you see", "you know", "i mean",
    "actually",
];
/// What follows a "so" that says something.
const AFTER_SO: [&str; 6] = ["far", "much", "many", "long", "called", "that"];
/// Words that a sentence begins with where it leans on the one before …
const LEANING: [&str; 15] = [
    "it", "that", "this", "they", "he", "she", "these", "those", "which", "它", "这", "那", "他",
    "她", "因此",
];
/// … and those that do so among its first words, too; "that" may join two sentences there.
const LEANING_EARLY: [&str; 7] = ["it", "it's", "this", "they", "them", "these", "those"];
const EARLY_WORDS: usize = 7;
/// Words by which people greet, thank and ask, in lower case.
const COURTESIES: [&str; 16] = [
    "thank",
    "welcome",
    "good morning",
    "good afternoon",
    "good evening",
    "next speaker",
    "any questions",
    "my question",
    "各位",
    "大家好",
    "下午好",
    "上午好",
    "谢谢",
    "感谢",
    "请问",
    "想问",
];
/// Words of a sentence that says something of its own.
const SAYS_SOMETHING: usize = 4;

/// Whether a sentence can be understood by those who hear nothing else: it is no question, leans on
/// nothing said before and is of a bearable length.
pub fn stands_alone(sentence: &str) -> bool {
    let claim = tidy(sentence);
    let folded = claim.to_lowercase();
    has_room(&claim)
        && !leans(&claim)
        && !claim.contains(['?', '？'])
        && !COURTESIES.iter().any(|words| folded.contains(words))
}

/// Whether a claim says enough, and leaves room for a task around it.
pub fn has_room(claim: &str) -> bool {
    let most = if is_chinese(claim) { MOST_HAN } else { MOST };
    (LEAST..=most).contains(&length(claim))
}

/// Whether a claim begins with a word that stands for something said before.
pub fn leans(claim: &str) -> bool {
    let mut early = claim.split_whitespace().take(EARLY_WORDS);
    LEANING.iter().any(|word| after_word(claim, word).is_some())
        || early.any(|word| LEANING_EARLY.contains(&word.to_lowercase().as_str()))
}

/// What was spoken in one line, without the sentences and words at its start that say nothing, with
/// a capital and an end. Double quotation marks become single ones, because it is quoted.
pub fn tidy(quote: &str) -> String {
    let line = one_line(quote);
    let mut rest = without_small_talk(&line);
    while let Some(shorter) = without_opener(rest) {
        rest = shorter;
    }
    let rest = rest.trim_end_matches([',', '，', ';', '；', ' ']);
    let mut chars = rest.chars();
    let Some(first) = chars.next() else {
        return String::new();
    };
    let mut claim: String = first.to_uppercase().chain(chars).collect();
    if !claim.ends_with(['.', '!', '?', '。', '！', '？']) {
        claim.push(if is_chinese(&claim) { '。' } else { '.' });
    }
    claim.replace(['"', '“', '”'], "'")
}

/// The text from the first sentence that says something and asks nothing; all of it, where there is
/// none.
fn without_small_talk(line: &str) -> &str {
    let chars: Vec<(usize, char)> = line.char_indices().collect();
    let first = sentences::split(line).into_iter().find(|range| {
        let sentence: String = chars[range.clone()].iter().map(|(_, c)| c).collect();
        length(&sentence) >= SAYS_SOMETHING && !sentence.ends_with(['?', '？'])
    });
    first.map_or(line, |range| &line[chars[range.start].0..])
}

fn without_opener(text: &str) -> Option<&str> {
    let bare = OPENERS.iter().find_map(|word| after_word(text, word));
    let bare = bare.or_else(|| {
        let rest = after_word(text, "so")?.trim_start_matches([',', ' ']);
        let says_something = AFTER_SO.iter().any(|word| after_word(rest, word).is_some());
        (!says_something).then_some(rest)
    });
    let rest = bare.or_else(|| {
        let mut before_comma = OPENERS_BEFORE_COMMA.iter();
        before_comma.find_map(|word| after_word(text, word).filter(|rest| rest.starts_with(',')))
    })?;
    Some(rest.trim_start_matches([',', '，', ' ']))
}

/// What follows a word at the start of a text, in any case.
fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text
        .get(..word.len())
        .filter(|start| start.eq_ignore_ascii_case(word))
        .map(|start| &text[start.len()..])?;
    let ends = word.chars().all(is_han) || !rest.starts_with(|c: char| c.is_alphanumeric());
    ends.then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_a_whole_sentence_without_what_says_nothing() {
        assert_eq!(
            tidy("Okay, so, and\nthe trouble is that nobody recorded it,"),
            "The trouble is that nobody recorded it."
        );
        assert_eq!(tidy("所以，没有人记录过盐度"), "没有人记录过盐度。");
        assert_eq!(tidy("Some say \"never\"!"), "Some say 'never'!");
        assert_eq!(tidy("Andes glaciers shrink."), "Andes glaciers shrink.");
        assert_eq!(tidy("so far nobody knows"), "So far nobody knows.");
        assert_eq!(tidy("So we count cracks."), "We count cracks.");
        assert_eq!(
            tidy("Daniel. Thanks. So, healthy soil is noisy."),
            "Healthy soil is noisy."
        );
        assert_eq!(
            tidy("Could you borrow that? Treat the storm as the animal."),
            "Treat the storm as the animal."
        );
        assert!(leans("That is why it fails.") && !leans("Thatched roofs burn."));
    }

    #[test]
    fn a_sentence_that_leans_or_asks_does_not_stand_alone() {
        assert!(stands_alone(
            "So, clouds hide the ice for half of the year."
        ));
        for sentence in [
            "That is why we count the cracks of the ice.",
            "Could you borrow the way they count the whales?",
            "Clouds hide it.",
            "I think it comes from the captains themselves.",
            "Good afternoon and welcome to the spring series on rivers.",
            "我想问一下，方言里特有的词汇会不会丢掉。",
            "它在普通话里根本没有对应的说法。",
            "这种方法会不会丢掉方言里特有的词汇？",
        ] {
            assert!(!stands_alone(sentence), "{sentence}");
        }
        assert!(stands_alone("但是有些词在普通话里根本没有对应的说法。"));
    }
}
