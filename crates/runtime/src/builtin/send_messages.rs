//! `send_messages`: texts and files to people of this house, over Telegram. Each message is written into the outbox
//! of that door, which sends it and tries again; what is sent cannot be taken back.
//!
//! Files are opened while the question is made and copied from there, so that what leaves is what was judged.

use super::{Builtin, Need, Plan, Report, Want, Wish};
use crate::guards::Principal;
use crate::hand_out::Handed;
use crate::outgoing::{self, Address, Parcel};
use crate::people::Person;
use crate::runtime::Runtime;
use crate::text::bounded;
use metnos_executor::{BytePath, ErrorClass, Failure, ListName, Origin, Outcome};
use metnos_guard::card::{Card, Effect};
use metnos_memory::db::TelegramFate;
use serde::Deserialize;
use serde_json::json;
use std::path::PathBuf;

/// The channel, in records.
const TELEGRAM: &str = "telegram";
/// Whoever asks.
const ME: &str = "me";
/// The longest text of one message, in the units Telegram counts; a longer one goes as a file.
const UNITS: usize = 4096;
/// The largest file a bot may send.
const FILE_MAX: u64 = 50 << 20;
/// How many files may go with one message.
const FILES_MAX: usize = 20;
/// Letters of the text on the card.
const SHOWN: usize = 900;

pub(super) const BUILTIN: Builtin = Builtin {
    name: "send_messages",
    schema: include_str!("send_messages.json"),
    pattern: "send_messages(messages=[{to_user:\"me\", attachments:[\"~/a.pdf\"]}])",
    out: "results=[{to,files,state}]",
    changes: true,
    needs: Some(Need::Telegram),
    list: true,
    plan,
};

#[derive(Deserialize)]
struct Message {
    to_user: Option<String>,
    to: Option<String>,
    subject: Option<String>,
    body: Option<String>,
    #[serde(default)]
    attachments: Vec<BytePath>,
}

impl Message {
    fn text(&self) -> String {
        let parts = [&self.subject, &self.body].into_iter().flatten().map(|part| part.trim());
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
    }
}

/// One message on its way.
struct Letter {
    to: Person,
    chat: i64,
    own: bool,
    text: String,
    files: Vec<Handed>,
}

fn plan(runtime: &Runtime, wish: &Wish<'_>) -> Result<Plan, Failure> {
    let given = wish.args.get("messages").cloned().unwrap_or_default();
    let messages: Vec<Message> =
        serde_json::from_value(given).map_err(|e| Failure::wrong_args(e.to_string()))?;
    if !runtime.config.telegram.enabled {
        return Err(Failure::new(ErrorClass::DependencyMissing, "Telegram is not set up")
            .with_hint("set [telegram] enabled = true in metnos.toml"));
    }
    let along = along(wish.entries)?;
    let letters = messages.iter().map(|message| letter(runtime, wish, message, &along));
    let letters = letters.collect::<Result<Vec<_>, _>>()?;
    let files = || letters.iter().flat_map(|letter| &letter.files);
    let (lang, from) = (wish.lang.to_owned(), Principal::parse(wish.caller).user);
    Ok(Plan {
        effect: Effect::Irreversible,
        idempotent: false,
        // What reaches only the person who asked leaves nothing with anybody else.
        judged: letters.iter().any(|letter| !letter.own),
        wants: letters.iter().flat_map(wants).collect(),
        object: Some(shown(runtime, &letters)).filter(|text| !text.is_empty()),
        names: names(files().map(Handed::name).collect()),
        bytes: Some(files().map(|file| file.bytes).sum()).filter(|bytes| *bytes > 0),
        destination: Some(to_whom(&letters)),
        count: Some(letters.len() as u64),
        bound: files().map(|file| file.state.as_str()).collect::<Vec<_>>().join("\n"),
        ..Plan::look("channel:out", move |work| post(work.runtime, work.call_id, &from, &lang, letters))
    })
}

/// The files of a list.
fn along(entries: Option<&str>) -> Result<Vec<PathBuf>, Failure> {
    let mut paths = Vec::new();
    for line in entries.unwrap_or_default().lines() {
        let entry = serde_json::from_str(line).map_err(|e| Failure::internal(e.to_string()))?;
        let path = metnos_executor::path::of_entry(&entry, "path");
        paths.push(
            path.ok_or_else(|| Failure::wrong_args("the list names no files, and only files can go along"))?,
        );
    }
    Ok(paths)
}

