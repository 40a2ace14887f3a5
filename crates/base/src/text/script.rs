//! Chinese characters, and Chinese in one script: traditional characters become simplified ones, by the phrase where a
//! character has several simplified forms (`乾`, `瞭`). Hides the dictionaries, which are those of
//! `OpenCC`.

use std::{borrow::Cow, sync::LazyLock};

use ferrous_opencc::{OpenCC, config::BuiltinConfig};

/// The dictionaries are part of the program: reading them cannot fail.
static OPENCC: LazyLock<Option<OpenCC>> =
    LazyLock::new(|| OpenCC::from_config(BuiltinConfig::T2s).ok());

/// Whether `c` is a Han character.
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// A text in simplified script.
pub fn simplified(text: &str) -> Cow<'_, str> {
    // Most texts have nothing to convert, and this is asked for each of their words.
    let opencc = OPENCC.as_ref().filter(|_| text.contains(is_han));
    opencc.map_or(Cow::Borrowed(text), |opencc| {
        Cow::Owned(opencc.convert(text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        assert_eq!(simplified(text), expect, "{text}");
    }

    #[test]
    fn traditional_becomes_simplified() {
        check("土壤濕度感測器的校準", "土壤湿度感测器的校准");
        check("土壤湿度传感器", "土壤湿度传感器");
        check("Soil, 2.5 %", "Soil, 2.5 %");
        check("", "");
    }

    #[test]
    fn characters_with_several_forms_are_told_by_their_phrase() {
        check("乾燥的乾隆年間", "干燥的乾隆年间");
        check("頭髮發了芽", "头发发了芽");
        check("瞭解與瞭望", "了解与瞭望");
    }
}
