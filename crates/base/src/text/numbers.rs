//! Number words become digits, in English and Chinese. Part of the normalisation that error rates
//! are measured after.

/// `words` (lower case, no punctuation) with spoken numbers written in digits.
pub fn english_numbers(words: &[&str]) -> Vec<String> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let rest = &words[at..];
        if let Some((text, used)) = number(rest) {
            let (text, suffix) = with_unit(&text, &rest[used..]);
            out.push(text);
            at += used + suffix;
        } else {
            out.push(rest[0].to_owned());
            at += 1;
        }
    }
    out
}

/// Whether a word in lower case, or a Han character, is a cardinal number or a part of one.
pub fn is_cardinal(word: &str) -> bool {
    let mut chars = word.chars();
    let alone = |c: char| chinese_digit(c).or(chinese_unit(c)).is_some();
    small(word).or(scale(word)).is_some()
        || chars.next().is_some_and(alone) && chars.next().is_none()
}

/// A number's text together with the unit that is spoken after it, and how many words the unit has.
fn with_unit(number: &str, after: &[&str]) -> (String, usize) {
    let plain = number.ends_with(|c: char| c.is_ascii_digit());
    match after {
        ["percent" | "%", ..] if plain => (format!("{number}%"), 1),
        ["per", "cent", ..] if plain => (format!("{number}%"), 2),
        ["dollar" | "dollars", ..] if plain && !number.starts_with('$') => {
            (format!("${number}"), 1)
        }
        _ => (number.to_owned(), 0),
    }
}

/// The number that `words` begin with, written in digits, and how many words it has.
fn number(words: &[&str]) -> Option<(String, usize)> {
    let (value, used, whole) = cardinal(words)?;
    if let Some((digits, more)) = decimals(&words[used..]).filter(|_| whole) {
        return Some((format!("{value}.{digits}"), used + more));
    }
    let ending = words.get(used).copied().unwrap_or_default();
    let is_open = whole && is_spoken(words);
    if let Some((value, more)) = completed(value, &words[used..]).filter(|_| is_open) {
        return Some((ordinal_text(value), used + more));
    }
    if let Some(decade) = decade(ending).filter(|_| whole && (10..100).contains(&value)) {
        return Some((format!("{}s", value * 100 + decade), used + 1));
    }
    Some((spell(value, words, used), used))
}

fn is_spoken(words: &[&str]) -> bool {
    words
        .first()
        .is_some_and(|word| !word.starts_with(|c: char| c.is_ascii_digit() || c == '$'))
}

/// The cardinal `value` made whole by the ordinal after it, and how many words that has: "twenty
/// first", "one hundred and twelfth", "three hundredth".
fn completed(value: u64, after: &[&str]) -> Option<(u64, usize)> {
    match after {
        ["and", word, ..] if value > 0 && value.is_multiple_of(100) => {
            let last = ordinal(word).filter(|last| *last < 100)?;
            Some((value.checked_add(last)?, 2))
        }
        [word, ..] => {
            let last = ordinal(word)?;
            let sum = value.checked_add(last).filter(|_| fits(value, last));
            Some((sum.or_else(|| multiplied(value, last))?, 1))
        }
        [] => None,
    }
}

/// "One thousand two" and "hundredth": of the value only the last figures are multiplied.
fn multiplied(value: u64, factor: u64) -> Option<u64> {
    let (room, group) = match factor {
        100 => (100, 100),
        1_000.. => (1_000, factor.checked_mul(1_000)?),
        _ => return None,
    };
    let counted = value % group;
    let product = counted.checked_mul(factor)?;
    ((1..room).contains(&counted)).then(|| value - counted + product)
}

/// Ordinals and decades that stand alone come through `cardinal` with their own spelling.
fn spell(value: u64, words: &[&str], used: usize) -> String {
    match words {
        [word, ..] if used == 1 && ordinal(word).is_some() => ordinal_text(value),
        [word, ..] if used == 1 && decade(word).is_some() => format!("{value}s"),
        [word, ..] if used == 1 && word.starts_with(|c: char| c.is_ascii_digit() || c == '$') => {
            (*word).to_owned()
        }
        _ => value.to_string(),
    }
}

/// Whether `last` can follow `value` in one number: "twenty" + "one", "two hundred" + "five", not
/// "five" + "one".
fn fits(value: u64, last: u64) -> bool {
    let room = if value.is_multiple_of(1000) {
        1000
    } else if value.is_multiple_of(100) {
        100
    } else if value.is_multiple_of(10) && value % 100 >= 20 {
        10
    } else {
        0
    };
    value > 0 && last > 0 && last < room
}

