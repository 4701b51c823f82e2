//! Reading, comparing and converting documents through the real sandbox, honest ones and not.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::calls::{all_ok, batch, column, cut, items, partly, refused, tainted, texts};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

/// Runs a few lines of Python in the person's home, to make files of binary formats.
fn python(house: &House, code: &str) {
    let ran =
        Command::new("/usr/bin/python3").arg("-c").arg(code).current_dir(house.home()).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

const DOCUMENTS: &str = r#"
import zipfile, zlib, struct
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
def docx(name, body):
    z = zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED)
    z.writestr("[Content_Types].xml", '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>')
    z.writestr("word/document.xml", f'<?xml version="1.0"?><w:document {W}><w:body>{body}</w:body></w:document>'); z.close()
docx("letter.docx", "<w:p><w:r><w:t>Dear reader</w:t></w:r></w:p>")
docx("bomb.docx", "<w:p><w:r><w:t>" + "A" * (300 << 20) + "</w:t></w:r></w:p>")
def pdf(text):
    objs = ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>"]
    s = f"BT /F 12 Tf 9 9 Td ({text}) Tj ET"
    objs += [f"<</Length {len(s)}>>stream\n{s}\nendstream", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    out = b"%PDF-1.4\n"; at = []
    for i, o in enumerate(objs, 1):
        at.append(len(out)); out += f"{i} 0 obj{o}endobj\n".encode()
    x = len(out); out += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % a for a in at)
    return out + b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % x
good = pdf("Total due"); open("bill.pdf", "wb").write(good); open("cut.pdf", "wb").write(good[:200])
def png(name, w, h):
    c = lambda t, d: struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d))
    rows = zlib.compress(b"".join(b"\0" + b"\x20\x40\x80" * w for _ in range(h)) if w * h < 1e6 else b"\0" * 99)
    open(name, "wb").write(b"\x89PNG\r\n\x1a\n" + c(b"IHDR", struct.pack(">IIBBBBB", w, h, 8, 2, 0, 0, 0)) + c(b"IDAT", rows) + c(b"IEND", b""))
png("dot.png", 40, 20); png("vast.png", 60000, 60000)
"#;

#[test]
fn documents_are_read_whatever_their_format() {
    let house = House::new();
    python(&house, DOCUMENTS);
    house.write("note.md", "# Title\n\ntext\n");
    house.write("latin.txt", b"perch\xe9 no");
    house.write("page.html", "<html><script>alert(1)</script><p>Hello &amp; bye</p></html>");
    house.write("empty.txt", "");
    house.write("people.csv", "name;age\nAnna;30\nBo;x\n");
    all_ok(
        &house.exec(
            "write_files",
            json!({ "path": "~/book.xlsx", "entries": [{ "name": "Anna", "age": 30 }] }),
        ),
        1,
    );
    let paths = [
        "letter.docx",
        "bill.pdf",
        "note.md",
        "latin.txt",
        "page.html",
        "empty.txt",
        "people.csv",
        "book.xlsx",
    ];
    let paths: Vec<String> = paths.iter().map(|p| format!("~/{p}")).collect();
    let read = house.exec("read_files", json!({ "paths": paths }));
    all_ok(&read, 8);
    tainted(&read, "content");
    for (n, part) in [
        (0, "Dear reader"),
        (1, "Total due"),
        (2, "# Title"),
        (3, "perché no"),
        (4, "Hello & bye"),
        (7, "Anna"),
    ] {
        assert!(items(&read)[n]["content"].as_str().unwrap().contains(part), "{}", items(&read)[n]);
    }
    assert!(!items(&read)[4]["content"].as_str().unwrap().contains("alert"));
    assert_eq!(items(&read)[5]["content"], "");

    let tables = batch(
        &house,
        &[
            ("read_files_csv", json!({ "paths": ["~/people.csv"] })),
            ("read_files_xlsx", json!({ "paths": ["~/book.xlsx"] })),
            ("read_files_csv", json!({ "paths": ["~/empty.txt"] })),
            ("compare_files", json!({ "paths": ["~/note.md", "~/latin.txt"] })),
            ("compare_files", json!({ "paths": ["~/note.md", "~/note.md"] })),
            ("compare_files", json!({ "paths": ["~/dot.png", "~/vast.png"] })),
        ],
    );
    assert_eq!(column(&tables[0], "age"), [&json!(30), &json!("x")]);
    assert_eq!(items(&tables[1])[0]["age"], 30);
    all_ok(&tables[2], 0);
    assert_eq!(
        (&tables[3]["equal"], &tables[4]["equal"], &tables[5]["equal"]),
        (&json!(false), &json!(true), &json!(false))
    );
    for table in [&tables[0], &tables[1], &tables[3]] {
        tainted(table, "content");
    }
}

