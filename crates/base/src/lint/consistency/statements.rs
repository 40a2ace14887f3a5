//! What a report states: amounts and dates, each with a key of the words that say of what. Two
//! statements with one key are of the same thing. Hides clauses and what limits them.

use std::ops::Range;

use super::{
    document::{Document, Sentence, Table, has_han},
    lex,
    segments::{self, Opening, Segment},
    steps,
    subject::{Names, Subject, is_places},
    token::{Amount, Date, Hedge, Token, What},
    units::{self, Unit},
    vocabulary::{Class, class, event_han, limits},
};

/// Longest part of a sentence that is quoted, in characters on either side.
const QUOTED: usize = 240;
/// Longest text in brackets that says more of what stands before it, in words.
const LONGEST_ASIDE: usize = 6;
/// Fewest Han characters that say of what an amount is.
const LEAST_HAN: usize = 4;
/// What "in" and "for" make a turn of speech with.
const TURNS: &[&str] = &[
    "short",
    "brief",
    "sum",
    "summary",
    "fact",
    "total",
    "conclusion",
    "general",
    "particular",
    "example",
    "instance",
];
/// Most tokens of a clause that states one thing.
const LONGEST_SEGMENT: usize = 60;

/// What is stated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Amount(Amount),
    Date(Date),
}

/// Where a statement stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A paragraph or list item, by its number.
    Block(usize),
    /// A table, by its number.
    Table(usize),
}

/// One amount or date with what it is of.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub key: String,
    pub label: String,
    pub value: Value,
    pub written: Range<usize>,
    pub quote: Range<usize>,
    pub source: Source,
    pub scope: String,
    /// Whether the key has a name, so that it means the same in all sections.
    pub named: bool,
}

/// What a sentence states, from its tokens.
pub(super) fn of_sentence(
    document: &Document,
    names: &Names,
    sentence: &Sentence,
    tokens: &[Token],
) -> Vec<Statement> {
    let segments = segments::split(tokens);
    let reader = Reader {
        document,
        names,
        sentence,
        tokens,
        segments: &segments,
    };
    let mut statements = Vec::new();
    for (place, segment) in segments.iter().enumerate() {
        if segment.opening == Opening::Bracket {
            continue;
        }
        for at in segment.tokens.clone() {
            statements.extend(reader.statement(place, at));
        }
    }
    statements
}

struct Reader<'a> {
    document: &'a Document,
    names: &'a Names,
    sentence: &'a Sentence,
    tokens: &'a [Token],
    segments: &'a [Segment],
}