/// Value, number of words, and whether it is a plain whole number that more words may complete.
fn cardinal(words: &[&str]) -> Option<(u64, usize, bool)> {
    let first = *words.first()?;
    if let Some(value) = ordinal(first).or_else(|| decade(first)) {
        return Some((value, 1, false));
    }
    if let Some((value, used)) = literal(words) {
        return Some((value, used, first.bytes().all(|b| b.is_ascii_digit())));
    }
    let (mut total, mut group, mut used) = (0u64, None::<u64>, 0usize);
    let article = first == "a" && words.get(1).is_some_and(|w| scale(w).is_some());
    if article {
        (group, used) = (Some(1), 1);
    }
    while let Some(&word) = words.get(used) {
        if let Some(value) = small(word) {
            match group {
                None => group = Some(value),
                Some(so_far) if fits(so_far, value) => group = Some(so_far + value),
                // "nineteen fifty", "twenty twenty": a year in two halves.
                Some(so_far)
                    if total == 0
                        && used == 1
                        && (10..100).contains(&so_far)
                        && (10..100).contains(&value) =>
                {
                    group = Some(so_far * 100 + value);
                }
                Some(_) => break,
            }
            used += 1;
        } else if let Some(year) = spoken_zero(&words[used..]).filter(|_| total == 0 && used == 1)
            && let Some(century) = group.filter(|group| (10..100).contains(group))
        {
            (group, used) = (Some(century * 100 + year), used + 2);
        } else if let (Some(factor), Some(so_far)) = (scale(word), group) {
            if factor == 100 {
                if so_far >= 100 {
                    break;
                }
                group = Some(so_far * 100);
            } else {
                let product = so_far.checked_mul(factor);
                // What is too large for a number is several of them.
                let Some(sum) = product.and_then(|product| total.checked_add(product)) else {
                    break;
                };
                (total, group) = (sum, None);
            }
            used += 1;
        } else if word == "and" && (total > 0 || group.is_some_and(|g| g % 100 == 0 && g > 0)) {
            // "and" joins only what the number before it has room for.
            let joined = words
                .get(used + 1)
                .and_then(|w| small(w))
                .filter(|v| *v > 0 && *v < 100);
            if joined.is_none() || group.is_some_and(|g| g % 100 != 0) {
                break;
            }
            used += 1;
        } else {
            break;
        }
    }
    let value = total.checked_add(group.unwrap_or(0))?;
    (used > usize::from(article)).then_some((value, used, true))
}

/// The last figure of a year such as "nineteen oh two".
fn spoken_zero(words: &[&str]) -> Option<u64> {
    let [zero, figure, ..] = words else {
        return None;
    };
    small(figure).filter(|figure| ["oh", "o"].contains(zero) && (1..10).contains(figure))
}

/// A number in digits, multiplied by the words after it: `5 million`, `2.5 million`, `11 hundred`.
fn literal(words: &[&str]) -> Option<(u64, usize)> {
    let first = *words.first()?;
    if !first.starts_with(|c: char| c.is_ascii_digit() || c == '$') {
        return None;
    }
    let plain = first.parse::<f64>().ok();
    if let (Some(value), Some(factor)) = (plain, words.get(1).and_then(|w| scale(w))) {
        let product = value * factor as f64;
        if product.fract().abs() < 1e-6 && product < 1e15 {
            return Some((product.round() as u64, 2));
        }
    }
    // Anything else that begins with a digit stays as it is written.
    Some((first.parse().unwrap_or(0), 1))
}

/// The digits after "point".
fn decimals(words: &[&str]) -> Option<(String, usize)> {
    if words.first() != Some(&"point") {
        return None;
    }
    let digits: Vec<String> = words[1..]
        .iter()
        .map_while(|w| small(w).filter(|v| *v < 10))
        .map(|v| v.to_string())
        .collect();
    if !digits.is_empty() {
        return Some((digits.concat(), digits.len() + 1));
    }
    let (value, used, _) = cardinal(&words[1..])?;
    Some((value.to_string(), used + 1))
}

fn small(word: &str) -> Option<u64> {
    const UNITS: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 8] = [
        "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    ];
    let unit = UNITS.iter().position(|u| *u == word);
    let ten = TENS.iter().position(|t| *t == word);
    unit.map(|u| u as u64).or(ten.map(|t| (t as u64 + 2) * 10))
}

fn scale(word: &str) -> Option<u64> {
    match word {
        "hundred" => Some(100),
        "thousand" => Some(1_000),
        "million" => Some(1_000_000),
        "billion" => Some(1_000_000_000),
        "trillion" => Some(1_000_000_000_000),
        _ => None,
    }
}

fn scale_of_ordinal(word: &str) -> Option<u64> {
    scale(word.strip_suffix("th")?)
}

