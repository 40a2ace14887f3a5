//! A negation, or the opposite of a word, in one of two sentences. Hides what a negation denies,
//! and where two of them cancel each other.

use std::ops::Range;

use super::{
    Difference, Kind,
    context::Sentence,
    place,
    reading::What,
    vocabulary::{
        HAN_NEGATORS, HAN_NOT_DENYING, HAN_OPPOSITES, are_opposites, denied_word, denies, says,
        stands_between,
    },
};

/// Most words between a negation and what it denies.
const REACH: usize = 4;
/// Most words of a sentence that are compared for opposites.
const MOST: usize = 120;
/// How alike sentences are of which one is denied as a whole.
const ALIKE: f64 = 0.5;

/// Negations and opposites that only one of the sentences has.
pub(super) fn differences(first: &Sentence, second: &Sentence) -> Vec<Difference> {
    let (here, there) = (denials(first), denials(second));
    let mut found = denied(first, second, (&here, &there));
    let turned = denied(second, first, (&there, &here));
    found.extend(turned.into_iter().map(|of| Difference {
        first: of.second,
        second: of.first,
        ..of
    }));
    found.extend(opposites(first, second, (&here, &there)));
    found
}

/// A negation: its items, and the item that it denies.
struct Denial {
    range: Range<usize>,
    head: Option<usize>,
}

impl Denial {
    /// Whether an item is what is denied, or stands so near that it may be.
    fn reaches(&self, at: usize) -> bool {
        self.head == Some(at) || (self.range.start..self.range.end + REACH).contains(&at)
    }
}

fn denials(sentence: &Sentence) -> Vec<Denial> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < sentence.items.len() {
        let length = negation(sentence, at);
        if length > 0 {
            found.push(Denial {
                range: at..at + length,
                head: head(sentence, at + length),
            });
        }
        at += length.max(1);
    }
    found
}

/// How many items from here are a negation.
fn negation(sentence: &Sentence, at: usize) -> usize {
    let items = &sentence.items;
    match &items[at].what {
        What::Word { text, .. } if denies(text) => {
            let next = items.get(at + 1);
            // "Not only" denies nothing, and "No. 3" is a number.
            let only = next.and_then(|item| item.word());
            let only = only.is_some_and(|word| matches!(word, "only" | "just" | "merely"));
            let number = text == "no"
                && next.is_some_and(|item| matches!(item.what, What::Mark('.') | What::Figure(_)));
            usize::from(!only && !number)
        }
        What::Han(_) => {
            let text: String = han(sentence, at, 4);
            let before: String = han(sentence, at.saturating_sub(2), 5);
            if HAN_NOT_DENYING.iter().any(|word| before.contains(word)) {
                return 0;
            }
            let word = HAN_NEGATORS.iter().find(|word| text.starts_with(**word));
            word.map_or(0, |word| word.chars().count())
        }
        _ => 0,
    }
}

/// The Han characters from here.
fn han(sentence: &Sentence, at: usize, most: usize) -> String {
    let chars = sentence.items[at..]
        .iter()
        .take(most)
        .map_while(|item| match item.what {
            What::Han(c) => Some(c),
            _ => None,
        });
    chars.collect()
}

/// The first word after a negation that says something.
fn head(sentence: &Sentence, from: usize) -> Option<usize> {
    let reach = from..sentence.items.len().min(from + REACH);
    for at in reach {
        match &sentence.items[at].what {
            What::Word { text, .. } if stands_between(text) => {}
            What::Han('有' | '能' | '会' | '被' | '曾' | '再') => {}
            What::Han(c) if !says(*c) => {}
            What::Word { .. } | What::Han(_) => return Some(at),
            _ => return None,
        }
    }
    None
}

/// What one sentence denies and the other says.
fn denied(
    first: &Sentence,
    second: &Sentence,
    (here, there): (&[Denial], &[Denial]),
) -> Vec<Difference> {
    let mut found = Vec::new();
    let like = first.likeness(second);
    for denial in here {
        let Some(head) = denial.head else { continue };
        let Some(said) = same_word(first, head, second) else {
            continue;
        };
        let both = there.iter().filter_map(|other| other.head);
        let mut both = both.map(|other| is_same(first, head, second, other));
        if there.iter().any(|other| other.reaches(said)) || both.any(|same| same) {
            continue;
        }
        let near = first.nearness(head, second, said);
        let end = head + usize::from(matches!(first.items[head].what, What::Han(_)));
        let range = first.items[denial.range.start].range.start
            ..first.items[end.min(first.items.len() - 1)].range.end;
        found.push(Difference {
            kind: Kind::Polarity,
            first: place(&range),
            second: place(&second.items[said].range),
            strength: 0.4 + 0.3 * near + 0.3 * like,
        });
    }
    let turned = second.items.iter().filter_map(|item| item.word());
    if let ([denial], [], true) = (here, there, found.is_empty() && like >= ALIKE)
        && !turned.into_iter().any(denied_word)
    {
        let denial = &denial.range;
        let range = first.items[denial.start].range.start..first.items[denial.end - 1].range.end;
        found.push(Difference {
            kind: Kind::Polarity,
            first: place(&range),
            second: other_word(first, second),
            strength: 0.2 + 0.3 * like,
        });
    }
    found
}

