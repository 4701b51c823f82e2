//! Credentials, handed to the one call whose manifest names them, and to nobody else.

use crate::call::Door;
use crate::guards::Principal;
use crate::runtime::Runtime;
use metnos_executor::home::Home;
use metnos_executor::signature::Verified;
use metnos_executor::{ErrorClass, ExecutorName, Failure, Lacked, Outcome};
use metnos_guard::Redactor;
use metnos_memory::audit::{Kind, Line};
use metnos_vault::{Fields, Form, Listed, Missing, Secret, Vault, VaultError};
use serde_json::json;
use std::fs::File;
use std::sync::Arc;

/// A failure of the vault, with what to do.
pub(crate) fn failed(error: &VaultError) -> Failure {
    let class = match error {
        VaultError::Missing(_) => ErrorClass::Unauthorized,
        VaultError::Unknown { .. } => ErrorClass::NotFound,
        VaultError::NotBound { .. } => ErrorClass::PolicyViolation,
        VaultError::BadName | VaultError::TooBig { .. } | VaultError::NoFields => ErrorClass::WrongArgs,
        _ => ErrorClass::Internal,
    };
    let failure = Failure::new(class, error.to_string());
    match error.hint() {
        Some(hint) => failure.with_hint(hint),
        None => failure,
    }
}

/// A call that needs a credential nobody kept, with the command that keeps it.
fn not_kept(missing: &Missing, form: &Form) -> Failure {
    let lacked = |form: &Form| Lacked {
        name: form.name.as_str().to_owned(),
        fields: form.fields.iter().map(|field| field.as_str().to_owned()).collect(),
    };
    let first = lacked(form);
    let hint = format!("metnos credentials set {} {}", first.name, first.fields.join(" "));
    let failure = failed(&VaultError::Missing(missing.clone())).with_hint(hint);
    Failure { lacks: missing.forms.iter().map(lacked).collect(), ..failure }
}

/// The vault of a home.
pub(crate) fn open(home: &Home) -> Result<Vault, Failure> {
    // From here on this process holds secrets.
    metnos_vault::protect_process().map_err(|e| Failure::io("keeping secrets out of core dumps", &e))?;
    Vault::open(&home.config_dir(), &home.state_dir(), |name| std::env::var_os(name), jiff::Timestamp::now)
        .map_err(|e| failed(&e))
}

/// The first field of a credential that Metnos itself uses.
pub(crate) fn own_secret(vault: &Vault, name: &str) -> Result<Secret, Failure> {
    let unfit = |why: &str| {
        Failure::new(ErrorClass::Unauthorized, format!("the credential {name} {why}"))
            .with_hint(format!("metnos credentials set {name} token"))
    };
    let credential = match vault.get(name) {
        Err(VaultError::Unknown { .. }) => return Err(unfit("is not kept")),
        other => other.map_err(|e| failed(&e))?,
    };
    if !credential.bindings.is_empty() {
        return Err(unfit("belongs to executors"));
    }
    let (_, secret) = credential.fields.iter().next().ok_or_else(|| unfit("is empty"))?;
    Ok(Secret::new(secret.expose().to_owned()))
}

impl Runtime {
    /// Names only, never a value.
    pub fn credentials(&self) -> Result<Vec<Listed>, Failure> {
        self.vault.list().map_err(|e| failed(&e))
    }

    /// Keeps a credential. The audit gets its name and the names of its fields.
    pub fn set_credential(&self, name: &str, fields: Vec<(String, String)>, by: &str) -> Result<(), Failure> {
        let names: Vec<String> = fields.iter().map(|(name, _)| name.clone()).collect();
        let fields = fields.into_iter().map(|(name, value)| (name, Secret::new(value)));
        let fields = Fields::new(fields).map_err(|e| failed(&e))?;
        self.note_credential("set", name, &names, by)?;
        self.vault.set(name, fields).map_err(|e| failed(&e))?;
        // What is written from now on does not hold it; nor may what was written before.
        self.seal_again()
    }

    /// Lets go of a credential.
    pub fn remove_credential(&self, name: &str, by: &str) -> Result<(), Failure> {
        self.note_credential("removed", name, &[], by)?;
        self.vault.remove(name).map_err(|e| failed(&e))
    }

    fn note_credential(&self, what: &str, name: &str, fields: &[String], by: &str) -> Result<(), Failure> {
        let known = metnos_vault::Name::parse(name).map_err(|e| failed(&e))?;
        let mut line = Line::new(Kind::Config);
        line.caller = Some(by.to_owned());
        line.detail =
            json!({ "what": format!("credential {what}"), "name": known.as_str(), "fields": fields });
        self.audit.append(line).map(|_| ()).map_err(|e| crate::call::unrecorded(&e))
    }

