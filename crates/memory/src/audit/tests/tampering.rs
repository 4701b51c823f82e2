use super::*;
use proptest::prelude::*;
use std::sync::OnceLock;

/// A chain of three days, built once: the files and the head.
struct Chain {
    days: Vec<(String, Vec<u8>)>,
    head: Vec<u8>,
}

fn chain() -> &'static Chain {
    static CHAIN: OnceLock<Chain> = OnceLock::new();
    CHAIN.get_or_init(|| {
        let place = Place::new();
        let audit = place.open();
        for n in 0..36 {
            NOW.set(NOON + n / 12 * DAY);
            let line = if n % 10 == 9 { Line::new(Kind::Checkpoint) } else { call(&format!("c{n}")) };
            audit.append(line).unwrap();
        }
        let days = files::list(&place.dir()).unwrap();
        let days =
            days.into_iter().map(|n| (n.clone(), std::fs::read(place.dir().join(n)).unwrap())).collect();
        Chain { days, head: std::fs::read(place.head()).unwrap() }
    })
}

/// Lines with their file and their place in it.
fn lines() -> Vec<(usize, Vec<u8>)> {
    let split = |(at, (_, bytes)): (usize, &(String, Vec<u8>))| {
        bytes.split_inclusive(|b| *b == b'\n').map(move |l| (at, l.to_vec())).collect::<Vec<_>>()
    };
    chain().days.iter().enumerate().flat_map(split).collect()
}

fn put(lines: &[(usize, Vec<u8>)]) -> Place {
    let place = Place::new();
    std::fs::create_dir_all(place.dir()).unwrap();
    std::fs::create_dir_all(place.state()).unwrap();
    for (at, (name, _)) in chain().days.iter().enumerate() {
        let text: Vec<u8> = lines.iter().filter(|(f, _)| *f == at).flat_map(|(_, l)| l.clone()).collect();
        std::fs::write(place.dir().join(name), text).unwrap();
    }
    std::fs::write(place.head(), &chain().head).unwrap();
    place
}

/// The file and the line, from one, of the `n`th line of the chain.
fn place_of(lines: &[(usize, Vec<u8>)], n: usize) -> (String, u64) {
    let file = lines[n].0;
    let line = lines[..=n].iter().filter(|(f, _)| *f == file).count();
    (chain().days[file].0.clone(), line as u64)
}

