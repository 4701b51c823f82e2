#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
//! What the seeds of this family promise, on real folders.

use super::visit::{Entry, Flow, Options, Visit};
use super::walk;
use crate::call::{Call, Port};
use crate::testing::{Ran, run};
use metnos_executor::{ErrorClass, Failure, Intent, Permit};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use tempfile::TempDir;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn names(ran: &Ran) -> Vec<&str> {
    let mut names: Vec<&str> = ran.items.iter().map(|i| i["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names
}

fn find(dir: &Path, more: Value) -> Ran {
    let mut args = json!({ "base_path": dir });
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    run("find_files", args)
}

fn class(ran: &Ran) -> ErrorClass {
    ran.outcome.error.as_ref().expect("a failure").class
}

#[test]
fn find_files_gives_every_field_and_skips_hidden_names() {
    let dir = folder(&[("a/Photo.JPG", "12345"), (".hidden/x.jpg", ""), ("a/.y.jpg", "")]);
    let ran = find(dir.path(), json!({ "patterns": ["*.jpg"] }));
    assert!(ran.outcome.ok && ran.outcome.ok_count == 1);
    let item = &ran.items[0];
    assert_eq!(item["path"], json!(dir.path().join("a/Photo.JPG")));
    assert_eq!((&item["ext"], &item["kind"], &item["size"]), (&json!("jpg"), &json!("image"), &json!(5)));
    assert_eq!(item["_origin"], "local");
    assert!(item["mtime"].as_str().unwrap().parse::<jiff::Timestamp>().is_ok());
    assert_eq!(names(&find(dir.path(), json!({ "hidden": true }))), [".y.jpg", "Photo.JPG", "x.jpg"]);
}

#[test]
fn find_files_takes_kind_size_dates_and_words() {
    let dir = folder(&[("a.pdf", "x"), ("b.txt", "Il gatto NERO"), ("c.txt", ""), ("d.bin", "nero\0")]);
    let old = fs::File::options().write(true).open(dir.path().join("c.txt")).unwrap();
    old.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_577_836_800)).unwrap();
    let at = |more| find(dir.path(), more);
    assert_eq!(names(&at(json!({ "kind": "document" }))), ["a.pdf"]);
    assert_eq!(names(&at(json!({ "kind": "text" }))), ["b.txt", "c.txt"]);
    assert_eq!(names(&at(json!({ "size_min": 5, "size_max": 5 }))), ["d.bin"]);
    assert_eq!(names(&at(json!({ "size_max": 0 }))), ["c.txt"]);
    assert_eq!(at(json!({})).items.len(), 4);
    assert_eq!(names(&at(json!({ "modified_before": "2020-01-02" }))), ["c.txt"]);
    assert_eq!(names(&at(json!({ "modified_after": "2020-01-02", "kind": "text" }))), ["b.txt"]);
    let found = at(json!({ "contains": "nero" }));
    assert_eq!(names(&found), ["b.txt"]);
    assert_eq!(found.outcome.fields["metadata"]["binary_skipped"], 1);
    assert_eq!(class(&at(json!({ "modified_after": "soon" }))), ErrorClass::WrongArgs);
}

#[test]
fn find_files_declares_what_it_cut_and_zero_means_no_limit() {
    let files: Vec<(String, &str)> = (0..30).map(|i| (format!("{}/{i}.txt", i % 3), "")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (p.as_str(), *t)).collect();
    let dir = folder(&files);
    let cut = find(dir.path(), json!({ "max_results": 7 }));
    let truncation = cut.outcome.truncation.as_ref().unwrap();
    assert_eq!((cut.items.len(), truncation.used, truncation.available_total), (7, 7, None));
    for max in [0, 30] {
        let all = find(dir.path(), json!({ "max_results": max }));
        assert!(all.outcome.truncation.is_none() && all.items.len() == 30);
    }
}

