//! Relative addresses from a page to files beside it. Hides the differences between paths and
//! addresses: `..`, separators, and letters that must be percent-encoded.

use std::path::{Component, Path, PathBuf};

/// The address of `file` relative to `folder`; `None` where no relative way leads there, as from
/// one drive to another.
///
/// Links are not followed: a browser shortens `..` by the letters of an address, too.
pub fn address(folder: &Path, file: &Path) -> Option<String> {
    let (folder, file) = (plain(folder)?, plain(file)?);
    let (mut from, mut to) = (folder.components().peekable(), file.components().peekable());
    if from.next() != to.next() {
        return None;
    }
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
    }
    let up = from.map(|_| "..".to_owned());
    let down = to.map(|part| spelled(part.as_os_str().as_encoded_bytes()));
    Some(up.chain(down).collect::<Vec<_>>().join("/"))
}

/// The path from the root on, without `.` and `..`.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in std::path::absolute(path).ok()?.components() {
        match part {
            Component::ParentDir => _ = plain.pop(),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    Some(plain)
}

/// A part of an address, percent-encoded: every byte but unreserved ones (RFC 3986, section 2.3).
fn spelled(part: &[u8]) -> String {
    let mut spelled = String::new();
    for &byte in part {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                spelled.push(char::from(byte));
            }
            other => spelled += &format!("%{other:02X}"),
        }
    }
    spelled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_leads_up_and_down() {
        let cases = [
            ("/p/tasks", "/p/seminars/a.mp3", "../seminars/a.mp3"),
            ("/p", "/p/seminars/b/a.mp3", "seminars/b/a.mp3"),
            ("/p/x/../tasks/.", "/p/seminars/a.mp3", "../seminars/a.mp3"),
            ("/tmp/out", "/home/me/p/a.mp3", "../../home/me/p/a.mp3"),
            ("/", "/a.mp3", "a.mp3"),
            ("/p/ab", "/p/a/x", "../a/x"),
        ];
        for (folder, file, expect) in cases {
            assert_eq!(
                address(Path::new(folder), Path::new(file)).as_deref(),
                Some(expect),
                "{folder} to {file}"
            );
        }
    }

    #[test]
    fn both_may_be_relative_to_the_working_folder() {
        assert_eq!(
            address(Path::new(""), Path::new("a.mp3")),
            None,
            "no folder is no place"
        );
        assert_eq!(
            address(Path::new("."), Path::new("a.mp3")).as_deref(),
            Some("a.mp3")
        );
        assert_eq!(
            address(Path::new("pages"), Path::new("a/b.mp3")).as_deref(),
            Some("../a/b.mp3")
        );
    }

    #[test]
    fn what_means_something_in_an_address_is_spelled_out() {
        let address =
            |name: &str| address(Path::new("/p"), &Path::new("/p").join(name)).expect("a way");
        assert_eq!(
            address("javascript:alert(1).mp3"),
            "javascript%3Aalert%281%29.mp3"
        );
        assert_eq!(
            address("a b#t=1?\"<'&%20.mp3"),
            "a%20b%23t%3D1%3F%22%3C%27%26%2520.mp3"
        );
        assert_eq!(address("\\\\host\\x.mp3"), "%5C%5Chost%5Cx.mp3");
        assert_eq!(address("研.opus"), "%E7%A0%94.opus");
    }
}