#[test]
fn files_change_their_format_beside_their_source_or_elsewhere() {
    let house = House::new();
    python(&house, DOCUMENTS);
    house.write("t.csv", "a,b\n1,=1+1\n");
    house.write("m.md", "# Hi\n**you**\n");
    let answers = batch(
        &house,
        &[
            ("change_files_format", json!({ "paths": ["~/dot.png"], "to": "jpeg", "width": 10 })),
            ("change_files_format", json!({ "paths": ["~/t.csv"], "to": "xlsx" })),
            ("change_files_format", json!({ "paths": ["~/t.xlsx"], "to": "json" })),
            ("change_files_format", json!({ "paths": ["~/t.xlsx"], "to": "csv", "dst_dir": "~/new/deep" })),
            (
                "change_files_format",
                json!({ "paths": ["~/letter.docx", "~/bill.pdf", "~/m.md"], "to": "txt" }),
            ),
            ("change_files_format", json!({ "paths": ["~/t.csv"], "to": "xlsx" })),
        ],
    );
    for (answer, count) in answers.iter().zip([1, 1, 1, 1, 3]) {
        all_ok(answer, count);
    }
    partly(&answers[5], 0, &[("t.csv", "dst_exists")]);
    let home = house.home();
    let jpeg = items(&answers[0])[0]["dst"].as_str().unwrap();
    assert_eq!(std::fs::read(jpeg).unwrap()[..3], [0xff, 0xd8, 0xff]);
    assert_eq!(std::fs::read_to_string(home.join("new/deep/t.csv")).unwrap(), "a,b\n1,'=1+1\n");
    assert!(std::fs::read_to_string(home.join("bill.txt")).unwrap().contains("Total due"));
    let pictures = house.exec("get_files", json!({ "paths": [jpeg] }));
    assert_eq!(items(&pictures)[0]["mime"], "image/jpeg");
}

