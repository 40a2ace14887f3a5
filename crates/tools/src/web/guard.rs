//! The guard against requests to private networks (SSRF): which URLs may be requested and which
//! addresses may be dialled. A name is judged by the same addresses that are then connected to, so
//! that DNS rebinding changes nothing.

use std::{
    io,
    net::{IpAddr, SocketAddr},
};

use reqwest::{
    Url,
    dns::{Addrs, Name, Resolve, Resolving},
};

use super::{FetchError, address::is_global, error::quoted};
use crate::http::is_loopback;

/// Where web servers listen; elsewhere a request may hit something that takes it for a command.
const PORTS: [u16; 4] = [80, 443, 8080, 8443];

/// Octets of a URL; more than servers take (RFC 9110, section 4.1, asks for 8000).
const LONGEST_URL: usize = 8192;

/// How far the fetcher may go.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// Any address and any port, not only public ones.
    pub private: bool,
    /// No other machine.
    pub offline: bool,
}

impl Reach {
    /// Whether `url` may be asked, as far as its text tells; what a name stands for is judged when
    /// it is dialled.
    pub fn check(self, url: &Url) -> Result<(), FetchError> {
        if url.as_str().len() > LONGEST_URL {
            return Err(FetchError::BadUrl {
                what: format!("longer than {LONGEST_URL} octets"),
            });
        }
        if !["http", "https"].contains(&url.scheme()) {
            return Err(FetchError::Scheme);
        }
        // `http://trusted.org@evil.org/` looks like another host to people, and sends a password
        // along.
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FetchError::Userinfo);
        }
        let host = url.host_str().ok_or_else(|| FetchError::BadUrl {
            what: "no host".to_owned(),
        })?;
        // By the text, so that no name server is asked either.
        if self.offline && !is_loopback(url) {
            return Err(FetchError::Offline { host: quoted(host) });
        }
        let port = url.port_or_known_default().unwrap_or_default();
        if !self.private && !PORTS.contains(&port) {
            return Err(FetchError::Port { port });
        }
        // The URL's parser has brought each way to write an address into the usual one.
        match host.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(address) if !self.allows(address) => Err(FetchError::Address {
                host: quoted(host),
                address,
            }),
            _ => Ok(()),
        }
    }

    /// Whether a connection may be made to `address`.
    pub fn allows(self, address: IpAddr) -> bool {
        match self {
            Self {
                offline: true,
                private,
            } => private && address.is_loopback(),
            Self { private: true, .. } => true,
            Self { .. } => is_global(address),
        }
    }
}

/// A resolver that drops every address out of reach.
pub struct Guarded<R> {
    /// How far the addresses may lie.
    pub reach: Reach,
    /// The resolver behind it.
    pub names: R,
}

impl<R: Resolve> Resolve for Guarded<R> {
    fn resolve(&self, name: Name) -> Resolving {
        let (reach, host) = (self.reach, quoted(name.as_str()));
        let answer = self.names.resolve(name);
        Box::pin(async move {
            // What is returned here is what is dialled: there is no second look-up that could
            // answer otherwise.
            let (allowed, refused): (Vec<_>, Vec<_>) = answer
                .await?
                .partition(|address| reach.allows(address.ip()));
            match refused.first() {
                // One public address among private ones is enough; the private ones are not
                // dialled.
                Some(address) if allowed.is_empty() => Err(FetchError::Address {
                    host,
                    address: address.ip(),
                }
                .into()),
                None if allowed.is_empty() => Err(FetchError::Dns {
                    what: "no address".to_owned(),
                }
                .into()),
                _ => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
    }
}

/// Names as the system resolves them.
pub struct System;

impl Resolve for System {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            // Port 0 stands for the URL's own.
            let addresses = tokio::net::lookup_host((name.as_str(), 0))
                .await
                .map_err(|error| unresolved(&error))?;
            Ok(Box::new(addresses.collect::<Vec<SocketAddr>>().into_iter()) as Addrs)
        })
    }
}

