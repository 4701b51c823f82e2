//! `metnos ask`, `plan`, `replay`: requests in plain words.

use super::exec::{self, Terminal};
use crate::cli::{Ask, Plan as PlanArgs};
use crate::print::{self, Printer};
use metnos_engine::{Answer, Catalog, Clock, Lexicons, Plan, Planner, batch};
use metnos_executor::Failure;
use metnos_executor::wire::Progress;
use metnos_gateway::{Asked, Cut, Gateway, Status, Told, TurnDoor};
use metnos_runtime::Form;
use metnos_runtime::call::{Done, Door, turn_of};
use metnos_runtime::guards::{Answer as Decision, Question};
use serde_json::{Map, Value, json};
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::Path;
use std::process::ExitCode;

/// How many rows of a list are shown.
const ROWS: usize = 60;
/// The longest batch of requests.
const BATCH_MAX: u64 = 64 << 20;

/// The terminal, for a whole turn.
struct Chat {
    terminal: Terminal,
    printer: Printer,
}

impl Door for Chat {
    fn progress(&mut self, progress: &Progress) {
        self.terminal.progress(progress);
    }

    fn cancelled(&self) -> bool {
        self.terminal.cancelled()
    }

    fn fill(&mut self, form: &Form) -> Option<Vec<(String, String)>> {
        self.terminal.fill(form)
    }

    fn ask(&mut self, question: &Question) -> Decision {
        self.terminal.ask(question)
    }
}

impl TurnDoor for Chat {
    fn plan(&mut self, plan: &Plan) {
        // One step explains itself; several are shown before they run.
        if !self.printer.json && plan.steps.len() > 1 {
            steps(self.printer, plan);
        }
    }

    fn question(&mut self, text: &str) -> Option<String> {
        if self.printer.json || !std::io::stdin().is_terminal() {
            return None;
        }
        print::prompt(&format!("{text} "));
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).ok()?;
        Some(line.trim().to_owned()).filter(|line| !line.is_empty())
    }

    fn as_door(&mut self) -> &mut dyn Door {
        self
    }
}

/// Carries out one request.
pub(crate) fn ask(printer: Printer, args: &Ask) -> Result<ExitCode, Failure> {
    let gateway = Gateway::new(super::runtime(false)?)?;
    let asked = Asked {
        text: args.request.join(" "),
        language: args.lang.clone(),
        now: moment(args.now.as_deref(), args.zone.as_deref())?,
        caller: super::caller(args.by.as_deref()),
        conversation: args.conversation.clone().unwrap_or_else(super::session),
        base: exec::here()?,
    };
    one(printer, &gateway, &asked)
}

/// One request and its answer.
pub(crate) fn one(printer: Printer, gateway: &Gateway, asked: &Asked) -> Result<ExitCode, Failure> {
    let mut door = Chat { terminal: Terminal::new(printer)?, printer };
    let cut = gateway.cut_off(&asked.caller)?;
    interrupted(printer, &cut);
    let told = gateway.ask(asked, &mut door)?;
    printer.progress_end();
    let turn = told.turn.clone();
    let shown = show(printer, told, &cut);
    afterwards(gateway, &turn);
    exec::tidy(gateway.runtime());
    shown
}

/// Goes on with the turn of a step that has just been let through.
pub(crate) fn go_on(printer: Printer, gateway: &Gateway, done: Done) -> Result<ExitCode, Failure> {
    let turn = turn_of(&done.call_id).unwrap_or_default().to_owned();
    let Some(known) = gateway.turn(&turn)? else {
        let mut done = done;
        return exec::show(printer, &mut done, None);
    };
    let asked = Asked {
        text: known.request,
        language: None,
        now: exec::now(None)?,
        caller: known.caller,
        conversation: known.conversation,
        base: exec::here()?,
    };
    let mut door = Chat { terminal: Terminal::new(printer)?, printer };
    let told = gateway.resume(&turn, done, &asked, &mut door)?;
    printer.progress_end();
    let shown = show(printer, told, &[]);
    afterwards(gateway, &turn);
    shown
}

/// After the answer: what fails here loses a lesson or a little room, and nothing else.
fn afterwards(gateway: &Gateway, turn: &str) {
    let _ = gateway.learn(turn);
    let _ = gateway.tidy();
}

