//! The marks of citations in running text, in one pass. Hides the precedence of notations.

use std::ops::Range;

use super::{
    Style,
    author_year::{self, Certainty, Work},
    bare,
    index::Index,
    links, numbers,
    openings::Kind,
    openings::named,
    steps,
};

/// Most characters of a link's text that stands for an entry.
const LONGEST_TEXT: usize = 500;

/// A mark and its place in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub range: Range<usize>,
    pub what: What,
}

/// What a mark is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A link with its text and its address.
    Link {
        text: Range<usize>,
        target: Range<usize>,
    },
    /// Text in brackets that leads to an entry.
    Label {
        text: Range<usize>,
        entry: usize,
        style: Style,
    },
    /// One or several numbers; raised ones may be something else.
    Numbers { numbers: Vec<u32>, raised: bool },
    /// The label of a footnote.
    Footnote(String),
    /// Works by author and year.
    Works(Vec<Work>),
    /// An address.
    Bare(Range<usize>),
    /// An image, which cites nothing.
    Image,
}

struct Scan<'a> {
    text: &'a str,
    index: &'a Index,
    /// The square brackets that belong together.
    pairs: Vec<(usize, usize)>,
    /// Where `](` stands.
    targets: Vec<usize>,
}

/// The marks of a text in order. Only what cites by author and year may have others in its
/// brackets.
pub(super) fn scan(text: &str, index: &Index) -> Vec<Mark> {
    let targets = text
        .match_indices(']')
        .map(|(at, _)| at)
        .filter(|at| text[at + 1..].starts_with(['(', '（']))
        .collect();
    let scan = Scan {
        text,
        index,
        pairs: links::pairs(text),
        targets,
    };
    let mut marks: Vec<Mark> = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        steps::add(1);
        let free_from = marks.last().map_or(0, |mark| mark.range.end.min(at));
        let found = scan.mark(c, at, free_from);
        let past = found
            .as_ref()
            // Within `(see [1]; Smith, 2020)` there are further marks: the bracket is not skipped.
            .filter(|mark| !matches!(mark.what, What::Works(_)))
            .map(|mark| mark.range.end);
        at = past.unwrap_or(0).max(at + c.len_utf8());
        marks.extend(found);
    }
    marks
}