#[test]
fn garbage_bombs_and_liars_are_failed_items_never_failed_calls() {
    let house = House::new();
    python(&house, DOCUMENTS);
    for name in ["g.pdf", "g.docx", "g.xlsx", "g.png", "g.csv"] {
        let noise: Vec<u8> = (0..5_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        house.write(name, noise);
    }
    house.write("head.pdf", "%PDF-1.7\n%%EOF");
    house.write("head.xlsx", "PK\x03\x04");
    house.write("open.csv", "a,b\n\"never closed\n1,2\n");
    house.write("ragged.csv", "a,b\n1\n1,2,3\n");
    std::fs::create_dir(house.home().join("folder")).unwrap();
    let bad = ["g.pdf", "g.docx", "g.xlsx", "g.png", "head.pdf", "head.xlsx", "cut.pdf", "folder"]
        .map(|n| format!("~/{n}"));
    house.write("fine.txt", "fine");
    let mut paths = bad.to_vec();
    paths.push("~/fine.txt".into());
    let read = house.exec("read_files", json!({ "paths": paths }));
    assert!(read.get("error").is_none(), "{read}");
    assert!(texts(&read, "path").iter().any(|p| p.ends_with("fine.txt")), "{read}");
    assert!(read["fail_count"].as_u64() >= Some(6), "{read}");
    for failed in read["failed"].as_array().unwrap() {
        assert!(
            ["unsupported_format", "wrong_args"].contains(&failed["error_class"].as_str().unwrap()),
            "{failed}"
        );
    }
    let answers = batch(
        &house,
        &[
            ("read_files_xlsx", json!({ "paths": ["~/g.xlsx", "~/head.xlsx", "~/letter.docx"] })),
            ("read_files_csv", json!({ "paths": ["~/g.csv"] })),
            ("read_files_csv", json!({ "paths": ["~/open.csv"] })),
            ("read_files_csv", json!({ "paths": ["~/ragged.csv"] })),
            ("change_files_format", json!({ "paths": ["~/g.png", "~/vast.png", "~/g.pdf"], "to": "jpeg" })),
            ("read_files", json!({ "paths": ["~/bomb.docx"], "max_bytes": 1000 })),
            ("compare_files", json!({ "paths": ["~/g.pdf", "~/g.docx"] })),
        ],
    );
    assert_eq!(
        (&answers[0]["ok_count"], &answers[0]["fail_count"]),
        (&json!(0), &json!(3)),
        "{}",
        answers[0]
    );
    assert_eq!(answers[3]["ragged_rows"], 2, "{}", answers[3]);
    assert_eq!(
        (&answers[4]["ok_count"], &answers[4]["fail_count"]),
        (&json!(0), &json!(3)),
        "{}",
        answers[4]
    );
    for answer in &answers {
        assert_ne!(answer["error"]["class"], "internal", "{answer}");
        assert_ne!(answer["error"]["class"], "limit_exceeded", "{answer}");
    }
    let bomb = &answers[5];
    let small = items(bomb).iter().all(|e| e["content"].as_str().unwrap().len() <= 1000);
    assert!(small && (bomb["fail_count"] == 1 || bomb["truncated"] == true), "{bomb}");
}

#[test]
fn long_files_are_cut_where_asked_and_not_otherwise() {
    let house = House::new();
    let long = house.write("long.txt", "line of text\n".repeat(20_000));
    std::fs::File::options().append(true).open(&long).unwrap().set_len(1 << 30).unwrap();
    house.write("two.txt", "x".repeat(2_000_000));
    let mut csv = String::from("id,name,amount\n");
    for i in 0..50_000 {
        csv.push_str(&format!("{i},n{i},{i}.5\n"));
    }
    house.write("rows.csv", csv);
    let answers = batch(
        &house,
        &[
            ("read_files", json!({ "paths": ["~/long.txt"], "max_bytes": 1000 })),
            ("read_files", json!({ "paths": ["~/two.txt"] })),
            ("read_files", json!({ "paths": ["~/two.txt"], "max_bytes": 0 })),
            ("read_files_csv", json!({ "paths": ["~/rows.csv"] })),
            ("read_files_csv", json!({ "paths": ["~/rows.csv"], "max_results": 5 })),
            ("change_files_format", json!({ "paths": ["~/rows.csv"], "to": "xlsx" })),
            ("read_files_xlsx", json!({ "paths": ["~/rows.xlsx"] })),
            ("read_files_xlsx", json!({ "paths": ["~/rows.xlsx"], "max_results": 5 })),
            ("compare_files", json!({ "paths": ["~/rows.csv", "~/rows.csv"] })),
        ],
    );
    assert_eq!(items(&answers[0])[0]["content"].as_str().unwrap().len(), 1000, "{}", answers[0]["failed"]);
    cut(&answers[0], "max_bytes", 1000, 1000);
    cut(&answers[1], "max_bytes", 1 << 20, 1 << 20);
    assert_eq!(items(&answers[2])[0]["content"].as_str().unwrap().len(), 2_000_000);
    assert!(answers[2].get("truncated").is_none());
    all_ok(&answers[3], 50_000);
    cut(&answers[4], "max_results", 5, 5);
    all_ok(&answers[5], 1);
    all_ok(&answers[6], 50_000);
    assert_eq!(items(&answers[6])[49_999]["amount"], 49_999.5);
    cut(&answers[7], "max_results", 5, 5);
    assert_eq!(answers[8]["equal"], true);
}

#[test]
fn missing_shut_and_circular_paths_are_listed() {
    let house = House::new();
    let home = house.home();
    house.write("a.csv", "x,y\n1,2\n");
    let shut = house.write("shut.csv", "x,y\n1,2\n");
    std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o000)).unwrap();
    symlink("circle", home.join("circle")).unwrap();
    let paths = json!(["~/a.csv", "~/shut.csv", "~/none.csv", "~/circle"]);
    let failed = [("shut.csv", "permission_denied"), ("none.csv", "not_found"), ("circle", "not_found")];
    for name in ["read_files", "read_files_csv", "compute_texts"] {
        partly(&house.exec(name, json!({ "paths": paths })), 1, &failed);
    }
    partly(&house.exec("filter_texts_lines", json!({ "paths": paths, "pattern": "1" })), 1, &failed);
    partly(
        &house.exec("change_files_format", json!({ "paths": paths, "to": "json", "dst_dir": "~/o" })),
        1,
        &failed,
    );
    let two: Value = json!({ "paths": ["~/a.csv", "~/none.csv"] });
    assert_eq!(house.exec("compare_files", two)["ok"], false);
    refused(&house.exec("compare_files", json!({ "paths": ["~/a.csv"] })), "wrong_args");
}

