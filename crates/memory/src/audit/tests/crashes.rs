use super::*;

#[test]
fn a_last_line_cut_at_any_byte_is_moved_aside_and_noted() {
    let place = Place::new();
    let audit = place.open();
    audit.append(call("a")).unwrap();
    audit.append(call("b")).unwrap();
    let (file, head) = (place.day("2026-11-15"), std::fs::read(place.head()).unwrap());
    let before = std::fs::read(&file).unwrap();
    audit.append(call("c")).unwrap();
    drop(audit);
    let whole = std::fs::read(&file).unwrap();
    for cut in before.len()..=whole.len() {
        // The head is written after the line, so a crash leaves the older one.
        std::fs::write(place.head(), &head).unwrap();
        std::fs::write(&file, &whole[..cut]).unwrap();
        let seen = place.verify();
        assert!(seen.is_sound(), "cut at {cut}: {:?}", seen.findings);
        let audit = place.open();
        let next = audit.append(call("d")).unwrap();
        let report = audit.verify(&[]).unwrap();
        assert!(report.is_sound(), "cut at {cut}: {:?}", report.findings);
        let torn = place.dir().join("2026-11-15.jsonl.torn-1");
        if cut == before.len() {
            assert_eq!(next, 3);
        } else if cut == whole.len() {
            assert_eq!(next, 5, "the whole line stays, and that it was newer than the head is noted");
        } else {
            assert_eq!(next, 4, "the torn line is noted");
            assert_eq!(std::fs::read(&torn).unwrap(), &whole[before.len()..cut]);
            std::fs::remove_file(&torn).unwrap();
        }
    }
}

#[test]
fn zeros_left_by_a_power_loss_are_moved_aside() {
    let place = Place::new();
    place.open().append(call("a")).unwrap();
    let file = place.day("2026-11-15");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.extend([0; 4096]);
    std::fs::write(&file, bytes).unwrap();
    assert_eq!(place.verify().torn_bytes, 4096);
    place.open().append(call("b")).unwrap();
    let report = place.verify();
    assert!(report.is_sound(), "{:?}", report.findings);
    assert_eq!((report.lines, report.torn_bytes), (3, 0));
}

#[test]
fn a_head_that_lags_by_many_lines_and_a_day_is_caught_up() {
    let place = Place::new();
    let audit = place.open();
    audit.append(call("a")).unwrap();
    let head = std::fs::read(place.head()).unwrap();
    audit.append(call("b")).unwrap();
    NOW.set(NOON + DAY);
    audit.append(call("c")).unwrap();
    drop(audit);
    std::fs::write(place.head(), head).unwrap();
    let seen = place.verify();
    assert!(seen.is_sound());
    assert_eq!(seen.after_head, 2);
    let audit = place.open();
    let note = &audit.tail(1, &Filter::default()).unwrap()[0];
    assert_eq!((note.line.kind, note.line.detail["lines"].as_u64()), (Kind::Recovery, Some(2)));
    assert_eq!(place.verify().after_head, 0);
}

#[test]
fn an_open_of_a_dead_process_is_closed_as_interrupted() {
    let place = Place::new();
    let audit = place.open();
    audit.append(changer(Kind::Open, "done")).unwrap();
    audit.append(changer(Kind::Open, "cut")).unwrap();
    audit.append(changer(Kind::Close, "done")).unwrap();
    audit.append(changer(Kind::Close, "never opened")).unwrap();
    assert!(audit.recover().unwrap().is_empty(), "the process that opened it lives");
    drop(audit);
    disown(&place, 2);
    NOW.set(NOON + DAY);
    let audit = place.open();
    assert_eq!(audit.recover().unwrap(), ["cut"]);
    assert!(audit.recover().unwrap().is_empty(), "once");
    let lines = audit.show(&Key::Call("cut".into())).unwrap();
    let kinds: Vec<_> = lines.iter().map(|l| l.line.kind).collect();
    assert_eq!(kinds, [Kind::Open, Kind::Interrupted]);
    assert_eq!(lines[1].line.detail["open"], 2);
}

/// Makes line `seq` one that a process of an earlier boot wrote, and seals the chain again.
fn disown(place: &Place, seq: u64) {
    let lines: Vec<Sealed> = read::tail(&place.dir(), 100, &Filter::default()).unwrap();
    let (mut text, mut prev) = (Vec::new(), chain::GENESIS);
    for mut sealed in lines {
        if sealed.seq == seq {
            sealed.line.writer = Some("another boot:1:1".into());
        }
        sealed.prev = chain::hex(&prev);
        let bytes = serde_json::to_vec(&sealed).unwrap();
        prev = chain::hash(&bytes);
        text.extend(bytes);
        text.push(b'\n');
    }
    let file = place.day("2026-11-15");
    std::fs::write(&file, &text).unwrap();
    let head = head::Head {
        seq: 4,
        hash: prev,
        file: "2026-11-15.jsonl".into(),
        length: text.len() as u64,
        open: 1,
    };
    std::fs::write(place.head(), head.slot(signer().as_ref())).unwrap();
}

#[test]
fn a_line_torn_by_another_process_is_put_right_by_a_living_one() {
    let place = Place::new();
    let audit = place.open();
    audit.append(call("a")).unwrap();
    let file = place.day("2026-11-15");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.extend(b"{\"seq\":2,\"pre");
    std::fs::write(&file, bytes).unwrap();
    assert_eq!(audit.append(call("b")).unwrap(), 3);
    assert!(place.dir().join("2026-11-15.jsonl.torn-1").exists());
    assert!(place.verify().is_sound());
}
