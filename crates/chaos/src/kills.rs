//! Part one: a kill or a failing call at every system call that matters, and kills at any moment.
//! The page cache survives here; what a disk forgets is the other part.

use crate::cases::{self, Case};
use crate::check::{Deed, Oracle, check};
use crate::house::{House, Ran, finish};
use crate::place::Place;
use crate::random::Random;
use crate::report::Report;
use crate::strace::{self, Fault, Spot, Whose};
use crate::tree::Tree;
use crate::{Done, Options};
use serde_json::json;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The call whose fate is looked at.
pub(crate) const CALL: &str = "chaos-call";
/// The change before it.
pub(crate) const EARLIER: &str = "chaos-earlier";

/// A house that can be put back as it was.
struct Bench {
    live: House,
    saved: House,
    log: PathBuf,
    _places: [Place; 3],
}

/// Where the fault falls.
#[derive(Clone, Debug)]
enum Moment {
    /// Nothing is disturbed: what fails here needs no fault.
    Never,
    At(Spot),
    /// After a while, in `metnos` or in its host.
    After {
        delay: Duration,
        host: bool,
    },
}

/// One point to try.
struct Job {
    group: String,
    case: usize,
    deed: Deed,
    moment: Moment,
}

/// Disturbs `options.kills` times.
pub(crate) fn run(binary: &Path, dir: &Path, options: &Options) -> Done<Report> {
    let first = Bench::new(binary, dir, 0, None, options.seed)?;
    let cases = cases::chosen(options, options.kills)?;
    let oracles = cases.iter().map(|case| first.oracle(case)).collect::<Done<Vec<_>>>()?;
    let jobs = plan(&first, &cases, options)?;
    let report = Report::new("kills", jobs.len());
    let second = Bench::new(binary, dir, 1, Some(&first.saved), options.seed)?;
    let jobs = Mutex::new(jobs);
    let work = |bench: &Bench| -> Done {
        loop {
            let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(job) = job else { return Ok(()) };
            let (Some(case), Some(oracle)) = (cases.get(job.case), oracles.get(job.case)) else {
                return Err("a job without its case".into());
            };
            let began = Instant::now();
            let (spot, wrong) = match bench.disturb(case, &job) {
                Ok((spot, ran, before)) => {
                    let oracle = Oracle { before, ..oracle.clone() };
                    (spot, check(&bench.live, &oracle, job.deed, CALL, &ran))
                }
                // What could not be set up proves nothing, and must be seen.
                Err(why) => return Err(format!("{}: {why}", job.group)),
            };
            report.point(&job.group, &spot, &wrong, began.elapsed());
        }
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| work(&second));
        work(&first)?;
        other.join().map_err(|_| "a worker fell".to_owned())?
    })?;
    Ok(report)
}

