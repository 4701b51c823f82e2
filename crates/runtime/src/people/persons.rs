//! The people of the house: added, changed, revoked.

use super::words::{host_only, name, no_person, outrun, unrecorded};
use super::{HOST, Person, PersonChange, Role, slug};
use crate::guards::records::Kind;
use crate::guards::{self, Principal};
use crate::runtime::Runtime;
use metnos_executor::{ErrorClass, Failure};
use metnos_memory::db::Decision;
use serde_json::json;

impl Runtime {
    /// Everybody, also who was revoked; the host first, recorded or not.
    pub fn people(&self) -> Result<Vec<Person>, Failure> {
        let rows = self.read::<Person>(Kind::Person, &mut Vec::new())?;
        let mut people: Vec<Person> =
            rows.into_iter().filter(|(id, person)| *id == person.id).map(|(_, person)| person).collect();
        if !people.iter().any(|person| person.id == HOST) {
            people.push(self.unrecorded_host());
        }
        people.sort_by_key(|person| (person.role != Role::Host, person.id.clone()));
        Ok(people)
    }

    /// One of them, also if revoked.
    pub fn person(&self, id: &str) -> Result<Option<Person>, Failure> {
        Ok(self.person_row(id)?.map(|(_, person)| person))
    }

    /// The same with its row; the host has none until something about them was decided.
    fn person_row(&self, id: &str) -> Result<Option<(Option<Decision>, Person)>, Failure> {
        let found = self.one::<Person>(Kind::Person, id)?.good().filter(|(_, person)| person.id == id);
        Ok(match found {
            Some((row, person)) if id == HOST => Some((Some(row), self.as_configured(person))),
            Some((row, person)) => Some((Some(row), person)),
            None if id == HOST => Some((None, self.unrecorded_host())),
            None => None,
        })
    }

    /// Adds somebody. There is one host, and nobody becomes it.
    pub fn add_person(&self, name: &str, role: Role, by: &str) -> Result<Person, Failure> {
        host_only(by, "adds people")?;
        self.make_person(name, role, by)
    }

    pub(super) fn make_person(&self, given: &str, role: Role, by: &str) -> Result<Person, Failure> {
        if role == Role::Host {
            return Err(Failure::wrong_args("there is one host, and it is there already")
                .with_hint("member or guest"));
        }
        let name = name("name", given)?;
        let now = guards::now();
        for id in slug::candidates(&name) {
            // Also the id or a folder of somebody long gone is not given to another.
            if self.db.decision(Kind::Person.as_str(), &id).map_err(unrecorded)?.is_some()
                || self.db.erasure(&super::gone_mark(&id)).map_err(unrecorded)?.is_some()
                || self.person_dir(&id).symlink_metadata().is_ok()
            {
                continue;
            }
            let person = Person {
                id: id.clone(),
                name: name.clone(),
                role,
                language: None,
                zone: None,
                made_at: now.to_string(),
                revoked_at: None,
            };
            self.note_people(Some(by), json!({ "what": "person", "id": id, "name": name, "role": role }))?;
            let row = self.signed(Kind::Person, &id, &person)?;
            if self.db.decide_new(Kind::Person.as_str(), &row, now).map_err(unrecorded)? {
                return Ok(person);
            }
        }
        Err(Failure::wrong_args(format!("too many people are called {name}")).with_hint("take another name"))
    }

    /// Changes how somebody is called, their language or their zone; they themselves or the host may.
    pub fn change_person(&self, id: &str, change: PersonChange, by: &str) -> Result<Person, Failure> {
        let who = Principal::parse(by);
        if !who.is_host() && who.user != id {
            let why = format!("only {id} or the host may change this");
            return Err(Failure::new(ErrorClass::PolicyViolation, why));
        }
        let Some((row, mut person)) = self.person_row(id)? else { return Err(no_person(id)) };
        if person.revoked_at.is_some() {
            return Err(revoked(id));
        }
        if let Some(given) = &change.name {
            person.name = name("name", given)?;
        }
        if let Some(language) = change.language {
            person.language = language.map(|code| spoken(&code)).transpose()?;
        }
        if let Some(zone) = change.zone {
            person.zone = zone.map(|zone| on_earth(&zone)).transpose()?;
        }
        self.note_people(Some(by), json!({ "what": "person changed", "person": person }))?;
        self.put_person(row.as_ref(), &person)?;
        Ok(person)
    }

    /// From this moment they are nobody: no sender, no token, no step of a running turn.
    pub fn revoke_person(&self, id: &str, by: &str) -> Result<(), Failure> {
        host_only(by, "revokes people")?;
        if id == HOST {
            return Err(Failure::wrong_args("the host cannot be revoked: somebody must be left to decide"));
        }
        let Some((row, mut person)) = self.person_row(id)? else { return Err(no_person(id)) };
        let now = guards::now().to_string();
        self.note_people(Some(by), json!({ "what": "person revoked", "id": id }))?;
        if person.revoked_at.is_none() {
            person.revoked_at = Some(now.clone());
            // Who they are comes first: everything else is looked at through it.
            self.put_person(row.as_ref(), &person)?;
        }
        self.revoke_senders_of(id, &now)?;
        self.revoke_tokens_of(id, &now)
    }

    fn put_person(&self, old: Option<&Decision>, person: &Person) -> Result<(), Failure> {
        let (kind, now) = (Kind::Person.as_str(), guards::now());
        let new = self.signed(Kind::Person, &person.id, person)?;
        let put = match old {
            Some(old) => self.db.redecide(kind, old, &new, now),
            // The host, for the first time; a damaged row gives way.
            None => self.db.decide(kind, &new, now).map(|()| true),
        };
        if put.map_err(unrecorded)? { Ok(()) } else { Err(outrun()) }
    }

    /// The host before anything was decided about them: there since the keys are.
    fn unrecorded_host(&self) -> Person {
        let keys = std::fs::metadata(self.home.keys_dir().join("instance.pub"));
        let made = keys.and_then(|meta| meta.modified()).ok();
        let made = made.and_then(|at| jiff::Timestamp::try_from(at).ok());
        self.as_configured(Person {
            id: HOST.to_owned(),
            name: "Host".to_owned(),
            role: Role::Host,
            language: None,
            zone: None,
            made_at: made.unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_string(),
            revoked_at: None,
        })
    }

    /// What the host did not decide here, `[person]` in the configuration does.
    fn as_configured(&self, mut host: Person) -> Person {
        let own = &self.config.person;
        host.language.get_or_insert_with(|| own.language.word().to_owned());
        host.zone = host.zone.or_else(|| own.zone.as_ref().map(|zone| zone.0.clone()));
        host
    }
}

pub(super) fn revoked(id: &str) -> Failure {
    Failure::new(ErrorClass::PolicyViolation, format!("{id} was revoked"))
        .with_hint("the host can add them again: metnos users add")
}

fn spoken(code: &str) -> Result<String, Failure> {
    let code = code.trim().to_lowercase();
    match metnos_tongue::called(&code) {
        Some(tongue) => Ok(tongue.code.to_owned()),
        None => Err(Failure::wrong_args(format!("{code:?} is no language Metnos speaks"))
            .with_hint(metnos_tongue::names().join(", "))),
    }
}

fn on_earth(zone: &str) -> Result<String, Failure> {
    let found = jiff::tz::TimeZone::get(zone.trim());
    let found =
        found.map_err(|e| Failure::wrong_args(format!("zone: {e}")).with_hint("for example Europe/Rome"))?;
    Ok(found.iana_name().unwrap_or("UTC").to_owned())
}