impl Reader<'_> {
    fn statement(&self, place: usize, at: usize) -> Option<Statement> {
        let value = value(&self.tokens[at])?;
        let segment = &self.segments[place];
        let own = &self.tokens[segment.tokens.clone()];
        if own.len() > LONGEST_SEGMENT {
            return None;
        }
        let mut subject = Subject::new(self.names);
        match value {
            Value::Amount(amount) => {
                if !self.is_only(segment, at, amount) {
                    return None;
                }
            }
            Value::Date(_) => {
                let one = own.iter().filter(|token| token.date().is_some()).count() == 1;
                if !one || !own.iter().any(is_event) || !self.is_date_of_event(segment, at) {
                    return None;
                }
            }
        }
        let leading = segments::context(self.tokens, self.segments, place)?;
        for before in leading {
            self.add_segment(before, &mut subject);
        }
        let target = at - segment.tokens.start;
        let once = value.is_date() && own[..target].iter().any(is_once);
        // A firm is founded once, wherever.
        let own = if once { &own[..=target] } else { own };
        subject.add_all(own, Some(target));
        if self.is_participle(place) {
            subject.add_all(self.subject_after(place)?, None);
        }
        for after in segments::limits(self.tokens, self.segments, place, value.is_date()) {
            if once {
                break;
            }
            self.add_segment(after, &mut subject);
        }
        let key = subject.key(LEAST_HAN, 2)?;
        let label: String = self.document.text(self.span(place, at));
        Some(Statement {
            key,
            label,
            value,
            written: self.tokens[at].range.clone(),
            quote: quote(&self.sentence.range, &self.tokens[at].range),
            source: Source::Block(self.sentence.block),
            scope: self.document.blocks[self.sentence.block].scope.clone(),
            // After a label, the value stands alone; it may be of what the section is about.
            named: subject.is_named() && own.len() > 1,
        })
    }

    /// Adds the words of another segment; of brackets only what is short and has no amounts.
    fn add_segment(&self, place: usize, subject: &mut Subject) {
        let segment = &self.segments[place];
        let own = &self.tokens[segment.tokens.clone()];
        if own.len() > LONGEST_SEGMENT {
            subject.unclear = true;
        } else if is_turn(own) {
            // "In short" says nothing of the subject.
        } else if is_time(own) {
            subject.add_dates(own);
        } else if segment.opening != Opening::Bracket || self.is_aside(place) {
            subject.add_all(own, None);
        }
    }

    /// The words of a segment before its value, or else after it.
    fn span(&self, place: usize, at: usize) -> Range<usize> {
        let segment = &self.segments[place];
        let (first, last) = (segment.tokens.start, segment.tokens.end - 1);
        if follows_label(segment, place) {
            let label = &self.segments[place - 1].tokens;
            return self.tokens[label.start].range.start..self.tokens[label.end - 1].range.end;
        }
        if at > first {
            self.tokens[first].range.start..self.tokens[at - 1].range.end
        } else {
            self.tokens[(at + 1).min(last)].range.start..self.tokens[last].range.end
        }
    }

    /// Whether an amount is given as such, and no other of its kind stands beside it.
    fn is_only(&self, segment: &Segment, at: usize, amount: Amount) -> bool {
        let own = &self.tokens[segment.tokens.clone()];
        steps::add(own.len());
        let place = at - segment.tokens.start;
        let rivals = own.iter().enumerate().filter(|(other, token)| {
            let same = |rival: &Amount| rival.unit.dimension == amount.unit.dimension;
            *other != place && token.amount().is_some_and(same) && !is_places(own, *other)
        });
        matches!(amount.hedge, Hedge::Exact | Hedge::About) && rivals.count() == 0
    }

    /// "Founded in 1998", "since 2003", "the deadline is 3 May": the date goes with the event, not
    /// with something else in the clause.
    fn is_date_of_event(&self, segment: &Segment, at: usize) -> bool {
        let before = at
            .checked_sub(1)
            .filter(|before| *before >= segment.tokens.start);
        let Some(before) = before.map(|before| &self.tokens[before]) else {
            return has_han(&self.document.chars[self.sentence.range.clone()]) || at == 0;
        };
        match &before.what {
            What::Word { text, .. } => {
                matches!(
                    text.as_str(),
                    "in" | "on"
                        | "is"
                        | "was"
                        | "of"
                        | "since"
                        | "from"
                        | "to"
                        | "the"
                        | "as"
                        | "early"
                ) || class(text).is_some_and(|class| matches!(class, Class::Event(_)))
            }
            What::Han(_) | What::Mark(_) => true,
            _ => false,
        }
    }

    /// "Founded in 1989, …": the subject comes after it.
    fn is_participle(&self, place: usize) -> bool {
        let own = &self.tokens[self.segments[place].tokens.clone()];
        let event = |token: &Token| token.word().is_some() && is_event(token);
        place == 0 && own.len() <= 4 && own.first().is_some_and(event)
    }

    /// The name or noun that the segment after a participle begins with.
    fn subject_after(&self, place: usize) -> Option<&[Token]> {
        let next = self.segments.get(place + 1)?;
        let own = &self.tokens[next.tokens.clone()];
        let start = usize::from(own.first().and_then(Token::word) == Some("the"));
        let rest = own.get(start..)?;
        let length = rest
            .iter()
            .take_while(|token| self.names.is_name(token))
            .count();
        (next.opening == Opening::Comma && length > 0).then(|| &rest[..length])
    }

    /// Whether a text in brackets is short and without amounts: "(gross)", "(2022)".
    fn is_aside(&self, place: usize) -> bool {
        let own = &self.tokens[self.segments[place].tokens.clone()];
        own.len() <= LONGEST_ASIDE && own.iter().all(|token| token.amount().is_none())
    }
}

impl Value {
    pub(super) fn is_date(&self) -> bool {
        matches!(self, Self::Date(_))
    }
}

fn value(token: &Token) -> Option<Value> {
    match token.what {
        What::Amount(amount) => Some(Value::Amount(amount)),
        What::Date(date) => Some(Value::Date(date)),
        _ => None,
    }
}

fn is_event(token: &Token) -> bool {
    match &token.what {
        What::Word { text, .. } => matches!(class(text), Some(Class::Event(_))),
        What::Han(text) => event_han(text),
        _ => false,
    }
}

/// Whether a word is of an event that a subject has once.
fn is_once(token: &Token) -> bool {
    let event = token.word().and_then(class);
    matches!(
        event,
        Some(Class::Event("found" | "incorporate" | "born" | "die"))
    )
}

/// Whether a value stands alone after its label.
fn follows_label(segment: &Segment, place: usize) -> bool {
    place > 0 && segment.tokens.len() == 1
}

