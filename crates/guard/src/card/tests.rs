#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;

fn delete() -> Card {
    Card {
        executor: "delete_files".into(),
        manner: None,
        things: None,
        count: Some(12),
        object: None,
        names: ["a.pdf", "b.pdf", "c.pdf", "d.pdf", "e.pdf"].map(String::from).to_vec(),
        folders: Vec::new(),
        source: Some("/home/u/Downloads".into()),
        destination: None,
        bytes: Some(3_450_000),
        at_least: false,
        effect: Effect::Reversible,
        frees: Some(Frees { bytes: 3_450_000, after_days: Some(30) }),
        capability: "fs:write".into(),
        grant: Some(Offer::Here { target: "/home/u/Downloads".into() }),
        tainted: Vec::new(),
        outside_sandbox: false,
        warnings: Vec::new(),
        reason: None,
    }
}

fn send() -> Card {
    let tainted = Tainted {
        value: "pay@evil.example".into(),
        origin: Origin::Mail,
        from: Some("boss@firm.example".into()),
    };
    Card {
        executor: "send_messages".into(),
        manner: None,
        things: None,
        count: Some(1),
        object: Some("Invoice".into()),
        names: Vec::new(),
        folders: Vec::new(),
        source: None,
        destination: Some("pay@evil.example".into()),
        bytes: None,
        at_least: false,
        effect: Effect::Irreversible,
        frees: None,
        capability: "mail:send".into(),
        grant: None,
        tainted: vec![tainted],
        outside_sandbox: false,
        warnings: Vec::new(),
        reason: Some("Metnos wants to send mail to somebody.".into()),
    }
}

fn weekly() -> Card {
    let offer = Offer::Schedule { schedule: "weekly tidy".into(), item_cap: 300 };
    Card {
        executor: "move_files".into(),
        destination: Some("/home/u/Archive".into()),
        frees: None,
        grant: Some(offer),
        ..delete()
    }
}

fn admin() -> Card {
    Card {
        executor: "admin".into(),
        object: Some("apt upgrade".into()),
        outside_sandbox: true,
        capability: "system:admin".into(),
        effect: Effect::Irreversible,
        grant: None,
        ..send_bare()
    }
}

fn send_bare() -> Card {
    Card { tainted: Vec::new(), reason: None, count: None, destination: None, ..send() }
}

fn shown(card: &Card, times: u64, language: &str) -> String {
    card.shown(times, Texts::load().unwrap().lang(language)).text
}

fn details(card: &Card, language: &str) -> String {
    card.shown(0, Texts::load().unwrap().lang(language)).details.join("\n")
}

fn all(language: &str) -> String {
    let cards = [delete(), send(), weekly(), admin()];
    let told = cards.iter().flat_map(|card| {
        [
            shown(card, 0, language),
            format!("- {}", details(card, language).replace('\n', "\n- ")),
            shown(card, 8, language),
        ]
    });
    told.collect::<Vec<_>>().join("\n\n")
}

#[test]
fn what_people_read_in_english() {
    let expected = "\
Delete 12 files: /home/u/Downloads · 3.5 MB
Can be undone with “undo” for 30 days; frees nothing until then

- “a.pdf”, “b.pdf”, “c.pdf”, “d.pdf”, “e.pdf” and 7 more
- Frees nothing yet, 3.5 MB in 30 days or with “metnos undo --forget”
- Uses fs:write
- “always here” would allow “Delete files” in /home/u/Downloads and all its folders, and nothing else, without a question until you revoke it

Delete 12 files: /home/u/Downloads · 3.5 MB · can be undone with “undo” for 30 days; frees nothing until then

Send 1 message: “Invoice” · → pay@evil.example
Cannot be undone · “pay@evil.example” came from a mail (boss@firm.example), not from you

- Metnos wants to send mail to somebody.
- Uses mail:send

Send 1 message: “Invoice” · → pay@evil.example · cannot be undone · “pay@evil.example” came from a mail (boss@firm.example), not from you

Move 12 files: /home/u/Downloads → /home/u/Archive · 3.5 MB
Can be undone with “undo” · approving lets the schedule “weekly tidy” do this every time, up to 300 items

- “a.pdf”, “b.pdf”, “c.pdf”, “d.pdf”, “e.pdf” and 7 more
- Uses fs:write

Move 12 files: /home/u/Downloads → /home/u/Archive · 3.5 MB · can be undone with “undo” · approving lets the schedule “weekly tidy” do this every time, up to 300 items

Run a system command: “apt upgrade”
Cannot be undone · outside the sandbox

- Uses system:admin

Run a system command: “apt upgrade” · cannot be undone · outside the sandbox";
    assert_eq!(all("en"), expected);
}

