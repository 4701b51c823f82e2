//! What rulings say, and what grants and rules do to them.

use super::*;

fn decide(level: Level, ask: &Ask<'_>, grants: &[Grant], rules: &[Rule]) -> Ruling {
    registry().decide(level, ask, grants, rules, now(), SESSION)
}

fn move_photos() -> Ask<'static> {
    let ask = ask("fs:write", Some(Place::Territory), path("/home/u/Photos/2026"));
    Ask { side_effects: true, reversible: true, ..ask }
}

fn never(capability: &str, target: Option<&str>) -> Rule {
    rule(RuleOn::Capability(capability.into()), target)
}

#[test]
fn people_read_one_sentence() {
    let home = grant("fs:write", "/home/u/Photos");
    let lasting = Ask { reversible: false, ..move_photos() };
    let photos = never("fs:write", Some("/home/u/Photos"));
    let above = Ask { target: path("/home/u"), ..move_photos() };
    let (unknown, nowhere) = (ask("fs:fly", None, Target::None), ask("fs:read", None, path("/x")));
    let hostless = ask("network:http", None, Target::None);
    let (supervised, full) = (Level::Supervised, Level::Full);
    let shown = [
        decide(full, &move_photos(), &[], &[]),
        decide(supervised, &move_photos(), &[], &[]),
        decide(Level::ReadOnly, &move_photos(), &[], &[]),
        decide(supervised, &move_photos(), std::slice::from_ref(&home), &[]),
        decide(full, &lasting, std::slice::from_ref(&home), &[]),
        decide(full, &move_photos(), &[home], std::slice::from_ref(&photos)),
        decide(full, &above, &[], &[photos]),
        decide(full, &unknown, &[], &[]),
        decide(full, &nowhere, &[], &[]),
        decide(full, &hostless, &[], &[]),
    ]
    .map(|ruling| format!("{}: {}", ruling.decision, ruling.text));
    let expected = "\
allow: Metnos wants to change files in the folders you opened, which needs no question at the level “full”.
ask: Metnos wants to change files in the folders you opened, which needs your yes at the level “supervised”.
deny: Metnos wants to change files in the folders you opened, which is not possible at the level “read-only”.
allow: Metnos wants to change files in the folders you opened, which you already allowed here: /home/u/Photos.
ask: Metnos wants to change files in the folders you opened, which cannot be undone or safely repeated, so it needs your yes.
deny: Metnos wants to change files in the folders you opened, which you said never to do: never touch my photos.
ask: Metnos wants to change files in the folders you opened, which can reach what you said never to touch: never touch my photos.
deny: Metnos does not know the capability “fs:fly”, so it may not use it.
deny: Metnos wants to read files outside the folders you opened, but it is not known on what, so it may not.
deny: Metnos wants to connect to a site, but it is not known on what, so it may not.";
    assert_eq!(shown.join("\n"), expected);
}

