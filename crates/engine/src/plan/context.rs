//! A request inside its conversation: timing first, then clauses; what went before gives pronouns their meaning.

use super::again::{again, without};
use super::answer::{Answer, Ask, Explain, Gap, Leans, Plan};
use super::around::{Around, ceases};
use super::compose::{Build, List, Stop};
use super::join::joined;
use super::respell::{Correction, Meant, meant};
use super::say::{spoken, wonders};
use super::times::more_time;
use super::unsure::{Unsure, after, settled};
use super::{Planner, Step};
use crate::catalog::{Role, Type};
use crate::clock::Clock;
use crate::lexicon::Lexicon;
use crate::parse::{
    Clause, Frame, Item, Timing, Told, VAGUE, appositions, asks, compared, items, ordered, spared, split,
    timing, together, told, whole_paths, without_purposes, without_reasons,
};
use crate::text::Lit;
use metnos_vocab::Class;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What a conversation remembers.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// The frames of the last request that was planned.
    frames: Vec<Frame>,
    /// Its last list: what it is, its fields, and whether there may be others.
    list: Option<(String, BTreeMap<String, Type>, bool)>,
    /// Whether it is unsure that the list is the one that is meant.
    unsure: Option<Unsure>,
}

impl Memory {
    /// A conversation in which things of this kind were spoken of last.
    pub(super) fn about(object: &str) -> Self {
        Self { list: Some((object.to_owned(), BTreeMap::new(), false)), ..Self::default() }
    }
}

/// A request, read: what the words say, before any executor is chosen.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// Its clauses.
    pub(crate) frames: Vec<Frame>,
    /// The last list of the conversation: what its records are, their fields, and whether there may be others.
    pub(crate) turn: Option<(String, BTreeMap<String, Type>, bool)>,
    /// The clauses of the last request of the conversation.
    pub(super) before: Vec<Frame>,
    /// Whether it is unsure that this list is the one that is meant.
    pub(crate) unsure: Option<Unsure>,
    /// The answer, where the words alone give it.
    pub(super) said: Option<Answer>,
    pub(super) explain: Explain,
    /// Words that were taken for others.
    pub(super) corrected: Vec<Correction>,
}

impl Reading {
    /// Whether executors are still to be chosen.
    pub(crate) fn is_open(&self) -> bool {
        self.said.is_none() && !self.frames.is_empty()
    }

    /// What the words lean on, and the language they are read in.
    pub fn explain(&self) -> &Explain {
        &self.explain
    }

    /// Words that were taken for others.
    pub fn corrected(&self) -> &[Correction] {
        &self.corrected
    }

    pub(super) fn said(answer: Answer, explain: Explain) -> Self {
        Self { said: Some(answer), explain, ..Self::default() }
    }
}

/// Answers one request and remembers it.
pub(super) fn answer(
    planner: &Planner,
    lexicon: &Lexicon,
    text: &str,
    clock: &Clock,
    memory: &mut Memory,
) -> (Answer, Explain) {
    let reading = read(planner, lexicon, text, clock, memory);
    let (answer, list, explain) = compose(planner, &reading);
    memory.unsure = after(planner, &answer, memory.unsure);
    if matches!(answer, Answer::Plan(_)) && reading.said.is_none() {
        memory.frames = reading.frames;
        if let Some(list) = list {
            memory.list = Some((list.object, list.gives, list.open));
        }
    }
    (answer, explain)
}

/// Reads one request of a conversation; where some words mean nothing, without what is only told beside it.
pub(super) fn read(
    planner: &Planner,
    lexicon: &Lexicon,
    text: &str,
    clock: &Clock,
    memory: &mut Memory,
) -> Reading {
    let reading = read_whole(planner, lexicon, text, clock, memory);
    if !matches!(reading.said, Some(Answer::Gap(_))) {
        return reading;
    }
    let told = told(&items(text, lexicon), &planner.lexicons.senses);
    for Told { place, mild } in told {
        let text = format!("{} {}", &text[..place.start], &text[place.end..]);
        let mut kept = memory.clone();
        let mut again = read_whole(planner, lexicon, &text, clock, &mut kept);
        let understood = match compose(planner, &again).0 {
            Answer::Plan(plan) => !mild || changes_nothing(planner, &plan),
            Answer::Ask(_) => !mild,
            _ => false,
        };
        if understood {
            again.explain.notes.push("without what is told beside the request".to_owned());
            *memory = kept;
            return again;
        }
    }
    respelled(planner, lexicon, text, clock, memory).unwrap_or(reading)
}

