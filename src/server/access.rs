//! Who is asking, and may they? Hides the tokens of links and cookies, the names under which the
//! server may be asked (against DNS rebinding), and the guard of forms (against other sites that
//! send them).

use std::net::IpAddr;

use axum::http::{HeaderMap, Uri, header};
use data_encoding::BASE64URL_NOPAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Who is behind a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// A person who reads.
    Visitor,
    /// A person who decides, by name.
    Reviewer(String),
}

/// The project's own key, from which every token follows: links stay good when the server is
/// started again.
#[derive(Clone)]
pub struct Key(Vec<u8>);

impl Key {
    /// A key of random bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The token of a link and of a cookie.
    pub fn token(&self, who: &Who) -> String {
        let name = match who {
            Who::Visitor => "",
            Who::Reviewer(name) => name,
        };
        let mac = self.mac(kind(who), name).finalize().into_bytes();
        let name = BASE64URL_NOPAD.encode(name.as_bytes());
        format!("{}.{name}.{}", kind(who), BASE64URL_NOPAD.encode(&mac))
    }

    /// Who a token is of; none where it was not made with this key.
    pub fn who(&self, token: &str) -> Option<Who> {
        let mut parts = token.split('.');
        let (kind, name, mac) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        let name = String::from_utf8(decoded(name)?).ok()?;
        self.mac(kind, &name).verify_slice(&decoded(mac)?).ok()?;
        match kind {
            VISITOR if name.is_empty() => Some(Who::Visitor),
            REVIEWER if !name.is_empty() => Some(Who::Reviewer(name)),
            _ => None,
        }
    }

    /// What every form of a reviewer carries: another site can send a form, but cannot know this.
    pub fn guard(&self, reviewer: &str) -> String {
        let mac = self.mac(GUARD, reviewer).finalize().into_bytes();
        BASE64URL_NOPAD.encode(&mac)
    }

    /// Whether a form carries the reviewer's guard.
    pub fn is_guard(&self, reviewer: &str, given: &str) -> bool {
        decoded(given).is_some_and(|given| self.mac(GUARD, reviewer).verify_slice(&given).is_ok())
    }

    /// Compared in constant time by who verifies.
    fn mac(&self, kind: &str, name: &str) -> Hmac<Sha256> {
        let mac = Hmac::<Sha256>::new_from_slice(&self.0);
        let Ok(mut mac) = mac else {
            unreachable!("HMAC takes keys of any length")
        };
        mac.update(kind.as_bytes());
        mac.update(b"\0");
        mac.update(name.as_bytes());
        mac
    }
}

const VISITOR: &str = "v";
const REVIEWER: &str = "r";
const GUARD: &str = "guard";

fn kind(who: &Who) -> &'static str {
    match who {
        Who::Visitor => VISITOR,
        Who::Reviewer(_) => REVIEWER,
    }
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    BASE64URL_NOPAD.decode(text.as_bytes()).ok()
}

/// The port that a browser does not name.
const HTTP: u16 = 80;

/// The names under which the server may be asked.
#[derive(Clone, Debug)]
pub struct Hosts {
    /// `name:port`, in lower case.
    names: Vec<String>,
    /// Whether any address with the port will do, as where the server listens on all of them. A
    /// page of another site cannot have an address as its name.
    any_address: bool,
    port: u16,
}

impl Hosts {
    /// The names of a server that listens on `host` and `port`, and that others reach as `public`.
    pub fn new(host: IpAddr, port: u16, public: Option<&str>) -> Self {
        let mut names = vec![format!("{}:{port}", bracketed(host))];
        if host.is_loopback() || host.is_unspecified() {
            names.push(format!("localhost:{port}"));
            names.push(format!("127.0.0.1:{port}"));
            names.push(format!("[::1]:{port}"));
        }
        if port == HTTP {
            // Browsers leave it out.
            let bare: Vec<String> = names
                .iter()
                .filter_map(|name| Some(name.rsplit_once(':')?.0.to_owned()))
                .collect();
            names.extend(bare);
        }
        names.extend(public.map(str::to_ascii_lowercase));
        Self {
            names,
            any_address: host.is_unspecified(),
            port,
        }
    }

    /// Whether a request names a host of ours.
    pub fn knows(&self, headers: &HeaderMap, uri: &Uri) -> bool {
        let mut named = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (named.next(), named.next()) else {
            return false;
        };
        // A request in absolute form names a host twice.
        let in_uri = uri.authority().map(|of| of.as_str().to_ascii_lowercase());
        host.to_str().is_ok_and(|host| {
            let host = host.to_ascii_lowercase();
            self.is_ours(&host) && in_uri.is_none_or(|of| of == host)
        })
    }

    fn is_ours(&self, host: &str) -> bool {
        self.names.iter().any(|name| name == host) || (self.any_address && self.is_address(host))
    }

