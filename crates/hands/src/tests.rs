#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::{Attributes, Hands};
use metnos_executor::{BytePath, ErrorClass, Intent, Keep, Op, Permit, WriteMode};
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

fn at(path: impl Into<PathBuf>) -> BytePath {
    BytePath(path.into())
}

/// Hands with a folder of their own for what they keep.
struct Test {
    hands: Hands,
    kept: tempfile::TempDir,
}

impl std::ops::Deref for Test {
    type Target = Hands;
    fn deref(&self) -> &Hands {
        &self.hands
    }
}

impl std::ops::DerefMut for Test {
    fn deref_mut(&mut self) -> &mut Hands {
        &mut self.hands
    }
}

fn hands(ops: Vec<Op>) -> Test {
    let kept = tempfile::tempdir().unwrap();
    let keep = Keep { root: at("/"), dir: at(kept.path()) };
    Test { hands: Hands::approved(Intent { ops }, Permit { number: 1, keeps: vec![keep] }), kept }
}

fn moving(src: &Path, dst: &Path) -> Test {
    hands(vec![Op::Move { src: at(src), dst: at(dst) }])
}

fn writing(dst: &Path, mode: WriteMode) -> Test {
    hands(vec![Op::Write { dst: at(dst), mode }])
}

fn names(dir: &Path) -> Vec<PathBuf> {
    let mut names: Vec<_> = fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into()).collect();
    names.sort();
    names
}

#[test]
fn performs_only_what_the_intent_says_and_only_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut hands = hands(vec![Op::MakeDir { path: at(dir.path().join("a")) }]);
    assert_eq!(hands.delete(0).unwrap_err().class, ErrorClass::Internal);
    assert_eq!(hands.make_dir(0).unwrap_err().class, ErrorClass::Internal, "a wrong kind spends it");
    assert_eq!(hands.make_dir(1).unwrap_err().class, ErrorClass::Internal);
    assert!(!dir.path().join("a").exists());

    let mut hands = super::tests::hands(vec![Op::MakeDir { path: at(dir.path().join("a")) }]);
    hands.make_dir(0).unwrap();
    assert_eq!(hands.make_dir(0).unwrap_err().class, ErrorClass::Internal);
    hands.finish().unwrap();
}

#[test]
fn a_rename_never_replaces() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    fs::write(&a, "a").unwrap();
    fs::write(&b, "b").unwrap();
    assert_eq!(moving(&a, &b).rename(0).unwrap_err().class, ErrorClass::DstExists);
    assert_eq!(fs::read(&b).unwrap(), b"b");
    assert_eq!(moving(&a, &dir.path().join("c")).rename(0).unwrap(), 1);
    assert_eq!(names(dir.path()), [Path::new("b"), Path::new("c")]);
    assert_eq!(moving(&a, &b).rename(0).unwrap_err().class, ErrorClass::NotFound);
}

#[test]
fn names_are_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let odd = dir.path().join(OsStr::from_bytes(b"li\nne\xff"));
    fs::write(&odd, "x").unwrap();
    let to = dir.path().join(OsStr::from_bytes(b"\xfe\n"));
    moving(&odd, &to).rename(0).unwrap();
    hands(vec![Op::Delete { path: at(&to) }]).delete(0).unwrap();
    assert!(names(dir.path()).is_empty());
}

#[test]
fn paths_that_are_not_plain_are_refused() {
    for path in ["relative/x", "/tmp/../tmp/x", "/", "/tmp/.."] {
        let mut hands = hands(vec![Op::Delete { path: at(path) }]);
        assert_eq!(hands.delete(0).unwrap_err().class, ErrorClass::WrongArgs, "{path}");
    }
}

#[test]
fn a_directory_does_not_move_into_itself() {
    let dir = tempfile::tempdir().unwrap();
    let a = dir.path().join("a");
    fs::create_dir(&a).unwrap();
    assert_eq!(moving(&a, &a.join("b")).rename(0).unwrap_err().class, ErrorClass::WrongArgs);
    assert!(a.is_dir());
}

