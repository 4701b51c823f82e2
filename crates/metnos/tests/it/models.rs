//! A model behind the planner: asked when nothing fits, believed in nothing, and never needed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::model::{Model, Say, plan};
use crate::support::{House, Ran};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Nothing explains "zzyzx".
const LOOSE: &str = "frobnicate the zzyzx of Pictures";

fn photos() -> Value {
    json!([{ "tool": "find_files", "args": { "base_path": "~/Pictures", "kind": "image" } }])
}

/// Setting a house up takes its time: a test has one, and binds another model to it.
fn configure(house: &House, text: &str) {
    std::fs::write(house.metnos().join("config/metnos.toml"), text).unwrap();
}

fn bind(house: &House, model: &Model) {
    configure(house, &model.bound("wise", "timeout_seconds = 2"));
}

fn configured(text: &str) -> House {
    let house = House::supervised();
    configure(&house, text);
    house.write("Pictures/a.jpg", "a");
    house.write("Pictures/b.png", "b");
    house.write("Pictures/notes.txt", "n");
    house
}

fn house(model: &Model) -> House {
    let house = configured("");
    bind(&house, model);
    house
}

fn ask(house: &House, text: &str) -> Ran {
    let now = ["--now", "2026-11-15T10:00:00+01:00", "--zone", "Europe/Rome", "--conversation", "test"];
    house.run(&[&["--json", "ask"][..], &now, &[text]].concat())
}

/// How many calls were made.
fn ran(house: &House) -> usize {
    let called = |line: &&Value| ["call", "open", "refused"].iter().any(|kind| line["kind"] == *kind);
    house.audit_lines().iter().filter(called).count()
}

/// Every turn decides the same again, and no model is asked for that.
fn replays(house: &House, model: &Model) {
    let asked = model.seen().len();
    for turn in house.run(&["--json", "turns"]).json().as_array().unwrap() {
        let replayed = house.run(&["--json", "replay", turn["turn"].as_str().unwrap()]);
        assert_eq!((replayed.code, &replayed.json()["differences"]), (Some(0), &json!([])), "{turn}");
    }
    assert_eq!(model.seen().len(), asked, "a replay asks nobody");
}

#[test]
fn what_nothing_explains_is_planned_by_the_model_and_said_to_be() {
    let model = Model::planning(photos());
    let house = house(&model);
    let told = ask(&house, LOOSE);
    assert_eq!(told.code, Some(0), "{told:?}");
    let answer = told.json();
    assert_eq!(answer["entries"].as_array().unwrap().len(), 2, "{answer}");
    assert_eq!(answer["by_model"], true);
    assert!(answer["text"].as_str().unwrap().contains("model"), "{answer}");
    let shown = house.run(&["--json", "turns", answer["turn"].as_str().unwrap()]).json();
    assert_eq!(
        (&shown["tokens"], &shown["models"][0]["outcome"]),
        (&json!(120), &json!("answered")),
        "{shown}"
    );
    assert_eq!(
        (&shown["models"][0]["role"], &shown["models"][0]["model"]),
        (&json!("wise"), &json!("scripted"))
    );
    replays(&house, &model);
    house.chain_holds();
}

#[test]
fn the_question_holds_the_grammar_the_pool_and_the_clock_and_no_chance() {
    let model = Model::planning(photos());
    let house = house(&model);
    ask(&house, LOOSE);
    let [seen] = &model.seen()[..] else { panic!("{:?}", model.seen().len()) };
    let grammar = seen.body["grammar"].as_str().unwrap();
    assert!(grammar.contains("find_files") && grammar.contains("modified_after"), "{grammar}");
    assert_eq!((&seen.body["temperature"], &seen.body["cache_prompt"]), (&json!(0), &json!(false)));
    assert!(seen.body["seed"].is_u64() && seen.body["max_tokens"].as_u64().unwrap() <= 1200);
    let user = seen.body["messages"][1]["content"].as_str().unwrap();
    assert!(user.contains(LOOSE) && user.contains("2026-11-15") && user.contains("find_files("), "{user}");
}

