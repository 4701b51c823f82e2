//! `delete_files`, `delete_dirs` and `create_dirs`.

use super::*;
use std::os::unix::fs::symlink;

#[test]
fn files_and_links_go_and_targets_stay() {
    let dir = Dir::new();
    let (a, keep) = (dir.file("a", "12345"), dir.file("keep", "k"));
    let (link, dead, odd) = (dir.at("l"), dir.at("dead"), dir.odd(b"o\n\xff"));
    symlink(&keep, &link).unwrap();
    symlink("nowhere", &dead).unwrap();
    fs::write(&odd, "").unwrap();
    let entries: Vec<Value> = [&a, &link, &dead, &odd, &a].iter().map(|p| entry(p, "mail")).collect();
    let ran = run("delete_files", json!({ "entries": entries }));
    assert!(ran.outcome.ok, "{:?}", ran.outcome);
    assert_eq!(ran.outcome.ok_count, 4);
    assert_eq!(ran.items[0]["size"], 5);
    assert!(ran.items.iter().all(|item| item["_origin"] == "mail"), "taint reaches every result");
    assert_eq!(dir.names(""), ["keep"]);
}

#[test]
fn what_cannot_be_deleted_is_told_and_the_rest_goes() {
    let dir = Dir::new();
    let (a, folder) = (dir.file("a", "a"), dir.dir("d"));
    let ran = run("delete_files", json!({ "paths": [arg(&folder), arg(&dir.at("gone")), arg(&a)] }));
    assert!(ran.outcome.partial);
    assert_eq!(classes(&ran), [ErrorClass::WrongArgs, ErrorClass::NotFound]);
    assert!(ran.outcome.failed[0].message.contains("delete_dirs"));
    assert_eq!(dir.names(""), ["d"]);
}

#[test]
fn a_tree_goes_deepest_first_and_follows_no_link() {
    let dir = Dir::new();
    dir.file("t/a/b/x", "123");
    dir.file("outside/keep", "k");
    symlink(dir.at("outside"), dir.at("t/a/link")).unwrap();
    symlink(dir.at("t"), dir.at("t/loop")).unwrap();
    fs::write(dir.odd(b"t/o\n\xff"), "").unwrap();
    let ran = run("delete_dirs", json!({ "paths": [arg(&dir.at("t"))], "recursive": true }));
    assert!(ran.outcome.ok, "{:?}", ran.outcome);
    assert_eq!((&ran.items[0]["files"], &ran.items[0]["dirs"]), (&json!(4), &json!(3)));
    assert_eq!(dir.names(""), ["outside"]);
    assert_eq!(dir.text("outside/keep"), "k");
}

#[test]
fn without_recursive_only_empty_directories_go() {
    let dir = Dir::new();
    dir.file("full/x", "x");
    let (empty, file, link) = (dir.dir("empty"), dir.file("f", ""), dir.at("l"));
    symlink(&empty, &link).unwrap();
    let args = json!({ "paths": [arg(&dir.at("full")), arg(&link), arg(&empty), arg(&file), arg(&dir.at("gone")), "/"] });
    let ran = run("delete_dirs", args);
    use ErrorClass::{Conflict, NotFound, WrongArgs};
    assert_eq!(classes(&ran), [Conflict, WrongArgs, WrongArgs, NotFound, WrongArgs]);
    assert_eq!(ran.outcome.ok_count, 1);
    assert_eq!(dir.names(""), ["f", "full", "l"]);
}

#[test]
fn a_directory_and_its_parent_can_be_named_together() {
    for order in [["t/a", "t"], ["t", "t/a"]] {
        let dir = Dir::new();
        dir.file("t/a/x", "x");
        dir.file("t/y", "y");
        let paths: Vec<Value> = order.iter().map(|name| arg(&dir.at(name))).collect();
        let ran = run("delete_dirs", json!({ "paths": paths, "recursive": true }));
        assert!(ran.outcome.ok, "{order:?} {:?}", ran.outcome);
        assert_eq!(ran.outcome.ok_count, 2);
        assert!(dir.names("").is_empty());
    }
}

#[test]
fn a_hundred_thousand_operations_are_one_intent() {
    let dir = Dir::new();
    for d in 0..100 {
        let folder = dir.dir(&format!("t/{d}"));
        for f in 0..1000 {
            // Links make no inode content and are quick to make by the thousand.
            symlink("x", folder.join(f.to_string())).unwrap();
        }
    }
    let ran = run("delete_dirs", json!({ "paths": [arg(&dir.at("t"))], "recursive": true }));
    assert!(ran.outcome.ok);
    assert_eq!(ran.intents[0].ops.len(), 100_101);
    assert!(!dir.has("t"));
}

#[test]
fn another_file_system_below_is_never_entered() {
    // /proc is mounted below / everywhere; the walk is what is tested, nothing is removed.
    let mut mounts = 0;
    let result = super::super::tree::walk(Path::new("/"), &mut |seen| match seen {
        super::super::tree::Seen::Mount(path) => {
            mounts += 1;
            assert_ne!(path, Path::new("/"));
            Err(metnos_executor::Failure::internal("enough"))
        }
        super::super::tree::Seen::Node(path, _) => {
            assert!(!path.starts_with("/proc"), "{path:?}");
            Ok(())
        }
        super::super::tree::Seen::Trouble(..) => Ok(()),
    });
    assert!(result.is_err());
    assert_eq!(mounts, 1);
}

#[test]
fn directories_are_made_with_their_parents_once() {
    let dir = Dir::new();
    let odd = dir.odd(b"p\n\xff/q");
    let args = json!({ "paths": [arg(&dir.at("a/b")), arg(&dir.at("a/c")), arg(&dir.at("a")), arg(&odd)] });
    let ran = run("create_dirs", args.clone());
    assert!(ran.outcome.ok, "{:?}", ran.outcome);
    assert_eq!(ran.intents[0].ops.len(), 5);
    let existed: Vec<_> = ran.items.iter().map(|item| item["existed"].clone()).collect();
    assert_eq!(existed, [json!(false), json!(false), json!(true), json!(false)]);
    assert!(odd.is_dir());
    let again = run("create_dirs", args);
    assert!(again.outcome.ok && again.intents.is_empty());
    assert!(again.items.iter().all(|item| item["existed"] == true));
}

#[test]
fn what_is_in_the_way_of_a_directory_is_told() {
    let dir = Dir::new();
    let file = dir.file("f", "f");
    symlink("nowhere", dir.at("dead")).unwrap();
    let args =
        json!({ "paths": [arg(&file), arg(&dir.at("f/x")), arg(&dir.at("dead")), arg(&dir.at("ok"))] });
    let ran = run("create_dirs", args);
    use ErrorClass::{DstExists, WrongArgs};
    assert_eq!(classes(&ran), [DstExists, WrongArgs, WrongArgs]);
    assert_eq!(ran.outcome.ok_count, 1);

    let flat =
        json!({ "paths": [arg(&dir.at("p/q")), arg(&dir.at("p")), arg(&dir.at("p/r"))], "recursive": false });
    let ran = run("create_dirs", flat);
    assert_eq!(classes(&ran), [ErrorClass::NotFound]);
    assert!(dir.at("p/r").is_dir() && !dir.has("p/q"), "a parent named before its child is enough");
}
