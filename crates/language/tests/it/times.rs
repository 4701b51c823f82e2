//! See `rows`.

use super::rows::{Row, found, share};
use metnos_language::{Mention, What};
use serde_json::Value;

const AFTER: &[&str] = &["modified_after", "since", "taken_after"];
const BEFORE: &[&str] = &["modified_before", "before", "taken_before"];

/// A date, or a date-time without its zone, as the rows write them.
fn civil(text: &str) -> jiff::civil::DateTime {
    let text = text.strip_suffix("+01:00").unwrap_or(text);
    let text = if text.len() == 10 { format!("{text}T00:00:00") } else { text.to_owned() };
    text.parse().unwrap()
}

fn text<'r>(row: &'r Row, names: &[&str]) -> Option<&'r str> {
    row.args.iter().find_map(|step| names.iter().find_map(|name| step.get(*name).and_then(Value::as_str)))
}

type Ends = (Option<jiff::civil::DateTime>, Option<jiff::civil::DateTime>);

/// Whether a window is there whose ends are those that are listed.
fn has_window(ends: &Ends, mentions: &[Mention]) -> bool {
    mentions.iter().any(|mention| match mention.what {
        What::Window(from, to) => {
            let agrees = |wanted: Option<_>, said| wanted.is_none() || wanted == said;
            agrees(ends.0, from) && agrees(ends.1, to)
        }
        _ => false,
    })
}

#[test]
fn windows_of_files_and_mail() {
    let wanted = |row: &Row| {
        let ends = (text(row, AFTER).map(civil), text(row, BEFORE).map(civil));
        (ends.0.is_some() || ends.1.is_some()).then_some(ends)
    };
    let share = share(wanted, has_window);
    assert!(share >= 0.96, "{share}");
}

#[test]
fn times_of_events() {
    let wanted = |row: &Row| {
        let window = text(row, &["time_window"]).and_then(|text| text.split_once('/'));
        let start = text(row, &["start"]).or(window.map(|(from, _)| from)).map(civil);
        let end = text(row, &["end"]).or(window.map(|(_, to)| to)).map(civil);
        let part = text(row, &["time_of_day"]).map(str::to_owned);
        (start.is_some() || end.is_some()).then_some(((start, end), part))
    };
    let share = share(wanted, |(ends, part), mentions| {
        let moment = |wanted: Option<_>| {
            wanted.is_none_or(|at| mentions.iter().any(|m| m.what == What::Moment(at, true)))
        };
        let part = part.as_ref().is_none_or(|part| {
            mentions.iter().any(|m| matches!(m.what, What::DayPart(said) if said.name() == part))
        });
        part && (has_window(ends, mentions) || moment(ends.0) && moment(ends.1))
    });
    assert!(share >= 0.93, "{share}");
}

#[test]
fn schedules_of_tasks() {
    let wanted = |row: &Row| text(row, &["schedule"]).map(|text| text.trim_end_matches("+01:00").to_owned());
    let share = share(wanted, |schedule, mentions| {
        mentions.iter().any(|mention| mention.what == What::Schedule(schedule.clone()))
    });
    assert!(share >= 0.95, "{share}");
}

/// The mentions of time, likeliest first: what is said on which words.
fn times(query: &str, lang: &str) -> Vec<(String, u8)> {
    let mut all: Vec<(String, u8)> = Vec::new();
    let end = |end: &Option<jiff::civil::DateTime>| match end {
        None => String::new(),
        Some(at) if at.time() == jiff::civil::Time::midnight() => at.date().to_string(),
        Some(at) => at.strftime("%Y-%m-%dT%H:%M").to_string(),
    };
    let lexicons = metnos_language::Lexicons::shipped().unwrap();
    let lattice = metnos_language::Lattice::new(query, lexicons.get(lang).unwrap());
    for mention in found(query, lang) {
        let what = match &mention.what {
            What::Window(from, to) => format!("{}..{}", end(from), end(to)),
            What::Moment(at, hour) => format!("{}{}", end(&Some(*at)), if *hour { "!" } else { "?" }),
            What::Schedule(line) => line.clone(),
            What::UnclearTime => "unclear".to_owned(),
            What::DayPart(part) => part.name().to_owned(),
            _ => continue,
        };
        all.push((format!("{} = {what}", lattice.text(query, mention.from, mention.to)), mention.cost));
    }
    all.sort_by_key(|(_, cost)| *cost);
    all
}