#[test]
fn what_comes_from_a_tainted_path_stays_tainted() {
    let house = House::new();
    let path = house.write("t.csv", "x,y\n1,2\n");
    let second = house.write("u.csv", "x,y\n1,3\n");
    let mut tried = BTreeSet::new();
    for origin in ["content", "mail", "web"] {
        let entries = json!([{ "path": path, "_origin": origin }]);
        let both = json!([{ "path": path, "_origin": origin }, { "path": second, "_origin": "local" }]);
        for (name, args) in [
            ("read_files", json!({ "entries": entries })),
            ("read_files_csv", json!({ "entries": entries })),
            ("compute_texts", json!({ "entries": entries })),
            ("filter_texts_lines", json!({ "entries": entries, "pattern": "1" })),
            ("get_files", json!({ "entries": entries })),
            ("compare_files", json!({ "entries": both })),
            (
                "change_files_format",
                json!({ "entries": entries, "to": "xlsx", "dst_dir": format!("~/{origin}") }),
            ),
            ("compress_files", json!({ "entries": both, "dst": format!("~/{origin}/p.zip") })),
            ("write_files", json!({ "entries": entries, "dst_dir": format!("~/{origin}/copy") })),
            ("write_files", json!({ "entries": both, "path": format!("~/{origin}/list.csv") })),
            (
                "create_dirs",
                json!({ "entries": [{ "path": house.home().join(origin).join("d"), "_origin": origin }] }),
            ),
            ("list_dirs", json!({ "entries": [{ "path": house.home().join(origin), "_origin": origin }] })),
            (
                "extract_files",
                json!({ "entries": [{ "path": house.home().join(origin).join("p.zip"), "_origin": origin }] }),
            ),
            (
                "read_files_xlsx",
                json!({ "entries": [{ "path": house.home().join(origin).join("t.xlsx"), "_origin": origin }] }),
            ),
            (
                "move_files",
                json!({ "entries": [{ "path": house.home().join(origin).join("t.xlsx"), "_origin": origin }], "dst_dir": format!("~/{origin}/m") }),
            ),
            (
                "delete_files",
                json!({ "entries": [{ "path": house.home().join(origin).join("m/t.xlsx"), "_origin": origin }] }),
            ),
            (
                "delete_dirs",
                json!({ "entries": [{ "path": house.home().join(origin).join("d"), "_origin": origin }] }),
            ),
        ] {
            let answer = house.exec(name, args);
            assert_eq!(answer["ok"], true, "{name}: {answer}");
            tainted(&answer, origin);
            tried.insert(name);
        }
    }
    assert_eq!(tried, BTreeSet::from(crate::support::TAINTED_BY_PATH));
}
