//! Which address a wish may reach: pure but for the resolver it is given.

use metnos_executor::lab::{self, Layer};
use metnos_executor::profile::NetPattern;
use metnos_executor::{ErrorClass, Failure};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};

/// Turns a name into addresses.
pub trait Resolve: Send + Sync {
    /// All addresses of `host`.
    fn resolve(&self, host: &str) -> std::io::Result<Vec<IpAddr>>;
}

/// The system's resolver.
pub struct System;

impl Resolve for System {
    fn resolve(&self, host: &str) -> std::io::Result<Vec<IpAddr>> {
        #[cfg(feature = "lab")]
        if let Some(known) = crate::lab::known(host) {
            return Ok(known);
        }
        Ok((host, 0).to_socket_addrs()?.map(|a| a.ip()).collect())
    }
}

/// Why a wish was not granted.
#[derive(Debug, PartialEq, Eq)]
pub enum Refused {
    /// The fence does not name it, or it lies inside the house.
    Policy(String),
    /// The name has no address.
    Dns(String),
    /// The far end did not answer.
    Network(String),
}

impl Refused {
    /// As the executor sees it.
    pub fn into_failure(self, host: &str) -> Failure {
        match self {
            Self::Policy(why) => Failure::new(ErrorClass::PolicyViolation, format!("{host}: {why}")),
            Self::Dns(why) => Failure::new(ErrorClass::DnsError, format!("{host}: {why}")),
            Self::Network(why) => Failure::new(ErrorClass::Network, format!("{host}: {why}")),
        }
    }
}

/// The one address to connect to. An address inside the house is reached only when a pattern
/// names that very address; a name that resolves there is refused, whatever its pattern.
pub fn choose(
    patterns: &[NetPattern],
    host: &str,
    port: u16,
    resolver: &dyn Resolve,
) -> Result<SocketAddr, Refused> {
    let bare = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host);
    let literal = bare.parse::<IpAddr>().ok();
    let named = literal.is_some_and(|ip| patterns.iter().any(|p| p.port == port && p.address() == Some(ip)));
    if let (Some(ip), true) = (literal, named) {
        return Ok(SocketAddr::new(ip, port));
    }
    if !meant(patterns, bare, port) && !lab::without(Layer::ProxyFence) {
        return Err(outside(port));
    }
    let addresses = match literal {
        Some(ip) => vec![ip],
        None => resolver.resolve(bare).map_err(|e| Refused::Dns(e.to_string()))?,
    };
    // One inside answer taints the whole set: a name that points both in and out is an attack.
    match addresses.iter().find(|ip| !is_public(**ip) && !lab::without(Layer::ProxyAddress)) {
        Some(inside) => Err(Refused::Policy(format!("it leads to {inside}, inside the house"))),
        None => addresses
            .first()
            .map(|ip| SocketAddr::new(*ip, port))
            .ok_or_else(|| Refused::Dns("no address".into())),
    }
}

/// True when a pattern of the fence means this place.
fn meant(patterns: &[NetPattern], host: &str, port: u16) -> bool {
    patterns.iter().any(|p| (p.is_free() && p.port == port) || p.matches(host, port))
}

fn outside(port: u16) -> Refused {
    Refused::Policy(format!("port {port} is not in this executor's profile"))
}

/// The hosts of a birth test: which server on the loopback stands for which `host:port`. Nothing else is there.
#[derive(Clone, Debug, Default)]
pub struct Stage(pub Vec<(String, u16, SocketAddr)>);

impl Stage {
    /// The server that stands for a place the fence names.
    pub(super) fn choose(
        &self,
        patterns: &[NetPattern],
        host: &str,
        port: u16,
    ) -> Result<SocketAddr, Refused> {
        let bare = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host);
        if !meant(patterns, bare, port) {
            return Err(outside(port));
        }
        let known = self.0.iter().find(|(name, at, _)| name.eq_ignore_ascii_case(bare) && *at == port);
        known
            .map(|(_, _, address)| *address)
            .ok_or_else(|| Refused::Network("no server of this birth test stands for it".into()))
    }
}

