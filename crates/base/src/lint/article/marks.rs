//! What is another writer's wording or the title of a work: text in quotation marks, and text in
//! italics that begins like a title. A mark without its partner hides nothing.

use std::ops::Range;

/// Longest text between single marks, which are apostrophes, too.
const LONGEST_SINGLE: usize = 120;

/// Marks the characters of a block that are quoted.
pub(super) fn mark(chars: &[char], block: Range<usize>, quoted: &mut [bool]) {
    let mut open: [Option<usize>; 5] = [None; 5];
    let mut at = block.start;
    while at < block.end {
        let run = emphasis(chars, at, block.end);
        let (slot, opens, closes) = side(chars, at, run, &block);
        let fits = |start: &usize| slot != SINGLE || at - start <= LONGEST_SINGLE;
        if let Some(start) = open[slot].filter(|start| closes && fits(start)) {
            if slot != ITALIC || begins_title(&chars[start..at]) {
                quoted[start..at].fill(true);
            }
            open[slot] = None;
        } else if opens && (open[slot].is_none() || slot == SINGLE) {
            open[slot] = Some(at);
        }
        at += run.max(1);
    }
}

const CURLED: usize = 0;
const STRAIGHT: usize = 1;
const SINGLE: usize = 2;
const ANGLED: usize = 3;
const ITALIC: usize = 4;

/// How many marks of emphasis stand in a row.
fn emphasis(chars: &[char], at: usize, end: usize) -> usize {
    let mark = chars[at];
    if !matches!(mark, '*' | '_') {
        return 0;
    }
    chars[at..end].iter().take_while(|c| **c == mark).count()
}

/// Which kind of mark a character is, and whether it may open and close.
fn side(chars: &[char], at: usize, run: usize, block: &Range<usize>) -> (usize, bool, bool) {
    let inner = |at: usize| if block.contains(&at) { chars[at] } else { ' ' };
    let before = at.checked_sub(1).map_or(' ', inner);
    let after = inner(at + run.max(1));
    let opens = !after.is_whitespace() && !before.is_alphanumeric();
    let closes = !before.is_whitespace() && !after.is_alphanumeric();
    match chars[at] {
        '“' | '„' | '「' | '《' => (CURLED, true, false),
        '”' | '」' | '》' => (CURLED, false, true),
        '«' => (ANGLED, true, false),
        '»' => (ANGLED, false, true),
        // Inches and seconds stand behind figures, and open nothing.
        '"' => (STRAIGHT, opens && !before.is_ascii_digit(), closes),
        '‘' => (SINGLE, opens, false),
        '\'' => (SINGLE, opens && before != '"', closes),
        '*' | '_' if matches!(run, 1 | 3) => (ITALIC, opens, closes),
        _ => (ITALIC, false, false),
    }
}

fn begins_title(inner: &[char]) -> bool {
    let first = inner.iter().find(|c| c.is_alphanumeric());
    first.is_some_and(|c| !c.is_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let chars: Vec<char> = text.chars().collect();
        let mut quoted = vec![false; chars.len()];
        mark(&chars, 0..chars.len(), &mut quoted);
        let shown = chars.iter().zip(&quoted);
        let shown: String = shown
            .map(|(c, hidden)| if *hidden { '.' } else { *c })
            .collect();
        assert_eq!(shown, expect, "{text}");
    }

    #[test]
    fn quotations_and_titles_are_marked() {
        check("a “b c” d", "a ....” d");
        check("a \"b c\" d", "a ....\" d");
        check("a 'b c' d", "a ....' d");
        check("a *B c* d", "a ....* d");
        check("a _B c_ d", "a ...._ d");
        check("他说“好”。", "他说..”。");
    }

    #[test]
    fn a_mark_that_is_no_pair_hides_nothing() {
        for text in [
            "a “b c d",
            "a \"b c d",
            "it's the dogs' house",
            "a *very* d",
            "**bold** and a * b",
            "a 5\" pipe and a 6\" pipe",
            "snake_case_names are",
        ] {
            check(text, text);
        }
    }
}
