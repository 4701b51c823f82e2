#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;
use crate::guards::{LATER, Level};
use crate::runtime::{Options, Runtime};
use metnos_executor::home::Home;
use metnos_executor::keys::InstanceKey;
use metnos_executor::{ErrorClass, Failure};
use metnos_memory::db::Decision;
use std::os::unix::fs::PermissionsExt;

const BY: &str = "host/cli";

struct House {
    dir: tempfile::TempDir,
    runtime: Runtime,
}

impl std::ops::Deref for House {
    type Target = Runtime;
    fn deref(&self) -> &Runtime {
        &self.runtime
    }
}

fn house() -> House {
    LATER.set(0);
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().to_path_buf();
    let home = Home::locate(|key| match key {
        "METNOS_HOME" => Some(base.join("metnos").into()),
        "HOME" => Some(base.join("home").into()),
        _ => None,
    })
    .unwrap();
    std::fs::create_dir_all(home.workspace()).unwrap();
    std::fs::create_dir_all(home.user_home()).unwrap();
    let key = InstanceKey::generate().unwrap();
    key.save(&home.keys_dir()).unwrap();
    House { runtime: Runtime::with_key(home, key, Options::default()).unwrap(), dir }
}

fn later(minutes: i64) {
    LATER.set(LATER.get() + minutes * 60);
}

fn class<T: std::fmt::Debug>(answer: Result<T, Failure>) -> ErrorClass {
    answer.expect_err("it should have failed").class
}

#[test]
fn the_host_is_always_there_and_ids_are_never_given_twice() {
    let house = house();
    assert_eq!(house.person("host").unwrap().unwrap().role, Role::Host);
    let anna = house.add_person("Anna", Role::Guest, BY).unwrap();
    assert_eq!(anna.id, "anna");
    assert_eq!(house.add_person("ANNA", Role::Member, BY).unwrap().id, "anna-2");
    for name in ["host", "Metnos", "none", "birth"] {
        assert!(house.add_person(name, Role::Guest, BY).unwrap().id.ends_with("-2"));
    }
    assert_eq!(class(house.add_person("x", Role::Host, BY)), ErrorClass::WrongArgs);
    assert_eq!(class(house.add_person("a\nb", Role::Guest, BY)), ErrorClass::WrongArgs);
    assert_eq!(class(house.add_person("x", Role::Guest, "anna/cli")), ErrorClass::PolicyViolation);
    assert_eq!(house.people().unwrap().first().unwrap().id, "host");
    house.revoke_person("anna", BY).unwrap();
    assert_eq!(house.add_person("Anna", Role::Guest, BY).unwrap().id, "anna-3");
    assert_eq!(class(house.revoke_person("host", BY)), ErrorClass::WrongArgs);
    assert_eq!(class(house.revoke_person("anna-2", "anna-2/cli")), ErrorClass::PolicyViolation);
}

#[test]
fn a_person_changes_themselves_and_nobody_else() {
    let house = house();
    house.add_person("Anna", Role::Guest, BY).unwrap();
    let zone = |zone: &str| PersonChange { zone: Some(Some(zone.into())), ..PersonChange::default() };
    assert_eq!(
        house.change_person("anna", zone("Europe/Rome"), "anna/web").unwrap().zone.unwrap(),
        "Europe/Rome"
    );
    assert_eq!(class(house.change_person("anna", zone("Mars/X"), BY)), ErrorClass::WrongArgs);
    assert_eq!(class(house.change_person("host", zone("UTC"), "anna/web")), ErrorClass::PolicyViolation);
    let language = PersonChange { language: Some(Some("IT".into())), ..PersonChange::default() };
    assert_eq!(house.change_person("host", language, BY).unwrap().language.unwrap(), "it");
    assert_eq!(house.person("host").unwrap().unwrap().language.unwrap(), "it");
    let forget = PersonChange { zone: Some(None), ..PersonChange::default() };
    assert_eq!(house.change_person("anna", forget, "anna/web").unwrap().zone, None);
    assert_eq!(class(house.change_person("nobody", zone("UTC"), BY)), ErrorClass::NotFound);
}

