//! `metnos forms`, `metnos answer`: what requests lack, and the answers.

use super::ask::{Chat, afterwards, again, interrupted, show};
use super::{caller, exec};
use crate::print::Printer;
use metnos_doors::OpenForm;
use metnos_executor::{ErrorClass, Failure};
use metnos_gateway::{Asked, Form, Gateway, Turn};
use metnos_runtime::guards::Principal;
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// Shows what requests lack: to the host those of everybody.
pub(crate) fn list(printer: Printer, by: Option<&str>) -> Result<ExitCode, Failure> {
    let gateway = Gateway::new(super::runtime(false)?)?;
    let who = Principal::parse(&caller(by));
    let forms = gateway.forms((!who.is_host()).then_some(who.user.as_str()))?;
    listed(printer, &forms.into_iter().map(OpenForm::from).collect::<Vec<_>>())
}

/// What requests lack, here or elsewhere.
pub(crate) fn listed(printer: Printer, forms: &[OpenForm]) -> Result<ExitCode, Failure> {
    printer.value(&json!(forms));
    if forms.is_empty() {
        printer.tell(NOTHING);
    }
    printer.table(&forms.iter().map(row).collect::<Vec<_>>());
    Ok(ExitCode::SUCCESS)
}

/// What is said when no request lacks anything.
const NOTHING: &str = "no request lacks anything";

fn row(form: &OpenForm) -> Map<String, Value> {
    let names: Vec<&str> = form.credentials.iter().map(|wanted| wanted.name.as_str()).collect();
    // What is said of a credential is longer than a cell.
    let lacks = if names.is_empty() { form.text.clone() } else { format!("credential {}", names.join(", ")) };
    let fields: [(&str, &String); 5] = [
        ("turn", &form.turn),
        ("asked_by", &form.asked_by),
        ("at", &form.began_at),
        ("request", &form.request),
        ("lacks", &lacks),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value.as_str().into())).collect()
}

/// Answers what a request asked for, in words or, where it lacked a credential, without any.
pub(crate) fn answer(
    printer: Printer,
    id: &str,
    words: &[String],
    by: Option<&str>,
) -> Result<ExitCode, Failure> {
    let gateway = Gateway::new(super::runtime(false)?)?;
    let known = own(&gateway, id, &caller(by))?;
    // One whose process died while it was being answered asks still.
    interrupted(printer, &gateway.cut_off(Some(&known.caller))?);
    go_on(printer, &gateway, known, said(words)?.as_deref())
}

/// The words of an answer; nothing when none were said.
pub(crate) fn said(words: &[String]) -> Result<Option<String>, Failure> {
    let text = words.join(" ");
    match (words, text.trim()) {
        ([], _) => Ok(None),
        (_, "") => Err(Failure::wrong_args("the answer is empty")),
        (_, text) => Ok(Some(text.to_owned())),
    }
}

/// Goes on with a request where it stopped.
pub(crate) fn go_on(
    printer: Printer,
    gateway: &Gateway,
    known: Turn,
    text: Option<&str>,
) -> Result<ExitCode, Failure> {
    let asked = again(gateway, &known)?;
    let mut door = Chat::new(printer)?;
    match text {
        Some(text) => gateway.answer(&known.id, text, &asked, &mut door)?,
        None => gateway.supplied(&known.id, &asked, &mut door)?,
    };
    printer.progress_end();
    if let Some(text) = door.instead {
        return super::ask::one(printer, gateway, &Asked { text, ..asked });
    }
    let shown = show(printer, gateway, &known.id, &[]);
    afterwards(gateway, &known.id);
    exec::tidy(gateway.runtime());
    shown
}

/// A request of this person, or any for the host; to others it does not exist.
fn own(gateway: &Gateway, id: &str, by: &str) -> Result<Turn, Failure> {
    let who = Principal::parse(by);
    let owner = |turn: &Turn| who.is_host() || Principal::parse(&turn.caller).user == who.user;
    gateway.turn(id)?.filter(owner).ok_or_else(|| unknown(id))
}

/// Nothing that was asked for has this id.
pub(crate) fn unknown(id: &str) -> Failure {
    Failure::new(ErrorClass::NotFound, format!("no request is called {id}")).with_hint("metnos forms")
}

/// The requests that lacked this credential and can go on now.
pub(super) fn lacked(gateway: &Gateway, name: &str) -> Result<Vec<String>, Failure> {
    let forms = gateway.forms(None)?.into_iter();
    let lacks = |form: &Form| form.credentials.iter().any(|wanted| wanted.name == name);
    Ok(forms.filter(lacks).map(|form| form.turn).collect())
}

/// The last request of this terminal, if it lacks a credential.
pub(super) fn lacking_here(gateway: &Gateway) -> Result<Option<Turn>, Failure> {
    let Some(last) = gateway.turns_in(&super::session(), 1)?.pop() else { return Ok(None) };
    let lacks = |form: &Form| form.turn == last.id && !form.credentials.is_empty();
    Ok(gateway.forms(None)?.iter().any(lacks).then_some(last))
}

/// The command that chooses the first of what a request offers.
pub(crate) fn pick(turn: &str) -> String {
    format!("metnos answer {turn} 1")
}

/// What to do next, for a request that ended so: one that asks names the command that answers it.
pub(crate) fn next(turn: &str, asks: bool, lacks: bool, next: Option<&str>) -> Option<String> {
    match (asks, lacks) {
        (false, _) => next.map(str::to_owned),
        (true, false) => Some(format!("metnos answer {turn} …")),
        (true, true) => {
            let first = next.map(|first| format!("{first}  ·  ")).unwrap_or_default();
            Some(format!("{first}metnos answer {turn}"))
        }
    }
}