/// A directory on another file system than the temporary one, if this machine has one.
fn elsewhere(dir: &Path) -> Option<tempfile::TempDir> {
    let other = tempfile::tempdir_in("/dev/shm").ok()?;
    let differs = fs::metadata(other.path()).ok()?.dev() != fs::metadata(dir).ok()?.dev();
    if !differs {
        let _ = writeln!(std::io::stderr(), "SKIPPED: /dev/shm is not another file system here");
    }
    differs.then_some(other)
}

#[test]
fn a_file_moves_between_file_systems_with_all_it_has() {
    let dir = tempfile::tempdir().unwrap();
    let Some(other) = elsewhere(dir.path()) else { return };
    let (src, dst) = (dir.path().join("a"), other.path().join("a"));
    let content: Vec<u8> = (0..900_000u32).map(|n| (n % 251) as u8).collect();
    fs::write(&src, &content).unwrap();
    fs::set_permissions(&src, fs::Permissions::from_mode(0o751)).unwrap();
    let file = fs::File::options().write(true).open(&src).unwrap();
    let old = std::time::UNIX_EPOCH + std::time::Duration::new(1_000_000, 42);
    file.set_times(fs::FileTimes::new().set_modified(old).set_accessed(old)).unwrap();
    drop(file);
    assert_eq!(moving(&src, &dst).rename(0).unwrap(), 900_000);
    assert!(!src.exists());
    let meta = fs::metadata(&dst).unwrap();
    assert_eq!((meta.mode() & 0o7777, meta.modified().unwrap(), meta.accessed().unwrap()), (0o751, old, old));
    assert_eq!(fs::read(&dst).unwrap(), content);
    assert_eq!(names(other.path()).len(), 1, "no temporary file stays");

    fs::write(&src, "again").unwrap();
    assert_eq!(moving(&src, &dst).rename(0).unwrap_err().class, ErrorClass::DstExists);
    assert_eq!(fs::read(&src).unwrap(), b"again");

    let (link, moved) = (dir.path().join("l"), other.path().join("l"));
    symlink("nowhere", &link).unwrap();
    moving(&link, &moved).rename(0).unwrap();
    assert_eq!(fs::read_link(&moved).unwrap(), Path::new("nowhere"));
    assert!(fs::symlink_metadata(&link).is_err());

    let folder = dir.path().join("d");
    fs::create_dir(&folder).unwrap();
    assert_eq!(moving(&folder, &other.path().join("d")).rename(0).unwrap_err().class, ErrorClass::WrongArgs);
}

#[test]
fn a_copy_keeps_mode_time_and_holes() {
    let dir = tempfile::tempdir().unwrap();
    let (src, dst) = (dir.path().join("a"), dir.path().join("b"));
    let mut file = fs::File::create(&src).unwrap();
    file.set_len(64 << 20).unwrap();
    file.write_all(b"head").unwrap();
    file.set_permissions(fs::Permissions::from_mode(0o640)).unwrap();
    drop(file);
    let op = Op::Copy { src: at(&src), dst: at(&dst) };
    let written = hands(vec![op.clone()]).copy(0).unwrap();
    let (a, b) = (fs::metadata(&src).unwrap(), fs::metadata(&dst).unwrap());
    assert_eq!(written.bytes, 64 << 20);
    assert_eq!(
        (b.len(), b.mode(), b.mtime(), b.mtime_nsec()),
        (a.len(), a.mode(), a.mtime(), a.mtime_nsec())
    );
    assert!(b.blocks() < 4096, "the copy has holes too");
    assert_eq!(written.blake3, blake3::hash(&fs::read(&dst).unwrap()).to_hex().to_string());
    assert_eq!(hands(vec![op]).copy(0).unwrap_err().class, ErrorClass::DstExists);

    let link = dir.path().join("l");
    symlink(&src, &link).unwrap();
    let copied = dir.path().join("c");
    hands(vec![Op::Copy { src: at(&link), dst: at(&copied) }]).copy(0).unwrap();
    assert_eq!(fs::read_link(&copied).unwrap(), src, "a link is copied as the link it is, never through it");
}

