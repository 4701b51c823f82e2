#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;
use crate::schema::Schemas;
use proptest::prelude::*;

const MOVE: &str = r#"[executor]
name = "move_files"
version = "1.0.0"
created_at = 2026-11-15T08:00:00Z
created_by = "seed"

[description.en]
scope = "Move or rename files."
pattern = 'move_files(from_step=1, dst_dir="~/Archive/{year}")'
not = "Copies: write_files."
out = "results=[{src,dst,ok}]"

[routing]
affinity = { en = ["rename", "tidy"], it = ["rinomina"] }
companions = ["find_files"]

[contract]
error_classes = ["not_found", "dst_exists"]
idempotent = false
side_effects = true
reverse = ["swap_src_dst", "delete_created_dirs"]
tests = "unsigned"   # filled in

[code]
runtime = "native"
digest = "host"

[sandbox]
profile = "fs-move"
read = ["arg:paths", "entries:path"]
write = ["arg:dst_dir", "entries:path"]
exec = []
net = []
credentials = []
limits = { wall_ms = 30000, memory_mb = 256, processes = 1 }
hash = "unsigned"

[[capability]]
name = "fs:write"
target = "arg:dst_dir"

[audit]
trace_topic = "executor.move_files"
"#;

fn said(text: &str) -> String {
    Manifest::parse(text, "m.toml").map_or_else(|e| e.to_string(), |_| "ok".to_owned())
}

fn changed(from: &str, to: &str) -> String {
    assert!(MOVE.contains(from), "{from}");
    said(&MOVE.replace(from, to))
}

#[test]
fn a_good_manifest_is_read_in_full() {
    let m = Manifest::parse(MOVE, "m.toml").unwrap();
    assert_eq!(m.executor.name.as_str(), "move_files");
    assert_eq!(m.executor.version.to_string(), "1.0.0");
    assert_eq!(m.contract.reverse, [ReversePattern::SwapSrcDst, ReversePattern::DeleteCreatedDirs]);
    assert_eq!(m.sandbox.limits.wall_ms, 30000);
    assert_eq!(m.sandbox.limits.files, 256);
    assert_eq!(m.capability[0].target.as_deref(), Some("arg:dst_dir"));
    assert_eq!(m.description["en"].not, "Copies: write_files.");
    assert!(!m.is_sealed());
}

#[test]
fn a_mistake_is_named_with_file_line_column_key_and_what_was_expected() {
    for (from, to, expected) in [
        (
            "idempotent",
            "idempotant",
            "m.toml:18:1: [contract] idempotant: unknown key; nearest: \"idempotent\"",
        ),
        (
            "version = \"1.0.0\"",
            "version = 1.0",
            "m.toml:3:11: [executor] version: expected a string, found 1.0",
        ),
        (
            "\"1.0.0\"",
            "\"1.0\"",
            "m.toml:3:11: [executor] version: expected a version such as 1.0.0, found \"1.0\"",
        ),
        (
            "\"move_files\"",
            "\"move_fils\"",
            "m.toml:2:8: [executor] name: \"fils\" is not an object; nearest: \"files\"",
        ),
        (
            "\"not_found\"",
            "\"notfound\"",
            "m.toml:18:18: [contract] error_classes[0]: expected an error class (nearest: \"not_found\"), found \"notfound\"",
        ),
        (
            "\"host\"",
            "\"unsigned\"",
            "m.toml:26:10: [code] digest: expected \"host\", because the runtime is native, found \"unsigned\"",
        ),
        (
            "wall_ms = 30000",
            "wall_ms = 0",
            "m.toml:35:22: [sandbox.limits] wall_ms: expected a number from 1 to 86400000, found 0",
        ),
        (
            "processes = 1",
            "processes = 99999999999",
            "m.toml:35:67: [sandbox.limits] processes: expected a number from 1 to 512, found 4294967295",
        ),
        (
            "\"arg:paths\"",
            "\"args:paths\"",
            "m.toml:30:9: [sandbox] read[0]: expected workspace, arg:<name>, entries:<field> or an absolute path, found \"args:paths\"",
        ),
        (
            "\"fs:write\"",
            "\"fs:wriet\"",
            "m.toml:39:8: [capability[0]] name: expected a capability (nearest: \"fs:write\"), found \"fs:wriet\"",
        ),
        (
            "side_effects = true",
            "side_effects = false",
            "m.toml:20:16: [contract] side_effects: move_files is a changer, so it has side effects; expected true",
        ),
        (
            "reverse = [\"swap_src_dst\", \"delete_created_dirs\"]\n",
            "",
            "m.toml:17:1: [contract] reverse: is required",
        ),
        (
            "net = []",
            "net = [\"example.org\"]",
            "m.toml:33:8: [sandbox] net[0]: expected host:port, found \"example.org\"",
        ),
        (
            "2026-11-15T08:00:00Z",
            "\"today\"",
            "m.toml:4:14: [executor] created_at: expected a date and time with offset, such as 2026-11-15T08:00:00Z, found \"today\"",
        ),
        ("[audit]", "[audit", "m.toml:42:7: "),
    ] {
        let said = changed(from, to);
        let line = |s: &str| s.split(':').nth(1).unwrap_or("").to_owned();
        if expected.ends_with(": ") {
            assert_eq!(line(&said), line(expected), "{said}");
        } else {
            // The exact column of the first is the one of the key; others of the value.
            assert_eq!(said.splitn(4, ':').nth(3), expected.splitn(4, ':').nth(3), "{said}");
        }
    }
    assert!(
        changed("idempotent = false", "idempotent = 3").starts_with("m.toml:19:14: [contract] idempotent: ")
    );
}

