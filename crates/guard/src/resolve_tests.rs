#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;
use proptest::prelude::*;
use std::ffi::OsStr;
use std::os::unix::fs::symlink;

/// A scratch folder whose own path holds no link.
fn scratch() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap();
    (dir, path)
}

fn from(base: &Path, path: &str) -> Result<Resolved, ResolveError> {
    resolve_in(Path::new(path), base, Path::new("/home/u"))
}

#[test]
fn what_exists_resolves_as_the_kernel_does() {
    let (_keep, dir) = scratch();
    std::fs::create_dir_all(dir.join("a/b")).unwrap();
    std::fs::write(dir.join("a/b/f"), "x").unwrap();
    symlink("a/b", dir.join("link")).unwrap();
    let found = from(&dir, "link/../b/./f").unwrap();
    assert_eq!(found.path, dir.join("a/b/f"));
    assert_eq!(found.path, dir.join("link/../b/./f").canonicalize().unwrap());
    let meta = std::fs::metadata(&found.path).unwrap();
    assert_eq!((found.exists, found.id, found.is_dir), (true, Some((meta.dev(), meta.ino())), false));
    assert!(from(&dir, "link").unwrap().is_dir);
    assert_eq!(from(&dir, "/../..").unwrap().path, Path::new("/"));
}

#[test]
fn what_is_missing_keeps_its_names() {
    let (_keep, dir) = scratch();
    symlink("not/there", dir.join("dangling")).unwrap();
    let found = from(&dir, "new/deep/x").unwrap();
    assert_eq!(found.path, dir.join("new/deep/x"));
    assert_eq!((found.exists, found.id), (false, None));
    assert_eq!(found.missing, ["new", "deep", "x"]);
    assert_eq!(from(&dir, "dangling/y").unwrap().path, dir.join("not/there/y"));
    let refused = from(&dir, "new/../etc").err().unwrap();
    assert!(matches!(refused, ResolveError::UpFromMissing { .. }), "{refused}");
    assert!(refused.hint().is_some());
}

#[test]
fn the_home_is_known_and_other_homes_are_not() {
    let base = Path::new("/");
    assert_eq!(from(base, "~").unwrap().path, Path::new("/home/u"));
    assert_eq!(from(base, "~/x/y").unwrap().path, Path::new("/home/u/x/y"));
    assert!(matches!(from(base, "~root/x"), Err(ResolveError::NoHome { .. })));
    assert_eq!(from(base, "./~root").unwrap().path, Path::new("/~root"));
    assert!(matches!(resolve_in(Path::new("~"), base, Path::new("")), Err(ResolveError::NoHome { .. })));
}

#[test]
fn hostile_paths_are_refused() {
    let (_keep, dir) = scratch();
    symlink("loop", dir.join("loop")).unwrap();
    symlink("b", dir.join("a")).unwrap();
    symlink("a", dir.join("b")).unwrap();
    std::fs::write(dir.join("file"), "x").unwrap();
    assert!(matches!(from(&dir, ""), Err(ResolveError::Empty)));
    assert!(matches!(from(&dir, "a\0b"), Err(ResolveError::Nul { .. })));
    assert!(matches!(from(&dir, "loop"), Err(ResolveError::Loop { .. })));
    assert!(matches!(from(&dir, "a/x"), Err(ResolveError::Loop { .. })));
    assert!(matches!(from(&dir, "file/x"), Err(ResolveError::NotADirectory { .. })));
    assert!(matches!(from(&dir, "file/.."), Err(ResolveError::NotADirectory { .. })));
    assert!(matches!(from(&dir, &"x/".repeat(3000)), Err(ResolveError::TooLong { .. })));
    assert!(matches!(from(Path::new("rel"), "x"), Err(ResolveError::NoBase { .. })));
}

#[test]
fn links_into_processes_are_refused() {
    let (_keep, dir) = scratch();
    symlink("/proc/self/root", dir.join("hidden")).unwrap();
    for path in ["/proc/self/root/etc", "/proc/1/cwd", "/proc/thread-self/fd/0", "/dev/fd/0", "hidden/etc"] {
        let outcome = from(&dir, path);
        let refused = matches!(outcome, Err(ResolveError::MagicLink { .. } | ResolveError::Io { .. }));
        assert!(refused, "{path}: {outcome:?}");
    }
    let numbered = format!("/proc/{}/root/etc", std::process::id());
    assert!(matches!(from(&dir, &numbered), Err(ResolveError::MagicLink { .. })));
}

#[test]
fn names_that_are_not_utf8_and_names_with_newlines_resolve() {
    let (_keep, dir) = scratch();
    for name in [&b"\xff\xfe"[..], b"a\nb"] {
        let name = OsStr::from_bytes(name);
        std::fs::write(dir.join(name), "x").unwrap();
        let found = resolve_in(Path::new(name), &dir, Path::new("/")).unwrap();
        assert_eq!((found.path, found.exists), (dir.join(name), true));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_resolves_agrees_with_the_kernel(steps in prop::collection::vec(0..7_usize, 1..9)) {
        let (_keep, dir) = scratch();
        std::fs::create_dir_all(dir.join("a/b/a")).unwrap();
        std::fs::create_dir_all(dir.join("b")).unwrap();
        symlink("a/b", dir.join("l")).unwrap();
        symlink("../../b", dir.join("a/b/up")).unwrap();
        symlink("/", dir.join("top")).unwrap();
        let names = ["a", "b", "l", "up", "..", ".", "top"];
        let path: PathBuf = steps.iter().map(|n| names[*n]).collect();
        let found = resolve_in(&path, &dir, Path::new("/"));
        match dir.join(&path).canonicalize() {
            Ok(real) => {
                let found = found.unwrap();
                prop_assert_eq!(&found.path, &real);
                prop_assert!(found.exists);
            }
            Err(_) => prop_assert!(found.is_ok_and(|f| !f.exists) || path.components().any(|c| c == Component::ParentDir)),
        }
    }
}
