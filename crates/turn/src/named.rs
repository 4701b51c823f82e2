//! What a request to take something back names beside the last change. "Undo the move" is not "undo".

use metnos_engine::Plan;
use serde_json::{Map, Value};

/// The executor that takes back, and the argument that holds what was named.
const UNDO: &str = "undo_last_turn";
const ABOUT: &str = "about";
/// The most letters of it.
const ABOUT_MAX: usize = 400;
/// What names nothing.
const PLAIN: &str = "undo.txt";

/// Gives a step that takes back the words that name a change: the runtime holds them against the change.
pub(crate) fn tell(plan: &Plan, number: usize, request: &str, args: &mut Map<String, Value>) {
    if plan.steps.get(number - 1).is_some_and(|step| step.tool == UNDO) {
        let about = beyond(request);
        if !about.is_empty() {
            let about: String = about.join(" ").chars().take(ABOUT_MAX).collect();
            args.insert(ABOUT.into(), about.into());
        }
    }
}

/// The words of a request that are none of the plain ones.
fn beyond(request: &str) -> Vec<String> {
    let said = words(request);
    let texts = metnos_tongue::all().iter().filter_map(|tongue| metnos_tongue::own(tongue.code, PLAIN));
    let lines = texts.flat_map(str::lines).filter(|line| !line.starts_with('#'));
    let plain: Vec<Vec<String>> = lines.map(phrase).collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(word) = said.get(at) {
        let rest = &said[at..];
        let longest = plain.iter().filter(|phrase| begins(rest, phrase)).map(Vec::len).max();
        if longest.is_none() {
            found.push(word.clone());
        }
        at += longest.unwrap_or(1).max(1);
    }
    found
}

fn phrase(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn begins(said: &[String], phrase: &[String]) -> bool {
    let is = |(word, plain): (&String, &String)| match plain.strip_suffix('*') {
        Some(stem) => word.starts_with(stem),
        None => word == plain,
    };
    !phrase.is_empty() && said.len() >= phrase.len() && said.iter().zip(phrase).all(is)
}

/// The words of a text, small, names of files whole.
fn words(text: &str) -> Vec<String> {
    let inside = |c: char| c.is_alphanumeric() || "._-/~".contains(c);
    let words = text.split(|c: char| !inside(c)).map(|word| word.trim_matches(['.', '-']).to_lowercase());
    words.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_change_is_named_by_plain_words_only() {
        for plain in [
            "undo",
            "Undo that, please!",
            "undo the last thing you did",
            "oh no, please revert what you just did",
            "ho cambiato idea, annulla quello che hai appena fatto",
            "torna indietro di un'operazione",
            "rimetti tutto com'era prima",
            "put them back",
            "Could you undo that for me now?",
            "annullala",
            "please reverse your last action",
        ] {
            assert_eq!(beyond(plain), Vec::<String>::new(), "{plain}");
        }
    }

    #[test]
    fn whatever_else_is_said_names_something() {
        assert_eq!(beyond("undo the move"), ["move"]);
        assert_eq!(beyond("undo the first one"), ["first"]);
        assert_eq!(beyond("annulla la prima"), ["prima"]);
        assert_eq!(beyond("annulla lo spostamento di ~/a.txt."), ["spostamento", "~/a.txt"]);
        assert_eq!(beyond("undo the change before the last"), ["before"]);
    }
}