/// What was cut off before is said first, once.
pub(super) fn interrupted(printer: Printer, cut: &[Cut]) {
    for turn in cut {
        printer.say(format!("interrupted: “{}” of {}", turn.request, turn.at));
        turn.done.iter().for_each(|step| printer.say(format!("  done: {step}")));
        if let Some(step) = &turn.cut {
            printer.say(format!("  cut off: {step}"));
        }
        printer.say(format!("→ {}", turn.next));
    }
}

fn show(printer: Printer, told: Told, cut: &[Cut]) -> Result<ExitCode, Failure> {
    let Told { turn, ending, list, stage } = told;
    let mut rows: Vec<Map<String, Value>> = Vec::new();
    for line in list.into_iter().flat_map(|list| BufReader::new(list).split(b'\n')) {
        let line = line.map_err(|e| Failure::io("the answer", &e))?;
        if printer.json || rows.len() <= ROWS {
            rows.extend(serde_json::from_slice::<Map<String, Value>>(&line).ok());
        }
    }
    if printer.json {
        let mut value = json!({ "turn": turn, "status": ending.status, "stage": stage, "text": ending.text, "entries": rows });
        if !cut.is_empty() {
            value["interrupted"] = json!(cut);
        }
        for (key, field) in [("next", &ending.next), ("approval", &ending.approval)] {
            if let Some(field) = field {
                value[key] = field.clone().into();
            }
        }
        printer.value(&value);
    } else {
        printer.table(&rows);
        printer.say(&ending.text);
        if let Some(next) = &ending.next {
            printer.say(format!("→ {next}"));
        }
    }
    Ok(ExitCode::from(match ending.status {
        Status::Done => 0,
        Status::Waits | Status::Asks => 4,
        Status::Cancelled => 130,
        _ => 1,
    }))
}

/// Shows what would be done; nothing runs.
pub(crate) fn plan(printer: Printer, args: &PlanArgs) -> Result<ExitCode, Failure> {
    let broken = |e: String| Failure::internal(e);
    let catalog = Catalog::shipped().map_err(|e| broken(e.to_string()))?.awaken(&metnos_runtime::BUILTINS);
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
    match &answer {
        Answer::Plan(plan) => steps(printer, plan),
        Answer::Ask(ask) => printer.say(format!("one thing is missing: {}", ask.missing.join(", "))),
        Answer::Help => printer.say("a question about what Metnos can do: metnos ask help"),
        Answer::Gap(gap) => printer.say(format!("nothing does that: {}", gap.reason)),
    }
    if args.explain {
        printer.say(format!("stage {}", stage.unwrap_or("embedded")));
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
        base: exec::here()?,
    };
    let (stage, plan) = gateway.foresee(&asked, line.context.clone())?;
    if let Some(plan) = plan {
        *answer = Answer::Plan(plan);
    }
    Ok(stage.map(metnos_gateway::Stage::word))
}

/// Decides a turn again from its log.
pub(crate) fn replay(printer: Printer, turn: &str, diff: bool) -> Result<ExitCode, Failure> {
    let gateway = Gateway::new(super::runtime(false)?)?;
    let replayed = gateway.replay(turn)?;
    printer.value(&serde_json::to_value(&replayed).map_err(|e| Failure::internal(e.to_string()))?);
    let same = replayed.differences.is_empty();
    let verdict = if same { "the same, byte for byte" } else { "something else would be decided now" };
    printer.say(format!("{} events: {verdict}", replayed.events));
    for (n, then, now) in replayed.differences.iter().filter(|_| diff) {
        printer.say(format!("event {n}"));
        then.iter().for_each(|effect| printer.say(format!("- {effect}")));
        now.iter().for_each(|effect| printer.say(format!("+ {effect}")));
    }
    Ok(if same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

pub(super) fn steps(printer: Printer, plan: &Plan) {
    for (n, step) in plan.steps.iter().enumerate() {
        let args: Vec<String> = step.args.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let asleep =
            step.dormant.as_ref().map(|why| format!("   (cannot run yet: {why})")).unwrap_or_default();
        printer.say(format!("{}. {} {}{asleep}", n + 1, step.tool, args.join(" ")));
    }
}

fn moment(now: Option<&str>, zone: Option<&str>) -> Result<jiff::Zoned, Failure> {
    let Some(now) = now else { return exec::now(zone) };
    let wrong = |e: jiff::Error| Failure::wrong_args(format!("--now: {e}"));
    let at: jiff::Timestamp = now.parse().map_err(wrong)?;
    match zone {
        Some(zone) => at.in_tz(zone).map_err(|e| Failure::wrong_args(format!("--zone: {e}"))),
        None => Ok(at.to_zoned(jiff::tz::TimeZone::system())),
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
