//! See `rows`.

use crate::rows::{Row, found, share};
use metnos_language::{Mention, What};
use serde_json::Value;

/// What is found in a request as the likeliest, with the words it stands on.
fn said(query: &str, lang: &str, wanted: impl Fn(&What) -> bool) -> Vec<(What, usize, usize)> {
    let all = found(query, lang);
    let kept: Vec<Mention> = all.into_iter().filter(|m| wanted(&m.what)).collect();
    let best = kept.iter().map(|m| m.cost).min();
    kept.into_iter().filter(|m| Some(m.cost) == best).map(|m| (m.what, m.from, m.to)).collect()
}

fn argument<'r>(row: &'r Row, name: &str) -> Option<&'r Value> {
    row.args.iter().find_map(|args| args.get(name))
}

fn has(all: &[Mention], wanted: impl Fn(&What) -> bool) -> bool {
    all.iter().any(|m| wanted(&m.what))
}

#[test]
fn sizes_of_the_rows() {
    let share = share(
        |row| {
            let size = |name| argument(row, name).and_then(Value::as_u64);
            // An empty file is a quality.
            Some((size("size_min"), size("size_max"))).filter(|s| *s != (None, None) && s.1 != Some(0))
        },
        |(min, max), all| {
            has(
                all,
                |what| matches!(what, What::Size(a, b) if (min.is_none() || a == min) && (max.is_none() || b == max)),
            )
        },
    );
    assert!(share >= 0.97, "{share}");
}

#[test]
fn counts_of_the_rows() {
    let share = share(
        |row| {
            let names = ["limit", "max_results", "top", "width", "context"];
            let count = names.iter().find_map(|name| argument(row, name)).and_then(Value::as_f64);
            count.filter(|n| *n != 1.0)
        },
        |n, all| has(all, |what| *what == What::Number(*n)),
    );
    assert!(share >= 0.96, "{share}");
}

#[test]
fn lengths_of_the_rows() {
    let share = share(
        |row| argument(row, "time_window").and_then(|_| argument(row, "size")).and_then(Value::as_i64),
        |n, all| has(all, |what| *what == What::Length(*n)),
    );
    assert!(share >= 0.95, "{share}");
}

#[test]
fn expressions_of_the_rows() {
    let plain = |text: &str| text.replace(' ', "").to_lowercase();
    let share = share(
        |row| argument(row, "expression").and_then(Value::as_str).map(plain),
        |wanted, all| has(all, |what| matches!(what, What::Expression(text) if plain(text) == *wanted)),
    );
    assert!(share >= 0.93, "{share}");
}

#[test]
fn numbers_in_digits_and_words() {
    for (lang, words, value) in [
        ("en", "twenty-five files", 25.0),
        ("en", "twenty five files", 25.0),
        ("en", "two hundred files", 200.0),
        ("en", "two hundred and fifty files", 250.0),
        ("en", "a dozen files", 12.0),
        ("en", "half a dozen files", 6.0),
        ("en", "three thousand four hundred files", 3400.0),
        ("en", "1.5k files", 1500.0),
        ("en", "1,500 files", 1500.0),
        ("it", "venticinque file", 25.0),
        ("it", "trentasei file", 36.0),
        ("it", "ventotto file", 28.0),
        ("it", "duemila file", 2000.0),
        ("it", "duecentocinquanta file", 250.0),
        ("it", "centottanta file", 180.0),
        ("it", "milleduecento file", 1200.0),
        ("it", "2.500 file", 2500.0),
        ("it", "una dozzina di file", 12.0),
        ("it", "5 mila file", 5000.0),
        ("es", "treinta y cinco fotos", 35.0),
        ("es", "doscientas cincuenta canciones", 250.0),
        ("es", "mil quinientos archivos", 1500.0),
        ("es", "2.500 archivos", 2500.0),
        ("es", "una docena de archivos", 12.0),
    ] {
        let found = said(words, lang, |what| matches!(what, What::Number(_)));
        assert_eq!(found.len(), 1, "{words}: {found:?}");
        assert_eq!((&found[0].0, found[0].1), (&What::Number(value), 0), "{words}");
    }
    for (lang, words) in [("en", "show me a file"), ("it", "cercami una foto"), ("en", "h264 and s3 clips")] {
        let found: Vec<_> = found(words, lang)
            .into_iter()
            .filter(|m| matches!(m.what, What::Number(_)) && m.cost < 3)
            .collect();
        assert!(found.is_empty(), "{words}: {found:?}");
    }
}

