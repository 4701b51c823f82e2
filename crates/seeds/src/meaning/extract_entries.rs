//! `extract_entries`: dates, amounts, addresses and accounts out of the text of each entry.
//!
//! The first match becomes the field, all of them its plural, and `found` says where each stands. A
//! field of the entry that has the same name stays beside it as `original_<field>`.

use super::amounts::{Amount, Amounts};
use super::contacts::{Contacts, Span, in_order};
use super::dates::Dates;
use super::text::texts;
use super::{each_entry, needs_model};
use crate::call::Call;
use crate::numbers::words::Words;
use metnos_executor::Failure;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Matches kept of each field in one entry.
const MATCHES: usize = 200;
/// Bytes of text read in one entry.
const TEXT_BYTES: usize = 4 << 20;

#[derive(Deserialize)]
struct Args {
    fields: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Date,
    Amount,
    Email,
    Phone,
    Url,
    Iban,
}

impl Field {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "date" | "dates" => Self::Date,
            "amount" | "amounts" => Self::Amount,
            "email" | "emails" => Self::Email,
            "phone" | "phones" => Self::Phone,
            "url" | "urls" => Self::Url,
            "iban" | "ibans" => Self::Iban,
            _ => return None,
        })
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Date => ("date", "dates"),
            Self::Amount => ("amount", "amounts"),
            Self::Email => ("email", "emails"),
            Self::Phone => ("phone", "phones"),
            Self::Url => ("url", "urls"),
            Self::Iban => ("iban", "ibans"),
        }
    }
}

/// Adds the asked fields to every entry.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let mut fields: Vec<Field> = Vec::new();
    for name in &args.fields {
        let Some(field) = Field::named(&name.trim().to_lowercase()) else {
            return Err(needs_model(format!(
                "{name:?} cannot be extracted by rules, which know date, amount, email, phone, url and iban"
            )));
        };
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    if fields.is_empty() {
        return Err(Failure::wrong_args("`fields` is empty: say what to extract"));
    }
    let finder = Finder::new(&call.lang)?;
    let mut cut_texts = 0u64;
    let mut most = 0usize;
    each_entry(call, |call, _, mut entry, origin| {
        let (found, cut) = finder.find(&entry, &fields);
        cut_texts += u64::from(cut);
        let mut places = Vec::new();
        for (field, values) in found {
            most = most.max(values.len());
            finder.add(&mut entry, field, values, &mut places);
        }
        put(&mut entry, "found", places.into());
        call.outcome.ok_count += 1;
        call.emit(&entry, origin)
    })?;
    if cut_texts > 0 {
        call.truncated("text of an entry", TEXT_BYTES as u64, None, "text_bytes", TEXT_BYTES as u64);
    } else if most > MATCHES {
        call.truncated("matches of an entry", MATCHES as u64, Some(most as u64), "matches", MATCHES as u64);
    }
    Ok(())
}

struct Finder {
    dates: Dates,
    amounts: Amounts,
    contacts: Contacts,
    words: Words,
}

enum Values {
    Texts(Vec<Hit<String>>),
    Amounts(Vec<Hit<Amount>>),
}

/// A value and where it stands: the field, the line of its text from 1, the byte.
struct Hit<T> {
    value: T,
    within: &'static str,
    line: usize,
    at: usize,
}

impl<T> Hit<T> {
    fn place(&self, field: Field, value: &str) -> Value {
        json!({"field": field.names().0, "value": value, "in": self.within, "line": self.line, "at": self.at})
    }
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::Texts(list) => list.len(),
            Self::Amounts(list) => list.len(),
        }
    }
}

impl Finder {
    fn new(lang: &str) -> Result<Self, Failure> {
        Ok(Self {
            dates: Dates::new(lang)?,
            amounts: Amounts::new()?,
            contacts: Contacts::new()?,
            words: Words::of(lang)?,
        })
    }

