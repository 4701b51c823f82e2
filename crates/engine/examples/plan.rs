//! `plan --batch FILE.jsonl --now INSTANT --zone NAME [--lang xx] [--explain]`: one line a request.
//! `plan "request" …` for one.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example that prints")]

use metnos_engine::{Catalog, Clock, Lexicons, Planner, batch};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (mut file, mut now, mut zone, mut lang, mut explain, mut text) =
        (None, String::new(), "UTC".to_owned(), None, false, None);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--batch" => file = args.next(),
            "--now" => now = args.next().unwrap_or_default(),
            "--zone" => zone = args.next().unwrap_or_default(),
            "--lang" => lang = args.next(),
            "--explain" => explain = true,
            _ => text = Some(arg),
        }
    }
    let now = if now.is_empty() { jiff::Timestamp::now().to_string() } else { now };
    let clock = Clock::parse(&now, &zone)?;
    let planner = Planner::new(Catalog::shipped()?, Lexicons::shipped()?);
    let input = match (file, text) {
        (Some(file), _) => std::fs::read_to_string(file)?,
        (None, Some(text)) => serde_json::json!({"query": text}).to_string(),
        (None, None) => return Err("nothing to plan".into()),
    };
    for answer in batch::run(&planner, &input, &clock, lang.as_deref(), explain)? {
        println!("{answer}");
    }
    Ok(())
}
