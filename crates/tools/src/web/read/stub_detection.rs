//! Detection of stubs: bot tests, errors with status 200, walls, and shells that only scripts fill.
//! Cues are weighed and named; words alone suffice for a short text and never for a long one, so
//! that an article about such pages is not taken for one.

use url::Url;

use super::{Read, phrases, stub::Stub};
use crate::text::words::{fold, han_count, word_count};

/// Version of the detection, to be raised with every change: stored pages are then decided again.
pub const VERSION: &str = "1";
/// Least score of a stub.
pub const THRESHOLD: f64 = 1.0;

/// A detected stub with the reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Suspicion {
    /// The kind of stub.
    pub stub: Stub,
    /// The sum of the cues' weights, those of the text up to a limit; at least [`THRESHOLD`].
    pub score: f64,
    /// What speaks for it, and what against.
    pub cues: Vec<Cue>,
}

impl Suspicion {
    /// What was seen, for people.
    pub fn message(&self) -> String {
        let cues = self.cues.iter();
        let seen: Vec<String> = cues
            .map(|cue| format!("{:?}: {}", cue.place, cue.seen))
            .collect();
        format!("not the page itself ({})", seen.join("; "))
    }
}

/// One observation.
#[derive(Clone, Debug, PartialEq)]
pub struct Cue {
    /// Where: `status`, `address`, `title`, `text`, `source`, `length`.
    pub place: &'static str,
    /// What was seen there.
    pub seen: String,
    /// Its weight; negative if it indicates a real page.
    pub weight: f64,
}

/// Characters of a text in which phrases are looked for.
const HEAD: usize = 6_000;
/// Words, Chinese counted as 1.7 characters a word, and what a text of at most so many adds to
/// other cues.
const LENGTHS: &[(f64, f64)] = &[(60.0, 0.4), (150.0, 0.2), (300.0, 0.0), (600.0, -0.6)];
/// What a longer text adds.
const LONG: f64 = -1.5;

/// Words up to which a text speaks for itself; a longer one may quote.
const FEW: f64 = 150.0;
/// The most that the phrases of a short text count together …
const SAID: f64 = 1.6;
/// … and those of a longer one.
const QUOTED: f64 = 0.8;

/// Weighs what came from `final_url` with HTTP status `status` when `url` was asked for.
pub fn detect_stub(status: u16, read: &Read, url: &str, final_url: &str) -> Option<Suspicion> {
    let words = words(&read.text);
    let facts: Vec<(Stub, Cue)> = of_status(status)
        .into_iter()
        .chain(of_address(url, final_url))
        .collect();
    let hints: Vec<(Stub, Cue)> = of_title(read)
        .into_iter()
        .chain(of_text(&read.text))
        .chain(of_source(read, words))
        .collect();
    let weighed = |stub: &Stub| {
        weigh(*stub, &facts, &hints, words).filter(|found| found.score >= THRESHOLD - 1e-9)
    };
    let most = STUBS
        .iter()
        .filter_map(weighed)
        .reduce(|best, next| if next.score > best.score { next } else { best });
    // Tests for robots need scripts as well, so a shell is what is nothing else.
    most.or_else(|| weighed(&Stub::Shell))
}

const STUBS: &[Stub] = &[Stub::Blocked, Stub::NotFound, Stub::Wall, Stub::Consent];

/// Facts count as they are; hints together with the length, and never for less than nothing.
fn weigh(
    stub: Stub,
    facts: &[(Stub, Cue)],
    hints: &[(Stub, Cue)],
    words: f64,
) -> Option<Suspicion> {
    let of = |cues: &[(Stub, Cue)]| -> Vec<Cue> {
        cues.iter()
            .filter(|(kind, _)| *kind == stub)
            .map(|(_, cue)| cue.clone())
            .collect()
    };
    let (mut cues, mut hints) = (of(facts), of(hints));
    if !hints.is_empty() {
        hints.push(cue(
            "length",
            format!("{words:.0} words"),
            length_weight(words),
        ));
    }
    let sum = |cues: &[Cue], is: &dyn Fn(&Cue) -> bool| {
        cues.iter().filter(|c| is(c)).map(|c| c.weight).sum::<f64>()
    };
    let said =
        sum(&hints, &|cue| cue.place == "text").min(if words <= FEW { SAID } else { QUOTED });
    let score = sum(&cues, &|_| true) + (said + sum(&hints, &|cue| cue.place != "text")).max(0.0);
    cues.append(&mut hints);
    (!cues.is_empty()).then_some(Suspicion { stub, score, cues })
}

fn cue(place: &'static str, seen: String, weight: f64) -> Cue {
    Cue {
        place,
        seen,
        weight,
    }
}

fn words(text: &str) -> f64 {
    word_count(text) as f64 + han_count(text) as f64 / 1.7
}

fn length_weight(words: f64) -> f64 {
    LENGTHS
        .iter()
        .find(|(most, _)| words <= *most)
        .map_or(LONG, |(_, weight)| *weight)
}

fn of_status(status: u16) -> Option<(Stub, Cue)> {
    let stub = match status {
        404 | 410 => Stub::NotFound,
        401 | 402 | 407 => Stub::Wall,
        400.. => Stub::Blocked,
        _ => return None,
    };
    Some((stub, cue("status", status.to_string(), 2.0)))
}

