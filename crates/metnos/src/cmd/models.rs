//! `metnos models setup`: a server found on this machine, a model of it tried, shown and bound.

use super::ask::Chat;
use crate::cli_models::Models;
use crate::print::{self, Printer};
use metnos_doors::{Speech, Words, shown_enough};
use metnos_executor::{ErrorClass, Failure};
use metnos_gateway::{Answered, Asked, Example, Gateway, patient};
use metnos_llm::{Answers, Found, Role, USUAL_PORTS, Url, look_around, look_at_url};
use metnos_runtime::call::Door;
use metnos_runtime::config::Binding;
use serde_json::json;
use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;
use std::time::Instant;

/// What was named on the command line.
struct Wanted {
    url: Option<String>,
    ports: Vec<u16>,
    model: Option<String>,
    role: Role,
    credential: Option<String>,
    yes: bool,
}

/// Somebody who sets a model up.
struct Setup {
    printer: Printer,
    gateway: Gateway,
    speech: Speech,
}

/// Looks for models, tries one and binds it.
pub(crate) fn run(printer: Printer, command: Models) -> Result<ExitCode, Failure> {
    let Models::Setup { url, port, model, role, credential, yes } = command;
    // The words were checked when the line was read.
    let role = Role::ALL.into_iter().find(|known| known.word() == role).unwrap_or(Role::Wise);
    let gateway = Gateway::new(super::runtime(false)?)?;
    let speech = super::speech(&gateway.runtime().language(super::USER))?;
    Setup { printer, gateway, speech }.run(Wanted { url, ports: port, model, role, credential, yes })
}

impl Setup {
    fn run(&self, wanted: Wanted) -> Result<ExitCode, Failure> {
        let found = self.look(&wanted)?;
        let (url, model) = self.choose(&found, &wanted)?;
        let binding = Binding {
            role: wanted.role,
            url: Url::parse(&url).map_err(Failure::wrong_args)?,
            model,
            credential: wanted.credential.clone(),
            timeout_seconds: None,
        };
        let runtime = self.gateway.runtime();
        // What is not understood is not tried for either.
        runtime.would_bind(&binding)?;
        let answered = self.ask(&binding)?;
        let (examples, slowest) = self.examples(&binding, &answered)?;
        let binding = patient(binding, slowest);
        let would = runtime.would_bind(&binding)?;
        let file = would.file.display().to_string();
        let mut told = json!({ "found": found, "url": binding.url.to_string(), "model": binding.model,
            "role": binding.role.word(), "answered": answered, "examples": examples, "file": file, "diff": would.diff,
            "changed": false });
        if would.diff.is_empty() {
            self.printer.say(self.speech.say("model-same", &[("file", &file)]));
            self.printer.value(&told);
            return Ok(ExitCode::SUCCESS);
        }
        self.printer.say(self.speech.say("model-diff", &[("file", &file)]));
        for line in &would.diff {
            self.printer.say(format!("  {line}"));
        }
        if !wanted.yes {
            let question = self.speech.t("setup-model-sure");
            super::ops::agree(&question, wanted.yes, "metnos models setup")?;
        }
        let bound = runtime.bind_model(&binding)?;
        self.printer.say(self.speech.t("model-written"));
        if let Some(backup) = &bound.backup {
            let backup = backup.display().to_string();
            self.printer.say(self.speech.say("model-backup", &[("file", &backup)]));
            told["backup"] = backup.into();
        }
        told["changed"] = true.into();
        self.printer.value(&told);
        Ok(ExitCode::SUCCESS)
    }

    /// What answers, told line by line.
    fn look(&self, wanted: &Wanted) -> Result<Vec<Found>, Failure> {
        let usual = || USUAL_PORTS.iter().map(|(port, _)| *port).collect();
        let ports: Vec<u16> = if wanted.ports.is_empty() { usual() } else { wanted.ports.clone() };
        let found = match &wanted.url {
            Some(url) => {
                let url = Url::parse(url).map_err(Failure::wrong_args)?;
                let open = url.is_open() && !url.is_here();
                let name = wanted.credential.as_deref();
                if open && name.is_some() {
                    return Err(Failure::wrong_args(
                        "a key is not sent over http to another machine: use https",
                    ));
                }
                let key = name.map(|name| self.gateway.runtime().model_key(name)).transpose()?;
                vec![look_at_url(&url, key.as_ref())]
            }
            None => look_around(&ports),
        };
        if found.is_empty() {
            let none = self.speech.found_nothing(&ports);
            return Err(Failure::new(ErrorClass::NotFound, none).with_hint("metnos models setup"));
        }
        for one in &found {
            self.printer.say(self.speech.found(one));
        }
        Ok(found)
    }

