//! `verb_object[_qualifier[_descriptor]]`, and the few fixed names outside the pattern.

use crate::near::nearest;
use crate::table::{Class, Object, Qualifier, Verb, fixed_names};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// The longest descriptor.
const DESCRIPTOR_MAX: usize = 30;
/// No name of the grammar is longer, so nothing longer is looked at.
const NAME_MAX: usize = 80;

/// The name of an executor. Only names of the grammar can be held.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExecutorName {
    text: String,
    shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Shape {
    Fixed(Class),
    Pattern { verb: Verb, object: Object, qualifier: Option<Qualifier> },
}

/// Why a text is not the name of an executor, and the nearest word that would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Empty, or longer than any name.
    #[error("a name has between 1 and {NAME_MAX} characters, this one has {length}")]
    Length {
        /// Bytes found.
        length: usize,
    },
    /// The first token is not a verb.
    #[error("{token:?} is not a verb{}", did_you_mean(.nearest))]
    Verb {
        /// What stands there.
        token: String,
        /// The closest verb, or fixed name.
        nearest: Option<String>,
    },
    /// There is no object, or it is not one.
    #[error("{token:?} is not an object{}", did_you_mean(.nearest))]
    Object {
        /// What stands there; empty when nothing does.
        token: String,
        /// The closest object.
        nearest: Option<String>,
    },
    /// The object is reserved for another verb.
    #[error("{object:?} exists only in {only}_{object}")]
    Reserved {
        /// The object.
        object: String,
        /// The one verb it goes with.
        only: String,
    },
    /// The third token is not a qualifier.
    #[error("{token:?} is not a qualifier{}", did_you_mean(.nearest))]
    Qualifier {
        /// What stands there.
        token: String,
        /// The closest qualifier this object takes.
        nearest: Option<String>,
    },
    /// The qualifier is one, but not of this object.
    #[error("{qualifier:?} does not follow {object:?}{}", did_you_mean(.nearest))]
    Pair {
        /// The object.
        object: String,
        /// The qualifier.
        qualifier: String,
        /// The closest qualifier this object takes.
        nearest: Option<String>,
    },
    /// The fourth token is not a descriptor.
    #[error("{token:?} is not a descriptor: kebab-case, 1 to {DESCRIPTOR_MAX} characters, never `batch`")]
    Descriptor {
        /// What stands there.
        token: String,
    },
    /// There is a fifth token.
    #[error("{token:?} is one token too many: a descriptor joins its words with `-`")]
    TooMany {
        /// The first token too many.
        token: String,
    },
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|word| format!("; nearest: {word:?}")).unwrap_or_default()
}

impl ExecutorName {
    /// The name `text` spells, exactly: no trimming, no change of case.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        if text.is_empty() || text.len() > NAME_MAX {
            return Err(NameError::Length { length: text.len() });
        }
        if let Some((_, class)) = fixed_names().find(|(name, _)| *name == text) {
            return Ok(Self { text: text.to_owned(), shape: Shape::Fixed(class) });
        }
        let mut tokens = text.split('_');
        let verb = verb(tokens.next().unwrap_or(""), text)?;
        let object = object(tokens.next().unwrap_or(""), verb)?;
        let qualifier = tokens.next().map(|token| qualifier(token, object)).transpose()?;
        if let Some(token) = tokens.next()
            && !is_descriptor(token)
        {
            return Err(NameError::Descriptor { token: token.to_owned() });
        }
        if let Some(token) = tokens.next() {
            return Err(NameError::TooMany { token: token.to_owned() });
        }
        Ok(Self { text: text.to_owned(), shape: Shape::Pattern { verb, object, qualifier } })
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The verb; `None` for a fixed name.
    pub fn verb(&self) -> Option<Verb> {
        match self.shape {
            Shape::Pattern { verb, .. } => Some(verb),
            Shape::Fixed(_) => None,
        }
    }

    /// The object; `None` for a fixed name.
    pub fn object(&self) -> Option<Object> {
        match self.shape {
            Shape::Pattern { object, .. } => Some(object),
            Shape::Fixed(_) => None,
        }
    }

    /// The qualifier, when there is one.
    pub fn qualifier(&self) -> Option<Qualifier> {
        match self.shape {
            Shape::Pattern { qualifier, .. } => qualifier,
            Shape::Fixed(_) => None,
        }
    }

    /// The descriptor, when there is one.
    pub fn descriptor(&self) -> Option<&str> {
        match self.shape {
            Shape::Pattern { .. } => self.text.split('_').nth(3),
            Shape::Fixed(_) => None,
        }
    }

    /// What it does to the world.
    pub fn class(&self) -> Class {
        match self.shape {
            Shape::Pattern { verb, object, .. } => verb.class(object),
            Shape::Fixed(class) => class,
        }
    }

    /// True for the few names outside the pattern.
    pub fn is_fixed(&self) -> bool {
        matches!(self.shape, Shape::Fixed(_))
    }
}

fn verb(token: &str, whole: &str) -> Result<Verb, NameError> {
    Verb::parse(token).ok_or_else(|| {
        let fixed = nearest(whole, fixed_names().map(|(name, _)| name));
        let near = fixed.or_else(|| nearest(token, Verb::all().map(Verb::as_str)));
        NameError::Verb { token: token.to_owned(), nearest: near.map(str::to_owned) }
    })
}

fn object(token: &str, verb: Verb) -> Result<Object, NameError> {
    let Some(object) = Object::parse(token) else {
        let free = Object::all().filter(|o| o.only_verb().is_none_or(|only| only == verb));
        let near = nearest(token, free.map(Object::as_str)).map(str::to_owned);
        return Err(NameError::Object { token: token.to_owned(), nearest: near });
    };
    match object.only_verb() {
        Some(only) if only != verb => {
            Err(NameError::Reserved { object: object.to_string(), only: only.to_string() })
        }
        _ => Ok(object),
    }
}

fn qualifier(token: &str, object: Object) -> Result<Qualifier, NameError> {
    let of_object = || Qualifier::all().filter(|q| q.objects().any(|o| o == object)).map(Qualifier::as_str);
    let near = || nearest(token, of_object()).map(str::to_owned);
    match Qualifier::parse(token) {
        None => Err(NameError::Qualifier { token: token.to_owned(), nearest: near() }),
        Some(qualifier) if qualifier.objects().all(|o| o != object) => {
            Err(NameError::Pair { object: object.to_string(), qualifier: token.to_owned(), nearest: near() })
        }
        Some(qualifier) => Ok(qualifier),
    }
}

/// Kebab-case that starts with a letter. Every executor takes a list, so none is a batch.
fn is_descriptor(token: &str) -> bool {
    let part =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    token.len() <= DESCRIPTOR_MAX
        && token.starts_with(|c: char| c.is_ascii_lowercase())
        && token.split('-').all(part)
        && token.split('-').next_back() != Some("batch")
}

impl std::fmt::Display for ExecutorName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.text)
    }
}

impl AsRef<str> for ExecutorName {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl std::str::FromStr for ExecutorName {
    type Err = NameError;
    fn from_str(text: &str) -> Result<Self, NameError> {
        Self::parse(text)
    }
}

impl Serialize for ExecutorName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for ExecutorName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(D::Error::custom)
    }
}
