//! Faults at a system call, put there by strace: no hook in the product.

use crate::Done;
use crate::house::{House, PATIENCE, Ran, finish, kill_group};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What happens at the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Kill,
    Eio,
    Enospc,
}

/// In which process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// `metnos` alone.
    Daemon,
    /// Everything it starts: the calls that only the host makes.
    All,
    /// The warm host of a session, alone.
    Host,
}

/// The n-th call of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    pub(crate) whose: Whose,
    pub(crate) syscall: String,
    pub(crate) fault: Fault,
    pub(crate) n: u32,
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {} {} {:?}", self.whose, self.syscall, self.n, self.fault)
    }
}

/// Calls of `metnos` that matter: it changes something, or somebody waits for it.
pub(crate) const DAEMON: &str = "open,openat,mkdir,rename,unlink,rmdir,write,pwrite64,fsync,fdatasync,\
    ftruncate,flock,sendmsg,recvmsg,unlinkat,mkdirat,renameat2,fchmod,utimensat,linkat,symlinkat,copy_file_range";
/// Those that only the host makes when both are traced.
pub(crate) const ALL: &str =
    "renameat2,unlinkat,mkdirat,linkat,symlinkat,fchmod,utimensat,openat2,copy_file_range,fsetxattr";
/// Those that both make.
pub(crate) const HOST: &str =
    "openat,open,read,write,pwrite64,fsync,fdatasync,ftruncate,lseek,sendmsg,recvmsg";

impl Spot {
    fn inject(&self) -> String {
        let how = match self.fault {
            Fault::Kill => "signal=SIGKILL",
            Fault::Eio => "error=EIO",
            Fault::Enospc => "error=ENOSPC",
        };
        format!("--inject={}:{how}:when={}", self.syscall, self.n)
    }

    /// Runs one command with this fault in it.
    pub(crate) fn run(&self, house: &House, args: &[&str]) -> Ran {
        let mut strace: Vec<String> =
            ["strace", "-qq", "-o", "/dev/null"].iter().map(|w| (*w).to_owned()).collect();
        if self.whose != Whose::Daemon {
            strace.extend(["-f".to_owned(), "--seccomp-bpf".to_owned()]);
        }
        strace.extend([format!("--trace={}", self.syscall), self.inject()]);
        finish(house.command(&strace, args).spawn(), &|| false)
    }
}

/// How often each call is made by the process that makes it most.
pub(crate) fn count(house: &House, args: &[&str], whose: Whose, log: &Path) -> Done<BTreeMap<String, u32>> {
    let calls = if whose == Whose::Daemon { DAEMON } else { ALL };
    let mut strace: Vec<String> = vec!["strace".into(), "-qq".into(), "-o".into(), log.display().to_string()];
    if whose != Whose::Daemon {
        strace.push("-f".into());
    }
    strace.push(format!("--trace={calls}"));
    let ran = finish(house.command(&strace, args).spawn(), &|| false);
    // A call that fails undisturbed is told by its own point; here only its length matters.
    if ran.code.is_none_or(|code| code > 1) {
        return Err(format!("strace {args:?}: {}", ran.told()));
    }
    let text = std::fs::read(log).map_err(|e| e.to_string())?;
    Ok(tally(&String::from_utf8_lossy(&text), whose != Whose::Daemon))
}

/// The most calls of one process, by name.
fn tally(log: &str, with_pid: bool) -> BTreeMap<String, u32> {
    let mut counts: BTreeMap<(String, String), u32> = BTreeMap::new();
    for line in log.lines() {
        let (pid, rest) = match with_pid {
            true => line.split_once(char::is_whitespace).unwrap_or(("", line)),
            false => ("", line),
        };
        let name = rest.trim_start().split_once('(').map_or("", |(name, _)| name);
        if !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            *counts.entry((pid.to_owned(), name.to_owned())).or_default() += 1;
        }
    }
    let mut most: BTreeMap<String, u32> = BTreeMap::new();
    for ((_, name), n) in counts {
        let best = most.entry(name).or_default();
        *best = (*best).max(n);
    }
    most
}

/// One call in a session whose warm hosts are traced from before it begins. Without a spot the calls
/// of the hosts go to `log`.
pub(crate) fn in_session(house: &House, line: &str, spot: Option<&Spot>, log: &Path) -> Done<Ran> {
    let mut child = house
        .command(&[], &["exec", "--stdin"])
        .stdin(Stdio::piped())
        .spawn()
        .map_err(|e| format!("a session: {e}"))?;
    let watch = Watch::over(child.id());
    let ran = attached(&mut child, line, spot, log);
    // End of input is how a session ends.
    drop(child.stdin.take());
    let end = finish(Ok(child), &|| false);
    let (stdout, tracer) = ran?;
    tracer_end(tracer);
    Ok(Ran { stdout, hung: end.hung || watch.struck(), ..end })
}

