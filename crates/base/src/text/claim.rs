//! A sentence of a talk that is quoted on its own, as the claim that a task begins with.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    pattern::constant,
    sentences,
    words::{fold, is_chinese, is_han, length, one_line},
};

/// Length of a claim, in words and Han characters: a shorter one says too little, and a longer one
/// leaves no room for a task. The sentence before may come with it.
const LEAST: usize = 8;
const MOST: usize = 44;
const MOST_HAN: usize = 88;
/// Length that leaves room for a long subject as well.
const FEWER: usize = 34;
const FEWER_HAN: usize = 70;
/// Length of a sentence of which the beginning may be quoted.
const LONGEST: usize = 70;
const LONGEST_HAN: usize = 140;
/// Words of a question at the start of a claim that says what the rest is about.
const TELLING_QUESTION: usize = 6;

/// Words that a spoken sentence begins with and that say nothing …
const OPENERS: [&str; 14] = [
    "and",
    "but",
    "then",
    "所以",
    "那么",
    "然后",
    "但是",
    "可是",
    "不过",
    "而且",
    "其实",
    "就是说",
    "而",
    "嗯",
];
/// … and such as do so before a comma: "right now" says something.
const OPENERS_BEFORE_COMMA: [&str; 20] = [
    "well",
    "okay",
    "ok",
    "now",
    "right",
    "yes",
    "yeah",
    "then",
    "you see",
    "you know",
    "i mean",
    "actually",
    "also",
    "basically",
    "of course",
    "in fact",
    "to be honest",
    "as far as i know",
    "是的",
    "对",
];
/// What follows a "so" that says something.
const AFTER_SO: [&str; 6] = ["far", "much", "many", "long", "called", "that"];
/// What follows a "那" that says nothing.
const AFTER_NA: [&str; 5] = ["我", "就", "干脆", "你", "大家"];
/// Words that a sentence begins with where it leans on the one before …
const LEANING: [&str; 27] = [
    "it",
    "that",
    "this",
    "they",
    "he",
    "she",
    "these",
    "those",
    "which",
    "another",
    "both",
    "neither",
    "either",
    "otherwise",
    "therefore",
    "similarly",
    "likewise",
    "for example",
    "there is another",
    "some of them",
    "one of them",
    "none of them",
    "我们也",
    "因此",
    "例如",
    "比如",
    "于是",
];
/// … and those that do so among its first words, too; "that" may join two sentences there.
const LEANING_EARLY: [&str; 9] = [
    "it", "it's", "it'll", "this", "they", "they're", "them", "these", "those",
];
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

/// What stands for something said before, wherever in a sentence, in lower case.
static STANDS_FOR: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"\b(?:the (?:remaining|latter|former|resulting|other (?:one|two|side))|(?:this|these|such) \w|those (?:\w+[.,;]|two|three)|(?:of|for|on|by|with|from|about|at|to|than|like|do|did|does|doing|solved?|borrow|apply|use|fix|test|trust) that\b|if (?:that|this|so)\b|\w+ed that (?:\w+ ){0,2}\w+[.!]?$)|这|那|它|他|她|该|前者|后者|剩下|其余|其中|上述",
    )
});
/// "The same" stands for something, too, unless "as" says for what.
static THE_SAME: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"\bthe same (?:problem|thing|idea|method|way|question|trick|effect|issue|data|story)\b|\bdo(?:es)? the same\b|同样的|一样的(?:问题|困难|办法|方法)",
    )
});
/// What only looks like it.
static STANDS_FOR_NOTHING: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"\b(?:such as|such an? \w+ that|this (?:year|month|week|morning|afternoon|century|decade)|at this point)\b|其他|其它|他人|应该|那么|那样|这样一来",
    )
});
/// An announcement of what follows: it says which kind of idea it is, and no more.
static ANNOUNCEMENT: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"^(?:(?:the|my|our|one|another|a)(?: [\w-]+){0,3} (?:hypothesis|conjecture|guess|problem|trouble|difficulty|limitation|bottleneck|challenge|idea|catch|thing)(?: here| now| then| today)? (?:is|was)(?: simply| just| really)? that,? )|^(?:[^，。、]{0,8}(?:假设|假说|猜想|猜测|局限|困难|难题|难点|不足|瓶颈|问题)(?:就是|是|在于)，?|[^，。、]{0,8}(?:假设|假说|猜想|猜测|局限|困难|难题|难点|不足|瓶颈|问题)[^，。、]{0,2}，)",
    )
});
/// What joins a clause to the one that follows it, so that it is no announcement.
const JOINING: [&str; 14] = [
    "如果", "只要", "要是", "一旦", "因为", "由于", "虽然", "除了", "为了", "既然", "没有", "解决",
    "不", "有",
];

