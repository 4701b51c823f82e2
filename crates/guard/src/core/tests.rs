#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;
use proptest::prelude::*;
use std::os::unix::fs::symlink;

/// A home with a Metnos in it.
struct Home {
    _keep: tempfile::TempDir,
    home: PathBuf,
}

impl Home {
    fn new() -> Self {
        let keep = tempfile::tempdir().unwrap();
        let home = keep.path().canonicalize().unwrap().join("home/u");
        for dir in
            ["docs/a", ".ssh/keys", ".config/gh", ".config/app", ".metnos/config", ".metnos/workspace/.audit"]
        {
            std::fs::create_dir_all(home.join(dir)).unwrap();
        }
        for file in ["notes.txt", ".ssh/id", ".config/app/x", ".metnos/workspace/USER.md"] {
            std::fs::write(home.join(file), file).unwrap();
        }
        Self { _keep: keep, home }
    }

    fn vars(&self) -> CoreVars {
        let metnos = self.home.join(".metnos");
        CoreVars {
            user_home: self.home.clone(),
            metnos_config: metnos.join("config"),
            metnos_state: metnos.join("state"),
            metnos_executors: metnos.join("executors"),
            metnos_audit: metnos.join("workspace/.audit"),
            metnos_undo: metnos.join("undo"),
            roots: vec![self.home.clone()],
        }
    }

    fn core(&self) -> CorePaths {
        CorePaths::load(&self.vars()).unwrap()
    }

    fn at(&self, path: &str) -> PathBuf {
        self.home.join(path)
    }
}

#[test]
fn the_minimum_of_the_design_is_core() {
    let home = Home::new();
    let core = home.core();
    assert!(core.version() >= 1);
    for path in
        ["/etc/shadow", "/root", "/boot/x", "/sys", "/proc/1/mem", "/dev/sda", "/var/backups", "/opt/app"]
    {
        assert!(core.verdict(Path::new(path), Act::Read).is_core(), "{path}");
    }
    for path in [
        ".ssh",
        ".ssh/id",
        ".gnupg/x",
        ".aws",
        ".kube/config",
        ".netrc",
        ".config/gh/hosts.yml",
        ".mozilla/firefox",
        ".password-store/a.gpg",
        ".metnos/config/keys/instance.key",
        ".metnos/state/metnos.sqlite",
        ".metnos/executors/seed",
        ".metnos/workspace/.audit/executors",
    ] {
        for act in [Act::Read, Act::Write, Act::RenameOrRemove] {
            assert!(core.verdict(&home.at(path), act).is_core(), "{path}");
        }
    }
    for path in ["docs", "notes.txt", ".config", ".sshx", ".config/app", ".metnos/workspace/USER.md", ""] {
        assert_eq!(core.verdict(&home.at(path), Act::Read), Verdict::Free, "{path}");
        assert_eq!(core.verdict(&home.at(path), Act::Write), Verdict::Free, "{path}");
    }
    assert_eq!(core.verdict(Path::new("/"), Act::Read), Verdict::Free);
}

#[test]
fn ancestors_of_core_paths_stay_where_they_are() {
    let home = Home::new();
    let core = home.core();
    for path in ["", ".config", ".metnos", ".metnos/workspace", ".docker"] {
        assert!(core.verdict(&home.at(path), Act::RenameOrRemove).is_core(), "{path}");
    }
    assert!(core.verdict(Path::new("/"), Act::RenameOrRemove).is_core());
    assert_eq!(core.verdict(&home.at("docs"), Act::RenameOrRemove), Verdict::Free);
    assert_eq!(core.verdict(&home.at(".config/app"), Act::RenameOrRemove), Verdict::Free);
}

#[test]
fn case_does_not_hide_a_core_path() {
    let home = Home::new();
    let core = home.core();
    for path in [".SSH/id", ".Ssh", ".CONFIG/GH", ".metnos/CONFIG/keys"] {
        assert!(core.verdict(&home.at(path), Act::Read).is_core(), "{path}");
    }
    assert!(core.verdict(Path::new("/ETC/shadow"), Act::Read).is_core());
}

