//! An executor of one's own is asked for by its words the moment it is put to use: what its manifest says is enough.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::daemon::Daemon;
use crate::support::skill::Skill;
use serde_json::{Value, json};

const NAME: &str = "compute_texts_segments";

/// Says a text as a pirate would. The argument has a name that says nothing to the planner.
fn pirate(version: &str, words: &str, plan: &str) -> Skill {
    Skill {
        name: NAME.into(),
        routing: Some(words.into()),
        plan: plan.into(),
        schema: r#"{"definitions": {
  "Input": {"type": "object", "additionalProperties": false, "required": ["phrase"],
    "properties": {"phrase": {"type": "string", "maxLength": 400}}},
  "Output": {"type": "object", "properties": {"text": {"type": "string"},
    "entries": {"type": "array", "items": {"type": "object", "required": ["text"],
      "properties": {"text": {"type": "string"}}}}}}}}
"#
        .into(),
        birth: r#"[[case]]
name = "it is said louder, and with an Arr"
input = { phrase = "ahoy" }
expect = { ok = true, text = "Arr, AHOY!" }

[[case]]
name = "nothing is an Arr"
input = { phrase = "" }
expect = { ok = true, text = "Arr, !" }

[[case]]
name = "no phrase at all fails"
input = { }
expect = { ok = false }
"#
        .into(),
        code: r#"def run(args, ctx):
    text = "Arr, " + args["phrase"].upper() + "!"
    return {"text": text, "entries": [{"text": text}]}
"#
        .into(),
        ..Skill::counter(version)
    }
}

const WORDS: &str =
    r#"en = ["pirate", "piratise"], it = ["pirata", "piratesco"], es = ["pirata", "piratear"]"#;
const PLAN: &str = "[plan]\nargs = { phrase = \"text\" }\nrequires = [[\"phrase\"]]";

#[test]
fn a_new_executor_is_asked_for_by_its_words_while_the_daemon_runs() {
    let house = House::supervised();
    let daemon = Daemon::start(&house);
    let english = "say 'hello my friend' like a pirate";
    let requests = [
        (english, "Arr, HELLO MY FRIEND!"),
        ("turn 'good morning' into pirate speech", "Arr, GOOD MORNING!"),
        ("traduci 'ciao amico' in pirata", "Arr, CIAO AMICO!"),
        ("scrivi \"buongiorno\" in piratesco", "Arr, BUONGIORNO!"),
    ];
    let unknown = |answer: &Value| {
        assert!(matches!(answer["status"].as_str(), Some("gap" | "unclear" | "asks")), "{answer}");
        assert!(!answer.to_string().contains(NAME), "{answer}");
    };
    unknown(&daemon.ask(english));

    // Without words of its own nobody finds it.
    let mute = pirate("1.0.0", r#"en = []"#, PLAN).sign(&house);
    assert_eq!(mute.code, Some(0), "{mute:?}");
    unknown(&daemon.ask(english));

    // A version that has some is used from the moment it is promoted, not from when it is signed.
    let spoken = pirate("1.1.0", WORDS, PLAN);
    assert_eq!(spoken.install(&house).code, Some(0));
    unknown(&daemon.ask(english));
    assert_eq!(spoken.promote(&house).code, Some(0));
    for (request, said) in requests {
        let answer = daemon.ask(request);
        assert_eq!(
            (&answer["status"], &answer["text"]),
            (&json!("done"), &json!(said)),
            "{request}: {answer}"
        );
    }

    // What is taken out of use is not found any more, and the answer says what helps.
    let away = house.run(&["executors", "archive", NAME, "--reason", "the test asks", "--json"]);
    assert_eq!(away.code, Some(0), "{away:?}");
    let answer = daemon.ask(english);
    assert_ne!(answer["status"], "done", "{answer}");
    assert!(answer.to_string().contains("executors restore"), "{answer}");
    house.chain_holds();
}

#[test]
fn a_section_for_the_planner_that_is_wrong_is_refused_where_it_is_signed() {
    let house = House::new();
    for (plan, wanted) in [
        ("[plan]\nargs = { phrase = \"txt\" }", "[plan.args] phrase: expected a role (nearest: \"text\")"),
        ("[plan]\nkeep = true", "[plan] keep: unknown key; nearest: \"keeps\""),
        ("[plan]\nargs = { phrases = \"text\" }", "Input has no argument \"phrases\"; nearest: \"phrase\""),
    ] {
        let ran = pirate("1.0.0", WORDS, plan).install(&house);
        assert_ne!(ran.code, Some(0), "{plan}: {ran:?}");
        let message = ran.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains("manifest.toml") && message.contains(wanted), "{message}");
    }
    // What is right is shown as it was written.
    let signed = pirate("1.0.0", WORDS, PLAN).sign(&house);
    assert_eq!(signed.code, Some(0), "{signed:?}");
    let card = house.run(&["--json", "executors", "show", NAME]).json();
    assert_eq!(card["plan"], json!({ "args": { "phrase": "text" }, "requires": [["phrase"]] }), "{card}");
}