/// That each is among the readings, and at what cost at most.
fn reads(lang: &str, cases: &[(&str, &str)]) {
    for (query, wanted) in cases {
        let all = times(query, lang);
        assert!(all.iter().any(|(said, cost)| said == wanted && *cost <= 2), "{query}: {all:?}");
    }
}

#[test]
fn days_by_their_names() {
    reads(
        "en",
        &[
            ("files from today", "today = 2026-11-15..2026-11-16"),
            ("photos of the day before yesterday", "the day before yesterday = 2026-11-13..2026-11-14"),
            ("last week", "last week = 2026-11-02..2026-11-09"),
            ("the last 3 days", "last 3 days = 2026-11-12.."),
            ("in the past 2 hours", "past 2 hours = 2026-11-15T08:00.."),
            ("next weekend", "next weekend = 2026-11-21..2026-11-23"),
            ("this quarter", "this quarter = 2026-10-01..2027-01-01"),
            ("Q3 2025", "Q3 2025 = 2025-07-01..2025-10-01"),
            ("in October", "October = 2026-10-01..2026-11-01"),
            ("October 2024", "October 2024 = 2024-10-01..2024-11-01"),
            ("October 3rd, 2024", "October 3rd, 2024 = 2024-10-03..2024-10-04"),
            ("in 2023", "2023 = 2023-01-01..2024-01-01"),
            ("on the 5th", "5th = 2026-11-05..2026-11-06"),
            ("on the 5th", "5th = 2026-12-05..2026-12-06"),
            ("on 5/6", "5/6 = 2026-05-06..2026-05-07"),
            ("on 5/6", "5/6 = 2026-06-05..2026-06-06"),
            ("Friday", "Friday = 2026-11-13..2026-11-14"),
            ("Friday", "Friday = 2026-11-20..2026-11-21"),
            ("Friday the 20th", "Friday the 20th = 2026-11-20..2026-11-21"),
            ("3 months ago", "3 months ago = 2026-08-15..2026-08-16"),
            ("tomorrow morning", "tomorrow morning = 2026-11-16..2026-11-16T12:00"),
            ("tomorrow morning", "morning = morning"),
            ("the first monday of the month", "first monday of the month = unclear"),
            ("from last summer", "last summer = unclear"),
            ("a few days ago", "a few days ago = unclear"),
        ],
    );
    reads(
        "it",
        &[
            ("foto dell'altro ieri", "altro ieri = 2026-11-13..2026-11-14"),
            ("la settimana che viene", "settimana che viene = 2026-11-16..2026-11-23"),
            ("negli ultimi tre mesi", "ultimi tre mesi = 2026-08-15.."),
            ("il trimestre scorso", "trimestre scorso = 2026-07-01..2026-10-01"),
            ("ottobre dell'anno scorso", "ottobre dell'anno scorso = 2025-10-01..2025-11-01"),
            ("il 3 ottobre", "3 ottobre = 2026-10-03..2026-10-04"),
            ("il 12/11", "12/11 = 2026-11-12..2026-11-13"),
            ("del 5", "5 = 2026-11-05..2026-11-06"),
            ("lunedì della settimana prossima", "lunedì della settimana prossima = 2026-11-16..2026-11-17"),
            ("il 3 del mese prossimo", "3 del mese prossimo = 2026-12-03..2026-12-04"),
            ("le foto del 10 e 11 ottobre", "10 e 11 ottobre = 2026-10-10..2026-10-12"),
            ("stasera", "stasera = 2026-11-15T18:00..2026-11-16"),
            ("metà ottobre", "metà ottobre = unclear"),
            ("l'estate scorsa", "estate scorsa = unclear"),
        ],
    );
    reads(
        "es",
        &[
            ("fotos de anteayer", "anteayer = 2026-11-13..2026-11-14"),
            ("qué hay mañana", "mañana = 2026-11-16..2026-11-17"),
            ("la semana que viene", "semana que viene = 2026-11-16..2026-11-23"),
            ("en los últimos tres meses", "últimos tres meses = 2026-08-15.."),
            ("octubre del año pasado", "octubre del año pasado = 2025-10-01..2025-11-01"),
            ("el 3 de octubre", "3 de octubre = 2026-10-03..2026-10-04"),
            ("el 12/11", "12/11 = 2026-11-12..2026-11-13"),
            ("hace tres días", "hace tres días = 2026-11-12..2026-11-13"),
            ("el lunes de la semana que viene", "lunes de la semana que viene = 2026-11-16..2026-11-17"),
            ("las fotos del 10 y 11 de octubre", "del 10 y 11 de octubre = 2026-10-10..2026-10-12"),
            ("esta noche", "esta noche = 2026-11-15T18:00..2026-11-16"),
            ("a mediados de octubre", "a mediados de octubre = unclear"),
            ("el verano pasado", "verano pasado = unclear"),
        ],
    );
}