#[test]
fn a_core_path_that_is_a_link_is_core_at_both_ends() {
    let home = Home::new();
    std::fs::create_dir_all(home.at("real/aws")).unwrap();
    symlink("real/aws", home.at(".aws")).unwrap();
    let core = home.core();
    for path in [".aws", "real/aws", "real/aws/credentials"] {
        assert!(core.verdict(&home.at(path), Act::Read).is_core(), "{path}");
    }
    assert!(core.verdict(&home.at("real"), Act::RenameOrRemove).is_core());
    assert_eq!(core.verdict(&home.at("real"), Act::Read), Verdict::Free);
}

#[test]
fn a_link_to_a_core_path_is_core_once_it_is_resolved() {
    let home = Home::new();
    symlink(".ssh", home.at("innocent")).unwrap();
    let core = home.core();
    for path in ["innocent/id", "docs/../innocent/keys", "docs/a/../../.ssh/id"] {
        let resolved = crate::resolve_in(Path::new(path), &home.home, &home.home).unwrap();
        assert!(core.verdict(&resolved.path, Act::Read).is_core(), "{path}");
    }
}

#[test]
fn the_administrators_home_is_free_for_the_administrator() {
    let home = Home::new();
    let vars = CoreVars { user_home: "/root".into(), ..home.vars() };
    let core = CorePaths::load(&vars).unwrap();
    assert_eq!(core.verdict(Path::new("/root/notes"), Act::Write), Verdict::Free);
    assert!(core.verdict(Path::new("/root/.ssh/id"), Act::Read).is_core());
}

#[test]
fn metnos_below_opt_is_not_another_application() {
    let vars = CoreVars {
        user_home: "/home/u".into(),
        metnos_config: "/opt/metnos/config".into(),
        metnos_state: "/opt/metnos/state".into(),
        metnos_executors: "/opt/metnos/executors".into(),
        metnos_audit: "/opt/metnos/workspace/.audit".into(),
        metnos_undo: "/opt/metnos/undo".into(),
        roots: vec!["/home/u".into()],
    };
    let core = CorePaths::load(&vars).unwrap();
    assert_eq!(core.verdict(Path::new("/opt/metnos/workspace/x"), Act::Write), Verdict::Free);
    for path in
        ["/opt", "/opt/other/x", "/opt/metnos2", "/opt/metnos/config/x", "/opt/metnos/workspace/.audit/x"]
    {
        assert!(core.verdict(Path::new(path), Act::Read).is_core(), "{path}");
    }
    assert!(core.verdict(Path::new("/opt/metnos"), Act::RenameOrRemove).is_core());
}

#[test]
fn a_hard_link_to_a_core_file_is_core() {
    let home = Home::new();
    std::fs::write(home.at(".netrc"), "x").unwrap();
    std::fs::hard_link(home.at(".netrc"), home.at("docs/harmless")).unwrap();
    assert!(home.core().verdict(&home.at("docs/harmless"), Act::Read).is_core());
}

#[test]
fn a_hard_link_to_a_file_in_a_core_folder_is_core_and_in_no_grant() {
    let home = Home::new();
    std::fs::hard_link(home.at(".ssh/id"), home.at("docs/a/harmless")).unwrap();
    std::fs::hard_link(home.at("notes.txt"), home.at("docs/a/second")).unwrap();
    let core = home.core();
    let look = core.look().unwrap();
    for act in [Act::Read, Act::Write, Act::RenameOrRemove] {
        assert!(look.verdict(&home.at("docs/a/harmless"), act).is_core());
        assert_eq!(look.verdict(&home.at("docs/a/second"), act), Verdict::Free);
    }
    let expansion = look.expand(&home.at("docs"));
    assert_eq!(expansion.trees, [home.at("docs/a/second")]);
    assert_eq!(expansion.names_only, [home.at("docs"), home.at("docs/a")]);
}