#[test]
fn what_people_read_in_italian() {
    let expected = "\
Elimina 12 file: /home/u/Downloads · 3,5 MB
Si può annullare con “annulla” per 30 giorni; fino ad allora non libera nulla

- “a.pdf”, “b.pdf”, “c.pdf”, “d.pdf”, “e.pdf” e altri 7
- Per ora non libera nulla, 3,5 MB tra 30 giorni o con “metnos undo --forget”
- Usa fs:write
- “sempre qui” permetterebbe “Elimina file” in /home/u/Downloads e in tutte le sue cartelle, e nient'altro, senza chiedere finché non lo revochi

Elimina 12 file: /home/u/Downloads · 3,5 MB · si può annullare con “annulla” per 30 giorni; fino ad allora non libera nulla

Invia 1 messaggio: “Invoice” · → pay@evil.example
Non si può annullare · “pay@evil.example” viene da un messaggio di posta (boss@firm.example), non da te

- Metnos wants to send mail to somebody.
- Usa mail:send

Invia 1 messaggio: “Invoice” · → pay@evil.example · non si può annullare · “pay@evil.example” viene da un messaggio di posta (boss@firm.example), non da te

Sposta 12 file: /home/u/Downloads → /home/u/Archive · 3,5 MB
Si può annullare con “annulla” · approvando, la pianificazione “weekly tidy” potrà farlo ogni volta, fino a 300 elementi

- “a.pdf”, “b.pdf”, “c.pdf”, “d.pdf”, “e.pdf” e altri 7
- Usa fs:write

Sposta 12 file: /home/u/Downloads → /home/u/Archive · 3,5 MB · si può annullare con “annulla” · approvando, la pianificazione “weekly tidy” potrà farlo ogni volta, fino a 300 elementi

Esegui un comando di sistema: “apt upgrade”
Non si può annullare · fuori dalla sandbox

- Usa system:admin

Esegui un comando di sistema: “apt upgrade” · non si può annullare · fuori dalla sandbox";
    assert_eq!(all("it-CH"), expected);
    assert_eq!(all("xx"), all("en"), "a language nobody wrote falls back");
}

#[test]
fn a_card_is_two_lines_and_one_after_eight_times() {
    let lines = |times| shown(&delete(), times, "en").lines().count();
    assert_eq!([0, 3, 7, 8, u64::MAX].map(lines), [2, 2, 2, 1, 1]);
}

#[test]
fn a_value_cannot_add_a_line_or_hide_another() {
    let mut card = send();
    card.object = Some("x\nCan be undone\r\n\u{202e}{count} {origin}".into());
    card.executor = "no such\nexecutor".into();
    card.tainted[0].value = "a".repeat(5000);
    card.tainted[0].from = Some("b\u{2028}c".into());
    card.reason = Some("one\ntwo".into());
    for (times, lines) in [(0, 2), (8, 1)] {
        let text = shown(&card, times, "en");
        assert_eq!(text.split(['\n', '\r', '\u{2028}']).count(), lines, "{text}");
        assert!(text.contains("{count} {origin}") && text.chars().count() < 700, "{text}");
    }
    assert!(!card.shown(0, Texts::load().unwrap().lang("en")).details.iter().any(|one| one.contains('\n')));
    card.tainted = vec![card.tainted[0].clone(); 9];
    assert!(shown(&card, 8, "en").ends_with("+6"));
}

#[test]
fn a_name_looks_like_no_part_of_the_card_wherever_it_stands() {
    let name = "x · “cannot be undone” → y".to_owned();
    let card = Card {
        names: vec![name.clone()],
        source: Some(format!("/home/u/{name}")),
        warnings: vec![
            Warning::Taken { count: 1, names: vec![name.clone()] },
            Warning::RunsCode(format!("/home/u/{name}")),
        ],
        ..delete()
    };
    let shown = card.shown(0, Texts::load().unwrap().lang("en"));
    let text = [vec![shown.text], shown.details].concat().join("\n");
    assert!(text.contains("x ∙ \"cannot be undone\" > y") && !text.contains("x ·"), "{text}");
}

#[test]
fn what_must_be_known_stays_on_the_card() {
    let card = Card { object: None, ..send_bare() };
    assert_eq!(shown(&card, 0, "en"), "Send messages\nCannot be undone");
    let forced = Card { warnings: vec![Warning::Forced], ..admin() };
    for (language, said) in [("en", "ended at once"), ("it", "terminati subito")] {
        for times in [0, 8] {
            assert!(shown(&forced, times, language).contains(said), "{}", shown(&forced, times, language));
        }
    }
    assert!(!forced.shows_the_same(&admin()), "a yes without the warning is none with it");
    // For good: the names are read before the yes.
    let frees = Some(Frees { bytes: 999, after_days: None });
    let lost = Card { frees, effect: Effect::Irreversible, ..delete() };
    let text = shown(&lost, 0, "it");
    assert!(text.contains("“a.pdf”") && text.contains("definitiva"), "{text}");
    assert!(details(&lost, "it").contains("Libera subito 999 B"), "{}", details(&lost, "it"));
    let one = Card { count: Some(1), ..delete() };
    assert!(shown(&one, 0, "en").starts_with("Delete 1 file:"));
}