/// How words are marked as used that only make a request polite.
const POLITE: &str = "polite";

/// Reads it with its unknown words as they were probably meant, where that makes sense of it.
fn respelled(
    planner: &Planner,
    lexicon: &Lexicon,
    text: &str,
    clock: &Clock,
    memory: &mut Memory,
) -> Option<Reading> {
    for Meant { text, corrected, sure } in meant(text, lexicon) {
        let mut kept = memory.clone();
        let mut again = read_whole(planner, lexicon, &text, clock, &mut kept);
        // A word that may narrow what is meant must not become one that says nothing.
        let speaks = |word: &Correction| {
            let says = |(by, how): &(String, String)| how != POLITE && by.split(' ').any(|w| w == word.read);
            again.explain.used.iter().any(says)
        };
        let understood = match compose(planner, &again).0 {
            Answer::Plan(plan) => (sure || changes_nothing(planner, &plan)) && corrected.iter().all(speaks),
            Answer::Ask(_) => sure && corrected.iter().all(speaks),
            Answer::Say(_) | Answer::Help => true,
            Answer::Gap(_) | Answer::Offer(_) => false,
        };
        if understood {
            again.corrected = corrected;
            *memory = kept;
            return Some(again);
        }
    }
    None
}

/// Whether every step only looks, or works on what was looked up.
fn changes_nothing(planner: &Planner, plan: &Plan) -> bool {
    let mild = |step: &Step| planner.catalog.get(&step.tool).is_some_and(|tool| tool.class != Class::Changer);
    plan.steps.iter().all(mild)
}

