use super::*;

fn png(width: u32, height: u32) -> Vec<u8> {
    let picture = image::RgbaImage::from_fn(width, height, |x, _| image::Rgba([x as u8, 10, 20, 128]));
    let mut out = Cursor::new(Vec::new());
    picture.write_to(&mut out, image::ImageFormat::Png).unwrap();
    out.into_inner()
}

fn size(path: &Path) -> (u32, u32) {
    image::image_dimensions(path).unwrap()
}

#[test]
fn pictures_go_to_every_format_and_back() {
    let d = dir();
    let src = put(&d, "a.png", png(40, 20));
    for to in ["jpeg", "webp", "gif", "bmp", "tiff"] {
        let ran = run("change_files_format", json!({ "paths": [src], "to": to }));
        assert!(ran.outcome.ok, "{to}: {:?}", ran.outcome);
        let dst = PathBuf::from(ran.items[0]["dst"].as_str().unwrap());
        assert_eq!(size(&dst), (40, 20), "{to}");
        let out = dir();
        let back = run(
            "change_files_format",
            json!({ "paths": [dst], "to": "png", "dst_dir": out.path(), "width": 10 }),
        );
        assert!(back.outcome.ok, "{to}: {:?}", back.outcome);
        assert_eq!(size(&out.path().join("a.png")), (10, 5), "{to}");
    }
    assert!(src.exists());
}

#[test]
fn a_picture_that_only_gets_another_width_keeps_its_format() {
    let d = dir();
    let (src, table) = (put(&d, "a.png", png(40, 20)), put(&d, "t.csv", b"a\n1\n"));
    let ran = run("change_files_format", json!({ "paths": [src, table], "width": 10 }));
    assert_eq!(size(&d.path().join("a-10.png")), (10, 5));
    assert_eq!(ran.items.len(), 1);
    assert!(!run("change_files_format", json!({ "paths": [src] })).outcome.ok);
}

#[test]
fn the_intent_says_exactly_what_is_written() {
    let d = dir();
    let src = put(&d, "a.png", png(8, 8));
    let ran = run(
        "change_files_format",
        json!({ "entries": [{ "path": src, "_origin": "mail" }], "to": "png", "width": 4 }),
    );
    assert_eq!(ran.intents.len(), 1);
    assert!(matches!(&ran.intents[0].ops[..], [Op::Write { dst, .. }] if dst.0 == d.path().join("a-4.png")));
    assert_eq!((&ran.items[0]["_origin"], &ran.items[0]["ok"]), (&json!("mail"), &json!(true)));
}

#[test]
fn nothing_is_replaced_and_nothing_broken_reaches_the_intent() {
    let d = dir();
    let src = put(&d, "a.png", png(8, 8));
    let twin = put(&d, "a.bmp", png(8, 8));
    put(&d, "a.jpg", "mine");
    let ran = run("change_files_format", json!({ "paths": [src], "to": "jpg" }));
    assert_eq!((class(&ran), ran.intents.len()), (ErrorClass::DstExists, 0));
    assert_eq!(std::fs::read(d.path().join("a.jpg")).unwrap(), b"mine");
    let ran = run("change_files_format", json!({ "paths": [src, twin], "to": "webp" }));
    assert!(ran.outcome.partial);
    assert_eq!((class(&ran), ran.intents[0].ops.len()), (ErrorClass::DstExists, 1));

    let broken = put(&d, "b.png", &png(64, 64)[..60]);
    let text = put(&d, "c.txt", "x");
    let ran = run(
        "change_files_format",
        json!({ "paths": [broken, text, d.path().join("gone.png")], "to": "gif" }),
    );
    let classes: Vec<_> = ran.outcome.failed.iter().map(|f| f.error_class).collect();
    assert_eq!(classes, [ErrorClass::UnsupportedFormat, ErrorClass::UnsupportedFormat, ErrorClass::NotFound]);
    assert!(ran.intents.is_empty());
    assert!(run("change_files_format", json!({ "paths": [], "to": "gif" })).outcome.ok);
    let nowhere =
        run("change_files_format", json!({ "paths": [src], "to": "gif", "dst_dir": d.path().join("no") }));
    assert_eq!(nowhere.outcome.error.unwrap().class, ErrorClass::NotFound);
}

#[test]
fn a_picture_that_declares_a_million_megapixels_is_refused() {
    let d = dir();
    let mut bytes = png(8, 8);
    bytes[16..20].copy_from_slice(&60_000u32.to_be_bytes());
    bytes[20..24].copy_from_slice(&60_000u32.to_be_bytes());
    let ran = run("change_files_format", json!({ "paths": [put(&d, "a.png", bytes)], "to": "jpeg" }));
    assert_eq!(ran.outcome.fail_count, 1);
    assert!(ran.intents.is_empty());
}

#[test]
fn tables_go_between_csv_json_and_xlsx() {
    let d = dir();
    let csv = put(&d, "a.csv", "nome;n\n<pane> & \u{1}latte;3\n=1+1;007\n");
    for to in ["json", "xlsx"] {
        assert!(run("change_files_format", json!({ "paths": [csv], "to": to })).outcome.ok, "{to}");
    }
    let json: Value = serde_json::from_slice(&std::fs::read(d.path().join("a.json")).unwrap()).unwrap();
    assert_eq!(json, json!([{ "nome": "<pane> & \u{1}latte", "n": 3 }, { "nome": "=1+1", "n": "007" }]));
    let rows = run("read_files_xlsx", json!({ "paths": [d.path().join("a.xlsx")] }));
    assert!(rows.outcome.ok, "{:?}", rows.outcome);
    assert_eq!((&rows.items[0]["nome"], &rows.items[0]["n"]), (&json!("<pane> & \u{fffd}latte"), &json!(3)));
    assert_eq!((&rows.items[1]["nome"], &rows.items[1]["n"]), (&json!("=1+1"), &json!("007")));
    let out = dir();
    let ran = run(
        "change_files_format",
        json!({ "paths": [d.path().join("a.xlsx")], "to": "csv", "dst_dir": out.path() }),
    );
    assert!(ran.outcome.ok, "{:?}", ran.outcome);
    let text = std::fs::read_to_string(out.path().join("a.csv")).unwrap();
    assert_eq!(text, "nome,n\n<pane> & \u{fffd}latte,3\n'=1+1,007\n");
}

#[test]
fn documents_become_text() {
    let d = dir();
    let paths = [
        put(&d, "a.md", "# Uno\n**due**"),
        put(&d, "b.html", "<p>tre</p>"),
        put(&d, "c.docx", docx("<w:p><w:r><w:t>quattro</w:t></w:r></w:p>")),
    ];
    let ran = run("change_files_format", json!({ "paths": paths, "to": "text" }));
    assert_eq!(ran.outcome.ok_count, 3, "{:?}", ran.outcome);
    let read = |n: &str| std::fs::read_to_string(d.path().join(n)).unwrap();
    assert_eq!([read("a.txt"), read("b.txt"), read("c.txt")], ["Uno\ndue\n", "tre\n", "quattro\n"]);
}