#[test]
fn a_write_creates_replaces_or_appends_as_it_said() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f");
    let written = writing(&file, WriteMode::Create).write(0, |w| w.write_all(b"one")).unwrap();
    assert_eq!((written.bytes, written.blake3), (3, blake3::hash(b"one").to_hex().to_string()));
    let again = writing(&file, WriteMode::Create).write(0, |w| w.write_all(b"two"));
    assert_eq!(again.unwrap_err().class, ErrorClass::DstExists);
    assert_eq!(fs::read(&file).unwrap(), b"one");

    fs::set_permissions(&file, fs::Permissions::from_mode(0o604)).unwrap();
    writing(&file, WriteMode::Append).write(0, |w| w.write_all(b"+two")).unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"one+two");
    writing(&file, WriteMode::Overwrite).write(0, |w| w.write_all(b"three")).unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"three");
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o604);

    let fresh = dir.path().join("g");
    writing(&fresh, WriteMode::Append).write(0, |w| w.write_all(b"new")).unwrap();
    assert_eq!(fs::read(&fresh).unwrap(), b"new");
    assert_eq!(names(dir.path()).len(), 2, "no temporary file stays");
}

#[test]
fn a_large_file_grows_in_place_and_is_cut_back_on_failure() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f");
    let len = (64 << 20) + 1;
    fs::File::create(&file).unwrap().set_len(len).unwrap();
    let failing = writing(&file, WriteMode::Append).write(0, |w| {
        w.write_all(&[1; 1 << 20])?;
        Err(std::io::Error::other("the source broke"))
    });
    assert!(failing.is_err());
    assert_eq!(fs::metadata(&file).unwrap().len(), len);
    writing(&file, WriteMode::Append).write(0, |w| w.write_all(b"tail")).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().len(), len + 4);
}

#[test]
fn a_write_that_fails_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f");
    let failure = metnos_executor::Failure::new(ErrorClass::TooLarge, "enough");
    let told = failure.clone();
    let result = writing(&file, WriteMode::Create).write(0, move |w| {
        w.write_all(b"half")?;
        Err(std::io::Error::other(told.clone()))
    });
    assert_eq!(result.unwrap_err(), failure);
    assert!(names(dir.path()).is_empty());
}

#[test]
fn a_write_goes_neither_through_a_link_nor_over_a_directory() {
    let dir = tempfile::tempdir().unwrap();
    let (target, link) = (dir.path().join("t"), dir.path().join("l"));
    fs::write(&target, "safe").unwrap();
    symlink(&target, &link).unwrap();
    for mode in [WriteMode::Overwrite, WriteMode::Append] {
        let refused = writing(&link, mode).write(0, |w| w.write_all(b"x"));
        assert_eq!(refused.unwrap_err().class, ErrorClass::WrongArgs);
        let refused = writing(dir.path(), mode).write(0, |w| w.write_all(b"x"));
        assert_eq!(refused.unwrap_err().class, ErrorClass::WrongArgs);
    }
    assert_eq!(fs::read(&target).unwrap(), b"safe");
}

#[test]
fn given_attributes_are_set_without_the_dangerous_bits() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f");
    let attributes = Attributes { mode: Some(0o6755), mtime: Some((86_400, 0)) };
    writing(&file, WriteMode::Create).write_as(0, attributes, |w| w.write_all(b"x")).unwrap();
    let meta = fs::metadata(&file).unwrap();
    assert_eq!((meta.mode() & 0o7777, meta.mtime()), (0o755, 86_400));
}

#[test]
fn removing_knows_files_from_directories() {
    let dir = tempfile::tempdir().unwrap();
    let (full, inner, link) = (dir.path().join("d"), dir.path().join("d/x"), dir.path().join("l"));
    fs::create_dir(&full).unwrap();
    fs::write(&inner, "12345").unwrap();
    symlink(&full, &link).unwrap();
    let mut hands = hands(vec![
        Op::Delete { path: at(&full) },
        Op::RemoveDir { path: at(&full) },
        Op::Delete { path: at(&link) },
        Op::Delete { path: at(&inner) },
        Op::RemoveDir { path: at(&full) },
        Op::Delete { path: at(&inner) },
    ]);
    assert_eq!(hands.delete(0).unwrap_err().class, ErrorClass::WrongArgs);
    assert_eq!(hands.remove_dir(1).unwrap_err().class, ErrorClass::Conflict);
    hands.delete(2).unwrap();
    assert!(full.is_dir(), "the link went, not what it pointed to");
    assert_eq!(hands.delete(3).unwrap(), 5);
    hands.remove_dir(4).unwrap();
    assert_eq!(hands.delete(5).unwrap_err().class, ErrorClass::NotFound);
    hands.finish().unwrap();
}

