//! `classify_entries`: a label for each entry, by rules. Dimensions without rules need a model.

use super::language::Languages;
use super::rules::Rules;
use super::text::texts;
use super::{each_entry, needs_model};
use crate::call::Call;
use metnos_executor::{ErrorClass, Failure};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Bytes of text looked at in each entry: what decides a label stands near the start.
const TEXT_BYTES: usize = 64 << 10;

#[derive(Deserialize)]
struct Args {
    dimension: Option<String>,
    #[serde(default)]
    classes: Vec<String>,
}

enum Judge {
    Rules(Rules),
    Language(Languages, Vec<String>),
}

/// Labels every entry.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let dimension = args.dimension.as_deref().unwrap_or_default().trim().to_lowercase();
    if dimension.is_empty() && args.classes.is_empty() {
        return Err(Failure::wrong_args("give a `dimension`, or the `classes` to choose from"));
    }
    let judge = judge(&dimension, args.classes)?;
    each_entry(call, |call, index, mut entry, origin| {
        let found = {
            let (texts, _) = texts(&entry, TEXT_BYTES);
            if texts.is_empty() { None } else { Some(judge.label(&entry, &texts)) }
        };
        let Some((label, score, why)) = found else {
            let what = entry.get("path").or(entry.get("id")).and_then(Value::as_str).unwrap_or("entry");
            call.outcome.fail(
                index,
                what,
                ErrorClass::UnsupportedFormat,
                "the entry has no text to classify",
            );
            return Ok(());
        };
        entry.insert(dimension.clone(), label.clone().into());
        entry.insert("label".into(), label.into());
        entry.insert("score".into(), json!(score));
        entry.insert("why".into(), why.into());
        call.outcome.ok_count += 1;
        call.emit(&entry, origin)
    })
}

fn judge(dimension: &str, classes: Vec<String>) -> Result<Judge, Failure> {
    if dimension == "language" {
        let languages = Languages::load()?;
        let classes: Vec<String> = classes.into_iter().map(|class| class.trim().to_lowercase()).collect();
        return match classes.iter().find(|class| !languages.knows(class)) {
            Some(class) => Err(needs_model(format!("the language {class:?} has no profile"))),
            None => Ok(Judge::Language(languages, classes)),
        };
    }
    let Some(mut rules) = Rules::of(dimension)? else {
        let what = if dimension.is_empty() {
            "classes without a dimension".into()
        } else {
            format!("{dimension:?}")
        };
        return Err(needs_model(format!("there are no rules for {what}")));
    };
    // The two classes may be named by the caller, as long as it is clear which one is meant.
    match classes.as_slice() {
        [] => {}
        [yes] if yes.eq_ignore_ascii_case(&rules.label) => {}
        [yes, no] if yes.eq_ignore_ascii_case(&rules.label) => rules.other.clone_from(no),
        [no, yes] if yes.eq_ignore_ascii_case(&rules.label) => rules.other.clone_from(no),
        _ => {
            return Err(needs_model(format!(
                "the rules for {dimension:?} know only {:?} or not",
                rules.label
            )));
        }
    }
    Ok(Judge::Rules(rules))
}

