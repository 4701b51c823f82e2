//! The catalog as the planner sees it: names, typed arguments with their roles, the fields that come out.
//!
//! Everything here is read from manifests and schemas. What an argument is *for* the manifest says (`[plan]`), else its
//! name (`data/roles.toml`). Nothing is known about a tool that is not written there.

mod load;

pub use load::CatalogError;
pub use metnos_vocab::Role;

use metnos_vocab::{Class, ExecutorName};
use std::collections::BTreeMap;

/// One executor, typed.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name.
    pub name: ExecutorName,
    /// What it does to the world.
    pub class: Class,
    /// Its arguments, in the order of the schema.
    pub args: Vec<Arg>,
    /// The fields of the records it answers with, and their types.
    pub gives: BTreeMap<String, Type>,
    /// True when its records may hold other fields too, as the columns of a table.
    pub open: bool,
    /// True when its answer is a list that pipes go on from (entries, not outcomes).
    pub pipes: bool,
    /// Keeps whatever fields came in.
    pub keeps: bool,
    /// The object of the records that go along with what it does; none go along where none are spoken of.
    pub along: Option<String>,
    /// Never works on all there is: the list it takes has to be chosen by something.
    pub bounded: bool,
    /// Fields of which at least one must be in the records that come in.
    pub needs: Vec<String>,
    /// Groups of arguments of which at least one must be given, in the order they are asked for.
    pub requires: Vec<Vec<String>>,
    /// Why it cannot run: the key of a sentence.
    pub dormant: Option<String>,
    /// The command that lets it run, if there is one.
    pub way: Option<String>,
    /// What it is for, by language.
    pub scope: BTreeMap<String, String>,
    /// Routing words, by language.
    pub affinity: BTreeMap<String, Vec<String>>,
    /// Executors that often stand beside it.
    pub companions: Vec<String>,
    /// Of its manifest and schema.
    pub digest: String,
}

/// One argument.
#[derive(Clone, Debug)]
pub struct Arg {
    /// Its name in the schema.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The values it is limited to.
    pub choices: Vec<String>,
    /// Whether the schema demands it.
    pub required: bool,
    /// Whether the schema fills it in.
    pub default: Option<serde_json::Value>,
    /// What it is for.
    pub role: Option<Role>,
    /// Arguments inside the items of a list of records.
    pub inside: Vec<Arg>,
    /// All that its schema says.
    pub schema: serde_json::Value,
}

/// The shape of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Text.
    Text,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// Yes or no.
    Bool,
    /// A list.
    List,
    /// A record.
    Record,
    /// Several of these.
    Mixed,
}

/// The executors a plan may use, ordered by name.
#[derive(Clone, Debug)]
pub struct Catalog {
    tools: Vec<Tool>,
}

impl Catalog {
    /// What ships with this binary: seeds, and dormant ones beside them.
    pub fn shipped() -> Result<Self, CatalogError> {
        load::read(load::SHIPPED)
    }

    /// A catalog from pairs of manifest and schema texts; of two with one name the first stands.
    pub fn from_sources(sources: &[(&str, &str)]) -> Result<Self, CatalogError> {
        load::read(sources)
    }

    /// The same catalog without one executor.
    pub fn without(mut self, name: &str) -> Self {
        self.tools.retain(|tool| tool.name.as_str() != name);
        self
    }

    /// The same catalog, in which these can run: what ships them knows better than their manifests.
    pub fn awaken(mut self, names: &[&str]) -> Self {
        for tool in self.tools.iter_mut().filter(|tool| names.contains(&tool.name.as_str())) {
            tool.dormant = None;
        }
        self
    }

    /// The same catalog, in which this one cannot run: the key of the reason, and the command that helps.
    pub fn asleep(mut self, name: &str, why: &str, way: &str) -> Self {
        for tool in self.tools.iter_mut().filter(|tool| tool.name.as_str() == name) {
            (tool.dormant, tool.way) = (Some(why.to_owned()), Some(way.to_owned()));
        }
        self
    }

    /// The same catalog with these pairs of manifest and schema texts, which a person has put in: in place of ones
    /// that cannot run yet, beside all others. What does not read is left out; it would not run either.
    pub fn joined(mut self, sources: &[(String, String)]) -> Self {
        for (manifest, schema) in sources {
            let Ok(read) = load::read(&[(manifest, schema)]) else { continue };
            for tool in read.tools {
                match self.tools.binary_search_by(|known| known.name.as_str().cmp(tool.name.as_str())) {
                    Ok(at) if self.tools[at].dormant.is_some() => self.tools[at] = tool,
                    Ok(_) => {}
                    Err(at) => self.tools.insert(at, tool),
                }
            }
        }
        self
    }

    /// Of every executor in it, and of whether it can run.
    pub fn digest(&self) -> String {
        let mut hash = blake3::Hasher::new();
        hash.update(load::ROLES.as_bytes());
        for tool in &self.tools {
            hash.update(tool.name.as_str().as_bytes()).update(tool.digest.as_bytes());
            hash.update(tool.dormant.as_deref().unwrap_or_default().as_bytes()).update(b"\n");
        }
        hash.finalize().to_hex().chars().take(32).collect()
    }

    /// Every executor, by name.
    pub fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter()
    }

    /// The executor of this name.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name.as_str() == name)
    }

    /// What things of this kind are looked up with, where nothing else is said.
    pub fn source(&self, object: &str) -> Option<&Tool> {
        const LOOKING: [&str; 3] = ["find", "list", "get"];
        let looks = |tool: &&Tool| {
            tool.object() == object && tool.class == Class::Producer && tool.qualifier().is_empty()
        };
        LOOKING.iter().find_map(|verb| self.tools.iter().filter(looks).find(|tool| tool.verb() == *verb))
    }

    /// The first processor with an argument of this role.
    pub fn processor(&self, role: Role) -> Option<&Tool> {
        self.tools
            .iter()
            .find(|tool| tool.class == Class::Processor && tool.takes(role) && tool.takes(Role::List))
    }
}

impl Tool {
    /// The argument with this role.
    pub fn arg(&self, role: Role) -> Option<&Arg> {
        self.args.iter().find(|arg| arg.role == Some(role))
    }

    /// The argument with this role inside the records it takes.
    pub fn inner(&self, role: Role) -> Option<&Arg> {
        self.args.iter().flat_map(|arg| &arg.inside).find(|arg| arg.role == Some(role))
    }

    /// Whether an argument has this role.
    pub fn takes(&self, role: Role) -> bool {
        self.arg(role).is_some()
    }

    /// The verb of its name, or nothing for a fixed name.
    pub fn verb(&self) -> &str {
        self.name.verb().map_or("", |verb| verb.as_str())
    }

    /// The object of its name, or nothing for a fixed name.
    pub fn object(&self) -> &str {
        self.name.object().map_or("", |object| object.as_str())
    }

    /// The qualifier of its name, or nothing.
    pub fn qualifier(&self) -> &str {
        self.name.qualifier().map_or("", |qualifier| qualifier.as_str())
    }

    /// The fields of its records that a person may name: not the twins that hold bytes.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.gives.keys().map(String::as_str).filter(|name| !name.ends_with("_b64"))
    }

    /// Whether its list input can come from an earlier step.
    pub fn piped(&self) -> bool {
        self.takes(Role::List)
    }
}