#[test]
fn a_reader_may_not_declare_effects_or_a_stranger_the_whole_network() {
    let reader = MOVE.replace("move_files\"\n", "find_files\"\n");
    assert!(said(&reader.replace("side_effects = true", "side_effects = false")).contains("nothing to undo"));
    let calm = reader
        .replace("side_effects = true", "side_effects = false")
        .replace("[\"swap_src_dst\", \"delete_created_dirs\"]", "[]");
    assert!(said(&calm).contains("[sandbox] write: an executor without side effects writes nowhere"));
    let free = MOVE.replace("net = []", "net = [\"*:443\"]");
    assert_eq!(said(&free), "ok");
    assert!(said(&free.replace("\"seed\"", "\"synt:r1\"")).contains("only seeds may reach any host"));
}

#[test]
fn garbage_of_every_kind_is_an_error_with_a_position() {
    let big = format!("x = \"{}\"", "y".repeat(10 << 20));
    let deep = format!("a = {}", "[".repeat(100_000));
    let cases: [&[u8]; 8] = [
        b"",
        b"\x00\x01\x02",
        b"\x7fELF\xff\xfe",
        b"[executor]\nname = \"get_now\"\n\xff\n",
        big.as_bytes(),
        deep.as_bytes(),
        b"[executor]\nname = \"a\"\nname = \"b\"",
        b"executor = 3",
    ];
    for bytes in cases {
        let error = Manifest::from_bytes(bytes, "m.toml").unwrap_err();
        assert!(error.line >= 1 && error.column >= 1);
        assert!(error.to_string().starts_with("m.toml:"), "{error}");
        assert!(error.to_string().len() < 400, "{error}");
    }
    let error = Manifest::from_bytes(cases[3], "m.toml").unwrap_err();
    assert_eq!((error.line, error.column), (3, 1));
}

#[test]
fn digests_are_filled_in_and_nothing_else_changes() {
    let seal = format!("blake3:{}", "a".repeat(64));
    let filled = fill_digests(MOVE, "m.toml", &seal, &seal, None).unwrap();
    assert_eq!(filled.replace(&seal, "unsigned"), MOVE);
    assert_eq!(filled.matches(&seal).count(), 2);
    assert!(filled.contains(&format!("tests = \"{seal}\"   # filled in")));
    assert!(Manifest::parse(&filled, "m.toml").unwrap().is_sealed());
    assert_eq!(fill_digests(&filled, "m.toml", &seal, &seal, None).unwrap(), filled);
}