fn compiled(pattern: &str) -> Regex {
    constant(&format!("(?i){pattern}"))
}

/// Whether a sentence states something of a bearable length: it asks nothing and greets nobody.
pub fn states(sentence: &str) -> bool {
    let claim = shortened(&tidy(sentence));
    has_room(&claim) && !claim.contains(['?', '？']) && !is_courtesy(&claim)
}

/// Whether people greet, thank or ask in a sentence.
pub fn is_courtesy(sentence: &str) -> bool {
    let folded = sentence.to_lowercase();
    COURTESIES.iter().any(|words| folded.contains(words))
}

/// Whether a claim says enough, and leaves room for a task around it.
pub fn has_room(claim: &str) -> bool {
    (LEAST..=most(claim, (MOST, MOST_HAN))).contains(&length(claim))
}

/// The limit for a claim: of words, or of Han characters where it is Chinese.
fn most(claim: &str, (words, han): (usize, usize)) -> usize {
    if is_chinese(claim) { han } else { words }
}

/// A claim that leaves room for a task, if it is not far too long: as many of its clauses as there
/// is room for, and what is left out shows as `…`.
pub fn shortened(claim: &str) -> String {
    shortened_to(claim, (MOST, MOST_HAN))
}

/// The same for fewer words, or Han characters.
pub fn shorter(claim: &str) -> String {
    shortened_to(claim, (FEWER, FEWER_HAN))
}

fn shortened_to(claim: &str, room: (usize, usize)) -> String {
    let longest = most(claim, (LONGEST, LONGEST_HAN));
    let most = most(claim, room);
    if !(most + 1..=longest).contains(&length(claim)) {
        return claim.to_owned();
    }
    // A mark within a number or an abbreviation ends nothing.
    let ends_clause = |at: usize, mark: &str| {
        let behind = claim[at + mark.len()..].chars().next();
        mark.len() > 1 || behind.is_some_and(|c| c.is_whitespace() || is_han(c))
    };
    let marks = claim.match_indices([',', '，', ';', '；', '。']);
    let mut begins = marks
        .filter(|(at, mark)| ends_clause(*at, mark))
        .map(|(at, _)| &claim[..at]);
    let fitting = begins.rfind(|begin| (LEAST..=most).contains(&length(begin)));
    fitting.map_or_else(|| claim.to_owned(), |begin| format!("{begin} …"))
}

/// Whether a claim has a word that stands for something said before: at its start, or such words as
/// "the same problem", "those two" and "这些词" anywhere in its first sentence.
pub fn leans(claim: &str) -> bool {
    let first = first_sentence(claim);
    let mut early = first.split_whitespace().take(EARLY_WORDS);
    LEANING
        .iter()
        .any(|word| after_word(&first, word).is_some())
        || early.any(|word| LEANING_EARLY.contains(&word.to_lowercase().as_str()))
        || stands_for_something(&first)
}

fn stands_for_something(sentence: &str) -> bool {
    let folded = fold(sentence).replace('’', "'");
    let plain = STANDS_FOR_NOTHING.replace_all(&folded, "");
    STANDS_FOR.is_match(&plain)
        || THE_SAME
            .find(&plain)
            .is_some_and(|found| !plain[found.end()..].contains(" as "))
}

fn first_sentence(claim: &str) -> String {
    let chars: Vec<char> = claim.chars().collect();
    let first = sentences::split(claim).into_iter().next();
    first.map_or_else(String::new, |range| chars[range].iter().collect())
}

/// What was spoken in one line, without the sentences and the words at the start of each that say
/// nothing, with capitals and an end. Double quotation marks become single ones, because it is
/// quoted.
pub fn tidy(quote: &str) -> String {
    let line = one_line(quote);
    let rest = without_small_talk(&line);
    let chars: Vec<char> = rest.chars().collect();
    let tidied: Vec<String> = sentences::split(rest)
        .into_iter()
        .map(|range| tidy_sentence(&chars[range].iter().collect::<String>()))
        .filter(|sentence| !sentence.is_empty())
        .collect();
    tidied.join(if is_chinese(rest) { "" } else { " " })
}

