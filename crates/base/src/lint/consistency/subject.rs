//! The words that say of what an amount or a date is, as a key that is the same however they are
//! put. Hides names, and what is left out of a key.

use std::collections::{BTreeSet, HashSet};

use super::{
    document::{Document, Sentence},
    lex, steps,
    token::{Token, What},
    vocabulary::{Class, class, happens_once, plain_han, points_han, small_number, stem},
};

/// Fewest Han characters that name a thing.
const NAMING_HAN: usize = 6;
/// Most words of a subject: what has more is no simple statement.
const MOST_WORDS: usize = 24;

/// Words that are names in this report.
pub(super) struct Names {
    names: HashSet<String>,
    /// The name in the title, which readers supply where it is left out.
    title: HashSet<String>,
}

impl Names {
    pub(super) fn read(document: &Document, sentences: &[Sentence]) -> Self {
        let (mut capitals, mut lower) = (HashSet::new(), HashSet::new());
        for sentence in sentences {
            let text = &document.chars[sentence.range.clone()];
            for (at, word) in text
                .split(|c| !c.is_alphanumeric())
                .filter(|w| !w.is_empty())
                .enumerate()
            {
                let first = word[0];
                if !first.is_alphabetic() || word.len() > 40 {
                    continue;
                }
                let name: String = word.iter().collect::<String>().to_lowercase();
                if first.is_uppercase() && at > 0 {
                    capitals.insert(name);
                } else if first.is_lowercase() {
                    lower.insert(name);
                }
            }
        }
        capitals.retain(|word| !lower.contains(word));
        let mut names = Self {
            names: capitals,
            title: HashSet::new(),
        };
        names.title = names.of_title(document);
        names
    }

    /// The words of the title's name, if it has one name only.
    fn of_title(&self, document: &Document) -> HashSet<String> {
        let tokens = lex::tokens(&document.chars, document.title.clone(), None);
        let mut runs = 0;
        let mut before = false;
        let mut words = HashSet::new();
        for token in &tokens {
            let name = self.is_name(token);
            runs += usize::from(name && !before);
            before = name;
            words.extend(token.word().filter(|_| name).map(str::to_owned));
        }
        if runs == 1 { words } else { HashSet::new() }
    }

    pub(super) fn is_name(&self, token: &Token) -> bool {
        match &token.what {
            What::Word { inner: true, .. } => true,
            What::Word {
                text,
                capital: true,
                ..
            } => {
                let part = |part: &str| self.names.contains(part);
                text.split(|c: char| !c.is_alphanumeric()).any(part)
            }
            _ => false,
        }
    }
}

/// The words that say of what an amount or a date is.
pub(super) struct Subject<'a> {
    names: &'a Names,
    named: bool,
    /// 1 where the name of the title was left out.
    titled: usize,
    in_order: Vec<String>,
    words: BTreeSet<String>,
    dates: BTreeSet<String>,
    han: Vec<char>,
    points: bool,
    /// A pronoun or too many words.
    pub(super) unclear: bool,
    once: bool,
}

impl<'a> Subject<'a> {
    pub(super) fn new(names: &'a Names) -> Self {
        Self {
            names,
            named: false,
            titled: 0,
            in_order: Vec::new(),
            words: BTreeSet::new(),
            dates: BTreeSet::new(),
            han: Vec::new(),
            points: false,
            unclear: false,
            once: false,
        }
    }

    pub(super) fn add_all(&mut self, tokens: &[Token], target: Option<usize>) {
        steps::add(tokens.len());
        let mut at = 0;
        while at < tokens.len() {
            if Some(at) == target {
                at += 1;
            } else if is_places(tokens, at) {
                at += 2;
            } else {
                let to_target = target == Some(at + 1);
                self.add(&tokens[at], to_target);
                at += 1;
            }
        }
    }

    pub(super) fn add_dates(&mut self, tokens: &[Token]) {
        let dates = tokens.iter().filter_map(Token::date);
        self.dates.extend(dates.map(|date| date.key()));
    }

    /// Adds a token; the one just before the value may say that it is a difference.
    fn add(&mut self, token: &Token, before_value: bool) {
        match &token.what {
            What::Word { text, .. } if before_value && text == "by" => {
                self.words.insert("^by".to_owned());
            }
            What::Word { text, .. } => self.add_word(token, text),
            What::Amount(amount) => {
                self.words
                    .insert(format!("#{}{}", amount.figure, amount.unit.name));
            }
            What::Date(date) => {
                self.dates.insert(date.key());
            }
            What::Han(text) => {
                self.points |= self.han.is_empty() && points_han(text);
                self.han.extend(plain_han(text).chars());
            }
            What::Mark('《' | '“' | '「') => self.named = true,
            What::Mark(_) => {}
        }
    }

    fn add_word(&mut self, token: &Token, text: &str) {
        self.once |= happens_once(text);
        match class(text) {
            Some(Class::Neutral | Class::Joint) => return,
            Some(Class::Pronoun) => self.unclear = true,
            _ => {}
        }
        if self.names.is_name(token) {
            self.named = true;
            if self.names.title.contains(text) {
                self.titled = 1;
            } else {
                self.in_order.push(stem(text));
            }
            return;
        }
        let word = stem(text);
        self.points |= class(&word) == Some(Class::Pointing);
        self.words.insert(word);
    }

    pub(super) fn is_named(&self) -> bool {
        let han = self.han.len() >= NAMING_HAN && !self.points;
        self.named || han
    }

    /// The key, unless the words do not say of what.
    pub(super) fn key(&mut self, least_han: usize, least_words: usize) -> Option<String> {
        let words = self.titled + self.in_order.len() + self.words.len() + self.han.len() / 2;
        let says = words >= least_words
            && (self.han.is_empty() || self.han.len() >= least_han || self.named);
        if self.unclear || !says || words > MOST_WORDS || (self.points && !self.is_named()) {
            return None;
        }
        self.han.sort_unstable();
        let dates: Vec<&str> = if self.once {
            Vec::new()
        } else {
            self.dates.iter().map(String::as_str).collect()
        };
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let han: String = self.han.iter().collect();
        Some(format!(
            "{}|{}|{han}|{}",
            self.in_order.join(" "),
            words.join(" "),
            dates.join(" ")
        ))
    }
}

/// Whether the token is the number in "at nine hospitals", which is no part of the subject.
pub(super) fn is_places(own: &[Token], at: usize) -> bool {
    let number = own[at].amount().is_some_and(|amount| amount.bare)
        || own[at]
            .word()
            .is_some_and(|word| small_number(word).is_some());
    let before = at.checked_sub(1).and_then(|before| own[before].word());
    let after = own.get(at + 1).and_then(Token::word);
    number
        && before.is_some_and(|word| matches!(word, "at" | "in" | "across" | "from"))
        && after.is_some_and(|word| word.ends_with('s') && class(word).is_none())
}