fn ordinal(word: &str) -> Option<u64> {
    match word {
        "first" => Some(1),
        "second" => Some(2),
        "third" => Some(3),
        "fifth" => Some(5),
        "eighth" => Some(8),
        "ninth" => Some(9),
        "twelfth" => Some(12),
        _ => scale_of_ordinal(word).or_else(|| {
            let stem = word.strip_suffix("ieth").map(|s| format!("{s}y"));
            let stem = stem.or_else(|| word.strip_suffix("th").map(str::to_owned))?;
            small(&stem).filter(|&v| v > 0)
        }),
    }
}

fn ordinal_text(value: u64) -> String {
    let suffix = match (value % 10, value % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{value}{suffix}")
}

fn decade(word: &str) -> Option<u64> {
    let stem = word.strip_suffix("ies").map(|s| format!("{s}y"))?;
    small(&stem).filter(|v| *v >= 20)
}

/// `text` with Chinese number words written in digits. A unit without a number before it (`万一`) is
/// a word, except `十`.
pub fn chinese_numbers(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let rest = &chars[at..];
        if let Some((value, used)) = rest
            .strip_prefix(&['百', '分', '之'])
            .and_then(chinese_decimal)
        {
            out.push_str(&value);
            out.push('%');
            at += 3 + used;
        } else if let Some((value, used)) = digits_with_unit(rest) {
            out.push_str(&value);
            at += used;
        } else if let Some((value, used)) = chinese_decimal(rest) {
            out.push_str(&value);
            at += used;
        } else {
            let word = chinese_run(rest).max(1);
            out.extend(&rest[..word]);
            at += word;
        }
    }
    out
}

/// Digits with a unit, such as `400万` or `1.2亿`, as one number.
fn digits_with_unit(chars: &[char]) -> Option<(String, usize)> {
    let digits = chars
        .iter()
        .take_while(|c| c.is_ascii_digit() || **c == '.')
        .count();
    let number: String = chars[..digits].iter().collect();
    let (whole, part) = number.split_once('.').unwrap_or((&number, ""));
    let unit = chars
        .get(digits)
        .copied()
        .and_then(chinese_unit)
        .filter(|unit| *unit >= 10_000)?;
    // Whole numbers only: the decimal point is moved by as many places as the unit has.
    let scaled: u64 = format!("{whole}{part}").parse().ok()?;
    let unit = unit
        .checked_div(10_u64.checked_pow(u32::try_from(part.len()).ok()?)?)
        .filter(|unit| *unit > 0)?;
    Some((scaled.checked_mul(unit)?.to_string(), digits + 1))
}

/// How many characters of number words `chars` begin with.
fn chinese_run(chars: &[char]) -> usize {
    chars
        .iter()
        .take_while(|c| chinese_digit(**c).is_some() || chinese_unit(**c).is_some())
        .count()
}

fn chinese_decimal(chars: &[char]) -> Option<(String, usize)> {
    let (whole, used) = chinese_whole(chars)?;
    if chars.get(used) != Some(&'点') {
        return Some((whole, used));
    }
    let digits: String = chars[used + 1..]
        .iter()
        .map_while(|c| chinese_digit(*c))
        .map(|d| d.to_string())
        .collect();
    if digits.is_empty() {
        return Some((whole, used));
    }
    let more = digits.len() + 1;
    Some((format!("{whole}.{digits}"), used + more))
}

fn chinese_whole(chars: &[char]) -> Option<(String, usize)> {
    let used = chinese_run(chars);
    let run = &chars[..used];
    let first = *run.first()?;
    if chinese_unit(first).is_some_and(|unit| unit != 10) {
        return None;
    }
    if run.iter().all(|c| chinese_digit(*c).is_some()) {
        return Some((
            run.iter()
                .filter_map(|c| chinese_digit(*c))
                .map(|d| d.to_string())
                .collect(),
            used,
        ));
    }
    let (mut total, mut section, mut digit) = (0u64, 0u64, None::<u64>);
    for c in run {
        if let Some(value) = chinese_digit(*c) {
            digit = Some(value);
            continue;
        }
        let unit = chinese_unit(*c)?;
        if unit >= 10_000 {
            total = (total + section + digit.unwrap_or(0)).checked_mul(unit)?;
            section = 0;
        } else {
            section += digit.unwrap_or(u64::from(unit == 10)) * unit;
        }
        digit = None;
    }
    Some(((total + section + digit.unwrap_or(0)).to_string(), used))
}

fn chinese_digit(c: char) -> Option<u64> {
    match c {
        '两' => Some(2),
        '〇' => Some(0),
        _ => "零一二三四五六七八九"
            .chars()
            .position(|d| d == c)
            .map(|d| d as u64),
    }
}

fn chinese_unit(c: char) -> Option<u64> {
    match c {
        '十' => Some(10),
        '百' => Some(100),
        '千' => Some(1_000),
        '万' => Some(10_000),
        '亿' => Some(100_000_000),
        _ => None,
    }
}
