//! One attack: what is tried, which layer must stop it, and how its success shows from outside.

use crate::house::{Done, House, SECRET};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

type Hook = Box<dyn Fn(&House) -> Done>;
type Args = Box<dyn Fn(&House) -> Value>;
type Won = Box<dyn Fn(&House, &Value) -> bool>;

/// A cell built for the call, or one that waited for it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cell {
    /// `metnos exec`.
    Cold,
    /// `metnos exec --stdin`.
    Warm,
}

impl Cell {
    /// As the rows say it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Warm => "warm",
        }
    }
}

/// One attack in one runtime.
pub(crate) struct Attack {
    /// What is tried.
    pub(crate) name: &'static str,
    /// `native`, `python` or `cpython`.
    pub(crate) runtime: &'static str,
    /// The layer or check that must refuse it, and whose absence lets it through.
    pub(crate) layer: &'static str,
    /// The hostile executor.
    pub(crate) executor: &'static str,
    /// Its arguments.
    pub(crate) args: Args,
    /// The arguments of a harmless call with the same mounts.
    pub(crate) harmless: Args,
    /// What stands ready before anything else.
    pub(crate) before: Hook,
    /// What happens after cells were warmed and before the call.
    pub(crate) between: Hook,
    /// What happens between the check and the use.
    pub(crate) swap: Option<Swap>,
    /// Whether it succeeded.
    pub(crate) won: Won,
    /// In which cells it is tried.
    pub(crate) cells: Vec<Cell>,
    /// True when it damages the house, so that each try needs a copy.
    pub(crate) damaging: bool,
    /// True when the harmless call comes first in a cold cell too.
    pub(crate) rehearsed: bool,
    /// True when a refused call may have thrown the waiting cell away, or never needed one.
    pub(crate) any_cell: bool,
}

/// Skills that change things.
const CHANGING_SKILLS: [&str; 4] =
    ["set_contacts_candidates", "write_contacts_candidates", "set_urls_candidates", "write_urls_candidates"];

impl Attack {
    /// An attack whose success shows in the answer: the executor's own report has errno 0.
    pub(crate) fn new(
        name: &'static str,
        runtime: &'static str,
        layer: &'static str,
        executor: &'static str,
    ) -> Self {
        Self {
            name,
            runtime,
            layer,
            executor,
            args: Box::new(move |_| json!({ "attack": name })),
            harmless: Box::new(|_| json!({ "attack": "none" })),
            before: Box::new(|_| Ok(())),
            between: Box::new(|_| Ok(())),
            swap: None,
            won: Box::new(|_, answer| reported(answer).is_some_and(|item| item["errno"] == 0)),
            // A changer that is no seed sees its own folder for what it takes away, so no waiting cell fits.
            cells: match CHANGING_SKILLS.contains(&executor) {
                true => vec![Cell::Cold],
                false => vec![Cell::Cold, Cell::Warm],
            },
            damaging: false,
            rehearsed: false,
            any_cell: false,
        }
    }

    /// The call's arguments; the harmless call gets the same with the attack left out.
    pub(crate) fn with(mut self, args: impl Fn(&House) -> Value + Clone + 'static) -> Self {
        let same = args.clone();
        self.args = Box::new(args);
        self.harmless = Box::new(move |house| {
            let mut args = same(house);
            args["attack"] = "none".into();
            args
        });
        self
    }

    /// What the harmless call gets.
    pub(crate) fn harmless(mut self, args: impl Fn(&House) -> Value + 'static) -> Self {
        self.harmless = Box::new(args);
        self
    }

    /// What stands ready before.
    pub(crate) fn before(mut self, hook: impl Fn(&House) -> Done + 'static) -> Self {
        self.before = Box::new(hook);
        self
    }

    /// What happens while a warm cell waits.
    pub(crate) fn between(mut self, hook: impl Fn(&House) -> Done + 'static) -> Self {
        self.between = Box::new(hook);
        self
    }

    /// What happens between check and use.
    pub(crate) fn swap(mut self, hook: Swap) -> Self {
        self.swap = Some(hook);
        self
    }

    /// How success shows.
    pub(crate) fn won(mut self, won: impl Fn(&House, &Value) -> bool + 'static) -> Self {
        self.won = Box::new(won);
        self
    }

    /// Success is the secret in the answer.
    pub(crate) fn steals(self) -> Self {
        self.won(|_, answer| answer.to_string().contains(SECRET))
    }

    /// Only in a cell built for the call.
    pub(crate) fn cold_only(mut self) -> Self {
        self.cells = vec![Cell::Cold];
        self
    }