/// Reads one request of a conversation with all its words.
fn read_whole(
    planner: &Planner,
    lexicon: &Lexicon,
    text: &str,
    clock: &Clock,
    memory: &mut Memory,
) -> Reading {
    // Every request looks at the clock for itself.
    let clock = &clock.unasked();
    let mut explain = Explain { language: lexicon.language.clone(), ..Explain::default() };
    let senses = &planner.lexicons.senses;
    let items = whole_paths(items(text, lexicon), text, lexicon, senses);
    if asks_for_help(&items) {
        explain.confidence = 1.0;
        return Reading::said(Answer::Help, explain);
    }
    if let Some(said) = spoken(&items).or_else(|| wonders(&items, senses)) {
        explain.confidence = 1.0;
        return Reading::said(Answer::Say(said), explain);
    }
    let items = without_purposes(without_reasons(together(items, lexicon, senses), senses), senses);
    let asked = asks(&items, senses);
    if let Some(not) = not_reminded(planner, &items).or_else(|| ceases(&items, lexicon, senses)) {
        return Reading::said(Answer::Gap(Gap::new("nothing is to be remembered", vec![not])), explain);
    }
    if let Some(timing) =
        timing(&items, lexicon, senses, clock).filter(|t| !asked && schedules(planner, &items, t))
    {
        let answer = scheduled(planner, lexicon, text, &items, &timing, &mut explain);
        explain.leans = Leans { clock: true, request: true, topic: true, list: true };
        // What cannot be done now cannot be done later either, and later nobody knows what was spoken of.
        if let (Answer::Plan(plan), false) = (&answer, reminds(planner, &items))
            && let Some(query) = plan
                .steps
                .first()
                .and_then(|step| planner.catalog.get(&step.tool).zip(Some(step)))
                .and_then(|(tool, step)| step.args.get(&tool.arg(Role::Task)?.name))
                .and_then(Value::as_str)
            && let (inner, _) = self::answer(planner, lexicon, query, clock, &mut Memory::default())
            && let Some(why) = not_later(planner, inner, &timing)
        {
            return Reading::said(why, explain);
        }
        if let Answer::Plan(plan) = &answer {
            memory.frames.clear();
            memory.list = plan
                .steps
                .last()
                .and_then(|s| planner.catalog.get(&s.tool))
                .map(|t| (t.object().to_owned(), t.gives.clone(), t.open));
        }
        return Reading::said(answer, explain);
    }
    if !asked && reminds(planner, &items) {
        let tool = planner.catalog.tools().find(|tool| tool.takes(Role::Schedule) && !tool.takes(Role::List));
        let missing =
            tool.and_then(|tool| tool.arg(Role::Schedule)).map(|arg| arg.name.clone()).into_iter().collect();
        let tool = tool.map(|tool| tool.name.as_str().to_owned()).unwrap_or_default();
        return Reading::said(Answer::Ask(Ask { missing, tool }), explain);
    }
    let about = items.iter().find(|i| !i.is_symbol()).is_some_and(|i| i.sense("what_about").is_some());
    let items = compared(appositions(if about { without_those(items) } else { items }), senses);
    // "my times are 3, 5 and 8. what is the average?": one request, however many sentences.
    let clauses = match Clause::new(items.clone(), lexicon, senses, clock).listed_numbers() {
        true => vec![items],
        false => split(ordered(spared(items, senses), senses), senses),
    };
    if clauses.len() > crate::parse::CLAUSES {
        return Reading::said(Answer::Gap(Gap::new("too many clauses", Vec::new())), explain);
    }
    let hint = memory
        .frames
        .last()
        .map(|f| f.object.clone())
        .filter(|o| !o.is_empty())
        .or_else(|| memory.list.as_ref().map(|(o, _, _)| o.clone()))
        .unwrap_or_default();
    let mut frames: Vec<Frame> = Vec::new();
    for clause in clauses {
        let hint = frames.last().map_or(hint.as_str(), |f| f.object.as_str()).to_owned();
        let before = frames.last().or(memory.frames.last());
        let mut clause = Clause::new(clause, lexicon, senses, clock);
        clause.after_table = before.is_some_and(|frame| frame.table);
        frames.push(clause.read(&hint));
    }
    joined(&mut frames, senses);
    explain.leans.clock = clock.was_asked();
    explain.leans.topic = frames.first().is_some_and(|frame| frame.hinted);
    if let ([frame], true) = (&frames[..], about || frames.len() == 1 && frames[0].bare) {
        explain.leans.request = true;
        if let Some(again) = again(frame, &memory.frames) {
            frames = again;
            explain.notes.push("the earlier request with other values".to_owned());
        }
    }
    let (mut leftover, mut used) = (Vec::new(), Vec::new());
    for frame in &frames {
        leftover.extend(frame.leftover.clone());
        used.extend(frame.used.iter().map(|(word, by)| (word.clone(), (*by).to_owned())));
    }
    explain.confidence =
        if used.is_empty() { 0.0 } else { used.len() as f64 / (used.len() + leftover.len()) as f64 };
    let narrows = used.iter().any(|(_, by)| by == VAGUE);
    (explain.used, explain.leftover) = (used, leftover.clone());
    let gap = |words| Gap { narrows, ..Gap::new("some words mean nothing here", words) };
    let said = (!leftover.is_empty()).then(|| Answer::Gap(gap(leftover)));
    Reading {
        frames,
        turn: memory.list.clone(),
        before: memory.frames.clone(),
        unsure: memory.unsure,
        said,
        explain,
        corrected: Vec::new(),
    }
}

/// "and those on the Desktop?": the earlier request, elsewhere; what it was about need not be said again.
fn without_those(mut items: Vec<Item>) -> Vec<Item> {
    let led = items.get(2).is_some_and(|item| item.sense("prep").is_some());
    if led && items[1].is("pron", "them") && items.iter().all(|item| item.command().is_none()) {
        items.remove(1);
    }
    items
}

