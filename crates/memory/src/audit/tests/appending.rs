use super::*;
use metnos_executor::ErrorClass;

#[test]
fn lines_are_numbered_and_bound_across_days() {
    let place = Place::new();
    let audit = place.open();
    for n in 1..=3 {
        assert_eq!(audit.append(call(&format!("c{n}"))).unwrap(), n);
        NOW.set(NOW.get() + DAY);
    }
    let names = files::list(&place.dir()).unwrap();
    assert_eq!(names, ["2026-11-15.jsonl", "2026-11-16.jsonl", "2026-11-17.jsonl"]);
    let report = audit.verify(&[]).unwrap();
    assert!(report.is_sound(), "{:?}", report.findings);
    assert_eq!((report.lines, report.files, report.after_head), (3, 3, 0));
    assert_eq!(audit.close().unwrap(), 4);
    assert_eq!(place.verify().last_checkpoint, Some(4));
}

#[test]
fn an_audit_nobody_wrote_to_is_sound() {
    let place = Place::new();
    assert!(place.verify().is_sound());
    assert!(!place.state().exists(), "looking creates nothing");
    place.open();
    assert!(place.verify().is_sound());
}

#[test]
fn a_clock_that_goes_back_stays_in_the_same_file() {
    let place = Place::new();
    let audit = place.open();
    audit.append(call("a")).unwrap();
    NOW.set(NOON - 3 * DAY);
    audit.append(call("b")).unwrap();
    assert_eq!(files::list(&place.dir()).unwrap().len(), 1);
    assert!(place.verify().is_sound());
}

#[test]
fn every_thousandth_line_is_a_signed_checkpoint() {
    let place = Place::new();
    let audit = place.open();
    std::thread::scope(|s| {
        for t in 0..8 {
            let audit = &audit;
            s.spawn(move || {
                for n in 0..300 {
                    audit.append(call(&format!("{t}-{n}"))).unwrap();
                }
            });
        }
    });
    let report = place.verify();
    assert!(report.is_sound(), "{:?}", report.findings);
    assert_eq!((report.lines, report.checkpoints, report.last_checkpoint), (2402, 2, Some(2000)));
    let lines = audit.tail(3000, &Filter { kind: Some(Kind::Checkpoint), ..Filter::default() }).unwrap();
    assert_eq!(lines.iter().map(|l| l.seq).collect::<Vec<_>>(), [1000, 2000]);
}

#[test]
fn two_writers_of_one_chain_interleave() {
    let place = Place::new();
    place.open();
    std::thread::scope(|s| {
        for t in 0..3 {
            let place = &place;
            s.spawn(move || {
                let audit = place.open();
                for n in 0..60 {
                    // Each thread has its own clock; one of them is a day ahead half the time.
                    NOW.set(NOON + if t == 0 && n > 30 { DAY } else { 0 });
                    audit.append(call(&format!("{t}-{n}"))).unwrap();
                }
            });
        }
    });
    let report = place.verify();
    assert!(report.is_sound(), "{:?}", report.findings);
    assert_eq!((report.lines, report.files), (180, 2));
}

/// Run by the next test as a process of its own.
#[test]
fn child_appends() {
    let Some(dir) = std::env::var_os("METNOS_TEST_AUDIT") else { return };
    let dir = PathBuf::from(dir);
    let audit =
        Audit::open(&dir.join("workspace/.audit/executors"), &dir.join("state"), signer(), clock).unwrap();
    for n in 0..50 {
        audit.append(call(&format!("child-{n}"))).unwrap();
    }
}

#[test]
fn two_processes_of_one_chain_interleave() {
    let place = Place::new();
    let audit = place.open();
    let mut children: Vec<_> = (0..2)
        .map(|_| {
            std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "audit::tests::appending::child_appends"])
                .env("METNOS_TEST_AUDIT", place.0.path())
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for n in 0..50 {
        audit.append(call(&format!("parent-{n}"))).unwrap();
    }
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    audit.append(call("last")).unwrap();
    let report = place.verify();
    assert!(report.is_sound(), "{:?}", report.findings);
    assert_eq!(report.lines, 151);
}

