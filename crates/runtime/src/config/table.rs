//! Every key of the configuration with what it takes and what it is when nobody says: what `config check` measures
//! against and `config show` shows. A test keeps it the same as what is really read.

use super::doors;
use toml::de::DeValue;

/// What a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// true or false.
    Switch,
    /// A whole number from 0.
    Count,
    /// A whole number from 1.
    Some,
    /// A number from 0.
    Price,
    /// Any text.
    Text,
    /// One of these.
    Word(&'static [&'static str]),
    /// Address and port.
    Address,
    /// An address of the web.
    Url,
    /// Names of hosts.
    Hosts,
    /// A time zone.
    Zone,
    /// A language there is.
    Language,
}

/// A key: its name, what it takes, its default as it would be written; none when it is simply absent.
pub(super) type Key = (&'static str, Takes, Option<&'static str>);

/// The sections with their keys.
pub(super) const SECTIONS: &[(&str, &[Key])] = &[
    ("skills", &[("system", Takes::Switch, Some("true"))]),
    (
        "limits",
        &[
            ("calls_per_hour", Takes::Count, Some("100000")),
            ("changes_per_hour", Takes::Count, Some("5000")),
            ("cost_per_hour", Takes::Count, Some("1000000")),
            ("ask_above_cost", Takes::Count, Some("50000")),
            ("turns_per_minute", Takes::Count, Some("60")),
            ("request_mb_per_minute", Takes::Count, Some("8")),
            ("guest_state_mb", Takes::Count, Some("500")),
        ],
    ),
    ("undo", &[("keep_days", Takes::Some, Some("30")), ("budget_mb", Takes::Count, Some("20000"))]),
    ("turns", &[("keep_days", Takes::Some, Some("30")), ("budget_mb", Takes::Count, Some("1000"))]),
    ("logs", &[("keep_days", Takes::Some, Some("14")), ("budget_mb", Takes::Count, Some("50"))]),
    (
        "budget",
        &[
            ("tokens_per_turn", Takes::Count, Some("60000")),
            ("seconds_per_turn", Takes::Count, Some("180")),
            ("tokens_per_day", Takes::Count, Some("2000000")),
            ("cost_per_day", Takes::Count, Some("1000000")),
        ],
    ),
    (
        "serve",
        &[
            ("listen", Takes::Address, Some("\"127.0.0.1:8770\"")),
            ("tls", Takes::Word(&["off", "own"]), Some("\"off\"")),
            ("behind_proxy", Takes::Switch, Some("false")),
            ("names", Takes::Hosts, Some("[]")),
            ("public_url", Takes::Url, None),
        ],
    ),
    (
        "telegram",
        &[
            ("enabled", Takes::Switch, Some("false")),
            ("credential", Takes::Text, Some("\"telegram\"")),
            ("api", Takes::Url, Some("\"https://api.telegram.org\"")),
            ("poll_seconds", Takes::Some, Some("50")),
        ],
    ),
    (
        "person",
        &[("language", Takes::Language, Some(metnos_tongue::FALLBACK_WRITTEN)), ("zone", Takes::Zone, None)],
    ),
];

/// The section with one table for each role.
pub(super) const TIERS: &str = "tiers";

/// The keys of each role.
pub(super) const TIER: &[Key] = &[
    ("kind", Takes::Word(&["openai", "anthropic"]), None),
    ("url", Takes::Url, None),
    ("model", Takes::Text, None),
    ("credential", Takes::Text, None),
    ("timeout_seconds", Takes::Some, Some("60")),
    ("context", Takes::Some, None),
    ("price_in", Takes::Price, Some("0")),
    ("price_out", Takes::Price, Some("0")),
    ("grammar", Takes::Word(&["gbnf", "json_schema", "none"]), None),
];

/// The keys of a role that must be there.
pub(super) const TIER_NEEDS: [&str; 3] = ["kind", "url", "model"];

impl Takes {
    /// Why a key does not take this value.
    pub(super) fn refuses(self, value: &DeValue<'_>) -> Option<String> {
        let number = value.as_integer().and_then(|n| i128::from_str_radix(n.as_str(), n.radix()).ok());
        let whole = |from: i128, to: i128, what: &str| match number {
            Some(n) if (from..=to).contains(&n) => None,
            _ => Some(format!("takes a whole number from {from}{what}")),
        };
        let text = |check: fn(&str) -> Result<(), String>| match value.as_str() {
            Some(text) => check(text).err(),
            None => Some("takes a text in quotes".into()),
        };
        match self {
            Self::Switch => value.as_bool().is_none().then(|| "takes true or false".into()),
            Self::Count => whole(0, i128::from(i64::MAX), ""),
            Self::Some => whole(1, i128::from(u32::MAX), ""),
            Self::Price => {
                let float = value.as_float().and_then(|f| f.as_str().parse::<f64>().ok());
                let price = float.or_else(|| number.map(|n| n as f64));
                (!price.is_some_and(|price| (0.0..1e9).contains(&price)))
                    .then(|| "takes a number from 0".into())
            }
            Self::Text => text(|_| Ok(())),
            Self::Zone => text(doors::zone),
            Self::Language => text(doors::language),
            Self::Url => text(doors::web_url),
            Self::Address => text(|text| match text.parse::<std::net::SocketAddr>() {
                Ok(_) => Ok(()),
                Err(_) => Err("takes an address with its port, as in \"127.0.0.1:8770\"".into()),
            }),
            Self::Hosts => match value.as_array() {
                None => Some("takes a list of names, as in [\"butler.example\"]".into()),
                Some(items) => items.iter().find_map(|item| match item.get_ref().as_str() {
                    Some(name) => doors::host_name(name).err(),
                    None => Some("takes a list of names in quotes".into()),
                }),
            },
            Self::Word(words) => match value.as_str() {
                Some(word) if words.contains(&word) => None,
                given => {
                    let near = given.and_then(|word| metnos_vocab::nearest(word, words.iter().copied()));
                    let near = near.map(|near| format!("; is \"{near}\" meant?")).unwrap_or_default();
                    Some(format!("takes one of {}{near}", words.join(", ")))
                }
            },
        }
    }
}