    fn find(&self, entry: &Map<String, Value>, fields: &[Field]) -> (Vec<(Field, Values)>, bool) {
        let (texts, cut) = texts(entry, TEXT_BYTES);
        let found = fields.iter().map(|field| {
            let strings =
                |find: &dyn Fn(&str) -> Vec<(Span, String)>| Values::Texts(distinct(located(&texts, find)));
            let values = match field {
                Field::Date => strings(&|text| self.dates.find(text)),
                Field::Email => strings(&|text| self.contacts.emails(text)),
                Field::Url => strings(&|text| self.contacts.urls(text)),
                Field::Iban => strings(&|text| self.contacts.ibans(text)),
                Field::Phone => strings(&|text| self.phones(text)),
                // Two equal amounts are two payments: they stay.
                Field::Amount => Values::Amounts(located(&texts, &|text| self.amounts.find(text))),
            };
            (*field, values)
        });
        (found.collect(), cut)
    }

    /// Digits that are already something else are no telephone number.
    fn phones(&self, text: &str) -> Vec<(Span, String)> {
        let mut taken: Vec<(Span, ())> =
            self.amounts.find(text).into_iter().map(|(span, _)| (span, ())).collect();
        for found in [
            self.dates.find(text),
            self.contacts.ibans(text),
            self.contacts.urls(text),
            self.contacts.emails(text),
        ] {
            taken.extend(found.into_iter().map(|(span, _)| (span, ())));
        }
        let taken: Vec<Span> = in_order(taken).into_iter().map(|(span, ())| span).collect();
        self.contacts.phones(text, &taken)
    }

    fn add(&self, entry: &mut Map<String, Value>, field: Field, values: Values, places: &mut Vec<Value>) {
        let (one, many) = field.names();
        match values {
            Values::Texts(mut list) => {
                list.truncate(MATCHES);
                places.extend(list.iter().map(|hit| hit.place(field, &hit.value)));
                let list: Vec<String> = list.into_iter().map(|hit| hit.value).collect();
                put(entry, one, list.first().cloned().map_or(Value::Null, Value::String));
                put(entry, many, list.into());
            }
            Values::Amounts(mut list) => {
                list.truncate(MATCHES);
                places.extend(list.iter().map(|hit| hit.place(field, &hit.value.value)));
                let first = list.first().map(|hit| hit.value.clone());
                put(entry, one, first.as_ref().map_or(Value::Null, |a| a.value.clone().into()));
                put(entry, "currency", first.map_or(Value::Null, |a| a.currency.into()));
                let show = |Hit { value: a, .. }: &Hit<Amount>| json!({"value": a.value, "currency": a.currency, "text": a.text(&self.words)});
                put(entry, many, list.iter().map(show).collect());
            }
        }
    }
}

