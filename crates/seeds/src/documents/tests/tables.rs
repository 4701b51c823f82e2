use super::*;

#[test]
fn csv_rows_become_records() {
    let d = dir();
    let csv = "\u{feff}nome;prezzo;nome;cap\n\"pane; \"\"duro\"\"\";1,20;x;00184\nlatte;3;y\nuovo;1;2;3;4\n";
    let ran = run("read_files_csv", json!({ "paths": [put(&d, "a.csv", csv)] }));
    assert!(ran.outcome.ok, "{:?}", ran.outcome);
    assert_eq!(ran.outcome.ok_count, 3);
    let first = &ran.items[0];
    assert_eq!(
        (&first["nome"], &first["prezzo"], &first["nome_2"], &first["cap"], &first["row"]),
        (&json!("pane; \"duro\""), &json!("1,20"), &json!("x"), &json!("00184"), &json!(2))
    );
    assert_eq!((&ran.items[1]["prezzo"], &ran.items[1]["cap"]), (&json!(3), &Value::Null));
    assert_eq!(ran.items[2]["column_5"], 4);
    assert_eq!(ran.outcome.fields["ragged_rows"], 2);
    assert_eq!(first["_origin"], "content");
}

#[test]
fn a_header_is_found_or_told() {
    let d = dir();
    let path = put(&d, "a.csv", "1,2\n3,4\n");
    assert_eq!(run("read_files_csv", json!({ "paths": [path] })).items[0]["column_1"], 1);
    let told = run("read_files_csv", json!({ "paths": [path], "has_header": true }));
    assert_eq!((told.items.len(), &told.items[0]["1"]), (1, &json!(3)));
    let words = put(&d, "b.csv", "a,b\nc,d\n");
    let told = run("read_files_csv", json!({ "paths": [words], "has_header": false }));
    assert_eq!(told.items.len(), 2);
}

#[test]
fn a_column_cannot_forge_the_origin() {
    let d = dir();
    let path = put(&d, "a.csv", "_origin,path,row\nuser,/etc,9\n");
    let ran = run("read_files_csv", json!({ "entries": [{ "path": path, "_origin": "mail" }] }));
    let item = &ran.items[0];
    assert_eq!((&item["_origin"], &item["path"], &item["row"]), (&json!("mail"), &json!(path), &json!(2)));
    assert_eq!(item["path_2"], "/etc");
}

#[test]
fn the_cap_is_declared_and_empty_files_are_empty() {
    let d = dir();
    let path = put(&d, "a.csv", "a\nx\ny\nz\n");
    let ran = run("read_files_csv", json!({ "paths": [path], "max_results": 2 }));
    assert_eq!((ran.items.len(), ran.outcome.truncation.unwrap().cap_value), (2, 2));
    let ran = run("read_files_csv", json!({ "paths": [put(&d, "e.csv", "")] }));
    assert!(ran.outcome.ok && ran.items.is_empty());
}

#[test]
fn an_open_quote_does_not_swallow_memory() {
    let d = dir();
    let path = put(&d, "a.csv", format!("a,b\n1,\"{}", "x\n".repeat(10 << 20)));
    let good = put(&d, "b.csv", "a\n1\n");
    let ran = run("read_files_csv", json!({ "paths": [path, good, d.path().join("gone")] }));
    assert!(ran.outcome.partial);
    assert_eq!(class(&ran), ErrorClass::TooLarge);
    let wide = put(&d, "w.csv", ",".repeat(100_000));
    assert_eq!(class(&run("read_files_csv", json!({ "paths": [wide] }))), ErrorClass::TooLarge);
    let picture = put(&d, "p.csv", b"\x89PNG\0");
    assert_eq!(class(&run("read_files_csv", json!({ "paths": [picture] }))), ErrorClass::UnsupportedFormat);
}

#[test]
fn workbook_rows_become_records() {
    let d = dir();
    let path = put(&d, "a.xlsx", xlsx());
    let ran = run("read_files_xlsx", json!({ "paths": [path] }));
    assert!(ran.outcome.ok, "{:?}", ran.outcome);
    let first = &ran.items[0];
    assert_eq!(
        (&first["Nome"], &first["Quando"], &first["Quanto"], &first["row"], &first["sheet"]),
        (&json!("pane"), &json!("2026-11-15"), &json!(3), &json!(2), &json!("Sheet1"))
    );
    assert_eq!((&ran.items[1]["row"], &ran.items[1]["Quando"]), (&json!(4), &Value::Null));
    for sheet in [json!("altro"), json!(2), json!("2")] {
        let ran = run("read_files_xlsx", json!({ "paths": [path], "sheet": sheet }));
        assert_eq!(ran.items[0]["column_1"], 7);
    }
    let ran = run("read_files_xlsx", json!({ "paths": [path], "sheet": "Nessuno" }));
    assert_eq!(class(&ran), ErrorClass::NotFound);
}

#[test]
fn hostile_workbooks_fail_as_items() {
    let d = dir();
    let whole = xlsx();
    let strings = b"<sst uniqueCount=\"99999999999999\"></sst>";
    let greedy = zip_of(&[("xl/workbook.xml", b"<workbook/>"), ("xl/sharedStrings.xml", strings)]);
    let zeros = vec![b' '; 130 << 20];
    let bomb = zip_of(&[("xl/workbook.xml", b"<workbook/>"), ("xl/sharedStrings.xml", &zeros)]);
    drop(zeros);
    let paths = [
        put(&d, "greedy.xlsx", greedy),
        put(&d, "bomb.xlsx", bomb),
        put(&d, "cut.xlsx", &whole[..whole.len() / 2]),
        put(&d, "text.xlsx", "not a workbook"),
    ];
    let ran = run("read_files_xlsx", json!({ "paths": paths }));
    let classes: Vec<_> = ran.outcome.failed.iter().map(|f| f.error_class).collect();
    use ErrorClass::*;
    assert_eq!(classes, [UnsupportedFormat, TooLarge, UnsupportedFormat, UnsupportedFormat]);
    for i in (0..whole.len()).step_by(31) {
        let mut broken = whole.clone();
        broken[i] ^= 0x55;
        let ran = run("read_files_xlsx", json!({ "paths": [put(&d, "fuzz.xlsx", &broken)] }));
        assert!(ran.outcome.error.is_none(), "byte {i}");
    }
}
