//! What the words of a query ask for.

use super::words::{senses, stem, words};
use crate::Lexicons;
use crate::catalog::Role;
use crate::parse::{Item, items};
use crate::text::Lit;
use std::collections::BTreeSet;

/// Longest query that is looked at, in words or phrases.
const LONGEST: usize = 400;

/// Evidence for executors.
#[derive(Debug, Default)]
pub(super) struct Query {
    /// Stems of the words that mean something.
    pub(super) words: BTreeSet<String>,
    /// What they mean.
    pub(super) senses: BTreeSet<String>,
    /// Verbs, objects and qualifiers of the closed vocabulary.
    pub(super) verbs: BTreeSet<String>,
    pub(super) objects: BTreeSet<String>,
    pub(super) qualifiers: BTreeSet<String>,
    /// Executors the words mean by themselves.
    pub(super) tools: BTreeSet<String>,
    /// What arguments are there for.
    pub(super) roles: BTreeSet<String>,
    /// Verbs of processors: asked for by what is done to a list, not by its object.
    pub(super) works: BTreeSet<&'static str>,
}

/// What a query asks for, in the language it is in.
pub(super) fn read(text: &str, lexicons: &Lexicons) -> Query {
    let mut query = Query::default();
    let Some(lexicon) = lexicons.detect(text) else {
        query.words = words(text).iter().map(|word| stem(word)).collect();
        return query;
    };
    for word in words(text).iter().take(LONGEST) {
        // A word that only binds others together says nothing about an executor.
        let bare = lexicon.single(word).is_some_and(|phrase| {
            phrase.senses.iter().all(|s| {
                matches!(s.cat.as_str(), "stop" | "polite" | "pron" | "prep" | "subject" | "ask" | "self")
            })
        });
        if !bare {
            query.words.insert(stem(word));
        }
    }
    let found = items(text, lexicon);
    for item in found.iter().take(LONGEST) {
        for sense in &item.senses {
            query.sense(&sense.cat, &sense.id, lexicons);
            if matches!(sense.cat.as_str(), "verb" | "noun") {
                query.senses.insert(format!("{}:{}", sense.cat, sense.id));
            }
        }
        query.literal(item);
        // A phrase hides what its words mean alone.
        if item.words > 1 {
            query.senses.extend(words(&item.text).iter().flat_map(|word| senses(word, lexicons)));
        }
    }
    query.together(&found);
    query
}

/// Senses that only say when.
const WHEN: [&str; 4] = ["clock", "weekday", "day_part", "unit"];

impl Query {
    fn sense(&mut self, cat: &str, id: &str, lexicons: &Lexicons) {
        let senses = &lexicons.senses;
        match cat {
            "verb" => {
                let mut verb = senses.verb.get(id);
                while let Some(v) = verb {
                    if v.query {
                        self.verbs.extend(["find", "get", "list"].map(str::to_owned));
                    }
                    self.verbs.extend(v.verb.clone());
                    self.objects.extend(v.object.clone());
                    self.qualifiers.extend(v.qualifier.clone());
                    self.tools.extend(v.tool.clone());
                    self.roles.extend(v.set.keys().map(role_name));
                    verb = v.fallback.as_deref();
                }
            }
            "noun" => {
                if let Some(noun) = senses.noun.get(id) {
                    self.objects.extend(noun.object.clone());
                    self.objects.extend(noun.acting.clone());
                    self.qualifiers.extend(noun.qualifier.clone());
                    self.verbs.extend(noun.verb.clone());
                    self.tools.extend(noun.tool.clone());
                    self.roles.extend(noun.set.keys().map(role_name));
                }
            }
            "flag" => self.roles.extend(senses.flag.get(id).map(|flag| role_name(&flag.role))),
            "stat" => self.works.extend(["compute"]),
            "super" | "order" => self.works.extend(["sort"]),
            "which_group" | "stat_group" => self.works.extend(["group"]),
            "output" => self.works.extend(["render"]),
            "extract_field" => self.works.extend(["extract"]),
            "neg" | "set" => self.works.extend(["filter"]),
            _ => {}
        }
    }

    /// What is named as files are named is a file, unless a noun says otherwise.
    fn literal(&mut self, item: &Item) {
        let named =
            matches!(item.lit, Lit::Path(_) | Lit::Slashed(_) | Lit::File(_) | Lit::Glob(_) | Lit::Ext(_));
        if named || item.sense("place").is_some() || item.sense("touch").is_some() {
            self.objects.insert("files".to_owned());
        }
    }

    /// What several words say together: arithmetic, a recurrence, groups.
    fn together(&mut self, items: &[Item]) {
        let any = |cats: &[&str]| items.iter().any(|item| cats.iter().any(|cat| item.sense(cat).is_some()));
        let number = items.iter().any(|item| item.number().is_some());
        let sign =
            items.iter().any(|item| matches!(item.lit, Lit::Symbol('+' | '*' | '/' | '%' | '^' | '×' | '÷')));
        if number && (sign || any(&["math", "measure", "measure_to"])) {
            self.objects.insert("numbers".to_owned());
            self.verbs.insert("compute".to_owned());
        }
        let again = items.iter().any(|item| item.sense("every").is_some_and(|id| id != "on"));
        if again && any(&WHEN) {
            self.objects.insert("tasks".to_owned());
            self.verbs.insert("create".to_owned());
        }
        if any(&["group"]) && items.iter().any(|item| item.is("by", "by")) {
            self.works.insert("group");
        }
    }
}

fn role_name(role: &Role) -> String {
    serde_json::to_value(role).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}
