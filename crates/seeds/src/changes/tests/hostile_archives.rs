//! `extract_files` on archives made to do harm.

use super::*;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, symlink};
use zip::write::SimpleFileOptions;

/// A tar whose names are written as they are: the builder refuses what these tests need.
fn tar_of(members: &[(&[u8], tar::EntryType, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, kind, content) in members {
        let mut header = tar::Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name);
        header.set_entry_type(*kind);
        header.set_mode(0o6755);
        header.set_mtime(0);
        if kind.is_symlink() || kind.is_hard_link() {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_size(content.len() as u64);
        header.set_cksum();
        builder.append(&header, *content).unwrap();
    }
    builder.into_inner().unwrap()
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zip_of(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in members {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn extract(dir: &Dir, archive: &Path) -> Ran {
    run("extract_files", json!({ "paths": [arg(archive)], "dst_dir": arg(&dir.at("in/out")) }))
}

#[test]
fn a_tar_cannot_reach_outside() {
    use tar::EntryType;
    let dir = Dir::new();
    let bytes = tar_of(&[
        (b"../evil", EntryType::Regular, b"x"),
        (b"/evil", EntryType::Regular, b"x"),
        (b"a/../../evil", EntryType::Regular, b"x"),
        (b"link", EntryType::Symlink, b""),
        (b"link/evil", EntryType::Regular, b"inside"),
        (b"hard", EntryType::Link, b""),
        (b"dev", EntryType::Char, b""),
        (b"pipe", EntryType::Fifo, b""),
        (b"./good\xff", EntryType::Regular, b"good"),
        (b"./good\xff", EntryType::Regular, b"twice"),
        (b"good\xff/below", EntryType::Regular, b"x"),
        (b"link", EntryType::Regular, b"dir"),
    ]);
    for (name, bytes) in [("a.tar", bytes.clone()), ("a.tgz", gz(&bytes))] {
        let archive = dir.file(name, &bytes);
        let ran = extract(&dir, &archive);
        use ErrorClass::{DstExists, PolicyViolation as Out, UnsupportedFormat as No};
        assert_eq!(classes(&ran), [Out, Out, Out, No, No, No, No, DstExists, DstExists, DstExists]);
        assert_eq!(dir.names("in"), ["out"]);
        assert_eq!(fs::read(dir.odd(b"in/out/good\xff")).unwrap(), b"good");
        assert_eq!(dir.text("in/out/link/evil"), "inside", "the link was never made");
        let mode = fs::metadata(dir.odd(b"in/out/good\xff")).unwrap().mode();
        assert_eq!(mode & 0o7777, 0o755, "it does not run as somebody else");
        fs::remove_dir_all(dir.at("in")).unwrap();
    }
}

#[test]
fn a_zip_cannot_reach_outside() {
    let dir = Dir::new();
    let bytes = zip_of(&[("../evil", b"x"), ("/evil", b"x"), ("a/../../evil", b"x"), ("ok/x", b"fine")]);
    let archive = dir.file("a.zip", bytes);
    let ran = extract(&dir, &archive);
    assert_eq!(classes(&ran), [ErrorClass::PolicyViolation; 3]);
    assert_eq!(dir.text("in/out/ok/x"), "fine");
    assert_eq!(dir.names("in"), ["out"]);
}

#[test]
fn a_link_already_in_the_destination_is_not_followed() {
    let dir = Dir::new();
    dir.dir("elsewhere");
    dir.dir("in/out");
    symlink(dir.at("elsewhere"), dir.at("in/out/d")).unwrap();
    symlink("nowhere", dir.at("in/out/f")).unwrap();
    let archive = dir.file("a.zip", zip_of(&[("d/x", b"x"), ("f", b"x"), ("g", b"g")]));
    let ran = extract(&dir, &archive);
    assert_eq!(classes(&ran), [ErrorClass::DstExists; 2]);
    assert_eq!(ran.outcome.ok_count, 1);
    assert!(dir.names("elsewhere").is_empty());
}

#[test]
fn bombs_are_refused_before_they_burst() {
    let dir = Dir::new();
    let zeros = vec![0u8; 40 << 20];
    let tar = tar_of(&[(b"zeros", tar::EntryType::Regular, &zeros)]);
    let zst = zstd::stream::encode_all(tar.as_slice(), 3).unwrap();
    let archives = [("a.zip", zip_of(&[("zeros", &zeros)])), ("a.tar.gz", gz(&tar)), ("a.tar.zst", zst)];
    for (name, bytes) in archives {
        let ran = extract(&dir, &dir.file(name, bytes));
        assert_eq!(classes(&ran), [ErrorClass::TooLarge], "{name}");
        assert!(ran.intents.is_empty() && !dir.has("in"));
    }
}

#[test]
fn a_zip_that_lies_about_its_size_leaves_nothing() {
    let dir = Dir::new();
    let mut bytes = zip_of(&[("x", &[7u8; 5000])]);
    // The size stands at offset 24 of the record in the directory at the end.
    let record = bytes.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
    bytes[record + 24..record + 28].copy_from_slice(&10u32.to_le_bytes());
    let ran = extract(&dir, &dir.file("a.zip", bytes));
    assert_eq!(ran.outcome.fail_count, 1, "{:?}", ran.outcome);
    assert!(!dir.has("in/out/x"));
}

#[test]
fn caps_are_the_callers() {
    let dir = Dir::new();
    let archive = arg(&dir.file("a.zip", zip_of(&[("x", b"12345"), ("y", b"67890")])));
    let to = arg(&dir.at("out"));
    let ran = run("extract_files", json!({ "paths": [archive], "dst_dir": to, "max_bytes": 9 }));
    assert_eq!(classes(&ran), [ErrorClass::TooLarge]);
    assert!(ran.outcome.failed[0].message.contains("max_bytes"));
    for n in [10, 0] {
        let to = arg(&dir.at(&format!("out{n}")));
        assert!(
            run("extract_files", json!({ "paths": [archive], "dst_dir": to, "max_bytes": n })).outcome.ok
        );
    }
}

#[test]
fn broken_archives_are_told_and_the_others_unpacked() {
    let dir = Dir::new();
    let good = dir.file("good.zip", zip_of(&[("x", b"x")]));
    let whole_tar = gz(&tar_of(&[(b"y", tar::EntryType::Regular, &[1; 100_000])]));
    let mut corrupt = zip_of(&[("z", &[3u8; 5000])]);
    corrupt[40] ^= 0xff;
    let bad = [
        dir.file("empty.zip", ""),
        dir.file("text.zip", "hello"),
        dir.file("cut.tar.gz", &whole_tar[..whole_tar.len() / 2]),
        dir.file("head.zip", "PK\x03\x04 and nothing else"),
        dir.file("noise.tar.zst", b"\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff"),
        dir.file("corrupt.zip", corrupt),
        dir.at("gone.zip"),
        dir.dir("dir.zip"),
    ];
    let mut paths: Vec<Value> = bad.iter().map(|p| arg(p)).collect();
    paths.push(arg(&good));
    let ran = run("extract_files", json!({ "paths": paths, "dst_dir": arg(&dir.at("out")) }));
    assert_eq!((ran.outcome.ok_count, ran.outcome.fail_count), (1, 8), "{:?}", ran.outcome);
    assert!(classes(&ran).iter().all(|c| *c != ErrorClass::Internal), "{:?}", ran.outcome);
    assert_eq!(dir.names("out"), ["x"]);
}