/// The steps for what was read, the list they end with, and why.
pub(super) fn compose(planner: &Planner, reading: &Reading) -> (Answer, Option<List>, Explain) {
    let mut explain = reading.explain.clone();
    if let Some(said) = &reading.said {
        return (said.clone(), None, explain);
    }
    let turn = reading.turn.clone();
    let turn = turn.map(|(object, gives, open)| List { step: None, index: None, object, gives, open });
    let mut build = Build::new(planner, turn);
    build.went_before(&reading.before);
    let mut stop = None;
    for frame in &reading.frames {
        if let Err(why) = build.clause(frame) {
            stop = Some(why);
            break;
        }
    }
    explain.notes.append(&mut build.notes);
    explain.leans.list = build.leans.get();
    let answer = match stop {
        Some(Stop::Ask { tool, missing }) => Answer::Ask(Ask { missing, tool }),
        Some(Stop::Say(what)) => Answer::Say(what),
        Some(Stop::Gap(reason)) => Answer::Gap(Gap::new(reason, Vec::new())),
        None if build.steps.is_empty() => Answer::Gap(Gap::new("nothing to do", Vec::new())),
        None => settled(planner, build.plan(), &reading.frames, reading.unsure),
    };
    (answer, build.list, explain)
}

/// Whether a sentence asks what can be asked, and no other one orders anything or names something.
fn asks_for_help(items: &[Item]) -> bool {
    let small = |item: &Item| {
        ["help", "polite", "then"].iter().any(|cat| item.sense(cat).is_some())
            || item.sense("stop").is_some() && item.sense("noun").is_none() && item.command().is_none()
    };
    let helps =
        |part: &[Item]| part.iter().any(|item| item.sense("help").is_some()) && part.iter().all(small);
    let idle = |item: &Item| {
        small(item)
            || item.command().is_none() && matches!(item.lit, Lit::Word) && item.sense("noun").is_none()
    };
    let mut parts = items.split(Item::is_symbol);
    items.split(Item::is_symbol).any(helps) && parts.all(|part| part.iter().all(idle))
}

/// Whether the verb makes a task.
fn reminds(planner: &Planner, items: &[Item]) -> bool {
    let verb = |item: &Item| item.command().and_then(|id| planner.lexicons.senses.verb.get(id).cloned());
    items
        .iter()
        .find_map(|item| verb(item).filter(|_| item.sense("noun").is_none()))
        .is_some_and(|v| v.object.as_deref() == Some("tasks") && v.verb.as_deref() == Some("create"))
}

/// "don't remind me to …": the word that says so, where nothing is to be remembered.
fn not_reminded(planner: &Planner, items: &[Item]) -> Option<String> {
    let verb = items.iter().position(|item| item.command().is_some() && item.sense("noun").is_none())?;
    let before = items.get(verb.checked_sub(1)?)?;
    let not = ["not", "neg", "denied"].iter().any(|cat| before.sense(cat).is_some());
    (not && reminds(planner, items)).then(|| before.text.clone())
}

/// What is answered in place of a task: what cannot be done now, what points to a list that is gone by then, and what is
/// done to events, whose hour it may be.
fn not_later(planner: &Planner, inner: Answer, timing: &Timing) -> Option<Answer> {
    let Answer::Plan(plan) = &inner else {
        return matches!(inner, Answer::Gap(_) | Answer::Ask(_)).then_some(inner);
    };
    let list = |step: &Step| step.args.contains_key("from_turn");
    let events = |step: &Step| planner.catalog.get(&step.tool).is_some_and(|tool| tool.object() == "events");
    let why = match () {
        () if plan.steps.iter().any(list) => "what is pointed to will not be there later",
        () if !timing.recurs && plan.steps.iter().any(events) => "whose hour it is was not understood",
        () => return None,
    };
    Some(Answer::Gap(Gap::new(why, Vec::new())))
}