#[test]
fn what_is_understood_without_a_model_asks_none_and_without_a_model_nothing_changes() {
    let model = Model::planning(photos());
    let house = configured("");
    for text in ["how many files are in Pictures?", "what can you do?", "rename Pictures/a.jpg"] {
        configure(&house, "");
        let without = ask(&house, text).json();
        bind(&house, &model);
        assert_eq!(ask(&house, text).json()["text"], without["text"], "{text}");
    }
    assert!(model.seen().is_empty());
    configure(&house, "");
    let gap = ask(&house, LOOSE);
    assert_eq!((gap.code, &gap.json()["status"]), (Some(1), &json!("gap")));
    assert!(gap.json()["by_model"].is_null(), "{gap:?}");
    // How one could be bound is said once.
    let again = ask(&house, LOOSE);
    assert!(!again.json()["text"].as_str().unwrap().contains("model"), "{again:?}");
}

/// Each way to misbehave: what the person is told, and that nothing ran.
#[test]
fn whatever_a_server_does_no_wrong_step_runs_and_the_person_is_told() {
    let wrong = |tool: &str, args: Value| Say::Text(plan(json!([{ "tool": tool, "args": args }])));
    let cases: Vec<(&str, Say, &str)> = vec![
        ("malformed", Say::Body("{\"choices\": [".into()), "usable answer"),
        ("no message", Say::Body("{}".into()), "usable answer"),
        ("truncated", Say::Cut("{\"plans\":[{\"steps\":[".into()), "usable answer"),
        ("looping", Say::Text("a plan ".repeat(40_000)), "usable answer"),
        ("slow", Say::Late(Duration::from_secs(8)), "in time"),
        ("wrong tool", wrong("erase_everything", json!({})), "erase_everything"),
        ("unknown argument", wrong("find_files", json!({ "force": true })), "force"),
        ("wrong type", wrong("find_files", json!({ "size_min": "big" })), "size_min"),
        ("wrong word", wrong("find_files", json!({ "kind": "ghost" })), "ghost"),
        ("forward", wrong("sort_entries", json!({ "from_step": 1, "by": "size" })), "step"),
        ("talk", Say::Text("Sure, here is a plan: rm -rf ~".into()), "twice"),
        ("429", Say::Status(429, "{}"), "no more requests"),
        ("500", Say::Status(500, "oops"), "500"),
        ("401", Say::Status(401, r#"{"error":{"message":"who are you"}}"#), "who are you"),
        ("hang up", Say::HangUp, "model"),
        ("huge", Say::Bytes(3 << 20), "usable answer"),
    ];
    let house = configured("");
    for (name, say, said) in cases {
        let model = Model::saying(vec![say]);
        bind(&house, &model);
        let (began, before) = (Instant::now(), ran(&house));
        let told = ask(&house, LOOSE);
        let answer = told.json();
        assert_eq!((told.code, &answer["status"]), (Some(1), &json!("failed")), "{name}: {told:?}");
        let text = answer["text"].as_str().unwrap();
        assert!(text.contains(said), "{name}: {text}");
        assert!(text.contains("Nothing was done") && text.contains("still works"), "{name}: {text}");
        assert!(began.elapsed() < Duration::from_secs(60), "{name}");
        assert_eq!(ran(&house), before, "{name}: nothing ran");
        assert!(model.seen().len() <= 4, "{name}: {} requests", model.seen().len());
    }
    replays(&house, &Model::saying(vec![Say::HangUp]));
}

#[test]
fn nobody_there_is_said_in_the_language_that_was_spoken_and_the_rest_goes_on() {
    let nobody = "[tiers.wise]\nkind = \"openai\"\nurl = \"http://127.0.0.1:9\"\nmodel = \"m\"\n";
    let house = configured(nobody);
    let told = ask(&house, "frobnica lo zzyzx di Immagini");
    assert_eq!(told.code, Some(1), "{told:?}");
    let text = told.json()["text"].as_str().unwrap().to_owned();
    assert!(text.contains("non è raggiungibile") && text.contains("funziona ancora"), "{text}");
    assert_eq!(ask(&house, "how many files are in Pictures?").json()["text"], "3");
}

#[test]
fn a_plan_that_may_not_run_is_asked_for_once_more_with_the_reason() {
    let wrong = plan(json!([{ "tool": "erase_everything", "args": {} }]));
    // The first two answers are one question: a grammar that was ignored is followed by a schema.
    let model = Model::saying(vec![Say::Text(wrong.clone()), Say::Text(wrong), Say::Text(plan(photos()))]);
    let house = house(&model);
    let told = ask(&house, LOOSE);
    assert_eq!(told.code, Some(0), "{told:?}");
    let seen = model.seen();
    assert_eq!(seen.len(), 3);
    assert!(seen[1].body["response_format"].is_object());
    assert!(seen[2].body["messages"][1]["content"].as_str().unwrap().contains("erase_everything"));
    replays(&house, &model);
}

#[test]
fn a_server_without_grammars_is_given_a_schema() {
    let house = configured("");
    for say in [Say::NoGrammar(plan(photos())), Say::IgnoresGrammar(plan(photos()))] {
        let model = Model::saying(vec![say]);
        bind(&house, &model);
        let told = ask(&house, LOOSE);
        assert_eq!(told.code, Some(0), "{told:?}");
        let seen = model.seen();
        assert_eq!((seen.len(), seen[1].body["response_format"]["type"].as_str()), (2, Some("json_schema")));
        assert!(seen[1].body.get("grammar").is_none());
    }
}

#[test]
fn a_failure_that_passes_is_tried_once_more() {
    let house = configured("");
    for first in [Say::Status(503, ""), Say::Status(429, ""), Say::HangUp] {
        let model = Model::saying(vec![first, Say::Text(plan(photos()))]);
        bind(&house, &model);
        let told = ask(&house, LOOSE);
        assert_eq!((told.code, model.seen().len()), (Some(0), 2), "{told:?}");
    }
}

#[test]
fn what_the_model_finds_nothing_for_is_a_gap() {
    let model = Model::saying(vec![Say::Text("{\"plans\":[]}".into())]);
    let house = house(&model);
    let told = ask(&house, "order me a pizza");
    assert_eq!((told.code, &told.json()["status"]), (Some(1), &json!("gap")), "{told:?}");
    assert_eq!(model.seen().len(), 1);
}

#[test]
fn a_change_that_a_model_planned_asks_like_any_other() {
    let model = Model::planning(json!([
        { "tool": "find_files", "args": { "base_path": "~/Pictures", "kind": "image" } },
        { "tool": "delete_files", "args": { "from_step": 1 } },
    ]));
    let house = house(&model);
    let told = ask(&house, "purge the photos lurking in Pictures");
    assert_eq!((told.code, &told.json()["status"]), (Some(4), &json!("waits")), "{told:?}");
    assert!(house.home().join("Pictures/a.jpg").exists());
    let approval = told.json()["approval"].as_str().unwrap().to_owned();
    let done = house.run(&["--json", "approve", &approval]);
    assert_eq!((done.code, &done.json()["by_model"]), (Some(0), &json!(true)), "{done:?}");
    assert!(!house.home().join("Pictures/a.jpg").exists());
    replays(&house, &model);
    house.chain_holds();
}

#[test]
fn a_core_path_that_a_model_names_is_refused() {
    let model = Model::planning(json!([{ "tool": "read_files", "args": { "paths": ["/etc/shadow"] } }]));
    let house = house(&model);
    let told = ask(&house, "grok the zorgly shadow wombat");
    assert_eq!(told.code, Some(1), "{told:?}");
    assert_eq!(told.json()["status"], "failed", "{told:?}");
    assert!(told.json()["entries"].as_array().unwrap().is_empty(), "{told:?}");
}

#[test]
fn a_step_that_fails_for_its_arguments_is_planned_again_once_while_nothing_was_changed() {
    // The executor itself refuses this date: the grammar cannot know the calendar.
    let bad = json!([{ "tool": "find_files", "args": { "base_path": "~/Pictures", "modified_after": "2026-02-31" } }]);
    let model = Model::saying(vec![Say::Text(plan(bad.clone())), Say::Text(plan(photos()))]);
    let house = house(&model);
    let told = ask(&house, LOOSE);
    assert_eq!(told.code, Some(0), "{told:?}");
    assert_eq!(told.json()["entries"].as_array().unwrap().len(), 2);
    let seen = model.seen();
    assert_eq!(seen.len(), 2);
    assert!(seen[1].body["messages"][1]["content"].as_str().unwrap().contains("failed"), "{seen:?}");
    replays(&house, &model);
    // Once: a second failure stands.
    let model = Model::planning(bad);
    bind(&house, &model);
    let told = ask(&house, LOOSE);
    assert_eq!((told.code, &told.json()["status"], model.seen().len()), (Some(1), &json!("failed"), 2));
    replays(&house, &model);
}

#[test]
fn a_budget_that_is_used_up_asks_nobody_and_says_so() {
    for (budget, key) in
        [("[budget]\ntokens_per_day = 100", "tokens_per_day"), ("[budget]\ncost_per_day = 1", "cost_per_day")]
    {
        let model = Model::planning(photos());
        let priced = model.bound("wise", "price_in = 3.0\nprice_out = 15.0");
        let house = configured(&format!("{priced}{budget}\n"));
        assert_eq!(ask(&house, LOOSE).code, Some(0));
        let told = ask(&house, LOOSE);
        assert_eq!(told.code, Some(1), "{told:?}");
        assert!(told.json()["text"].as_str().unwrap().contains(key), "{told:?}");
        assert_eq!(model.seen().len(), 1);
        let first = house.run(&["--json", "turns"]).json()[1]["turn"].as_str().unwrap().to_owned();
        assert_eq!(house.run(&["--json", "turns", &first]).json()["cost"], 100 * 3 + 20 * 15);
    }
}

#[test]
fn a_key_comes_from_the_vault_travels_in_its_header_and_shows_nowhere() {
    const KEY: &str = "sk-test-0123456789abcdef0123";
    let model = Model::saying(vec![Say::Status(
        401,
        r#"{"error":{"message":"bad key sk-test-0123456789abcdef0123"}}"#,
    )]);
    let house = configured(&model.bound("wise", "credential = \"models\""));
    let missing = ask(&house, LOOSE);
    assert!(missing.json()["text"].as_str().unwrap().contains("models"), "{missing:?}");
    assert!(model.seen().is_empty());
    let kept = house.run_with(&["credentials", "set", "models"], format!("{KEY}\n").as_bytes());
    assert_eq!(kept.code, Some(0), "{kept:?}");
    let told = ask(&house, LOOSE);
    assert_eq!(told.code, Some(1), "{told:?}");
    assert!(model.seen()[0].head.contains(&format!("authorization: bearer {KEY}")));
    assert!(!told.stdout.contains(KEY) && !told.stderr.contains(KEY), "{told:?}");
    let turn = told.json()["turn"].as_str().unwrap().to_owned();
    assert!(!house.run(&["--json", "turns", &turn]).stdout.contains(KEY));
}

#[test]
fn who_waits_for_a_model_can_stop_waiting() {
    let model = Model::saying(vec![Say::Late(Duration::from_secs(30))]);
    let house = configured(&model.bound("wise", "timeout_seconds = 40"));
    let mut command = house.command();
    command.args(["--json", "ask", LOOSE]).stdout(std::process::Stdio::piped());
    let began = Instant::now();
    let child = command.spawn().unwrap();
    while model.seen().is_empty() {
        assert!(began.elapsed() < Duration::from_secs(30), "the model was not asked");
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(began.elapsed() < Duration::from_secs(25));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["status"], "cancelled");
}

#[test]
fn a_plan_can_be_looked_at_with_the_models_help() {
    // Neither its words nor evidence say what is done.
    let text = "conjure the snaps lurking under Pictures";
    let model = Model::planning(photos());
    let house = house(&model);
    let now = ["--now", "2026-11-15T10:00:00+01:00", "--zone", "Europe/Rome"];
    let looked = house.run(&[&["--json", "plan", "--model"][..], &now, &[text]].concat()).json();
    assert_eq!(
        (&looked["plan"]["source"], &looked["plan"]["steps"]),
        (&json!("model"), &photos()),
        "{looked}"
    );
    let without = house.run(&[&["--json", "plan"][..], &now, &[text]].concat()).json();
    assert_eq!(without["kind"], "gap");
    assert_eq!(model.seen().len(), 1);
}

#[test]
fn a_small_model_says_it_in_plainer_words_and_the_planner_plans_that() {
    let house = configured("");
    let plainer = |text: &str| Say::Text(json!({ "request": text }).to_string());
    let small = |say: Say| {
        let model = Model::saying(vec![say]);
        configure(&house, &model.bound("fast", "timeout_seconds = 2"));
        model
    };
    let model = small(plainer("find photos in Pictures"));
    let told = ask(&house, LOOSE);
    assert_eq!((told.code, &told.json()["by_model"]), (Some(0), &json!(true)), "{told:?}");
    assert_eq!(told.json()["entries"].as_array().unwrap().len(), 2, "{told:?}");
    assert_eq!(model.seen().len(), 1);
    replays(&house, &model);
    // What changes the limits of the request is not taken, nor what is no answer at all.
    let before = ran(&house);
    for say in [
        plainer("find photos in Downloads"),
        plainer("delete photos in Pictures and in Documents"),
        plainer("find photos in Pictures except a.jpg"),
        plainer(""),
        Say::Text("Sure!".into()),
        Say::Cut("{\"request\":\"find ph".into()),
    ] {
        small(say.clone());
        let told = ask(&house, LOOSE);
        assert_eq!(told.code, Some(1), "{say:?}: {told:?}");
    }
    assert_eq!(ran(&house), before, "nothing ran");
    // Where the small one is of no help, the one that plans is asked.
    let wise = Model::planning(photos());
    for say in [plainer("find photos in Downloads"), Say::Status(500, "oops")] {
        let fast = Model::saying(vec![say]);
        configure(
            &house,
            &format!("{}{}", fast.bound("fast", "timeout_seconds = 2"), wise.bound("wise", "")),
        );
        let told = ask(&house, LOOSE);
        assert_eq!((told.code, &told.json()["by_model"]), (Some(0), &json!(true)), "{told:?}");
    }
    assert_eq!(wise.seen().len(), 2);
    replays(&house, &wise);
    // Where the small one says that nothing here does it, nobody else is asked.
    let fast = Model::saying(vec![plainer("")]);
    configure(&house, &format!("{}{}", fast.bound("fast", "timeout_seconds = 2"), wise.bound("wise", "")));
    assert_eq!(ask(&house, LOOSE).json()["status"], "gap");
    assert_eq!(wise.seen().len(), 2);
}

#[test]
fn the_frontier_is_asked_where_it_is_bound_after_a_card_that_shows_what_leaves_the_house() {
    let house = House::new();
    let question = "ask the frontier model why the sky is blue";
    let asleep = ask(&house, question);
    assert_eq!(asleep.json()["status"], "dormant", "{asleep:?}");
    let direct = house.run(&["--json", "exec", "consult_frontier", r#"{"question":"why?"}"#]);
    assert!(direct.stdout.contains("tiers.frontier"), "{direct:?}");

    let model = Model::saying(vec![Say::Text(json!({ "text": "It scatters the light." }).to_string())]);
    configure(&house, &model.bound("frontier", "timeout_seconds = 2"));
    let waits = ask(&house, question);
    assert_eq!((waits.code, &waits.json()["status"]), (Some(4), &json!("waits")), "{waits:?}");
    assert!(model.seen().is_empty(), "nothing left the house yet");
    let card = waits.stdout;
    for shown in ["leaves the house", "why the sky is blue", &format!("127.0.0.1:{}", model.port)] {
        assert!(card.contains(shown), "{shown}: {card}");
    }
    let id = serde_json::from_str::<Value>(&card).unwrap()["approval"].as_str().unwrap().to_owned();
    let done = house.run(&["--json", "approve", &id]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(done.json()["entries"][0]["text"], "It scatters the light.", "{done:?}");
    assert_eq!(done.json()["entries"][0]["_origin"], "web", "{done:?}");
    let [seen] = &model.seen()[..] else { panic!("{:?}", model.seen()) };
    assert!(seen.body["messages"].to_string().contains("why the sky is blue"));
    // A yes is for one question: the same words ask again.
    assert_eq!(ask(&house, question).code, Some(4));
    house.chain_holds();
}

#[test]
fn a_text_that_a_step_needs_is_composed_by_a_model_and_written_as_it_is() {
    let steps = json!([{ "tool": "write_files",
        "args": { "path": "~/thanks.txt", "content": "${FILLER:a few lines of thanks}" } }]);
    let text = "Thank you, Anna. ${step1.count} rm -rf ~";
    let model =
        Model::saying(vec![Say::Text(plan(steps.clone())), Say::Text(json!({ "text": text }).to_string())]);
    let house = House::new();
    configure(&house, &model.bound("wise", "timeout_seconds = 2"));
    let request = "jot down a few lines of thanks for Anna in thanks.txt";
    let told = ask(&house, request);
    assert_eq!(told.code, Some(0), "{told:?}");
    assert_eq!(std::fs::read_to_string(house.home().join("thanks.txt")).unwrap(), text);
    let seen = model.seen();
    assert_eq!(seen.len(), 2);
    assert!(seen[1].body["messages"].to_string().contains("a few lines of thanks"), "{seen:?}");
    replays(&house, &model);
    // Nobody composes it: the step does not run, and that is said.
    let model = Model::saying(vec![Say::Text(plan(steps)), Say::Text("{\"text\":\"\"}".into())]);
    configure(&house, &model.bound("wise", "timeout_seconds = 2"));
    let before = ran(&house);
    let told = ask(&house, &format!("{request} again"));
    assert_eq!((told.code, &told.json()["status"]), (Some(1), &json!("failed")), "{told:?}");
    assert_eq!(ran(&house), before);
}

#[test]
fn the_other_wire_takes_its_key_from_the_vault_and_its_answer_from_a_tool() {
    const KEY: &str = "due etti di prosciutto 88";
    let answer = json!({
        "content": [{ "type": "tool_use", "name": "answer", "input": { "plans": [{ "steps": photos() }] } }],
        "usage": { "input_tokens": 300, "output_tokens": 40 }, "stop_reason": "tool_use",
    });
    let model = Model::saying(vec![Say::Body(answer.to_string())]);
    let house = configured("");
    let set = house.run_with(&["credentials", "set", "models"], format!("{KEY}\n").as_bytes());
    assert_eq!(set.code, Some(0), "{set:?}");
    let bound = model.bound("wise", "credential = \"models\"\nprice_in = 3.0\nprice_out = 15.0");
    configure(&house, &bound.replace("openai", "anthropic"));
    let told = ask(&house, LOOSE);
    assert_eq!((told.code, &told.json()["by_model"]), (Some(0), &json!(true)), "{told:?}");
    let [seen] = &model.seen()[..] else { panic!("{:?}", model.seen().len()) };
    assert!(seen.head.starts_with("post /v1/messages "), "{}", seen.head);
    assert!(seen.head.contains(&format!("x-api-key: {KEY}")) && seen.head.contains("anthropic-version: "));
    assert_eq!(seen.body["tool_choice"]["name"], "answer");
    assert!(seen.body["tools"][0]["input_schema"].to_string().contains("find_files"));
    let shown = house.run(&["--json", "turns", told.json()["turn"].as_str().unwrap()]);
    // 300 tokens at 3 and 40 at 15 for a million, in millionths.
    assert_eq!((&shown.json()["tokens"], &shown.json()["models"][0]["cost"]), (&json!(340), &json!(1500)));
    for ran in [&told, &shown, &house.run(&["audit", "tail"])] {
        assert!(!ran.stdout.contains(KEY) && !ran.stderr.contains(KEY), "{ran:?}");
    }
    let cut = json!({ "content": [{ "type": "text", "text": "{" }], "stop_reason": "max_tokens" });
    let model = Model::saying(vec![Say::Body(cut.to_string())]);
    configure(&house, &model.bound("wise", "timeout_seconds = 2").replace("openai", "anthropic"));
    let told = ask(&house, LOOSE);
    assert_eq!((told.code, &told.json()["status"]), (Some(1), &json!("failed")), "{told:?}");
}

#[test]
fn a_word_that_leaves_something_out_is_explained_away_by_nobody() {
    let model = Model::planning(json!([
        { "tool": "find_files", "args": { "base_path": "~/Downloads" } },
        { "tool": "delete_files", "args": { "from_step": 1 } },
    ]));
    let house = house(&model);
    house.write("Downloads/a.txt", "a");
    let told = ask(&house, "delete the big files in Downloads");
    assert!(told.stdout.contains("big"), "{told:?}");
    assert!(told.json()["by_model"].is_null(), "a plan that changes something is not taken: {told:?}");
    assert!(house.home().join("Downloads/a.txt").exists());
}
