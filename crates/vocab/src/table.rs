//! The vocabulary file as typed tables.

use std::sync::OnceLock;

const SOURCE: &str = include_str!("../data/vocabulary.txt");

/// What a verb does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Brings records in: `read find list get`.
    Producer,
    /// Works on records in hand and changes nothing.
    Processor,
    /// Changes something outside.
    Changer,
}

/// What kind of narrowing a qualifier is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// The format of the content.
    Format,
    /// The side of the object that is looked at.
    Modality,
    /// A list of the safety policy.
    Safety,
    /// The service behind it.
    Provider,
}

macro_rules! token {
    ($(#[$doc:meta])* $name:ident, $rows:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(&'static str);

        impl $name {
            /// The term `token`, if the vocabulary has it.
            pub fn parse(token: &str) -> Option<Self> {
                table().$rows.iter().find(|row| row.token == token).map(|row| Self(row.token))
            }

            /// Every term, in the order of the vocabulary file.
            pub fn all() -> impl Iterator<Item = Self> {
                table().$rows.iter().map(|row| Self(row.token))
            }

            /// The term itself.
            pub fn as_str(self) -> &'static str {
                self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.0)
            }
        }
    };
}

token! {
    /// What an executor does.
    Verb, verbs
}
token! {
    /// What it does it to.
    Object, objects
}
token! {
    /// Which side or format of the object.
    Qualifier, qualifiers
}

impl Verb {
    /// The class of this verb on `object`; `extract` is safe on records in hand only.
    pub fn class(self, object: Object) -> Class {
        let row = table().verbs.iter().find(|row| row.token == self.0);
        // A token exists only because its row does; a changer is the safe reading of anything else.
        row.map_or(Class::Changer, |row| match row.except {
            Some((class, ref objects)) if objects.contains(&object.0) => class,
            _ => row.class,
        })
    }
}

impl Object {
    /// The one verb this object exists for, if it is reserved.
    pub fn only_verb(self) -> Option<Verb> {
        table().objects.iter().find(|row| row.token == self.0).and_then(|row| row.only).map(Verb)
    }
}

impl Qualifier {
    /// Its family.
    pub fn family(self) -> Family {
        self.row().map_or(Family::Modality, |row| row.family)
    }

    /// The objects it may follow.
    pub fn objects(self) -> impl Iterator<Item = Object> {
        self.row().into_iter().flat_map(|row| row.objects.iter().copied().map(Object))
    }

    fn row(self) -> Option<&'static QualifierRow> {
        table().qualifiers.iter().find(|row| row.token == self.0)
    }
}

/// The names outside the pattern and the class of each.
pub(crate) fn fixed_names() -> impl Iterator<Item = (&'static str, Class)> {
    table().fixed.iter().map(|row| (row.token, row.class))
}

struct VerbRow {
    token: &'static str,
    class: Class,
    except: Option<(Class, Vec<&'static str>)>,
}

struct ObjectRow {
    token: &'static str,
    only: Option<&'static str>,
}

struct QualifierRow {
    token: &'static str,
    family: Family,
    objects: Vec<&'static str>,
}

struct FixedRow {
    token: &'static str,
    class: Class,
}

#[derive(Default)]
struct Table {
    verbs: Vec<VerbRow>,
    objects: Vec<ObjectRow>,
    qualifiers: Vec<QualifierRow>,
    fixed: Vec<FixedRow>,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    // A line that cannot be read adds no term: the vocabulary only gets narrower. A test reads all.
    TABLE.get_or_init(|| {
        let mut table = Table::default();
        for line in lines() {
            add(&mut table, line);
        }
        table
    })
}

fn lines() -> impl Iterator<Item = &'static str> {
    SOURCE.lines().map(|line| line.split('#').next().unwrap_or("").trim()).filter(|line| !line.is_empty())
}

fn add(table: &mut Table, line: &'static str) -> Option<()> {
    let mut words = line.split_whitespace();
    let (kind, token) = (words.next()?, words.next()?);
    match kind {
        "verb" => {
            let class = class(words.next()?)?;
            let except = match words.next() {
                None => None,
                Some("except") => Some((self::class(words.next()?)?, words.collect())),
                Some(_) => return None,
            };
            table.verbs.push(VerbRow { token, class, except });
        }
        "object" => {
            let only = match words.next() {
                None => None,
                Some("only") => Some(words.next()?),
                Some(_) => return None,
            };
            table.objects.push(ObjectRow { token, only });
        }
        "qualifier" => {
            let family = match words.next()? {
                "format" => Family::Format,
                "modality" => Family::Modality,
                "safety" => Family::Safety,
                "provider" => Family::Provider,
                _ => return None,
            };
            table.qualifiers.push(QualifierRow { token, family, objects: words.collect() });
        }
        "fixed" => table.fixed.push(FixedRow { token, class: class(words.next()?)? }),
        _ => return None,
    }
    Some(())
}

fn class(word: &str) -> Option<Class> {
    match word {
        "producer" => Some(Class::Producer),
        "processor" => Some(Class::Processor),
        "changer" => Some(Class::Changer),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn every_line_of_the_vocabulary_file_is_understood() {
        let mut table = Table::default();
        for line in lines() {
            assert!(add(&mut table, line).is_some(), "not understood: {line}");
        }
        for row in &table.objects {
            assert!(row.only.is_none_or(|verb| Verb::parse(verb).is_some()), "{}", row.token);
        }
        let objects = table.qualifiers.iter().flat_map(|q| &q.objects);
        let excepted = table.verbs.iter().filter_map(|v| v.except.as_ref()).flat_map(|(_, o)| o);
        for object in objects.chain(excepted) {
            assert!(Object::parse(object).is_some(), "not an object: {object}");
        }
        assert!(table.qualifiers.iter().all(|q| !q.objects.is_empty()));
    }

    #[test]
    fn the_vocabulary_has_the_size_of_the_design_and_no_term_twice() {
        assert_eq!(Verb::all().count(), 23);
        assert_eq!(Object::all().count(), 22 + 1);
        assert_eq!(Qualifier::all().count(), 37);
        assert_eq!(fixed_names().count(), 6);
        let mut all: Vec<&str> = Verb::all().map(Verb::as_str).collect();
        all.extend(Object::all().map(Object::as_str));
        all.extend(Qualifier::all().map(Qualifier::as_str));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn extract_is_safe_only_on_records_in_hand() {
        let verb = Verb::parse("extract").unwrap();
        assert_eq!(verb.class(Object::parse("entries").unwrap()), Class::Processor);
        assert_eq!(verb.class(Object::parse("files").unwrap()), Class::Changer);
    }
}