fn tidy_sentence(sentence: &str) -> String {
    let mut rest = sentence.trim();
    while let Some(shorter) = without_opener(rest).or_else(|| without_announcement(rest)) {
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

/// The text from the first sentence that says something, and that asks nothing unless others follow
/// that answer; all of it, where there is none.
fn without_small_talk(line: &str) -> &str {
    let chars: Vec<(usize, char)> = line.char_indices().collect();
    let ranges = sentences::split(line);
    let end = ranges.len().saturating_sub(1);
    let first = ranges.into_iter().enumerate().find(|(at, range)| {
        let sentence: String = chars[range.clone()].iter().map(|(_, c)| c).collect();
        let words = match sentence.ends_with(['?', '？']) {
            true if *at == end => usize::MAX,
            true => TELLING_QUESTION,
            false => SAYS_SOMETHING,
        };
        length(&sentence) >= words
    });
    first.map_or(line, |(_, range)| &line[chars[range.start].0..])
}

fn without_opener(text: &str) -> Option<&str> {
    let bare = OPENERS.iter().find_map(|word| after_word(text, word));
    let bare = bare.or_else(|| {
        let rest = after_word(text, "so")?.trim_start_matches([',', ' ']);
        let says_something = AFTER_SO.iter().any(|word| after_word(rest, word).is_some());
        (!says_something).then_some(rest)
    });
    let bare = bare.or_else(|| {
        let rest = text.strip_prefix('那')?;
        AFTER_NA
            .iter()
            .any(|word| rest.starts_with(word))
            .then_some(rest)
    });
    let rest = bare.or_else(|| {
        let mut before_comma = OPENERS_BEFORE_COMMA.iter();
        before_comma
            .find_map(|word| after_word(text, word).filter(|rest| rest.starts_with([',', '，'])))
    })?;
    Some(rest.trim_start_matches([',', '，', ' ']))
}

/// The text without "The problem is that" and the like, if what follows says enough.
fn without_announcement(text: &str) -> Option<&str> {
    let found = ANNOUNCEMENT.find(text)?;
    let rest = &text[found.end()..];
    let joins = JOINING.iter().any(|word| found.as_str().contains(word));
    (!joins && length(rest) >= LEAST).then_some(rest)
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

    /// Whether a sentence can be understood by those who hear nothing else.
    fn stands_alone(sentence: &str) -> bool {
        states(sentence) && !leans(&tidy(sentence))
    }

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
    fn of_a_long_sentence_as_many_clauses_are_quoted_as_there_is_room_for() {
        let long = "The ice needs a seed to grow on, and people have said snow, and they have said spray, \
            and they have said the dust of the road along the river, and for each of those somebody has \
            had a night with lots of ice and none of it at all.";
        let short = shortened(long);
        assert_eq!(
            short,
            "The ice needs a seed to grow on, and people have said snow, and they have said spray, and they \
             have said the dust of the road along the river …"
        );
        assert_eq!(shortened(&short), short);
        assert!(!has_room(long) && has_room(&short) && states(long));
        assert_eq!(shortened("Ice needs a seed."), "Ice needs a seed.");
        let numbers = "The plate of the river in the valley of the two mills counts on average no more than around \
            12,500 stones a day in the spring and on a day of the autumn about 3.5 times as many, of which the \
            U.S. gauge upstream sees none at all.";
        assert!(
            shortened(numbers).ends_with("3.5 times as many …"),
            "{}",
            shortened(numbers)
        );
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

    #[test]
    fn words_that_stand_for_something_said_before_are_found_anywhere() {
        for sentence in [
            "My hypothesis is that the remaining gap is not a vision problem.",
            "When volunteers count birds, we have the same problem.",
            "Nobody has ever published that joint estimate.",
            "No one has linked those two archives.",
            "The crack grows, and nobody knows the cause of that.",
            "让说话人自己用几句话解释这些词，模型就能学会。",
        ] {
            assert!(leans(&tidy(sentence)), "{sentence}");
        }
        for sentence in [
            "Nobody has a recognition model that knows the vocabulary of sailors.",
            "Metals such as zinc leave the soil at the same rate as the water does.",
            "We found that gravel moves in winter floods.",
            "其他方言应该也没有统一的书写规范。",
        ] {
            assert!(!leans(sentence), "{sentence}");
        }
    }

    #[test]
    fn what_only_announces_a_claim_is_left_out() {
        assert_eq!(
            tidy("The open problem is that nobody has measured the gravel under the ice."),
            "Nobody has measured the gravel under the ice."
        );
        assert_eq!(
            tidy("目前最大的困难是闽南话没有统一的书写规范。"),
            "闽南话没有统一的书写规范。"
        );
        assert_eq!(
            tidy("我的假设是，水温每升一度，鱼就早一周产卵。"),
            "水温每升一度，鱼就早一周产卵。"
        );
        assert_eq!(
            tidy("有些词没有对应的说法。 我的假设是，让说话人自己解释，模型就能学会。"),
            "有些词没有对应的说法。让说话人自己解释，模型就能学会。"
        );
        let kept = "如果解决了标注的问题，模型就能学会这些词。";
        assert_eq!(tidy(kept), kept);
        assert_eq!(
            tidy("Have you ever considered methods from seismology? They use arrays of sensors."),
            "Have you ever considered methods from seismology? They use arrays of sensors."
        );
    }
}
