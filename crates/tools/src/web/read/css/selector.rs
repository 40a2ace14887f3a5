//! Selectors of style sheets: which elements a rule is for. Hides their syntax. A selector that asks
//! for a state (`:hover`), a part (`::before`) or a place among what follows (`:last-child`) is for
//! no element.

use super::escape::unescaped;

/// Selectors within `:is()` and `:not()`, one in the other.
const DEEPEST: usize = 4;
/// Bytes of classes that take as long as a test.
const BYTES_OF_A_TEST: u64 = 64;
/// States in which nothing is while a page is read.
const STATES: [&str; 12] = [
    "hover",
    "focus",
    "focus-within",
    "focus-visible",
    "active",
    "visited",
    "target",
    "checked",
    "disabled",
    "invalid",
    "popover-open",
    "fullscreen",
];

/// An element among others, as selectors see it.
pub trait Element: Copy {
    /// Its name in lower case; empty for the root of a page, which stands for `html` and `body`.
    fn name(&self) -> &str;
    /// The value of an attribute.
    fn attribute(&self, name: &str) -> Option<&str>;
    /// The element that it is in.
    fn parent(&self) -> Option<Self>;
    /// The element before it in the same one.
    fn previous(&self) -> Option<Self>;
}

/// A selector: what an element must be, and what it must stand in or behind.
#[derive(Debug)]
pub struct Selector {
    subject: Compound,
    /// From the nearest to the farthest.
    context: Vec<(Relation, Compound)>,
    /// Its weight against other selectors.
    pub specificity: u32,
}

/// Where the next compound of a selector must be.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Relation {
    Above,
    Parent,
    Before,
    Previous,
}

/// What one element must be: `p.note[lang]`.
#[derive(Debug, Default)]
struct Compound {
    name: Option<String>,
    id: Option<String>,
    classes: Vec<String>,
    attributes: Vec<AttributeTest>,
    /// Of each list, one must hold.
    any: Vec<Vec<Compound>>,
    /// None may hold.
    none: Vec<Compound>,
    is_root: bool,
    is_first: bool,
    is_link: bool,
    /// It asks for a state in which no element is.
    is_never: bool,
    /// It holds something, be it `*`.
    is_anything: bool,
}

/// `[name]`, `[name=value]` and their kin.
#[derive(Debug)]
struct AttributeTest {
    name: String,
    operator: char,
    value: String,
}

/// What a rule is found by: the id, a class or the name of its element.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// `#id`
    Id(String),
    /// `.class`
    Class(String),
    /// `name`
    Name(String),
    /// None of them.
    Any,
}

/// The limit on the tests that selectors may take of a page.
#[derive(Debug)]
pub struct Budget(u64);

impl Budget {
    /// So many tests.
    pub fn new(tests: u64) -> Self {
        Self(tests)
    }

    /// Whether all tests are used up.
    pub fn is_spent(&self) -> bool {
        self.0 == 0
    }

    /// Uses up so many tests; false where none is left.
    pub fn take(&mut self, tests: u64) -> bool {
        self.0 = self.0.saturating_sub(tests);
        !self.is_spent()
    }
}

impl Selector {
    /// Reads one selector of a list; none if it is for no element.
    pub fn parse(text: &str) -> Option<Self> {
        Reader::new(text).selector()
    }

    /// What an element must have at least.
    pub fn key(&self) -> Key {
        let of = &self.subject;
        if let Some(id) = &of.id {
            return Key::Id(id.clone());
        }
        if let Some(class) = of.classes.first() {
            return Key::Class(class.clone());
        }
        match &of.name {
            Some(name) => Key::Name(name.clone()),
            None => Key::Any,
        }
    }

    /// Whether it is for a page's outermost element as such: `:root`, `html`, `body` or `*`.
    pub fn is_for_all(&self) -> bool {
        let of = &self.subject;
        let is_outermost = of.is_root
            || of
                .name
                .as_ref()
                .is_none_or(|name| name == "html" || name == "body");
        self.context.is_empty()
            && is_outermost
            && of.id.is_none()
            && of.classes.is_empty()
            && of.attributes.is_empty()
            && of.any.is_empty()
    }

    /// The names of the attributes that it asks for.
    pub fn attribute_names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        let context = self.context.iter().map(|(_, compound)| compound);
        for compound in context.chain([&self.subject]) {
            compound.add_attribute_names(&mut names);
        }
        names
    }

    /// Whether it is for an element.
    pub fn is_for<E: Element>(&self, element: E, budget: &mut Budget) -> bool {
        self.subject.holds(element, budget) && stands(element, &self.context, budget)
    }
}

