//! Why there is no page behind an address: what the visit on record says, and the address itself.

use serde::{Deserialize, Serialize};

use crate::data::Visit;

/// Why nobody can open the page that a citation names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gone {
    /// Its server says that it has no such page.
    Dead,
    /// Its address leads to another page of the site, such as the first one.
    Moved,
    /// It wants a login or money.
    Paywalled,
    /// Its server refuses programs: a person might see it.
    Blocked,
    /// It is no address of the web, or its host does not exist.
    NeverExisted,
}

impl Gone {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Dead,
        Self::Moved,
        Self::Paywalled,
        Self::Blocked,
        Self::NeverExisted,
    ];

    /// The key of its measure.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Dead => "citation_e1_dead",
            Self::Moved => "citation_e1_moved",
            Self::Paywalled => "citation_e1_paywalled",
            Self::Blocked => "citation_e1_blocked",
            Self::NeverExisted => "citation_e1_never_existed",
        }
    }

    /// What a visit without a page says; none where it says nothing of the page, such as a timeout
    /// or a page in a format that is not read.
    pub fn of(visit: &Visit) -> Option<Self> {
        let cause = visit.cause.as_deref()?;
        if visit.transient {
            return None;
        }
        match (cause, visit.status) {
            // With another status than these, it says so in words, or sends on to the site's first
            // page.
            ("not_found", status) if !matches!(status, Some(404 | 410)) && leads_on(visit) => {
                Some(Self::Moved)
            }
            ("http_status", Some(404 | 410)) | ("not_found", _) => Some(Self::Dead),
            ("too_many_redirects" | "bad_redirect", _) => Some(Self::Moved),
            ("http_status", Some(401 | 402 | 407)) | ("wall", _) => Some(Self::Paywalled),
            ("http_status", Some(403 | 429 | 451)) | ("blocked" | "consent" | "robots", _) => {
                Some(Self::Blocked)
            }
            ("dns" | "bad_url" | "scheme" | "userinfo" | "port" | "address", _) => {
                Some(Self::NeverExisted)
            }
            _ => None,
        }
    }

    /// What the faults of a citation without an address say, by their words; none where it names no
    /// address at all.
    pub fn of_faults(faults: &[String]) -> Option<Self> {
        const NO_ADDRESS: [&str; 4] = [
            "malformed_url",
            "placeholder_url",
            "truncated_url",
            "private_host",
        ];
        let is_one = |fault: &String| NO_ADDRESS.contains(&fault.as_str());
        faults.iter().any(is_one).then_some(Self::NeverExisted)
    }
}

fn leads_on(visit: &Visit) -> bool {
    visit
        .final_url
        .as_ref()
        .is_some_and(|last| *last != visit.url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(cause: &str, status: Option<u16>) -> Visit {
        Visit {
            url: "https://a.org/x/y".to_owned(),
            cause: Some(cause.to_owned()),
            status,
            ..Visit::default()
        }
    }

    #[test]
    fn each_cause_is_an_error_of_its_kind_or_none() {
        let of = |cause, status| Gone::of(&visit(cause, status));
        assert_eq!(of("http_status", Some(404)), Some(Gone::Dead));
        assert_eq!(of("not_found", Some(200)), Some(Gone::Dead));
        assert_eq!(of("wall", Some(200)), Some(Gone::Paywalled));
        assert_eq!(of("http_status", Some(403)), Some(Gone::Blocked));
        assert_eq!(of("robots", None), Some(Gone::Blocked));
        assert_eq!(of("dns", None), Some(Gone::NeverExisted));
        for nothing in [
            "content_type",
            "shell",
            "no_text",
            "too_large",
            "not_stored",
        ] {
            assert_eq!(of(nothing, Some(200)), None, "{nothing}");
        }
        let moved = Visit {
            final_url: Some("https://a.org/".to_owned()),
            ..visit("not_found", Some(200))
        };
        assert_eq!(Gone::of(&moved), Some(Gone::Moved));
        let later = Visit {
            transient: true,
            ..visit("dns", None)
        };
        assert_eq!(Gone::of(&later), None);
        assert_eq!(Gone::of(&Visit::default()), None, "there is a page");
    }
}