#[test]
fn bounds() {
    reads(
        "en",
        &[
            ("since Monday", "since Monday = 2026-11-09.."),
            ("before March", "before March = ..2026-03-01"),
            ("until Friday", "until Friday = ..2026-11-14"),
            ("from March to May", "from March to May = 2026-03-01..2026-06-01"),
            ("between March and May 2024", "between March and May 2024 = 2024-03-01..2024-06-01"),
            ("from 3 to 7 March", "from 3 to 7 March = 2026-03-03..2026-03-08"),
            ("2019-2021", "2019-2021 = 2019-01-01..2022-01-01"),
            ("from next week on", "from next week on = 2026-11-16.."),
            ("older than 3 months", "older than 3 months = ..2026-08-15"),
            ("older than last week", "older than last week = ..2026-11-02"),
            ("newer than 2 days", "newer than 2 days = 2026-11-13.."),
            ("files not opened in 2 years", "not opened in 2 years = ..2024-11-15"),
            ("I haven't touched since January", "haven't touched since January = ..2026-01-01"),
            ("more than a year ago", "more than a year ago = ..2025-11-15"),
            ("mtime<2026-01-01", "mtime<2026-01-01 = ..2026-01-01"),
            ("find . -mtime +30", "-mtime +30 = ..2026-10-16"),
            ("since the start of the year", "since the start of the year = 2026-01-01.."),
            ("tomorrow after 5pm", "tomorrow after 5pm = 2026-11-16T17:00..2026-11-17"),
            ("don't touch files older than 3 months", "older than 3 months = ..2026-08-15"),
        ],
    );
    reads(
        "it",
        &[
            ("da lunedì", "da lunedì = 2026-11-09.."),
            ("prima di marzo", "prima di marzo = ..2026-03-01"),
            ("fino al 2020", "fino al 2020 = ..2021-01-01"),
            ("dal 3 al 7 marzo", "dal 3 al 7 marzo = 2026-03-03..2026-03-08"),
            ("dal 28 dicembre al 3 gennaio", "dal 28 dicembre al 3 gennaio = 2025-12-28..2026-01-04"),
            ("da lunedì in poi", "da lunedì in poi = 2026-11-09.."),
            ("più vecchi di 6 mesi", "più vecchi di 6 mesi = ..2026-05-15"),
            ("più vecchi del 2024", "più vecchi del 2024 = ..2024-01-01"),
            ("non le apro da più di sei mesi", "non le apro da più di sei mesi = ..2026-05-15"),
            ("che nessuno tocca da almeno tre anni", "nessuno tocca da almeno tre anni = ..2023-11-15"),
            ("tre anni fa o prima", "tre anni fa o prima = ..2023-11-15"),
        ],
    );
    reads(
        "es",
        &[
            ("desde el lunes", "desde el lunes = 2026-11-09.."),
            ("antes de marzo", "antes de marzo = ..2026-03-01"),
            ("hasta 2020", "hasta 2020 = ..2021-01-01"),
            ("del 3 al 7 de marzo", "del 3 al 7 de marzo = 2026-03-03..2026-03-08"),
            ("de marzo a mayo", "de marzo a mayo = 2026-03-01..2026-06-01"),
            ("más viejos de 6 meses", "más viejos de 6 meses = ..2026-05-15"),
            ("más antiguos que 2024", "más antiguos que 2024 = ..2024-01-01"),
            ("no tocados en 2 años", "no tocados en 2 años = ..2024-11-15"),
            ("que nadie toca desde hace tres años", "nadie toca desde hace tres años = ..2023-11-15"),
            ("hace tres años o antes", "hace tres años o antes = ..2023-11-15"),
        ],
    );
}