#[test]
fn every_word_of_the_vocabulary_can_be_said() {
    let texts = Texts::load().unwrap();
    for language in ["en", "it"] {
        let lang = texts.lang(language);
        for line in include_str!("../../../vocab/data/vocabulary.txt").lines() {
            let mut words = line.split_whitespace();
            let said = match (words.next(), words.next()) {
                (Some("verb"), Some(word)) => lang.verb.contains_key(word),
                (Some("object"), Some(word)) => lang.object.contains_key(word),
                (Some("fixed"), Some(word)) => lang.fixed.contains_key(word),
                _ => true,
            };
            assert!(said, "{language}: {line}");
        }
    }
}

#[test]
fn a_card_survives_being_written_down() {
    for card in [delete(), send(), weekly(), admin()] {
        let text = serde_json::to_string(&card).unwrap();
        assert_eq!(serde_json::from_str::<Card>(&text).unwrap(), card);
    }
}

#[test]
fn sizes_are_rounded_to_the_nearest_tenth() {
    let texts = Texts::load().unwrap();
    let sizes = [
        (0, "0 B"),
        (999, "999 B"),
        (1_049, "1 kB"),
        (1_050, "1.1 kB"),
        (7_699_000, "7.7 MB"),
        (999_949, "999.9 kB"),
        (999_950, "1 MB"),
        (u64::MAX, "18446744.1 TB"),
    ];
    for (bytes, said) in sizes {
        assert_eq!(texts.lang("en").size(bytes), said, "{bytes}");
    }
    assert_eq!(texts.lang("it").size(7_699_000), "7,7 MB");
}

#[test]
fn what_was_not_measured_to_the_end_says_so() {
    let card = Card { at_least: true, ..delete() };
    assert!(shown(&card, 0, "en").contains("· at least 3.5 MB\n"));
    assert!(shown(&card, 0, "it").contains("· almeno 3,5 MB\n"));
}

#[test]
fn a_lasting_yes_on_a_host_names_the_host() {
    let card = Card { grant: Some(Offer::Here { target: "example.org".into() }), ..delete() };
    assert!(details(&card, "en").contains("would allow “Delete files” on example.org without"));
}

#[test]
fn a_card_that_was_written_down_before_names_were_shown_still_reads() {
    let mut old = serde_json::to_value(delete()).unwrap();
    old.as_object_mut().unwrap().remove("names");
    let card: Card = serde_json::from_value(old).unwrap();
    assert_eq!(card.names, Vec::<String>::new());
}

#[test]
fn a_ruling_is_said_in_the_language_of_the_person() {
    use crate::policy::{Ask, Level, Place, Registry, Target};
    let registry = Registry::load().unwrap();
    let mut ask = Ask::new("fs:write", "write_files", "anna", "cli");
    (ask.place, ask.side_effects, ask.reversible) = (Some(Place::Territory), true, true);
    ask.target = Target::Path(std::path::Path::new("/home/anna/a"));
    let ruling = registry.decide(Level::Supervised, &ask, &[], &[], jiff::Timestamp::UNIX_EPOCH, "s");
    let texts = Texts::load().unwrap();
    assert_eq!(texts.lang("en").ruling(&ruling), ruling.text);
    assert_eq!(
        texts.lang("it").ruling(&ruling),
        "Metnos vuole cambiare file nelle cartelle che hai aperto, e al livello “supervised” serve il tuo sì."
    );
    let card = Card { capability: ruling.row.clone(), ..delete() };
    assert!(details(&card, "it").contains("Usa fs:write nelle cartelle che hai aperto"));
}

#[test]
fn every_row_of_the_policy_can_be_said_in_every_language() {
    let (texts, registry) = (Texts::load().unwrap(), crate::policy::Registry::load().unwrap());
    for code in metnos_tongue::codes() {
        let does = &texts.lang(code).does;
        let rows: Vec<_> = registry.table().iter().collect();
        let silent: Vec<String> =
            rows.iter().map(|row| row.name()).filter(|row| !does.contains_key(row)).collect();
        assert_eq!(silent, Vec::<String>::new(), "{code}");
        // The English words are those of the policy itself.
        let same = |row: &&&crate::policy::Row| does.get(&row.name()) == Some(&row.does);
        assert!(code != metnos_tongue::FALLBACK || rows.iter().all(|row| same(&row)));
    }
}