#[test]
fn a_code_is_for_five_minutes_and_one_use() {
    let house = house();
    let knock = house.knock("telegram", "42", "Anna\u{7}").unwrap();
    assert_eq!(knock.code.len(), 9);
    assert_eq!(house.knock("telegram", "42", "Anna").unwrap().code, knock.code);
    let waiting = house.knocks().unwrap();
    assert_eq!((waiting[0].1.as_str(), waiting[0].2.as_str()), ("42", "Anna"));
    assert!(house.sender("telegram", "42").unwrap().is_none());
    assert_eq!(
        class(house.admit_sender("telegram", &knock.code, Role::Guest, None, None, "anna/cli")),
        ErrorClass::PolicyViolation
    );
    assert_eq!(
        class(house.admit_sender("signal", &knock.code, Role::Guest, None, None, BY)),
        ErrorClass::NotFound
    );
    later(6);
    assert_eq!(
        class(house.admit_sender("telegram", &knock.code, Role::Guest, None, None, BY)),
        ErrorClass::Conflict
    );
    assert!(house.knocks().unwrap().is_empty());
    let again = house.knock("telegram", "42", "Anna").unwrap();
    assert_ne!(again.code, knock.code);
    let typed = again.code.to_lowercase().replace('-', " ");
    let level = Some(Level::Supervised);
    let anna = house.admit_sender("telegram", &typed, Role::Guest, None, level, BY).unwrap();
    assert_eq!(house.sender("telegram", "42").unwrap().unwrap(), anna);
    assert_eq!(house.level("anna/telegram").unwrap(), Level::Supervised);
    assert_eq!(house.level("anna/web").unwrap(), Level::ReadOnly);
    assert_eq!(
        class(house.admit_sender("telegram", &again.code, Role::Guest, None, None, BY)),
        ErrorClass::Conflict
    );
    assert_eq!(class(house.knock("telegram", "42", "Anna")), ErrorClass::Conflict);
    house.revoke_person("anna", BY).unwrap();
    assert!(house.sender("telegram", "42").unwrap().is_none());
    assert!(house.pairings().unwrap()[0].revoked_at.is_some());
}

#[test]
fn codes_and_guesses_are_limited() {
    let house = house();
    for sender in 0..5 {
        house.knock("telegram", &sender.to_string(), "x").unwrap();
    }
    assert_eq!(class(house.knock("telegram", "9", "x")), ErrorClass::LimitExceeded);
    house.knock("signal", "9", "x").unwrap();
    for _ in 0..3 {
        later(6);
        house.knock("telegram", "0", "x").unwrap();
    }
    later(6);
    assert_eq!(class(house.knock("telegram", "0", "x")), ErrorClass::LimitExceeded, "four in an hour");
    for sender in 10..22 {
        later(2);
        house.knock("telegram", &sender.to_string(), "x").unwrap();
    }
    assert_eq!(class(house.knock("telegram", "99", "x")), ErrorClass::LimitExceeded, "twenty in an hour");
    let knock = house.knock("web", "1", "x").unwrap();
    for _ in 0..10 {
        assert_eq!(
            class(house.admit_sender("web", "AAAA-2222", Role::Guest, None, None, BY)),
            ErrorClass::NotFound
        );
    }
    let right = |house: &House, code: &str| house.admit_sender("web", code, Role::Guest, None, None, BY);
    assert_eq!(class(right(&house, &knock.code)), ErrorClass::LimitExceeded, "also the right one waits");
    later(61);
    let knock = house.knock("web", "1", "x").unwrap();
    right(&house, &knock.code).unwrap();
}

#[test]
fn a_login_is_exchanged_once_and_a_session_ends() {
    let house = house();
    let link = house.issue_token(TokenKind::Login, "host", "link", BY).unwrap();
    assert!(house.bearer(&link).unwrap().is_none(), "a login is no session");
    let (person, session) = house.exchange_login(&link, "browser").unwrap();
    assert_eq!(person.id, "host");
    assert_eq!(class(house.exchange_login(&link, "browser")), ErrorClass::Unauthorized);
    let bearer = house.bearer(&session).unwrap().unwrap();
    assert_eq!((bearer.person.id.as_str(), bearer.kind), ("host", TokenKind::Session));
    assert_eq!(class(house.exchange_login(&session, "browser")), ErrorClass::Unauthorized);
    let late = house.issue_token(TokenKind::Login, "host", "link", BY).unwrap();
    later(11);
    assert_eq!(class(house.exchange_login(&late, "browser")), ErrorClass::Unauthorized);
    later(8 * 24 * 60);
    assert!(house.bearer(&session).unwrap().is_none(), "seven days");
    for odd in ["", "mn_", "mn_short", &format!("mn_{}", "A".repeat(43)), &"x".repeat(10_000)] {
        assert!(house.bearer(odd).unwrap().is_none());
    }
}

