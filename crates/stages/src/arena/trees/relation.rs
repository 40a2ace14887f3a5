//! The relation of a linked page to the page that links to it, by the words of the sentence around
//! the link: whole words, those of the link twice as heavy, the nearer one of two as heavy. A
//! sentence in another language than English says nothing, and the pages are related.

use std::{
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

use crate::{
    data::arena::Relation,
    text::{
        lexicon::is_word,
        sentences,
        words::{fold, is_han},
    },
};

/// Share of a sentence's words that English has; below it the words of this file mean other things.
const ENGLISH: f64 = 0.7;
/// Bytes of the text around a link that are read.
const MOST_BYTES: usize = 2_000;

/// Words of each relation, without plurals; none is of two.
const WORDS: &[(Relation, &str)] = &[
    (
        Relation::Origin,
        "origin originate originated originating native located location region country \
         place homeland birthplace born headquartered situated found",
    ),
    (
        Relation::Kind,
        "type kind variety varieties variant species breed category categories class \
         subtype genre style form model",
    ),
    (
        Relation::Process,
        "process processes processing method technique procedure production manufacture \
         manufacturing preparation treatment made produced extraction operation step",
    ),
    (
        Relation::Product,
        "product sold sale brand drink dish dishes beverage service goods retail \
         release released edition",
    ),
    (
        Relation::Component,
        "component part ingredient contain containing consist consisting composed \
         composition element compound material structure layer",
    ),
    (
        Relation::History,
        "history historical century centuries founded established invented invention \
         introduced ancient medieval timeline war era decade discovered discovery \
         formerly predecessor successor",
    ),
    (
        Relation::People,
        "person people founder inventor author artist scientist director company \
         companies organisation organization association institute university \
         universities member owner designer team",
    ),
    (
        Relation::Health,
        "health medical medicine disease risk effect symptom toxic toxicity nutrition \
         safety injury injuries therapy therapies patient allergy",
    ),
    (
        Relation::Culture,
        "culture cultural economy economic economics trade market society social \
         religion religious festival tradition traditional politics political law \
         custom industry",
    ),
    (
        Relation::Equipment,
        "equipment tool machine device instrument apparatus hardware software engine \
         appliance utensil vehicle",
    ),
];

/// The relation of each word.
static RELATIONS: LazyLock<HashMap<&str, Relation>> = LazyLock::new(|| {
    let lists = WORDS.iter();
    let words = lists.flat_map(|(relation, words)| words.split(' ').map(|word| (word, *relation)));
    words.collect()
});

/// The sentence of a link: the one around the link's text, or the whole where that is not in it.
pub fn sentence_around<'a>(context: &'a str, anchor: &str) -> &'a str {
    let context = &context[..context.floor_char_boundary(MOST_BYTES)];
    let anchor = anchor.trim();
    let Some(at) = context.find(anchor).filter(|_| !anchor.is_empty()) else {
        return context.trim();
    };
    let first = context[..at].chars().count();
    let last = first + anchor.chars().count() - 1;
    let ranges = sentences::split(context);
    let begins = ranges.iter().find(|range| range.contains(&first));
    let ends = ranges.iter().find(|range| range.contains(&last));
    let (Some(begins), Some(ends)) = (begins, ends) else {
        return context.trim();
    };
    let byte = |place: usize| {
        let found = context.char_indices().nth(place);
        found.map_or(context.len(), |(at, _)| at)
    };
    context[byte(begins.start)..byte(ends.end)].trim()
}

/// What a link's sentence says of the page behind it.
pub fn relation(context: &str, anchor: &str) -> Relation {
    let sentence = words(sentence_around(context, anchor));
    let link = words(&anchor[..anchor.floor_char_boundary(MOST_BYTES)]);
    if !is_english(&sentence) {
        return Relation::Related;
    }
    let place = place_of(&link, &sentence);
    // By relation: how often it is said, and how far from the link.
    let mut said: BTreeMap<Relation, (usize, usize)> = BTreeMap::new();
    for relation in link.iter().filter_map(|word| said_by(word)) {
        said.entry(relation).or_default().0 += 2;
    }
    for (at, word) in sentence.iter().enumerate() {
        let Some(relation) = said_by(word) else {
            continue;
        };
        let (weight, near) = said.entry(relation).or_insert((0, usize::MAX));
        *weight += 1;
        *near = at.abs_diff(place).min(*near);
    }
    let mut best = (Relation::Related, (0, 0));
    for (relation, (weight, near)) in said {
        let (most, nearest) = best.1;
        if weight > most || weight == most && near < nearest {
            best = (relation, (weight, near));
        }
    }
    best.0
}

