//! Part two: the power goes at every change of the disk. What comes back is what was synced, or that
//! and some of the rest, or all of it with the programs dead.

use crate::cases::{self, Case};
use crate::check::{Deed, Oracle, check};
use crate::disk::{Disk, Left, Power, Store};
use crate::house::{House, finish};
use crate::kills::{CALL, earlier, exec};
use crate::random::Random;
use crate::report::Report;
use crate::tree::Tree;
use crate::{Done, Options};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// All disks at one moment.
type Moment = [Store; 3];

/// A house on three disks with one current: its own, one in its home directory, and the second root.
struct Rig {
    house: House,
    power: Arc<Power>,
    disks: [Disk; 3],
    /// For each case: before the call, and after it.
    starts: Vec<[Moment; 2]>,
    oracles: Vec<Oracle>,
    /// Changes that the call makes, and that taking it back makes.
    lengths: Vec<[u64; 2]>,
}

/// One loss to try.
struct Job {
    group: String,
    case: usize,
    deed: Deed,
    at: u64,
    left: Left,
    /// A second loss, at this change of the start that repairs the first.
    again: Option<u64>,
}

/// Loses power `options.forgetful` times.
pub(crate) fn run(binary: &Path, dir: &Path, options: &Options) -> Done<Report> {
    let cases = cases::chosen(options, options.forgetful)?;
    let rigs = std::thread::scope(|scope| {
        let make = |number: usize| Rig::new(binary, dir, number, &cases, options);
        let other = scope.spawn(move || make(1));
        let first = make(0)?;
        Ok::<_, String>([first, other.join().map_err(|_| "a worker fell".to_owned())??])
    })?;
    let jobs = plan(&rigs[0], &cases, options);
    let report = Report::new("forgetful", jobs.len());
    let jobs = Mutex::new(jobs);
    let work = |mut rig: Rig| -> Done {
        loop {
            let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let (Some(job), began) = (job, Instant::now()) else { return Ok(()) };
            let Some(case) = cases.get(job.case) else { return Err("a job without its case".into()) };
            let wrong = rig.lose(case, &job).map_err(|why| format!("{}: {why}", job.group))?;
            let mut spot = format!("change {} left {:?}", job.at, job.left);
            if let Some(again) = job.again {
                spot.push_str(&format!(", then at change {again} of the repair"));
            }
            report.point(&job.group, &spot, &wrong, began.elapsed());
        }
    };
    let [first, second] = rigs;
    std::thread::scope(|scope| {
        let other = scope.spawn(|| work(second));
        work(first)?;
        other.join().map_err(|_| "a worker fell".to_owned())?
    })?;
    Ok(report)
}

fn plan(rig: &Rig, cases: &[Case], options: &Options) -> Vec<Job> {
    let mut random = Random::new(options.seed, 4);
    let mut groups: Vec<Vec<Job>> = Vec::new();
    for (case, lengths) in rig.lengths.iter().enumerate() {
        let name = cases.get(case).map_or("", |case| case.name);
        for (deed, length) in [Deed::Exec, Deed::Undo].into_iter().zip(lengths) {
            let mut jobs = Vec::new();
            // One more than there are: the power goes when all is done.
            for at in 1..=length + 1 {
                for left in [Left::Synced, Left::Synced, Left::Some(random.next()), Left::All] {
                    let again = (!jobs.is_empty() && random.below(5) == 0).then(|| 1 + random.below(40));
                    let kind = match left {
                        Left::Synced => "synced",
                        Left::Some(_) => "some",
                        Left::All => "all",
                    };
                    let what = if deed == Deed::Exec { "call" } else { "undo" };
                    let twice = if again.is_some() { ", twice" } else { "" };
                    let group = format!("{name} {what}, {kind} left{twice}");
                    // The second of a kind is there only to be lost twice.
                    let is_second = jobs.last().is_some_and(|last: &Job| last.at == at && last.left == left);
                    if !is_second || again.is_some() {
                        jobs.push(Job { group, case, deed, at, left, again });
                    }
                }
            }
            random.shuffle(&mut jobs);
            groups.push(jobs);
        }
    }
    eprintln!(
        "chaos: forgetful: {} of {} points",
        options.forgetful,
        groups.iter().map(Vec::len).sum::<usize>()
    );
    let mut jobs = Vec::new();
    while jobs.len() < options.forgetful && groups.iter().any(|group| !group.is_empty()) {
        jobs.extend(groups.iter_mut().filter_map(Vec::pop));
    }
    random.shuffle(&mut jobs);
    jobs.truncate(options.forgetful);
    jobs
}