    /// The server and the model: the one that was named, the only one there is, or the one that is chosen now.
    fn choose(&self, found: &[Found], wanted: &Wanted) -> Result<(String, String), Failure> {
        let mut all: Vec<(String, String)> = Vec::new();
        for one in found {
            if let Answers::Models { models } = &one.answers {
                all.extend(models.iter().map(|model| (one.url.clone(), model.id.clone())));
            }
        }
        if let Some(model) = &wanted.model {
            all.retain(|(_, known)| known == model);
            let at = found.first().map_or("", |one| one.url.as_str());
            if all.is_empty() {
                let unknown = self.speech.say("setup-model-unknown", &[("url", at), ("model", model)]);
                return Err(Failure::new(ErrorClass::NotFound, unknown).with_hint("metnos models setup"));
            }
        }
        if all.len() > 1 && self.is_asked(wanted) {
            return self.pick(all);
        }
        match (all.pop(), all.is_empty()) {
            (Some(one), true) => Ok(one),
            (Some(_), false) => Err(Failure::wrong_args(self.speech.t("setup-model-several"))),
            (None, _) => {
                // Something is there, and none of it can be asked: each was told with its next step.
                let why: Vec<String> = found.iter().map(|one| self.speech.found(one)).collect();
                Err(Failure::new(ErrorClass::DependencyMissing, why.join("\n")))
            }
        }
    }

    fn is_asked(&self, wanted: &Wanted) -> bool {
        let there = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        there && !wanted.yes && !self.printer.json
    }

    fn pick(&self, mut all: Vec<(String, String)>) -> Result<(String, String), Failure> {
        for (n, (url, model)) in all.iter().enumerate() {
            self.printer.say(format!("{}. {model} ({url})", n + 1));
        }
        loop {
            print::prompt(&format!("{} [1]: ", self.speech.t("setup-model-number")));
            let mut line = String::new();
            let got = std::io::stdin().lock().read_line(&mut line);
            if got.map_err(|e| Failure::io("the terminal", &e))? == 0 {
                return Err(Failure::new(ErrorClass::Cancelled, "nothing was changed"));
            }
            let line = line.trim();
            if Words::shipped()?.answer(line) == Some(false) {
                return Err(Failure::new(ErrorClass::Cancelled, "nothing was changed"));
            }
            match if line.is_empty() { Ok(1) } else { line.parse::<usize>() } {
                Ok(n) if (1..=all.len()).contains(&n) => return Ok(all.swap_remove(n - 1)),
                _ => self.printer.say(self.speech.t("setup-model-no-number")),
            }
        }
    }

    /// One word of the model; if there is none, nothing is written.
    fn ask(&self, binding: &Binding) -> Result<Answered, Failure> {
        let model = binding.model.as_str();
        let answered = self.asking(model, "model-no-answer", || self.gateway.try_model(binding))?;
        self.printer.say(self.speech.answered(model, &answered));
        Ok(answered)
    }

    /// Asks the model, and tells under this key why there is no answer.
    fn asking<T>(
        &self,
        model: &str,
        silent: &str,
        ask: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.printer.progress(&self.speech.say("setup-model-asking", &[("model", model)]));
        let answered = ask();
        self.printer.progress_end();
        answered.map_err(|failure| {
            let values = [("model", model), ("why", failure.message.as_str())];
            Failure { message: self.speech.say(silent, &values), ..failure }
        })
    }

    /// What it makes of requests that are not understood without it, and the longest answer.
    fn examples(&self, binding: &Binding, answered: &Answered) -> Result<(Vec<Example>, u64), Failure> {
        self.printer.say(self.speech.t("model-shows"));
        let mut door = Chat::new(self.printer)?;
        let (mut shown, mut slowest) = (Vec::new(), answered.ms);
        let since = Instant::now();
        for text in self.speech.model_examples() {
            if shown_enough(shown.len(), since) {
                break;
            }
            let asked = Asked {
                text,
                language: Some(self.speech.language().to_owned()),
                now: super::ask::moment(None, None)?,
                caller: super::USER.to_owned(),
                conversation: String::new(),
                session: super::session(),
                base: super::exec::here()?,
            };
            let began = Instant::now();
            let example = self.gateway.example(binding, &asked, &mut door)?;
            self.printer.progress_end();
            if door.cancelled() {
                return Err(Failure::new(ErrorClass::Cancelled, "nothing was changed"));
            }
            let Some(example) = example else { continue };
            slowest = slowest.max(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
            for line in self.speech.example(&example) {
                self.printer.say(format!("  {line}"));
            }
            shown.push(example);
        }
        // Who gave no answer may be gone.
        if shown.iter().any(|example| example.unhelped.is_some()) {
            self.asking(&binding.model, "model-gone", || self.gateway.still_there(binding))?;
        }
        Ok((shown, slowest))
    }
}