#[test]
fn tail_and_show_find_lines() {
    let place = Place::new();
    let audit = place.open();
    for n in 0..40 {
        if n == 20 {
            NOW.set(NOON + DAY);
        }
        audit.append(call(&format!("c{n}"))).unwrap();
    }
    audit.append(changer(Kind::Open, "m")).unwrap();
    let failed = Exit::Failed(ErrorClass::DstExists);
    audit.append(Line { exit: Some(failed), ..changer(Kind::Close, "m") }).unwrap();
    let seqs = |lines: Vec<Sealed>| lines.iter().map(|l| l.seq).collect::<Vec<_>>();
    assert_eq!(seqs(audit.tail(3, &Filter::default()).unwrap()), [40, 41, 42]);
    assert_eq!(seqs(audit.tail(0, &Filter::default()).unwrap()), [0_u64; 0]);
    assert_eq!(audit.tail(1000, &Filter::default()).unwrap().len(), 42);
    let failures = audit.tail(9, &Filter { failed: true, ..Filter::default() }).unwrap();
    assert_eq!(failures[0].line.exit, Some(failed));
    assert_eq!(seqs(failures), [42]);
    assert_eq!(seqs(audit.show(&Key::Call("m".into())).unwrap()), [41, 42]);
    for seq in [1, 20, 21, 42] {
        assert_eq!(seqs(audit.show(&Key::Seq(seq)).unwrap()), [seq]);
    }
    assert!(audit.show(&Key::Seq(43)).unwrap().is_empty());
    assert!(audit.show(&Key::Call("nobody".into())).unwrap().is_empty());
}

#[test]
fn lines_longer_than_a_block_are_read_backwards() {
    let place = Place::new();
    let audit = place.open();
    for n in 0..12_usize {
        let layers = vec!["x".repeat(1000); n * 15];
        audit.append(Line { layers, ..call(&format!("c{n}")) }).unwrap();
    }
    let lines = audit.tail(12, &Filter::default()).unwrap();
    assert_eq!(lines.len(), 12);
    assert!(lines.iter().enumerate().all(|(n, l)| l.line.layers.len() == n * 15));
}

#[test]
fn a_long_free_part_is_replaced_and_a_long_line_refused_alone() {
    let place = Place::new();
    let audit = place.open();
    let long = serde_json::json!({"content": "x".repeat(1 << 20)});
    audit.append(Line { input: long, ..call("a") }).unwrap();
    assert!(audit.show(&Key::Seq(1)).unwrap()[0].line.input.get("blake3").is_some());
    let huge = Line { executor: Some("x".repeat(1 << 20)), ..call("b") };
    assert!(matches!(audit.append(huge), Err(crate::Error::LineTooLong { .. })));
    assert_eq!(audit.append(call("c")).unwrap(), 2);
    assert!(place.verify().is_sound());
}

#[test]
fn a_line_survives_the_file() {
    let place = Place::new();
    let audit = place.open();
    let line = Line {
        trace: Some("executor.move_files".into()),
        turn: Some("t".into()),
        digest: Some("d".into()),
        output_digest: Some("o".into()),
        duration_us: Some(7),
        guard_us: Some(3),
        cost: Some(0.5),
        layers: vec!["mount".into(), "landlock".into()],
        limits: Some("cgroup".into()),
        cell: Some(Cell { warm: true, mounts: "pure".into() }),
        net: Some(Net { allowed: vec!["a:443".into()], refused: vec![], ..Net::default() }),
        verdicts: vec![Verdict::new("laws", "allow", "")],
        detail: serde_json::json!({"free": [1, 2]}),
        ..call("c\n\u{1f600}")
    };
    audit.append(line.clone()).unwrap();
    assert_eq!(audit.tail(1, &Filter::default()).unwrap()[0].line, line);
}