impl Judge {
    fn label(&self, entry: &Map<String, Value>, texts: &[(&str, &str)]) -> (String, f64, Vec<String>) {
        match self {
            Self::Rules(rules) => {
                let verdict = rules.weigh(entry, texts);
                let label = if verdict.yes { &rules.label } else { &rules.other };
                (label.clone(), verdict.score, verdict.why)
            }
            Self::Language(languages, allowed) => {
                // Names and addresses are no language; they count only when there is nothing else.
                let prose = |names: bool| -> String {
                    let kept = texts.iter().filter(|(field, _)| names || !matches!(*field, "name" | "from"));
                    kept.map(|(_, text)| *text).collect::<Vec<_>>().join("\n")
                };
                let text = Some(prose(false)).filter(|text| !text.is_empty()).unwrap_or_else(|| prose(true));
                match languages.detect(&text, allowed) {
                    Some((code, score, why)) => (code.to_owned(), score, why),
                    None => ("unknown".to_owned(), 0.0, Vec::new()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use crate::testing::{Ran, run as seed};

    fn classify(dimension: &str, entries: Value) -> Ran {
        seed("classify_entries", json!({"dimension": dimension, "entries": entries}))
    }

    fn labels(dimension: &str, entries: Value) -> Vec<String> {
        let ran = classify(dimension, entries);
        assert!(ran.outcome.ok, "{:?}", ran.outcome);
        ran.items.iter().map(|item| item[dimension].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn spam_in_english_and_italian() {
        let found = labels(
            "spam",
            json!([
                {"subject": "YOU HAVE WON!!!", "body": "Claim your prize, act now and click here"},
                {"subject": "Hai vinto un premio", "body": "Gentile cliente, ritira il tuo premio entro 24 ore: clicca qui"},
                {"subject": "Il tuo conto è stato sospeso", "body": "Conferma i tuoi dati, urgente: clicca qui"},
                {"subject": "Lunch on Friday?", "body": "Are you free at one?", "from": "a@example.org"},
                {"subject": "Verbale della riunione", "body": "In allegato il verbale."},
                {"subject": "hi", "headers": {"X-Spam-Flag": "YES"}},
            ]),
        );
        assert_eq!(found, ["spam", "spam", "spam", "not_spam", "not_spam", "spam"]);
    }

    #[test]
    fn newsletters_and_invoices() {
        let found = labels(
            "newsletter",
            json!([
                {"subject": "Weekly digest", "body": "Unsubscribe at any time"},
                {"subject": "Novità", "list_unsubscribe": "<mailto:x@example.org>"},
                {"subject": "La nostra newsletter", "body": "Ricevi questa email perché… disiscriviti"},
                {"subject": "Dinner", "body": "At eight"},
            ]),
        );
        assert_eq!(found, ["newsletter", "newsletter", "newsletter", "not_newsletter"]);
        let found = labels(
            "invoice",
            json!([
                {"name": "Fattura_2026_12.pdf", "content": "Fattura n. 12 — Imponibile 100 € — P.IVA 01234567890"},
                {"subject": "Invoice INV-7 from Acme", "body": "Amount due: $120.00 by the due date"},
                {"name": "holiday.jpg"},
                {"subject": "Minutes", "body": "We talked about the budget"},
            ]),
        );
        assert_eq!(found, ["invoice", "invoice", "not_invoice", "not_invoice"]);
    }

    #[test]
    fn language_and_its_classes() {
        let entries = json!([{"content": "Ci vediamo domani alla stazione, grazie"}, {"text": "See you at the station tomorrow"}, {"text": "42"}]);
        assert_eq!(labels("language", entries), ["it", "en", "unknown"]);
        let ran =
            seed("classify_entries", json!({"dimension": "language", "classes": ["ja"], "entries": []}));
        assert_eq!(ran.outcome.error.unwrap().class, ErrorClass::DependencyMissing);
    }

    #[test]
    fn keeps_fields_and_taint() {
        let ran = classify("spam", json!([{"id": 7, "subject": "hello", "_origin": "mail"}]));
        let item = &ran.items[0];
        assert_eq!(
            (&item["id"], &item["_origin"], &item["label"]),
            (&json!(7), &json!("mail"), &json!("not_spam"))
        );
        assert_eq!((&item["score"], &item["why"]), (&json!(0.0), &json!([])));
        assert_eq!(item.as_object().unwrap().keys().filter(|key| *key == "_origin").count(), 1);
    }

    #[test]
    fn classes_may_rename_the_other_side() {
        let ran = seed(
            "classify_entries",
            json!({"dimension": "Spam", "classes": ["ham", "spam"], "entries": [{"subject": "hello"}]}),
        );
        assert_eq!(ran.items[0]["spam"], "ham");
    }

    #[test]
    fn what_has_no_rules_needs_a_model() {
        for args in [
            json!({"dimension": "mood", "entries": []}),
            json!({"classes": ["a", "b"], "entries": []}),
            json!({"dimension": "spam", "classes": ["x", "y"], "entries": []}),
        ] {
            let error = seed("classify_entries", args).outcome.error.unwrap();
            assert_eq!(error.class, ErrorClass::DependencyMissing);
            assert!(error.hint.unwrap().contains("model"));
        }
        for args in [json!({"entries": []}), json!({"dimension": "spam"})] {
            assert_eq!(seed("classify_entries", args).outcome.error.unwrap().class, ErrorClass::WrongArgs);
        }
    }

    #[test]
    fn empty_partial_and_hostile_lists() {
        let ran = classify("spam", json!([]));
        assert!(ran.outcome.ok && ran.items.is_empty());
        let ran = classify(
            "spam",
            json!([{"size": 3}, {"subject": "ok"}, "not an entry", {"body": "!".repeat(1 << 20)}]),
        );
        assert!(ran.outcome.partial);
        assert_eq!((ran.outcome.ok_count, ran.outcome.fail_count), (2, 2));
        let ran = classify(
            "invoice",
            json!([{"body": "\u{0}\u{202e}\n\\", "headers": [1, {"name": 3}], "subject": "x"}]),
        );
        assert!(ran.outcome.ok);
    }
}