    fn is_address(&self, host: &str) -> bool {
        let Some((address, port)) = host.rsplit_once(':') else {
            return false;
        };
        let address = address.trim_start_matches('[').trim_end_matches(']');
        address.parse::<IpAddr>().is_ok() && port.parse() == Ok(self.port)
    }

    /// Whether a form was sent by a page of ours. A browser says where a form comes from; what says
    /// nothing is no browser, and has no cookie of one.
    pub fn sent_it(&self, headers: &HeaderMap) -> bool {
        let said = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let origin = said("origin").is_none_or(|origin| {
            let host = origin
                .strip_prefix("http://")
                .or_else(|| origin.strip_prefix("https://"));
            host.is_some_and(|host| self.is_ours(&host.to_ascii_lowercase()))
        });
        origin && said("sec-fetch-site").is_none_or(|site| site == "same-origin")
    }
}

/// An address as it stands in a URL.
pub fn bracketed(host: IpAddr) -> String {
    match host {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => format!("[{v6}]"),
    }
}

/// The value of a cookie.
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(header::COOKIE).iter();
    all.filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_of_one_person_and_one_key() {
        let key = Key::new(vec![7; 32]);
        let ana = Who::Reviewer("Ana Müller".into());
        let token = key.token(&ana);
        assert_eq!(key.who(&token), Some(ana));
        assert_eq!(key.who(&key.token(&Who::Visitor)), Some(Who::Visitor));
        assert_eq!(Key::new(vec![8; 32]).who(&token), None);
        // Another name, another kind, and a shorter mark under the same key.
        let (head, mac) = token.rsplit_once('.').expect("three parts");
        let ben = BASE64URL_NOPAD.encode(b"ben");
        for forged in [
            format!("r.{ben}.{mac}"),
            token.replacen('r', "v", 1),
            format!("{head}.{}", &mac[..20]),
            format!("{head}."),
            format!("{token}.x"),
            String::new(),
        ] {
            assert_eq!(key.who(&forged), None, "{forged}");
        }
        assert!(key.is_guard("ana", &key.guard("ana")));
        assert!(!key.is_guard("ben", &key.guard("ana")) && !key.is_guard("ana", ""));
    }

    fn asks(host: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().expect("a value"));
        headers
    }

    #[test]
    fn only_our_own_names_are_answered() {
        let knows = |hosts: &Hosts, host: &str| hosts.knows(&asks(host), &Uri::from_static("/"));
        let loopback = Hosts::new([127, 0, 0, 1].into(), 8417, None);
        for good in [
            "127.0.0.1:8417",
            "localhost:8417",
            "LOCALHOST:8417",
            "[::1]:8417",
        ] {
            assert!(knows(&loopback, good), "{good}");
        }
        for bad in [
            "evil.example:8417",
            "127.0.0.1",
            "127.0.0.1:80",
            "192.168.0.9:8417",
            "localhost.evil.example:8417",
            "",
        ] {
            assert!(!knows(&loopback, bad), "{bad}");
        }
        let open = Hosts::new([0, 0, 0, 0].into(), 8417, Some("Lab.example"));
        assert!(knows(&open, "192.168.0.9:8417") && knows(&open, "lab.example"));
        assert!(!knows(&open, "evil.example:8417") && !knows(&open, "192.168.0.9:80"));
        let mut twice = asks("127.0.0.1:8417");
        twice.append(header::HOST, "evil.example".parse().expect("a value"));
        assert!(!loopback.knows(&twice, &Uri::from_static("/")));
        let absolute = Uri::from_static("http://evil.example/");
        assert!(!loopback.knows(&asks("127.0.0.1:8417"), &absolute));
    }

    #[test]
    fn a_form_of_another_site_is_told_by_its_headers() {
        let hosts = Hosts::new([127, 0, 0, 1].into(), 8417, None);
        let sent = |name: &'static str, value: &str| {
            let mut headers = asks("127.0.0.1:8417");
            headers.insert(name, value.parse().expect("a value"));
            hosts.sent_it(&headers)
        };
        assert!(sent("origin", "http://127.0.0.1:8417") && sent("sec-fetch-site", "same-origin"));
        for bad in [
            "null",
            "http://evil.example",
            "http://127.0.0.1:80",
            "file://",
        ] {
            assert!(!sent("origin", bad), "{bad}");
        }
        for bad in ["cross-site", "same-site", "none"] {
            assert!(!sent("sec-fetch-site", bad), "{bad}");
        }
    }

    #[test]
    fn a_cookie_is_found_by_its_whole_name() {
        let mut headers = HeaderMap::new();
        let line = "other=1; taskgen-84170=x; taskgen-8417=mine";
        headers.insert(header::COOKIE, line.parse().expect("a value"));
        assert_eq!(cookie(&headers, "taskgen-8417"), Some("mine"));
        assert_eq!(cookie(&headers, "taskgen"), None);
    }
}