#[test]
fn find_files_on_nothing_a_file_and_a_missing_path() {
    let dir = folder(&[("x/only.txt", "12")]);
    fs::create_dir(dir.path().join("empty")).unwrap();
    let empty = find(&dir.path().join("empty"), json!({}));
    assert!(empty.outcome.ok && empty.items.is_empty());
    let file = find(&dir.path().join("x/only.txt"), json!({}));
    assert_eq!(file.items[0]["path"], json!(dir.path().join("x/only.txt")));
    assert_eq!(class(&find(&dir.path().join("gone"), json!({}))), ErrorClass::NotFound);
}

#[test]
fn strange_names_and_looping_links_do_no_harm() {
    let dir = folder(&[("line\nbreak.txt", "")]);
    let raw = dir.path().join(OsStr::from_bytes(b"caf\xe9.txt"));
    fs::write(&raw, "").unwrap();
    symlink("loop", dir.path().join("loop")).unwrap();
    symlink(dir.path(), dir.path().join("up")).unwrap();
    let ran = find(dir.path(), json!({}));
    assert_eq!(ran.items.len(), 2);
    assert_eq!(ran.outcome.fields["metadata"]["links"], 2);
    let odd = ran.items.iter().find(|i| i.get("path_b64").is_some()).unwrap();
    assert_eq!(metnos_executor::path::of_entry(odd, "path").unwrap(), raw);
    let listed = run("list_dirs", json!({ "paths": [dir.path()], "recursive": true }));
    assert_eq!(listed.items.iter().filter(|i| i["type"] == "link").count(), 2);
    let got = run("get_files", json!({ "entries": ran.items }));
    assert!(got.outcome.ok && got.items.len() == 2);
}

/// A chain far deeper than a path can be spelled, with a side branch at each level, so that
/// descriptors must be closed and found again.
#[test]
fn ten_thousand_nested_folders_are_walked() {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat, unlinkat};
    let dir = tempfile::tempdir().unwrap();
    let open = OFlags::RDONLY | OFlags::DIRECTORY;
    let mut at = openat(CWD, dir.path(), open, Mode::empty()).unwrap();
    for level in 0..10_000 {
        mkdirat(&at, "d", Mode::RWXU).unwrap();
        if level % 50 == 0 {
            mkdirat(&at, "side", Mode::RWXU).unwrap();
        }
        at = openat(&at, "d", open, Mode::empty()).unwrap();
    }
    drop(openat(&at, "deepest.txt", OFlags::CREATE | OFlags::WRONLY, Mode::RWXU).unwrap());
    let found = run("find_files", json!({ "base_path": dir.path(), "patterns": ["deepest*"] }));
    let sides = run("find_dirs", json!({ "base_path": dir.path(), "patterns": ["side"], "empty": true }));
    // Taken apart from the bottom: the standard library would recurse or spell the path.
    unlinkat(&at, "deepest.txt", AtFlags::empty()).unwrap();
    for level in (0..10_000).rev() {
        at = openat(&at, "..", open, Mode::empty()).unwrap();
        unlinkat(&at, "d", AtFlags::REMOVEDIR).unwrap();
        if level % 50 == 0 {
            unlinkat(&at, "side", AtFlags::REMOVEDIR).unwrap();
        }
    }
    assert_eq!(found.items.len(), 1, "{:?}", found.outcome);
    assert!(found.outcome.ok && sides.outcome.ok, "{:?}", sides.outcome.failed);
    assert_eq!(sides.items.len(), 200);
}

struct Silent;
impl Port for Silent {
    fn intent(&mut self, _: &Intent) -> Result<Permit, Failure> {
        Ok(Permit::default())
    }
    fn progress(&mut self, _: u64, _: Option<u64>, _: &str) {}
    fn cancelled(&mut self) -> bool {
        true
    }
    fn item(&mut self, _: &[u8]) -> Result<(), Failure> {
        Ok(())
    }
}

fn silent(port: &mut Silent) -> Call<'_> {
    let now = "2026-11-15T10:00:00+01:00[Europe/Rome]".parse().unwrap();
    Call::new(serde_json::Map::new(), now, "en", None, None, port)
}

const ALL: Options = Options { hidden: true, sorted: false, recursive: true };

