//! Marks of citations in a text: numbers in brackets.

/// The most digits of a number; longer ones are years or no marks.
const MOST_DIGITS: usize = 3;

/// Marks with their offsets in characters: `[3]`, `\[3\]`, each number of `[3, 4]`. A label of a
/// link is a mark, too, since references are often written so.
pub fn marks(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    // Numbers since the last bracket that may be a group of marks; none outside of one.
    let mut group: Option<Group> = None;
    for (offset, character) in text.chars().enumerate() {
        match character {
            '[' => group = Some(Group::new(offset)),
            ']' => found.extend(group.take().into_iter().flat_map(Group::numbers)),
            other => {
                if group.as_mut().is_some_and(|open| !open.take(other)) {
                    group = None;
                }
            }
        }
    }
    found
}

/// Numbers inside brackets.
struct Group {
    offset: usize,
    numbers: Vec<String>,
}

impl Group {
    fn new(offset: usize) -> Self {
        let numbers = vec![String::new()];
        Self { offset, numbers }
    }

    /// Takes a character, unless it cannot stand in a group of marks.
    fn take(&mut self, character: char) -> bool {
        let Some(last) = self.numbers.last_mut() else {
            return false;
        };
        match character {
            '0'..='9' if last.len() < MOST_DIGITS => last.push(character),
            ',' | '，' if !last.is_empty() => self.numbers.push(String::new()),
            ' ' | '\\' => {}
            _ => return false,
        }
        true
    }

    fn numbers(self) -> impl Iterator<Item = (usize, String)> {
        let whole = self.numbers.iter().all(|number| !number.is_empty());
        let offset = self.offset;
        let numbers = self.numbers.into_iter().filter(move |_| whole);
        numbers.map(move |number| (offset, number))
    }
}
