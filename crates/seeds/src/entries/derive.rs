//! Groups an entry belongs to that are not fields of it: the month of its date, the domain of its
//! address, the kind of its file. A field of that name, when the entry has one, comes first.

use super::field::{Cell, FieldName};
use super::moment::Clock;
use crate::kinds;
use serde_json::value::RawValue;

/// Where dates are found, in order.
const DATES: [&str; 11] = [
    "date",
    "taken_at",
    "exif.taken_at",
    "start",
    "published",
    "mtime",
    "modified",
    "created",
    "created_at",
    "timestamp",
    "time",
];
const PLACES: [&str; 2] = ["path", "name"];
const ADDRESSES: [&str; 5] = ["url", "link", "from", "sender", "email"];
const SENDERS: [&str; 2] = ["from", "sender"];

/// A group by something derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Derived {
    /// The extension of a name, in lower case.
    Ext,
    /// The kind its extension says.
    Kind,
    /// `YYYY-MM-DD`.
    Day,
    /// `YYYY-MM`.
    Month,
    /// `YYYY`.
    Year,
    /// The host of an address on the web, or what follows the `@`.
    Domain,
    /// The bare address a mail came from.
    Sender,
}

impl Derived {
    /// The derived group called `name`.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "ext" => Self::Ext,
            "kind" => Self::Kind,
            "day" => Self::Day,
            "month" => Self::Month,
            "year" => Self::Year,
            "domain" => Self::Domain,
            "sender" => Self::Sender,
            _ => return None,
        })
    }

    /// The fields it may be derived from, best first.
    pub(super) fn sources(self) -> Vec<FieldName> {
        let names: &[&str] = match self {
            Self::Ext | Self::Kind => &PLACES,
            Self::Day | Self::Month | Self::Year => &DATES,
            Self::Domain => &ADDRESSES,
            Self::Sender => &SENDERS,
        };
        names.iter().map(|name| FieldName::new(name)).collect()
    }

    /// The group, from the values of the sources in their order.
    pub(super) fn of(self, sources: &[Option<&RawValue>], clock: &Clock) -> Option<String> {
        sources.iter().map(|raw| Cell::of(*raw)).find_map(|cell| match (self, &cell) {
            (_, Cell::Missing) => None,
            (Self::Day | Self::Month | Self::Year, cell) => {
                let date = clock.date(clock.read(cell)?)?;
                let (year, month) = (date.year(), date.month());
                Some(match self {
                    Self::Year => format!("{year:04}"),
                    Self::Month => format!("{year:04}-{month:02}"),
                    _ => date.to_string(),
                })
            }
            (Self::Ext, Cell::Text(path)) => Some(ext(path)),
            (Self::Kind, Cell::Text(path)) => Some(kind(&ext(path)).to_owned()),
            (Self::Domain, Cell::Text(address)) => domain(address),
            (Self::Sender, Cell::Text(from)) => Some(bare(from)),
            _ => None,
        })
    }
}

/// The extension; empty for names without one and for names that are only a dot and a word.
fn ext(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, ext)) if !stem.is_empty() => ext.to_lowercase(),
        _ => String::new(),
    }
}

fn kind(ext: &str) -> &'static str {
    kinds::of_ext(ext.as_bytes()).map_or("other", kinds::Kind::as_str)
}

/// `Anna <anna@example.org>` is `anna@example.org`.
fn bare(from: &str) -> String {
    let inner = match (from.rfind('<'), from.rfind('>')) {
        (Some(open), Some(close)) => from.get(open + 1..close).unwrap_or(from),
        _ => from,
    };
    inner.trim().to_lowercase()
}

fn domain(address: &str) -> Option<String> {
    let host = match address.split_once("://") {
        Some((_, rest)) => {
            let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
            let host = authority.rsplit('@').next().unwrap_or(authority);
            // A port follows the last colon, except inside the brackets of an IPv6 address.
            match host.rsplit_once(':') {
                Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name.to_lowercase(),
                _ => host.to_lowercase(),
            }
        }
        None => bare(address).rsplit_once('@')?.1.to_owned(),
    };
    let host = host.strip_prefix("www.").unwrap_or(&host).trim_end_matches('.');
    (!host.is_empty()).then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn names_addresses_and_kinds() {
        assert_eq!(
            [ext("/a.b/C.JPG"), ext("/a.b/c"), ext(".bashrc"), ext("x.tar.gz")],
            ["jpg", "", "", "gz"]
        );
        assert_eq!([kind("jpg"), kind("rs"), kind(""), kind("pdf")], ["image", "code", "other", "pdf"]);
        assert_eq!(bare("Anna <Anna@Example.org>"), "anna@example.org");
        assert_eq!(bare(">x<"), ">x<");
        for (address, host) in [
            ("https://www.Example.org:8443/a?b@c", Some("example.org")),
            ("http://user:pw@host.it", Some("host.it")),
            ("http://[::1]:80/", Some("[::1]")),
            ("Anna <anna@mail.example.org>", Some("mail.example.org")),
            ("nobody", None),
            ("https:///x", None),
        ] {
            assert_eq!(domain(address).as_deref(), host, "{address}");
        }
    }
}
