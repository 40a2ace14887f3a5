//! Trees that grow from one root: the same page, however its address is written. Of such trees a
//! set has one, or their matches weigh twice.

use std::collections::BTreeMap;

use crate::text::url::canonical;

/// The files that a folder's address leads to.
const INDEX: &[&str] = &["/index.html", "/index.htm", "/index.php", "/default.aspx"];

/// Groups of two or more names of trees with one root, in the order of their first ones. Addresses
/// that are none are compared as they stand.
pub fn same_roots<'a>(trees: &[(&'a str, &str)]) -> Vec<Vec<&'a str>> {
    let mut groups: Vec<Vec<&str>> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (name, root) in trees {
        let place = *places.entry(key(root)).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[place].push(*name);
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// What two addresses of one root have in common; of what is no address, the text itself.
pub fn key(address: &str) -> String {
    let Some(url) = canonical(address) else {
        return address.trim().to_owned();
    };
    let rest = url.split_once("://").map_or(&*url, |(_, rest)| rest);
    let rest = ["www.", "m."]
        .iter()
        .fold(rest, |rest, front| rest.strip_prefix(front).unwrap_or(rest));
    let rest = INDEX
        .iter()
        .find_map(|end| rest.strip_suffix(end))
        .unwrap_or(rest);
    rest.trim_end_matches('/')
        .replace(".m.wikipedia.org/", ".wikipedia.org/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_root_are_one() {
        let trees = [
            ("t1", "https://en.wikipedia.org/wiki/Video_rental_shop"),
            ("t2", "https://a.test/"),
            ("t3", "http://www.a.test/index.html"),
            (
                "t4",
                "https://en.m.wikipedia.org/wiki/Video_rental_shop#History",
            ),
            ("t5", "https://b.test/"),
            ("t6", "https://m.a.test?utm_source=x"),
            ("t7", "no address"),
            ("t8", "no address "),
        ];
        let groups = same_roots(&trees);
        let expect: Vec<Vec<&str>> =
            vec![vec!["t1", "t4"], vec!["t2", "t3", "t6"], vec!["t7", "t8"]];
        assert_eq!(groups, expect);
    }
}