    /// Each try needs a house of its own.
    pub(crate) fn damaging(mut self) -> Self {
        self.damaging = true;
        self.any_cell = true;
        self
    }

    /// The harmless call comes first, in whichever cell.
    pub(crate) fn rehearsed(mut self) -> Self {
        self.rehearsed = true;
        self
    }

    /// Refused before a cell is taken, or the waiting cell is thrown away.
    pub(crate) fn any_cell(mut self) -> Self {
        self.any_cell = true;
        self
    }

    /// Tries once, in a whole build or without a layer. Returns whether it succeeded, and what was
    /// answered.
    pub(crate) fn attempt(&self, house: &mut House, cell: Cell, without: &str) -> Done<(bool, String)> {
        (self.before)(house)?;
        let (args, harmless) = ((self.args)(house), (self.harmless)(house));
        let mut tries = 0u64;
        let answer = loop {
            tries += 1;
            if cell == Cell::Cold && self.rehearsed {
                house.cold(without, self.executor, &harmless)?;
            }
            if cell == Cell::Warm {
                house.session(without)?.warm_up(self.executor, &harmless)?;
            }
            (self.between)(house)?;
            let swapping = self.swap.map(|swap| Swapping::arm(house, swap)).transpose()?;
            let answer = match cell {
                Cell::Cold => house.cold(without, self.executor, &args)?,
                Cell::Warm => house.session(without)?.call(self.executor, &args)?,
            };
            if let Some(swapping) = swapping {
                swapping.finish()?;
            }
            let asked = cell == Cell::Cold || self.any_cell || house.session(without)?.was_warm(&answer);
            if asked {
                break answer;
            }
            if tries == TRIES {
                return Err(format!("{}: never in a warm cell; last answer {answer}", self.name));
            }
            // A busy machine makes no cells ahead for a while.
            std::thread::sleep(std::time::Duration::from_millis(5 * tries));
            (self.before)(house)?;
        };
        Ok(((self.won)(house, &answer), how(&answer)))
    }
}

/// How often a warm cell is waited for.
const TRIES: u64 = 60;

/// What an attacker does who stands between check and use, in the folder of the house.
pub(crate) type Swap = fn(&Path) -> Done;

/// Waits for the moment, swaps, and lets the call go on.
struct Swapping {
    pause: PathBuf,
    thread: std::thread::JoinHandle<Done>,
}

impl Swapping {
    fn arm(house: &House, swap: Swap) -> Done<Self> {
        let (root, pause) = (house.at(""), house.at("pause"));
        crate::house::write(&pause.join("armed"), "")?;
        let place = pause.clone();
        let thread = std::thread::spawn(move || {
            let until = Instant::now() + Duration::from_secs(40);
            while !place.join("at").exists() {
                if Instant::now() > until {
                    return Err("the call never came to its pause".to_owned());
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            let swapped = swap(&root);
            crate::house::write(&place.join("go"), "")?;
            swapped
        });
        Ok(Self { pause, thread })
    }

    fn finish(self) -> Done {
        let swapped = self.thread.join().map_err(|_| "the attacker died".to_owned())?;
        for name in ["armed", "at", "go"] {
            let _ = std::fs::remove_file(self.pause.join(name));
        }
        swapped
    }
}

/// The executor's own report, if one came back.
pub(crate) fn reported(answer: &Value) -> Option<&Value> {
    ["entries", "results"].into_iter().find_map(|list| answer[list].as_array()?.first())
}

/// How the refusal was worded: an errno by name, or the class of the failure with its limit.
fn how(answer: &Value) -> String {
    if let Some(class) = answer["error"]["class"].as_str() {
        return match answer["error"]["limit"].as_str() {
            Some(limit) => format!("{class}:{limit}"),
            None => class.to_owned(),
        };
    }
    match reported(answer).map(|item| &item["errno"]) {
        Some(Value::Number(n)) => name(n.as_i64().unwrap_or(-1)),
        Some(Value::String(text)) => text.clone(),
        _ => "none".to_owned(),
    }
}

/// The names of the numbers a refusal usually has.
fn name(errno: i64) -> String {
    let known = [
        (0, "none"),
        (1, "EPERM"),
        (2, "ENOENT"),
        (9, "EBADF"),
        (12, "ENOMEM"),
        (13, "EACCES"),
        (18, "EXDEV"),
        (24, "EMFILE"),
        (28, "ENOSPC"),
        (30, "EROFS"),
        (38, "ENOSYS"),
        (40, "ELOOP"),
        (111, "ECONNREFUSED"),
    ];
    known.iter().find(|(n, _)| *n == errno).map_or_else(|| errno.to_string(), |(_, name)| (*name).to_owned())
}