#[test]
fn moments() {
    reads(
        "en",
        &[
            ("tomorrow at 7", "tomorrow at 7 = 2026-11-16T07:00!"),
            ("tomorrow at 7", "tomorrow at 7 = 2026-11-16T19:00!"),
            ("at 5pm on Friday", "at 5pm on Friday = 2026-11-20T17:00!"),
            ("friday 10:30", "friday 10:30 = 2026-11-20T10:30!"),
            ("in an hour", "in an hour = at:2026-11-15T11:00:00"),
            ("in two hours and 15 minutes", "in two hours and 15 minutes = 2026-11-15T12:15!"),
            ("at noon", "at noon = 2026-11-15T12:00!"),
            ("half past six", "half past six = 2026-11-16T06:30!"),
            ("at quarter to eight", "at quarter to eight = 2026-11-16T07:45!"),
            ("tomorrow from 3 to 4pm", "tomorrow from 3 = 2026-11-16T15:00!"),
            ("tomorrow from 3 to 4pm", "4pm = 2026-11-16T16:00!"),
            ("friday 3-5pm", "3-5pm = 2026-11-20T17:00!"),
            ("on Tuesday put it down at 10", "at 10 = 2026-11-17T10:00!"),
            ("in three days at 9", "in three days at 9 = 2026-11-18T09:00!"),
            ("at 7 a.m. tomorrow", "at 7 a.m. tomorrow = 2026-11-16T07:00!"),
        ],
    );
    reads(
        "it",
        &[
            ("alle 18", "alle 18 = at:2026-11-15T18:00:00"),
            ("tra 20 minuti", "tra 20 minuti = at:2026-11-15T10:20:00"),
            ("fra un'ora e mezza", "fra un'ora e mezza = at:2026-11-15T11:30:00"),
            ("domani mattina alle 9", "domani mattina alle 9 = 2026-11-16T09:00!"),
            ("a mezzogiorno e mezzo", "mezzogiorno e mezzo = 2026-11-15T12:30!"),
            ("le sei e un quarto", "sei e un quarto = 2026-11-16T06:15!"),
            ("stasera alle 8", "stasera alle 8 = 2026-11-15T20:00!"),
            ("giovedì dalle 15 alle 16:30", "giovedì dalle 15 = 2026-11-19T15:00!"),
            ("giovedì dalle 15 alle 16:30", "16:30 = 2026-11-19T16:30!"),
            ("lunedì 23 alle 18.30", "lunedì 23 alle 18.30 = 2026-11-23T18:30!"),
        ],
    );
    reads(
        "es",
        &[
            ("a las 18", "a las 18 = at:2026-11-15T18:00:00"),
            ("dentro de 20 minutos", "dentro de 20 minutos = at:2026-11-15T10:20:00"),
            ("en una hora y media", "en una hora y media = at:2026-11-15T11:30:00"),
            ("mañana por la mañana a las 9", "mañana por la mañana a las 9 = 2026-11-16T09:00!"),
            ("el martes por la mañana a las 9", "martes por la mañana a las 9 = 2026-11-17T09:00!"),
            ("a las ocho menos cuarto", "a las ocho menos cuarto = 2026-11-16T07:45!"),
            ("a las 8 de la tarde", "a las 8 de la tarde = 2026-11-15T20:00!"),
            ("esta noche a las 8", "esta noche a las 8 = 2026-11-15T20:00!"),
            ("el jueves de 15 a 16:30", "jueves de 15 = 2026-11-19T15:00!"),
            ("el lunes 23 a las 18:30", "lunes 23 a las 18:30 = 2026-11-23T18:30!"),
        ],
    );
}