/// Whether an element stands where the rest of a selector wants it.
fn stands<E: Element>(element: E, context: &[(Relation, Compound)], budget: &mut Budget) -> bool {
    let Some(((relation, compound), rest)) = context.split_first() else {
        return true;
    };
    let is_near = matches!(relation, Relation::Parent | Relation::Previous);
    let mut at = next(element, *relation);
    while let Some(candidate) = at {
        if !budget.take(1) {
            return false;
        }
        if compound.holds(candidate, budget) && stands(candidate, rest, budget) {
            return true;
        }
        if is_near {
            return false;
        }
        at = next(candidate, *relation);
    }
    false
}

fn next<E: Element>(element: E, relation: Relation) -> Option<E> {
    match relation {
        Relation::Above | Relation::Parent => element.parent(),
        Relation::Before | Relation::Previous => element.previous(),
    }
}

impl Compound {
    fn holds<E: Element>(&self, element: E, budget: &mut Budget) -> bool {
        if !budget.take(1) || self.is_never {
            return false;
        }
        let name = element.name();
        let is_outermost = name.is_empty();
        let is_named = self.name.as_deref().is_none_or(|wanted| {
            wanted == name || (is_outermost && (wanted == "html" || wanted == "body"))
        });
        is_named
            && (!self.is_root || is_outermost || name == "html")
            && (!self.is_first || element.previous().is_none())
            && (!self.is_link || (name == "a" && element.attribute("href").is_some()))
            && self
                .id
                .as_deref()
                .is_none_or(|id| element.attribute("id") == Some(id))
            && self.has_classes(element.attribute("class").unwrap_or_default(), budget)
            && self.attributes.iter().all(|test| test.holds(element))
            && self
                .any
                .iter()
                .all(|list| list.iter().any(|one| one.holds(element, budget)))
            && !self.none.iter().any(|one| one.holds(element, budget))
    }

    fn has_classes(&self, classes: &str, budget: &mut Budget) -> bool {
        budget.take((classes.len() * self.classes.len()) as u64 / BYTES_OF_A_TEST);
        // Bounded: a hostile element may have a hundred thousand classes.
        let has = |wanted: &String| {
            classes
                .split_ascii_whitespace()
                .take(super::MOST_CLASSES)
                .any(|class| class == wanted)
        };
        self.classes.iter().all(has)
    }

    fn add_attribute_names<'a>(&'a self, names: &mut Vec<&'a str>) {
        names.extend(self.attributes.iter().map(|test| test.name.as_str()));
        for inner in self.any.iter().flatten().chain(&self.none) {
            inner.add_attribute_names(names);
        }
    }

    fn specificity(&self) -> u32 {
        let strongest = |list: &Vec<Self>| list.iter().map(Self::specificity).max().unwrap_or(0);
        let tests = self.classes.len() + self.attributes.len();
        let states = [self.is_root, self.is_first, self.is_link];
        let states = states.iter().filter(|state| **state).count();
        u32::from(self.id.is_some()) * 10_000
            + (tests + states) as u32 * 100
            + u32::from(self.name.is_some())
            + self.any.iter().map(strongest).sum::<u32>()
            + strongest(&self.none)
    }
}

impl AttributeTest {
    fn holds<E: Element>(&self, element: E) -> bool {
        let Some(value) = element.attribute(&self.name) else {
            return false;
        };
        // In lower case on both sides: a page's values mostly differ in more than that.
        let value = value.to_lowercase();
        let wanted = self.value.as_str();
        match self.operator {
            ' ' => true,
            '~' => value.split_ascii_whitespace().any(|word| word == wanted),
            '^' => !wanted.is_empty() && value.starts_with(wanted),
            '$' => !wanted.is_empty() && value.ends_with(wanted),
            '*' => !wanted.is_empty() && value.contains(wanted),
            '|' => value
                .strip_prefix(wanted)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-')),
            _ => value == wanted,
        }
    }
}