#[test]
fn counts_with_the_word_that_says_so() {
    for (lang, words, n, from, to) in [
        ("en", "the top 10 files", 10.0, 1, 3),
        ("en", "the 5 biggest files", 5.0, 1, 2),
        ("en", "first three rows", 3.0, 0, 2),
        ("en", "no more than 15 pictures", 15.0, 0, 4),
        ("en", "top-10 files", 10.0, 0, 1),
        ("en", "the 5 in Documents", 5.0, 1, 2),
        ("en", "one hundred and one files", 101.0, 0, 4),
        ("en", "at most 25 files", 25.0, 0, 3),
        ("en", "max 25 files", 25.0, 0, 2),
        ("it", "i primi tre file", 3.0, 0, 3),
        ("it", "massimo 15 jpg", 15.0, 0, 2),
        ("it", "non più di 15 foto", 15.0, 0, 4),
        ("it", "gli ultimi 5 file", 5.0, 2, 3),
        ("es", "como máximo 15 jpg", 15.0, 0, 3),
        ("es", "los primeros tres archivos", 3.0, 0, 3),
    ] {
        let found = said(words, lang, |what| matches!(what, What::Number(_)));
        assert_eq!(found, [(What::Number(n), from, to)], "{words}");
    }
    let found = said("show twenty songs at most", "en", |what| matches!(what, What::Number(_)));
    assert_eq!(found, [(What::Number(20.0), 1, 2), (What::Number(20.0), 3, 5)]);
}

#[test]
fn numbers_that_are_compared() {
    for (lang, words, low, high) in [
        ("en", "rows with amount over 100", Some(100.0), None),
        ("en", "quantity <= 5", None, Some(5.0)),
        ("it", "quantita al massimo 5", None, Some(5.0)),
        ("it", "prezzo superiore a 20", Some(20.0), None),
        ("it", "spese sopra i 200 euro", Some(200.0), None),
        ("en", "costs more than €50", Some(50.0), None),
        ("it", "voto tra 6 e 8", Some(6.0), Some(8.0)),
        ("en", "no fewer than 3 pages", Some(3.0), None),
    ] {
        let found = said(words, lang, |what| matches!(what, What::Range(..)));
        assert_eq!(found.iter().map(|f| &f.0).collect::<Vec<_>>(), [&What::Range(low, high)], "{words}");
    }
}

#[test]
fn ordinals() {
    for (lang, words, n) in [
        ("en", "open the second one", 2),
        ("en", "the 2nd one", 2),
        ("en", "read me the frist one", 1),
        ("en", "send nr 1 to Ann", 1),
        ("en", "open number three", 3),
        ("en", "delete #4", 4),
        ("en", "open the 2", 2),
        ("en", "the twenty-first", 21),
        ("en", "the 21st", 21),
        ("en", "delete the last one", -1),
        ("it", "la terza mandala a Renzo", 3),
        ("it", "apri il 3°", 3),
        ("it", "il 3 cancellalo", 3),
        ("it", "leggimi il numero due", 2),
        ("it", "storico del primo", 1),
        ("it", "l'ultima", -1),
        ("it", "il n. 4", 4),
        ("es", "la tercera mándasela a Renzo", 3),
        ("es", "léeme el número dos", 2),
        ("es", "la última", -1),
    ] {
        let found = said(words, lang, |what| matches!(what, What::Ordinal(_)));
        assert_eq!(found.iter().map(|f| &f.0).collect::<Vec<_>>(), [&What::Ordinal(n)], "{words}");
    }
    for (lang, words) in [
        ("en", "files from last week"),
        ("en", "the last 5 files"),
        ("it", "i primi 10 file"),
        ("en", "wait 30 seconds"),
    ] {
        let found: Vec<_> = found(words, lang)
            .into_iter()
            .filter(|m| matches!(m.what, What::Ordinal(_)) && m.cost < 2)
            .collect();
        assert!(found.is_empty(), "{words}: {found:?}");
    }
}

