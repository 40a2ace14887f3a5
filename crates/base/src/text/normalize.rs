//! One normalisation for comparing what was said, however it was written: case, punctuation, width,
//! Chinese script and numbers are folded. It is for measuring and matching only; transcripts keep
//! their own writing.
//!
//! In this order:
//! 1. Unicode NFKC (full-width forms become plain), lower case, traditional Chinese to simplified.
//! 2. Apostrophes go (`it's` → `its`), `%` and `$` stay beside their numbers, decimal points and
//!    thousands' commas inside numbers are read, all other punctuation separates words.
//! 3. English number words become digits: cardinals (`four thousand` → `4000`), decimals (`zero
//!    point eight nine` → `0.89`), ordinals (`nineteenth` → `19th`), years and decades (`nineteen
//!    fifties` → `1950s`), `percent` → `%`, `twelve dollars` → `$12`.
//! 4. Chinese number words become digits: `六百` → `600`, `百分之五十二` → `52%`, `零点八九` → `0.89`.
//! 5. A few titles are written out (`dr` → `doctor`).

use unicode_normalization::UnicodeNormalization;

use super::{
    numbers::{chinese_numbers, english_numbers},
    script::simplified,
};

/// The normal form: words separated by single spaces.
pub fn normalize(text: &str) -> String {
    words(text).join(" ")
}

/// The words of the normal form. Han text without spaces is one word.
pub fn words(text: &str) -> Vec<String> {
    let folded: String = text.nfkc().flat_map(char::to_lowercase).collect();
    let plain = separate(&simplified(&folded));
    let numbered = chinese_numbers(&plain);
    let words: Vec<&str> = numbered.split_whitespace().collect();
    english_numbers(&words)
        .into_iter()
        .map(|w| title(&w).map_or(w, str::to_owned))
        .collect()
}

/// The characters of the normal form, without spaces.
pub fn characters(text: &str) -> Vec<char> {
    words(text).iter().flat_map(|w| w.chars()).collect()
}

/// Punctuation becomes space, except where it belongs to a number.
fn separate(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    for (i, &c) in chars.iter().enumerate() {
        let digit = |at: Option<usize>| {
            at.and_then(|at| chars.get(at))
                .is_some_and(char::is_ascii_digit)
        };
        let (before, after) = (digit(i.checked_sub(1)), digit(Some(i + 1)));
        match c {
            '\'' | '’' | '‘' => {}
            '.' if before && after => out.push('.'),
            ',' if before && after => {}
            '%' => out.push_str(" % "),
            '$' if after => out.push('$'),
            c if c.is_alphanumeric() => out.push(c),
            _ => out.push(' '),
        }
    }
    out
}

fn title(word: &str) -> Option<&'static str> {
    match word {
        "dr" => Some("doctor"),
        "prof" => Some("professor"),
        "mr" => Some("mister"),
        "mrs" => Some("missus"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        assert_eq!(normalize(text), expect, "{text}");
    }

    #[test]
    fn case_width_and_punctuation() {
        check("Good afternoon, everyone!", "good afternoon everyone");
        check("It's held-out — isn’t it?", "its held out isnt it");
        check("ＡＢＣ　１２％", "abc 12%");
        check(
            "Dr. Marsh and Prof. Ortiz",
            "doctor marsh and professor ortiz",
        );
        check("", "");
        check("...", "");
    }

    #[test]
    fn english_numbers() {
        check("Roughly four thousand logbooks", "roughly 4000 logbooks");
        check("4,000 and 4000", "4000 and 4000");
        check("eighty one percent, 81 % and 81%", "81% 81% and 81%");
        check("eighty-six per cent", "86%");
        check("zero point eight nine", "0.89");
        check("0.89.", "0.89");
        check("more than five million", "more than 5000000");
        check("5 million", "5000000");
        check("2.5 million", "2500000");
        check("two hundred and five pages", "205 pages");
        check("one hundred twenty three thousand four hundred", "123400");
        check(
            "eleven hundred hours, 11 hundred hours",
            "1100 hours 1100 hours",
        );
        check("a hundred years", "100 years");
        check("two or three", "2 or 3");
        check("forty and fifty", "40 and 50");
        check(
            "twelve dollars, a twelve dollar microphone, $12",
            "$12 a $12 microphone $12",
        );
        check("one two three", "1 2 3");
        check("point by point", "point by point");
        check("hundreds of them", "hundreds of them");
    }

    #[test]
    fn ordinals_years_and_decades() {
        check("the nineteenth century", "the 19th century");
        check("the 19th century", "the 19th century");
        check("twenty first", "21st");
        check("the first, second and third", "the 1st 2nd and 3rd");
        check("nineteen fifty", "1950");
        check("nineteen fifties and the 1950s", "1950s and the 1950s");
        check("in the fifties", "in the 50s");
        check("twenty twenty six", "2026");
        check("two thousand and six", "2006");
    }

    #[test]
    fn ordinals_and_years_of_several_words() {
        check("one hundred and twentieth", "120th");
        check("the one hundred and twenty-third", "the 123rd");
        check("for a hundred and first time", "for 101st time");
        check(
            "the two hundredth and the three thousandth",
            "the 200th and the 3000th",
        );
        check("one thousand two hundredth", "1200th");
        check("two million three hundred thousandth", "2300000th");
        check("nineteen oh-two, twenty oh five", "1902 2005");
        check("eighteen o seven and oh one", "1807 and oh 1");
        check("in 100 first and 20 second", "in 100 1st and 20 2nd");
        check("nine hundred and nothing", "900 and nothing");
        check("two trillion", "2000000000000");
    }

    #[test]
    fn chinese() {
        check("我們收集了六百小時，", "我们收集了600小时");
        check("百分之五十二", "52%");
        check("提高到了 52%", "提高到了 52%");
        check("一千零五十", "1050");
        check("三万五千", "35000");
        check("把400万条和1.2亿条分开", "把4000000条和120000000条分开");
        check("1.11万，16.38万", "11100 163800");
        check("两亿", "200000000");
        check("零点八九", "0.89");
        check("二〇二六年", "2026年");
        check("十二个", "12个");
        check("万一千万别", "万一千万别");
        assert_eq!(characters("六百 小时"), ['6', '0', '0', '小', '时']);
    }
}