#[test]
fn names_of_one_file_inside_the_core_are_no_reason_to_look_further() {
    let home = Home::new();
    std::fs::hard_link(home.at(".ssh/id"), home.at(".ssh/keys/same")).unwrap();
    let core = home.core();
    assert_eq!(core.look().unwrap().expand(&home.at("docs")).trees, [home.at("docs")]);
}

#[test]
fn what_is_kept_for_undo_leaves_its_other_names_alone() {
    let home = Home::new();
    std::fs::create_dir_all(home.at(".metnos/undo/x")).unwrap();
    std::fs::hard_link(home.at("notes.txt"), home.at(".metnos/undo/x/notes.txt")).unwrap();
    assert_eq!(home.core().verdict(&home.at("notes.txt"), Act::Read), Verdict::Free);
}

#[test]
fn a_relative_path_is_never_free() {
    assert!(Home::new().core().verdict(Path::new("docs"), Act::Read).is_core());
}

#[test]
fn a_folder_of_metnos_must_be_absolute() {
    let vars = CoreVars { metnos_state: "state".into(), ..Home::new().vars() };
    assert!(matches!(CorePaths::load(&vars), Err(CoreError::NotAbsolute { .. })));
}

#[test]
fn a_wide_grant_becomes_what_lies_beside_the_core() {
    let home = Home::new();
    symlink(".ssh", home.at("innocent")).unwrap();
    let expansion = home.core().look().unwrap().expand(&home.home);
    let trees = [".config/app", ".metnos/workspace/USER.md", "docs", "notes.txt"].map(|p| home.at(p));
    assert_eq!(expansion.trees, trees);
    let names = ["", ".config", ".metnos", ".metnos/workspace"].map(|p| home.home.join(p));
    assert_eq!(expansion.names_only, names.map(|p| p.components().collect::<PathBuf>()));
}

#[test]
fn a_narrow_grant_stays_whole_and_a_core_one_is_nothing() {
    let home = Home::new();
    let core = home.core();
    let expand = |p: &str| core.look().unwrap().expand(&home.at(p));
    assert_eq!(expand("docs"), Expansion { trees: vec![home.at("docs")], names_only: vec![] });
    assert_eq!(expand("docs/new").trees, [home.at("docs/new")], "not there yet");
    for path in [".ssh", ".ssh/id", ".aws", ".metnos/state/x"] {
        assert_eq!(expand(path), Expansion::default(), "{path}");
    }
    assert_eq!(expand(".docker"), Expansion::default(), "a core file may appear in it");
}

#[test]
fn a_core_path_that_appears_or_changes_is_noticed() {
    let home = Home::new();
    let core = home.core();
    let roots = [home.home.clone()];
    let (first, elsewhere) = (
        core.look().unwrap().identity_digest(&roots),
        core.look().unwrap().identity_digest(&[home.at("docs")]),
    );
    std::fs::write(home.at("docs/new"), "x").unwrap();
    assert_eq!(core.look().unwrap().identity_digest(&roots), first);
    std::fs::create_dir(home.at(".aws")).unwrap();
    let second = core.look().unwrap().identity_digest(&roots);
    assert_ne!(second, first);
    std::fs::rename(home.at(".ssh"), home.at("moved")).unwrap();
    std::fs::create_dir(home.at(".ssh")).unwrap();
    assert_ne!(core.look().unwrap().identity_digest(&roots), second);
    assert_eq!(core.look().unwrap().identity_digest(&[home.at("docs")]), elsewhere);
}

#[test]
fn existing_core_paths_are_listed_for_masks() {
    let home = Home::new();
    let core = home.core();
    let existing = core.look().unwrap().existing(std::slice::from_ref(&home.home));
    let paths: Vec<_> =
        existing.iter().map(|(p, _)| p.strip_prefix(&home.home).unwrap().to_owned()).collect();
    assert_eq!(
        paths,
        [".config/gh", ".metnos/config", ".metnos/workspace/.audit", ".ssh"].map(PathBuf::from)
    );
    assert!(existing.iter().all(|(p, id)| Identity::of(p) == Some(*id) && id.is_dir));
}