/// What `find` finds in each text, and where.
fn located<T>(texts: &[(&'static str, &str)], find: &dyn Fn(&str) -> Vec<(Span, T)>) -> Vec<Hit<T>> {
    let mut hits = Vec::new();
    for (within, text) in texts {
        let (mut from, mut line) = (0, 1);
        for (span, value) in find(text) {
            let before = text.as_bytes().get(from..span.start).unwrap_or_default();
            line += before.iter().filter(|byte| **byte == b'\n').count();
            from = span.start;
            hits.push(Hit { value, within, line, at: span.start });
        }
    }
    hits
}

fn put(entry: &mut Map<String, Value>, name: &str, value: Value) {
    if let Some(old) = entry.insert(name.to_owned(), value.clone())
        && !old.is_null()
        && old != value
    {
        entry.insert(format!("original_{name}"), old);
    }
}

/// Each value once, where it appears first.
fn distinct(mut hits: Vec<Hit<String>>) -> Vec<Hit<String>> {
    let mut seen = std::collections::HashSet::new();
    hits.retain(|hit| seen.insert(hit.value.to_lowercase()));
    hits
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use crate::testing::run as seed;
    use metnos_executor::ErrorClass;

    const ALL: [&str; 6] = ["date", "amount", "email", "phone", "url", "iban"];

    #[test]
    fn everything_out_of_one_message() {
        let ran = seed(
            "extract_entries",
            json!({"fields": ALL, "entries": [{"id": 1, "_origin": "mail", "subject": "Invoice of March 3rd, 2026",
                "body": "Pay 1.234,56 € by 2026-04-01 to IT60 X054 2811 1010 0000 0123 456. Questions: +39 06 1234 5678, ada@example.org, https://example.org/pay."}]}),
        );
        assert!(ran.outcome.ok);
        assert_eq!(ran.outcome.ok_count, 1);
        let e = &ran.items[0];
        assert_eq!((&e["id"], &e["_origin"]), (&json!(1), &json!("mail")));
        assert_eq!((&e["date"], &e["dates"]), (&json!("2026-03-03"), &json!(["2026-03-03", "2026-04-01"])));
        assert_eq!((&e["amount"], &e["currency"]), (&json!("1234.56"), &json!("EUR")));
        assert_eq!(e["amounts"], json!([{"value": "1234.56", "currency": "EUR", "text": "1,234.56 EUR"}]));
        assert_eq!((&e["email"], &e["url"]), (&json!("ada@example.org"), &json!("https://example.org/pay")));
        assert_eq!(
            (&e["phones"], &e["iban"]),
            (&json!(["+390612345678"]), &json!("IT60X0542811101000000123456"))
        );
    }

    #[test]
    fn a_field_of_the_same_name_is_kept() {
        let ran = seed(
            "extract_entries",
            json!({"fields": ["date"], "entries": [{"date": "2026-01-01", "body": "due 2026-02-02"}, {"date": "2026-01-01"}]}),
        );
        assert_eq!(
            (&ran.items[0]["date"], &ran.items[0]["original_date"]),
            (&json!("2026-02-02"), &json!("2026-01-01"))
        );
        assert_eq!(
            (&ran.items[1]["date"], &ran.items[1]["original_date"]),
            (&Value::Null, &json!("2026-01-01"))
        );
    }

    #[test]
    fn fields_nobody_asked_for_are_left_alone() {
        let entry =
            json!({"amount": 12.5, "emails": [{"home": "x"}], "text": "5 € on 2026-02-02", "_origin": "web"});
        let ran = seed("extract_entries", json!({"fields": ["dates", "date"], "entries": [entry]}));
        let e = &ran.items[0];
        assert_eq!(
            (&e["amount"], &e["emails"], &e["_origin"]),
            (&json!(12.5), &json!([{"home": "x"}]), &json!("web"))
        );
        assert_eq!((&e["date"], e.get("original_date")), (&json!("2026-02-02"), None));
    }

    #[test]
    fn empty_and_hostile_lists() {
        let ran = seed("extract_entries", json!({"fields": ALL, "entries": []}));
        assert!(ran.outcome.ok && ran.items.is_empty());
        let ran = seed(
            "extract_entries",
            json!({"fields": ALL, "entries": [{}, 3, {"body": null}, {"text": "9".repeat(100_000)}, {"text": "\u{0}€-−1.,'’"}]}),
        );
        assert_eq!((ran.outcome.ok_count, ran.outcome.fail_count), (4, 1));
        assert_eq!((&ran.items[0]["amount"], &ran.items[0]["amounts"]), (&Value::Null, &json!([])));
    }

    #[test]
    fn a_flood_of_matches_is_bounded_and_said() {
        let ran = seed(
            "extract_entries",
            json!({"fields": ["amount"], "entries": [{"text": "5 € ".repeat(1000)}]}),
        );
        assert_eq!(ran.items[0]["amounts"].as_array().unwrap().len(), MATCHES);
        assert_eq!(ran.outcome.truncation.unwrap().available_total, Some(1000));
    }

    #[test]
    fn says_where_each_value_was_found() {
        let entry = json!({"subject": "Due 2026-03-03", "body": "one\ntwo 5 €\nada@example.org and 7 €"});
        let ran = seed("extract_entries", json!({"fields": ["date", "amount", "email"], "entries": [entry]}));
        assert_eq!(
            ran.items[0]["found"],
            json!([
                {"field": "date", "value": "2026-03-03", "in": "subject", "line": 1, "at": 4},
                {"field": "amount", "value": "5", "in": "body", "line": 2, "at": 8},
                {"field": "amount", "value": "7", "in": "body", "line": 3, "at": 34},
                {"field": "email", "value": "ada@example.org", "in": "body", "line": 3, "at": 14},
            ])
        );
    }

    #[test]
    fn other_fields_need_a_model() {
        let error = seed("extract_entries", json!({"fields": ["date", "mood"], "entries": []}))
            .outcome
            .error
            .unwrap();
        assert_eq!(error.class, ErrorClass::DependencyMissing);
        for args in [json!({"fields": [], "entries": []}), json!({"fields": ["date"]})] {
            assert_eq!(seed("extract_entries", args).outcome.error.unwrap().class, ErrorClass::WrongArgs);
        }
    }
}