fn unresolved(error: &io::Error) -> FetchError {
    FetchError::Dns {
        what: quoted(&error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORLD: Reach = Reach {
        private: false,
        offline: false,
    };

    fn cause(reach: Reach, url: &str) -> &'static str {
        reach
            .check(&url.parse().expect("a URL"))
            .map_or_else(|error| error.cause(), |()| "none")
    }

    #[test]
    fn each_way_to_write_an_address() {
        for host in [
            "127.0.0.1",
            "127.0.0.1.",
            "127.1",
            "127.0.1",
            "0x7f000001",
            "0x7f.0.0.1",
            "0X7F.1",
            "2130706433",
            "017700000001",
            "0177.0.0.1",
            "0177.0.0.01",
            "%31%32%37.0.0.1",
            "127。0。0。1",
            "①②⑦.0.0.1",
            "127.0.0.1",
            "0",
            "0x0",
            "[::1]",
            "[::]",
            "[0:0:0:0:0:0:0:1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[::127.0.0.1]",
            "10.1",
            "0xa9fea9fe",
            "2852039166",
            "[64:ff9b::127.0.0.1]",
            "[2002:7f00:1::]",
            "[fe80::1]",
        ] {
            assert_eq!(
                cause(WORLD, &format!("http://{host}/")),
                "address",
                "{host}"
            );
        }
        assert_eq!(cause(WORLD, "http://93.184.216.34/"), "none");
        assert_eq!(cause(WORLD, "http://[2606:4700::1111]/"), "none");
    }

    #[test]
    fn schemes_ports_and_users() {
        for url in [
            "http://a.test/",
            "https://a.test/",
            "http://a.test:80/",
            "http://a.test:8080/",
            "https://a.test:8443/",
        ] {
            assert_eq!(cause(WORLD, url), "none", "{url}");
        }
        for url in [
            "file:///etc/passwd",
            "ftp://a.test/",
            "gopher://a.test/_x",
            "data:text/plain,x",
            "javascript:1",
            "ws://a.test/",
        ] {
            assert_eq!(cause(WORLD, url), "scheme", "{url}");
        }
        for port in [0, 22, 25, 81, 6379, 11211, 65535] {
            assert_eq!(cause(WORLD, &format!("http://a.test:{port}/")), "port");
        }
        for url in [
            "http://me@a.test/",
            "http://me:pw@a.test/",
            "http://:pw@a.test/",
            "http:me:pw@a.test/",
            "http:\\\\me@a.test",
        ] {
            assert_eq!(cause(WORLD, url), "userinfo", "{url}");
        }
    }

    #[test]
    fn long_urls() {
        let cause_of =
            |octets: usize| cause(WORLD, &format!("http://a.test/{}", "x".repeat(octets - 14)));
        assert_eq!(
            (cause_of(LONGEST_URL), cause_of(LONGEST_URL + 1)),
            ("none", "bad_url")
        );
    }

    #[test]
    fn what_the_options_open_and_close() {
        let private = Reach {
            private: true,
            offline: false,
        };
        assert_eq!(cause(private, "http://10.0.0.1:9000/"), "none");
        assert_eq!(cause(private, "http://me@10.0.0.1/"), "userinfo");
        let offline = Reach {
            private: false,
            offline: true,
        };
        assert_eq!(cause(offline, "http://93.184.216.34/"), "offline");
        assert_eq!(cause(offline, "http://a.test/"), "offline");
        assert_eq!(cause(offline, "http://127.0.0.1/"), "address");
        let both = Reach {
            private: true,
            offline: true,
        };
        assert_eq!(cause(both, "http://127.0.0.1:9000/"), "none");
        assert_eq!(cause(both, "http://10.0.0.1/"), "offline");
        assert!(
            !both.allows([10, 0, 0, 1].into()),
            "whatever localhost stands for"
        );
    }

    /// An address is resolved without asking anybody.
    #[tokio::test]
    async fn the_systems_answer_goes_through_the_guard() {
        let name = || "127.0.0.1".parse::<Name>().expect("a name");
        let plain: Vec<_> = System.resolve(name()).await.expect("an answer").collect();
        assert_eq!(plain, [SocketAddr::from(([127, 0, 0, 1], 0))]);
        let error = Guarded {
            reach: WORLD,
            names: System,
        }
        .resolve(name())
        .await
        .err()
        .expect("a refusal");
        assert_eq!(
            error.downcast_ref::<FetchError>().map(FetchError::cause),
            Some("address")
        );
    }
}