/// Every spot of every group, one of each in turn until there are enough.
fn plan(bench: &Bench, cases: &[Case], options: &Options) -> Done<Vec<Job>> {
    let mut groups: Vec<(String, usize, Deed, Vec<Moment>)> = Vec::new();
    let mut random = Random::new(options.seed, 2);
    for (at, case) in cases.iter().enumerate() {
        for (whose, deed, name) in [
            (Whose::Daemon, Deed::Exec, "daemon"),
            (Whose::All, Deed::Exec, "hands"),
            (Whose::Host, Deed::Exec, "host"),
            (Whose::Daemon, Deed::Undo, "undo"),
        ] {
            let mut moments = Vec::new();
            for (syscall, times) in bench.count(case, whose, deed)? {
                for n in 1..=times {
                    for fault in [Fault::Kill, Fault::Eio, Fault::Enospc] {
                        let spot = Spot { whose, syscall: syscall.clone(), fault, n };
                        moments.push(Moment::At(spot));
                    }
                }
            }
            random.shuffle(&mut moments);
            groups.push((format!("{} {name}", case.name), at, deed, moments));
        }
        groups.push((format!("{} undisturbed", case.name), at, Deed::Exec, vec![Moment::Never]));
        for (deed, name) in [(Deed::Exec, "any moment"), (Deed::Undo, "undo, any moment")] {
            let usual = bench.usual(case, deed)?.as_micros() as u64;
            let moment = |n: usize, random: &mut Random| Moment::After {
                delay: Duration::from_micros(random.below(usual + usual / 10)),
                host: n % 2 == 1 && deed == Deed::Exec,
            };
            let moments = (0..options.kills).map(|n| moment(n, &mut random)).collect();
            groups.push((format!("{} {name}", case.name), at, deed, moments));
        }
    }
    let found: usize = groups.iter().map(|(.., moments)| moments.len()).sum();
    eprintln!("chaos: kills: {} of {} points", options.kills, found);
    let mut jobs = Vec::new();
    while jobs.len() < options.kills {
        let had = jobs.len();
        for (group, case, deed, moments) in &mut groups {
            if let Some(moment) = moments.pop() {
                jobs.push(Job { group: group.clone(), case: *case, deed: *deed, moment });
            }
        }
        if jobs.len() == had {
            break;
        }
    }
    // Which groups a small run leaves out must not depend on their order.
    random.shuffle(&mut jobs);
    jobs.truncate(options.kills);
    Ok(jobs)
}

