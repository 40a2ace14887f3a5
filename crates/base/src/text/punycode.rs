//! Punycode (RFC 3492): the letters behind `xn--` in the name of a host.

/// What an address begins with that was encoded.
const PREFIX: &str = "xn--";
/// Bytes of an encoded name at most (RFC 1035, section 2.3.4).
const MOST_BYTES: usize = 63;

const BASE: u32 = 36;
const T_MIN: u32 = 1;
const T_MAX: u32 = 26;

/// The letters of a label such as `xn--bcher-kva`; none where it is not encoded, or broken.
pub fn decoded(label: &str) -> Option<String> {
    let encoded = label.get(..PREFIX.len())?.eq_ignore_ascii_case(PREFIX);
    let rest = &label.get(PREFIX.len()..)?;
    if !encoded || rest.is_empty() || label.len() > MOST_BYTES || !label.is_ascii() {
        return None;
    }
    let (plain, digits) = rest.rsplit_once('-').unwrap_or(("", rest));
    let mut out: Vec<char> = plain.chars().collect();
    let (mut code, mut at, mut bias) = (128_u32, 0_u32, 72_u32);
    let mut bytes = digits.bytes();
    while bytes.len() > 0 {
        let before = at;
        let mut weight = 1_u32;
        let mut k = BASE;
        loop {
            let digit = digit(bytes.next()?)?;
            at = at.checked_add(digit.checked_mul(weight)?)?;
            let threshold = k.saturating_sub(bias).clamp(T_MIN, T_MAX);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(BASE - threshold)?;
            k += BASE;
        }
        let count = out.len() as u32 + 1;
        bias = adapted(at - before, count, before == 0);
        code = code.checked_add(at / count)?;
        at %= count;
        out.insert(at as usize, char::from_u32(code)?);
        at += 1;
    }
    Some(out.into_iter().collect())
}

/// The text with every encoded label in its letters.
pub fn decode_all(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let is_label = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = if is_label(c) {
            rest.find(|c| !is_label(c)).unwrap_or(rest.len())
        } else {
            rest.find(is_label).unwrap_or(rest.len())
        };
        let (piece, after) = rest.split_at(length);
        match decoded(piece) {
            Some(letters) => out.push_str(&letters),
            None => out.push_str(piece),
        }
        rest = after;
    }
    out
}

fn digit(byte: u8) -> Option<u32> {
    match byte {
        b'a'..=b'z' => Some(u32::from(byte - b'a')),
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'0'..=b'9' => Some(u32::from(byte - b'0') + 26),
        _ => None,
    }
}

/// RFC 3492, section 6.1.
fn adapted(delta: u32, count: u32, first: bool) -> u32 {
    let mut delta = if first { delta / 700 } else { delta / 2 };
    delta += delta / count;
    let mut k = 0;
    while delta > ((BASE - T_MIN) * T_MAX) / 2 {
        delta /= BASE - T_MIN;
        k += BASE;
    }
    k + (BASE - T_MIN + 1) * delta / (delta + 38)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::url;

    #[test]
    fn labels_come_back_as_the_addresses_have_them() {
        for name in [
            "bücher",
            "例子",
            "中国",
            "münchen-ost",
            "почта",
            "日本語ドメイン",
        ] {
            let host = url::host(&format!("https://{name}/")).expect("a host");
            assert!(host.starts_with("xn--"), "{host}");
            assert_eq!(decoded(&host).as_deref(), Some(name), "{host}");
        }
        assert_eq!(
            decode_all("see XN--bcher-kva.de, or b.de"),
            "see bücher.de, or b.de"
        );
    }

    #[test]
    fn broken_labels_are_none() {
        for label in [
            "",
            "xn--",
            "xn--ä",
            "plain",
            "xn--a-é",
            "xn--99999999999",
            "xn--a_",
        ] {
            assert_eq!(decoded(label), None, "{label}");
        }
        assert_eq!(decoded(&format!("xn--{}", "a".repeat(60))), None);
    }
}
