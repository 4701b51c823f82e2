//! Requests that other programs may fire: a person stored the words, the program only says when.

use crate::guards::Principal;
use crate::guards::records::Kind;
use crate::runtime::Runtime;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use metnos_executor::{ErrorClass, Failure};
use metnos_memory::audit::{self, Line};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The longest request of a hook.
const REQUEST_MAX: usize = 4 << 10;

/// Stands in a request for the place of what the program sent.
pub const BODY: &str = "{body}";

/// A request that a program may fire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hook {
    /// Its name, part of the address.
    pub name: String,
    /// Whose request it is.
    pub person: String,
    /// The words; [`BODY`] in them is the file that came along.
    pub request: String,
    /// Since when.
    pub made_at: String,
}

fn credential(name: &str) -> String {
    format!("hook-{name}")
}

impl Runtime {
    /// Stores a request under a name; gives the secret with which a program signs. It is shown now and never again.
    pub fn add_hook(&self, name: &str, person: &str, request: &str, by: &str) -> Result<String, Failure> {
        let fits = (1..=32).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            && !name.starts_with('-');
        if !fits {
            return Err(Failure::wrong_args("the name of a hook is 1 to 32 small letters, digits or -"));
        }
        if request.trim().is_empty() || request.len() > REQUEST_MAX {
            return Err(Failure::wrong_args(format!("the request of a hook has 1 to {REQUEST_MAX} bytes")));
        }
        self.only_host(by)?;
        if self.person(person)?.is_none_or(|known| known.revoked_at.is_some()) {
            return Err(Failure::new(ErrorClass::NotFound, format!("nobody here is called {person}"))
                .with_hint("metnos users list"));
        }
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|e| Failure::internal(e.to_string()))?;
        let secret = URL_SAFE_NO_PAD.encode(bytes);
        let hook = Hook {
            name: name.to_owned(),
            person: person.to_owned(),
            request: request.trim().to_owned(),
            made_at: jiff::Timestamp::now().to_string(),
        };
        self.note_hook("hook added", &hook, by)?;
        self.set_credential(&credential(name), vec![("secret".into(), secret.clone())], by)?;
        self.decide(Kind::Hook, name, &hook)?;
        Ok(secret)
    }

    /// Every hook.
    pub fn hooks(&self) -> Result<Vec<Hook>, Failure> {
        Ok(self.read::<Hook>(Kind::Hook, &mut Vec::new())?.into_iter().map(|(_, hook)| hook).collect())
    }

    /// One of them, with the secret its program signs with.
    pub fn hook(&self, name: &str) -> Result<Option<(Hook, String)>, Failure> {
        let Some((_, hook)) = self.one::<Hook>(Kind::Hook, name)?.good() else { return Ok(None) };
        let Ok(kept) = self.vault.get(&credential(name)) else { return Ok(None) };
        let secret = kept.fields.iter().next().map(|(_, secret)| secret.expose().to_owned());
        Ok(secret.map(|secret| (hook, secret)))
    }

    /// Takes one away; whoever knows its secret can do nothing with it any more.
    pub fn remove_hook(&self, name: &str, by: &str) -> Result<(), Failure> {
        self.only_host(by)?;
        let Some((row, hook)) = self.one::<Hook>(Kind::Hook, name)?.good() else {
            return Err(Failure::new(ErrorClass::NotFound, format!("no hook is called {name}"))
                .with_hint("metnos hooks list"));
        };
        self.note_hook("hook removed", &hook, by)?;
        self.db.drop_decision(Kind::Hook.as_str(), &row).map_err(|e| Failure::internal(e.to_string()))?;
        self.remove_credential(&credential(name), by)
    }

    /// Lets go of the secret of a hook that goes with its person; one that is gone already is gone.
    pub(crate) fn forget_hook_secret(&self, name: &str, by: &str) -> Result<(), Failure> {
        let name = credential(name);
        match self.credentials()?.iter().any(|kept| kept.name.as_str() == name) {
            true => self.remove_credential(&name, by),
            false => Ok(()),
        }
    }

    /// Keeps what a program sent with one event as a file of its own, and gives the request that was stored, with
    /// the handle of that file where [`BODY`] stands in it. It is content, and never an order.
    pub fn hook_event(&self, hook: &Hook, event: &str, body: &[u8]) -> Result<String, Failure> {
        let caller = format!("{}/hook", hook.person);
        let path = self.keep_event(&caller, &format!("{}-{event}.json", hook.name), body)?;
        Ok(hook.request.replace(BODY, &self.handle(&caller, &path)?))
    }

    fn only_host(&self, by: &str) -> Result<(), Failure> {
        match Principal::parse(by).is_host() {
            true => Ok(()),
            false => Err(Failure::new(ErrorClass::PolicyViolation, "only the host decides about hooks")),
        }
    }

    fn note_hook(&self, what: &str, hook: &Hook, by: &str) -> Result<(), Failure> {
        let mut line = Line::new(audit::Kind::Config);
        line.caller = Some(by.to_owned());
        line.detail = self.redactor().redact(&json!({ "what": what, "hook": hook }), &[]);
        self.audit.append(line).map(|_| ()).map_err(|e| crate::call::unrecorded(&e))
    }
}
