//! What is done and to what: every language has words for every sense, and the words of requests have senses.

use crate::rows::{plans, total};
use metnos_language::{Form, LANGUAGES, Lattice, Lexicons, Lit, Operator, Sense, fold, tokens};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The senses of the open vocabulary, in every language. A new one is added here and in each `words.toml`.
const SENSES: [(&str, &str); 11] = [
    (
        "act",
        "find show list get read open check count sum compute sort group filter exclude compare depict move put copy rename prefix delete clean empty dedupe create make write save download upload append add change send forward reply message tell zip unzip extract convert resize summarise describe classify label mark star archive tidy index ocr transcribe undo stop kill pause resume schedule remind cancel postpone run search_web translate occupy receive want go stay install remember forget print_paper buy book pay call play switch_on switch_off cut publish design chart ask",
    ),
    (
        "thing",
        "file folder contents photo face camera metadata mail message attachment newsletter spam invoice inbox event calendar slot contact person phone address birthday task reminder schedule history process program package version command machine disk space memory cpu load temperature uptime battery network page website link web issue pull repo row column value table sheet line word character sentence text code_line duplicate copy list note credential difference summary trash time today label place proposal photo_index log question result script_permission device weather music news type",
    ),
    ("kind", "image video audio document spreadsheet presentation archive code text pdf"),
    (
        "quality",
        "empty hidden unread read starred important recursive whole duplicate similar different large small new old recent untouched modified created downloaded opened taken received sent attached free busy installed running stuck reachable unreachable forbidden allowed stored scheduled paused open closed pending accepted rejected full useless missing common broken long short wide high low overdue expensive hot",
    ),
    (
        "field",
        "size mtime name ext kind path folder date sender recipient subject body count label phone email birthday status language width height duration camera permissions hash amount url iban user memory cpu start end location attendees value context",
    ),
    ("order", "size_desc size_asc mtime_desc mtime_asc name_asc name_desc desc asc most fewest random"),
    ("stat", "count how_much sum size avg min max median count_distinct stats share"),
    ("group", "kind ext month year week day sender dir domain language each"),
    (
        "format",
        "csv json xlsx markdown html table chart list text pdf docx pptx jpg png webp gif heic tiff bmp svg psd mp3 wav flac m4a mp4 mkv mov avi zip tar.gz 7z iso exe xml yaml sql log epub",
    ),
    ("channel", "mail telegram sms whatsapp"),
    ("talk", "greet thanks bye help who praise yes no"),
];

type Sections = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// The sections of a language as they are written.
fn sections(files: &[&str]) -> Sections {
    let mut all = Sections::new();
    for file in files {
        let file: toml::Table = file.parse().unwrap();
        let Some(words) = file.get("words") else { continue };
        let words: Sections = words.clone().try_into().unwrap();
        for (section, senses) in words {
            all.entry(section).or_default().extend(senses);
        }
    }
    all
}

#[test]
fn every_language_has_words_for_every_sense() {
    let zones: Vec<BTreeSet<String>> = LANGUAGES
        .iter()
        .map(|(_, files)| sections(files).remove("zone").unwrap().into_keys().collect())
        .collect();
    for (at, (language, files)) in LANGUAGES.iter().enumerate() {
        let sections = sections(files);
        for (section, ids) in SENSES {
            let said: BTreeSet<&str> = sections[section].keys().map(String::as_str).collect();
            let wanted: BTreeSet<&str> = ids.split(' ').collect();
            assert_eq!(said, wanted, "{language} [{section}]");
            assert!(sections[section].values().all(|words| !words.is_empty()), "{language} [{section}]");
        }
        assert_eq!(zones[at], zones[0], "{language} [zone]");
    }
}