/// Changes the tree under the walk's feet.
struct Saboteur<'a>(&'a Path);
impl Visit for Saboteur<'_> {
    fn entry(&mut self, _: &mut Call<'_>, entry: &Entry<'_>) -> Result<Flow, Failure> {
        match entry.name {
            b"vanishes" => fs::remove_dir(self.0.join("vanishes")).unwrap(),
            b"swapped" => {
                fs::remove_dir(self.0.join("swapped")).unwrap();
                symlink("/", self.0.join("swapped")).unwrap();
            }
            _ => {}
        }
        Ok(Flow::Go)
    }
}

#[test]
fn what_vanishes_or_becomes_a_link_during_the_walk_is_counted_and_not_entered() {
    let dir = folder(&[("stays/x", "")]);
    fs::create_dir(dir.path().join("vanishes")).unwrap();
    fs::create_dir(dir.path().join("swapped")).unwrap();
    let mut port = Silent;
    let mut call = silent(&mut port);
    let summary = walk::walk(&mut call, dir.path(), ALL, &mut Saboteur(dir.path())).unwrap();
    assert_eq!(summary.seen, 4);
    let mut classes: Vec<ErrorClass> = call.outcome.failed.iter().map(|f| f.error_class).collect();
    classes.sort_unstable();
    assert_eq!(classes, [ErrorClass::NotFound, ErrorClass::Conflict]);
}

#[test]
fn a_walk_stops_when_the_person_says_so() {
    let dir = tempfile::tempdir().unwrap();
    for i in 0..4200 {
        fs::write(dir.path().join(i.to_string()), "").unwrap();
    }
    let mut port = Silent;
    let mut call = silent(&mut port);
    let stopped = walk::walk(&mut call, dir.path(), ALL, &mut Saboteur(dir.path())).unwrap_err();
    assert_eq!(stopped.class, ErrorClass::Cancelled);
}

#[test]
fn list_dirs_lists_in_order_and_reports_the_folder_that_is_not_there() {
    let dir = folder(&[("b.txt", "xy"), ("a/inner.txt", ""), (".dot", "")]);
    let listed = run("list_dirs", json!({ "paths": [dir.path()] }));
    let order: Vec<&Value> = listed.items.iter().map(|i| &i["name"]).collect();
    assert_eq!(order, [".dot", "a", "b.txt"]);
    assert_eq!(listed.items[1]["type"], "dir");
    let deep = run("list_dirs", json!({ "paths": [dir.path()], "recursive": true, "max_results": 4 }));
    assert!(deep.outcome.truncation.is_none() && deep.items.len() == 4);
    let cut = run("list_dirs", json!({ "paths": [dir.path()], "max_results": 2 }));
    assert_eq!((cut.items.len(), cut.outcome.truncation.unwrap().cap_value), (2, 2));
    let partial = run("list_dirs", json!({ "paths": [dir.path().join("gone"), dir.path().join("a")] }));
    assert!(partial.outcome.partial && partial.outcome.failed[0].error_class == ErrorClass::NotFound);
    let gone = run("list_dirs", json!({ "paths": [dir.path().join("gone")] }));
    assert_eq!(class(&gone), ErrorClass::NotFound);
    assert!(run("list_dirs", json!({ "paths": [] })).outcome.ok);
}

#[test]
fn a_tainted_path_taints_what_is_found_there() {
    let dir = folder(&[("a/x.txt", "")]);
    let entry = json!({ "path": dir.path().join("a"), "_origin": "mail" });
    let listed = run("list_dirs", json!({ "paths": [dir.path()], "entries": [entry] }));
    assert_eq!((listed.items.len(), &listed.items[0]["_origin"]), (1, &json!("mail")));
    assert_eq!(run("get_files", json!({ "entries": [entry] })).items[0]["_origin"], "mail");
}

