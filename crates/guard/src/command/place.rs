//! What a path on a command line stands for, read without looking at the disk.
//!
//! Whether or not a shell would expand it, `~`, `$HOME` and wildcards are taken for what they would
//! expand to: a command that is only harmless because of a quote is not worth the risk.

use super::table::{Places, fits};

/// What a path stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The whole machine.
    Root,
    /// Somebody's home, or all it holds.
    Home,
    /// A part of the system, or all it holds.
    System,
    /// A folder many things share, such as `/srv`, or all it holds.
    Shared,
    /// All of what was opened to Metnos in one place.
    Territory,
    /// What nobody may touch, or what holds that.
    Core,
    /// A folder above the one nobody named.
    Above,
    /// Something in a folder above the one nobody named.
    Beside,
    /// Anything else.
    Other,
}

/// A path as its names, without `.`, `..` and doubled slashes.
#[derive(Debug)]
pub(super) struct Spot {
    names: Vec<String>,
    absolute: bool,
    climbs: bool,
}

impl Spot {
    /// `text` seen from `from`, which is empty where nobody named a folder.
    pub(super) fn new(text: &str, from: &str) -> Self {
        let (text, from) = (at_home(&local(text)), at_home(from));
        let full = if text.starts_with('/') || from.is_empty() { text } else { format!("{from}/{text}") };
        let mut spot = Self { names: Vec::new(), absolute: full.starts_with('/'), climbs: false };
        for name in full.split('/') {
            match name {
                "" | "." => {}
                ".." => spot.climbs |= spot.names.pop().is_none() && !spot.absolute,
                name => spot.names.push(name.to_owned()),
            }
        }
        // A process's view of the root is the root.
        while spot.absolute
            && matches!(spot.names.as_slice(), [proc, _, root, ..] if proc == "proc" && root == "root")
        {
            spot.names.drain(..3);
        }
        spot
    }

    /// What a recursive change of this path would take with it.
    pub(super) fn place(&self, places: &Places) -> Place {
        let names = self.without_all();
        if self.climbs {
            return if names.is_empty() { Place::Above } else { Place::Beside };
        }
        if !self.absolute {
            return Place::Other;
        }
        if names.is_empty() {
            return Place::Root;
        }
        if places.homes.iter().any(|home| same(names, home)) {
            return Place::Home;
        }
        if self.is_harmless_device(places) {
            return Place::Other;
        }
        if places.tree.iter().any(|tree| within(names, tree) || holds(names, tree)) {
            return Place::System;
        }
        let shared = places.whole.iter().any(|whole| same(names, whole) || holds(names, whole));
        if shared { Place::Shared } else { Place::Other }
    }

    /// Whether it is a disk, or another device nobody should write to.
    pub(super) fn is_device(&self, places: &Places) -> bool {
        let below_dev = self.names.len() > 1 && self.names.first().is_some_and(|n| fits(n, "dev"));
        self.absolute && below_dev && !self.is_harmless_device(places)
    }

    fn is_harmless_device(&self, places: &Places) -> bool {
        let harmless = |name: &String| places.harmless_devices.iter().any(|d| fits(d, name));
        self.absolute
            && self.names.first().is_some_and(|n| n == "dev")
            && self.names.get(1).is_some_and(harmless)
    }

    /// Whether removing or overwriting it alone breaks the machine.
    pub(super) fn is_vital(&self, places: &Places) -> bool {
        self.absolute
            && (places.vital.iter().any(|vital| same(&self.names, vital))
                || places.boot.iter().any(|boot| within(&self.names, boot)))
    }

    /// Its names without the wildcards at the end that stand for everything in a folder.
    fn without_all(&self) -> &[String] {
        let end = self.names.iter().rposition(|name| !is_all(name)).map_or(0, |last| last + 1);
        self.names.get(..end).unwrap_or_default()
    }
}

/// What an address of a file (`file:///home/u`) stands for; anything else as it is.
pub(super) fn local(text: &str) -> String {
    let Some(rest) = text.get(..7).filter(|start| start.eq_ignore_ascii_case("file://")).and(text.get(7..))
    else {
        return text.to_owned();
    };
    let path = rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/");
    let mut bytes = Vec::with_capacity(path.len());
    let mut left = path.as_bytes();
    while let Some((&byte, rest)) = left.split_first() {
        let code = rest.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match code.and_then(|two| u8::from_str_radix(two, 16).ok()).filter(|_| byte == b'%') {
            Some(meant) => {
                bytes.push(meant);
                left = rest.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(byte);
                left = rest;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `text` with the home in the place of `~` and `$HOME`. Whose home it is makes no difference.
fn at_home(text: &str) -> String {
    for name in ["$HOME", "${HOME}"] {
        if let Some(rest) = text.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with('/')) {
            return format!("/home/~{rest}");
        }
    }
    if text.starts_with('~') { format!("/home/{text}") } else { text.to_owned() }
}

/// Whether `name` is a wildcard for everything (`*`, `.*`, `.[!.]*`).
fn is_all(name: &str) -> bool {
    let mut rest = String::new();
    let mut in_brackets = false;
    for c in name.chars() {
        match c {
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            c if !in_brackets => rest.push(c),
            _ => {}
        }
    }
    rest.contains('*') && rest.chars().all(|c| "*?.".contains(c))
}

/// Whether the written `name` can mean the `known` one.
fn means(name: &str, known: &str) -> bool {
    known == "*" || name == known || name.contains(['[', '{']) || fits(name, known)
}

fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|n| !n.is_empty())
}

fn same(spot: &[String], known: &str) -> bool {
    spot.len() == names(known).count() && within(spot, known)
}

/// Whether `spot` is `known` or lies in it.
fn within(spot: &[String], known: &str) -> bool {
    spot.len() >= names(known).count() && names(known).zip(spot).all(|(known, name)| means(name, known))
}

/// Whether `known` lies in `spot`.
fn holds(spot: &[String], known: &str) -> bool {
    spot.len() < names(known).count() && names(known).zip(spot).all(|(known, name)| means(name, known))
}