#[test]
fn sizes() {
    let (k, m, g) = (1000, 1_000_000, 1_000_000_000);
    for (lang, words, low, high, from, to) in [
        ("en", "files bigger than 10 MB", Some(10 * m), None, 1, 5),
        ("en", "videos over 2gb", Some(2 * g), None, 1, 4),
        ("en", "isos >4G", Some(4 * g), None, 1, 4),
        ("en", "size>=8G", Some(8 * g), None, 0, 5),
        ("en", "photos of at least 3 megs", Some(3 * m), None, 2, 6),
        ("en", "files under 1.5 mb", None, Some(1_500_000), 1, 4),
        ("en", "files no more than 5 MB", None, Some(5 * m), 1, 6),
        ("en", "files not larger than half a gig", None, Some(g / 2), 1, 7),
        ("en", "between 5 and 10 MB", Some(5 * m), Some(10 * m), 0, 5),
        ("en", "bewteen 500 kb and 2 MB", Some(500 * k), Some(2 * m), 0, 6),
        ("en", "pictures 5-10 MB", Some(5 * m), Some(10 * m), 1, 3),
        ("en", "from 5 to 10 megabytes", Some(5 * m), Some(10 * m), 0, 5),
        ("en", "files of 10 MB or more", Some(10 * m), None, 2, 6),
        ("en", "files 10 MB+", Some(10 * m), None, 1, 4),
        ("en", "files 10 MB max", None, Some(10 * m), 1, 4),
        ("en", "files bigger of 700 MB", Some(700 * m), None, 1, 5),
        ("en", "files that weigh more than a gig", Some(g), None, 2, 7),
        ("en", "files more heavy than 5 MB", Some(5 * m), None, 1, 6),
        ("en", "files greater than or equal to 5 MB", Some(5 * m), None, 1, 8),
        ("en", "files of exactly 0 bytes", Some(0), Some(0), 2, 5),
        ("en", "anything over 10 GiB", Some(10_737_418_240), None, 1, 4),
        ("en", "files that don't exceed 2 GB", None, Some(2 * g), 2, 7),
        ("en", "without exceeding 5 MB", None, Some(5 * m), 0, 4),
        ("en", "photos with a size of at least 2 MB", Some(2 * m), None, 3, 9),
        ("en", "files ≥ 10MB", Some(10 * m), None, 1, 4),
        ("en", "find +100M", Some(100 * m), None, 1, 4),
        ("it", "senza superare i 5 mega", None, Some(5 * m), 0, 5),
        ("it", "foto più pesanti di 6 mega", Some(6 * m), None, 1, 6),
        ("it", "file sotto i 100 KB", None, Some(100 * k), 1, 5),
        ("it", "video oltre 2 giga", Some(2 * g), None, 1, 4),
        ("it", "video oltre il giga e mezzo", Some(3 * g / 2), None, 1, 6),
        ("it", "file che pesano più di un giga e mezzo", Some(3 * g / 2), None, 2, 9),
        ("it", "file che non superano i 5 mega", None, Some(5 * m), 2, 7),
        ("it", "file superiori ai dieci megabyte", Some(10 * m), None, 1, 5),
        ("it", "foto tra i 5 e i 10 mega", Some(5 * m), Some(10 * m), 1, 8),
        ("it", "foto da 5 a 10 mega", Some(5 * m), Some(10 * m), 1, 6),
        ("it", "file da 10 mega in su", Some(10 * m), None, 2, 6),
        ("it", "file di 10 MB o più", Some(10 * m), None, 2, 6),
        ("it", "file di duecento mega al massimo", None, Some(200 * m), 2, 6),
        ("es", "archivos de más de 8 megas", Some(8 * m), None, 2, 6),
        ("es", "vídeos que pasen de 2 GB", Some(2 * g), None, 2, 6),
        ("es", "fotos mayores de 1,5 gigas", Some(3 * g / 2), None, 1, 5),
        ("es", "fotos de entre 5 y 10 megas", Some(5 * m), Some(10 * m), 1, 7),
        ("es", "fotos de 5 a 10 megas", Some(5 * m), Some(10 * m), 1, 6),
        ("es", "las de 20 megas o más", Some(20 * m), None, 2, 6),
        ("it", "file non più grandi di 2,5 MB", None, Some(2_500_000), 1, 7),
    ] {
        let found = said(words, lang, |what| matches!(what, What::Size(..)));
        assert_eq!(found, [(What::Size(low, high), from, to)], "{words}");
    }
}