fn letter(
    runtime: &Runtime,
    wish: &Wish<'_>,
    message: &Message,
    along: &[PathBuf],
) -> Result<Letter, Failure> {
    let (to, own) = addressee(runtime, wish, message)?;
    let chat = chat(runtime, &to)?;
    let named = message.attachments.iter().map(|BytePath(path)| path);
    let paths: Vec<&PathBuf> = named.chain(along).collect();
    if paths.len() > FILES_MAX {
        return Err(Failure::wrong_args(format!(
            "{} files are too many for one message, which takes {FILES_MAX}",
            paths.len()
        ))
        .with_hint("pack them into an archive first"));
    }
    let open = |path: &&PathBuf| {
        let handed = runtime.opened(wish.caller, path, wish.base)?;
        match handed.bytes > FILE_MAX {
            true => Err(Failure::new(
                ErrorClass::TooLarge,
                format!("{} is larger than the {} MB that Telegram takes", handed.name(), FILE_MAX >> 20),
            )),
            false => Ok(handed),
        }
    };
    let files = paths.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let text = message.text();
    if text.is_empty() && files.is_empty() {
        return Err(Failure::wrong_args("there is nothing to send").with_hint("say what it should say"));
    }
    Ok(Letter { to, chat, own, text, files })
}

/// Who it is for, and whether that is the person who asks.
fn addressee(runtime: &Runtime, wish: &Wish<'_>, message: &Message) -> Result<(Person, bool), Failure> {
    let missing =
        |what: &str, hint: &str| Err(Failure::new(ErrorClass::DependencyMissing, what).with_hint(hint));
    match (wish.text("via"), &message.to_user) {
        ("email", _) => missing("no mail account can be set up yet", "say “on Telegram”, and to whom"),
        ("web", _) => missing("the page shows no messages of others", "say “on Telegram”, and to whom"),
        (_, None) => match &message.to {
            Some(_) => missing("no mail account can be set up yet", "name a person of this house"),
            None => Err(Failure::wrong_args("to whom?").with_hint("name a person of this house")),
        },
        (_, Some(name)) => {
            let user = Principal::parse(wish.caller).user;
            let to = if name == ME { runtime.person(&user)? } else { called(runtime, name)? };
            let unknown = || {
                Failure::new(ErrorClass::NotFound, format!("nobody here is called {}", bounded(name, 60)))
                    .with_hint("metnos users list")
            };
            let to = to.filter(|person| person.revoked_at.is_none()).ok_or_else(unknown)?;
            let own = to.id == user;
            Ok((to, own))
        }
    }
}

/// The one person called so: by the whole name, or by a part of it that nobody else has.
fn called(runtime: &Runtime, name: &str) -> Result<Option<Person>, Failure> {
    let name = name.trim().to_lowercase();
    let people: Vec<Person> = runtime.people()?.into_iter().filter(|p| p.revoked_at.is_none()).collect();
    let whole = |person: &&Person| person.id == name || person.name.to_lowercase() == name;
    let part = |person: &&Person| person.name.to_lowercase().split_whitespace().any(|word| word == name);
    let fits: Vec<&Person> = people.iter().filter(whole).collect();
    let fits = if fits.is_empty() { people.iter().filter(part).collect() } else { fits };
    match fits.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some((*one).clone())),
        _ => Err(Failure::wrong_args(format!("several people here are called {}", bounded(&name, 60)))
            .with_hint("write the whole name")),
    }
}

/// Where somebody is spoken to alone: the number of a person is the number of the chat with them.
fn chat(runtime: &Runtime, to: &Person) -> Result<i64, Failure> {
    let pairings = runtime.pairings()?;
    let own =
        pairings.iter().filter(|p| p.channel == TELEGRAM && p.person == to.id && p.revoked_at.is_none());
    let newest = own.max_by(|a, b| a.at.cmp(&b.at)).and_then(|paired| paired.sender.parse().ok());
    newest.ok_or_else(|| {
        Failure::new(ErrorClass::NotFound, format!("{} has no Telegram account here", to.name))
            .with_hint("metnos pairing pair telegram")
    })
}