impl Scan<'_> {
    /// The mark that the character at `at` begins or, for authors before their year, completes.
    fn mark(&self, c: char, at: usize, free_from: usize) -> Option<Mark> {
        match c {
            '!' => self.image(at),
            '[' => self.square(at),
            '【' | '［' | '\\' => self.numbered(at),
            '<' => self.angled(at),
            '^' => self.raised(at),
            '(' | '（' => self.round(at, c, free_from),
            'h' | 'H' | 'w' | 'W' | 'd' | 'D' | 'a' | 'A' => self.bare(at),
            _ if numbers::figure(c).is_some() => self.superscript(at),
            _ => None,
        }
    }

    fn closing(&self, open: usize) -> Option<usize> {
        let place = self.pairs.binary_search_by_key(&open, |pair| pair.0).ok()?;
        Some(self.pairs[place].1)
    }

    fn image(&self, at: usize) -> Option<Mark> {
        let close = self.closing(at + 1)?;
        let rest = &self.text[close + 1..];
        let labelled = || {
            rest.strip_prefix('[')
                .and_then(named)
                .map(|(_, after)| self.text.len() - after.len())
        };
        let end = links::destination(self.text, close + 1)
            .map(|(_, end)| end)
            .or_else(labelled)
            .unwrap_or(close + 1);
        Some(Mark {
            range: at..end,
            what: What::Image,
        })
    }

    fn square(&self, at: usize) -> Option<Mark> {
        let found = self
            .link(at)
            .or_else(|| self.footnote(at))
            .or_else(|| self.numbered(at));
        found
            .or_else(|| self.labelled(at))
            .or_else(|| self.works_in_square(at))
    }

    /// `[text](address)`; a link in the text wins over the one around it.
    fn link(&self, at: usize) -> Option<Mark> {
        let close = self.closing(at)?;
        let inner = self.targets.partition_point(|&target| target <= at);
        if self.targets.get(inner) != Some(&close) && !self.is_image_link(at, close, inner) {
            return None;
        }
        let (target, end) = links::destination(self.text, close + 1)?;
        let address = &self.text[target.clone()];
        match numbers::only(&self.text[at + 1..close]) {
            Some(numbers)
                // A link to an anchor of the list is the mark that it looks like.
                if address.starts_with('#') && self.index.number(numbers[0]).is_some() =>
            {
                Some(Mark {
                    range: at..end,
                    what: What::Numbers {
                        numbers,
                        raised: false,
                    },
                })
            }
            // `[2](3)` is arithmetic or a footnote's mark with a page, and no link.
            Some(_) if !address.contains(['.', '/', ':', '#']) => None,
            _ => Some(Mark {
                range: at..end,
                what: What::Link {
                    text: at + 1..close,
                    target,
                },
            }),
        }
    }

    /// `[![text](image)](address)`
    fn is_image_link(&self, at: usize, close: usize, inner: usize) -> bool {
        self.text[at + 1..].starts_with("![")
            && self.targets.get(inner + 1) == Some(&close)
            && self.closing(at + 2) == self.targets.get(inner).copied()
    }

    /// `[^1]`, `[^1^]`, and `[^1^][1]`, which is one mark.
    fn footnote(&self, at: usize) -> Option<Mark> {
        let (inner, rest) = named(self.text[at..].strip_prefix("[^")?)?;
        let label = inner.trim_matches('^');
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
        let again = rest
            .strip_prefix('[')
            .and_then(named)
            .filter(|(again, _)| label.len() < inner.len() && *again == label);
        let range = at..self.text.len() - again.map_or(rest, |(_, rest)| rest).len();
        let well_formed = !label.is_empty() && label.chars().all(plain);
        well_formed.then(|| Mark {
            range,
            what: What::Footnote(label.to_owned()),
        })
    }

    fn numbered(&self, at: usize) -> Option<Mark> {
        let (numbers, length) = numbers::bracketed(&self.text[at..])?;
        Some(Mark {
            range: at..at + length,
            what: What::Numbers {
                numbers,
                raised: false,
            },
        })
    }

    /// `[text][label]`, `[label][]`, `[label]`
    fn labelled(&self, at: usize) -> Option<Mark> {
        let close = self
            .closing(at)
            .filter(|close| close - at <= LONGEST_TEXT)?;
        let text = &self.text[at + 1..close];
        steps::add(text.len());
        let label = self.text[close + 1..].strip_prefix('[').and_then(|rest| {
            let empty = rest.strip_prefix(']').map(|rest| (text, rest));
            empty.or_else(|| named(rest))
        });
        let (label, end) = label.map_or((text, close + 1), |(label, rest)| {
            (label, self.text.len() - rest.len())
        });
        let found = |label: &str| self.index.label(label).filter(|_| !text.contains('['));
        let ((kind, entry), end) = found(label)
            .map(|found| (found, end))
            .or_else(|| Some((found(text)?, close + 1)))?;
        let style = if end == close + 1 && kind == Kind::Listed {
            Style::Numbered
        } else {
            Style::Link
        };
        Some(Mark {
            range: at..end,
            what: What::Label {
                text: at + 1..close,
                entry,
                style,
            },
        })
    }

    fn works_in_square(&self, at: usize) -> Option<Mark> {
        let close = self
            .closing(at)
            .filter(|close| close - at <= LONGEST_TEXT)?;
        steps::add(close - at);
        let works = author_year::parenthesis(&self.text[at + 1..close]);
        (!works.is_empty()).then_some(Mark {
            range: at..close + 1,
            what: What::Works(works),
        })
    }

    /// `<https://…>`, `<sup>1</sup>`, `<img …>`
    fn angled(&self, at: usize) -> Option<Mark> {
        if let Some(mark) = self.raised(at) {
            return Some(mark);
        }
        let (inner, end) = links::angled(self.text, at)?;
        let text = &self.text[inner.clone()];
        let tag = text
            .get(..4)
            .is_some_and(|tag| tag.eq_ignore_ascii_case("img "));
        let link = !text.contains(char::is_whitespace) && bare::at(text, 0).is_some();
        match () {
            () if tag => Some(Mark {
                range: at..end,
                what: What::Image,
            }),
            () if link => Some(Mark {
                range: inner.clone(),
                what: What::Bare(inner),
            }),
            () => None,
        }
    }

    fn raised(&self, at: usize) -> Option<Mark> {
        let (numbers, end) = numbers::raised(self.text, at)?;
        Some(Mark {
            range: at..end,
            what: What::Numbers {
                numbers,
                raised: true,
            },
        })
    }

    /// `¹²`: entry 12 where there is one, else entries 1 and 2.
    fn superscript(&self, at: usize) -> Option<Mark> {
        let mut mark = self.raised(at)?;
        let figures: Vec<u32> = self.text[mark.range.clone()]
            .chars()
            .map_while(numbers::figure)
            .collect();
        let known = |number: &u32| self.index.number(*number).is_some();
        if let What::Numbers { numbers, .. } = &mut mark.what
            && matches!(numbers[..], [number] if !known(&number))
            && figures.iter().all(known)
        {
            *numbers = figures;
        }
        Some(mark)
    }

    fn bare(&self, at: usize) -> Option<Mark> {
        let range = bare::at(self.text, at)?;
        Some(Mark {
            range: range.clone(),
            what: What::Bare(range),
        })
    }

    /// `(Smith, 2020)`, and `Smith (2020)`, which begins before `at`.
    fn round(&self, at: usize, open: char, free_from: usize) -> Option<Mark> {
        let start = at + open.len_utf8();
        let length = author_year::inner(&self.text[start..])?;
        let inner = &self.text[start..start + length];
        let close = self.text[start + length..]
            .chars()
            .next()
            .map_or(0, char::len_utf8);
        let end = start + length + close;
        let works = author_year::parenthesis(inner);
        if !works.is_empty() {
            return Some(Mark {
                range: at..end,
                what: What::Works(works),
            });
        }
        let years = author_year::year_list(inner)?;
        let before = &self.text[free_from..at];
        let (start, sure) = author_year::named_before(before).or_else(|| {
            let run = author_year::han_before(before);
            let start = self
                .index
                .authors
                .han_author(&before[run.clone()], &years[0])?;
            Some((run.start + start, Certainty::Low))
        })?;
        let authors = before[start..].trim_end();
        let works = years
            .into_iter()
            .map(|year| Work {
                authors: authors.to_owned(),
                year,
                sure,
            })
            .collect();
        Some(Mark {
            range: free_from + start..end,
            what: What::Works(works),
        })
    }
}