#[test]
fn find_dirs_totals_everything_below() {
    let dir = folder(&[("a/b/x.txt", "123"), ("a/y.txt", "4567"), ("a/.c/z", "8"), ("w/x/q", "")]);
    fs::create_dir(dir.path().join("void")).unwrap();
    let find = |more: Value| {
        let mut args = json!({ "base_path": dir.path() });
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        run("find_dirs", args)
    };
    let all = find(json!({}));
    assert_eq!(names(&all), ["a", "b", "void", "w", "x"]);
    let a = all.items.iter().find(|i| i["name"] == "a").unwrap();
    assert_eq!((&a["files"], &a["size"]), (&json!(3), &json!(8)));
    assert_eq!(names(&find(json!({ "empty": true }))), ["void"]);
    assert_eq!(names(&find(json!({ "patterns": [".*"] }))), [".c"]);
    assert_eq!(names(&find(json!({ "patterns": ["w/*"] }))), ["x"]);
    assert!(find(json!({ "modified_before": "1990-01-01" })).items.is_empty());
    let file = run("find_dirs", json!({ "base_path": dir.path().join("a/y.txt") }));
    assert_eq!(class(&file), ErrorClass::WrongArgs);
}

#[test]
fn duplicates_are_exact_and_hard_links_are_one_file() {
    let big = "x".repeat(10_000);
    let (other, tail) = (format!("y{}", "x".repeat(9_999)), format!("{}y", "x".repeat(9_999)));
    let dir = folder(&[
        ("a.txt", &big),
        ("sub/b.txt", &big),
        ("c.txt", &other),
        ("d.txt", &tail),
        ("e.txt", ""),
        ("f.txt", ""),
        ("alone.txt", "12"),
    ]);
    fs::hard_link(dir.path().join("a.txt"), dir.path().join("a2.txt")).unwrap();
    fs::hard_link(dir.path().join("alone.txt"), dir.path().join("alone2.txt")).unwrap();
    let ran = run("find_files_hash", json!({ "base_path": dir.path() }));
    assert_eq!(names(&ran), ["a.txt", "a2.txt", "b.txt"]);
    assert!(ran.items.iter().all(|i| i["group"] == 1 && i["group_size"] == 2));
    assert_eq!(ran.items.iter().filter(|i| i.get("hard_link_of").is_some()).count(), 1);
    assert_eq!(ran.items[0]["hash"], blake3::hash(big.as_bytes()).to_hex().as_str());
    assert_eq!(ran.outcome.fields["value"], 10_000);
    let metadata = &ran.outcome.fields["metadata"];
    assert_eq!((&metadata["empty_files"], &metadata["hard_links"]), (&json!(2), &json!(2)));
    let none = run("find_files_hash", json!({ "base_path": dir.path(), "kind": "image" }));
    assert!(none.outcome.ok && none.items.is_empty());
    let gone = run("find_files_hash", json!({ "base_path": dir.path().join("gone") }));
    assert_eq!(class(&gone), ErrorClass::NotFound);
}

#[test]
fn sizes_add_up_and_count_a_hard_link_once() {
    let dir = folder(&[("a/x.txt", "12345"), ("a/deep/y.JPG", "123"), ("b/z", "1"), ("top.txt", "12")]);
    fs::hard_link(dir.path().join("a/x.txt"), dir.path().join("a/again.txt")).unwrap();
    let by = |by: &str, top: u64| {
        run("compute_files_size", json!({ "base_path": dir.path(), "by": by, "top": top }))
    };
    let dirs = by("dir", 0);
    let shares: Vec<(&Value, &Value)> = dirs.items.iter().map(|i| (&i["name"], &i["size"])).collect();
    assert_eq!(shares, [(&json!("a"), &json!(8)), (&json!("."), &json!(2)), (&json!("b"), &json!(1))]);
    assert_eq!(dirs.outcome.fields["value"], 11);
    assert_eq!(names(&by("ext", 0)), ["(none)", "jpg", "txt"]);
    assert_eq!(names(&by("kind", 0)), ["image", "other", "text"]);
    let top = by("ext", 1);
    assert_eq!((top.items.len(), top.outcome.truncation.unwrap().available_total), (1, Some(3)));
    assert_eq!(top.outcome.fields["value"], 11);
}