#[test]
fn no_two_senses_of_a_section_have_the_same_words() {
    for (language, files) in LANGUAGES {
        let sections = sections(files);
        for (section, _) in SENSES {
            let senses: Vec<_> = sections[section].iter().collect();
            for (at, (id, words)) in senses.iter().enumerate() {
                for (other, others) in &senses[at + 1..] {
                    let both = words.iter().filter(|word| others.contains(word)).count();
                    let fewest = words.len().min(others.len());
                    assert!(both * 2 <= fewest, "{language} [{section}] {id} and {other} share {both} words");
                }
            }
        }
    }
}

#[test]
fn phrases_are_short() {
    for (language, files) in LANGUAGES {
        let sections = sections(files);
        for (section, _) in SENSES {
            let words = sections[section].values().flatten();
            let long: Vec<_> = words.filter(|phrase| phrase.split_whitespace().count() > 3).collect();
            assert!(long.len() <= 3, "{language} [{section}]: {long:?}");
        }
    }
}

/// The meanings of a single word.
fn senses(language: &str, word: &str) -> Vec<(Sense, Form)> {
    let lexicons = Lexicons::shipped().unwrap();
    let lattice = Lattice::new(word, lexicons.get(language).unwrap());
    lattice.at(0).iter().map(|edge| (edge.sense, edge.form)).collect()
}

fn act(name: &str) -> Sense {
    Sense::parse("act", name).unwrap()
}

#[test]
fn a_form_tells_whether_something_is_ordered() {
    for (language, word, name, form) in [
        ("en", "delete", "delete", Form::Order),
        ("en", "zipping", "zip", Form::Order),
        ("en", "zipped", "zip", Form::Done),
        ("en", "sent", "send", Form::Done),
        ("en", "copies", "copy", Form::Plain),
        ("it", "cancella", "delete", Form::Order),
        ("it", "cancellare", "delete", Form::Order),
        ("it", "cancelli", "delete", Form::Order),
        ("it", "cancellerebbe", "delete", Form::Order),
        ("it", "cancellato", "delete", Form::Done),
        ("it", "tolga", "delete", Form::Order),
        ("it", "tolti", "delete", Form::Done),
        ("it", "cerchi", "find", Form::Order),
        ("it", "copiano", "copy", Form::Plain),
        ("it", "messe", "put", Form::Done),
        ("es", "borra", "delete", Form::Order),
        ("es", "borre", "delete", Form::Order),
        ("es", "borrá", "delete", Form::Order),
        ("es", "borrar", "delete", Form::Order),
        ("es", "borrarías", "delete", Form::Order),
        ("es", "borrados", "delete", Form::Done),
        ("es", "mueva", "move", Form::Order),
        ("es", "mové", "move", Form::Order),
        ("es", "busque", "find", Form::Order),
        ("es", "buscan", "find", Form::Plain),
        ("es", "puestas", "put", Form::Done),
        ("es", "organice", "tidy", Form::Order),
    ] {
        assert!(senses(language, word).contains(&(act(name), form)), "{language} {word}");
    }
}

#[test]
fn a_verb_keeps_its_sense_with_a_pronoun_or_a_particle() {
    for (language, words, name) in [
        ("en", "get rid of", "delete"),
        ("en", "back up", "copy"),
        ("en", "looking up", "find"),
        ("en", "don't", "not"),
        ("it", "cancellali", "delete"),
        ("it", "mandamelo", "send"),
        ("it", "spostarle", "move"),
        ("it", "fammeli", "make"),
        ("it", "copiarvi", "copy"),
        ("it", "butta via", "delete"),
        ("it", "tira fuori", "extract"),
        ("es", "bórralos", "delete"),
        ("es", "borralos", "delete"),
        ("es", "muévelas", "move"),
        ("es", "movelas", "move"),
        ("es", "envíamelo", "send"),
        ("es", "mándaselos", "send"),
        ("es", "haceme", "make"),
        ("es", "comprimirlas", "zip"),
        ("es", "escribilo", "write"),
        ("es", "a la basura", "delete"),
    ] {
        let lexicons = Lexicons::shipped().unwrap();
        let lattice = Lattice::new(words, lexicons.get(language).unwrap());
        let whole = lattice.tokens.len();
        let wanted = [act(name), Sense::parse("operator", name).unwrap_or(act(name))];
        let is_there = lattice.at(0).iter().any(|edge| edge.end == whole && wanted.contains(&edge.sense));
        assert!(is_there, "{language} {words}: {:?}", lattice.at(0));
    }
}

