//! Single rules, in each language.

use crate::rows::found;
use metnos_language::{Lexicons, Relation, What, tokens};

/// Whether a request has this reading at this cost or less, and where it stands in it.
fn reads(lang: &str, query: &str, what: &What, most: u8) -> Option<(String, Option<Relation>)> {
    let tokens = tokens(query, &Lexicons::shipped().unwrap().get(lang)?.grammar.tails);
    let best =
        found(query, lang).into_iter().filter(|mention| mention.what == *what).min_by_key(|m| m.cost)?;
    assert!(best.cost <= most, "{query}: {best:?}");
    Some((query[tokens[best.from].start..tokens[best.to - 1].end].to_owned(), best.relation))
}

fn place(path: &str) -> What {
    What::Place(path.to_owned())
}

fn name(pattern: &str) -> What {
    What::Name(pattern.to_owned())
}

fn text(text: &str) -> What {
    What::Text(text.to_owned())
}

fn check(rows: &[(&str, &str, What, &str, Option<Relation>)]) {
    for (lang, query, what, span, relation) in rows {
        let found = reads(lang, query, what, 4);
        assert_eq!(found, Some(((*span).to_owned(), *relation)), "{query}: {what:?}");
    }
}

#[test]
fn a_folder_is_found_by_what_points_to_it() {
    use Relation::{From, In, Of, To};
    check(&[
        ("en", "files in downloads", place("~/Downloads"), "downloads", Some(In)),
        ("en", "files in donwloads", place("~/Downloads"), "donwloads", Some(In)),
        ("en", "show my pics folder", place("~/Pictures"), "pics folder", None),
        ("it", "sposta da Imagini in Archivio", place("~/Pictures"), "Imagini", Some(From)),
        ("it", "la cartella delle foto", place("~/Pictures"), "cartella delle foto", None),
        ("en", "photos in Old Photos", place("~/Old Photos"), "Old Photos", Some(In)),
        ("it", "sposta tutto in Lavori Bagno", place("~/Lavori Bagno"), "Lavori Bagno", Some(In)),
        (
            "it",
            "i file della cartella Lavori finiti",
            place("~/Lavori finiti"),
            "cartella Lavori finiti",
            Some(Of),
        ),
        ("en", "from Inbox to Archive", place("~/Archive"), "Archive", Some(To)),
        ("en", "from Inbox to Archive", place("~/Inbox"), "Inbox", Some(From)),
        ("en", "files in the work folder", place("~/work"), "work folder", Some(In)),
        ("en", "the Medical folder", place("~/Medical"), "Medical folder", None),
        ("it", "cosa c'è nella cartella Cucina", place("~/Cucina"), "cartella Cucina", Some(In)),
        ("it", "apri Documenti/Fatture", place("~/Documents/Fatture"), "Documenti/Fatture", None),
        ("es", "pasa las fotos de descagras a Viaje", place("~/Downloads"), "descagras", Some(From)),
        ("es", "pasa las fotos de descargas a Viaje", place("~/Viaje"), "Viaje", Some(To)),
        ("es", "qué hay en la carpeta Cocina", place("~/Cocina"), "carpeta Cocina", Some(In)),
        ("es", "abre Documentos/Facturas", place("~/Documents/Facturas"), "Documentos/Facturas", None),
        ("en", "ls dir=/mnt/media", place("/mnt/media"), "dir=/mnt/media", None),
        ("en", "put it in \"Tax 2024\"", place("~/Tax 2024"), "\"Tax 2024\"", Some(In)),
        (
            "en",
            "the Invoices folder in Documents",
            place("~/Documents/Invoices"),
            "Invoices folder in Documents",
            None,
        ),
        (
            "it",
            "la cartella X2 dentro Documenti",
            place("~/Documents/X2"),
            "cartella X2 dentro Documenti",
            None,
        ),
        ("en", "all pdfs on this machine", place("~"), "machine", Some(In)),
    ]);
}

#[test]
fn a_word_that_only_binds_is_no_folder() {
    for query in ["put it in the", "what is in it", "files from last week"] {
        let places = found(query, "en").into_iter().filter(|mention| matches!(mention.what, What::Place(_)));
        assert_eq!(places.filter(|mention| mention.cost < 3).count(), 0, "{query}");
    }
}

#[test]
fn a_file_is_found_with_its_folder() {
    use Relation::In;
    let path = |path: &str| What::Path(path.to_owned());
    check(&[
        ("en", "open cv.pdf in Documents", path("~/Documents/cv.pdf"), "cv.pdf in Documents", None),
        (
            "en",
            "the file notes.txt inside Work",
            path("~/Work/notes.txt"),
            "file notes.txt inside Work",
            None,
        ),
        (
            "it",
            "schede.zip negli Scaricati",
            path("~/Downloads/schede.zip"),
            "schede.zip negli Scaricati",
            None,
        ),
        ("it", "leggi dati.csv, quello in Lavoro", path("~/Lavoro/dati.csv"), "dati.csv", None),
        ("es", "borra virus.exe de descargas", path("~/Downloads/virus.exe"), "virus.exe de descargas", None),
        ("en", "in ~/a/b.txt", path("~/a/b.txt"), "~/a/b.txt", Some(In)),
    ]);
}