fn first(report: &Report) -> (String, u64) {
    let finding = report.findings.first().expect("the damage is found");
    (finding.file.clone(), finding.line)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_edit_of_any_byte_is_found_where_it_is(n in 0..36_usize, at: prop::sample::Index, to: u8) {
        let mut lines = lines();
        let at = at.index(lines[n].1.len());
        prop_assume!(lines[n].1[at] != to);
        lines[n].1[at] = to;
        let report = put(&lines).verify();
        let reported = first(&report);
        prop_assert_eq!(reported, place_of(&lines, n), "{:?}", report.findings);
    }

    #[test]
    fn a_deleted_line_is_found_where_it_stood(n in 0..36_usize) {
        let all = lines();
        let mut left = all.clone();
        left.remove(n);
        let report = put(&left).verify();
        let finding = report.findings.first().unwrap();
        let seq = n as u64 + 1;
        if n == 35 {
            prop_assert_eq!(&finding.fault, &Fault::Truncated { from: 36, to: 36 });
            prop_assert_eq!(first(&report), place_of(&all, n));
        } else {
            prop_assert_eq!(&finding.fault, &Fault::Missing { from: seq, to: seq });
            prop_assert_eq!(first(&report), place_of(&left, n));
        }
        prop_assert_eq!(report.found, 1, "{:?}", report.findings);
    }

    #[test]
    fn a_run_of_deleted_lines_is_named(from in 0..35_usize, more in 0..35_usize) {
        let to = (from + more).min(34);
        let mut left = lines();
        left.drain(from..=to);
        let report = put(&left).verify();
        let fault = Fault::Missing { from: from as u64 + 1, to: to as u64 + 1 };
        prop_assert_eq!(&report.findings.first().unwrap().fault, &fault);
        prop_assert_eq!(first(&report), place_of(&left, from));
    }

    #[test]
    fn two_swapped_lines_are_found_at_the_first(a in 0..36_usize, b in 0..36_usize) {
        prop_assume!(a != b);
        let mut lines = lines();
        let (low, high) = (a.min(b), a.max(b));
        let (x, y) = (lines[low].1.clone(), lines[high].1.clone());
        lines[low].1 = y;
        lines[high].1 = x;
        let report = put(&lines).verify();
        prop_assert_eq!(first(&report), place_of(&lines, low), "{:?}", report.findings);
    }

    #[test]
    fn a_copied_line_is_found_where_it_was_put(from in 0..36_usize, to in 0..37_usize) {
        let mut lines = lines();
        let copy = lines[from].1.clone();
        let file = lines.get(to).or(lines.last()).unwrap().0;
        lines.insert(to, (file, copy));
        let report = put(&lines).verify();
        // Beside its original a copy is the second of two; nobody can say which came first.
        let expected = if to == from { place_of(&lines, to + 1) } else { place_of(&lines, to) };
        prop_assert_eq!(first(&report), expected, "{:?}", report.findings);
    }

    #[test]
    fn a_cut_at_any_byte_is_found_where_it_is(n in 0..36_usize, at: prop::sample::Index) {
        let all = lines();
        let mut left = all[..=n].to_vec();
        let at = at.index(left[n].1.len());
        left[n].1.truncate(at);
        let place = put(&left);
        // Days wholly cut off are gone, not empty.
        for (name, _) in &chain().days[all[n].0 + 1..] {
            std::fs::remove_file(place.dir().join(name)).unwrap();
        }
        let report = place.verify();
        let finding = report.findings.first().unwrap();
        prop_assert_eq!(&finding.fault, &Fault::Truncated { from: n as u64 + 1, to: 36 });
        if all[n].0 == 2 {
            prop_assert_eq!(first(&report), place_of(&all, n));
        }
    }

    #[test]
    fn any_byte_of_the_head_is_guarded(at in 0..330_usize, to: u8) {
        let place = put(&lines());
        let mut head = chain().head.clone();
        prop_assume!(head[at] != to && head[at] != b' ');
        head[at] = to;
        std::fs::write(place.head(), head).unwrap();
        prop_assert!(!place.verify().is_sound());
    }
}

#[test]
fn an_untouched_chain_is_sound() {
    let report = put(&lines()).verify();
    assert!(report.is_sound(), "{:?}", report.findings);
    assert_eq!((report.lines, report.files, report.checkpoints), (36, 3, 3));
}

#[test]
fn a_forged_line_that_fits_is_found() {
    let mut lines = lines();
    let mut forged: Sealed = serde_json::from_slice(&lines[20].1).unwrap();
    forged.line.caller = Some("somebody else".into());
    let mut bytes = serde_json::to_vec(&forged).unwrap();
    bytes.push(b'\n');
    let file = lines[20].0;
    lines.insert(20, (file, bytes));
    let report = put(&lines).verify();
    assert_eq!(report.findings[0].fault, Fault::Inserted);
    assert_eq!(first(&report), place_of(&lines, 20));
}

#[test]
fn the_last_day_and_every_day_removed_are_found() {
    let place = put(&lines());
    std::fs::remove_file(place.day("2026-11-17")).unwrap();
    let report = place.verify();
    assert_eq!(report.findings[0].fault, Fault::Truncated { from: 25, to: 36 });
    assert_eq!(first(&report), ("2026-11-17.jsonl".into(), 1));
    std::fs::remove_dir_all(place.dir()).unwrap();
    let report = place.verify();
    assert_eq!(report.findings[0].fault, Fault::Truncated { from: 1, to: 36 });
}

