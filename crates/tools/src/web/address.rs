//! Public and special IP addresses, by the registries of special ranges. Hides the IPv4 addresses
//! that travel inside IPv6 ones.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Ranges that are not the public internet: IANA, *IPv4 Special-Purpose Address Space*, all that
/// are not globally reachable, with multicast (RFC 5771) and the retired relay of 6to4 (RFC 7526).
const SPECIAL_V4: [(Ipv4Addr, u32); 16] = [
    (Ipv4Addr::UNSPECIFIED, 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // A public address by the registry, and inside Azure the virtual machine's host.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// All of IPv6 that is handed out (RFC 4291, section 2.4; IANA, *IPv6 Address Space*). Loopback,
/// link-local, unique local, multicast, discard-only and local NAT64 addresses are outside.
const UNICAST_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// What is special in there: protocol assignments and the ranges for documentation.
const SPECIAL_V6: [(Ipv6Addr, u32); 3] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

const MAPPED: (Ipv6Addr, u32) = (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96);
const NAT64: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);
const SIX_TO_FOUR: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16);
const TEREDO: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32);

/// Whether `address` is on the public internet, also as seen through each IPv4 address that it
/// carries.
pub fn is_global(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_global_v4(v4),
        IpAddr::V6(v6) => match carried(v6) {
            Some(inner) => inner.into_iter().all(is_global_v4),
            None => {
                within_v6(v6, UNICAST_V6) && !SPECIAL_V6.iter().any(|range| within_v6(v6, *range))
            }
        },
    }
}

fn is_global_v4(address: Ipv4Addr) -> bool {
    let within =
        |(range, bits): (Ipv4Addr, u32)| (address.to_bits() ^ range.to_bits()) >> (32 - bits) == 0;
    !SPECIAL_V4.into_iter().any(within)
}

fn within_v6(address: Ipv6Addr, (range, bits): (Ipv6Addr, u32)) -> bool {
    (address.to_bits() ^ range.to_bits()) >> (128 - bits) == 0
}

/// The IPv4 addresses that a packet to `address` may end at: mapped (RFC 4291, section 2.5.5.2),
/// NAT64 (RFC 6052), 6to4 (RFC 3056), and Teredo's server and, with its bits turned over, client
/// (RFC 4380, section 4).
fn carried(address: Ipv6Addr) -> Option<Vec<Ipv4Addr>> {
    let bits = address.to_bits();
    let at = |from_the_right: u32| Ipv4Addr::from_bits((bits >> from_the_right) as u32);
    let within = |range| within_v6(address, range);
    if within(MAPPED) || within(NAT64) {
        Some(vec![at(0)])
    } else if within(SIX_TO_FOUR) {
        Some(vec![at(80)])
    } else if within(TEREDO) {
        Some(vec![at(64), Ipv4Addr::from_bits(!(bits as u32))])
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn global(address: &str) -> bool {
        is_global(address.parse().expect("an address"))
    }

    #[test]
    fn public_addresses() {
        for address in [
            "1.1.1.1",
            "93.184.216.34",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "168.63.129.15",
            "169.253.255.255",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2001:200::1",
            "2606:4700::1111",
            "2a00:1450::1",
            "::ffff:93.184.216.34",
            "64:ff9b::5db8:d822",
            "2002:5db8:d822::1",
            "2001:0:4136:e378:8000:63bf:a247:27dd", // Teredo: server 65.54.227.120, client 93.184.216.34
        ] {
            assert!(global(address), "{address}");
        }
    }

    #[test]
    fn first_and_last_address_of_each_special_range() {
        for address in [
            "0.0.0.0",
            "0.255.255.255",
            "10.0.0.0",
            "10.255.255.255",
            "100.64.0.0",
            "100.100.100.200",
            "100.127.255.255",
            "127.0.0.0",
            "127.255.255.255",
            "168.63.129.16",
            "169.254.0.0",
            "169.254.169.254",
            "169.254.255.255",
            "172.16.0.0",
            "172.31.255.255",
            "192.0.0.0",
            "192.0.0.192",
            "192.0.0.255",
            "192.0.2.0",
            "192.0.2.255",
            "192.88.99.1",
            "192.168.0.0",
            "192.168.255.255",
            "198.18.0.0",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.0",
            "239.255.255.255",
            "240.0.0.0",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "100::1",
            "100:0:0:1::1",
            "2001:1::1",
            "2001:20::1",
            "2001:1ff:ffff::1",
            "2001:db8::1",
            "3fff::1",
            "3fff:fff:ffff::1",
            "4000::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fdff:ffff::1",
            "fe80::1",
            "febf:ffff::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!global(address), "{address}");
        }
    }

    #[test]
    fn an_address_inside_an_address() {
        for address in [
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::5db8:d822",
            "2002:7f00:1::1",
            "2002:c0a8:101::1",
            "2001:0:4136:e378:8000:63bf:80ff:fffe", // Teredo: client 127.0.0.1
            "2001:0:a00:1:8000:63bf:a247:27dd",     // Teredo: server 10.0.0.1
        ] {
            assert!(!global(address), "{address}");
        }
    }
}