#[test]
fn scopes_and_targets_must_exist_in_the_schema() {
    let manifest = Manifest::parse(MOVE, "m.toml").unwrap();
    let said = |properties: &str| {
        let text = format!(
            r#"{{"definitions":{{"Input":{{"type":"object","additionalProperties":false,"properties":{{{properties}}}}},"Output":{{"type":"object"}}}}}}"#
        );
        let schemas = Schemas::parse(text.as_bytes()).unwrap();
        coherent(&manifest, &schemas).map_or_else(|e| e.to_string(), |()| "ok".to_owned())
    };
    let path = r#"{"type":"string","format":"path"}"#;
    let paths = format!(r#""paths":{{"type":"array","items":{path}}}"#);
    let entries = r#""entries":{"type":"array","items":{"type":"object"}}"#;
    assert_eq!(said(&format!(r#"{paths},{entries},"dst_dir":{path}"#)), "ok");
    assert!(said(&format!(r#"{paths},{entries},"dst_dirs":{path}"#)).contains("nearest: \"dst_dirs\""));
    assert!(said(&format!(r#"{paths},"dst_dir":{path}"#)).contains("Input has no \"entries\""));
    let plain = r#""dst_dir":{"type":"string"}"#;
    assert!(said(&format!("{paths},{entries},{plain}")).contains("lacks \"format\": \"path\""));
}

/// The manifest with this section for the planner.
fn planned(section: &str) -> String {
    MOVE.replace("[contract]", &format!("[plan]\n{section}\n[contract]"))
}

#[test]
fn the_section_for_the_planner_is_read_in_full() {
    let text = planned(
        "args = { paths = \"paths\", to = \"dst_dir\" }\nneeds = [\"path\"]\nrequires = [[\"paths\", \"entries\"]]\nkeeps = true\nalong = \"files\"\nbounded = true",
    );
    let plan = Manifest::parse(&text, "m.toml").unwrap().plan;
    assert_eq!(plan.args["to"], metnos_vocab::Role::DstDir);
    assert_eq!(
        (plan.needs, plan.requires),
        (vec!["path".to_owned()], vec![vec!["paths".to_owned(), "entries".to_owned()]])
    );
    assert_eq!((plan.keeps, plan.along.as_deref(), plan.bounded), (true, Some("files"), true));
    assert_eq!(Manifest::parse(MOVE, "m.toml").unwrap().plan, Plan::default());
}

#[test]
fn a_mistake_in_the_section_for_the_planner_is_named_with_what_is_known() {
    for (section, expected) in [
        ("arg = {}", "[plan] arg: unknown key; nearest: \"args\""),
        (
            "args = { paths = \"path\" }",
            "[plan.args] paths: expected a role (nearest: \"paths\"), found \"path\"",
        ),
        ("args = { paths = 3 }", "[plan.args] paths: expected a string, found 3"),
        ("args = [\"paths\"]", "[plan] args: expected a table, found a list"),
        ("needs = []", "[plan] needs: expected the names of fields, found a list"),
        (
            "requires = [[]]",
            "[plan] requires[0]: expected the names of arguments of which one must be given, found a list",
        ),
        ("requires = [\"paths\"]", "[plan] requires[0]: expected a list, found \"paths\""),
        ("keeps = \"yes\"", "[plan] keeps: expected true or false, found \"yes\""),
        ("along = \"fils\"", "[plan] along: expected an object (nearest: \"files\"), found \"fils\""),
    ] {
        let said = said(&planned(section));
        assert_eq!(said.splitn(4, ':').nth(3).map(str::trim), Some(expected), "{said}");
        assert!(said.starts_with("m.toml:"), "{said}");
    }
    // Where nothing is near, all that are known are named.
    let said = said(&planned("args = { paths = \"zzzzzzzz\" }"));
    assert!(said.contains("one of action add after") && said.contains("write_format"), "{said}");
    let said = self::said(&planned("along = \"zzzzzzzz\""));
    assert!(said.contains("one of files dirs"), "{said}");
}

#[test]
fn the_section_for_the_planner_speaks_of_arguments_there_are() {
    let path = r#"{"type":"string","format":"path"}"#;
    let paths = format!(r#""paths":{{"type":"array","items":{path}}},"dst_dir":{path}"#);
    let entries = r#""entries":{"type":"array","items":{"type":"object"}}"#;
    let inner =
        r#""events":{"type":"array","items":{"type":"object","properties":{"title":{"type":"string"}}}}"#;
    let said = |section: &str, properties: &str| {
        let manifest = Manifest::parse(&planned(section).replace("\"entries:path\"", ""), "m.toml").unwrap();
        let text = format!(
            r#"{{"definitions":{{"Input":{{"type":"object","additionalProperties":false,"properties":{{{properties}}}}},"Output":{{"type":"object"}}}}}}"#
        );
        let schemas = Schemas::parse(text.as_bytes()).unwrap();
        coherent(&manifest, &schemas).map_or_else(|e| e.to_string(), |()| "ok".to_owned())
    };
    assert_eq!(said("args = { paths = \"paths\" }\nrequires = [[\"paths\"]]", &paths), "ok");
    assert_eq!(said("args = { title = \"title\" }", &format!("{paths},{inner}")), "ok");
    assert_eq!(
        said("args = { path = \"paths\" }", &paths),
        "manifest.toml: [plan.args]: Input has no argument \"path\"; nearest: \"paths\""
    );
    assert!(
        said("requires = [[\"paths\"], [\"zz\"]]", &paths)
            .contains("[plan] requires[1]: Input has no argument")
    );
    assert!(said("keeps = true", &paths).contains("[plan] keeps: it speaks of records"));
    assert_eq!(said("keeps = true", &format!("{paths},{entries}")), "ok");
}

#[test]
fn versions_are_ordered_as_numbers_and_spelled_one_way() {
    let v = |text: &str| text.parse::<Version>();
    assert!(v("1.10.0").unwrap() > v("1.9.9").unwrap());
    for wrong in
        ["", "1", "1.0", "1.0.0.0", "01.0.0", "1.0.-1", "1.0.+1", "1..0", "v1.0.0", "1.0.99999999999", "../x"]
    {
        assert!(v(wrong).is_err(), "{wrong}");
    }
}

proptest! {
    #[test]
    fn no_cut_or_flip_makes_it_panic(at in 0..MOVE.len(), with in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = MOVE.as_bytes().to_vec();
        if cut { bytes.truncate(at) } else { bytes[at] = with }
        if let Err(error) = Manifest::from_bytes(&bytes, "m.toml") {
            prop_assert!(error.line >= 1 && error.column >= 1);
        }
    }
}