impl Rig {
    fn new(binary: &Path, dir: &Path, number: usize, cases: &[Case], options: &Options) -> Done<Self> {
        let power = Arc::new(Power::default());
        let path = |name: &str| dir.join(format!("{name}{number}"));
        let disk = |name: &str| Disk::new(&path(name), &power, options.model);
        let own = disk("disk")?;
        let house = House::at(binary, &path("disk"), &path("other").join("second"));
        std::fs::create_dir(house.home()).map_err(|e| e.to_string())?;
        // In this order: one lies in another.
        let disks = [own, Disk::new(&house.mount(), &power, options.model)?, disk("other")?];
        std::fs::create_dir(&house.second).map_err(|e| e.to_string())?;
        house.set_up(options.seed)?;
        let (starts, oracles, lengths) = Default::default();
        let mut rig = Self { house, power, disks, starts, oracles, lengths };
        let clean = rig.settled();
        for case in cases {
            rig.learn(case, &clean)?;
        }
        Ok(rig)
    }

    /// All disks, when everything on them is durable.
    fn settled(&self) -> Moment {
        self.disks.each_ref().map(|disk| {
            let mut store = disk.copy();
            store.settle();
            store
        })
    }

    fn put(&mut self, all: &Moment, fails_at: u64) -> Done {
        self.power.on(0);
        for disk in self.disks.iter_mut().rev() {
            disk.take_away();
        }
        for (disk, store) in self.disks.iter_mut().zip(all) {
            disk.bring(store.clone())?;
        }
        self.power.on(fails_at);
        Ok(())
    }

    /// How the call goes when nothing disturbs it.
    fn learn(&mut self, case: &Case, clean: &Moment) -> Done {
        self.put(clean, 0)?;
        let first = match case.earlier() {
            Some(_) => Some(Tree::of(&self.house.home(), &self.house.second)?),
            None => None,
        };
        earlier(&self.house, case)?;
        let start = self.settled();
        self.put(&start, 0)?;
        let before = Tree::of(&self.house.home(), &self.house.second)?;
        let args = case.args(&self.house.home(), &self.house.second);
        self.power.on(0);
        let ran = self.house.run(&exec(case, &args));
        let call = self.power.changes();
        if ran.json().is_none_or(|answer| answer["ok"] != true || answer["fail_count"] != 0) {
            return Err(format!("{}: {}", case.name, ran.told()));
        }
        let after = Tree::of(&self.house.home(), &self.house.second)?;
        let done = self.settled();
        self.put(&done, 0)?;
        self.house.run(&["undo", CALL, "--json"]);
        self.lengths.push([call, self.power.changes()]);
        self.starts.push([start, done]);
        self.oracles.push(Oracle { before, after, first });
        Ok(())
    }

    /// Runs until the power goes, comes back, and looks.
    fn lose(&mut self, case: &Case, job: &Job) -> Done<Vec<crate::check::Wrong>> {
        let [clean, done] = self.starts.get(job.case).cloned().ok_or("no start")?;
        let oracle = self.oracles.get(job.case).cloned().ok_or("no oracle")?;
        let args = case.args(&self.house.home(), &self.house.second);
        let (start, words) = match job.deed {
            Deed::Exec => (clean, exec(case, &args)),
            Deed::Undo => (done, vec!["undo", CALL, "--json"]),
        };
        self.put(&start, job.at)?;
        let ran = self.run(&words);
        self.come_back(job.left, job.again.unwrap_or(0))?;
        if job.again.is_some() {
            self.run(&["undo", "--list", "--json"]);
            self.come_back(job.left, 0)?;
        }
        Ok(check(&self.house, &oracle, job.deed, CALL, &ran))
    }

    fn run(&self, words: &[&str]) -> crate::house::Ran {
        let ran = finish(self.house.command(&[], words).spawn(), &|| self.power.is_off());
        // Also when it came to its end before.
        self.power.off();
        ran
    }

    fn come_back(&mut self, left: Left, fails_at: u64) -> Done {
        let all = self.disks.each_ref().map(|disk| disk.copy().after_loss(left));
        self.put(&all, fails_at)
    }
}