#[test]
fn a_day_removed_in_the_middle_or_renamed_is_found() {
    let place = put(&lines());
    std::fs::rename(place.day("2026-11-15"), place.day("2026-11-14")).unwrap();
    assert_eq!(place.verify().findings[0].fault, Fault::WrongDay);
    let place = put(&lines());
    std::fs::remove_file(place.day("2026-11-16")).unwrap();
    let report = place.verify();
    assert_eq!(report.findings[0].fault, Fault::Missing { from: 13, to: 24 });
    assert_eq!(first(&report), ("2026-11-17.jsonl".into(), 1));
}

#[test]
fn a_head_removed_or_signed_by_another_is_found() {
    let place = put(&lines());
    std::fs::remove_file(place.head()).unwrap();
    assert_eq!(place.verify().findings[0].fault, Fault::HeadMissing);
    let other = SigningKey::from_bytes(&[8; 32]);
    let place = put(&lines());
    let report = Audit::verify_at(&place.dir(), &place.state(), &other, &[]).unwrap();
    let faults: Vec<_> = report.findings.iter().map(|f| f.fault.clone()).collect();
    assert!(faults.contains(&Fault::HeadForged) && faults.contains(&Fault::CheckpointForged));
}

#[test]
fn a_chain_rolled_back_with_its_head_is_found_by_an_anchor() {
    let place = Place::new();
    let audit = place.open();
    audit.append(call("a")).unwrap();
    let file = place.day("2026-11-15");
    let old = (std::fs::read(&file).unwrap(), std::fs::read(place.head()).unwrap());
    audit.append(call("b")).unwrap();
    let (seq, hash) = place.verify().last.unwrap();
    drop(audit);
    std::fs::write(&file, old.0).unwrap();
    std::fs::write(place.head(), old.1).unwrap();
    assert!(place.verify().is_sound(), "files and head agree");
    let verify =
        |anchor| Audit::verify_at(&place.dir(), &place.state(), signer().as_ref(), &[anchor]).unwrap();
    let report = verify(Anchor { seq, hash: Some(hash) });
    assert_eq!(report.findings[0].fault, Fault::Truncated { from: 2, to: 2 });
    let report = verify(Anchor { seq: 1, hash: Some(hash) });
    assert_eq!(report.findings[0].fault, Fault::NotTheAnchor);
}

#[test]
fn damage_stays_visible_after_the_next_start() {
    let all = lines();
    let place = put(&all[..30]);
    NOW.set(NOON + 3 * DAY);
    let audit = place.open();
    let next = audit.append(call("after")).unwrap();
    assert_eq!(next, 38, "numbers that were given out are not given out again");
    let report = audit.verify(&[]).unwrap();
    assert!(matches!(report.findings[0].fault, Fault::Noted(_)), "{:?}", report.findings);
    assert_eq!(report.found, 1);
    drop(audit);
    std::fs::remove_file(place.head()).unwrap();
    place.open();
    assert_eq!(place.verify().found, 2, "the removed head was noted too");
}

#[test]
fn everything_removed_under_a_living_writer_is_noted() {
    let place = Place::new();
    let audit = place.open();
    audit.append(call("a")).unwrap();
    std::fs::remove_file(place.day("2026-11-15")).unwrap();
    audit.append(call("b")).unwrap();
    assert!(matches!(audit.verify(&[]).unwrap().findings[0].fault, Fault::Noted(_)));
}

#[test]
fn a_file_of_garbage_is_reported_and_not_held_in_memory() {
    let place = put(&lines());
    std::fs::write(place.day("2026-11-16"), vec![b'x'; 3 << 20]).unwrap();
    let report = place.verify();
    assert_eq!(report.findings[0].fault, Fault::NotALine);
    assert_eq!(first(&report), ("2026-11-16.jsonl".into(), 1));
}
