//! Rules for names of several words, lists, codes, programs and addresses, in sentences of their own.

use crate::rows::found;
use metnos_language::What;

/// What is found in a request at this cost or less.
fn costs(lang: &str, query: &str, what: &What) -> Option<u8> {
    found(query, lang).into_iter().filter(|mention| mention.what == *what).map(|mention| mention.cost).min()
}

fn finds(lang: &str, query: &str, what: What, most: u8) {
    let cost = costs(lang, query, &what);
    assert!(cost.is_some_and(|cost| cost <= most), "{query}: {what:?} {cost:?}");
}

fn text(text: &str) -> What {
    What::Text(text.to_owned())
}

fn name(name: &str) -> What {
    What::Name(name.to_owned())
}

fn place(path: &str) -> What {
    What::Place(path.to_owned())
}

#[test]
fn a_name_with_spaces_is_one() {
    finds("en", "find annual report 2025.pdf", name("annual report 2025.pdf"), 0);
    finds("it", "trova contratto di affitto 2024.pdf", name("contratto di affitto 2024.pdf"), 2);
    finds("es", "busca el archivo cartas de la escuela.docx", name("cartas de la escuela.docx"), 0);
    let path = |path: &str| What::Path(path.to_owned());
    finds("en", "open Documents/cover letter.docx", path("~/Documents/cover letter.docx"), 1);
}

#[test]
fn folders_of_a_list_lie_where_it_is_said() {
    let query = "make three folders in Lab: Raw, Clean and Plots";
    for name in ["Raw", "Clean", "Plots"] {
        let path = format!("~/Lab/{name}");
        finds("en", query, place(&path), 2);
        assert!(costs("en", query, &place(&path)) < costs("en", query, &place(&format!("~/{name}"))));
    }
    finds("it", "crea due cartelle in Scuola: Compiti e Voti", place("~/Scuola/Voti"), 2);
    finds("en", "mkdir red green and blue in ~/lab", place("~/lab/green"), 1);
    finds("en", "create ~/proj/{docs,src,tests}", What::Path("~/proj/src".to_owned()), 0);
    finds("es", "dónde está la carpeta recibos", name("*recibos*"), 6);
}

#[test]
fn a_pattern_below_a_folder_is_both() {
    finds("en", "list ~/Downloads/*.deb", place("~/Downloads"), 0);
    finds("en", "list ~/Downloads/*.deb", name("*.deb"), 0);
    finds("en", "count src/*.rs", name("*.rs"), 0);
    finds("en", "find build-* and IMG_20*", name("build-*"), 0);
    finds("en", "find build-* and IMG_20*", name("IMG_20*"), 0);
    finds("en", "compute 3*4", What::Expression("3*4".to_owned()), 0);
    finds("en", "files 500M-1.5G", What::Size(Some(500_000_000), Some(1_500_000_000)), 0);
}

#[test]
fn codes_are_read_as_written() {
    let code = |code: &str| What::Code(code.to_owned());
    finds("en", "delete task t-14", code("t-14"), 0);
    finds("it", "elimina l'attività k7", code("k7"), 3);
    finds("en", "her phone is +39 051 5550142", code("+39 051 5550142"), 0);
    finds("es", "llama al 11 5555 2031", code("11 5555 2031"), 2);
    finds("en", "add Ada Bell 600112233", What::Person("Ada Bell".to_owned()), 3);
    assert!(found("3 files and 4 folders", "en").iter().all(|m| !matches!(m.what, What::Code(_))));
}

#[test]
fn programs_stand_beside_what_is_said_of_them() {
    let code = |code: &str| What::Code(code.to_owned());
    finds("en", "is vlc installed", code("vlc"), 1);
    finds("it", "sono installati: git, curl, htop?", code("htop"), 1);
    finds("it", "nginx gira?", code("nginx"), 1);
    finds("es", "está instalado pandoc y ffmpeg?", code("ffmpeg"), 1);
    finds("en", "run ls -la /mnt/nas", What::Command("ls -la /mnt/nas".to_owned()), 1);
}

#[test]
fn addresses_and_titles() {
    finds("it", "quanto dista via Mazzini 14, Parma", text("via Mazzini 14, Parma"), 0);
    finds("en", "where is 12 Baker Street, London", text("12 Baker Street, London"), 0);
    finds("es", "mapa de la calle Mayor 3", text("calle Mayor 3"), 1);
    let person = |name: &str| What::Person(name.to_owned());
    finds("it", "scrivi alla zia Pina", person("zia Pina"), 0);
    finds("es", "el número de la tía Lola", person("tía Lola"), 0);
    finds("en", "email dr. Moss", person("dr. Moss"), 0);
    finds("en", "put it in room 4", text("room 4"), 3);
}

#[test]
fn what_is_written_short_or_together_is_read() {
    finds("es", "fotos d hace mas d 2 meses", What::Window(None, "2026-09-15T00:00:00".parse().ok()), 4);
    finds("it", "mostra i file di questanno", window("2026-01-01", "2027-01-01"), 0);
    finds("it", "quanti pfd ho", kind("pdf"), 3);
    finds("es", "ficheros q empiezen x acta", name("acta*"), 5);
}

fn window(from: &str, to: &str) -> What {
    let day = |day: &str| format!("{day}T00:00:00").parse().ok();
    What::Window(day(from), day(to))
}

fn kind(kind: &str) -> What {
    let all = found("pdf", "it").into_iter().map(|mention| mention.what);
    all.into_iter().find(|what| matches!(what, What::Kind(id) if id.name() == kind)).unwrap()
}

#[test]
fn columns_where_no_table_is_named() {
    let column = |name: &str| What::Column(name.to_owned());
    finds("en", "only where the grade is A", column("grade"), 2);
    finds("en", "only where the grade is A", text("A"), 2);
    finds("en", "rows with Status late in x.csv", text("late"), 2);
    finds("it", "quelle con Importo più alto in x.csv", column("Importo"), 2);
}

#[test]
fn a_known_folder_is_told_from_a_guess() {
    let known = |query: &str, path: &str| {
        let found = found(query, "en");
        found.iter().find(|m| m.what == place(path)).map(|m| m.known)
    };
    assert_eq!(known("files in donwloads", "~/Downloads"), Some(true));
    assert_eq!(known("files in Documents/Tax", "~/Documents/Tax"), Some(true));
    assert_eq!(known("files in ~/stuff", "~/stuff"), Some(true));
    assert_eq!(known("files in Stuff", "~/Stuff"), Some(false));
}