/// "In short", "for example".
fn is_turn(own: &[Token]) -> bool {
    let words: Vec<&str> = own.iter().filter_map(Token::word).collect();
    own.len() == 2 && matches!(words[..], ["in" | "for", word] if TURNS.contains(&word))
}

/// Whether a segment says when, and no more: "between 2017", "in early 2020".
fn is_time(own: &[Token]) -> bool {
    let plain = |token: &Token| match &token.what {
        What::Date(_) => true,
        What::Word { text, .. } => limits(text) || class(text) == Some(Class::Neutral),
        _ => false,
    };
    own.iter().all(plain) && own.iter().any(|token| token.date().is_some())
}

fn quote(sentence: &Range<usize>, written: &Range<usize>) -> Range<usize> {
    let start = sentence.start.max(written.start.saturating_sub(QUOTED));
    start..sentence.end.min(written.end + QUOTED)
}

/// What the cells of a table state: the words of their row and of their column say of what.
pub(super) fn of_table(
    document: &Document,
    names: &Names,
    number: usize,
    table: &Table,
) -> Vec<Statement> {
    let mut statements = Vec::new();
    let heads: Vec<(Vec<Token>, Option<Unit>)> = table
        .head
        .iter()
        .map(|cell| head(document, cell.clone()))
        .collect();
    for row in &table.rows {
        let Some(first) = row.cells.first() else {
            continue;
        };
        let row_head = lex::tokens(&document.chars, first.clone(), None);
        let (row_head, row_unit) = split_unit(row_head);
        for (cell, (column, unit)) in row.cells.iter().zip(&heads).skip(1) {
            let unit = unit.or(row_unit);
            let tokens = lex::tokens(&document.chars, cell.clone(), unit);
            let Some((value, rest)) = alone(&tokens) else {
                continue;
            };
            let mut subject = Subject::new(names);
            subject.add_all(&row_head, None);
            subject.add_all(column, None);
            subject.add_all(&rest, None);
            let event = |tokens: &[Token]| tokens.iter().any(is_event);
            if value.is_date() && !event(&row_head) && !event(column) {
                continue;
            }
            let Some(key) = subject.key(2, 2) else {
                continue;
            };
            statements.push(Statement {
                key,
                label: cell_label(document, first, column),
                value,
                written: cell.clone(),
                quote: row.range.clone(),
                source: Source::Table(number),
                scope: table.scope.clone(),
                named: false,
            });
        }
    }
    statements
}

fn cell_label(document: &Document, row: &Range<usize>, column: &[Token]) -> String {
    let column = column.first().zip(column.last());
    let column = column.map(|(first, last)| first.range.start..last.range.end);
    let column = column.map_or_else(String::new, |range| document.text(range));
    format!("{}, {column}", document.text(row.clone()))
}

/// The words of a column's head, and the unit in it.
pub(super) fn head(document: &Document, cell: Range<usize>) -> (Vec<Token>, Option<Unit>) {
    split_unit(lex::tokens(&document.chars, cell, None))
}

/// Takes "(million $)" off the tokens; what is counted in thousands has no simple unit.
fn split_unit(tokens: Vec<Token>) -> (Vec<Token>, Option<Unit>) {
    let open = tokens
        .iter()
        .rposition(|token| token.is_mark(&['(', '（', '[']));
    let Some(open) = open.filter(|open| open + 3 == tokens.len()) else {
        return (tokens, None);
    };
    let unit = match &tokens[open + 1].what {
        What::Word { text, .. } => units::unit(text).or_else(|| units::unit(&text.to_uppercase())),
        What::Mark(c) => units::unit(&c.to_string()),
        What::Han(text) => {
            let chars: Vec<char> = text.chars().collect();
            let found = units::han_unit(&chars);
            found
                .filter(|(_, length)| *length == chars.len())
                .map(|(unit, _)| unit)
        }
        _ => None,
    };
    match unit {
        Some(_) => (tokens[..open].to_vec(), unit),
        None => (tokens, None),
    }
}

/// The one amount or date of a cell, and the words beside it.
fn alone(tokens: &[Token]) -> Option<(Value, Vec<Token>)> {
    let mut values = tokens
        .iter()
        .enumerate()
        .filter_map(|(at, token)| Some((at, value(token)?)));
    let (at, found) = values.next()?;
    let words = |token: &Token| matches!(token.what, What::Word { .. } | What::Han(_));
    let exact = match found {
        Value::Amount(amount) => matches!(amount.hedge, Hedge::Exact | Hedge::About),
        Value::Date(_) => true,
    };
    let few = tokens.len() <= 4 && tokens.iter().filter(|token| words(token)).count() <= 2;
    if values.next().is_some() || !exact || !few {
        return None;
    }
    let mut rest = tokens.to_vec();
    rest.remove(at);
    Some((found, rest))
}