/// Cues from the redirect.
fn of_address(url: &str, final_url: &str) -> Vec<(Stub, Cue)> {
    let (Ok(asked), Ok(got)) = (Url::parse(url), Url::parse(final_url)) else {
        return Vec::new();
    };
    if (asked.path(), asked.query(), site(&asked)) == (got.path(), got.query(), site(&got)) {
        return Vec::new();
    }
    let root = is_deep(&asked) && is_root(&got) && site(&asked) == site(&got);
    let root = root.then(|| {
        (
            Stub::NotFound,
            cue("address", "sent on to the site's first page".into(), 1.0),
        )
    });
    let path = got.path().to_ascii_lowercase();
    let is_part = |word: &str| {
        path.split('/')
            .any(|part| part.split('.').next() == Some(word))
    };
    let named = PLACES
        .iter()
        .find(|(_, word, _)| is_part(word) && !asked.path().to_ascii_lowercase().contains(word));
    let named = named.map(|(stub, word, weight)| {
        (
            *stub,
            cue("address", format!("sent on to `/{word}`"), *weight),
        )
    });
    root.into_iter().chain(named).collect()
}

fn is_deep(url: &Url) -> bool {
    !is_root(url) || url.query().is_some_and(|query| query.len() >= 3)
}

/// Whether an address is a site's first page, perhaps of one language.
fn is_root(url: &Url) -> bool {
    let mut parts = url.path().split('/').filter(|part| !part.is_empty());
    let first = parts.next().unwrap_or_default().to_ascii_lowercase();
    let language = first.len() == 2 || (first.len() == 5 && first.as_bytes()[2] == b'-');
    let home = [
        "",
        "index.html",
        "index.htm",
        "index.php",
        "home",
        "default.aspx",
    ]
    .contains(&first.as_str());
    (language || home) && parts.next().is_none() && url.query().is_none()
}

fn site(url: &Url) -> &str {
    let host = url.host_str().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host)
}

/// A phrase of the title counts if it is most of what the title says before or after the site's
/// name.
fn of_title(read: &Read) -> Vec<(Stub, Cue)> {
    let title = fold(read.title.as_deref().unwrap_or_default());
    let parts: Vec<&str> = title
        .split(['|', '·', '–', '—', '_'])
        .flat_map(|part| part.split(" - "))
        .map(str::trim)
        .collect();
    let covers = |phrase: &str, part: &&str| {
        part.contains(phrase) && phrase.chars().count() * 2 >= part.chars().count()
    };
    let found = |phrase: &str| parts.iter().any(|part| covers(phrase, part));
    cues("title", phrases::IN_TITLES, found)
}

fn of_text(text: &str) -> Vec<(Stub, Cue)> {
    let head: String = text.chars().take(HEAD).collect();
    let words = fold(&head).replace(['’', '‘'], "'");
    let plain = words.split_whitespace().collect::<Vec<_>>().join(" ");
    cues("text", phrases::IN_TEXTS, |phrase| plain.contains(phrase))
}

fn cues(
    place: &'static str,
    phrases: &[(Stub, f64, &str)],
    found: impl Fn(&str) -> bool,
) -> Vec<(Stub, Cue)> {
    let hit = phrases.iter().filter(|(_, _, phrase)| found(phrase));
    hit.map(|(stub, weight, phrase)| (*stub, cue(place, format!("`{phrase}`"), *weight)))
        .collect()
}

/// Cues from the source; they say little about a page with a text.
fn of_source(read: &Read, words: f64) -> Vec<(Stub, Cue)> {
    let signs = &read.signs;
    let (little, hardly) = (words <= 60.0, words <= 30.0);
    let challenge = signs.challenge.unwrap_or_default();
    [
        (
            signs.challenge.is_some() && words <= 150.0,
            Stub::Blocked,
            0.4,
            challenge,
        ),
        (
            signs.link_share >= 0.6 && words <= 150.0,
            Stub::NotFound,
            0.2,
            "mostly links",
        ),
        (signs.password, Stub::Wall, 0.3, "asks for a password"),
        (signs.paid, Stub::Wall, 0.5, "says that it is not free"),
        (
            read.extractor == "html" && words < 1.0,
            Stub::Shell,
            0.6,
            "no text",
        ),
        (
            signs.wants_scripts && little,
            Stub::Shell,
            0.4,
            "asks for scripts",
        ),
        (
            signs.empty_mount && little,
            Stub::Shell,
            0.5,
            "an empty place for scripts to fill",
        ),
        (
            signs.scripts > 0 && hardly,
            Stub::Shell,
            0.2,
            "scripts and hardly a word",
        ),
    ]
    .into_iter()
    .filter(|(holds, ..)| *holds)
    .map(|(_, stub, weight, seen)| (stub, cue("source", seen.to_owned(), weight)))
    .collect()
}

/// Parts of a path that a reader is sent to instead.
const PLACES: &[(Stub, &str, f64)] = &[
    (Stub::Blocked, "captcha", 0.8),
    (Stub::Blocked, "challenge", 0.7),
    (Stub::Blocked, "blocked", 0.7),
    (Stub::Blocked, "sorry", 0.7),
    (Stub::NotFound, "404", 0.8),
    (Stub::NotFound, "not-found", 0.8),
    (Stub::NotFound, "notfound", 0.8),
    (Stub::NotFound, "pagenotfound", 0.8),
    (Stub::NotFound, "error", 0.6),
    (Stub::Wall, "login", 0.6),
    (Stub::Wall, "signin", 0.6),
    (Stub::Wall, "sign-in", 0.6),
    (Stub::Wall, "sso", 0.5),
    (Stub::Wall, "passport", 0.5),
    (Stub::Consent, "consent", 0.7),
    (Stub::Consent, "cookiewall", 0.8),
];

#[cfg(test)]
#[path = "stub_detection_tests.rs"]
mod tests;
