//! `get_signatures` and `set_signatures`: which commands `admin` runs, asks about or refuses.

use super::{Builtin, Plan, Report, Wish};
use crate::guards::{CommandList, CommandRule, commands};
use crate::runtime::Runtime;
use metnos_executor::{ErrorClass, Failure, ListName, Origin, Outcome};
use metnos_guard::card::Effect;
use metnos_guard::command::Pattern;
use serde_json::{Value, json};

pub(super) const GET: Builtin = Builtin {
    name: "get_signatures",
    schema: include_str!("get_signatures.json"),
    pattern: "get_signatures(kind=\"deny\")",
    out: "entries=[{signature,kind,whose}]",
    changes: false,
    needs: None,
    list: false,
    plan: get,
};

pub(super) const SET: Builtin = Builtin {
    name: "set_signatures",
    schema: include_str!("set_signatures.json"),
    pattern: "set_signatures(signature=\"systemctl:restart:*\", kind=\"deny\")",
    out: "results=[{signature,kind,was}]",
    changes: true,
    needs: None,
    list: false,
    plan: set,
};

fn get(_runtime: &Runtime, wish: &Wish<'_>) -> Result<Plan, Failure> {
    let (kind, part) = (wish.text("kind").to_owned(), wish.text("signature").to_lowercase());
    Ok(Plan::look("metnos:read", move |work| {
        let mut damaged = Vec::new();
        let own = work.runtime.command_rules(&mut damaged)?;
        let shipped = commands::shipped()?;
        let mut outcome = Outcome::default();
        let mut entries = Vec::new();
        let mut put = |signature: &Pattern, list: &str, whose: &str| {
            let text = signature.to_string();
            if (kind.is_empty() || kind == list) && text.to_lowercase().contains(&part) {
                entries.push(json!({ "signature": text, "kind": list, "whose": whose,
                    "_origin": Origin::Local.as_str() }));
            }
        };
        for rule in &own {
            put(&rule.signature, rule.list.as_str(), "yours");
        }
        let lists = [
            ("forbidden", &shipped.forbidden),
            ("deny", &shipped.deny),
            ("grey", &shipped.grey),
            ("allow", &shipped.allow),
        ];
        for (list, signatures) in lists {
            signatures.iter().for_each(|signature| put(signature, list, "shipped"));
        }
        outcome.ok_count = entries.len() as u64;
        for (index, row) in damaged.into_iter().enumerate() {
            let why = "this record was not signed by Metnos and counts for nothing; metnos policy revoke removes it";
            outcome.fail(index as u64, row, ErrorClass::PolicyViolation, why);
        }
        Report::of(outcome, ListName::Entries, &entries)
    }))
}

fn set(runtime: &Runtime, wish: &Wish<'_>) -> Result<Plan, Failure> {
    let text = wish.text("signature").to_owned();
    let signature = Pattern::try_from(text.clone()).map_err(|e| {
        Failure::wrong_args(e.to_string()).with_hint("admin names the signature of a command it asks about")
    })?;
    let remove = wish.args.get("remove") == Some(&Value::Bool(true));
    let list = CommandList::parse(wish.text("kind"));
    let list = match (list, remove) {
        (Some(_), true) => return Err(Failure::wrong_args("either kind or remove, not both")),
        (None, false) => {
            return Err(Failure::wrong_args("kind: expected allow, grey or deny, or remove=true"));
        }
        (list, _) => list,
    };
    if commands::is_forbidden(&signature)? {
        return Err(Failure::new(
            ErrorClass::Forbidden,
            format!("{text} is never run, and no list changes that"),
        ));
    }
    let own = runtime.command_rules(&mut Vec::new())?;
    let was = own.into_iter().find(|rule| rule.signature == signature).map(|rule| rule.list);
    if remove && was.is_none() {
        return Err(Failure::new(ErrorClass::NotFound, format!("{text} is on no list of yours"))
            .with_hint("get_signatures shows all"));
    }
    let to = list.map_or("none", CommandList::as_str);
    let from = was.map_or("none", CommandList::as_str);
    let rule = CommandRule {
        signature,
        list: list.or(was).unwrap_or(CommandList::Deny),
        by: wish.caller.to_owned(),
    };
    Ok(Plan {
        effect: Effect::Reversible,
        idempotent: true,
        object: Some(text.clone()),
        source: Some(format!("{from} → {to}")),
        count: Some(1),
        note: Some(format!("set_signatures signature={text} remove=true takes it back.")),
        bound: from.to_owned(),
        ..Plan::look("system:admin", move |work| {
            work.runtime.set_command_rule(&rule, remove)?;
            let result =
                json!({ "signature": text, "kind": to, "was": from, "_origin": Origin::Local.as_str() });
            let outcome = Outcome { ok_count: 1, ..Outcome::default() };
            Report::of(outcome, ListName::Results, &[result])
        })
    })
}