#[test]
fn a_size_alone_may_be_a_minimum() {
    for (lang, words) in [("en", "the 700 MB files"), ("it", "i file da 700 mega")] {
        let all = found(words, lang);
        let size = all.iter().find(|m| matches!(m.what, What::Size(..))).unwrap();
        assert_eq!(size.what, What::Size(Some(700_000_000), Some(700_000_000)), "{words}");
        assert!(size.cost > 0);
    }
    let about = said("files of about 5 MB", "en", |what| matches!(what, What::Size(..)));
    assert_eq!(about, [(What::Size(None, None), 2, 5)]);
    let corrected = found("bigger than 500 mb no wait 800 mb", "en");
    assert!(has(&corrected, |what| *what == What::Size(Some(800_000_000), None)), "{corrected:?}");
}

#[test]
fn lengths_of_time() {
    for (lang, words, minutes, from, to) in [
        ("en", "book it for 30 minutes", 30, 3, 5),
        ("en", "half an hour", 30, 0, 3),
        ("en", "a half-hour slot", 30, 1, 2),
        ("en", "an hour and a half", 90, 0, 5),
        ("en", "two and a half hours", 150, 0, 5),
        ("en", "three quarters of an hour", 45, 0, 5),
        ("en", "1h30", 90, 0, 1),
        ("en", "1h 30m meeting", 60, 0, 2),
        ("en", "1 hour 30 minutes", 90, 0, 4),
        ("en", "1 hour and 15 mins", 75, 0, 5),
        ("en", "2-hour gaps", 120, 0, 1),
        ("en", "1.5 hours", 90, 0, 2),
        ("en", "at least 45 min free", 45, 0, 4),
        ("en", "a free hour", 60, 2, 3),
        ("it", "un'ora e mezza", 90, 0, 4),
        ("it", "mezz'ora", 30, 0, 2),
        ("it", "una mezzora", 30, 1, 2),
        ("it", "un quarto d'ora", 15, 0, 4),
        ("it", "tre quarti d'ora", 45, 0, 4),
        ("it", "due ore e 20 minuti", 140, 0, 5),
        ("it", "un'oretta", 60, 0, 2),
        ("it", "almeno due ore", 120, 0, 3),
        ("it", "un buco da 45 min", 45, 3, 5),
    ] {
        let found = said(words, lang, |what| matches!(what, What::Length(_)));
        assert_eq!(found, [(What::Length(minutes), from, to)], "{words}");
    }
}