/// Every sense of a request, with the tokens it stands on.
fn edges(lattice: &Lattice) -> impl Iterator<Item = (usize, usize, Sense)> {
    (0..lattice.tokens.len()).flat_map(|at| lattice.at(at).iter().map(move |edge| (at, edge.end, edge.sense)))
}

fn is_literal(lit: &Lit) -> bool {
    !matches!(lit, Lit::Word | Lit::Symbol(_) | Lit::Number(_))
}

/// The share of the plans for which `holds`, prints the others.
fn share(holds: impl Fn(&Lattice) -> bool) -> f64 {
    let lexicons = Lexicons::shipped().unwrap();
    let mut counts: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for row in plans() {
        let lattice = Lattice::new(&row.query, lexicons.get(&row.lang).unwrap());
        let (all, right) = counts.entry(row.lang).or_default();
        *all += 1.0;
        if holds(&lattice) {
            *right += 1.0;
        } else {
            println!("{} {:?}", row.id, row.query);
        }
    }
    total(&counts)
}

#[test]
fn requests_say_what_is_asked() {
    let share = share(|lattice| {
        edges(lattice).any(|(_, _, sense)| {
            matches!(sense, Sense::Act(_) | Sense::Stat(_) | Sense::Order(_) | Sense::Talk(_))
                || sense == Sense::Operator(Operator::Ask)
        })
    });
    // The others are a noun or go on from the last request: "isos over 4gb", "and in Homework/Latin".
    assert!(share >= 0.93, "{share}");
}

#[test]
fn requests_say_of_what() {
    let share = share(|lattice| {
        (0..lattice.tokens.len())
            .any(|at| is_literal(&lattice.tokens[at].lit) || lattice.attached(at).is_some())
            || edges(lattice).any(|(_, _, sense)| {
                matches!(sense, Sense::Thing(_) | Sense::Kind(_) | Sense::Place(_) | Sense::Pronoun(_))
            })
    });
    assert!(share >= 0.9, "{share}");
}

/// The words of every text in a plan.
fn values(value: &Value, all: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let text = text.replace(['/', '*', '_', '~'], " ");
            all.extend(tokens(&text, &[]).iter().map(|token| fold(&token.norm)));
        }
        Value::Array(items) => items.iter().for_each(|item| values(item, all)),
        Value::Object(fields) => fields.values().for_each(|item| values(item, all)),
        _ => {}
    }
}

#[test]
fn words_have_senses() {
    let lexicons = Lexicons::shipped().unwrap();
    let mut counts: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    let mut unknown: BTreeMap<(String, String), usize> = BTreeMap::new();
    for row in plans() {
        let lattice = Lattice::new(&row.query, lexicons.get(&row.lang).unwrap());
        let mut covered = vec![false; lattice.tokens.len()];
        for (from, to, _) in edges(&lattice) {
            covered[from..to].fill(true);
        }
        let mut said = BTreeSet::new();
        row.args.iter().for_each(|args| values(args, &mut said));
        for (at, token) in lattice.tokens.iter().enumerate() {
            let word = fold(&token.norm);
            // Names and what a plan holds as text are for other readers.
            if token.lit != Lit::Word || lattice.is_name(at) || said.contains(&word) {
                continue;
            }
            let (all, right) = counts.entry(row.lang.clone()).or_default();
            *all += 1.0;
            if covered[at] {
                *right += 1.0;
            } else {
                *unknown.entry((row.lang.clone(), word)).or_default() += 1;
            }
        }
    }
    let mut unknown: Vec<_> = unknown.into_iter().collect();
    unknown.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    for ((language, word), times) in unknown {
        println!("{language} {word} {times}");
    }
    let share = total(&counts);
    assert!(share >= 0.9, "{share}");
}
