//! The calls that are disturbed, and the tree they work on.

use crate::python::{CTX, LAYER};
use crate::random::Random;
use crate::{Done, Options};
use serde_json::{Value, json};
use std::fs::{File, FileTimes, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// One call.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// What it is called in the report.
    pub(crate) name: &'static str,
    pub(crate) executor: &'static str,
    /// `@home` and `@second` stand for the two roots.
    args: Value,
    /// A change that came before and is taken back last: its executor and arguments.
    earlier: Option<(&'static str, Value)>,
}

impl Case {
    fn new(name: &'static str, executor: &'static str, args: Value) -> Self {
        Self { name, executor, args, earlier: None }
    }

    fn after(mut self, executor: &'static str, args: Value) -> Self {
        self.earlier = Some((executor, args));
        self
    }

    /// What was done before it, if anything was.
    pub(crate) fn earlier(&self) -> Option<Self> {
        let (executor, args) = self.earlier.clone()?;
        Some(Self::new(self.name, executor, args))
    }

    /// Its arguments in one house.
    pub(crate) fn args(&self, home: &Path, second: &Path) -> String {
        let text = self.args.to_string();
        text.replace("@home", &home.display().to_string()).replace("@second", &second.display().to_string())
    }
}

/// Every call.
fn all() -> Vec<Case> {
    let case = Case::new;
    let some = json!(["@home/docs/a.txt", "@home/docs/b.bin", "@home/docs/sub/d.txt"]);
    let link = json!(["@home/docs/link", "@home/docs/c.txt"]);
    let mounted = json!(["@home/mnt/m1.txt", "@home/mnt/in/m2.bin"]);
    let mixed = json!(["@home/docs/c.txt", "@second/s1.txt", "@second/in/s2.bin"]);
    vec![
        case("delete", "delete_files", json!({ "paths": some })),
        case("delete-two-roots", "delete_files", json!({ "paths": mixed })),
        case("move", "move_files", json!({ "paths": some, "dst_dir": "@home/moved/here" })),
        case("move-folder", "move_files", json!({ "paths": ["@home/docs/sub"], "dst_dir": "@home/moved" })),
        case("move-across", "move_files", json!({ "paths": some, "dst_dir": "@second/new/deep" })),
        case("delete-link", "delete_files", json!({ "paths": link })),
        case("move-link", "move_files", json!({ "paths": link, "dst_dir": "@home/moved" })),
        case("link-across", "move_files", json!({ "paths": link, "dst_dir": "@second/new" })),
        case(
            "move-home",
            "move_files",
            json!({ "paths": ["@second/s1.txt", "@second/in/s2.bin"], "dst_dir": "@home/docs" }),
        ),
        case(
            "overwrite",
            "write_files",
            json!({ "path": "@home/docs/a.txt", "content": "another text\n", "mode": "overwrite" }),
        ),
        case(
            "overwrite-second",
            "write_files",
            json!({ "path": "@second/s1.txt", "content": "another text\n", "mode": "overwrite" }),
        ),
        case(
            "append",
            "write_files",
            json!({ "path": "@home/docs/sub/d.txt", "content": "one more line\n", "mode": "append" }),
        ),
        case(
            "create",
            "write_files",
            json!({ "path": "@home/new/dir/w.txt", "content": "a new text\n", "mode": "create" }),
        ),
        case("compress", "compress_files", json!({ "paths": some, "dst": "@home/packed/p.zip" })),
        case(
            "extract",
            "extract_files",
            json!({ "paths": ["@home/pack.zip"], "dst_dir": "@home/unpacked/here" }),
        ),
        case("delete-dirs", "delete_dirs", json!({ "paths": ["@home/gone"], "recursive": true })),
        case("delete-linked", "delete_dirs", json!({ "paths": ["@home/linked"], "recursive": true })),
        case("delete-mount", "delete_files", json!({ "paths": mounted })),
        case("move-to-mount", "move_files", json!({ "paths": some, "dst_dir": "@home/mnt/new" })),
        case(
            "overwrite-mount",
            "write_files",
            json!({ "path": "@home/mnt/m1.txt", "content": "another text\n", "mode": "overwrite" }),
        ),
        case(
            "append-mount",
            "write_files",
            json!({ "path": "@home/mnt/m1.txt", "content": "one more line\n", "mode": "append" }),
        ),
        case(
            "copy",
            "write_files",
            json!({ "entries": [{ "path": "@home/docs/a.txt" }, { "path": "@home/docs/b.bin" }],
                "dst_dir": "@second/copies" }),
        ),
        case("create-dirs", "create_dirs", json!({ "paths": ["@home/made/deep/er", "@home/made/two"] })),
        case("delete-dirs-mount", "delete_dirs", json!({ "paths": ["@home/mnt/in"], "recursive": true })),
        case("folder-across", "move_files", json!({ "paths": ["@home/gone"], "dst_dir": "@second/new" })),
        case("folder-to-mount", "move_files", json!({ "paths": ["@home/gone"], "dst_dir": "@home/mnt/new" })),
        case(
            "folder-from-mount",
            "move_files",
            json!({ "paths": ["@home/mnt/in"], "dst_dir": "@home/moved" }),
        ),
        case(
            "copy-to-mount",
            "write_files",
            json!({ "entries": [{ "path": "@home/docs/a.txt" }, { "path": "@home/docs/b.bin" }],
                "dst_dir": "@home/mnt/copies" }),
        ),
        // Code in Python: what differs in its layer is one intent.
        case("python", LAYER, json!({ "folder": "@home/docs" })),
        case("python-mount", LAYER, json!({ "folder": "@home/mnt" })),
        case("python-folders", LAYER, json!({ "folder": "@home/gone" })),
        case("python-ctx", CTX, json!({ "folder": "@home/docs" })),
        case("python-ctx-second", CTX, json!({ "folder": "@second/in" })),
        case("chain-python", LAYER, json!({ "folder": "@home/docs" }))
            .after(CTX, json!({ "folder": "@home/docs" })),
        // Each of these is the second of two changes, and both are taken back.
        case("chain-mount", "write_files", overwrite("@home/mnt/m1.txt", "a third text\n"))
            .after("write_files", overwrite("@home/mnt/m1.txt", "a second text\n")),
        case("chain-delete-mount", "delete_files", json!({ "paths": mounted }))
            .after("write_files", overwrite("@home/mnt/m1.txt", "a second text\n")),
        case("chain-across", "move_files", json!({ "paths": some, "dst_dir": "@second/new/deep" }))
            .after("write_files", overwrite("@home/docs/a.txt", "a second text\n")),
        case("chain-there", "write_files", overwrite("@home/mnt/new/c.txt", "a second text\n"))
            .after("move_files", json!({ "paths": ["@home/docs/c.txt"], "dst_dir": "@home/mnt/new" })),
        case("chain-dirs", "delete_dirs", json!({ "paths": ["@home/gone"], "recursive": true }))
            .after("create_dirs", json!({ "paths": ["@home/gone/deep/new"] })),
    ]
}

fn overwrite(path: &str, content: &str) -> Value {
    json!({ "path": path, "content": content, "mode": "overwrite" })
}

/// Those that are asked for. A short run takes some of them, as chance has it: learning how a case goes
/// costs as much as several points.
pub(crate) fn chosen(options: &Options, points: usize) -> Done<Vec<Case>> {
    let mut cases = all();
    cases.retain(|case| options.wants(case.name));
    if cases.is_empty() {
        return Err("--only names neither a part nor a case".into());
    }
    Random::new(options.seed, 5).shuffle(&mut cases);
    cases.truncate((points / 8).max(1));
    Ok(cases)
}

/// What makes `@home/pack.zip`, once, before anything is disturbed.
pub(crate) fn packing() -> Case {
    let paths = json!(["@home/docs/a.txt", "@home/docs/b.bin", "@home/docs/sub"]);
    Case::new("pack", "compress_files", json!({ "paths": paths, "dst": "@home/pack.zip" }))
}

/// The tree: every file has a content of its own, so that each can be looked for.
pub(crate) fn plant(home: &Path, second: &Path, seed: u64) -> Done {
    let mut random = Random::new(seed, 1);
    let mut file = |path: &Path, size: usize, mode: u32| -> std::io::Result<()> {
        if let Some(dir) = path.parent() {
            std::fs::create_dir_all(dir)?;
        }
        let mut bytes = format!("{} {:016x}\n", path.display(), random.next()).into_bytes();
        while bytes.len() < size {
            bytes.extend(random.next().to_le_bytes());
        }
        std::fs::write(path, bytes)?;
        std::fs::set_permissions(path, Permissions::from_mode(mode))?;
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000 + random.below(100_000_000));
        File::options().write(true).open(path)?.set_times(FileTimes::new().set_modified(at).set_accessed(at))
    };
    let mut all = || -> std::io::Result<()> {
        file(&home.join("docs/a.txt"), 200, 0o644)?;
        file(&home.join("docs/b.bin"), 300_000, 0o640)?;
        file(&home.join("docs/c.txt"), 1000, 0o600)?;
        file(&home.join("docs/sub/d.txt"), 100, 0o600)?;
        file(&home.join("docs/sub/e.txt"), 0, 0o644)?;
        file(&home.join("gone/x.txt"), 500, 0o644)?;
        file(&home.join("gone/deep/y.txt"), 5000, 0o600)?;
        file(&home.join("gone/deep/er/z.txt"), 50, 0o644)?;
        file(&home.join("mnt/m1.txt"), 250, 0o644)?;
        file(&home.join("mnt/in/m2.bin"), 30_000, 0o640)?;
        file(&second.join("s1.txt"), 300, 0o644)?;
        file(&second.join("in/s2.bin"), 40_000, 0o600)?;
        std::fs::set_permissions(home.join("gone/deep"), Permissions::from_mode(0o750))?;
        std::fs::create_dir(home.join("gone/empty"))?;
        symlink("a.txt", home.join("docs/link"))?;
        file(&home.join("linked/t.txt"), 80, 0o644)?;
        symlink("nowhere", home.join("linked/broken"))
    };
    all().map_err(|e| format!("the tree: {e}"))
}