#[test]
fn a_name_is_read_as_a_pattern() {
    use Relation::{In, To};
    check(&[
        ("en", "the 2025.pdf", name("2025.pdf"), "2025.pdf", None),
        (
            "en",
            "the lease agreement 2025.pdf",
            name("lease agreement 2025.pdf"),
            "lease agreement 2025.pdf",
            None,
        ),
        ("en", "a file called invoice", name("*invoice*"), "called invoice", None),
        ("it", "un file che si chiama bolletta", name("*bolletta*"), "che si chiama bolletta", None),
        ("en", "files starting with INV-", name("INV-*"), "starting with INV-", None),
        ("it", "trova: iniziano per lab_", name("lab_*"), "iniziano per lab_", None),
        ("es", "un archivo que se llama recibo", name("*recibo*"), "que se llama recibo", None),
        ("es", "busca: empiezan por lab_", name("lab_*"), "empiezan por lab_", None),
        ("en", "files that end with _x", name("*_x"), "end with _x", None),
        ("en", "with tax in the name", name("*tax*"), "with tax in the name", None),
        (
            "it",
            "con la parola \"classe\" nel nome",
            name("*classe*"),
            "con la parola \"classe\" nel nome",
            None,
        ),
        ("en", "ext=mkv in Movies", name("*.mkv"), "ext=mkv", None),
        ("en", "all .md files", name("*.md"), ".md", None),
        ("en", "jpgs in Party", name("*.jpg"), "jpgs", None),
        ("en", "build-*.log in Work", name("build-*.log"), "build-*.log", None),
        ("en", "rename it to y.jpg", name("y.jpg"), "y.jpg", Some(To)),
        ("en", "convert it in webp", name("*.webp"), "webp", Some(In)),
        ("en", "where is my zorbas", name("*zorbas*"), "zorbas", None),
    ]);
}

#[test]
fn a_text_ends_where_something_else_begins() {
    check(&[
        ("en", "files containing net 30 in Contracts", text("net 30"), "containing net 30", None),
        ("en", "the word allergy i need it", text("allergy"), "word allergy", None),
        ("it", "la parola garanzia, in quali file", text("garanzia"), "parola garanzia", None),
        (
            "en",
            "search the web for paper planes",
            text("paper planes"),
            "search the web for paper planes",
            None,
        ),
        (
            "it",
            "cerca cerniere a scomparsa su ferramenta.example",
            text("cerniere a scomparsa"),
            "cerca cerniere a scomparsa",
            None,
        ),
        ("en", "tell Sam that dinner is ready", text("dinner is ready"), "that dinner is ready", None),
        ("it", "oggetto \"sollecito\"", text("sollecito"), "oggetto \"sollecito\"", None),
        ("es", "sale la palabra garantía", text("garantía"), "palabra garantía", None),
        ("en", "with trip in the subject", text("trip"), "with trip in the subject", None),
    ]);
}

#[test]
fn people_are_found_by_what_points_to_them() {
    use Relation::{From, To};
    let person = |name: &str| What::Person(name.to_owned());
    check(&[
        ("en", "mail from Anna Rossi", person("Anna Rossi"), "Anna Rossi", Some(From)),
        ("it", "manda il file a chiara", person("chiara"), "chiara", Some(To)),
        ("it", "il telefono di Ivo Zanin", person("Ivo Zanin"), "telefono di Ivo Zanin", None),
        ("es", "manda el archivo a clara", person("clara"), "clara", Some(To)),
        ("es", "el teléfono de Iván Peña", person("Iván Peña"), "teléfono de Iván Peña", None),
        ("en", "remove the contact Ferdi Strings", person("Ferdi Strings"), "contact Ferdi Strings", None),
        ("en", "save Petra's mails", person("Petra"), "Petra", None),
    ]);
}

#[test]
fn columns_are_read_where_a_table_is_spoken_of() {
    use Relation::By;
    let column = |name: &str| What::Column(name.to_owned());
    check(&[
        ("en", "sum the column amount in x.csv", column("amount"), "column amount", None),
        ("en", "the hours column of x.csv", column("hours"), "hours column", None),
        ("en", "x.csv by category", column("category"), "category", Some(By)),
        ("en", "x.csv where status is open", column("status"), "status", None),
        ("it", "somma la colonna tb di x.csv", column("tb"), "colonna tb", None),
        ("it", "x.csv dove os = debian", column("os"), "os", None),
        ("es", "suma la columna tb de x.csv", column("tb"), "columna tb", None),
    ]);
    assert!(reads("en", "x.csv where status is open", &text("open"), 0).is_some());
    let none = found("sort the files by category", "en");
    assert!(!none.iter().any(|mention| matches!(mention.what, What::Column(_))));
}

#[test]
fn long_requests_are_read_in_one_go() {
    let start = std::time::Instant::now();
    for piece in [
        "the ",
        "Big Folder in ",
        "a.pdf to ",
        "the word ",
        "saying ",
        "in X, folder ",
        "x=y=",
        "the column ",
    ] {
        let query = piece.repeat(6000);
        let mentions = found(&query, "en").len();
        assert!(mentions < 6000 * 40, "{piece}: {mentions}");
    }
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

#[test]
fn long_lists_and_codes_are_read_in_one_go() {
    let start = std::time::Instant::now();
    for piece in [
        "folders in Work: a, b and ",
        "mkdir a b in ~/x ",
        "is vlc installed, ",
        "12 34 56 ",
        "dr Moss via Rome 3, ",
        "run x where y is z ",
        "~/a/{b,c} of d.pdf ",
    ] {
        let mentions = found(&piece.repeat(2000), "en").len();
        assert!(mentions < 2000 * 40, "{piece}: {mentions}");
    }
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}