#[test]
fn recurrences() {
    reads(
        "en",
        &[
            ("every day at 8", "every day at 8 = 0 8 * * *"),
            ("weekdays at 9", "weekdays at 9 = 0 9 * * 1-5"),
            ("at 8 every day", "at 8 every day = 0 8 * * *"),
            ("every day at 8 and 20", "every day at 8 and 20 = 0 8,20 * * *"),
            ("Mondays and Fridays at 9am", "Mondays and Fridays at 9am = 0 9 * * 1,5"),
            ("every 15 minutes", "every 15 minutes = */15 * * * *"),
            ("every hour from 9 to 17", "every hour from 9 to 17 = 0 9-17 * * *"),
            ("mornings at 7", "mornings at 7 = 0 7 * * *"),
            ("every month on the 5th at 10", "every month on the 5th at 10 = 0 10 5 * *"),
            ("every weekday except friday at 9", "every weekday except friday at 9 = 0 9 * * 1,2,3,4"),
            ("every friday remind me to do it at 17", "at 17 = 0 17 * * 5"),
            ("every morning", "every morning = 0 8 * * *"),
            ("every two weeks", "every two weeks = unclear"),
            ("every other day at 9", "every other day at 9 = unclear"),
            ("on the last day of every month", "last day of every month = unclear"),
        ],
    );
    reads(
        "it",
        &[
            ("ogni lunedì alle 9", "ogni lunedì alle 9 = 0 9 * * 1"),
            ("tutti i giorni alle 8", "tutti i giorni alle 8 = 0 8 * * *"),
            ("ogni sera alle 9", "ogni sera alle 9 = 0 21 * * *"),
            ("ogni quarto d'ora", "ogni quarto d'ora = */15 * * * *"),
            ("il primo di ogni mese alle 9", "primo di ogni mese alle 9 = 0 9 1 * *"),
            ("dal lunedì al venerdì alle 7", "dal lunedì al venerdì alle 7 = 0 7 * * 1-5"),
            ("ogni 25 dicembre alle 8", "ogni 25 dicembre alle 8 = 0 8 25 12 *"),
            ("il lunedì e il giovedì alle 9", "il lunedì e il giovedì alle 9 = 0 9 * * 1,4"),
            ("ogni due settimane", "ogni due settimane = unclear"),
            ("un giorno sì e uno no", "un giorno sì e uno no = unclear"),
        ],
    );
    reads(
        "es",
        &[
            ("cada lunes a las 9", "cada lunes a las 9 = 0 9 * * 1"),
            ("todos los días a las 8", "todos los días a las 8 = 0 8 * * *"),
            ("todas las noches a las 9", "todas las noches a las 9 = 0 21 * * *"),
            ("cada cuarto de hora", "cada cuarto de hora = */15 * * * *"),
            ("el día 1 de cada mes a las 8", "1 de cada mes a las 8 = 0 8 1 * *"),
            ("de lunes a viernes a las 7", "de lunes a viernes a las 7 = 0 7 * * 1-5"),
            ("cada 25 de diciembre a las 8", "cada 25 de diciembre a las 8 = 0 8 25 12 *"),
            ("los lunes y los jueves a las 9", "los lunes y los jueves a las 9 = 0 9 * * 1,4"),
            ("cada mañana", "cada mañana = 0 8 * * *"),
            ("cada dos semanas", "cada dos semanas = unclear"),
        ],
    );
}

/// What belongs to a recurrence, and what is no time, is not read as one.
#[test]
fn no_other_times() {
    for (query, lang) in
        [("every Monday at 9", "en"), ("ogni lunedì alle 9", "it"), ("cada lunes a las 9", "es")]
    {
        let all = times(query, lang);
        assert!(all.iter().all(|(said, _)| said.contains("* * 1")), "{all:?}");
    }
    for (query, lang) in [
        ("look at a file", "en"),
        ("files from 5 to 10 MB", "en"),
        ("\"see you tomorrow at 7\"", "en"),
        ("136 divided by 4", "en"),
        ("how many photos for each year", "en"),
        ("invia a 3 persone", "it"),
        ("il 22 per cento di 1350", "it"),
        ("envía a 3 personas", "es"),
        ("las 10 más grandes", "es"),
        ("cuántas fotos por año", "es"),
    ] {
        assert!(times(query, lang).is_empty(), "{query}: {:?}", times(query, lang));
    }
}