/// Where the second sentence has the word of an item of the first.
fn same_word(first: &Sentence, at: usize, second: &Sentence) -> Option<usize> {
    (0..second.items.len()).find(|to| is_same(first, at, second, *to))
}

/// Whether two items are the same word; of Chinese, whether both characters from there are.
fn is_same(first: &Sentence, at: usize, second: &Sentence, to: usize) -> bool {
    let same = |by: usize| {
        let keys = first.keys.get(at + by).zip(second.keys.get(to + by));
        keys.is_some_and(|(one, other)| one.is_some() && one == other)
    };
    let han = matches!(first.items[at].what, What::Han(_));
    same(0) && (!han || same(1))
}

/// The first word of the second sentence that the first has not: what it says instead.
fn other_word(first: &Sentence, second: &Sentence) -> super::Place {
    let own = second
        .keys
        .iter()
        .position(|key| key.as_ref().is_some_and(|key| !first.has(key)));
    let end = second.items.last().map_or(0, |item| item.range.end);
    own.map_or(place(&(end..end)), |at| place(&second.items[at].range))
}

/// Words of which one is the opposite of the other, neither of them denied.
fn opposites(
    first: &Sentence,
    second: &Sentence,
    (here, there): (&[Denial], &[Denial]),
) -> Vec<Difference> {
    let is_denied = |denials: &[Denial], at: usize| denials.iter().any(|of| of.head == Some(at));
    let like = first.likeness(second);
    let mut found = Vec::new();
    for (at, one) in words(first) {
        if second.items.iter().any(|item| item.word() == Some(one)) {
            continue;
        }
        for (to, other) in words(second) {
            let only = || !first.items.iter().any(|item| item.word() == Some(other));
            if !are_opposites(one, other) || is_denied(here, at) != is_denied(there, to) || !only()
            {
                continue;
            }
            let near = first.nearness(at, second, to);
            if near >= 0.25 || like >= 0.5 {
                found.push(Difference {
                    kind: Kind::Polarity,
                    first: place(&first.items[at].range),
                    second: place(&second.items[to].range),
                    strength: 0.3 + 0.4 * near + 0.3 * like,
                });
            }
        }
    }
    // Of "not accepted" and "refused" the second is the opposite, and no negation.
    let plain = |sentence: &Sentence, denials: &[Denial]| {
        let first = denials.iter().map(|of| han(sentence, of.range.start, 2));
        first
            .filter(|word| !HAN_OPPOSITES.iter().any(|of| of.0 == word || of.1 == word))
            .count()
    };
    if plain(first, here) % 2 == plain(second, there) % 2 {
        found.extend(han_opposites(first, second, like));
    }
    found
}

fn words(sentence: &Sentence) -> impl Iterator<Item = (usize, &str)> {
    let words = sentence.items.iter().enumerate();
    // A name means what it names.
    let plain = words.filter(|(at, item)| *at == 0 || !item.is_capital());
    plain
        .filter_map(|(at, item)| Some((at, item.word()?)))
        .take(MOST)
}

fn han_opposites(first: &Sentence, second: &Sentence, like: f64) -> Vec<Difference> {
    let find = |sentence: &Sentence, word: &str| {
        let length = word.chars().count();
        let at = (0..sentence.items.len()).find(|at| han(sentence, *at, length) == word)?;
        Some(sentence.items[at].range.start..sentence.items[at + length - 1].range.end)
    };
    let mut found = Vec::new();
    for (one, other) in HAN_OPPOSITES {
        for (one, other) in [(one, other), (other, one)] {
            let places = find(first, one).zip(find(second, other));
            if let Some((here, there)) = places.filter(|_| like >= 0.3)
                && find(first, other).is_none()
                && find(second, one).is_none()
            {
                found.push(Difference {
                    kind: Kind::Polarity,
                    first: place(&here),
                    second: place(&there),
                    strength: 0.5 + 0.4 * like,
                });
            }
        }
    }
    found
}