/// Whether a timing makes the request a task: it repeats, or the verb reminds, or something is to be done later.
fn schedules(planner: &Planner, items: &[Item], timing: &Timing) -> bool {
    let senses = &planner.lexicons.senses;
    let object_of = |item: &Item, object: &str| {
        item.command().and_then(|id| senses.verb.get(id)).is_some_and(|v| v.object.as_deref() == Some(object))
            || item
                .sense("noun")
                .and_then(|id| senses.noun.get(id))
                .is_some_and(|n| n.object.as_deref() == Some(object))
    };
    if reminds(planner, items) {
        return true;
    }
    let changes = items.iter().any(|i| {
        i.sense("noun")
            .and_then(|id| senses.noun.get(id))
            .is_some_and(|n| n.object.as_deref() == Some("tasks"))
    });
    if changes {
        return false;
    }
    // What is put on a calendar again and again is an event that recurs.
    let verb = items.iter().find_map(|i| i.command());
    let booked = |i: &Item| {
        i.sense("noun")
            .and_then(|id| senses.noun.get(id))
            .zip(verb)
            .is_some_and(|(n, v)| n.object.as_deref() == Some("events") && n.turns.contains_key(v))
    };
    let books = items.iter().any(|i| {
        booked(i)
            || i.command()
                .and_then(|id| senses.verb.get(id))
                .is_some_and(|v| v.object.as_deref() == Some("events"))
    });
    let counts = items.iter().any(|item| item.sense("stat").is_some());
    if timing.recurs && timing.schedule.is_none() && counts {
        return false;
    }
    if timing.recurs {
        return timing.at.iter().any(|r| r.start == 0)
            || !books && items.iter().any(|i| i.command().is_some());
    }
    let events = items.iter().any(|item| object_of(item, "events"));
    let inside = |at: usize| timing.at.iter().any(|r| r.contains(&at));
    let acts = items.iter().enumerate().any(|(at, i)| !inside(at) && i.command().is_some());
    !events && acts && timing.schedule.is_some()
}

/// The task that does the rest of the request at its time.
fn scheduled(
    planner: &Planner,
    lexicon: &Lexicon,
    text: &str,
    items: &[Item],
    timing: &Timing,
    explain: &mut Explain,
) -> Answer {
    let Some(tool) =
        planner.catalog.tools().find(|tool| tool.takes(Role::Schedule) && !tool.takes(Role::List))
    else {
        return Answer::Gap(Gap::new("nothing in the catalog keeps schedules", Vec::new()));
    };
    let around = Around::new(items, timing, lexicon, &planner.lexicons.senses);
    // An hour of what is to be done, or one that may be of the night or of the afternoon, is no time for a reminder.
    let sure = !reminds(planner, items) || !(timing.small_hour || around.belongs_to_deed());
    let Some(schedule) = timing.schedule.as_ref().filter(|_| sure) else {
        let missing = tool.arg(Role::Schedule).map(|arg| arg.name.clone()).into_iter().collect();
        return Answer::Ask(Ask { missing, tool: tool.name.as_str().to_owned() });
    };
    let rest: Vec<&Item> = items
        .iter()
        .enumerate()
        .filter(|(at, _)| !timing.at.iter().any(|r| r.contains(at)))
        .map(|(_, i)| i)
        .collect();
    let mut words = more_time(&rest);
    words.extend(around.unread());
    words.dedup();
    if !words.is_empty() {
        return Answer::Gap(Gap::new("not all that is said about when was understood", words));
    }
    let query = without(text, items, timing);
    let mut args = Map::new();
    for arg in &tool.args {
        let value = match arg.role {
            Some(Role::Schedule) => Value::from(schedule.clone()),
            Some(Role::Task) => Value::from(query.clone()),
            Some(Role::Times) if !timing.recurs => Value::from(1),
            _ => continue,
        };
        args.insert(arg.name.clone(), value);
    }
    explain.confidence = 1.0;
    explain.notes.push(format!("later: {schedule}"));
    let step = Step { tool: tool.name.as_str().to_owned(), args, dormant: tool.dormant.clone() };
    let final_message = "${step1.next_fire}".to_owned();
    Answer::Plan(super::Plan { steps: vec![step], final_message, ..super::Plan::default() })
}