/// A reader of one selector.
struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            rest: text.trim(),
            depth: 0,
        }
    }

    fn selector(mut self) -> Option<Selector> {
        let mut subject = self.compound()?;
        let mut context = Vec::new();
        while let Some(relation) = self.relation() {
            let next = self.compound()?;
            context.push((relation, std::mem::replace(&mut subject, next)));
        }
        if !self.rest.is_empty() {
            return None;
        }
        context.reverse();
        let of_context = context.iter().map(|(_, compound)| compound.specificity());
        let specificity = subject.specificity() + of_context.sum::<u32>();
        let selector = Selector {
            subject,
            context,
            specificity,
        };
        let compounds = selector.context.iter().map(|(_, compound)| compound);
        let is_never = compounds.chain([&selector.subject]).any(|of| of.is_never);
        (!is_never).then_some(selector)
    }

    fn relation(&mut self) -> Option<Relation> {
        let rest = self.rest.trim_start();
        if rest.is_empty() {
            self.rest = rest;
            return None;
        }
        let relation = match rest.as_bytes()[0] {
            b'>' => Relation::Parent,
            b'+' => Relation::Previous,
            b'~' => Relation::Before,
            _ if rest.len() < self.rest.len() => Relation::Above,
            _ => return None,
        };
        self.rest = match relation {
            Relation::Above => rest,
            _ => rest[1..].trim_start(),
        };
        Some(relation)
    }

    fn compound(&mut self) -> Option<Compound> {
        let mut of = Compound::default();
        while let Some(first) = self.rest.chars().next() {
            match first {
                '*' => self.rest = &self.rest[1..],
                '.' => {
                    self.rest = &self.rest[1..];
                    of.classes.push(self.word()?);
                }
                '#' => {
                    self.rest = &self.rest[1..];
                    of.id = Some(self.word()?);
                }
                '[' => of.attributes.push(self.attribute()?),
                ':' => self.pseudo(&mut of)?,
                _ if is_of_word(first) => of.name = Some(self.word()?.to_lowercase()),
                _ => break,
            }
            of.is_anything = true;
        }
        of.is_anything.then_some(of)
    }

    /// A name, its escapes resolved.
    fn word(&mut self) -> Option<String> {
        let mut end = 0;
        let mut characters = self.rest.char_indices();
        while let Some((at, c)) = characters.next() {
            if c == '\\' {
                end = characters
                    .next()
                    .map_or(self.rest.len(), |(at, c)| at + c.len_utf8());
            } else if is_of_word(c) {
                end = at + c.len_utf8();
            } else if c == ' ' && is_in_escape(&self.rest[..at]) {
                // The blank ends an escape and belongs to it.
                end = at + 1;
            } else {
                break;
            }
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then(|| unescaped(word))
    }

    fn attribute(&mut self) -> Option<AttributeTest> {
        let (inner, rest) = self.rest.strip_prefix('[')?.split_once(']')?;
        self.rest = rest;
        let Some((name, value)) = inner.split_once('=') else {
            return Some(AttributeTest {
                name: unescaped(inner.trim()).to_lowercase(),
                operator: ' ',
                value: String::new(),
            });
        };
        let name = name.trim();
        let bare = name.trim_end_matches(['~', '^', '$', '*', '|']);
        let operator = name[bare.len()..].chars().next().unwrap_or('=');
        let value = value.trim();
        // `[name="value" i]`
        let value = ['"', '\'']
            .iter()
            .find_map(|quote| value.strip_prefix(*quote)?.split_once(*quote))
            .map_or(value, |(value, _)| value);
        Some(AttributeTest {
            name: unescaped(bare.trim()).to_lowercase(),
            operator,
            value: unescaped(value).to_lowercase(),
        })
    }

    /// What a colon begins; none where the whole selector is for no element.
    fn pseudo(&mut self, of: &mut Compound) -> Option<()> {
        self.rest = self.rest.strip_prefix(':')?;
        let name = self.word()?.to_lowercase();
        let list = if self.rest.starts_with('(') {
            Some(self.bracketed()?)
        } else {
            None
        };
        match (name.as_str(), list) {
            ("is" | "where" | "matches" | "-webkit-any" | "-moz-any", Some(list)) => {
                of.any.push(self.compounds(list)?);
            }
            ("not", Some(list)) => of.none.extend(self.compounds(list)?),
            ("nth-child", Some(list)) => match list.trim() {
                "n" => {}
                "1" => of.is_first = true,
                _ => return None,
            },
            ("root", None) => of.is_root = true,
            ("first-child", None) => of.is_first = true,
            ("link" | "any-link", None) => of.is_link = true,
            ("defined" | "enabled", None) => {}
            (state, _) if STATES.contains(&state) => of.is_never = true,
            _ => return None,
        }
        Some(())
    }

    /// What stands in the brackets that begin here; none where they are left open.
    fn bracketed(&mut self) -> Option<&'a str> {
        let inside = self.rest.strip_prefix('(')?;
        let end = super::closing_bracket(inside)?;
        self.rest = &inside[end + 1..];
        Some(&inside[..end])
    }

    /// A list of compounds; none where one of them has a context.
    fn compounds(&self, list: &'a str) -> Option<Vec<Compound>> {
        if self.depth >= DEEPEST {
            return None;
        }
        super::split_outside(list, ',')
            .into_iter()
            .map(|text| {
                let mut reader = Reader {
                    rest: text.trim(),
                    depth: self.depth + 1,
                };
                let compound = reader.compound()?;
                reader.rest.is_empty().then_some(compound)
            })
            .collect()
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '\\') || !c.is_ascii()
}

/// Whether a word ends with an escape by a number.
fn is_in_escape(word: &str) -> bool {
    word.rsplit_once('\\').is_some_and(|(_, digits)| {
        (1..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}
