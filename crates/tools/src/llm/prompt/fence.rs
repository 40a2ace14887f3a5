//! The fence around text that the project did not write. Hides its token, and how a text finds its
//! one fence however a template captured it, cut it or put it together.

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use sha2::{Digest as _, Sha256};

/// Private-use characters around a marked text.
const OPEN: char = '\u{F0000}';
const CLOSE: char = '\u{F0001}';

/// A project's fence.
#[derive(Clone)]
pub(super) struct Fence {
    key: Vec<u8>,
    /// What a mark begins with. It has digits only, so that no filter of letters changes it, and
    /// nobody without the key can write one.
    mark: String,
}

impl Fence {
    /// The fence of a project with this secret.
    pub(super) fn new(key: &str) -> Self {
        let key = key.as_bytes().to_vec();
        let digits = hmac_sha256(&key, b"mark").map(|byte| char::from(b'0' + byte % 10));
        let mark = format!("{OPEN}{}:", String::from_iter(digits));
        Self { key, mark }
    }

    /// Fences untrusted text: `[TOKEN`, the text, `TOKEN]`. The token is the first 16 hexadecimal
    /// digits of an HMAC of the text, drawn again while the text contains it, so that it can neither
    /// be guessed nor closed from inside, and is the same in each run. The fence is short, because a
    /// small model pays for each of its characters.
    pub(super) fn quote(&self, text: &str) -> String {
        let mut salt = 0u32;
        loop {
            let mut salted = salt.to_le_bytes().to_vec();
            salted.extend_from_slice(text.as_bytes());
            // 64 bits: a text cannot hold many of them, and a small model pays for each character.
            let token = HEXLOWER.encode(&hmac_sha256(&self.key, &salted)[..8]);
            // A model reads capitals as the same token.
            if !text.to_ascii_lowercase().contains(&token) {
                // Trailing line ends say nothing, and without them the same text has one fence.
                return format!("[{token}\n{}\n{token}]", text.trim_end_matches('\n'));
            }
            salt += 1;
        }
    }

    /// A text that is to be fenced, so that whatever a template does with it, nothing of it can be
    /// read before it is.
    pub(super) fn marked(&self, text: &str) -> String {
        format!("{}{}{CLOSE}", self.mark, HEXLOWER.encode(text.as_bytes()))
    }

    /// A prompt with a fence around each marked text. A marked text in another one has the fence of
    /// that one.
    pub(super) fn around_marked(&self, prompt: &str) -> String {
        self.replaced(prompt, |text| self.quote(&self.unmarked(text)))
    }

    fn unmarked(&self, text: &str) -> String {
        self.replaced(text, |inner| self.unmarked(inner))
    }

    fn replaced(&self, text: &str, with: impl Fn(&str) -> String) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, from)) = rest.split_once(&self.mark) {
            out.push_str(before);
            let Some((text, after)) = read_mark(from) else {
                // A template has cut it in two: what is left of it can be read by nobody.
                rest = from;
                continue;
            };
            out.push_str(&with(&text));
            rest = after;
        }
        out.push_str(rest);
        out
    }
}

/// The text of a mark whose beginning was taken off, and what follows it.
fn read_mark(from: &str) -> Option<(String, &str)> {
    let (hex, after) = from.split_once(CLOSE)?;
    let bytes = HEXLOWER_PERMISSIVE.decode(hex.as_bytes()).ok()?;
    Some((String::from_utf8(bytes).ok()?, after))
}

/// RFC 2104 with SHA-256.
fn hmac_sha256(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut block = [0u8; 64];
    // RFC 2104, section 2: a key longer than a block is hashed first.
    if key.len() > block.len() {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let inner = Sha256::new()
        .chain_update(block.map(|b| b ^ 0x36))
        .chain_update(message)
        .finalize();
    Sha256::new()
        .chain_update(block.map(|b| b ^ 0x5c))
        .chain_update(inner)
        .finalize()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quote(key: &str, text: &str) -> String {
        Fence::new(key).quote(text)
    }

    #[test]
    fn hmac_of_rfc_4231() {
        let of = |key: &[u8], text: &[u8]| data_encoding::HEXLOWER.encode(&hmac_sha256(key, text));
        assert_eq!(
            of(b"Jefe", b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            of(
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First"
            ),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    #[test]
    fn a_fence_is_the_same_each_time_and_cannot_be_guessed() {
        let fenced = quote("key", "text");
        assert_eq!(fenced, quote("key", "text"));
        assert_ne!(fenced, quote("other", "text"));
        let token = &fenced[1..17];
        assert_eq!(fenced, format!("[{token}\ntext\n{token}]"));
        assert_ne!(&quote("key", "text!")[1..17], token);
    }

    proptest::proptest! {
        #[test]
        fn no_text_closes_its_fence(text in ".*", key in ".*") {
            let fenced = quote(&key, &text);
            let token = &fenced[1..17];
            proptest::prop_assert_eq!(fenced.matches(token).count(), 2);
        }
    }

    #[test]
    fn a_marked_text_has_one_fence_however_deep_it_lies() {
        let fence = Fence::new("key");
        let inner = fence.marked("3 Gravel [sings]\n");
        let outer = fence.marked(&format!("Lines:\n{inner}4 It drums\n"));
        assert_eq!(
            fence.around_marked(&format!("Read {outer}.")),
            format!(
                "Read {}.",
                fence.quote("Lines:\n3 Gravel [sings]\n4 It drums\n")
            )
        );
        // Capitals do not change it, and a part of it is nothing that can be read.
        assert_eq!(
            fence.around_marked(&inner.to_uppercase()),
            fence.quote("3 Gravel [sings]\n")
        );
        let cut: String = inner.chars().take(60).collect();
        assert!(!fence.around_marked(&cut).contains("Gravel"));
        // A stranger's mark has another key's digits and stays what it is.
        let forged = Fence::new("other").marked("x");
        assert_eq!(fence.around_marked(&forged), forged);
    }
}