fn said_by(word: &str) -> Option<Relation> {
    let singular = word.strip_suffix('s').unwrap_or(word);
    RELATIONS
        .get(word)
        .or_else(|| RELATIONS.get(singular))
        .copied()
}

fn words(text: &str) -> Vec<String> {
    let folded = fold(text);
    let words = folded.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

fn is_english(words: &[String]) -> bool {
    let of_letters = words
        .iter()
        .filter(|word| word.chars().all(char::is_alphabetic));
    let (mut all, mut known) = (0_usize, 0_usize);
    for word in of_letters {
        all += 1;
        known += usize::from(!word.chars().any(is_han) && word.is_ascii() && is_word(word));
    }
    all > 0 && known as f64 >= ENGLISH * all as f64
}

/// Where the link stands in its sentence, in words; the beginning where it does not.
fn place_of(link: &[String], sentence: &[String]) -> usize {
    if link.is_empty() {
        return 0;
    }
    let windows = sentence.windows(link.len());
    windows
        .enumerate()
        .find(|(_, part)| *part == link)
        .map_or(0, |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(context: &str, anchor: &str, expect: Relation) {
        assert_eq!(relation(context, anchor), expect, "{context}");
    }

    #[test]
    fn the_sentence_tells_the_relation() {
        check(
            "Coffee is native to Ethiopia and Yemen.",
            "Ethiopia",
            Relation::Origin,
        );
        check(
            "Arabica is a species of the plant.",
            "Arabica",
            Relation::Kind,
        );
        check(
            "Beans are dried by the washed method.",
            "washed method",
            Relation::Process,
        );
        check(
            "Shops sold the espresso as a drink to go.",
            "espresso",
            Relation::Product,
        );
        check(
            "Each bean contains caffeine, a bitter compound.",
            "caffeine",
            Relation::Component,
        );
        check(
            "The house was founded in the 17th century.",
            "house",
            Relation::History,
        );
        check(
            "Its inventor, a company from Turin, went away.",
            "company from Turin",
            Relation::People,
        );
        check(
            "Too much has an effect on health.",
            "effect",
            Relation::Health,
        );
        check(
            "It shaped the economy and trade of the island.",
            "island",
            Relation::Culture,
        );
        check(
            "A grinder is a machine and a tool for beans.",
            "grinder",
            Relation::Equipment,
        );
        check(
            "It was praised for its smell.",
            "praised",
            Relation::Related,
        );
    }

    #[test]
    fn words_count_and_parts_of_words_do_not() {
        check(
            "The department store party typed a partial reply.",
            "reply",
            Relation::Related,
        );
        check(
            "They kindly informed the countrymen of it.",
            "countrymen",
            Relation::Related,
        );
        check(
            "The typewriter was warm and the era's end.",
            "typewriter",
            Relation::Related,
        );
    }

    #[test]
    fn only_the_sentence_of_the_link_counts() {
        let context = "It has a long history. The grinder stands there. A company owns it.";
        check(context, "grinder", Relation::Related);
        check(context, "history", Relation::History);
        assert_eq!(
            sentence_around(context, "grinder"),
            "The grinder stands there."
        );
        assert_eq!(sentence_around(context, "kettle"), context);
        assert_eq!(
            sentence_around("一。咖啡产于也门。二。", "也门"),
            "咖啡产于也门。"
        );
    }

    #[test]
    fn the_link_itself_weighs_more_and_the_nearer_word_wins() {
        check(
            "The company has a page on the history of glass.",
            "history of glass",
            Relation::History,
        );
        check(
            "The machine came to the region of the Rhine.",
            "Rhine",
            Relation::Origin,
        );
    }

    #[test]
    fn other_languages_are_related() {
        check("咖啡的历史始于也门。", "历史", Relation::Related);
        check(
            "Les types de fromage sont nombreux en Auvergne.",
            "types de fromage",
            Relation::Related,
        );
        check(
            "Die Region produziert vor allem Käse.",
            "Region",
            Relation::Related,
        );
        check("", "", Relation::Related);
        check("…", "…", Relation::Related);
    }

    #[test]
    fn no_word_has_two_relations() {
        let count: usize = WORDS
            .iter()
            .map(|(_, words)| words.split(' ').count())
            .sum();
        assert_eq!(RELATIONS.len(), count);
    }

    #[test]
    fn long_contexts_are_cut() {
        let long = "word. ".repeat(100_000);
        for anchor in ["kettle", &long] {
            assert!(relation(&long, anchor) == Relation::Related);
        }
        assert!(sentence_around(&long, "kettle").len() <= MOST_BYTES);
    }
}