#[test]
fn expressions() {
    for (lang, words, wanted, from, to) in [
        ("en", "what's 12 times 450?", "12*450", 2, 5),
        ("en", "12*450", "12*450", 0, 3),
        ("en", "(3 + 4) * 2", "(3+4)*2", 0, 7),
        ("en", "2^10", "2^10", 0, 3),
        ("en", "15 - 4 + 2", "15-4+2", 0, 5),
        ("en", "12-5", "12-5", 0, 1),
        ("en", "144 / 12", "144/12", 0, 3),
        ("en", "144/12", "144/12", 0, 1),
        ("en", "7 squared plus 1", "7^2+1", 0, 4),
        ("en", "2 to the power of 8", "2^8", 0, 6),
        ("en", "the square root of 144", "sqrt(144)", 1, 5),
        ("en", "sqrt(16) + 3", "sqrt(16)+3", 0, 6),
        ("en", "18% of 240", "240*18/100", 0, 4),
        ("en", "18% tip on 240", "240*18/100", 0, 5),
        ("en", "22 percent of $1,350", "1350*22/100", 0, 4),
        ("en", "15% of 200 plus 30", "200*15/100+30", 0, 6),
        ("en", "240 less 20%", "240-20%", 0, 4),
        ("en", "what percent of 200 is 50", "50/200*100", 1, 6),
        ("en", "50 is what percent of 200", "50/200*100", 0, 6),
        ("it", "50 su 200 in percentuale", "50/200*100", 0, 5),
        ("en", "20% off 80", "80-20%", 0, 4),
        ("en", "split 86.40 three ways", "86.4/3", 0, 3),
        ("en", "340€ / 4", "340/4", 0, 3),
        ("en", "divide 340 by 4", "340/4", 0, 4),
        ("en", "take 5 from 12", "12-5", 0, 4),
        ("en", "add 22% to 1350", "1350+22%", 0, 5),
        ("en", "the sum of 3, 4 and 5", "3+4+5", 1, 8),
        ("en", "half of 250", "250/2", 0, 3),
        ("en", "twenty-five times four", "25*4", 0, 3),
        ("en", "three point five times 2", "3.5*2", 0, 5),
        ("en", "2 h + 30 min in min", "2h+30minto min", 0, 7),
        ("it", "il 22 per cento di 1350", "1350*22/100", 1, 6),
        ("it", "il 20% di sconto su 80", "80*20/100", 1, 7),
        ("it", "4 per 35 più 120", "4*35+120", 0, 5),
        ("it", "340 euro diviso 4 coinquilini", "340/4", 0, 4),
        ("it", "1.250,50 meno 200", "1250.5-200", 0, 3),
        ("it", "240 più il 22%", "240+22%", 0, 5),
        ("it", "radice quadrata di 81", "sqrt(81)", 0, 4),
        ("it", "5 al quadrato", "5^2", 0, 3),
        ("it", "2 alla terza", "2^3", 0, 3),
        ("it", "moltiplica 12 per 8", "12*8", 0, 4),
        ("it", "dividi 90 per 3", "90/3", 0, 4),
        ("it", "togli 5 da 12", "12-5", 0, 4),
        ("it", "la metà di 90", "90/2", 1, 4),
        ("es", "48 por 37,5 menos 120", "48*37.5-120", 0, 5),
        ("es", "340 euros entre 4", "340/4", 0, 4),
        ("es", "1.250,50 menos 200", "1250.5-200", 0, 3),
        ("es", "raíz cuadrada de 81", "sqrt(81)", 0, 4),
        ("es", "5 al cuadrado", "5^2", 0, 3),
        ("es", "multiplica 12 por 8", "12*8", 0, 4),
        ("es", "resta 5 de 12", "12-5", 0, 4),
    ] {
        let found = said(words, lang, |what| matches!(what, What::Expression(_)));
        let found: Vec<_> = found
            .into_iter()
            .map(|(what, from, to)| match what {
                What::Expression(text) => (text.replace(' ', ""), from, to),
                _ => unreachable!(),
            })
            .collect();
        assert_eq!(found, [(wanted.replace(' ', ""), from, to)], "{words}");
    }
}

