use super::*;

#[test]
fn plain_formats_are_recognised_and_read() {
    let d = dir();
    let paths = [
        put(&d, "a.txt", "ciao"),
        put(&d, "b.md", "# x"),
        put(&d, "c.csv", "a,b"),
        put(&d, "d", "{\"k\": [1]}"),
        put(&d, "e.dat", "<!DOCTYPE html><p>ci&agrave;o<script>x</script>"),
        put(&d, "f.txt", b"perch\xe9 la citt\xe0 \xe8 bella"),
        put(&d, "empty.txt", ""),
    ];
    let ran = run("read_files", json!({ "paths": paths }));
    assert!(ran.outcome.ok, "{:?}", ran.outcome);
    let got: Vec<_> = ran.items.iter().map(|i| (i["format"].as_str(), i["content"].as_str())).collect();
    assert_eq!(
        got,
        [
            (Some("text"), Some("ciao")),
            (Some("markdown"), Some("# x")),
            (Some("csv"), Some("a,b")),
            (Some("json"), Some("{\"k\": [1]}")),
            (Some("html"), Some("ciào")),
            (Some("text"), Some("perché la città è bella")),
            (Some("text"), Some("")),
        ]
    );
    assert!(ran.items.iter().all(|i| i["_origin"] == "content"));
    assert_eq!(ran.items[5]["charset"], "windows-1252");
}

#[test]
fn an_empty_list_is_an_empty_answer_and_no_list_is_an_error() {
    assert!(run("read_files", json!({ "paths": [] })).outcome.ok);
    assert!(run("read_files", json!({ "entries": [] })).outcome.ok);
    let error = run("read_files", json!({})).outcome.error.unwrap();
    assert_eq!(error.class, ErrorClass::WrongArgs);
}

#[test]
fn what_cannot_be_read_is_counted_and_the_rest_is_kept() {
    let d = dir();
    let pipe = d.path().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let link = d.path().join("loop");
    std::os::unix::fs::symlink(&link, &link).unwrap();
    let paths = [
        put(&d, "ok.txt", "x"),
        put(&d, "pic.png", b"\x89PNG\r\n\x1a\n...."),
        put(&d, "bin", b"ab\0cd"),
        put(&d, "a.zip", zip_of(&[("x", b"y")])),
        put(&d, "cut.docx", &docx("<w:p/>")[..40]),
        d.path().join("gone"),
        d.path().to_path_buf(),
        pipe,
        link,
    ];
    let ran = run("read_files", json!({ "paths": paths }));
    assert!(ran.outcome.partial);
    assert_eq!((ran.outcome.ok_count, ran.outcome.fail_count), (1, 8));
    let classes: Vec<_> = ran.outcome.failed.iter().map(|f| f.error_class).collect();
    use ErrorClass::*;
    assert_eq!(classes[..4], [UnsupportedFormat; 4]);
    assert_eq!(classes[4..7], [NotFound, WrongArgs, UnsupportedFormat]);
    assert_eq!(ran.outcome.failed[0].index, 1);
}

#[test]
fn a_cap_cuts_between_characters_and_is_declared() {
    let d = dir();
    let ran = run("read_files", json!({ "paths": [put(&d, "a.txt", "aèèè")], "max_bytes": 4 }));
    assert_eq!(ran.items[0]["content"], "aè");
    assert_eq!(ran.items[0]["truncated"], true);
    let cut = ran.outcome.truncation.unwrap();
    assert_eq!((cut.cap_field.as_str(), cut.cap_value, cut.available_total), ("max_bytes", 4, Some(7)));
}

#[test]
fn a_file_of_a_terabyte_is_read_only_as_far_as_asked() {
    let d = dir();
    let path = put(&d, "huge.txt", "x".repeat(100_000));
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    let ran = run("read_files", json!({ "paths": [path], "max_bytes": 1000 }));
    assert_eq!(ran.items[0]["content"].as_str().unwrap().len(), 1000);
    assert!(ran.outcome.truncation.is_some());
}

#[test]
fn names_that_are_not_utf8_survive() {
    let d = dir();
    let path = d.path().join(std::ffi::OsStr::from_bytes(b"caff\xe8\n.txt"));
    std::fs::write(&path, "x").unwrap();
    let b64 = metnos_executor::path::encode(&path);
    let ran = run("read_files", json!({ "paths": [{ "path_b64": b64 }] }));
    assert_eq!(ran.items[0]["path_b64"], b64);
    assert_eq!(ran.items[0]["content"], "x");
}

