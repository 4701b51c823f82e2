//! The data file: what the parts of a command mean.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

const TABLE: &str = include_str!("../../data/commands.toml");

/// The table, or why it cannot be read; without it every command is refused.
pub(super) fn table() -> Result<&'static Table, &'static toml::de::Error> {
    static READ: LazyLock<Result<Table, toml::de::Error>> = LazyLock::new(|| toml::from_str(TABLE));
    READ.as_ref()
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    pub(super) places: Places,
    pub(super) links: Links,
    pub(super) essentials: Essentials,
    environment: Environment,
    pub(super) shells: Shells,
    pub(super) families: Families,
    writer: Vec<Writer>,
    destroyer: Vec<Destroyer>,
    sweeper: Vec<Sweeper>,
    wrapper: Vec<Wrapper>,
    program: Vec<Program>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Places {
    pub(super) tree: Vec<String>,
    pub(super) whole: Vec<String>,
    pub(super) homes: Vec<String>,
    pub(super) boot: Vec<String>,
    pub(super) vital: Vec<String>,
    pub(super) harmless_devices: Vec<String>,
    pub(super) programs: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Links {
    pub(super) by_name: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Essentials {
    pub(super) units: Vec<String>,
    pub(super) verbs: Vec<String>,
    pub(super) processes: Vec<String>,
    pub(super) name_letters: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Environment {
    harmless: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shells {
    pub(super) names: Vec<String>,
    pub(super) value_options: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Families {
    pub(super) delete: Vec<String>,
    pub(super) mode: Vec<String>,
    pub(super) owner: Vec<String>,
    #[serde(rename = "move")]
    pub(super) moves: Vec<String>,
    pub(super) find: Vec<String>,
    pub(super) mirror: Vec<String>,
    pub(super) kill: Vec<String>,
    pub(super) kill_by_name: Vec<String>,
    pub(super) service: Vec<String>,
}

/// Which words of a writer name what it writes.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Target {
    Last,
    Any,
    Option,
    Of,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Writer {
    names: Vec<String>,
    pub(super) target: Target,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Destroyer {
    names: Vec<String>,
    #[serde(default)]
    pub(super) options: Vec<String>,
    #[serde(default)]
    pub(super) words: Vec<String>,
    #[serde(default)]
    pub(super) harmless: Vec<String>,
    pub(super) shape: String,
    pub(super) why: String,
}

/// A program that empties or deletes what it is given, and when it does.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sweeper {
    names: Vec<String>,
    /// Only with one of these.
    #[serde(default)]
    pub(super) options: Vec<String>,
    /// Only with one of these before what it is given.
    #[serde(default)]
    pub(super) words: Vec<String>,
    /// These name the folder it works in.
    #[serde(default)]
    pub(super) chdir: Vec<String>,
    /// With these, what it works on is read from elsewhere.
    #[serde(default)]
    pub(super) elsewhere: Vec<String>,
    /// Given nothing, it works on the folder it is in.
    #[serde(default)]
    pub(super) here: bool,
    pub(super) verb: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wrapper {
    names: Vec<String>,
    #[serde(default)]
    pub(super) options: Vec<String>,
    #[serde(default)]
    pub(super) operands: usize,
    #[serde(default)]
    pub(super) assignments: bool,
    #[serde(default)]
    pub(super) elevates: bool,
    #[serde(default)]
    pub(super) strings: bool,
    #[serde(default)]
    pub(super) sweep: bool,
    #[serde(default)]
    pub(super) chdir: Vec<String>,
}

/// What an operand names.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A file or folder.
    Path,
    /// Software to install or remove.
    Package,
    /// A service.
    Unit,
    /// Another machine.
    Host,
    /// An account.
    User,
    /// A disk or other device.
    Device,
    /// A number, such as a process.
    Number,
    /// Anything else.
    Text,
}

impl Kind {
    /// As signatures write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Package => "package",
            Self::Unit => "unit",
            Self::Host => "host",
            Self::User => "user",
            Self::Device => "device",
            Self::Number => "number",
            Self::Text => "text",
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Program {
    names: Vec<String>,
    pub(super) operands: Vec<Kind>,
    #[serde(default)]
    pub(super) subcommands: usize,
    #[serde(default)]
    pub(super) options: Vec<String>,
    #[serde(default)]
    pub(super) actions: BTreeMap<String, String>,
    /// The subcommand that none means.
    #[serde(default)]
    pub(super) default: String,
    /// The action that no operand and no option means.
    #[serde(default)]
    pub(super) default_action: String,
    /// Options are whole words with one dash (`-exec`), not clusters of letters.
    #[serde(default)]
    pub(super) words_are_options: bool,
}

impl Table {
    pub(super) fn writers<'t>(&'t self, name: &str) -> impl Iterator<Item = &'t Writer> {
        self.writer.iter().filter(move |w| named(&w.names, name))
    }

    pub(super) fn destroyers<'t>(&'t self, name: &str) -> impl Iterator<Item = &'t Destroyer> {
        self.destroyer.iter().filter(move |d| named(&d.names, name))
    }

    pub(super) fn sweepers<'t>(&'t self, name: &str) -> impl Iterator<Item = &'t Sweeper> {
        self.sweeper.iter().filter(move |s| named(&s.names, name))
    }

    pub(super) fn wrapper(&self, name: &str) -> Option<&Wrapper> {
        self.wrapper.iter().find(|w| named(&w.names, name))
    }

    pub(super) fn program(&self, name: &str) -> Option<&Program> {
        self.program.iter().find(|p| named(&p.names, name))
    }

    pub(super) fn is_shell(&self, name: &str) -> bool {
        named(&self.shells.names, name)
    }

    pub(super) fn harmless_variable(&self, name: &str) -> bool {
        named(&self.environment.harmless, name)
    }
}

/// Whether one of `patterns` is `name`.
pub(super) fn named(patterns: &[String], name: &str) -> bool {
    patterns.iter().any(|p| fits(p, name))
}

/// Whether `text` fits `pattern`, in which `*` is any text and `?` any character.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&c) if c == '?' || Some(&c) == text.get(t) => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    p = at + 1;
                    t = from + 1;
                    star = Some((at, from + 1));
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|&c| c == '*')
}