#[test]
fn conversions() {
    for (lang, words, wanted, from, to) in [
        ("en", "26 mi to km", "26 mi to km", 0, 4),
        ("en", "12 in to cm", "12 in to cm", 0, 4),
        ("en", "12 inches in cm", "12 in to cm", 0, 4),
        ("en", "5 ft 11 inches in cm", "5 ft 11 in to cm", 0, 6),
        ("en", "-40 F to C", "-40 °F to °C", 0, 4),
        ("en", "37 degrees in fahrenheit", "37 °C to °F", 0, 4),
        ("en", "how many grams are 3 pounds", "3 lb to g", 0, 6),
        ("en", "how many km in a mile", "1 mi to km", 0, 6),
        ("en", "45 miles, how many kilometres", "45 mi to km", 0, 6),
        ("en", "100 km/h in mph", "100 km/h to mi/h", 0, 4),
        ("en", "100km/h in mph", "100 km/h to mi/h", 0, 3),
        ("en", "18tib to tb", "18 TiB to TB", 0, 4),
        ("en", "90 minutes in hours", "90 min to h", 0, 4),
        ("en", "2 tonnes in kg", "2 t to kg", 0, 4),
        ("it", "8 miglia in km", "8 mi to km", 0, 4),
        ("it", "quanti grammi sono 12 once", "12 oz to g", 0, 5),
        ("it", "2,5 chili in libbre", "2.5 kg to lb", 0, 4),
        ("it", "100 gradi fahrenheit in celsius", "100 °F to °C", 0, 5),
        ("it", "quante ore sono 200 minuti", "200 min to h", 0, 5),
        ("it", "100 chilometri all'ora in miglia orarie", "100 km/h to mi/h", 0, 7),
        ("it", "3 etti in grammi", "3 hg to g", 0, 4),
        ("it", "5 chili e mezzo in libbre", "5.5 kg to lb", 0, 6),
        ("es", "cuántos gramos son 12 onzas", "12 oz to g", 0, 5),
        ("es", "2,5 kilos a libras", "2.5 kg to lb", 0, 4),
        ("es", "12 pulgadas a centímetros", "12 in to cm", 0, 4),
    ] {
        let found = said(words, lang, |what| matches!(what, What::Expression(_)));
        assert_eq!(found, [(What::Expression(wanted.to_owned()), from, to)], "{words}");
    }
    for (lang, words) in [
        ("en", "free hour next week for 90 min"),
        ("en", "5 in Documents"),
        ("en", "files over 10 MB in Documents"),
        ("it", "ricordami tra 40 minuti di uscire la settimana prossima"),
    ] {
        let found = said(words, lang, |what| matches!(what, What::Expression(_)));
        assert!(found.is_empty(), "{words}: {found:?}");
    }
}

#[test]
fn both_ends_and_corrections() {
    let sizes = |words: &str, lang: &str| said(words, lang, |what| matches!(what, What::Size(..)));
    for (lang, words) in [
        ("en", "more than 5 and less than 10 MB"),
        ("it", "più di 5 e meno di 10 mega"),
        ("es", "más de 5 y menos de 10 megas"),
    ] {
        let both = [(What::Size(Some(5_000_000), None), 0, 3), (What::Size(None, Some(10_000_000)), 4, 8)];
        assert_eq!(sizes(words, lang), both, "{words}");
    }
    let all = found("18 percent of 240 no 245", "en");
    assert!(has(&all, |what| *what == What::Expression("245*18/100".to_owned())), "{all:?}");
    let ordinals = said("delete the second and third", "en", |what| matches!(what, What::Ordinal(_)));
    assert_eq!(ordinals, [(What::Ordinal(2), 2, 3), (What::Ordinal(3), 4, 5)]);
    let telephone = found("set his number to +32470112233", "en");
    assert!(!has(&telephone, |what| matches!(what, What::Range(..))), "{telephone:?}");
}