#[test]
fn a_read_only_directory_is_a_refusal() {
    let dir = tempfile::tempdir().unwrap();
    if fs::metadata(dir.path()).unwrap().uid() == 0 {
        let _ = writeln!(std::io::stderr(), "SKIPPED: the root account may write anywhere");
        return;
    }
    let file = dir.path().join("f");
    fs::write(&file, "x").unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o500)).unwrap();
    let refused = hands(vec![Op::Delete { path: at(&file) }]).delete(0).unwrap_err().class;
    let unmoved = moving(&file, &dir.path().join("g")).rename(0).unwrap_err().class;
    let unwritten = writing(&dir.path().join("h"), WriteMode::Create).write(0, |_| Ok(())).unwrap_err().class;
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!([refused, unmoved, unwritten], [ErrorClass::PermissionDenied; 3]);
}

#[test]
fn after_a_failed_sync_the_file_is_written_again_once() {
    use super::stage::faults::arm;
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    let mut asked = 0;
    arm(1);
    writing(&a, WriteMode::Create)
        .write(0, |w| {
            asked += 1;
            w.write_all(b"content")
        })
        .unwrap();
    assert_eq!((asked, fs::read(&a).unwrap()), (2, b"content".to_vec()));
    arm(1);
    hands(vec![Op::Copy { src: at(&a), dst: at(&b) }]).copy(0).unwrap();
    assert_eq!(fs::read(&b).unwrap(), b"content");

    arm(2);
    let c = dir.path().join("c");
    assert!(hands(vec![Op::Copy { src: at(&a), dst: at(&c) }]).copy(0).is_err());
    arm(2);
    assert!(writing(&c, WriteMode::Create).write(0, |w| w.write_all(b"x")).is_err());

    // A stream that is used up cannot be written again: an honest failure, not an empty file.
    arm(1);
    let mut stream: &[u8] = b"only once";
    let twice = writing(&c, WriteMode::Create).write(0, |w| std::io::copy(&mut stream, w).map(|_| ()));
    assert_eq!(twice.unwrap_err().class, ErrorClass::Internal);
    assert_eq!(names(dir.path()), [Path::new("a"), Path::new("b")]);
    arm(0);
}

#[test]
fn what_is_deleted_is_kept_whole() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f");
    fs::write(&file, "content").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let before = fs::metadata(&file).unwrap();
    let mut hands = hands(vec![Op::Delete { path: at(&file) }]);
    hands.delete(0).unwrap();
    hands.finish().unwrap();
    assert!(!file.exists());
    let kept = hands.kept.path().join("1-0");
    let after = fs::metadata(&kept).unwrap();
    assert_eq!(fs::read(&kept).unwrap(), b"content");
    assert_eq!(
        (after.mode(), after.mtime(), after.mtime_nsec()),
        (before.mode(), before.mtime(), before.mtime_nsec())
    );
}

#[test]
fn what_is_overwritten_is_kept_and_nothing_is_left_beside_it() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f");
    fs::write(&file, "old").unwrap();
    let was = fs::metadata(&file).unwrap().ino();
    let mut hands = writing(&file, WriteMode::Overwrite);
    hands.write(0, |w| w.write_all(b"new")).unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"new");
    let kept = hands.kept.path().join("1-0");
    assert_eq!((fs::read(&kept).unwrap(), fs::metadata(&kept).unwrap().ino()), (b"old".to_vec(), was));
    assert_eq!(names(dir.path()), [Path::new("f")]);
}

#[test]
fn a_thing_without_a_place_to_be_kept_in_is_not_taken_away() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f");
    fs::write(&file, "x").unwrap();
    let keep = Keep { root: at("/elsewhere"), dir: at(dir.path()) };
    let mut hands = Hands::approved(
        Intent { ops: vec![Op::Delete { path: at(&file) }] },
        Permit { number: 1, keeps: vec![keep] },
    );
    assert!(hands.delete(0).is_err());
    assert_eq!(fs::read(&file).unwrap(), b"x");
}