    /// What a call's profile names, in a sealed memory file; `None` when it names nothing. Who sits
    /// at the door is asked for what is missing, and the call goes on with the answer.
    pub(crate) fn credentials_for(
        &self,
        found: &Verified,
        caller: &str,
        door: &mut dyn Door,
    ) -> Result<Option<File>, Failure> {
        let wanted = &found.manifest.sandbox.credentials;
        if wanted.is_empty() {
            return Ok(None);
        }
        let name = &found.manifest.executor.name;
        let bundle = match self.vault.for_call(name, wanted) {
            Err(VaultError::Missing(mut missing)) => {
                while let Some(form) = missing.forms.first() {
                    // Only the host keeps credentials; others are told what is missing.
                    let host = Principal::parse(caller).is_host();
                    let fields = if host { door.fill(form) } else { None };
                    let fields = fields.ok_or_else(|| not_kept(&missing, form))?;
                    self.set_credential(form.name.as_str(), fields, caller)?;
                    missing.forms.remove(0);
                }
                self.vault.for_call(name, wanted)
            }
            other => other,
        };
        let sealed = bundle.and_then(|bundle| bundle.to_sealed_file()).map_err(|e| failed(&e))?;
        Ok(Some(sealed))
    }

    /// Asks whoever sits at the door for what a builtin lacks, and keeps it. Only the host keeps credentials.
    pub(crate) fn fill(&self, lacking: Failure, caller: &str, door: &mut dyn Door) -> Result<(), Failure> {
        if !Principal::parse(caller).is_host() {
            return Err(lacking);
        }
        for lacked in lacking.lacks.clone() {
            let name = metnos_vault::Name::parse(&lacked.name).map_err(|e| failed(&e))?;
            let form = Form::of(name).map_err(|e| failed(&e))?;
            let Some(fields) = door.fill(&form) else { return Err(lacking) };
            self.set_credential(&lacked.name, fields, caller)?;
        }
        Ok(())
    }

    /// What to ask for before an executor can do its work: the credentials it names that nobody kept.
    pub fn missing_credentials(&self, executor: &str) -> Result<Vec<Form>, Failure> {
        let name = ExecutorName::parse(executor).map_err(|e| Failure::wrong_args(e.to_string()))?;
        if crate::builtin::schema(&name).is_some() {
            return Ok(Vec::new());
        }
        let found = self.resolve(&name, None)?;
        match self.vault.for_call(&name, &found.manifest.sandbox.credentials) {
            Err(VaultError::Missing(missing)) => Ok(missing.forms),
            Err(error) => Err(failed(&error)),
            Ok(_) => Ok(Vec::new()),
        }
    }

    /// The key of a model's server. One that is bound to executors is theirs alone.
    pub fn model_key(&self, name: &str) -> Result<metnos_llm::Key, Failure> {
        own_secret(&self.vault, name).map(|secret| metnos_llm::Key::new(secret.expose().to_owned()))
    }

    /// The token of the bot that is the Telegram door. One that is bound to executors is theirs alone.
    pub fn bot_token(&self) -> Result<Secret, Failure> {
        own_secret(&self.vault, &self.config.telegram.credential)
    }

    /// What went wrong, told without secrets: a message may hold whatever an executor was given.
    pub(crate) fn discreet(&self, mut outcome: Outcome) -> Outcome {
        let redactor = self.redactor();
        outcome.error = outcome.error.map(|failure| self.discreet_failure(self.in_step(failure)));
        for failed in &mut outcome.failed {
            failed.what = redactor.redact_text(&failed.what);
            failed.message = redactor.redact_text(&failed.message);
        }
        outcome
    }

    /// The same for one failure.
    pub(crate) fn discreet_failure(&self, mut failure: Failure) -> Failure {
        let redactor = self.redactor();
        failure.message = redactor.redact_text(&failure.message);
        failure.hint = failure.hint.map(|hint| redactor.redact_text(&hint));
        failure
    }

    /// Seals values of the vault in what was written before they were known.
    pub(crate) fn seal_again(&self) -> Result<(), Failure> {
        let forms = self.discretion.redactor()?.known_forms().to_vec();
        let sealed = self.db.seal_again(&forms).map(|_| ());
        sealed.map_err(|e| Failure::internal(format!("what is kept could not be sealed: {e}")))
    }

    /// What is secret here, for who keeps lists.
    pub fn discretion(&self) -> &Arc<crate::discreet::Discretion> {
        &self.discretion
    }

    /// A value without secrets, fit to be shown.
    pub fn told_value(&self, value: &mut serde_json::Value) {
        self.redactor().redact_whole(value);
    }

    /// What a person says: a value beside the name of a credential is not written down from here on.
    pub fn hear(&self, text: &str) {
        self.discretion.hear(text);
    }

    /// A text without secrets, fit to be written down.
    pub fn told(&self, text: &str) -> String {
        self.redactor().redact_text(text)
    }

    /// The redactor of this moment.
    pub(crate) fn redactor(&self) -> Arc<Redactor> {
        self.discretion.at_best()
    }
}
