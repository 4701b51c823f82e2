//! `metnos plan`: what would be done; nothing runs.

use super::ask::{Chat, moment, steps};
use super::exec;
use crate::cli::Plan as PlanArgs;
use crate::print::{self, Printer};
use metnos_engine::{Answer, Catalog, Clock, Explain, Lexicons, Planner, batch};
use metnos_executor::Failure;
use metnos_gateway::{Asked, Gateway, Maker, Thought};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

/// The longest batch of requests.
const BATCH_MAX: u64 = 64 << 20;

/// Shows what would be done; nothing runs.
pub(crate) fn plan(printer: Printer, args: &PlanArgs) -> Result<ExitCode, Failure> {
    if args.model {
        return with_model(printer, args);
    }
    let broken = |e: String| Failure::internal(e);
    let catalog =
        Catalog::shipped().map_err(|e| broken(e.to_string()))?.awaken(&metnos_runtime::awake(&|_| false));
    let planner = Planner::new(catalog, Lexicons::shipped().map_err(|e| broken(e.to_string()))?);
    let clock = Clock::at(moment(args.now.as_deref(), args.zone.as_deref())?);
    if let Some(file) = &args.batch {
        let text = text_of(file)?;
        let answers = batch::run(&planner, &text, &clock, args.lang.as_deref(), args.explain)
            .map_err(Failure::wrong_args)?;
        let mut out = String::new();
        for answer in answers {
            out.push_str(&answer.to_string());
            out.push('\n');
        }
        print::prompt(&out);
        return Ok(ExitCode::SUCCESS);
    }
    let line = batch::Line {
        id: String::new(),
        query: args.request.join(" "),
        lang: args.lang.clone(),
        context: args.after.clone(),
    };
    let request =
        metnos_engine::Request { text: &line.query, language: line.lang.as_deref(), context: &line.context };
    let (mut answer, why) = planner.plan(&request, &clock);
    let stage = match args.explain {
        true => foreseen(args, &line, &planner, &mut answer)?,
        false => None,
    };
    if printer.json {
        let mut record = batch::record(&line.id, &answer);
        if args.explain {
            record["explain"] = json!(why);
            record["explain"]["stage"] = json!(stage);
        }
        printer.value(&record);
        return Ok(ExitCode::SUCCESS);
    }
    tell(printer, &answer, &why, args.explain);
    if args.explain {
        printer.say(format!("stage {}", stage.unwrap_or("embedded")));
    }
    Ok(ExitCode::SUCCESS)
}

/// The stage that would give the plan here and now: the phrases that ship, then what this Metnos has learned, if there
/// is one. A plan from memory takes the place of `answer`.
fn foreseen(
    args: &PlanArgs,
    line: &batch::Line,
    planner: &Planner,
    answer: &mut Answer,
) -> Result<Option<&'static str>, Failure> {
    if planner.literal(&line.query, line.lang.as_deref()).is_some() {
        return Ok(Some("literal"));
    }
    if !super::home()?.state_dir().join("metnos.sqlite").exists() {
        return Ok(Some("embedded"));
    }
    let gateway = Gateway::new(super::runtime(false)?)?;
    let asked = Asked {
        text: line.query.clone(),
        language: line.lang.clone(),
        now: moment(args.now.as_deref(), args.zone.as_deref())?,
        caller: super::USER.into(),
        conversation: super::session(),
        session: super::session(),
        base: exec::here()?,
    };
    let (stage, plan) = gateway.foresee(&asked, line.context.clone())?;
    if let Some(plan) = plan {
        *answer = Answer::Plan(plan);
    }
    Ok(stage.map(metnos_gateway::Stage::word))
}

/// The same, with a model's help where one is bound and nothing else fits.
fn with_model(printer: Printer, args: &PlanArgs) -> Result<ExitCode, Failure> {
    let gateway = Gateway::new(super::runtime(false)?)?;
    let mut door = Chat::new(printer)?;
    let now = moment(args.now.as_deref(), args.zone.as_deref())?;
    let think = |line: &batch::Line, door: &mut Chat| {
        let asked = Asked {
            text: line.query.clone(),
            language: line.lang.clone().or_else(|| args.lang.clone()),
            now: now.clone(),
            caller: super::USER.to_owned(),
            conversation: String::new(),
            session: super::session(),
            base: exec::here()?,
        };
        gateway.think(&asked, &line.context, door)
    };
    let Some(file) = &args.batch else {
        let line = batch::Line {
            id: String::new(),
            query: args.request.join(" "),
            lang: args.lang.clone(),
            context: args.after.clone(),
        };
        let thought = think(&line, &mut door)?;
        printer.progress_end();
        printer.value(&written("", &thought, args.explain));
        tell(printer, &thought.answer, &thought.explain, args.explain);
        if let Some(why) = &thought.unhelped {
            printer.say(format!("no help from the model: {why}"));
        }
        return Ok(ExitCode::SUCCESS);
    };
    for (n, text) in text_of(file)?.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        let line: batch::Line = serde_json::from_str(text)
            .map_err(|error| Failure::wrong_args(format!("line {}: {error}", n + 1)))?;
        let began = std::time::Instant::now();
        let thought = think(&line, &mut door)?;
        let mut out = written(&line.id, &thought, args.explain);
        out["ms"] = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX).into();
        print::prompt(&format!("{out}\n"));
    }
    Ok(ExitCode::SUCCESS)
}

fn written(id: &str, thought: &Thought, explain: bool) -> Value {
    let mut out = batch::record(id, &thought.answer);
    out["tokens"] = thought.tokens.into();
    out["invalid_answers"] = thought.invalid.into();
    if let Some(why) = &thought.unhelped {
        out["unhelped"] = why.clone().into();
    }
    if explain {
        out["explain"] = serde_json::to_value(&thought.explain).unwrap_or(Value::Null);
    }
    out
}

/// The answer in words, and which words meant what.
fn tell(printer: Printer, answer: &Answer, why: &Explain, explain: bool) {
    match &answer {
        Answer::Plan(plan) => {
            if plan.source == Maker::Model {
                printer.say("a model made this plan:");
            }
            steps(printer, plan);
        }
        Answer::Ask(ask) => printer.say(format!("one thing is missing: {}", ask.missing.join(", "))),
        Answer::Offer(offer) => {
            for (n, choice) in offer.offers.iter().enumerate() {
                printer.say(format!("{}. {}", n + 1, choice.says));
                steps(printer, &choice.plan);
            }
        }
        Answer::Help => printer.say("a question about what Metnos can do: metnos ask help"),
        Answer::Say(what) => printer.say(format!("nothing to do, something to say: {what}")),
        Answer::Gap(gap) => printer.say(format!("nothing does that: {}", gap.reason)),
    }
    if explain {
        printer.say(format!("language {}, confidence {:.2}", why.language, why.confidence));
        for (word, meaning) in &why.used {
            printer.say(format!("  {word}: {meaning}"));
        }
        if !why.leftover.is_empty() {
            printer.say(format!("  not explained: {}", why.leftover.join(" ")));
        }
        for note in &why.notes {
            printer.say(format!("  {note}"));
        }
    }
}

pub(super) fn text_of(path: &Path) -> Result<String, Failure> {
    use std::io::Read;
    let io = |e: std::io::Error| Failure::io(path.display(), &e);
    let mut text = String::new();
    let read = match path == Path::new("-") {
        true => std::io::stdin().take(BATCH_MAX).read_to_string(&mut text),
        false => std::fs::File::open(path).map_err(io)?.take(BATCH_MAX).read_to_string(&mut text),
    };
    read.map_err(io)?;
    Ok(text)
}