#[test]
fn mounts_give_other_names() {
    let info = b"1 0 8:1 / / rw - ext4 /dev/sda1 rw\n\
        2 1 8:2 / /home rw - ext4 /dev/sda2 rw\n\
        3 1 8:2 /u/.ssh /mnt/keys rw - ext4 /dev/sda2 rw\n\
        4 1 8:2 /u/.ssh/deep /mnt/a\\040b rw - ext4 /dev/sda2 rw\n\
        5 1 8:2 /u /srv/u rw - ext4 /dev/sda2 rw\n\
        6 1 8:3 / /other rw - ext4 /dev/sda3 rw\n\
        7 1 8:2 /v /srv/v rw - ext4 /dev/sda2 rw\n\nshort line\n";
    let mounts = mounts::parse(info);
    assert_eq!(mounts.len(), 7);
    let mut names = mounts::other_names(Path::new("/home/u/.ssh"), &mounts);
    names.sort();
    assert_eq!(names, ["/mnt/a b", "/mnt/keys", "/srv/u/.ssh"].map(PathBuf::from));
    assert!(mounts::other_names(Path::new("/etc"), &mounts).is_empty());
}

/// Needs the right to mount; says so where it does not have it.
#[test]
fn a_bind_mount_of_a_core_path_is_core() {
    let home = Home::new();
    for (n, source) in [".ssh", ".ssh/keys", ""].into_iter().enumerate() {
        let target = home.at(&format!("docs/bound{n}"));
        std::fs::create_dir(&target).unwrap();
        let mount = |args: &[&std::ffi::OsStr]| {
            std::process::Command::new("mount").args(args).output().is_ok_and(|o| o.status.success())
        };
        if !mount(&["--bind".as_ref(), home.at(source).as_os_str(), target.as_os_str()]) {
            metnos_testkit::skipped("this account may not mount", metnos_testkit::Fix::None);
            return;
        }
        let core = home.core();
        let inside = if source.is_empty() { target.join(".ssh/id") } else { target.join("x") };
        let verdict = core.verdict(&inside, Act::Read);
        let expansion = core.look().unwrap().expand(&home.at("docs"));
        let unmounted = std::process::Command::new("umount").arg(&target).status();
        assert!(verdict.is_core(), "{source:?} bound: {verdict:?}");
        assert!(!expansion.trees.iter().any(|t| inside.starts_with(t)), "{source:?}: {expansion:?}");
        assert!(expansion.trees.contains(&home.at("docs/a")));
        assert!(unmounted.is_ok_and(|s| s.success()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_below_a_core_path_is_free_and_no_tree_holds_one(
        pick: prop::sample::Index, below in "[a-zA-Z0-9._ -]{1,12}", upper: bool, grant: prop::sample::Index,
    ) {
        prop_assume!(below != "." && below != "..");
        let home = Home::new();
        let core = home.core();
        let all: Vec<_> = core.paths().map(Path::to_owned).collect();
        let chosen = pick.get(&all).join(&below);
        let chosen = if upper { PathBuf::from(chosen.to_str().unwrap().to_uppercase()) } else { chosen };
        for act in [Act::Read, Act::Write, Act::RenameOrRemove] {
            prop_assert!(core.verdict(&chosen, act).is_core(), "{chosen:?}");
        }
        let grants: [&str; 6] = ["", ".config", ".metnos", "docs", ".metnos/workspace", ".ssh"];
        let expansion = core.look().unwrap().expand(&home.at(grants[grant.index(grants.len())]));
        for tree in &expansion.trees {
            prop_assert!(!all.iter().any(|c| c.starts_with(tree) || tree.starts_with(c)), "{tree:?}");
        }
    }
}