impl Bench {
    fn new(binary: &Path, dir: &Path, number: usize, from: Option<&House>, seed: u64) -> Done<Self> {
        let (a, b) = (Place::new(dir, &format!("a{number}"))?, Place::new(dir, &format!("b{number}"))?);
        let inner = Place::new(a.path(), "live/home/mnt")?;
        // Dropped in this order: the one that lies in another first.
        let places = [inner, a, b];
        if !places.iter().all(Place::is_apart) {
            eprintln!("chaos: no right to mount: moves between file systems stay inside one");
        }
        let (base, other) = (places[1].path(), places[2].path());
        for folder in [base.join("live"), base.join("saved/second"), other.join("second")] {
            std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        let live = House::at(binary, &base.join("live"), &other.join("second"));
        let saved = House::at(binary, &base.join("saved"), &base.join("saved/second"));
        match from {
            None => live.set_up(seed)?,
            Some(from) => {
                from.copy_to(&live)?;
                live.open_second()?;
            }
        }
        live.copy_to(&saved)?;
        Ok(Self { log: base.join("log"), live, saved, _places: places })
    }

    /// The house as it was, and the change that comes before the case.
    fn restore(&self, case: &Case) -> Done {
        self.saved.copy_to(&self.live)?;
        earlier(&self.live, case)
    }

    fn oracle(&self, case: &Case) -> Done<Oracle> {
        let first = match case.earlier() {
            Some(_) => {
                self.saved.copy_to(&self.live)?;
                Some(Tree::of(&self.live.home(), &self.live.second)?)
            }
            None => None,
        };
        self.restore(case)?;
        let before = Tree::of(&self.live.home(), &self.live.second)?;
        self.clean(case)?;
        let after = Tree::of(&self.live.home(), &self.live.second)?;
        Ok(Oracle { before, after, first })
    }

    /// How long the call, or taking it back, takes undisturbed.
    fn usual(&self, case: &Case, deed: Deed) -> Done<Duration> {
        self.restore(case)?;
        let began = Instant::now();
        self.clean(case)?;
        let began = if deed == Deed::Exec { began } else { Instant::now() };
        if deed == Deed::Undo {
            self.live.run(&["undo", CALL, "--json"]);
        }
        Ok(began.elapsed())
    }

    /// The call, undisturbed.
    fn clean(&self, case: &Case) -> Done {
        let args = case.args(&self.live.home(), &self.live.second);
        let ran = self.live.run(&exec(case, &args));
        match ran.json() {
            Some(answer) if answer["ok"] == true && answer["fail_count"] == 0 => Ok(()),
            _ => Err(format!("{}: {}", case.name, ran.told())),
        }
    }

    fn count(&self, case: &Case, whose: Whose, deed: Deed) -> Done<Vec<(String, u32)>> {
        self.restore(case)?;
        let args = case.args(&self.live.home(), &self.live.second);
        let counts = match (deed, whose) {
            (Deed::Exec, Whose::Host) => strace::count_in_session(&self.live, &line(case, &args), &self.log)?,
            (Deed::Exec, _) => strace::count(&self.live, &exec(case, &args), whose, &self.log)?,
            (Deed::Undo, _) => {
                self.clean(case)?;
                strace::count(&self.live, &["undo", CALL, "--json"], whose, &self.log)?
            }
        };
        Ok(counts.into_iter().collect())
    }

    /// Puts the house back and runs the command with its fault. Also gives the tree before: what an earlier
    /// change wrote has a new time each time.
    fn disturb(&self, case: &Case, job: &Job) -> Done<(String, Ran, Tree)> {
        self.restore(case)?;
        let before = Tree::of(&self.live.home(), &self.live.second)?;
        let (spot, ran) = self.strike(case, job)?;
        Ok((spot, ran, before))
    }

    fn strike(&self, case: &Case, job: &Job) -> Done<(String, Ran)> {
        let text = case.args(&self.live.home(), &self.live.second);
        let args = match job.deed {
            Deed::Exec => exec(case, &text),
            Deed::Undo => {
                self.clean(case)?;
                vec!["undo", CALL, "--json"]
            }
        };
        match &job.moment {
            Moment::Never => Ok(("no point".into(), self.live.run(&args))),
            Moment::At(spot) if spot.whose == Whose::Host => {
                let ran = strace::in_session(&self.live, &line(case, &text), Some(spot), &self.log)?;
                Ok((spot.to_string(), ran))
            }
            Moment::At(spot) => Ok((spot.to_string(), spot.run(&self.live, &args))),
            Moment::After { delay, host } => {
                let whom = if *host { "the host" } else { "metnos" };
                Ok((format!("{whom} killed after {delay:?}"), self.kill_after(&args, *delay, *host)?))
            }
        }
    }

    /// Kills without strace, and does not wait for what the dead process leaves behind.
    fn kill_after(&self, args: &[&str], delay: Duration, host: bool) -> Done<Ran> {
        let out = File::create(&self.log).map_err(|e| e.to_string())?;
        let mut command = self.live.command(&[], args);
        let mut child = command.stdout(out).stderr(Stdio::null()).spawn().map_err(|e| e.to_string())?;
        std::thread::sleep(delay);
        let cells = if host { strace::cells_below(child.id()) } else { Vec::new() };
        for cell in &cells {
            let pid = i32::try_from(*cell).ok().and_then(rustix::process::Pid::from_raw);
            if let Some(pid) = pid {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
        if cells.is_empty() {
            child.kill().map_err(|e| e.to_string())?;
        }
        let ran = finish(Ok(child), &|| false);
        Ok(Ran { stdout: std::fs::read_to_string(&self.log).unwrap_or_default(), ..ran })
    }
}

/// Performs the change that comes before a case, undisturbed.
pub(crate) fn earlier(house: &House, case: &Case) -> Done {
    let Some(earlier) = case.earlier() else { return Ok(()) };
    let args = earlier.args(&house.home(), &house.second);
    let ran = house.run(&["--json", "exec", earlier.executor, &args, "--call-id", EARLIER]);
    match ran.json() {
        Some(answer) if answer["ok"] == true && answer["fail_count"] == 0 => Ok(()),
        _ => Err(format!("before {}: {}", case.name, ran.told())),
    }
}

/// The words of a call.
pub(crate) fn exec<'a>(case: &'a Case, args: &'a str) -> Vec<&'a str> {
    vec!["--json", "exec", case.executor, args, "--call-id", CALL]
}

/// The same as a line of a session.
fn line(case: &Case, args: &str) -> String {
    let args: serde_json::Value = serde_json::from_str(args).unwrap_or_default();
    format!("{}\n", json!({ "executor": case.executor, "args": args, "call_id": CALL }))
}