fn wants(letter: &Letter) -> Vec<Want> {
    let to = Want::to(&letter.to.id, letter.own);
    let files = letter.files.iter().map(|file| Want::file(file.path.clone(), file.place));
    std::iter::once(to).chain(files).collect()
}

/// What is written, for the card.
fn shown(runtime: &Runtime, letters: &[Letter]) -> String {
    let texts = letters.iter().map(|letter| letter.text.as_str()).filter(|text| !text.is_empty());
    bounded(&runtime.told(&texts.collect::<Vec<_>>().join(" / ")), SHOWN)
}

fn to_whom(letters: &[Letter]) -> String {
    let mut names: Vec<&str> = letters.iter().map(|letter| letter.to.name.as_str()).collect();
    names.dedup();
    format!("{} (Telegram)", names.join(", "))
}

/// As many names as a card shows, and how many more there are.
fn names(mut all: Vec<String>) -> Vec<String> {
    if all.len() > Card::NAMES_MAX {
        let more = all.len() + 1 - Card::NAMES_MAX;
        all.truncate(Card::NAMES_MAX - 1);
        all.push(format!("+ {more}"));
    }
    all
}

/// Writes everything into the outbox, or nothing, and tells what became of it.
fn post(
    runtime: &Runtime,
    call_id: &str,
    from: &str,
    lang: &str,
    letters: Vec<Letter>,
) -> Result<Report, Failure> {
    let (mut addresses, mut contents) = (Vec::new(), Vec::new());
    for Letter { to, chat, own, text, files } in letters {
        let whom = if own { runtime.say(lang, "yourself", &[]) } else { to.name.clone() };
        let text = match text.encode_utf16().count() {
            0 => None,
            1..=UNITS => Some(Parcel::Text(text)),
            _ => Some(Parcel::LongText(text)),
        };
        let count = files.len();
        let parcels: Vec<Parcel> = text.into_iter().chain(files.into_iter().map(Parcel::File)).collect();
        addresses.push((Address { from: from.to_owned(), to: to.name, chat }, whom, count, parcels.len()));
        contents.push(parcels);
    }
    let parcels = addresses.iter().zip(contents);
    let parcels =
        parcels.flat_map(|((address, ..), parcels)| parcels.into_iter().map(move |one| (address, one)));
    let ids = outgoing::post(runtime, call_id, parcels.collect())?;
    let fates = outgoing::watch(runtime, &ids)?;
    let mut fates = fates.into_iter();
    let mut outcome = Outcome::default();
    let (mut records, mut said) = (Vec::new(), Vec::new());
    for (n, (address, whom, files, parcels)) in addresses.into_iter().enumerate() {
        let fates: Vec<TelegramFate> = fates.by_ref().take(parcels).collect();
        let refused = fates.iter().find_map(|fate| match fate {
            TelegramFate::GivenUp(why) => Some(runtime.say(lang, "refused_by_telegram", &[("why", why)])),
            _ => None,
        });
        let waits = fates.contains(&TelegramFate::Waits);
        let count = files.to_string();
        match &refused {
            Some(why) => outcome.fail(n as u64, whom, ErrorClass::PermissionDenied, why),
            None => {
                outcome.ok_count += 1;
                let key = match (waits, files) {
                    (true, _) => "waits_for_telegram",
                    (false, 0) => "sent_to",
                    (false, _) => "sent_files_to",
                };
                said.push(runtime.say(lang, key, &[("name", &whom), ("count", &count)]));
            }
        }
        let state = match (&refused, waits) {
            (Some(_), _) => "refused",
            (None, true) => "waits",
            (None, false) => "sent",
        };
        records.push(
            json!({ "to": address.to, "files": files, "state": state, "_origin": Origin::Local.as_str() }),
        );
    }
    if let (0, Some(first)) = (outcome.ok_count, outcome.failed.first()) {
        return Err(Failure::new(first.error_class, format!("{}: {}", first.what, first.message)));
    }
    outcome.fields.insert("summary".into(), said.join("\n").into());
    Report::of(outcome, ListName::Results, &records)
}