#[test]
fn a_ruling_names_what_decided_and_survives_being_written_down() {
    let ruling = decide(Level::Supervised, &move_photos(), &[grant("fs:write", "/home/u")], &[]);
    assert_eq!((ruling.grant.as_deref(), ruling.rule.as_deref()), (Some("g1"), None));
    assert_eq!((ruling.row.as_str(), ruling.class), ("fs:write in the territory", Class::Target));
    assert!(ruling.critical && ruling.level == Level::Supervised);
    let text = serde_json::to_string(&ruling).unwrap();
    assert_eq!(serde_json::from_str::<Ruling>(&text).unwrap(), ruling);
    assert!(text.contains(r#""decision":"allow""#) && text.contains(r#""level":"supervised""#), "{text}");
}

#[test]
fn what_lasts_still_asks_in_full_and_only_what_lasts() {
    let safe = Ask { idempotent: true, reversible: false, ..move_photos() };
    let reading = Ask { side_effects: false, reversible: false, ..move_photos() };
    let posting = Ask { side_effects: true, ..ask("network:http", None, Target::Host("example.com")) };
    let to_me =
        Ask { side_effects: true, to_self: true, ..ask("mail:send", None, Target::Exact("me@x.org")) };
    let full = |ask: &Ask<'_>| decide(Level::Full, ask, &[], &[]).decision;
    assert_eq!(full(&safe), Decision::Allow);
    assert_eq!(full(&reading), Decision::Allow);
    assert_eq!(full(&posting), Decision::Ask);
    assert_eq!(full(&to_me), Decision::Allow, "to oneself there is no question");
    assert_eq!(full(&Ask { to_self: false, ..to_me }), Decision::Ask);
    let lasting = Ask { reversible: false, ..move_photos() };
    assert_eq!(full(&lasting), Decision::Ask);
    assert_eq!(full(&Ask { to_self: true, ..lasting }), Decision::Ask, "only what is sent can be to oneself");
}

#[test]
fn a_session_grant_ends_with_its_session() {
    let mut here = grant("fs:write", "/home/u");
    here.scope = GrantScope::Session(SESSION.into());
    assert!(here.covers(&move_photos(), now(), SESSION));
    assert!(!here.covers(&move_photos(), now(), "s2"));
    here.scope = GrantScope::Session(String::new());
    assert!(!here.covers(&move_photos(), now(), ""), "no session is not a session");
}

#[test]
fn a_schedule_grant_is_bound_to_its_plan_and_executors() {
    let mut grant = grant("fs:write", "/home/u");
    let (schedule, plan_hash) = ("weekly".to_owned(), "p1".to_owned());
    grant.scope =
        GrantScope::Schedule { schedule, plan_hash, digests: vec!["d1".into(), "d2".into()], item_cap: 300 };
    assert_eq!(grant.item_cap(), Some(300));
    let run = Run { schedule: "weekly", plan_hash: "p1", digest: "d2" };
    let covers = |run: Option<Run<'_>>| grant.covers(&Ask { run, ..move_photos() }, now(), SESSION);
    assert!(covers(Some(run)));
    assert!(!covers(None), "the same act outside the schedule");
    assert!(!covers(Some(Run { schedule: "daily", ..run })));
    assert!(!covers(Some(Run { plan_hash: "p2", ..run })), "a changed plan");
    assert!(!covers(Some(Run { digest: "d3", ..run })), "a changed executor");
    let text = serde_json::to_string(&grant).unwrap();
    assert_eq!(serde_json::from_str::<Grant>(&text).unwrap(), grant);
}

#[test]
fn a_rule_holds_for_its_person_until_it_is_taken_back() {
    let ask = move_photos();
    let mut rule = never("fs:write", None);
    assert!(rule.forbids(&ask, now()));
    assert!(!rule.forbids(&Ask { user: "bruno", ..ask }, now()));
    assert!(!never("fs:read", None).forbids(&ask, now()));
    rule.revoked_at = Some(at(999_999));
    assert!(!rule.forbids(&ask, now()));
    let text = serde_json::to_string(&rule).unwrap();
    assert_eq!(serde_json::from_str::<Rule>(&text).unwrap(), rule);
}

#[test]
fn a_rule_can_name_an_executor() {
    let by_name = |name: &str, target| rule(RuleOn::Executor(name.into()), target);
    assert!(by_name("move_files", None).forbids(&move_photos(), now()));
    assert!(by_name("move_files", Some("/home/u/Photos")).forbids(&move_photos(), now()));
    assert!(!by_name("move_files", Some("/home/u/Music")).forbids(&move_photos(), now()));
    assert!(!by_name("delete_files", None).forbids(&move_photos(), now()));
    let parse = ask("parse:local", None, Target::None);
    assert!(!by_name("move_files", Some("/home/u/Photos")).forbids(&parse, now()));
}

#[test]
fn a_rule_covers_what_cannot_be_told_apart() {
    let web = |host| ask("network:http", None, Target::Host(host));
    let no_bank = never("network:http", Some("*.bank.example"));
    assert!(
        no_bank.forbids(&web("WWW.Bank.example."), now()) && no_bank.forbids(&web("bank.example"), now())
    );
    assert!(!no_bank.forbids(&web("bank.example.org"), now()));
    let no_work = never("mail:read", Some("work"));
    assert!(no_work.forbids(&ask("mail:read", None, Target::None), now()));
    assert!(!no_work.forbids(&ask("mail:read", None, Target::Exact("home")), now()));
    let dotted = Ask { target: path("/home/u/Music/../Photos"), ..move_photos() };
    assert!(never("fs:write", Some("/home/u/Photos")).forbids(&dotted, now()));
}

#[test]
fn hosts_are_matched_whole() {
    let covers = |granted: &str, host: &str| {
        grant("network:http", granted).covers(&ask("network:http", None, Target::Host(host)), now(), SESSION)
    };
    assert!(covers("example.com", "EXAMPLE.com."));
    assert!(covers("*.example.com", "a.example.com") && covers("*.example.com", "a.b.example.com"));
    for (granted, host) in [
        ("*.example.com", "example.com"),
        ("*.example.com", "badexample.com"),
        ("*.example.com", ".example.com"),
        ("*.example.com", "a..example.com"),
        ("example.com", "a.example.com"),
        ("*.com", "example.com"),
        ("*", "example.com"),
        ("*.", "example.com"),
        ("*.*.com", "a.*.com"),
        ("*.2.3.4", "1.2.3.4"),
    ] {
        assert!(!covers(granted, host), "{granted} {host}");
    }
}

#[test]
fn a_grant_that_names_an_executor_holds_for_no_other_and_one_of_old_for_all() {
    let old = grant("fs:write", "/home/anna/Documents");
    let narrow = Grant { executor: Some("write_files".into()), ..old.clone() };
    let mut wanted = ask("fs:write", Some(Place::Territory), path("/home/anna/Documents/a.txt"));
    assert!(old.covers(&wanted, now(), SESSION));
    assert!(!narrow.covers(&wanted, now(), SESSION), "{} is another", wanted.executor);
    wanted.executor = "write_files";
    assert!(narrow.covers(&wanted, now(), SESSION));
    let text = serde_json::to_string(&old).unwrap();
    assert!(!text.contains("executor"), "what was signed before reads as it was");
    assert_eq!(serde_json::from_str::<Grant>(&text).unwrap(), old);
}