#[test]
fn taint_is_never_washed_off() {
    let d = dir();
    let path = put(&d, "a.txt", "x");
    let entries = json!([
        { "path": path, "_origin": "web" },
        { "path": path, "_origin": "local" },
        { "path": path, "_origin": "invented" },
        { "name": "no path" },
    ]);
    let ran = run("read_files", json!({ "entries": entries }));
    let origins: Vec<_> = ran.items.iter().map(|i| i["_origin"].as_str().unwrap()).collect();
    assert_eq!(origins, ["web", "content", "web"]);
    assert_eq!(ran.outcome.fail_count, 1);
}

#[test]
fn pdf_pages_are_read_with_their_words_and_lines_apart() {
    let d = dir();
    let file = pdf(&[
        "BT /F1 12 Tf 72 700 Td (Buongiorno) Tj 0 -14 Td (a tutti) Tj ET",
        "BT /F1 12 Tf 1 0 0 1 72 700 Tm [(Pa) 20 (ne) -400 (fresco)] TJ 200 0 Td (1 euro) Tj ET",
    ]);
    let ran = run("read_files", json!({ "paths": [put(&d, "x.pdf", file)] }));
    assert!(ran.outcome.ok, "{:?}", ran.outcome.failed);
    assert_eq!(ran.items[0]["pages"], 2);
    assert_eq!(ran.items[0]["content"], "Buongiorno\na tutti\n\u{c}Pane fresco 1 euro\n");
}

#[test]
fn hostile_pdfs_fail_as_items() {
    let d = dir();
    let whole = pdf(&["BT /F1 12 Tf (x) Tj ET"]);
    let deep = format!("%PDF-1.5\n1 0 obj\n{}\nendobj\nstartxref\n9\n%%EOF", "[".repeat(100_000));
    let mut paths = vec![put(&d, "deep.pdf", deep), put(&d, "head.pdf", "%PDF-1.7\n")];
    for cut in [20, whole.len() / 2, whole.len() - 30] {
        paths.push(put(&d, &format!("cut{cut}.pdf"), &whole[..cut]));
    }
    // A page program that unfolds to far more than is allowed.
    let bomb = "q ".repeat(20 << 20);
    paths.push(put(&d, "bomb.pdf", pdf(&[&bomb])));
    let ran = run("read_files", json!({ "paths": paths }));
    assert!(ran.outcome.error.is_none());
    assert_eq!(ran.outcome.ok_count + ran.outcome.fail_count, 6);
    assert!(ran.outcome.fail_count >= 3, "{:?}", ran.items);
    assert_eq!(ran.outcome.failed.last().unwrap().error_class, ErrorClass::UnsupportedFormat);
    // Every byte changed in turn: whatever comes, it is an answer.
    for i in (0..whole.len()).step_by(7) {
        let mut broken = whole.clone();
        broken[i] ^= 0x55;
        let ran = run("read_files", json!({ "paths": [put(&d, "fuzz.pdf", &broken)] }));
        assert!(ran.outcome.error.is_none(), "byte {i}");
    }
}

#[test]
fn word_documents_are_read_paragraph_by_paragraph() {
    let d = dir();
    let file = docx(
        "<w:p><w:r><w:t>Uno &amp; due</w:t></w:r><w:r><w:tab/><w:t xml:space=\"preserve\"> tre</w:t></w:r></w:p>\
         <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>\
         <w:p><w:r><w:delText>via</w:delText><w:t>fine</w:t><mc:Fallback><w:t>due volte</w:t></mc:Fallback></w:r></w:p>",
    );
    let ran = run("read_files", json!({ "paths": [put(&d, "x.docx", file)] }));
    assert_eq!(ran.items[0]["content"], "Uno & due\t tre\na \tb \t\nfine\n");
    assert_eq!(ran.items[0]["format"], "docx");
}

#[test]
fn workbooks_are_read_as_tabs_under_the_names_of_sheets() {
    let d = dir();
    let ran = run("read_files", json!({ "paths": [put(&d, "x.xlsx", xlsx())] }));
    assert_eq!(
        ran.items[0]["content"],
        "# Sheet1\nNome\tQuando\tQuanto\npane\t2026-11-15\t3\n=latte\t\t1.5\n\n# Altro\n7\n"
    );
    assert_eq!(ran.items[0]["pages"], 2);
}