/// Ends a session that never answers, so that reading from it ends too.
struct Watch(Sender<()>, JoinHandle<bool>);

impl Watch {
    fn over(pid: u32) -> Self {
        let (done, wait) = std::sync::mpsc::channel();
        let watching = std::thread::spawn(move || {
            let strikes = matches!(wait.recv_timeout(PATIENCE), Err(RecvTimeoutError::Timeout));
            if strikes {
                kill_group(pid);
            }
            strikes
        });
        Self(done, watching)
    }

    fn struck(self) -> bool {
        drop(self.0);
        self.1.join().unwrap_or(false)
    }
}

fn attached(child: &mut Child, line: &str, spot: Option<&Spot>, log: &Path) -> Done<(String, Child)> {
    let pid = child.id();
    let (Some(stdin), Some(stdout)) = (child.stdin.as_mut(), child.stdout.take()) else {
        return Err("no pipes".into());
    };
    let mut stdout = BufReader::new(stdout);
    let mut answer = String::new();
    // The first call makes the pool warm.
    stdin.write_all(b"{\"executor\":\"get_now\",\"args\":{}}\n").map_err(|e| e.to_string())?;
    stdout.read_line(&mut answer).map_err(|e| e.to_string())?;
    let hosts = hosts_of(pid)?;
    let mut strace = Command::new("strace");
    strace.args(["-f", "-o"]).arg(if spot.is_some() { Path::new("/dev/null") } else { log });
    match spot {
        Some(spot) => strace.arg(format!("--trace={}", spot.syscall)).arg(spot.inject()),
        None => strace.arg(format!("--trace={HOST}")),
    };
    for host in &hosts {
        strace.arg("-p").arg(host.to_string());
    }
    let mut tracer =
        strace.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(|e| format!("strace: {e}"))?;
    let Some(told) = tracer.stderr.take() else { return Err("no pipe".into()) };
    let mut told = BufReader::new(told);
    for _ in &hosts {
        let mut word = String::new();
        told.read_line(&mut word).map_err(|e| e.to_string())?;
    }
    std::thread::spawn(move || told.read_to_end(&mut Vec::new()));
    answer.clear();
    stdin.write_all(line.as_bytes()).map_err(|e| e.to_string())?;
    stdout.read_line(&mut answer).map_err(|e| e.to_string())?;
    std::thread::spawn(move || stdout.read_to_end(&mut Vec::new()));
    Ok((answer, tracer))
}

/// The tracer ends with the last of its hosts.
fn tracer_end(mut tracer: Child) {
    let end = Instant::now() + Duration::from_secs(5);
    while Instant::now() < end {
        if !matches!(tracer.try_wait(), Ok(None)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let _ = tracer.kill();
    let _ = tracer.wait();
}

/// The same counts for the hosts of a session.
pub(crate) fn count_in_session(house: &House, line: &str, log: &Path) -> Done<BTreeMap<String, u32>> {
    in_session(house, line, None, log)?;
    let text = std::fs::read(log).map_err(|e| e.to_string())?;
    Ok(tally(&String::from_utf8_lossy(&text), true))
}

/// The processes in the cells below `pid`, once there are two.
fn hosts_of(pid: u32) -> Done<Vec<u32>> {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let found = cells_below(pid);
        if found.len() >= 2 || (Instant::now() > end && !found.is_empty()) {
            return Ok(found);
        }
        if Instant::now() > end {
            return Err("no warm host appeared".into());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Processes called `… cell` among the descendants of `pid`.
pub(crate) fn cells_below(pid: u32) -> Vec<u32> {
    let mut parents: BTreeMap<u32, u32> = BTreeMap::new();
    for item in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(id) = item.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let stat = std::fs::read_to_string(item.path().join("stat")).unwrap_or_default();
        let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
        if let Some(parent) = parent {
            parents.insert(id, parent);
        }
    }
    let below = |mut id: u32| {
        while let Some(parent) = parents.get(&id) {
            if *parent == pid {
                return true;
            }
            id = *parent;
        }
        false
    };
    let is_cell = |id: &u32| {
        let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let word = line.split(|byte| *byte == 0).nth(1);
        line.starts_with(b"/proc/self/fd/") && word.is_some_and(|word| word.ends_with(b"cell"))
    };
    parents.keys().copied().filter(|id| below(*id)).filter(is_cell).collect()
}