/// True for addresses of the open internet only.
pub(crate) fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(v4) => public_v4(v4),
        IpAddr::V6(v6) => embedded(v6).map_or_else(|| public_v6(v6), |v4| public_v4(v4) && !is_mapped(v6)),
    }
}

fn public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    !(ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_broadcast()
        || ip.is_documentation()
        || ip.is_multicast()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (b == 18 || b == 19)))
}

fn public_v6(ip: Ipv6Addr) -> bool {
    // Global unicast is 2000::/3; documentation and the benchmark range are carved out of it.
    let s = ip.segments();
    (s[0] & 0xe000) == 0x2000 && !(s[0] == 0x2001 && (s[1] == 0x0db8 || s[1] < 0x0200)) && s[0] != 0x3fff
}

/// A mapped address is never asked for by honest software: it exists to slip past filters.
fn is_mapped(ip: Ipv6Addr) -> bool {
    ip.to_ipv4_mapped().is_some()
}

/// The IPv4 address inside a mapped, compatible, NAT64 or 6to4 address.
fn embedded(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    let s = ip.segments();
    let last = Ipv4Addr::from((u32::from(s[6]) << 16) | u32::from(s[7]));
    match s {
        [0, 0, 0, 0, 0, 0 | 0xffff, ..] => Some(last),
        [0x64, 0xff9b, ..] => Some(last),
        [0x2002, high, low, ..] => Some(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    struct Says(&'static [&'static str]);
    impl Resolve for Says {
        fn resolve(&self, _: &str) -> std::io::Result<Vec<IpAddr>> {
            Ok(self.0.iter().map(|a| a.parse().unwrap()).collect())
        }
    }

    fn try_host(pattern: &str, host: &str, answers: &'static [&'static str]) -> Result<SocketAddr, Refused> {
        choose(&[pattern.parse().unwrap()], host, 443, &Says(answers))
    }

    #[test]
    fn a_name_in_the_profile_that_leads_outside_is_reached_at_that_address() {
        assert_eq!(
            try_host("example.org:443", "example.org", &["93.184.216.34"]).unwrap().to_string(),
            "93.184.216.34:443"
        );
    }

    #[test]
    fn a_name_that_leads_inside_is_refused_even_if_another_answer_is_outside() {
        for inside in [
            &["127.0.0.1"][..],
            &["93.184.216.34", "10.0.0.1"],
            &["169.254.169.254"],
            &["::1"],
            &["::ffff:8.8.8.8"],
            &["::ffff:127.0.0.1"],
            &["fe80::1"],
            &["fd00::1"],
            &["64:ff9b::7f00:1"],
            &["2002:7f00:1::"],
            &["0.0.0.0"],
            &["100.64.0.1"],
            &["192.168.1.1"],
            &["224.0.0.1"],
            &["::"],
            &["::127.0.0.1"],
        ] {
            assert!(
                matches!(try_host("example.org:443", "example.org", inside), Err(Refused::Policy(_))),
                "{inside:?}"
            );
        }
    }

    #[test]
    fn an_inside_address_is_reached_only_when_the_profile_names_it() {
        assert!(try_host("127.0.0.1:443", "127.0.0.1", &[]).is_ok());
        assert!(try_host("example.org:443", "127.0.0.1", &[]).is_err());
        assert!(try_host("127.0.0.1:443", "localhost", &["127.0.0.1"]).is_err());
    }

    #[test]
    fn another_port_or_host_is_refused_before_any_lookup() {
        assert!(
            choose(&["example.org:80".parse().unwrap()], "example.org", 443, &Says(&["1.1.1.1"])).is_err()
        );
        assert!(try_host("example.org:443", "evil.org", &["1.1.1.1"]).is_err());
    }
}