#[test]
fn a_device_speaks_until_it_or_its_person_is_revoked() {
    let house = house();
    house.add_person("Anna", Role::Member, BY).unwrap();
    assert_eq!(
        class(house.issue_token(TokenKind::Device, "anna", "phone", "anna/web")),
        ErrorClass::PolicyViolation
    );
    let (phone, tablet) = (
        house.issue_token(TokenKind::Device, "anna", "phone", BY).unwrap(),
        house.issue_token(TokenKind::Device, "anna", "tablet", BY).unwrap(),
    );
    later(300 * 24 * 60);
    let bearer = house.bearer(&phone).unwrap().unwrap();
    assert_eq!(class(house.revoke_token(&bearer.id, "bruno/web")), ErrorClass::NotFound);
    house.revoke_token(&bearer.id, "anna/web").unwrap();
    assert!(house.bearer(&phone).unwrap().is_none());
    assert!(house.bearer(&tablet).unwrap().is_some());
    house.revoke_person("anna", BY).unwrap();
    assert!(house.bearer(&tablet).unwrap().is_none());
    assert_eq!(class(house.issue_token(TokenKind::Device, "anna", "phone", BY)), ErrorClass::PolicyViolation);
    assert!(house.tokens(Some("anna")).unwrap().iter().all(|token| token.revoked_at.is_some()));
}

#[test]
fn rows_that_were_not_signed_or_were_moved_give_nothing() {
    let house = house();
    house.add_person("Anna", Role::Guest, BY).unwrap();
    house.pair_sender("telegram", "42", "anna", BY).unwrap();
    let token = house.issue_token(TokenKind::Device, "anna", "phone", BY).unwrap();
    let now = jiff::Timestamp::now();
    let row = |kind: &str, id: &str| house.db.decision(kind, id).unwrap().unwrap();
    // Somebody else's row under another id.
    let sender = row("sender", "telegram/42");
    house.db.decide("sender", &Decision { id: "telegram/66".into(), ..sender.clone() }, now).unwrap();
    assert!(house.sender("telegram", "66").unwrap().is_none());
    assert!(house.sender("telegram", "42").unwrap().is_some());
    let id = house.bearer(&token).unwrap().unwrap().id;
    let stolen = format!("mn_{}", "B".repeat(43));
    let other = blake3::hash(stolen.as_bytes()).to_hex().to_string();
    house.db.decide("token", &Decision { id: other, ..row("token", &id) }, now).unwrap();
    assert!(house.bearer(&stolen).unwrap().is_none());
    // A role made up.
    let person = row("person", "anna");
    let body = person.body.replace("guest", "member");
    house.db.decide("person", &Decision { body, ..person.clone() }, now).unwrap();
    assert!(house.person("anna").unwrap().is_none());
    assert!(house.bearer(&token).unwrap().is_none());
    assert!(house.sender("telegram", "42").unwrap().is_none());
    assert_eq!(class(house.admitted("anna/telegram")), ErrorClass::PolicyViolation);
    assert!(house.held().unwrap().damaged.contains(&"person anna".to_owned()));
    // A code whose row was touched is no code.
    let knock = house.knock("telegram", "7", "x").unwrap();
    let code = row("code", "telegram/7");
    let body = code.body.replace("\"sender\":\"7\"", "\"sender\":\"8\"");
    house.db.decide("code", &Decision { body, ..code }, now).unwrap();
    assert_eq!(
        class(house.admit_sender("telegram", &knock.code, Role::Guest, None, None, BY)),
        ErrorClass::NotFound
    );
    assert!(house.knocks().unwrap().is_empty());
}

#[test]
fn levels_follow_the_role_and_the_channel_only_lowers() {
    let house = house();
    house.add_person("Anna", Role::Guest, BY).unwrap();
    house.add_person("Bruno", Role::Member, BY).unwrap();
    let level = |who: &str| house.level(who).unwrap();
    assert_eq!((level("host/cli"), level("bruno/web")), (Level::Supervised, Level::Supervised));
    assert_eq!((level("anna/web"), level("nobody/web")), (Level::ReadOnly, Level::ReadOnly));
    house.set_level("host/telegram", Level::Full, BY).unwrap();
    assert_eq!(level("host/telegram"), Level::Full);
    std::fs::write(house.agents_file(), "## Channels\n- telegram: supervised\n- web: full\n").unwrap();
    assert_eq!((level("host/telegram"), level("anna/web")), (Level::Supervised, Level::ReadOnly));
}

#[test]
fn the_admin_key_is_made_once_and_refused_where_others_can_read_it() {
    let house = house();
    let key = house.admin_key().unwrap();
    assert_eq!(house.admin_key().unwrap(), key);
    let path = house.home.keys_dir().join("admin.key");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let refused = house.admin_key().unwrap_err();
    assert!(refused.hint.unwrap().contains("chmod 600"));
    std::fs::remove_file(&path).unwrap();
    assert_ne!(house.admin_key().unwrap(), key);
    std::fs::write(&path, "nonsense").unwrap();
    assert_eq!(class(house.admin_key()), ErrorClass::UnsupportedFormat);
    assert!(house.dir.path().exists());
}