#[test]
fn lines_are_counted_by_language() {
    let dir = folder(&[
        ("a.rs", "// c\nfn x() {}\n\n"),
        ("b.rs", "x"),
        ("c.py", "#\n"),
        ("d.rs", "\0"),
        ("e.zzz", "x"),
    ]);
    let ran = run("compute_files_loc", json!({ "base_path": dir.path() }));
    assert_eq!(ran.items[0]["language"], "Rust");
    assert_eq!(
        (&ran.items[0]["files"], &ran.items[0]["lines"], &ran.items[0]["code"]),
        (&json!(2), &json!(4), &json!(2))
    );
    assert_eq!(ran.items[1]["language"], "Python");
    assert_eq!(ran.outcome.fields["metadata"]["binary_skipped"], 1);
    assert_eq!(ran.outcome.fields["value"], 2);
}

#[test]
fn get_files_knows_type_mode_digest_and_picture() {
    let dir = folder(&[("a.txt", "hello"), ("broken.jpg", "\u{0}")]);
    fs::write(dir.path().join("broken.jpg"), b"\xff\xd8\xff\xe1\x00\x10Exif\0\0garbage").unwrap();
    image::RgbImage::new(7, 5).save(dir.path().join("p.png")).unwrap();
    let paths = ["a.txt", "broken.jpg", "p.png", "gone"].map(|n| dir.path().join(n));
    let ran = run("get_files", json!({ "paths": paths, "hash": true }));
    assert!(ran.outcome.partial && ran.outcome.ok_count == 3);
    assert_eq!(ran.outcome.failed[0].index, 3);
    let [text, broken, picture] = ran.items.as_slice() else { panic!("three items") };
    assert_eq!((&text["mime"], &text["size"]), (&json!("text/plain"), &json!(5)));
    assert_eq!(text["hash"], blake3::hash(b"hello").to_hex().as_str());
    assert_eq!((&text["_origin"], text.get("exif")), (&json!("local"), None));
    assert_eq!((&broken["mime"], &broken["exif"]), (&json!("image/jpeg"), &json!({})));
    assert_eq!(picture["exif"], json!({ "width": 7, "height": 5 }));
    assert_eq!(picture["_origin"], "content");
    assert!(run("get_files", json!({ "paths": [] })).outcome.ok);
}

/// A JPEG whose only segment is metadata written by our own hand.
#[test]
fn get_files_reads_when_where_and_with_what_a_photo_was_taken() {
    use exif::experimental::Writer;
    use exif::{Field, In, Rational, Tag, Value as V};
    let dms = |d, m, s| {
        V::Rational(vec![
            Rational { num: d, denom: 1 },
            Rational { num: m, denom: 1 },
            Rational { num: s, denom: 1 },
        ])
    };
    let text = |t: &str| V::Ascii(vec![t.as_bytes().to_vec()]);
    let fields = [
        (Tag::Make, text("Acme")),
        (Tag::Model, text("One")),
        (Tag::DateTimeOriginal, text("2026:05:01 12:30:00")),
        (Tag::GPSLatitude, dms(45, 30, 0)),
        (Tag::GPSLatitudeRef, text("N")),
        (Tag::GPSLongitude, dms(9, 15, 0)),
        (Tag::GPSLongitudeRef, text("W")),
    ]
    .map(|(tag, value)| Field { tag, ifd_num: In::PRIMARY, value });
    let mut writer = Writer::new();
    fields.iter().for_each(|f| writer.push_field(f));
    let mut tiff = std::io::Cursor::new(Vec::new());
    writer.write(&mut tiff, false).unwrap();
    let mut jpeg = b"\xff\xd8\xff\xe1".to_vec();
    let length = u16::try_from(tiff.get_ref().len() + 8).unwrap();
    jpeg.extend(length.to_be_bytes());
    jpeg.extend(b"Exif\0\0");
    jpeg.extend(tiff.get_ref());
    jpeg.extend(b"\xff\xd9");
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("p.jpg"), jpeg).unwrap();
    let ran = run("get_files", json!({ "paths": [dir.path().join("p.jpg")] }));
    let exif = &ran.items[0]["exif"];
    assert_eq!((&exif["camera"], &exif["taken_at"]), (&json!("Acme One"), &json!("2026-05-01T12:30:00")));
    assert_eq!((&exif["lat"], &exif["lon"]), (&json!(45.5), &json!(-9.25)));
}
