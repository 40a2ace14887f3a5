//! Unreachable hosts: those of examples, and those within a private network. Hides the names and
//! ranges that RFC 2606, RFC 6761 and RFC 6890 set apart, and the names that networks give
//! themselves.

use std::net::{Ipv4Addr, Ipv6Addr};

use ::url::{Host, Url};

use super::Diagnosis;

const UNFILLED_DOMAINS: &[&str] = &[
    "example.com",
    "example.org",
    "example.net",
    "example",
    "test",
    "invalid",
    "localhost",
    "yourdomain.com",
];
const INSIDE_DOMAINS: &[&str] = &[
    "localhost",
    "local",
    "internal",
    "intranet",
    "lan",
    "corp",
    "home.arpa",
];

/// What is wrong with where an address leads.
pub(super) fn faults(canonical: &str) -> Vec<Diagnosis> {
    let Ok(url) = Url::parse(canonical) else {
        return Vec::new();
    };
    let (unfilled, inside) = match url.host() {
        Some(Host::Domain(name)) => {
            // A fully qualified name may end with a dot.
            let name = name.trim_end_matches('.');
            (
                is_under(name, UNFILLED_DOMAINS),
                is_under(name, INSIDE_DOMAINS) || !name.contains('.'),
            )
        }
        Some(Host::Ipv4(address)) => v4_faults(address),
        Some(Host::Ipv6(address)) => v6_faults(address),
        None => return Vec::new(),
    };
    let faults = [
        (unfilled, Diagnosis::PlaceholderUrl),
        (inside, Diagnosis::PrivateHost),
    ];
    faults
        .into_iter()
        .filter(|(holds, _)| *holds)
        .map(|(_, fault)| fault)
        .collect()
}

fn is_under(name: &str, domains: &[&str]) -> bool {
    domains.iter().any(|domain| {
        name.strip_suffix(domain)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

fn v4_faults(address: Ipv4Addr) -> (bool, bool) {
    let [a, b, c, _] = address.octets();
    // Shared between carriers, protocol assignments, benchmarks: RFC 6890, section 2.2.2.
    let special = matches!(
        (a, b, c),
        (0 | 240.., ..) | (100, 64..=127, _) | (192, 0, 0) | (198, 18..=19, _)
    );
    let inside = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast();
    (
        address.is_loopback() || address.is_unspecified() || address.is_documentation(),
        special || inside,
    )
}

fn v6_faults(address: Ipv6Addr) -> (bool, bool) {
    if let Some(mapped) = address.to_ipv4_mapped() {
        return v4_faults(mapped);
    }
    let documentation = address.segments()[..2] == [0x2001, 0xdb8];
    let nowhere = address.is_loopback() || address.is_unspecified();
    let inside =
        address.is_unique_local() || address.is_unicast_link_local() || address.is_multicast();
    (nowhere || documentation, nowhere || inside)
}

#[cfg(test)]
mod tests {
    use Diagnosis::{PlaceholderUrl, PrivateHost};

    use super::*;

    #[test]
    fn hosts_within_a_network_are_told() {
        let check = |url: &str, expect: &[Diagnosis]| assert_eq!(faults(url), expect, "{url}");
        let both = &[PlaceholderUrl, PrivateHost];
        check("http://localhost:8080/x", both);
        check("http://www.example.com/", &[PlaceholderUrl]);
        check("http://notexample.com/", &[]);
        check("http://127.1/", both);
        check("http://[::1]/", both);
        check("http://0x7f000001/", both);
        check("http://10.0.0.1/x", &[PrivateHost]);
        check("http://[::ffff:10.0.0.1]/", &[PrivateHost]);
        check("http://100.64.0.1/", &[PrivateHost]);
        check("http://wiki.corp/x", &[PrivateHost]);
        check("http://intranet/x", &[PrivateHost]);
        check("http://8.8.8.8/x", &[]);
        check("http://203.0.113.7/x", &[PlaceholderUrl]);
    }
}
