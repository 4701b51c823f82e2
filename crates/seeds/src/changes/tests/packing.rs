//! `compress_files` and `extract_files` together: what goes in comes out.

use super::*;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

const FORMATS: [&str; 3] = ["zip", "tar.gz", "tar.zst"];

fn old(path: &Path) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_001)).unwrap();
}

#[test]
fn what_goes_in_comes_out() {
    for format in FORMATS {
        let dir = Dir::new();
        let content: Vec<u8> = (0..700_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let big = dir.file("t/big", &content);
        fs::set_permissions(&big, fs::Permissions::from_mode(0o750)).unwrap();
        old(&big);
        dir.file("t/empty", "");
        dir.file(&format!("t/{}/x", "long".repeat(40)), "x");
        dir.dir("t/hollow");
        fs::write(dir.odd(b"t/o\n\xff"), "odd").unwrap();
        symlink("big", dir.at("t/link")).unwrap();
        let dst = dir.at(&format!("t/a.{format}"));
        let ran = run("compress_files", json!({ "paths": [arg(&dir.at("t"))], "dst": arg(&dst) }));
        assert!(ran.outcome.ok, "{format} {:?}", ran.outcome);
        let told = &ran.items[0];
        assert_eq!(
            (&told["format"], &told["files"], &told["dirs"], &told["links"]),
            (&json!(format), &json!(4), &json!(3), &json!(1))
        );
        assert_eq!(told["size"], fs::metadata(&dst).unwrap().len());

        let ran = run("extract_files", json!({ "paths": [arg(&dst)], "dst_dir": arg(&dir.at("out")) }));
        assert_eq!(classes(&ran), [ErrorClass::UnsupportedFormat], "the link, {format} {:?}", ran.outcome);
        assert_eq!(ran.outcome.ok_count, 4);
        assert_eq!(fs::read(dir.at("out/t/big")).unwrap(), content);
        let meta = fs::metadata(dir.at("out/t/big")).unwrap();
        assert_eq!((meta.mode() & 0o7777, meta.mtime()), (0o750, 1_000_000_001), "{format}");
        assert_eq!(fs::read(dir.odd(b"out/t/o\n\xff")).unwrap(), b"odd", "{format}");
        assert!(dir.at("out/t/hollow").is_dir());
        assert!(ran.items.iter().all(|item| item["_origin"] == "content"), "names come out of a file");
        assert!(dir.names("t").iter().all(|name| !name.starts_with(".metnos")));
    }
}

#[test]
fn names_are_relative_to_what_the_sources_share() {
    let dir = Dir::new();
    let (a, b) = (dir.file("p/q/a", "a"), dir.file("p/b", "b"));
    let entries = [entry(&a, "local"), entry(&b, "web"), entry(&dir.at("gone"), "local"), entry(&a, "local")];
    let dst = dir.at("o.zip");
    let ran = run("compress_files", json!({ "entries": entries, "dst": arg(&dst) }));
    assert_eq!(classes(&ran), [ErrorClass::NotFound]);
    assert!(ran.outcome.partial);
    assert_eq!(ran.items[0]["_origin"], "web");
    let zip = zip::ZipArchive::new(fs::File::open(&dst).unwrap()).unwrap();
    let mut names: Vec<String> = zip.file_names().map(|n| n.unwrap().into_owned()).collect();
    names.sort();
    assert_eq!(names, ["p/b", "p/q/a"]);
}

#[test]
fn special_files_are_counted_and_an_existing_archive_stays() {
    let dir = Dir::new();
    dir.file("t/a", "a");
    let _socket = std::os::unix::net::UnixListener::bind(dir.at("t/socket")).unwrap();
    let dst = dir.at("o.tar.gz");
    let args = json!({ "paths": [arg(&dir.at("t"))], "dst": arg(&dst) });
    let ran = run("compress_files", args.clone());
    assert!(ran.outcome.ok);
    assert_eq!(ran.items[0]["skipped"], 1);
    let before = fs::read(&dst).unwrap();
    assert_eq!(classes(&run("compress_files", args)), [ErrorClass::DstExists]);
    assert_eq!(fs::read(&dst).unwrap(), before);
    let missing = json!({ "paths": [arg(&dir.at("gone"))], "dst": arg(&dir.at("n.zip")) });
    assert_eq!(classes(&run("compress_files", missing)), [ErrorClass::NotFound]);
    assert!(!dir.has("n.zip"), "an archive of nothing is not made");
}

#[test]
fn an_archive_unpacks_beside_itself_by_default_and_collisions_fail_alone() {
    let dir = Dir::new();
    dir.file("t/a", "new");
    dir.file("t/b", "b");
    let dst = dir.at("x/My.Photos.zip");
    dir.dir("x");
    let args = json!({ "paths": [arg(&dir.at("t/a")), arg(&dir.at("t/b"))], "dst": arg(&dst) });
    assert!(run("compress_files", args).outcome.ok);
    dir.file("x/My.Photos/a", "old");
    let ran = run("extract_files", json!({ "paths": [arg(&dst)] }));
    assert_eq!(classes(&ran), [ErrorClass::DstExists]);
    assert_eq!((dir.text("x/My.Photos/a"), dir.text("x/My.Photos/b")), ("old".into(), "b".into()));
}

#[test]
fn a_thousand_small_files_survive() {
    for format in FORMATS {
        let dir = Dir::new();
        for n in 0..1000 {
            dir.file(&format!("t/{}/{n}", n % 10), n.to_string());
        }
        let dst = dir.at("o.bin");
        let args = json!({ "paths": [arg(&dir.at("t"))], "dst": arg(&dst), "format": format });
        assert!(run("compress_files", args).outcome.ok);
        let ran = run("extract_files", json!({ "paths": [arg(&dst)] }));
        assert_eq!((ran.outcome.ok_count, ran.outcome.fail_count), (1000, 0), "{format}");
        assert_eq!(dir.text("o.bin.d/t/7/997"), "997");
    }
}
