//! The promises of the document seeds, each kept on real files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::testing::{Ran, run};
use metnos_executor::{ErrorClass, Op};
use serde_json::{Value, json};
use std::io::{Cursor, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn dir() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn put(dir: &TempDir, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn class(ran: &Ran) -> ErrorClass {
    ran.outcome.failed.first().expect("a failed item").error_class
}

fn zip_of(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for (name, bytes) in parts {
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn docx(body: &str) -> Vec<u8> {
    let xml = format!("<w:document xmlns:w=\"w\" xmlns:mc=\"m\"><w:body>{body}</w:body></w:document>");
    zip_of(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", xml.as_bytes())])
}

/// A PDF whose pages hold the given programs.
fn pdf(programs: &[&str]) -> Vec<u8> {
    use lopdf::{Document, Object, Stream, dictionary};
    let mut doc = Document::with_version("1.5");
    let pages = doc.new_object_id();
    let font = doc.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => "WinAnsiEncoding",
    });
    let resources = doc.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
    let kids: Vec<Object> = programs
        .iter()
        .map(|program| {
            let mut stream = Stream::new(dictionary! {}, program.as_bytes().to_vec());
            let _ = stream.compress();
            let content = doc.add_object(stream);
            doc.add_object(dictionary! { "Type" => "Page", "Parent" => pages, "Contents" => content }).into()
        })
        .collect();
    let count = kids.len() as i64;
    doc.objects.insert(
        pages,
        Object::Dictionary(dictionary! {
            "Type" => "Pages", "Kids" => kids, "Count" => count, "Resources" => resources,
        }),
    );
    let catalog = doc.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
    doc.trailer.set("Root", catalog);
    let mut out = Vec::new();
    doc.save_to(&mut out).unwrap();
    out
}

/// A workbook with a header, a date, a whole and a broken number, and a second sheet.
fn xlsx() -> Vec<u8> {
    use rust_xlsxwriter::{ExcelDateTime, Format, Workbook};
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    for (i, name) in ["Nome", "Quando", "Quanto"].iter().enumerate() {
        sheet.write(0, i as u16, *name).unwrap();
    }
    let date = Format::new().set_num_format("yyyy-mm-dd");
    sheet.write(1, 0, "pane").unwrap();
    sheet.write_with_format(1, 1, &ExcelDateTime::from_ymd(2026, 11, 15).unwrap(), &date).unwrap();
    sheet.write(1, 2, 3.0).unwrap();
    sheet.write(3, 0, "=latte").unwrap();
    sheet.write(3, 2, 1.5).unwrap();
    let other = book.add_worksheet();
    other.set_name("Altro").unwrap();
    other.write(0, 0, 7).unwrap();
    book.save_to_buffer().unwrap()
}

mod read_files {
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
}

mod tables {
    use super::*;

    #[test]
    fn csv_rows_become_records() {
        let d = dir();
        let csv =
            "\u{feff}nome;prezzo;nome;cap\n\"pane; \"\"duro\"\"\";1,20;x;00184\nlatte;3;y\nuovo;1;2;3;4\n";
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
        assert_eq!(
            (&item["_origin"], &item["path"], &item["row"]),
            (&json!("mail"), &json!(path), &json!(2))
        );
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
        assert_eq!(
            class(&run("read_files_csv", json!({ "paths": [picture] }))),
            ErrorClass::UnsupportedFormat
        );
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
}

mod compare {
    use super::*;

    #[test]
    fn texts_differ_by_lines() {
        let d = dir();
        let a = put(&d, "a.txt", "uno\ndue\ntre\n");
        let b = put(&d, "b.txt", "uno\nDUE\ntre\nquattro\n");
        let ran = run("compare_files", json!({ "paths": [a, b] }));
        assert_eq!(ran.outcome.fields["equal"], false);
        let got: Vec<_> =
            ran.items.iter().map(|i| (i["op"].as_str().unwrap(), i["text"].as_str().unwrap())).collect();
        assert_eq!(got, [("replace", "-due\n+DUE"), ("insert", "+quattro")]);
        assert_eq!((&ran.items[1]["line_a"], &ran.items[1]["line_b"]), (&json!(3), &json!(4)));
        assert_eq!(ran.items[0]["_origin"], "content");
    }

    #[test]
    fn bytes_differ_at_an_offset() {
        let d = dir();
        let (a, b) = (put(&d, "a", b"\0abc"), put(&d, "b", b"\0abX"));
        let ran = run("compare_files", json!({ "paths": [a, b] }));
        assert_eq!((&ran.items[0]["op"], &ran.items[0]["offset"]), (&json!("different"), &json!(3)));
        let ran = run("compare_files", json!({ "paths": [a, a] }));
        assert_eq!((&ran.items[0]["op"], &ran.outcome.fields["equal"]), (&json!("equal"), &json!(true)));
        assert_eq!(ran.items[0]["hash_a"], ran.items[0]["hash_b"]);
    }

    #[test]
    fn line_ends_alone_are_told_and_emptiness_is_equal() {
        let d = dir();
        let (a, b) = (put(&d, "a.txt", "x\n"), put(&d, "b.txt", "x\r\n"));
        let ran = run(
            "compare_files",
            json!({ "entries": [{ "path": a, "_origin": "local" }, { "path": b, "_origin": "mail" }] }),
        );
        assert_eq!((&ran.items[0]["op"], &ran.items[0]["_origin"]), (&json!("different"), &json!("mail")));
        let (a, b) = (put(&d, "c", ""), put(&d, "d", ""));
        assert_eq!(run("compare_files", json!({ "paths": [a, b] })).outcome.fields["equal"], true);
    }

    #[test]
    fn what_makes_no_sense_or_is_missing_is_said() {
        let d = dir();
        let a = put(&d, "a.txt", "x");
        assert_eq!(
            run("compare_files", json!({ "paths": [a] })).outcome.error.unwrap().class,
            ErrorClass::WrongArgs
        );
        let ran = run("compare_files", json!({ "paths": [a, d.path().join("gone")] }));
        assert_eq!((class(&ran), ran.outcome.failed[0].index), (ErrorClass::NotFound, 1));
    }

    #[test]
    fn huge_texts_are_compared_as_bytes_and_say_so() {
        let d = dir();
        let big = "riga\n".repeat(4 << 20);
        let (a, b) = (put(&d, "a.txt", &big), put(&d, "b.txt", big + "x"));
        let ran = run("compare_files", json!({ "paths": [a, b] }));
        assert_eq!(ran.items[0]["offset"], 20 << 20);
        assert!(ran.outcome.truncation.is_some());
    }

    #[test]
    fn entirely_different_texts_end_in_time() {
        let d = dir();
        let text = |salt: u64| -> String {
            (0..200_000u64).map(|i| format!("{}\n", (i * 7919 + salt) % 1_000_003)).collect()
        };
        let (a, b) = (put(&d, "a.txt", text(1)), put(&d, "b.txt", text(500_000)));
        assert!(!run("compare_files", json!({ "paths": [a, b] })).items.is_empty());
    }
}

mod change_format {
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
    fn the_intent_says_exactly_what_is_written() {
        let d = dir();
        let src = put(&d, "a.png", png(8, 8));
        let ran = run(
            "change_files_format",
            json!({ "entries": [{ "path": src, "_origin": "mail" }], "to": "png", "width": 4 }),
        );
        assert_eq!(ran.intents.len(), 1);
        assert!(
            matches!(&ran.intents[0].ops[..], [Op::Write { dst, .. }] if dst.0 == d.path().join("a-4.png"))
        );
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
        assert_eq!(
            classes,
            [ErrorClass::UnsupportedFormat, ErrorClass::UnsupportedFormat, ErrorClass::NotFound]
        );
        assert!(ran.intents.is_empty());
        assert!(run("change_files_format", json!({ "paths": [], "to": "gif" })).outcome.ok);
        let nowhere = run(
            "change_files_format",
            json!({ "paths": [src], "to": "gif", "dst_dir": d.path().join("no") }),
        );
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
        assert_eq!(
            (&rows.items[0]["nome"], &rows.items[0]["n"]),
            (&json!("<pane> & \u{fffd}latte"), &json!(3))
        );
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
}
