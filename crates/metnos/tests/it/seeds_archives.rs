//! Packing and unpacking through the real sandbox, and archives made to do harm.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::calls::{all_ok, batch, items, refused};
use serde_json::json;
use std::os::unix::fs::symlink;
use std::process::Command;

/// Runs a few lines of Python in the person's home, to make files nobody would make by hand.
fn python(house: &House, code: &str) {
    let ran =
        Command::new("/usr/bin/python3").arg("-c").arg(code).current_dir(house.home()).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn what_is_packed_comes_out_the_same_in_every_format() {
    let house = House::new();
    house.write("src/a.txt", "hello");
    house.write("src/deep/é.bin", [0u8, 255, 1]);
    house.write("src/run.sh", "#!/bin/sh\n");
    std::fs::create_dir(house.home().join("src/empty")).unwrap();
    symlink("a.txt", house.home().join("src/link")).unwrap();
    for format in ["zip", "tar.gz", "tar.zst"] {
        let packed = format!("~/packed/s.{format}");
        let out = format!("~/out-{format}");
        let answers = batch(
            &house,
            &[
                ("compress_files", json!({ "paths": ["~/src"], "dst": packed })),
                ("compress_files", json!({ "paths": ["~/src"], "dst": packed })),
                ("extract_files", json!({ "paths": [packed], "dst_dir": out })),
                ("extract_files", json!({ "paths": [packed], "dst_dir": out })),
            ],
        );
        all_ok(&answers[0], 1);
        assert_eq!(
            (items(&answers[0])[0]["files"].as_u64(), items(&answers[0])[0]["ok"].as_bool()),
            (Some(3), Some(true))
        );
        assert_eq!(answers[1]["ok_count"], 0, "an archive is never replaced: {}", answers[1]);
        assert_eq!(answers[2]["ok_count"], 3, "{}", answers[2]);
        assert_eq!(answers[3]["ok_count"], 0, "nothing is overwritten: {}", answers[3]);
        let at = |path: &str| house.home().join(format!("out-{format}/src")).join(path);
        assert_eq!(std::fs::read(at("a.txt")).unwrap(), b"hello");
        assert_eq!(std::fs::read(at("deep/é.bin")).unwrap(), [0u8, 255, 1]);
    }
}

#[test]
fn an_archive_cannot_reach_out_of_its_folder() {
    let house = House::new();
    house.write("victim.txt", "safe");
    python(
        &house,
        r#"
import zipfile, tarfile, io
z = zipfile.ZipFile("evil.zip", "w")
for n in ["../victim.txt", "/tmp/metnos-evil-abs.txt", "a/../../victim.txt", "..\\victim.txt", "ok.txt", "x\ny.txt"]:
    z.writestr(n, "evil")
link = zipfile.ZipInfo("link"); link.create_system = 3; link.external_attr = 0o120777 << 16
z.writestr(link, "../victim.txt"); z.writestr("link/below.txt", "evil"); z.close()
t = tarfile.open("evil.tar.gz", "w:gz")
def add(name, data=b"evil", **kw):
    i = tarfile.TarInfo(name); i.size = len(data)
    for k, v in kw.items(): setattr(i, k, v)
    t.addfile(i, io.BytesIO(data))
add("../victim.txt"); add("/tmp/metnos-evil-abs.txt"); add("ok.txt")
add("dir", b"", type=tarfile.SYMTYPE, linkname=".."); add("dir/victim.txt")
add("hard", b"", type=tarfile.LNKTYPE, linkname="../victim.txt")
add("dev", b"", type=tarfile.CHRTYPE); add("fifo", b"", type=tarfile.FIFOTYPE); t.close()
"#,
    );
    for archive in ["evil.zip", "evil.tar.gz"] {
        let answer = house.exec(
            "extract_files",
            json!({ "paths": [format!("~/{archive}")], "dst_dir": format!("~/out-{archive}") }),
        );
        assert_eq!(answer["ok"], false, "{answer}");
        assert!(answer["fail_count"].as_u64() > Some(0), "{answer}");
        let out = house.home().join(format!("out-{archive}"));
        for item in items(&answer) {
            assert!(item["path"].as_str().unwrap().starts_with(out.to_str().unwrap()), "{item}");
        }
    }
    assert_eq!(std::fs::read_to_string(house.home().join("victim.txt")).unwrap(), "safe");
    assert!(!std::path::Path::new("/tmp/metnos-evil-abs.txt").exists());
}

#[test]
fn bombs_garbage_and_truncated_archives_end_with_a_class() {
    let house = House::new();
    house.write("garbage.zip", "PK\x03\x04 this is not a zip at all");
    house.write("garbage.tar.gz", "not gzip");
    house.write("empty.zip", "");
    house.write("notes.txt", "just text");
    python(
        &house,
        r#"
import zipfile, tarfile, io
z = zipfile.ZipFile("bomb.zip", "w", zipfile.ZIP_DEFLATED)
with z.open("zeros", "w") as f:
    for _ in range(64): f.write(b"\0" * (1 << 20))
z.close()
open("cut.zip", "wb").write(open("bomb.zip", "rb").read()[:1000])
z = zipfile.ZipFile("many.zip", "w")
for n in range(1000): z.writestr(f"d/{n}", b"")
z.close()
data = bytearray(open("bomb.zip", "rb").read())
at = data.rfind(b"PK\x01\x02"); data[at + 24:at + 28] = (10).to_bytes(4, "little")
open("liar.zip", "wb").write(data)
"#,
    );
    let out = |name: &str| json!({ "paths": [format!("~/{name}")], "dst_dir": format!("~/out/{name}"), "max_bytes": 1_000_000 });
    for (name, class) in [
        ("garbage.zip", "unsupported_format"),
        ("garbage.tar.gz", "unsupported_format"),
        ("empty.zip", "unsupported_format"),
        ("notes.txt", "unsupported_format"),
        ("cut.zip", "unsupported_format"),
        ("bomb.zip", "too_large"),
        ("liar.zip", ""),
    ] {
        let answer = house.exec("extract_files", out(name));
        assert_eq!(answer["ok"], false, "{name}: {answer}");
        assert!(answer.get("error").is_none(), "one bad archive does not end the call: {name}: {answer}");
        assert_eq!(answer["ok_count"], 0, "{name}: {answer}");
        if !class.is_empty() {
            assert_eq!(answer["failed"][0]["error_class"], class, "{name}: {answer}");
        }
        let written = house.home().join("out").join(name).join("zeros");
        assert!(!written.exists(), "{name} left {}", written.display());
    }
    all_ok(
        &house.exec("extract_files", json!({ "paths": ["~/bomb.zip"], "dst_dir": "~/big", "max_bytes": 0 })),
        1,
    );
    assert_eq!(house.home().join("big/zeros").metadata().unwrap().len(), 64 << 20);
    all_ok(&house.exec("extract_files", json!({ "paths": ["~/many.zip"], "dst_dir": "~/many" })), 1_000);

    let mixed = house.exec(
        "extract_files",
        json!({ "paths": ["~/garbage.zip", "~/none.zip", "~/many.zip"], "dst_dir": "~/mixed" }),
    );
    assert_eq!((mixed["ok"].as_bool(), mixed["partial"].as_bool()), (Some(false), Some(true)));
    assert_eq!((mixed["ok_count"].as_u64(), mixed["fail_count"].as_u64()), (Some(1_000), Some(2)));
}

#[test]
fn packing_counts_what_it_could_not_take() {
    let house = House::new();
    house.write("a.txt", "a");
    house.write("shut.txt", "s");
    let shut = house.home().join("shut.txt");
    std::fs::set_permissions(&shut, std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
    let answers = batch(
        &house,
        &[
            ("compress_files", json!({ "paths": ["~/a.txt", "~/none.txt", "~/shut.txt"], "dst": "~/p.zip" })),
            ("compress_files", json!({ "paths": ["~/none.txt"], "dst": "~/q.zip" })),
            ("compress_files", json!({ "paths": ["~/a.txt"], "dst": "~/r.rar" })),
            ("compress_files", json!({ "paths": [], "dst": "~/s.zip" })),
        ],
    );
    let failed: Vec<_> =
        answers[0]["failed"].as_array().unwrap().iter().map(|f| f["error_class"].as_str().unwrap()).collect();
    assert_eq!(answers[0]["partial"], true, "{}", answers[0]);
    assert!(failed.contains(&"not_found") && failed.contains(&"permission_denied"), "{}", answers[0]);
    assert_eq!(items(&answers[0])[0]["files"], 1, "{}", answers[0]);
    assert_eq!(answers[1]["ok"], false, "{}", answers[1]);
    assert!(!house.home().join("q.zip").exists(), "nothing to pack leaves no archive");
    refused(&answers[2], "wrong_args");
    assert!(!house.home().join("s.zip").exists(), "{}", answers[3]);
}
